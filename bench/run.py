#!/usr/bin/python3
"""bench/run.py BUILD: weighlock beside what people run anyway, and beside what the kernel alone would take.

Makes its own inputs in a scratch folder on the disk and removes it, also when interrupted.  Every measurement
is made in turn with its peer (A B A B ...) and judged by the median of the ratios; see docs/performance.md.
"""
import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import table
from rows import configs, daemon, fairness, flax, gguf, hdf5, header, kernels, large, onnx, pickles, polyglots, small

# What each makes rows of; rows 1 and 2 share their inputs and reference runs.
SUBJECTS = [({1, 2}, large.scans), ({3}, daemon.through_daemon), ({4}, header.parsing), ({5}, header.memory),
            ({6}, small.throughput), ({7}, small.latency), ({8}, large.shards), ({9}, daemon.peaks),
            ({10}, kernels.speed), ({11}, pickles.walking), ({12}, gguf.scans), ({13}, polyglots.stage),
            ({14}, onnx.scans), ({15}, flax.scans), ({16}, hdf5.scans), ({17}, fairness.beside_hostile), ({18}, configs.judging)]
ALL_ROWS = set().union(*(rows for rows, _ in SUBJECTS))


class Bench:
    """What every row needs: the programs, a scratch folder, and how much of everything."""

    def __init__(self, args, scratch):
        self.build, self.scratch, self.smoke = args.build, scratch, args.smoke
        self.pairs = 1 if args.smoke else args.pairs
        self.socket = self.path("weighlock.sock")
        self.weighlock = self.program("cli", "weighlock")

    def program(self, *parts):
        return os.path.join(self.build, *parts)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def size(self, real, smoke):
        return smoke if self.smoke else real


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
    return names[0] if names else platform.machine()


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def machine():
    with open("/proc/meminfo", encoding="ascii") as f:
        memory = int(f.readline().split()[1]) // 1024
    return {"cpu": cpu_model(), "cores": len(os.sched_getaffinity(0)), "memory_mib": memory,
            "kernel": platform.release(), "openssl": output_of("openssl", "version"),
            "date": time.strftime("%Y-%m-%d", time.gmtime())}


def rows_argument(text):
    rows = {int(word) for word in text.split(",")}
    if not rows <= ALL_ROWS:
        raise ValueError(text)
    return rows


def arguments():
    parser = argparse.ArgumentParser(description="measure weighlock beside its peers")
    parser.add_argument("build", help="build folder")
    parser.add_argument("--rows", type=rows_argument, default=ALL_ROWS, help="for example 1,4; default: all")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs after the one that warms up (5)")
    parser.add_argument("--smoke", action="store_true", help="tiny inputs, one pair, nothing judged")
    parser.add_argument("--json", metavar="FILE", help="write the rows here too")
    parser.add_argument("--write", metavar="FILE", help="put the table between the marks of this file")
    parser.add_argument("--scratch", default="/var/tmp", help="on a disk with 8 GiB to spare (/var/tmp)")
    return parser.parse_args()


def measure(bench, wanted):
    found = []
    for rows, subject in SUBJECTS:
        if not rows & wanted:
            continue
        for row in subject(bench):
            if row.row not in wanted:
                continue
            found.append(row.as_dict())
            print(table.line(found[-1], judged=not bench.smoke), flush=True)
    return found


def main():
    args = arguments()
    # Both so that what is below is undone; SIGINT is ignored in what a script's shell puts in the background.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    result = {"machine": machine(), "pairs": args.pairs, "smoke": args.smoke}
    result["load_before"] = os.getloadavg()[0]
    start = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="weighlock-bench-", dir=args.scratch)
    os.chmod(scratch, 0o711)  # weighlockd started as root must reach its spool in it as somebody else
    print(table.heading())
    try:
        result["rows"] = measure(Bench(args, scratch), args.rows)
    finally:
        shutil.rmtree(scratch)
    result |= {"load_after": os.getloadavg()[0], "seconds": round(time.monotonic() - start)}
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
    if args.write:
        table.write(args.write, result)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
