#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small files of MXNet's parameters, and symbols, that each break one
rule, and near misses that break none.  Always the same bytes, made without MXNet.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-inf-mask", "format-side-file"}
REVIEWED = {"mxnet-custom-op", "weights-nan", "weights-inf", "weights-bool-invalid", "format-identified-only", "format-partly-checked"}
CORPUS = Cases(".params", ACCEPTED, REVIEWED)
case = CORPUS.case


V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
TYPES = {"f4": 0, "f8": 1, "f2": 2, "u1": 3, "i4": 4, "i1": 5, "i8": 6, "bool": 7, "i2": 8, "bf": 12}
BYTES = {"f4": 4, "f8": 8, "f2": 2, "u1": 1, "i4": 4, "i1": 1, "i8": 8, "bool": 1, "i2": 2, "bf": 2}


def array(shape=(2, 3), kind="f4", data=None, magic=V2, storage=0, device=(1, 0), flag=None, rank=None):
    n = 1
    for d in shape:
        n *= d
    out = struct.pack("<I", magic) if magic else b""
    out += struct.pack("<I", storage) if magic in (V2, V3) else b""
    out += struct.pack("<I", len(shape) if rank is None else rank)
    out += b"".join(struct.pack("<Q" if magic else "<I", d & (2 ** 64 - 1)) for d in shape)
    out += struct.pack("<II", *device) + struct.pack("<I", TYPES[kind] if flag is None else flag)
    return out + (bytes(n * BYTES[kind]) if data is None else data)


def names(*texts):
    raw = [t.encode() if isinstance(t, str) else t for t in texts]
    return struct.pack("<Q", len(raw)) + b"".join(struct.pack("<Q", len(t)) + t for t in raw)


def params(*arrays, labels=None, count=None, magic=0x112, reserved=0):
    labels = names(*(f"arg:w{i}" for i in range(len(arrays)))) if labels is None else labels
    return struct.pack("<QQQ", magic, reserved, len(arrays) if count is None else count) + b"".join(arrays) + labels


def one(**how):
    return params(array(**how))


def wholes():
    plain = params(array(), array((4,), "f2"), array((1, 1, 2), "i8"))
    case("whole-plain", plain, why="what save_parameters() writes")
    case("whole-without-name.bin", plain, why="known by its content")
    case("whole-version-1", one(magic=V1), why="MXNet 0.11")
    case("whole-version-0", one(magic=0), why="before that")
    case("whole-version-3", params(array(magic=V3), array((), magic=V3)), why="NumPy's shapes, a scalar among them")
    case("whole-no-names", params(array(), labels=names()), why="a list without names")
    case("whole-nothing", params(), why="no parameters")
    case("whole-none", params(struct.pack("<III", V2, 0, 0)), why="an array that is none")
    case("whole-empty", one(shape=(0, 5)), why="an array of no elements")
    case("whole-gpu", one(device=(2, 3)), why="written on a graphics card")
    case("trailing-byte", plain + b"\0", "mxnet-trailing-bytes", "a byte behind the names")
    case("trailing-second", plain + plain, "mxnet-trailing-bytes", "a second list")
    case("trailing-not", plain, why="none")
    for cut in (20, 24, 30, 60, len(plain) - 1):
        case(f"size-cut-at-{cut}", plain[:cut], "mxnet-size", "the beginning")
    case("size-count", params(array(), count=1 << 60), "mxnet-size", "more arrays than bytes")
    case("size-shape", one(shape=(1 << 40,), data=b""), "mxnet-size", "four terabytes in no bytes")
    case("size-wraps", one(shape=(1 << 32, 1 << 32), data=b""), "mxnet-size", "2^64 elements, which is 0")
    case("size-wraps-empty", one(shape=(0, 1 << 62, 1 << 62), data=b""), "mxnet-size", "a product that overflows, times 0")
    case("size-negative", one(shape=(-1,), data=b""), "mxnet-size", "less than nothing")
    case("size-name", params(array(), labels=struct.pack("<QQ", 1, 1 << 40) + b"w"), "mxnet-size", "a name of a terabyte")
    case("size-ok", one(shape=(7,)), why="all there is")
    case("structure-rank", one(rank=33, shape=()), "mxnet-structure", "more dimensions than anybody has")
    case("structure-rank-unknown", one(magic=V3, shape=(), rank=0xffffffff), "mxnet-structure", "a shape nobody knows")
    case("structure-type", one(flag=13), "mxnet-structure", "a type of no number")
    case("structure-device", one(device=(9, 0)), "mxnet-structure", "a device that there is not")
    case("structure-storage", one(storage=7), "mxnet-structure", "a storage that there is not")
    case("structure-sparse", one(storage=1), "format-partly-checked", "rows of an array: not read")
    case("structure-names", params(array(), array(), labels=names("a")), "mxnet-structure", "one name for two arrays")
    case("structure-ok", params(array(), array(), labels=names("a", "b")), why="a name each")


def labels():
    def of(name, *texts, codes="mxnet-name", why=""):
        case("name-" + name, params(*(array() for _ in texts), labels=names(*texts)), codes, why)
    of("plain", "arg:conv0_weight", "aux:bn_moving_mean", codes="", why="what MXNet writes")
    of("empty", "", why="no name")
    of("twice", "w", "w", why="one of them is lost")
    of("long", "w" * 1025, why="a kilobyte and one")
    of("as-long-as-may-be", "w" * 1024, codes="", why="a kilobyte")
    of("utf8", b"w\xff", why="no UTF-8")
    of("escape", "w\x1b[31m", why="a terminal's escape")
    of("backwards", "w\u202eb", why="runs backwards")
    of("umlaut", "gr\u00f6\u00dfe", codes="", why="beyond ASCII")


def weights():
    nan, inf = float("nan"), float("inf")
    for kind, data, found in (("f4", struct.pack("<3f", 1, nan, inf), {"nan": 1, "pos_inf": 1}),
                              ("f8", struct.pack("<3d", 1, nan, -inf), {"nan": 1, "neg_inf": 1}),
                              ("f2", struct.pack("<3e", 1, nan, inf), {"nan": 1, "pos_inf": 1}),
                              ("bf", b"\x80\x3f\xc0\x7f\x80\xff", {"nan": 1, "neg_inf": 1})):
        case("weights-" + kind, one(shape=(3,), kind=kind, data=data), "weights-nan weights-inf", "not finite", nonfinite={"arg:w0": found})
    case("weights-mask", one(shape=(3,), data=struct.pack("<3f", 0, -inf, 0)), "weights-inf-mask", "a mask", nonfinite={"arg:w0": {"neg_inf": 1}})
    case("weights-bool", one(shape=(3,), kind="bool", data=b"\0\1\2"), "weights-bool-invalid", "neither true nor false", bool_invalid={"arg:w0": 1})
    case("weights-integers", one(shape=(3,), kind="i2", data=b"\xff" * 6), why="any bits are a number")


def symbols():
    def symbol(*nodes, **more):
        return json.dumps({"nodes": [{"op": "null", "name": "data", "inputs": []}, *nodes], "arg_nodes": [0], "heads": [[len(nodes), 0, 0]], **more})
    relu = {"op": "Activation", "name": "relu0", "attrs": {"act_type": "relu"}, "inputs": [[0, 0, 0]]}
    case("symbol-plain-symbol.json", symbol(relu), "format-identified-only", "what Symbol.save() writes: named")
    for key in ("library", "lib_path", "dll"):
        case(f"symbol-{key}.json", symbol(dict(relu, attrs={key: "evil.so"})), "mxnet-library format-identified-only", "a library")
    case("symbol-library-escaped.json", symbol(dict(relu, attrs={"dll": "evil.so"})).replace('"dll"', '"d\\u006cl"'), "mxnet-library format-identified-only", "spelled differently")
    case("symbol-library-outside.json", symbol(relu, library="evil.so"), "mxnet-library format-identified-only", "wherever it stands")
    case("symbol-custom.json", symbol({"op": "Custom", "name": "c", "attrs": {"op_type": "mine"}, "inputs": [[0, 0, 0]]}),
         "mxnet-custom-op format-identified-only", "an operator of the loading program")
    case("symbol-none.json", '{"library": "numpy", "op": "Custom"}', "format-side-file", "no symbol")


CORPUS.make(wholes, labels, weights, symbols)
