#!/usr/bin/env python3
"""Ask weighlockd about a file: Python, standard library only.

    check.py [--policy NAME] [--attempts N] [--silence SECONDS] [--total SECONDS] SOCKET FILE

Uploads FILE while the daemon examines it, shows progress, asks again when that may help, and ends with

    0 accept    1 reject    2 no verdict, or error    3 review, or a verdict this program does not know    4 usage

Publish FILE on 0 and on nothing else.
"""
import argparse
import hashlib
import http.client
import json
import os
import socket
import sys
import time
import urllib.parse

BLOCK = 1 << 20
LINE_MAX = 1 << 20  # bytes of a verdict; more is none of ours
WAIT_MAX = 30  # seconds between two attempts


class NoVerdict(Exception):
    """Why there is none, whether asking again may help, and when."""

    def __init__(self, why, later=True, after=0):
        super().__init__(why)
        self.later, self.after = later, after


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket; `timeout` is for silence."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def parse(text):
    """JSON, in which no name may come twice: two readers would see two verdicts."""

    def members(pairs):
        names = dict(pairs)
        if len(names) != len(pairs):
            raise ValueError("a name comes twice")
        return names

    try:
        document = json.loads(text, object_pairs_hook=members)
    except (ValueError, RecursionError) as e:
        raise NoVerdict(f"the answer is not sound JSON: {e}") from None
    if not isinstance(document, dict):
        raise NoVerdict("the answer is no JSON object")
    return document


def lines(reply, deadline):
    """The lines of a stream that came to its proper end.  A connection cut on the way is an exception, never an end."""
    held = b""
    while block := reply.read1(65536):  # raises IncompleteRead when the connection ends before the coding does
        held += block
        *whole, held = held.split(b"\n")
        yield from whole
        if len(held) > LINE_MAX:
            raise NoVerdict("a line of the answer is too long")
        if time.monotonic() > deadline:
            raise NoVerdict("out of time")
    if held:
        raise NoVerdict("the last line has no end")


def problem(document, status, reply):
    after = reply.getheader("Retry-After") or ""
    return NoVerdict(f"{status}: {document.get('title', 'refused')}: {document.get('detail', '')}",
                     later=document.get("retry") == "later", after=int(after) if after.isdecimal() else 0)


def read_answer(reply, deadline):
    """The last line: a verdict."""
    if reply.status != 200:
        text = reply.read(LINE_MAX)
        if reply.getheader("Content-Type") == "application/problem+json":
            raise problem(parse(text), reply.status, reply)
        raise NoVerdict(f"the answer is {reply.status}", later=reply.status >= 500)
    if reply.getheader("Content-Type") != "application/x-ndjson":
        raise NoVerdict("the answer is not the stream that was asked for")
    last = None
    for line in lines(reply, deadline):
        if last is not None:
            raise NoVerdict("something follows the verdict")
        document = parse(line)
        if "event" in document:
            print(f"check: {document}", file=sys.stderr)
        else:
            last = document
    if last is None:
        raise NoVerdict("the stream ended without a verdict")
    if "verdict" not in last:
        raise problem(last, last.get("status"), reply)
    return last


def send(connection, path, target, deadline):
    """Upload the file.  Returns (bytes, sha256) of what was sent; None for both if the daemon wanted no more of it."""
    digest, sent = hashlib.sha256(), 0
    with open(path, "rb") as f:
        connection.putrequest("POST", target)
        connection.putheader("Content-Length", str(os.fstat(f.fileno()).st_size))
        connection.putheader("Accept", "application/x-ndjson")
        try:
            connection.endheaders()
            while block := f.read(BLOCK):
                if time.monotonic() > deadline:
                    raise NoVerdict("out of time")
                connection.send(block)
                digest.update(block)
                sent += len(block)
        except (BrokenPipeError, ConnectionResetError):
            return None, None  # refused on the way: the answer says why
    return sent, digest.hexdigest()


def ask(options, deadline):
    """One attempt.  Returns the verdict's document."""
    query = {"name": os.path.basename(options.file)}
    if options.policy:
        query["policy"] = options.policy
    target = "/v1/scan?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
    connection = UnixConnection(options.socket, options.silence)
    try:
        sent, sha256 = send(connection, options.file, target, deadline)
        verdict = read_answer(connection.getresponse(), deadline)
    except (OSError, http.client.HTTPException) as e:  # a time-out, a cut, no daemon, garbage
        raise NoVerdict(f"{type(e).__name__}: {e}") from None
    finally:
        connection.close()
    file = verdict.get("file") if isinstance(verdict.get("file"), dict) else {}
    # accept needs proof: a whole scan of exactly the bytes that were sent.
    if verdict["verdict"] == "accept" and not (verdict.get("schema") == "weighlock.verdict/1" and verdict.get("complete") is True
                                               and str(file.get("size")) == str(sent) and file.get("sha256") == sha256):
        raise NoVerdict("accept, but not of the bytes that were sent")
    return verdict


def check(options):
    """Ask until there is a verdict, or no hope.  Returns the exit code."""
    deadline = time.monotonic() + options.total
    for attempt in range(options.attempts):
        try:
            verdict = ask(options, deadline)
            if verdict["verdict"] != "error":
                print(json.dumps(verdict))
                return {"accept": 0, "reject": 1}.get(verdict["verdict"], 3)
            scan = verdict.get("scan") if isinstance(verdict.get("scan"), dict) else {}
            trouble = NoVerdict(f"error: {scan.get('error')}", later=scan.get("retry") != "never")
        except NoVerdict as e:
            trouble = e
        print(f"check: {trouble}", file=sys.stderr)
        wait = min(max(trouble.after, 2 ** attempt), WAIT_MAX)
        if not trouble.later or attempt + 1 == options.attempts or time.monotonic() + wait > deadline:
            break
        time.sleep(wait)
    return 2


def main():
    parser = argparse.ArgumentParser(description="ask weighlockd about a file")
    parser.add_argument("--policy")
    parser.add_argument("--attempts", type=int, default=4)
    parser.add_argument("--silence", type=float, default=60, help="seconds without a byte; the daemon says something every 5")
    parser.add_argument("--total", type=float, default=3600, help="seconds for everything")
    parser.add_argument("socket")
    parser.add_argument("file")
    try:
        options = parser.parse_args()
    except SystemExit as e:
        sys.exit(4 if e.code else 0)
    if not os.path.isfile(options.file):
        print(f"check: {options.file} is no file", file=sys.stderr)
        sys.exit(4)
    sys.exit(check(options))


if __name__ == "__main__":
    main()
