"""`weighlock scan --db`, and `weighlock report`: what is remembered, what is judged again, and that nothing is lost or stale."""
import csv
import io
import json
import mmap
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

import tap
from fixtures import NAN, OPTIONS, WEIGHLOCK, environment, safetensors, write
from models import sharded, weights

ROOT = tempfile.mkdtemp(prefix="weighlock-db-")
VALUES = {-1: None, 0: "accept", 1: "review", 2: "error", 3: "reject"}
SETTLED = os.path.join(OPTIONS["corpus"], "sets/files")  # nobody has touched it for two seconds
TELLS_OF_STORES = subprocess.run(["stat", "-f", "-c", "%t", ROOT], stdout=subprocess.PIPE, check=True).stdout.strip() in (
    b"ef53", b"58465342", b"9123683e", b"f2f52010")
QUIET = ("--no-progress", "--allow-empty")


def run(*arguments):
    done = subprocess.run([WEIGHLOCK, *arguments], cwd=ROOT, env=environment(), timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode in (0, 1, 2), (arguments, done)
    return done


def scan(*arguments):
    """name -> (verdict, codes), of those that were told."""
    done = run("scan", *QUIET, "--format", "json", *arguments)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {name_of(v): (v["verdict"], sorted({f["code"] for f in v.get("findings", [])})) for v in told}, done.returncode


def name_of(verdict):
    return verdict["file"]["name"] if "file" in verdict else verdict["name"] + "/"


def kept(db):
    """The same, of those that are remembered, by what their paths are below ROOT or absolutely."""
    with sqlite3.connect(os.path.join(ROOT, db)) as c:
        rows = [(path.decode(), value, codes) for path, value, codes in c.execute("SELECT path, value, codes FROM files")]
        rows += [(path.decode() + "/", value, codes) for path, value, codes in c.execute("SELECT path, value, codes FROM sets WHERE value >= 0")]
    c.close()
    return {p.removeprefix(os.path.realpath(ROOT) + "/"): (VALUES[value], sorted(codes.split())) for p, value, codes in rows}


def change(db, sql):
    with sqlite3.connect(os.path.join(ROOT, db)) as c:
        assert c.execute(sql).rowcount > 0
    c.close()


def settle(db):
    """As if two seconds had passed before the scan."""
    change(db, "UPDATE files SET settled = 1")


def folder(name):
    path = os.path.join(ROOT, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def files(name, n):
    path = folder(name)
    for i in range(5):
        os.makedirs(os.path.join(path, f"d{i}"))
    for i in range(n):
        body = safetensors(shape=(i % 7 + 1,))
        write(os.path.join(path, f"d{i % 5}", f"{i:04}.safetensors"), body[:-1] if i % 11 == 0 else body)
    return path


def dump(db):
    """All that is a function of the files: not when."""
    with sqlite3.connect(os.path.join(ROOT, db)) as c:
        rows = c.execute("SELECT path, size, sha256, question, reader, chosen, idle, again, facts, reported, judge, value, format, "
                         "codes, substr(entry, 23) FROM files LEFT JOIN reports USING (id) ORDER BY path").fetchall()
        sets = c.execute("SELECT path, members, judge, value, codes FROM sets ORDER BY path").fetchall()
        left = c.execute("SELECT count(*) FROM reports WHERE id NOT IN (SELECT id FROM files)").fetchone()
    c.close()
    return rows, sets, left


# ---- nothing is lost ----

def test_killed_again_and_again_it_comes_to_what_it_would_have_come_to_undisturbed():
    files("many", 700)
    scan("--db", "whole.db", "many")
    dice = random.Random(20)
    for _ in range(20):
        process = subprocess.Popen([WEIGHLOCK, "scan", *QUIET, "--format", "json", "--db", "killed.db", "many"], cwd=ROOT,
                                   env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = dice.randrange(400)
        told = sum(1 for _ in zip(range(lines), process.stdout))
        process.send_signal(signal.SIGKILL if dice.random() < 0.7 else signal.SIGINT)
        process.stdout.close()
        process.wait()
        if os.path.exists(os.path.join(ROOT, "killed.db")) and told >= 300:
            with sqlite3.connect(os.path.join(ROOT, "killed.db")) as c:
                left = c.execute("SELECT count(*) FROM files").fetchone()[0]
            c.close()
            assert left >= told - 256, (left, told)  # no more than a batch is lost
    scan("--db", "killed.db", "many")
    change("killed.db", "UPDATE files SET settled = 0")
    change("whole.db", "UPDATE files SET settled = 0")
    assert dump("killed.db") == dump("whole.db")


def test_what_is_the_same_is_not_judged_again_and_counts_all_the_same():
    first, code = scan("--db", "same.db", SETTLED)
    plain, plain_code = scan(SETTLED)
    assert first == plain and code == plain_code and len(first) > 300
    again, code = scan("--db", "same.db", SETTLED)
    assert code == plain_code and {v for v, _ in again.values()} == {"error"}, again  # attempts are no rows
    told = run("scan", "--no-progress", "--db", "same.db", SETTLED).stdout.splitlines()
    assert any("judged before and the same" in line for line in told), told[-3:]


def test_another_policy_judges_what_is_remembered():
    scan("--db", "policy.db", SETTLED)
    told = run("scan", *QUIET, "--format", "json", "--db", "policy.db", "--policy", "strict", SETTLED).stdout.splitlines()
    files_told = [v for v in map(json.loads, told) if "file" in v and v["verdict"] != "error"]
    assert files_told and all(v["scan"].get("cached") for v in files_told)
    strict, _ = scan("--policy", "strict", SETTLED)
    remembered = kept("policy.db")
    strict = {k if k.startswith("/") else os.path.join(os.path.realpath(ROOT), k): v for k, v in strict.items()}
    assert remembered == strict, [(k, remembered.get(k), strict.get(k)) for k in remembered.keys() | strict.keys()
                                  if remembered.get(k) != strict.get(k)][:3]


def test_a_rule_that_matches_a_path_is_asked_about_the_path_that_was_given():
    write(os.path.join(folder("research"), "nan.safetensors"), NAN)
    write(os.path.join(ROOT, "paths.yaml"), b"""version: 1
rules:
  - {code: weights-nan, path: "research/*", action: accept, reason: known, expires: 2126-01-01}
""")
    policy = ("--policy", os.path.join(ROOT, "paths.yaml"))
    assert scan("--db", "paths.db", *policy, "research")[1] == 0
    settle("paths.db")
    assert run("scan", *QUIET, "--db", "paths.db", *policy, "research").returncode == 0
    told, code = scan("--db", "paths.db", *policy, os.path.join(ROOT, "research"))
    assert code == 1 and [v for v, _ in told.values()] == ["review"], told


# ---- what is judged again ----

def test_what_is_new_changed_or_gone():
    path = files("changing", 10)
    scan("--db", "changing.db", "changing")
    settle("changing.db")
    assert scan("--db", "changing.db", "changing")[0] == {}
    one = os.path.join(path, "d1/0001.safetensors")
    before = os.stat(one)
    with open(one, "r+b") as f:  # as long as it was
        f.write(b"\xff" * 8)
    os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))  # and as old
    write(os.path.join(path, "d3/new.safetensors"), safetensors())
    os.unlink(os.path.join(path, "d2/0002.safetensors"))
    told, _ = scan("--db", "changing.db", "changing")
    assert {k for k in told if not k.endswith("/")} == {"changing/d1/0001.safetensors", "changing/d3/new.safetensors"}, told
    assert told["changing/d1/0001.safetensors"][0] == "reject"
    assert kept("changing.db") == {k: v for k, v in scan("changing")[0].items()}
    told = run("report", "--format", "json", "--since", "2000-01-01", "changing.db")
    changes = {os.path.basename(c["path"]): (c["was"], c["verdict"]) for c in json.loads(told.stdout)["changes"]}
    assert changes["0001.safetensors"] == ("accept", "reject") and changes["new.safetensors"] == ("", "accept"), changes


def test_a_change_of_these_two_seconds_is_not_believed():
    files("fresh", 2)
    scan("--db", "fresh.db", "fresh")
    with sqlite3.connect(os.path.join(ROOT, "fresh.db")) as c:
        for settled, ctime in c.execute("SELECT settled, ctime FROM files"):
            assert not settled or time.time_ns() - ctime >= 2_000_000_000
    c.close()
    change("fresh.db", "UPDATE files SET settled = 0")
    assert len(scan("--db", "fresh.db", "fresh")[0]) == 2


def stored_through_a_mapping(name, path):
    """A page that is dirty already takes a store without telling the inode."""
    write(path, safetensors())
    with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
        m[-1] = m[-1]
        assert scan("--db", name, path)[1] == 0
        settle(name)
        m[:8] = b"\xff" * 8
        told, code = scan("--db", name, path)
    assert code == 1 and [v for v, _ in told.values()] == ["reject"], told


def test_a_store_through_a_mapping_that_was_there_before_is_seen():
    stored_through_a_mapping("mapped.db", os.path.join(folder("mapped"), "one.safetensors"))


def test_a_file_system_whose_inodes_tell_nothing_of_stores_is_asked_for_digests():
    if not os.access("/dev/shm", os.W_OK):
        raise tap.Skip("no tmpfs")
    with tempfile.TemporaryDirectory(prefix="weighlock-db-", dir="/dev/shm") as path:
        path = os.path.join(path, "one.safetensors")
        stored_through_a_mapping("memory.db", path)
        write(path, safetensors())
        scan("--db", "memory.db", path)
        settle("memory.db")
        assert scan("--db", "memory.db", path)[0] == {}


def test_a_path_too_long_to_be_remembered_is_its_own_trouble():
    files("long", 3)
    deep = os.open(os.path.join(ROOT, "long"), os.O_RDONLY)
    for _ in range(53):
        os.mkdir("f" * 250, dir_fd=deep)
        deep, last = os.open("f" * 250, os.O_RDONLY, dir_fd=deep), deep
        os.close(last)
        with os.fdopen(os.open("m.safetensors", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=deep), "wb") as f:
            f.write(safetensors())
    os.close(deep)
    told, code = scan("--db", "long.db", "long")
    errors = [name for name, (verdict, _) in told.items() if verdict == "error"]
    assert code == 1 and len(told) == 56 and len(errors) == 5 and min(map(len, errors)) > 12287, (code, len(told), len(errors))
    settle("long.db")
    assert len(scan("--db", "long.db", "long")[0]) == 5
    shutil.rmtree(os.path.join(ROOT, "long", "f" * 250))


def test_verify_hashes_what_seems_the_same():
    files("hashed", 3)
    scan("--db", "hashed.db", "hashed")
    settle("hashed.db")
    assert scan("--db", "hashed.db", "--verify", "hashed")[0] == {}
    write(os.path.join(ROOT, "hashed/d1/0001.safetensors"), safetensors(shape=(3,)))
    st = os.stat(os.path.join(ROOT, "hashed/d1/0001.safetensors"))
    change("hashed.db", f"UPDATE files SET inode = {st.st_ino}, size = {st.st_size}, mtime = {st.st_mtime_ns}, "
                        f"ctime = {st.st_ctime_ns} WHERE CAST(path AS TEXT) LIKE '%0001.safetensors'")  # a clock that was set back
    assert scan("--db", "hashed.db", "hashed")[0] == {} or not TELLS_OF_STORES
    assert list(scan("--db", "hashed.db", "--verify", "hashed")[0]) == ["hashed/d1/0001.safetensors"]


def test_outdated_looks_only_at_what_newer_rules_could_judge_otherwise():
    path = files("outdated", 6)
    scan("--db", "outdated.db", "outdated")
    settle("outdated.db")
    write(os.path.join(path, "new.safetensors"), safetensors())
    assert scan("--db", "outdated.db", "--outdated", "outdated")[0] == {}
    change("outdated.db", "UPDATE files SET facts = facts + 1 WHERE CAST(path AS TEXT) LIKE '%0003.safetensors'")
    assert list(scan("--db", "outdated.db", "--outdated", "outdated")[0]) == ["outdated/d3/0003.safetensors"]
    assert scan("--db", "outdated.db", "--outdated", "outdated")[0] == {}
    settle("outdated.db")
    assert list(scan("--db", "outdated.db", "outdated")[0]) == ["outdated/new.safetensors"]


def test_a_set_is_judged_again_with_one_of_its_members():
    sharded(folder("set"), weights(6), 3)
    assert scan("--db", "set.db", "set")[0]["set/"][0] == "accept"
    settle("set.db")
    assert scan("--db", "set.db", "set")[0] == {}
    os.unlink(os.path.join(ROOT, "set/model-00002-of-00003.safetensors"))
    told, code = scan("--db", "set.db", "set")
    assert told == {"set/": scan("set")[0]["set/"]} and code == 1, told  # out of what is remembered of the others


# ---- the report, and the command line ----

def test_a_report_counts_and_lists():
    files("counted", 22)
    plain, _ = scan("--db", "counted.db", "counted")
    done = json.loads(run("report", "--format", "json", "counted.db").stdout)
    assert done["files"] == {"accept": 20, "reject": 2} and done["formats"] == {"safetensors": done["files"]}, done
    assert sum(n for counts in done["folders"].values() for n in counts.values()) == 22 and len(done["folders"]) == 5
    assert set(done["codes"]) == {code for _, codes in plain.values() for code in codes} and done["changes"] == []
    try:
        import jsonschema
        with open(os.path.join(os.path.dirname(OPTIONS["schema"]), "report.schema.json"), encoding="utf-8") as f:
            jsonschema.validate(json.loads(run("report", "--format", "json", "--since", "2000-01-01", "counted.db").stdout), json.load(f))
    except ImportError:
        pass
    rows = list(csv.DictReader(io.StringIO(run("report", "--format", "csv", "counted.db").stdout)))
    assert len(rows) == 22 and {r["verdict"] for r in rows} == {"accept", "reject"} and all(len(r["sha256"]) == 64 for r in rows)
    text = run("report", "--since", "2000-01-01", "counted.db").stdout
    assert "22 changed since 2000-01-01" in text and "safetensors" in text, text
    assert list(csv.DictReader(io.StringIO(run("report", "--format", "csv", "--since", "2999-01-01", "counted.db").stdout))) == []


def test_what_is_no_such_database_is_refused_and_left_alone():
    write(os.path.join(ROOT, "other.db"), b"something else")
    for arguments in (("scan", "--db", "other.db", "."), ("report", "other.db")):
        assert run(*arguments).returncode == 2
    with open(os.path.join(ROOT, "other.db"), "rb") as f:
        assert f.read() == b"something else"


def test_the_database_is_not_scanned_itself():
    files("own", 2)
    told, _ = scan("--db", "own/the.db", "own")
    assert len(told) == 2 and len(kept("own/the.db")) == 2, told


def test_a_policy_can_be_tried_on_what_is_remembered():
    write(os.path.join(folder("tried"), "nan.safetensors"), NAN)
    write(os.path.join(ROOT, "tried", "m.pkl"), b"\x80\x02csklearn.linear_model._base\nLinearRegression\n)\x81.")
    write(os.path.join(ROOT, "tried", "good.safetensors"), safetensors())
    scan("--db", "tried.db", "tried")
    before = kept("tried.db")
    done = run("policy", "try", "strict", "--against", "tried.db")
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == "1 the same, 2 changed; 2 review -> reject", done
    done = run("policy", "try", "--pack", "sklearn", "default", "--against", "tried.db")
    assert done.returncode == 2 and done.stdout == "2 the same, 0 changed, 1 not tried\n", done
    change("tried.db", "UPDATE files SET facts = facts + 1 WHERE CAST(path AS TEXT) LIKE '%.safetensors'")
    done = run("policy", "try", "default", "--against", "tried.db")
    assert done.stdout == "1 the same, 0 changed, 2 not tried\n" and "reports of other rules" in done.stderr, done
    assert kept("tried.db") == before, "it only reads"


try:
    tap.main(globals())
finally:
    shutil.rmtree(ROOT, ignore_errors=True)
