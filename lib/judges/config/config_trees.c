/* Trees of calls: formats/configs, section 2.2. */
#include "config_monai.h"
#include "config_references.h"

#define HYDRA_VOUCHED "nemo. megatron. nemo_run. !nemo.utils."
#define MM_VOUCHED                                                                                                 \
	"mmcv.* mmengine.* mmdet.* mmdet3d.* mmseg.* mmcls.* mmpretrain.* mmpose.* mmaction.* mmocr.* mmrotate.* " \
	"mmagic.* "                                                                                                \
	"mmedit.* mmtrack.* mmselfsup.* mmrazor.* mmyolo.* mmdeploy.* mmgen.* mmflow.* mmhuman3d.* detectron2.*"
#define MM_CLASSES                                                                                              \
	"mmcv. mmengine. mmdet. mmdet3d. mmseg. mmcls. mmpretrain. mmpose. mmaction. mmocr. mmrotate. mmagic. " \
	"mmedit. mmtrack. "                                                                                     \
	"mmselfsup. mmrazor. mmyolo. mmdeploy. mmgen. mmflow. mmhuman3d. detectron2."
#define NNUNET_VOUCHED "dynamic_network_architectures.* torch.nn.*"

static struct bytes text_of(const struct config *c, uint32_t node)
{
	return c->nodes[node].text;
}

static bool has_dot(const struct config *c, uint32_t node)
{
	return c->nodes[node].type == CONFIG_TEXT && config_holds(text_of(c, node), ".");
}

/* What hydra.utils and their like are told to find: texts beside them. */
static void judge_trampoline(struct config *c, uint32_t map)
{
	static const enum config_key told[] = { KEY_PATH, KEY_TARGET, KEY_CLASS_PATH };
	uint32_t args = config_find(c, map, KEY_ARGS_);

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		uint32_t at = config_find(c, map, told[i]);

		if (at != NODE_NONE && c->nodes[at].type == CONFIG_TEXT &&
		    config_name_standing(text_of(c, at), NULL, NULL) == CONFIG_NAME_DENIED)
			judge_call(c, at, NULL);
	}
	if (args != NODE_NONE && c->nodes[args].first != NODE_NONE && has_dot(c, c->nodes[args].first))
		judge_call(c, c->nodes[args].first, NULL);
}

static bool is_trampoline(struct bytes name)
{
	return config_begins(name, "hydra.utils.") || config_begins(name, "lightning.pytorch.cli.instantiate_");
}

/* A class of monai's own.  Functions and classes that run programs or bundles are found by such words, too, and what is none of
 * monai's pydoc.locate() imports: bundle/config_item.py, ComponentLocator; utils/module.py, instantiate(). */
static bool judge_word(struct config *c, uint32_t node)
{
	struct bytes name = text_of(c, node);

	if (!config_is_word_of(name, "run_cmd exec eval compile open"))
		return config_is_monai_class(name);
	config_tell(c, WLK_F_CONFIG_TARGET, node);
	return true;
}

static void judge_target(struct config *c, uint32_t node)
{
	struct bytes name = text_of(c, node);
	bool word = c->nodes[node].type == CONFIG_TEXT && config_is_name(name) && !config_holds(name, ".") &&
		    !config_holds(name, ":");

	if (word && (config_in(c, CONFIG_MONAI) || config_in(c, CONFIG_MONAI_TRAIN)) && judge_word(c, node))
		return;
	judge_call(c, node, HYDRA_VOUCHED);
	if (is_trampoline(name))
		judge_trampoline(c, c->nodes[node].parent);
}

/* first_stage_config, lossconfig, config: what latent diffusion's instantiate_from_config() is given. */
static bool is_of_config(const struct config *c, uint32_t node)
{
	uint32_t parent = c->nodes[node].parent;

	return parent != NODE_NONE && config_ends(c->nodes[parent].name, "config");
}

static bool is_alone(const struct config *c, uint32_t node)
{
	return c->nodes[node].parent != NODE_NONE && c->nodes[c->nodes[node].parent].n == 1 &&
	       config_is_name(text_of(c, node));
}

/* `target` of latent diffusion, whose params may be left away (ldm/util.py); class_path of Lightning, whose init_args may be
 * (jsonargparse). */
static bool judge_class_path(struct config *c, uint32_t node)
{
	bool dotted = has_dot(c, node), asked;

	if (c->nodes[node].key == KEY_TARGET)
		asked = dotted && (node_beside(c, node, KEY_PARAMS) || is_of_config(c, node));
	else
		asked = node_beside(c, node, KEY_INIT_ARGS) ||
			config_find(c, c->nodes[node].parent, KEY_DICT_KWARGS) != NODE_NONE ||
			(c->nodes[node].key == KEY_CLASS_PATH && dotted && is_alone(c, node));
	if (config_in(c, CONFIG_NEMO) && dotted)
		asked = true;
	if (!asked)
		return false;
	judge_call(c, node, HYDRA_VOUCHED " lightning.* pytorch_lightning.* torch.nn.* litgpt.");
	return true;
}

/* -- LangChain, load/load.py; fiddle, serialization.py -- */

static bool join_list(const struct config *c, uint32_t list, uint8_t buf[CONFIG_NAME_MAX], struct bytes *ret)
{
	size_t n = 0;

	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next) {
		struct bytes part = text_of(c, i);

		if (c->nodes[i].type != CONFIG_TEXT || part.n + 1 > CONFIG_NAME_MAX - n)
			return false;
		if (n > 0)
			buf[n++] = '.';
		bytes_copy(buf + n, part);
		n += part.n;
	}
	*ret = bytes_of(buf, n);
	return n > 0;
}

static void judge_joined(struct config *c, uint32_t node, struct bytes name, const char *vouched)
{
	enum config_standing s = config_name_standing(name, vouched, c->l->pickle_names);

	if (s == CONFIG_NAME_DENIED || s == CONFIG_NAME_UNLISTED)
		config_tell_text(
		    c, s == CONFIG_NAME_DENIED ? WLK_F_CONFIG_TARGET : WLK_F_CONFIG_TARGET_UNLISTED, name, node);
}

static void judge_serialized(struct config *c, uint32_t node)
{
	uint8_t buf[CONFIG_NAME_MAX];
	struct bytes name;

	if (c->nodes[node].type != CONFIG_LIST || !node_beside(c, node, KEY_LC))
		return;
	if (node_beside(c, node, HAS_SECRET))
		config_tell(c, WLK_F_CONFIG_ENVIRONMENT_SECRET, node);
	else if (node_beside(c, node, HAS_CONSTRUCTOR) && join_list(c, node, buf, &name))
		judge_joined(c, node, name,
		    "langchain. langchain_core. langchain_community. langchain_openai. langchain_anthropic.");
}

static bool judge_pyref(struct config *c, uint32_t node)
{
	uint32_t name;
	uint8_t buf[CONFIG_NAME_MAX];
	struct bytes module = text_of(c, node);

	if (!node_beside(c, node, HAS_PYREF))
		return false;
	name = config_find(c, c->nodes[node].parent, KEY_NAME);
	if (name == NODE_NONE || module.n + text_of(c, name).n + 1 > sizeof(buf)) {
		judge_import(c, node, NULL);
		return true;
	}
	bytes_copy(buf, module);
	buf[module.n] = '.';
	bytes_copy(buf + module.n + 1, text_of(c, name));
	judge_joined(c, node, bytes_of(buf, module.n + 1 + text_of(c, name).n), NULL);
	return true;
}

/* -- others -- */

/* pyannote.audio, core/pipeline.py: pipeline.name, preprocessors.*.name. */
static void judge_pipeline_name(struct config *c, uint32_t node)
{
	uint32_t parent = c->nodes[node].parent;
	bool preprocessor = parent != NODE_NONE && node_under(c, parent) == KEY_PREPROCESSORS;
	enum config_key list = parent != NODE_NONE ? node_under(c, parent) : KEY_NONE;

	/* rasa/shared/utils/common.py, class_from_module_path(): components of a list by their names */
	if ((list == KEY_PIPELINE || list == KEY_POLICIES || list == KEY_IMPORTERS) && has_dot(c, node) &&
	    c->nodes[c->nodes[parent].parent].type == CONFIG_LIST && config_is_name(text_of(c, node)) &&
	    config_names_class(text_of(c, node))) {
		judge_call(c, node, "rasa.* rasa_nlu_examples.* pyannote.*");
		return;
	}

	if ((node_under(c, node) == KEY_PIPELINE || preprocessor) && has_dot(c, node))
		judge_call(c, node, "pyannote.audio.* pyannote.");
}

static bool is_python_file(struct bytes path)
{
	return config_ends(path, ".py");
}

static void judge_base_file(struct config *c, uint32_t node)
{
	judge_read_path(c, node);
	judge_included(c, node);
	if (c->nodes[node].type == CONFIG_TEXT && is_python_file(text_of(c, node)) &&
	    config_path_fault(text_of(c, node)) == 0)
		config_tell(c, WLK_F_CONFIG_CODE_FILE, node);
}

static void judge_base(struct config *c, uint32_t node)
{
	judge_base_file(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_base_file(c, i);
}

/* nnU-Net, utilities/get_network_from_plans.py: entries of arch_kwargs that _kw_requires_import lists. */
static void judge_required(struct config *c, uint32_t list)
{
	uint32_t map = c->nodes[list].parent, kwargs = config_find(c, map, KEY_ARCH_KWARGS);

	if (kwargs == NODE_NONE)
		return;
	for (uint32_t i = c->nodes[kwargs].first; i != NODE_NONE; i = c->nodes[i].next)
		if (has_dot(c, i))
			judge_import(c, i, NNUNET_VOUCHED);
}

/* A type with a dot is imported: AllenNLP, common/registrable.py; Haystack, core/serialization.py; Ludwig. */
static bool judge_type(struct config *c, uint32_t node)
{
	uint32_t parent = c->nodes[node].parent;

	if (parent != NODE_NONE && node_under(c, parent) == KEY_NONE && c->nodes[parent].parent != NODE_NONE &&
	    c->nodes[c->nodes[parent].parent].type == CONFIG_LIST &&
	    c->nodes[c->nodes[parent].parent].parent == NODE_NONE && config_find(c, parent, KEY_PATH) != NODE_NONE)
		return true; /* of a list of modules: config_hub.c */
	if (!has_dot(c, node))
		return false;
	if (config_in(c, CONFIG_MMENGINE)) { /* registry.py: what is not registered is imported */
		judge_call(c, node, MM_CLASSES);
		return true;
	}
	if (config_in(c, CONFIG_ALLENNLP)) {
		judge_call(c, node, "allennlp.* allennlp_models.* haystack.* haystack_integrations.*");
		return true;
	}
	if (config_in(c, CONFIG_LUDWIG)) {
		judge_import(c, node, "ludwig.*");
		return true;
	}
	return false;
}

/* Langflow: {"code": {"type": "code", "value": source}} of a component, which is exec()ed when the flow is read
 * (lfx/custom/eval.py). */
static bool judge_code_field(struct config *c, uint32_t node)
{
	uint32_t map = c->nodes[node].parent;

	if (!bytes_equal(text_of(c, node), bytes_of_text("code")) || map == NODE_NONE ||
	    !bytes_equal(c->nodes[map].name, bytes_of_text("code")))
		return false;
	config_tell(c, WLK_F_CONFIG_EXPRESSION, node);
	return true;
}

static bool judge_dunder_key(struct config *c, uint32_t node)
{
	if (config_in(c, CONFIG_VOCABULARY) || c->nodes[node].type == CONFIG_NUMBER ||
	    c->nodes[node].type == CONFIG_NULL)
		return true;
	config_tell(c, WLK_F_CONFIG_TARGET_UNLISTED, node);
	return true;
}

/* Names of classes that jsonpickle imports; what it reduces is harmless as far as pickles may. */
static bool judge_py(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_PY_REPR: judge_evaluate(c, node, config_expression_fault); break;
	case KEY_PY_REDUCE: break; /* what it holds are py/type and py/function */
	default: judge_call(c, node, NULL); break;
	}
	return true;
}

/* mlflow, utils/class_utils.py: the class of a flavour is imported and called; tensorflow's keras_module imported. */
static bool judge_flavour(struct config *c, uint32_t node)
{
	if (!config_in(c, CONFIG_MLFLOW))
		return false;
	judge_import(c, node,
	    "xgboost.* lightgbm.* pyspark.ml.* synapse.ml.* =keras =tf_keras =tensorflow.keras "
	    "=tensorflow.python.keras =keras.api =tensorflow.keras.api");
	return true;
}

/* {"py/mod": "a/a"}: jsonpickle, unpickler.py, _restore_module(). */
static void judge_py_module(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);
	const uint8_t *slash = memchr(text.at, '/', text.n);

	if (c->nodes[node].type != CONFIG_TEXT)
		return;
	if (slash != NULL)
		text.n = (size_t)(slash - text.at);
	(void)judge_import_name(c, node, text, NULL);
}

static bool judge_layer_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_MODEL_CLASS:
	case KEY_KERAS_MODULE: return judge_flavour(c, node);
	case KEY_OBJECT_CONSTRUCTOR: judge_call(c, node, "llama_index.*"); return true;
	case KEY_NETWORK_CLASS:
		if (has_dot(c, node))
			judge_call(c, node, NNUNET_VOUCHED);
		return true;
	case KEY_REQUIRES_IMPORT: judge_required(c, node); return true;
	case KEY_CHARACTERS_CLASS: judge_call(c, node, "TTS.*"); return true;
	default: return false;
	}
}

bool judge_tree_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_TARGET_: judge_target(c, node); return true;
	case KEY_COMPONENT_: judge_call(c, node, "torchtune.* !torchtune.utils."); return true;
	case KEY_INSTANTIATOR:
	case KEY_CLASS_PATH_:
		judge_call(c, node,
		    "=lightning.pytorch.cli.instantiate_module =pytorch_lightning.cli.instantiate_module lightning.* "
		    "pytorch_lightning.* torch.nn.*");
		return true;
	case KEY_TARGET:
	case KEY_CLS:
	case KEY_CLASS_PATH: return judge_class_path(c, node);
	case KEY_PY_OBJECT:
	case KEY_PY_TYPE:
	case KEY_PY_FUNCTION:
	case KEY_PY_REPR:
	case KEY_PY_REDUCE: return judge_py(c, node);
	case KEY_PY_MODULE: judge_py_module(c, node); return true;
	case KEY_REDUCE:
	case KEY_CLASS:
	case KEY_INIT:
	case KEY_GLOBALS:
	case KEY_IMPORT: return judge_dunder_key(c, node);
	case KEY_ID: judge_serialized(c, node); return true;
	case KEY_MODULE: return judge_pyref(c, node) || judge_training_key(c, node) || judge_tool_key(c, node);
	case KEY_NAME:
		judge_pipeline_name(c, node);
		(void)judge_started_key(c, node);
		return true;
	case KEY_TYPE: return judge_training_key(c, node) || judge_type(c, node) || judge_code_field(c, node);
	case KEY_BASE_:
	case KEY_BASE: judge_base(c, node); return true;
	case KEY_IMPORTS:
		if (config_in(c, CONFIG_MONAI) || config_in(c, CONFIG_MONAI_TRAIN) ||
		    node_under(c, node) == KEY_CUSTOM_IMPORTS)
			judge_imports(c, node, MM_VOUCHED);
		return node_under(c, node) == KEY_CUSTOM_IMPORTS;
	default:
		return judge_started_key(c, node) || judge_layer_key(c, node) || judge_yolo_key(c, node) ||
		       judge_training_key(c, node) || judge_tool_key(c, node);
	}
}
