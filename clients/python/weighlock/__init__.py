"""weighlock judges machine-learning model files before they are loaded.

    import weighlock
    with weighlock.admit("model.safetensors") as model: load(model.path)

`admit` gives exactly the bytes that were judged and accepted, or raises.  The files are read by a jailed process of the daemon
weighlockd where there is one, else of the program that this package carries; nothing here parses a model.  The same names for
asyncio are in `weighlock.aio`; loaders, named as their libraries are, in `weighlock.torch`, `.safetensors`, `.numpy`, `.joblib`.
"""
from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from . import _admit, _flows
from ._admit import Admission, Admitted, AdmittedFolder
from ._drive import run as _run
from ._errors import Error, NotJudged, Rejected, Unavailable, UnsafeFolder
from ._files import Input, Path
from ._judges import TIMEOUT
from ._verdict import Finding, SetVerdict, Tensor, Verdict, Weights

__all__ = ["Admission", "Admitted", "AdmittedFolder", "Error", "Finding", "NotJudged", "Rejected", "SetVerdict", "Tensor",
           "Unavailable", "UnsafeFolder", "Verdict", "Weights", "admit", "admit_folder", "scan", "scan_many", "scan_set", "stored"]
__version__ = "0.1.0"


def scan(what: Input, *, policy: Optional[str] = None, name: Optional[str] = None, sha256: Optional[str] = None,
         tensors: bool = False, tensor_digests: bool = False, timeout: float = TIMEOUT, socket: Optional[str] = None) -> Verdict:
    """The verdict about a path, an open file or bytes: accept, review or reject.  NotJudged where there is none.

    `name` decides what a loader would do with it; default: that of the file.  `sha256`: the digest it must have.  `policy`: a
    name; without a daemon a file as well.  `timeout`: seconds for everything, waiting for a busy daemon included.  `socket`:
    the daemon's; "" to judge without one; default: WEIGHLOCK_SOCKET, else /run/weighlock/weighlock.sock if that is there.
    """
    return _run(_flows.scan(what, policy, name, sha256, tensors, tensor_digests, timeout, socket))


def scan_set(what: Union[Path, Mapping[str, Path], Iterable[Path]], *, policy: Optional[str] = None, tensors: bool = False,
             tensor_digests: bool = False, exclude: Iterable[str] = (), timeout: float = TIMEOUT,
             socket: Optional[str] = None) -> SetVerdict:
    """The verdict about files that belong together: a folder without what matches `exclude`, paths, or {name: path}."""
    return _run(_flows.scan_set(what, policy, tensors, tensor_digests, exclude, timeout, socket))


def scan_many(inputs: Iterable[Input], *, at_once: int = 4, policy: Optional[str] = None, timeout: float = TIMEOUT,
              socket: Optional[str] = None) -> Iterator[Tuple[Input, Union[Verdict, NotJudged, OSError]]]:
    """(input, verdict) of each, in their order; where there is none, the error.  `at_once` are judged at a time, and no more
    inputs are taken than that.  `timeout` is each one's."""
    def one(what: Input) -> Union[Verdict, NotJudged, OSError]:
        try:
            return scan(what, policy=policy, timeout=timeout, socket=socket)
        except (NotJudged, OSError) as e:
            return e

    with ThreadPoolExecutor(at_once) as pool:
        window: List[Tuple[Input, Future[Union[Verdict, NotJudged, OSError]]]] = []
        try:
            for what in inputs:
                window.append((what, pool.submit(one, what)))
                if len(window) == at_once:
                    first, done = window.pop(0)
                    yield first, done.result()
            for first, done in window:
                yield first, done.result()
        finally:
            for _, done in window:
                done.cancel()


def stored(sha256: str, *, policy: Optional[str] = None, name: Optional[str] = None, timeout: float = TIMEOUT,
           socket: Optional[str] = None) -> Optional[Verdict]:
    """What a daemon has kept about bytes with this digest, by today's policies; None: nothing."""
    return _run(_flows.stored(sha256, policy, name, timeout, socket))


def admit(path: Path, policy: Optional[str] = None, into: Optional[Path] = None, *, memory: bool = False, name: Optional[str] = None,
          timeout: float = TIMEOUT, socket: Optional[str] = None) -> Admission[Admitted]:
    """`with admit(path) as model:` gives a copy of exactly the bytes that were accepted: model.path, .file, .sha256, .verdict.
    Rejected, NotJudged or Unavailable otherwise.

    The copy is kept below `into` (default: $XDG_CACHE_HOME/weighlock), so that the next call costs no scan.  `memory`: it is
    in sealed memory instead, which nobody can change, and its path is good in this process for as long as it is open.
    """
    return Admission(lambda: _admit.admitting(path, policy, into, memory, name, timeout, socket))


def admit_folder(folder: Path, policy: Optional[str] = None, into: Optional[Path] = None, *, exclude: Iterable[str] = (),
                 name: Optional[str] = None, timeout: float = TIMEOUT, socket: Optional[str] = None) -> Admission[AdmittedFolder]:
    """`with admit_folder(folder) as model:` likewise for a repository: judged as a set, given as a folder with its names."""
    return Admission(lambda: _admit.admitting_folder(folder, policy, into, exclude, name, timeout, socket))
