/* Configurations as a whole, as files and in archives: see config_rules.h. */
#include "checked.h"
#include "config_inner.h"
#include "config_lines.h"
#include "config_rules.h"
#include "config_yaml_events.h"
#include "member.h"
#include "stream.h"
#include "text_member.h"

#define NAME_BYTES 128u /* longer names are no library's */

enum wlk_status config_judge_yaml(struct layout *l, struct bytes text, bool imports)
{
	struct config *c = config_begin(l);
	enum wlk_status status;
	bool whole;

	if (c == NULL)
		return layout_stop(l);
	config_take_templates(c, CONFIG_TEMPLATES_ALL);
	if (imports)
		config_is(c, CONFIG_NEMO);
	status = config_yaml_read(c, text, &whole);
	if (status == WLK_INCOMPLETE)
		return status;
	if (!whole)
		config_check_yaml(l, text, imports);
	return config_end(c);
}

static enum wlk_status judge_json(struct layout *l, struct bytes text)
{
	struct config *c = config_begin(l);

	if (c == NULL)
		return layout_stop(l);
	config_take_templates(c, CONFIG_TEMPLATES_ALL);
	if (!config_json_feed(c, text, config_no_key, 0))
		return layout_stop(l);
	return config_end(c);
}

/* The base name, for those who ask by C strings. */
static void base_of(struct bytes name, char buf[NAME_BYTES])
{
	const uint8_t *slash = name.n > 0 ? memrchr(name.at, '/', name.n) : NULL;
	size_t at = slash != NULL ? (size_t)(slash + 1 - name.at) : 0, n = name.n - at;

	n = n < NAME_BYTES && (n == 0 || memchr(name.at + at, 0, n) == NULL) ? n : 0;
	bytes_copy((uint8_t *)buf, bytes_of(name.at + at, n));
	buf[n] = '\0';
}

enum wlk_status config_judge_member(struct layout *l, struct member *m, struct bytes name, bool imports)
{
	struct layout inner = *l;
	enum wlk_format_id hint;
	char base[NAME_BYTES];
	enum stream_end end;
	struct part text;
	struct bytes all;
	bool lines;

	base_of(name, base);
	hint = format_hint(base);
	inner.family = config_family_hint(base);
	lines = config_lines_by_name(inner.family);
	if (!m->understood || m->inner == NULL || (hint != WLK_FORMAT_JSON && hint != WLK_FORMAT_YAML && !lines))
		return WLK_DONE;
	layout_raise_memory(
	    l, (lines ? 3 : 1) * min_u64(m->stream.size, CONFIG_YAML_BYTES_MAX)); /* lines: decoded, too */
	text = stream_copy(&m->stream, l->arena, CONFIG_YAML_BYTES_MAX, &end);
	if (end == STREAM_FAILED)
		return layout_stop(l);
	inner.extents = m->inner;
	inner.of_set = false;
	if (text.copy == NULL) {
		layout_at(&inner, WLK_F_CONFIG_LIMIT, 0);
		return WLK_BROKEN;
	}
	all = bytes_of(text.copy, (size_t)text.size);
	if (lines)
		return config_lines_check(&inner, all);
	return hint == WLK_FORMAT_JSON ? judge_json(&inner, all) : config_judge_yaml(&inner, all, imports);
}

enum wlk_status config_judge_unread(struct layout *l, struct member *m, struct bytes name)
{
	enum wlk_status status;

	if (!text_member_judge(l, m))
		return layout_stop(l);
	status = config_judge_member(l, m, name, false);
	m->understood = false;
	m->inner = NULL;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}
