#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small HDF5 files that each break one rule of formats/keras-hdf5, and near
misses that break none.  Always the same bytes, made without the HDF5 library; nothing here is loaded.  corpus/keras builds
its files with this writer too.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

UNDEFINED = 2**64 - 1
REVIEWED = {"h5-superblock-version", "h5-object-shared", "h5-unclaimed-bytes", "h5-unsupported", "h5-unknown-message",
            "h5-shared-message", "h5-datatype", "h5-reference", "weights-nan", "weights-inf", "weights-bool-invalid"}
ACCEPTED = {"h5-flags", "h5-nil-data", "pickle-global-allowed"}
CORPUS = Cases(".h5", ACCEPTED, REVIEWED)


def case(name, data, codes="", why="", **more):
    CORPUS.case(name, bytes(data), codes, why, **more)


# -- bytes

def u8(*n):
    return bytes(n)


def u16(n):
    return struct.pack("<H", n)


def u32(n):
    return struct.pack("<L", n)


def u64(*n):
    return struct.pack(f"<{len(n)}Q", *(v & UNDEFINED for v in n))


def padded(data, to=8):
    return data + bytes(-len(data) % to)


def lookup3(data):
    mask = 0xffffffff
    a = b = c = (0xdeadbeef + len(data)) & mask

    def rot(x, r):
        return (x << r | x >> (32 - r)) & mask

    while len(data) > 12:
        x, y, z = struct.unpack("<LLL", data[:12])
        data = data[12:]
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        for r in ((4, 6), (8, 16), (19, 4)):
            if r[0] == 4:
                a = ((a - c) & mask) ^ rot(c, 4)
                c = (c + b) & mask
                b = ((b - a) & mask) ^ rot(a, 6)
                a = (a + c) & mask
            elif r[0] == 8:
                c = ((c - b) & mask) ^ rot(b, 8)
                b = (b + a) & mask
                a = ((a - c) & mask) ^ rot(c, 16)
                c = (c + b) & mask
            else:
                b = ((b - a) & mask) ^ rot(a, 19)
                a = (a + c) & mask
                c = ((c - b) & mask) ^ rot(b, 4)
                b = (b + a) & mask
    if not data:
        return c
    x, y, z = struct.unpack("<LLL", data.ljust(12, b"\0"))
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    for target, source, r in (("c", "b", 14), ("a", "c", 11), ("b", "a", 25), ("c", "b", 16), ("a", "c", 4), ("b", "a", 14),
                              ("c", "b", 24)):
        v = {"a": a, "b": b, "c": c}
        n = ((v[target] ^ v[source]) - rot(v[source], r)) & mask
        a, b, c = (n if target == "a" else a), (n if target == "b" else b), (n if target == "c" else c)
    return c


def summed(data, flip=0):
    return data + u32(lookup3(data) ^ flip)


# -- types, spaces, messages

def fixed(size, signed=False, big=False):
    return u8(0x10, big | 8 * signed, 0, 0) + u32(size) + u16(0) + u16(8 * size)


def floating(size, big=False):
    sign, at, exponent, mantissa, bias = {2: (15, 10, 5, 10, 15), 4: (31, 23, 8, 23, 127), 8: (63, 52, 11, 52, 1023),
                                          16: (15, 7, 8, 7, 127)}[size]
    size = 2 if size == 16 else size  # 16: bfloat16
    return u8(0x11, 0x20 | big, sign, 0) + u32(size) + u16(0) + u16(8 * size) + u8(at, exponent, 0, mantissa) + u32(bias)


def fixed_string(n):
    return u8(0x13, 1, 0, 0) + u32(n)


def boolean(names=(b"FALSE", b"TRUE"), values=(0, 1)):
    return u8(0x18, 2, 0, 0) + u32(1) + fixed(1, True) + b"".join(padded(n + b"\0") for n in names) + bytes(values)


F32, F16, BF16 = floating(4), floating(2), floating(16)
VLEN_STRING = u8(0x19, 1, 1, 0) + u32(16) + fixed(1)
OBJECT_REFERENCE = u8(0x17, 0, 0, 0) + u32(8)
OPAQUE = u8(0x15, 0, 0, 0) + u32(4)
COMPOUND = u8(0x16, 1, 0, 0) + u32(4) + padded(b"x\0") + u32(0) + bytes(28) + F32


def space(*dims, version=1, most=()):
    """`most`: what they can grow to."""
    limited = 1 if most else 0
    head = u8(1, len(dims), limited) + bytes(5) if version == 1 else u8(2, len(dims), limited, 1 if dims else 0)
    return head + b"".join(u64(d) for d in (*dims, *most))


NO_FILL = (5, u8(2, 2, 2, 1) + u32(0))


def compact(data):
    return 8, u8(3, 0) + u16(len(data)) + data


def contiguous(address, n):
    return 8, u8(3, 1) + u64(address, n)


def attribute(name, kind, shape, data, version=1, flags=0):
    name, shape = name.encode() + b"\0", space(*shape)
    head = u8(version, flags) + u16(len(name)) + u16(len(kind)) + u16(len(shape)) + (b"\0" if version == 3 else b"")
    parts = (name, kind, shape) if version > 1 else (padded(name), padded(kind), padded(shape))
    return 12, head + b"".join(parts) + data


def hard_link(name, address, flags=0):
    return 6, u8(1, flags, len(name)) + name.encode() + u64(address)


class File:
    """Structures are put one behind the other; each returns its address.  `new`: of the second generation."""

    def __init__(self, new=False, version=None):
        self.new = new
        self.version = version if version is not None else 2 if new else 0
        self.b = bytearray(48 if self.version >= 2 else 100 if self.version == 1 else 96)

    def put(self, data):
        self.b += bytes(-len(self.b) % 8)
        at = len(self.b)
        self.b += data
        return at

    def header(self, *messages, n=None, flip=0):
        """Of (type, data) or (type, data, flags)."""
        messages = [m if len(m) == 3 else (*m, 0) for m in messages]
        if not self.new:
            body = b"".join(u16(t) + u16(len(padded(d))) + u8(f, 0, 0, 0) + padded(d) for t, d, f in messages)
            return self.put(u8(1, 0) + u16(len(messages) if n is None else n) + u32(1) + u32(len(body)) + bytes(4) + body)
        body = b"".join(u8(t) + u16(len(d)) + u8(f) + d for t, d, f in messages)
        return self.put(summed(b"OHDR" + u8(2, 2) + u32(len(body)) + body, flip))

    def dataset(self, shape, kind=F32, data=None, *more, layout=None):
        if layout is None:
            layout = contiguous(self.put(data), len(data)) if data else contiguous(UNDEFINED, 0)
        return self.header((1, space(*shape)), (3, kind), NO_FILL, layout, *more)

    def heap(self, names, free=1):
        data, places = bytearray(8), []
        for name in names:
            places.append(len(data))
            data += padded(name.encode() + b"\0" if isinstance(name, str) else name)
        return self.put(b"HEAP\0\0\0\0" + u64(len(data), free, self.put(data))), places

    def table(self, entries):
        """Of (place of the name, address, cache type, scratch)."""
        rows = b"".join(u64(place, address) + u32(cache) + u32(0) + scratch.ljust(16, b"\0")
                        for place, address, cache, scratch in entries)
        return self.put(b"SNOD\1\0" + u16(len(entries)) + rows.ljust(320, b"\0"))

    def tree(self, keys, level=0, kind=0, siblings=(UNDEFINED, UNDEFINED), used=None, last=0):
        """`last`: where the last of all names is."""
        body = b"".join(u64(0, child) for child in keys) + u64(last)
        used = len(keys) if used is None else used
        return self.put(b"TREE" + u8(kind, level) + u16(used) + u64(*siblings) + body.ljust(33 * 8 + 32 * 8, b"\0"))

    def group(self, children=(), *more, cache=None):
        """Of (name, address); names have to be sorted by whoever wants them so.  `cache`: of the first entry."""
        if self.new:
            links = [hard_link(*c) for c in children]
            return self.header((2, u8(0, 0) + u64(UNDEFINED, UNDEFINED)), (10, u8(0, 0)), *links, *more)
        heap, places = self.heap([c[0] for c in children])
        entries = [(place, c[1], 0, b"") for place, c in zip(places, children)]
        if cache:
            entries[0] = (*entries[0][:2], *cache)
        return self.header((17, u64(self.tree([self.table(entries)] if entries else [], last=places[-1] if entries else 0), heap)), *more)

    def collection(self, *objects, size=4096, free=None):
        """Of bytes, numbered from 1, or (number, bytes)."""
        data, at = bytearray(), []
        for i, o in enumerate(objects, 1):
            number, text = o if isinstance(o, tuple) else (i, o)
            at.append(number)
            data += u16(number) + u16(1) + bytes(4) + u64(len(text)) + padded(text)
        size = max(size, 16 + len(data) + 16)
        left = size - 16 - len(data)
        data += u16(0) + bytes(6) + u64(left if free is None else free) + bytes(left - 16)
        return self.put(b"GCOL\1\0\0\0" + u64(size) + data)

    def text(self, name, value, collection=None, index=1, n=None, shape=()):
        """An attribute with a string of variable length."""
        value = value.encode() if isinstance(value, str) else value
        if collection is None:
            collection = self.collection(value)
        return attribute(name, VLEN_STRING, shape, u32(len(value) if n is None else n) + u64(collection) + u32(index))

    def done(self, root, **changes):
        s = {"base": 0, "end": len(self.b), "free": UNDEFINED, "driver": UNDEFINED, "flags": 0, "extension": UNDEFINED,
             "sizes": (8, 8), "k": (4, 16), "flip": 0, "old_versions": (0, 0, 0), **changes}
        head = b"\x89HDF\r\n\x1a\n" + u8(self.version)
        if self.version >= 2:
            head = summed(head + u8(*s["sizes"], s["flags"]) + u64(s["base"], s["extension"], s["end"], root), s["flip"])
        else:
            v = s["old_versions"]
            head += u8(v[0], v[1], 0, v[2], *s["sizes"], 0) + u16(s["k"][0]) + u16(s["k"][1]) + u32(s["flags"])
            head += u16(32) + u16(0) if self.version == 1 else b""
            head += u64(s["base"], s["free"], s["end"], s["driver"], 0, root) + bytes(24)
        self.b[:len(head)] = head
        return bytes(self.b)


DATA = struct.pack("<4f", 1, 2, 3, 4)


def simple(f=None, data=DATA, kind=F32, shape=(4,), **changes):
    """One data set under the root."""
    f = f or File()
    return f.done(f.group([("a", f.dataset(shape, kind, data))]), **changes)


def root_with(*messages, new=False):
    f = File(new)
    return f.done(f.group([], *messages))


def patched(data, at, new):
    return data[:at] + new + data[at + len(new):]


def extended(*messages, flip=0):
    f = File(True)
    return simple(f, extension=f.header(*messages, flip=flip))


# -- sections

def superblocks():
    case("super-0", simple(), why="the first version")
    case("super-1", simple(File(version=1)), why="with a K for chunks")
    case("super-2", simple(File(True, 2)), why="the second generation")
    case("super-3", simple(File(True, 3)), why="the same, for files that are read while they are written")
    case("super-signature", patched(simple(), 5, b"\x08"), "h5-structure", "a bit of the signature")
    case("super-9", patched(simple(), 8, b"\x09"), "h5-superblock-version", "one that does not exist yet")
    case("super-sizes", simple(sizes=(4, 8)), "h5-address-size", "addresses of four bytes")
    case("super-sizes-new", simple(File(True), sizes=(8, 4)), "h5-address-size", "lengths of four bytes")
    case("super-user-block-512", bytes(512) + simple(), "h5-user-block", "zeros in front")
    case("super-user-block-2048", b"MZ".ljust(2048, b"x") + simple(), "h5-user-block", "another file in front")
    case("super-base", simple(base=8), "h5-user-block", "addresses that count from elsewhere")
    case("super-trailing", simple() + b"x", "h5-trailing-bytes", "a byte behind the end")
    case("super-truncated", simple()[:-1], "h5-truncated", "the last byte is missing")
    case("super-cut", simple()[:50], "h5-address", "half of the superblock")
    case("super-driver", simple(driver=96), "h5-driver", "a block that names a driver")
    case("super-flags-8", simple(flags=8), "h5-structure", "a flag that there is not")
    case("super-flags-1", simple(flags=1), "h5-flags", "open for writing")
    case("super-flags-new", simple(File(True, 3), flags=5), "h5-flags", "open for writing and reading")
    case("super-k-0", simple(k=(0, 16)), "h5-structure", "tables without room")
    case("super-old-version", simple(old_versions=(1, 0, 0)), "h5-structure", "a free space of another version")
    case("super-free-space", simple(free=96), "h5-unsupported", "a free space manager")
    widths, managed = (0x13, u8(0) + u16(32) + u16(16) + u16(4)), (0x17, u8(1, 0, 0) + u64(1, 4096) + u16(0) + u64(0))
    case("super-extension", extended(widths, managed), why="more of a superblock")
    case("super-extension-root", simple(File(True), extension=64), "h5-structure", "which is none")
    case("super-extension-kept", extended((0x17, u8(1, 0, 1) + u64(1, 4096) + u16(0) + u64(0))), "h5-unsupported",
         "free space with managers")
    case("super-extension-links", extended(hard_link("a", 8)), "h5-structure", "objects beside the root's")
    case("super-extension-k", extended((0x13, u8(0) + u16(0) + u16(16) + u16(4))), "h5-structure", "trees without room")
    case("super-extension-driver", extended((0x14, bytes(16))), "h5-driver", "a driver")
    case("super-extension-flip", extended(widths, flip=1), "h5-checksum", "a bit of its checksum")
    case("super-flip", simple(File(True), flip=1), "h5-checksum", "a bit of the checksum")
    case("super-cache", patched(simple(), 72, u32(1) + u32(0) + u64(0, 0)), "h5-structure", "an entry that says otherwise")
    case("super-cache-kind", patched(simple(), 72, u32(3)), "h5-structure", "an entry of no kind")
    case("super-root-nowhere", File().done(UNDEFINED), "h5-address", "the root has no address")
    case("super-root-past-end", File().done(96), "h5-address", "the root begins at the end")


def slack(where, n):
    """Bytes that a structure owns and nothing refers to."""
    f = File()
    text = b"x" * n
    if where == "names":
        heap, places = f.heap(["a", text])
        table = f.table([(places[0], f.dataset((4,), F32, DATA), 0, b"")])
        return f.done(f.header((17, u64(f.tree([table], last=places[0]), heap))))
    if where == "free":
        heap, places = f.heap(["a", u64(1, 16 + len(text)) + text + bytes(-len(text) % 8)], free=16)
        table = f.table([(places[0], f.dataset((4,), F32, DATA), 0, b"")])
        return f.done(f.header((17, u64(f.tree([table], last=places[0]), heap))))
    if where == "string":
        return f.done(f.group([], f.text("note", "x", f.collection(b"x", text))))
    if where == "message":
        return f.done(f.group([("a", f.dataset((4,), F32, DATA, (18, u8(1, 0, 0, 0) + u32(1) + text)))]))
    if where == "nil":
        return f.done(f.group([("a", f.dataset((4,), F32, DATA, (0, text)))]))
    if where == "collection":
        at = f.collection(b"x", size=2 * n)
        f.b[-n:] = text
        return f.done(f.group([], f.text("note", "x", at)))
    table = f.put(b"SNOD\1\0" + u16(0) + bytes(320))
    assert where == "table"
    f.b[-320:] = text[:320].ljust(320, b"\0")
    return f.done(f.header((17, u64(f.tree([table]), f.heap([])[0]))))


def unclaimed():
    for where in ("names", "free", "string", "message", "nil", "collection"):
        more = "h5-nil-data" if where == "nil" else ""
        case(f"slack-{where}-4096", slack(where, 4096), more, "as much as deleted things leave in structures")
        case(f"slack-{where}-4097", slack(where, 4097), f"{more} h5-unclaimed-bytes".strip(), "more")
    case("slack-table", slack("table", 320), why="what a table has no entries for")
    f = File()
    f.put(bytes(4096))
    case("gap-zeros", simple(f), why="zeros that nobody owns")
    f = File()
    f.put(b"left over")
    case("gap-few", simple(f), "h5-unclaimed-bytes", "what a deleted object leaves")
    f = File()
    f.put(b"x" * 4096)
    case("gap-4096", simple(f), "h5-unclaimed-bytes", "the most that is left to a person")
    f = File()
    f.put(b"x" * 4097)
    case("gap-4097", simple(f), "h5-hole", "one more")
    f = File()
    at = f.put(DATA)
    one, other = (f.dataset((4,), F32, None, layout=contiguous(at, 16)) for _ in range(2))
    case("overlap-data", f.done(f.group([("a", one), ("b", other)])), "h5-overlap", "two data sets in one place")
    f = File()
    case("overlap-header", f.done(f.group([("a", f.dataset((12,), F32, None, layout=contiguous(0, 48)))])), "h5-overlap",
         "weights in the superblock")
    f = File()
    at = f.put(DATA + DATA)
    one, other = (f.dataset((4,), F32, None, layout=contiguous(at + i, 16)) for i in (0, 16))
    case("overlap-none", f.done(f.group([("a", one), ("b", other)])), why="side by side")


def headers():
    f = File()
    root = f.group([("a", f.dataset((4,), F32, DATA))])
    whole = f.done(root)
    case("header-version", patched(whole, root, b"\2"), "h5-structure", "an object header of no version")
    case("header-count-none", patched(whole, root + 2, u16(0)), "h5-structure", "messages that the header does not count")
    case("header-count-more", patched(whole, root + 2, u16(9)), "", "which libhdf5 lets pass")
    case("header-size", patched(whole, root + 8, u32(2**24 + 1)), "h5-limit", "larger than any")
    case("header-size-past-end", patched(whole, root + 8, u32(2**20)), "h5-address", "past the end of the file")
    case("header-message-size", patched(whole, root + 18, u16(17)), "h5-structure", "a message of no multiple of eight")
    case("header-message-past-end", patched(whole, root + 18, u16(24)), "h5-structure", "a message past its run")
    case("header-tree-k", root_with((0x13, u8(0) + u16(32) + u16(16) + u16(4))), "h5-unsupported",
         "how wide trees are, said elsewhere")
    case("header-unknown", root_with((0x30, bytes(8))), "h5-unknown-message", "a message of a later version")
    case("header-known", root_with((0x12, u8(1, 0, 0, 0) + u32(0))), why="a time")
    case("header-known-version", root_with((0x12, u8(2, 0, 0, 0) + u32(0))), "h5-structure", "a time of a version that there is not")
    case("header-nil", root_with((0, b"rest of".ljust(16, b"\0"))), "h5-nil-data", "what was deleted")
    case("header-nil-zero", root_with((0, bytes(16))), why="nothing")
    case("header-shared-table", root_with((0x0f, bytes(16))), "h5-unsupported", "a table of shared messages")
    case("header-driver", root_with((0x14, bytes(16))), "h5-driver", "a driver in a message")
    case("header-shareable", root_with((0, bytes(16), 0x40)), "h5-unsupported", "might be shared")
    case("header-shared", root_with((*attribute("x", F32, (), bytes(4)), 2)), "h5-shared-message", "kept elsewhere")
    case("header-twice", root_with((10, u8(0, 0)), new=True), "h5-structure", "group info twice")
    f = File()
    at = f.dataset((4,), F32, DATA, (1, space(2)))
    case("header-two-spaces", f.done(f.group([("a", at)])), "h5-structure", "two shapes: readers take either")
    f = File()
    case("header-empty", f.done(f.group([("a", f.header((0, bytes(8))))])), "h5-structure", "an object of no kind")
    f = File()
    case("header-type", f.done(f.group([("a", f.header((3, F32)))])), "h5-shared-message", "a type for others to share")
    f = File()
    at = f.header((16, u64(0, 0)))
    f.b[at + 24:at + 40] = u64(at, 40)
    case("header-continues-itself", f.done(at), "h5-overlap", "a run that goes on in itself")
    f = File()
    run = padded(attribute("x", F32, (), bytes(4))[1])
    run = u16(12) + u16(len(run)) + bytes(4) + run
    case("header-continues", f.done(f.group([], (16, u64(f.put(run), len(run))))), why="a run elsewhere")
    f = File(True)
    root = f.group([("a", f.dataset((4,), F32, DATA))])
    f.done(root)
    case("header-flip", patched(bytes(f.b), len(f.b) - 1, u8(f.b[-1] ^ 0x80)), "h5-checksum", "a bit of a checksum")
    f = File(True)
    body = u8(12) + u16(0) + u8(0)
    at = f.put(summed(b"OHDR" + u8(2, 2) + u32(len(body) + 2) + body[:3] + u8(0) + b"\1\1"))
    case("header-gap", f.done(at), "h5-structure", "an attribute of no byte")
    f = File(True)
    far = f.put(summed(b"OCHK" + u8(0) + u16(0) + u8(0)))
    case("header-ochk", f.done(f.group([("a", f.dataset((4,), F32, DATA))], (16, u64(far, 12)))), why="a run elsewhere")
    f = File(True)
    far = f.put(summed(b"OCHK" + u8(0) + u16(0) + u8(0), 1))
    case("header-ochk-flip", f.done(f.group([], (16, u64(far, 12)))), "h5-checksum", "a bit of its checksum")


def groups():
    def two(names, **more):
        f = File(**more)
        return f.done(f.group([(n, f.dataset((1,), F32, DATA[:4])) for n in names]))
    for name, names in (("dot", [".", "a"]), ("dots", ["..", "a"]), ("slash", ["a", "a/b"]), ("twice", ["a", "a"]),
                        ("control", ["a", "b\1"]), ("latin-1", ["a", b"\xe9\0"])):
        case("name-" + name, two(names), "h5-name", "a name that leads elsewhere, or is none")
        if name not in ("latin-1",):
            case("name-new-" + name, two(names, new=True), "h5-name", "the same as a link")
    case("name-plain", two(["a", "b.c", "\u00e9"]), why="plain names")
    case("name-new-plain", two(["z", "b", "a"], new=True), why="in any order")
    case("name-order", two(["b", "a"]), "h5-structure", "names that no search finds")
    f = File()
    inside = f.header((2, u8(0, 0) + u64(UNDEFINED, UNDEFINED)), (10, u8(0, 0)), hard_link("b", f.dataset((4,), F32, DATA)))
    case("link-moved", f.done(f.group([("a", inside)], cache=(1, u64(8, 8)))), why="into the header: the entry knows the old place")
    f = File()
    f.put(b"x" * 5000)
    inside = f.header((2, u8(0, 0) + u64(UNDEFINED, UNDEFINED)), (10, u8(0, 0)), hard_link("b", f.dataset((4,), F32, DATA)))
    case("link-moved-gap", f.done(f.group([("a", inside)], cache=(1, u64(8, 8)))), "h5-unclaimed-bytes",
         "what held hundreds of them is left behind")
    f = File()
    case("link-moved-not", f.done(f.group([("a", f.group([("b", f.dataset((4,), F32, DATA))]))], cache=(1, u64(8, 8)))), "h5-structure",
         "an entry that says otherwise of links that did not move")
    f = File()
    case("link-soft", f.done(f.group([("a", UNDEFINED)], cache=(2, u32(8)))), "h5-soft-link", "an entry that is a path")
    f = File()
    case("link-entry-cache", f.done(f.group([("a", UNDEFINED)], cache=(3, b""))), "h5-structure", "an entry of no kind")
    for name, kind, code, rest in (("soft", 1, "h5-soft-link", u16(2) + b"/a"), ("user", 65, "h5-user-link", u16(1) + b"x"),
                                   ("external", 64, "h5-external-link", u16(13) + b"\0/etc/passwd\0/a"[:13])):
        f = File(True)
        link = (6, u8(1, 8, kind, 1) + b"l" + rest)
        case("link-new-" + name, f.done(f.group([("a", f.dataset((1,), F32, DATA[:4]))], link)), code, "not a hard link")
    case("link-hard", two(["a"], new=True), why="a hard link")
    f = File()
    at = f.dataset((4,), F32, DATA)
    case("tree-two-names", f.done(f.group([("a", at), ("b", at)])), "h5-object-shared", "an array under two names")
    f = File(True)
    inner = len(f.b) + len(f.b) % 8
    at = f.group([("self", 48)])
    assert at == inner
    case("tree-cycle", f.done(at), "h5-object-cycle", "a group in itself")
    for depth, code in ((32, ""), (33, "h5-limit")):
        f = File()
        at = f.dataset((1,), F32, DATA[:4])
        for _ in range(depth):
            at = f.group([("g", at)])
        case(f"tree-depth-{depth}", f.done(at), code, "32 levels are read")
    f = File()
    heap, places = f.heap(["a"])
    table = f.table([(places[0], f.dataset((1,), F32, DATA[:4]), 0, b"")])
    at = f.tree([table], last=places[0])
    case("tree-leaf", f.done(f.header((17, u64(at, heap)))), why="one table")
    case("tree-empty-inner", patched(patched(bytes(f.b), at + 5, b"\1"), at + 6, u16(0)), "h5-structure", "a first child that is not there")
    case("tree-node-is-none", patched(bytes(f.b), at, b"TREX"), "h5-structure", "no node of a tree")
    case("tree-used", patched(bytes(f.b), at + 6, u16(33)), "h5-structure", "more children than fit")
    case("tree-kind", patched(bytes(f.b), at + 4, b"\1"), "h5-structure", "a tree of chunks")
    case("tree-table-is-none", patched(bytes(f.b), table, b"SNOX"), "h5-structure", "no table")
    case("tree-table-used", patched(bytes(f.b), table + 6, u16(9)), "h5-structure", "more entries than fit")
    case("tree-key", patched(bytes(f.b), at + 40, u64(0)), "h5-structure", "a name that its keys do not enclose")
    case("tree-key-nowhere", patched(bytes(f.b), at + 40, u64(2**40)), "h5-heap", "a key that is no name")
    case("tree-child-nowhere", patched(bytes(f.b), at + 32, u64(UNDEFINED)), "h5-address", "a child without an address")
    case("heap-names-is-none", patched(bytes(f.b), heap, b"HEAX"), "h5-structure", "no heap")
    case("heap-names-past-end", patched(bytes(f.b), heap + 24, u64(UNDEFINED - 7)), "h5-address", "names past the end")
    case("heap-names-short", patched(bytes(f.b), heap + 8, u64(9)), "h5-heap", "a name without its end")
    case("heap-names-offset", patched(bytes(f.b), table + 8, u64(2**40)), "h5-heap", "a name behind all")
    f = File()
    case("heap-names-free", f.done(f.header((17, u64(f.tree([]), f.heap([], 2**40)[0])))), "h5-heap",
         "free space behind all names")
    f = File()
    loop = len(f.b)
    f.tree([loop], level=1)
    case("tree-child-is-parent", f.done(f.header((17, u64(loop, f.heap([])[0])))), "h5-overlap", "a node below itself")
    f = File()
    at = f.tree([f.table([])], siblings=(96, 96))
    case("tree-siblings", f.done(f.header((17, u64(at, f.heap([])[0])))), "h5-structure", "siblings that are none")


SPREAD = [0, 512, *[4 * 512 * 2**8 + 512 * i for i in range(4)]]  # the last are in a block of blocks in the tenth row


def blocks_of(objects, head, size, spread):
    """Objects put into blocks of that size, and their offsets."""
    blocks, places = [bytearray(head)], []
    for data in objects:
        if len(blocks[-1]) + len(data) > size:
            blocks.append(bytearray(head))
        places.append((SPREAD[len(blocks) - 1] if spread else 0) + len(blocks[-1]))
        blocks[-1] += data
    assert spread or len(blocks) == 1
    return [b.ljust(size, b"\0") for b in blocks], places


def indirect(f, heap_at, blocks, offset_bytes, flip=0):
    """The root of a heap, ten rows of four."""
    def node(offset, rows, children):
        addresses = [children.get(i, UNDEFINED) for i in range(4 * rows)]
        return f.put(summed(b"FHIB\0" + u64(heap_at) + u64(offset)[:offset_bytes] + u64(*addresses), flip))
    inner = node(SPREAD[2], 7, dict(enumerate(blocks[2:])))
    return node(0, 10, {**dict(enumerate(blocks[:2])), 36: inner})


def gaps(f, heap_at, client=0, kinds=4, n=1, owner=None, flip=0):
    """Free space of a heap: its manager, and the list of gaps."""
    at, used = f.put(bytes(82)), 4 + 9 + 1 + 2 + 4 + 1 + 4
    body = u8(1) + u16(16) + u32(64) + u8(0)
    listed = f.put(summed(b"FSSE\0" + u64(at if owner is None else owner) + body, flip).ljust(48, b"\0"))
    f.b[at:at + 82] = summed(b"FSHD" + u8(0, client) + u64(16, n, 1, 0) + u16(kinds) + u16(80) + u16(120) + u16(32) + u64(65536) +
                             u64(listed, used, 48))
    return at


def dense(n=20, links=True, flip="", order=False, count=None, kind=0, spread=False, other=None, rest=b"", most=None,
          huge=UNDEFINED, space_=None, free=None):
    """A group whose links, or attributes, are in a fractal heap.  `spread`: over many rows of blocks.  `other`: what the tree by age
    has in place of its first object.  `rest`: bytes behind the objects.  `most`: bytes of the largest object, `huge`: a tree of larger
    ones.  `free`: how the free space is managed."""
    f = File(True)
    objects = []
    for i in range(n):
        name = f"g{i}" + "_" * 60 * spread if links else f"a{i}"
        if links:
            objects.append((name, hard_link(name, f.dataset((1,), F32, DATA[:4]))[1]))
        else:
            objects.append((name, attribute(name, F32, (), DATA[:4], version=3)[1]))
    id_bytes, offset_bytes = (7, 4) if links else (8, 5)
    head = 13 + offset_bytes + 4
    size = 512 if links else 2048
    size = max(size, 1 << (len(rest) + 1024).bit_length() if rest else 0)
    heap_at = f.put(bytes(146))
    blocks, places = blocks_of([data for _, data in objects], head, size, spread)
    ids = [(lookup3(name.encode()), name, (u8(kind) + u64(at)[:offset_bytes] + u16(len(data))).ljust(id_bytes, b"\0"))
           for (name, data), at in zip(objects, places)]
    if rest:
        blocks[-1][-len(rest):] = rest
    at = []
    for i, block in enumerate(blocks):
        block[:13 + offset_bytes] = b"FHDB\0" + u64(heap_at) + u64(SPREAD[i])[:offset_bytes]
        block[13 + offset_bytes:head] = u32(lookup3(bytes(block)) ^ (flip == "block"))
        at.append(f.put(block))
    root = indirect(f, heap_at, at, offset_bytes, flip == "blocks") if spread else at[0]
    managed = 4 * size * 2**9 if spread else size
    header = b"FRHP\0" + u16(id_bytes) + u16(0) + u8(2) + u32(size if most is None else most)
    header += u64(0, huge, 0, gaps(f, heap_at, **free) if free is not None else UNDEFINED)
    header += u64(managed if space_ is None else space_, size * len(blocks), 0, n)
    header += u64(0, 0, 0, 0) + u16(4) + u64(size, 65536) + u16(8 * offset_bytes) + u16(1)
    f.b[heap_at:heap_at + 146] = summed(header + u64(root) + u16(10 if spread else 0), flip == "heap")

    def tree(kind, records):
        node = b"BTLF" + u8(0, kind) + b"".join(records)
        node = summed(node, flip == "leaf").ljust(1024, b"\0")
        at = f.put(node)
        total = n if count is None else count
        return f.put(summed(b"BTHD" + u8(0, kind) + u32(1024) + u16(len(records[0])) + u16(0) + u8(100, 40) + u64(at) +
                            u16(n) + u64(total), flip == "tree"))

    by_hash = sorted(ids)
    if flip == "hash":
        by_hash[3] = (by_hash[3][0] ^ 1, *by_hash[3][1:])
    if flip == "order":
        by_hash[3:5] = by_hash[4:2:-1]
    aged = [i for _, _, i in ids]
    if other is not None:
        aged[0] = aged[other]
    ages = list(range(n))
    if flip == "ages":
        ages[:2] = 1, 0
    if links:
        names = tree(5, [u32(h) + i for h, _, i in by_hash])
        orders = tree(6, [u64(k) + i for k, i in zip(ages, aged)]) if order else UNDEFINED
        info = (2, u8(0, 2 if order else 0) + u64(heap_at, names) + (u64(orders) if order else b""))
        root = f.header(info, (10, u8(0, 0)))
    else:
        names = tree(8, [i + u8(0) + u32(0) + u32(h) for h, _, i in by_hash])
        root = f.group([], (21, u8(0, 0) + u64(heap_at, names)))
    return f.done(root)


def densities():
    case("dense-links", dense(), why="twenty links in a heap")
    case("dense-links-ordered", dense(order=True), why="and another tree, by age")
    case("dense-attributes", dense(links=False), why="twenty attributes in a heap")
    for flip in ("heap", "block", "tree", "leaf", "hash"):
        case("dense-flip-" + flip, dense(flip=flip), "h5-checksum", "a bit of a checksum, or of a name's hash")
    case("dense-flip-blocks", dense(30, spread=True, flip="blocks"), "h5-checksum", "a bit of a block of blocks' checksum")
    case("dense-blocks", dense(30, spread=True), why="blocks of blocks")
    case("dense-other", dense(order=True, other=1), "h5-structure", "other objects by age than by name")
    case("dense-order", dense(flip="order"), "h5-structure", "names that no search finds")
    case("dense-ages", dense(order=True, flip="ages"), "h5-structure", "ages that no search finds")
    case("dense-rest-4096", dense(rest=b"x" * 4096), why="as much as objects leave that are gone")
    case("dense-rest-4097", dense(rest=b"x" * 4097), "h5-unclaimed-bytes", "more")
    case("dense-count", dense(count=19), "h5-structure", "a record more than the tree says")
    for name, more, codes, why in (
            ("most-0", {"most": 0}, "h5-structure", "a heap for objects of no bytes: the library crashes"),
            ("most-1", {"most": 65537}, "h5-structure", "objects larger than blocks"),
            ("tree-of-huge", {"huge": 96}, "h5-unsupported", "a tree of objects outside of the heap"),
            ("space", {"space_": 0}, "h5-structure", "a heap that says that it has no blocks: the library crashes"),
            ("gaps", {"free": {}}, "", "free space with a manager"),
            ("gaps-client", {"free": {"client": 2}}, "h5-structure", "a manager of nobody's"),
            ("gaps-kinds", {"free": {"kinds": 9}}, "h5-structure", "kinds of gaps that there are not"),
            ("gaps-count", {"free": {"n": 0}}, "h5-structure", "a list of no gaps: the library crashes"),
            ("gaps-owner", {"free": {"owner": 96}}, "h5-structure", "another manager's list"),
            ("gaps-flip", {"free": {"flip": 1}}, "h5-checksum", "a bit of the list's checksum")):
        case("dense-" + name, dense(**more), codes, why)
    f = File(True)
    case("dense-heapless", f.done(f.header((2, u8(0, 0) + u64(UNDEFINED, 96)), (10, u8(0, 0)))), "h5-structure", "a tree without a heap")
    for name, info, codes in (("sound", u8(0, 3) + bytes(8), ""), ("version", u8(1, 0), "h5-structure"), ("flags", u8(0, 4), "h5-structure")):
        f = File(True)
        case("group-info-" + name, f.done(f.header((2, u8(0, 0) + u64(UNDEFINED, UNDEFINED)), (10, info))), codes, "when links move")
    case("dense-huge", dense(kind=0x10), "h5-unsupported", "objects outside of the heap")


def attributes():
    def text(*args, make=None, **more):
        f = File()
        return f.done(f.group([], f.text(*args, **more)))
    case("heap-text", text("note", "hello"), why="a string")
    case("heap-text-empty", root_with(attribute("note", VLEN_STRING, (), bytes(16))), why="an empty string is nowhere")
    for name, kind, codes, why in (
            ("wide", u8(0x19, 1, 1, 0) + u32(16) + fixed(2), "h5-structure", "text of units of two bytes"),
            ("class", u8(0x19, 1, 1, 0) + u32(16) + bytes([0xff] * 4) + u32(0), "h5-structure", "text of no type: the library crashes"),
            ("c", u8(0x19, 1, 1, 0) + u32(16) + fixed_string(1), "", "text of characters"),
            ("characters", u8(0x19, 1, 2, 0) + u32(16) + fixed(1), "h5-structure", "characters of no set"),
            ("kind", u8(0x19, 2, 1, 0) + u32(16) + fixed(1), "h5-structure", "neither text nor a list")):
        case("attribute-text-" + name, root_with(attribute("note", kind, (), bytes(16))), codes, why)
    for name, kind, data, codes in (("compound", COMPOUND, DATA[:4], "h5-unsupported"), ("opaque", OPAQUE, DATA[:4], "h5-unsupported"),
                                    ("odd-integer", fixed(4)[:-2] + u16(31), DATA[:4], "h5-unsupported"),
                                    ("enum", boolean(), b"\1", ""), ("enum-short", boolean()[:-1], b"\1", "h5-structure")):
        case("attribute-" + name, root_with(attribute("note", kind, (), data, version=3)), codes, "what its type is made of")
    scalar = u8(2, 1, 0, 0) + u64(1)
    head = u8(3, 0) + u16(5) + u16(len(F32)) + u16(len(scalar)) + b"\0" + b"note\0" + F32 + scalar + DATA[:4]
    case("attribute-scalar-rank", root_with((12, head)), "h5-structure", "one element, of one dimension")
    case("heap-text-index", text("note", "hello", index=2), "h5-heap", "an object that is not there")
    case("heap-text-zero", text("note", "hello", index=0), "h5-heap", "the free space")
    case("heap-text-long", text("note", "hello", n=6), "h5-heap", "longer than its object")
    case("heap-text-short", text("note", "hello", n=4), "h5-heap", "shorter than its object: readers copy all of that")
    case("heap-text-nowhere", text("note", "hello", UNDEFINED - 1), "h5-address", "a heap without an address")
    f = File()
    case("heap-past-end", f.done(f.group([], f.text("note", "x", f.collection((1, b"x"), free=2**40)))), "h5-heap",
         "free space past the end")
    f = File()
    case("heap-twice", f.done(f.group([], f.text("note", "x", f.collection((1, b"x"), (1, b"y"))))), "h5-heap",
         "a number twice")
    f = File()
    at = f.collection(b"x")
    root = f.group([], f.text("note", "x", at))
    case("heap-is-none", patched(f.done(root), at, b"GCOX"), "h5-heap", "no heap")
    case("heap-empty", patched(f.done(root), at + 8, u64(0)), "h5-heap", "of no bytes")
    case("heap-size", patched(f.done(root), at + 8, u64(2**30)), "h5-heap", "larger than any")
    f = File()
    at = f.collection(b"x", b"yy")
    case("heap-shared", f.done(f.group([], f.text("a", "x", at), f.text("b", "yy", at, 2))), why="two strings of a heap")
    case("attribute-number", root_with(attribute("x", F32, (2,), bytes(8))), why="two numbers")
    scalar = (b"cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(S'f8'\nI00\nI01\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
              b"S'\\x00\\x00\\x00\\x00\\x00\\x00\\xf8\\x%s'\ntR.")
    acts, data = b"cposix\nsystem\n(S'id'\ntR.", b"(dp0\nS'index_name'\np1\nNs."
    for name, text, codes, why in (
            ("acts", acts, "pickle-global-dangerous pickle-call-dangerous", "PyTables unpickles it"),
            ("acts-padded", acts + bytes(5), "pickle-global-dangerous pickle-call-dangerous", "behind it are zeros, which go"),
            ("number", scalar % b"3f", "pickle-global-allowed", "a number of NumPy"),
            ("nan", scalar % b"7f", "pickle-global-allowed weights-nan", "the same, and it is none"),
            ("data", data, "", "as pandas writes it: data"),
            ("open", acts + b" ", "", "it does not end with a full stop"),
            ("prose", b"continue, then read chapter one.", "", "prose")):
        case("attribute-pickle-" + name, root_with(attribute("TITLE", fixed_string(len(text)), (), text)), codes, why)
    case("attribute-2", root_with(attribute("x", F32, (2,), bytes(8), 2)), why="the second version")
    case("attribute-3", root_with(attribute("x", F32, (2,), bytes(8), 3)), why="the third")
    case("attribute-4", root_with(attribute("x", F32, (2,), bytes(8), 4)), "h5-structure", "a fourth")
    for version in (1, 2, 3):
        case(f"attribute-type-none-{version}", root_with(attribute("x", b"", (), bytes(4), version)), "h5-structure", "a type of no bytes")
    case("attribute-short", root_with(attribute("x", F32, (20,), bytes(8))), "h5-size-mismatch", "fewer than its shape")
    case("attribute-overflow", root_with(attribute("x", F32, (2**62, 2), bytes(8))), "h5-size-overflow", "2^65 bytes")
    case("attribute-shared", root_with(attribute("x", F32, (), bytes(4), 2, 1)), "h5-shared-message", "a shared type")
    case("attribute-reference", root_with(attribute("x", OBJECT_REFERENCE, (), u64(96))), "h5-reference", "an object")
    case("attribute-vlen", root_with(attribute("x", u8(0x19, 0, 0, 0) + u32(16) + F32, (), bytes(16))), "h5-unsupported",
         "numbers of variable count")
    case("attribute-name", root_with((12, u8(1, 0) + u16(8) + u16(len(F32)) + u16(8) + b"abcdefgh" + padded(F32) +
                                      space() + bytes(4))), "h5-name", "a name without its end")
    case("attribute-latin-1", root_with((12, u8(1, 0) + u16(2) + u16(len(F32)) + u16(8) + padded(b"\xe9\0") + padded(F32) +
                                         space() + bytes(4))), "h5-name", "a name that is no UTF-8")
    case("limit-attributes-4096", root_with(*(attribute(f"a{i}", fixed(1), (), b"x") for i in range(4096))),
         why="as many as are read")
    case("limit-attributes-4097", root_with(*(attribute(f"a{i}", fixed(1), (), b"x") for i in range(4097))), "h5-limit",
         "one more")


def types():
    nan = struct.pack("<4f", 1, float("nan"), float("inf"), float("-inf"))
    case("weights-f32", simple(data=nan), "weights-nan weights-inf", "one of each", nonfinite={"a": counts(1, 1, 1)})
    case("weights-f32-big", simple(data=struct.pack(">4f", 1, float("nan"), 2, 3), kind=floating(4, True)), "weights-nan",
         "the other byte order", nonfinite={"a": counts(1)})
    case("weights-f32-big-sound", simple(kind=floating(4, True)), why="sound in that order")
    case("weights-f16", simple(data=u16(0x7e00) + u16(0x7c00), kind=F16, shape=(2,)), "weights-nan weights-inf",
         "halves", nonfinite={"a": counts(1, 1)})
    case("weights-bf16", simple(data=u16(0x7fc0) + u16(0x7e00), kind=BF16, shape=(2,)), "weights-nan",
         "the second is sound", nonfinite={"a": counts(1)})
    case("weights-f64", simple(data=struct.pack("<2d", float("nan"), 1), kind=floating(8), shape=(2,)), "weights-nan",
         "doubles", nonfinite={"a": counts(1)})
    case("weights-bool", simple(data=b"\0\1\2", kind=boolean(), shape=(3,)), "weights-bool-invalid", "a third value",
         bool_invalid={"a": 1})
    case("weights-bool-sound", simple(data=b"\0\1\1", kind=boolean(), shape=(3,)), why="two values")
    for title, bits, codes in (("bits-few", (0, 7), "h5-datatype"), ("bits-high", (4, 4), "h5-datatype"), ("bits-none", (0, 0), "h5-structure"),
                               ("bits-many", (0, 9), "h5-structure"), ("bits-far", (1, 8), "h5-structure")):
        kind = boolean()
        case(f"weights-bool-{title}", simple(data=b"\0\1\1", kind=kind[:16] + u16(bits[0]) + u16(bits[1]) + kind[20:], shape=(3,)), codes,
             "truth values in bits that the byte has not, or has besides")
    case("weights-enum-none", simple(data=b"\0\0\0", kind=u8(0x18, 0) + boolean(names=(), values=())[2:], shape=(3,)), "h5-structure", "an enumeration of nothing")
    case("weights-enum", simple(data=b"\0\5\5", kind=boolean(values=(0, 5)), shape=(3,)), why="an enumeration, not a bool")
    case("weights-i32", simple(data=b"\xff" * 16, kind=fixed(4, True)), why="whole numbers")
    case("weights-text", simple(data=b"text", kind=fixed_string(4), shape=(1,)), why="text is text")
    for name, kind, code in (("compound", COMPOUND, "h5-datatype"), ("opaque", OPAQUE, "h5-datatype"),
                             ("reference", OBJECT_REFERENCE, "h5-reference")):
        case("type-" + name, simple(data=DATA[:8], kind=kind, shape=(8 // struct.unpack("<L", kind[4:8])[0],)), code,
             "elements that are not examined")
    case("type-vlen", simple(data=bytes(16), kind=VLEN_STRING, shape=(1,)), "h5-datatype", "strings of any length")
    case("type-odd-integer", simple(kind=fixed(4)[:-2] + u16(31)), "h5-datatype", "31 bits")
    case("type-known", simple(), why="floats")
    case("type-string-flags", simple(kind=u8(0x13) + F32[1:8], data=DATA[:4], shape=(1,)), "h5-structure", "no string")
    case("type-class-12", simple(kind=u8(0x1c) + F32[1:]), "h5-structure", "no class")
    case("type-version-0", simple(kind=u8(0x01) + F32[1:]), "h5-structure", "no version")
    case("type-empty", simple(kind=F32[:4] + u32(0) + F32[8:], data=b""), "h5-structure", "elements of no bytes")


def tree_of_chunks(f, chunks, kind_bytes, used=None):
    """Of (bytes, mask, offsets, address), with a rank of one less than there are offsets."""
    rank = len(chunks[0][2])
    body = b"".join(u32(n) + u32(mask) + u64(*at) + u64(address) for n, mask, at, address in chunks)
    body += u32(0) + u32(0) + u64(*chunks[-1][2][:-1], 4)
    size = 65 * (8 + 8 * rank) + 64 * 8
    used = len(chunks) if used is None else used
    return f.put(b"TREE" + u8(1, 0) + u16(used) + u64(UNDEFINED, UNDEFINED) + body.ljust(size, b"\0"))


def chunked(shape, chunk, blocks, f=None, filters=None, fill=None, dims=None, kind=F32):
    """A data set of the first generation; `blocks` are (offsets, bytes, more)."""
    f = f or File()
    placed = [(more.get("n", len(data)), more.get("mask", 0), (*at, 0), more.get("address", f.put(data)))
              for at, data, more in blocks]
    tree = tree_of_chunks(f, placed, 4) if placed else UNDEFINED
    layout = (8, u8(3, 2, len(chunk) + 1) + u64(tree) + b"".join(u32(c) for c in (dims or (*chunk, 4))))
    more = [(11, filters)] if filters else []
    messages = [(1, space(*shape)), (3, kind), fill or NO_FILL, layout, *more]
    return f.done(f.group([("a", f.header(*messages))]))


def floats(*v):
    return struct.pack(f"<{len(v)}f", *v)


def storage():
    n = float("nan")
    case("layout-compact", simple(data=None, shape=(2,)), why="never written")
    f = File()
    case("layout-in-header", f.done(f.group([("a", f.dataset((2,), F32, None, layout=compact(floats(1, n))))])),
         "weights-nan", "in the header", nonfinite={"a": counts(1)})
    f = File()
    case("layout-in-header-short", f.done(f.group([("a", f.dataset((3,), F32, None, layout=compact(floats(1, 2))))])),
         "h5-size-mismatch", "less than its shape")
    f = File()
    case("layout-class-4", f.done(f.group([("a", f.dataset((2,), F32, None, layout=(8, u8(3, 4) + bytes(16))))])),
         "h5-layout", "no class of storage")
    f = File()
    case("layout-old", f.done(f.group([("a", f.dataset((2,), F32, None, layout=(8, u8(2, 1, 1) + bytes(21))))])),
         "h5-unsupported", "the second version")
    f = File()
    case("layout-none", f.done(f.group([("a", f.header((1, space(2)), (3, F32)))])), "h5-layout", "no storage at all")
    f = File()
    case("layout-virtual", f.done(f.group([("a", f.dataset((2,), F32, None, layout=(8, u8(4, 3) + u64(96) + u32(0))))])),
         "h5-virtual-dataset", "parts of other files")
    f = File()
    outside = (7, u8(1, 0, 0, 0) + u16(1) + u16(1) + u64(f.heap(["", "/etc/hostname"])[0]) + u64(8, 0, 16))
    case("layout-external", f.done(f.group([("a", f.dataset((4,), F32, None, outside))])), "h5-external-storage",
         "another file's bytes")
    f = File()
    at = f.put(DATA)
    for name, shape, size, code in (("more", (3,), 16, "h5-size-mismatch"), ("fewer", (5,), 16, "h5-shape-bomb"),
                                    ("overflow", (2**62, 2), 16, "h5-size-overflow"), ("exact", (2, 2), 16, ""),
                                    ("zero-overflow", (2**62, 4, 0), 16, "h5-size-overflow")):
        g = File()
        g.b += f.b[96:]
        case("size-" + name, g.done(g.group([("a", g.dataset(shape, F32, None, layout=contiguous(at, size)))])), code,
             "storage beside shape")
    g = File()
    g.b += f.b[96:]
    case("size-past-end", g.done(g.group([("a", g.dataset((4,), F32, None, layout=contiguous(2**40, 16)))])), "h5-address",
         "storage outside the file")
    case("bomb-2-40", simple(data=None, shape=(2**20, 2**20)), "h5-shape-bomb", "four terabytes of nothing")
    case("bomb-1-MiB", simple(data=None, shape=(2**18,)), why="as much as is free")
    case("bomb-1-MiB-more", simple(data=None, shape=(2**18 + 1,)), "h5-shape-bomb", "an element more")
    case("bomb-chunks", chunked((2**30,), (4,), []), "h5-shape-bomb", "no chunk at all")
    zeros = bytes(16)
    case("chunk-whole", chunked((8,), (4,), [((0,), zeros, {}), ((4,), DATA, {})]), why="two chunks")
    case("chunk-nan", chunked((8,), (4,), [((0,), zeros, {}), ((4,), floats(1, n, 1, 1), {})]), "weights-nan",
         "in the second", nonfinite={"a": counts(1)})
    case("chunk-inf", chunked((8,), (4,), [((0,), DATA, {}), ((4,), floats(0, float("inf"), 0, 0), {})]), "weights-inf",
         "a part that looks like a mask", nonfinite={"a": counts(0, 1)})
    case("chunk-border", chunked((6,), (4,), [((0,), zeros, {}), ((4,), floats(1, 2, n, n), {})]),
         why="what is behind the border is nobody's")
    case("chunk-border-nan", chunked((6,), (4,), [((0,), zeros, {}), ((4,), floats(1, n, 2, n), {})]), "weights-nan",
         "and what is before it", nonfinite={"a": counts(1)})
    case("chunk-border-2d", chunked((3, 3), (2, 2), [((0, 0), zeros, {}), ((0, 2), floats(1, n, 1, n), {}),
                                                     ((2, 0), floats(1, 1, n, n), {}), ((2, 2), floats(1, n, n, n), {})]),
         why="in two dimensions")
    case("chunk-missing", chunked((8,), (4,), [((4,), DATA, {})]), why="a chunk that nobody wrote is zeros")
    for title, size, codes in (("one", 1, "h5-structure"), ("half", 2, "h5-structure"), ("type", 4, ""), ("double", 8, "h5-structure")):
        value = bytes(size)
        case(f"fill-of-{title}", chunked((4,), (4,), [((0,), DATA, {})], fill=(5, u8(2, 2, 2, 1) + u32(size) + value)), codes,
             "a value that is written as long as an element is, or not")
    for title, fill, codes in (("undefined", u8(2, 2, 2, 0), "h5-structure"), ("minus-one", u8(2, 2, 2, 1) + u32(2**32 - 1), "h5-structure"),
                               ("never", u8(2, 2, 1, 0), ""), ("flags", u8(3, 0x1a), "h5-structure"), ("flags-never", u8(3, 0x16), "")):
        f = File()
        at = f.header((1, space(4)), (3, F32), (5, fill), contiguous(UNDEFINED, 0))
        case(f"fill-none-{title}", f.done(f.group([("a", at)])), codes, "elements that nobody wrote, and no value for them")
    case("chunk-missing-fill", chunked((8,), (4,), [((4,), DATA, {})], fill=(5, u8(2, 2, 2, 1) + u32(4) + floats(n))),
         "h5-unsupported", "a chunk that nobody wrote is NaN")
    case("chunk-order", chunked((8,), (4,), [((4,), DATA, {}), ((0,), zeros, {})]), "h5-structure", "no search finds them")
    case("chunk-twice", chunked((8,), (4,), [((0,), DATA, {}), ((0,), zeros, {})]), "h5-structure", "two in one place")
    case("chunk-outside", chunked((8,), (4,), [((8,), DATA, {})]), "h5-layout", "behind the data set")
    case("chunk-between", chunked((8,), (4,), [((2,), DATA, {})]), "h5-layout", "between two places")
    case("chunk-size", chunked((8,), (4,), [((0,), DATA, {"n": 8})]), "h5-size-mismatch", "half of a chunk")
    case("chunk-nowhere", chunked((8,), (4,), [((0,), DATA, {"address": 2**50})]), "h5-address", "past the end")
    case("chunk-element", chunked((8,), (4,), [((0,), DATA, {})], dims=(4, 8)), "h5-layout", "elements of another size")
    case("chunk-zero", chunked((8,), (4,), [((0,), DATA, {})], dims=(0, 4)), "h5-layout", "chunks of nothing")


def filters():
    def pipeline(number, name=b""):
        return u8(1, 1) + bytes(6) + u16(number) + u16(len(padded(name))) + u16(0) + u16(0) + padded(name)
    block = [((0,), DATA, {}), ((4,), DATA, {})]
    case("filter-none", chunked((8,), (4,), block), why="as the elements are")
    case("filter-deflate", chunked((8,), (4,), block, filters=pipeline(1)), "h5-unsupported", "compressed, in other files")
    case("filter-32000", chunked((8,), (4,), block, filters=pipeline(32000, b"lzf\0")), "h5-filter-plugin", "a plug-in")
    case("filter-empty", chunked((8,), (4,), block, filters=u8(1, 0) + bytes(6)), "h5-structure", "no filter")
    f = File()
    f.b = bytearray(chunked((8,), (4,), block, filters=pipeline(1)))
    at = struct.unpack("<Q", f.b[64:72])[0]
    heap, places = f.heap(["layers"])
    tree = f.tree([f.table([(places[0], at, 0, b"")])], last=places[0])
    case("filter-keras", f.done(f.header((17, u64(tree, heap)))), "h5-filter", "compressed, and Keras' own")


def indexed(kind, chunks, grid=2, flags=0, coded=b"", page_bits=10, flip=0, n=None, fill=None, most=()):
    """A data set of the second generation, of `grid` chunks of four elements."""
    f = File(True)
    places = [UNDEFINED if c is None else f.put(c) for c in chunks]
    extra = b""
    if kind == 1:
        address, extra = places[0], coded
    elif kind == 2:
        address = places[0]
    else:
        head = f.put(bytes(28))
        page = 1 << page_bits
        data = b"FADB\0\0" + u64(head)
        if len(places) <= page:
            data = summed(data + u64(*places), flip)
        else:
            pages = [places[i:i + page] for i in range(0, len(places), page)]
            bits = sum(0x80 >> i for i, p in enumerate(pages) if any(a != UNDEFINED for a in p))
            data = summed(data + u8(bits)) + b"".join(
                summed(u64(*p), flip) if bits & 0x80 >> i else bytes(8 * len(p) + 4) for i, p in enumerate(pages))
        block = f.put(data)
        f.b[head:head + 28] = summed(b"FAHD" + u8(0, 0, 8, page_bits) + u64(len(places) if n is None else n, block))
        address, extra = head, u8(page_bits)
    layout = (8, u8(4, 2, flags, 2, 4) + u32(4) + u32(4) + u8(kind) + extra + u64(address))
    at = f.header((1, space(4 * grid, most=most)), (3, F32), fill or (5, u8(3, 0x0a)), layout)
    return f.done(f.group([("a", at)]))


def indexes():
    n = float("nan")
    case("index-single", indexed(1, [DATA], 1), why="one chunk")
    case("index-single-nan", indexed(1, [floats(n, 1, 1, 1)], 1), "weights-nan", "one chunk", nonfinite={"a": counts(1)})
    case("index-single-of-two", indexed(1, [DATA], 2), "h5-layout", "one chunk for two")
    case("index-implicit", indexed(2, [DATA + DATA]), why="one behind the other")
    case("index-implicit-past-end", indexed(2, [DATA + DATA], 2000), "h5-address", "more than there are")
    case("index-array", indexed(3, [DATA, floats(1, n, 1, 1)]), "weights-nan", "an array of places",
         nonfinite={"a": counts(1)})
    case("index-array-missing", indexed(3, [DATA, None]), why="a chunk that nobody wrote")
    case("index-array-flip", indexed(3, [DATA, DATA], flip=1), "h5-checksum", "a bit of a checksum")
    case("index-array-count", indexed(3, [DATA, DATA], n=3), "h5-structure", "more places than chunks")
    case("index-array-pages", indexed(3, [DATA, DATA, None, None, DATA], 5, page_bits=1), why="in pages")
    case("index-array-pages-flip", indexed(3, [DATA, DATA, DATA], 3, page_bits=1, flip=1), "h5-checksum",
         "a bit of a page's checksum")
    case("index-array-room", placed(fixed_array, [DATA, DATA, None, None], (8,), (16,)), why="places that it can grow to")
    case("index-array-beyond", placed(fixed_array, [DATA, DATA, DATA, None], (8,), (16,)), "h5-layout",
         "a chunk behind the data set")
    case("index-array-room-count", placed(fixed_array, [DATA, DATA, None], (8,), (16,)), "h5-structure",
         "fewer places than it can grow to")
    case("index-space-most", placed(fixed_array, [DATA, DATA], (8,), (4,)), "h5-structure", "grown beyond its limit")
    case("index-implicit-room", indexed(2, [DATA + DATA + bytes(16)], most=(12,)), why="room for a chunk")
    case("index-implicit-rest", indexed(2, [DATA + DATA + b"x" * 4097 + bytes(15)], most=(8 + 4112 // 4,)),
         "h5-unclaimed-bytes", "room with something in it")
    endless = (UNDEFINED,)
    many = [floats(i, 1, 1, 1) for i in range(31)]
    case("index-extensible", placed(extensible_array, many[:2], (8,), endless), why="an array that grows")
    case("index-extensible-endless", placed(extensible_array, many[:2], (8,), (400,)), "h5-layout", "an array that grows, of a data set that does not")
    case("index-extensible-nan", placed(extensible_array, [DATA, floats(n, 1, 1, n)], (7,), endless), "weights-nan",
         "the border is where it ends now", nonfinite={"a": counts(1)})
    case("index-extensible-blocks", placed(extensible_array, many[:7], (28,), endless), why="blocks in the index")
    case("index-extensible-twice", placed(extensible_array, many[:7], (28,), endless, twice=True), why="as HDF5 counts")
    case("index-extensible-super", placed(extensible_array, many[:15], (60,), endless), why="blocks in super blocks")
    case("index-extensible-pages", placed(extensible_array, many, (124,), endless), why="in pages")
    case("index-extensible-pages-nan", placed(extensible_array, [*many[:30], floats(n, 1, 1, 1)], (124,), endless),
         "weights-nan", "in the last of them", nonfinite={"a": counts(1)})
    case("index-extensible-missing", placed(extensible_array, [*many[:3], *[None] * 27, DATA], (124,), endless),
         why="blocks that nobody wrote")
    case("index-extensible-beyond", placed(extensible_array, many[:3], (8,), endless), "h5-layout", "a chunk behind the data set")
    for flip in ("head", "index", "block", "super", "page"):
        case("index-extensible-flip-" + flip, placed(extensible_array, many, (124,), endless, flip=flip), "h5-checksum",
             "a bit of a checksum")
    case("index-extensible-offset", placed(extensible_array, many[:7], (28,), endless, shift=1), "h5-structure",
         "a block that says it is another")
    case("index-extensible-head", placed(extensible_array, many[:2], (8,), endless, least=3), "h5-structure", "no power of two")
    rows = [floats(1, n, 1, n), DATA, DATA, DATA]  # chunks of 2 by 2
    case("index-extensible-second", placed(extensible_array, rows, (4, 3), (4, UNDEFINED), chunk=(2, 2)), "weights-nan",
         "the second dimension grows", nonfinite={"a": counts(2)})
    case("index-extensible-second-border", placed(extensible_array, rows[1:3] + rows[:1] + rows[3:], (4, 3), (4, UNDEFINED),
                                                  chunk=(2, 2)), why="what is behind the border")
    both = (UNDEFINED, UNDEFINED)
    case("index-tree", placed(tree_2, rows[1:], (4, 3), both, chunk=(2, 2)), why="both grow")
    case("index-tree-nan", placed(tree_2, rows, (4, 3), both, chunk=(2, 2)), "weights-nan", "in the first", nonfinite={"a": counts(2)})
    case("index-tree-order", placed(tree_2, rows[1:], (4, 3), both, chunk=(2, 2), order=(1, 0, 2)), "h5-structure", "no search finds them")
    case("index-tree-twice", placed(tree_2, rows[1:], (4, 3), both, chunk=(2, 2), order=(0, 0, 2)), "h5-structure", "two in one place")
    case("index-tree-beyond", placed(tree_2, rows[1:], (2, 3), both, chunk=(2, 2)), "h5-layout", "a chunk behind the data set")
    case("index-tree-flip", placed(tree_2, rows[1:], (4, 3), both, chunk=(2, 2), flip=1), "h5-checksum", "a bit of a checksum")
    case("index-tree-record", placed(tree_2, rows[1:], (4, 3), both, chunk=(2, 2), record=23), "h5-structure", "records of another size")


# -- arrays and trees of places: what of a layout says how chunks are found, and where

def fixed_array(f, places, shape, chunk):
    head = f.put(bytes(28))
    block = f.put(summed(b"FADB\0\0" + u64(head) + u64(*places)))
    f.b[head:head + 28] = summed(b"FAHD" + u8(0, 0, 8, 10) + u64(len(places), block))
    return u8(3, 10) + u64(head)


def extensible_array(f, places, shape, chunk, flip="", twice=False, shift=0, least=2):
    """One entry in the index block, two blocks beside it, the third level in a super block, the fourth in pages of four."""
    own, blocks, page, bits = 1, 2, 4, 8
    head = f.put(bytes(72))
    places = [*places, *[UNDEFINED] * (31 - len(places))]

    def data_block(level, at, i, n):
        entries = places[at:at + n]
        if all(p == UNDEFINED for p in entries):
            return UNDEFINED, ""
        offset = at - own + (level + i) * n * (twice and level < 2) + shift
        data = b"EADB\0\0" + u64(head) + u8(offset)
        if n <= page:
            return f.put(summed(data + u64(*entries), flip == "block")), ""
        pages = [entries[k:k + page] for k in range(0, n, page)]
        written = ["1" if any(p != UNDEFINED for p in e) else "0" for e in pages]
        body = b"".join(summed(u64(*e), flip == "page") if w == "1" else bytes(8 * page + 4) for e, w in zip(pages, written))
        return f.put(summed(data, flip == "block") + body), "".join(written)

    addresses, at = [], own
    for level in range(4):
        n, count = 2 << (level + 1) // 2, 1 << level // 2
        made = [data_block(level, at + i * n, i, n) for i in range(count)]
        if level < 2:
            addresses += [a for a, _ in made]
        elif all(a == UNDEFINED for a, _ in made):
            addresses.append(UNDEFINED)
        else:
            pages = n // page if n > page else 0
            marks = "".join(w.rjust(pages, "0") for _, w in made).ljust(8 * count, "0") if pages else ""
            marks = bytes(int(marks[k:k + 8], 2) for k in range(0, len(marks), 8))
            addresses.append(f.put(summed(b"EASB\0\0" + u64(head) + u8(at - own) + marks + u64(*[a for a, _ in made]),
                                          flip == "super")))
        at += n * count
    addresses += [UNDEFINED] * (bits - 1 + 1 - 4)
    index = f.put(summed(b"EAIB\0\0" + u64(head) + u64(*places[:own], *addresses), flip == "index"))
    f.b[head:head + 72] = summed(b"EAHD" + u8(0, 0, 8, bits, own, least, blocks, 2) + u64(0, 0, 0, 0, 31, 31, index), flip == "head")
    return u8(4, bits, own, blocks, least, 2) + u64(head)


def tree_2(f, places, shape, chunk, order=None, flip=0, record=24):
    across = -(-shape[1] // chunk[1])
    records = [u64(p, i // across, i % across) for i, p in enumerate(places)]
    records = [records[i] for i in order or range(len(records))]
    leaf = f.put(summed(b"BTLF" + u8(0, 10) + b"".join(records), flip).ljust(2048, b"\0"))
    return u8(5) + u32(2048) + u8(100, 40) + u64(f.put(summed(
        b"BTHD" + u8(0, 10) + u32(2048) + u16(record) + u16(0) + u8(100, 40) + u64(leaf) + u16(len(records)) + u64(len(records)))))


def placed(index, chunks, shape, most, chunk=(4,), **how):
    f = File(True)
    places = [UNDEFINED if c is None else f.put(c) for c in chunks]
    found = index(f, places, shape, chunk, **how)
    layout = (8, u8(4, 2, 0, len(shape) + 1, 4) + b"".join(u32(c) for c in (*chunk, 4)) + found)
    at = f.header((1, space(*shape, version=2, most=most)), (3, F32), (5, u8(3, 0x0a)), layout)
    return f.done(f.group([("a", at)]))


if __name__ == "__main__":
    CORPUS.make(superblocks, unclaimed, headers, groups, densities, attributes, types, storage, filters, indexes, sort_keys=True)
