#!/usr/bin/env python3
"""Write build_id.h: a hash of every source of the programs and of how they are compiled.

The front and the worker exchange fixed structures, so they must be one build.  The hash changes with any source,
flag or compiler and with nothing else: no clock, no path, no repository, so builds stay reproducible.  Run at
every build; the file is touched only when the hash changes.

usage: build_id.py OUTPUT SOURCE_ROOT HOW...
"""
import hashlib
import pathlib
import sys

FOLDERS = ("lib", "sandbox", "worker", "manifest", "policy", "store", "evidence", "daemon", "client", "cli")

# Where it is built is no matter, and these are told it.
PATHS = ("-ffile-prefix-map=", "-fdebug-prefix-map=", "-fmacro-prefix-map=")

output, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
how = [word for word in sys.argv[3:] if not word.startswith(PATHS)]

files = [root / "meson.build"]
for folder in FOLDERS:
    files += [p for p in (root / folder).rglob("*")
              if p.is_file() and p.suffix != ".pyc" and not p.name.startswith(".") and not p.name.endswith("~")]

digest = hashlib.sha256("\0".join(how).encode())
for path in sorted(files, key=lambda p: p.relative_to(root).as_posix()):
    body = path.read_bytes()
    digest.update(b"\0%s\0%d\0" % (path.relative_to(root).as_posix().encode(), len(body)))
    digest.update(body)

text = f"#pragma once\n#define BUILD_ID UINT64_C(0x{digest.hexdigest()[:16]})\n"
if not output.exists() or output.read_text() != text:
    output.write_text(text)
