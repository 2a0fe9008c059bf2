"""recipes/pre-receive in a bare repository, by a real `git push`: a push is judged as what the branch will hold, and a project's
own files come in.  git-lfs is not needed: its objects are put where it keeps them."""
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import tap
from daemon import Daemon

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
RECIPE = os.path.join(OPTIONS["source"], "recipes", "pre-receive")
EVIL = b"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R."


def safetensors(**tensors):
    header, data = {}, b""
    for name, n in tensors.items():
        header[name] = {"dtype": "F32", "shape": [n], "data_offsets": [len(data), len(data) + 4 * n]}
        data += b"\0\0\x80\x3f" * n
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def index(total, **where):
    return json.dumps({"metadata": {"total_size": total}, "weight_map": where}).encode()


A, B = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
SET = {A: safetensors(a=2), B: safetensors(b=3), "model.safetensors.index.json": index(20, a=A, b=B)}


class Hub:
    def __init__(self, scratch, socket, **environment):
        self.bare, self.clone = os.path.join(scratch, "hub.git"), os.path.join(scratch, "clone")
        self.env = {"PATH": "/usr/bin:/bin", "HOME": scratch, "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a",
                    "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "WEIGHLOCK_SOCKET": socket,
                    **environment}
        self.git("init", "-q", "--bare", self.bare, cwd=scratch)
        shutil.copy(RECIPE, os.path.join(self.bare, "hooks", "pre-receive"))
        os.chmod(os.path.join(self.bare, "hooks", "pre-receive"), 0o755)
        self.git("clone", "-q", self.bare, self.clone, cwd=scratch)
        self.git("checkout", "-q", "-b", "main")

    def run(self, *arguments, cwd=None):
        return subprocess.run(["git", *arguments], cwd=cwd or self.clone, env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)

    def git(self, *arguments, cwd=None):
        done = self.run(*arguments, cwd=cwd)
        assert done.returncode == 0, done

    def commit(self, files):
        for name, data in files.items():
            path = os.path.join(os.fsencode(self.clone), os.fsencode(name))
            if data is None:
                os.unlink(path)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(data)
        self.git("add", "-A")
        self.git("commit", "-qm", "x", "--allow-empty")

    def push(self, *commits):
        """What is pushed, or b"" where it came in; if it did not, nothing of it is left."""
        before = self.run("rev-parse", "--verify", "-q", "HEAD").stdout.decode().strip()
        for files in commits:
            self.commit(files)
        done = self.run("push", "-q", "origin", "HEAD:main")
        if done.returncode == 0:
            return b""
        if before:
            self.git("reset", "-q", "--hard", before)
        assert done.stderr, done
        return done.stderr


    def without_hook(self, files):
        hook = os.path.join(self.bare, "hooks", "pre-receive")
        os.rename(hook, hook + ".off")
        assert self.push(files) == b""
        os.rename(hook + ".off", hook)


def hub(**environment):
    def decorate(test):
        def run():
            with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryDirectory() as scratch:
                test(Hub(scratch, d.socket, **environment))
        run.__name__ = test.__name__
        return run
    return decorate


@hub()
def test_a_project_s_own_files_come_in_and_what_runs_does_not(h):
    said = h.push({"README.md": b"# it\n", "src/train.py": b"import torch\nprint(1)\n", "src/run.sh": b"#!/bin/sh\nexit 0\n", "Makefile": b"all:\n",
                   "src/m.rs": b"#![allow(dead_code)]\nfn main() {}\n", "package.json": b'{"name": "x"}\n', "model.safetensors": safetensors(a=1)})
    assert said == b"", said
    said = h.push({"src/m.pkl": EVIL, "src/more.py": b"x = 1\n"})
    assert b"src/m.pkl: reject: " in said and b"more.py" not in said, said
    said = h.push({"m.pkl": EVIL}, {"m.pkl": None})
    assert b"m.pkl: reject: " in said, said  # in an earlier commit
    assert h.push({"more.md": b"text\n"}) == b""


@hub()
def test_a_push_is_judged_as_the_set_that_the_branch_will_hold(h):
    said = h.push({"sub/" + name: data for name, data in SET.items()})
    assert said == b"", said
    said = h.push({"sub/" + A: safetensors(other=2)})  # good by itself; the index says something else
    assert b"as a set" in said and A.encode() in said, said
    said = h.push({"sub/" + A: safetensors(a=4), "sub/model.safetensors.index.json": index(28, a=A, b=B)})
    assert said == b"", said  # beside a shard that was there
    said = h.push({"new/" + A: SET[A], "new/model.safetensors.index.json": SET["model.safetensors.index.json"]})
    assert b"index-shard-missing" in said, said


@hub()
def test_what_was_there_before_is_not_judged_again(h):
    h.without_hook({"old.pkl": EVIL})
    said = h.push({"new.safetensors": safetensors(a=1)})
    assert said == b"", said
    assert b"again.pkl: reject" in h.push({"again.pkl": EVIL})


@hub()
def test_an_lfs_object_is_judged_and_not_its_pointer(h):
    data = safetensors(a=2)
    oid = hashlib.sha256(data).hexdigest()
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (oid.encode(), len(data))
    said = h.push({"README.md": b"x\n", "w.safetensors": pointer})
    assert b"w.safetensors: " in said and b"is not here" in said, said
    for content, expected in ((data, b""), (EVIL, b"w.safetensors: ")):
        path = os.path.join(h.bare, "lfs", "objects", oid[:2], oid[2:4], oid)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)
        said = h.push({"w.safetensors": pointer} if content == data else {"again/w.safetensors": pointer})
        assert (said == b"") == (expected == b"") and expected in said, said


@hub()
def test_names_that_are_no_text_and_folders_with_odd_names_are_judged(h):
    said = h.push({b"odd \xff.safetensors": safetensors(a=1), ":(glob)*/x.safetensors": safetensors(a=1), ":(glob)*/y.md": b"y\n"})
    assert said == b"", said
    said = h.push({b"f/odd \xfe.pkl": EVIL, "f/a.md": b"a\n"})
    assert b".pkl: reject" in said and b"a.md" not in said, said


@hub(WEIGHLOCK_POLICY="strict")
def test_the_operator_s_policy_counts(h):
    said = h.push({"a.py": b"print(1)\n", "b.md": b"b\n"})
    assert b"a.py: reject" in said and b"b.md" not in said, said


@hub()
def test_a_folder_with_more_files_than_a_set_has_is_judged_file_by_file(h):
    h.without_hook({f"many/{i}.md": b"x\n" for i in range(1025)})
    assert b"many/e.pkl: reject" in h.push({"many/e.pkl": EVIL})
    said = h.push({"many/e.md": b"x\n"})
    assert said == b"", said


tap.main(globals())
