"""Archives of models as four programs unpack them: Python's tarfile, which NeMo uses, GNU tar, libarchive and 7-Zip.  What we
accept they take for the same files; and what each of them makes of corpus/tar-readers."""
import hashlib
import io
import json
import os
import random
import shutil
import struct
import subprocess
import tarfile
import tempfile

import ours
import tap

CONFIG = b"target: nemo.collections.asr.models.ctc_bpe_models.EncDecCTCModelBPE\n"
FOLDER = os.path.join(ours.CORPUS, "tar-readers")
COMMANDS = {"gnu": ["tar", "-xf", "@"], "bsd": ["bsdtar", "-xf", "@"], "7z": ["7z", "x", "-y", "-bd", "-bso0", "-bse0", "@"]}
BLOCK = 512
FIELDS = [(100, 8), (108, 8), (116, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8), (265, 32), (329, 8), (337, 8), (345, 155), (500, 12)]


def by_python(data):
    """What extractall() would leave, by its path; None: it refuses."""
    files = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                if member.isreg():
                    files[os.path.normpath(member.name)] = hashlib.sha256(archive.extractfile(member).read()).hexdigest()
                elif not member.isdir():
                    files[member.name] = "odd"
    except (tarfile.TarError, ValueError, EOFError):
        return None
    return files


def by_command(name, path):
    """What it leaves in an empty folder; None: it complains."""
    with tempfile.TemporaryDirectory(prefix="tar-") as folder:
        command = [path if word == "@" else word for word in COMMANDS[name]]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
        files = {}
        for root, _, names in os.walk(folder):
            for entry in (os.path.join(root, n) for n in names):
                with open(entry, "rb") as f:
                    files[os.path.relpath(entry, folder)] = hashlib.sha256(f.read()).hexdigest()
    return files if done.returncode == 0 else None


def readers():
    return [name for name, command in COMMANDS.items() if shutil.which(command[0])]


def differences(path, data):
    want = by_python(data)
    return [] if want is None else [name for name in readers() if by_command(name, path) not in (want, None)]


def plain(name, data, kind=b"0", magic=b"ustar\x0000", prefix=b""):
    header = bytearray(struct.pack("100s8s8s8s12s12s8sc100s8s32s32s8s8s155s12x", name, b"0000644\0", b"0000000\0", b"0000000\0",
                                   b"%011o\0" % len(data), b"00000000000\0", b" " * 8, kind, b"", magic, b"", b"",
                                   b"0000000\0", b"0000000\0", prefix))
    return seal(header) + data + bytes(-len(data) % BLOCK)


def seal(header):
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def pax(r):
    key = r.choice([b"path", b"size", b"mtime", b"uname", b"linkpath", b"GNU.sparse.name", b"hdrcharset", b"comment", b"ctime"])
    value = {b"path": r.choice([b"vocab.txt", b"./vocab.txt", b"a//b", b"model_weights.ckpt", b"v/"]), b"size": r.choice([b"4", b"5", b"0", b"1025"])}.get(
        key, r.choice([b"1", b"x", b"1.5", b"a=b"]))
    body = b" " + key + b"=" + value + b"\n"
    n = len(body) + 1 if len(body) < 9 else len(body) + 2
    return b"%d" % (n + r.choice([0] * 9 + [1, -1])) + body


def mutant(seed):
    """A model with a vocabulary, and one to three things that are a little otherwise."""
    r = random.Random(seed)
    magic = lambda: r.choice([b"ustar\x0000"] * 3 + [b"ustar  \0", bytes(8), b"ustar\0  "])
    name = lambda: r.choice([b"vocab.txt", b"./vocab.txt", b"a/b", b"a/./b", b"a//b", b".//vocab.txt", b"vocab.txt/", b"d/", b"model_weights.ckpt",
                             b"VOCAB.txt", b"a/b/", b"...", b"a/..b", b"x" * 100])
    parts = [[b"model_config.yaml", CONFIG], [b"model_weights.ckpt", ours_weights()]]
    out = b"".join(plain(n, d, magic=r.choice([b"ustar\x0000", b"ustar  \0"])) for n, d in parts)
    for _ in range(r.randint(1, 3)):
        if r.random() < 0.3:
            out += plain(b"x", b"".join(pax(r) for _ in range(r.randint(1, 2))), kind=b"x")
        if r.random() < 0.15:
            out += plain(b"././@LongLink", r.choice([b"vocab.txt\0", b"v" * 120 + b"\0", b"v/\0", b"a//b\0", b"vocab.txt"]), kind=b"L", magic=b"ustar  \0")
        kind = r.choice([b"0"] * 6 + [b"\0"] * 3 + [b"5", b"7", b"1", b"2", b"S"])
        data = b"" if kind == b"5" or r.random() < 0.1 else r.choice([b"a\nb\n", b"c\nd\n" * 200])
        block = bytearray(plain(name(), data, kind, magic(), r.choice([b""] * 6 + [b"p", b"p/", b"../p", b"./q"])))
        if r.random() < 0.3:
            at, n = r.choice(FIELDS)
            block[at:at + n] = r.choice([b"", b" ", b"0", b"-0", b"0o7", b"7 1", b"zz", b"\x80" + bytes(max(0, n - 2)) + b"\4", b"\xff" * n, b"0000644",
                                         b"00000000004", b"4"])[:n].ljust(n, r.choice([b"\0", b" "]))
        out += seal(block[:BLOCK]) + bytes(block[BLOCK:])
    data = bytearray(out + bytes(2 * BLOCK))
    if r.random() < 0.2:
        data[r.randrange(len(data))] = r.randrange(256)
    return bytes(data)


WEIGHTS = []


def ours_weights():
    if not WEIGHTS:
        with open(os.path.join(ours.CORPUS, "archives", "files", "nemo-plain.nemo"), "rb") as f, tarfile.open(fileobj=f) as archive:
            WEIGHTS.append(archive.extractfile("model_weights.ckpt").read())
    return WEIGHTS[0]


def test_accepted_mutants_are_the_same_files_to_all():
    n, wrong, accepted = ours.share("tar", 1500), [], 0
    for path, data, verdict in ours.judged((mutant(seed) for seed in range(n)), ".nemo"):
        if verdict["verdict"] == "accept":
            accepted += 1
            odd = differences(path, data)
            wrong += [(os.path.basename(path), odd)] if odd or by_python(data) is None else []
    print(f"# {n} mutants, {accepted} accepted, read by tarfile {' '.join(readers())}")
    assert accepted > n // 20 and not wrong, wrong[:20]


def test_the_programs_differ_where_the_corpus_says():
    with open(os.path.join(FOLDER, "cases.jsonl"), encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    for row in rows:
        path = os.path.join(FOLDER, "files", row["file"])
        with open(path, "rb") as f:
            odd = differences(path, f.read())
        assert set(odd) == set(row["differ"]) & set(readers()), (row["file"], odd, row["differ"])


def test_what_programs_write_is_accepted():
    made = []
    with tempfile.TemporaryDirectory(prefix="tar-") as folder:
        inner = os.path.join(folder, "m")
        os.mkdir(inner)
        for name, data in (("model_config.yaml", CONFIG), ("model_weights.ckpt", ours_weights()), ("v" * 120 + ".txt", b"a\nb\n")):
            with open(os.path.join(inner, name), "wb") as f:
                f.write(data)
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w", format=form) as archive:
                if form == tarfile.USTAR_FORMAT:
                    os.rename(os.path.join(inner, "v" * 120 + ".txt"), os.path.join(inner, "v.txt"))
                archive.add(inner, ".")
            if form == tarfile.USTAR_FORMAT:
                os.rename(os.path.join(inner, "v.txt"), os.path.join(inner, "v" * 120 + ".txt"))
            made.append(out.getvalue())
        for command in (["tar", "--format=gnu"], ["tar", "--format=posix"], ["tar", "--format=oldgnu"], ["bsdtar", "--format=pax"],
                        ["bsdtar", "--format=gnutar"]):
            if shutil.which(command[0]):
                made.append(subprocess.run([*command, "-cf", "-", "-C", inner, "."], check=True, stdout=subprocess.PIPE,
                                           timeout=60).stdout)
    for path, data, verdict in ours.judged(made, ".nemo"):
        assert verdict["verdict"] == "accept", [f["code"] for f in verdict["findings"]]
        assert not differences(path, data), path


if __name__ == "__main__":
    tap.main(globals())
