#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles by which code ran, or two readers read two things, while
every opcode of them looked harmless; and beside each the honest file that is one opcode, one argument, one word away.

`codes` are exactly the codes of the verdict; `policy`, where present, is a policy file the case is judged by instead of
`default`.  The opcodes are written by hand.  The payloads set a variable or print; tests/loaders/test_pickle.py gives them
to CPython.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from pickle_values import array  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import ops  # noqa: E402 pylint: disable=wrong-import-position

DATA, ALLOWED = "pickle-data-only", "pickle-global-allowed"
CORPUS = Cases(".pkl", {DATA, ALLOWED}, {"pickle-arguments", "pickle-getattr", "pickle-global-unknown"}, sections=True)
case = CORPUS.case

P4, NONE, STOP, POP = b"\x80\x04", b"N", b".", b"0"
REDUCE, BUILD, NEWOBJ, TUPLE, DICT, LIST, MARK = b"R", b"b", b"\x81", b")", b"}", b"]", b"("


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def text(s):
    return b"\x8c" + bytes([len(s)]) + s.encode()


def data(content):
    return b"B" + struct.pack("<I", len(content)) + content


def integer(n):
    return b"K" + bytes([n]) if 0 <= n < 256 else b"J" + struct.pack("<i", n)


def tup(*items):
    return b"(" + b"".join(items) + b"t"


def mapping(**items):
    return DICT + b"(" + b"".join(text(k) + v for k, v in items.items()) + b"u"


def listing(*items):
    return LIST + b"(" + b"".join(items) + b"e"


def frame(n):
    return b"\x95" + struct.pack("<Q", n)


def framed(content):
    return frame(len(content)) + content


# -- frames

def frames():
    bounds = f"{DATA} pickle-frame-bounds"
    case("frame-after-frame", P4 + framed(LIST) + framed(NONE + b"a" + STOP), DATA, "one behind the other")
    for cut in range(1, 9):
        case(f"frame-cut-{cut}", P4 + frame(1 + cut) + LIST + frame(3) + NONE + b"a" + STOP, bounds,
             f"the second begins {cut} bytes before the end of the first")
    case("frame-inside", P4 + frame(10) + LIST + frame(3) + NONE + b"a" + STOP, bounds, "the second is the end of the first")
    big = bytes(1 << 16)
    case("frame-large", P4 + framed(LIST) + data(big) + framed(b"a" + STOP), DATA, "large bytes stand between frames")
    case("frame-large-inside", P4 + framed(LIST + data(big) + b"a" + STOP), DATA, "or inside one")
    case("frame-large-cut", P4 + frame(len(big)) + LIST + data(big) + b"a" + STOP, bounds, "but do not go on behind it")
    case("frame-opcode-cut", P4 + frame(2) + LIST + b"M\0\0a" + STOP, bounds, "an argument behind the frame of its opcode")
    case("frame-line", P4 + framed(LIST + b"I12\n") + b"a" + STOP, DATA, "a line ends with its frame")
    case("frame-line-cut", P4 + frame(3) + LIST + b"I12\na" + STOP, bounds, "a line goes on behind its frame")


# -- joblib

FLOAT32 = (name("numpy", "dtype") + tup(text("f4"), b"\x89", b"\x88") + REDUCE
           + tup(integer(3), text("<"), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + BUILD)
OBJECT = (name("numpy", "dtype") + tup(text("O8"), b"\x89", b"\x88") + REDUCE
          + tup(integer(3), text("|"), NONE, NONE, NONE, integer(-1), integer(-1), integer(63)) + BUILD)
BYTE = (name("numpy", "dtype") + tup(text("u1"), b"\x89", b"\x88") + REDUCE
        + tup(integer(3), text("|"), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + BUILD)


def wrapper(dtype, count):
    return (name("joblib.numpy_pickle", "NumpyArrayWrapper") + TUPLE + NEWOBJ
            + mapping(subclass=name("numpy", "ndarray"), shape=tup(integer(count)), order=text("C"), dtype=dtype,
                      allow_mmap=b"\x89") + BUILD)


def joblib(head, elements, tail, more=0):
    """@more: bytes that the frame around the description goes on behind it."""
    return P4 + frame(len(head) + more) + head + elements + tail


def arrays():
    floats = struct.pack("<4f", 1, 2, 3, 4)
    one, objects = wrapper(FLOAT32, 4), wrapper(OBJECT, 1)
    inner = P4 + framed(ops(array("O8", (1,), [None])) + STOP)
    case("joblib-framed.joblib", joblib(one, floats, STOP), ALLOWED, "the frame ends where the elements begin")
    case("joblib-inside.joblib", joblib(one, floats, STOP, 17), f"{ALLOWED} pickle-frame-bounds",
         "joblib reads the elements behind the frame")
    case("joblib-part.joblib", joblib(one, floats, STOP, 1), f"{ALLOWED} pickle-frame-bounds", "by one byte")
    case("joblib-objects.joblib", joblib(objects, inner, STOP), ALLOWED, "the frame ends where the pickle of objects begins")
    case("joblib-objects-inside.joblib", joblib(objects, inner, STOP, len(inner) + 1), f"{ALLOWED} pickle-frame-bounds",
         "joblib reads the objects behind the frame")
    elements = [("cut-global", b"cbuiltins\nprint\xff", "a line that the end cuts"),
                ("cut-inst", b"(S'boo'\nibuiltins\nprint\xff", "a call that the end cuts"),
                ("state", POP + POP + b"h\0}b" + b"\xff", "a state for what was made before"),
                ("memo", b"r\xff\xff\xff\x7f\xff", "a table of gigabytes")]
    before = name("collections", "OrderedDict") + TUPLE + REDUCE + b"q\0"
    for what, content, why in elements:
        end = b"" if what.startswith("cut") else b"t" + STOP
        codes = "polyglot-pickle" + (" pickle-truncated" if not end else "")
        case(f"joblib-{what}.joblib", P4 + b"(" + before + LIST + wrapper(BYTE, len(content)) + content + end, f"{ALLOWED} {codes}",
             f"pickle.load() finds among the elements: {why}")
        case(f"joblib-{what}-not.joblib", P4 + b"(" + before + LIST + wrapper(BYTE, len(content)) + b"\xff" + content[1:] + b"t" + STOP,
             ALLOWED, "the same but for the first byte")


# -- states and methods

def call(module, attribute, *args):
    return name(module, attribute) + tup(*args) + REDUCE


def new(module, attribute, *args):
    return name(module, attribute) + tup(*args) + NEWOBJ


PRINT = name("builtins", "print")
ORDERED, COUNTER = call("collections", "OrderedDict"), call("collections", "Counter")
UNKNOWN, FUNCTION, METHOD = "pickle-global-unknown", "pickle-build-function", "pickle-method-on-object"


def methods():
    for made, what in ((ORDERED, "ordered"), (COUNTER, "counter")):
        case(f"method-{what}-append", P4 + made + mapping(append=name("collections", "deque")) + BUILD + NONE + b"a" + STOP,
             f"{ALLOWED} {FUNCTION} {METHOD}", "APPEND calls what the state put there, with any argument")
        case(f"method-{what}-extend", P4 + made + mapping(extend=name("builtins", "bytearray")) + BUILD + b"(" + integer(9)
             + b"e" + STOP, f"{ALLOWED} {FUNCTION} {METHOD}", "likewise APPENDS")
        case(f"method-{what}-add", P4 + made + mapping(add=name("builtins", "bytearray")) + BUILD + b"(" + integer(9) + b"\x90"
             + STOP, f"{ALLOWED} {FUNCTION} {METHOD}", "likewise ADDITEMS")
        case(f"method-{what}-data", P4 + made + mapping(_metadata=mapping(version=integer(1))) + BUILD + text("k") + NONE + b"s"
             + STOP, ALLOWED, "items behind a state of data: SETITEM looks on the class")
        case(f"method-{what}-without", P4 + made + NONE + b"a" + STOP, f"{ALLOWED} {METHOD}", "it has no append()")
    case("method-metadata", P4 + ORDERED + b"(" + text("w") + integer(1) + b"u" + mapping(_metadata=ORDERED) + BUILD + STOP,
         ALLOWED, "what torch sets on a state_dict")
    case("method-pair", P4 + ORDERED + tup(NONE, mapping(append=name("collections", "deque"))) + BUILD + STOP,
         f"{ALLOWED} {FUNCTION}", "the same among the slots")
    case("method-alias", P4 + DICT + b"\x940" + ORDERED + b"h\0" + BUILD + b"0h\0" + text("append")
         + name("collections", "deque") + b"s" + STOP, f"{ALLOWED} pickle-state-changed",
         "the dictionary is filled behind the back of its object")
    case("method-alias-not", P4 + DICT + b"\x94" + text("a") + NONE + b"s0" + ORDERED + b"h\0" + BUILD + STOP, ALLOWED,
         "it was full before")
    case("method-deque", P4 + call("collections", "deque", LIST) + NONE + b"a" + STOP, ALLOWED, "a deque has append()")
    case("method-deque-add", P4 + call("collections", "deque", LIST) + b"(N\x90" + STOP, f"{ALLOWED} {METHOD}",
         "and no add()")
    case("method-set", P4 + call("builtins", "set", LIST) + b"(N\x90" + STOP, ALLOWED, "a set has add()")
    case("method-set-item", P4 + call("builtins", "set", LIST) + NONE + NONE + b"s" + STOP, f"{ALLOWED} {METHOD}",
         "and no items")
    case("method-object-state", P4 + call("argparse", "Namespace") + ORDERED + BUILD + STOP, f"{ALLOWED} pickle-arguments",
         "attributes that another call made")
    case("method-arguments", P4 + name("collections", "OrderedDict") + call("collections", "deque", listing(NONE)) + REDUCE
         + STOP, f"{ALLOWED} pickle-operand", "arguments that nobody has seen: the Python reader takes what it iterates")
    case("method-keywords", P4 + name("argparse", "Namespace") + TUPLE + ORDERED + b"\x92" + STOP,
         f"{ALLOWED} pickle-operand", "likewise keywords")


def values():
    getattr_ = name("builtins", "getattr")
    held = f"{ALLOWED} pickle-function-value"
    case("value-tuple", P4 + getattr_ + b"\x85" + STOP, held, "getattr in a tuple")
    case("value-list", P4 + LIST + getattr_ + b"a" + STOP, held, "in a list")
    case("value-dict", P4 + DICT + text("f") + getattr_ + b"s" + STOP, held, "in a dictionary")
    case("value-memo", P4 + getattr_ + b"\x940" + LIST + b"h\0a" + STOP, held, "by the memo")
    case("value-item", P4 + ORDERED + text("f") + getattr_ + b"s" + STOP, held, "as an item")
    case("value-keyword", P4 + name("argparse", "Namespace") + TUPLE + mapping(f=getattr_) + b"\x92" + STOP,
         held + " pickle-arguments", "as a keyword")
    case("value-factory", P4 + call("collections", "defaultdict", getattr_) + STOP, held + " pickle-arguments",
         "as what is called for missing keys")
    case("value-class", P4 + LIST + name("collections", "OrderedDict") + b"a" + STOP, ALLOWED, "a class may be a value")


# -- packs

PACKS = "version: 1\nname: packs\npickle: {packs: [torch-nn, ultralytics, sklearn, transformers, lightning], allow: [mymodel.Net]}\n"
LINEAR, DETECTION = ("torch.nn.modules.linear", "Linear"), ("ultralytics.nn.tasks", "DetectionModel")
MODULE = mapping(training=b"\x89", in_features=integer(4), _parameters=ORDERED, _modules=ORDERED, _forward_hooks=ORDERED)


def packs():
    def packed(what, content, codes, why, expect=None):
        case("pack-" + what, P4 + content + STOP, f"{ALLOWED} {codes}".strip(), why, expect, policy=PACKS)

    packed("module", new(*LINEAR) + MODULE + BUILD, "", "a module as it is saved")
    packed("module-p0", name("copyreg", "_reconstructor") + tup(name(*LINEAR), name("builtins", "object"), NONE) + REDUCE
           + MODULE + BUILD, "", "by protocol 0")
    packed("module-arguments", new(*LINEAR, integer(40000), integer(40000)), "pickle-use",
           "__new__ of a module takes nothing")
    packed("module-called", call(*LINEAR, integer(40000), integer(40000)), "pickle-use",
           "6 GB of weights from a few bytes")
    packed("module-config", call(*DETECTION, mapping(activation=text("print('boo')"))), "pickle-use",
           "ultralytics evaluates its configuration")
    packed("module-inst", b"(" + mapping(activation=text("print('boo')")) + b"i%s\n%s\n" % tuple(
        part.encode() for part in DETECTION), "pickle-use", "by INST")
    packed("module-function", new(*LINEAR) + mapping(training=b"\x89", _conv_forward=name(*LINEAR)) + BUILD, FUNCTION,
           "a method is replaced by a class")
    packed("module-method", new(*LINEAR) + mapping(_conv_forward=call("builtins", "getattr", name(*LINEAR), text("forward")))
           + BUILD, f"pickle-getattr {FUNCTION}", "by another method")
    packed("module-hook", new(*LINEAR) + mapping(_forward_hooks=ORDERED + integer(1) + name(*LINEAR) + b"s") + BUILD,
           FUNCTION, "a hook that is a class")
    packed("module-hook-dict", new(*LINEAR) + mapping(_forward_hooks=DICT + integer(1) + name(*LINEAR) + b"s") + BUILD,
           FUNCTION, "in a plain dictionary")
    packed("module-hook-filled", new(*LINEAR) + mapping(_forward_hooks=call("collections", "OrderedDict", listing(listing(
        integer(1), name(*LINEAR))))) + BUILD, FUNCTION, "in the arguments of its dictionary")
    packed("module-hook-late", ORDERED + b"\x940" + new(*LINEAR) + mapping(_forward_hooks=b"h\0") + BUILD + b"h\0" + integer(1)
           + name(*LINEAR) + b"s0", "pickle-state-changed", "behind the state")
    packed("module-hook-late-dict", DICT + b"\x940" + new(*LINEAR) + mapping(_forward_hooks=b"h\0") + BUILD + b"h\0" + integer(1)
           + name(*LINEAR) + b"s0", "pickle-state-changed", "of a plain dictionary")
    packed("random", call("numpy.random._pickle", "__randomstate_ctor", text("MT19937"),
                          name("numpy.random._pickle", "__bit_generator_ctor")), "", "a generator as NumPy saves it")
    packed("random-of", call("numpy.random._pickle", "__randomstate_ctor", text("x"), name(*DETECTION)), "pickle-arguments",
           "its constructor calls what it is given")
    packed("module-hook-object", new(*LINEAR) + mapping(
        _forward_pre_hooks=ORDERED + integer(1) + new("torch.nn.modules.linear", "Identity") + b"s") + BUILD, "",
           "an object is one that its own class calls")
    packed("module-twice", new(*LINEAR) + MODULE + BUILD + MODULE + BUILD, FUNCTION, "a second state")
    packed("module-append", new("torch.nn.modules.container", "ModuleList") + mapping(append=integer(1)) + BUILD + NONE
           + b"a", METHOD, "an item behind the state")
    bunch = new("sklearn.utils._bunch", "Bunch")
    packed("items", bunch + text("a") + NONE + b"s" + mapping(b=NONE) + BUILD, "", "a dictionary with attributes")
    packed("items-behind", bunch + mapping(b=NONE) + BUILD + text("a") + NONE + b"s", METHOD, "items behind the state")
    packed("module-items", new(*LINEAR) + text("a") + NONE + b"s" + MODULE + BUILD, METHOD, "a class that is no container")
    packed("module-slots", new(*LINEAR) + tup(MODULE, mapping(weight=NONE)) + BUILD, FUNCTION, "slots go through setattr()")
    packed("module-state-object", new(*LINEAR) + ORDERED + BUILD, FUNCTION, "a state that another call made")
    packed("tree", call("sklearn.tree._tree", "Tree", integer(4), NONE, integer(1)) + mapping(max_depth=integer(1)) + BUILD,
           "", "a class of Cython, with plain arguments")
    packed("tree-large", call("sklearn.tree._tree", "Tree", integer(4), NONE, integer(1 << 30)), "pickle-arguments",
           "memory for a billion outputs")
    packed("function", new("sklearn.feature_selection._univariate_selection", "SelectKBest") + mapping(
        score_func=name("sklearn.feature_selection._univariate_selection", "f_classif")) + BUILD, "",
           "a function where the class keeps one")
    packed("function-called", call("sklearn.feature_selection._univariate_selection", "f_classif", LIST, LIST),
           "pickle-use", "a function that is called")
    enum = name("transformers.trainer_utils", "IntervalStrategy")
    packed("member", enum + tup(text("steps")) + REDUCE, "", "a member of an Enum")
    packed("member-getattr", name("builtins", "getattr") + tup(enum, text("STEPS")) + REDUCE, "", "as Python 3.11 saves it")
    packed("member-getattr-method", name("builtins", "getattr") + tup(enum, text("mro")) + REDUCE, "pickle-getattr",
           "a method is no member")
    packed("member-list", enum + tup(LIST) + REDUCE, "pickle-arguments", "a value that no member has")
    packed("own", call("mymodel", "Net", integer(40000)) + mapping(forward=name("mymodel", "Net")) + BUILD, "",
           "a class of one's own is vouched for by who names it")


# -- packs whose classes work on their state

USE, BUILT = "pickle-use", "pickle-arguments"
RANDOM, SEED = "numpy.random._pickle", "numpy.random.bit_generator"


def of_type(code, order="<", state=BUILD):
    return (name("numpy", "dtype") + tup(text(code), b"\x89", b"\x88") + REDUCE
            + (tup(integer(3), text(order), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + state if state else b""))


def array_of(code, *shape, content):
    return (call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tup(integer(0)), data(b"b"))
            + tup(integer(1), tup(*map(integer, shape)), of_type(code), b"\x89", data(content)) + BUILD)


def worked_on():
    def packed(what, content, codes, why, expect=None, **more):
        case("work-" + what, P4 + content + STOP, f"{ALLOWED} {codes}".strip(), why, expect, policy=PACKS, **more)

    state = mapping(bit_generator=text("PCG64"), state=mapping(state=integer(5), inc=integer(7)), has_uint32=integer(0),
                    uinteger=integer(0))
    pcg, ctor = name("numpy.random._pcg64", "PCG64"), name(RANDOM, "__bit_generator_ctor")
    seed = call(SEED, "__pyx_unpickle_SeedSequence", name(SEED, "SeedSequence"), integer(1), NONE)
    packed("generator", call(RANDOM, "__bit_generator_ctor", text("PCG64")) + state + BUILD, "", "a generator as NumPy 1 writes it")
    packed("generator-2", call(RANDOM, "__bit_generator_ctor", pcg) + tup(state, seed) + BUILD, "", "and as NumPy 2 does")
    packed("generator-new", pcg + TUPLE + NEWOBJ + state + BUILD, f"{USE} {BUILT}", "without its __init__: null pointers are followed")
    packed("randomstate", call(RANDOM, "__randomstate_ctor", text("MT19937"), ctor), "", "the function that makes it")
    packed("randomstate-2", call(RANDOM, "__randomstate_ctor", call(RANDOM, "__bit_generator_ctor", pcg)), "", "what it made")
    packed("randomstate-seed", call(RANDOM, "__randomstate_ctor", array_of("u8", 1, content=bytes(8)), pcg), BUILT,
           "another function: the first argument is a seed")

    def masked(kind, shape, content, more=b"", of="MaskedArray", module="numpy.ma.core", mask=bytes(1)):
        return (call("numpy.ma.core", "_mareconstruct", name(module, of), name("numpy", "ndarray"), tup(integer(0)), data(b"b"))
                + tup(integer(1), tup(integer(shape)), kind, b"\x89", content, data(mask), NONE) + BUILD + more)

    number = struct.pack("<f", 1)
    packed("masked", masked(of_type("f4"), 1, data(number)), "", "a masked array")
    packed("masked-nan", masked(of_type("f4"), 1, data(struct.pack("<f", float("nan")))), "weights-nan", "its elements are examined", "review",
           nonfinite={"array-0": counts(nan=1)})
    packed("masked-objects", masked(OBJECT, 1, listing(NONE)), "", "one of objects")
    packed("masked-objects-short", masked(OBJECT, 2, listing(NONE), mask=bytes(2)), f"{BUILT} pickle-array-size",
           "NumPy takes pointers from behind the list")
    fields = tup(integer(3), text("|"), NONE, tup(text("a")), mapping(a=tup(OBJECT, integer(0))), integer(8), integer(8), integer(27))
    packed("masked-late", MARK + masked(of_type("V8", state=b"") + b"r\5\0\0\0", 1, data(b"AAAAAAAA"))
           + b"j\5\0\0\0" + fields + BUILD + POP + b"t", f"{BUILT} pickle-array-state", "its type turns bytes into pointers")
    packed("masked-generator", masked(of_type("f4"), 1, data(number), of="PCG64", module="numpy.random._pcg64"), BUILT,
           "another class of that library, made without its __init__")

    lstm = ("torch.nn.modules.rnn", "LSTM")
    weights = listing(listing(text("weight_ih_l0")))
    packed("layers", new(*lstm) + mapping(num_layers=integer(2), _all_weights=weights) + BUILD, "", "two layers")
    packed("layers-many", new(*lstm) + mapping(num_layers=integer(10**9), _all_weights=listing(listing(NONE))) + BUILD, BUILT,
           "__setstate__ makes a list for each of a billion layers")
    packed("layers-weights", new(*lstm) + mapping(_flat_weights=listing(*[NONE] * 1000), _all_weights=weights) + BUILD, BUILT,
           "and a reference to each of the weights")

    isotonic = ("sklearn.isotonic", "IsotonicRegression")
    thresholds = array_of("f8", 2, content=struct.pack("<2d", 0, 1))
    packed("thresholds", new(*isotonic) + mapping(X_thresholds_=thresholds, y_thresholds_=thresholds) + BUILD, "", "arrays")
    reach = call("builtins", "range", integer(10**9))
    packed("thresholds-range", new(*isotonic) + mapping(X_thresholds_=reach, y_thresholds_=reach) + BUILD, BUILT,
           "__setstate__ makes an array of the range")
    packed("thresholds-shared", thresholds + b"r\1\0\0\0" + POP + LIST + MARK + (new(*isotonic) + mapping(
        X_thresholds_=b"j\1\0\0\0") + BUILD) * 2 + b"e", BUILT, "each instance sorts the same array")

    attributes = ("pytorch_lightning.utilities.parsing", "AttributeDict")
    packed("attributes", new(*attributes) + text("lr") + integer(1) + b"s", "", "a dictionary whose items are attributes")
    packed("attributes-state", new(*attributes) + text("lr") + integer(1) + b"s" + mapping(a=NONE) + BUILD, "", "with a state")
    packed("attributes-setstate", new(*attributes) + text("__setstate__") + name("builtins", "bytearray") + b"s"
           + integer(10**9) + BUILD, "pickle-build-function", "BUILD calls the item")


# -- arrays of objects

RECORD = "pickle-arguments pickle-array-state"


def objects():
    empty = call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tup(integer(0)), data(b"b"))

    def array(shape, *items):
        return P4 + empty + tup(integer(1), shape, OBJECT, b"\x89", listing(*items)) + BUILD + STOP

    case("objects-two", array(tup(integer(2)), NONE, NONE), ALLOWED, "as many objects as the shape says")
    case("objects-square", array(tup(integer(1), integer(2)), NONE, NONE), ALLOWED, "in two dimensions")
    case("objects-one-of-two", array(tup(integer(2)), NONE), f"{ALLOWED} pickle-arguments pickle-array-size",
         "NumPy takes a pointer from behind the list")
    def record(names, key, more=b""):
        fields = DICT + text(key) + tup(OBJECT, integer(0)) + b"s\x94"
        return (name("numpy", "dtype") + tup(text("V8"), b"\x89", b"\x88") + REDUCE + tup(
            integer(3), text("|"), NONE, names, fields, integer(8), integer(8), integer(27)) + BUILD + more)

    case("objects-record", P4 + record(tup(text("a")), "a") + STOP, ALLOWED, "a record with a field of objects")
    case("objects-record-name", P4 + record(tup(text("b")), "a") + STOP, f"{ALLOWED} {RECORD}",
         "NumPy looks for a field of that name, and follows a null pointer")
    case("objects-record-tuple", P4 + record(tup(tup(text("a"))), "a") + STOP, f"{ALLOWED} {RECORD}", "a name that is none")
    case("objects-record-none", P4 + record(NONE, "a") + STOP, f"{ALLOWED} {RECORD}", "fields without names")
    case("objects-record-late", P4 + record(tup(text("a")), "a", b"h\0" + text("c") + tup(OBJECT, integer(99)) + b"s0") + STOP,
         f"{ALLOWED} pickle-state-changed pickle-array-state", "a field that comes behind the state: a pointer of the file's choice")
    case("objects-wrapped", array(tup(integer(1 << 30), integer(1 << 30), integer(16)), NONE), f"{ALLOWED} pickle-arguments pickle-array-size",
         "a product that wraps round")


CORPUS.make(frames, arrays, methods, values, packs, worked_on, objects)
