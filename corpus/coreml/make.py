#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small Core ML models, weight files and manifests that each break one
rule of formats/coreml, and near misses that break none.  Always the same bytes, made without coremltools; nothing here is
loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob, f64, many, num, tag  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-inf-mask", "coreml-weights-reserved"}
REVIEWED = {"coreml-custom", "coreml-unknown-field", "coreml-version", "coreml-weights-version",
            "weights-nan", "weights-inf", "json-duplicate-key"}
CORPUS = Cases("", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- the wire

def floats(number, *values):
    return blob(number, struct.pack(f"<{len(values)}f", *values))


def doubles(number, *values):
    return blob(number, struct.pack(f"<{len(values)}d", *values))


NAN, INF = float("nan"), float("inf")
HALF_ONE, HALF_NAN = b"\0\x3c", b"\0\x7e"

# -- models

GLM, TREE, CLASSIFIER, NETWORK, PROGRAM, CUSTOM, LINKED, IMPUTER, SVM, PIPELINE = (
    300, 302, 400, 500, 502, 555, 556, 601, 301, 202)


def feature(name, kind=blob(2, b"")):
    return blob(1, name) + blob(3, kind)


def description(more=b""):
    return blob(1, feature("x")) + blob(10, feature("y")) + more


def model(kind, body, version=4, about=None, more=b""):
    return (num(1, version) if version is not None else b"") + blob(2, description() if about is None else about) + (
        blob(kind, body) if kind else b"") + more


def glm(*weights, offset=0.0):
    return blob(1, doubles(1, *weights)) + doubles(2, offset)


def layer(name, kind, body, more=b""):
    return blob(1, name) + blob(2, "x") + blob(3, "y") + blob(kind, body) + more


def weights(*values, half=None, more=b""):
    return (floats(1, *values) if values else b"") + (blob(2, half) if half is not None else b"") + more


def inner(*args, **kwargs):
    """A fully connected layer."""
    return num(1, 2) + num(2, 1) + blob(20, weights(*args, **kwargs))


def network(*layers):
    return model(NETWORK, many(1, layers))


def custom(name="MyLayer", more=b""):
    return (blob(10, name) if name else b"") + blob(20, weights(1.0)) + blob(
        30, blob(1, "k") + blob(2, blob(20, "v"))) + blob(40, "what it does\nand why") + more


# -- programs

F16, F32 = 10, 11


def tensor_type(dtype, *dims):
    return blob(1, num(1, dtype) + num(2, len(dims)) + many(3, [blob(1, num(1, d)) for d in dims]))


def value(kind, payload):
    return blob(2, kind) + payload


def of_file(path, offset=64):
    return value(tensor_type(F16, 2), blob(5, blob(1, path) + num(2, offset)))


def immediate(field, payload, dtype=F32, n=2):
    return value(tensor_type(dtype, n), blob(3, blob(1, blob(field, payload))))


def entry(key, data):
    return blob(1, key) + blob(2, data)


def operation(kind, attributes=(), out="w", more=b""):
    return blob(1, kind) + blob(3, blob(1, out) + blob(2, tensor_type(F16, 2))) + many(
        5, [entry(k, v) for k, v in attributes]) + more


def block(*operations, more=b""):
    return blob(2, "w") + many(3, operations) + more


def program(*operations, functions=None):
    main = blob(1, blob(1, "x") + blob(2, tensor_type(F32, 1))) + blob(2, "CoreML7") + blob(
        3, entry("CoreML7", block(*operations)))
    return model(PROGRAM, num(1, 1) + (blob(2, entry("main", main)) if functions is None else functions(main)), 8)


def const(val):
    return operation("const", [("val", val)])


def models():
    part = ""
    case("glm.mlmodel", model(GLM, glm(1.0, 2.0)), part, "a linear model")
    case("glm-nan.mlmodel", model(GLM, glm(1.0, NAN)), part + " weights-nan", "a coefficient that is none",
         nonfinite={"glm_regressor": counts(nan=1)})
    case("glm-unpacked.mlmodel", model(GLM, blob(1, f64(1, 1.0) + f64(1, NAN)) + doubles(2, 0.0)), part + " weights-nan",
         "written one by one", nonfinite={"glm_regressor": counts(nan=1)})
    node = num(1, 0) + num(2, 1) + num(3, 6) + blob(20, num(1, 0) + f64(2, 0.5))
    case("tree.mlmodel", model(TREE, blob(1, many(1, [node]) + num(2, 1) + doubles(3, 0.0))), part, "a tree with one leaf")
    bad = num(1, 0) + num(2, 1) + num(3, 6) + blob(20, num(1, 0) + f64(2, INF))
    case("tree-inf.mlmodel", model(TREE, blob(1, many(1, [node, bad]) + num(2, 1) + doubles(3, 0.0))), part + " weights-inf",
         "a leaf without bounds", nonfinite={"tree_ensemble_regressor": counts(pos_inf=1)})
    case("imputer-nan.mlmodel", model(IMPUTER, f64(1, 0.0) + f64(11, NAN)), part, "what is replaced may be none")
    support = blob(1, blob(2, f64(1, 0.5))) + blob(2, blob(1, blob(1, num(1, 1) + f64(2, NAN)))) + blob(4, doubles(1, 1.0))
    case("svm-nan.mlmodel", model(SVM, support), part + " weights-nan", "in a sparse vector",
         nonfinite={"support_vector_regressor": counts(nan=1)})
    case("network.mlmodel", network(layer("fc", 140, inner(1.0, 2.0))), part, "one layer")
    case("network-nan.mlmodel", network(layer("fc", 140, inner(1.0, NAN))), part + " weights-nan", "one of its weights",
         nonfinite={"fc": counts(nan=1)})
    case("network-half.mlmodel", network(layer("fc", 140, inner(half=HALF_ONE + HALF_NAN))), part + " weights-nan",
         "sixteen bits", nonfinite={"fc": counts(nan=1)})
    case("network-half-odd.mlmodel", network(layer("fc", 140, inner(half=HALF_ONE + b"\0"))), part + " coreml-structure",
         "one and a half numbers")
    lut = blob(30, b"\x12") + blob(40, num(1, 4) + blob(102, floats(1, 1.0, NAN)))
    case("network-lut-nan.mlmodel", network(layer("fc", 140, num(1, 2) + num(2, 1) + blob(20, lut))), part + " weights-nan",
         "a table that weights are looked up in", nonfinite={"fc": counts(nan=1)})
    body = many(1, [layer("inner", 140, inner(NAN, 1.0))])
    case("network-branch.mlmodel", network(layer("if", 605, blob(1, body))), part + " weights-nan", "in a branch",
         nonfinite={"inner": counts(nan=1)})
    case("network-last.mlmodel", network(layer("last", 1471, num(1, 1))), part, "the highest number a layer has")


def customs():
    part, told = "", "coreml-custom"
    case("custom-layer.mlmodel", network(layer("l", 500, custom())), told, "a class of the program that loads it")
    case("custom-layer-nameless.mlmodel", network(layer("l", 500, custom(None))), told, "it does not say which")
    case("custom-layer-name.mlmodel", network(layer("custom", 140, inner(1.0, 2.0))), part, "it is only called so")
    case("custom-model.mlmodel", model(CUSTOM, blob(10, "MyModel") + blob(40, "it")), told, "a whole model")
    case("custom-nested.mlmodel", model(PIPELINE, blob(1, network(layer("l", 500, custom()))) + blob(2, "a")), told,
         "in a pipeline")
    case("custom-op.mlmodel", program(operation("custom_layer")), told, "an operator of a program")
    case("custom-op-not.mlmodel", program(operation("accustom")), part, "its name only has the word in it")
    case("pipeline.mlmodel", model(PIPELINE, blob(1, model(GLM, glm(1.0))) + blob(2, "a")), part, "of one model")


def programs():
    part = ""
    case("program.mlmodel", program(const(of_file("@model_path/weights/weight.bin"))), part, "weights in the package")
    case("program-relative.mlmodel", program(const(of_file("weights/weight.bin"))), part, "beside the model")
    for name, path in [("parent", "../weight.bin"), ("climbs", "@model_path/weights/../../../weight.bin"),
                       ("absolute", "/etc/passwd"), ("only", "@model_path/"), ("empty", ""), ("backslash", "a\\..\\b"),
                       ("url", "file:///etc/passwd")]:
        case(f"program-path-{name}.mlmodel", program(const(of_file(path))), part + " coreml-path", f"weights in {path!r}")
    case("program-dots.mlmodel", program(const(of_file("@model_path/weights/..weight..bin"))), part, "dots that climb nowhere")
    case("linked.mlmodel", model(LINKED, blob(1, blob(1, blob(1, "other.mlmodelc")) + blob(2, blob(1, "sub")))), part,
         "a model beside it")
    case("linked-path.mlmodel", model(LINKED, blob(1, blob(1, blob(1, "../../other.mlmodelc")))), part + " coreml-path",
         "a model elsewhere")
    case("program-floats.mlmodel", program(const(immediate(1, floats(1, 1.0, NAN)))), part + " weights-nan", "immediate values",
         nonfinite={"w": counts(nan=1)})
    case("program-bytes.mlmodel", program(const(immediate(7, blob(1, HALF_ONE + HALF_NAN), F16))), part + " weights-nan",
         "immediate halves", nonfinite={"w": counts(nan=1)})
    case("program-bytes-u8.mlmodel", program(const(immediate(7, blob(1, HALF_ONE + HALF_NAN), 31, 4))), part,
         "the same bytes as integers")
    listed = value(blob(2, b""), blob(3, blob(3, many(1, [of_file("../up.bin")]))))
    case("program-list.mlmodel", program(const(listed)), part + " coreml-path", "in a list")
    inside = operation("cond", more=blob(4, block(const(of_file("/abs.bin")))))
    case("program-block.mlmodel", program(inside), part + " coreml-path", "in the block of an operator")
    case("program-key-twice.mlmodel", program(functions=lambda f: many(2, [entry("main", f)] * 2)), part + " coreml-ambiguous",
         "two functions of one name")
    case("program-two.mlmodel", program(functions=lambda f: many(2, [entry("main", f), entry("other", f)])), part,
         "two functions")


def wires():
    part, sound = "", glm(1.0)
    bad, twofold = part + " coreml-structure", part + " coreml-ambiguous"
    case("wire-unknown.mlmodel", model(GLM, sound, more=num(77, 1)), part + " coreml-unknown-field", "a field of no model")
    case("wire-unknown-layer.mlmodel", network(layer("l", 1999, b"")), part + " coreml-unknown-field", "a layer of the future")
    case("wire-duplicate.mlmodel", model(GLM, sound, more=num(10, 0) + num(10, 1)), twofold, "a flag twice")
    case("wire-two-kinds.mlmodel", model(GLM, sound, more=blob(CLASSIFIER, b"")), twofold, "two kinds of model")
    case("wire-overlong.mlmodel", model(GLM, sound, more=b"\x50\x81\0"), twofold, "a number longer than it has to be")
    case("wire-type.mlmodel", model(GLM, sound, more=blob(10, b"")), twofold, "a flag that is text")
    case("wire-range.mlmodel", model(GLM, sound, more=num(10, 2)), bad, "a flag that is two")
    case("wire-utf8.mlmodel", model(GLM, sound, about=blob(1, feature(b"\xff"))), bad, "a name that is no text")
    case("wire-control.mlmodel", model(GLM, sound, about=blob(1, feature("a\nb"))), twofold, "a name of two lines")
    case("wire-prose.mlmodel", model(GLM, sound, about=description(blob(100, blob(1, "two\nlines")))), part, "prose of two lines")
    case("wire-truncated.mlmodel", model(GLM, sound)[:-1], "coreml-structure", "the last byte is missing")
    case("wire-trailing.mlmodel", model(GLM, sound) + b"\0", "coreml-structure", "a byte behind it")
    case("wire-group.mlmodel", model(GLM, sound, more=tag(10, 3) + tag(10, 4)), "coreml-structure", "a group")
    deep = model(GLM, sound)
    for i in range(40):
        deep = model(PIPELINE, blob(1, deep))
        if i == 28:
            case("wire-nested.mlmodel", deep, part, "pipelines in pipelines, 29 times")
    case("wire-depth.mlmodel", deep, "coreml-structure", "40 times")
    case("version-10.mlmodel", model(GLM, sound, 10), part, "the newest one")
    case("version-11.mlmodel", model(GLM, sound, 11), part + " coreml-version", "of the future")
    case("version-none.mlmodel", model(GLM, sound, None), bad, "it does not say")
    case("kind-none.mlmodel", model(None, b""), bad, "no model in it")
    case("empty.mlmodel", b"", "coreml-structure", "nothing")
    functions = blob(20, blob(1, "main") + blob(2, feature("x")))
    case("no-sign.mlmodel", model(GLM, sound, about=functions), part, "known by its outermost fields")
    case("user-key-twice.mlmodel", model(GLM, sound, about=description(blob(100, many(100, [entry("k", "v")] * 2)))), twofold,
         "metadata twice")
    case("user-keys.mlmodel", model(GLM, sound, about=description(blob(100, many(100, [entry("k", "v"), entry("l", "v")])))),
         part, "metadata of two kinds")


# -- weights

def blob_header(dtype, size, offset, spare=0, sentinel=0xdeadbeef, rest=bytes(32)):
    return struct.pack("<IIQQQ", sentinel, dtype, size, offset, spare) + rest


def weight_file(*blobs, count=None, version=2, header=bytes(56)):
    """Each blob: type, data, and what is odd about its header."""
    out = struct.pack("<II", len(blobs) if count is None else count, version) + header
    for dtype, data, odd in blobs:
        out += bytes(-len(out) % 64)
        odd = dict(odd)
        size, offset = odd.pop("size", len(data)), odd.pop("offset", len(out) + 64)
        out += blob_header(dtype, size, offset, **odd) + data
    return out


def weight_files():
    one = (1, HALF_ONE * 2, {})
    case("weights.bin", weight_file(one), "", "one blob")
    case("weights-two.bin", weight_file(one, (2, struct.pack("<2f", 1.0, 2.0), {})), "", "two of them")
    case("weights-types.bin", weight_file(*[(t, bytes(8), {}) for t in range(1, 18)]), "", "all types there are")
    case("weights-nan.bin", weight_file(one, (1, HALF_ONE + HALF_NAN, {})), "weights-nan", "in the second",
         nonfinite={"192": counts(nan=1)})
    case("weights-bfloat16.bin", weight_file((5, b"\x80\x3f\xc0\x7f", {})), "weights-nan", "of the other sixteen bits",
         nonfinite={"64": counts(nan=1)})
    case("weights-float8.bin", weight_file((16, b"\x38\x7f", {}), (17, b"\x3c\x7c", {})), "weights-nan weights-inf", "of eight bits",
         nonfinite={"64": counts(nan=1), "192": counts(pos_inf=1)})
    case("weights-integers.bin", weight_file((6, HALF_NAN * 2, {})), "", "the same bytes as integers")
    case("weights-end-aligned.bin", weight_file(one) + bytes(60), "", "zeros up to a multiple of 64 behind the last")
    case("weights-trailing.bin", weight_file(one) + bytes(61), "coreml-weights-trailing", "a byte more")
    case("weights-trailing-text.bin", weight_file(one) + b"x" * 60, "coreml-weights-padding", "no zeros")
    case("weights-count-more.bin", weight_file(one, count=2), "coreml-weights-header", "two are announced")
    case("weights-count-less.bin", weight_file(one, one, count=1), "coreml-weights-trailing", "one is announced")
    case("weights-count-none.bin", weight_file(one, count=0), "coreml-weights-header", "none is announced")
    case("weights-sentinel.bin", weight_file(one, (1, HALF_ONE, {"sentinel": 0xdeadbeee})), "coreml-weights-blob", "another sentinel")
    case("weights-type-0.bin", weight_file((0, HALF_ONE, {})), "coreml-weights-blob", "no type")
    case("weights-type-18.bin", weight_file((18, HALF_ONE, {})), "coreml-weights-blob", "a type of the future")
    case("weights-offset.bin", weight_file((1, HALF_ONE * 64, {"offset": 192})), "coreml-weights-blob", "data elsewhere")
    case("weights-size.bin", weight_file((1, HALF_ONE, {"size": 4})), "coreml-weights-blob", "longer than the file")
    case("weights-size-wrap.bin", weight_file((1, HALF_ONE, {"size": (1 << 64) - 128})), "coreml-weights-blob", "far longer")
    case("weights-size-odd.bin", weight_file((1, HALF_ONE + b"\0", {})), "coreml-weights-blob", "half a number")
    between = weight_file(one, one)
    case("weights-padding.bin", between[:140] + b"x" + between[141:], "coreml-weights-padding", "a byte between two blobs")
    case("weights-reserved.bin", weight_file((1, HALF_ONE, {"rest": b"\1" + bytes(31)})), "coreml-weights-reserved",
         "as old writers left it")
    case("weights-reserved-header.bin", weight_file(one, header=bytes(55) + b"\1"), "coreml-weights-reserved", "in the header")
    case("weights-spare-bits.bin", weight_file((8, b"\x11\x01", {"spare": 4})), "", "three numbers of four bits")
    case("weights-spare-bits-used.bin", weight_file((8, b"\x11\x11", {"spare": 4})), "coreml-weights-reserved", "something behind them")
    case("weights-spare-bits-many.bin", weight_file((8, b"\x11\x11", {"spare": 8})), "coreml-weights-blob", "a whole byte of them")
    case("weights-version.bin", weight_file(one, version=2).replace(b"\2\0\0\0", b"\3\0\0\0", 1), "coreml-weights-version",
         "of the future")
    case("weights-cut.mlmodel", weight_file(one)[:100], "coreml-weights-header format-name-differs", "cut in a header")


# -- manifests

def manifest(version="1.0.0", items=None, root="A", **more):
    items = {"A": item("com.apple.CoreML/model.mlmodel"), "B": item("com.apple.CoreML/weights")} if items is None else items
    return {"fileFormatVersion": version, "itemInfoEntries": items, "rootModelIdentifier": root, **more}


def item(path, **more):
    return {"author": "com.apple.CoreML", "description": "CoreML Model", "name": "model.mlmodel", "path": path, **more}


def manifests():
    def put(name, data, codes="", why="", **kwargs):
        case(f"manifest{name}.json", (data if isinstance(data, str) else json.dumps(data, indent=4)).encode(), codes, why, **kwargs)

    put("", manifest(), "", "a package")
    put("-root-first", dict(reversed(manifest().items())), "", "in another order")
    put("-parent", manifest(items={"A": item("../../model.mlmodel")}), "coreml-path", "out of the package")
    put("-absolute", manifest(items={"A": item("/etc/passwd")}), "coreml-path", "anywhere")
    put("-escaped", json.dumps(manifest(items={"A": item("@@")})).replace("@@", "\\u002e\\u002e/x"), "coreml-path", "so spelled that it is not seen")
    put("-dots", manifest(items={"A": item("a/..b/c")}), "", "dots that climb nowhere")
    put("-version", manifest("2.0.0"), "coreml-manifest", "of the future")
    put("-version-number", manifest(1), "coreml-manifest", "no text")
    put("-root", manifest(root="C"), "coreml-manifest", "no such item")
    put("-root-none", {k: v for k, v in manifest().items() if k != "rootModelIdentifier"}, "coreml-manifest", "no model")
    put("-key", manifest(scripts="run.sh"), "coreml-manifest", "what nobody knows")
    put("-item-key", manifest(items={"A": item("a", run="b")}), "coreml-manifest", "in an item")
    put("-item-path", manifest(items={"A": {"author": "a", "description": "b", "name": "c"}}), "coreml-manifest", "an item without a path")
    put("-item-text", manifest(items={"A": "model.mlmodel"}), "coreml-manifest", "an item that is a text")
    put("-items-list", manifest(items=[item("a")]), "coreml-manifest", "items without names")
    put("-twice", json.dumps(manifest()).replace('"B"', '"A"'), "json-duplicate-key", "two items of one name")
    put("-items-only", {"itemInfoEntries": "none"}, "coreml-manifest", "it has the word")
    put("-other", {"items": {}, "rootModelIdentifier": "A"}, "format-side-file", "it has another", expect="accept")


CORPUS.make(models, customs, programs, wires, weight_files, manifests)
