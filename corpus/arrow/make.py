#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small Arrow files and streams and Parquet files that each break one
rule of formats/arrow or formats/parquet, and near misses that break none.  Always the same bytes, made without Arrow;
nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import base64
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from flatbuffer_writer import Table, Vector, Writer, structs, text  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import varint  # noqa: E402 pylint: disable=wrong-import-position

PARTLY = "format-partly-checked"
REVIEWED = {PARTLY, "arrow-hole", "arrow-unsupported", "arrow-extension-type", "parquet-external-file",
            "parquet-encrypted", "format-unknown"}
CORPUS = Cases("", (), REVIEWED)


def case(name, data, codes=PARTLY, why="", ending=".arrow"):
    CORPUS.case(name + ("" if "." in name else ending), data, codes, why)


# -- Arrow: types, fields, schemas

U8, I16, U32, I32, I64 = "<B", "<h", "<I", "<i", "<q"
NULL, INT, FLOAT, BINARY, UTF8, BOOL, DECIMAL, DATE, TIME, TIMESTAMP, INTERVAL, LIST, STRUCT, UNION = range(1, 15)
FIXED_BINARY, FIXED_LIST, MAP, DURATION, LARGE_BINARY, LARGE_UTF8, LARGE_LIST, RUN_END, BINARY_VIEW, UTF8_VIEW = range(15, 25)
LIST_VIEW, LARGE_LIST_VIEW = 25, 26


def pairs(metadata):
    return Vector([Table({0: text(k), 1: text(v)}) for k, v in metadata]) if metadata else None


def int_type(bits=32, signed=1):
    return Table({0: (I32, bits), 1: (U8, signed)})


def float_type(precision=1):
    return Table({0: (I16, precision)})


def field(name="x", kind=INT, table=None, children=(), metadata=(), dictionary=None, nullable=1, more=None):
    table = table if table is not None else int_type() if kind == INT else float_type() if kind == FLOAT else Table({})
    return Table({0: text(name), 1: (U8, nullable), 2: (U8, kind), 3: table, 4: dictionary,
                  5: Vector(list(children)) if children is not None else None, 6: pairs(metadata), **(more or {})})


def schema(fields=None, metadata=(), endianness=0, more=None):
    return Table({0: (I16, endianness) if endianness else None, 1: Vector([field()] if fields is None else fields),
                  2: pairs(metadata), **(more or {})})


def message(kind, header, body=0, version=4, metadata=(), legacy=False, mark=True, lie=None):
    """With its prefix."""
    size = 4 if legacy else 8
    t = Table({0: (I16, version), 1: (U8, kind), 2: header, 3: (I64, body) if body else None, 4: pairs(metadata)}, lie)
    data = Writer().write(t)
    data += bytes(-(len(data) + size) % 8)
    return (b"" if legacy or not mark else b"\xff" * 4) + struct.pack("<I", len(data)) + data


def record_batch(length, nodes, buffers, compression=None, variadic=None, more=None):
    return Table({0: (I64, length), 1: structs("<qq", nodes), 2: structs("<qq", buffers), 3: compression,
                  4: Vector(variadic, "<q", align=8) if variadic is not None else None, **(more or {})})


def lay(parts):
    """Buffers as they lie in a body, and the body."""
    rows, body = [], b""
    for part in parts:
        rows.append((len(body), len(part)))
        body += part + bytes(-len(part) % 8)
    return rows, body


def batch(length=3, nodes=None, parts=None, rows=None, body=None, kind=3, dictionary=None, **named):
    """A message with its body: (metadata, body)."""
    batch_only = {k: named.pop(k) for k in ("compression", "variadic", "more") if k in named}
    made, laid = lay([b"", struct.pack("<3i", 1, 2, 3)] if parts is None else parts)
    body = laid if body is None else body
    table = record_batch(length, [(length, 0)] if nodes is None else nodes, made if rows is None else rows, **batch_only)
    if dictionary is not None:
        kind, table = 2, Table({0: (I64, dictionary), 1: table})
    return message(kind, table, len(body), **named), body


END = b"\xff" * 4 + bytes(4)


def stream(*messages, first=None, end=END):
    head = message(1, schema()) if first is None else first
    return head + b"".join(m + b for m, b in (messages or [batch()])) + end


def file(*messages, first=None, footer_schema=None, end=END, blocks=None, dictionaries=None, metadata=(), n=None,
         head=b"ARROW1\0\0", tail=b"ARROW1", gap=b"", footer=None, version=4):
    """`dictionaries`: how many of the messages in front are such; `blocks` changes what the footer says."""
    messages = messages or [batch()]
    out = head + (message(1, schema()) if first is None else first)
    rows = []
    for m, b in messages:
        out += gap
        rows.append((len(out), len(m), 0, len(b)))
        out += m + b
    out += end
    split = dictionaries or 0
    rows = blocks(rows) if blocks else rows
    if footer is None:
        made = schema() if footer_schema is None else footer_schema
        footer = Writer().write(Table({0: (I16, version), 1: made, 2: structs("<qiiq", rows[:split]),
                                       3: structs("<qiiq", rows[split:]), 4: pairs(metadata)}))
    return out + footer + struct.pack("<I", len(footer) if n is None else n) + tail


def of(fields, *messages, **named):
    """A file with these fields in both places."""
    return file(*messages, first=message(1, schema(fields())), footer_schema=schema(fields()), **named)


# -- Arrow: cases

def frames():
    sound = file()
    case("sound", sound, why="a column of three integers")
    case("sound-no-rows", of(lambda: [field()], batch(0, [(0, 0)], [b"", b""])), why="nothing in it")
    case("sound.feather", sound, why="the same, as Feather")
    case("magic-head", b"ARROW2\0\0" + sound[8:], "arrow-structure",
         "another magic")
    case("magic-padding", b"ARROW1xx" + sound[8:], "arrow-structure", "padding of letters")
    case("magic-tail", sound[:-1] + b"2", "arrow-structure", "another magic at the end")
    case("magic-sound", sound, why="both")
    case("short", b"ARROW1\0\0ARROW1", "arrow-structure", "two magics and nothing else")
    case("footer-longer", file(n=1 << 20), "arrow-structure", "a footer that begins before the file")
    case("footer-negative", file(n=0xffffffff), "arrow-structure", "a negative length")
    case("footer-zero", file(n=0), "arrow-structure", "no footer")
    case("footer-shorter", file(n=8), "arrow-structure", "a footer that begins later")
    case("footer-sound", sound, why="as long as it is")
    case("footer-no-schema", file(footer=Writer().write(Table({0: (I16, 4)}))), "arrow-structure", "no schema")
    case("cut", sound[:len(sound) // 2], "arrow-structure", "half of it")
    case("appended", sound + b"x" * 64, "arrow-structure", "the magic is not at the end")
    case("end-none", file(end=b""), why="no mark behind the last message")
    case("end-old", file(end=bytes(8)), why="the mark of older writers")
    case("version-3", file(batch(version=3), first=message(1, schema(), version=3), version=3), why="metadata version 4")
    case("version-2", file(batch(version=2)), "arrow-unsupported", "metadata version 3")
    case("version-5", file(batch(version=5)), "arrow-unsupported", "metadata version 6")
    case("legacy", file(batch(legacy=True), first=message(1, schema(), legacy=True)), why="before 0.15: no mark in front")


def vtables():
    case("vtable-sound", file(first=message(1, schema())), why="as it has to be")
    case("vtable-outside", file(first=message(1, schema(), lie={"soffset": -(1 << 20)})), "arrow-structure", "nowhere")
    case("vtable-before", file(first=message(1, schema(), lie={"soffset": 64})), "arrow-structure",
         "in front of the message")
    case("field-unknown", file(footer_schema=schema(more={7: (U32, 1)}), first=message(1, schema(more={7: (U32, 1)}))),
         "arrow-unsupported", "a field of a newer format")


def blocks():
    case("block-sound", file(batch(), batch()), why="two batches")
    case("block-past-end", file(blocks=lambda r: [(1 << 20, *r[0][1:])]), "arrow-structure", "nowhere")
    case("block-negative", file(blocks=lambda r: [(-8, *r[0][1:])]), "arrow-structure", "in front of the file")
    case("block-magic", file(blocks=lambda r: [(0, *r[0][1:])]), "arrow-structure", "in the magic")
    case("block-misaligned", file(blocks=lambda r: [(r[0][0] + 4, *r[0][1:])]), "arrow-structure", "no multiple of 8")
    case("block-metadata", file(blocks=lambda r: [(r[0][0], r[0][1] + 8, 0, r[0][3])]), "arrow-structure",
         "longer than the message says")
    case("block-body", file(blocks=lambda r: [(*r[0][:3], r[0][3] - 8)]), "arrow-structure", "shorter than the message says")
    case("block-kind", file(dictionaries=1), "arrow-structure", "a record batch listed as a dictionary")
    case("block-twice", file(blocks=lambda r: r * 2), why="one batch twice: all its bytes are shared")
    case("block-none", file(blocks=lambda r: []), "format-partly-checked arrow-hole",
         "a batch that the stream has and the footer does not")
    inner, body = batch()
    outer = batch(0, [(0, 0)], rows=[(0, 0), (0, 0)], body=inner + body)
    at = {}

    def within(rows):
        at["rows"] = rows
        return [rows[0], (rows[0][0] + rows[0][1], len(inner), 0, len(body))]
    case("overlap-not", of(lambda: [field()], batch(), batch()), why="one behind the other")
    body_first = batch(3, rows=[(0, 0), (0, len(inner) + len(body))], body=inner + body)
    case("overlap-messages", file(body_first, blocks=within), "arrow-overlap", "a message in the body of another")
    case("hole-in-body", file(batch(0, [(0, 0)], rows=[(0, 0), (0, 0)], body=b"A" * 8)), "format-partly-checked arrow-hole",
         "bytes of a body that are in no buffer")
    case("hole-zero", file(batch(0, [(0, 0)], rows=[(0, 0), (0, 0)], body=bytes(64))), why="zeros are")
    case("hole-between", file(gap=b"A" * 8), "format-partly-checked arrow-hole", "between messages")
    del outer


def schemas():
    case("schema-same", file(footer_schema=schema()), why="the same in both places")
    case("schema-name", file(footer_schema=schema([field("y")])), "arrow-schema-differs", "another name")
    case("schema-type", file(footer_schema=schema([field(table=int_type(32, 0))])), "arrow-schema-differs", "without sign")
    case("schema-metadata", file(footer_schema=schema(metadata=[("a", "b")])), "arrow-schema-differs", "more metadata")
    case("schema-more", file(footer_schema=schema([field(), field("y")]),
                             ), "arrow-schema-differs arrow-structure", "another column, which no batch has")
    case("schema-none", file(first=batch()[0] + batch()[1]), "arrow-structure arrow-schema-differs",
         "the first message is a batch")
    case("schema-big-endian", file(first=message(1, schema(endianness=1)), footer_schema=schema(endianness=1)),
         why="the other order of bytes")
    case("schema-endianness", file(first=message(1, schema(endianness=2)), footer_schema=schema(endianness=2)),
         "arrow-unsupported", "no order of bytes")
    case("schema-body", file(first=message(1, schema(), body=8) + bytes(8)), "arrow-structure", "a schema with a body")
    def nested(depth):
        f = field("leaf")
        for _ in range(depth):
            f = field("s", STRUCT, children=[f])
        return f
    n = 63
    case("depth-63", of(lambda: [nested(62)], batch(0, [(0, 0)] * n, [b""] * (n + 1))), why="as deep as may be")
    case("depth-64", file(first=message(1, schema([nested(64)]))), "arrow-structure", "deeper")
    shared = field("leaf", NULL, children=None)
    for _ in range(40):
        shared = field("s", STRUCT, children=[shared, shared])
    case("shared-tables", file(first=message(1, schema([shared]))), "arrow-structure", "a tree of 2^40 fields in 4 KiB")


def types():
    three = {
        "bool": (BOOL, Table({}), [b"", b"\5"]), "int8": (INT, int_type(8), [b"", b"abc"]),
        "int64": (INT, int_type(64), [b"", bytes(24)]), "half": (FLOAT, float_type(0), [b"", bytes(6)]),
        "double": (FLOAT, float_type(2), [b"", bytes(24)]), "utf8": (UTF8, Table({}), [b"", struct.pack("<4i", 0, 1, 2, 3), b"abc"]),
        "large-utf8": (LARGE_UTF8, Table({}), [b"", struct.pack("<4q", 0, 1, 2, 3), b"abc"]),
        "binary": (BINARY, Table({}), [b"", bytes(16), b""]), "large-binary": (LARGE_BINARY, Table({}), [b"", bytes(32), b""]),
        "decimal": (DECIMAL, Table({0: (I32, 5), 1: (I32, 2)}), [b"", bytes(48)]),
        "decimal256": (DECIMAL, Table({0: (I32, 5), 1: (I32, 2), 2: (I32, 256)}), [b"", bytes(96)]),
        "date-days": (DATE, Table({0: (I16, 0)}), [b"", bytes(12)]), "date": (DATE, Table({}), [b"", bytes(24)]),
        "time": (TIME, Table({}), [b"", bytes(12)]), "timestamp": (TIMESTAMP, Table({0: (I16, 3), 1: text("UTC")}), [b"", bytes(24)]),
        "interval": (INTERVAL, Table({0: (I16, 2)}), [b"", bytes(48)]), "duration": (DURATION, Table({0: (I16, 1)}), [b"", bytes(24)]),
        "fixed-binary": (FIXED_BINARY, Table({0: (I32, 5)}), [b"", bytes(15)]), "null": (NULL, Table({}), [])}
    for name, (kind, table, parts) in three.items():
        case("type-" + name, of(lambda k=kind, t=table: [field(kind=k, table=t)], batch(3, parts=parts)), why="three of them")
        if parts and name != "bool":
            short = [*parts[:1], parts[1][:-1], *parts[2:]]
            case("short-" + name, of(lambda k=kind, t=table: [field(kind=k, table=t)], batch(3, parts=short)), "arrow-structure",
                 "a byte less than three of them need")
    child = [field("item")]
    ints = [b"", bytes(12)]
    for name, kind, parts in (("list", LIST, [b"", bytes(16)]), ("large-list", LARGE_LIST, [b"", bytes(32)]),
                              ("map", MAP, [b"", bytes(16)]), ("struct", STRUCT, [b""]),
                              ("list-view", LIST_VIEW, [b"", bytes(12), bytes(12)]),
                              ("large-list-view", LARGE_LIST_VIEW, [b"", bytes(24), bytes(24)])):
        case("type-" + name, of(lambda k=kind: [field(kind=k, children=[field("item")])],
                                batch(3, [(3, 0), (3, 0)], [*parts, *ints])), why="three of three")
    case("type-fixed-list", of(lambda: [field(kind=FIXED_LIST, table=Table({0: (I32, 2)}), children=[field("item")])],
                               batch(3, [(3, 0), (6, 0)], [b"", b"", bytes(24)])), why="three pairs")
    case("child-fixed-list", of(lambda: [field(kind=FIXED_LIST, table=Table({0: (I32, 2)}), children=[field("item")])],
                                batch(3, [(3, 0), (5, 0)], [b"", b"", bytes(20)])), "arrow-structure", "five for three pairs")
    case("child-struct", of(lambda: [field(kind=STRUCT, children=[field("item")])], batch(3, [(3, 0), (2, 0)], [b"", b"", bytes(8)])),
         "arrow-structure", "a member shorter than the structure")
    case("type-union-dense", of(lambda: [field(kind=UNION, table=Table({0: (I16, 1)}), children=[field("item")])],
                                batch(3, [(3, 0), (1, 0)], [b"\0\0\0", bytes(12), b"", bytes(4)])), why="types and offsets")
    case("type-union-sparse", of(lambda: [field(kind=UNION, children=[field("item")])],
                                 batch(3, [(3, 0), (3, 0)], [b"\0\0\0", *ints])), why="types")
    case("type-view", of(lambda: [field(kind=UTF8_VIEW)], batch(3, parts=[b"", bytes(48), b"abc", b"defg"], variadic=[2])),
         why="two buffers of text")
    case("view-count", of(lambda: [field(kind=UTF8_VIEW)], batch(3, parts=[b"", bytes(48), b"abc"], variadic=[2])),
         "arrow-structure", "one of two")
    case("view-none", of(lambda: [field(kind=UTF8_VIEW)], batch(3, parts=[b"", bytes(48)])), "arrow-structure",
         "nobody says how many")
    case("view-huge", of(lambda: [field(kind=UTF8_VIEW)], batch(3, parts=[b"", bytes(48)], variadic=[1 << 62])),
         "arrow-structure", "more than anybody could have")
    ends = [field("ends", table=int_type(32)), field("values")]
    case("type-run-end", of(lambda: [field(kind=RUN_END, children=[field("run_ends"), field("values")])],
                            batch(3, [(3, 0), (1, 0), (1, 0)], [b"", bytes(4), b"", bytes(4)])), why="one run of three")
    case("type-unknown", of(lambda: [field(kind=27)], batch(3)), "arrow-unsupported", "a newer type")
    case("type-int-7", of(lambda: [field(table=int_type(7))], batch(3)), "arrow-unsupported", "seven bits")
    case("type-children", of(lambda: [field(children=[field("y")])], batch(3, [(3, 0), (3, 0)], [b"", bytes(12)] * 2)),
         "arrow-structure", "an integer with a member")
    del child, ends


def batches():
    case("nulls", file(batch(3, [(3, 1)], [b"\5", bytes(12)])), why="one of three is missing")
    case("nulls-no-validity", file(batch(3, [(3, 1)], [b"", bytes(12)])), "arrow-structure", "and nobody says which")
    case("nulls-more", file(batch(3, [(3, 4)], [b"\5", bytes(12)])), "arrow-structure", "four of three")
    case("nulls-negative", file(batch(3, [(3, -1)], [b"\5", bytes(12)])), "arrow-structure", "less than none")
    case("length-negative", file(batch(-1, [(-1, 0)], [b"", b""])), "arrow-structure", "less than nothing")
    case("length-huge", file(batch((1 << 62), [(1 << 62, 0)], [b"", bytes(12)])), "arrow-structure", "2^62 integers")
    case("length-shorter", file(batch(4, [(3, 0)])), "arrow-structure", "a column shorter than the batch")
    case("nodes-more", file(batch(3, [(3, 0), (3, 0)])), "arrow-structure", "a node of no column")
    case("nodes-fewer", file(batch(3, [])), "arrow-structure", "a column without node")
    case("buffers-more", file(batch(3, parts=[b"", bytes(12), b"abc"])), "arrow-structure", "a buffer of no column")
    case("buffers-fewer", file(batch(3, parts=[b""])), "arrow-structure", "a column without data")
    case("buffer-outside", file(batch(3, rows=[(0, 0), (8, 16)], body=bytes(16))), "arrow-structure", "past the body")
    case("buffer-negative", file(batch(3, rows=[(0, 0), (-8, 12)], body=bytes(16))), "arrow-structure", "in front of it")
    case("buffer-length", file(batch(3, rows=[(0, 0), (0, -1)], body=bytes(16))), "arrow-structure", "less than nothing")
    case("buffer-misaligned", file(batch(3, rows=[(0, 0), (4, 12)], body=bytes(16))), "arrow-structure", "no multiple of 8")
    case("overlap-buffers", of(lambda: [field(), field("y")], batch(3, [(3, 0)] * 2, rows=[(0, 0), (0, 24), (0, 0), (8, 12)],
                                                                    body=bytes(24))), "arrow-overlap", "one in the other")
    case("overlap-buffers-same", of(lambda: [field(), field("y")], batch(3, [(3, 0)] * 2, rows=[(0, 0), (0, 12), (0, 0), (0, 12)],
                                                                         body=bytes(16))), why="the very same for both")
    lz4 = Table({0: (U8, 0), 1: (U8, 0)})
    case("coded", file(batch(3, parts=[b"", struct.pack("<q", 12) + b"\4"], compression=lz4)), why="compressed")
    case("coded-unknown", file(batch(3, compression=Table({0: (U8, 7)}))), "arrow-unsupported", "in a way nobody knows")
    case("message-tensor", file(first=message(1, schema()) + message(4, Table({}))), "format-partly-checked arrow-hole",
         "a message that the footer does not have")
    case("body-outside", file((message(3, record_batch(3, [(3, 0)], [(0, 0), (0, 12)]), 1 << 40), bytes(16))), "arrow-structure",
         "a body past the file")
    case("body-misaligned", file((message(3, record_batch(3, [(3, 0)], [(0, 0), (0, 12)]), 12), bytes(12)), end=bytes(4)),
         "arrow-structure", "no multiple of 8")


def dictionaries():
    def coded(index=None, kind=None):
        encoding = Table({0: (I64, 7), 1: index, 3: (I16, kind) if kind else None})
        return [field("d", UTF8, dictionary=encoding)]
    words = batch(2, [(2, 0)], [b"", struct.pack("<3i", 0, 1, 2), b"ab"], dictionary=7)
    case("dictionary", of(coded, words, batch(3), dictionaries=1), why="two words, three uses")
    case("dictionary-int8", of(lambda: coded(int_type(8)), words, batch(3, parts=[b"", b"\0\1\0"]), dictionaries=1),
         why="with short indices")
    case("dictionary-short", of(coded, words, batch(3, parts=[b"", bytes(11)]), dictionaries=1), "arrow-structure",
         "fewer indices than rows")
    case("dictionary-values", of(coded, batch(2, [(2, 0)], [b"", bytes(8)], dictionary=7), batch(3), dictionaries=1),
         "arrow-structure", "integers for words")
    case("dictionary-number", of(coded, batch(2, [(2, 0)], [b"", bytes(12), b"ab"], dictionary=8), batch(3), dictionaries=1),
         "arrow-structure", "one that no column has")
    case("dictionary-empty", of(coded, (message(2, Table({0: (I64, 7)})), b""), batch(3), dictionaries=1), "arrow-structure",
         "nothing in it")
    case("dictionary-kind", of(lambda: coded(kind=1), words, batch(3), dictionaries=1), "arrow-unsupported", "a newer kind")
    case("dictionary-index", of(lambda: coded(int_type(7)), words, batch(3, parts=[b"", b""]), dictionaries=1),
         "arrow-unsupported", "indices of seven bits")


PY = [("ARROW:extension:name", "arrow.py_extension_type"), ("ARROW:extension:metadata", b"\x80\4N.")]
OTHER = [("ARROW:extension:name", "arrow.uuid"), ("ARROW:extension:metadata", "")]


def extensions():
    case("extension-none", of(lambda: [field(metadata=[("ARROW:extension:metadata", "x"), ("name", "arrow.py_extension_type")])], batch()),
         why="words that say nothing")
    case("extension-py", of(lambda: [field(metadata=PY)], batch()), "format-partly-checked arrow-py-extension", "CVE-2023-47248")
    case("extension-py-inner", of(lambda: [field(kind=STRUCT, children=[field("item", metadata=PY)])],
                                  batch(3, [(3, 0)] * 2, [b"", b"", bytes(12)])), "format-partly-checked arrow-py-extension",
         "within a structure")
    case("extension-py-second", of(lambda: [field(metadata=OTHER + PY)], batch()),
         "format-partly-checked arrow-py-extension arrow-extension-type", "given twice")
    case("extension-py-footer", file(footer_schema=schema([field(metadata=PY)])),
         "arrow-schema-differs arrow-py-extension", "in the footer alone")
    case("extension-py-stream", file(first=message(1, schema([field(metadata=PY)]))),
         "arrow-schema-differs arrow-py-extension", "in the first message alone")
    case("extension-py-schema", file(first=message(1, schema(metadata=PY)), footer_schema=schema(metadata=PY)),
         "format-partly-checked arrow-py-extension", "of the schema")
    case("extension-py-message", file(batch(metadata=PY)), "format-partly-checked arrow-py-extension", "of a batch")
    case("extension-other", of(lambda: [field(metadata=OTHER)], batch()), "format-partly-checked arrow-extension-type",
         "another class")
    case("extension-longer", of(lambda: [field(metadata=[("ARROW:extension:name", "arrow.py_extension_type2")])], batch()),
         "format-partly-checked arrow-extension-type", "another name")
    case("extension-py.arrows", stream(first=message(1, schema([field(metadata=PY)]))), "format-partly-checked arrow-py-extension",
         "in a stream")


def streams():
    def at(name, data, codes=PARTLY, why=""):
        case(name, data, codes, why, ".arrows")
    at("stream", stream(), why="a schema and a batch")
    at("stream-no-end", stream(end=b""), why="up to the end of the file")
    at("stream-no-batches", message(1, schema()) + END, why="a schema alone")
    at("stream-two", stream(batch(), batch()), why="two batches")
    at("stream-trailing", stream() + b"x" * 32, "arrow-trailing-bytes", "text behind the end")
    at("stream-trailing-zeros", stream() + bytes(32), "arrow-trailing-bytes", "zeros behind the end")
    at("stream-cut", stream()[:-24], "arrow-structure", "the last buffer is cut off")
    at("stream-schema-twice", stream((message(1, schema()), b""), batch()), "arrow-schema-differs", "a second schema")
    at("stream-schema-late", stream(first=batch()[0] + batch()[1]), "arrow-structure", "no schema")
    at("stream-tensor", stream((message(4, Table({})), b""), batch()), "arrow-unsupported", "a tensor among them")
    at("stream-length", stream(end=b"\xff" * 4 + struct.pack("<I", 1 << 30)), "arrow-structure", "a message past the end")
    at("stream-negative", stream(end=b"\xff" * 4 + struct.pack("<I", 1 << 31) + bytes(64)), "arrow-structure", "a negative length")


# -- Parquet

def zigzag(n):
    return varint((n << 1) ^ (n >> 63) if n < 0 else n << 1)


TRUE, FALSE, BYTE, SHORT, INT32, INT64, DOUBLE, STRING, LIST_, SET, MAP_, RECORD = range(1, 13)


class T:
    """A value of a type."""
    def __init__(self, kind, data):
        self.kind, self.data = kind, data


def i32(n):
    return T(INT32, zigzag(n))


def i64(n):
    return T(INT64, zigzag(n))


def string(s):
    s = s if isinstance(s, bytes) else s.encode()
    return T(STRING, varint(len(s)) + s)


def listed(items, kind=RECORD, n=None):
    n = len(items) if n is None else n
    head = bytes([n << 4 | kind]) if n < 15 else bytes([0xf0 | kind]) + varint(n)
    return T(LIST_, head + b"".join(i.data for i in items))


def record(fields, stop=b"\0"):
    """Fields by number, in that order; pairs for what is given twice."""
    out, last = b"", 0
    for no, v in (fields.items() if isinstance(fields, dict) else fields):
        if v is None:
            continue
        out += bytes([no - last << 4 | v.kind]) if 0 < no - last < 16 else bytes([v.kind]) + zigzag(no)
        out += v.data
        last = no
    return T(RECORD, out + stop)


def element(name="x", kind=1, children=None):
    return record({1: i32(kind) if kind is not None else None, 4: string(name), 5: i32(children) if children is not None else None})


def meta(at, n, more=None):
    return record({1: i32(1), 2: listed([i32(0)], INT32), 3: listed([string("x")], STRING), 4: i32(0), 5: i64(3), 6: i64(n),
                   7: i64(n), 9: i64(at), **(more or {})})


def column(at=4, n=16, path=None, more=None, inner=None, described=True):
    return record({1: string(path) if path else None, 2: i64(0), 3: meta(at, n, inner) if described else None, **(more or {})})


def group(columns=None, rows=3):
    return record({1: listed([column()] if columns is None else columns), 2: i64(16), 3: i64(rows)})


TREE = [element("root", None, 1), element()]


def footer_of(groups=None, tree=None, more=None, version=None, rows=3):
    return record({1: version or i32(1), 2: listed(TREE if tree is None else tree), 3: i64(rows),
                   4: listed([group()] if groups is None else groups), **(more or {})}).data


def parquet(footer=None, data=bytes(16), n=None, head=b"PAR1", tail=b"PAR1", **named):
    footer = footer_of(**named) if footer is None else footer
    return head + data + footer + struct.pack("<I", len(footer) if n is None else n) + tail


def arrow_key(fields=None, key="ARROW:schema", raw=None):
    value = base64.b64encode(message(1, schema(fields))) if raw is None else raw
    return {5: listed([record({1: string(key), 2: string(value)})])}


def parquets():
    def at(name, data, codes=PARTLY, why=""):
        case("parquet-" + name, data, codes, why, ".parquet")
    sound = parquet()
    at("sound", sound, why="a column of three numbers")
    at("no-rows", parquet(groups=[], rows=0), why="nothing in it")
    at("tail", sound[:-1] + b"2", "parquet-footer", "another magic at the end")
    at("short", b"PAR1PAR1", "parquet-footer", "two magics")
    at("length-lies", parquet(n=1 << 20), "parquet-footer", "a footer that begins before the file")
    at("length-most", parquet(n=len(sound) - 11), "parquet-footer", "a byte too long")
    at("length-shorter", parquet(n=20), "parquet-footer", "a footer that begins later")
    at("length-zero", parquet(n=0), "parquet-footer", "no footer")
    at("trailing-byte", parquet(footer_of() + b"\0"), "parquet-footer", "a byte behind the structure")
    at("appended", sound + b"x" * 64, "parquet-footer", "the magic is not at the end")
    at("encrypted", parquet(head=b"PARE", tail=b"PARE"), "parquet-encrypted", "a footer that nobody can read")
    at("encrypted-head", parquet(head=b"PARE"), "parquet-footer", "one magic of either kind")
    crypto = record({1: record({})})
    at("encrypted-signed", parquet(footer_of(more={8: crypto}) + bytes(28)), "parquet-encrypted", "signed, columns encrypted")
    at("encrypted-column", parquet(groups=[group([column(described=False, more={8: crypto})])]), "parquet-encrypted", "one column")
    at("type-unknown", parquet(tree=[element("root", None, 1), element(kind=8)]), "parquet-footer", "a type that no reader knows")
    at("name-bytes", parquet(more={6: T(STRING, b"\1\xff")}), "parquet-footer", "a writer's name that is no text")
    at("name-text", parquet(more={6: string("parquet-cpp-arrow version 26.0.1")}), why="a writer's name")
    at("logical-half", parquet(more={}, tree=[element("root", None, 1), record({1: i32(1), 4: string("x"), 10: record({5: record({1: i32(2)})})})]), "parquet-footer",
       "a decimal without its precision")
    at("logical", parquet(more={}, tree=[element("root", None, 1), record({1: i32(1), 4: string("x"), 10: record({5: record({1: i32(2), 2: i32(5)})})})]), why="a decimal")
    at("no-metadata", parquet(groups=[group([column(described=False)])]), "parquet-footer", "a column of which nothing is said")


def thrifts():
    def at(name, data, codes="parquet-footer", why=""):
        case("thrift-" + name, data, codes, why, ".parquet")
    at("unknown-field", parquet(more={40: record({1: i32(1), 2: listed([i64(5)] * 20, INT64), 3: T(MAP_, b"\1\x88\1a\1b")})}), PARTLY,
       "somebody's own, of any type")
    at("unknown-type", parquet(more={40: T(14, b"")}), why="a type there is not")
    at("other-type", parquet(groups=[group([column(inner={15: listed([i32(1)], INT32)})])]), PARTLY, "a field that a writer has for itself")
    at("required-type", parquet(version=string("1")), why="a text for the version")
    at("required-none", parquet(record({1: i32(1), 2: listed(TREE), 3: i64(3)}).data), why="no row groups")
    at("twice", parquet(record([(1, i32(1)), (2, listed(TREE)), (3, i64(3)), (4, listed([group()])), (3, i64(4))]).data),
       why="a field twice, out of order")
    at("order", parquet(record([(3, i64(3)), (2, listed(TREE)), (1, i32(1)), (4, listed([group()]))]).data), PARTLY,
       "fields in another order")
    at("no-stop", parquet(footer_of()[:-1]), why="no end")
    at("number-long", parquet(version=T(INT32, b"\x80" * 10 + b"\1")), why="a number of eleven bytes")
    at("number-wide", parquet(version=T(INT32, varint(1 << 33))), why="more than 32 bits")
    at("text-long", parquet(more={6: T(STRING, varint(1 << 31) + b"x")}), why="a text past the end")
    at("list-long", parquet(more={7: T(LIST_, b"\xfc" + varint(1 << 31))}), why="two thousand million elements")
    at("map-long", parquet(more={40: T(MAP_, varint(1 << 31) + b"\x88")}), why="likewise, of a map")

    def deep(n):
        r = record({1: i32(1)})
        for _ in range(n - 1):
            r = record({1: r})
        return {40: r}
    at("depth-15", parquet(more=deep(15)), PARTLY, "as deep as may be: 16 with the footer")
    at("depth-16", parquet(more=deep(16)), why="deeper")
    at("depth-bomb", parquet(more={40: T(RECORD, b"\x1c" * 4000)}), why="a structure in a structure, four thousand times")


def trees():
    def at(name, tree, codes="parquet-footer", why="", columns=1):
        case("tree-" + name, parquet(tree=tree, groups=[group([column(4 + 16 * i) for i in range(columns)])],
                                     data=bytes(16 * columns)), codes, why, ".parquet")
    at("two", [element("root", None, 2), element("a"), element("b")], PARTLY, "two columns", 2)
    at("nested", [element("root", None, 1), element("s", None, 2), element("a"), element("b")], PARTLY, "in a group", 2)
    at("more", [element("root", None, 1), element("a"), element("b")], why="a field behind the last", columns=2)
    at("fewer", [element("root", None, 3), element("a"), element("b")], why="a field is missing", columns=2)
    at("negative", [element("root", None, -1), element("a")], why="less than none")
    at("typed", [element("root", None, 1), element("a", 1, 1), element("b")], why="a number with fields")
    at("none", [], why="nothing")
    at("columns", [element("root", None, 2), element("a"), element("b")], why="one chunk for two columns")
    at("depth-128", [element("s", None, 1)] * 128 + [element("a")], PARTLY, "as deep as may be")
    at("depth-129", [element("s", None, 1)] * 129 + [element("a")], why="deeper")


def chunks():
    def at(name, columns, codes="parquet-chunk", why="", data=bytes(32), tree=None):
        tree = tree or [element("root", None, len(columns)), *[element(str(i)) for i in range(len(columns))]]
        case("chunk-" + name, parquet(groups=[group(columns)], data=data, tree=tree), codes, why, ".parquet")
    at("two", [column(4), column(20)], PARTLY, "one behind the other")
    at("past-end", [column(1 << 40)], why="nowhere")
    at("long", [column(4, 33)], why="into the footer")
    at("negative", [column(-4)], why="in front of the file")
    at("length", [column(4, -16)], why="less than nothing")
    at("magic", [column(0)], why="in the magic")
    at("empty", [column(0, 0)], PARTLY, "nothing, nowhere")
    at("overlap", [column(4), column(12)], "parquet-overlap", "one in the other")
    at("dictionary", [column(12, 24, inner={11: i64(4)})], PARTLY, "a dictionary in front")
    at("dictionary-outside", [column(12, 24, inner={11: i64(2)})], why="a dictionary in the magic")
    at("dictionary-zero", [column(4, inner={11: i64(0)})], PARTLY, "0: there is none")
    at("dictionary-alone", [column(0, 16, inner={11: i64(4)})], PARTLY, "a dictionary and no data")
    at("bloom", [column(4, inner={14: i64(20), 15: i32(8)})], PARTLY, "a bloom filter")
    at("bloom-outside", [column(4, inner={14: i64(1 << 40), 15: i32(8)})], why="a bloom filter nowhere")
    at("index", [column(4, more={4: i64(20), 5: i32(8), 6: i64(28), 7: i32(8)})], PARTLY, "both indexes")
    at("index-outside", [column(4, more={6: i64(28), 7: i32(9)})], why="an index into the footer")
    at("index-overlap", [column(4, more={4: i64(20), 5: i32(8), 6: i64(24), 7: i32(8)})], "parquet-overlap", "one in the other")
    at("external", [column(4, path="../../etc/passwd")], "parquet-external-file", "a column somewhere else")
    at("external-not", [column(4, path="")], PARTLY, "no path")


def embedded():
    def at(name, more, codes=PARTLY, why=""):
        case("embedded-" + name, parquet(more=more), codes, why, ".parquet")
    at("schema", arrow_key(), why="what pyarrow writes")
    at("py-extension", arrow_key([field(metadata=PY)]), "format-partly-checked arrow-py-extension", "read by pyarrow as its own")
    at("extension", arrow_key([field(metadata=OTHER)]), "format-partly-checked arrow-extension-type", "another class")
    at("other-key", arrow_key([field(metadata=PY)], "ARROW:schemas"), why="nobody reads it")
    at("no-base64", arrow_key(raw="!!!!"), "arrow-structure", "no base64")
    at("padding", arrow_key(raw=base64.b64encode(message(1, schema()))[:-1] + b"!"), "arrow-structure", "a letter that is none at the end")
    at("batch", arrow_key(raw=base64.b64encode(message(2, Table({})))), "arrow-structure", "no schema")
    at("cut", arrow_key(raw=base64.b64encode(message(1, schema())[:60])), "arrow-structure", "half a schema")


CORPUS.make(frames, vtables, blocks, schemas, types, batches, dictionaries, extensions, streams, parquets, thrifts,
            trees, chunks, embedded)
