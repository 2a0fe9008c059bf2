"""Runs cases/*.case: a command, its expected output and its expected exit code, side by side.

    # a sentence: the name of the test
    $ weighlock scan good.safetensors       the command, a line of sh, run in the tree of fixtures.py
    @ nobody                                optional: without rights
    | ACCEPT  good.safetensors              standard output, whole; "..." stands for anything within a line
    ! weighlock: ...                        standard error, whole
    = 0                                     exit code
"""
import glob
import os
import re
import subprocess
import sys

import tap
from fixtures import NOBODY, environment, remove, tree

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = {"#": "name", "$": "command", "@": "user", "|": "out", "!": "err", "=": "code"}


def read_cases(path):
    case = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line:
                continue
            what, text = MARKS.get(line[0]), line[2:]
            if what is None or (len(line) > 1 and line[1] != " "):
                sys.exit(f"{path}:{number}: not a line of a case: {line}")
            if what == "name":
                if case:
                    yield case
                case = {"name": text, "out": [], "err": []}
            elif what in ("out", "err"):
                case[what].append(text)
            else:
                case[what] = text
    if case:
        yield case


def matches(expected, got):
    if len(expected) != len(got):
        return False
    patterns = [".*".join(re.escape(part) for part in line.split("...")) for line in expected]
    return all(re.fullmatch(p, line) for p, line in zip(patterns, got))


def run(case, root):
    options = {}
    if "user" in case:
        if os.geteuid() != 0:
            raise tap.Skip("only root can become nobody")
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    done = subprocess.run(["/bin/sh", "-c", case["command"]], cwd=root, env=environment(HOME=root), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    out = done.stdout.decode("utf-8").split("\n")[:-1]
    err = done.stderr.decode("utf-8").split("\n")[:-1]
    shown = "\n".join(["got:"] + ["| " + x for x in out] + ["! " + x for x in err] + [f"= {done.returncode}"])
    assert matches(case["out"], out), "standard output differs; " + shown
    assert matches(case["err"], err), "standard error differs; " + shown
    assert done.returncode == int(case["code"]), "exit code differs; " + shown


def main():
    root = tree()
    tests = {}
    for path in sorted(glob.glob(os.path.join(HERE, "cases", "*.case"))):
        for case in read_cases(path):
            name = "test_" + re.sub(r"\W+", "_", case["name"]).strip("_")
            assert name not in tests, f"two cases are called {name}"
            tests[name] = lambda case=case: run(case, root)
    try:
        tap.main(tests)
    finally:
        remove(root)


main()
