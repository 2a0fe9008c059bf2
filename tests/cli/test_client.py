"""weighlock scan --socket: what goes over the wire, and that nothing but a whole verdict is taken for one."""
import json
import os
import re
import socket
import subprocess
import tempfile
import time

import tap
from client_support import FakeDaemon, reply, reply_verdict
from fixtures import GOOD, OPTIONS, WEIGHLOCK, environment, remove, tree

ROOT = tree()


def scan(daemon, *arguments):
    path = daemon if isinstance(daemon, str) else daemon.path
    return subprocess.run([WEIGHLOCK, "scan", "--socket", path, *arguments], cwd=ROOT, env=environment(),
                          timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def verdict(value="accept", **more):
    return {"schema": "weighlock.verdict/1", "verdict": value, "complete": value != "error", "format": "safetensors",
            "file": {"name": "good.safetensors", "size": 72, "sha256": "0" * 64},
            "policy": {"name": "theirs", "sha256": "1" * 64}, "findings": [],
            "scan": {"engine": "other", "rules": "", "rules_version": 1, "time": "", "duration_ms": 1.5, "bytes": 72},
            **more}


def refused(answer, *arguments):
    """The answer is no verdict: an error line, exit 2.  Returns the line."""
    with FakeDaemon(lambda request: answer) as daemon:
        done = scan(daemon, "--format", "json", *arguments, "good.safetensors")
    assert done.returncode == 2, done
    line = json.loads(done.stdout)
    assert line["verdict"] == "error" and line["complete"] is False, line
    return line


# ---- the request ----

def test_the_file_goes_by_descriptor_with_its_name_and_policy():
    contents = []

    def answer(request):
        contents.append(request.content())
        return reply_verdict(verdict())
    with FakeDaemon(answer) as daemon:
        done = scan(daemon, "--policy", "house.rules", "-q", "good.safetensors")
    assert done.returncode == 0, done
    assert contents == [GOOD]
    request = daemon.requests[0]
    assert request.line == "POST /v1/scan?name=good.safetensors&policy=house.rules HTTP/1.1", request.line
    assert request.headers["weighlock-source"] == "fd; n=1" and len(request.fds) == 1


def test_the_descriptor_cannot_write():
    modes = []

    def answer(request):
        import fcntl
        modes.append(fcntl.fcntl(request.fds[0], fcntl.F_GETFL) & os.O_ACCMODE)
        return reply_verdict(verdict())
    with FakeDaemon(answer) as daemon:
        scan(daemon, "good.safetensors")
    assert modes == [os.O_RDONLY]


def test_names_are_percent_encoded():
    name = "a b&policy=x?#%\u00e9.safetensors"
    os.link(f"{ROOT}/good.safetensors", f"{ROOT}/{name}")
    with FakeDaemon(lambda request: reply_verdict(verdict())) as daemon:
        scan(daemon, name)
    assert daemon.requests[0].line.split(" ")[1] == (
        "/v1/scan?name=a%20b%26policy%3Dx%3F%23%25%C3%A9.safetensors"), daemon.requests[0].line


def test_an_odd_name_is_sent_escaped_and_shown_as_a_local_scan_shows_it():
    local = subprocess.run([WEIGHLOCK, "scan", "--format", "json", "odd"], cwd=ROOT, env=environment(),
                           stdout=subprocess.PIPE)
    with FakeDaemon(lambda request: reply_verdict(verdict())) as daemon:
        done = scan(daemon, "--format", "json", "odd")
    assert re.search(r"name=odd/odd%5Cx1B%5B31m%5Cx0A%5CxE2%5Cx80%5CxAE%5CxFF.safetensors ", daemon.requests[0].line,
                     re.I), daemon.requests[0].line
    assert json.loads(done.stdout)["file"]["name"] == json.loads(local.stdout)["file"]["name"]


def test_a_name_longer_than_the_daemon_takes_is_an_error():
    folder = os.path.join(ROOT, *["f" * 200] * 6)
    os.makedirs(folder)
    os.link(f"{ROOT}/good.safetensors", f"{folder}/x")
    with FakeDaemon(lambda request: reply_verdict(verdict())) as daemon:
        done = scan(daemon, "--format", "json", "f" * 200)
    assert done.returncode == 2 and "longer than the daemon takes" in json.loads(done.stdout)["scan"]["detail"], done


def test_unreadable_entries_are_not_sent_and_are_told():
    with FakeDaemon(lambda request: reply_verdict(verdict())) as daemon:
        done = scan(daemon, "--format", "json", "links")
    values = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    assert values.count("error") == 8 and values.count("accept") == 3 and len(daemon.requests) == 3, values
    assert done.returncode == 2


# ---- the answer ----

def test_the_daemons_verdict_is_printed_as_it_came():
    body = b'{ "schema":"weighlock.verdict/1",  "verdict":"accept","complete":true,"format":"safetensors",' \
           b'"file":{"name":"n","size":72,"sha256":null},"new":1e0}\n'
    with FakeDaemon(lambda request: reply(200, body)) as daemon:
        done = scan(daemon, "--format", "json", "good.safetensors")
    assert done.stdout == body and done.returncode == 0, done


def test_exit_codes_are_those_of_a_local_scan():
    for value, code in (("accept", 0), ("review", 1), ("reject", 1), ("error", 2), ("something-new", 2)):
        with FakeDaemon(lambda request: reply_verdict(verdict(value))) as daemon:
            assert scan(daemon, "good.safetensors").returncode == code, value


def test_a_format_that_is_no_model_exits_3():
    for name in ("lfs-pointer", None, "something-new"):
        with FakeDaemon(lambda request: reply_verdict(verdict(format=name))) as daemon:
            assert scan(daemon, "good.safetensors").returncode == 3, name


def test_text_is_rendered_from_the_daemons_verdict():
    with FakeDaemon(lambda request: reply_verdict(verdict("reject", reasons=["malformed"]))) as daemon:
        done = scan(daemon, "-v", "good.safetensors")
    assert done.stdout.decode().splitlines()[:3] == [
        "REJECT  good.safetensors  malformed", "        safetensors, 72 bytes, sha256 " + "0" * 64,
        "        policy: theirs; 1.5 ms; other"], done.stdout


def test_a_problem_is_told_in_the_daemons_words():
    problem = {"type": "urn:weighlock:problem:no-space", "title": "There is no room", "status": 507, "retry": "later",
               "detail": "the spool is full"}
    line = refused(reply(507, json.dumps(problem).encode(), "application/problem+json"))
    assert line["scan"]["error"] == "internal" and line["scan"]["retry"] == "later", line
    assert line["scan"]["detail"] == "the daemon answers 507: There is no room: the spool is full", line


def test_a_problem_that_will_not_go_away_says_never():
    line = refused(reply(400, b'{"title":"No","retry":"never"}'))
    assert line["scan"]["retry"] == "never", line


def test_a_problem_names_the_policy_asked_for_and_no_digest():
    line = refused(reply(400, b'{"title":"No such policy","retry":"never"}'), "--policy", "mine")
    assert line["policy"] == {"name": "mine", "sha256": ""}, line


def test_a_busy_daemon_is_asked_again():
    answers = [reply(503, b'{"title":"Busy","retry":"later"}', headers="Retry-After: 1\r\n")]
    with FakeDaemon(lambda request: answers.pop() if answers else reply_verdict(verdict())) as daemon:
        began = time.monotonic()
        done = scan(daemon, "good.safetensors")
    assert done.returncode == 0 and len(daemon.requests) == 2 and time.monotonic() - began >= 1, done


def test_an_answer_cut_short_is_no_verdict():
    whole = reply_verdict(verdict())
    for n in (0, 5, 20, whole.index(b"\r\n\r\n") + 4, len(whole) - 2, len(whole) - 1):
        assert "ended early" in refused(whole[:n])["scan"]["detail"], n


def test_an_answer_with_bytes_behind_it_is_no_verdict():
    refused(reply_verdict(verdict()) + b"x")


def test_heads_that_two_readers_read_differently_are_no_verdict():
    body = json.dumps(verdict()).encode()
    for head in (f"HTTP/1.1 200 OK\r\n\r\n", f"HTTP/1.0 200 OK\r\nContent-Length: {len(body)}\r\n\r\n",
                 f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nContent-Length: {len(body)}\r\n\r\n",
                 f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: {len(body)}\r\n\r\n",
                 f"HTTP/1.1 2000\r\nContent-Length: {len(body)}\r\n\r\n",
                 f"HTTP/1.1 200 OK\r\nContent-Length: +{len(body)}\r\n\r\n"):
        refused(head.encode() + body)


def test_bodies_that_are_no_verdict_are_refused():
    for body in (b"", b"null", b"[]", b"{}", b'{"verdict":"accept"}', b'{"schema":"weighlock.verdict/1"}',
                 b'{"schema":"weighlock.verdict/2","verdict":"accept","file":{}}', b"accept",
                 b'{"schema":"weighlock.verdict/1","verdict":"reject","verdict":"accept","file":{}}'):
        assert "not a verdict" in refused(reply(200, body))["scan"]["detail"], body


def test_an_accept_of_a_part_or_of_another_file_is_refused():
    for lie in ({"complete": False}, {"complete": None}, {"file": {"name": "good.safetensors", "size": 71, "sha256": "0" * 64}},
                {"file": {"name": "good.safetensors", "size": None, "sha256": None}}):
        line = refused(reply_verdict(verdict(**lie)))
        assert "but not this file" in line["scan"]["detail"], line


def test_an_endless_answer_is_cut_off():
    refused(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n" + b" " * (3 << 20))


# ---- no daemon ----

def test_a_socket_nobody_listens_on_exits_2_without_a_verdict():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s"
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path)
        done = scan(path, "good.safetensors")
    assert done.returncode == 2 and done.stdout == b"" and b"Connection refused" in done.stderr, done


def test_a_file_instead_of_a_socket_exits_2():
    done = scan(f"{ROOT}/good.safetensors", "good.safetensors")
    assert done.returncode == 2 and done.stdout == b"" and b"unreachable" in done.stderr, done


def test_a_daemon_that_goes_away_in_between_leaves_errors_for_the_rest():
    daemon = FakeDaemon(None)

    def answer(request):
        os.unlink(daemon.path)
        return reply_verdict(verdict())
    daemon.answer = answer
    with daemon:
        done = scan(daemon, "-j1", "--format", "json", "good.safetensors", "good.safetensors")
    lines = [json.loads(x) for x in done.stdout.splitlines()]
    assert [v["verdict"] for v in lines] == ["accept", "error"] and done.returncode == 2, lines
    assert "unreachable" in lines[1]["scan"]["detail"]


# ---- the real daemon ----

def test_the_real_daemon_and_a_local_scan_agree():
    if not OPTIONS.get("weighlockd"):
        raise tap.Skip("no daemon in this build")
    path = os.path.join(ROOT, "real.sock")
    spool = os.path.join(ROOT, "spool")
    os.mkdir(spool)
    os.chmod(spool, 0o777)  # the daemon's front runs as nobody
    daemon = subprocess.Popen([OPTIONS["weighlockd"], "--socket", path, "--spool-dir", spool],
                              stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.05)
        paths = ("mixed", "odd", "links", "pointer.safetensors", "README.md")
        remote = scan(path, "-j", "4", "--format", "json", *paths)
        local = subprocess.run([WEIGHLOCK, "scan", "--format", "json", *paths], cwd=ROOT, env=environment(),
                           stdout=subprocess.PIPE)
    finally:
        daemon.terminate()
        daemon.wait(20)
    assert (remote.returncode, local.returncode, remote.stderr) == (1, 1, b""), (remote, local)

    def facts(output):
        lines = [json.loads(x) for x in output.splitlines()]
        return [(v["verdict"], v["file"], v["format"], v["findings"], v.get("weights")) for v in lines]
    assert facts(remote.stdout) == facts(local.stdout)


try:
    tap.main(globals())
finally:
    remove(ROOT)
