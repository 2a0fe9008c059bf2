#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small NumPy arrays and archives that each break one rule of
formats/npy, and near misses that break none.  Always the same bytes, made without NumPy; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive as npz  # noqa: E402 pylint: disable=wrong-import-position

MAGIC = b"\x93NUMPY"

ACCEPTED = {"npy-header-newline", "npy-header-misaligned", "npy-python2-long", "npy-descr-redundant-order",
            "npy-void-opaque", "npy-fortran-redundant", "pickle-data-only", "zip-ratio-array", "weights-inf-mask",
            "pickle-global-allowed"}
REVIEWED = {"npy-object-pickle", "npy-header-large", "npy-header-noncanonical", "npy-descr-noncanonical", "npy-descr-native",
            "pickle-global-unknown",
            "npy-longdouble", "npy-unicode-range", "npy-ndim", "npy-is-pickle", "npz-foreign-member",
            "npz-mixed-method", "npz-empty", "zip-empty", "format-identified-only", "weights-nan", "weights-inf",
            "weights-bool-invalid", "zip-directory-present"}
CORPUS = Cases(".npy", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- arrays

def length(version, n):
    return struct.pack("<H" if version == 1 else "<L", n)


def padded(text, version=1, align=64):
    before = 10 if version == 1 else 12
    return text + b" " * (-(before + len(text) + 1) % align) + b"\n"


def array_of(header, data=b"", version=1, minor=0, n=None):
    """Magic, version, length and header as they are given; `n` lies about the length."""
    return MAGIC + bytes((version, minor)) + length(version, len(header) if n is None else n) + header + data


def text_of(descr="'<f4'", shape="(2,)", fortran="False", version=1):
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    return text.encode("utf-8" if version == 3 else "latin-1")


def array(descr="'<f4'", shape="(2,)", data=bytes(8), fortran="False", version=1, align=64):
    return array_of(padded(text_of(descr, shape, fortran, version), version, align), data, version)


def header(text, data=bytes(8), version=1):
    """An array whose header is this text, padded."""
    return array_of(padded(text if isinstance(text, bytes) else text.encode("latin-1"), version), data, version)


# -- sections

def magics():
    case("magic-sound", array(), why="two zeros")
    case("magic-wrong", b"\x93NUMPX" + array()[6:], "npy-bad-magic", "one letter of the magic differs")
    case("magic-empty", b"", "npy-bad-magic", "no byte at all")
    case("magic-alone", MAGIC, "npy-truncated", "the magic and nothing else")
    for major, minor in ((0, 0), (1, 1), (4, 0)):
        case(f"magic-version-{major}-{minor}", array_of(padded(text_of()), bytes(8), major, minor), "npy-version",
             "a version that is not defined")
    case("magic-version-2", array(version=2), why="four bytes of length")
    case("magic-version-3", array("[('\u00e9', '<f4')]", version=3), why="names in UTF-8")
    case("magic-version-3-latin-1", array_of(padded("{'descr': [('\u00e9', '<f4')], 'fortran_order': False, "
                                                    "'shape': (2,), }".encode("latin-1"), 3), bytes(8), 3),
         "npy-header-syntax", "bytes that are no UTF-8")
    case("magic-version-1-latin-1", array("[('\u00e9', '<f4')]"), why="names in Latin-1")
    case("magic-length-past-end", array_of(text_of(), n=200), "npy-truncated", "the header reaches past the file")
    case("magic-length-0", array_of(b"", bytes(8)), "npy-header-misaligned npy-header-syntax", "no header")
    case("magic-length-huge", array_of(text_of(), version=2, n=0xffffffff), "npy-header-too-large", "four gigabytes")


def lengths():
    def long(n, version=1):
        text = text_of()
        return array_of(text + b" " * (n - len(text) - 1) + b"\n", bytes(8), version)
    case("length-10000", long(10000 - 10000 % 16 + 6), "npy-header-large", "above what NumPy reads unless told to trust")
    case("length-9990", long(9990), why="below")
    case("length-65535", long(65524, 2), "npy-header-large", "nearly the longest")
    case("length-65536", long(65536, 2), "npy-header-too-large", "longer than any array needs")
    case("length-aligned-16", array(align=16), why="what NumPy wrote before 1.14")
    case("length-misaligned", array(align=1), "npy-header-misaligned", "as writers in other languages do")
    case("length-no-newline", array_of(text_of().ljust(118), bytes(8)), "npy-header-newline",
         "spaces, and no line feed")


def headers():
    lax, syntax = "npy-header-noncanonical", "npy-header-syntax"
    tail = "'fortran_order': False, 'shape': (2,), }"
    case("header-order-of-keys", header("{'shape': (2,), 'descr': '<f4', 'fortran_order': False}"), why="any order")
    case("header-spaces", header("{  'descr' : '<f4' ,'fortran_order':False,'shape':( 2 , ) }"), why="spaces anywhere")
    case("header-double-quotes", header('{"descr": "<f4", "fortran_order": False, "shape": (2,)}'), why="either quotes")
    for name, text in (
            ("tab", "{'descr':\t'<f4', " + tail), ("comment", "{'descr': '<f4', # x\n " + tail),
            ("escape", "{'descr': '\\x3cf4', " + tail), ("joined", "{'descr': '<' 'f4', " + tail),
            ("prefix", "{'descr': u'<f4', " + tail), ("triple", "{'descr': '''<f4''', " + tail),
            ("leading-space", " {'descr': '<f4', " + tail), ("newline-inside", "{'descr':\n'<f4', " + tail),
            ("hexadecimal", "{'descr': '<f4', 'fortran_order': False, 'shape': (0x2,), }"),
            ("underscore", "{'descr': '|i1', 'fortran_order': False, 'shape': (1_0,), }"),
            ("plus", "{'descr': '<f4', 'fortran_order': False, 'shape': (+2,), }")):
        case("header-" + name, header(text, bytes(10 if name == "underscore" else 8)), lax, "loads, and nobody writes it")
    for name, text in (
            ("nul", "{'descr': '<f4\0', " + tail), ("no-brace", "'descr': '<f4', " + tail[:-1]),
            ("list", "['descr']"), ("call", "{'descr': str('<f4'), " + tail),
            ("import", "__import__('os')"), ("bytes", "{'descr': b'<f4', " + tail),
            ("unclosed", "{'descr': '<f4, " + tail.replace("'", "")), ("no-comma", "{'descr': '<f4' " + tail.replace("'fort", "1, 'fort")),
            ("two-commas", "{'descr': '<f4',, " + tail), ("text-behind", "{'descr': '<f4', " + tail + " x"),
            ("second", "{'descr': '<f4', " + tail + "{}"), ("semicolon", "{'descr': '<f4', " + tail + ";"),
            ("order-none", "{'descr': '<f4', 'fortran_order': None, 'shape': (2,)}"),
            ("order-number", "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}"),
            ("deep", "(" * 300), ("deep-descr", "{'descr': " + "[('a', " * 40 + "'<f4'" + ")]" * 40 + ", " + tail)):
        case("header-" + name, header(text), "npy-field-limit" if name == "deep-descr" else syntax,
             "NumPy refuses it, or runs it")
    case("header-nested-7", header("{'descr': " + "[('a', " * 7 + "'<f4'" + ")]" * 7 + ", " + tail), why="seven deep")
    case("header-key-missing", header("{'descr': '<f4', 'shape': (2,), }"), "npy-header-keys", "no order")
    case("header-key-more", header("{'descr': '<f4', 'x': 1, " + tail), "npy-header-keys", "a fourth key")
    case("header-key-twice", header("{'descr': '<f4', 'descr': '<f8', " + tail, bytes(16)), "npy-header-keys",
         "Python keeps the last, others the first")
    case("header-long", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }"), "npy-python2-long",
         "as Python 2 wrote it")
    case("header-long-version-3", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }", version=3), syntax,
         "which Python 2 never wrote")
    case("header-fortran", array(shape="(2, 1)", fortran="True"), why="column-major")
    case("header-fortran-one", array(fortran="True"), "npy-fortran-redundant", "one dimension has no order")


def types():
    sizes = {"|b1": 1, "|i1": 1, "|u1": 1, "<i2": 2, ">u2": 2, "<i4": 4, ">u4": 4, "<i8": 8, "<f2": 2, ">f4": 4, "<f8": 8,
             "<c8": 8, ">c16": 16, "|S0": 0, "|S3": 3, "<U1": 4, ">U2": 8, "<M8[ns]": 8, "<m8[25s]": 8, "<M8": 8}
    for t, n in sizes.items():
        name = t.replace("<", "little-").replace(">", "big-").replace("|", "").replace("[", "-").replace("]", "")
        case("type-" + name, array(f"'{t}'", data=bytes(2 * n)), why="as NumPy writes it")
    for t, n in (("|V2", 2), ("|V0", 0)):
        case("type-" + t[1:], array(f"'{t}'", data=bytes(2 * n)), "npy-void-opaque", "bytes without a type")
    for t, n in (("<f16", 16), (">f16", 16), ("<c32", 32), ("<f12", 12), ("<c24", 24)):
        name = t.replace("<", "").replace(">", "big-")
        case("type-" + name, array(f"'{t}'", data=bytes(2 * n)), "npy-longdouble", "extended precision")
    case("type-little-i1", array("'<i1'", data=bytes(2)), "npy-descr-redundant-order", "a byte has no order")
    for t, n in (("f4", 4), ("=f4", 4), ("=i8", 8)):
        case("type-native-" + t.replace("=", "equal-"), array(f"'{t}'", data=bytes(2 * n)), "npy-descr-native",
             "the order of whoever reads it")
    for t, n in (("|f4", 4), ("float32", 4), ("f4,i2", 6), ("<f04", 4), ("int8", 1)):
        codes = "npy-descr-noncanonical" + (" npy-descr-native" if t == "f4,i2" else "")
        case("type-lax-" + t.replace("|", "bar-").replace("<", "").replace(",", "-"), array(f"'{t}'", data=bytes(2 * n)),
             codes, "loads, and nobody writes it")
    for i, t in enumerate(("<x4", "<f3", "<f", "<M8[foo]", "<M8[0s]", "f4 ", "(2,3)f4", "", "bfloat16", "<i16", "|b2")):
        case(f"type-unknown-{i}", array(f"'{t}'"), "npy-descr-unknown", f"no type: {t}")
    case("type-unknown-subarray", array("('<f4', (2,))"), "npy-descr-unknown", "a shape in a shape")
    case("type-unknown-none", array("None"), "npy-header-syntax", "no type at all")
    case("type-text-huge", array("'<U4611686018427387904'"), "npy-field-limit", "four bytes each wrap to 0")
    case("type-text-4-gigabytes", array("'<U1073741824'"), "npy-field-limit", "an item above NumPy's limit")


def records():
    def fields(*names_and_types):
        return "[" + ", ".join(f"('{n}', {t})" for n, t in names_and_types) + "]"
    two = fields(("a", "'<f4'"), ("b", "'>i2'"))
    case("record-two", array(two, data=bytes(12)), why="two fields")
    case("record-padding", array("[('a', '|u1'), ('', '|V3'), ('b', '<f4'), ('', '|V4')]", data=bytes(24)), "npy-void-opaque",
         "padding is written as nameless bytes")
    case("record-title", array("[(('title', 'a'), '<f4')]"), why="a title beside a name")
    case("record-subarray", array("[('a', '<f4', (3, 2)), ('b', '<i2', (2,))]", data=bytes(56)), why="arrays in records")
    case("record-nested", array("[('a', [('x', '<f4'), ('y', '<f8')]), ('b', '|S3')]", data=bytes(30)), why="records in records")
    case("record-empty", array("[]", data=b""), why="no fields: items of no bytes")
    case("record-trailing-comma", array("[('a', '<f4',),]"), why="commas that Python allows")
    for name, descr in (("name", fields(("a", "'<f4'"), ("a", "'<f4'"))), ("title", "[(('t', 'a'), '<f4'), ('t', '<f4')]"),
                        ("own-title", "[(('a', 'a'), '<f4')]"), ("inside", "[('x', " + fields(("a", "'<f4'"), ("a", "'<f4'")) + ")]")):
        case("record-duplicate-" + name, array(descr, data=bytes(16)), "npy-field-duplicate", "two of one name")
    case("record-same-name-elsewhere", array("[('a', '<f4'), ('b', [('a', '<f4')])]", data=bytes(16)), why="a name of another list")
    case("record-nameless", array("[('', '<f4')]"), "npy-descr-noncanonical", "a field without a name that is no padding")
    case("record-4096", array(fields(*((f"{i:x}", "'|i1'") for i in range(4096))), "(1,)", bytes(4096), version=2),
         "npy-header-large", "as many as are read")
    case("record-repeated-4096", array("[('a', [('x', '|i1'), ('y', '|i1')], (2048,))]", "(1,)", bytes(4096)), why="repeated")
    case("record-repeated-4098", array("[('a', [('x', '|i1'), ('y', '|i1')], (2049,))]", "(1,)", bytes(4098)),
         "npy-field-limit", "a field more")
    case("record-repeated-huge", array("[('a', [('x', '|i1')], (1152921504606846976, 8))]", "(1,)"), "npy-field-limit",
         "a multiplication bomb")
    case("record-negative", array("[('a', '<f4', (-1,))]"), "npy-header-syntax", "a field of negative size")
    nan, inf = struct.pack("<f", float("nan")), struct.pack(">d", float("inf"))
    body = b"".join(struct.pack("<f", i) + b"xyz" + struct.pack(">d", i) for i in range(5))
    body = body[:30] + nan + body[34:37] + inf + body[45:]
    case("record-nan", array("[('a', '<f4'), ('s', '|S3'), ('b', [('c', '>f8')])]", "(5,)", body), "weights-nan weights-inf",
         "in the third record", nonfinite={"data.a": counts(nan=1), "data.b.c": counts(pos_inf=1)})
    points = [1.0, float("nan"), 2.0, 3.0, float("nan"), float("-inf")]
    case("record-nan-repeated", array("[('p', [('x', '<f4'), ('y', '<f4')], (3,))]", "(1,)", struct.pack("<6f", *points)),
         "weights-nan weights-inf", "one tensor over all repetitions",
         nonfinite={"data.p.x": counts(nan=1), "data.p.y": counts(nan=1, neg_inf=1)})
    case("record-bool", array("[('a', '<i2'), ('b', '|b1')]", data=b"\2\2\1\2\2\3"), "weights-bool-invalid", "a bool of 3",
         bool_invalid={"data.b": 1})


def shapes():
    case("shape-scalar", array(shape="()", data=bytes(4)), why="one element")
    case("shape-empty", array(shape="(0, 5)", data=b""), why="no element")
    case("shape-32", array(shape="(" + "1, " * 32 + ")", data=bytes(4)), why="NumPy 1's most")
    case("shape-33", array(shape="(" + "1, " * 33 + ")", data=bytes(4)), "npy-ndim", "one more")
    case("shape-64", array(shape="(" + "1, " * 64 + ")", data=bytes(4)), "npy-ndim", "NumPy 2's most")
    case("shape-65", array(shape="(" + "1, " * 65 + ")", data=bytes(4)), "npy-ndim-limit", "one more")
    for name, shape in (("negative", "(-1,)"), ("bool", "(True,)")):
        case("shape-" + name, array(shape=shape), "npy-shape", "no size")
    for name, shape in (("number", "2"), ("no-comma", "(2)"), ("list", "[2]"), ("float", "(2.0,)"), ("text", "('2',)"),
                        ("nested", "((2,),)"), ("leading-zero", "(02,)"), ("two-commas", "(2,,)")):
        case("shape-" + name, array(shape=shape), "npy-header-syntax", "no shape")
    for name, shape in (("20-digits", "(18446744073709551617,)"), ("squared", "(4294967296, 4294967296)"),
                        ("hidden", "(4294967296, 0, 4294967296)"), ("bytes", "(4611686018427387904,)"),
                        ("bytes-hidden", "(4611686018427387904, 0)")):
        case("shape-overflow-" + name, array(shape=shape, data=b""), "npy-size-overflow", "wraps")
    case("shape-overflow-not", array(shape="(1152921504606846976, 0)", data=b""), why="the product fits")
    case("shape-items-of-nothing", array("'|S0'", "(1048576,)", b""), why="a million items of no bytes")
    case("shape-items-of-nothing-huge", array("'|S0'", "(1099511627776,)", b""), "npy-itemsize-zero", "a reader's afternoon")
    case("shape-items-of-nothing-void", array("'|V0'", "(1099511627776,)", b""), "npy-itemsize-zero npy-void-opaque", "the same")


def data():
    case("data-short", array(data=bytes(7)), "npy-truncated", "a byte is missing")
    case("data-none", array(data=b""), "npy-truncated", "all are missing")
    case("data-trailing-1", array(data=bytes(9)), "npy-trailing-bytes", "one byte more")
    case("data-trailing-80", array(data=bytes(8) + b"A" * 80), "npy-trailing-bytes", "eighty bytes more")
    case("data-trailing-pickle", array(data=bytes(8) + b"\x80\4N."), "npy-trailing-bytes", "a pickle behind the array")
    case("data-behind-empty", array(shape="(0,)", data=b"x"), "npy-trailing-bytes", "an array of nothing, and a byte")
    for t, form in (("<f2", "<e"), (">f2", ">e"), ("<f4", "<f"), (">f4", ">f"), ("<f8", "<d"), (">f8", ">d")):
        values = b"".join(struct.pack(form, v) for v in (1, float("nan"), 0))
        name = "data-nan-" + ("big" if ">" in t else "little") + t[1:]
        case(name, array(f"'{t}'", "(3,)", values), "weights-nan", "one of three", nonfinite={"data": counts(nan=1)})
    case("data-nan-c8", array("'>c8'", "(2,)", struct.pack(">4f", 1, float("nan"), float("inf"), 0)),
         "weights-nan weights-inf", "either half", nonfinite={"data": counts(nan=1, pos_inf=1)})
    case("data-inf", array("'<f4'", "(3,)", struct.pack("<3f", 1, 2, float("-inf"))), "weights-inf", "one of three",
         nonfinite={"data": counts(neg_inf=1)})
    case("data-inf-mask", array("'<f4'", "(3,)", struct.pack("<3f", 0, 0, float("-inf"))), "weights-inf-mask", "a mask",
         nonfinite={"data": counts(neg_inf=1)})
    x87 = struct.pack("<QH6x", 1 << 63, 0x7fff)
    case("data-inf-f16", array("'<f16'", "(2,)", struct.pack("<QH6x", 1 << 63, 0x3fff) + x87), "npy-longdouble weights-inf",
         "80 bits", nonfinite={"data": counts(pos_inf=1)})
    case("data-padding-f16", array("'<f16'", "(1,)", struct.pack("<QH", 1 << 63, 0x3fff) + b"\xff" * 6), "npy-longdouble",
         "padding that means nothing")
    case("data-bool", array("'|b1'", "(3,)", b"\0\1\2"), "weights-bool-invalid", "a bool of 2", bool_invalid={"data": 1})
    case("data-unicode-last", array("'<U1'", "(1,)", struct.pack("<L", 0x10ffff)), why="the last character")
    case("data-unicode-surrogate", array("'<U1'", "(1,)", struct.pack("<L", 0xd800)), why="which Python's text can hold")
    case("data-unicode-past", array("'<U1'", "(1,)", struct.pack("<L", 0x110000)), "npy-unicode-range", "one more")
    case("data-unicode-past-big", array("'>U2'", "(1,)", struct.pack(">2L", 65, 0xffffffff)), "npy-unicode-range", "the other order")
    case("data-unicode-field", array("[('a', '<i2'), ('b', '<U1')]", "(1,)", struct.pack("<hL", 1, 0x110000)),
         "npy-unicode-range", "in a record")


DANGEROUS = "pickle-global-dangerous pickle-call-dangerous"
NOTHING = b"\x80\4N."
DICT = b"\x80\4}\x94."
UNKNOWN = b"\x80\4\x8c\5mylib\x94\x8c\5Thing\x94\x93\x94."
NAMES = (b"\x80\2cnumpy.core.multiarray\n_reconstruct\nq\0cnumpy\nndarray\nq\1K\0\x85q\2c_codecs\nencode\nq\3X\1\0\0\0bq\4X\6\0\0\0latin1q\5"
         b"\x86q\6Rq\7\x87q\x08Rq\x09(K\1K\2\x85q\ncnumpy\ndtype\nq\x0bX\2\0\0\0O8q\x0c\x89\x88\x87q\rRq\x0e(K\3X\1\0\0\0|q\x0fNNN"
         b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x10b\x89]q\x11(X\1\0\0\0aq\x12X\1\0\0\0bq\x13etq\x14b.")
RUNS = b"\x80\4\x8c\2os\x94\x8c\6system\x94\x93\x94\x8c\4true\x94\x85\x94R."


def pickles():
    object_codes = f"npy-object-pickle {DANGEROUS}"
    case("pickle-object-plain", array("'|O'", "()", NOTHING), "npy-object-pickle",
         "an array of objects is what its pickle is; NumPy opens it only with allow_pickle")
    case("pickle-object-names", array("'|O'", "(2,)", NAMES), "npy-object-pickle pickle-global-allowed", "as NumPy writes two texts")
    case("pickle-object-unknown", array("'|O'", "()", UNKNOWN), "npy-object-pickle pickle-global-unknown", "a name nobody knows")
    case("pickle-object-runs", array("'|O'", "()", RUNS), object_codes, "and what it holds runs a program")
    case("pickle-object-field", array("[('a', '<f4'), ('b', [('c', '|O')])]", "()", RUNS), object_codes, "in a nested field")
    case("pickle-object-old", array("'|O8'", "()", NOTHING), "npy-object-pickle", "as old NumPy wrote it")
    case("pickle-not", array(), why="an array under its own name")
    case("pickle-data.npy", DICT, "npy-is-pickle pickle-data-only", "data under the name of an array")
    case("pickle-runs.npy", RUNS, f"npy-is-pickle-importing {DANGEROUS}", "a program under the name of an array")
    case("pickle-data.npz", DICT, "npy-is-pickle pickle-data-only", "data under the name of an archive")
    case("pickle-data.pkl", DICT, "pickle-data-only", "under its own name")


def archives():
    a, b = ("a.npy", array()), ("b.npy", array("'<f8'", "()", bytes(8)))
    case("npz-two.npz", npz(a, b), why="two arrays")
    case("npz-deflated.npz", npz(("a.npy", array(), 8), ("b.npy", array(), 8)), why="compressed")
    case("npz-folder.npz", npz(("layer/weight.npy", array())), why="a name with a folder")
    case("npz-other-name.zip", npz(a), why="content decides")
    case("npz-empty.npz", npz(), "format-identified-only npz-empty zip-empty", "no arrays")
    case("npz-mixed.npz", npz(a, ("b.npy", array(), 8)), "npz-mixed-method", "one compressed, one not")
    case("npz-foreign.npz", npz(a, ("x.txt", b"text")), "npz-foreign-member", "a text")
    case("npz-foreign-array.npz", npz(a, ("x", array())), "npz-foreign-member", "an array under another name")
    case("npz-foreign-empty.npz", npz(a, ("x", b"")), "npz-foreign-member", "nothing under another name")
    case("npz-foreign-junk.npz", npz(a, ("b.npy", b"junk")), "npz-foreign-member", "no array under an array's name")
    case("npz-collision.npz", npz(a, ("a", array())), "npz-foreign-member npz-key-collision", "a and a.npy")
    case("npz-collision-not.npz", npz(a, ("a.npy.npy", array())), "npz-key-collision", "a.npy is asked for as a.npy")
    case("npz-object-plain.npz", npz(a, ("b.npy", array("'|O'", "(2,)", NAMES))), "npy-object-pickle pickle-global-allowed", "texts")
    case("npz-object.npz", npz(a, ("b.npy", array("'|O'", "()", RUNS))), f"npy-object-pickle {DANGEROUS}", "objects")
    case("npz-object-deflated.npz", npz(("b.npy", array("'|O'", "()", RUNS), 8)),
         f"npy-object-pickle {DANGEROUS}", "objects, compressed")
    case("npz-pickle.npz", npz(a, ("b.npy", RUNS)), f"npy-is-pickle-importing {DANGEROUS}", "a pickle")
    case("npz-pickle-data.npz", npz(a, ("b.npy", DICT)), "npy-is-pickle pickle-data-only", "a pickle of data")
    case("npz-pickle-elsewhere.npz", npz(a, ("data.pkl", RUNS)), f"npz-foreign-member {DANGEROUS}",
         "a pickle under its own name")
    case("npz-case.npz", npz(a, ("A.npy", array())), why="NumPy tells A from a")
    case("npz-traversal.npz", npz(("../a.npy", array())), "zip-name-traversal", "out of the folder")
    case("npz-twice.npz", npz(a, a), "zip-name-duplicate", "one name twice")
    case("npz-zeros.npz", npz(("a.npy", array("'|u1'", "(2097152,)", bytes(1 << 21)), 8)), "zip-ratio-array",
         "zeros compress well")
    case("npz-nan.npz", npz(a, ("w.npy", array(data=struct.pack("<2f", 1, float("nan"))))), "weights-nan", "stored",
         nonfinite={"w": counts(nan=1)})
    case("npz-nan-deflated.npz", npz(("w.npy", array(data=struct.pack("<2f", 1, float("nan"))), 8)), "weights-nan",
         "compressed", nonfinite={"w": counts(nan=1)})
    case("npz-short.npz", npz(a, ("b.npy", array(data=bytes(7)))), "npy-truncated", "a member that is too short")
    case("npz-trailing.npz", npz(("b.npy", array(data=bytes(9)), 8)), "npy-trailing-bytes", "a member that is too long")
    case("npz-sparse.npz", npz(*((n + ".npy", d, 8) for n, d in (
        ("indices", array("'<i4'", data=bytes(8))), ("indptr", array("'<i4'", "(3,)", bytes(12))),
        ("format", array("'|S3'", "()", b"csr")), ("shape", array("'<i8'", "(2,)", struct.pack("<2q", 2, 2))),
        ("data", array("'<f8'", "(2,)", bytes(16)))))), why="a sparse matrix of scipy")


CORPUS.make(magics, lengths, headers, types, records, shapes, data, pickles, archives)
