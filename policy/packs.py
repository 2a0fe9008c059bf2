#!/usr/bin/python3
"""packs.py PACK.yaml...: the table of name packs for packs.c, on standard output.

A pack is a comment that says where its names come from, `version: N`, `names:`, and a sorted list of names under each further
comment: a small corner of YAML, read strictly.  Behind a name stands what it is granted (lib/core/pickle_names.h); without a word it
is `object`, which is how picklers write instances.

A name that is added raises the version and says `since N` behind all else: who asks for PACK@1 does not get it.  One that should not
have been there is taken out of all versions at once.  tests/policy/packs.txt knows what each version came to."""
import os
import re
import sys

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+( value| items| call| member)?( since [0-9]+)?")


def read(path):
    """[(name with its grant, since)], version"""
    names, last, version = [], "", 0
    with open(path, encoding="ascii") as f:
        for number, line in enumerate(f, 1):
            text = line.rstrip("\n")
            if text.lstrip().startswith("#"):
                last = ""
            elif text.startswith("  - ") and NAME.fullmatch(text[4:]) and last < text[4:]:
                last = text[4:]
                name, _, since = last.partition(" since ")
                names.append((name if " " in name else name + " object", int(since or 1)))
            elif re.fullmatch("version: [1-9][0-9]*", text) and not version:
                version = int(text.split(" ")[1])
            elif not version or text != "names:" or names:
                sys.exit(f"{path}:{number}: not a sorted list of names: {text}")
    if any(since > version for _, since in names):
        sys.exit(f"{path}: a name that is newer than the pack")
    plain = [n.split(" ")[0] for n, _ in names]
    if len(set(plain)) < len(plain):
        sys.exit(f"{path}: a name twice: {sorted(n for n in plain if plain.count(n) > 1)[0]}")
    return names, version


def main():
    packs = {os.path.splitext(os.path.basename(path))[0]: read(path) for path in sys.argv[1:]}
    granted = {}
    for pack, (names, _) in packs.items():
        for name, grant in (n.split(" ") for n, _ in names):
            if granted.setdefault(name, grant) != grant:
                sys.exit(f"{pack}: {name} is granted {grant} here, {granted[name]} in another pack")
    print("/* Made by packs.py from packs/. */")
    for pack, (names, _) in sorted(packs.items()):
        print(f"static const struct pack_name names_{pack.replace('-', '_')}[] = {{")
        for name, since in names:
            print(f'\t{{ "{name}", {since} }},')
        print("\t{ 0 },\n};")
    print("static const struct pickle_pack packs[] = {")
    for pack in sorted(packs):
        print(f'\t{{ "{pack}", names_{pack.replace("-", "_")}, {packs[pack][1]}, "by the pack {pack}" }},')
    print("};")
    print("#define PACK_NAMES " + ", ".join(f'"{pack}"' for pack in sorted(packs)))
    print(f'#define PACKS_KNOWN "{", ".join(sorted(packs))}"')


main()
