"""weighlock scan --socket: what goes over the wire, and that nothing but a whole verdict is taken for one."""
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import external
import tap
from client_support import FakeDaemon, reply, reply_verdict
from fixtures import GOOD, OPTIONS, PATIENCE_S, WEIGHLOCK, environment, remove, tree, until, write
from models import sharded, weights, write_index

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


def test_of_standard_input_the_digest_is_known_and_expected():
    with FakeDaemon(lambda request: reply_verdict(verdict())) as daemon:
        subprocess.run([WEIGHLOCK, "scan", "--socket", daemon.path, "-"], env=environment(), timeout=120, input=GOOD,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert f"sha256={hashlib.sha256(GOOD).hexdigest()}" in daemon.requests[0].line, daemon.requests[0].line


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
    assert re.search(r"name=odd/odd%5Cx1B%5B31m%5Cx0A%5CxE2%5Cx80%5CxAE%5CxFF.safetensors ", daemon.single()[0].line,
                     re.I), daemon.single()[0].line
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
    assert values.count("error") == 8 and values.count("accept") == 3 and len(daemon.single()) == 3, values
    assert done.returncode == 2


# ---- the answer ----

def test_the_daemons_verdict_is_printed_as_it_came():
    body = b'{ "schema":"weighlock.verdict/1",  "verdict":"accept","complete":true,"format":"safetensors",' \
           b'"file":{"name":"n","size":72,"sha256":"' + b"0" * 64 + b'"},"new":1e0}\n'
    with FakeDaemon(lambda request: reply(200, body, headers="Weighlock-Verdict: accept\r\n")) as daemon:
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


def test_the_doctor_shows_the_jail_that_the_daemons_verdict_names():
    answers = iter(("accept", "reject"))
    layers = ["rlimits", "no-new-privs", "undumpable", "pdeathsig", "descriptors", "seccomp", "landlock"]

    def answer(request):
        content = request.content()
        file = {"name": "sample.safetensors", "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        return reply_verdict(verdict(next(answers), file=file, scan={"engine": "theirs", "layers": layers}))

    with FakeDaemon(answer) as daemon:
        done = subprocess.run([WEIGHLOCK, "doctor", "--socket", daemon.path], env=environment(), timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0 and not done.stderr, done
        assert [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("  ")][:4] == [
            ["sound", "accept"], ["damaged", "reject"], ["rlimits", "active"], ["no-new-privs", "active"]], done.stdout
        assert "around the daemon's workers (theirs)" in done.stdout and "  net-ns         missing  optional" in done.stdout, done
        answers = iter(("accept", "reject"))
        layers.remove("seccomp")
        assert subprocess.run([WEIGHLOCK, "doctor", "--socket", daemon.path], env=environment(), timeout=60,
                              stdout=subprocess.PIPE).returncode == 2


def test_text_is_rendered_from_the_daemons_verdict():
    with FakeDaemon(lambda request: reply_verdict(verdict("reject", reasons=["malformed"]))) as daemon:
        done = scan(daemon, "-v", "good.safetensors")
    assert done.stdout.decode().splitlines()[:3] == [
        "REJECT  good.safetensors  safetensors, 72 bytes", "        sha256:  " + "0" * 64,
        "        policy:  theirs; 1.5 ms; other"], done.stdout


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
    answers = [reply(status, b'{"title":"Busy","retry":"later"}', headers="Retry-After: 1\r\n") for status in (503, 429)]
    with FakeDaemon(lambda request: answers.pop() if answers else reply_verdict(verdict())) as daemon:
        began = time.monotonic()
        done = scan(daemon, "good.safetensors")
    assert done.returncode == 0 and len(daemon.requests) == 3 and time.monotonic() - began >= 2, done


def test_an_answer_cut_short_is_no_verdict():
    whole = reply_verdict(verdict())
    for n in (0, 5, 20, whole.index(b"\r\n\r\n") + 4, len(whole) - 2, len(whole) - 1):
        assert refused(whole[:n])["scan"]["detail"] == "the daemon's answer ended early", n


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
        detail = refused(reply(200, body, headers="Weighlock-Verdict: accept\r\n"))["scan"]["detail"]
        assert "answer" in detail, (body, detail)


def test_an_accept_of_a_part_or_of_another_file_is_refused():
    for lie in ({"complete": False}, {"file": {"name": "good.safetensors", "size": 71, "sha256": "0" * 64}},
                {"file": {"name": "good.safetensors", "size": None, "sha256": None}}):
        line = refused(reply_verdict(verdict(**lie)))
        assert "but not the bytes that were sent" in line["scan"]["detail"], line


def test_an_endless_answer_is_cut_off():
    line = refused(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n" + b" " * (3 << 20))
    assert line["scan"]["error"] == "limit-output", line


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


# ---- a folder in one request ----

def shards(name, n=2, change=None):
    """A folder of shards and their index."""
    folder = os.path.join(ROOT, name)
    index = sharded(folder, weights(2 * n), n)
    if change:
        change(index["weight_map"])
        write_index(folder, index)
    return sorted(os.listdir(folder))


def file_line(folder, member, value="accept", **more):
    path = f"{ROOT}/{folder}/{member}"
    return verdict(value, file={"name": member, "size": os.path.getsize(path), "sha256": "0" * 64},
                   format="safetensors-index" if member.endswith(".json") else "safetensors", **more)


def set_line(members, value="accept"):
    return {"schema": "weighlock.set/1", "verdict": value, "complete": value == "accept", "reasons": [], "name": "theirs",
            "sha256": None, "policy": {"name": "theirs", "sha256": "1" * 64}, "findings": [],
            "scan": {"engine": "other", "rules": "", "rules_version": 1, "time": "", "duration_ms": 1.5},
            "members": [{"name": m, "verdict": "accept", "sha256": None, "size": 1, "format": None} for m in members]}


def stream(*lines, end=b"0\r\n\r\n", cut=7):
    """The lines as a chunked reply, in chunks that end anywhere."""
    text = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    chunks = [text[i:i + cut] for i in range(0, len(text), cut)]
    return (b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n" +
            b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks) + end)


def scan_folder(answer, folder, *arguments):
    with FakeDaemon(answer) as daemon:
        done = scan(daemon, "--format", "json", *arguments, folder)
    return [json.loads(line) for line in done.stdout.splitlines()], done, daemon


def test_a_folder_goes_in_one_request_with_the_names_of_its_files():
    members = shards("together")
    for cut in (1, 7, 1 << 20):
        lines, done, daemon = scan_folder(
            lambda request: stream({"event": "queued", "position": 1}, *[file_line("together", m) for m in reversed(members)],
                                   set_line(members), cut=cut), "together")
        assert done.returncode == 0, done
        assert [v["file"]["name"] for v in lines[:-1]] == [f"together/{m}" for m in members], lines
        assert lines[-1]["schema"] == "weighlock.set/1" and lines[-1]["name"] == "together", lines[-1]
        (request,) = daemon.requests
        assert request.headers["weighlock-source"] == f"fd; n={len(members)}" and len(request.fds) == len(members)
        assert request.headers["accept"] == "application/x-ndjson", request.headers


def test_more_files_than_a_message_carries_descriptors_arrive_before_the_head_is_whole():
    folder = os.path.join(ROOT, "crowd")
    os.makedirs(folder)
    members = [f"{i:04}" for i in range(600)]
    for m in members:
        os.link(f"{ROOT}/good.safetensors", f"{folder}/{m}")
    lines, done, daemon = scan_folder(
        lambda request: stream(*[file_line("crowd", m) for m in members], set_line(members), cut=65536), "crowd")
    assert done.returncode == 0 and len(lines) == 600, (done.returncode, len(lines), done.stderr)
    (request,) = daemon.requests
    assert len(request.fds) == 600, len(request.fds)


def test_more_unreadable_entries_than_places_send_the_files_one_by_one():
    folder = os.path.join(ROOT, "danglers")
    os.makedirs(folder)
    os.link(f"{ROOT}/good.safetensors", f"{folder}/0")
    for i in range(1500):
        os.symlink("nothing", f"{folder}/link{i:04}")
    lines, done, daemon = scan_folder(lambda request: reply_verdict(verdict()), "danglers")
    assert done.returncode == 2, (done.returncode, done.stderr[-500:])
    assert [v["verdict"] for v in lines] == ["accept"] + ["error"] * 1500, (len(lines), lines[:2])
    assert [v["file"]["name"] for v in lines[1:]] == [f"danglers/link{i:04}" for i in range(1500)]
    assert len(daemon.single()) == 1, [r.line for r in daemon.requests]


def test_a_folder_of_independent_files_shows_no_set():
    folder = os.path.join(ROOT, "loose")
    os.makedirs(folder)
    for m in ("a", "b"):
        os.link(f"{ROOT}/good.safetensors", f"{folder}/{m}")
    lines, done, _ = scan_folder(
        lambda request: stream(file_line("loose", "a"), file_line("loose", "b"), set_line(["a", "b"])), "loose")
    assert done.returncode == 0 and len(lines) == 2, lines


def test_a_folder_with_weights_in_other_files_shows_its_set():
    folder = os.path.join(ROOT, "beside")
    os.makedirs(folder)
    for m in ("a", "b"):
        os.link(f"{ROOT}/good.safetensors", f"{folder}/{m}")
    for code in ("onnx-external-unchecked", "openvino-weights-unchecked", "tf-data-unchecked", "tfjs-weights-unchecked"):
        finding = {"code": code, "class": "quality", "severity": "info", "title": "weights in other files"}
        lines, done, _ = scan_folder(
            lambda request, found=finding: stream(file_line("beside", "a", findings=[found]), file_line("beside", "b"),
                                                  set_line(["a", "b"])), "beside")
        assert done.returncode == 0 and [v["schema"] for v in lines][2:] == ["weighlock.set/1"], (code, lines)


def test_an_answer_that_is_not_whole_is_none():
    members = shards("partial")
    files = [file_line("partial", m) for m in members]
    whole = [*files, set_line(members)]
    small = file_line("partial", members[0])
    small["file"]["size"] += 1
    answers = [stream(*whole[:-1]), stream(*whole, end=b""), stream(*whole[1:]), stream(*whole, whole[-1]),
               stream(*whole)[:-40], stream(small, *whole[1:]), stream(*whole, end=b"0\r\nx"), stream(files[0], *whole),
               stream(*files, set_line(members[1:])), stream(*files, {**whole[-1], "complete": False}),
               stream({**files[0], "verdict": "review"}, *whole[1:]), stream("text", *whole), stream(*whole, [])]
    for answer in answers:
        lines, done, _ = scan_folder(lambda request: answer, "partial")
        assert done.returncode in (1, 2), (answer, done)
        assert len(lines) in (len(members), len(members) + 1), lines
        assert any(v["verdict"] == "error" for v in lines), (answer, lines)


def test_a_daemon_that_takes_no_sets_judges_the_files_and_the_set_is_not_judged():
    members = shards("older")

    def answer(request):
        if request.of_set():
            return reply(400, b'{"title":"n","detail":"1 only"}', "application/problem+json")
        return reply_verdict(file_line("older", request.line.split("older/")[1].split(" ")[0]))
    lines, done, daemon = scan_folder(answer, "older")
    assert done.returncode == 2 and len(daemon.single()) == len(members), done
    assert [v["verdict"] for v in lines] == ["accept"] * len(members) + ["error"], lines
    assert "did not take these files as a set" in lines[-1]["scan"]["detail"], lines[-1]
    assert lines[-1]["scan"]["retry"] == "never", lines[-1]
    lines, done, daemon = scan_folder(
        lambda request: reply(400, b"{}") if request.of_set() else
        reply_verdict(file_line("loose", request.line.split("loose/")[1].split(" ")[0])), "loose")
    assert done.returncode == 0 and len(lines) == 2, (done, lines)


def test_a_busy_daemon_is_asked_about_the_folder_again():
    members = shards("rush")
    refusals = [reply(status, b'{"title":"Busy","retry":"later"}', headers="Retry-After: 1\r\n") for status in (503, 429)]
    whole = stream(*[file_line("rush", m) for m in members], set_line(members))
    lines, done, daemon = scan_folder(lambda request: refusals.pop() if refusals else whole, "rush")
    assert done.returncode == 0 and len(daemon.requests) == 3 and not daemon.single(), (done, lines)
    assert lines[-1]["schema"] == "weighlock.set/1" and lines[-1]["verdict"] == "accept", lines[-1]
    for request in daemon.requests:
        assert len(request.fds) == len(members), request.headers


def test_a_daemon_that_stays_busy_left_the_set_for_later():
    members = shards("crush")

    def answer(request):
        if request.of_set():
            return reply(503, b'{"title":"Busy","retry":"later"}', headers="Retry-After: 3600\r\n")
        return reply_verdict(file_line("crush", request.line.split("crush/")[1].split(" ")[0]))
    lines, done, daemon = scan_folder(answer, "crush")
    assert [v["verdict"] for v in lines] == ["accept"] * len(members) + ["error"], lines
    assert lines[-1]["scan"]["error"] == "busy" and lines[-1]["scan"]["retry"] == "later", lines[-1]
    assert len(daemon.requests) == 1 + len(members), daemon.requests


def test_a_daemon_that_stays_busy_is_given_up_with_a_cause_of_its_own():
    for status in (503, 429):
        problem = {"type": "urn:weighlock:problem:busy", "title": "Too much to do", "status": status, "retry": "later"}
        answer = reply(status, json.dumps(problem).encode(), "application/problem+json", "Retry-After: 3600\r\n")
        line = refused(answer)
        assert line["scan"]["error"] == "busy" and line["scan"]["retry"] == "later", line
        assert line["scan"]["detail"] == f"the daemon answers {status}: Too much to do", line


def test_a_refusal_for_good_is_not_waited_for():
    for headers in ("", "Retry-After: 1\r\n"):
        answer = reply(503, b'{"title":"No","retry":"never"}', "application/problem+json", headers)
        with FakeDaemon(lambda request: answer) as daemon:
            assert scan(daemon, "good.safetensors").returncode == 2 and len(daemon.requests) == 1, daemon.requests


def test_a_daemon_that_gives_up_says_whether_to_ask_again():
    members = shards("midway")
    for retry in ("later", "never"):
        problem = {"type": "urn:weighlock:problem:busy", "title": "Too much to do", "status": 503, "retry": retry}
        lines, done, _ = scan_folder(lambda request, p=problem: stream(file_line("midway", members[0]), p), "midway")
        assert done.returncode == 2 and lines[0]["verdict"] == "accept", lines
        assert {v["scan"]["retry"] for v in lines[1:]} == {retry}, lines


def test_tensors_are_not_asked_of_a_daemon():
    done = scan("/nowhere", "--tensors", "good.safetensors")
    assert done.returncode == 4 and b"not with --socket" in done.stderr, done


# ---- the real daemon ----

class Daemon:
    """weighlockd, for as long as the block lasts"""

    def __enter__(self):
        if not OPTIONS.get("weighlockd"):
            raise tap.Skip("no daemon in this build")
        self.folder = tempfile.mkdtemp(prefix="weighlock-real-")
        os.chmod(self.folder, 0o777)  # the daemon's front runs as nobody
        self.path = os.path.join(self.folder, "real.sock")
        self.process = subprocess.Popen([OPTIONS["weighlockd"], "--socket", self.path, "--spool-dir", self.folder],
                                        stderr=subprocess.DEVNULL)
        assert until(self.listens)
        return self

    def listens(self):
        """There is a moment between the socket's name and its listening."""
        with socket.socket(socket.AF_UNIX) as s:
            return s.connect_ex(self.path) == 0

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        shutil.rmtree(self.folder)


def local_scan(*paths):
    return subprocess.run([WEIGHLOCK, "scan", "--format", "json", *paths], cwd=ROOT, env=environment(),
                          stdout=subprocess.PIPE)


def facts(output):
    return [(v["verdict"], v["file"], v["format"], v["findings"], v.get("weights")) if "file" in v else
            (v["verdict"], v["name"], v["sha256"], v["findings"], v["reasons"], v["members"])
            for v in map(json.loads, output.splitlines())]


def test_the_real_daemon_and_a_local_scan_agree():
    paths = ("mixed", "odd", "links", "pointer.safetensors", "README.md")
    with Daemon() as daemon:
        remote = scan(daemon.path, "-j", "4", "--format", "json", *paths)
    local = local_scan(*paths)
    assert (remote.returncode, local.returncode, remote.stderr) == (1, 1, b""), (remote, local)
    assert facts(remote.stdout) == facts(local.stdout)


def test_the_real_daemon_and_a_local_scan_agree_about_sets():
    shards("right", 3)
    shards("wrong", 3, lambda places: places.update({"layer.0.weight": places["layer.5.weight"]}))
    shards("large", 300)
    onnx = external.model(("w.data", 0, 64))
    for folder, files in (("weights", {"m.onnx": onnx, "w.data": external.floats(16)}), ("weightless", {"m.onnx": onnx}),
                          ("nan", {"m.onnx": onnx, "w.data": external.floats(15) + external.NAN, "x.data": b"\1\2"})):
        os.makedirs(f"{ROOT}/{folder}", exist_ok=True)
        for name, data in files.items():
            write(f"{ROOT}/{folder}/{name}", data)
    with Daemon() as daemon:
        for paths, code in ((("right",), 0), (("wrong", "good.safetensors", "right"), 1), (("large",), 0), (("weights",), 0),
                            (("weightless",), 1), (("nan",), 1)):
            remote = scan(daemon.path, "--format", "json", *paths)
            local = local_scan(*paths)
            assert (remote.returncode, local.returncode, remote.stderr) == (code, code, b""), (
                remote.returncode, local.returncode, remote.stderr, remote.stdout.splitlines()[-1:], local.stdout.splitlines()[-1:])
            assert facts(remote.stdout) == facts(local.stdout), (paths, remote.stdout[-3000:], local.stdout[-3000:])
            assert b"weighlock.set/1" in remote.stdout


try:
    tap.main(globals())
finally:
    remove(ROOT)
