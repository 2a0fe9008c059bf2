"""Rows 3 and 9: through the daemon, and the memory of its processes."""
import functools
import json
import os
import sys

import inputs
import service
from measure import Row, in_turn, ratios, run

from rows import large

MIB = inputs.MIB


def scan_by_daemon(bench, path):
    return run([bench.weighlock, "scan", "-q", "--no-progress", "--socket", bench.socket, path])


def upload(bench, path):
    done = run(["curl", "-sS", "--fail", "--unix-socket", bench.socket, "-H", "Expect:", "-T", path,
                "http://localhost/v1/scan/model.safetensors"])
    if json.loads(done.out)["verdict"] != "accept":
        sys.exit(f"bench: not accepted: {done.out[:600]}")
    return done


def through_daemon(bench):
    """Row 3."""
    mib = bench.size(2048, 8)
    path = bench.path("finite.safetensors")
    inputs.finite_model(path, "BF16", mib)
    with service.weighlockd(bench):
        turns = in_turn([functools.partial(large.scan, bench, path), functools.partial(scan_by_daemon, bench, path),
                         functools.partial(upload, bench, path)], bench.pairs)
    os.unlink(path)
    yield Row(3, f"{mib} MiB, descriptor passed to the daemon / scanned here", ratios(turns, 1, 0),
              demand=1.05, aim=1.0)
    yield Row(3, f"{mib} MiB, uploaded with curl / scanned here", ratios(turns, 2, 0), demand=2.9, aim=1.8)


def peaks(bench):
    """Row 9.  Command, zygote and worker are waited for, so the largest of them is what wait4(2) tells; the front
    is asked while it lives."""
    mib = bench.size(4096, 16)
    path = bench.path("sparse.safetensors")
    inputs.sparse_model(path, mib)
    worker = large.scan(bench, path)
    with service.weighlockd(bench) as monitor:
        upload(bench, path)
        fronts = service.children_named(monitor, "weighlockd")
        if len(fronts) != 1:
            sys.exit(f"bench: {len(fronts)} fronts")
        front = service.peak_bytes(fronts[0])
    os.unlink(path)
    yield Row(9, f"peak of command, zygote and worker, {mib} MiB", [worker.peak / MIB], unit="MiB", demand=64)
    yield Row(9, f"peak of the front, {mib} MiB uploaded", [front / MIB], unit="MiB", demand=32)
