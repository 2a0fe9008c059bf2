/* Libraries of a hub: formats/configs, section 2.1.  Each rule names the source of the loader that acts on the key. */
#include "config_references.h"

#define TRANSFORMERS_VOUCHED                                                                                       \
	"transformers.models.* diffusers.* lerobot.* megatron.* =megatron.core =transformers =diffusers =lerobot " \
	"=megatron"
/* Folders below diffusers/pipelines, in any release: pipeline_loading_utils.py asks for these before it imports. */
#define DIFFUSERS_LIBRARIES                                                                                          \
	"diffusers transformers onnxruntime.training stable_diffusion stable_diffusion_xl latent_diffusion "         \
	"deepfloyd_if "                                                                                              \
	"unidiffuser alt_diffusion audioldm audioldm2 audio_diffusion controlnet controlnet_sd3 controlnet_xs "      \
	"consistency_models "                                                                                        \
	"dance_diffusion ddim ddpm dit flux hunyuandit i2vgen_xl kandinsky kandinsky2_2 kandinsky3 latte lumina "    \
	"musicldm "                                                                                                  \
	"paint_by_example pag pia pixart_alpha score_sde_ve semantic_stable_diffusion shap_e spectrogram_diffusion " \
	"stable_audio stable_cascade stable_diffusion_3 stable_diffusion_safe stable_diffusion_gligen "              \
	"stable_diffusion_ldm3d "                                                                                    \
	"stable_diffusion_attend_and_excite stable_diffusion_diffedit stable_diffusion_k_diffusion "                 \
	"stable_diffusion_panorama "                                                                                 \
	"stable_diffusion_sag stable_unclip stable_video_diffusion stochastic_karras_ve t2i_adapter "                \
	"text_to_video_synthesis "                                                                                   \
	"unclip versatile_diffusion vq_diffusion wuerstchen repaint pndm latent_diffusion_uncond "                   \
	"latent_consistency_models "                                                                                 \
	"amused animatediff aura_flow blip_diffusion cogvideo cogview3 cogview4 cosmos allegro mochi ltx ltx2 sana " \
	"sana_video wan qwenimage "                                                                                  \
	"hidream_image hunyuan_video hunyuan_image omnigen visualcloze chroma bria bria_fibo easyanimate framepack " \
	"ledits_pp "                                                                                                 \
	"marigold consisid lumina2 skyreels_v2 kandinsky5 flux2 z_image prx ovis_image chronoedit lucy free_noise "  \
	"ddim_scheduler "                                                                                            \
	"controlnet_flux controlnet_hunyuandit deprecated"

/* -- attention and experts: transformers, integrations/hub_kernels.py -- */

/* owner/repository behind the last pipe sign: the Hub's code, and nobody is asked. */
static void judge_kernel(struct config *c, uint32_t node)
{
	struct bytes text = c->nodes[node].text;
	const uint8_t *pipe;

	if (c->nodes[node].type != CONFIG_TEXT)
		return;
	pipe = memrchr(text.at, '|', text.n);
	if (pipe != NULL)
		text = bytes_of(pipe + 1, text.n - (size_t)(pipe + 1 - text.at));
	if (memchr(text.at, '/', text.n) != NULL)
		config_tell(c,
		    config_begins(text, "kernels-community/") ? WLK_F_CONFIG_REMOTE_CODE_GATED
							      : WLK_F_CONFIG_REMOTE_CODE,
		    node);
}

/* By parts of a model, and by parts of those. */
static void judge_kernels(struct config *c, uint32_t node)
{
	for (uint32_t i = node; i < c->n; i++) { /* what is in a map follows it: see config_walk.c */
		uint32_t up = i;

		while (up != NODE_NONE && up > node)
			up = c->nodes[up].parent;
		if (up != node)
			return;
		judge_kernel(c, i);
	}
}

/* -- switches -- */

/* owner/name, not nothing and not a path. */
static bool is_repository_of(struct config *c, uint32_t map)
{
	static const enum config_key names[] = { KEY_MODEL_NAME_OR_PATH_, KEY_PRETRAINED_NAME, KEY_NAME_OR_PATH,
		KEY_REPO_ID, KEY_MODEL_ID, KEY_MODEL_NAME_OR_PATH };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t at = config_find(c, map, names[i]);

		if (at != NODE_NONE && c->nodes[at].type == CONFIG_TEXT && c->nodes[at].text.n > 0 &&
		    memchr(c->nodes[at].text.at, '/', c->nodes[at].text.n) != NULL)
			return true;
	}
	return false;
}

/* transformers, models/lightglue/configuration_lightglue.py: the flag is handed on to the detector's AutoConfig. */
static bool is_handed_on(struct config *c, uint32_t map)
{
	uint32_t detector = config_find(c, map, KEY_KEYPOINT), type;

	if (detector == NODE_NONE || !is_repository_of(c, detector))
		return false;
	type = config_find(c, detector, KEY_MODEL_TYPE);
	return type == NODE_NONE || !bytes_equal(c->nodes[type].text, bytes_of_text("superpoint"));
}

static void judge_trust(struct config *c, uint32_t node)
{
	uint32_t map = c->nodes[node].parent;
	enum wlk_finding code = WLK_F_CONFIG_TRUST_FLAG;

	if (!config_is_true(&c->nodes[node]))
		return;
	if (config_in(c, CONFIG_TRAINING))
		code = WLK_F_CONFIG_TRUST_FLAG_RECORDED;
	else if (node_is_outermost(c, node) ? is_handed_on(c, map) : is_repository_of(c, map))
		code = WLK_F_CONFIG_REMOTE_CODE;
	config_tell(c, code, node);
}

/* -- single keys -- */

/* importlib knows these suffixes and no other. */
static void judge_model_file(struct config *c, uint32_t node)
{
	struct bytes text = c->nodes[node].text;

	if (node_is_outermost(c, node) && (config_ends(text, ".py") || config_ends(text, ".pyc") ||
					      config_ends(text, ".so") || config_ends(text, ".pyd")))
		config_tell(c, WLK_F_CONFIG_CODE_FILE, node);
}

static void judge_generate(struct config *c, uint32_t node)
{
	struct bytes text = c->nodes[node].text;

	if (text.n == 0)
		return;
	if (config_path_fault(text) != 0)
		config_tell(c, config_path_fault(text), node);
	else if (memchr(text.at, '/', text.n) != NULL)
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE_GATED, node);
	else
		config_tell(c, WLK_F_CONFIG_AUTO_MAP, node);
}

/* peft, auto.py: importlib.import_module(parent_library), and of megatron_core when megatron_config is there. */
static void judge_parent(struct config *c, uint32_t node)
{
	if (config_begins(c->nodes[node].text, "transformers_modules."))
		config_tell(c, WLK_F_CONFIG_AUTO_MAP, node);
	else
		judge_import(c, node, TRANSFORMERS_VOUCHED);
}

/* sentence-transformers, util/misc.py import_from_string(); models/WordEmbeddings.py. */
static void judge_module_class(struct config *c, uint32_t node)
{
	static const char vouched[] = "sentence_transformers.* pylate.models.*";
	struct bytes text = c->nodes[node].text;
	const uint8_t *dot;
	size_t dots = 0;

	if (c->nodes[node].type != CONFIG_TEXT || text.n == 0)
		return;
	for (size_t i = 0; i < text.n; i++)
		dots += text.at[i] == '.';
	if (config_name_is_denied_itself(text) || dots != 1 ||
	    config_name_standing(text, vouched, c->l->pickle_names) == CONFIG_NAME_FINE) {
		judge_import(c, node, vouched);
		return;
	}
	dot = memchr(text.at, '.', text.n);
	config_local_code(c, bytes_of(text.at, (size_t)(dot - text.at)), node);
}

static void judge_quantization(struct config *c, uint32_t node)
{
	if (node_beside(c, node, KEY_DATA_) && config_holds(c->nodes[node].text, ".") &&
	    !config_begins(c->nodes[node].text, "torch."))
		judge_import(c, node, "torchao.*");
}

/* ModelScope: every .py is imported; its own organisations are not asked about. */
static void judge_remote(struct config *c, uint32_t node)
{
	if (config_is_true(&c->nodes[node]))
		config_local_folder(c, node);
}

static void judge_plugins(struct config *c, uint32_t node)
{
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		if (c->nodes[i].type == CONFIG_TEXT && !bytes_equal(c->nodes[i].text, bytes_of_text("pai-easycv")))
			config_tell(c, WLK_F_CONFIG_REQUIREMENT, i);
}

/* Is it anywhere in the value of this key? */
static bool is_below(const struct config *c, uint32_t node, enum config_key key)
{
	for (uint32_t i = c->nodes[node].parent; i != NODE_NONE; i = c->nodes[i].parent)
		if (c->nodes[i].key == key)
			return true;
	return false;
}

/* compressed-tensors, registry/registry.py, get_from_registry(): with a colon in it, it is a file of Python that is run, and what
 * to take of it; nobody is asked. */
static void judge_format(struct config *c, uint32_t node)
{
	if (config_holds(c->nodes[node].text, ":") &&
	    (is_below(c, node, KEY_QUANTIZATION_CONFIG) || is_below(c, node, KEY_COMPRESSION_CONFIG)))
		config_tell(c, WLK_F_CONFIG_CODE_FILE, node);
}

/* transformers, models/timm_wrapper: arguments of timm.create_model(), which unpickles what checkpoint_path names. */
static void judge_checkpoint(struct config *c, uint32_t node)
{
	enum config_key under = node_under(c, node);

	if (under == KEY_MODEL_ARGS || under == KEY_BACKBONE_KWARGS || under == KEY_CFG_OVERLAY)
		judge_read_path(c, node);
}

static void judge_paths(struct config *c, uint32_t node)
{
	judge_read_path(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_read_path(c, i);
}

static bool in_sentence(const struct config *c)
{
	return config_in(c, CONFIG_SENTENCE);
}

static bool is_reader(const struct config *c)
{
	return config_in(c, CONFIG_TRANSFORMERS);
}

/* models/rag/retrieval_rag.py: load_dataset() of another repository, whose script is run where the caller trusts. */
static void judge_rag(struct config *c, uint32_t node)
{
	uint32_t type = config_find(c, c->nodes[node].parent, KEY_MODEL_TYPE);

	if (type != NODE_NONE && bytes_equal(c->nodes[type].text, bytes_of_text("rag")) &&
	    memchr(c->nodes[node].text.at, '/', c->nodes[node].text.n) != NULL)
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE_GATED, node);
}

/* fairseq: models/wav2vec/wav2vec2.py and transformers' converters of SEW, SEW-D and HuBERT eval() the layers (CVE-2025-14926 to
 * -14928); optim/adam.py the betas; utils.import_user_module() imports the folder. */
static bool judge_fairseq(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_CONV_LAYERS:
	case KEY_EXTRACTOR_LAYERS:
	case KEY_ADAM_BETAS: judge_evaluate(c, node, config_product_fault); return true;
	case KEY_USER_DIR:
		if (c->nodes[node].parent != NODE_NONE && c->nodes[node].text.n > 0 &&
		    bytes_equal(c->nodes[c->nodes[node].parent].name, bytes_of_text("common")) &&
		    !config_is_word_of(c->nodes[node].text, "null ??? None"))
			config_local_folder(c, node);
		return true;
	default: return false;
	}
}

/* tokenization_utils_base.py, _from_pretrained(): before 5.0 what tokenizer_config.json says went before the files of the folder, and
 * was opened verbatim.  save_pretrained() writes none of these but tokenizer_file, which holds paths of the trainer's machine. */
static bool judge_vocabulary_file(struct config *c, uint32_t node)
{
	enum config_key key = (enum config_key)c->nodes[node].key;

	if (key < KEY_VOCAB_FILE || key > KEY_TOKENIZER_FILE)
		return false;
	if (config_in(c, CONFIG_TOKENIZER) && node_is_outermost(c, node) && c->nodes[node].type == CONFIG_TEXT &&
	    (key != KEY_TOKENIZER_FILE || config_path_fault(c->nodes[node].text) == WLK_F_CONFIG_PATH_ESCAPE))
		judge_read_path(c, node);
	return true;
}

static bool judge_family_key(struct config *c, uint32_t node)
{
	if (judge_vocabulary_file(c, node))
		return true;
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_CONFIGURATION_FILES:
	case KEY_TRANSFORMERS_WEIGHTS:
	case KEY_INDEX_PATH:
	case KEY_PASSAGES_PATH: is_reader(c) ? judge_paths(c, node) : (void)0; return true;
	case KEY_CACHE_FILE:
	case KEY_PROMPT_STATE: /* tuners/multitask_prompt_tuning/model.py */
	case KEY_COVARIANCE_FILE: config_in(c, CONFIG_PEFT) ? judge_read_path(c, node) : (void)0; return true;
	case KEY_TOKENIZER_CLASS:
		if (in_sentence(c))
			judge_module_class(c, node);
		return in_sentence(c);
	case KEY_ACTIVATION_FN: /* of CrossEncoder, below sentence_transformers */
	case KEY_ACTIVATION_FUNCTION:
	case KEY_SBERT_ACTIVATION:
		if (!config_holds(c->nodes[node].text, "."))
			return false;
		judge_call(c, node, "torch.nn.modules.*");
		return true;
	case KEY_STATE_FILE: config_in(c, CONFIG_LEROBOT) ? judge_read_path(c, node) : (void)0; return true;
	case KEY_PLUGINS:
		if (config_in(c, CONFIG_MODELSCOPE))
			judge_plugins(c, node);
		return config_in(c, CONFIG_MODELSCOPE);
	case KEY_DATASET: is_reader(c) ? judge_rag(c, node) : (void)0; return true;
	case KEY_FORMAT: judge_format(c, node); return true;
	case KEY_CHECKPOINT_PATH: judge_checkpoint(c, node); return true;
	case KEY_FILE:
		if (node_under(c, node) == KEY_PRETRAINED_CFG || node_under(c, node) == KEY_CFG_OVERLAY)
			judge_read_path(c, node);
		return true;
	default: return false;
	}
}

bool judge_hub_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_AUTO_MAP: judge_references(c, node); return true;
	case KEY_IMPL:
		if (c->nodes[node].parent != NODE_NONE && node_under(c, c->nodes[node].parent) == KEY_CUSTOM_PIPELINES)
			judge_reference(c, node);
		return true;
	case KEY_ATTN:
	case KEY_ATTN_:
	case KEY_ATTN_INTERNAL:
	case KEY_ATTN__INTERNAL:
	case KEY_EXPERTS:
	case KEY_EXPERTS_:
	case KEY_EXPERTS_INTERNAL:
	case KEY_EXPERTS__INTERNAL: judge_kernels(c, node); return true;
	case KEY_TRUST:
	case KEY_TRUST_HYPHENS: judge_trust(c, node); return true;
	case KEY_ALLOW_REMOTE: judge_remote(c, node); return true;
	case KEY_MODEL_FILE: judge_model_file(c, node); return true;
	case KEY_CUSTOM_GENERATE: judge_generate(c, node); return true;
	case KEY_PARENT_LIBRARY: judge_parent(c, node); return true;
	case KEY_MEGATRON_CORE:
		if (node_beside(c, node, KEY_MEGATRON_CONFIG))
			judge_import(c, node, TRANSFORMERS_VOUCHED);
		return true;
	case KEY_TYPE_:
		/* langchain_experimental: chains that run what a model writes */
		if (config_is_word_of(c->nodes[node].text, "pal_chain llm_bash_chain llm_symbolic_math_chain"))
			config_tell(c, WLK_F_CONFIG_COMMAND, node);
		else if (node_under(c, node) == KEY_QUANTIZATION_CONFIG ||
			 (is_reader(c) && node_beside(c, node, KEY_DATA_)))
			judge_quantization(c, node);
		return true;
	case KEY_ALLOW_DESERIALIZATION:
	case KEY_ALLOW_CODE:
	case KEY_ALLOW_EXECUTION: judge_trust(c, node); return true;
	default: return judge_fairseq(c, node) || judge_family_key(c, node);
	}
}

/* -- by place, not by key -- */

/* [library, class] and [library, class, {...}]: diffusers, pipelines/pipeline_loading_utils.py. */
static void judge_component(struct config *c, uint32_t list)
{
	uint32_t library = c->nodes[list].first;

	if (c->nodes[list].type != CONFIG_LIST || library == NODE_NONE || c->nodes[library].type != CONFIG_TEXT ||
	    c->nodes[list].n < 2 || c->nodes[list].n > 3 ||
	    config_is_word_of(c->nodes[library].text, DIFFUSERS_LIBRARIES))
		return;
	if (c->l->of_set && config_is_name(c->nodes[library].text) && !config_holds(c->nodes[library].text, ".") &&
	    config_name_standing(c->nodes[library].text, NULL, NULL) != CONFIG_NAME_DENIED) {
		uint8_t path[CONFIG_PATH_MAX * 2];
		struct bytes folder = c->nodes[list].name, file = c->nodes[library].text;

		if (folder.n + file.n + 1 <= sizeof(path)) {
			bytes_copy(path, folder);
			path[folder.n] = '/';
			bytes_copy(path + folder.n + 1, file);
			config_local_code(c, bytes_of(path, folder.n + 1 + file.n), library);
			return;
		}
	}
	judge_import(c, library, "transformers. diffusers.");
}

/* Components are read from model_index.json and modular_model_index.json alone (config_name of DiffusionPipeline, of
 * ModularPipeline): the config.json of one of them has lists of two words of its own (down_block_types). */
static void judge_pipeline(struct config *c, uint32_t root)
{
	bool part = c->l->family == CONFIG_TRANSFORMERS; /* by its name */

	for (uint32_t i = c->nodes[root].first; i != NODE_NONE; i = c->nodes[i].next) {
		const struct config_node *n = &c->nodes[i];

		if (n->key != KEY_CLASS_NAME_ && !part)
			judge_component(c, i);
		else if (n->key == KEY_CLASS_NAME_ && n->type == CONFIG_LIST && n->first != NODE_NONE &&
			 c->nodes[n->first].type == CONFIG_TEXT)
			config_local_code(c, c->nodes[n->first].text, n->first);
	}
}

/* A list of {idx, name, path, type}. */
static void judge_modules(struct config *c, uint32_t root)
{
	for (uint32_t i = c->nodes[root].first; i != NODE_NONE; i = c->nodes[i].next) {
		uint32_t type = config_find(c, i, KEY_TYPE), path = config_find(c, i, KEY_PATH);

		if (c->nodes[i].type != CONFIG_MAP || type == NODE_NONE || (path == NODE_NONE && !in_sentence(c)))
			continue;
		if (in_sentence(c) || config_holds(c->nodes[type].text, "."))
			judge_module_class(c, type);
		if (path != NODE_NONE)
			judge_read_path(c, path);
	}
}

static void judge_types(struct config *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (node_under(c, i) == KEY_TYPES)
			judge_module_class(c, i);
		if (c->nodes[i].key == KEY_TYPE_HINT && c->nodes[i].type == CONFIG_LIST)
			judge_component(c, i);
	}
}

/* steps[] with a class: lerobot, processor/pipeline.py. */
static void judge_steps(struct config *c, uint32_t root)
{
	uint32_t steps = config_find(c, root, KEY_STEPS);

	if (steps == NODE_NONE)
		return;
	for (uint32_t i = c->nodes[steps].first; i != NODE_NONE; i = c->nodes[i].next) {
		uint32_t class = config_find(c, i, KEY_CLASS_WORD);

		if (class != NODE_NONE && (config_in(c, CONFIG_LEROBOT) || config_holds(c->nodes[class].text, ".")))
			judge_call(c, class, "lerobot.");
	}
}

void judge_outermost(struct config *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct config_node *n = &c->nodes[i];

		if (n->parent != NODE_NONE)
			continue;
		if (n->type == CONFIG_MAP && config_in(c, CONFIG_DIFFUSERS))
			judge_pipeline(c, i);
		if (n->type == CONFIG_MAP)
			judge_steps(c, i);
		if (n->type == CONFIG_LIST)
			judge_modules(c, i);
	}
	if (in_sentence(c) || config_in(c, CONFIG_DIFFUSERS))
		judge_types(c);
}
