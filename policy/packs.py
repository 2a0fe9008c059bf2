#!/usr/bin/python3
"""packs.py PACK.yaml...: the table of name packs for packs.c, on standard output.

A pack is a comment that says where its names come from, `names:`, and a sorted list of names under each further comment:
a small corner of YAML, read strictly.  Behind a name stands what it is granted (lib/core/pickle_names.h); without a word it
is `object`, which is how picklers write instances."""
import os
import re
import sys

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+( value| items| call| member)?")


def read(path):
    names, last = [], ""
    with open(path, encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            text = line.rstrip("\n")
            if text.lstrip().startswith("#"):
                last = ""
            elif text.startswith("  - ") and NAME.fullmatch(text[4:]) and last < text[4:]:
                last = text[4:]
                names.append(last if " " in last else last + " object")
            elif text != "names:" or names:
                sys.exit(f"{path}:{number}: not a sorted list of names: {text}")
    plain = [n.split(" ")[0] for n in names]
    if len(set(plain)) < len(plain):
        sys.exit(f"{path}: a name twice: {sorted(n for n in plain if plain.count(n) > 1)[0]}")
    return names


def main():
    packs = {os.path.splitext(os.path.basename(path))[0]: read(path) for path in sys.argv[1:]}
    granted = {}
    for pack, names in packs.items():
        for name, grant in (n.split(" ") for n in names):
            if granted.setdefault(name, grant) != grant:
                sys.exit(f"{pack}: {name} is granted {grant} here, {granted[name]} in another pack")
    print("/* Made by packs.py from packs/. */")
    for pack, names in sorted(packs.items()):
        print(f"static const char *const names_{pack.replace('-', '_')}[] = {{")
        for name in names:
            print(f'\t"{name}",')
        print("\tNULL,\n};")
    print("static const struct pickle_pack packs[] = {")
    for pack in sorted(packs):
        print(f'\t{{ "{pack}", names_{pack.replace("-", "_")}, "by the pack {pack}" }},')
    print("};")
    print("#define PACK_NAMES " + ", ".join(f'"{pack}"' for pack in sorted(packs)))
    print(f'#define PACKS_KNOWN "{", ".join(sorted(packs))}"')


main()
