"""The programs in examples/, each as it stands there: against the daemon with every kind of verdict, and against servers
that cut, lie and stall, which must never look like an accept."""
import atexit
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading

import tap
from daemon import Daemon, model, options
from server import PROGRESS, Server, busy, plain, says, stream, take_body, verdict

OPTIONS = options()
SANITIZED = OPTIONS.get("sanitized") == "true"
EXAMPLES = os.path.join(OPTIONS["source"], "examples")
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
GOOD = model(300000)  # several blocks


def python(socket, file, attempts, silence, *more):
    """Ten lines over the package, which decides how long is waited and what is asked again (tests/clients)."""
    return ["/usr/bin/env", "PYTHONPATH=" + os.path.join(OPTIONS["source"], "clients", "python"), "/usr/bin/python3",
            os.path.join(EXAMPLES, "python", "check.py"), socket, file, *[m.replace("--policy=", "") for m in more]]


MODULES = tempfile.mkdtemp(prefix="weighlock-modules-")
os.symlink(os.path.join(OPTIONS["source"], "clients", "node"), os.path.join(MODULES, "weighlock"))
atexit.register(shutil.rmtree, MODULES)


def node(socket, file, attempts, silence, *more):
    """Likewise."""
    return ["/usr/bin/env", "NODE_PATH=" + MODULES, "/usr/bin/node", os.path.join(EXAMPLES, "node", "check.js"), socket, file,
            *[m.replace("--policy=", "") for m in more]]


def c(*ways):
    def command(socket, file, attempts, silence, *more):
        return [OPTIONS["example"], *ways, "-a", str(attempts), "-s", str(silence), *[m.replace("--policy=", "-p") for m in more], socket, file]
    return command


WHOLE = {"c in place": c(), "c upload": c("-u"), "c in chunks": c("-c")}  # do everything themselves
PROGRAMS = {"python": python, "node": node, **WHOLE}


def run(program, socket, file, attempts=1, silence=5, *more):
    """(exit code, verdict or None, stderr)"""
    done = subprocess.run(PROGRAMS[program](socket, file, attempts, silence, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=180)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def corpus(name):
    return os.path.join(FILES, name + ".safetensors")


class Good:
    """with Good() as path: a file with GOOD in it"""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="weighlock-example-")
        path = os.path.join(self.folder, "m.safetensors")
        with open(path, "wb") as f:
            f.write(GOOD)
        return path

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


def each(check, programs=None):
    """check(program) for all of them at a time."""
    with concurrent.futures.ThreadPoolExecutor(len(PROGRAMS)) as pool:
        for done in [pool.submit(check, program) for program in programs or PROGRAMS]:
            done.result()


# -- the daemon --

def test_good_bad_and_doubtful_files():
    with Daemon(OPTIONS["weighlockd"]) as d:
        def check(program):
            for file, code, value in ((corpus("off-one-tensor"), 0, "accept"), (corpus("off-overlap-partial"), 1, "reject"),
                                      (corpus("weights-f16-mixed"), 3, "review")):
                got = run(program, d.socket, file)
                assert got[0] == code and got[1]["verdict"] == value, (program, got)
            assert run(program, d.socket, corpus("weights-f16-mixed"), 1, 5, "--policy=strict")[0] == 1, program
            assert run(program, d.socket, corpus("off-one-tensor"), 1, 5, "--policy=nonesuch")[0] == 2, program
        each(check)


def test_a_large_file_with_progress():
    size = 100 << 20 if not SANITIZED else 10 << 20
    with Daemon(OPTIONS["weighlockd"], config="progress_seconds: 1\n") as d, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.safetensors")
        text = json.dumps({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
        with open(path, "wb") as f:
            f.write(len(text).to_bytes(8, "little") + text)
            f.truncate(8 + len(text) + size)

        def check(program):
            code, got, progress = run(program, d.socket, path, 1, 20)
            assert code == 0 and got["file"]["size"] == os.path.getsize(path) and "event" in progress, (program, code, progress)
        each(check, WHOLE)


def test_errors_of_scans():
    with Daemon(OPTIONS["weighlockd"], config=f"worker: {OPTIONS['fake_worker']}\n") as d, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.safetensors")
        with open(path, "wb") as f:
            f.write(b"MODE:die\n")

        def check(program):
            code, got, stderr = run(program, d.socket, path)
            assert code == 2 and "worker-crashed" in stderr, (program, code, got, stderr)
        each(check)


def test_files_larger_than_the_limit():
    with Daemon(OPTIONS["weighlockd"], config="max_body: 100000\n") as d, Good() as file:
        def check(program):
            code, got, stderr = run(program, d.socket, file, 3)
            assert code == 2 and got is None and ("too-large" in stderr or "413" in stderr), (program, code, stderr)
        each(check)


def test_no_daemon_and_wrong_usage():
    with Good() as file:
        def check(program):
            assert run(program, "/nonexistent/socket", file)[0] == 2, program
            assert run(program, "/nonexistent/socket", "/nonexistent/file")[0] == 4, program
            wrong = subprocess.run(PROGRAMS[program]("x", "y", 1, 1)[:-2], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            assert wrong.returncode == 4 and b"usage" in wrong.stderr, program
        each(check)


# -- servers that are not as they should be --

def test_the_servers_answer_would_be_an_accept():
    """What the next tests change one thing of."""
    with Good() as file, Server(says(stream(PROGRESS, verdict(GOOD)))) as s:
        def check(program):
            assert run(program, s.path, file)[0] == 0, program
        each(check)


def never_accepted(answers):
    """(name, answer): none of them makes a program end with 0.  One way of C, for what is read is the same in all."""
    with Good() as file:
        for name, answer in answers:
            with Server(says(answer)) as s:
                def check(program):
                    code, _, stderr = run(program, s.path, file)
                    assert code == 2 and stderr, (program, name, code, stderr)
                each(check, ["python", "node", "c upload"])


def test_a_stream_that_is_cut_is_never_an_accept():
    whole = stream(PROGRESS, verdict(GOOD))
    head, last, end = whole.index(b"\r\n\r\n") + 4, whole.rindex(b'{"schema"'), whole.rindex(b"}")
    never_accepted((n, whole[:n]) for n in (0, 10, head, last, last + 40, end, end + 1, len(whole) - 5))


LIES = {
    "another size": stream(verdict(GOOD, file={"name": "m", "size": len(GOOD) - 1, "sha256": "0" * 64})),
    "not complete": stream(verdict(GOOD, complete=False)),
    "another schema": stream(verdict(GOOD, schema="weighlock.verdict/9")),
    "nothing but the word": stream('{"verdict":"accept"}'),
    "not JSON": stream("accept"),
    "more behind the verdict": stream(verdict(GOOD), PROGRESS),
    "two verdicts": stream(verdict(GOOD, "reject"), verdict(GOOD)),
    "progress only": stream(PROGRESS),
    "nothing": stream(),
    "a problem": stream('{"type":"urn:weighlock:problem:internal","title":"x","status":500,"retry":"never"}'),
    "garbage": b"\x00\xff" * 5000,
    "an endless head": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 50000,
    "an endless line": stream("x" * (3 << 20)),
    "no framing": b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n",
    "a wrong chunk": stream(verdict(GOOD)).replace(b"0\r\n\r\n", b"zz\r\n\r\n"),
    "another status": stream(verdict(GOOD)).replace(b"200 OK", b"201 OK"),
    "a refusal with a verdict": plain(verdict(GOOD), "accept", "500 Oops"),
    "no stream": plain(verdict(GOOD)),
}


def test_lies_are_never_an_accept():
    never_accepted(LIES.items())


def test_json_that_says_two_things_is_never_an_accept():
    with Good() as file, Server(says(stream(verdict(GOOD).replace('"verdict": "accept"', '"verdict": "reject", "verdict": "accept"')))) as s:
        def check(program):
            assert run(program, s.path, file)[0] == 2, program
        each(check, ["python", "node", "c in place"])


def test_a_verdict_of_a_later_version_is_no_accept():
    with Good() as file, Server(says(stream(verdict(GOOD, "quarantine")))) as s:
        def check(program):
            assert run(program, s.path, file)[0] == 3, program
        each(check)


def test_an_accept_before_the_file_was_sent_is_none():
    def say(connection, head):
        connection.sendall(stream(verdict(GOOD)))

    with Good() as file, Server(say) as s:
        def check(program):
            assert run(program, s.path, file)[0] == 2, program
        each(check, ["node", "c upload", "c in chunks"])  # which wait for an invitation


def test_a_server_that_stalls_is_given_up():
    def say(connection, head):
        take_body(connection, head)
        connection.sendall(stream(PROGRESS, end=b""))
        over.wait()

    over = threading.Event()
    with Good() as file, Server(say) as s:
        def check(program):
            assert run(program, s.path, file, 1, 1)[0] == 2, program
        try:
            each(check, WHOLE)
        finally:
            over.set()


def first(n, answer, then):
    """The first n connections get one answer, the others another."""
    count = [0]

    def say(connection, head):
        count[0] += 1
        says(answer if count[0] <= n else then)(connection, head)

    return say


def test_asking_again_where_it_helps():
    accept = stream(PROGRESS, verdict(GOOD))
    later = stream(verdict(GOOD, "error", scan={"error": "worker-crashed", "retry": "later"}))
    with Good() as file:
        def check(program):
            for answer in (busy(), later, accept[:-30]):
                with Server(first(1, answer, accept)) as s:
                    assert run(program, s.path, file, 3)[0] == 0 and s.seen == 2, (program, answer[:60], s.seen)
        each(check, WHOLE)


def test_not_asking_again_where_it_does_not():
    never = stream(verdict(GOOD, "error", scan={"error": "limit-size", "retry": "never"}))
    refusal = busy().replace(b"later", b"never")
    with Good() as file:
        def check(program):
            for answer, code in ((never, 2), (refusal, 2), (stream(verdict(GOOD, "reject")), 1), (stream(verdict(GOOD, "review")), 3)):
                with Server(says(answer)) as s:
                    assert run(program, s.path, file, 3)[0] == code and s.seen == 1, (program, answer[:80], s.seen)
        each(check)


def test_asking_again_has_an_end():
    with Good() as file:
        def check(program):
            with Server(says(busy())) as s:
                assert run(program, s.path, file, 2)[0] == 2 and s.seen == 2, (program, s.seen)
        each(check, WHOLE)


def test_examples_use_nothing_else():
    with open(os.path.join(EXAMPLES, "python", "check.py"), encoding="utf-8") as f:
        imports = set(re.findall(r"^import (\w+)", f.read(), re.M))
    assert imports == {"json", "sys", "weighlock"}, imports
    with open(os.path.join(EXAMPLES, "node", "check.js"), encoding="utf-8") as f:
        modules = set(re.findall(r"require\('([^']+)'\)", f.read()))
    assert modules == {"weighlock"}, modules


tap.main(globals(), at_once=3)
