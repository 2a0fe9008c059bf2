"""The package's names for asyncio."""
from __future__ import annotations

import asyncio
import os
import socket as sockets
from types import TracebackType
from typing import Any, AsyncIterator, Callable, Generator, Generic, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union

from . import _admit, _flows
from ._admit import A, Admitted, AdmittedFolder
from ._drive import BLOCK, patience, rights
from ._errors import NotJudged
from ._files import Input, Path
from ._judges import TIMEOUT, ConnectError, Flow, Run, Sleep, Talk, Work
from ._verdict import SetVerdict, Verdict

T = TypeVar("T")
Outcome = Union[Verdict, NotJudged, OSError]


def woken(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


async def _send(s: sockets.socket, data: bytes, fds: Any) -> None:
    loop = asyncio.get_running_loop()
    while True:
        try:
            sent = s.sendmsg([data], rights(fds))
        except BlockingIOError:
            ready = loop.create_future()
            loop.add_writer(s, woken, ready)
            try:
                await ready
            finally:
                loop.remove_writer(s)
            continue
        return await loop.sock_sendall(s, data[sent:])


async def _talk(op: Talk) -> None:
    loop = asyncio.get_running_loop()
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as s:
        s.setblocking(False)
        try:
            await asyncio.wait_for(loop.sock_connect(s, op.path), patience(op.deadline))
        except asyncio.TimeoutError:
            raise TimeoutError("out of time") from None
        except OSError as e:
            raise ConnectError(os.strerror(e.errno) if e.errno else str(e)) from None
        try:
            try:
                for data, fds in op.messages:
                    await asyncio.wait_for(_send(s, data, fds), patience(op.deadline))
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused on the way: the answer says why
            while not op.answer.done:
                op.answer.feed(await asyncio.wait_for(loop.sock_recv(s, BLOCK), patience(op.deadline)))
        except asyncio.TimeoutError:
            raise TimeoutError("out of time") from None


async def _run_program(op: Run) -> Tuple[int, bytes, bytes]:
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*op.argv, stdin=nothing if op.stdin is None else op.stdin, stdout=pipe, stderr=pipe,
                                                   cwd=op.cwd)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), op.deadline.left())
    except asyncio.TimeoutError:
        raise TimeoutError("out of time") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, output, errors


async def _perform(op: Any) -> Any:
    if isinstance(op, Talk):
        return await _talk(op)
    if isinstance(op, Run):
        return await _run_program(op)
    assert isinstance(op, Sleep)
    return await asyncio.sleep(op.seconds)


async def _finish(future: asyncio.Future[T]) -> Tuple[T, Optional[asyncio.CancelledError]]:
    try:
        return await asyncio.shield(future), None
    except asyncio.CancelledError as e:
        await asyncio.wait([future])
        return future.result(), e


async def _run(flow: Generator[Any, Any, T]) -> T:
    value: Any = None
    error: Optional[BaseException] = None
    cancelled: Optional[asyncio.CancelledError] = None
    while True:
        try:
            op = flow.send(value) if error is None else flow.throw(error)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        value, error = None, cancelled
        if cancelled is not None:
            cancelled = None
            continue
        try:
            if isinstance(op, Work):  # a thread cannot be stopped: the flow gets, and so closes, what it opens; then it is told
                value, cancelled = await _finish(asyncio.get_running_loop().run_in_executor(None, op.function))
            else:
                value = await _perform(op)
        except BaseException as e:  # noqa: BLE001 - the flow decides what it means
            error = e


async def scan(what: Input, *, policy: Optional[str] = None, name: Optional[str] = None, sha256: Optional[str] = None,
               tensors: bool = False, tensor_digests: bool = False, timeout: float = TIMEOUT, socket: Optional[str] = None) -> Verdict:
    return await _run(_flows.scan(what, policy, name, sha256, tensors, tensor_digests, timeout, socket))


async def scan_set(what: Union[Path, Mapping[str, Path], Iterable[Path]], *, policy: Optional[str] = None, tensors: bool = False,
                   tensor_digests: bool = False, exclude: Iterable[str] = (), timeout: float = TIMEOUT,
                   socket: Optional[str] = None) -> SetVerdict:
    return await _run(_flows.scan_set(what, policy, tensors, tensor_digests, exclude, timeout, socket))


async def scan_many(inputs: Iterable[Input], *, at_once: int = 4, policy: Optional[str] = None, timeout: float = TIMEOUT,
                    socket: Optional[str] = None) -> AsyncIterator[Tuple[Input, Outcome]]:
    async def one(what: Input) -> Outcome:
        try:
            return await scan(what, policy=policy, timeout=timeout, socket=socket)
        except (NotJudged, OSError) as e:
            return e

    window: List[Tuple[Input, asyncio.Task[Outcome]]] = []
    try:
        for what in inputs:
            window.append((what, asyncio.ensure_future(one(what))))
            if len(window) == at_once:
                first, done = window.pop(0)
                yield first, await done
        for first, done in window:
            yield first, await done
    finally:
        for _, done in window:
            done.cancel()


async def stored(sha256: str, *, policy: Optional[str] = None, name: Optional[str] = None, timeout: float = TIMEOUT,
                 socket: Optional[str] = None) -> Optional[Verdict]:
    return await _run(_flows.stored(sha256, policy, name, timeout, socket))


class Admission(Generic[A]):
    """What admit() returns: `async with` it."""

    def __init__(self, flow: Callable[[], Flow[A]]) -> None:
        self._flow: Callable[[], Flow[A]] = flow
        self._given: List[A] = []

    async def __aenter__(self) -> A:
        self._given.append(await _run(self._flow()))
        return self._given[-1]

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], where: Optional[TracebackType]) -> None:
        self._given.pop().close(kind is None)


def admit(path: Path, policy: Optional[str] = None, into: Optional[Path] = None, *, memory: bool = False, name: Optional[str] = None,
          timeout: float = TIMEOUT, socket: Optional[str] = None) -> Admission[Admitted]:
    return Admission(lambda: _admit.admitting(path, policy, into, memory, name, timeout, socket))


def admit_folder(folder: Path, policy: Optional[str] = None, into: Optional[Path] = None, *, exclude: Iterable[str] = (),
                 name: Optional[str] = None, timeout: float = TIMEOUT, socket: Optional[str] = None) -> Admission[AdmittedFolder]:
    return Admission(lambda: _admit.admitting_folder(folder, policy, into, exclude, name, timeout, socket))
