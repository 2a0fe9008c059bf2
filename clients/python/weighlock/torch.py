"""torch.load() of what was judged."""
from __future__ import annotations

from typing import Any

from ._files import Path
from ._load import load_admitted, parted


def load(f: Path, *args: Any, weights_only: bool = True, **arguments: Any) -> Any:
    """As torch.load(f, ...), of a file's name; with `policy`, `into`, `memory`, `timeout` as of weighlock.admit()."""
    import torch

    ours, theirs = parted(arguments)
    return load_admitted(lambda path: torch.load(path, *args, weights_only=weights_only, **theirs), f, **ours)
