/* The keys that some loader acts on: formats/configs, sections 2 and 3.  What is not here is forgotten as it is read.
 *
 * X(id, "key", how): T texts under it are kept; S texts that are dangerous names are kept; C so are maps and lists, and A all
 * texts in them; B truth values; E: texts below it are exempt from the rules for values (section 3.4); V: words of a
 * vocabulary, which are no keys where they have numbers; N: it is only noted that its map has it. */
#pragma once

#include "bytes.h"

enum { N = 0, T = 1, S = 2, C = 4, A = 8 | C, B = 16, E = 32, V = 64, ANY = 128 };

/* clang-format off */
/* Those whose presence other rules ask for: at most 64. */
#define CONFIG_KEYS_NOTED(X)                        \
	X(MODEL_TYPE, "model_type", T)              \
	X(ARCHITECTURES, "architectures", N)        \
	X(TRANSFORMERS_VERSION, "transformers_version", N) \
	X(PEFT_TYPE, "peft_type", N)                \
	X(CLASS_NAME_, "_class_name", T | A)        \
	X(DIFFUSERS_VERSION, "_diffusers_version", N) \
	X(STEPS, "steps", A)                        \
	X(FRAMEWORK, "framework", N)                \
	X(TASK, "task", N)                          \
	X(PRETRAINED_CFG, "pretrained_cfg", C)      \
	X(ARCHITECTURE, "architecture", C)          \
	X(INIT_ARGS, "init_args", N)                \
	X(PARAMS, "params", N)                      \
	X(DATA_, "_data", N)                        \
	X(BACKBONE, "backbone", A)                  \
	X(HEAD, "head", A)                          \
	X(DATASET_READER, "dataset_reader", C)      \
	X(MODEL, "model", T | C)                    \
	X(COMPONENTS, "components", C)              \
	X(CONNECTIONS, "connections", N)            \
	X(CONFIGURATIONS, "configurations", C)      \
	X(PLANS_NAME, "plans_name", N)              \
	X(CHARACTERS, "characters", C)              \
	X(FLAVORS, "flavors", C)                    \
	X(IMPLEMENTATION, "implementation", T)      \
	X(SERVICE, "service", T)                    \
	X(SEARCH, "search", N)                      \
	X(SCHEMA_VERSION, "schemaVersion", N)       \
	X(LAYERS, "layers", C)                      \
	X(MEGATRON_CONFIG, "megatron_config", N)    \
	X(INPUT_FEATURES, "input_features", C)      \
	X(TRAINER, "trainer", C)                    \
	X(API_VERSION, "apiVersion", N)             \
	X(KIND, "kind", N)                          \
	X(CUSTOM_IMPORTS, "custom_imports", C)      \
	X(PIPELINE, "pipeline", C)                  \
	X(REQUIRES_, "_requires_", T | A)           \
	X(REGISTRY_NAME, "registry_name", N)        \
	X(TARGET_, "_target_", ANY | A)             \
	X(BASE_, "_base_", T | A)                   \
	X(BASE, "_BASE_", T | A)                    \
	X(COMPONENT_, "_component_", ANY | A)       \
	X(PREPROCESSORS, "preprocessors", C)        \
	X(SCHEMA, "schema", N)                      \
	X(LC, "lc", N)                              \
	X(ID, "id", A)                              \
	X(CONFIG_, "config", C)                     \
	X(VAL, "val", N)                            \
	X(TRAIN, "train", N)                        \
	X(COMPONENT_TYPE, "component_type", N)      \
	X(SIGNATURES, "signatures", N)              \
	X(MODEL_NAME, "modelName", N)               \
	X(TOKENIZER_VERSION, "added_tokens", V | E)

#define CONFIG_KEYS_ACTED(X)                        \
	X(INSTANTIATOR, "_instantiator", ANY | A)   \
	X(CLASS_PATH_, "_class_path", ANY | A)      \
	X(CLASS_PATH, "class_path", T | C | A)      \
	X(PY_OBJECT, "py/object", ANY | A)          \
	X(PY_TYPE, "py/type", ANY | A)              \
	X(PY_FUNCTION, "py/function", ANY | A)      \
	X(PY_REPR, "py/repr", ANY | A)              \
	X(PY_REDUCE, "py/reduce", ANY | A)          \
	X(PY_MODULE, "py/mod", ANY)                 \
	X(MODEL_CLASS, "model_class", T)            \
	X(KERAS_MODULE, "keras_module", T)          \
	X(OBJECT_CONSTRUCTOR, "object_constructor", T) \
	X(SEARCHPATH, "searchpath", A)              \
	X(DOWNLOAD, "download", T)                  \
	X(CALLED, "()", ANY)                        \
	X(KWARGS, "kwargs", T)                      \
	X(TEMPLATE_PATH, "template_path", T)        \
	X(TEMPLATE, "template", T | E)              \
	X(EXAMPLES, "examples", T | E)              \
	X(PREFIX_PATH, "prefix_path", T)            \
	X(SUFFIX_PATH, "suffix_path", T)            \
	X(PROMPT_PATH, "prompt_path", T)            \
	X(EXAMPLE_PROMPT_PATH, "example_prompt_path", T) \
	X(LLM_PATH, "llm_path", T)                  \
	X(LLM_CHAIN_PATH, "llm_chain_path", T)      \
	X(FORMAT, "format", T)                      \
	X(COMPRESSION_CONFIG, "compression_config", C) \
	X(MODEL_ARGS, "model_args", C)              \
	X(BACKBONE_KWARGS, "backbone_kwargs", C)    \
	X(CFG_OVERLAY, "pretrained_cfg_overlay", C) \
	X(CHECKPOINT_PATH, "checkpoint_path", T)    \
	X(PROVIDER, "provider", T)                  \
	X(SOURCE_CODE, "source_code", T)            \
	X(GLOBAL_IMPORTS, "global_imports", A)      \
	X(ASYNC_FUNCTION, "async_function", T)      \
	X(SPLITTING_FUNCTION, "splitting_function", T) \
	X(EMBEDDING_FN, "embedding_fn", T)          \
	X(RESPONSE_FN, "response_fn", T)            \
	X(TOKEN_PROVIDER, "azure_ad_token_provider", T) \
	X(SCHEDULER_CLS, "scheduler-cls", T)        \
	X(SCHEDULER_CLS_, "scheduler_cls", T)       \
	X(MIDDLEWARE, "middleware", T | A)              \
	X(LOGITS_PROCESSORS, "logits-processors", T | A) \
	X(LOGITS_PROCESSORS_, "logits_processors", T | A) \
	X(REPOSITORY_IMPLEMENTATION, "model_repository_implementation", T) \
	X(STREAMING_CALLBACK, "streaming_callback", T) \
	X(CUSTOM_FILTERS, "custom_filters", A)      \
	X(UNSAFE, "unsafe", B)                      \
	X(IMPORT_PATH, "import_path", T)            \
	X(SOURCE, "source", T)                      \
	X(ENVIRONMENT_TARBALL, "environment_tarball", T) \
	X(ENVIRONMENT_PATH, "environment_path", T)  \
	X(CHANNELS, "channels", A)                  \
	X(ENV, "env", A)                            \
	X(TRUST_HYPHENS, "trust-remote-code", B | ANY) \
	X(TOOL_PARSER, "tool-parser-plugin", T)     \
	X(TOOL_PARSER_, "tool_parser_plugin", T)    \
	X(REASONING_PARSER, "reasoning-parser-plugin", T) \
	X(REASONING_PARSER_, "reasoning_parser_plugin", T) \
	X(WORKER_CLS, "worker-cls", T)              \
	X(WORKER_CLS_, "worker_cls", T)             \
	X(WORKER_EXTENSION, "worker-extension-cls", T) \
	X(WORKER_EXTENSION_, "worker_extension_cls", T) \
	X(RUNTIME_ENV, "runtime_env", C)            \
	X(WORKING_DIR, "working_dir", T)            \
	X(PY_MODULES, "py_modules", A)              \
	X(LOAD_MODELS, "load_models", T)            \
	X(TRANSPORT, "transport", T)                \
	X(INCLUDE_PACKAGE, "include_package", T | A) \
	X(INCLUDE_PACKAGES, "include_packages", T | A) \
	X(IMPORT_PACKAGES, "import_packages", T | A) \
	X(IMPORT_MODULES, "import_modules", T | A)  \
	X(EXTRA_IMPORTS, "extra_imports", T | A)    \
	X(COMMAND, "command", T | A)                   \
	X(RUN_ON, "runOn", T)                       \
	X(ON_READY, "onready", T)                   \
	X(INITIALIZE_COMMAND, "initializeCommand", T | A) \
	X(PREINSTALL, "preinstall", T)              \
	X(INSTALL, "install", T)                    \
	X(POSTINSTALL, "postinstall", T)            \
	X(PREPARE, "prepare", T)                    \
	X(MCP_CONFIG, "mcpServerConfig", T | C)     \
	X(SCRIPT_FUNCTION, "javascriptFunction", T) \
	X(SYSTEM_PACKAGES, "system_packages", A)    \
	X(BASE_IMAGE, "base_image", T)              \
	X(BUILD_COMMANDS, "build_commands", A)      \
	X(DOCKERFILE_LINES, "dockerfile_lines", A)  \
	X(RUN, "run", A)                            \
	X(CLASS_TYPE, "class_type", T)              \
	X(KIND_, "__kind__", T)                     \
	X(SERIALIZED, ":serialized:", ANY)          \
	X(EXTERNAL_LIB, "external_lib", T)          \
	X(CUSTOM_IMPORT, "custom_import", T)        \
	X(CUSTOM_CONFIG, "custom_config_module", T) \
	X(KV_CONNECTOR, "kv_connector_module_path", T) \
	X(EC_CONNECTOR, "ec_connector_module_path", T) \
	X(TOOL, "tool", T)                          \
	X(USER_DIR, "user_dir", T)                  \
	X(CONV_LAYERS, "conv_feature_layers", T)    \
	X(EXTRACTOR_LAYERS, "extractor_conv_feature_layers", T) \
	X(ADAM_BETAS, "adam_betas", T)              \
	X(POLICIES, "policies", C)                  \
	X(IMPORTERS, "importers", C)                \
	X(REQUIREMENTS, "requirements", T | A)      \
	X(INSTALL_REQUIRES, "install_requires", T | A) \
	X(SETUP_REQUIRES, "setup_requires", T | A)  \
	X(REQUIRES, "requires", T | A)              \
	X(PIP_PACKAGES, "pip_packages", T | A)      \
	X(PIP_REQUIREMENTS, "pip_requirements", T | A) \
	X(PYTHON_PACKAGES, "python_packages", T | A) \
	X(OPTIONAL_DEPENDENCIES, "optional-dependencies", A) \
	X(DEPENDENCY_GROUPS, "dependency-groups", A) \
	X(BACKEND_PATH, "backend-path", A)          \
	X(INDEX_URL, "index_url", T | A)            \
	X(INDEX_URL_, "index-url", T | A)           \
	X(EXTRA_INDEX_URL, "extra_index_url", T | A) \
	X(EXTRA_INDEX_URL_, "extra-index-url", T | A) \
	X(FIND_LINKS, "find_links", T | A)          \
	X(FIND_LINKS_, "find-links", T | A)         \
	X(TRUSTED_HOST, "trusted_host", T | A)      \
	X(TRUSTED_HOST_, "trusted-host", T | A)     \
	X(URL, "url", T)                            \
	X(GIT, "git", T)                            \
	X(ENVIRONMENT_YML, "environment_yml", T)    \
	X(REQUIREMENTS_TXT, "requirements_txt", T)  \
	X(MODEL_DATA, "model_data", T)              \
	X(PERSIST_DIR, "persist_dir", T)            \
	X(LOADER_FN, "loader_fn", T)                \
	X(TOOLS_DATA, "tools_data", T)              \
	X(AGENT_DATA, "agent_data", T)              \
	X(MODEL_BINARY, "model_binary", T)          \
	X(ARTIFACT_PATH, "artifact_path", T)        \
	X(DATASET, "dataset", T)                    \
	X(ALLOW_DESERIALIZATION, "allow_dangerous_deserialization", B) \
	X(ALLOW_CODE, "allow_dangerous_code", B)    \
	X(ALLOW_EXECUTION, "allow_code_execution", B) \
	X(ENV_SET, "env_set", A)                    \
	X(ENV_VARS, "env_vars", A)                  \
	X(VARIABLES, "variables", C)                \
	X(DEFAULT_SCOPE, "default_scope", T)        \
	X(SCOPE_, "_scope_", T)                     \
	X(LOGGER, "logger", T)                      \
	X(PROFILER, "profiler", T)                  \
	X(STRATEGY, "strategy", T)                  \
	X(CALLBACKS, "callbacks", T | A)            \
	X(OPTIMIZER, "optimizer", T)                \
	X(LR_SCHEDULER, "lr_scheduler", T)          \
	X(DICT_KWARGS, "dict_kwargs", C)            \
	X(AT_CALLBACKS, "@callbacks", T)            \
	X(CALL_SOURCE, "call_source", T)            \
	X(QUALIFIED_NAME, "qualified_name", T)      \
	X(IS_PYDANTIC, "__is_pydantic", B)          \
	X(IS_COMPONENT, "__is_component", B)        \
	X(CONNECTION_MODULE, "promptflow.connection.module", T) \
	X(CUSTOM_TYPE, "custom_type", T)            \
	X(INPUT_TYPE, "type_", T)                   \
	X(OUTPUT_TYPE, "output_type", T | A)        \
	X(BACKEND, "backend", T)                    \
	X(INDUCTOR_PASSES, "inductor_passes", A)    \
	X(SPEC_MODULE, "spec_module_path", T)       \
	X(COMMANDS, "commands", A)                  \
	X(POST_COMMANDS, "post_commands", A)        \
	X(REDUCE, "__reduce__", ANY)                \
	X(CLASS, "__class__", ANY)                  \
	X(INIT, "__init__", ANY)                    \
	X(GLOBALS, "__globals__", ANY)              \
	X(IMPORT, "$import", ANY)                   \
	X(TARGET, "target", T)                      \
	X(CLS, "cls", T)                            \
	X(CLASS_WORD, "class", T)                   \
	X(CLASS_NAME, "class_name", S)              \
	X(MODULE, "module", T)                      \
	X(NAME, "name", T)                          \
	X(TYPE, "type", T)                          \
	X(CALLABLE, "callable", S)                  \
	X(FUNCTION, "function", S | T)                 \
	X(FACTORY, "factory", S)                    \
	X(CONSTRUCTOR, "constructor", S)            \
	X(ENTRY_POINT, "entry_point", S)            \
	X(HANDLER, "handler", S | T)                   \
	X(LOADER, "loader", S)                      \
	X(LOADER_MODULE, "loader_module", T)        \
	X(TOKENIZER_CLASS, "tokenizer_class", T)    \
	X(ACTIVATION_FN, "activation_fn", T)        \
	X(ACTIVATION_FUNCTION, "activation_function", T) \
	X(ACTIVATION, "activation", T)              \
	X(SBERT_ACTIVATION, "sbert_ce_default_activation_function", T) \
	X(PARENT_LIBRARY, "parent_library", T)      \
	X(MEGATRON_CORE, "megatron_core", T)        \
	X(CHARACTERS_CLASS, "characters_class", T)  \
	X(PLUGIN, "plugin", S)                      \
	X(PLUGINS, "plugins", A)                    \
	X(IMPORTS, "imports", T | A)                \
	X(EXTENSIONS, "extensions", S | A)          \
	X(TRUST, "trust_remote_code", B | ANY)      \
	X(ALLOW_REMOTE, "allow_remote", B)          \
	X(AUTO_MAP, "auto_map", T | A)              \
	X(CUSTOM_PIPELINES, "custom_pipelines", C)  \
	X(IMPL, "impl", T)                          \
	X(ATTN, "attn_implementation", T | A)       \
	X(ATTN_, "_attn_implementation", T | A)     \
	X(ATTN_INTERNAL, "attn_implementation_internal", T | A) \
	X(ATTN__INTERNAL, "_attn_implementation_internal", T | A) \
	X(EXPERTS, "experts_implementation", T | A) \
	X(EXPERTS_, "_experts_implementation", T | A) \
	X(EXPERTS_INTERNAL, "experts_implementation_internal", T | A) \
	X(EXPERTS__INTERNAL, "_experts_implementation_internal", T | A) \
	X(MODEL_FILE, "model_file", T)              \
	X(QUANTIZATION_CONFIG, "quantization_config", C) \
	X(TYPE_, "_type", T)                        \
	X(CONFIGURATION_FILES, "configuration_files", A) \
	X(TRANSFORMERS_WEIGHTS, "transformers_weights", T) \
	X(INDEX_PATH, "index_path", T)              \
	X(PASSAGES_PATH, "passages_path", T)        \
	X(CUSTOM_GENERATE, "custom_generate", T)    \
	X(AUTO_MAPPING, "auto_mapping", C)          \
	X(CACHE_FILE, "cache_file", T)              \
	X(COVARIANCE_FILE, "covariance_file", T)    \
	X(PROMPT_STATE, "prompt_tuning_init_state_dict_path", T) \
	X(VOCAB_FILE, "vocab_file", T)              \
	X(MERGES_FILE, "merges_file", T)            \
	X(SPM_FILE, "spm_file", T)                  \
	X(SOURCE_SPM, "source_spm", T)              \
	X(TARGET_SPM, "target_spm", T)              \
	X(SRC_VOCAB_FILE, "src_vocab_file", T)      \
	X(TGT_VOCAB_FILE, "tgt_vocab_file", T)      \
	X(TARGET_VOCAB_FILE, "target_vocab_file", T) \
	X(ENTITY_VOCAB_FILE, "entity_vocab_file", T) \
	X(MONOLINGUAL_FILE, "monolingual_vocab_file", T) \
	X(NORMALIZER_FILE, "normalizer_file", T)    \
	X(EMOJI_FILE, "emoji_file", T)              \
	X(WORD_SHAPE_FILE, "word_shape_file", T)    \
	X(WORD_PRONUNCIATION_FILE, "word_pronunciation_file", T) \
	X(TOKENIZER_FILE, "tokenizer_file", T)      \
	X(SOURCE_REVISION, "source_model_revision", T) \
	X(EXPLAINER, "serialized_explainer", T)     \
	X(SAVED_MODEL_DIR, "saved_model_dir", T)    \
	X(ADAPTER_WEIGHTS, "adapter_weights", T)    \
	X(PARAMETERS_PATH, "parameters_path", T)    \
	X(TYPE_HINT, "type_hint", A)                \
	X(PATH, "path", T)                          \
	X(TYPES, "types", A)                        \
	X(STATE_FILE, "state_file", T)              \
	X(MODEL_NAME_OR_PATH_, "_name_or_path", T)  \
	X(PRETRAINED_NAME, "pretrained_model_name_or_path", T) \
	X(NAME_OR_PATH, "name_or_path", T)          \
	X(REPO_ID, "repo_id", T)                    \
	X(MODEL_ID, "model_id", T)                  \
	X(MODEL_NAME_OR_PATH, "model_name_or_path", T) \
	X(KEYPOINT, "keypoint_detector_config", C)  \
	X(TOKENIZER_KWARGS, "tokenizer_kwargs", C)  \
	X(FILE, "file", T)                          \
	X(ARGS_, "_args_", A)                       \
	X(MODE_, "_mode_", T)                       \
	X(NETWORK_CLASS, "network_class_name", T)   \
	X(ARCH_KWARGS, "arch_kwargs", A)            \
	X(REQUIRES_IMPORT, "_kw_requires_import", A) \
	X(SKOPS_TRUSTED, "skops_trusted_types", A)  \
	X(PYTHON_FUNCTION, "python_function", C)    \
	X(CODE, "code", T | E)                      \
	X(MODEL_CODE_PATH, "model_code_path", T)    \
	X(PICKLED_MODEL, "pickled_model", T)        \
	X(PYTHON_MODEL, "python_model", T)          \
	X(MODEL_PATH, "model_path", T)              \
	X(DATA, "data", T)                          \
	X(URI, "uri", T)                            \
	X(SETUP_SCRIPT, "setup_script", T)          \
	X(DOCKERFILE, "dockerfile_template", T)     \
	X(PACKAGES, "packages", A)                  \
	X(PYTHON, "python", C)                      \
	X(CUSTOM_OPS, "custom_ops_library", T)      \
	X(LIBRARY_PATH, "library_path", T)          \
	X(EP_LIBRARY, "external_ep_libray", T)      \
	X(FILENAME, "filename", T)                  \
	X(CONFIG_FILENAME, "config_filename", T)    \
	X(ADAPTER_FILENAME, "adapter_filename", T)  \
	X(DATA_FILE, "data_file", T)                \
	X(DIGEST, "digest", T)                      \
	X(CONFIG_MAP_, "provider_options", C)       \
	X(DEPENDENCIES, "dependencies", A)          \
	X(PIP, "pip", A)                            \
	X(BUILD_DEPENDENCIES, "build_dependencies", A) \
	X(CHAT_TEMPLATE, "chat_template", E)        \
	X(TEMPLATE_FORMAT, "template_format", T)    \
	X(NAMES, "names", T | E)                    \
	X(STRIDE, "stride", T)                      \
	X(IMGSZ, "imgsz", T)                        \
	X(KPT_SHAPE, "kpt_shape", T)                \
	X(CLASS_NAMES, "class_names", T)            \
	X(ARGS, "args", T)                          \
	X(BATCH, "batch", T)                        \
	X(VOCAB, "vocab", V | E)                    \
	X(MERGES, "merges", V | E)                  \
	X(ID2LABEL, "id2label", E)                  \
	X(LABEL2ID, "label2id", E)                  \
	X(CONVERSATIONS, "conversations", E)        \
	X(CONTENT, "content", E)                    \
	X(TEXT_, "text", E)                         \
	X(VALUE, "value", E)                        \
	X(COMPLETION, "completion", E)              \
	X(INSTRUCTION, "instruction", E)            \
	X(INPUT, "input", E)                        \
	X(OUTPUT, "output", E)                      \
	X(RESPONSE, "response", E)                  \
	X(QUESTION, "question", E)                  \
	X(ANSWER, "answer", E)                      \
	X(BODY, "body", E)                          \
	X(DESCRIPTION, "description", T | E)        \
	X(TITLE, "title", E)                        \
	X(SUMMARY, "summary", E)                    \
	X(ABSTRACT, "abstract", E)                  \
	X(LICENSE, "license", E)
/* clang-format on */

enum config_key {
	KEY_NONE,
#define X(id, name, how) KEY_##id,
	CONFIG_KEYS_NOTED(X) KEY_NOTED_LAST_,
	CONFIG_KEYS_ACTED(X)
#undef X
	    CONFIG_N_KEYS
};

_Static_assert(KEY_NOTED_LAST_ <= 56, "a map has a bit for each");
/* And for these, which are of a value. */
enum { HAS_CONSTRUCTOR = 56, HAS_SECRET, HAS_PYREF, HAS_MONAI, HAS_OTHER_TYPE };

/* By length, first and last letter: chains of keys that 0 ends, most of one or none. */
#define CONFIG_KEY_BUCKETS 512u

struct config_key_index {
	uint16_t first[CONFIG_KEY_BUCKETS], next[CONFIG_N_KEYS];
};

void config_key_index_init(struct config_key_index *x);
/* KEY_NONE: no rule asks for it. */
enum config_key config_key_of(const struct config_key_index *x, struct bytes name);
unsigned config_key_how(enum config_key key);
/* Keys by what they begin or end with: of texts that are exempt from the rules for values; that may name a library. */
bool config_key_is_prose(struct bytes name);
bool config_key_names_library(struct bytes name);
