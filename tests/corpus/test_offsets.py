"""One meaning of an offset: `offset` is a byte of the file, `member_offset` one of what `member` decodes to.  Where a finding
names an opcode, that opcode stands there, in every container.

    test_offsets.py weighlock=COMMAND"""
import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import pickletools
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
CODES = {op.name: op.code.encode("latin-1") for op in pickletools.opcodes}


class Call:
    def __reduce__(self):
        return print, ("a text that is found again",) * 3


def zipped(data, method=zipfile.ZIP_STORED, name="x.pkl"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr("first", b"{}")
        z.writestr(name, data)
    return out.getvalue()


def tarred(data):
    out, info = io.BytesIO(), tarfile.TarInfo("x.pkl")
    info.size = len(data)
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def checkpoint(data, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr("m/data.pkl", data)
        z.writestr("m/version", b"3\n")
    return out.getvalue()


DEFLATED = zipfile.ZIP_DEFLATED


def cases():
    for protocol in (0, 2, 4):
        data = pickle.dumps({"a": [1, 2], "b": Call()}, protocol)
        yield "plain.pkl", data, data, False
        yield "stored.zip", zipped(data), data, False
        yield "deflated.zip", zipped(data, DEFLATED), data, True
        yield "twice.zip", zipped(zipped(data), DEFLATED, "inner.zip"), data, True
        yield "within.zip", zipped(zipped(data, DEFLATED), name="inner.zip"), data, True
        yield "stored.tar", tarred(data), data, False
        yield "gzip.tar.gz", gzip.compress(tarred(data)), data, True
        yield "gzip.pkl.gz", gzip.compress(data), data, True
        yield "bzip2.pkl.bz2", bz2.compress(data), data, True
        yield "xz.pkl.xz", lzma.compress(data), data, True
        yield "zlib.joblib", zlib.compress(data), data, True
        yield "stored.pt", checkpoint(data, zipfile.ZIP_STORED), data, False
        yield "deflated.pt", checkpoint(data, DEFLATED), data, True


def scan(folder):
    out = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", "--no-progress", folder], capture_output=True,
                         timeout=120)
    verdicts = [json.loads(line) for line in out.stdout.splitlines()]
    return {v["file"]["name"]: v for v in verdicts if "file" in v}


def test_an_opcode_stands_where_its_finding_says():
    for number, (name, data, content, coded) in enumerate(cases()):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "wb") as f:
                f.write(data)
            verdict = scan(folder)[path]
        named = [f for f in verdict["findings"] if f.get("found") in CODES]
        called = [f for f in verdict["findings"] if f["code"].startswith("pickle-")]
        assert called, (name, verdict)
        for f in named + called:
            case = (number, name, f)
            assert ("member_offset" in f) == coded and ("offset" in f) != coded, case
            assert "member" in f or not coded, case
            assert ("of what the member holds" in f["message"]) == coded, case
        for f in named:
            whole, at = (content, f["member_offset"]) if coded else (data, f["offset"])
            assert whole[at:at + 1] == CODES[f["found"]], (number, name, f)


def test_no_offset_lies_beyond_its_file():
    with tempfile.TemporaryDirectory() as folder:
        big = zipped(pickle.dumps(["x" * 200000, Call()], 2), DEFLATED)
        path = os.path.join(folder, "big.zip")
        with open(path, "wb") as f:
            f.write(big)
        findings = scan(folder)[path]["findings"]
        sarif = json.loads(subprocess.run([OPTIONS["weighlock"], "scan", "--format", "sarif", folder], capture_output=True,
                                          timeout=120).stdout)
    assert any(f.get("member_offset", 0) > len(big) for f in findings), findings
    assert all(f.get("offset", 0) <= len(big) for f in findings), findings
    results = sarif["runs"][0]["results"]
    regions = [r["locations"][0]["physicalLocation"]["region"] for r in results]
    assert regions and all(r.get("byteOffset", 0) <= len(big) for r in regions), regions


tap.main(globals())
