#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small Flax checkpoints that each break one rule of
formats/flax-msgpack, and near misses that break none.  Always the same bytes, made without msgpack, NumPy or Flax.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import base64
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-inf-mask", "markup-in-metadata"}
REVIEWED = {"flax-noncanonical", "flax-dtype", "flax-legacy-str", "flax-blob", "flax-embedded-pickle", "format-script", "weights-nan",
            "weights-inf", "weights-bool-invalid", "format-unknown"}
CORPUS = Cases(".msgpack", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- MessagePack

def sized(n, short, *forms):
    """The first byte and the length: the short form (first byte, most), else the least of (first byte, format)."""
    if short and n <= short[1]:
        return bytes([short[0] + n])
    for first, form in forms:
        if n < 1 << 8 * struct.calcsize(form):
            return bytes([first]) + struct.pack(form, n)
    raise ValueError(n)


def text(s):
    s = s.encode() if isinstance(s, str) else s
    return sized(len(s), (0xa0, 31), (0xd9, ">B"), (0xda, ">H"), (0xdb, ">I")) + s


def blob(b):
    return sized(len(b), None, (0xc4, ">B"), (0xc5, ">H"), (0xc6, ">I")) + b


def integer(n):
    if -32 <= n < 128:
        return struct.pack("b", n)
    for first, form in ((0xcc, ">B"), (0xcd, ">H"), (0xce, ">I"), (0xcf, ">Q"), (0xd0, ">b"), (0xd1, ">h"),
                        (0xd2, ">i"), (0xd3, ">q")):
        try:
            return bytes([first]) + struct.pack(form, n)
        except struct.error:
            pass
    raise ValueError(n)


def items(*objects):
    return sized(len(objects), (0x90, 15), (0xdc, ">H"), (0xdd, ">I")) + b"".join(objects)


def pairs(*objects):
    """Keys and values in turn."""
    return sized(len(objects) // 2, (0x80, 15), (0xde, ">H"), (0xdf, ">I")) + b"".join(objects)


def dictionary(entries):
    return pairs(*(x for k, v in entries.items() for x in (text(k), v)))


def ext(kind, payload):
    fix = {1: 0xd4, 2: 0xd5, 4: 0xd6, 8: 0xd7, 16: 0xd8}
    head = bytes([fix[len(payload)]]) if len(payload) in fix else sized(len(payload), None, (0xc7, ">B"), (0xc8, ">H"),
                                                                        (0xc9, ">I"))
    return head + struct.pack("b", kind) + payload


TRUE, FALSE, NIL = b"\xc3", b"\xc2", b"\xc0"


def double(x):
    return b"\xcb" + struct.pack(">d", x)


# -- Flax

def payload(shape=(2,), dtype="float32", data=bytes(8)):
    return items(items(*map(integer, shape)), text(dtype), blob(data))


def array(shape=(2,), dtype="float32", data=bytes(8), kind=1):
    return ext(kind, payload(shape, dtype, data))


def state(**entries):
    return dictionary({"params": dictionary(entries)})


def model(w):
    return state(w=w)


def chunked(marker=TRUE, shape=None, chunks=None, **more):
    part = array((3,), "float32", bytes(12))
    return dictionary({"__msgpack_chunked_array__": marker,
                       "shape": dictionary({"0": integer(2), "1": integer(3)}) if shape is None else shape,
                       "chunks": dictionary({"0": part, "1": part}) if chunks is None else chunks, **more})


PICKLE = b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R."


# -- sections

def wholes():
    plain = dictionary({"params": dictionary({"Dense_0": dictionary({"kernel": array((2, 3), data=bytes(24)),
                                                                     "bias": array((3,), data=bytes(12))})}),
                        "step": array((), "int32", b"\7\0\0\0", 3), "name": text("m\u00fcller"), "rate": double(0.5),
                        "nothing": NIL, "flags": items(TRUE, FALSE, integer(-40000)), "raw": blob(b"abc")})
    case("whole-plain", plain, why="what Flax writes")
    case("whole-plain-without-name.bin", plain, why="known by its content, whatever its name")
    case("whole-empty-map", b"\x80", why="a state without anything")
    case("whole-trailing-byte", plain + b"\0", "flax-trailing-bytes", "a byte behind the map")
    case("whole-second-map", plain + plain, "flax-trailing-bytes", "a second checkpoint behind the first")
    case("whole-empty", b"", "flax-truncated", "no byte at all")
    for cut in (1, 12, len(plain) // 2, len(plain) - 1):  # the first two: fewer bytes than maps have entries
        case(f"whole-cut-at-{cut}", plain[:cut], "flax-count" if cut < 13 else "flax-truncated", "the beginning")
    case("whole-array", items(plain), "flax-toplevel", "a list of states")
    case("whole-number", b"\7", "flax-toplevel", "a number")
    case("whole-ndarray", array(), "flax-toplevel", "an array without a name")
    case("whole-number-without-name.bin", b"\7", "format-unknown", "not this format, then")


def wires():
    case("wire-c1", model(b"\xc1"), "flax-bad-byte", "the byte that is never used")
    case("wire-c0", model(b"\xc0"), why="nil")
    case("wire-count", model(b"\xdd\xff\xff\xff\xff" + bytes(10)), "flax-count", "four billion items in ten bytes")
    case("wire-count-map", model(b"\xdf\xff\xff\xff\xff" + bytes(10)), "flax-count", "twice as many")
    case("wire-length", model(b"\xc6\xff\xff\xff\xff" + bytes(10)), "flax-truncated", "four gigabytes in ten bytes")
    case("wire-length-ext", model(b"\xc9\xff\xff\xff\xff\1" + bytes(10)), "flax-truncated", "the same of an array")

    def deep(n, leaf=NIL):
        for _ in range(n):
            leaf = dictionary({"a": leaf})
        return leaf
    case("wire-depth-64", deep(64), why="the deepest")
    case("wire-depth-65", deep(65), "flax-depth", "one deeper")
    case("wire-depth-100000", deep(65).replace(NIL, b"\x91" * 100000 + NIL), "flax-depth", "far deeper")
    case("wire-depth-array", deep(61, array()), why="an array: its extension, the list in it, and the shape")
    case("wire-depth-array-deeper", deep(62, array()), "flax-depth", "one deeper")
    longer = {"str8": b"\xd9\3abc", "str16": b"\xda\0\x20" + b"a" * 32, "str32": b"\xdb\0\0\0\x20" + b"a" * 32,
              "bin16": b"\xc5\0\3abc", "bin32": b"\xc6\0\0\1\0" + bytes(256), "array16": b"\xdc\0\1\xc0",
              "map16": b"\xde\0\1\xa1a\xc0", "uint8": b"\xcc\x7f", "uint16": b"\xcd\0\xff", "uint32": b"\xce\0\0\xff\xff",
              "uint64": b"\xcf\0\0\0\0\xff\xff\xff\xff", "int8": b"\xd0\xe0", "int8-positive": b"\xd0\1",
              "int16": b"\xd1\xff\x80", "int32": b"\xd2\xff\xff\x80\0", "int64": b"\xd3\xff\xff\xff\xff\x80\0\0\0",
              "ext8": b"\xc7\x10\1" + payload((), "float32", bytes(4)), "ext16": b"\xc8\0" + array()[1:2] + b"\1" + payload()}
    for name, data in longer.items():
        case("wire-longer-" + name, model(data), "flax-noncanonical", "a shorter form would do")
    shortest = [b"\xd9\x20" + b"a" * 32, b"\xda\1\0" + b"a" * 256, b"\xc4\3abc", b"\xc5\1\0" + bytes(256),
                b"\xdc\0\x10" + NIL * 16, b"\xcc\x80", b"\xcd\1\0", b"\xce\0\1\0\0", b"\xcf\0\0\0\1\0\0\0\0",
                b"\xd0\xdf", b"\xd1\xff\x7f", b"\xd2\xff\xff\x7f\xff", b"\xd3\xff\xff\xff\xff\x7f\xff\xff\xff",
                b"\xd1\1\0", array((), "float32", bytes(4), 3)]
    case("wire-shortest", model(items(*shortest)), why="the least of each form")
    case("wire-limit-entries", dictionary({"a": b"\xdd\0\4\0\1" + NIL * 0x40001}), "flax-limit", "2^18 and one more")
    case("wire-limit-entries-not", dictionary({"a": b"\xdd\0\4\0\0" + NIL * 0x40000}), why="2^18")


def keys():
    case("key-text", pairs(text("a"), NIL), why="as it is")
    case("key-integer", pairs(integer(1), NIL), "flax-key-type", "a number")
    case("key-bytes", pairs(blob(b"a"), NIL), "flax-key-type", "bytes")
    case("key-nil", pairs(NIL, NIL), "flax-key-type", "nothing")
    case("key-map", pairs(pairs(), NIL), "flax-key-type", "a map")
    case("key-ext", pairs(array(), NIL), "flax-key-type", "an array")
    case("key-float", pairs(double(float("nan")), NIL), "flax-key-type", "not a number")
    case("key-latin-1", pairs(text(b"m\xfcller"), NIL), "flax-key-utf8", "another coding")
    case("key-cut-character", pairs(text(b"m\xc3"), NIL), "flax-key-utf8", "half a character")
    case("key-utf-8", pairs(text("m\u00fcller\u0416\u4e2d\U0001f600"), NIL), why="letters of any script")
    case("key-control", pairs(text("a\x1b[2J"), NIL), "flax-key-control", "clears a terminal")
    case("key-control-c1", pairs(text("a\x9b2J"), NIL), "flax-key-control", "the same in one character")
    case("key-empty", pairs(text(""), NIL), "flax-key-length", "no name at all")
    case("key-1024", pairs(text("a" * 1024), NIL), why="the longest")
    case("key-1025", pairs(text("a" * 1025), NIL), "flax-key-length", "one more")
    case("key-70000", pairs(text("a" * 70000), NIL), "flax-key-length", "far more")
    double_key = pairs(text("a"), integer(1), text("b"), NIL, text("a"), integer(2))
    case("key-duplicate", double_key, "flax-key-duplicate", "two values for one name")
    case("key-duplicate-deep", dictionary({"x": dictionary({"y": double_key})}), "flax-key-duplicate", "three maps down")
    case("key-duplicate-spelled-twice", pairs(text("a"), NIL, b"\xd9\1a", NIL), "flax-key-duplicate flax-noncanonical",
         "two spellings of one name")
    case("key-in-two-maps", dictionary({"a": dictionary({"a": NIL, "b": NIL}), "b": dictionary({"a": NIL, "b": NIL})}),
         why="one name in several maps")


def extensions():
    for kind in (0, 4, -1, 127, -128):
        case(f"ext-type-{kind}", model(ext(kind, bytes(4))), "flax-ext-type", "nothing Flax writes")
    case("ext-types", model(items(array(), ext(2, items(double(1), double(2))), array((), kind=3, data=bytes(4)))),
         why="those that Flax has")
    layout = "flax-ndarray-layout"
    part = [items(integer(2)), text("float32"), blob(bytes(8))]
    case("ext-array-sound", model(ext(1, items(*part))), why="shape, type, data")
    case("ext-array-type-as-bytes", model(ext(1, items(part[0], blob(b"float32"), part[2]))), why="old files have it so")
    for name, data in (
            ("two-parts", items(*part[:2])), ("four-parts", items(*part, NIL)), ("empty", b""), ("nil", NIL),
            ("map", dictionary({"a": NIL})), ("order", items(part[1], part[0], part[2])), ("number", integer(3)),
            ("trailing", items(*part) + b"\0"), ("cut", items(*part)[:-1]), ("bad-byte", items(part[0], part[1], b"\xc1")),
            ("shape-of-text", items(items(text("2")), part[1], part[2])), ("shape-number", items(integer(2), *part[1:])),
            ("shape-nested", items(items(items(integer(2))), *part[1:])), ("data-list", items(part[0], part[1], items())),
            ("type-nil", items(part[0], NIL, part[2])), ("array-in-it", items(part[0], part[1], array()))):
        case("ext-array-" + name, model(ext(1, data)), layout, "not shape, type and data")
    case("ext-array-twice-broken", model(items(ext(1, b"\xc1"), ext(1, b""))), layout, "the second is looked at, too")
    case("ext-legacy-data", model(ext(1, items(part[0], part[1], text(bytes(8))))), "flax-legacy-str", "data as text")
    huge = 1 << 40
    for name, shape, codes in (
            ("negative", (-1,), "flax-shape"), ("2-48", (1 << 48, 0), ""), ("2-48-and-one", ((1 << 48) + 1, 0), "flax-shape"),
            ("rank-32", (1,) * 31 + (0,), ""), ("rank-33", (1,) * 32 + (0,), "flax-shape"),
            ("overflow", (huge, huge), "flax-size-overflow"), ("overflow-and-zero", (huge, huge, 0), "flax-size-overflow"),
            ("overflow-behind-zero", (0, huge, huge), "flax-size-overflow"), ("large-and-zero", (huge, 0), "")):
        case("ext-shape-" + name, model(array(shape, data=b"")), codes, "a shape alone, without data")
    for n in (7, 9, 0, 12):
        case(f"ext-size-{n}", model(array(data=bytes(n))), "flax-size-mismatch", "eight bytes would be two floats")
    case("ext-size-8", model(array(data=bytes(8))), why="two floats")
    case("ext-scalar", model(array((), data=bytes(4), kind=3)), why="one number")
    case("ext-scalar-shape", model(array((2,), kind=3)), "flax-scalar-shape", "two numbers")
    case("ext-complex", model(ext(2, items(double(1), integer(2)))), why="two numbers")
    for name, data in (("three", items(*[double(1)] * 3)), ("one", items(double(1))), ("text", items(double(1), text("2"))),
                       ("nil", NIL), ("nested", items(items(double(1)), double(1)))):
        case("ext-complex-" + name, model(ext(2, data)), "flax-complex", "not two numbers")


SIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "float8_e4m3fn": 1, "float8_e5m2": 1,
         "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1, "complex64": 8, "complex128": 16, "bool": 1,
         "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "int4": 1,
         "uint4": 1, "int2": 1, "uint2": 1, "float4_e2m1fn": 1}


def dtypes():
    case("dtype-all", state(**{n: array((3,), n, bytes(3 * b)) for n, b in SIZES.items()}), why="each that Flax writes")
    for name, size in (("<f4", 4), (">f4", 4), ("|b1", 1), ("f8", 8), ("=i2", 2), ("float8_e3m4", 1), ("float8_e4m3", 1),
                       ("float8_e4m3b11fnuz", 1)):
        case(f"dtype-odd-{name.translate(str.maketrans('<>|=', 'lgbn'))}", model(array((2,), name, bytes(2 * size))),
             "flax-dtype", "known, and not written so")
    for name in ("O", "object", "V8", "float32\0", "datetime64[ns]", "<M8[ns]", "<U4", "S4", "str", "void", "float128",
                 "<f16", "FLOAT32", "float32,int8", "", "x" * 40):
        case(f"dtype-unknown-{len(CORPUS.rows)}", model(array((2,), name, bytes(8))), "flax-dtype flax-dtype-unknown",
             f"{name[:20]!r} is no type of numbers")
    case("dtype-big-endian-nan", model(array((2,), ">f4", struct.pack(">2f", 1, float("nan")))), "flax-dtype weights-nan",
         "examined in the order it says", nonfinite={"params/w": counts(nan=1)})


def chunks():
    size, bad = "flax-chunked-size", "flax-chunked"
    one = array((3,), data=bytes(12))
    shape = dictionary({"0": integer(2), "1": integer(3)})
    case("chunk-sound", model(chunked()), why="two halves of one array")
    case("chunk-other-order", model(pairs(text("chunks"), dictionary({"0": one, "1": one}), text("shape"), shape,
                                          text("__msgpack_chunked_array__"), TRUE)), why="keys in any order")
    case("chunk-without-marker", model(dictionary({"shape": NIL, "chunks": integer(7)})), why="names like any other")
    case("chunk-false", model(chunked(FALSE)), bad, "the marker is false")
    case("chunk-marker-1", model(chunked(integer(1))), bad, "the marker is a number")
    case("chunk-alone", model(dictionary({"__msgpack_chunked_array__": TRUE})), bad, "a marker and nothing else")
    case("chunk-extra-key", model(chunked(more=NIL)), bad, "a fourth key")
    case("chunk-shape-list", model(chunked(shape=items(integer(2), integer(3)))), size, "a list for a shape")
    case("chunk-shape-number", model(chunked(shape=integer(6))), bad, "a number for a shape")
    case("chunk-missing-1", model(chunked(chunks=dictionary({"0": one, "2": one}))), size, "0 and 2")
    case("chunk-one", model(chunked(chunks=dictionary({"0": one}))), size, "half of the array")
    case("chunk-none", model(chunked(chunks=pairs(), shape=dictionary({"0": integer(0)}))), size, "none at all")
    case("chunk-mixed", model(chunked(chunks=dictionary({"0": one, "1": array((3,), "int32", bytes(12))}))), size, "two types")
    case("chunk-not-flat", model(chunked(chunks=dictionary({"0": array((2, 3), data=bytes(24))}))), size, "not flat")
    case("chunk-number", model(chunked(chunks=dictionary({"0": one, "1": integer(3)}))), size, "a chunk that is a number")
    case("chunk-shape-other", model(chunked(shape=dictionary({"0": integer(2), "1": integer(4)}))), size, "eight elements")
    case("chunk-shape-of-text", model(chunked(shape=dictionary({"0": text("6")}))), size, "a dimension that is text")
    case("chunk-shape-overflow", model(chunked(shape=dictionary({str(i): integer(1 << 40) for i in range(3)}))), size, "2^120")
    case("chunk-nan", model(chunked(chunks=dictionary({"0": one, "1": array((3,), data=struct.pack("<3f", 1, 2, float("inf")))}))),
         "weights-inf", "in the second half", nonfinite={"params/w/chunks/1": counts(pos_inf=1)})


def leaves():
    case("leaf-blob-65536", model(blob(b"\xff" * 65536)), why="the longest")
    case("leaf-blob-65537", model(blob(b"\xff" * 65537)), "flax-blob", "one more")
    case("leaf-text-65536", model(text("a" * 65536)), why="the longest")
    case("leaf-text-65537", model(text("a" * 65537)), "flax-blob", "one more")
    case("leaf-latin-1", model(text(b"m\xfcller")), "flax-utf8", "another coding")
    case("leaf-cut-character", model(text(b"m\xe4\xb8")), "flax-utf8", "half a character")
    case("leaf-late-latin-1", model(text(b"a" * 5000 + b"\xff")), "flax-utf8", "behind the first bytes")
    case("leaf-text", model(text("m\u00fcller\n\t\x1b")), why="text may hold anything")
    case("leaf-pickle", model(blob(PICKLE)), "flax-embedded-pickle", "os.system in bytes")
    case("leaf-pickle-text", model(text("cos\nsystem\n(S'id'\ntR.")), "flax-embedded-pickle", "the same in text")
    case("leaf-pickle-late", model(blob(b"\x80\x04B" + struct.pack("<I", 9000) + bytes(9000) + b"0" + PICKLE[2:])),
         "flax-embedded-pickle", "behind nine thousand zeros")
    hidden = base64.b64encode(PICKLE + bytes(40))
    case("leaf-base64", model(blob(hidden)), "flax-embedded-pickle", "a pickle in Base64")
    case("leaf-base64-text", model(text(hidden)), "flax-embedded-pickle", "the same in text")
    case("leaf-base64-other", model(blob(base64.b64encode(b"\x81\x02" + bytes(60)))), why="Base64 of something else")
    elf = b"\x7fELF\2\1\1".ljust(64, b"\0")
    case("leaf-elf", model(blob(elf)), "format-executable", "a program")
    case("leaf-elf-class", model(blob(elf[:4] + b"\3" + elf[5:])), why="of no width")
    case("leaf-elf-short", model(blob(elf[:63])), why="of less than its header")
    program = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    case("leaf-pe", model(blob(program)), "format-executable", "another")
    case("leaf-pe-nowhere", model(blob(program[:-4] + bytes(4))), why="its header leads to nothing")
    case("leaf-mach-o", model(blob(b"\xcf\xfa\xed\xfe".ljust(64, b"\0"))), "format-executable", "a third")
    case("leaf-script", model(text("#!/bin/sh\nid\n")), "format-script", "a first line that names an interpreter")
    case("leaf-script-mark", model(text("\ufeff#!/bin/sh\nid\n")), "format-script", "behind a mark that editors hide")
    case("leaf-hash", model(text("# a title\n")), why="a first line that does not")
    case("leaf-php", model(text("a <?PHP id() ?>")), "markup-in-metadata", "a tag of PHP's")
    case("leaf-php-word", model(text("a <?phpx")), why="which ends otherwise")
    case("leaf-pickle-data", model(blob(b"\x80\x04]q\0(K\1K\2e.")), why="a list of two numbers")
    case("leaf-pickle-cut", model(blob(PICKLE[:9])), why="it imports nothing")
    case("leaf-prose", model(text("c\nchapter\none\nit is a story of old\n")), why="prose that begins like an import")


def weights():
    nan, inf = float("nan"), float("inf")
    for name, data, found in (
            ("float16", struct.pack("<3e", 1, nan, 2), counts(nan=1)),
            ("bfloat16", b"\x80\x3f\xc0\x7f\x80\xff", counts(nan=1, neg_inf=1)),
            ("float32", struct.pack("<3f", nan, inf, 1), counts(nan=1, pos_inf=1)),
            ("float64", struct.pack("<3d", -inf, -inf, 1), counts(neg_inf=2)),
            ("complex64", struct.pack("<6f", 1, nan, 1, 1, inf, 1), counts(nan=1, pos_inf=1)),
            ("float8_e4m3fn", b"\x7f\xff\x7e", counts(nan=2))):
        codes = (["weights-nan"] if found["nan"] else []) + (["weights-inf"] if found["pos_inf"] + found["neg_inf"] else [])
        case("weights-" + name, model(array((3,), name, data)), " ".join(codes), "not finite", nonfinite={"params/w": found})
    case("weights-finite", model(array((3,), "float16", struct.pack("<3e", 1, -65504, 0))), why="the largest")
    case("weights-mask", model(array((3,), "float32", struct.pack("<3f", 0, -inf, 0))), "weights-inf-mask", "a mask",
         nonfinite={"params/w": counts(neg_inf=1)})
    case("weights-bool", model(array((3,), "bool", b"\0\1\2")), "weights-bool-invalid", "neither true nor false",
         bool_invalid={"params/w": 1})
    case("weights-integer", model(array((3,), "int16", b"\xff" * 6)), why="any bits are a number")
    case("weights-float-leaf", model(double(nan)), "weights-nan", "a number that is none", nonfinite={"params/w": counts(nan=1)})
    case("weights-float-leaf-32", model(b"\xca" + struct.pack(">f", inf)), "weights-inf-mask", "one infinity alone",
         nonfinite={"params/w": counts(pos_inf=1)})
    case("weights-complex-leaf", model(ext(2, items(double(1), double(nan)))), "weights-nan", "its second half",
         nonfinite={"params/w": counts(nan=1)})
    case("weights-in-list", model(items(NIL, array((1,), data=struct.pack("<f", nan)))), "weights-nan", "by its place",
         nonfinite={"params/w/1": counts(nan=1)})


CORPUS.make(wholes, wires, keys, extensions, dtypes, chunks, leaves, weights)
