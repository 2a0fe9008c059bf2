"""Whole repositories: what deserves attention is told, and the rest is quiet."""
import json
import os
import shutil
import subprocess
import tempfile

import tap
import trees
from fixtures import OPTIONS, WEIGHLOCK, environment


def run(tree, command, *options):
    """The command over the tree in a folder: its status, and the objects it prints, by path."""
    folder = tempfile.mkdtemp(prefix="weighlock-tree-")
    try:
        for path, (data, *_) in tree.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "wb") as f:
                f.write(data)
        done = subprocess.run([WEIGHLOCK, command, "--format", "json", *options, folder], env=environment(), timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        files = [v for v in lines if v.get("schema") != "weighlock.set/1"]
        return done.returncode, {os.path.relpath(v.get("file", v)["name"], folder): v for v in files}
    finally:
        shutil.rmtree(folder)


def check(tree, policy, column):
    _, verdicts = run(tree, "scan", "--policy", policy)
    assert set(verdicts) == set(tree), set(tree) ^ set(verdicts)
    wrong = []
    for path, row in tree.items():
        codes = {f["code"] for f in verdicts[path]["findings"] if f["severity"] not in ("info", "low")}
        if verdicts[path]["verdict"] != row[column] or codes != ({row[1]} if row[1] else set()):
            wrong.append((path, row[column], verdicts[path]["verdict"], codes))
    assert not wrong, wrong


def test_a_transformers_repository_by_policy_default():
    check(trees.TRANSFORMERS, "default", 2)


def test_a_transformers_repository_by_policy_ci():
    check(trees.TRANSFORMERS, "ci", 3)


def test_a_diffusers_repository_is_quiet():
    check(trees.DIFFUSERS, "default", 2)
    check(trees.DIFFUSERS, "ci", 3)


KINDS = ("safetensors", "gguf", "onnx", "hdf5", "keras", "tflite", "flax", "numpy", "pytorch", "xgboost", "rds", "mxnet",
         "deathtensors", "coreml", "paddle", "archives")


def accepted(kind):
    """A file of a corpus that is accepted without a remark worth a person's time."""
    folder = os.path.join(OPTIONS["corpus"], kind)
    with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
        for case in map(json.loads, f):
            path = os.path.join(folder, "files", case["file"])
            if case["expect"] == ["accept"] and not case["codes"] and os.path.getsize(path) > 0:
                with open(path, "rb") as g:
                    return case["file"].split("/")[-1], g.read()
    raise AssertionError(f"nothing in {kind} is accepted")


def test_a_repository_of_many_kinds_of_models_is_quiet():
    tree = {path: row for path, row in trees.DIFFUSERS.items() if "index" not in path}
    for kind in KINDS:
        name, data = accepted(kind)
        tree[f"{kind}/{name}"] = (data, None, "accept", "accept")
    tree["empty/__init__.pyi"] = tree["empty/.gitkeep"] = (b"", None, "accept", "accept")
    check(tree, "default", 2)
    check(tree, "ci", 3)
    status, _ = run(tree, "scan")
    assert status == 0, status


def test_identify_agrees_with_every_name_in_them():
    for tree in (trees.TRANSFORMERS, trees.DIFFUSERS):
        status, lines = run(tree, "identify")
        assert status == 0 and set(lines) == set(tree), (status, lines)
        assert all(x["agrees"] and x["format"] for x in lines.values())


tap.main(globals())
