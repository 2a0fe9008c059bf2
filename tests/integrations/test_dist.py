"""The archive of `./dev dist`, and the container made of it: in a root folder that holds nothing else, as nobody, without a
network and with nothing to write to."""
import functools
import json
import os
import re
import shutil
import subprocess
import tarfile
import time

import bare
import tap
from daemon import UnixConnection
from foreign import CORPUS, OPTIONS, WEIGHLOCK, missing, need, run

SOURCE = OPTIONS["source"]
NAME = r"weighlock-[0-9.]+-linux-x86_64"
PROGRAMS = ("bin/weighlock", "bin/weighlockd", "libexec/weighlock/weighlock-worker")
MODELS = os.path.join(CORPUS, "safetensors", "files")


@functools.cache
def archive():
    folder = bare.folder("dist")
    done = run("nice", os.path.join(SOURCE, "dev"), "dist", folder, timeout=540)
    assert done.returncode == 0, done.stderr[-2000:].decode()
    path = done.stdout.decode().splitlines()[-1]
    assert re.fullmatch(NAME + r"\.tar\.xz", os.path.basename(path)) and os.path.dirname(path) == folder, path
    return path


def unpack(folder):
    """What the archive holds, in this folder.  Returns its one folder."""
    assert run("tar", "-C", folder, "-xf", archive(), "--no-same-owner").returncode == 0
    names = os.listdir(folder)
    assert len(names) == 1, names
    return os.path.join(folder, names[0])


@functools.cache
def root():
    """The archive unpacked where nobody expected it, models, and nothing else.  Returns the root and its folder there."""
    path = bare.folder("root")
    os.makedirs(path + "/some where")
    where = unpack(path + "/some where")
    shutil.copytree(MODELS, path + "/models")
    shutil.copytree(os.path.join(CORPUS, "identify", "files"), path + "/unknown")
    os.makedirs(path + "/scratch")
    os.chmod(path + "/scratch", 0o1777)
    return bare.Root(path, read_only=True), where[len(path):]


def cases():
    """Files of the corpus that a policy cannot turn, by their verdict."""
    with open(os.path.join(MODELS, "..", "cases.jsonl"), encoding="utf-8") as f:
        listed = [json.loads(line) for line in f]
    return {want: max((c["file"] for c in listed if c["expect"] == [want] and "policy" not in c),
                      key=lambda f: os.path.getsize(os.path.join(MODELS, f))) for want in ("accept", "reject")}


def test_the_archive_is_one_folder_of_files_that_belong_to_nobody():
    with tarfile.open(archive()) as t:
        members = t.getmembers()
    top = os.path.basename(archive())[:-len(".tar.xz")]
    stray = [m.name for m in members if m.name.split("/")[0] != top or ".." in m.name or not (m.isreg() or m.isdir())
             or (m.uid, m.gid, m.mode & 0o7022) != (0, 0, 0)]
    assert not stray, stray
    names = {m.name[len(top) + 1:] for m in members}
    wanted = {*PROGRAMS, "share/man/man1/weighlock.1", "share/weighlock/verdict.schema.json", "share/doc/weighlock/LICENSE",
              "share/doc/weighlock/weighlockd.yaml", "share/doc/weighlock/licenses/libseccomp-dev"}
    assert wanted <= names, wanted - names
    assert not [n for n in names if n.startswith(("lib/", "include/", "etc/"))], "for an installed daemon, or a library"


def test_the_programs_need_no_library():
    folder, _ = root()
    for name in PROGRAMS:
        seen = run(need("readelf"), "-hdlW", folder.path + root()[1] + "/" + name).stdout.decode()
        assert "INTERP" not in seen and "NEEDED" not in seen and "Position-Independent" in seen, seen
        assert "BIND_NOW" in seen and "GNU_RELRO" in seen and not re.search("R(UN)?PATH|TEXTREL", seen), seen


def test_the_same_sources_make_the_same_archive():
    first = open(archive(), "rb").read()
    archive.cache_clear()
    assert first == open(archive(), "rb").read()


def test_the_doctor_finds_the_worker_beside_the_command():
    folder, where = root()
    done = folder.run(where + "/bin/weighlock", "doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"^worker +{where}/bin/../libexec/weighlock/weighlock-worker$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"seccomp +active", done.stdout) and "user       uid 65534" in done.stdout, done.stdout


def test_good_and_bad_files_get_their_verdicts():
    folder, where = root()
    for want, name in cases().items():
        done = folder.run(where + "/bin/weighlock", "scan", "--format", "json", "/models/" + name)
        assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0 if want == "accept" else 1, want), done


def essence(lines):
    """What a verdict says about a file, without when and by which build."""
    return [(v["verdict"], v["format"], v["media_type"], v["file"].get("sha256"), json.dumps(v["findings"]))
            for v in map(json.loads, lines.splitlines())]


def test_its_own_database_of_libmagic_says_what_the_installed_one_says():
    folder, where = root()
    theirs = folder.run(where + "/bin/weighlock", "scan", "--format", "json", "/unknown").stdout
    ours = run(WEIGHLOCK, "scan", "--format", "json", os.path.join(CORPUS, "identify", "files")).stdout.decode()
    kinds = {media for _, _, media, _, _ in essence(theirs)} - {None, "application/octet-stream"}
    assert len(kinds) >= 2, ("nothing was asked of libmagic", kinds)
    assert essence(theirs) == essence(ours)


def wait_ready(path, process):
    for _ in range(200):
        c = UnixConnection(path, 5)
        try:
            c.request("GET", "/readyz")
            if c.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            c.close()
        assert process.poll() is None, "the daemon ended"
        time.sleep(0.1)
    raise AssertionError("not ready")


def ask(path, name):
    done = run(need("curl"), "--silent", "--unix-socket", path, "--data-binary", "@" + os.path.join(MODELS, name),
               "http://localhost/v1/scan?name=" + name)
    return json.loads(done.stdout)["verdict"]


def test_the_daemon_of_the_archive_serves():
    folder, where = root()
    writable = bare.Root(folder.path)
    daemon = writable.start(where + "/bin/weighlockd", "--socket", "/scratch/s", "--spool-dir", "/scratch")
    try:
        wait_ready(folder.at("/scratch/s"), daemon)
        for want, name in cases().items():
            assert ask(folder.at("/scratch/s"), name) == want
    finally:
        writable.stop(daemon)


# ---- the container ----

class Podman:
    """With a store of its own, and with runc, which knows every arrangement of control groups."""

    def __init__(self):
        if os.geteuid() != 0:
            missing("root, for containers,")
        state = bare.folder("podman")
        self.before = [need("podman"), "--root", state + "/root", "--runroot", state + "/run", "--storage-driver", "vfs",
                       "--cgroup-manager", "cgroupfs", "--runtime", need("runc"), "--events-backend", "none"]

    def __call__(self, *arguments, **more):
        return run(*self.before, *arguments, **more)

    # As docs/install.md says.  The limits, because a container's default may be above what a builder may set.
    def confined(self, *arguments):
        return ["run", "--rm", "--read-only", "--network", "none", "--cap-drop", "all", "--security-opt", "no-new-privileges",
                "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096", *arguments]


@functools.cache
def image():
    podman = Podman()
    context = unpack(bare.folder("context"))
    done = podman("build", "--network", "none", "--tag", "weighlock", "--file", os.path.join(SOURCE, "Containerfile"), context)
    assert done.returncode == 0, done.stderr.decode()
    return podman


def test_the_container_judges_without_root_and_without_a_writable_file():
    podman = image()
    done = podman(*podman.confined("weighlock"))
    said = done.stdout.decode()
    assert done.returncode == 0 and "user       uid 65532" in said and re.search(r"seccomp +active", said), (said, done.stderr)
    for want, name in cases().items():
        done = podman(*podman.confined("--volume", MODELS + ":/models:ro", "weighlock", "scan", "--format", "json", "/models/" + name))
        assert done.returncode == (0 if want == "accept" else 1), done
        assert json.loads(done.stdout)["verdict"] == want, done


def test_the_container_is_a_daemon_too():
    podman, folder = image(), bare.folder("shared")
    os.chown(folder, 65532, 65532)
    command = podman.confined("--name", "daemon", "--volume", folder + ":/run/weighlock", "--tmpfs", "/var/tmp", "--entrypoint",
                              "/bin/weighlockd", "weighlock", "--config", "/etc/weighlock/weighlockd.yaml")
    process = subprocess.Popen([*podman.before, *command], stdin=subprocess.DEVNULL)
    try:
        wait_ready(folder + "/weighlock.sock", process)
        for want, name in cases().items():
            assert ask(folder + "/weighlock.sock", name) == want
        stopped = podman("stop", "--time", "20", "daemon")
        assert stopped.returncode == 0, stopped.stderr
        assert process.wait(30) == 0, "it did not end by itself"
    finally:
        podman("rm", "--force", "--ignore", "daemon")
        process.kill()
        process.wait()


tap.main(globals())
