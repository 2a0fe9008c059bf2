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

/* autogen_core/_component_config.py: the provider is imported and called; FunctionTool compiles and runs source_code. */
static void judge_provider(struct config *c, uint32_t node)
{
	if (node_beside(c, node, KEY_COMPONENT_TYPE))
		judge_call(c, node, "autogen_core. autogen_agentchat. autogen_ext.");
}

static void judge_source_code(struct config *c, uint32_t node)
{
	uint32_t component = parent_of(c, parent_of(c, node));

	if (component != NODE_NONE && node_has(&c->nodes[component], KEY_COMPONENT_TYPE) && text_of(c, node).n > 0)
		config_tell(c, config_expression_fault(text_of(c, node)), node);
}

/* haystack/utils/callable_serialization.py: imported by name; `unsafe` gives templates all of Python. */
static bool judge_haystack(struct config *c, uint32_t node)
{
	static const char vouched[] = "haystack.* haystack_integrations.*";

	if (!config_in(c, CONFIG_ALLENNLP))
		return false;
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_FUNCTION:
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

/* module:attribute of this repository, as ray serve and TorchServe import it. */
static void judge_entry(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);
	const uint8_t *colon = memchr(text.at, ':', text.n);

	if (c->nodes[node].type != CONFIG_TEXT || colon == NULL || !config_is_name(text))
		return;
	if (config_name_standing(text, NULL, NULL) == CONFIG_NAME_DENIED)
		judge_import(c, node, NULL);
	else
		config_local_code(c, bytes_of(text.at, (size_t)(colon - text.at)), node);
}

/* TorchServe, model_loader.py: the handler of a manifest is a file beside it, or one of its own by a word. */
static void judge_handler(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);

	if (node_under(c, node) == KEY_MODEL && node_beside(c, node, KEY_MODEL_NAME) &&
	    (config_holds(text, ".") || config_holds(text, ":") || config_holds(text, "/")))
		config_tell(c, WLK_F_CONFIG_CODE_FILE, node);
}

/* MLServer unpacks it and runs the Python in it: parallel/registry.py. */
static void judge_environment(struct config *c, uint32_t node)
{
	if (config_in(c, CONFIG_MLSERVER) && text_of(c, node).n > 0)
		config_tell(c,
		    config_path_fault(text_of(c, node)) != 0 ? WLK_F_CONFIG_LIBRARY : WLK_F_CONFIG_LIBRARY_VENDOR,
		    node);
}

/* TorchServe's config.properties: `all`, or names of the store; an address is fetched and run. */
static void judge_load_models(struct config *c, uint32_t node)
{
	if (config_holds(text_of(c, node), "://") && node_is_outermost(c, node))
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE, node);
}

/* -- spaCy -- */

/* language.py, from_config(): a pipeline that a component is taken from: a path, or a package that is imported.  spaCy's own are
 * called like en_core_web_sm. */
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

/* ray, runtime_env: what is fetched, put on sys.path and run. */
static void judge_runtime(struct config *c, uint32_t node)
{
	if (c->nodes[node].type == CONFIG_TEXT && config_holds(text_of(c, node), "://"))
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		if (c->nodes[i].type == CONFIG_TEXT && config_holds(text_of(c, i), "://"))
			config_tell(c, WLK_F_CONFIG_REMOTE_CODE, i);
}

/* langchain_core/prompts/loading.py, langchain/chains/loading.py: `_type` says which loader opens it. */
static void judge_prompt_path(struct config *c, uint32_t node)
{
	if (config_find(c, parent_of(c, node), KEY_TYPE_) != NODE_NONE)
		judge_read_path(c, node);
}

/* langchain_core/prompts/string.py: Jinja where the file says so. */
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

/* bentoml, _internal/models/model.py: the module of model.yaml is imported. */
static bool judge_bento_module(struct config *c, uint32_t node)
{
	return node_is_outermost(c, node) && node_beside(c, node, KEY_SIGNATURES) && judge_import(c, node, "bentoml.*");
}

/* vllm, engine/arg_utils.py: programs and classes of a server that is started by this file. */
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
		if (has_dot(c, node))
			judge_import(c, node, "vllm.*");
		return true;
	default: return false;
	}
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
			return false;
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

bool judge_tool_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_PROVIDER: judge_provider(c, node); return true;
	case KEY_SOURCE_CODE: judge_source_code(c, node); return true;
	case KEY_IMPORT_PATH: judge_entry(c, node); return true;
	case KEY_HANDLER: judge_handler(c, node); return (c->nodes[node].why & NODE_TOLD) != 0;
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
	default: return judge_log_key(c, node) || judge_vllm(c, node) || judge_haystack(c, node);
	}
}
