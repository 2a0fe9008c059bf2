#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: configurations of whatever product that make a loader import, call, evaluate, start,
install or open what they name, told by the shape of a reference or by a key of its own; each beside one that does not.  By the rules of
formats/configs.  Always the same bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import json
import os
import pickle
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "config-code-in-set", "config-yaml-tag-local", "config-yaml-syntax-local", "pickle-global-allowed",
            "pickle-data-only"}
REJECTED = {"config-target", "config-import", "config-code-file", "config-remote-code", "config-expression-dangerous", "config-library",
            "config-path-escape", "config-requirement-insecure", "template-dunder", "yaml-python-tag", "tokenizer-id-range"}
WHOLE = ("yaml-python-tag", "template-dunder", "tokenizer-regex", "tokenizer-id-range", "repo-code")


class Fourth(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Fourth(sections=True)
SIDE = "format-side-file"


def coded(words):
    return " ".join(w if w in WHOLE else "config-" + w for w in words.split())


def one(name, file, data, words="", why="", side=SIDE):
    """One configuration, under the name that its loader looks for; codes without `config-`."""
    data = json.dumps(data) if isinstance(data, (dict, list)) else data
    CORPUS.case(f"{name}/{file}", data, coded(words) + " " + side, why)


def folder(name, files, words="", why=""):
    CORPUS.case(name, files, coded(words) + " " + SIDE, why)


UNLISTED = "target-unlisted"


def shapes():
    """Keys that say by their last word that a class, a function or a plug-in is meant, and texts that look like one."""
    pairs = [
        ("kedro", "catalog.yml", "x:\n  type: {}\n  filepath: a.csv\n", "own_package.Data", "pandas.CSVDataset", "kedro/io/core.py"),
        ("gluonts", "predictor.json", '{{"__kind__": "instance", "class": "{}", "args": []}}', "own_package.Model",
         "gluonts.torch.model.predictor.PyTorchPredictor", "gluonts/core/serde"),
        ("serde", "predictor.json", '{{"__kind__": "instance", "class": "{}", "args": []}}', "own_package.run", "numpy.array",
         "a function is called, too"),
        ("litellm", "config.yaml", "litellm_settings:\n  callbacks: {}\n", "own_module.handler", "langfuse", "get_instance_fn()"),
        ("auth", "config.yaml", "general_settings:\n  custom_auth: {}\n", "own_module.auth", "own", "get_instance_fn()"),
        ("rules", "config.yaml", "litellm_settings:\n  post_call_rules: [{}]\n", "own.check", "check", "an entry of a list"),
        ("rasa", "config.yml", "language: en\npipeline:\n- name: {}\n", "own_package.Featurizer", "WhitespaceTokenizer",
         "class_from_module_path()"),
        ("rasa-graph", "metadata.json", '{{"train_schema": {{"nodes": {{"a": {{"uses": "{}"}}}}}}}}', "own_package.Component",
         "rasa.engine.Component", "of a trained model"),
        ("pavlov", "ner.json", '{{"chainer": {{"pipe": [{{"class_name": "{}"}}]}}}}', "own_module:Component", "bert_ner",
         "cls_from_str()"),
        ("rllib", "params.json", '{{"callbacks": "{}"}}', "own_package.Callbacks", "DefaultCallbacks", "a class by its path"),
        ("hook", "runtime.yaml", "runtime_env:\n  worker_process_setup_hook: {}\n", "own.setup", "setup", "Ray's"),
        ("vllm", "server.yaml", "model: x/y\ndistributed-executor-backend: {}\n", "own_package.Executor", "ray", "resolve_obj_by_qualname()"),
        ("entry", "flow.flex.yaml", "entry: {}\n", "own:run", "run", "promptflow's"),
        ("camel", "x.json", '{{"envWrapper": "{}"}}', "own_package.Wrapper", "wrapper", "words in one"),
        ("name", "x.json", '{{"module_name": "{}"}}', "own_package.Module", "encoder.layer.0", "the word before the last"),
        ("capital", "x.json", '{{"callback": "{}"}}', "Own.handler", "System.Action", "a file may begin with a capital"),
        ("java", "metadata.json", '{{"class": "{}"}}', "own.spark.Model", "org.apache.spark.ml.PipelineModel", "Spark's"),
        ("loader", "server.yaml", "custom-weight-loader: [{}]\n", "own_package:load", "auto", "SGLang's"),
        ("lightning", "config.yaml", "seed_everything: 1\nmodel: {}\n", "own_package.Net", "resnet.50", "a path for a map"),
    ]
    for name, file, form, bad, good, why in pairs:
        one("shape-" + name, file, form.format(bad), UNLISTED, why)
        one("shape-" + name + "-not", file, form.format(good), "", "no foreign code")
    one("shape-denied", "config.yaml", "general_settings:\n  custom_auth: os.system\n", "target", "a shell")
    one("shape-type", "type.txt", "own_package.Predictor\n", "import-unlisted", "gluonts imports what is in there")
    one("shape-type-not", "type.txt", "own predictor\n", "", "prose")
    folder("shape-place", {"langgraph.json": json.dumps({"graphs": {"a": "./agent.py:graph"}}), "x.txt": "x\n"}, "code-in-set code-missing",
           "a file and what is in it")
    one("shape-place-not", "x.json", {"error": "train.py:12", "text": "agent.py:graph"}, "", "a line of one; prose")
    one("shape-escape", "langgraph.json", {"graphs": {"a": "../agent.py:graph"}}, "path-escape", "elsewhere")
    one("shape-file", "args.json", {"external_plugins": ["own.py"]}, "auto-map", "ms-swift imports it when adapters are loaded")
    one("shape-file-not", "args.json", {"external_plugins": [], "codePath": "train.py", "path": "own.py"}, "", "records of a run")


def evaluated():
    layers = "model:\n  conv_feature_layers: \"{}\"\n"
    one("eval-layers", "config.yaml", layers.format("exec('import own')"), "expression-dangerous", "fairseq: eval() (CVE-2025-14926)")
    one("eval-layers-not", "config.yaml", layers.format("[(512, 10, 5)] + [(512, 3, 2)] * 4"), "", "its own")
    one("eval-power", "config.yaml", layers.format("[9]*9**9"), "expression", "a power")
    for name, text, words in (("eval-pickle", "__import__('os').system('id')", "expression-dangerous"),
                              ("eval-pickle-not", "[(512, 10, 5)] * 2", "")):
        CORPUS.case(name + "/model.pkl", pickle.dumps({"cfg": {"extractor_conv_feature_layers": text}}, protocol=2),
                    coded(words) + " pickle-data-only", "the checkpoint that a converter reads")
    one("eval-type", "infer_cfg.yml", "Preprocess:\n- type: exec('import own')\n", "expression", "PaddleDetection: eval(op_type)")
    one("eval-type-not", "infer_cfg.yml", "Preprocess:\n- type: Resize\n", "", "an operator of its own")
    one("eval-key", "inference.yml", "transform_ops:\n- \"exec('import own')\": {x: 1}\n", "expression-dangerous",
        "PaddleOCR: eval(op_name), which is a key")
    one("eval-key-not", "inference.yml", "transform_ops:\n- \"Temperature (C)\": {x: 1}\n", "", "an ordinary key")
    one("eval-node", "workflow.json", {"1": {"class_type": "Own", "inputs": {"value": "__import__('os')"}}}, "expression",
        "an input of a node (CVE-2024-21577)")
    one("eval-node-not", "workflow.json", {"1": {"class_type": "Own", "input": {"value": "__import__('os')"}}}, "", "prose")
    one("eval-flow", "flow.json", {"template": {"code": {"type": "code", "value": "import own"}}}, "expression", "Langflow's components")
    one("eval-flow-not", "flow.json", {"template": {"code": {"type": "str", "value": "x"}}}, "", "a text")
    one("eval-resolver", "c.yaml", "a: ${get_class:own_package.Net}\n", UNLISTED, "a resolver that imports")
    one("eval-resolver-not", "c.yaml", "a: ${get_path:own_package.Net}\n", "", "one that does not say so")
    one("eval-denied", "c.yaml", "a: ${get_path:os.system}\n", UNLISTED, "whatever it does")
    one("eval-serialized", "data", {"policy": {":serialized:": "gAWVAAAAAAAAAA=="}}, UNLISTED, "Stable-Baselines3 unpickles it")
    one("eval-serialized-not", "data", {"policy": {":type:": "<class 'dict'>"}}, "", "nothing is unpickled")


def templates():
    reach = "{{ ''.__class__.__mro__ }}"
    task = "[nlp]\nlang = \"en\"\n[components.llm.task]\n@llm_tasks = \"spacy.NER.v3\"\ntemplate = \"{}\"\n"
    one("fill-spacy", "config.cfg", task.replace("{}", reach), "expression-dangerous", "spacy-llm renders it (CVE-2025-25362)")
    one("fill-spacy-not", "config.cfg", task.replace("{}", "{{ text }}"), "", "a text of its own")
    builder = "components:\n  p:\n    type: haystack.components.builders.PromptBuilder\n    init_parameters:\n      template: \"{}\"\nconnections: []\n"
    one("fill-haystack", "p.yaml", builder.replace("{}", reach), "expression-dangerous", "PromptBuilder (CVE-2024-41950)")
    one("fill-haystack-not", "p.yaml", builder.replace("{}", "{% for d in documents %}{{ d.content }}{% endfor %}"), "", "honest")
    prompt = {"_type": "prompt", "template_format": "f-string"}
    one("fill-format", "p.json", {**prompt, "template": "{x.__class__.__init__}"}, "expression-dangerous",
        "Python's format reaches attributes (CVE-2025-65106)")
    one("fill-format-not", "p.json", {**prompt, "template": "{{x.__class__}}"}, "", "two braces are one")
    one("fill-system", "prompts.yaml", "system_prompt: \"" + reach + "\"\n", "expression-dangerous", "smolagents renders it")
    one("fill-system-not", "prompts.yaml", "system_prompt: \"Do not use x.__class__ {{ name }}\"\n", "", "words")


def programs():
    server = {"command": "sh", "args": ["-c", "id"]}
    one("start-mcp", "mcp.json", {"mcpServers": {"a": server}}, "command", "a client starts it")
    one("start-mcp-not", "mcp.json", {"mcpServers": {"a": {"url": "https://host.example/mcp"}}}, "", "an address")
    one("start-agent", "agent.json", {"model": "a/b", "servers": [{"type": "stdio", **server}]}, "command", "a tiny agent's")
    one("start-agent-not", "compose.json", {"services": {"a": server}}, "", "a container's own")
    one("start-list", "x.json", {"server_params": {"command": ["sh"], "type": "StdioServerParams"}}, "command", "AutoGen's; a list")
    one("start-project", "MLproject", "name: x\nentry_points:\n  main:\n    command: \"sh x\"\n", "command", "mlflow run (CVE-2024-37061)")
    one("start-project-not", "MLproject", "name: x\nentry_points: {}\n", "", "nothing to run")
    one("start-task", "tasks.json", {"tasks": [{"command": "sh", "runOptions": {"runOn": "folderOpen"}}]}, "command", "an editor's")
    one("start-task-not", "tasks.json", {"tasks": [{"command": "make", "runOptions": {"runOn": "default"}}]}, "", "asked for")
    one("start-ready", "x.kcpps", {"model": "x.gguf", "onready": "sh x"}, "command", "KoboldCpp, when the model is loaded")
    for script in ("preinstall", "install", "postinstall", "prepare"):
        one(f"start-npm-{script}", "package.json", {"name": "x", "scripts": {script: "node x.js", "test": "node test.js"}}, "repo-code",
            "docs.npmjs.com: npm install starts it")
    one("start-npm-not", "package.json", {"name": "x", "scripts": {"build": "tsc", "test": "node t.js"}, "install": "x"}, "",
        "only who asks for them starts these")
    for name, value in (("text", "./x.sh"), ("list", ["sh", "x.sh"]), ("map", {"x": "sh x.sh"})):
        one(f"start-devcontainer-{name}", "devcontainer.json", {"image": "debian", "initializeCommand": value}, "repo-code",
            "containers.dev: on the host")
    one("start-devcontainer-not", "devcontainer.json", {"image": "debian", "postCreateCommand": "sh x.sh"}, "",
        "within the container that it asks for")
    one("start-ready-not", "x.kcpps", {"model": "x.gguf", "onready": ""}, "", "nothing")
    one("start-build", "cog.yaml", "build:\n  run:\n  - sh x\n", "command", "Cog builds an image by it")
    one("start-build-not", "cog.yaml", "build:\n  gpu: true\n", "", "nothing to run")
    one("start-chain", "chain.json", {"_type": "pal_chain", "llm": {"_type": "openai"}}, "command", "runs what a model writes")
    one("start-chain-not", "chain.json", {"_type": "llm_chain", "llm": {"_type": "openai"}}, "", "does not")
    bento = "service: 1\ndocker:\n  system_packages: [{}]\n"
    one("start-apt", "bentofile.yaml", bento.format("curl; id"), "command", "behind apt-get install (CVE-2026-33744)")
    one("start-apt-not", "bentofile.yaml", bento.format("g++, libgl1, curl=7.1~2"), "", "packages")
    base = "service: 1\ndocker:\n  base_image: \"{}\"\n"
    one("start-image", "bentofile.yaml", base.format("python:3\\nRUN id"), "command", "a line of the Dockerfile (CVE-2026-44345)")
    one("start-image-not", "bentofile.yaml", base.format("python:3.11-slim"), "", "an image")
    env = "service: 1\nenvs:\n- name: \"{}\"\n  value: x\n"
    one("start-env", "bentofile.yaml", env.format("A\\nRUN id"), "command", "another (CVE-2026-44346)")
    one("start-env-not", "bentofile.yaml", env.format("A"), "", "a variable")
    one("start-env-key", "bentofile.yaml", "service: 1\ndocker:\n  env:\n    \"A\\nRUN id\": x\n", "command", "a key is a name, too")
    worker = "backend: \"tensorrtllm\"\nparameters {{ key: \"executor_worker_path\" value {{ string_value: \"{}\" }} }}\n"
    one("start-worker", "config.pbtxt", worker.format("/tmp/own"), "command", "TensorRT-LLM's worker")
    one("start-worker-not", "config.pbtxt", worker.format("/opt/tritonserver/backends/tensorrtllm/trtllmExecutorWorker"), "", "its own")


def libraries():
    ext = "backend: \"openvino\"\nparameters {{ key: \"CPU_EXTENSION_PATH\" value {{ string_value: \"{}\" }} }}\n"
    one("load-extension", "config.pbtxt", ext.format("own.so"), "library", "OpenVINO's extension")
    one("load-extension-not", "config.pbtxt", ext.format("own"), "", "no library")
    genai = {"model": {"decoder": {"session_options": {"provider_options": [{"qnn": {"backend_path": "own.so"}}]}}}, "search": {}}
    one("load-backend", "genai_config.json", genai, "library", "QNN's backend")
    one("load-backend-not", "genai_config.json", {"model": {"x": "own.so"}, "search": {}}, "", "no key of one")
    for name, key in (("external", "external_lib"), ("titan", "custom_import"), ("connector", "kv_connector_module_path")):
        one("load-" + name, "c.yaml", f"a:\n  {key}: own\n", "import-unlisted", "a module")
        one("load-" + name + "-not", "c.yaml", f"a:\n  {key}: null\n", "", "none")
    one("load-package", "config.json", {"include_package": ["own"]}, "import-unlisted", "AllenNLP's")
    one("load-package-not", "config.json", {"include_package": ["allennlp_models"]}, "", "its own")
    one("load-user", "config.yaml", "common:\n  user_dir: own\n", "auto-map", "fairseq imports the folder")
    one("load-user-not", "config.yaml", "common:\n  user_dir: null\npaths:\n  user_dir: own\n", "", "none; another program's")
    one("load-bare", "model-settings.json", {"name": "a", "implementation": "own"}, "import-unlisted", "MLServer: a module is a name")
    one("load-bare-not", "settings.json", {"name": "a", "implementation": "own"}, "", "another's word")


def packages():
    for name, line in (("marker", "numpy; touch x"), ("pipe", "numpy|id"), ("redirect", "numpy>x"), ("shell", "numpy; $(id) == 1")):
        one("pack-" + name, "requirements.txt", line + "\n", "requirement", "a shell's (CVE-2025-15379)")
    one("pack-marker-not", "requirements.txt", "numpy>=1,<2; python_version < '3.9' and sys_platform != \"win32\"\nx (>=1)\ny==1.*\n", "",
        "markers of PEP 508")
    one("pack-conda-not", "conda.yaml", "dependencies:\n- numpy 1.2.*|>2\n- x[version='>=1']\n- libblas=*=*mkl\n", "", "conda's versions")
    project = "[project]\nname = \"x\"\ndependencies = [\"{}\"]\n"
    one("pack-project", "pyproject.toml", project.format("own @ https://host.example/own.whl"), "requirement", "PEP 621")
    one("pack-project-not", "pyproject.toml", project.format("torch>=2"), "", "of the index")
    backend = "[build-system]\nrequires = []\nbuild-backend = \"own\"\n{}"
    one("pack-backend", "pyproject.toml", backend.format("backend-path = [\".\"]\n"), "auto-map", "PEP 517: built by code of the folder")
    one("pack-backend-not", "pyproject.toml", backend.format(""), "", "by a package")
    uv = "[[tool.uv.index]]\nname = \"x\"\nurl = \"https://{}/simple\"\n"
    one("pack-index", "pyproject.toml", uv.format("host.example"), "requirement", "another index")
    one("pack-index-not", "pyproject.toml", uv.format("pypi.org"), "", "the usual one")
    one("pack-pip", "pip.conf", "[global]\nindex-url = https://host.example/simple\n", "requirement", "pip's own settings")
    one("pack-pip-not", "pip.conf", "[global]\nindex-url = https://pypi.org/simple\ntimeout = 60\n", "", "the usual one")
    one("pack-git", "Pipfile", "[packages]\nx = {git = \"https://host.example/x\"}\n", "requirement", "a repository")
    one("pack-git-not", "Pipfile", "[packages]\nx = \"*\"\n[project]\ngit = \"https://host.example/x\"\n", "", "of the index")
    one("pack-spacy", "meta.json", {"lang": "en", "requirements": ["own @ https://host.example/own.whl"]}, "requirement", "installed with it")
    one("pack-spacy-not", "meta.json", {"lang": "en", "requirements": ["spacy-transformers>=1.2.0,<1.3.0"]}, "", "of the index")
    one("pack-ray", "serve.yaml", "runtime_env: {pip: ['git+https://host.example/x']}\n", "requirement", "Ray's")
    one("pack-ray-not", "serve.yaml", "runtime_env: {pip: ['x==1']}\n", "", "of the index")


def paths():
    one("open-description", "bentofile.yaml", "description: file:../x\n", "path-absolute", "BentoML reads it (CVE-2026-24123)")
    one("open-description-not", "bentofile.yaml", "description: see ../x\n", "", "words")
    one("open-conda", "bentofile.yaml", "conda:\n  environment_yml: /srv/x\n", "path-absolute", "and that")
    one("open-conda-not", "bentofile.yaml", "conda:\n  environment_yml: ./x.yml\n", "", "its own")
    one("open-mlflow", "MLmodel", "flavors:\n  langchain:\n    persist_dir: ../x\n", "path-escape", "MLflow's flavours")
    one("open-mlflow-not", "MLmodel", "flavors:\n  langchain:\n    persist_dir: x\n", "", "in the folder")
    one("open-example", "MLmodel", "flavors: {}\nsaved_input_example_info:\n  artifact_path: ../x\n", "path-escape", "an example that is read")
    one("open-example-not", "MLmodel", "flavors: {}\nartifact_path: /dbfs/x\n", "", "where the run wrote it")
    one("open-secret", "x.json", {"anything": "../../../../etc/passwd"}, "path-escape", "no file of a model")
    one("open-secret-not", "x.json", {"anything": "../../../../etc/hosts.json"}, "", "another program's")
    one("open-prompt", "p.json", {"template_path": "/srv/x.txt"}, "path-absolute", "a prompt without its type is one")
    one("open-prompt-not", "p.json", {"template_path": "/srv/x.html"}, "", "a web page's")
    one("open-include", "x.yaml", "a: !include ../x.yaml\n", "path-escape yaml-tag-local", "whoever includes it")
    one("open-include-not", "x.yaml", "a: !include x.yaml\n", "yaml-tag-local", "beside it")


def tags():
    one("tag-function", "task.yaml", "f: !function utils.f\n", "yaml-tag", "lm-evaluation-harness imports utils.py")
    one("tag-function-not", "task.yaml", "f: !reference utils\n", "yaml-tag-local", "a word")
    one("tag-import", "x.yaml", "f: !import os\n", "yaml-tag", "says that it imports")


def values():
    def adapter(pattern):
        return {"peft_type": "LORA", "target_modules": pattern}
    one("value-pattern", "adapter_config.json", adapter("(a+)+$"), "tokenizer-regex", "PEFT matches it against names")
    one("value-pattern-not", "adapter_config.json", adapter(".*\\.(q|v)_proj"), "", "one way through")
    one("value-list-not", "adapter_config.json", adapter(["(a+)+$"]), "", "names of a list are compared")
    sparse = {"model_type": "a", "quantization_config": {"ignore": ["re:(a|a)*b"]}}
    one("value-sparse", "config.json", sparse, "tokenizer-regex", "compressed-tensors")
    one("value-sparse-not", "config.json", {"model_type": "a", "quantization_config": {"ignore": ["re:.*mlp.gate$"]}}, "", "honest")
    one("value-id", "config.json", {"model_type": "a", "eos_token_id": [1, 99999999999]}, "tokenizer-id-range", "beyond any vocabulary")
    one("value-id-not", "config.json", {"model_type": "a", "eos_token_id": [1, -1], "pad_token_id": None}, "", "none")


def included():
    listed = "b: (!!python/object/apply:os.system [id])\n"
    folder("include-list", {"hyperparams.yaml": "a: !include:x.yaml\n", "x.yaml": listed}, "yaml-python-tag", "read by HyperPyYAML, too")
    folder("include-list-not", {"hyperparams.yaml": "a: !include:x.yaml\n", "x.yaml": "b: (hello! world)\n"}, "", "no tag")
    folder("include-other-not", {"hyperparams.yaml": "a: !include:y.yaml\n", "y.yaml": "b: 1\n", "x.yaml": listed}, "", "not that file")
    folder("include-lines", {"requirements.txt": "-r x.txt\n", "x.txt": "https://host.example/x.zip\n"}, "requirement", "pip reads it")
    folder("include-above", {"a/requirements.txt": "-r ../x.txt\n", "x.txt": "https://host.example/x.zip\n"}, "requirement",
           "pip reads the one above")
    folder("include-lines-not", {"requirements.txt": "-r x.txt\n", "x.txt": "numpy>=1\n"}, "", "of the index")
    folder("include-prose-not", {"requirements.txt": "numpy\n", "x.txt": "https://host.example/x.zip\n"}, "", "nobody reads it so")


for section in (shapes, evaluated, templates, programs, libraries, packages, paths, tags, values, included):
    section()
CORPUS.write()
