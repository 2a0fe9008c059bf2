#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small deathtensors files that each break one rule of
formats/deathtensors, and near misses that break none.  Always the same bytes, made without any library.

`codes` are exactly the codes of the verdict; the first word of a name is the section whose cases are near misses of each
other."""
import hashlib
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"dt-order", "dt-no-authenticity", "weights-inf-mask"}
REVIEWED = {"dt-metadata-control", "dt-metadata-unicode", "weights-nan", "weights-inf", "weights-bool-invalid"}
FOOTER, HEADER_MAX = 2, 100_000_000
DTYPES = {"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "I64": 8,
          "U64": 8, "F64": 8, "C64": 8, "C128": 16}
CORPUS = Cases(".dt", ACCEPTED, REVIEWED, sections=True)
case = CORPUS.case


# -- files

def entry(dtype="F32", shape="[2]", offsets="[0,8]", rest=""):
    return f'{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}{rest}}}'


def header(tensors="", rest="", format_name='"deathtensors"', version="1"):
    """@tensors: the text between the braces."""
    return f'{{"format":{format_name},"format_version":{version},"tensors":{{{tensors}}}{rest}}}'


def file_of(text, data=b"", version=1, flags=0, n=None, padding=None, footer=None):
    """Prefix, header, padding, data, and a right footer if the flag says so; the others lie."""
    text = text if isinstance(text, bytes) else text.encode()
    hashed = text + (bytes(-len(text) % 8) if padding is None else padding) + data
    if footer is None:
        footer = hashlib.sha256(hashed).digest() if flags & FOOTER else b""
    return b"DTLEGION" + struct.pack("<IIQ", version, flags, len(text) if n is None else n) + hashed + footer


def one(dtype="F32", shape="[2]", offsets="[0,8]", data=bytes(8), rest="", name="w", flags=0):
    return file_of(header(f'"{name}":{entry(dtype, shape, offsets, rest)}'), data, flags=flags)


def two(a, b, data, extra=""):
    """Two tensors of bytes in these ranges."""
    def of(r):
        return entry("U8", f"[{r[1] - r[0]}]", f"[{r[0]},{r[1]}]")
    return file_of(header(f'"a":{of(a)},"b":{of(b)}{extra}'), data)


def sized(n, tensors=""):
    """A header of n bytes, padded by the name of a key in the metadata."""
    short = header(tensors, ',"global_metadata":{"":""}')
    text = header(tensors, f',"global_metadata":{{"":"{"x" * (n - len(short))}"}}')
    assert len(text) == n
    return text


SOUND = one()


# -- sections

def prefixes():
    case("prefix-sound", SOUND, why="two zeros")
    case("prefix-other-name.bin", SOUND, why="content decides")
    case("prefix-magic", b"DTLEGIOM" + SOUND[8:], "dt-bad-magic", "one letter of the magic differs")
    case("prefix-first-letter", b"d" + SOUND[1:], "dt-bad-magic", "the first letter in lower case")
    case("prefix-empty", b"", "dt-truncated", "no byte at all")
    case("prefix-seven-bytes", SOUND[:7], "dt-truncated", "not even the magic")
    case("prefix-23-bytes", SOUND[:23], "dt-truncated", "one byte short of the prefix")
    case("prefix-24-bytes", SOUND[:24], "dt-header-size", "the prefix and nothing else")
    for version in (0, 2, 0xffffffff):
        case(f"prefix-version-{version}", file_of(header(), version=version), "dt-version", "a version that is not defined")
    for bit, code in ((0, "reserved"), (2, "reserved"), (3, "unknown"), (31, "unknown")):
        case(f"prefix-flag-{bit}", file_of(header(), flags=1 << bit), f"dt-flag-{code}", "a flag nobody may set")
    case("prefix-flags-all", file_of(header(), flags=0xffffffff), "dt-flag-reserved dt-flag-unknown", "every flag")
    case("prefix-safetensors", struct.pack("<Q", 2) + b"{}" + bytes(14), "dt-bad-magic format-extension-mismatch "
         "safetensors-data-trailing", "another format under this name")
    for n in (0, 1, HEADER_MAX + 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 24):
        case(f"prefix-size-{n}", file_of(header(), n=n), "dt-header-size", "a size that no header has")
    case("prefix-size-largest", file_of(header(), n=HEADER_MAX), "dt-header-size", "allowed, but not in this file")
    text = sized(160)
    case("prefix-size-to-the-end", file_of(text), why="nothing behind the header")
    case("prefix-size-past-the-end", file_of(text, n=161), "dt-header-size", "one byte more than there is")


def paddings():
    for p in range(8):
        text = sized(168 - p, f'"w":{entry()}')
        case(f"padding-{p}", file_of(text, bytes(8)), why=f"{p} bytes of padding")
        case(f"padding-{p}-footer", file_of(text, bytes(8), flags=FOOTER), "dt-no-authenticity", f"{p} bytes, and a footer")
    text = sized(163, f'"w":{entry()}')
    case("padding-first-one", file_of(text, bytes(8), padding=b"\1\0\0\0\0"), "dt-padding-nonzero", "the first byte is 1")
    case("padding-last-one", file_of(text, bytes(8), padding=b"\0\0\0\0\1"), "dt-padding-nonzero", "the last byte is 1")
    case("padding-spaces", file_of(text, bytes(8), padding=b" " * 5), "dt-padding-nonzero", "spaces, as in another format")
    case("padding-cut", file_of(sized(163), padding=bytes(4)), "dt-truncated", "one byte is missing")
    full = sized(168, f'"w":{entry()}')
    case("padding-eight", file_of(full, bytes(16)), "dt-padding-ambiguous", "where none is needed")
    case("padding-eight-nan", file_of(full, bytes(8) + struct.pack("<2f", 1, float("nan"))),
         "dt-padding-ambiguous weights-nan", "the weights are those behind it", nonfinite={"w": counts(nan=1)})
    case("padding-eight-empty", file_of(sized(168), bytes(8)), "dt-padding-ambiguous", "and no tensors")
    case("padding-eight-last-one", file_of(full, bytes(7) + b"\1" + bytes(8)), "dt-trailing-bytes", "the eighth is no zero")
    case("padding-sixteen", file_of(full, bytes(24)), "dt-trailing-bytes", "two units of it")
    case("padding-eight-more", file_of(sized(167, f'"w":{entry()}'), bytes(16)), "dt-trailing-bytes", "where one is needed")


def footers():
    sound = one(flags=FOOTER)
    case("footer-sound", sound, "dt-no-authenticity", "the SHA-256 of header, padding and data")
    case("footer-none", SOUND, why="no footer and no flag")
    case("footer-empty", file_of(header(), flags=FOOTER), "dt-no-authenticity", "no tensors")
    for name, at in (("footer", -1), ("data", -33), ("header", 40)):
        flipped = bytearray(sound)
        flipped[at] ^= 1
        codes = {"header": "dt-checksum dt-format-name"}.get(name, "dt-checksum")
        case(f"footer-bit-in-{name}", bytes(flipped), codes, f"one bit of the {name} differs")
    case("footer-missing", sound[:-32], "dt-truncated", "the flag without the footer, and no room for one")
    case("footer-missing-data", one("U8", "[64]", "[0,64]", bytes(64), flags=FOOTER)[:-32],
         "dt-checksum dt-offsets dt-trailing-bytes",
         "the flag without the footer: the last bytes of the data are none")
    case("footer-flag-cleared", sound[:12] + bytes(4) + sound[16:], "dt-trailing-bytes", "the footer without the flag")
    case("footer-cut", sound[:-1], "dt-checksum dt-offsets dt-trailing-bytes", "one byte short")
    case("footer-prefix-hashed", one(flags=FOOTER)[:-32] + hashlib.sha256(sound[:-32]).digest(), "dt-checksum",
         "the prefix is not covered")
    case("footer-blob-hashed", sound[:-32] + hashlib.sha256(bytes(8)).digest(), "dt-checksum", "not the data alone")
    case("footer-upper-half", sound[:-16] + bytes(16), "dt-checksum", "half of it")
    case("footer-into", file_of(header(f'"w":{entry("U8", "[9]", "[0,9]")}'), bytes(8), flags=FOOTER),
         "dt-no-authenticity dt-offsets dt-trailing-bytes", "a tensor that reaches into it")


def jsons():
    text = header()
    case("json-sound", file_of(text), why="no tensors")
    case("json-spaced", file_of(text.replace(",", " , ").replace(":", " :\n\t")), why="whitespace between tokens")
    case("json-escaped", file_of(text.replace('"tensors"', '"\\u0074ensors"').replace("dea", "d\\u0065a")), why="escapes")
    case("json-mark", file_of(b"\xef\xbb\xbf" + text.encode()), "dt-header-whitespace", "a byte order mark")
    case("json-space-before", file_of(" " + text), "dt-header-whitespace", "a space before the object")
    case("json-space-behind", file_of(text + " "), "dt-header-whitespace", "a space behind the object")
    case("json-zeros-behind", file_of(text + "\0\0"), "dt-header-whitespace", "padding that belongs behind the header")
    case("json-letter-behind", file_of(text + "x"), "dt-json-syntax", "a letter behind the object")
    case("json-mark-alone", file_of(b"\xef\xbb\xbf"), "dt-header-whitespace dt-json-syntax", "nothing else")
    case("json-array", file_of("[]"), "dt-json-syntax", "no object")
    case("json-cut", file_of(text[:-1]), "dt-json-syntax", "the last brace is missing")
    case("json-comma", file_of(text[:-1] + ",}"), "dt-json-syntax", "a comma too many")
    case("json-empty", file_of("{}"), "dt-key-missing", "an object without keys")
    case("json-utf8", file_of(header('"\xff"').encode("latin-1")), "dt-header-utf8",
         "a byte that is no UTF-8")
    case("json-utf8-overlong", file_of(header(rest=',"created_by":"@"').encode().replace(b"@", b"\xc0\x80")),
         "dt-header-utf8", "NUL in two bytes")
    case("json-umlaut", file_of(header(f'"\u00fc":{entry()}'), bytes(8)), why="a letter of two bytes")
    deep = header(rest=',"x":@')
    for n in (4, 5, 100):
        code = "dt-json-depth" if n > 4 else "dt-key-unknown"
        case(f"json-depth-{n + 1}", file_of(deep.replace("@", "[" * n + "]" * n)),
             "dt-json-depth dt-key-unknown" if n > 4 else code, f"{n} brackets in the object")
    case("json-surrogate", file_of(header(rest=',"created_by":"\\ud800"')), "dt-json-surrogate", "half a pair")
    case("json-surrogates", file_of(header(rest=',"created_by":"\\ud83d\\ude00"')), why="a whole pair")


def keys():
    case("key-all", file_of(header(f'"w":{entry(rest=",@metadata@:{@k@:@v@}".replace("@", chr(34)))}',
                                   ',"created_by":"x","global_metadata":{"k":"v"}'), bytes(8)), why="every key there is")
    case("key-format-missing", file_of('{"format_version":1,"tensors":{}}'), "dt-key-missing", "no format")
    case("key-version-missing", file_of('{"format":"deathtensors","tensors":{}}'), "dt-key-missing", "no version")
    case("key-tensors-missing", file_of('{"format":"deathtensors","format_version":1}'), "dt-key-missing", "no tensors")
    for field, rest in (("dtype", '"shape":[2],"data_offsets":[0,8]'), ("shape", '"dtype":"F32","data_offsets":[0,8]'),
                        ("offsets", '"dtype":"F32","shape":[2]')):
        case(f"key-{field}-missing", file_of(header(f'"w":{{{rest}}}'), bytes(8)), "dt-key-missing", f"no {field}")
    case("key-unknown", file_of(header(rest=',"x":[{"y":null}]')), "dt-key-unknown", "a key nobody knows")
    case("key-unknown-safetensors", file_of(header(rest=',"__metadata__":{}')), "dt-key-unknown", "that of another format")
    case("key-unknown-case", file_of(header(rest=',"Created_by":""')), "dt-key-unknown", "a capital")
    case("key-unknown-field", one(rest=',"order":"C"'), "dt-key-unknown", "in an entry")
    for name in ("format", "format_version", "created_by", "global_metadata", "tensors"):
        value = {"format": '"deathtensors"', "format_version": "1", "created_by": '"x"'}.get(name, "{}")
        rest = f',"{name}":{value}' * (2 if name in ("created_by", "global_metadata") else 1)
        case(f"key-twice-{name}", file_of(header(rest=rest)), "dt-key-duplicate", "twice at the top")
    case("key-twice-escaped", file_of(header(rest=',"\\u0066ormat":"deathtensors"')), "dt-key-duplicate", "by an escape")
    case("key-twice-dtype", one(rest=',"dtype":"F32"'), "dt-key-duplicate", "in an entry")
    case("key-twice-tensor", two((0, 4), (4, 8), bytes(8), ',"a":' + entry("U8", "[0]", "[8,8]")), "dt-key-duplicate",
         "two tensors of one name")
    case("key-twice-tensor-escaped", two((0, 4), (4, 8), bytes(8), ',"\\u0061":' + entry("U8", "[0]", "[8,8]")),
         "dt-key-duplicate", "two tensors of one name, one of them by an escape")
    many = ",".join(f'"t{i}":' + entry("U8", "[1]", f"[{i},{i + 1}]") for i in range(40))
    case("key-once-forty", file_of(header(many), bytes(40)), why="forty tensors")
    case("key-twice-forty", file_of(header(many + ',"t17":' + entry("U8", "[0]", "[40,40]")), bytes(40)),
         "dt-key-duplicate", "forty tensors and one of them twice")
    case("key-twice-metadata", file_of(header(rest=',"global_metadata":{"a":"1","\\u0061":"1"}')), "dt-key-duplicate",
         "in the metadata")
    case("key-twice-tensor-metadata", one(rest=',"metadata":{"a":"1","a":"1"}'), "dt-key-duplicate",
         "in a tensor's metadata")
    case("key-once-in-each", file_of(header('"a":' + entry("U8", "[0]", "[0,0]", ',"metadata":{"a":"1"}') + ',"b":' +
                                            entry("U8", "[0]", "[0,0]", ',"metadata":{"a":"1"}'),
                                            ',"global_metadata":{"a":"1"}')), why="the same key in several objects")
    case("key-type-format", file_of(header(format_name="1")), "dt-key-type", "a number for the format")
    case("key-type-version", file_of(header(version='"1"')), "dt-key-type", "a string for the version")
    case("key-type-tensors", file_of('{"format":"deathtensors","format_version":1,"tensors":[]}'), "dt-key-type", "a list")
    case("key-type-entry", file_of(header('"w":["F32",[2],[0,8]]')), "dt-key-type", "a list for an entry")
    case("key-type-dtype", file_of(header('"w":{"dtype":{"F32":null},"shape":[2],"data_offsets":[0,8]}'), bytes(8)),
         "dt-key-type", "an object for a type")
    case("key-type-metadata", file_of(header(rest=',"global_metadata":{"a":1}')), "dt-key-type", "a number in the metadata")
    case("key-type-metadata-null", file_of(header(rest=',"global_metadata":null')), "dt-key-type", "null")
    case("key-type-tensor-metadata", one(rest=',"metadata":{"a":{"b":"c"}}'), "dt-key-type", "an object in the metadata")
    case("key-type-created", file_of(header(rest=',"created_by":[]')), "dt-key-type", "a list")
    case("key-created-1024", file_of(header(rest=f',"created_by":"{"x" * 1024}"')), why="as long as it may be")
    case("key-created-1025", file_of(header(rest=f',"created_by":"{"x" * 1025}"')), "dt-key-type", "one byte longer")
    case("key-format-name", file_of(header(format_name='"DeathTensors"')), "dt-format-name", "in capitals")
    case("key-format-longer", file_of(header(format_name='"deathtensors2"')), "dt-format-name", "and a letter")
    for version in (0, 2):
        case(f"key-version-{version}", file_of(header(version=str(version))), "dt-version-mismatch",
             "not that of the prefix")


def names():
    case("name-one", one(name="a"), why="one letter")
    case("name-1024", one(name="x" * 1024), why="as long as it may be")
    case("name-1024-escaped", one(name="\\u0061" * 1024), why="what counts is the decoded name")
    case("name-1025", one(name="x" * 1025), "dt-name-length", "one byte longer")
    case("name-empty", one(name=""), "dt-name-length", "none")
    case("name-metadata", one(name="__metadata__"), why="a name like any other")
    case("name-slash", one(name="model/layer.0/w"), why="folders")
    case("name-climbs", one(name="a/../../w"), "dt-name-path", "out of the folder")
    case("name-dots", one(name="a..b"), why="dots in a component")
    case("name-nul", one(name="a\\u0000b"), "dt-name-control", "NUL by an escape")
    case("name-escape", one(name="\\u001b[2J"), "dt-name-control", "acts on terminals")
    case("name-delete", one(name="a\x7f"), "dt-name-control", "DEL")
    case("name-line", one(name="a\\nb"), "dt-name-control", "a line feed")
    case("name-override", one(name="a\u202eb"), "dt-name-unicode", "runs backwards")
    case("name-invisible", one(name="a\\u200bb"), "dt-name-unicode", "a space without width")
    case("name-greek", one(name="\u03b1"), why="a letter that is seen")


def metadata():
    def of(text):
        return file_of(header(rest=f',"global_metadata":{{"k":"{text}"}}'))
    case("meta-empty", file_of(header(rest=',"global_metadata":{}')), why="no keys")
    case("meta-lines", of("a\\nb\\tc"), why="text of several lines")
    case("meta-page", of("<script>alert(1)</script>"), why="opaque text")
    case("meta-escape", of("\\u001b[2J"), "dt-metadata-control", "acts on terminals")
    case("meta-nul", of("a\\u0000"), "dt-metadata-control", "NUL")
    case("meta-override", of("a\u202eb"), "dt-metadata-unicode", "runs backwards")
    case("meta-key-escape", file_of(header(rest=',"global_metadata":{"\\u001b":""}')), "dt-metadata-control", "in a key")
    case("meta-tensor-escape", one(rest=',"metadata":{"k":"\\u001b"}'), "dt-metadata-control", "of a tensor")
    case("meta-created-escape", file_of(header(rest=',"created_by":"\\u001b"')), "dt-metadata-control", "who wrote it")


def numbers():
    for text, why in (("-1", "a sign"), ("-0", "a sign"), ("1.0", "a fraction"), ("1e3", "an exponent"), ("01", "a zero"),
                      ("00", "a zero"), ("9223372036854775808", "2^63"), ("18446744073709551616", "2^64")):
        case(f"number-shape-{text.replace('.', '_')}", one(shape=f"[{text}]"), "dt-number-form", why)
    case("number-shape-largest", one(shape="[9223372036854775807,0]", offsets="[0,0]", data=b""), "dt-size-overflow",
         "2^63-1 is a number; times four bytes it is too much")
    case("number-shape-largest-byte", one("U8", "[9223372036854775807,0]", "[0,0]", b""), why="2^63-1 times nothing")
    case("number-offset-largest", one("U8", "[1]", "[9223372036854775806,9223372036854775807]", b""), "dt-offsets",
         "a number, but not in this file")
    case("number-offset-2-53", one("U8", "[1]", "[9007199254740992,9007199254740993]", b""), "dt-offsets",
         "alike for readers with floating-point numbers")
    case("number-offset-sign", one(offsets="[-0,8]"), "dt-number-form", "a sign")
    case("number-version", file_of(header(version="1.0")), "dt-number-form", "a fraction")
    case("number-version-zero", file_of(header(version="01")), "dt-number-form", "a zero in front")
    case("number-spaces", one(shape="[ 2 ]", offsets="[ 0 , 8 ]"), why="whitespace around numbers")


def shapes():
    case("shape-scalar", one("F64", "[]", "[0,8]"), why="one element")
    case("shape-zero", one("F32", "[0,3]", "[0,0]", b""), why="no element")
    case("shape-32", one("U8", "[" + ",".join(["1"] * 32) + "]", "[0,1]", b"\0"), why="as many dimensions as there may be")
    case("shape-33", one("U8", "[" + ",".join(["1"] * 33) + "]", "[0,1]", b"\0"), "dt-shape", "one more")
    case("shape-text", one(shape='"2"'), "dt-shape", "a string")
    case("shape-item-text", one(shape='["2"]'), "dt-shape", "a string in the list")
    case("shape-null", one(shape="null"), "dt-shape", "null")
    case("shape-nested", one(shape="[[2]]"), "dt-shape", "a list in the list")
    for a, b in ((32, 32), (31, 32)):
        case(f"shape-2-{a}-2-{b}", one("U8", f"[{1 << a},{1 << b}]", "[0,0]", b""),
             "dt-size-overflow" if a == 32 else "dt-size-mismatch", "wraps to nothing" if a == 32 else "does not wrap")
    case("shape-zero-hides", one("F32", "[0,4294967296,4294967296]", "[0,0]", b""), "dt-size-overflow", "behind a zero")
    case("shape-zero-last", one("F32", "[4294967296,4294967296,0]", "[0,0]", b""), "dt-size-overflow", "before a zero")
    case("shape-one-more", one(shape="[3]"), "dt-size-mismatch", "an element too many")
    case("shape-one-less", one(shape="[1]"), "dt-size-mismatch", "an element too few")
    case("shape-one-byte", one("F32", "[2]", "[0,7]", bytes(7)), "dt-size-mismatch", "a byte too few")


def offsets():
    case("offset-two", two((0, 8), (8, 16), bytes(16)), why="one after the other")
    case("offset-order", two((8, 16), (0, 8), bytes(16)), "dt-order", "the second first")
    case("offset-order-empty", two((0, 4), (4, 8), bytes(8), ',"c":' + entry("U8", "[0]", "[0,0]")),
         why="an empty one has no place in the order")
    case("offset-one-number", one(offsets="[8]"), "dt-offsets", "one number")
    case("offset-three-numbers", one(offsets="[0,8,8]"), "dt-offsets", "three numbers")
    case("offset-no-number", one(offsets="[]"), "dt-offsets", "none")
    case("offset-text", one(offsets='"0,8"'), "dt-offsets", "a string")
    case("offset-item-text", one(offsets='[0,"8"]'), "dt-offsets", "a string in the list")
    case("offset-backwards", one(offsets="[8,0]"), "dt-offsets", "ends before it begins")
    case("offset-past", one("U8", "[9]", "[0,9]"), "dt-offsets dt-trailing-bytes",
         "one byte past the blob: then none of it is the tensor's")
    case("offset-overlap", two((0, 8), (7, 15), bytes(15)), "dt-tensor-overlap", "one byte is shared")
    case("offset-same", two((0, 8), (0, 8), bytes(8)), "dt-tensor-overlap", "all bytes are shared")
    case("offset-gap-1", two((0, 7), (8, 15), bytes(15)), "dt-tensor-gap-aligned", "one zero, up to a multiple of 8")
    case("offset-gap-4", two((0, 4), (8, 16), bytes(16)), "dt-tensor-gap-aligned", "four zeros, up to a multiple of 8")
    case("offset-gap-7", two((0, 1), (8, 16), bytes(16)), "dt-tensor-gap-aligned", "seven zeros, up to a multiple of 8")
    case("offset-gap-4-reversed", two((8, 16), (0, 4), bytes(16)), "dt-order dt-tensor-gap-aligned", "the second first")
    case("offset-gap-4-one", two((0, 4), (8, 16), bytes(7) + b"\1" + bytes(8)), "dt-tensor-gap", "not all zeros")
    case("offset-gap-unaligned", two((0, 4), (5, 16), bytes(16)), "dt-tensor-gap", "up to no multiple of 8")
    case("offset-gap-8", two((0, 8), (16, 24), bytes(24)), "dt-tensor-gap", "a whole unit")
    case("offset-gap-16", two((0, 8), (24, 32), bytes(32)), "dt-tensor-gap", "sixteen zeros")
    case("offset-gap-first", one("U8", "[8]", "[8,16]", bytes(16)), "dt-tensor-gap", "the first begins late")
    case("offset-trailing", one(data=bytes(9)), "dt-trailing-bytes", "one byte behind the last")
    case("offset-trailing-none", file_of(header(), b"\0"), "dt-trailing-bytes", "one byte without a tensor")


def types():
    tensors, at = [], 0
    for name, n in DTYPES.items():
        tensors.append(f'"{name}":' + entry(name, "[3]", f"[{at},{at + 3 * n}]"))
        at += 3 * n
    case("type-all", file_of(header(",".join(tensors)), bytes(at), flags=FOOTER), "dt-no-authenticity", "all there are")
    for name in ("f32", "F8", "F8_E4M3", "F128", "C32", "Q4_0", "BOOLEAN", ""):
        case("type-" + {"": "empty", "f32": "lower-case"}.get(name, name), one(name, "[8]", "[0,8]"), "dt-dtype-unknown",
             "no type of this format")
    case("type-escaped", one("\\u0046\\u0033\\u0032"), why="what counts is the decoded name")


def weights():
    nan16, nan_b16 = b"\x00\x7e", b"\xc0\x7f"
    nan, inf = float("nan"), float("inf")
    case("weights-f16", one("F16", "[4]", data=nan16 + bytes(6)), "weights-nan", "F16", nonfinite={"w": counts(nan=1)})
    case("weights-bf16", one("BF16", "[4]", data=bytes(6) + nan_b16), "weights-nan", "BF16", nonfinite={"w": counts(nan=1)})
    case("weights-f32", one(data=struct.pack("<2f", 1, nan)), "weights-nan", "F32", nonfinite={"w": counts(nan=1)})
    case("weights-f64", one("F64", "[1]", data=struct.pack("<d", nan)), "weights-nan", "F64", nonfinite={"w": counts(nan=1)})
    case("weights-c64", one("C64", "[1]", data=struct.pack("<2f", 1, nan)), "weights-nan", "the imaginary half",
         nonfinite={"w": counts(nan=1)})
    case("weights-c128", one("C128", "[1]", "[0,16]", struct.pack("<2d", nan, inf)), "weights-inf weights-nan",
         "either half",
         nonfinite={"w": counts(nan=1, pos_inf=1)})
    case("weights-inf", one(data=struct.pack("<2f", 1, -inf)), "weights-inf", "minus infinity",
         nonfinite={"w": counts(neg_inf=1)})
    case("weights-mask", one(data=struct.pack("<2f", 0, -inf)), "weights-inf-mask", "a mask",
         nonfinite={"w": counts(neg_inf=1)})
    case("weights-bool", one("BOOL", "[8]", data=bytes(7) + b"\1"), why="0 and 1")
    case("weights-bool-2", one("BOOL", "[8]", data=bytes(7) + b"\2"), "weights-bool-invalid", "2", bool_invalid={"w": 1})
    case("weights-unaligned", file_of(header('"a":' + entry("U8", "[1]", "[0,1]") + ',"w":' + entry("F64", "[2]", "[1,17]")),
                                      b"\0" + struct.pack("<2d", 1, nan)), "weights-nan", "at an odd offset",
         nonfinite={"w": counts(nan=1)})


CORPUS.make(prefixes, paddings, footers, jsons, keys, names, metadata, numbers, shapes, offsets, types, weights)
