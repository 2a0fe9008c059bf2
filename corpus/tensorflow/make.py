#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small SavedModels, graphs and meta graphs of TensorFlow that each
break one rule of formats/tensorflow, and near misses that break none.  Always the same bytes, made without TensorFlow;
nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob as text, f32, num as number, varint  # noqa: E402 pylint: disable=wrong-import-position
from tf_nodes import attr, needs, node, placeholders  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"tf-op-saver", "tf-op-print", "tf-op-stablehlo", "tf-op-asset-read", "weights-inf-mask"}
REVIEWED = {"format-unknown", "tf-value-overlong", "tf-unknown-field", "tf-limit", "tf-unsupported", "tf-tags-duplicate", "tf-custom-op",
            "tf-function-cycle", "tf-gradient-missing", "tf-op-vocabulary", "tf-op-xla", "tf-op-abort", "tf-nested-graph", "weights-nan",
            "weights-inf"}
CORPUS = Cases(".pb", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- messages

def tensor(dtype, shape, more):
    return number(1, dtype) + text(2, b"".join(text(2, number(1, d)) for d in shape)) + more


def value_of(t):
    return attr("value", text(8, t))


def constant(name, t):
    return node(name, "Const", (), value_of(t))


def string(name, *values):
    return constant(name, tensor(7, (len(values),) if len(values) != 1 else (), b"".join(text(8, v) for v in values)))


def function(name, args, nodes, more=b""):
    """Nodes as node() makes them: field 1 of a graph, field 3 of a function."""
    body = b"".join(b"\x1a" + n[1:] for n in nodes)
    args = [text(1, a) for a in args] + [text(1, f"in{t}") + number(3, t) for t in needs(nodes)]
    return text(1, text(1, text(1, name) + b"".join(text(2, a) for a in args)) + body + more)


def library(*functions, more=b""):
    return text(2, b"".join(functions) + more)


def calls(name, op, callee, inputs=()):
    return node(name, op, inputs, attr("f", text(10, text(1, callee))))


VERSIONS = text(4, number(1, 1087))
X, Y = node("x", "Placeholder"), node("y", "Identity", ("x",))


def graph(*nodes, more=b""):
    nodes = nodes or (X, Y)
    return b"".join([*nodes, *placeholders(nodes)]) + more + VERSIONS


def saver(filename="save/Const:0", save="save/control_dependency:0", restore="save/restore_all"):
    return text(3, text(1, filename) + text(2, save) + text(3, restore) + number(7, 2))


def meta(g=None, tags=("serve",), more=b"", info=b""):
    return text(1, b"".join(text(4, t) for t in tags) + text(5, "2.11.0") + info) + text(2, graph() if g is None else g) + more


def model(*metas, schema=1):
    return number(1, schema) + b"".join(text(2, m) for m in metas or (meta(),))


def of(*nodes, **named):
    """A SavedModel with these nodes."""
    return model(meta(graph(*nodes, **named)))


# -- sections

def frames():
    signature = text(5, text(1, "serving_default") + text(2, text(1, text(1, "x") + text(2, text(1, "x:0")))))
    case("sound", model(meta(more=signature)), why="a placeholder, an identity, a signature")
    case("graph-sound", graph(), why="a frozen graph")
    case("meta-sound.meta", meta(), why="a meta graph by itself")
    case("schema-1", model(schema=1), why="the schema there is")
    case("schema-2", model(schema=2), "tf-schema-version", "a schema there is not")
    case("schema-0", model(schema=0), "tf-schema-version", "likewise")
    case("schema-none", text(2, meta()), why="modules of TensorFlow Hub have none")
    case("schema-none-write", text(2, meta(graph(X, node("w", "WriteFile", ("x", "x"))))), "tf-op-file-write", "nor has this one")
    metas = [meta(tags=(f"t{i}",)) for i in range(17)]
    case("metas-16", model(*metas[:16]), why="as many as may be")
    case("metas-17", model(*metas), "tf-meta-graph-count", "one more")
    case("metas-same-tags", model(meta(tags=("a", "b")), meta(tags=("b", "a"))), "tf-tags-duplicate", "in another order")
    case("metas-other-tags", model(meta(tags=("a", "b")), meta(tags=("a",))), why="fewer")
    case("metas-second", model(meta(), meta(graph(X, node("w", "WriteFile", ("x", "x"))), tags=("x",))), "tf-op-file-write",
         "what the first does not have")
    entry = text(1, "k") + text(2, b"")
    case("map-duplicate", model(meta(more=text(4, entry) * 2)), "tf-map-duplicate", "a collection twice")
    case("map-not", model(meta(more=text(4, entry) + text(5, entry))), why="one key in two maps")
    case("map-duplicate-attr", of(node("x", "Placeholder", (), attr("T", number(6, 1)) * 2)), "tf-map-duplicate", "an attribute")
    case("map-not-attr", of(node("x", "Placeholder", (), attr("T", number(6, 1))),
                            node("y", "Placeholder", (), attr("T", number(6, 1)))), why="of two nodes")


def wires():
    case("wire-duplicate", model(meta(more=text(2, graph()))), "tf-duplicate-field", "two graphs in one")
    case("wire-unknown", model(meta(more=number(40, 1))), "tf-unknown-field", "a field of a newer schema")
    case("wire-reserved", of(X, more=library(function("f", (), (), number(2, 1)))), "tf-reserved-field", "an old one")
    case("wire-group", model() + varint(9 << 3 | 3), "tf-group", "a group")
    case("wire-tag", model() + b"\0\0", "tf-tag", "field 0")
    case("wire-cut", graph()[:-1], "tf-truncated", "a byte is missing")
    case("wire-varint", b"\x08\1" + b"\x12" + varint(len(meta())) + meta() + b"\x08" + b"\xff" * 11, "tf-duplicate-field tf-varint", "11 bytes")
    case("wire-overlong-value", b"\x08\x81\0" + model()[2:], "tf-value-overlong", "two bytes for one")
    case("wire-overlong-tag", b"\x88\0\x01" + model()[2:], "tf-varint-overlong", "likewise of a tag")
    case("wire-type", model(meta(more=number(3, 1))), "tf-wiretype", "a saver that is a number")
    case("wire-oneof", of(node("x", "Placeholder", (), attr("T", number(6, 1) + number(3, 1)))), "tf-oneof-multiple", "two values")
    case("wire-utf8", of(node("x", "Placeholder", device=b"/\xff")), "tf-utf8", "no UTF-8")
    case("wire-control", of(node("x", "Placeholder", device=b"/\x07")), "tf-string-control", "a bell")
    case("wire-range", of(constant("c", tensor(3, (1,), number(7, 1 << 40)))), "tf-int-range", "40 bits in 32")
    case("wire-packed", of(constant("c", tensor(1, (1,), text(5, b"\0" * 5)))), "tf-packed", "five bytes of floats")
    deep = number(6, 1)
    for _ in range(25):
        deep = text(10, text(1, "") + text(2, text(1, "f") + text(2, deep)))
    case("wire-depth", of(node("x", "Placeholder", (), attr("f", deep))), "tf-depth", "functions in functions")


def nodes():
    case("node-name", of(node("a b", "NoOp")), "tf-node-name", "a space")
    case("node-name-empty", of(X, node("", "NoOp")), "tf-node-name", "none")
    case("node-name-start", of(node("_a", "NoOp")), "tf-node-name", "an underscore in front")
    case("node-name-sound", of(node(".a/b-c_d>e", "NoOp")), why="all it may have")
    case("node-twice", of(X, X), "tf-node-duplicate", "two of one name")
    case("node-twice-not", of(X, more=library(function("f", (), (X,)))), why="one in a function")
    case("node-argument", of(X, more=library(function("f", ("a",), (node("b", "Identity", ("a",)),)))), why="an argument")
    case("node-argument-name", of(X, more=library(function("f", ("a",), (node("a", "NoOp"),)))), "tf-node-duplicate",
         "a node of that name")
    case("op-name", of(node("x", "no-op")), "tf-op-name", "no operator")
    case("op-function", of(calls("x", "PartitionedCall", "f"), node("z", "f"), more=library(function("f", (), (X,)))),
         why="the name of a function")
    case("op-internal", of(node("x", "_Arg")), why="one of TensorFlow's own")
    case("op-custom", of(node("x", "My>Op")), "tf-custom-op", "of a library")
    case("op-custom-plain", of(node("x", "SentencepieceOp")), "tf-custom-op", "of a library, as its name does not say")
    case("op-custom-version", of(node("x", "MatMulV9")), "tf-custom-op", "a version that there is not")
    case("op-custom-function", of(X, more=library(function("f", (), (node("x", "My>Op"),)))), "tf-custom-op", "in a function")
    case("op-custom-not", of(node("x", "MyFunction"), more=library(function("MyFunction", (), (X,)))), why="a function that comes later")
    long = "Long" * 40
    case("op-custom-long", of(node("x", long)), "tf-custom-op", "a name longer than any")
    case("op-function-long", of(node("x", "f" + long), more=library(function("f" + long, (), (X,)))), why="a function of such a name")
    case("op-custom-known", of(*(node(f"n{i}", op) for i, op in enumerate((
        "AddV2", "XlaDynamicSlice", "LoadTPUEmbeddingADAMParameters", "_FusedMatMul", "_Retval", "SlideDataset",
        "BatchMatMulV3", "AdjustContrastv2", "ZipDataset", "ExperimentalBytesProducedStatsDataset")))), why="operators of all sorts")
    case("input-missing", of(X, node("z", "Identity", ("nowhere",))), "tf-input", "there is no such node")
    case("input-later", of(node("z", "Identity", ("x:0",)), X), why="one that comes later")
    case("input-control-last", of(X, Y, node("z", "Identity", ("x", "^y"))), why="control inputs behind")
    case("input-control-first", of(X, Y, node("z", "Identity", ("^y", "x"))), "tf-input", "and in front")
    case("device-local", of(node("x", "NoOp", device="/job:localhost/replica:0/task:0/device:CPU:0")), why="here")
    case("device-remote", of(node("x", "NoOp", device="/job:worker/task:1")), "tf-device-remote", "elsewhere")
    case("attributes-1024", of(node("x", "NoOp", (), b"".join(attr(str(i), number(3, 1)) for i in range(1024)))), why="as many")
    case("attributes-1025", of(node("x", "NoOp", (), b"".join(attr(str(i), number(3, 1)) for i in range(1025)))), "tf-limit",
         "one more")


def functions():
    f, g = function("f", (), (calls("c", "PartitionedCall", "g"),)), function("g", (), (X,))
    case("function-sound", of(calls("x", "PartitionedCall", "f"), more=library(f, g)), why="one calls another")
    case("function-twice", of(X, more=library(g, g)), "tf-function-duplicate", "two of one name")
    case("function-circle", of(X, more=library(f, function("g", (), (calls("c", "PartitionedCall", "f"),)))),
         "tf-function-cycle", "each calls the other")
    def gradients(*pairs):
        return library(f, g, more=b"".join(text(2, text(1, a) + text(2, b)) for a, b in pairs))
    case("gradient-sound", of(X, more=gradients(("f", "g"))), why="the gradient of one is the other")
    case("gradient-missing", of(X, more=gradients(("f", "h"))), "tf-gradient-missing", "by one that is not there")
    case("gradient-missing-function", of(X, more=gradients(("h", "g"))), "tf-gradient-missing", "of one that is not there")
    case("function-operator", of(calls("x", "PartitionedCall", "WriteFile")), "tf-op-file-write", "an operator as a function")
    case("function-like-operator", of(X, more=library(function("ReadFile", (), (X,)))), "tf-op-file-read", "a function called like one")
    case("function-write", of(X, more=library(function("f", (), (X, node("w", "WriteFile", ("x", "x")))))),
         "tf-op-file-write", "what it does")


def tensors():
    def c(t):
        return of(constant("w", t))
    two = struct.pack("<2f", 1, 2)
    case("tensor-content", c(tensor(1, (2,), text(4, two))), why="two floats")
    case("tensor-packed", c(tensor(1, (2,), text(5, two))), why="one by one")
    case("tensor-unpacked", c(tensor(1, (2,), f32(5, two[:4]) + f32(5, two[4:]))), why="each with its tag")
    case("tensor-splat", c(tensor(1, (200,), text(5, two[:4]))), why="one for all")
    case("tensor-none", c(tensor(1, (200,), b"")), why="zeros")
    case("tensor-three", c(tensor(1, (2,), text(5, two + two[:4]))), "tf-tensor-size", "three of two")
    case("tensor-short", c(tensor(1, (2,), text(4, two[:7]))), "tf-tensor-size", "a byte is missing")
    case("tensor-long", c(tensor(1, (2,), text(4, two + b"\0"))), "tf-tensor-size", "a byte too many")
    case("tensor-both", c(tensor(1, (2,), text(4, two) + text(5, two))), "tf-tensor-size", "twice")
    case("tensor-other-field", c(tensor(1, (2,), text(6, two))), "tf-tensor-size", "doubles for floats")
    case("tensor-negative", c(tensor(1, (-1,), b"")), "tf-tensor-size", "a dimension below zero")
    case("tensor-bomb", c(tensor(1, (1 << 40,), text(5, two[:4]))), "tf-tensor-bomb", "one value, 2^40 times")
    gigabyte = tensor(1, (1 << 28,), text(5, two[:4]))
    case("tensor-bomb-second", of(constant("a", gigabyte), constant("b", gigabyte)), "tf-tensor-bomb", "a gigabyte, twice")
    case("tensor-bomb-string", c(tensor(7, (1 << 22,), text(8, "x" * 1000))), "tf-tensor-bomb", "one string, 2^22 times")
    case("tensor-bomb-not", c(tensor(1, (1 << 28,), text(5, two[:4]))), why="a gigabyte")
    case("tensor-variant", c(tensor(21, (), text(15, b""))), "tf-variant", "a variant")
    case("tensor-resource", c(tensor(20, (), text(14, b""))), "tf-variant", "a handle")
    case("tensor-type", c(tensor(99, (), b"")), "tf-unsupported", "a newer type")
    case("tensor-strings", of(string("s", "a", "b")), why="strings")
    case("tensor-nan", c(tensor(1, (2,), text(4, struct.pack("<2f", 1, float("nan"))))), "weights-nan", "one of two",
         nonfinite={"w": {"nan": 1}})
    case("tensor-nan-half", c(tensor(19, (2,), text(13, varint(0x7e00) + varint(0)))), "weights-nan", "as numbers",
         nonfinite={"w": {"nan": 1}})
    case("tensor-nan-packed", c(tensor(2, (2,), text(6, struct.pack("<2d", 1, float("nan"))))), "weights-nan", "doubles",
         nonfinite={"w": {"nan": 1}})
    case("tensor-inf", c(tensor(1, (3,), text(4, struct.pack("<3f", 1, 2, float("inf"))))), "weights-inf", "one of three",
         nonfinite={"w": {"pos_inf": 1}})
    case("tensor-inf-mask", c(tensor(1, (), text(5, struct.pack("<f", float("-inf"))))), "weights-inf-mask", "a mask",
         nonfinite={"w": {"neg_inf": 1}})


def operators():
    for op, code in (("PyFunc", "python"), ("EagerPyFunc", "python"), ("ReadFile", "file-read"), ("WriteFile", "file-write"),
                     ("ImmutableConst", "file-read"), ("TFRecordDatasetV2", "file-read"), ("ImportEvent", "file-write"),
                     ("RpcV2", "network"), ("_Send", "network"), ("CollectiveReduceV2", "network"), ("TRTEngineOp", "native"),
                     ("XlaLaunch", "xla"), ("XlaCallModule", "stablehlo"), ("Abort", "abort"), ("PrintV2", "print")):
        case("op-" + op, of(node("x", op)), "tf-op-" + code, "by its name")
    case("op-graph-WriteFile", graph(node("x", "WriteFile")), "tf-op-file-write", "in a frozen graph")
    case("op-meta-ReadFile.meta", meta(graph(node("x", "ReadFile"))), "tf-op-file-read", "in a meta graph")
    case("op-dataset", of(node("x", "DatasetFromGraph")), "tf-nested-graph", "a graph that is built when it runs")
    for op in ("DecodeJpeg", "ParseExampleV2", "Assert", "MatMul"):
        case("op-harmless-" + op, of(node("x", op)), why="one that only computes")
    case("op-harmless-WriteFileX", of(node("x", "WriteFileX")), "tf-custom-op", "a name that only begins like one")
    for op, code in (("DTensorRestoreV2", "file-read"), ("TPUCompile", "native"), ("ConnectTPUEmbeddingHosts", "network")):
        case("op-" + op, of(node("x", op)), "tf-op-" + code, "by its name")
    for name, nodes_, codes in (
            ("memory", (string("n", ""), node("c", "CacheDatasetV2", ("in21", "n"))), ""),
            ("file", (string("n", "/tmp/x"), node("c", "CacheDatasetV2", ("in21", "n"))), "tf-op-file-write"),
            ("two", (node("n", "Const", (), value_of(tensor(7, (2,), text(8, "") + text(8, "/x")))), node("c", "CacheDataset", ("in21", "n"))),
             "tf-op-file-write"),
            ("input", (node("c", "CacheDataset", ("in21", "x")),), "tf-op-file-write")):
        case("op-cache-" + name, of(X, *nodes_), codes, "a cache")
    case("op-print-file", of(node("x", "PrintV2", (), attr("output_stream", text(2, "file:///tmp/x")))),
         "tf-op-print tf-op-file-write", "a printer that writes a file")
    case("op-print-stderr", of(node("x", "PrintV2", (), attr("output_stream", text(2, "stderr")))), "tf-op-print", "a printer")
    case("op-debug", of(node("x", "DebugIdentityV2")), why="a debugger without addresses")
    case("op-debug-url", of(node("x", "DebugIdentityV2", (), attr("debug_urls", text(1, text(2, "grpc://evil:1"))))),
         "tf-op-network", "and with one")
    for op, code in (("DatasetToTFRecord", "file-write"), ("DistributedSave", "file-write"), ("RecordInput", "file-read"),
                     ("Skipgram", "file-read"), ("SnapshotDatasetReader", "file-read"), ("SerializeTRTResource", "file-write"),
                     ("InitializeTRTResource", "file-read"), ("RpcCall", "network"), ("RemoteFusedGraphExecute", "native"),
                     ("XlaCustomCallV2", "native"), ("ConfigureAndInitializeGlobalTPU", "network"),
                     ("ExperimentalDatasetToTFRecord", "file-write"), ("ExperimentalCSVDataset", "file-read")):
        case("op-" + op, of(node("x", op)), "tf-op-" + code, "by its name")
    for op, code in (("GenerateBigQueryReaderPartitions", "file-read"), ("MapUnstageNoKey", "abort"), ("StagePeek", "abort"),
                     ("SleepDataset", "abort"), ("ExperimentalSleepDataset", "abort"), ("AccumulatorTakeGradient", "abort"),
                     ("_ConnectInterTPUEmbeddingCommunication", "network"), ("_TPUCompileMlir", "native")):
        case("op-" + op, of(node("x", op)), "tf-op-" + code, "by its name")
    for op in ("MapSize", "StageClear", "AccumulatorNumAccumulated", "TPUOrdinalSelector"):
        case("op-harmless-" + op, of(node("x", op)), why="its kin, which only computes")
    for name, more, codes in (("empty", attr("vocab_file", text(2, "")), ""), ("none", attr("_class", text(1, text(2, "loc:@w"))), ""),
                              ("file", attr("vocab_file", text(2, "/etc/passwd")), "tf-op-file-read"),
                              ("first", text(5, text(2, text(2, "/etc/passwd")) + text(1, "vocab_file")), "tf-op-file-read")):
        case("op-sampler-" + name, of(X, node("s", "FixedUnigramCandidateSampler", (), more)), codes, "a sampler of words of a file")
    case("op-sampler-bound", of(X, more=library(function("f", ("a",), (node("n", "FixedUnigramCandidateSampler", ("a",),
                                                                            attr("vocab_file", text(9, "which"))),)))), "tf-op-file-read",
         "a file that the caller gives")
    case("op-harmless-Experimental", of(node("x", "ExperimentalRangeDataset")), why="nothing but the prefix")
    address = attr("debug_urls", text(1, text(2, "grpc://evil:1")))
    case("op-debug-url-first", of(node("x", "DebugIdentityV2", (), text(5, text(2, text(1, text(2, "grpc://evil:1"))) +
                                                                    text(1, "debug_urls")))), "tf-op-network", "an address before its key")
    for name, op, given, codes in (("print", "PrintV2", attr("output_stream", text(2, "file:///tmp/x")), "tf-op-print tf-op-file-write"),
                                   ("debug", "DebugIdentity", address, "tf-op-network")):
        named = attr("f", text(10, text(1, op) + text(2, given[2:])))
        case(f"op-{name}-named", of(X, node("c", "PartitionedCall", ("x",), named)), codes, "an operator in the place of a function")
        key = b"output_stream" if op == "PrintV2" else b"debug_urls"
        body = function("f", ("a",), (node("n", op, ("a",), attr(key, text(9, "which"))),))
        case(f"op-{name}-bound", of(X, more=library(body)), codes, "an address that the caller gives")
    case("op-print-bound-type", of(X, more=library(function("f", ("a",), (node("n", "Print", ("a",), attr("T", text(9, "T"))),)))),
         "tf-op-print", "a type that the caller gives")
    for name, device in (("second", "/job:localhost/job:worker"), ("longer", "/job:localhost2/task:0")):
        case("device-" + name, of(node("x", "Placeholder", device=device)), "tf-device-remote", "not this machine")
    case("device-twice-local", of(node("x", "Placeholder", device="/job:localhost/job:localhost/task:0")), why="this machine, twice")


def disguises():
    """Constants that are a file name, and look as if they were the saver's."""
    evil, write = "/etc/cron.d/x", "tf-op-file-write"

    def save(*nodes_, more=b"", file="n"):
        return model(meta(graph(*nodes_, node("s", "SaveV2", (file, file, file))), more=more))
    case("disguise-not", save(string("n", "model")), "tf-op-saver", "the default name itself")
    two = node("n", "Const", (), value_of(tensor(7, (), text(8, evil))) + attr("z", text(8, tensor(7, (), text(8, "model")))))
    case("disguise-attribute", save(two), write, "another attribute is the default name")
    content = value_of(tensor(7, (), text(4, bytes([len(evil)]) + evil.encode())))
    default = attr("a", text(8, tensor(7, (), text(8, "model"))))
    case("disguise-content", save(node("n", "Const", (), default + content)), write, "likewise, and the name as content")
    long = "n" * 96
    case("disguise-long", save(string(long, evil), string(long + "2", "model"), file=long), write, "a name that begins like it")

    def joined(*pieces, more=b""):
        names = [f"p{i}" for i in range(len(pieces))]
        return save(*(string(n, p) for n, p in zip(names, pieces)), node("n", "StringJoin", names, more))
    case("join-plain", joined("model", "_temp/part"), "tf-op-saver", "what savers join")
    case("join-hidden", joined("model", ".part"), "tf-op-saver", "likewise")
    case("join-up", joined("model", "/../../etc/cron.d/x"), write, "out of the folder")
    case("join-up-halves", joined("model", "/."), write, "half of the way")
    case("join-separator", joined("model", "x", more=attr("separator", text(2, "/../../etc/"))), write, "between the pieces")
    case("join-three", joined("model", "x", "y"), write, "more than savers join")
    branches = (string("m", "model"), node("q", "Placeholder"), string("a", ".part"))
    for name, second, codes in (("", "_temp/part", "tf-op-saver"), ("-up", "/../x", write)):
        case("join-select" + name, save(*branches, string("b", second), node("which", "Select", ("in10", "a", "b")),
                                        node("n", "StringJoin", ("m", "which"))), codes, "one of two")
    case("select-file", save(*branches[:2], string("b", evil), node("n", "Select", ("in10", "m", "b"))), write, "a file name, chosen")
    names = saver("n:0", "s", "r")
    case("saver-path", save(string("n", evil), more=names), write, "a path that a signature could write to")
    case("saver-path-default", save(string("e", evil), node("n", "PlaceholderWithDefault", ("e",)), more=names), write, "by default")
    case("saver-default", save(string("e", "anything"), node("n", "PlaceholderWithDefault", ("e",)), more=names), "tf-op-saver",
         "a name in this folder")
    other = library(function("__inference__traced_save_1", ("a", "b"), (node("s", "SaveV2", ("b", "a", "a")),)))
    case("saver-second-argument", model(meta(graph(node("saver_filename", "Placeholder"), string("evil", evil),
                                                   calls("call", "PartitionedCall", "__inference__traced_save_1",
                                                         ("saver_filename", "evil")), more=other),
                                             more=saver("saver_filename:0", "call:0", "r"))), write, "another argument than is asked about")


def savers():
    def old(name="model", filename="save/Const:0", **named):
        nodes_ = (X, string("save/Const", name), string("save/names", "w"),
                  node("save/SaveV2", "SaveV2", ("save/Const", "save/names", "save/names", "x")),
                  node("save/control_dependency", "Identity", ("save/Const", "^save/SaveV2")),
                  node("save/RestoreV2", "RestoreV2", ("save/Const", "save/names", "save/names")))
        return model(meta(graph(*nodes_), more=saver(filename), **named))
    case("saver-old", old("anything"), "tf-op-saver", "the constant that the saver names")
    case("saver-old-default", old("model", "other/Const:0"), "tf-op-saver", "a second saver of TensorFlow 1")
    case("saver-old-elsewhere", old("/etc/cron.d/x", "other/Const:0"), "tf-op-file-read tf-op-file-write", "no saver's name")
    case("saver-no-saver", of(string("n", "/etc/x"), node("s", "SaveV2", ("n", "n", "n"))), "tf-op-file-write", "in a signature")
    case("saver-graph", graph(string("n", "/etc/x"), node("s", "RestoreV2", ("n", "n", "n"))), "tf-op-file-read", "in a frozen graph")
    parts = (node("part", "Const"), node("join", "StringJoin", ("file_prefix", "part:output:0")),
             node("shard", "ShardedFilename", ("join:output:0",)),
             node("save", "SaveV2", ("shard:filename:0", "part:output:0", "part:output:0")),
             node("pack", "Pack", ("shard:filename:0", "^save")),
             node("merge", "MergeV2Checkpoints", ("pack:output:0", "file_prefix")))
    traced = library(function("__inference__traced_save_1", ("file_prefix",), parts))

    def new(caller="StatefulPartitionedCall", argument="saver_filename", lib=traced, more=()):
        nodes_ = (node("saver_filename", "Placeholder"), string("evil", "/etc/x"), *more,
                  calls(caller, "StatefulPartitionedCall", "__inference__traced_save_1", (argument,)))
        return model(meta(graph(*nodes_, more=lib), more=saver("saver_filename:0", "StatefulPartitionedCall:0",
                                                              "StatefulPartitionedCall_1")))
    case("saver-new", new(), "tf-op-saver", "as TensorFlow 2 writes it")
    case("saver-new-constant", new(argument="evil"), "tf-op-saver tf-op-file-write", "with a file name of its own")
    case("saver-new-caller", new(caller="other"), "tf-op-saver tf-op-file-write", "called by somebody else")
    twice = library(function("__inference__traced_save_1", ("file_prefix",), parts),
                    function("g", ("a",), (calls("c", "PartitionedCall", "__inference__traced_save_1", ("a",)),)))
    case("saver-new-function", new(lib=twice), "tf-op-saver tf-op-file-write", "called by a function")
    inside = library(function("__inference__traced_save_1", ("file_prefix",), (
        node("name", "Const"), node("save", "SaveV2", ("name:output:0", "name:output:0", "name:output:0")))))
    case("saver-new-inside", new(lib=inside), "tf-op-file-write", "a file name within the function")
    shards = [node(f"shard{i}", "ShardedFilename", ("join:output:0",)) for i in range(64)]

    def merged(*inputs, extra=()):
        nodes_ = *parts[:4], *shards, *extra, node("pack", "Pack", inputs), parts[5]
        return new(lib=library(function("__inference__traced_save_1", ("file_prefix",), nodes_)))
    all_ = [f"shard{i}:filename:0" for i in range(64)]
    case("saver-merge-64", merged(*all_), "tf-op-saver", "the parts of as many devices")
    case("saver-merge-65", merged(*all_, all_[0]), "tf-op-saver tf-op-file-write", "one more")
    case("saver-merge-other", merged(*all_[:2], "evil:output:0", extra=(node("evil", "Const"),)), "tf-op-saver tf-op-file-write",
         "a file of somebody else, which is deleted")
    named = library(function("Saver", ("file_prefix",), parts))
    case("saver-new-operator", of(string("evil", "/etc/x"), node("s", "Saver", ("evil",)), more=named),
         "tf-op-saver tf-op-file-write", "called as an operator")
    table = (string("vocab", "vocab.txt"), node("table", "HashTableV2"),
             node("init", "InitializeTableFromTextFileV2", ("table", "vocab")))
    asset = text(6, text(1, text(1, "vocab:0")) + text(2, "vocab.txt"))
    case("asset-table", model(meta(graph(*table), more=asset)), "tf-op-asset-read", "a vocabulary of its own")
    case("asset-table-not", of(*table), "tf-op-file-read", "a vocabulary of somebody else")
    lib = library(function("f", ("file",), (node("t", "HashTableV2"),
                                            node("i", "InitializeTableFromTextFileV2", ("t:table_handle:0", "file")))))
    case("asset-table-function", of(X, more=lib), "tf-op-vocabulary", "one that the caller names")
    for name, file in (("up", "../x"), ("up-inside", "a/../../x"), ("root", "/etc/passwd"), ("backslash", "..\\x"), ("drive", "c:x")):
        case("asset-" + name, model(meta(more=text(6, text(2, file)))), "tf-asset-traversal", "out of the folder")
    case("asset-dots", model(meta(more=text(6, text(2, "a/..b/c...txt")))), why="dots that lead nowhere")


def nested():
    def hidden(depth, inner):
        for i in range(depth):
            inner = graph(X, string("g", inner))
        return model(meta(inner))
    bad = graph(X, node("w", "WriteFile", ("x", "x")))
    for depth in (1, 4):
        case(f"nested-{depth}", hidden(depth, bad), "tf-nested-graph tf-op-file-write", f"a program {depth} strings deep")
    case("nested-5", hidden(5, bad), "tf-nested-graph tf-limit", "deeper than anybody looks")
    case("nested-sound", hidden(1, graph()), "tf-nested-graph", "a graph that does nothing")
    case("nested-content", of(constant("g", tensor(4, (len(bad),), text(4, bad)))), "tf-nested-graph tf-op-file-write", "in bytes")
    case("nested-attr", of(node("x", "NoOp", (), attr("graph", text(2, bad)))), "tf-nested-graph tf-op-file-write", "in an attribute")
    case("nested-attr-list", of(node("x", "NoOp", (), attr("graph", text(1, text(2, bad))))), "tf-nested-graph tf-op-file-write",
         "in a list")
    case("nested-not", of(string("s", b"0123456789abcdefghijklmnopqrstuvwxyz")), why="a text")
    case("nested-broken", of(string("s", bad[:-1])), why="a graph that is none")
    for name, fault in (("unknown", number(40, 1)), ("twice", VERSIONS), ("wiretype", number(2, 1))):
        codes = {"unknown": "tf-unknown-field", "twice": "tf-duplicate-field", "wiretype": "tf-wiretype"}[name]
        case("nested-" + name, of(string("s", bad + fault)), "tf-nested-graph tf-op-file-write " + codes, "with a fault that readers overlook")
    case("nested-function", of(X, more=library(function("f", (), (string("g", bad),)))), "tf-nested-graph tf-op-file-write",
         "in a function")


def keras():
    def layer(config):
        return model(meta(more=text(7, text(1, text(4, text(1, "_tf_keras_layer") + text(3, json.dumps(config)))))))
    case("keras-dense", layer({"class_name": "Dense", "config": {"units": 3}}), why="a layer")
    code = "4wEAAAAAAAAAAAAAAAEAAAACAAAAQwAAAHMEAAAAfABTACkBTqkAKQHaAXhyAQAAAHIBAAAA+gd4LnB5"
    case("keras-lambda", layer({"class_name": "Lambda", "config": {"name": "l", "function": [code, None, None],
                                                                   "function_type": "lambda"}}), "keras-embedded-code keras-lambda-code",
         "code")


def loads():
    """Rule 11: what runs when the model is loaded."""
    abort = node("a", "Abort", ("^x",))

    def collected(key, *names, nodes_=(X, abort), field=4, more=b""):
        entry = text(1, key) + text(2, text(1, b"".join(text(1, n) for n in names)))
        return model(meta(graph(*nodes_, more=more), more=text(field, entry)))

    def signed(name, key="__saved_model_init_op", nodes_=(X, abort), more=b""):
        info = text(2, text(1, key) + text(2, text(1, name)))
        return model(meta(graph(*nodes_, more=more), more=text(5, text(1, key) + text(2, info))))
    bad = "tf-op-abort tf-op-at-load"
    for key in ("saved_model_main_op", "legacy_init_op", "table_initializer"):
        case("load-" + key, collected(key, "a"), bad, "a collection of TensorFlow 1")
    case("load-other", collected("train_op", "a"), "tf-op-abort", "another collection")
    case("load-other-node", collected("saved_model_main_op", "x"), "tf-op-abort", "another node")
    case("load-signature", signed("a:0"), bad, "the signature of TensorFlow 2")
    case("load-signature-other", signed("a:0", "serving_default"), "tf-op-abort", "another signature")
    group = (X, abort, node("i", "NoOp", ("^a",)), node("init", "NoOp", ("^i",)))
    case("load-group", signed("init", nodes_=group), bad, "by way of others")
    lib = library(function("f", (), (calls("c", "PartitionedCall", "g"),)), function("g", (), (node("a", "Abort"),)))
    case("load-function", signed("c:0", nodes_=(X, calls("c", "PartitionedCall", "f")), more=lib), bad, "in a function that a function calls")
    case("load-function-not", signed("x:0", nodes_=(X, calls("c", "PartitionedCall", "f")), more=lib), "tf-op-abort", "in one that it does not")
    case("load-operator", signed("c:0", nodes_=(X, node("c", "MyInit")), more=library(function("MyInit", (), (node("a", "Abort"),)))),
         bad, "in a function called as an operator")
    table = (string("vocab", "vocab.txt"), node("table", "HashTableV2"),
             node("init", "InitializeTableFromTextFileV2", ("table", "vocab")))
    asset = text(6, text(1, text(1, "vocab:0")) + text(2, "vocab.txt"))
    names = text(4, text(1, "table_initializer") + text(2, text(1, text(1, "init"))))
    case("load-asset", model(meta(graph(*table), more=names + asset)), "tf-op-asset-read", "a vocabulary")
    second = meta(graph(X, abort), tags=("x",), more=text(4, text(1, "legacy_init_op") + text(2, text(1, text(1, "a")))))
    case("load-second", model(meta(), second), bad, "of a second meta graph")
    case("load-second-other", model(meta(graph(X, abort)),
                                    meta(graph(X, node("a", "NoOp")), tags=("x",), more=names)), "tf-op-abort",
         "of one, and the initialiser of another")


def objects():
    """Rule 12, and what lies beside a model."""
    def of_objects(*objects_, more=b""):
        return model(meta(more=more + text(7, b"".join(text(1, o) for o in objects_))))
    asset = text(6, text(2, "vocab.txt"))
    one, leaf = text(1, number(1, 1) + text(2, "layer-1")), text(6, b"")
    case("objects-sound", of_objects(one, leaf), why="a child")
    case("objects-child", of_objects(one), "tf-object-id", "a child that is not there")
    case("objects-child-negative", of_objects(text(1, number(1, -1)), leaf), "tf-object-id", "a child below zero")
    case("objects-dependency", of_objects(text(15, number(1, 2)), leaf), "tf-object-id", "one that it depends on")
    case("objects-slot", of_objects(text(3, number(1, 1) + text(2, "m") + number(3, 1)), leaf), why="a slot of an optimiser")
    case("objects-slot-missing", of_objects(text(3, number(1, 1) + text(2, "m") + number(3, 2)), leaf), "tf-object-id", "one that is not there")
    case("objects-asset", of_objects(text(5, b""), more=asset), why="the first asset")
    case("objects-asset-second", of_objects(text(5, number(1, 1)), more=asset), "tf-object-id", "the second of one")
    used = [text(1, text(1, "MatMul")), text(1, text(1, "SentencepieceOp"))]
    case("listed-known", model(meta(info=text(2, used[0]))), why="a list of operators")
    case("listed-custom", model(meta(info=text(2, b"".join(used)))), "tf-custom-op", "with one of a library")

    def beside(config, identifier="_tf_keras_layer", more=b""):
        return text(1, text(3, "root.layer-0") + text(4, identifier) + text(5, json.dumps(config)) +
                    text(6, number(1, 1) + number(2, 1)) + more)
    case("keras_metadata-dense.pb", beside({"class_name": "Dense", "config": {"units": 3}}), why="a layer")
    code = "4wEAAAAAAAAAAAAAAAEAAAACAAAAQwAAAHMEAAAAfABTACkBTqkAKQHaAXhyAQAAAHIBAAAA+gd4LnB5"
    bad = {"class_name": "Lambda", "config": {"name": "l", "function": [code, None, None], "function_type": "lambda"}}
    case("keras_metadata-lambda.pb", beside({"class_name": "Dense", "config": {}}) + beside(bad), "keras-embedded-code keras-lambda-code", "code")
    case("keras_metadata-unknown.pb", beside({"class_name": "Dense", "config": {}}, more=number(9, 1)), "tf-unknown-field", "a newer field")
    case("keras_metadata-cut.pb", (beside({"class_name": "Dense", "config": {}}) * 2)[:-1], "tf-truncated", "a byte is missing")
    hashes = b"".join(number(i, 0x9e3779b97f4a7c15 >> i) for i in range(1, 6))
    case("fingerprint.pb", hashes + text(6, number(1, 3)) + text(7, "1234567890"), why="a fingerprint")
    case("fingerprint-more.pb", hashes + text(6, number(1, 3)) + text(8, "x"), "format-unknown", "a field that fingerprints do not have")
    for name, inner, codes in (("both", "JA" + "b" * 65, "pb-ambiguous "), ("not", "JA" + "b" * 64, "")):
        both = text(1, text(1, "y") + text(2, "JA" + "a" * 65)) + text(2, text(1, text(1, inner) + text(2, "NoOp")))
        case("ambiguous-" + name, both, codes + "tf-unknown-field", "a meta graph, and a graph to who does not mind")


CORPUS.make(frames, wires, nodes, functions, tensors, operators, disguises, savers, nested, keras, loads, objects)
