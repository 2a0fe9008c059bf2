"""What a table of commands and outputs cannot say about `weighlock scan`: the schema, the order under load, lying
workers, signals."""
import datetime
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

import tap
from fixtures import (BAD, GOOD, NAN, OPTIONS, PATIENCE_S, WEIGHLOCK, awaits_input, environment, remove, safetensors, tree,
                      until, write)
from hung_storage import READ, HungStorage
from models import safetensors_of, sharded, weights

ROOT = tree()
SECRET = safetensors(data=b"\0\0\0\x40" * 2)


def scan(*arguments, binary=WEIGHLOCK, **options):
    return subprocess.run([binary, "scan", *arguments], cwd=ROOT, env=environment(), timeout=120,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def verdicts(*arguments, **options):
    done = scan("--format", "json", *arguments, **options)
    return [json.loads(line) for line in done.stdout.decode().splitlines()], done


def many(n):
    """n files whose verdicts and sizes differ, so that those finished late stand among those finished early."""
    folder = os.path.join(ROOT, f"many-{n}")
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        write(f"{folder}/{i:04}", (GOOD, NAN, BAD, b"x" * (i * 4096))[i % 4])
    return folder


def test_every_line_is_valid_against_the_schema_it_names():
    import jsonschema
    with open(OPTIONS["schema"], encoding="utf-8") as f:
        schema = json.load(f)
    validator = jsonschema.Draft202012Validator(schema)
    quiet = tree()  # in the other one, other tests are at work
    lines, _ = verdicts(quiet, "nowhere", "/dev/null")
    remove(quiet)
    assert len(lines) > 30 and {v["verdict"] for v in lines} == {"accept", "review", "reject", "error"}, lines
    for v in lines:
        errors = [e.message for e in validator.iter_errors(v)]
        assert not errors, (v["file"]["name"], errors)
        assert v["schema"] == schema["properties"]["schema"]["const"]
        unknown = v["scan"].keys() - schema["properties"]["scan"]["properties"].keys()
        assert not unknown, (v["file"]["name"], unknown)


def test_results_come_in_the_order_of_the_inputs_whatever_finishes_first():
    folder = many(300)
    one, _ = verdicts("-j", "1", folder)
    eight, _ = verdicts("-j", "8", folder)
    assert [v["file"]["name"] for v in one] == [f"{folder}/{i:04}" for i in range(300)]
    strip = [(v["file"], v["verdict"], v["findings"]) for v in one]
    assert strip == [(v["file"], v["verdict"], v["findings"]) for v in eight]


def cost(*paths):
    """Seconds of CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = scan("-q", *paths)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_four_hundred_small_files_cost_less_than_forty_commands():
    """Whatever is done once for each file must not be what a command does to begin with."""
    if OPTIONS["sanitized"] == "true":
        raise tap.Skip("in a sanitizer build everything costs more, and not alike")
    folder = os.path.join(ROOT, "small")
    os.makedirs(folder)
    for i in range(400):
        write(f"{folder}/{i}", GOOD)
    together, apart = cost(folder), sum(cost(f"{folder}/{i}") for i in range(40))
    assert together < apart, (together, apart)


def test_a_large_folder_costs_little_memory():
    if OPTIONS["sanitized"] == "true":
        raise tap.Skip("a sanitizer build needs more")
    folder = os.path.join(ROOT, "wide-folder")
    os.makedirs(folder)
    for i in range(20000):
        os.symlink("nothing", f"{folder}/{i:05}")
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([WEIGHLOCK, "scan", "--format", "json", folder], env=environment(), stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        out.seek(0)
        assert sum(1 for _ in out) == 20000 and os.waitstatus_to_exitcode(status) == 2
    assert usage.ru_maxrss < 40 * 1024, f"{usage.ru_maxrss} KiB"


def test_without_room_for_descriptors_files_are_errors_and_never_skipped():
    lines, done = verdicts("-j", "16", "mixed", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)))
    assert done.returncode != 0
    assert len(lines) in (0, 3), lines
    assert all(v["verdict"] != "accept" or v["complete"] for v in lines)


def swap(stop, path, one, other):
    """Until told to stop: path is now this, now that, and never absent for long."""
    while not stop.is_set():
        for make in (one, other):
            make(f"{path}.new")
            os.rename(f"{path}.new", path)


def test_an_entry_swapped_for_a_link_meanwhile_never_leads_outside():
    folder, secret = f"{ROOT}/swapped", f"{ROOT}/secret.safetensors"
    os.makedirs(folder)
    write(secret, SECRET)
    stop = threading.Event()
    swapper = threading.Thread(target=swap, args=(stop, f"{folder}/x", lambda p: write(p, GOOD),
                                                  lambda p: os.symlink(secret, p)))
    swapper.start()
    seen = set()
    try:
        for _ in range(60):
            lines, _ = verdicts(*[folder] * 20)
            seen |= {(v["verdict"], v["file"]["sha256"]) for v in lines}
    finally:
        stop.set()
        swapper.join()
    digests = {digest for _, digest in seen}
    assert hashlib.sha256(SECRET).hexdigest() not in digests, seen
    assert hashlib.sha256(GOOD).hexdigest() in digests and "error" in {value for value, _ in seen}, seen


# ---- workers that lie or die ----

class Lair:
    """The command beside a worker that does what its file says (tests/sandbox/obedient_worker.c)."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="weighlock-lair-")
        os.chmod(self.folder, 0o755)
        self.binary = shutil.copy(WEIGHLOCK, f"{self.folder}/weighlock")
        shutil.copy(OPTIONS["obedient_worker"], f"{self.folder}/weighlock-worker")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def judge(self, *orders, options=()):
        paths = []
        for i, order in enumerate(orders):
            paths.append(f"{self.folder}/{i}.safetensors")
            write(paths[-1], order)
        lines, done = verdicts(*options, *paths, binary=self.binary)
        assert [v["file"]["name"] for v in lines] == paths, (lines, done)
        return [(v["verdict"], v["scan"].get("error")) for v in lines], done


def test_workers_that_die_or_lie_are_never_believed():
    with Lair() as lair:
        got, done = lair.judge(b"exit 0\n", b"exit 1\n", b"trap\n", b"forbidden\n", b"write 0\ngarbage", b"flood\n",
                               options=("-j", "3"))
        want = ["worker-protocol", "worker-crashed", "worker-crashed", "worker-killed-seccomp", "worker-protocol",
                "worker-protocol"]
        if OPTIONS["sanitized"] == "true":
            got, want = got[:3], want[:3]
        assert got == [("error", cause) for cause in want], got
        assert done.returncode == 2


def reports(sha256):
    """An order to report that all was read, with this digest or none, and nothing found."""
    order = b"write 0\n"
    size = len(order) + 5 + 8 + 1 + len(sha256) + 12 + 8 + 7 * 8 + 2
    safetensors_number = int(hashlib.sha256(b"safetensors").hexdigest()[:8], 16)
    final = struct.pack("<QB", size, bool(sha256)) + sha256 + struct.pack("<IIBBBB", safetensors_number, safetensors_number, 1, 0, 1, 0) + struct.pack("<Q", size) + bytes(7 * 8 + 2)
    return order + struct.pack("<IB", len(final), 6) + final


def test_of_standard_input_no_worker_names_the_digest():
    def judge(binary, body):
        done = subprocess.run([binary, "scan", "--format", "json", "-"], env=environment(), input=body,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        verdict = json.loads(done.stdout)
        assert verdict["file"]["sha256"] == hashlib.sha256(body).hexdigest(), verdict
        return verdict
    for body in (GOOD, b"\0" * (70 << 20)):  # in memory, and in a file
        verdict = judge(WEIGHLOCK, body)
        assert verdict["scan"]["digest_by"] == "command" and "error" not in verdict["scan"], verdict
    with Lair() as lair:
        assert judge(lair.binary, reports(b""))["verdict"] == "accept", "so this test can fail"
        for sha256 in (b"\xb0" * 32, bytes(32)):
            verdict = judge(lair.binary, reports(sha256))
            assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "worker-protocol"), verdict


def test_a_worker_that_never_ends_is_killed_at_its_deadline():
    policy = os.path.join(ROOT, "impatient.yaml")
    write(policy, b"version: 1\nname: impatient\nbase: default\nlimits:\n  scan-seconds: 1\n")
    began = time.monotonic()
    with Lair() as lair:
        got, done = lair.judge(b"spin\n", options=("--policy", policy))
    assert got == [("error", "worker-timeout")] and done.returncode == 2, got
    assert time.monotonic() - began > 0.9


def test_storage_that_never_answers_does_not_keep_the_command():
    policy = os.path.join(ROOT, "impatient.yaml")
    write(policy, b"version: 1\nname: impatient\nbase: default\nlimits:\n  scan-seconds: 1\n")
    with HungStorage(GOOD) as storage:
        storage.hang(READ)
        lines, done = verdicts("--policy", policy, storage.path)
        assert storage.seen == [READ], storage.seen
    assert [v["scan"]["error"] for v in lines] == ["worker-timeout"] and done.returncode == 2, (lines, done)


def test_a_place_that_became_free_is_filled_while_another_worker_is_silent():
    policy = os.path.join(ROOT, "patient.yaml")
    write(policy, b"version: 1\nname: patient\nbase: default\nlimits:\n  scan-seconds: 6\n")
    with Lair() as lair:
        paths = [f"{lair.folder}/{i}.safetensors" for i in range(4)]
        for path, order in zip(paths, (b"sleep\n", b"exit 0\n", b"exit 0\n", b"exit 0\n")):
            write(path, order)
        lines, _ = verdicts("-j", "2", "--policy", policy, *paths, binary=lair.binary)
    assert [v["scan"]["error"] for v in lines] == ["worker-timeout"] + ["worker-protocol"] * 3, lines
    begun = [datetime.datetime.fromisoformat(v["scan"]["time"].rstrip("Z")) for v in lines]
    assert (begun[3] - begun[0]).seconds < 6, f"the last one waited for the first one's deadline: {begun}"


def test_many_dying_workers_do_not_end_the_scan():
    with Lair() as lair:
        got, _ = lair.judge(*[b"trap\n", b"exit 0\n"] * 20, options=("-j", "8"))
    assert got == [("error", "worker-crashed"), ("error", "worker-protocol")] * 20, got


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return f.read().split()
    except OSError:
        return []


def test_dying_workers_cost_at_most_a_zygote_a_second():
    with Lair() as lair:
        os.mkdir(f"{lair.folder}/files")
        for i in range(200):
            write(f"{lair.folder}/files/{i}.safetensors", b"trap\n")
        began = time.monotonic()
        process = subprocess.Popen([lair.binary, "scan", "-q", "-j", "1", f"{lair.folder}/files"], env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        zygotes = set()
        while process.poll() is None:
            zygotes.update(children_of(process.pid))
            time.sleep(0.001)
        took = time.monotonic() - began
    assert process.returncode == 2, process.returncode
    # the first, its successor, one more a second, and what a leak checker starts at the end
    assert 2 <= len(zygotes) <= 3 + took, f"{len(zygotes)} zygotes in {took:.1f} s"


def test_a_worker_of_another_build_is_refused():
    with Lair() as lair:
        shutil.copy("/bin/true", f"{lair.folder}/weighlock-worker")
        done = scan("good.safetensors", binary=lair.binary)
    assert done.returncode == 2 and done.stdout == b"" and b"weighlock-worker did not start" in done.stderr, done


def test_the_worker_is_not_found_through_the_environment():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(OPTIONS["obedient_worker"], f"{folder}/weighlock-worker")
        done = subprocess.run([WEIGHLOCK, "scan", "-q", f"{ROOT}/good.safetensors"], cwd=folder,
                              env=environment(PATH=folder, WEIGHLOCK_WORKER=f"{folder}/weighlock-worker"),
                              stdout=subprocess.PIPE)
    assert done.returncode == 0


def test_without_a_mandatory_layer_nothing_is_judged_and_the_layer_is_named():
    if OPTIONS["sanitized"] == "true":
        raise tap.Skip("a sanitizer build has a jail of its own")
    container = [OPTIONS["under_filter"], "deny", "seccomp", "--", WEIGHLOCK]  # a container that forbids seccomp(2)
    done = subprocess.run([*container, "scan", f"{ROOT}/good.safetensors"], env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == 2 and done.stdout == b"" and b"seccomp: Operation not permitted" in done.stderr, done
    doctor = subprocess.run([*container, "doctor"], env=environment(), stdout=subprocess.PIPE)
    assert doctor.returncode == 2, doctor
    assert b"seccomp        refused  mandatory: EPERM (Operation not permitted); the kernel needs" in doctor.stdout, doctor


# ---- signals ----

def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as f:
                    fields = f.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry))
                found += children(int(entry))
    return found


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def interrupt(number):
    """A scan that would take minutes: a file with a hole of 512 GiB."""
    path = f"{ROOT}/endless-{number}"
    with open(path, "wb") as f:
        f.truncate(512 << 30)
    child = subprocess.Popen([WEIGHLOCK, "scan", path], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE_S
    below, before = [], None  # a zygote tries its jail in children that come and go: wait for those that stay
    while (len(below) < 2 or below != before) and time.monotonic() < deadline:
        time.sleep(0.2)
        below, before = children(child.pid), below
    child.send_signal(number)
    out, err = child.communicate(timeout=PATIENCE_S)
    os.unlink(path)
    assert len(below) >= 2, "there was no worker to interrupt"
    assert until(lambda: all(gone(p) for p in below)), "a worker was left behind"
    assert out == b"" and err == b"", (out, err)
    return child.returncode


def test_sigint_exits_130_and_leaves_no_worker():
    assert interrupt(signal.SIGINT) == 130


def test_sigterm_exits_143_and_leaves_no_worker():
    assert interrupt(signal.SIGTERM) == 143


def test_sigterm_while_standard_input_is_awaited_exits_143():
    child = subprocess.Popen([WEIGHLOCK, "scan", "-"], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert awaits_input(child)
    child.send_signal(signal.SIGTERM)
    assert child.wait(PATIENCE_S) == 143
    child.stdin.close()
    child.stdout.close()


# ---- the manual's examples ----

def test_the_examples_of_the_manual_run():
    root = os.path.join(ROOT, "manual")  # of its own: some examples scan all that lies in it, and other tests run beside this one
    home = os.path.join(root, "home")
    hub = os.path.join(home, ".cache/huggingface/hub")
    shims = os.path.join(home, "shims")
    os.makedirs(hub)
    os.makedirs(shims)
    os.makedirs(f"{root}/models")
    shutil.copytree(f"{ROOT}/models--org--name", f"{hub}/models--org--name", symlinks=True)
    write(f"{root}/model.safetensors", GOOD)
    shutil.copy(OPTIONS["corpus"] + "/pytorch-attacks/files/state-class.pt", f"{root}/pytorch_model.bin")
    sharded(f"{root}/sharded", weights(4), 2)
    write(f"{root}/merged.safetensors", safetensors_of(weights(4)))
    write(f"{shims}/curl", f"#!/bin/sh\nexec cat {root}/model.safetensors\n".encode())
    write(f"{shims}/jq", b"#!/bin/sh\nexec cat\n")
    for shim in ("curl", "jq"):
        os.chmod(f"{shims}/{shim}", 0o755)
    path = f"{os.path.dirname(WEIGHLOCK)}:{shims}:/usr/bin:/bin"
    with open(OPTIONS["manual"], encoding="utf-8") as f:
        examples = [line.strip()[2:] for line in f if line.startswith("\t$ ")]
    assert len(examples) >= 6
    for example in examples:
        done = subprocess.run(["/bin/sh", "-c", example], cwd=root, env=environment(HOME=home, PATH=path), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        unreachable = "--socket" in example  # there is no daemon; test_client.py has one
        assert done.returncode == 2 if unreachable else done.returncode in (0, 1, 2), (example, done)
        assert unreachable or done.stderr == b"", (example, done)


def test_help_and_manual_name_the_same_options():
    with open(OPTIONS["manual"], encoding="utf-8") as f:
        manual = f.read()
    sections = {"scan": manual.split("\n## Options\n")[1].split("\n# ")[0],
                "diff": manual.split("\n## Options of diff\n")[1].split("\n# ")[0]}
    for command, section in sections.items():
        told = subprocess.run([WEIGHLOCK, "help", command], env=environment(), stdout=subprocess.PIPE, check=True).stdout
        in_help = set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", told.decode(), re.M)) - {"--help"}
        in_manual = set(re.findall(r"^(?:\*-\w\*[^,]*, )?\*(--[a-z-]+)\*", section, re.M))
        assert in_help and in_help == in_manual, (command, in_help ^ in_manual)


try:
    tap.main(globals(), at_once=4)
finally:
    remove(ROOT)
