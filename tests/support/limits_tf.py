"""TensorFlow graphs that are sound as messages, of one operator that its kernel, or whoever builds the graph, does not bear, and
near misses."""
import struct

from protobuf_writer import blob, num
from tf_nodes import FIELDS, OPS, attr, needs, node, placeholders, resolve

CODE, RANGE = "tf-runtime-limit", "tf-runtime-range"
FLOAT, DOUBLE, INT, STRING, INT64, BOOL, HALF = 1, 2, 3, 7, 9, 10, 19
FORMS = {8: "q", 1: "f", 2: "d", 3: "i", 4: "B", 5: "h", 6: "b", 9: "q", 10: "?", 11: "b", 12: "B", 13: "i", 14: "H", 17: "H", 19: "e", 22: "I", 23: "Q"}


def shape(*dims):
    return b"".join(blob(2, num(1, d) if d else b"") for d in dims)


def tensor(dtype, dims, values):
    if dtype not in FORMS:
        return num(1, dtype) + blob(2, shape(*dims))
    form = FORMS[dtype]
    if dtype == 14:
        values = [struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values]
    return num(1, dtype) + blob(2, shape(*dims)) + blob(4, struct.pack(f"<{len(values)}{form}", *values))


def constant(name, dtype, values, dims=None, declared=None):
    """@values: a number, or a list of them."""
    many = isinstance(values, (list, tuple))
    dims = dims if dims is not None else (len(values),) if many else ()
    return node(name, "Const", (), attr("dtype", num(6, declared or dtype)) +
                attr("value", blob(8, tensor(dtype, dims, values if many else [values]))))


def value(match, given):
    """Of an attribute."""
    kind = match[2]
    if kind == "shape":
        return blob(7, shape(*given))
    if kind == "float":
        return blob(1, blob(4, struct.pack(f"<{len(given)}f", *given))) if match[3] else b"\x25" + struct.pack("<f", given)
    if match[3]:
        return blob(1, b"".join(num(FIELDS[kind], v) for v in given))
    return blob(2, given) if kind == "string" else num(FIELDS[kind], given)


def graph(*nodes, more=b""):
    return b"".join([*nodes, *placeholders(nodes)]) + more + blob(4, num(1, 1087))


def model(*nodes, more=b"", info=b""):
    return num(1, 1) + blob(2, blob(1, blob(4, "serve") + info) + blob(2, graph(*nodes, more=more)))


def one(op, shapes=None, **given):
    """A model of this operator.  By name: attributes; inputs that are constants; @shapes: of constants whose contents do not
    matter."""
    return made(op, shapes or {}, given)


def made(op, shapes, given):
    for name, t in OPS[op][0]: # one of what may be several
        number = t.split("*")[0]
        if "*" in t and number not in given and (name in given or name in shapes):
            given[number] = max(int(OPS[op][2][number][5] or 0), 1)
    more = b"".join(attr(k, value(OPS[op][2][k], v)) for k, v in given.items() if k in OPS[op][2])
    inputs, nodes = [], []
    for name, dtype in resolve(op, 0, more)[1]:
        if name in given or name in shapes:
            n = 1
            for d in shapes.get(name, ()):
                n *= d
            if name not in inputs: # of several all are the same
                nodes.append(constant(name, dtype, given.get(name, [0] * n), shapes.get(name)))
            inputs.append(name)
        else:
            inputs.append(f"in{dtype}")
    return model(*nodes, node("it", op, inputs, more))


def of_operands(op, operands):
    """A model in which the operator has these (limits_sides.py): attributes by their kind, all others constants."""
    given, shapes = {}, {}
    takes = {n for n, _ in OPS[op][0]}
    for name, o in operands.items():
        match = OPS[op][2].get(name)
        if name not in takes and match[2] == "shape":
            given[name] = o.dims
        elif name not in takes:
            given[name] = o.values if bool(match[3]) == isinstance(o.values, list) or match[3] else o.values[0]
        elif o.dims is not None:
            shapes[name] = o.dims
        else:
            given[name] = o.values
        wide = isinstance(o.values, list) and any(isinstance(v, int) and abs(v) >= 1 << 31 for v in o.values)
        if wide or o.kind in ("int", "size", "prod"): # an integer that is wide enough
            which = dict(OPS[op][0]).get(name, "")
            if which in OPS[op][2]:
                allowed = OPS[op][2][which][6]
                given[which] = INT64 if o.kind != "int" and (not allowed or str(INT64) in allowed.split(",")) else INT
    return made(op, shapes, given)


def function(name, nodes, results=(), rets=(), args=()):
    body = b"".join(b"\x1a" + n[1:] for n in nodes)
    args = [(a, FLOAT) for a in args] + [(f"in{t}", t) for t in needs(nodes)]
    signature = blob(1, name) + b"".join(blob(2, blob(1, a) + num(3, t)) for a, t in args) + b"".join(
        blob(3, blob(1, r) + num(3, FLOAT)) for r in results)
    return blob(2, blob(1, blob(1, signature) + body + b"".join(blob(4, blob(1, k) + blob(2, v)) for k, v in rets)))


X = node("x", "Placeholder", (), attr("dtype", num(6, FLOAT)))
C = constant("c", FLOAT, [1.0, 2.0])
T1 = attr("T", num(6, FLOAT))


def add(a, b, more=T1):
    return model(X, C, raw("y", "AddV2", (a, b), more))


def raw(name, op, inputs, more=b""):
    """Nothing is made up."""
    return blob(1, blob(1, name) + blob(2, op) + b"".join(blob(3, i) for i in inputs) + more)


def in_function(source):
    """A function that gives what its node gives, and another node of it that takes `source`."""
    split = node("s", "Split", (), attr("num_split", num(3, 2)) + T1)
    return model(X, more=function("f", (split, node("n", "Neg", (source,), T1)), ("r",), (("r", "n:y:0"),), ("a",)))


def calls(callee, defined="f"):
    body = function(defined, (node("n", "Neg", ("a",), T1),), ("r",), (("r", "n:y:0"),), ("a",))
    return model(X, node("y", "PartitionedCall", ("x",), attr("Tin", blob(1, num(6, FLOAT))) + attr("Tout", blob(1, num(6, FLOAT))) +
                         attr("f", blob(10, blob(1, callee)))), more=body)


def listed(*attrs):
    op = blob(1, "Neg") + b"".join(blob(4, blob(1, a) + blob(2, "type")) for a in attrs)
    return model(X, info=blob(2, blob(1, op)))


def with_shape(*dims, key="shape", kind=None):
    given = blob(7, shape(*dims))
    return model(node("p", "Placeholder", (), attr("dtype", num(6, FLOAT)) + attr(key, blob(1, given) if kind else given)))


def graph_pairs():
    """What every operator has: (name, bad, good)."""
    yield "arity-none", model(raw("y", "AddV2", (), T1)), add("x", "c")
    yield "arity-more", model(X, C, raw("y", "AddV2", ("x", "c", "c"), T1)), model(X, C, raw("y", "AddV2", ("x", "c", "^x"), T1))
    for n, good in ((3, 2), (1 << 40, 2)):
        yield f"arity-number-{n}", *(model(X, C, raw("y", "Pack", ("x", "c"), T1 + attr("N", num(3, k)))) for k in (n, good))
    yield "arity-list", *(model(X, C, raw("y", "IdentityN", ("x", "c"), attr("T", blob(1, num(6, FLOAT) * k)))) for k in (1, 2))
    yield "attribute-missing", add("x", "c", b""), add("x", "c", T1 + attr("_class", blob(1, blob(2, "loc:@x"))))
    bound = function("f", (raw("n", "Neg", ("a",), attr("T", blob(9, "T"))),), (), (), ("a",))
    yield "attribute-bound", model(X, more=function("f", (raw("n", "Neg", ("a",)),), (), (), ("a",))), model(X, more=bound)
    yield "attribute-kind", add("x", "c", attr("T", num(3, 1))), add("x", "c")
    yield "attribute-empty", add("x", "c", attr("T", b"")), add("x", "c")
    yield "attribute-list", add("x", "c", attr("T", blob(1, num(6, 1)))), add("x", "c")
    yield "attribute-type-none", add("x", "c", attr("T", num(6, 0))), add("x", "c")
    yield "attribute-type-other", model(node("b", "Placeholder", (), attr("dtype", num(6, BOOL))), raw("y", "Neg", ("b",), attr(
        "T", num(6, BOOL)))), model(X, raw("y", "Neg", ("x",), T1))
    yield "attribute-type-far", model(node("x", "Placeholder", (), attr("dtype", num(6, 1 << 20)))), model(X)
    yield "attribute-word", *(one("Conv2D", strides=[1] * 4, padding=p) for p in ("NONE", "VALID"))
    yield "attribute-least", one("MaxPool", strides=[1] * 3, ksize=[1] * 4), one("MaxPool", strides=[1] * 4, ksize=[1] * 4)
    yield "attribute-number", one("Split", num_split=0), one("Split", num_split=1)
    folded = attr("f", blob(10, blob(1, "f") + blob(2, blob(1, "Tin") + blob(2, blob(1, num(6, 1)))))) # has an attribute of its own
    types = attr("Tin", blob(1, num(6, 1))) + attr("Tout", blob(1, num(6, 1)))
    yield "attribute-of-function", *(model(X, raw("y", "PartitionedCall", ("x",), given + folded), more=function("f", (X,)))
                                     for given in (types[len(types) // 2:], types))
    yield "output", add("x:7", "c"), add("x:0", "c")
    split = node("s", "Split", (), attr("num_split", num(3, 2)) + T1)
    yield "output-number", *(model(split, raw("y", "Neg", (f"s:{k}",), T1)) for k in (2, 1))
    yield "output-none", model(node("n", "NoOp"), raw("y", "Neg", ("n",), T1)), model(X, node("n", "NoOp"), raw("y", "Neg", ("x", "^n"), T1))
    yield "output-named", in_function("s:nothing:0"), in_function("s:output:1")
    yield "output-named-number", in_function("s:output:2"), in_function("s:output:0")
    yield "type", add("x", "c", attr("T", num(6, DOUBLE))), add("x", "c")
    yield "type-shape", *(model(X, constant("k", t, [4]), raw("y", "Reshape", ("x", "k"), T1 + attr("Tshape", num(6, INT))))
                          for t in (FLOAT, INT))
    yield "type-shape-default", *(model(X, constant("k", t, [4]), raw("y", "Reshape", ("x", "k"), T1)) for t in (INT64, INT))
    yield "type-argument", *(model(X, more=function("f", (raw("n", "Neg", ("a",), attr("T", num(6, t))),), (), (), ("a",)))
                             for t in (INT, FLOAT))
    yield "type-constant", model(constant("c", HALF, [1.0], declared=FLOAT)), model(constant("c", HALF, [1.0]))
    yield "type-reference", *(model(node("x", "Placeholder", (), attr("dtype", num(6, t)))) for t in (101, 1))
    frames = node("e", "Exit", ("x",), T1), node("i", "Enter", ("x",), T1 + attr("frame_name", blob(2, "f")))
    yield "frame", model(X, frames[0]), model(X, *frames)
    yield "shape-product", with_shape(1 << 31, 1 << 31, 1 << 31), with_shape(-1, 1 << 31, 2)
    yield "shape-negative", with_shape(-2), with_shape(-1)
    yield "shape-listed", with_shape(1 << 62, 4, key="_output_shapes", kind="list"), with_shape(4, 4, key="_output_shapes", kind="list")
    yield "function-result", *(model(X, more=function("f", (node("n", "Neg", ("a",), T1),), ("r",), ret, ("a",)))
                               for ret in ((), (("r", "a"),)))
    yield "function-missing", calls("nope"), calls("f")
    yield "function-operator", calls("Nope"), calls("Neg")
    yield "opdef", listed("T", "T"), listed("T", "U")


def operator_pairs():
    """Limits that no simple file shows: (name, bad, good)."""
    for name, n in (("fill", 1 << 40), ("fill-edge", (1 << 32) + 1)):
        yield name + "-bomb", one("Fill", dims=[n], index_type=INT64, T=FLOAT), \
            one("Fill", dims=[1 << 32], index_type=INT64, T=FLOAT)
    yield "range-bomb", *(one("Range", start=0, limit=n, delta=1, Tidx=INT64) for n in (1 << 40, 1 << 20))
    yield "tile-bomb", *(one("Tile", shapes={"input": (4,)}, multiples=[n], T=FLOAT, Tmultiples=INT64) for n in (1 << 40, 1 << 20))
    yield "gather", *(one("GatherV2", shapes={"params": (4, 2)}, indices=[0, n], axis=0, Tparams=FLOAT, Tindices=INT, Taxis=INT)
                      for n in (4, 3))
    yield "gather-old", *(one("Gather", shapes={"params": (4, 2)}, indices=[0, n], Tparams=FLOAT, Tindices=INT) for n in (4, 3))
    yield "gather-nd", *(one("GatherNd", shapes={"params": (2, 4), "indices": (1, 2)}, indices=[1, n], Tparams=FLOAT, Tindices=INT)
                         for n in (4, 3))
    yield "scatter-nd", *(one("ScatterNd", shapes={"indices": (1, 1)}, indices=[n], shape=[4], T=FLOAT, Tindices=INT) for n in (4, 3))
    yield "slice-lengths", *(one("Slice", begin=[0] * n, size=[1], Index=INT, T=FLOAT) for n in (2, 1))
    yield "strided-lengths", *(one("StridedSlice", begin=[0] * n, end=[1], strides=[1], Index=INT, T=FLOAT) for n in (2, 1))
    yield "split-lengths", *(one("SplitV", num_split=2, size_splits=s, split_dim=0, T=FLOAT) for s in ([1], [1, -1]))
    yield "dimensions", *(one("ReverseSequence", seq_dim=1, batch_dim=n, T=FLOAT) for n in (1, 0))
    yield "normalisation", *(one("FusedBatchNorm", scale=[1.0] * n, offset=[1.0], T=FLOAT) for n in (2, 1))
    yield "channels", *(one("FakeQuantWithMinMaxVarsPerChannel", min=[0.0] * n, max=[1.0]) for n in (2, 1))
    yield "by-identity", *(model(constant("k", INT, [n, 1]), node("i", "Identity", ("k",), attr("T", num(6, INT))), X,
                                 raw("y", "Reshape", ("x", "i"), T1)) for n in (-2, -1))
    yield "splat", *(model(node("k", "Const", (), attr("dtype", num(6, INT)) + attr("value", blob(
        8, num(1, INT) + blob(2, shape(3)) + num(7, n)))), X, raw("y", "Reshape", ("x", "k"), T1)) for n in (-2, 1))
    for kind, right, wrong in ((FLOAT, 8, 18), (DOUBLE, 18, 8)):
        yield f"eigenvalues-{kind}", *(one("Eig", T=kind, Tout=t) for t in (wrong, right))
    for op in ("Unbatch", "UnbatchGrad"):
        yield f"triples-{op}", *(one(op, shapes={"batch_index": (2, n)}) for n in (2, 3))
    yield "square", *(one("MatrixTriangularSolve", shapes={"matrix": (1, n)}, T=FLOAT) for n in (0, 1))
    yield "split-statistics", *(one("BoostedTreesSparseCalculateBestFeatureSplit", shapes={"stats_summary_indices": (1, 4)},
                                    stats_summary_indices=[0, 0, 0, n], stats_summary_shape=[2, 2, 2, 2]) for n in (2, 1))
    yield "several", *(model(X, constant("k", INT, [0]), constant("l", INT, [n]), raw("y", "DynamicStitch", ("k", "l", "x", "x"), T1 + attr(
        "N", num(3, 2)))) for n in (-1, 0))
    for op in ("DataFormatVecPermute", "DataFormatDimMap"):
        yield f"formats-{op}", *(one(op, src_format=b"NHWC", dst_format=f) for f in (b"HHHH", b"NCHW"))
    yield "formats-length", *(one("DataFormatVecPermute", src_format=b"NHWC", dst_format=f) for f in (b"NCDHW", b"HWNC"))
    yield "position", *(one("ConcatV2", N=2, T=FLOAT, axis=n) for n in (1000000, -1))


def section(case):
    for name, bad, good in (*graph_pairs(), *operator_pairs()):
        case(f"tf-{name}-bad.pb", bad, CODE, "what whoever builds or runs the graph does not bear")
        case(f"tf-{name}-near.pb", good, "", "and what it does")
    case("tf-shape-large-bad.pb", with_shape((1 << 34) + 1), RANGE, "more elements than memory holds")
    case("tf-shape-large-near.pb", with_shape(1 << 34), "", "as many as an output may have bytes")
    case("tf-result-source-bad.pb", model(X, more=function("f", (node("n", "Neg", ("a",), T1),), ("r",), (("r", "nope:z:0"),), ("a",))),
         "tf-input", "a result of nobody")
    named = function("AddV2", (node("n", "Neg", ("a",), T1),), ("r",), (("r", "n:y:0"),), ("a",))
    case("tf-shadow-near.pb", model(X, raw("y", "AddV2", ("x",)), more=named), "", "a function that has an operator's name")
