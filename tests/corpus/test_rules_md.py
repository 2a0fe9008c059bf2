"""docs/rules.md and docs/formats.md are what docs/rules.py and docs/formats.py make of this build's tables."""
import os
import subprocess
import sys

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)


def check(name):
    made = subprocess.check_output([sys.executable, os.path.join(OPTIONS["docs"], name + ".py"), OPTIONS["weighlock"]])
    with open(os.path.join(OPTIONS["docs"], name + ".md"), "rb") as f:
        assert f.read() == made, f"run docs/{name}.py WEIGHLOCK > docs/{name}.md"


def test_rules_md_is_up_to_date():
    check("rules")


def test_formats_md_is_up_to_date():
    check("formats")


tap.main(globals())
