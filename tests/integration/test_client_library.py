"""libweighlock-client as other people's programs meet it: the built shared library, loaded as it is, against the daemon and
against servers that lie; and what is installed of it."""
import contextlib
import ctypes
import errno
import glob
import hashlib
import os
import re
import select
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import tap
from daemon import PATIENCE_S, Daemon, model, options
from server import INVITATION, PROGRESS, Server, busy, plain, says, stream, take_body, verdict

OPTIONS = options()
SANITIZED = OPTIONS.get("sanitized") == "true"
SOURCE = OPTIONS["source"]
GOOD = model(300000)
PENDING, VERDICT, PROBLEM, FAILED = range(4)
NONE, ACCEPT, REVIEW, REJECT, ERROR, OTHER = range(6)
UNKNOWN = 2**64 - 1
SOURCE_FN = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
LINE_FN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def library():
    if SANITIZED:
        raise tap.Skip("a sanitizer's library cannot be loaded by a program without; the C example runs under it")
    lib = ctypes.CDLL(OPTIONS["client_library"])
    for name in re.findall(r"\b(weighlock_\w+);", read("client/weighlock-client.map")):
        getattr(lib, name).argtypes = None
    for name in ("json", "problem", "request_id", "detail"):
        getattr(lib, "weighlock_scan_" + name).restype = ctypes.c_char_p
    lib.weighlock_scan_new.restype = ctypes.c_void_p
    lib.weighlock_scan_accepted.restype = ctypes.c_bool
    lib.weighlock_verdict_name.restype = ctypes.c_char_p
    return lib


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


class Scan:
    """A handle."""

    def __init__(self, path):
        self.lib = library()
        self.handle = ctypes.c_void_p(self.lib.weighlock_scan_new(path.encode()))
        self.kept = []  # functions that C calls

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.weighlock_scan_free(self.handle)

    def __getattr__(self, name):
        return lambda *arguments: getattr(self.lib, "weighlock_scan_" + name)(self.handle, *arguments)

    def upload(self, blocks, length):
        """From a function: bytes, or a negative errno, one after the other."""
        blocks = list(blocks)

        def source(_, to, n):
            if not blocks:
                return 0
            block = blocks.pop(0)
            if isinstance(block, int):
                return block
            if len(block) > n:
                blocks.insert(0, block[n:])
            ctypes.memmove(to, block[:n], min(n, len(block)))
            return min(n, len(block))

        self.kept.append(SOURCE_FN(source))
        return self.lib.weighlock_scan_upload(self.handle, self.kept[-1], None, ctypes.c_uint64(length))

    def progress(self, answer=0):
        """Ask for a stream; returns the list that its lines go to."""
        lines = []

        def line(_, at, n):
            lines.append(ctypes.string_at(at, n))
            return answer

        self.kept.append(LINE_FN(line))
        assert self.set_progress(self.kept[-1], None) == 0
        return lines

    def timeouts(self, silence_ms, total_ms):
        assert self.set_timeouts(ctypes.c_int64(silence_ms), ctypes.c_int64(total_ms)) == 0

    def poll(self, seconds=PATIENCE_S):
        """The event loop of somebody else.  Returns the outcome and how many turns it took."""
        deadline = time.monotonic() + seconds
        for turns in range(1, 1000000):
            outcome = self.step()
            if outcome != PENDING:
                return outcome, turns
            assert time.monotonic() < deadline, "it never ends"
            p = select.poll()
            if self.fd() >= 0:
                p.register(self.fd(), self.events())
            p.poll(self.timeout_ms())


@contextlib.contextmanager
def file_of(content):
    with tempfile.TemporaryFile() as f:
        f.write(content)
        f.flush()
        f.seek(0)
        yield f.fileno()


def uploaded(path, blocks=(GOOD,), length=len(GOOD), sha256=None, streamed=False):
    """(outcome, verdict, errno, detail) of an upload"""
    with Scan(path) as s:
        s.upload(blocks, length)
        s.timeouts(20000, 60000)
        if sha256:
            assert s.set_sha256(sha256.encode()) == 0
        if streamed:
            s.progress()
        outcome = s.run()
        assert s.accepted() == (s.verdict() == ACCEPT)
        return outcome, s.verdict(), s.errno(), s.detail().decode()


# -- the daemon --

def test_every_way_to_hand_over_a_file():
    with Daemon(OPTIONS["weighlockd"]) as d, file_of(GOOD) as fd:
        with Scan(d.socket) as s:
            assert s.pass_fd(fd) == 0 and s.set_name(b"a/\xc3\xa4 &?.safetensors") == 0 and s.set_request_id(b"hub-1") == 0
            assert s.run() == VERDICT and s.accepted() and s.verdict() == ACCEPT and s.status() == 200
            assert s.request_id() == b"hub-1" and b'"request_id":"hub-1"' in s.json(None)
            assert "a/ä &?.safetensors".encode() in s.json(None), s.json(None)
        for length in (len(GOOD), UNKNOWN):
            os.lseek(fd, 0, os.SEEK_SET)
            with Scan(d.socket) as s:
                assert s.upload_fd(fd, ctypes.c_uint64(length)) == 0 and s.run() == VERDICT and s.accepted(), s.detail()
            for streamed in (False, True):
                assert uploaded(d.socket, [GOOD[:7], GOOD[7:]], length, streamed=streamed)[:2] == (VERDICT, ACCEPT)


def test_what_is_asked_arrives():
    with Daemon(OPTIONS["weighlockd"], "--tenant-uid", "0") as d, file_of(GOOD) as fd:
        for want, asked in ((PROBLEM, [("policy", b"nonesuch")]), (VERDICT, [("policy", b"strict")]),
                            (VERDICT, [("tenant", b"acme"), ("policy", b"ci")])):
            with Scan(d.socket) as s:
                s.pass_fd(fd)
                s.set_batch()
                assert not any(getattr(s, "set_" + key)(value) for key, value in asked)
                assert s.run() == want, (asked, s.detail())
                if want == PROBLEM:
                    assert s.problem() == b"urn:weighlock:problem:bad-request" and s.status() == 400 and s.retry(None) == 0
        assert b"tenant=acme" in d.read_log().encode()


def test_the_expected_digest_is_the_daemons_to_compare():
    good = hashlib.sha256(GOOD).hexdigest()
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert uploaded(d.socket, sha256=good.upper())[:2] == (VERDICT, ACCEPT)
        assert uploaded(d.socket, sha256="0" * 64)[:2] == (VERDICT, ERROR)
    with Server(says(plain(verdict(GOOD)))) as s:
        assert uploaded(s.path, sha256=good)[:2] == (VERDICT, ACCEPT)
        assert uploaded(s.path, sha256="0" * 64)[:3] == (FAILED, NONE, errno.EPROTO), "it accepts another file than asked about"


def test_an_event_loop_is_never_kept_waiting():
    config = f"progress_seconds: 1\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d, file_of(b"MODE:sleep\n") as fd, Scan(d.socket) as s:
        lines = s.progress()
        s.pass_fd(fd)
        assert s.step() == PENDING
        outcome, turns = s.poll()
        assert outcome == VERDICT and turns < 20 and lines and b'"event"' in lines[0], (outcome, turns, lines)
        assert s.step() == VERDICT and s.fd() == -1, "it is over"


def test_a_source_that_has_nothing_yet_is_asked_again():
    with Daemon(OPTIONS["weighlockd"]) as d, Scan(d.socket) as s:
        s.upload([-errno.EAGAIN, GOOD[:100], -errno.EAGAIN, -errno.EAGAIN, GOOD[100:]], len(GOOD))
        assert s.poll()[0] == VERDICT and s.accepted(), s.detail()


def test_a_source_of_another_length_fails():
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert uploaded(d.socket, [GOOD[:-1]])[:3] == (FAILED, NONE, errno.EIO)
        assert uploaded(d.socket, [GOOD + b"x"])[:3] == (FAILED, NONE, errno.EIO)
        assert uploaded(d.socket, [GOOD[:9], -errno.ENXIO])[:3] == (FAILED, NONE, errno.ENXIO)
        assert uploaded(d.socket, [], 0)[0] == VERDICT, "an empty file is one, too"


def test_the_caller_may_give_up():
    with Server(says(stream(PROGRESS, verdict(GOOD)))) as server, Scan(server.path) as s, file_of(GOOD) as fd:
        lines = s.progress(answer=1)
        s.pass_fd(fd)
        assert s.run() == FAILED and s.errno() == errno.ECANCELED and len(lines) == 1 and s.retry(None) == 0


def test_a_full_backlog_is_waited_for():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(0)
        others = []
        for _ in range(8):
            s = socket.socket(socket.AF_UNIX)
            s.setblocking(False)
            if s.connect_ex(path) == errno.EAGAIN:
                s.close()
                break
            others.append(s)
        with Scan(path) as s, file_of(GOOD) as fd:
            s.pass_fd(fd)
            assert s.step() == PENDING and s.fd() == -1 and 0 < s.timeout_ms() <= 100
            for o in others:
                o.close()
                listener.accept()[0].close()
            time.sleep(0.05)
            assert s.step() == PENDING and s.fd() >= 0
        listener.close()


# -- servers that lie --

def test_header_and_body_must_agree():
    with Server(says(plain(verdict(GOOD)))) as s:
        assert uploaded(s.path)[:2] == (VERDICT, ACCEPT), "what the next ones change one thing of"
    twice = plain(verdict(GOOD), headers="Weighlock-Verdict: accept\r\n")
    for answer in (plain(verdict(GOOD), None), plain(verdict(GOOD), "reject"), plain(verdict(GOOD, "reject"), "accept"), twice,
                   plain(verdict(GOOD)) + b"x", plain(verdict(GOOD))[:-1], plain(verdict(GOOD, scan={"error": "cancelled"})),
                   stream(verdict(GOOD)), stream(PROGRESS, verdict(GOOD)), plain(verdict(GOOD, complete=False)), plain(verdict(GOOD) + " " * (2 << 20))):
        with Server(says(answer)) as s:
            outcome, got, error, detail = uploaded(s.path)
            assert outcome == FAILED and got == NONE and error and detail, answer[:300]


def test_the_last_line_of_a_whole_stream_decides():
    whole = stream(PROGRESS, verdict(GOOD))
    with Server(says(whole)) as s:
        assert uploaded(s.path, streamed=True)[:2] == (VERDICT, ACCEPT), "what the next ones change one thing of"
    for answer, error in ((whole[:-5], errno.ECONNRESET), (whole[:-8], errno.ECONNRESET), (b"", errno.ECONNRESET),
                          (stream(verdict(GOOD), verdict(GOOD)), errno.EPROTO), (stream(verdict(GOOD), PROGRESS), errno.EPROTO),
                          (stream(verdict(GOOD), end=b"1\r\nx\r\n0\r\n\r\n"), errno.EPROTO), (stream(PROGRESS), errno.EPROTO),
                          (stream(verdict(GOOD), headers="Weighlock-Verdict: accept\r\n"), errno.EPROTO)):
        with Server(says(answer)) as s:
            assert uploaded(s.path, streamed=True)[:3] == (FAILED, NONE, error), (answer[-300:], error)


def test_tricks_with_the_invitation():
    accept = plain(verdict(GOOD))

    def early(connection, head):
        connection.sendall(accept)

    def twice(connection, head):
        connection.sendall(INVITATION + INVITATION)
        take_body(connection, head.replace(b"Expect", b"X"))
        connection.sendall(accept)

    def at_once(connection, head):
        connection.sendall(INVITATION + accept)

    def with_a_verdict(connection, head):
        connection.sendall(INVITATION.replace(b"\r\n\r\n", b"\r\nWeighlock-Verdict: accept\r\n\r\n"))
        take_body(connection, head.replace(b"Expect", b"X"))
        connection.sendall(accept)

    def half_way(connection, head):
        connection.sendall(INVITATION)
        connection.recv(1000)
        connection.sendall(accept)

    big = [bytes(1 << 20)] * 8  # more than a socket holds
    for say in (early, twice, at_once, with_a_verdict, half_way):
        with Server(say) as s:
            outcome, got, _, _ = uploaded(s.path, big, 8 << 20)
            assert (outcome, got) == (FAILED, NONE), say.__name__
    with Server(lambda c, h: c.sendall(INVITATION + accept)) as s, Scan(s.path) as scan, file_of(GOOD) as fd:
        scan.pass_fd(fd)
        assert scan.run() == FAILED, "nobody asked to be invited"


def test_a_refusal_on_the_way_is_read():
    def say(connection, head):
        connection.sendall(INVITATION)
        connection.recv(1000)
        connection.sendall(busy(7))

    with Server(say) as server, Scan(server.path) as s:
        s.upload([bytes(1 << 20)] * 64, 64 << 20)
        after = ctypes.c_uint(0)
        assert s.run() == PROBLEM and s.problem() == b"urn:weighlock:problem:busy" and s.status() == 503, s.detail()
        assert s.retry(ctypes.byref(after)) == 1 and after.value == 7


def test_silence_and_the_whole_have_an_end():
    def drip(connection, head):
        take_body(connection, head)
        connection.sendall(stream(end=b""))
        while True:
            connection.sendall(stream(PROGRESS, end=b"").partition(b"\r\n\r\n")[2])
            time.sleep(0.05)

    def silent(connection, head):
        over.wait()

    over = threading.Event()
    for say, silence_ms, total_ms in ((silent, 300, 10000), (drip, 10000, 600)):
        with Server(say) as server, Scan(server.path) as s, file_of(GOOD) as fd:
            s.progress()
            s.pass_fd(fd)
            s.timeouts(silence_ms, total_ms)
            start = time.monotonic()
            assert s.run() == FAILED and s.errno() == errno.ETIMEDOUT and s.retry(None) == 1, s.detail()
            assert time.monotonic() - start > 0.2
            over.set()


# -- by itself --

def test_setters_refuse_what_could_end_a_head():
    with Scan("/nonexistent") as s:
        for key, bad in (("request_id", [b"", b"a b", b"a\r\nx: y", b"x" * 129]), ("policy", [b"", b"a/b", b"a&gate=0", b"x" * 65]),
                         ("tenant", [b"", b"\n"]), ("sha256", [b"", b"0" * 63, b"0" * 65, b"g" * 64]), ("name", [b"", b"x" * 1025])):
            for value in bad:
                assert getattr(s, "set_" + key)(value) == -errno.EINVAL, (key, value)
        assert s.set_request_id(b"x" * 128) == 0 and s.set_policy(b"x" * 64) == 0 and s.set_name(b"\xff" * 1024) == 0
        assert s.set_sha256(b"0" * 64) == 0 and s.set_tenant(b"x" * 64) == 0
        assert s.pass_fd(-1) == -errno.EINVAL and s.pass_fd(0) == 0 and s.pass_fd(0) == -errno.EINVAL
        assert s.upload([], 0) == -errno.EINVAL
    assert library().weighlock_scan_new(b"x" * 108) is None
    with Scan("/nonexistent") as s:
        assert s.run() == FAILED and s.errno() == errno.EINVAL, "there is no file"
        assert s.set_name(b"late") == -errno.EINVAL
    with Scan("/nonexistent") as s, file_of(b"x") as fd:
        s.pass_fd(fd)
        assert s.run() == FAILED and s.errno() == errno.ENOENT and s.retry(None) == 1 and s.json(None) == b"" and s.detail()


def test_names_of_verdicts():
    lib = library()
    assert [lib.weighlock_verdict_name(v) for v in range(7)] == [b"none", b"accept", b"review", b"reject", b"error", b"other", b"other"]


def test_nothing_else_is_exported_or_needed():
    if SANITIZED:
        raise tap.Skip("a sanitizer adds symbols of its own")
    out = subprocess.run(["nm", "-D", "--defined-only", OPTIONS["client_library"]], stdout=subprocess.PIPE, text=True, check=True).stdout
    exported = {line.split()[-1].partition("@")[0] for line in out.splitlines() if line.split()[1] != "A"}
    declared = set(re.findall(r"\b(weighlock_\w+)\(", re.sub(r"/\*.*?\*/", "", read("client/weighlock-client.h"), flags=re.S)))
    assert exported == declared == set(re.findall(r"\b(weighlock_\w+);", read("client/weighlock-client.map"))), exported ^ declared
    dynamic = subprocess.run(["readelf", "-d", OPTIONS["client_library"]], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.findall(r"NEEDED.*\[(.*)\]", dynamic) == ["libc.so.6"] and "[libweighlock-client.so.0]" in dynamic, dynamic


def test_what_is_installed_builds_the_example():
    if SANITIZED:
        raise tap.Skip("a sanitizer build does not install")
    root = tempfile.mkdtemp(prefix="weighlock-install-")
    try:
        subprocess.run(["meson", "install", "-C", OPTIONS["build"], "--no-rebuild", "--destdir", root], stdout=subprocess.DEVNULL, check=True)
        pc = glob.glob(f"{root}/**/pkgconfig/weighlock-client.pc", recursive=True)
        assert len(pc) == 1, pc
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "weighlock-client"], stdout=subprocess.PIPE, text=True, check=True,
                               env={"PATH": os.environ["PATH"], "PKG_CONFIG_PATH": os.path.dirname(pc[0]), "PKG_CONFIG_SYSROOT_DIR": root})
        program = os.path.join(root, "check")
        subprocess.run(["gcc", "-Wall", "-Werror", "-o", program, os.path.join(SOURCE, "examples", "c", "check.c"), *flags.stdout.split()], check=True)
        here = os.path.dirname(glob.glob(f"{root}/**/libweighlock-client.so.0", recursive=True)[0])
        model_path = os.path.join(root, "m.safetensors")
        with open(model_path, "wb") as f:
            f.write(GOOD)
        with Daemon(OPTIONS["weighlockd"]) as d:
            done = subprocess.run([program, d.socket, model_path], env={"LD_LIBRARY_PATH": here}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            assert done.returncode == 0, done
        text = os.path.join(root, "header.cc")
        with open(text, "w", encoding="utf-8") as f:
            f.write("#include <weighlock-client.h>\nint main() { return weighlock_scan_accepted(nullptr) ? 0 : WEIGHLOCK_NONE; }\n")
        subprocess.run(["gcc", "-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *flags.stdout.split()[:1], text], check=shutil.which("g++") is not None)
    finally:
        shutil.rmtree(root)


tap.main(globals())
