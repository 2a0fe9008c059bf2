#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small pickles that each raise one finding, and near misses that
must not.  Always the same bytes; tests/corpus checks that what is checked in is what this program makes.

`codes` are exactly the codes of the verdict.  The opcodes are written by hand, so that files say what no pickler writes;
nothing here is ever loaded, and no payload would do more than print.  `policy`, where present, is a policy file the case
is judged by instead of `default`.
"""
import base64
import os
import pickle
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

DATA, ALLOWED, UNKNOWN = "pickle-data-only", "pickle-global-allowed", "pickle-global-unknown"
ACCEPTED = {DATA, "format-side-file", ALLOWED, "pickle-stack-leftover", "pickle-opcode-protocol", "pickle-string-encoding",
            "pickle-float-nonfinite", "weights-inf-mask"}
REVIEWED = {UNKNOWN, "pickle-arguments", "pickle-getattr", "pickle-ext-opcode", "pickle-persid", "pickle-nested",
            "pickle-protocol-changed", "pickle-memo-index", "pickle-int-digits",
            "pickle-number-text", "pickle-trailing-bytes", "pickle-expansion", "pickle-limit-depth",
            "pickle-limit-opcodes", "pickle-limit-memory", "weights-nan", "weights-inf"}
CORPUS = Cases(".pkl", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- opcodes

P2, P3, P4, P5 = (b"\x80" + bytes([n]) for n in (2, 3, 4, 5))
NONE, TRUE, FALSE, STOP, MARK, POP, DUP = b"N", b"\x88", b"\x89", b".", b"(", b"0", b"2"
REDUCE, BUILD, NEWOBJ, NEWOBJ_EX, OBJ = b"R", b"b", b"\x81", b"\x92", b"o"
DICT, LIST, SET, TUPLE = b"}", b"]", b"\x8f", b")"
STACK_GLOBAL, SETITEM, SETITEMS, APPEND, APPENDS, ADDITEMS = b"\x93", b"s", b"u", b"a", b"e", b"\x90"


def name(module, attribute):
    return b"c" + module.encode() + b"\n" + attribute.encode() + b"\n"


def text(s):
    s = s.encode()
    return b"X" + struct.pack("<I", len(s)) + s


def data(b):
    return b"B" + struct.pack("<I", len(b)) + b


def integer(n):
    return b"K" + bytes([n]) if 0 <= n < 256 else b"J" + struct.pack("<i", n)


def tup(*items):
    return b"".join(items) + b"\x85\x86\x87"[len(items) - 1:len(items)] if 0 < len(items) < 4 else (
        MARK + b"".join(items) + b"t" if items else TUPLE)


def call(module, attribute, *args):
    return name(module, attribute) + tup(*args) + REDUCE


def new(module, attribute, *args):
    return name(module, attribute) + tup(*args) + NEWOBJ


def mapping(*pairs):
    return DICT + MARK + b"".join(text(k) + v for k, v in pairs) + SETITEMS


def get(n):
    return b"h" + bytes([n])


def put(n):
    return b"q" + bytes([n])


def p2(body):
    return P2 + body + STOP


def p4(body):
    return P4 + body + STOP


PRINT = (text("boo"),)
BAD = "pickle-global-dangerous pickle-call-dangerous"


# -- sections: the first word of a file's name

def names():
    case("name-denied", p2(name("os", "system")), "pickle-global-dangerous", "an import alone runs a module")
    case("name-denied-called", p2(call("os", "system", *PRINT)), BAD, "the classic")
    case("name-denied-submodule", p2(call("importlib.util", "spec_from_loader", *PRINT)), BAD, "below a denied module")
    case("name-denied-python2", p2(call("__builtin__", "eval", *PRINT)), BAD, "Python 2's name of builtins")
    case("name-denied-moved", p2(call("commands", "getoutput", *PRINT)), BAD, "Python 2's name of subprocess.getoutput")
    case("name-denied-attribute", p4(call("torch", "serialization.os.system", *PRINT)), BAD, "os, reached through torch")
    case("name-denied-middle", p2(call("numpy.f2py.os", "system", *PRINT)), BAD, "a denied word in the middle of a path")
    case("name-ordinary-word", p2(name("scipy.signal._ltisys", "StateSpace")), UNKNOWN,
         "signal is denied at the root only: many packages have a submodule of that name")
    case("name-ordinary-word-as-attribute", p2(name("mypackage", "signal.raise_signal")), "pickle-global-dangerous",
         "as an attribute it is the module")
    case("name-dotted-on-known", p4(name("collections", "OrderedDict.fromkeys")), "pickle-global-dangerous",
         "attributes of known modules reach whatever they imported")
    case("name-dotted-on-unknown", p4(name("tensorflow", "io.read_file")), UNKNOWN, "nothing is known of it either way")
    case("name-dunder", p2(name("numpy", "__builtins__")), "pickle-global-dangerous", "Python's own workings")
    case("name-dunder-main", p2(name("__main__", "Net")), "pickle-global-unknown", "a class of the script that saved it")
    case("name-dunder-main-module", p4(name("__main__", "os.system")), "pickle-global-dangerous", "what the loading script imported")
    case("name-dunder-main-package", p2(name("mypackage.__main__", "Net")), "pickle-global-dangerous", "a program, which an import runs")
    case("name-half-dunder", p2(name("numpy.random._pickle", "__randomstate_ctor")), UNKNOWN,
         "two underscores in front are a private name")
    case("name-sharded", p2(name("torch.distributed.tensor", "DTensor")), UNKNOWN, "tensors in parts: PyTorch's own list has their class")
    case("name-sharded-function", p2(name("torch.distributed.tensor", "distribute_tensor")), "pickle-global-dangerous",
         "a function beside it")
    case("name-unknown", p2(name("mymodel", "Net")), UNKNOWN, "somebody's class")
    case("name-unknown-called", p2(call("mymodel", "Net")), UNKNOWN, "one finding a name, at the import")
    case("name-full-width", p4(text("\uff4f\uff53") + text("system") + STACK_GLOBAL), UNKNOWN, "not os to any importer")
    case("name-with-space", p2(name("os system", "x")), UNKNOWN, "no such module; splits badly in other tools")
    case("name-allowed", p2(name("collections", "OrderedDict")), ALLOWED, "a data type")
    case("name-singletons", p2(name("builtins", "Ellipsis") + name("builtins", "NotImplemented")),
         f"{ALLOWED} pickle-stack-leftover", "constants that are saved by name")
    case("name-map", p2(name("numpy", "memmap")), UNKNOWN, "joblib names the class of arrays that were mapped")
    case("name-map-called", p2(call("numpy", "memmap", text("/nowhere"))), f"{UNKNOWN} pickle-call-dangerous",
         "the call opens the file")
    case("name-map-attribute", p4(text("numpy") + text("memmap.tofile") + STACK_GLOBAL), "pickle-global-dangerous",
         "not the class, but what lies behind it")
    case("name-map-called-instance", p2(new("numpy", "memmap", text("/nowhere"))), f"{UNKNOWN} pickle-call-dangerous",
         "the same by NEWOBJ")
    case("name-empty", b"c\n\n.", "pickle-global-name pickle-malformed", "nothing to import")
    case("name-empty-component", p2(name("mymodel..x", "Net")), "pickle-global-name", "an empty component")
    case("name-of-a-list", p4(text("os") + LIST + STACK_GLOBAL), "pickle-global-dynamic pickle-operand",
         "no loader takes a list for a name")
    case("name-computed", p4(call("builtins", "str", text("os")) + text("system") + STACK_GLOBAL),
         f"{ALLOWED} pickle-global-dynamic", "the module's name is what a call returned")
    case("name-from-memo", p4(text("collections") + put(0) + text("Counter") + put(1) + get(0) + get(1) + STACK_GLOBAL),
         f"{ALLOWED} pickle-stack-leftover", "constants that come from the memo")


def callees():
    case("callee-result", p4(call("mymodel", "make") + tup(*PRINT) + REDUCE), f"{UNKNOWN} pickle-callee-dynamic",
         "what a call returned is called")
    case("callee-constant", p2(text("print") + tup(*PRINT) + REDUCE), "pickle-callee-dynamic pickle-operand",
         "text is called")
    case("callee-list", p2(LIST + TUPLE + REDUCE), "pickle-callee-dynamic pickle-operand", "a list is called")
    case("callee-newobj", p4(call("mymodel", "make") + TUPLE + NEWOBJ), f"{UNKNOWN} pickle-callee-dynamic",
         "an instance of what a call returned")
    case("callee-name", p2(call("collections", "OrderedDict")), ALLOWED, "an imported class is called")
    case("callee-inst", b"(S'boo'\nios\nsystem\n.", BAD, "INST imports and calls at once")
    case("callee-obj", p2(MARK + name("os", "system") + PRINT[0] + OBJ), BAD, "OBJ")
    case("callee-popped", p2(call("os", "system", *PRINT) + POP + NONE), BAD, "thrown away, but called")


def args():
    odd = f"{ALLOWED} pickle-arguments"
    case("args-none", p2(call("collections", "OrderedDict")), ALLOWED, "as it is saved")
    case("args-list-of-object", p4(call("builtins", "list", call("builtins", "range", integer(9)))), odd,
         "list() of what a call returned may be endless")
    case("args-list-of-list", p2(call("builtins", "list", LIST)), ALLOWED, "list() of a list")
    case("args-set-of-list", p2(call("builtins", "set", LIST + integer(1) + APPEND)), ALLOWED, "as protocol 2 saves sets")
    case("args-range", p2(call("builtins", "range", integer(0), integer(9), integer(1))), ALLOWED, "as it is saved")
    case("args-range-of-text", p2(call("builtins", "range", text("9"))), odd, "a range of text")
    case("args-bytearray-of-int", p2(call("builtins", "bytearray", integer(9))), odd, "a number of bytes to allocate")
    case("args-bytearray-of-bytes", P3 + call("builtins", "bytearray", data(b"9")) + STOP, ALLOWED, "as it is saved")
    case("args-bytes-encoded", p2(call("builtins", "bytearray", call("_codecs", "encode", text("9"), text("latin1")))),
         ALLOWED, "as protocol 2 saves it")
    case("args-encode-zlib", p2(call("_codecs", "encode", text("x"), text("zlib_codec"))), odd, "a codec that is no text")
    case("args-encode-latin1", p2(call("_codecs", "encode", text("x"), text("latin1"))), ALLOWED, "bytes of protocol 2")
    case("args-encode-object", p2(call("_codecs", "encode", text("x"), call("builtins", "str", text("latin1")))), odd,
         "a codec that was computed")
    case("args-bytes-idna", p2(call("builtins", "bytes", text("x"), text("idna"))), odd, "a codec that takes forever")
    case("args-text", p4(call("builtins", "str", data(b"x"), text("ascii"))), ALLOWED, "text of bytes")
    case("args-text-idna", p4(call("builtins", "str", data(b"x"), text("idna"))), odd, "the same, of a slow codec")
    case("args-text-of-list", p2(call("builtins", "str", LIST)), odd, "what is in a list may be in it often")
    case("args-int-digits", p2(call("builtins", "int", text("9" * 4301))), odd, "digits that cost their square")
    case("args-int", p2(call("builtins", "int", text("9" * 99))), ALLOWED, "a number in digits")
    case("args-fraction", p2(call("fractions", "Fraction", text("3/4"))), ALLOWED, "as it is saved")
    case("args-fraction-power", p2(call("fractions", "Fraction", text("1e999999999"))), odd, "a number of a billion digits")
    case("args-factory-list", p2(call("collections", "defaultdict", name("builtins", "list"))), ALLOWED, "a container")
    case("args-factory-none", p2(call("collections", "defaultdict", NONE)), ALLOWED, "no factory")
    case("args-factory-unknown", p2(call("collections", "defaultdict", name("mymodel", "f"))), f"{odd} {UNKNOWN}",
         "a factory is called for every missing key")
    case("args-factory-encode", p2(call("collections", "defaultdict", name("_codecs", "encode"))), f"{odd} pickle-function-value",
         "a function is no factory")
    case("args-deque", p2(call("collections", "deque", LIST, integer(9))), ALLOWED, "as it is saved")
    case("args-complex", p2(call("builtins", "complex", b"G" + bytes(8), b"G" + bytes(8))), ALLOWED, "as it is saved")
    case("args-slice", p2(call("builtins", "slice", integer(1), NONE, NONE)), ALLOWED, "as it is saved")
    case("args-datetime", p4(call("datetime", "datetime", data(bytes(10)), call("datetime", "timezone",
         call("datetime", "timedelta", integer(0), integer(0), integer(0))))), ALLOWED, "with a time zone")
    case("args-datetime-zone", p4(call("datetime", "datetime", data(bytes(10)), call("mymodel", "Zone"))),
         f"{odd} {UNKNOWN}", "a time zone of one's own is asked for its offset")
    case("args-decimal", p2(call("decimal", "Decimal", text("1.5"))), ALLOWED, "as it is saved")
    case("args-decimal-int", p2(call("decimal", "Decimal", integer(1))), odd, "never saved so")
    case("args-path", p2(call("pathlib", "PosixPath", text("a"), text("b"))), ALLOWED, "as it is saved")
    case("args-path-int", p2(call("pathlib", "PosixPath", integer(1))), odd, "a path of a number")
    uid = new("uuid", "UUID")
    case("args-uuid", p2(uid + mapping(("int", integer(1))) + BUILD), ALLOWED, "as it is saved")
    case("args-uuid-text", p2(uid + mapping(("int", text("1"))) + BUILD), odd, "a number that is none")
    case("args-uuid-called", p2(call("uuid", "UUID", text("1"))), odd, "never saved as a call")
    case("args-namespace", p2(new("argparse", "Namespace") + mapping(("lr", integer(1))) + BUILD), ALLOWED, "as saved")
    case("args-reconstructor", p2(call("copyreg", "_reconstructor", name("argparse", "Namespace"),
         name("builtins", "object"), NONE) + mapping(("lr", integer(1))) + BUILD), ALLOWED, "an instance of protocol 1")
    case("args-reconstructor-unknown", p2(call("copy_reg", "_reconstructor", name("mymodel", "Net"),
         name("__builtin__", "object"), NONE)), f"{ALLOWED} {UNKNOWN}", "somebody's class")
    case("args-reconstructor-function", p2(call("copyreg", "_reconstructor", name("_codecs", "encode"),
         name("builtins", "object"), NONE)), f"{odd} pickle-function-value", "an instance of a function")
    case("args-reconstructor-base", p2(call("copyreg", "_reconstructor", name("argparse", "Namespace"),
         name("mymodel", "Base"), NONE)), f"{odd} {UNKNOWN}", "the base's __new__ is called")
    case("args-newobj-function", p2(new("_codecs", "encode", text("x"), text("latin1"))), odd, "an instance of a function")
    case("args-kwargs", p4(name("argparse", "Namespace") + TUPLE + mapping(("lr", integer(1))) + NEWOBJ_EX), odd,
         "keywords are not saved for this class")
    case("args-storage", p2(call("torch", "FloatStorage", integer(9))), ALLOWED, "storage of nine elements")
    case("args-storage-huge", p2(call("torch", "FloatStorage", b"\x8a\x05" + b"\xff" * 4 + b"\1")), odd, "of 8 billion")
    case("args-storage-large", p2(call("torch", "DoubleStorage", integer(0x7fffffff))), odd, "16 GiB for five bytes")
    case("args-tensor-size", p2(call("torch", "Tensor", integer(0x7fffffff))), odd, "a number of elements to allocate")
    case("args-tensor-of", p2(call("torch", "Tensor", LIST)), odd, "elements that stand in no storage")
    case("args-tensor-none", p2(call("torch", "Tensor")), ALLOWED, "no elements")
    case("args-rebuild", p2(call("torch._utils", "_rebuild_tensor", NONE, integer(0), TUPLE, TUPLE)), odd,
         "tensors belong into PyTorch's own files")
    case("args-tensor-state", p2(new("torch", "Tensor") + tup(NONE, integer(0), TUPLE, TUPLE) + BUILD), odd,
         "the same, by BUILD")
    case("args-wrapper", p2(new("joblib.numpy_pickle", "NumpyArrayWrapper")), ALLOWED, "as joblib saves it, without state")
    case("args-wrapper-of", p2(new("joblib.numpy_pickle", "NumpyArrayWrapper", text("x"))), odd, "never saved so")


def getattrs():
    case("getattr-enum", p2(call("builtins", "getattr", name("mymodel", "Color"), text("RED"))),
         f"{ALLOWED} {UNKNOWN} pickle-getattr", "an Enum's member as Python 3.11 saves it")
    case("getattr-instance", p2(call("builtins", "getattr", call("collections", "OrderedDict"), text("items"))),
         f"{ALLOWED} pickle-getattr", "a bound method")
    case("getattr-dunder", p2(call("builtins", "getattr", name("mymodel", "Color"), text("__init__"))),
         f"{ALLOWED} {UNKNOWN} pickle-global-dangerous", "Python's own workings")
    case("getattr-private", p2(call("builtins", "getattr", name("mymodel", "Color"), text("_x"))),
         f"{ALLOWED} {UNKNOWN} pickle-getattr", "a class's private method: states of torch's OneCycleLR hold one")
    case("getattr-private-instance", p2(call("builtins", "getattr", call("collections", "OrderedDict"), text("_x"))),
         f"{ALLOWED} pickle-getattr", "the same of an instance")
    case("getattr-private-module", p2(call("builtins", "getattr", name("torch", "serialization"), text("_x"))),
         f"{ALLOWED} {UNKNOWN} pickle-global-dangerous", "a module's private names are its imports")
    case("getattr-private-mangled", p2(call("builtins", "getattr", name("mymodel", "Color"), text("__x"))),
         f"{ALLOWED} {UNKNOWN} pickle-global-dangerous", "two underscores are Python's own")
    case("getattr-module", p2(call("builtins", "getattr", name("torch", "serialization"), text("os"))),
         f"{ALLOWED} {UNKNOWN} pickle-global-dangerous", "an import by another name")
    case("getattr-computed", p2(call("builtins", "getattr", name("mymodel", "Color"), call("builtins", "str", text("x")))),
         f"{ALLOWED} {UNKNOWN} pickle-global-dynamic", "an attribute whose name was computed")
    case("getattr-chain", p2(call("builtins", "getattr", call("builtins", "getattr", name("mymodel", "a"), text("b")),
         text("c"))), f"{ALLOWED} {UNKNOWN} pickle-getattr pickle-callee-dynamic", "an attribute of an attribute")
    case("getattr-called", p2(call("builtins", "getattr", name("mymodel", "a"), text("b")) + TUPLE + REDUCE),
         f"{ALLOWED} {UNKNOWN} pickle-getattr pickle-callee-dynamic", "the attribute is called")


def builds():
    state = mapping(("lr", integer(1)))
    dunder = mapping(("__class__", integer(1)))
    space = new("argparse", "Namespace")
    case("build-state", p2(space + state + BUILD), ALLOWED, "attributes of an instance")
    case("build-dunder", p2(space + dunder + BUILD), f"{ALLOWED} pickle-build-dunder", "another class for an instance")
    case("build-dunder-slots", p2(space + tup(NONE, dunder) + BUILD), f"{ALLOWED} pickle-build-dunder", "among slots")
    case("build-dunder-deep", p2(space + mapping(("meta", dunder)) + BUILD), ALLOWED, "data, one level down")
    case("build-dunder-late", p2(space + DICT + MARK + b"".join(text(f"k{i}") + NONE for i in range(80)) +
         text("__class__") + NONE + SETITEMS + BUILD), f"{ALLOWED} pickle-build-dunder", "behind more keys than are kept")
    made = call("builtins", "dict", LIST + tup(text("__class__"), NONE) + APPEND)
    case("build-state-made", p2(space + made + BUILD), f"{ALLOWED} pickle-arguments", "keys that a call put there")
    case("build-slots-made", p2(space + tup(NONE, made) + BUILD), f"{ALLOWED} pickle-arguments", "the same, for slots")
    key = call("builtins", "str", text("__class__"))
    case("build-key-made", p2(space + DICT + key + NONE + SETITEM + BUILD), f"{ALLOWED} pickle-arguments",
         "a key that a call returned")
    case("build-key-made-late", p2(space + DICT + MARK + b"".join(text(f"k{i}") + NONE for i in range(80)) + key + NONE +
         SETITEMS + BUILD), f"{ALLOWED} pickle-arguments", "behind more keys than are kept")
    case("build-value-made", p2(space + mapping(("k", key)) + BUILD), ALLOWED, "a value that a call returned")
    case("build-on-class", p2(name("collections", "OrderedDict") + state + BUILD),
         f"{ALLOWED} pickle-build-on-global", "attributes of the class itself")
    case("build-on-unknown-class", p2(name("mymodel", "Net") + state + BUILD), f"{UNKNOWN} pickle-build-on-global",
         "the same of somebody's class")
    case("build-on-attribute", p2(call("builtins", "getattr", name("mymodel", "a"), text("b")) + state + BUILD),
         f"{ALLOWED} {UNKNOWN} pickle-getattr pickle-build-on-global", "of whatever getattr() returned")
    case("build-on-range", p2(call("builtins", "range", integer(1)) + state + BUILD), f"{ALLOWED} pickle-arguments",
         "a range has no state")


def methods():
    case("method-on-dict", p2(DICT + text("a") + NONE + SETITEM), DATA, "what SETITEM is for")
    case("method-on-ordered-dict", p2(call("collections", "OrderedDict") + text("a") + NONE + SETITEM), ALLOWED, "as saved")
    case("method-on-counter", p2(call("collections", "Counter") + text("a") + integer(1) + SETITEM), ALLOWED, "a dict too")
    case("method-on-deque", p2(call("collections", "deque") + NONE + APPEND), ALLOWED, "append is what it is for")
    case("method-on-class", p2(name("mymodel", "registry") + text("a") + NONE + SETITEM),
         f"{UNKNOWN} pickle-method-on-object", "__setitem__ of something imported")
    case("method-add", p4(name("mymodel", "registry") + MARK + text("a") + ADDITEMS),
         f"{UNKNOWN} pickle-method-on-object", "add() of something imported")
    case("method-on-range", p2(call("builtins", "range", integer(1)) + NONE + APPEND),
         f"{ALLOWED} pickle-method-on-object", "no container")
    case("method-on-unknown", p2(call("mymodel", "Bag") + NONE + APPEND), UNKNOWN, "somebody's class may be a list")
    case("method-on-tensor", p2(new("torch", "Tensor") + integer(0) + NONE + SETITEM),
         f"{ALLOWED} pickle-method-on-object", "CVE-2026-24747")


def outside():
    case("outside-ext1", p2(b"\x82\x05"), "pickle-ext-opcode", "EXT1")
    case("outside-ext2", p2(b"\x83\x01\x01"), "pickle-ext-opcode", "EXT2")
    case("outside-ext4", p2(b"\x84\x01\x00\x00\x01"), "pickle-ext-opcode", "EXT4")
    case("outside-ext-zero", p2(b"\x82\x00"), "pickle-ext-opcode pickle-malformed", "no extension has number 0")
    case("outside-persid", b"Pabc\n.", "pickle-persid", "PERSID")
    case("outside-binpersid", p2(text("abc") + b"Q"), "pickle-persid", "BINPERSID")
    case("outside-buffer", P5 + b"\x97.", "pickle-oob-buffer", "no buffer comes with a file")
    case("outside-read-only", P5 + data(b"abc") + b"\x98.", "pickle-oob-buffer", "nor a read-only one")
    case("outside-nothing", P3 + data(b"abc") + STOP, DATA, "bytes inside")


def nested():
    inner = p4(call("mymodel", "load", text("boo")))
    plain = pickle.dumps({"lr": 0.1, "layers": [64, 64]}, 2)
    case("nested-bytes", P4 + data(inner) + STOP, f"pickle-nested {DATA}", "a pickle in bytes")
    case("nested-base64", p4(text(base64.b64encode(inner).decode())), f"pickle-nested {DATA}", "in base64")
    case("nested-base64-lines", p4(text(base64.encodebytes(inner).decode())), f"pickle-nested {DATA}", "wrapped")
    case("nested-hex", p4(text(inner.hex())), f"pickle-nested {DATA}", "in hexadecimal")
    case("nested-protocol-0", p4(text("cmymodel\nload\n(S'boo'\ntR.")), f"pickle-nested {DATA}", "as text")
    case("nested-data", P4 + data(plain) + STOP, DATA, "a pickle of plain data does nothing wherever it is loaded")
    case("nested-prose", p4(text("continue\nchapter\none of the story\n")), DATA, "prose that begins like an import")
    case("nested-latin1", p2(text(inner.decode("latin1"))), f"pickle-nested {DATA}", "bytes as text, as protocol 2 writes them")
    case("nested-latin1-words", p2(text("\x80 \xe9\xe8\xe0 words of some language")), DATA, "text that begins with the same character")
    case("nested-inner", P4 + data(p4(b"}" + text("k") + data(inner) + b"s")) + STOP, f"pickle-nested {DATA}",
         "in a pickle of plain data, in bytes")
    case("nested-base64-twice", p4(text(base64.b64encode(base64.b64encode(inner)).decode())), f"pickle-nested {DATA}",
         "in base64 of base64")
    case("nested-inner-data", P4 + data(p4(data(plain))) + STOP, DATA, "plain data in plain data")
    deep = plain
    for _ in range(5):
        deep = P4 + data(deep) + STOP
    case("nested-deep", deep, f"pickle-nested {DATA}", "more layers than anybody writes")
    long = p4(b"]" + b"(" + b"".join(integer(i % 256) for i in range(600)) + b"e")
    case("nested-long", P4 + data(long) + STOP, f"pickle-nested {DATA}", "one that goes on behind what is kept of it")
    case("nested-late", P4 + data(P2 + text("x" * 3000) + POP + inner[2:]) + STOP, f"pickle-nested {DATA}", "text in front of the call")
    case("nested-late-words", P4 + data(P2 + b"X" + bytes(2) + b"xx" + b"x" * 3000) + STOP, DATA, "a length that leads nowhere")
    case("nested-long-words", P4 + data(b"\x80\x04 " + long) + STOP, DATA, "bytes that only begin like one")
    case("nested-loaded", p4(call("pickle", "loads", data(inner))), f"{BAD} pickle-nested", "and unpickled on the spot")


def ends():
    case("end-whole", p2(NONE), DATA, "the smallest pickle with a protocol")
    case("end-nothing", b"", "pickle-truncated", "no byte at all")
    case("end-no-stop", P2 + NONE, "pickle-truncated", "STOP is missing")
    case("end-in-argument", P2 + b"J\0", "pickle-truncated", "cut inside an argument")
    case("end-unknown-opcode", P2 + b"\xfe.", "pickle-opcode-unknown", "no opcode")
    case("end-after-call", P2 + call("os", "system", *PRINT) + b"\xff", f"{BAD} pickle-opcode-unknown",
         "broken behind the payload: it has run by then")
    case("end-underflow", P2 + b"\x86.", "pickle-stack-underflow", "a pair of nothing")
    case("end-empty-stack", b".", "pickle-stack-underflow", "no result")
    case("end-mark-missing", P2 + NONE + b"t.", "pickle-mark-missing", "a tuple without its mark")
    case("end-memo-missing", P2 + b"h\7.", "pickle-memo-missing", "fetched, never stored")
    case("end-length", P3 + b"B\xff\xff\xff\xffabc.", "pickle-length", "4 GiB of bytes in three")
    case("end-length-exact", P3 + data(b"abc") + STOP, DATA, "three bytes in three")
    case("end-negative-length", b"T\xfe\xff\xff\xff.", "pickle-malformed", "minus two bytes")
    case("end-bad-utf8", P4 + b"\x8c\3\xff\xfe\xfd.", "pickle-malformed", "not UTF-8")
    case("end-bad-quote", b"S'abc\n.", "pickle-malformed", "a quote that is not closed")
    case("end-operand", P2 + DICT + NONE + APPEND + STOP, "pickle-operand", "append() of a dictionary")
    case("end-unhashable", P2 + DICT + LIST + NONE + SETITEM + STOP, "pickle-operand", "a list as a key")
    case("end-leftover", P2 + NONE + NONE + STOP, f"{DATA} pickle-stack-leftover", "one result too many")
    case("end-text.pkl", b"hello world, this is not a pickle\n", "pickle-memo-missing", "text that calls itself a pickle")
    case("end-json.pkl", b'{"a": 1}\n', "pickle-opcode-unknown", "JSON that calls itself a pickle")


def trailing():
    whole = p2(DICT)
    case("trailing-nothing", whole, DATA, "ends at STOP")
    case("trailing-zeros", whole + bytes(64), f"{DATA} pickle-trailing-bytes", "padding")
    case("trailing-text", whole + b"#!/bin/sh\n", f"{DATA} pickle-trailing-bytes", "a script")
    case("trailing-zeros-then-text", whole + bytes(64) + b"x", f"{DATA} pickle-trailing-bytes", "not only padding")
    case("trailing-pickle", whole + whole, DATA, "a second pickle is one more to judge")
    case("trailing-bad-pickle", whole + p2(call("os", "system", *PRINT)), BAD, "and judged")
    case("trailing-broken-pickle", whole + P2 + b"\xff", f"{DATA} pickle-opcode-unknown pickle-trailing-bytes",
         "one that announces itself and breaks")
    case("trailing-many", (NONE + STOP) * 2000 + p2(call("os", "system", *PRINT)), BAD, "behind two thousand others")


def guesses():
    """Files without a signature, whose names say nothing."""
    case("guess-call.dat", b"cos\nsystem\n(S'boo'\ntR.", BAD, "calls what it imports")
    huge = b"9" * 23 + b"\n"
    case("guess-memo-huge.dat", b"cos\nsystem\np" + huge + b"0g" + huge + b"(S'boo'\ntR junk\n",
         "pickle-global-dangerous pickle-callee-dynamic pickle-opcode-unknown", "through a key of 23 digits")
    case("guess-call-and-junk.dat", b"cos\nsystem\n(S'boo'\ntR\xff\xff", f"{BAD} pickle-opcode-unknown", "and breaks")
    case("guess-import-and-junk.dat", b"cmymodel\nNet\n.\xff\xff", f"{UNKNOWN} pickle-trailing-bytes", "imports and stops")
    case("guess-prose.dat", b"continue\nchapter\none of the story\n", "format-side-file", "prose that begins like an import")
    case("guess-words.dat", b"cos\nsin\ntan\n", "format-side-file", "words that begin like an import")
    case("guess-whole.dat", b"(lp0\nI1\na.", DATA, "one pickle of plain data")


def protocols():
    case("protocol-5", P5 + NONE + STOP, DATA, "the last one")
    case("protocol-6", b"\x80\6N.", "pickle-malformed pickle-protocol", "one more than there is")
    case("protocol-none", LIST + integer(1) + APPEND + STOP, DATA, "PROTO is optional")
    case("protocol-lowered", P4 + NONE + P2 + STOP, f"{DATA} pickle-protocol-changed", "dotted names mean less from here")
    case("protocol-again", P4 + NONE + P4 + STOP, DATA, "announced twice")
    case("protocol-opcode", P2 + b"\x8c\1a" + STOP, f"{DATA} pickle-opcode-protocol", "protocol 4's opcode in protocol 2")


def frames():
    def frame(n):
        return b"\x95" + struct.pack("<Q", n)

    case("frame-exact", P4 + frame(2) + NONE + STOP, DATA, "ends behind STOP")
    case("frame-past-end", P4 + frame(3) + NONE + STOP, f"{DATA} pickle-frame-past-end", "one byte too long")
    case("frame-short", P4 + frame(1) + NONE + STOP, DATA, "STOP outside is legal")
    case("frame-cuts", P4 + frame(2) + b"J\1\0\0\0" + STOP, f"{DATA} pickle-frame-bounds", "ends inside an argument")
    case("frame-nested", P4 + frame(11) + frame(2) + NONE + STOP, f"{DATA} pickle-frame-bounds", "in another one")
    case("frame-beyond-stop", P4 + frame(4) + NONE + STOP + NONE + STOP, f"{DATA} pickle-frame-bounds",
         "reaches into the next pickle")
    case("frame-zero", P4 + frame(0) + NONE + STOP, DATA, "empty")


def memos():
    case("memo-index", P2 + NONE + b"r" + struct.pack("<I", 1 << 20) + STOP, f"{DATA} pickle-memo-index",
         "a table of a million entries for one object")
    huge = b"9" * 23 + b"\n"
    case("memo-huge-call", b"cos\nsystem\np" + huge + b"0g" + huge + b"(S'boo'\ntR.",
         "pickle-global-dangerous pickle-callee-dynamic pickle-malformed", "a key that only Python's own reader takes")
    case("memo-huge", b"Np" + huge + b".", "pickle-malformed", "such a key for data")
    case("memo-index-dense", P2 + NONE + b"r" + struct.pack("<I", 9) + STOP, DATA, "a few unused numbers")


def numbers():
    case("number-digits", b"I" + b"9" * 4301 + b"\n.", f"{DATA} pickle-int-digits", "one digit more than Python reads")
    case("number-digits-last", b"I" + b"9" * 4300 + b"\n.", DATA, "as many as Python reads")
    case("number-underscore", b"I1_0\n.", f"{DATA} pickle-number-text", "ten, or not a number")
    case("number-plain", b"I10\n.", DATA, "ten")
    case("number-nan", b"Fnan\n.", f"{DATA} pickle-float-nonfinite", "not a number")
    case("number-inf", p2(b"G\x7f\xf0" + bytes(6)), f"{DATA} pickle-float-nonfinite", "infinite")
    case("number-float", b"F1.5\n.", DATA, "finite")
    case("number-float-large", b"F1e308\n.", DATA, "the largest power of ten")
    case("number-float-larger", b"F1e309\n.", f"{DATA} pickle-float-nonfinite pickle-number-text", "which the reader in C refuses")
    case("number-text-latin1", b"S'\xe9'\n.", f"{DATA} pickle-string-encoding", "Python 2's text in some encoding")
    case("number-text-ascii", b"S'e'\n.", DATA, "ASCII")


def array(values, dtype="<f4", shape=None, n=None):
    """A pickled array as NumPy 1.24 writes it in protocol 4, and the bytes its elements are."""
    code = {"<f4": "<f", ">f4": ">f", "<i4": "<i", "<f8": "<d"}[dtype]
    elements = b"".join(struct.pack(code, v) for v in values)[:n]
    array_type = (call("numpy", "dtype", text(dtype[1:]), FALSE, TRUE) +
                  tup(integer(3), text(dtype[0]), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + BUILD)
    dims = tup(*(integer(d) for d in shape or (len(values),)))
    return (call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tup(integer(0)), data(b"b")) +
            tup(integer(1), dims, array_type, FALSE, data(elements)) + BUILD)


def arrays():
    inf, nan = float("inf"), float("nan")
    case("array-finite", P3 + array([1, 2, 3]) + STOP, ALLOWED, "three weights")
    case("array-nan", P3 + array([1, nan, nan]) + STOP, f"{ALLOWED} weights-nan", "two of three are none",
         nonfinite={"array-0": {"nan": 2}})
    case("array-named", P3 + mapping(("w", array([1, inf]))) + STOP, f"{ALLOWED} weights-inf", "under its key",
         nonfinite={"w": {"pos_inf": 1}})
    case("array-big-endian", P3 + mapping(("w", array([1, -inf], ">f4"))) + STOP, f"{ALLOWED} weights-inf",
         "most significant byte first", nonfinite={"w": {"neg_inf": 1}})
    case("array-swapped-bytes", P3 + mapping(("w", array([1.401298464324817e-45 * 0x807f], ">f4"))) + STOP, ALLOWED,
         "infinite only to who swaps the bytes")
    case("array-int", P3 + array([0x7f800000], "<i4") + STOP, ALLOWED, "infinity's bits in an integer")
    case("array-two", P3 + tup(array([nan]), array([1.5, nan], "<f8")) + STOP, f"{ALLOWED} weights-nan", "two arrays",
         nonfinite={"array-0": {"nan": 1}, "array-1": {"nan": 1}})
    case("array-shape", P3 + array([1, 2, 3, 4], shape=(2, 2)) + STOP, ALLOWED, "two by two")
    case("array-short", P3 + array([1, 2, 3, 4], shape=(2, 3)) + STOP, f"{ALLOWED} pickle-array-size", "two missing")
    case("array-cut", P3 + array([1, 2], n=7) + STOP, f"{ALLOWED} pickle-array-size", "seven bytes of eight")
    case("array-negative", P3 + array([1], shape=(-1,)) + STOP, f"{ALLOWED} pickle-array-size", "a negative dimension")
    buffer = b"\x96" + struct.pack("<Qff", 8, 1, nan)
    case("array-frombuffer", P5 + call("numpy.core.numeric", "_frombuffer", buffer,
         call("numpy", "dtype", text("f4"), FALSE, TRUE), tup(integer(2)), text("C")) + STOP,
         f"{ALLOWED} weights-nan", "protocol 5", nonfinite={"array-0": {"nan": 1}})
    case("array-scalar", P3 + call("numpy.core.multiarray", "scalar", call("numpy", "dtype", text("f4"), FALSE, TRUE),
         data(bytes(4))) + STOP, ALLOWED, "one number")
    case("array-scalar-object", P3 + call("numpy.core.multiarray", "scalar", call("numpy", "dtype", text("O8"), FALSE,
         TRUE), data(p2(NONE))) + STOP, f"{ALLOWED} pickle-arguments", "a number that is an object")
    objects = call("numpy", "dtype", text("O8"), FALSE, TRUE)

    def state(order, *more, flags=0, size=-1):
        return tup(integer(3), text(order), NONE, *(more or (NONE, NONE)), integer(size), integer(size), integer(flags))

    def made(dtype, content):
        return (call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"), tup(integer(0)), data(b"b")) +
                tup(integer(1), tup(integer(1)), dtype, FALSE, content) + BUILD)

    odd = f"{ALLOWED} pickle-arguments"
    state_odd = f"{ALLOWED} pickle-array-state"
    both = f"{odd} pickle-array-state"
    case("array-objects", P3 + made(objects + state("|", flags=63) + BUILD, LIST + NONE + APPEND) + STOP, ALLOWED,
         "objects come as a list")
    case("array-objects-as-bytes", P3 + made(objects + state("|", flags=63) + BUILD, data(bytes(8))) + STOP, odd,
         "bytes would be pointers of the file's choice")
    case("array-objects-denied", P3 + objects + state("|", flags=0) + BUILD + STOP, both, "objects that say they are none")
    fields = (tup(text("a")), DICT + text("a") + tup(objects + state("|", flags=63) + BUILD, integer(0)) + SETITEM)
    void = call("numpy", "dtype", text("V8"), FALSE, TRUE)
    case("array-fields", P3 + made(void + state("|", *fields, flags=27, size=8) + BUILD, LIST + TUPLE + APPEND) + STOP,
         ALLOWED, "objects in a field")
    case("array-fields-as-bytes", P3 + made(void + state("|", *fields, flags=27, size=8) + BUILD, data(bytes(8))) + STOP,
         odd, "bytes would be pointers of the file's choice")
    case("array-fields-denied", P3 + void + state("|", *fields, flags=16, size=8) + BUILD + STOP, both, "not said to be any")
    case("array-fields-later", P3 + void + put(0) + POP + made(get(0), data(bytes(8))) + POP + get(0) +
         state("|", *fields, flags=27, size=8) + BUILD + STOP, both, "fields for bytes that are there already")
    case("array-type-twice", P3 + void + state("|", flags=0, size=8) + BUILD + state("|", flags=0, size=8) + BUILD + STOP,
         both, "a type is given its state once")
    case("array-objects-by-name", P3 + made(call("numpy", "dtype", text("object"), FALSE, TRUE), data(bytes(8))) + STOP,
         odd, "objects by their other name")
    case("array-objects-in-text", P3 + call("numpy.core.multiarray", "scalar", call("numpy", "dtype", text("i4,object"),
         FALSE, TRUE), data(bytes(12))) + STOP, odd, "a record in one text")
    case("array-huge", P3 + call("numpy.core.multiarray", "_reconstruct", name("numpy", "ndarray"),
         tup(integer(0x7fffffff)), data(b"b")) + STOP, odd, "memory for a state that never comes")
    number = call("numpy", "dtype", text("i8"), FALSE, TRUE)
    plain = number + state("<") + BUILD

    def record(offset, field=plain, fields=None):
        return void + state("|", tup(text("a")), fields or DICT + text("a") + tup(field, integer(offset)) + SETITEM,
                            size=8, flags=16) + BUILD

    case("array-record", P3 + made(record(0), data(bytes(8))) + STOP, ALLOWED, "one field of eight bytes")
    titled = DICT + MARK + b"".join(text(k) + tup(plain, integer(0), text("t")) for k in ("a", "t")) + SETITEMS
    case("array-record-titled", P3 + made(record(0, fields=titled), data(bytes(8))) + STOP, ALLOWED, "a field with a title")
    case("array-record-beyond", P3 + made(record(1), data(bytes(8))) + STOP, state_odd, "a field one byte too far")
    case("array-record-before", P3 + made(record(-8), data(bytes(8))) + STOP, both, "a field before its record")
    case("array-record-later", P3 + made(record(0, fields=DICT + put(1) + text("a") + tup(plain, integer(0)) + SETITEM),
         data(bytes(8))) + get(1) + text("a") + tup(objects + state("|", flags=63) + BUILD, integer(0)) + SETITEM + POP +
         STOP, f"{state_odd} pickle-state-changed", "NumPy keeps the dictionary: the field becomes an object")
    case("array-record-inner", P3 + number + put(2) + POP + made(record(0, get(2)), data(bytes(8))) + get(2) +
         state("|", *fields, flags=63) + BUILD + POP + STOP, both, "the field's type becomes a record of objects")
    case("array-record-old", P3 + made(void + tup(integer(1), text("|"), NONE, NONE, integer(8), integer(1)) + BUILD,
         data(bytes(8))) + STOP, both, "a state of a release that nobody has")
    case("array-dtype-object", P3 + call("numpy", "dtype", name("mymodel", "T")) + STOP,
         f"{ALLOWED} {UNKNOWN} pickle-arguments", "a dtype asks what it is given")


def bombs():
    doubling = TUPLE + (DUP + b"\x86") * 40
    case("bomb-key", P2 + DICT + doubling + NONE + SETITEM + STOP, f"{DATA} pickle-expansion", "2^40 values in a key")
    case("bomb-value", P2 + DICT + NONE + doubling + SETITEM + STOP, DATA, "as a value nobody walks through it")
    case("bomb-call", P2 + call("builtins", "set", LIST + doubling + APPEND) + STOP, f"{ALLOWED} pickle-expansion",
         "2^40 values in what a set is filled with")
    case("bomb-call-small", P2 + call("builtins", "set", LIST + TUPLE + (DUP + b"\x86") * 4 + APPEND) + STOP, ALLOWED, "31")
    case("bomb-key-of-object", P2 + call("collections", "OrderedDict") + doubling + NONE + SETITEM + STOP,
         f"{ALLOWED} pickle-expansion", "in the key of an ordered dictionary")
    case("bomb-key-small", P2 + DICT + TUPLE + (DUP + b"\x86") * 4 + NONE + SETITEM + STOP, DATA, "31 values in a key")
    case("bomb-depth", LIST * 1002 + APPEND * 1001 + STOP, f"{DATA} pickle-limit-depth", "deeper than Python recurses")
    case("bomb-depth-last", LIST * 1000 + APPEND * 999 + STOP, DATA, "as deep as Python recurses")


LIMITS = "version: 1\nname: limits\nlimits:\n  {}: {}\n"


def objects(n):
    """So many instances, thrown away as soon as they are made."""
    return name("collections", "OrderedDict") + (DUP + TUPLE + REDUCE + POP) * n + NONE


def limits():
    case("limit-opcodes-last", p2(NONE), DATA, "as many opcodes as the policy allows", policy=LIMITS.format("opcodes", 3))
    case("limit-opcodes-first", p2(NONE + NONE), "pickle-limit-opcodes", "one more", policy=LIMITS.format("opcodes", 3))
    memory = LIMITS.format("memory", "1 MiB")
    case("limit-memory-enough", p2(objects(9)), f"{ALLOWED} pickle-stack-leftover", "memory for a few objects", policy=memory)
    case("limit-memory-spent", p2(objects(2000)), f"{ALLOWED} pickle-limit-memory", "not for so many", policy=memory)


# A linear model of two weights as scikit-learn 1.2 pickles it.
LINEAR = base64.b64decode(
    "gASVqAEAAAAAAACMGnNrbGVhcm4ubGluZWFyX21vZGVsLl9iYXNllIwQTGluZWFyUmVncmVzc2lvbpSTlCmBlH2UKIwNZml0X2ludGVyY2Vw"
    "dJSIjAZjb3B5X1iUiIwGbl9qb2JzlE6MCHBvc2l0aXZllImMDm5fZmVhdHVyZXNfaW5flEsCjAVjb2VmX5SMFW51bXB5LmNvcmUubXVsdGlh"
    "cnJheZSMDF9yZWNvbnN0cnVjdJSTlIwFbnVtcHmUjAduZGFycmF5lJOUSwCFlEMBYpSHlFKUKEsBSwKFlGgOjAVkdHlwZZSTlIwCZjiUiYiH"
    "lFKUKEsDjAE8lE5OTkr/////Sv////9LAHSUYolDEP3//////+8//f//////7z+UdJRijAVyYW5rX5RLAYwJc2luZ3VsYXJflGgNaBBLAIWU"
    "aBKHlFKUKEsBSwKFlGgaiUMQU1vaOlhMGUAAAAAAAAAAAJR0lGKMCmludGVyY2VwdF+UaAuMBnNjYWxhcpSTlGgaQwjw///////vv5SGlFKU"
    "jBBfc2tsZWFybl92ZXJzaW9ulIwFMS4yLjGUdWIu")
PACKS = "version: 1\nname: packs\npickle: {{packs: [{}], allow: [mymodel.Net, mymodel.Color]}}\n"


def packs():
    sklearn = PACKS.format("sklearn")
    case("packs-model", LINEAR, f"{ALLOWED}", "a model of a library the operator trusts", policy=sklearn)
    case("packs-none", LINEAR, f"{ALLOWED} {UNKNOWN}", "the same, and nobody said so")
    case("packs-other", LINEAR, f"{ALLOWED} {UNKNOWN}", "another library is trusted", policy=PACKS.format("torch-nn"))
    case("packs-and-payload", LINEAR[:-1] + POP + call("os", "system", *PRINT) + STOP, f"{ALLOWED} {BAD}",
         "a payload beside the model", policy=sklearn)
    case("packs-denied-below", p4(name("sklearn.externals", "joblib.load")), "pickle-global-dangerous",
         "what is denied stays so below a trusted library", policy=sklearn)
    case("packs-own-name", p2(new("mymodel", "Net") + mapping(("w", integer(1))) + BUILD), ALLOWED, "a class of one's own",
         policy=sklearn)
    case("packs-own-neighbour", p2(name("mymodel", "Other")), UNKNOWN, "another name of the same module", policy=sklearn)
    case("packs-own-attribute", p4(name("mymodel", "Net.load")), UNKNOWN, "an attribute of it", policy=sklearn)
    case("packs-own-dunder", p2(new("mymodel", "Net") + mapping(("__class__", integer(1))) + BUILD),
         f"{ALLOWED} pickle-build-dunder", "what no list lifts", policy=sklearn)
    case("packs-own-build", p2(name("mymodel", "Net") + mapping(("w", integer(1))) + BUILD),
         f"{ALLOWED} pickle-build-on-global", "what no list lifts", policy=sklearn)
    case("packs-own-result", p2(call("mymodel", "Net") + TUPLE + REDUCE), f"{ALLOWED} pickle-callee-dynamic",
         "what no list lifts", policy=sklearn)
    case("packs-own-items", p2(call("mymodel", "Net") + NONE + APPEND), ALLOWED, "a list of one's own", policy=sklearn)
    enum = call("builtins", "getattr", name("mymodel", "Color"), text("RED"))
    case("packs-own-enum", p2(enum), ALLOWED, "a member of an Enum of one's own", policy=sklearn)
    case("packs-own-enum-called", p2(enum + TUPLE + REDUCE), f"{ALLOWED} pickle-callee-dynamic", "a method of it",
         policy=sklearn)
    case("packs-own-enum-os", p2(call("builtins", "getattr", name("mymodel", "Color"), text("os"))),
         f"{ALLOWED} pickle-global-dangerous", "a module it imported", policy=sklearn)
    random = p2(call("numpy.random._pickle", "__randomstate_ctor", text("MT19937")) + mapping(("state", mapping(("pos", integer(3))))) + BUILD)
    case("packs-random-state", random, ALLOWED, "a generator's state", policy=PACKS.format("numpy-random"))
    case("packs-random-state-alone", random, UNKNOWN, "the same, and nobody said so")


CORPUS.make(names, callees, args, getattrs, builds, methods, outside, nested, ends, trailing, guesses, protocols,
            frames, memos, numbers, arrays, bombs, limits, packs)
