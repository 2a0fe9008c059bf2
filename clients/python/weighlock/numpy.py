"""numpy.load() of what was judged."""
from __future__ import annotations

from typing import Any

from ._files import Path
from ._load import load_admitted, parted


def load(file: Path, *args: Any, **arguments: Any) -> Any:
    """As numpy.load(file, ...), of a file's name; with `policy`, `into`, `memory`, `timeout` as of weighlock.admit().  Arrays of
    an .npz, and those with `mmap_mode`, are read when they are used: with `memory=True` from what nobody can change."""
    import numpy

    ours, theirs = parted(arguments)
    return load_admitted(lambda path: numpy.load(path, *args, **theirs), file, **ours)
