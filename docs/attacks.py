#!/usr/bin/python3
"""attacks.py WEIGHLOCK: the scoreboard of public attacks (docs/attacks.md), on standard output, from a run over corpus/attacks."""
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "..", "corpus", "attacks")
CLASSES = {"rce": "runs code", "rce-cond": "runs code after a second step, or with an option", "file": "reads or writes other files",
           "bypass": "gets past another scanner", "mem": "reads or writes memory out of bounds", "dos": "ends or stalls the program"}
WORST = ("critical", "high", "medium", "low", "info")

HEAD = """# Public attacks

What weighlock says of files that carry public attacks: {total} advisories by their number (CVE or GHSA), of which {found} are not
accepted and {accepted} {are} under the policy `default`. Made by `docs/attacks.py` from a run over `corpus/attacks`, and compared with
one in the tests.

Each file is of our own making (`corpus/attacks/make.py`, `attacks.tsv`): the smallest of the form that the advisory is about, with its
parameter or name in it. It is not the reporter's proof of concept, and many rows share a form: that a row is not accepted means that
this form is seen, not that every file for that bug is. Operators of TensorFlow and TensorFlow Lite are judged by what constants and
attributes say; where a caller gives the bad value, no file shows it. Numbers, versions and operators of TensorFlow and TensorFlow Lite
were compared with the advisories in TensorFlow's repository (since 2.9) or with the Python Packaging Advisory Database of October 2024
(before), as were NumPy, joblib, PyTorch (2022), PyYAML, jsonpickle and onnx (2022); the others are as they were cited when the rule was
made, and were not looked up again. `-`: no fixed version is known to us.
Advisories that no file of a model can carry are not in the list.

| class | what the attack does | rows | rejected | review | accepted |
|---|---|---|---|---|---|
"""


def verdicts(weighlock, rows):
    paths = [os.path.join(CORPUS, "files", row["file"]) for row in rows]
    done = subprocess.run([weighlock, "scan", "--format", "json", "--", *paths], capture_output=True, timeout=300, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    found = [v for v in found if "file" in v]
    assert len(found) == len(rows), done.stderr[-1000:]
    return found


def codes(verdict):
    """Those that decided."""
    severities = collections.defaultdict(set)
    for f in verdict["findings"]:
        severities[f["severity"]].add(f["code"])
    worst = next((s for s in WORST if severities[s]), None)
    return sorted(severities[worst]) if worst in WORST[:3] else []


def main():
    with open(os.path.join(CORPUS, "cases.jsonl"), encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    judged = list(zip(rows, verdicts(sys.argv[1], rows)))
    accepted = [(r, v) for r, v in judged if v["verdict"] == "accept"]
    print(HEAD.format(total=len(rows), found=len(rows) - len(accepted), accepted=len(accepted), are="is" if len(accepted) == 1 else "are"),
          end="")
    for name, what in CLASSES.items():
        of = [v["verdict"] for r, v in judged if r["class"] == name]
        if of:
            print(f"| {name} | {what} | {len(of)} | {of.count('reject')} | {of.count('review')} | {of.count('accept')} |")
    print("\n## What is accepted\n")
    for row, _ in accepted:
        print(f"* {row['id']} ({row['product']}): {row.get('reason', 'no reason is known')}.")
    print("\n## All of them\n\n| id | product | fixed in | class | what is in the file | verdict | codes |\n|---|---|---|---|---|---|---|")
    for row, verdict in judged:
        names = " ".join(f"`{c}`" for c in codes(verdict))
        print(f"| {row['id']} | {row['product']} | {row['fixed']} | {row['class']} | {row['why']} | {verdict['verdict']} | {names} |")


if __name__ == "__main__":
    main()
