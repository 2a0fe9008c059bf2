"""What a reload must not do: end the daemon, or leave it with a configuration that was replaced."""
import ctypes
import errno
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time

import tap
from daemon import Daemon, UnixConnection, child_with, descendants, is_alive, metric, model, options, read_reply, until

OPTIONS = options()


def held(d):
    """Workers that have stopped themselves, by /proc."""
    found = []
    for pid in descendants(d.process.pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                name, _, rest = f.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name.startswith("held_worker") and rest.split()[0] == "T":
            found.append(pid)
    return found


def let_go(pids):
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def reload(d, text, n):
    """A SIGHUP, and wait until the new front's sample is with a worker."""
    with open(d.config, "w", encoding="utf-8") as f:
        f.write(text)
    d.process.send_signal(signal.SIGHUP)
    assert until(lambda: len(held(d)) == n), d.read_log()


def asked(d, n):
    """Status of a body of n bytes; None where nobody answers."""
    assert d.process.poll() is None, d.read_log()
    try:
        return d.scan(bytes(n))[0]
    except OSError:
        return None


def test_two_fronts_that_get_ready_at_once_leave_the_later_one():
    config = f"workers: 2\nworker: {OPTIONS['held_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config, wait=False) as d:
        assert until(lambda: held(d)), d.read_log()
        let_go(held(d))
        d.wait_ready()
        reload(d, config + "max_body: 5000\n", 1)
        reload(d, config + "max_body: 1000\n", 2)
        coming = held(d)
        os.kill(d.process.pid, signal.SIGSTOP)  # so that it hears of both together
        let_go(coming)
        assert until(lambda: d.unread() >= 4), d.read_log()  # words and a log of each
        os.kill(d.process.pid, signal.SIGCONT)
        assert until(lambda: asked(d, 1000) == 200 and asked(d, 1001) == 413), d.read_log()


def test_a_request_that_stands_in_a_socket_is_answered():
    with Daemon(OPTIONS["weighlockd"]) as d:
        old = child_with(d, b"front")
        clients = [UnixConnection(d.socket) for _ in range(40)]
        for c in clients:
            c.request("GET", "/healthz")
            assert c.getresponse().read() is not None
        os.kill(old, signal.SIGSTOP)
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: d.read_log().count("ready: listening") == 2), d.read_log()
        for c in clients:  # they do not know, and it has been told to drain
            c.request("POST", "/v1/scan?name=a.safetensors", model(10))
        os.kill(old, signal.SIGCONT)
        answers = [json.loads(c.getresponse().read())["verdict"] for c in clients]
        assert answers == ["accept"] * len(clients), answers
        assert until(lambda: not is_alive(old)), "it answers, and ends"


def test_reloads_under_load_drop_nothing():
    with Daemon(OPTIONS["weighlockd"]) as d:
        answered, refused, over = [], [], threading.Event()

        def ask():
            c = UnixConnection(d.socket)
            while not over.is_set():
                try:
                    c.request("GET", "/healthz")
                except (BrokenPipeError, http.client.CannotSendRequest):  # it was told before it sent anything
                    c = UnixConnection(d.socket)
                    continue
                try:
                    answered.append(c.getresponse().read())
                except (OSError, http.client.HTTPException) as e:
                    refused.append(repr(e))
                    c = UnixConnection(d.socket)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for t in threads:
            t.start()
        for n in range(20):
            d.process.send_signal(signal.SIGHUP)
            assert until(lambda n=n: d.read_log().count("ready: listening") == n + 2), d.read_log()
        over.set()
        for t in threads:
            t.join()
        assert len(answered) > 100 and not refused, (len(answered), refused[:3])


def key(folder):
    path = os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, stderr=subprocess.DEVNULL)
    os.chmod(path, 0o600)
    return path


def test_a_key_that_is_missing_ends_nothing():
    with tempfile.TemporaryDirectory() as state:
        os.chmod(state, 0o777)
        config = f"store: on\naudit: required\nstate_dir: {state}\n"
        with Daemon(OPTIONS["weighlockd"], config=config) as d, tempfile.TemporaryDirectory() as keys:
            before = child_with(d, b"keeper")
            for text in (config + f"signing_key: {keys}/none.pem\n", config + "state_dir: /nowhere\n"):
                with open(d.config, "w", encoding="utf-8") as f:
                    f.write(text.replace(f"state_dir: {state}\n", "") if "/nowhere" in text else text)
                n = d.read_log().count("not reloaded")
                d.process.send_signal(signal.SIGHUP)
                assert until(lambda n=n: d.read_log().count("not reloaded") > n), d.read_log()
                assert child_with(d, b"keeper") == before, d.read_log()
                assert d.scan(model(10), "?name=a.safetensors")[1]["verdict"] == "accept"
            with open(d.config, "w", encoding="utf-8") as f:
                f.write(config + f"signing_key: {key(keys)}\n")
            d.process.send_signal(signal.SIGHUP)
            assert until(lambda: child_with(d, b"keeper") not in (None, before) and not is_alive(before)), d.read_log()
            assert until(lambda: d.get("/readyz")[0] == 200)
            assert d.scan(model(10), "?name=a.safetensors&attest=1")[0] == 200, d.read_log()


def test_a_keeper_that_hangs_holds_up_nobody():
    with tempfile.TemporaryDirectory() as state, tempfile.TemporaryDirectory() as keys:
        os.chmod(state, 0o777)
        hangs = os.path.join(keys, "key.pem")
        os.mkfifo(hangs, 0o600)  # who opens it waits for somebody who writes
        with Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {state}\n") as d:
            keeper, front = child_with(d, b"keeper"), child_with(d, b"front")
            with open(d.config, "a", encoding="utf-8") as f:
                f.write(f"signing_key: {hangs}\n")
            d.process.send_signal(signal.SIGHUP)
            assert until(lambda: child_with(d, b"keeper", but=keeper)), d.read_log()
            begin = time.monotonic()
            os.kill(front, signal.SIGKILL)
            assert until(lambda: d.read_log().count("the front has ended") == 1)
            assert time.monotonic() - begin < 5, "the monitor waited for the keeper"
            assert until(lambda: d.read_log().count("not reloaded") == 1 or d.read_log().count("ready: listening") == 2)
            assert d.scan(model(10), "?name=a.safetensors")[1]["verdict"] == "accept"


def test_nothing_is_ready_while_verdicts_cannot_be_recorded():
    with tempfile.TemporaryDirectory() as state:
        os.chmod(state, 0o777)
        with Daemon(OPTIONS["weighlockd"], config=f"audit: required\nstate_dir: {state}\n") as d:
            os.rename(os.path.join(state, "keeper.lock"), os.path.join(state, "was"))
            os.mkdir(os.path.join(state, "keeper.lock"))  # so that none can start
            os.kill(child_with(d, b"keeper"), signal.SIGKILL)
            assert until(lambda: d.get("/readyz")[0] == 503), d.read_log()
            assert metric(d, "ready") == 0
            os.rmdir(os.path.join(state, "keeper.lock"))
            assert until(lambda: d.get("/readyz")[0] == 200), d.read_log()


def test_when_the_monitor_dies_whoever_waits_is_told_and_a_successor_can_begin():
    config = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        front, clients = child_with(d, b"front"), [d.connect() for _ in range(4)]
        for s, text in zip(clients, (b"Content-Length: 10\r\n\r\nMODE:hang\n", b"Content-Length: 10\r\n\r\nMODE:", b"Content-", b"")):
            s.sendall((b"POST /v1/scan HTTP/1.1\r\nHost: x\r\n" + text) if text else b"")
        assert until(lambda: metric(d, "scans_running") == 1 and metric(d, "connections") == 5)
        begin = time.monotonic()
        d.process.kill()
        d.process.wait()
        answers = [read_reply(s)[0] for s in clients]
        assert answers == [503, 503, 503, None], answers
        assert time.monotonic() - begin < 10, "none has waited for the time to drain"
        assert until(lambda: not is_alive(front))
        with Daemon(OPTIONS["weighlockd"], "--socket", d.socket, wait=False) as successor:
            successor.socket = d.socket
            successor.wait_ready()


def test_a_front_can_give_the_monitor_no_descriptor():
    libc = ctypes.CDLL(None, use_errno=True)
    with Daemon(OPTIONS["weighlockd"]) as d, open("/dev/null", "rb") as null:
        pidfd = os.pidfd_open(child_with(d, b"front"))
        for place in (3, 4):  # of orders, and of words
            fd = libc.syscall(438, pidfd, place, 0)  # pidfd_getfd
            if fd < 0:
                raise tap.Skip("needs to take a descriptor of a process that is not dumpable")
            try:
                socket.send_fds(socket.socket(fileno=fd), [bytes(1000)], [null.fileno()])
                raise AssertionError(f"place {place} takes descriptors")
            except OSError as e:
                assert e.errno in (errno.EPIPE, errno.ENOTSOCK), e
        os.close(pidfd)


tap.main(globals())
