#!/usr/bin/python3
"""embed.py page.js page.css: both as C texts, and what a Content-Security-Policy calls them, on standard output."""
import base64
import hashlib
import sys


def literal(line):
    return '\t"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'


def main():
    print("/* Made by embed.py. */")
    for path in sys.argv[1:]:
        name = path.rsplit(".", 1)[1]
        with open(path, encoding="ascii") as f:
            text = f.read()
        # What stands between the tags has to be what was hashed: one of these would end it, or begin a comment.
        if "</" in text or "<!--" in text or not text.endswith("\n"):
            sys.exit(f"{path}: cannot stand in a page")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        print(f'#define PAGE_{name.upper()}_HASH "sha256-{digest}"')
        print(f"static const char *const page_{name}[] = {{")
        print("\n".join(literal(line) + "," for line in text.splitlines()))
        print("};")


main()
