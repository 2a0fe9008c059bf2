"""On a terminal, and on none: colour, progress, and that nothing in a file moves the cursor.  Standard output and
standard error are one pseudo-terminal here, as they mostly are."""
import os
import pty
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import tap
from client_support import FakeDaemon, reply, reply_verdict
from fixtures import PATIENCE_S, WEIGHLOCK, environment, remove, safetensors, tree

ROOT = tree()
ESCAPE = b"\x1b["


def on_terminal(*arguments, env=None, watch=lambda seen, child: None):
    """Everything that reaches the terminal, and the exit status; watch() is told what came so far."""
    master, slave = pty.openpty()
    child = subprocess.Popen([WEIGHLOCK, *arguments], cwd=ROOT, env=environment(**(env or {})), stdin=slave, stdout=slave,
                             stderr=slave, start_new_session=True)
    os.close(slave)
    seen, began = b"", time.monotonic()
    while time.monotonic() - began < PATIENCE_S:
        ended = child.poll() is not None
        ready, _, _ = select.select([master], [], [], 0.05)
        try:
            data = os.read(master, 65536) if ready else b""
        except OSError:
            break
        seen += data
        watch(seen, child)
        if ended and not ready:
            break
    os.close(master)
    return seen, child.wait(PATIENCE_S)


def off_terminal(*arguments, env=None):
    return subprocess.run([WEIGHLOCK, *arguments], cwd=ROOT, env=environment(**(env or {})), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60).stdout


# ---- colour ----

def test_a_terminal_gets_colour():
    assert b"\x1b[32mACCEPT" in on_terminal("scan", "good.safetensors")[0]
    assert b"\x1b[1;31mREJECT" in on_terminal("scan", "bad.safetensors")[0]


def test_a_pipe_gets_none():
    assert ESCAPE not in off_terminal("scan", "mixed")


def test_no_color_is_obeyed():
    assert ESCAPE not in on_terminal("scan", "--no-progress", "mixed", env={"NO_COLOR": "1"})[0]


def test_an_empty_no_color_means_nothing():
    assert ESCAPE in on_terminal("scan", "--no-progress", "mixed", env={"NO_COLOR": ""})[0]


def test_a_dumb_terminal_gets_none():
    assert ESCAPE not in on_terminal("scan", "mixed", env={"TERM": "dumb"})[0]


def test_clicolor_force_colours_a_pipe():
    assert ESCAPE in off_terminal("scan", "mixed", env={"CLICOLOR_FORCE": "1"})
    assert ESCAPE not in off_terminal("scan", "mixed", env={"CLICOLOR_FORCE": "0"})
    assert ESCAPE not in off_terminal("scan", "mixed", env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"})


def test_the_option_wins():
    assert ESCAPE in off_terminal("scan", "--color", "always", "mixed", env={"NO_COLOR": "1"})
    assert ESCAPE not in on_terminal("scan", "--no-progress", "--color", "never", "mixed", env={"CLICOLOR_FORCE": "1"})[0]


def test_json_is_never_coloured():
    assert ESCAPE not in off_terminal("scan", "--color", "always", "--format", "json", "mixed")


# ---- what files bring ----

def test_no_escape_of_a_name_reaches_the_terminal():
    for format in ("text", "json"):
        seen, status = on_terminal("scan", "--no-progress", "--color", "never", "--format", format, "odd", "nowhere\x1b]0;title\x07\x9b")
        assert status == 2
        rest = seen.replace(b"\r\n", b"")
        bad = re.findall(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae", rest)
        assert not bad, (format, seen)


def test_no_escape_of_a_content_reaches_the_terminal():
    name = "evil\x1b[2J\n\u202e"
    from fixtures import write
    import json
    import struct
    header = json.dumps({name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
                         "__metadata__": {"\x1b[31m": "\x1b]0;x\x07"}}, ensure_ascii=False).encode()
    write(f"{ROOT}/evil.safetensors", struct.pack("<Q", len(header)) + header + b"\0\0\xc0\x7f")
    for arguments in (("-v",), ("--format", "json")):
        seen, status = on_terminal("scan", "--no-progress", "--color", "never", *arguments, "evil.safetensors")
        assert status == 1 and b"evil" in seen, seen
        bad = re.findall(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae", seen.replace(b"\r\n", b""))
        assert not bad, seen


def test_no_escape_of_a_daemon_reaches_the_terminal():
    evil = "\x1b[2J\u009b31m"
    verdict = {"schema": "weighlock.verdict/1", "verdict": "reject", "complete": True, "format": evil,
               "file": {"name": evil, "size": 1, "sha256": evil}, "policy": {"name": evil, "sha256": evil},
               "reasons": [evil], "weights": {"tensors": evil, "nonfinite": [{"tensor": evil, "dtype": evil}]},
               "findings": [{"code": evil, "severity": evil, "action": evil, "message": evil, "subject": evil,
                             "found": evil, "allowed": evil, "member": evil, "offset": evil}],
               "suppressed": [{"code": evil, "reason": evil}],
               "scan": {"error": evil, "detail": evil, "retry": evil, "engine": evil, "layers": [evil]}}
    with FakeDaemon(lambda request: reply_verdict(verdict)) as daemon:
        for arguments in (("-v",), ("--format", "json")):
            seen, _ = on_terminal("scan", "--no-progress", "--color", "never", "--socket", daemon.path, *arguments,
                                  "good.safetensors")
            bad = re.findall(rb"[\x00-\x1f]|\xc2[\x80-\x9f]", seen.replace(b"\r\n", b""))
            assert not bad and b"reject" in seen.lower(), (bad, seen)
            assert b"[2J" in seen or b"u001b[2J" in seen, seen  # it came, and as text


# ---- progress ----

def slow(wait):
    def answer(request):
        wait()
        return reply_verdict({"schema": "weighlock.verdict/1", "verdict": "accept", "complete": True,
                              "format": "safetensors", "file": {"name": "good.safetensors", "size": 72, "sha256": "0" * 64},
                              "policy": {"name": "default", "sha256": ""}, "findings": [], "scan": {"bytes": 72}})
    return answer


def until_drawn(n, *arguments):
    """As on_terminal(); the daemon answers when progress was drawn n times."""
    enough = threading.Event()

    def watch(seen, _):
        if seen.count(b"% 0 of 1 file,") >= n:
            enough.set()

    with FakeDaemon(slow(lambda: enough.wait(PATIENCE_S))) as daemon:
        return on_terminal("scan", "--color", "never", "--socket", daemon.path, *arguments, watch=watch)


def test_a_long_scan_shows_progress_and_takes_it_away_before_each_line():
    began = time.monotonic()
    seen, status = until_drawn(6, "good.safetensors")
    assert status == 0, seen
    drawn, seconds = seen.count(b"% 0 of 1 file,"), time.monotonic() - began
    assert 6 <= drawn <= 2 + 10 * (seconds - 1), f"ten times a second, after one: {seconds} s, {seen}"
    before, _, _ = seen.partition(b"ACCEPT")
    assert before.endswith(b"\r\x1b[K"), seen
    assert b" of 1 file" not in seen.partition(b"ACCEPT")[2], seen


def test_a_short_scan_shows_none():
    with FakeDaemon(slow(lambda: time.sleep(0.1))) as daemon:
        for _ in range(20):
            began = time.monotonic()
            seen, _ = on_terminal("scan", "--color", "never", "--socket", daemon.path, "good.safetensors")
            if time.monotonic() - began < 1:
                break
        else:
            raise tap.Skip("no scan is short here")
    assert ESCAPE not in seen and b" of 1 file" not in seen, seen


def test_progress_can_be_switched_off():
    with FakeDaemon(slow(lambda: time.sleep(1.6))) as daemon:
        for arguments, env in ((["--no-progress"], None), (["-q"], None), ([], {"TERM": "dumb"})):
            seen, _ = on_terminal("scan", *arguments, "--socket", daemon.path, "good.safetensors",
                                  env={"NO_COLOR": "1", **(env or {})})
            assert ESCAPE not in seen and b" of 1 file" not in seen, (arguments, seen)


def test_progress_never_wraps():
    name = "x" * 200
    os.link(f"{ROOT}/good.safetensors", f"{ROOT}/{name}")
    seen, _ = until_drawn(1, name)
    for line in seen.partition(b"ACCEPT")[0].split(b"\r"):
        assert len(line.replace(b"\x1b[K", b"")) < 80, line


def test_progress_over_a_folder_counts_all_of_it():
    folder = f"{ROOT}/counted"
    os.makedirs(f"{folder}/deep")
    for i in range(30):
        os.link(f"{ROOT}/good.safetensors", f"{folder}/{'deep/' * (i % 2)}{i}.safetensors")
    os.symlink("0.safetensors", f"{folder}/link")
    answers, enough = [], threading.Event()

    def answer(request):
        if request.of_set():
            return reply(404, b"{}")  # one of before there were sets
        answers.append(1)
        if len(answers) > 9:
            enough.wait(PATIENCE_S)
        return slow(lambda: None)(request)

    def watch(seen, _):
        if re.search(rb"% 9 of 30 files, 648 bytes of 2\.16 kB, \d+ s left, ", seen):
            enough.set()

    with FakeDaemon(answer) as daemon:
        seen, status = on_terminal("scan", "--color", "never", "--socket", daemon.path, "-j", "1", "--exclude", "link", "counted",
                                   watch=watch)
    assert enough.is_set() and status == 0, seen


def endless(path):
    """A file whose zeros take long."""
    with open(path, "wb") as f:
        f.write(safetensors(shape=(1,), end=1 << 40).replace(b"[1]", b"[%d]" % (1 << 38)))
        f.truncate(f.tell() + (1 << 40) - 4)


def test_progress_counts_what_is_remembered():
    """As much as it would be, had it been read."""
    folder, db = f"{ROOT}/remembered", f"{ROOT}/remembered.db"
    os.makedirs(folder)
    shutil.copy(f"{ROOT}/good.safetensors", f"{folder}/a.safetensors")
    off_terminal("scan", "--db", db, folder)
    os.truncate(f"{folder}/a.safetensors", 1 << 42)
    st = os.stat(f"{folder}/a.safetensors")
    with sqlite3.connect(db) as c:
        c.execute("UPDATE files SET settled = 1, inode = ?, size = ?, mtime = ?, ctime = ?", (st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns))
    c.close()
    endless(f"{folder}/b.safetensors")
    sent = []

    def watch(seen, child):
        if b"% 1 of 2 files, " in seen and not sent:
            sent.append(child.send_signal(signal.SIGINT))

    seen, status = on_terminal("scan", "--color", "never", "--db", db, folder, watch=watch)
    if b"4.4 TB of 5.5 TB" not in seen and b" 0 of 2 files" in seen:
        raise tap.Skip("a file system whose files are hashed")
    assert status == 130 and b"% 1 of 2 files, 4.4 TB of 5.5 TB" in seen, seen


def test_an_interrupted_scan_takes_its_progress_away():
    sent = []

    def watch(seen, child):
        if b" of 1 file" in seen and not sent:
            sent.append(child.send_signal(signal.SIGINT))

    never = threading.Event()
    with FakeDaemon(slow(lambda: never.wait(PATIENCE_S))) as daemon:
        seen, status = on_terminal("scan", "--socket", daemon.path, "good.safetensors", watch=watch)
    never.set()
    assert status == 130 and b" of 1 file" in seen and seen.endswith(b"\r\x1b[K"), (status, seen)


def test_a_scan_here_is_interrupted_while_worker_and_digester_are_at_a_file():
    """What they still point to is given up in order; in a sanitized build it shows where not."""
    endless(f"{ROOT}/endless.safetensors")
    sent = []

    def watch(seen, child):
        if b"0 of 1 file, " in seen and not sent:  # drawn while it is under way
            sent.append(child.send_signal(signal.SIGINT))

    seen, status = on_terminal("scan", "--color", "never", "endless.safetensors", watch=watch)
    os.unlink(f"{ROOT}/endless.safetensors")
    assert sent and status == 130 and seen.endswith(b"\r\x1b[K"), (status, seen)


try:
    tap.main(globals(), at_once=4)
finally:
    remove(ROOT)
