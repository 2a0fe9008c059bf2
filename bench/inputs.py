"""Models to measure with: the same bytes in every run, and all on disk before the first measurement."""
import contextlib
import json
import os
import random
import struct

MIB = 1 << 20
WIDTHS = {"BF16": 2, "F16": 2, "F32": 4, "F64": 8, "F8_E4M3": 1, "F8_E5M2": 1}
NAN_BYTE = b"\xff"  # ffff... is a NaN in every one of these types
TENSORS = 8


def finite_block(dtype):
    """A MiB of finite elements: random bytes, the exponent's second highest bit cleared."""
    data = bytearray(random.Random(dtype).randbytes(MIB))
    width = WIDTHS[dtype]
    data[width - 1::width] = bytes(b & 0xBF for b in data[width - 1::width])
    return bytes(data)


def header(dtype, data_bytes):
    each = data_bytes // TENSORS
    text = json.dumps({f"layer.{i}.weight": {"dtype": dtype, "shape": [each // WIDTHS[dtype]],
                                             "data_offsets": [i * each, (i + 1) * each]}
                       for i in range(TENSORS)}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def write_model(path, dtype, mib, block):
    """mib MiB of the block, over what the file held before, for which the disk has room already."""
    with open(path, "r+b" if os.path.exists(path) else "wb") as f:
        f.write(header(dtype, mib * MIB))
        for _ in range(mib):
            f.write(block)
        f.truncate()
        f.flush()
        os.fsync(f.fileno())  # or the disk would be written while we measure


def finite_model(path, dtype, mib):
    write_model(path, dtype, mib, finite_block(dtype))


def nan_model(path, dtype, mib):
    write_model(path, dtype, mib, NAN_BYTE * MIB)


def sparse_model(path, mib):
    """Zeros that take no room on the disk."""
    with open(path, "wb") as f:
        head = header("F32", mib * MIB)
        f.write(head)
        f.truncate(len(head) + mib * MIB)


@contextlib.contextmanager
def last_element_nan(path, dtype):
    """The file's last element is a NaN meanwhile."""
    width = WIDTHS[dtype]

    def swap(new):
        with open(path, "r+b") as f:
            f.seek(-width, os.SEEK_END)
            old = f.read(width)
            f.seek(-width, os.SEEK_END)
            f.write(new)
        return old

    finite = swap(NAN_BYTE * width)
    try:
        yield
    finally:
        swap(finite)
