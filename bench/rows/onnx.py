"""Row 14: an ONNX model beside `openssl dgst -sha256`: its structure is walked before the pass, around the weights."""
import functools
import os

import inputs
from measure import Row, in_turn, ratios

from rows import large


def scans(bench):
    mib = bench.size(1024, 8)
    path = bench.path("model.onnx")
    for nan in (False, True):
        inputs.onnx_model(path, mib, nan, nodes=bench.size(20_000, 100))
        large.expect(bench, path, mib * inputs.MIB // 4 if nan else 0)
        turns = in_turn([functools.partial(large.openssl, path), functools.partial(large.scan, bench, path)],
                        bench.pairs)
        yield Row(14, f"scan {mib} MiB ONNX, {'every weight NaN' if nan else 'finite'} / openssl dgst",
                  ratios(turns, 1, 0), demand=1.10, aim=1.0, detail={"cpu": ratios(turns, 1, 0, "cpu")})
        os.unlink(path)
