"""The socket for clients of clamd, with a client of our own: what the real ones never do is the point here.  Those are in
tests/integrations/test_clamdscan.py."""
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import tap
from daemon import PATIENCE_S, Daemon, UnixConnection, child_with, metric, model, options, send_fds, until

OPTIONS = options()
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
GOOD = os.path.join(FILES, "off-one-tensor.safetensors")
FAKE = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"
NOBODY = 65534
EXPLOIT = b"\x80\x04cposix\nsystem\n\x8c\x02id\x85R."


class Clamd(Daemon):
    def __init__(self, *more, config="", **options_):
        folder = tempfile.mkdtemp(prefix="weighlock-clamd-")
        os.chmod(folder, 0o777)
        self.folder, self.clamd = folder, os.path.join(folder, "clamd.sock")
        super().__init__(OPTIONS["weighlockd"], "--clamd-socket", self.clamd, *more, config=config, **options_)

    def __exit__(self, *_):
        try:
            super().__exit__()
            assert not os.path.exists(self.clamd), "the socket is left behind"
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, timeout=PATIENCE_S):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(timeout)
        s.connect(self.clamd)
        return s

    def ask(self, *pieces, half=False):
        """Send these, each by itself; everything until the end."""
        with self.open() as s:
            for piece in pieces:
                send(s, piece)
            if half:
                s.shutdown(socket.SHUT_WR)
            return rest(s)

    def stream(self, body, size=1 << 16):
        return self.ask(b"zINSTREAM\0", *chunks(body, size))

    def fildes(self, *fds, command=b"zFILDES\0"):
        return self.ask(command, (b"\0", fds))


def send(s, piece):
    data, fds = piece if isinstance(piece, tuple) else (piece, ())
    try:
        if fds:
            send_fds(s, [data], list(fds))
        else:
            s.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass  # it has heard enough


def rest(s):
    out = b""
    while True:
        try:
            got = s.recv(65536)
        except ConnectionResetError:
            break
        if not got:
            break
        out += got
    return out


def chunks(body, size=1 << 16):
    for at in range(0, len(body), size):
        yield struct.pack(">I", len(body[at:at + size])) + body[at:at + size]
    yield b"\0\0\0\0"


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Opened:
    def __init__(self, *paths, flags=os.O_RDONLY):
        self.fds = [os.open(p, flags) for p in paths]

    def __enter__(self):
        return self.fds if len(self.fds) > 1 else self.fds[0]

    def __exit__(self, *_):
        for fd in self.fds:
            os.close(fd)


# -- small commands --

def test_it_is_off_unless_asked_for():
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert "clamd" not in d.read_log()
        assert [n for n in os.listdir(d.scratch) if n.endswith(".sock")] == ["weighlock.sock"]


def test_answers_end_as_their_commands_do():
    with Clamd() as d:
        assert d.ask(b"zPING\0") == b"PONG\0"
        assert d.ask(b"nPING\n") == b"PONG\n"
        assert d.ask(b"PING\n") == b"PONG\n"
        assert d.ask(b"PING") == b"PONG\n"
        assert d.ask(b"zPI", b"NG\0") == b"PONG\0"
        assert d.ask(b"SCAN /x", half=True) == b"/x: paths are not opened here; use clamdscan --fdpass or --stream ERROR\n"


def test_one_command_a_connection_outside_of_sessions():
    with Clamd() as d:
        assert d.ask(b"zPING\0zPING\0") == b"PONG\0"


def test_version_is_what_clients_take_apart():
    with Clamd() as d:
        rules = json.loads(d.get("/v1/rules")[2])["rules_version"]
        version = json.loads(d.get("/v1/version")[2])["version"]
        got = d.ask(b"nVERSION\n").decode()
        assert re.fullmatch(rf"ClamAV {re.escape(version)}/{rules}/[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d \d{{4}}\n", got), got
        assert d.ask(b"nVERSIONCOMMANDS\n").decode() == got[:-1] + ("| COMMANDS: PING VERSION VERSIONCOMMANDS FILDES INSTREAM "
                                                                     "IDSESSION END STATS RELOAD\n")


def test_paths_are_an_error_and_cannot_forge_an_answer():
    with Clamd() as d:
        for word in (b"SCAN", b"CONTSCAN", b"MULTISCAN", b"ALLMATCHSCAN"):
            got = d.ask(b"z" + word + b" " + GOOD.encode() + b"\0")
            assert got == GOOD.encode() + b": paths are not opened here; use clamdscan --fdpass or --stream ERROR\0", got
        got = d.ask(b"zSCAN /x\nstream: OK\n\0")
        assert b"\n" not in got and got.endswith(b" ERROR\0"), got


def test_nobody_ends_the_daemon_by_a_command():
    with Clamd() as d:
        assert d.ask(b"zSHUTDOWN\0") == b"COMMAND UNAVAILABLE\0"
        assert d.ask(b"zPING\0") == b"PONG\0"


def test_what_is_no_command_ends_the_connection():
    with Clamd() as d:
        for bad in (b"zSTREAM\0", b"nping\n", b"GET / HTTP/1.1\r\n\r\n", b"n" + b"a" * 10000 + b"\n", b"nIDSESSION\nPING\n",
                    b"IDSESSION\n", b"nEND\n"):
            got = d.ask(bad)
            assert re.fullmatch(rb"(1: )?UNKNOWN COMMAND[\n\0]", got), (bad[:40], got)


def test_stats_are_those_of_metrics():
    with Clamd(config=FAKE) as d:
        s = d.open()
        for piece in (b"zINSTREAM\0", *chunks(b"MODE:sleep\n")):
            s.sendall(piece)
        assert until(lambda: metric(d, "scans_running") == 1)
        got = d.ask(b"nSTATS\n").decode()
        assert "THREADS: live 1  idle 0 max 2 " in got and "QUEUE: 0 items\n" in got and got.endswith("END\n"), got
        rest(s)
        s.close()
        assert "THREADS: live 0 " in d.ask(b"nSTATS\n").decode()


# -- verdicts --

def test_verdicts_become_ok_found_and_error():
    with Clamd() as d:
        assert d.stream(read(GOOD)) == b"stream: OK\0"
        assert d.stream(EXPLOIT) == b"stream: Weighlock.Malicious.PickleGlobalDangerous FOUND\0", d.stream(EXPLOIT)
        nan = os.path.join(FILES, "weights-tail-f32-n9.safetensors")
        status, verdict = d.scan(read(nan))
        assert verdict["verdict"] == "review", verdict
        assert d.stream(read(nan)) == b"stream: Weighlock.Quality.WeightsNan FOUND\0"
        assert d.stream(b"").endswith(b" OK\0" if d.scan(b"")[1]["verdict"] == "accept" else b" FOUND\0")


def test_a_descriptor_is_judged_in_place():
    with Clamd() as d, Opened(GOOD) as fd:
        for term in (b"\0", b"\n"):
            got = d.fildes(fd, command=(b"z" if term == b"\0" else b"n") + b"FILDES" + term)
            assert re.fullmatch(rb"fd\[\d+\]: OK" + term, got), got
        assert "source=fd" in d.read_log().splitlines()[-1], d.read_log()
        assert d.ask((b"zFILDES\0x", (fd,))).endswith(b": OK\0"), "command, byte and descriptor in one message"


def test_nothing_but_a_sound_accept_is_ok():
    modes = ("garbage", "text", "nothing", "half", "last-byte-missing", "out-of-order", "twice", "trailing-byte", "wrong-size",
             "own-digest", "unread", "wrong-sums", "status-1", "crash-after", "die", "seccomp")
    with Clamd(config=FAKE) as d:
        for mode in modes:
            got = d.stream(f"MODE:{mode}\n".encode())
            assert got.startswith(b"stream: not examined to the end (") and got.endswith(b" ERROR\0"), (mode, got)
        assert d.stream(b"MODE:reject-then-die\n").endswith(b" FOUND\0")


def test_what_is_not_examined_to_the_end_is_never_ok():
    policy = os.path.join(tempfile.gettempdir(), f"weighlock-clamd-{os.getpid()}.yaml")
    with open(policy, "w", encoding="utf-8") as f:
        f.write("version: 1\nname: lenient\nbase: default\nlimits: {header-bytes: 32}\n")
    try:
        with Clamd("--policy", policy) as d:
            status, verdict = d.scan(read(GOOD))
            assert verdict["complete"] is False, verdict
            got = d.stream(read(GOOD))
            assert got.endswith((b" FOUND\0", b" ERROR\0")), got
    finally:
        os.unlink(policy)


# -- streams --

def test_a_stream_is_the_bytes_of_its_chunks_however_they_are_cut():
    body = model(300_000)
    whole = b"zINSTREAM\0" + b"".join(chunks(body, 1000))
    with Clamd() as d:
        for cut in (len(whole), 1 << 16, 4097, 1003):
            got = d.ask(*(whole[i:i + cut] for i in range(0, len(whole), cut)))
            assert got == b"stream: OK\0", (cut, got)
        digests = set(re.findall(r"sha256=(\w+) size=300\d\d\d", d.read_log()))
        assert len(digests) == 1, digests
        tiny = b"zINSTREAM\0" + b"".join(chunks(body[:3000], 1))
        assert d.ask(*(tiny[i:i + 7] for i in range(0, len(tiny), 7))).endswith(b" FOUND\0")


def test_a_large_stream_goes_to_disk_and_comes_out_the_same():
    body = model(3_000_000)
    with Clamd(config="memfd_max: 1000000\n") as d:
        assert d.stream(body, 2048) == b"stream: OK\0"
        assert f"size={len(body)}" in d.read_log()
        assert until(lambda: metric(d, "spool_bytes") == 0)


def test_a_stream_may_be_as_long_as_the_limit_and_no_longer():
    body = model(1000)
    with Clamd("--max-body", str(len(body))) as d:
        assert d.stream(body) == b"stream: OK\0"
        assert d.stream(body + b"\0") == b"INSTREAM size limit exceeded. ERROR\0"
        assert d.stream(body + b"\0" * 400_000, 1000) == b"INSTREAM size limit exceeded. ERROR\0"


def test_memory_follows_what_came_and_not_what_is_announced():
    with Clamd() as d:
        streams = [d.open() for _ in range(20)]
        for s in streams:
            s.sendall(b"zINSTREAM\0" + b"\xff\xff\xff\xff" + b"x" * 100)
        assert until(lambda: metric(d, "queue_admitted") == 20)
        assert metric(d, "spool_bytes") <= 20 * (16 << 20), metric(d, "spool_bytes")
        for s in streams:
            s.close()
        assert until(lambda: metric(d, "queue_admitted") == 0 and metric(d, "spool_bytes") == 0)


def test_a_stream_that_is_cut_off_leaves_nothing():
    with Clamd() as d:
        for cut in (b"", b"\0", b"\0\0\0\5ab", b"\0\0\0\2ab"):
            got = d.ask(b"zINSTREAM\0" + cut, half=True)
            assert got == b"", (cut, got)
        assert until(lambda: metric(d, "queue_admitted") == 0 and metric(d, "spool_bytes") == 0)
        assert "verdict=" not in d.read_log().replace("verdict=accept id=self-scan", "")


def test_a_slow_stream_is_given_up():
    with Clamd() as d, d.open() as s:
        s.sendall(b"zINSTREAM\0\0\0\xff\xff")
        begin = time.monotonic()
        assert rest(s) == b"the stream comes too slowly ERROR\0"
        assert time.monotonic() - begin > 9


# -- descriptors --

def test_descriptors_follow_the_rules_of_the_other_socket():
    with Clamd() as d, tempfile.TemporaryDirectory() as folder:
        pipe = os.pipe()
        s = socket.socket(socket.AF_UNIX)
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        with Opened(folder) as directory, Opened("/dev/null") as null, Opened(GOOD, flags=os.O_PATH) as path, \
                Opened(fifo, flags=os.O_RDWR) as named:
            for fd in (pipe[0], s.fileno(), directory, null, path, named):
                got = d.fildes(fd)
                assert re.fullmatch(rb"fd\[\d+\]: .*(regular file|for reading only).* ERROR\0", got), got
        write_only = os.open(os.path.join(folder, "w"), os.O_WRONLY | os.O_CREAT)
        assert d.fildes(write_only).endswith(b" ERROR\0")
        for fd in (*pipe, write_only):
            os.close(fd)
        s.close()
        assert until(lambda: metric(d, "client_descriptors") == 0), metric(d, "client_descriptors")


def test_a_descriptor_larger_than_the_limit_is_an_error():
    body = model(1000)
    with Clamd("--max-body", str(len(body))) as d, tempfile.NamedTemporaryFile() as f:
        f.write(body)
        f.flush()
        assert d.fildes(f.fileno()).endswith(b": OK\0")
        f.write(b"\0")
        f.flush()
        assert d.fildes(f.fileno()).endswith(b": the file is larger than the limit ERROR\0")


def test_one_descriptor_a_command():
    with Clamd() as d, Opened(GOOD, GOOD) as (a, b):
        for _ in range(20):
            assert d.fildes(a, b) == b"more than one descriptor came for FILDES ERROR\0"
        assert d.fildes().endswith(b" ERROR\0"), "none"
        assert d.ask(b"zIDSESSION\0", (b"zPING\0", (a,)), (b"zPING\0", (b,)), b"zFILDES\0\0").endswith(b" ERROR\0")
        assert d.ask((b"zINSTREAM\0", ()), (b"\0\0\0\1x", (a,))).endswith(b" ERROR\0")
        assert until(lambda: metric(d, "client_descriptors") == 0)


# -- sessions --

def test_a_session_numbers_its_answers():
    with Clamd() as d, Opened(GOOD) as fd:
        with d.open() as s:
            s.sendall(b"zIDSESSION\0zPING\0")
            send_fds(s, [b"zFILDES\0\0"], [fd])
            s.sendall(b"zINSTREAM\0" + b"".join(chunks(EXPLOIT, 3)) + b"nVERSION\nzEND\0")
            got = rest(s)
        assert got.startswith(b"1: PONG\0"), got
        assert re.search(rb"2: fd\[\d+\]: OK\0", got), got
        assert b"3: stream: Weighlock.Malicious.PickleGlobalDangerous FOUND\0" in got, got
        assert re.search(rb"4: ClamAV [^\0]*\n", got), got


def test_a_session_means_the_same_wherever_it_is_cut():
    whole = (b"zIDSESSION\0zPING\0zINSTREAM\0" + b"".join(chunks(EXPLOIT, 3)) + b"nVERSION\nzSCAN /etc/passwd\0zINSTREAM\0"
             + b"".join(chunks(read(GOOD))) + b"nNONSENSE\nzPING\0")

    def answers(*pieces):
        return sorted(re.split(rb"[\0\n]", d.ask(*pieces, half=True)))
    with Clamd() as d:
        expected = answers(whole)
        assert [e[:2] for e in expected] == [b"", b"1:", b"2:", b"3:", b"4:", b"5:", b"6:"], expected
        assert answers(*(whole[i:i + 1] for i in range(len(whole)))) == expected
        for cut in range(1, len(whole)):
            assert (got := answers(whole[:cut], whole[cut:])) == expected, (cut, got)


def test_a_session_of_very_many_commands_answers_each_in_its_turn():
    n = 100_000
    with Clamd() as d, d.open() as s:
        feeder = threading.Thread(target=send, args=(s, b"nIDSESSION\n" + b"nPING\n" * n + b"nEND\n"))
        feeder.start()
        assert rest(s).split(b"\n") == [b"%d: PONG" % i for i in range(1, n + 1)] + [b""]
        feeder.join()


def test_many_files_of_a_session_are_judged_at_a_time_and_all_are_answered():
    n = 200
    with Clamd("--workers", "4") as d, Opened(GOOD) as fd:
        with d.open() as s:
            s.sendall(b"zIDSESSION\0")
            for _ in range(n):
                send_fds(s, [b"zFILDES\0\0"], [fd])
            s.sendall(b"zEND\0")
            got = rest(s).split(b"\0")[:-1]
        assert sorted(int(g.split(b":")[0]) for g in got) == list(range(1, n + 1))
        assert all(g.endswith(b": OK") for g in got), got


def test_a_session_waits_for_its_own_places_and_loses_no_file():
    with Clamd("--queue-max-per-tenant", "2") as d, Opened(GOOD) as fd:
        with d.open() as s:
            s.sendall(b"zIDSESSION\0")
            for _ in range(20):
                send_fds(s, [b"zFILDES\0\0"], [fd])
            s.sendall(b"zINSTREAM\0" + b"".join(chunks(read(GOOD))) + b"zEND\0")
            got = rest(s).split(b"\0")[:-1]
        assert len(got) == 21 and all(g.endswith(b": OK") for g in got), got


def test_a_full_queue_is_an_error():
    with Clamd(config=FAKE + "queue_max: 1\n") as d, d.open() as s:
        for piece in (b"zINSTREAM\0", *chunks(b"MODE:hang\n")):
            s.sendall(piece)
        assert until(lambda: metric(d, "scans_running") == 1)
        assert d.stream(read(GOOD)) == b"stream: too many requests are in work ERROR\0"
        with Opened(GOOD) as fd:
            assert re.fullmatch(rb"fd\[\d+\]: too many requests are in work ERROR\0", d.fildes(fd))


def test_a_client_that_goes_away_takes_its_scan_with_it():
    with Clamd(config=FAKE) as d:
        s = d.open()
        for piece in (b"zIDSESSION\0zINSTREAM\0", *chunks(b"MODE:hang\n"), b"zINSTREAM\0", *chunks(b"MODE:hang\n")):
            s.sendall(piece)
        assert until(lambda: metric(d, "scans_running") == 2)
        s.close()
        assert until(lambda: metric(d, "scans_running") == 0 and metric(d, "connections") == 1)


def test_a_client_that_only_ends_its_side_gets_its_answers():
    with Clamd() as d, Opened(GOOD) as fd:
        assert d.ask(b"zFILDES\0", (b"\0", (fd,)), half=True).endswith(b": OK\0")
        got = d.ask(b"zIDSESSION\0zFILDES\0", (b"\0", (fd,)), b"zPING\0", half=True)
        assert b": OK\0" in got and b"2: PONG\0" in got, got


def test_a_client_that_does_not_read_makes_no_more_answers():
    with Clamd("--reply-seconds", "2") as d, d.open() as s:
        s.sendall(b"zIDSESSION\0")
        s.settimeout(1)
        sent = 0
        try:
            while sent < 64 << 20:
                sent += s.send(b"zSTATS\0" * 1000)
        except (TimeoutError, BrokenPipeError):
            pass
        assert sent < 8 << 20, sent
        assert metric(d, "unsent_bytes") < 1 << 20
        assert until(lambda: metric(d, "connections") == 1), "and it is not waited for"


# -- time --

def test_idle_and_halting_clients_are_let_go():
    with Clamd("--idle-seconds", "2", "--head-seconds", "1") as d:
        assert d.ask(b"") == b""
        assert d.ask(b"zIDSESSION\0") == b""
        assert d.ask(b"zPIN") == b"COMMAND READ TIMED OUT\0"
        assert d.ask(b"zFILDES\0") == b"COMMAND READ TIMED OUT\0"
        with d.open() as s:
            s.sendall(b"nIDSESSION\n")
            for _ in range(5):
                time.sleep(0.5)
                s.sendall(b"nPING\n")
            assert rest(s).count(b"PONG\n") == 5


# -- who may --

def as_nobody(d, *commands):
    """Their answers, asked by another user."""
    code = ("import socket,sys\nfor c in sys.argv[2:]:\n s=socket.socket(socket.AF_UNIX); s.settimeout(60); s.connect(sys.argv[1])\n"
            " s.sendall(c.encode())\n out=b''\n while True:\n  g=s.recv(4096)\n"
            "  if not g: break\n  out+=g\n print(repr(out))\n")

    def drop():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    done = subprocess.run(["/usr/bin/python3", "-c", code, d.clamd, *commands], stdout=subprocess.PIPE, preexec_fn=drop, timeout=180)
    return done.stdout.decode().splitlines()


def need_root():
    if os.getuid() != 0:
        raise tap.Skip("only root can become somebody else")


def test_peers_that_are_not_allowed_hear_an_error():
    need_root()
    with Clamd("--socket-mode", "0666") as d:
        assert as_nobody(d, "nPING\n") == [repr(b"your uid and groups are not allowed to talk to this daemon ERROR\n")]
        assert f"refused: uid={NOBODY}" in d.read_log()
        assert metric(d, "refused_connections_total") == 1


def test_only_the_owner_reloads_and_says_so_only_when_it_does():
    need_root()
    with Clamd("--socket-mode", "0666", "--allow-uid", str(NOBODY), config="idle_seconds: 60\n") as d:
        assert as_nobody(d, "nPING\n", "nRELOAD\n", "nSHUTDOWN\n") == [
            repr(b"PONG\n"), repr(b"COMMAND UNAVAILABLE\n"), repr(b"COMMAND UNAVAILABLE\n")]
        assert "reloading" not in d.read_log()
        with open(d.config, "w", encoding="utf-8") as f:
            f.write("nonsense: 1\n")
        assert d.ask(b"zRELOAD\0") == b"not reloaded, see the log ERROR\0"
        with open(d.config, "w", encoding="utf-8") as f:
            f.write("max_body: 1000\n")
        assert d.ask(b"zRELOAD\0") == b"RELOADING\0"
        assert until(lambda: d.stream(model(2000)) == b"INSTREAM size limit exceeded. ERROR\0"), d.read_log()


def one_of_clamd(d):
    """An open session; None: refused."""
    s = d.open()
    send(s, b"zIDSESSION\0zPING\0")
    return s if s.recv(100) == b"1: PONG\0" else s.close()


def one_of_http(d):
    c = UnixConnection(d.socket)
    c.request("GET", "/healthz")
    reply = c.getresponse()
    reply.read()
    return c if reply.status == 200 else c.close()


def test_connections_of_both_sockets_count_together():
    with Clamd("--max-connections-per-uid", "4") as d:
        kept, deadline = [], time.monotonic() + PATIENCE_S
        while len(kept) < 4 and time.monotonic() < deadline:  # the connections that asked whether it is ready may linger
            s = one_of_clamd(d) if len(kept) < 2 else one_of_http(d)
            kept += [s] if s else []
        assert until(lambda: d.ask(b"nPING\n") == b"your uid has too many connections ERROR\n")
        assert d.get("/healthz")[0] == 503
        for s in kept:
            s.close()
        assert until(lambda: d.ask(b"nPING\n") == b"PONG\n")


# -- the end --

def test_draining_answers_what_is_in_work_and_takes_no_more():
    with Clamd(config=FAKE) as d:
        s, idle = d.open(), d.open()
        idle.sendall(b"zIDSESSION\0zPING\0")
        assert idle.recv(100) == b"1: PONG\0"
        for piece in (b"zIDSESSION\0zINSTREAM\0", *chunks(b"MODE:sleep\n")):
            s.sendall(piece)
        assert until(lambda: metric(d, "scans_running") == 1)
        d.process.send_signal(signal.SIGTERM)
        assert rest(idle) == b""
        s.sendall(b"zPING\0")
        assert re.fullmatch(rb"1: stream: [^\0]+\0", got := rest(s)), got
        assert d.process.wait(PATIENCE_S) == 0
        s.close()
        idle.close()


def test_a_command_that_stands_in_a_socket_is_answered_at_a_reload():
    with Clamd() as d:
        old, clients = child_with(d, b"front"), [d.open() for _ in range(20)]
        for s in clients:
            s.sendall(b"zIDSESSION\0zPING\0")
            assert s.recv(100) == b"1: PONG\0"
        os.kill(old, signal.SIGSTOP)
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: d.read_log().count("ready: listening") == 2), d.read_log()
        for s in clients:
            s.sendall(b"zPING\0zINSTREAM\0" + b"".join(chunks(model(10))))
        os.kill(old, signal.SIGCONT)
        got = [rest(s) for s in clients]
        assert got == [b"2: PONG\x003: stream: OK\0"] * len(clients), got


def test_the_example_unit_verifies():
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        raise tap.Skip("systemd-analyze is not here")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(OPTIONS["source"], "recipes", "weighlockd-clamd.socket"), folder)
        with open(os.path.join(folder, "weighlockd.service"), "w", encoding="utf-8") as f:
            f.write(f"[Service]\nExecStart={OPTIONS['weighlockd']}\n")
        done = subprocess.run([analyze, "verify", "--man=no", os.path.join(folder, "weighlockd-clamd.socket")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ours = [line for line in done.stdout.splitlines() if "weighlock" in line]
    assert not ours, ours


def test_the_service_manager_may_pass_the_socket():
    activate = shutil.which("systemd-socket-activate")
    if activate is None:
        raise tap.Skip("systemd-socket-activate is not here")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        http, clamd = os.path.join(folder, "w.sock"), os.path.join(folder, "c.sock")
        process = subprocess.Popen([activate, "-l", http, "-l", clamd, "--fdname=weighlockd.socket:clamd", OPTIONS["weighlockd"],
                                    "--spool-dir", folder], stderr=subprocess.PIPE)
        try:
            assert until(lambda: os.path.exists(clamd))
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(PATIENCE_S)
            s.connect(clamd)
            s.sendall(b"zPING\0")
            assert rest(s) == b"PONG\0"
            s.close()
            c = UnixConnection(http)
            c.request("GET", "/healthz")
            assert c.getresponse().status == 200
            c.close()
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
            process.stderr.close()


tap.main(globals(), at_once=6)
