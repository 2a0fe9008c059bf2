"""A private weighlockd for tests, and small clients for it: raw bytes where a test must misbehave, http.client
where it behaves.  No third-party code."""
import array
import fcntl
import http.client
import json
import os
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time

MIB = 1 << 20
PATIENCE_S = 60  # for what must happen: a machine may be slow, and nobody waits so long where all is well
READ_S = 10  # for a log that may never be read: its monitor is stopped


def send_fds(s, data, fds):
    """As clients do: what could be written to goes as another descriptor of the same file, open for reading."""
    sealed = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK

    def again(fd):
        if fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_PATH | os.O_ACCMODE) != os.O_RDWR or not stat.S_ISREG(os.fstat(fd).st_mode):
            return fd
        try:
            if fcntl.fcntl(fd, fcntl.F_GET_SEALS) & sealed == sealed:
                return fd
        except OSError:
            pass
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    passed = [again(fd) for fd in fds]
    socket.send_fds(s, data, passed)
    for fd in set(passed) - set(fds):
        os.close(fd)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=PATIENCE_S):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    """with Daemon(BINARY, "option", ..., config={...}) as d: ..."""

    def __init__(self, binary, *options, config=None, env=None, user=None, wait=True, limits=None, stderr=None):
        self.scratch = tempfile.mkdtemp(prefix="weighlock-test-")
        os.chmod(self.scratch, 0o777)  # started as root, the front spools as somebody else
        self.socket = os.path.join(self.scratch, "weighlock.sock")
        self.log = os.path.join(self.scratch, "log")
        command = [binary, "--socket", self.socket]
        if config is not None:
            self.config = os.path.join(self.scratch, "weighlockd.yaml")
            with open(self.config, "w", encoding="utf-8") as f:
                f.write(config)
            command += ["--config", self.config]
        if not any("spool" in o for o in options) and "spool_dir" not in (config or ""):
            command += ["--spool-dir", self.scratch]
        command += options

        def before_exec():
            if user:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            if limits:
                limits()

        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stderr=log if stderr is None else stderr, env=env, preexec_fn=before_exec)
        if wait:
            self.wait_ready()

    def wait_ready(self, seconds=PATIENCE_S):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"weighlockd exited {self.process.returncode}: {self.read_log()}")
            try:
                if self.get("/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"weighlockd did not get ready: {self.read_log()}")

    def unread(self):
        """How many of the monitor's pipes have something in them that it has not read: its children's words and logs."""
        folder = f"/proc/{self.process.pid}/fd"
        return sum(has_bytes(os.path.join(folder, n)) for n in listing(folder))

    def passes_on(self):
        """Does it still write what it has read?  One that sleeps has, for its log is a file."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8", errors="replace") as f:
                return f.read().rpartition(")")[2].split()[0] in "RD"
        except OSError:
            return False  # it has ended

    def read_log(self):
        """With what has been written to the monitor, who passes it on."""
        if self.process.poll() is None:
            until(lambda: not self.unread() and not self.passes_on(), READ_S)
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def stop(self, number=signal.SIGTERM, seconds=PATIENCE_S):
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"weighlockd did not stop: {self.read_log()}") from None
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)

    # -- clients --

    def connect(self, timeout=PATIENCE_S):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(timeout)
        s.connect(self.socket)
        return s

    def request(self, method, target, body=None, headers=None, timeout=120):
        c = UnixConnection(self.socket, timeout)
        try:
            c.request(method, target, body=body, headers=headers or {})
            r = c.getresponse()
            return r.status, dict(r.getheaders()), r.read()
        finally:
            c.close()

    def get(self, target):
        return self.request("GET", target, timeout=PATIENCE_S)

    def scan(self, body, query="", headers=None):
        """Upload; returns (status, document)."""
        status, _, text = self.request("POST", "/v1/scan" + query, body, headers)
        return status, json.loads(text)

    def scan_fd(self, fds, query="", n=None, headers=""):
        """Pass descriptors; returns (status, headers, document)."""
        fds = fds if isinstance(fds, list) else [fds]
        s = self.connect()
        try:
            head = (f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n={len(fds) if n is None else n}\r\n"
                    f"Content-Length: 0\r\n{headers}\r\n").encode()
            if fds:
                send_fds(s, [head], fds)
            else:
                s.sendall(head)
            return read_reply(s)
        finally:
            s.close()


    def send_set(self, fds, names, query="", headers="", body=None, content_type="application/json"):
        """Ask about a set; returns the socket, to be read with read_reply()."""
        s = self.connect(5 * PATIENCE_S)  # there may be a thousand files in it
        body = json.dumps({"members": names}).encode() if body is None else body
        head = (f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n={len(fds)}\r\n"
                f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{headers}\r\n").encode()
        for at in range(0, len(fds), 253):  # a byte of the head with each message but the last
            piece = head[:1] if at + 253 < len(fds) else head
            send_fds(s, [piece], fds[at:at + 253])
            head = head[1:]
        try:
            s.sendall(body)
        except BrokenPipeError:
            pass  # refused already
        return s

    def scan_set(self, fds, names, query="", headers="", **more):
        """As scan_fd(), for several files."""
        s = self.send_set(fds, names, query, headers, **more)
        try:
            status, got, document = read_reply(s)
            return status, got, json.loads(document) if got.get("content-type") == "application/json" else document
        finally:
            s.close()

    def stream_set(self, fds, names, query="", headers="", **more):
        """The lines of a streamed answer."""
        status, _, text = self.scan_set(fds, names, query, "Accept: application/x-ndjson\r\n" + headers, **more)
        assert status == 200, text
        return [json.loads(line) for line in text.splitlines()]


def read_reply(s):
    """One reply off a socket: (status, headers, document or text).  Reads to the end of the body."""
    f = s.makefile("rb")
    line = f.readline()
    if not line:
        return None, {}, None
    status = int(line.split()[1])
    headers = {}
    while (line := f.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("transfer-encoding") == "chunked":
        chunks = []
        while True:
            n = int(f.readline() or b"0", 16)
            chunk = f.read(n)
            f.readline()
            if n == 0:
                break
            chunks.append(chunk)
        return status, headers, b"".join(chunks).decode()
    body = f.read(int(headers.get("content-length", 0)))
    try:
        return status, headers, json.loads(body)
    except ValueError:
        return status, headers, body.decode(errors="replace")


def descendants(pid):
    """Pids of all processes below pid, from /proc."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                    parent = int(f.read().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def is_alive(pid):
    """A zombie that nobody reaps is not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def child_with(d, role, but=None):
    """Pid of a child by its command line, not a certain one; None while there is none."""
    for pid in descendants(d.process.pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if f.read() == b"weighlockd\0" + role + b"\0" and is_alive(pid) and pid != but:
                    return pid
        except OSError:
            continue
    return None


def model(n):
    """An honest model of n bytes that are not all the same."""
    text = json.dumps({"w": {"dtype": "U8", "shape": [n], "data_offsets": [0, n]}}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + (bytes(range(1, 252)) * (n // 251 + 1))[:n]


def listing(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []  # its process has ended, or is somebody else's


def has_bytes(path):
    """Of a pipe, without taking any of them."""
    try:
        if not os.readlink(path).startswith("pipe:"):
            return False
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False  # it was closed meanwhile
    left = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, left)
    os.close(fd)
    return left[0] > 0


def metric(d, name):
    text = d.get("/metrics")[2].decode()
    return int(re.search(rf"^weighlock_{re.escape(name)} (\d+)$", text, re.M).group(1))


def until(read, seconds=PATIENCE_S):
    """What read() returns, once that is something; its last word where the patience ends."""
    deadline = time.monotonic() + seconds
    while not (got := read()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return got


class Upload:
    """A body of announced length, sent as a test likes."""

    def __init__(self, d, body, query="?name=a.safetensors", extra=""):
        self.body, self.sent, self.socket = body, 0, d.connect()
        self.socket.sendall(f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode())

    def send(self, to):
        self.socket.sendall(memoryview(self.body)[self.sent:to])
        self.sent = to
        return self

    def finish(self):
        """The verdict."""
        self.send(len(self.body))
        status, _, verdict = read_reply(self.socket)
        self.close()
        assert status == 200, (status, verdict)
        return verdict

    def close(self):
        self.socket.close()


def early(d):
    """Uploads that were begun to be scanned while they arrived."""
    return metric(d, "early_scans_total")


def withdrawn(d):
    return metric(d, "early_scans_withdrawn_total")


def started(d, up, to=MIB):
    """The upload, once a worker follows it."""
    before = early(d)
    up.send(to)
    assert until(lambda: early(d) == before + 1), "no worker was started"
    return up


def zygote_of(d):
    """The child of the monitor that is the worker program."""
    for pid in descendants(d.process.pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            name, _, rest = f.read().partition("(")[2].rpartition(")")
        if int(rest.split()[1]) == d.process.pid and not name.startswith("weighlockd"):
            return pid
    raise AssertionError("no zygote")


def options():
    """argv as name=value pairs: what meson passes to every integration test."""
    return dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
