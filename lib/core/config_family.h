/* Which library's configuration a file's base name suggests: one byte of the job, and all that the worker learns of the name
 * beside the family of its format (formats.h).  Follows formats/configs, section 2. */
#pragma once

/* X(id, names): base names, separated by blanks, without regard to case; one with a star stands for any text there. */
/* clang-format off */
#define CONFIG_FAMILIES(X)                                                                                  \
	X(NONE, "")                                                                                         \
	X(TRANSFORMERS, "config.json")                                                                      \
	X(TOKENIZER, "tokenizer_config.json preprocessor_config.json processor_config.json "                \
	  "video_preprocessor_config.json feature_extractor*.json")                                         \
	X(GENERATION, "generation_config.json")                                                             \
	X(PEFT, "adapter_config.json")                                                                      \
	X(DIFFUSERS, "model_index.json modular_model_index.json")                                           \
	X(SENTENCE, "modules.json router_config.json wordembedding_config.json sentence_*_config.json")     \
	X(LEROBOT, "policy_preprocessor.json policy_postprocessor.json processor.json")                     \
	X(MODELSCOPE, "configuration.json")                                                                 \
	X(OPEN_CLIP, "open_clip_config.json")                                                               \
	X(MONAI, "inference.json inference.yaml inference.yml metadata.json")                               \
	X(HYPERPYYAML, "hyperparams.yaml hyperparams.yml")                                                  \
	X(NEMO, "model_config.yaml run_config.yaml")                                                        \
	X(HPARAMS, "hparams.yaml")                                                                          \
	X(LIGHTNING, "")                                                                                    \
	X(TORCHTUNE, "")                                                                                    \
	X(LATENT, "")                                                                                       \
	X(MMENGINE, "")                                                                                     \
	X(YOLO, "")                                                                                         \
	X(ALLENNLP, "")                                                                                     \
	X(SPACY, "config.cfg")                                                                              \
	X(LANGCHAIN, "")                                                                                    \
	X(PYANNOTE, "")                                                                                     \
	X(NNUNET, "plans.json nnunetplans.json")                                                            \
	X(COQUI, "")                                                                                        \
	X(LUDWIG, "model_hyperparameters.json")                                                             \
	X(GIN, "*.gin")                                                                                     \
	X(FIDDLE, "")                                                                                       \
	X(JSONPICKLE, "")                                                                                   \
	X(MLFLOW, "mlmodel mlproject")                                                                                \
	X(MLSERVER, "model-settings.json")                                                                  \
	X(BENTOML, "bentofile.yaml bento.yaml")                                                             \
	X(TRITON, "config.pbtxt")                                                                           \
	X(GENAI, "genai_config.json")                                                                       \
	X(OLLAMA, "modelfile modelfile.* *.modelfile")                                                      \
	X(REQUIREMENTS, "*requirements*.txt requirements*.in constraints*.txt .modelscope_plugins")                                          \
	X(CONDA, "conda.yaml conda.yml python_env.yaml environment.yaml environment.yml")                   \
	X(ULTRALYTICS, "metadata.yaml")                                                                     \
	X(TRAINING, "training_args.* llamaboard_config.yaml args.json axolotl*.yml axolotl*.yaml "          \
	  "*recipe*.yml *recipe*.yaml trainer_config*")                                                     \
	X(VOCABULARY, "vocab.json")                                                                         \
	X(MONAI_TRAIN, "train.json train.yaml train.yml")                                                   \
	X(TOML, "*.toml")                                                                                   \
	X(SETTINGS, "*.ini *.cfg *.conf *.properties pipfile")                                                 \
	X(MODULE_NAME, "pickle_module_info.txt keras_module.txt")                                           \
	X(TYPE_NAME, "type.txt")                                                                            \
	X(CHAT_TEMPLATE, "*template*.jinja *template*.jinja2 *template*.j2")                                \
	X(GENERATOR, "")                                                                                    \
	X(ENVIRONMENT, ".env .env.* *.env .flaskenv")                                                       \
	X(PROMPTY, "*.prompty")                                                                             \
	X(SOURCE, "*.c *.cc *.cpp *.cxx *.h *.hh *.hpp *.cu *.cuh *.m *.mm *.java *.kt *.scala *.go *.rs "  \
	  "*.swift *.cs *.ts *.tsx *.jsx *.mjs *.cjs *.dart *.metal *.cmake *.el *.vim")
/* clang-format on */

enum config_family {
#define X(id, names) CONFIG_##id,
	CONFIG_FAMILIES(X)
#undef X
	    CONFIG_N_FAMILIES
};

/* @name: as the caller gave it, with or without folders; may be NULL.  CONFIG_NONE for no opinion. */
enum config_family config_family_hint(const char *name);
