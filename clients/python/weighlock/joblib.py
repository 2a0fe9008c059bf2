"""joblib.load() of what was judged."""
from __future__ import annotations

from typing import Any

from ._files import Path
from ._load import load_admitted, parted


def load(filename: Path, *args: Any, **arguments: Any) -> Any:
    """As joblib.load(filename, ...), of a file's name; with `policy`, `into`, `memory`, `timeout` as of weighlock.admit().  An
    accept means that the names a pickle imports are vouched for; those of scikit-learn need a policy with its pack."""
    import joblib

    ours, theirs = parted(arguments)
    return load_admitted(lambda path: joblib.load(path, *args, **theirs), filename, **ours)
