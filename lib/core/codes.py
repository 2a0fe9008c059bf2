#!/usr/bin/python3
"""codes.py CODES.TXT: a C table of every code that ever shipped and the rules version it came with, on standard output.

Behind the version may stand `adds`: whatever raises the code was read whole and let through by the rules before, which said nothing
of it.  Only such a code may a policy that is pinned to those rules look at without acting on it.  Any other took the place of a
code or came with a reader: what raises it was held before, under another name, and a pin that silenced it would accept it."""
import sys

print("/* Made by codes.py from codes.txt. */")
with open(sys.argv[1], encoding="ascii") as f:
    for line in f:
        code, since, *adds = line.split()
        if adds not in ([], ["adds"]):
            sys.exit(f"{sys.argv[1]}: not understood: {line.strip()!r}")
        print(f'{{ "{code}", {int(since)}, {"true" if adds else "false"} }},')
