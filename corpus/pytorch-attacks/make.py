#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: checkpoints through which a loader gets other numbers than those that
were examined, or reads outside of its memory, and near misses of each that are accepted.  What the loaders really get is
shown by tests/loaders/test_torch.py.

A case has the members of corpus/pytorch; `codes` are exactly the codes of the verdict.
"""
import binascii
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import (  # noqa: E402 pylint: disable=wrong-import-position
    FLOATS, SYSTEM, Append, Build, Call, G, Get, Id, Items, New, Put, Raw, checkpoint, dumps, legacy, ops, ordered, state,
    storage, tensor, tensor_v3, untyped)

ACCEPTED = {"torch-opcode-outside-weights-only", "pickle-opcode-protocol", "pickle-global-allowed",
            "torch-storage-untyped-opaque", "torch-member-deflated", "torch-misaligned"}
REVIEWED = {"weights-nan", "torch-mapped-nonfinite", "weights-inf", "torch-call-unknown", "torch-byteorder-big", "pickle-arguments",
            "pickle-array-types", "torch-subclass", "pickle-global-unknown", "torch-tensor-expanded"}
UNSAFE = "torch-opcode-outside-weights-only"
ALLOWED = "pickle-global-allowed"
CALL, ARGUMENTS, ATTRIBUTE, ARRAY = "torch-call-unknown", "pickle-arguments", "torch-state-attribute", "pickle-array-state"
CONFLICT = "torch-storage-conflict"
NAN = struct.pack("<I", 0x7fc00000)
CORPUS = Cases(".pt", ACCEPTED, REVIEWED, sections=True)


def case(name, data, codes, why, **more):
    CORPUS.case(name, data, f"{codes} {ALLOWED}", why, **more)


# -- NumPy's values, as 1.24 and 2.4 write them

def data(raw):
    """Bytes of protocol 3."""
    return Raw(b"B" + struct.pack("<I", len(raw)) + raw)


def dtype(name, *flags):
    return Call(G("numpy", "dtype"), name, *(flags or (False, True)))


def plain_state(order, flags=0, size=-1, alignment=-1, base=None, names=None, fields=None):
    return (3, order, base, names, fields, size, alignment, flags)


def typed(name, order="<", **more):
    return Build(dtype(name), plain_state(order, **more))


def void(n, **more):
    return Build(dtype(f"V{n}"), plain_state("|", size=n, alignment=1, **more))


def reconstruct():
    return Call(G("numpy.core.multiarray", "_reconstruct"), G("numpy", "ndarray"), (0,), data(b"b"))


def array(of, raw, shape=None, fortran=False):
    return Build(reconstruct(), (1, shape or (len(raw) // 4,), of, fortran, data(raw)))


def frombuffer(raw, of, shape):
    return Call(G("numpy.core.numeric", "_frombuffer"), raw, of, shape, "C")


def zipped(value, storages=None, **more):
    return checkpoint(dumps(value, 3), {} if storages is None else storages, **more)


def both(name, value, codes, why, **more):
    """In an archive and in a legacy file."""
    case(name, zipped(value), f"{codes} {UNSAFE}", why, **more)
    case(f"{name}-legacy", legacy(value, {}, pickle=3), f"{codes} {UNSAFE}", f"{why}, in a legacy file")


def arrays():
    floats = struct.pack("<2f", 1, 2)
    both("array-plain", {"a": array(typed("f4"), floats)}, "", "an array as NumPy writes it")
    case("array-nan", zipped({"a": array(typed("f4"), floats[:4] + NAN)}), f"weights-nan {UNSAFE}", "one element is none",
         nonfinite={"a": counts(1)})
    later = Put(1, void(4, names=(), fields=Put(2, {}), flags=16))
    both("array-fields-later", [array(later, floats), Items(Get(2), ("a", (typed("O8", "|", flags=63), 0)))],
         f"{ARRAY} pickle-state-changed", "a field of pointers is added when the type is in use")
    both("array-fields", {"a": array(void(8, names=("a",), fields={"a": (typed("i8"), 0)}, flags=16), floats, (1,))}, "",
         "a record")
    both("array-fields-over", {"a": Build(dtype("V8"), plain_state("|", size=8, alignment=1, names=("a", "b"), flags=27,
         fields={"a": (typed("O8", "|", flags=63), 0), "b": (typed("i8"), 0)}))}, ARRAY, "a number over a pointer")
    both("array-fields-unnamed", {"a": void(8, names=("b",), fields={"a": (typed("i8"), 0)}, flags=16)}, f"{ARRAY} {ARGUMENTS}",
         "a name without a field")
    both("array-subarray", {"a": frombuffer(data(floats[:4]), Build(dtype("V4"), plain_state("|", size=4, alignment=1,
         base=(typed("f4"), (100000,)))), (1,))}, ARRAY, "100,000 elements in four bytes")
    both("array-subarray-fits", {"a": frombuffer(data(floats), Build(dtype("V8"), plain_state("|", size=8, alignment=4,
         base=(typed("f4"), (2,)))), (1,))}, ARRAY, "two elements in eight: nobody writes an array of such a type")
    inner = Build(dtype("V8"), plain_state("|", size=8, alignment=4, base=(typed("f4"), (2,))))
    both("array-subarray-field", {"a": array(void(8, names=("a",), fields={"a": (inner, 0)}, flags=16), floats, (1,))}, "",
         "a field that is an array")
    both("array-type-twice", {"a": array(Build(typed("f4"), plain_state(">")), floats)}, f"{ARRAY} {ARGUMENTS}",
         "a type is given another order")
    both("array-type-after", [array(Put(1, dtype("f4")), floats), Build(Get(1), plain_state(">"))], f"{ARRAY} {ARGUMENTS}",
         "a type is given its order when it is in use")
    both("array-type-shared", [Build(dtype("f4", False, False), plain_state(">"))], ARRAY,
         "the type that all of the process share")
    both("array-type-new", [Build(New(G("numpy", "dtype"), "V4", False, True), plain_state("|", size=400))],
         f"{ARRAY} {ARGUMENTS}", "made by __new__")
    both("array-order-bytes", {"a": array(typed("f4", data(b">")), floats)}, ARRAY, "an order as bytes")
    both("array-order-none", {"a": array(Build(dtype(">f4"), plain_state("|")), floats)}, ARRAY, "no order over >f4")
    both("array-order-other", {"a": array(Build(dtype(">f4"), plain_state("<")), floats)}, ARRAY, "another order than >f4")
    both("array-order-same", {"a": array(Build(dtype(">f4"), plain_state(">")), floats)}, "", "the order that the name says")
    both("array-order-big", {"a": array(typed("f4", ">"), struct.pack(">2f", 1, 2))}, "", "as NumPy writes >f4")
    both("array-flags-list", {"a": array(typed("f4", flags=2), floats)}, ARRAY, "numbers that come as a list")
    both("array-type-letter", {"a": array(dtype("d"), bytes(8), (1,))}, ARGUMENTS, "a name that NumPy's writer never uses")
    both("array-state-twice", [Put(1, array(typed("f4"), floats)), Build(Get(1), (1, (1,), typed("f4"), False,
         data(NAN)))], ARRAY, "a second state frees what others see")
    both("array-state-made", {"a": Build(reconstruct(), Call(G("builtins", "tuple"), [1]))}, f"{ARRAY} {ARGUMENTS}",
         "a state that a call made")
    def objects(shape, *items):
        return Build(reconstruct(), (1, shape, typed("O8", "|", flags=63), False, list(items)))

    both("array-objects", {"a": objects((2,), None, "x")}, "", "two objects")
    both("array-objects-fewer", {"a": objects((1 << 40,), None, "x")}, f"pickle-array-size {ARGUMENTS}", "memory for 2^40 of them")
    payload = Put(1, data(floats))
    case("array-two-types", zipped([frombuffer(payload, dtype("f4"), (2,)), frombuffer(Get(1), dtype("f8"), (1,))]),
         f"pickle-array-types {UNSAFE}", "four bytes or eight?")
    case("array-two-orders", zipped([frombuffer(payload, dtype("f4"), (2,)), frombuffer(Get(1), dtype(">f4"), (2,))]),
         f"pickle-array-types {UNSAFE}", "which byte first?")
    case("array-two-alike", zipped([frombuffer(payload, dtype("f4"), (2,)), frombuffer(Get(1), dtype("f4"), (1, 2))]),
         UNSAFE, "one payload, one type, two shapes")
    case("array-two-integer", zipped([frombuffer(payload, dtype("f4"), (2,)), frombuffer(Get(1), dtype("i4"), (2,))]),
         UNSAFE, "the bits of floats")


# -- tensors whose numbers stand elsewhere

def utils(name, *args):
    return Call(G("torch._utils", name), *args)


def literals():
    floats = struct.pack("<2f", 1, 2)
    case("literal-array", zipped({"w": utils("_rebuild_device_tensor_from_numpy", array(typed("f4"), floats),
         G("torch", "float32"), "cpu", False)}), UNSAFE, "an array whose elements stand in the file")
    case("literal-array-nan", zipped({"w": utils("_rebuild_device_tensor_from_numpy", Put(1, array(typed("f4"), NAN * 2)),
         G("torch", "float32"), "cpu", False), "a": Get(1)}), f"weights-nan {UNSAFE}", "the same, and they are none",
         nonfinite={"a": counts(2)})
    case("literal-array-type", zipped({"w": utils("_rebuild_device_tensor_from_numpy", array(typed("f4"), floats),
         G("torch", "float16"), "cpu", False)}), f"{CALL} {UNSAFE}", "converted when it is loaded: 1e30 is infinite then")
    def spelt(text, codec="latin1", n=1, of="<", to="float32"):
        return utils("_rebuild_device_tensor_from_numpy", Build(reconstruct(), (1, (n,), typed("f4", of), False,
                     text if isinstance(text, Get) else Call(G("_codecs", "encode"), text, codec))), G("torch", to), "cpu", False)
    one = "\0\0\x80\x3f"
    for name, value, codes, why in (
            ("", {"w": spelt("\0\0\xc0\x7f")}, "weights-nan", "as protocol 2 spells bytes: no number"),
            ("-finite", {"w": spelt(one)}, "", "as PyTorch 1.13 saves a tensor of an XLA device"),
            ("-two", {"w": spelt(one), "v": spelt(one * 1000, n=1000)}, "", "two of them"),
            ("-second", {"w": spelt(one), "v": spelt(one * 2999 + "\0\0\xc0\x7f", n=3000)}, "weights-nan", "the last of the second is no number"),
            ("-short", {"w": spelt(one, n=2)}, "pickle-array-size", "fewer than the shape says"),
            ("-wide", {"w": spelt("\0\0\x80\u0100")}, "pickle-array-size", "a character that is no byte"),
            ("-codec", {"w": spelt(one, "utf-8")}, f"pickle-arguments {CALL}", "another codec: other bytes"),
            ("-big", {"w": spelt(one, of=">")}, CALL, "another order"),
            ("-type", {"w": spelt(one, to="float64")}, CALL, "converted when it is loaded"),
            ("-again", {"a": Put(1, Call(G("_codecs", "encode"), one, "latin1")), "w": spelt(Get(1)), "v": spelt(Get(1))}, "",
             "one text in two arrays")):
        case(f"literal-array-text{name}", zipped(value), f"{codes} {UNSAFE}", why)
    case("literal-array-legacy", legacy({"w": utils("_rebuild_device_tensor_from_numpy", array(typed("f4"), NAN),
         G("torch", "float32"), "cpu", False)}, {}, pickle=3), f"weights-nan {UNSAFE}", "in a legacy file")
    case("literal-device", checkpoint({"w": utils("_rebuild_device_tensor_from_cpu_tensor", tensor(), G("torch", "float32"),
         "cpu", False)}), "", "a tensor for a device")
    for name, where in (("meta", "meta"), ("none", None), ("object", Call(G("torch", "device"), "meta"))):
        case(f"literal-device-{name}", checkpoint({"w": utils("_rebuild_device_tensor_from_cpu_tensor", tensor(), G("torch", "float32"),
             where, False)}), CALL, "a device without memory, or none that is written so")
    case("literal-device-other", checkpoint({"w": utils("_rebuild_device_tensor_from_cpu_tensor", tensor(), G("torch", "float32"),
         "xla:0", False)}), "", "as 2.15 writes it")
    case("literal-device-type", checkpoint({"w": utils("_rebuild_device_tensor_from_cpu_tensor", tensor(),
         G("torch", "float16"), "cpu", False)}), CALL, "converted when it is loaded")
    case("literal-tensor", checkpoint({"w": Call(G("torch", "Tensor"), [1.0, 2.0])}, {}), CALL, "Tensor([1, 2])")
    case("literal-tensor-new", checkpoint({"w": New(G("torch", "Tensor"), [1.0, 2.0])}, {}), CALL, "Tensor.__new__([1, 2])")
    case("literal-tensor-typed", checkpoint({"w": Call(G("torch", "FloatTensor"), [1.0])}, {}), f"{CALL} {ARGUMENTS}",
         "FloatTensor([1])")
    case("literal-tensor-function", checkpoint({"w": Call(G("torch", "tensor"), [1.0]), "v": tensor()}),
         f"pickle-global-unknown {UNSAFE}", "torch.tensor([1])")
    case("literal-plain.pkl", dumps({"w": Call(G("torch", "Tensor"), [1.0, 2.0])}), ARGUMENTS, "in a pickle of its own")
    case("literal-plain-storage.pkl", dumps({"w": Call(G("torch", "Tensor"), Call(G("torch", "FloatStorage"), 4))}), ARGUMENTS,
         "memory that nobody has filled, in a pickle of its own")
    case("literal-plain-bare.pkl", dumps({"w": Call(G("torch", "Tensor"))}), "", "a tensor without elements")
    case("literal-parameter", checkpoint({"w": Call(G("torch.nn.parameter", "Parameter"), Call(G("torch", "Tensor"), [1.0]))},
         {}), CALL, "Parameter(Tensor([1]))")
    case("literal-parameter-tensor", checkpoint({"w": Call(G("torch.nn.parameter", "Parameter"), tensor(), True)}), "",
         "Parameter(tensor)")
    case("literal-rebuilt", checkpoint({"w": utils("_rebuild_parameter", Call(G("torch", "Tensor"), [1.0]), True, ordered())},
         {}), CALL, "a parameter of a list")
    case("literal-storage", checkpoint({"w": Call(G("torch.storage", "UntypedStorage"), 16)}, {}), CALL,
         "memory that nobody has filled")
    case("literal-storage-list", checkpoint({"w": Call(G("torch", "FloatStorage"), [1.0])}, {}), f"{CALL} {ARGUMENTS}",
         "a storage of a list")
    case("literal-bare", checkpoint({"w": Build(Call(G("torch", "Tensor")), (storage(), 0, (4,), (1,)))}), "",
         "a bare tensor and its view")
    case("literal-bare-twice", checkpoint({"w": Build(Build(Call(G("torch", "Tensor")), (storage(), 0, (4,), (1,))),
         (storage(), 0, (400,), (1,)))}), "torch-tensor-geometry", "a second view, of any size")
    case("literal-bare-variable", checkpoint({"w": Build(Call(G("torch.nn.parameter", "Parameter")), (tensor(), None,
         ordered(), True, False))}), "", "a variable of release 0.3")
    case("literal-bare-list", checkpoint({"w": Build(Call(G("torch", "Tensor")), ([1.0], None, ordered(), True, False))}, {}),
         CALL, "a variable of a list")
    case("literal-grown", checkpoint({"w": utils("_rebuild_tensor_v2", storage(), 0, Call(G("torch", "Size"), Put(1, [2])),
         (1,), False, ordered()), "x": Append(Get(1), 2)}), "torch-tensor-geometry", "a size that is read at two times")
    case("literal-size", checkpoint({"w": utils("_rebuild_tensor_v2", storage(), 0, Call(G("torch", "Size"), (4,)), (1,),
         False, ordered())}), "", "a size as it is saved")
    case("literal-grad", checkpoint({"w": utils("_rebuild_tensor_v2", storage(), 0, (4,), (1,), tensor(), ordered())}), CALL,
         "a tensor for a flag")
    case("literal-wrapper", checkpoint({"w": utils("_rebuild_wrapper_subclass", G("torch", "Tensor"), G("torch", "float32"),
         (4,), (1,), 0, Call(G("torch.serialization", "_get_layout"), "torch.strided"), "cpu", False)}, {}), "torch-subclass",
         "a tensor without memory")


def from_type(function, args, state_, cls=None):
    return Call(G("torch._tensor", "_rebuild_from_type_v2"), function, cls or G("torch", "Tensor"), args, state_)


def states():
    view = (storage(), 0, (4,), (1,), False, ordered())
    v2 = G("torch._utils", "_rebuild_tensor_v2")
    two = {"0": FLOATS, "1": NAN * 4}
    other = tensor(storage(key="1"))

    def parameter(attributes):
        return utils("_rebuild_parameter_with_state", tensor(), True, ordered(), attributes)

    for name in ("data", "real", "imag", "grad", "_grad", "_backward_hooks", "requires_grad", "names", "_base"):
        codes = ATTRIBUTE + (" weights-nan" if name in ("data", "grad") else "")
        value = other if name in ("data", "grad") else 1
        case(f"state-{name.strip('_')}{'-private' if name[0] == '_' else ''}", checkpoint({"w": parameter({name: value})},
             two if value is other else None), codes, f"sets {name}",
             **({"nonfinite": {name: counts(4)}} if value is other else {}))
    case("state-class", checkpoint({"w": parameter({"__class__": 1})}), f"{ATTRIBUTE} pickle-build-dunder", "sets the class")
    case("state-own", checkpoint({"w": parameter({"tensor_model_parallel": True, "partition_dim": 0, "_is_hf": None})}), "",
         "attributes that programs keep")
    case("state-own-tensor", checkpoint({"w": parameter({"initial": tensor()})}), "", "a tensor as an attribute of one's own")
    case("state-none", checkpoint({"w": parameter(None)}), "", "Python 3.11 has None for an empty one")
    case("state-slots", checkpoint({"w": parameter((None, {"data": 1}))}), ATTRIBUTE, "sets data, as a slot")
    case("state-slots-own", checkpoint({"w": parameter((None, {"note": "x"}))}), "", "a slot of one's own")
    case("state-method", checkpoint({"w": parameter({"numpy": 1})}), CALL, "in the place of a method")
    case("state-method-like", checkpoint({"w": parameter({"numpy_like": 1})}), "", "a name beside it")
    case("state-many", checkpoint({"w": parameter({f"a{i}": i for i in range(300)})}), CALL, "more than are kept")
    case("state-type", checkpoint({"w": from_type(v2, view, {"note": "x"})}), "", "a tensor with an attribute")
    case("state-type-data", checkpoint({"w": from_type(v2, view, {"data": other}, G("torch.nn.parameter", "Parameter"))}, two),
         f"{ATTRIBUTE} weights-nan", "sets data", nonfinite={"data": counts(4)})
    case("state-type-inner", checkpoint({"w": from_type(G("torch._utils", "_rebuild_parameter_with_state"), (tensor(), True,
         ordered(), {"data": 1}), {})}), ATTRIBUTE, "a state inside")
    case("state-type-inner-own", checkpoint({"w": from_type(G("torch._utils", "_rebuild_parameter_with_state"), (tensor(), True,
         ordered(), {"note": 1}), {})}), "", "a state inside, of one's own")
    case("state-type-nested", checkpoint({"w": from_type(G("torch._tensor", "_rebuild_from_type_v2"), (v2, G("torch",
         "Tensor"), view, {"__class__": G("torch.nn.parameter", "Parameter")}), {})}), CALL, "nobody nests it")
    case("state-type-literal", checkpoint({"w": from_type(G("torch", "Tensor"), ([1.0],), {})}, {}), f"{CALL} {ARGUMENTS}",
         "calls what makes a tensor of a list")


def types():
    nans = bytes.fromhex("c07f0000") * 2    # tiny, or none and nought
    case("type-two", checkpoint({"a": tensor_v3(untyped(8), "float32", 0, (2,)), "b": tensor_v3(untyped(8), "bfloat16", 0,
         (4,))}, {"0": nans}), CONFLICT, "finite under one type, and none under the other")
    case("type-two-bool", checkpoint({"a": tensor_v3(untyped(8), "float8_e5m2", 0, (8,)), "b": tensor_v3(untyped(8), "bool",
         0, (8,))}, {"0": bytes(8)}), CONFLICT, "numbers, and truths")
    case("type-two-integer", checkpoint({"a": tensor_v3(untyped(8), "float32", 0, (2,)), "b": tensor_v3(untyped(8), "uint16",
         0, (4,))}, {"0": bytes(8)}), "", "the bits of numbers")
    case("type-one", checkpoint({"a": tensor_v3(untyped(8), "float32", 0, (2,)), "b": tensor_v3(untyped(8), "float32", 1,
         (1,))}, {"0": bytes(8)}), "", "two views of one type")
    case("type-typed", checkpoint({"a": tensor_v3(storage("IntStorage", numel=2), "float32", 0, (2,))}, {"0": nans}), CONFLICT,
         "a storage of integers as floats")
    case("type-typed-same", checkpoint({"a": tensor_v3(storage("FloatStorage", numel=2), "float32", 0, (2,))},
         {"0": bytes(8)}), "", "as what it is")
    case("type-bytes", checkpoint({"a": tensor_v3(untyped(4), "float8_e5m2"), "b": tensor(storage("ByteStorage"))},
         {"0": bytes(4)}), "", "as 2.1 and later save a tensor and its bytes")
    case("type-bytes-none", checkpoint({"b": tensor(storage("ByteStorage")), "a": tensor_v3(untyped(4), "float8_e5m2")},
         {"0": b"\0\0\0\x7f"}), "weights-nan", "the same, and one is none", nonfinite={"b": counts(1)})
    case("type-bytes-fewer", checkpoint({"b": tensor(storage("ByteStorage")), "a": tensor_v3(untyped(2), "float8_e5m2", 0,
         (2,))}, {"0": bytes(4)}), CONFLICT, "two lengths of one storage")
    case("type-class", checkpoint({"a": tensor(storage("FloatStorage")), "b": tensor(storage("IntStorage"))}), CONFLICT,
         "two classes of one storage")


def orders():
    value = state(w=tensor(Id(("storage", G("torch", "FloatStorage"), "0", "cpu", 4, None))))
    big = struct.pack(">4f", 1, 2, 3, 4)
    case("order-big", checkpoint(state(w=tensor()), {"0": big}, byteorder=b"big"), "torch-byteorder-big",
         "swapped by 2.1 and later, and by no release before")
    case("order-little", checkpoint(state(w=tensor())), "", "all releases agree")
    case("order-big-legacy", legacy(value, {"0": big}, system={**SYSTEM, "little_endian": False}), "torch-byteorder-big",
         "no release looks at it")
    case("order-little-legacy", legacy(value), "", "all releases agree")


def viewed(key, view, numel=4, cls="FloatStorage"):
    return tensor(Id(("storage", G("torch", cls), key, "cpu", numel, view)), 0, (2,), (1,))


def views():
    two = {"0": FLOATS, "1": NAN * 4}
    case("view-one", legacy({"a": viewed("0", ("7", 0, 2)), "b": viewed("0", ("8", 2, 2))}), "", "two views of a storage")
    case("view-again", legacy({"a": viewed("0", ("7", 0, 2)), "b": viewed("0", ("7", 0, 2))}), "", "the same view twice")
    case("view-other-root", legacy({"a": viewed("0", ("7", 0, 2)), "b": viewed("1", ("7", 0, 2))}, two),
         f"{CONFLICT} weights-nan", "the loader gives the first one", nonfinite={"1": counts(4)})
    case("view-other-place", legacy({"a": viewed("0", ("7", 0, 2)), "b": viewed("0", ("7", 2, 2))}), CONFLICT,
         "another part under the same key")
    case("view-root", legacy({"a": viewed("1", None), "b": viewed("0", ("1", 0, 2))}, two), f"{CONFLICT} weights-nan",
         "the key of a root", nonfinite={"a": counts(4)})
    case("view-root-later", legacy({"b": viewed("0", ("1", 0, 2)), "a": viewed("1", None)}, two), f"{CONFLICT} weights-nan",
         "a root under the key of a view", nonfinite={"a": counts(4)})
    case("view-key", legacy({"a": viewed("0", (7, 0, 2))}), "torch-persid-invalid", "a key that is no text")


def quantised():
    def channels(scales, zeros, axis, size=(2, 2), scale=1.0, zero=0):
        params = (G("torch", "per_channel_affine"), tensor(storage("DoubleStorage", "1", scales), 0, (scales,)),
                  tensor(storage("LongStorage", "2", zeros), 0, (zeros,)), axis)
        return checkpoint({"w": utils("_rebuild_qtensor", storage("QInt8Storage", "0", 4), 0, size, (2, 1), params, False,
                                      ordered())}, {"0": bytes(4), "1": struct.pack(f"<{scales}d", *[1.0] * (scales - 1), scale),
                                                    "2": struct.pack(f"<{zeros}q", *[0] * (zeros - 1), zero)})

    def floats(scale, zero):
        """As embeddings of 4 and 8 bits have them."""
        params = (G("torch", "per_channel_affine_float_qparams"), tensor(storage("FloatStorage", "1", 2), 0, (2,)),
                  tensor(storage("FloatStorage", "2", 2), 0, (2,)), 0)
        return checkpoint({"w": utils("_rebuild_qtensor", storage("QUInt8Storage", "0", 4), 0, (2, 2), (2, 1), params, False,
                                      ordered())}, {"0": bytes(4), "1": struct.pack("<2f", 1, scale),
                                                    "2": struct.pack("<2f", 1, zero)})

    def repeated(n, strides):
        """One scale and one zero point for all channels, each stored once."""
        params = (G("torch", "per_channel_affine"), tensor(storage("DoubleStorage", "1", 1), 0, (n,), strides),
                  tensor(storage("LongStorage", "2", 1), 0, (n,), strides), 0)
        return checkpoint({"w": utils("_rebuild_qtensor", storage("QInt8Storage", "0", 4), 0, (n,), strides, params, False,
                                      ordered())}, {"0": bytes(4), "1": struct.pack("<d", 1), "2": bytes(8)})

    def whole(scale):
        return checkpoint({"w": utils("_rebuild_qtensor", storage("QInt8Storage", "0", 4), 0, (4,), (1,),
                                      (G("torch", "per_tensor_affine"), scale, 0), False, ordered())}, {"0": bytes(4)})

    bad = "torch-quant-params"
    case("quantised-channels", channels(2, 2, 0), "", "a scale for each channel")
    case("quantised-short", channels(1, 1, 0), bad, "scales are read to the end of the axis")
    case("quantised-zeros", channels(2, 1, 0), bad, "so are zero points")
    case("quantised-axis", channels(2, 2, 2), bad, "an axis that is not there")
    case("quantised-channels-values", channels(2, 2, 0, scale=1e20, zero=-128), "", "scales and zero points at their ends")
    case("quantised-channels-large", channels(2, 2, 0, scale=1e300), bad, "what the second scale makes of an element is infinite")
    case("quantised-channels-zero", channels(2, 2, 0, zero=-129), bad, "a zero point that is no element")
    case("quantised-floats", floats(0.5, -3.5), "", "zero points that are floats")
    case("quantised-floats-large", floats(0.5, 1e30), bad, "a zero point far from every element")
    case("quantised-channels-one", repeated(1, (1,)), "", "one channel")
    case("quantised-channels-repeated", repeated(1 << 28, (0,)), f"{bad} torch-tensor-expanded",
         "the loader writes every channel's scale: 2 GiB")
    case("quantised-scale", whole(0.5), "", "one scale")
    case("quantised-scale-large", whole(1e38), bad, "what it makes of an element is infinite")


def quantised_expanded():
    def whole(size):
        return checkpoint({"w": utils("_rebuild_qtensor", storage("QInt8Storage", "0", 4), 0, (size,), (4 // size,),
                                      (G("torch", "per_tensor_affine"), 0.5, 0), False, ordered())}, {"0": bytes(4)})

    case("quantised-part", whole(2), "", "every second element")
    case("quantised-expanded", whole(1 << 31), "torch-tensor-expanded", "the loader takes memory for each element")


def compressed():
    def rows(values=(2,), size=(2, 2), first="LongStorage", second="LongStorage", layout="torch.sparse_csr", ends=None,
             at=(0, 1)):
        widths = {"LongStorage": "q", "IntStorage": "i"}
        n = counted(values)
        parts = (tensor(storage(first, "1", 3), 0, (3,)), tensor(storage(second, "2", 2), 0, (2,)),
                 tensor(storage("FloatStorage", "0", n), 0, values, runs(values)), size)
        return checkpoint({"w": utils("_rebuild_sparse_tensor", Call(G("torch.serialization", "_get_layout"), layout), parts)},
                          {"0": bytes(4 * n), "1": struct.pack(f"<3{widths[first]}", *(ends or (0, 1, 2))),
                           "2": struct.pack(f"<2{widths[second]}", *at)})

    bad = "torch-sparse-invalid"
    case("compressed-rows", rows(), "", "compressed rows")
    case("compressed-int", rows(first="IntStorage", second="IntStorage"), "", "narrow indices")
    case("compressed-dense", rows((2, 3), (2, 2, 3)), "", "values that are rows themselves")
    case("compressed-blocks", rows((2, 1, 2), (2, 4), layout="torch.sparse_bsr"), "", "values that are blocks")
    case("compressed-blocks-dense", rows((2, 1, 2, 3), (2, 4, 3), layout="torch.sparse_bsr"), "", "blocks of rows")
    case("compressed-mixed", rows(first="IntStorage"), bad, "indices of two types: kernels read both as the first")
    case("compressed-dense-more", rows((2, 3), (2, 2)), bad, "values have a dimension that the whole has not")
    case("compressed-dense-less", rows((2,), (2, 2, 3)), bad, "the whole has a dimension that the values have not")
    case("compressed-dense-other", rows((2, 3), (2, 2, 4)), bad, "dense parts of two sizes")
    case("compressed-blocks-more", rows((2, 1, 2, 3), (2, 4), layout="torch.sparse_bsr"), bad, "the same with blocks")
    case("compressed-line", rows(ends=(0, 2, 2)), "", "all entries in one line")
    case("compressed-line-over", rows(size=(2, 1), ends=(0, 2, 2), at=(0, 0)), bad, "more entries in a line than it has places")
    case("compressed-ends", rows(ends=(0, 2, 1)), bad, "ends that fall")


def counted(size):
    n = 1
    for i in size:
        n *= i
    return n


def runs(size):
    return tuple(counted(size[i + 1:]) for i in range(len(size)))


def viewed_indices():
    """Indices seen through a view of a legacy storage: its own offset counts too."""
    def coordinates(view, indices, offset=0):
        rows = tensor(Id(("storage", G("torch", "LongStorage"), "1", "cpu", 4, view)), offset, (1, 2), (2, 1))
        values = tensor(Id(("storage", G("torch", "FloatStorage"), "0", "cpu", 2, None)), 0, (2,), (1,))
        whole = legacy({"w": utils("_rebuild_sparse_tensor", Call(G("torch.serialization", "_get_layout"),
                       "torch.sparse_coo"), (rows, values, (3,)))}, {}, ["1", "0"])
        return whole + struct.pack("<5q", 4, *indices) + struct.pack("<q", 2) + bytes(8)

    bad, far = "torch-sparse-invalid", 1 << 40
    case("view-indices", coordinates(("7", 2, 2), (far, far, 0, 2)), "", "what the view does not show is no index")
    case("view-indices-beyond", coordinates(("7", 2, 2), (0, 2, far, far)), bad, "what it shows is far outside")
    case("view-indices-offset", coordinates(("7", 1, 3), (far, far, 0, 2), 1), "", "offsets of the view and of the tensor")
    case("view-indices-offset-beyond", coordinates(("7", 1, 3), (0, 0, 0, far), 1), bad, "the same, far outside")
    case("view-indices-none", coordinates(None, (0, 2, far, far)), "", "no view")


def sparse():
    def coordinates(indices, dtype_, order=b"little", more=()):
        rows = tensor_v3(untyped(len(indices), "1"), dtype_, 0, (1, 2), (2, 1))
        return checkpoint({"w": utils("_rebuild_sparse_tensor", Call(G("torch.serialization", "_get_layout"),
                          "torch.sparse_coo"), (rows, tensor(storage("FloatStorage", "0", 2), 0, (2,)), (3,), *more))},
                          {"0": bytes(8), "1": indices}, byteorder=order)

    bad = "torch-sparse-invalid"
    case("sparse-untyped", coordinates(struct.pack("<2q", 0, 2), "int64"), "", "indices in an untyped storage")
    case("sparse-coalesced", coordinates(struct.pack("<2q", 0, 2), "int64", more=(True,)), "", "as 2.1 and later write")
    case("sparse-coalesced-tensor", coordinates(struct.pack("<2q", 0, 2), "int64", more=(tensor(storage("FloatStorage", "0",
         2), 0, (2,)),)), CALL, "no flag")
    for name, where, said, codes, why in (
            ("equal", (1, 1), True, bad, "one twice: 2.15 adds nothing up"), ("falling", (2, 0), True, bad, "not in order"),
            ("equal-not", (1, 1), False, "", "nobody says so"), ("falling-not", (2, 0), False, "", "nobody says so")):
        case(f"sparse-coalesced-{name}", coordinates(struct.pack("<2q", *where), "int64", more=(said,)), codes, why)
    for name, where, codes in (("", (0, 0, 1, 0, 2, 1), ""), ("-equal", (0, 1, 1, 0, 2, 2), bad), ("-falling", (0, 0, 1, 2, 1, 0), bad),
                               ("-first", (1, 0, 2, 0, 1, 2), bad)):
        rows = tensor(storage("LongStorage", "1", 6), 0, (2, 3), (3, 1))
        case(f"sparse-coalesced-rows{name}", checkpoint({"w": utils("_rebuild_sparse_tensor", Call(G("torch.serialization", "_get_layout"),
             "torch.sparse_coo"), (rows, tensor(storage("FloatStorage", "0", 3), 0, (3,)), (3, 3), True))},
             {"0": bytes(12), "1": struct.pack("<6q", *where)}), codes, "two coordinates, the first counts most")
    case("sparse-untyped-beyond", coordinates(struct.pack("<2q", 0, 1 << 40), "int64"), bad, "the second is far outside")
    case("sparse-untyped-byte", coordinates(struct.pack("<2q", 0x0100, 0), "int64"), bad, "each byte alone would fit")
    case("sparse-big", coordinates(struct.pack(">2q", 0, 2), "int64", b"big"), f"{bad} torch-byteorder-big",
         "inside only to releases that swap the bytes")


def block(raw):
    """One block of deflate that holds the bytes as they are."""
    return b"\1" + struct.pack("<HH", len(raw), len(raw) ^ 0xffff) + raw


def packed(value, storages, coded=()):
    """Storages by key; those among `coded` are compressed."""
    members = [("archive/data.pkl", dumps(value), 0), ("archive/version", b"3\n", 0)]
    members += [(f"archive/data/{key}", raw, 8 if key in coded else 0) for key, raw in storages.items()]
    body, directory = b"", b""
    for name, raw, method in members:
        name, content, crc = name.encode(), block(raw) if method else raw, binascii.crc32(raw)
        sizes = struct.pack("<IIIHH", crc, len(content), len(raw), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, method, 0, 33) + sizes + \
            struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += b"PK\3\4" + struct.pack("<HHHHH", 20, 0, method, 0, 33) + sizes + name + content
    return body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)


def mapped():
    """torch.load(mmap=True) takes what stands in the file: the five bytes in front of the block's, and all but the last five of it."""
    odd = "torch-member-deflated"
    floats = bytes(5) + b"\xc0\x7f" + bytes(9)
    case("mapped-finite", packed(state(a=tensor()), {"0": bytes(16)}, "0"), odd, "other numbers, and finite")
    case("mapped-nan", packed(state(a=tensor()), {"0": floats}, "0"), f"{odd} torch-mapped-nonfinite", "another number is none")
    case("mapped-not", packed(state(a=tensor()), {"0": floats}), "torch-misaligned", "not compressed")
    indices, values = storage("LongStorage", "1", 2), storage("FloatStorage", "0", 2)
    sparse_ = state(w=utils("_rebuild_sparse_tensor", Call(G("torch.serialization", "_get_layout"), "torch.sparse_coo"),
                            (tensor(indices, 0, (1, 2), (2, 1)), tensor(values, 0, (2,)), (3,))))
    parts = {"0": bytes(8), "1": struct.pack("<2q", 0, 2)}
    case("mapped-indices", packed(sparse_, parts, "1"), f"{odd} torch-misaligned torch-sparse-invalid", "indices far outside")
    case("mapped-values", packed(sparse_, parts, "0"), f"{odd} torch-misaligned", "only the values are others")


CORPUS.make(mapped, arrays, literals, states, types, orders, views, quantised, quantised_expanded, sparse, compressed,
            viewed_indices)
