"""The packages on a machine that systemd has booted: installed, started, used, reloaded, killed, upgraded and stopped there, with
what journald keeps of it.  In this order; each test starts from what the one before it left."""
import contextlib
import datetime
import functools
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading

import machine
import packages
import tap
from daemon import UnixConnection, model, read_reply, until
from foreign import need

SOCKET = "/run/weighlock/weighlock.sock"
CONFIG = "/etc/weighlock/weighlockd.yaml"
STATE = "/var/lib/weighlock"
SERVICE, LISTENER = "weighlockd.service", "weighlockd.socket"
DROP_INS = f"/etc/systemd/system/{SERVICE}.d"
OURS = ("weighlock", "weighlockd")
PATIENCE_S = 120  # for a state that has to come; how long it takes is the machine's affair

# systemd-analyze security, which is of this Debian: a directive less, and it is more.
EXPOSURE_MAX = 0.5

# Of the worker's layers, those that RestrictNamespaces= costs, and no-caps: capset() is not among the unit's calls, and
# there is no capability to drop (CapabilityBoundingSet=).
COST = {"user-ns", "mount-ns", "pid-ns", "net-ns", "ipc-ns", "uts-ns", "empty-root", "no-caps"}

EVIL = b"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R."
NAN = struct.pack("<Q56sf", 56, b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'.ljust(56), float("nan"))
FILES = {"good.safetensors": model(4096), "bad.pkl": EVIL, "nan.safetensors": NAN}


# ---- the machine ----

def wanted():
    """What the packages ask for, beside systemd."""
    asked = ", ".join(packages.field(name, "Depends") for name in OURS)
    return sorted({word.split()[0] for word in asked.split(", ")} - set(OURS) | {"systemd-sysv", "dbus", "curl"})


@functools.cache
def attempt():
    """A machine, or why there is none: what failed is not tried again for each test."""
    try:
        root = packages.debian(*wanted())
        for name, data in FILES.items():
            write(root.at("/models/" + name), data)
        for name in OURS:
            shutil.copy(packages.built()[name], root.at("/models"))
        return machine.Machine(root)
    except Exception as e:  # noqa: BLE001 - raised by whoever asks
        return e


def booted():
    got = attempt()
    if isinstance(got, Exception):
        raise got
    return got


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    os.chmod(path, 0o644)


def put(path, text):
    write(booted().root.at(path), text)


def do(*argv, status=0, **more):
    done = booted().run(*argv, **more)
    assert done.returncode == status, (argv, done, journal("-o", "cat", "--lines=20"))
    return done.stdout


def show(name, unit=SERVICE):
    return booted().run("systemctl", "show", "--value", "--property=" + name, unit).stdout.strip()


def state(unit=SERVICE):
    return show("ActiveState", unit)


def journal(*options):
    return booted().run("journalctl", "--no-pager", "-u", SERVICE, *options).stdout


def reload():
    """Have it done: a new front has said that it is ready."""
    def ready():
        return journal("-o", "cat").count("weighlockd: ready: ")

    before = ready()
    do("systemctl", "reload", SERVICE)
    assert until(lambda: ready() > before, PATIENCE_S), journal("--lines=20")


def installed():
    """Each test but the first says why it cannot be one, instead of failing by what the first left undone."""
    assert os.path.exists(booted().root.at("/usr/bin/weighlockd")), "the packages are not installed"


# ---- its clients ----

def request(method, target, body=None, headers=None, timeout=PATIENCE_S):
    c = UnixConnection(booted().at(SOCKET), timeout)
    with contextlib.closing(c):
        c.request(method, target, body, headers or {})
        reply = c.getresponse()
        return reply.status, reply.read()


def connected(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(PATIENCE_S)
    s.connect(booted().at(path))
    return s


def verdict_about(name):
    status, text = request("PUT", "/v1/scan/" + name, FILES[name])
    assert status == 200, text
    return json.loads(text)


def scan(name, user):
    """`weighlock scan --socket` as somebody: exit status, and the verdict if there is one."""
    done = booted().run("weighlock", "scan", "--format", "json", "--socket", SOCKET, "/models/" + name, user=user)
    return done.returncode, json.loads(done.stdout)["verdict"] if done.stdout.strip() else None


def curl(name, user):
    done = booted().run("curl", "--silent", "--unix-socket", SOCKET, "-T", "/models/" + name, "http://localhost/v1/scan/",
                        user=user)
    return done.returncode, json.loads(done.stdout)["verdict"] if done.stdout.strip() else None


class Asking:
    """Somebody who asks again and again, for as long as something else goes on; and what went wrong for them."""

    def __enter__(self):
        self.answers, self.troubles, self.over = 0, [], threading.Event()
        self.thread = threading.Thread(target=self.ask)
        self.thread.start()
        self.some(3)
        return self

    def ask(self):
        while not self.over.is_set():
            try:
                assert verdict_about("good.safetensors")["verdict"] == "accept"
                self.answers += 1
            except (OSError, http.client.HTTPException, AssertionError) as e:
                self.troubles.append(f"after {self.answers} answers: {e!r}")
                self.over.wait(0.1)

    def some(self, n):
        """Wait for more answers than there are."""
        enough = self.answers + n
        assert until(lambda: self.answers >= enough, PATIENCE_S), self.troubles[-3:]

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


# ---- the tests ----

def test_installation_starts_the_socket_and_the_daemon():
    do("dpkg", "-i", *("/models/" + os.path.basename(packages.built()[name]) for name in OURS))
    assert (state(LISTENER), state()) == ("active", "active"), do("systemctl", "status", "--no-pager", SERVICE, status=3)
    assert show("Type") == "notify" and do("systemctl", "is-enabled", SERVICE, LISTENER).split() == ["enabled"] * 2
    socket_and_folder = do("stat", "-c", "%a %U %G", SOCKET, os.path.dirname(SOCKET)).splitlines()
    assert socket_and_folder == ["660 root weighlock", "750 root weighlock"], socket_and_folder
    assert do("stat", "-c", "%a %U %G", STATE).strip() == "700 weighlock weighlock"


def test_a_connection_starts_the_daemon():
    installed()
    do("systemctl", "stop", SERVICE)
    assert (state(LISTENER), state()) == ("active", "inactive")
    assert verdict_about("good.safetensors")["verdict"] == "accept"
    assert state() == "active"


def test_the_unit_costs_the_jail_namespaces_and_no_other_layer():
    installed()
    alone = set(re.findall(r"^ +([\w-]+) +active", do("weighlock", "doctor"), re.M))
    beneath = set(verdict_about("good.safetensors")["scan"]["layers"])
    assert "seccomp" in beneath and beneath <= alone and alone - beneath <= COST, (alone, beneath)


def test_the_drop_in_of_the_installation_page_gives_all_layers_back():
    installed()
    with open(os.path.join(packages.SOURCE, "docs", "install.md"), encoding="utf-8") as f:
        path, drop_in = re.search(r"# (/etc/systemd/\S+)\n(.*?)```", f.read(), re.S).groups()
    put(path, re.sub("^ +", "", drop_in, flags=re.M))
    do("systemctl", "daemon-reload")
    do("systemctl", "restart", SERVICE)
    active = re.findall(r"^ +([\w-]+) +active", do("weighlock", "doctor"), re.M)
    assert verdict_about("good.safetensors")["scan"]["layers"] == active, active
    os.remove(booted().root.at(path))
    do("systemctl", "daemon-reload")
    do("systemctl", "restart", SERVICE)


def test_members_of_the_group_are_served_as_installed():
    installed()
    do("useradd", "--create-home", "--groups", "weighlock", "hub")
    for ask in (scan, curl):
        status, verdict = ask("good.safetensors", "hub")
        assert (status, verdict) == (0, "accept"), (ask, status)
        status, verdict = ask("bad.pkl", "hub")
        assert (status, verdict) == (1 if ask is scan else 0, "reject"), (ask, status)


def test_others_are_not_let_near():
    installed()
    do("useradd", "--create-home", "stranger")
    assert curl("good.safetensors", "stranger") == (7, None), "the folder of the socket is open to strangers"
    status, verdict = scan("good.safetensors", "stranger")
    assert (status, verdict) in ((2, None), (2, "error")), (status, verdict)


def test_a_reload_changes_the_policy_and_nobody_notices():
    installed()
    assert verdict_about("nan.safetensors")["verdict"] != "accept"
    before = do("stat", "-c", "%i %W", SOCKET), show("MainPID")
    ends = datetime.date.today() + datetime.timedelta(days=7)
    put("/etc/weighlock/downgrade.yaml", "version: 1\nname: downgrade\nbase: default\nrules:\n"
        f"  - {{code: weights-nan, action: accept, reason: a test, owner: tests, expires: {ends}}}\n")
    with open(booted().root.at(CONFIG), encoding="utf-8") as f:
        put(CONFIG, f.read() + "default_policy: /etc/weighlock/downgrade.yaml\n")
    with Asking() as asking:
        reload()
        asking.some(3)
    assert not asking.troubles, asking.troubles
    assert verdict_about("nan.safetensors")["verdict"] == "accept"
    assert (do("stat", "-c", "%i %W", SOCKET), show("MainPID")) == before


def test_a_reload_of_a_configuration_that_is_wrong_changes_nothing():
    installed()
    with open(booted().root.at(CONFIG), encoding="utf-8") as f:
        text = f.read()
    put(CONFIG, text + "workers: many\n")
    try:
        do("systemctl", "reload", SERVICE)
        assert until(lambda: "not reloaded" in journal("-o", "cat"), PATIENCE_S)
        assert verdict_about("nan.safetensors")["policy"]["name"] == "downgrade" and state() == "active"
    finally:
        put(CONFIG, text)


def entries(request_id, *matches):
    """What journald has of a request, once it has something."""
    return until(lambda: [json.loads(line) for line in
                          journal("-o", "json", "WEIGHLOCK_REQUEST_ID=" + request_id, *matches).splitlines()], PATIENCE_S)


def test_the_journal_has_each_verdict_with_its_fields():
    installed()
    for name, priority, value in (("good.safetensors", "6", "accept"), ("bad.pkl", "4", "reject")):
        asked = "a-test-of-" + value
        _, text = request("PUT", "/v1/scan/" + name, FILES[name], {"Weighlock-Request-Id": asked})
        verdict = json.loads(text)
        (entry,) = entries(asked)
        codes = [f["code"] for f in verdict["findings"] if f["action"] == value]
        want = {"WEIGHLOCK_VERDICT": value, "WEIGHLOCK_CLASS": "malicious" if codes else None, "WEIGHLOCK_ERROR": "none",
                "WEIGHLOCK_CODE": codes if len(codes) > 1 else codes[0] if codes else None, "PRIORITY": priority,
                "WEIGHLOCK_SHA256": verdict["file"]["sha256"], "WEIGHLOCK_TENANT": "uid:0", "WEIGHLOCK_POLICY": "downgrade",
                "MESSAGE_ID": "0c6f4d0fe9a94a0fb3b1d1a2d6a3c5b7", "_SYSTEMD_UNIT": SERVICE, "SYSLOG_IDENTIFIER": "weighlockd"}
        assert verdict["verdict"] == value and want == {field: entry.get(field) for field in want}, entry
        assert f"verdict={value} id={asked} " in entry["MESSAGE"], entry
    assert not journal("-o", "json", "WEIGHLOCK_REQUEST_ID=a-test-of-accept", "WEIGHLOCK_VERDICT=reject")
    assert journal("-o", "json", "--since=today", "WEIGHLOCK_VERDICT=reject", "WEIGHLOCK_CODE=pickle-global-dangerous")


def test_the_questions_of_the_runbook_to_the_journal_are_understood():
    installed()
    with open(os.path.join(packages.SOURCE, "docs", "runbook.md"), encoding="utf-8") as f:
        asked = re.findall(r"^ *(journalctl (?:[^\n]*\|\n)*[^\n]*)$", f.read(), re.M)
    assert len(asked) >= 8, asked
    for command in asked:
        done = booted().run("sh", "-c", command)
        assert not done.stderr, (command, done)
        of_trouble = re.search("=error|worker died|worker reported|alarm|keeper|does not end", command)
        assert of_trouble or "uid:0" in done.stdout, (command, done)


def new_key():
    """For signatures, where root alone can read it; its public half is beside it."""
    private, public = (booted().root.at("/etc/weighlock/weighlock." + name) for name in ("key", "pub"))
    subprocess.run([need("openssl"), "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
    subprocess.run([need("openssl"), "pkey", "-in", private, "-pubout", "-out", public], check=True)
    os.chmod(private, 0o600)


def test_what_is_kept_and_signed_is_the_services_own():
    """Store, audit log and a key that systemd hands over."""
    installed()
    new_key()
    put(DROP_INS + "/key.conf", "[Service]\nLoadCredential=weighlock.key:/etc/weighlock/weighlock.key\n")
    with open(booted().root.at(CONFIG), encoding="utf-8") as f:
        put(CONFIG, f.read() + "store: on\naudit: required\nsigning_key: weighlock.key\n")
    do("systemctl", "daemon-reload")
    do("systemctl", "restart", SERVICE)
    status, envelope = request("PUT", "/v1/scan/good.safetensors?attest=1", FILES["good.safetensors"])
    assert status == 200, envelope
    put("/models/envelope.json", envelope)
    said = do("weighlock", "verify", "--key", "/etc/weighlock/weighlock.pub", "/models/envelope.json", "/models/good.safetensors")
    assert "accept" in said, said
    do("weighlock", "audit", "verify", STATE + "/audit.jsonl")
    digest = verdict_about("good.safetensors")["file"]["sha256"]
    kept = until(lambda: (got := request("GET", f"/v1/verdicts/{digest}?name=good.safetensors"))[0] == 200 and got, PATIENCE_S)
    assert kept and json.loads(kept[1])["scan"]["cached"] is True, kept
    owners = do("find", STATE, "-printf", "%u %m %P\n").splitlines()
    assert len(owners) >= 4 and all(re.match("weighlock [67]00 ", line) for line in owners), owners


def test_a_credential_is_read_again_by_a_restart():
    """And not by a reload, whatever the file is by then: the daemon has what it was started with."""
    installed()

    def key():
        return journal("-o", "cat", "--grep=signed with key").splitlines()[-1]

    before = key()
    new_key()
    reload()
    assert key() == before
    do("systemctl", "restart", SERVICE)
    assert key() != before


def processes():
    """The unit's, by the numbers they have for us: the monitor, and what else is in its cgroup."""
    with open(booted().at(f"/sys/fs/cgroup{show('ControlGroup')}/cgroup.procs"), encoding="ascii") as f:
        pids = {int(word) for word in f.read().split()}
    (monitor,) = pids & set(machine.children(booted().first))
    return monitor, pids - {monitor}


def killed(how):
    """Have systemd find out that the daemon has ended; by then it is another."""
    before, restarts = show("MainPID"), int(show("NRestarts"))
    how()
    assert until(lambda: int(show("NRestarts")) > restarts, PATIENCE_S), journal("--lines=20")
    assert verdict_about("good.safetensors")["verdict"] == "accept", "the socket outlives the daemon"
    assert until(lambda: state() == "active" and show("MainPID") not in (before, "0"), PATIENCE_S)


def test_systemd_starts_a_killed_daemon_again():
    installed()
    killed(lambda: do("systemctl", "kill", "--kill-whom=main", "--signal=KILL", SERVICE))
    monitor, of_it = processes()
    assert len(of_it) == 3 and set(of_it) == set(machine.children(monitor)), "front, keeper and zygote, and no leftovers"


def test_a_daemon_that_hangs_is_started_again_by_the_watchdog():
    installed()
    put(DROP_INS + "/watchdog.conf", "[Service]\nWatchdogSec=6\n")
    do("systemctl", "daemon-reload")
    do("systemctl", "restart", SERVICE)
    front = machine.children(processes()[0])[0]  # the first that the monitor starts
    killed(lambda: os.kill(front, signal.SIGSTOP))
    assert "Watchdog timeout" in journal("-o", "cat")
    os.remove(booted().root.at(DROP_INS + "/watchdog.conf"))
    do("systemctl", "daemon-reload")
    do("systemctl", "restart", SERVICE)


def test_what_cannot_start_is_tried_until_it_can():
    """Five failures in a row must not be the end of the socket as well."""
    installed()
    put(DROP_INS + "/broken.conf", "[Service]\nExecStartPre=/usr/bin/test -e /models/cause-is-gone\n")
    do("systemctl", "daemon-reload")
    do("systemctl", "stop", SERVICE)
    with contextlib.closing(UnixConnection(booted().at(SOCKET), PATIENCE_S)) as c:
        c.request("GET", "/healthz")
        assert until(lambda: int(show("NRestarts")) > 5, PATIENCE_S), journal("--lines=20")
        put("/models/cause-is-gone", "")
        assert c.getresponse().status == 200, "who waited was served"
    os.remove(booted().root.at(DROP_INS + "/broken.conf"))
    do("systemctl", "daemon-reload")


def test_clients_of_clamd_have_a_socket_of_their_own():
    installed()
    example = "/usr/share/doc/weighlockd/examples/weighlockd-clamd.socket"
    do("cp", example, "/etc/systemd/system/")
    for command in re.search(r"^# +(systemctl .*)$", do("cat", example), re.M)[1].split(" && "):
        do(*command.split())
    with contextlib.closing(connected("/run/weighlock/clamd.sock")) as s:
        s.sendall(b"nPING\n")
        assert s.recv(64) == b"PONG\n"
    assert verdict_about("good.safetensors")["verdict"] == "accept"


def test_the_exposure_is_as_it_was_measured():
    installed()
    said = do("systemd-analyze", "security", "--no-pager", SERVICE)
    exposure = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", said)[1])
    assert exposure <= EXPOSURE_MAX, said


def test_an_upgrade_keeps_the_socket():
    """Installing what is installed is one, as far as dpkg and systemd are concerned."""
    installed()
    before, pid = do("stat", "-c", "%i %W", SOCKET), show("MainPID")
    with Asking() as asking:
        do("dpkg", "-i", *("/models/" + os.path.basename(packages.built()[name]) for name in OURS))
        asking.some(3)
    assert not asking.troubles, asking.troubles
    assert do("stat", "-c", "%i %W", SOCKET) == before and show("MainPID") != pid


def test_stopping_ends_what_runs_and_takes_nothing_more():
    installed()
    body = FILES["good.safetensors"]
    with contextlib.closing(connected(SOCKET)) as s:
        s.sendall(b"PUT /v1/scan/good.safetensors HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                  b"Content-Length: %d\r\n\r\n" % len(body))
        assert s.recv(64).startswith(b"HTTP/1.1 100 "), "it takes the body"
        stopping = subprocess.Popen(booted().command("systemctl", "stop", SERVICE, LISTENER), stderr=subprocess.DEVNULL)
        assert until(lambda: state() == "deactivating", PATIENCE_S)
        s.sendall(body)
        status, _, verdict = read_reply(s)
        assert status == 200 and verdict["verdict"] == "accept", (status, verdict)
    assert stopping.wait(PATIENCE_S) == 0
    assert (state(), show("Result"), state(LISTENER)) == ("inactive", "success", "inactive")
    assert not os.path.exists(booted().at(SOCKET))


def test_a_purge_leaves_nothing_that_runs():
    installed()
    do("systemctl", "start", SERVICE)
    do("dpkg", "--purge", "weighlockd", "weighlock")
    assert (state(), state(LISTENER)) == ("inactive", "inactive")
    for path in (STATE, "/var/cache/weighlock", "/run/weighlock", CONFIG):
        assert not os.path.exists(booted().at(path)), path


tap.main(globals())
