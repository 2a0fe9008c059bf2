"""What one tenant may have and send, so that the others go on: its share of the spool, its files and bytes a minute.  Slots
are in test_daemon.py; buckets with a clock of their own in tests/daemon/test_rate.c.  Where time would fill a bucket again
while a test looks at it, the test takes far more than a minute's worth first."""
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile

import tap
from daemon import PATIENCE_S, Daemon, UnixConnection, metric, model, options, read_reply, send_fds, until

OPTIONS = options()
MIB = 1 << 20
GOOD = model(64)
USER = f"uid:{os.getuid()}"


def scan(d, tenant, body=GOOD, **headers):
    """(status, headers, document)"""
    query = f"?tenant={tenant}&name=a.safetensors" if tenant else "?name=a.safetensors"
    status, got, text = d.request("POST", "/v1/scan" + query, body, headers)
    return status, got, json.loads(text)


def announce(d, size, tenant=None):
    """A body that is announced and not sent: its socket, and the status."""
    s = d.connect()
    query = f"?tenant={tenant}" if tenant else ""
    s.sendall(f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {size}\r\n\r\n".encode())
    return s, int(s.recv(12).split()[1])


@contextlib.contextmanager
def opened(body=GOOD):
    with tempfile.TemporaryFile() as f:
        f.write(body)
        f.flush()
        yield f.fileno()


def refused(d, reason):
    return metric(d, f'uploads_refused_total{{reason="{reason}"}}')


def is_limited(answer):
    status, headers, problem = answer
    headers = {k.lower(): v for k, v in headers.items()}
    if status != 429:
        assert status == 200, answer
        return False
    assert problem["type"] == "urn:weighlock:problem:rate-limited" and problem["retry"] == "later", problem
    assert int(headers["retry-after"]) > 0, headers
    return True


def status_of(d, tenant):
    """Of a daemon that is just being replaced: None, or "shutting down", are answers like others."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        return scan(d, tenant)[0]
    return None


# -- rates --

def test_who_has_sent_a_minutes_worth_hears_429_and_others_go_on():
    with Daemon(OPTIONS["weighlockd"], config="files_per_minute_per_tenant: 1\n") as d:
        answers = [scan(d, "a") for _ in range(6)]
        assert not is_limited(answers[0]) and answers[0][2]["verdict"] == "accept", answers[0]
        assert [a for a in answers if is_limited(a)], answers
        assert all(int(a[1]["Retry-After"]) <= 60 for a in answers if a[0] == 429), "refusals cost nothing"
        assert not is_limited(scan(d, "b"))
        assert not is_limited(scan(d, None)), "the user itself is one more"
        n = sum(a[0] == 429 for a in answers)
        assert refused(d, "rate") == n and metric(d, 'problems_by_type_total{type="rate-limited"}') == n
        assert d.get("/healthz")[0] == 200 and d.get("/v1/verdicts/" + "0" * 64)[0] == 404, "questions are no files"


def test_bytes_count_however_they_come():
    """With a byte a minute whatever comes is a debt of minutes, and the next is refused."""
    config = "bytes_per_minute_per_tenant: 1\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d, opened() as fd:
        ways = {
            "body": lambda t: scan(d, t),
            "chunked": lambda t: scan(d, t, iter([GOOD[:9], GOOD[9:]])),
            "fd": lambda t: d.scan_fd(fd, f"?tenant={t}"),
            "set": lambda t: d.scan_set([fd, fd], ["a", "b"], f"?tenant={t}"),
        }
        for first, send in ways.items():
            assert not is_limited(send(first)), first
            for second, again in ways.items():
                assert is_limited(again(first)), (first, second)
        assert refused(d, "rate") == len(ways) ** 2
        assert until(lambda: metric(d, "spool_bytes") == 0) and until(lambda: metric(d, "client_descriptors") == 0)


def test_a_set_is_as_many_files_and_bytes_as_it_has():
    with Daemon(OPTIONS["weighlockd"], config="files_per_minute_per_tenant: 1\n") as d, opened() as fd:
        assert not is_limited(d.scan_set([fd] * 100, [str(i) for i in range(100)], "?tenant=a"))
        answer = scan(d, "a")
        assert is_limited(answer) and int(answer[1]["Retry-After"]) > 60, answer


    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1 MiB\n") as d, opened(model(MIB)) as fd:
        assert not is_limited(d.scan_set([fd] * 3, ["a", "b", "c"], "?tenant=a"))
        answer = scan(d, "a")
        assert is_limited(answer) and int(answer[1]["Retry-After"]) > 60, answer


def test_what_was_cut_off_is_paid_for_as_far_as_it_came():
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1000\nmemfd_max: 1\n") as d:
        s, status = announce(d, 10 * MIB, "a")
        assert status == 100
        s.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        s, status = announce(d, 10 * MIB, "a")
        assert status == 100, "announced is not sent"
        s.sendall(bytes(MIB))
        assert until(lambda: metric(d, "uploaded_bytes_total") == MIB)
        s.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        assert is_limited(scan(d, "a"))


def test_descriptors_that_come_together_do_not_all_pass():
    """Their sizes are known only when somebody has looked."""
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1\n") as d, opened() as fd:
        head = b"POST /v1/scan?tenant=a HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\nContent-Length: 0\r\n\r\n"
        sockets = [d.connect() for _ in range(20)]
        for s in sockets:
            send_fds(s, [head], [fd])
        answers = [read_reply(s) for s in sockets]
        assert sum(not is_limited(a) for a in answers) == 1, [a[0] for a in answers]
        for s in sockets:
            s.close()


def test_a_connection_that_was_refused_a_descriptor_stays_usable():
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1\n") as d, opened() as fd:
        assert not is_limited(d.scan_fd(fd, "?tenant=a"))
        with d.connect() as s:
            head = b"POST /v1/scan?tenant=%s HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\nContent-Length: 0\r\n\r\n"
            for tenant, limited in ((b"a", True), (b"a", True), (b"b", False), (b"b", True)):
                send_fds(s, [head % tenant], [fd])
                assert is_limited(read_reply(s)) == limited, tenant
        assert until(lambda: metric(d, "client_descriptors") == 0)


def test_a_refused_body_is_not_asked_for():
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1\n") as d:
        assert not is_limited(scan(d, "a"))
        s, status = announce(d, 1000, "a")
        assert status == 429 and until(lambda: metric(d, "spool_bytes") == 0)
        s.close()
        stream = scan(d, "a", Accept="application/x-ndjson")
        assert is_limited(stream), "before it begins it is no stream"


def test_single_tenants_have_rates_of_their_own():
    config = ("files_per_minute_per_tenant: 1\nbytes_per_minute_per_tenant: 1\n"
              'tenants: { hub: { files_per_minute: off, bytes_per_minute: off }, "%s": { bytes_per_minute: off }, '
              "x: { bytes_per_minute: 1 TiB } }\n" % USER)
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        assert not [a for a in (scan(d, "hub") for _ in range(6)) if is_limited(a)]
        for tenant in (None, "x"):
            answers = [scan(d, tenant) for _ in range(6)]
            assert not is_limited(answers[0]) and [a for a in answers if is_limited(a)], tenant
            assert all(int(a[1]["Retry-After"]) <= 60 for a in answers if a[0] == 429), "of files, not of bytes"


def test_ever_new_names_gain_nothing():
    """More tenants than are remembered: those without a place have one tenant's rate together."""
    config = ("files_per_minute_per_tenant: 1\nbytes_per_minute_per_tenant: 1\ntenants: { hub: { workers: 1 } }\n"
              "max_connections: 5000\nmax_connections_per_uid: 5000\n")  # so many may leave
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        def send(tenant):
            """A byte more than a minute's worth, and gone: its bucket is not full again for more than a minute."""
            s, status = announce(d, 1000, tenant)
            if status == 100:
                s.sendall(bytes(100))
            s.close()
            return status

        before = metric(d, "uploaded_bytes_total")
        answers = [send(f"t{i}") for i in range(1024)]
        assert answers == [100] * 1024, "each has a minute's worth"
        assert until(lambda: metric(d, "uploaded_bytes_total") == before + 102400)
        assert send("new0") == 100 and until(lambda: metric(d, "uploaded_bytes_total") == before + 102500)
        assert [send(f"new{i}") for i in range(1, 21)] == [429] * 20
        assert not is_limited(scan(d, "hub")), "who is named has a place of its own"
        assert [send(f"t{i}") for i in range(0, 1024, 200)] == [429] * 6, "nobody's debt is forgotten"


def test_a_reload_brings_new_rates():
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1\n") as d:
        assert not is_limited(scan(d, "a")) and is_limited(scan(d, "a"))
        with open(d.config, "w", encoding="utf-8") as f:
            f.write("bytes_per_minute_per_tenant: nothing\n")
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: "not reloaded" in d.read_log()) and "off, or 1 to" in d.read_log(), d.read_log()
        assert is_limited(scan(d, "a")), "what is wrong changes nothing"
        with open(d.config, "w", encoding="utf-8") as f:
            f.write("bytes_per_minute_per_tenant: off\n")
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: status_of(d, "a") == 200), "once the old front has gone"
        assert not is_limited(scan(d, "a"))


def test_configurations_in_the_documents_are_good():
    texts = {}
    for name in ("hub.md", "runbook.md"):
        with open(os.path.join(OPTIONS["source"], "docs", name), encoding="utf-8") as f:
            texts[name] = f.read()
    whole = texts["hub.md"].split("```yaml\n", 1)[1].split("```", 1)[0]
    line = re.search(r"echo '(tenants: [^']*)'", texts["runbook.md"]).group(1)
    for text in (whole.replace("[hub]", "[root]"), line):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(text + "\n")
            f.flush()
            done = subprocess.run([OPTIONS["weighlockd"], "--check-config", "--config", f.name], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
            assert "_minute" in text and done.returncode == 0, (text, done.stderr)


# -- clients of clamd --

@contextlib.contextmanager
def with_clamd(config):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "clamd.sock")
        with Daemon(OPTIONS["weighlockd"], "--clamd-socket", path, config=config) as d:
            yield d, lambda *pieces, fd=None: ask(path, pieces, fd)


def ask(path, pieces, fd):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(PATIENCE_S)
        s.connect(path)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                s.sendall(piece)
            if fd is not None:
                send_fds(s, [b"\0"], [fd])
            s.shutdown(socket.SHUT_WR)
        out = b""
        with contextlib.suppress(ConnectionResetError):
            while got := s.recv(65536):
                out += got
        return out


STREAM = struct.pack(">I", len(GOOD)) + GOOD + bytes(4)
TOO_MUCH = b"you have sent as much as you may for now; come again in "


def test_clamds_clients_are_tenants_too():
    for first in (dict(pieces=[b"zINSTREAM\0", STREAM]), dict(pieces=[b"zFILDES\0"])):
        with with_clamd("bytes_per_minute_per_tenant: 1\n") as (d, clamd), opened() as fd:
            fd_of = lambda request: fd if b"zFILDES\0" in request["pieces"] else None  # noqa: E731
            assert clamd(*first["pieces"], fd=fd_of(first)).endswith(b": OK\0")
            said = clamd(b"zINSTREAM\0", STREAM)
            assert said.startswith(b"stream: " + TOO_MUCH) and said.endswith(b" s ERROR\0"), said
            said = clamd(b"zFILDES\0", fd=fd)
            assert said.startswith(b"fd[") and TOO_MUCH in said and said.endswith(b" s ERROR\0"), said
            said = clamd(b"zIDSESSION\0zPING\0zINSTREAM\0", STREAM)
            assert said.startswith(b"1: PONG\0002: stream: " + TOO_MUCH), said
            assert b"OK" not in said and refused(d, "rate") == 3
            assert is_limited(scan(d, None)), "one user on both sockets"
            assert clamd(b"zPING\0") == b"PONG\0"
            assert until(lambda d=d: metric(d, "client_descriptors") == 0 and metric(d, "spool_bytes") == 0)


def test_clamds_streams_have_their_tenants_share():
    config = "memfd_max: 1\nspool_bytes: 64 MiB\nspool_bytes_per_tenant: 16 MiB\n"
    with with_clamd(config) as (d, clamd):
        piece = struct.pack(">I", MIB) + bytes(MIB)
        assert clamd(b"zINSTREAM\0", *[piece] * 17, bytes(4)) == b"the stream is larger than your share of the room ERROR\0"
        assert until(lambda: metric(d, "spool_bytes") == 0)
        held, status = announce(d, 16 * MIB)
        assert status == 100
        said = clamd(b"zINSTREAM\0", STREAM)
        assert said == b"your share of the room for streams is taken ERROR\0", said
        assert (refused(d, "too-large"), refused(d, "tenant-spool")) == (1, 1)
        held.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        assert clamd(b"zINSTREAM\0", STREAM).endswith(b" OK\0")


# -- the spool --

def test_a_tenants_share_of_the_spool_is_the_most_it_gets():
    config = "memfd_max: 1\nspool_bytes: 256 MiB\nspool_bytes_per_tenant: 16 MiB\ntenants: { hub: { spool_bytes: 20 MiB } }\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        slow = [announce(d, 10 * MIB, "a"), announce(d, 6 * MIB, "a")]
        assert [status for _, status in slow] == [100, 100]
        s, status = announce(d, 2, "a")
        assert status == 503 and refused(d, "tenant-spool") == 1
        s.close()
        for tenant, size, want in (("b", 16 * MIB + 1, 413), ("b", 16 * MIB, 100), ("hub", 20 * MIB + 1, 413),
                                   ("hub", 20 * MIB, 100), (None, 12 * MIB, 100)):
            s, status = announce(d, size, tenant)
            assert status == want, (tenant, size, status)
            slow.append((s, status))
        assert scan(d, "c", model(5 * MIB))[2]["verdict"] == "accept", "the others go on"
        assert refused(d, "too-large") == 2
        for s, _ in slow:
            s.close()
        assert until(lambda: metric(d, "spool_bytes") == 0), "what was cancelled is given back"
        s, status = announce(d, 16 * MIB, "a")
        assert status == 100
        s.close()


def test_a_chunked_body_ends_at_its_tenants_share():
    config = "memfd_max: 1\nspool_bytes: 128 MiB\nspool_bytes_per_tenant: 16 MiB\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        for n, want in ((16, 200), (17, 413)):
            with d.connect() as s:
                s.sendall(b"POST /v1/scan?tenant=a%d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" % n)
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    for _ in range(n):
                        s.sendall(b"%x\r\n" % MIB + bytes(MIB) + b"\r\n")
                    s.sendall(b"0\r\n\r\n")
                assert read_reply(s)[0] == want, n
        assert until(lambda: metric(d, "spool_bytes") == 0)


def test_a_named_tenant_leaves_half_of_its_users_share_to_others():
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 1\nspool_bytes: 16000000\n") as d:
        held = [announce(d, 4_000_000, "a")]
        assert held[0][1] == 100
        assert announce(d, 2, "a")[1] == 503 and refused(d, "tenant-spool") == 1
        held.append(announce(d, 4_000_000, "b"))
        assert held[1][1] == 100
        assert announce(d, 2, "c")[1] == 503 and refused(d, "spool-busy") == 1, "the user's half is taken"
        for s, _ in held:
            s.close()
        assert until(lambda: metric(d, "spool_bytes") == 0)
        alone, status = announce(d, 5_000_000, "a")
        assert status == 100, "one body that is all may be larger"
        assert announce(d, 2, "a")[1] == 503
        alone.close()


def test_lists_come_out_of_the_tenants_share_of_memory():
    """As in test_sets.py, where the user itself asks: half of that, 1 MiB, is what a tenant has."""
    config = f"workers: 2\nworker: {OPTIONS['fake_worker']}\nmemfd_max: 65536\nmemfd_bytes: 4194304\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d, opened(b"MODE:rows:20000\n") as fd:
        assert json.loads(d.scan_fd(fd, "?tensors=1")[2])["tensors_listed"]
        assert until(lambda: metric(d, "spool_bytes") == 0), "its list has gone out"
        verdict = json.loads(d.scan_fd(fd, "?tensors=1&tenant=a")[2])
        assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "limit-output"), verdict
        assert until(lambda: metric(d, "spool_bytes") == 0)


def test_a_kept_alive_connection_may_speak_for_many():
    """Whose share it is, is the request's and not the connection's."""
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1\n") as d:
        c = UnixConnection(d.socket)
        for tenant in ("a", "b", "c"):
            c.request("PUT", f"/v1/scan/a.safetensors?tenant={tenant}", GOOD)
            r = c.getresponse()
            assert r.status == 200 and r.read(), tenant
        c.request("PUT", "/v1/scan/a.safetensors?tenant=b", GOOD)
        assert c.getresponse().status == 429
        c.close()


tap.main(globals())
