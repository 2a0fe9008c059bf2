"""A root folder booted as a machine: systemd as its first process, in namespaces and a cgroup of its own, without a network."""
import atexit
import os
import subprocess
import time

import bare
import tap
from foreign import need

BOOT_SECONDS = 300
ENV = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}

GONE_WITH_US = ["setpriv", "--pdeathsig", "KILL"]
NAMESPACES = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]

# --private-network: PrivateNetwork= of a unit takes a right that a machine with the host's network has not.
# --system-call-filter: what nspawn's own refuses (as of 252), and a machine does not.
NSPAWN = ["--quiet", "--boot", "--private-network", "--register=no", "--keep-unit", "--link-journal=no", "--console=pipe",
          "--system-call-filter=landlock_create_ruleset landlock_add_rule landlock_restrict_self"]

# Cgroups are mounted anew, so that the host's layout does not matter, and what nspawn makes in there goes with it.
BOOT = """set -e
group=/sys/fs/cgroup/$1
shift
mount -t tmpfs run /run
umount --lazy --recursive /sys/fs/cgroup 2>/dev/null || :
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir "$group"
trap 'find "$group" -depth -type d -exec rmdir {} +' EXIT
(echo 0 >"$group/cgroup.procs" && exec "$@")
"""


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return ""


def first_process(pid):
    """The first process of the machine below this one, or None as long as there is none."""
    for child in children(pid):
        if name_of(pid) == "systemd-nspawn" and name_of(child) == "systemd":
            return child
        found = first_process(child)
        if found:
            return found
    return None


class Machine:
    """Booted when it is there; gone with the program.  What cannot be booted here skips the test and says why."""

    def __init__(self, root):
        self.root, self.first = root, None
        self.log = os.path.join(bare.folder("machine"), "log")
        name = f"weighlock-{os.getpid()}"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*GONE_WITH_US, *NAMESPACES, "sh", "-c", BOOT, "sh", name, need("systemd-nspawn"), *NSPAWN, "--machine=" + name,
                 "--directory=" + root.path], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENV)
        atexit.register(self.stop)
        self.wait_booted()

    def wait_booted(self):
        deadline = time.monotonic() + BOOT_SECONDS
        said = ""
        while said not in ("running", "degraded"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                with open(self.log, encoding="utf-8", errors="replace") as f:
                    raise tap.Skip(f"no systemd can be booted here: {' '.join(f.read().split())[-300:] or said or 'no answer'}")
            time.sleep(0.2)
            self.first = first_process(self.process.pid)
            if self.first:
                said = self.run("systemctl", "is-system-running").stdout.strip()

    def command(self, *argv, user=None):
        """As root, or as somebody with their groups."""
        if user:
            argv = ("setpriv", "--reuid", user, "--regid", user, "--init-groups", "--", *argv)
        return [need("nsenter"), "--target", str(self.first), "--all", "--", *argv]

    def run(self, *argv, user=None, timeout=300, **more):
        return subprocess.run(self.command(*argv, user=user), stdin=subprocess.DEVNULL, text=True, timeout=timeout, **more,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)

    def at(self, path):
        """Where a path of the machine is for us, with what is mounted in there."""
        return f"/proc/{self.first}/root{path}"

    def stop(self):
        if self.process.poll() is None and self.first:
            self.run("systemctl", "poweroff", "--force", "--force")
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()  # and all of it, by --kill-child
            self.process.wait()
