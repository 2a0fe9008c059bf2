#!/usr/bin/python3
"""calls.py CALLS.tsv: the table of arguments_calls.c, on standard output.  Strict on purpose, as names.py."""
import re
import sys

ROLES = ("none", "bool", "int", "text", "plain", "array", "slice", "index_class", "array_class", "own",
         "axes", "zone", "moment", "empty", "index", "tree", "texts", "blocks", "attributes", "tree_class", "distance_class", "loss_class", "single", "frequency")
SIZES = {"-": "NONE", "items": "ITEMS", "first": "FIRST", "index": "INDEX", "state": "STATE"}  # enum call_size
PLACES_MAX = 13  # CALL_PLACES_MAX in arguments_calls.c
MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
TIME = re.compile(r"-|[1-9][0-9]{0,3}")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def places(text, where):
    """(known, least, [mask of roles]) of a column."""
    if text == "-":
        return (False, 0, [])
    words = text.split(" ") if text else []
    least, masks = len(words), []
    for i, word in enumerate(words):
        if word.endswith("?"):
            least, word = min(least, i), word[:-1]
        elif i > least:
            sys.exit(f"{where}: behind a ? all may be missing: {text}")
        roles = word.split("|")
        if not set(roles) <= set(ROLES):
            sys.exit(f"{where}: not roles: {word}")
        masks.append(" | ".join(f"CALL_{r.upper()}" for r in roles))
    if len(masks) > PLACES_MAX:
        sys.exit(f"{where}: more than {PLACES_MAX}: {text}")
    return (True, least, masks)


def rows(path):
    with open(path, encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            columns, where = line.rstrip("\n").split("\t"), f"{path}:{number}"
            if len(columns) != 6 or columns[4] not in SIZES or not TIME.fullmatch(columns[5]) or not MODULE.fullmatch(columns[0]) or not NAME.fullmatch(columns[1]):
                sys.exit(f"{where}: not a row: {columns}")
            yield columns[0], columns[1], places(columns[2], where), places(columns[3], where), SIZES[columns[4]], columns[5]


def written(column):
    known, least, masks = column
    return f"{{ {'true' if known else 'false'}, {least}, {len(masks)}, {{ {', '.join(masks) or '0'} }} }}"


def main():
    table = list(rows(sys.argv[1]))
    names = [row[:2] for row in table]
    if len(set(names)) < len(names):
        sys.exit(f"{sys.argv[1]}: twice: {[n for n in names if names.count(n) > 1]}")
    print("/* Made by calls.py from calls.tsv. */\nenum call_role {")
    for i, role in enumerate(ROLES):
        print(f"\tCALL_{role.upper()} = 1u << {i},")
    print("};\nstatic const struct call_row call_rows[] = {")
    for module, name, arguments, state, size, time in table:
        print(f'\t{{ "{module}", "{name}", {written(arguments)}, {written(state)}, CALL_SIZE_{size}, {time.replace("-", "0")} }},')
    print("};")


main()
