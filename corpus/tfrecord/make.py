#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: records as TensorFlow and TensorBoard write them that each break one rule of
formats/tfrecord, and near misses that break none.  Always the same bytes, made without TensorFlow; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from crc32c import crc32c, masked  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob, f32, f64, num  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".tfrecord", set(), {"tfrecord-truncated", "tfrecord-unknown-field"})
case = CORPUS.case


def checksum(data):
    return struct.pack("<I", masked(crc32c(data)))


def record(message, length=None, head=None, foot=None):
    n = struct.pack("<Q", len(message) if length is None else length)
    return n + (head or checksum(n)) + message + (foot or checksum(message))


def event(what, step=1):
    return f64(1, 1.7e9) + num(2, step) + what


VERSION = record(f64(1, 1.7e9) + blob(3, "brain.Event:2"))


def value(what, tag="loss", more=b""):
    return blob(5, blob(1, blob(1, tag) + what + more))


def events():
    def of(name, *messages, codes="", why=""):
        case(f"events-{name}.tfevents", VERSION + b"".join(record(m) for m in messages), codes, why)

    of("sound", event(value(f32(2, 0.5))), event(value(f32(2, float("nan")), tag="accuracy"), step=2), why="a loss, and one that is NaN")
    of("version", why="nothing but its version")
    histogram = b"".join(f64(i, 1.0) for i in range(1, 6)) + blob(6, struct.pack("<2d", 0, 1)) + blob(7, struct.pack("<2d", 1, 1))
    of("kinds", event(value(blob(4, num(1, 1) + num(2, 1) + num(3, 3) + blob(4, b"\x89PNG")))), event(value(blob(5, histogram))),
       event(value(blob(6, f32(1, 44100.0) + num(2, 1) + num(3, 1) + blob(4, b"RIFF") + blob(5, "audio/wav")))),
       event(value(blob(8, num(1, 7) + blob(2, b"") + blob(8, "# text")), more=blob(9, blob(1, blob(1, "text"))))),
       event(blob(4, b"\x0a\x00")), event(blob(7, num(1, 1))), event(blob(6, num(1, 20) + blob(2, "line\n"))),
       event(blob(8, blob(1, "step") + blob(2, b"\x0a\x00"))), event(blob(9, b"\x0a\x00")), event(b"", step=3) + blob(10, blob(1, "a writer")),
       why="everything that an event can be")
    of("empty-record", b"", why="a record of nothing is an event of nothing")
    of("unknown-field", event(num(11, 1)), codes="tfrecord-unknown-field", why="a field that events do not have")
    of("two-things", event(value(f32(2, 0.5)) + blob(4, b"\x0a\x00")), codes="tfrecord-ambiguous", why="a summary and a graph in one")
    of("step-twice", event(num(2, 1)), codes="tfrecord-ambiguous", why="two steps")
    of("cut-inside", event(value(f32(2, 0.5)))[:-1], codes="tfrecord-message", why="a message that ends too early in a record that does not")
    of("example", blob(1, b""), codes="tfrecord-ambiguous", why="an example among events")
    case("events-noversion.tfevents", record(event(value(f32(2, 0.5)))), why="as CatBoost writes them")


def features(**lists):
    return blob(1, b"".join(blob(1, blob(1, name) + blob(2, what)) for name, what in lists.items()))


def examples():
    one = features(label=blob(3, num(1, 3)), weights=blob(2, blob(1, struct.pack("<2f", 1, 2))), picture=blob(1, blob(1, b"\xff\xd8")))
    case("example-sound", record(one) * 2, why="two examples")
    case("example-sequence", record(one + blob(2, blob(1, blob(1, "frames") + blob(2, blob(1, blob(3, blob(1, b"\1\2"))))))), why="a sequence")
    case("example-empty-first", record(b"") + record(one), why="the first says nothing of what they are")
    case("example-unknown-field", record(one + num(3, 1)), "tfrecord-unknown-field", "a field that examples do not have")
    case("example-other", record(b"\x80\x04N."), "tfrecord-unknown-field", "a pickle in a record")
    case("example-head", record(one) + record(one, head=bytes(4)), "tfrecord-checksum", "a length that nobody vouches for")
    case("example-foot", record(one, foot=bytes(4)), "tfrecord-checksum", "a message that was changed")
    case("example-large", record(b"", length=1 << 31), "tfrecord-message", "a length beyond what a message can have")
    case("example-truncated", record(one) + record(one)[:-1], "tfrecord-truncated", "one byte less")
    case("example-trailing", record(one) + bytes(11), "tfrecord-truncated", "eleven bytes of a head")


CORPUS.make(events, examples)
