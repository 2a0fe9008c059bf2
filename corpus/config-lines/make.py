#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: configurations in lines - settings, gin, requirements, Modelfiles, Triton's - that
make a loader run code, each beside one that does not, by the rules of formats/configs.  The names of files are what loaders look for.
Always the same bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import io
import json
import os
import pickle
import sys
import tarfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "pickle-data-only", "config-environment", "config-trust-flag-recorded"}
REJECTED = {"config-target", "config-import", "config-expression-dangerous", "config-library", "config-path-escape",
            "config-requirement-insecure", "config-remote-code", "format-extension-mismatch"}


class Lines(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Lines(sections=True)


def case(name, file, text, words="", why=""):
    """One configuration, under the name that its loader looks for; codes without `config-`."""
    CORPUS.case(f"{name}/{file}", text, " ".join("config-" + w for w in words.split()) + " format-side-file", why)


def gin():
    def one(name, text, words="", why=""):
        case("gin-" + name, "config.gin", text, words, why)
    one("own", "import own_module\n\ntrain.steps = 3\n", "import-unlisted", "imported")
    one("os", "import os\n", "import", "imported, and dangerous")
    one("known", "from __gin__ import dynamic_registration\nimport t5x.models\nfrom seqio import vocabularies as v\n"
        "include 'base/small.gin'\nMODEL = %gin.REQUIRED\ntrain.model = @models.EncoderDecoder()\n", "", "its own libraries")
    one("from", "from own_package import layers\n", "import-unlisted", "imported")
    one("from-os", "from os import system\n", "import", "imported, and dangerous")
    one("as", "import own_module as jax\n", "import-unlisted", "another name for it")
    one("joined", "import \\\n  own_module\n", "import-unlisted", "a line that goes on")
    one("late", "train.x = (1,\n  2)  # import nothing\nimport own_module\n", "import-unlisted", "behind a value of two lines")
    one("text", "train.note = 'x\\\n import own_module'\ntrain.other = \"\"\"\nimport own_module\n\"\"\"\n", "", "in texts")
    one("comment", "# import own_module\ntrain.x = [\n  1, # import own_module\n]\n", "", "in comments")
    one("include", "include '../base.gin'\n", "path-escape", "leaves the folder")
    one("include-escaped", "include '\\x2e\\x2e/base.gin'\n", "path-escape", "leaves the folder, in escapes")
    one("include-raw", "include r'..\\x2fbase.gin'\n", "path-escape", "raw: two dots and a backslash")
    one("include-absolute", "include \"/srv/base.gin\"\n", "path-absolute", "absolute")
    one("include-own", "include 'a..b/base.gin'\n", "", "dots in a name")
    one("reference", "train.x = @os.system()\n", "import", "a registered name that is denied")
    one("reference-own", "train.x = @scope/optimize.AdafactorOptimizer()\n", "", "a registered name")
    one("value", "train.loader = 'subprocess.Popen'\n", "target", "a name that only a call is for")
    one("value-word", "train.loader = 'fast'\n", "", "a word")


def settings():
    def toml(name, text, words="", why=""):
        case("toml-" + name, "x.toml", text, words, why)

    def ini(name, text, words="", why="", file="x.ini"):
        case("ini-" + name, file, text, words, why)
    toml("target", "[model]\n_target_ = \"os.system\"\n", "target", "called")
    toml("target-layer", "[model]\n_target_ = \"torch.nn.Linear\"\n", "", "a layer")
    toml("dotted", "model.inner._target_ = 'os.system'\n", "target", "a key of three")
    toml("escaped", "\"_tar\\u0067et_\" = \"os.sy\\u0073tem\"\n", "target", "in escapes")
    toml("inline", "model = { a = 1, _target_ = \"os.system\" }\n", "target", "in a table of one line")
    toml("array", "models = [\n  { x = 1 }, # one\n  { _target_ = \"os.system\" },\n]\n", "target", "in an array of lines")
    toml("tables", "[[models]]\n_target_ = \"os.system\"\n", "target", "in an array of tables")
    toml("long", "[model]\n_target_ = \"\"\"os.system\"\"\"\n", "target", "three quotes")
    toml("long-text", "note = \"\"\"\n_target_ = \"os.system\"\n\"\"\"\n", "", "in a text")
    toml("literal", "[model]\n_target_ = 'os.system'\nx = '\\'\ny = 1\n", "target", "a backslash in single quotes is one")
    toml("trust", "trust_remote_code = true\n", "trust-flag", "the switch")
    toml("trust-off", "trust_remote_code = false\n", "", "the switch is off")
    toml("unclosed", "x = [\n_target_ = \"os.system\"\n", "target", "a bracket that nothing closes")
    toml("project", "[project]\nname = \"x\"\ndependencies = [\"torch>=2\", \"numpy\"]\n[tool.setuptools]\npackages = [\"x\"]\n"
         "[tool.mypy]\nplugins = [\"pydantic.mypy\"]\n[project.scripts]\nx = \"x.main:run\"\n", "", "a project's own")
    ini("target", "[model]\n_target_ = os.system\n", "target", "called")
    ini("target-comment", "[model]\n_target_: os.system ; the model\n", "target", "a colon, and a comment")
    ini("target-next", "[model]\n_target_ =\n    os.system\n", "target", "on the next line")
    ini("target-layer", "[model]\n_target_ = torch.nn.Linear\n", "", "a layer")
    ini("brackets", "x = [\"\n_target_ = os.system\ny = \"]\n", "target", "what TOML refuses is lines to others")
    ini("triple", "x = \"\"\"\n_target_ = os.system\ny = \"\"\"\n", "target", "three quotes mean nothing here")
    ini("trust", "[a]\ntrust_remote_code = yes\n", "trust-flag", "the switch")
    ini("trust-off", "[a]\ntrust_remote_code = no\n", "", "the switch is off")
    ini("secret", "[a]\nx = ${oc.env:API_TOKEN}\n", "environment-secret", "of the machine")
    ini("home", "[a]\nx = ${oc.env:HOME}\n", "environment", "of the machine")
    ini("setup", "[metadata]\nname = x\nlong_description = file: README.md\n[options]\ninstall_requires =\n    torch>=2\n    numpy\n"
        "[options.entry_points]\nconsole_scripts =\n    x = x.main:run\n", "", "a project's own", file="setup.cfg")
    case("settings-words", "settings", "# mine\nloader = os.system\n", "target", "settings by their beginning")
    case("settings-prose", "notes.txt", "loader = os.system\n", "", "prose, by its name")
    spacy = ("[paths]\ntrain = null\n\n[nlp]\nlang = \"en\"\npipeline = [\"tok2vec\",\"ner\"]\n\n[components]\n\n[components.ner]\n"
             "factory = \"ner\"\n\n[components.ner.model]\n@architectures = \"spacy.TransitionBasedParser.v2\"\n"
             "tok2vec = {\"@layers\":\"spacy.Tok2VecListener.v1\",\"width\":${components.tok2vec.width}}\n")
    case("spacy-honest", "config.cfg", spacy, "", "registries only")
    case("spacy-target", "config.cfg", spacy + "extra = {\"_target_\":\"os.system\"}\n", "target", "in a value of JSON")
    case("spacy-factory", "config.cfg", spacy.replace('"ner"\n', '"subprocess.Popen"\n'), "target", "a key that some import")


def requirements():
    def one(name, text, words="", why="", file="requirements.txt"):
        case("requirements-" + name, file, text, words, why)
    one("honest", "# git+https://x.invalid/y\ntorch==2.4.0\nnumpy>=1.26,<3 ; python_version < \"3.13\"\n-r extra.txt\n"
        "transformers[torch]~=4.44 # http://x.invalid\n--extra-index-url https://download.pytorch.org/whl/cu121\n--pre\n"
        "six==1.16.0 \\\n    --hash=sha256:" + "0" * 64 + "\n\n", "", "names, and the usual places")
    one("address", "own @ https://x.invalid/own.whl\n", "requirement", "an address")
    one("address-usual", "torch @ https://download.pytorch.org/whl/torch.whl\n", "", "an address of the usual")
    one("lookalike", "--index-url https://pypi.org.x.invalid/simple\n", "requirement", "a host that only begins so")
    one("query", "--index-url https://x.invalid/?//pypi.org/\n", "requirement", "a host that is in the path")
    one("user", "--index-url https://pypi.org@x.invalid/simple\n", "requirement", "a user of that name")
    one("git", "git+https://x.invalid/y\n", "requirement", "a repository")
    one("editable", "-e .\n", "requirement", "what lies there is set up")
    one("folder", "./own\n", "requirement", "a folder is set up")
    one("file", "own-1.0.tar.gz\n", "requirement", "a file is set up")
    one("short", "-ihttps://x.invalid/simple\n", "requirement", "an option and its value in one")
    one("short-equals", "--find-links=https://x.invalid/\n", "requirement", "an equals sign")
    one("begun", "--extra https://x.invalid/simple\n", "requirement", "the beginning of an option is enough")
    one("joined", "own @ \\\nhttps://x.invalid/own.whl\n", "requirement", "a line that goes on")
    one("separator", "six\u2028own @ https://x.invalid/own.whl\n", "requirement", "lines as Python breaks them")
    one("remote-list", "-r https://x.invalid/requirements.txt\n", "requirement", "a list elsewhere")
    one("plain-http", "own @ http://x.invalid/own.whl\n", "requirement-insecure", "without TLS")
    one("plain-folded", "--index-url HTTP://x.invalid/simple\n", "requirement-insecure", "without TLS, in capitals")
    one("trusted", "--trusted-host x.invalid\n", "requirement-insecure", "without a check of certificates")
    one("climbs", "-r ../../../../../tmp/other.txt\n", "requirement-insecure", "leaves the project")
    one("climbs-not", "-r ../../other.txt\n", "", "a list of the same project")
    one("absolute", "-r /tmp/other.txt\n", "requirement-insecure", "where others can write")
    one("editable-climbs", "-e ../own\n", "requirement-insecure", "leaves the folder")
    one("variable", "own @ ${PLACE}\n", "requirement", "a place nobody sees")
    one("dev", "own @ https://x.invalid/own.whl\n", "requirement", "another name of such", file="requirements-dev.txt")
    case("modelscope-plugins", ".modelscope_plugins", "https://x.invalid/own.whl\n", "requirement", "installed")
    case("modelscope-plugin", ".modelscope_plugins", "adaseq\n", "", "a name")
    case("conda-names", "environment.yml", "channels:\n- conda-forge\ndependencies:\n- python=3.10.*=*_cpython\n- conda-forge::numpy>=1\n"
         "- pytorch::pytorch[version='>=2']\n- pip:\n  - -r requirements.txt\n", "", "names")
    case("conda-address", "environment.yml", "dependencies:\n- pip:\n  - own @ https://x.invalid/?//pypi.org/\n", "requirement", "an address")


def modelfile():
    def one(name, text, words="", why="", file="Modelfile"):
        case("modelfile-" + name, file, text, words, why)
    one("honest", "# mine\nFROM ./model.gguf\nPARAMETER stop \"</s>\"\nTEMPLATE \"\"\"\nFROM ../../etc/passwd\n{{ .Prompt }}\n\"\"\"\n"
        "SYSTEM You are told FROM /etc\n", "", "a file beside it")
    one("name", "FROM llama3.2:3b\nADAPTER ./adapter.gguf\n", "", "a model by its name")
    one("hub", "FROM hf.co/someone/some-GGUF:Q4_K_M\n", "", "of the Hub")
    one("climbs", "FROM ../../other.gguf\n", "path-escape", "leaves the folder")
    one("quoted", "from \"../other.gguf\"\n", "path-escape", "small letters, in quotes")
    one("quoted-long", "FROM \"\"\"\n../other.gguf\"\"\"\n", "path-escape", "over lines")
    one("indented", "  \t FROM   ../other.gguf  \n", "path-escape", "blanks around")
    one("absolute", "FROM llama3\nADAPTER /srv/adapter.gguf\n", "path-absolute", "absolute")
    one("home", "FROM ~/other.gguf\n", "path-absolute", "in the home of whoever creates it")
    one("unclosed", "SYSTEM \"You are\nFROM ../other.gguf\n", "path-escape", "a quote that nothing ends")
    one("elsewhere", "FROM ../other.gguf\n", "path-escape", "by its content", file="recipe")
    one("small", "FROM ../other.gguf\n", "path-escape", "by another name", file="tiny.modelfile")
    one("image", "FROM ubuntu:24.04\nRUN apt-get update\nCOPY ../x /x\n", "", "not of Ollama", file="Dockerfile")


def triton():
    def one(name, text, words="", why=""):
        case("triton-" + name, "config.pbtxt", text, words, why)
    honest = ("name: \"own\"\nplatform: \"onnxruntime_onnx\"\nmax_batch_size: 8\ninput [\n  {\n    name: \"x\"\n    data_type: TYPE_FP32\n"
              "    dims: [ -1, 4 ]\n  }\n]\ninstance_group [ { kind: KIND_GPU, gpus: [ 0, 1 ] } ]\nparameters: {\n  key: \"note\"\n"
              "  value: { string_value: \"python\" }\n}\n")
    environment = "backend: \"onnxruntime\"\nparameters { key: \"EXECUTION_ENV_PATH\" value { string_value: \"%s\" } }\n"
    one("honest", honest, "", "a library of the server's")
    one("python", "backend: \"python\"\n", "auto-map", "model.py runs")
    one("python-parts", "backend : 'py' # parts\n \"th\\157n\"\n", "auto-map", "model.py runs, in two strings and an escape")
    one("python-elsewhere", "name: \"python\"\nbackend: \"tensorrt\"\n", "", "a name")
    one("backend-path", "backend: \"../own\"\n", "path-escape", "a library anywhere")
    one("environment", environment % "/srv/own.tar.gz", "library", "programs from elsewhere")
    one("environment-own", environment % "$$TRITON_MODEL_DIRECTORY/own.tar.gz", "library-vendor", "programs beside it")
    one("environment-climbs", environment % "$$TRITON_MODEL_DIRECTORY/../own.tar.gz", "library", "programs from elsewhere")
    one("environment-turned", "parameters < value: < string_value: \"/srv/x.tar.gz\" > key: \"EXECUTION_ENV_PATH\" >\n", "library",
        "the value before its key")
    one("filename", "default_model_filename: \"../model.onnx\"\n", "path-escape", "leaves the folder")
    one("filename-own", "default_model_filename: \"model.onnx\"\n", "", "beside it")


def held():
    """In pickles that are only data, or are read by what they hold."""
    def one(name, value, words="", why="", protocol=2):
        codes = " ".join("config-" + w for w in words.split()) + " pickle-data-only"
        CORPUS.case(f"held-{name}/model.pkl", value if isinstance(value, bytes) else pickle.dumps(value, protocol), codes, why)
    honest = "lightning.pytorch.cli.instantiate_module"
    one("instantiator", {"hyper_parameters": {"_instantiator": "os.system"}}, "target", "Lightning imports and calls it")
    one("instantiator-honest", {"hyper_parameters": {"_instantiator": honest, "layers": 3}}, "", "Lightning's own")
    one("instantiator-own", {"hyper_parameters": {"_instantiator": "own_package.make"}}, "target-unlisted", "nobody vouches for it")
    one("text", {"hyper_parameters": {"instantiator": "os.system", "note": "_target_"}}, "", "other keys")
    one("ascii", {"model": [{"_target_": "os.system"}]}, "target", "protocol 0", 0)
    one("many", {str(i): i for i in range(99)} | {"_target_": "os.system"}, "target", "behind a hundred others")
    one("memo", b"\x80\x02}(X\x01\0\0\0aX\x09\0\0\0os.systemq\x00X\x08\0\0\0_target_h\x00u.", "target", "by the memo")
    one("layer", {"model": {"_target_": "torch.nn.Linear"}}, "", "a layer")
    known = {"module": "pyannote.audio.models.segmentation", "class": "PyanNet"}
    one("architecture", {"pyannote.audio": {"architecture": {"class": "system", "module": "os"}}}, "import", "pyannote imports it")
    one("architecture-known", {"pyannote.audio": {"architecture": known}}, "", "its own")
    one("architecture-elsewhere", {"school": {"class": "own", "module": "maths"}}, "", "not below architecture")


def packed(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, text in files.items():
            z.writestr(zipfile.ZipInfo(name.replace("__", ".")), text)
    return out.getvalue()


def tarred(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "."))
            info.size = len(text)
            t.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def members():
    """What an archive holds is judged by its own name.  An archive that nobody knows is held whatever comes out."""
    def one(name, file, data, words="", held="format-identified-only format-unknown"):
        CORPUS.case(f"member-{name}/{file}", data, " ".join("config-" + w for w in words.split()) + " " + held,
                    "a member of an archive")
    internal = {"model_type": "llama", "_attn_implementation_internal": "mallory/kernel"}
    one("kernel", "a.zip", packed(first="x\n", config__json=json.dumps(internal)), "remote-code")
    one("kernel-word", "a.zip", packed(first="x\n", config__json=json.dumps({**internal, "_attn_implementation_internal": "eager"})))
    one("dduf", "a.dduf", packed(model_index__json=json.dumps({"_class_name": ["own", "P"], "_diffusers_version": "0.30.0"})),
        "auto-map", held="")
    one("yaml", "a.zip", packed(first="x\n", recipe__yaml="model:\n  _target_: os.system\n"), "target")
    one("gin", "a.zip", packed(first="x\n", train__gin="import own_module\n"), "import-unlisted")
    one("requirements", "a.zip", packed(first="x\n", requirements__txt="own @ http://x.invalid/own.whl\n"),
        "requirement-insecure")
    nemo = "target: nemo.collections.asr.models.ctc_bpe_models.EncDecCTCModelBPE\n"
    weights = {"model_weights.ckpt": "(dp0\n."}
    one("nemo", "a.nemo", tarred(model_config__yaml=nemo + "x:\n  trust_remote_code: on\n", **weights), "trust-flag",
        "pickle-data-only")
    one("nemo-off", "a.nemo", tarred(model_config__yaml=nemo + "x:\n  trust_remote_code: off\n", **weights), "", "pickle-data-only")


def clothes():
    """Archives that no loader opens, named as a model."""
    seven, rar = b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24), b"Rar!\x1a\x07\1\0" + bytes(24)
    for name, file, data, codes in (("bin", "pytorch_model.bin", seven, "archive-7z format-extension-mismatch"),
                                    ("pt", "model.pt", rar, "archive-rar format-extension-mismatch"),
                                    ("own", "weights.7z", seven, "archive-7z"),
                                    ("json", "config.json", seven, "archive-7z format-name-differs")):
        CORPUS.case(f"clothes-{name}/{file}", data, codes, "an archive in the clothes of a model, or in its own")


for part in (gin, settings, requirements, modelfile, triton, held, members, clothes):
    part()
CORPUS.write()
