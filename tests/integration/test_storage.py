"""Files on storage that stops answering, scanned by the real zygote: whatever hangs is one worker, never what forks the
others."""
import os
import signal
import socket

import tap
from daemon import Daemon, child_with, metric, options, send_fds, until, zygote_of
from hung_storage import FLUSH, READ, RELEASE, HungStorage

OPTIONS = options()
SAMPLE = os.path.join(OPTIONS["corpus"], "safetensors", "files", "off-one-tensor.safetensors")
SENDERS = 4


def sample():
    with open(SAMPLE, "rb") as f:
        return f.read()


def scans_before(d, storage, *opcodes):
    """Scans of a file whose storage hangs, all of them in workers' hands, while others are served."""
    fd = storage.open()
    storage.hang(*opcodes)
    senders = []
    for i in range(SENDERS):
        s = d.connect()
        send_fds(s, [f"POST /v1/scan?name=a.safetensors&tenant=t{i} HTTP/1.1\r\nHost: x\r\n"
                            "Weighlock-Source: fd; n=1\r\n\r\n".encode()], [fd])
        senders.append(s)
        verdict = d.scan(sample(), "?name=a.safetensors&tenant=good")[1]
        assert verdict["verdict"] == "accept", verdict
    assert until(lambda: len(storage.seen) >= SENDERS), f"{len(storage.seen)} scans hang: this test tests nothing"
    return senders


def hung_storage_costs_no_zygote(*opcodes):
    with Daemon(OPTIONS["weighlockd"], config=f"workers: {SENDERS + 1}\n") as d, HungStorage(sample()) as storage:
        zygote = zygote_of(d)
        senders = scans_before(d, storage, *opcodes)
        assert d.scan(sample(), "?name=a.safetensors&tenant=good")[1]["verdict"] == "accept"
        assert zygote_of(d) == zygote, "others had to wait: a zygote that hangs is replaced"
        for s in senders:
            s.close()


def test_a_file_that_cannot_be_closed_hangs_its_worker_and_not_the_zygote():
    hung_storage_costs_no_zygote(FLUSH)


def test_a_file_that_cannot_be_read_or_let_go_hangs_its_worker_and_not_the_zygote():
    hung_storage_costs_no_zygote(READ, FLUSH, RELEASE)


def test_a_front_that_cannot_end_holds_up_neither_a_reload_nor_the_end():
    with HungStorage(sample()) as storage, Daemon(OPTIONS["weighlockd"], config="drain_seconds: 1\n") as d:
        fd = storage.open()
        storage.hang(FLUSH)
        with d.connect() as s:  # nobody asked for them, so they are closed; who closes them waits
            send_fds(s, [b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], [fd] * 100)
        assert until(lambda: metric(d, "storage_threads_stuck") > 0), "nothing hangs: this test tests nothing"
        stuck = child_with(d, b"front")
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: "does not even end when it is killed" in d.read_log()), d.read_log()
        assert os.path.exists(f"/proc/{stuck}/task"), "it has ended: this test tests nothing"
        assert d.scan(sample(), "?name=a.safetensors")[1]["verdict"] == "accept"
        assert d.stop() == 0, d.read_log()


tap.main(globals())
