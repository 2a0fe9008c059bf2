"""What loading costs: accepted files load within 1 GiB and 5 s of CPU, by the C unpickler and by the one in Python; the
attacks, grown to a megabyte where they need the room, do not, and are never accepted."""
import importlib.util
import json
import os
import random

import child
import ours
import tap

FOLDER = os.path.join(ours.CORPUS, "pickle-cost")
SETUP = "import pickle, io"
READERS = {"C": "value = None\npickle.loads(data)", "Python": "value = None\npickle._loads(data)"}
LIMITS = child.Limits(memory_bytes=1024 * child.MIB, cpu_s=5, wall_s=60)


def builders():
    spec = importlib.util.spec_from_file_location("pickle_cost", os.path.join(FOLDER, "make.py"))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


MADE = builders()


def servers():
    for loader in child.LOADERS:
        if os.path.exists(loader.python):
            for reader, case in READERS.items():
                yield f"{loader}, {reader}", child.Server(loader, SETUP, case, limits=LIMITS)


def small(result):
    return result.status == 0 and not result.timed_out and not result.error.startswith("MemoryError")


def expect_small(named):
    """Whatever it does, it ends in time and within memory; what needs torch is not here."""
    tested = 0
    for who, server in servers():
        with server:
            for name, content in named:
                result = server.run(content)
                assert small(result), (who, name, result.error, result.status, result.peak_bytes)
                tested += 1
    if not tested:
        raise tap.Skip("no interpreter")


def needs_torch(content):
    return b"ctorch" in content


def test_accepted_files_of_the_corpora_load_in_time():
    named = []
    for path in [p for corpus in ("pickle-cost", "pickle-rules", "pickle") for p, _ in ours.accepted(corpus)]:
        with open(path, "rb") as f:
            content = f.read()
        if path.endswith((".pkl", ".pickle")) and not needs_torch(content):
            named.append((os.path.basename(path), content))
    assert len(named) > 40, len(named)
    expect_small(named)


def grown():
    """Of a megabyte at most."""
    m, nones = MADE, MADE.listed([MADE.NONE] * 20000)
    numbers = m.listed([m.integer(256 + i) for i in range(6000)])
    reach = m.name("builtins", "range") + m.integer(2) + m.integer(10**9) + m.TUPLE2 + m.REDUCE
    yield "list", m.again("builtins", "list", nones, 60000)
    yield "set", m.again("builtins", "set", numbers, 60000)
    yield "bytearray", m.again("builtins", "bytearray", m.data(bytes(65536)), 60000)
    yield "OrderedDict", m.again("collections", "OrderedDict", m.keyed([m.integer(256 + i) for i in range(6000)]), 60000)
    yield "pairs", m.stream(m.name("builtins", "dict"), m.listed([reach]), m.TUPLE1, m.REDUCE)
    yield "slice", m.stream(m.listed([m.NONE]), m.name("builtins", "slice") + m.NONE + m.TUPLE1 + m.REDUCE, reach, m.SETITEM)
    yield "keys", m.stream(m.keyed(m.colliding(75000)))
    yield "elements", m.stream(m.SET + m.MARK + b"".join(m.colliding(80000)) + m.ADDITEMS)
    yield "tuple", m.stream(m.MARK + m.NONE * 300000 + b"t", m.put(0), m.POP, m.DICT, m.MARK, (m.get(0) + m.NONE) * 200000,
                            m.SETITEMS)
    doubled = m.text("x") + m.TUPLE1 + m.put(0) + m.POP + (m.get(0) + m.get(0) + m.TUPLE2 + m.put(0) + m.POP) * 60
    yield "doubled", m.stream(doubled, m.DICT, m.get(0), m.NONE, m.SETITEM)


def test_attacks_are_what_they_are_said_to_be():
    child.need(child.DEBIAN)
    attacks = list(grown())
    verdicts = list(ours.judged([content for _, content in attacks], ".pkl"))
    for (name, _), (_, _, verdict) in zip(attacks, verdicts):
        assert verdict["verdict"] == ("review" if name == "doubled" else "reject"), (name, verdict)
    with child.Server(child.DEBIAN, SETUP, READERS["C"], limits=LIMITS) as server:
        for name, content in attacks:
            assert len(content) <= 1 << 20, name
            assert not small(server.run(content)), name


def random_calls(rng):
    """Shared containers, constants and callees by chance: whatever of it we accept has to load."""
    m, items = MADE, rng.choice([10, 100, 1000, 5000])
    shared = rng.choice([
        lambda: m.listed([m.NONE] * items), lambda: m.data(bytes(items * 8)), lambda: m.text("x" * items),
        lambda: m.listed([m.integer(rng.randrange(2**rng.choice([8, 32, 60, 70, 200]))) for _ in range(items)]),
        lambda: m.keyed([m.integer(rng.randrange(2**rng.choice([8, 32, 60]))) for _ in range(items)]),
        lambda: m.listed([m.integer(i) + m.NONE + m.TUPLE2 for i in range(items)]),
        lambda: m.keyed(m.colliding(items))])()
    module, callee = rng.choice([("builtins", c) for c in ("list", "tuple", "set", "frozenset", "dict", "bytes", "bytearray",
                                                           "slice", "complex", "range", "int")] +
                                [("collections", c) for c in ("OrderedDict", "Counter", "deque")] +
                                [("types", "SimpleNamespace"), ("pathlib", "PurePosixPath"), ("decimal", "Decimal")])
    return m.again(module, callee, shared, rng.choice([1, 10, 100, 1000, 20000]))


def test_what_is_accepted_of_random_calls_loads_in_time():
    child.need(child.DEBIAN)
    rng = random.Random(int(ours.OPTIONS.get("seed", 13)))
    contents = [random_calls(rng) for _ in range(ours.share("cost", 300))]
    taken = [(i, content) for i, (_, content, v) in enumerate(ours.judged(contents, ".pkl")) if v["verdict"] == "accept"]
    assert len(taken) > len(contents) / 5, len(taken)
    with child.Server(child.DEBIAN, SETUP, READERS["C"], limits=LIMITS) as server:
        for i, content in taken:
            result = server.run(content)
            assert small(result), (i, result.error, result.status, content[:60])


def test_the_list_says_what_the_corpus_holds():
    with open(os.path.join(FOLDER, "cases.jsonl"), encoding="utf-8") as f:
        expected = {row["file"]: row["expect"] for row in map(json.loads, f)}
    taken = {os.path.basename(p) for p, _ in ours.accepted("pickle-cost")}
    assert taken == {name for name, expect in expected.items() if expect == ["accept"]}


if __name__ == "__main__":
    tap.main(globals())
