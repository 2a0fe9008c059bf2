"""test_smoke.py BUILD: every row of the benchmark still runs, on tiny inputs; no time is judged."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import tap

BUILD = sys.argv[1]
RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")


def command(scratch, *options):
    return [sys.executable, RUN, BUILD, "--smoke", "--scratch", scratch, *options]


def measure(rows):
    """The rows as run.py tells them; its scratch folder must be gone."""
    with tempfile.TemporaryDirectory(prefix="weighlock-test-", dir="/var/tmp") as folder:
        scratch, out = os.path.join(folder, "scratch"), os.path.join(folder, "out.json")
        os.mkdir(scratch)
        os.chmod(folder, 0o711)
        os.chmod(scratch, 0o711)
        done = subprocess.run(command(scratch, "--rows", rows, "--json", out), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        assert os.listdir(scratch) == [], os.listdir(scratch)
        with open(out, encoding="utf-8") as f:
            return json.load(f)["rows"]


def check(rows, least):
    found = measure(rows)
    assert {str(r["row"]) for r in found} == set(rows.split(",")), found
    assert len(found) >= least, found
    for row in found:
        assert row["n"] >= 1 and row["median"] > 0, row


def test_scans_beside_openssl():
    check("1,2", 18)


def test_through_the_daemon():
    check("3", 2)


def test_headers():
    check("4", 8)


def test_header_memory():
    check("5", 2)


def test_small_files():
    check("6", 4)


def test_latency():
    check("7", 2)


def test_shards():
    check("8", 1)


def test_peaks():
    check("9", 2)


def test_kernels():
    check("10", 2)


def test_pickles():
    check("11", 6)


def test_quantised_models():
    check("12", 8)


def test_polyglots():
    check("13", 3)


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def interrupted(number):
    with tempfile.TemporaryDirectory(prefix="weighlock-test-", dir="/var/tmp") as folder:
        process = subprocess.Popen(command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: os.listdir(folder))
        time.sleep(0.3)  # well into the first row
        process.send_signal(number)
        process.wait(30)
        assert process.returncode == 128 + number, process.returncode
        assert os.listdir(folder) == [], os.listdir(folder)


def test_interrupt_removes_the_scratch_folder():
    interrupted(signal.SIGINT)


def test_terminate_removes_the_scratch_folder():
    interrupted(signal.SIGTERM)


def test_onnx():
    check("14", 2)


def test_flax():
    check("15", 2)


def test_hdf5():
    check("16", 2)


def test_fairness():
    if os.getuid() != 0:
        raise tap.Skip("needs root to become somebody else")
    check("17", 10)


def test_configurations():
    check("18", 1)


def written(text):
    """What --write makes of a file with this text, and the exit status."""
    with tempfile.TemporaryDirectory(prefix="weighlock-test-", dir="/var/tmp") as folder:
        path = os.path.join(folder, "performance.md")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        status = subprocess.run(command(folder, "--rows", "10", "--write", path), stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL).returncode
        with open(path, encoding="utf-8") as f:
            return f.read(), status


def test_write_replaces_only_what_is_between_the_marks():
    text, status = written("before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n")
    assert status == 0 and "old" not in text and "| kernel any, baseline" in text.replace("| 10 ", ""), text
    assert text.startswith("before\n<!-- bench: begin -->\n") and text.endswith("<!-- bench: end -->\nafter\n"), text


def test_write_refuses_a_file_without_marks():
    text, status = written("no marks\n")
    assert status == 1 and text == "no marks\n", (text, status)


tap.main(globals())
