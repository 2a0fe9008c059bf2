/* YOLO's models and data sets: formats/configs, section 2.2.  yolo.py and ultralytics' nn/tasks.py, parse_model(): a layer is
 * [from, number, module, arguments]; the module is a name of whatever that file has imported, or given to eval(), and it is called
 * with the arguments, of which each text is given to eval() too. */
#include "config_references.h"

static struct bytes text_of(const struct config *c, uint32_t node)
{
	return c->nodes[node].text;
}

static bool is_word_byte(uint8_t b)
{
	return b == '_' || (b >= '0' && b <= '9') || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
}

#define ARGUMENTS_MAX 256u

/* (a=1, b=True) as (1, True): who is called decides what the names mean, and they run nothing. */
static enum wlk_finding arguments_fault(struct bytes text)
{
	uint8_t buf[ARGUMENTS_MAX];
	size_t n = 0, word = 0; /* where the word that is read begins */

	if (text.n > sizeof(buf) || memchr(text.at, '\\', text.n) != NULL) /* it may hide where a quote ends */
		return config_literal_fault(text);
	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] == '=' && n > word && (i + 1 == text.n || text.at[i + 1] != '=')) {
			n = word;
			continue;
		}
		buf[n++] = text.at[i];
		if (!is_word_byte(text.at[i]))
			word = n;
	}
	return config_literal_fault(bytes_of(buf, n));
}

/* A word, nn.Word, nn.Word(numbers), or a literal. */
static enum wlk_finding evaluated(struct bytes text)
{
	size_t at = config_begins(text, "torch.nn.") ? 9 : config_begins(text, "nn.") ? 3 : 0, end = at;

	while (end < text.n && is_word_byte(text.at[end]))
		end++;
	if (end > at && !(text.at[at] >= '0' && text.at[at] <= '9')) {
		struct bytes rest = bytes_of(text.at + end, text.n - end);

		if (config_holds(text, "__"))
			return WLK_F_CONFIG_EXPRESSION_DANGEROUS;
		if (rest.n == 0)
			return 0;
		if (at > 0 && rest.at[0] == '(') {
			if (arguments_fault(rest) == 0)
				return 0;
		}
	}
	return config_literal_fault(text);
}

/* -- layers -- */

/* Classes among the modules that load what they are told, or are models themselves. */
static const char loaders[] =
    "DetectMultiBackend AutoBackend AutoShape YOLO Model BaseModel DetectionModel SegmentationModel "
    "ClassificationModel Ensemble SafeUnpickler SafeClass Path";

/* Modules are classes.  Of functions in small letters nobody knows what they do with a text: check_requirements() installs what it
 * is told; a number names nothing. */
static bool is_module(struct bytes name, bool texts)
{
	static const char *const packages[] = { "torch.nn.", "nn.", "torchvision.ops." };

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		size_t n = strlen(packages[i]);

		if (config_begins(name, packages[i]))
			return config_is_name(name) && memchr(name.at + n, '.', name.n - n) == NULL;
	}
	if (!config_is_name(name) || memchr(name.at, '.', name.n) != NULL || memchr(name.at, ':', name.n) != NULL ||
	    config_is_word_of(name, loaders))
		return false;
	return config_names_class(name) || (!texts && !config_names_acting(name));
}

/* Is there a text among the arguments that is more than a word of Python's constants, of the model's own (nc, anchors), or a
 * number? */
static bool has_texts(struct config *c, uint32_t arguments)
{
	for (uint32_t i = c->nodes[arguments].first; i != NODE_NONE; i = c->nodes[i].next)
		if (c->nodes[i].type == CONFIG_TEXT &&
		    !config_is_word_of(text_of(c, i), "None True False nc anchors nearest bilinear"))
			return true;
	return false;
}

static void judge_module(struct config *c, uint32_t node, uint32_t arguments)
{
	struct bytes name = text_of(c, node);

	if (c->nodes[node].type != CONFIG_TEXT)
		return;
	if (config_is_word_of(name,
		"exec eval compile open input getattr setattr delattr globals locals vars breakpoint help exit quit"))
		config_tell(c, WLK_F_CONFIG_EXPRESSION_DANGEROUS, node);
	else if (evaluated(name) != 0)
		config_tell(c, evaluated(name), node);
	else if (!is_module(name, arguments != NODE_NONE && has_texts(c, arguments)))
		config_tell(c, WLK_F_CONFIG_EXPRESSION, node);
}

/* The entry of a layer at this place; lists and texts are kept. */
static uint32_t entry_at(const struct config *c, uint32_t list, uint32_t index)
{
	uint32_t i = c->nodes[list].first;

	while (i != NODE_NONE && c->nodes[i].index != index)
		i = c->nodes[i].next;
	return i;
}

static void judge_layer(struct config *c, uint32_t layer)
{
	uint32_t arguments = entry_at(c, layer, 3);

	for (uint32_t k = c->nodes[layer].first; k != NODE_NONE; k = c->nodes[k].next) {
		if (c->nodes[k].index == 2)
			judge_module(c, k, arguments);
		else
			judge_evaluate(c, k, evaluated);
		for (uint32_t m = c->nodes[k].first; m != NODE_NONE; m = c->nodes[m].next)
			judge_evaluate(c, m, evaluated);
	}
}

static void judge_layers(struct config *c, uint32_t list)
{
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_layer(c, i);
}

/* -- data sets -- */

/* An address, or a path: one word, by which nothing is called or imported where it is exec()ed. */
static bool is_address(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_word_byte(text.at[i]) && memchr(":/.-%?=&~+@,", text.at[i], 12) == NULL)
			return false;
	return true;
}

/* ultralytics, data/utils.py, check_det_dataset(): an archive is fetched, what begins with bash is run, and all else is exec()ed,
 * when the images are not there. */
static void judge_download(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);

	if (c->nodes[node].type != CONFIG_TEXT || !node_is_outermost(c, node) ||
	    (!node_beside(c, node, KEY_VAL) && !node_beside(c, node, KEY_TRAIN)))
		return;
	if (!is_address(text))
		config_tell(c, WLK_F_CONFIG_EXPRESSION, node);
}

bool judge_yolo_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_BACKBONE:
	case KEY_HEAD:
		if (!config_in(c, CONFIG_YOLO))
			return false;
		judge_layers(c, node);
		return true;
	case KEY_ACTIVATION:
		/* before the layers are looked for: ultralytics, nn/tasks.py, parse_model() */
		if (!config_in(c, CONFIG_YOLO) && !(node_is_outermost(c, node) && config_holds(text_of(c, node), "(")))
			return false;
		judge_evaluate(c, node, evaluated);
		return true;
	case KEY_DOWNLOAD: judge_download(c, node); return true;
	default: return false;
	}
}
