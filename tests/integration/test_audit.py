"""The audit log: every verdict has a line, the lines are a chain, and where it is required, no line means no verdict."""
import hashlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

import tap
from daemon import Daemon, descendants, metric, model, options, send_fds, until

OPTIONS = options()
ZEROS = "0" * 64


class Audited(Daemon):
    """A daemon with an audit log; `more` are lines of its configuration."""

    def __init__(self, mode="on", more="", state=None, **kwargs):
        self.own_state = state is None
        self.state = state or tempfile.mkdtemp(prefix="weighlock-state-")
        os.chmod(self.state, 0o777)
        super().__init__(OPTIONS["weighlockd"], config=f"audit: {mode}\nstate_dir: {self.state}\n{more}", **kwargs)

    def __exit__(self, *args):
        try:
            super().__exit__(*args)
        finally:
            if self.own_state:
                shutil.rmtree(self.state, ignore_errors=True)

    @property
    def path(self):
        return os.path.join(self.state, "audit.jsonl")

    def lines(self):
        with open(self.path, encoding="ascii") as f:
            return [json.loads(line) for line in f]

    def records(self, kind="verdict"):
        return [line for line in self.lines() if line["kind"] == kind]

    def head(self):
        with open(os.path.join(self.state, "audit.head"), encoding="ascii") as f:
            return json.load(f)

    def keeper(self):
        for pid in descendants(self.process.pid):
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                    name, _, rest = f.read().partition("(")[2].rpartition(")")
            except OSError:
                continue
            if name == "weighlockd-keep" and rest.split()[0] != "Z":
                return pid
        return None


def upload(d, body=None, name="a.safetensors", query="", headers=None):
    status, got, text = d.request("PUT", f"/v1/scan/{name}{query}", body or model(64), headers)
    return status, {k.lower(): v for k, v in got.items()}, text


def verify(*arguments):
    done = subprocess.run([OPTIONS["weighlock"], "audit", "verify", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def assert_whole(*arguments):
    status, text = verify(*arguments)
    assert status == 0, text
    return text


def raw_lines(path):
    with open(path, "rb") as f:
        return f.read().splitlines(keepends=True)


def rewrite(path, lines):
    with open(path, "wb") as f:
        f.write(b"".join(lines))


# ---- what is in it ----

def test_a_verdict_has_a_line_that_says_what_was_judged():
    body = model(64)
    with Audited() as d:
        _, _, text = upload(d, body, name="b%22%E2%80%AE.safetensors", headers={"Weighlock-Request-Id": "req-1"})
        verdict = json.loads(text)
        assert until(lambda: d.records()), d.read_log()
        line = d.records()[0]
        assert line["schema"] == "weighlock.audit/1" and line["uid"] == os.getuid() and line["pid"] == os.getpid(), line
        assert line["tenant"] == f"uid:{os.getuid()}" and line["request_id"] == "req-1"
        assert line["name"] == verdict["file"]["name"] and line["sha256"] == hashlib.sha256(body).hexdigest()
        assert line["size"] == len(body) and line["verdict"] == "accept" and line["complete"] is True
        assert line["policy"] == verdict["policy"] and line["engine"] == verdict["scan"]["engine"]
        assert line["rules"] == verdict["scan"]["rules"] and line["codes"] == []
        assert line["scanned"] == verdict["scan"]["time"] and line["duration_ms"] == verdict["scan"]["duration_ms"]
        upload(d, body[:-1])
        assert until(lambda: len(d.records()) == 2)
        assert d.records()[1]["verdict"] == "reject" and d.records()[1]["codes"], d.records()[1]
        assert_whole(d.path)


def test_no_line_is_about_bytes_that_a_worker_names():
    fake = f"worker: {OPTIONS['fake_worker']}\n"
    with Audited("required", fake) as d:
        for mode in ("honest", "own-digest", "other-digest"):
            for n in (100, 3 << 20):
                body = f"MODE:{mode}\n".encode().ljust(n)
                upload(d, body, query=f"?tenant={mode}-{n}")
                line = d.records()[-1]
                assert line["sha256"] == hashlib.sha256(body).hexdigest() and line["digest_by"] == "front", line
                assert line["verdict"] == ("accept" if mode == "honest" else "error"), line
        assert_whole(d.path)


def test_lines_fit_their_schema():
    try:
        import jsonschema
    except ImportError:
        raise tap.Skip("python3-jsonschema is not here") from None
    with open(os.path.join(OPTIONS["source"], "docs", "audit.schema.json"), encoding="utf-8") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    with Audited("required", "store: on\n") as d:
        upload(d)
        upload(d, model(64)[:-1])
        assert until(lambda: d.get(f"/v1/verdicts/{hashlib.sha256(model(64)).hexdigest()}?name=a.safetensors")[0] == 200)
        with tempfile.NamedTemporaryFile() as a, tempfile.NamedTemporaryFile() as b:
            for f in (a, b):
                f.write(model(64))
                f.flush()
            d.scan_set([os.open(f.name, os.O_RDONLY) for f in (a, b)], ["a.safetensors", "b.safetensors"])
        kinds = set()
        for line in d.lines():
            kinds.add(line["kind"])
            assert not list(validator.iter_errors(line)), (line, list(validator.iter_errors(line)))
        assert kinds == {"begin", "verdict", "lookup", "set"}, kinds
        assert list(validator.iter_errors(dict(d.lines()[0], prev="x"))), "the schema would take anything"


def test_the_self_scan_is_nobodys_and_not_in_it():
    with Audited() as d:
        assert [line["kind"] for line in d.lines()] == ["begin"]


def test_lookups_and_sets_are_recorded():
    with Audited("required", "store: on\n") as d:
        upload(d)
        sha256 = hashlib.sha256(model(64)).hexdigest()
        assert until(lambda: d.get(f"/v1/verdicts/{sha256}?name=a.safetensors")[0] == 200)
        lookup = d.records("lookup")[-1]
        assert lookup["sha256"] == sha256 and lookup["verdict"] == "accept", lookup
        with tempfile.NamedTemporaryFile() as a:
            a.write(model(64))
            a.flush()
            fds = [os.open(a.name, os.O_RDONLY), os.open("/dev/null", os.O_RDONLY)]
            status, _, document = d.scan_set(fds, ["a.safetensors", "none.safetensors"])
        assert status == 200 and document["verdict"] == "error", document
        assert [r["verdict"] for r in d.records()][-2:] in (["accept", "error"], ["error", "accept"]), d.records()
        assert d.records("set")[0]["verdict"] == "error"
        assert_whole(d.path)


# ---- the chain ----

def test_each_line_names_the_one_before():
    with Audited("required") as d:
        for _ in range(5):
            upload(d)
        before = ZEROS
        for seq, line in enumerate(raw_lines(d.path)):
            parsed = json.loads(line)
            assert parsed["prev"] == before and parsed["seq"] == seq, parsed
            before = hashlib.sha256(line).hexdigest()
        head = d.head()
        assert head["head"] == before and head["seq"] == 5, head
        version = json.loads(d.get("/v1/version")[2])
        assert version["audit"] == {"mode": "required", "seq": 5, "head": before}, version
        assert metric(d, "audit_recorded_total") == 5 and metric(d, "audit_seq") == 5
        assert before in assert_whole(d.path, "--head", before)


def test_it_goes_on_after_restart_and_reload():
    with Audited("required") as d:
        upload(d)
        d.stop()
        with Audited("required", state=d.state) as again:
            upload(again)
            again.process.send_signal(signal.SIGHUP)
            assert until(lambda: again.read_log().count("ready:") == 2)
            upload(again)
            with open(again.config, "w", encoding="utf-8") as f:
                f.write(f"audit: required\nstate_dir: {d.state}\naudit_bytes: 1 MiB\n")
            again.process.send_signal(signal.SIGHUP)
            assert until(lambda: again.read_log().count("ready:") == 3)
            upload(again)
            assert [line["kind"] for line in again.lines()] == [
                "begin", "verdict", "start", "verdict", "verdict", "start", "verdict"], again.lines()
            assert_whole(again.path)


def test_many_at_once_are_one_chain():
    with Audited("required") as d:
        def many():
            for _ in range(10):
                assert upload(d)[0] == 200
        threads = [threading.Thread(target=many) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(d.records()) == 80
        assert_whole(d.path)


def test_a_large_file_is_followed_by_another():
    with Audited("required", "audit_bytes: 64 KiB\n") as d:
        n = 0
        while len(os.listdir(d.state)) < 5:
            upload(d)
            n += 1
            assert n < 1000, os.listdir(d.state)
        old = sorted(os.path.join(d.state, f) for f in os.listdir(d.state) if f.startswith("audit-"))
        assert len(old) == 2 and os.path.basename(old[0]) == "audit-%020d.jsonl" % 0, old
        first = json.loads(raw_lines(d.path)[0])
        assert first["kind"] == "begin" and first["after"] == os.path.basename(old[-1]), first
        assert first["prev"] == hashlib.sha256(raw_lines(old[-1])[-1]).hexdigest()
        assert json.loads(raw_lines(old[1])[0])["seq"] == len(raw_lines(old[0]))
        assert_whole(*old, d.path)
        status, text = verify(old[0], d.path)
        assert status == 1 and f"{d.path}:1: seq: found {first['seq']}, expected {len(raw_lines(old[0]))}" in text, text
        assert "was not looked at" in assert_whole(old[1], d.path)


# ---- tampering ----

def test_every_change_is_found():
    with Audited("required") as d:
        for _ in range(6):
            upload(d)
        head = d.head()["head"]
        d.stop()
        lines = raw_lines(d.path)
        assert_whole(d.path, "--head", head)

        def broken(changed, where, what):
            rewrite(d.path, changed)
            status, text = verify(d.path)
            assert status == 1 and f"{d.path}:{where}:" in text and what in text and "found" in text, text

        broken(lines[:2] + [lines[2].replace(b'"accept"', b'"reject"')] + lines[3:], 4, "prev")
        broken(lines[:3] + lines[4:], 4, "seq: found 4, expected 3")
        broken(lines[:3] + [lines[4], lines[3]] + lines[5:], 4, "seq")
        broken(lines[:3] + [lines[3], lines[3]] + lines[4:], 5, "seq")
        broken(lines[:3] + [b'{"x":1}\n'] + lines[3:], 5, "prev")
        broken(lines[1:], 1, "kind: found another, expected begin")
        broken([lines[0].replace(b'"seq":0', b'"seq":1')] + lines[1:], 2, "seq")
        broken(lines[:3] + [b"\x00" * 100000 + b"\n"] + lines[3:], 5, "")
        for at in range(0, len(lines[3]) - 1, 7):
            changed = bytearray(lines[3])
            changed[at] ^= 1
            rewrite(d.path, lines[:3] + [bytes(changed)] + lines[4:])
            assert verify(d.path)[0] == 1, at


def head_command(*arguments):
    done = subprocess.run([OPTIONS["weighlock"], "audit", "head", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def stopped_log(n):
    """A daemon that was stopped after n verdicts."""
    d = Audited("required")
    with d:
        d.own_state = False
        for _ in range(n):
            upload(d)
        d.stop()
    return d


def test_an_end_that_was_cut_is_found_by_the_head_beside_it():
    d = stopped_log(4)
    try:
        lines = raw_lines(d.path)
        for kept in range(1, len(lines)):
            rewrite(d.path, lines[:kept])
            status, text = verify(d.path)
            assert status == 1 and "head: found" in text and f"of line {len(lines) - 1}" in text, text
        # written anew, and longer than before
        forged = lines[:2]
        for seq in range(2, 9):
            line = dict(json.loads(lines[2]), seq=seq, prev=hashlib.sha256(forged[-1]).hexdigest(), name="forged")
            forged.append(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        rewrite(d.path, forged)
        status, text = verify(d.path)
        assert status == 1 and "head: found" in text, text
        with Audited("required", state=d.state) as again:
            assert "is not the line that it was" in again.read_log(), again.read_log()
            assert again.records("start")[-1]["alarm"] == "head-disagrees", again.lines()[-1]
    finally:
        shutil.rmtree(d.state)


def test_a_head_that_is_missing_or_is_none_is_an_alarm_and_stays_one():
    def cut(path):
        os.truncate(path, 0)

    def exchange(path):
        rewrite(path, [b'{"schema":"weighlock.audit-head/1","seq":1}\n'])
    for act, alarm in ((os.unlink, "head-missing"), (cut, "head-unreadable"), (exchange, "head-unreadable")):
        d = stopped_log(2)
        try:
            head = d.head()["head"]
            act(os.path.join(d.state, "audit.head"))
            status, text = verify(d.path)
            assert status == 1 and "expected the head of the audit log" in text, (status, text)
            with Audited("required", state=d.state) as again:
                assert "ALARM" in again.read_log(), again.read_log()
                assert again.records("start")[0]["alarm"] == alarm, again.lines()
                upload(again)
                again.stop()
            with Audited("required", state=d.state) as third:
                assert "ALARM" not in third.read_log(), third.read_log()
                status, text = verify(third.path, "--head", head)
                assert status == 1 and "alarm: found 1 of the daemon in the log, the first in line 3" in text, text
        finally:
            shutil.rmtree(d.state)


def test_a_head_that_is_older_than_the_end_is_what_a_crash_leaves():
    with Audited("required") as d:
        upload(d)
        with open(os.path.join(d.state, "audit.head"), "rb") as f:
            older = f.read()
        for _ in range(3):
            upload(d)
        d.stop()
        rewrite(os.path.join(d.state, "audit.head"), [older])
        assert_whole(d.path)
        with Audited("required", state=d.state) as again:
            assert "ALARM" not in again.read_log(), again.read_log()
            assert_whole(again.path)


def test_a_head_that_is_deleted_under_the_keeper_promises_nothing():
    with Audited("required") as d:
        assert upload(d)[0] == 200
        os.unlink(os.path.join(d.state, "audit.head"))
        assert_refused(*upload(d))
        assert until(lambda: upload(d)[0] == 200), d.read_log()
        assert "by somebody else" in d.read_log() and d.read_log().count("ALARM") == 2, d.read_log()
        assert verify(d.path)[0] == 1


def test_heads_that_somebody_else_holds_show_what_was_made_anew():
    with Audited("required") as d, tempfile.TemporaryDirectory() as held:
        path, heads = os.path.join(d.state, "audit.head"), os.path.join(held, "heads.jsonl")
        with open(heads, "w", encoding="ascii") as f:
            for _ in range(3):
                upload(d)
                status, line, error = head_command(path)
                assert status == 0 and json.loads(line)["seq"] == d.head()["seq"], (status, line, error)
                f.write(line)
            f.write(line)
            f.write(d.head()["head"] + "\n")
        assert_whole(d.path, "--head", heads)
        d.stop()
        # everything made anew, the head as well
        lines = raw_lines(d.path)
        forged, head = [], ZEROS
        for seq, line in enumerate(lines[:-1]):
            changed = dict(json.loads(line), seq=seq, prev=head, time="2026-01-01T00:00:00Z")
            forged.append(json.dumps(changed, separators=(",", ":")).encode() + b"\n")
            head = hashlib.sha256(forged[-1]).hexdigest()
        rewrite(d.path, forged)
        rewrite(path, [json.dumps({"schema": "weighlock.audit-head/1", "seq": len(forged) - 1, "head": head,
                                   "file": "audit.jsonl"}).encode()])
        assert_whole(d.path)
        status, text = verify(d.path, "--head", heads)
        assert status == 1 and "head: found" in text, text
        for bad in ("", "x\n", '{"schema":"weighlock.audit-head/1"}\n', f"{ZEROS[1:]}\n"):
            with open(heads, "w", encoding="ascii") as f:
                f.write(bad)
            assert verify(d.path, "--head", heads)[0] == 1, bad


def test_the_timer_that_exports_heads_verifies():
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        raise tap.Skip("systemd-analyze is not here")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("weighlock-audit-head.service", "weighlock-audit-head.timer"):
            with open(os.path.join(OPTIONS["source"], "recipes", name), encoding="utf-8") as f:
                text = f.read().replace("/usr/bin/weighlock ", OPTIONS["weighlock"] + " ")
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([analyze, "verify", "--man=no", os.path.join(folder, "weighlock-audit-head.timer")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ours = [line for line in done.stdout.splitlines() if "weighlock" in line]
    assert not ours, ours


def test_heads_are_signed_and_only_those_of_the_key_count():
    with Audited("required") as d, tempfile.TemporaryDirectory() as held:
        def key(name):
            private, public = os.path.join(held, f"{name}.pem"), os.path.join(held, f"{name}.pub")
            subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
            subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
            return private, public
        upload(d)
        path, heads = os.path.join(d.state, "audit.head"), os.path.join(held, "heads.jsonl")
        (ours, public), (theirs, _) = key("ours"), key("theirs")
        _, good, error = head_command("--signing-key", ours, path)
        assert json.loads(good)["payloadType"] == "application/vnd.weighlock.audit-head+json", (good, error)
        _, other, _ = head_command("--signing-key", theirs, path)
        _, unsigned, _ = head_command(path)

        def check(text, *arguments):
            with open(heads, "w", encoding="ascii") as f:
                f.write(text)
            return verify(d.path, "--head", heads, *arguments)[0]
        assert check(good * 2, "--key", public) == 0
        for bad in (other, unsigned, good + other, good + unsigned):
            assert check(bad, "--key", public) == 1, bad
        assert check(good) == 1, "who signed it is not known"
        assert check(unsigned) == 0
        assert verify(d.path, "--key", ours)[0] == 4
        assert head_command("--signing-key", public, path)[0] == 4


def test_heads_from_before_the_first_file_are_told_and_prove_nothing():
    with Audited("required", "audit_bytes: 64 KiB\n") as d, tempfile.TemporaryDirectory() as held:
        upload(d)
        heads = os.path.join(held, "heads.jsonl")
        with open(heads, "w", encoding="ascii") as f:
            f.write(head_command(os.path.join(d.state, "audit.head"))[1])
        while len(os.listdir(d.state)) < 4:
            upload(d)
        old = [os.path.join(d.state, f) for f in os.listdir(d.state) if f.startswith("audit-")]
        assert "1 of 2 heads are of lines before line" in assert_whole(d.path, "--head", heads)
        assert "heads are of lines" not in assert_whole(*old, d.path, "--head", heads)


def test_a_missing_tail_is_found_by_a_head_kept_elsewhere():
    with Audited("required") as d:
        for _ in range(4):
            upload(d)
        head = d.head()["head"]
        d.stop()
        lines = raw_lines(d.path)
        rewrite(d.path, lines[:-1])
        shorter = hashlib.sha256(lines[-2]).hexdigest()
        for arguments in ((), ("--head", head)):
            status, text = verify(d.path, *arguments)
            assert status == 1 and f"head: found {shorter} at the end, expected {head}" in text, text
        copy = d.path + ".copy"
        shutil.copy(d.path, copy)
        assert "cannot be known" in assert_whole(copy)
        assert verify(copy, "--head", head)[0] == 1
        # the daemon, too, has a head, and does not go on as if nothing had been
        with Audited("required", state=d.state) as again:
            assert "ALARM" in again.read_log(), again.read_log()
            upload(again)
            assert verify(again.path)[0] == 1


def test_a_head_in_the_middle_is_fine():
    with Audited("required") as d:
        upload(d)
        head = d.head()["head"]
        upload(d)
        assert_whole(d.path, "--head", head)


def test_usage_and_unreadable_files():
    assert verify()[0] == 4 and verify("--head", "x", "y")[0] == 4
    assert verify("/nonexistent")[0] == 2
    assert head_command("x", "y")[0] == 4 and head_command("--x")[0] == 4
    assert head_command("/nonexistent")[0] == 1 and head_command("/dev/null")[0] == 1 and head_command("/")[0] == 2
    with tempfile.NamedTemporaryFile() as f:
        assert verify(f.name)[0] == 1
        f.write(b"\x7fELF" * 1000)
        f.flush()
        assert verify(f.name)[0] != 0


# ---- crashes ----

def test_a_torn_line_is_closed_off_and_the_chain_goes_on():
    for torn in (b'{"schema":"weighlock.audit/1","seq":2,"prev":"00', b"\x00" * 50, b"{"):
        with Audited("required") as d:
            upload(d)
            d.stop()
            with open(d.path, "ab") as f:
                f.write(torn)
            status, text = verify(d.path)
            assert status == 2 and "no end" in text, (status, text)
            with Audited("required", state=d.state) as again:
                assert "torn" in again.read_log()
                upload(again)
                with open(again.path, "rb") as f:
                    assert torn + b"\n" in f.read(), "what was torn is not there any more"
                assert_whole(again.path)


def test_a_keeper_that_is_killed_loses_nothing_that_was_given():
    with Audited("required") as d:
        given, failed, over = [], [], threading.Event()

        def client():
            try:
                while not over.is_set():
                    ask()
            except Exception as e:  # noqa: BLE001 - told by the test
                failed.append(e)

        def ask():
            status, headers, text = upload(d, model(64 + len(given) % 50))
            if status == 200:
                given.append(json.loads(text)["file"]["sha256"])
            else:
                assert status == 507 and "weighlock-verdict" not in headers, (status, text)
        threads = [threading.Thread(target=client) for _ in range(4)]
        for t in threads:
            t.start()
        for _ in range(3):
            keeper = until(d.keeper)
            os.kill(keeper, signal.SIGKILL)
            assert until(lambda old=keeper: d.keeper() not in (None, old))
            time.sleep(0.3)
        over.set()
        for t in threads:
            t.join()
        assert not failed, (failed, d.read_log()[-3000:])
        recorded = [r["sha256"] for r in d.records()]
        assert given and all(recorded.count(s) >= given.count(s) for s in given)
        assert_whole(d.path)


def test_a_log_that_is_deleted_or_cut_under_the_keeper_promises_nothing():
    for act in (os.unlink, lambda path: os.truncate(path, 10)):
        with Audited("required") as d:
            assert upload(d)[0] == 200
            act(d.path)
            assert_refused(*upload(d))
            assert until(lambda: upload(d)[0] == 200), d.read_log()
            assert "by somebody else" in d.read_log() and d.read_log().count("ALARM") == 2, d.read_log()
            first = d.lines()[0]
            assert first["kind"] == "begin" and first["seq"] == 2 and first["alarm"] in ("end-missing", "damaged"), first
            status, text = verify(d.path)
            assert status == 1 and "alarm: found 1" in text, text


def test_an_end_that_cannot_be_read_is_moved_aside():
    with Audited("required") as d:
        upload(d)
        d.stop()
        rewrite(d.path, raw_lines(d.path) + [b"nonsense\n"])
        with Audited("required", state=d.state) as again:
            assert "ALARM" in again.read_log(), again.read_log()
            upload(again)
            aside = [f for f in os.listdir(d.state) if f.startswith("audit-damaged-")]
            assert len(aside) == 1 and again.lines()[0]["after"] == aside[0], again.lines()
            assert again.lines()[0]["seq"] == 2, again.lines()


# ---- required ----

class Full:
    """A state folder on a file system of one megabyte."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="weighlock-full-")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=777", "tmpfs", self.path], stderr=subprocess.PIPE)
        if done.returncode != 0:
            os.rmdir(self.path)
            raise tap.Skip("nothing may be mounted here")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)
        os.rmdir(self.path)

    def fill(self):
        fd = os.open(os.path.join(self.path, "filler"), os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(fd, b"x" * 512)
        except OSError:
            pass
        finally:
            os.close(fd)

    def empty(self):
        os.unlink(os.path.join(self.path, "filler"))


def assert_refused(status, headers, text):
    assert status == 507, (status, text)
    problem = json.loads(text)
    assert problem["type"] == "urn:weighlock:problem:not-recorded" and problem["retry"] == "later", problem
    assert "weighlock-verdict" not in headers, headers
    for word in (b"accept", b"reject", b"review"):
        assert word not in text.encode() if isinstance(text, str) else word not in text, text


def until_full(d):
    """The file's last page has room for a few lines."""
    return until(lambda: upload(d)[0] == 507)


def test_a_full_disk_is_a_507_and_no_verdict():
    with Full() as full, Audited("required", state=full.path) as d:
        assert upload(d)[0] == 200
        full.fill()
        assert until_full(d)
        assert_refused(*upload(d))
        assert_refused(*upload(d, model(64)[:-1]))
        assert_refused(*upload(d, query="?gate=1"))
        assert_refused(*upload(d, query="?tensors=1"))
        assert metric(d, "audit_failed_total") >= 5
        assert "cannot be recorded" in d.read_log()
        # streams and sets
        status, headers, text = upload(d, headers={"Accept": "application/x-ndjson"})
        last = json.loads(text.splitlines()[-1])
        assert status == 200 and last["type"] == "urn:weighlock:problem:not-recorded", text
        assert b'"verdict"' not in text and "weighlock-verdict" not in headers
        with tempfile.NamedTemporaryFile() as a:
            a.write(model(64))
            a.flush()

            def fds():
                return [os.open(a.name, os.O_RDONLY), os.open("/dev/null", os.O_RDONLY)]
            names = ["a.safetensors", "none.safetensors"]
            status, headers, text = d.scan_set(fds(), names)
            assert_refused(status, headers, json.dumps(text) if isinstance(text, dict) else text)
            lines = d.stream_set(fds(), names)
            assert lines[-1]["type"] == "urn:weighlock:problem:not-recorded", lines
            assert not any("verdict" in line for line in lines), lines
        full.empty()
        assert until(lambda: upload(d)[0] == 200)
        assert "recorded again" in d.read_log()
        assert_whole(d.path)


def of_clamd(path, *pieces):
    """What a client of clamd hears; pieces are bytes, or bytes and a descriptor."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(60)
        s.connect(path)
        for piece in pieces:
            data, fds = piece if isinstance(piece, tuple) else (piece, [])
            send_fds(s, [data], fds)
        return b"".join(iter(lambda: s.recv(65536), b""))


def of_stream(body):
    return b"zINSTREAM\0" + struct.pack(">I", len(body)) + body + b"\0\0\0\0"


def test_clients_of_clamd_hear_only_what_is_recorded():
    with Full() as full, tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as f:
        os.chmod(folder, 0o777)
        f.write(model(64))
        f.flush()
        path = os.path.join(folder, "clamd.sock")
        with Audited("required", f"clamd_socket: {path}\n", state=full.path) as d:
            assert of_clamd(path, of_stream(model(64))) == b"stream: OK\0"
            assert of_clamd(path, of_stream(model(64)[:-1])).endswith(b" FOUND\0")
            assert of_clamd(path, b"zFILDES\0", (b"\0", [f.fileno()])).endswith(b": OK\0")
            assert [r["verdict"] for r in d.records()] == ["accept", "reject", "accept"], d.records()
            full.fill()
            assert until(lambda: not of_clamd(path, of_stream(model(64))).endswith(b"OK\0"))
            for said in (of_clamd(path, of_stream(model(64))), of_clamd(path, of_stream(model(64)[:-1])),
                         of_clamd(path, b"zFILDES\0", (b"\0", [f.fileno()]))):
                assert said.endswith(b"so it is not given ERROR\0") and b"FOUND" not in said and b"OK" not in said, said
            session = of_clamd(path, b"zIDSESSION\0" + of_stream(model(64)) + b"zPING\0" + of_stream(model(64)[:-1]) + b"zEND\0")
            assert sorted(said[-5:] for said in session.split(b"\0")) == [b"", b" PONG", b"ERROR", b"ERROR"], session
            full.empty()
            assert until(lambda: of_clamd(path, of_stream(model(64))) == b"stream: OK\0")
            assert_whole(d.path)


def test_a_lookup_is_not_given_either():
    with Full() as full, Audited("required", "store: on\n", state=full.path) as d:
        upload(d)
        target = f"/v1/verdicts/{hashlib.sha256(model(64)).hexdigest()}?name=a.safetensors"
        assert until(lambda: d.get(target)[0] == 200)
        full.fill()
        assert until(lambda: d.get(target)[0] == 507)
        status, headers, text = d.get(target)
        assert_refused(status, {k.lower(): v for k, v in headers.items()}, text)


def test_where_it_is_not_required_verdicts_are_given_and_losses_counted():
    with Full() as full, Audited("on", state=full.path) as d:
        full.fill()
        assert until(lambda: upload(d)[0] == 200 and metric(d, "audit_failed_total") > 0)
        assert upload(d)[0] == 200


def test_a_file_that_may_not_grow_is_a_507():
    with Audited("required") as d:
        keeper = d.keeper()
        resource.prlimit(d.process.pid, resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))  # for the next one
        os.kill(keeper, signal.SIGKILL)
        assert until(lambda: d.keeper() not in (None, keeper) and upload(d)[0] == 200)
        for _ in range(300):
            status, headers, text = upload(d)
            if status != 200:
                break
        assert_refused(status, headers, text)
        assert_whole(d.path)


def test_a_dead_keeper_is_a_507():
    with Audited("required") as d:
        keeper = d.keeper()
        os.kill(keeper, signal.SIGSTOP)
        try:
            assert_refused(*upload(d))  # while it still is
        finally:
            os.kill(keeper, signal.SIGCONT)
        assert until(lambda: upload(d)[0] == 200)
        assert_whole(d.path)


def test_questions_that_nobody_waits_for_do_not_push_out_a_line():
    """One client asks the store, goes, and asks again, while the keeper is slow; the verdicts of others are recorded."""
    with Audited("required", "store: on\nmax_connections: 5000\nmax_connections_per_uid: 5000\n") as d:
        def answered(connections):
            return len(select.select(connections, [], [], 0)[0])

        keeper = d.keeper()
        os.kill(keeper, signal.SIGSTOP)
        try:
            for wave in range(20):  # more in all than may be waiting
                connections = [d.connect() for _ in range(220)]
                for i, c in enumerate(connections):
                    c.sendall(b"GET /v1/verdicts/%064x HTTP/1.1\r\nHost: x\r\n\r\n" % (wave * 1000 + i))
                assert until(lambda cs=connections: metric(d, "keeper_pending") + answered(cs) == len(cs))
                for c in connections:
                    c.close()
                assert until(lambda: metric(d, "keeper_pending") == 0)
            answers = []
            thread = threading.Thread(target=lambda: answers.append(upload(d)[0]))
            thread.start()
            assert until(lambda: metric(d, "keeper_pending") > 0 or answers)
        finally:
            os.kill(keeper, signal.SIGCONT)
        thread.join()
        assert answers == [200] and len(d.records()) == 1, (answers, d.read_log()[-2000:])


def test_a_client_that_goes_while_its_verdict_is_recorded_harms_nobody():
    with Audited("required") as d:
        keeper = d.keeper()
        os.kill(keeper, signal.SIGSTOP)
        body = model(64)
        connections = []
        for query in (b"", b"?tensors=1", b"?on_close=finish"):
            c = d.connect()
            c.sendall(b"PUT /v1/scan/a.safetensors%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
                      % (query, len(body), body))
            connections.append(c)
        assert until(lambda: metric(d, "keeper_pending") == 3)
        assert metric(d, "scans_running") == 0, "a slot is held while nobody scans"
        for c in connections:
            c.close()
        time.sleep(0.2)
        os.kill(keeper, signal.SIGCONT)
        assert until(lambda: len(d.records()) == 3)
        assert upload(d)[0] == 200
        d.stop()
        assert_whole(d.path)


def test_verdicts_that_wait_for_a_stalled_disk_are_bounded():
    """By the memory that they take, and not only by how many they are."""
    if OPTIONS["sanitized"] == "true":
        raise tap.Skip("too slow to make so many before the first is given up")
    config = f"worker: {OPTIONS['fake_worker']}\nqueue_max: 1000\nqueue_max_per_tenant: 1000\nmax_connections_per_uid: 400\n"
    with Audited("required", config) as d:
        connections = []

        def ask_for_long_ones():
            if metric(d, "queue_waiting") < 10:
                connections.append(d.connect())
                connections[-1].sendall(b"POST /v1/scan?on_close=finish HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nMODE:long\n")
            return refused() > 0

        def refused():
            return int(d.get("/metrics")[2].split(b'refused_total{reason="unrecorded"} ')[1].split()[0])

        keeper = d.keeper()
        os.kill(keeper, signal.SIGSTOP)
        try:
            assert until(ask_for_long_ones), "this is what memory was full of"
            assert metric(d, "keeper_pending") < 40 + os.cpu_count(), metric(d, "keeper_pending")
            assert 0 < metric(d, "audit_held_bytes") < 240 << 20
            assert d.get("/readyz")[0] == 503
            waiting = metric(d, "keeper_pending")
        finally:
            os.kill(keeper, signal.SIGCONT)
        assert until(lambda: metric(d, "audit_held_bytes") == 0 and len(d.records()) >= waiting)
        for c in connections:
            c.close()
        assert until(lambda: upload(d)[0] == 200)


tap.main(globals(), at_once=4)
