#!/usr/bin/python3
"""script_names.py SCRIPT_NAMES.tsv: the table of script_names.c, on standard output.  Strict on purpose: a row that means nothing
would be a name that nobody judges."""
import re
import sys

KINDS = ("aten", "other", "acts", "prim", "call", "key", "word")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def main():
    table = {kind: [] for kind in KINDS}
    with open(sys.argv[1], encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            kind, names = line.rstrip("\n").split("\t")
            for name in names.split(" "):
                if kind not in KINDS or not NAME.fullmatch(name) or name in table[kind]:
                    sys.exit(f"{sys.argv[1]}:{number}: not a row: {kind} {name}")
                table[kind].append(name)
    twice = set(table["aten"]) & set(table["other"]) | (set(table["aten"]) | set(table["other"])) & set(table["acts"])
    if twice:
        sys.exit(f"{sys.argv[1]}: of two kinds: {sorted(twice)}")
    print("/* Made by script_names.py from script_names.tsv. */")
    for kind in KINDS:
        print(f"static const char *const names_{kind}[] = {{")
        for name in sorted(table[kind]):
            print(f'\t"{name}",')
        print("};")


main()
