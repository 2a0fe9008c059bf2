/* The words of templates: see words.h. */
#include "words.h"

/* Most words are not the one, and tell so by their first letter. */
static bool begins_like(struct bytes name, const char *word)
{
	return name.n > 0 && name.at[0] == (uint8_t)word[0];
}

static bool list_has(const char *const *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++)
		if (begins_like(name, list[i]) && template_word_is(name, list[i]))
			return true;
	return false;
}

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

/* Attributes of objects, functions, modules and frames that are of use on a way out; formats/gguf, section 8, and the
 * Python Language Reference, section 3.  Not __main__, __name__, __version__: prompts about Python hold them and they
 * lead nowhere. */
bool template_word_is_special(const char *word, size_t n)
{
	static const char *const words[] = { "class", "mro", "mro_entries", "base", "bases", "subclasses", "init",
		"new", "globals", "builtins", "builtin", "import", "getattribute", "getattr", "setattr", "delattr",
		"getitem", "code", "dict", "dir", "reduce", "reduce_ex", "getstate", "setstate", "call", "func", "self",
		"wrapped", "closure", "defaults", "kwdefaults", "annotations", "module", "loader", "spec",
		"subclasshook", "init_subclass", "set_name", "class_getitem", "prepare", "instancecheck", "slots",
		"weakref", "enter", "exit", "del", "format", "html", "html_format", "subclasscheck", "objclass",
		"origin", "traceback", "context", "cause" };

	return list_has(words, LENGTH(words), bytes_of(word, n));
}

/* Measured with CPython 3.11 and Jinja 3.1.2, and rounded up: nanoseconds for a character, a sixteenth of an item. */
#define FREE                             \
	{                                \
		0, 1, 0, false, false, 0 \
	}
#define PLAIN                            \
	{                                \
		8, 1, 0, false, false, 0 \
	}
#define ITEMS                             \
	{                                 \
		16, 1, 0, false, false, 0 \
	}
#define ESCAPE                            \
	{                                 \
		32, 5, 0, false, false, 0 \
	} /* & is &amp; */
#define JSON                              \
	{                                 \
		32, 6, 0, false, false, 0 \
	} /* < is \u003c */
#define SORT                                 \
	{                                    \
		64, 1, 0, false, false, EACH \
	}
#define TESTS                               \
	{                                   \
		64, 1, 0, true, false, EACH \
	} /* each item, for being in another list */
#define URL                                 \
	{                                   \
		512, 12, 0, false, false, 0 \
	} /* four bytes, three characters each */
#define SHOW                                \
	{                                   \
		8192, 6, 0, false, false, 0 \
	} /* pprint() writes what is in it anew at each level, of which Python's stack has room for some hundred */
#define SLOW                                \
	{                                   \
		2048, 1, 0, false, false, 0 \
	} /* a regular expression for each word */
#define DIGITS                           \
	{                                \
		8, 1, 1, false, false, 0 \
	} /* until Python 3.10 */
#define WRAP                                \
	{                                   \
		8192, 1, 1, false, false, 0 \
	} /* wordwrap cuts its text anew for each line */
#define SQUARE                               \
	{                                    \
		8192, 1, 64, false, false, 0 \
	} /* striptags looks for an end from each beginning */
#define SEARCH                          \
	{                               \
		8, 1, 0, true, false, 0 \
	} /* from behind, CPython has no linear search; strip() looks for each letter among the others */

#define FIND                              \
	{                                 \
		32, 1, 0, false, false, 0 \
	} /* as SEARCH_RATE */
#define LINES                              \
	{                                  \
		256, 1, 0, false, false, 0 \
	} /* each is one more text */
#define AFFIX                           \
	{                               \
		8, 1, 0, false, true, 0 \
	}

/* Every filter of Jinja 2, and those that the renderers of chat templates add. */
static const struct filter_word filters[] = {
	{ { "abs", EFFECT_READS, FREE }, -1, false },
	{ { "batch", EFFECT_PACKS, ITEMS }, -1, false },
	{ { "capitalize", EFFECT_SAME, PLAIN }, -1, false },
	{ { "center", EFFECT_COMPOSES, PLAIN }, -1, false },
	{ { "count", EFFECT_LENGTH, FREE }, -1, false },
	{ { "d", EFFECT_ELSE, FREE }, -1, false },
	{ { "default", EFFECT_ELSE, FREE }, -1, false },
	{ { "dictsort", EFFECT_PAIRS, SORT }, -1, false },
	{ { "e", EFFECT_SAME, ESCAPE }, -1, false },
	{ { "escape", EFFECT_SAME, ESCAPE }, -1, false },
	{ { "filesizeformat", EFFECT_COMPOSES, PLAIN }, -1, false },
	{ { "first", EFFECT_ONE, FREE }, -1, false },
	{ { "float", EFFECT_READS, PLAIN }, -1, false },
	{ { "forceescape", EFFECT_SAME, ESCAPE }, -1, false },
	{ { "format", EFFECT_FORMATS, FIND }, -1, false },
	{ { "from_json", EFFECT_PARSES, FIND }, -1, false },
	{ { "fromjson", EFFECT_PARSES, FIND }, -1, false },
	{ { "groupby", EFFECT_PACKS, SORT }, 0, true },
	{ { "indent", EFFECT_COMPOSES, LINES }, -1, false },
	{ { "int", EFFECT_READS, DIGITS }, -1, false },
	{ { "items", EFFECT_PAIRS, PLAIN }, -1, false },
	{ { "join", EFFECT_JOINS, ITEMS }, 1, true },
	{ { "last", EFFECT_ONE, FREE }, -1, false },
	{ { "length", EFFECT_LENGTH, FREE }, -1, false },
	{ { "list", EFFECT_PARTS, PLAIN }, -1, false },
	{ { "lower", EFFECT_SAME, PLAIN }, -1, false },
	{ { "map", EFFECT_PARTS, SORT }, -1, true },
	{ { "max", EFFECT_ONE, SORT }, 1, true },
	{ { "min", EFFECT_ONE, SORT }, 1, true },
	{ { "pprint", EFFECT_SHOWS, SHOW }, -1, false },
	{ { "random", EFFECT_ONE, FREE }, -1, false },
	{ { "reject", EFFECT_PARTS, TESTS }, -1, false },
	{ { "rejectattr", EFFECT_PARTS, TESTS }, 0, true },
	{ { "replace", EFFECT_REPLACES, FIND }, -1, false },
	{ { "reverse", EFFECT_REVERSES, PLAIN }, -1, false },
	{ { "round", EFFECT_READS, FREE }, -1, false },
	{ { "safe", EFFECT_SAME, PLAIN }, -1, false },
	{ { "select", EFFECT_PARTS, TESTS }, -1, false },
	{ { "selectattr", EFFECT_PARTS, TESTS }, 0, true },
	{ { "slice", EFFECT_PACKS, ITEMS }, -1, false },
	{ { "sort", EFFECT_PARTS, SORT }, 2, true },
	{ { "string", EFFECT_SAME, ITEMS }, -1, false },
	{ { "striptags", EFFECT_COMPOSES, SQUARE }, -1, false },
	{ { "sum", EFFECT_SUMS, SORT }, 0, true },
	{ { "title", EFFECT_SAME, SLOW }, -1, false },
	{ { "to_json", EFFECT_SHOWS, JSON }, -1, false },
	{ { "tojson", EFFECT_SHOWS, JSON }, -1, false },
	{ { "trim", EFFECT_SAME, SEARCH }, -1, false },
	{ { "truncate", EFFECT_SHORTENS, PLAIN }, -1, false },
	{ { "unique", EFFECT_PARTS, SORT }, 1, true },
	{ { "upper", EFFECT_SAME, PLAIN }, -1, false },
	{ { "urlencode", EFFECT_COMPOSES, URL }, -1, false },
	{ { "urlize", EFFECT_COMPOSES, SQUARE }, -1, false },
	{ { "wordcount", EFFECT_LENGTH, SLOW }, -1, false },
	{ { "wordwrap", EFFECT_COMPOSES, WRAP }, -1, false },
	{ { "xmlattr", EFFECT_COMPOSES, ESCAPE }, -1, false },
};

const struct filter_word *template_word_filter(struct bytes name)
{
	for (size_t i = 0; i < LENGTH(filters); i++)
		if (begins_like(name, filters[i].does.word) && template_word_is(name, filters[i].does.word))
			return &filters[i];
	return NULL;
}

/* Methods of texts, lists and mappings, of loops and cyclers, that a template may call. */
static const struct effect_word methods[] = {
	{ "lower", EFFECT_SAME, PLAIN },
	{ "upper", EFFECT_SAME, PLAIN },
	{ "title", EFFECT_SAME, ITEMS },
	{ "capitalize", EFFECT_SAME, PLAIN },
	{ "casefold", EFFECT_SAME, PLAIN },
	{ "strip", EFFECT_SAME, SEARCH },
	{ "lstrip", EFFECT_SAME, SEARCH },
	{ "rstrip", EFFECT_SAME, SEARCH },
	{ "replace", EFFECT_REPLACES, FIND },
	{ "join", EFFECT_JOINS, ITEMS },
	{ "center", EFFECT_COMPOSES, PLAIN },
	{ "ljust", EFFECT_COMPOSES, PLAIN },
	{ "rjust", EFFECT_COMPOSES, PLAIN },
	{ "zfill", EFFECT_COMPOSES, PLAIN },
	{ "swapcase", EFFECT_COMPOSES, PLAIN },
	{ "removeprefix", EFFECT_COMPOSES, PLAIN },
	{ "removesuffix", EFFECT_COMPOSES, PLAIN },
	{ "format", EFFECT_FORMATS, FIND },
	{ "split", EFFECT_SPLITS, FIND },
	{ "rsplit", EFFECT_SPLITS, SEARCH },
	{ "splitlines", EFFECT_SPLITS, FIND },
	{ "partition", EFFECT_SPLITS, FIND },
	{ "rpartition", EFFECT_SPLITS, SEARCH },
	{ "index", EFFECT_LENGTH, FIND },
	{ "find", EFFECT_LENGTH, FIND },
	{ "rfind", EFFECT_LENGTH, SEARCH },
	{ "rindex", EFFECT_LENGTH, SEARCH },
	{ "count", EFFECT_LENGTH, FIND },
	{ "startswith", EFFECT_NUMBER, AFFIX },
	{ "endswith", EFFECT_NUMBER, AFFIX },
	{ "isdigit", EFFECT_NUMBER, PLAIN },
	{ "isdecimal", EFFECT_NUMBER, PLAIN },
	{ "isalpha", EFFECT_NUMBER, PLAIN },
	{ "isalnum", EFFECT_NUMBER, PLAIN },
	{ "isspace", EFFECT_NUMBER, PLAIN },
	{ "isupper", EFFECT_NUMBER, PLAIN },
	{ "islower", EFFECT_NUMBER, PLAIN },
	{ "istitle", EFFECT_NUMBER, PLAIN },
	{ "isnumeric", EFFECT_NUMBER, PLAIN },
	{ "remove", EFFECT_NUMBER, PLAIN },
	{ "clear", EFFECT_NUMBER, PLAIN },
	{ "sort", EFFECT_NUMBER, SORT },
	{ "reverse", EFFECT_NUMBER, PLAIN },
	{ "changed", EFFECT_NUMBER, PLAIN },
	{ "reset", EFFECT_NUMBER, FREE },
	{ "get", EFFECT_GETS, FREE },
	{ "pop", EFFECT_GETS, PLAIN },
	{ "setdefault", EFFECT_FILLS_KEY, PLAIN },
	{ "items", EFFECT_PAIRS, PLAIN },
	{ "keys", EFFECT_PAIRS, PLAIN },
	{ "values", EFFECT_PAIRS, PLAIN },
	{ "copy", EFFECT_PARTS, PLAIN },
	{ "append", EFFECT_FILLS, PLAIN },
	{ "insert", EFFECT_FILLS, PLAIN },
	{ "extend", EFFECT_FILLS, PLAIN },
	{ "add", EFFECT_FILLS, PLAIN },
	{ "update", EFFECT_FILLS_KEY, PLAIN },
	{ "cycle", EFFECT_ARGUMENTS, FREE },
	{ "next", EFFECT_ONE, FREE },
};

const struct effect_word *template_word_method(struct bytes name)
{
	for (size_t i = 0; i < LENGTH(methods); i++)
		if (begins_like(name, methods[i].word) && template_word_is(name, methods[i].word))
			return &methods[i];
	return NULL;
}

/* What is looked up by one of these may be a function.  All public methods of texts, bytes, lists, mappings, sets, numbers,
 * ranges, generators and of Jinja's own objects. */
bool template_word_is_method(struct bytes name)
{
	static const char *const others[] = { "format_map", "encode", "decode", "expandtabs", "translate", "maketrans",
		"isascii", "isidentifier", "isprintable", "fromkeys", "popitem", "from_bytes", "to_bytes", "fromhex",
		"hex", "bit_length", "bit_count", "as_integer_ratio", "is_integer", "conjugate", "send", "throw",
		"close", "union", "discard", "difference", "difference_update", "intersection", "intersection_update",
		"isdisjoint", "issubset", "issuperset", "symmetric_difference", "symmetric_difference_update", "mro",
		"escape", "unescape", "striptags", "super", "from_string", "render", "caller" };

	return template_word_method(name) != NULL || list_has(others, LENGTH(others), name);
}

bool template_word_changes(struct bytes name)
{
	static const char *const words[] = { "append", "insert", "extend", "add", "update", "setdefault", "pop",
		"clear", "remove", "sort", "reverse" };

	return list_has(words, LENGTH(words), name);
}

bool template_word_is_of_mappings(struct bytes name)
{
	static const char *const words[] = { "get", "items", "keys", "values", "pop", "update", "setdefault", "copy",
		"clear" };

	return list_has(words, LENGTH(words), name);
}

bool template_word_is_attribute(struct bytes name)
{
	static const char *const others[] = { "real", "imag", "numerator", "denominator" };

	return name.at[0] == '_' || template_word_is_method(name) || list_has(others, LENGTH(others), name);
}

/* Lists and mappings, wherever they are in a conversation. */
bool template_word_is_list(struct bytes name)
{
	static const char *const words[] = { "messages", "tools", "documents", "tool_calls", "function", "functions",
		"parameters", "properties", "required", "enum", "tool_responses", "parts", "blocks" };

	for (size_t i = 0; i < LENGTH(words); i++) {
		size_t n = strlen(words[i]);

		if (name.n >= n && memcmp(name.at + (name.n - n), words[i], n) == 0 &&
		    (name.n == n || name.at[name.n - n - 1] == '_'))
			return true;
	}
	return false;
}

bool template_word_is_of_messages(struct bytes name)
{
	return name.n >= 8 && memcmp(name.at + (name.n - 8), "messages", 8) == 0;
}

bool template_word_is_short(struct bytes name)
{
	static const char *const words[] = { "role", "name", "id", "type", "tool_call_id", "arguments", "title" };

	return list_has(words, LENGTH(words), name) || template_word_is_list(name);
}

/* What renderers and Jinja itself bring: functions that are called by their own names. */
bool template_word_is_function(struct bytes name)
{
	static const char *const words[] = { "range", "dict", "namespace", "cycler", "joiner", "lipsum",
		"raise_exception", "strftime_now", "tojson", "loop", "caller", "super" };

	return list_has(words, LENGTH(words), name);
}

unsigned template_word_tag(struct bytes name)
{
	static const struct {
		const char *word;
		unsigned tag;
	} tags[] = { { "if", TAG_IF }, { "for", TAG_FOR }, { "set", TAG_SET }, { "else", TAG_ELSE },
		{ "elif", TAG_ELIF }, { "endif", TAG_END + TAG_IF }, { "endfor", TAG_END + TAG_FOR },
		{ "endset", TAG_END + TAG_SET }, { "macro", TAG_MACRO }, { "endmacro", TAG_END + TAG_MACRO },
		{ "generation", TAG_GENERATION }, { "endgeneration", TAG_END + TAG_GENERATION },
		{ "filter", TAG_FILTER }, { "endfilter", TAG_END + TAG_FILTER }, { "break", TAG_BREAK },
		{ "continue", TAG_CONTINUE }, { "call", TAG_CALL }, { "endcall", TAG_END + TAG_CALL },
		{ "with", TAG_WITH }, { "endwith", TAG_END + TAG_WITH }, { "do", TAG_DO }, { "import", TAG_LOAD },
		{ "from", TAG_LOAD }, { "include", TAG_LOAD }, { "extends", TAG_LOAD } };

	for (size_t i = 0; i < LENGTH(tags); i++)
		if (begins_like(name, tags[i].word) && template_word_is(name, tags[i].word))
			return tags[i].tag;
	return TAG_NONE;
}

enum danger template_word_danger(struct bytes name)
{
	static const struct {
		const char *word;
		enum danger danger;
	} words[] = {
		{ "getattr", DANGER_INTROSPECTION },
		{ "setattr", DANGER_INTROSPECTION },
		{ "format_map", DANGER_INTROSPECTION },
		{ "mro", DANGER_INTROSPECTION },
		{ "gi_frame", DANGER_INTROSPECTION },
		{ "gi_code", DANGER_INTROSPECTION },
		{ "cr_frame", DANGER_INTROSPECTION },
		{ "cr_code", DANGER_INTROSPECTION },
		{ "ag_frame", DANGER_INTROSPECTION },
		{ "ag_code", DANGER_INTROSPECTION },
		{ "tb_frame", DANGER_INTROSPECTION },
		{ "f_globals", DANGER_INTROSPECTION },
		{ "f_locals", DANGER_INTROSPECTION },
		{ "f_builtins", DANGER_INTROSPECTION },
		{ "f_back", DANGER_INTROSPECTION },
		{ "f_code", DANGER_INTROSPECTION },
		{ "func_globals", DANGER_INTROSPECTION },
		{ "func_code", DANGER_INTROSPECTION },
		{ "lipsum", DANGER_LADDER },
		{ "self", DANGER_LADDER },
		{ "url_for", DANGER_LADDER },
		{ "get_flashed_messages", DANGER_LADDER },
		{ "request", DANGER_LADDER_OWN },
		{ "config", DANGER_LADDER_OWN },
		{ "cycler", DANGER_LADDER_VALUE },
		{ "joiner", DANGER_LADDER_VALUE },
		{ "os", DANGER_CODE },
		{ "popen", DANGER_CODE },
		{ "Popen", DANGER_CODE },
		{ "subprocess", DANGER_CODE },
		{ "eval", DANGER_CODE },
		{ "exec", DANGER_CODE },
		{ "importlib", DANGER_CODE },
		{ "import_module", DANGER_CODE },
		{ "load_module", DANGER_CODE },
		{ "builtins", DANGER_CODE },
		{ "check_output", DANGER_CODE },
		{ "getoutput", DANGER_CODE },
		{ "execfile", DANGER_CODE },
		{ "system", DANGER_CODE_CALLED },
		{ "open", DANGER_CODE_CALLED },
		{ "compile", DANGER_CODE_CALLED },
		{ "spawn", DANGER_CODE_CALLED },
		{ "globals", DANGER_CODE_CALLED },
		{ "locals", DANGER_CODE_CALLED },
		{ "vars", DANGER_CODE_CALLED },
		{ "breakpoint", DANGER_CODE_CALLED },
	};

	for (size_t i = 0; i < LENGTH(words); i++)
		if (begins_like(name, words[i].word) && template_word_is(name, words[i].word))
			return words[i].danger;
	return DANGER_NONE;
}

bool template_word_is_operator(struct bytes name)
{
	static const char *const words[] = { "and", "or", "not", "in", "is", "if", "else" };

	return list_has(words, LENGTH(words), name);
}
