"""A PostgreSQL of a test's own: in a temporary folder, on a Unix socket, its data on disk as Debian's would be."""
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

from foreign import missing

PATIENCE_S = 60


def programs():
    """The newest version's folder of programs; Debian keeps them out of PATH."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda p: int(p.split("/")[4]))
    return os.path.dirname(found[-1]) if found else missing("postgresql")


def as_postgres(*argv):
    """It refuses to be root."""
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.getuid() == 0 else []
    return [*user, *argv]


class Postgres:
    """with Postgres() as p: ... p.conninfo ... p.kill() ... p.start()"""

    def __init__(self, *settings):
        self.bin = programs()
        self.folder = tempfile.mkdtemp(prefix="weighlock-pg-")
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.data = os.path.join(self.folder, "data")
        self.conninfo = f"host={self.folder} dbname=postgres user=postgres"
        self.settings = settings
        self.process = None
        subprocess.run(as_postgres(os.path.join(self.bin, "initdb"), "-D", self.data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
                                   "--locale=C.UTF-8", "--no-sync"), check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.start()

    def start(self):
        pairs = [f"--{s}" for s in ("listen_addresses=", f"unix_socket_directories={self.folder}", *self.settings)]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(as_postgres(os.path.join(self.bin, "postgres"), "-D", self.data, *pairs), stdout=log,
                                            stderr=log, cwd="/")
        deadline = time.monotonic() + PATIENCE_S
        while subprocess.run([os.path.join(self.bin, "pg_isready"), "-q", "-h", self.folder], check=False).returncode != 0:
            assert self.process.poll() is None and time.monotonic() < deadline, open(os.path.join(self.folder, "log")).read()
            time.sleep(0.1)

    def kill(self):
        """All of it at once, as when power fails but for the disk's cache."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE_S)

    def ask(self, sql):
        """Rows of texts."""
        done = subprocess.run([os.path.join(self.bin, "psql"), "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", self.conninfo, "-c", sql],
                              check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120)
        return [line.split("\t") for line in done.stdout.decode().splitlines()]

    def number(self, sql):
        return int(self.ask(sql)[0][0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE_S)
        shutil.rmtree(self.folder, ignore_errors=True)
