"""Rows 4 and 5: the safetensors header beside two JSON libraries that check less."""
from measure import Row, json_lines


def turns(bench, tensors, order):
    command = [bench.program("bench", "bench_header"), "time", str(tensors), order, str(bench.pairs + 1)]
    return json_lines(command)[1:]


def parsing(bench):
    """Row 4."""
    for tensors in (10, 1000) if bench.smoke else (10, 1000, 100_000, 1_000_000):
        for order in ("ordered", "shuffled"):
            yield from parsing_one(turns(bench, tensors, order), tensors, order)


def parsing_one(rounds, tensors, order):
    name = f"header of {tensors} tensors, {order}"
    yield Row(4, f"{name}: ours", [r["ours"] for r in rounds], unit="ns/tensor",
              aim=100 if tensors == 1_000_000 else None)
    yield Row(4, f"{name} / jansson", [r["ours"] / r["jansson"] for r in rounds], demand=1 / 20,
              detail={"jansson_ns": [r["jansson"] for r in rounds]})
    if rounds[0]["simdjson"] > 0:
        yield Row(4, f"{name} / simdjson", [r["ours"] / r["simdjson"] for r in rounds], demand=1.5,
                  detail={"simdjson_ns": [r["simdjson"] for r in rounds]})


def memory(bench):
    """Row 5: above the header's own bytes."""
    tensors = 1000 if bench.smoke else 1_000_000
    for who, demand, aim in (("ours", 100, 60), ("jansson", None, None)):
        found = json_lines([bench.program("bench", "bench_header"), "memory", str(tensors), who])
        yield Row(5, f"memory above a header of {tensors} tensors, {who}", [f["extra_bytes"] / 1e6 for f in found],
                  unit="MB", demand=demand, aim=aim)
