#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small files that each raise one finding, and near misses that
must raise none.  Always the same bytes; tests/corpus checks that what is checked in is what this program makes.

A case has the members of corpus/safetensors/cases.jsonl, and here `codes` are exactly the codes of the verdict.
`reference` says what the format's reference loader does ("ok", "refused", or "other" for what is no safetensors file);
it follows from that loader's source and the measurements in docs/formats/safetensors.md, not from a run over these
files.  `policy`, where present, is a policy file the case is judged by instead of `default`.
"""
import io
import json
import os
import struct
import sys
import tarfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from crc32c import crc32c, masked  # noqa: E402 pylint: disable=wrong-import-position


# -- the parts of a file

def le64(n):
    return struct.pack("<Q", n)


def file(header, data=b"", n=None):
    """Length, header and data; `n` lies about the length."""
    header = header.encode("utf-8", "surrogatepass") if isinstance(header, str) else header
    return le64(len(header) if n is None else n) + header + data


def entry(dtype="U8", shape=(4,), begin=0, end=4):
    return f'{{"dtype":"{dtype}","shape":[{",".join(map(str, shape))}],"data_offsets":[{begin},{end}]}}'


def one(dtype="U8", shape=(4,), data=b"\1\0\1\0", name="w", begin=0, end=None):
    """A file of one tensor."""
    end = len(data) if end is None else end
    return file("{" + json.dumps(name, ensure_ascii=False) + ":" + entry(dtype, shape, begin, end) + "}", data)


def filled(before, data, at=0):
    """A U8 tensor that holds `data` at file offset `at`, zero elsewhere; `before` is put in front of the entry."""
    for n in range(20, 200):
        size = max(at - 8 - n, 0) + len(data)
        header = ("{" + before + '"w":' + entry("U8", (size,), 0, size) + "}").ljust(n)
        if len(header) == n:
            return file(header, bytes(max(at - 8 - n, 0)) + data)
    raise AssertionError("no length fits")


ACCEPTED = {"format-side-file", "weights-inf-mask", "safetensors-metadata-null", "safetensors-header-large",
            "pdf-marker-no-objects"}
REVIEWED = {"weights-nan", "weights-inf", "weights-bool-invalid", "format-unknown", "lfs-pointer-unresolved",
            "safetensors-rank-too-large", "safetensors-tensor-name-long", "safetensors-metadata-control",
            "safetensors-metadata-unicode"}
CORPUS = Cases(".safetensors", ACCEPTED, REVIEWED)


def case(name, data, codes, why, expect=None, reference="ok", **more):
    CORPUS.case(name, data, codes, why, expect, reference=reference, **more)


def refused(name, data, codes, why, **more):
    case(name, data, codes, why, reference="refused", **more)


# -- length, padding, JSON

def lengths():
    refused("length-prefix-alone", le64(2), "safetensors-header-past-eof", "eight bytes and nothing else")
    refused("length-seven-bytes", le64(2)[:7], "safetensors-file-too-short", "one byte short of the prefix")
    refused("length-100000000-in-a-small-file", file("{}", n=100_000_000), "safetensors-header-past-eof",
            "the largest length a header may have, with nothing behind it")
    refused("length-100000001-in-a-small-file", file("{}", n=100_000_001), "safetensors-header-too-large",
            "one more than a header may have")
    case("length-2", file("{}"), "", "the smallest file there is")
    refused("length-0", file("", b"{}"), "safetensors-header-too-small", "no header")
    refused("length-1", file("{", b"}"), "safetensors-header-too-small", "half of the smallest header")
    for n in (255, 256, 257, 65535, 65536):
        case(f"length-{n}", file("{}".ljust(n)), "", "a border of the prefix's bytes")


def around():
    case("start-object", file("{ }"), "", "white space inside the object is JSON's")
    case("start-space", file(" {}"), "safetensors-header-start", "a space before the object")
    refused("start-space-then-array", file(" []"), "safetensors-header-start safetensors-json-syntax",
            "white space is forgiven by lax loaders, an array is not")
    refused("start-space-then-nothing", file("   "), "safetensors-header-start safetensors-json-syntax", "only spaces")
    refused("start-byte-order-mark", file(b"\xef\xbb\xbf{}"), "safetensors-header-start safetensors-json-syntax", "BOM")
    refused("start-form-feed", file("\f{}"), "safetensors-header-start safetensors-json-syntax", "no JSON white space")
    case("padding-spaces", file("{}" + " " * 62), "", "what every writer pads with")
    case("padding-newline-then-spaces", file("{}\n  "), "safetensors-header-padding", "white space, but not 0x20")
    refused("padding-newline-then-text", file("{}\n x"), "safetensors-header-padding safetensors-json-syntax",
            "text hides behind forgiven white space")
    refused("padding-second-object", file("{}{}"), "safetensors-header-padding safetensors-json-syntax", "two objects")
    refused("padding-nul", file("{}\0"), "safetensors-header-padding safetensors-json-syntax", "zero padding")
    refused("padding-no-break-space", file("{}\u00a0"), "safetensors-header-padding safetensors-json-syntax",
            "a space to the eye")


def json_text():
    spaced = ' \t\r\n"w" \n:\t{ "dtype"\r: "U8" ,\n"shape" : [ 4 ] , "data_offsets":[ 0 , 4 ] } \n'
    case("json-white-space-everywhere", file("{" + spaced + "}", b"\1\0\1\0"), "", "wherever RFC 8259 allows it")
    escaped = ('{"\\u0077":{"\\u0064type":"\\u00558","sh\\u0061pe":[4],"data\\u005foffsets":[0,4]},'
               '"\\u005f\\u005fmetadata__":{"\\u006b":"\\"\\\\\\/\\b\\f"}}')
    case("json-escapes-everywhere", file(escaped, b"\1\0\1\0"), "safetensors-metadata-control",
         "names, types, fields and __metadata__ spelled with escapes mean the same; \\b and \\f are controls")
    for what, text in (("vertical-tab", "{\v}"), ("trailing-comma", '{"__metadata__":{},}'), ("comment", "{/**/}"),
                       ("single-quotes", "{'a':1}"), ("no-colon", '{"a"1}'), ("cut-escape", '{"\\u00'),
                       ("bad-escape", '{"\\x41":0}'), ("upper-u", '{"\\U00000041":0}'),
                       ("raw-tab-in-name", '{"a\tb":0}'), ("raw-newline-in-name", '{"a\nb":0}'),
                       ("raw-nul-in-name", '{"a\0b":0}'), ("nan", '{"w":NaN}'), ("plus", '{"w":+1}'),
                       ("dot-first", '{"w":.5}'), ("dot-last", '{"w":5.}'),
                       ("bare-exponent", '{"w":5e}'), ("minus-alone", '{"w":-}'), ("cut-word", '{"w":tru}'),
                       ("upper-word", '{"w":True}')):
        refused(f"json-{what}", file(text), "safetensors-json-syntax", f"{what.replace('-', ' ')}: no JSON")
    refused("json-hex-number", file('{"w":0x1}'), "safetensors-field-type safetensors-json-syntax", "0, then no JSON")
    refused("json-mixed-brackets", file('{"w":[}]'), "safetensors-field-type safetensors-json-syntax",
            "a list, then no JSON")
    # 8 + N cuts the text where a reader that looks ahead would look past the end.
    whole = '{"w":' + entry("U8", (4,), 0, 4) + "}"
    for n in (6, 14, 20, 31, 45, len(whole) - 1):
        refused(f"json-cut-after-{n}", file(whole[:n], b"\1\0\1\0"), "safetensors-json-syntax", "the header ends early")
    for depth, codes in ((127, "safetensors-unknown-field"), (128, "safetensors-unknown-field safetensors-json-depth")):
        inner = "[" * (depth - 2) + "]" * (depth - 2)
        case(f"json-depth-{depth}", file('{"w":{"x":' + inner + "," + entry()[1:] + "}", b"\1\0\1\0"), codes,
             "the reference loader's parser stops at 128", reference="ok" if depth == 127 else "refused")
    for what, escape in (("high", "\\ud800"), ("low", "\\udc00"), ("swapped", "\\udc00\\ud800"),
                         ("high-then-letter", "\\ud800a"), ("high-then-escape", "\\ud800\\u0041"),
                         ("two-highs", "\\ud800\\ud800\\udc00")):
        refused(f"json-surrogate-{what}", file(f'{{"{escape}":' + entry() + "}", b"\1\0\1\0"),
                "safetensors-json-surrogate", "half a pair stands for no character")
    refused("json-surrogate-in-metadata", file('{"__metadata__":{"k":"\\udfff"}}'), "safetensors-json-surrogate",
            "wherever it is")
    case("json-surrogate-pair", file('{"\\ud83d\\ude00":' + entry() + "}", b"\1\0\1\0"), "",
         "a whole pair is one character")


def utf8():
    bad = {"overlong-slash": b"\xc0\xaf", "overlong-c1": b"\xc1\xbf", "overlong-3": b"\xe0\x9f\xbf",
           "overlong-4": b"\xf0\x8f\xbf\xbf", "overlong-nul": b"\xc0\x80", "surrogate-first": b"\xed\xa0\x80",
           "surrogate-last": b"\xed\xbf\xbf", "above-10ffff": b"\xf4\x90\x80\x80", "f5": b"\xf5\x80\x80\x80",
           "five-bytes": b"\xf8\x88\x80\x80\x80", "lone-continuation": b"\x80", "cut-2": b"\xc3", "cut-3": b"\xe2\x82",
           "cut-4": b"\xf0\x9f\x98", "cesu-8": b"\xed\xa0\xbd\xed\xb8\x80", "fe": b"\xfe", "ff": b"\xff"}
    for what, raw in bad.items():
        for where, pad in (("short", b""), ("behind-ascii", b"n" * 200)):
            refused(f"utf8-{what}-{where}", file(b'{"' + pad + raw + b'":' + entry().encode() + b"}", b"\1\0\1\0"),
                    "safetensors-header-utf8", "not well-formed UTF-8 (Unicode, table 3-7)")
    refused("utf8-in-padding", file(b"{}  \xff"), "safetensors-header-utf8", "behind the object, too")
    for c in (0xA1, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFD):
        case(f"utf8-u{c:04x}", one(name=chr(c)), "", "the borders of the lengths are well-formed")


# -- entries

def entries():
    data = b"\1\0\1\0"
    for what, text in (("number", "1"), ("string", '"x"'), ("null", "null"), ("boolean", "true")):
        refused(f"entry-{what}", file(f'{{"w":{text}}}'), "safetensors-field-type", "an entry is an object")
    case("entry-array", file('{"w":["U8",[4],[0,4]]}', data), "safetensors-field-type", "lax loaders take a list")
    refused("entry-array-of-two", file('{"w":["U8",[4]]}'),
            "safetensors-field-type safetensors-missing-field", "and a short list they refuse")
    case("entry-dtype-object", file('{"w":{"dtype":{"U8":null},"shape":[4],"data_offsets":[0,4]}}', data),
         "safetensors-field-type", "lax loaders take this for U8")
    for field in ("dtype", "shape", "data_offsets"):
        parts = {"dtype": '"U8"', "shape": "[4]", "data_offsets": "[0,4]"}
        text = ",".join(f'"{k}":{v}' for k, v in parts.items())
        less = ",".join(f'"{k}":{v}' for k, v in parts.items() if k != field)
        refused(f"entry-without-{field}", file('{"w":{' + less + "}}", data), "safetensors-missing-field", "one less")
        refused(f"entry-{field}-twice", file('{"w":{' + text + f',"{field}":{parts[field]}' + "}}", data),
                "safetensors-duplicate-field", "even when both say the same")
        refused(f"entry-{field}-null", file('{"w":{' + less + f',"{field}":null' + "}}", data),
                "safetensors-field-type", "null is no value here")
    case("entry-unknown-field", file('{"w":' + entry()[:-1] + ',"Dtype":"F32"}}', data), "safetensors-unknown-field",
         "fields differ in case: a second reader may take it for the type")
    refused("entry-escaped-field-twice", file('{"w":' + entry()[:-1] + ',"\\u0064type":"U8"}}', data),
            "safetensors-duplicate-field", "compared after unescaping")
    case("tensor-twice-by-escape", file('{"w":' + entry() + ',"\\u0077":' + entry() + "}", data),
         "safetensors-duplicate-tensor", "lax loaders keep the last")
    case("tensor-twice-unlike", file('{"w":' + entry() + ',"W":' + entry("U8", (0,), 4, 4) + "}", data), "",
         "names differ in case")
    case("tensor-normal-forms", file('{"\u00e9":' + entry() + ',"e\u0301":' + entry("U8", (0,), 4, 4) + "}", data), "",
         "names are bytes: loaders do not normalise, and nothing is hidden")
    long_name = "n" * 1023
    case("tensor-twice-long-names", file(f'{{"{long_name}":' + entry() + f',"{long_name[:-1]}\\u006e":' + entry() + "}",
         data), "safetensors-duplicate-tensor", "long names are compared whole")
    refused("old-draft", file('{"w":{"dtype":"float32","shape":[1],"offsets":[0,4]}}', data),
            "safetensors-unknown-dtype safetensors-unknown-field safetensors-missing-field", "a draft of 2022")


def metadata():
    case("metadata-null", file('{"__metadata__":null}'), "safetensors-metadata-null", "a known framework writes it")
    case("metadata-empty", file('{"__metadata__":{}}'), "", "no key")
    case("metadata-escaped-null", file('{"__met\\u0061data__":null}'), "safetensors-metadata-null", "the same name")
    case("metadata-almost", one(name="__metadata"), "", "a tensor may be called almost that")
    for what, text in (("array", "[]"), ("string", '""'), ("number", "0"), ("false", "false")):
        refused(f"metadata-{what}", file(f'{{"__metadata__":{text}}}'), "safetensors-metadata-type", "a map or null")
    for what, text in (("number", "1"), ("null", "null"), ("object", "{}"), ("array", "[]"), ("true", "true")):
        refused(f"metadata-value-{what}", file(f'{{"__metadata__":{{"k":{text}}}}}'), "safetensors-metadata-type",
                "values are strings")
    refused("metadata-twice", file('{"__metadata__":{},"__metadata\\u005f_":{}}'), "safetensors-duplicate-metadata",
            "twice, once by an escape")
    case("metadata-key-twice", file('{"__metadata__":{"k":"1","k":"2"}}'), "safetensors-duplicate-metadata-key",
         "lax loaders keep the last")
    case("metadata-key-twice-by-escape", file('{"__metadata__":{"k":"1","\\u006B":"2"}}'),
         "safetensors-duplicate-metadata-key", "compared after unescaping")
    case("metadata-keys-alike", file('{"__metadata__":{"k":"1","K":"1","k ":"1","":"1"}}'), "",
         "different keys with equal values")
    case("metadata-text", file('{"__metadata__":{"t":"a\\tb\\nc\\r\\u2028 \u200d \ufeff \U0001f468\u200d\U0001f469"}}'),
         "", "line breaks, joiners and emoji are text")
    for what, c in (("nul", 0), ("escape", 0x1B), ("bell", 7), ("delete", 0x7F), ("c1-csi", 0x9B), ("nel", 0x85)):
        case(f"metadata-{what}", file(f'{{"__metadata__":{{"k":"\\u{c:04x}"}}}}'), "safetensors-metadata-control",
             "acts on the terminal that prints it")
    case("metadata-control-in-key", file('{"__metadata__":{"\\u001b[2J":"v"}}'), "safetensors-metadata-control",
         "keys are printed, too")
    for c in (0x202A, 0x202E, 0x2066, 0x2069):
        case(f"metadata-u{c:04x}", file(f'{{"__metadata__":{{"k":"{chr(c)}"}}}}'), "safetensors-metadata-unicode",
             "reads differently to a person")
    for c in (0x2029, 0x202F, 0x2065, 0x206A):
        case(f"metadata-u{c:04x}", file(f'{{"__metadata__":{{"k":"{chr(c)}"}}}}'), "", "next to the overrides")


DTYPES = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8,
          "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32,
          "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64, "C64": 64}


def dtypes():
    empties = ",".join(f'"{d}":' + entry(d, (3, 0), 0, 0) for d in DTYPES)
    case("dtype-all-empty", file("{" + empties + "}"), "", "no element of each of the 22 types")
    parts, at = [], 0
    for dtype, bits in DTYPES.items():
        parts.append(f'"{dtype}":' + entry(dtype, (4, 1), at, at + bits // 2))
        at += bits // 2
    case("dtype-all-of-4", file("{" + ",".join(parts) + "}", bytes(at)), "", "four elements of each of the 22 types")
    odd = ("f32", "F32 ", " F32", "F8_E4M3FN", "F8", "F128", "I4", "U4", "C128", "BOOLEAN", "float32", "none", "",
           "F32\\u0000", "\u042432", "F8_E5M2FNUZ_", "F" * 300)
    for i, name in enumerate(odd):
        refused(f"dtype-none-{i}", one(name, (1,), bytes(4)), "safetensors-unknown-dtype", f"{name[:20]!r}: no type")


# -- numbers and ranges

def integers():
    top = 2**53
    case("integer-2p53-minus-1", one("U8", (0, top - 1), b""), "", "the last every reader reads alike")
    case("integer-2p53", one("U8", (0, top), b""), "safetensors-integer-range", "the first that some round")
    case("integer-2p64-minus-1", one("U8", (0, 2**64 - 1), b""),
         "safetensors-integer-range safetensors-shape-overflow", "the last of 64 bits, behind a zero")
    for what, text in (("2p64", str(2**64)), ("2p64-plus-4", str(2**64 + 4)), ("100-digits", "4" * 100)):
        refused(f"integer-{what}", file('{"w":' + entry("U8", (text,)) + "}", b"\1\0\1\0"), "safetensors-integer-range",
                "beyond 64 bits, where a careless sum wraps")
    for what, text, code in (("leading-zero", "04", "json-syntax"), ("minus-zero", "-0", "integer-negative"),
                             ("minus-4", "-4", "integer-negative"), ("fraction", "4.0", "integer-format"),
                             ("exponent", "4e0", "integer-format"), ("upper-exponent", "4E+0", "integer-format"),
                             ("minus-fraction", "-4.0", "integer-negative"), ("string", '"4"', "field-type")):
        refused(f"integer-{what}", file('{"w":' + entry("U8", (text,)) + "}", b"\1\0\1\0"), f"safetensors-{code}",
                "not a plain decimal number")
        refused(f"integer-{what}-as-offset", file('{"w":' + entry("U8", (4,), 0, text) + "}", b"\1\0\1\0"),
                f"safetensors-{code}", "the same in an offset")
    for n in (10**14 - 1, 10**15 - 1, 10**15, top - 2):
        case(f"integer-{n}", one("U8", (0, n), b""), "", "where a fast path for small numbers may end")


def shapes():
    big = 2**32
    case("shape-scalar", one("F32", (), b"\0\0\x80\x3f"), "", "rank 0 is one element")
    case("shape-empty-huge", one("U8", (0, 2**51, 1023), b""), "", "no element, and a product that fits")
    case("shape-overflow-behind-zero", one("U8", (0, big, big), b""), "safetensors-shape-overflow",
         "whatever the order of dimensions")
    case("shape-overflow-around-zero", one("U8", (big, 0, big), b""), "safetensors-shape-overflow",
         "whatever the order of dimensions")
    refused("shape-overflow-before-zero", one("U8", (big, big, 0), b""), "safetensors-shape-overflow",
            "readers that multiply in order stop here")
    refused("shape-overflow-to-zero", one("U8", (big, big), b""), "safetensors-shape-overflow",
            "2^64 elements wrap to none: the offsets agree with the wrapped product")
    refused("shape-overflow-to-zero-of-three", one("U8", (2**33, 2**31, 1), b""),
            "safetensors-shape-overflow", "a product that wraps to something small")
    refused("shape-overflow-in-bits", one("F64", (2**29, 2**29), b""), "safetensors-shape-overflow", "2^64 bits")
    refused("shape-no-overflow-in-bits", one("F64", (2**29, 2**29 - 1), b""), "safetensors-size-mismatch",
            "just below: only the size is wrong")
    case("shape-rank-64", one("U8", (1,) * 64, b"\1"), "", "the most a library handles")
    case("shape-rank-65", one("U8", (1,) * 65, b"\1"), "safetensors-rank-too-large", "one more")
    case("shape-rank-65-empty", one("U8", (0,) * 65, b""), "safetensors-rank-too-large", "empty ones, too")
    for dtype, whole, part in (("F4", 2, 1), ("F4", 4, 3), ("F6_E2M3", 4, 2), ("F6_E3M2", 4, 3)):
        bits = 4 if dtype == "F4" else 6
        case(f"shape-{dtype.lower()}-{whole}", one(dtype, (whole,), b"\xff" * (bits * whole // 8)), "", "whole bytes")
        refused(f"shape-{dtype.lower()}-{part}", one(dtype, (part,), b"\xff" * (bits * part // 8 + 1)),
                "safetensors-subbyte-misaligned", "part of a byte")


def ranges():
    def two(a, b, data=8, shape_b=(4,)):
        return file('{"a":' + entry("U8", (4,), *a) + ',"b":' + entry("U8", shape_b, *b) + "}", b"\1" * data)

    case("range-in-order", two((0, 4), (4, 8)), "", "one after the other")
    case("range-against-order", two((4, 8), (0, 4)), "", "the header's order is free")
    refused("range-overlap-by-1", two((0, 4), (3, 7), 7), "safetensors-data-overlap", "one shared byte")
    refused("range-same", two((0, 4), (0, 4), 4), "safetensors-data-overlap", "the same bytes twice")
    refused("range-hole-of-1", two((0, 4), (5, 9), 9), "safetensors-data-hole", "one byte of nobody")
    refused("range-hole-first", two((1, 5), (5, 9), 9), "safetensors-data-hole", "at the very beginning")
    refused("range-trailing-1", two((0, 4), (4, 8), 9), "safetensors-data-trailing", "one byte too many")
    refused("range-short-1", two((0, 4), (4, 8), 7), "safetensors-offsets-out-of-bounds safetensors-data-trailing",
            "one byte too few; then its bytes are nobody's")
    refused("range-backwards", two((0, 4), (8, 4)), "safetensors-offsets-order", "it ends before it begins")
    refused("range-size-1-less", two((0, 4), (4, 7), 7), "safetensors-size-mismatch", "one byte for 4 elements less")
    refused("range-size-1-more", two((0, 4), (4, 9), 9), "safetensors-size-mismatch", "one byte more")
    refused("range-end-2p53-minus-1", two((0, 4), (4, 2**53 - 1)),
            "safetensors-size-mismatch safetensors-offsets-out-of-bounds safetensors-data-trailing", "far outside")
    refused("range-wraps", two((0, 4), (2**64 - 4, 2**64 - 1)), "safetensors-integer-range safetensors-size-mismatch "
            "safetensors-offsets-out-of-bounds", "the header's length added to it wraps")
    for what, arity in (("0", ""), ("1", "0"), ("3", "0,4,4")):
        refused(f"range-of-{what}-numbers", file('{"w":{"dtype":"U8","shape":[4],"data_offsets":[' + arity + "]}}",
                b"\1\1\1\1"), "safetensors-offsets-arity", "begin and end, nothing else")
    for at in (0, 4, 8):
        case(f"range-empty-at-{at}", file('{"a":' + entry() + ',"e":' + entry("F32", (0,), at, at) + ',"b":' +
             entry("U8", (4,), 4, 8) + "}", b"\1" * 8), "", "an empty tensor on any border")
    refused("range-empty-inside", two((0, 4), (2, 2), 4, (0,)), "safetensors-data-overlap", "inside another")
    refused("range-empty-outside", two((0, 4), (5, 5), 4, (0,)), "safetensors-offsets-out-of-bounds", "behind the end")
    case("range-many-empties", file("{" + ",".join(f'"e{i}":' + entry("F32", (0,), 0, 0) for i in range(50)) + "}"), "",
         "any number of them on one spot")
    refused("range-bomb", file("{" + ",".join(f'"t{i}":' + entry() for i in range(150)) + "}", b"\1\0\1\0"),
            "safetensors-data-overlap", "150 tensors on four bytes")


# -- names

def names():
    fine = {"emoji-selector": "\u2764\ufe0f", "keycap": "1\ufe0f\u20e3", "ideograph-selector": "\u8fbb\ufe00",
            "devanagari": "\u0915\u094d\u0937", "combining": "e\u0301", "arabic": "\u0627\u0644",
            "no-break-space": "a\u00a0b", "ideographic-space": "a\u3000b", "braille-blank": "a\u2800b",
            "private-use": "\ue000", "replacement": "\ufffd", "fullwidth-dots": "\uff0e\uff0e/a", "one-dot": "./a",
            "three-dots": ".../a", "dots-inside": "a..b/..c/d..", "slashes": "/a//b/", "space": " ",
            "percent": "%2e%2e/a", "shell": "$(id)`id`;|&<>", "mongolian": "\u182a\u180b"}
    for what, name in fine.items():
        case(f"name-{what}", one(name=name), "", "an odd name that hides nothing")
    for c in (0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028,
              0x2029, 0x202A, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069, 0x206A, 0x3164, 0xFDD0, 0xFDEF, 0xFEFF, 0xFFA0,
              0xFFF9, 0xFFFE, 0xFFFF, 0x1D173, 0x1FFFF, 0xE0001, 0xE0041, 0xE007F, 0xE0100, 0xE01EF, 0x10FFFF):
        case(f"name-u{c:04x}", one(name=f"a{chr(c)}b"), "safetensors-tensor-name-unicode",
             "invisible, or turns the text around")
    for what, name in (("braille", "\u2800"), ("wide", "\u3000"), ("several", " \u00a0\u2003")):
        case(f"name-blank-{what}", one(name=name), "safetensors-tensor-name-unicode", "a name that prints as nothing")
    case("name-blank-not", one(name="a\u2800b"), "", "a pattern without a dot between letters")
    for what, name in (("behind-letter", "w\ufe0f"), ("first", "\ufe0fw"), ("twice", "\u2764\ufe0f\ufe0e")):
        case(f"name-selector-{what}", one(name=name), "safetensors-tensor-name-unicode",
             "a variation selector with nothing to vary")
    for c in (0x00, 0x09, 0x0A, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0x9F):
        case(f"name-control-{c:02x}", one(name=f"a{chr(c)}b"), "safetensors-tensor-name-control", "a control character")
    for what, name in (("alone", ".."), ("first", "../a"), ("middle", "a/../b"), ("last", "a/.."), ("root", "/.."),
                       ("backslash", "..\\a"), ("mixed", "a/..\\b"), ("twice", "../../etc/passwd")):
        case(f"name-path-{what}", one(name=name), "safetensors-tensor-name-path", "climbs out of its folder")
    case("name-path-escaped", file('{"\\u002e\\u002E\\/a":' + entry() + "}", b"\1\0\1\0"),
         "safetensors-tensor-name-path", "the same by escapes")
    case("name-empty", one(name=""), "safetensors-tensor-name-empty", "no name")
    case("name-1024-bytes-of-2", one(name="\u00e9" * 512), "", "bytes are counted, not characters: 1024")
    case("name-1026-bytes-of-2", one(name="\u00e9" * 513), "safetensors-tensor-name-long", "bytes are counted: 1026")


# -- elements

FLOATS = {  # name: element bytes, +Inf, -Inf, some NaN, largest finite numbers
    "F64": (8, 0x7FF0 << 48, 0xFFF0 << 48, (0x7FF8 << 48, (0x7FF0 << 48) + 1, 2**64 - 1, (0xFFF0 << 48) + 1),
            ((0x7FF0 << 48) - 1, (0xFFF0 << 48) - 1)),
    "F32": (4, 0x7F800000, 0xFF800000, (0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0xFF800001), (0x7F7FFFFF, 0xFF7FFFFF)),
    "F16": (2, 0x7C00, 0xFC00, (0x7E00, 0x7C01, 0xFFFF, 0xFC01), (0x7BFF, 0xFBFF)),
    "BF16": (2, 0x7F80, 0xFF80, (0x7FC0, 0x7F81, 0xFFFF, 0xFF81), (0x7F7F, 0xFF7F)),
    "F8_E5M2": (1, 0x7C, 0xFC, (0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF), (0x7B, 0xFB)),
    "F8_E4M3": (1, None, None, (0x7F, 0xFF), (0x7E, 0xFE, 0x80)),
    "F8_E4M3FNUZ": (1, None, None, (0x80,), (0x7F, 0xFF, 0x00)),
    "F8_E5M2FNUZ": (1, None, None, (0x80,), (0x7F, 0xFF, 0x00)),
    "F8_E8M0": (1, None, None, (0xFF,), (0x00, 0x7F, 0xFE)),
}


def tensor(dtype, values, **more):
    size = FLOATS[dtype][0]
    return one(dtype, (len(values),), b"".join(v.to_bytes(size, "little") for v in values), **more)


def counts(nan=0, pos=0, neg=0):
    return {"w": {"nan": nan, "pos_inf": pos, "neg_inf": neg}}


def elements():
    for dtype, (size, pos, neg, nans, finite) in FLOATS.items():
        low, sign = dtype.lower(), 1 << (8 * size - 1)
        case(f"weights-{low}-finite", tensor(dtype, finite * 9), "", "the largest numbers there are")
        for i, nan in enumerate(nans):
            case(f"weights-{low}-nan-{i}", tensor(dtype, finite * 9 + (nan,)), "weights-nan", "a payload of NaN",
                 nonfinite=counts(nan=1))
        if pos is None:
            continue
        case(f"weights-{low}-inf", tensor(dtype, finite + (pos, neg, neg)), "weights-inf", "among ordinary weights",
             nonfinite=counts(pos=1, neg=2))
        case(f"weights-{low}-both", tensor(dtype, (pos, nans[0], 0)), "weights-nan weights-inf", "NaN spoils a mask",
             nonfinite=counts(nan=1, pos=1))
        case(f"weights-{low}-mask", tensor(dtype, (0, neg, 0, sign, neg)), "weights-inf-mask",
             "zero of either sign and one infinity", nonfinite=counts(neg=2))
        case(f"weights-{low}-mask-pos", tensor(dtype, (0, pos)), "weights-inf-mask", "the other infinity",
             nonfinite=counts(pos=1))
        case(f"weights-{low}-constant", tensor(dtype, (neg,)), "weights-inf-mask", "a single infinite constant",
             nonfinite=counts(neg=1))
        case(f"weights-{low}-two-signs", tensor(dtype, (0, pos, neg)), "weights-inf", "both infinities are no mask",
             nonfinite=counts(pos=1, neg=1))
        case(f"weights-{low}-almost-mask", tensor(dtype, (0, neg, 1)), "weights-inf",
             "zero, infinity and the smallest number", nonfinite=counts(neg=1))
    inf = struct.pack("<f", float("inf"))
    case("weights-c64-inf", one("C64", (2,), bytes(4) + inf + bytes(8)), "weights-inf", "complex numbers are no masks",
         nonfinite=counts(pos=1))
    case("weights-c64-nan", one("C64", (1,), b"\xff" * 8), "weights-nan", "each part counts", nonfinite=counts(nan=2))
    case("weights-bool-0-and-1", one("BOOL", (4,), b"\0\1\1\0"), "", "what a BOOL may be")
    case("weights-bool-2", one("BOOL", (4,), b"\0\1\2\xff"), "weights-bool-invalid", "and what not",
         bool_invalid={"w": 2})
    for dtype, size in (("U8", 1), ("I8", 1), ("I16", 2), ("U16", 2), ("I32", 4), ("U32", 4), ("I64", 8), ("U64", 8),
                        ("F4", 1), ("F6_E2M3", 3), ("F6_E3M2", 3)):
        shape = {"F4": 2, "F6_E2M3": 4, "F6_E3M2": 4}.get(dtype, 1)
        case(f"weights-{dtype.lower()}-ones", one(dtype, (shape,), b"\xff" * size), "", "no bit pattern is wrong")
    nan = b"\0\0\xc0\x7f"
    for begin in (1, 2, 3):  # a tensor that begins at any byte, its NaN first and last
        case(f"weights-unaligned-{begin}", file('{"p":' + entry("U8", (begin,), 0, begin) + ',"w":' +
             entry("F32", (3,), begin, begin + 12) + "}", b"\xff" * begin + nan + bytes(4) + nan), "weights-nan",
             "no alignment is assumed", nonfinite=counts(nan=2))


# -- polyglots

def zip_file(comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr(zipfile.ZipInfo("__main__.py"), b"print(1)")
        z.comment = comment
    return out.getvalue()


def zip64_file():
    """One entry; the directory is found by the ZIP64 records alone."""
    plain = zip_file()
    end = plain.rindex(b"PK\5\6")
    size, offset = struct.unpack("<II", plain[end + 12:end + 20])
    record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, offset)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    return plain[:end] + record + locator + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF,
                                                        0xFFFFFFFF, 0)


def zips():
    code = "polyglot-zip"
    whole = zip_file()
    end = whole.rindex(b"PK\5\6")
    case("zip-whole", filled("", whole), code, "python FILE runs it")
    case("zip-comment", filled("", zip_file(comment=b"c" * 40)), code, "with a comment")
    case("zip-comment-of-wrong-length", filled("", whole[:-2] + b"\x10\0"), code, "Python does not look at it")
    case("zip-wrong-counts", filled("", whole[:end + 8] + b"\7\0\7\0" + whole[end + 12:]), code, "nor at the counts")
    case("zip-wrong-disk", filled("", whole[:end + 4] + b"\1\0\1\0" + whole[end + 8:]), code, "nor at the disk")
    case("zip-64", filled("", zip64_file()), code, "found through the ZIP64 locator")
    case("zip-empty", filled("", struct.pack("<4s18x", b"PK\5\6")), code, "an archive without entries")
    case("zip-slack-behind", filled("", whole + bytes(500)), code, "readers search back from the end")
    case("zip-slack-65535", filled("", whole + bytes(65535)), code, "as far as this")
    case("zip-directory-in-metadata",
         file('{"__metadata__":{"k":"PK\\u0001\\u0002"},"w":' + entry("U8", (4,), 0, 4) + "}", b"\1\0\1\0"),
         "safetensors-metadata-control", "an escaped signature is none")
    case("zip-end-without-directory", filled("", whole[:end].replace(b"PK\1\2", b"PK\1\3") + whole[end:]), "",
         "an end record that leads nowhere")
    case("zip-end-cut", filled("", whole[:-1]), "", "one byte short of an end record")
    case("zip-local-header-alone", filled("", whole[:end]), "", "entries that no directory names")
    case("zip-chance-signature", filled("", b"PK\5\6" + b"\x37" * 40), "", "four bytes that chance finds in weights")


def tar_block(v7=False, gnu=False):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT if gnu else tarfile.USTAR_FORMAT) as t:
        info = tarfile.TarInfo("w")
        info.size = 4
        t.addfile(info, io.BytesIO(b"data"))
    block = bytearray(out.getvalue()[:512])
    if v7:
        block[257:512] = bytes(255)
    return block


def tar_host(**more):
    """A tar header whose name field is the prefix and the header of a safetensors file."""
    header = ('{"w":' + entry("U8", (424,), 0, 424) + "}").ljust(80)
    block = tar_block(**more)
    block[:100] = (le64(80) + header.encode()).ljust(100, b"\0")
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return block


def tars():
    code = "polyglot-tar"
    for what, more in (("ustar", {}), ("gnu", {"gnu": True}), ("v7", {"v7": True})):
        case(f"tar-{what}", bytes(tar_host(**more)), code, "a header block that every tar opens")
    wrong = tar_host()
    wrong[148:156] = b"%06o\0 " % (int(bytes(wrong[148:154]), 8) + 1)
    case("tar-sum-off-by-one", bytes(wrong), "", "the checksum decides")
    spaced = tar_host()
    spaced[148:156] = b"%6o\0 " % int(bytes(spaced[148:154]), 8)
    case("tar-spaced-sum", bytes(spaced), code, "old tars pad with spaces")
    case("tar-511-bytes", file(('{"w":' + entry("U8", (423,), 0, 423) + "}").ljust(80), bytes(tar_host()[88:511])), "",
         "one byte short of a block")
    case("tar-name-says-ustar", one(name="ustar" * 60), "", "letters in a name")


def others():
    pdf = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"
    case("pdf-at-1023", filled("", pdf, 1023), "polyglot-pdf", "the last place readers look at")
    case("pdf-at-1024", filled("", pdf, 1024), "polyglot-pdf", "some look everywhere")
    case("pdf-in-name", one(name="%PDF-1.7"), "polyglot-pdf", "a marker with a version")
    case("pdf-mention", file('{"__metadata__":{"about":"reads %PDF-1.4 files"}}'), "pdf-marker-no-objects", "people write about PDF")
    case("pdf-lower-case", one(name="%pdf-1.7"), "", "no marker")
    case("pdf-cut-marker", one(name="%PDF 1.7"), "", "no marker")
    hdf5 = b"\x89HDF\r\n\x1a\n"
    for version in range(4):
        case(f"hdf5-at-512-version-{version}", filled("", hdf5 + bytes([version]) + bytes(87), 512), "polyglot-hdf5",
             "a superblock of a version that exists")
    case("hdf5-at-512-version-4", filled("", hdf5 + b"\4" + bytes(87), 512), "", "no such version")
    case("hdf5-at-1024", filled("", hdf5 + bytes(88), 1024), "polyglot-hdf5", "doubling offsets")
    case("hdf5-at-65536", filled("", hdf5 + bytes(88), 65536), "polyglot-hdf5", "at the border of what is kept")
    case("hdf5-at-131072", filled("", hdf5 + bytes(88), 131072), "polyglot-hdf5", "and beyond it")
    case("hdf5-at-1536", filled("", hdf5 + bytes(88), 1536), "", "no reader looks there")
    case("hdf5-at-513", filled("", hdf5 + bytes(88), 513), "", "one byte off")
    case("hdf5-cut", filled("", hdf5, 512), "", "a signature without a superblock")
    for what, n in (("zip", 0x04034B50), ("shebang", 0x2123), ("mz", 0x5A4D), ("gzip", 0x088B1F)):
        if n < 70000:
            case(f"magic-{what}", file("{}".ljust(n)), "polyglot-magic", "the length spells a signature")
        else:  # taken for what the signature says
            refused(f"magic-{what}", file("{}", n=n), "format-extension-mismatch safetensors-header-past-eof " +
                    {"zip": "zip-eocd-missing", "gzip": "wrapper-truncated format-unknown"}[what],
                    "the length spells a signature")
    for n in (640, 896, 1152, 1408, 8312, 40056, 11923):
        case(f"magic-none-{n}", file("{}".ljust(n)), "", "an honest length that spells a two-byte prefix")
    case("magic-gguf-in-data", filled("", b"GGUF" + bytes(40)), "", "signatures inside weights mean nothing")


def tfrecords():
    """The header's first four bytes must be the checksum of its length, and JSON: found by search."""
    n = 318_506
    start = struct.pack("<I", masked(crc32c(le64(n))))
    assert start[:2] == b'{"', start
    header = (start.decode() + '":' + entry("U8", (0,), 0, 0) + "}").ljust(n)
    case("tfrecord-whole", file(header), "polyglot-tfrecord", "length and checksum of a TFRecord")
    case("tfrecord-off-by-one", file(header[:-1]), "", "another length, another checksum")


# -- what is no safetensors file, and what a policy sets

POINTER = ("version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12345\n").encode()
LIMITS = "version: 1\nname: limited\nlimits:\n  {}: {}\n"


def unknown():
    case("lfs-pointer", POINTER, "lfs-pointer-unresolved", "git-lfs was not run", reference="other")
    refused("lfs-pointer-with-crlf", POINTER.replace(b"\n", b"\r\n"), "safetensors-header-too-large",
            "not the grammar: then it is what its name says, and broken")
    case("text.txt", b"Hello.\n", "format-side-file", "text beside a model")
    case("text.onnx", b"Hello.\n", "onnx-group onnx-unknown-field", "text that promises to be a model", reference="other")
    case("control.bin", b"Hello.\1\n", "format-unknown", "a control character is no text", reference="other")
    case("nothing.bin", b"", "format-unknown", "no byte at all", reference="other")
    case("json.json", b'{"a":1}', "format-side-file", "JSON without a length is no safetensors")
    case("model.dat", one(), "", "content decides, not the name")
    refused("random.safetensors", bytes(range(128, 256)), "safetensors-header-too-large", "the name claims it")


def policies():
    case("format-denied", one(), "format-not-allowed", "a policy that denies the format", expect="reject",
         policy="version: 1\nname: no\nformats:\n  deny: [safetensors]\n")
    case("unknown-not-listed.bin", b"Hello.\1\n", "format-unknown format-not-allowed", "only safetensors is allowed",
         expect="reject", reference="other", policy="version: 1\nname: only\nformats:\n  allow: [safetensors]\n")
    case("unknown-tolerated.bin", b"Hello.\1\n", "", "a rule cannot make unknown content accepted", expect="review",
         reference="other", policy="version: 1\nname: sides\nrules:\n  - code: format-unknown\n    action: accept\n"
         "    reason: side files\n    expires: 2999-01-01\n")
    size = len(one())
    case("limit-size-last", one(), "", "as large as the policy allows", policy=LIMITS.format("file-size", size))
    case("limit-size-first", one(), "limit-size", "one byte more", expect="error",
         policy=LIMITS.format("file-size", size - 1))
    pair = file('{"a":' + entry("U8", (0,), 0, 0) + ',"b":' + entry("U8", (0,), 0, 0) + "}")
    case("limit-tensors-last", pair, "", "as many tensors as the policy allows", policy=LIMITS.format("tensors", 2))
    case("limit-tensors-first", pair, "limit-tensors", "one more", expect="reject", policy=LIMITS.format("tensors", 1))
    keys = file('{"__metadata__":{"a":"1","b":"2"}}')
    case("limit-metadata-keys-last", keys, "", "as many keys as the policy allows",
         policy=LIMITS.format("metadata-keys", 2))
    case("limit-metadata-keys-first", keys, "limit-metadata-keys", "one more", expect="reject",
         policy=LIMITS.format("metadata-keys", 1))
    header_bytes = struct.unpack("<Q", one()[:8])[0]
    case("limit-header-last", one(), "", "a header as long as the policy allows",
         policy=LIMITS.format("header-bytes", header_bytes))
    case("limit-header-first", one(), "safetensors-header-too-large", "one byte more",
         policy=LIMITS.format("header-bytes", header_bytes - 1))
    case("limit-memory-enough", one(), "", "memory for a small file", policy=LIMITS.format("memory", "4 MiB"))
    case("limit-memory-spent", one(), "limit-memory", "not even that", expect="error",
         policy=LIMITS.format("memory", "1 KiB"))


CORPUS.make(lengths, around, json_text, utf8, entries, metadata, dtypes, integers, shapes, ranges, names, elements,
            zips, tars, others, tfrecords, unknown, policies)
