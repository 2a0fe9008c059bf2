"""Safetensors headers honest and hostile, and files that have them."""
import json
import struct


def write_model(path, header, data_bytes=0):
    """A file of zeros behind a header: an object, or text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        if data_bytes:
            f.truncate(8 + len(text) + data_bytes)


def tensors(n, names="t{}"):
    """A header of n tensors of one byte each, as text: json.dumps of a dict this size is slow."""
    return b"{" + b",".join(b'"%s":{"dtype":"U8","shape":[1],"data_offsets":[%d,%d]}' % (names.format(i).encode(), i, i + 1)
                            for i in range(n)) + b"}"


def hostile_headers(size):
    """Headers of about `size` bytes that have undone JSON readers."""
    entry = b'{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    yield "brackets", b"{" + b"[" * size
    yield "objects in an array", b'{"a":[' + b"{}," * (size // 3) + b"{}]}"
    yield "zeros in an array", b'{"a":[' + b"0," * (size // 2) + b"0]}"
    yield "spaces", b"{" + b" " * size + b"}"
    yield "one long name", b'{"' + b"\\u0041" * (size // 6) + b'":' + entry + b"}"
    yield "one name, again and again", b"{" + b",".join([b'"a":' + entry] * (size // (len(entry) + 5))) + b"}"
    yield "tiny entries", b"{" + b",".join(b'"%x":%s' % (i, entry) for i in range(size // (len(entry) + 9))) + b"}"
    yield "unknown fields", b'{"a":{' + b",".join(b'"%x":1' % i for i in range(size // 9)) + b"}}"
    yield "many shapes", b'{"a":{"dtype":"U8","shape":[' + b"1," * (size // 2) + b'1],"data_offsets":[0,1]}}'
    yield "metadata keys", b'{"__metadata__":{' + b",".join(b'"%x":""' % i for i in range(size // 10)) + b"}}"
