"""What the loaders share: the options of admit(), apart from those of the library."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple, TypeVar

from . import admit
from ._files import Path
from ._judges import TIMEOUT

T = TypeVar("T")


def load_admitted(load: Callable[[str], T], path: Path, *, policy: Optional[str] = None, into: Optional[Path] = None, memory: bool = False,
                  name: Optional[str] = None, timeout: float = TIMEOUT, socket: Optional[str] = None) -> T:
    with admit(path, policy, into, memory=memory, name=name, timeout=timeout, socket=socket) as admitted:
        return load(admitted.path)


OPTIONS = ("policy", "into", "memory", "name", "timeout", "socket")


def parted(arguments: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Those of admit(), and those of the library."""
    return ({key: value for key, value in arguments.items() if key in OPTIONS},
            {key: value for key, value in arguments.items() if key not in OPTIONS})
