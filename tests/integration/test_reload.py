"""What a reload must not do: end the daemon, or leave it with a configuration that was replaced."""
import os
import signal

import tap
from daemon import Daemon, descendants, options, until

OPTIONS = options()


def held(d):
    """Workers that have stopped themselves, by /proc."""
    found = []
    for pid in descendants(d.process.pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                name, _, rest = f.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name.startswith("held_worker") and rest.split()[0] == "T":
            found.append(pid)
    return found


def let_go(pids):
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def reload(d, text, n):
    """A SIGHUP, and wait until the new front's sample is with a worker."""
    with open(d.config, "w", encoding="utf-8") as f:
        f.write(text)
    d.process.send_signal(signal.SIGHUP)
    assert until(lambda: len(held(d)) == n), d.read_log()


def asked(d, n):
    """Status of a body of n bytes; None where nobody answers."""
    assert d.process.poll() is None, d.read_log()
    try:
        return d.scan(bytes(n))[0]
    except OSError:
        return None


def test_two_fronts_that_get_ready_at_once_leave_the_later_one():
    config = f"workers: 2\nworker: {OPTIONS['held_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config, wait=False) as d:
        assert until(lambda: held(d)), d.read_log()
        let_go(held(d))
        d.wait_ready()
        reload(d, config + "max_body: 5000\n", 1)
        reload(d, config + "max_body: 1000\n", 2)
        coming = held(d)
        os.kill(d.process.pid, signal.SIGSTOP)  # so that it hears of both together
        let_go(coming)
        assert until(lambda: d.unread() >= 4), d.read_log()  # words and a log of each
        os.kill(d.process.pid, signal.SIGCONT)
        assert until(lambda: asked(d, 1000) == 200 and asked(d, 1001) == 413), d.read_log()


tap.main(globals())
