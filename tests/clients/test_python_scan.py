"""Judging through the package: by the daemon and by the command, blocking and with asyncio, and by servers that lie."""
import asyncio
import hashlib
import inspect
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import tap
import weighlock
import weighlock.aio
from daemon import Daemon, is_alive, metric, model, until
from python_support import GOOD, OPTIONS, REJECTED, REVIEWED, Scratch, environment, raises, wait
from server import Server, busy, plain, says, stream, verdict

DIGEST = hashlib.sha256(GOOD).hexdigest()


def both(check):
    """check(scan) for the blocking name and for the one of asyncio."""
    check(weighlock.scan)
    check(lambda *a, **k: wait(weighlock.aio.scan(*a, **k)))


def everywhere(check):
    """check(scan, socket), by the daemon and by the command as well."""
    with Daemon(OPTIONS["weighlockd"]) as d:
        for socket in (d.socket, ""):
            both(lambda scan, s=socket: check(lambda *a, **k: scan(*a, socket=s, **k)))


def test_paths_files_and_bytes_are_judged():
    with Scratch() as s:
        path = s.file()

        def check(scan):
            with open(path, "rb") as f:
                f.read(100)  # what is judged is the file, wherever its reader stands
                inputs = [path, GOOD, bytearray(GOOD), memoryview(GOOD), f, io.BytesIO(GOOD)]
                for what in inputs:
                    v = scan(what)
                    assert v.accepted and v.verdict == "accept" and v.sha256 == DIGEST and v.size == len(GOOD), (what, v)
                    assert v.format == "safetensors" and v.weights.tensors == 1 and v.tensors is None and v.require() is v
            assert scan(path).name == "m.safetensors" and scan(path, name="x/y.bin").name == "x/y.bin"
            for path_, word in ((REJECTED, "reject"), (REVIEWED, "review")):
                v = scan(path_)
                assert v.verdict == word and not v.accepted and v.findings[0].action == word, v
                assert raises(weighlock.Rejected, v.require).verdict is v
            assert scan(REVIEWED, policy="strict").verdict == "reject"
            assert scan(b"import os\n", name="setup.py").verdict == "review", "the name was not told"
        everywhere(check)


def test_tensors_are_listed_where_they_are_asked_for():
    def check(scan):
        (tensor,) = scan(GOOD, tensors=True).tensors
        assert (tensor.name, tensor.dtype, tensor.shape, tensor.sha256) == ("w", "U8", (3000,), None), tensor
        (tensor,) = scan(GOOD, tensor_digests=True).tensors
        assert tensor.sha256 == hashlib.sha256(GOOD[-3000:]).hexdigest() and tensor.offsets[1] == len(GOOD), tensor
    everywhere(check)


def test_another_digest_than_expected_is_no_verdict():
    with Scratch() as s:
        path = s.file()

        def check(scan):
            assert scan(path, sha256=DIGEST).accepted
            assert raises(weighlock.NotJudged, scan, path, sha256="0" * 64)
        everywhere(check)


def test_what_cannot_be_read_is_an_error_of_the_system():
    def check(scan):
        raises(FileNotFoundError, scan, "/nonexistent/file")
        raises(IsADirectoryError, scan, "/")
        raises(OSError, scan, "/dev/zero")
    both(check)


def test_sets_are_judged_whole():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d:
        paths = {name: s.file("repo/" + name, content) for name, content in
                 {"model.safetensors": GOOD, "sub/other.safetensors": model(10), "sub-a.txt": b"text\n", "README.md": b"# hi\n"}.items()}
        folder = os.path.join(s.path, "repo")
        for scan_set in (weighlock.scan_set, lambda *a, **k: wait(weighlock.aio.scan_set(*a, **k))):
            for socket in (d.socket, ""):
                for what in (folder, paths, list(paths.values())):
                    v = scan_set(what, socket=socket)
                    assert v.accepted and v.require() is v and len(v.files) == len(paths), (socket, what, v)
                os.symlink(REJECTED, os.path.join(folder, "bad.safetensors"))
                raises(OSError, scan_set, folder, socket=socket)  # the link leads out of it
                assert scan_set(folder, exclude=["bad.*"], socket=socket).accepted
                assert scan_set({**paths, "b/bad.safetensors": REJECTED}, socket=socket).verdict == "reject"
                os.unlink(os.path.join(folder, "bad.safetensors"))
                raises(ValueError, scan_set, {"../a": REJECTED}, socket=socket)


def test_rules_that_go_by_paths_see_the_same_names_everywhere():
    with Scratch() as s:
        rules = "".join(f"  - code: {code}\n    path: sub/x.safetensors\n    action: accept\n    reason: known\n    expires: 2099-01-01\n"
                        for code in ("weights-nan", "weights-inf"))
        policy = s.file("ours.yaml", b"version: 1\nname: ours\nbase: default\nrules:\n" + rules.encode())
        with open(REVIEWED, "rb") as f:
            s.file("repo/sub/x.safetensors", f.read())
        folder, here = os.path.join(s.path, "repo"), os.getcwd()
        with Daemon(OPTIONS["weighlockd"], config=f"policies:\n  ours: {policy}\n") as d:
            for policy_, socket in (("ours", d.socket), (policy, ""), ("ours.yaml", "")):
                os.chdir(s.path)
                try:
                    v = weighlock.scan_set(folder, policy=policy_, socket=socket)
                    with weighlock.admit_folder("repo", policy_, os.path.join(s.path, "into"), socket=socket) as a:
                        assert list(a.files) == ["sub/x.safetensors"]
                    assert weighlock.scan(REVIEWED, name="sub/x.safetensors", policy=policy_, socket=socket).accepted
                finally:
                    os.chdir(here)
                assert v.accepted and v.files[0].name == "sub/x.safetensors" and (v.name in (None, "repo")), v
                assert weighlock.scan_set(folder, socket=socket).verdict == "review"


def test_the_files_of_an_index_are_judged_against_each_other():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d:
        index = json.dumps({"metadata": {"total_size": 3000}, "weight_map": {"w": "model-00001-of-00001.safetensors"}}).encode()
        s.file("repo/model.safetensors.index.json", index)
        s.file("repo/model-00001-of-00001.safetensors")
        for socket in (d.socket, ""):
            assert weighlock.scan_set(os.path.join(s.path, "repo"), socket=socket).accepted
        s.file("repo/model.safetensors.index.json", index.replace(b'"w"', b'"v"'))
        for socket in (d.socket, ""):
            v = weighlock.scan_set(os.path.join(s.path, "repo"), socket=socket)
            assert not v.accepted and v.findings, v


def test_many_are_judged_in_their_order_and_a_few_at_a_time():
    with Daemon(OPTIONS["weighlockd"]) as d:
        taken = []

        def inputs():
            for i in range(20):
                taken.append(i)
                yield model(100 + i) if i != 7 else "/nonexistent"

        def expect(i, what, outcome):
            assert isinstance(outcome, FileNotFoundError) if i == 7 else outcome.sha256 == hashlib.sha256(what).hexdigest(), (i, outcome)

        for i, (what, outcome) in enumerate(weighlock.scan_many(inputs(), at_once=3, socket=d.socket)):
            expect(i, what, outcome)
            assert len(taken) <= i + 3, (i, len(taken))

        async def together():
            i = 0
            async for what, outcome in weighlock.aio.scan_many(inputs(), at_once=3, socket=d.socket):
                expect(i, what, outcome)
                i += 1
            return i
        assert wait(together()) == 20


def test_what_is_kept_is_told_and_what_is_not_is_none():
    state = tempfile.mkdtemp(prefix="weighlock-python-")
    os.chmod(state, 0o777)
    with Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {state}\n") as d:
        assert weighlock.stored(DIGEST, socket=d.socket) is None
        weighlock.scan(GOOD, socket=d.socket)
        assert until(lambda: weighlock.stored(DIGEST, socket=d.socket)).accepted
        assert wait(weighlock.aio.stored(DIGEST, socket=d.socket)).raw["scan"]["cached"] is True
        raises(ValueError, weighlock.stored, "../healthz", socket=d.socket)
    shutil.rmtree(state)
    raises(weighlock.Unavailable, weighlock.stored, DIGEST, socket="")


# -- errors --

def test_nobody_there_is_told_with_what_to_do():
    def check(scan):
        assert "start weighlockd" in str(raises(weighlock.Unavailable, scan, GOOD, socket="/nonexistent/socket"))
        with environment(WEIGHLOCK_SOCKET="/nonexistent/socket"):  # one that was named is never passed over
            raises(weighlock.Unavailable, scan, GOOD)
        with environment(WEIGHLOCK_COMMAND="/nonexistent/weighlock"):
            raises(weighlock.Unavailable, scan, GOOD, socket="")
        with environment(WEIGHLOCK_COMMAND=None, PATH="/nonexistent"):
            assert "install" in str(raises(weighlock.Unavailable, scan, GOOD, socket=""))
        with environment(WEIGHLOCK_COMMAND="/bin/false"):
            raises(weighlock.NotJudged, scan, GOOD, socket="")
        platform, sys.platform = sys.platform, "darwin"
        try:
            assert "Linux" in str(raises(weighlock.Unavailable, scan, GOOD))
        finally:
            sys.platform = platform
    both(check)


def test_a_policy_that_is_not_known_is_no_verdict():
    def check(scan):
        assert raises(weighlock.NotJudged, scan, GOOD, policy="nonesuch").retry_after is None
    everywhere(check)


def test_a_scan_that_does_not_finish_says_whether_asking_again_helps():
    with Daemon(OPTIONS["weighlockd"], config=f"worker: {OPTIONS['fake_worker']}\n") as d:
        def check(scan):
            e = raises(weighlock.NotJudged, scan, b"MODE:die\n", socket=d.socket)
            scan_ = e.verdict.raw["scan"]
            assert scan_["error"] == "worker-crashed" and (scan_["retry"] == "later") == (e.retry_after is not None), e
        both(check)
    with Daemon(OPTIONS["weighlockd"], config="max_body: 100\n") as d:
        assert raises(weighlock.NotJudged, weighlock.scan, GOOD, socket=d.socket).retry_after is None


def first(n, answer, then):
    seen = []

    def say(connection, head):
        seen.append(head)
        says(answer if len(seen) <= n else then)(connection, head)
    return say


def test_429_and_503_are_waited_for():
    accept = stream(verdict(GOOD))
    limited = busy().replace(b"503 Service", b"429 Service").replace(b'"status":503', b'"status":429')
    for answer in (busy(), limited, stream(busy().split(b"\r\n\r\n")[1].decode())):
        def check(scan):
            with Server(first(1, answer, accept)) as s:
                assert scan(GOOD, socket=s.path).accepted and s.seen == 2, s.seen
        both(check)


def test_waiting_ends_with_the_callers_time():
    def check(scan):
        with Server(says(busy(100))) as s:
            before = time.monotonic()
            assert raises(weighlock.NotJudged, scan, GOOD, socket=s.path, timeout=30).retry_after == 100
            assert s.seen == 1 and time.monotonic() - before < 20
        with Server(lambda connection, head: time.sleep(3)) as s:
            raises(weighlock.NotJudged, scan, GOOD, socket=s.path, timeout=0.5)
    both(check)


def test_what_is_not_busy_is_not_asked_again():
    for answer in (busy().replace(b"later", b"never"), busy().replace(b"503", b"507"), plain("x", None, "502 Bad")):
        with Server(says(answer)) as s:
            raises(weighlock.NotJudged, weighlock.scan, GOOD, socket=s.path)
            assert s.seen == 1, answer


def test_an_accept_that_is_not_proven_is_none():
    short = {"name": "m", "size": len(GOOD) - 1, "sha256": DIGEST}
    for name, answer in {
            "another size": stream(verdict(GOOD, file=short)), "no digest": stream(verdict(GOOD, file={**short, "size": len(GOOD), "sha256": None})),
            "another file": stream(verdict(GOOD, file={**short, "size": len(GOOD), "sha256": "0" * 64})),
            "not complete": stream(verdict(GOOD, complete=False)), "another schema": stream(verdict(GOOD, schema="weighlock.verdict/9")),
            "a digest that is claimed": stream(verdict(GOOD, scan={"digest_by": "caller"})),
            "the word": stream('{"verdict":"accept"}'), "two verdicts": stream(verdict(GOOD, "reject"), verdict(GOOD)),
            "more behind it": stream(verdict(GOOD), '{"schema":"x"}'), "cut": stream(verdict(GOOD))[:-5],
            "no stream": plain(verdict(GOOD))}.items():
        def check(scan):
            with Server(says(answer)) as s:
                assert raises(weighlock.NotJudged, scan, GOOD, socket=s.path), name
        both(check)


def test_a_word_of_a_later_version_is_no_accept():
    with Server(says(stream(verdict(GOOD, "quarantine")))) as s:
        v = weighlock.scan(GOOD, socket=s.path)
        assert not v.accepted and raises(weighlock.Rejected, v.require)


def test_an_accept_of_a_set_is_of_the_files_that_were_given():
    with Scratch() as s:
        paths = {"a": s.file("a"), "b": s.file("b")}
        row = {"verdict": "accept", "sha256": DIGEST, "size": len(GOOD), "format": "safetensors"}
        good = {"schema": "weighlock.set/1", "verdict": "accept", "complete": True, "sha256": "0" * 64, "findings": [], "name": None,
                "members": [{"name": "a", **row}, {"name": "b", **row}]}

        def judged(document, files=2):
            with Server(says(stream(*[verdict(GOOD)] * files, json.dumps(document)))) as server:
                return weighlock.scan_set(paths, socket=server.path)
        assert judged(good).accepted
        for bad in ({**good, "members": good["members"][:1]}, {**good, "complete": False}, {**good, "schema": "weighlock.set/2"},
                    {**good, "members": [good["members"][0], {**good["members"][1], "size": 1}]},
                    {**good, "members": [good["members"][0], {**good["members"][1], "verdict": "review"}]}):
            raises(weighlock.NotJudged, judged, bad)
        raises(weighlock.NotJudged, judged, good, 1)


# -- around it --

def test_html_shows_names_as_text():
    name = '<script>alert("x")</script>'
    finding = {"code": "x", "class": "malformed", "severity": "high", "action": "reject", "message": "m", "subject": "<img src=x>"}
    v = weighlock.Verdict.of(json.loads(verdict(GOOD, "reject", file={"name": name, "size": 1, "sha256": None}, findings=[finding])))
    shown = v._repr_html_() + weighlock.SetVerdict.of({"verdict": name, "findings": [finding]}, [v.raw])._repr_html_()
    assert "<script" not in shown and "<img" not in shown and "&lt;script&gt;" in shown and "&lt;img" in shown, shown


def test_names_of_asyncio_are_the_same():
    for name in ("scan", "scan_set", "scan_many", "stored", "admit", "admit_folder"):
        one, other = inspect.signature(getattr(weighlock, name)), inspect.signature(getattr(weighlock.aio, name))
        assert list(one.parameters.values()) == list(other.parameters.values()), name


def test_a_cancelled_scan_leaves_no_descriptor_and_no_process():
    def opened():
        return len(os.listdir("/proc/self/fd"))

    async def cancelled(socket, begun):
        task = asyncio.ensure_future(weighlock.aio.scan(GOOD, socket=socket))
        while not begun():
            await asyncio.sleep(0.01)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    reached = threading.Event()
    before = opened()
    with Server(lambda connection, head: (reached.set(), connection.recv(1))) as s:
        assert wait(cancelled(s.path, reached.is_set))
    assert until(lambda: opened() <= before), "descriptors are left"
    with Scratch() as s:
        program = s.file("slow", b"#!/bin/sh\necho $$ >$0.pid\nexec sleep 600\n")
        os.chmod(program, 0o755)
        with environment(WEIGHLOCK_COMMAND=program):
            assert wait(cancelled("", lambda: os.path.exists(program + ".pid") and os.path.getsize(program + ".pid")))
            with open(program + ".pid", encoding="ascii") as f:
                assert until(lambda: not is_alive(int(f.read() or 0))), "the process is left"
            before_s = time.monotonic()
            raises(weighlock.NotJudged, weighlock.scan, GOOD, socket="", timeout=0.5)
            assert time.monotonic() - before_s < 30


def test_a_hundred_scans_with_asyncio_at_a_time():
    with Daemon(OPTIONS["weighlockd"]) as d:
        async def all_of_them():
            return await asyncio.gather(*[weighlock.aio.scan(model(100 + i), socket=d.socket) for i in range(100)])
        assert all(v.accepted for v in wait(all_of_them()))
        assert metric(d, "scans_running") == 0


ELSEWHERE = """
import asyncio, os, subprocess, sys, tempfile, concurrent.futures
for name in [n for n in dir(os) if n.startswith(("O_", "MFD_")) and n not in ("O_RDONLY", "O_RDWR", "O_CREAT")] + ["geteuid", "memfd_create"]:
    delattr(os, name)
for name in ("fcntl", "grp", "pwd"):
    sys.modules[name] = None
sys.platform = "win32"
import weighlock, weighlock.aio, weighlock.hub, weighlock.torch, weighlock.numpy, weighlock.joblib, weighlock.safetensors
for ask in (lambda: weighlock.scan(b"x"), lambda: weighlock.admit("x").__enter__(), lambda: weighlock.admit_folder("x").__enter__(),
            lambda: asyncio.run(weighlock.aio.scan(b"x")), lambda: weighlock.stored("0" * 64), lambda: weighlock.scan_set("x")):
    try:
        ask()
    except weighlock.Unavailable as e:
        print("Linux" in str(e))
"""


def test_elsewhere_it_can_be_imported_and_says_what_to_do():
    env = {**os.environ, "PYTHONPATH": os.path.join(OPTIONS["source"], "clients", "python")}
    done = subprocess.run(["/usr/bin/python3", "-c", ELSEWHERE], stdout=subprocess.PIPE, text=True, check=True, env=env)
    assert done.stdout.split() == ["True"] * 6, done.stdout


def test_the_package_needs_nothing_else():
    code = "import sys, weighlock, weighlock.aio; print(sorted(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run(["/usr/bin/python3", "-S", "-I", "-c", f"import sys; sys.path.insert(0, {OPTIONS['source']!r} + '/clients/python'); " + code],
                          stdout=subprocess.PIPE, check=True, text=True)
    outside = {m for m in json.loads(done.stdout.replace("'", '"')) if m not in sys.stdlib_module_names} - {"weighlock", "__main__"}
    assert not outside, outside


tap.main(globals(), at_once=4)
