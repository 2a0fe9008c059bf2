#!/usr/bin/python3
"""names.py NAMES.tsv: the tables of known.c, on standard output.

Strict on purpose: a row that means nothing would be a name that nobody judges."""
import re
import sys

TIERS = {"weights", "data", "context", "review", "deny", "deny-root"}
USES = ("ref", "call", "new", "build", "append", "setitem", "add")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
DENIED_DEPTH_MAX = 4  # NAMES_DENIED_DEPTH_MAX in known.c


def rows(path):
    """(line number, tier, module, name, uses, rule), one for every name."""
    with open(path, encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 5 or columns[0] not in TIERS:
                sys.exit(f"{path}:{number}: five columns, the first of them a tier, are wanted: {columns}")
            for name in columns[2].split(" "):
                yield (number, columns[0], columns[1], name, columns[3], columns[4])


def uses_of(text, where):
    uses = text.split(",")
    if not set(uses) <= set(USES):
        sys.exit(f"{where}: uses are {USES}: {text}")
    return " | ".join(f"PICKLE_USE_{u.upper()}" for u in uses)


def read(path):
    allowed, denied = {}, {}
    for number, tier, module, name, uses, rule in rows(path):
        where = f"{path}:{number}"
        if tier in ("deny", "deny-root"):
            key = f"{module}.{name}" if module else name
            good = PATH.fullmatch(key) and key.count(".") < DENIED_DEPTH_MAX and uses in ("-", "ref")
            table, value = denied, (rule, tier == "deny-root", uses == "ref")
        else:
            key = (module, name)
            good = PATH.fullmatch(module) and NAME.fullmatch(name) and NAME.fullmatch(rule)
            table, value = allowed, (tier, uses_of(uses, where), rule)
        if not good:
            sys.exit(f"{where}: not a row: {module} {name} {uses} {rule}")
        if key in table:
            sys.exit(f"{where}: {key} stands here a second time")
        table[key] = value
    return allowed, denied


def main():
    allowed, denied = read(sys.argv[1])
    print("/* Made by names.py from names.tsv. */")
    print("static const struct pickle_name names_known[] = {")
    for (module, name), (tier, uses, rule) in sorted(allowed.items()):
        print(f'\t{{ "{module}", "{name}", {{ PICKLE_TIER_{tier.upper()}, {uses}, PICKLE_RULE_{rule.upper()}, NULL }} }},')
    print("};\nstatic const struct denied_path names_denied[] = {")
    for path, (does, *flags) in sorted(denied.items()):
        print(f'\t{{ "{path}", "{does}", {", ".join("true" if f else "false" for f in flags)} }},')
    print("};")


main()
