"""What is kept says little of people: pseudonyms that can be counted, texts that can be erased, and how long what is kept."""
import contextlib
import datetime
import hashlib
import hmac
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile

import tap
from daemon import Daemon, model, options, until

OPTIONS = options()
SECRET = b"0123456789abcdef0123456789abcdef"
NAMES = (b"acme", b"salaries", b"other")


def pseudonym(name, secret=SECRET):
    return "p:" + hmac.new(hashlib.sha256(secret).digest(), name.encode(), "sha256").hexdigest()[:32]


class Private(Daemon):
    def __init__(self, state, more="audit: required\naudit_texts_days: 30\n"):
        os.chmod(state, 0o777)
        self.state = state
        self.key = os.path.join(state, "pseudonym.key")
        with open(self.key, "wb") as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(SECRET)
        super().__init__(OPTIONS["weighlockd"], config=f"state_dir: {state}\npseudonym_key: {self.key}\n{more}")

    def upload(self, name, tenant, body=None, ok=200):
        query = f"?tenant={tenant}" if tenant else ""
        status, _, text = self.request("PUT", f"/v1/scan/{name}{query}", body or model(64))
        assert status == ok, (status, text)
        return json.loads(text)


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="weighlock-state-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def lines(state):
    with open(f"{state}/audit.jsonl", encoding="ascii") as f:
        return [json.loads(line) for line in f]


def records(state):
    return [line for line in lines(state) if line["kind"] == "verdict"]


def texts(state):
    return sorted(f"{state}/{n}" for n in os.listdir(state) if n.startswith("texts-"))


def raw(paths):
    found = b""
    for path in paths:
        with open(path, "rb") as f:
            found += f.read()
    return found


def rewrite(path, text):
    with open(path, "r+b") as f:
        f.write(text)
        f.truncate()


def run(*arguments):
    done = subprocess.run([OPTIONS["weighlock"], "audit", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60)
    return done.returncode, done.stdout


def verify(state):
    return run("verify", f"{state}/audit.jsonl", *texts(state))


def test_one_name_has_one_pseudonym_and_nothing_that_is_kept_has_the_name():
    with folder() as state, Private(state, "audit: required\nstore: on\n") as d:
        for name, tenant in (("salaries.safetensors", "acme"), ("other.safetensors", "acme"), ("salaries.safetensors", "")):
            assert d.upload(name, tenant)["file"]["name"] == name, "an answer is the asker's"
        d.request("GET", f"/v1/verdicts/{hashlib.sha256(model(64)).hexdigest()}?name=salaries.safetensors")
        made = records(state)
        assert [r["tenant"] for r in made] == [pseudonym("acme")] * 2 + [f"uid:{os.getuid()}"], made
        assert [r["name"] for r in made] == [pseudonym(f"{n}.safetensors") for n in ("salaries", "other", "salaries")], made
        assert not any("text" in r for r in made) and not texts(state)
        assert d.read_log().count("tenant=" + pseudonym("acme")) == 2, d.read_log()
        kept = [f"{state}/{n}" for n in os.listdir(state)] + [d.log]
        assert not [n for n in NAMES if n in raw(kept)]
        assert run("pseudonym", "--key", d.key, "acme", "salaries.safetensors") == (
            0, f"{pseudonym('acme')}\n{pseudonym('salaries.safetensors')}\n")
        assert run("verify", f"{state}/audit.jsonl")[0] == 0


def test_another_key_is_taken_at_a_reload_and_a_bad_one_is_not():
    with folder() as state, Private(state) as d:
        def reload_with(secret, said):
            before = d.read_log().count(said)
            with open(d.key, "wb") as f:
                f.write(secret)
            d.process.send_signal(signal.SIGHUP)
            assert until(lambda: d.read_log().count(said) > before), d.read_log()
        reload_with(b"short", "16 to 4096 bytes")
        d.upload("a", "acme")
        reload_with(SECRET[::-1], "ready: listening")
        d.upload("a", "acme")
        assert [r["tenant"] for r in records(state)] == [pseudonym("acme"), pseudonym("acme", SECRET[::-1])], records(state)
        assert "2 of 2 texts" in verify(state)[1]


def test_texts_are_beside_the_chain_and_shown_to_be_what_was_written():
    with folder() as state, Private(state) as d:
        for tenant in ("acme", "acme", "globex"):
            d.upload("salaries.safetensors", tenant)
        assert b"acme" not in raw([f"{state}/audit.jsonl"]) and raw(texts(state)).count(b"acme") == 2
        assert "3 of 3 texts are there, as they were written; 0 are gone, or in files not given" in verify(state)[1], verify(state)
        status, said = run("verify", f"{state}/audit.jsonl")
        assert status == 0 and "3 lines have a text beside the log, in a file that was not given" in said, said
        for text, line in zip(raw(texts(state)).splitlines(), records(state)):
            text = json.loads(text)
            assert text["seq"] == line["seq"] and text["text"]["name"] == "salaries.safetensors"
            compact = json.dumps(text["text"], separators=(",", ":")).encode()
            assert hashlib.sha256(compact).hexdigest() == line["text"], (text, line)
        assert len({line["text"] for line in records(state)}) == 3, "without a salt equal texts have equal hashes"
        path, = texts(state)
        good = raw([path])
        for bad, found in ((good.replace(b"globex", b"glibex"), "found another than its line has the hash of"),
                           (good.replace(b'{"seq":3,', b'{"seq":0,'), "of a line that has none"),
                           (good.replace(b'"salt"', b'"sale"'), "no text of an audit log")):
            assert bad != good
            rewrite(path, bad)
            status, said = verify(state)
            assert status == 1 and found in said, (found, said)
        rewrite(path, good)
        assert verify(state)[0] == 0


def test_lines_fit_their_schema():
    try:
        import jsonschema
    except ImportError:
        raise tap.Skip("python3-jsonschema is not here") from None
    with open(os.path.join(OPTIONS["source"], "docs", "audit.schema.json"), encoding="utf-8") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    with folder() as state, Private(state) as d:
        d.upload("a.safetensors", "acme")
        for line in lines(state):
            assert not list(validator.iter_errors(line)), (line, list(validator.iter_errors(line)))


def test_what_is_erased_is_gone_and_the_chain_is_whole():
    with folder() as state, Private(state) as d:
        for name, tenant in (("salaries", "acme"), ("other", "acme"), ("other", "globex")):
            d.upload(name, tenant)
        size = os.path.getsize(texts(state)[0])
        assert run("erase", "--tenant", "acme", "--name", "other", *texts(state)) == (0, "1 texts erased\n")
        assert run("erase", "--tenant", "acme", *texts(state)) == (0, "1 texts erased\n")
        assert b"acme" not in raw(texts(state)) and b"globex" in raw(texts(state))
        assert os.path.getsize(texts(state)[0]) == size
        d.upload("salaries", "acme")  # the daemon goes on, in the same file
        status, said = verify(state)
        assert status == 0 and "2 of 4 texts are there, as they were written; 2 are gone" in said, said
        assert [json.loads(line)["seq"] for line in raw(texts(state)).splitlines()] == [1, 2, 3, 4]
        with open(texts(state)[0], "ab") as f:
            f.write(b"what is this\n")
        status, said = run("erase", "--tenant", "globex", *texts(state))
        assert status == 2 and "1 texts erased" in said and "1 lines are no texts" in said, said
        os.unlink(texts(state)[0])
        assert run("verify", f"{state}/audit.jsonl")[0] == 0
        assert run("erase", "--tenant", "acme", f"{state}/audit.jsonl")[0] == 4
        assert run("erase", *texts(state))[0] == run("erase", "--tenant", "a")[0] == 4


def test_texts_go_when_their_days_are_over():
    today = datetime.datetime.now(datetime.timezone.utc).date()
    with folder() as state:
        for days in (31, 30, 28, 4000):  # at midnight today may be yesterday
            with open(f"{state}/texts-{today - datetime.timedelta(days=days)}.jsonl", "wb") as f:
                f.write(b'{"seq":0}\n')
        with open(f"{state}/texts-of-somebody-else.jsonl", "wb") as f:
            f.write(b"x")
        with Private(state) as d:
            d.upload("a", "acme")
            left = [os.path.basename(p) for p in texts(state)]
            assert f"texts-{today - datetime.timedelta(days=28)}.jsonl" in left and len(left) == 3, left
            assert "texts-of-somebody-else.jsonl" in left


def test_a_text_whose_line_was_lost_and_a_torn_one_go_at_the_next_start():
    with folder() as state:
        with Private(state) as d:
            d.upload("a", "acme")
        path, = texts(state)
        kept = raw([path])
        with open(path, "ab") as f:
            f.write(kept.replace(b'"seq":1', b'"seq":2') + kept.replace(b'"seq":1', b'"seq":3') + kept[:30])
        with Private(state) as d:
            assert raw([path]) == kept
            d.upload("b", "acme")
            assert raw([path]).count(b"\n") == 2
            status, said = verify(state)
            assert status == 0 and "2 of 2 texts" in said, said


def test_where_a_text_cannot_be_kept_the_verdict_is_not_given():
    today = datetime.datetime.now(datetime.timezone.utc).date()
    with folder() as state, Private(state) as d:
        for day in (today, today + datetime.timedelta(days=1)):
            os.mkdir(f"{state}/texts-{day}.jsonl")
        d.upload("a", "acme", ok=507)
        for day in (today, today + datetime.timedelta(days=1)):
            os.rmdir(f"{state}/texts-{day}.jsonl")
        d.upload("b", "acme")
        status, said = verify(state)
        assert status == 0 and "1 of 2 texts" in said, said


def test_a_report_nobody_asked_for_in_days_goes():
    with folder() as state, Private(state, "store: on\nstore_days: 7\n") as d:
        def rows():
            with contextlib.closing(sqlite3.connect(f"{state}/verdicts.sqlite", timeout=60)) as db:
                return db.execute("SELECT used_day FROM verdicts").fetchall()
        d.upload("a", "acme")
        assert until(lambda: len(rows()) == 1)
        d.stop()
        with contextlib.closing(sqlite3.connect(f"{state}/verdicts.sqlite")) as db:
            db.execute("UPDATE verdicts SET used_day = used_day - 7")
            db.commit()
        with Private(state, "store: on\nstore_days: 7\n") as again:  # though nobody asks for anything
            assert until(lambda: "1 reports that nobody asked for in 7 days are gone" in again.read_log()), again.read_log()
            assert rows() == []


def test_a_key_that_is_none_and_texts_without_one_are_refused():
    with folder() as state:
        key = f"{state}/key"
        for mode, text, more, found in ((0o644, SECRET, f"pseudonym_key: {key}\n", "others may not read"),
                                        (0o600, b"short", f"pseudonym_key: {key}\n", "16 to 4096 bytes"),
                                        (0o600, SECRET, f"pseudonym_key: {key}x\n", "No such file"),
                                        (0o600, SECRET, "audit_texts_days: 1\n", "needs a pseudonym_key")):
            with open(key, "wb") as f:
                os.fchmod(f.fileno(), mode)
                f.write(text)
            with open(f"{state}/c.yaml", "w", encoding="utf-8") as f:
                f.write(more)
            done = subprocess.run([OPTIONS["weighlockd"], "--check-config", "--config", f"{state}/c.yaml"],
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            assert done.returncode == 4 and found in done.stderr, (found, done.stderr)
            if found != "needs a pseudonym_key" and "No such" not in found:
                assert run("pseudonym", "--key", key, "x")[0] == 4


tap.main(globals(), at_once=4)
