/* MXNet's symbols (-symbol.json): see mxnet.h.  A graph of operators, each with attributes; loaders of old hand some of these
 * to dlopen(), and an operator called Custom is whatever the loading program has registered. */
#include "json_walk.h"
#include "mxnet.h"

static const char *const libraries[] = { "library", "lib_path", "dll" };

static bool names_library(const struct json_text *key)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (json_is(key, libraries[i]))
			return true;
	return false;
}

static bool look(void *ctx, const struct json_value *v)
{
	struct layout *l = ctx;

	if (names_library(v->key))
		layout_at(l, WLK_F_MXNET_LIBRARY, v->at);
	if (v->kind == JSON_STRING && json_is(v->key, "op") && json_is(&v->text, "Custom"))
		layout_at(l, WLK_F_MXNET_CUSTOM_OP, v->at);
	return true;
}

static void close_nothing(void *ctx, unsigned depth)
{
	(void)ctx;
	(void)depth;
}

static void told_already(void *ctx, const struct json_text *key, size_t at)
{
	(void)ctx;
	(void)key;
	(void)at;
}

static enum wlk_status check(struct layout *l, struct bytes text)
{
	const struct json_walker walker = { l, look, close_nothing, told_already };

	l->id = WLK_FORMAT_MXNET;
	if (json_walk(l, text, &walker, NULL) == JSON_WALK_MEMORY)
		return layout_stop(l);
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_IDENTIFIED_ONLY,
			      .has_offset = true,
			      .found = value_text(bytes_of_text(format_info(WLK_FORMAT_MXNET)->name)) });
	return WLK_BROKEN;
}

const struct json_model json_model_mxnet = { .id = WLK_FORMAT_MXNET, .keys = { "nodes", "arg_nodes" }, .check = check };
