"""Rows 6 and 7: small files, where a fresh process a file is the price; beside what the kernel charges for one."""
import functools
import json
import os
import shutil
import struct

import service
from measure import Row, in_turn, json_lines

from rows import large

FILE_BYTES = 5 * 1024
IN_FLIGHT = 4
PAUSE_US = 2000  # between requests of row 7: the daemon is idle when the next one comes


def small_model(path, i):
    """5 KB: 24 tensors of 64 BF16, different from file to file."""
    tensors = {f"layer.{j}.weight": {"dtype": "BF16", "shape": [8, 8], "data_offsets": [j * 128, (j + 1) * 128]}
               for j in range(24)}
    text = json.dumps(tensors).encode()
    data = struct.pack("<I", i) * (24 * 32)
    text += b" " * (FILE_BYTES - 8 - len(text) - len(data))
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def forks(bench, count, k):
    return json_lines([bench.program("bench", "bench_bare"), "fork", str(count), str(k)])[0]["per_second"]


def scans(bench, folder, count):
    return count / large.scan(bench, folder, "-j", str(IN_FLIGHT)).wall


def requests(bench, socket, path, count, k, pause_us):
    return json_lines([bench.program("bench", "bench_client"), socket, path, str(count), str(k), str(pause_us)])[0]


def throughput(bench):
    """Row 6."""
    count = bench.size(4000, 8)
    folder = bench.path("small")
    os.mkdir(folder)
    for i in range(count):
        small_model(os.path.join(folder, f"{i}.safetensors"), i)
    one = os.path.join(folder, "0.safetensors")
    with service.weighlockd(bench):
        turns = in_turn([functools.partial(forks, bench, count, 1), functools.partial(forks, bench, count, IN_FLIGHT),
                         functools.partial(scans, bench, folder, count),
                         lambda: requests(bench, bench.socket, one, count, IN_FLIGHT, 0)["per_second"]], bench.pairs)
    shutil.rmtree(folder)
    for column, who in ((2, "`weighlock scan -j 4`"), (3, "4 clients of the daemon")):
        yield Row(6, f"5 KB files, {who} / forks one by one", [t[column] / t[0] for t in turns], at_least=True,
                  demand=0.4, aim=0.6, detail={"scans_per_second": [t[column] for t in turns]})
        yield Row(6, f"5 KB files, {who} / forks 4 at a time", [t[column] / t[1] for t in turns], at_least=True,
                  detail={"forks_per_second": [t[1] for t in turns]})


def latency(bench):
    """Row 7."""
    count = bench.size(500, 8)
    path = bench.path("small.safetensors")
    small_model(path, 0)
    with service.weighlockd(bench), service.bare(bench):
        turns = in_turn([functools.partial(requests, bench, bench.socket, path, count, 1, PAUSE_US),
                         functools.partial(requests, bench, bench.path("bare.sock"), path, count, 1, PAUSE_US)],
                        bench.pairs)
    for quantile in ("p50", "p99"):
        key = f"{quantile}_us"
        yield Row(7, f"one 5 KB verdict over the socket, {quantile} / bare", [a[key] / b[key] for a, b in turns],
                  demand=5, aim=3,
                  detail={"ours_us": [a[key] for a, _ in turns], "bare_us": [b[key] for _, b in turns]})
