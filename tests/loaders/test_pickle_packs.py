"""The real pandas, SciPy, NumPy, scikit-learn and ultralytics about corpus/pickle-fifth, -sixth and -seventh: what their attacks are said to
do they do when they are loaded and used, and the honest files beside them load and are used."""
import json
import os

import child
import ours
import tap

FOLDERS = [os.path.join(ours.CORPUS, name) for name in ("pickle-fifth", "pickle-sixth", "pickle-seventh")]
LIMITS = child.Limits(cpu_s=5, wall_s=60)
SETUP = """
import pickle
import numpy
import numpy.ma.core
import pandas
import scipy.sparse
for name in ('sklearn.utils', 'sklearn.neighbors', 'sklearn.pipeline', 'scipy.optimize', 'ultralytics', 'ultralytics.nn.tasks'):
    try:
        __import__(name)
    except Exception:
        pass
"""
CASE = """
with open(path, 'rb') as f:
    data = f.read()
name = path.rpartition('/')[2]
value = [type(pickle._Unpickler(open(path, 'rb')).load()).__name__]
made = pickle.loads(data)
kind = name.split('-')[0]
if kind in ('csr', 'csc', 'bsr', 'coo', 'lil') and max(made.shape) < 100:
    value += [made @ numpy.ones(made.shape[1]), made.toarray(), made.tocsr().tocsc()]
    value = [repr(v) for v in value]
elif kind in ('codes', 'levels'):
    value.append(repr(made))
elif kind == 'random' and hasattr(made, 'rand'):
    value.append(bool(0 <= made.rand() < 1))
elif kind == 'random' and hasattr(made, 'random_raw'):
    value.append(made.random_raw())
elif kind == 'flags':
    value.append(repr(numpy.sort(made)))
"""
# A signal that ends the process, memory that is refused, time, or a canary.
HARM = ("index-range.pkl", "codes-wide.pkl", "levels-high.pkl", "csr-far.pkl", "flags-none.pkl",
        "random-old-far.pkl", "empty-items-many.pkl", "fields-deep.pkl", "fields-again.pkl", "items-append.pkl",
        "items-result.pkl", "items-eval.pkl", "set-attrs-range.pkl", "set-columns-sparse.pkl", "set-index-sparse.pkl",
        "hash-name-doubled.pkl", "hash-index-often.pkl", "hash-categories-often.pkl", "random-made.pkl",
        "made-state-short.pkl", "made-distance-short.pkl", "made-loss-state.pkl", "made-power-empty.pkl",
        "intervals-often.pkl", "frequency-many.pkl", "frequency-often.pkl")
# Written with names that one of them has no more.
OTHER = {"debian": set(), "today": {"set-columns-sparse.pkl", "set-index-sparse.pkl", "made-state.pkl", "made-state-short.pkl",
                                         "made-distance-short.pkl", "made-bare.pkl", "made-loss-state.pkl", "made-power-fit.pkl",
                                         "made-power-empty.pkl", "frequency-minutes.pkl", "frequency-quarters.pkl",
                                         "frequency-many.pkl", "frequency-often.pkl"}}
WORDS = {b"csklearn.": "sklearn", b"cultralytics.": "ultralytics", b"cgymnasium.": "gymnasium", b"cstable_baselines3.": "stable_baselines3"}
# What pandas of one generation does not load, though it harms nobody.
UNREAD = {"debian": {"intervals-range.pkl", "sparse-data.pkl"}, "today": {"empty-items.pkl", "sparse-data.pkl", "axes-state-range.pkl"}}


def cases(loader):
    for folder in FOLDERS:
        with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
            for row in map(json.loads, f):
                name, path, honest = row["file"], os.path.join(folder, "files", row["file"]), row["expect"] == ["accept"]
                with open(path, "rb") as content:
                    words = content.read()
                missing = any(word in words and not loader.has(library) for word, library in WORDS.items())
                if name.endswith(".pkl") and (honest or name in HARM) and name not in OTHER[str(loader)] and not missing:
                    yield name, honest, path


def told(loader):
    for library in ("numpy", "pandas", "scipy"):
        child.need(loader, library)
    with child.Server(loader, SETUP, CASE, LIMITS) as server:
        for name, honest, path in cases(loader):
            result = server.run(path=path)
            harmed = (result.status < 0 or result.timed_out or "MemoryError" in result.error or result.cpu_s > 4 or
                      result.canary)
            assert harmed != honest, (name, result.status, result.cpu_s, result.error)
            assert not honest or result.value or name in UNREAD[str(loader)], (name, result.error)


def test_each_does_what_it_is_said_to_do_with_debian():
    told(child.DEBIAN)


def test_each_does_what_it_is_said_to_do_with_today():
    told(child.TODAY)


def joblib_calls(loader):
    """It says which type has none of the methods of arrays: what the pickle's callable returned."""
    child.need(loader, "joblib", "numpy")
    folder = os.path.join(ours.CORPUS, "pickle-seventh", "files")
    with child.Server(loader, "import argparse, collections, joblib, numpy", "value = type(joblib.load(path)).__name__") as server:
        assert server.run(path=os.path.join(folder, "objects-array.joblib")).value == "ndarray"
        assert "OrderedDict" in server.run(path=os.path.join(folder, "objects-namespace.joblib")).error


def test_joblib_calls_what_stands_for_an_array_with_debian():
    joblib_calls(child.DEBIAN)


def test_joblib_calls_what_stands_for_an_array_with_today():
    joblib_calls(child.TODAY)


if __name__ == "__main__":
    tap.main(globals())
