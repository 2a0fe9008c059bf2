#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small models that are JSON or YAML - TensorFlow.js, Keras' architectures,
descriptions of zarr's arrays - that each break one rule of formats/others, and near misses that break none.  Always the same
bytes; nothing here is loaded, and nothing in it would run.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.  A case whose file is a folder is a set.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file"}
REVIEWED = {"keras-yaml", "tfjs-weights-unchecked", "zarr-codec", "json-syntax", "json-duplicate-key", "json-depth",
            "format-unknown", "keras-custom-object", "keras-path-in-config", "keras-embedded-code", "keras-lambda-builtin",
            "config-target-unlisted", "format-identified-only", "repo-code", "format-name-differs"}
CORPUS = Cases("", ACCEPTED, REVIEWED)


def case(name, data, codes="", why="", folder=False, **more):
    """`data` of a folder: contents by name."""
    CORPUS.case(name, json.dumps(data) if isinstance(data, (dict, list)) and not folder else data, codes, why, **more)


# -- Keras

def layer(name, **config):
    return {"class_name": name, "config": {"name": name.lower(), **config}}


def sequential(*layers, **more):
    return {"class_name": "Sequential", "config": {"name": "s", "layers": list(layers)}, "keras_version": "2.15.0",
            "backend": "tensorflow", **more}


DENSE = layer("Dense", units=4, activation="relu")
LAMBDA = layer("Lambda", function=["4wEAAAA=", None, None], function_type="lambda", module="__main__")


def keras():
    case("keras-model.json", sequential(DENSE), "", "an architecture")
    case("keras-three.json", {"module": "keras", "class_name": "Sequential", "config": {"layers": [
        {"module": "keras.layers", "class_name": "Dense", "config": {"units": 1}, "registered_name": None}]},
        "registered_name": None}, "", "as Keras 3 writes it")
    case("keras-lambda.json", sequential(LAMBDA), "keras-lambda-code", "a Lambda")
    case("keras-lambda-nested.json", sequential(sequential(layer("TimeDistributed", layer=LAMBDA))), "keras-lambda-code",
         "further in")
    case("keras-lambda-escaped.json", json.dumps(sequential(LAMBDA)).replace("Lambda", "L\\u0061mbda").encode(),
         "keras-lambda-code", "a letter escaped")
    case("keras-module.json", sequential({"module": "os", "class_name": "system", "config": {}}), "keras-module-dangerous",
         "a module that acts")
    case("keras-custom.json", sequential({"class_name": "Mine", "config": {}, "registered_name": "Custom>Mine"}),
         "keras-custom-object", "the program's own class")
    case("keras-duplicate.json", b'{"class_name":"Sequential","config":{"layers":[],"layers":[]}}',
         "json-duplicate-key keras-json-duplicate", "a key twice")
    case("keras-two.json", {**sequential(LAMBDA), "learner": {}}, "format-identified-only keras-lambda-code",
         "named as another model as well")
    words = ("a", "learner", "nodes", "arg_nodes", "class_name", "keras_version", "config", "weightsManifest", "itemInfoEntries",
             "base_code", "program", "auto_map")
    case("keras-words.json", {word: i for i, word in enumerate(words)}, "format-side-file", "a vocabulary's words")
    case("keras-words-not.json", {**{word: i for i, word in enumerate(words)}, "learner": []}, "format-identified-only", "a list")
    case("keras-not.json", {"class_name": "Sequential"}, "format-side-file", "a word only")
    yaml = "class_name: Sequential\nconfig:\n  name: s\n  layers:\n  - class_name: %s\n    config: {name: l}\n"
    case("keras-yaml.yaml", (yaml % "Dense").encode(), "keras-yaml", "as YAML")
    case("keras-yaml-lambda.yaml", (yaml % "Lambda").encode(), "keras-yaml keras-lambda-code", "with a Lambda")
    case("keras-yaml-quoted.yml", (yaml % "'Lambda'").replace("class_name:", '"class_name" :').encode(),
         "keras-yaml keras-lambda-code", "quoted")
    case("keras-yaml-question.yaml", b"config: {}\n? class_name\n: Lambda\n", "keras-yaml keras-lambda-code",
         "the key on its own line")
    case("keras-yaml-comment.yaml", b"config: {}\n? class_name # the class\n# of this layer\n: # it is a\n  Lambda\n",
         "keras-yaml keras-lambda-code", "comments around the key's colon")
    case("keras-yaml-comment-not.yaml", b"a:\n- class_name # of it: Lambda\n- class_name#: Lambda\n", "format-side-file",
         "words in a comment")
    case("keras-yaml-flow.yaml", b"{class_name: Sequential, config: {layers: [{class_name: Lambda, config: {}}]}}\n",
         "keras-yaml keras-lambda-code", "in braces")
    case("keras-yaml-json.yaml", sequential(LAMBDA), "keras-yaml keras-lambda-code", "JSON is YAML")
    case("keras-yaml-no-name", (yaml % "Lambda").encode(), "keras-yaml keras-lambda-code", "by its content")
    case("keras-yaml-anchor.yaml", b"a: &k class_name\n*k : Lambda\nconfig: {}\n", "keras-yaml", "the key by its alias")
    case("keras-yaml-folded.yaml", b'? "class_\\\n  name"\n: Lambda\n', "config-target-unlisted format-side-file", "a line broken in it")
    case("keras-yaml-not.yaml", b"classes:\n- class_name_list\n- my class_name\n", "format-side-file", "words")
    case("keras-yaml-not.csv", b"class_id,class_name\n0,cat\n", "format-side-file", "a table of classes")


# -- TensorFlow.js

def weight(name="w", shape=(2, 2), dtype="float32", **more):
    return {"name": name, "shape": list(shape), "dtype": dtype, **more}


def group(*weights, paths=("group1-shard1of1.bin",)):
    return {"paths": list(paths), "weights": list(weights)}


def tfjs(*groups, topology=None, **more):
    return {"format": "layers-model", "generatedBy": "keras v2.4.0", "convertedBy": "TensorFlow.js Converter v3.0.0",
            "modelTopology": topology or {"keras_version": "2.4.0", "backend": "tensorflow", "model_config": {
                "class_name": "Sequential", "config": {"name": "s", "layers": [DENSE]}}},
            "weightsManifest": list(groups) or [group(weight())], **more}


def graph(*ops):
    return {"node": [{"name": f"n{i}", "op": op, "attr": {"dtype": {"type": "DT_FLOAT"}}} for i, op in enumerate(ops)],
            "library": {}, "versions": {}}


UNCHECKED = "tfjs-weights-unchecked"


def tensorflow_js():
    def good(name, model, why):
        case(f"tfjs-{name}.json", model, UNCHECKED, why)

    def bad(name, model, codes, why):
        case(f"tfjs-{name}.json", model, f"{codes} {UNCHECKED}", why)
    good("layers", tfjs(), "layers")
    good("graph", tfjs(topology=graph("Placeholder", "Const", "MatMul", "BiasAdd", "Relu"), format="graph-model"), "a graph")
    good("quantized", tfjs(group(weight(quantization={"dtype": "uint8", "scale": 0.5, "min": 0.0, "original_dtype": "float32"}),
                                 weight("b", (4,), quantization={"dtype": "float16"}))), "quantized")
    good("types", tfjs(group(*(weight(t, (2,), t) for t in ("float32", "int32", "bool", "complex64", "string")))),
         "every type")
    good("shards", tfjs(group(weight(), paths=("a-1of2.bin", "a-2of2.bin")), group(weight("v"), paths=("b.bin",))),
         "several files, several groups")
    good("folder", tfjs(group(weight(), paths=("weights/a.bin",))), "a folder below")
    good("scalar", tfjs(group(weight(shape=()))), "no dimension")
    bad("lambda", tfjs(topology={"model_config": sequential(LAMBDA)}), "keras-lambda-code", "a Lambda")
    bad("custom", tfjs(topology={"model_config": sequential({"class_name": "Mine", "config": {}, "registered_name":
                                                             "Custom>Mine"})}), "keras-custom-object", "a class of the program's")
    bad("op-python", tfjs(topology=graph("PyFunc")), "tf-op-python", "an operation that calls back")
    bad("op-write", tfjs(topology={"node": [], "library": {"function": [{"nodeDef": [{"name": "n", "op": "WriteFile"}]}]}}),
        "tf-op-file-write", "in a function")
    for n, path in enumerate(("../a.bin", "/etc/passwd", "https://example.org/a.bin", "a\\b.bin", "a/../../b.bin", "%2e%2e/a.bin", "C:a.bin",
                              "", "a\u0000b", "x" * 1025)):
        bad(f"path-{n}", tfjs(group(weight(), paths=(path,))),
            "tfjs-path" + (" keras-path-in-config" if n in (1, 2) else ""), path[:20])
    bad("path-escaped", json.dumps(tfjs(group(weight(), paths=("../a.bin",)))).replace("../", "\\u002e./").encode(),
        "tfjs-path", "a letter escaped")
    for n, (dtype, quantization) in enumerate((("float64", None), ("float16", None), ("", None), ("float32", "float32"),
                                               ("float32", "int4"), ("float32", "string"))):
        more = {"quantization": {"dtype": quantization}} if quantization else {}
        bad(f"dtype-{n}", tfjs(group(weight(dtype=dtype, **more))), "tfjs-dtype", f"{dtype} {quantization}")
    for n, model in enumerate((
            tfjs({"paths": [], "weights": [{"name": "w"}]}), tfjs(group(weight(shape=(-1,)))),
            tfjs(group(weight(shape=(1.5,)))), tfjs(group(weight(shape=(2 ** 40, 2 ** 40)))),
            tfjs(group(weight(shape=("2",)))), tfjs([]), {**tfjs(), "weightsManifest": {}}, tfjs({"paths": "a.bin"}),
            tfjs({"weights": {}}), tfjs({"paths": [1]}), tfjs({"weights": ["w"]}), tfjs(group(weight(name=1))))):
        unchecked = "" if n == 6 else UNCHECKED
        case(f"tfjs-manifest-{n}.json", model, f"tfjs-manifest {unchecked}".strip(), "no list of weights")
    bad("name-twice", tfjs(group(weight()), group(weight(), paths=("b.bin",))), "tfjs-name-duplicate", "a weight twice")
    bad("path-twice", tfjs(group(weight()), group(weight("v"))), "tfjs-name-duplicate", "a file twice")
    case("tfjs-duplicate.json", json.dumps(tfjs()).replace('"paths"', '"paths": [], "paths"').encode(),
         f"json-duplicate-key keras-json-duplicate {UNCHECKED}", "a key twice")
    case("tfjs-empty.json", {**tfjs(), "weightsManifest": []}, "", "no weights")

    def whole(name, model, files, codes, why):
        case(name, {"model.json": json.dumps(model).encode(), **files}, codes, why, folder=True)
    two = tfjs(group(weight(), paths=("a.bin", "b.bin")))
    unknown = f"{UNCHECKED} format-unknown"
    whole("tfjs-set", two, {"a.bin": b"\0\1\2\xff" * 3, "b.bin": b"\0\1\2\xff"}, unknown, "files of 12 and 4 bytes")
    whole("tfjs-set-short", two, {"a.bin": b"\0\1\2\xff" * 3, "b.bin": b"\0\1\2"}, f"{unknown} tfjs-size", "a byte less")
    whole("tfjs-set-long", two, {"a.bin": b"\0\1\2\xff" * 3, "b.bin": b"\0\1\2\xff\xfe"}, f"{unknown} tfjs-size", "a byte more")
    whole("tfjs-set-missing", two, {"a.bin": b"\0\1\2\xff" * 4}, f"{unknown} tfjs-file-missing", "a file is not there")
    whole("tfjs-set-text", tfjs(group(weight(), weight("s", (2,), "string"))), {"group1-shard1of1.bin": b"\0\1\2\xff" * 9},
          unknown, "text is as long as it is")
    whole("tfjs-set-two-groups", tfjs(group(weight(), paths=("a.bin",)), group(weight("v", (1,)), paths=("b.bin",))),
          {"a.bin": b"\0\1\2\xff" * 4, "b.bin": b"\0\1\2\xff"}, unknown, "a file each")
    whole("tfjs-set-swapped", tfjs(group(weight(), paths=("a.bin",)), group(weight("v", (1,)), paths=("b.bin",))),
          {"a.bin": b"\0\1\2\xff", "b.bin": b"\0\1\2\xff" * 4}, f"{unknown} tfjs-size", "each other's length")


# -- zarr

def zarray(**more):
    return {"zarr_format": 2, "shape": [4, 4], "chunks": [2, 2], "dtype": "<f4", "compressor": {
        "id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}, "fill_value": 0.0, "order": "C",
        "filters": None, **more}


def zarr3(*codecs, **more):
    return {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float32", "chunk_grid": {
        "name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"},
        "fill_value": 0.0, "codecs": list(codecs) or [{"name": "bytes", "configuration": {"endian": "little"}},
                                                      {"name": "zstd", "configuration": {"level": 0, "checksum": False}}],
        "attributes": {}, **more}


def zarr():
    case("zarr-array.zarray", zarray(), "", "an array")
    case("zarr-array-json.json", zarray(), "", "under another name")
    case("zarr-group.zgroup", {"zarr_format": 2}, "", "a folder")
    case("zarr-attributes.zattrs", {"title": "x", "_ARRAY_DIMENSIONS": ["a"]}, "", "what its author says")
    case("zarr-three.json", zarr3(), "", "version 3")
    case("zarr-sharded.json", zarr3({"name": "sharding_indexed", "configuration": {
        "chunk_shape": [1], "codecs": [{"name": "bytes"}, {"name": "gzip"}], "index_codecs": [{"name": "crc32c"}]}}), "",
         "codecs in a codec")
    case("zarr-pickle.zarray", zarray(dtype="|O", filters=[{"id": "pickle", "protocol": 5}]), "zarr-pickle zarr-object",
         "elements are pickles")
    case("zarr-pickle-compressor.zarray", zarray(compressor={"id": "pickle"}), "zarr-pickle", "as a compressor")
    case("zarr-pickle-escaped.zarray", json.dumps(zarray(filters=[{"id": "pickle"}])).replace("pickle", "p\\u0069ckle").encode(),
         "zarr-pickle", "a letter escaped")
    case("zarr-pickle-three.json", zarr3({"name": "numcodecs.pickle"}), "zarr-pickle", "version 3")
    case("zarr-pickle-word.json", zarr3("pickle"), "zarr-pickle", "as a word")
    case("zarr-pickle-shard.json", zarr3({"name": "sharding_indexed", "configuration": {"codecs": [{"name": "Pickle"}]}}),
         "zarr-pickle", "in a codec")
    case("zarr-pickle-consolidated.zmetadata", {"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},
                                                "a/.zarray": zarray(filters=[{"id": "pickle"}])}}, "zarr-pickle", "of a folder")
    case("zarr-consolidated.zmetadata", {"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},
                                         "a/.zarray": zarray()}}, "", "of a folder")
    case("zarr-pickle-inner.json", zarr3({"name": "bytes", "configuration": {"codec": {"id": "pickle"}}}), "zarr-pickle",
         "in a codec's settings")
    case("zarr-object.zarray", zarray(dtype="|O"), "zarr-object", "objects")
    case("zarr-object-field.zarray", zarray(dtype=[["a", "<f4"], ["b", "|O"]]), "zarr-object", "a field of objects")
    case("zarr-object-list.zarray", zarray(dtype="O,i4"), "zarr-object", "objects and numbers, in one text")
    case("zarr-object-shaped.zarray", zarray(dtype="(2,)O"), "zarr-object", "pairs of objects")
    case("zarr-object-not.zarray", zarray(dtype="<M8[ns]"), "", "moments: letters, none of them for objects")
    case("zarr-object-text.zarray", zarray(dtype="|O", filters=[{"id": "vlen-utf8"}]), "", "texts")
    case("zarr-object-two.zmetadata", {"metadata": {"a/.zarray": zarray(dtype="|O", filters=[{"id": "vlen-utf8"}]),
                                                    "b/.zarray": zarray(dtype="|O")}}, "zarr-object", "another array's codec")
    case("zarr-codec.zarray", zarray(compressor={"id": "my_codec"}), "zarr-codec", "a codec of nobody's")
    case("zarr-codec-three.json", zarr3({"name": "bytes"}, {"name": "imagecodecs_jpeg2k"}), "zarr-codec", "a codec of a package")
    case("zarr-shape.zarray", zarray(shape=[-1]), "zarr-metadata", "a negative length")
    case("zarr-chunks.zarray", zarray(chunks=[1.5]), "zarr-metadata", "half an element")
    case("zarr-list.zarray", [zarray()], "zarr-metadata", "no object")
    case("zarr-comma.zarray", json.dumps(zarray())[:-1].encode() + b",}", "json-syntax", "no JSON")
    case("zarr-twice.zarray", b'{"zarr_format":2,"filters":null,"filters":null}', "json-duplicate-key", "a key twice")
    case("zarr-orbax.json", {"tree_metadata": {"('a',)": {"key_metadata": [{"key": "a", "key_type": 2}], "value_metadata": {
        "value_type": "jax.Array", "skip_deserialize": False}}}, "use_zarr3": False}, "format-side-file", "what Orbax says of a tree")


CORPUS.make(keras, tensorflow_js, zarr, ensure_ascii=False, sort_keys=True)
