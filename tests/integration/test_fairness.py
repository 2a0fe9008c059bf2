"""Who may call must not stop the others: each test is one hostile behaviour beside an honest client."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile

import tap
from daemon import Daemon, metric, options, read_reply, until

OPTIONS = options()
CROWD = 1000
NOBODY = 65534
SOMEBODY = 65533
PLACES = f"max_connections: 8\nmax_connections_per_uid: 8\nallow_uids: [{NOBODY}]\nsocket_mode: 0666\n"


def front_pid(d):
    """The process that answers, by what it logged of its own sample."""
    return int(re.findall(r"id=self-scan uid=\d+ pid=(\d+)", d.read_log())[-1])


def crowd(path, stay):
    """So many who connect, and close at once or stay; they wait in the kernel's queue."""
    all_of_them = [socket.socket(socket.AF_UNIX) for _ in range(CROWD)]
    for s in all_of_them:
        s.connect(path)
        if not stay:
            s.close()
    return all_of_them


def let_in_first(d, path, stay):
    """Of a crowd at this socket, how many are let in before somebody who is connected has his answer."""
    with d.connect() as honest:
        honest.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_reply(honest)[0] == 200
        before = metric(d, "connections_total")
        os.kill(front_pid(d), signal.SIGSTOP)
        them = crowd(path, stay)
        honest.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        os.kill(front_pid(d), signal.SIGCONT)
        status, _, text = read_reply(honest)
        assert status == 200, text
        assert until(lambda: metric(d, "connections_total") >= before + CROWD), "all of them are in the end"
        for s in them:
            s.close()
    return int(re.search(r"^weighlock_connections_total (\d+)$", text, re.M).group(1)) - before


def test_who_is_connected_is_answered_before_a_crowd_is_let_in():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        clamd = os.path.join(folder, "clamd.sock")
        config = f"max_connections: {2 * CROWD}\nmax_connections_per_uid: {2 * CROWD}\nclamd_socket: {clamd}\n"
        with Daemon(OPTIONS["weighlockd"], config=config) as d:
            for path in (d.socket, clamd):
                for stay, most in ((True, 64), (False, 512)):  # a few turns' worth
                    n = let_in_first(d, path, stay)
                    assert n <= most, f"{path}: {n} were let in first"


# ---- places ----

HEAD = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@contextlib.contextmanager
def held(d, n, sent=b""):
    """So many connections of ours, known to the daemon, that go no further than this."""
    all_of_them = [d.connect() for _ in range(n)]
    for s in all_of_them:
        s.sendall(HEAD)
        assert read_reply(s)[0] == 200
        s.sendall(sent)
    yield all_of_them
    for s in all_of_them:
        s.close()


@contextlib.contextmanager
def held_by_nobody(d, n, head=HEAD, listens=True):
    if os.getuid() != 0:
        raise tap.Skip("needs root to become somebody else")
    code = ("import socket, sys\nheld = []\nfor i in range(int(sys.argv[2])):\n s = socket.socket(socket.AF_UNIX)\n"
            " s.connect(sys.argv[1]); held.append(s)\n try: s.sendall(sys.argv[3].encode()); sys.argv[4] and s.recv(4096)\n except OSError: pass\n"
            "print('held', flush=True)\nsys.stdin.read()")
    them = subprocess.Popen(["/usr/bin/python3", "-c", code, d.socket, str(n), head.decode(), "yes" * listens], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, preexec_fn=lambda: (os.setgroups([]), os.setgid(NOBODY), os.setuid(NOBODY)))
    assert them.stdout.readline() == b"held\n"
    yield
    them.kill()
    them.communicate()


def test_idle_and_unfinished_connections_make_room():
    with Daemon(OPTIONS["weighlockd"], config=PLACES) as d:
        for sent in (b"", b"GET /healthz HTT"):
            with held(d, 8, sent):
                assert d.get("/healthz")[0] == 200


def test_room_is_made_by_who_holds_most():
    with Daemon(OPTIONS["weighlockd"], config=PLACES) as d, held(d, 2) as ours, held_by_nobody(d, 6):
        for _ in range(3):
            assert d.get("/healthz")[0] == 200
        for s in ours:
            s.sendall(HEAD)
            assert read_reply(s)[0] == 200


def test_requests_in_work_make_no_room():
    config = PLACES + f"worker: {OPTIONS['fake_worker']}\nworkers: 2\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        busy = [d.connect() for _ in range(8)]
        for s in busy:
            s.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nMODE:sleep\n")
        assert d.get("/healthz")[0] == 200  # once one of them is done
        assert [read_reply(s)[0] for s in busy] == [200] * 8
        for s in busy:
            s.close()


def test_strangers_who_come_again_and_again_do_not_fill_the_log():
    with Daemon(OPTIONS["weighlockd"], config="socket_mode: 0666\n") as d:
        with held_by_nobody(d, 200):
            assert until(lambda: metric(d, "refused_connections_total") == 200)
        lines = [line for line in d.read_log().splitlines() if "is not allowed" in line]
        assert 1 <= len(lines) <= 40 and f"uid={NOBODY} " in lines[0], len(lines)


def test_users_at_work_in_all_they_may_have_leave_a_place_for_another():
    unfinished = b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"  # a body on its way is no idle connection
    config = (f"max_connections: 64\nmax_connections_per_uid: 60\nallow_uids: [{NOBODY}, {SOMEBODY}]\nsocket_mode: 0666\n"
              "body_min_bytes_per_10s: 0\n")
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        busy = [d.connect() for _ in range(60)]
        for s in busy:
            s.sendall(unfinished)
        for s in busy:
            assert s.recv(64).startswith(b"HTTP/1.1 100")
        code = ("import socket, sys\nfor i in range(9):\n s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(30)\n"
                " s.sendall(sys.argv[2].encode()); print(s.recv(12).decode()[9:], flush=True); globals()[f's{i}'] = s\n"
                "sys.stdin.read()")

        def greedy(uid):
            return subprocess.Popen(["/usr/bin/python3", "-c", code, d.socket, unfinished.decode()], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, preexec_fn=lambda: (os.setgroups([]), os.setgid(uid), os.setuid(uid)))

        if os.getuid() != 0:
            raise tap.Skip("needs root to become somebody else")
        for uid in (NOBODY, SOMEBODY):
            them = greedy(uid)
            said = [them.stdout.readline().strip() for _ in range(9)]
            assert said == [b"100"] + [b"503"] * 8, (uid, said)
            busy.append(them)
        for them in busy[60:]:
            them.kill()
            them.communicate()
        for s in busy[:60]:
            s.close()


def test_a_flood_of_those_who_say_nothing_is_let_go_at_the_door():
    """Though they may have as many connections as there are: what they cost is a number in a table."""
    config = f"max_connections: 512\nmax_connections_per_uid: 100\nallow_uids: [{NOBODY}]\nsocket_mode: 0666\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d, d.connect() as honest:
        with held_by_nobody(d, 1000, b"GET /healthz HTT", False):
            honest.sendall(HEAD)
            assert read_reply(honest)[0] == 200
            for _ in range(200):  # as often as he likes, for he asks
                assert d.get("/healthz")[0] == 200
            assert metric(d, "refused_connections_total") >= 500
        lines = [line for line in d.read_log().splitlines() if "asks for nothing" in line]
        assert 1 <= len(lines) <= 40 and f"uid={NOBODY} " in lines[0], lines[:3]


tap.main(globals())
