#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: configurations that make a loader run code, each beside one that does not, by the
rules of formats/configs.  The names of files are what loaders look for, so that a case is a folder with one of them, or some.
Always the same bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import io
import json
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "config-code-in-set", "config-trust-flag-recorded", "config-environment",
            "config-yaml-python-value", "config-yaml-tag-local", "config-yaml-duplicate-key-local",
            "config-yaml-syntax-local"}
REJECTED = {"config-target", "config-import", "config-code-file", "config-remote-code", "config-expression-dangerous",
            "config-library", "config-path-escape", "config-requirement-insecure", "config-digest", "config-yaml-foreign",
            "yaml-python-tag", "template-dunder"}


class Configs(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Configs(sections=True)
SIDE = "format-side-file"
KNOWN = "format-identified-only format-unknown "  # of a ZIP archive of no format


UNPREFIXED = ("yaml-python-tag", "repo-code", "keras-yaml", "json-duplicate-key")
EVIL = "{{ ''.__class__.__mro__[1].__subclasses__() }}"
FAIR = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


def codes(words):
    """Codes without `config-`, but for those that were there before."""
    return " ".join(w if w in UNPREFIXED or w.startswith("template-") else "config-" + w
                    for w in words.split()) + " " + SIDE


def text(data):
    return json.dumps(data) if isinstance(data, (dict, list)) else data


def case(name, file, data, words="", why=""):
    """One configuration, under the name that its loader looks for."""
    CORPUS.case(f"{name}/{file}", text(data), codes(words), why)


def folder(name, files, words, why, **more):
    """A set; `ci` and its like are policies."""
    CORPUS.case(name, {n: text(d) for n, d in files.items()}, codes(words), why, **more)


# -- transformers and those like it

def transformers():
    internal = "_attn_implementation_internal"
    llama = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "_name_or_path": "someone/some-model",
             "torch_dtype": "bfloat16", "hidden_size": 64, "vocab_size": 320, "tie_word_embeddings": False}
    case("attention-kernel", "config.json", {**llama, internal: "mallory/kernel"}, "remote-code",
         "the Hub's code is fetched for a name with a slash")
    case("attention-word", "config.json", {**llama, internal: "eager"}, "", "a word")
    case("attention-nested", "config.json", {**llama, "attn_implementation": {"text_config": "mallory/kernel"}}, "remote-code",
         "by the part of a model")
    case("attention-pipe", "config.json", {**llama, "attn_implementation": "paged|mallory/kernel@v1:forward"}, "remote-code",
         "behind the last pipe sign")
    case("attention-paged", "config.json", {**llama, "_attn_implementation": {"text_config": "paged|sdpa"}}, "", "words")
    case("attention-experts", "config.json", {**llama, "text_config": {"experts_implementation": "mallory/experts"}},
         "remote-code", "of experts")
    case("attention-grouped", "config.json", {**llama, "text_config": {"experts_implementation": "grouped_mm"}}, "", "a word")
    case("attention-community", "config.json", {**llama, "attn_implementation": "kernels-community/flash-attn3"},
         "remote-code-gated", "an organisation that is asked for")
    case("attention-flash", "config.json", {**llama, "attn_implementation": "flash_attention_2"}, "", "a word")
    case("attention-escaped", "config.json", json.dumps({**llama, internal: "mallory/kernel"}).replace("_attn", "\\u005fattn", 1),
         "remote-code", "a letter of the key escaped")
    case("automap-own", "config.json", {**llama, "auto_map": {"AutoModel": "modeling_own.Own"}}, "auto-map", "code of the folder")
    case("automap-null", "config.json", {**llama, "auto_map": None}, "", "none")
    case("automap-list", "tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["own.Own", None]}}, "auto-map", "a list")
    case("automap-nulls", "tokenizer_config.json", {"auto_map": {"AutoTokenizer": [None, None]}}, "", "none of either")
    case("automap-legacy", "tokenizer_config.json", {"auto_map": ["own.Slow", "own.Fast"]}, "auto-map", "without names")
    case("automap-image", "preprocessor_config.json", {"auto_map": {"AutoImageProcessor": "own.Own"}}, "auto-map", "a processor")
    case("automap-nested", "config.json", {**llama, "llm_config": {"auto_map": {"AutoModel": "mallory/repo--own.Own"}}},
         "remote-code-gated", "another repository's")
    case("automap-vocabulary", "tokenizer.json", {"model": {"vocab": {"auto_map": 3, "_target_": 4, "py/object": 5}}}, "",
         "words of a vocabulary")
    case("automap-vocabulary-not", "x.json", {"vocab": {"_target_": "os.system", "auto_map": {"A": "own.Own"}}}, "target auto-map",
         "not the words of one: those have numbers")
    case("automap-absolute", "config.json", {"auto_map": {"AutoModel": "/tmp/x--own.Own"}}, "path-escape", "a path")
    case("automap-climbs", "config.json", {"auto_map": {"AutoModel": "../own.Own"}}, "path-escape", "a path")
    case("automap-twice", "config.json", {"auto_map": {"AutoModel": "a/b--../x--own.Own"}}, "path-escape", "a path behind it")
    case("automap-dots", "config.json", {"auto_map": {"AutoModel": "owner/repo.x--own_2.Own"}}, "remote-code-gated",
         "dots and digits are no path")
    case("automap-pipelines", "config.json", {**llama, "custom_pipelines": {"own": {"impl": "own_pipeline.Own", "pt": []}}},
         "auto-map", "a pipeline of the folder")
    case("automap-pipelines-none", "config.json", {**llama, "custom_pipelines": {}}, "", "none")
    case("modelfile-py", "config.json", {**llama, "model_file": "own.py"}, "code-file", "run without a question")
    case("modelfile-null", "config.json", {**llama, "model_file": None}, "", "none")
    case("modelfile-nested", "config.json", {**llama, "x": {"model_file": "own.py"}}, "", "no loader reads it there")
    case("modelfile-weights", "config.json", {**llama, "model_file": "model.safetensors"}, "", "no suffix of Python")
    case("trust-nested", "config.json", {**llama, "encoder": {"_name_or_path": "mallory/encoder", "trust_remote_code": True}},
         "remote-code", "handed on with a repository")
    case("trust-nested-false", "config.json", {**llama, "encoder": {"_name_or_path": "some/encoder", "trust_remote_code": False}},
         "", "not trusted")
    lightglue = {"model_type": "lightglue", "trust_remote_code": True}
    case("trust-lightglue", "config.json", {**lightglue, "keypoint_detector_config": {"_name_or_path": "mallory/detector",
                                                                                     "model_type": "other"}},
         "remote-code", "handed on to the detector")
    case("trust-superpoint", "config.json", {**lightglue, "keypoint_detector_config": {"_name_or_path": "some/detector",
                                                                                      "model_type": "superpoint"}},
         "trust-flag", "a detector of the library")
    case("trust-text", "x.json", {"trust_remote_code": "yes"}, "trust-flag", "true as a text")
    case("trust-no", "x.json", {"trust_remote_code": "no", "a": {"trust_remote_code": None}}, "", "not true")
    case("trust-on", "x.yaml", "trust_remote_code: on\n", "trust-flag", "true in YAML 1.1")
    case("trust-y", "x.yaml", "trust_remote_code: y\n", "", "a text in YAML 1.1, as PyYAML has it")
    case("trust-training", "training_args.yaml", "trust_remote_code: true\n", "trust-flag-recorded", "the record of a run")
    quantized = {"quant_type": {"_type": "Own", "_data": {}}}
    case("quantization-type", "config.json",
         {**llama, "quantization_config": {"quant_method": "torchao", "_type": "own_package.Config", "_data": {}}},
         "import-unlisted", "a class of no module of torchao")
    case("quantization-words", "config.json",
         {**llama, "quantization_config": {"quant_method": "torchao", "quant_type": quantized, "_type": "PerRow", "_data": {}}},
         "", "words that are looked up")
    case("generate-remote", "generation_config.json", {"custom_generate": "mallory/generate"}, "remote-code-gated", "asked for")
    case("generate-own", "generation_config.json", {"custom_generate": "own"}, "auto-map", "of the folder")
    case("generate-null", "generation_config.json", {"custom_generate": None, "top_p": 0.9}, "", "none")


def peft():
    lora = {"peft_type": "LORA", "base_model_name_or_path": "some/model", "r": 8, "target_modules": ["q_proj", "v_proj"],
            "megatron_config": None, "megatron_core": "megatron.core", "auto_mapping": None}

    def mapped(library):
        return {**lora, "auto_mapping": {"base_model_class": "Own", "parent_library": library}}

    case("peft-honest", "adapter_config.json", lora, "", "as the library writes it")
    case("peft-parent", "adapter_config.json", mapped("own_package.models"), "import-unlisted", "imported")
    case("peft-parent-os", "adapter_config.json", mapped("os"), "import", "imported")
    case("peft-parent-main", "adapter_config.json", mapped("__main__"), "import-unlisted", "nothing new is run")
    case("peft-parent-dunder", "adapter_config.json", mapped("torch.__builtins__"), "import", "Python's own workings")
    case("peft-parent-known", "adapter_config.json", mapped("transformers.models.llama.modeling_llama"), "", "a known library")
    case("peft-parent-cached", "adapter_config.json", mapped("transformers_modules.x.y"), "auto-map", "code that was asked for")
    case("peft-megatron", "adapter_config.json", {**lora, "megatron_core": "own_package", "megatron_config": {}},
         "import-unlisted", "imported when there is a configuration for it")
    case("peft-megatron-null", "adapter_config.json", {**lora, "megatron_core": "own_package"}, "", "never imported")
    case("peft-cache", "adapter_config.json", {**lora, "corda_config": {"cache_file": "/tmp/x.pt"}}, "path-absolute", "unpickled")
    case("peft-cache-climbs", "adapter_config.json", {**lora, "corda_config": {"cache_file": "../x.pt"}}, "path-escape", "unpickled")
    case("peft-cache-own", "adapter_config.json", {**lora, "corda_config": {"cache_file": "x.pt"}}, "", "of the folder")


def diffusers():
    base = {"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.30.0", "scheduler": ["diffusers", "DDIMScheduler"],
            "safety_checker": ["stable_diffusion", "StableDiffusionSafetyChecker"], "feature_extractor": [None, None]}
    case("diffusers-honest", "model_index.json", base, "", "as the library writes it")
    case("diffusers-class", "model_index.json", {**base, "_class_name": ["pipeline", "Own"]}, "auto-map", "a file of the folder")
    case("diffusers-component", "model_index.json", {**base, "unet": ["own_library", "Own"]}, "import-unlisted", "imported")
    case("diffusers-component-os", "model_index.json", {**base, "unet": ["os", "system"]}, "import", "imported")
    case("diffusers-scheduler", "scheduler_config.json", {"_class_name": "DDIMScheduler", "_diffusers_version": "0.30.0",
                                                         "beta_schedule": "scaled_linear", "clip_sample": False}, "", "honest")


def sentences():
    def modules(kind, path="1_Pooling"):
        return [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "name": "1", "path": path, "type": kind}]

    case("sentence-honest", "modules.json", modules("sentence_transformers.models.Pooling"), "", "as the library writes it")
    case("sentence-popen", "modules.json", modules("subprocess.Popen"), "import", "imported and called")
    case("sentence-own", "modules.json", modules("modeling_own.Own"), "auto-map", "a file of the folder")
    case("sentence-package", "modules.json", modules("own.package.Own"), "import-unlisted", "imported")
    case("sentence-path", "modules.json", modules("sentence_transformers.models.Pooling", "../x"), "path-escape", "a path")
    case("sentence-tokenizer", "wordembedding_config.json", {"tokenizer_class": "own.Tokenizer"}, "auto-map", "a file of the folder")
    case("sentence-tokenizer-known", "wordembedding_config.json",
         {"tokenizer_class": "sentence_transformers.models.tokenizer.WhitespaceTokenizer.WhitespaceTokenizer"}, "", "the library's")
    case("sentence-activation", "config.json", {"in_features": 4, "activation_function": "torch.hub.load"}, "target", "called")
    case("sentence-activation-known", "config.json", {"in_features": 4,
                                                     "activation_function": "torch.nn.modules.activation.Tanh"}, "", "a layer")


def others_of_hubs():
    case("lerobot-popen", "processor.json", {"steps": [{"class": "subprocess.Popen", "config": {"args": ["true"]}}]}, "target", "called")
    case("lerobot-own", "policy_preprocessor.json", {"steps": [{"class": "own.Step", "config": {}}]}, "target-unlisted", "called")
    case("lerobot-known", "policy_preprocessor.json", {"steps": [{"class": "lerobot.processor.Normalizer", "config": {}},
                                                                {"registry_name": "device_processor", "config": {}}]}, "", "honest")
    case("lerobot-state", "policy_preprocessor.json", {"steps": [{"registry_name": "a", "state_file": "../x.safetensors"}]},
         "path-escape", "a path")
    case("modelscope-plugins", "configuration.json", {"framework": "pytorch", "task": "x", "plugins": ["own"]}, "requirement",
         "installed and imported")
    case("modelscope-remote", "configuration.json", {"framework": "pytorch", "task": "x", "allow_remote": True}, "auto-map", "all .py")
    case("modelscope-honest", "configuration.json", {"framework": "pytorch", "task": "x", "plugins": [], "allow_remote": False},
         "", "none")


# -- trees of calls

def hydra():
    case("hydra-own", "x.json", {"_target_": "own_package.run"}, "target-unlisted", "called")
    case("hydra-layer", "x.json", {"_target_": "torch.nn.Linear", "a": {"_target_": "???"}}, "", "a layer, and nothing yet")
    case("hydra-method", "x.yaml", "_target_: hydra.utils.get_method\npath: os.system\n", "target-unlisted target", "what it is told")
    case("hydra-method-layer", "x.yaml", "_target_: hydra.utils.get_method\npath: torch.nn.ReLU\n", "target-unlisted", "a layer")
    case("hydra-eval", "x.yaml", "a: ${eval:__import__('os')}\n", "expression-dangerous", "evaluated")
    case("hydra-eval-sum", "x.yaml", "a: ${eval:1+2}\n", "expression", "evaluated")
    case("hydra-secret", "x.yaml", "a: ${oc.env:AWS_SECRET_ACCESS_KEY}\n", "environment-secret", "a key of the machine")
    case("hydra-home", "x.yaml", "a: ${oc.env:HOME}\n", "environment", "a variable")
    case("hydra-other", "x.yaml", "a: ${model.dim}\nb: ${now:%Y}\nc: ${{ secrets.TOKEN }}\n", "", "filled in from itself")
    case("hydra-loads", "x.json", {"_target_": "transformers.AutoModel.from_pretrained"}, "target-unlisted", "fetches what it is told")
    case("hydra-partial", "x.json", {"_target_": "functools.partial"}, "target-unlisted", "ordinary in configurations")
    case("hydra-colon", "x.json", {"_target_": "os:system"}, "target", "a colon for the dot")
    case("hydra-list", "x.json", {"_target_": ["a", "b"]}, "target-unlisted", "no name")
    case("hydra-nemo-utils", "model_config.yaml", "a:\n  _target_: nemo.utils.Own\n", "target-unlisted", "not vouched for")
    case("hydra-nemo", "model_config.yaml", "a:\n  _target_: nemo.collections.asr.models.Own\n", "", "vouched for")
    case("hydra-value", "x.json", {"whatever": "os.system"}, "target-unlisted", "a name that runs commands, under any key")
    case("hydra-label", "config.json", {"model_type": "bert", "id2label": {"0": "os.system"}}, "", "a label")


def trees():
    case("monai-target", "inference.json", {"net": {"_target_": "os.system", "command": "id"}}, "target", "called")
    case("monai-expression", "inference.json", {"a": "$__import__('os').system('id')", "b": {"_target_": "LoadImaged"}},
         "expression-dangerous", "evaluated")
    case("monai-import", "inference.json", {"a": "$import os", "b": {"_target_": "LoadImaged"}}, "expression", "evaluated")
    case("monai-path", "inference.json", {"net": {"_target_": "LoadImaged"}, "a": "%../../x.json::a"}, "path-escape", "read")
    case("monai-honest", "inference.json", {"net": {"_target_": "LoadImaged"}, "a": "@network", "b": "%net"}, "", "references")
    case("monai-price", "x.json", {"price": "$5", "$ref": "#/defs/x"}, "", "no expressions")
    case("lightning-popen", "config.yaml", "model:\n  class_path: subprocess.Popen\n  init_args: {}\n", "target", "called")
    case("lightning-own", "config.yaml", "model:\n  class_path: own.Net\n  init_args: {}\n", "target-unlisted", "called")
    case("lightning-known", "config.yaml", "model:\n  class_path: lightning.pytorch.Trainer\n  init_args: {}\n", "", "the library's")
    case("lightning-instantiator", "x.json", {"_instantiator": "os.system"}, "target", "imported and called")
    case("lightning-module", "x.json", {"_instantiator": "lightning.pytorch.cli.instantiate_module"}, "", "the library's own")
    case("torchtune-popen", "config.yaml", "model:\n  _component_: subprocess.Popen\n", "target", "called")
    case("torchtune-known", "config.yaml", "model:\n  _component_: torchtune.models.llama3.llama3_8b\n", "", "the library's")
    case("torchtune-utils", "config.yaml", "model:\n  _component_: torchtune.utils.Own\n", "target-unlisted", "not vouched for")
    case("latent-own", "x.yaml", "model:\n  target: own.models.Net\n  params: {}\n", "target-unlisted", "called")
    case("latent-word", "x.yaml", "model:\n  target: release\n  params: {}\n", "", "a word")
    case("mmengine-own", "x.json", {"custom_imports": {"imports": ["own"]}}, "import-unlisted", "imported")
    case("mmengine-known", "x.json", {"custom_imports": {"imports": ["mmdet.models"]}}, "", "the project's")
    case("mmengine-base", "x.yaml", "_base_: ../../x.yaml\n", "path-escape", "read")
    case("mmengine-base-py", "x.yaml", "_base_: own.py\n", "code-file", "run")
    case("mmengine-base-own", "x.yaml", "_BASE_: base.yaml\n", "", "of the folder")
    yolo = "backbone:\n- [-1, 1, Conv, [64, 3, 2]]\nhead:\n- [-1, 1, %s, [None, 2, 'nearest', True]]\n"
    case("yolo-call", "x.yaml", yolo % "\"__import__('os').system('id')\"", "expression-dangerous", "evaluated")
    case("yolo-layer", "x.yaml", "activation: nn.SiLU()\n" + yolo % "nn.Upsample", "", "a layer")
    case("allennlp-popen", "config.json", {"dataset_reader": {"type": "subprocess.Popen"}, "model": {"type": "lstm"}}, "target", "called")
    case("allennlp-words", "config.json", {"dataset_reader": {"type": "snli"}, "model": {"type": "lstm"}}, "", "registered names")
    case("haystack-own", "x.yaml", "components:\n  a: {type: own.Component}\nconnections: []\n", "target-unlisted", "called")
    case("haystack-known", "x.yaml", "components:\n  a: {type: haystack.components.Own}\nconnections: []\n", "", "the library's")
    case("ludwig-own", "model_hyperparameters.json", {"input_features": [{"type": "own.module.Own"}], "trainer": {}},
         "import-unlisted", "imported")
    case("ludwig-words", "model_hyperparameters.json", {"input_features": [{"type": "text"}], "trainer": {}}, "", "words")
    case("langchain-os", "x.json", {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {}}, "target", "called")
    case("langchain-known", "x.json", {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "Prompt"], "kwargs": {}}, "",
         "the library's")
    case("langchain-secret", "x.json", {"lc": 1, "type": "secret", "id": ["API_KEY"]}, "environment-secret", "a variable")
    case("pyannote-os", "config.yaml", "pipeline:\n  name: os.system\n  params: {}\n", "target", "called")
    case("pyannote-known", "config.yaml", "pipeline:\n  name: pyannote.audio.pipelines.SpeakerDiarization\n  params: {}\n", "",
         "the library's")
    plans = {"plans_name": "nnUNetPlans", "configurations": {"2d": {"architecture": {
        "network_class_name": "dynamic_network_architectures.architectures.unet.PlainConvUNet",
        "arch_kwargs": {"conv_op": "torch.nn.modules.conv.Conv2d", "nonlin": "torch.nn.LeakyReLU"},
        "_kw_requires_import": ["conv_op", "nonlin"]}}}}
    case("nnunet-honest", "plans.json", plans, "", "as the program writes it")
    case("nnunet-popen", "plans.json", json.dumps(plans).replace(
        "dynamic_network_architectures.architectures.unet.PlainConvUNet", "subprocess.Popen"), "target", "called")
    case("nnunet-kwargs", "plans.json", json.dumps(plans).replace("torch.nn.LeakyReLU", "own.Activation"), "import-unlisted", "imported")
    case("nnunet-word", "plans.json", json.dumps(plans).replace(
        "dynamic_network_architectures.architectures.unet.PlainConvUNet", "PlainConvUNet"), "", "a word")
    case("coqui-own", "config.json", {"model": "vits", "characters": {"characters_class": "own.Own"}}, "target-unlisted", "called")
    case("coqui-known", "config.json", {"model": "vits", "characters": {
        "characters_class": "TTS.tts.utils.text.characters.Graphemes"}}, "", "the library's")
    case("jsonpickle-popen", "x.json", {"py/object": "subprocess.Popen"}, "target", "made")
    case("jsonpickle-path", "x.json", {"py/reduce": [{"py/type": "pathlib.PosixPath"}, {"py/tuple": ["a"]}]}, "", "a path")
    case("fiddle-os", "x.json", {"type": "pyref", "module": "os", "name": "system"}, "target", "called")
    case("fiddle-layer", "x.json", {"type": "pyref", "module": "torch.nn", "name": "Linear"}, "", "a layer")


def hyperpyyaml():
    name = "hyperparams.yaml"
    honest = """# of a recognizer
seed: 1234
__set_seed: !apply:torch.manual_seed [!ref <seed>]
folder: !ref <seed>/save
betas: (0.9, 0.98)
optimizer: !name:torch.optim.Adam
    lr: 0.001
loss: !name:speechbrain.nnet.losses.nll_loss
model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: 80
other: !copy <model>
later: !PLACEHOLDER
"""
    case("speech-honest", name, honest, "", "a recipe")
    case("speech-apply", name, "a: !apply:os.system [id]\n", "target", "called while it is read")
    case("speech-new", name, "a: !new:own.Net\n", "target-unlisted", "called")
    case("speech-partial", name, "a: !name:functools.partial\n", "target-unlisted", "called")
    case("speech-tuple", name, "k: (!!python/object/apply:os.system [\"id\"])\n", "yaml-python-tag", "read as YAML once more")
    case("speech-tuple-not", "x.yaml", "k: (!!python/object/apply:os.system [\"id\"])\n", "", "a text")
    case("speech-include", name, "a: !include:/etc/passwd\n", "path-absolute", "read")
    case("speech-include-climbs", name, "a: !include:../x\n", "path-escape", "read")
    case("speech-include-own", name, "a: !include:model.yaml\n", "", "of the folder")
    case("speech-shell", name, "a: !apply:speechbrain.utils.superpowers.run_shell [id]\n", "target", "a gadget of the library")
    case("speech-dunder", name, "a: !ref <a.__class__>\n", "target", "an attribute")
    case("speech-pickle", name, "a: !name:speechbrain.dataio.dataio.load_pkl\n", "target-unlisted", "reads what it is told")
    case("speech-module", name, "a: !module:os\n", "import", "imported")


def yaml():
    case("yaml-ruby", "x.yaml", "--- !ruby/object:Gem::Installer\ni: x\n", "yaml-foreign", "an object of Ruby")
    case("yaml-java", "x.yaml", "a: !!javax.script.ScriptEngineManager []\n", "yaml-foreign", "an object of Java")
    case("yaml-set", "x.yaml", "a: !!set {b, c}\n", "", "YAML's own")
    case("yaml-local", "x.yaml", "a: !Ref Bucket\nb: !ENV [A, b]\n", "yaml-tag-local", "some program's own")
    case("yaml-naming", "x.yaml", "a: !x:own.Own {}\n", "yaml-tag", "names something")
    case("yaml-tuple", "hparams.yaml", "a: !!python/tuple [1, 2]\n", "yaml-python-value", "a value")
    case("yaml-name", "hparams.yaml", "a: !!python/name:os.system ''\n", "yaml-python-tag", "a name that is denied")
    case("yaml-name-own", "x.yaml", "a: !!python/name:own.slugs.slugify ''\n", "yaml-object", "a name nobody knows")
    case("yaml-ordered", "x.yaml", "!!python/object/apply:collections.OrderedDict\n- - [a, 1]\n", "yaml-object", "an honest object")
    case("yaml-directive", "x.yaml", "%TAG !p! tag:yaml.org,2002:python/object/\n---\na: !p!apply:os.system [id]\n",
         "yaml-python-tag", "under another prefix")
    case("yaml-directive-str", "x.yaml", "%TAG !s! tag:yaml.org,2002:\n---\na: !s!str b\n", "", "YAML's own under another prefix")
    case("yaml-percent", "x.yaml", "a: !!%70ython/object/apply:os.system [id]\n", "yaml-python-tag", "a letter escaped")
    case("yaml-escaped-key", "x.yaml", "a: {\"_tar\\x67et_\": os.system}\n", "target", "a letter of the key escaped")
    case("yaml-alias-key", "x.yaml", "x: &k _target_\na: {*k : os.system}\n", "target", "the key by its alias")
    case("yaml-alias-value", "x.yaml", "x: &v os.system\na: {_target_: *v}\n", "target-unlisted target", "the value by its alias")
    case("yaml-map-key", "x.yaml", "? {_target_: os.system}\n: x\n", "target", "in a key")
    case("yaml-folded-key", "x.yaml", "? \"_tar\\\n  get_\"\n: os.system\n", "target", "a broken line")
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
    case("yaml-bomb", "x.yaml", bomb, "yaml-expansion", "nine levels of nine aliases")
    case("yaml-aliases", "x.yaml", "a: &a word\nb: [" + ", ".join(["*a"] * 1000) + "]\n", "", "many of a word")
    case("yaml-cycle", "x.yaml", "a: &a [*a]\n", "yaml-expansion", "in itself")
    case("yaml-deep", "x.yaml", "[" * 65 + "]" * 65 + "\n", "yaml-depth", "65 levels")
    case("yaml-deep-not", "x.yaml", "a: " + "[" * 63 + "]" * 63 + "\n", "", "64 levels")
    case("yaml-twice", "hyperparams.yaml", "a: 1\na: 2\n", "yaml-duplicate-key", "in what a library reads")
    case("yaml-twice-local", "x.yaml", "a: 1\na: 2\n", "yaml-duplicate-key-local", "in any other")
    case("yaml-twice-scopes", "hyperparams.yaml", "a: {b: 1}\nc: {b: 2}\n", "", "in two maps")
    case("yaml-nel", "hyperparams.yaml", "a: x\u0085b: y\n".encode(), "yaml-ambiguous", "a line break for some")
    case("yaml-nel-quoted", "hyperparams.yaml", "a: \"x\u0085y\"\n".encode(), "", "in quotes")
    case("yaml-documents", "hyperparams.yaml", "a: 1\n---\nb: 2\n", "yaml-ambiguous", "two documents")
    case("yaml-documents-not", "x.yaml", "a: 1\n---\nb: 2\n", "", "of no library")
    case("yaml-syntax", "hyperparams.yaml", "a: [1\nb: 2\n", "yaml-syntax", "not YAML")
    case("yaml-syntax-local", "x.yaml", "a: [1\nb: 2\n", "yaml-syntax-local", "not YAML")


def elsewhere():
    """What stands in another place of the file than where the loader finds it."""
    evil = "!!python/object/apply:os.system [id]"
    case("tuple-tagged", "x.yaml", f"k: !tuple \"({evil})\"\n", "yaml-python-tag", "the tag alone makes it one")
    case("tuple-tagged-block", "x.yaml", f"k: !tuple |-\n  ({evil})\n", "yaml-python-tag", "in a block")
    case("tuple-tagged-bare", "x.yaml", f"k: !tuple \"x{evil}x\"\n", "yaml-python-tag", "no bracket is looked at")
    case("tuple-tagged-honest", "x.yaml", "k: !tuple \"(0.9, 0.98)\"\n", "", "numbers")
    case("tuple-early", "x.yaml", f"k: ({evil})\nm: !new:torch.nn.ReLU\n", "yaml-python-tag", "a later tag tells whose file it is")
    case("tuple-early-other", "x.yaml", f"k: ({evil})\nm: 1\n", "", "a text to all others")
    case("tuple-long", "hyperparams.yaml", "k: (" + "0, " * 2000 + evil + ")\n", "yaml-python-tag", "a long one")
    CORPUS.case("tuple-longest/hyperparams.yaml", text("k: (" + "0, " * 22000 + evil + ")\n"), "config-limit", "longer than what is read")
    own = "model:\n  class_path: own_package.run\n"
    case("alias-beside", "x.yaml", "a: &x {n: 1}\n" + own + "  init_args: *x\n", "target-unlisted", "what it is beside is an alias")
    case("merge-beside", "x.yaml", "a: &x {init_args: {n: 1}}\n" + own + "  <<: *x\n", "target-unlisted", "merged")
    case("merge-list", "x.yaml", "a: &x {init_args: {n: 1}}\n" + own + "  <<: [*x]\n", "target-unlisted", "one of those merged")
    case("merge-here", "x.yaml", own + "  <<: {init_args: {n: 1}}\n", "target-unlisted", "merged where it stands")
    case("merge-other", "x.yaml", "a: &x {n: 1}\n" + own + "  <<: *x\n", "", "nothing of that kind is merged")
    case("alias-long", "metadata.yaml", "x: &a \"f(" + "1, " * 300 + ")\"\nnames: *a\n", "target-unlisted", "more than what is kept")
    case("trust-list", "x.json", {"trust_remote_code": [1]}, "trust-flag", "true in Python")
    case("trust-map", "x.json", {"a": {"trust_remote_code": {"a": 1}}}, "trust-flag", "true in Python")
    case("trust-word", "x.json", {"trust_remote_code": "True "}, "trust-flag", "true in Python")
    case("trust-nothing", "x.json", {"a": {"trust_remote_code": []}, "b": {"trust_remote_code": ""}}, "", "not true")


def words_that_run():
    """Words without a dot, and keys whose texts some library imports or runs."""
    layers = "nc: 1\nbackbone:\n- [-1, 1, %s, [%s]]\nhead:\n- [-1, 1, Detect, [nc]]\n"
    case("logging-known", "x.yaml", "handlers: {a: {class: logging.StreamHandler}, b: {class: logging.FileHandler, filename: a.log}}\n",
         "", "as Hydra saves it")
    case("logging-other", "x.yaml", "handlers: {a: {class: subprocess.Popen}}\n", "target", "no class of a log")
    case("yolo-exec", "y.yaml", layers % ("exec", "\"'import os'\""), "expression-dangerous", "the module of a layer is called")
    case("yolo-loads", "y.yaml", layers % ("load_model", "1"), "expression", "a function of the library that loads")
    case("yolo-activation", "y.yaml", "nc: 1\nactivation: \"exec('import os')\"\n", "expression-dangerous", "evaluated before the layers")
    case("yolo-activation-hidden", "y.yaml", "nc: 1\nactivation: 'nn.ReLU(\"\\a=\", exec(\"1\"))'\n", "expression-dangerous", "in arguments")
    case("yolo-activation-named", "y.yaml", "activation: nn.LeakyReLU(negative_slope=0.1, inplace=True)\n", "", "arguments by name")
    data = "path: x\ntrain: a\nval: b\nnames: {0: a}\ndownload: "
    case("data-download", "data.yaml", data + "|\n  import os\n  os.system('id')\n", "expression", "run when no image is there")
    case("data-download-bash", "data.yaml", data + "bash x.sh\n", "expression", "run when no image is there")
    case("data-download-address", "data.yaml", data + "https://x.invalid/a.zip\n", "", "an archive of images")
    case("monai-function", "inference.json", {"a": {"_target_": "run_cmd", "cmd_list": ["id"]}}, "target", "a function of monai")
    case("monai-function-other", "inference.json", {"a": {"_target_": "own_module"}}, "target-unlisted", "a module of that name is imported")
    case("monai-workflow", "inference.json", {"a": {"_target_": "ConfigWorkflow", "config_file": "x"}}, "target-unlisted", "evaluates another file")
    flavour = "flavors:\n  python_function: {loader_module: mlflow.xgboost}\n  xgboost:\n    model_class: "
    case("mlflow-class", "MLmodel", flavour + "own_package.Own\n", "import-unlisted", "imported and called")
    case("mlflow-class-known", "MLmodel", flavour + "xgboost.sklearn.XGBClassifier\n", "", "the library's")
    case("mlflow-keras", "MLmodel", "flavors:\n  tensorflow: {keras_module: own_package}\n", "import-unlisted", "imported")
    case("mlflow-keras-known", "MLmodel", "flavors:\n  tensorflow: {keras_module: tensorflow.keras}\n", "", "the library's")
    case("mlflow-constructor", "settings.json", {"llm": {"object_constructor": "own_package.Own", "object_kwargs": {}}},
         "target-unlisted", "imported and called")
    case("mlflow-constructor-known", "settings.json", {"llm": {"object_constructor": "llama_index.llms.openai.base.OpenAI"}}, "", "the library's")
    case("jsonpickle-module", "x.json", {"a": {"py/mod": "own_package/own_package"}}, "import-unlisted", "imported")
    case("jsonpickle-module-os", "x.json", {"a": {"py/mod": "os/os"}}, "import", "imported")
    case("hydra-searchpath", "config.yaml", "hydra:\n  searchpath: ['pkg://own_package.conf']\n", "import-unlisted", "imported")
    case("hydra-searchpath-file", "config.yaml", "hydra:\n  searchpath: ['file://conf']\n", "", "a folder")
    case("interpolation-blanks", "x.yaml", "a: ${ oc.env:AWS_SECRET_ACCESS_KEY}\n", "environment-secret", "blanks around the name")
    case("interpolation-blanks-eval", "x.yaml", "a: ${ eval :f(1)}\n", "expression-dangerous", "blanks around the name")


# -- servers and tools

def servers():
    case("mlflow-os", "MLmodel", "flavors:\n  python_function:\n    loader_module: os\n", "import", "imported")
    case("mlflow-trusted", "MLmodel", "flavors:\n  sklearn:\n    skops_trusted_types:\n    - posix.system\n", "import", "trusted")
    case("mlflow-own", "MLmodel", "flavors:\n  python_function:\n    code: code\n    loader_module: own\n",
         "import-unlisted auto-map", "code of the folder")
    case("mlflow-honest", "MLmodel", "flavors:\n  python_function:\n    code: null\n    loader_module: mlflow.sklearn\n"
         "    model_path: model.pkl\n  sklearn:\n    pickled_model: model.pkl\n    skops_trusted_types: [numpy.dtype]\n", "", "honest")
    case("mlflow-path", "MLmodel", "flavors:\n  sklearn:\n    pickled_model: ../model.pkl\n", "path-escape", "unpickled")
    case("mlserver-own", "model-settings.json", {"name": "x", "implementation": "own.Model"}, "import-unlisted", "imported")
    case("mlserver-known", "model-settings.json", {"name": "x", "implementation": "mlserver_sklearn.SKLearnModel",
                                                  "parameters": {"uri": "./model.joblib"}}, "", "the project's")
    case("bento-own", "bento.yaml", "service: own:svc\n", "auto-map", "a file of the folder")
    case("bento-order", "x.yaml", "apiVersion: v1\nkind: Service\nservice: a:b\n", "", "an order to a cluster")
    case("bento-packages", "bentofile.yaml", "service: own:svc\npython:\n  packages: [numpy, 'git+https://x.invalid/y']\n",
         "auto-map requirement", "installed")
    genai = {"model": {"type": "llama", "decoder": {"filename": "model.onnx"}}, "search": {"max_length": 8}}
    case("genai-honest", "genai_config.json", genai, "", "honest")
    case("genai-library", "genai_config.json", {**genai, "model": {"custom_ops_library": "./own.so"}}, "library", "loaded")
    case("genai-vendor", "genai_config.json", {**genai, "model": {"custom_ops_library": "onnx_custom_ops.dll"}}, "library-vendor", "AMD's")
    case("genai-path", "genai_config.json", {**genai, "model": {"decoder": {"filename": "../model.onnx"}}}, "path-escape", "opened")
    case("library-key", "x.json", {"some_library": "own.so.1"}, "library", "loaded by somebody")
    case("library-word", "x.json", {"library_name": "transformers", "files": ["libfoo.so"]}, "", "a word; a list of files")
    layers = {"schemaVersion": 2, "config": {"digest": "sha256:" + "0" * 64}, "layers": []}
    case("ollama-honest", "x.json", {**layers, "layers": [{"digest": "sha256:" + "a" * 64}]}, "", "a digest")
    case("ollama-path", "x.json", {**layers, "layers": [{"digest": "sha256:../../x"}]}, "digest", "a path")
    case("ollama-short", "x.json", {**layers, "layers": [{"digest": "sha256:" + "a" * 63}]}, "digest", "a letter short")
    case("conda-git", "conda.yaml", "dependencies:\n- python=3.11\n- pip:\n  - git+https://x.invalid/y\n", "requirement", "installed")
    case("conda-http", "conda.yaml", "dependencies:\n- pip:\n  - http://x.invalid/y.whl\n", "requirement-insecure", "by plain HTTP")
    case("conda-honest", "conda.yaml", "dependencies:\n- python=3.11\n- pip:\n  - torch==2.4.0\n", "", "honest")
    case("ultralytics-names", "metadata.yaml", "names: \"__import__('os').system('id')\"\n", "expression-dangerous", "evaluated")
    case("ultralytics-honest", "metadata.yaml", "names:\n  0: person\nstride: 32\nimgsz: [640, 640]\n", "", "honest")


def values():
    case("value-import", "x.json", {"a": "__import__('os').system('id')"}, "expression", "what only eval() is for")
    case("value-text", "x.json", {"text": "__import__('os').system('id')", "messages": [{"content": "x.__globals__"}]}, "", "prose")
    case("value-soft", "x.json", {"callable": "subprocess.Popen"}, "target", "a key that some import")
    case("value-soft-words", "x.json", {"type": "test.json", "module": "encoder.layer.0", "function": {"name": "get_weather"},
                                       "handler": "code.block", "factory": "select.one", "loader": "image/png"}, "", "ordinary words")
    case("value-dunder-key", "x.json", {"__reduce__": ["a"]}, "target-unlisted", "a key of Python's own workings")


def sets():
    own = {"model_type": "own", "auto_map": {"AutoModel": "own.Own"}}
    folder("set-code", {"config.json": own, "own.py": "x = 1\n"}, "code-in-set repo-code", "the code is there")
    folder("set-missing", {"config.json": own, "other.txt": "x\n"}, "code-in-set code-missing", "the code may come later")
    folder("set-free", {"config.json": {"model_type": "own", "model_file": "own.py"}, "own.py": "x = 1\n"},
           "code-file repo-code", "nobody is asked, whatever is there")
    folder("set-component", {"model_index.json": {"_class_name": "X", "_diffusers_version": "0.30.0", "unet": ["own_unet", "Own"]},
                             "unet/own_unet.py": "x = 1\n"}, "code-in-set repo-code", "a component's code")


def zipped(name, data):
    """A ZIP archive with one stored member, by the library: its dates are fixed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr(zipfile.ZipInfo(name), text(data))
    return out.getvalue()


def archives():
    kernel = {"model_type": "llama", "_attn_implementation_internal": "mallory/kernel"}
    CORPUS.case("archive-config.zip", zipped("a/config.json", kernel), KNOWN + "config-remote-code", "in an archive")
    CORPUS.case("archive-config-not.zip", zipped("a/config.json", {"model_type": "llama"}), KNOWN, "honest, in an archive")
    index = {"_class_name": ["own", "Own"], "_diffusers_version": "0.30.0"}
    CORPUS.case("archive-index.zip", zipped("model_index.json", index), "config-auto-map", "the folder's code, in an archive")
    CORPUS.case("archive-yaml.zip", zipped("a/hyperparams.yaml", "a: !apply:os.system [id]\n"), KNOWN + "config-target", "YAML in an archive")


def inner():
    config = json.dumps({"_target_": "builtins.exec", "_args_": ["1"]})

    def tensors(metadata):
        head = json.dumps({"__metadata__": metadata}).encode()
        head += b" " * (-len(head) % 8)
        return len(head).to_bytes(8, "little") + head

    CORPUS.case("inner-config.safetensors", tensors({"__config__": config}), "config-target", "a text of the metadata")
    CORPUS.case("inner-honest.safetensors", tensors({"ss_network_module": "networks.lora", "ss_dataset": '{"a": "os.system"}',
                                                    "note": "{_target_: os.system}"}), "", "a trainer's words, and no JSON")


def honest():
    """As the libraries and their users write them, in short."""
    for kind, more in (("llama", {}), ("qwen2", {"sliding_window": None}), ("bert", {"id2label": {"0": "LABEL_0"}}),
                       ("gpt2", {"task_specific_params": {"text-generation": {"do_sample": True}}}),
                       ("whisper", {"suppress_tokens": [1, 2], "forced_decoder_ids": [[1, 2]]}), ("t5", {"feed_forward_proj": "relu"}),
                       ("clip", {"text_config": {"model_type": "clip_text_model", "_name_or_path": ""}, "vision_config": {}})):
        case("honest-" + kind, "config.json", {"_name_or_path": "/home/someone/checkpoint", "architectures": ["Model"],
                                             "model_type": kind, "torch_dtype": "bfloat16", **more}, "", "an architecture")
    case("honest-gptq", "config.json", {"model_type": "llama", "quantization_config": {"quant_method": "gptq", "bits": 4}}, "", "quantized")
    case("honest-tokenizer", "tokenizer_config.json", {
        "tokenizer_class": "LlamaTokenizerFast", "special_tokens_map_file": "/root/x/special_tokens_map.json",
        "name_or_path": "/tmp/x", "auto_map": None, "model_max_length": 10 ** 30}, "", "paths of the trainer's machine")
    case("honest-xl", "model_index.json", {
        "_class_name": "StableDiffusionXLPipeline", "_diffusers_version": "0.19.0", "force_zeros_for_empty_prompt": True,
        "text_encoder": ["transformers", "CLIPTextModel"], "unet": ["diffusers", "UNet2DConditionModel"],
        "image_encoder": [None, None]}, "", "SDXL")
    case("honest-data", "data.json", [{"text": "__import__('os').system('id')", "tools": [
        {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]}], "", "data about security")
    case("honest-workflow", "ci.yml", "jobs:\n  b:\n    steps:\n    - with: {token: '${{ secrets.TOKEN }}'}\n    - run: |\n"
         "        export PATH=${PATH}:/x\n", "", "a build service's")
    case("honest-compose", "docker-compose.yml", "services:\n  a:\n    image: x:${TAG:-latest}\n    build: {target: release}\n", "", "containers")
    case("honest-mkdocs", "mkdocs.yml", "extra: !ENV [A, b]\n", "yaml-tag-local", "a site")
    case("honest-cloud", "x.yaml", "Resources:\n  B: {Name: !Ref A, X: !Sub '${A}-b'}\n", "yaml-tag-local", "a cloud's")
    case("honest-ecapa", "hyperparams.yaml", "n_mels: 80\nfeatures: !new:speechbrain.lobes.features.Fbank\n    n_mels: !ref <n_mels>\n"
         "label_encoder: !new:speechbrain.dataio.encoder.CategoricalEncoder\n"
         "pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer\n    paths: {a: !ref <n_mels>/a.ckpt}\n", "", "a recipe")
    case("honest-recipe", "recipe.yaml", "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  path: /tmp/tokenizer.model\n"
         "optimizer: {_component_: torch.optim.AdamW, lr: 2e-5}\nloss: {_component_: torch.nn.CrossEntropyLoss}\n"
         "scheduler:\n  _component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup\n", "", "a recipe of torchtune")
    case("honest-hydra", "config.yaml", "defaults: [{model: a}]\nhydra: {run: {dir: '${now:%Y}'}}\n"
         "model: {_target_: torch.nn.Linear, in_features: '${dim}'}\n", "", "a recipe")
    case("honest-hparams", "hparams.yaml", "lr: 0.1\nshape: !!python/tuple\n- 1\n- 2\n", "yaml-python-value", "of a training run")
    case("honest-yolo", "yolo.yaml", "nc: 80\nbackbone:\n- [-1, 1, Conv, [64, 3, 2]]\nhead:\n- [-1, 1, nn.Upsample, [None, 2, 'nearest']]\n"
         "- [[15, 18], 1, Detect, [nc]]\n", "", "a network")


def templates():
    """A chat template is judged as one, whatever the configuration is written in."""
    block = "model: x\nchat_template: |\n  "
    case("template-yaml", "config.yaml", block + EVIL + "\n", "template-dunder template-unprovable", "a block of YAML")
    case("template-yaml-fair", "config.yaml", block + FAIR.replace("\n", "") + "\n", "", "an honest one")
    case("template-yaml-name", "axolotl.yaml", "base_model: x\nchat_template: chatml\n", "", "a name of one")
    case("template-yaml-list", "config.yaml", "chat_template:\n- name: tools\n  template: \"" + EVIL + "\"\n", "template-dunder template-unprovable", "a list of named ones")
    case("template-yaml-prose", "config.yaml", block.replace("chat_template", "prompt") + EVIL + "\n", "", "no template")
    CORPUS.case("template-many/config.yaml", "chat_template: [" + "a, " * 4096 + "a]\n", "config-limit", "more than are looked at")
    case("template-json-inner", "config.json", {"tokenizer": {"chat_template": "\n" * 5000 + EVIL}}, "template-dunder template-unprovable", "in a map, behind much")
    case("template-json-inner-fair", "config.json", {"tokenizer": {"chat_template": "\n" * 5000 + FAIR}}, "", "an honest one")


for part in (archives, templates, inner, honest, transformers, peft, diffusers, sentences, others_of_hubs, hydra, trees, hyperpyyaml, yaml, elsewhere, words_that_run, servers, values, sets):
    part()
CORPUS.write()
