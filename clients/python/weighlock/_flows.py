"""What the package's functions do, as flows (_judges.py)."""
from __future__ import annotations

import os
from typing import Iterable, Mapping, Optional, Union

from ._files import Input, Path, close_all, hold, hold_set, pattern_filter
from ._judges import Deadline, Flow, Question, Work, find_judge
from ._verdict import SetVerdict, Verdict


def scan(what: Input, policy: Optional[str], name: Optional[str], sha256: Optional[str], tensors: bool, tensor_digests: bool,
         timeout: float, socket: Optional[str]) -> Flow[Verdict]:
    deadline, judge = Deadline(timeout), find_judge(socket)
    held = yield Work(lambda: hold(what, name, sha256))
    try:
        return (yield from judge.file(held, Question(policy, tensors, tensor_digests), deadline))
    finally:
        os.close(held.fd)


def scan_set(what: Union[Path, Mapping[str, Path], Iterable[Path]], policy: Optional[str], tensors: bool, tensor_digests: bool,
             exclude: Iterable[str], timeout: float, socket: Optional[str]) -> Flow[SetVerdict]:
    deadline, judge = Deadline(timeout), find_judge(socket)
    held, folder, name = yield Work(lambda: hold_set(what, pattern_filter(exclude)))
    try:
        return (yield from judge.set(held, folder, name, Question(policy, tensors, tensor_digests), deadline))
    finally:
        close_all(held)


def stored(sha256: str, policy: Optional[str], name: Optional[str], timeout: float, socket: Optional[str]) -> Flow[Optional[Verdict]]:
    if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
        raise ValueError("a SHA-256 in lower case is needed")
    return (yield from find_judge(socket).stored(sha256, name, Question(policy), Deadline(timeout)))
