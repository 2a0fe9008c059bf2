/* Puts into words what was told: a call with what stands around its name.  Work is bounded by the tape's length and by the text's. */
#include "config_names.h"
#include "config_tape.h"
#include "findings.h"

#define SHOWN_DEPTH 16u
#define SHOWN_NAME_MAX 200u /* the schema of verdicts has 256 characters of what is called */

/* -- what it is -- */

enum manner {
	NO_CALL,
	CALL,   /* the name, with what stands beside it */
	TAG,    /* the name in a tag, with what is tagged */
	IMPORT, /* the words below, with what was found */
	EVALUATE,
	RUN,
	RUN_FILE,
	LOAD,
	INSTALL,
	OPEN,
};

static enum manner manner_of(enum wlk_finding code)
{
	switch (code) {
	case WLK_F_CONFIG_TARGET:
	case WLK_F_CONFIG_TARGET_UNLISTED: return CALL;
	case WLK_F_YAML_PYTHON_TAG:
	case WLK_F_CONFIG_YAML_OBJECT:
	case WLK_F_CONFIG_YAML_FOREIGN:
	case WLK_F_CONFIG_YAML_TAG: return TAG;
	case WLK_F_CONFIG_IMPORT:
	case WLK_F_CONFIG_IMPORT_UNLISTED:
	case WLK_F_CONFIG_AUTO_MAP:
	case WLK_F_CONFIG_REMOTE_CODE:
	case WLK_F_CONFIG_REMOTE_CODE_GATED: return IMPORT;
	case WLK_F_CONFIG_EXPRESSION:
	case WLK_F_CONFIG_EXPRESSION_DANGEROUS: return EVALUATE;
	case WLK_F_CONFIG_COMMAND: return RUN;
	case WLK_F_CONFIG_CODE_FILE: return RUN_FILE;
	case WLK_F_CONFIG_LIBRARY:
	case WLK_F_CONFIG_LIBRARY_VENDOR: return LOAD;
	case WLK_F_CONFIG_REQUIREMENT:
	case WLK_F_CONFIG_REQUIREMENT_INSECURE: return INSTALL;
	case WLK_F_CONFIG_PATH_ESCAPE:
	case WLK_F_CONFIG_PATH_ABSOLUTE: return OPEN;
	default: return NO_CALL;
	}
}

enum call_standing config_call_standing(enum wlk_finding code)
{
	if (manner_of(code) == NO_CALL)
		return CALL_ALLOWED;
	return finding_info(code)->class == CLASS_MALICIOUS ? CALL_DANGEROUS : CALL_DOUBTFUL;
}

/* -- values -- */

struct showing {
	const struct config_tape *t;
	struct call_text *text;
	unsigned depth;
	bool more; /* an argument stands there */
};

static void show_value(struct showing *s, uint32_t i);

static void separate(struct showing *s)
{
	call_text_put(s->text, s->more ? ", " : "");
	s->more = true;
}

static void show_text(struct showing *s, struct tape_text x)
{
	call_text_string(s->text, tape_bytes(s->t, x), x.n + (x.cut ? 1u : 0u), true);
}

static void show_inside(struct showing *s, uint32_t at)
{
	const struct tape_entry *e = &s->t->entries[at], *all = s->t->entries;
	bool map = e->type == CONFIG_MAP;

	call_text_put(s->text, map ? "{" : "[");
	for (uint32_t i = at + 1; i < e->end && !s->text->full; i = all[i].end) {
		call_text_put(s->text, i > at + 1 ? ", " : "");
		if (map) {
			show_text(s, all[i].key);
			call_text_put(s->text, ": ");
		}
		show_value(s, i);
	}
	if (e->cut) {
		call_text_put(s->text, at + 1 < e->end ? ", " : "");
		call_text_cut(s->text);
	}
	call_text_put(s->text, map ? "}" : "]");
}

static void show_value(struct showing *s, uint32_t i)
{
	const struct tape_entry *e = &s->t->entries[i];

	if (s->depth == SHOWN_DEPTH) {
		call_text_cut(s->text);
		return;
	}
	s->depth++;
	switch ((enum config_type)e->type) {
	case CONFIG_NULL: call_text_put(s->text, "None"); break;
	case CONFIG_FALSE: call_text_put(s->text, "False"); break;
	case CONFIG_TRUE: call_text_put(s->text, "True"); break;
	case CONFIG_NUMBER: call_text_name(s->text, tape_bytes(s->t, e->text)); break;
	case CONFIG_TEXT: show_text(s, e->text); break;
	case CONFIG_MAP:
	case CONFIG_LIST: show_inside(s, i); break;
	}
	s->depth--;
}

/* -- arguments -- */

static void show_keyword(struct showing *s, uint32_t i)
{
	separate(s);
	call_text_name(s->text, tape_bytes(s->t, s->t->entries[i].key));
	call_text_put(s->text, "=");
	show_value(s, i);
}

/* A list's are by their places, a map's by their names; anything else is one, and nothing none. */
static void show_spread(struct showing *s, uint32_t at)
{
	const struct tape_entry *e = &s->t->entries[at], *all = s->t->entries;

	if (e->type != CONFIG_LIST && e->type != CONFIG_MAP) {
		if (e->text.n == 0)
			return;
		separate(s);
		show_value(s, at);
		return;
	}
	for (uint32_t i = at + 1; i < e->end && !s->text->full; i = all[i].end) {
		if (e->type == CONFIG_MAP) {
			show_keyword(s, i);
		} else {
			separate(s);
			show_value(s, i);
		}
	}
	if (e->cut) {
		separate(s);
		call_text_cut(s->text);
	}
}

static uint32_t find_beside(const struct config_tape *t, uint32_t map, const char *words)
{
	for (uint32_t i = map + 1; i < t->entries[map].end; i = t->entries[i].end)
		if (config_is_word_of(tape_bytes(t, t->entries[i].key), words))
			return i;
	return TAPE_NONE;
}

/* Keys beside a name under which loaders look for its arguments: Lightning's, latent diffusion's, Haystack's. */
static const char argument_keys[] = "init_args init_parameters params kwargs dict_kwargs args arguments parameters";

/* Hydra's: all that stands beside the name, but for what it is told itself (_partial_). */
static void show_beside(struct showing *s, uint32_t name)
{
	const struct tape_entry *all = s->t->entries;
	uint32_t map = all[name].parent, positional;

	positional = find_beside(s->t, map, "_args_");
	if (positional != TAPE_NONE)
		show_spread(s, positional);
	for (uint32_t i = map + 1; i < all[map].end && !s->text->full; i = all[i].end) {
		struct bytes key = tape_bytes(s->t, all[i].key);

		if (i != name && !(key.n > 1 && key.at[0] == '_' && key.at[key.n - 1] == '_'))
			show_keyword(s, i);
	}
	if (all[map].cut) {
		separate(s);
		call_text_cut(s->text);
	}
}

/* jsonpickle's: {"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["id"]}]}: what stands behind the map of the name. */
static void show_reduced(struct showing *s, uint32_t map)
{
	const struct tape_entry *all = s->t->entries;
	uint32_t behind = all[map].end, tuple;

	if (all[map].parent == TAPE_NONE || all[all[map].parent].type != CONFIG_LIST ||
	    behind >= all[all[map].parent].end) {
		call_text_cut(s->text);
		return;
	}
	tuple = all[behind].type == CONFIG_MAP ? find_beside(s->t, behind, "py/tuple") : TAPE_NONE;
	show_spread(s, tuple != TAPE_NONE ? tuple : behind);
}

static void show_arguments_of(struct showing *s, uint32_t name)
{
	const struct tape_entry *e = &s->t->entries[name];
	uint32_t found;

	if (e->parent == TAPE_NONE || s->t->entries[e->parent].type != CONFIG_MAP)
		return;
	if (config_begins(tape_bytes(s->t, e->key), "py/")) {
		show_reduced(s, e->parent);
		return;
	}
	found = config_begins(tape_bytes(s->t, e->key), "_") ? TAPE_NONE : find_beside(s->t, e->parent, argument_keys);
	if (found != TAPE_NONE)
		show_spread(s, found);
	else if (s->t->entries[e->parent].parent != TAPE_NONE || config_begins(tape_bytes(s->t, e->key), "_"))
		show_beside(s, name);
	else
		call_text_cut(s->text); /* the file's own outermost map is no call's */
}

/* PyYAML's object/apply and object/new: {args: [..], kwds: {..}}, or a list. */
static void show_tagged(struct showing *s, uint32_t at)
{
	uint32_t args, keywords;

	if (s->t->entries[at].type != CONFIG_MAP) {
		show_spread(s, at);
		return;
	}
	args = find_beside(s->t, at, "args");
	keywords = find_beside(s->t, at, "kwds");
	if (args == TAPE_NONE && keywords == TAPE_NONE) {
		show_spread(s, at);
		return;
	}
	if (args != TAPE_NONE)
		show_spread(s, args);
	if (keywords != TAPE_NONE)
		show_spread(s, keywords);
}

/* What stands at the place of what was told: the text itself, or what bears the tag. */
static uint32_t find_told(const struct config_tape *t, const struct tape_told *told)
{
	uint32_t found = TAPE_NONE;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_entry *e = &t->entries[i];

		if (e->at != told->at)
			continue;
		if (e->type == CONFIG_TEXT && bytes_equal(tape_bytes(t, e->text), told->found))
			return i;
		if (found == TAPE_NONE ||
		    (t->entries[found].type == CONFIG_MAP && t->entries[found].parent == TAPE_NONE))
			found = i;
	}
	return found;
}

static bool is_the_name(const struct config_tape *t, uint32_t i, const struct tape_told *told)
{
	return t->entries[i].type == CONFIG_TEXT && bytes_equal(tape_bytes(t, t->entries[i].text), told->found);
}

/* -- calls -- */

/* "tag:yaml.org,2002:python/object/apply:os.system": what is called is behind the last colon. */
static struct bytes name_in_tag(struct bytes tag)
{
	size_t at = tag.n;

	while (at > 0 && tag.at[at - 1] != ':' && tag.at[at - 1] != '!')
		at--;
	return bytes_of(tag.at + at, tag.n - at);
}

static void show_name(struct showing *s, struct bytes name)
{
	bool cut = name.n > SHOWN_NAME_MAX;

	call_text_name(s->text, bytes_of(name.at, cut ? SHOWN_NAME_MAX : name.n));
	if (cut)
		call_text_cut(s->text);
}

static void show_call(struct showing *s, const struct tape_told *told)
{
	bool tag = manner_of(told->code) == TAG;
	uint32_t i = find_told(s->t, told);

	show_name(s, tag ? name_in_tag(told->found) : told->found);
	call_text_callee(s->text);
	call_text_put(s->text, "(");
	if (i == TAPE_NONE)
		call_text_cut(s->text);
	else if (tag)
		show_tagged(s, i);
	else if (is_the_name(s->t, i, told))
		show_arguments_of(s, i);
	else
		show_spread(s, i); /* HyperPyYAML's !apply: */
	call_text_put(s->text, ")");
}

/* A program, with the arguments that stand behind it in its list, or beside it: `command: npx`, `args: [-y, x]`. */
static void show_run(struct showing *s, const struct tape_told *told)
{
	const struct tape_entry *all = s->t->entries;
	uint32_t i = find_told(s->t, told), around = i != TAPE_NONE ? all[i].parent : TAPE_NONE, args = TAPE_NONE;

	call_text_put(s->text, "subprocess.run");
	call_text_callee(s->text);
	call_text_put(s->text, "(");
	if (around != TAPE_NONE && all[around].type == CONFIG_MAP)
		args = find_beside(s->t, around, "args arguments");
	if (around != TAPE_NONE && all[around].type == CONFIG_LIST && i == around + 1) {
		show_inside(s, around);
	} else if (args != TAPE_NONE) {
		call_text_put(s->text, "[");
		separate(s);
		call_text_string(s->text, told->found, told->found.n, true);
		show_spread(s, args);
		call_text_put(s->text, "]");
		args = find_beside(s->t, around, "env");
		if (args != TAPE_NONE)
			show_keyword(s, args);
	} else {
		call_text_string(s->text, told->found, told->found.n, true);
	}
	call_text_put(s->text, ")");
}

static void show_words(struct call_text *text, const char *words, struct bytes found)
{
	call_text_put(text, words);
	call_text_callee(text);
	call_text_put(text, "(");
	call_text_string(text, found, found.n, true);
	call_text_put(text, ")");
}

/* MLflow has what the flavor's loader_module names load the folder that stands beside it: mlflow/pyfunc/__init__.py, load_model(). */
static void show_import(struct showing *s, const struct tape_told *told)
{
	uint32_t i = find_told(s->t, told), data = TAPE_NONE;

	if (i == TAPE_NONE || !config_is_word_of(tape_bytes(s->t, s->t->entries[i].key), "loader_module")) {
		show_words(s->text, "importlib.import_module", told->found);
		return;
	}
	if (s->t->entries[i].parent != TAPE_NONE)
		data = find_beside(s->t, s->t->entries[i].parent, "data");
	show_name(s, told->found);
	call_text_put(s->text, "._load_pyfunc");
	call_text_callee(s->text);
	call_text_put(s->text, "(");
	if (data != TAPE_NONE)
		show_value(s, data);
	else
		call_text_cut(s->text);
	call_text_put(s->text, ")");
}

/* !!python/name:os.system has it looked up, and not called. */
static bool is_looked_up(struct bytes tag)
{
	return config_holds(tag, "python/name:") || config_holds(tag, "python/module:");
}

static void show_tag(struct showing *s, const struct tape_told *told)
{
	if (is_looked_up(told->found))
		show_words(s->text, "importlib.import_module", name_in_tag(told->found));
	else
		show_call(s, told);
}

void config_show_told(const struct config_tape *t, const struct tape_told *told, struct call_text *text)
{
	struct showing s = { .t = t, .text = text };

	switch (manner_of(told->code)) {
	case NO_CALL: break;
	case CALL: show_call(&s, told); break;
	case TAG: show_tag(&s, told); break;
	case RUN: show_run(&s, told); break;
	case IMPORT: show_import(&s, told); break;
	case EVALUATE: show_words(text, "eval", told->found); break;
	case RUN_FILE: show_words(text, "runpy.run_path", told->found); break;
	case LOAD: show_words(text, "ctypes.CDLL", told->found); break;
	case INSTALL: show_words(text, "pip.install", told->found); break;
	case OPEN: show_words(text, "open", told->found); break;
	}
}
