"""The wheel: built offline, twice the same bytes, and what a newcomer types after installing it works."""
import glob
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import zipfile

import tap
from daemon import model
from python_support import OPTIONS, REJECTED, Scratch

SOURCE = OPTIONS["source"]
PYTHON = "/usr/bin/python3"
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, check=False,
                          **{"env": ENV, **more})
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


def programs(s):
    """As ./dev dist puts them together; these are not static, and so for this machine only."""
    folder = os.path.join(s.path, "programs")
    for name, at in (("weighlock", "bin"), ("worker", "libexec/weighlock")):
        os.makedirs(os.path.join(folder, at))
        run("strip", "-o", os.path.join(folder, at, os.path.basename(OPTIONS[name])), OPTIONS[name])
    return folder


def build(s, to, hook="build_wheel", folder=None, **env):
    """By the backend's hook, as a front end calls it."""
    target = os.path.join(s.path, to)
    os.makedirs(target)
    code = f"import sys; sys.path.insert(0, '.'); import backend; print(backend.{hook}(sys.argv[1]))"
    env = {**ENV, **env, **({"WEIGHLOCK_PROGRAMS": folder} if folder else {})}
    name = run(PYTHON, "-c", code, target, cwd=os.path.join(SOURCE, "clients", "python"), env=env).strip()
    return os.path.join(target, name)


def venv(s):
    """An environment with pip, made without a network."""
    if not os.path.exists("/usr/lib/python3/dist-packages/pip"):
        raise tap.Skip("no python3-pip here")
    folder = os.path.join(s.path, "venv")
    run(PYTHON, "-m", "venv", "--without-pip", folder)
    return os.path.join(folder, "bin", "python")


def install(python, what, *more):
    run(PYTHON, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-cache-dir", *more, what)


def blocks(document):
    """What stands between ```python and ```."""
    with open(os.path.join(SOURCE, document), encoding="utf-8") as f:
        return re.findall(r"^```python\n(.*?)^```$", f.read(), re.MULTILINE | re.DOTALL)


def test_the_same_sources_make_the_same_bytes():
    with Scratch() as s:
        folder = programs(s)
        for hook, with_programs in (("build_wheel", folder), ("build_wheel", None), ("build_sdist", None)):
            made = [build(s, f"{hook}{bool(with_programs)}{i}", hook, with_programs, SOURCE_DATE_EPOCH="1700000000", TZ=zone)
                    for i, zone in enumerate(("UTC", "Asia/Tokyo"))]
            assert os.path.basename(made[0]) == os.path.basename(made[1])
            digests = set()
            for path in made:
                with open(path, "rb") as f:
                    digests.add(hashlib.sha256(f.read()).hexdigest())
            assert len(digests) == 1, made


def test_what_a_wheel_holds():
    with Scratch() as s:
        folder = programs(s)
        pure, whole = build(s, "a"), build(s, "b", folder=folder)
        assert pure.endswith("-py3-none-any.whl") and "manylinux_2_17_x86_64" in whole
        with zipfile.ZipFile(pure) as one, zipfile.ZipFile(whole) as two:
            package = {f"weighlock/{n}" for n in os.listdir(os.path.join(SOURCE, "clients/python/weighlock")) if n != "__pycache__"}
            assert package == {n for n in one.namelist() if n.startswith("weighlock/")} and "weighlock/py.typed" in package
            carried = [i for i in two.infolist() if "_programs" in i.filename]
            assert len(carried) == 2 and all(stat.S_IMODE(i.external_attr >> 16) == 0o755 for i in carried)
            assert not any(name.endswith("entry_points.txt") for name in one.namelist()), "the command would look for itself"


def test_the_version_is_that_of_the_project():
    with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as f:
        version = re.search(r"^  version: '([^']+)',$", f.read(), re.M).group(1)
    with Scratch() as s:
        assert f"-{version}-" in build(s, "a")


def test_two_lines_are_enough_after_the_installation():
    with Scratch() as s:
        python = venv(s)
        install(python, build(s, "a", folder=programs(s)))
        s.file("model.safetensors", model(1000))
        lines = blocks("README.md")[0]
        assert len(lines.splitlines()) == 2 and lines in blocks("clients/python/README.md"), lines
        env = {**ENV, "HOME": s.path, "WEIGHLOCK_SOCKET": ""}
        shown = run(python, "-c", lines, cwd=s.path, env=env)
        assert hashlib.sha256(open(os.path.join(s.path, "model.safetensors"), "rb").read()).hexdigest() in shown, shown
        shutil.copy(REJECTED, os.path.join(s.path, "model.safetensors"))
        done = subprocess.run([python, "-c", lines], cwd=s.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1 and "Rejected" in done.stderr and not done.stdout, done
        assert "weighlock 0" in run(os.path.join(os.path.dirname(python), "weighlock"), "--version", env=env)
        assert "weighlock 0" in run(python, "-m", "weighlock", "--version", env=env)


def test_without_programs_it_says_what_to_do():
    with Scratch() as s:
        python = venv(s)
        install(python, build(s, "a"))
        code = "import weighlock, weighlock.aio\ntry: weighlock.scan(b'x')\nexcept weighlock.Unavailable as e: print(e)"
        assert "install" in run(python, "-c", code, env={**ENV, "PATH": "/nonexistent", "HOME": s.path, "WEIGHLOCK_SOCKET": ""})


def test_pip_builds_it_from_its_folder_without_a_network():
    with Scratch() as s:
        python = venv(s)
        copy = os.path.join(s.path, "source")
        shutil.copytree(os.path.join(SOURCE, "clients", "python"), copy)
        install(python, copy, "--no-build-isolation")
        assert run(python, "-c", "import weighlock; print(weighlock.__version__)").strip()
        install(python, copy, "--no-build-isolation", "--force-reinstall", "--editable")
        assert run(python, "-c", "import weighlock; print(weighlock.__file__)").strip().startswith(copy)


def test_older_pythons_can_read_it():
    """Where there is one: 3.9 is the oldest that is promised."""
    found = [p for p in [shutil.which("python3.9"), *glob.glob(os.path.expanduser("~/.pyenv/versions/3.9.*/bin/python3.9"))] if p and
             subprocess.run([p, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0]
    if not found:
        raise tap.Skip(f"no Python 3.9 here, only {sys.version.split()[0]}")
    path = os.path.join(SOURCE, "clients", "python")
    run(found[-1], "-c", "import weighlock, weighlock.aio, weighlock.hub, weighlock.torch; print(weighlock.scan(b'x' * 100).verdict)",
        env={**ENV, "PYTHONPATH": path, "WEIGHLOCK_COMMAND": OPTIONS["weighlock"], "WEIGHLOCK_SOCKET": ""})


tap.main(globals(), at_once=3)
