#!/usr/bin/python3
"""states.py STATES.tsv: the table of state.c, on standard output.  Strict on purpose, as names.py."""
import re
import sys

HOLDS = {"function", "mapping", "list", "number", "layers", "text", "own_array", "own_sequence", "metadata", "type", "shape", "numbers", "rare",
         "nothing"}
MODULE = re.compile(r"\*|[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def rows(path):
    with open(path, encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 3 or columns[2] not in HOLDS or not MODULE.fullmatch(columns[0]):
                sys.exit(f"{path}:{number}: not a row: {columns}")
            for attribute in columns[1].split(" "):
                if not ATTRIBUTE.fullmatch(attribute):
                    sys.exit(f"{path}:{number}: not a name: {attribute}")
                yield columns[0], attribute, columns[2]


def main():
    table = list(rows(sys.argv[1]))
    twice = {row for row in table if table.count(row) > 1}
    if twice:
        sys.exit(f"{sys.argv[1]}: more than once: {sorted(twice)}")
    print("/* Made by states.py from states.tsv. */\nstatic const struct state_row state_rows[] = {")
    for module, attribute, holds in table:
        print(f'\t{{ "{module}", "{attribute}", HOLDS_{holds.upper()} }},')
    print("};")


main()
