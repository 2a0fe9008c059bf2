"""Files on storage that stops answering, scanned by the real zygote: whatever hangs is one worker, never what forks the
others."""
import os
import socket
import time

import tap
from daemon import Daemon, descendants, options
from hung_storage import FLUSH, READ, RELEASE, HungStorage

OPTIONS = options()
SAMPLE = os.path.join(OPTIONS["corpus"], "safetensors", "files", "off-one-tensor.safetensors")
SENDERS = 4


def sample():
    with open(SAMPLE, "rb") as f:
        return f.read()


def zygote_of(d):
    """The child of the monitor that is the worker program."""
    for pid in descendants(d.process.pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            name, _, rest = f.read().partition("(")[2].rpartition(")")
        if int(rest.split()[1]) == d.process.pid and not name.startswith("weighlockd"):
            return pid
    raise AssertionError("no zygote")


def scans_before(d, storage, *opcodes):
    """Scans of a file whose storage hangs, all of them in workers' hands, while others are served."""
    fd = storage.open()
    storage.hang(*opcodes)
    senders = []
    for i in range(SENDERS):
        s = d.connect()
        socket.send_fds(s, [f"POST /v1/scan?name=a.safetensors&tenant=t{i} HTTP/1.1\r\nHost: x\r\n"
                            "Weighlock-Source: fd; n=1\r\n\r\n".encode()], [fd])
        senders.append(s)
        verdict = d.scan(sample(), "?name=a.safetensors&tenant=good")[1]
        assert verdict["verdict"] == "accept", verdict
    deadline = time.monotonic() + 10
    while len(storage.seen) < SENDERS and time.monotonic() < deadline:
        time.sleep(0.05)
    return senders


def hung_storage_costs_no_zygote(*opcodes):
    with Daemon(OPTIONS["weighlockd"], config=f"workers: {SENDERS + 1}\n") as d, HungStorage(sample()) as storage:
        zygote = zygote_of(d)
        begin = time.monotonic()
        senders = scans_before(d, storage, *opcodes)
        assert len(storage.seen) >= SENDERS, f"{len(storage.seen)} scans hang: this test tests nothing"
        assert d.scan(sample(), "?name=a.safetensors&tenant=good")[1]["verdict"] == "accept"
        assert time.monotonic() - begin < 8, "others had to wait"  # a zygote that hangs is given up after ten seconds
        assert zygote_of(d) == zygote, "the zygote was replaced"
        for s in senders:
            s.close()


def test_a_file_that_cannot_be_closed_hangs_its_worker_and_not_the_zygote():
    hung_storage_costs_no_zygote(FLUSH)


def test_a_file_that_cannot_be_read_or_let_go_hangs_its_worker_and_not_the_zygote():
    hung_storage_costs_no_zygote(READ, FLUSH, RELEASE)


tap.main(globals())
