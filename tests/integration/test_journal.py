"""Verdicts in the journal: entries in journald's native protocol, read by a socket that stands in for it, as strictly as
journald reads them."""
import json
import os
import re
import socket
import struct
import subprocess
import tempfile

import tap
from daemon import Daemon, model, options

OPTIONS = options()


class Journal:
    """with Journal() as j: ... j.path; j.entries()"""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.path = os.path.join(self.folder.name, "socket")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o666)
        self.socket.settimeout(0.5)
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.folder.cleanup()

    def entries(self):
        """All there are: lists of (name, value)."""
        found = []
        try:
            while True:
                found.append(parse(self.socket.recv(1 << 20)))
        except TimeoutError:
            return found


def parse(datagram):
    """systemd.io/JOURNAL_NATIVE_PROTOCOL: NAME=value, or NAME, length and value."""
    fields, at = [], 0
    while at < len(datagram):
        end = datagram.index(b"\n", at)
        name, is_text, value = datagram[at:end].partition(b"=")
        at = end + 1
        if not is_text:
            n = struct.unpack_from("<Q", datagram, at)[0]
            value = datagram[at + 8:at + 8 + n]
            assert len(value) == n and datagram[at + 8 + n:at + 9 + n] == b"\n", datagram
            at += n + 9
        assert re.fullmatch(rb"[A-Z][A-Z0-9_]{0,63}", name), name
        fields.append((name.decode(), value.decode()))
    return fields


def verdicts(entries):
    return [dict(e) for e in entries if ("WEIGHLOCK_REQUEST_ID", "self-scan") not in e]


def test_a_verdict_is_an_entry_with_fields():
    with Journal() as journal, Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d:
        body = model(1000)[:-1]
        got = d.scan(body, "?name=a.safetensors&tenant=hub", {"Weighlock-Request-Id": "r-1"})[1]
        assert got["verdict"] == "reject"
        entries = [e for e in journal.entries() if ("WEIGHLOCK_REQUEST_ID", "r-1") in e]
        assert len(entries) == 1, entries
        entry = dict(entries[0])
        assert entry["WEIGHLOCK_VERDICT"] == "reject" and entry["WEIGHLOCK_CLASS"] == got["reasons"][0]
        assert entry["WEIGHLOCK_SHA256"] == got["file"]["sha256"] and entry["WEIGHLOCK_TENANT"] == "hub"
        assert entry["WEIGHLOCK_POLICY"] == "default" and entry["WEIGHLOCK_ERROR"] == "none"
        assert entry["PRIORITY"] == "4" and entry["SYSLOG_IDENTIFIER"] == "weighlockd"
        assert entry["MESSAGE_ID"] == "0c6f4d0fe9a94a0fb3b1d1a2d6a3c5b7"
        assert entry["MESSAGE"].startswith("verdict=reject id=r-1 ") and entry["WEIGHLOCK_SHA256"] in entry["MESSAGE"]
        codes = [v for k, v in entries[0] if k == "WEIGHLOCK_CODE"]
        wanted = [f["code"] for f in got["findings"] if f["action"] == "reject"]
        assert codes and codes == list(dict.fromkeys(wanted)), (codes, wanted)
        assert "id=r-1" not in d.read_log(), "the line is there twice"
        assert "ready: listening" in d.read_log(), "other lines are lines"


def test_each_code_is_there_once():
    text = json.dumps({n: {"dtype": "F32", "shape": [1], "data_offsets": [i * 4, i * 4 + 4]} for i, n in enumerate("abc")}).encode()
    text += b" " * (-len(text) % 8)
    with Journal() as journal, Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d:
        got = d.scan(struct.pack("<Q", len(text)) + text + struct.pack("<f", float("nan")) * 3, "?name=a.safetensors")[1]
        assert [f["code"] for f in got["findings"]].count("weights-nan") > 1, got["findings"]
        codes = [v for k, v in journal.entries()[-1] if k == "WEIGHLOCK_CODE"]
        assert codes.count("weights-nan") == 1 and len(codes) == len(set(codes)), codes


def test_an_accepted_file_has_no_code():
    with Journal() as journal, Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d:
        d.scan(model(10), "?name=a.safetensors")
        entry = verdicts(journal.entries())[-1]
        assert entry["WEIGHLOCK_VERDICT"] == "accept" and entry["PRIORITY"] == "6"
        assert not {"WEIGHLOCK_CODE", "WEIGHLOCK_CLASS"} & set(entry), entry


def test_a_set_is_an_entry_of_its_own_kind():
    with Journal() as journal, Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d, \
            tempfile.TemporaryFile() as f:
        f.write(model(10))
        f.flush()
        assert d.scan_set([f.fileno()], ["a.safetensors"])[0] == 200
        kinds = [(e["MESSAGE_ID"], e["MESSAGE"].partition("=")[0]) for e in verdicts(journal.entries())]
        assert kinds == [("0c6f4d0fe9a94a0fb3b1d1a2d6a3c5b7", "verdict"), ("6b2e7b0a53a64c3a8f0d9a4e1f7c2d58", "set")], kinds


def test_strangers_make_no_fields():
    """What they choose: file names, request ids, tensors and members.  The parser above asserts the names of all fields."""
    evil = "x%0AWEIGHLOCK_VERDICT=accept%0A"
    with Journal() as journal, Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d:
        d.scan(model(1000)[:-1], f"?name={evil}")
        d.scan(model(1000)[:-1], "?name=a.gguf%00WEIGHLOCK_VERDICT=accept")
        d.scan(model(1000)[:-1], f"?tenant={evil}")
        d.scan(model(1000).replace(b'"w"', b'"\\nWEIGHLOCK_VERDICT=accept\\n"', 1), "?name=a.safetensors")
        entries = journal.entries()
        assert verdicts(entries)
        for e in entries:
            names = [k for k, _ in e]
            single = [n for n in names if n != "WEIGHLOCK_CODE"]
            assert len(single) == len(set(single)), e
            assert ("WEIGHLOCK_REQUEST_ID", "self-scan") in e or dict(e)["WEIGHLOCK_VERDICT"] != "accept", e
            assert all(v.isprintable() for _, v in e), e


def test_a_journal_that_takes_nothing_loses_nothing_and_holds_nobody_up():
    with Journal() as journal, Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d:
        sent = 2000
        for i in range(sent):
            assert d.request("POST", "/v1/scan", b"x", {"Weighlock-Request-Id": f"n-{i}-"})[0] == 200
            if i % 100 == 0 and "id=n-" in d.read_log():
                sent = i + 1
                break  # its queue is full: net.unix.max_dgram_qlen
        taken = {dict(e)["WEIGHLOCK_REQUEST_ID"] for e in journal.entries()}
        logged = set(re.findall(r"id=(n-\d+-)", d.read_log()))
        assert logged and {f"n-{i}-" for i in range(sent)} <= taken | logged
        assert not taken & logged


def test_a_journal_that_goes_away_leaves_lines():
    with Journal() as journal:
        with Daemon(OPTIONS["weighlockd"], config=f"journal: {journal.path}\n") as d:
            journal.socket.close()
            d.request("POST", "/v1/scan", b"x", {"Weighlock-Request-Id": "after"})
            assert "id=after" in d.read_log()


def test_a_journal_that_is_named_must_be_there():
    d = Daemon(OPTIONS["weighlockd"], config="journal: /nowhere/socket\n", wait=False)
    assert d.process.wait(60) == 1
    assert "journal /nowhere/socket: No such file or directory" in d.read_log()
    d.__exit__()


def test_without_a_journal_nothing_changes():
    """A stale JOURNAL_STREAM does not make standard error the journal's."""
    for how in ("auto", "off"):
        with Daemon(OPTIONS["weighlockd"], config=f"journal: {how}\n", env=dict(os.environ, JOURNAL_STREAM="9:12345")) as d:
            d.request("POST", "/v1/scan", b"x", {"Weighlock-Request-Id": "plain"})
            assert re.search(r"^weighlockd: verdict=\w+ id=plain ", d.read_log(), re.M)


def test_auto_is_the_journal_where_standard_error_is_its_stream():
    """In a mount namespace of its own, with a socket where journald's would be."""
    script = """
import os, socket, subprocess, sys, time
os.makedirs("/run/systemd/journal")
j = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
j.bind("/run/systemd/journal/socket")
os.chmod("/run/systemd/journal/socket", 0o666)
j.settimeout(60)
wrong = int(sys.argv[3])
ours, theirs = socket.socketpair()
st = os.fstat(theirs.fileno())
d = subprocess.Popen([sys.argv[1], "--socket", "/run/w.sock", "--spool-dir", sys.argv[2]], stderr=theirs,
                     env=dict(os.environ, JOURNAL_STREAM=f"{st.st_dev}:{st.st_ino + wrong}"))
try:
    while wrong and b"self-scan" not in ours.recv(65536):
        pass
    j.settimeout(0 if wrong else 60)
    print(j.recv(65536))
except BlockingIOError:
    print("nothing came")
finally:
    d.terminate()
    d.wait()
"""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "mount -t tmpfs none /run && exec \"$@\"", "sh",
                   "/usr/bin/python3", "-c", script, OPTIONS["weighlockd"], folder]
        if os.getuid() != 0:
            raise tap.Skip("needs root for a mount namespace")
        done, other = (subprocess.run(command + [wrong], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                       for wrong in ("0", "1"))
    if b"Operation not permitted" in done.stderr or b"permission denied" in done.stderr:
        raise tap.Skip("no mount namespace here")
    assert b"WEIGHLOCK_VERDICT" in done.stdout and b"self-scan" in done.stdout, done
    assert other.stdout == b"nothing came\n", other


tap.main(globals())
