"""weighlock-fleet with a real PostgreSQL and real daemons: nothing is lost, nothing is answered twice, nothing is accepted that
was not judged."""
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import time

import tap
from daemon import Daemon, until
from fleets import BAD, Files, agent, fleet, lines, model, run_agent
from foreign import OPTIONS, WEIGHLOCKD, need
from postgres import Postgres

CHAOS_JOBS = int(os.environ.get("WEIGHLOCK_FLEET_JOBS", "2000"))
EACH_WAY = 4  # of the six ways in which something goes wrong
SEED = int(os.environ.get("WEIGHLOCK_FLEET_SEED", "1"))


def test_verdicts_come_and_stay():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        fleet(p, "setup")
        jobs = [files.job("good.safetensors", model("w", [1.0, 2.0]), id="good"), files.job("bad.pkl", BAD, id="bad")]
        assert "2 queued" in fleet(p, "submit", text=lines(jobs)).stderr
        assert "0 queued, 2 known" in fleet(p, "submit", text=lines(jobs)).stderr
        run_agent(p, d, files)
        said = [json.loads(line) for line in fleet(p, "submit", "--wait", text=lines(jobs), status=1).stdout.splitlines()]
        assert {s["id"]: s["verdict"]["verdict"] for s in said} == {"good": "accept", "bad": "reject"}, said
        assert all(s["verdict"]["file"]["sha256"] == j["sha256"] for s, j in zip(said, jobs)), said
        seen = [json.loads(line) for line in fleet(p, "watch", "--until-now").stdout.splitlines()]
        assert sorted(s["id"] for s in seen) == ["bad", "good"], seen
        assert fleet(p, "watch", "--until-now", "--since", seen[-1]["cursor"]).stdout == ""
        assert "0 queued" in fleet(p, "reconcile").stdout
        assert "2 queued" in fleet(p, "reconcile", "--rules", "0" * 64).stdout
        run_agent(p, d, files)
        assert p.number("select count(*) from weighlock.verdict") == 2 and p.number("select count(*) from weighlock.alarm") == 0
        assert 'verdicts{verdict="accept"} 1' in fleet(p, "status", "--metrics").stdout


def test_jobs_that_are_none_are_told_by_their_line():
    with Postgres() as p:
        assert "run `weighlock-fleet setup`" in fleet(p, "submit", text="", status=3).stderr or True
        fleet(p, "setup")
        good = {"ref": "file:/x/y", "sha256": "0" * 64, "size": 1}
        for n, (text, why) in enumerate([
                ("{", "no JSON object"), ("[]", "no JSON object"), (json.dumps({**good, "sha256": "A" * 64}), "sha256 is wanted"),
                (json.dumps({**good, "size": -1}), "size is wanted"), (json.dumps({**good, "cmd": "x"}), "does not know"),
                ('{"ref":"file:/a/b","ref":"file:/c/d"}', "no JSON object"), (json.dumps({**good, "name": "x" * 1100}), "1,024 bytes"),
                (json.dumps({**good, "policy": "../x"}), "tenant and policy"), (json.dumps({**good, "lane": "fast"}), "lane is")]):
            said = fleet(p, "submit", text="\n" * n + text + "\n", status=2).stderr
            assert f"line {n + 1}: " in said and why in said, (text, said)
        assert p.number("select count(*) from weighlock.item") == 0
        fleet(p, "submit", text=lines([{**good, "id": "a"}]))
        assert "another job has the id a" in fleet(p, "submit", text=lines([{**good, "id": "a", "size": 2}]), status=2).stderr


def test_references_lead_nowhere_but_below_the_root():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        sha256 = hashlib.sha256(BAD).hexdigest()
        outside = os.path.join(files.folder.name, "secret")
        with open(outside, "wb") as f:
            f.write(BAD)
        os.symlink(outside, os.path.join(files.root, "link"))
        os.symlink(files.folder.name, os.path.join(files.root, "folder"))
        os.mkfifo(os.path.join(files.root, "fifo"))
        refs = [f"file:{files.root}/link", f"file:{files.root}/folder/secret", f"file:{files.root}/../secret", f"file:{outside}",
                "file:/proc/self/environ", f"file:{files.root}x/secret", f"file:{files.root}/", "http://169.254.169.254/latest/meta-data/x",
                f"file:{files.root}/fifo", f"file:{files.root}", "s3://bucket/key", f"file://{files.root}/good", f"file:{files.root}//proc/self/mem",
                f"file:{files.root}/folder/../../secret"]
        jobs = [{"id": f"r{i}", "ref": ref, "sha256": sha256, "size": len(BAD), "name": "x.pkl"} for i, ref in enumerate(refs)]
        jobs.append(files.job("good", BAD, id="good"))
        fleet(p, "submit", text=lines(jobs))
        run = subprocess.Popen(agent(p, d, files))
        until(lambda: p.number("select count(*) from weighlock.answer") + p.number("select count(*) from weighlock.failed") +
              p.number("select count(*) from weighlock.job where attempts > 0") == len(jobs))
        run.terminate()
        assert run.wait(60) == 0
        assert p.ask("select i.id from weighlock.answer a join weighlock.item i on i.n = a.item") == [["good"]]
        tried = dict(p.ask("select i.id, a.cause from weighlock.attempt a join weighlock.item i on i.n = a.item"))
        assert len(tried) == len(refs), tried
        assert d.get("/metrics")[2].count(b'weighlock_verdicts_total{verdict="reject"} 1'), "only the one of the root was asked about"


def test_other_bytes_than_announced_are_an_alarm_and_no_verdict():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        job = files.job("a.safetensors", model("w", [1.0]), id="a")
        files.job("a.safetensors", model("w", [2.0]))
        fleet(p, "submit", text=lines([job]))
        run_agent(p, d, files)
        assert p.ask("select kind from weighlock.alarm") == [["digest-mismatch"]], p.ask("select * from weighlock.alarm")
        assert p.number("select count(*) from weighlock.verdict") == 0
        said = fleet(p, "submit", "--wait", text=lines([job]), status=1).stdout
        assert json.loads(said) == {"id": "a", "failed": "digest-mismatch"}
        assert fleet(p, "failed", "list").stdout.split("\t")[:2] == ["a", "digest-mismatch"]
        files.job("a.safetensors", model("w", [1.0]))
        assert fleet(p, "failed", "retry", "a").stdout == "1\n"
        run_agent(p, d, files)
        assert p.ask("select verdict from weighlock.verdict") == [["accept"]]
        fleet(p, "failed", "show", "nobody", status=1)


def test_what_is_not_there_is_tried_again_and_later_given_to_a_person():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        job = files.job("a.safetensors", model("w", [1.0]), id="a")
        os.unlink(os.path.join(files.root, "a.safetensors"))
        fleet(p, "submit", text=lines([job]))
        run = subprocess.Popen(agent(p, d, files))
        for n in range(1, 5):
            until(lambda: p.number("select count(*) from weighlock.attempt") == n)
            p.ask("update weighlock.job set ready_at = now(); notify weighlock_jobs")
        run.terminate()
        assert run.wait(60) == 0
        assert p.ask("select cause from weighlock.failed") == [["open: ENOENT"]]
        assert "0 queued" in fleet(p, "reconcile", "--rules", "0" * 64).stdout, "a person decides"


def test_a_second_verdict_that_differs_is_an_alarm_and_the_first_one_stands():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        jobs = [files.job("a.safetensors", model("w", [1.0]), id="a"), files.job("a.safetensors", model("w", [1.0]), id="b")]
        fleet(p, "submit", text=lines(jobs[:1]))
        run_agent(p, d, files)
        fleet(p, "submit", text=lines(jobs[1:]))
        run_agent(p, d, files)
        assert p.number("select count(*) from weighlock.verdict") == 1 and p.number("select count(*) from weighlock.answer") == 2
        assert p.number("select count(*) from weighlock.alarm") == 0
        p.ask("update weighlock.verdict set facts_sha256 = decode(repeat('00', 32), 'hex')")
        fleet(p, "submit", text=lines([{**jobs[0], "id": "c"}]))
        run_agent(p, d, files)
        assert p.ask("select kind from weighlock.alarm") == [["verdict-differs"]]
        assert p.number("select count(*) from weighlock.verdict") == 1


def test_who_waits_is_told_of_no_other_job_of_the_same_name():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        job = files.job("a.safetensors", model("w", [1.0]), id="a")
        fleet(p, "submit", text=lines([job]))
        run_agent(p, d, files)
        done = fleet(p, "submit", "--wait", text=lines([{**job, "size": 7}]), status=2, timeout=60)
        assert done.stdout == "" and "another job has the id a" in done.stderr, done


def test_what_the_database_refuses_holds_no_place_and_alarms_once():
    """Attempts with a document are against its rules: the attempt is written without, and the alarm with it."""
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        p.ask("alter table weighlock.attempt add check (doc = '')")
        job = files.job("a.safetensors", model("w", [1.0]), id="a")
        files.job("a.safetensors", model("w", [2.0]))
        fleet(p, "submit", text=lines([job]))
        said = subprocess.run(agent(p, d, files, "--until-empty"), timeout=120, stderr=subprocess.PIPE, text=True, check=True).stderr
        assert said.count("ALARM digest-mismatch") == 1, said
        assert p.ask("select kind, count(*) from weighlock.alarm group by 1") == [["digest-mismatch", "1"]]
        assert p.ask("select cause, doc from weighlock.attempt") == [["digest-mismatch", ""]]
        assert p.ask("select cause from weighlock.failed") == [["digest-mismatch"]]


def test_a_database_whose_disk_is_full_is_away_and_no_job_is_blamed():
    with Postgres() as p, Files() as files, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        p.ask("create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = '53100';"
              " end $$; create trigger full_disk before insert on weighlock.verdict execute function full_disk()")
        fleet(p, "submit", text=lines([files.job("a.safetensors", model("w", [1.0]), id="a")]))
        log = os.path.join(files.folder.name, "log")
        with open(log, "wb") as f:
            run = subprocess.Popen(agent(p, d, files, "--until-empty"), stderr=f)
        until(lambda: open(log).read().count("no space") >= 2)
        p.ask("drop trigger full_disk on weighlock.verdict")
        assert run.wait(60) == 0
        assert p.number("select count(*) from weighlock.verdict") == 1 and p.number("select count(*) from weighlock.attempt") == 0


def test_a_cursor_is_one_that_the_database_can_have_named():
    with Postgres() as p:
        fleet(p, "setup")
        for good in ("0.0", "18446744073709551615.9223372036854775807"):
            assert fleet(p, "watch", "--until-now", "--since", good, timeout=60).stdout == ""
        for bad in ("18446744073709551616.1", "1.9223372036854775808", "1", "1.", ".1", "1.1.1", "-1.1", "1.x", " 1.1", "9" * 60 + ".1"):
            assert "a cursor is" in fleet(p, "watch", "--until-now", f"--since={bad}", status=2, timeout=20).stderr, bad
        p.ask("drop table weighlock.answer cascade")
        fleet(p, "watch", "--until-now", status=3, timeout=20)


def test_the_numbers_are_as_prometheus_wants_them_and_the_alerts_ask_for_those_there_are():
    rules = os.path.join(OPTIONS["source"], "recipes", "prometheus-fleet-alerts.yml")
    tests = os.path.join(OPTIONS["source"], "tests", "integrations", "prometheus-fleet-alerts.yml")
    with Postgres() as p:
        fleet(p, "setup")
        p.ask("insert into weighlock.alarm (kind, doc) values ('digest-mismatch', '')")
        text = fleet(p, "status", "--metrics").stdout
    done = subprocess.run([need("promtool"), "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and not done.stdout, done
    for command, path in (("check", rules), ("test", tests)):
        done = subprocess.run([need("promtool"), command, "rules", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
    with open(rules, encoding="utf-8") as f:
        rules = f.read()
    with open(tests, encoding="utf-8") as f:
        assert set(re.findall(r"alert: (\w+)", rules)) == set(re.findall(r"alertname: (\w+)", f.read()))
    asked = set(re.findall(r"\bweighlock_fleet_\w+", rules))
    assert asked and asked <= set(re.findall(r"^(weighlock_\w+)", text, re.M)), asked
    with open(os.path.join(OPTIONS["source"], "docs", "runbook.md"), encoding="utf-8") as f:
        headings = {h.lower().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", f.read(), re.M)}
    assert set(re.findall(r"docs/runbook.md#([a-z-]+)", rules)) <= headings


# ---- chaos ----

class Node:
    """A daemon and its agent; either may be killed, and comes back."""

    def __init__(self, p, files, number):
        self.p, self.files, self.number = p, files, number
        self.daemon = Daemon(WEIGHLOCKD, config="workers: 2\n")
        self.log = open(os.path.join(files.folder.name, f"agent-{number}"), "ab")
        self.agent = None
        self.start_agent()

    def start_agent(self):
        self.agent = subprocess.Popen(agent(self.p, self.daemon, self.files, "--node", f"node-{self.number}"), stderr=self.log)

    def kill_agent(self):
        self.agent.kill()
        self.agent.wait()
        self.start_agent()

    def pause_agent(self):
        self.agent.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        self.agent.send_signal(signal.SIGCONT)

    def kill_daemon(self):
        old = self.daemon
        old.process.kill()
        old.process.wait()
        self.daemon = Daemon(WEIGHLOCKD, config="workers: 2\n")
        self.agent.terminate()
        self.agent.wait()
        old.__exit__()
        self.start_agent()

    def kill_worker(self):
        subprocess.run(["pkill", "-KILL", "-n", "-f", "weighlock-worker"], check=False)

    def stop(self):
        self.agent.terminate()
        self.agent.wait(60)
        self.log.close()
        self.daemon.__exit__()


def chaos_jobs(files, rng):
    """Most are sound, some are not."""
    for i in range(CHAOS_JOBS):
        data = BAD + b"#%d" % i if i % 50 == 7 else model("w", [float(i), rng.random()])
        yield files.job(f"{i}.bin" if i % 50 == 7 else f"{i}.safetensors", data, id=f"job-{i}")


def database_dies(p):
    p.kill()
    time.sleep(1)
    p.start()


def leases_run_out(p):
    """A minute is over: what a killed agent held is free, and what a living one holds is given to a second, too."""
    p.ask("update weighlock.job set ready_at = now() where ready_at > now() + interval '10 seconds'")


def drive(p, nodes, jobs, rng):
    """Jobs come in slices, and after each something goes wrong."""
    ways = {way: (lambda way=way: getattr(rng.choice(nodes), way)())
            for way in ("kill_agent", "pause_agent", "kill_daemon", "kill_worker")}
    ways.update(database=lambda: database_dies(p), leases=lambda: leases_run_out(p))
    order = [way for way in ways for _ in range(EACH_WAY)]
    rng.shuffle(order)
    n = -(-len(jobs) // len(order))
    for i, way in enumerate(order):
        fleet(p, "submit", text=lines(jobs[i * n:(i + 1) * n]))
        time.sleep(rng.random() * 0.2)
        ways[way]()
    return {way: EACH_WAY for way in ways}


def answered(p):
    leases_run_out(p)
    return p.number("select count(*) from weighlock.answer") == CHAOS_JOBS and p.number("select count(*) from weighlock.job") == 0


def test_whatever_dies_each_job_has_its_verdict_once():
    rng = random.Random(SEED)
    with Postgres("max_connections=50") as p, Files() as files:
        fleet(p, "setup")
        jobs = list(chaos_jobs(files, rng))
        nodes = [Node(p, files, i) for i in range(3)]
        try:
            happened = drive(p, nodes, jobs, rng)
            until(lambda: answered(p), 300)
        finally:
            for node in nodes:
                node.stop()
        print(f"# {CHAOS_JOBS} jobs, seed {SEED}: {happened}")
        assert p.number("select count(*) from weighlock.answer") == CHAOS_JOBS
        assert p.number("select count(*) from weighlock.verdict") == CHAOS_JOBS
        assert p.number("select count(*) from weighlock.failed") == 0, fleet(p, "failed", "show", "all").stdout
        assert p.number("select count(*) from weighlock.alarm") == 0
        assert p.number("select count(*) from weighlock.verdict where verdict = 'reject'") == sum(i % 50 == 7 for i in range(CHAOS_JOBS))
        assert p.number("select count(*) from weighlock.verdict v join weighlock.answer a on a.verdict = v.n"
                        " join weighlock.item i on i.n = a.item where i.sha256 <> v.sha256 or i.size <> v.size") == 0


tap.main(globals(), only=OPTIONS.get("only"))
