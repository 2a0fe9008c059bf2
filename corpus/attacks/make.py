#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: for each row of attacks.tsv a file of the form that the advisory is about,
and cases.jsonl with what is expected of it.  Always the same bytes; payloads are names of functions and numbers, nothing here is
loaded.  docs/attacks.md is made of it (tests/corpus/test_attacks.py).

A case has the members of corpus/findings, and `id`, `product`, `fixed`, `class`; one that is accepted has a `reason`."""
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(ROOT, "tests", "support"), os.path.join(ROOT, "lib", "judges", "limits")]
# pylint: disable=wrong-import-position
import limits  # noqa: E402
import limits_gguf  # noqa: E402
import limits_onnx  # noqa: E402
import limits_tf  # noqa: E402
import limits_tflite  # noqa: E402
import protobuf_writer as pb  # noqa: E402
import tf_nodes  # noqa: E402
import torch_writer as torch  # noqa: E402
import zip_writer  # noqa: E402
from corpus_cases import Cases  # noqa: E402
from limits_sides import Operand  # noqa: E402

TABLES = os.path.join(ROOT, "lib", "judges", "limits")
TFLITE = {name: (code, table, {k: -1 - v[0] for k, v in fields.items()}, terms)
          for _, code, name, table, fields, _, _, terms in limits.tflite_read(os.path.join(TABLES, "tflite.tsv"))}


def operands(words):
    """NAME=1,2 NAME="text NAME:2x0, and NAME: of a single one"""
    found = {}
    for word in words:
        name, sign, rest = re.fullmatch(r"(\w+)([=:])(.*)", word).groups()
        if sign == ":":
            found[name] = Operand(dims=tuple(int(d) for d in rest.split("x") if d))
        elif rest.startswith('"'):
            found[name] = Operand(rest[1:])
        else:
            values = [float(v) if "." in v or v == "nan" else int(v) for v in rest.split(",")]
            found[name] = Operand(values)
    return found


# -- TensorFlow

TERMS = {name: terms for _, (name, *_, terms) in limits.rows(os.path.join(TABLES, "tf.tsv"))}


def tf(op, *words):
    """Lists that the operator wants so many numbers of are of ones, where nothing else is said."""
    given = operands(words)
    for name, n in re.findall(r"#(\w+)=(\d)", TERMS[op]):
        if name in limits_tf.OPS[op][2] and limits_tf.OPS[op][2][name][4]:
            given.setdefault(name, Operand([1] * int(n)))
    return "pb", limits_tf.of_operands(op, given)


def tf_graph(name):
    """One of the pairs that are about every operator (tests/support/limits_tf.py)."""
    return "pb", next(bad for n, bad, _ in limits_tf.graph_pairs() if n == name)


def tf_handle():
    handle = pb.blob(14, pb.blob(1, "/cpu:0") + pb.blob(2, "x"))
    const = tf_nodes.node("c", "Const", (), tf_nodes.attr("dtype", pb.num(6, 20)) + tf_nodes.attr("value", pb.blob(
        8, pb.num(1, 20) + pb.blob(2, b"") + handle)))
    return "pb", limits_tf.model(const)


def tf_recursive(by="f"):
    """A function that calls itself, or another that calls it."""
    def calling(name, callee):
        types = b"".join(tf_nodes.attr(t, pb.blob(1, pb.num(6, limits_tf.FLOAT))) for t in ("Tin", "Tout"))
        call = tf_nodes.node("c", "PartitionedCall", ("a",), types + tf_nodes.attr("f", pb.blob(10, pb.blob(1, callee))))
        return limits_tf.function(name, (call,), (), (), ("a",))
    functions = [calling("f", by)] + ([calling(by, "f")] if by != "f" else [])
    return "pb", limits_tf.model(limits_tf.X, more=pb.blob(2, b"".join(v for f in functions for _, v in tf_nodes.fields(f))))


def tf_nameless(what):
    """What whoever makes an intermediate representation of a graph takes for granted."""
    node = {"operator": pb.blob(1, pb.blob(1, "y")),
            "list": limits_tf.raw("y", "IdentityN", ("x",)),
            "type": limits_tf.raw("y", "Neg", ("x",), limits_tf.T1 + pb.blob(7, pb.num(1, 20) + pb.blob(2, pb.num(1, 3))))}
    body = {"attribute": pb.blob(5, pb.blob(1, "") + pb.blob(2, pb.num(3, 1))),
            "edge": b"\x1a" + limits_tf.raw("n", "Neg", ("",), limits_tf.T1)[1:]}
    if what in node:
        return "pb", limits_tf.model(limits_tf.X, node[what])
    signature = pb.blob(1, pb.blob(1, "f"))
    return "pb", limits_tf.model(limits_tf.X, more=pb.blob(2, pb.blob(1, signature + body[what])))


def tf_deep():
    value = pb.num(6, 1)
    for _ in range(40):
        value = pb.blob(10, pb.blob(1, "f") + pb.blob(2, pb.blob(1, "k") + pb.blob(2, value)))
    return "pb", limits_tf.model(tf_nodes.node("x", "NoOp", (), tf_nodes.attr("f", value)))


# -- TensorFlow Lite

def tflite(name, *words):
    code, table, fields, terms = TFLITE[name]
    least = [int(m[1]) if m else 1 for m in (re.search(rf"\b{w}>?=(\d+)", terms) for w in ("in", "out"))]
    given = operands(words)
    for name in re.findall(r"(\w+)>0", terms):
        if name in fields:
            given.setdefault(name, Operand([1]))
    return "tflite", limits_tflite.of_operands(code, table, fields, least, given)


def tflite_pair(name):
    return "tflite", next(bad for n, bad, _ in limits_tflite.pairs() if n == name)


def tflite_source():
    """RESHAPE by a shape that nobody gives."""
    t = limits_tflite.T
    return "tflite", limits_tflite.model(22, [t(4), t(2, kind=limits_tflite.INT)], [t(4)], fed=[0])


def tflite_dimensions():
    sound = struct.pack("<IIIII", 4, 2, 3, 5, 7)
    data = limits_tflite.model(0, [limits_tflite.T(2, 3, 5, 7), limits_tflite.T(1)], [limits_tflite.T(1)])
    assert data.count(sound) == 1
    return "tflite", data.replace(sound, struct.pack("<IIIII", 1 << 30, 2, 3, 5, 7))


# -- ONNX

def onnx_pair(name):
    return "onnx", next(bad for n, bad, _ in limits_onnx.pairs() if n == name)


def onnx_external(key, value):
    entries = pb.many(13, [pb.blob(1, "location") + pb.blob(2, "w.bin" if key != "location" else value)] + (
        [pb.blob(1, key) + pb.blob(2, value)] if key != "location" else []))
    weight = pb.num(1, 4) + pb.num(2, 1) + pb.blob(8, "w") + entries + pb.num(14, 1)
    return "onnx", limits_onnx.model([limits_onnx.node("Add", ["x", "w"])], [weight])


# -- GGUF

def gguf_template(text):
    return "gguf", limits_gguf.gguf({"tokenizer.chat_template": text.replace("~", " ")})


def gguf_key(key, value, architecture="llama"):
    return "gguf", limits_gguf.gguf({"*.block_count": 2, key: [int(v) for v in value.split(",")] if "," in value else int(value)}, architecture)


def gguf_header(kind):
    """A count, length or type that no file holds."""
    head = b"GGUF" + struct.pack("<I", 3)
    string = limits_gguf.string
    one = head + struct.pack("<QQ", 0, 1)
    tensor = head + struct.pack("<QQ", 1, 0) + string("w")
    huge = struct.pack("<IQ", 1, 1 << 62) + struct.pack("<IQ", 0, 0)
    return "gguf", {
        "pairs": head + struct.pack("<QQ", 0, 1 << 62),
        "pairs-wrap": head + struct.pack("<QQ", 0, (1 << 64) // 48 + 1),
        "key": one + struct.pack("<Q", (1 << 64) - 1),
        "array-type": one + string("k") + struct.pack("<IIQ", 9, 255, 1),
        "array": one + string("k") + struct.pack("<IIQ", 9, 4, (1 << 62) + 1),
        "array-text": one + string("k") + struct.pack("<IIQ", 9, 8, 1 << 60),
        "text": one + string("tokenizer.ggml.tokens") + struct.pack("<IIQQ", 9, 8, 1, 1 << 31),
        "shape": tensor + struct.pack("<I4QIQ", 4, *[1 << 32] * 4, 0, 0) + bytes(64),
        "type": tensor + struct.pack("<IQIQ", 1, 32, 0x7FFFFFFF, 0) + bytes(64),
        "type-removed": tensor + struct.pack("<IQIQ", 1, 32, 4, 0) + bytes(64),
        "type-above": tensor + struct.pack("<IQIQ", 1, 32, 1 << 16, 0) + bytes(64),
        "sum": head + struct.pack("<QQ", 2, 0) + string("a") + huge + string("b") + huge + bytes(64),
    }[kind]


# -- pickles

def called(module, name):
    """module.name("x"), and what it gives."""
    def short(text):
        return b"\x8c" + bytes([len(text)]) + text.encode()
    return b"\x80\x04" + short(module) + short(name) + b"\x93" + short("x") + b"\x85R."


def pickle(module, name, ending="pkl"):
    return ending, called(module, name)


def pickle_text(module, name, ending="bin"):
    """Protocol 0."""
    return ending, f"c{module}\n{name}\n(S'x'\ntR.".encode()


def pickle_first():
    """The names are the first opcodes of the file."""
    return "pkl", called("posix", "system")[2:]


def pickle_broken():
    return "pkl", called("posix", "system")[:-1] + b"\xff"


def pickle_memo():
    return "pkl", called("posix", "system")[:-1] + b"h\x63."


def torch_archive(module, name, extra=None):
    harmless = torch.state(w=torch.tensor())
    if extra:
        return "pt", torch.checkpoint(harmless, {"0": bytes(16)}, extra=[(extra, called(module, name))])
    return "pt", torch.checkpoint(torch.Call(torch.G(module, name), "x"), {})


def npy_object(module, name):
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return "npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + called(module, name)


def npy_rank(rank):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"1, " * int(rank) + b"), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return "npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4)


# -- texts, and archives of them

def config(text, name="config.json"):
    return name, text.replace("~", " ").replace("|", "\n").encode()


def keras(text):
    config_ = text.replace("~", " ").encode()
    return "keras", zip_writer.archive(("metadata.json", b'{"keras_version": "3.0.0", "date_saved": "2026-01-01@00:00:00"}'),
                                       ("config.json", config_), ("model.weights.h5", b""))


def archive(name, ending="zip"):
    return ending, zip_writer.archive((name, b"x"))


BUILDERS = {f.__name__.replace("_", "-"): f for f in (
    tf, tf_graph, tf_handle, tf_recursive, tf_nameless, tf_deep, tflite, tflite_pair, tflite_source,
    tflite_dimensions, onnx_pair, onnx_external, gguf_template, gguf_key, gguf_header,
    pickle, pickle_text, pickle_first, pickle_broken, pickle_memo, torch_archive, npy_object, npy_rank, config, keras, archive)}


def rows():
    with open(os.path.join(HERE, "attacks.tsv"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


# What does not hold a file up, and what a person has to look at; all others reject.
ACCEPTED = {"format-side-file", "pickle-global-allowed", "torch-opcode-outside-weights-only", "pickle-opcode-protocol", "tf-op-print"}
REVIEWED = {"config-remote-code-gated", "config-trust-flag", "format-identified-only", "format-unknown", "gguf-hparam-zero", "gguf-required-key",
            "gguf-template-unprovable", "keras-member-unexpected", "npy-ndim", "npy-object-pickle", "onnx-external-unchecked",
            "pickle-global-unknown", "tf-function-cycle", "tf-op-abort", "tf-runtime-range", "tflite-runtime-range",
            "weights-nan"}


def main():
    corpus = Cases(accepted=ACCEPTED, reviewed=REVIEWED)
    for id_, product, fixed, class_, builder, words, what, codes, *reason in rows(): # pylint: disable=too-many-locals
        ending, data = BUILDERS[builder](*words.split())
        name = re.sub(r"[^\w.-]", "_", id_) + ("/" + ending if "." in ending else "." + ending)
        more = {"nonfinite": {"values": {"nan": 1}}} if "weights-nan" in codes.split() else {}
        corpus.case(name, data, codes, what, id=id_, product=product, fixed=fixed, **{"class": class_},
                    **({"reason": reason[0]} if reason else {}), **more)
    corpus.write(ensure_ascii=False)


if __name__ == "__main__":
    main()
