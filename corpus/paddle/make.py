#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small programs and parameters of PaddlePaddle that each break one rule
of formats/paddle, and near misses that break none.  Always the same bytes, made without PaddlePaddle; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import json
import os
import pickle
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob, f32, f64, many, num, tag  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-inf-mask", "paddle-op-print", "pickle-data-only", "pickle-global-allowed"}
REVIEWED = {"format-partly-checked", "paddle-unknown-field", "paddle-op-unknown", "paddle-limit", "weights-nan", "weights-inf",
            "weights-bool-invalid", "json-duplicate-key"}
NOTHING_MORE = "format-partly-checked"
CORPUS = Cases("", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- the wire

NAN, INF = float("nan"), float("inf")

# -- programs

INT, FLOAT, STRING, INTS, FLOATS, STRINGS, BOOLEAN, BOOLEANS, BLOCK, LONG, BLOCKS, LONGS, FLOAT64S, VAR, VARS, FLOAT64, SCALAR = range(17)
FP32, LOD_TENSOR = 5, 7


def tensor_desc(dtype=FP32, *dims):
    return num(1, dtype) + b"".join(num(2, d) for d in dims)


def var(name, dtype=FP32, dims=(-1, 2), kind=LOD_TENSOR, more=b""):
    return blob(1, name) + blob(2, num(1, kind) + blob(3, blob(1, tensor_desc(dtype, *dims)))) + num(3, 1) + more


def attr(name, kind, payload=b""):
    return blob(1, name) + num(2, kind) + payload


def op(kind, *attrs, inputs=("x",), outputs=("y",), more=b""):
    return blob(1, blob(1, "X") + many(2, inputs)) + blob(2, blob(1, "Out") + many(2, outputs)) + (
        blob(3, kind) if kind is not None else b"") + many(4, attrs) + more


def block(*ops, idx=0, parent=-1, variables=None, more=b""):
    return num(1, idx) + num(2, parent) + many(3, [var("x"), var("y")] if variables is None else variables) + many(4, ops) + more


VERSION = blob(4, num(1, 2006001))


def program(*ops, more=b"", **kwargs):
    return blob(1, block(*ops, **kwargs)) + VERSION + more


def programs():
    case("sound.pdmodel", program(op("feed", attr("col", INT, num(3, 0))), op("relu", attr("op_callstack", STRINGS, many(
        8, ['  File "a.py", line 1\n', "\treturn relu(x)"]))), op("fetch", attr("col", INT, num(3, 0))),
        more=blob(5, blob(1, blob(1, "relu") + blob(2, num(1, 1))))), "", "a program of one operator")
    case("attributes.pdmodel", program(op("scale", attr("i", INT, num(3, -1)), attr("f", FLOAT, f32(4, 0.5)), attr("s", STRING, blob(5, "a")),
         attr("is", INTS, num(6, 1) + num(6, 2)), attr("fs", FLOATS, f32(7, 1.0)), attr("ss", STRINGS), attr("b", BOOLEAN, num(10, 1)),
         attr("bs", BOOLEANS, num(11, 0)), attr("l", LONG, num(13, 1 << 40)), attr("ls", LONGS, num(15, 1)),
         attr("ds", FLOAT64S, f64(16, 1.0)), attr("v", VAR, blob(17, "x")), attr("vs", VARS, blob(18, "x")),
         attr("d", FLOAT64, f64(19, 1.0)), attr("c", SCALAR, blob(20, num(1, 3) + f64(4, 1.0))))), "", "an attribute of each type")
    case("old.pdmodel", program(op("mul"), more=blob(3, blob(1, blob(1, "mul") + blob(2, blob(1, "1.6.0") + num(2, 0))))), "",
         "as it was written for a while")
    case("old-other.pdmodel", program(op("mul"), more=blob(3, blob(1, blob(3, "x")))), "paddle-unknown-field", "something else in its place")
    case("infinite.pdmodel", program(op("fill_constant", attr("value", FLOAT, f32(4, INF)))), "", "what a mask is filled with")
    case("assign-nan.pdmodel", program(op("assign_value", attr("fp32_values", FLOATS, f32(7, 1.0) + f32(7, NAN)))), "weights-nan",
         "a constant that is none", nonfinite={"fp32_values": counts(nan=1)})
    case("assign-packed-nan.pdmodel", program(op("assign_value", attr("values", FLOAT64S, blob(16, struct.pack("<2d", 1, NAN))))),
         "weights-nan", "written in one piece", nonfinite={"values": counts(nan=1)})


def operators():
    for kind, code in [("py_func", "python"), ("py_layer", "python"), ("run_program", "python"), ("load", "file"), ("save", "file"),
                       ("load_combine", "file"), ("save_combine", "file"), ("read_file", "file"), ("send", "network"),
                       ("listen_and_serv", "network"), ("c_gen_nccl_id", "network"), ("tensorrt_engine", "native"),
                       ("lite_engine", "native"), ("print", "print"), ("my_op", "unknown"), ("py_func_", "python"),
                       ("run_program_grad", "python"), ("Load", "unknown")]:
        case(f"op-{kind}.pdmodel", program(op("relu"), op(kind)), f"paddle-op-{code}", f"an operator: {kind}")
    for kind in ("py_function", "reload", "resend", "printer"):
        case(f"op-{kind}.pdmodel", program(op(kind)), "paddle-op-unknown", f"only sounds like one: {kind}")
    for kind in ("conv2d", "relu_", "softmax_grad", "slice", "matmul_v2"):
        case(f"op-{kind}.pdmodel", program(op(kind)), "", f"computes: {kind}")
    case("op-late.pdmodel", program(*[op("relu")] * 50, op("py_func")), "paddle-op-python", "the last of many")
    inner = blob(1, block(op("save", attr("file_path", STRING, blob(5, "/tmp/x"))), idx=1, parent=0))
    case("op-nested.pdmodel", program(op("while", attr("sub_block", BLOCK, num(12, 1)))) + inner, "paddle-op-file", "in a block of its own")
    case("op-name-long.pdmodel", program(op("relu" * 40)), "paddle-op-unknown", "longer than any")
    case("limit-name.pdmodel", program(op("relu", inputs=("x" * 65537,))), "paddle-limit", "a name longer than what is gathered")
    case("limit-name-not.pdmodel", program(op("relu", inputs=("x" * 65536,))), "", "as long as that")
    case("op-servers.pdmodel", program(op("lookup_table", attr("epmap", STRINGS, blob(8, "10.0.0.1:80")))), "paddle-op-network",
         "a table on another machine")
    case("op-servers-none.pdmodel", program(op("lookup_table", attr("epmap", STRINGS))), "", "a table on this one")


def blocks():
    loop = op("while", attr("sub_block", BLOCK, num(12, 1)))
    inner = blob(1, block(op("relu"), idx=1, parent=0))
    case("block-two.pdmodel", program(loop) + inner, "", "a loop")
    case("block-missing.pdmodel", program(loop), "paddle-block", "a block that is not there")
    case("block-negative.pdmodel", program(op("while", attr("sub_block", BLOCK, num(12, -1)))), "paddle-block", "before the first")
    case("blocks-missing.pdmodel", program(op("if", attr("blocks", BLOCKS, num(14, 0) + num(14, 7)))), "paddle-block", "the second of two")
    case("block-idx.pdmodel", program(loop) + blob(1, block(op("relu"), idx=2, parent=0)), "paddle-block", "another number")
    case("block-parent-self.pdmodel", program(loop) + blob(1, block(op("relu"), idx=1, parent=1)), "paddle-block", "within itself")
    case("block-parent-root.pdmodel", program(op("relu"), parent=0), "paddle-block", "the first in another")
    case("block-forward.pdmodel", program(op("relu")) + blob(1, block(op("relu"), idx=1, parent=0, more=num(5, 9))),
         "paddle-block", "the forward block of a gradient")
    case("block-forward-none.pdmodel", program(op("relu")) + blob(1, block(op("relu"), idx=1, parent=0, more=num(5, -1))), "",
         "none, as it is written")
    case("block-none.pdmodel", VERSION, "paddle-structure", "no block")


def wires():
    bad, twofold, unknown = "paddle-structure", "paddle-ambiguous", "paddle-unknown-field"
    relu = op("relu")
    case("wire-unknown.pdmodel", program(relu, more=num(9, 1)), unknown, "a field of no program")
    case("wire-unknown-op.pdmodel", program(op("relu", more=blob(6, "x"))), unknown, "a field of no operator")
    case("wire-reserved.pdmodel", program(relu, more=num(2, 1)), twofold, "a field that was given up")
    case("wire-duplicate.pdmodel", program(relu, more=VERSION), twofold, "two versions")
    case("wire-op-twice.pdmodel", program(op("relu", more=blob(3, "py_func"))), twofold + " paddle-op-python", "two operators in one")
    case("wire-op-none.pdmodel", program(op(None)), bad + " paddle-op-unknown", "no operator")
    case("wire-var-none.pdmodel", program(relu, variables=[blob(1, "x")]), bad, "a variable without type")
    case("wire-var-twice.pdmodel", program(relu, variables=[var("x"), var("x")]), twofold, "two of one name")
    case("wire-var-type.pdmodel", program(relu, variables=[var("x", kind=34)]), unknown, "a kind of the future")
    case("wire-var-dtype.pdmodel", program(relu, variables=[var("x", 34)]), unknown, "elements of the future")
    case("wire-var-fp8.pdmodel", program(relu, variables=[var("x", 33)]), "", "the newest ones")
    case("wire-attr-twice.pdmodel", program(op("relu", attr("a", INT, num(3, 1)), attr("a", INT, num(3, 2)))), twofold, "two of one name")
    case("wire-attr-type.pdmodel", program(op("relu", attr("a", INT, blob(5, "x")))), "paddle-attribute", "a text for a number")
    case("wire-attr-both.pdmodel", program(op("relu", attr("a", INT, num(3, 1) + blob(5, "x")))), "paddle-attribute", "both")
    case("wire-attr-kind.pdmodel", program(op("relu", attr("a", 18, num(3, 1)))), unknown, "a kind of the future")
    case("wire-overlong.pdmodel", blob(1, block(relu)) + b"\xa2\0" + VERSION[1:], twofold, "a tag longer than it has to be")
    case("wire-type.pdmodel", program(relu, more=num(5, 1)), twofold, "a number for a message")
    case("wire-range.pdmodel", program(op("relu", attr("a", INT, num(3, 1 << 40)))), bad, "more than 32 bits")
    case("wire-utf8.pdmodel", program(op(b"relu\xff")), bad + " paddle-op-unknown", "a name that is no text")
    case("wire-control.pdmodel", program(op("relu\0")), twofold + " paddle-op-unknown", "a name with a NUL")
    case("wire-truncated.pdmodel", program(relu)[:-1], bad, "the last byte is missing")
    case("wire-trailing.pdmodel", program(relu) + b"\0", bad, "a byte behind it")
    case("wire-group.pdmodel", program(relu, more=tag(6, 3) + tag(6, 4)), bad, "a group")
    case("empty.pdmodel", b"", bad, "nothing")
    swapped = blob(1, num(2, -1) + num(1, 0) + many(3, [var("x")]) + many(4, [op("py_func")]))
    case("no-sign.pb", swapped, "paddle-op-python", "known by its fields")


# -- parameters

SIZES = {0: 1, 1: 2, 2: 4, 3: 8, 4: 2, 5: 4, 6: 8, 19: 8, 20: 1, 21: 1, 22: 2, 23: 8, 24: 16, 32: 1, 33: 1}


def tensor(dtype=FP32, dims=(2,), data=None, levels=(), version=0, inner=0, description=None, more=b""):
    text = (tensor_desc(dtype, *dims) if description is None else description) + more
    size = SIZES.get(dtype, 4)
    for d in dims:
        size *= d
    out = struct.pack("<IQ", version, len(levels))
    for level in levels:
        out += struct.pack("<Q", len(level)) + level
    return out + struct.pack("<Ii", inner, len(text)) + text + (bytes(size) if data is None else data)


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def parameters():
    sound, bad = tensor(data=floats(1.0, 2.0)), "paddle-tensor"
    case("one.pdiparams", sound, "", "one tensor")
    case("two.pdiparams", sound + tensor(3, (4,)), "", "two of them")
    case("types.pdiparams", b"".join(tensor(t, (2, 3)) for t in SIZES), "", "all types there are")
    case("empty-tensor.pdiparams", sound + tensor(dims=(0, 5)), "", "one without elements")
    case("scalar.pdiparams", sound + tensor(dims=()), "", "one without dimensions")
    case("levels.pdiparams", sound + tensor(levels=(struct.pack("<2Q", 0, 2),)), "", "a sequence")
    case("nan.pdiparams", sound + tensor(data=floats(NAN, INF)), "weights-nan weights-inf", "in the second",
         nonfinite={"1": counts(nan=1, pos_inf=1)})
    case("nan-half.pdiparams", tensor(4, (2,), b"\0\x3c\0\x7e"), "weights-nan", "of sixteen bits", nonfinite={"0": counts(nan=1)})
    case("nan-bfloat16.pdiparams", tensor(22, (2,), b"\x80\x3f\xc0\x7f"), "weights-nan", "of the others", nonfinite={"0": counts(nan=1)})
    case("integers.pdiparams", tensor(2, (2,), floats(NAN, INF)), "", "the same bytes as integers")
    case("bool.pdiparams", tensor(0, (2,), b"\1\2"), "weights-bool-invalid", "neither true nor false", bool_invalid={"0": 1})
    case("trailing.pdiparams", sound + b"\0", bad, "a byte behind it")
    case("trailing-zeros.pdiparams", sound + bytes(64), bad, "zeros behind it")
    case("cut.pdiparams", sound[:-1], bad, "a byte is missing")
    case("dims.pdiparams", tensor(dims=(3,), data=floats(1, 2)), bad, "more dimensions than data")
    case("dims-fewer.pdiparams", tensor(dims=(1,), data=floats(1, 2)), bad, "fewer")
    case("dims-negative.pdiparams", sound + tensor(dims=(), data=b"", more=num(2, -1)), bad, "an open dimension")
    case("dims-wrap.pdiparams", sound + tensor(dims=(), data=b"", more=num(2, 1 << 40) + num(2, 1 << 40)), bad, "2^80 of them")
    case("dims-wrap-bytes.pdiparams", sound + tensor(dims=(), data=b"", more=num(2, 1 << 62)), bad, "2^64 bytes")
    case("dims-64.pdiparams", tensor(dims=(1,) * 64), "", "as many dimensions as there can be")
    case("dims-65.pdiparams", tensor(dims=(1,) * 65), bad, "one more")
    case("dtype.pdiparams", sound + tensor(7, (2,)), bad, "no element has this type")
    case("dtype-none.pdiparams", sound + tensor(description=num(2, 2)), bad, "no type")
    case("dtype-twice.pdiparams", sound + tensor(more=num(1, 3)), "paddle-ambiguous", "two types")
    case("field.pdiparams", sound + tensor(more=num(3, 1)), "paddle-unknown-field", "a field of the future")
    case("description-cut.pdiparams", sound + tensor(more=b"\x10"), "paddle-structure", "half a dimension")
    case("version.pdiparams", sound + tensor(version=1), bad, "another version")
    case("version-inner.pdiparams", sound + tensor(inner=1), bad, "another version of its values")
    case("levels-many.pdiparams", sound + struct.pack("<IQ", 0, 1 << 60), bad, "levels without end")
    case("levels-size.pdiparams", sound + tensor(levels=(b"1234567",)), bad, "offsets of seven bytes")
    case("levels-wrap.pdiparams", sound + struct.pack("<IQQ", 0, 1, (1 << 64) - 8), bad, "offsets without end")
    case("description-long.pdiparams", sound + struct.pack("<IQIi", 0, 0, 0, 1025) + bytes(1025), bad, "a description of a kilobyte")
    case("description-negative.pdiparams", sound + struct.pack("<IQIi", 0, 0, 0, -1), bad, "less than nothing")
    case("empty.pdiparams", b"", bad, "nothing")


# -- programs in JSON

def pir(*ops, base=None, **more):
    return {"base_code": {"magic": "pir", "trainable": False, "version": 1} if base is None else base,
            "program": {"regions": [{"#": "region_0", "blocks": [{"#": "block_0", "args": [], "ops": [
                {"#": o, "A": [{"AT": {"#": "0.a_i32", "D": 0}, "N": "axis"}], "I": [{"%": 1}],
                 "O": [{"%": 2, "TT": {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, [-1, 2], "NCHW", [], 0]}}]} for o in ops]}]}]}, **more}


def pirs():
    def put(name, data, codes="", why="", **kwargs):
        case(f"pir{name}.json", (data if isinstance(data, str) else json.dumps(data)).encode(), codes, why, **kwargs)

    part = NOTHING_MORE
    put("", pir("1.data", "1.relu", "1.fetch", "0.shadow_output", "p"), part, "a program")
    put("-python", pir("1.relu", "1.py_func"), part + " paddle-op-python", "calls Python")
    put("-python-long", pir("pd_op.py_func"), part + " paddle-op-python", "its dialect in letters")
    put("-python-escaped", json.dumps(pir("@")).replace("@", "1.py\\u005ffunc"), part + " paddle-op-python", "so spelled that it is not seen")
    put("-file", pir("1.load_combine"), part + " paddle-op-file", "reads a file")
    put("-network", pir("1.send_v2"), part + " paddle-op-network", "sends")
    put("-native", pir("1.tensorrt_engine"), part + " paddle-op-native", "an engine")
    put("-custom", pir("3.my_op"), part + " paddle-op-unknown", "of a library")
    put("-print", pir("1.print"), part + " paddle-op-print", "prints")
    put("-name", pir("1.relu", note={"N": "1.py_func"}), part + " paddle-pir", "the name stands elsewhere, and so does a key")
    put("-text", json.dumps(pir("1.relu")).replace("NCHW", "1.py_func"), part, "the name of a layout")
    put("-magic", pir("1.relu", base={"magic": "pdf", "version": 1}), part + " paddle-pir", "of something else")
    put("-magic-none", pir("1.relu", base={"version": 1}), part + " paddle-pir", "of nothing")
    put("-program", {"base_code": {"magic": "pir"}, "program": []}, part + " paddle-pir", "a list of nothing")
    put("-twice", json.dumps(pir("1.relu"))[:-1] + ', "program": {}}', part + " json-duplicate-key", "two programs")
    put("-other", {"base_code": 1, "programs": {}}, "format-side-file", "it has one of the words", expect="accept")


# -- what is saved for training: pickles

def numpy_global(name):
    """What pickles by this name, without NumPy: a function of a module that is not there."""
    module = sys.modules.setdefault("numpy.core.multiarray", type(sys)("numpy.core.multiarray"))
    sys.modules.setdefault("numpy", type(sys)("numpy"))
    place = module if name == "_reconstruct" else sys.modules["numpy"]
    if not hasattr(place, name):
        function = type(name, (), {}) if name in ("ndarray", "dtype") else lambda: None
        function.__name__ = function.__qualname__ = name
        function.__module__ = place.__name__
        setattr(place, name, function)
    return getattr(place, name)


class Dtype:
    def __reduce__(self):
        return numpy_global("dtype"), ("f4", False, True), (3, "<", None, None, None, -1, -1, 0)


class Array:
    def __init__(self, *values):
        self.values = values

    def __reduce__(self):
        return numpy_global("_reconstruct"), (numpy_global("ndarray"), (0,), b"b"), (
            1, (len(self.values),), Dtype(), False, floats(*self.values))


class System:
    def __reduce__(self):
        return os.system, ("true",)


class Eval:
    def __reduce__(self):
        return eval, ("data", {"data": 1})


def states():
    allowed = "pickle-global-allowed"
    for protocol in (2, 3, 4):
        case(f"state-system-{protocol}.pdparams", pickle.dumps({"linear.weight": System()}, protocol),
             "pickle-global-dangerous pickle-call-dangerous", "calls os.system")
        case(f"state-names-{protocol}.pdparams", pickle.dumps({"StructuredToParameterName@@": {"linear.weight": "linear_0.w_0"}}, protocol),
             "pickle-data-only", "names of parameters, and none of them")
        state = {"linear.weight": Array(1.0, 2.0), "StructuredToParameterName@@": {"linear.weight": "linear_0.w_0"}}
        case(f"state-{protocol}.pdparams", pickle.dumps(state, protocol), allowed, "what paddle.save() writes of a model")
        state = {"linear_0.w_0_moment1_0": Array(1.0, NAN), "LR_Scheduler": {"last_epoch": 3, "last_lr": 0.1}}
        if protocol == 2:
            case("state-2.pdopt", pickle.dumps(state, 2), allowed + " weights-nan", "of an optimizer: bytes are spelled as text")
        else:
            case(f"state-{protocol}.pdopt", pickle.dumps(state, protocol), allowed + " weights-nan", "of an optimizer",
                 nonfinite={"linear_0.w_0_moment1_0": counts(nan=1)})
    case("state-pairs.pdparams", pickle.dumps({"w": ("linear_0.w_0", Array(1.0))}, 4), allowed, "arrays with their names, as tensors in other objects")
    case("state-eval.pdparams", pickle.dumps({"w": Eval()}, 4), "pickle-global-dangerous pickle-call-dangerous", "as old versions saved some tensors")


CORPUS.make(programs, operators, blocks, wires, parameters, pirs, states)
