"""A private weighlockd, or bench_bare in its place, on a socket in the scratch folder."""
import contextlib
import os
import socket
import subprocess
import sys
import time

READY_SECONDS = 20


def _answers(path):
    """weighlockd listens before it is ready, and bench_bare answers anything: so, any answer at all."""
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(READY_SECONDS)
            s.connect(path)
            s.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return s.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


@contextlib.contextmanager
def _serving(command, path, log_path):
    with open(log_path, "wb") as log:
        process = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not _answers(path):
            if process.poll() is not None or time.monotonic() > deadline:
                with open(log_path, encoding="utf-8", errors="replace") as f:
                    sys.exit(f"bench: {command[0]} did not get ready: {f.read()[-800:]}")
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait()
        if os.path.exists(path):
            os.unlink(path)


def weighlockd(bench, *options):
    """Yields the monitor's pid; the socket is bench.socket."""
    spool = bench.path("spool")
    os.makedirs(spool, exist_ok=True)
    os.chmod(spool, 0o1777)  # started as root, weighlockd spools as somebody else
    return _serving([bench.program("daemon", "weighlockd"), "--socket", bench.socket, "--spool-dir", spool,
                     "--log-level", "warning", *options], bench.socket, bench.path("weighlockd.log"))


def bare(bench):
    path = bench.path("bare.sock")
    return _serving([bench.program("bench", "bench_bare"), "serve", path], path, bench.path("bare.log"))


def children_named(pid, name):
    """pids of pid's children whose program has this name."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        children = [int(word) for word in f.read().split()]
    found = []
    for child in children:
        with contextlib.suppress(OSError), open(f"/proc/{child}/comm", encoding="utf-8") as f:
            if f.read().strip() == name:
                found.append(child)
    return found


def peak_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM:"))
