"""The commands that the README and docs/ci.md tell a newcomer to type, as they stand there, in the order they stand there."""
import os
import shutil
import subprocess
import tempfile

import tap
from daemon import model, options, until

OPTIONS = options()
CORPUS = OPTIONS["corpus"]
PROGRAMS = ("weighlock", "weighlockd", "curl", "python3")


def commands(document, heading):
    """Of the indented lines below one heading, those that run a program of ours or one that is on every machine."""
    with open(os.path.join(OPTIONS["source"], document), encoding="utf-8") as f:
        section = f.read().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    return [line for line in lines if line.split()[0] in PROGRAMS]


class Newcomer:
    """A shell in a folder that has the files which the documents speak of."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="weighlock-readme-")
        self.daemon = None
        for name in ("models/a.safetensors", "old/a.safetensors", "new/a.safetensors", "model.safetensors", "download.bin"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(model(1000))
        shutil.copy(f"{CORPUS}/gguf/files/header-sound.gguf", os.path.join(self.folder, "model.gguf"))
        path = [os.path.dirname(OPTIONS["weighlock"]), os.path.dirname(OPTIONS["weighlockd"]), "/usr/bin", "/bin"]
        self.env = {**os.environ, "PATH": ":".join(path)}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()
        shutil.rmtree(self.folder)

    def types(self, command):
        """Return: (status, output)."""
        if command.startswith("weighlockd"):
            self.daemon = subprocess.Popen(["/bin/sh", "-c", "exec " + command], cwd=self.folder, env=self.env)
            return 0 if until(lambda: os.path.exists(os.path.join(self.folder, "weighlock.sock"))) else 1, ""
        done = subprocess.run(["/bin/sh", "-c", command], cwd=self.folder, env=self.env, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout


def test_the_first_commands_of_the_readme_work():
    with Newcomer() as n:
        typed = commands("README.md", "First use")
        assert len(typed) >= 10, typed
        for command in typed:
            status, output = n.types(command)
            assert status == 0, (command, status, output)


def test_the_readme_leads_to_a_job_that_fails_for_a_bad_model():
    with Newcomer() as n:
        make, scan = commands("README.md", "As a gate in CI")
        assert n.types(make) == (0, "")
        status, output = n.types(scan)
        assert status == 0 and "the job ends with 1" in output, output
        assert "::error file=bad.pkl" in output and "pickle-call-dangerous" in output, output


def test_what_the_page_on_ci_says_can_be_typed():
    with Newcomer() as n:
        n.types("weighlock scan --format json models > old.jsonl")
        typed = commands("docs/ci.md", "Anywhere else") + commands("docs/ci.md", "Before an upgrade")
        assert len(typed) >= 5, typed
        for command in typed:
            status, output = n.types(command)
            assert status == 0, (command, status, output)
        assert os.path.exists(os.path.join(n.folder, "weighlock.sarif"))


tap.main(globals())
