"""What /metrics counts, and how the numbers get to Prometheus.  What promtool thinks of them: tests/integrations."""
import os
import re
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time

import tap
from daemon import Daemon, metric, model, options, until, zygote_of

OPTIONS = options()
FAKE = f"workers: 2\nworker: {OPTIONS['fake_worker']}\n"


UNKNOWN = bytes(range(128, 256)) * 4  # for review; under strict a reject


def numbers(text):
    """{(name, labels): value}"""
    return {(m[1], m[2] or ""): float(m[3])
            for m in re.finditer(r"^weighlock_([a-z_]+)(?:\{(.*)\})? ([0-9.]+)$", text, re.M)}


def metrics(d):
    return numbers(d.get("/metrics")[2].decode())


def moved(before, after):
    """What has grown, of the counters with labels and the histograms' counts."""
    return {k: after[k] - before[k] for k in after if k[1] and after[k] != before[k] and not k[0].endswith(("_bucket", "_sum"))}


def post(d, body, query=""):
    s = d.connect()
    s.sendall(f"POST /v1/scan{query} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return s


def exits(before, after):
    return {k[1]: v for k, v in moved(before, after).items() if k[0] == "worker_exits_total"}


# -- the text --

def test_metrics_are_valid_prometheus_text():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with Daemon(OPTIONS["weighlockd"], config=f"store: on\naudit: on\nstate_dir: {folder}\n") as d:
            text = d.get("/metrics")[2].decode()
        assert text.endswith("\n") and not text.endswith("\n\n")
        types, helps, seen = {}, set(), set()
        for line in text.splitlines():
            if line.startswith("# HELP"):
                name = re.fullmatch(r"# HELP (weighlock_[a-z_]+) [A-Z][^\\]{10,}[.?]", line)[1]
                assert name not in helps, name
                helps.add(name)
                continue
            if line.startswith("#"):
                name, kind = re.fullmatch(r"# TYPE ([a-z_]+) (counter|gauge|histogram)", line).groups()
                assert name not in types and name in helps, name
                types[name] = kind
                continue
            name, labels, _ = re.fullmatch(r'([a-z_]+)(\{(?:[a-z]+="[A-Za-z0-9.+-]+",?)+\})? (\d+(?:\.\d+)?)', line).groups()
            family = re.sub("_(bucket|sum|count)$", "", name)
            family = family if types.get(family) == "histogram" else name
            assert family in types and (name, labels) not in seen, line
            assert name.endswith("_total") == (types[family] == "counter"), line
            seen.add((name, labels))
        assert len(seen) > 200 and helps == set(types)


def test_the_number_of_series_does_not_depend_on_clients():
    with Daemon(OPTIONS["weighlockd"]) as d:
        before = set(metrics(d))
        for i in range(20):
            d.scan(b"nothing", f"?name=n{i}%0A.gguf&tenant=t{i}")
        assert set(metrics(d)) == before


# -- verdicts --

def test_a_verdict_is_counted_by_value_class_and_size():
    with Daemon(OPTIONS["weighlockd"]) as d:
        before = metrics(d)
        assert d.scan(model(1000), "?name=a.safetensors")[1]["verdict"] == "accept"
        bad = d.scan(model(3 << 20)[:-1], "?name=a.safetensors")[1]
        assert bad["verdict"] == "reject" and bad["reasons"][0] == "malformed", bad
        assert moved(before, metrics(d)) == {
            ("verdicts_total", 'verdict="accept"'): 1, ("verdicts_total", 'verdict="reject"'): 1,
            ("verdicts_by_class_total", 'verdict="accept",class="none"'): 1,
            ("verdicts_by_class_total", 'verdict="reject",class="malformed"'): 1,
            ("scans_ended_total", 'cause="none"'): 2, ("worker_exits_total", 'reason="done"'): 2,
            ("scan_duration_seconds_count", 'size="up-to-1MiB"'): 1,
            ("scan_duration_seconds_count", 'size="up-to-64MiB"'): 1}


def test_a_shadow_policy_disagrees_in_log_and_numbers_only():
    with Daemon(OPTIONS["weighlockd"], config="shadow_policy: strict\n") as d:
        before = metrics(d)
        assert d.scan(UNKNOWN)[1]["verdict"] == "review"
        assert d.scan(model(1000))[1]["verdict"] == "accept"
        assert d.scan(UNKNOWN, "?policy=ci")[1]["verdict"] == "review", "asked for by name: no shadow"
        grown = {k[1]: v for k, v in moved(before, metrics(d)).items() if k[0] == "shadow_verdicts_total"}
        assert grown == {'verdict="review",shadow="reject"': 1, 'verdict="accept",shadow="accept"': 1}, grown
        lines = [line for line in d.read_log().splitlines() if "shadow policy disagrees" in line]
        assert len(lines) == 1 and "verdict=review shadow=reject" in lines[0] and "code=format-not-allowed" in lines[0], lines


def test_buckets_are_cumulative_and_end_in_the_count():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        before = metrics(d)
        d.scan(b"MODE:sleep\n", "?name=a.safetensors")
        now = metrics(d)
        grown = [now[k] - before[k] for k in now if k[0] == "scan_duration_seconds_bucket" and "up-to-1MiB" in k[1]]
        assert grown == sorted(grown) and set(grown) == {0, 1}, grown
        sum_ = ("scan_duration_seconds_sum", 'size="up-to-1MiB"')
        seconds = now[sum_] - before[sum_]
        assert seconds > 0.5, seconds
        for le in ("0.1", "0.5"):
            k = ("scan_duration_seconds_bucket", f'size="up-to-1MiB",le="{le}"')
            assert now[k] == before[k], le


# -- workers --

def test_each_end_of_a_worker_has_its_reason():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for mode, reason in (("crash-after", "crash"), ("seccomp", "seccomp"), ("honest", "done"),
                             ("die", "killed"), ("endless-progress", "protocol")):
            before = metrics(d)
            d.scan(f"MODE:{mode}\n".encode(), f"?tenant={mode}")
            got = exits(before, metrics(d))
            assert got == {f'reason="{reason}"': 1}, (mode, got)
            time.sleep(1.1)  # its zygote is retired


def test_a_client_that_leaves_and_a_zygote_that_ends_are_reasons_too():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        before = metrics(d)
        s = post(d, b"MODE:hang\n")
        assert until(lambda: metric(d, "scans_running") == 1)
        s.close()
        assert until(lambda: exits(before, metrics(d)) == {'reason="cancelled"': 1}), exits(before, metrics(d))
        s = post(d, b"MODE:hang\n")
        assert until(lambda: metric(d, "scans_running") == 1)
        time.sleep(0.2)
        os.kill(zygote_of(d), signal.SIGKILL)
        assert until(lambda: exits(before, metrics(d)) == {'reason="cancelled"': 1, 'reason="zygote"': 1}), \
            exits(before, metrics(d))
        s.close()


# -- queue and refusals --

def test_the_age_of_the_oldest_is_how_long_it_waits():
    with Daemon(OPTIONS["weighlockd"], config=FAKE.replace("2", "1", 1)) as d:
        assert metrics(d)[("queue_oldest_seconds", "")] == 0
        sockets = [post(d, b"MODE:hang\n")]
        assert until(lambda: metric(d, "scans_running") == 1)
        assert metrics(d)[("queue_oldest_seconds", "")] == 0, "it runs and does not wait"
        sent = time.monotonic()
        sockets.append(post(d, b"MODE:honest\n", "?tenant=a"))
        assert until(lambda: metric(d, "queue_waiting") == 1)
        seen = time.monotonic()
        time.sleep(1)
        sockets.append(post(d, b"MODE:honest\n", "?tenant=b"))
        assert until(lambda: metric(d, "queue_waiting") == 2)
        asked = time.monotonic()
        age = metrics(d)[("queue_oldest_seconds", "")]
        assert asked - seen - 0.002 <= age <= time.monotonic() - sent + 0.002, (asked - seen, age, time.monotonic() - sent)
        for s in sockets:
            s.close()
        assert until(lambda: metrics(d)[("queue_oldest_seconds", "")] == 0)


def test_refusals_are_counted_by_reason():
    config = FAKE.replace("2", "1", 1) + "queue_max: 2\nqueue_max_per_tenant: 1\nmax_body: 1000\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        before = metrics(d)
        assert d.scan(bytes(1001))[0] == 413
        held = [post(d, b"MODE:hang\n", "?tenant=a")]
        assert until(lambda: metric(d, "scans_running") == 1)
        assert d.scan(b"x", "?tenant=a")[0] == 503
        held.append(post(d, b"MODE:hang\n", "?tenant=b"))
        assert until(lambda: metric(d, "queue_waiting") == 1)
        assert d.scan(b"x", "?tenant=c")[0] == 503
        got = {k: v for k, v in moved(before, metrics(d)).items() if k[0] in ("uploads_refused_total", "problems_by_type_total")}
        assert got == {("uploads_refused_total", 'reason="too-large"'): 1, ("uploads_refused_total", 'reason="tenant"'): 1,
                       ("uploads_refused_total", 'reason="queue"'): 1, ("problems_by_type_total", 'type="too-large"'): 1,
                       ("problems_by_type_total", 'type="busy"'): 2}, got
        for s in held:
            s.close()


def test_the_spool_has_its_use_and_its_limit():
    config = "memfd_max: 1000\nmemfd_bytes: 10000\nspool_bytes: 100000\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        assert metrics(d)[("spool_limit_bytes", 'place="memory"')] == 10000
        assert metrics(d)[("spool_limit_bytes", 'place="folder"')] == 100000
        sockets = [d.connect(), d.connect()]
        for s, n in zip(sockets, (900, 40000)):
            s.sendall(f"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: {n}\r\n\r\nabc".encode())
        place = ("spool_used_bytes", 'place="memory"'), ("spool_used_bytes", 'place="folder"')
        assert until(lambda: [metrics(d)[p] for p in place] == [900, 40000]), [metrics(d)[p] for p in place]
        before = metrics(d)
        assert d.scan(bytes(200000))[0] == 507
        assert ("uploads_refused_total", 'reason="spool-full"') in moved(before, metrics(d))
        for s in sockets:
            s.close()


# -- weighlock metrics --

def command(*arguments, **more):
    return subprocess.run([OPTIONS["weighlock"], "metrics", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, text=True, **more)


def test_the_command_writes_what_the_daemon_says():
    with Daemon(OPTIONS["weighlockd"]) as d:
        done = command("--textfile", "-", "--socket", d.socket)
        assert done.returncode == 0 and done.stderr == "", done
        assert set(numbers(done.stdout)) == set(metrics(d))
        assert done.stdout.endswith("\n")


def test_the_file_is_replaced_as_a_whole_and_others_may_read_it():
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weighlock.prom")
        with open(path, "w", encoding="utf-8") as f:
            f.write("old\n")
        os.chmod(path, 0o644)
        with open(path, encoding="utf-8") as old:
            assert command("--textfile", path, "--socket", d.socket).returncode == 0
            assert old.read() == "old\n", "written in place: a reader would see half of it"
        with open(path, encoding="utf-8") as f:
            assert "weighlock_slots " in f.read()
        assert os.listdir(folder) == ["weighlock.prom"]
        os.unlink(path)
        assert command("--textfile", path, "--socket", d.socket, umask=0o022).returncode == 0
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o644


def test_without_an_answer_the_file_stays():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weighlock.prom")
        with open(path, "w", encoding="utf-8") as f:
            f.write("old\n")
        done = command("--textfile", path, "--socket", os.path.join(folder, "none"))
        assert done.returncode == 2 and "none: No such file" in done.stderr, done
        with open(path, encoding="utf-8") as f:
            assert f.read() == "old\n"
        assert os.listdir(folder) == ["weighlock.prom"]


def test_half_an_answer_is_none():
    for reply in (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nweighlock_slots 2\n", b"", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(folder, "s"))
            listener.listen(1)

            def serve(listener=listener, reply=reply):
                with listener.accept()[0] as c:
                    c.recv(65536)
                    c.sendall(reply)

            thread = threading.Thread(target=serve)
            thread.start()
            done = command("--textfile", os.path.join(folder, "x.prom"), "--socket", os.path.join(folder, "s"))
            thread.join()
            assert done.returncode == 2 and done.stderr.startswith("weighlock: "), done
            assert os.listdir(folder) == ["s"]


def test_usage():
    for arguments in ((), ("--textfile",), ("--textfile", "-", "more"), ("--textfile", "-", "--socket", "x" * 108), ("--nope",)):
        done = command(*arguments)
        assert done.returncode == 4 and "weighlock help metrics" in done.stderr or "--help" in done.stderr, done


tap.main(globals(), at_once=3)
