"""The wheel of `./dev wheel` on a bare Debian that has Python, pip and nothing of ours: installed by nobody, without a network."""
import functools
import os
import re
import shutil

import bare
import packages
import tap
from foreign import CORPUS, OPTIONS, run

SOURCE = OPTIONS["source"]
FILES = os.path.join(CORPUS, "safetensors", "files")
GOOD, BAD = "off-one-tensor.safetensors", "off-overlap-partial.safetensors"
HOME = "/home/somebody"
ENV = {"HOME": HOME, "PYTHONDONTWRITEBYTECODE": "1"}


@functools.cache
def wheel():
    folder = bare.folder("wheel")
    done = run("nice", os.path.join(SOURCE, "dev"), "wheel", folder, timeout=540)
    assert done.returncode == 0, done.stderr[-2000:].decode()
    return done.stdout.decode().splitlines()[-1]


@functools.cache
def root():
    """With the wheel installed in an environment of a user's own."""
    r = packages.debian("python3-venv")
    assert r.run("/bin/sh", "-c", "command -v weighlock").returncode != 0
    os.makedirs(r.at(HOME))
    for path in (wheel(), os.path.join(FILES, GOOD), os.path.join(FILES, BAD)):
        shutil.copy(path, r.at(HOME))
    for where, _, _ in os.walk(r.at(HOME)):
        os.chown(where, 65534, 65534)
    for command in (("python3", "-m", "venv", f"{HOME}/v"),
                    (f"{HOME}/v/bin/pip", "install", "--no-index", f"{HOME}/{os.path.basename(wheel())}")):
        done = r.run(*command, env=ENV)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    return r


def typed(name):
    """README's two lines, about one of the files."""
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as f:
        lines = re.search(r"^```python\n(.*?)^```$", f.read(), re.MULTILINE | re.DOTALL).group(1)
    assert '"model.safetensors"' in lines
    return root().run(f"{HOME}/v/bin/python", "-c", lines.replace("model.safetensors", f"{HOME}/{name}"), env=ENV)


def test_two_lines_give_what_was_accepted_and_refuse_the_rest():
    done = typed(GOOD)
    assert done.returncode == 0 and f"{HOME}/.cache/weighlock/sha256/" in done.stdout, (done.stdout, done.stderr)
    done = typed(BAD)
    assert done.returncode == 1 and "weighlock._errors.Rejected" in done.stderr and not done.stdout, (done.stdout, done.stderr)


def test_the_command_comes_with_it():
    done = root().run(f"{HOME}/v/bin/weighlock", "scan", "-q", f"{HOME}/{GOOD}", env=ENV)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert root().run(f"{HOME}/v/bin/weighlock", "scan", "-q", f"{HOME}/{BAD}", env=ENV).returncode == 1


def test_two_builds_are_the_same_bytes():
    other = bare.folder("wheel")
    done = run("nice", os.path.join(SOURCE, "dev"), "wheel", other, timeout=540)
    assert done.returncode == 0, done.stderr[-2000:].decode()
    with open(wheel(), "rb") as a, open(done.stdout.decode().splitlines()[-1], "rb") as b:
        assert a.read() == b.read()


tap.main(globals())
