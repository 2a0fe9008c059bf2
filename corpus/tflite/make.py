#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small TensorFlow Lite models that each break one rule of
formats/tflite, and near misses that break none.  Always the same bytes, made without TensorFlow; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from flatbuffer_writer import Table, Vector, Writer, ints, text  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive as zipped  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"tflite-associated-files", "tflite-buffer-unused", "tf-op-saver", "tf-op-print", "tf-op-stablehlo", "weights-inf-mask"}
REVIEWED = {"format-unknown", "tflite-hole", "tflite-unsupported", "tflite-custom-op", "tflite-flex-op", "weights-nan", "weights-inf",
            "weights-bool-invalid", "tf-op-xla", "tf-op-abort", "tf-nested-graph"}
CORPUS = Cases(".tflite", ACCEPTED, REVIEWED)
case = CORPUS.case


def written(root, identifier=b"TFL3", fill=0):
    return Writer(identifier, fill=fill).write(root, 4)


# -- the tables

U8, U32, I32, U64 = "<B", "<I", "<i", "<Q"
F32, F16, I32T, STRING, BOOL, RESOURCE, INT4 = 0, 1, 2, 5, 6, 13, 17


def buffer(data=b"", offset=None, size=None):
    return Table({0: Vector(data, align=16) if data else None, 1: (U64, offset) if offset is not None else None,
                  2: (U64, size) if size is not None else None})


def tensor(name="w", shape=(2,), kind=F32, data=1, quant=None, sparsity=None, signature=None, more=None):
    return Table({0: shape if isinstance(shape, Vector) else ints(*shape), 1: (U8, kind) if kind else None,
                  2: (U32, data) if data else None, 3: text(name), 4: quant, 6: sparsity,
                  7: ints(*signature) if signature else None, **(more or {})})


def quant(scales, zeros=None, dimension=0, details=None, kind=None):
    return Table({2: Vector(scales, "<f"), 3: Vector(zeros if zeros is not None else [0] * len(scales), "<q"),
                  4: (U8, kind) if kind else None, 5: details, 6: (I32, dimension) if dimension else None})


def code(builtin=0, custom=None, old=None):
    return Table({0: ("<b", min(builtin, 127) if old is None else old), 1: text(custom) if custom else None,
                  3: (I32, builtin) if builtin else None})


def operator(which=0, inputs=(0, 1), outputs=(2,), options=None, kind=None, custom=None, more=None):
    return Table({0: (U32, which) if which else None, 1: ints(*inputs), 2: ints(*outputs),
                  3: (U8, kind) if kind else None, 4: options, 5: Vector(custom) if custom else None, **(more or {})})


def subgraph(tensors=None, inputs=(0,), outputs=(2,), operators=None, name="main"):
    tensors = [tensor("x", data=0), tensor(), tensor("y", data=0)] if tensors is None else tensors
    return Table({0: Vector(tensors), 1: ints(*inputs), 2: ints(*outputs),
                  3: Vector([operator()] if operators is None else operators), 4: text(name)})


DATA = struct.pack("<2f", 1, 2)


def parts(subgraphs=None, buffers=None, codes=None, version=3, more=None, lie=None):
    return Table({0: (U32, version), 1: Vector([code()] if codes is None else codes),
                  2: Vector([subgraph()] if subgraphs is None else subgraphs), 3: text("made by hand"),
                  4: Vector([buffer(), buffer(DATA)] if buffers is None else buffers), **(more or {})}, lie)


def model(*args, **named):
    return written(parts(*args, **named))


def one(t, data=DATA, **named):
    """A model with this tensor in the middle, and these bytes as its data."""
    return model([subgraph([tensor("x", data=0), t, tensor("y", data=0)])], [buffer(), buffer(data)], **named)


def archive(before, *files):
    return zipped(*files, before=before)


# -- sections

def frames():
    case("sound", model(), why="an addition with a constant")
    case("magic-sound", model(), why="as it has to be")
    case("magic-none", written(parts(), identifier=b"TFL2"), "tflite-magic", "an older identifier")
    case("magic-empty", b"", "tflite-magic", "no byte at all")
    case("magic-size-prefix", struct.pack("<I", len(model())) + model(), "tflite-magic", "a length in front")
    case("version-3", model(version=3), why="the version there is")
    case("version-2", model(version=2), "tflite-version", "before buffers had a table")
    case("version-4", model(version=4), "tflite-version", "after")
    data = model()
    case("offset-sound", model(more={7: Vector([])}), why="offsets that lead somewhere")
    case("offset-root-past-end", struct.pack("<I", 1 << 20) + data[4:], "tflite-offset", "the root is nowhere")
    case("offset-root-misaligned", struct.pack("<I", struct.unpack("<I", data[:4])[0] + 2) + data[4:], "tflite-offset",
         "the root is at no multiple of four")
    case("offset-cut", data[:len(data) // 2], "tflite-offset", "half of it")
    case("offset-vector-long", model(subgraphs=[subgraph([tensor("x", data=0), tensor(shape=Vector((2,), "<i", n=1 << 28)),
                                                          tensor("y", data=0)])]), "tflite-offset", "a shape past the end")
    case("offset-zero", model(more={6: Vector([0])}), "tflite-offset", "a table that is its own offset")
    case("vtable-past-end", model(lie={"soffset": -(1 << 20)}), "tflite-vtable", "the list of fields is nowhere")
    case("vtable-before-file", model(lie={"soffset": 1 << 20}), "tflite-vtable", "likewise, in front")
    case("vtable-odd", model(lie={"vtable": 13}), "tflite-vtable", "half a field")
    case("vtable-field-outside", model(lie={("place", 0): 400}), "tflite-vtable", "a field outside of its table")
    case("vtable-fields-overlap", model(lie={("place", 1): 8, ("place", 2): 8}), "tflite-vtable", "two fields in one place")
    case("vtable-size-generous", model(lie={"size": 26}), why="padding that belongs to another table of the same list")
    shared = tensor("x", data=0)
    case("table-shared", model([subgraph([shared, tensor(), shared])]), why="one table twice")
    case("string-no-nul", one(tensor("weight")).replace(b"weight\0", b"weight!"), "tflite-string",
         "no NUL behind a name")
    case("string-no-utf8", one(tensor("wei\u00e9")).replace(b"\xc3\xa9", b"\xc3\x28"), "tflite-string", "no UTF-8")
    case("string-nul-inside", one(tensor("w\0x")), "tflite-string", "a NUL within a name")
    case("string-utf8", one(tensor("wei\u00e9")), why="UTF-8")
    deep = ints(*[1] * 65)
    case("limit-rank", one(tensor(shape=deep), DATA[:4]), "tflite-limit", "65 dimensions")
    big = ints(*range(1000))
    many = Vector([Table({0: (U32, 0), 1: big, 2: ints(1000)}) for _ in range(4000)])
    case("limit-shared", model([Table({0: Vector([tensor("x", data=0)] * 1001), 1: ints(*range(1000)), 2: ints(), 3: many})],
                               [buffer()], [code(2)]), "tflite-limit", "a vector of a thousand, four thousand times")
    few = Vector([Table({0: (U32, 0), 1: big, 2: ints(1000)}) for _ in range(4)])
    case("limit-shared-not", model([Table({0: Vector([tensor("x", data=0)] * 1001), 1: ints(*range(1000)), 2: ints(), 3: few})],
                                   [buffer()], [code(2)]), why="four times")
    case("offset-nothing", model(more={3: 0}), "tflite-offset", "a text at its own offset")
    case("unknown-field", model(more={8: (U32, 1)}), "tflite-unsupported", "a field of a newer schema")
    case("unknown-field-absent", model(more={7: Vector([])}), why="the last field there is")
    case("union-without-table", model([subgraph(operators=[operator(kind=11)])]), "tflite-unsupported", "a type of nothing")


def named(*which):
    """Metadata that names buffers which no tensor does."""
    return {6: Vector([Table({0: text(f"m{i}"), 1: (U32, i)}) for i in which])}


def holes():
    padded = parts(buffers=[buffer(), buffer(DATA), buffer(b"abc"), buffer(b"d" * 16)], more=named(2, 3))
    case("hole-zero", written(padded), why="zeros between")
    case("hole-nonzero", written(padded, fill=0x41),
         "tflite-hole", "letters between")
    case("trailing-zeros-15", model() + bytes(15), why="padding of the end")
    case("trailing-zeros-16", model() + bytes(16), "tflite-trailing-bytes", "more than padding")
    case("trailing-byte", model() + b"x", "tflite-hole", "a byte where padding may be")
    case("trailing-text", model() + b"x" * 64, "tflite-trailing-bytes", "text behind")


def left():
    """Tables that nothing refers to, which writers leave behind."""
    data = model()
    empty = data.index(struct.pack("<HH", 4, 4))  # the vtable of the first buffer
    case("left-table", data + struct.pack("<i", len(data) - empty), why="a table of a kind that is in use")
    case("left-table-of-nothing", data + struct.pack("<i", len(data) - empty - 2), "tflite-hole", "its vtable is none")
    case("left-pair", data + struct.pack("<HHi", 4, 4, 4), why="a vtable, and the table that it was made for")
    wide = Table({0: Vector(b"d" * 16, align=128)})
    for size in (16, 20):
        hole = bytearray(written(parts(buffers=[buffer(), buffer(DATA), wide], more=named(2))))
        at = hole.index(b"d" * 16) - 4
        assert not any(hole[at - 24:at])
        hole[at - 24:at - 4 if size == 16 else at] = struct.pack("<HHi", 4, size, 4) + b"\1" * (size - 4)
        case(f"left-pair-{size}", bytes(hole), "tflite-hole" if size > 16 else "", "more than a few numbers" if size > 16 else "a few numbers")
    case("left-pair-cut", data + struct.pack("<HHi", 4, 8, 4), "tflite-hole", "it goes on behind the file")
    case("left-pair-far", data + struct.pack("<HHi", 4, 4, 8), "tflite-hole", "a table of something else")
    hole = bytearray(written(parts(buffers=[buffer(), buffer(DATA), buffer(b"abc"), buffer(b"d" * 16)], more=named(2, 3))))
    at = hole.index(b"d" * 16) - 4
    assert not any(hole[at - 8:at])
    hole[at - 8:at] = struct.pack("<HHi", 4, 4, 4)
    case("left-pair-between", bytes(hole), why="between objects")
    hole[at - 1] = 1
    case("left-pair-between-not", bytes(hole), "tflite-hole", "a byte beside it")


def overlaps():
    data = bytearray(model(buffers=[buffer(), buffer(DATA), buffer(b"0123456789abcdef" * 2)], more=named(2)))
    at = data.index(b"0123456789abcdef") - 4
    data[at + 4:at + 8] = struct.pack("<I", 8)
    ref = next(i for i in range(0, at, 4) if i + struct.unpack_from("<I", data, i)[0] == at and i > 8)
    struct.pack_into("<I", data, ref, at + 4 - ref)
    case("overlap-not", bytes(data), "tflite-hole", "a buffer that begins later leaves letters to nobody")
    data = bytearray(model(buffers=[buffer(), buffer(DATA), buffer(struct.pack("<I", 12) + b"0123456789ab"),
                                    buffer(b"another buffer..")], more=named(2, 3)))
    inner = data.index(b"0123456789ab") - 4
    other = data.index(b"another") - 4
    ref = next(i for i in range(8, other, 4) if i + struct.unpack_from("<I", data, i)[0] == other)
    data[ref:ref + 4] = struct.pack("<I", (inner - ref) % (1 << 32))
    if inner > ref:
        for i in range(other, other + 20):
            data[i] = 0
        case("overlap-buffers", bytes(data), "tflite-overlap", "a buffer within a buffer")


def tensors():
    for name, kind, n in (("f32", 0, 4), ("f16", 1, 2), ("i32", 2, 4), ("u8", 3, 1), ("i64", 4, 8), ("bool", 6, 1),
                          ("i16", 7, 2), ("c64", 8, 8), ("i8", 9, 1), ("f64", 10, 8), ("c128", 11, 16), ("u64", 12, 8),
                          ("u32", 15, 4), ("u16", 16, 2), ("bf16", 18, 2), ("f8-e4m3", 21, 1), ("f8-e5m2", 22, 1)):
        case("type-" + name, one(tensor(kind=kind, shape=(3,)), bytes(3 * n)), why="three of them")
    for name, kind, n in (("i4", 17, 2), ("i2", 19, 1), ("u4", 20, 2)):
        case("type-" + name, one(tensor(kind=kind, shape=(3,)), bytes(n)), why="three of them, packed")
    case("type-unknown", one(tensor(kind=40)), "tflite-unsupported", "a type of a newer schema")
    case("type-resource", one(tensor(kind=13)), "tflite-tensor-size", "a resource cannot be stored")
    case("size-short", one(tensor(), DATA[:7]), "tflite-tensor-size", "a byte is missing")
    case("size-long", one(tensor(), DATA + b"\0"), "tflite-tensor-size", "a byte too many")
    case("size-i4-long", one(tensor(kind=17, shape=(4,)), bytes(3)), "tflite-tensor-size", "half bytes")
    case("size-scalar", one(tensor(shape=()), DATA[:4]), why="no dimensions")
    case("size-negative", one(tensor(shape=(-1,))), "tflite-tensor-size", "a dimension below zero")
    case("size-signature", one(tensor(signature=(-1,))), why="a dimension that is not known, where it may be")
    case("size-signature-2", one(tensor(signature=(-2,))), "tflite-index", "less than not known")
    case("size-overflow", one(tensor(shape=(1 << 30, 1 << 30, 1 << 30))), "tflite-tensor-size", "more than 63 bits")
    case("size-zero", model([subgraph([tensor("x", data=0), tensor(shape=(0,), data=0), tensor("y", data=0)])],
                            [buffer()]), why="a constant without elements")
    strings = struct.pack("<4I", 2, 16, 17, 19) + b"abc"
    case("strings", one(tensor(kind=STRING), strings), why="two strings")
    case("strings-three", one(tensor(kind=STRING, shape=(3,)), strings), "tflite-tensor-size", "of three")
    case("strings-offset", one(tensor(kind=STRING), struct.pack("<4I", 2, 16, 20, 19) + b"abc"), "tflite-tensor-size",
         "the first ends behind the second")
    case("strings-first", one(tensor(kind=STRING), struct.pack("<4I", 2, 12, 17, 19) + b"abc"), "tflite-tensor-size",
         "the first begins within the offsets")
    case("strings-huge", one(tensor(kind=STRING, shape=(1 << 30,)), struct.pack("<2I", 1 << 30, 8)), "tflite-tensor-size",
         "more than there is room for")
    both = [buffer(), buffer(DATA)]
    case("data-shared", model([subgraph([tensor("x", data=0), tensor("a"), tensor("b")])], both), why="two tensors, one buffer")
    case("data-nan", one(tensor(), struct.pack("<2f", 1, float("nan"))), "weights-nan", "one of two",
         nonfinite={"w": counts(nan=1)})
    case("data-nan-f16", one(tensor(kind=F16), struct.pack("<2e", 1, float("nan"))), "weights-nan", "halves",
         nonfinite={"w": counts(nan=1)})
    case("data-inf", one(tensor(shape=(3,)), struct.pack("<3f", 1, 2, float("-inf"))), "weights-inf", "one of three",
         nonfinite={"w": counts(neg_inf=1)})
    case("data-inf-mask", one(tensor(shape=(3,)), struct.pack("<3f", 0, 0, float("-inf"))), "weights-inf-mask", "a mask",
         nonfinite={"w": counts(neg_inf=1)})
    case("data-bool", one(tensor(kind=BOOL), b"\1\2"), "weights-bool-invalid", "a bool of 2", bool_invalid={"w": 1})
    nan = struct.pack("<2f", 1, float("nan"))
    case("data-shared-nan", model([subgraph([tensor("x", data=0), tensor("a", kind=I32T), tensor("b")])],
                                  [buffer(), buffer(nan)]), "weights-nan", "integers to one, numbers to the other",
         nonfinite={"a": counts(nan=1)})


def outside(shift=0, size=8, pad=b"", both=False):
    """Data behind the tables, by offset."""
    for at in (1 << 10, None):
        data = model(buffers=[buffer(), buffer(DATA if both else b"", at if at else here, size)])
        here = len(data) + -len(data) % 16 + shift
    return data + pad * (shift + -len(data) % 16) + bytes(-len(data) % 16 + shift if not pad else 0) + DATA


def buffers():
    case("buffer-first", model(buffers=[buffer(DATA), buffer(DATA)]), "tflite-buffer", "the first one holds data")
    case("buffer-outside", outside(), why="data behind the tables")
    case("buffer-outside-misaligned", outside(8), "tflite-buffer", "at no multiple of 16")
    case("buffer-outside-past-end", outside(size=1 << 40), "tflite-buffer", "past the end")
    case("buffer-outside-and-inside", outside(both=True), "tflite-buffer", "two places")
    case("buffer-placeholder", model(buffers=[buffer(), buffer(DATA), buffer(b"", 1, 1)]), why="an offset that says nothing")


    more = [buffer(), buffer(DATA), buffer(b"payload")]
    case("buffer-unused", model(buffers=more), "tflite-buffer-unused", "data that nothing names: converters leave it behind")
    case("buffer-unused-empty", model(buffers=[buffer(), buffer(DATA), buffer()]), why="none, that nothing names")
    case("buffer-used-by-metadata", model(buffers=more, more=named(2)), why="metadata names it")
    case("buffer-used-by-old-metadata", model(buffers=more, more={5: ints(2)}), why="the old list does")


def quants():
    case("quant-one", one(tensor(kind=9, quant=quant([.5])), b"\1\2"), why="one scale")
    case("quant-channels", one(tensor(kind=9, shape=(3, 2), quant=quant([.5, 1, 2])), bytes(6)), why="one a channel")
    case("quant-channels-second", one(tensor(kind=9, shape=(3, 2), quant=quant([.5, 1], dimension=1)), bytes(6)),
         why="of the second dimension")
    case("quant-channels-wrong", one(tensor(kind=9, shape=(3, 2), quant=quant([.5, 1])), bytes(6)), "tflite-quant",
         "two for three channels")
    case("quant-dimension", one(tensor(kind=9, shape=(3, 2), quant=quant([.5, 1], dimension=2)), bytes(6)), "tflite-quant",
         "no such dimension")
    case("quant-bias", one(tensor(kind=9, quant=quant([.5, 1], dimension=3)), b"\1\2"), why="the number of the weights' dimension")
    case("quant-bias-short", one(tensor(kind=9, shape=(3,), quant=quant([.5, 1], dimension=3)), b"\1\2\3"), "tflite-quant",
         "two for three channels")
    for name, scale in (("zero", 0.0), ("negative", -1.0), ("nan", float("nan")), ("inf", float("inf"))):
        case("quant-" + name, one(tensor(kind=9, quant=quant([scale])), b"\1\2"), "tflite-quant", "no scale")
    nan, inf = float("nan"), float("inf")
    for name, low, high, codes in (("sound", [-1.], [1.], ""), ("min-nan", [nan], [1.], "tflite-quant"), ("max-nan", [-1.], [nan], "tflite-quant"),
                                   ("max-inf", [-1.], [inf], "tflite-quant"), ("min-channel", [-1., -2., nan], [1., 2., 3.], "tflite-quant")):
        bounds = Table({0: Vector(low, "<f"), 1: Vector(high, "<f"), 2: Vector([.5], "<f"), 3: Vector([0], "<q")})
        case("quant-bounds-" + name, one(tensor(kind=9, quant=bounds), b"\1\2"), codes, "what the values were between")
    case("quant-zeros", one(tensor(kind=9, shape=(3, 2), quant=quant([.5, 1, 2], [0, 0])), bytes(6)), "tflite-quant",
         "two zero points for three scales")
    block = Table({0: (I32, 0), 1: (I32, -1), 2: (I32, 32)})
    case("quant-blockwise", one(tensor(kind=9, quant=quant([], details=block, kind=2)), b"\1\2"), why="blocks")
    block = Table({0: (I32, 9), 1: (I32, -1), 2: (I32, 32)})
    case("quant-blockwise-index", one(tensor(kind=9, quant=quant([], details=block, kind=2)), b"\1\2"), "tflite-index",
         "scales in a tensor that does not exist")
    case("quant-blockwise-size", one(tensor(kind=9, quant=quant([], details=Table({0: (I32, 0), 1: (I32, -1)}), kind=2)),
                                     b"\1\2"), "tflite-quant", "blocks of nothing")
    case("quant-unknown", one(tensor(kind=9, quant=quant([], details=Table({}), kind=9)), b"\1\2"), "tflite-unsupported",
         "a newer kind")


def dense(n):
    return Table({1: (I32, n)})


def sparse(segments, indices, form="<i", kind=1):
    def union(numbers):
        return Table({0: Vector(numbers, form)})
    return Table({0: (U8, 1), 2: (U8, kind), 3: union(segments), 4: (U8, kind), 5: union(indices)})


def sparsity(*dimensions, order=None, blocks=None):
    return Table({0: ints(*(order if order is not None else range(len(dimensions)))), 1: ints(*blocks) if blocks else None,
                  2: Vector(dimensions)})


def sparses():
    def of(s, n=2, shape=(2, 4)):
        return one(tensor(shape=shape, sparsity=s), bytes(4 * n))
    case("sparse-rows", of(sparsity(dense(2), sparse([0, 1, 2], [3, 0]))), why="a value a row")
    case("sparse-u16", of(sparsity(dense(2), sparse([0, 1, 2], [3, 0], "<H", 2))), why="short indices")
    case("sparse-u8", of(sparsity(dense(2), sparse([0, 1, 2], [3, 0], "<B", 3))), why="shorter ones")
    case("sparse-blocks", of(sparsity(dense(2), sparse([0, 1, 1], [1]), dense(2), order=(0, 1, 2), blocks=(1,))),
         why="a block of two")
    case("sparse-blocks-index", of(sparsity(dense(2), sparse([0, 1, 1], [2]), dense(2), order=(0, 1, 2), blocks=(1,))),
         "tflite-sparsity", "the third block of two")
    case("sparse-index", of(sparsity(dense(2), sparse([0, 1, 2], [4, 0]))), "tflite-sparsity", "a column too far")
    case("sparse-index-negative", of(sparsity(dense(2), sparse([0, 1, 2], [-1, 0]))), "tflite-sparsity", "a column before")
    case("sparse-segments-few", of(sparsity(dense(2), sparse([0, 2], [3, 0]))), "tflite-sparsity", "a row without segment")
    case("sparse-segments-back", of(sparsity(dense(2), sparse([0, 3, 2], [3, 0]))), "tflite-sparsity", "segments that go back")
    case("sparse-segments-end", of(sparsity(dense(2), sparse([0, 1, 3], [3, 0]))), "tflite-sparsity", "more than there are")
    case("sparse-dense-size", of(sparsity(dense(3), sparse([0, 1, 2, 2], [3, 0]))), "tflite-sparsity", "three rows of two")
    case("sparse-order-twice", of(sparsity(dense(2), sparse([0, 1, 2], [3, 0]), order=(0, 0))), "tflite-sparsity",
         "one dimension twice")
    case("sparse-order-short", of(sparsity(dense(2), order=(0,))), "tflite-sparsity", "a dimension is missing")
    case("sparse-map", of(sparsity(dense(2), sparse([0, 1, 1], [1]), dense(2), order=(0, 1, 2), blocks=(7,))),
         "tflite-sparsity", "a block of nothing")
    case("sparse-format", of(sparsity(dense(2), Table({0: (U8, 2)}))), "tflite-sparsity", "a format there is not")
    case("sparse-size", of(sparsity(dense(2), sparse([0, 1, 2], [3, 0])), 3), "tflite-tensor-size", "three values for two")


def indices():
    case("index-input-optional", model([subgraph(
        [tensor("x", data=0), tensor(shape=(1, 2)), tensor("y", data=0)], operators=[operator(inputs=(0, 1, -1))])],
        codes=[code(34)]), why="an input that is not given")
    case("index-input", model([subgraph(operators=[operator(inputs=(0, 3))])]), "tflite-index", "the fourth of three")
    case("index-input-2", model([subgraph(operators=[operator(inputs=(0, -2))])]), "tflite-index", "minus two")
    case("index-output-optional", model([subgraph(operators=[operator(outputs=(-1,))])]), "tflite-index", "CVE-2020-15211")
    case("index-graph-input", model([subgraph(inputs=(-1,))]), "tflite-index", "of the model")
    case("index-graph-output", model([subgraph(outputs=(3,))]), "tflite-index", "of the model")
    case("index-code", model([subgraph(operators=[operator(1)])]), "tflite-index", "an operator that is not listed")
    case("index-buffer", one(tensor(data=2)), "tflite-index", "a buffer that is not listed")
    case("index-metadata", model(more={6: Vector([Table({0: text("m"), 1: (U32, 5)})])}), "tflite-index", "likewise")
    case("index-metadata-sound", model(more={6: Vector([Table({0: text("m"), 1: (U32, 1)})])}), why="one that is")
    case("index-metadata-old", model(more={5: ints(2)}), "tflite-index", "in the old list")

    def signature(at, graph=0):
        return {7: Vector([Table({0: Vector([Table({0: text("x"), 1: (U32, at)})]), 1: Vector([]), 2: text("serve"),
                                  4: (U32, graph)})])}
    case("index-signature-sound", model(more=signature(0)), why="a signature")
    case("index-signature", model(more=signature(3)), "tflite-index", "of a tensor that is not there")
    case("index-signature-graph", model(more=signature(0, 1)), "tflite-index", "of a subgraph that is not there")
    case("index-no-subgraphs", model(subgraphs=[]), "tflite-index", "no model at all")


def calls():
    def graphs(*edges):
        return [subgraph(operators=[operator(1, (0,), kind=93, options=Table({0: (I32, a), 1: (I32, b)}))] if a is not None else None)
                for a, b in edges]
    both = [code(), code(119)]
    case("call-while", model(graphs((1, 2), (None, None), (None, None)), codes=both), why="a loop with two subgraphs")
    case("call-self", model(graphs((0, 1), (None, None)), codes=both), "tflite-subgraph-cycle", "a loop of itself")
    case("call-circle", model(graphs((1, 1), (2, 2), (1, 1)), codes=both), "tflite-subgraph-cycle", "two that call each other")
    case("call-diamond", model(graphs((1, 2), (3, 3), (3, 3), (None, None)), codes=both), why="two that call a third")
    case("call-nowhere", model(graphs((1, 9), (None, None)), codes=both), "tflite-index", "a subgraph that is not there")
    case("call-once-default", model([subgraph(operators=[operator(0, (), (), kind=103, options=Table({}))])], codes=[code(129)]), "tflite-subgraph-cycle",
         "a number that is not there is the first")
    branches = operator(more={11: (U8, 23), 12: Table({0: ints(1, 2)})})
    case("call-case", model([subgraph(operators=[branches]), subgraph(), subgraph()]), why="branches")
    branches = operator(more={11: (U8, 23), 12: Table({0: ints(1, 0)})})
    case("call-case-self", model([subgraph(operators=[branches]), subgraph()]), "tflite-subgraph-cycle", "a branch to itself")

    for name, builtin, kind, given in (("if", 118, 92, ((0, 1), (2,))), ("while", 119, 93, ((0,), (2,))),
                                       ("call-once", 129, 103, ((), ()))):
        for how, options in (("none", operator(0, *given)), ("other", operator(0, *given, kind=1, options=Table({})))):
            case(f"call-{name}-{how}", model([subgraph(operators=[options])], codes=[code(builtin)]), "tflite-index",
                 "options that do not say which subgraph")
        given = operator(0, *given, kind=kind, options=Table({0: (I32, 1), 1: (I32, 1)} if builtin != 129 else {0: (I32, 1)}))
        case(f"call-{name}-sound", model([subgraph(operators=[given]), subgraph(operators=[])], codes=[code(builtin)]), why="another subgraph")


def operators():
    case("operator-last", model(codes=[code(209)]), why="the newest there is")
    case("operator-unknown", model(codes=[code(210)]), "tflite-unsupported", "a newer one")
    case("operator-old-code", model([subgraph([tensor("x", data=0), tensor(shape=(1, 2)), tensor("y", data=0)])], codes=[code(0, old=9)]), why="as older writers number them")
    case("operator-delegate", model(codes=[code(51)]), "tflite-unsupported", "which no file may hold")
    case("operator-options-unknown", model([subgraph(operators=[operator(kind=127, options=Table({}))])]),
         "tflite-unsupported", "options of a newer schema")
    case("custom", model(codes=[code(32, "MyOperator")]), "tflite-custom-op", "the application's own")
    case("custom-runtime", model(codes=[code(32, "TFLite_Detection_PostProcess")]), why="one that is in every runtime")
    case("custom-runtime-not", model(codes=[code(32, "TFLite_Detection_PostProcess2")]), "tflite-custom-op", "one with a longer name")
    case("custom-name-of-builtin", model(codes=[code(0, "MyOperator")]), why="a name that nobody looks at")
    case("custom-call", model(codes=[code(173)]), "tflite-custom-op", "by another name")
    case("flex-not", model(codes=[code(0, "FlexErf")]), why="a name that nobody looks at")
    case("flex", model(codes=[code(32, "FlexErf")]), "tflite-flex-op", "any of TensorFlow's")
    for name, op, found in (("write", "WriteFile", "file-write"), ("read", "ReadFile", "file-read"),
                            ("save", "SaveV2", "file-write"), ("python", "PyFunc", "python"), ("rpc", "RpcV2", "network"),
                            ("engine", "TRTEngineOp", "native"), ("xla", "XlaLaunch", "xla"), ("abort", "Abort", "abort"),
                            ("print", "PrintV2", "print"), ("stablehlo", "XlaCallModule", "stablehlo"),
                            ("shard", "ShardedFilename", "saver"), ("vocabulary", "InitializeTableFromTextFileV2", "file-read"),
                            ("collective", "CollectiveReduce", "network")):
        case("flex-" + name, model(codes=[code(32, "Flex" + op)]), f"tflite-flex-op tf-op-{found}", "by its name")
    case("flex-dataset", model(codes=[code(32, "FlexDatasetFromGraph")]), "tflite-flex-op tf-nested-graph", "by its name")

    def node(op, more=b""):
        body = b"\n\1n\x12" + bytes([len(op)]) + op + more
        return [subgraph(operators=[operator(custom=b"Erf\0" + bytes([len(body)]) + body + b"\0\1\2")])]
    flex = [code(32, "FlexErf")]
    case("flex-node", model(node(b"Erf"), codes=flex), "tflite-flex-op", "what it is given says the same")
    case("flex-node-write", model(node(b"WriteFile"), codes=flex), "tflite-flex-op tf-op-file-write",
         "the name is one thing, what runs another")
    case("flex-node-url", model(node(b"PrintV2", b"file:///x"), codes=flex), "tflite-flex-op tf-op-print tf-op-file-write",
         "a printer that writes a file")
    case("custom-node-write", model(node(b"WriteFile"), codes=[code(32, "Mine")]), "tflite-custom-op",
         "of no operator of TensorFlow")
    far = bytes(4090) + b"\x12\x09WriteFile" + bytes(64)
    case("flex-node-far", model([subgraph(operators=[operator(custom=far)])], codes=flex), "tflite-flex-op tf-op-file-write",
         "across two reads")


def files():
    meta = {6: Vector([Table({0: text("TFLITE_METADATA"), 1: (U32, 2)})])}
    with_meta = model(buffers=[buffer(), buffer(DATA), buffer(b"metadata")], more=meta)
    labels = (b"labels.txt", b"cat\ndog\n")
    case("files", with_meta + archive(len(with_meta), labels), "tflite-associated-files", "labels behind the model")
    padded = with_meta + bytes(12)
    case("files-binary", with_meta + archive(len(with_meta), (b"labels.txt", b"cat\0dog")),
         "tflite-associated-files format-unknown", "bytes that are no text")
    case("files-padded", padded + archive(len(padded), labels), "tflite-associated-files", "behind padding")
    def nothing(at, more=b""):
        return model() + b"PK\5\6" + bytes(12) + struct.pack("<IH", at, len(more)) + more

    case("files-empty", nothing(len(model())), "tflite-associated-files", "an archive of nothing, as a writer leaves it that had no files")
    case("files-empty-elsewhere", nothing(0), "tflite-trailing-bytes polyglot-zip", "whose directory begins elsewhere")
    case("files-empty-comment", nothing(len(model()), b"#!/bin/sh\n"), "tflite-trailing-bytes polyglot-zip", "with a comment")
    case("files-none", model() + archive(len(model()), labels), "tflite-trailing-bytes polyglot-zip", "nobody announced them")
    case("files-relative", with_meta + archive(0, labels), "tflite-associated-files zip-prefix-bytes",
         "offsets that count from elsewhere")
    case("files-traversal", with_meta + archive(len(with_meta), (b"../labels.txt", b"cat\n")),
         "tflite-associated-files zip-name-traversal", "out of the folder")
    case("files-pickle", with_meta + archive(len(with_meta), (b"labels.txt", b"\x80\4\x8c\2os\x94\x8c\6system\x94\x93\x94\x8c\4true\x94\x85\x94R.")),
         "tflite-associated-files pickle-global-dangerous pickle-call-dangerous", "a program among them")


CORPUS.make(frames, holes, left, overlaps, tensors, buffers, quants, sparses, indices, calls, operators, files)
