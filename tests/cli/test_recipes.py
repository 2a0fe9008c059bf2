"""What others are to copy, as far as no program of theirs is needed to try it."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import tap
import yaml
from fixtures import BAD, GOOD, NAN, OPTIONS, WEIGHLOCK, environment, write

SOURCE = os.path.dirname(os.path.dirname(OPTIONS["schema"]))
SCRATCH = tempfile.mkdtemp(prefix="weighlock-recipes-")
sys.path.insert(0, os.path.join(SOURCE, "recipes"))
from hub_status import status  # noqa: E402


def verdicts(**files):
    folder = os.path.join(SCRATCH, "hub")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, data in files.items():
        write(os.path.join(folder, name.replace("__", ".")), data)
    lines = subprocess.run([WEIGHLOCK, "scan", "--format", "json", folder], env=environment(), timeout=120,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {os.path.basename(v["file"]["name"]): v for v in map(json.loads, lines)}


def test_a_hub_calls_nothing_mild_that_would_be_called():
    got = verdicts(good__safetensors=GOOD, nan__safetensors=NAN, script__py=b"import os\n", unknown__xyz=bytes(range(1, 200)),
                   known__pkl=b"\x80\x02csklearn.linear_model._base\nLinearRegression\n)\x81.",
                   ours__pkl=b"\x80\x02cours.models\nThing\n)R.", evil__pkl=b"cposix\nsystem\n(S'id'\ntR.",
                   config__json=b'{"_target_": "ours.models.build"}')
    said = {name: (v["verdict"], status(v)["status"]) for name, v in got.items()}
    assert said == {"good.safetensors": ("accept", "safe"), "nan.safetensors": ("review", "caution"),
                    "script.py": ("review", "caution"), "unknown.xyz": ("review", "caution"),
                    "known.pkl": ("review", "suspicious"), "ours.pkl": ("review", "suspicious"),
                    "evil.pkl": ("reject", "unsafe"), "config.json": ("review", "suspicious")}, said


def test_a_hub_calls_nothing_mild_that_it_does_not_know():
    mild = {"code": "weights-nan", "class": "quality", "action": "review"}
    for findings, reasons, expected in (([mild], ["quality"], "caution"), ([], ["quality"], "suspicious"),
                                        ([mild, {"code": "new", "class": "code", "action": "review"}], ["quality", "code"], "suspicious"),
                                        ([{**mild, "action": "other"}], ["quality"], "suspicious"),
                                        ([mild], ["quality", "incomplete"], "suspicious")):
        assert status({"verdict": "review", "findings": findings, "reasons": reasons})["status"] == expected, findings


# ---- jobs ----

GIT = {"HOME": SCRATCH, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
       "GIT_COMMITTER_EMAIL": "a@b"}
BARE = {"PATH": "/usr/bin:/bin", "HOME": SCRATCH, "LC_ALL": "C.UTF-8"}  # no weighlock there
TREE = os.path.join(SCRATCH, "tree")


def archive(name="weighlock.tar.xz"):
    """As ./dev dist makes it, but that what is in it goes to the program under test."""
    path, program = os.path.join(SCRATCH, name), os.path.join(SCRATCH, "program")
    write(program, f'#!/bin/sh\nexec "{WEIGHLOCK}" "$@"\n'.encode())
    os.chmod(program, 0o755)
    with tarfile.open(path, "w:xz") as tar:
        tar.add(program, "weighlock-0-linux/bin/weighlock")
    with open(path, "rb") as f:
        return path, hashlib.sha256(f.read()).hexdigest()


def action_step(nth, path, **values):
    """A step of action.yml as a runner has bash do it."""
    with open(os.path.join(SOURCE, "action.yml"), encoding="utf-8") as f:
        action = yaml.safe_load(f)
    step = action["runs"]["steps"][nth]
    inputs = {name: spec.get("default", "") for name, spec in action["inputs"].items()}
    known = {"github.action_path": SOURCE, **{"inputs." + k: v for k, v in inputs.items()}, **values}
    files = {name: os.path.join(SCRATCH, name) for name in ("GITHUB_OUTPUT", "GITHUB_PATH")}
    for file in files.values():
        write(file, b"")
    env = {k: re.sub(r"\$\{\{ (.*?) \}\}", lambda m: known.get(m[1], ""), v) for k, v in step["env"].items()}
    done = subprocess.run(["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=TREE, timeout=120,
                          env={**BARE, **GIT, **files, **env, "PATH": path, "RUNNER_TEMP": SCRATCH}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    with open(files["GITHUB_PATH"], encoding="utf-8") as f:
        return done.returncode, done.stdout.decode(), f.read().strip()


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=TREE, env={**BARE, **GIT}, timeout=60, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE).stdout.decode().strip()


def tree(**files):
    shutil.rmtree(TREE, ignore_errors=True)
    os.mkdir(TREE)
    for name, data in files.items():
        write(os.path.join(TREE, name.replace("__", ".")), data)


def test_the_action_takes_an_archive_and_only_the_one_whose_digest_is_given():
    tree(a__safetensors=GOOD)
    path, sha256 = archive()
    status, said, bin_folder = action_step(0, BARE["PATH"], **{"inputs.archive": path, "inputs.archive-sha256": sha256})
    assert status == 0 and os.access(os.path.join(bin_folder, "weighlock"), os.X_OK), (status, said)
    assert action_step(1, bin_folder + ":" + BARE["PATH"])[0] == 0
    for digest, why in (("", "needs its SHA-256"), ("0" * 64, "another one"), (sha256[:63], "needs its SHA-256")):
        status, said, bin_folder = action_step(0, BARE["PATH"], **{"inputs.archive": path, "inputs.archive-sha256": digest})
        assert status == 4 and why in said and bin_folder == "", (status, said)
    status, said, _ = action_step(0, BARE["PATH"], **{"inputs.archive": "http://127.0.0.1:9/x", "inputs.archive-sha256": sha256})
    assert status != 0, said
    assert action_step(0, os.path.dirname(WEIGHLOCK) + ":" + BARE["PATH"])[0] == 0  # one that is there is enough


def test_the_action_leaves_out_what_the_base_says_and_not_what_the_change_says():
    path = os.path.dirname(WEIGHLOCK) + ":" + BARE["PATH"]
    tree(good__safetensors=GOOD, old__safetensors=BAD)
    write(os.path.join(TREE, "ignored"), b"old.*\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "base")
    base = {"inputs.ignore-file": "ignored", "github.event.pull_request.base.sha || github.event.before": git("rev-parse", "HEAD")}
    status, said, _ = action_step(1, path, **base)
    assert status == 0 and "1 left out by" in said and ": old.*" in said, (status, said)
    write(os.path.join(TREE, "ignored"), b"*\n!README.md\n")
    write(os.path.join(TREE, "new.safetensors"), BAD)
    git("add", "-A")
    git("commit", "-qm", "change")
    status, said, _ = action_step(1, path, **base)
    assert status == 1 and "new.safetensors" in said, (status, said)
    status, said, _ = action_step(1, path, **{**base, "inputs.ignore-file": "nowhere"})
    assert status == 1 and "old.safetensors" in said and "nothing is left out" in said, (status, said)
    for commit in ("", "0" * 40, "HEAD", "--help"):
        status, said, _ = action_step(1, path, **{**base, "github.event.pull_request.base.sha || github.event.before": commit})
        assert status == 4 and "no commit" in said, (commit, status, said)
    status, said, _ = action_step(1, path, **{"inputs.base": "HEAD~1", "inputs.fail-on": "never"})
    assert "new.safetensors" in said and "old.safetensors" not in said, said


def test_gitlab_s_job_runs_on_a_bare_image():
    with open(os.path.join(SOURCE, "recipes", "gitlab.yml"), encoding="utf-8") as f:
        job = yaml.safe_load(f)["weighlock"]
    path, sha256 = archive()
    script = "\n".join(job["before_script"] + job["script"])

    def run(**more):
        return subprocess.run(["/bin/sh", "-e", "-c", script], cwd=TREE, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**BARE, **job["variables"], "WEIGHLOCK_ARCHIVE": "file://" + path, **more}).returncode
    tree(a__safetensors=GOOD)
    assert run(WEIGHLOCK_ARCHIVE_SHA256=sha256) == 0 and os.path.getsize(os.path.join(TREE, "weighlock.xml")) > 0
    write(os.path.join(TREE, "b.safetensors"), BAD)
    assert run(WEIGHLOCK_ARCHIVE_SHA256=sha256) == 1
    os.unlink(os.path.join(TREE, "weighlock.xml"))
    assert run(WEIGHLOCK_ARCHIVE_SHA256="0" * 64) != 0 and not os.path.exists(os.path.join(TREE, "weighlock.xml"))


# ---- what ./dev does ----

def dev(*arguments):
    """./dev in a folder of its own, beside programs that only say how they were called."""
    root, said = os.path.join(SCRATCH, "root"), os.path.join(SCRATCH, "said")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root + "/bin")
    write(said, b"")
    for name in ("dev", "packages.debian"):
        shutil.copy(os.path.join(SOURCE, name), root)
    for name, says in (("meson", ""), ("ninja", ""), ("dpkg-query", 'echo "install ok installed"')):
        write(f"{root}/bin/{name}", f'#!/bin/sh\necho "{name} $*" >>{said}\n{says}\n'.encode())
        os.chmod(f"{root}/bin/{name}", 0o755)
    done = subprocess.run([root + "/dev", *arguments], env={**BARE, "PATH": root + "/bin:/usr/bin:/bin"}, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done
    with open(said, encoding="utf-8") as f:
        return f.read().splitlines()


def packages(*groups):
    with open(os.path.join(SOURCE, "packages.debian"), encoding="utf-8") as f:
        lines = [line.split("#")[0].split(":", 1) for line in f]
    return {word for line in lines if len(line) == 2 and line[0] in groups for word in line[1].split()}


def test_dev_build_takes_what_programs_need_and_builds_no_test():
    said = dev("build")
    asked = {line.split()[-1] for line in said if line.startswith("dpkg-query")}
    assert asked == packages("build") and asked.isdisjoint(packages("test") - packages("build")), asked
    rest = [line for line in said if not line.startswith("dpkg-query")]
    assert len(rest) == 2 and "-Dtests=false" in rest[0] and rest[1].endswith(" programs"), rest


def test_an_archive_s_bill_names_what_is_linked_in():
    path, sha256 = archive("weighlock-0.1.0-linux-x86_64.tar.xz")
    write(os.path.join(SCRATCH, "LINKED"), b"jansson 2.14-2\nlibzstd 1.5.4+dfsg2-5\n")
    command = [sys.executable, os.path.join(SOURCE, "docs", "sbom.py"), path, "0.1.0", os.path.join(SCRATCH, "LINKED")]
    texts = {subprocess.run(command, env={"SOURCE_DATE_EPOCH": "1763726400"}, check=True, timeout=60, stdout=subprocess.PIPE).stdout
             for _ in range(2)}
    assert len(texts) == 1
    bill = json.loads(texts.pop())
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0", bill
    assert bill["creationInfo"]["created"] == "2025-11-21T12:00:00Z", bill["creationInfo"]
    own, *parts = bill["packages"]
    assert own["checksums"] == [{"algorithm": "SHA256", "checksumValue": sha256}] and own["packageFileName"] == os.path.basename(path)
    assert [(p["name"], p["versionInfo"]) for p in parts] == [("jansson", "2.14-2"), ("libzstd", "1.5.4+dfsg2-5")], parts
    assert parts[1]["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/libzstd@1.5.4%2Bdfsg2-5?arch=source"
    ids = [p["SPDXID"] for p in bill["packages"]]
    assert len(set(ids)) == 3 and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids), ids
    assert {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in bill["relationships"]} == {
        ("SPDXRef-DOCUMENT", "DESCRIBES", ids[0]), (ids[0], "STATIC_LINK", ids[1]), (ids[0], "STATIC_LINK", ids[2])}


try:
    tap.main(globals())
finally:
    shutil.rmtree(SCRATCH)
