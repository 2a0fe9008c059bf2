#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: models as CTranslate2 writes them that each break one rule of formats/ctranslate2,
and near misses that break none.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".bin", set(), {"ctranslate2-architecture", "weights-nan"})
case = CORPUS.case

F32, I8, I16, I32, F16, BF16 = range(6)
WIDTH = {F32: 4, I8: 1, I16: 2, I32: 4, F16: 2, BF16: 2}


def text(name):
    name = name.encode() if isinstance(name, str) else name
    return struct.pack("<H", len(name) + 1) + name + b"\0"


def variable(name, shape=(), kind=F32, data=None, n=None, type_id=None, rank=None):
    size = WIDTH[kind]
    for dim in shape:
        size *= dim
    data = bytes(size) if data is None else data
    return text(name) + bytes([len(shape) if rank is None else rank]) + struct.pack(f"<{len(shape)}I", *shape) + bytes(
        [kind if type_id is None else type_id]) + struct.pack("<I", len(data) if n is None else n) + data


HEADS = variable("encoder/num_heads", kind=I8, data=b"\x08")
WEIGHT = variable("encoder/layer_0/weight", (2, 3))
SCALE = variable("encoder/layer_0/weight_scale", (2,), F16)


def model(*variables, aliases=(), spec="WhisperSpec", version=6, count=None, n_aliases=None):
    return struct.pack("<I", version) + text(spec) + struct.pack("<II", 3, len(variables) if count is None else count) + b"".join(
        variables) + (struct.pack("<I", len(aliases) if n_aliases is None else n_aliases) + b"".join(
            text(a) + text(b) for a, b in aliases) if version > 2 else b"")


def heads():
    case("head-sound", model(HEADS, WEIGHT, SCALE, aliases=[("decoder/weight", "encoder/layer_0/weight")]), why="three variables, and another name")
    case("head-decoder", model(HEADS, spec="TransformerDecoderSpec"), why="another architecture")
    case("head-unknown", model(HEADS, spec="MadeUpSpec"), "ctranslate2-architecture", "one that nobody has")
    case("head-two", model(variable("a", (2,), I16, n=2), spec="TransformerBase", version=2), why="version 2: sizes of elements, no other names")
    case("head-nothing", model(), why="no variable")


def variables():
    case("variable-types", model(*(variable(f"v{kind}", (3,), kind) for kind in WIDTH)), why="every type")
    case("variable-nan", model(variable("weight", (2,), data=struct.pack("<2f", 1, float("nan")))), "weights-nan", "a weight that is none",
         nonfinite={"weight": counts(nan=1)})
    case("variable-type-six", model(variable("v", (3,), type_id=6)), "ctranslate2-variable", "a type beyond the last")
    case("variable-bytes", model(variable("v", (2,), data=bytes(7))), "ctranslate2-variable", "a byte less than the shape has")
    case("variable-huge", model(variable("v", (0xffffffff,) * 3, data=b"")), "ctranslate2-variable", "a shape that no number holds")
    case("variable-rank-eight", model(variable("v", (1,) * 8)), why="eight dimensions")
    case("variable-rank-nine", model(variable("v", (1,) * 9)), "ctranslate2-variable", "nine dimensions")
    case("variable-no-heads", model(variable("encoder/num_heads", kind=I8, data=b"\0")), "ctranslate2-variable", "division by zero")
    case("variable-negative-heads", model(variable("encoder/num_heads_kv", kind=I32, data=b"\xff" * 4)), "ctranslate2-variable", "minus one head")
    case("variable-no-tails", model(variable("encoder/num_tails", kind=I8, data=b"\0")), why="nobody divides by these")
    case("variable-missing", model(HEADS, count=2), "ctranslate2-name", "more variables announced than there are: the number of other names is a name of no length")
    case("variable-cut", model(HEADS, WEIGHT)[:-9], "ctranslate2-truncated", "cut inside the last")


def names():
    case("name-twice", model(WEIGHT, WEIGHT), "ctranslate2-name", "the first wins")
    case("name-nul", model(variable("a\0b")), "ctranslate2-name", "a name that ends twice")
    case("name-bytes", model(variable(b"\xff")), "ctranslate2-name", "no UTF-8")
    case("name-long", model(variable("a" * 255)), why="255 bytes")
    case("name-longer", model(variable("a" * 256)), "ctranslate2-name", "256 bytes")
    case("name-alias-nowhere", model(WEIGHT, aliases=[("a", "b")]), "ctranslate2-name", "another name for nothing")
    case("name-alias-known", model(WEIGHT, SCALE, aliases=[("encoder/layer_0/weight", "encoder/layer_0/weight_scale")]), "ctranslate2-name",
         "a variable's name for another")
    case("name-trailing", model(WEIGHT) + b"\0", "ctranslate2-trailing", "one byte more")
    case("name-aliases-missing", model(WEIGHT, n_aliases=1), "ctranslate2-truncated", "a name announced that is not there")


CORPUS.make(heads, variables, names)
