"""What a scan may cost: memory that does not grow with the file, hostile headers no dearer than honest ones, and
nothing left behind after ten thousand scans."""
import json
import os
import subprocess
import tempfile
import threading
import time

import tap
from daemon import Daemon, UnixConnection, descendants, options, until
from headers import tensors, write_model

OPTIONS = options()
SANITIZED = OPTIONS.get("sanitized") == "true"
GIB = 1 << 30


def peak_kib(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as f:
            for line in f:
                if line.startswith("VmHWM"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def watch(root, stop, peaks):
    while not stop.is_set():
        for pid in descendants(root):
            peaks[pid] = max(peaks.get(pid, 0), peak_kib(pid))
        time.sleep(0.05)


def scan_watched(path):
    """(verdict, highest resident KiB of any process below the command)"""
    process = subprocess.Popen([OPTIONS["weighlock"], "scan", "--format", "json", path], stdout=subprocess.PIPE)
    stop, peaks = threading.Event(), {}
    watcher = threading.Thread(target=watch, args=(process.pid, stop, peaks))
    watcher.start()
    text, _ = process.communicate()
    stop.set()
    watcher.join()
    assert peaks, "nothing was watched"
    return json.loads(text), max(peaks.values())


def memory_folder():
    """Where reading zeros that were never written fills no cache, if there is such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def test_four_gib_scan_stays_below_64_mib():
    if SANITIZED:
        raise tap.Skip("memory rows do not apply to a sanitizer build")
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = os.path.join(folder, "big.safetensors")
        write_model(path, {"w": {"dtype": "F32", "shape": [GIB], "data_offsets": [0, 4 * GIB]}}, 4 * GIB)
        verdict, peak = scan_watched(path)
    assert verdict["verdict"] == "accept" and verdict["weights"]["elements"] == GIB, verdict
    assert peak < 64 << 10, f"{peak} KiB resident"


def test_a_100_mb_header_of_a_million_tensors_stays_below_300_mib():
    if SANITIZED:
        raise tap.Skip("memory rows do not apply to a sanitizer build")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "wide.safetensors")
        header = tensors(1_000_000, "model.layers.{:08d}.mlp.weight")
        header += b" " * (99_999_992 - len(header))
        write_model(path, header, 1_000_000)
        verdict, peak = scan_watched(path)
    assert verdict["verdict"] == "accept" and verdict["weights"]["tensors"] == 1_000_000, str(verdict)[:2000]
    assert peak < 300 << 10, f"{peak} KiB resident"


def state(pid):
    """What a daemon holds: per process name, how many processes and descriptors."""
    processes = [pid] + descendants(pid)
    fds = 0
    for p in processes:
        try:
            fds += len(os.listdir(f"/proc/{p}/fd"))
        except OSError:
            pass
    return len(processes), fds


def resident_kib(pid):
    total = 0
    for p in [pid] + descendants(pid):
        try:
            with open(f"/proc/{p}/statm", encoding="utf-8") as f:
                total += int(f.read().split()[1]) * 4
        except OSError:
            pass
    return total


def spooled(d):
    return [n for n in os.listdir(d.scratch) if n not in ("log", "weighlock.sock", "weighlockd.yaml")]


def test_ten_thousand_scans_leave_nothing_behind():
    scans = 10_000 if not SANITIZED else 1_000
    files = os.path.join(OPTIONS["corpus"], "safetensors", "files")
    bodies = []
    for name in sorted(os.listdir(files))[:100]:
        with open(os.path.join(files, name), "rb") as f:
            bodies.append(f.read())
    with Daemon(OPTIONS["weighlockd"]) as d:
        connection = UnixConnection(d.socket)

        def scan(i):
            if i % 10 == 9:  # a connection of its own, a descriptor, or a client that leaves
                with tempfile.TemporaryFile() as f:
                    f.write(bodies[i % 100])
                    f.flush()
                    assert d.scan_fd(f.fileno(), "?name=x.safetensors")[0] == 200
                return
            if i % 100 == 50:
                s = d.connect()
                s.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
                s.close()
                return
            connection.request("PUT", "/v1/scan/x.safetensors", bodies[i % 100])
            reply = connection.getresponse()
            assert reply.status == 200 and reply.read()

        for i in range(300):
            scan(i)
        time.sleep(0.5)
        before, resident = state(d.process.pid), resident_kib(d.process.pid)
        for i in range(scans):
            scan(i)
        # sooner than what is idle is let go
        settled = until(lambda: all(now <= then for now, then in zip(state(d.process.pid), before)), 30)
        grown = resident_kib(d.process.pid)
        assert settled, f"processes and descriptors: {before} before, {state(d.process.pid)} after"
        connection.close()
        assert until(lambda: not spooled(d)), f"in the spool: {spooled(d)}"
        log = d.read_log()
    assert SANITIZED or grown < resident + 8192, f"{resident} KiB before, {grown} KiB after"
    assert "worker-crashed" not in log, log[-2000:]


tap.main(globals(), at_once=3)
