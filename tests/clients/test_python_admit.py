"""admit(): what is given are the bytes that were judged; a file that is not accepted leaves nothing; a known one costs no scan."""
import errno
import fcntl
import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import time

import tap
import weighlock
import weighlock.aio
import weighlock.hub
from daemon import Daemon, metric, model
from python_support import GOOD, OPTIONS, REJECTED, REVIEWED, Scratch, environment, given, raises, wait
from server import Server, says, stream, verdict
from weighlock import _files, _judges, _store

DIGEST = hashlib.sha256(GOOD).hexdigest()
KEPT = os.path.join("sha256", DIGEST[:2], DIGEST[2:], "m.safetensors")
NOBODY = 65534


async def given_async(admission):
    async with admission as a:
        return a.path, a.file.read(), a.sha256


def all_old(check):
    """check() in a world where every file is old enough to be known by its times."""
    before, _store.OLD_NS = _store.OLD_NS, -10**15
    try:
        check()
    finally:
        _store.OLD_NS = before


class Counted:
    """A program that is the command and counts how often it was asked to scan."""

    def __init__(self, s):
        self.log = os.path.join(s.path, "asked")
        self.program = s.file("bin/weighlock", f"#!/bin/sh\necho >>{self.log}\nexec {OPTIONS['weighlock']} \"$@\"\n".encode())
        os.chmod(self.program, 0o755)

    def __call__(self):
        return os.path.getsize(self.log) if os.path.exists(self.log) else 0


# -- one file --

def test_what_is_given_is_the_stored_copy_under_its_digest_and_name():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d:
        path = s.file()
        for socket in ("", d.socket):
            with weighlock.admit(path, socket=socket) as a:
                assert a.path == os.path.realpath(os.path.join(s.cache, KEPT)) == os.fspath(a) and a.sha256 == DIGEST
                assert a.verdict.accepted and a.verdict.sha256 == DIGEST and a.verdict.name == "m.safetensors"
                assert a.file.read() == GOOD and os.stat(a.path).st_mode & 0o777 == 0o400
            assert s.kept() == [KEPT], s.kept()
            got = wait(given_async(weighlock.aio.admit(path, socket=socket)))
            assert got[1:] == (GOOD, DIGEST)


def test_what_is_not_accepted_raises_and_leaves_nothing():
    with Scratch() as s:
        for path, kind in ((REJECTED, weighlock.Rejected), (REVIEWED, weighlock.Rejected), ("/nonexistent", FileNotFoundError), ("/", IsADirectoryError)):
            e = raises(kind, given, weighlock.admit(path))
            assert kind is not weighlock.Rejected or e.verdict.findings
        raises(weighlock.Rejected, wait, given_async(weighlock.aio.admit(REJECTED)))
        raises(weighlock.Rejected, given, weighlock.admit(REJECTED, memory=True))
        assert s.kept() == [] and os.listdir(os.path.join(s.cache, "sha256")) == [] == os.listdir(os.path.join(s.cache, "known"))


def test_an_accept_about_other_bytes_is_none():
    with Scratch() as s:
        path, other = s.file(), model(3000 - 1) + b"x"
        assert len(other) == len(GOOD)

        def say(connection, head):
            if b"/v1/version" in head:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
            else:
                says(stream(verdict(other)))(connection, head)
        with Server(say) as server:
            raises(weighlock.NotJudged, given, weighlock.admit(path, socket=server.path))
            raises(weighlock.NotJudged, given, weighlock.admit(path, memory=True, socket=server.path))
        assert s.kept() == []


def test_a_known_file_costs_no_scan_and_an_unknown_one_does():
    with Scratch() as s:
        asked, path = Counted(s), s.file()

        def check():
            with environment(WEIGHLOCK_COMMAND=asked.program):
                for _ in range(3):
                    assert given(weighlock.admit(path))[1] == GOOD
                assert asked() == 1
                given(weighlock.admit(path, policy="strict"))
                assert asked() == 2, "another policy"
                given(weighlock.admit(path, name="n.safetensors"))
                assert asked() == 3, "another name"
                s.file(content=GOOD)  # written again: other times
                given(weighlock.admit(path))
                assert asked() == 4
                with open(asked.program, "ab") as f:
                    f.write(b"# another version\n")
                given(weighlock.admit(path))
                assert asked() == 5, "another judge"
                today, tomorrow = _judges.today, _judges.today() + 1
                _judges.today = lambda: tomorrow
                try:
                    given(weighlock.admit(path))
                finally:
                    _judges.today = today
                assert asked() == 6, "a rule may have expired"
        all_old(check)
        assert sorted(os.path.basename(k) for k in s.kept()) == ["m.safetensors", "n.safetensors"]


def test_what_was_changed_less_than_two_seconds_ago_is_hashed_again():
    with Scratch() as s:
        asked, path = Counted(s), s.file()
        with environment(WEIGHLOCK_COMMAND=asked.program):
            given(weighlock.admit(path))
            given(weighlock.admit(path))
            assert asked() == 2, "a source that young is known by nothing"
            os.unlink(asked.log)
            time.sleep(2.1)
            hashed, before = [], _store.digest_of
            _store.digest_of = lambda fd, *more: hashed.append(fd) or before(fd, *more)
            try:
                given(weighlock.admit(path))  # the source is old enough now, and noted; what is kept was young when it was noted
                given(weighlock.admit(path))
                assert asked() == 1 and hashed, "the stored copy was not hashed again"
                del hashed[:]
                given(weighlock.admit(path))
                assert not hashed and asked() == 1, "both are old, and known"
            finally:
                _store.digest_of = before


def test_a_stored_copy_that_was_changed_is_found_and_replaced():
    with Scratch() as s:
        path = s.file()
        kept = os.path.join(s.cache, KEPT)

        def edit():
            os.chmod(kept, 0o600)
            with open(kept, "r+b") as f:
                f.seek(-1, 2)
                f.write(b"!")

        def truncate():
            os.chmod(kept, 0o600)
            os.truncate(kept, 10)

        def replace():
            os.unlink(kept)
            with open(kept, "wb") as f:
                f.write(b"x" * len(GOOD))

        def link():
            os.unlink(kept)
            os.symlink(REJECTED, kept)

        def folder():
            os.unlink(kept)
            os.mkdir(kept)

        def check():
            for change in (edit, truncate, replace, link, folder, lambda: os.unlink(kept)):
                given(weighlock.admit(path))
                change()
                assert given(weighlock.admit(path))[1:3] == (GOOD, GOOD), change
                assert s.kept() == [KEPT], (change, s.kept())
        check()
        all_old(check)


def test_what_is_changed_while_it_is_in_use_is_an_error_at_the_end():
    with Scratch() as s:
        path = s.file()

        def change(a):
            os.chmod(a.path, 0o600)
            with open(a.path, "r+b") as f:
                f.write(b"!")

        def used(what):
            with weighlock.admit(path) as a:
                what(a)
        for what in (change, lambda a: os.unlink(a.path), lambda a: os.truncate(a.path, 3), lambda a: os.replace(s.file("x"), a.path)):
            raises(weighlock.NotJudged, used, what)
            used(lambda a: None)
        e = raises(KeyError, used, lambda a: (change(a), {}["x"]))  # what went wrong inside is told first
        assert e.args == ("x",)


def test_a_source_that_grows_is_copied_as_far_as_it_was():
    with Scratch() as s:
        path = s.file()
        before = _files.os.copy_file_range

        def grow(source, to, n, *more):
            with open(path, "ab") as f:
                f.write(b"more")
            return before(source, to, n, *more)
        _files.os.copy_file_range = grow
        try:
            assert given(weighlock.admit(path))[1] == GOOD
        finally:
            _files.os.copy_file_range = before
        raises(weighlock.Rejected, given, weighlock.admit(path))


def test_copies_are_made_wherever_the_file_system_helps_or_not():
    with Scratch() as s:
        path = s.file()
        before = _files.os.copy_file_range
        for result in (lambda *a: 0, lambda *a: (_ for _ in ()).throw(OSError(errno.EXDEV, "x"))):
            _files.os.copy_file_range = result
            try:
                assert given(weighlock.admit(path, into=os.path.join(s.path, "a")))[1] == GOOD
                shutil.rmtree(os.path.join(s.path, "a"))
            finally:
                _files.os.copy_file_range = before
        real, os.O_TMPFILE = os.O_TMPFILE, 0  # a file system without: opening the folder to write is EISDIR
        try:
            assert given(weighlock.admit(path))[1] == GOOD
            raises(weighlock.Rejected, given, weighlock.admit(REJECTED))
        finally:
            os.O_TMPFILE = real
        assert s.kept() == [KEPT], s.kept()


def test_a_name_that_is_a_link_is_followed_and_keeps_its_name():
    with Scratch() as s:
        os.symlink(s.file("blob"), os.path.join(s.path, "m.safetensors"))
        assert given(weighlock.admit(os.path.join(s.path, "m.safetensors")))[0].endswith("/m.safetensors")
        for name in ("..", "a/b", "."):
            raises(ValueError, given, weighlock.admit(s.file(), name=name))


def test_an_admission_can_be_entered_again_and_its_file_be_closed_before():
    with Scratch() as s:
        admission = weighlock.admit(s.file())
        for _ in range(2):
            with admission as a, admission as b:
                assert a.file.read() == GOOD == b.file.read() and a is not b
                a.file.close()

        async def twice():
            other = weighlock.aio.admit(s.file())
            return [(await given_async(other))[1] for _ in range(2)]
        assert wait(twice()) == [GOOD, GOOD]


def test_memory_is_sealed_and_nothing_is_kept():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d:
        path = s.file()
        for socket in ("", d.socket):
            with weighlock.admit(path, memory=True, socket=socket) as a:
                assert a.path.startswith("/proc/self/fd/") and a.sha256 == DIGEST == a.verdict.sha256
                with open(a.path, "rb") as f:
                    assert f.read() == GOOD == a.file.read()
                assert fcntl.fcntl(a.file.fileno(), 1034) == 0xF  # F_GET_SEALS
                writing = os.open(a.path, os.O_RDWR)
                raises(PermissionError, os.pwrite, writing, b"!", 0)
                raises(PermissionError, os.ftruncate, writing, 1)
                os.close(writing)
            assert a.file.closed
        assert not os.path.exists(s.cache)


def test_the_command_keeps_in_the_same_place():
    with Scratch() as s:
        path, into = s.file(), os.path.join(s.path, "kept")
        for order in (0, 1):
            done = subprocess.run([OPTIONS["weighlock"], "admit", path, "--into", into], stdout=subprocess.PIPE, text=True, check=True)
            assert done.stdout == given(weighlock.admit(path, into=into))[0] + "\n", done
            shutil.rmtree(into)
            given(weighlock.admit(path, into=into))


# -- the folder --

def test_a_folder_that_others_can_change_is_refused():
    with Scratch() as s:
        path = s.file()

        def refused(folder):
            raises(weighlock.UnsafeFolder, given, weighlock.admit(path, into=folder))
        for mode in (0o777, 0o722, 0o1777, 0o770):  # of the last one the group is this user's own
            folder = os.path.join(s.path, f"f{mode:o}")
            os.mkdir(folder)
            os.chmod(folder, mode)
            refused(folder)
        os.makedirs(os.path.join(s.path, "open", "in"))
        os.chmod(os.path.join(s.path, "open"), 0o777)  # who can write there can put another one in its place
        refused(os.path.join(s.path, "open", "in"))
        os.chmod(os.path.join(s.path, "open"), 0o1777)
        given(weighlock.admit(path, into=os.path.join(s.path, "open", "in")))
        os.symlink(os.path.join(s.path, "open", "in"), os.path.join(s.path, "link"))
        refused(os.path.join(s.path, "link"))
        refused(path)
        if os.geteuid() == 0:
            os.makedirs(os.path.join(s.path, "planted", "known"))
            os.chmod(os.path.join(s.path, "planted", "known"), 0o777)
            refused(os.path.join(s.path, "planted"))
            os.mkdir(os.path.join(s.path, "theirs"), 0o700)
            os.chown(os.path.join(s.path, "theirs"), NOBODY, NOBODY)
            refused(os.path.join(s.path, "theirs"))
        given(weighlock.admit(path, into=os.path.join(s.path, "new", "one")))
        assert os.stat(os.path.join(s.path, "new", "one")).st_mode & 0o777 == 0o700


def test_folders_that_are_made_are_fit_whatever_the_umask_is():
    with Scratch() as s:
        path, before = s.file(), os.umask(0o002)
        try:
            given(weighlock.admit(path, into=os.path.join(s.path, "of", "several", "new", "ones")))
        finally:
            os.umask(before)


def test_the_folder_is_where_the_cache_is():
    with Scratch() as s, environment(XDG_CACHE_HOME=None, HOME=s.path):
        assert given(weighlock.admit(s.file()))[0].startswith(os.path.realpath(s.path) + "/.cache/weighlock/sha256/")
        with environment(XDG_CACHE_HOME="relative"):
            assert _store.default_folder() == os.path.join(s.path, ".cache", "weighlock")


def test_what_is_in_the_list_and_wrong_is_passed_over():
    with Scratch() as s:
        path = s.file()
        for text in (b"", b"[]", b"{}", b'{"sha256": 1}', b'{"rows": {}}', b"\xff", b'{"boot":"x","rows":{"":[1]},"digests":{"":"y"},"documents":[]}'):
            given(weighlock.admit(path))
            for entry in os.listdir(os.path.join(s.cache, "known")):
                with open(os.path.join(s.cache, "known", entry), "wb") as f:
                    f.write(text)
            assert given(weighlock.admit(path))[1] == GOOD, text


def test_another_boot_hashes_again():
    with Scratch() as s:
        path = s.file()

        def check():
            given(weighlock.admit(path))
            kept = os.path.join(s.cache, KEPT)
            before, boot = os.stat(kept), _store.boot_id
            (entry,) = [e for e in os.listdir(os.path.join(s.cache, "known"))
                        if b"rows" in open(os.path.join(s.cache, "known", e), "rb").read()]
            os.chmod(kept, 0o600)
            with open(kept, "wb") as f:
                f.write(bytes(len(GOOD)))  # what a crash can leave
            with open(os.path.join(s.cache, "known", entry), "r+", encoding="utf-8") as f:
                noted = json.load(f)
                noted["rows"][""] = _store.row_of(os.stat(kept))
                f.seek(0)
                f.truncate()
                json.dump(noted, f)
            assert before.st_size == len(GOOD)
            _store.boot_id = lambda: "another"
            try:
                assert given(weighlock.admit(path))[1] == GOOD
            finally:
                _store.boot_id = boot
        all_old(check)


def killed_at(path, name):
    """A process that is killed when it comes to a function of the store."""
    pid = os.fork()
    if pid == 0:
        setattr(_store.Store if hasattr(_store.Store, name) else _store.os, name, lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL))
        given(weighlock.admit(path) if os.path.isfile(path) else weighlock.admit_folder(path))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL, name


def test_a_crash_leaves_nothing_half_done():
    with Scratch() as s:
        path, folder = s.file(), os.path.join(s.path, "repo")
        s.file("repo/a/m.safetensors")
        for name in ("keep", "link", "note", "note_sources"):
            killed_at(path, name)
            assert s.kept() in ([], [KEPT]), s.kept()
        for name in ("keep_set", "rename", "note", "note_sources"):
            killed_at(folder, name)
        given(weighlock.admit(path))
        with weighlock.admit_folder(folder) as a:
            assert list(a.files) == ["a/m.safetensors"]
        assert os.listdir(os.path.join(s.cache, "staging")) == []


def admit_often(path, n, barrier, queue):
    try:
        barrier.wait()
        queue.put([given(weighlock.admit(path))[1:3] == (GOOD, GOOD) for _ in range(n)])
    except BaseException as e:  # noqa: BLE001 - told to the test
        queue.put([repr(e)])


def test_many_processes_admit_the_same_file_at_once():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d, environment(WEIGHLOCK_SOCKET=d.socket):
        path, n = s.file(), 8
        barrier, queue = multiprocessing.Barrier(n), multiprocessing.Queue()
        processes = [multiprocessing.Process(target=admit_often, args=(path, 5, barrier, queue)) for _ in range(n)]
        for p in processes:
            p.start()
        results = [queue.get(timeout=120) for _ in processes]
        for p in processes:
            p.join()
        assert all(r == [True] * 5 for r in results), results
        assert s.kept() == [KEPT] and metric(d, "scans_running") == 0


# -- folders --

def test_a_folder_is_given_with_its_names_and_its_verdict():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d:
        names = {"model.safetensors": GOOD, "sub/other.safetensors": model(7), "sub-a.md": b"# text\n"}
        for name, content in names.items():
            s.file("repo/" + name, content)
        folder = os.path.join(s.path, "repo")
        for socket in ("", d.socket):
            with weighlock.admit_folder(folder, socket=socket) as a:
                assert set(a.files) == set(names) and os.path.basename(a.path) == "repo" and a.verdict.accepted
                for name, content in names.items():
                    with open(os.path.join(a.path, name), "rb") as f:
                        assert f.read() == content, name
                listed = "".join(f"{hashlib.sha256(names[n]).hexdigest()}  {n}\0" for n in sorted(names))
                assert a.sha256 == hashlib.sha256(listed.encode()).hexdigest() and a.sha256[2:] in a.path
                assert len(a.verdict.files) == 3

        async def asynchronous():
            async with weighlock.aio.admit_folder(folder) as a:
                return sorted(a.files)
        assert wait(asynchronous()) == sorted(names)
        s.file("repo/x.py", b"import os\n")
        raises(weighlock.Rejected, given, weighlock.admit_folder(folder))
        raises(weighlock.Rejected, given, weighlock.admit_folder(folder, socket=d.socket))
        with weighlock.admit_folder(folder, exclude=["*.py"]) as a:
            assert set(a.files) == set(names)
        assert os.listdir(os.path.join(s.cache, "staging")) == []


def test_a_known_folder_is_found_again_and_a_changed_one_is_not():
    with Scratch() as s:
        asked, path = Counted(s), s.file("repo/a.safetensors")
        s.file("repo/b.safetensors")
        folder = os.path.dirname(path)

        def admitted():
            with weighlock.admit_folder(folder) as a:
                return a.path

        def check():
            with environment(WEIGHLOCK_COMMAND=asked.program):
                first = admitted()
                assert admitted() == first and asked() == 1
                for spoil in (lambda: os.unlink(first + "/a.safetensors"), lambda: shutil.copy(REJECTED, first + "/c.safetensors"),
                              lambda: os.rename(first + "/a.safetensors", first + "/z.safetensors"), lambda: os.symlink(REJECTED, first + "/y")):
                    spoil()
                    assert admitted() == first and sorted(os.listdir(first)) == ["a.safetensors", "b.safetensors"], spoil
                s.file("repo/c.safetensors")
                assert admitted() != first
        all_old(check)


def hub(s, link="../../blobs/{}"):
    """A folder of the cache, as snapshot_download() makes it."""
    digest, revision = "ab" * 32, "cd" * 20
    s.file(f"hub/models--org--name/blobs/{digest}")
    s.file("hub/models--org--name/refs/main", revision.encode())
    snapshot = os.path.join(s.path, "hub", "models--org--name", "snapshots", revision)
    os.makedirs(snapshot)
    os.symlink(link.format(digest), os.path.join(snapshot, "model.safetensors"))
    return snapshot


def test_a_snapshot_of_the_hub_becomes_a_folder_of_files():
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d:
        snapshot = hub(s)
        for folder in (snapshot, os.path.dirname(os.path.dirname(snapshot))):
            for socket in ("", d.socket):
                with weighlock.hub.snapshot(folder, socket=socket) as a:
                    assert not os.path.islink(a.files["model.safetensors"]) and os.path.getsize(a.files["model.safetensors"]) == len(GOOD)
        s.file("dl/.cache/huggingface/download/x.lock", b"")
        s.file("dl/model.safetensors")
        with weighlock.hub.snapshot(os.path.join(s.path, "dl")) as a:
            assert list(a.files) == ["model.safetensors"]


def test_links_that_lead_elsewhere_are_an_error():
    with Scratch() as s:
        raises(OSError, given, weighlock.hub.snapshot(hub(s, s.file("secret.safetensors"))))
        for bad in (lambda at: os.symlink("/nonexistent", at), os.mkfifo):
            folder = os.path.join(s.path, "repo")
            s.file("repo/m.safetensors")
            bad(os.path.join(folder, "bad"))
            raises(OSError, given, weighlock.admit_folder(folder))
            shutil.rmtree(folder)
        s.file("repo/a/m.safetensors")
        os.symlink("a/m.safetensors", os.path.join(folder, "inside.safetensors"))
        with weighlock.admit_folder(folder) as a:
            assert sorted(a.files) == ["a/m.safetensors", "inside.safetensors"] and not os.path.islink(a.files["inside.safetensors"])


# -- what is between the steps --

def test_the_source_may_be_exchanged_while_it_is_judged():
    with Scratch() as s:
        path = s.file()
        before = _judges.Command.file

        def exchanged(self, *arguments):
            os.replace(s.file("bad", b"pickle"), path)
            return (yield from before(self, *arguments))
        _judges.Command.file = exchanged
        try:
            assert given(weighlock.admit(path))[1:] == (GOOD, GOOD, DIGEST)
        finally:
            _judges.Command.file = before


tap.main(globals(), at_once=4)
