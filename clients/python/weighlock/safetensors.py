"""safetensors.torch.load_file() and its likes, of what was judged."""
from __future__ import annotations

import importlib
from typing import Any

from ._files import Path
from ._load import load_admitted, parted


def load_file(filename: Path, *args: Any, framework: str = "torch", **arguments: Any) -> Any:
    """As load_file() of safetensors.torch, or of another of its modules: `framework` is numpy, flax, ...; with `policy`, `into`,
    `memory`, `timeout` as of weighlock.admit().  Tensors may be read when they are used: with `memory=True` from what nobody
    can change."""
    library = importlib.import_module(f"safetensors.{framework}")
    ours, theirs = parted(arguments)
    return load_admitted(lambda path: library.load_file(path, *args, **theirs), filename, **ours)
