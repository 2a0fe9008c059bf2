#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles that are tar archives to Python's tarfile alone, which
torch.load() asks first, spelt in each way it allows; and beside each the same pickle with one byte of the checksum changed.
Always the same bytes.  What the archives hold calls os.getpid(), and nothing else.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.  `tar` says whether
tarfile.TarFile.open(mode="r:") takes the file, of which tests/loaders/test_archives.py asks it."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(sections=True, accepted={"pickle-data-only", "torch-opcode-outside-weights-only"}, reviewed={"format-identified-only", "format-unknown"})
BLOCK = 512
CALL = b"cos\ngetpid\n)R."  # harmless; what matters is that somebody calls it
NUMBERS = [(100, 8), (108, 8), (116, 8), (124, 12), (136, 12), (329, 8), (337, 8)]


def sums(block):
    rest = bytes(block[:148]) + b" " * 8 + bytes(block[156:512])
    return sum(rest), sum(struct.unpack("512b", rest))


def octal(value, n=8):
    return b"%0*o\0" % (n - 1, value)


def put(block, at, text):
    block[at:at + len(text)] = text


def header(block, total=None, spell=octal, which=0, **fields):
    """A header in a block whose other bytes stay as they are; numbers that are not given are empty."""
    at = {"mode": 100, "uid": 108, "gid": 116, "size": 124, "mtime": 136, "devmajor": 329, "devminor": 337}
    for place, n in NUMBERS:
        put(block, place, bytes(n))
    for name, text in fields.items():
        put(block, at[name], text)
    put(block, 148, (spell(sums(block)[which]) if total is None else total).ljust(8, b"\0"))
    return block


def member(name, data):
    """With a header that any tar reads."""
    block = bytearray(BLOCK)
    put(block, 0, name)
    header(block, size=octal(len(data), 12))
    return bytes(block) + data + bytes(-len(data) % BLOCK)


ARCHIVE = member(b"storages", b"\x80\x02" + CALL) + member(b"tensors", b"\x80\x02K\0.") + member(b"pickle", b"\x80\x02N.") + \
    bytes(2 * BLOCK)


def spoilt(data):
    """The same pickle with another byte in the constant for each header: no sum is right, whichever tar skips to."""
    data = bytearray(data)
    for at in range(0, len(data) - BLOCK + 1, BLOCK):
        if at == 0 or data[at:at + 8].split(b"\0")[0] in (b"storages", b"tensors", b"pickle"):
            data[at + 200] ^= 1
    return bytes(data)


MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."


def legacy(fill=0, **fields):
    """A legacy checkpoint of an empty object: magic number, protocol, what wrote it, the object, no storage.  What wrote it
    carries a text that is put away at once, in which the header's fields are."""
    begin = MAGIC + b"\x80\x02M\xe9\x03." + b"\x80\x03B"
    block = bytearray(begin + struct.pack("<I", BLOCK - len(begin) - 4 + len(ARCHIVE) - 1))
    block += bytes([fill]) * (BLOCK - len(block))
    header(block, **fields)
    words = (b"protocol_version", b"M\xe9\x03"), (b"little_endian", b"\x88"), (b"type_sizes", sizes())
    written = b"0}" + b"(" + b"".join(text(k) + v for k, v in words) + b"u."
    return bytes(block) + ARCHIVE[:-1] + written + b"\x80\x02}." + b"\x80\x02]."


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s


def sizes():
    return b"}(" + b"".join(text(k) + b"K" + bytes([v]) for k, v in ((b"short", 2), (b"int", 4), (b"long", 4))) + b"u"


def binary(value, n=8):
    return (b"\xff" if value < 0 else b"\x80") + value.to_bytes(n - 1, "big", signed=value < 0)


WAYS = {
    "v7": dict(mode=octal(0o644)),
    "no-numbers": dict(),
    "size-minus-zero": dict(size=b"-0"),
    "size-negative": dict(size=b"-7"),
    "size-binary-negative": dict(size=b"\xff" + b"\xff" * 11),
    "size-binary": dict(size=b"\x80" + bytes(11)),
    "signed-sum": dict(fill=0xff, which=1, spell=lambda v: b"-%o" % -v),
    "signed-sum-binary": dict(fill=0xff, which=1, spell=binary),
    "sum-binary": dict(spell=binary),
    "sum-prefix": dict(spell=lambda v: b"0o%o" % v),
    "sum-prefix-separator": dict(spell=lambda v: b"0O_%o" % v),
    "sum-separators": dict(spell=lambda v: b"_".join(bytes([c]) for c in b"%o" % v)[:8]),
    "sum-plus": dict(spell=lambda v: b"+%o" % v),
    "sum-blanks": dict(spell=lambda v: b"\t\x0b%o\x1f\n" % v),
    "mode-binary": dict(mode=b"\xff" + bytes(7)),
    "mode-sign": dict(mode=b" -7 "),
    "device-number-odd": dict(devmajor=b"0o_7", devminor=b"\x1c+1"),
}


OUTSIDE = "torch-opcode-outside-weights-only"


def the_checkpoints():
    for name, how in WAYS.items():
        data = legacy(**how)
        CORPUS.case(f"legacy-{name}.pt", data, f"polyglot-tar {OUTSIDE}", "torch.load() unpickles a member of the archive",
                    expect="reject", tar=True)
        CORPUS.case(f"legacy-{name}-spoilt.pt", spoilt(data), OUTSIDE, "a byte of the constant is another: no archive", tar=False)
    for name, how in {"sum-9": dict(spell=lambda v: b"9%o" % v), "sum-nul": dict(spell=lambda v: b"\0%o" % v),
                      "sum-hex": dict(spell=lambda v: b"0x%x" % v), "size-9": dict(size=b"9")}.items():
        CORPUS.case(f"legacy-{name}.pt", legacy(**how), f"polyglot-tar {OUTSIDE}", "a number that tarfile refuses; GNU tar skips to the next header",
                    expect="reject", tar=False)
    taken = legacy(size=b"-0")
    for name, data, codes, expect in (("taken", taken, "polyglot-tar", "reject"), ("spoilt", spoilt(taken), "", "review")):
        CORPUS.case(f"legacy-in-{name}.tar", member(b"a.pt", data) + bytes(2 * BLOCK),
                    f"format-identified-only {OUTSIDE} {codes}".strip(), "packed up once more", expect=expect, tar=True)


def unspelt(archive):
    """A pickle of bytes without a checksum: the field is empty, which is 0, and so is the sum of signed bytes."""
    block = bytearray(b"\x80\x03B" + struct.pack("<I", BLOCK + len(archive) - 8) + bytes(BLOCK - 7))
    at = 200
    while sums(block)[1] != 0:
        gap = -sums(block)[1]
        block[at] = max(-128, min(127, gap)) & 255
        at += 1
    return bytes(block) + archive[:-1] + b"."


def the_unspelt():
    only = "pickle-data-only"
    CORPUS.case("sum-empty.pkl", unspelt(ARCHIVE), f"polyglot-tar {only}", "the sum is 0, and the archive goes on", expect="reject",
                tar=True)
    CORPUS.case("sum-empty-alone.pkl", unspelt(bytes(2 * BLOCK)), only, "the sum is 0 by chance: zeros follow, and no member",
                tar=True)
    CORPUS.case("sum-empty-spoilt.pkl", spoilt(unspelt(ARCHIVE)), only, "the sum is not 0", tar=False)


def the_archives():
    """Not pickles: archives as nobody writes them, and one as somebody may."""
    first = member(b"readme", b"text\n")
    CORPUS.case("plain-v7-of-torch.tar", ARCHIVE, "torch-legacy-tar pickle-global-dangerous pickle-call-dangerous",
                "no magic, and PyTorch's names", expect="reject", tar=True)
    CORPUS.case("plain-v7-of-torch-behind.tar", first + ARCHIVE, "torch-legacy-tar format-identified-only format-unknown pickle-data-only "
                "pickle-global-dangerous pickle-call-dangerous", "PyTorch's names behind another", expect="reject", tar=True)
    odd = bytearray(BLOCK)
    put(odd, 0, b"readme")
    header(odd, size=b"-0", spell=lambda v: b"0o%o" % v)
    CORPUS.case("plain-odd.tar", bytes(odd) + ARCHIVE, "tar-checksum format-identified-only", "a checksum that only Python reads", expect="reject",
                tar=True)
    CORPUS.case("plain-v7.tar", first + bytes(2 * BLOCK), "format-identified-only format-unknown", "an archive of text",
                expect="review", tar=True)
    CORPUS.case("plain-zeros.pkl", b"\x80\x03B" + struct.pack("<I", 2048) + bytes(2048) + b".", "pickle-data-only", "bytes of zeros", tar=False)


CORPUS.make(the_checkpoints, the_unspelt, the_archives)
