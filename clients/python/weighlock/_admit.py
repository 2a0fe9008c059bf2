"""From verdict to load: a context manager that gives exactly the bytes that were judged, or raises.

What it holds against: the file's author, and users other than the caller.  Who is the caller's own user can change what is
kept; that it was changed while it was in use is an error at the end, as far as the kernel's records tell.
"""
from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import IO, Any, Callable, Dict, Generic, Iterable, List, Optional, Tuple, Type, TypeVar

from ._drive import run
from ._errors import NotJudged
from ._files import Path, close_all, copy, digest_of, memory_file, open_path, pattern_filter, row_of, sealed, walk
from ._judges import Deadline, Flow, Held, Question, Work, find_judge
from ._store import Kept, Store, digest_of_set
from ._verdict import SetVerdict, Verdict, require


class Admitted:
    """`path` for whoever opens files by name; it is also os.fspath() of this.  `file`: the same, open."""

    def __init__(self, path: str, fd: int, sha256: str, verdict: Verdict, kept: Optional[Kept]) -> None:
        self.path, self.sha256, self.verdict = path, sha256, verdict
        self.file: IO[bytes] = os.fdopen(fd, "rb")
        self._kept = kept

    def __fspath__(self) -> str:
        return self.path

    def close(self, good: bool = True) -> None:
        """Raises NotJudged where what was given is not any more what it was."""
        kept, file = self._kept, self.file
        changed = kept is not None and good and not (
            kept.unchanged() and (file.closed or row_of(os.fstat(file.fileno())) == kept.rows[""]))
        file.close()
        if changed:
            raise NotJudged(f"{self.path} was changed while it was in use: what was read may not be what was judged", 1.0)


class AdmittedFolder:
    """`path`: a folder with the original names in it.  `files`: the path of each."""

    def __init__(self, kept: Kept) -> None:
        self.path, self.sha256 = kept.path, kept.sha256
        self.verdict = SetVerdict.of(kept.documents[0], kept.documents[1:])
        self.files: Dict[str, str] = {name: kept.where(name) for name in kept.digests}
        self._kept = kept

    def __fspath__(self) -> str:
        return self.path

    def close(self, good: bool = True) -> None:
        if good and not self._kept.unchanged():
            raise NotJudged(f"{self.path} was changed while it was in use: what was read may not be what was judged", 1.0)


A = TypeVar("A", Admitted, AdmittedFolder)


class Admission(Generic[A]):
    """What admit() returns: `with` it, as often as you like; each time it is asked anew."""

    def __init__(self, flow: Callable[[], Flow[A]]) -> None:
        self._flow: Callable[[], Flow[A]] = flow
        self._given: List[A] = []

    def __enter__(self) -> A:
        self._given.append(run(self._flow()))
        return self._given[-1]

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], where: Optional[TracebackType]) -> None:
        self._given.pop().close(kind is None)


class Digests:
    """Of copies, taken by a thread of this process while another one judges them: what is kept goes by these."""

    def __init__(self, held: Iterable[Held]) -> None:
        self._fds: List[Tuple[str, int]] = []
        self._stop = False
        self._result: Future[Dict[str, str]] = Future()
        try:
            for h in held:
                self._fds.append((h.name, os.dup(h.fd)))
        except BaseException:
            self._close()
            raise
        threading.Thread(target=self._take, daemon=True).start()

    def _close(self) -> None:
        for _, fd in self._fds:
            os.close(fd)

    def _take(self) -> None:
        try:
            self._result.set_result({name: digest_of(fd, lambda: self._stop) for name, fd in self._fds})
        except BaseException as e:  # noqa: BLE001 - told to who waits for it
            self._result.set_exception(e)
        finally:
            self._close()

    def wait(self) -> Dict[str, str]:
        return self._result.result()

    def stop(self) -> None:
        self._stop = True


def admitting(path: Path, policy: Optional[str], into: Optional[Path], memory: bool, name: Optional[str], timeout: float,
              socket: Optional[str]) -> Flow[Admitted]:
    deadline, judge, question = Deadline(timeout), find_judge(socket), Question(policy)
    source = yield Work(lambda: open_path(path))
    try:
        called = name or os.path.basename(os.fspath(path))
        if "/" in called or called in (".", ".."):
            raise ValueError(f"{called!r} is no name of a file")
        if memory:
            return (yield from in_memory(source, called, judge, question, deadline))
        return (yield from in_folder(source, called, judge, question, deadline, into))
    finally:
        os.close(source)


def in_memory(source: int, name: str, judge: Any, question: Question, deadline: Deadline) -> Flow[Admitted]:
    """Filled once, and sealed: nobody at all can change it."""
    def fill() -> Held:
        fd = memory_file(name)
        try:
            copy(source, fd)
        except BaseException:
            os.close(fd)
            raise
        held = sealed(fd)
        return Held(name, held, digest_of(held))

    held = yield Work(fill)
    try:
        verdict = require((yield from judge.file(held, question, deadline)))
    except BaseException:
        os.close(held.fd)
        raise
    return Admitted(f"/proc/self/fd/{held.fd}", held.fd, held.sha256, verdict, None)


def in_folder(source: int, name: str, judge: Any, question: Question, deadline: Deadline, into: Optional[Path]) -> Flow[Admitted]:
    who = yield from judge.identity(question, deadline)
    store = yield Work(lambda: Store(into))
    kept: Kept = yield Work(lambda: store.known("sha256", [row_of(os.fstat(source))], [name], name, who))
    if kept is None:
        staged = yield Work(lambda: store.stage(source, name))
        try:
            digests, verdict = yield from judged_copies(staged.held, lambda: judge.file(staged.held[0], question, deadline))
            if verdict.sha256 != digests[name]:
                raise NotJudged(f"{name}: the verdict is about other bytes than were given", 1.0)
            kept = yield Work(lambda: store.keep(staged, digests[name], verdict.raw, who))
            store.note_sources(staged.sources, [name], who, kept)
        finally:
            staged.close()
    admitted: Admitted = yield Work(lambda: opened(kept))
    return admitted


def opened(kept: Kept) -> Admitted:
    fd = open_path(kept.path)
    if row_of(os.fstat(fd)) != kept.rows[""]:
        os.close(fd)
        raise NotJudged(f"{kept.path} was changed after it was judged", 1.0)
    return Admitted(kept.path, fd, kept.sha256, Verdict.of(kept.documents[0]), kept)


def judged_copies(held: List[Held], judge: Callable[[], Flow[Any]]) -> Flow[Any]:
    """The digests of copies and an accept about them; both are taken at a time."""
    digests = Digests(held)
    try:
        verdict = require((yield from judge()))
        return (yield Work(digests.wait)), verdict
    finally:
        digests.stop()


def admitting_folder(folder: Path, policy: Optional[str], into: Optional[Path], exclude: Iterable[str], name: Optional[str],
                     timeout: float, socket: Optional[str]) -> Flow[AdmittedFolder]:
    deadline, judge, question = Deadline(timeout), find_judge(socket), Question(policy)
    called = name or os.path.basename(os.path.realpath(folder)) or "folder"
    if "/" in called or called in (".", ".."):
        raise ValueError(f"{called!r} is no name of a folder")
    who = yield from judge.identity(question, deadline)
    store = yield Work(lambda: Store(into))
    found = yield Work(lambda: walk(folder, pattern_filter(exclude)))
    try:
        names = [f.name for f in found]
        kept = yield Work(lambda: store.known("sets", [row_of(os.fstat(f.fd)) for f in found], names, called, who))
        if kept is None:
            staged = yield Work(lambda: store.stage_set([(f.name, f.fd) for f in found], called))
            try:
                kept = yield from judged_folder(store, staged, called, judge, question, deadline, who)
                store.note_sources(staged.sources, names, who, kept)
            finally:
                staged.close()
    finally:
        close_all(found)
    return AdmittedFolder(kept)


def judged_folder(store: Store, staged: Any, name: str, judge: Any, question: Question, deadline: Deadline, who: Any) -> Flow[Kept]:
    held = staged.held
    path = os.path.join(staged.folder.path, name)
    digests, verdict = yield from judged_copies(held, lambda: judge.set(held, path, name, question, deadline))
    members = [m["sha256"] for m in verdict.raw["members"]]
    if members != [digests[n] for n in sorted(digests, key=os.fsencode)] or verdict.sha256 not in (None, digest_of_set(digests)):
        raise NotJudged(f"{name}: the verdict is about other bytes than were given", 1.0)
    documents = [verdict.raw, *(file.raw for file in verdict.files)]
    kept: Kept = yield Work(lambda: store.keep_set(staged, digests, name, documents, who))
    return kept


