#!/usr/bin/env python3
"""usage: check.py SOCKET FILE [POLICY]

Ask weighlockd about a file, with the package `weighlock` (clients/python), and end with

    0 accept    1 reject    2 no verdict    3 review, or a verdict this program does not know    4 usage

Publish FILE on 0 and on nothing else."""
import json
import sys

import weighlock

if len(sys.argv) not in (3, 4):
    print(__doc__, file=sys.stderr)
    sys.exit(4)
try:
    verdict = weighlock.scan(sys.argv[2], policy=(sys.argv[3:] or [None])[0], socket=sys.argv[1])
except (weighlock.Error, OSError) as e:
    print(f"check: {e}", file=sys.stderr)
    sys.exit(4 if isinstance(e, OSError) else 2)
print(json.dumps(verdict.raw))
sys.exit(0 if verdict.accepted else 1 if verdict.verdict == "reject" else 3)
