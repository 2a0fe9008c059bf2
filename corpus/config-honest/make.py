#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: honest configurations, as the libraries' own writers shape them, every one of which
stays accepted under each policy.  tests/support/config_architectures.txt has the keys of transformers' configurations with the kind of each value; the
values are this program's.  Always the same bytes; nothing here is loaded.
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(sections=True)
NUMBERS = {"i": 8, "f": 0.125, "b": False, "n": None}


def accepted(name, data, why, codes=""):
    """A configuration, or a folder of them by their names: all of them side files.  What is accepted under `strict` is under `ci`."""
    if isinstance(data, dict) and "/" not in name:
        data = {n: json.dumps(d, indent=2) + "\n" if isinstance(d, (dict, list)) else d for n, d in data.items()}
    CORPUS.case(name, data, codes + " format-side-file", why, expect="accept")
    CORPUS.rows.append({**CORPUS.rows[-1], "policy": "strict"})


# -- transformers

def value_of(kind):
    """What a kind of config_architectures.txt stands for: i f b n, or lists of these in brackets."""
    if kind.startswith("["):
        return [value_of(kind[1:-1])] * 2 if kind != "[]" else []
    return NUMBERS[kind]


def shape_of(tokens):
    """`key:kind`, `key=word`, `key=[word]`, `key{` and what is in it up to `}`."""
    made = {}
    for token in tokens:
        if token == "}":
            break
        if token.endswith("{"):
            made[token[:-1]] = shape_of(tokens)
        elif "=" in token:
            key, word = token.split("=")
            made[key] = [word[1:-1]] if word.startswith("[") else word
        else:
            key, kind = token.split(":")
            made[key] = value_of(kind)
    return made


def read_shapes():
    """By the model's type."""
    shapes, name = {}, None
    with open(os.path.join(HERE, "..", "..", "tests", "support", "config_architectures.txt"), encoding="ascii") as f:
        for line in f:
            if line.startswith(" "):
                shapes[name] += line.split()
            else:
                name = line.strip()
                shapes[name] = []
    return {n: shape_of(iter(tokens)) for n, tokens in shapes.items()}


def written(model_type, shape):
    """With what save_pretrained() puts around it."""
    return {"_name_or_path": "someone/some-" + model_type, "architectures": [model_type.title().replace("_", "") + "Model"],
            "model_type": model_type, "torch_dtype": "bfloat16", "transformers_version": "4.55.0",
            "id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1}, **shape}


def architectures():
    for model_type, shape in read_shapes().items():
        accepted(f"arch-{model_type}/config.json", json.dumps(written(model_type, shape), indent=2) + "\n", "as transformers writes it")


def beside_models():
    llama = written("llama", read_shapes()["llama"])
    for method, rest in {"gptq": {"bits": 4, "group_size": 128, "desc_act": False, "sym": True},
                         "awq": {"bits": 4, "group_size": 128, "version": "gemm", "zero_point": True, "modules_to_not_convert": None},
                         "bitsandbytes": {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": "bfloat16",
                                          "_load_in_4bit": True, "llm_int8_skip_modules": None},
                         "fp8": {"activation_scheme": "dynamic", "weight_block_size": [128, 128], "fmt": "e4m3"},
                         "compressed-tensors": {"format": "pack-quantized", "ignore": ["lm_head"], "config_groups": {
                             "group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int", "strategy": "group"}}}},
                         "torchao": {"quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_version": 1, "_data": {
                             "group_size": None, "set_inductor_config": True}}}}}.items():
        accepted("quantized-" + method, {"config.json": {**llama, "quantization_config": {"quant_method": method, **rest}}},
                 "a quantized model")
    accepted("generation-all", {"generation_config.json": {
        "_from_model_config": True, "bos_token_id": 1, "eos_token_id": [2, 3], "pad_token_id": 0, "do_sample": True, "temperature": 0.5,
        "top_p": 0.75, "cache_implementation": None, "custom_generate": None, "suppress_tokens": [-1], "bad_words_ids": None,
        "transformers_version": "4.55.0"}}, "of a model")
    accepted("tokenizer-config", {"tokenizer_config.json": {
        "added_tokens_decoder": {"0": {"content": "<unk>", "lstrip": False, "normalized": False, "rstrip": False, "single_word": False,
                                       "special": True}}, "auto_map": None, "bos_token": "<s>", "clean_up_tokenization_spaces": False,
        "model_max_length": 10 ** 30, "name_or_path": "/home/someone/some-model", "special_tokens_map_file": "/root/.cache/x.json",
        "tokenizer_class": "LlamaTokenizer", "unk_token": "<unk>"},
        "special_tokens_map.json": {"bos_token": "<s>", "unk_token": {"content": "<unk>", "lstrip": False}}}, "of a tokenizer")
    for kind in ("CLIPImageProcessor", "ViTImageProcessor", "DetrImageProcessor", "SegformerImageProcessor", "SamImageProcessor"):
        accepted("image-" + kind, {"preprocessor_config.json": {
            "do_normalize": True, "do_rescale": True, "do_resize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
            "image_processor_type": kind, "processor_class": None, "resample": 3, "rescale_factor": 0.004,
            "size": {"height": 224, "width": 224}}}, "of images")
    for kind in ("WhisperFeatureExtractor", "Wav2Vec2FeatureExtractor", "ClapFeatureExtractor"):
        accepted("sound-" + kind, {"preprocessor_config.json": {
            "feature_extractor_type": kind, "feature_size": 80, "hop_length": 160, "chunk_length": 30, "n_fft": 400,
            "padding_side": "right", "padding_value": 0.0, "processor_class": "WhisperProcessor", "return_attention_mask": False,
            "sampling_rate": 16000}}, "of sounds")


# -- those around it

def diffusers():
    for kind in ("DDIM", "DDPM", "PNDM", "EulerDiscrete", "EulerAncestralDiscrete", "UniPCMultistep", "FlowMatchEulerDiscrete", "LCM",
                 "HeunDiscrete", "DEISMultistep", "DPMSolverMultistep"):
        accepted("scheduler-" + kind, {"scheduler_config.json": {
            "_class_name": kind + "Scheduler", "_diffusers_version": "0.35.0", "beta_end": 0.25, "beta_schedule": "scaled_linear",
            "beta_start": 0.125, "lambda_min_clipped": float("-inf"), "num_train_timesteps": 1000, "prediction_type": "epsilon",
            "timestep_spacing": "leading", "trained_betas": None, "variance_type": None}}, "a scheduler", "json-nonfinite")
    parts = {"scheduler": ["diffusers", "EulerDiscreteScheduler"], "text_encoder": ["transformers", "CLIPTextModel"],
             "tokenizer": ["transformers", "CLIPTokenizer"], "vae": ["diffusers", "AutoencoderKL"]}
    for kind, more in {
            "StableDiffusionPipeline": {"unet": ["diffusers", "UNet2DConditionModel"], "requires_safety_checker": True,
                                        "feature_extractor": ["transformers", "CLIPImageProcessor"],
                                        "safety_checker": ["stable_diffusion", "StableDiffusionSafetyChecker"]},
            "StableDiffusionXLPipeline": {"unet": ["diffusers", "UNet2DConditionModel"], "image_encoder": [None, None],
                                          "text_encoder_2": ["transformers", "CLIPTextModelWithProjection"],
                                          "tokenizer_2": ["transformers", "CLIPTokenizer"], "force_zeros_for_empty_prompt": True},
            "StableDiffusion3Pipeline": {"transformer": ["diffusers", "SD3Transformer2DModel"],
                                         "text_encoder_3": ["transformers", "T5EncoderModel"]},
            "FluxPipeline": {"transformer": ["diffusers", "FluxTransformer2DModel"], "tokenizer_2": ["transformers", "T5TokenizerFast"]},
            "WanPipeline": {"transformer": ["diffusers", "WanTransformer3DModel"], "boundary_ratio": None},
            "OnnxStableDiffusionPipeline": {"unet": ["diffusers", "OnnxRuntimeModel"]},
            "KandinskyV22Pipeline": {"movq": ["diffusers", "VQModel"]},
            "LDMTextToImagePipeline": {"bert": ["latent_diffusion", "LDMBertModel"], "vqvae": ["diffusers", "AutoencoderKL"]}}.items():
        accepted("pipeline-" + kind, {"model_index.json": {"_class_name": kind, "_diffusers_version": "0.35.0",
                                                           "_name_or_path": "someone/some-pipeline", **parts, **more}}, "a pipeline")
    for kind in ("AutoencoderKL", "UNet2DConditionModel", "ControlNetModel", "FluxTransformer2DModel", "MotionAdapter"):
        accepted("component-" + kind, {"config.json": {
            "_class_name": kind, "_diffusers_version": "0.35.0", "_name_or_path": "./unet", "act_fn": "silu", "block_out_channels": [8, 8],
            "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"], "in_channels": 4, "norm_num_groups": 4, "sample_size": 8,
            "up_block_types": ["UpBlock2D"], "time_embedding_type": "positional", "encoder_hid_dim_type": None}}, "a component")


def adapters():
    common = {"auto_mapping": None, "base_model_name_or_path": "someone/some-model", "inference_mode": True, "revision": None,
              "task_type": "CAUSAL_LM", "peft_version": "0.17.0"}
    lora = {"alpha_pattern": {}, "bias": "none", "corda_config": None, "eva_config": None, "exclude_modules": None,
            "fan_in_fan_out": False, "init_lora_weights": True, "layer_replication": None, "layers_pattern": None,
            "layers_to_transform": None, "loftq_config": {}, "lora_alpha": 16, "lora_bias": False, "lora_dropout": 0.125,
            "megatron_config": None, "megatron_core": "megatron.core", "modules_to_save": ["lm_head"], "qalora_group_size": 16, "r": 8,
            "rank_pattern": {}, "target_modules": ["q_proj", "v_proj"], "target_parameters": None, "trainable_token_indices": None,
            "use_dora": False, "use_qalora": False, "use_rslora": False}
    for kind, more in {
            "LORA": lora, "LORA_REGEX": {**lora, "peft_type": "LORA", "target_modules": "model\\.layers\\.\\d+\\.self_attn\\.(q|v)_proj"},
            "LORA_MAPPED": {**lora, "peft_type": "LORA", "task_type": None, "auto_mapping": {
                "base_model_class": "LlamaForCausalLM", "parent_library": "transformers.models.llama.modeling_llama"}},
            "PREFIX_TUNING": {"encoder_hidden_size": 8, "num_virtual_tokens": 4, "prefix_projection": False, "token_dim": 8},
            "PROMPT_TUNING": {"num_virtual_tokens": 4, "prompt_tuning_init": "TEXT", "prompt_tuning_init_text": "Classify (a, b): ",
                              "tokenizer_name_or_path": "someone/some-model"},
            "IA3": {"feedforward_modules": ["down_proj"], "target_modules": ["k_proj", "down_proj"], "init_ia3_weights": True},
            "ADALORA": {**lora, "beta1": 0.5, "beta2": 0.5, "deltaT": 1, "target_r": 8, "init_r": 12, "tinit": 0, "tfinal": 0},
            "LOHA": {"alpha": 8, "module_dropout": 0.0, "rank_dropout": 0.0, "use_effective_conv2d": False, "r": 8},
            "OFT": {"block_share": False, "coft": False, "eps": 0.125, "oft_block_size": 32, "use_cayley_neumann": True},
            "VERA": {"d_initial": 0.125, "projection_prng_key": 0, "save_projection": True, "vera_dropout": 0.0}}.items():
        accepted("peft-" + kind, {"adapter_config.json": {"peft_type": kind, **common, **more}}, "an adapter")


def sentences():
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
               {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
               {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"},
               {"idx": 3, "name": "3", "path": "3_Normalize", "type": "sentence_transformers.models.Normalize"}]
    accepted("sentence-all", {
        "modules.json": modules, "sentence_bert_config.json": {"max_seq_length": 128, "do_lower_case": False},
        "config_sentence_transformers.json": {"__version__": {"sentence_transformers": "5.0.0", "pytorch": "2.7.0"}, "prompts": {
            "query": "Instruct: find (what)\nQuery: "}, "default_prompt_name": None, "similarity_fn_name": "cosine",
            "model_type": "SentenceTransformer"},
        "1_Pooling/config.json": {"word_embedding_dimension": 8, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True},
        "2_Dense/config.json": {"in_features": 8, "out_features": 8, "bias": True, "activation_function": "torch.nn.modules.activation.Tanh"}},
        "a bi-encoder")
    accepted("sentence-sparse", {"modules.json": [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.sparse_encoder.models.MLMTransformer"},
        {"idx": 1, "name": "1", "path": "1_SpladePooling", "type": "sentence_transformers.sparse_encoder.models.SpladePooling"}]}, "sparse")
    accepted("sentence-late", {"modules.json": [modules[0], {"idx": 1, "name": "1", "path": "1_Dense", "type": "pylate.models.Dense.Dense"}]},
             "late interaction")
    accepted("sentence-cross", {"config.json": {**written("bert", read_shapes()["bert"]), "sentence_transformers": {
        "activation_fn": "torch.nn.modules.activation.Sigmoid", "version": "5.0.0"}}}, "a cross-encoder")


def timm():
    pretrained = {"tag": "some_tag", "custom_load": False, "input_size": [3, 224, 224], "fixed_input_size": True,
                  "interpolation": "bicubic", "crop_pct": 0.875, "crop_mode": "center", "mean": [0.5] * 3, "std": [0.5] * 3,
                  "num_classes": 8, "pool_size": [7, 7], "first_conv": "conv1", "classifier": "fc", "license": "apache-2.0",
                  "hf_hub_id": "timm/some_model", "url": "https://host.example/some.pth", "origin_url": "https://host.example/"}
    for name in ("resnet50", "vit_base_patch16_224", "convnext_tiny", "efficientnet_b0", "swin_tiny_patch4_window7_224"):
        accepted("timm-" + name, {"config.json": {"architecture": name, "num_classes": 8, "num_features": 64, "global_pool": "avg",
                                                  "model_args": {"img_size": 224}, "pretrained_cfg": pretrained}}, "as timm pushes it")
    accepted("clip-open", {"open_clip_config.json": {"model_cfg": {
        "embed_dim": 8, "vision_cfg": {"timm_model_name": "vit_base_patch16_siglip_224", "timm_pool": "map", "image_size": 224},
        "text_cfg": {"context_length": 64, "hf_tokenizer_name": "timm/some-tokenizer", "tokenizer_kwargs": {"clean": "canonicalize"}}},
        "preprocess_cfg": {"mean": [0.5] * 3, "std": [0.5] * 3, "interpolation": "bicubic"}}}, "open_clip")
    accepted("project-vision", {"config.json": {**written("llava", read_shapes()["llava"]), "mm_projector_type": "mlp2x_gelu",
                                                "mm_vision_tower": "openai/clip-vit-large-patch14-336", "mm_use_im_patch_token": False,
                                                "mm_vision_select_layer": -2, "tune_mm_mlp_adapter": False}}, "of LLaVA, for mmproj")


SPACY = """[paths]
train = null
dev = null
vectors = "en_core_web_lg"

[system]
gpu_allocator = "pytorch"
seed = 0

[nlp]
lang = "en"
pipeline = ["tok2vec","ner","textcat"]
batch_size = 256
tokenizer = {"@tokenizers":"spacy.Tokenizer.v1"}

[components]

[components.ner]
factory = "ner"
incorrect_spans_key = null

[components.ner.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "ner"
hidden_width = 64
nO = null

[components.ner.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = ${components.tok2vec.model.encode.width}
upstream = "*"

[components.tok2vec]
source = "de_core_news_md"

[components.textcat]
factory = "textcat"

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[training]
dev_corpus = "corpora.dev"
optimizer = {"@optimizers":"Adam.v1","learn_rate":{"@schedules":"warmup_linear.v1","initial_rate":0.125}}

[training.batcher]
@batchers = "spacy.batch_by_words.v1"

[training.batcher.size]
@schedules = "compounding.v1"
start = 100
"""

RECIPE = """# Generated 2026-01-01 from: /home/someone/recipe.yaml
sample_rate: 16000
n_mels: 80
pretrained_path: someone/some-model
emb_dim: 192
save_folder: !ref <pretrained_path>/save
compute_features: !new:speechbrain.lobes.features.Fbank
  n_mels: !ref <n_mels>
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
  norm_type: sentence
  std_norm: False
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
  input_size: !ref <n_mels>
  channels: [1024, 1024, 1024, 1024, 3072]
  lin_neurons: !ref <emb_dim>
classifier: !new:speechbrain.lobes.models.ECAPA_TDNN.Classifier
  input_size: !ref <emb_dim>
  out_neurons: 8
activation: !name:torch.nn.LeakyReLU
opt_class: !name:torch.optim.Adam
  lr: 0.125
  betas: (0.9, 0.98)
log_softmax: !new:torch.nn.LogSoftmax
  dim: -1
tokenizer: !new:sentencepiece.SentencePieceProcessor
compute_cost: !name:speechbrain.nnet.losses.nll_loss
epoch_counter: !new:speechbrain.utils.epoch_loop.EpochCounter
  limit: 8
modules:
  embedding_model: !ref <embedding_model>
  classifier: !ref <classifier>
model: !new:torch.nn.ModuleList
  - [!ref <embedding_model>, !ref <classifier>]
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
  loadables:
    embedding_model: !ref <embedding_model>
  paths:
    embedding_model: !ref <pretrained_path>/embedding_model.ckpt
"""

YOLO = """# parameters
nc: 8
depth_multiple: 0.25
width_multiple: 0.5
anchors:
  - [8, 8, 16, 16]
backbone:
  - [-1, 1, Conv, [64, 6, 2, 2]]
  - [-1, 3, C3, [128]]
  - [-1, 1, SPPF, [1024, 5]]
head:
  - [-1, 1, Conv, [512, 1, 1]]
  - [-1, 1, nn.Upsample, [None, 2, 'nearest']]
  - [[-1, 6], 1, Concat, [1]]
  - [-1, 3, C2f, [512, False]]
  - [[17, 20, 23], 1, Detect, [nc, anchors]]
"""


def texts():
    accepted("spacy-pipeline", {"config.cfg": SPACY, "meta.json": {
        "lang": "en", "name": "pipeline", "version": "0.0.0", "spacy_version": ">=3.8.0", "vectors": {"width": 8, "vectors": 0, "keys": 0},
        "labels": {"ner": ["ORG", "DATE"]}, "pipeline": ["ner"], "requirements": []}}, "of spaCy")
    accepted("recipe-speaker", {"hyperparams.yaml": RECIPE}, "of SpeechBrain")
    accepted("yolo-model", {"some-yolo.yaml": YOLO}, "of YOLOv5 and YOLOv8")
    accepted("yolo-data", {"data.yaml": "path: ../datasets/some\ntrain: images/train\nval: images/val\nnc: 2\nnames:\n  0: person\n  1: car\n"
                                        "download: https://host.example/some.zip\n"}, "a data set")
    accepted("yolo-args", {"args.yaml": "task: detect\nmode: train\nmodel: some.pt\ndata: data.yaml\nepochs: 8\nimgsz: 640\nbatch: 16\n"
                                        "device: null\noptimizer: auto\nsave_dir: /runs/detect/train\ntracker: botsort.yaml\n"},
             "of a run")
    accepted("yolo-metadata", {"metadata.yaml": "description: Ultralytics some model\ntask: detect\nbatch: 1\nimgsz:\n- 640\n- 640\nnames:\n"
                                                "  0: person\nargs:\n  batch: 1\n  half: false\nstride: 32\n"}, "beside an exported model")
    accepted("whisper-all", {"config.json": written("whisper", read_shapes()["whisper"]), "generation_config.json": {
        "alignment_heads": [[1, 0]], "forced_decoder_ids": [[1, None], [2, 8]], "is_multilingual": True, "lang_to_id": {"<|en|>": 4},
        "suppress_tokens": [1, 2], "task_to_id": {"transcribe": 9}, "max_initial_timestamp_index": 1},
        "preprocessor_config.json": {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 80}}, "of Whisper")


CORPUS.make(architectures, beside_models, diffusers, adapters, sentences, timm, texts)
