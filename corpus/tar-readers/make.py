#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: models of NeMo's whose tar archive is not the same files to all who unpack
it - Python's tarfile, GNU tar, libarchive, 7-Zip -, and near misses that are.  Always the same bytes; nothing in them runs.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.  `differ` names the programs that unpack
something else than Python does, of which tests/loaders/test_tar.py asks them."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import checkpoint, state, tensor  # noqa: E402 pylint: disable=wrong-import-position

ALLOWED = "pickle-global-allowed"
CORPUS = Cases(".nemo", {ALLOWED}, set())
BLOCK = 512
POSIX, GNU, NONE = b"ustar\x0000", b"ustar  \0", bytes(8)
TEXT = b"a\nb\n"
WEIGHTS = checkpoint(state(weight=tensor()))
OTHER = checkpoint(state(weight=tensor()), {"0": struct.pack("<4f", 9, 9, 9, 9)})


def member(name, data=TEXT, kind=b"0", magic=POSIX, prefix=b"", **fields):
    header = bytearray(struct.pack("100s8s8s8s12s12s8sc100s8s32s32s8s8s155s12x", name, b"0000644\0", b"0000000\0", b"0000000\0",
                                   b"%011o\0" % len(data), b"00000000000\0", b" " * 8, kind, b"", magic, b"", b"", b"0000000\0",
                                   b"0000000\0", prefix))
    at = {"mode": (100, 8), "uid": (108, 8), "gid": (116, 8), "mtime": (136, 12), "devmajor": (329, 8)}
    for field, text in fields.items():
        begin, n = at[field]
        header[begin:begin + n] = text.ljust(n, b"\0")
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data + bytes(-len(data) % BLOCK)


def pax(*records):
    out = b""
    for key, value in records:
        body = b" " + key + b"=" + value + b"\n"
        n = len(body) + 1
        out += b"%d" % (n if n < 10 else n + 1) + body
    return member(b"x", out, b"x")


def case(name, more, codes="", why="", differ=(), last=b""):
    data = member(b"model_config.yaml", b"target: nemo.collections.asr.models.ctc_bpe_models.EncDecCTCModelBPE\n") + \
        member(b"model_weights.ckpt", WEIGHTS) + more + last + bytes(2 * BLOCK)
    CORPUS.case(name, data, f"{codes} {ALLOWED}", why, differ=list(differ))


def names():
    case("plain", member(b"vocab.txt"), why="as everybody writes it")
    case("prefix-posix", member(b"vocab.txt", prefix=b"texts"), why="POSIX' own way of long names")
    case("prefix-gnu", member(b"vocab.txt", magic=GNU, prefix=b"../../x"), "tar-pax", "Python puts it before the name in any archive: outside of "
         "the folder", ["gnu", "bsd", "7z"])
    case("prefix-none", member(b"vocab.txt", magic=NONE, prefix=b"texts"), "tar-pax", "and in one of the old tars", ["gnu", "bsd", "7z"])
    case("magic-gnu", member(b"vocab.txt", magic=GNU), why="no prefix")
    case("dots", member(b"./texts//vocab.txt") + member(b"texts/./other.txt"), why="odd, and two files")
    case("dots-same", member(b"a/b") + member(b"a/./b", b"c\n"), "tar-duplicate", "one file, written twice")
    case("slashes-same", member(b".//model_weights.ckpt", OTHER), "tar-duplicate", "the weights are others in the end")
    case("case-same", member(b"Model_Weights.ckpt", OTHER), "tar-duplicate", "one file where case counts for nothing")
    case("case", member(b"Vocab.txt") + member(b"vocab2.txt"), why="two")


def folders():
    case("folder", member(b"texts/", b"", b"5") + member(b"texts/vocab.txt"), why="a folder")
    case("folder-v7", member(b"texts/", b"", b"\0", NONE) + member(b"texts/vocab.txt"), why="as the tars of old wrote one")
    case("file-slash", member(b"texts/", member(b"other.txt"), b"\0"), "tar-special-file", "to Python the next header, to 7-Zip a file's content",
         ["7z"])
    case("file-slash-0", member(b"texts/", TEXT), "tar-special-file", "a file to Python, a folder to others", ["bsd", "7z"])
    case("file-slash-given", pax((b"path", b"vocab.txt")) + member(b"vocab.txt/", TEXT, b"\0"), "tar-special-file",
         "the name is given, and the folder stays one to Python", ["gnu", "bsd", "7z"])


    case("folder-over-file", member(b"model_weights.ckpt", b"", b"5"), "tar-duplicate", "a folder takes the weights away", ["gnu", "bsd"])
    case("folder-over-part", member(b"a/b/c") + member(b"a/b", b"", b"5") + member(b"a", b"", b"5"), why="folders, listed late")
    case("file-as-folder", member(b"a") + member(b"a/b"), "tar-duplicate", "a is a file", [])
    case("file-over-folder", member(b"a/b") + member(b"a"), "tar-duplicate", "a is a folder", [])


def extended():
    case("pax", pax((b"path", b"vocab.txt"), (b"mtime", b"1.5")) + member(b"v"), why="one extended header")
    case("pax-twice", pax((b"path", b"vocab.txt")) + pax((b"mtime", b"1")) + member(b"other.txt"), "tar-pax", "GNU tar and 7-Zip take the last alone",
         ["gnu", "7z"])
    case("pax-behind-long", member(b"././@LongLink", b"vocab.txt\0", b"L", GNU) + pax((b"mtime", b"1")) + member(b"other.txt"), "tar-pax",
         "two ways at once, which no program writes")
    case("long", member(b"././@LongLink", b"vocab.txt\0", b"L", GNU) + member(b"v", magic=GNU), why="GNU tar's way of long names")


def numbers():
    others = {"mode": ["bsd"], "uid": ["bsd", "7z"], "gid": ["bsd", "7z"], "mtime": ["bsd"], "devmajor": ["gnu", "bsd"]}
    for field, differ in others.items():
        case(f"number-{field}", member(b"vocab.txt", **{field: b"zz"}), "tar-size", "Python's archive ends in front of it", differ)
    case("number-prefix", member(b"vocab.txt", mode=b"0o644"), "tar-size", "a number to Python alone", [])
    case("number-blank", member(b"vocab.txt", mode=b" 644", uid=b""), why="blanks before it; nothing")
    case("number-negative", member(b"vocab.txt", mtime=b"\xff" * 12), why="a file from before 1970")


CORPUS.make(names, folders, extended, numbers)
