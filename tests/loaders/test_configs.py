"""Configurations that make a library run code, and their near misses: in the library itself, and what we say of the same files.

A case is two folders.  Of the first the library runs what the files name, which leaves the canary, and we do not accept it; of
the second it does not, and we do.  Where today's release refuses the first, the case says with which words, and what opens
it: older releases, or the consent that people give."""
import dataclasses
import os
import tempfile

import child
import ours
import tap

TOUCH = "open('canary', 'w').close()\n"
LIMITS = child.Limits(memory_bytes=16 << 30, cpu_s=120, wall_s=240)     # torch
# Of the installed ones, torchaudio may be made for another release of torch; none of these libraries needs it.
HUB = "import sys\nsys.modules['torchaudio'] = None\n"
BESIDE = "import sys\nsys.path.insert(0, path)\n"                       # as of a program that is run in the folder


@dataclasses.dataclass
class Case:
    libraries: tuple
    setup: str
    case: str           # `path` is the folder
    attack: dict        # name: text
    near_miss: dict
    opened: str = ""    # the same, less a release's guard or with the consent of who loads
    refusal: str = ""   # of the release without
    unfinished: str = ""   # what ends the near miss: no weights are there


def mlmodel(loader):
    return (f"flavors:\n  python_function:\n{loader}"
            "model_uuid: a\nrun_id: b\nutc_time_created: '2024-01-01 00:00:00.000000'\n")


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


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return folder


def installed(library):
    """Whether it is there; whether it can be imported, a case finds out."""
    return child.TODAY.has(f"importlib.util as u; assert u.find_spec('{library}')")


def verdicts(folder):
    return {v["verdict"] for v in ours.scan([folder])}


def check(c):
    with tempfile.TemporaryDirectory(prefix="configs-") as at:
        attack, near = write(os.path.join(at, "attack"), c.attack), write(os.path.join(at, "near"), c.near_miss)
        said = verdicts(attack)
        assert said & {"reject", "review"}, said
        assert verdicts(near) == {"accept"}, ours.scan([near])
        with child.Server(child.TODAY, c.setup, c.opened or c.case, LIMITS) as server:
            result = server.run(path=attack)
            assert result.canary, result
        with child.Server(child.TODAY, c.setup, c.case, LIMITS) as server:
            result = server.run(path=near)
            assert not result.canary and (result.loaded or c.unfinished in result.error != ""), result
            if c.refusal:
                result = server.run(path=attack)
                assert result.canary or c.refusal in result.error, result


def declared(name):
    def run():
        child.need(child.TODAY)
        for library in CASES[name].libraries:
            if not installed(library):
                raise tap.Skip(f"{child.TODAY} has no {library}")
        check(CASES[name])
    run.__doc__ = f"{name}: the library runs it, and not its near miss; we say so."
    return run


for _name in CASES:
    globals()["test_" + _name] = declared(_name)

tap.main(globals())
