"""Uploads that are scanned while they arrive.  What must not depend on it is the verdict: the same bytes are sent with
their length announced, and in chunks, for which nothing is started early."""
import hashlib
import json
import os
import random
import signal
import struct
import tempfile
import time

import tap
from daemon import (MIB, Daemon, Upload, UnixConnection, early, metric, model, options, read_reply, started, until,
                    withdrawn, zygote_of)

OPTIONS = options()
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
CONFIG = "workers: 3\nworkers_per_tenant: 3\nmemfd_max: 1000000\n"  # of what stays in memory nothing is started early
FAKE = CONFIG + f"worker: {OPTIONS['fake_worker']}\n"


def body_of(mode, n=17 * MIB):
    return f"MODE:{mode}\n".encode().ljust(n, b"x")


def without_times(verdict):
    verdict = json.loads(json.dumps(verdict))
    for name in ("time", "duration_ms", "request_id"):
        del verdict["scan"][name]
    return verdict


# -- the verdict is the same --

def in_chunks(d, body, query="?name=a.safetensors"):
    c = UnixConnection(d.socket)
    try:
        c.request("POST", "/v1/scan" + query, iter([body[i:i + MIB] for i in range(0, len(body), MIB)]),
                  {"Transfer-Encoding": "chunked"}, encode_chunked=True)
        r = c.getresponse()
        assert r.status == 200, r.read()
        return json.loads(r.read())
    finally:
        c.close()


def dribbled(d, body, rng):
    """Pieces of any size with pauses between them; the last bytes one by one."""
    up = Upload(d, body)
    while len(body) - up.sent > 3:
        up.send(min(len(body) - 3, up.sent + rng.choice((1, 7, 4096, 100_000, 3_000_000))))
        if rng.random() < 0.05:
            time.sleep(0.05)
    for _ in range(3):
        up.send(up.sent + 1)
    return up.finish()


def header(entries, data):
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def made_bodies():
    n = 17 * MIB
    rng = random.Random(7)
    noise = rng.randbytes(n)
    f32 = {"w": {"dtype": "F32", "shape": [n // 4], "data_offsets": [0, n]}}
    yield "honest", model(n)
    yield "one byte short", model(n)[:-1]
    yield "half of it missing", model(2 * n)[:n]
    yield "one byte too many", model(n) + b"x"
    yield "a NaN at the very end", header(f32, bytes(n - 4) + struct.pack("<f", float("nan")))
    yield "a NaN at the beginning", header(f32, struct.pack("<f", float("nan")) + bytes(n - 4))
    yield "nothing but NaN", header(f32, b"\xff" * n)
    yield "noise", noise
    yield "zeros", bytes(n)
    yield "a header as large as the file", struct.pack("<Q", n - 8) + b"{" + b" " * (n - 10) + b"}"
    yield "a header larger than the file", struct.pack("<Q", n) + noise[8:]
    yield "a header that never ends", struct.pack("<Q", 90_000_000) + b"{" + b'"a":[' * (n // 5)
    yield "a hole", header({"a": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]},
                            "b": {"dtype": "U8", "shape": [n - 16], "data_offsets": [16, n]}}, noise)
    yield "an overlap", header({"a": {"dtype": "U8", "shape": [16], "data_offsets": [0, 16]},
                                "b": {"dtype": "U8", "shape": [n - 8], "data_offsets": [8, n]}}, noise)
    yield "a ZIP directory at the end", model(n)[:-22] + b"PK\x05\x06" + bytes(18)
    yield "a ZIP without anything else", noise[:-22] + b"PK\x05\x06" + bytes(18)


def padded_corpus(every):
    """Hostile files of all kinds, made long enough."""
    for name in sorted(os.listdir(FILES))[::every]:
        with open(os.path.join(FILES, name), "rb") as f:
            yield name, f.read().ljust(16 * MIB + 1, b"\0")


def compare(bodies, send):
    wrong, n = [], 0
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for name, body in bodies:
            n += 1
            before = early(d)
            followed, plain = send(d, body), in_chunks(d, body)
            if early(d) != before + 1:
                wrong.append(f"{name}: it was not scanned early")
            if followed["file"]["sha256"] not in (None, hashlib.sha256(body).hexdigest()):
                wrong.append(f"{name}: the digest of other bytes")
            if without_times(followed) != without_times(plain):
                wrong.append(f"{name}: {without_times(followed)}\nnot {without_times(plain)}")
        assert withdrawn(d) == 0, "a worker was withdrawn though nobody waited"
        assert until(lambda: metric(d, "spool_bytes") == 0) and "worker died" not in d.read_log(), d.read_log()
    assert not wrong, "\n".join(wrong)
    return n


def test_made_files_get_the_verdict_they_get_in_chunks():
    assert compare(made_bodies(), lambda d, body: Upload(d, body).finish()) == 16


def test_corpus_files_get_the_verdict_they_get_in_chunks():
    assert compare(padded_corpus(9), lambda d, body: Upload(d, body).finish()) > 30


def test_dribbled_files_get_the_verdict_they_get_in_chunks():
    rng = random.Random(11)
    assert compare(made_bodies(), lambda d, body: dribbled(d, body, rng)) == 16


# -- when it is done, and when not --

def test_a_worker_is_at_work_before_the_last_byte_is_sent():
    body = model(20 * MIB)
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        up = started(d, Upload(d, body), len(body) - 1)
        assert metric(d, "scans_running") == 1
        verdict = up.finish()
        assert (verdict["verdict"], verdict["file"]["sha256"]) == ("accept", hashlib.sha256(body).hexdigest()), verdict
        assert withdrawn(d) == 0


def test_sixteen_mebibytes_are_followed_and_one_byte_less_is_not():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for size, want in ((16 * MIB - 1, 0), (16 * MIB, 1)):
            Upload(d, bytes(size)).finish()
            assert early(d) == want, size


def test_a_body_kept_in_memory_is_not_followed():
    with Daemon(OPTIONS["weighlockd"], config="workers: 3\nmemfd_max: 20000000\n") as d:
        Upload(d, bytes(17 * MIB)).finish()
        assert early(d) == 0


def test_the_last_slot_is_never_given_away_early():
    with Daemon(OPTIONS["weighlockd"], config="workers: 1\nmemfd_max: 1000000\n") as d:
        assert Upload(d, model(17 * MIB)).finish()["verdict"] == "accept"
        assert early(d) == 0
    with Daemon(OPTIONS["weighlockd"], config="workers: 2\nmemfd_max: 1000000\n") as d:
        first = started(d, Upload(d, model(17 * MIB)))
        second = Upload(d, model(17 * MIB)).send(16 * MIB)
        assert d.scan(model(1000), "?name=a.safetensors")[1]["verdict"] == "accept", "a small file passes both"
        assert second.finish()["verdict"] == "accept" and early(d) == 1
        assert first.finish()["verdict"] == "accept" and withdrawn(d) == 0


def test_a_stream_of_lines_goes_on_as_ever():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        up = started(d, Upload(d, model(17 * MIB), extra="Accept: application/x-ndjson\r\n"))
        up.send(len(up.body))
        status, _, text = read_reply(up.socket)
        lines = [json.loads(line) for line in text.splitlines()]
        assert status == 200 and lines[-1]["verdict"] == "accept", lines
        assert lines[0]["event"] == "progress" and lines[0]["size"] == len(up.body), lines[0]


# -- clients that stall or leave --

def test_a_client_that_leaves_takes_its_worker_along():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for query in ("?name=a.safetensors", "?on_close=finish"):
            up = started(d, Upload(d, model(17 * MIB), query), 9 * MIB)
            assert metric(d, "scans_running") == 1 and metric(d, "spool_bytes") > 17 * MIB
            up.close()
            assert until(lambda: metric(d, "scans_running") == 0), "the slot is not free"
            assert until(lambda: metric(d, "spool_bytes") == 0) and metric(d, "queue_admitted") == 0
        assert metric(d, "zygotes_started_total") == 1 and "worker died" not in d.read_log(), d.read_log()
        judged = [line for line in d.read_log().splitlines() if "verdict=" in line and "id=self-scan" not in line]
        assert not judged, judged


def test_a_client_that_stalls_keeps_its_worker_only_while_nobody_waits():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        up = started(d, Upload(d, body_of("honest")))
        time.sleep(2.5)
        assert withdrawn(d) == 0 and metric(d, "scans_running") == 1, "nobody waits"
        hanging = [Upload(d, b"MODE:hang\n").send(10) for _ in range(2)]
        assert until(lambda: metric(d, "scans_running") == 3)
        assert d.scan(b"MODE:honest\n", "?name=a.safetensors")[1]["verdict"] == "accept"
        assert withdrawn(d) == 1
        hanging.pop().close()
        assert up.finish()["verdict"] == "accept", "from the spool"
        assert early(d) == 1 and metric(d, "zygotes_started_total") == 1 and "worker died" not in d.read_log()
        hanging.pop().close()


def test_a_verdict_after_a_withdrawal_is_that_of_the_file():
    policy = "version: 1\nname: impatient\nbase: default\nlimits:\n  scan-seconds: 4\n"
    n = 17 * MIB
    nan = header({"w": {"dtype": "F32", "shape": [n // 4], "data_offsets": [0, n]}}, bytes(n - 4) + b"\xff\xff\xff\x7f")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(policy)
        f.flush()
        os.chmod(f.name, 0o644)
        with Daemon(OPTIONS["weighlockd"], config=CONFIG + f"policies:\n  impatient: {f.name}\n") as d:
            up = started(d, Upload(d, nan, "?name=a.safetensors&policy=impatient"))
            assert until(lambda: withdrawn(d) == 1), "its time is over"
            assert until(lambda: metric(d, "scans_running") == 0)
            verdict = up.finish()
            assert verdict["complete"] and verdict["weights"]["nan"] == 1, verdict
            assert without_times(verdict) == without_times(in_chunks(d, nan, "?name=a.safetensors&policy=impatient"))
            assert early(d) == 1 and "worker died" not in d.read_log()


# -- workers and zygotes that misbehave meanwhile --

def test_nothing_a_worker_says_before_the_last_byte_is_believed():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for i, mode in enumerate(("early-accept", "early-reject", "early-garbage"), 1):
            up = started(d, Upload(d, body_of(mode)))
            assert until(lambda: metric(d, "scans_running") == 0), (mode, "its slot is free")
            verdict = up.finish()
            assert verdict["verdict"] == "accept" and early(d) == i, (mode, verdict)
            assert verdict["file"]["sha256"] == hashlib.sha256(up.body).hexdigest(), (mode, verdict["file"])


def test_a_worker_that_dies_early_counts_as_one_that_died():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for i in range(1, 5):
            up = Upload(d, body_of("early-crash")).send(9 * MIB)
            if i <= 3:
                assert until(lambda i=i: early(d) == i and metric(d, "scans_running") == 0)
            assert up.finish()["verdict"] == "accept", "the file itself is fine"
            time.sleep(1.1)  # one zygote a second
        assert early(d) == 3, "and whose files have killed three gets no more of it"
        assert metric(d, "zygotes_retired_total") == 3 and d.read_log().count("worker died") == 3, d.read_log()


def test_a_worker_that_dies_at_the_end_is_judged_as_ever():
    want = {"crash-after": "worker-crashed", "status-1": "worker-crashed", "seccomp": "worker-killed-seccomp",
            "half": "worker-protocol", "wrong-size": "worker-protocol"}
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for i, (mode, cause) in enumerate(want.items(), 1):
            tenant = f"?name=a.safetensors&tenant=t{i}"
            assert until(lambda: d.get("/readyz")[0] == 200), "the zygote of the last one is being replaced"
            verdict = started(d, Upload(d, body_of(mode), tenant)).finish()
            assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", cause), (mode, verdict)
            assert early(d) == i, mode


def test_a_scan_survives_two_zygotes_while_its_body_arrives_and_one_afterwards():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        up = started(d, Upload(d, body_of("sleep")))
        os.kill(zygote_of(d), signal.SIGKILL)
        assert until(lambda: metric(d, "zygotes_started_total") == 2)
        up.send(len(up.body))
        assert until(lambda: metric(d, "scans_running") == 1)
        time.sleep(0.3)
        os.kill(zygote_of(d), signal.SIGKILL)
        verdict = up.finish()
        assert verdict["verdict"] == "accept" and early(d) == 1, verdict


def test_a_worker_that_hangs_early_is_not_waited_for():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        up = started(d, Upload(d, body_of("early-hang")), 16 * MIB)
        hanging = [Upload(d, b"MODE:hang\n").send(10) for _ in range(2)]
        assert until(lambda: metric(d, "scans_running") == 3)
        assert d.scan(b"MODE:honest\n", "?name=a.safetensors")[1]["verdict"] == "accept"
        hanging.pop().close()
        assert up.finish()["verdict"] == "accept" and withdrawn(d) == 1
        hanging.pop().close()


tap.main(globals(), at_once=3)
