"""Models to measure with: the same bytes in every run, and all on disk before the first measurement."""
import contextlib
import importlib.util
import json
import os
import random
import struct
import sys

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


BLOCKS = {"Q4_K": (12, 256, 144, 2), "Q6_K": (14, 256, 210, 208), "Q4_0": (2, 32, 18, 0), "MXFP4": (39, 32, 17, 0)}
VOCABULARY = 128_000  # tokens of a large model


def gguf_string(text):
    return struct.pack("<Q", len(text)) + text


def gguf_key(key, kind, value):
    return gguf_string(key) + struct.pack("<i", kind) + value


def gguf_vocabulary(n):
    """Tokens, types and merges, as a converter writes them."""
    tokens = b"".join(gguf_string(b"\xc4\xa0tok%x" % (i * 7919)) for i in range(n))
    merges = b"".join(gguf_string(b"\xc4\xa0t ok%x" % i) for i in range(n * 2))
    return [gguf_key(b"tokenizer.ggml.tokens", 9, struct.pack("<iQ", 8, n) + tokens),
            gguf_key(b"tokenizer.ggml.token_type", 9, struct.pack("<iQ", 5, n) + struct.pack("<i", 1) * n),
            gguf_key(b"tokenizer.ggml.merges", 9, struct.pack("<iQ", 8, n * 2) + merges)]


def gguf_head(kind, ne0, rows, data_bytes, vocabulary):
    """8 tensors of so many rows, behind each other."""
    keys = [gguf_key(b"general.architecture", 8, gguf_string(b"llama")),
            gguf_key(b"general.quantization_version", 4, struct.pack("<I", 2))] + gguf_vocabulary(vocabulary)
    infos = [gguf_string(b"blk.%d.ffn_up.weight" % i) + struct.pack("<IQQIQ", 2, ne0, rows, kind, i * data_bytes)
             for i in range(TENSORS)]
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(keys)) + b"".join(keys) + b"".join(infos)
    return head + bytes(-len(head) % 32)


def gguf_model(path, dtype, mib, nan=False, vocabulary=VOCABULARY):
    """mib MiB of blocks of random bytes but for their scales, which are finite, or all of them NaN.  Return: scales."""
    kind, elements, size, at = BLOCKS[dtype]
    rows = mib * MIB // TENSORS // (size * 32 * 16)  # of 16 blocks; whole multiples of the alignment
    row = bytearray(random.Random(dtype).randbytes(size * 16))
    scale = b"\xff\xff" if nan else b"\x12\x13"
    for i in range(0, len(row), size):
        for k in ((0, 2) if dtype == "Q4_K" else (at,)):
            row[i + k:i + k + (1 if dtype == "MXFP4" else 2)] = scale[:1 if dtype == "MXFP4" else 2]
    block = bytes(row) * 32
    with open(path, "wb") as f:
        f.write(gguf_head(kind, elements * 16, rows * 32, rows * len(block), vocabulary))
        for _ in range(rows * TENSORS):
            f.write(block)
        f.flush()
        os.fsync(f.fileno())
    return rows * TENSORS * 32 * 16 * (2 if dtype == "Q4_K" else 1)


def msgpack_text(text):
    return bytes([0xa0 + len(text)]) + text.encode()


FLAX_TYPES = {"F32": "float32", "BF16": "bfloat16"}


def flax_model(path, dtype, mib):
    """The blocks of finite_model() as a Flax checkpoint of 8 arrays."""
    block, n_blocks = finite_block(dtype), mib // TENSORS
    n = n_blocks * len(block)
    payload = (b"\x93\x91\xce" + struct.pack(">I", n // WIDTHS[dtype]) + msgpack_text(FLAX_TYPES[dtype]) +
               b"\xc6" + struct.pack(">I", n))
    with open(path, "wb") as f:
        f.write(b"\x81" + msgpack_text("params") + bytes([0x80 + TENSORS]))
        for i in range(TENSORS):
            f.write(msgpack_text(f"Dense_{i}") + b"\xc9" + struct.pack(">Ib", len(payload) + n, 1) + payload)
            for _ in range(n_blocks):
                f.write(block)
        f.flush()
        os.fsync(f.fileno())


def protobuf_varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + protobuf_varint(n >> 7)


def protobuf_head(number, n):
    """In front of so many bytes."""
    return protobuf_varint(number << 3 | 2) + protobuf_varint(n)


def protobuf(number, data):
    if isinstance(data, int):
        return protobuf_varint(number << 3) + protobuf_varint(data)
    return protobuf_head(number, len(data)) + data


def onnx_model(path, mib, nan=False, nodes=20_000):
    """A chain of nodes, and mib MiB of raw FLOAT in a few tensors: random finite ones, or all of them NaN."""
    block = NAN_BYTE * MIB if nan else finite_block("F32")
    each = mib * MIB // TENSORS
    graph = b"".join(protobuf(1, protobuf(1, b"t%d" % i) + protobuf(2, b"t%d" % (i + 1)) + protobuf(4, b"Relu"))
                     for i in range(nodes)) + protobuf(2, b"g")
    names = [b"t0"] + [b"w%d" % i for i in range(1, TENSORS)]
    heads = [protobuf(1, each // 4) + protobuf(2, 1) + protobuf(8, name) + protobuf_head(9, each) for name in names]
    heads = [protobuf_head(5, len(h) + each) + h for h in heads]
    opset = protobuf(8, protobuf(2, 17))
    with open(path, "wb") as f:
        f.write(protobuf(1, 8) + protobuf_head(7, len(graph) + sum(map(len, heads)) + TENSORS * each) + graph)
        for head in heads:
            f.write(head)
            for _ in range(mib // TENSORS):
                f.write(block)
        f.write(opset)
        f.flush()
        os.fsync(f.fileno())


def hdf5_writer():
    """That of the corpus."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus", "hdf5", "make.py")
    spec = importlib.util.spec_from_file_location("hdf5_writer", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True  # its folder holds the corpus and nothing else
    spec.loader.exec_module(module)
    return module


def hdf5_model(path, mib, nan=False):
    """mib MiB of floats in a few data sets behind their structure: random finite ones, or all of them NaN."""
    block = NAN_BYTE * MIB if nan else finite_block("F32")
    each = mib * MIB // TENSORS
    writer = hdf5_writer()
    begin = 1 << 15
    f = writer.File()
    root = f.group([(f"w{i}", f.dataset((each // 4,), layout=writer.contiguous(begin + i * each, each)))
                    for i in range(TENSORS)])
    f.b += bytes(begin - len(f.b))
    with open(path, "wb") as out:
        out.write(f.done(root, end=begin + TENSORS * each))
        for _ in range(TENSORS * (mib // TENSORS)):
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
