"""The Debian packages: built by dpkg-buildpackage, read by lintian, installed by dpkg into a Debian of their own, used
there, removed.  In this order; each test of the second half starts from what the one before it left."""
import contextlib
import ctypes
import functools
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import time

import bare
import packages
import tap
from daemon import UnixConnection
from foreign import CORPUS, need, run

PROGRAMS = {"weighlock": ["usr/bin/weighlock", "usr/libexec/weighlock/weighlock-worker"], "weighlockd": ["usr/bin/weighlockd"],
            "libweighlock-client0": ["usr/lib/x86_64-linux-gnu/libweighlock-client.so.0"]}
SCRIPTS = ("python3-weighlock",)
GOOD, BAD = "good.safetensors", "bad.safetensors"

PROGRAM = """
#include <fcntl.h>
#include <stdio.h>
#include <weighlock-client.h>

int main(int argc, char **argv)
{
	struct weighlock_scan *s = weighlock_scan_new(argv[1]);
	int fd = open(argv[argc - 1], O_RDONLY);

	if (s == NULL || weighlock_scan_upload_fd(s, fd, WEIGHLOCK_LENGTH_UNKNOWN) < 0 ||
	    weighlock_scan_set_name(s, "x.safetensors") < 0)
		return 2;
	if (weighlock_scan_run(s) != WEIGHLOCK_VERDICT)
		fprintf(stderr, "%s\\n", weighlock_scan_detail(s));
	puts(weighlock_verdict_name(weighlock_scan_verdict(s)));
	weighlock_scan_free(s);
	return 0;
}
"""


# ---- as files ----

def test_five_packages_are_built():
    built = {n for n in packages.built() if not n.endswith("-dbgsym")}
    assert built == {"weighlock", "weighlockd", "libweighlock-client0", "libweighlock-client-dev", "python3-weighlock"}, built


def test_the_library_can_be_loaded_by_programs_in_other_languages():
    library = ctypes.CDLL(os.path.join(unpacked("libweighlock-client0"), PROGRAMS["libweighlock-client0"][0]))
    library.weighlock_verdict_name.restype = ctypes.c_char_p
    assert library.weighlock_verdict_name(3) == b"reject"


@functools.cache
def unpacked(name):
    folder = bare.folder("unpacked")
    assert run("dpkg-deb", "-x", packages.built()[name], folder).returncode == 0
    return folder


def lintian(*paths):
    done = run(need("lintian"), "--allow-root", "--no-cfg", "--fail-on", "error", *paths, timeout=300)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_lintian_finds_no_error():
    status, said = lintian(*packages.built().values())
    assert status == 0, said


def test_lintian_would_tell():
    folder = bare.folder("doctored")
    assert run("dpkg-deb", "-R", packages.built()["weighlockd"], folder + "/x").returncode == 0
    os.remove(folder + "/x/usr/share/doc/weighlockd/copyright")
    assert run("dpkg-deb", "-b", folder + "/x", folder + "/weighlockd_0.1.0_amd64.deb").returncode == 0
    status, said = lintian(folder + "/weighlockd_0.1.0_amd64.deb")
    assert status == 2 and "no-copyright-file" in said, (status, said)


def test_daemon_and_worker_are_of_one_build():
    assert f"weighlock (= {packages.field('weighlockd', 'Version')})" in packages.field("weighlockd", "Depends")
    assert "weighlockd" not in packages.field("weighlock", "Depends")


def test_programs_in_packages_are_hardened_as_the_build_wants():
    for package, files in PROGRAMS.items():
        for name in files:
            seen = run(need("readelf"), "-hdlW", "--dyn-syms", os.path.join(unpacked(package), name)).stdout.decode()
            assert "BIND_NOW" in seen and "GNU_RELRO" in seen and "__stack_chk_fail" in seen, (name, seen)
            assert package.startswith("lib") or "Position-Independent" in seen, (name, seen)
            assert package.startswith("lib") or re.search(r"__(mem|str|v?sn?printf)\w*_chk", seen), (name, seen)
            assert not re.search("R(UN)?PATH|TEXTREL", seen), (name, seen)


# ---- as programs ----

@functools.cache
def debian():
    """With the libraries that the packages ask for, and the users as systemd makes them; without ours."""
    asked = ", ".join(packages.field(package, "Depends") for package in (*PROGRAMS, *SCRIPTS))
    names = {word.split()[0].removesuffix(":any") for word in asked.split(", ")} - set(PROGRAMS) - {"systemd"}
    root = packages.debian(*sorted(names), "systemd-standalone-sysusers", "systemd-standalone-tmpfiles")
    os.makedirs(root.at("/models"))
    for name in (GOOD, BAD):
        shutil.copy(corpus_file(name), root.at("/models"))
    inventory_before.update(inventory(root))
    return root


def corpus_file(name):
    """A file that is accepted, and one that is rejected."""
    with open(os.path.join(CORPUS, "safetensors", "cases.jsonl"), encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    want = "accept" if name == GOOD else "reject"
    path = max((c["file"] for c in cases if c["expect"] == [want] and "policy" not in c),
               key=lambda f: os.path.getsize(os.path.join(CORPUS, "safetensors", "files", f)))
    folder = bare.folder("models")
    return shutil.copy(os.path.join(CORPUS, "safetensors", "files", path), os.path.join(folder, name))


inventory_before = {}


def inventory(root):
    """path -> what it is, without what dpkg and its tools write down for themselves."""
    own = re.compile(r"/(var/lib/dpkg|var/log|var/cache/(ldconfig|debconf)|var/lib/systemd/deb-systemd-helper-\w+|proc|dev|tmp)(/|$)"
                     r"|/etc/(passwd|group|shadow|gshadow)-?$|/etc/(ld\.so\.cache|\.pwd\.lock)$")
    seen = {}
    for folder, folders, files in os.walk(root.path):
        for name in folders + files:
            path = os.path.join(folder, name)
            if not own.match(path[len(root.path):]):
                seen[path[len(root.path):]] = os.lstat(path).st_mode
    return seen


def dpkg(*arguments):
    done = debian().run("dpkg", *arguments, user="0:0")
    assert done.returncode == 0, done.stdout + done.stderr


def install(*names):
    for name in names:
        shutil.copy(packages.built()[name], debian().at("/tmp"))
    dpkg("-i", *("/tmp/" + os.path.basename(packages.built()[name]) for name in names))


def scan(name, *options):
    done = debian().run("weighlock", "scan", "--format", "json", *options, "/models/" + name)
    return done.returncode, json.loads(done.stdout)["verdict"]


def test_the_command_is_whole_without_the_daemon():
    install("weighlock")
    doctor = debian().run("weighlock", "doctor")
    assert doctor.returncode == 0 and "/usr/libexec/weighlock/weighlock-worker" in doctor.stdout, doctor
    assert re.search(r"seccomp +active +mandatory", doctor.stdout), doctor.stdout
    assert scan(GOOD) == (0, "accept")
    assert scan(BAD) == (1, "reject")


def test_the_manuals_and_pages_are_there():
    doc = debian().at("/usr/share/doc/weighlock/")
    with open(doc + "README.md", encoding="utf-8") as f:
        links = re.findall(r"\]\((docs/[^)#]+)", f.read())
    assert len(links) > 10 and not [p for p in links if not os.path.exists(doc + p)], links
    for page in ("man1/weighlock.1.gz", "man5/weighlock.policy.5.gz"):
        assert os.path.exists(debian().at("/usr/share/man/" + page)), page


def test_what_an_operator_needs_is_beside_the_daemon():
    """And every recipe is in one of the packages."""
    examples = {name: os.listdir(unpacked(name) + f"/usr/share/doc/{name}/examples") for name in ("weighlock", "weighlockd")}
    assert {"prometheus-alerts.yml", "weighlockd-clamd.socket"} <= set(examples["weighlockd"]), examples
    recipes = os.listdir(os.path.join(packages.SOURCE, "recipes"))
    given = examples["weighlock"] + examples["weighlockd"]
    assert not [name for name in recipes if given.count(name) != 1], (recipes, given)
    runbook = os.path.normpath(os.path.join("/usr/share/doc/weighlockd", os.readlink(
        unpacked("weighlockd") + "/usr/share/doc/weighlockd/runbook.md")))
    assert os.path.isfile(unpacked("weighlock") + runbook), runbook


def account(root, name):
    with open(root.at("/etc/passwd"), encoding="utf-8") as f:
        return next(pwd.struct_passwd(line.rstrip().split(":")) for line in f if line.startswith(name + ":"))


@contextlib.contextmanager
def served(root):
    """The daemon as the installed units start it: as its user, with the socket made by somebody else."""
    user = account(root, "weighlock")
    path = root.at("/run/weighlock/weighlock.sock")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        os.chmod(path, 0o660)
        os.chown(path, 0, int(user.pw_gid))
        listening.listen()

        with open(root.at("/tmp/log"), "wb") as log:
            daemon = root.start("sh", "-c", "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec weighlockd --config "
                                "/etc/weighlock/weighlockd.yaml", user=f"{user.pw_uid}:{user.pw_gid}", stderr=log, stdin=listening)
        try:
            wait_ready(root, path, daemon)
            yield path
        finally:
            root.stop(daemon)
            os.remove(path)


def wait_ready(root, path, daemon):
    for _ in range(100):
        c = UnixConnection(path, 2)
        with contextlib.suppress(OSError), contextlib.closing(c):
            c.request("GET", "/readyz")
            if c.getresponse().status == 200:
                return
        if daemon.poll() is not None:
            break
        time.sleep(0.1)
    with open(root.at("/tmp/log"), encoding="utf-8") as f:
        raise AssertionError("not ready: " + f.read())


def curl(path, file, **more):
    done = subprocess.run([need("curl"), "--silent", "--unix-socket", path, "--data-binary", "@" + file,
                           "http://localhost/v1/scan?name=" + os.path.basename(file)], stdout=subprocess.PIPE, timeout=60, **more)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def test_the_installed_daemon_answers_root_and_its_group_and_nobody_else():
    install("weighlockd")
    root = debian()
    user = account(root, "weighlock")
    assert user.pw_shell == "/usr/sbin/nologin", user
    folder = os.stat(root.at("/run/weighlock"))
    assert (folder.st_mode & 0o777, folder.st_uid, folder.st_gid) == (0o750, 0, int(user.pw_gid)), folder
    good, bad = root.at("/models/" + GOOD), root.at("/models/" + BAD)
    with served(root) as path:
        assert curl(path, good)["verdict"] == "accept"
        assert curl(path, bad)["verdict"] == "reject"
        assert curl(path, good, user=65534, group=int(user.pw_gid), extra_groups=[])["verdict"] == "accept"
        stranger = subprocess.run([need("curl"), "--silent", "--unix-socket", path, "http://localhost/v1/scan"],
                                  user=65534, group=65534, extra_groups=[], timeout=60)
        assert stranger.returncode != 0, "the folder of the socket is open to strangers"


def test_a_program_in_c_is_built_and_served_by_the_packages():
    """With the pkg-config file, the header and the library of the packages, and no other."""
    root, sysroot = debian(), bare.folder("sysroot")
    for name in ("libweighlock-client-dev", "libweighlock-client0"):
        assert run("dpkg-deb", "-x", packages.built()[name], sysroot).returncode == 0
    install("libweighlock-client0")
    with open(sysroot + "/ask.c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    where = run(need("pkg-config"), "--cflags", "--libs", "weighlock-client", env={
        "PATH": os.environ["PATH"], "PKG_CONFIG_SYSROOT_DIR": sysroot,
        "PKG_CONFIG_LIBDIR": sysroot + "/usr/lib/x86_64-linux-gnu/pkgconfig"}).stdout.decode().split()
    assert "-lweighlock-client" in where, where
    # Debian's pkg-config drops /usr/include and /usr/lib even below another root.
    done = run(need("gcc"), "-Wall", "-Werror", "-I", sysroot + "/usr/include", "-L", sysroot + "/usr/lib/x86_64-linux-gnu",
               "-o", root.at("/tmp/ask"), sysroot + "/ask.c", *where)
    assert done.returncode == 0, done.stderr.decode()
    with served(root) as path:
        for name, verdict in ((GOOD, "accept"), (BAD, "reject")):
            done = root.run("/tmp/ask", "/run/weighlock/weighlock.sock", "/models/" + name, user="0:0")
            assert done.returncode == 0 and done.stdout.strip() == verdict, (name, done)


def test_python_finds_its_package_and_that_the_command():
    install("python3-weighlock")
    code = "import sys, weighlock\nwith weighlock.admit(sys.argv[1], into='/tmp/kept') as m: print(m.sha256, len(m.file.read()))"
    done = debian().run("python3", "-c", code, "/models/" + GOOD)
    assert done.returncode == 0 and str(os.path.getsize(debian().at("/models/" + GOOD))) in done.stdout, done
    assert "Rejected" in debian().run("python3", "-c", code, "/models/" + BAD).stderr


def test_a_purge_leaves_nothing():
    root = debian()
    dpkg("--purge", "python3-weighlock")
    dpkg("--remove", "weighlockd", "weighlock", "libweighlock-client0")
    assert os.path.exists(root.at("/etc/weighlock/weighlockd.yaml")), "a configuration goes with a purge only"
    dpkg("--purge", "weighlockd", "weighlock", "libweighlock-client0")
    after = inventory(root)
    assert not set(after) - set(inventory_before), sorted(set(after) - set(inventory_before))
    changed = {p for p in inventory_before if after.get(p) != inventory_before[p]}
    assert not changed, sorted(changed)


tap.main(globals())
