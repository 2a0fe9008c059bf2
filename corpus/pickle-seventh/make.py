#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles that are short and take a library long, or have it call what they say,
though every name, argument and state in them is one that programs write.  Beside each the honest file that is one word or
one number away.

A case has the members of corpus/findings; all are judged with the packs below."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from pickle_values import INDEX, array, dtype, index, longs  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import Build, G, New, Put, Raw, dumps, ops  # noqa: E402 pylint: disable=wrong-import-position

PACKS = "version: 1\nname: packs\npickle: {packs: [numpy, pandas]}\n"
ALLOWED = "pickle-global-allowed"
ARGUMENTS, METHOD, TIME = (f"{ALLOWED} {code}" for code in ("pickle-arguments", "pickle-method-on-object", "pickle-load-time"))
CORPUS = Cases(".pkl", {ALLOWED}, {"pickle-arguments"}, sections=True)


# -- joblib: what stands for an array of objects

def namespace(**attributes):
    return Build(New(G("argparse", "Namespace")), attributes)


def joblib_file(name, inside, codes, why):
    """A wrapper of one object, and behind it the pickle that joblib takes for its array."""
    state = {"subclass": G("numpy", "ndarray"), "shape": (1,), "order": "C", "dtype": dtype("O8"), "allow_mmap": False}
    wrapper = dumps(Build(New(G("joblib.numpy_pickle", "NumpyArrayWrapper")), state), 3)
    CORPUS.case(f"{name}.joblib", wrapper[:-1] + dumps(inside, 3) + b".", codes, why, policy=PACKS)


def objects():
    joblib_file("objects-array", array("O8", (1,), [1]), ALLOWED, "as joblib writes it")
    joblib_file("objects-namespace", namespace(dtype=namespace(byteorder=">"), byteswap=G("collections", "OrderedDict")), METHOD,
                "joblib finds that its bytes are the other way round, and calls what stands under byteswap")
    joblib_file("objects-list", [1], METHOD, "no array: joblib asks it for its dtype")


# -- pandas: calls that take long, however little they are given

def often(name, callee, arguments, times, codes, why):
    """A call of six bytes, again and again."""
    made = Raw(ops([Put(0, callee), Put(1, arguments)]) + b"0" + b"h\x00h\x01R0" * times + b"N")
    CORPUS.case(name, dumps(made, 4), codes, why, policy=PACKS)


def indexes():
    parts = {"name": None, "left": index(INDEX, data=longs(1, 2)), "right": index(INDEX, data=longs(2, 3)), "closed": "right"}
    make = G("pandas.core.indexes.interval", "_new_IntervalIndex")
    kind = G("pandas.core.indexes.interval", "IntervalIndex")
    often("intervals-few", make, (kind, parts), 100, ALLOWED, "0.1 ms each")
    often("intervals-often", make, (kind, parts), 60000, TIME, "6 s")


def frequencies():
    kind = G("pandas.core.dtypes.dtypes", "PeriodDtype")
    often("frequency-minutes", kind, ("period[15T]",), 1, ALLOWED, "as pandas writes it")
    often("frequency-quarters", kind, ("period[Q-DEC]",), 1, ALLOWED, "likewise")
    often("frequency-many", kind, ("period[" + "1D" * 500 + "]",), 200, ARGUMENTS, "a span of 500 parts: 30 ms each")
    often("frequency-often", kind, ("period[15T]",), 60000, TIME, "0.1 ms each")


CORPUS.make(objects, indexes, frequencies)
