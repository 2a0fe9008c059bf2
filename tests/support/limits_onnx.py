"""ONNX models that are sound as files, of one operator that its definition forbids or a runtime does not bear, and near misses."""
import struct

from protobuf_writer import blob, many, num, varint

FLOAT, INT8, INT64 = 1, 3, 7
CODE, RANGE = "onnx-runtime-limit", "onnx-runtime-range"


def signed(n):
    return n % 2**64


def packed(number, values):
    return blob(number, b"".join(varint(signed(v)) for v in values))


def tensor(name, dims, values=None, dtype=INT64, raw=True):
    """values None: zeros, of floats."""
    count = 1
    for d in dims:
        count *= d
    if values is None:
        dtype, data = FLOAT, blob(9, bytes(4 * count))
    elif raw:
        data = blob(9, struct.pack(f"<{len(values)}{'q' if dtype == INT64 else 'f'}", *values))
    else:
        data = packed(7, values)
    return (packed(1, dims) if dims else b"") + num(2, dtype) + blob(8, name) + data


def attribute(name, value):
    if isinstance(value, int):
        return blob(1, name) + num(3, signed(value)) + num(20, 2)
    if isinstance(value, list) and value and isinstance(value[0], float):
        return blob(1, name) + blob(7, struct.pack(f"<{len(value)}f", *value)) + num(20, 6)
    if isinstance(value, list):
        return blob(1, name) + b"".join(num(8, signed(v)) for v in value) + num(20, 7)
    return blob(1, name) + blob(5, value) + num(20, 4)


def node(op, inputs, outputs=1, domain="", **attributes):
    outs = outputs if isinstance(outputs, list) else [f"y{i}" for i in range(outputs)]
    return many(1, inputs) + many(2, outs) + blob(4, op) + many(5, [attribute(k, v) for k, v in attributes.items()]) + (
        blob(7, domain) if domain else b"")


def value(name, dims=("n",)):
    shape = many(1, [blob(2, d) if isinstance(d, str) else num(1, d) for d in dims])
    return blob(1, name) + blob(2, blob(1, num(1, FLOAT) + blob(2, shape)))


def model(nodes, constants=(), inputs=("x",), opset=21, outputs=("y0",), ml=3):
    graph = many(1, nodes) + blob(2, "g") + many(5, constants) + many(11, [
        i if isinstance(i, bytes) else value(i) for i in inputs]) + many(12, [value(o) for o in outputs])
    return num(1, 9) + blob(7, graph) + blob(8, blob(1, "") + num(2, opset)) + blob(8, blob(1, "ai.onnx.ml") + num(2, ml))


def one(op, *inputs, outputs=1, opset=21, domain="", **attributes):
    """An operator of x and of these constants."""
    names = ["x"] + [f"c{i}" for i in range(len(inputs))]
    constants = [tensor(f"c{i}", *c) for i, c in enumerate(inputs)]
    return model([node(op, names, outputs, domain, **attributes)], constants, opset=opset,
                 outputs=[f"y{i}" for i in range(outputs)])


def of(op, *inputs, opset=21, domain="", **attributes):
    """An operator of these constants alone."""
    return model([node(op, [f"c{i}" for i in range(len(inputs))], domain=domain, **attributes)],
                 [tensor(f"c{i}", *c) for i, c in enumerate(inputs)], (), opset)


W = ((1, 1, 1, 1),)
LISTS = {} # attributes that are lists although of one element, by operator


def ints(*values):
    return ((len(values),), values)


def as_field(*values):
    return ((len(values),), values, INT64, False)


def from_constant(op, how, **attributes):
    """The second input comes from a Constant, perhaps through Identity."""
    nodes = [node("Constant", [], ["k"], value=tensor("", *ints(*attributes.pop("values"))))]
    if how:
        nodes.append(node("Identity", ["k"], ["i"]))
    return model([*nodes, node(op, ["x", "i" if how else "k"], **attributes)])


def pairs():
    """(name, bad, good)."""
    yield "conv-strides", one("Conv", W, strides=[0, 0]), one("Conv", W, strides=[1, 1])
    yield "conv-strides-short", one("Conv", W, strides=[1]), one("Conv", ((1, 1, 1),), strides=[1])
    yield "conv-pads", one("Conv", W, pads=[1]), one("Conv", W, pads=[1, 1, 1, 1])
    yield "conv-weight", one("Conv", ((1, 0, 1, 1),)), one("Conv", W)
    yield "conv-group", one("Conv", W, group=0), one("Conv", W, group=1)
    yield "pool-kernel", one("MaxPool", kernel_shape=[0, 0]), one("MaxPool", kernel_shape=[2, 2])
    yield "pool-pads", one("AveragePool", kernel_shape=[2, 2], pads=[1]), \
        one("AveragePool", kernel_shape=[2, 2], pads=[0, 0, 1, 1])
    yield "split-scalar", one("SplitToSequence", ((), (0,))), one("SplitToSequence", ((), (1,)))
    yield "split-vector", one("SplitToSequence", ints(-1, 4)), one("SplitToSequence", ints(0, 4))
    yield "split", of("Split", ((4,),), ints(3, 3)), one("Split", ints(1, 3), outputs=2)
    yield "split-outputs", one("Split", num_outputs=2**31), one("Split", num_outputs=1)
    yield "slice-step", one("Slice", ints(0), ints(4), ints(0), ints(0)), \
        one("Slice", ints(0), ints(-2**63 + 1), ints(0), ints(-1))
    yield "slice-lengths", one("Slice", ints(0, 0), ints(4)), one("Slice", ints(0), ints(2**63 - 1))
    yield "reshape", one("Reshape", ints(-1, -1)), one("Reshape", ints(0, -1))
    yield "reshape-less", one("Reshape", as_field(-2)), one("Reshape", as_field(-1))
    yield "reshape-rank", one("Reshape", ints(*[1] * 65)), one("Reshape", ints(*[1] * 64))
    yield "reshape-constant", from_constant("Reshape", False, values=(-1, -1)), from_constant("Reshape", False, values=(-1,))
    yield "reshape-identity", from_constant("Reshape", True, values=(-1, -1)), from_constant("Reshape", True, values=(-1,))
    yield "reshape-value-ints", *(model([node("Constant", [], ["k"], value_ints=v), node("Reshape", ["x", "k"])])
                                  for v in ([-1, -1], [0, -1]))
    yield "split-value-int", *(model([node("Constant", [], ["k"], value_int=v), node("SplitToSequence", ["x", "k"])])
                               for v in (0, 1))
    yield "expand-declared", *(model([node("Expand", ["x", "s"])], inputs=("x", value("s", (n,)))) for n in (2**40, 4))
    yield "shape-bomb", of("ConstantOfShape", ints(2**40)), of("ConstantOfShape", ints(2**20))
    yield "shape-overflow", of("ConstantOfShape", ints(2**32, 2**32)), of("ConstantOfShape", ints(2**16, 2**16))
    yield "shape-negative", of("ConstantOfShape", ints(-1)), one("ConstantOfShape")
    yield "range", of("Range", ((), (0,)), ((), (2**40,)), ((), (1,))), of("Range", ((), (0,)), ((), (2**40,)), ((), (2**30,)))
    yield "range-step", of("Range", ((), (0,)), ((), (4,)), ((), (0,))), of("Range", ((), (4,)), ((), (0,)), ((), (-1,)))
    yield "gather", of("Gather", ((4,),), ints(4)), of("Gather", ((4,),), ints(3))
    yield "gather-negative", of("Gather", ((4,),), ints(-5)), of("Gather", ((4,),), ints(-4))
    yield "gather-nd", of("GatherND", ((2, 2),), ((1, 3), (0, 0, 0))), of("GatherND", ((2, 2),), ((1, 2), (1, -1)))
    yield "scatter-nd", *(of("ScatterND", ((4,),), ((1, 1), (n,)), ((1,),)) for n in (4, 3))
    yield "division", one("Div", ints(0, 1)), one("Div", ((2,), (0.0, 1.0), FLOAT))
    yield "modulo", one("Mod", ((), (0,))), one("Mod", ints(1, 1))
    yield "transpose", one("Transpose", perm=[0, 0]), one("Transpose", perm=[1, 0])
    yield "transpose-past", one("Transpose", perm=[0, 2]), one("Transpose")
    yield "lstm", one("LSTM", ((1, 4, 1),), ((1, 4, 1),), hidden_size=2), one("LSTM", ((1, 4, 1),), ((1, 4, 1),), hidden_size=1)
    yield "lrn", one("LRN", size=2**31 - 1), one("LRN", size=65535)
    yield "depth", one("DepthToSpace", blocksize=0), one("DepthToSpace", blocksize=2)
    yield "col2im", one("Col2Im", ints(4, 4), ints(2, 2), strides=[0, 0]), one("Col2Im", ints(4, 4), ints(2, 2), strides=[1, 1])
    yield "squeeze", of("Squeeze", ((1, 4),), ints(65)), of("Squeeze", ((1, 4),), ints(-2))
    yield "squeeze-attribute", one("Squeeze", opset=11, axes=[65]), one("Squeeze", opset=11, axes=[-1])
    svm = {"domain": "ai.onnx.ml", "classlabels_ints": [0, 1], "coefficients": [1.0, 1.0], "rho": [1.0]}
    yield "svm", one("SVMClassifier", vectors_per_class=[1000000, 1000000], support_vectors=[1.0, 2.0], **svm), \
        one("SVMClassifier", vectors_per_class=[1, 1], support_vectors=[1.0, 2.0], **svm)
    yield "tree", *(one("TreeEnsembleRegressor", domain="ai.onnx.ml", n_targets=1, target_ids=[n]) for n in (1, 0))


def section(case):
    for name, bad, good in pairs():
        case(f"onnx-{name}-bad.onnx", bad, CODE, "an operator that its definition forbids")
        case(f"onnx-{name}-near.onnx", good, "", "and one that it does not")
    case("onnx-dilations-bad.onnx", one("Conv", W, dilations=[0, 0]), RANGE, "a kernel that is one point")
    case("onnx-dilations-near.onnx", one("Conv", W, dilations=[2, 2]), "", "and one that is not")
    for name, trips, answer in (("bad", 2**63 - 1, node("Identity", ["again"], ["on"])),
                                ("near", 2**63 - 1, node("Less", ["turn", "x"], ["on"])),
                                ("few-near", 1000, node("Identity", ["again"], ["on"]))):
        body = many(1, [answer, node("Identity", ["state"], ["next"])]) + blob(2, "body") + many(11, [
            value("turn", ()), value("again", ()), value("state")]) + many(12, [value("on", ()), value("next")])
        loop = many(1, ["trips", "go", "x"]) + blob(2, "y0") + blob(4, "Loop") + blob(5, blob(1, "body") + blob(6, body) + num(20, 5))
        huge = "onnx-loop-trip" if trips > 1000 else ""
        case(f"onnx-loop-{name}.onnx", model([loop], [tensor("trips", (), (trips,)), tensor("go", (), (1,))]),
             f"{huge} {CODE if name == 'bad' else ''}", "a loop that nothing ends, or something does")
    nodes = [node("Identity", ["x"], ["k"]), node("Reshape", ["x", "k"])]
    case("onnx-computed.onnx", model(nodes), "", "a shape that nobody knows before it runs")


def of_operands(op, domain, since, inputs, operands):
    """A model in which the operator has these (limits_sides.py): inputs by the row's names, all others attributes."""
    operands = dict(operands)
    count, outputs = operands.pop("in", 0), operands.pop("out", 1)
    names, constants, attributes = [], [], {}
    last = max([i for i, n in enumerate(inputs) if n in operands] + [0])
    for i, name in enumerate(inputs[:last + 1]):
        o = operands.pop(name, None)
        if o is None:
            names.append("x")
            continue
        names.append(name)
        if o.dims is not None:
            constants.append(tensor(name, o.dims))
        else:
            many_ = isinstance(o.values, list)
            constants.append(tensor(name, (len(o.values),) if many_ else (), o.values if many_ else [o.values]))
    names += ["x"] * (count - len(names)) or []
    for name, o in operands.items():
        many_ = o.values if isinstance(o.values, list) else [o.values]
        attributes[name] = many_ if name in LISTS.get(op, ()) or len(many_) != 1 else many_[0]
    ml = domain == "ai.onnx.ml"
    return model([node(op, names[:count] if count else names, outputs, "ai.onnx.ml" if ml else "", **attributes)], constants,
                 opset=21 if ml else since, outputs=[f"y{i}" for i in range(outputs)], ml=since if ml else 3)
