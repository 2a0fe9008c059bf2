"""Our ZIP reader beside others: Python's zipfile and Info-ZIP's unzip read thousands of damaged variants of sound
archives.  Where we find nothing, all of us must have read the same members.

    test_readers.py LISTER CORPUS"""
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib

import tap

LISTER, CORPUS = sys.argv[1:3]
MEDIUM = 2  # enum finding_severity


def content(name):
    with open(os.path.join(CORPUS, "files", name), "rb") as f:
        return f.read()


def listed(paths, profile="plain"):
    """What our reader makes of the files."""
    done = subprocess.run([LISTER, profile], input="".join(p + "\n" for p in paths), capture_output=True, text=True,
                          timeout=600, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(paths)
    return rows


def is_clean(row):
    """As good as accepted: nothing for a person to look at, and a directory to be trusted."""
    return row["status"] == 0 and row["sound"] and all(severity < MEDIUM for _, severity in row["codes"])


def by_python(data):
    """Names and CRCs of contents; None when it refuses."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            return [(i.filename, zlib.crc32(z.open(i).read())) for i in z.infolist()]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error, ValueError,
            OverflowError):
        return None


def unzip(*arguments):
    done = subprocess.run(["unzip", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout if done.returncode == 0 else None


def by_unzip(path):
    """Names, when it can extract all of them; None when it complains."""
    if unzip("-tqq", path) is None:
        return None
    return unzip("-Z1", path).decode("utf-8", "replace").splitlines()


def same_names(by_unzip_names, row):
    """unzip translates names of some hosts to what DOS would show, UTF-8 or not: only ASCII is compared."""
    ours = [name for name, _ in by_us(row)]
    return by_unzip_names is not None and len(by_unzip_names) == len(ours) and all(
        a == b for a, b in zip(by_unzip_names, ours) if b.isascii())


def by_us(row):
    return [(bytes.fromhex(name).decode("utf-8"), crc) for name, _, _, crc in row["members"]]


def variants_judged(variants):
    """(what, data, row, path) for each variant."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, (_, data) in enumerate(variants):
            paths.append(os.path.join(folder, f"{i}.zip"))
            with open(paths[-1], "wb") as out:
                out.write(data)
        for (what, data), row, path in zip(variants, listed(paths), paths):
            yield what, data, row, path


SOUND = ["sound-two.zip", "sound-torch-like.zip", "sound-npz-like.zip", "sound-npz-piped.zip", "sound-descriptor.zip",
         "sound-wide-central.zip", "sound-wide-end.zip", "sound-folder.zip", "sound-utf8-name.zip",
         "sound-extra-time.zip", "sound-deflated.zip"]


def test_sound_archives_are_clean_and_read_alike():
    paths = [os.path.join(CORPUS, "files", name) for name in SOUND]
    for name, row, path in zip(SOUND, listed(paths), paths):
        assert is_clean(row), (name, row)
        assert by_us(row) == by_python(content(name)), name
        assert same_names(by_unzip(path), row), name


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile then writes descriptors."""

    def __init__(self, out):
        super().__init__()
        self.out = out

    def writable(self):
        return True

    def write(self, data):
        return self.out.write(data)


def write_python(path, streamed, method):
    with open(path, "wb") as out, zipfile.ZipFile(Pipe(out) if streamed else out, "w", method) as z:
        z.writestr("a.npy", bytes(1000))
        z.writestr("gr\u00f6\u00dfe", b"x" * 100)
        with z.open("wide", "w", force_zip64=True) as member:
            member.write(b"123")
        z.writestr("folder/", b"")


def write_many(path):
    """As many as the end record counts by itself, which is also its reference to zip64."""
    with zipfile.ZipFile(path, "w") as z:
        for i in range(65535):
            z.writestr(str(i), b"")


def honest_archives(folder):
    """Paths of archives by Python and by Info-ZIP's zip in its moods."""
    made = []
    for streamed in (False, True):
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            made.append(os.path.join(folder, f"python-{streamed}-{method}.zip"))
            write_python(made[-1], streamed, method)
    made.append(os.path.join(folder, "many.zip"))
    write_many(made[-1])
    os.mkdir(os.path.join(folder, "d"))
    for name, data in (("small", b"hello\n"), ("random", os.urandom(100000)), ("d/zeros", bytes(1000))):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)
    for options in ("-r", "-rD", "-rX", "-r9", "-r0", "-rfd", "-rfz"):
        made.append(os.path.join(folder, f"zip{options}.zip"))
        subprocess.run(["zip", "-q", options, made[-1], "small", "random", "d"], cwd=folder, check=True)
    made.append(os.path.join(folder, "piped.zip"))
    with open(made[-1], "wb") as out:
        done = subprocess.run(["zip", "-q", "-r", "-", "small", "random", "d"], cwd=folder, stdout=subprocess.PIPE,
                              check=True)
        out.write(done.stdout)
    return made


def test_what_honest_writers_write_is_clean():
    with tempfile.TemporaryDirectory() as folder:
        paths = honest_archives(folder)
        for path, row in zip(paths, listed(paths)):
            assert is_clean(row), (path, row["codes"])
            with open(path, "rb") as f:
                assert by_us(row) == by_python(f.read()), path


def test_a_truncated_archive_is_never_clean():
    for name in SOUND:
        whole = content(name)
        for n, _, row, _ in variants_judged([(n, whole[:n]) for n in range(len(whole))]):
            assert not is_clean(row), (name, n, row)


def test_a_lengthened_archive_is_never_clean():
    for name in SOUND:
        whole = content(name)
        variants = [(n, whole + bytes(n)) for n in (1, 2, 21, 22, 23, 1000, 70000)]
        variants += [(-n, whole[:4] + bytes(n) + whole) for n in (1, 22, 70000)]
        for n, _, row, _ in variants_judged(variants):
            assert not is_clean(row), (name, n, row)


def structure_bytes(row, size):
    """Offsets that are no member's data."""
    data = set()
    for _, at, n, _ in row["members"]:
        data.update(range(at, at + n))
    return [i for i in range(size) if i not in data]


def flips(whole, row):
    for at in structure_bytes(row, len(whole)):
        for value in sorted({whole[at] ^ 1 << bit for bit in range(8)} | {0, 0xff} - {whole[at]}):
            yield f"byte {at:#x} {whole[at]:#x} -> {value:#x}", whole[:at] + bytes([value]) + whole[at + 1:]


def test_where_readers_differ_a_flipped_byte_is_never_clean():
    tried = clean = 0
    for name in SOUND:
        whole = content(name)
        row = listed([os.path.join(CORPUS, "files", name)])[0]
        for what, data, got, path in variants_judged(list(flips(whole, row))):
            tried += 1
            if not is_clean(got):
                continue
            clean += 1
            assert by_us(got) == by_python(data), (name, what, by_us(got), by_python(data))
            assert same_names(by_unzip(path), got), (name, what, by_unzip(path))
    assert tried > 10000 and clean > 0, (tried, clean)
    print(f"# {tried} variants, {clean} of them clean and read alike by all")


def test_what_is_different_in_archives_of_weights():
    for profile, name, want in (
            ("plain", "sound-folder.zip", set()), ("torch", "sound-folder.zip", {"zip-directory-present"}),
            ("torch", "end-comment.zip", {"zip-comment-present", "zip-comment-forbidden"}),
            ("npz", "member-comment.zip", {"zip-comment-present", "zip-comment-forbidden"}),
            ("plain", "crc-zero.zip", {"zip-crc"}), ("npz", "crc-zero.zip", {"zip-crc"}),
            ("torch", "crc-zero.zip", {"zip-crc-absent"}), ("torch", "crc-wrong.zip", {"zip-crc"}),
            ("torch", "sound-empty-member.zip", set()), ("torch", "ratio-1000.zip", {"zip-ratio"}),
            ("npz", "ratio-1000.zip", {"zip-ratio-array"}), ("npz", "ratio-1000-in-parts.zip", set())):
        row = listed([os.path.join(CORPUS, "files", name)], profile)[0]
        assert {code for code, _ in row["codes"]} == want, (profile, name, row)


def test_the_corpus_says_what_python_makes_of_it():
    with open(os.path.join(CORPUS, "cases.jsonl"), encoding="utf-8") as f:
        for case in map(json.loads, f):
            read = by_python(content(case["file"]))
            got = "refuses" if read is None else "same" if read else "lists nothing"
            assert case["readers"] in (got, "varies"), (case["file"], got)


tap.main(globals())
