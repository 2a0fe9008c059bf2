#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles that harm whoever loads them though each opcode, name and
argument looks as usual: a memo that two pickles share, states that are no dictionaries, types that NumPy believes, keys and
attributes that take minutes; and beside each the honest file that is one word away.

`codes` are exactly the codes of the verdict; `policy`, where present, is a policy file the case is judged by instead of
`default`.  tests/loaders/test_pickle_loaders.py gives these builders' pickles to the real loaders.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

DATA, ALLOWED = "pickle-data-only", "pickle-global-allowed"
CORPUS = Cases(".pkl", {DATA, ALLOWED}, {"pickle-arguments", "pickle-global-unknown", "weights-nan", "pickle-expansion"},
               sections=True)
case = CORPUS.case
PACKS = ("version: 1\nname: packs\npickle: {packs: [torch-nn, ultralytics, sklearn, transformers, lightning]}\n")

P4, NONE, STOP, POP, MEMO = b"\x80\x04", b"N", b".", b"0", b"\x94"
FALSE, TRUE, DICT = b"\x89", b"\x88", b"}"


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def text(s):
    s = s.encode()
    return b"\x8c" + bytes([len(s)]) + s


def data(content):
    return b"B" + struct.pack("<I", len(content)) + content


def integer(n):
    if 0 <= n < 256:
        return b"K" + bytes([n])
    if -1 << 31 <= n < 1 << 31:
        return b"J" + struct.pack("<i", n)
    digits = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(digits)]) + digits


def tup(*items):
    return b"(" + b"".join(items) + b"t"


def listing(*items):
    return b"](" + b"".join(items) + b"e"


def mapping(**items):
    return DICT + b"(" + b"".join(text(k) + v for k, v in items.items()) + b"u"


def call(module, attribute, *args):
    return name(module, attribute) + tup(*args) + b"R"


def new(module, attribute):
    return name(module, attribute) + b")\x81"


def stream(*content):
    return P4 + b"".join(content) + STOP


# -- one Unpickler, several pickles

def shared(module, attribute):
    """The second pickle's own texts are those of OrderedDict; by the first one's memo they are others."""
    first = stream(text(module) + MEMO + POP + text(attribute) + MEMO)
    return first + stream(text("collections") + MEMO + POP + text("OrderedDict") + MEMO + POP + b"h\0h\1\x93)R")


def streams():
    case("again-system", shared("os", "getcwd"), f"{ALLOWED} polyglot-pickle",
         "load() called twice on one Unpickler: the memo of the first pickle has other names")
    case("again-posix", shared("posix", "getpid"), f"{ALLOWED} polyglot-pickle", "likewise")
    case("again-unknown", shared("sndhdr", "what"), f"{ALLOWED} pickle-global-unknown", "a name that nobody knows to be harmless")
    for kind, first, codes, why in (("arguments", integer(5), " pickle-arguments", "a number in the place of bytes"),
                                    ("bytes", data(b"y"), "", "other bytes in their place")):
        case(f"again-{kind}", stream(text("a") + MEMO + POP + first + MEMO) + stream(
            text("b") + MEMO + POP + data(b"x") + MEMO + POP + name("builtins", "bytearray") + b"h\1\x85R"), ALLOWED + codes, why)
    case("again-same", shared("collections", "OrderedDict"), ALLOWED, "the same names at the same numbers")
    case("again-own", stream(text("os") + MEMO) + stream(text("collections") + b"q\0" + POP + text("OrderedDict") + b"q\1" + POP
                                                        + b"h\0h\1\x93)R"), ALLOWED, "numbers that the second pickle gives itself")


# -- types that NumPy believes

def dtype(word, *state):
    made = call("numpy", "dtype", text(word), FALSE, TRUE)
    return made + tup(*state) + b"b" if state else made


def time(unit=b"ns", number=1, divisor=1, version=4, more=None):
    unit = tup(DICT, tup(data(unit), integer(number), integer(divisor), integer(1))) if more is None else more
    state = [integer(version), text("<"), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)]
    return dtype("M8", *state, *([unit] if version == 4 else []))


def array(element, content):
    empty = call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tup(integer(0)), data(b"b"))
    return empty + tup(integer(1), tup(integer(1)), element, FALSE, data(content)) + b"b"


def scalar(element, content):
    return call("numpy.core.multiarray", "scalar", element, data(content))


def types():
    eight, arguments = bytes(8), f"{ALLOWED} pickle-arguments"
    case("time-ns", stream(array(time(), eight)), ALLOWED, "as NumPy writes it")
    case("time-25-s", stream(array(time(b"s", 25), eight)), ALLOWED, "a multiple of a unit")
    case("time-none", stream(array(time(version=3), eight)), arguments, "no unit: NumPy 2 follows a null pointer")
    case("time-not", stream(array(time(more=NONE), eight)), arguments, "likewise none")
    case("time-zero", stream(array(time(number=0), eight)), arguments, "no time at all")
    case("time-parts", stream(array(time(divisor=7), eight)), arguments, "a part of a unit is written by none")
    case("time-unit", stream(array(time(b"xx"), eight)), arguments, "a unit that is none")
    case("type-text", stream(scalar(dtype("M8[25s]"), eight)), ALLOWED, "a unit in the name")
    case("type-divided", stream(scalar(dtype("M8[s/0]"), eight)), arguments, "NumPy divides by it: the process ends")
    case("type-long", stream(scalar(dtype("U2000000000"), eight)), arguments, "NumPy 1 multiplies it by four in an int")
    case("type-fields", stream(dtype("f4,f4")), arguments, "a grammar that no writer uses")
    case("type-float", stream(scalar(dtype("f8"), eight)), ALLOWED, "a number")


# -- what a pack's class is given

def made(module, attribute, state):
    return stream(new(module, attribute), state, b"b")


TORCH, ORDERED = "torch.nn.modules.activation", name("collections", "OrderedDict")
PARTS = {"_parameters": DICT, "_buffers": DICT, "_modules": call("collections", "OrderedDict")}
REACH = call("builtins", "range", integer(10**12))
BOMB = (text("x") + b"\x85" + MEMO + b"".join(POP + b"h" + bytes([i]) + b"h" + bytes([i]) + b"\x86" + MEMO for i in range(40))
        + POP)
FUNCTION, ARGUMENTS = f"{ALLOWED} pickle-build-function", f"{ALLOWED} pickle-arguments"


def states():
    def state(what, content, codes, why, **more):
        case("state-" + what, content, codes, why, policy=PACKS, **more)

    pair = tup(text("forward"), ORDERED)
    state("dict", made(TORCH, "Softmax", mapping(**PARTS)), ALLOWED, "as it is saved")
    state("pairs", made(TORCH, "ReLU", listing(pair)), FUNCTION, "dict.update() takes pairs: a method is replaced")
    state("pairs-tuple", made(TORCH, "ReLU", tup(pair, pair, pair)), FUNCTION, "in a tuple")
    state("pairs-two", made(TORCH, "ReLU", tup(pair, tup(text("a"), NONE))), FUNCTION, "in a tuple of two, as if there were slots")
    state("none", made("sklearn.pipeline", "Pipeline", tup(DICT, NONE)), ALLOWED, "no slots")
    state("range", made(TORCH, "Softmax", mapping(_parameters=REACH)), ARGUMENTS, "hasattr() looks a name up in it: minutes")
    state("modules", made(TORCH, "Softmax", mapping(_modules=listing(NONE))), ARGUMENTS, "a list is gone through")
    state("version", made("sklearn.linear_model._base", "LinearRegression", mapping(_sklearn_version=text("1.2.1"))), ALLOWED,
          "of another release: a warning")
    state("version-bomb", stream(BOMB, new("sklearn.linear_model._base", "LinearRegression"),
                                 mapping(_sklearn_version=b"h\x28"), b"b"), f"{ARGUMENTS} pickle-expansion", "the warning writes all of it")
    state("heads", made("ultralytics.nn.modules.block", "AAttn", mapping(**PARTS, head_dim=integer(64), num_heads=integer(4))),
          ALLOWED, "their product")
    state("heads-list", made("ultralytics.nn.modules.block", "AAttn",
                             mapping(**PARTS, head_dim=listing(NONE), num_heads=integer(10**9))), ARGUMENTS, "8 GB of references")
    meta = new("omegaconf.base", "ContainerMetadata") + mapping(ref_type=name("typing", "Any"), key_type=NONE) + b"b"
    state("metadata", made("omegaconf.dictconfig", "DictConfig", mapping(_metadata=meta)), ALLOWED, "as OmegaConf writes it")
    state("metadata-other", made("omegaconf.dictconfig", "DictConfig", mapping(_metadata=new("omegaconf.dictconfig", "DictConfig"))),
          ARGUMENTS, "attributes are set on it: a dictionary that resolves what is in it")


# -- keys

SLOTS = 1 << 17  # of the table that CPython makes for 43,691 to 87,381 keys


def arc(length, start=12345):
    """Integers that lie in a table along the way of a lookup whose hash is used up."""
    at = start
    for _ in range(length):
        yield at
        at = (5 * at + 1) % SLOTS


def entering(taken):
    """An integer whose lookup meets only taken slots, and enters their arc near its beginning."""
    places = {slot: n for n, slot in enumerate(taken)}
    candidate = 1
    while True:
        candidate = candidate * 48271 % ((1 << 31) - 1)
        at, perturb = candidate % SLOTS, candidate
        while at in places and perturb:
            perturb >>= 5
            at = (5 * at + perturb + 1) % SLOTS
        if places.get(at, SLOTS) < 200 and candidate not in places:
            return candidate



def keyed(keys):
    return b"(" + b"".join(integer(k) + NONE for k in keys) + b"u"


def keys():
    taken = list(arc(60000))
    key = entering(taken)
    case("keys-arc", stream(DICT, keyed(taken), keyed([key] * 30000)), f"{DATA} pickle-load-time",
         "each lookup of one key meets all others")
    case("keys-arc-alone", stream(DICT, keyed(taken), keyed([key])), DATA, "once")
    case("keys-twice", stream(DICT, keyed(range(1000, 20000)), keyed(range(1000, 20000))), DATA, "keys that were there")
    ratio, sets = name("fractions", "Fraction") + b"q\0" + POP, name("builtins", "frozenset") + b"q\0" + POP
    thirds = b"".join(b"h\0" + integer(n) + b"K\x07\x86R" + NONE for n in range(1 << 30, (1 << 30) + 18000))
    case("keys-fractions", stream(ratio, DICT, b"(", thirds, b"u"), ALLOWED, "as many fractions as there may be, in bulk")
    pairs = b"".join(b"h\0" + listing(integer(n), integer(n + 1)) + b"\x85R" + NONE for n in range(18000))
    case("keys-frozensets", stream(sets, DICT, b"(", pairs, b"u"), ALLOWED, "as protocol 2 writes them")
    floats = listing(*[scalar(dtype("f8"), struct.pack("<d", n / 2)) for n in range(200)])
    case("keys-scalars", stream(floats), ALLOWED, "numbers of NumPy's")
    node = new("omegaconf.nodes", "AnyNode") + mapping(_val=b"h\x28") + b"b"
    case("keys-node", stream(BOMB, DICT, node, NONE, b"s"), f"{ALLOWED} pickle-expansion",
         "OmegaConf's nodes hash what they hold", policy=PACKS)
    case("keys-node-text", stream(DICT, new("omegaconf.nodes", "AnyNode") + mapping(_val=text("a")) + b"b", NONE, b"s"), ALLOWED,
         "a text", policy=PACKS)


CORPUS.make(streams, types, states, keys)
