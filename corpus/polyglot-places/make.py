#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: safetensors files in whose tensor an archive, a document or a file system
stands where programs find it, archives of archives, and near misses.  Always the same bytes, harmless throughout; a member is called canary.txt.

`codes` are exactly the codes of the verdict; `opens` are the programs of Debian 12 that find canary.txt in the file, and
`silent` those that do not, which tests/loaders/test_polyglots.py asks."""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".safetensors", {"pdf-marker-no-objects"}, {"format-identified-only", "format-unknown"})
NAME, TEXT = b"canary.txt", b"hello\n"
N = 80  # bytes of the header
FILL = b"\x3c\x01"


def case(name, places, codes="", why="", behind=600, **more):
    """`places`: bytes by their offset in the file."""
    end = max(at + len(data) for at, data in places.items()) + behind
    size = end - 8 - N
    body = bytearray(FILL * (size // 2 + 1))[:size]
    for at, data in places.items():
        body[at - 8 - N:at - 8 - N + len(data)] = data
    header = '{"w":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (size, size)
    CORPUS.case(name, struct.pack("<Q", N) + header.encode().ljust(N) + bytes(body), codes, why, **more)


# -- tar

def tar(magic=b"ustar\x0000", data=TEXT, name=NAME, mode=b"0000644\0", owner=b"0000000\0", time=b"00000000000\0", size=None, form=b"%06o\0 "):
    size = b"%011o\0" % len(data) if size is None else size
    block = bytearray(name.ljust(100, b"\0") + mode + owner * 2 + size + time + b" " * 8 + b"0" + bytes(100) + magic).ljust(512, b"\0")
    block[148:156] = form % sum(block)
    return bytes(block) + data + bytes(-len(data) % 512)


def changed(data, at, bits=1):
    data = bytearray(data)
    data[at] ^= bits
    return bytes(data)


def tars():
    every = "gnu-tar"
    for name, header in (("posix", tar()), ("gnu", tar(b"ustar  \0")), ("old", tar(bytes(8))),
                         ("odd-name", tar(bytes(8), name=b"canary.txt\0\xff\xff")),
                         ("odd-numbers", tar(bytes(8), mode=b"~" * 8, owner=b"~" * 8, time=b"~" * 12)),
                         ("base-256", tar(size=b"\x80" + bytes(10) + b"\6")), ("spaces", tar(bytes(8), form=b"  %05o\xe9"))):
        opens = every if name != "spaces" else ""
        case(f"tar-{name}", {1024: header}, "polyglot-tar" if opens else "", "a header that GNU tar skips to", opens=opens.split())
    case("tar-far", {200 << 10: tar(bytes(8))}, "polyglot-tar", "as far as the file goes", opens=[every])
    case("tar-second", {1024: tar() + tar(name=b"b.txt"), 8192: tar(bytes(8))}, "polyglot-tar", "two archives are one find", opens=[every])
    case("tar-beside", {1025: tar()}, "polyglot-tar", "at no block of 512: 7-Zip finds it", opens=["7z"], silent=[every])
    case("tar-beside-old", {1025: tar(bytes(8))}, "", "at no block and without magic: cpio -H ustar", silent=[every, "7z"])
    case("tar-sum", {1024: changed(tar(), 500)}, "", "the sum is of every byte", silent=[every, "7z"])
    case("tar-size", {1024: tar(bytes(8), size=b"~" * 12)}, "", "a size that is no number", silent=[every])
    case("tar-words", {1024: b"ustar".rjust(262) + b" archives begin like that"}, "", "a word in a text", silent=[every, "7z"])


# -- cpio

def new(data=TEXT, name=NAME, magic=b"070701", other=b"00000000", end=b"\0"):
    out = magic + other + b"000081A4" + other * 2 + b"00000001" + other + b"%08X" % len(data) + other * 4 + b"%08X" % (len(name) + 1) + other
    out += name + end
    return out + bytes(-len(out) % 4) + data + bytes(-len(data) % 4)


def old(data=TEXT, name=NAME, other=b"000000", end=b"\0"):
    return b"070707" + other * 2 + b"100644" + other * 2 + b"000001" + other + b"00000000000" + b"%06o%011o" % (len(name) + 1, len(data)) + name + end + data


def binary(order, data=TEXT, name=NAME, links=1, device=0, end=b"\0"):
    head = struct.pack(order + "13H", 0o70707, 0, 1, 0o100644, 0, 0, links, device, 0, 0, len(name) + 1, 0, len(data))
    return head + name + end + bytes((len(name) + 1) % 2) + data + bytes(len(data) % 2)


def cpios():
    code, ours = "polyglot-cpio", ["cpio"]
    for name, data, opens in (("new", new(), ["cpio", "7z"]), ("sums", new(magic=b"070702"), ["cpio", "7z"]), ("old", old(), ["cpio", "7z"]),
                              ("new-odd", new(other=b"zzzzzzzz"), ours), ("new-spaces", new(other=b"       0"), ours),
                              ("old-odd", old(other=b"!!!!!!"), ours), ("little", binary("<"), ours), ("big", binary(">"), ours),
                              ("little-two", binary("<", links=0, device=7) + binary("<", name=b"b.txt"), ours)):
        case(f"cpio-{name}", {3001: data}, code, "cpio skips what stands in front", opens=opens)
    case("cpio-far", {(200 << 10) + 7: new()}, code, "as far as 7-Zip looks", opens=ours)
    for name, data in (("new-end", new(end=b"!")), ("little-end", binary("<", end=b"!"))):
        case(f"cpio-{name}", {3001: data}, code, "the name does not end where it says", opens=ours)
    for name, data in (("new-mode", new().replace(b"000081A4", b"00000zzz")), ("old-name", old().replace(b"000013", b"000001")),
                       ("little-mode", changed(binary("<"), 7, 0x80)), ("little-control", binary("<", name=b"a\1b"))):
        case(f"cpio-{name}", {3001: data}, "", "no type of file, or no name", silent=[] if "mode" in name else ours)
    case("cpio-words", {3001: b"magic 070701 of the new format, 070707 of the old one"}, "", "numbers in a text")


# -- ext, arj, ZIP, PDF

def ext(magic=0xEF53, blocks=0):
    """A superblock; e2fsprogs would want more."""
    block = struct.pack("<IIIIIIIIIIIIIHHHHHHIIII", 16, 64, 0, 40, 5, 1, blocks, blocks, 8192, 8192, 16, 0, 0, 0, 0xffff, magic, 1, 1, 0, 0, 0, 0, 0)
    return block.ljust(1024, b"\0")


def systems():
    case("ext-start", {1024: ext()}, "polyglot-filesystem", "the boot block is the header", opens=["file"])
    case("ext-inside", {4096 + 1024: ext()}, "polyglot-filesystem", "7-Zip searches", silent=["file"])
    case("ext-magic", {1024: ext(0xEF52)}, "", "no superblock", silent=["file"])
    case("ext-size", {1024: ext(blocks=7)}, "", "no such size of blocks")


def crc(data):
    return struct.pack("<I", zlib.crc32(data))


def arj(kind=2):
    main = b"\x1E\x0B\1\2\x10\0" + bytes([kind]) + bytes(23) + b"a.arj\0\0"
    member = b"\x1E\x0B\1\2\x10\0\0\0" + bytes(4) + struct.pack("<II", len(TEXT), len(TEXT)) + crc(TEXT) + bytes(6) + NAME + b"\0\0"
    out = b""
    for header in (main, member):
        out += b"\x60\xEA" + struct.pack("<H", len(header)) + header + crc(header) + b"\0\0"
    return out + TEXT + b"\x60\xEA\0\0"


def arjs():
    case("arj-far", {(128 << 10) + 9: arj()}, "polyglot-arj", "beyond 128 KiB", opens=["7z"])
    case("arj-kind", {(128 << 10) + 9: arj(1)}, "", "no main header", silent=["7z"])


def local():
    return b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, zlib.crc32(TEXT), len(TEXT), len(TEXT), len(NAME), 0) + NAME + TEXT


def zip_end():
    return b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, zlib.crc32(TEXT), len(TEXT), len(TEXT), len(NAME), 0, 0, 0, 0, 0, 0) + NAME


def zips():
    whole = local() + zip_end()
    whole += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(zip_end()), len(local()), 0)
    for behind, code in ((70000, "polyglot-zip"), (100000, "")):
        case(f"zip-behind-{behind}", {3001: whole}, code, "blocks of unzip's, and beyond them", behind=behind,
             opens=["7z"] + ["unzip"] * bool(code), silent=["python"] + ["unzip"] * (not code))
    case("zip-alone", {3001: local()}, "", "7-Zip needs no directory", opens=["7z"], silent=["unzip", "python"])


PDF = (b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
       b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
       b"4 0 obj<</Length 41>>stream\nBT /F 12 Tf 10 10 Td (canary.txt) Tj ET   \nendstream endobj\n"
       b"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n")


def pdfs():
    for at in (1024, 5000, 200 << 10):
        case(f"pdf-{at}", {at: PDF}, "polyglot-pdf", "beyond 1,024", opens=["pdftotext", "mutool"])
    case("pdf-alone", {5000: b"%PDF-1.4 is what documents begin with, and obj is what they hold"}, "", "no object", silent=["pdftotext", "mutool"])
    case("pdf-version", {5000: b"%PDF-x 1 0 obj"}, "", "no version")


# -- behind as many that are none as nobody looks at one by one

def decoys(data, step, first=3001, count=170):
    return {first + i * step: data for i in range(count)}


def behind_decoys():
    words = b"070701" + b"z" * 104
    for name, data, guest, code, opens in (
            ("cpio-new", words, new(), "polyglot-cpio", ["cpio", "7z"]),
            ("cpio-little", binary("<", name=b"a\1b", links=0, device=7), binary("<"), "polyglot-cpio", ["cpio"]),
            ("tar-beside", bytes(148) + b"1" * 8 + bytes(101) + b"ustar", tar(), "polyglot-tar", ["7z"]),
            ("pdf", b"%PDF-1.4 no", PDF, "polyglot-pdf", ["pdftotext", "mutool"])):
        step = len(data) + 100
        case(f"decoys-{name}", decoys(data, step), "", "nothing is meant", silent=opens)
        far = (66 << 10) * (guest == PDF)  # than an object may be
        case(f"decoys-{name}-behind", {**decoys(data, step), 3001 + 170 * step + 512 + far: guest}, code, "all are looked at", opens=opens)


# -- members of the host: a ZIP of stored archives, and a storage behind them

def stored(members):
    out, directory = b"", b""
    for name, data in members:
        name = b"x" * (-(len(out) + 30 + len(name)) % 512) + name
        head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 20) + head[:-2] + struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(out)) + name
        out += b"PK\3\4" + head + name + data
    return out + directory + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(out), 0)




def npy(data):
    head = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(data)
    return b"\x93NUMPY\1\0" + struct.pack("<H", 118) + head.ljust(117) + b"\n" + data


def members():
    many = [(b"%d.tar" % i, tar(name=b"%d.txt" % i) + bytes(1024)) for i in range(70)]
    CORPUS.case("members.zip", stored(many), "format-identified-only format-unknown", "archives are members")
    CORPUS.case("members-behind.zip", stored(many + [(b"a.npy", npy(FILL * 192 + tar() + FILL))]), "polyglot-tar format-identified-only format-unknown", "and one is in none, as tar -i finds")


CORPUS.make(tars, cpios, systems, arjs, zips, pdfs, behind_decoys, members)
