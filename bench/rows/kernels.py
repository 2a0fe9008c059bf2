"""Row 10: the non-finite kernels alone."""
from measure import Row, json_lines


def speed(bench):
    found = json_lines([bench.program("bench", "bench_kernels"), "0.01" if bench.smoke else "0.5"])
    for build, demand in (("baseline", 8), ("avx2", 20)):
        for op in ("any", "exact"):
            speeds = {f["dtype"]: f["gbps"] for f in found if f["build"] == build and f["op"] == op}
            if speeds:
                yield slowest(build, op, speeds, demand)


def slowest(build, op, speeds, demand):
    dtype = min(speeds, key=speeds.get)
    return Row(10, f"kernel {op}, {build}, slowest type ({dtype})", [speeds[dtype]], unit="GB/s", demand=demand,
               at_least=True, detail=speeds)
