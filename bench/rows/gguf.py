"""Row 12: quantised models beside `openssl dgst -sha256`: scales stand between elements that nobody has to look at."""
import functools
import os

import inputs
from measure import Row, in_turn, ratios

from rows import large


def scans(bench):
    """Finite scales are what files have; all of them NaN is the worst a file can do to the kernels."""
    mib = bench.size(2048, 8)
    vocabulary = bench.size(inputs.VOCABULARY, 100)
    path = bench.path("model.gguf")
    for dtype in ("Q4_K", "Q6_K", "Q4_0", "MXFP4"):
        for nan, demand in ((False, 1.05), (True, 1.15)):
            scales = inputs.gguf_model(path, dtype, mib, nan, vocabulary)
            large.expect(bench, path, scales if nan else 0)
            turns = in_turn([functools.partial(large.openssl, path), functools.partial(large.scan, bench, path)],
                            bench.pairs)
            yield Row(12, f"scan {mib} MiB {dtype}, {'every scale NaN' if nan else 'finite'} / openssl dgst",
                      ratios(turns, 1, 0), demand=demand, aim=1.0, detail={"cpu": ratios(turns, 1, 0, "cpu")})
            os.unlink(path)
