"""How C reads here: what ./dev format --check looks at (tests/support/dialect.py), and where each thing has its one home."""
import glob
import os
import re
import subprocess
import sys

import tap
from daemon import options

SOURCE = options()["source"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
import dialect  # noqa: E402 pylint: disable=wrong-import-position

FOLDERS = ("lib", "sandbox", "worker", "manifest", "policy", "store", "evidence", "daemon", "cli", "client")
# What there is one of, by what gives a second away, and where it may stand.  client/ uses none of our code, so it has its own.
HOMES = {
    "hexadecimal digits are written": (r'= "0123456789abcdef"', {"lib/core/hex.h"}),
    "hexadecimal digits are read": (r"- 'a' \+ 10", {"lib/core/hex.h", "client/http_answer.c"}),
}


def sources():
    for folder in FOLDERS:
        for path in glob.glob(os.path.join(SOURCE, folder, "**", "*.[ch]"), recursive=True):
            with open(path, encoding="utf-8") as f:
                yield os.path.relpath(path, SOURCE), f.read()


def test_the_dialect_is_one():
    found = [fault for path, text in sources() for fault in dialect.faults(path, text)]
    assert not found, "\n".join(found)


def test_the_check_sees_what_it_looks_for():
    bad = "/* A. */\n#include \"a.h\"\n\nint f(const char *a, struct b *b)\n{\n\tif (!a || b)\n\t\treturn 1; // one\n\treturn a && b ? 2 : 3;\n}\n"
    found = list(dialect.faults("a.c", bad))
    assert len(found) == 5, found
    assert "a == NULL || b" in dialect.fixed(bad) and "a != NULL && b" in dialect.fixed(bad)
    long = "/* A. */\nint f(void)\n{\n" + "\tg();\n" * 60 + "}\n"
    assert len(list(dialect.faults("a.c", long))) == 1 and not list(dialect.faults("a.c", long.replace("\tg();\n", "", 2)))
    assert len(list(dialect.faults("a.h", "/* A. */\nint a;\n"))) == 1
    assert len(list(dialect.faults("a.c", "int a;\n"))) == 1


def test_each_thing_has_one_home():
    homes = {what: set() for what in HOMES}
    for path, text in sources():
        for what, (sign, _) in HOMES.items():
            if re.search(sign, text):
                homes[what].add(path)
    wrong = {what: sorted(found ^ HOMES[what][1]) for what, found in homes.items() if found != HOMES[what][1]}
    assert not wrong, wrong


tap.main(globals())
