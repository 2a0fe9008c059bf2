"""What we say: many files judged in one run of the command, and the cases of the corpora."""
import json
import os
import subprocess
import sys
import tempfile

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK = OPTIONS["weighlock"]
CORPUS = OPTIONS["corpus"]
BUILD = OPTIONS["build"]
SOURCE = OPTIONS["source"]


def share(name, small):
    """How many cases: a small number in the test, more by the variable (WEIGHLOCK_LOADERS_CASES) for a long run."""
    return int(OPTIONS.get(name) or os.environ.get("WEIGHLOCK_LOADERS_CASES") or small)


def scan(paths, *options):
    """Verdicts, in the order of the paths."""
    command = [WEIGHLOCK, "scan", "--format", "json", "--no-progress", *options, "--", *paths]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=600)
    assert done.returncode in (0, 1, 2, 3), done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def judged(contents, suffix, *options, at_once=2000):
    """(path, bytes, verdict) of each content, written to a file of its own that is there until the next round."""
    contents = iter(contents)
    while True:
        with tempfile.TemporaryDirectory(prefix="judged-") as folder:
            paths = {}
            for content in contents:
                path = os.path.join(folder, f"{len(paths):06d}{suffix}")
                with open(path, "wb") as f:
                    f.write(content)
                paths[path] = content
                if len(paths) == at_once:
                    break
            if not paths:
                return
            verdicts = {v["file"]["name"]: v for v in scan([folder], *options) if v["schema"] == "weighlock.verdict/1"}
            for path, content in paths.items():
                yield path, content, verdicts[path]


def accepted(corpus, *options):
    """(path, format) of the files of a corpus that we accept now as something we know, whatever its list expects."""
    folder = os.path.join(CORPUS, corpus, "files")
    paths = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    verdicts = zip(paths, scan(paths, *options))
    return [(path, v["format"]) for path, v in verdicts if v["verdict"] == "accept" and v["format"]]
