#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small indexes of TensorFlow checkpoints, folders of them with their data
files, and text files that name them, which each break one rule of formats/tensorflow, section 5, and near misses that break
none.  Always the same bytes, made without TensorFlow.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict, or of all verdicts about a folder.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from crc32c import crc32c, masked  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob as text, num as number, varint  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-in-set", "tf-checkpoint-control", "tf-data-unchecked", "tf-checkpoint-absolute", "format-side-file"}
REVIEWED = {"weights-nan", "tf-text-proto", "tf-checkpoint-path", "tfckpt-object-graph", "tfckpt-endianness", "tfckpt-limit", "tf-unsupported",
            "tf-unknown-field", "format-unknown", "format-name-differs"}
INDEX = "tf-checkpoint-control tf-data-unchecked"
CORPUS = Cases("", ACCEPTED, REVIEWED)
case = folder = CORPUS.case


# -- tables as LevelDB writes them

def entries(rows, restart=16, share=True):
    """A block's content: (key, value) in the order given."""
    body, restarts, last = b"", [], b""
    for i, (key, value) in enumerate(rows):
        shared = 0
        if i % restart == 0:
            restarts.append(len(body))
        elif share:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        body += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    return body + struct.pack(f"<{len(restarts or [0])}I", *(restarts or [0])) + struct.pack("<I", len(restarts or [0]))


def block(content, how=0, crc=None):
    whole = content + bytes([how])
    return whole + struct.pack("<I", masked(crc32c(whole)) if crc is None else crc)


MAGIC = bytes.fromhex("57fb808b247547db")


def footer(meta, index, magic=MAGIC, fill=b"\0"):
    handles = b"".join(varint(n) for n in (*meta, *index))
    return handles + fill * (40 - len(handles)) + magic


def table(*blocks, wrap=None, meta=None, tail=footer, between=b"", borders=None, restart=1):
    """Each block is rows, or bytes that are its content; wrap() makes a block of a content."""
    wrap = wrap or (lambda i, content: block(content))
    out, handles = b"", []
    for i, rows in enumerate(blocks):
        content = rows if isinstance(rows, bytes) else entries(rows)
        handles.append((len(out), len(content)))
        made = wrap(i, content)
        handles[-1] = (len(out), len(made) - 5)
        out += made + between
    meta_at = len(out)
    meta = entries([]) if meta is None else meta
    out += block(meta)
    borders = borders or [rows[-1][0] + b"~" if not isinstance(rows, bytes) else b"~~" for rows in blocks]
    index = entries([(b, varint(h[0]) + varint(h[1])) for b, h in zip(borders, handles)], restart)
    index_at = len(out)
    out += block(index)
    return out + tail((meta_at, len(meta)), (index_at, len(index)))


# -- what a checkpoint says

def header(shards=1, more=b""):
    return b"", number(1, shards) + more + text(3, number(1, 1))


def entry(name, dtype=1, shape=(2,), shard=0, offset=0, size=8, more=b""):
    name = name if isinstance(name, bytes) else name.encode()
    dims = text(2, b"".join(text(2, b"" if d is None else number(1, d)) for d in shape))
    return name, (number(1, dtype) + dims + (number(3, shard) if shard else b"") + (number(4, offset) if offset else b"") +
                  (number(5, size) if size else b"") + b"\x35" + struct.pack("<I", 0) + more)


ROWS = [header(), entry("a"), entry("b", offset=8), entry("layer/bias", offset=16), entry("layer/kernel", 9, (3,), 0, 24, 24)]


def of(*rows, **named):
    return table([header(), *rows], **named)


def snappy(content, element=None):
    """Literals, and a copy where a content repeats itself."""
    out = varint(len(content))
    for i in range(0, len(content), 60):
        piece = content[i:i + 60]
        out += bytes([len(piece) - 1 << 2]) + piece
    return out if element is None else out + element


def tables():
    case("sound.index", table(ROWS), INDEX, "two tensors and two of a layer")
    case("sound-blocks.index", table(ROWS[:3], ROWS[3:]), INDEX, "in two blocks")
    case("sound-many.index", of(*(entry(f"w{i:04}", offset=8 * i) for i in range(40))), INDEX, "restarts in a block")
    case("sound-plain.index", table(entries(ROWS, share=False)), INDEX, "names that share nothing")
    case("sound-snappy.index", table(ROWS, wrap=lambda i, c: block(snappy(c), 1)), INDEX, "as old writers pressed it")
    repeat = [header(), entry("aaaa" * 8), entry("aaaa" * 9, offset=8)]
    content = entries(repeat, share=False)
    at = content.index(b"a" * 32)
    packed = varint(len(content)) + bytes([at + 4 - 1 << 2]) + content[:at + 4] + bytes([27 << 2 | 2]) + struct.pack("<H", 1)
    rest = content[at + 32:]
    packed += b"".join(bytes([len(rest[i:i + 60]) - 1 << 2]) + rest[i:i + 60] for i in range(0, len(rest), 60))
    case("sound-snappy-copy.index", table(content, wrap=lambda i, c: block(packed, 1)), INDEX, "with a copy that overlaps itself")
    case("sound-not-magic.index", table(ROWS)[:-1] + b"\0", "tfckpt-magic", "another last byte")
    case("sound-not-cut.index", table(ROWS)[:-1], "format-unknown", "cut short: nobody can know what it is")
    case("sound-not-crc.index", table(ROWS, wrap=lambda i, c: block(c, crc=1)), "tfckpt-crc", "a wrong checksum")
    case("sound-not-masked.index", table(ROWS, wrap=lambda i, c: block(c, crc=crc32c(c + b"\0"))), "tfckpt-crc", "one without its mask")
    case("hole.index", table(ROWS[:3], ROWS[3:], between=b"\0"), INDEX + " tfckpt-hole", "a byte between blocks")
    case("hole-front.index", table(ROWS, tail=lambda m, i: b"x" + footer(m, i)), INDEX + " tfckpt-hole", "a byte before the end")
    case("footer-fill.index", table(ROWS, tail=lambda m, i: footer(m, i, fill=b"x")), "tfckpt-block", "no zeros")
    case("footer-far.index", table(ROWS, tail=lambda m, i: footer(m, (i[0], i[1] + 1))), "tfckpt-block", "an index up to the end")
    case("footer-beyond.index", table(ROWS, tail=lambda m, i: footer(m, (1 << 40, i[1]))), "tfckpt-block", "an index elsewhere")
    case("meta.index", table(ROWS, meta=entries([(b"filter", b"\0\0")])), "tfckpt-block", "a filter")
    case("snappy-broken.index", table(ROWS, wrap=lambda i, c: block(snappy(c)[:-1], 1)), "tfckpt-block", "a byte is missing")
    case("snappy-back.index", table(ROWS, wrap=lambda i, c: block(varint(len(c) + 4) + snappy(c)[1:] + b"\x01\xff", 1)),
         "tfckpt-block", "a copy of what is not there")
    case("snappy-huge.index", table(ROWS, wrap=lambda i, c: block(varint(1 << 31) + b"\0", 1)), "tfckpt-limit", "two gigabytes")
    case("pressed-otherwise.index", table(ROWS, wrap=lambda i, c: block(c, 2)), "tfckpt-block", "another way to press")
    case("border-last.index", table([header(), entry("a")], borders=[b"a"]), INDEX, "a border that is the last key")
    case("border.index", table(ROWS[:3], ROWS[3:], borders=[b"zz", b"zzz"]), "tfckpt-keys", "a border behind what follows it")
    case("border-before.index", table(ROWS, borders=[b"a"]), "tfckpt-keys", "a border before the last key")
    case("keys-order.index", of(entry("b"), entry("a", offset=8)), "tfckpt-keys", "not in order")
    case("keys-twice.index", of(entry("a"), entry("a", offset=8)), "tfckpt-keys", "twice")
    content = entries(ROWS)
    case("restarts-none.index", table(content[:-8] + struct.pack("<I", 0)), "tfckpt-block", "none")
    case("restarts-many.index", table(content[:-4] + struct.pack("<I", 1 << 30)), "tfckpt-block", "more than there is room for")
    case("restarts-off.index", table(content[:-8] + struct.pack("<II", 1, 1)), "tfckpt-block", "not at an entry")
    case("restarts-second.index", table(content[:-8] + struct.pack("<III", 0, 3, 2)), "tfckpt-block", "within an entry")
    case("entry-shared.index", table(b"\x05" + content[1:]), "tfckpt-block", "the first shares with nothing")
    case("entry-long.index", table(content[:2] + b"\x7f" + content[3:-40]), "tfckpt-block", "longer than its block")
    case("entry-overlong.index", table(b"\x80\0" + content[1:]), "tfckpt-block", "a number in two bytes for one")
    case("key-long.index", of(entry("k" * 4096), borders=[b"l"]), INDEX, "as long as may be")
    case("key-longer.index", of(entry("k" * 4097)), "tfckpt-limit", "longer")


def bundles():
    case("header-missing.index", table([entry("a")]), "format-unknown", "no header: a table of LevelDB, which has many uses")
    case("header-nothing.index", table(entries([])), "tfckpt-block", "no entry")
    case("header-old.index", table([(b"", text(1, b"x" * 200)), entry("a")]), "format-unknown", "a checkpoint of TensorFlow 1: not an index")
    case("header-broken.index", table([(b"", text(1, b"x") + number(3, 1)), entry("a")]),
         INDEX + " tfckpt-header tfckpt-shards tfckpt-bounds", "no number")
    case("header-unknown.index", table([header(more=number(9, 1)), entry("a")]), INDEX + " tf-unknown-field", "a newer field")
    case("header-endianness.index", table([header(more=number(2, 1)), entry("a")]), INDEX + " tfckpt-endianness", "the other way")
    case("shards-0.index", table([header(0)]), INDEX + " tfckpt-shards", "none")
    case("shards-1024.index", table([header(1024), entry("a", shard=1023)]), INDEX, "as many as may be")
    case("shards-1025.index", table([header(1025), entry("a")]), INDEX + " tfckpt-shards", "one more")
    case("bounds-shard.index", table([header(2), entry("a", shard=2)]), INDEX + " tfckpt-bounds", "the third of two")
    case("bounds-shard-last.index", table([header(2), entry("a", shard=1)]), INDEX, "the second of two")
    case("bounds-offset.index", of(entry("a", offset=-8)), INDEX + " tfckpt-bounds", "before the file")
    case("bounds-wrap.index", of(entry("a", offset=(1 << 63) - 4)), INDEX + " tfckpt-bounds", "beyond all files")
    case("size-short.index", of(entry("a", size=7)), INDEX + " tfckpt-size", "a byte is missing")
    case("size-shape.index", of(entry("a", shape=(1 << 40, 1 << 40))), INDEX + " tfckpt-size", "more than there are numbers")
    case("size-negative.index", of(entry("a", shape=(-1,))), INDEX + " tfckpt-size", "a dimension below zero")
    case("size-unknown.index", of((b"a", number(1, 1) + text(2, number(3, 1)) + number(5, 4))), INDEX + " tfckpt-size", "no shape")
    case("size-strings.index", of(entry("s", 7, (3,), size=7)), INDEX, "three empty strings")
    case("size-strings-short.index", of(entry("s", 7, (3,), size=6)), INDEX + " tfckpt-size", "no room for them")
    case("size-nothing.index", of(entry("a", shape=(0,), size=0)), INDEX, "no element")
    case("size-nothing-unwritten.index", of(entry("a", shape=(None,), size=0), entry("b", 7, (None,), size=4)), INDEX,
         "a dimension of 0, as TensorFlow writes it, which is not at all")
    case("size-nothing-more.index", of(entry("a", shape=(None, 2), size=8)), INDEX + " tfckpt-size", "and bytes all the same")
    case("overlap.index", of(entry("a"), entry("b", offset=7)), INDEX + " tfckpt-overlap", "a byte of two")
    case("overlap-same.index", of(entry("a"), entry("b")), INDEX + " tfckpt-overlap", "the same bytes")
    case("overlap-not.index", table([header(2), entry("a"), entry("b", shard=1)]), INDEX, "in two files")
    case("gap.index", of(entry("a"), entry("b", offset=72)), INDEX + " tfckpt-hole", "more than writers leave")
    case("gap-aligned.index", of(entry("a"), entry("b", offset=71)), INDEX, "as much as writers leave")
    case("gap-front.index", of(entry("a", offset=64)), INDEX + " tfckpt-hole", "in front")
    case("entry-broken.index", of((b"a", number(1, 1) + b"\x12\xff")), INDEX + " tfckpt-entry", "cut short")
    case("entry-twice.index", of(entry("a", more=number(1, 3))), INDEX + " tfckpt-entry", "two types")
    case("entry-unknown.index", of(entry("a", more=number(20, 3))), INDEX + " tf-unknown-field", "a newer field")
    case("entry-type.index", of(entry("a", 99)), INDEX + " tf-unsupported", "a newer type")
    case("entry-variant.index", of(entry("a", 21)), INDEX + " tf-variant", "a variant")
    graph = "_CHECKPOINTABLE_OBJECT_GRAPH"
    case("object-graph.index", of(entry(graph, 7, (), size=30)), INDEX, "a string")
    case("object-graph-floats.index", of(entry(graph)), INDEX + " tfckpt-object-graph", "two floats")
    case("object-graph-two.index", of(entry(graph, 7, (2,), size=30)), INDEX + " tfckpt-object-graph", "two strings")

    def part(start, length):
        return text(1, (number(1, start) if start else b"") + number(2, length))
    whole = entry("w", shape=(4,), size=0, more=text(7, part(0, 2)) + text(7, part(2, 2)))
    key = b"\0\x01w\0\x01"
    parts = entry(key + b"\x80\x82", offset=0), entry(key + b"\x82\x82", offset=8)
    case("part-all.index", of(*parts, whole), INDEX, "a tensor in two")
    case("part-missing.index", of(parts[0], whole), INDEX + " tfckpt-slices", "one of two")
    far = entry("w", shape=(4,), size=0, more=text(7, part(0, 2)) + text(7, part(3, 2)))
    case("part-outside.index", of(*parts, far), INDEX + " tfckpt-slices", "outside of it")
    flat = entry("w", shape=(4,), size=0, more=text(7, part(0, 2)) + text(7, part(2, 2) + part(0, 1)))
    case("part-rank.index", of(*parts, flat), INDEX + " tfckpt-slices", "of two dimensions for one")
    own = entry("w", shape=(4,), size=16, offset=16, more=text(7, part(0, 2)) + text(7, part(2, 2)))
    case("part-own.index", of(*parts, own), INDEX + " tfckpt-slices", "and bytes of its own")


def sets():
    read = "tf-checkpoint-control weights-in-set"
    unread = read + " tf-data-unchecked"
    data = bytes(range(1, 49))
    one, two = table(ROWS), table([header(2), entry("a"), entry("b", shard=1)])

    def of_one(data, index=one):
        return {"m.index": index, "m.data-00000-of-00001": data}

    def of_two(first, second, index=two, name="m"):
        return {f"{name}.index": index, f"{name}.data-00000-of-00002": first, f"{name}.data-00001-of-00002": second}
    folder("set-sound", of_one(data), read, "an index and its data")
    folder("set-two", of_two(data[:8], data[8:16]), read, "of two files")
    folder("set-folder", {"variables/" + k: v for k, v in of_one(data).items()}, read, "in a folder")
    folder("set-text", of_one(b"\1" + bytes(4) + b"x", table([header(), entry("a", 7, (1,), size=6)])), read, "a text: its bytes are not looked at")
    folder("set-nan", of_one(data[:12] + struct.pack("<f", float("nan")) + data[16:]), read + " weights-nan", "a weight that is not a number")
    folder("set-nan-of-integers", of_one(data[:24] + struct.pack("<d", float("nan")) + data[32:]), read, "the same bits in whole numbers")
    folder("set-gap", of_one(data[:8] + bytes(63) + data[:8], table([header(), entry("a"), entry("b", offset=71)])), read,
           "as much between two as writers leave")
    folder("set-gap-written", of_one(data[:8] + bytes(62) + b"P" + data[:8], table([header(), entry("a"), entry("b", offset=71)])),
           read + " tfckpt-hole", "and something in it")
    folder("set-missing", {"m.index": two, "m.data-00000-of-00002": data[:8]}, unread + " tf-data-missing", "one of them")
    folder("set-short", of_one(data[:-1]), read + " tfckpt-bounds", "a byte is missing")
    folder("set-padded", of_one(data + data[:16] + data + data), read + " tfckpt-hole", "more than its tensors")
    folder("set-total", {**of_one(data), "m.data-00000-of-00002": data}, read + " format-unknown tfckpt-shards",
           "a file of another checkpoint")
    folder("set-unused", {"m.index": table([header(2), entry("b", shard=1)]), "m.data-00000-of-00002": data[:1],
                          "m.data-00001-of-00002": data[:8]}, read + " format-unknown tfckpt-hole", "a file with nothing in it")
    folder("set-others", {**of_one(data), "n.data-00000-of-00002": data}, read + " format-unknown", "one that goes with no index")
    folder("set-renamed", {"m.table": one, "m.data-00000-of-00001": data}, "tf-checkpoint-control weights-in-set format-unknown",
           "an index whose name no loader asks for")


def texts():
    def state(*lines):
        return "".join(line + "\n" for line in lines).encode()
    case("checkpoint", state('model_checkpoint_path: "m-2"', 'all_model_checkpoint_paths: "m-1"', 'all_model_checkpoint_paths: "m-2"',
                             "all_model_checkpoint_timestamps: 1700000000.5", "last_preserved_timestamp: 1700000000"), "", "two checkpoints")
    case("checkpoint-folder", state('model_checkpoint_path: "a/m..2"'), "", "one in a folder")
    case("checkpoint-absolute", state('model_checkpoint_path: "/home/me/m"'), "tf-checkpoint-absolute", "from the root")
    case("checkpoint-drive", state('model_checkpoint_path: "C:\\\\me\\\\m"'), "tf-checkpoint-absolute", "on a drive")
    case("checkpoint-up", state('model_checkpoint_path: "../m"'), "tf-checkpoint-path", "out of the folder")
    case("checkpoint-up-inside", state('model_checkpoint_path: "m"', 'all_model_checkpoint_paths: "a/../../m"'), "tf-checkpoint-path", "likewise")
    case("checkpoint-up-escaped", state('model_checkpoint_path: "\\056\\056/m"'), "tf-checkpoint-path", "with its dots as numbers")
    case("checkpoint-address", state('model_checkpoint_path: "gs://bucket/m"'), "tf-checkpoint-path", "on another machine")
    case("checkpoint-unknown", state('model_checkpoint_path: "m"', "more: 1"), "tf-text-proto", "a field that is not known")
    case("checkpoint-open", state('model_checkpoint_path: "m'), "tf-text-proto", "a string without end")
    case("graph.pbtxt", state('node {', '  name: "x"', '  op: "WriteFile"', '}'), "tf-text-proto", "a graph in text form")
    case("model.txt", state('saved_model_schema_version: 1', 'meta_graphs {', '}'), "tf-text-proto format-name-differs", "a model under another name")
    case("node.txt", state("node.js and other things"), "format-side-file", "a text")


CORPUS.make(tables, bundles, sets, texts)
