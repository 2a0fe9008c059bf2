#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small ONNX models that each break one rule of formats/onnx, and
near misses that break none.  Always the same bytes, made without the onnx package; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob, f32, many, num, tag, varint  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"onnx-opset-repeated", "weights-inf-mask", "onnx-value-info-dim", "onnx-loop-trip"}
REVIEWED = {"onnx-value-overlong", "onnx-unknown-field", "onnx-ir-old", "onnx-subbyte-padding",
            "onnx-external-unchecked", "onnx-function-shadow", "onnx-training-info", "onnx-custom-domain",
            "onnx-ort-config", "onnx-field-order", "onnx-tensor-only", "format-unknown", "weights-nan", "weights-inf", "weights-bool-invalid"}
CORPUS = Cases(".onnx", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- the wire

def padded(n, size):
    """The same number, longer than it has to be."""
    raw = varint(n)
    return bytes(b | 128 for b in raw) + b"\x80" * (size - len(raw) - 1) + b"\0"


def packed(number, values):
    return blob(number, b"".join(varint(v) for v in values))


# -- messages

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, F16, DOUBLE = 1, 2, 3, 6, 7, 8, 9, 10, 11
A_FLOAT, A_INT, A_STRING, A_TENSOR, A_GRAPH, A_FLOATS, A_INTS, A_STRINGS = 1, 2, 3, 4, 5, 6, 7, 8
NAN, INF = b"\0\0\xc0\x7f", b"\0\0\x80\x7f"


def entry(key, value=""):
    return blob(1, key) + blob(2, value)


def tensor(name="w", dtype=FLOAT, dims=(2,), raw=None, more=b""):
    """`raw`: bytes of raw_data; None: none."""
    return (packed(1, dims) if dims else b"") + num(2, dtype) + (blob(8, name) if name else b"") + (
        blob(9, raw) if raw is not None else b"") + more


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def external(*entries, name="w", dtype=FLOAT, dims=(2,), more=b""):
    return tensor(name, dtype, dims, None, many(13, [entry(k, v) for k, v in entries]) + num(14, 1) + more)


def attribute(name, kind, payload, more=b""):
    return (blob(1, name) if name else b"") + payload + (num(20, kind) if kind else b"") + more


def node(op="Identity", inputs=("x",), outputs=("y",), attributes=(), domain="", more=b""):
    return many(1, inputs) + many(2, outputs) + (blob(4, op) if op else b"") + many(5, attributes) + (
        blob(7, domain) if domain else b"") + more


def tensor_type(elem=FLOAT, dims=(2,)):
    shape = many(1, [blob(2, d) if isinstance(d, str) else num(1, d) for d in dims])
    return blob(1, num(1, elem) + blob(2, shape))


def value(name, kind=None):
    return blob(1, name) + (blob(2, tensor_type() if kind is None else kind) if kind != b"" else b"")


def graph(nodes=None, tensors=(), inputs=("x",), outputs=("y",), more=b"", name="g"):
    nodes = [node()] if nodes is None else nodes
    return many(1, nodes) + blob(2, name) + many(5, tensors) + many(
        11, [value(i) if isinstance(i, str) else i for i in inputs]) + many(
        12, [value(o) if isinstance(o, str) else o for o in outputs]) + more


def opset(version=17, domain=""):
    return (blob(1, domain) if domain else b"") + num(2, version)


def model(body=None, ir=8, opsets=None, more=b""):
    return (b"" if ir is None else num(1, ir)) + blob(2, "make.py") + blob(7, graph() if body is None else body) + many(
        8, [opset()] if opsets is None else opsets) + more


def with_tensors(*tensors, **kwargs):
    return model(graph(tensors=tensors, **kwargs))


def with_nodes(*nodes, domains=(), more=b"", **kwargs):
    return model(graph(list(nodes), **kwargs), opsets=[opset()] + [opset(1, d) for d in domains], more=more)


def with_attribute(*attributes):
    return with_nodes(node(attributes=attributes))


def function(name="f", nodes=None, domain="local", inputs=("a",), outputs=("b",), opsets=None, more=b""):
    nodes = [node("Identity", ["a"], ["b"])] if nodes is None else nodes
    return blob(1, name) + many(4, inputs) + many(5, outputs) + many(7, nodes) + many(
        9, [opset(), opset(1, domain)] if opsets is None else opsets) + blob(10, domain) + more


def call(name, domain="local", inputs=("a",), outputs=("b",)):
    return node(name, inputs, outputs, domain=domain)


def with_functions(*functions, domain="local", first="f"):
    return with_nodes(call(first, domain, ["x"], ["y"]), domains=[domain], more=many(25, functions))


# -- sections

def minimal():
    case("minimal-sound", model(), why="one Identity")
    case("minimal-proto3-order", num(1, 8) + many(8, [opset()]) + blob(7, graph()), why="fields in any order")
    case("minimal-packed-alone", model(graph(tensors=[num(1, 2) + num(2, FLOAT) + blob(8, "w") + f32(4, 1.0) +
                                                      f32(4, 2.0)])), why="repeated numbers that are not packed")
    for field, name in ((1, "ir"), (7, "graph"), (8, "opset")):
        parts = [num(1, 8), blob(7, graph()), blob(8, opset())]
        del parts[[1, 7, 8].index(field)]
        codes = "onnx-required-field" + " onnx-domain-unimported" * (name == "opset")
        case(f"minimal-without-{name}", b"".join(parts), codes, "a field that a model must have")
    case("minimal-empty", b"", "onnx-required-field", "no byte")
    case("minimal-ir-3", model(ir=3), why="the oldest released")
    case("minimal-ir-2", model(ir=2), "onnx-ir-old", "before the first release")
    case("minimal-ir-1-without-opset", model(ir=1, opsets=[]), "onnx-ir-old", "which had no operator sets")
    case("minimal-ir-14", model(ir=14), why="the newest known")
    case("minimal-ir-15", model(ir=15), "onnx-ir-future", "a version nobody has defined")
    case("minimal-ir-negative", model(ir=-1), "onnx-ir-future", "a negative version")
    case("minimal-opset-0", model(opsets=[opset(0)]), "onnx-opset-version", "no version")
    case("minimal-opset-1000", model(opsets=[opset(1000)]), why="the highest that is believed")
    case("minimal-opset-1001", model(opsets=[opset(1001)]), "onnx-opset-version", "above")
    case("minimal-opset-twice", model(opsets=[opset(17), opset(17)]), "onnx-opset-repeated", "the same twice")
    case("minimal-opset-aliases", model(opsets=[opset(17), opset(16, "ai.onnx")]), "onnx-opset-duplicate",
         "two names of one domain, two versions")
    case("minimal-opset-contradicts", model(opsets=[opset(17), opset(13)]), "onnx-opset-duplicate", "two versions")


def wire():
    sound = model()
    case("wire-varint-11-bytes", num(1, 8)[:1] + b"\xff" * 10 + b"\1" + sound[2:], "onnx-varint", "eleven bytes")
    case("wire-varint-65-bits", sound + tag(5, 0) + b"\xff" * 9 + b"\2", "onnx-trailing-bytes", "more than 64 bits")
    case("wire-varint-65-bits-first", tag(5, 0) + b"\xff" * 9 + b"\2" + sound, "onnx-varint", "more than 64 bits")
    case("wire-varint-64-bits", sound + num(5, -1), why="a negative number has ten bytes")
    case("wire-tag-overlong", padded(1 << 3, 2) + varint(8) + sound[2:], "onnx-varint-overlong", "a tag in two bytes")
    case("wire-length-overlong", sound + tag(6, 2) + padded(1, 2) + b"d", "onnx-varint-overlong", "a length in two bytes")
    case("wire-value-overlong", sound + tag(5, 0) + padded(1, 2), "onnx-value-overlong", "a value in two bytes")
    case("wire-field-0", b"\0\0" + sound, "onnx-tag", "field number 0")
    case("wire-type-6", tag(6, 6) + sound, "onnx-tag", "wire type 6")
    case("wire-type-7", tag(6, 7) + sound, "onnx-tag", "wire type 7")
    case("wire-group", tag(15, 3) + tag(15, 4) + sound, "onnx-group", "a group around nothing")
    case("wire-group-end", tag(15, 4) + sound, "onnx-group", "the end of a group")
    case("wire-trailing-zero", sound + b"\0", "onnx-trailing-bytes", "a byte behind the model")
    case("wire-trailing-zip", sound + b"PK\5\6" + bytes(18), "onnx-trailing-bytes onnx-unknown-field polyglot-zip",
         "an empty archive behind the model")
    case("wire-ir-fixed", tag(1, 1) + bytes(8) + sound[2:], "onnx-required-field onnx-wiretype",
         "ir_version as eight bytes, which readers pass over")
    case("wire-graph-number", sound + num(7, 1), "onnx-wiretype", "the graph as a number")
    case("wire-node-fixed", model(graph(more=tag(1, 5) + bytes(4))), "onnx-wiretype", "a node as four bytes")
    case("wire-unknown-number", sound + num(100, 1), "onnx-unknown-field", "a field of a newer version")
    case("wire-unknown-64-bytes", sound + blob(100, bytes(64)), "onnx-unknown-field", "a short one")
    case("wire-unknown-65-bytes", sound + blob(100, bytes(65)), "onnx-unknown-payload", "a longer one")
    case("wire-unknown-16", sound + num(100, 1) * 16, "onnx-unknown-field", "sixteen of them")
    case("wire-unknown-17", sound + num(100, 1) * 17, "onnx-unknown-field onnx-unknown-payload", "one more")
    for number in (3, 4, 6, 7, 8, 9):
        case(f"wire-reserved-graph-{number}", model(graph(more=num(number, 1))), "onnx-reserved-field",
             "a number that was taken out of use")
    for number in (12, 16, 17, 18, 19):
        case(f"wire-reserved-attribute-{number}", with_attribute(attribute("a", A_INT, num(3, 1), num(number, 1))),
             "onnx-reserved-field", "a number that was taken out of use")
    for number in (2, 3):
        case(f"wire-reserved-function-{number}", with_functions(function(more=num(number, 1))), "onnx-reserved-field",
             "a number that was taken out of use")
    case("wire-reserved-opaque-3", model(graph(more=blob(13, value("v", blob(7, num(3, 1)))))), "onnx-reserved-field",
         "a number that was taken out of use")
    case("wire-two-graphs", sound + blob(7, graph(inputs=(), outputs=(), nodes=[])), "onnx-duplicate-field",
         "two graphs, which readers merge")
    case("wire-two-ir-versions", sound + num(1, 7), "onnx-duplicate-field", "the last one wins")
    case("wire-two-raw-data", with_tensors(tensor(raw=floats(1, 2), more=blob(9, floats(3, 4)))),
         "onnx-duplicate-field onnx-raw-size", "the last one wins")
    case("wire-two-types", model(graph(more=blob(13, value("v", tensor_type() + blob(4, blob(1, tensor_type())))))),
         "onnx-oneof-multiple", "a tensor and a sequence")
    case("wire-two-dims", model(graph(more=blob(13, value("v", blob(1, num(1, 1) + blob(2, blob(1, num(1, 2) +
         blob(2, "n")))))))), "onnx-oneof-multiple", "a number and a name")
    case("wire-two-denotations", model(graph(more=blob(13, value("v", tensor_type() + blob(6, "IMAGE"))))),
         why="a denotation beside the type")
    case("wire-name-latin-1", with_nodes(node(more=blob(3, b"\xe9"))), "onnx-utf8", "a name that is not UTF-8")
    case("wire-name-utf-8", with_nodes(node(more=blob(3, "\u00e9"))), why="one that is")
    case("wire-name-surrogate", with_nodes(node(more=blob(3, b"\xed\xa0\x80"))), "onnx-utf8", "half of a pair")
    case("wire-name-nul", with_nodes(node(more=blob(3, b"a\0b"))), "onnx-string-control", "a NUL")
    case("wire-name-newline", with_nodes(node(more=blob(3, "a\nb"))), "onnx-string-control", "a line end in a name")
    case("wire-doc-newline", with_nodes(node(more=blob(6, "a\r\n\tb"))), why="line ends in prose")
    case("wire-doc-escape", with_nodes(node(more=blob(6, "\x1b[2J"))), "onnx-string-control", "an escape in prose")
    case("wire-attribute-bytes", with_attribute(attribute("a", A_STRING, blob(4, b"\0\xff"))), why="bytes, not text")
    case("wire-dtype-33-bits", with_tensors(packed(1, [2]) + num(2, (1 << 32) + 1) + blob(8, "w") + blob(9, floats(1, 2))),
         "onnx-dtype onnx-int-range", "FLOAT to whom 32 bits are enough")
    case("wire-attribute-type-15", with_attribute(attribute("a", 15, num(3, 1))), "onnx-attribute-type onnx-enum",
         "a type that is not defined")
    case("wire-location-2", with_tensors(tensor(raw=floats(1, 2), more=num(14, 2))), "onnx-enum", "no place")
    case("wire-packed-6-bytes", with_tensors(tensor(more=blob(4, bytes(6)))), "onnx-data-fields onnx-packed",
         "one and a half floats")
    for depth, codes in ((28, ""), (29, "onnx-depth")):
        kind = tensor_type()
        for _ in range(depth):
            kind = blob(4, blob(1, kind))
        case(f"wire-type-depth-{depth}", model(graph(more=blob(13, value("v", kind)))), codes, "sequences of sequences")
    case("wire-cut", sound[:-1], "onnx-truncated", "the last byte is missing")
    case("wire-length-beyond", sound[:2] + tag(2, 2) + varint(1 << 63) + sound[2:], "onnx-truncated", "a length of 2^63")
    case("wire-inner-length-beyond", num(1, 8) + blob(7, graph() + tag(10, 2) + varint(100)) + many(8, [opset()]),
         "onnx-truncated", "a length beyond the message around it, though within the file")


DTYPES = {1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128, 16: 16,
          17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8, 25: 2, 26: 2}


def size_of(dtype, n):
    return (n * DTYPES[dtype] + 7) // 8


def typed(dtype, n):
    """So many zeros in the field that is right for the type."""
    if dtype in (1, 14):
        return blob(4, bytes(4 * n * (2 if dtype == 14 else 1)))
    if dtype in (11, 15):
        return blob(10, bytes(8 * n * (2 if dtype == 15 else 1)))
    if dtype == 8:
        return many(6, [b"s"] * n)
    field = 7 if dtype == 7 else 11 if dtype in (12, 13) else 5
    return packed(field, [0] * (size_of(dtype, n) if DTYPES[dtype] < 8 else n))


def tensors():
    for dtype, bits in DTYPES.items():
        n = 3
        case(f"tensor-raw-{dtype}", with_tensors(tensor(dtype=dtype, dims=[n], raw=bytes(size_of(dtype, n)))),
             why=f"{bits} bits each, raw")
        case(f"tensor-typed-{dtype}", with_tensors(tensor(dtype=dtype, dims=[n], more=typed(dtype, n))),
             why=f"{bits} bits each, by value")
        case(f"tensor-raw-{dtype}-long", with_tensors(tensor(dtype=dtype, dims=[n], raw=bytes(size_of(dtype, n) + 1))),
             "onnx-raw-size", "a byte too many")
        case(f"tensor-typed-{dtype}-long", with_tensors(tensor(dtype=dtype, dims=[n], more=typed(dtype, n + 2))),
             "onnx-data-count", "two values too many")
    case("tensor-raw-short", with_tensors(tensor(raw=bytes(7))), "onnx-raw-size", "a byte is missing")
    case("tensor-typed-short", with_tensors(tensor(more=blob(4, bytes(4)))), "onnx-data-count", "a value is missing")
    case("tensor-strings", with_tensors(tensor(dtype=STRING, dims=[2], more=many(6, [b"a", b"\xff"]))), why="any bytes")
    case("tensor-strings-raw", with_tensors(tensor(dtype=STRING, raw=b"ab")), "onnx-data-count", "which has no size")
    case("tensor-dtype-0", with_tensors(tensor(dtype=0, raw=floats(1, 2))), "onnx-dtype", "no type")
    case("tensor-dtype-27", with_tensors(tensor(dtype=27, raw=floats(1, 2))), "onnx-dtype", "a type nobody knows")
    case("tensor-dtype-missing", with_tensors(packed(1, [2]) + blob(8, "w") + blob(9, floats(1, 2))), "onnx-dtype",
         "without a type")
    case("tensor-scalar", with_tensors(tensor(dims=(), raw=floats(1))), why="no dimension is one element")
    case("tensor-rank-32", with_tensors(tensor(dims=[1] * 32, raw=floats(1))), why="as many as there may be")
    case("tensor-rank-33", with_tensors(tensor(dims=[1] * 33, raw=floats(1))), "onnx-dims", "one more")
    case("tensor-dim-negative", with_tensors(tensor(dims=[-1], raw=b"")), "onnx-dims", "less than none")
    case("tensor-dim-2-48", with_tensors(tensor(dims=[1 << 48, 0], raw=b"")), why="large, and empty")
    case("tensor-dim-larger", with_tensors(tensor(dims=[(1 << 48) + 1, 0], raw=b"")), "onnx-dims", "larger")
    overflow = "onnx-tensor-size-overflow"
    case("tensor-product-2-64", with_tensors(tensor(dims=[1 << 32, 1 << 32], raw=b"")), overflow, "0 to who wraps")
    case("tensor-product-2-64-empty", with_tensors(tensor(dims=[1 << 32, 0, 1 << 32], raw=b"")), overflow,
         "though a dimension is 0")
    case("tensor-product-2-63", with_tensors(tensor(dims=[1 << 31, 1 << 32], dtype=22, raw=b"")), overflow,
         "negative to who wraps")
    case("tensor-bytes-2-63", with_tensors(tensor(dims=[1 << 29, 1 << 32], raw=b"")), overflow, "the same in bytes")
    case("tensor-bytes-smaller", with_tensors(tensor(dims=[(1 << 29) - 1, 1 << 32], raw=b"")), "onnx-raw-size",
         "just not, and not there")
    case("tensor-bytes-2-64", with_tensors(tensor(dims=[1 << 31, 1 << 31], raw=b"")), overflow, "in bytes")
    case("tensor-empty", with_tensors(tensor(dims=[0])), why="no element, no values")
    case("tensor-empty-raw", with_tensors(tensor(dims=[0, 3], raw=b"")), why="as NumPy's converter writes it")
    case("tensor-empty-with-values", with_tensors(tensor(dims=[0], more=blob(4, floats(1)))), "onnx-data-count", "a value")
    case("tensor-no-values", with_tensors(tensor()), "onnx-data-fields", "two elements, no values")
    case("tensor-raw-and-typed", with_tensors(tensor(raw=floats(1, 2), more=blob(4, floats(3, 4)))), "onnx-data-fields",
         "two truths")
    case("tensor-wrong-field", with_tensors(tensor(more=packed(5, [1, 2]))), "onnx-data-count", "floats as int32_data")
    for name, dtype, values, good in (("uint8", UINT8, (0, 256), (0, 255)), ("int8", INT8, (-129, 0), (-128, 127)),
                                      ("half", F16, (0, 65536), (0, 15360)), ("bool", BOOL, (0, 2), (0, 1)),
                                      ("uint16", 4, (-1, 0), (65535, 0))):
        case(f"tensor-range-{name}", with_tensors(tensor(dtype=dtype, more=packed(5, values))), "onnx-data-range",
             "a value that does not fit")
        case(f"tensor-range-{name}-ok", with_tensors(tensor(dtype=dtype, more=packed(5, good))), why="the last that fit")
    case("tensor-range-uint32", with_tensors(tensor(dtype=12, more=packed(11, [1 << 32, 0]))), "onnx-data-range",
         "a value that does not fit")
    case("tensor-nibble", with_tensors(tensor(dtype=22, dims=[3], raw=b"\x21\x03")), why="an empty half byte")
    case("tensor-nibble-used", with_tensors(tensor(dtype=22, dims=[3], raw=b"\x21\x43")), "onnx-subbyte-padding",
         "a half byte that belongs to nobody")
    case("tensor-nibble-typed", with_tensors(tensor(dtype=21, dims=[3], more=packed(5, [0x21, 0x43]))),
         "onnx-subbyte-padding", "the same by value")
    case("tensor-crumbs-used", with_tensors(tensor(dtype=25, dims=[5], raw=b"\xff\x04")), "onnx-subbyte-padding", "two bits")
    case("tensor-segment", with_tensors(tensor(raw=floats(1, 2), more=blob(3, num(1, 0) + num(2, 2)))), "onnx-segment",
         "a part of another")
    case("tensor-order", with_tensors(packed(1, [2]) + packed(5, [1, 2]) + num(2, INT32) + blob(8, "w")),
         "onnx-field-order", "values before their type")
    case("tensor-order-raw", with_tensors(packed(1, [2]) + blob(9, floats(1, 2)) + num(2, FLOAT) + blob(8, "w")),
         why="raw bytes before their type")
    case("tensor-name-twice", with_tensors(tensor(raw=floats(1, 2)), tensor(raw=floats(3, 4))), "onnx-name-duplicate",
         "one name, two tensors")
    long = "n" * 200
    case("tensor-names-alike", with_tensors(tensor(long + "a", raw=floats(1, 2)), tensor(long + "b", raw=floats(3, 4))),
         why="two long names with one beginning")
    case("tensor-name-long-twice", with_tensors(*[tensor(long, raw=floats(1, 2))] * 2), "onnx-name-duplicate", "the same")
    case("tensor-name-empty", with_tensors(tensor("", raw=floats(1, 2))), "onnx-initializer-name", "no name")
    case("tensor-name-4096", with_tensors(tensor("n" * 4096, raw=floats(1, 2))), why="as long as names are")
    case("tensor-name-4097", with_tensors(tensor("n" * 4097, raw=floats(1, 2))), "onnx-limit", "longer")


def nonfinite():
    def bad(name, codes, why, payload, **numbers):
        case(f"float-{name}", with_tensors(payload), codes, why, nonfinite={"w": counts(**numbers)})
    bad("nan", "weights-nan", "a NaN, raw", tensor(raw=NAN + floats(1)), nan=1)
    bad("nan-typed", "weights-nan", "by value, packed", tensor(more=blob(4, NAN + floats(1))), nan=1)
    bad("nan-single", "weights-nan", "by value, one by one", tensor(more=f32(4, NAN) + f32(4, 1.0)), nan=1)
    bad("nan-half", "weights-nan", "16 bits", tensor(dtype=F16, raw=b"\0\x7e\0\x3c"), nan=1)
    bad("nan-half-typed", "weights-nan", "16 bits by value", tensor(dtype=F16, more=packed(5, [0x7E00, 0x3C00])), nan=1)
    bad("nan-brain", "weights-nan", "16 other bits", tensor(dtype=16, raw=b"\xc0\x7f\x80\x3f"), nan=1)
    bad("nan-double", "weights-nan", "64 bits", tensor(dtype=DOUBLE, more=blob(10, struct.pack("<dd", float("nan"), 1))),
        nan=1)
    bad("nan-e4m3", "weights-nan", "8 bits", tensor(dtype=17, raw=b"\x7f\1"), nan=1)
    bad("nan-e4m3-typed", "weights-nan", "8 bits by value", tensor(dtype=17, more=packed(5, [0x7F, 1])), nan=1)
    bad("nan-fnuz", "weights-nan", "8 other bits", tensor(dtype=18, raw=b"\x80\1"), nan=1)
    bad("inf-e5m2", "weights-inf", "8 bits with infinities", tensor(dtype=19, raw=b"\x7c\1"), pos_inf=1)
    bad("nan-e8m0", "weights-nan", "scales", tensor(dtype=24, raw=b"\xff\1"), nan=1)
    bad("nan-complex", "weights-nan", "an imaginary part", tensor(dtype=14, more=blob(4, floats(1, 2, 3) + NAN)), nan=1)
    bad("inf", "weights-inf", "an infinity beside a number", tensor(raw=INF + floats(1)), pos_inf=1)
    bad("inf-mask", "weights-inf-mask", "zeros and one infinity", tensor(raw=INF + floats(0)), pos_inf=1)
    case("float-finite", with_tensors(tensor(raw=floats(3.4e38, -1e-45))), why="as large and as small as floats are")
    case("float-bool", with_tensors(tensor(dtype=BOOL, raw=b"\0\1")), why="0 and 1")
    case("float-bool-2", with_tensors(tensor(dtype=BOOL, raw=b"\0\2")), "weights-bool-invalid", "a truth of 2",
         bool_invalid={"w": 1}, nonfinite={})
    case("float-attribute", with_attribute(attribute("alpha", A_FLOAT, f32(2, NAN))), "weights-nan", "of an attribute",
         nonfinite={"alpha": counts(nan=1)})
    case("float-attribute-max", with_attribute(attribute("max", A_FLOAT, f32(2, INF))), "weights-inf-mask",
         "a limit that is none", nonfinite={"max": counts(pos_inf=1)})
    case("float-attribute-list", with_attribute(attribute("v", A_FLOATS, f32(7, 1.0) + f32(7, INF))), "weights-inf",
         "of a list, one by one", nonfinite={"v": counts(pos_inf=1)})
    case("float-attribute-packed", with_attribute(attribute("v", A_FLOATS, blob(7, floats(1) + NAN))), "weights-nan",
         "of a list, packed", nonfinite={"v": counts(nan=1)})
    case("float-attribute-tensor", with_attribute(attribute("value", A_TENSOR, blob(5, tensor("c", raw=NAN + NAN)))),
         "weights-nan", "of a constant", nonfinite={"c": counts(nan=2)})


def sparse_of(values=2, indices=(0, 3), dims=(4,), shape=None, raw=False, dtype=INT64, more=b""):
    kept = tensor("w", dims=[values], raw=floats(*range(1, values + 1)))
    shape = [len(indices)] if shape is None else shape
    data = {"raw": struct.pack(f"<{len(indices)}q", *indices)} if raw else {
        "more": packed(7 if dtype == INT64 else 5, indices)}
    return blob(1, kept) + blob(2, tensor("", dtype, shape, **data)) + packed(3, dims) + more


def sparse():
    def both(name, codes="", why="", **kwargs):
        case(f"sparse-{name}", model(graph(more=blob(15, sparse_of(**kwargs)))), codes, why + ", typed indices")
        case(f"sparse-{name}-raw", model(graph(more=blob(15, sparse_of(raw=True, **kwargs)))), codes, why + ", raw")
    both("sound", why="two of four elements")
    both("pairs", why="two of 2 x 3", indices=(0, 2, 1, 0), shape=[2, 2], dims=(2, 3))
    both("pairs-out-of-order", "onnx-sparse", "a row before", indices=(1, 0, 0, 2), shape=[2, 2], dims=(2, 3))
    both("pairs-column-back", "onnx-sparse", "a column before", indices=(0, 2, 0, 1), shape=[2, 2], dims=(2, 3))
    both("pairs-beyond", "onnx-sparse", "a column too far", indices=(0, 3, 1, 0), shape=[2, 2], dims=(2, 3))
    both("beyond", "onnx-sparse", "outside", indices=(0, 4))
    both("last", why="the last", indices=(2, 3))
    both("negative", "onnx-sparse", "before the beginning", indices=(-1, 3))
    both("descends", "onnx-sparse", "backwards", indices=(3, 0))
    both("twice", "onnx-sparse", "one place twice", indices=(3, 3))
    both("too-few", "onnx-sparse", "one index for two values", indices=(0,))
    both("rank-3", "onnx-sparse", "indices of three dimensions", shape=[1, 2, 1])
    both("columns", "onnx-sparse", "three numbers each in a plane", indices=(0, 0, 0, 1, 1, 1), shape=[2, 3], dims=(2, 2))
    case("sparse-int32", model(graph(more=blob(15, sparse_of(dtype=INT32)))), "onnx-sparse", "of 32 bits")
    case("sparse-without-indices", model(graph(more=blob(15, blob(1, tensor(raw=floats(1, 2))) + packed(3, [4])))),
         "onnx-sparse", "nowhere")
    case("sparse-empty", model(graph(more=blob(15, sparse_of(values=0, indices=())))), why="no values")
    case("sparse-dims-late", model(graph(more=blob(15, blob(1, tensor(raw=floats(1, 2))) + blob(
        2, num(2, INT64) + packed(7, [0, 3]) + packed(1, [2])) + packed(3, [4])))), "onnx-sparse", "indices before their shape")
    case("sparse-constant", with_attribute(attribute("v", 11, blob(22, sparse_of()))), why="of an attribute")
    case("sparse-constant-beyond", with_attribute(attribute("v", 11, blob(22, sparse_of(indices=(0, 9))))),
         "onnx-sparse", "of an attribute")
    case("sparse-overflow", model(graph(more=blob(15, sparse_of(dims=(1 << 32, 1 << 32))))), "onnx-sparse",
         "more elements than can be counted")
    case("sparse-name-twice", model(graph(tensors=[tensor(raw=floats(1, 2))], more=blob(15, sparse_of()))),
         "onnx-name-duplicate", "one name for a dense and a sparse one")


def externals():
    unchecked = "onnx-external-unchecked"

    def located(name, place, codes="", why=""):
        case(f"external-{name}", with_tensors(external(("location", place), ("offset", "0"), ("length", "8"))),
             (codes + " " + unchecked).strip(), why)
    located("sound", "model.onnx.data", why="beside the model")
    located("folder", "weights/w 1.bin", why="in a folder beside it")
    located("255-bytes", "n" * 255, why="as long as names are")
    located("deep", "a/b/c/d", why="four components")
    escape, odd = "onnx-external-traversal", "onnx-external-name"
    for name, place in (("up", "../x"), ("up-nested", "a/../../x"), ("root", "/etc/passwd"), ("drive", "C:\\x"),
                        ("backslash", "a\\..\\b"), ("hash", "#x"), ("home", "~/x"), ("percent", "%2e%2e/x"),
                        ("stream", "w.bin:x")):
        located(name, place, escape, "out of the model's folder")
    for name, place in (("dot", "a/./b"), ("empty", ""), ("300-bytes", "n" * 300), ("hidden", ".w"), ("dash", "-w"),
                        ("device", "nul.bin"), ("device-port", "COM1"), ("five", "a/b/c/d/e"), ("slashes", "a//b"),
                        ("space", "w "), ("full-stop", "w."), ("umlaut", "\u00fc"), ("quote", "a'b")):
        located(name, place, odd, "a name that is not portable")
    located("nul", b"a\0b", "onnx-string-control " + escape, "what C reads is another name")
    located("console-ok", "console", why="no device")
    located("memory", "*/_ORT_MEM_ADDR_/*", "onnx-external-memory-address", "an address")
    for name, offset in (("minus", "-1"), ("plus", "+5"), ("hexadecimal", "0x10"), ("exponent", "1e3"), ("zeros", "00"),
                         ("2-64", str(1 << 64)), ("2-63", str(1 << 63)), ("blank", " 1"), ("nothing", "")):
        case(f"external-offset-{name}", with_tensors(external(("location", "w"), ("offset", offset), ("length", "8"))),
             "onnx-external-number " + unchecked, "no plain number")
    case("external-offset-far", with_tensors(external(("location", "w"), ("offset", str((1 << 63) - 9)),
                                                      ("length", "8"))), unchecked, "the last that can be")
    case("external-offset-wraps", with_tensors(external(("location", "w"), ("offset", str((1 << 63) - 8)),
                                                        ("length", "8"))), "onnx-external-number " + unchecked,
         "the end is beyond")
    case("external-length-petabyte", with_tensors(external(("location", "w"), ("length", str(1 << 50)))),
         "onnx-external-size " + unchecked, "for two floats")
    case("external-length-missing", with_tensors(external(("location", "w"))), unchecked, "as the shape says")
    case("external-key-class", with_tensors(external(("location", "w"), ("__class__", "x"))),
         "onnx-external-key " + unchecked, "an attribute of the loader")
    case("external-key-twice", with_tensors(external(("location", "w"), ("location", "v"))),
         "onnx-external-key " + unchecked, "two places")
    case("external-key-missing", with_tensors(external(("offset", "0"))), "onnx-external-key " + unchecked, "no place")
    case("external-key-long", with_tensors(external(("location", "w"), ("location" + "n" * 200, "v"))),
         "onnx-external-key " + unchecked, "a key that begins like another")
    case("external-checksum", with_tensors(external(("location", "w"), ("checksum", "0" * 40))), unchecked, "a known key")
    case("external-basepath", with_tensors(external(("location", "w"), ("basepath", "/tmp"))),
         "onnx-external-basepath " + unchecked, "another folder")
    case("external-with-raw", with_tensors(external(("location", "w"), more=blob(9, floats(1, 2)))),
         "onnx-external-shadow " + unchecked, "values here and there")
    case("external-default", with_tensors(tensor(raw=floats(1, 2), more=blob(13, entry("location", "w")))),
         "onnx-external-shadow " + unchecked, "values here, and a place")
    case("external-constant", with_attribute(attribute("value", A_TENSOR, blob(5, external(("location", "../w"))))),
         f"{escape} {unchecked}", "of an attribute")
    case("external-sparse", model(graph(more=blob(15, blob(1, tensor(raw=floats(1, 2))) + blob(2, external(
        ("location", "w"), name="", dtype=INT64)) + packed(3, [4])))), unchecked, "indices nobody sees")


def attributes():
    wrong = "onnx-attribute-type"
    for name, kind, payload in (("float", A_FLOAT, f32(2, 1.0)), ("int", A_INT, num(3, 1)), ("string", A_STRING, blob(4, "s")),
                                ("tensor", A_TENSOR, blob(5, tensor("", raw=floats(1, 2)))),
                                ("floats", A_FLOATS, f32(7, 1.0)), ("ints", A_INTS, packed(8, [1, 2])),
                                ("strings", A_STRINGS, blob(9, "s")), ("type", 13, blob(14, tensor_type())),
                                ("tensors", 9, blob(10, tensor("", raw=floats(1, 2))))):
        case(f"attribute-{name}", with_attribute(attribute("a", kind, payload)), why="a value of its type")
        case(f"attribute-{name}-as-other", with_attribute(attribute("a", 2 if kind != 2 else 1, payload)), wrong,
             "a value of another type")
        case(f"attribute-{name}-untyped", with_attribute(attribute("a", 0, payload)), wrong, "without a type")
    case("attribute-untyped-ir-1", model(graph([node(attributes=[attribute("a", 0, num(3, 1))])]), ir=1), "onnx-ir-old",
         "as the first writers did")
    case("attribute-two-values", with_attribute(attribute("a", A_INT, num(3, 1) + blob(4, "s"))), wrong, "two values")
    case("attribute-empty-list", with_attribute(attribute("a", A_INTS, b"")), why="a list without items")
    case("attribute-zero", with_attribute(attribute("a", A_INT, b"")), why="proto3 leaves a zero out")
    case("attribute-no-tensor", with_attribute(attribute("a", A_TENSOR, b"")), wrong, "a tensor that is not there")
    two = [attribute("a", A_INT, num(3, 1)), attribute("a", A_INT, num(3, 2))]
    case("attribute-twice", with_attribute(*two), "onnx-attribute-duplicate", "one name, two values")
    long = "n" * 200
    case("attribute-names-alike", with_attribute(*[attribute(long + c, A_INT, num(3, 1)) for c in "ab"]), why="one beginning")
    case("attribute-unnamed", with_attribute(attribute("", A_INT, num(3, 1))), "onnx-attribute-name", "no name")
    case("attribute-reference", with_attribute(attribute("a", A_INT, blob(21, "b"))), "onnx-attribute-name",
         "to what no function declares")
    case("attribute-256", with_attribute(*[attribute(f"a{i}", A_INT, num(3, 1)) for i in range(256)]), why="many")
    case("attribute-257", with_attribute(*[attribute(f"a{i}", A_INT, num(3, 1)) for i in range(257)]), "onnx-limit",
         "one more")


def markers():
    """Of ai.onnx.ml: values that stand for something else."""
    def ml(name, op, a, codes="", why="", of=None, **found):
        more = {"nonfinite": {of: {"nan": 0, "pos_inf": 0, "neg_inf": 0, **found}}} if found else {}
        case(f"marker-{name}", with_nodes(node(op, attributes=[a], domain="ai.onnx.ml"), domains=["ai.onnx.ml"]), codes, why, **more)
    nan = float("nan")
    ml("missing", "Imputer", attribute("replaced_value_float", A_FLOAT, f32(2, nan)), "", "what is missing, of sklearn's SimpleImputer")
    ml("missing-infinite", "Imputer", attribute("replaced_value_float", A_FLOAT, f32(2, float("inf"))), "weights-inf-mask", "an infinity is a number somebody had", "replaced_value_float", pos_inf=1)
    ml("missing-not", "Imputer", attribute("imputed_value_floats", A_FLOATS, f32(7, nan)), "weights-nan", "what is put in its place", "imputed_value_floats", nan=1)
    ml("missing-other", "Scaler", attribute("replaced_value_float", A_FLOAT, f32(2, nan)), "weights-nan", "of another operator", "replaced_value_float", nan=1)
    for kind, data in (("raw", tensor("", raw=NAN + floats(1))), ("typed", tensor("", more=blob(4, NAN + floats(1))))):
        ml(f"sets-{kind}", "TreeEnsemble", attribute("membership_values", A_TENSOR, blob(5, data)), "", "the ends of sets")
        ml(f"sets-{kind}-not", "TreeEnsemble", attribute("leaf_weights", A_TENSOR, blob(5, data)), "weights-nan", "weights", "", nan=1)


    sets = attribute("membership_values", A_TENSOR, blob(5, tensor("", raw=NAN + floats(1))))
    number = attribute("replaced_value_float", A_FLOAT, f32(2, nan))
    one = {"nan": 1, "pos_inf": 0, "neg_inf": 0}
    for name, op, a, of in (("sets", "TreeEnsemble", sets, ""), ("missing", "Imputer", number, "replaced_value_float")):
        case(f"marker-{name}-domain", with_nodes(node(op, attributes=[a], domain="com.microsoft"), domains=["com.microsoft"]), "onnx-custom-domain weights-nan",
             "of an operator of another domain: its name stands before, the domain behind", nonfinite={of: one})
        case(f"marker-{name}-function", with_nodes(node(op, ["x"], ["y"], attributes=[a], domain="local"), domains=["local"],
                                                   more=blob(25, function(op))), "weights-nan", "of a function of the model", nonfinite={of: one})


def nodes():
    case("node-without-op", with_nodes(node("")), "onnx-op-type", "nothing to do")
    case("node-domain", with_nodes(node("Gelu", domain="com.microsoft"), domains=["com.microsoft"]), why="a known domain")
    case("node-domain-unimported", with_nodes(node("Gelu", domain="com.microsoft")), "onnx-domain-unimported", "which version?")
    case("node-domain-ai-onnx", with_nodes(node(domain="ai.onnx")), why="two names of one domain")
    case("node-op-of-none", with_nodes(node("NoSuchOperator")), "onnx-custom-domain", "an operator that the standard does not have")
    case("node-op-of-none-twice", with_nodes(node("NoSuch", outputs=["t"]), node("NoOther", ["t"], domain="ai.onnx")),
         "onnx-custom-domain", "told once")
    case("node-op-beginning", with_nodes(node("Rel")), "onnx-custom-domain", "the beginning of one")
    case("node-op-longer", with_nodes(node("Relu6")), "onnx-custom-domain", "one, and more")
    case("node-op-first", with_nodes(node("Abs")), why="the first of the list")
    case("node-op-last", with_nodes(node("Xor", ["x", "x"])), why="the last")
    case("node-op-new", with_nodes(node("RMSNormalization", ["x", "x"])), why="of a late version")
    case("node-op-old", with_nodes(node("Upsample")), why="of an early one")
    case("node-op-ml", with_nodes(node("Scaler", domain="ai.onnx.ml"), domains=["ai.onnx.ml"]), why="of the second domain")
    case("node-op-ml-of-none", with_nodes(node("Relu", domain="ai.onnx.ml"), domains=["ai.onnx.ml"]), "onnx-custom-domain",
         "of the first domain, in the second")
    case("node-op-microsoft", with_nodes(node("FastGelu", domain="com.microsoft"), domains=["com.microsoft"]), why="a contrib operator")
    case("node-op-microsoft-of-none", with_nodes(node("FasterGelu", domain="com.microsoft"), domains=["com.microsoft"]),
         "onnx-custom-domain", "none")
    case("node-domain-custom", with_nodes(node("Own", domain="my.ops"), domains=["my.ops"]), "onnx-custom-domain",
         "a library of its own")
    long = "d" * 120
    case("node-domains-alike", with_nodes(node("Own", domain=long + "a"), domains=[long + "b"]),
         "onnx-custom-domain onnx-domain-unimported", "one beginning")
    case("node-domain-unused", with_nodes(node(), domains=["my.ops"]), why="imported and not used")
    case("node-op-contrib", with_nodes(node("DecodeImage", domain="ai.onnx.contrib"), domains=["ai.onnx.contrib"]),
         "onnx-custom-domain", "a parser of images")
    ssa = "onnx-ssa"
    case("node-chain", with_nodes(node(outputs=["t"]), node("Relu", ["t"], ["y"])), why="in order")
    case("node-unsorted", with_nodes(node("Relu", ["t"], ["y"]), node(outputs=["t"])), ssa, "used before it is given")
    case("node-unknown-input", with_nodes(node(inputs=["nowhere"])), ssa, "given by nobody")
    case("node-optional-input", with_nodes(node("Clip", ["x", "", "m"]), tensors=[tensor("m", raw=floats(1, 2))]),
         why="one that is left out")
    case("node-output-twice", with_nodes(node(outputs=["t"]), node(outputs=["t"]), node(inputs=["t"])), ssa, "given twice")
    case("node-output-twice-in-one", with_nodes(node("Split", outputs=["y", "y"])), ssa, "given twice by one node")
    case("node-output-is-input", with_nodes(node(outputs=["x"])), ssa, "gives what comes from outside")
    case("node-output-is-initializer", with_nodes(node(outputs=["w"]), tensors=[tensor(raw=floats(1, 2))]), ssa,
         "gives what is given")
    case("node-own-output", with_nodes(node(inputs=["y"])), ssa, "takes what it gives")
    case("node-own-output-first", with_nodes(blob(2, "y") + blob(1, "y") + blob(4, "Identity")), ssa,
         "takes what it gives, fields the other way round")
    case("node-input-with-default", with_nodes(node(inputs=["w"]), inputs=["w"], tensors=[tensor(raw=floats(1, 2))]),
         why="an input that is an initializer too")
    case("node-input-twice", with_nodes(node(), inputs=["x", "x"]), ssa, "one name, two inputs")
    names = "n" * 200
    case("node-names-alike", with_nodes(node(outputs=[names + "a"]), node(inputs=[names + "b"])), ssa, "one beginning")


def branch(nodes_, outputs=("b",)):
    return graph(nodes_, inputs=(), outputs=[value(o, b"") for o in outputs])


def if_node(then, otherwise=None, inputs=("x",), outputs=("y",)):
    return node("If", inputs, outputs, [attribute("then_branch", A_GRAPH, blob(6, then)),
                                       attribute("else_branch", A_GRAPH, blob(6, then if otherwise is None else otherwise))])


def subgraphs():
    inner = branch([node(inputs=["x"], outputs=["b"])])
    case("graph-if", with_nodes(if_node(inner)), why="a graph that uses a value of the one around it")
    case("graph-if-initializer", with_nodes(if_node(branch([node(inputs=["w"], outputs=["b"])])),
                                            tensors=[tensor(raw=floats(1, 2))]), why="an initializer of the one around it")
    case("graph-if-unknown", with_nodes(if_node(branch([node(inputs=["nowhere"], outputs=["b"])]))), "onnx-ssa",
         "given by nobody")
    case("graph-if-later", with_nodes(if_node(branch([node(inputs=["t"], outputs=["b"])])), node(outputs=["t"])), "onnx-ssa",
         "given after the graph in which it is used")
    case("graph-if-own-output", with_nodes(if_node(branch([node(inputs=["y"], outputs=["b"])]))), "onnx-ssa",
         "what the node gives whose graph it is")
    case("graph-if-same-name", with_nodes(if_node(branch([node(inputs=["x"], outputs=["y"])], ["y"]))),
         why="named like what the node gives")
    case("graph-branch-value", with_nodes(if_node(inner), node(inputs=["b"], outputs=["z"])), "onnx-ssa",
         "a value of a graph that has ended")

    def nested(depth):
        body = inner
        for _ in range(depth - 2):
            body = branch([node("If", ["x"], ["b"], [attribute("then_branch", A_GRAPH, blob(6, body))])])
        return with_nodes(if_node(body, inner))
    case("graph-depth-16", nested(16), why="as deep as graphs are")
    case("graph-depth-17", nested(17), "onnx-graph-depth", "deeper")
    case("graph-depth-200", nested(200), "onnx-graph-depth", "much deeper")

    def loop(trips, **kwargs):
        body = graph([node("Not", ["c"], ["d"])], inputs=[value(n, b"") for n in ("i", "c")],
                     outputs=[value("d", b"")])
        return node("Loop", ["m", ""], ["z"], [attribute("body", A_GRAPH, blob(6, body))])

    def count(n, raw=True):
        more = {"raw": struct.pack("<q", n)} if raw else {"more": packed(7, [n])}
        return tensor("m", INT64, (), **more)
    trip = "onnx-loop-trip"
    case("graph-loop", with_nodes(node(), loop(0), tensors=[count(1000)]), why="a thousand times")
    case("graph-loop-long", with_nodes(node(), loop(0), tensors=[count((1 << 63) - 1)]), trip, "nearly for ever")
    case("graph-loop-long-typed", with_nodes(node(), loop(0), tensors=[count(1 << 40, False)]), trip, "by value")
    case("graph-loop-constant", with_nodes(node(), node("Constant", [], ["m"], [attribute(
        "value", A_TENSOR, blob(5, count(1 << 40)))]), loop(0)), trip, "of a node")
    case("graph-loop-constant-int", with_nodes(node(), node("Constant", [], ["m"], [attribute(
        "value_int", A_INT, num(3, 1 << 40))]), loop(0)), trip, "of an attribute")
    case("graph-loop-other", with_nodes(node(), node("Constant", [], ["e"], [attribute(
        "value_int", A_INT, num(3, 1 << 40))]), node("Constant", [], ["m"], [attribute(
            "value_int", A_INT, num(3, 5))]), loop(0)), why="a large number that is not its own")
    call = node("GraphCall", ["x"], ["y"], domain="ai.onnx.training")
    case("graph-training", model(opsets=[opset(), opset(1, "ai.onnx.training")],
                                 more=blob(20, blob(2, graph([call], inputs=(), outputs=())))), "onnx-training-info", "an algorithm")
    case("graph-training-nan", model(more=blob(20, blob(1, graph([], [tensor(raw=NAN + NAN)], (), ())))),
         "onnx-training-info weights-nan", "is walked like any graph", nonfinite={"w": counts(nan=2)})


def functions():
    case("function-sound", with_functions(function()), why="a domain of its own")
    case("function-undefined", with_nodes(call("f", "local", ["x"], ["y"]), domains=["local"]), "onnx-custom-domain",
         "a domain that nobody defines")
    case("function-twice", with_functions(function(), function()), "onnx-function-duplicate", "one name, two functions")
    case("function-overloads", with_functions(function(), function(more=blob(13, "o"))), why="two overloads")
    case("function-overload-empty", with_functions(function(), function(more=blob(13, ""))), "onnx-function-duplicate",
         "an empty overload is none")
    long = "n" * 200
    case("function-names-alike", with_functions(function(long + "a"), function(long + "b"), first=long + "a"),
         why="one beginning")
    case("function-shadow", with_functions(function("Relu", domain="", opsets=[opset()]), domain="", first="Relu").replace(
        many(8, [opset(), opset(1, "")]), many(8, [opset()])), "onnx-function-shadow", "in the place of a standard operator")
    case("function-cycle", with_functions(function(nodes=[call("f")])), "onnx-function-cycle", "calls itself")
    case("function-cycle-of-two", with_functions(function(nodes=[call("g")]), function("g", [call("f")])),
         "onnx-function-cycle", "call each other")
    itself = if_node(branch([call("f", outputs=["c"])], ["c"]), inputs=["a"], outputs=["b"])
    case("function-cycle-in-graph", with_functions(function(nodes=[itself])), "onnx-function-cycle",
         "calls itself in a graph")

    def chain(n):
        return with_functions(*[function(f"f{i}", [call(f"f{i + 1}")]) for i in range(n - 1)], function(f"f{n - 1}"),
                              first="f0")
    case("function-chain-100", chain(100), why="calls as deep as they may be")
    case("function-chain-101", chain(101), "onnx-function-depth", "deeper")
    tiny = [blob(1, f"f{i}") + blob(10, "local") for i in range(10001)]
    case("function-10000", model(more=many(25, tiny[:10000])), why="many")
    case("function-10001", model(more=many(25, tiny)), "onnx-function-count", "more")
    case("function-unimported", with_functions(function(opsets=[opset(1, "local")])), "onnx-domain-unimported",
         "a function imports for itself")
    case("function-unknown-input", with_functions(function(nodes=[node("Identity", ["x"], ["b"])])), "onnx-ssa",
         "sees nothing of the model's graph")
    case("function-input-twice", with_functions(function(inputs=["a", "a"])), "onnx-ssa", "one name, two inputs")
    refers = node("Elu", ["a"], ["b"], [attribute("alpha", A_FLOAT, blob(21, "k"))])
    case("function-attribute", with_functions(function(nodes=[refers], more=blob(6, "k"))), why="an attribute by reference")
    case("function-attribute-default", with_functions(function(nodes=[refers], more=blob(11, attribute(
        "k", A_FLOAT, f32(2, 1.0))))), why="with a default")
    case("function-attribute-twice", with_functions(function(nodes=[refers], more=blob(6, "k") + blob(11, attribute(
        "k", A_FLOAT, f32(2, 1.0))))), "onnx-attribute-duplicate", "declared with and without")
    case("function-attribute-both", with_functions(function(nodes=[node("Elu", ["a"], ["b"], [attribute(
        "alpha", A_FLOAT, f32(2, 1.0) + blob(21, "k"))])], more=blob(6, "k"))), "onnx-attribute-type",
         "a reference and a value")

    own = [opset(), opset(1, "local")]
    case("function-domain-unknown", with_functions(function(nodes=[call("mine")], opsets=own)), "onnx-custom-domain",
         "an operator of its domain that is no function")
    case("function-domain-unknown-main", with_nodes(call("mine", inputs=["x"], outputs=["y"]), domains=["local"],
                                                    more=blob(25, function())), "onnx-custom-domain", "likewise, in the graph")
    for n, codes in ((16, ""), (60, "onnx-limit")):
        twice = [function(f"f{i}", [call(f"f{i + 1}", outputs=("c",)), call(f"f{i + 1}", inputs=("c",))], opsets=own) for i in range(n)]
        case(f"function-doubling-{n}", with_functions(*twice, function(f"f{n}"), first="f0"), codes, "each calls the next one twice")


def operators():
    def op(name, kind, domain, codes="", why="", attributes_=()):
        case(f"operator-{name}", with_nodes(node(kind, attributes=attributes_, domain=domain), domains=[domain]), codes, why)
    python, blobs, path = "onnx-op-python", "onnx-op-native-blob", "onnx-op-file-path"
    op("python", "PythonOp", "com.microsoft", python, "calls Python")
    op("python-grad", "PythonOpGrad", "com.microsoft", python, "calls Python")
    op("pyop", "PyOp", "ai.onnx.contrib", python + " onnx-custom-domain", "calls Python")
    op("pycustom", "PyCustomOpDef_1", "ai.onnx.contrib", python + " onnx-custom-domain", "calls Python")
    op("python-elsewhere", "PyOp", "com.microsoft", "onnx-custom-domain", "no such operator there")
    op("aten", "ATen", "org.pytorch.aten", "onnx-op-aten onnx-custom-domain", "any function by name")
    op("aten-other", "Other", "org.pytorch.aten", "onnx-custom-domain", "another operator")
    op("trt", "Plugin", "trt.plugins", blobs + " onnx-custom-domain", "a plug-in")
    op("tensorrt", "TensorRTEngine", "com.microsoft", blobs, "a plug-in")

    def context(*attributes_):
        return [attribute("ep_cache_context", A_STRING, blob(4, b"\1\2")), *attributes_]
    op("context-embedded", "EPContext", "com.microsoft", blobs, "a program for a driver",
       context(attribute("embed_mode", A_INT, num(3, 1))))
    op("context-default", "EPContext", "com.microsoft", blobs, "a program for a driver", context())
    op("context-path", "EPContext", "com.microsoft", path, "the path of one",
       context(attribute("embed_mode", A_INT, num(3, 0))))
    op("context-model", "EPContext", "com.microsoft", f"{blobs} {path}", "the path of a model",
       context(attribute("onnx_model_filename", A_STRING, blob(4, "m.onnx"))))
    case("operator-context-late", with_nodes(
        many(5, context(attribute("embed_mode", A_INT, num(3, 0)))) + node("EPContext", domain="com.microsoft"),
        domains=["com.microsoft"]), path, "attributes before the operator")
    op("not-context", "FusedConv", "com.microsoft", why="an operator without a program",
       attributes_=context(attribute("embed_mode", A_INT, num(3, 0))))


def texts():
    case("text-metadata", model(more=blob(14, entry("author", "x\n"))), why="a line of text")
    case("text-metadata-twice", model(more=many(14, [entry("k", "1"), entry("k", "2")])), "onnx-metadata-duplicate", "two truths")
    long = "k" * 200
    case("text-metadata-alike", model(more=many(14, [entry(long + "a"), entry(long + "b")])), why="one beginning")
    case("text-metadata-long-twice", model(more=many(14, [entry(long)] * 2)), "onnx-metadata-duplicate", "the same")
    case("text-metadata-of-two", with_nodes(node(outputs=["t"], more=blob(9, entry("k"))), node(
        inputs=["t"], more=blob(9, entry("k")))), why="one key of two nodes")
    case("text-metadata-1024", model(more=many(14, [entry(str(i)) for i in range(1024)])), why="as many as there may be")
    case("text-metadata-1025", model(more=many(14, [entry(str(i)) for i in range(1025)])), "onnx-metadata-size", "more")
    case("text-ort-config", model(more=blob(14, entry("ort_config", "{}"))), "onnx-ort-config", "options of a runtime")
    case("text-ort-config-of-node", with_nodes(node(more=blob(9, entry("ort_config", "{}")))), why="nobody looks there")
    bad = "onnx-value-info"
    for title, kind in (("none", blob(1, blob(2, blob(1, num(1, 2))))), ("undefined", tensor_type(0)), ("of-a-sequence", blob(4, blob(1, blob(1, b""))))):
        case(f"text-value-element-{title}", model(graph(inputs=[value("x", kind)])), bad, "a type that says nothing of its elements")
    case("text-value-element-inferred", model(graph(more=blob(13, value("z", blob(1, b""))))), "", "those between nodes are inferred")
    case("text-value-untyped", model(graph(inputs=[value("x", b"")])), bad, "an input without a type")
    case("text-value-type-empty", model(graph(inputs=[blob(1, "x") + blob(2, b"")])), bad, "a type that says nothing")
    case("text-value-elem-27", model(graph(inputs=[value("x", tensor_type(27))])), bad, "a type nobody knows")
    case("text-value-elem-26", model(graph(inputs=[value("x", tensor_type(26))])), why="the last one known")
    case("text-value-map-27", model(graph(more=blob(13, value("v", blob(5, num(1, 27) + blob(2, tensor_type())))))), bad,
         "keys of a type nobody knows")
    case("text-value-dim-minus-1", model(graph(inputs=[value("x", tensor_type(dims=(-1,)))])), "onnx-value-info-dim",
         "what exporters write for a dimension they do not know")
    case("text-value-dim-minus-2", model(graph(inputs=[value("x", tensor_type(dims=(-2,)))])), bad, "no dimension")
    case("text-value-dim-named", model(graph(inputs=[value("x", tensor_type(dims=("batch", 2)))])), why="a name")
    case("text-value-sequence", model(graph(more=blob(13, value("v", blob(4, blob(1, tensor_type())))))), why="a sequence")


# -- tensors on their own

def lone():
    only = "onnx-tensor-only"
    case("lone.pb", tensor(raw=floats(1, 2)), only, "what conformance tests are fed with")
    case("lone-nameless.pb", tensor("", raw=floats(1, 2)), only, "without a name")
    case("lone-typed.pb", tensor(more=blob(4, floats(1, 2))), only, "values in a field of their own")
    case("lone-values.pb", tensor(dtype=INT64, more=packed(7, [1, 2])), only, "integers")
    case("lone-empty.pb", tensor(dims=(0, 3), raw=b""), only, "of no elements")
    case("lone-nan.pb", tensor(raw=floats(1) + NAN), only + " weights-nan", "not a number", nonfinite={"w": counts(nan=1)})
    case("lone-size.pb", tensor(raw=floats(1, 2, 3)), only + " onnx-raw-size", "more than its shape asks for")
    case("lone-twice.pb", tensor(raw=floats(1, 2), more=blob(4, floats(1, 2))), only + " onnx-data-fields", "values twice")
    case("lone-external.pb", external(("location", "../x.bin")), only + " onnx-external-traversal onnx-external-unchecked", "values elsewhere")
    case("lone-metadata.pb", tensor(raw=floats(1, 2), more=many(16, [entry("k", "v"), entry("k", "w")])),
         only + " onnx-metadata-duplicate", "a key twice")
    case("lone-dtype.pb", tensor(dtype=27, raw=floats(1, 2)), "format-unknown", "a type that is none")
    case("lone-unknown.pb", tensor(raw=floats(1, 2), more=num(17, 1)), "format-unknown", "a field of no tensor")
    case("lone-no-values.pb", tensor(), "format-unknown", "no values")


CORPUS.make(minimal, wire, tensors, nonfinite, sparse, externals, attributes, markers, nodes, subgraphs, functions, operators,
            texts, lone)
