#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small ExecuTorch programs and data files that each break one
rule of formats/executorch, and near misses that break none; ONNX Runtime's own format, which is only named.  Always the
same bytes, made without either runtime; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from flatbuffer_writer import Table, Vector, Writer, ints, text  # noqa: E402 pylint: disable=wrong-import-position

PARTLY = "format-partly-checked"
REVIEWED = {PARTLY, "executorch-hole", "executorch-unsupported", "executorch-delegate", "executorch-custom-op",
            "format-identified-only", "weights-nan", "weights-inf", "weights-bool-invalid", "format-unknown"}
CORPUS = Cases("", (), REVIEWED)


def case(name, data, codes=PARTLY, why="", ending=".pte", **more):
    CORPUS.case(name + ("" if "." in name else ending), data, codes, why, **more)


U8, I32, U32, I64, U64 = "<B", "<i", "<I", "<q", "<Q"


# -- programs

INT, BOOL, DOUBLE, TENSOR, STRING, INT_LIST, DOUBLE_LIST, BOOL_LIST, TENSOR_LIST, OPTIONAL_LIST = range(2, 12)
FLOAT = 6
DATA = struct.pack("<2f", 1, 2)


def tensor(data=0, sizes=(2,), kind=FLOAT, order=None, offset=0, allocation=None, extra=None):
    return TENSOR, Table({0: (U8, kind), 1: (I32, offset) if offset else None, 2: ints(*sizes),
                          3: Vector(bytes(range(len(sizes))) if order is None else order), 5: (U32, data) if data else None,
                          6: allocation, 9: extra})


def extra(name=None, mutable=None, location=None):
    return Table({0: (U64, mutable) if mutable is not None else None, 1: text(name) if name else None,
                  2: (U8, location) if location else None})


ALLOCATION = {0: (U32, 1), 1: (U32, 0)}


def evalue(kind_and_value):
    kind, value = kind_and_value
    return Table({0: (U8, kind) if kind else None, 1: value})


def operator(name="aten::add", overload="out"):
    return Table({0: text(name), 1: text(overload)})


KERNEL, DELEGATE, MOVE, JUMP, FREE = range(1, 6)


def call(kind=KERNEL, first=0, second=(0, 1, 2)):
    fields = {0: (I32, first) if first else None}
    if kind in (KERNEL, DELEGATE):
        fields[1] = ints(*second)
    elif kind != FREE:
        fields[1] = (I32, second)
    return Table({0: (U8, kind), 1: Table(fields)})


def delegate(name="XnnpackBackend", index=0, location=0, specs=()):
    return Table({0: text(name), 1: Table({0: (U8, location) if location else None, 1: (U32, index) if index else None}),
                  2: Vector(list(specs))})


def plan(values=None, inputs=(0,), outputs=(2,), calls=None, operators=None, delegates=(), stacks=None, more=None):
    values = [tensor(), tensor(1), tensor()] if values is None else values
    chain = Table({0: ints(), 1: ints(), 2: Vector([call()] if calls is None else calls), 3: stacks})
    return Table({0: text("forward"), 1: Table({0: text("in"), 1: text("out")}), 2: Vector([evalue(v) for v in values]),
                  3: ints(*inputs), 4: ints(*outputs), 5: Vector([chain]),
                  6: Vector([operator()] if operators is None else operators), 7: Vector(list(delegates)),
                  8: Vector([0, 64], "<q", align=8), **(more or {})})


def buffer(data=b""):
    return Table({0: Vector(data, align=16) if data else None})


def segment(offset, size):
    return Table({0: (U64, offset) if offset else None, 1: (U64, size)})


def offsets(index, *numbers):
    return Table({0: (U32, index) if index else None, 1: Vector(numbers, "<Q", align=8)})


def program(plans=None, constants=None, inline=(), segments=(), constant=None, mutable=None, version=0, named=None, more=None):
    return Table({0: (U32, version) if version else None, 1: Vector([plan()] if plans is None else plans),
                  2: Vector([buffer(), buffer(DATA)] if constants is None else constants) if constants != () else None,
                  3: Vector(list(inline)), 4: Vector(list(segments)), 5: constant,
                  6: Vector(list(mutable)) if mutable else None, 7: named, **(more or {})})


def pte(root=None, header=None, data=b"", length=32, size=None, base=None, data_size=None, identifier=b"ET12", fill=0, **named):
    """`header`: with one, and segments behind it."""
    root = program(**named) if root is None else root
    if not header:
        return Writer(identifier, fill=fill).write(root) + data
    out = bytearray(Writer(identifier, b"eh00" + struct.pack("<IQQQ", length, 0, 0, 0)).write(root, 16))
    struct.pack_into("<QQQ", out, 16, len(out) if size is None else size, len(out) if base is None else base,
                     len(data) if data_size is None else data_size)
    return bytes(out) + data


def seg(data=DATA, list_=None, tables=None, **named):
    """A program whose constants are in a segment."""
    return pte(header=True, data=data, constants=(), segments=[segment(0, len(data))] if tables is None else tables,
               constant=offsets(0, 0, 0) if list_ is None else list_, **named)


def frames():
    sound = pte()
    case("sound", sound, why="an addition with a constant")
    case("sound-header", pte(header=True), why="with a header that says how long it is")
    case("sound-segment", seg(), why="the constant in a segment")
    case("identifier-next", pte(identifier=b"ET13"), "executorch-unsupported", "a newer format")
    case("identifier-text", b"hello, this is no program at all", "executorch-structure", "text by this name")
    case("cut", sound[:len(sound) // 2], "executorch-structure", "half of it")
    case("trailing-byte", sound + b"x", "format-partly-checked executorch-hole", "a byte where padding may be")
    case("trailing-zeros", sound + bytes(4000), why="padding of a page")
    case("trailing-text", sound + b"x" * 4096, "executorch-trailing-bytes", "text behind")
    case("hole", pte(fill=0x41, constants=[buffer(), buffer(DATA), buffer(b"abc")]), "format-partly-checked executorch-hole",
         "letters between")
    case("hole-zero", pte(constants=[buffer(), buffer(DATA), buffer(bytes(64))]), why="zeros that no tensor has")
    case("hole-unused", pte(constants=[buffer(), buffer(DATA), buffer(b"x" * 64)]), "format-partly-checked executorch-hole",
         "data that no tensor has")
    case("version-1", pte(version=1), "executorch-unsupported", "a newer schema")
    case("field-unknown", pte(more={8: (U32, 1)}), "executorch-unsupported", "likewise")
    case("vtable", pte(Table(program().fields, {"soffset": -(1 << 20)})), "executorch-structure", "nowhere")
    case("plans-none", pte(plans=[]), "executorch-structure", "nothing to run")


def headers():
    case("header-short", pte(header=True, length=16), "executorch-structure", "too short to say anything")
    case("header-24", pte(header=True, length=24), PARTLY, "the older one, eight bytes of zero behind it")
    case("header-long", pte(header=True, length=1 << 20), "executorch-structure", "past the end")
    case("header-most", pte(header=True, length=0xffffffff), "executorch-structure", "4 GiB")
    case("header-size", pte(header=True, size=1 << 40), "executorch-structure", "a program past the end")
    case("header-size-short", pte(header=True, size=128), "executorch-structure", "a program that is cut off")
    case("header-size-none", pte(header=True, size=0), "executorch-structure", "no program")
    case("header-base", pte(header=True, base=1 << 40), "executorch-structure", "segments past the end")
    case("header-base-inside", pte(header=True, base=64), "executorch-structure", "segments in the program")
    case("header-data", pte(header=True, data_size=1 << 40), "executorch-structure", "more data than the file")
    case("header-base-none", pte(header=True, base=0), why="no segments")


def segments():
    case("segment-two", seg(DATA * 2, offsets(0, 0, 0), [segment(0, 8), segment(8, 8)]), why="one behind the other")
    case("segment-outside", seg(tables=[segment(0, 9)]), "executorch-structure", "a byte past the end")
    case("segment-offset", seg(tables=[segment(1 << 60, 8)]), "executorch-structure", "nowhere")
    case("segment-wraps", seg(tables=[segment((1 << 64) - 8, 16)]), "executorch-structure", "round the end of numbers")
    case("overlap-segments", seg(DATA * 2, tables=[segment(0, 8), segment(4, 12)]), "executorch-overlap", "one in the other")
    case("overlap-segments-not", seg(DATA * 2, tables=[segment(0, 8), segment(8, 8)]), why="one behind the other")
    case("segment-no-header", pte(constants=(), segments=[segment(0, 8)], constant=offsets(0, 0, 0), data=DATA),
         "executorch-structure", "nobody says where they begin")
    case("segment-empty", pte(segments=[segment(0, 0)], constant=offsets(0)), why="the place of constants that a program does not have")
    case("segment-empty-beyond", pte(segments=[segment(8, 0)], constant=offsets(0)), "executorch-structure", "nothing, behind what is not there")
    case("segment-number", seg(list_=offsets(1, 0, 0)), "executorch-structure", "the second of one")
    case("segment-constant-offset", seg(list_=offsets(0, 0, 9)), "executorch-structure", "a constant behind it")
    case("segment-constant-short", seg(list_=offsets(0, 0, 4)), "executorch-structure", "a constant that does not fit")
    case("segment-both", pte(header=True, data=DATA, segments=[segment(0, 8)], constant=offsets(0, 0, 0)), "executorch-structure",
         "constants in both places")
    named = Vector([Table({0: text("weight"), 1: (U32, 0)})])
    case("named", seg(named=named), why="a segment with a name")
    named = Vector([Table({0: text("weight"), 1: (U32, 1)})])
    case("named-number", seg(named=named), "executorch-structure", "of a segment that is not there")


def tensors():
    for name, kind, n in (("u8", 0, 1), ("i8", 1, 1), ("i16", 2, 2), ("i32", 3, 4), ("i64", 4, 8), ("f16", 5, 2), ("f32", 6, 4),
                          ("f64", 7, 8), ("c64", 9, 8), ("bool", 11, 1), ("bf16", 15, 2), ("u16", 27, 2), ("u32", 28, 4)):
        case("type-" + name, pte(plans=[plan([tensor(), tensor(1, (3,), kind), tensor()])], constants=[buffer(), buffer(bytes(3 * n))]),
             why="three of them")
        case("short-" + name, pte(plans=[plan([tensor(), tensor(1, (3,), kind), tensor()])],
                                  constants=[buffer(), buffer(bytes(3 * n - 1))]), "executorch-structure", "a byte less")
    def one(t, data=DATA):
        return pte(plans=[plan([tensor(), t, tensor()])], constants=[buffer(), buffer(data)])
    case("type-unknown", one(tensor(1, kind=60)), "executorch-unsupported", "a newer one")
    case("size-overflow", one(tensor(1, (1 << 30, 1 << 30, 1 << 30))), "executorch-structure", "more than 64 bits")
    case("size-negative", one(tensor(1, (-1,))), "executorch-structure", "less than nothing")
    case("size-scalar", one(tensor(1, ()), DATA[:4]), why="no dimensions")
    case("size-order", one(tensor(1, order=b"\0\1")), "executorch-structure", "an order of two dimensions for one")
    case("size-rank", one(tensor(1, (1,) * 65)), "executorch-structure", "65 dimensions")
    case("size-storage-offset", one(tensor(1, offset=1)), "executorch-structure", "which no runtime supports")
    case("data-number", one(tensor(2)), "executorch-structure", "a buffer that is not there")
    case("data-shared", pte(plans=[plan([tensor(1), tensor(1), tensor()])]), why="two tensors, one buffer")
    case("data-nan", one(tensor(1), struct.pack("<2f", 1, float("nan"))), "format-partly-checked weights-nan", "one of two",
         nonfinite={"forward.1": counts(nan=1)})
    case("data-nan-named", one(tensor(1, extra=extra("mod.weight")), struct.pack("<2f", 1, float("nan"))),
         "format-partly-checked weights-nan", "with a name of its own", nonfinite={"mod.weight": counts(nan=1)})
    case("data-bool", one(tensor(1, kind=11), b"\1\2"), "format-partly-checked weights-bool-invalid", "a bool of 2",
         bool_invalid={"forward.1": 1})
    case("data-segment-nan", seg(struct.pack("<2f", float("inf"), 1)), "format-partly-checked weights-inf", "in a segment",
         nonfinite={"forward.1": counts(pos_inf=1)})
    case("data-external", pte(plans=[plan([tensor(), tensor(7, extra=extra("w", location=1)), tensor()])], constants=()),
         why="in another file")
    mutable = tensor(1, allocation=Table(dict(ALLOCATION)))
    case("data-mutable", pte(header=True, data=DATA, plans=[plan([tensor(), mutable, tensor()])], constants=(), segments=[segment(0, 8)],
                             mutable=[offsets(0, 0, 0)]), why="a first value")
    case("data-mutable-number", pte(plans=[plan([tensor(), mutable, tensor()])]), "executorch-structure",
         "a first value in a list that is not there")


def values():
    others = [(1, Table({})), (INT, Table({0: (I64, 5)})), (BOOL, Table({0: (U8, 1)})), (DOUBLE, Table({0: ("<d", 1.5)})),
              (STRING, Table({0: text("s")})), (INT_LIST, Table({0: Vector([1, 2], "<q", align=8)})),
              (DOUBLE_LIST, Table({0: Vector([1, 2], "<d", align=8)})), (BOOL_LIST, Table({0: Vector(b"\0\1")})),
              (TENSOR_LIST, Table({0: ints(0, 1)})), (OPTIONAL_LIST, Table({0: ints(0, -1)}))]
    base = [tensor(), tensor(1), tensor()]
    case("value-all", pte(plans=[plan(base + others)]), why="one of each kind")
    case("value-unknown", pte(plans=[plan(base + [(12, Table({}))])]), "executorch-unsupported", "a newer kind")
    case("value-none", pte(plans=[plan(base + [(0, None)])]), "executorch-structure", "nothing, which runtimes open all the same")
    case("value-union", pte(plans=[plan(base + [(INT, None)])]), "executorch-structure executorch-unsupported", "a kind of nothing")
    case("value-list", pte(plans=[plan(base + [(TENSOR_LIST, Table({0: ints(9)}))])]), "executorch-structure", "a tensor that is not there")
    case("value-list-none", pte(plans=[plan(base + [(TENSOR_LIST, Table({0: ints(-1)}))])]), "executorch-structure",
         "none, where one has to be")
    case("index-input", pte(plans=[plan(inputs=(3,))]), "executorch-structure", "the fourth of three")
    case("index-output", pte(plans=[plan(outputs=(-1,))]), "executorch-structure", "before the first")
    case("index-sound", pte(plans=[plan(inputs=(0, 1), outputs=(2,))]), why="those that are there")


def instructions():
    def of(*calls, **named):
        return pte(plans=[plan(calls=list(calls), **named)])
    case("call-all", of(call(), call(MOVE, 0, 1), call(JUMP, 0, 1), call(FREE, 2)), why="one of each but a delegate's")
    case("call-operator", of(call(first=1)), "executorch-structure", "the second of one")
    case("call-operator-negative", of(call(first=-1)), "executorch-structure", "before the first")
    case("call-argument", of(call(second=(0, 3))), "executorch-structure", "the fourth of three")
    case("call-move", of(call(MOVE, 0, 3)), "executorch-structure", "to the fourth of three")
    case("call-move-from", of(call(MOVE, 3, 0)), "executorch-structure", "from the fourth of three")
    case("call-jump", of(call(JUMP, 0, 1)), "executorch-structure", "behind the last instruction")
    case("call-free", of(call(FREE, 3)), "executorch-structure", "the fourth of three")
    case("call-delegate", of(call(DELEGATE, 0)), "executorch-structure", "the first of none")
    case("call-unknown", of(Table({0: (U8, 6), 1: Table({})})), "executorch-unsupported", "a newer instruction")
    case("call-nothing", of(Table({})), "executorch-unsupported", "none at all")
    frames_ = Vector([Table({0: Vector([Table({0: text("a.py"), 1: (I32, 3), 2: text("f"), 3: text("x")})])})])
    case("call-stack", pte(plans=[plan(stacks=frames_)]), why="with the lines it came from")


def operators():
    for name in ("aten::mul", "dim_order_ops::_to_dim_order_copy", "executorch_prim::et_view", "quantized_decomposed::add"):
        case("operator-" + name.split("::", maxsplit=1)[0].replace("_", "-"), pte(plans=[plan(operators=[operator(name)])]), why="of the runtime")
    for name in ("my::op", "aten", "aten::", "Aten::add", ""):
        case("operator-other-" + (name.replace("::", "-") or "none"), pte(plans=[plan(operators=[operator(name)])]),
             "format-partly-checked executorch-custom-op", "the application's")
    with_one = {"plans": [plan(calls=[call(DELEGATE)], operators=[], delegates=[delegate()])], "inline": [buffer(b"\x7fELF" + bytes(60))]}
    case("delegate", pte(**with_one), "format-partly-checked executorch-delegate", "its code in the program")
    specs = [Table({0: text("max_value"), 1: Vector(b"\4")})]
    case("delegate-segment", pte(header=True, data=b"blob" * 4, segments=[segment(0, 16)],
                                 plans=[plan(calls=[call(DELEGATE)], delegates=[delegate(location=1, specs=specs)])]),
         "format-partly-checked executorch-delegate", "its code in a segment")
    case("delegate-empty", pte(**{**with_one, "inline": [buffer(b"")]}), why="which is given nothing")
    case("delegate-segment-empty", pte(header=True, data=b"", segments=[segment(0, 0)], plans=[plan(calls=[call(DELEGATE)], delegates=[delegate(location=1)])]),
         why="likewise, in a segment")
    case("delegate-number", pte(plans=[plan(delegates=[delegate(index=1)])]), "executorch-structure executorch-delegate",
         "its code nowhere")
    case("delegate-location", pte(plans=[plan(delegates=[delegate(location=2)])]), "executorch-unsupported executorch-delegate",
         "a newer place")
    case("delegate-none", pte(plans=[plan(operators=[operator("XnnpackBackend::x")])]), "format-partly-checked executorch-custom-op",
         "an operator of that name")


# -- data files

def ptd(entries=None, segments_=None, data=DATA, header=None, root=None):
    layout = Table({0: (U8, FLOAT), 1: ints(2), 2: Vector(b"\0")})
    entries = [Table({0: text("weight"), 2: layout})] if entries is None else entries
    root = root or Table({0: (U32, 0), 1: Vector([segment(0, len(data))] if segments_ is None else segments_), 2: Vector(entries)})
    out = bytearray(Writer(b"FT01", b"FH01" + struct.pack("<I4Q", 40, 0, 0, 0, 0)).write(root, 16))
    struct.pack_into("<IQQQQ", out, 12, *(header(len(out)) if header else (40, 0, len(out), len(out), len(data))))
    return bytes(out) + data


def flats():
    def at(name, made, codes=PARTLY, why="", **more):
        case("flat-" + name, made, codes, why, ".ptd", **more)
    at("sound", ptd(), why="a tensor of two numbers")
    at("nan", ptd(data=struct.pack("<2f", 1, float("nan"))), "format-partly-checked weights-nan", "one of two",
       nonfinite={"weight": counts(nan=1)})
    at("no-layout", ptd([Table({0: text("blob")})]), why="bytes with a name")
    at("number", ptd([Table({0: text("w"), 1: (U32, 1)})]), "executorch-structure", "a segment that is not there")
    at("short", ptd(data=DATA[:7]), "executorch-structure", "a byte less than two numbers")
    at("header-none", Writer(b"FT01").write(Table({0: (U32, 0)})) + bytes(48), "executorch-structure", "no header")
    at("header-short", ptd(header=lambda n: (39, 0, n, n, 8)), "executorch-structure", "too short")
    at("header-begin", ptd(header=lambda n: (40, 8, n, n, 8)), "executorch-structure", "a beginning elsewhere")
    at("header-data", ptd(header=lambda n: (40, 0, n, n, 9)), "executorch-structure", "a byte more than there is")
    at("old", ptd(root=Table({0: (U32, 0), 1: (U32, 16), 2: Vector([]), 3: Vector([])})), "executorch-unsupported", "the first form")


# -- ONNX Runtime

def orts():
    model = Writer(b"ORTM").write(Table({0: text("5"), 1: Table({0: (I64, 8), 2: text("made"), 3: text("by hand")})}))
    case("ort-sound.ort", model, "format-identified-only", "named: nothing in it is read")
    case("ort-cut.ort", model[:12], "format-identified-only", "half of it, likewise")
    case("ort-identifier.ort", model.replace(b"ORTM", b"ORTX"), "format-unknown", "another identifier")
    case("ort-named.onnx", model, "format-identified-only format-name-differs", "by the name of ONNX")


REVIEWED.add("format-name-differs")
CORPUS.make(frames, headers, segments, tensors, values, instructions, operators, flats, orts)
