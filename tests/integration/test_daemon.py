"""What weighlockd promises about itself: processes that end together, zygotes that are replaced, spools that move from
memory to disk, slots that come back.  Clients of all kinds are in test_clients.py."""
import hashlib
import json
import os
import re
import signal
import socket
import struct
import tempfile
import time

import tap
from daemon import Daemon, UnixConnection, descendants, options, read_reply

OPTIONS = options()
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
FAKE = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"


def sample(name="off-one-tensor"):
    with open(os.path.join(FILES, name + ".safetensors"), "rb") as f:
        return f.read()


def model(n):
    """An honest model of n bytes that are not all the same."""
    text = json.dumps({"w": {"dtype": "U8", "shape": [n], "data_offsets": [0, n]}}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + (bytes(range(1, 252)) * (n // 251 + 1))[:n]


def metric(d, name):
    text = d.get("/metrics")[2].decode()
    return int(re.search(rf"^weighlock_{re.escape(name)} (\d+)$", text, re.M).group(1))


def until(read, seconds=10):
    deadline = time.monotonic() + seconds
    while not (got := read()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return got


def post(d, body, query="", extra=""):
    """Send a request, return its socket; the reply is not read."""
    s = d.connect()
    s.sendall(f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body)
    return s


def zygote_of(d):
    """The child of the monitor that is the worker program."""
    for pid in descendants(d.process.pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            name, _, rest = f.read().partition("(")[2].rpartition(")")
        if int(rest.split()[1]) == d.process.pid and not name.startswith("weighlockd"):
            return pid
    raise AssertionError("no zygote")


def is_alive(pid):
    """A zombie that nobody reaps is not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# -- processes --

def test_nothing_outlives_a_killed_monitor():
    with Daemon(OPTIONS["weighlockd"]) as d:
        children = descendants(d.process.pid)
        assert len(children) >= 2, children
        d.process.kill()
        d.process.wait()
        assert until(lambda: not any(is_alive(p) for p in children)), [p for p in children if is_alive(p)]


def test_a_scan_survives_the_end_of_its_zygote_once():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        s = post(d, b"MODE:sleep\n", "?name=a.safetensors")
        time.sleep(0.4)
        os.kill(zygote_of(d), signal.SIGKILL)
        status, _, verdict = read_reply(s)
        assert status == 200 and verdict["verdict"] == "accept", verdict
        s.close()


def test_a_scan_that_loses_two_zygotes_is_an_error():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        s = post(d, b"MODE:hang\n", "?name=a.safetensors")
        for _ in range(2):
            assert until(lambda: metric(d, "scans_running") == 1)
            time.sleep(0.2)
            before = metric(d, "zygotes_started_total")
            os.kill(zygote_of(d), signal.SIGKILL)
            assert until(lambda before=before: metric(d, "zygotes_started_total") > before)
        status, _, verdict = read_reply(s)
        assert status == 200 and (verdict["verdict"], verdict["scan"]["error"]) == ("error", "internal"), verdict
        s.close()


def test_a_zygote_that_hangs_is_replaced():
    with Daemon(OPTIONS["weighlockd"]) as d:
        os.kill(zygote_of(d), signal.SIGSTOP)
        assert until(lambda: metric(d, "zygotes_started_total") == 2, 20), d.read_log()
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"


def test_a_crash_retires_the_zygote_and_at_most_one_a_second():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        begin = time.monotonic()
        for i in range(6):
            d.scan(b"MODE:crash-after\n", f"?tenant=t{i}")
        retired, seconds = metric(d, "zygotes_retired_total"), time.monotonic() - begin
        assert 1 <= retired <= seconds + 1, (retired, seconds)


def test_a_tenant_that_keeps_killing_workers_waits_and_others_do_not():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for _ in range(6):
            d.scan(b"MODE:crash-after\n", "?tenant=bad")
        time.sleep(1.5)  # the last zygote is retired and replaced; the strikes are remembered
        begin = time.monotonic()
        assert d.scan(b"MODE:honest\n", "?tenant=good&name=a.safetensors")[1]["verdict"] == "accept"
        free = time.monotonic() - begin
        for _ in range(3):
            d.scan(b"MODE:honest\n", "?tenant=bad")
        paced = time.monotonic() - begin - free
        assert paced > 1.2 and free < paced / 2, (paced, free)


# -- bodies --

def test_a_chunked_body_that_outgrows_memory_moves_to_disk_unchanged():
    body = model(3_000_000)
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 1000000\n") as d:
        c = UnixConnection(d.socket)
        pieces = [body[i:i + 77_777] for i in range(0, len(body), 77_777)]
        c.request("POST", "/v1/scan?name=a.safetensors", iter(pieces), {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        verdict = json.loads(c.getresponse().read())
        c.close()
        assert verdict["verdict"] == "accept", verdict
        assert verdict["file"]["sha256"] == hashlib.sha256(body).hexdigest(), verdict["file"]
        assert until(lambda: metric(d, "spool_bytes") == 0), metric(d, "spool_bytes")


def test_bodies_on_both_sides_of_the_memory_limit_are_judged_alike():
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 1000000\n") as d:
        for size in (999_999, 1_000_000, 1_000_001):
            body = model(size)[:size]  # truncated: the verdict is a reject, the digest is what counts
            verdict = d.scan(body, "?name=a.safetensors")[1]
            assert verdict["file"]["size"] == size, verdict["file"]
            assert verdict["file"]["sha256"] == hashlib.sha256(body).hexdigest(), verdict["file"]


def test_chunks_of_one_byte_are_put_together():
    body = sample()
    with Daemon(OPTIONS["weighlockd"]) as d:
        s = d.connect()
        s.sendall(b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                  b"".join(b"1\r\n%c\r\n" % b for b in body) + b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        s.shutdown(socket.SHUT_WR)  # a client that is done sending still wants its answers
        f = s.makefile("rb").read()
        assert f.count(b"HTTP/1.1 200") == 2 and f.endswith(b"ok\n"), f
        assert hashlib.sha256(body).hexdigest().encode() in f
        s.close()


def test_an_empty_body_is_judged():
    with Daemon(OPTIONS["weighlockd"]) as d:
        status, verdict = d.scan(b"", "?name=a.safetensors")
        assert status == 200 and verdict["verdict"] == "reject" and verdict["file"]["size"] == 0, verdict


def test_the_invitation_comes_after_admission():
    with Daemon(OPTIONS["weighlockd"]) as d:
        body = sample()
        s = d.connect()
        s.sendall(b"PUT /v1/scan/a.safetensors HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert s.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        s.sendall(body)
        assert read_reply(s)[2]["verdict"] == "accept"
        s.close()
        s = d.connect()
        s.sendall(b"PUT /v1/scan/a?policy=nonesuch HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        assert read_reply(s)[0] == 400
        s.close()


def test_room_that_is_taken_is_busy_and_room_there_never_is_is_no_space():
    config = "memfd_bytes: 1000000\nmemfd_max: 1000000\nspool_bytes: 2000000\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        head = b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
        held = d.connect()
        held.sendall(head % 1_500_000)
        assert held.recv(12) == b"HTTP/1.1 100"
        for size, want in ((1_600_000, 503), (2_000_001, 507)):
            s = d.connect()
            s.sendall(head % size)
            assert read_reply(s)[0] == want, size
            s.close()
        held.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        s = d.connect()
        s.sendall(head % 1_600_000)
        assert s.recv(12) == b"HTTP/1.1 100"
        s.close()


# -- descriptors --

def test_sets_are_refused_for_now_and_counts_must_match():
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryFile() as f:
        f.write(sample())
        f.flush()
        fd = f.fileno()
        for fds, n, want in ((2, 2, 501), (1, 2, 400), (2, 1, 400), (0, 1, 400)):
            status, _, problem = d.scan_fd([fd] * fds, n=n)
            assert status == want and problem["retry"] == "never", (fds, n, status, problem)
        assert d.scan_fd([fd], "?name=a.safetensors")[2]["verdict"] == "accept"


def test_a_pipelined_head_gets_its_own_descriptor():
    with Daemon(OPTIONS["weighlockd"]) as d, open(os.path.join(FILES, "off-one-tensor.safetensors"), "rb") as f:
        s = d.connect()
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        socket.send_fds(s, [b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\n"
                            b"Content-Length: 0\r\nConnection: close\r\n\r\n"], [f.fileno()])
        text = s.makefile("rb").read()
        assert text.count(b"HTTP/1.1 200") == 2 and b'"verdict":"accept"' in text, text
        s.close()


# -- clients that leave --

def test_a_client_that_leaves_frees_its_slot():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        held = [post(d, b"MODE:hang\n") for _ in range(2)]
        assert until(lambda: metric(d, "scans_running") == 2)
        for s in held:
            s.close()
        assert d.scan(b"MODE:honest\n", "?name=a.safetensors")[1]["verdict"] == "accept"
        assert "cancelled" in d.read_log()


def test_a_client_that_leaves_can_have_its_scan_finished():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        post(d, b"MODE:sleep\n", "?on_close=finish", "Weighlock-Request-Id: gone\r\n").close()
        assert until(lambda: "verdict=accept id=gone" in d.read_log() or "verdict=review id=gone" in d.read_log()), d.read_log()


# -- streams --

def test_a_stream_tells_its_place_and_then_its_progress():
    config = f"workers: 1\nprogress_seconds: 1\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        first = post(d, b"MODE:sleep\n")
        assert until(lambda: metric(d, "scans_running") == 1)
        second = post(d, b"MODE:sleep\n", "?name=a.safetensors", "Accept: application/x-ndjson\r\n")
        status, headers, text = read_reply(second)
        lines = [json.loads(line) for line in text.splitlines()]
        assert status == 200 and headers["content-type"] == "application/x-ndjson", headers
        assert lines[0] == {"event": "queued", "position": 1}, lines[0]
        assert any(line.get("event") == "progress" and line["size"] == 11 for line in lines[1:-1]), lines
        assert lines[-1]["verdict"] == "accept", lines[-1]
        first.close()
        second.close()


tap.main(globals())
