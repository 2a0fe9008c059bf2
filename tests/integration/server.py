"""A daemon that misbehaves as told: it reads a request, says what the test gives it, and hangs up."""
import hashlib
import json
import os
import shutil
import socket
import tempfile
import threading

INVITATION = b"HTTP/1.1 100 Continue\r\n\r\n"


class Server:
    """with Server(say) as s: ...   say(connection, head) does everything after the head; .seen counts connections."""

    def __init__(self, say):
        self.scratch = tempfile.mkdtemp(prefix="weighlock-server-")
        self.path = os.path.join(self.scratch, "s")
        self.say, self.seen = say, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.seen += 1
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        connection.settimeout(60)
        try:
            self.say(connection, read_head(connection))
        except OSError:
            pass
        connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(20)
        shutil.rmtree(self.scratch, ignore_errors=True)


def read_head(connection):
    """Byte by byte: what follows is the body."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return head
        head += byte
    return head


def take_body(connection, head):
    """The body, after an invitation if one is waited for."""
    if b"weighlock-source" in head.lower():
        return
    if b"100-continue" in head.lower():
        connection.sendall(INVITATION)
    length = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    left = length[0] if length else None
    tail = b""
    while left != 0 and not tail.endswith(b"0\r\n\r\n"):
        block = connection.recv(min(left or 65536, 65536))
        if not block:
            return
        tail = (tail + block)[-5:] if left is None else b""
        left = None if left is None else left - len(block)


def verdict(content, value="accept", **changes):
    document = {"schema": "weighlock.verdict/1", "verdict": value, "complete": value != "error", "reasons": [],
                "file": {"name": "m", "size": len(content), "sha256": hashlib.sha256(content).hexdigest()},
                "format": "safetensors", "policy": {"name": "default", "sha256": "0" * 64}, "findings": [], "scan": {"bytes": len(content)}}
    document.update(changes)
    return json.dumps(document)


PROGRESS = '{"event":"progress","bytes":1,"size":2}'


def stream(*lines, end=b"0\r\n\r\n", headers=""):
    """A streamed answer, a chunk a line."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n{headers}\r\n".encode()
    return head + b"".join(b"%x\r\n%s\n\r\n" % (len(line.encode()) + 1, line.encode()) for line in lines) + end


def plain(body, value="accept", status="200 OK", kind="application/json", headers=""):
    word = f"Weighlock-Verdict: {value}\r\n" if value else ""
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body.encode())}\r\n{word}{headers}\r\n{body}".encode()


def busy(after=1):
    body = '{"type":"urn:weighlock:problem:busy","title":"Too much to do","status":503,"retry":"later"}'
    return plain(body, None, "503 Service Unavailable", "application/problem+json", f"Retry-After: {after}\r\n")


def says(answer):
    """A server that takes everything and says this."""

    def say(connection, head):
        take_body(connection, head)
        connection.sendall(answer)

    return say
