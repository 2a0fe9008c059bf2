#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: what programs that train, serve and drive agents import by their settings, variables
of a program, and paths that what is vouched for opens; each beside one that does not.  By the rules of formats/configs.  Always the same
bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "config-code-in-set", "config-environment"}
REJECTED = {"config-target", "config-import", "config-code-file", "config-remote-code", "config-expression-dangerous", "config-library",
            "config-path-escape", "config-requirement-insecure"}


class Sixth(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Sixth(sections=True)
SIDE = "format-side-file"


def one(name, file, data, words="", why=""):
    """One configuration, under the name that its loader looks for; codes without `config-`."""
    data = json.dumps(data) if isinstance(data, (dict, list)) else data
    CORPUS.case(f"{name}/{file}", data, " ".join("config-" + w for w in words.split()) + " " + SIDE, why)


CALLED, IMPORTED = "target-unlisted", "import-unlisted"


def trainers():
    """Hydra, OmegaConf, Lightning, mmengine, spaCy."""
    hydra = "hydra:\n  searchpath:\n  - {}\nx: 1\n"
    for name, text, words, why in (
            ("structured", hydra.format("structured://own_package"), IMPORTED, "structured_config_source.py imports it"),
            ("structured-denied", hydra.format("structured://os"), "import", "a module that is denied"),
            ("package", hydra.format("pkg://own_package.conf"), IMPORTED, "importlib_resources_config_source.py imports it"),
            ("folder", hydra.format("file:///srv/conf"), "", "a folder of the machine, and of who runs it"),
            ("climbs", hydra.format("../../conf"), "path-escape", "a folder outside"),
            ("beside", hydra.format("conf"), "", "a folder beside"),
            ("other", "searchpath:\n- /srv/conf\n", "", "not Hydra's: its own is below hydra")):
        one("hydra-search-" + name, "config.yaml", text, words, why)
    variables = "hydra:\n  job:\n    env_set:\n      {}\n"
    for name, text, words, why in (
            ("preload", "LD_PRELOAD: ./x.so", "library", "hydra/core/utils.py, env_override()"),
            ("trust", "HF_HUB_TRUST_REMOTE_CODE: true", "trust-flag", "consent"),
            ("threads", "OMP_NUM_THREADS: 4", "", "a number")):
        one("hydra-variable-" + name, "config.yaml", variables.format(text), words, why)
    for name, text, words, why in (
            ("coerce", "a: ${oc.coerce:own_package.Kind,1}\n", IMPORTED, "omegaconf/resolvers/oc: imported before it is asked"),
            ("coerce-blanks", "a: '${ oc.coerce : \"own_package.sub.x\" , 3}'\n", IMPORTED, "OmegaConf's grammar"),
            ("coerce-denied", "a: ${oc.coerce:os.system,1}\n", "import", "denied"),
            ("coerce-plain", "a: ${oc.coerce:int,1}\nb: ${oc.coerce:pathlib.Path,x}\n", "", "types of Python's")):
        one("omegaconf-" + name, "x.yaml", text, words, why)
    for name, text, words, why in (
            ("logger", "trainer:\n  logger: own_package.Logger\nmodel:\n  size: 1\n", CALLED, "jsonargparse: a class named alone"),
            ("logger-function", "trainer:\n  logger: own_package.make\n", CALLED, "imported before it is asked what it is"),
            ("callbacks", "trainer:\n  callbacks+: own_package.Callback\n", CALLED, "one more, as jsonargparse writes it"),
            ("keywords", "model:\n  class_path: own_package.make\n  dict_kwargs:\n    a: 1\n", CALLED, "dict_kwargs instead of init_args"),
            ("own", "trainer:\n  logger: lightning.pytorch.loggers.CSVLogger\nmodel:\n  class_path: torch.nn.Linear\n"
                    "  dict_kwargs:\n    bias: true\n", "", "of the library"),
            ("word", "trainer:\n  logger: true\n  strategy: ddp\n  profiler: simple\noptimizer: adam\nmodel: own/model-1.5\n", "", "words"),
            ("version", "model: qwen2.5\nlogger: wandb\n", "", "no trainer")):
        one("lightning-" + name, "config.yaml", text, words, why)
    one("litgpt-alpaca", "prompt_style.yaml", "class_path: litgpt.prompts.Alpaca\n", "", "litgpt/prompts.py writes it into each checkpoint")
    one("litgpt-own", "prompt_style.yaml", "class_path: own_package.Style\n", CALLED, "imported: load_prompt_style()")
    for name, text, words, why in (
            ("default", "default_scope: own_package\n", IMPORTED, "mmengine/registry/registry.py: own_package.registry"),
            ("inner", "model:\n  type: Net\n  _scope_: own_package\n", IMPORTED, "switch_scope_and_registry()"),
            ("known", "default_scope: mmdet\nmodel:\n  type: Net\n  _scope_: mmseg\n", "", "packages of the project")):
        one("mmengine-scope-" + name, "x.yaml", text, words, why)
    spacy = '[nlp]\nlang = "en"\npipeline = []\n\n[{}]\n@callbacks = "spacy.copy_from_base_model.v1"\ntokenizer = "own_package"\n\n[components]\n'
    for section in ("before_creation", "after_creation", "after_pipeline_creation"):
        one("spacy-" + section, "config.cfg", spacy.format("nlp." + section), IMPORTED, "load_model(): a package is imported")
    one("spacy-initialize", "config.cfg", spacy.format("initialize.before_init"), "", "for who trains")


def agents():
    """Agents, pipelines and servers."""
    tool = {"class": "CodeAgent", "tools": [{"name": "x", "code": "import os\nos.system('id')\n"}], "model": {"class": "X", "data": {}}}
    one("agent-tool", "agent.json", tool, "expression-dangerous", "smolagents/agents.py, from_dict(): exec()")
    one("agent-tool-names", "agent.json", dict(tool, tools=["x"]), "", "names of files beside, which are programs")
    one("agent-tool-words", "tools.json", {"tools": [{"name": "x", "code": "E42"}]}, "", "a word")
    scorer = {"name": "x", "call_source": "import os\nreturn 1", "call_signature": "(outputs)", "original_func_name": "f"}
    one("agent-scorer", "scorer.json", scorer, "expression", "mlflow/genai/scorers: exec()")
    one("agent-scorer-own", "scorer.json", dict(scorer, call_source=None), "", "a class of the library's own")
    state = {"__is_pydantic": True, "value": {}, "qualified_name": "own_package.State"}
    one("agent-state", "context.json", {"state": state}, CALLED, "workflows/context/serializers.py imports it")
    one("agent-state-own", "context.json", {"state": dict(state, qualified_name="llama_index.core.schema.TextNode")}, "", "the library's")
    one("agent-name", "x.json", {"qualified_name": "own_package.State"}, "", "a name, and no value beside it")
    connection = "name: x\ntype: custom\nconfigs:\n  {}\n"
    one("promptflow-connection", "c.yaml", connection.format("promptflow.connection.module: own_package"), IMPORTED, "_connection.py")
    one("promptflow-connection-type", "c.yaml", "name: x\ncustom_type: Own\nmodule: own_package\n", IMPORTED, "in a file it stands outside")
    one("promptflow-connection-own", "c.yaml", connection.format("promptflow.connection.module: promptflow.connections"), "", "its own")
    node = "nodes:\n- name: a\n  type: python\n  source:\n    type: code\n    path: {}\n"
    one("promptflow-climbs", "flow.dag.yaml", node.format("../../a.py"), "path-escape", "a program from outside is run")
    one("promptflow-beside", "flow.dag.yaml", node.format("a.py"), "", "a program beside, which is judged as that")
    haystack = '{"components": {"a": {"type": "haystack.components.x.Y", "init_parameters": {%s}}}, "connections": []}'
    for name, text, words, why in (
            ("type", '"type_": "own_package.X"', IMPORTED, "type_serialization.py imports it"),
            ("generic", '"routes": [{"output_type": "list[own_package.X]", "condition": "x"}]', IMPORTED, "between brackets"),
            ("union", '"type_": "str | own_package.X"', IMPORTED, "behind a bar"),
            ("several", '"output_type": ["str", "own_package.X"]', IMPORTED, "several"),
            ("state", '"state_schema": {"x": {"type": "list[own_package.X]"}}', IMPORTED, "of an agent's state"),
            ("own", '"type_": "list[haystack.dataclasses.chat_message.ChatMessage]", "state_schema": {"x": {"type": '
                    '"dict[str, list[haystack.dataclasses.document.Document]]"}, "y": {"type": "str | None"}}', "", "the library's")):
        one("haystack-" + name, "pipeline.json", haystack % text, words, why)
    server = "model: own/model\n{}\n"
    for name, text, words, why in (
            ("backend", "compilation-config:\n  backend: own_package.compile", IMPORTED, "config/compilation.py"),
            ("backend-word", "compilation-config:\n  backend: inductor", "", "a word"),
            ("passes", "compilation_config:\n  inductor_passes:\n    after: own_package.f", IMPORTED, "the same"),
            ("offload", "kv-transfer-config:\n  kv_connector_extra_config:\n    spec_module_path: own_package", IMPORTED, "kv_offload/factory.py"),
            ("text", "kv-transfer-config: '{\"kv_connector\": \"X\", \"kv_connector_module_path\": \"own_package\"}'", IMPORTED,
             "JSON in a text, as the command's option takes it"),
            ("text-own", "kv-transfer-config: '{\"kv_connector\": \"NixlConnector\", \"kv_role\": \"kv_both\"}'", "", "a word"),
            ("text-trust", "hf-overrides: '{\"text_config\": {\"trust_remote_code\": true}}'", "trust-flag", "the same"),
            ("processors", "logits-processors: own_package:X", IMPORTED, "a text for a list of one")):
        one("vllm-" + name, "vllm.yaml", server.format(text), words, why)
    one("text-escaped", "x.json", {"model_kwargs": json.dumps({"a": {"_target_": "own_package.f", "b": "x" * 5000}})}, CALLED,
        "JSON in a text of JSON, whatever its length")
    one("image-commands", "bento.yaml", "service: service.S\nimage:\n  commands:\n  - make all\n", "command", "_bentoml_sdk/images.py")
    one("image-none", "bento.yaml", "service: service.S\nimage:\n  base_image: python\n  commands: []\n", "", "no line")
    one("conda-variable", "environment.yml", "dependencies: [python]\nvariables:\n  LD_PRELOAD: ./x.so\n", "library", "conda env: variables")
    one("conda-number", "environment.yml", "dependencies: [python]\nvariables:\n  OMP_NUM_THREADS: 4\n", "", "a number")
    decoded = {"__kind__": "instance", "class": "gluonts.shell.util.forecaster_type_by_name", "args": ["own_package"]}
    one("gluonts-locate", "x.json", decoded, "target", "gluonts/shell/util.py: locate()")
    one("gluonts-class", "x.json", dict(decoded, **{"class": "gluonts.time_feature.hour_of_day", "args": []}), "", "a function that counts")


def data():
    """Entries of data that a shell is given."""
    one("pipe-fetch", "data.yaml", "train:\n  urls: 'pipe:curl -s https://example.org/x.tar'\n", "command", "webdataset/gopen.py, gopen_pipe()")
    one("pipe-word", "data.yaml", "train:\n  urls: 'pipe:stage'\n  note: 'pipe: a tube'\n", "", "a word, and a sentence")
    audio = '{"id": "x", "sources": [{"type": "%s", "channels": [0], "source": "x.wav"}]}'
    one("audio-command", "recording.json", audio % "command", "command", "lhotse/audio/source.py")
    one("audio-file", "recording.json", audio % "file", "", "a file")


def paths():
    """Files that classes of SpeechBrain's open, and unpickle, as they are told."""
    for name, text, words, why in (
            ("climbs", "m: !new:speechbrain.lobes.models.beats.BEATs\n  ckp_path: ../../x.pt\n", "path-escape", "torch.load()"),
            ("absolute", "m: !new:speechbrain.lobes.models.beats.BEATs\n  ckp_path: /srv/x.pt\n", "path-absolute", "of the machine"),
            ("list", "m: !new:speechbrain.lobes.models.beats.BEATs [~/x.pt]\n", "path-absolute", "by its place"),
            ("inner", "p: !new:speechbrain.utils.parameter_transfer.Pretrainer\n  paths:\n    model: ../../x.ckpt\n", "path-escape", "deeper"),
            ("reference", "m: !new:speechbrain.lobes.models.beats.BEATs\n  ckp_path: !ref <p>/x.pt\np: ../..\n", "path-escape",
             "what a reference says, whichever stands first"),
            ("beside", "p: x\nm: !new:speechbrain.lobes.models.beats.BEATs\n  ckp_path: !ref <p>/x.pt\n", "", "a file of the folder"),
            ("separator", "m: !new:speechbrain.dataio.encoder.TextEncoder\n  a: /\n  b: //\n  c: a/b\n  d: https://example.org/x\n", "",
             "signs, and an address"),
            ("recipe", "data_folder: /srv/data\noutput: !ref <data_folder>/out\nc: !new:speechbrain.utils.checkpoints.Checkpointer\n"
                       "  checkpoints_dir: !ref <output>/save\n", "", "folders of the trainer's machine, which are written")):
        one("speechbrain-" + name, "hyperparams.yaml", text, words, why)


def variables():
    """Of .env: where models are fetched from, what opens libraries."""
    for name, text, words, why in (
            ("hub", "HF_ENDPOINT=https://example.org\n", "remote-code-gated", "huggingface_hub/constants.py: all comes from there"),
            ("hub-own", "HF_ENDPOINT=https://huggingface.co/\n", "", "the hub's own"),
            ("hub-modelscope", "MODELSCOPE_DOMAIN=example.org\n", "remote-code-gated", "modelscope/utils/constant.py"),
            ("hub-filled", "HF_ENDPOINT=${MIRROR}\n", "", "as the machine says"),
            ("iconv", "GCONV_PATH=./conv\n", "library", "iconv(3)"),
            ("plugin", "NCCL_NET_PLUGIN=./libx.so\n", "library", "NCCL: dlopen()"),
            ("plugin-name", "NCCL_NET_PLUGIN=aws-ofi\n", "", "looked for where the system has its libraries"),
            ("folder", "LD_LIBRARY_PATH=lib:/usr/lib\n", "library", "a folder beside"),
            ("folder-system", "LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH\n", "", "folders of the system"),
            ("backend", "MPLBACKEND=module://own_package\n", IMPORTED, "matplotlib/rcsetup.py: imported"),
            ("backend-jupyter", "MPLBACKEND=module://matplotlib_inline.backend_inline\n", "", "Jupyter's"),
            ("backend-word", "MPLBACKEND=Agg\n", "", "a word")):
        one("variable-" + name, ".env", text, words, why)


if __name__ == "__main__":
    CORPUS.make(trainers, agents, data, paths, variables)
