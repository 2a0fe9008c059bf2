"""`python -m weighlock ...`: the command `weighlock` that this package would ask; it also is what the wheel calls so."""
from __future__ import annotations

import os
import sys

from ._judges import find_command


def main() -> None:
    program = find_command()
    if program is None or not sys.platform.startswith("linux"):
        sys.exit("weighlock: there is no program here that judges; the wheel for Linux on x86-64 carries it")
    try:
        os.execv(program, ["weighlock", *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"weighlock: {program} cannot be run: {e}")


if __name__ == "__main__":
    main()
