"""Who judges, the daemon or the command, as flows: generators that yield what has to be done and are sent what came of it.

So there is one text for what is asked, believed and asked again; `_drive.py` and `aio.py` do the reading, writing and waiting.
"""
from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generator, List, Optional, Sequence, TypeVar, Union

from . import _wire
from ._errors import NotJudged, Unavailable
from ._verdict import FILE_SCHEMA, SET_SCHEMA, Document, SetVerdict, Verdict, number, part, rows

SOCKET = "/run/weighlock/weighlock.sock"
TIMEOUT = 3600.0  # seconds for one call, with all of its waiting
SILENCE = 60.0  # without a byte: the daemon says something every five seconds
PAUSE_MAX = 30.0
BUILT_IN = ("default", "ci", "reference", "strict")  # names of policies that win over files

T = TypeVar("T")
Flow = Generator[Any, Any, T]


class Deadline:
    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        return max(self._end - time.monotonic(), 0.0)


# ---- what a driver does ----

@dataclass
class Talk:
    """Connect, send, and feed the answer until it is done.  Sent: None.  ConnectError where nobody is there."""

    path: str
    messages: Sequence[_wire.Message]
    answer: _wire.Answer
    deadline: Deadline


class ConnectError(Exception):
    pass


@dataclass
class Run:
    """Run a program.  Sent: (status, standard output, standard error); TimeoutError where it was killed for its time."""

    argv: List[str]
    stdin: Optional[int]
    cwd: Optional[str]
    deadline: Deadline


@dataclass
class Sleep:
    seconds: float


@dataclass
class Work:
    """Call what may block.  Sent: what it returned."""

    function: Callable[[], Any]


# ---- what is asked ----

@dataclass(frozen=True)
class Question:
    policy: Optional[str] = None
    tensors: bool = False
    tensor_digests: bool = False

    def line_max(self) -> int:
        return _wire.LISTED_MAX if self.tensors or self.tensor_digests else _wire.LINE_MAX

    def values(self) -> Dict[str, Optional[str]]:
        return {"policy": self.policy, "tensors": "1" if self.tensors or self.tensor_digests else None,
                "tensor_digests": "1" if self.tensor_digests else None}

    def options(self) -> List[str]:
        policy = self.policy
        if policy is not None and policy not in BUILT_IN:
            policy = os.path.abspath(policy)  # a file, and the command may run elsewhere
        return ([f"--policy={policy}"] if policy is not None else []) + \
            (["--tensor-digests"] if self.tensor_digests else ["--tensors"] if self.tensors else [])


@dataclass(frozen=True)
class Held:
    """A file to be judged: an open descriptor, its size, and its digest where that is known."""

    name: str
    fd: int
    sha256: Optional[str] = None


def judged(raw: Document, held: Held, size: int) -> Verdict:
    """A verdict that is one.  Accept needs proof: a whole scan of as many bytes as were given, and of these."""
    verdict = Verdict.of(raw)
    if raw.get("schema") != FILE_SCHEMA:
        raise NotJudged(f"{held.name}: the verdict's schema is {raw.get('schema')!r}")
    if verdict.verdict == "error":
        raise unfinished(held.name, raw, verdict)
    if verdict.verdict == "accept" and not (verdict.accepted and verdict.size == size and re.fullmatch("[0-9a-f]{64}", verdict.sha256 or "")
                                            and held.sha256 in (None, verdict.sha256)):
        raise NotJudged(f"{held.name}: accept, but not of the bytes that were given", 1.0)
    return verdict


def unfinished(name: str, raw: Document, verdict: Any) -> NotJudged:
    scan = part(raw, "scan")
    why = f"{name}: the scan did not finish: {scan.get('error')}" + (f" ({scan['detail']})" if scan.get("detail") else "")
    return NotJudged(why, None if scan.get("retry") == "never" else 1.0, verdict)


def judged_set(raw: Document, files: List[Document], held: Sequence[Held], sizes: Sequence[int], name: str) -> SetVerdict:
    """Likewise of a set.  Its members come by the bytes of their names; each must be one that was given."""
    verdict = SetVerdict.of({**raw, "name": raw.get("name") or name}, files)
    if raw.get("schema") != SET_SCHEMA:
        raise NotJudged(f"{name}: the verdict's schema is {raw.get('schema')!r}")
    if verdict.verdict == "error":
        raise unfinished(name, raw, verdict)
    if verdict.verdict != "accept":
        return verdict
    order = sorted(range(len(held)), key=lambda i: os.fsencode(held[i].name))
    members = rows(raw, "members")
    good = verdict.complete and len(members) == len(held) == len(files) and all(file.accepted for file in verdict.files)
    for member, i in zip(members, order):
        good = good and member.get("verdict") == "accept" and number(member.get("size")) == sizes[i] and \
            bool(member.get("sha256")) and held[i].sha256 in (None, member.get("sha256"))
    if not good:
        raise NotJudged(f"{name}: accept, but not of the files that were given", 1.0)
    return verdict


def size_of(held: Held) -> int:
    return os.fstat(held.fd).st_size


class Daemon:
    def __init__(self, path: str) -> None:
        self.path = path

    def _ask(self, messages: Sequence[_wire.Message], line_max: int, deadline: Deadline) -> Flow[_wire.Answer]:
        """429 and 503 are waited for, as long as there is time for it."""
        pause = 1.0
        while True:
            answer = _wire.Answer(line_max)
            try:
                yield Talk(self.path, messages, answer, deadline)
                problem = answer.problem()
            except ConnectError as e:
                raise Unavailable(f"no daemon answers at {self.path} ({e}): start weighlockd, name another socket in "
                                  "WEIGHLOCK_SOCKET, or set it to nothing to judge without a daemon") from None
            except (OSError, _wire.Broken) as e:  # TimeoutError among them
                raise NotJudged(f"no answer from the daemon: {e or 'out of time'}", pause) from None
            if problem is None:
                return answer
            if problem.type == "forbidden":
                raise Unavailable(f"the daemon at {self.path} does not serve this user: {problem.text}")
            wait = max(problem.after, pause)
            if problem.status not in (429, 503) or not problem.later or wait >= deadline.left():
                raise NotJudged(f"{problem.status}: {problem.text}", wait if problem.later else None)
            yield Sleep(wait)
            pause = min(2 * pause, PAUSE_MAX)

    def _scan(self, messages: Sequence[_wire.Message], question: Question, deadline: Deadline) -> Flow[List[Document]]:
        answer = yield from self._ask(messages, question.line_max(), deadline)
        if not answer.stream:
            raise NotJudged("the answer is not the stream that was asked for", 1.0)
        return answer.documents

    def file(self, held: Held, question: Question, deadline: Deadline) -> Flow[Verdict]:
        size = size_of(held)
        messages = _wire.scan([held.fd], None, name=_wire.shown(held.name), sha256=held.sha256, **question.values())
        documents = yield from self._scan(messages, question, deadline)
        if len(documents) != 1:
            raise NotJudged("something follows the verdict", 1.0)
        return judged(documents[0], held, size)

    def set(self, held: Sequence[Held], folder: Optional[str], name: str, question: Question, deadline: Deadline) -> Flow[SetVerdict]:
        if not 1 <= len(held) <= _wire.MEMBERS_MAX:
            raise NotJudged(f"{name}: a daemon takes sets of 1 to {_wire.MEMBERS_MAX} files; these are {len(held)}")
        sizes = [size_of(h) for h in held]
        messages = _wire.scan([h.fd for h in held], [_wire.shown(h.name) for h in held], **question.values())
        documents = yield from self._scan(messages, question, deadline)
        return judged_set(documents[-1], documents[:-1], held, sizes, name)

    def stored(self, sha256: str, name: Optional[str], question: Question, deadline: Deadline) -> Flow[Optional[Verdict]]:
        target = f"/v1/verdicts/{sha256}" + _wire.query(name=name and _wire.shown(name), policy=question.policy)
        while True:
            try:
                answer = yield from self._ask(_wire.get(target), question.line_max(), deadline)
            except NotJudged as e:
                if str(e).startswith("404: "):
                    return None
                raise
            if answer.status == 200:
                verdict = Verdict.of(answer.documents[-1])
                if verdict.sha256 != sha256:
                    raise NotJudged("the kept verdict is about other bytes")
                return verdict
            wait = float(answer.headers.get("retry-after", "1"))
            if wait >= deadline.left():
                raise NotJudged("it is being scanned right now", wait)
            yield Sleep(wait)

    def identity(self, question: Question, deadline: Deadline) -> Flow[List[Any]]:
        """What a verdict of before must have been made by to count today."""
        version = (yield from self._ask(_wire.get("/v1/version"), _wire.LINE_MAX, deadline)).documents[-1]
        return ["daemon", self.path, version.get("version"), version.get("rules"), question.policy, today()]


def today() -> int:
    """Rules of a policy and entries of a baseline that accept expire, from one day (UTC) to the next."""
    return int(time.time()) // 86400


class Command:
    def __init__(self, program: str) -> None:
        self.program = os.path.abspath(program)

    def _run(self, arguments: List[str], stdin: Optional[int], cwd: Optional[str], question: Question,
             deadline: Deadline) -> Flow[List[Document]]:
        argv = [self.program, "scan", "--format=json", "--no-progress", "--color=never", *question.options(), *arguments]
        try:
            status, output, errors = yield Run(argv, stdin, cwd, deadline)
        except TimeoutError:
            raise NotJudged("the scan did not end in time", 1.0) from None
        except OSError as e:
            raise Unavailable(f"{self.program} cannot be run: {e}") from None
        said = errors.decode("utf-8", "replace").strip()
        lines = output.split(b"\n")
        try:
            if lines.pop():
                raise _wire.Broken("the last line has no end")
            documents = [_wire.parse_json(line) for line in lines]
        except _wire.Broken as e:
            raise NotJudged(f"weighlock: {e}; {said}", 1.0) from None
        if documents:
            return documents
        if status == 2:
            raise Unavailable(f"{said or 'nothing can be judged here'}; `{self.program} doctor` tells what this machine lacks")
        raise NotJudged(said or f"weighlock ended with {status}")

    def file(self, held: Held, question: Question, deadline: Deadline) -> Flow[Verdict]:
        size = size_of(held)
        documents = yield from self._run(["--name", _wire.shown(held.name), "--", "-"], held.fd, None, question, deadline)
        if len(documents) != 1:
            raise NotJudged("something follows the verdict", 1.0)
        return judged(documents[0], held, size)

    def set(self, held: Sequence[Held], folder: Optional[str], name: str, question: Question, deadline: Deadline) -> Flow[SetVerdict]:
        """The command reads sets in folders.  It does so from inside: rules of policies then see the names that a daemon is told."""
        where: str = folder if folder is not None else (yield Work(lambda: folder_of(held)))
        try:
            sizes = [size_of(h) for h in held]
            documents = yield from self._run(["--allow-empty", "--", "."], None, where, question, deadline)
        finally:
            if folder is None:
                shutil.rmtree(where, ignore_errors=True)
        files = [inside(d) for d in documents if d.get("schema") == FILE_SCHEMA]
        sets = [{**d, "name": name} for d in documents if d.get("schema") == SET_SCHEMA]
        if len(files) != len(held) or len(sets) > 1 or len(files) + len(sets) != len(documents):
            raise NotJudged(f"{name}: other files were judged than were given", 1.0)
        return judged_set(sets[0] if sets else together(files, held, name), files, held, sizes, name)

    def stored(self, sha256: str, name: Optional[str], question: Question, deadline: Deadline) -> Flow[Optional[Verdict]]:
        raise Unavailable("only a daemon keeps verdicts (store: on in weighlockd's configuration); none answers here")
        yield

    def identity(self, question: Question, deadline: Deadline) -> Flow[List[Any]]:
        def look() -> List[Any]:
            st = os.stat(self.program)
            row = ["command", self.program, st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns, question.policy, today()]
            if question.policy and os.path.isfile(question.policy):
                with open(question.policy, "rb") as f:
                    row.append(hashlib.sha256(f.read()).hexdigest())
            return row

        row: List[Any] = yield Work(look)
        return row


Judge = Union[Daemon, Command]
WORST = ("reject", "error", "review")  # before accept


def inside(raw: Document) -> Document:
    """A file's verdict, less the ./ before its name."""
    name = part(raw, "file").get("name")
    return {**raw, "file": {**raw["file"], "name": name[2:]}} if isinstance(name, str) and name.startswith("./") else raw


def together(files: List[Document], held: Sequence[Held], name: str) -> Document:
    """Of a folder whose files say nothing about each other the command gives no verdict: it is the worst of theirs.  They
    come in the order in which the folder was walked, which is that of `held`."""
    order = sorted(range(len(held)), key=lambda i: os.fsencode(held[i].name))
    words = {str(file.get("verdict")) for file in files}
    worst = next((word for word in WORST if word in words), "accept" if words <= {"accept"} else "review")
    return {"schema": SET_SCHEMA, "verdict": worst, "complete": all(f.get("complete") is True for f in files), "name": name, "sha256": None,
            "reasons": [] if worst == "accept" else ["member"], "findings": [], "policy": part(files[0], "policy") if files else {},
            "scan": part(files[0], "scan") if files else {},
            "members": [{"name": held[i].name, "verdict": files[i].get("verdict"), **part(files[i], "file")} for i in order]}


def folder_of(held: Sequence[Held]) -> str:
    import tempfile

    scratch = tempfile.mkdtemp(prefix="weighlock-")
    try:
        for h in held:
            path = os.path.join(scratch, h.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as to, open(os.dup(h.fd), "rb") as source:
                source.seek(0)
                shutil.copyfileobj(source, to, 1 << 20)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return scratch


def find_command() -> Optional[str]:
    """The program that this package carries, else one that is installed."""
    carried = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_programs", "bin", "weighlock")
    named = os.environ.get("WEIGHLOCK_COMMAND")
    if named:
        return named
    if os.access(carried, os.X_OK):
        return carried
    found = shutil.which("weighlock")
    return found if found and os.path.isabs(found) else None


def find_judge(socket: Optional[str] = None) -> Judge:
    """`socket`: of the daemon; "" for none; None: WEIGHLOCK_SOCKET, else the usual one where this user can see it.  A daemon
    that was named, or is there, and does not answer is never passed over: its operator's policy is not ours."""
    if not sys.platform.startswith("linux"):
        raise Unavailable("weighlock judges files on Linux only: ask on a Linux machine, or in a container, and move the file there")
    where = socket if socket is not None else os.environ.get("WEIGHLOCK_SOCKET")
    if where is None:
        where = SOCKET if os.path.exists(SOCKET) else ""
    if where:
        return Daemon(where)
    program = find_command()
    if program is None:
        raise Unavailable("no daemon, and no program that judges: install the wheel for Linux on x86-64 or the package weighlock, "
                          f"start weighlockd (its socket is {SOCKET}), or name a program in WEIGHLOCK_COMMAND")
    return Command(program)
