"""Files on storage that stops answering, scanned by the real zygote: whatever hangs is one worker, never what forks the
others."""
import base64
import hashlib
import json
import os
import signal
import socket
import struct

import tap
from daemon import Daemon, child_with, descendants, metric, options, send_fds, until, zygote_of
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


# ---- storage that says one thing to one process and another to the next ----

MIB = 1 << 20


def safetensors(data, dtype="U8"):
    header = json.dumps({"w": {"dtype": dtype, "shape": [len(data)], "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


def tiktoken(tokens):
    return b"".join(base64.b64encode(token) + b" %d\n" % i for i, token in enumerate(tokens))


def with_archive():
    """An archive whose directory lies far before the end, where only who looks for it after the pass reads it."""
    at = len(safetensors(bytes(2 * MIB))) - 2 * MIB
    member = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    directory = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, at + MIB) + b"a"
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(directory), at + MIB + len(member), 0)
    data = bytes(MIB) + member + directory
    return safetensors(data.ljust(2 * MIB - len(end), b"\0") + end)


class TwoFaces:
    """Reads of the digester, of the worker before the digester came to the end, and of the worker afterwards."""

    def __init__(self, d, storage, digester, before, after):
        self.digesters = descendants(zygote_of(d))  # it waits for its first job
        self.faces = {"digester": digester, "before": before, "after": after}
        self.done = False
        self.seen = set()
        storage.read = self.read

    def read(self, pid, offset, size):
        who = "digester" if pid in self.digesters else "after" if self.done else "before"
        self.seen.add(who)
        self.done = self.done or (who == "digester" and offset == len(self.faces["digester"]))
        return self.faces[who][offset:offset + size]


def judged(name, digester, before, after):
    """Return: the verdict, and who has read."""
    with Daemon(OPTIONS["weighlockd"]) as d, HungStorage(digester) as storage:
        faces = TwoFaces(d, storage, digester, before, after)
        status, _, verdict = d.scan_fd(storage.open(), f"?name={name}")
        assert status == 200, verdict
        return verdict, faces.seen


HONEST, OTHER_HEADER = safetensors(bytes(2 * MIB)), safetensors(bytes(2 * MIB), "I8")
ARCHIVE = with_archive()
TOKENS = [bytes([i]) for i in range(256)] + [struct.pack(">I", i) for i in range(100000)]
WORDS, OTHER_WORDS = tiktoken(TOKENS), tiktoken(TOKENS[:-2] + TOKENS[-1:] + TOKENS[-2:-1])
# when the file is another: its name, what the digester reads, what the worker reads before its pass, and afterwards
CHANGED = {"pin": ("a.safetensors", HONEST, OTHER_HEADER, OTHER_HEADER),
           "pass, after the pin": ("a.safetensors", OTHER_HEADER, HONEST, OTHER_HEADER),
           "preview": ("a.tiktoken", WORDS, OTHER_WORDS, OTHER_WORDS),
           "pass, after the preview": ("a.tiktoken", OTHER_WORDS, WORDS, OTHER_WORDS),
           "re-read": ("a.safetensors", ARCHIVE, ARCHIVE, HONEST)}


def test_a_file_that_is_another_for_its_worker_is_no_verdict():
    for when, (name, digester, before, after) in CHANGED.items():
        verdict, _ = judged(name, digester, before, after)
        assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "input-changed"), (when, verdict)


def test_the_same_files_that_do_not_change_are_judged_so_that_can_fail():
    for name, content, expected in (("a.safetensors", HONEST, "accept"), ("a.safetensors", OTHER_HEADER, "accept"),
                                    ("a.tiktoken", WORDS, "accept"), ("a.tiktoken", OTHER_WORDS, "accept"),
                                    ("a.safetensors", ARCHIVE, "reject")):
        verdict, seen = judged(name, content, content, content)
        assert verdict["verdict"] == expected and verdict["scan"].get("error") is None, (name, expected, verdict)
        assert verdict["file"]["sha256"] == hashlib.sha256(content).hexdigest(), verdict
        assert seen == {"digester", "before"} | ({"after"} if content is ARCHIVE else set()), (name, seen)


def test_what_changes_between_the_reads_of_the_pass_is_judged_as_it_was_hashed():
    """The worker has no bytes of its own: it finds in the file what only the digester was shown."""
    verdict, _ = judged("a.safetensors", ARCHIVE, HONEST, ARCHIVE)
    assert verdict["verdict"] == "reject", verdict
    assert verdict["file"]["sha256"] == hashlib.sha256(ARCHIVE).hexdigest(), verdict


def test_a_small_file_is_read_by_nobody_but_its_digester():
    verdict, seen = judged("a.safetensors", sample(), b"", b"")
    assert verdict["verdict"] == "accept" and seen == {"digester"}, (verdict, seen)
    assert verdict["file"]["sha256"] == hashlib.sha256(sample()).hexdigest(), verdict


tap.main(globals())
