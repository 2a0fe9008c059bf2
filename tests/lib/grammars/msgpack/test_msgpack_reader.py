"""Our walker of MessagePack beside Python's: what msgpack packs we read as it does and have nothing to say about; of
thousands of damaged variants we read those that it reads, and see the same objects in them.

    test_msgpack_reader.py LISTER"""
import random
import struct
import subprocess
import sys

import tap

try:
    import msgpack
except ImportError:
    msgpack = None

LISTER = sys.argv[1]
SEED = 20260817
DEPTH = 64  # ours; that of msgpack is 1024


class Map(list):
    """Pairs as they come, whatever the keys."""


def listed(inputs):
    done = subprocess.run([LISTER], input="".join(b.hex() + "\n" for b in inputs), capture_output=True, text=True,
                          timeout=300, check=True)
    rows = [line.split(" ", 1) for line in done.stdout.splitlines()]
    assert len(rows) == len(inputs), (len(rows), len(inputs))
    return [(status == "ok", text.split()) for status, text in rows]


def by_msgpack(data):
    """None when it refuses."""
    try:
        return (msgpack.unpackb(data, raw=False, unicode_errors="surrogateescape", strict_map_key=False,
                                object_pairs_hook=Map, ext_hook=msgpack.ExtType, timestamp=0),)
    except (ValueError, msgpack.UnpackException, RecursionError, OverflowError):
        return None


def float_bits(text):
    """f32 and f64 are both doubles to Python."""
    kind, bits = text.split("=")
    return struct.unpack(*((">f", struct.pack(">I", int(bits))) if kind.endswith("f32") else
                           (">d", struct.pack(">Q", int(bits)))))[0]


def same_number(text, x):
    return repr(float_bits(text)) == repr(x)


def matches(words, x, key=False):
    """Takes the words for one object away and compares it."""
    word = words.pop(0)
    if key:
        assert word.startswith("key:"), word
        word = word[4:]
    if x is None:
        return word == "nil=0"
    if isinstance(x, bool):
        return word == f"bool={int(x)}"
    if isinstance(x, int):
        return word == f"int={x}"
    if isinstance(x, float):
        return word.startswith("f") and same_number(word, x)
    if isinstance(x, (str, bytes)):
        data = x.encode("utf-8", "surrogateescape") if isinstance(x, str) else x
        text = words.pop(0)
        return word == f"{'str' if isinstance(x, str) else 'bin'}+{len(data)}" and text == data.hex() + "."
    if isinstance(x, msgpack.ExtType):
        return word == f"ext{x.code}+{len(x.data)}"
    if isinstance(x, Map):
        ok = word == "{" + str(len(x)) and all(matches(words, k, True) and matches(words, v) for k, v in x)
    else:
        ok = word == "[" + str(len(x)) and all(matches(words, v) for v in x)
    return ok and words.pop(0).startswith("/")


def without_notes(words):
    """"!5" is a form that is not the shortest, which Python takes."""
    return [w for w in words if not w.startswith("!5:")]


def is_timestamp(words):
    return any(w.startswith(("ext-", "key:ext-")) for w in words)


def anything(rng, depth=0):
    kind = rng.randrange(10 if depth < 6 else 7)
    if kind == 0:
        return None
    if kind == 1:
        return rng.random() < 0.5
    if kind == 2:
        return rng.choice((1, -1)) * (1 << rng.randrange(63)) + rng.choice((-1, 0))
    if kind == 3:
        return rng.choice((rng.random(), float("inf"), float("nan"), -0.0))
    if kind == 4:
        return "x\u00fc\u4e2d"[:rng.randrange(4)] * rng.choice((1, 10, 30, 100, 300))
    if kind == 5:
        return bytes(rng.choice((0, 1, 31, 32, 255, 256, 1000)))
    if kind == 6:
        return msgpack.ExtType(rng.randrange(128), bytes(rng.choice((0, 1, 2, 3, 4, 8, 15, 16, 17, 300))))
    if kind == 7:
        return [anything(rng, depth + 1) for _ in range(rng.choice((0, 1, 3, 15, 16, 20)) if depth < 2 else 2)]
    return {str(i): anything(rng, depth + 1) for i in range(rng.choice((0, 1, 3, 15, 16, 20)) if depth < 2 else 2)}


def packed(rng):
    return msgpack.packb(anything(rng))


def damaged(rng, data):
    data = bytearray(data[:2000])
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data))
        what = rng.randrange(4)
        if what == 0:
            data[at] = rng.randrange(256)
        elif what == 1:
            data[at:at] = bytes([rng.choice((0xc1, 0xc0, 0x80, 0x90, 0xd9, 0xdc, 0xde, 0xc7, 0xff))])
        elif what == 2 and len(data) > 1:
            del data[at]
        else:
            data[at] ^= 1 << rng.randrange(8)
    return bytes(data)


if msgpack is None:
    def test_left_out():
        """python3-msgpack is not installed: nothing to compare with."""
        print("# left out: no python3-msgpack")
else:
    def test_what_msgpack_packs_is_read_as_it_reads_it():
        rng = random.Random(SEED)
        inputs = [packed(rng) for _ in range(2000)]
        for data, (ok, words) in zip(inputs, listed(inputs)):
            assert ok and not any("!" in w for w in words), (data[:50], words[:5])
            assert matches(words, by_msgpack(data)[0]) and not words, data[:50]

    def test_damaged_input_is_read_by_both_or_by_none():
        rng = random.Random(SEED + 1)
        inputs = [damaged(rng, packed(rng)) for _ in range(6000)]
        agreed = 0
        for data, (ok, words) in zip(inputs, listed(inputs)):
            theirs = by_msgpack(data)
            if is_timestamp(words) or any(w.startswith("!3") for w in words):
                continue  # msgpack looks into timestamps; and ours is stricter about depth
            assert ok == (theirs is not None), (data[:80].hex(), ok, theirs, words[:20])
            if ok:
                words = without_notes(words)
                assert matches(words, theirs[0]) and not words, data[:80].hex()
                agreed += 1
        assert agreed > 500, agreed

    def test_depth_ends_where_it_is_said_to():
        deepest, deeper = b"\x91" * DEPTH + b"\xc0", b"\x91" * (DEPTH + 1) + b"\xc0"
        (ok, _), (not_ok, words) = listed([deepest, deeper])
        assert ok and not not_ok and words[-1].startswith("!3"), words[-1]
        assert by_msgpack(deeper) is not None


tap.main(globals())
