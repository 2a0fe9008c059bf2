"""docs/runbook.md: its commands are commands, its numbers are there, and the recipe for a bad rule is carried out as it is
written."""
import json
import os
import re
import signal
import struct
import subprocess
import tempfile

import tap
from daemon import Daemon, metric, options, until

OPTIONS = options()
with open(os.path.join(OPTIONS["source"], "docs", "runbook.md"), encoding="utf-8") as runbook:
    TEXT = runbook.read()


def blocks(heading=None):
    """The shell of a section, or of all, without the indentation of its list."""
    text = TEXT if heading is None else TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"^( *)```sh\n(.*?)^ *```$", text, re.M | re.S)
    return [re.sub(rf"^{indent}", "", body, flags=re.M) for indent, body in found]


def help_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60).stdout


def test_every_block_is_shell():
    assert len(blocks()) > 20
    for block in blocks():
        done = subprocess.run(["sh", "-n"], input=block, stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 0, (block, done.stderr)


def test_our_commands_and_their_options_exist():
    seen = set()
    for line in "\n".join(blocks()).replace("new/bin/", "").splitlines():
        for m in re.finditer(r"(?:^|[|&;] )(weighlockd?) ([^|&;>]*)", line):
            name = m[2].split()[0]
            usage = help_of(OPTIONS["weighlockd"], "--help") if m[1] == "weighlockd" else help_of(OPTIONS["weighlock"], "help", name)
            assert "usage" in usage.lower(), (line, usage)
            for option in re.findall(r"--[a-z-]+", m[2]):
                assert re.search(rf"{option}\b", usage), (line, option)
                seen.add(option)
    assert {"--textfile", "--against", "--since", "--check-config", "--socket", "--unused-days"} <= seen, seen


def test_the_numbers_it_speaks_of_exist():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {folder}\n") as d:
            text = d.get("/metrics")[2].decode()
    there = set(re.findall(r"^(weighlock_\w+)", text, re.M))
    reasons = set(re.findall(r'reason="([a-z-]+)"', text))
    asked = set(re.findall(r"\bweighlock_\w+", TEXT)) - {"weighlock_spool"}
    assert len(asked) > 7 and asked <= there, asked - there
    assert set(re.findall(r'reason="([a-z-]+)"', TEXT)) <= reasons


def test_links_lead_to_headings():
    headings = {h.lower().replace(" ", "-") for h in re.findall(r"^## (.*)$", TEXT, re.M)}
    links = set(re.findall(r"\]\(#([a-z-]+)\)", TEXT))
    assert links and links <= headings, links - headings


def nan_model():
    text = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + struct.pack("<ff", 1.0, float("nan"))


def recipe(d, folder):
    """The section's blocks one after the other, as an operator pastes them into one shell."""
    tools = os.path.join(folder, "bin")
    os.mkdir(tools)
    for name in ("weighlock", "weighlockd"):
        os.symlink(OPTIONS[name], os.path.join(tools, name))
    # What ExecReload= of the unit does.
    with open(os.path.join(tools, "systemctl"), "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\n[ \"$*\" = 'reload weighlockd' ] && kill -HUP {d.process.pid}\n")
    os.chmod(os.path.join(tools, "systemctl"), 0o755)
    env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], ETC=folder, SOCKET=d.socket)
    return subprocess.run(["sh", "-eu"], input="".join(blocks("Bad rule shipped")), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=env, timeout=120)


def test_one_code_is_downgraded_by_a_reload():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        example = os.path.join(folder, "example.safetensors")
        with open(example, "wb") as f:
            f.write(nan_model())
        with Daemon(OPTIONS["weighlockd"], config="default_policy: default\n") as d:
            # The recipe edits ETC/weighlockd.yaml; this daemon reads that file.
            os.rename(d.config, os.path.join(folder, "weighlockd.yaml"))
            os.symlink(os.path.join(folder, "weighlockd.yaml"), d.config)
            before = d.scan(nan_model(), "?name=example.safetensors")[1]
            assert before["verdict"] == "review" and before["findings"][0]["code"] == "weights-nan", before
            with open(os.path.join(folder, "recorded.jsonl"), "w", encoding="utf-8") as f:
                f.write(json.dumps(before) + "\n")
            started = metric(d, "start_time_seconds")
            done = recipe(d, folder)
            assert done.returncode == 0, (done, d.read_log())
            assert "example.safetensors" in done.stdout and '"verdict":"accept"' in done.stdout, done.stdout
            assert until(lambda: d.scan(nan_model(), "?name=example.safetensors")[1]["verdict"] == "accept")
            assert metric(d, "start_time_seconds") >= started and d.process.poll() is None
            other = d.scan(b"\x80\x04cos\nsystem\n(Vid\ntR.", "?name=evil.pkl")[1]
            assert other["verdict"] == "reject", "only the one code"


def test_the_recipe_with_a_mistake_changes_nothing():
    with tempfile.TemporaryDirectory() as folder, Daemon(OPTIONS["weighlockd"], config="default_policy: default\n") as d:
        with open(d.config, "a", encoding="utf-8") as f:
            f.write(f"\n#\ndefault_policies: {folder}\n")
        d.process.send_signal(signal.SIGHUP)
        assert until(lambda: "not reloaded" in d.read_log())
        assert d.scan(nan_model(), "?name=example.safetensors")[1]["verdict"] == "review"


tap.main(globals())
