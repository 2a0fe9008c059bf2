"""What others are to copy, run as they will run it: the action's steps, pre-commit's hook, GitLab's job, a Git server's hook
with git-lfs, completions in the shells they are for."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import tap
import yaml
from daemon import Daemon
from foreign import CORPUS, OPTIONS, WEIGHLOCK, WEIGHLOCKD, need, run

SOURCE = OPTIONS["source"]
GOOD = os.path.join(CORPUS, "safetensors", "files", "min-one-tensor.safetensors")
EVIL = b"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R."
NAMES = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
         "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "file"}


def good():
    """Some safetensors file of the corpus that is accepted."""
    with open(os.path.join(CORPUS, "safetensors", "cases.jsonl"), encoding="utf-8") as f:
        for line in f:
            case = json.loads(line)
            if case["expect"] == ["accept"] and case["file"].endswith(".safetensors"):
                with open(os.path.join(CORPUS, "safetensors", "files", case["file"]), "rb") as g:
                    return g.read()
    raise AssertionError("the corpus has no good file")


def environment(home, **more):
    path = os.path.dirname(WEIGHLOCK) + ":" + os.environ.get("PATH", "/usr/bin:/bin")
    return {"PATH": path, "HOME": home, "LC_ALL": "C.UTF-8", **NAMES, **more}


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def checkout(folder, **files):
    for name, data in files.items():
        write(os.path.join(folder, name.replace("__", "/") + (".pkl" if data == EVIL else ".safetensors")), data)
    write(os.path.join(folder, "README.md"), b"# a repository\n")


# ---- GitHub ----

def run_action(folder, **inputs):
    """What a runner does with action.yml: expressions replaced, each step a file that bash runs."""
    with open(os.path.join(SOURCE, "action.yml"), encoding="utf-8") as f:
        action = yaml.safe_load(f)
    values = {name: spec.get("default", "") for name, spec in action["inputs"].items()}
    values.update({name.replace("_", "-"): value for name, value in inputs.items()})
    runner = folder + "-runner"
    files = {name: os.path.join(runner, name) for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        write(path, b"")

    def expand(text):
        text = text.replace("${{ github.action_path }}", SOURCE)
        text = text.replace("${{ github.event.pull_request.base.sha || github.event.before }}", "")
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: values[m[1]], text)

    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash" and "${{" not in step["run"], "an input pasted into a script is a script"
        env = environment(folder, **files, **{k: expand(v) for k, v in step.get("env", {}).items()})
        done = run("/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], cwd=folder, env=env)
        if done.returncode:
            break
    with open(files["GITHUB_OUTPUT"], encoding="utf-8") as f:
        outputs = dict(line.rstrip("\n").split("=", 1) for line in f)
    shutil.rmtree(runner)
    return done, outputs


def test_the_action_passes_a_good_repository():
    with tempfile.TemporaryDirectory() as folder:
        checkout(folder, models__a=good())
        for name in ("objects/ab/cd", "HEAD", "refs/x"):
            write(os.path.join(folder, ".git", *name.split("/")), EVIL)
        done, outputs = run_action(folder)
        assert done.returncode == 0, done
        assert outputs == {"verdict": "accept", "count": "0", "sarif-file": "weighlock.sarif"}, outputs


def test_the_action_fails_for_a_bad_model_and_leaves_its_report():
    with tempfile.TemporaryDirectory() as folder:
        checkout(folder, models__a=good(), models__b=EVIL)
        done, outputs = run_action(folder, sarif_file="out.sarif")
        assert done.returncode == 1 and b"::error file=models/b.pkl" in done.stdout, done
        assert outputs["verdict"] == "reject" and outputs["count"] == "1", outputs
        with open(os.path.join(folder, "out.sarif"), encoding="utf-8") as f:
            assert json.load(f)["runs"][0]["results"]
        done, outputs = run_action(folder, fail_on="never")
        assert done.returncode == 0 and outputs["verdict"] == "reject", (done, outputs)


def test_inputs_of_the_action_are_no_commands():
    with tempfile.TemporaryDirectory() as folder:
        checkout(folder, a=good())
        done, _ = run_action(folder, paths="$(touch pwned)\n`touch pwned`; touch pwned", policy="ci; touch pwned")
        assert done.returncode != 0 and not os.path.exists(os.path.join(folder, "pwned")), done


# ---- GitLab ----

def test_the_gitlab_job_fails_for_a_bad_model_and_leaves_its_reports():
    with open(os.path.join(SOURCE, "recipes", "gitlab.yml"), encoding="utf-8") as f:
        job = yaml.safe_load(f)["weighlock"]
    with tempfile.TemporaryDirectory() as folder:
        checkout(folder, models__a=good(), models__b=EVIL)
        done = run("/bin/sh", "-e", "-c", "\n".join(job["before_script"] + job["script"]), cwd=folder, env=environment(folder, **job["variables"]))
        assert done.returncode == 1, done
        for path in job["artifacts"]["paths"] + [job["artifacts"]["reports"]["junit"]]:
            assert os.path.getsize(os.path.join(folder, path)) > 0, path


# ---- pre-commit ----

def test_pre_commit_stops_a_bad_model():
    need("pre-commit")
    need("git")
    with tempfile.TemporaryDirectory() as scratch:
        folder, hook = os.path.join(scratch, "repo"), os.path.join(scratch, "hook")
        env = environment(scratch, PRE_COMMIT_HOME=os.path.join(scratch, "cache"))
        os.makedirs(hook)
        shutil.copy(os.path.join(SOURCE, ".pre-commit-hooks.yaml"), hook)
        checkout(folder, a=good())
        for where in (hook, folder):
            for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
                assert run("git", *command, cwd=where, env=env).returncode == 0
        done = run("pre-commit", "try-repo", hook, "weighlock", "--all-files", cwd=folder, env=env, timeout=300)
        assert done.returncode == 0, done
        write(os.path.join(folder, "b.pkl"), EVIL)
        assert run("git", "add", "-A", cwd=folder, env=env).returncode == 0
        done = run("pre-commit", "try-repo", hook, "weighlock", "--all-files", cwd=folder, env=env, timeout=300)
        assert done.returncode == 1 and b"pickle-global-dangerous" in done.stdout, done


def test_the_hook_is_asked_about_every_name_that_promises_a_model():
    with open(os.path.join(SOURCE, ".pre-commit-hooks.yaml"), encoding="utf-8") as f:
        pattern = re.compile(yaml.safe_load(f)[0]["files"])
    formats = json.loads(run(WEIGHLOCK, "formats", "--format", "json").stdout)
    formats = formats["formats"] if isinstance(formats, dict) else formats
    for f in formats:
        for extension in f["extensions"]:
            if f["model"] and f["level"] != "identified":
                assert pattern.search("folder/x." + extension) and pattern.search("X." + extension.upper()), extension
    assert all(pattern.search("x." + e) for e in ("bin", "pb", "model"))
    assert not pattern.search("README.md") and not pattern.search("src/main.c")


# ---- a Git server ----

class Hub:
    def __init__(self, scratch, daemon):
        self.scratch, self.bare, self.clone = scratch, os.path.join(scratch, "hub.git"), os.path.join(scratch, "clone")
        self.env = environment(scratch, WEIGHLOCK_SOCKET=daemon, GIT_LFS_SKIP_SMUDGE="0")
        self.git("init", "-q", "--bare", self.bare, cwd=scratch)
        hook = os.path.join(self.bare, "hooks", "pre-receive")
        shutil.copy(os.path.join(SOURCE, "recipes", "pre-receive"), hook)
        os.chmod(hook, 0o755)
        self.git("clone", "-q", "file://" + self.bare, self.clone, cwd=scratch)
        self.git("lfs", "install", "--local")
        self.git("lfs", "track", "*.bin")
        self.git("checkout", "-q", "-b", "main")
        self.git("commit", "-qm", "base", "--allow-empty")

    def git(self, *arguments, cwd=None):
        done = run("git", *arguments, cwd=cwd or self.clone, env=self.env)
        assert done.returncode == 0, done
        return done

    def push(self, *names_and_data, branch="main"):
        for name, data in names_and_data:
            write(os.path.join(self.clone, name), data)
        self.git("add", "-A")
        self.git("commit", "-qm", "x", "--allow-empty")
        done = run("git", "push", "-q", "origin", "HEAD:" + branch, cwd=self.clone, env=self.env)
        if done.returncode:
            self.git("reset", "-q", "--hard", "HEAD~1")
        return done


def hub(test, *options):
    need("git-lfs")
    with Daemon(WEIGHLOCKD, *options) as d, tempfile.TemporaryDirectory() as scratch:
        test(Hub(scratch, d.socket), d)


def test_a_push_of_good_files_passes_and_one_of_a_bad_file_is_refused_with_the_reason():
    def check(h, _):
        done = h.push(("model.safetensors", good()), ("README.md", b"# good\n"))
        assert done.returncode == 0, done
        done = h.push(("evil.pkl", EVIL))
        assert done.returncode != 0 and b"evil.pkl: reject: " in done.stderr, done
        assert h.push(("more.md", b"text\n")).returncode == 0
    hub(check)


def test_an_lfs_object_is_judged_and_not_its_pointer():
    def check(h, _):
        assert h.push(("weights.bin", good())).returncode == 0
        with open(os.path.join(h.clone, ".git", "lfs", "objects", *lfs_path(h, "weights.bin")), "rb") as f:
            assert f.read() == good()
        done = h.push(("other.bin", EVIL))
        assert done.returncode != 0 and b"other.bin: reject: " in done.stderr, done
    hub(check)


def lfs_path(h, name):
    oid = re.search(rb"oid sha256:(\w+)", h.git("show", "HEAD:" + name).stdout)[1].decode()
    return oid[:2], oid[2:4], oid


def test_a_pointer_without_its_object_is_refused():
    def check(h, _):
        h.git("config", "lfs.allowincompletepush", "true")
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"
        write(os.path.join(h.clone, "lost.dat"), pointer)
        done = h.push(("lost.dat", pointer))
        assert done.returncode != 0 and b"is not here" in done.stderr, done
    hub(check)


def test_known_bytes_under_another_name_and_in_an_older_commit_are_judged():
    def check(h, _):
        write(os.path.join(h.clone, "evil.pkl"), EVIL)
        h.git("add", "-A")
        h.git("commit", "-qm", "in")
        h.git("rm", "-q", "evil.pkl")
        h.git("commit", "-qm", "out")
        done = run("git", "push", "-q", "origin", "HEAD:main", cwd=h.clone, env=h.env)
        assert done.returncode != 0 and b"evil.pkl: reject" in done.stderr, done
    hub(check)


def test_without_the_daemon_nothing_comes_in():
    def check(h, d):
        d.stop()
        done = h.push(("README.md", b"# good\n"))
        assert done.returncode != 0 and b"no verdict" in done.stderr, done
    hub(check)


def test_hub_status_is_never_safe_without_accept():
    sys.path.insert(0, os.path.join(SOURCE, "recipes"))
    from hub_status import status
    folders = [os.path.join(CORPUS, name) for name in ("safetensors", "pickle", "identify", "wrappers")]
    lines = run(WEIGHLOCK, "scan", "--format", "json", *folders).stdout.splitlines()
    seen = {}
    for line in lines:
        verdict = json.loads(line)
        if verdict["schema"] != "weighlock.verdict/1":
            continue
        got = status(verdict)["status"]
        assert (got == "safe") == (verdict["verdict"] == "accept"), verdict
        assert (got == "unsafe") == (verdict["verdict"] == "reject"), verdict
        seen[got] = seen.get(got, 0) + 1
    assert set(seen) >= {"safe", "unsafe", "caution", "suspicious"}, seen
    assert status({"verdict": "fine", "complete": True})["status"] == "error"
    assert status({"verdict": "review", "reasons": ["new-class"]})["status"] == "suspicious"
    assert status({"verdict": "accept", "complete": False})["status"] == "error" and status(None)["status"] == "queued"


# ---- completions ----

def completion(name):
    return os.path.join(OPTIONS["build"], "cli", "completions", name)


def test_zsh_takes_its_completion():
    done = run(need("zsh"), "-n", completion("_weighlock"))
    assert done.returncode == 0 and not done.stderr, done


def test_fish_completes():
    script = f"source {completion('weighlock.fish')}; complete -C 'weighlock verd'; complete -C 'weighlock scan --fail-on rej'"
    done = run(need("fish"), "--no-config", "-c", script, env=environment("/tmp"))
    assert b"verdict-diff" in done.stdout and b"reject" in done.stdout and not done.stderr, done


tap.main(globals())
