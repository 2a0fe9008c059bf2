/* Programs that train, serve and drive agents, by single keys: formats/configs, sections 2.2 and 2.3.  Each rule names the source of the
 * loader. */
#include "config_inner.h"
#include "config_lines.h"
#include "config_references.h"

#define LIGHTNING_VOUCHED "nemo. megatron. nemo_run. !nemo.utils. lightning.* pytorch_lightning.* torch.nn."

#define TYPES_VOUCHED                                                                                                 \
	"haystack.* haystack_integrations.* typing.* collections.* =datetime.datetime =datetime.date numpy. pandas. " \
	"torch. PIL. pathlib. types. =builtins.str =builtins.int =builtins.float =builtins.bool =builtins.dict "      \
	"=builtins.list"

static struct bytes text_of(const struct config *c, uint32_t node)
{
	return node != NODE_NONE && c->nodes[node].type == CONFIG_TEXT ? c->nodes[node].text : bytes_of(NULL, 0);
}

static uint32_t parent_of(const struct config *c, uint32_t node)
{
	return node != NODE_NONE ? c->nodes[node].parent : NODE_NONE;
}

static bool is_named(const struct config *c, uint32_t node, const char *words)
{
	return node != NODE_NONE && config_is_word_of(c->nodes[node].name, words);
}

static bool is_dotted(struct bytes text)
{
	return config_is_name(text) && memchr(text.at, '.', text.n) != NULL && !config_ends_as_file(text);
}

/* -- Hydra, OmegaConf, mmengine -- */

/* hydra/_internal/core_plugins: pkg:// and structured:// name modules, which are imported; any other is a folder whose files are read
 * as configurations (hydra.searchpath of the primary file).  One of the machine, by its whole path, is the operator's own. */
static void judge_search(struct config *c, uint32_t node)
{
	static const char *const schemes[] = { "pkg://", "structured://" };
	struct bytes text = text_of(c, node);

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (config_begins(text, schemes[i])) {
			(void)judge_import_name(c, node, bytes_of(text.at + n, text.n - n), NULL);
			return;
		}
	}
	if (is_named(c, parent_of(c, parent_of(c, node)), "hydra") &&
	    config_path_fault(text) == WLK_F_CONFIG_PATH_ESCAPE)
		config_tell(c, WLK_F_CONFIG_PATH_ESCAPE, node);
}

static void judge_searchpath(struct config *c, uint32_t list)
{
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_search(c, i);
}

/* Variables that a program has set for itself and what it starts: hydra/core/utils.py (hydra.job.env_set), ray's runtime_env.env_vars,
 * `variables` of conda's environment. */
static void judge_variables(struct config *c, uint32_t map)
{
	for (uint32_t i = c->nodes[map].first; i != NODE_NONE; i = c->nodes[i].next) {
		struct bytes value = c->nodes[i].type == CONFIG_TRUE ? bytes_of_text("1") : c->nodes[i].text;
		enum wlk_finding fault = value.n > 0 ? config_variable_fault(c->nodes[i].name, value) : 0;

		if (fault != 0)
			config_tell(c, fault, i);
	}
}

/* mmengine/registry/registry.py, switch_scope_and_registry(), import_from_location(): SCOPE.registry and SCOPE.utils are imported, of
 * the file's default_scope, and of `_scope_` in any map. */
static void judge_scope(struct config *c, uint32_t node)
{
	static const char scopes[] =
	    "mmengine mmcv mmdet mmdet3d mmseg mmcls mmpretrain mmpose mmaction mmocr mmrotate mmagic "
	    "mmedit mmtrack mmselfsup mmrazor mmyolo mmdeploy mmgen mmflow mmhuman3d mmeval mmfewshot "
	    "mmsegmentation opencompass";

	if (text_of(c, node).n > 0 && !config_is_word_of(text_of(c, node), scopes))
		judge_import(c, node, NULL);
}

/* -- Lightning -- */

/* jsonargparse/_typehints.py, adapt_typehints(): a class may be named alone, and is imported before it is asked what it is. */
static bool judge_trainer(struct config *c, uint32_t node)
{
	uint32_t map = parent_of(c, node);
	bool settings = node_under(c, node) == KEY_TRAINER && node_is_outermost(c, map);

	if (!settings && !(node_is_outermost(c, node) && node_beside(c, node, KEY_TRAINER)))
		return false;
	if (!is_dotted(text_of(c, node)))
		return false;
	judge_call(c, node, LIGHTNING_VOUCHED);
	return true;
}

/* -- spaCy -- */

/* spacy/training/callbacks.py, create_copy_from_base_model(): the pipeline that it is told is loaded, which imports a package of that
 * name.  Below [initialize] that is for who trains; below [nlp] for who loads. */
static void judge_callback(struct config *c, uint32_t node)
{
	if (config_begins(text_of(c, node), "spacy.copy_from_base_model.") &&
	    is_named(c, parent_of(c, node), "before_creation after_creation after_pipeline_creation"))
		config_tell(c, WLK_F_CONFIG_IMPORT_UNLISTED, node);
}

/* -- agents -- */

/* Source of a tool: smolagents/agents.py, from_dict(), and promptflow/_core/tools_manager.py, _load_custom_tool(): exec(). */
static bool judge_tool_source(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);
	uint32_t list = parent_of(c, parent_of(c, node));

	if (!is_named(c, list, "tools") || c->nodes[list].type != CONFIG_LIST || text.n == 0)
		return false;
	if (config_ends(text, ".py"))
		config_local_code(c, text, node);
	else if (memchr(text.at, '\n', text.n) != NULL || memchr(text.at, '(', text.n) != NULL)
		config_tell(c, config_expression_fault(text), node);
	return true;
}

/* mlflow/genai/scorers/base.py, scorer_utils.py, recreate_function(): exec(). */
static void judge_call_source(struct config *c, uint32_t node)
{
	if (text_of(c, node).n > 0)
		config_tell(c, config_expression_fault(text_of(c, node)), node);
}

/* workflows/context/serializers.py: values of a saved run, by the class that is imported. */
static void judge_qualified(struct config *c, uint32_t node)
{
	static const enum config_key beside[] = { KEY_IS_PYDANTIC, KEY_IS_COMPONENT };

	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
		if (config_find(c, parent_of(c, node), beside[i]) != NODE_NONE) {
			judge_call(c, node, "llama_index. workflows. pydantic.");
			return;
		}
}

/* lhotse/audio/source.py, AudioSource: `source` is a shell's where the type says so. */
static bool judge_audio(struct config *c, uint32_t node)
{
	if (!bytes_equal(text_of(c, node), bytes_of_text("command")) ||
	    config_find(c, parent_of(c, node), KEY_CHANNELS) == NODE_NONE)
		return false;
	config_tell(c, WLK_F_CONFIG_COMMAND, node);
	return true;
}

/* promptflow/core/_connection.py, _get_custom_keys(): in a file, `module` beside `custom_type`. */
static bool judge_connection(struct config *c, uint32_t node)
{
	if (c->nodes[node].key == KEY_MODULE && config_find(c, parent_of(c, node), KEY_CUSTOM_TYPE) == NODE_NONE)
		return false;
	judge_import(c, node, "promptflow.*");
	return true;
}

/* promptflow/_core/tool_meta_generator.py, load_python_module_from_file(): the program of a node. */
static bool judge_node_source(struct config *c, uint32_t node)
{
	if (!is_named(c, parent_of(c, node), "source") || !config_ends(text_of(c, node), ".py"))
		return false;
	judge_read_path(c, node);
	return true;
}

/* -- Haystack -- */

/* Names with dots in `list[a.b.C]`, `a.B | None`: haystack/utils/type_serialization.py imports the module of each. */
static void judge_type_text(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);
	size_t from = 0;

	for (size_t i = 0; i <= text.n; i++) {
		struct bytes name = bytes_of(text.at + from, i - from);

		if (i < text.n && memchr("[]|, \t", text.at[i], 6) == NULL)
			continue;
		from = i + 1;
		if (is_dotted(name) && judge_import_name(c, node, name, TYPES_VOUCHED))
			return;
	}
}

bool config_is_type_text(struct bytes text)
{
	return memchr(text.at, '[', text.n) != NULL || memchr(text.at, '|', text.n) != NULL;
}

static bool judge_types(struct config *c, uint32_t node)
{
	if (!config_in(c, CONFIG_ALLENNLP))
		return false;
	judge_type_text(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_type_text(c, i);
	return true;
}

/* -- vLLM -- */

/* config/compilation.py: resolve_obj_by_qualname() of the backend, __import__() of the passes. */
static bool judge_compilation(struct config *c, uint32_t node)
{
	bool told = false;

	if (c->nodes[node].key == KEY_BACKEND &&
	    !is_named(c, parent_of(c, node), "compilation_config compilation-config"))
		return false;
	if (is_dotted(text_of(c, node)))
		told = judge_import(c, node, "vllm.*");
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		if (is_dotted(text_of(c, i)))
			told = judge_import(c, i, "vllm.*") || told;
	return told;
}

/* BentoML, _bentoml_sdk/images.py: lines of the Dockerfile. */
static bool judge_image(struct config *c, uint32_t list)
{
	if (!config_in(c, CONFIG_BENTOML) || !is_named(c, parent_of(c, list), "image") ||
	    c->nodes[list].first == NODE_NONE)
		return false;
	config_tell(c, WLK_F_CONFIG_COMMAND, c->nodes[list].first);
	return true;
}

/* -- one entry -- */

static bool judge_trained_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_SEARCHPATH: judge_searchpath(c, node); return true;
	case KEY_ENV_SET:
	case KEY_ENV_VARS: judge_variables(c, node); return true;
	case KEY_VARIABLES:
		if (config_in(c, CONFIG_CONDA))
			judge_variables(c, node);
		return true;
	case KEY_DEFAULT_SCOPE:
	case KEY_SCOPE_: judge_scope(c, node); return true;
	case KEY_LOGGER:
	case KEY_PROFILER:
	case KEY_STRATEGY:
	case KEY_CALLBACKS:
	case KEY_OPTIMIZER:
	case KEY_LR_SCHEDULER:
	case KEY_MODEL:
	case KEY_DATA: return judge_trainer(c, node);
	case KEY_AT_CALLBACKS: judge_callback(c, node); return true;
	default: return false;
	}
}

bool judge_training_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_CODE: return judge_tool_source(c, node);
	case KEY_CALL_SOURCE: judge_call_source(c, node); return true;
	case KEY_QUALIFIED_NAME: judge_qualified(c, node); return true;
	case KEY_CONNECTION_MODULE:
	case KEY_MODULE: return judge_connection(c, node);
	case KEY_PATH: return judge_node_source(c, node);
	case KEY_INPUT_TYPE:
	case KEY_OUTPUT_TYPE: return judge_types(c, node);
	case KEY_TYPE: return judge_audio(c, node) || (config_is_type_text(text_of(c, node)) && judge_types(c, node));
	case KEY_BACKEND:
	case KEY_INDUCTOR_PASSES: return judge_compilation(c, node);
	case KEY_COMMANDS:
	case KEY_POST_COMMANDS: return judge_image(c, node);
	default: return judge_trained_key(c, node);
	}
}
