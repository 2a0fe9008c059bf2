"""A real loader in a child process, with limits: what every test in this folder opens files with.

    import child

    def test_...():
        child.need(child.TODAY, "numpy")
        with child.Server(child.TODAY, "import numpy", "numpy.load(path, allow_pickle=False)") as server:
            result = server.run(path="x.npy")
            assert not result.canary and not result.events

    child.run(child.DEBIAN, "import pickle; pickle.loads(data)", data=b"...")      # a single case: the same, once

A Server is one process of the given interpreter in which the setup (trusted: imports) ran once; each case is a fork of
it and runs the case's snippet with `data` (bytes) or `path` (of a file) in its variables.  What the snippet leaves in
`value` comes back, if JSON can say it.  A case has a folder of its own as its working directory, limits on address
space, processor time, written bytes and processes, no descriptor but the standard ones, next to no environment and no
network.  Payloads touch a file `canary` in the working directory; the result tells whether it is there.

The server is the first process of a PID namespace where the kernel lets us make one: whatever a case started ends with
it.  Where neither root nor a user namespace is to be had, `Server.confined` is False and only the limits hold.  The wall
clock only kills: no test asserts a time.

Audit events (PEP 578) of a case are recorded when `watch` names them; see Watch.  The second half of this file is what
runs inside: this file is its own program, `python child.py`.
"""
import atexit
import dataclasses
import functools
import inspect
import json
import os
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import time

MIB = 1 << 20
OUTPUT_MAX = 64 * 1024       # of standard output and standard error, each
ANSWER_MAX = 16 * MIB        # what a case may say back
GRACE_S = 60                 # the parent's patience beyond the server's own


@dataclasses.dataclass
class Limits:
    memory_bytes: int = 1024 * MIB    # address space beyond what the server had when its setup was done
    cpu_s: int = 5
    written_bytes: int = 64 * MIB     # the largest file it may write
    processes: int = 64               # beyond those the user has now; the kernel does not count root's
    wall_s: float = 30                # killed then


@dataclasses.dataclass
class Watch:
    """Audit events to record: `events` by prefix of their name.  allow[event] lists first arguments that are fine, each
    with all below it ("numpy" also "numpy.core", "/usr/lib" also its files).  What an allowed import does itself is not
    recorded.  With `stop`, the case ends (exit 77) before the first event that is not allowed does its work."""
    events: tuple = ("import", "exec", "open", "os.", "shutil.", "subprocess.", "socket.", "ctypes.", "pty.",
                     "function.__new__", "builtins.input", "builtins.breakpoint", "urllib.", "webbrowser.", "ftplib.",
                     "glob.", "tempfile.", "mmap.", "signal.", "fcntl.", "sqlite3.", "syslog.", "cpython.", "sys.set")
    allow: dict = dataclasses.field(default_factory=dict)
    stop: bool = False


STOPPED = 77


@dataclasses.dataclass
class Result:
    status: int                 # exit status, or minus the signal that ended it
    timed_out: bool
    canary: bool
    value: object               # `value` of the snippet; None if it did not come to its end
    error: str                  # the exception that ended the snippet, "" if none
    events: list                # [event, argument, ...]: those watched and not allowed
    out: bytes
    err: bytes
    peak_bytes: int             # largest resident set, the server's own pages included
    base_bytes: int             # the server's resident set: what every case begins with
    cpu_s: float

    @property
    def signal(self):
        return -self.status if self.status < 0 else None

    @property
    def loaded(self):
        return self.status == 0 and not self.error


class Loader:
    """An interpreter with its libraries."""

    def __init__(self, name, python):
        self.name, self.python = name, python

    def __str__(self):
        return self.name

    @functools.lru_cache(maxsize=None)
    def has(self, module):
        """Whether it can import it; asked in a process of its own."""
        if not os.path.exists(self.python):
            return False
        done = subprocess.run([self.python, "-I", "-B", "-c", f"import {module}"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={}, check=False, timeout=300)
        return done.returncode == 0


VENV = os.environ.get("WEIGHLOCK_LOADERS_VENV") or os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "build", "loaders")
DEBIAN = Loader("debian", "/usr/bin/python3")
TODAY = Loader("today", os.path.join(VENV, "bin", "python"))
LOADERS = (DEBIAN, TODAY)


def need(loader, *modules):
    """Skip the test, by name, where the interpreter or one of its libraries is missing."""
    import tap
    if not os.path.exists(loader.python):
        raise tap.Skip(f"no interpreter {loader} ({loader.python})")
    for module in modules:
        if not loader.has(module):
            raise tap.Skip(f"{loader} has no {module}")


@functools.lru_cache(maxsize=None)
def jail():
    """The words before the interpreter's that take network and other processes away; none if nobody lets us."""
    unshare = shutil.which("unshare")
    for extra in ([], ["--user", "--map-root-user"]):
        words = [unshare, *extra, "--net", "--ipc", "--pid", "--fork", "--kill-child=KILL"]
        if unshare and subprocess.run([*words, "true"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      check=False).returncode == 0:
            return words
    return []


def source_of(what):
    """A snippet: text as it is; a function as its source and a call with `data`, or `path` if its parameter says so."""
    if isinstance(what, str):
        return textwrap.dedent(what)
    argument = next(iter(inspect.signature(what).parameters), "")
    return f"{textwrap.dedent(inspect.getsource(what))}\nvalue = {what.__name__}({argument})\n"


class Ended(Exception):
    """The server itself ended or said nothing: a trouble of the test, not an answer about the file."""


class Server:
    """Interpreter with `setup` done, that forks per case and runs `case` in the fork."""

    def __init__(self, loader, setup, case, limits=None, watch=None):
        self.loader, self.limits = loader, limits or Limits()
        self.confined = bool(jail())
        self.folder = tempfile.mkdtemp(prefix="loader-")
        self.log = os.path.join(self.folder, "log")
        env = {"HOME": self.folder, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1",
               "OPENBLAS_NUM_THREADS": "1"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*jail(), loader.python, "-I", "-B", os.path.abspath(__file__)], env=env,
                                            cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            start_new_session=True, bufsize=0)
        atexit.register(self.close)
        self.ask({"setup": source_of(setup), "case": source_of(case), "limits": dataclasses.asdict(self.limits),
                  "watch": dataclasses.asdict(watch) if watch else None}, b"")
        self.answer(300)

    def ask(self, head, body):
        head = json.dumps(head).encode()
        message = memoryview(struct.pack("<II", len(head), len(body)) + head + body)
        try:
            while message:
                message = message[self.process.stdin.write(message):]
        except OSError as e:
            raise self.ended("it took no case") from e

    def answer(self, patience_s):
        end = time.monotonic() + patience_s
        head, = struct.unpack("<I", self.read(4, end))
        return json.loads(self.read(head, end))

    def read(self, size, end):
        got = b""
        while len(got) < size:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise self.ended("it says nothing")
            part = self.process.stdout.read(size - len(got))
            if not part:
                raise self.ended("it ended")
            got += part
        return got

    def ended(self, what):
        self.stop()
        with open(self.log, "rb") as f:
            said = f.read()[-2000:].decode(errors="replace")
        return Ended(f"server of {self.loader}: {what}: {said}")

    def run(self, data=b"", path=None):
        """One case: bytes, or the absolute path of a file."""
        self.ask({"path": os.path.abspath(path) if path else None}, data)
        said = self.answer(self.limits.wall_s + GRACE_S)
        return Result(**{**said, "out": said["out"].encode("latin-1"), "err": said["err"].encode("latin-1")})

    def run_many(self, contents, suspicious_bytes=256 * MIB):
        """Results of many cases, in their order.  They run one after the other in one fork, which is many times faster; when
        anything was seen (an event, a canary, an early end, memory), each runs again in a fork of its own.  A clean batch
        gives None for each: nobody learns what they loaded."""
        sizes = [len(c) for c in contents]
        self.ask({"path": None, "sizes": sizes}, b"".join(contents))
        said = self.answer(self.limits.wall_s + GRACE_S)
        clean = (said["status"] == 0 and said["value"] == len(sizes) and not said["events"] and not said["canary"]
                 and said["peak_bytes"] - said["base_bytes"] < suspicious_bytes and said["cpu_s"] < self.limits.cpu_s / 2)
        return [None if clean else self.run(content) for content in contents]

    def stop(self):
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def close(self):
        atexit.unregister(self.close)
        self.stop()
        self.process.stdin.close()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()


def run(loader, case, data=b"", path=None, setup="", **options):
    """One case in a server of its own."""
    with Server(loader, setup, case, **options) as server:
        return server.run(data, path)


# ---- inside ----

def receive(fd):
    def exactly(size):
        got = bytearray()
        while len(got) < size:
            part = os.read(fd, size - len(got))
            if not part:
                os._exit(0)
            got += part
        return bytes(got)
    head, body = struct.unpack("<II", exactly(8))
    return json.loads(exactly(head)), exactly(body)


def send(fd, what):
    said = json.dumps(what).encode()
    view = memoryview(struct.pack("<I", len(said)) + said)
    while view:
        view = view[os.write(fd, view):]


def within(word, allowed):
    return any(word == a or word.startswith(a + ".") or word.startswith(a.rstrip("/") + "/") for a in allowed)


def watching(watch, case_path, code):
    """Begin to record audit events; the list they come into (None behind them: no more).  A hook stays to the end."""
    prefixes, allow, stop = tuple(watch["events"]), watch["allow"], watch["stop"]
    events, own = [], [case_path, os.getcwd()]
    bootstrap = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
    getframe = sys._getframe

    def in_an_import():
        frame = getframe(2)
        while frame is not None:
            if frame.f_code.co_filename in bootstrap:
                return True
            frame = frame.f_back
        return False

    def hook(event, args):
        if not event.startswith(prefixes) or events and events[-1] is None:
            return
        word = args[0] if args else ""
        if word is code:
            return
        if isinstance(word, bytes):
            word = os.fsdecode(word)
        if not isinstance(word, str):
            word = getattr(word, "co_filename", type(word).__name__)
        if within(word, allow.get(event, ())) or event == "open" and within(word, own):
            return
        if event != "import" and in_an_import():
            return
        if len(events) < 64:
            events.append([event, word[:200]])
        if stop:
            raise SystemExit(STOPPED)

    sys.addaudithook(hook)
    return events


def limit(limits, tasks):
    with open("/proc/self/statm", encoding="ascii") as f:
        size = int(f.read().split()[0]) * resource.getpagesize()
    for what, value in ((resource.RLIMIT_AS, size + limits["memory_bytes"]), (resource.RLIMIT_CPU, limits["cpu_s"]),
                        (resource.RLIMIT_FSIZE, limits["written_bytes"]), (resource.RLIMIT_CORE, 0),
                        (resource.RLIMIT_NPROC, tasks + limits["processes"])):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (value, value) if hard == resource.RLIM_INFINITY else (min(value, hard),) * 2)


def run_batch(job, sizes, data):
    """Each in variables of its own; how many were run."""
    at = 0
    for size in sizes:
        try:
            exec(job["code"], {**job["variables"], "data": data[at:at + size], "path": None, "value": None})
        except MemoryError:
            os._exit(1)                # which one it was is found out alone
        except Exception:  # noqa: BLE001 - it was refused; that is no event
            pass
        at += size
    return len(sizes)


def case_process(job, head, data, fds, tasks):
    """The fork: never returns."""
    answer, out, err = fds
    os.setsid()
    null = os.open("/dev/null", os.O_RDONLY)
    for have, want in ((null, 0), (out, 1), (err, 2), (answer, 3)):
        os.dup2(have, want)
    os.closerange(4, 1 << 16)
    limit(job["limits"], tasks)
    variables = {**job["variables"], "data": data, "path": head["path"], "value": None}
    events, error, status = [], "", 0
    try:
        if job["watch"]:
            events = watching(job["watch"], head["path"] or os.getcwd(), job["code"])
        if "sizes" in head:
            variables["value"] = run_batch(job, head["sizes"], data)
        else:
            exec(job["code"], variables)
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else 1
    except BaseException as e:  # noqa: BLE001 - whatever ends a loader is its answer
        error = type(e).__name__
        try:
            error += ": " + str(e)[:500]
        except Exception:  # noqa: BLE001 - an exception that cannot say itself
            pass
    if events and job["watch"]["stop"]:
        status = STOPPED
    heard = list(events)
    events.append(None)
    try:
        said = json.dumps({"value": variables["value"], "error": error, "events": heard})
    except Exception:  # noqa: BLE001 - no memory left, or a value JSON cannot say
        said = json.dumps({"value": None, "error": error or "value is not for JSON", "events": heard})
    said = said.encode()
    while said:
        said = said[os.write(3, said):]
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001 - what was written last, if it can be
            pass
    os._exit(status & 255)


def hear(pid, pipe, wall_s):
    """What the case says until it ends or its time is over: (bytes, timed out?)"""
    ended, said, end = os.pidfd_open(pid), bytearray(), time.monotonic() + wall_s
    os.set_blocking(pipe, False)
    wanted, dead, timed_out = [pipe, ended], False, False
    while not dead:
        ready = select.select(wanted, [], [], max(0, end - time.monotonic()))[0]
        timed_out = not ready
        dead = timed_out or ended in ready
        try:
            while part := os.read(pipe, 1 << 16):
                said += part[:max(0, ANSWER_MAX - len(said))]
            wanted = [ended]
        except BlockingIOError:
            pass
    os.close(ended)
    return bytes(said), timed_out


def end_all(pid):
    """Nothing of a case outlives it.  As the namespace's first process we reach all; else its session's group."""
    try:
        if os.getpid() == 1:
            os.kill(-1, signal.SIGKILL)
        else:
            os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def collect():
    try:
        while os.waitpid(-1, 0 if os.getpid() == 1 else os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def tail(fd):
    size = os.fstat(fd).st_size
    return os.pread(fd, OUTPUT_MAX, max(0, size - OUTPUT_MAX)).decode("latin-1")


def serve_case(job, head, data, number, tasks):
    folder = os.path.join(job["folder"], str(number))
    os.mkdir(folder)
    os.chdir(folder)
    for fd in job["outputs"]:
        os.ftruncate(fd, 0)
        os.lseek(fd, 0, os.SEEK_SET)
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        case_process(job, head, data, (w, *job["outputs"]), tasks)
    os.close(w)
    said, timed_out = hear(pid, r, job["limits"]["wall_s"])
    os.close(r)
    if timed_out:
        os.kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    end_all(pid)
    collect()
    try:
        answer = json.loads(said)
        answer = {"value": answer["value"], "error": str(answer["error"]), "events": list(answer["events"])}
    except (ValueError, KeyError, TypeError):
        answer = {"value": None, "error": "", "events": []}
    left = os.listdir(folder)
    os.chdir(job["folder"])
    if left:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        os.rmdir(folder)
    return {**answer, "status": os.waitstatus_to_exitcode(status), "timed_out": timed_out, "canary": "canary" in left,
            "out": tail(job["outputs"][0]), "err": tail(job["outputs"][1]), "peak_bytes": used.ru_maxrss * 1024,
            "base_bytes": job["base_bytes"], "cpu_s": used.ru_utime + used.ru_stime}


def tasks_of_user():
    """How many threads the user has now: what RLIMIT_NPROC counts."""
    count = 0
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat("/proc/" + name).st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            pass
    return count


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def serve():
    """Descriptor 0 brings questions, what was descriptor 1 takes answers; libraries may print, into nothing."""
    questions, answers = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    job, _ = receive(questions)
    job.update(folder=os.getcwd(), variables={"__name__": "case"}, outputs=[os.memfd_create("out"), os.memfd_create("err")])
    exec(compile(job["setup"], "<setup>", "exec"), job["variables"])
    job["code"] = compile(job["case"], "<case>", "exec")
    import gc
    gc.collect()
    gc.freeze()
    job["base_bytes"] = resident()
    tasks = tasks_of_user()
    send(answers, {})
    number = 0
    while True:
        head, data = receive(questions)
        number += 1
        send(answers, serve_case(job, head, data, number, tasks))


if __name__ == "__main__":
    serve()
