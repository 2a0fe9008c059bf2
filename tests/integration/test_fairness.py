"""Who may call must not stop the others: each test is one hostile behaviour beside an honest client."""
import os
import re
import signal
import socket
import tempfile

import tap
from daemon import Daemon, metric, options, read_reply, until

OPTIONS = options()
CROWD = 1000


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


tap.main(globals())
