"""Checkpoints: what the facts say of restricted loading, and that nothing accepted is in doubt."""
import json
import os
import subprocess
import sys

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)


def judged(corpus):
    folder = os.path.join(OPTIONS["corpus"], corpus)
    with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    paths = [os.path.join(folder, "files", c["file"]) for c in cases]
    done = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", "--", *paths], capture_output=True,
                          timeout=120, check=False)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(verdicts) == len(cases), done.stderr[-1000:]
    return list(zip(cases, verdicts))


def test_restricted_loading_is_told_right():
    rows = [(c, v) for corpus in ("pytorch", "pytorch-models") for c, v in judged(corpus)]
    wrong = [(c["file"], c["weights_only_loadable"], v.get("facts", {}).get("weights_only_loadable"))
             for c, v in rows if "weights_only_loadable" in c
             and v.get("facts", {}).get("weights_only_loadable") is not c["weights_only_loadable"]]
    assert not wrong, wrong
    assert {c.get("weights_only_loadable") for c, _ in rows} == {True, False, None}


def test_a_contradiction_leaves_the_scan_incomplete():
    """No policy can turn a checkpoint that contradicts itself into an accepted one."""
    for case, verdict in judged("pytorch"):
        if {"torch-tensor-bounds", "torch-storage-size", "torch-storage-missing"} & set(case["codes"]):
            assert not verdict["complete"], case["file"]


def test_what_pytorch_wrote_is_counted_exactly():
    for case, verdict in judged("pytorch-models"):
        rows = {r["tensor"]: {k: r[k] for k in ("nan", "pos_inf", "neg_inf")} for r in
                verdict.get("weights", {}).get("nonfinite", [])}
        if case["nonfinite"]:
            assert rows == case["nonfinite"], (case["file"], rows)


tap.main(globals())
