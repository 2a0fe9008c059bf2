"""Every format in every container: files of the corpora, compressed or packed up, are judged, whatever comes out.  A scan that
ends short of a whole file says what it did not examine; else the verdict would be an error, with the cause worker-protocol.

    test_wrapped.py weighlock=COMMAND corpus=FOLDER [every=N]

The gate takes every 24th file of each corpus; every=1 takes all."""
import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
EVERY = int(OPTIONS.get("every", 24))
BYTES_MAX = 100_000


def zipped(data, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr("member", data)
    return out.getvalue()


def tarred(data):
    out, info = io.BytesIO(), tarfile.TarInfo("member")
    info.size = len(data)
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()


WRAPPERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lambda d: lzma.compress(d, preset=0),
            "lzma": lambda d: lzma.compress(d, lzma.FORMAT_ALONE, preset=0), "zlib": zlib.compress, "zip": zipped,
            "deflated.zip": lambda d: zipped(d, zipfile.ZIP_DEFLATED), "tar": tarred,
            "tar.gz": lambda d: gzip.compress(tarred(d))}


def samples():
    for corpus in sorted(os.listdir(OPTIONS["corpus"])):
        files = os.path.join(OPTIONS["corpus"], corpus, "files")
        names = sorted(n for n in os.listdir(files) if os.path.isfile(os.path.join(files, n))) if os.path.isdir(files) else []
        for name in names[::EVERY]:
            path = os.path.join(files, name)
            if not os.path.islink(path) and os.path.getsize(path) <= BYTES_MAX:
                with open(path, "rb") as f:
                    yield f"{corpus}--{name}"[:150], f.read()


def verdicts_of(folder):
    paths = sorted(os.path.join(folder, n) for n in os.listdir(folder))
    for i in range(0, len(paths), 2000):
        some = paths[i:i + 2000]
        done = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", "--", *some], capture_output=True, timeout=300,
                              check=False)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(rows) == len(some), done.stderr[-1000:]
        yield from zip(some, rows)


def test_no_format_in_any_container_is_an_error():
    with tempfile.TemporaryDirectory() as folder:
        count = 0
        for name, data in samples():
            for ending, wrap in WRAPPERS.items():
                with open(os.path.join(folder, f"{name}.{ending}"), "wb") as f:
                    f.write(wrap(data))
                count += 1
        assert count > 1000, count
        wrong = [(os.path.basename(p), v.get("cause")) for p, v in verdicts_of(folder) if v["verdict"] == "error"]
    assert not wrong, (len(wrong), wrong[:5])


tap.main(globals())
