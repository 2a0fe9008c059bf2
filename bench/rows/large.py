"""Rows 1, 2 and 8: large files beside `openssl dgst -sha256`, what people run anyway."""
import functools
import json
import os
import shutil
import sys

import inputs
from measure import Row, in_turn, ratios, run


def scan(bench, path, *options, ok=(0, 1)):
    return run([bench.weighlock, "scan", "-q", "--no-progress", *options, path], ok)


def openssl(path):
    return run(["openssl", "dgst", "-sha256", path])


def expect(bench, path, nans):
    """What is about to be measured is a whole, right verdict."""
    verdict = json.loads(run([bench.weighlock, "scan", "--format", "json", path], (0, 1)).out)
    if not verdict["complete"] or verdict["weights"]["nan"] != nans:
        sys.exit(f"bench: not the verdict expected of {path}: {json.dumps(verdict)[:600]}")


def scan_last_nan(bench, path, dtype):
    with inputs.last_element_nan(path, dtype):
        return scan(bench, path)


def prepare(bench, dtype, mib):
    finite, nan = bench.path("finite.safetensors"), bench.path("nan.safetensors")
    inputs.finite_model(finite, dtype, mib)
    inputs.nan_model(nan, dtype, mib)
    expect(bench, finite, 0)
    expect(bench, nan, mib * inputs.MIB // inputs.WIDTHS[dtype])
    with inputs.last_element_nan(finite, dtype):
        expect(bench, finite, 1)
    return finite, nan


def scans(bench):
    """Rows 1 and 2.  One reference serves the three scans of a turn: hashing does not depend on the content."""
    mib = bench.size(2048, 8)
    for dtype in inputs.WIDTHS:
        finite, nan = prepare(bench, dtype, mib)
        turns = in_turn([functools.partial(openssl, finite), functools.partial(scan, bench, finite),
                         functools.partial(scan_last_nan, bench, finite, dtype),
                         functools.partial(scan, bench, nan)], bench.pairs)
        for row, variant, what, demand in ((1, 1, "finite", 1.05), (2, 2, "last element NaN", 1.05),
                                           (2, 3, "every element NaN", 1.15)):
            yield Row(row, f"scan {mib} MiB {dtype}, {what} / openssl dgst", ratios(turns, variant, 0),
                      demand=demand, aim=1.0, detail={"cpu": ratios(turns, variant, 0, "cpu")})
        os.unlink(nan)
    os.unlink(finite)


def shards(bench):
    """Row 8."""
    mib = bench.size(512, 2)
    folder = bench.path("shards")
    os.mkdir(folder)
    one = os.path.join(folder, "shard-0.safetensors")
    inputs.finite_model(one, "BF16", mib)
    for i in range(1, 8):
        shutil.copyfile(one, os.path.join(folder, f"shard-{i}.safetensors"))
    os.sync()
    turns = in_turn([functools.partial(scan, bench, folder), functools.partial(scan, bench, one)], bench.pairs)
    shutil.rmtree(folder)
    yield Row(8, f"folder of 8 x {mib} MiB on {os.cpu_count()} cores / one shard", ratios(turns, 0, 1),
              demand=4.4, aim=4.1)
