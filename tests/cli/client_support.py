"""A daemon that answers as a test wishes: what the real one would never do."""
import array
import json
import os
import shutil
import socket
import tempfile
import threading


class Request:
    """What the client sent: its head, the descriptors with it."""

    def __init__(self, head, fds):
        lines = head.decode("latin-1").split("\r\n")
        self.line = lines[0]
        self.headers = {k.lower(): v.strip() for k, _, v in (x.partition(":") for x in lines[1:] if x)}
        self.fds = fds

    def of_set(self):
        """Does it name members?"""
        return self.headers.get("content-length", "0") != "0"

    def content(self):
        return os.pread(self.fds[0], 1 << 20, 0)


class FakeDaemon:
    """with FakeDaemon(lambda request: reply bytes) as d: ... d.path"""

    def __init__(self, answer):
        self.answer = answer
        self.requests = []
        self.folder = tempfile.mkdtemp(prefix="weighlock-fake-")
        self.path = os.path.join(self.folder, "s")

    def single(self):
        """Requests about one file: those that name no members."""
        return [r for r in self.requests if not r.of_set()]

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        shutil.rmtree(self.folder)

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        head, fds = b"", []
        with connection:
            while b"\r\n\r\n" not in head:
                data, control, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(253 * 4))
                for level, kind, raw in control:
                    if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                        received = array.array("i")
                        received.frombytes(raw[:len(raw) - len(raw) % received.itemsize])
                        fds += list(received)
                if not data:
                    return  # only looked whether we are here
                head += data
            request = Request(head, fds)
            self.requests.append(request)
            try:
                reply = self.answer(request)
                connection.sendall(reply)
            except OSError:
                pass
            finally:
                for fd in fds:
                    os.close(fd)


def reply(status, body, content_type="application/json", headers=""):
    return (f"HTTP/1.1 {status} Text\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
            .encode() + body)


def reply_verdict(verdict):
    return reply(200, json.dumps(verdict, ensure_ascii=False).encode() + b"\n",
                 headers=f"Weighlock-Verdict: {verdict['verdict']}\r\n")
