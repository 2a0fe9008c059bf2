#!/usr/bin/python3
"""embed.py FILE...: the schema's migrations as a table of C texts, in their order."""
import os
import sys


def literal(line):
    return '\t"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


print("/* Made by embed.py. */\nstatic const struct migration migrations[] = {")
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        print(f"{{ {int(os.path.basename(path).split('.')[0])},\n" + "\n".join(map(literal, f)) + " },")
print("};")
