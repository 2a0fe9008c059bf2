/* The words of templates: see words.h. */
#include "words.h"

bool template_word_is(struct bytes name, const char *word)
{
	return bytes_equal(name, bytes_of_text(word));
}

static bool list_has(const char *const *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++)
		if (template_word_is(name, list[i]))
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

/* Every filter of Jinja 2, and those that the renderers of chat templates add. */
const struct filter_word *template_word_filter(struct bytes name)
{
	static const struct filter_word filters[] = {
		{ "abs", EFFECT_NUMBER, -1, false },
		{ "batch", EFFECT_KEEPS, -1, false },
		{ "capitalize", EFFECT_TEXT, -1, false },
		{ "center", EFFECT_TEXT, -1, false },
		{ "count", EFFECT_NUMBER, -1, false },
		{ "d", EFFECT_KEEPS, -1, false },
		{ "default", EFFECT_KEEPS, -1, false },
		{ "dictsort", EFFECT_KEEPS, -1, false },
		{ "e", EFFECT_TEXT, -1, false },
		{ "escape", EFFECT_TEXT, -1, false },
		{ "filesizeformat", EFFECT_TEXT, -1, false },
		{ "first", EFFECT_KEEPS, -1, false },
		{ "float", EFFECT_NUMBER, -1, false },
		{ "forceescape", EFFECT_TEXT, -1, false },
		{ "format", EFFECT_COMPOSES, -1, false },
		{ "from_json", EFFECT_COMPOSES, -1, false },
		{ "fromjson", EFFECT_COMPOSES, -1, false },
		{ "groupby", EFFECT_KEEPS, 0, true },
		{ "indent", EFFECT_COMPOSES, -1, false },
		{ "int", EFFECT_NUMBER, -1, false },
		{ "items", EFFECT_KEEPS, -1, false },
		{ "join", EFFECT_COMPOSES, 1, true },
		{ "last", EFFECT_KEEPS, -1, false },
		{ "length", EFFECT_NUMBER, -1, false },
		{ "list", EFFECT_KEEPS, -1, false },
		{ "lower", EFFECT_TEXT, -1, false },
		{ "map", EFFECT_KEEPS, -1, true },
		{ "max", EFFECT_KEEPS, 1, true },
		{ "min", EFFECT_KEEPS, 1, true },
		{ "pprint", EFFECT_TEXT, -1, false },
		{ "random", EFFECT_KEEPS, -1, false },
		{ "reject", EFFECT_KEEPS, -1, false },
		{ "rejectattr", EFFECT_KEEPS, 0, true },
		{ "replace", EFFECT_COMPOSES, -1, false },
		{ "reverse", EFFECT_COMPOSES, -1, false },
		{ "round", EFFECT_NUMBER, -1, false },
		{ "safe", EFFECT_TEXT, -1, false },
		{ "select", EFFECT_KEEPS, -1, false },
		{ "selectattr", EFFECT_KEEPS, 0, true },
		{ "slice", EFFECT_KEEPS, -1, false },
		{ "sort", EFFECT_KEEPS, 2, true },
		{ "string", EFFECT_TEXT, -1, false },
		{ "striptags", EFFECT_COMPOSES, -1, false },
		{ "sum", EFFECT_COMPOSES, 0, true },
		{ "title", EFFECT_TEXT, -1, false },
		{ "to_json", EFFECT_TEXT, -1, false },
		{ "tojson", EFFECT_TEXT, -1, false },
		{ "trim", EFFECT_TEXT, -1, false },
		{ "truncate", EFFECT_COMPOSES, -1, false },
		{ "unique", EFFECT_KEEPS, 1, true },
		{ "upper", EFFECT_TEXT, -1, false },
		{ "urlencode", EFFECT_TEXT, -1, false },
		{ "urlize", EFFECT_TEXT, -1, false },
		{ "wordcount", EFFECT_NUMBER, -1, false },
		{ "wordwrap", EFFECT_COMPOSES, -1, false },
		{ "xmlattr", EFFECT_TEXT, -1, false },
	};

	for (size_t i = 0; i < LENGTH(filters); i++)
		if (template_word_is(name, filters[i].word))
			return &filters[i];
	return NULL;
}

/* What has one of these filters may give its argument back; those that compare do not. */
bool template_filter_compares(struct bytes name)
{
	static const char *const words[] = { "select", "reject", "selectattr", "rejectattr" };

	return list_has(words, LENGTH(words), name);
}

/* A part of a text can be a name that the whole is not. */
bool template_method_cuts(struct bytes name)
{
	static const char *const words[] = { "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "partition",
		"rpartition", "removeprefix", "removesuffix" };

	return list_has(words, LENGTH(words), name);
}

/* Puts texts together wherever it is called, under whatever name. */
bool template_method_joins(struct bytes name)
{
	static const char *const words[] = { "join", "replace", "center", "ljust", "rjust", "zfill", "translate",
		"expandtabs", "maketrans", "from_string", "render" };

	return list_has(words, LENGTH(words), name);
}

/* The value that was not there, or one of those that were given. */
bool template_method_gives_back(struct bytes name)
{
	static const char *const words[] = { "get", "pop", "setdefault", "cycle", "partition", "rpartition" };

	return list_has(words, LENGTH(words), name);
}

/* Methods of texts, lists and mappings that give parts of what they belong to; all others may make anything. */
enum effect template_word_method(struct bytes name)
{
	static const char *const keep[] = { "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize",
		"casefold", "split", "rsplit", "splitlines", "partition", "rpartition", "removeprefix", "removesuffix",
		"get", "items", "keys", "values", "pop", "copy", "append", "extend", "insert", "update", "setdefault",
		"remove", "clear", "sort", "reverse", "add", "next", "current", "reset", "cycle", "changed" };
	static const char *const number[] = { "index", "find", "rfind", "rindex", "count", "startswith", "endswith",
		"isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isnumeric" };

	if (list_has(number, LENGTH(number), name))
		return EFFECT_NUMBER;
	return list_has(keep, LENGTH(keep), name) ? EFFECT_KEEPS : EFFECT_COMPOSES;
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
		if (template_word_is(name, tags[i].word))
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
		if (template_word_is(name, words[i].word))
			return words[i].danger;
	return DANGER_NONE;
}

bool template_word_is_operator(struct bytes name)
{
	static const char *const words[] = { "and", "or", "not", "in", "is", "if", "else", "recursive" };

	return list_has(words, LENGTH(words), name);
}
