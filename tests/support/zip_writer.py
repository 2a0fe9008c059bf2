"""A writer of ZIP archives for corpora: what honest writers make.  corpus/zip has one of its own, which lies."""
import binascii
import struct
import zlib


def archive(*members, before=0):
    """Name and contents of each, and 8 when it is deflated; so many bytes stand `before` the archive."""
    body, directory = b"", b""
    for name, data, *method in members:
        name, data = (x.encode() if isinstance(x, str) else x for x in (name, data))
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        coded = packer.compress(data) + packer.flush() if method else data
        fields = struct.pack("<HHHHLLLHH", 0, 8 if method else 0, 0, 33, binascii.crc32(data), len(coded), len(data),
                             len(name), 0)
        directory += struct.pack("<4sHH", b"PK\1\2", 3 << 8 | 20, 20) + fields + struct.pack(
            "<HHHLL", 0, 0, 0, 0o100644 << 16, before + len(body)) + name
        body += struct.pack("<4sH", b"PK\3\4", 20) + fields + name + coded
    return body + directory + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, len(members), len(members), len(directory),
                                          before + len(body), 0)
