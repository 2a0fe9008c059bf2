"""Row 13: what looking for polyglots adds to a scan: the engine with and without that stage, in turn, in one process.
No peer: nobody else looks."""
import os
import struct

from measure import Row, json_lines

from rows import small

DEMAND_LARGE, DEMAND_SMALL_US = 1.03, 300


def large_model(path, size):
    """One tensor of random BF16, finite."""
    header = b'{"w":{"dtype":"BF16","shape":[%d],"data_offsets":[0,%d]}}' % (size // 2, size)
    header += b" " * (-len(header) % 8)
    block = bytearray(os.urandom(1 << 20))
    block[1::2] = bytes(b & 0xBE for b in block[1::2])  # no exponent of ones
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(header)) + header)
        for at in range(0, size, len(block)):
            f.write(block[:min(len(block), size - at)])


def rounds(bench, path, scans, count):
    return json_lines([bench.program("bench", "bench_polyglots"), path, str(scans), str(count)])


def stage(bench):
    """Row 13."""
    path = bench.path("polyglots.safetensors")
    for size, scans in ((bench.size(256 << 20, 1 << 20), bench.size(2, 1)), (bench.size(4 << 20, 1 << 16), bench.size(40, 1))):
        large_model(path, size)
        found = rounds(bench, path, scans, bench.pairs * 2)
        yield Row(13, f"{size >> 10} KiB, scan / scan without the polyglot stage", [f["with"] / f["without"] for f in found],
                  demand=DEMAND_LARGE if size > 64 << 20 or bench.smoke else None,
                  detail={"with_ms": [f["with"] * 1e3 for f in found]})
    small.small_model(path, 0)
    found = rounds(bench, path, bench.size(4000, 20), bench.pairs * 2)
    yield Row(13, "5 KB, added by the polyglot stage", [max(0.001, (f["with"] - f["without"]) * 1e6) for f in found], unit="us",
              demand=DEMAND_SMALL_US, detail={"with_ms": [f["with"] * 1e3 for f in found]})
    os.remove(path)
