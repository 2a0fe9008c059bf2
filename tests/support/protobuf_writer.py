"""A writer of protocol buffers for corpora: a field is a tag and what its wire type has behind it.  Messages are bytes, so that
lies are told by putting other bytes there."""
import struct


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def tag(number, wire):
    return varint(number << 3 | wire)


def num(number, value):
    return tag(number, 0) + varint(value)


def blob(number, data):
    """What has a length: text, bytes, a message."""
    data = data.encode() if isinstance(data, str) else data
    return tag(number, 2) + varint(len(data)) + data


def many(number, items):
    return b"".join(blob(number, i) for i in items)


def f32(number, value):
    return tag(number, 5) + (struct.pack("<f", value) if isinstance(value, float) else value)


def f64(number, value):
    return tag(number, 1) + (struct.pack("<d", value) if isinstance(value, float) else value)
