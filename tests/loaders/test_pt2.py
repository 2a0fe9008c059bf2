"""torch.export.load() beside us: attacks act in it and are rejected; what we accept of mutants opens, or is refused for its graph,
and never acts."""
import json
import os
import random
import sys
import zipfile

import child
import ours
import tap

sys.path.insert(0, os.path.join(ours.SOURCE, "tests", "support"))
from torch_writer import archive  # noqa: E402 pylint: disable=wrong-import-position

FILES = os.path.join(ours.CORPUS, "pt2", "files")
CASES = ours.share("pt2", 60)
SEED = 20261123
GRAPH = "SpecViolationError"    # what the graph says of its weights, and the configuration does not
LIMITS = child.Limits(memory_bytes=2 << 30, cpu_s=20)
SETUP = """
import io, logging, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import torch, torch.export
"""
LOAD = """
program = torch.export.load(path) if path else torch.export.load(io.BytesIO(data))
value = sorted(program.state_dict)
"""


def server():
    child.need(child.TODAY, "torch.export")
    return child.Server(child.TODAY, SETUP, LOAD, LIMITS)


def test_attacks_act_and_are_rejected():
    names = ["expression-import.pt2", "old-expression.pt2", "payload-pickled-acts.pt2"]
    paths = [os.path.join(FILES, name) for name in names]
    with server() as loader:
        assert all(loader.run(path=path).canary for path in paths)
    assert [v["verdict"] for v in ours.scan(paths)] == ["reject"] * len(paths)


def test_accepted_parts_and_payloads_open():
    with server() as loader:
        for path, _ in ours.accepted("pt2"):
            if os.path.basename(path).split("-")[0] in ("part", "payload") and "pickled" not in path:
                result = loader.run(path=path)
                assert result.loaded and not result.canary, (path, result.error)


def members():
    with zipfile.ZipFile(os.path.join(FILES, "part-sound.pt2")) as z:
        return {name: z.read(name) for name in z.namelist()}


def numbers_of(value, way=()):
    """Where numbers, words and short texts stand in JSON."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers_of(item, way + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from numbers_of(item, way + (i,))
    else:
        yield way


def put(value, way, what):
    for step in way[:-1]:
        value = value[step]
    value[way[-1]] = what


WORDS = [0, 1, 2, 3, 4, 7, 8, 9, 13, 1 << 40, -1, 0.5, True, False, None, "", "cpu", "meta", "weight_0", "../x", [], {}]


def mutant(parts, dice):
    """A number of the payload's description, a word of a record, or bytes of the weights."""
    parts = dict(parts)
    name = dice.choice(["model/data/weights/model_weights_config.json"] * 6 + ["model/data/weights/weight_0", "model/archive_version",
                                                                                 "model/byteorder", "model/.data/version"])
    if name.endswith(".json"):
        value = json.loads(parts[name])
        for _ in range(dice.choice([1, 1, 2])):
            put(value, dice.choice(list(numbers_of(value))), dice.choice(WORDS))
        parts[name] = json.dumps(value).encode()
    else:
        parts[name] = bytes(dice.choice([parts[name][:-1], parts[name] + b"\0", parts[name] * 2, b"1", b"\n"]))
    return archive(list(parts.items()))


def test_accepted_mutants_open():
    dice, parts = random.Random(SEED), members()
    made = (mutant(parts, dice) for _ in range(CASES))
    seen = 0
    with server() as loader:
        for _, content, verdict in ours.judged(made, ".pt2"):
            if verdict["verdict"] == "accept":
                result = loader.run(data=content)
                assert (result.loaded or result.error.startswith(GRAPH)) and not result.canary, (result.error, content)
                seen += 1
    assert seen > 0


tap.main(globals())
