#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: each guest of formats/polyglots in each host that can hold it, and
the same with one bit of what confirms it changed.  Always the same bytes, harmless throughout; `codes` are exactly the codes
of the verdict.

A case is named guest-host; the near miss has "not" behind it.
"""
import io
import json
import os
import struct
import sys
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

NOTES = {"pdf-marker-no-objects", "markup-in-metadata", "hdf5-signature-in-stored-member", "pickle-data-only",
         "pickle-global-allowed"}
REVIEWED = {"format-identified-only", "format-unknown", "archive-7z", "safetensors-tensor-name-long",
            "pickle-global-unknown"}
CORPUS = Cases("", NOTES, REVIEWED, sections=True)
case = CORPUS.case


def crc(data):
    return struct.pack("<I", zlib.crc32(data))


# -- hosts: bytes of a tensor or a string, laid so that `at` is their place in the file

def filled(begin, size, places):
    """Bytes from offset `begin` on, `size` of them, with what is placed at offsets of the file."""
    body = bytearray(b"\x3c\x01" * (size // 2 + 1))[:size]
    for at, data in places.items():
        assert begin <= at and at + len(data) <= begin + size, (begin, at, size)
        body[at - begin:at - begin + len(data)] = data
    return bytes(body)


def safetensors(places, size, n=80):
    header = '{"w":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (size, size)
    return struct.pack("<Q", n) + header.encode().ljust(n) + filled(8 + n, size, places)


def npy_header(size):
    text = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % size
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.encode().ljust(117) + b"\n"


def npy(places, size):
    return npy_header(size) + filled(128, size, places)


def pickle(places, size):
    return b"\x80\x03B" + struct.pack("<I", size) + filled(7, size, places) + b"."


def stored(members, align=64):
    """A ZIP archive as torch writes it: stored, each member's data at a multiple of `align`."""
    out, directory = b"", b""
    for name, data in members:
        extra = 4 + -(len(out) + 34 + len(name)) % align
        local = struct.pack("<HHHHHIIIHH", 0, 0x0800, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), extra)
        padding = struct.pack("<2sH", b"FB", extra - 4) + b"Z" * (extra - 4)
        directory += b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 0, 0, 0x0800, 0, 0, 33, zlib.crc32(data), len(data),
                                             len(data), len(name), 0, 0, 0, 0, 0, len(out)) + name
        out += b"PK\3\4" + local + name + padding + data
    return out + directory + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, len(members), len(members), len(directory),
                                         len(out), 0)


def checkpoint_pickle(size):
    return (b"\x80\x02}X\1\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nByteStorage\n"
            b"X\1\0\0\x000X\3\0\0\0cpuJ" + struct.pack("<i", size) + b"tQK\0J" + struct.pack("<i", size) +
            b"\x85K\1\x85\x89ccollections\nOrderedDict\n)RtRs.")


def placed(members, index, places, size):
    """stored(), with the places laid in the member of this index, whose size it may know only now."""
    name = members[index][0]
    probe = b"\xF5probe\xF5".ljust(size, b"\0")
    begin = stored(members[:index] + [(name, probe)] + members[index + 1:]).index(probe)
    return stored(members[:index] + [(name, filled(begin, size, places))] + members[index + 1:])


def torch(places, size):
    return placed([(b"archive/data.pkl", checkpoint_pickle(size)), (b"archive/byteorder", b"little"),
                   (b"archive/data/0", b""), (b"archive/version", b"3\n")], 2, places, size)


def npz(places, size):
    whole = {at: data for at, data in places.items()}
    begin = stored([(b"w.npy", npy_header(size) + bytes(size))]).index(npy_header(size))
    moved = filled(begin + 128, size, whole)
    return stored([(b"w.npy", npy_header(size) + moved)])


def tar_header(name, size, typeflag=b"0"):
    block = bytearray(name.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % size + b"00000000000\0" +
                      b" " * 8 + typeflag + bytes(100) + b"ustar\x0000").ljust(512, b"\0")
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def tar(places, size):
    member = npy_header(size) + filled(640, size, places)
    return tar_header(b"w.npy", len(member)) + member + bytes(-len(member) % 512) + bytes(1024)


def gzip(places, size):
    """One stored block a 65,535 bytes, so that the guest stands in the file as it is."""
    content, blocks, at = bytearray(npy_header(size) + filled(0, size, {})), b"", 0
    while at < len(content):
        n = min(65535, len(content) - at)
        blocks += struct.pack("<BHH", at + n == len(content), n, n ^ 0xffff)
        for offset, data in places.items():
            begin = 10 + len(blocks)
            if begin <= offset < begin + n:
                assert offset + len(data) <= begin + n and at + offset - begin >= 128
                content[at + offset - begin:at + offset - begin + len(data)] = data
        blocks += content[at:at + n]
        at += n
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + blocks + crc(content) + struct.pack("<I", len(content))


HOSTS = {  # builder, extension, codes the host has anyway, first and last bytes it needs around a guest
    "safetensors": (safetensors, "safetensors", "", 88, 0),
    "npy": (npy, "npy", "", 128, 0),
    "pickle": (pickle, "pkl", "pickle-data-only", 7, 1),
    "torch": (torch, "pt", "pickle-global-allowed", 900, 500),
    "npz": (npz, "npz", "", 300, 200),
    "tar": (tar, "tar", "format-identified-only", 640, 1500),
    "gzip": (gzip, "gz", "", 160, 8),
}


# -- guests: what is placed, and one byte of it that confirms it

def sevenz():
    start = bytes(20)
    return b"7z\xBC\xAF\x27\x1C\0\4" + crc(start) + start, 8


def rar4():
    header = b"\x73\0\0\x0D\0" + bytes(6)
    return b"Rar!\x1A\x07\0" + crc(header)[:2] + header, 7


def rar5():
    header = b"\3\1\5\0"
    return b"Rar!\x1A\x07\1\0" + crc(header) + header, 8


def arj():
    header = b"\x1E\x0B\1\2\0\0\2" + bytes(26)
    return b"\x60\xEA" + struct.pack("<H", len(header)) + header + crc(header), 37


def zip_archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr(zipfile.ZipInfo("__main__.py"), b"print(1)")
    data = out.getvalue()
    return data, data.index(b"PK\1\2")


def phar():
    return b"<?php __HALT_COMPILER(); ?>\r\n" + struct.pack("<IIHI", 47, 1, 0x11, 0) + bytes(40), 8


PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"
ANYWHERE = {  # code, bytes, byte to change, offset
    "7z": ("polyglot-7z", *sevenz(), 3001),
    "rar4": ("polyglot-rar", *rar4(), 3001),
    "rar5": ("polyglot-rar", *rar5(), 3001),
    "arj": ("polyglot-arj", *arj(), 3001),
    "phar": ("polyglot-phar", *phar(), 3001),
    "zip": ("polyglot-zip", *zip_archive(), 3001),
    "pdf": ("polyglot-pdf", PDF, 0, 1000),
    "hdf5": ("polyglot-hdf5", b"\x89HDF\r\n\x1a\n" + bytes(88), 0, 4096),
    "iso9660": ("polyglot-iso9660", b"\1CD001\1", 1, 32768),
    "udf": ("polyglot-iso9660", b"\0BEA01\1", 1, 34816),
    "dicom": ("polyglot-dicom", b"DICM\2\0\0\0UL\4\0", 4, 128),
}
ITSELF = {("zip", "torch"), ("zip", "npz")}  # an archive's own reader looks for other ends


def in_every_host():
    for guest, (code, data, checked, at) in ANYWHERE.items():
        wrong = bytearray(data)
        wrong[checked] ^= 1
        for host, (build, extension, codes, before, behind) in HOSTS.items():
            if at < before or (guest, host) in ITSELF:
                continue
            size = at + len(data) + behind + 100 - before
            case(f"{guest}-{host}.{extension}", build({at: data}, size), f"{codes} {code}", f"{guest} in {host}")
            case(f"{guest}-{host}-not.{extension}", build({at: bytes(wrong)}, size), codes, "one bit beside it")


# -- guests at the very end, or that are the first bytes

def vhd():
    footer = bytearray(b"conectix".ljust(512, b"\0"))
    footer[64:68] = struct.pack(">I", ~sum(footer) & 0xffffffff)
    return bytes(footer)


def footers():
    for guest, footer, checked in (("vhd", vhd(), 67), ("dmg", b"koly\0\0\0\4\0\0\2\0".ljust(512, b"\0"), 7)):
        wrong = bytearray(footer)
        wrong[checked] ^= 1
        for host, begin in (("safetensors", 88), ("npy", 128)):
            build, extension = HOSTS[host][:2]
            for what, data, code in (("", footer, "polyglot-disk-footer"), ("-not", bytes(wrong), "")):
                case(f"{guest}-{host}{what}.{extension}", build({begin + 300: data}, 812), code, f"{guest} at the end")
    late = vhd()
    case("vhd-npy-late.npy", npy({428: late}, 813), "", "not at the end")


def summed(data, at=148):
    """Make the first 512 bytes a tar header: its magic, and its checksum."""
    data = bytearray(data)
    data[257:263] = b"ustar\0"
    data[at:at + 8] = b" " * 8
    data[at:at + 8] = b"%06o\0 " % sum(data[:512])
    return data


def tars():
    """The checksum goes into the bytes of a tensor or string, so nothing else may count them."""
    for host in ("safetensors", "npy", "pickle"):
        build, extension, codes = HOSTS[host][:3]
        data = summed(build({}, 2000))
        case(f"tar-{host}.{extension}", bytes(data), f"{codes} polyglot-tar", "a header that every tar opens")
        data[500] ^= 1
        case(f"tar-{host}-not.{extension}", bytes(data), codes, "the checksum is over every byte")


def tar_around():
    """A tar header in the first text of an ONNX model: told by it, the file is taken for a tar."""
    for what, tail, codes in (("", b"\x42\2\x10\x0B", " polyglot-protobuf polyglot-tar"), ("-not", b"\x42\2\x10", "")):
        doc = bytearray(b"n" + bytes(2042))
        doc[124 - 5:136 - 5] = b"00000000000\0"
        data = summed(b"\x08\x08\x32\xfb\x0f" + doc + b"\x3A\x09\x0A\3\x0A\1X\x12\2gg" + tail)
        case(f"tar-onnx{what}.onnx", bytes(data), "format-identified-only format-name-differs tar-special-file" + codes,
             "one byte is missing" if what else "both whole")


def text_header(n, text, size):
    """A safetensors file whose header of n bytes is this text, and whose one tensor ends with the file."""
    return struct.pack("<Q", n) + text.encode().ljust(n) + filled(8 + n, size, {})


def entry(size):
    return '{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}' % (size, size)


def pickles():
    """Byte 0 is BINUNICODE of 5 bytes; then POP and SHORT_BINBYTES hop over the JSON into the tensor."""
    def host(tail):
        n, size = 0x558, len(tail)
        name = bytearray()
        while 8 + n - (10 + len(name)) > 129:
            name += b"0C" + b"~" + b"a" * 126
        reach = 8 + n - (10 + len(name)) - 3
        text = '{"' + name.decode() + "0C" + chr(reach) + '":' + entry(size) + "}"
        assert 32 <= reach < 127 and chr(reach) not in '"\\', reach
        assert len(text) <= n, len(text)
        return struct.pack("<Q", n) + text.encode().ljust(n) + tail

    long = "safetensors-tensor-name-long"
    call = b"0cbuiltins\nlen\n(U\1at" b"R."
    case("pickle-safetensors-call.safetensors", host(call), f"{long} polyglot-pickle", "imports and calls, from byte 0")
    case("pickle-safetensors-data.safetensors", host(b"0K\1."), f"{long} polyglot-pickle", "loads to 1, from byte 0")
    case("pickle-safetensors-not.safetensors", host(b"0K\1 "), long, "no STOP")
    case("pickle-safetensors-length.safetensors", text_header(0x558, '{"w":' + entry(4) + "}", 4), "",
         "the same length, and honest text")
    lands = '{"ab2.weight":' + entry(4) + "}"
    case("pickle-safetensors-landing.safetensors", text_header(0x258, lands, 4), "",
         "lands on DUP and STOP: what any name may spell")


def protobuf():
    """N = 265: tag 9 takes eight bytes; then " is field 4 and b field 12: texts that lead into the tensor."""
    n, graph = 265, b"\x3A\x09\x0A\3\x0A\1X\x12\2gg"
    for what, tail, code in (("", graph + b"\x42\2\x10\x0B", "polyglot-protobuf"), ("-not", graph + b"\x42\2\x10", "")):
        text = '{"' + chr(100) + "a" * 100 + "b" + chr(80) + "a" * 80 + "b" + chr(78) + '":' + entry(len(tail)) + "}"
        assert 8 + n == 11 + 100 + 2 + 80 + 2 + 78 and len(text) <= n
        case(f"protobuf-safetensors{what}.safetensors", struct.pack("<Q", n) + text.encode().ljust(n) + tail, code,
             "one byte is missing" if what else "a whole ONNX model from byte 0")
    node = b"\x0A\x09\x0A\1a\x12\4NoOp"
    for what, saved, code in (("", node, "polyglot-protobuf"), ("-empty", b"\x22\x09" + node[2:], ""), ("-cut", node[:1] + b"\x0A" + node[2:], "")):
        tail = b"\x12" + bytes([len(saved) + 2]) + b"\x12" + bytes([len(saved)]) + saved
        text = '{"' + chr(100) + "a" * 100 + "b" + chr(80) + "a" * 80 + "b" + chr(78) + '":' + entry(len(tail)) + "}"
        case(f"protobuf-savedmodel{what}.safetensors", struct.pack("<Q", n) + text.encode().ljust(n) + tail, code,
             "a whole SavedModel from byte 0" if code else "a graph that is none")


def msgpack():
    """N = 0xBF81: a map of one, a name of 31 bytes, and C5 BF - a letter in UTF-8 - is a bin that ends with the file."""
    n, name = 0xBF81, "a" * 23 + "\u017f~"
    for what, more, code in (("", 0, "polyglot-msgpack"), ("-not", 1, "")):
        size = 36 + 0xBF00 + ord("~") - 8 - n + more
        text = '{"' + name + '":' + entry(size) + "}"
        assert (8 + text.encode().index(b"\xc5\xbf")) == 33
        data = struct.pack("<Q", n) + text.encode() + b" " * (n - len(text.encode())) + filled(8 + n, size, {})
        case(f"msgpack-safetensors{what}.safetensors", data, code, "one map from byte 0" if code else "one byte too many")


PREFIXES = {  # of 64 bytes and more, in front of an archive
    "elf": ("polyglot-elf", b"\x7fELF\2\1\1".ljust(64, b"\0"), 4),
    "pe": ("polyglot-pe", b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0".ljust(64, b"\0"), 64),
    "macho": ("polyglot-macho", b"\xCF\xFA\xED\xFE".ljust(16, b"\0") + b"\2".ljust(48, b"\0"), 0),
    "script": ("polyglot-script", b"#!/bin/true\n".ljust(64, b"\0"), 0),
    "html": ("polyglot-html", b"<html><p>nothing here".ljust(64, b"\0"), 1),
}


def prefixes():
    for guest, (code, data, checked) in PREFIXES.items():
        wrong = bytearray(data)
        wrong[checked] ^= 0x40
        for host in ("torch", "npz"):
            build, extension, codes = HOSTS[host][:3]
            codes += " zip-prefix-bytes"
            case(f"{guest}-{host}.{extension}", data + build({}, 1000), f"{codes} {code}", f"{guest} in front of {host}")
            case(f"{guest}-{host}-not.{extension}", bytes(wrong) + build({}, 1000), codes, "one bit beside it")


# -- notes

MEMBER_CODES = "format-identified-only h5-structure"  # of a tar archive with a member that is no whole HDF5 file


def notes():
    def meta(text):
        header = '{"__metadata__":{"about":' + json.dumps(text) + '},"w":' + entry(4) + "}"
        return text_header(-(-len(header) // 8) * 8, header, 4)

    case("note-pdf-mention.safetensors", meta("reads %PDF-1.4 files"), "pdf-marker-no-objects", "people write about PDF")
    case("note-pdf-lower-case.safetensors", meta("reads %pdf-1.4 files"), "", "no marker")
    case("note-pdf-in-string.pkl", pickle({100: b"%PDF-1.4 alone"}, 200), "pickle-data-only pdf-marker-no-objects",
         "no document follows")
    case("note-pdf-token.pkl", pickle({100: b"%PDF- 1 0 obj"}, 200), "pickle-data-only", "a marker without a version")
    for i, text in enumerate(("<?php echo 1; ?>", "<SCRIPT>", "see <html>", "#!/bin/sh", "<!DOCTYPE html>")):
        case(f"note-markup-{i}.safetensors", meta(text), "markup-in-metadata", text)
    case("note-markup-none.safetensors", meta("<a href=x> <p> # ! /"), "", "no script")
    case("note-markup-tensor.safetensors", safetensors({200: b"<?php"}, 300), "", "the bytes of a tensor")
    hdf5 = b"\x89HDF\r\n\x1a\n" + bytes(504)
    for what, before, code in (("", 3072, "hdf5-signature-in-stored-member "), ("-not", 3584, "")):
        first = npy_header(before - 128) + filled(0, before - 128, {})
        case(f"note-hdf5-member{what}.tar", tar_header(b"w.npy", before) + first + tar_header(b"w.bin", 512) + hdf5 + bytes(1024),
             code + MEMBER_CODES, "a member begins where HDF5 readers look" if code else "a block further on")
    packed = sevenz()[0]
    case("note-7z-member.tar", tar_header(b"w.7z", len(packed)) + packed + bytes(480) + bytes(1024),
         "format-identified-only archive-7z", "a member that is an archive is judged as a member")
    inner = zip_archive()[0]
    old = b"cbuiltins\nlen\n(S'a'\ntR."
    case("note-pickle-behind-name.tar", tar_header(b"K.conv.pkl", len(old)) + old + bytes(-len(old) % 512) + bytes(1024),
         "format-identified-only pickle-global-unknown", "a name that begins like an import, which no loader survives")
    case("note-zip-member.tar", tar_header(b"w.zip", len(inner)) + inner + bytes(-len(inner) % 512) + bytes(1024),
         "format-identified-only format-unknown", "an archive at the end of an archive")


CORPUS.make(in_every_host, footers, tars, tar_around, pickles, protobuf, msgpack, prefixes, notes)
