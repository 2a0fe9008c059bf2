#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: numbers that reach an array, or a scalar of NumPy, by way of a text:
protocols below 3 have no bytes.  Of each form one that holds a NaN or an infinity, and one that is finite.

`codes` are exactly the codes of the verdict.  The opcodes are written by hand, as CPython 3.11 and NumPy 1.24 write them.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

DATA, ALLOWED, NAN, INF = "pickle-data-only", "pickle-global-allowed", "weights-nan", "weights-inf"
CORPUS = Cases(".pkl", {DATA, ALLOWED, "weights-unfilled"}, {NAN, INF, "pickle-arguments", "pickle-array-types"}, sections=True)
case = CORPUS.case

REDUCE, BUILD, STOP, NONE = b"R", b"b", b".", b"N"
FINITE = struct.pack("<3f", 1.0, -300.125, 3e38)
BAD = struct.pack("<3f", 1.0, float("nan"), 2.0)
LARGE = struct.pack("<f", 0.1) * 5000


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def tup(*items):
    return b"(" + b"".join(items) + b"t"


def call(module, attribute, *arguments):
    return name(module, attribute) + tup(*arguments) + REDUCE


def integer(n):
    return b"I%d\n" % n


def utf8(content):
    """BINUNICODE, from protocol 1 on."""
    encoded = content.decode("latin1").encode()
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def line(content):
    """UNICODE, of protocol 0."""
    escaped = content.decode("latin1").replace("\\", "\\u005c").replace("\0", "\\u0000").replace("\n", "\\u000a")
    return b"V" + escaped.encode("raw-unicode-escape") + b"\n"


def quoted(content):
    """STRING, of Python 2."""
    return b"S'" + b"".join(b"\\x%02x" % c for c in content) + b"'\n"


def string(content):
    """BINSTRING, of Python 2."""
    return b"T" + struct.pack("<I", len(content)) + content


def encoded(text, codec=b"latin1"):
    return call("_codecs", "encode", text, utf8(codec))


def dtype(text="f4", order=b"<"):
    state = tup(integer(3), utf8(order), NONE, NONE, NONE, integer(-1), integer(-1), integer(0))
    return call("numpy", "dtype", utf8(text.encode()), b"I00\n", b"I01\n") + state + BUILD


def array(content, count, kind="f4", order=b"<"):
    made = call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tup(integer(0)), encoded(utf8(b"b")))
    return made + tup(integer(1), tup(integer(count)), dtype(kind, order), b"I00\n", content) + BUILD


def scalar(content, kind="f8", order=b"<"):
    return call("numpy.core.multiarray", "scalar", dtype(kind, order), content)


def both(form, write, why, count=3, **more):
    case(f"{form}-finite", array(write(FINITE), count) + STOP, ALLOWED, why)
    case(f"{form}-nan", array(write(BAD), count) + STOP, f"{ALLOWED} {NAN}", why + ", one element of which is no number", **more)


def arrays():
    both("encoded", lambda c: encoded(utf8(c)), "as protocols 1 and 2 write it")
    both("line", lambda c: encoded(line(c)), "as protocol 0 writes it")
    both("unicode", line, "a line as the state: NumPy takes its characters")
    both("quoted", quoted, "a string of Python 2 in protocol 0")
    both("string", string, "and in protocol 2: as they are", nonfinite={"array-0": counts(1)})
    case("encoded-large", array(encoded(utf8(LARGE)), 5000) + STOP, ALLOWED, "more than one piece")
    case("encoded-large-nan", array(encoded(utf8(LARGE[:-4] + BAD[4:8])), 5000) + STOP, f"{ALLOWED} {NAN}", "and its last element")
    case("line-large-nan", array(encoded(line(LARGE[:-4] + BAD[4:8])), 5000) + STOP, f"{ALLOWED} {NAN}", "likewise in protocol 0")
    case("encoded-unfilled", array(encoded(utf8(struct.pack("<3f", *[float("nan")] * 3))), 3) + STOP, f"{ALLOWED} weights-unfilled",
         "a placeholder: not one is a number")
    case("encoded-big-endian", array(encoded(utf8(struct.pack(">2f", 1, float("nan")))), 2, order=b">") + STOP, f"{ALLOWED} {NAN}",
         "the other byte order")
    case("encoded-inf", array(encoded(utf8(FINITE[:8] + struct.pack("<f", float("inf")))), 3) + STOP, f"{ALLOWED} {INF}", "an infinity")
    case("encoded-integers", array(encoded(utf8(BAD)), 3, kind="i4") + STOP, ALLOWED, "the same bytes are integers here")


def forms():
    case("bytes-empty", array(call("builtins", "bytes"), 0) + STOP, ALLOWED, "an empty array, as protocol 2 writes it")
    case("bytes-list", array(call("builtins", "bytes", b"](" + b"".join(integer(c) for c in BAD) + b"e"), 3) + STOP,
         f"{ALLOWED} pickle-arguments", "nobody writes an array's bytes as a list")
    case("bytes-codec", array(encoded(utf8(BAD), b"latin-1"), 3) + STOP, f"{ALLOWED} pickle-arguments", "nor by another codec's name")
    case("bytes-short", array(encoded(utf8(FINITE[:8])), 3) + STOP, f"{ALLOWED} pickle-array-size", "fewer bytes than the shape needs")


def shared():
    kept = encoded(utf8(struct.pack("<3f", 1.0, 2.0, 3.0))) + b"p9\n0"  # finite as either
    case("shared-type", kept + b"(" + array(b"g9\n", 3) + array(b"g9\n", 3) + b"t" + STOP, ALLOWED, "one text of two arrays")
    case("shared-types", kept + b"(" + array(b"g9\n", 3) + array(b"g9\n", 6, kind="f2") + b"t" + STOP, f"{ALLOWED} pickle-array-types",
         "of two types: examined as one of them")


def scalars():
    good, bad = struct.pack("<d", 0.5), struct.pack("<d", float("nan"))
    for form, write in ("encoded", lambda c: encoded(utf8(c))), ("line", lambda c: encoded(line(c))), ("quoted", quoted), \
            ("bytes", lambda c: b"C" + bytes([len(c)]) + c):
        proto = b"\x80\x03" if form == "bytes" else b""
        case(f"scalar-{form}", proto + scalar(write(good)) + STOP, ALLOWED, "a scalar of NumPy")
        case(f"scalar-{form}-nan", proto + scalar(write(bad)) + STOP, f"{ALLOWED} {NAN}", "that is no number")
    case("scalar-integer", scalar(encoded(utf8(bad)), "i8") + STOP, ALLOWED, "an integer of the same bytes")


arrays()
forms()
shared()
scalars()
CORPUS.write()
