"""Clients that misbehave, clients that behave, and clients of three other makers, against the real daemon."""
import contextlib
import hashlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import tap
from daemon import PATIENCE_S, Daemon, UnixConnection, descendants, metric, options, read_reply, until

OPTIONS = options()
SANITIZED = OPTIONS.get("sanitized") == "true"
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
NOBODY = 65534


def sample(name="off-one-tensor"):
    with open(os.path.join(FILES, name + ".safetensors"), "rb") as f:
        return f.read()


def model_file(folder, data_bytes, name="m.safetensors"):
    """A sparse, honest model of zeros."""
    path = os.path.join(folder, name)
    text = json.dumps({"w": {"dtype": "U8", "shape": [data_bytes], "data_offsets": [0, data_bytes]}}).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.truncate(8 + len(text) + data_bytes)
    return path


def front_fds(d):
    return sum(len(os.listdir(f"/proc/{p}/fd")) for p in [d.process.pid] + descendants(d.process.pid))


def settled(read, want, seconds=PATIENCE_S):
    """Wait until read() == want; return the last value."""
    deadline = time.monotonic() + seconds
    while (got := read()) != want and time.monotonic() < deadline:
        time.sleep(0.05)
    return got


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# -- well-behaved clients --

def test_curl_uploads_with_put():
    with Daemon(OPTIONS["weighlockd"]) as d:
        path = os.path.join(FILES, "off-one-tensor.safetensors")
        text = subprocess.run(["curl", "-sS", "--unix-socket", d.socket, "-T", path, "http://localhost/v1/scan"],
                              stdout=subprocess.PIPE, check=True).stdout
        verdict = json.loads(text)
        assert verdict["verdict"] == "accept" and verdict["file"]["sha256"] == hashlib.sha256(sample()).hexdigest(), verdict


def test_curl_uploads_chunked_from_a_pipe():
    with Daemon(OPTIONS["weighlockd"]) as d:
        text = subprocess.run(["curl", "-sS", "--unix-socket", d.socket, "-T", "-", "http://localhost/v1/scan/m.safetensors"],
                              input=sample("weights-f16-mixed"), stdout=subprocess.PIPE, check=True).stdout
        verdict = json.loads(text)
        assert verdict["verdict"] == "review" and verdict["weights"]["nan"] == 1, verdict
        assert verdict["file"]["name"] == "m.safetensors", verdict["file"]


def test_gate_turns_everything_but_accept_into_422():
    with Daemon(OPTIONS["weighlockd"]) as d:
        for name, want in (("off-one-tensor", 200), ("weights-f16-mixed", 422), ("off-overlap-partial", 422)):
            status, headers, text = d.request("POST", "/v1/scan?gate=1&name=a.safetensors", sample(name))
            assert status == want and headers["Weighlock-Verdict"] == json.loads(text)["verdict"], (name, status, headers)


def test_the_callers_request_id_comes_back():
    with Daemon(OPTIONS["weighlockd"]) as d:
        _, headers, text = d.request("POST", "/v1/scan", sample(), {"Weighlock-Request-Id": "hub-4711"})
        assert headers["Weighlock-Request-Id"] == "hub-4711" and json.loads(text)["scan"]["request_id"] == "hub-4711"
        _, headers, _ = d.request("POST", "/v1/scan", sample())
        assert len(headers["Weighlock-Request-Id"]) >= 16, headers


def test_a_stream_ends_with_the_verdict():
    with Daemon(OPTIONS["weighlockd"]) as d:
        status, _, text = d.request("POST", "/v1/scan?name=a.safetensors", sample("off-overlap-partial"),
                                    {"Accept": "application/x-ndjson"})
        lines = [json.loads(line) for line in text.decode().splitlines()]
        assert status == 200 and lines[-1]["verdict"] == "reject", lines
        assert d.request("POST", "/v1/scan?gate=1", sample(), {"Accept": "application/x-ndjson"})[0] == 400


def test_the_expected_digest_is_compared():
    good = hashlib.sha256(sample()).hexdigest()
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert d.scan(sample(), f"?name=a.safetensors&sha256={good}")[1]["verdict"] == "accept"
        verdict = d.scan(sample(), "?name=a.safetensors&sha256=" + "0" * 64)[1]
        assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "digest-mismatch"), verdict


def test_names_of_a_policy_reach_the_worker_for_large_lists_too():
    """Each request under its own policy; all packs together are tens of kilobytes behind the job."""
    with open(os.path.join(OPTIONS["corpus"], "pickle-rules", "files", "packs-model.pkl"), "rb") as f:
        model = f.read()
    packs = {"tabular": "sklearn", "vision": "torch-nn, ultralytics",
             "all": "gymnasium, lightgbm, lightning, numpy, numpy-random, pandas, scipy, scipy-sparse, sklearn, spacy, "
                    "stable-baselines3, statsmodels, torch-nn, transformers, ultralytics, xgboost"}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name, list_ in packs.items():
            with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as f:
                f.write(f"version: 1\npickle: {{packs: [{list_}]}}\n")
        config = "policies:\n" + "".join(f"  {name}: {folder}/{name}.yaml\n" for name in packs)
        with Daemon(OPTIONS["weighlockd"], config=config) as d:
            for _ in range(3):
                for policy, want in (("tabular", "accept"), ("vision", "review"), ("default", "review"), ("all", "accept")):
                    verdict = d.scan(model, f"?name=a.pkl&policy={policy}")[1]
                    assert verdict["verdict"] == want, (policy, verdict)


def test_a_named_policy_decides_and_an_unknown_one_is_refused():
    with Daemon(OPTIONS["weighlockd"]) as d:
        nan = sample("weights-f32-nan-first")
        assert d.scan(nan, "?name=a.safetensors")[1]["verdict"] == "review"
        assert d.scan(nan, "?name=a.safetensors&policy=strict")[1]["verdict"] == "reject"
        status, problem = d.scan(nan, "?policy=nonesuch")
        assert status == 400 and problem["type"].startswith("urn:weighlock:problem:"), problem


def test_information_endpoints_answer():
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert d.get("/healthz")[0] == 200 and d.get("/readyz")[0] == 200
        rules = json.loads(d.get("/v1/rules")[2])
        assert "safetensors-data-hole" in json.dumps(rules)
        assert "safetensors" in json.dumps(json.loads(d.get("/v1/formats")[2]))
        assert json.loads(d.get("/v1/version")[2])
        assert d.get("/nowhere")[0] == 404
        assert d.request("GET", "/v1/scan")[0] == 405


def test_a_sealed_memfd_is_scanned_as_sealed_and_a_file_as_fd():
    with Daemon(OPTIONS["weighlockd"]) as d:
        import fcntl
        fd = os.memfd_create("m", os.MFD_ALLOW_SEALING)
        os.write(fd, sample())
        fcntl.fcntl(fd, 1033, 0x1 | 0x2 | 0x4 | 0x8)  # F_ADD_SEALS: seal, shrink, grow, write
        assert d.scan_fd(fd, "?name=a.safetensors")[2]["scan"]["source"] == "sealed"
        os.close(fd)
        with open(os.path.join(FILES, "off-one-tensor.safetensors"), "rb") as f:
            f.seek(5)
            verdict = d.scan_fd(f.fileno(), "?name=a.safetensors")[2]
            assert verdict["verdict"] == "accept" and verdict["scan"]["source"] == "fd", verdict
            assert f.tell() == 5, "the client's file offset moved"
        assert d.scan(sample())[1]["scan"]["source"] == "spool"


# -- ill-behaved clients --

def test_pipelined_requests_are_answered_in_order():
    with Daemon(OPTIONS["weighlockd"]) as d:
        s = d.connect()
        body = sample()
        one = b"POST /v1/scan?name=%d.safetensors HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
        s.sendall(b"".join(one % (i, len(body)) + body for i in range(5)))
        f = s.makefile("rb")
        for i in range(5):
            assert b"200" in f.readline()
            length = 0
            while (line := f.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            assert json.loads(f.read(length))["file"]["name"] == f"{i}.safetensors"
        s.close()


def test_a_slow_head_is_a_408():
    with Daemon(OPTIONS["weighlockd"], config="head_seconds: 1\n") as d:
        s = d.connect()
        s.sendall(b"POST /v1/sc")
        assert read_reply(s)[0] == 408
        s.close()


def test_a_slow_body_is_a_408():
    with Daemon(OPTIONS["weighlockd"], config="body_min_bytes_per_10s: 1000000\n") as d:
        s = d.connect()
        s.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nabc")
        assert read_reply(s)[0] == 408
        s.close()


def test_broken_requests_get_their_status():
    broken = {
        b"GET / HTTP/1.1\nHost: x\n\n": 400,
        b"NONSENSE\r\n\r\n": 400,
        b"DELETE /v1/scan HTTP/1.1\r\nHost: x\r\n\r\n": (405, 501),
        b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 400,
        b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx": 400,
        b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n": (400, 501),
        b"POST /v1/scan HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n": 400,
        b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n": (400, 413),
        b"POST /v1/scan?gates=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n": 400,
        b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n": 400,
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 2000 + b"\r\n": 431,
    }
    with Daemon(OPTIONS["weighlockd"]) as d:
        for request, want in broken.items():
            s = d.connect()
            try:
                s.sendall(request)
            except BrokenPipeError:
                pass
            got = read_reply(s)[0]
            assert got == want or isinstance(want, tuple) and got in want, (request[:70], got)
            s.close()
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"


def test_clients_that_leave_at_any_point_leave_nothing():
    body = sample()
    request = b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with Daemon(OPTIONS["weighlockd"]) as d:
        d.scan(body)
        before = settled(lambda: front_fds(d), -1, 0.5)
        for cut in range(0, len(request) + 1, 7):
            s = d.connect()
            s.sendall(request[:cut])
            s.close()
        assert until(lambda: front_fds(d) <= before), (before, front_fds(d))
        assert d.scan(body, "?name=a.safetensors")[1]["verdict"] == "accept"


def test_descriptors_that_are_no_files_are_refused_and_closed():
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryDirectory() as folder:
        good = os.path.join(FILES, "off-one-tensor.safetensors")
        r, w = os.pipe()
        a, b = socket.socketpair()
        bad = {
            "directory": os.open(folder, os.O_RDONLY), "pipe": r, "socket": a.fileno(),
            "O_PATH": os.open(good, os.O_PATH), "device": os.open("/dev/zero", os.O_RDONLY),
            "write-only": os.open(os.path.join(folder, "w"), os.O_WRONLY | os.O_CREAT),
        }
        fd = os.open(good, os.O_RDONLY)
        before = settled(lambda: front_fds(d), -1, 0.3)
        for what, one in bad.items():
            status, _, problem = d.scan_fd(one)
            assert status == 400, (what, status, problem)
        assert d.scan_fd([fd, fd], n=1)[0] == 400, "one too many"
        assert d.scan_fd([fd], n=2)[0] == 400, "one too few"
        assert d.scan_fd([], n=1)[0] == 400, "none"
        s = d.connect()  # descriptors nobody asked for
        socket.send_fds(s, [b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], [fd] * 50)
        assert read_reply(s)[0] in (200, 400)
        s.close()
        s = d.connect()  # more than any message may carry, in many messages, before any head
        try:
            for _ in range(20):
                socket.send_fds(s, [b"P"], [fd] * 200)
        except OSError:
            pass
        s.close()
        assert until(lambda: front_fds(d) <= before), (before, front_fds(d))
        assert d.scan_fd(fd, "?name=a.safetensors")[2]["verdict"] == "accept"
        for one in [*bad.values(), fd, w]:
            if one != a.fileno():
                os.close(one)
        a.close()
        b.close()


def test_a_file_that_changes_during_the_scan_is_an_error_or_its_own_digest():
    size = (256 << 20) if not SANITIZED else (64 << 20)
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryDirectory() as folder:
        for what in ("flip", "truncate", "extend"):
            path = model_file(folder, size, what)
            stop = threading.Event()

            def act():
                with open(path, "r+b") as f:
                    while not stop.is_set():
                        if what == "flip":
                            f.seek(size // 2 + int(time.monotonic() * 1e6) % (size // 4))
                            f.write(os.urandom(64))
                            f.flush()
                        elif what == "truncate":
                            f.truncate(size // 2)
                            f.truncate(8 + size)
                        else:
                            f.seek(0, 2)
                            f.write(b"more")
                            f.flush()

            actor = threading.Thread(target=act)
            fd = os.open(path, os.O_RDONLY)
            actor.start()
            try:
                for _ in range(3):
                    status, _, verdict = d.scan_fd(fd, "?name=m.safetensors")
                    assert status == 200, verdict
                    error = verdict["scan"].get("error")
                    assert error in (None, "input-changed", "input-truncated"), (what, verdict["scan"])
                    assert verdict["file"]["sha256"] or error, verdict
                    if what == "extend":
                        assert verdict["verdict"] != "accept", verdict
            finally:
                stop.set()
                actor.join()
                os.close(fd)
        assert "crashed" not in d.read_log() and "seccomp" not in d.read_log(), d.read_log()[-2000:]


def test_a_peer_that_is_not_allowed_gets_403():
    if os.getuid() != 0:
        raise tap.Skip("needs root to become somebody else")
    code = (f"import sys; sys.path[:0] = {json.dumps(os.environ['PYTHONPATH'].split(':'))};"
            "from daemon import UnixConnection; c = UnixConnection(sys.argv[1]); c.request('GET', '/healthz');"
            "print(c.getresponse().status)")

    def as_nobody(path):
        return subprocess.run(["/usr/bin/python3", "-c", code, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              preexec_fn=lambda: (os.setgroups([]), os.setgid(NOBODY), os.setuid(NOBODY))).stdout.strip()

    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666") as d:
        assert as_nobody(d.socket) == "403", d.read_log()
    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666", "--allow-uid", str(NOBODY)) as d:
        assert as_nobody(d.socket) == "200", d.read_log()
    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666", "--allow-gid", str(NOBODY)) as d:
        assert as_nobody(d.socket) == "200", d.read_log()


def test_it_runs_as_nobody():
    if os.getuid() != 0:
        raise tap.Skip("needs root to become somebody else")
    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666", user=NOBODY) as d:
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"


# -- a daemon that is full, short of something, or ending --

FULL = "workers: 1\nqueue_max: 1\nworker: {}\n"


def occupy(d):
    """Fill the only place with a scan that never ends; returns the client's socket."""
    s = d.connect()
    body = b"MODE:hang\n"
    s.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert until(lambda: metric(d, "scans_running") == 1)
    return s


def test_curl_streaming_a_gib_into_a_full_daemon_reads_the_503():
    with Daemon(OPTIONS["weighlockd"], config=FULL.format(OPTIONS["fake_worker"])) as d, tempfile.TemporaryDirectory() as folder:
        held = occupy(d)
        path = model_file(folder, 1 << 30)
        for extra in ([], ["-H", "Expect:"], ["-H", "Expect:", "-H", "Transfer-Encoding: chunked"]):
            done = subprocess.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", *extra, "--unix-socket", d.socket,
                                   "-T", path, "http://localhost/v1/scan"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert done.stdout == "503", (extra, done.stdout, done.stderr)
        held.close()


def test_http_client_streaming_a_gib_into_a_full_daemon_reads_the_503():
    with Daemon(OPTIONS["weighlockd"], config=FULL.format(OPTIONS["fake_worker"])) as d:
        held = occupy(d)
        c = UnixConnection(d.socket)
        block = bytes(1 << 20)
        try:
            c.request("POST", "/v1/scan", iter([block] * 1024), {"Content-Length": str(1 << 30)})
        except (BrokenPipeError, ConnectionResetError):
            pass  # what its users do: the answer may be there already
        reply = c.getresponse()
        problem = json.loads(reply.read())
        assert reply.status == 503 and reply.getheader("Retry-After") and problem["retry"] == "later", (reply.status, problem)
        c.close()
        held.close()


def test_node_streaming_a_gib_into_a_full_daemon_reads_the_503():
    with Daemon(OPTIONS["weighlockd"], config=FULL.format(OPTIONS["fake_worker"])) as d:
        held = occupy(d)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients.js")
        done = subprocess.run(["/usr/bin/node", script, d.socket, "1024"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.stdout.split()[:2] == ["503", "urn:weighlock:problem:busy"], done.stdout
        held.close()


def test_an_upload_larger_than_the_limit_is_a_413_before_it_is_sent():
    with Daemon(OPTIONS["weighlockd"], config="max_body: 1000000\n") as d:
        s = d.connect()
        s.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 1000001\r\nExpect: 100-continue\r\n\r\n")
        assert read_reply(s)[0] == 413
        s.close()
        chunks = b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + bytes(65536) + b"\r\n") * 20
        s = d.connect()
        try:
            s.sendall(chunks + b"0\r\n\r\n")
        except BrokenPipeError:
            pass
        assert read_reply(s)[0] == 413
        s.close()


def test_a_full_disk_is_a_507():
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0777", "none", folder], stderr=subprocess.DEVNULL).returncode:
            raise tap.Skip("cannot mount a small file system here")
        try:
            config = f"spool_dir: {folder}\nmemfd_max: 65536\nspool_bytes: 1000000000\n"
            with Daemon(OPTIONS["weighlockd"], config=config) as d:
                for headers in ({"Content-Length": str(16 << 20)}, {"Transfer-Encoding": "chunked"}):
                    c = UnixConnection(d.socket)
                    body = iter([bytes(1 << 20)] * 16)
                    try:
                        c.request("POST", "/v1/scan", body, headers, encode_chunked="Transfer-Encoding" in headers)
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    assert c.getresponse().status == 507, headers
                    c.close()
                assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def answered(d):
    try:
        return d.get("/healthz")[0] == 200
    except OSError:
        return False


def test_running_out_of_descriptors_does_not_spin():
    import resource

    def limits():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    with Daemon(OPTIONS["weighlockd"], config="max_connections: 1000\nmax_connections_per_uid: 1000\n", limits=limits) as d:
        held = []
        for _ in range(120):
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(1)
            try:
                s.connect(d.socket)
            except OSError:
                s.close()
                break
            held.append(s)

        def cpu():
            total = 0
            for p in [d.process.pid] + descendants(d.process.pid):
                with open(f"/proc/{p}/stat", encoding="utf-8", errors="replace") as f:
                    fields = f.read().rpartition(")")[2].split()
                total += int(fields[11]) + int(fields[12])
            return total / os.sysconf("SC_CLK_TCK")

        time.sleep(0.3)
        before = cpu()
        time.sleep(2)
        spent = cpu() - before
        for s in held:
            s.close()
        assert spent < 1.0, f"{spent} s of CPU in 2 s"
        assert until(lambda: answered(d)), "it takes no connection again"
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"


def test_memory_stays_bounded_whatever_is_uploaded():
    mib = 1024 if not SANITIZED else 128
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 1048576\n") as d:
        c = UnixConnection(d.socket)
        c.request("POST", "/v1/scan?name=a.safetensors", iter([bytes(1 << 20)] * mib), {"Content-Length": str(mib << 20)})
        peaks = []
        for p in [d.process.pid] + descendants(d.process.pid):
            with contextlib.suppress(FileNotFoundError):  # a worker that has just ended
                with open(f"/proc/{p}/status", encoding="utf-8") as f:
                    peaks += [int(line.split()[1]) for line in f if line.startswith("VmHWM")]
        assert c.getresponse().status == 200
        c.close()
        assert SANITIZED or max(peaks) < 64 << 10, f"{max(peaks)} KiB"
        left = [n for n in os.listdir(d.scratch) if n not in ("log", "weighlock.sock", "weighlockd.yaml")]
        assert not left, left


def test_a_worker_that_dies_disturbs_no_other_scan_in_flight():
    config = f"workers: 8\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        results = {}

        def scan(i, mode):
            results[i] = d.scan(f"MODE:{mode}\n".encode(), "?name=a.safetensors")

        threads = [threading.Thread(target=scan, args=(i, "sleep" if i % 2 else "die")) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for i, (status, verdict) in results.items():
            assert status == 200 and verdict["verdict"] == ("accept" if i % 2 else "error"), (i, verdict)


def test_one_tenants_thousand_files_do_not_starve_another():
    config = "workers: 2\nworkers_per_tenant: 2\nqueue_max: 2000\nqueue_max_per_tenant: 2000\nmax_connections: 2000\n" \
             f"max_connections_per_uid: 2000\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        crowd = []
        body = b"MODE:sleep\n"  # a second each: the crowd needs minutes
        for _ in range(300):
            s = d.connect()
            s.sendall(b"POST /v1/scan?tenant=crowd HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            crowd.append(s)
        served = len(select.select(crowd, [], [], 0)[0])
        status, verdict = d.scan(b"MODE:honest\n", "?tenant=single&name=a.safetensors")
        assert status == 200 and verdict["verdict"] == "accept", verdict
        served = len(select.select(crowd, [], [], 0)[0]) - served
        for s in crowd:
            s.close()
        assert served < 30, f"{served} of the crowd's 300 were served first"


def test_huge_files_do_not_starve_a_small_one():
    with Daemon(OPTIONS["weighlockd"], config="workers: 2\n") as d, tempfile.TemporaryDirectory() as folder:
        fd = os.open(model_file(folder, 64 << 30), os.O_RDONLY)  # nobody waits for them
        held = []
        for _ in range(4):
            s = d.connect()
            socket.send_fds(s, [b"POST /v1/scan?tenant=huge HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\nContent-Length: 0\r\n\r\n"], [fd])
            held.append(s)
        assert until(lambda: metric(d, "queue_waiting") + metric(d, "scans_running") == 4)
        assert d.scan(sample(), "?tenant=small&name=a.safetensors")[1]["verdict"] == "accept"
        for s in held:
            s.setblocking(False)
            try:
                assert not s.recv(1, socket.MSG_PEEK), "a huge file was served first"
            except BlockingIOError:
                pass
            s.close()
        os.close(fd)


def test_sigterm_finishes_what_is_in_flight_and_exits_0():
    config = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        result = []
        t = threading.Thread(target=lambda: result.append(d.scan(b"MODE:sleep\n", "?name=a.safetensors")))
        idle = d.connect()
        t.start()
        assert until(lambda: metric(d, "scans_running") == 1)
        assert d.stop() == 0
        t.join()
        assert result[0][0] == 200 and result[0][1]["verdict"] == "accept", result
        idle.close()
        assert not os.path.exists(d.socket), "the socket file stays behind"


def test_sighup_swaps_a_good_configuration_and_keeps_on_a_bad_one():
    config = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        result = []
        t = threading.Thread(target=lambda: result.append(d.scan(b"MODE:sleep\n", "?name=a.safetensors")))
        t.start()
        assert until(lambda: metric(d, "scans_running") == 1)
        with open(d.config, "w", encoding="utf-8") as f:
            f.write("workerz: 3\n")
        d.process.send_signal(signal.SIGHUP)
        assert settled(lambda: "workerz" in d.read_log(), True), d.read_log()
        assert d.scan(b"MODE:honest\n", "?name=a.safetensors")[1]["verdict"] == "accept"
        with open(d.config, "w", encoding="utf-8") as f:
            f.write(config + "max_body: 1000\n")
        d.process.send_signal(signal.SIGHUP)
        assert settled(lambda: d.scan(bytes(2000))[0], 413) == 413, d.read_log()
        t.join()
        assert result[0][0] == 200 and result[0][1]["verdict"] == "accept", result


def test_a_stale_socket_is_replaced_and_a_live_one_is_not():
    with Daemon(OPTIONS["weighlockd"]) as d:
        second = subprocess.run([OPTIONS["weighlockd"], "--socket", d.socket, "--spool-dir", d.scratch], stderr=subprocess.PIPE,
                                timeout=PATIENCE_S)
        assert second.returncode != 0 and second.stderr, second
        assert d.get("/healthz")[0] == 200
        children = descendants(d.process.pid)
        d.process.kill()
        d.process.wait()
        assert until(lambda: not any(alive(p) for p in children))
        assert os.path.exists(d.socket)
        with open(d.log, "ab") as log:
            d.process = subprocess.Popen([OPTIONS["weighlockd"], "--socket", d.socket, "--spool-dir", d.scratch], stderr=log)
        d.wait_ready()
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"


def test_processes_that_die_are_replaced():
    with Daemon(OPTIONS["weighlockd"]) as d:
        children = descendants(d.process.pid)
        assert len(children) >= 2, children
        for victim in children:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            d.wait_ready()
            assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept", victim


def test_every_verdict_is_one_log_line():
    with Daemon(OPTIONS["weighlockd"]) as d:
        d.request("POST", "/v1/scan?name=a.safetensors", sample(), {"Weighlock-Request-Id": "line-1"})
        digest = hashlib.sha256(sample()).hexdigest()
        lines = [line for line in d.read_log().splitlines() if "line-1" in line]
        assert len(lines) == 1 and digest in lines[0] and "accept" in lines[0] and f"uid={os.getuid()}" in lines[0], lines


tap.main(globals(), at_once=4)
