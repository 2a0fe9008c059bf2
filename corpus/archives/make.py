#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small archives that are models - skops, TorchServe, NeMo, torch.package -
and what checkpoints in shards are, that each break one rule of formats/others, and near misses that break none.  Always the
same bytes, made without any of these libraries; nothing here is loaded, and nothing in it would run.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import gzip
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive as zipped  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"pickle-data-only", "pickle-global-allowed", "weights-inf-mask"}
REVIEWED = {"npy-object-pickle", "skops-type-unlisted", "skops-function", "skops-partial", "skops-loader-unknown", "skops-member-unexpected",
            "mar-requirements", "mar-file-missing", "format-unknown", "format-identified-only", "weights-nan",
            "weights-inf", "config-target-unlisted", "zip-directory-present", "format-partly-checked", "keras-member-unexpected", "zip-empty",
            "format-name-differs", "pickle-global-unknown", "repo-code",
            "format-script"}
CORPUS = Cases("", ACCEPTED, REVIEWED)


def case(name, data, codes="", why="", **more):
    plain_weights = name.split("-")[0] in ("mar", "nemo") and PICKLE in (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    CORPUS.case(name, data, codes + (" pickle-data-only" if plain_weights else ""), why, **more)


# -- archives

def tarred(*members):
    out = b""
    for name, data in members:
        data = data.encode() if isinstance(data, str) else data
        kind = b"5" if name.endswith("/") else b"0"
        header = struct.pack("100s8s8s8s12s12s8sc100s6s2s32s32s8s8s155s12x", name.encode(), b"0000644\0", b"0000000\0",
                             b"0000000\0", b"%011o\0" % len(data), b"00000000000\0", b" " * 8, kind, b"", b"ustar\0",
                             b"00", b"", b"", b"0000000\0", b"0000000\0", b"")
        header = header[:148] + b"%06o\0 " % sum(header) + header[156:]
        out += header + data + bytes(-len(data) % 512)
    return (out + bytes(1024)).ljust(-(-(len(out) + 1024) // 10240) * 10240, b"\0")


def npy(data=struct.pack("<4f", 1, 2, 3, 4), descr="<f4", shape="(4,)"):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


PICKLE = b"\x80\x04K\x01."
ACTS = b"\x80\x04cposix\nsystem\nX\x04\0\0\0true\x85R."

# -- skops

NEXT_ID = [1000]


def node(loader, module, name, **more):
    NEXT_ID[0] += 1
    return {"__class__": name, "__module__": module, "__loader__": loader, **more, "__id__": NEXT_ID[0]}


def plain(value):
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def typed(module, name):
    return node("TypeNode", module, name)


def listed(*items, kind="list"):
    return node({"list": "ListNode", "tuple": "TupleNode", "set": "SetNode"}[kind], "builtins", kind, content=list(items))


def table(name="dict", module="builtins", **items):
    return node("DictNode", module, name, content=items,
                key_types=listed(*(typed("builtins", "str") for _ in items)))


def array(file="1.npy", name="ndarray"):
    return node("NdArrayNode", "numpy", name, type="numpy", file=file)


def estimator(module="sklearn.linear_model._logistic", name="LogisticRegression", **attributes):
    return node("ObjectNode", module, name, content=table(**attributes))


def function(module, name):
    return node("FunctionNode", module, name)


def schema(root, protocol=2):
    return json.dumps({**root, "protocol": protocol, "_skops_version": "0.11.0"}, indent=2)


def skops(root, *members, protocol=2, first=(("1.npy", npy()),)):
    NEXT_ID[0] = 1000
    return zipped(*first, *members, ("schema.json", root if isinstance(root, (str, bytes)) else schema(root, protocol)))


def honest(**more):
    return estimator(coef_=array(), C=plain(1.0), penalty=plain("l2"), n_iter_=plain([1, 2]), **more)


def skops_cases():
    def good(name, root, why, *members, **more):
        case(f"skops-{name}.skops", skops(root, *members, **more), "", why)

    def bad(name, root, codes, why, *members, **more):
        case(f"skops-{name}.skops", skops(root, *members, **more), codes, why)
    good("estimator", honest(), "what skops.io writes")
    good("compressed", honest(), "deflated", first=(("1.npy", npy(), 8),))
    good("no-arrays", estimator(C=plain(1.0)), "no array at all", first=())
    good("protocol-1", honest(), "an older protocol", protocol=1)
    good("missing-value", estimator("sklearn.impute._base", "SimpleImputer", missing_values=node(
        "JsonNode", "builtins", "str", content="NaN", is_json=True), statistics_=array()), "NaN as Python writes it")
    good("pipeline", estimator("sklearn.pipeline", "Pipeline", steps=listed(
        listed(plain("a"), estimator("sklearn.preprocessing._data", "StandardScaler", mean_=array()), kind="tuple"),
        listed(plain("b"), honest(), kind="tuple"))), "steps in a list of tuples")
    good("tree", estimator("sklearn.tree._classes", "DecisionTreeClassifier", tree_=node(
        "TreeNode", "sklearn.tree._tree", "Tree", __reduce__={"args": listed(plain(1), kind="tuple")},
        content=table(nodes=array()))), "a tree, made by its own constructor")
    good("loss", estimator("sklearn.linear_model._stochastic_gradient", "SGDClassifier", loss=node(
        "LossNode", "sklearn.linear_model._sgd_fast", "Hinge", __reduce__={"args": listed(plain(1.0), kind="tuple")},
        content=table()), coef_=array()), "a loss")
    good("ufunc", estimator("sklearn.preprocessing._function_transformer", "FunctionTransformer", a=array(),
                            func=function("numpy.core._multiarray_umath", "log1p"),
                            inverse_func=function("scipy.special._ufuncs", "expit")), "elementwise functions")
    good("random", estimator(a=array(), random_state=node("RandomStateNode", "numpy.random.mtrand", "RandomState",
                                                           content=table(bit_generator=plain("MT19937"), state=array()))),
         "a state of random numbers")
    good("containers", estimator(a=array(), b=listed(plain(1), kind="set"), c=node(
        "SliceNode", "builtins", "slice", content={"start": 0, "stop": None, "step": 1}), d=table(
            "OrderedDict", "collections", x=plain(None)), e=node("DTypeNode", "numpy", "dtype", content=array()),
        f=node("NdArrayNode", "numpy", "ndarray", type="json", shape=listed(plain(1), kind="tuple"), content=[plain("x")]),
        g=typed("numpy", "float64"), h=array(name="float64")), "what data is kept in")
    sparse = zipped(("indices.npy", npy(struct.pack("<2i", 0, 1), "<i4", "(2,)")), ("data.npy", npy()),
                    ("format.npy", npy(b"csr", "|S3", "()")))
    good("sparse", honest(x=node("SparseMatrixNode", "scipy.sparse._csr", "csr_matrix", type="scipy", file="2.npz")),
         "a sparse matrix", ("2.npz", sparse))
    good("bytes", honest(x=node("BytesNode", "builtins", "bytes", file="b.bin")), "text as bytes", ("b.bin", b"text\n"))
    bad("bytes-unknown", honest(x=node("BytesNode", "builtins", "bytes", file="b.bin")), "format-unknown",
        "bytes that nobody knows", ("b.bin", b"\x00\x01\x02\xff"))
    bad("nan", honest(), "weights-nan", "a NaN among the elements",
        first=(("1.npy", npy(struct.pack("<4f", 1, float("nan"), 3, 4))),))
    CORPUS.rows[-1]["nonfinite"] = {"1": {"nan": 1}}

    # calls under harmless names
    bad("operator", honest(x=node("OperatorFuncNode", "operator", "methodcaller", attrs=listed(plain("system"), kind="tuple"))),
        "skops-call-node", "calls an operator")
    bad("method", honest(x=node("MethodNode", "sklearn.linear_model._logistic", "LogisticRegression",
                                content={"func": "fit", "obj": honest()})), "skops-call-node", "a method of an object")
    bad("method-in-list", honest(x=listed(listed(node("MethodNode", "builtins", "str", content={"func": "format", "obj":
                                                                                             plain("x")})))),
        "skops-call-node", "further in")
    bad("operator-in-key-types", node("ObjectNode", "sklearn.svm._classes", "SVC", content=node(
        "DictNode", "builtins", "dict", content={"a": array()}, key_types=listed(node(
            "OperatorFuncNode", "operator", "itemgetter", attrs=listed(plain(0), kind="tuple"))))), "skops-call-node",
        "where types of keys are")

    # names
    for n, (module, name) in enumerate((("os", "system"), ("builtins", "eval"), ("builtins", "exec"), ("subprocess", "Popen"),
                                        ("sklearn.utils.os", "system"), ("numpy", "load"), ("functools", "reduce"),
                                        ("importlib", "import_module"), ("joblib", "load"), ("numpy.f2py.os", "system"))):
        bad(f"type-dangerous-{n}", honest(x=typed(module, name)), "skops-type-dangerous", f"{module}.{name} as a type")
        bad(f"function-dangerous-{n}", honest(x=function(module, name)), "skops-type-dangerous",
            f"{module}.{name} as a function")
    bad("object-dangerous", honest(x=node("ObjectNode", "subprocess", "Popen", content=table())), "skops-type-dangerous",
        "an object of it")
    bad("constructor-dangerous", honest(x=node("ConstructorFromReduceNode", "builtins", "eval",
                                               content=listed(plain("1"), kind="tuple"))), "skops-type-dangerous", "called")
    bad("list-dangerous", honest(x=node("ListNode", "builtins", "exec", content=[plain("1")])), "skops-type-dangerous",
        "called with a list")
    bad("escaped", skops_text(honest(x=typed("os", "system")), '"os"', '"\\u006fs"'), "skops-type-dangerous",
        "a letter escaped")
    bad("old-function", honest(x={"__class__": "function", "__module__": "numpy", "__loader__": "FunctionNode", "content": {
        "module_path": "os", "function": "system"}}), "skops-type-dangerous skops-function", "as protocol 0 has it", protocol=0)
    for n, (module, name) in enumerate((("my_package.models", "Net"), ("lightgbm.sklearn", "LGBMClassifier"),
                                        ("sklearn.utils", "deprecated"), ("sklearn.datasets._base", "Bunch"),
                                        ("sklearnx.base", "Thing"), ("numpy", "poly1d"), ("scipy.sparse", "csr"),
                                        ("scipy.interpolate._interpolate", "interp1d"), ("collections", "UserDict"),
                                        ("sklearn.cluster.tests.common", "X"), ("sklearn.metrics.setup", "X"),
                                        ("sklearn.utils._joblib", "Memory"), ("sklearn.utils._available_if", "MethodType"))):
        bad(f"type-unlisted-{n}", honest(x=node("ObjectNode", module, name, content=table())), "skops-type-unlisted",
            f"{module}.{name}")
    good("type-listed", honest(x=typed("builtins", "int")), "a primitive")
    bad("constructor-unlisted", honest(x=node("ConstructorFromReduceNode", "sklearn.base", "BaseEstimator",
                                              content=listed(kind="tuple"))), "skops-type-unlisted", "its constructor runs")
    for n, (module, name) in enumerate((("sklearn.metrics._classification", "accuracy_score"), ("my_package", "f"),
                                        ("numpy", "sum"), ("scipy.special", "roots_jacobi"), ("numpy", "logs"))):
        bad(f"function-other-{n}", honest(x=function(module, name)), "skops-function", f"{module}.{name}")
    bad("partial", honest(x=node("PartialNode", "functools", "partial", content={
        "func": function("numpy", "add"), "args": listed(kind="tuple"), "kwds": table(), "namespace": table()})),
        "skops-partial", "arguments of the file's choice")
    bad("partial-dangerous", honest(x=node("PartialNode", "functools", "partial", content={
        "func": function("os", "system"), "args": listed(kind="tuple"), "kwds": table(), "namespace": table()})),
        "skops-partial skops-type-dangerous", "and of its function")
    bad("loader", honest(x=node("SomeNode", "sklearn.svm._classes", "SVC")), "skops-loader-unknown", "a loader of nobody's")
    bad("loader-none", {k: v for k, v in honest(x={"__class__": "SVC", "__module__": "sklearn.svm._classes"}).items()},
        "skops-loader-unknown", "no loader")
    bad("loader-dangerous", honest(x=node("SomeNode", "os", "system")), "skops-loader-unknown skops-type-dangerous", "both")

    # the tree as text
    text = schema(honest())
    for name, broken, why in (("cut", text[:-2], "cut off"), ("two", text + "{}", "two values"), ("list", "[]", "no object"),
                              ("empty", "", "nothing"), ("comment", "// x\n" + text, "a comment"),
                              ("nan", text.replace('"protocol": 2', '"protocol": NaN'), "no number"),
                              ("latin", text.encode().replace(b"l2", b"\xe9"), "no UTF-8"),
                              ("no-protocol", text.replace('"protocol"', '"protocols"'), "no protocol"),
                              ("plain", '{"protocol": 2}', "nothing in it"),
                              ("number", text.replace('"LogisticRegression"', "1"), "a class that is a number"),
                              ("deep", "[" * 200 + "]" * 200, "nested too deeply")):
        bad(f"schema-{name}", broken, "skops-schema", why)
        if name in ("list", "empty", "comment", "latin", "plain", "deep"):
            CORPUS.rows[-1]["codes"].append("skops-member-unexpected")  # nobody names the array any more
    bad("duplicate", text.replace('"__class__": "LogisticRegression"', '"__class__": "SVC", "__class__": "SVC"', 1),
        "skops-duplicate-key", "a class twice")
    bad("duplicate-escaped", text.replace('"__module__": "sklearn', '"__modul\\u0065__": "os", "__module__": "sklearn', 1),
        "skops-duplicate-key", "spelled in two ways")

    # members
    bad("file-missing", honest(x=array("3.npy")), "skops-file-missing", "no such member")
    bad("file-case", honest(x=array("1.NPY")), "skops-file-missing", "another case of letters")
    bad("file-pickle", honest(), "skops-file-content pickle-data-only", "a pickle for an array", first=(("1.npy", PICKLE),))
    bad("file-pickle-acts", honest(), "skops-file-content pickle-global-dangerous pickle-call-dangerous",
        "a pickle that acts", first=(("1.npy", ACTS),))
    bad("file-text", honest(), "skops-file-content", "text for an array", first=(("1.npy", b"text"),))
    bad("file-object", honest(), "npy-object-pickle skops-file-content", "an array of objects, which skops does not unpickle",
        first=(("1.npy", npy(PICKLE, "|O", "(1,)")),))
    bad("member-extra", honest(), "skops-member-unexpected", "a member that nobody names", ("2.npy", npy()))
    bad("member-pickle", honest(), "skops-member-unexpected pickle-global-dangerous pickle-call-dangerous",
        "that acts when somebody loads it", ("model.pkl", ACTS))
    bad("member-elf", honest(), "skops-member-unexpected format-executable", "a program",
        ("x", b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\x3e\0\1\0\0\0" + bytes(40)))
    bad("member-two", honest(), "zip-two-formats skops-member-unexpected", "TorchServe would load it too",
        ("MAR-INF/MANIFEST.json", manifest()))

    # named so
    case("skops-pickle.skops", PICKLE, "skops-not-zip pickle-data-only format-extension-mismatch", "a pickle")
    case("skops-text.skops", b"text\n", "skops-not-zip zip-eocd-missing", "text")
    case("skops-npz.skops", zipped(("1.npy", npy())), "skops-schema", "an archive without a tree")
    case("skops-no-name", skops(honest()), "", "by what is in it")
    case("skops-named.npz", skops(honest()), "format-name-differs", "under another name")
    case("skops-named.zip", skops(honest()), "", "an archive's name")


def skops_text(root, old, new):
    text = schema(root)
    assert old in text
    return text.replace(old, new)


# -- TorchServe

def manifest(handler="image_classifier", **model):
    return json.dumps({"createdOn": "01/01/2024 00:00:00", "runtime": "python", "model": {
        "modelName": "m", "serializedFile": "model.pt", "handler": handler, "modelVersion": "1.0", **model},
        "archiverVersion": "0.9.0"})


def safetensors():
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + struct.pack("<2f", 1, 2)


def mar(text=None, *members, first=(("model.pt", PICKLE),)):
    return zipped(*first, *members, ("MAR-INF/MANIFEST.json", manifest() if text is None else text))


def torchserve():
    case("mar-own-handler.mar", mar(), "", "a handler that TorchServe has")
    case("mar-manifest-first.mar", zipped(("MAR-INF/MANIFEST.json", manifest()), ("model.pt", PICKLE)), "",
         "the manifest first")
    case("mar-safetensors.mar", mar(manifest(serializedFile="w.safetensors"), first=(("w.safetensors", safetensors()),)),
         "", "weights, which are read wherever they are")
    case("mar-safetensors-behind.mar", mar(manifest(serializedFile="w.safetensors"), first=(("w.safetensors", safetensors() + b"more"),)),
         "safetensors-data-trailing", "with something behind them")
    case("mar-labels.mar", mar(None, ("index_to_name.json", '{"0": "cat"}')), "", "text beside it")
    for name, text, why in (("py", manifest("handler.py"), "a file of its own"),
                            ("function", manifest("handler.py:handle"), "a function in it"),
                            ("module", manifest("my_handler"), "a name that TorchServe does not have"),
                            ("model-file", manifest(modelFile="model.py"), "the model's class")):
        case(f"mar-handler-{name}.mar", mar(text), "mar-handler-code", why)
    case("mar-code.mar", mar(None, ("image_classifier.py", "import os\n")), "mar-handler-code", "its own name, and a file so called")
    case("mar-code-elsewhere.mar", mar(None, ("lib/util.PY", "import os\n")), "mar-handler-code", "a module")
    case("mar-program.mar", mar(None, ("x.so", b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\x3e\0\1\0\0\0" + bytes(40))),
         "mar-handler-code format-executable", "a library")
    case("mar-requirements.mar", mar(manifest(requirementsFile="requirements.txt"), ("requirements.txt", "x==1\n")),
         "mar-requirements", "packages to install")
    case("mar-file-missing.mar", mar(manifest(serializedFile="other.pt")), "mar-file-missing", "no such member")
    case("mar-pickle.mar", mar(manifest(serializedFile="model.pt"), first=(("model.pt", ACTS),)),
         "pickle-global-dangerous pickle-call-dangerous", "weights that act")
    case("mar-binary.mar", mar(None, ("data.bin", b"\0\1\2\xff")), "format-unknown", "bytes that nobody knows")
    for name, text, why in (("cut", manifest()[:-2], "cut off"), ("list", "[]", "no object"), ("no-model", "{}", "no model"),
                            ("no-handler", '{"model":{"modelName":"m"}}', "no handler"),
                            ("handler-list", '{"model":{"handler":["x.py"]}}', "no name"),
                            ("twice", manifest().replace('"handler"', '"handler": "x", "handler"'), "a handler twice")):
        case(f"mar-manifest-{name}.mar", mar(text),
             "mar-manifest" + (" mar-handler-code" if name == "twice" else ""), why)
    case("mar-none.zip", zipped(("model.pt", PICKLE)), "format-identified-only", "no manifest")
    case("mar-tar.mar", gzip.compress(tarred(("MAR-INF/MANIFEST.json", manifest()), ("model.pt", PICKLE),
                                             ("handler.py", "import os\n")), mtime=0),
         "mar-handler-code format-identified-only format-unknown", "packed as tar.gz")
    case("mar-tar-own.mar", gzip.compress(tarred(("MAR-INF/MANIFEST.json", manifest()),
                                                 ("model.pt", PICKLE)), mtime=0),
         "format-identified-only format-unknown", "without code")


# -- NeMo

CONFIG = """target: nemo.collections.asr.models.ctc_bpe_models.EncDecCTCModelBPE
preprocessor:
  _target_: nemo.collections.asr.modules.AudioToMelSpectrogramPreprocessor
  sample_rate: 16000
optim:
  name: adamw
"""


def nemo():
    weights = PICKLE
    case("nemo-plain.nemo", tarred(("model_config.yaml", CONFIG), ("model_weights.ckpt", weights)), "", "a model")
    case("nemo-gzip.nemo", gzip.compress(tarred(("model_config.yaml", CONFIG), ("model_weights.ckpt", weights)), mtime=0),
         "", "compressed")
    case("nemo-vocabulary.nemo", tarred(("model_config.yaml", CONFIG), ("vocab.txt", "a\nb\n"),
                                        ("model_weights.ckpt", weights)), "", "with a vocabulary")
    case("nemo-unknown.nemo", tarred(("model_config.yaml", CONFIG), ("model_weights.ckpt", b"\0\1\2\xff")),
         "format-unknown", "weights that nobody knows")
    for name, value, codes in (("system", "os.system", "config-target"), ("popen", "subprocess.Popen", "config-target"),
                               ("builtins", '"builtins.eval"', "config-target"),
                               ("own", "my_package.Model", "config-target-unlisted")):
        text = CONFIG + f"extra:\n  _target_: {value}\n  command: id\n"
        case(f"nemo-target-{name}.nemo", tarred(("model_config.yaml", text), ("model_weights.ckpt", weights)), codes, value)
    case("nemo-target-gzip.nemo", gzip.compress(tarred(("model_config.yaml", CONFIG + "x: {_target_: os.system}\n"),
                                                      ("model_weights.ckpt", weights)), mtime=0), "config-target", "compressed")
    case("nemo-target-top.nemo", tarred(("model_config.yaml", CONFIG.replace("nemo.collections.asr.models.ctc_bpe_models."
                                                                            "EncDecCTCModelBPE", "os.system")),
                                        ("model_weights.ckpt", weights)), "config-target", "the model's own class")
    case("nemo-target-merge.nemo", tarred(("model_config.yaml", CONFIG + "a: &a\n  _target_: os.system\nb:\n  <<: *a\n"),
                                          ("model_weights.ckpt", weights)), "config-target", "merged into another")
    case("nemo-tag.nemo", tarred(("model_config.yaml", CONFIG + "x: !!python/object/apply:os.system [id]\n"),
                                 ("model_weights.ckpt", weights)), "yaml-python-tag", "a tag that makes objects")
    case("nemo-other-yaml.nemo", tarred(("model_config.yaml", CONFIG), ("other.yml", "a: {_target_: os.system}\n"),
                                        ("model_weights.ckpt", weights)), "config-target", "another configuration")
    case("nemo-pickle.nemo", tarred(("model_config.yaml", CONFIG), ("model_weights.ckpt", ACTS)),
         "pickle-global-dangerous pickle-call-dangerous", "weights that act")
    case("nemo-pickle-gzip.nemo", gzip.compress(tarred(("model_config.yaml", CONFIG), ("model_weights.ckpt", ACTS)), mtime=0),
         "pickle-global-dangerous pickle-call-dangerous", "compressed")
    for name, member in (("code", ("util.py", "import os\n")), ("code-shell", ("run.SH", "true\n"))):
        case(f"nemo-{name}.nemo", tarred(("model_config.yaml", CONFIG), member, ("model_weights.ckpt", weights)), "repo-code",
             "code beside it")
    for name, text in (("script", "#!/bin/sh\ntrue\n"),):
        case(f"nemo-{name}.nemo", tarred(("model_config.yaml", CONFIG), ("notes", text), ("model_weights.ckpt", weights)),
             "format-script", "more than text")
    case("nemo-target-json.nemo", tarred(("model_config.yaml", CONFIG), ("c.json", '{"_target_":"os.system"}'),
                                         ("model_weights.ckpt", weights)), "config-target", "as JSON")
    case("nemo-target-folded.nemo", tarred(("model_config.yaml", CONFIG + '? "_tar\\\n   get_"\n: os.system\n'),
                                           ("model_weights.ckpt", weights)), "config-target", "a line broken in the key")
    case("nemo-folded-not.nemo", tarred(("model_config.yaml", CONFIG + 'a: "b\\\n   c"\n'), ("model_weights.ckpt", weights)),
         "", "a line broken elsewhere")
    reached = "torch.nn.modules.module"
    for name, text, codes, why in (
            ("value-folded", f'_target_: "{reached}.\\\n  os.system"', " ", "a line broken in the value"),
            ("value-escaped", f'_target_: "{reached}\\u002eos\\u002esystem"', " ", "dots spelled otherwise"),
            ("value-interpolated", "_target_: torch.nn.${y}", "-unlisted", "the rest is elsewhere"),
            ("value-next-line", "_target_:\n    torch.nn.Linear", "", "on a line of its own"),
            ("value-method", "_target_: transformers.AutoModel2.from_pretrained", "-unlisted", "a method fetches what it is told"),
            ("value-private", "_target_: torch.nn._Linear", "", "a class, not for the public"),
            ("key-anchor-tag", "y: &k !!str _target_\n  *k : os.system", " ", "an alias of a key with a tag"),
            ("key-anchor-block", "y: &k |-\n    _target_\n  *k : os.system", " ", "an alias of a block"),
            ("key-comment", "? _target_ # a\n  # b\n  : os.system", " ", "comments between the key and its colon"),
            ("key-next-line", "? _target_\u0085  : os.system", "=config-target config-yaml-ambiguous", "YAML 1.1 has more line breaks"),
            ("key-commented", "# _target_ stands here\n  y: 1", "", "a comment"),
            ("key-longer", "_target_rate: my.thing", "", "another key"),
            ("class-comment", "? target # a\n  : os.system", " ", "comments between the key and its colon"),
            ("class-block", "target: >-\n    os.system", " ", "a block"),
            ("class-next-line", "target:\n    os.system", " ", "on a line of its own"),
            ("class-tag", "target: !!str os.system", " ", "a tag"),
            ("class-anchor", "target: &y os.system", " ", "an anchor"),
            ("class-alias", "y: &y os.system\n  target: *y", " -unlisted", "an alias"),
            ("class-interpolated", "y: os.system\n  target: ${y}", "-unlisted", "elsewhere"),
            ("class-escaped", 'target: "os\\x2esystem"', " ", "a dot spelled otherwise"),
            ("class-own", "target: my_package.Model", "-unlisted", "NeMo imports it"),
            ("class-number", "target: 0.5", "", "a number"),
            ("class-mapping", "target:\n    name: a\n    of: my.thing", "", "a mapping, which names nothing")):
        case(f"nemo-yaml-{name}.nemo", tarred(("model_config.yaml", CONFIG + f"x:\n  {text}\n"), ("model_weights.ckpt", weights)),
             codes[1:] if codes.startswith("=") else " ".join("config-target" + c.strip() for c in (["", "-unlisted"] if codes == " -unlisted" else [codes])) if codes else "", why)
    case("nemo-not.tar", tarred(("config.yaml", CONFIG), ("model_weights.ckpt", weights)),
         "format-identified-only format-unknown", "another archive")
    case("nemo-not-target.tar", tarred(("config.yaml", "a: {_target_: os.system}\n")),
         "format-identified-only format-unknown config-target", "a configuration in any archive")


# -- torch.package

def package():
    source = ("pkg/model.py", "import torch\n")
    case("package-source-first.pt", zipped(source, ("pkg/.data/extern_modules", "torch\n"), ("pkg/.data/version", "6\n")),
         "torch-package format-identified-only format-unknown", "begins with its source")
    case("package-not.zip", zipped(source), "format-identified-only format-unknown", "source and no more")


# -- checkpoints in shards (torch.distributed.checkpoint)

def shards():
    def record(name, module="torch.distributed.checkpoint.metadata"):
        return b"c%s\n%s\n)\x81}b" % (module.encode(), name.encode())
    known = b"\x80\x04" + record("Metadata") + record("StorageMeta") + b"\x86."
    for name in ("dcp-known.metadata", "dcp-known.distcp", "dcp-known"):
        case(name, known, "pickle-global-unknown", "the classes it is made of")
    case("dcp-other.metadata", b"\x80\x04" + record("ReadItem", "torch.distributed.checkpoint.planner") + b".",
         "pickle-global-dangerous pickle-call-dangerous", "another class of the package")
    case("dcp-reach.metadata", b"\x80\x04\x8c\x25torch.distributed.checkpoint.metadata\x8c\x09os.system\x93X\x04\0\0\0true\x85R.",
         "pickle-global-dangerous pickle-call-dangerous", "through its module")
    case("dcp-acts.distcp", ACTS, "pickle-global-dangerous pickle-call-dangerous", "one that acts")
    case("dcp-data.distcp", PICKLE, "pickle-data-only", "plain data")


CORPUS.make(skops_cases, torchserve, nemo, package, shards, ensure_ascii=False, sort_keys=True)
