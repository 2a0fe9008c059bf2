#!/usr/bin/python3
"""codes.py CODES.TXT: a C table of every code that ever shipped and the rules version it came with, on standard output."""
import sys

print("/* Made by codes.py from codes.txt. */")
with open(sys.argv[1], encoding="ascii") as f:
    for line in f:
        code, since = line.split()
        print(f'{{ "{code}", {int(since)} }},')
