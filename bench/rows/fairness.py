"""Row 17: an honest user beside each of ten who behave badly; one daemon for both halves of a pair, a fresh one for each pair."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time

import service
from measure import Row, run

from rows import small

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests"))
import hung_storage  # noqa: E402
import tap  # noqa: E402

HONEST, HOSTILE = 65534, 65533
BEHAVIOURS = ("nothing", "flood", "idle", "drip", "disconnect", "huge_heads", "fuse", "bad_descriptors", "early_deaths",
              "store_questions", "clamd_backlog")
PAUSE_US = 2000
DEMAND = 3
NICE = -15  # of the daemon and the honest user: what else the machine does is to stay out
CONFIG = """socket_mode: 0666
allow_uids: [{honest}, {hostile}]
clamd_socket: {clamd}
store: on
state_dir: {state}
{more}"""


def configuration(bench, behaviour):
    state, path = bench.path("state"), bench.path("fairness.yaml")
    os.makedirs(state, exist_ok=True)
    os.chown(state, HONEST, HONEST)
    fake = bench.program("tests", "integration", "fake_worker")
    with open(path, "w", encoding="utf-8") as f:
        f.write(CONFIG.format(honest=HONEST, hostile=HOSTILE, clamd=bench.path("clamd.sock"), state=state,
                              more=f"worker: {fake}\n" if behaviour == "early_deaths" else ""))
    return path


def front_seconds(monitor):
    """Of processor time, of the front."""
    for pid in service.children_named(monitor, "weighlockd"):
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            if not f.read().startswith(b"weighlockd\0front"):
                continue
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    sys.exit("bench: no front")


def honest(bench, path, monitor, count):
    before, start = front_seconds(monitor), time.monotonic()
    done = run([bench.path("bench_client"), bench.socket, path, str(count), "1", str(PAUSE_US)], (0, 1), HONEST)
    found = json.loads(done.out) if done.out else {"p50_us": float("inf"), "p99_us": float("inf"), "per_second": 0}
    return found | {"front_s": front_seconds(monitor) - before, "wall": time.monotonic() - start}


@contextlib.contextmanager
def misbehaving(bench, behaviour, counts):
    """While this one is at work.  @counts: gets how often it acted in a second."""
    def become():
        os.setgroups([])
        os.setgid(HOSTILE)
        os.setuid(HOSTILE)
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        if not bench.smoke:  # nothing is judged there, and on a busy machine it would take minutes
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    with contextlib.ExitStack() as stack:
        storage = stack.enter_context(hung_storage.HungStorage(b"x" * 5000)) if behaviour == "fuse" else None
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hostile.py"), encoding="utf-8") as f:
            program = f.read()  # our folders may be closed to others
        process = subprocess.Popen(["/usr/bin/python3", "-c", program, behaviour, bench.socket, bench.path("clamd.sock"),
                                    storage.path if storage else ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=become)
        try:
            assert process.stdout.readline() == b"ready\n", behaviour
            start = time.monotonic()
            if storage:
                storage.hang(hung_storage.READ, hung_storage.FLUSH)
            yield
        finally:
            if storage:
                storage.abort()  # else it could not end
            process.stdin.close()
            said = process.stdout.read().split()
            process.wait()
        counts.append(sum(map(int, said)) / (time.monotonic() - start))


def pair(bench, behaviour, path, counts):
    count = bench.size(400, 8)
    with service.weighlockd(bench, "--config", configuration(bench, behaviour)) as monitor:
        honest(bench, path, monitor, bench.size(50, 2))
        alone = honest(bench, path, monitor, count)
        with misbehaving(bench, behaviour, counts):
            beside = honest(bench, path, monitor, count)
    return alone, beside


@contextlib.contextmanager
def first_of_all():
    """Whatever is started has priority, where we may give it."""
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
    yield
    os.setpriority(os.PRIO_PROCESS, 0, before)


def beside_hostile(bench):
    """Row 17.  "nothing" only takes a processor: what it costs is the machine's doing."""
    if os.getuid() != 0:
        return  # nobody else can be played
    path = bench.path("honest.safetensors")
    small.small_model(path, 0)
    os.chmod(path, 0o644)
    shutil.copy(bench.program("bench", "bench_client"), bench.path("bench_client"))
    for behaviour in BEHAVIOURS:
        counts = []
        try:
            with first_of_all():
                turns = [pair(bench, behaviour, path, counts) for _ in range(bench.pairs)]
        except tap.Skip:
            continue
        yield Row(17, f"p99 of an honest user beside another's {behaviour.replace('_', ' ')} / alone",
                  [b["p99_us"] / a["p99_us"] for a, b in turns], demand=None if behaviour == "nothing" else DEMAND,
                  detail={"acts_per_second": counts, "alone_us": [a["p99_us"] for a, _ in turns],
                          "beside_us": [b["p99_us"] for _, b in turns],
                          "p50": [b["p50_us"] / a["p50_us"] for a, b in turns],
                          "rate": [b["per_second"] / a["per_second"] for a, b in turns],
                          "front_s_per_answer": [(b["front_s"] / a["front_s"]) if a["front_s"] else 0 for a, b in turns]})
