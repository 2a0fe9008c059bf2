#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles that break the loader's memory, keep it busy or hold numbers nobody
told of, though all names are harmless: what NumPy believes of shapes, flags and type letters, arrays freed one inside the
other, calls of a few bytes that take long, numbers made by calls.  Beside each the honest file that is one word away.

`codes` are exactly the codes of the verdict; `policy`, where present, is a policy file the case is judged by instead of
`default`.  tests/loaders/test_pickle_loaders.py gives these to the real loaders.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import Build, Call, G, New, Raw, checkpoint, dumps, ops, ordered, tensor  # noqa: E402 pylint: disable=wrong-import-position

ALLOWED, STATE, ARGUMENTS, DEPTH, FLOAT = ("pickle-global-allowed", "pickle-array-state", "pickle-arguments",
                                           "pickle-limit-depth", "pickle-float-nonfinite")
NAN, RECORD, OUTSIDE = "weights-nan", "weights-inf-record", "torch-opcode-outside-weights-only"
CORPUS = Cases(".pkl", {ALLOWED, FLOAT, RECORD, "weights-inf-mask", OUTSIDE},
               {ARGUMENTS, DEPTH, NAN, "pickle-array-types", "npy-unicode-range"}, sections=True)
case = CORPUS.case
PACKS = "version: 1\nname: packs\npickle: {packs: [torch-nn, sklearn, numpy-random]}\n"
M = "numpy.core.multiarray"


def data(content):
    return Raw(b"C" + bytes([len(content)]) + content)


def dtype(text, order="<", flags=0, rest=(None, None, None, -1, -1)):
    return Build(Call(G("numpy", "dtype"), text, False, True), (3, order, *rest, flags))


def objects(flags=63):
    return dtype("O8", "|", flags)


def record(fields, size, flags=16):
    """Of (name, type, offset)."""
    names = tuple(f[0] for f in fields)
    return dtype(f"V{size}", "|", flags, (None, names, {n: (t, at) for n, t, at in fields}, size, 1))


def empty(letter=b"b"):
    return Call(G(M, "_reconstruct"), G("numpy", "ndarray"), (0,), data(letter))


def array(of, shape, content, **more):
    return Build(empty(**more), (1, shape, of, False, content if isinstance(content, list) else data(content)))


def masked(of, shape, content, mask):
    made = Call(G("numpy.ma.core", "_mareconstruct"), G("numpy.ma.core", "MaskedArray"), G("numpy", "ndarray"), (0,), data(b"b"))
    return Build(made, (1, shape, of, False, data(content), data(mask), None))


def put(key):
    return b"r" + struct.pack("<I", key)


def dimensions():
    eight = bytes(8)
    for n in (2, 32, 33, 65):
        honest = n <= 32
        case(f"dimensions-{n}", dumps(array(dtype("f8"), (1,) * n, eight), 3), ALLOWED if honest else f"{ALLOWED} {STATE}",
             "as many as NumPy has" if honest else "NumPy 1 copies them from a list of 32 on its stack, and goes on behind it")
    case("dimensions-masked", dumps(masked(dtype("f8"), (1,) * 33, eight, b"\0"), 3), f"{ALLOWED} {STATE}", "likewise", policy=PACKS)
    case("dimensions-masked-2", dumps(masked(dtype("f8"), (1, 1), eight, b"\0"), 3), ALLOWED, "as NumPy writes it", policy=PACKS)


def flags():
    for of, want, bad in (("O", 63, (3, 7, 27, 31, 59)), ("record", 27, (3, 19, 11, 63)), ("array", 63, (27, 3))):
        def made(n, of=of):
            if of == "O":
                return array(objects(n), (1,), [1])
            element = objects()
            if of == "array":
                element = dtype("V16", "|", n, ((element, (2,)), None, None, 16, 8))
            of_record = record((("a", element, 0),), 8 if of == "record" else 16, n if of == "record" else 27)
            return array(of_record, (1,), [(1,)] if of == "record" else [([1, 2],)])
        case(f"flags-{of}-{want}", dumps(made(want), 3), ALLOWED, "as NumPy writes them")
        for n in bad:
            case(f"flags-{of}-{n}", dumps(made(n), 3), f"{ALLOWED} {STATE}",
                 "NumPy goes by them: memory is not cleared, or pointers are taken for bytes")
    case("flags-aligned", dumps(array(record((("a", objects(), 0),), 8, -101), (1,), [(1,)]), 3), ALLOWED, "an aligned record")


def metadata():
    def typed(more):
        return Build(Call(G("numpy", "dtype"), "f8", False, True), (4, "<", None, None, None, -1, -1, 0, more))
    for kind, more in (("dict", {"a": 1}), ("none", None), ("tuple", (1, 2)), ("text", "a")):
        honest = kind in ("dict", "none")
        case("metadata-" + kind, dumps(array(typed(more), (1,), bytes(8)), 3), ALLOWED if honest else f"{ALLOWED} {STATE}",
             "of a type" if honest else "NumPy keeps it for a dictionary")


def letters():
    eight = bytes(8)
    case("letter-b", dumps(array(dtype("f8"), (1,), eight), 3), ALLOWED, "what NumPy's writer puts there, and its reader forgets")
    case("letter-encoded", dumps(Build(Call(G(M, "_reconstruct"), G("numpy", "ndarray"), (0,), Call(G("_codecs", "encode"), "b",
                                                                                                  "latin1")),
                                       (1, (1,), dtype("f8"), False, Call(G("_codecs", "encode"), "\0" * 8, "latin1")))),
         ALLOWED, "the same at protocol 2")
    for kind, letter in (("divided", b"M8[s/0]"), ("long", b"U2000000000"), ("fields", b"O,f4"), ("object", b"O")):
        case("letter-" + kind, dumps(array(dtype("f8"), (1,), eight, letter=letter), 3), f"{ALLOWED} {ARGUMENTS}",
             "any type that NumPy's grammar has: some divide by zero, and the process ends")


def nested(depth, late=False):
    """Arrays of one object each, which is the next; late: each is held before it is given its own."""
    head = b"".join(ops(v) + put(i) + b"0" for i, v in enumerate((G(M, "_reconstruct"), (G("numpy", "ndarray"), (0,), data(b"b")),
                                                                  objects(), (1,))))
    new, fill = b"h\0h\1R", b"(K\1h\3h\2\x89]"
    if late:    # key 4: the outermost; 5: the one that is to be filled
        body = new + put(4) + put(5) + b"0" + (b"h\5" + fill + new + put(5) + b"atb0") * depth
        body += b"h\5" + fill + b"Natb0"
    else:
        body = b"N" + put(4) + b"0" + (new + fill + b"h\4atb" + put(4) + b"0") * depth
    return b"\x80\4" + head + body + b"h\4."


def depth():
    case("depth-300", nested(300), ALLOWED, "arrays of arrays, as deep as a pickler goes")
    case("depth-30000", nested(30000), f"{ALLOWED} {DEPTH}", "freed each inside the one that holds it: the stack ends")
    case("depth-late", nested(3000, True), f"{ALLOWED} {DEPTH}", "the same, from the outermost on")
    case("depth-itself", nested(1, True), f"{ALLOWED} {DEPTH}", "held before it is filled: nobody can say how deep it goes")
    for kind, make in (("states", b"cargparse\nNamespace\n)\x81}X\1\0\0\0ah\0sb"), ("items", b"ccollections\nOrderedDict\n)RNh\0s")):
        for n in (400, 3000):
            case(f"depth-{kind}-{n}", b"\x80\4Nq\0" + b"0" + (make + b"q\0" + b"0") * n + b"h\0.",
                 ALLOWED if n < 500 else f"{ALLOWED} {DEPTH}", "objects hold each other by " + kind)


def sizes():
    memory = f"{ALLOWED} pickle-load-memory pickle-load-time"
    for size, codes in ((8, ALLOWED), (99999999, memory)):
        of = record((("o", objects(), 0),), size, 27)
        case(f"size-{size}", dumps(array(of, (20,), [(None,)] * 20), 3), codes, "twenty records with an object each" if size == 8 else
             "the same, of 100 MB each, of which the file has none")
        filled = masked(record((("a", dtype("f4"), 0),), size), (0,), b"", b"")
        case(f"size-masked-{size}", b"\x80\4](" + ops(filled) * 6 + b"e.", codes, "masked arrays of nothing" if size == 8 else
             "of each NumPy makes a value to fill it with", policy=PACKS)


def repeated(callee, args, n, tail=b""):
    """A call of six bytes, again and again."""
    return b"\x80\4" + ops(callee) + b"q\0" + b"0" + ops(args) + b"q\1" + b"0" + (b"h\0h\1R0" if not tail else tail) * n + b"N."


def costly():
    time = f"{ALLOWED} pickle-load-time"
    for kind, callee, args in (("states", G("numpy.random._pickle", "__randomstate_ctor"), ("MT19937",)),
                               ("generators", G("numpy.random._pickle", "__bit_generator_ctor"), ("MT19937",))):
        case(f"seeds-{kind}", repeated(callee, args, 25000), time, "75 us each, for six bytes", policy=PACKS)
        case(f"seeds-{kind}-few", repeated(callee, args, 200), ALLOWED, "a forest's generators", policy=PACKS)
    for layers, n, codes in ((64, 14000, time), (2, 200, ALLOWED)):
        state = {"num_layers": layers, "bidirectional": True, "bias": True, "mode": "LSTM", "_parameters": {}, "_buffers": {},
                 "_modules": {}, "proj_size": 0, "_all_weights": [[ordered()]]}
        case(f"layers-{layers}", repeated(G("torch.nn.modules.rnn", "LSTM"), state, n, b"h\0)\x81h\1b0"), codes,
             "lists are made for each layer of each instance" if layers > 2 else "a few small ones", policy=PACKS)


def texts():
    for kind, maker, finite, bad in (
            ("float", G("builtins", "float"), ("1.5", " 1e308 ", "1_0"), ("nan", " -InF", "1e999", "infinity", "-1_0e400")),
            ("complex", G("builtins", "complex"), ("1e5-3j", "(2+1e-9j)"), ("nan", "1e999j", "-1+infj", "(2e400-1j)")),
            ("decimal", G("decimal", "Decimal"), ("1E+999", "-0.5"), ("NaN", "sNaN12", "-Infinity"))):
        for what, words in (("finite", finite), ("nonfinite", bad)):
            for i, word in enumerate(words):
                case(f"text-{kind}-{what}-{i}", dumps(Call(maker, word)), ALLOWED + (f" {FLOAT}" if words is bad else ""),
                     "a number made of text")


NUMBERS = {"finite": (1.0, -2.5), "nan": (1.0, float("nan")), "inf": (2.0, float("inf"))}


def pairs():
    """A number of either kind, and an integer between them."""
    return record((("a", dtype("f4"), 0), ("i", dtype("i4"), 4), ("b", dtype("f8", ">"), 8)), 16)


def rows(a, b):
    return struct.pack("<fi", 1.0, -1) + struct.pack(">d", a) + struct.pack("<fi", 2.0, 7) + struct.pack(">d", b)


def encoded(content):
    return Call(G("_codecs", "encode"), content.decode("latin1"), "latin1")


def joblib_file(of, shape, content):
    wrapper = Build(New(G("joblib.numpy_pickle", "NumpyArrayWrapper")),
                    {"subclass": G("numpy", "ndarray"), "shape": shape, "order": "C", "dtype": of, "allow_mmap": True,
                     "numpy_array_alignment_bytes": 16})
    head = b"\x80\4" + ops(wrapper)
    n = 16 - (len(head) + 1) % 16
    return head + bytes([n]) + b"\xff" * n + content + b"."


def records():
    def both(name, data, kind, tensor="array-0", **more):
        bad = {"finite": {}, "nan": {tensor: counts(nan=1)}, "inf": {tensor: counts(pos_inf=1)}}[kind]
        codes = {"finite": "", "nan": f" {NAN}", "inf": " " + more.pop("inf", RECORD)}
        case(f"records-{name}-{kind}" + more.pop("ending", ""), data, more.pop("around", ALLOWED) + codes[kind],
             "numbers in the fields of records" if bad else "the same, and all are numbers", nonfinite=bad, **more)

    for kind, values in NUMBERS.items():
        content = rows(*values)
        inner = record((("x", pairs(), 8), ("y", dtype("i8"), 0)), 24)
        both("plain", dumps(array(pairs(), (2,), content), 3), kind, "b")
        both("named", dumps({"w": array(pairs(), (2,), content)}, 3), kind, "w.b")
        both("nested", dumps(array(inner, (2,), bytes(8) + content[:16] + bytes(8) + content[16:]), 3), kind, "x.b")
        field = dtype("V32", "|", 16, ((pairs(), (2,)), None, None, 32, 1))
        both("array", dumps(array(record((("z", field, 0),), 32), (1,), content), 3), kind, "z.b",
             inf="weights-inf-mask")
        both("scalar", dumps(Call(G(M, "scalar"), pairs(), data(content[16:])), 3), kind, "b",
             inf="weights-inf-mask")
        state = (1, (2,), pairs(), False, encoded(content))
        both("encoded", dumps(Build(Call(G(M, "_reconstruct"), G("numpy", "ndarray"), (0,), encoded(b"b")), state)), kind, "b")
        both("buffer", dumps(Call(G("numpy.core.numeric", "_frombuffer"), data(content), pairs(), (2,), "C"), 3), kind, "b")
        both("wrapped", joblib_file(pairs(), (2,), content), kind, "b", ending=".joblib")
        both("checkpoint", checkpoint(dumps({"t": tensor(), "w": array(pairs(), (2,), content)}, 3)), kind, "w.b", ending=".pt",
             around=f"{ALLOWED} {OUTSIDE}")
    texts_of = record((("s", dtype("U1", "<", 8, (None, None, None, 4, 4)), 0),), 4, 24)
    case("records-unicode", dumps(array(texts_of, (1,), b"a\0\0\0"), 3), ALLOWED, "a text")
    case("records-unicode-range", dumps(array(texts_of, (1,), b"\xff\xff\xff\xff"), 3), f"{ALLOWED} npy-unicode-range", "none")
    case("records-overlap", dumps(array(record((("a", dtype("f4"), 0), ("b", dtype("f2"), 2)), 4), (1,), bytes(4)), 3),
         f"{ALLOWED} pickle-array-types", "the same bytes under two types")
    case("records-many", dumps(array(record((("z", dtype("V16400", "|", 16, ((record((("a", dtype("f4"), 0), ("b", dtype("f4"), 4)),
                                                                                   8), (2050,)), None, None, 16400, 1)), 0),), 16400),
                                   (0,), b""), 3), f"{ALLOWED} {ARGUMENTS}", "more fields than are taken apart")


def made():
    """Records that hold objects too come as a list, and numbers are made of what is in it."""
    of = record((("o", objects(), 0), ("f", dtype("f4"), 8)), 12, 27)
    for name, value, honest in (("number", 1.5, True), ("integer", 7, True), ("text", "nan", False), ("large", 1e300, False),
                                ("decimal", Call(G("decimal", "Decimal"), "1.5"), False)):
        case("made-" + name, dumps(array(of, (1,), [("x", value)]), 3), ALLOWED if honest else f"{ALLOWED} {ARGUMENTS}",
             "a number" if honest else "NumPy makes a float of it")


if __name__ == "__main__":
    dimensions()
    flags()
    metadata()
    letters()
    depth()
    sizes()
    costly()
    texts()
    records()
    made()
    CORPUS.write()
