"""docs/attacks.md is what docs/attacks.py makes of a run over corpus/attacks; every row has an id of its own, and what is accepted
a reason."""
import json
import os
import re
import subprocess
import sys

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)


def rows():
    with open(os.path.join(OPTIONS["corpus"], "attacks", "cases.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def test_attacks_md_is_up_to_date():
    made = subprocess.check_output([sys.executable, os.path.join(OPTIONS["docs"], "attacks.py"), OPTIONS["weighlock"]])
    with open(os.path.join(OPTIONS["docs"], "attacks.md"), "rb") as f:
        assert f.read() == made, "run docs/attacks.py WEIGHLOCK > docs/attacks.md"


def test_every_row_is_an_advisory_once():
    ids = [r["id"] for r in rows()]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"CVE-\d{4}-\d{4,6}|GHSA(-[0-9a-z]{4}){3}", i) for i in ids)


def test_what_is_accepted_says_why():
    for row in rows():
        assert ("accept" in row["expect"]) == ("reason" in row), row


tap.main(globals())
