#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles by which code ran, or two readers read two things, while
every opcode of them looked harmless; and beside each the honest file that is one opcode, one argument, one word away.

`codes` are exactly the codes of the verdict; `policy`, where present, is a policy file the case is judged by instead of
`default`.  The opcodes are written by hand.  The payloads set a variable or print; tests/loaders/test_pickle.py gives them
to CPython.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

DATA, ALLOWED = "pickle-data-only", "pickle-global-allowed"
CORPUS = Cases(".pkl", {DATA, ALLOWED}, {"pickle-arguments", "pickle-getattr", "pickle-global-unknown"}, sections=True)
case = CORPUS.case

P4, NONE, STOP, POP = b"\x80\x04", b"N", b".", b"0"
REDUCE, BUILD, NEWOBJ, TUPLE, DICT, LIST = b"R", b"b", b"\x81", b")", b"}", b"]"


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def text(s):
    return b"\x8c" + bytes([len(s)]) + s.encode()


def data(content):
    return b"B" + struct.pack("<I", len(content)) + content


def integer(n):
    return b"K" + bytes([n]) if 0 <= n < 256 else b"J" + struct.pack("<i", n)


def tup(*items):
    return b"(" + b"".join(items) + b"t"


def mapping(**items):
    return DICT + b"(" + b"".join(text(k) + v for k, v in items.items()) + b"u"


def listing(*items):
    return LIST + b"(" + b"".join(items) + b"e"


def frame(n):
    return b"\x95" + struct.pack("<Q", n)


def framed(content):
    return frame(len(content)) + content


# -- frames

def frames():
    bounds = f"{DATA} pickle-frame-bounds"
    case("frame-after-frame", P4 + framed(LIST) + framed(NONE + b"a" + STOP), DATA, "one behind the other")
    for cut in range(1, 9):
        case(f"frame-cut-{cut}", P4 + frame(1 + cut) + LIST + frame(3) + NONE + b"a" + STOP, bounds,
             f"the second begins {cut} bytes before the end of the first")
    case("frame-inside", P4 + frame(10) + LIST + frame(3) + NONE + b"a" + STOP, bounds, "the second is the end of the first")
    big = bytes(1 << 16)
    case("frame-large", P4 + framed(LIST) + data(big) + framed(b"a" + STOP), DATA, "large bytes stand between frames")
    case("frame-large-inside", P4 + framed(LIST + data(big) + b"a" + STOP), DATA, "or inside one")
    case("frame-large-cut", P4 + frame(len(big)) + LIST + data(big) + b"a" + STOP, bounds, "but do not go on behind it")
    case("frame-opcode-cut", P4 + frame(2) + LIST + b"M\0\0a" + STOP, bounds, "an argument behind the frame of its opcode")
    case("frame-line", P4 + framed(LIST + b"I12\n") + b"a" + STOP, DATA, "a line ends with its frame")
    case("frame-line-cut", P4 + frame(3) + LIST + b"I12\na" + STOP, bounds, "a line goes on behind its frame")


# -- joblib

FLOAT32 = (name("numpy", "dtype") + tup(text("f4"), b"\x89", b"\x88") + REDUCE
           + tup(integer(3), text("<"), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + BUILD)
OBJECT = (name("numpy", "dtype") + tup(text("O8"), b"\x89", b"\x88") + REDUCE
          + tup(integer(3), text("|"), NONE, NONE, NONE, integer(-1), integer(-1), integer(63)) + BUILD)
BYTE = (name("numpy", "dtype") + tup(text("u1"), b"\x89", b"\x88") + REDUCE
        + tup(integer(3), text("|"), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + BUILD)


def wrapper(dtype, count):
    return (name("joblib.numpy_pickle", "NumpyArrayWrapper") + TUPLE + NEWOBJ
            + mapping(subclass=name("numpy", "ndarray"), shape=tup(integer(count)), order=text("C"), dtype=dtype,
                      allow_mmap=b"\x89") + BUILD)


def joblib(head, elements, tail, more=0):
    """@more: bytes that the frame around the description goes on behind it."""
    return P4 + frame(len(head) + more) + head + elements + tail


def arrays():
    floats = struct.pack("<4f", 1, 2, 3, 4)
    one, objects = wrapper(FLOAT32, 4), wrapper(OBJECT, 1)
    inner = P4 + framed(LIST + NONE + b"a" + STOP)
    case("joblib-framed.joblib", joblib(one, floats, STOP), ALLOWED, "the frame ends where the elements begin")
    case("joblib-inside.joblib", joblib(one, floats, STOP, 17), f"{ALLOWED} pickle-frame-bounds",
         "joblib reads the elements behind the frame")
    case("joblib-part.joblib", joblib(one, floats, STOP, 1), f"{ALLOWED} pickle-frame-bounds", "by one byte")
    case("joblib-objects.joblib", joblib(objects, inner, STOP), ALLOWED, "the frame ends where the pickle of objects begins")
    case("joblib-objects-inside.joblib", joblib(objects, inner, STOP, len(inner) + 1), f"{ALLOWED} pickle-frame-bounds",
         "joblib reads the objects behind the frame")
    elements = [("cut-global", b"cbuiltins\nprint\xff", "a line that the end cuts"),
                ("cut-inst", b"(S'boo'\nibuiltins\nprint\xff", "a call that the end cuts"),
                ("state", POP + POP + b"h\0}b" + b"\xff", "a state for what was made before"),
                ("memo", b"r\xff\xff\xff\x7f\xff", "a table of gigabytes")]
    before = name("collections", "OrderedDict") + TUPLE + REDUCE + b"q\0"
    for what, content, why in elements:
        end = b"" if what.startswith("cut") else b"t" + STOP
        codes = "polyglot-pickle" + (" pickle-truncated" if not end else "")
        case(f"joblib-{what}.joblib", P4 + b"(" + before + LIST + wrapper(BYTE, len(content)) + content + end, f"{ALLOWED} {codes}",
             f"pickle.load() finds among the elements: {why}")
        case(f"joblib-{what}-not.joblib", P4 + b"(" + before + LIST + wrapper(BYTE, len(content)) + b"\xff" + content[1:] + b"t" + STOP,
             ALLOWED, "the same but for the first byte")


CORPUS.make(frames, arrays)
