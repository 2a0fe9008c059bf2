"""Carries flows out, blocking."""
from __future__ import annotations

import array
import os
import socket
import subprocess
import time
from typing import Any, Generator, List, Optional, Sequence, Tuple, TypeVar

from ._judges import SILENCE, ConnectError, Deadline, Run, Sleep, Talk, Work

T = TypeVar("T")
BLOCK = 1 << 18


def rights(fds: Sequence[int]) -> List[Tuple[int, int, Any]]:
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []


def patience(deadline: Deadline) -> float:
    left = min(deadline.left(), SILENCE)
    if left <= 0:
        raise TimeoutError("out of time")
    return left


def talk(op: Talk) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(patience(op.deadline))
        try:
            s.connect(op.path)
        except socket.timeout:
            raise
        except OSError as e:
            raise ConnectError(os.strerror(e.errno) if e.errno else str(e)) from None
        try:
            for data, fds in op.messages:
                sent = s.sendmsg([data], rights(fds))
                s.sendall(data[sent:])
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused on the way: the answer says why
        while not op.answer.done:
            s.settimeout(patience(op.deadline))
            op.answer.feed(s.recv(BLOCK))


def run_program(op: Run) -> Tuple[int, bytes, bytes]:
    try:
        done = subprocess.run(op.argv, stdin=subprocess.DEVNULL if op.stdin is None else op.stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=op.cwd, timeout=op.deadline.left(), check=False)
    except subprocess.TimeoutExpired:
        raise TimeoutError("out of time") from None
    return done.returncode, done.stdout, done.stderr


def perform(op: Any) -> Any:
    if isinstance(op, Talk):
        return talk(op)
    if isinstance(op, Run):
        return run_program(op)
    if isinstance(op, Sleep):
        return time.sleep(op.seconds)
    assert isinstance(op, Work)
    return op.function()


def run(flow: Generator[Any, Any, T]) -> T:
    value: Any = None
    error: Optional[BaseException] = None
    while True:
        try:
            op = flow.send(value) if error is None else flow.throw(error)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        value, error = None, None
        try:
            value = perform(op)
        except BaseException as e:  # noqa: BLE001 - the flow decides what it means
            error = e
