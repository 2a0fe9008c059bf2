#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles of kilobytes that take whoever loads them gigabytes or
minutes, and honest ones of the same making that take neither.  Always the same bytes; tests/corpus checks that what is
checked in is what this program makes, tests/loaders/test_pickle_cost.py that CPython agrees.

`codes` are exactly the codes of the verdict.  Where a file holds an attack, its cost grows with the square of its size or
worse: it is as small as makes it rejected.
"""
import io
import os
import pickle
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

DATA, ALLOWED = "pickle-data-only", "pickle-global-allowed"
TIME, MEMORY, EXPANSION, WORK = "pickle-load-time", "pickle-load-memory", "pickle-expansion", "limit-work"
LEFT = "pickle-stack-leftover"
CORPUS = Cases(".pkl", {DATA, ALLOWED, LEFT}, {EXPANSION, "pickle-arguments"})


def case(title, expect, codes, why, content):
    """What is expected is said beside each case, and has to be what its codes come to; our own limit alone is an error."""
    limit = expect == ["error"] and WORK in codes
    CORPUS.case(title, content, " ".join(codes), why, expect="error" if limit else None)
    assert CORPUS.rows[-1]["expect"] == expect, title

P = 2**61 - 1  # sys.hash_info.modulus: integers that are equal modulo P have equal hashes
PROTO, STOP, MARK, POP, NONE, REDUCE, BUILD = b"\x80\x04", b".", b"(", b"0", b"N", b"R", b"b"
LIST, DICT, SET, TUPLE1, TUPLE2, TUPLE3 = b"]", b"}", b"\x8f", b"\x85", b"\x86", b"\x87"
APPENDS, SETITEM, SETITEMS, ADDITEMS, FROZENSET = b"e", b"s", b"u", b"\x90", b"\x91"


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def put(n):
    return b"q" + bytes([n])


def get(n):
    return b"h" + bytes([n])


def integer(n):
    if 0 <= n < 256:
        return b"K" + bytes([n])
    size = n.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + n.to_bytes(size, "little", signed=True)


def real(x):
    return b"G" + struct.pack(">d", x)


def data(b):
    return b"B" + struct.pack("<I", len(b)) + b


def text(s):
    encoded = s.encode()
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def listed(items):
    return LIST + MARK + b"".join(items) + APPENDS


def keyed(keys):
    return DICT + MARK + b"".join(k + NONE for k in keys) + SETITEMS


def stream(*parts):
    return PROTO + b"".join(parts) + STOP


def again(module, attribute, content, n):
    """attribute(content), n times over the same content, in one list"""
    return stream(name(module, attribute), put(0), POP, content, TUPLE1, put(1), POP, LIST, MARK, (get(0) + get(1) + REDUCE) * n,
                  APPENDS)


def attacks_by_copies():
    items = listed([NONE] * 20000)
    numbers = listed([integer(256 + i) for i in range(6000)])
    for callee in ("list", "tuple"):
        case("copies-" + callee, ["reject"], [ALLOWED, MEMORY], "3,600 copies of 160 KB", again("builtins", callee, items, 3600))
    for callee in ("set", "frozenset"):
        case("copies-" + callee, ["reject"], [ALLOWED, MEMORY], "2,000 sets of 6,000 numbers",
             again("builtins", callee, numbers, 2000))
    for module, callee in (("collections", "deque"), ("collections", "Counter"), ("builtins", "dict"),
                           ("collections", "OrderedDict")):
        content = items if callee == "deque" else keyed([integer(256 + i) for i in range(6000)])
        codes = {"OrderedDict": [TIME], "deque": [MEMORY]}.get(callee, [MEMORY, TIME])
        case("copies-" + callee.lower(), ["reject"], [ALLOWED, *codes],
             "copies of one shared container",
             again(module, callee, content, 3600))
    for callee in ("bytes", "bytearray"):
        case("copies-" + callee, ["reject"], [ALLOWED, MEMORY], "9,000 copies of 64 KiB",
             again("builtins", callee, data(bytes(65536)), 9000))
    state = keyed([text("a%d" % i) for i in range(3000)])
    case("copies-state", ["reject"], [ALLOWED, MEMORY], "one state for 2,000 instances", stream(
        name("types", "SimpleNamespace"), put(0), POP, state, put(1), POP, LIST, MARK,
        (get(0) + b")" + REDUCE + get(1) + BUILD) * 2000, APPENDS))
    case("copies-few", ["accept"], [ALLOWED], "four copies: 640 KB", again("builtins", "list", items, 4))
    case("copies-small", ["accept"], [ALLOWED], "many copies of next to nothing",
         again("builtins", "list", listed([NONE] * 3), 3600))


def attacks_by_texts():
    wide = text("\u0101" * 40000)
    for module, callee in (("builtins", "list"), ("builtins", "tuple"), ("collections", "deque")):
        case("characters-" + callee, ["reject"], [ALLOWED, MEMORY], "a list of 40,000 strings, again and again",
             again(module, callee, wide, 220))
        case("characters-few-" + callee, ["accept"], [ALLOWED], "three times", again(module, callee, wide, 3))
    case("characters-bytes", ["reject"], [ALLOWED, MEMORY], "a list of 80,000 numbers, again and again",
         again("builtins", "list", data(bytes(80000)), 220))
    different = text("".join(map(chr, range(0x100, 0x4100))))
    case("characters-set", ["reject"], [ALLOWED, MEMORY], "sets of 16,000 strings", again("builtins", "set", different, 250))
    case("written-bytes", ["reject"], [ALLOWED, MEMORY], "str(bytes) writes four letters for each",
         again("builtins", "str", data(bytes(65536)), 2500))
    case("path-parts", ["reject"], [ALLOWED, TIME], "a path of 30,000 parts, again and again",
         again("pathlib", "PurePosixPath", text("a/" * 30000), 800))
    case("path-few", ["accept"], [ALLOWED], "a long path", again("pathlib", "PurePosixPath", text("a/" * 1000), 3))
    large = b"\x8b" + struct.pack("<I", 20000) + b"\x01" * 20000
    half = b"\x8b" + struct.pack("<I", 10000) + b"\x01" * 10000
    for module, callee, first in (("builtins", "range", integer(0)), ("fractions", "Fraction", b"")):
        args = (TUPLE3 if first else TUPLE2)
        case("divided-" + callee.lower(), ["reject"], [ALLOWED, TIME], "a quotient of long integers, again and again", stream(
            name(module, callee), put(0), POP, first + large + half + args, put(1), POP, LIST, MARK, (get(0) + get(1) + REDUCE) * 60, APPENDS))
        case("divided-one-" + callee.lower(), ["accept"], [ALLOWED], "once", stream(name(module, callee), first + large + half + args, REDUCE))
    case("written-integer", ["reject"], [ALLOWED, TIME], "str() of a long integer, where Python has no limit yet",
         again("builtins", "str", large, 60))
    case("written-integer-one", ["accept"], [ALLOWED], "of one as long as a key", again("builtins", "str", integer(2**2000), 3))
    case("type-fields", ["review"], [ALLOWED, "pickle-arguments"], "a type of a thousand fields, in a text",
         stream(name("numpy", "dtype"), text("i4," * 999 + "i4"), TUPLE1, REDUCE))
    case("type-text", ["accept"], [ALLOWED], "a type", stream(name("numpy", "dtype"), text("i4"), TUPLE1, REDUCE))


def attacks_by_number():
    reach = name("builtins", "range") + integer(2) + integer(10**9) + TUPLE2 + REDUCE
    for module, callee in (("builtins", "dict"), ("collections", "OrderedDict")):
        case("pairs-of-range-" + callee.lower(), ["reject"], [ALLOWED, MEMORY], "each item is made a list to see that it is a pair",
             stream(name(module, callee), listed([reach]), TUPLE1, REDUCE))
    case("range-in-tuple", ["reject"], [ALLOWED, MEMORY], "the same in a tuple",
         stream(name("builtins", "dict"), reach, TUPLE1, TUPLE1, REDUCE))
    case("range-alone", ["accept"], [ALLOWED], "a range that nobody goes through", stream(reach))
    case("pairs", ["accept"], [ALLOWED], "pairs as Python 2 wrote them",
         stream(name("collections", "OrderedDict"), listed([listed([text("k%d" % i), integer(i)]) for i in range(200)]), TUPLE1,
                REDUCE))
    cut = name("builtins", "slice") + NONE + TUPLE1 + REDUCE
    case("slice-of-range", ["reject"], [ALLOWED, MEMORY], "list[:] = range(10**9)",
         stream(listed([NONE]), cut, reach, SETITEM))
    case("slice-doubles", ["reject"], [ALLOWED, MEMORY], "list[0:0] = list, forty times", stream(
        listed([NONE]), put(0), name("builtins", "slice") + integer(0) + integer(0) + TUPLE2 + REDUCE, put(1), POP,
        (get(1) + get(0) + SETITEM) * 40))
    case("slice-alone", ["accept"], [ALLOWED], "a slice is a value", stream(cut))
    for n, expect in ((2**24, "reject"), (2**10, "accept")):
        case("storages-%d" % n, [expect], [ALLOWED] + [MEMORY] * (expect == "reject"), "torch.DoubleStorage(n), eight times", stream(
            name("torch", "DoubleStorage"), put(0), POP, integer(n), TUPLE1, put(1), POP, LIST, MARK, (get(0) + get(1) + REDUCE) * 8, APPENDS))
    case("digits", ["accept"], [ALLOWED], "int() of as many digits as are looked at",
         again("builtins", "int", text("9" * 1000), 100))


def colliding(n):
    return [integer((i + 1) * P + 1) for i in range(n)]


def attacks_by_keys():
    case("equal-modulo", ["reject"], [DATA, TIME], "11,000 keys of one hash", stream(keyed(colliding(11000))))
    case("equal-modulo-set", ["reject"], [DATA, TIME], "likewise, in a set",
         stream(SET + MARK + b"".join(colliding(11000)) + ADDITEMS))
    case("equal-modulo-frozenset", ["reject"], [DATA, TIME], "likewise, in a frozenset",
         stream(MARK + b"".join(colliding(11000)) + FROZENSET))
    case("equal-modulo-instance", ["reject"], [ALLOWED, TIME], "likewise, in an OrderedDict",
         stream(name("collections", "OrderedDict"), b")" + REDUCE, MARK, b"".join(k + NONE for k in colliding(11000)), SETITEMS))
    case("equal-modulo-call", ["reject"], [ALLOWED, TIME], "set() of such a list",
         stream(name("builtins", "set"), listed(colliding(21000)), TUPLE1, REDUCE))
    case("equal-modulo-again", ["reject"], [ALLOWED, TIME], "sets of a dict of 2,000 such keys, again and again",
         again("builtins", "set", keyed(colliding(2000)), 200))
    case("keys-again", ["accept"], [ALLOWED], "sets of an honest dict",
         again("builtins", "set", keyed([integer(2**40 + i * 7) for i in range(2000)]), 50))
    tuples = []
    for i in range(6000):  # hash(-1) == hash(-2)
        tuples.append(MARK + b"".join(integer(-2 if i >> bit & 1 else -1) for bit in range(13)) + b"t")
    case("equal-tuples", ["reject"], [DATA, TIME], "6,000 tuples of -1 and -2: one hash", stream(keyed(tuples)))
    long = b"\x8b" + struct.pack("<I", 20000) + b"\x01" * 20000
    case("long-integer", ["reject"], [DATA, TIME], "an integer of 20,000 bytes, 150,000 times a key",
         stream(long, put(0), POP, DICT, MARK, (get(0) + NONE) * 150000, SETITEMS))
    case("shared-tuple", ["reject"], [DATA, TIME], "a tuple of 30,000, 6,000 times a key: nobody remembers its hash",
         stream(MARK + NONE * 30000 + b"t", put(0), POP, DICT, MARK, (get(0) + NONE) * 6000, SETITEMS))
    doubled = text("x") + TUPLE1 + put(0) + POP
    for _ in range(40):
        doubled += get(0) + get(0) + TUPLE2 + put(0) + POP
    case("doubled-key", ["review"], [DATA, EXPANSION], "a tuple of a tuple twice, forty times over, as a key",
         stream(doubled, DICT, get(0), NONE, SETITEM))
    call = name("builtins", "tuple") + put(1) + POP + text("x") + TUPLE1 + put(0) + POP
    for _ in range(40):
        call += get(1) + get(0) + get(0) + TUPLE2 + TUPLE1 + REDUCE + put(0) + POP
    case("doubled-by-calls", ["review"], [ALLOWED, EXPANSION], "the same, made by calls", stream(
        call, DICT, get(0), NONE, SETITEM))
    sets = MARK + text("x") + FROZENSET + put(0) + POP
    for _ in range(40):
        sets += MARK + get(0) + integer(0) + TUPLE2 + get(0) + integer(1) + TUPLE2 + FROZENSET + put(0) + POP
    case("doubled-frozensets", ["reject"], [DATA, EXPANSION, TIME], "frozensets remember their hash; who compares two goes through all",
         stream(sets, DICT, get(0), NONE, SETITEM))


def honest_keys():
    honest = {
        "counted": [integer(i) for i in range(20000)],
        "pages": [integer(i * 4096) for i in range(20000)],
        "addresses": [integer(0x7F3A00000000 + i * 64) for i in range(20000)],
        "nanoseconds": [integer(1_700_000_000_000_000_000 + i * 1_000_000_000) for i in range(20000)],
        "high-bits": [integer(i << 40) for i in range(20000)],
        "floats": [real(i / 10) for i in range(20000)],
        "whole-floats": [real(float(i << 30)) for i in range(20000)],
        "hashes": [integer(i * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128) for i in range(10000)],
        "pairs": [integer(i % 150) + integer(i // 150) + TUPLE2 for i in range(20000)],
        "triples": [integer(i % 25) + integer(i // 25 % 25) + integer(i // 625) + TUPLE3 for i in range(15000)],
        "words": [text("w%d" % (i // 100)) + text("v%d" % (i % 100)) + TUPLE2 for i in range(10000)],
    }
    for what, keys in honest.items():
        case("keys-" + what, ["accept"], [DATA], "a dict of %d such keys" % len(keys), stream(keyed(keys)))
        case("set-of-" + what, ["accept"], [DATA], "a set of them", stream(SET + MARK + b"".join(keys) + ADDITEMS))
    case("equal-modulo-few", ["accept"], [DATA], "200 keys of one hash", stream(keyed(colliding(200))))
    case("old-set", ["accept"], [ALLOWED], "a set as protocol 2 writes it",
         stream(name("builtins", "set"), listed([integer(i * 3) for i in range(20000)]), TUPLE1, REDUCE))


def honest_values():
    table = {"name%d" % i: {"id": i, "score": i / 7, "tags": ["a", "b"], "at": (i, i + 1)} for i in range(3000)}
    for protocol in range(2, 6):
        case("table-%d" % protocol, ["accept"], [DATA], "what a table of records looks like", pickle.dumps(table, protocol))
    case("nested-lists", ["accept"], [DATA], "a list of lists of numbers",
         pickle.dumps([[i * j for j in range(50)] for i in range(400)], 4))


def called_with(module, attribute, item, n, calls):
    """attribute(item, item, ...), again and again with the same n arguments"""
    return stream(name(module, attribute), put(0), POP, MARK, item * n, b"t", put(1), POP, LIST, MARK,
                  (get(0) + get(1) + REDUCE) * calls, APPENDS)


def checkpoint(body, members):
    """An archive of torch: members at multiples of 64."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, content in (("data.pkl", body), *members, ("version", b"3\n")):
            info = zipfile.ZipInfo("archive/" + path)
            filler = -(out.tell() + 30 + len(info.filename) + 4) % 64
            info.extra = b"FB" + struct.pack("<H", filler) + b"Z" * filler
            archive.writestr(info, content)
    return out.getvalue()


def sparse(tensors, n):
    """So many sparse tensors over one storage of n indices."""
    def stored(key, kind):
        return MARK + text("storage") + name("torch", kind) + text(key) + text("cpu") + integer(n) + b"tQ"

    def dense(storage, *size):
        sizes = b"".join(map(integer, size)), b"".join(integer(n if len(size) - i > 1 else 1) for i in range(len(size)))
        return (name("torch._utils", "_rebuild_tensor_v2") + MARK + storage + integer(0) +
                b"".join(MARK + part + b"t" for part in sizes) + b"\x89" + name("collections", "OrderedDict") + b")Rt" + REDUCE)

    layout = name("torch.serialization", "_get_layout") + text("torch.sparse_coo") + TUPLE1 + REDUCE
    parts = (dense(stored("0", "LongStorage"), 1, n) + dense(stored("1", "BoolStorage"), n) + name("torch", "Size") +
             integer(5) + TUPLE1 + TUPLE1 + REDUCE + TUPLE3)
    call = name("torch._utils", "_rebuild_sparse_tensor") + put(0) + layout + parts + TUPLE2 + put(1)
    body = b"\x80\x02" + call + LIST + MARK + (get(0) + get(1) + REDUCE) * tensors + APPENDS + STOP
    return checkpoint(body, (("data/0", bytes(8 * n)), ("data/1", bytes(n))))


def our_work():
    case("work-arguments", ["reject"], [ALLOWED, TIME, WORK], "30,000 arguments, 4,000 times: each is looked at every time",
         called_with("builtins", "object", NONE, 30000, 4000))
    case("work-texts", ["reject"], [ALLOWED, TIME, WORK], "likewise, of paths", called_with("pathlib", "PosixPath", text("a"), 8000, 8000))
    case("work-arguments-few", ["accept"], [ALLOWED], "200 arguments, 200 times",
         called_with("pathlib", "PosixPath", text("a"), 200, 200))
    dots = ".".join("a" * 31)
    many = stream(text(dots), put(0), POP, text("b"), put(1), POP, (get(0) + get(1) + b"\x93" + POP) * 75000, NONE)
    case("work-names", ["error"], ["pickle-global-unknown", WORK], "a name of 32 components, imported 75,000 times", many)
    case("work-sparse.pt", ["error"], [ALLOWED, LEFT, WORK], "160 KB of indices, compared for each of 6,000 tensors",
         sparse(6000, 20000))
    case("work-sparse-few.pt", ["accept"], [ALLOWED, LEFT], "for each of sixty", sparse(60, 2000))


if __name__ == "__main__":
    CORPUS.make(attacks_by_copies, attacks_by_texts, attacks_by_number, attacks_by_keys, honest_keys, honest_values, our_work)
