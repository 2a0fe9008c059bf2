"""What depends on how fast the machine is: the few tests beside which nothing else may run."""
import json
import os
import resource
import subprocess
import tempfile
import time

import tap
from daemon import MIB, Daemon, Upload, metric, options, started, until, withdrawn
from headers import hostile_headers, tensors, write_model

OPTIONS = options()
SANITIZED = OPTIONS.get("sanitized") == "true"


def cpu_of(path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", path], stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    verdict = json.loads(done.stdout)
    assert verdict["scan"].get("error") not in ("worker-crashed", "worker-timeout"), verdict["scan"]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, verdict


def test_a_hostile_header_costs_at_most_three_times_an_honest_one():
    """CPU of the whole command, median of three, with a limit twice the claim."""
    size = 20_000_000 if not SANITIZED else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.safetensors")
        n = size // 90
        honest = tensors(n, "model.layers.{:08d}.mlp.weight")
        write_model(path, honest, n)
        base = sorted(cpu_of(path)[0] for _ in range(3))[1]
        for name, header in hostile_headers(len(honest)):
            write_model(path, header)
            _, (cost, verdict), _ = sorted((cpu_of(path) for _ in range(3)), key=lambda said: said[0])
            assert name == "spaces" or verdict["verdict"] != "accept" or name == "tiny entries", (name, str(verdict)[:500])
            assert cost < 6 * base + 0.05, f"{name}: {cost:.3f} s of CPU, honest {base:.3f} s"


def test_a_client_that_is_fast_enough_keeps_its_worker():
    config = f"workers: 3\nworkers_per_tenant: 3\nmemfd_max: 1000000\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        up = started(d, Upload(d, b"MODE:honest\n".ljust(260 * MIB, b"x")), 3 * MIB)
        sent = [time.monotonic()]
        others = [Upload(d, b"MODE:hang\n").send(10) for _ in range(2)] + [Upload(d, b"MODE:honest\n").send(12)]
        assert until(lambda: metric(d, "queue_waiting") == 1)
        for i in range(1, 7):  # 80 MiB a second, and 20 MB is the least
            up.send((3 + 40 * i) * MIB)
            sent.append(time.monotonic())
            time.sleep(0.5)
        kept = withdrawn(d) == 0 and metric(d, "queue_waiting") == 1
        slowest = max(b - a for a, b in zip(sent, sent[1:]))
        if not kept and slowest > 0.9:
            raise tap.Skip(f"40 MiB took {slowest:.1f} s")
        assert kept and up.finish()["verdict"] == "accept" and withdrawn(d) == 0
        for s in others:
            s.close()


tap.main(globals())
