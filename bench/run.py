#!/usr/bin/python3
"""bench/run.py BUILD [--pairs N] [--mib N] [--json FILE]: weighlock beside what users run anyway.

Every measurement is paired with its peer in one run (A B A B ...), and judged by the median of the ratios: absolute
times move with whatever else the machine does.  Inputs are made here, deterministic, in a scratch folder.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

DTYPES = {"BF16": 2, "F32": 4, "F16": 2, "F64": 8, "F8_E4M3": 1, "F8_E5M2": 1}


def finite_block(dtype, n):
    """n bytes of finite elements: random bytes with one exponent bit cleared."""
    data = bytearray(random.Random(f"{dtype}").randbytes(n))
    width = DTYPES[dtype]
    data[width - 1::width] = bytes(b & 0xBF for b in data[width - 1::width])
    return bytes(data)


def make_model(path, dtype, mib):
    size = mib << 20
    tensors = 8
    header = {}
    for i in range(tensors):
        header[f"layer.{i}.weight"] = {"dtype": dtype, "shape": [size // tensors // DTYPES[dtype]],
                                       "data_offsets": [i * (size // tensors), (i + 1) * (size // tensors)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    block = finite_block(dtype, 1 << 20)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _ in range(mib):
            f.write(block)


def seconds(command):
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    took = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{command[0]} exited {done.returncode}: {done.stderr.decode(errors='replace')[-400:]}")
    return took


def paired(ours, peer, pairs):
    for command in (ours, peer):
        seconds(command)  # warm the page cache and the loader
    return [seconds(ours) / seconds(peer) for _ in range(pairs)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--mib", type=int, default=1024, help="size of each model")
    parser.add_argument("--json", help="also write the table here")
    parser.add_argument("dtypes", nargs="*", default=list(DTYPES))
    args = parser.parse_args()
    weighlock = os.path.join(args.build, "cli", "weighlock")
    scratch = tempfile.mkdtemp(prefix="weighlock-bench-")
    rows = []
    print(f"{'measure':44} {'median':>7} {'min':>7} {'max':>7}")
    try:
        for dtype in args.dtypes:
            model = os.path.join(scratch, "model.safetensors")
            make_model(model, dtype, args.mib)
            ratios = paired([weighlock, "scan", "-q", "--no-progress", model], ["openssl", "dgst", "-sha256", model], args.pairs)
            row = {"measure": f"scan {args.mib} MiB {dtype} / openssl dgst -sha256", "median": statistics.median(ratios),
                   "min": min(ratios), "max": max(ratios), "pairs": args.pairs}
            rows.append(row)
            print(f"{row['measure']:44} {row['median']:7.3f} {row['min']:7.3f} {row['max']:7.3f}", flush=True)
    finally:
        shutil.rmtree(scratch)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)


main()
