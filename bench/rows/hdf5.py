"""Row 16: HDF5 files beside `openssl dgst -sha256`: the weights of a model, each in one run."""
import functools
import os

import inputs
from measure import Row, in_turn, ratios

from rows import large


def scans(bench):
    mib = bench.size(1024, 8)
    path = bench.path("model.h5")
    for nan in (False, True):
        inputs.hdf5_model(path, mib, nan)
        large.expect(bench, path, mib * inputs.MIB // 4 if nan else 0)
        turns = in_turn([functools.partial(large.openssl, path), functools.partial(large.scan, bench, path)],
                        bench.pairs)
        yield Row(16, f"scan {mib} MiB HDF5, {'every weight NaN' if nan else 'finite'} / openssl dgst",
                  ratios(turns, 1, 0), demand=1.10, aim=1.0, detail={"cpu": ratios(turns, 1, 0, "cpu")})
        os.unlink(path)
