/* See config_member.h. */
#include "config_member.h"

#include "checked.h"
#include "config_impl.h"
#include "config_inner.h"
#include "config_lines.h"
#include "config_yaml_events.h"
#include "json_text.h"

#define NAME_BYTES 128u /* no name that suggests a family is as long */

static struct bytes base_of(struct bytes path)
{
	size_t at = path.n;

	while (at > 0 && path.at[at - 1] != '/' && path.at[at - 1] != '\\' && path.at[at - 1] != '!')
		at--;
	return bytes_of(path.at + at, path.n - at);
}

enum config_family config_member_family(struct bytes path)
{
	struct bytes name = base_of(path);
	char text[NAME_BYTES];

	if (name.n >= sizeof(text))
		return CONFIG_NONE;
	bytes_copy((uint8_t *)text, name);
	text[name.n] = '\0';
	return config_family_hint(text);
}

enum wlk_status config_check_events(struct layout *l, struct bytes text, bool *ret_whole)
{
	struct config *c = config_begin(l);
	enum wlk_status status;

	*ret_whole = true;
	if (c == NULL)
		return layout_stop(l);
	status = config_yaml_read(c, text, ret_whole);
	return status == WLK_INCOMPLETE ? status : config_end(c);
}

enum kind { KIND_NONE, KIND_JSON, KIND_YAML, KIND_LINES };

static enum kind kind_of(struct bytes path, enum config_family family)
{
	if (config_ends(path, ".json"))
		return KIND_JSON;
	if (config_ends(path, ".yaml") || config_ends(path, ".yml") || family == CONFIG_MLFLOW)
		return KIND_YAML;
	return config_lines_by_name(family) ? KIND_LINES : KIND_NONE;
}

static enum wlk_status check_as(struct layout *l, enum kind kind, struct bytes text)
{
	bool whole;

	if (utf8_check(text) != text.n)
		return WLK_DONE; /* no configuration */
	switch (kind) {
	case KIND_JSON: return config_check_json(l, text);
	case KIND_YAML: return config_check_events(l, text, &whole);
	default: return config_lines_check(l, text);
	}
}

enum wlk_status config_check_member(struct layout *l, struct member *m)
{
	struct layout inner = *l;
	struct extents places = { .origin = member_origin(m), .member = m->stream.part.member };
	enum kind kind;
	enum stream_end end;
	struct part text;

	inner.family = config_member_family(m->stream.part.member);
	inner.of_set = false;
	inner.extents = &places;
	kind = kind_of(m->stream.part.member, inner.family);
	if (kind == KIND_NONE)
		return WLK_DONE;
	layout_raise_memory(l, 3 * min_u64(m->stream.size, CONFIG_LINES_BYTES_MAX)); /* with what is decoded of it */
	text = stream_copy(&m->stream, l->arena, CONFIG_LINES_BYTES_MAX, &end);
	if (end == STREAM_FAILED)
		return layout_stop(l);
	if (text.copy == NULL) {
		if (end == STREAM_ENOUGH)
			layout_at(&inner, WLK_F_CONFIG_LIMIT, 0);
		return WLK_BROKEN;
	}
	return check_as(&inner, kind, bytes_of(text.copy, (size_t)text.size));
}
