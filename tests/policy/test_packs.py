"""What the versions of packs came to: a name that joins one raises its version, so that who asked for the one before keeps it.

test_packs.py PACKS_FOLDER
"""
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def versions(path):
    """{version: digest of its names}"""
    with open(path, encoding="ascii") as f:
        text = f.read()
    newest = int(re.search(r"^version: (\d+)$", text, re.M)[1])
    names = re.findall(r"^  - (.*?)(?: since (\d+))?$", text, re.M)
    return {v: hashlib.sha256("\n".join(n for n, since in names if int(since or 1) <= v).encode()).hexdigest()
            for v in range(1, newest + 1)}


def made():
    return [f"{os.path.basename(path)[:-5]} {version} {digest}" for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.yaml")))
            for version, digest in versions(path).items()]


def test_versions_are_what_they_were():
    with open(os.path.join(HERE, "packs.txt"), encoding="ascii") as f:
        known = f.read().splitlines()
    wrong = sorted(set(made()) ^ set(known))
    assert not wrong, "a name joined: `since` the next version; one was taken out, or a version is new: packs.txt says so: " + str(wrong)


def table(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "one.yaml")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return subprocess.run([sys.executable, os.path.join(sys.argv[1], "../packs.py"), path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)


def test_a_name_says_since_when_it_is_there():
    made = table("# a\nversion: 2\nnames:\n  - a.b\n  - a.c value since 2\n")
    assert '{ "a.b object", 1 },' in made.stdout and '{ "a.c value", 2 },' in made.stdout and '{ "one", names_one, 2,' in made.stdout, made
    for wrong in ("names:\n  - a.b\n", "version: 1\nnames:\n  - a.b since 2\n", "version: 0\nnames:\n  - a.b\n"):
        assert table(wrong).returncode != 0, wrong


if sys.argv[2:] == ["write"]:
    with open(os.path.join(HERE, "packs.txt"), "w", encoding="ascii") as out:
        out.write("\n".join(made()) + "\n")
else:
    tap.main(globals())
