#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small Keras models that each break one rule of formats/keras-hdf5, and
near misses that break none: what tf.keras 1 and 2 and Keras 3 write.  Always the same bytes, made without Keras and HDF5;
nothing here is loaded, and nothing in it would run: bytecode is a few letters of it.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import base64
import json
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hdf5"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive  # noqa: E402 pylint: disable=wrong-import-position
import make as hdf5  # noqa: E402 - beside this folder

REVIEWED = hdf5.REVIEWED | {"keras-member-unexpected", "keras-metadata", "keras-lambda-builtin", "keras-lambda-own", "keras-builtin-function",
                            "keras-tf-op-lambda", "keras-custom-object", "keras-embedded-code", "keras-path-in-config",
                            "zip-ratio", "repo-code", "format-script"}
CORPUS = Cases("", (), REVIEWED)
add = CORPUS.case


# -- models

def h5(config, attribute="model_config", more=()):
    text = config if isinstance(config, (str, bytes)) else json.dumps(config)
    f = hdf5.File()
    weights = f.group([("kernel:0", f.dataset((4,), hdf5.F32, hdf5.DATA))])
    messages = [f.text(attribute, text), *(f.text(n, v) for n, v in more)]
    return f.done(f.group([("model_weights", weights)], *messages))


def case(name, config, codes="", why="", **more):
    """A legacy file with this configuration."""
    add(name + ".h5", h5(config, **more), codes, why)


def weights(external=False):
    f = hdf5.File(external)
    layers = f.group([("a", f.dataset((4,), hdf5.F32, hdf5.DATA))])
    link = [(6, hdf5.u8(1, 8, 64, 1) + b"x" + hdf5.u16(14) + b"\0/etc/passwd\0/"[:14])] if external else []
    return f.done(f.group([("layers", layers)], *link))


METADATA = '{"keras_version": "3.5.0", "date_saved": "2024-01-01@00:00:00"}'


def keras(config=None, *more, metadata=METADATA, weights_data=None, without=()):
    text = config if isinstance(config, (str, bytes)) else json.dumps(config or sequential(dense()))
    members = [("metadata.json", metadata), ("config.json", text), ("model.weights.h5", weights_data or weights())]
    return archive(*(m for m in members if m[0] not in without), *more)


def zipped(name, data, codes="", why=""):
    add(name + ".keras", data, codes, why)


# -- what writers write

def obj(class_name, config, module="keras.layers", registered=None, **more):
    """An object as Keras 3 describes it."""
    return {"module": module, "class_name": class_name, "config": config, "registered_name": registered, **more}


def old(class_name, config, **more):
    """As tf.keras does."""
    return {"class_name": class_name, "config": config, **more}


def dtype():
    return obj("DTypePolicy", {"name": "float32"}, "keras")


def dense(**more):
    config = {"name": "dense", "trainable": True, "dtype": dtype(), "units": 4, "activation": "relu", "use_bias": True,
              "kernel_initializer": obj("GlorotUniform", {"seed": None}, "keras.initializers"),
              "bias_initializer": obj("Zeros", {}, "keras.initializers"), "kernel_regularizer": None, **more}
    return obj("Dense", config, build_config={"input_shape": [None, 3]})


def old_dense(**more):
    return old("Dense", {"name": "dense", "trainable": True, "dtype": "float32", "units": 4, "activation": "relu",
                         "kernel_initializer": old("GlorotUniform", {"seed": None}), **more})


def sequential(*layers, **more):
    return obj("Sequential", {"name": "sequential", "trainable": True, "layers": list(layers)}, "keras", **more)


def old_sequential(*layers):
    return old("Sequential", {"name": "sequential", "layers": list(layers)})


def code(letters=b"\xe3\0\0\0\0"):
    return base64.b64encode(letters + bytes(60)).decode() + "\n"


def old_lambda(function=None, **more):
    config = {"name": "lambda", "function": function or [code(), None, None], "function_type": "lambda",
              "module": "__main__", "output_shape": None, "output_shape_type": "raw", "arguments": {}, **more}
    return old("Lambda", config)


def new_lambda(function=None):
    inner = function or {"class_name": "__lambda__", "config": {"code": code(), "defaults": None, "closure": None}}
    return obj("Lambda", {"name": "lambda", "function": inner, "arguments": {}})


def function(name, module="builtins", registered="function"):
    return obj("function", name, module, registered)


def keras_tensor():
    return {"class_name": "__keras_tensor__", "config": {"shape": [None, 3], "dtype": "float32",
                                                         "keras_history": ["input", 0, 0]}}


def functional(*layers, **more):
    nodes = [{**x, "name": x["config"].get("name", "x") if isinstance(x["config"], dict) else "x",
              "inbound_nodes": [{"args": [keras_tensor()], "kwargs": {}}]} for x in layers]
    return obj("Functional", {"name": "functional", "layers": nodes, "input_layers": [["input", 0, 0]],
                              "output_layers": [["dense", 0, 0]]}, "keras", "Functional", **more)


def compiled(**more):
    return {"optimizer": obj("Adam", {"name": "adam", "learning_rate": 0.001}, "keras.optimizers"), "loss": "mse",
            "loss_weights": None, "metrics": ["accuracy"], "run_eagerly": False, "jit_compile": True, **more}


# -- sections: legacy files

def lambdas():
    sole = "keras-lambda-code keras-embedded-code"
    case("lambda-none", old_sequential(old_dense()), why="layers that are classes")
    case("lambda-top", old_sequential(old_lambda()), sole, "at the top")
    case("lambda-raw", old_sequential(old_lambda(["\u00e3\0\0\0\0" + "\0" * 80, None, None])), sole, "Latin-1 as it stands")
    case("lambda-short", old_sequential(old_lambda(["YQ==", None, None])), "keras-lambda-code", "code of any length")
    case("lambda-model", old("Model", {"name": "m", "layers": [old("Model", {"name": "n", "layers": [old_lambda()]})]}), sole,
         "in a model in a model")
    for wrapper in ("TimeDistributed", "Bidirectional"):
        case("lambda-" + wrapper, old_sequential(old(wrapper, {"name": "w", "layer": old_lambda()})), sole, "in a wrapper")
    case("lambda-training", old_sequential(old_dense()), sole, "in the training configuration",
         more=[("training_config", json.dumps({"loss": old_lambda()}))])
    case("lambda-other-config", {"layers": [old_lambda()]}, sole, "in any attribute called config", attribute="my_config")
    case("lambda-spaces", " \n{ " + json.dumps({"layers": [old_lambda()]})[1:], sole, "behind spaces", attribute="my_config")
    case("lambda-output-shape", old_sequential(old_lambda("relu", function_type="function", output_shape=["YQ==", None, None],
                                                          output_shape_type="lambda")), "keras-lambda-code",
         "its shape is code")
    def named(name, **more):
        return old_sequential(old_lambda(name, function_type="function", **more))

    case("lambda-named-module", named("system", module="os"), "keras-lambda-function", "of a module")
    case("lambda-named-shape", named("f", output_shape="system", output_shape_type="function", output_shape_module="os"),
         "keras-lambda-function", "and its shape of one")
    case("lambda-named-dots", named("a.b"), "keras-lambda-function", "an attribute of something")
    case("lambda-named-loader", named("func_load"), "keras-lambda-function", "Keras' own that makes a function of bytecode")
    case("lambda-named-null", named("my_function", module=None), "keras-lambda-own", "of no module")
    case("lambda-named", named("my_function"), "keras-lambda-own",
         "a function of the program's")
    case("lambda-escaped", json.dumps(old_sequential(old_lambda())).replace('"Lambda"', '"L\\u0061mbda"'), sole,
         "its name in escapes")
    case("lambda-key-escaped", json.dumps(old_sequential(old_lambda())).replace('"class_name"', '"clas\\u0073_name"'), sole,
         "the key in escapes")
    case("lambda-no-function", old_sequential(old("Lambda", {})), "keras-lambda-code", "nobody says what it does")
    case("lambda-config-list", old_sequential(old("Lambda", [1])), "keras-lambda-code", "its configuration is a list")
    fixed = json.dumps(old_sequential(old_lambda())).encode()
    f = hdf5.File()
    add("lambda-fixed-string.h5", f.done(f.group([], hdf5.attribute("model_config", hdf5.fixed_string(len(fixed)), (), fixed))),
        sole, "in a string of fixed length")
    f = hdf5.File(True)
    add("lambda-new-file.h5", f.done(f.group([], f.text("model_config", fixed))), sole, "in a file of the second generation")


def legacy():
    """What is honest in files of tf.keras."""
    more = {
        "dense": old_sequential(old_dense()),
        "dense-1": [old_dense()],
        "input": old_sequential(old("InputLayer", {"batch_input_shape": [None, 3], "dtype": "float32", "name": "i"}), old_dense()),
        "functional": old("Functional", {"name": "f", "layers": [{**old_dense(), "name": "d", "inbound_nodes":
                                                                  [[["input_1", 0, 0, {}]]]}], "input_layers": []}),
        "wrappers": old_sequential(old("Bidirectional", {"name": "b", "layer": old("LSTM", {"name": "l", "units": 2}),
                                                         "merge_mode": "concat"})),
        "rescaling": old_sequential(old("Rescaling", {"name": "r", "scale": 0.003921568627450980, "offset": 0.0})),
        "augmentation": old_sequential(old("RandomFlip", {"name": "r", "mode": "horizontal", "seed": None})),
        "vocabulary": old_sequential(old("StringLookup", {"name": "s", "vocabulary": ["a", "b"], "oov_token": "[UNK]"})),
        "vectorization": old_sequential(old("TextVectorization", {"name": "t", "vocabulary": None, "split": "whitespace"})),
        "policy": old_sequential(old_dense(dtype=old("Policy", {"name": "mixed_float16"}))),
        "tuple": old_sequential(old("InputLayer", {"batch_input_shape": old("__tuple__", [None, 3], items=[None, 3])})),
        "shape": old("Functional", {"name": "f", "build_input_shape": old("TensorShape", [None, 3], items=[None, 3])}),
        "schedule": old_sequential(old_dense(rate=old("ExponentialDecay", {"initial_learning_rate": 0.1}))),
        "regularizer": old_sequential(old_dense(kernel_regularizer=old("L2", {"l2": 0.01}))),
        "attention": old_sequential(old("MultiHeadAttention", {"name": "m", "num_heads": 2, "key_dim": 4})),
        "ragged": old_sequential(old("InputLayer", {"ragged": True, "name": "r", "type_spec": None})),
    }
    for name, config in more.items():
        case("legacy-" + name, config, why="as tf.keras writes")
    case("legacy-training", old_sequential(old_dense()), why="with what it was trained by", more=[
        ("training_config", json.dumps({"loss": old("BinaryCrossentropy", {"reduction": "auto"}), "metrics": [[old(
            "MeanMetricWrapper", {"name": "accuracy", "fn": "binary_accuracy"})]], "optimizer_config": old("Custom>Adam", {
                "name": "Adam", "learning_rate": 0.001})})), ("keras_version", "2.11.0"), ("backend", "tensorflow")])
    case("legacy-custom-loss", old_sequential(old_dense()), why="a loss by its name",
         more=[("training_config", json.dumps({"loss": "my_loss", "optimizer_config": old("Adam", {})}))])
    case("legacy-long", old_sequential(*(old_dense(name=f"dense_{i}") for i in range(1000))), why="200 kilobytes")
    case("legacy-other-text", "threshold = 3", why="what other programs call a config", attribute="run_config")
    case("legacy-other-python", "{'threshold': 3}", why="in Python", attribute="run_config")
    case("legacy-other-json", '{"threshold": 3}', why="in JSON", attribute="run_config")
    case("legacy-custom-class", old_sequential(old("Addons>Mish", {"name": "m"})), "keras-custom-object",
         "a class that the program supplies")


def syntax():
    case("json-sound", {"a": [1, 2.5e3, "\u00e9", None, True]}, why="JSON")
    case("json-empty", "", "keras-json-syntax", "nothing")
    case("json-open", '{"a": 1', "keras-json-syntax", "no end")
    case("json-trailing", '{"a": 1} x', "keras-json-syntax", "something behind it")
    case("json-nul", '{"a": 1}\0', "keras-json-syntax", "a zero behind it")
    case("json-comment", '{"a": 1} // x', "keras-json-syntax", "a comment")
    case("json-latin-1", b'{"a": "\xe9"}', "keras-json-syntax", "no UTF-8")
    case("json-python", "{'a': 1}", "keras-json-syntax", "Python")
    case("json-comma", '{"a": 1,}', "keras-json-syntax", "a comma too many")
    case("json-duplicate", '{"class_name": "Dense", "class_name": "Lambda", "config": {}}',
         "keras-json-duplicate keras-lambda-code", "readers take either")
    case("json-duplicate-escaped", '{"a": 1, "\\u0061": 2}', "keras-json-duplicate", "the same in escapes")
    case("json-duplicate-apart", '{"a": {"a": 1}, "b": {"a": 2}}', why="in different objects")
    for word in ("NaN", "Infinity", "-Infinity"):
        case("json-" + word.lower(), '{"a": [%s]}' % word, "keras-json-nonfinite", "Python's words")
    case("json-depth-64", "[" * 64 + "]" * 64, why="as deep as is read")
    case("json-depth-65", "[" * 65 + "]" * 65, "keras-json-depth", "one more")
    f = hdf5.File()
    numbers = hdf5.attribute("model_config", hdf5.F32, (), hdf5.DATA[:4])
    add("json-number.h5", f.done(f.group([], numbers)), "h5-unsupported", "a configuration that is a number")
    f = hdf5.File()
    at = f.collection(b"{", b"}")
    two = hdf5.attribute("model_config", hdf5.VLEN_STRING, (2,), (hdf5.u32(1) + hdf5.u64(at) + hdf5.u32(1)) +
                         (hdf5.u32(1) + hdf5.u64(at) + hdf5.u32(2)))
    add("json-two.h5", f.done(f.group([], two)), "h5-unsupported", "two of them")
    f = hdf5.File()
    at = f.collection(b"[0]" + b" " * 8000)
    many = [hdf5.attribute(f"a{i}_config", hdf5.VLEN_STRING, (), hdf5.u32(8003) + hdf5.u64(at) + hdf5.u32(1))
            for i in range(3)]
    many += [hdf5.attribute(n, hdf5.VLEN_STRING, (), hdf5.u32(8003) + hdf5.u64(at) + hdf5.u32(1))
             for n in ("model_config", "training_config", "keras_metadata")]
    add("limit-shared-configs.h5", f.done(f.group([], *many)), "h5-limit", "one text, judged again and again")
    f = hdf5.File()
    at = f.collection(b"[0]")
    add("limit-one-config.h5", f.done(f.group([], hdf5.attribute("model_config", hdf5.VLEN_STRING, (), hdf5.u32(3) +
                                                                hdf5.u64(at) + hdf5.u32(1)))), why="one text, once")


# -- sections: archives

def archives():
    for name, text, why in (("list", "[]", "a list"), ("word", '"a"', "a text"), ("null", "null", "nothing"), ("none", "{}", "an object that says nothing"),
                            ("class", '{"class_name": "Sequential"}', "a class without its configuration"),
                            ("config", '{"config": {}}', "a configuration of no class")):
        zipped(f"archive-config-{name}", keras(text), "keras-json-syntax", why)
    zipped("archive-sound", keras(), why="as Keras writes it")
    zipped("archive-deflated", archive(("metadata.json", METADATA), ("config.json", json.dumps(sequential(dense())), 8),
                                       ("model.weights.h5", weights())), why="a member that is compressed")
    zipped("archive-bomb", archive(("metadata.json", METADATA), ("config.json", bytes(4 << 20), 8),
                                   ("model.weights.h5", weights())), "zip-ratio", "four megabytes of nothing")
    zipped("archive-deflated-lambda", archive(("metadata.json", METADATA), ("config.json", json.dumps(sequential(new_lambda())), 8),
                                              ("model.weights.h5", weights())), "keras-lambda-code keras-embedded-code",
           "a finding in it")
    for name in ("config.json", "metadata.json", "model.weights.h5"):
        zipped("archive-without-" + name.split(".")[0], keras(without=(name,)), "keras-member-missing", "it is not there")
    zipped("archive-foreign", keras(None, ("evil.txt", "text")), "keras-member-unexpected", "Keras does not write it")
    zipped("archive-asset", keras(None, ("assets/tokenizer/vocabulary.txt", "a\nb\n")), why="an asset")
    zipped("archive-asset-source", keras(None, ("assets/tokenizer/normalize.py", "import os\n")), "repo-code", "source code")
    zipped("archive-asset-script", keras(None, ("assets/tokenizer/vocabulary.txt", "#!/bin/sh\nid\n")), "format-script",
           "a script, whatever its name")
    zipped("archive-asset-python", keras(None, ("assets/tokenizer/python.txt", "py\n.py\n")), why="neither")
    zipped("archive-asset-binary", keras(None, ("assets/tokenizer/model.bin", bytes(range(100, 256)))),
           "keras-member-unexpected", "an asset that nobody knows")
    zipped("archive-asset-up", keras(None, ("assets/../../x", "a")), "keras-asset-traversal zip-name-traversal",
           "an asset that leads out")
    zipped("archive-asset-address", keras(None, ("assets/http://x/y", "a")), "keras-asset-traversal zip-name-unportable",
           "an asset at an address")
    zipped("archive-weights-link", keras(weights_data=weights(True)), "h5-external-link", "weights that are elsewhere")
    zipped("archive-weights-text", keras(weights_data=b"no weights"), "keras-member-unexpected", "weights that are none")
    zipped("metadata-more", keras(metadata=METADATA[:-1] + ', "x": "y"}'), "keras-metadata", "something else in it")
    zipped("metadata-number", keras(metadata='{"keras_version": 3, "date_saved": "x"}'), "keras-metadata", "no string")
    zipped("metadata-less", keras(metadata='{"keras_version": "3.0.0"}'), "keras-metadata", "no date")
    zipped("metadata-list", keras(metadata="[]"), "keras-metadata", "no object")
    zipped("metadata-plain", keras(metadata='{"date_saved": "x", "keras_version": "3"}'), why="in any order")
    zipped("metadata-size", keras(metadata=METADATA.ljust((64 << 10) + 1)), "keras-json-size", "64 KiB and a byte")
    zipped("metadata-size-most", keras(metadata=METADATA.ljust(64 << 10)), why="64 KiB")


def dangerous():
    lam = "keras-lambda-code keras-embedded-code"
    embedded = new_lambda()["config"]["function"]
    for name, config in (("top", sequential(new_lambda())), ("nested", sequential(sequential(new_lambda()))),
                         ("functional", functional(new_lambda())),
                         ("wrapper", sequential(obj("TimeDistributed", {"layer": new_lambda()}))),
                         ("bidirectional", sequential(obj("Bidirectional", {"layer": obj("LSTM", {}), "backward_layer":
                                                                            new_lambda()}))),
                         ("compile", sequential(dense(), compile_config=compiled(loss=embedded))),
                         ("build", sequential({**dense(), "build_config": {"input_shape": embedded}})),
                         ("inbound", functional(dense(x={"args": [embedded]}))),
                         ("slice", sequential(obj("GetItem", {"key": {"class_name": "__slice__", "config": {
                             "start": embedded}}}))), ("metric", sequential(compile_config=compiled(metrics=[embedded])))):
        zipped("lambda-in-" + name, keras(config), lam, "wherever it is")
    zipped("lambda-in-none", keras(sequential(dense())), why="layers that are classes")
    op = function("relu", "keras.ops", "relu")
    zipped("lambda-operation", keras(sequential(new_lambda(op))), "keras-lambda-builtin", "an operation of Keras")
    zipped("lambda-function", keras(sequential(new_lambda(function("other")))),
           "keras-lambda-own keras-builtin-function", "a function that the program has to supply")
    zipped("lambda-function-module", keras(sequential(new_lambda(function("other", "mylib", "other")))),
           "keras-lambda-function keras-module-foreign", "of a module")

    def gadget(name, module, codes):
        zipped("function-" + name, keras(sequential(new_lambda(function(name.rstrip("2"), module, name.rstrip("2"))))),
               "keras-lambda-function " + codes, "a function with effects")
    effects = "keras-function-nonmodeling"
    for name, module in (("get_file", "keras.utils"), ("get_file2", "keras.src.utils.file_utils"),
                         ("load_model", "keras.models"), ("load_model2", "keras.src.saving.saving_api"),
                         ("enable_unsafe_deserialization", "keras.config"), ("set_floatx", "keras.config"),
                         ("load_img", "keras.utils"), ("save_img", "keras.preprocessing.image"),
                         ("image_dataset_from_directory", "keras.utils"), ("clear_session", "keras.backend"),
                         ("deserialize_keras_object", "keras.saving"), ("func_load", "keras.src.utils.python_utils"),
                         ("model_from_json", "tensorflow.keras.models"), ("set_global_attribute",
                                                                         "keras.src.backend.common.global_state")):
        gadget(name, module, effects)
    zipped("function-as-class", keras(sequential(new_lambda(obj("get_file", None, "keras.utils")))),
           "keras-lambda-function keras-function-nonmodeling", "looked up as a class")
    zipped("function-without-module", keras(sequential(dense(activation=obj("function", "get_file", None)))), effects,
           "its module left out")
    for name, module, known in (("join", "keras", "config.enable_unsafe_deserialization"),
                                ("join-layer", "keras", "layers.Lambda")):
        o = obj("function", known, module) if name == "join" else obj(known, {"name": "l"}, module)
        zipped("function-" + name, keras(sequential(dense(x=o))), effects + " keras-registered-name",
               "the name has a part of the module")
    for n, (module, name) in enumerate((("keras_hub.src.utils.preset_utils", "load_json"), ("keras.tree", "map_structure"),
                                        ("tensorflow.python.keras.utils", "x"), ("keras.datasets.mnist", "load_data"))):
        zipped(f"function-elsewhere-{n}", keras(sequential(dense(x=obj("function", name, module)))), effects,
               "a module whose functions make no models")
    zipped("function-hub", keras(sequential(dense(activation=obj(
        "function", "gelu_approximate", "keras_hub.src.utils.keras_utils", "keras_hub>gelu_approximate")))),
        why="an activation of KerasHub")
    for name, module, codes in (("exec", "builtins", "keras-module-dangerous keras-function-nonmodeling"),
                                ("get_file", "keras.src.utils.file_utils", effects), ("Spec", "keras.utils", effects)):
        zipped("typespec-" + name, keras(sequential(dense(x={
            "class_name": "__typespec__", "spec_name": name, "module": module, "config": ["x"],
            "registered_name": None}))), codes, "loaders call it with what config lists")
    zipped("function-activation", keras(sequential(dense(activation=function("relu", "keras.activations", "relu")))),
           why="an activation")
    zipped("function-loss", keras(sequential(dense(), compile_config=compiled(loss=function(
        "mean_squared_error", "keras.src.losses.losses", "mean_squared_error")))), why="a loss")
    zipped("function-own-loss", keras(sequential(dense(), compile_config=compiled(loss=function("my_loss")))),
           "keras-builtin-function", "a loss of the program's")
    zipped("function-known", keras(sequential(dense(activation=function("gelu")))), why="known by its name")

    for n, module in enumerate(("os", "posix", "os.path", "subprocess", "sys", "importlib", "runpy", "shutil", "socket",
                                "pickle", "marshal", "ctypes", "builtins.eval", "torch.hub", "numpy.f2py", "urllib.request",
                                "webbrowser", "code", "pty", "multiprocessing.process")):
        zipped(f"module-dangerous-{n}", keras(sequential(obj("Thing", {}, module))), "keras-module-dangerous", module)
    for n, (name, key) in enumerate((("exec", "function"), ("eval", "function"), ("open", "class"), ("__import__", "class"),
                                     ("getattr", "function"))):
        thing = function(name) if key == "function" else obj(name, {}, "builtins")
        zipped(f"module-builtins-{n}", keras(sequential(dense(x=thing))), "keras-module-dangerous", name)
    zipped("module-builtins-registered", keras(sequential(dense(x=function("exec", "builtins", "a>b")))),
           "keras-custom-object keras-module-dangerous", "under another's name")
    for n, module in enumerate(("my_package.layers", "tensorflow.python.ops.io_ops", "kerass", "keras_", "__main__",
                                "keras\u200b.layers", "x" * 200, "keras." + "x" * 200, "torch.nn", "transformers.models")):
        zipped(f"module-foreign-{n}", keras(sequential(obj("Thing", {}, module))), "keras-module-foreign", module[:40])
    for n, module in enumerate(([], ["os"], {}, 1, True)):
        zipped(f"module-odd-{n}", keras(sequential(obj("Thing", {}, module))), "keras-module-foreign", "no name")
    for n, class_name in enumerate((["Lambda"], {"a": "Lambda"}, 1)):
        zipped(f"class-odd-{n}", keras(sequential(obj(class_name, {}))), "keras-custom-object", "no name")
    zipped("class-plain", keras(sequential(obj("Flatten", {}))), why="a name")
    for n, module in enumerate((None, "", "keras", "keras.layers", "keras.src.layers.core.dense", "keras_hub.src.models.x",
                                "keras_nlp.layers", "keras_cv.layers", "tf_keras.layers", "tensorflow.keras.layers",
                                "builtins")):
        zipped(f"module-own-{n}", keras(sequential(obj("Dense", {}, module))), why=str(module))
    zipped("custom-registered", keras(sequential(obj("Mine", {}, "my_package.layers", "Custom>Mine"))), "keras-custom-object",
           "the program's own class")
    zipped("custom-dangerous", keras(sequential(obj("Popen", {}, "subprocess", "Custom>Popen"))),
           "keras-custom-object keras-module-dangerous", "which it is not")
    zipped("custom-none", keras(sequential(obj("Dense", {}, "keras.layers", "keras>Dense"))), why="Keras' own package")
    zipped("registered-other", keras(sequential(obj("Dense", {}, "keras.layers", "Lambda"))), "keras-registered-name",
           "a name that is not its own")
    zipped("registered-own", keras(sequential(obj("Dense", {}, "keras.layers", "Dense"))), why="its own")


def layers():
    for name, code_ in (("TorchModuleWrapper", "keras-torch-module"), ("TFSMLayer", "keras-tfsm-layer"),
                        ("JaxLayer", "keras-jax-layer"), ("FlaxLayer", "keras-jax-layer")):
        zipped("layer-" + name, keras(sequential(obj(name, {"name": "x"}))), code_, "a layer that loads something")
    zipped("layer-plain", keras(sequential(obj("Conv2D", {"name": "x"}))), why="a layer that does not")
    for n, config in enumerate(({"vocabulary": "vocabulary.txt"}, {"idf_weights": "weights.npy", "vocabulary": []})):
        zipped(f"vocabulary-{n}", keras(sequential(obj("TextVectorization", config))), "keras-vocabulary-path", "a path")
    for n, proto in enumerate(("spm.model", "../spiece.model", "assets/spm")):
        zipped(f"vocabulary-proto-{n}", keras(sequential(obj("SentencePieceTokenizer", {"proto": proto}, "keras_hub.tokenizers"))),
               "keras-vocabulary-path", "the path of a SentencePiece model")
    zipped("vocabulary-passwd", keras(sequential(obj("StringLookup", {"vocabulary": "/etc/passwd"}))),
           "keras-vocabulary-path keras-path-in-config", "an absolute path")
    zipped("vocabulary-list", keras(sequential(obj("StringLookup", {"vocabulary": ["a", "b"]}))), why="a list")
    zipped("vocabulary-integers", keras(sequential(obj("IntegerLookup", {"vocabulary": [1, 2]}))), why="a list of numbers")

    def op(name, function=None, node=None, codes="", why=""):
        config = {"name": "x", **({"function": function} if function else {}), **({"node_def": node} if node else {})}
        case("op-" + name, old_sequential(old("TensorFlowOpLayer" if node else "TFOpLambda", config)),
             ("keras-tf-op-lambda " + codes).strip(), why)
    op("add", "math.add", why="arithmetic")
    op("layer-add", node='{"name": "Add", "op": "AddV2", "input": []}', why="arithmetic in a node")
    op("layer-text", node='name: "Add"\nop: "AddV2"\n', why="a node as text")
    op("read", "io.read_file", codes="keras-module-dangerous", why="reads a file")
    op("python", "py_function", codes="keras-module-dangerous", why="calls back")
    op("raw-write", "raw_ops.WriteFile", codes="tf-op-file-write", why="writes a file")
    op("layer-read", node='{"name": "r", "op": "ReadFile"}', codes="tf-op-file-read", why="reads a file")
    op("layer-python", node='name: "r"\nop: "PyFunc"', codes="tf-op-python", why="calls back")
    case("op-none", old_sequential(old("Add", {"name": "add"})), why="a layer")

    for n, name in enumerate(("../x", "/x", "a\\b", "a\x01b", "a/../../b", "x" * 600 + "/../y", "x" * 511 + "..")):
        zipped(f"name-bad-{n}", keras(sequential(dense(name=name))), "keras-name-traversal", "leads out of its folder")
    for n, name in enumerate(("dense", "a/b", "a.b", "block1_conv1", "x" * 600)):
        zipped(f"name-good-{n}", keras(sequential(dense(name=name))), why="plain")
    for n, text in enumerate(("http://example.org/x", "HTTPS://example.org", "gs://bucket/x", "file:///etc/passwd",
                              "/etc/passwd", "C:\\x\\y", "s3://b/k")):
        zipped(f"path-{n}", keras(sequential(dense(x=text))), "keras-path-in-config", "leads elsewhere")
    for n, text in enumerate(("a/b/c", "/", "http", "float32", "N/A", "relu")):
        zipped(f"path-none-{n}", keras(sequential(dense(x=text))), why="does not")
    for n, text in enumerate((code(), code(b"c\0\0\0\0"), code(b"\x80\4"), "\u0080\4" + "x" * 80)):
        zipped(f"code-{n}", keras(sequential(dense(x=text))), "keras-embedded-code", "hidden code")
    for n, text in enumerate((base64.b64encode(b"\x89PNG" + bytes(80)).decode(), "a" * 100, code()[:40], "c" + "x" * 80)):
        zipped(f"code-none-{n}", keras(sequential(dense(x=text))), why="something else")


def honest():
    """What is honest in archives of Keras 3."""
    lstm = obj("LSTM", {"name": "lstm", "units": 4, "activation": "tanh", "recurrent_activation": "sigmoid"})
    models = {
        "sequential": sequential(obj("InputLayer", {"batch_shape": [None, 3], "dtype": "float32", "name": "i"}), dense()),
        "compiled": sequential(dense(), compile_config=compiled()),
        "functional": functional(dense(), compile_config=compiled()),
        "mixed-precision": sequential(dense(dtype=obj("DTypePolicy", {"name": "mixed_float16"}, "keras", None))),
        "quantized": sequential(dense(dtype=obj("QuantizedDTypePolicy", {"mode": "int8", "source_name": "float32"}, "keras"))),
        "policy-map": functional(dense(dtype=obj("DTypePolicyMap", {"default_policy": dtype(), "policy_map": {}}, "keras"))),
        "schedule": sequential(dense(), compile_config=compiled(optimizer=obj("SGD", {"learning_rate": obj(
            "CosineDecay", {"decay_steps": 100}, "keras.optimizers.schedules")}, "keras.optimizers"))),
        "loss-scale": sequential(dense(), compile_config=compiled(optimizer=obj("LossScaleOptimizer", {"inner_optimizer": obj(
            "Adam", {}, "keras.optimizers")}, "keras.optimizers"))),
        "losses": sequential(dense(), compile_config=compiled(loss=obj("Huber", {"delta": 1.0}, "keras.losses"))),
        "metrics": sequential(dense(), compile_config=compiled(metrics=[obj("AUC", {"num_thresholds": 200}, "keras.metrics")])),
        "augmentation": sequential(obj("RandomFlip", {"mode": "horizontal"}), obj("RandomRotation", {"factor": [-0.1, 0.1]}),
                                   obj("Rescaling", {"scale": 0.00392, "offset": 0.0})),
        "normalization": sequential(obj("Normalization", {"axis": [-1], "mean": None, "variance": None})),
        "attention": functional(obj("MultiHeadAttention", {"name": "m", "num_heads": 8, "key_dim": 64}, build_config={
            "shapes_dict": {"query_shape": [None, 4, 8]}})),
        "bidirectional": sequential(obj("Bidirectional", {"layer": lstm, "merge_mode": "concat"})),
        "time-distributed": sequential(obj("TimeDistributed", {"layer": dense()})),
        "stacked-cells": sequential(obj("RNN", {"cell": [obj("LSTMCell", {}), obj("GRUCell", {})]})),
        "tensor": functional(dense(x={"class_name": "__tensor__", "config": {"value": [1.0], "dtype": "float32"}})),
        "numpy": functional(dense(x={"class_name": "__numpy__", "config": {"value": [1], "dtype": "int64"}})),
        "slice": functional(obj("GetItem", {"name": "g"}, "keras.src.ops.numpy", "GetItem"), x={
            "class_name": "__slice__", "config": {"start": 0, "stop": None, "step": None}}),
        "ellipsis": functional(dense(x={"class_name": "__ellipsis__", "config": {}})),
        "typespec": functional(dense(x={"class_name": "__typespec__", "spec_name": "TensorSpec", "module":
                                        "tensorflow.python.framework.tensor", "config": [[None, 3], "float32"],
                                        "registered_name": None})),
        "operation": functional(obj("Add", {"name": "add"}, "keras.src.ops.numpy", "Add")),
        "backbone": obj("GemmaBackbone", {"name": "b", "num_layers": 2}, "keras_hub.src.models.gemma.gemma_backbone",
                        "keras_hub>GemmaBackbone"),
        "sentence-piece": obj("SentencePieceTokenizer", {"name": "t", "proto": "CgQKAmhpEgA="}, "keras_nlp.src.tokenizers.sentence_piece_tokenizer",
                              "keras_nlp>SentencePieceTokenizer"),
        "sentence-piece-asset": obj("SentencePieceTokenizer", {"name": "t", "proto": None}, "keras_hub.src.tokenizers.sentence_piece_tokenizer",
                                    "keras_hub>SentencePieceTokenizer"),
        "tokenizer": obj("BytePairTokenizer", {"name": "t", "vocabulary": None, "merges": None},
                         "keras_nlp.src.tokenizers.byte_pair_tokenizer", "keras_nlp>BytePairTokenizer"),
        "constraint": sequential(dense(kernel_constraint=obj("MaxNorm", {"max_value": 2}, "keras.constraints"))),
        "lower-class": sequential(dense(kernel_initializer=obj("zeros", {}, "keras.initializers"))),
        "shared": sequential({**dense(), "shared_object_id": 140000000000000}),
    }
    for name, config in models.items():
        zipped("honest-" + name, keras(config), why="as Keras 3 writes")
    f = hdf5.File()
    at = f.dataset((4,), hdf5.F32, struct.pack("<4f", 1, float("nan"), 1, 1))
    zipped("honest-not-a-number", keras(weights_data=f.done(f.group([("layers", f.group([("a", at)]))]))), "weights-nan",
           "but for a weight")
    CORPUS.rows[-1]["nonfinite"] = {"layers/a": counts(1)}


def pytables():
    """Strings of fixed length that PyTables unpickles as it reads them: those that end in a dot."""
    for name, text, codes, why in (
            ("acts", b"cposix\nsystem\n(S'id'\ntR.", "pickle-global-dangerous pickle-call-dangerous", "a command"),
            ("data", b"(lp0\nI1\na.", "", "a list, as pandas writes it"),
            ("text", b"cposix system: a description\nof two lines.", "", "sentences")):
        f = hdf5.File()
        add(f"pytables-{name}.h5", f.done(f.group([], hdf5.attribute("TITLE", hdf5.fixed_string(len(text)), (), text))), codes, why)


CORPUS.make(pytables, lambdas, legacy, syntax, archives, dangerous, layers, honest, sort_keys=True)
