/* Tools around models, by single keys: formats/configs, sections 2.2 and 2.3.  Each rule names the source of the loader. */
#include "config_references.h"

static struct bytes text_of(const struct config *c, uint32_t node)
{
	return c->nodes[node].text;
}

static bool has_dot(const struct config *c, uint32_t node)
{
	return c->nodes[node].type == CONFIG_TEXT && config_holds(text_of(c, node), ".");
}

static struct bytes name_of(const struct config *c, uint32_t node)
{
	return node != NODE_NONE ? c->nodes[node].name : bytes_of(NULL, 0);
}

static uint32_t parent_of(const struct config *c, uint32_t node)
{
	return node != NODE_NONE ? c->nodes[node].parent : NODE_NONE;
}

/* -- logging: Python's logging/config.py -- */

#define LOG_VOUCHED                                                                                                \
	"=logging.StreamHandler =logging.FileHandler =logging.NullHandler =logging.Formatter "                     \
	"=logging.handlers.RotatingFileHandler =logging.handlers.TimedRotatingFileHandler "                        \
	"=logging.handlers.QueueHandler "                                                                          \
	"=uvicorn.logging.DefaultFormatter =uvicorn.logging.AccessFormatter =colorlog.ColoredFormatter "           \
	"=speechbrain.utils.logger.TqdmCompatibleStreamHandler =colorlog.StreamHandler =rich.logging.RichHandler " \
	"=pythonjsonlogger.jsonlogger.JsonFormatter"

/* [handler_x], [formatter_x] of fileConfig(), and what all sections have.  Dots in a section's name make maps in maps. */
static bool is_of_log_file(const struct config *c, uint32_t node)
{
	for (uint32_t i = parent_of(c, node); i != NODE_NONE; i = parent_of(c, i))
		if (config_begins(name_of(c, i), "handler_") || config_begins(name_of(c, i), "formatter_"))
			return true;
	return bytes_equal(name_of(c, parent_of(c, node)), bytes_of_text("DEFAULT")) &&
	       (config_holds(text_of(c, node), ".") || config_holds(text_of(c, node), "("));
}

/* dictConfig(): handlers.x, formatters.x, filters.x; in Hydra's, too. */
static bool is_of_log_map(const struct config *c, uint32_t node)
{
	return config_is_word_of(name_of(c, parent_of(c, parent_of(c, node))), "handlers formatters filters");
}

/* eval()ed in the name space of logging, and imported where that has no such name. */
static void judge_log_class(struct config *c, uint32_t node)
{
	static const char usual[] =
	    "StreamHandler FileHandler NullHandler Formatter BufferingFormatter "
	    "handlers.RotatingFileHandler handlers.TimedRotatingFileHandler handlers.QueueHandler "
	    "handlers.SysLogHandler handlers.MemoryHandler handlers.SocketHandler";
	struct bytes name = text_of(c, node);

	if (name.n == 0 || config_is_word_of(name, usual))
		return;
	if (config_is_name(name))
		judge_call(c, node, LOG_VOUCHED);
	else
		config_tell(c, config_expression_fault(name), node);
}

/* sys.stdout and sys.stderr stand for the streams; all else is a literal. */
static enum wlk_finding log_arguments_fault(struct bytes text)
{
	static const char *const streams[] = { "sys.stdout", "sys.stderr" };
	uint8_t buf[CONFIG_TEXT_MAX];
	size_t n = 0;

	if (text.n > sizeof(buf))
		return WLK_F_CONFIG_EXPRESSION;
	for (size_t i = 0; i < text.n;) {
		struct bytes rest = bytes_of(text.at + i, text.n - i);

		if (config_begins(rest, streams[0]) || config_begins(rest, streams[1])) {
			buf[n++] = '0';
			i += strlen(streams[0]);
		} else {
			buf[n++] = text.at[i++];
		}
	}
	return config_literal_fault(bytes_of(buf, n));
}

/* -- AutoGen, Haystack -- */

/* autogen_core/_component_config.py, load_component(): what stands behind the last dot is taken from the module before it, beside
 * `config`; component_type need not be there.  A word without a dot is looked up in WELL_KNOWN_PROVIDERS, and never imported. */
static void judge_provider(struct config *c, uint32_t node)
{
	if (has_dot(c, node) && (node_beside(c, node, KEY_COMPONENT_TYPE) || node_beside(c, node, KEY_CONFIG_)))
		judge_call(c, node, "autogen_core. autogen_agentchat. autogen_ext. autogen_studio. autogenstudio.");
}

/* The map of a component that the entry of its `config` belongs to; NODE_NONE. */
static uint32_t component_of(struct config *c, uint32_t node)
{
	uint32_t component = parent_of(c, parent_of(c, node));

	return config_find(c, component, KEY_PROVIDER) != NODE_NONE ? component : NODE_NONE;
}

/* autogen_core/tools/_function_tool.py, _from_config(): exec() of both, the imports first. */
static void judge_source_code(struct config *c, uint32_t node)
{
	if (component_of(c, node) != NODE_NONE && text_of(c, node).n > 0)
		config_tell(c, config_expression_fault(text_of(c, node)), node);
}

/* autogen_core/code_executor/_func_with_reqs.py, _import_to_str(): a text goes behind `import` as it is. */
static void judge_global_import(struct config *c, uint32_t node)
{
	if (c->nodes[node].type != CONFIG_TEXT || text_of(c, node).n == 0)
		return;
	if (config_is_name(text_of(c, node)))
		judge_import(c, node, NULL);
	else
		config_tell(c, config_expression_fault(text_of(c, node)), node);
}

/* A text, or {module, imports: [a name, or {name, alias}]}: of these the module is what is imported. */
static void judge_global_imports(struct config *c, uint32_t node)
{
	if (component_of(c, node) == NODE_NONE)
		return;
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next) {
		judge_global_import(c, i);
		for (uint32_t j = c->nodes[i].first; j != NODE_NONE; j = c->nodes[j].next)
			if (bytes_equal(name_of(c, j), bytes_of_text("module")) || !config_is_name(text_of(c, j)))
				judge_global_import(c, j);
	}
}

/* haystack/utils/callable_serialization.py, deserialize_callable(): the module is imported by name; asked for by from_dict() of
 * tools/tool.py, hooks/from_function.py, components/agents/state/state.py (handler), components/{embedders,generators,converters,
 * routers,preprocessors}.  `unsafe` of converters/output_adapter.py and routers/conditional_router.py takes Jinja's sandbox away;
 * releases of 2026 ask Pipeline.load() for it. */
static bool judge_haystack(struct config *c, uint32_t node)
{
	static const char vouched[] = "haystack.* haystack_integrations.*";

	if (!config_in(c, CONFIG_ALLENNLP))
		return false;
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_FUNCTION:
	case KEY_ASYNC_FUNCTION:
	case KEY_SPLITTING_FUNCTION:
	case KEY_EMBEDDING_FN:
	case KEY_RESPONSE_FN:
	case KEY_TOKEN_PROVIDER:
	case KEY_HANDLER:
	case KEY_STREAMING_CALLBACK: return has_dot(c, node) && judge_import(c, node, vouched);
	case KEY_CUSTOM_FILTERS: judge_imports(c, node, vouched); return true;
	case KEY_UNSAFE:
		if (config_is_true(&c->nodes[node]))
			config_tell(c, WLK_F_CONFIG_TRUST_FLAG, node);
		return true;
	default: return false;
	}
}

/* -- servers -- */

/* ray/serve/schema.py, import_path_format_valid(): module:attribute or module.attribute of what is on sys.path, the working
 * directory first.  The latter where it is Ray's beyond doubt: other programs have import_path, too. */
static void judge_entry(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);
	const uint8_t *colon = memchr(text.at, ':', text.n), *dot = memrchr(text.at, '.', text.n);

	if (colon == NULL && config_find(c, parent_of(c, node), KEY_RUNTIME_ENV) != NODE_NONE)
		colon = dot;
	if (c->nodes[node].type != CONFIG_TEXT || colon == NULL || !config_is_name(text))
		return;
	if (config_name_standing(text, NULL, NULL) == CONFIG_NAME_DENIED)
		judge_import(c, node, NULL);
	else
		config_local_code(c, bytes_of(text.at, (size_t)(colon - text.at)), node);
}

/* TorchServe, ts/model_loader.py, _load_handler_file(): what stands before the colon is imported, from the archive's folder first;
 * words of ts/torch_handler only where nothing has that name. */
static void judge_handler(struct config *c, uint32_t node)
{
	static const char own[] = "image_classifier image_segmenter object_detector text_classifier base_handler "
				  "text_handler vision_handler densenet_handler dali_image_classifier dali_handler "
				  "vllm_handler trt_llm_handler";
	struct bytes text = text_of(c, node);

	if (node_under(c, node) == KEY_MODEL && node_beside(c, node, KEY_MODEL_NAME) && text.n > 0 &&
	    !config_is_word_of(text, own))
		config_tell(c, WLK_F_CONFIG_CODE_FILE, node);
}

/* MLServer, mlserver/parallel/registry.py, get_or_create(): a tarball is unpacked, a path taken as it is; the Python in it is
 * run. */
static void judge_environment(struct config *c, uint32_t node)
{
	if (config_in(c, CONFIG_MLSERVER) && text_of(c, node).n > 0)
		config_tell(c,
		    config_path_fault(text_of(c, node)) != 0 ? WLK_F_CONFIG_LIBRARY : WLK_F_CONFIG_LIBRARY_VENDOR,
		    node);
}

/* TorchServe's config.properties: `all`, or archives of the store by their names; an address is fetched and run (ModelServer.java,
 * initModelStore(); ModelArchive.java, downloadModel()). */
static void judge_load_models(struct config *c, uint32_t node)
{
	if (config_holds(text_of(c, node), "://") && node_is_outermost(c, node))
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE, node);
}

/* -- spaCy -- */

/* spacy/language.py, from_config(): util.load_model(source): import_module() of a package that is installed, or a path.  spaCy's
 * own are called like en_core_web_sm. */
static void judge_source(struct config *c, uint32_t node)
{
	struct bytes name = text_of(c, node);

	if (!config_in(c, CONFIG_SPACY) || node_under(c, parent_of(c, node)) == KEY_NONE ||
	    node_under(c, parent_of(c, node)) != KEY_COMPONENTS)
		return;
	if (config_path_fault(name) != 0)
		config_tell(c, config_path_fault(name), node);
	else if (config_is_name(name) && !config_ends(name, "_sm") && !config_ends(name, "_md") &&
		 !config_ends(name, "_lg") && !config_ends(name, "_trf"))
		judge_import(c, node, NULL);
}

/* ray/runtime_env/runtime_env.py: archives that are fetched, unpacked and put on sys.path. */
static void judge_runtime(struct config *c, uint32_t node)
{
	if (c->nodes[node].type == CONFIG_TEXT && config_holds(text_of(c, node), "://"))
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		if (c->nodes[i].type == CONFIG_TEXT && config_holds(text_of(c, i), "://"))
			config_tell(c, WLK_F_CONFIG_REMOTE_CODE, i);
}

/* langchain_core/prompts/loading.py, _load_template(), _load_examples(); langchain_classic/chains/loading.py: `_type` says which
 * loader opens it. */
static void judge_prompt_path(struct config *c, uint32_t node)
{
	/* Without `_type` it is a prompt, whose template has to end so. */
	bool prompt = c->nodes[node].key == KEY_TEMPLATE_PATH && node_is_outermost(c, node) &&
		      config_ends(text_of(c, node), ".txt");

	if (prompt || config_find(c, parent_of(c, node), KEY_TYPE_) != NODE_NONE)
		judge_read_path(c, node);
}

/* langchain_core/prompts/string.py, jinja2_formatter(): Jinja where the file says so; load_prompt() refuses it since 2023, load()
 * renders it in a sandbox. */
static void judge_template(struct config *c, uint32_t node)
{
	uint32_t format = config_find(c, parent_of(c, node), KEY_TEMPLATE_FORMAT);
	uint8_t path[CONFIG_PATH_MAX];
	struct bytes text = text_of(c, node);

	if (c->nodes[node].type != CONFIG_TEXT || format == NODE_NONE ||
	    !bytes_equal(text_of(c, format), bytes_of_text("jinja2")))
		return;
	if (text.n > CONFIG_TEXT_MAX) /* cut when it was read, or may be */
		config_tell_text(c, WLK_F_CONFIG_LIMIT, bytes_of(NULL, 0), node);
	else
		config_check_template(c, text, bytes_of(path, config_path(c, node, path)), c->nodes[node].at);
}

/* bentoml/_internal/models/model.py, ModelInfo.imported_module: the module of model.yaml is imported. */
static bool judge_bento_module(struct config *c, uint32_t node)
{
	return node_is_outermost(c, node) && node_beside(c, node, KEY_SIGNATURES) && judge_import(c, node, "bentoml.*");
}

/* vllm: a server that is started with --config: entrypoints/openai/cli_args.py (parser plugins, middleware), config/parallel.py
 * (worker_cls, worker_extension_cls) and config/scheduler.py (scheduler_cls) by resolve_obj_by_qualname(),
 * v1/sample/logits_processor/__init__.py (module:class).  Middleware is a common word: only beside a model. */
static void judge_vllm_names(struct config *c, uint32_t list)
{
	if (!node_beside(c, list, KEY_MODEL))
		return;
	if (has_dot(c, list) || config_holds(text_of(c, list), ":"))
		judge_import(c, list, "vllm.*");
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next)
		if (has_dot(c, i) || config_holds(text_of(c, i), ":"))
			judge_import(c, i, "vllm.*");
}

static bool judge_vllm(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_TOOL_PARSER:
	case KEY_TOOL_PARSER_:
	case KEY_REASONING_PARSER:
	case KEY_REASONING_PARSER_:
		if (text_of(c, node).n > 0)
			config_local_code(c, text_of(c, node), node);
		return true;
	case KEY_WORKER_CLS:
	case KEY_WORKER_CLS_:
	case KEY_WORKER_EXTENSION:
	case KEY_WORKER_EXTENSION_:
	case KEY_SCHEDULER_CLS:
	case KEY_SCHEDULER_CLS_:
		if (has_dot(c, node))
			judge_import(c, node, "vllm.*");
		return true;
	case KEY_MIDDLEWARE:
	case KEY_LOGITS_PROCESSORS:
	case KEY_LOGITS_PROCESSORS_: judge_vllm_names(c, node); return true;
	default: return false;
	}
}

/* gluonts/core/serde/_parse.py: pydoc.locate() of the class, called with args and kwargs. */
static bool judge_kind(struct config *c, uint32_t node)
{
	if (config_find(c, parent_of(c, node), KEY_KIND_) == NODE_NONE)
		return false;
	judge_call(c, node, "gluonts.* numpy.* pandas.* torch.nn.*");
	return true;
}

static bool judge_log_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_CALLED: judge_call(c, node, LOG_VOUCHED); return true;
	case KEY_CLASS_WORD:
		if (is_of_log_file(c, node))
			judge_log_class(c, node);
		else if (is_of_log_map(c, node) && has_dot(c, node))
			judge_call(c, node, LOG_VOUCHED);
		else
			return judge_kind(c, node);
		return true;
	case KEY_ARGS:
	case KEY_KWARGS:
		if (!is_of_log_file(c, node))
			return false;
		judge_evaluate(c, node, log_arguments_fault);
		return true;
	default: return false;
	}
}

/* Modules that are imported as they are named: verl (utils/import_utils.py), torchtitan (config/manager.py), vllm
 * (distributed/kv_transfer/kv_connector/factory.py); promptflow's tools of packages (_core/tools_manager.py). */
static bool judge_named_module(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_TOOL:
		if (!has_dot(c, node) || !bytes_equal(name_of(c, parent_of(c, node)), bytes_of_text("source")))
			return false;
		judge_import(c, node, "promptflow.*");
		return true;
	case KEY_EXTERNAL_LIB:
	case KEY_CUSTOM_IMPORT:
	case KEY_CUSTOM_CONFIG:
	case KEY_KV_CONNECTOR:
	case KEY_EC_CONNECTOR:
	case KEY_SPEC_MODULE: judge_import(c, node, "vllm.* torchtitan.* verl.* lmcache.*"); return true;
	case KEY_INCLUDE_PACKAGE: /* AllenNLP, commands/train.py, import_module_and_submodules() */
	case KEY_INCLUDE_PACKAGES:
	case KEY_IMPORT_PACKAGES:
	case KEY_IMPORT_MODULES:
	case KEY_EXTRA_IMPORTS:
		judge_imports(
		    c, node, "=allennlp =allennlp_models allennlp.* allennlp_models.* transformers.* torch.*");
		return true;
	case KEY_SERIALIZED: /* stable_baselines3/common/save_util.py, json_to_data(): cloudpickle, in base64 */
		if (text_of(c, node).n > 0)
			config_tell_text(c, WLK_F_CONFIG_TARGET_UNLISTED, bytes_of(NULL, 0), node);
		return true;
	default: return false;
	}
}

bool judge_tool_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_PROVIDER: judge_provider(c, node); return true;
	case KEY_SOURCE_CODE: judge_source_code(c, node); return true;
	case KEY_IMPORT_PATH: judge_entry(c, node); return true;
	case KEY_GLOBAL_IMPORTS: judge_global_imports(c, node); return true;
	case KEY_HANDLER:
		judge_handler(c, node);
		return (c->nodes[node].why & NODE_TOLD) != 0 || judge_haystack(c, node);
	case KEY_SOURCE: judge_source(c, node); return true;
	case KEY_MODULE: return judge_bento_module(c, node);
	case KEY_ENVIRONMENT_TARBALL:
	case KEY_ENVIRONMENT_PATH: judge_environment(c, node); return true;
	case KEY_WORKING_DIR:
	case KEY_PY_MODULES:
		if (node_under(c, node) == KEY_RUNTIME_ENV)
			judge_runtime(c, node);
		return true;
	case KEY_LOAD_MODELS: judge_load_models(c, node); return true;
	case KEY_TEMPLATE: judge_template(c, node); return true;
	case KEY_EXAMPLES:
	case KEY_TEMPLATE_PATH:
	case KEY_PREFIX_PATH:
	case KEY_SUFFIX_PATH:
	case KEY_PROMPT_PATH:
	case KEY_EXAMPLE_PROMPT_PATH:
	case KEY_LLM_PATH:
	case KEY_LLM_CHAIN_PATH: judge_prompt_path(c, node); return true;
	default:
		return judge_named_module(c, node) || judge_log_key(c, node) || judge_vllm(c, node) ||
		       judge_haystack(c, node);
	}
}
