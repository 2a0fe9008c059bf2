"""The daemon's protocol (docs/api.md) without any I/O: requests as bytes, and answers as they come.

An answer is believed only whole: the coding came to its end, the last line is a verdict, no name comes twice in it.
"""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple, TypeVar
from urllib.parse import quote

FDS_MAX = 253  # of one message
MEMBERS_MAX = 1024
HEAD_MAX = 65536
LINE_MAX = 16 << 20  # of a verdict 1 MiB is the rule; of a set there are a thousand names in it
LISTED_MAX = 1 << 30  # with a list of tensors

Message = Tuple[bytes, Sequence[int]]  # and the descriptors that go with it
T = TypeVar("T")
Waiting = Generator[None, None, T]  # yields where more has to come first


class Broken(Exception):
    """The answer is not one."""


@dataclass
class Problem:
    """Why there is no verdict (RFC 9457)."""

    status: int
    type: str
    text: str
    later: bool
    after: float


def parse_json(text: bytes) -> Dict[str, Any]:
    def members(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
        names = dict(pairs)
        if len(names) != len(pairs):
            raise ValueError("a name comes twice")
        return names

    try:
        document = json.loads(text.decode("utf-8"), object_pairs_hook=members)
    except (ValueError, RecursionError) as e:
        raise Broken(f"the answer is not sound JSON: {e}") from None
    if not isinstance(document, dict):
        raise Broken("the answer is no JSON object")
    return document


def shown(name: str) -> str:
    """As the interface takes names: at most 1024 bytes of UTF-8."""
    text = name.encode("utf-8", "backslashreplace").decode()
    return text.encode()[:1024].decode("utf-8", "ignore") or "-"


def query(**values: Optional[str]) -> str:
    pairs = [f"{key}={quote(value, safe='')}" for key, value in values.items() if value is not None]
    return "?" + "&".join(pairs) if pairs else ""


def get(target: str) -> List[Message]:
    return [(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), ())]


def scan(fds: Sequence[int], names: Optional[Sequence[str]] = None, **values: Optional[str]) -> List[Message]:
    """A file, or with `names` a set."""
    body = b"" if names is None else json.dumps({"members": list(names)}).encode()
    kind = "" if names is None else "Content-Type: application/json\r\n"
    head = (f"POST /v1/scan{query(**values)} HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\nConnection: close\r\n"
            f"Weighlock-Source: fd; n={len(fds)}\r\n{kind}Content-Length: {len(body)}\r\n\r\n").encode()
    messages: List[Message] = []
    for at in range(0, max(len(fds), 1), FDS_MAX):  # each message needs a byte, and the last one takes what is left
        piece = head[:1] if at + FDS_MAX < len(fds) else head + body
        messages.append((piece, fds[at:at + FDS_MAX]))
        head = head[1:]
    return messages


class Answer:
    """feed() it what comes, b"" at the end of the connection, until it is .done."""

    def __init__(self, line_max: int = LINE_MAX) -> None:
        self.done = False
        self.status = 0
        self.stream = False
        self.headers: Dict[str, str] = {}
        self.documents: List[Dict[str, Any]] = []  # lines but those about progress; or the body
        self._line_max = line_max
        self._held = bytearray()
        self._line = bytearray()
        self._ended = False
        self._decided = False  # the last line was not about progress
        self._reading = self._read()

    def feed(self, data: bytes) -> None:
        self._held += data
        self._ended = not data
        try:
            next(self._reading)
        except StopIteration:
            self.done = True

    def problem(self) -> Optional[Problem]:
        last = self.documents[-1]
        if self.status == 200 and "verdict" in last or self.status == 202:
            return None
        if not str(last.get("type", "")).startswith("urn:weighlock:problem:"):
            if self.status == 200 and self.headers.get("content-type") == "application/json":
                return None  # of other paths
            raise Broken(f"the answer is {self.status}")
        after, status = self.headers.get("retry-after", ""), last.get("status")
        return Problem(status if isinstance(status, int) else self.status, last["type"].rpartition(":")[2],
                       f"{last.get('title', 'refused')}: {last.get('detail', '')}", last.get("retry") == "later",
                       float(after) if after.isascii() and after.isdecimal() else 0.0)

    def _more(self) -> Waiting[None]:
        if self._ended:
            raise Broken("the answer was cut")
        yield

    def _until_crlf(self, most: int) -> Waiting[bytes]:
        while (end := self._held.find(b"\r\n")) < 0:
            if len(self._held) > most + 1:
                raise Broken("a line of the answer is too long")
            yield from self._more()
        if end > most:
            raise Broken("a line of the answer is too long")
        line = bytes(self._held[:end])
        del self._held[:end + 2]
        return line

    def _exactly(self, n: int) -> Waiting[None]:
        while n > 0:
            if not self._held:
                yield from self._more()
                continue
            piece = bytes(self._held[:n])
            del self._held[:n]
            n -= len(piece)
            self._take(piece)

    def _read(self) -> Waiting[None]:
        yield from self._read_head()
        self.stream = self.headers.get("content-type") == "application/x-ndjson"
        if self.headers.get("transfer-encoding") == "chunked":
            yield from self._read_chunks()
        else:
            length = self.headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal()) or "transfer-encoding" in self.headers:
                raise Broken("the answer has no length")
            yield from self._exactly(int(length))
        self._finish()

    def _read_head(self) -> Waiting[None]:
        words = (yield from self._until_crlf(HEAD_MAX)).split(b" ", 2)
        if len(words) < 2 or words[0] != b"HTTP/1.1" or len(words[1]) != 3 or not words[1].isdigit():
            raise Broken("the answer is not HTTP/1.1")
        self.status, size = int(words[1]), 0
        while line := (yield from self._until_crlf(HEAD_MAX)):
            name, colon, value = line.decode("latin-1").partition(":")
            size += len(line)
            if not colon or name.lower() in self.headers or size > HEAD_MAX:
                raise Broken("a header of the answer is wrong, or comes twice")
            self.headers[name.lower()] = value.strip()

    def _read_chunks(self) -> Waiting[None]:
        while True:
            size: bytes = (yield from self._until_crlf(32))
            if not size or len(size) > 8 or any(c not in b"0123456789abcdefABCDEF" for c in size):
                raise Broken("the answer's coding is wrong")
            n = int(size, 16)
            yield from self._exactly(n)
            if (yield from self._until_crlf(0)):
                raise Broken("the answer's coding is wrong")
            if n == 0:
                return

    def _take(self, piece: bytes) -> None:
        *whole, rest = piece.split(b"\n") if self.stream else [piece]
        for line in whole:
            self._take_line(bytes(self._line + line))
            self._line.clear()
        self._line += rest
        if len(self._line) > self._line_max:
            raise Broken("a line of the answer is too long")

    def _take_line(self, line: bytes) -> None:
        if len(line) > self._line_max:
            raise Broken("a line of the answer is too long")
        document = parse_json(line)
        self._decided = "event" not in document
        if self._decided:
            self.documents.append(document)
        elif "verdict" in document:
            raise Broken("a line is progress and a verdict at once")

    def _finish(self) -> None:
        if self.stream and self._line:
            raise Broken("the last line has no end")
        if not self.stream:
            self.documents = [parse_json(bytes(self._line))]
            word = self.headers.get("weighlock-verdict")
            if word is not None and word != self.documents[0].get("verdict"):
                raise Broken("header and body name different verdicts")
        if not self.documents or self.stream and not self._decided:
            raise Broken("the stream does not end with a verdict")
