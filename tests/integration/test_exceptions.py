"""Exceptions by people: who may make them, what they let pass, and that a daemon and its successor know them."""
import base64
import hashlib
import json
import os
import signal
import struct
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


def floats(*values):
    head = json.dumps({"w": {"dtype": "F32", "shape": [len(values)], "data_offsets": [0, 4 * len(values)]}}).encode()
    return struct.pack("<Q", len(head)) + head + struct.pack(f"<{len(values)}f", *values)


def codes_of(verdict):
    return ",".join(sorted({f["code"] for f in verdict["findings"] if f["action"] != "accept"}))


class Excepting(Daemon):
    def __init__(self, folder, more="", config=CONFIG):
        os.chmod(folder, 0o777)
        super().__init__(OPTIONS["weighlockd"], config=config % (ANN, BOB, ANN, BOB, CARL, folder) + more)

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


def leave(d, uid, line):
    """Ask, and be gone before the answer."""
    def become():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)

    subprocess.run(["/usr/bin/python3", "-c", PRINT.replace("print(", "0 and print("), d.socket, line], preexec_fn=become, timeout=60, check=True)


def test_whoever_wrote_it_it_comes_into_force():
    needs_root()
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        nan, path = floats(float("nan")), os.path.join(folder, "exceptions.jsonl")
        assert add(d, ANN, EVIL, "weights-nan") == (200, {"seq": 0})
        subprocess.run([OPTIONS["weighlock"], "exception", "add", "--exceptions", path, "--code", "weights-nan", "--reason", "r", "--owner", "o",
                               "--expires", "2126-12-31", hashlib.sha256(nan).hexdigest()], stdout=subprocess.DEVNULL, check=True)
        assert until(lambda: d.effective(nan, "?name=a.safetensors") == "accept"), "of the command, and nobody was told"
        leave(d, ANN, "POST /v1/exceptions?revoke=1&reason=no%20more")
        assert until(lambda: d.effective(nan, "?name=a.safetensors") == "review"), "of somebody who has left"
        os.unlink(path)
        assert until(lambda: ask(d, ANN, "GET /v1/exceptions")[1] == {"exceptions": []})


def test_a_reload_begins_to_keep_them():
    needs_root()
    off = CONFIG.replace("exceptions: on", "exceptions: off")
    with tempfile.TemporaryDirectory() as folder, Excepting(folder, "audit: on\n", config=off) as d:
        with open(d.config, "r+", encoding="utf-8") as f:
            text = f.read().replace("exceptions: off", "exceptions: on")
            f.seek(0)
            f.truncate()
            f.write(text)
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: add(d, ANN, EVIL, "weights-nan") == (200, {"seq": 0})), d.read_log()


def test_a_head_is_no_act():
    needs_root()
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        assert b" 200 " in subprocess.run(["curl", "-sI", "--unix-socket", d.socket, "http://x/v1/exceptions"], stdout=subprocess.PIPE, check=False,
                                          preexec_fn=lambda: os.setuid(ANN)).stdout.split(b"\r\n")[0]


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


def test_one_person_is_one_however_often():
    needs_root()
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        codes = codes_of(d.scan(EVIL, "?name=m.pkl")[1])
        for owner in ("ml@example.org", "somebody else"):
            assert add(d, ANN, EVIL, codes, owner=owner)[0] == 200
        assert ask(d, ANN, "POST /v1/exceptions?uid=%d&sha256=%s" % (BOB, "0" * 64))[0] == 400, "who acts is the kernel's to say"
        assert d.effective(EVIL) == "reject"
        assert [e["uid"] for e in ask(d, BOB, "GET /v1/exceptions")[1]["exceptions"]] == [ANN, ANN]
        assert add(d, BOB, EVIL, codes)[0] == 200
        assert d.effective(EVIL) == "accept" and d.effective(EVIL + b".") == "reject", "of these bytes, and of no others"


def test_a_code_that_nobody_has_seen_opens_the_case_again():
    needs_root()
    nan, both = floats(1, float("nan")), floats(float("inf"), float("nan"))
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        for body, codes, effective in ((nan, "weights-nan", "accept"), (both, "weights-nan", "review"), (both, "weights-inf", "accept")):
            assert add(d, ANN, body, codes)[0] == 200
            verdict = d.scan(body, "?name=a.safetensors")[1]
            assert (verdict["verdict"], verdict["effective"]) == ("review", effective), (codes, verdict)
        # under another name it is something else as well
        assert d.effective(nan, "?name=a.pt") != "accept"


def test_what_was_not_examined_whole_is_never_effective():
    needs_root()
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        for body, name in ((EVIL[:-1], "m.pkl"), (floats(1, float("nan"))[:-1], "a.safetensors"), (b"what is this", "a.bin")):
            verdict = d.scan(body, f"?name={name}")[1]
            assert not verdict["complete"] and verdict["verdict"] != "accept", verdict
            for code in codes_of(verdict).split(","):
                for uid in (ANN, BOB):
                    assert add(d, uid, body, code)[0] in (200, 400)
            assert d.effective(body, f"?name={name}") == verdict["verdict"]


def test_an_exception_is_for_its_tenant():
    needs_root()
    nan = floats(float("nan"))
    with tempfile.TemporaryDirectory() as folder, Excepting(folder) as d:
        assert add(d, ANN, nan, "weights-nan", tenant="acme")[0] == 200
        for tenant, effective in (("acme", "accept"), ("acme2", "review"), (None, "review")):
            query = "?name=a.safetensors" + (f"&tenant={tenant}" if tenant else "")
            assert d.effective(nan, query) == effective, tenant


def test_both_are_said_by_what_is_kept_and_signed():
    needs_root()
    nan = floats(float("nan"))
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key.pem")
        if subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            raise tap.Skip("no openssl")
        os.chmod(key, 0o600)
        with Excepting(folder, f"store: on\naudit: required\nsigning_key: {key}\n") as d:
            d.scan(nan, "?name=a.safetensors")
            assert add(d, ANN, nan, "weights-nan")[0] == 200
            path = f"/v1/verdicts/{hashlib.sha256(nan).hexdigest()}?name=a.safetensors"
            assert until(lambda: d.get(path)[0] == 200)
            kept = json.loads(d.get(path)[2])
            assert (kept["verdict"], kept["effective"]) == ("review", "accept"), kept
            envelope = d.scan(nan, "?name=a.safetensors&attest=1")[1]
            signed = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
            assert signed["result"] == "WARNED" and signed["weighlock_verdict"]["effective"] == "accept", signed
            with open(os.path.join(folder, "audit.jsonl"), encoding="ascii") as f:
                lines = [json.loads(line) for line in f]
            said = [(r["kind"], r["verdict"], r["effective"]) for r in lines if "verdict" in r]
            assert ("lookup", "review", "accept") in said and said[0] == ("verdict", "review", "review"), said
            assert said[-1] == ("verdict", "review", "accept"), said


def test_a_digest_that_is_only_claimed_takes_no_exception_along():
    needs_root()
    nan, other = floats(float("nan"), 1), floats(float("inf"), float("nan"), 1)
    with tempfile.TemporaryDirectory() as folder:
        with Excepting(folder, "store: on\nclaim_uids: [0]\n") as d:
            def claim(body, policy, name="a.safetensors"):
                with tempfile.NamedTemporaryFile() as f:
                    f.write(body)
                    f.flush()
                    with open(f.name, "rb") as source:
                        sha256 = hashlib.sha256(nan).hexdigest()
                        return d.scan_fd([source.fileno()], f"?digest=claimed&sha256={sha256}&name={name}&policy={policy}")[2]
            for uid in (ANN, BOB):
                assert add(d, uid, nan, "weights-nan,weights-inf,pickle-global-dangerous,pickle-global-unknown")[0] == 200
            forged = ((other, "a.safetensors"), (EVIL, "m.pkl"))
            for bodies in (((nan, "a.safetensors"), *forged), forged):  # without a whole report, and beside one
                for body, name in bodies:
                    for policy in ("default", "reference"):  # and none can be written that accepts class incomplete
                        verdict = claim(body, policy, name)
                        assert verdict["effective"] == verdict["verdict"] != "accept" and not verdict["complete"], (policy, verdict)
                assert d.scan(nan, "?name=a.safetensors")[1]["effective"] == "accept"
                assert until(lambda: d.get(f"/v1/verdicts/{hashlib.sha256(nan).hexdigest()}?name=a.safetensors")[0] == 200)
            claimed = claim(nan, "default")
            assert (claimed["verdict"], claimed["effective"], claimed["scan"]["digest_by"]) == ("review", "accept", "caller"), claimed


tap.main(globals(), at_once=4)
