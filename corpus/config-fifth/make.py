#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: programs beside models, which say who would run them, and configurations that make a
loader or a tool run code, by what is read without being asked; each beside one that does not.  By the rules of formats/configs.  Always
the same bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "config-code-in-set", "config-yaml-tag-local", "config-yaml-syntax-local", "config-environment"}
REJECTED = {"config-target", "config-import", "config-code-file", "config-remote-code", "config-expression-dangerous", "config-library",
            "config-path-escape", "config-requirement-insecure", "template-dunder", "yaml-python-tag", "format-executable"}
WHOLE = ("yaml-python-tag", "template-dunder", "template-unprovable", "repo-code")


class Fifth(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Fifth(sections=True)
SIDE = "format-side-file"


def one(name, file, data, words="", why="", side=SIDE):
    """One configuration, under the name that its loader looks for; codes without `config-`."""
    data = json.dumps(data) if isinstance(data, (dict, list)) else data
    codes = " ".join(w if w in WHOLE else "config-" + w for w in words.split())
    CORPUS.case(f"{name}/{file}", data, codes + " " + side, why)


def elf(kind, interpreter, entry):
    """A header, one program header and a name."""
    return (b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
            + struct.pack("<II", 3 if interpreter else 1, 0) + bytes(48) + b"\0" + entry + b"\0").ljust(256, b"\0")


def programs():
    """Whoever runs them, they are held; what a library is for its entry says."""
    for name, data, why in (("python.so", elf(3, False, b"PyInit_model"), "importlib asks for PyInit_ and the module's name"),
                            ("onnxruntime.so", elf(3, False, b"RegisterCustomOps"), "session.cc, RegisterCustomOpsLibrary"),
                            ("triton.so", elf(3, False, b"TRITONBACKEND_ModelInstanceExecute"), "backend_manager.cc"),
                            ("aoti.so", elf(3, False, b"AOTInductorModelContainerRun"), "model_container_runner.cpp"),
                            ("plain.so", elf(3, False, b"run"), "no entry that we know"),
                            ("started.so", elf(3, True, b"main"), "an interpreter: it is started")):
        CORPUS.case("program-" + name, data, "format-executable", why)
    CORPUS.case("program-shell.llamafile", b"jartsr='\n" + bytes(64), "format-executable", "ape/specification.md: without Windows")
    CORPUS.case("program-debug.llamafile", b"APEDBG='\n" + bytes(64), "format-executable", "ape/specification.md: for debuggers")
    CORPUS.case("program-words.txt", "jartsr= is how it begins\n", SIDE, "a sentence")
    one("program-triton-python", "config.pbtxt", 'name: "x"\nbackend: "python"\n', "auto-map", "python_be.cc: model.py is run")
    one("program-triton-onnx", "config.pbtxt", 'name: "x"\nbackend: "onnxruntime"\n', "", "a backend of the server")


PROMPT = "---\nname: x\nmodel:\n  api: chat\n  configuration:\n    type: azure_openai\n    azure_deployment: {}\n---\nsystem:\nYou are {}.\n"


def prompts():
    """prompty/utils.py and core.py: front matter, ${env:} and ${file:}, and Jinja, which releases before 2.0 render without a sandbox."""
    one("prompty-honest", "a.prompty", PROMPT.format("${env:AZURE_DEPLOYMENT}", "{{name}}, {% for i in items %}{{i.title}}{% endfor %}"),
        "environment", "a variable of the machine that is no secret")
    one("prompty-dunder", "a.prompty", PROMPT.format("gpt-4", "{{ ''.__class__ }}"), "template-dunder", "renderers.py, Environment()")
    one("prompty-constructor", "a.prompty", PROMPT.format("gpt-4", "{{ range.constructor('return 1')() }}"), "template-unprovable",
        "GHSA-w28w-gp39-m4p6: Nunjucks reaches JavaScript's Function")
    one("prompty-file", "a.prompty", PROMPT.format("${file:../../secret.json}", "{{name}}"), "path-escape", "core.py, _process_file()")
    one("prompty-file-beside", "a.prompty", PROMPT.format("${file:model.json}", "{{name}}"), "", "a file of the folder")
    one("prompty-absolute", "a.prompty", PROMPT.format("${file:/etc/hostname}", "{{name}}"), "path-absolute", "a file of the machine")
    one("prompty-key", "a.prompty", PROMPT.format("${env:OPENAI_API_KEY}", "{{name}}"), "environment-secret", "a secret, by its name")
    one("prompty-tag", "a.prompty", PROMPT.format("!!python/object/apply:os.system [id]", "{{name}}"), "yaml-python-tag", "FullLoader")
    one("prompty-late", "a.prompty", "words\n\n" + PROMPT.format("${file:../x}", "{{name}}"), "path-escape",
        "the expression searches for the first line that begins so")


def environments():
    """Read by what is started in the folder: what loads code or takes consent away from the caller, and settings."""
    for name, text, words, why in (
            ("honest", "# a comment\nBATCH_SIZE=4\nMODEL=own/model\nexport HF_HOME=./cache\n", "", "settings"),
            ("preload", "export LD_PRELOAD=./libx.so\n", "library", "ld.so(8)"),
            ("preload-system", "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4\n", "", "a library of the system"),
            ("preload-name", "LD_PRELOAD=libjemalloc.so.2\n", "", "looked for where the system has its libraries"),
            ("trust", "TRUST_REMOTE_CODE='1'\n", "trust-flag", "text-generation-inference's switch"),
            ("trust-off", "TRUST_REMOTE_CODE=false\n", "", "off"),
            ("weights-only", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1\n", "trust-flag", "torch/serialization.py"),
            ("index", "PIP_EXTRA_INDEX_URL=https://example.org/simple\n", "requirement", "pip's option"),
            ("index-usual", "PIP_INDEX_URL=https://pypi.org/simple\n", "", "the usual one"),
            ("startup", "PYTHONSTARTUP=x\n", "command", "run before a session"),
            ("node", "NODE_OPTIONS=--require ./x.js\n", "command", "run before the program"),
            ("node-memory", "NODE_OPTIONS=--max-old-space-size=4096\n", "", "a number")):
        one("environment-" + name, ".env", text, words, why)
    CORPUS.case("environment-direnv/.envrc", "export PATH=./bin:$PATH\n", "repo-code", "direnv sources it, if it is told to allow it")


def keys():
    """Of an object that is open few keys are compared and many are hashed: a second one is told by either, whatever stands between."""
    many = [f"key_{i}" for i in range(200)]
    for name, text, words in (
            ("few", '{"a": 1, "b": {"a": 1}, "c": 2}', ""),
            ("few-twice", '{"a": 1, "b": {"c": 1}, "a": 2}', "json-duplicate-key"),
            ("many", json.dumps(dict.fromkeys(many, 1)), ""),
            ("many-twice", json.dumps(dict.fromkeys(many, 1))[:-1] + ', "key_0": 2}', "json-duplicate-key"),
            ("many-inner", json.dumps({"a": 1, "b": dict.fromkeys(many, 1)})[:-1] + ', "a": 2}', "json-duplicate-key"),
            ("escape-twice", '{"a": 1, "b": {"c": 1, "\\u0064": 2}, "\\u0061": 2}', "json-duplicate-key"),
            ("escape", '{"a": 1, "b": {"\\u0061": 1}, "\\u0063": 2}', ""),
            ("long-twice", '{"%s": 1, "b": 1, "%s": 2}' % ("a" * 70, "a" * 70), "json-duplicate-key"),
            ("ends", '{"abcdef_1_xyz": 1, "abcdef_2_xyz": 2}', "")):
        CORPUS.case(f"keys-{name}.json", text, words or SIDE, "the reader's own table of keys", expect="review" if words else None)


UNLISTED = "target-unlisted"


def arguments():
    """What a class that is vouched for is given: it imports, trusts or opens what a text names."""
    monai = '{"x": {"_target_": "LoadImaged", "keys": "a", "%s": %s}}'
    for name, data, words, why in (
            ("reader", monai % ("reader", '"own_package.Reader"'), UNLISTED, "monai/transforms/io/array.py: locate()"),
            ("reader-function", monai % ("reader", '"own_package.files.read"'), UNLISTED, "locate() finds functions, too"),
            ("reader-list", monai % ("reader", '["NumpyReader", "own_package.Reader"]'), UNLISTED, "several"),
            ("reader-own", monai % ("reader", '"monai.data.NumpyReader"'), "", "of the library"),
            ("reader-word", monai % ("reader", '"NumpyReader"'), "", "of the library, by its name"),
            ("merger", '{"x": {"_target_": "monai.inferers.PatchInferer", "merger_cls": "own_package.Merger"}}', UNLISTED,
             "inferers/inferer.py: locate()"),
            ("any", '{"x": {"_target_": "torch.nn.Sequential", "made": {"of": "own_package.parts.Part"}}}', UNLISTED, "whatever its name"),
            ("any-file", '{"x": {"_target_": "torch.nn.Sequential", "made": {"of": "own_package/parts.Part"}}}', "", "a path"),
            ("none", '{"x": {"made": {"of": "own_package.parts.Part"}}}', "", "nothing is called")):
        one("argument-" + name, "inference.json" if "LoadImaged" in data else "x.json", data, words, why)
    lazy = "a: !new:speechbrain.utils.importutils.LazyModule [x, own_package, null]\nb: !ref <a.x>\n"
    one("argument-lazy", "hyperparams.yaml", lazy, UNLISTED, "speechbrain/utils/importutils.py: imports its second argument")
    one("argument-trusting", "hyperparams.yaml",
        "a: !new:speechbrain.integrations.huggingface.mert.MERT\n  source: own/model\n  save_path: x\n", UNLISTED,
        "mert.py: trust_remote_code=True")
    one("argument-lobe", "hyperparams.yaml",
        "a: !new:speechbrain.integrations.huggingface.wavlm.WavLM\n  source: own/model\n  save_path: x\n", "", "its neighbour trusts nobody")


def opened():
    """Paths that a loader opens before it looks into the folder, and models that it fetches."""
    for name, file, data, words, why in (
            ("prompt", "adapter_config.json", {"peft_type": "MULTITASK_PROMPT_TUNING", "prompt_tuning_init_state_dict_path": "../x.bin"},
             "path-escape", "peft/tuners/multitask_prompt_tuning/model.py: torch_load()"),
            ("prompt-beside", "adapter_config.json", {"peft_type": "MULTITASK_PROMPT_TUNING", "prompt_tuning_init_state_dict_path": "x.bin"},
             "", "a file of the folder"),
            ("vocabulary", "tokenizer_config.json", {"tokenizer_class": "T5Tokenizer", "vocab_file": "../../x.model"}, "path-escape",
             "transformers/tokenization_utils_base.py, before 5.0"),
            ("vocabulary-absolute", "tokenizer_config.json", {"tokenizer_class": "T5Tokenizer", "merges_file": "/srv/x.txt"},
             "path-absolute", "the same"),
            ("vocabulary-beside", "tokenizer_config.json", {"tokenizer_class": "T5Tokenizer", "vocab_file": "spiece.model"}, "", "beside"),
            ("vocabulary-record", "tokenizer_config.json", {"tokenizer_class": "T5Tokenizer", "tokenizer_file": "/root/x.json"}, "",
             "of the trainer's machine")):
        one("opened-" + name, file, data, words, why)
    flavor = "flavors:\n  python_function:\n    loader_module: mlflow.transformers\n  transformers:\n    pipeline_model_type: Own\n    {}\n"
    one("opened-fetched", "MLmodel", flavor.format("source_model_name: own/model\n    source_model_revision: 0a1b"), "remote-code-gated",
        "mlflow/transformers/model_io.py: trust_remote_code=True for a class that transformers lacks")
    explainer = "flavors:\n  python_function:\n    loader_module: mlflow.shap\n  shap:\n    serialized_explainer: {}\n"
    one("opened-explainer", "MLmodel", explainer.format("../x"), "path-escape", "mlflow/shap: joined to the folder, and unpickled")
    one("opened-explainer-beside", "MLmodel", explainer.format("explainer.shap"), "", "a file of the folder")
    one("opened-local", "MLmodel", flavor.format("source_model_name: own/model\n    model_binary: model"), "", "loaded from the folder")


if __name__ == "__main__":
    CORPUS.make(programs, prompts, environments, keys, arguments, opened)
