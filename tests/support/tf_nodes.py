"""Nodes of TensorFlow graphs for corpora, with everything that their operator asks for: an attribute that has no default and is
not given is made up, and so are inputs (`inN`, which the graph then has as a placeholder of type N, or the function as an
argument).  What a case is about is given; the rest is as a runtime takes it (lib/judges/limits/tf.tsv)."""
import os
import re

from protobuf_writer import blob, num

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib", "judges", "limits", "tf.tsv")
ATTR = re.compile(r"(\w+):(\w+)(\[\])?(!)?(?:>=(-?\d+))?(?:\{([^}]+)\})?(?:=(.+))?")
FIELDS = {"string": 2, "int": 3, "float": 4, "bool": 5, "type": 6, "shape": 7, "tensor": 8, "func": 10}
STRING, FLOAT = 7, 1


def rows():
    with open(TABLE, encoding="ascii") as f:
        for line in f:
            if not line.startswith("#"):
                name, inputs, outputs, attrs, _ = line.rstrip("\n").split("\t")
                yield name, ([a.split(":") for a in inputs.split()], [a.split(":") for a in outputs.split()],
                             {m[1]: m for m in map(ATTR.fullmatch, attrs.split())})


OPS = dict(rows())


class Node(bytes):
    """Field 1 of a graph; `needs`: the types of placeholders that it takes."""
    needs = frozenset()


def attr(key, value):
    return blob(5, blob(1, key) + blob(2, value))


def varint_at(data, i):
    value = shift = 0
    while True:
        value |= (data[i] & 127) << shift
        shift, i = shift + 7, i + 1
        if data[i - 1] < 128:
            return value, i


def fields(data):
    """(number, value) of a message that is sound; of what is not, as far as it is."""
    i = 0
    try:
        while i < len(data):
            tag, i = varint_at(data, i)
            if tag & 7 == 0:
                value, i = varint_at(data, i)
            elif tag & 7 == 2:
                n, i = varint_at(data, i)
                value, i = data[i:i + n], i + n
            else:
                return
            yield tag >> 3, value
    except IndexError:
        return


def given(more):
    """Attributes by name: their values' fields."""
    return {dict(fields(v)).get(1, b"").decode("latin-1"): list(fields(dict(fields(v)).get(2, b"")))
            for n, v in fields(more) if n == 5}


def default_type(match):
    allowed = [int(n) for n in (match[6] or "").split(",") if n]
    return next((t for t in (STRING, FLOAT) if not allowed or t in allowed), allowed[0] if allowed else STRING)


def made_up(op, match, values, counts):
    name, kind, many, least = match[1], match[2], match[3], int(match[5] or 0)
    if many:
        n = counts.get(name, least)
        return blob(1, b"".join({"type": num(6, default_type(match)), "shape": blob(7, b"")}.get(kind, num(FIELDS[kind], 1))
                                for _ in range(n)))
    if kind == "type":
        tensor = dict(values.get("value", ())).get(8)
        return num(6, dict(fields(tensor)).get(1, 0) if op == "Const" and tensor is not None else default_type(match))
    word = (match[6] or "").split(",")[0]
    return {"int": num(3, counts.get(name, max(least, 1))), "bool": num(5, 1), "float": b"\x25" + b"\0" * 4, "string": blob(2, word),
            "shape": blob(7, b""), "func": blob(10, b""), "tensor": blob(8, num(1, STRING) + blob(2, b"") + blob(8, b""))}[kind]


def type_of(what, known, attrs):
    what = what.rstrip("&")
    return int(what) if what.isdigit() else dict(known.get(what, ())).get(6, int(attrs[what][7] or STRING))


def resolve(op, n_data, more):
    """(attributes that are made up, (argument, type) of every input) of an operator with these attributes and so many inputs."""
    takes, _, attrs = OPS.get(op, ([], [], {}))
    single = sum("*" not in t and "[]" not in t for _, t in takes)
    counts = {}
    for _, t in takes: # those that are left are of the first that is several
        which = t.split("*")[0] if "*" in t else t[:-2] if t.endswith("[]") else None
        if which:
            least = int(attrs[which][5] or 0)
            counts.setdefault(which, max(least, 0 if counts else n_data - single))
    values = given(more)
    added = {key: made_up(op, match, values, counts) for key, match in attrs.items() if match[4] and key not in values}
    known = {**values, **{k: list(fields(v)) for k, v in added.items()}}
    wanted = []
    for name, t in takes:
        if "*" in t:
            n, t = t.split("*")
            wanted += [(name, type_of(t, known, attrs))] * dict(known.get(n, [(3, 0)])).get(3, 0)
        elif t.endswith("[]"):
            types = [v for n, v in fields(dict(known.get(t[:-2], ())).get(1, b"")) if n == 6]
            wanted += [(name, v if isinstance(v, int) else STRING) for v in types]
        else:
            wanted.append((name, type_of(t, known, attrs)))
    return added, wanted


def node(name, op, inputs=(), more=b"", device=None):
    """@more: attributes."""
    data = [i for i in inputs if not i.startswith("^")]
    added, wanted = resolve(op, len(data), more)
    missing = [t for _, t in wanted[len(data):]]
    if missing:
        inputs = data + [f"in{t}" for t in missing] + [i for i in inputs if i.startswith("^")]
    made = Node(blob(1, blob(1, name) + blob(2, op) + b"".join(blob(3, i) for i in inputs) + (blob(4, device) if device else b"") +
                     more + b"".join(attr(k, v) for k, v in added.items())))
    made.needs = frozenset(missing) | {int(i[2:]) for i in data if re.fullmatch(r"in\d+", i)}
    return made


def needs(nodes):
    return sorted(set().union(*(getattr(n, "needs", ()) for n in nodes)))


def placeholders(nodes):
    return [node(f"in{t}", "Placeholder", (), attr("dtype", num(6, t))) for t in needs(nodes)]
