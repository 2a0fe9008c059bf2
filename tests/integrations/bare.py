"""A folder as the root of programs: with namespaces of their own, no network, and of /dev what harms nobody."""
import atexit
import os
import shutil
import signal
import subprocess
import tempfile

from foreign import missing, need

NOBODY = "65534:65534"

# The mounts go with the namespace.  --read-only as a container's runtime does it: the root, not what is mounted in it.
ENTER = """set -e
root=$1 mode=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o mode=755,nosuid dev "$root/dev"
for device in null zero full random urandom; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
[ "$mode" != read-only ] || mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
"""


def folder(prefix):
    """One that is gone at the end, with whatever was put there."""
    path = tempfile.mkdtemp(prefix=f"weighlock-{prefix}-")
    os.chmod(path, 0o755)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


class Root:
    def __init__(self, path, read_only=False):
        if os.geteuid() != 0:
            missing("root, for a root folder of one's own,")
        for name in ("proc", "dev"):
            os.makedirs(os.path.join(path, name), exist_ok=True)
        self.path, self.mode = path, "read-only" if read_only else "writable"

    def at(self, path):
        return self.path + path

    def command(self, *argv, user=NOBODY):
        return [need("unshare"), "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child",
                "sh", "-c", ENTER, "sh", self.path, self.mode, user, *argv]

    def run(self, *argv, user=NOBODY, timeout=120, **more):
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", **more.pop("env", {})}
        return subprocess.run(self.command(*argv, user=user), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=timeout, env=env, **more)

    def start(self, *argv, user=NOBODY, **more):
        return subprocess.Popen(self.command(*argv, user=user), stdin=more.pop("stdin", subprocess.DEVNULL), **more)

    def stop(self, process):
        """End what start() started.  The death of unshare would not do: a change of uid forgets who the parent was."""
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
            for pid in f.read().split():
                os.kill(int(pid), signal.SIGKILL)  # the first process of its namespace, which goes with it
        process.wait(30)
