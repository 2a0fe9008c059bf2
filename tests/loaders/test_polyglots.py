"""What programs find in files that are something else: each case of corpus/polyglot-places says which of them open what stands
in its tensor, and which do not."""
import json
import os
import shutil
import subprocess
import tempfile

import ours
import tap

FOLDER = os.path.join(ours.CORPUS, "polyglot-places")
CANARY = "canary.txt"
COMMANDS = {  # of a file called x; each says the member's name, or the text of the page
    "gnu-tar": ["tar", "-tf", "x"],
    "7z": ["7z", "l", "-p", "x"],
    "cpio": ["cpio", "-t", "-F", "x"],
    "unzip": ["unzip", "-l", "x"],
    "python": ["/usr/bin/python3", "-m", "zipfile", "-l", "x"],
    "pdftotext": ["pdftotext", "x", "-"],
    "mutool": ["mutool", "draw", "-F", "text", "x"],
    "file": ["file", "-b", "x"],
}
SAYS = {"file": "ext2"}


def finds(name, path):
    """Does the program find what is hidden?  In a folder of its own, with an end."""
    with tempfile.TemporaryDirectory(prefix="polyglot-") as folder:
        x = os.path.join(folder, "x.pdf" if name == "mutool" else "x")
        shutil.copyfile(path, x)
        command = [x if word == "x" else word for word in COMMANDS[name]]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    return SAYS.get(name, CANARY) in done.stdout.decode("latin-1")


def cases():
    with open(os.path.join(FOLDER, "cases.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def asked_of(name):
    return [(row["file"], want) for row in cases() for want in (True, False) if name in row.get("opens" if want else "silent", [])]


def check(name):
    if shutil.which(COMMANDS[name][0]) is None:
        raise tap.Skip(f"no {COMMANDS[name][0]}")
    asked = asked_of(name)
    wrong = [(file, want) for file, want in asked if finds(name, os.path.join(FOLDER, "files", file)) != want]
    assert asked and not wrong, wrong


TESTS = {f"test_{name}_finds_what_the_corpus_says_and_nothing_else": lambda name=name: check(name) for name in COMMANDS}

if __name__ == "__main__":
    tap.main(TESTS)
