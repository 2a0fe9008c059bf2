"""What weighlockd promises about itself: processes that end together, zygotes that are replaced, spools that move from
memory to disk, slots that come back.  Clients of all kinds are in test_clients.py."""
import hashlib
import fcntl
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

import tap
from daemon import PATIENCE_S, Daemon, UnixConnection, child_with, descendants, is_alive, metric, model, options, read_reply, send_fds, until, zygote_of
from hung_storage import FLUSH, GETATTR, HungStorage

OPTIONS = options()
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
FAKE = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"


def sample(name="off-one-tensor"):
    with open(os.path.join(FILES, name + ".safetensors"), "rb") as f:
        return f.read()


def post(d, body, query="", extra=""):
    """Send a request, return its socket; the reply is not read."""
    s = d.connect()
    s.sendall(f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body)
    return s


# -- processes --

def test_nothing_outlives_a_killed_monitor():
    with Daemon(OPTIONS["weighlockd"]) as d:
        children = descendants(d.process.pid)
        assert len(children) >= 2, children
        d.process.kill()
        d.process.wait()
        assert until(lambda: not any(is_alive(p) for p in children)), [p for p in children if is_alive(p)]


def layout(pid):
    """Where its program lies, and what its canaries are made of."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
            base = next(line.split("-")[0] for line in f if "weighlockd" in line)
        with open(f"/proc/{pid}/auxv", "rb") as f:
            at = dict(struct.iter_unpack("@LL", f.read()))[25]  # AT_RANDOM
        with open(f"/proc/{pid}/mem", "rb") as f:
            f.seek(at)
            return base, f.read(16)
    except PermissionError:
        raise tap.Skip("needs to look into processes that are not dumpable") from None


def test_who_is_started_again_has_another_layout_and_another_canary():
    with tempfile.TemporaryDirectory() as state:
        os.chmod(state, 0o777)
        with Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {state}\n") as d:
            for role in (b"front", b"keeper"):
                seen = [layout(d.process.pid)]
                for _ in range(3):
                    assert until(lambda role=role: child_with(d, role)), d.read_log()
                    pid = child_with(d, role)
                    d.wait_ready()
                    seen.append(layout(pid))
                    os.kill(pid, signal.SIGKILL)
                    assert until(lambda role=role, pid=pid: child_with(d, role) not in (None, pid)), d.read_log()
                bases, canaries = zip(*seen)
                assert len(set(bases)) == len(set(canaries)) == 4, (role, seen)


def test_an_upgrade_on_disk_does_not_mix_two_builds():
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        program = os.path.join(place, "weighlockd")
        shutil.copy(OPTIONS["weighlockd"], program)
        worker = os.path.join(OPTIONS["build"], "worker", "weighlock-worker")
        with Daemon(program, "--worker", worker) as d:
            os.unlink(program)
            shutil.copy("/bin/false", program)
            before = child_with(d, b"front")
            os.kill(before, signal.SIGKILL)
            assert until(lambda: child_with(d, b"front") not in (None, before)), d.read_log()
            d.wait_ready()
            assert d.scan(model(10), "?name=a.safetensors")[1]["verdict"] == "accept"


def test_a_role_is_for_the_daemon_to_start():
    for role in ("front", "keeper"):
        done = subprocess.run([OPTIONS["weighlockd"], role], stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
        assert done.returncode == 4 and "for weighlockd itself to start" in done.stderr, done


def test_a_scan_survives_the_end_of_its_zygote_once():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        s = post(d, b"MODE:sleep\n", "?name=a.safetensors")
        assert until(lambda: metric(d, "scans_running") == 1)
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
        assert until(lambda: metric(d, "zygotes_started_total") == 2), d.read_log()
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
        deaths = 0
        while deaths < 7:  # on a busy machine one may be ended before it dies
            deaths += d.scan(b"MODE:crash-after\n", "?tenant=bad")[1]["scan"]["error"] == "worker-crashed"
        time.sleep(1.5)  # the last zygote is retired and replaced; the strikes are remembered
        assert d.scan(b"MODE:honest\n", "?tenant=good&name=a.safetensors")[1]["verdict"] == "accept"
        begin = time.monotonic()
        bad = [post(d, b"MODE:honest\n", "?tenant=bad") for _ in range(3)]
        assert d.scan(b"MODE:honest\n", "?tenant=good&name=a.safetensors")[1]["verdict"] == "accept"
        assert not select.select(bad[2:], [], [], 0)[0], "the third waits for its turn, and only they do"
        assert [read_reply(s)[0] for s in bad] == [200] * 3
        assert time.monotonic() - begin > 3, "1.6 seconds between them"
        for s in bad:
            s.close()


def test_a_tenant_cannot_hold_every_slot():
    """Files that take until their deadline: before there was a share, everybody waited for it."""
    for config, running in ((FAKE.replace("2", "4", 1), 3), (FAKE + "workers_per_tenant: 1\n", 1),
                            (FAKE.replace("2", "4", 1) + "tenants: { hog: { workers: 2, queue_max: 6 } }\n", 2)):
        with Daemon(OPTIONS["weighlockd"], config=config) as d:
            held = [post(d, b"MODE:hang\n", "?tenant=hog") for _ in range(6)]
            assert until(lambda d=d, n=6 - running: metric(d, "queue_waiting") == n)
            assert metric(d, "scans_running") == running, config
            for i in range(3):
                status, verdict = d.scan(b"MODE:honest\n", f"?tenant=t{i}&name=a.safetensors")
                assert (status, verdict["verdict"]) == (200, "accept"), verdict
            assert metric(d, "scans_running") == running
            if "queue_max" in config:
                status, headers, text = d.request("POST", "/v1/scan?tenant=hog", b"x")
                assert status == 503 and headers["Retry-After"] and json.loads(text)["retry"] == "later", text
                assert d.scan(b"MODE:honest\n", "?tenant=t7")[0] == 200
            for s in held:
                s.close()


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


def announce(d, size):
    """A body is announced and not sent: its socket, and the first line of the answer."""
    s = d.connect()
    s.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % size)
    return s, s.recv(12)


def test_one_user_gets_half_of_the_room_and_another_the_rest():
    config = "memfd_max: 1\nspool_bytes: 4000000\n"
    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666", "--allow-uid", str(NOBODY), config=config) as d, \
            tempfile.NamedTemporaryFile(suffix=".safetensors") as f:
        f.write(model(1_900_000))
        f.flush()
        os.chmod(f.name, 0o644)
        other = Nobody(d, f"print(scan({f.name!r}))")
        held, said = announce(d, 1_500_000)
        assert said == b"HTTP/1.1 100", said
        asked = [held]
        for size, want in ((500_001, b"HTTP/1.1 503"), (500_000, b"HTTP/1.1 100")):
            s, said = announce(d, size)
            assert said == want, (size, said)
            asked.append(s)
        assert metric(d, "spool_bytes") == 2_000_000
        assert other.go() == ["accept"], d.read_log()
        for s in asked:
            s.close()


def test_a_body_larger_than_a_share_must_keep_coming():
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 1\nspool_bytes: 4000000\nbody_min_bytes_per_10s: 0\n") as d:
        held = [announce(d, 2_000_000)]
        assert held[0][1] == b"HTTP/1.1 100", held
        assert announce(d, 2_000_001)[1] == b"HTTP/1.1 503", "it is not all that its user has there"
        held.pop()[0].close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        half, said = announce(d, 2_000_000)
        assert said == b"HTTP/1.1 100", said
        half.settimeout(13)
        try:
            half.recv(100)  # the rest of the invitation
            assert not half.recv(100), "it may take its time"
        except TimeoutError:
            pass
        half.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        more, said = announce(d, 2_000_001)
        assert said == b"HTTP/1.1 100", said
        more.recv(100)
        assert more.recv(12) == b"HTTP/1.1 408", "its time is measured"
        more.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)


# -- descriptors --

def test_counts_of_descriptors_must_match():
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryFile() as f:
        f.write(sample())
        f.flush()
        fd = f.fileno()
        for fds, n, want in ((1, 2, 400), (2, 1, 400), (0, 1, 400)):
            status, _, problem = d.scan_fd([fd] * fds, n=n)
            assert status == want and problem["retry"] == "never", (fds, n, status, problem)
        assert d.scan_fd([fd], "?name=a.safetensors")[2]["verdict"] == "accept"


def test_a_pipelined_head_gets_its_own_descriptor():
    with Daemon(OPTIONS["weighlockd"]) as d, open(os.path.join(FILES, "off-one-tensor.safetensors"), "rb") as f:
        s = d.connect()
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        send_fds(s, [b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\n"
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


# -- storage that hangs --

IMPATIENT = "version: 1\nname: impatient\nbase: default\nlimits:\n  scan-seconds: 1\n"
NOBODY = 65534


class Nobody:
    """Another user, who runs steps of Python when told to go."""

    def __init__(self, d, *steps):
        if os.getuid() != 0:
            raise tap.Skip("needs root to become somebody else")
        code = ("import json, os, socket, sys; from daemon import UnixConnection, read_reply\n"
                "def scan(path):\n c = UnixConnection(sys.argv[1])\n"
                " c.request('POST', '/v1/scan?name=a.safetensors', open(path, 'rb').read())\n"
                " return json.loads(c.getresponse().read())['verdict']\n"
                "def scan_fd(path):\n s = socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1])\n"
                " socket.send_fds(s, [b'POST /v1/scan?name=a.safetensors HTTP/1.1\\r\\nHost: x\\r\\n"
                "Weighlock-Source: fd; n=1\\r\\n\\r\\n'], [os.open(path, os.O_RDONLY)])\n"
                " return read_reply(s)[2]['verdict']\n"
                "sys.stdin.readline()\n") + "\n".join(steps)
        self.process = subprocess.Popen(["/usr/bin/python3", "-c", code, d.socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, preexec_fn=lambda: (os.setgroups([]), os.setgid(NOBODY), os.setuid(NOBODY)))

    def go(self):
        """What it printed."""
        return self.process.communicate("go\n", timeout=180)[0].split()


def front_of(d):
    """The front is the child with the name of the monitor."""
    for pid in descendants(d.process.pid):
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            if f.read().startswith("weighlockd"):
                return pid
    raise AssertionError("no front")


def public_sample():
    """A copy that another user may read."""
    f = tempfile.NamedTemporaryFile(suffix=".safetensors")
    f.write(sample())
    f.flush()
    os.chmod(f.name, 0o644)
    return f


def test_descriptors_that_cannot_be_closed_cost_only_their_sender():
    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666", "--allow-uid", str(NOBODY)) as d, \
            HungStorage(sample()) as storage, public_sample() as good:
        victim = Nobody(d, "for i in range(20): print(scan(%r))" % good.name, "for i in range(5): print(scan_fd(%r))" % good.name)
        fd = storage.open()
        storage.hang(FLUSH)
        before = len(os.listdir(f"/proc/{front_of(d)}/fd"))
        for _ in range(40):  # descriptors nobody asked for, on storage that lets nobody close them
            s = d.connect()
            try:
                send_fds(s, [b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], [fd] * 100)
                assert read_reply(s)[0] in (400, 503)
            except BrokenPipeError:
                pass
            s.close()
        assert until(lambda: storage.seen), "nothing was closed: this test tests nothing"
        said = victim.go()
        assert said == ["accept"] * 25, said
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept", "its sender may still upload"
        held = len(os.listdir(f"/proc/{front_of(d)}/fd")) - before
        assert held <= 2304 + 10, f"{held} descriptors are held"
        assert until(lambda: metric(d, "storage_threads_stuck") == 1), "the operator cannot see it"


def test_a_descriptor_that_could_be_written_to_is_refused_unless_it_is_sealed():
    with Daemon(OPTIONS["weighlockd"]) as d:
        fd = os.memfd_create("m", os.MFD_ALLOW_SEALING)
        os.write(fd, model(10))
        for seals, status in ((0, 400), (fcntl.F_SEAL_WRITE, 400), (fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK, 200)):
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
            s = d.connect()
            socket.send_fds(s, [b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\n\r\n"], [fd])
            assert read_reply(s)[0] == status, seals
            s.close()
        os.close(fd)


def test_asking_for_the_size_does_not_wait_for_the_storage():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d, HungStorage(b"MODE:sleep\n") as storage:
        fd = storage.open()
        storage.hang(GETATTR)
        s = d.connect()
        send_fds(s, [b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\n\r\n"], [fd])
        assert until(lambda: metric(d, "scans_running") == 1), "it was never given to a worker"
        s.close()


def name_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
        return f.read().strip()


def test_a_worker_that_does_not_end_costs_a_slot_until_it_does():
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy, tempfile.TemporaryFile() as f:
        policy.write(IMPATIENT)
        policy.flush()
        os.chmod(policy.name, 0o644)
        f.write(b"MODE:undead\n")
        f.flush()
        with Daemon(OPTIONS["weighlockd"], config=FAKE + f"policies: {{ impatient: {policy.name} }}\n") as d:
            status, _, verdict = d.scan_fd(f.fileno(), "?policy=impatient&tenant=bad")
            assert (status, verdict["verdict"], verdict["scan"]["error"]) == (200, "error", "worker-timeout"), verdict
            assert (metric(d, "slots"), metric(d, "slots_lost_total"), metric(d, "scans_running")) == (1, 1, 0)
            assert d.scan(b"MODE:honest\n", "?tenant=bad&name=a.safetensors")[1]["verdict"] == "accept"
            assert d.scan_fd(f.fileno(), "?policy=impatient&tenant=bad")[0] == 503, "it may lose another slot"
            undead = [p for p in descendants(zygote_of(d)) if is_alive(p) and name_of(p) != "digester"]
            assert len(undead) == 1, undead
            os.kill(undead[0], signal.SIGKILL)
            assert until(lambda: metric(d, "slots") == 2), "the slot was not found again"
            f.seek(0)
            f.write(b"MODE:honest\n")
            f.flush()
            assert d.scan_fd(f.fileno(), "?tenant=bad&name=a.safetensors")[2]["verdict"] == "accept"


def test_without_memory_workers_go_first_and_the_monitor_last():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with Daemon(OPTIONS["weighlockd"], config=f"state_dir: {folder}\naudit: on\n") as d:
            keeper = [p for p in descendants(d.process.pid) if name_of(p) == "weighlockd-keep"][0]
            digester = descendants(zygote_of(d))[0]  # a fork of the zygote's, as workers are
            scores = []
            for pid in (d.process.pid, keeper, front_of(d), zygote_of(d), digester):
                with open(f"/proc/{pid}/oom_score_adj", encoding="ascii") as f:
                    scores.append(int(f.read()))
        assert scores == [scores[0] + more for more in (0, 100, 200, 500, 500)], scores


def test_a_tenants_files_that_wait_do_not_take_the_other_slots_too():
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy, tempfile.TemporaryFile() as f:
        policy.write(IMPATIENT)
        policy.flush()
        os.chmod(policy.name, 0o644)
        f.write(b"MODE:undead\n")
        f.flush()
        with Daemon(OPTIONS["weighlockd"], config=FAKE + f"policies: {{ impatient: {policy.name} }}\n") as d:
            held = []
            for _ in range(8):
                s = d.connect()
                send_fds(s, [b"POST /v1/scan?policy=impatient&tenant=bad HTTP/1.1\r\nHost: x\r\n"
                                    b"Weighlock-Source: fd; n=1\r\n\r\n"], [f.fileno()])
                held.append(s)
            answers = sorted(read_reply(s)[0] for s in held)
            assert answers == [200] * 2 + [503] * 6, answers
            assert d.scan(b"MODE:honest\n", "?tenant=good&name=a.safetensors")[1]["verdict"] == "accept"
            assert (metric(d, "slots"), metric(d, "slots_lost_total")) == (1, 2)
            assert d.stop() == 0, "lost workers do not hold up the end"


def test_scans_of_a_zygote_that_hangs_begin_anew():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        s = post(d, b"MODE:hang\n")
        assert until(lambda: metric(d, "scans_running") == 1)
        hung = zygote_of(d)
        os.kill(hung, signal.SIGSTOP)
        assert until(lambda: metric(d, "zygotes_started_total") == 2), d.read_log()
        assert until(lambda: not is_alive(hung))
        assert until(lambda: descendants(zygote_of(d))), "no worker again"
        assert metric(d, "scans_running") == 1 and metric(d, "slots_lost_total") == 0
        s.close()


# -- memory and places --

def test_answers_that_nobody_takes_are_bounded():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "reply_seconds: 600\n") as d:
        held = [post(d, b"MODE:long\n") for _ in range(40)]
        assert until(lambda: metric(d, "unsent_bytes") > 10 << 20)
        assert until(lambda: metric(d, "queue_waiting") + metric(d, "scans_running") == 0)
        unsent = metric(d, "unsent_bytes")
        assert unsent <= 16 << 20, unsent
        assert d.scan(b"MODE:honest\n")[0] == 503
        answers = [read_reply(s)[0] for s in held]
        assert set(answers) == {200, 503} and answers.count(200) >= 12, answers
        assert metric(d, "unsent_bytes") == 0
        assert d.scan(b"MODE:honest\n", "?name=a.safetensors")[1]["verdict"] == "accept"
        for s in held:
            s.close()


def test_peers_over_their_limit_take_no_other_users_place():
    """Each may take its time to read why: were that spent on a place, the last of them would be gone after minutes."""
    config = f"max_connections: 8\nmax_connections_per_uid: 4\nallow_uids: [{NOBODY}]\nsocket_mode: 0666\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        code = ("import socket, sys, time\nheld = []\nfor i in range(300):\n s = socket.socket(socket.AF_UNIX)\n"
                " s.connect(sys.argv[1]); held.append(s)\nprint('held', flush=True)\nsys.stdin.read()")
        if os.getuid() != 0:
            raise tap.Skip("needs root to become somebody else")
        crowd = subprocess.Popen(["/usr/bin/python3", "-c", code, d.socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 preexec_fn=lambda: (os.setgroups([]), os.setgid(NOBODY), os.setuid(NOBODY)))
        try:
            assert crowd.stdout.readline() == b"held\n"
            assert d.get("/healthz")[0] == 200
        finally:
            crowd.kill()
            crowd.communicate()


class Heads:
    """Heads that the daemon has read, but for those of who asks how many."""

    def __init__(self, d):
        self.d, self.own = d, 0

    def look(self):
        """How many, and bytes that clients have not taken."""
        self.own += 1
        text = self.d.get("/metrics")[2].decode()
        heads, unsent = (int(re.search(rf"^weighlock_{name} (\d+)$", text, re.M).group(1)) for name in ("requests_total", "unsent_bytes"))
        return heads - self.own, unsent

    def wait(self, heads):
        """For so many, or for a client that takes no more: is there one?  Whatever was sent was looked at in between."""
        assert until(lambda: (now := self.look())[0] >= heads or now[1] > 0)
        return self.look()[1] > 0


def test_an_invitation_that_is_not_taken_is_no_new_request():
    """A client that reads nothing: for some number of requests its last reply fills the socket, and the 100 Continue
    after it must wait.  Meanwhile its body must not be taken for a head."""
    head = b"GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n"
    inner = b"POST /v1/scan?name=inner HTTP/1.1\r\nHost: x\r\nX: %s\r\nContent-Length: 3\r\n\r\nabc" % (b"x" * 200)
    outer = b"POST /v1/scan?name=outer HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(inner)

    def fills(d, heads, n):
        with d.connect() as s:
            before = heads.look()[0]
            s.sendall(head * n)
            full = heads.wait(before + n)
        assert until(lambda: heads.look()[1] == 0)
        return full

    with Daemon(OPTIONS["weighlockd"]) as d:
        heads = Heads(d)
        fits, full = 1, 2000  # replies that the kernel takes of a client that reads nothing
        assert fills(d, heads, full) and not fills(d, heads, fits), "this test tests nothing"
        while full - fits > 1:
            middle = (fits + full) // 2
            fits, full = (fits, middle) if fills(d, heads, middle) else (middle, full)
        for n in (fits - 1, fits, full):
            with d.connect() as s:
                before = heads.look()[0]
                s.sendall(head * n + outer)
                heads.wait(before + n + 1)
                s.sendall(inner)
                heads.wait(0)
                s.settimeout(PATIENCE_S)
                text = b""
                while text.count(b'"verdict"') == 0:
                    got = s.recv(1 << 16)
                    assert got, text[-300:]
                    text += got
            assert b'"outer"' in text and b'"inner"' not in text, text[-500:]
            assert heads.look()[0] == before + n + 1, "a body was taken for a request"


# -- the log --

def test_a_log_that_nobody_reads_stops_nothing_and_says_what_was_lost():
    r, w = os.pipe()
    with Daemon(OPTIONS["weighlockd"], stderr=w) as d:
        os.close(w)
        for i in range(600):
            assert d.scan(b"", "", {"Weighlock-Request-Id": "x" * 120})[0] == 200
        lost = metric(d, "log_lines_lost_total")
        assert lost > 0, "the pipe never filled: this test tests nothing"
        text = b""
        while b"id=after" not in text:  # as soon as there is room again
            text += os.read(r, 1 << 16)
            d.scan(b"", "", {"Weighlock-Request-Id": "after"})
        told = [int(n) for n in re.findall(rb" (\d+) log lines were lost", text)]
        assert sum(told) >= lost, (told, lost)
    os.close(r)


# -- requests --

def test_a_client_that_is_done_sending_gets_its_answer():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for query in ("", "?on_close=finish"):
            s = post(d, b"MODE:sleep\n", query)
            s.shutdown(socket.SHUT_WR)
            assert read_reply(s)[0] == 200
            s.close()


def test_an_error_behind_a_gate_is_a_422():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        status, verdict = d.scan(b"MODE:die\n", "?gate=1")
        assert (status, verdict["verdict"]) == (422, "error"), (status, verdict)


def test_an_empty_chunked_body_is_judged_and_an_empty_name_is_refused():
    with Daemon(OPTIONS["weighlockd"]) as d:
        s = d.connect()
        s.sendall(b"PUT /v1/scan/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        status, _, verdict = read_reply(s)
        assert status == 200 and verdict["file"]["size"] == 0, verdict
        s.close()
        assert d.request("PUT", "/v1/scan/", b"x")[0] == 404
        assert d.request("PUT", "/v1/scan?name=", b"x")[0] == 400


def test_a_body_that_is_already_there_is_taken_and_so_is_the_request_behind_it():
    body = sample()
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 0\n") as d:  # to disk: the place is not there at once
        s = d.connect()
        s.sendall(b"PUT /v1/scan/a.safetensors HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
                  % len(body) + body + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        text = s.makefile("rb").read()
        assert text.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200") and text.endswith(b"ok\n"), text
        assert hashlib.sha256(body).hexdigest().encode() in text
        s.close()


# -- ends --

def test_a_second_sigterm_ends_at_once():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "drain_seconds: 600\n") as d, tempfile.TemporaryFile() as f:
        f.write(b"MODE:hang\n")
        f.truncate(32 << 30)  # half an hour until its deadline
        s, idle = d.connect(), d.connect()
        send_fds(s, [b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\n\r\n"], [f.fileno()])
        assert until(lambda: metric(d, "scans_running") == 1)
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(idle)[0] == 200
        d.process.send_signal(signal.SIGTERM)
        assert idle.recv(1) == b"", "it drains"
        assert d.process.poll() is None, "it did not wait for the scan"
        d.process.send_signal(signal.SIGTERM)
        d.process.wait(PATIENCE_S)
        for each in (s, idle):
            each.close()


def test_an_upload_goes_on_while_the_daemon_drains():
    body = sample()
    with Daemon(OPTIONS["weighlockd"], config="body_min_bytes_per_10s: 0\ndrain_seconds: 600\n") as d:
        s = post(d, b"", "", "")  # an idle connection after its answer
        assert read_reply(s)[0] == 200
        up = d.connect()
        up.sendall(b"PUT /v1/scan/a.safetensors HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:50])
        assert until(lambda: metric(d, "queue_admitted") == 1)
        d.process.send_signal(signal.SIGTERM)
        assert s.recv(1) == b"", "an idle connection is closed"
        up.sendall(body[50:])
        status, headers, verdict = read_reply(up)
        assert status == 200 and verdict["verdict"] == "accept" and headers["connection"] == "close", (status, headers)
        assert d.process.wait(PATIENCE_S) == 0
        s.close()
        up.close()


tap.main(globals(), at_once=6)
