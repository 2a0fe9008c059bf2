"""A writer of FlatBuffers for corpora: objects in front, what they refer to behind, so that every offset leads forwards.
Tables are given by the numbers of their fields; lies are told on purpose."""
import struct


class Table:
    """Fields by number: (format of struct, value), or an object.  `lie` has places of fields, or vtable, size, soffset."""
    def __init__(self, fields, lie=None):
        self.fields = {k: v for k, v in fields.items() if v is not None}
        self.lie = lie or {}


class Vector:
    """Numbers (format), objects (None), or bytes; `n` lies about how many, or says it of structs."""
    def __init__(self, items, form=None, align=4, n=None, end=b""):
        self.items, self.form, self.align, self.end = items, form, align, end
        self.n = len(items) if n is None else n


def text(s):
    s = s if isinstance(s, bytes) else s.encode()
    return Vector(s, end=b"\0")


def ints(*numbers):
    return Vector(numbers, "<i")


def structs(form, rows):
    """Structs, aligned to 8."""
    return Vector(b"".join(struct.pack(form, *row) for row in rows), align=8, n=len(rows))


class Writer:
    """The identifier may be empty; `extra` stands behind it."""
    def __init__(self, identifier=b"", extra=b"", fill=0):
        self.out, self.queue, self.done, self.fill = bytearray(b"\0\0\0\0" + identifier + extra), [], {}, fill

    def align(self, n, offset=0):
        while (len(self.out) + offset) % n:
            self.out.append(self.fill)

    def put_table(self, t):
        places, at, ends = {}, 4, max(t.fields, default=-1) + 1
        for k, v in sorted(t.fields.items(), key=lambda f: -struct.calcsize(f[1][0]) if isinstance(f[1], tuple) else -4):
            size = struct.calcsize(v[0]) if isinstance(v, tuple) else 4
            at += -at % size
            places[k] = at
            at += size
        wide = any(isinstance(v, tuple) and struct.calcsize(v[0]) == 8 for v in t.fields.values())
        self.align(2)
        vtable = len(self.out)
        entries = [t.lie.get(("place", k), places.get(k, 0)) for k in range(ends)]
        self.out += struct.pack("<HH", t.lie.get("vtable", 4 + 2 * ends), t.lie.get("size", at))
        self.out += struct.pack(f"<{ends}H", *entries)
        self.align(8 if wide else 4)
        begin = len(self.out)
        self.out += struct.pack("<i", t.lie.get("soffset", begin - vtable)) + bytes(at - 4)
        for k, v in t.fields.items():
            if isinstance(v, tuple):
                struct.pack_into(v[0], self.out, begin + places[k], v[1])
            else:
                self.queue.append((begin + places[k], v))
        return begin

    def put_vector(self, v):
        self.align(v.align, 4)
        begin = len(self.out)
        self.out += struct.pack("<I", v.n)
        if isinstance(v.items, bytes):
            self.out += v.items + v.end
        elif v.form:
            self.out += b"".join(struct.pack(v.form, i) for i in v.items)
        else:
            for item in v.items:
                self.queue.append((len(self.out), item))
                self.out += bytes(4)
        return begin

    def write(self, root, align=8):
        self.queue.append((0, root))
        while self.queue:
            at, thing = self.queue.pop(0)
            if isinstance(thing, int):  # an offset as it is
                struct.pack_into("<I", self.out, at, thing)
                continue
            if id(thing) not in self.done:
                place = self.put_table(thing) if isinstance(thing, Table) else self.put_vector(thing)
                self.done[id(thing)] = (place, thing)  # kept, so that no other object gets its id
            struct.pack_into("<I", self.out, at, self.done[id(thing)][0] - at)
        self.align(align)
        return bytes(self.out)
