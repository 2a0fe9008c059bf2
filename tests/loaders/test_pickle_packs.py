"""The real pandas, SciPy and NumPy about corpus/pickle-fifth: what its attacks are said to do they do when they are loaded and used, and the
honest files beside them load and are used."""
import json
import os

import child
import ours
import tap

FOLDER = os.path.join(ours.CORPUS, "pickle-fifth")
LIMITS = child.Limits(cpu_s=5, wall_s=60)
SETUP = """
import pickle
import numpy
import numpy.ma.core
import pandas
import scipy.sparse
"""
CASE = """
with open(path, 'rb') as f:
    data = f.read()
name = path.rpartition('/')[2]
value = [type(pickle.loads(data)).__name__]
made = pickle.loads(data)
kind = name.split('-')[0]
if kind in ('csr', 'csc', 'bsr', 'coo', 'lil') and max(made.shape) < 100:
    value += [made @ numpy.ones(made.shape[1]), made.toarray(), made.tocsr().tocsc()]
    value = [repr(v) for v in value]
elif kind in ('codes', 'levels'):
    value.append(repr(made))
elif kind == 'random' and hasattr(made, 'rand'):
    value.append(bool(0 <= made.rand() < 1))
elif kind == 'flags':
    value.append(repr(numpy.sort(made)))
"""
# A signal that ends the process, memory that is refused, or time.
HARM = ("index-range.pkl", "codes-wide.pkl", "levels-high.pkl", "csr-far.pkl", "flags-none.pkl",
        "random-old-far.pkl", "empty-items-many.pkl", "fields-deep.pkl", "fields-again.pkl")
# What pandas of one generation does not load, though it harms nobody.
UNREAD = {"debian": {"intervals-range.pkl", "sparse-data.pkl"}, "today": {"empty-items.pkl", "sparse-data.pkl", "axes-state-range.pkl"}}


def told(loader):
    for library in ("numpy", "pandas", "scipy"):
        child.need(loader, library)
    with open(os.path.join(FOLDER, "cases.jsonl"), encoding="utf-8") as f:
        rows = list(map(json.loads, f))
    with child.Server(loader, SETUP, CASE, LIMITS) as server:
        for row in rows:
            name, honest = row["file"], row["expect"] == ["accept"]
            if not honest and name not in HARM:
                continue
            result = server.run(path=os.path.join(FOLDER, "files", name))
            harmed = result.status < 0 or result.timed_out or "MemoryError" in result.error or result.cpu_s > 4
            assert harmed != honest, (name, result.status, result.cpu_s, result.error)
            assert not honest or result.value or name in UNREAD[str(loader)], (name, result.error)


def test_each_does_what_it_is_said_to_do_with_debian():
    told(child.DEBIAN)


def test_each_does_what_it_is_said_to_do_with_today():
    told(child.TODAY)


if __name__ == "__main__":
    tap.main(globals())
