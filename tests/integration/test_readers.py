"""The pages for four readers - who runs CI, a hub, a service, and who looks at a strange file - typed as they stand: each command
in the order of the page, with the machine's folders in one of our own.  No command may be unknown, misspelt or end in an error."""
import os
import re
import shutil
import struct
import subprocess
import tempfile

import tap
from daemon import Daemon, model, options

OPTIONS = options()
SUSPECT = b"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R."
NAN = struct.pack("<Q", 64) + b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'.ljust(64) + b"\0\0\xc0\x7f"


def commands(page):
    """Lines that are indented by four, and what a block for a shell holds, without their remarks."""
    with open(os.path.join(OPTIONS["source"], "docs", page), encoding="utf-8") as f:
        text = re.sub(r"^```(?!sh$).*?^```$", "", f.read(), flags=re.M | re.S)
    lines = [re.sub(r"\s+#.*", "", line) for line in re.findall(r"^    (\S.*)$", text, re.M)]
    return [line for line in lines if re.match(r"(weighlock|curl|cp|git|printf) ", line)]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def typed(page, files, places, expected):
    """Run each; @expected: statuses other than 0, by how a command begins.  Returns what was typed."""
    path = os.path.dirname(OPTIONS["weighlock"]) + ":/usr/bin:/bin"
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in files.items():
            write(os.path.join(scratch, name), data)
        os.symlink(os.path.join(OPTIONS["source"], "recipes"), os.path.join(scratch, "recipes"))
        for line in commands(page):
            for place, ours in places.items():
                line = line.replace(place, ours.format(scratch))
            done = subprocess.run(["/bin/sh", "-c", line], cwd=scratch, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, env={"PATH": path, "HOME": scratch, "LC_ALL": "C.UTF-8"})
            want = next((status for head, status in expected.items() if line.startswith(head)), 0)
            assert done.returncode == want, (page, line, done.returncode, done.stderr[-600:], done.stdout[-600:])
        return commands(page), sorted(os.path.relpath(os.path.join(d, f), scratch) for d, _, fs in os.walk(scratch) for f in fs)


def test_who_runs_ci():
    good = model(4096)
    files = {"models/a.safetensors": good, "models/b.safetensors": NAN, "srv/models/a.safetensors": good, "var/lib/x": b""}
    files["old.jsonl"] = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", "-"], input=good, stdout=subprocess.PIPE,
                                        timeout=60).stdout
    said, left = typed("ci.md", files, {"/srv/": "{}/srv/", "/var/lib/": "{}/var/lib/"},
                       {"weighlock scan --policy": 1, "weighlock scan --format": 1, "weighlock verdict-diff": 1, "weighlock policy try": 1})
    assert len(said) >= 10 and {"weighlock.sarif", "weighlock.xml", "proposed.yaml", "known.yaml", "models.cdx.json"} <= set(left), left


def test_who_runs_a_hub():
    home = {"model.safetensors": model(4096), "srv/git/models.git/hooks/x": b"", "srv/git/models.git/config": b"", "serve.py": b"print(1)\n",
            "models/admitted/x": b""}
    said, left = typed("hub.md", home, {"/srv/": "{}/srv/"}, {})
    assert len(said) >= 4 and "srv/git/models.git/hooks/pre-receive" in left, left


def test_who_writes_a_service():
    with Daemon(OPTIONS["weighlockd"]) as d:
        said, _ = typed("api.md", {"model.safetensors": model(4096)}, {"/run/weighlock/weighlock.sock": d.socket, "curl ": "curl -fsS "}, {})
    assert said, said


def test_who_looks_at_a_strange_file():
    files = {"suspect.bin": SUSPECT, "original.safetensors": model(4096)}
    said, left = typed("analyst.md", files, {}, {"weighlock scan": 1, "weighlock inspect": 1, "weighlock diff": 2, "weighlock convert": 1})
    assert len(said) >= 9 and {"suspect.json", "calls.json", "tensors.json", "suspect.sarif", "suspect.cdx.json"} <= set(left), left


tap.main(globals())
