"""ONNX models whose weights are in other files."""
import struct

FLOAT, BYTE, INT = (1, 4), (2, 1), (6, 4)  # ONNX's number of the type, bytes of an element
NAN = struct.pack("<f", float("nan"))


def floats(n):
    return struct.pack("<f", 0.5) * n


def field(number, data):
    """Of protobuf: a number, or bytes behind their length."""
    def varint(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, place, dtype):
    keys = zip(("location", "offset", "length"), map(str, place))
    return field(1, place[2] // dtype[1]) + field(2, dtype[0]) + field(8, name) + b"".join(
        field(13, field(1, k) + field(2, v)) for k, v in keys) + field(14, 1)


def model(*places, dtype=FLOAT):
    """Tensors w0, w1, ... of (file, offset, length) each."""
    node = field(1, "w0") + field(2, "y") + field(4, "Identity")
    graph = field(1, node) + field(2, "g") + b"".join(
        field(5, tensor(f"w{i}", place, dtype)) for i, place in enumerate(places))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))
