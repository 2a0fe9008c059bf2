"""Downloads of a model hub."""
from __future__ import annotations

import os
from typing import Any

from . import Admission, AdmittedFolder, admit_folder
from ._files import Path


def resolved(folder: Path) -> str:
    """A snapshot, of a folder of the cache (models--ORG--NAME) the one that refs/main names."""
    path = os.fspath(folder)
    main = os.path.join(path, "refs", "main")
    if os.path.isdir(os.path.join(path, "snapshots")) and os.path.isfile(main):
        with open(main, encoding="ascii") as f:
            revision = f.read().strip()
        if not revision.isalnum():
            raise ValueError(f"{main} names no revision")
        return os.path.join(path, "snapshots", revision)
    return path


def snapshot(folder: Path, policy: Any = None, into: Any = None, **arguments: Any) -> Admission[AdmittedFolder]:
    """`with snapshot(folder) as model: AutoModel.from_pretrained(model.path)`, of what snapshot_download() returned: a folder of
    links into blobs, or one that was downloaded with local_dir=.  Otherwise as weighlock.admit_folder()."""
    arguments.setdefault("exclude", (".cache", ".git"))
    return admit_folder(resolved(folder), policy, into, **arguments)
