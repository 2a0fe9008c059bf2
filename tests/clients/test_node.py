"""The package for Node: by the daemon and by the command, of paths, bytes and streams, and beside servers that lie."""
import hashlib
import json
import os
import re
import subprocess
import tempfile
import threading

import tap
from daemon import Daemon
from python_support import GOOD, OPTIONS, REJECTED, REVIEWED, Scratch
from server import PROGRESS, Server, busy, says, stream, take_body, verdict

NODE = "/usr/bin/node"
PACKAGE = os.path.join(OPTIONS["source"], "clients", "node")
DIGEST = hashlib.sha256(GOOD).hexdigest()
ASK = """
const weighlock = require(process.env.PACKAGE);
const fs = require('fs');
const shown = (v) => v && { verdict: v.verdict, accepted: v.accepted, sha256: v.sha256, name: v.name, tensors: v.tensors && v.tensors.length };
const failed = (e) => ({ error: e.name, message: e.message, retryAfter: e.retryAfter, verdict: shown(e.verdict) });
const [file, socket] = process.argv.slice(1);
const options = { socket };
(async () => { CALL })().then((v) => console.log(JSON.stringify(v ?? null)), (e) => console.log(JSON.stringify(failed(e))));
"""


def node(call, *arguments, **environment):
    if not os.access(NODE, os.X_OK):
        raise tap.Skip("node is not installed")
    done = subprocess.run([NODE, "-e", ASK.replace("CALL", call), *arguments], timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "PACKAGE": PACKAGE, "WEIGHLOCK_COMMAND": OPTIONS["weighlock"], "WEIGHLOCK_SOCKET": "", **environment})
    assert done.returncode == 0 and not done.stderr, (call, done)
    return json.loads(done.stdout)


SCAN = "return shown(await weighlock.scan(INPUT, options));"
INPUTS = {"path": "file", "bytes": "fs.readFileSync(file)", "stream": "fs.createReadStream(file, { highWaterMark: 100 })",
          "web stream": "new Blob([fs.readFileSync(file)]).stream()", "generator": "(function* () { yield fs.readFileSync(file); })()"}


def everywhere(check):
    with Daemon(OPTIONS["weighlockd"]) as d:
        check(d.socket)
        check("")


def test_paths_bytes_and_streams_are_judged():
    def check(socket):
        for path, word in ((None, "accept"), (REJECTED, "reject"), (REVIEWED, "review")):
            with Scratch() as s:
                file = path or s.file()
                for kind, text in INPUTS.items():
                    got = node(SCAN.replace("INPUT", text), file, socket)
                    assert got["verdict"] == word and got["accepted"] == (word == "accept"), (socket, kind, got)
                    assert got["name"] == (os.path.basename(file) if kind == "path" else "-"), (socket, kind, got)
                    assert path or got["sha256"] == DIGEST, (socket, kind, got)
    everywhere(check)


def test_options_go_along():
    def check(socket):
        got = node("return shown(await weighlock.scan(file, {...options, policy: 'strict', name: 'n.safetensors', tensors: true}));", REVIEWED, socket)
        assert got["verdict"] == "reject" and got["name"] == "n.safetensors" and got["tensors"] >= 1, got
        got = node("(await weighlock.scan(file, options)).require()", REVIEWED, socket)
        assert got["error"] == "Rejected" and "weights-" in got["message"] and got["verdict"]["verdict"] == "review", got
    everywhere(check)


def test_many_come_in_their_order_and_errors_among_them():
    with Scratch() as s:
        call = ("const out = []; for await (const x of weighlock.scanMany([file, '/nonexistent', file, file], {...options, atOnce: 2}))"
                " out.push(x.verdict ? x.verdict.verdict : x.error.code); return out;")
        assert node(call, s.file(), "") == ["accept", "ENOENT", "accept", "accept"]


def test_what_a_daemon_keeps_can_be_asked_for():
    state = tempfile.mkdtemp(prefix="weighlock-node-")
    os.chmod(state, 0o777)
    with Scratch() as s, Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {state}\n") as d:
        call = ("const before = await weighlock.stored('%s', options); await weighlock.scan(fs.readFileSync(file), options);"
                " let after = null; while (after === null) after = await weighlock.stored('%s', options); return [before, shown(after)];")
        before, after = node(call % (DIGEST, DIGEST), s.file(), d.socket)
        assert before is None and after["sha256"] == DIGEST and after["accepted"], after
    assert node(f"await weighlock.stored('{DIGEST}', options)", "", "")["error"] == "Unavailable"


def test_what_is_admitted_are_the_bytes_that_were_judged():
    def check(socket):
        with Scratch() as s:
            file = s.file()
            got = node("return weighlock.admit(file, options);", file, socket, XDG_CACHE_HOME=os.path.join(s.path, "cache"))
            assert got.get("sha256") == DIGEST and got["path"].startswith(s.cache) and got["path"].endswith("/m.safetensors"), got
            with open(got["path"], "rb") as f:
                assert f.read() == GOOD
            refused = node("return weighlock.admit(file, {...options, into: '%s'});" % s.cache, REJECTED, socket)
            assert refused["error"] == "Rejected" and refused["message"] and refused["verdict"] is None, refused
            lost = node("return weighlock.admit(file, {...options, into: '%s'});" % s.cache, "/nonexistent", socket)
            assert lost["error"] == "NotJudged", lost
    everywhere(check)


def test_an_abort_ends_a_call_with_its_reason_and_a_timeout_is_no_verdict():
    over = threading.Event()

    def stall(connection, head):
        take_body(connection, head)
        connection.sendall(stream(PROGRESS, end=b""))
        over.wait()

    with Scratch() as s, Server(stall) as server:
        try:
            call = "const c = new AbortController(); const v = weighlock.scan(file, {...options, signal: c.signal}); c.abort(new TypeError('mine')); await v;"
            got = node(call, s.file(), server.path)
            assert got["error"] == "TypeError" and got["message"] == "mine", got
            got = node("await weighlock.scan(file, {...options, timeout: 300});", s.file(), server.path)
            assert got["error"] == "NotJudged" and got["message"] == "out of time", got
            got = node("await weighlock.scan(file, {...options, signal: AbortSignal.abort(new TypeError('before'))});", s.file(), "")
            assert got["message"] == "before", got
        finally:
            over.set()


def test_busy_is_waited_for_but_a_stream_goes_once():
    answers = [busy(), stream(PROGRESS, verdict(GOOD))]

    def say(connection, head):
        says(answers[min(server.seen, 2) - 1])(connection, head)

    with Scratch() as s, Server(say) as server:
        assert node(SCAN.replace("INPUT", "file"), s.file(), server.path)["accepted"] and server.seen == 2
    with Scratch() as s, Server(says(busy())) as server:
        got = node(SCAN.replace("INPUT", INPUTS["stream"]), s.file(), server.path)
        assert got["error"] == "NotJudged" and got["retryAfter"] >= 1 and server.seen == 1, got


def test_nobody_there_is_unavailable():
    with Scratch() as s:
        got = node(SCAN.replace("INPUT", "file"), s.file(), "/nonexistent/socket")
        assert got["error"] == "Unavailable" and "/nonexistent/socket" in got["message"], got
        got = node(SCAN.replace("INPUT", "file"), s.file(), "", WEIGHLOCK_COMMAND="/nonexistent/weighlock")
        assert got["error"] == "Unavailable", got


def test_bytes_that_change_on_the_way_are_not_accepted():
    """A verdict about other bytes than those that were sent."""
    with Scratch() as s, Server(says(stream(verdict(GOOD)))) as server:
        got = node(SCAN.replace("INPUT", "fs.readFileSync(file).fill(1, 100)"), s.file(), server.path)
        assert got["error"] == "NotJudged" and "not of the bytes" in got["message"], got


def test_names_that_come_twice_are_seen_at_any_depth():
    call = """const { readLines } = require(process.env.PACKAGE + '/wire.js'); const out = [];
    for (const t of ['{"a":1,"b":{"a":2}}', '{"a":[{"b":1},{"b":2}],"c":"\\\\"a\\\\":"}', '{"a":1,"a":2}', '{"x":[{"b":1,"c":{},"b":2}]}',
                     '{"a":{"b":1},"\\\\u0061":2}', '{"a":[1,2,"a","a"]}'])
      out.push(await readLines([Buffer.from(t + '\\n')], 1000).then(() => true, () => false));
    return out;"""
    assert node(call, "", "") == [True, True, False, False, False, True]


def test_the_types_tell_what_there_is():
    with open(os.path.join(PACKAGE, "index.d.ts"), encoding="utf-8") as f:
        told = f.read()
    exported = node("return Object.keys(weighlock).sort();", "", "")
    assert exported == sorted(re.findall(r"^export (?:class|function) (\w+)", told, re.MULTILINE)), exported


tap.main(globals())
