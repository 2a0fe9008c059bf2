/* The rules that belong to keys: formats/configs, sections 2 and 3.  One look at each entry that was kept, in the order of the
 * file; what an entry means may depend on its map and on the family, which all of the file has told by now. */
#include "config_judge.h"

#include "config_references.h"
#include "config_shapes.h"

/* -- findings -- */

void config_tell_text(struct config *c, enum wlk_finding code, struct bytes found, uint32_t node)
{
	uint8_t path[CONFIG_PATH_MAX];
	struct finding f = { .code = code, .has_offset = true, .offset = c->nodes[node].at };

	f.subject = bytes_of(path, config_path(c, node, path));
	if (found.n > 0)
		f.found = value_text(found);
	c->nodes[node].why |= NODE_TOLD;
	config_tape_told(c->tape, code, found, c->nodes[node].at);
	layout_finding(c->l, &f);
}

void config_tell(struct config *c, enum wlk_finding code, uint32_t node)
{
	config_tell_text(c, code, c->nodes[node].text, node);
}

static void tell_at(struct config *c, enum wlk_finding code, struct bytes found, struct bytes path, uint64_t at)
{
	struct finding f = { .code = code, .has_offset = true, .offset = at, .subject = path };

	if (found.n > 0)
		f.found = value_text(found);
	config_tape_told(c->tape, code, found, at);
	layout_finding(c->l, &f);
}

void config_found(struct config *c, enum wlk_finding code, struct bytes found, struct bytes path, uint64_t at)
{
	tell_at(c, code, found, path, at);
}

/* -- names -- */

static struct known_name *known_place(struct config *c, struct bytes name)
{
	uint32_t hash = 2166136261u; /* FNV-1a; who makes names meet gains the time that they cost without this */

	for (size_t i = 0; i < name.n; i++)
		hash = (hash ^ name.at[i]) * 16777619u;
	return &c->known[(hash ^ hash >> 16) & (KNOWN_NAMES - 1)];
}

enum config_standing config_standing_of(struct config *c, struct bytes name, const char *vouched, uint64_t at)
{
	struct known_name *k;

	if (c->names++ >= CONFIG_NAMES_MAX) {
		if (!c->full)
			c->full_at = at;
		c->full = true;
		return CONFIG_NAME_FINE;
	}
	if (name.n == 0 || name.n > KNOWN_NAME_MAX)
		return config_name_standing(name, vouched, c->l->pickle_names);
	k = known_place(c, name);
	if (k->n != name.n || k->vouched != vouched || memcmp(k->text, name.at, name.n) != 0) {
		k->standing = (uint8_t)config_name_standing(name, vouched, c->l->pickle_names);
		k->vouched = vouched;
		k->n = (uint8_t)name.n;
		bytes_copy(k->text, name);
	}
	return (enum config_standing)k->standing;
}

static enum wlk_finding call_fault(enum config_standing s)
{
	return s == CONFIG_NAME_DENIED     ? WLK_F_CONFIG_TARGET
	       : s == CONFIG_NAME_UNLISTED ? WLK_F_CONFIG_TARGET_UNLISTED
					   : 0;
}

static enum wlk_finding import_fault(enum config_standing s)
{
	return s == CONFIG_NAME_DENIED     ? WLK_F_CONFIG_IMPORT
	       : s == CONFIG_NAME_UNLISTED ? WLK_F_CONFIG_IMPORT_UNLISTED
					   : 0;
}

bool judge_call(struct config *c, uint32_t node, const char *vouched)
{
	const struct config_node *n = &c->nodes[node];
	enum wlk_finding code;

	if (n->type == CONFIG_NULL)
		return false;
	if (n->type != CONFIG_TEXT) { /* a number is no name, and a word of some vocabulary may have one */
		if (n->type != CONFIG_NUMBER)
			config_tell(c, WLK_F_CONFIG_TARGET_UNLISTED, node);
		return n->type != CONFIG_NUMBER;
	}
	code = call_fault(config_standing_of(c, n->text, vouched, n->at));
	if (code != 0)
		config_tell(c, code, node);
	return code != 0;
}

bool judge_import(struct config *c, uint32_t node, const char *vouched)
{
	const struct config_node *n = &c->nodes[node];
	enum wlk_finding code =
	    n->type == CONFIG_TEXT ? import_fault(config_standing_of(c, n->text, vouched, n->at)) : 0;

	if (code != 0)
		config_tell(c, code, node);
	return code != 0;
}

bool judge_import_name(struct config *c, uint32_t node, struct bytes name, const char *vouched)
{
	enum wlk_finding code = import_fault(config_standing_of(c, name, vouched, c->nodes[node].at));

	if (code != 0)
		config_tell_text(c, code, name, node);
	return code != 0;
}

void judge_imports(struct config *c, uint32_t list, const char *vouched)
{
	if (c->nodes[list].type == CONFIG_TEXT)
		judge_import(c, list, vouched);
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_import(c, i, vouched);
}

void judge_read_path(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];
	enum wlk_finding code = n->type == CONFIG_TEXT ? config_path_fault(n->text) : 0;

	if (code != 0)
		config_tell(c, code, node);
}

/* Files of these names are judged as configurations of the kind that includes them. */
static bool is_judged_as(struct bytes path)
{
	return config_ends(path, ".yaml") || config_ends(path, ".yml") || config_ends(path, ".json") ||
	       config_ends(path, ".py");
}

void judge_included(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];

	if (n->type == CONFIG_TEXT && n->text.n > 0 && !is_judged_as(n->text) && config_path_fault(n->text) == 0)
		config_tell(c, WLK_F_CONFIG_IMPORT_UNLISTED, node);
}

void config_include(struct config *c, struct bytes name, const char *ending, struct bytes path, uint64_t at)
{
	enum wlk_finding code = config_path_fault(name);

	if (code == 0 && !(ending != NULL ? config_ends(name, ending) : is_judged_as(name)))
		code = WLK_F_CONFIG_IMPORT_UNLISTED;
	if (code != 0)
		tell_at(c, code, name, path, at);
	else if (ending == NULL && !config_note_include(c, "yaml", name))
		tell_at(c, WLK_F_CONFIG_IMPORT_UNLISTED, name, path, at);
}

void judge_evaluate(struct config *c, uint32_t node, enum wlk_finding (*fault)(struct bytes text))
{
	const struct config_node *n = &c->nodes[node];
	enum wlk_finding code = n->type == CONFIG_TEXT ? fault(n->text) : 0;

	if (code != 0)
		config_tell(c, code, node);
}

static const char vouched_calls[] =
    "speechbrain.nnet.* speechbrain.lobes.* speechbrain.processing.* speechbrain.decoders.* "
    "speechbrain.dataio.* speechbrain.augment.* speechbrain.wordemb.* "
    "speechbrain.alignment.* speechbrain. =speechbrain.utils.seed_everything "
    "=speechbrain.utils.hparams.choice =sentencepiece.SentencePieceProcessor";
static const char vouched_gin[] =
    "=gin =t5 =t5x =seqio =mesh_tensorflow =flaxformer =mt5 =jax =flax =tensorflow =__gin__ "
    "gin.* t5.* t5x.* seqio.* mesh_tensorflow.* flaxformer.* mt5.* jax.* flax.* tensorflow.* "
    "__gin__.*";

void config_call(struct config *c, struct bytes name, struct bytes path, uint64_t at)
{
	enum wlk_finding code = call_fault(config_standing_of(c, name, vouched_calls, at));

	if (code != 0)
		tell_at(c, code, name, path, at);
}

void config_import(struct config *c, struct bytes name, struct bytes path, uint64_t at)
{
	enum wlk_finding code =
	    import_fault(config_standing_of(c, name, config_in(c, CONFIG_GIN) ? vouched_gin : vouched_calls, at));

	if (code != 0)
		tell_at(c, code, name, path, at);
}

void config_import_vouched(struct config *c, struct bytes name, const char *vouched, struct bytes path, uint64_t at)
{
	enum wlk_finding code = import_fault(config_standing_of(c, name, vouched, at));

	if (code != 0)
		tell_at(c, code, name, path, at);
}

void config_read_path(struct config *c, struct bytes name, struct bytes path, uint64_t at)
{
	enum wlk_finding code = config_path_fault(name);

	if (code != 0)
		tell_at(c, code, name, path, at);
}

void config_evaluate(struct config *c, struct bytes text, struct bytes path, uint64_t at)
{
	enum wlk_finding code = config_expression_fault(text);

	if (code != 0)
		tell_at(c, code, text, path, at);
}

/* -- families by content -- */

static const struct {
	enum config_family family;
	uint8_t key, beside; /* enum config_key, both noted; KEY_NONE: nothing more */
} telling[] = {
	{ CONFIG_TRANSFORMERS, KEY_MODEL_TYPE, KEY_NONE },
	{ CONFIG_TRANSFORMERS, KEY_ARCHITECTURES, KEY_NONE },
	{ CONFIG_TRANSFORMERS, KEY_TRANSFORMERS_VERSION, KEY_NONE },
	{ CONFIG_PEFT, KEY_PEFT_TYPE, KEY_NONE },
	{ CONFIG_DIFFUSERS, KEY_CLASS_NAME_, KEY_DIFFUSERS_VERSION },
	{ CONFIG_MODELSCOPE, KEY_FRAMEWORK, KEY_TASK },
	{ CONFIG_OPEN_CLIP, KEY_PRETRAINED_CFG, KEY_ARCHITECTURE },
	{ CONFIG_YOLO, KEY_BACKBONE, KEY_HEAD },
	{ CONFIG_ALLENNLP, KEY_DATASET_READER, KEY_MODEL },
	{ CONFIG_ALLENNLP, KEY_COMPONENTS, KEY_CONNECTIONS },
	{ CONFIG_NNUNET, KEY_CONFIGURATIONS, KEY_PLANS_NAME },
	{ CONFIG_COQUI, KEY_CHARACTERS, KEY_MODEL },
	{ CONFIG_MLFLOW, KEY_FLAVORS, KEY_NONE },
	{ CONFIG_LUDWIG, KEY_INPUT_FEATURES, KEY_TRAINER },
	{ CONFIG_MMENGINE, KEY_CUSTOM_IMPORTS, KEY_NONE },
	{ CONFIG_MMENGINE, KEY_BASE_, KEY_NONE },
	{ CONFIG_MMENGINE, KEY_BASE, KEY_NONE },
	{ CONFIG_GENAI, KEY_MODEL, KEY_SEARCH },
	{ CONFIG_OLLAMA, KEY_SCHEMA_VERSION, KEY_LAYERS },
	{ CONFIG_MONAI, KEY_REQUIRES_, KEY_NONE },
};

static void tell_families(struct config *c, const struct config_node *root)
{
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		if (node_has(root, telling[i].key) &&
		    (telling[i].beside == KEY_NONE || node_has(root, telling[i].beside)))
			config_is(c, telling[i].family);
}

static void note_content(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];

	if (n->parent == NODE_NONE && n->type == CONFIG_MAP)
		tell_families(c, n);
	if (n->key == KEY_TARGET_ && n->type == CONFIG_TEXT && n->text.n > 3 && config_is_name(n->text) &&
	    memchr(n->text.at, '.', n->text.n) == NULL && memchr(n->text.at, ':', n->text.n) == NULL)
		config_is(c, CONFIG_MONAI);
	if (n->key == KEY_COMPONENT_)
		config_is(c, CONFIG_TORCHTUNE);
	if (n->type == CONFIG_MAP && node_has(n, KEY_STEPS) == false && node_has(n, KEY_REGISTRY_NAME))
		config_is(c, CONFIG_LEROBOT);
}

/* `$import x`, `$a.b(c)`: what MONAI gives to eval() whatever else is in the file.  A price or a variable of a shell has no word,
 * or no bracket behind it. */
static bool is_called_for(struct bytes text)
{
	size_t n = 1;

	if (text.n < 3 || text.at[0] != '$')
		return false;
	if (config_begins(text, "$import ") || config_begins(text, "$from "))
		return true;
	while (n < text.n && (text.at[n] == '.' || text.at[n] == '_' || (text.at[n] >= '0' && text.at[n] <= '9') ||
				 ((text.at[n] | 0x20) >= 'a' && (text.at[n] | 0x20) <= 'z')))
		n++;
	return n > 1 && n < text.n && text.at[n] == '(' && text.at[text.n - 1] == ')';
}

/* An expression, and something that is called: MONAI's bundles. */
static void note_expressions(struct config *c)
{
	bool target = false, odd = false, called = false;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct config_node *n = &c->nodes[i];

		target = target || n->key == KEY_TARGET_;
		odd = odd || (n->type == CONFIG_TEXT && n->text.n > 1 && (n->why & NODE_PROSE) == 0 &&
				 ((n->text.at[0] == '$' && n->text.at[1] != '{') || n->text.at[0] == '%'));
		called = called || (n->type == CONFIG_TEXT && (n->why & NODE_PROSE) == 0 && is_called_for(n->text));
	}
	c->has_target = target;
	if ((target && odd) || called)
		config_is(c, CONFIG_MONAI);
}

/* -- one entry -- */

static bool is_soft(enum config_key key)
{
	switch (key) {
	case KEY_TARGET:
	case KEY_CLASS_PATH:
	case KEY_TYPE:
	case KEY_CLASS_WORD:
	case KEY_CLS:
	case KEY_MODULE:
	case KEY_IMPLEMENTATION:
	case KEY_LOADER_MODULE:
	case KEY_TOKENIZER_CLASS:
	case KEY_ACTIVATION_FN:
	case KEY_ACTIVATION_FUNCTION:
	case KEY_PARENT_LIBRARY:
	case KEY_CHARACTERS_CLASS:
	case KEY_PLUGINS:
	case KEY_IMPORTS: return true;
	default: return false;
	}
}

/* Of logging.config.dictConfig(), in the records of Hydra and SpeechBrain: each run saves them. */
static const char log_classes[] = "logging.StreamHandler logging.FileHandler logging.NullHandler logging.Formatter "
				  "logging.handlers.RotatingFileHandler logging.handlers.TimedRotatingFileHandler";

static bool judge_soft_text(struct config *c, uint32_t node, bool whole)
{
	const struct config_node *n = &c->nodes[node];

	if (n->type != CONFIG_TEXT || config_ends_as_file(n->text) || n->text.n > CONFIG_NAME_MAX ||
	    (n->key == KEY_CLASS_WORD && config_is_word_of(n->text, log_classes)))
		return false;
	if (whole && config_holds(n->text, "${") && !config_holds(n->text, "${{")) {
		config_tell(c, WLK_F_CONFIG_TARGET_UNLISTED, node); /* filled in elsewhere */
		return true;
	}
	if (!((n->why & NODE_DANGER) != 0 || config_name_is_denied_itself(n->text) ||
		(whole && config_is_name(n->text) && memchr(n->text.at, '.', n->text.n) != NULL &&
		    config_standing_of(c, n->text, NULL, n->at) == CONFIG_NAME_DENIED)))
		return false;
	config_tell(c, WLK_F_CONFIG_TARGET, node);
	return true;
}

static bool judge_soft(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];
	bool whole = n->key == KEY_TARGET || n->key == KEY_CLASS_PATH;

	if (!is_soft((enum config_key)n->key) && (n->why & NODE_DANGER) == 0)
		return false;
	if (n->type != CONFIG_LIST)
		return judge_soft_text(c, node, whole);
	for (uint32_t i = n->first; i != NODE_NONE; i = c->nodes[i].next)
		(void)judge_soft_text(c, i, whole);
	return false;
}

/* A list of data, not of settings. */
#define DATA_ENTRIES 1000u

/* Of a file of calls all texts are filled in, under whatever key. */
static bool is_filled_in(const struct config *c, const struct config_node *n)
{
	return config_value_is_filled_in(n->text) &&
	       (config_in(c, CONFIG_MONAI) || config_in(c, CONFIG_MONAI_TRAIN) || c->has_target);
}

static bool is_data(const struct config *c, const struct config_node *n)
{
	const struct config_node *p = n->parent != NODE_NONE ? &c->nodes[n->parent] : NULL;

	if ((n->why & NODE_PROSE) != 0)
		return !is_filled_in(c, n);
	return p != NULL && p->type == CONFIG_LIST && p->n > DATA_ENTRIES;
}

static void judge_value(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];
	enum wlk_finding code;

	if ((n->why & NODE_VALUE) == 0 || is_data(c, n))
		return;
	if ((config_in(c, CONFIG_MONAI) || config_in(c, CONFIG_MONAI_TRAIN)) && n->text.at[0] == '$' && n->text.n > 1 &&
	    n->text.at[1] != '{') {
		config_tell(c, config_expression_fault(bytes_of(n->text.at + 1, n->text.n - 1)), node);
		return;
	}
	if (config_in(c, CONFIG_MONAI) && n->text.at[0] == '%') { /* %path::id */
		const uint8_t *colons = memmem(n->text.at, n->text.n, "::", 2);
		struct bytes path = bytes_of(n->text.at + 1, colons != NULL ? (size_t)(colons - n->text.at) - 1 : 0);

		if (config_path_fault(path) != 0)
			config_tell(c, config_path_fault(path), node);
		return;
	}
	code = n->text.n <= CONFIG_TEXT_MAX ? config_value_fault(n->text) : 0;
	if ((code == WLK_F_CONFIG_PATH_ESCAPE || code == WLK_F_CONFIG_PATH_ABSOLUTE) &&
	    (format_info(c->l->id)->model || (n->key == KEY_PATH && code == WLK_F_CONFIG_PATH_ABSOLUTE)))
		return; /* of whose paths other rules speak */
	if (code != 0)
		config_tell(c, code, node);
}

/* Two braces stand for one where a file says that Python formats it (LangChain, Semantic Kernel). */
static bool is_escaped(struct config *c, const struct config_node *n)
{
	uint32_t format = config_find(c, n->parent, KEY_TEMPLATE_FORMAT);

	if (format == NODE_NONE)
		return false;
	if (bytes_equal(c->nodes[format].text, bytes_of_text("jinja2")))
		return n->key == KEY_TEMPLATE; /* which is judged whole: config_tools.c */
	return bytes_equal(c->nodes[format].text, bytes_of_text("f-string")) &&
	       !config_text_reaches(n->text, CONFIG_BRACES_ONE);
}

/* What starts a workflow of GitHub's, and the rows of its matrix: files and words, which no loader looks at. */
static bool is_of_workflow(const struct config *c, uint32_t node)
{
	bool paths = false, matrix = false, strategy = false;
	uint32_t up = c->nodes[node].parent;

	for (; up != NODE_NONE; up = c->nodes[up].parent) {
		struct bytes name = c->nodes[up].name;

		paths |= config_is_word_of(name, "paths paths-ignore");
		strategy |= matrix && config_is_word_of(name, "strategy");
		matrix |= config_is_word_of(name, "matrix");
		if (config_is_word_of(name, "on") || config_is_word_of(name, "jobs"))
			return config_is_word_of(name, "on") ? paths : strategy;
	}
	return false;
}

static void judge_node(struct config *c, uint32_t node)
{
	const struct config_node *n = &c->nodes[node];
	bool workflow = (n->why & (NODE_LIBRARY | NODE_SHAPE)) != 0 && is_of_workflow(c, node);

	if ((n->why & NODE_TOLD) != 0 || (n->key != KEY_NONE && judge_hub_key(c, node)))
		return;
	if ((n->why & NODE_REACH) != 0 && !is_escaped(c, n)) {
		config_tell(c, WLK_F_CONFIG_EXPRESSION_DANGEROUS, node);
		return;
	}
	if (n->key != KEY_NONE && judge_tree_key(c, node))
		return;
	if (n->key != KEY_NONE && judge_server_key(c, node))
		return;
	if ((n->why & NODE_LIBRARY) != 0 && !workflow && c->l->id != WLK_FORMAT_MXNET) /* which has rules of its own */
		config_tell(c, WLK_F_CONFIG_LIBRARY, node);
	if (!judge_soft(c, node) && (workflow || !judge_shape(c, node)))
		judge_value(c, node);
}

void config_judge(struct config *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		note_content(c, i);
	note_expressions(c);
	for (uint32_t i = 0; i < c->n; i++)
		judge_node(c, i);
	judge_outermost(c);
}
