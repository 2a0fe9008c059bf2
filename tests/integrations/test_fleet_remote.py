"""weighlock-fleet with files that are elsewhere: buckets and hosts of a real TLS server on loopback, whose objects change, vanish and
lie; and jobs that would lead an agent where nobody wants it."""
import glob
import hashlib
import hmac
import json
import os
import subprocess
import time

import tap
from daemon import Daemon, until
from fleets import BAD, FLEET, Files, fleet, lines, model, run_agent
from foreign import OPTIONS, WEIGHLOCKD
from objects import REGION, Objects
from postgres import Postgres

N_OBJECTS = int(os.environ.get("WEIGHLOCK_FLEET_OBJECTS", "200"))
LARGE_BYTES = int(os.environ.get("WEIGHLOCK_FLEET_LARGE_MIB", "64")) << 20
NEAR = ["--allow-net", "127.0.0.0/8", "--allow-net", "::1/128"]


def agent(p, d, o, *more):
    return [FLEET, "--database", p.conninfo, "agent", "--socket", d.socket, "--ca", o.ca, *more]


def bucket(o, *more):
    return ["--s3", o.host, "--s3-region", REGION, "--s3-credentials", o.credentials(), *NEAR, *more]


def run(p, d, o, *more):
    done = subprocess.run(agent(p, d, o, "--until-empty", *more), timeout=500, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done
    return done.stderr


def job_of(ref, data, **more):
    return {"ref": ref, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data), **more}


def put(o, key, data, **more):
    o.content[f"/bucket/{key}"] = data
    return job_of(f"s3://bucket/{key}", data, **more)


def causes(p):
    return dict(p.ask("select i.id, a.cause from weighlock.attempt a join weighlock.item i on i.n = a.item order by a.n"))


def verdicts(p):
    return dict(p.ask("select i.id, v.verdict from weighlock.answer a join weighlock.item i on i.n = a.item join weighlock.verdict v"
                      " on v.n = a.verdict"))


def cut_short(handler, data):
    handler.say(200, data[:len(data) // 2], length=len(data))


def test_a_bucket_of_objects_some_of_which_are_not_as_they_should_be():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        jobs = [put(o, f"a folder/{i}.{'pkl' if i % 50 == 7 else 'safetensors'}",
                    BAD + b"#%d" % i if i % 50 == 7 else model("w", [float(i)] * 16), id=f"job-{i}") for i in range(N_OBJECTS)]
        good, other = model("w", [1.0]), model("w", [2.0])
        odd = {name: put(o, f"{name}.safetensors", good, id=name) for name in ("changes", "vanishes", "longer", "shorter", "breaks", "moves")}
        o.content["/bucket/changes.safetensors"] = other
        del o.content["/bucket/vanishes.safetensors"]
        o.content["/bucket/longer.safetensors"] = good + b"x"
        o.content["/bucket/shorter.safetensors"] = good[:-1]
        o.content["/bucket/breaks.safetensors"] = lambda h: cut_short(h, good)
        o.content["/bucket/moves.safetensors"] = lambda h: h.say(302, Location=f"https://{o.host}/secret")
        o.content["/secret"] = good
        fleet(p, "submit", text=lines([*jobs, *odd.values()]))
        with open(os.path.join(o.folder.name, "log"), "w") as log:
            process = subprocess.Popen(agent(p, d, o, *bucket(o)), stderr=log)
        until(lambda: p.number("select count(*) from weighlock.answer") == N_OBJECTS and len(causes(p)) == len(odd), 300)
        process.terminate()
        assert process.wait(60) == 0
        assert causes(p) == {"changes": "digest-mismatch", "vanishes": "fetch: http-404", "longer": "other-size", "shorter": "other-size",
                             "breaks": "fetch: broken-off", "moves": "fetch: http-302"}, causes(p)
        said = verdicts(p)
        assert sum(v == "reject" for v in said.values()) == sum(i % 50 == 7 for i in range(N_OBJECTS)), said
        assert not set(odd) & set(said)
        assert sorted(p.ask("select kind from weighlock.alarm")) == [["digest-mismatch"], ["other-size"], ["other-size"]]
        assert "/secret" not in o.asked
        log = open(os.path.join(o.folder.name, "log")).read()
        assert "bucket" not in log and "localhost" not in log, log


def memory_files(process):
    """Of its memory files, as the kernel counts them for its cgroup."""
    total = 0
    for path in glob.glob(f"/proc/{process.pid}/fd/*"):
        try:
            if "memfd:" in os.readlink(path):
                total += os.stat(path).st_blocks * 512
        except OSError:
            pass
    return total


def test_what_is_here_stays_within_the_budget():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD, config="workers: 2\n") as d:
        fleet(p, "setup")
        jobs = [put(o, f"{i}.safetensors", model("w", [float(i)] * (1 << 18)), id=str(i)) for i in range(24)]
        too_large = put(o, "large.safetensors", model("w", [0.0] * (1 << 20)), id="large")
        fleet(p, "submit", text=lines([*jobs, too_large]))
        process = subprocess.Popen(agent(p, d, o, "--jobs", "16", "--until-empty", *bucket(o, "--budget", "4")))
        most = 0
        while process.poll() is None:
            most = max(most, memory_files(process))
            p.ask("update weighlock.job set ready_at = now() where token = 0 and ready_at > now()")
        assert process.returncode == 0
        assert len(verdicts(p)) == len(jobs), verdicts(p)
        assert causes(p) == {"large": "fetch: larger-than-budget"}, causes(p)
        assert 0 < most <= 4 << 20, most
        assert p.number("select count(*) from weighlock.failed") == 1


def test_a_large_object_goes_to_a_file_without_a_name():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d, Files() as spool:
        fleet(p, "setup")
        data = large_model()
        fleet(p, "submit", text=lines([put(o, "large.safetensors", data, id="large")]))
        run(p, d, o, *bucket(o, "--spool", spool.root, "--budget", str((LARGE_BYTES >> 20) + 1)))
        assert verdicts(p) == {"large": "accept"}, causes(p)
        assert os.listdir(spool.root) == []


def large_model():
    header = json.dumps({"w": {"dtype": "U8", "shape": [LARGE_BYTES], "data_offsets": [0, LARGE_BYTES]}}).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + bytes(range(256)) * (LARGE_BYTES // 256)


def test_signatures_are_what_opens_a_bucket():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        job = put(o, "a b+c?d%e.safetensors", model("w", [1.0]), id="a")
        fleet(p, "submit", text=lines([job]))
        wrong = os.path.join(o.folder.name, "wrong")
        with open(wrong, "w", encoding="utf-8") as f:
            f.write("aws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = no\n")
        process = subprocess.Popen(agent(p, d, o, "--s3", o.host, "--s3-region", REGION, "--s3-credentials", wrong, *NEAR))
        until(lambda: causes(p) == {"a": "fetch: http-403"})
        process.terminate()
        process.wait(60)
        p.ask("update weighlock.job set ready_at = now()")
        run(p, d, o, *bucket(o))
        assert verdicts(p) == {"a": "accept"}, causes(p)


HOSTILE = """
https://169.254.169.254/latest/meta-data/iam/security-credentials/x
https://169.254.170.2/v2/credentials/x
https://metadata.google.internal/computeMetadata/v1/x
https://2852039166/latest/x
https://0xa9fea9fe/latest/x
https://[::ffff:169.254.169.254]/x
https://[::1]:{port}/x
https://127.0.0.1:{port}/x
https://127.1:{port}/x
https://2130706433:{port}/x
https://0.0.0.0:{port}/x
http://localhost:{port}/x
HTTPS://localhost:{port}/x
https://localhost:{port}
https://localhost/x
https://localhost:22/x
https://localhost.:{port}/x
https://localhost:{port}@evil.example/x
https://evil.example@localhost:{port}/x
https://u:p@localhost:{port}/x
https://localhost:{port}\\@evil.example/x
https://localhost%3a{port}/x
https://evil.localhost:{port}/x
https://localhost:{port}#@evil.example/x
https://localhost:{port}/x y
gopher://localhost:{port}/_GET%20/x
dict://localhost:{port}/x
ftp://localhost:{port}/x
file://localhost/etc/passwd
file:/etc/passwd
file:///etc/passwd
s3://../x
s3://bucket
s3:///x
s3://bucket@localhost:{port}/x
ldap://localhost:{port}/x
""".split("\n")[1:-1]


def test_hostile_references_are_not_fetched():
    """localhost is listed, its address is not; and nothing else is listed."""
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        port = o.host.split(":")[1]
        refs = [ref.format(port=port) for ref in HOSTILE]
        jobs = [job_of(ref, b"x", id=f"r{i}", name="x") for i, ref in enumerate(refs)]
        jobs.append(job_of(f"https://{o.host}/listed", b"x", id="address", name="x"))
        o.content["/listed"] = b"x"
        fleet(p, "submit", text=lines(jobs))
        log = run(p, d, o, "--allow-host", o.host, "--s3", o.host)
        assert o.asked == [] and verdicts(p) == {}
        assert causes(p)["address"] == "fetch: address", causes(p)
        assert len(causes(p)) == len(jobs) > 36 and p.number("select count(*) from weighlock.failed") == len(jobs), causes(p)
        assert not any(ref in log for ref in refs)


def test_hosts_that_are_listed_are_fetched_from_and_what_they_ask_for_is_not_told():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        data = model("w", [1.0])
        o.content["/m/a.safetensors"] = data
        fleet(p, "submit", text=lines([job_of(f"https://{o.host}/m/a.safetensors?X-Amz-Signature=secret", data, id="a")]))
        log = run(p, d, o, "--allow-host", o.host, *NEAR)
        assert verdicts(p) == {"a": "accept"} and o.asked == ["/m/a.safetensors?X-Amz-Signature=secret"], causes(p)
        assert "secret" not in log
        assert p.ask("select name from weighlock.verdict") == [["a.safetensors"]]


def test_a_server_must_show_who_it_is():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d:
        fleet(p, "setup")
        o.content["/a"] = b"x"
        fleet(p, "submit", text=lines([job_of(f"https://{o.host}/a", b"x", id="a")]))
        process = subprocess.Popen([FLEET, "--database", p.conninfo, "agent", "--socket", d.socket, "--allow-host", o.host, *NEAR])
        until(lambda: causes(p) == {"a": "fetch: tls"})
        process.terminate()
        assert process.wait(60) == 0 and o.asked == []


SECRET = "a secret of a hook"


def is_signed(headers, body):
    """As docs/fleet.md tells receivers."""
    parts = dict(part.split("=", 1) for part in headers["Weighlock-Signature"].split(","))
    want = hmac.new(SECRET.encode(), parts["t"].encode() + b"." + body, "sha256").hexdigest()
    return hmac.compare_digest(parts["v1"], want) and abs(time.time() - int(parts["t"])) < 300


def test_verdicts_are_given_to_a_url_until_they_are_taken():
    with Postgres() as p, Objects() as o, Daemon(WEIGHLOCKD) as d, Files() as files:
        fleet(p, "setup")
        fleet(p, "submit", text=lines([files.job("good.safetensors", model("w", [1.0]), id="good"), files.job("bad.pkl", BAD, id="bad")]))
        run_agent(p, d, files)
        secret, kept = os.path.join(o.folder.name, "secret"), os.path.join(o.folder.name, "cursor")
        with open(secret, "w", encoding="utf-8") as f:
            f.write(SECRET + "\n")
        seen, answers = [], [500, 302, 200, 204]

        def take(headers, body):
            assert is_signed(headers, body) and not is_signed(headers, body + b" ")
            seen.append(json.loads(body))
            return answers.pop(0)
        o.take = take
        words = ["watch", "--until-now", "--webhook", f"https://{o.host}/hook?token=hidden", "--ca", o.ca, "--cursor", kept]
        assert "--secret" in fleet(p, *words, status=2).stderr
        said = fleet(p, *words, "--secret", secret, timeout=60).stderr
        assert said.count("again in") == 2 and "hidden" not in said and SECRET not in said
        first, second = seen[0]["id"], seen[3]["id"]
        assert [s["id"] for s in seen] == [first] * 3 + [second] and {first, second} == {"good", "bad"}, seen
        assert open(kept).read() == seen[-1]["cursor"] + "\n"
        fleet(p, *words, "--secret", secret, timeout=60)
        assert len(seen) == 4, "what was taken is not given again"
        with open(kept, "w", encoding="utf-8"):
            pass
        fleet(p, *words, "--secret", secret, status=2)


tap.main(globals(), only=OPTIONS.get("only"))
