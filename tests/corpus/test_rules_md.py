"""docs/rules.md is what docs/rules.py makes of this build's table."""
import os
import subprocess
import sys

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)


def test_rules_md_is_up_to_date():
    made = subprocess.check_output([sys.executable, os.path.join(OPTIONS["docs"], "rules.py"), OPTIONS["weighlock"]])
    with open(os.path.join(OPTIONS["docs"], "rules.md"), "rb") as f:
        assert f.read() == made, "run docs/rules.py WEIGHLOCK > docs/rules.md"


tap.main(globals())
