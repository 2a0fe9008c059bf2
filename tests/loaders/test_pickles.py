"""Random and mutated pickles through us and through CPython's unpicklers: what we accept imports and calls nothing beside the
table of names, whoever reads it."""
import hashlib
import os

import child
import opens
import ours
import pickle_mutants
import tap

SEED = int(ours.OPTIONS.get("seed", 13))
BATCH = 64

# From memory, from a file that can be looked ahead in, and by the reader in Python.  find_class tells the names.
CASE = """
for read in readers:
    try:
        read(data)
    except Exception as e:
        if isinstance(e, MemoryError):
            raise
"""

SETUP = """
import sys
class Told(pickle.Unpickler):
    def find_class(self, module, name):
        sys.audit('weighlock.name', module + '.' + name)
        return super().find_class(module, name)

def streams(unpickler, f):
    for _ in range(4):
        unpickler(f).load()

readers = [pickle.loads, lambda data: streams(Told, io.BufferedReader(io.BytesIO(data))),
           lambda data: streams(pickle._Unpickler, io.BytesIO(data))]
"""


def names():
    """Those the table has, and what Python 3 makes of Python 2's names."""
    ours_ = {f"{m}.{n}" for m, n in opens.table()}
    return sorted(ours_ | {"__builtin__." + n.partition(".")[2] for n in ours_ if n.startswith("builtins.")} |
                  {n.replace("copyreg.", "copy_reg.") for n in ours_})


def keep(content, loader, harm):
    """For whoever repairs it: a folder given as keep=."""
    if "keep" in ours.OPTIONS:
        name = hashlib.sha256(content).hexdigest()[:16]
        os.makedirs(ours.OPTIONS["keep"], exist_ok=True)
        with open(os.path.join(ours.OPTIONS["keep"], name + ".pkl"), "wb") as f:
            f.write(content)
        with open(os.path.join(ours.OPTIONS["keep"], "found.txt"), "a", encoding="utf-8") as f:
            f.write(f"{name} {loader}: {harm}\n")


def read(server, contents):
    """What those did that are harmful."""
    harmed = []
    for content, result in zip(contents, server.run_many(contents)):
        if harm := opens.harm(result) if result else "":
            harmed.append(f"{harm}: {content[:300]!r}")
            keep(content, server.loader, harm)
    return harmed


def differential(loader, modules, count):
    child.need(loader, *modules)
    watch = opens.watch(stop=True)
    watch.events += ("weighlock.",)
    watch.allow["weighlock.name"] = names()
    setup = opens.names_setup() + SETUP
    asked = accepted = 0
    harmed, some = [], []
    with child.Server(loader, setup, CASE, child.Limits(wall_s=60, cpu_s=10), watch) as server:
        for _, content, verdict in ours.judged(pickle_mutants.mutants(count, f"{SEED} {loader}"), ".pkl"):
            asked += 1
            if verdict["verdict"] == "accept":
                accepted += 1
                some.append(content)
            if len(some) == BATCH or asked == count:
                harmed += read(server, some)
                some = []
            if asked % 20000 == 0:
                print(f"# {loader}: {asked} asked, {accepted} accepted, {len(harmed)} harmful", flush=True)
    print(f"# seed {SEED}, {loader}: {asked} pickles, {accepted} accepted, {len(harmed)} of them harmful")
    assert accepted > count // 50, "mutants of which hardly one is accepted show nothing"
    assert not harmed, f"{len(harmed)}:\n" + "\n".join(harmed[:20])


def test_what_is_accepted_does_nothing_with_debian():
    differential(child.DEBIAN, ["numpy"], ours.share("mutants", 4000))


def test_what_is_accepted_does_nothing_with_today():
    differential(child.TODAY, ["numpy"], ours.share("mutants", 4000))


if __name__ == "__main__":
    tap.main(globals())
