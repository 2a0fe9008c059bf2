#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles of what packs vouch for, whose harm lies in what a class does with
its items and attributes.  Dictionaries that look their methods up among their items, frames that set what they are told,
states that are hashed, written out or gone through.  Beside each the honest file that is one word away.

A case has the members of corpus/findings; all are judged with the packs below."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from pickle_values import (  # noqa: E402 pylint: disable=wrong-import-position
    ARRAYS, BASE, INDEX, array, dtype, floats, frame, index, longs, names, rows, series, small, sparse_array)
from torch_writer import Build, Call, G, New, Put, Raw, dumps, ops  # noqa: E402 pylint: disable=wrong-import-position

PACKS = ("version: 1\nname: packs\npickle: {packs: [gymnasium, numpy, numpy-random, pandas, scipy, sklearn, stable-baselines3,"
         " torch-nn, ultralytics]}\n")
ALLOWED = "pickle-global-allowed"
ARGUMENTS, EXPANSION, METHOD = (f"{ALLOWED} {code}" for code in ("pickle-arguments", "pickle-expansion", "pickle-method-on-object"))
TIME = f"{ALLOWED} pickle-load-time"
CORPUS = Cases(".pkl", {ALLOWED}, {"pickle-arguments", "pickle-expansion"}, sections=True)
BILLION = 10**9


def case(name, value, codes, why):
    CORPUS.case(name, dumps(value, 4), codes, why, policy=PACKS)


def doubled(levels):
    """A tuple of a tuple twice, and so on."""
    return Raw(b")" + b"2\x86" * levels)


def repeated(value, times, opcodes):
    """Values, the first of which is kept while the opcodes go on."""
    return Raw(ops(value) + opcodes * times)


# -- items

BUNCH = G("sklearn.utils", "Bunch")


def with_items(cls, opcodes, **items):
    return Raw(ops(cls) + b")\x81(" + b"".join(ops(k) + ops(v) for k, v in items.items()) + b"u" + opcodes)


def items():
    why = "its attributes are its items: what stands under that name is called"
    allocate = G("builtins", "bytearray")
    model = {"activation": "open('canary', 'w')", "nc": 1, "backbone": [[-1, 1, "Conv", [3]]], "head": []}
    number = ops(2 * BILLION)
    case("items-kept", with_items(BUNCH, b"", append=G("builtins", "list"), data=1), ALLOWED, "a class under that name, and nobody calls it")
    case("items-append", with_items(BUNCH, number + b"a", append=allocate), METHOD, why)
    case("items-appends", with_items(BUNCH, b"(" + number + b"e", append=allocate), METHOD, why)
    case("items-add", with_items(BUNCH, b"(" + number + b"\x90", add=allocate), METHOD, why)
    case("items-result", with_items(G("scipy.optimize", "OptimizeResult"), number + b"a", append=allocate), METHOD, why)
    case("items-eval", with_items(BUNCH, ops(model) + b"a", append=G("ultralytics.nn.tasks", "DetectionModel")), METHOD,
         "evaluates a text of its configuration")


# -- pandas

def attributes():
    far = Call(G("builtins", "range"), 2, BILLION)
    case("set-attrs", frame(attrs={"a": 1}), ALLOWED, "as pandas writes them")
    case("set-attrs-range", frame(attrs=[far]), ARGUMENTS, "dict([range(...)]) makes a list of it")
    case("set-columns", frame(columns=names("b")), ARGUMENTS, "an index is made of whatever it is")
    case("set-columns-sparse", frame(columns=sparse_array(BILLION)), ARGUMENTS, "all its zeros are made")
    case("set-index-sparse", series(index=sparse_array(BILLION)), ARGUMENTS, "likewise")
    case("set-private", frame(_note=1), ALLOWED, "an attribute that no class has anything for")
    month = Call(G("pandas._libs.tslibs.offsets", "MonthEnd"), 1, False)
    moments = Call(G(ARRAYS, "__pyx_unpickle_NDArrayBacked"), G("pandas.core.arrays.datetimes", "DatetimeArray"), 0x4f1061f, None)
    for name, more, codes in (("freq", {"freq": month}, ARGUMENTS), ("private-freq", {"_freq": None}, ALLOWED)):
        case(f"set-{name}", Build(moments, (moments_type(), moments_of(3), more)), codes,
             "goes through all moments to see that it fits" if codes == ARGUMENTS else "as pandas writes it")


def moments_type():
    return Build(Call(G("numpy", "dtype"), "M8[ns]", False, True),
                 (4, "<", None, None, None, -1, -1, 0, ({}, (Raw(b"C\x02ns"), 1, 1, 1))))


def moments_of(n):
    content = Raw(b"C" + bytes([8 * n]) + bytes(8 * n))
    return Build(Call(G("numpy.core.multiarray", "_reconstruct"), G("numpy", "ndarray"), (0,), Raw(b"C\x01b")),
                 (1, (n,), moments_type(), False, content))


def hashed():
    case("hash-name", series(name=("x", ("y", 1))), ALLOWED, "a name of parts")
    case("hash-name-doubled", series(name=doubled(40)), EXPANSION, "the setter hashes it: 2^40 tuples")
    case("hash-index-name", index(INDEX, data=longs(1, 2), name=doubled(9)), ALLOWED, "512 tuples, once")
    make = (G(*INDEX), {"name": doubled(19), "data": longs(1, 2)})
    for name, times, codes in (("few", 3, ALLOWED), ("often", 3000, f"{TIME} pickle-expansion")):
        case(f"hash-index-{name}", repeated([Put(0, G(BASE, "_new_Index")), Put(1, make)], times, b"h\x00h\x01R0"), codes,
             "half a million tuples, for each of three thousand indexes" if times > 3 else "likewise, and three of them")
    for name, label, codes in (("parts", ("a", 1), ALLOWED), ("doubled", doubled(40), EXPANSION)):
        level = index(INDEX, data=array("O8", (2,), [label, ("b", 2)]))
        case(f"hash-level-{name}", index(("pandas.core.indexes.multi", "MultiIndex"), levels=[level], codes=[small(0, 1)], sortorder=None,
                                         names=[None]), codes, "labels of a level are hashed and written when it is used, whatever array holds them")
    kinds = [Put(0, G("pandas.core.dtypes.dtypes", "CategoricalDtype")), Put(1, "categories"), Put(2, "ordered"),
             Put(3, index(INDEX, data=array("O8", (10000,), [f"{i}" for i in range(10000)])))]
    for name, times, codes in (("few", 30, ALLOWED), ("often", 5000, TIME)):
        case(f"hash-categories-{name}", Raw(ops(kinds) + b"0}" + b"h\x00)\x81}(h\x01h\x03h\x02\x89ubK\x01s" * times), codes,
             "a type as a key hashes its 10,000 categories" if codes == ALLOWED else "for each of 5000 keys: 7 s")


# -- others

def generators():
    key = [7] * 624
    make = Call(G("numpy.random._pickle", "__bit_generator_ctor"), "MT19937")
    for name, place, codes in (("text", "pos", ALLOWED), ("made", Call(G("builtins", "str"), "pos"), ARGUMENTS)):
        inner = Raw(b"}(" + ops("key") + ops(key) + ops(place) + ops(3 if codes == ALLOWED else 10**8) + b"u")
        case(f"random-{name}", Build(make, {"bit_generator": "MT19937", "state": inner}), codes,
             "where the next number is read" if codes == ALLOWED else "likewise, by a name that a call made: NumPy dies")


def made():
    pair = ("steps", G("sklearn.metrics._classification", "f1_score"))
    new = G("sklearn.neighbors._kd_tree", "newObj")
    case("made-tree", Call(new, G("sklearn.neighbors._kd_tree", "KDTree")), ALLOWED, "a tree that is given nothing yet")
    tree, distance = Call(new, G("sklearn.neighbors._kd_tree", "KDTree")), Call(
        G("sklearn.metrics._dist_metrics", "newObj"), G("sklearn.metrics._dist_metrics", "EuclideanDistance"))
    metric = Build(distance, (2.0, floats(0.0), floats(0.0, shape=(1, 1))))
    data = floats(0.0, 1.0, shape=(2, 1))
    state = (data, longs(0, 1), nodes_of_one(), floats(0.0, 1.0, shape=(2, 1, 1)), 30, 1, 1, 0, 0, 0, 0, metric, None)
    case("made-state", Build(tree, state), ALLOWED, "a tree of two points")
    case("made-state-short", Build(tree, state[:-1]), ARGUMENTS, "__setstate__ looks at the thirteenth, unchecked: scikit-learn 1.2 dies")
    case("made-distance-short", Build(distance, (2.0,)), ARGUMENTS, "likewise, at the second")
    bare = New(G("sklearn.metrics._dist_metrics", "EuclideanDistance"))
    case("made-bare", bare, ALLOWED, "as no program writes it, and harmless")
    case("made-bare-pair", Build(bare, (None, None)), ARGUMENTS, "a state and slots, or so it seems: it is one tuple to __setstate__")
    loss = Call(G("sklearn._loss._loss", "CyPinballLoss"), 0.5)
    case("made-loss", loss, ALLOWED, "as scikit-learn writes it")
    case("made-loss-state", Build(loss, ()), ARGUMENTS, "the state's first is taken unchecked: scikit-learn 1.2 dies")
    identity = G("sklearn._loss._loss", "CyHalfTweedieLossIdentity")
    for name, state, codes in (("fit", (1.5,), ALLOWED), ("empty", (), ARGUMENTS)):
        case(f"made-power-{name}", Call(G("sklearn._loss._loss", "__pyx_unpickle_CyHalfTweedieLossIdentity"), identity, 103600757, state),
             codes, "likewise, by the function that Cython makes")
    case("made-other", Build(Call(new, G("sklearn.pipeline", "Pipeline")), (pair, pair, pair)), ARGUMENTS,
         "attributes as pairs, which nobody looked at")


def nodes_of_one():
    """(idx_start, idx_end, is_leaf, radius)"""
    fields = ("idx_start", "idx_end", "is_leaf", "radius")
    kind = Build(Call(G("numpy", "dtype"), "V32", False, True),
                 (3, "|", None, fields, {f: (dtype("f8" if f == "radius" else "i8"), 8 * i) for i, f in enumerate(fields)}, 32, 1, 16))
    return Build(Call(G("numpy.core.multiarray", "_reconstruct"), G("numpy", "ndarray"), (0,), Raw(b"C\x01b")),
                 (1, (1,), kind, False, Raw(b"C\x20" + struct.pack("<qqqd", 0, 2, 1, 1.0))))


def spaces():
    multi, box = G("gymnasium.spaces.multi_discrete", "MultiDiscrete"), G("gymnasium.spaces.box", "Box")
    for name, shape, codes in (("fit", (2,), ALLOWED), ("far", (BILLION,), ARGUMENTS)):
        case(f"shape-{name}", Build(New(multi), {"_shape": shape, "dtype": dtype("O8"), "nvec": longs(1, 2)}), codes,
             "zeros of this shape are made where the state has no `start`")
    for name, side, codes in (("numbers", floats(0.5), ALLOWED), ("objects", array("O8", (1,), ["x"]), ARGUMENTS)):
        case(f"box-{name}", Build(New(box), {"_shape": (1,), "dtype": dtype("f8"), "low": side, "high": side}), codes,
             "written out where the state has no text of it")
    for name, times, codes in (("few", 20, ALLOWED), ("often", 3000, f"{TIME} pickle-load-memory")):
        kept = [Put(0, box), Put(1, floats(*range(1000))), Put(2, "low"), Put(3, "high")]
        case(f"box-{name}", repeated(kept, times, b"h\x00)\x81}(h\x02h\x01h\x03h\x01ub0"), codes, "a thousand numbers take 3 ms to write")
    keys = Put(0, {f"{i}": None for i in range(1000)})
    space = Build(New(G("gymnasium.spaces.dict", "Dict")), {"spaces": keys})
    kept = [Put(1, G("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize")), Put(2, space), Put(3, "observation_space")]
    for name, times, codes in (("few", 2, ALLOWED), ("often", 2000, f"{TIME} pickle-load-memory")):
        case(f"keys-{name}", repeated(kept, times, b"h\x01)\x81}h\x03h\x02sb0"), codes, "each makes a list of the keys of its space")


CORPUS.make(items, attributes, hashed, generators, made, spaces)
