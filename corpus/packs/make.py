#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles as the libraries of packs write them, opcode by opcode, and others
that use the same names for what the libraries never do.  Always the same bytes; nothing here is ever loaded.

A case has the members of corpus/findings; all are judged with every pack of tables."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import Build, Call, G, Items, New, Raw, dumps  # noqa: E402 pylint: disable=wrong-import-position

PACKS = ("version: 1\nname: packs\npickle: {packs: [gymnasium, numpy, numpy-random, pandas, scipy, scipy-sparse, sklearn, spacy, "
         "lightgbm, stable-baselines3, statsmodels, xgboost]}\n")
ALLOWED, UNKNOWN = "pickle-global-allowed", "pickle-global-unknown"
ARGUMENTS = f"{ALLOWED} pickle-arguments"
CORPUS = Cases(".pkl", {ALLOWED, "pickle-stack-leftover"}, {UNKNOWN, "pickle-arguments"}, sections=True)


def case(name, value, codes, why):
    CORPUS.case(name, dumps(value, 4), codes, why, policy=PACKS)


# -- NumPy's values

def octets(b):
    return Raw(b"C" + bytes([len(b)]) + b)


def dtype(kind):
    order = "|" if kind in ("O8", "b1", "i1") else "<"
    sizes = (8, 8, 63) if kind == "O8" else (-1, -1, 0)
    return Build(Call(G("numpy", "dtype"), kind, False, True), (3, order, None, None, None, *sizes))


def array(kind, shape, content, cls=G("numpy", "ndarray")):
    content = content if isinstance(content, list) else octets(content)
    return Build(Call(G("numpy.core.multiarray", "_reconstruct"), cls, (0,), octets(b"b")),
                 (1, shape, dtype(kind), False, content))


def floats(*values, shape=None):
    return array("f8", shape or (len(values),), struct.pack(f"<{len(values)}d", *values))


def longs(*values):
    return array("i8", (len(values),), struct.pack(f"<{len(values)}q", *values))


def matrices():
    matrix = G("numpy", "matrix")
    four = struct.pack("<4d", 1, 2, 3, 4)
    case("numpy-matrix", array("f8", (2, 2), four, matrix), ALLOWED, "a class of NumPy's own, with the state of an array")
    case("numpy-memmap", array("f8", (2, 2), four, G("numpy", "memmap")), f"{ALLOWED} {UNKNOWN} pickle-arguments",
         "its constructor opens a file")
    case("numpy-matrix-called", Call(matrix, "1 2; 3 4"), f"{ALLOWED} pickle-use", "numpy.matrix(text) evaluates it")
    case("numpy-poly1d", Build(New(G("numpy", "poly1d")), {"coeffs": floats(1.0, 2.0), "_variable": "x"}), ALLOWED,
         "a polynomial")
    step = New(G("sklearn.preprocessing._function_transformer", "FunctionTransformer"))
    case("numpy-function", Build(step, {"func": G("numpy", "log1p"), "inverse_func": None}), ALLOWED,
         "a function of numbers, that is called when the step is used")
    case("numpy-function-called", Call(G("numpy", "log1p"), floats(1.0)), f"{ALLOWED} pickle-use", "granted to be kept, not called")


# -- pandas

BASE, ARRAYS, MANAGERS = "pandas.core.indexes.base", "pandas._libs.arrays", "pandas.core.internals.managers"
FRAME = G("pandas.core.frame", "DataFrame")


def rows(n, **more):
    return Call(G(BASE, "_new_Index"), G("pandas.core.indexes.range", "RangeIndex"),
                {"name": None, "start": 0, "stop": n, "step": 1, **more})


def names(*texts, **more):
    index = G(BASE, "Index")
    return Call(G(BASE, "_new_Index"), index, {"data": array("O8", (len(texts),), list(texts)), "name": None, **more})


def span(begin, end, step=1):
    return Call(G("builtins", "slice"), begin, end, step)


def block(place, n=1, values=None):
    return Call(G("pandas._libs.internals", "_unpickle_block"), values or floats(*[0.5] * (2 * n), shape=(n, 2)), place, 2)


def frame(*blocks, columns=None, **state):
    manager = Call(G(MANAGERS, "BlockManager"), blocks, [columns or names("a"), rows(2)])
    return Build(New(FRAME), {"_mgr": manager, "_typ": "dataframe", "_metadata": [], "attrs": {},
                              "_flags": {"allows_duplicate_labels": True}, **state})


def frames():
    case("pandas-frame", frame(block(span(0, 1))), ALLOWED, "a column")
    case("pandas-frame-two", frame(block(span(0, 3, 2), 2), block(span(1, 2)), columns=names("a", "b", "c")), ALLOWED,
         "columns of two types, in turn")
    case("pandas-frame-places", frame(block(longs(0, 1, 3), 3), block(span(2, 3)), columns=names("a", "b", "c", "d")), ALLOWED,
         "places that no slice has")
    why = "pandas writes there, unchecked, when the frame is used: 3.1.1 dies"
    case("pandas-frame-far", frame(block(span(10**7, 10**7 + 1))), ARGUMENTS, why)
    case("pandas-frame-gap", frame(block(span(1, 2))), ARGUMENTS, "nothing is written in the place before, and that is followed")
    case("pandas-frame-twice", frame(block(span(0, 1)), block(span(0, 1)), columns=names("a", "b")), ARGUMENTS, "likewise")
    case("pandas-frame-places-far", frame(block(longs(1 << 40))), ARGUMENTS, why)
    case("pandas-frame-places-negative", frame(block(longs(-5))), ARGUMENTS, why)
    case("pandas-frame-function", frame(block(span(0, 1)), head=FRAME), f"{ALLOWED} pickle-build-function", "a method is replaced")
    case("pandas-frame-manager", Build(New(FRAME), {"_mgr": G("pandas._libs.internals", "_unpickle_block"), "_typ": "dataframe"}),
         f"{ALLOWED} pickle-build-function", "a function in the place of the data")
    case("pandas-manager-state", Build(New(G(MANAGERS, "BlockManager")),
                                       ([rows(1), rows(2)], [floats(0.5, 0.5, shape=(1, 2))], [rows(1)], {})),
         ARGUMENTS, "a state skips what the constructor looks at")


def indexes():
    function = G(BASE, "_new_Index")
    case("pandas-index", names("a", "b"), ALLOWED, "names")
    case("pandas-index-range", rows(10**12), ALLOWED, "a range is its ends")
    case("pandas-index-named", rows(2, name="when"), ALLOWED, "a text as a name")
    levels = {"levels": [names("a", "b")], "codes": [array("i1", (2,), b"\0\1")], "sortorder": None, "names": ["x"]}
    case("pandas-index-levels", Call(function, G("pandas.core.indexes.multi", "MultiIndex"), levels), ALLOWED, "of two levels")
    case("pandas-index-dtype", names("a", dtype="datetime64[ns, dateutil//etc/passwd]"), ARGUMENTS, "a zone's name opens a file")
    case("pandas-index-zone", Call(G("pandas.core.indexes.datetimes", "_new_DatetimeIndex"),
                                   G("pandas.core.indexes.datetimes", "DatetimeIndex"), {"data": longs(1), "tz": "dateutil//etc/passwd"}),
         ARGUMENTS, "likewise")
    case("pandas-index-class", Call(function, FRAME, {"data": longs(1)}), ARGUMENTS, "a class that is no index")
    case("pandas-index-builtin", Call(function, G("builtins", "dict"), {"data": longs(1)}), ARGUMENTS, "a class of another library")
    case("pandas-index-object", rows(2, data=Call(G("builtins", "range"), 10**12)), ARGUMENTS, "what is gone through for ever")
    kind = Call(G(ARRAYS, "__pyx_unpickle_NDArrayBacked"), G("pandas.core.arrays.datetimes", "DatetimeArray"), 1, None)
    case("pandas-array", Build(kind, (dtype("i8"), longs(1), {"_freq": None})), ALLOWED, "an extension array")
    case("pandas-array-state", Build(kind, (dtype("i8"), longs(1), {"_freq": "x", "_validate": FRAME})), ARGUMENTS,
         "attributes, one of which replaces a method")
    case("pandas-array-class", Call(G(ARRAYS, "__pyx_unpickle_NDArrayBacked"), FRAME, 1, None), ARGUMENTS, "no class of arrays")
    case("pandas-array-given", Call(G(ARRAYS, "__pyx_unpickle_NDArrayBacked"), G("pandas.core.arrays.datetimes", "DatetimeArray"), 1,
                                    (dtype("i8"), longs(1))), ARGUMENTS, "a state as an argument is another way in")
    case("pandas-sparse", Call(G("pandas._libs.sparse", "IntIndex"), 3, array("i4", (1,), b"\2\0\0\0")), ALLOWED, "places of values")
    case("pandas-sparse-unchecked", Call(G("pandas._libs.sparse", "IntIndex"), 3, array("i4", (1,), b"\2\0\0\0"), False), ARGUMENTS,
         "pandas does not look whether they are there")
    stamp = G("pandas._libs.tslibs.timestamps", "_unpickle_timestamp")
    case("pandas-timestamp", Call(stamp, 5, None, Call(G("pytz", "_UTC")), 10), ALLOWED, "a moment")
    case("pandas-timestamp-zone", Call(stamp, 5, None, "dateutil//etc/passwd", 10), ARGUMENTS, "a zone's name opens a file")
    case("pandas-eval", Call(G("pandas", "eval"), "1"), "pickle-global-dangerous pickle-call-dangerous", "what no pack lifts")
    case("pandas-query", Call(G("pandas.core.frame", "DataFrame.query"), frame(block(span(0, 1))), "1"), f"{ALLOWED} {UNKNOWN}",
         "a method of a granted class is not granted")


# -- others

def sparse():
    dok, base = G("scipy.sparse._dok", "dok_matrix"), G("builtins", "dict")
    made = G("copyreg", "_reconstructor")
    state = {"_shape": (2, 2), "dtype": dtype("f8")}
    case("scipy-dok", Build(Call(made, dok, base, {}), state), ALLOWED, "a matrix that is a dictionary")
    case("scipy-dok-hidden", Build(Call(made, dok, base, {"__setstate__": G("numpy", "log1p")}), state), ARGUMENTS,
         "a class whose attributes are its items would call it")
    case("scipy-dok-other", Call(made, dok, G("builtins", "list"), []), ARGUMENTS, "of another base")
    case("scipy-csr-base", Call(made, G("scipy.sparse._csr", "csr_matrix"), base, {}), ARGUMENTS, "a class that is no dictionary")
    spline = New(G("scipy.interpolate._cubic", "CubicSpline"))
    case("scipy-spline", Build(spline, (None, {"c": floats(1.0), "x": floats(0.0), "axis": 0, "extrapolate": True})), ALLOWED,
         "slots of data")
    case("scipy-spline-method", Build(spline, (None, {"c": floats(1.0), "derivative": G("numpy", "log1p")})), ARGUMENTS,
         "a method is replaced")
    turn = New(G("scipy.spatial.transform._rotation", "Rotation"))
    case("scipy-rotation", Build(turn, (floats(0.0, 0.0, 0.0, 1.0, shape=(1, 4)), True)), ALLOWED, "an array and whether it is one")
    case("scipy-rotation-range", Build(turn, (Call(G("builtins", "range"), 10**12), True)), ARGUMENTS, "numpy.array() of it is made")
    rv = G("scipy.stats._continuous_distns", "norm_gen")
    case("scipy-distribution", Build(New(rv), {"_parse_arg_template": "print(1)"}), UNKNOWN, "__setstate__ executes it")
    case("scipy-result", Items(New(G("scipy.optimize._optimize", "OptimizeResult")), ("x", floats(1.0)), ("success", True)), ALLOWED,
         "a dictionary of results")
    bunch = New(G("sklearn.utils._bunch", "Bunch"))
    case("sklearn-bunch", Build(Items(bunch, ("model", New(G("sklearn.svm._classes", "SVC")))), {"_deprecated_key_to_warnings": {}}),
         ALLOWED, "an estimator in a dictionary whose items are its attributes")
    case("sklearn-bunch-setstate", Build(Items(bunch, ("__setstate__", G("numpy", "log1p"))), {}),
         f"{ALLOWED} pickle-build-function", "BUILD finds it")
    scorer = New(G("sklearn.metrics._scorer", "_Scorer"))
    metric = G("sklearn.metrics._classification", "f1_score")
    case("sklearn-scorer", Build(scorer, {"_score_func": metric, "_sign": 1, "_kwargs": {}}), ALLOWED, "what a search keeps")
    case("sklearn-scorer-method", Build(scorer, {"_score": metric}), f"{ALLOWED} pickle-build-function", "in a method's place")


def models():
    data = New(G("statsmodels.base.data", "PandasData"))
    case("statsmodels-data", Build(data, {"endog": floats(1.0), "k_constant": 1}), ALLOWED, "what a regression was given")
    case("statsmodels-formula", Build(data, {"frame": frame(block(span(0, 1))), "formula": "y ~ __import__('os').getcwd()",
                                             "restore_design_info": True}), ARGUMENTS, "__setstate__ evaluates the formula as Python")
    case("statsmodels-spec", Build(data, {"frame": None, "restore_model_spec": None}), ARGUMENTS,
         "that the key is there is enough")
    wrapper = New(G("statsmodels.regression.linear_model", "RegressionResultsWrapper"))
    case("statsmodels-results", Build(wrapper, {"_results": None, "__doc__": "Results."}), ALLOWED, "a text for people")
    case("statsmodels-doc", Build(wrapper, {"_results": None, "__doc__": G("numpy", "log1p")}), f"{ALLOWED} pickle-build-dunder",
         "anything but a text")
    case("statsmodels-class", Build(wrapper, {"_results": None, "__class__": "Results."}), f"{ALLOWED} pickle-build-dunder",
         "another of Python's own names")
    box = New(G("gymnasium.spaces.box", "Box"))
    case("gymnasium-box", Build(box, {"low": floats(0.0), "high": floats(1.0), "_shape": (1,), "dtype": dtype("f8"), "_np_random": None}),
         ALLOWED, "a space")
    case("gymnasium-box-called", Call(G("gymnasium.spaces.box", "Box"), 0, 1, (10**6, 10**6)), f"{ALLOWED} pickle-use",
         "a constructor takes memory")
    case("gymnasium-spec", Build(New(G("gymnasium.envs.registration", "EnvSpec")), {"entry_point": "os:getcwd"}), UNKNOWN,
         "names what is imported and called when an environment is made of it")
    mean = New(G("stable_baselines3.common.running_mean_std", "RunningMeanStd"))
    case("sb3-normalize", Build(New(G("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize")),
                                {"obs_rms": Build(mean, {"mean": floats(0.0), "var": floats(1.0), "count": 2.5}), "training": True}),
         ALLOWED, "statistics of observations")
    case("sb3-normalize-method", Build(New(G("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize")),
                                       {"reset": G("numpy", "log1p")}), f"{ALLOWED} pickle-build-function", "a method is replaced")
    estimator = New(G("xgboost.sklearn", "XGBRegressor"))
    case("xgboost-estimator", Build(estimator, {"n_estimators": 3, "missing": None}), ALLOWED, "settings")
    booster = Build(New(G("xgboost.core", "Booster")), {"handle": octets(b"{L")})
    case("xgboost-booster", Build(estimator, {"_Booster": booster}), f"{ALLOWED} {UNKNOWN}", "native code parses it")
    booster = Build(New(G("lightgbm.basic", "Booster")), {"_handle": "tree\n"})
    case("lightgbm-booster", Build(New(G("lightgbm.sklearn", "LGBMRegressor")), {"_Booster": booster}), f"{ALLOWED} {UNKNOWN}",
         "likewise")
    case("spacy-config", Items(New(G("confection._config", "Config")), ("nlp", {"lang": "en"})), ALLOWED, "settings")
    case("spacy-vectors", Call(G("spacy.vectors", "unpickle_vectors"), octets(b"\x80")), UNKNOWN,
         "MessagePack whose arrays of objects are pickles")


for section in (matrices, frames, indexes, sparse, models):
    section()
CORPUS.write()
