"""Configurations that make a library run code, and their near misses: in the library itself, and what we say of the same files.

A case is two folders.  Of the first the library runs what the files name, which leaves the canary, and we do not accept it; of
the second it does not, and we do.  Where today's release refuses the first, the case says with which words, and what opens
it: older releases, or the consent that people give."""
import tap
from config_cases import BESIDE, HUB, TOUCH, Case, mlmodel, tests


def modules(kind):
    return {"modules.json": '[{"idx": 0, "name": "0", "path": "", "type": "' + kind + '"}]',
            "config_sentence_transformers.json": "{}"}


def index(scheduler):
    return ('{"_class_name": %s, "_diffusers_version": "0.30.0", "scheduler": ["diffusers", "DDPMScheduler"],'
            ' "unet": [null, null]}' % scheduler)


def adapter(library, name):
    return ('{"peft_type": "LORA", "task_type": null, "base_model_name_or_path": "/nowhere", "auto_mapping":'
            ' {"parent_library": "%s", "base_model_class": "%s"}}' % (library, name))


YAML = "value = repr(yaml.unsafe_load(open(path + '/hyperparams.yaml')))"
HYDRA = "value = repr(hydra.utils.instantiate(omegaconf.OmegaConf.load(path + '/config.yaml')))"
MONAI = "p = ConfigParser()\np.read_config(path + '/inference.json')\np.parse()\nvalue = repr(p.get_parsed_content('x'))"
JSONPICKLE = "value = repr(jsonpickle.decode(open(path + '/model.json').read()))"
DIFFUSERS = "value = repr(diffusers.DiffusionPipeline.from_pretrained(path{}))"
SENTENCES = "value = repr(sentence_transformers.SentenceTransformer(path, device='cpu'{}))"
PEFT = BESIDE + "value = repr(peft.AutoPeftModel.from_pretrained(path{}))"
TRUST = ", trust_remote_code=True"
# Its modules without what they all import, torchaudio among it.
SPEECHBRAIN = ("import importlib.util, sys, types\nroot = importlib.util.find_spec('speechbrain').submodule_search_locations[0]\n"
               "for name, folder in (('speechbrain', root), ('speechbrain.utils', root + '/utils')):\n"
               "    sys.modules[name] = types.ModuleType(name)\n    sys.modules[name].__path__ = [folder]\n"
               "sys.modules['speechbrain'].utils = sys.modules['speechbrain.utils']\n")

SPACY = ('[nlp]\nlang = "en"\npipeline = []\n\n[{}]\n@callbacks = "spacy.copy_from_base_model.v1"\ntokenizer = "own_package"\n\n'
         '[components]\n')
AGENT = ('{"class": "ToolCallingAgent", "tools": [%s], "managed_agents": [], "model": {"class": "InferenceClientModel",'
         ' "data": {"model_id": "nowhere"}}}')

CASES = {
    "yaml_python_apply": Case(
        ("yaml",), "import yaml", YAML,
        {"hyperparams.yaml": 'x: !!python/object/apply:os.system ["touch canary"]\n'},
        {"hyperparams.yaml": 'x: !!python/tuple ["touch canary"]\n'}),
    "yaml_python_apply_by_directive": Case(
        ("yaml",), "import yaml", YAML,
        {"hyperparams.yaml": '%TAG !p! tag:yaml.org,2002:pyth\n---\nx: !p!on/object/apply:os.system ["touch canary"]\n'},
        {"hyperparams.yaml": '%TAG !p! tag:yaml.org,2002:\n---\nx: !p!str touch canary\n'}),
    "hyperpyyaml_apply": Case(
        ("hyperpyyaml",), "import hyperpyyaml",
        "value = repr(hyperpyyaml.load_hyperpyyaml(open(path + '/hyperparams.yaml')))",
        {"hyperparams.yaml": 'x: !apply:os.system ["touch canary"]\n'},
        {"hyperparams.yaml": "a: touch\nx: !ref <a>/canary\n"}),
    # 1.3.8 refuses a list of names (os.system is one); what writes files is not on it.
    "hydra_target": Case(
        ("hydra",), "import hydra.utils, omegaconf", HYDRA,
        {"config.yaml": "x:\n  _target_: shutil.copyfile\n  src: /etc/hostname\n  dst: canary\n"},
        {"config.yaml": "x:\n  _target_: collections.OrderedDict\n  dst: canary\n"}),
    "jsonpickle_reduce": Case(
        ("jsonpickle",), "import jsonpickle", JSONPICKLE,
        {"model.json": '{"py/reduce": [{"py/type": "os.system"}, {"py/tuple": ["touch canary"]}]}'},
        {"model.json": '{"py/reduce": [{"py/type": "pathlib.PosixPath"}, {"py/tuple": ["touch canary"]}]}'}),
    "monai_target": Case(
        ("monai",), "from monai.bundle import ConfigParser", MONAI,
        {"inference.json": '{"x": {"_target_": "os.system", "command": "touch canary"}}'},
        {"inference.json": '{"x": {"_target_": "LoadImaged", "keys": "x"}}'}),
    "monai_expression": Case(
        ("monai",), "from monai.bundle import ConfigParser", MONAI,
        {"inference.json": '{"x": "$__import__(\'os\').system(\'touch canary\')"}'},
        {"inference.json": '{"x": "@y", "y": "touch canary"}'}),
    "gin_import": Case(
        ("gin",), "import gin", BESIDE + "gin.parse_config_file(path + '/config.gin')",
        {"config.gin": "import evil\n", "evil.py": TOUCH},
        {"config.gin": "# import evil\nx = 1\n"}),
    "mlflow_loader_module": Case(
        ("mlflow",), "import mlflow.pyfunc", "value = repr(mlflow.pyfunc.load_model(path))",
        {"MLmodel": mlmodel("    loader_module: evil\n    code: code\n"),
         "code/evil.py": TOUCH + "class Model:\n    def predict(self, x):\n        return x\n"
                                 "def _load_pyfunc(path):\n    return Model()\n"},
        {"MLmodel": mlmodel("    loader_module: mlflow.sklearn\n    code: null\n")}, unfinished="model_path"),
    "transformers_auto_map": Case(
        ("transformers",), "import transformers",
        "value = repr(transformers.AutoConfig.from_pretrained(path, trust_remote_code=True))",
        {"config.json": '{"model_type": "bert", "auto_map": {"AutoConfig": "evil.C"}}',
         "evil.py": "from transformers import PretrainedConfig\n" + TOUCH + "class C(PretrainedConfig):\n"
                    "    model_type = 'evil'\n"},
        {"config.json": '{"model_type": "bert", "auto_map": {}}'}),
    # Layers that an alias stands for, as the loader's YAML has them; a name of what its module has imported is called.
    "yolo_alias": Case(
        ("ultralytics",), "import torch, ultralytics.nn.tasks as tasks, yaml",
        "tasks.evil = lambda *a: open('canary', 'w').close() or torch.nn.Identity()\n"
        "value = repr(tasks.parse_model(yaml.safe_load(open(path + '/y.yaml')), 3))",
        {"y.yaml": "nc: 3\nscales: {}\nx: &b\n  - [-1, 1, evil, ['touch']]\nbackbone: *b\nhead: []\n"},
        {"y.yaml": "nc: 3\nscales: {}\nx: &b\n  - [-1, 1, Conv, [8]]\nbackbone: *b\nhead: []\n"}),
    "yolo_download": Case(
        ("ultralytics",), "import pathlib\nfrom ultralytics.data.utils import check_det_dataset",
        BESIDE + "pathlib.Path(path + '/val').exists() or check_det_dataset(path + '/d.yaml')",
        {"d.yaml": "path: nowhere\ntrain: a\nval: b\nnames: {0: a}\ndownload: import evil\n", "evil.py": TOUCH},
        {"d.yaml": "path: nowhere\ntrain: a\nval: b\nnames: {0: a}\ndownload: yolo/evil.sh\n"}, unfinished="yolo"),
    "monai_prose": Case(
        ("monai",), "from monai.bundle import ConfigParser", MONAI.replace("'x'", "'input'"),
        {"inference.json": '{"x": {"_target_": "LoadImaged", "keys": "a"}, "input": "$open(\'canary\', \'w\')"}'},
        {"inference.json": '{"x": {"_target_": "LoadImaged", "keys": "a"}, "input": "open(\'canary\', \'w\')"}'}),
    "monai_word": Case(
        ("monai",), "from monai.bundle import ConfigParser", BESIDE + MONAI,
        {"inference.json": '{"x": {"_target_": "Own"}}', "Own.py": TOUCH},
        {"inference.json": '{"x": {"_target_": "LoadImaged", "keys": "x"}}'}),
    "omegaconf_variable": Case(
        ("omegaconf",), "import omegaconf, os", "os.environ['AWS_SECRET_ACCESS_KEY'] = 'canary'\n"
        "open(omegaconf.OmegaConf.load(path + '/c.yaml').x, 'w')",
        {"c.yaml": "n: env\nv: AWS_SECRET_ACCESS_KEY\nx: ${oc.${n}:${v}}\n"},
        {"c.yaml": "n: env\nv: other\nx: ${v}\n"}),
    "monai_reader": Case(   # LoadImage takes a dotted path for a reader, and locate()s it
        ("monai",), "from monai.bundle import ConfigParser", BESIDE + MONAI,
        {"inference.json": '{"x": {"_target_": "LoadImaged", "keys": "x", "reader": "own_package.Reader"}}', "own_package.py": TOUCH},
        {"inference.json": '{"x": {"_target_": "LoadImaged", "keys": "x", "reader": "NumpyReader"}}', "own_package.py": TOUCH}),
    "speechbrain_lazy": Case(   # a class of speechbrain's own that imports what it is told when it is asked for an attribute
        ("speechbrain",), SPEECHBRAIN + "import hyperpyyaml",
        BESIDE + "value = repr(hyperpyyaml.load_hyperpyyaml(open(path + '/hyperparams.yaml')))",
        {"hyperparams.yaml": "a: !new:speechbrain.utils.importutils.LazyModule [x, own_package, null]\nb: !ref <a.made>\n",
         "own_package.py": TOUCH + "made = 1\n"},
        {"hyperparams.yaml": "a: !new:collections.OrderedDict\nb: !ref <a>\n", "own_package.py": TOUCH}),
    # The primary file says where others are looked for.
    "hydra_searchpath": Case(
        ("hydra",), "import hydra",
        BESIDE + "with hydra.initialize_config_dir(path, version_base=None):\n    hydra.compose('config', return_hydra_config=True)",
        {"config.yaml": "hydra:\n  searchpath:\n  - structured://own_package\n", "own_package.py": TOUCH},
        {"config.yaml": "hydra:\n  searchpath:\n  - conf\n", "own_package.py": TOUCH}),
    "omegaconf_coerce": Case(
        ("omegaconf.resolvers.oc",), "import omegaconf\n", BESIDE + "value = omegaconf.OmegaConf.load(path + '/x.yaml').x",
        {"x.yaml": "x: ${oc.coerce:own_package.Kind,a}\n",
         "own_package.py": TOUCH + "import enum\nclass Kind(enum.Enum):\n    a = 1\n"},
        {"x.yaml": "x: ${oc.coerce:int,1}\n", "own_package.py": TOUCH}),
    "jsonargparse_class": Case(   # as LightningCLI has its trainer's logger
        ("jsonargparse",), "import jsonargparse, logging",
        BESIDE + "p = jsonargparse.ArgumentParser(exit_on_error=False)\n"
        "p.add_argument('--trainer.logger', type=logging.Handler)\n"
        "p.add_argument('--config', action='config')\nvalue = repr(p.parse_args(['--config', path + '/config.yaml']))",
        {"config.yaml": "trainer:\n  logger: own_package.Logger\n",
         "own_package.py": TOUCH + "import logging\nclass Logger(logging.Handler):\n    pass\n"},
        {"config.yaml": "trainer:\n  logger: logging.NullHandler\n", "own_package.py": TOUCH}),
    "spacy_copied": Case(   # a package is what has been installed
        ("spacy",), "import os, spacy",
        BESIDE + "os.mkdir('own_package-1.dist-info')\nopen('own_package-1.dist-info/METADATA', 'w').write('Name: own_package\\n')\n"
        "sys.path.append('.')\nvalue = repr(spacy.util.load_model_from_config(spacy.util.load_config(path + '/config.cfg'), auto_fill=True))",
        {"config.cfg": SPACY.format("nlp.after_creation"), "own_package.py": TOUCH},
        {"config.cfg": SPACY.format("initialize.before_init"), "own_package.py": TOUCH}),
    "smolagents_tool": Case(
        ("smolagents",), "import json, smolagents",
        "value = repr(smolagents.ToolCallingAgent.from_dict(json.load(open(path + '/agent.json'))))",
        {"agent.json": AGENT % '{"name": "x", "code": "open(\'canary\', \'w\').close()"}'}, {"agent.json": AGENT % ""}),
    "webdataset_pipe": Case(
        ("webdataset",), "from webdataset.gopen import gopen\nimport yaml",
        "value = repr(gopen(yaml.safe_load(open(path + '/data.yaml'))['urls']).read())",
        {"data.yaml": "urls: 'pipe:touch canary'\n"}, {"data.yaml": "urls: /dev/null\n"}),
    "promptflow_connection": Case(
        ("promptflow.core",), "import yaml, promptflow.core._connection as c",
        BESIDE + "value = c.CustomStrongTypeConnection._get_custom_keys(yaml.safe_load(open(path + '/c.yaml')))",
        {"c.yaml": "custom_type: Own\nmodule: own_package\n", "own_package.py": TOUCH},
        {"c.yaml": "custom_type: Own\nmodule: promptflow.core\n", "own_package.py": TOUCH}, unfinished="Own"),
    "hyperpyyaml_include": Case(
        ("hyperpyyaml",), "import hyperpyyaml",
        "with open(path + '/hyperparams.yaml') as f:\n    value = repr(hyperpyyaml.load_hyperpyyaml(f))",
        {"hyperparams.yaml": "a: !include:README.md\n", "README.md": "x: !apply:os.system [touch canary]\n"},
        {"hyperparams.yaml": "a: !include:x.yaml\n", "x.yaml": "x: [touch canary]\n"}),
    "hyperpyyaml_reference": Case(   # what is in quotes is put into brackets, and read as YAML once more
        ("hyperpyyaml",), "import hyperpyyaml", "value = repr(hyperpyyaml.load_hyperpyyaml(open(path + '/x.yaml')))",
        {"x.yaml": "m: !name:torch.nn.ReLU\na: \"!!python/object/apply:os.system ['touch canary']\"\nx: !ref (<a>)\n"},
        {"x.yaml": "m: !name:torch.nn.ReLU\na: \"python object apply os.system ['touch canary']\"\nx: !ref (<a>)\n"}),
    "hyperpyyaml_refused": Case(   # ruamel.yaml takes a tab there, libyaml does not
        ("hyperpyyaml",), "import hyperpyyaml", "value = repr(hyperpyyaml.load_hyperpyyaml(open(path + '/x.yaml')))",
        {"x.yaml": "b: {a:\t1}\nx: !apply:os.system [touch canary]\n"},
        {"x.yaml": "b: {a:\t1}\nx: [touch canary]\n"}),
    "logging_factory": Case(
        (), "import json, logging.config", BESIDE + "logging.config.dictConfig(json.load(open(path + '/l.json')))",
        {"l.json": '{"version": 1, "formatters": {"a": {"()": "evil.make"}}, "handlers": {"h": {"class": "logging.StreamHandler",'
                   ' "formatter": "a"}}}', "evil.py": TOUCH + "import logging\nmake = logging.Formatter\n"},
        {"l.json": '{"version": 1, "formatters": {"a": {"()": "logging.Formatter"}}, "handlers": {"h": {"class":'
                   ' "logging.StreamHandler", "formatter": "a"}}}'}),
    # CVE-2026-45804: nobody was asked; today's release asks.
    "diffusers_class_name": Case(
        ("diffusers",), HUB + "import diffusers", DIFFUSERS.format(""),
        {"model_index.json": index('["pipeline", "EvilPipeline"]'),
         "pipeline.py": "from diffusers import DDPMPipeline\n" + TOUCH + "class EvilPipeline(DDPMPipeline):\n    pass\n",
         "scheduler/scheduler_config.json": '{"_class_name": "DDPMScheduler"}'},
        {"model_index.json": index('"DDPMPipeline"'),
         "scheduler/scheduler_config.json": '{"_class_name": "DDPMScheduler"}'},
        opened=DIFFUSERS.format(TRUST), refusal="trust_remote_code", unfinished="expected"),
    "sentence_transformers_modules": Case(
        ("sentence_transformers",), HUB + "import sentence_transformers", SENTENCES.format(""),
        {**modules("modeling_evil.Evil"),
         "modeling_evil.py": "import torch\n" + TOUCH + "class Evil(torch.nn.Module):\n    @classmethod\n"
                             "    def load(cls, *a, **k):\n        return cls()\n"},
        modules("sentence_transformers.models.Normalize"),
        opened=SENTENCES.format(TRUST), refusal="not part of Sentence Transformers"),
    "peft_parent_library": Case(
        ("peft",), HUB + "import peft", PEFT.format(""),
        {"adapter_config.json": adapter("evil_pkg", "X"), "evil_pkg.py": TOUCH},
        {"adapter_config.json": adapter("transformers.models.llama.modeling_llama", "LlamaModel")},
        opened=PEFT.format(", import_allowlist=['evil_pkg']"), refusal="import allowlist", unfinished="/nowhere"),
}

tap.main(tests(CASES))
