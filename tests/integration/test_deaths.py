"""Whoever dies, and however often the configuration is read again: each request has an answer or a closed connection in its time,
none has the verdict of another file, and with `audit: required` no verdict is given without its record.

In the gate a few of each.  As many as one likes:

    meson test -C build --no-rebuild -t 3 deaths --test-args 'kills=1000 reloads=1000 requests=100000'

What happens is counted in requests, not in seconds: after so many the next process is killed, or told to reload."""
import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time

import tap
from daemon import PATIENCE_S, Daemon, child_with, descendants, is_alive, model, options, read_reply, send_fds, until, zygote_of

OPTIONS = options()
KILLS, RELOADS, REQUESTS = (int(OPTIONS.get(name, n)) for name, n in (("kills", 18), ("reloads", 6), ("requests", 600)))
CLIENTS = 4
TIME_S = 120  # a request's: its worker's deadline is a third of it
ROLES = ("worker", "digester", "zygote", "keeper", "front", "monitor")


class Mortal(Daemon):
    """One whose monitor can be started again, with the same socket and the same log of verdicts."""

    def __init__(self, state):
        self.state, self.longest_s = state, 0
        os.chmod(state, 0o777)
        super().__init__(OPTIONS["weighlockd"], config=f"audit: required\nstore: on\nstate_dir: {state}\naudit_bytes: 1 MiB\nworkers: 4\n")
        self.command = [OPTIONS["weighlockd"], "--socket", self.socket, "--config", self.config, "--spool-dir", self.scratch]

    def start_again(self):
        """As a service manager does: until it stays.  The front of the one before may have to see first that it is alone."""
        self.process.kill()
        self.process.wait()
        before, begin = self.readies(), time.monotonic()

        def stays():
            if self.process.poll() is not None:
                with open(self.log, "ab") as log:
                    self.process = subprocess.Popen(self.command, stderr=log)
            return self.readies() > before and self.process.poll() is None

        assert until(stays), self.tail()
        self.longest_s = max(self.longest_s, time.monotonic() - begin)

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()[-3000:]

    def readies(self):
        """How many fronts have begun to listen."""
        with open(self.log, "rb") as f:
            return f.read().count(b"ready: listening")

    def records(self):
        """Identifiers of requests in the audit log, whose files are those of one chain."""
        found = set()
        for name in os.listdir(self.state):
            if name.startswith("audit") and name.endswith(".jsonl"):
                with open(os.path.join(self.state, name), "rb") as f:
                    for line in f:
                        try:
                            found.add(json.loads(line).get("request_id"))
                        except ValueError:
                            pass  # torn: nobody was told
        return found


def is_digester(pid):
    """It alone can write to its ring."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
            return any("rw-s" in line and "weighlock-digester" in line for line in f)
    except OSError:
        return None


def one_of(d, role):
    """A process with this role; None while there is none."""
    if role == "monitor":
        return d.process.pid
    if role in ("front", "keeper"):
        return child_with(d, role.encode())
    try:
        zygote = zygote_of(d)
    except (AssertionError, OSError):
        return None
    if role == "zygote":
        return zygote
    for pid in descendants(zygote):
        if is_digester(pid) is (role == "digester") and is_alive(pid):
            return pid
    return None


class Clients:
    """Threads that ask, and what they were told."""

    GOOD, BAD = model(3000), model(3000)[:-1]
    LARGE = model(3 << 20)

    def __init__(self, d):
        self.d, self.lock = d, threading.Condition()
        self.begun = self.ended = 0
        self.outcomes, self.given, self.wrong = {}, set(), []
        with tempfile.NamedTemporaryFile(delete=False) as f:
            f.write(self.LARGE)
            self.large = f.name
        self.threads = [threading.Thread(target=self.run, args=(random.Random(i),)) for i in range(CLIENTS)]
        for t in self.threads:
            t.start()

    def run(self, rng):
        while True:
            with self.lock:
                if self.begun >= REQUESTS:
                    return
                self.begun += 1
            try:
                outcome = self.ask(rng)
            except Exception as e:  # noqa: BLE001 - told by the test
                outcome = "wrong"
                self.wrong.append(repr(e))
            with self.lock:
                self.ended += 1
                self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
                self.lock.notify_all()

    def connect(self):
        """While there is no monitor nobody listens: then nothing was asked."""
        for _ in range(int(TIME_S / 0.02)):
            try:
                return self.d.connect(TIME_S)
            except OSError:
                time.sleep(0.02)
        raise AssertionError("nobody listens any more")

    def send(self, s, kind, body):
        if kind == "descriptor":
            fd = os.open(self.large, os.O_RDONLY)
            send_fds(s, [b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\nConnection: close\r\nWeighlock-Source: fd; n=1\r\n\r\n"], [fd])
            os.close(fd)
        else:
            s.sendall(b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
            s.sendall(body)

    def ask(self, rng):
        """How it ended, as a word."""
        kind = rng.choices(("good", "bad", "descriptor"), (6, 3, 1))[0]
        body = self.BAD if kind == "bad" else self.GOOD
        with self.connect() as s:
            try:
                self.send(s, kind, body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused while it sends: there may be an answer
            try:
                status, _, verdict = read_reply(s)
            except socket.timeout:
                raise AssertionError(f"no answer in {TIME_S} s to {kind}") from None
            except (ConnectionResetError, IndexError, ValueError):
                return "closed"
        return self.judge(kind, status, verdict)

    def judge(self, kind, status, verdict):
        if status is None or not isinstance(verdict, dict):
            return "closed"
        if status != 200:
            assert "verdict" not in verdict, verdict
            return f"refused {status}"
        assert verdict["verdict"] in ("error", "reject" if kind == "bad" else "accept"), (kind, verdict)
        with self.lock:
            self.given.add(verdict["scan"]["request_id"])
        return verdict["verdict"]

    def wait_for(self, n):
        with self.lock:
            while self.ended < n:
                assert self.lock.wait(2 * TIME_S), f"{self.ended} of {n} requests have ended"


def kill_one(d, role, killed):
    pid = until(lambda: one_of(d, role), 2 * PATIENCE_S) if role != "worker" else until(lambda: one_of(d, role))
    assert pid, f"there is no {role}: {d.tail()}"
    if role == "monitor":
        d.start_again()
    else:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # it was done
    killed[role] += 1


def reload_once(d):
    before = d.readies()
    d.process.send_signal(signal.SIGHUP)
    assert until(lambda: d.readies() > before, 2 * PATIENCE_S), d.tail()


def test_who_asks_hears_something_whoever_dies():
    if os.getuid() != 0:
        raise tap.Skip("needs root to see who is who")
    killed, reloads = dict.fromkeys(ROLES, 0), 0
    with tempfile.TemporaryDirectory() as state, Mortal(state) as d:
        clients = Clients(d)
        todo = [ROLES[i % len(ROLES)] for i in range(KILLS)] + ["reload"] * RELOADS
        random.Random(1).shuffle(todo)
        try:
            for i, what in enumerate(todo):
                clients.wait_for(i * (REQUESTS - 50) // len(todo))
                if what == "reload":
                    reload_once(d)
                    reloads += 1
                else:
                    kill_one(d, what, killed)
            clients.wait_for(REQUESTS)
        finally:
            clients.begun = REQUESTS
            for t in clients.threads:
                t.join()
            os.unlink(clients.large)
        print(f"# killed: {killed}; reloads: {reloads}; requests: {clients.ended}: {clients.outcomes}; "
              f"longest without a monitor: {d.longest_s:.1f} s")
        assert not clients.wrong, (len(clients.wrong), clients.wrong[:3], d.tail())
        lost = clients.given - d.records()
        assert clients.given and not lost, (len(clients.given), len(lost), sorted(lost)[:3])
        assert d.process.poll() is None and until(lambda: d.get("/readyz")[0] == 200), d.tail()


tap.main(globals())
