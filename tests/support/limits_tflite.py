"""TensorFlow Lite models that are sound as files, of one operator that its kernel does not bear, and near misses."""
import struct

from flatbuffer_writer import Table, Vector, Writer, ints, text

U8, U32, I32 = "<B", "<I", "<i"
CODE, RANGE = "tflite-runtime-limit", "tflite-runtime-range"
F32, INT, INT64, INT8 = 0, 2, 4, 9


class T:
    """A tensor: shape, and its values if it is a constant."""
    def __init__(self, *shape, data=None, kind=F32, variable=False, signature=None, scale=None):
        self.shape, self.data, self.kind, self.variable = shape, data, kind, variable
        self.signature, self.scale = signature, scale

    def contents(self):
        form = {F32: "f", INT: "i", INT64: "q", INT8: "b"}[self.kind]
        return struct.pack(f"<{len(self.data)}{form}", *self.data) if self.data is not None else b""


def options(kind, *fields, **bytes_):
    """Numbers of four bytes by place, and of one byte as bN=."""
    table = {i: (I32, v) for i, v in enumerate(fields) if v is not None}
    table.update({int(k[1:]): (U8, v) for k, v in bytes_.items()})
    return kind, Table(table)


def model(code, inputs, outputs, given=None, fed=None, wired=None):
    """One operator.  inputs: T, or None for one that is left out; fed: which of them the caller gives; all without data by default."""
    tensors = [t for t in inputs if t is not None] + list(outputs)
    places = iter(range(len(tensors)))
    into = [-1 if t is None else next(places) for t in inputs]
    out = list(places)
    if fed is None:
        fed = [i for i, t in enumerate(tensors) if i not in out and t.data is None and not t.variable]
    buffers = [b""]
    rows = []
    for i, t in enumerate(tensors):
        if t.data is not None:
            buffers.append(t.contents())
        quant = Table({2: Vector([t.scale], "<f"), 3: Vector([0], "<q")}) if t.scale else None
        rows.append(Table({0: ints(*t.shape), 1: (U8, t.kind) if t.kind else None,
                           2: (U32, len(buffers) - 1) if t.data is not None else None, 3: text(f"t{i}"), 4: quant,
                           5: (U8, 1) if t.variable else None, 7: ints(*t.signature) if t.signature else None}))
    kind, table = given or (0, None)
    op = Table({1: ints(*into), 2: ints(*(wired or out)), 3: (U8, kind) if kind else None, 4: table})
    graph = Table({0: Vector(rows), 1: ints(*fed), 2: ints(*(wired or out)), 3: Vector([op]), 4: text("main")})
    codes = Table({0: ("<b", min(code, 127)), 3: (I32, code)})
    return Writer(b"TFL3").write(Table({
        0: (U32, 3), 1: Vector([codes]), 2: Vector([graph]), 3: text("made by hand"),
        4: Vector([Table({0: Vector(b, align=16) if b else None}) for b in buffers])}), 4)


def conv(stride=1, w=(1, 1, 1, 1), bias=(1,), x=(1, 4, 4, 1), given=True, kind=1, dilation=None, **more):
    inputs = [T(*x, **more), T(*w), T(*bias) if bias else None]
    return model(3, inputs, [T(1, 4, 4, 1)], options(kind, None, stride, stride, None, dilation, dilation) if given else None)


def transpose_conv(stride):
    return model(67, [T(4, data=[1, 4, 4, 1], kind=INT), T(1, 1, 1, 1), T(1, 4, 4, 1)], [T(1, 4, 4, 1)],
                 options(49, None, stride, stride))


def depthwise(channels):
    return model(4, [T(1, 4, 4, channels), T(1, 1, 1, 1), T(1)], [T(1, 4, 4, 1)], options(2, None, 1, 1, 1))


def svdf(rank=1, variable=True):
    return model(27, [T(1, 2), T(2, 2), T(2, 3), None, T(1, 6, variable=variable)], [T(1, 2)], options(6, rank),
                 fed=None if variable else [0, 1, 2, 3])


def quantised(scale):
    return model(9, [T(1, 2, kind=INT8, scale=scale), T(2, 2, kind=INT8, scale=scale), None], [T(1, 2, kind=INT8, scale=scale)],
                 options(8))


def segments(*ids):
    return model(125, [T(3, 2), T(3, data=ids, kind=INT)], [T(2, 2)])


def gather_nd(*index, params=(2, 4)):
    return model(107, [T(*params), T(1, 2, data=index, kind=INT)], [T(1)])


def pairs():
    """(name, bad, good)."""
    yield "conv-stride", conv(0), conv(1)
    yield "conv-no-options", conv(given=False), conv()
    yield "conv-other-options", conv(kind=2), conv(kind=1)
    yield "conv-dilation", conv(dilation=0), conv(dilation=None)
    yield "conv-filter", conv(w=(1, 1, 1, 0)), conv(signature=(1, -1, -1, 1))
    yield "conv-bias", conv(bias=(0,)), conv(bias=None)
    yield "conv-channels", conv(w=(1, 1, 1, 3)), conv(x=(1, 4, 4, 2))
    yield "transpose-conv", transpose_conv(0), transpose_conv(1)
    yield "transpose-conv-large", transpose_conv(32768), transpose_conv(32767)
    yield "depthwise", depthwise(0), depthwise(1)
    yield "pool", model(17, [T(1, 4, 4, 1)], [T(1, 4, 4, 1)], options(5, None, 1, 1, 0, 1)), \
        model(17, [T(1, 4, 4, 1)], [T(1, 4, 4, 1)], options(5, None, 1, 1, 1, 1))
    yield "dense", model(9, [T(4), T(1, 400), None], [T(1)], options(8)), model(9, [T(2, 400), T(1, 400), None], [T(2, 1)], options(8))
    yield "space-to-depth", model(26, [T(1, 4, 4, 1)], [T(1, 4, 4, 1)], options(19, 0)), \
        model(26, [T(1, 4, 4, 1)], [T(1, 4, 4, 1)], options(19, 1))
    yield "space-to-batch", *(model(38, [T(1, 4, 4, 1), T(2, data=[n, n], kind=INT), T(2, 2, data=[0] * 4, kind=INT)], [T(1, 4, 4, 1)])
                              for n in (0, 1))
    yield "svdf-rank", svdf(0), svdf(2)
    yield "svdf-state", svdf(variable=False), svdf()
    yield "gather-nd-empty", gather_nd(0, 0, params=(0, 4)), gather_nd(0, 0)
    yield "gather-nd-index", gather_nd(0, -1000000), gather_nd(1, 3)
    yield "gather-nd-past", gather_nd(2, 0), model(107, [T(2, 4), T(1, 2, kind=INT)], [T(1)])
    yield "minimum", model(57, [T(0), T(1)], [T(1)]), model(57, [T(1), T(1)], [T(1)])
    yield "lookup", model(7, [T(1, kind=INT), T(0, 4)], [T(1, 4)]), model(7, [T(1, kind=INT), T(1, 4)], [T(1, 4)])
    yield "lsh", model(15, [T(0, 0), T(1), None], [T(1, kind=INT)]), model(15, [T(1, 32), T(1), None], [T(1, kind=INT)])
    yield "segment-negative", segments(-1, 0, 1), segments(0, 0, 1)
    yield "segment-descends", segments(1, 0, 1), segments(0, 1, 1)
    yield "split-axis", *(model(102, [T(4), T(2, data=[2, 2], kind=INT), T(1, data=[axis], kind=INT)], [T(2), T(2)], options(79, 2))
                          for axis in (1000000, -1))
    yield "alias", model(0, [T(1), T(1)], [], wired=[0]), model(0, [T(1), T(1)], [T(1)])
    yield "source", model(0, [T(1), T(1)], [T(1)], fed=[0]), model(0, [T(1), T(1, data=[1])], [T(1)])
    yield "scale", quantised(None), quantised(0.5)
    yield "arity", model(0, [T(1)], [T(1)]), model(88, [T(1)], [T()], options(64, 1))
    yield "left-out", model(0, [T(1), None], [T(1)]), model(9, [T(2), T(1, 2), None], [T(1)], options(8))
    yield "reshape", model(22, [T(4), T(2, data=[-1, -1], kind=INT)], [T(4)]), model(22, [T(4), T(1, data=[-1], kind=INT)], [T(4)])
    yield "fill-bomb", *(model(94, [T(2, data=[n, 1 << 17], kind=INT64), T(1)], [T()]) for n in (1 << 18, 1 << 13))
    yield "scatter-nd", *(model(122, [T(1, 1, data=[n], kind=INT), T(1), T(1, data=[4], kind=INT)], [T(4)]) for n in (4, 3))
    yield "range", *(model(96, [T(1, data=[n], kind=INT64) for n in (0, end, 1)], [T(1, kind=INT64)]) for end in (1 << 40, 1 << 20))
    yield "boundaries", *(model(147, [T(1)], [T(1, kind=INT)], (115, Table({0: Vector(b, "<f")}))) for b in ([-1.0, -2.0], [-2.0, -1.0]))
    yield "division", *(model(42, [T(2, kind=INT), T(2, data=[1, n], kind=INT)], [T(2, kind=INT)]) for n in (0, 1))


# Tables of options that terms read: their place in the union, and the width of each field (4, 1, or i: a list).
OPTIONS = {
    "Pool2DOptions": (5, "144441"), "ConcatenationOptions": (10, "41"), "Conv2DOptions": (1, "1441441"), "DepthwiseConv2DOptions":
    (2, "1444144"), "DepthToSpaceOptions": (94, "4"), "LocalResponseNormalizationOptions": (13, "4444"), "ReshapeOptions": (17, "i"),
    "SpaceToDepthOptions": (19, "4"), "SVDFOptions": (6, "411"), "SkipGramOptions": (18, "441"), "GatherOptions": (23, "44"),
    "SqueezeOptions": (30, "i"), "SplitOptions": (35, "4"), "TransposeConvOptions": (49, "14411"), "FakeQuantOptions": (58, "4441"),
    "PackOptions": (59, "44"), "OneHotOptions": (61, "4"), "UnpackOptions": (64, "44"), "SplitVOptions": (79, "4"),
    "ReverseSequenceOptions": (87, "44"), "Conv3DOptions": (106, "14441444"), "BucketizeOptions": (115, "i")}


def of_operands(code, table, fields, arity, operands):
    """A model in which the operator has these (limits_sides.py).  @fields: places of attributes by name; @arity: inputs and outputs."""
    operands = dict(operands)
    n_in, n_out = operands.pop("in", arity[0]), operands.pop("out", arity[1])
    n_in = max([n_in] + [int(k[1:]) + 1 for k in operands if k not in fields])
    inputs = [T(1, 1, 1, 1) for _ in range(n_in)]
    given = {}
    for name, o in operands.items():
        if name in fields:
            kind, widths = OPTIONS[table]
            given[fields[name]] = ints(*o.values) if widths[fields[name]] == "i" else (I32, o.values[0])
        elif o.dims is not None:
            inputs[int(name[1:])] = T(*o.dims)
        else:
            values = o.values if isinstance(o.values, list) else [o.values]
            inputs[int(name[1:])] = T(len(values), data=values, kind=INT64)
    return model(code, inputs, [T(1) for _ in range(n_out)], (OPTIONS[table][0], Table(given)) if given else None)


def section(case):
    for name, bad, good in pairs():
        case(f"tflite-{name}-bad.tflite", bad, CODE, "an operator that the kernel does not bear")
        case(f"tflite-{name}-near.tflite", good, "", "and one that it does")
    case("tflite-elements-bad.tflite", model(0, [T(65536, 65536, 16), T(1)], [T(1)]), RANGE, "more than an int counts")
    case("tflite-elements-near.tflite", model(0, [T(2147483647), T(1)], [T(1)]), "", "as many as it counts")
