/* The walk: see config.h.  What a rule may ask for is kept with the maps and lists around it; all else is forgotten at once. */
#include "config_impl.h"

#include "checked.h"
#include "config_inner.h"
#include "config_shapes.h"
#include "config_values.h"

#define NODES_FIRST 64u

struct config *config_begin(struct layout *l)
{
	struct config *c = arena_resize_raw(l->arena, NULL, 1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->l = l;
	c->tape = config_tape_begin(l);
	c->nodes = NULL;
	c->n = c->room = 0;
	c->depth = 0;
	c->families = l->family != CONFIG_NONE ? UINT64_C(1) << l->family : 0;
	c->names = c->copies = 0;
	for (size_t i = 0; i < KNOWN_NAMES; i++)
		c->known[i].n = 0;
	c->steps = 0;
	c->code_n = c->includes_n = 0;
	c->if_included = NULL;
	c->regex = NULL;
	c->n_regex = 0;
	c->full = c->failed = c->broken = c->has_target = c->is_inner = false;
	c->n_inner = 0;
	c->seen_templates = (struct templates_seen){ .n = 0 };
	c->templates = CONFIG_TEMPLATES_NONE;
	c->full_at = 0;
	config_key_index_init(&c->keys);
	return c;
}

void config_is(struct config *c, enum config_family family)
{
	c->families |= UINT64_C(1) << family;
}

bool config_has_family(const struct config *c)
{
	return (c->families & ~(UINT64_C(1) << CONFIG_TRAINING | UINT64_C(1) << CONFIG_VOCABULARY)) != 0;
}

/* -- nodes -- */

static void note_full(struct config *c, uint64_t at)
{
	if (!c->full)
		c->full_at = at;
	c->full = true;
}

static struct bytes keep_bytes(struct config *c, struct config_text t)
{
	uint8_t *copy;

	if (t.lives || t.b.n == 0)
		return t.b;
	copy = arena_alloc(c->l->arena, t.b.n, 1);
	if (copy == NULL) {
		c->failed = true;
		return bytes_of(NULL, 0);
	}
	memcpy(copy, t.b.at, t.b.n);
	return bytes_of(copy, t.b.n);
}

static bool make_room(struct config *c, uint64_t at)
{
	uint32_t room = c->room != 0 ? 2 * c->room : NODES_FIRST;
	struct config_node *nodes;

	if (c->n < c->room)
		return true;
	if (c->n == CONFIG_NODES_MAX) {
		note_full(c, at);
		return false;
	}
	layout_raise_memory(c->l, (uint64_t)(room - c->room) * sizeof(*nodes));
	nodes = arena_resize_raw(c->l->arena, c->nodes, room, sizeof(*nodes));
	if (nodes == NULL) {
		c->failed = true;
		return false;
	}
	c->nodes = nodes;
	c->room = room;
	return true;
}

static void link_node(struct config *c, uint32_t parent, uint32_t node)
{
	struct config_node *p;

	if (parent == NODE_NONE)
		return;
	p = &c->nodes[parent];
	if (p->last == NODE_NONE)
		p->first = node;
	else
		c->nodes[p->last].next = node;
	p->last = node;
}

static uint32_t add_node(struct config *c, uint32_t parent, const struct config_node *n)
{
	if (!make_room(c, n->at))
		return NODE_NONE;
	c->nodes[c->n] = *n;
	c->nodes[c->n].parent = parent;
	c->nodes[c->n].first = c->nodes[c->n].last = c->nodes[c->n].next = NODE_NONE;
	link_node(c, parent, c->n);
	return c->n++;
}

/* The node of the innermost frame, with those around it. */
static uint32_t frame_node(struct config *c)
{
	uint32_t parent = NODE_NONE;

	for (unsigned i = 0; i < c->depth; i++) {
		struct config_frame *f = &c->frames[i];
		struct config_node n = { .key = f->key, .type = f->type, .index = f->index, .at = f->at };

		if (f->node == NODE_NONE) {
			n.why = f->prose ? NODE_PROSE : 0;
			n.name = keep_bytes(c, (struct config_text){ f->name, f->name.at != f->buf });
			f->node = add_node(c, parent, &n);
			if (f->node == NODE_NONE)
				return NODE_NONE;
		}
		parent = f->node;
	}
	return parent;
}

/* -- what is asked for -- */

static struct config_frame *innermost(struct config *c)
{
	return c->depth > 0 ? &c->frames[c->depth - 1] : NULL;
}

static enum config_key key_of(struct config *c, const struct config_frame *f, struct bytes name)
{
	return f == NULL || f->type != CONFIG_MAP ? KEY_NONE : config_key_of(&c->keys, name);
}

static void note_type(struct config_frame *f, struct bytes text)
{
	unsigned bit = HAS_OTHER_TYPE;

	if (bytes_equal(text, bytes_of_text("constructor")))
		bit = HAS_CONSTRUCTOR;
	else if (bytes_equal(text, bytes_of_text("secret")))
		bit = HAS_SECRET;
	else if (bytes_equal(text, bytes_of_text("pyref")))
		bit = HAS_PYREF;
	f->has |= UINT64_C(1) << bit;
}

static void note_key(struct config_frame *f, enum config_key key, enum config_type type, struct bytes text)
{
	if (f == NULL || key == KEY_NONE || type == CONFIG_NULL)
		return;
	if (key < KEY_NOTED_LAST_)
		f->has |= UINT64_C(1) << key;
	if (key == KEY_TYPE && type == CONFIG_TEXT)
		note_type(f, text);
}

uint64_t config_bits(const struct config *c)
{
	return c->depth > 0 ? c->frames[c->depth - 1].has : 0;
}

void config_merge(struct config *c, unsigned up, uint64_t has)
{
	if (c->depth > up && c->frames[c->depth - 1 - up].type == CONFIG_MAP)
		c->frames[c->depth - 1 - up].has |= has;
}

/* The root of what diffusers, HyperPyYAML and others list by names of their own: few words each. */
#define LISTED_FIRST 4u

static bool is_listed_early(const struct config *c, const struct config_frame *f)
{
	return c->depth == 2 && f->type == CONFIG_LIST && f->n <= LISTED_FIRST && c->frames[0].type == CONFIG_MAP;
}

/* Names of registries and paths: those of most entries are not kept, for no rule looks at them. */
static bool is_wanted(const struct config *c, enum config_key key, struct bytes text)
{
	switch (key) {
	case KEY_NAME: return c->depth <= 6;
	case KEY_TYPE: return config_is_name(text) || c->depth <= 2 || config_is_type_text(text);
	case KEY_CLASS_WORD: /* of a logging.conf it is evaluated */
		return config_is_name(text) || config_holds(text, "$") || config_holds(text, "(");
	case KEY_MODULE:
	case KEY_CLS:
	case KEY_HANDLER:
	case KEY_FUNCTION:
	case KEY_PROVIDER:
	case KEY_TARGET: return config_is_name(text) || config_holds(text, "$");
	case KEY_MODEL:
	case KEY_LOGGER:
	case KEY_PROFILER:
	case KEY_STRATEGY:
	case KEY_OPTIMIZER:
	case KEY_LR_SCHEDULER:
	case KEY_BACKEND: return config_is_name(text) && memchr(text.at, '.', text.n) != NULL;
	case KEY_EXAMPLES: return text.n < CONFIG_NAME_MAX;
	case KEY_DESCRIPTION: return config_begins(text, "file:");
	case KEY_TEMPLATE:
	case KEY_SOURCE:
	case KEY_KWARGS: return c->depth <= 4;
	case KEY_FORMAT: return memchr(text.at, ':', text.n) != NULL;
	default: return true;
	}
}

/* Keys whose texts some library fills in: spacy-llm's tasks, Haystack's builders, LangChain's prompts (CVE-2025-25362,
 * CVE-2024-41950, CVE-2025-65106), smolagents' prompts.yaml.  What is a chat template has a judge of its own. */
static bool is_template_key(struct bytes key)
{
	return (config_holds(key, "template") && !config_is_chat_template(key)) || config_ends(key, "system_prompt");
}

/* Is what stands under the key for people to read?  Not the inputs of a workflow's nodes: class_type says what is done with them. */
static bool is_prose(const struct config_frame *f, enum config_key key, struct bytes name)
{
	if (f != NULL && f->prose)
		return true;
	if (f != NULL && bytes_equal(f->name, bytes_of_text("inputs")))
		return false;
	return (key != KEY_NONE && (config_key_how(key) & E) != 0) || config_key_is_prose(name);
}

/* Without one of these a text is a word: no rule asks what it is, whatever its key. */
static bool is_more_than_word(struct bytes text)
{
	enum { WORD, MARK, LINE };
	static const uint8_t marks[256] = { ['$'] = MARK,
		['/'] = MARK,
		['%'] = MARK,
		['('] = MARK,
		['.'] = MARK,
		[':'] = MARK,
		['{'] = MARK,
		['_'] = LINE };

	for (size_t i = 0; i < text.n; i++)
		if (marks[text.at[i]] != WORD &&
		    (marks[text.at[i]] == MARK || (text.n > 8 && i > 0 && text.at[i - 1] == '_')))
			return true;
	return false;
}

static unsigned why_kept(const struct config_frame *f, enum config_key key, struct bytes name, struct bytes text)
{
	struct bytes around = f != NULL && f->type == CONFIG_LIST ? f->name : name;
	unsigned why = 0;
	bool odd, shape, prose;

	if (!is_more_than_word(text))
		return 0;
	if (memchr(text.at, '{', text.n) != NULL && is_template_key(around) &&
	    config_text_reaches(text, config_holds(around, "template") ? CONFIG_BRACES_ANY : CONFIG_BRACES_TWO))
		why |= NODE_REACH;
	if (text.n > CONFIG_TEXT_MAX)
		return why | (text.at[0] == '$' || text.at[0] == '(' ? NODE_VALUE : 0);
	odd = config_value_is_odd(text);
	shape = config_shape_is_told(around, text);
	prose = (odd || shape) && is_prose(f, key, name);
	if (odd && (!prose || config_value_is_filled_in(text)))
		why |= NODE_VALUE | (prose ? NODE_PROSE : 0);
	if (shape && !prose)
		why |= NODE_SHAPE;
	else if (!shape && config_shape_is_class(around, text) && !is_prose(f, key, name))
		why |= NODE_CLASS;
	if (text.n > 3 && config_is_library(text) && config_key_names_library(name))
		why |= NODE_LIBRARY;
	return why;
}

/* In a list or map of chat templates, which have a judge of their own. */
static bool is_chat_template(const struct config *c)
{
	for (unsigned i = 0; i < c->depth; i++)
		if (config_is_chat_template(c->frames[i].name))
			return true;
	return false;
}

static bool keeps_text(struct config *c, const struct config_frame *f, enum config_key key, struct bytes name,
    struct bytes text, unsigned *ret_why)
{
	unsigned how = config_key_how(key);

	*ret_why = why_kept(f, key, name, text);
	if ((*ret_why & NODE_REACH) != 0 && is_chat_template(c))
		*ret_why &= ~(unsigned)NODE_REACH;
	if ((how & S) != 0 && config_name_is_denied_itself(text))
		*ret_why |= NODE_DANGER;
	if (*ret_why != 0)
		return true;
	if (text.n > CONFIG_TEXT_MAX && key == KEY_NONE)
		return false;
	return ((how & (T | ANY | B)) != 0 && is_wanted(c, key, text)) || (f != NULL && f->all) ||
	       (f != NULL && is_listed_early(c, f));
}

/* Truth values are variables there. */
static bool is_environment(const struct config_frame *f)
{
	return f->key == KEY_ENV_SET || f->key == KEY_ENV_VARS || (f->key == KEY_VARIABLES && f->all);
}

static bool keeps(struct config *c, const struct config_frame *f, enum config_key key, enum config_type type,
    struct bytes name, struct bytes text, unsigned *ret_why)
{
	*ret_why = 0;
	if (type == CONFIG_TEXT)
		return keeps_text(c, f, key, name, text, ret_why);
	return (config_key_how(key) & B) != 0 || (type == CONFIG_TRUE && f != NULL && is_environment(f)) ||
	       (type == CONFIG_NULL && f != NULL && is_listed_early(c, f)) ||
	       (key == KEY_NONE && type != CONFIG_NULL && f != NULL && f->all && f->type == CONFIG_LIST && f->n < 8);
}

/* The words of a vocabulary have numbers; whatever has another value is a key wherever it stands. */
static bool is_word(const struct config_frame *f, enum config_type type)
{
	return f != NULL && f->words && type == CONFIG_NUMBER;
}

/* Tools of Paddle give the names of their steps to eval(): PaddleOCR, ppocr/data/imaug/__init__.py, create_operators(). */
static __attribute__((noinline)) void check_called_key(struct config *c, struct bytes key, uint64_t at)
{
	uint8_t path[CONFIG_PATH_MAX];

	if (config_text_calls(key))
		config_found(c, WLK_F_CONFIG_EXPRESSION_DANGEROUS, key, bytes_of(path, config_here(c, key, path)), at);
}

static void check_key(struct config *c, struct bytes key, uint64_t at)
{
	if (key.n > 5 && memchr(key.at, '(', key.n) != NULL)
		check_called_key(c, key, at);
	if (c->l->family == CONFIG_BENTOML && key.n > 0 && memchr(key.at, '\n', key.n) != NULL) /* docker.env */
		config_found(c, WLK_F_CONFIG_COMMAND, key, bytes_of(NULL, 0), at);
}

/* What is said of a value at once. */
static void check_value(struct config *c, const struct config_frame *f, enum config_type type, struct bytes key,
    struct bytes text, uint64_t at)
{
	struct bytes around = f != NULL && f->type == CONFIG_LIST ? f->name : key;

	if (type == CONFIG_NUMBER)
		config_check_number(c, around, text, at);
	else if (type == CONFIG_TEXT && text.n > 1)
		config_check_pattern(c, key, around, text, at);
}

#define INNER_MANY 64u /* of one file */

bool config_asks_inner(const struct config *c, struct bytes key, struct bytes text)
{
	static const char *const ends[] = { "config", "Config", "CONFIG", "overrides", "kwargs", "_args", "-args",
		"extra" };

	if (c->is_inner || text.n < 2 || key.n < 4 ||
	    !config_inner_begins(bytes_of(text.at, text.n < 64 ? text.n : 64)))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (config_ends(key, ends[i]))
			return true;
	return false;
}

/* JSON in a text, as commands' options are written: vllm serve --config takes --kv-transfer-config so, and --hf-overrides. */
static __attribute__((noinline)) void check_inner(struct config *c, struct bytes key, struct bytes text, uint64_t at)
{
	if (c->n_inner++ >= INNER_MANY) {
		note_full(c, at);
		return;
	}
	if (!config_check_inner_text(c->l, text, key, at))
		c->failed = true;
}

static __attribute__((noinline)) void keep_value(
    struct config *c, struct config_frame *f, struct config_node n, unsigned lives, struct bytes key, struct bytes text)
{
	if (f != NULL && frame_node(c) == NODE_NONE)
		return;
	n.why |= f != NULL && f->prose ? NODE_PROSE : 0;
	n.name = keep_bytes(c, (struct config_text){ key, (lives & CONFIG_KEY_LIVES) != 0 });
	n.text = keep_bytes(c, (struct config_text){ text, (lives & CONFIG_TEXT_LIVES) != 0 });
	(void)add_node(c, f != NULL ? f->node : NODE_NONE, &n);
}

void config_take(struct config *c, unsigned what, struct bytes key, struct bytes text, uint64_t at)
{
	enum config_type type = (enum config_type)(what & CONFIG_TYPE_MASK);
	struct config_frame *f = innermost(c);
	enum config_key k = is_word(f, type) ? KEY_NONE : key_of(c, f, key);
	uint32_t index = f != NULL ? f->n++ : 0;
	unsigned why;

	config_tape_take(c->tape, type, key, text, at);
	if (f != NULL && f->type == CONFIG_MAP && !f->words)
		check_key(c, key, at);
	note_key(f, k, type, text);
	check_value(c, f, type, key, text, at);
	if (type == CONFIG_TEXT && !c->failed && config_asks_template(c, key))
		config_check_template(c, text, key, at);
	if (type == CONFIG_TEXT && !c->failed && config_asks_inner(c, key, text))
		check_inner(c, key, text, at);
	if (!c->failed && keeps(c, f, k, type, key, text, &why))
		keep_value(c, f,
		    (struct config_node){
			.key = (uint16_t)k, .type = (uint8_t)type, .why = (uint8_t)why, .index = index, .at = at },
		    what, key, text);
}

/* -- maps and lists -- */

static void name_frame(struct config_frame *f, struct config_text key)
{
	f->name = key.b;
	if (key.lives)
		return;
	f->name.n = key.b.n < sizeof(f->buf) ? key.b.n : sizeof(f->buf);
	bytes_copy(f->buf, bytes_of(key.b.at, f->name.n));
	f->name.at = f->buf;
}

void config_open(struct config *c, enum config_type type, struct config_text key, uint64_t at)
{
	struct config_frame *outer = innermost(c), *f = &c->frames[c->depth];
	enum config_key k = key_of(c, outer, key.b);
	unsigned how = config_key_how(k);
	bool all = outer != NULL && outer->all;

	if (c->depth == CONFIG_DEPTH_MAX) { /* readers refuse it before */
		note_full(c, at);
		c->failed = true;
		return;
	}
	config_tape_take(c->tape, type, key.b, bytes_of(NULL, 0), at);
	if (outer != NULL && outer->type == CONFIG_MAP)
		check_key(c, key.b, at);
	note_key(outer, k, type, bytes_of(NULL, 0));
	f->node = NODE_NONE;
	f->key = (uint16_t)k;
	f->type = (uint8_t)type;
	f->n = 0;
	f->has = 0;
	f->at = at;
	f->index = outer != NULL ? outer->n++ : 0;
	f->all = all || (how & 8u) != 0 || (k == KEY_VARIABLES && c->l->family == CONFIG_CONDA);
	f->words = outer != NULL && (outer->words || ((how & V) != 0 && c->depth <= 2));
	f->prose = outer != NULL && (outer->prose || (how & E) != 0 || config_key_is_prose(key.b));
	f->templates = config_asks_template(c, key.b);
	name_frame(f, key);
	c->depth++;
	if ((how & (C | ANY)) != 0)
		(void)frame_node(c);
}

void config_close(struct config *c)
{
	struct config_frame *f;

	if (c->depth == 0)
		return;
	config_tape_close(c->tape);
	f = &c->frames[--c->depth];
	if (c->depth == 0 && f->node == NODE_NONE && !c->failed) { /* what the outermost map has says what it is */
		c->depth = 1;
		(void)frame_node(c);
		c->depth = 0;
	}
	if (f->node == NODE_NONE)
		return;
	c->nodes[f->node].n = f->n;
	c->nodes[f->node].has = f->has;
}

/* -- copies -- */

uint32_t config_keep(struct config *c)
{
	if (c->failed || c->depth == 0)
		return NODE_NONE;
	c->frames[c->depth - 1].all = true;
	return frame_node(c);
}

/* Nodes follow each other as they were opened, so that all of a map is one run, and what is in it names nodes of the run. */
static bool copy_below(struct config *c, struct config_copy copy, uint32_t to)
{
	uint32_t shift = c->n - (copy.from + 1), n = copy.end - (copy.from + 1);

	if (n > CONFIG_COPIES_MAX - c->copies)
		return false;
	c->copies += n;
	for (uint32_t i = copy.from + 1; i < copy.end; i++) {
		struct config_node node = c->nodes[i];

		if (add_node(c, node.parent == copy.from ? to : node.parent + shift, &node) == NODE_NONE)
			return true; /* no room, or no memory: said */
	}
	return true;
}

bool config_again(struct config *c, struct config_copy copy, struct config_text key, uint64_t at)
{
	struct config_frame *f = innermost(c);
	struct config_node n;
	enum config_key k;
	uint32_t to;

	config_tape_again(c->tape, key.b, at);
	if (c->failed || f == NULL || copy.from == NODE_NONE || frame_node(c) == NODE_NONE)
		return true;
	k = key_of(c, f, key.b);
	n = c->nodes[copy.from];
	note_key(f, k, (enum config_type)n.type, bytes_of(NULL, 0));
	n.key = (uint16_t)k;
	n.index = f->n++;
	n.at = at;
	n.why = f->prose || (config_key_how(k) & E) != 0 || config_key_is_prose(key.b) ? NODE_PROSE : 0;
	n.name = keep_bytes(c, key);
	to = add_node(c, f->node, &n);
	return to == NODE_NONE || copy_below(c, copy, to);
}

bool config_blend(struct config *c, unsigned up, struct config_copy copy)
{
	struct config_frame *f = c->depth > up ? &c->frames[c->depth - 1 - up] : NULL;

	if (c->failed || f == NULL || f->type != CONFIG_MAP || copy.from == NODE_NONE || frame_node(c) == NODE_NONE)
		return true;
	f->n += c->nodes[copy.from].n;
	return copy_below(c, copy, f->node);
}

/* -- paths -- */

static size_t put(uint8_t buf[CONFIG_PATH_MAX], size_t n, struct bytes b)
{
	if (b.n > CONFIG_PATH_MAX - n)
		b.n = CONFIG_PATH_MAX - n;
	bytes_copy(buf + n, b);
	return n + b.n;
}

static size_t put_index(uint8_t buf[CONFIG_PATH_MAX], size_t n, uint32_t index)
{
	char digits[16];
	size_t i = sizeof(digits);

	digits[--i] = ']';
	do
		digits[--i] = (char)('0' + index % 10);
	while ((index /= 10) > 0);
	digits[--i] = '[';
	return put(buf, n, bytes_of(digits + i, sizeof(digits) - i));
}

static size_t put_step(uint8_t buf[CONFIG_PATH_MAX], size_t n, bool in_list, struct bytes name, uint32_t index)
{
	if (in_list)
		return put_index(buf, n, index);
	if (n > 0)
		n = put(buf, n, bytes_of_text("."));
	return put(buf, n, name);
}

size_t config_path(const struct config *c, uint32_t node, uint8_t buf[CONFIG_PATH_MAX])
{
	uint32_t way[CONFIG_DEPTH_MAX + 1];
	size_t depth = 0, n = 0;

	for (uint32_t i = node; i != NODE_NONE && depth <= CONFIG_DEPTH_MAX; i = c->nodes[i].parent)
		way[depth++] = i;
	while (depth-- > 0) {
		const struct config_node *x = &c->nodes[way[depth]];

		if (x->parent != NODE_NONE)
			n = put_step(buf, n, c->nodes[x->parent].type == CONFIG_LIST, x->name, x->index);
	}
	return n;
}

size_t config_here(const struct config *c, struct bytes key, uint8_t buf[CONFIG_PATH_MAX])
{
	size_t n = 0;

	for (unsigned i = 1; i < c->depth; i++)
		n = put_step(buf, n, c->frames[i - 1].type == CONFIG_LIST, c->frames[i].name, c->frames[i].index);
	if (c->depth > 0)
		n = put_step(buf, n, c->frames[c->depth - 1].type == CONFIG_LIST, key, c->frames[c->depth - 1].n);
	return n;
}

/* -- siblings -- */

#define STEPS_MAX (UINT64_C(1) << 22) /* of looking for siblings, in all: an object has dozens */

uint32_t config_find(struct config *c, uint32_t map, enum config_key key)
{
	uint32_t i = map != NODE_NONE ? c->nodes[map].first : NODE_NONE;

	for (; i != NODE_NONE && c->nodes[i].key != key; i = c->nodes[i].next)
		if (++c->steps > STEPS_MAX) {
			note_full(c, c->nodes[i].at);
			return NODE_NONE;
		}
	return i;
}

/* -- the end -- */

bool config_note_include(struct config *c, const char *kind, struct bytes place)
{
	size_t n = strlen(kind);

	if (!c->l->of_set || place.n == 0)
		return true;
	while (config_begins(place, "./"))
		place = bytes_of(place.at + 2, place.n - 2);
	if (memchr(place.at, '\n', place.n) != NULL || n + place.n + 2 > sizeof(c->includes) - c->includes_n)
		return false;
	memcpy(c->includes + c->includes_n, kind, n);
	c->includes[c->includes_n + n] = ' ';
	bytes_copy(c->includes + c->includes_n + n + 1, place);
	c->includes_n += n + place.n + 2;
	c->includes[c->includes_n - 1] = '\n';
	return true;
}

static void tell_fact(struct config *c, enum wlk_fact id, struct bytes text)
{
	if (text.n > 0)
		report_fact(c->l->report, &(struct fact){ .id = id, .value = value_text(text) });
}

enum wlk_status config_end(struct config *c)
{
	while (c->depth > 0)
		config_close(c);
	if (!c->failed)
		config_judge(c);
	config_tape_end(c->tape);
	tell_fact(c, WLK_FACT_CONFIG_CODE, bytes_of(c->code, c->code_n));
	tell_fact(c, WLK_FACT_CONFIG_INCLUDES, bytes_of(c->includes, c->includes_n));
	if (c->if_included != NULL && c->l->of_set)
		tell_fact(c, WLK_FACT_CONFIG_IF_INCLUDED, bytes_of_text(c->if_included));
	if (c->full)
		layout_at(c->l, WLK_F_CONFIG_LIMIT, c->full_at);
	arena_release(c->l->arena, c->nodes);
	c->nodes = NULL;
	if (c->failed && !c->full)
		return layout_stop(c->l);
	return c->full || c->broken ? WLK_BROKEN : WLK_DONE;
}
