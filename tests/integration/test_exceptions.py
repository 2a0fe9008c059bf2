"""Exceptions by people: who may make them, what they let pass, and that a daemon and its successor know them."""
import hashlib
import json
import os
import signal
import subprocess
import tempfile
import urllib.parse

import tap
from daemon import Daemon, options, until

OPTIONS = options()
ANN, BOB, CARL = 65531, 65532, 65533
CONFIG = "exceptions: on\nreviewer_uids: [%d, %d]\nallow_uids: [%d, %d, %d]\nsocket_mode: 0666\nstate_dir: %s\n"
EVIL = b"\x80\x04cos\nsystem\n(Vid\ntR."  # malicious, and examined whole
PRINT = ("import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
         "s.sendall((sys.argv[2]+' HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n').encode())\n"
         "print(b''.join(iter(lambda:s.recv(65536),b'')).decode())\n")


def needs_root():
    if os.getuid() != 0:
        raise tap.Skip("only root can become somebody else")


def ask(d, uid, line):
    """Return: status, document."""
    def become():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)

    out = subprocess.run(["/usr/bin/python3", "-c", PRINT, d.socket, line], stdout=subprocess.PIPE, preexec_fn=become, timeout=60, check=True)
    head, _, body = out.stdout.decode().partition("\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def add(d, uid, body, code, **more):
    query = dict({"sha256": hashlib.sha256(body).hexdigest(), "code": code, "reason": "looked at, by hand", "owner": "ml@example.org",
                  "expires": "2126-12-31"}, **more)
    return ask(d, uid, "POST /v1/exceptions?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote))


def codes_of(verdict):
    return ",".join(sorted({f["code"] for f in verdict["findings"] if f["action"] != "accept"}))


class Excepting(Daemon):
    def __init__(self, folder, more=""):
        os.chmod(folder, 0o777)
        super().__init__(OPTIONS["weighlockd"], config=CONFIG % (ANN, BOB, ANN, BOB, CARL, folder) + more)

    def effective(self, body, query="?name=m.pkl"):
        return self.scan(body, query)[1]["effective"]


def test_two_people_let_a_malicious_file_pass_and_one_takes_it_back():
    needs_root()
    with tempfile.TemporaryDirectory() as folder, Excepting(folder, "audit: on\n") as d:
        verdict = d.scan(EVIL, "?name=m.pkl")[1]
        codes = codes_of(verdict)
        assert verdict["verdict"] == verdict["effective"] == "reject" and codes, verdict
        assert d.scan(EVIL, "?name=m.pkl&gate=1")[0] == 422
        assert add(d, ANN, EVIL, codes) == (200, {"seq": 0})
        assert d.effective(EVIL) == "reject", "one is not enough"
        assert add(d, BOB, EVIL, codes) == (200, {"seq": 1})
        status, verdict = d.scan(EVIL, "?name=m.pkl&gate=1")
        assert (status, verdict["verdict"], verdict["effective"]) == (200, "reject", "accept"), verdict
        assert [e["by"] for e in verdict["exceptions"]] == [f"uid:{ANN}", f"uid:{BOB}"], verdict
        assert "verdict=reject" in d.read_log() and "effective=accept" in d.read_log()
        assert ask(d, BOB, "POST /v1/exceptions?revoke=0&reason=no%20more") == (200, {"seq": 2})
        assert d.effective(EVIL) == "reject"
        listed = ask(d, ANN, "GET /v1/exceptions")[1]["exceptions"]
        assert [(e["seq"], e["live"]) for e in listed] == [(0, False), (1, True)], listed
        assert until(lambda: '"effective":"accept"' in open(os.path.join(folder, "audit.jsonl"), encoding="ascii").read())


def test_only_reviewers_may_and_say_all_that_is_needed():
    needs_root()
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        assert add(d, CARL, EVIL, "weights-nan")[0] == 403
        assert ask(d, CARL, "GET /v1/exceptions")[0] == 403
        assert add(d, 0, EVIL, "weights-nan")[0] == 403, "root is nobody in particular"
        for wrong in ({"code": "weights-*"}, {"code": "limit-work"}, {"expires": "2020-01-01"}, {"expires": "soon"}, {"owner": "\u00a0" * 2000}):
            assert add(d, ANN, EVIL, **dict({"code": "weights-nan"}, **wrong))[0] in (400, 414), wrong
        assert ask(d, ANN, "POST /v1/exceptions?revoke=0&reason=r")[0] == 400
        assert ask(d, ANN, "POST /v1/exceptions?sha256=" + "0" * 64)[0] == 400
        assert ask(d, ANN, "GET /v1/exceptions") == (200, {"exceptions": []})


def test_without_the_key_there_is_no_such_thing():
    needs_root()
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert ask(d, 0, "GET /v1/exceptions")[0] == 404
        assert "effective" not in d.scan(EVIL)[1]


def test_a_reload_and_a_new_start_know_them_and_the_command_reads_them():
    needs_root()
    with tempfile.TemporaryDirectory() as folder:
        with Excepting(folder) as d:
            codes = codes_of(d.scan(EVIL, "?name=m.pkl")[1])
            assert add(d, ANN, EVIL, codes)[0] == add(d, BOB, EVIL, codes)[0] == 200
            d.process.send_signal(signal.SIGHUP)
            assert until(lambda: d.read_log().count("ready: listening") == 2)
            assert until(lambda: d.effective(EVIL) == "accept")
        with Excepting(folder) as d:
            assert until(lambda: d.effective(EVIL) == "accept")
        path = os.path.join(folder, "exceptions.jsonl")
        done = subprocess.run([OPTIONS["weighlock"], "exception", "list", "--exceptions", path], stdout=subprocess.PIPE, text=True, check=True)
        assert done.stdout.count("looked at, by hand") == 2, done.stdout


def test_a_list_that_was_changed_keeps_the_daemon_from_starting():
    needs_root()
    with tempfile.TemporaryDirectory() as folder:
        with Excepting(folder) as d:
            assert add(d, ANN, EVIL, "weights-nan")[0] == add(d, BOB, EVIL, "weights-nan")[0] == 200
        path = os.path.join(folder, "exceptions.jsonl")
        with open(path, "rb") as f:
            text = f.read()
        with open(path, "wb") as f:
            f.write(text.replace(b"weights-nan", b"weights-inf", 1))
        try:
            with Excepting(folder) as d:
                raise AssertionError("it started: " + d.read_log())
        except AssertionError as e:
            assert "exceptions.jsonl:2: it does not follow" in str(e), e


tap.main(globals())
