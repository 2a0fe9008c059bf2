"""Row 15: Flax checkpoints beside `openssl dgst -sha256`: arrays that stand anywhere, behind headers of their own."""
import functools
import os

import inputs
from measure import Row, in_turn, ratios

from rows import large


def scans(bench):
    mib = bench.size(1024, 8)
    path = bench.path("model.msgpack")
    for dtype in inputs.FLAX_TYPES:
        inputs.flax_model(path, dtype, mib)
        large.expect(bench, path, 0)
        turns = in_turn([functools.partial(large.openssl, path), functools.partial(large.scan, bench, path)],
                        bench.pairs)
        yield Row(15, f"scan {mib} MiB {dtype} in a Flax checkpoint / openssl dgst", ratios(turns, 1, 0), demand=1.10,
                  aim=1.0, detail={"cpu": ratios(turns, 1, 0, "cpu")})
        os.unlink(path)
