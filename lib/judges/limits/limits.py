#!/usr/bin/python3
"""limits.py FORMAT TABLE.tsv: a table of limits as C, on standard output.  Strict: a row that is not understood ends the build."""
import csv
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terms import Bad, Terms  # noqa: E402 pylint: disable=wrong-import-position


def rows(path):
    with open(path, encoding="ascii", newline="") as f:
        for number, line in enumerate(f, 1):
            if line.strip() and not line.startswith("#"):
                yield f"{path}:{number}", line.rstrip("\n").split("\t")


def quoted(text):
    return f'"{text}"' if text else "NULL"


class Table:
    """Terms that rows share are written once."""

    def __init__(self):
        self.known, self.lines = {}, []

    def rule(self, terms):
        if not terms:
            return "{ NULL, 0 }"
        key = tuple(terms)
        if key not in self.known:
            self.known[key] = f"limits_{len(self.known)}"
            body = "".join(f"\t{{ {t} }},\n" for t in terms)
            self.lines.append(f"static const struct limits_term {self.known[key]}[] = {{\n{body}}};")
        return f"{{ {self.known[key]}, {len(terms)} }}"


GGUF_NAME = r"[a-z][a-z0-9_.-]*"
GGUF_VIRTUAL = ("tokens", "head_length", "layers_less", "clip.resampler")


def gguf_read(path):
    known, keys, rules = [], {}, []
    for where, columns in rows(path):
        if columns[0] == "known":
            known += columns[1].split()
            continue
        if len(columns) != 4:
            sys.exit(f"{where}: four columns are wanted")
        key, architectures, words, limits = columns
        if not re.fullmatch(r"(\*\.)?" + GGUF_NAME, key) or not re.fullmatch(r"\*|!?[a-z0-9_. -]+", architectures):
            sys.exit(f"{where}: not a row")
        keys[key] = words or keys.get(key, "")
        if limits:
            rules.append((where, key, architectures, limits))
    return sorted(known), keys, rules


def gguf(path):
    known, keys, rules = gguf_read(path)
    order = sorted(keys)
    table = Table()
    lines = []
    for where, key, architectures, limits in rules:
        def resolve(name, key=key):
            if name == "x":
                return f"{order.index(key)}, 0"
            for i, has in enumerate((name, "*." + name)):
                if has in keys and not (i == 1 and not key.startswith("*.")):
                    return f"{order.index(has)}, 0"
            if name in GGUF_VIRTUAL:
                return f"{len(order) + GGUF_VIRTUAL.index(name)}, 0"
            raise Bad(f"no key: {name}")
        try:
            rule = table.rule(Terms(resolve, GGUF_NAME).row(limits))
        except Bad as bad:
            sys.exit(f"{where}: {bad}")
        but = architectures.startswith("!")
        names = None if architectures == "*" else f" {architectures.lstrip('!')} "
        lines.append(f"\t{{ {order.index(key)}, {str(but).lower()}, {quoted(names)}, {rule} }},")
    print('#include "limits_gguf.h"\n')
    print("\n".join(table.lines))
    print("\nconst struct limits_gguf_key limits_gguf_keys[] = {")
    for key in order:
        print(f"\t{{ {quoted(key)}, {quoted(keys[key])} }},")
    print(f"}};\nconst size_t limits_gguf_n_keys = {len(order)};")
    print(f"const size_t limits_gguf_n_of_model = {sum(k.startswith('*.') for k in order)};")
    print("\nconst struct limits_gguf_rule limits_gguf_rules[] = {\n" + "\n".join(lines))
    print(f"}};\nconst size_t limits_gguf_n_rules = {len(lines)};")
    print("\nconst char limits_gguf_known[] =")
    for name in known:
        print(f'    " {name}"')
    print('    " ";')


def tflite_read(path):
    """(where, code, name, options, fields, optional, variable, limits)."""
    for where, columns in rows(path):
        if len(columns) != 7 or not columns[0].isdigit() or not re.fullmatch(r"[A-Z0-9_]+", columns[1]):
            sys.exit(f"{where}: not a row")
        fields = {}
        for field in columns[3].split():
            name, place, fallback = re.fullmatch(r"(\w+)=(\d+)(?::(\d+))?", field).groups()
            fields[name] = (-1 - int(place), int(fallback or 0))
        yield (where, int(columns[0]), columns[1], columns[2], fields, [int(n) for n in columns[4].split()],
               [int(n) for n in columns[5].split()], columns[6])


def bits(numbers):
    return f"UINT64_C({sum(1 << n for n in numbers):#x})"


def tflite(path):
    table, lines = Table(), {}
    for where, code, name, options, fields, optional, variable, limits in tflite_read(path):
        def resolve(text, fields=fields):
            if re.fullmatch(r"i\d", text):
                return f"{int(text[1:])}, 0"
            if text not in fields:
                raise Bad(f"no field: {text}")
            return "%d, %d" % fields[text]
        try:
            rule = table.rule(Terms(resolve).row(limits))
        except Bad as bad:
            sys.exit(f"{where}: {bad}")
        if code in lines:
            sys.exit(f"{where}: a second time")
        lines[code] = f"\t[{code}] = {{ {quoted(name)}, {quoted(options)}, {bits(optional)}, {bits(variable)}, {rule} }},"
    print('#include "limits_tflite.h"\n')
    print("\n".join(table.lines))
    print("\nconst struct limits_tflite_op limits_tflite_ops[] = {\n" + "\n".join(lines.values()))
    print(f"}};\nconst size_t limits_tflite_n_ops = {max(lines) + 1};")


def onnx_read(path):
    """(where, domain, operator, since, inputs, defaults, limits)."""
    for where, columns in rows(path):
        if len(columns) != 6 or columns[0] not in ("ai.onnx", "ai.onnx.ml") or not columns[2].isdigit():
            sys.exit(f"{where}: not a row")
        yield (where, columns[0], columns[1], int(columns[2]), columns[3].split(),
               dict(d.split("=") for d in columns[4].split()), columns[5])


def onnx(path):
    table, lines = Table(), []
    for where, domain, name, since, inputs, defaults, limits in onnx_read(path):
        def resolve(text, inputs=inputs, defaults=defaults):
            if text in inputs:
                return f"{inputs.index(text)}, 0"
            return f"-2, {defaults[text]}" if text in defaults else "-1, 0"
        try:
            rule = table.rule(Terms(resolve).row(limits))
        except Bad as bad:
            sys.exit(f"{where}: {bad}")
        ml = domain == "ai.onnx.ml"
        lines.append(((name, ml, since), f"\t{{ {quoted(name)}, {str(ml).lower()}, {since}, {rule} }},"))
    lines.sort()
    print('#include "limits_onnx.h"\n')
    print("\n".join(table.lines))
    print("\nconst struct limits_onnx_op limits_onnx_ops[] = {\n" + "\n".join(line for _, line in lines))
    print(f"}};\nconst size_t limits_onnx_n_ops = {len(lines)};")


class Pieces:
    """Arrays that rows share are written once."""

    def __init__(self, kind, stem):
        self.kind, self.stem, self.known, self.lines = kind, stem, {}, []

    def name(self, items):
        if not items:
            return "NULL"
        key = tuple(items)
        if key not in self.known:
            self.known[key] = f"{self.stem}_{len(self.known)}"
            body = "".join(f"\t{i},\n" for i in items)
            self.lines.append(f"static const {self.kind} {self.known[key]}[] = {{\n{body}}};")
        return self.known[key]


TF_KINDS = ("type", "int", "string", "bool", "float", "func", "shape", "tensor")
TF_ATTR = r"(\w+):(%s)(\[\])?(!)?(?:>=(-?\d+))?(?:\{([^}]+)\})?(?:=(.+))?" % "|".join(TF_KINDS)
TF_WORDS = {"[]": [], "true": [1], "false": [0]}


def tf_attr(text, numbers):
    """(name, kind, whether it is a list, C) of an attribute."""
    match = re.fullmatch(TF_ATTR, text)
    if not match:
        raise Bad(f"no attribute: {text}")
    name, kind, many, required, least, allowed, default = match.groups()
    values = TF_WORDS[default] if default in TF_WORDS else [int(v) for v in default.split(",")] if default else []
    types = sum(1 << int(n) for n in set(allowed.split(","))) if allowed and kind == "type" else 0
    if allowed and kind not in ("type", "string"):
        raise Bad(f"no choice: {text}")
    words = quoted(allowed) if allowed and kind == "string" else "NULL"
    fallback = numbers.name([f"INT64_C({v})" for v in values])
    return name, kind, many, (f"{{ {quoted(name)}, LIMITS_TF_{kind.upper()}, {str(bool(many)).lower()}, {str(bool(required)).lower()}, "
                              f"{str(least is not None).lower()}, {least or 0}, UINT32_C({types:#x}), {words}, {fallback}, {len(values)}, "
                              f"{str(default is not None).lower()} }}")


def tf_args(text, attrs):
    """(name, whether it is several, C) of each argument."""
    for arg in text.split():
        match = re.fullmatch(r"(\w+):(?:(\w+)\*)?(\w+)(\[\])?(&)?", arg)
        if not match:
            raise Bad(f"no argument: {arg}")
        name, number, what, many, reference = match.groups()
        if number and attrs[number][1] != "int" or not what.isdigit() and (attrs[what][1] != "type" or bool(many) != bool(attrs[what][2])):
            raise Bad(f"no type of an argument: {arg}")
        order = list(attrs)
        where = "LIMITS_TF_NONE" if what.isdigit() else order.index(what)
        count = order.index(number) if number else "LIMITS_TF_NONE"
        yield name, bool(number or many), (f"{{ {quoted(name)}, {what if what.isdigit() else 0}, {where}, {count}, "
                                           f"{str(bool(many)).lower()}, {str(bool(reference)).lower()} }}")


def tf(path):
    table, lines = Table(), []
    numbers = Pieces("int64_t", "numbers")
    args, attributes = Pieces("struct limits_tf_arg", "args"), Pieces("struct limits_tf_attr", "attrs")
    for where, columns in rows(path):
        try:
            name, inputs, outputs, attrs, limits = columns
            known = {a[0]: a for a in (tf_attr(a, numbers) for a in attrs.split())}
            takes, gives = list(tf_args(inputs, known)), list(tf_args(outputs, known))

            def resolve(text, takes=takes, known=known):
                for i, (has, *_) in enumerate(takes):
                    if has == text:
                        return f"{i}, 0"
                if text in known:
                    return f"{-1 - list(known).index(text)}, 0"
                raise Bad(f"no argument: {text}")
            rule = table.rule(Terms(resolve).row(limits))
        except (Bad, ValueError, KeyError) as bad:
            sys.exit(f"{where}: {bad}")
        lines.append((name, f"\t{{ {quoted(name)}, {args.name([c for *_, c in takes])}, {args.name([c for *_, c in gives])}, "
                            f"{attributes.name([c for *_, c in known.values()])}, {len(takes)}, {len(gives)}, {len(known)}, {rule} }},"))
    lines.sort()
    print('#include "limits_tf.h"\n')
    for pieces in (numbers, args, attributes, table):
        print("\n".join(pieces.lines))
    print("\nconst struct limits_tf_op limits_tf_ops[] = {\n" + "\n".join(line for _, line in lines))
    print(f"}};\nconst size_t limits_tf_n_ops = {len(lines)};")


FORMATS = {"gguf": gguf, "onnx": onnx, "tflite": tflite, "tf": tf}


def main():
    print(f"/* Made by limits.py from {os.path.basename(sys.argv[2])}. */")
    FORMATS[sys.argv[1]](sys.argv[2])


if __name__ == "__main__":
    main()
