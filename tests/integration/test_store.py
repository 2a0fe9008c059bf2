"""The verdict store and the keeper that writes it: what is kept, what is answered from it, and that nothing of it can make
an answer wrong."""
import hashlib
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time

import tap
from daemon import PATIENCE_S, Daemon, options

OPTIONS = options()
POLICIES = {
    "paths.yaml": "version: 1\nrules:\n- {path: 'quarantine/*', class: quality, action: reject, reason: not from there}\n",
    "strict-limits.yaml": "version: 1\nlimits: {tensors: 10}\n",
    "packed.yaml": "version: 1\npickle:\n  allow:\n  - mymodule.Thing\n",
    "only-gguf.yaml": "version: 1\nformats: {allow: [gguf]}\n",
}


def safetensors(seed=0, tensors=1):
    entries = {f"w{i}": {"dtype": "F32", "shape": [2], "data_offsets": [8 * i, 8 * i + 8]} for i in range(tensors)}
    entries["__metadata__"] = {"seed": str(seed)}
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + b"\0\0\x80\x3f" * 2 * tensors


def digest(body):
    return hashlib.sha256(body).hexdigest()


class Store(Daemon):
    """A daemon with a store; `more` are lines of its configuration."""

    def __init__(self, more="", worker=None, state=None, **kwargs):
        import tempfile
        self.own_state = state is None
        self.state = state or tempfile.mkdtemp(prefix="weighlock-state-")
        os.chmod(self.state, 0o777)
        for name, text in POLICIES.items():
            with open(os.path.join(self.state, name), "w", encoding="utf-8") as f:
                f.write(text)
        policies = "".join(f"  {n[:-5]}: {os.path.join(self.state, n)}\n" for n in POLICIES)
        config = f"store: on\nstate_dir: {self.state}\npolicies:\n{policies}{more}"
        if worker:
            config += f"worker: {worker}\n"
        super().__init__(OPTIONS["weighlockd"], config=config, **kwargs)

    def __exit__(self, *args):
        import shutil
        super().__exit__(*args)
        if self.own_state:
            shutil.rmtree(self.state, ignore_errors=True)

    @property
    def database(self):
        return os.path.join(self.state, "verdicts.sqlite")

    def metric(self, name):
        text = self.get("/metrics")[2].decode()
        return int(next(l for l in text.splitlines() if l.startswith(f"weighlock_{name} ")).split()[1])

    def scan(self, body, name="a.safetensors", query=""):
        status, _, text = self.request("PUT", f"/v1/scan/{name}{query}", body)
        assert status == 200, (status, text)
        return json.loads(text)

    def ask(self, body_or_digest, query=""):
        sha256 = body_or_digest if isinstance(body_or_digest, str) else digest(body_or_digest)
        status, headers, text = self.get(f"/v1/verdicts/{sha256}{query}")
        return status, headers, json.loads(text)

    def keep(self, body, name="a.safetensors", query=""):
        """Scan, and wait until it is kept."""
        before = self.metric("store_stored_total")
        verdict = self.scan(body, name, query)
        self.until(lambda: self.metric("store_stored_total") > before)
        return verdict

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.02)
        raise AssertionError(self.read_log())

    def keeper(self):
        """Its process, or None."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                    stat = f.read()
            except OSError:
                continue
            if "(weighlockd-keep)" in stat and int(stat.rsplit(")", 1)[1].split()[1]) == self.process.pid \
                    and stat.rsplit(")", 1)[1].split()[0] != "Z":
                return int(pid)
        return None

    def tamper(self, sql):
        with sqlite3.connect(self.database, timeout=PATIENCE_S) as c:
            c.execute(sql)
        c.close()


# ---- the store ----

def test_a_kept_verdict_is_that_of_the_scan_and_says_so():
    body = safetensors()
    with Store() as d:
        assert d.ask(body)[0] == 404
        scanned = d.keep(body)
        status, headers, kept = d.ask(body, "?name=a.safetensors")
        assert status == 200 and headers["Weighlock-Verdict"] == "accept", (status, headers)
        assert kept["scan"].pop("cached") is True and "cached" not in scanned["scan"]
        for verdict in (kept, scanned):
            verdict["scan"].pop("request_id")
        assert kept == scanned, (kept, scanned)
        assert d.metric("store_hits_total") == 1 and d.metric("store_misses_total") == 1
        try:
            import jsonschema
        except ImportError:
            return
        with open(OPTIONS["schema"], encoding="utf-8") as f:
            jsonschema.validate(kept, json.load(f))


def test_two_names_on_one_digest_are_two_verdicts():
    body = safetensors()[:-4] + b"\0\0\xc0\x7f"  # a NaN
    with Store() as d:
        d.keep(body, query="?policy=paths")
        for name, value in (("incoming/b.safetensors", "review"), ("quarantine/b.safetensors", "reject")):
            status, headers, verdict = d.ask(body, f"?policy=paths&name={name}")
            assert (status, verdict["verdict"], verdict["file"]["name"]) == (200, value, name), verdict
            assert headers["Weighlock-Verdict"] == value
        # a name of another format may change the facts: nothing is known of it
        assert d.ask(body, "?policy=paths&name=a.gguf")[0] == 404


def test_the_policy_is_that_of_the_question():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        assert d.ask(body, "?name=a.safetensors")[2]["verdict"] == "accept"
        refused = d.ask(body, "?name=a.safetensors&policy=only-gguf")
        assert refused[0] == 200 and refused[2]["verdict"] != "accept", refused
        assert refused[2]["policy"]["name"] == "only-gguf"
        assert d.ask(body, "?name=a.safetensors&policy=nonesuch")[0] == 400


def test_other_limits_are_another_question():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        assert d.ask(body, "?name=a.safetensors&policy=strict-limits")[0] == 404
        d.keep(body, query="?policy=strict-limits")
        assert d.ask(body, "?name=a.safetensors&policy=strict-limits")[0] == 200
        assert d.ask(body, "?name=a.safetensors")[0] == 200


def test_names_that_a_policy_adds_are_another_question_only_where_they_were_looked_for():
    import collections
    import pickle

    plain = pickle.dumps(collections.OrderedDict(a=1), 4)
    named = b"\x80\x04cmymodule\nThing\n."
    with Store() as d:
        assert d.keep(plain, "a.pkl")["verdict"] == d.ask(plain, "?name=a.pkl&policy=packed")[2]["verdict"]
        codes = [f["code"] for f in d.keep(named, "a.pkl")["findings"]]
        assert d.ask(named, "?name=a.pkl")[0] == 200 and codes
        assert d.ask(named, "?name=a.pkl&policy=packed")[0] == 404
        other = d.keep(named, "a.pkl", "?policy=packed")
        assert [f["code"] for f in other["findings"]] != codes, other
        assert d.ask(named, "?name=a.pkl")[2]["verdict"] != d.ask(named, "?name=a.pkl&policy=packed")[2]["verdict"]


def test_a_scan_is_never_answered_from_it():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        before = d.metric("scanned_bytes_total")
        assert "cached" not in d.scan(body)["scan"]
        assert d.metric("scanned_bytes_total") == before + len(body)


def test_what_is_not_kept():
    whole = safetensors()
    broken = whole[:-1]
    with Store() as d:
        assert d.scan(broken)["complete"] is False
        d.until(lambda: d.metric("store_refused_total") == 1)
        assert d.ask(broken, "?name=a.safetensors")[0] == 404
        d.scan(whole, query="?tensors=1")
        assert d.scan(whole, query="?calls=1")["calls"] == []
        assert [c["text"] for c in d.scan(b"cposix\nsystem\n(S'id'\ntR.", query="?calls=1")["calls"]] == ['posix.system("id")']
        time.sleep(0.3)
        assert d.ask(whole, "?name=a.safetensors")[0] == 404
        assert d.metric("store_stored_total") == 0


def test_a_rejected_file_is_kept_too():
    body = safetensors()
    nan = body[:-4] + b"\0\0\xc0\x7f"
    with Store() as d:
        assert d.keep(nan)["verdict"] == "review"
        assert d.ask(nan, "?name=a.safetensors")[2]["verdict"] == "review"
        assert d.ask(nan, "?name=a.safetensors&policy=strict")[2]["verdict"] == "reject"


def test_reports_beyond_the_bound_are_not_kept():
    # a thousand tensors with a NaN each: a long report about a small file
    entries = {f"a_rather_long_name_for_a_tensor_{i}": {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]}
               for i in range(200)}
    header = json.dumps(entries).encode()
    header += b" " * (-len(header) % 8)
    body = struct.pack("<Q", len(header)) + header + b"\0\0\xc0\x7f" * 200
    with Store("store_report_max: 4 KiB\n") as d:
        d.scan(body)
        d.until(lambda: d.metric("store_refused_total") == 1)
        assert d.ask(body, "?name=a.safetensors")[0] == 404
        d.keep(safetensors())
    with Store() as d:
        d.keep(body)
        assert len(d.ask(body, "?name=a.safetensors")[2]["weights"]["nonfinite"]) == 200


def test_rows_are_bounded():
    with Store("store_rows: 3\n") as d:
        for seed in range(5):
            d.keep(safetensors(seed))
        kept = [d.ask(safetensors(seed), "?name=a.safetensors")[0] for seed in range(5)]
        assert kept.count(200) == 3 and kept[4] == 200, kept


def test_in_flight_is_202():
    def put(d, body):
        c = d.connect()
        c.sendall(b"PUT /v1/scan/a.safetensors?sha256=%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
                  % (digest(body).encode(), len(body), body))
        return c

    hangs, sleeps = b"MODE:hang\n", b"MODE:sleep\n"
    with Store(worker=OPTIONS["fake_worker"]) as d:
        c = put(d, hangs)
        d.until(lambda: d.ask(hangs, "?name=a.safetensors")[0] == 202)
        _, headers, answer = d.ask(hangs, "?name=a.safetensors")
        assert int(headers["Retry-After"]) >= 1 and answer == {"pending": True}, answer
        assert d.ask(digest(b"other"))[0] == 404
        c.close()
        d.until(lambda: d.ask(hangs, "?name=a.safetensors")[0] == 404)
        c = put(d, sleeps)
        d.until(lambda: d.ask(sleeps, "?name=a.safetensors")[0] == 200)
        c.close()


def test_questions_are_strict():
    with Store() as d:
        sha256 = digest(b"")
        for target in (f"/v1/verdicts/{sha256}?tensors=1", f"/v1/verdicts/{sha256}?sha256={sha256}",
                       f"/v1/verdicts/{sha256}?gate=1", "/v1/verdicts/xyz", f"/v1/verdicts/{sha256}?name=a&name=b"):
            assert d.get(target)[0] == 400, target
        assert d.request("POST", f"/v1/verdicts/{sha256}", b"x")[0] == 405


def test_without_a_store_there_is_no_keeper_and_no_verdict():
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert d.get(f"/v1/verdicts/{digest(b'')}")[0] == 404
        assert b"keeper_up" not in d.get("/metrics")[2]
        assert Store.keeper(d) is None


# ---- liars ----

def scan_by_descriptor(d, body):
    with tempfile.TemporaryFile() as f:
        f.write(body)
        f.flush()
        return d.scan_fd(f.fileno(), "?name=a.safetensors")[2]


def test_a_worker_that_names_a_digest_is_not_kept():
    """Of a body nobody asks it."""
    with Store(worker=OPTIONS["fake_worker"]) as d:
        for mode in ("own-digest", "other-digest"):
            body = f"MODE:{mode}\n".encode()
            verdict = d.scan(body)
            assert (verdict["scan"]["error"], verdict["file"]["sha256"]) == ("worker-protocol", digest(body)), verdict
            assert d.ask("b0" * 32, "?name=a.safetensors")[0] == 404
        assert d.metric("store_stored_total") == 0
        d.keep(b"MODE:honest\n")


def test_of_a_descriptor_what_is_kept_has_the_digest_of_what_came():
    with Store(worker=OPTIONS["fake_worker"]) as d:
        for mode in ("own-digest", "other-digest"):
            body = f"MODE:{mode}\n".encode()
            verdict = scan_by_descriptor(d, body)
            assert (verdict["scan"]["error"], verdict["file"]["sha256"]) == ("worker-protocol", digest(body)), verdict
            assert d.ask("b0" * 32, "?name=a.safetensors")[0] == 404
        assert d.metric("store_stored_total") == 0
        for n in (100, 3 << 20):
            body = b"MODE:honest\n".ljust(n)
            assert scan_by_descriptor(d, body)["file"]["sha256"] == digest(body)
            d.until(lambda: d.ask(body, "?name=a.safetensors")[0] == 200)


def ask_as(d, uid, target):
    """The status that another user gets."""
    code = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(60)\ns.connect(sys.argv[1])\n"
            "s.sendall(f'GET {sys.argv[2]} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'.encode())\n"
            "print(s.makefile('rb').readline().decode().split()[1])\n")

    def become():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    done = subprocess.run(["/usr/bin/python3", "-c", code, d.socket, target], stdout=subprocess.PIPE, preexec_fn=become, timeout=120)
    return int(done.stdout)


def test_a_report_about_what_a_client_could_exchange_is_that_clients_alone():
    """Of a file that its client could exchange."""
    if os.getuid() != 0:
        raise tap.Skip("only root can become somebody else")
    nobody, body = 65534, safetensors()
    target = f"/v1/verdicts/{digest(body)}?name=a.safetensors"
    with Store(f"socket_mode: 0666\nallow_uids: [{nobody}]\n") as d, tempfile.TemporaryFile() as f:
        f.write(body)
        f.flush()
        before = d.metric("store_stored_total")
        assert d.scan_fd(f.fileno(), "?name=a.safetensors")[0] == 200
        d.until(lambda: d.metric("store_stored_total") > before)
        assert d.get(target)[0] == 200 and ask_as(d, nobody, target) == 404
        assert command(d, "get", "--name", "a.safetensors", digest(body))[0] == 0
        d.keep(body)  # the same bytes, where nobody can exchange them
        assert d.get(target)[0] == 200 and ask_as(d, nobody, target) == 200


# ---- the file ----

def test_what_was_changed_on_disk_is_not_answered():
    body = safetensors()
    for change in ("entry = CAST(substr(entry, 1, length(entry) - 1) || x'7f' AS BLOB)", "mac = zeroblob(32)",
                   "size = size + 1", "entry = zeroblob(200)"):
        with Store() as d:
            d.keep(body)
            assert d.ask(body, "?name=a.safetensors")[0] == 200
            d.tamper(f"UPDATE verdicts SET {change}")
            assert d.ask(body, "?name=a.safetensors")[0] == 404, change
            assert "was not written by this daemon" in d.read_log(), change
            d.keep(body)
            assert d.ask(body, "?name=a.safetensors")[0] == 200, change


def test_it_outlives_the_daemon():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        with open(d.config, encoding="utf-8") as f:
            config = f.read()
        d.stop()
        with Daemon(OPTIONS["weighlockd"], config=config) as again:
            assert again.get(f"/v1/verdicts/{digest(body)}?name=a.safetensors")[0] == 200


def test_a_damaged_file_is_moved_aside():
    import tempfile
    body = safetensors()
    with tempfile.TemporaryDirectory(prefix="weighlock-state-") as state:
        os.chmod(state, 0o777)
        with open(os.path.join(state, "verdicts.sqlite"), "wb") as f:
            f.write(b"this is no database " * 1000)
        os.chmod(os.path.join(state, "verdicts.sqlite"), 0o666)
        with Store(state=state) as d:
            assert "damaged" in d.read_log(), d.read_log()
            assert os.path.exists(d.database + ".damaged")
            d.keep(body)
            assert d.ask(body, "?name=a.safetensors")[0] == 200


def test_damage_while_it_runs_is_noticed_and_survived():
    with Store() as d:
        for seed in range(40):
            d.scan(safetensors(seed, 30))
        d.until(lambda: d.metric("store_stored_total") == 40)
        with sqlite3.connect(d.database) as c:
            c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        c.close()
        keeper = d.keeper()
        with open(d.database, "r+b") as f:
            f.seek(8192)
            f.write(b"\x5a" * (os.path.getsize(d.database) - 8192))
        os.kill(keeper, signal.SIGKILL)  # and with it what it has in memory
        d.until(lambda: d.keeper() not in (None, keeper))
        answers = [d.ask(safetensors(seed, 30), "?name=a.safetensors")[0] for seed in range(40)]
        assert set(answers) <= {200, 404} and 404 in answers, answers
        d.until(lambda: os.path.exists(d.database + ".damaged"))
        d.keep(safetensors(99))
        assert d.ask(safetensors(99), "?name=a.safetensors")[0] == 200


def test_a_state_folder_that_cannot_be_used_is_an_error_at_the_start():
    d = Daemon(OPTIONS["weighlockd"], config="store: on\nstate_dir: /nonexistent\n", wait=False)
    try:
        d.process.wait(60)
        assert d.process.returncode == 1 and "/nonexistent" in d.read_log(), (d.process.returncode, d.read_log())
    finally:
        d.__exit__()


def test_two_daemons_do_not_keep_in_one_folder():
    with Store() as d:
        with open(d.config, encoding="utf-8") as f:
            config = f.read()
        other = Daemon(OPTIONS["weighlockd"], config=config, wait=False)
        try:
            other.process.wait(60)
            assert other.process.returncode == 1 and "another daemon's" in other.read_log(), other.read_log()
        finally:
            other.__exit__()
        d.keep(safetensors())


# ---- the command ----

def command(d, *args):
    done = subprocess.run([OPTIONS["weighlock"], "store", *args, "--store", d.database], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_the_command_gives_the_verdict_that_the_daemon_gives():
    bodies = safetensors(), safetensors()[:-4] + b"\0\0\xc0\x7f"
    with Store() as d:
        for body, status in zip(bodies, (0, 1)):
            d.keep(body)
            answer = d.ask(body, "?name=a.safetensors")[2]
            got = command(d, "get", "--name", "a.safetensors", "--format", "json", digest(body))
            assert got[0] == status, got
            verdict = json.loads(got[1])
            answer["scan"].pop("request_id")
            assert verdict == answer, (verdict, answer)
            assert digest(body) in command(d, "get", "--name", "a.safetensors", digest(body))[1]
        body = bodies[1]
        assert command(d, "get", "--policy", "strict", "--name", "a.safetensors", digest(body))[1].startswith("REJECT")
        other = command(d, "get", "--name", "a.gguf", digest(body))
        assert other[0] == 3 and "1 for others" in other[2], other
        assert command(d, "get", digest(b"unheard of"))[0] == 3
        d.tamper("UPDATE verdicts SET mac = zeroblob(32)")
        got = command(d, "get", "--name", "a.safetensors", digest(body))
        assert got[0] == 2 and not got[1] and "not written by the daemon" in got[2], got


def test_the_command_counts_evicts_and_clears_beside_the_daemon():
    with Store() as d:
        for seed in range(10):
            d.keep(safetensors(seed))
        d.tamper("UPDATE verdicts SET used_day = used_day - 40 WHERE id <= 4")
        stats = json.loads(command(d, "stats", "--check", "--format", "json")[1])
        assert stats["reports"] == 10 and stats["unsound"] == 0 and stats["oldest_use"] < stats["newest_use"], stats
        assert command(d, "gc", "--unused-days", "60")[1] == "0 reports removed, 10 kept\n"
        assert command(d, "gc", "--unused-days", "30")[1] == "4 reports removed, 6 kept\n"
        assert command(d, "gc", "--max-rows", "5")[1] == "1 reports removed, 5 kept\n"
        assert command(d, "gc", "--max-bytes", str(2 * stats["report_bytes"] // 10))[1] == "3 reports removed, 2 kept\n"
        assert d.ask(safetensors(9), "?name=a.safetensors")[0] == 200
        assert d.ask(safetensors(0), "?name=a.safetensors")[0] == 404
        d.tamper("UPDATE verdicts SET size = size + 1 WHERE id = 10")
        assert command(d, "stats", "--check")[0] == 1
        assert command(d, "clear")[1] == "2 reports removed, 0 kept\n"
        assert d.ask(safetensors(9), "?name=a.safetensors")[0] == 404
        d.keep(safetensors(9))
        assert "reports     1," in command(d, "stats")[1]


def test_the_command_refuses_what_it_cannot_do():
    with Store() as d:
        for args in (["get"], ["get", "xyz"], ["get", "0" * 63], ["gc", "0" * 64], ["gc", "--check"], ["gc", "--max-rows", "-1"],
                     ["stats", "--format", "xml"], ["get", "--policy", "nonesuch", "0" * 64], ["frob"], []):
            status, out, error = command(d, *args)
            assert status == 4 and not out and error, args
    done = subprocess.run([OPTIONS["weighlock"], "store", "stats", "--store", "/nonexistent"], stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"/nonexistent" in done.stderr


# ---- the keeper ----

def test_killing_the_keeper_loses_no_verdict():
    with Store() as d:
        d.keep(safetensors(0))
        for round_ in range(3):
            keeper = d.keeper()
            os.kill(keeper, signal.SIGKILL)
            for seed in range(1, 20):
                assert d.scan(safetensors(1000 * round_ + seed))["verdict"] == "accept"
            d.until(lambda: d.keeper() not in (None, keeper))
            assert d.ask(safetensors(0), "?name=a.safetensors")[0] in (200, 404)
            d.until(lambda: d.metric("keeper_up") == 1)
            assert d.ask(safetensors(0), "?name=a.safetensors")[0] == 200
        assert "the keeper has ended" in d.read_log()
        d.keep(safetensors(99999))


def test_a_stopped_keeper_holds_nobody_up():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        keeper = d.keeper()
        os.kill(keeper, signal.SIGSTOP)
        try:
            started = time.monotonic()
            for seed in range(1, 20):
                assert d.scan(safetensors(seed))["verdict"] == "accept"
            assert time.monotonic() - started < 19 * 10, "each waited until it had no patience left"
            asked = time.monotonic()
            assert d.get(f"/v1/verdicts/{digest(body)}?name=a.safetensors")[0] == 404
            assert time.monotonic() - asked > 5, "after its patience"
        finally:
            os.kill(keeper, signal.SIGCONT)
        d.until(lambda: d.ask(body, "?name=a.safetensors")[0] == 200)


def test_the_keeper_is_jailed():
    with Store() as d:
        pid = d.keeper()
        with open(f"/proc/{pid}/status", encoding="utf-8") as f:
            status = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
        assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1" and status["Threads"] == "1", status
        if os.geteuid() == 0:
            assert status["Uid"].split()[0] != "0", status
            # control, words, folder, lock, one channel, the database, its log and index, and standard descriptors, of which
            # the last is a pipe: nothing of the monitor's
            targets = [os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")]
            alone = os.path.samefile(f"/proc/{pid}/root", d.state)  # that folder is all that has a name there, where it may
            wrong = [t for t in targets if not t.startswith(("/" if alone else d.state, "socket:", "/dev/null", "pipe:"))]
            assert not wrong, targets
            assert sum(t.startswith("socket:") for t in targets) == 2, targets


def test_reload_with_the_same_settings_keeps_the_keeper():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        keeper = d.keeper()
        d.process.send_signal(signal.SIGHUP)
        d.until(lambda: d.read_log().count("ready: listening") == 2)
        d.wait_ready()
        assert d.keeper() == keeper
        d.until(lambda: d.ask(body, "?name=a.safetensors")[0] == 200)
        d.keep(safetensors(1))


def test_reload_with_other_bounds_replaces_it_and_drops_no_report():
    with Store(more="workers: 2\n") as d:
        d.keep(safetensors(0))
        keeper = d.keeper()
        with open(d.config, encoding="utf-8") as f:
            config = f.read()
        with open(d.config, "w", encoding="utf-8") as f:
            f.write(config + "store_rows: 500\n")
        d.process.send_signal(signal.SIGHUP)
        for seed in range(1, 60):
            try:
                d.scan(safetensors(seed))
            except ConnectionError:  # accepted by the one that drains, and idle at that moment: as for every client
                d.scan(safetensors(seed))
        d.until(lambda: d.read_log().count("ready: listening") == 2)
        d.until(lambda: d.keeper() not in (None, keeper))
        for seed in range(60, 80):
            d.scan(safetensors(seed))
        for seed in range(80):
            d.until(lambda s=seed: d.ask(safetensors(s), "?name=a.safetensors")[0] == 200)
        assert "wait status" not in d.read_log(), d.read_log()


def test_reload_turns_it_off_and_on():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        with open(d.config, encoding="utf-8") as f:
            config = f.read()
        for text, there in ((config.replace("store: on", "store: off"), False), (config, True)):
            with open(d.config, "w", encoding="utf-8") as f:
                f.write(text)
            count = d.read_log().count("ready: listening")
            d.process.send_signal(signal.SIGHUP)
            d.until(lambda: d.read_log().count("ready: listening") == count + 1)
            d.until(lambda: (d.keeper() is not None) == there)
            d.until(lambda: d.ask(body, "?name=a.safetensors")[0] == (200 if there else 404))


def test_reload_with_a_folder_that_cannot_be_used_changes_nothing():
    body = safetensors()
    with Store() as d:
        d.keep(body)
        with open(d.config, encoding="utf-8") as f:
            config = f.read()
        with open(d.config, "w", encoding="utf-8") as f:
            f.write(config.replace(f"state_dir: {d.state}", "state_dir: /nonexistent"))
        d.process.send_signal(signal.SIGHUP)
        d.until(lambda: "not reloaded" in d.read_log())
        assert d.ask(body, "?name=a.safetensors")[0] == 200


def test_the_keeper_ends_with_the_daemon():
    with Store() as d:
        d.keep(safetensors())
        keeper = d.keeper()
        assert d.stop() == 0
        assert not os.path.exists(f"/proc/{keeper}")
        assert not os.path.exists(d.database + "-wal"), "an orderly end leaves no log behind"


def front_pid(d):
    """The process that answers, by what it logged of its own sample."""
    return int(re.findall(r"id=self-scan uid=\d+ pid=(\d+)", d.read_log())[-1])


def test_a_question_without_room_is_answered_and_harms_nobody():
    room = 2048  # KEEPER_CALLS_MAX / 2: questions that nobody waits for any more keep their places
    places = "max_connections: 5000\nmax_connections_per_uid: 5000\n"  # so many may leave
    with Store(places, env={**os.environ, "MALLOC_PERTURB_": "170"}) as d:
        before = front_pid(d)
        os.kill(d.keeper(), signal.SIGSTOP)
        try:
            for i in range(room + 1):
                with d.connect() as s:
                    s.sendall(b"GET /v1/verdicts/%064x HTTP/1.1\r\nHost: x\r\n\r\n" % i)
                if i % 32 == 0:
                    d.get("/healthz")  # one after the other, and not more than may be connected
            for _ in range(8):
                status, _, text = d.request("GET", "/v1/verdicts/" + "ab" * 32, headers={"Connection": "close"})
                assert status == 404 and b"does not answer" in text, (status, text)
        finally:
            os.kill(d.keeper(), signal.SIGCONT)
        assert d.get("/healthz")[0] == 200 and front_pid(d) == before, d.read_log()


tap.main(globals(), at_once=4)
