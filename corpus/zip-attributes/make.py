#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: archives whose headers say of a member what it is not, or carry what
nobody asks for, as attributes and extra fields; and beside each what an honest writer puts in the same place.  Always the
same bytes.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict."""
import binascii
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(accepted={"pickle-global-allowed", "torch-misaligned"}, sections=True, reviewed={
    "format-identified-only", "zip-extra-unknown", "zip-attributes-unknown", "zip-directory-present"})
TORCH = "pickle-global-allowed"
FLOATS = struct.pack("<4f", 1, 2, 3, 4)


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s


# {"w": four floats}, as torch.save() writes it.
PICKLE = b"\x80\2}" + text(b"w") + b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") + b"ctorch\nFloatStorage\n" + \
    text(b"0") + text(b"cpu") + b"K\4tQK\0K\4\x85K\1\x85\x89ccollections\nOrderedDict\n)RtRs."


def npy():
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }".ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + FLOATS


def field(tag, data=b"", length=None):
    return struct.pack("<HH", tag, len(data) if length is None else length) + data


def archive(members, align=0, fill=b"Z", made=0, external=0, internal=0, local=b"", central=b"", only=None):
    """What is given besides is of the member `only`, or of all; its local field of alignment is PyTorch's."""
    body, directory = b"", b""
    for name, data in members:
        ours = only is None or name == only
        extra = local if ours else b""
        if align:
            n = -(len(body) + 30 + len(name) + len(extra) + 4) % align
            extra += field(0x4246, (fill if ours else b"Z") * n)
        wide = central if ours else b""
        same = struct.pack("<HHHHLLLH", 0x800 if align else 0, 0, 0, 33, binascii.crc32(data), len(data), len(data), len(name))
        out = struct.pack("<4sH", b"PK\3\4", 0 if align else 20) + same + struct.pack("<H", len(extra)) + name + extra + data
        directory += struct.pack("<4sHH", b"PK\1\2", made if ours else 0, 0 if align else 20) + same + struct.pack(
            "<HHHHLL", len(wide), 0, 0, internal if ours else 0, external if ours else 0, len(body)) + name + wide
        body += out
    return body + directory + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, len(members), len(members), len(directory), len(body),
                                          0)


def torch(only=b"a/data/0", **how):
    return archive([(b"a/data.pkl", PICKLE), (b"a/byteorder", b"little"), (b"a/data/0", FLOATS), (b"a/version", b"3\n")],
                   align=64, only=only, **how)


def npz(**how):
    return archive([(b"w.npy", npy())], **how)


def plain(**how):
    return archive([(b"w.dat", npy()), (b"d/w.dat", npy())], **how)


def both(name, codes, why, **how):
    """Of a checkpoint and of an array archive, whose writers are few."""
    CORPUS.case(f"torch-{name}.pt", torch(**how), f"{TORCH} {codes}".strip(), why)
    CORPUS.case(f"npz-{name}.npz", npz(**how), codes, why)


REGULAR, FOLDER = 0o100000 << 16, 0o040000 << 16


def the_kinds():
    wrong = "zip-attributes"
    both("none", "", "no attributes: miniz, Java")
    both("mode", "", "a mode alone: Python's writestr()", external=0o600 << 16, made=3 << 8)
    both("regular", "", "a file: Python, Go, Info-ZIP", external=REGULAR | 0o644 << 16, made=3 << 8)
    both("archive", "", "DOS: to be backed up", external=0x20)
    both("read-only", "", "DOS: read only, to be backed up", external=0x21, made=11 << 8)
    both("7z", "", "7-Zip on Unix", external=REGULAR | 0o644 << 16 | 0x8020, made=3 << 8 | 63)
    both("text", "", "text, Info-ZIP says", internal=1, external=REGULAR | 0o644 << 16, made=3 << 8 | 30)
    for name, value in (("dos-folder", 0x10), ("dos-folder-archive", 0x30), ("dos-folder-regular", REGULAR | 0o644 << 16 | 0x10),
                        ("unix-folder", FOLDER | 0o755 << 16), ("both-folder", FOLDER | 0o755 << 16 | 0x10)):
        both(name, wrong, "a folder, say the attributes: miniz reads nothing of it", external=value, made=3 << 8)
    CORPUS.case("torch-pickle-dos-folder.pt", torch(only=b"a/data.pkl", external=0x10), f"{TORCH} {wrong}",
                "the pickle: PyTorch unpickles what its memory held")
    for name, how in (("volume", dict(external=0x08)), ("device", dict(external=0x40)), ("reparse", dict(external=0x400)),
                      ("encrypted", dict(external=0x4000)), ("system", dict(made=7 << 8)), ("internal", dict(internal=2))):
        both(f"odd-{name}", wrong, "a bit that no writer sets", **how)
        CORPUS.case(f"plain-odd-{name}.zip", plain(**how), "format-identified-only zip-attributes-unknown",
                    "a bit that no writer sets")
    folders = [(b"d/", b""), (b"d/w.npy", npy())]
    for name, value in (("unix", FOLDER | 0o755 << 16), ("both", FOLDER | 0o755 << 16 | 0x10), ("dos", 0x10), ("none", 0)):
        CORPUS.case(f"plain-folder-{name}.zip", archive(folders, external=value, only=b"d/", made=3 << 8),
                    "format-identified-only", "a folder by its name")


TIMES = struct.pack("<3I", 1, 2, 3)


def path_field(name, crc_of=b"w.npy"):
    return field(0x7075, b"\1" + struct.pack("<I", binascii.crc32(crc_of)) + name)


def the_fields():
    """(name, field of the local header, of the central one): as their writers write them, and not."""
    ids = b"\1\4\xe8\3\0\0\4\xe8\3\0\0"
    ntfs = bytes(4) + struct.pack("<HH", 1, 24) + TIMES * 2
    wrong = "zip-extra-content"
    for name, local, central in (
            ("time", field(0x5455, b"\3" + TIMES[:8]), field(0x5455, b"\3" + TIMES[:4])),
            ("time-all", field(0x5455, b"\7" + TIMES), field(0x5455, b"\7" + TIMES)),
            ("ids", field(0x7875, ids), field(0x7875, ids)), ("ids-none", field(0x7875, ids), field(0x7875)),
            ("ids-16", field(0x7855, b"\1\0\2\0"), field(0x7855)), ("unix-old", field(0x5855, TIMES), field(0x5855, TIMES[:8])),
            ("ntfs", b"", field(0x0a, ntfs)), ("java", field(0xcafe), field(0xcafe)),
            ("aligned", field(0xd935, b"\x40\0" + bytes(20)), b""), ("path-same", path_field(b"w.npy"), path_field(b"w.npy")),
            ("padding", field(0x4246, b"ZZZZ"), b"")):
        CORPUS.case(f"npz-field-{name}.npz", npz(local=local, central=central), "", "as its writers write it")
    hidden = b"\x80\2cos\nsystem\n."
    for name, one in (("time-long", field(0x5455, b"\1" + TIMES)), ("time-flags", field(0x5455, b"\x11" + TIMES[:8])),
                      ("time-empty", field(0x5455)), ("ids-version", field(0x7875, b"\2" + ids[1:])),
                      ("ids-long", field(0x7875, ids + b"\0")), ("ids-wide", field(0x7875, b"\1\x10" + bytes(16) + b"\1\0")),
                      ("ids-16-long", field(0x7855, bytes(6))), ("unix-old-long", field(0x5855, bytes(16))),
                      ("ntfs-long", field(0x0a, ntfs + bytes(4))), ("ntfs-reserved", field(0x0a, b"hide" + ntfs[4:])),
                      ("java-content", field(0xcafe, hidden)), ("aligned-content", field(0xd935, b"\x40\0" + hidden)),
                      ("aligned-odd", field(0xd935, b"\x03\0")), ("padding-content", field(0x4246, hidden)),
                      ("padding-last", field(0x4246, b"ZZZz")), ("twice", field(0xcafe) * 2), ("unknown", field(0x1234, hidden)),
                      ("unknown-long", field(0x1234, bytes(60000)))):
        CORPUS.case(f"npz-local-{name}.npz", npz(local=one), wrong, "not as anybody writes it")
        if len(one) < 1000:
            CORPUS.case(f"npz-central-{name}.npz", npz(central=one), wrong, "not as anybody writes it, in the directory")
    CORPUS.case("npz-field-path-other.npz", npz(local=path_field(b"x.npy")), "zip-extra-unicode-path", "another name")
    CORPUS.case("npz-field-path-crc.npz", npz(local=path_field(b"w.npy", b"x.npy")), "zip-extra-unicode-path",
                "the same name, of another")
    CORPUS.case("npz-field-aes.npz", npz(local=field(0x9901, b"\2\0AE\3\0\0")), "zip-encrypted", "how it is encrypted")
    CORPUS.case("plain-field-unknown.zip", plain(local=field(0x1234, hidden)), "format-identified-only zip-extra-unknown",
                "nobody's field")
    CORPUS.case("plain-field-content.zip", plain(local=field(0xcafe, hidden)), f"format-identified-only {wrong}",
                "Java's mark is empty")
    CORPUS.case("torch-field-unknown.pt", torch(local=field(0x1234, hidden)), f"{TORCH} {wrong}", "nobody's field")
    CORPUS.case("torch-field-time.pt", torch(local=field(0x5455, b"\1" + TIMES[:4])), TORCH, "zipped again")
    CORPUS.case("torch-padding-other.pt", torch(fill=b"z"), f"{TORCH} {wrong} torch-padding-bytes", "filled with another letter")


CORPUS.make(the_kinds, the_fields)
