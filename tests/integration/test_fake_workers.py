"""A worker that lies about its file is never believed: every mode of fake_worker.c, by descriptor."""
import fcntl
import hashlib
import json
import os
import tempfile
import time

import tap
from daemon import Daemon, metric, options

OPTIONS = options()
CONFIG = f"worker: {OPTIONS['fake_worker']}\nworkers: 2\n"

PROTOCOL = ("garbage", "text", "nothing", "half", "last-byte-missing", "huge", "huge-length", "out-of-order", "twice",
            "trailing-byte", "wrong-size", "own-digest", "wrong-sums", "complete-unknown")


def ask(daemon, mode, query="?name=x.safetensors", tenant=None):
    """Each mode is a tenant's own, for those whose workers lie are slowed down."""
    query += f"&tenant={tenant or mode}"
    with tempfile.TemporaryFile() as f:
        f.write(f"MODE:{mode}\n".encode())
        f.flush()
        status, _, verdict = daemon.scan_fd(f.fileno(), query)
    assert status == 200, (mode, status, verdict)
    return verdict


def test_an_honest_report_is_believed_so_these_tests_can_fail():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        assert ask(d, "honest")["verdict"] == "accept"


def test_reports_that_break_the_protocol_are_errors():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for mode in PROTOCOL:
            verdict = ask(d, mode)
            assert verdict["verdict"] == "error" and not verdict["complete"], (mode, verdict)
            assert verdict["scan"]["error"] in ("worker-protocol", "limit-output"), (mode, verdict["scan"])
            assert ask(d, "honest")["verdict"] == "accept", f"after {mode}"


# how a body comes: its bytes, and whether its length is announced
BODIES = {"memory": (100, True), "memory-chunked": (100, False), "file": (3 << 20, True), "file-chunked": (3 << 20, False),
          "early": (17 << 20, True)}


def upload(daemon, mode, n, announced, tenant):
    body = f"MODE:{mode}\n".encode().ljust(n, b" ")
    query = f"?name=x.safetensors&tenant={tenant}"
    if announced:
        status, verdict = daemon.scan(body, query)
    else:
        status, _, text = daemon.request("POST", "/v1/scan" + query, iter([body[:50], body[50:]]))
        verdict = json.loads(text)
    assert status == 200, (mode, status, verdict)
    return verdict, hashlib.sha256(body).hexdigest()


def test_of_a_body_no_worker_names_the_digest():
    """One that does lies, whatever it says: nothing is answered or logged about other bytes than those that came."""
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for how, (n, announced) in BODIES.items():
            verdict, sha256 = upload(d, "honest", n, announced, how)
            assert (verdict["verdict"], verdict["file"]["sha256"]) == ("accept", sha256), (how, verdict)
            assert verdict["scan"]["digest_by"] == "front", (how, verdict)
            for mode in ("own-digest", "other-digest"):
                lies = protocol_ends(d)
                verdict, sha256 = upload(d, mode, n, announced, f"{how}-{mode}")
                assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "worker-protocol"), (how, mode, verdict)
                assert verdict["file"]["sha256"] == sha256, (how, mode, verdict)
                assert protocol_ends(d) == lies + 1, (how, mode)
            assert upload(d, "unread", n, announced, f"{how}-unread")[0]["verdict"] == "error", how
        assert "b0b0b0" not in d.read_log(), d.read_log()
        assert "digest-by=front" in d.read_log(), d.read_log()


def test_the_digest_of_a_body_stands_though_its_worker_died():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for how, (n, announced) in BODIES.items():
            verdict, sha256 = upload(d, "crash-after", n, announced, how)
            assert (verdict["scan"]["error"], verdict["file"]["sha256"]) == ("worker-crashed", sha256), (how, verdict)


# how a descriptor's bytes come to its worker: copied, going by, going by while another process hashes; or as they are
FILES = {"copied": 100, "flowing": 3 << 20, "beside": 17 << 20, "sealed": 100, "sealed-large": 17 << 20}


def by_descriptor(daemon, how, mode, tenant):
    body = f"MODE:{mode}\n".encode().ljust(FILES[how], b" ")
    fd = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    try:
        os.write(fd, body)
        if "sealed" in how:
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        status, _, verdict = daemon.scan_fd(fd, f"?name=x.safetensors&tenant={tenant}")
    finally:
        os.close(fd)
    assert status == 200, (how, mode, status, verdict)
    return verdict, hashlib.sha256(body).hexdigest()


def test_of_a_descriptor_no_worker_names_the_digest():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for how in FILES:
            verdict, sha256 = by_descriptor(d, how, "honest", how)
            assert (verdict["verdict"], verdict["file"]["sha256"]) == ("accept", sha256), (how, verdict)
            assert verdict["scan"]["digest_by"] == "digester", (how, verdict)
            for mode in ("own-digest", "other-digest"):
                lies = protocol_ends(d)
                verdict, sha256 = by_descriptor(d, how, mode, f"{how}-{mode}")
                assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "worker-protocol"), (how, mode, verdict)
                assert verdict["file"]["sha256"] == sha256, (how, mode, verdict)
                assert protocol_ends(d) == lies + 1, (how, mode)
            assert by_descriptor(d, how, "unread", f"{how}-unread")[0]["verdict"] == "error", how
        assert "b0b0b0" not in d.read_log(), d.read_log()


def test_the_digest_of_a_descriptor_stands_though_its_worker_died():
    """At once, or after it has said all; it is still taken then."""
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for how in FILES:
            for mode in ("die", "crash-after"):
                verdict, sha256 = by_descriptor(d, how, mode, f"{how}-{mode}")
                assert (verdict["scan"]["error"], verdict["file"]["sha256"]) == ("worker-crashed", sha256), (how, verdict)


def test_what_was_found_before_it_flowed_by_is_of_no_digest():
    """Its worker dies after findings: they stand, but who knows of which bytes?"""
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for how in FILES:
            verdict, sha256 = by_descriptor(d, how, "reject-then-die", how)
            assert verdict["verdict"] == "reject" and verdict["findings"], (how, verdict)
            assert verdict["file"]["sha256"] == (None if how in ("flowing", "beside") else sha256), (how, verdict)


def protocol_ends(daemon):
    return metric(daemon, 'worker_exits_total{reason="protocol"}')


def test_a_worker_that_lies_counts_as_one_that_died():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for i, mode in enumerate((*PROTOCOL, "endless-progress"), 1):
            ask(d, mode)
            assert protocol_ends(d) == i, (mode, protocol_ends(d))
            assert d.read_log().count("worker reported nonsense") == i, (mode, d.read_log())
        assert metric(d, "zygotes_retired_total") >= 1
        done = metric(d, 'worker_exits_total{reason="done"}')
        ask(d, "honest")
        assert (protocol_ends(d), metric(d, 'worker_exits_total{reason="done"}')) == (i, done + 1)


def test_a_tenant_whose_workers_keep_lying_waits():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for _ in range(6):
            ask(d, "nothing", tenant="bad")
        begin = time.monotonic()
        for _ in range(3):
            ask(d, "honest", tenant="bad")
        assert time.monotonic() - begin > 1.2, "0.8 seconds between them"


def test_workers_that_die_are_errors():
    want = {"die": "worker-crashed", "crash-after": "worker-crashed", "status-1": "worker-crashed",
            "seccomp": "worker-killed-seccomp"}
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        for mode, cause in want.items():
            verdict = ask(d, mode)
            assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", cause), (mode, verdict)
            assert ask(d, "honest")["verdict"] == "accept", f"after {mode}"


def test_a_reject_finding_stands_although_the_worker_died():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        verdict = ask(d, "reject-then-die")
        assert verdict["verdict"] == "reject" and not verdict["complete"], verdict
        assert verdict["scan"]["error"] == "worker-crashed", verdict["scan"]


def test_a_digest_other_than_the_expected_one_is_an_error():
    with Daemon(OPTIONS["weighlockd"], config=CONFIG) as d:
        verdict = ask(d, "honest", "?name=x.safetensors&sha256=" + "ab" * 32)
        assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "digest-mismatch"), verdict


def test_workers_that_never_end_are_killed_at_their_deadline():
    policy = "version: 1\nname: impatient\nbase: default\nlimits:\n  scan-seconds: 1\n"
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(policy)
        f.flush()
        os.chmod(f.name, 0o644)
        with Daemon(OPTIONS["weighlockd"], config=CONFIG + f"policies:\n  impatient: {f.name}\n") as d:
            for mode in ("hang", "hang-after", "endless-progress"):
                verdict = ask(d, mode, "?name=x.safetensors&policy=impatient")
                assert verdict["verdict"] == "error", (mode, verdict)
                assert verdict["scan"]["error"] in ("worker-timeout", "limit-output", "limit-time"), (mode, verdict)
            assert ask(d, "honest")["verdict"] == "accept"


def test_a_worker_of_another_build_is_refused():
    with Daemon(OPTIONS["weighlockd"], config="worker: /bin/true\n", wait=False) as d:
        d.process.wait(60)
        assert d.process.returncode not in (0, None) and d.read_log(), (d.process.returncode, d.read_log())


tap.main(globals(), at_once=4)
