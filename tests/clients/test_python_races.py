"""The source and what is kept are replaced, truncated and edited at any moment, by a process of the same user, which is more than
admit() promises to stand.  Whoever reads inside `with` gets judged bytes, or an error.  WEIGHLOCK_RACES=1000 for more."""
import collections
import contextlib
import hashlib
import os
import random
import signal
import subprocess
import sys
import time

import tap
import weighlock
from daemon import Daemon, model
from python_support import OPTIONS, REJECTED, Scratch, environment

RACES = int(os.environ.get("WEIGHLOCK_RACES", "200"))
PAUSE_S = 0.012


def contents():
    with open(REJECTED, "rb") as f:
        bad = f.read()
    return [model(n) for n in (20000, 20001, 300000)] + [bad]


def files_below(folder):
    return [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
            if os.path.basename(where) not in ("known", "staging")]


def spoil(path, dice, choices):
    """One of what can be done to a file."""
    act = dice.randrange(4)
    if act == 0:
        with open(path + ".new", "wb") as f:
            f.write(dice.choice(choices))
        os.replace(path + ".new", path)
    elif act == 1:
        os.chmod(path, 0o600)
        os.truncate(path, dice.randrange(1 + os.path.getsize(path)))
    elif act == 2:
        os.chmod(path, 0o600)
        with open(path, "r+b") as f:
            f.seek(dice.randrange(1 + os.path.getsize(path)))
            f.write(bytes([dice.randrange(256)]))
    else:
        with open(path, "wb") as f:  # as `cp` does it: for a moment it is short
            f.write(dice.choice(choices))


def attack(s, sources, dice, choices):
    kept = files_below(s.cache)
    path = dice.choice(kept if kept and dice.randrange(2) else sources)
    spoil(path, dice, choices)
    if path in sources and dice.randrange(3):
        with open(path, "wb") as f:
            f.write(choices[0])


class Attacker:
    """A process that spoils something, once or twice each time it is told to, after moments of its own.  What it does is drawn from a
    seed; when, is up to the machine."""

    def __init__(self, s, sources, seed):
        told, self.tell = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(told)
            return
        os.close(self.tell)
        dice, choices = random.Random(seed), contents()
        while os.read(told, 1):
            for _ in range(dice.randrange(3)):
                time.sleep(dice.random() * PAUSE_S)
                with contextlib.suppress(OSError):
                    attack(s, sources, dice, choices)
        os._exit(0)

    def now(self):
        os.write(self.tell, b"x")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.tell)


def race(admit, read, seen, n, s, sources):
    """n times: what was read while nothing was said against it is what was judged."""
    outcomes = collections.Counter()
    with Attacker(s, sources, n) as attacker:
        for _ in range(n):
            attacker.now()
            try:
                with admit() as a:
                    found = read(a)
            except (weighlock.Error, OSError) as e:
                outcomes[type(e).__name__] += 1
                continue
            for data, digest in found:
                assert hashlib.sha256(data).hexdigest() == digest, "other bytes than were judged"
                seen[digest] = data
            outcomes["given"] += 1
    return outcomes


def everything(a):
    with open(a.path, "rb") as f:
        return [(f.read(), a.sha256), (a.file.read(), a.sha256), (a.file.seek(0) or a.file.read(), a.verdict.sha256)]


def of_folder(a):
    found = []
    for member in a.verdict.raw["members"]:
        with open(a.files[member["name"]], "rb") as f:
            found.append((f.read(), member["sha256"]))
    return found


def all_accepted(seen):
    """Asked of the bytes themselves, afterwards."""
    assert seen
    for data in seen.values():
        assert weighlock.scan(data, name="m.safetensors").accepted, "what was given is not accepted"


def raced(admit, read, sources=1):
    with Scratch() as s, Daemon(OPTIONS["weighlockd"]) as d, environment(WEIGHLOCK_SOCKET=d.socket):
        paths, seen = [s.file(f"repo/{i}.safetensors", contents()[0]) for i in range(sources)], {}
        outcomes = race(lambda: admit(paths[0]), read, seen, RACES, s, paths)
        print(f"# {dict(outcomes)}, {len(seen)} different files", file=sys.stderr)
        assert outcomes["given"] > 0, outcomes
        all_accepted(seen)


def test_a_file_in_the_cache():
    raced(weighlock.admit, everything)


def test_a_file_in_memory():
    raced(lambda path: weighlock.admit(path, memory=True), everything)


def test_the_command_while_the_source_changes():
    """What it printed has the digest that it is named after.  Nobody looks for edits of what is kept between calls of a command."""
    with Scratch() as s:
        path, into, seen = s.file("repo/0.safetensors", contents()[0]), os.path.join(s.path, "into"), {}
        with Attacker(s, [path], 1) as attacker:
            for _ in range(RACES // 4):
                attacker.now()
                done = subprocess.run([OPTIONS["weighlock"], "admit", path, "--into", into], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True, check=False)
                assert bool(done.stdout) == (done.returncode == 0), done
                for kept in done.stdout.splitlines():
                    with open(kept, "rb") as f:
                        seen["".join(kept.split("/")[-3:-1])] = f.read()
        assert all(hashlib.sha256(data).hexdigest() == digest for digest, data in seen.items())
        all_accepted(seen)


def test_a_folder():
    raced(lambda path: weighlock.admit_folder(os.path.dirname(path), exclude=["*.new"]), of_folder, 2)


tap.main(globals(), at_once=3)
