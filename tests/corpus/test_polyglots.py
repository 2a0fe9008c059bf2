"""test_polyglots.py weighlock=EXE [count=N] [seed=N]: honest files are nothing but what they are.  Random ones of every host, N
of each: weights, zeros, constants, noise, text, in formats as their own libraries write them; and what repeats one byte costs
no more to identify than noise does."""
import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import random
import resource
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import joblib
import numpy

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK, COUNT, SEED = OPTIONS["weighlock"], int(OPTIONS.get("count", "60")), int(OPTIONS.get("seed", "20"))
NOTES = {"hdf5-signature-in-stored-member", "pdf-marker-no-objects", "markup-in-metadata"}
WORDS = ("model", "layers", "attn", "weight", "bias", "encoder", "mlp", "norm", "conv", "K", "Q", "embed", "2", "11", "head")


def content(rng, n):
    """n bytes as tensors have them."""
    kind = rng.randrange(8)
    noise = numpy.random.default_rng(rng.getrandbits(64))
    if kind == 0:
        return rng.randbytes(n)
    if kind == 1:
        return bytes(n)
    if kind == 2:
        return bytes([rng.randrange(256)]) * n
    if kind == 3:
        return noise.normal(0, 0.02, n // 4 + 1).astype("<f4").tobytes()[:n]
    if kind == 4:
        return noise.normal(0, 0.02, n // 2 + 1).astype("<f2").tobytes()[:n]
    if kind == 5:
        return (noise.normal(0, 0.02, n // 2 + 1).astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()[:n]
    if kind == 6:
        return noise.normal(0, 30, n).astype("i1").tobytes()
    return " ".join(rng.choice(WORDS) for _ in range(n // 4 + 1)).encode().ljust(n)[:n]


def size(rng):
    return int(2 ** rng.uniform(0, 17))


def name(rng):
    return ".".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6))) + str(rng.randrange(1000))


def array(rng):
    return numpy.frombuffer(content(rng, size(rng)), "u1")


def safetensors(rng):
    header, data = {}, b""
    if rng.random() < 0.5:
        header["__metadata__"] = {name(rng): content(rng, 50).decode("latin-1") for _ in range(rng.randrange(4))}
    for _ in range(rng.randint(0, 30)):
        part = content(rng, size(rng) // 8)
        header[name(rng)] = {"dtype": "U8", "shape": [len(part)], "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    data = data[:max([0] + [v["data_offsets"][1] for k, v in header.items() if k != "__metadata__"])]
    text = json.dumps(header, separators=rng.choice([(",", ":"), (", ", ": ")])).encode()
    text += b" " * rng.choice([-len(text) % 8, rng.randrange(2000)])
    return struct.pack("<Q", len(text)) + text + data


def npy(rng):
    out = io.BytesIO()
    numpy.save(out, array(rng))
    return out.getvalue()


def npz(rng):
    out = io.BytesIO()
    rng.choice([numpy.savez, numpy.savez_compressed])(out, **{name(rng): array(rng) for _ in range(rng.randint(1, 4))})
    return out.getvalue()


def plain_pickle(rng):
    value = {name(rng): rng.choice([array(rng), content(rng, size(rng)), rng.random(), name(rng)]) for _ in range(8)}
    return pickle.dumps(value, protocol=rng.randrange(6))


def joblib_dump(rng):
    out = io.BytesIO()
    joblib.dump({name(rng): array(rng)}, out)
    return out.getvalue()


def checkpoint(rng):
    part = content(rng, size(rng))
    n = struct.pack("<i", len(part))
    pickled = (b"\x80\x02}X\1\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nByteStorage\n"
               b"X\1\0\0\x000X\3\0\0\0cpuJ" + n + b"tQK\0J" + n + b"\x85K\1\x85\x89ccollections\nOrderedDict\n)RtRs.")
    return zip_of({"archive/data.pkl": pickled, "archive/data/0": part, "archive/version": b"3\n"})


def zip_of(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for key, value in members.items():
            z.writestr(key, value)
    return out.getvalue()


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for key, value in members.items():
            info = tarfile.TarInfo(key)
            info.size = len(value)
            t.addfile(info, io.BytesIO(value))
    return out.getvalue()


def members_of(rng):
    made = {f"{name(rng)}.{make.__name__}": make(rng)
            for make in (rng.choice([npy, npz, safetensors, plain_pickle, checkpoint]) for _ in range(rng.randint(1, 4)))}
    return made | ({"nested.zip": zip_of({"a.npy": npy(rng)})} if rng.random() < 0.3 else {})


def archive(rng):
    return tar_of(members_of(rng))


def packed(rng):
    data = rng.choice([npy, safetensors, plain_pickle, archive])(rng)
    return rng.choice([lambda d: gzip.compress(d, rng.choice([0, 6])), bz2.compress, lzma.compress])(data)


def zipped(rng):
    return zip_of(members_of(rng), rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))


def gguf(rng):
    def text(s):
        return struct.pack("<Q", len(s)) + s

    tokens = [rng.choice([b"<?php", b"%PDF-", b"PK\3\4", b"#!/bin/sh", b"obj", name(rng).encode()]) for _ in range(40)]
    part = content(rng, size(rng))
    out = b"GGUF" + struct.pack("<IQQ", 3, 1, 2) + text(b"general.architecture") + struct.pack("<I", 8) + text(b"llama")
    out += text(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, len(tokens)) + b"".join(map(text, tokens))
    out += text(b"w") + struct.pack("<IQIQ", 1, len(part), 24, 0)
    return out + bytes(-len(out) % 32) + part + bytes(-len(part) % 32)


HOSTS = {"safetensors": safetensors, "npy": npy, "npz": npz, "pkl": plain_pickle, "joblib": joblib_dump, "pt": checkpoint,
         "tar": archive, "gz": packed, "zip": zipped, "gguf": gguf}


def scan(folder):
    done = subprocess.run([WEIGHLOCK, "scan", "--format", "json", "--", folder], capture_output=True, timeout=3600, check=False)
    assert done.returncode in (0, 1, 2, 3), done
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_honest_files_are_nothing_else():
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        for extension, make in HOSTS.items():
            for i in range(COUNT):
                with open(os.path.join(folder, f"{i}.{extension}"), "wb") as f:
                    f.write(make(rng))
        verdicts = scan(folder)
        found = [(v["file"]["name"], f) for v in verdicts for f in v["findings"]
                 if f["code"].startswith("polyglot-") or f["code"] in NOTES]
        formats = {v["format"] for v in verdicts}
    print(f"# {len(verdicts)} files of {sorted(map(str, formats))}")
    assert len(verdicts) == COUNT * len(HOSTS)
    assert formats >= {"safetensors", "npy", "npz", "pickle", "joblib", "pytorch", "tar", "zip", "gguf"}, formats
    assert not found, found[:5]


def seconds_of(contents):
    """Processor time of the scan of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for i, data in enumerate(contents):
            with open(os.path.join(folder, str(i)), "wb") as f:
                f.write(data)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert len(scan(folder)) == 256
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_what_repeats_a_byte_is_identified_as_cheaply_as_noise():
    """64 KiB of newlines once took 0.6 s.  Ten times the cost of noise (a few ms, most of it the process) is still little."""
    rng, n = random.Random(1), 64 << 10
    noise = seconds_of(rng.randbytes(n) for _ in range(256))
    repeated = seconds_of(bytes([b]) * n for b in range(256))
    lines = seconds_of((s * n)[:n] for s in (b"\n", b" ", b"[", b" \n", b"\t", b"{", b"#\n", b"0") for _ in range(32))
    print(f"# noise {noise:.2f} s, each byte {repeated:.2f} s, white space and brackets {lines:.2f} s")
    assert repeated < 10 * noise and lines < 10 * noise, (noise, repeated, lines)


tap.main(globals())
