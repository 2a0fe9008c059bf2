"""The units: how exposed they leave the service, socket activation and readiness, and a scan under the unit's own
system call filter."""
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import tap
from daemon import PATIENCE_S, UnixConnection, options, until

OPTIONS = options()
UNITS = OPTIONS["units"]
SANITIZED = OPTIONS.get("sanitized") == "true"


def as_service_user():
    """The unit runs the daemon as a user of its own."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def need(program):
    path = shutil.which(program)
    if path is None:
        raise tap.Skip(f"{program} is not here")
    return path


def test_exposure_is_at_most_one():
    analyze = need("systemd-analyze")
    done = subprocess.run([analyze, "security", "--offline=true", "--no-pager", "--threshold=10",
                           os.path.join(UNITS, "weighlockd.service")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-1500:]
    assert "Overall exposure level" in done.stdout, done.stdout[-500:]


def test_units_verify():
    analyze = need("systemd-analyze")
    with tempfile.TemporaryDirectory() as folder:
        for unit in ("weighlockd.service", "weighlockd.socket"):
            with open(os.path.join(UNITS, unit), encoding="utf-8") as f:
                text = re.sub(r"ExecStart=\S+", f"ExecStart={OPTIONS['weighlockd']}", f.read())
            with open(os.path.join(folder, unit), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([analyze, "verify", "--man=no", os.path.join(folder, "weighlockd.service"),
                               os.path.join(folder, "weighlockd.socket")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ours = [line for line in done.stdout.splitlines() if "weighlock" in line]
    assert not ours, "\n".join(ours)


def request(path, method, target, body=None):
    c = UnixConnection(path)
    c.request(method, target, body)
    reply = c.getresponse()
    text = reply.read()
    c.close()
    return reply.status, text


def sample():
    path = os.path.join(OPTIONS["corpus"], "safetensors", "files", "off-one-tensor.safetensors")
    with open(path, "rb") as f:
        return f.read()


def test_socket_activation_and_readiness():
    activate = need("systemd-socket-activate")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "activated.sock")
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(os.path.join(folder, "notify"))
        notify.settimeout(PATIENCE_S)
        os.chmod(os.path.join(folder, "notify"), 0o666)
        process = subprocess.Popen([activate, "-l", path, "-E", f"NOTIFY_SOCKET={folder}/notify", "-E", "WATCHDOG_USEC=2000000",
                                    OPTIONS["weighlockd"], "--spool-dir", folder], stderr=subprocess.PIPE)
        try:
            assert until(lambda: os.path.exists(path))
            status, text = request(path, "PUT", "/v1/scan/a.safetensors", sample())
            assert status == 200 and b'"accept"' in text, text
            messages = b""
            while b"WATCHDOG=1" not in messages:
                messages += notify.recv(4096) + b"\n"
            assert b"READY=1" in messages, messages
            process.terminate()
            while b"STOPPING=1" not in messages:
                messages += notify.recv(4096) + b"\n"
            assert process.wait(PATIENCE_S) == 0
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stderr.close()
            notify.close()


def unit_filter():
    """Names the unit's SystemCallFilter lines allow, expanded the way systemd does: in order, ~ takes away."""
    analyze = need("systemd-analyze")
    text = subprocess.run([analyze, "syscall-filter", "--no-pager"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    sets, name = {}, None
    for line in text.splitlines():
        if line.startswith("@"):
            name = line.strip()
            sets[name] = []
        elif name and line.strip() and not line.strip().startswith("#"):
            sets[name].append(line.strip())

    def expand(item):
        return {item} if not item.startswith("@") else set().union(*(expand(i) for i in sets[item]))

    allowed = set()
    with open(os.path.join(UNITS, "weighlockd.service"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("SystemCallFilter="):
                words = line.strip().split("=", 1)[1]
                names = set().union(*(expand(w) for w in words.lstrip("~").split()))
                allowed = allowed - names if words.startswith("~") else allowed | names
    return allowed | expand("@default")


def scans_under(*filter_words, features=""):
    """A daemon below such a filter, one honest file, and what the daemon wrote."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path, config, log = (os.path.join(folder, name) for name in ("filtered.sock", "weighlockd.yaml", "log"))
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"spool_dir: {folder}\n{features.format(folder=folder)}")
        with open(log, "w+", encoding="utf-8") as stderr:
            process = subprocess.Popen([OPTIONS["under_filter"], *filter_words, "--", OPTIONS["weighlockd"], "--socket", path,
                                        "--config", config], stderr=stderr, preexec_fn=as_service_user)
            try:
                deadline = time.monotonic() + PATIENCE_S
                while time.monotonic() < deadline:
                    assert process.poll() is None, open(log, encoding="utf-8").read()
                    try:
                        if request(path, "GET", "/readyz")[0] == 200:
                            break
                    except OSError:
                        time.sleep(0.05)
                status, text = request(path, "PUT", "/v1/scan/a.safetensors", sample())
                assert status == 200 and b'"accept"' in text, text
            finally:
                process.terminate()
                process.wait(PATIENCE_S)
            stderr.seek(0)
            return stderr.read()


def test_the_units_own_filter_still_lets_a_file_be_scanned():
    if SANITIZED:
        raise tap.Skip("sanitizers call what the filter refuses")
    scans_under("allow", *sorted(unit_filter()))


def test_a_container_older_than_landlock_costs_a_layer_and_says_so():
    said = scans_under("deny", "landlock_create_ruleset", features="store: on\nstate_dir: {folder}\n")
    assert "no Landlock: the front" in said and "no Landlock: the keeper" in said, said


tap.main(globals())
