/* Names in tar archives: see nemo.h. */
#include "nemo.h"

#include "config_member.h"
#include "config_rules.h"
#include "text_member.h"
#include "torchserve.h"

#define YAML_BYTES_MAX ((uint64_t)16 << 20) /* configurations have kilobytes */

/* `./a` is a. */
static struct bytes plain_name(struct bytes name)
{
	while (name.n > 2 && name.at[0] == '.' && name.at[1] == '/')
		name = bytes_of(name.at + 2, name.n - 2);
	return name;
}

static bool ends_with(struct bytes name, const char *text)
{
	size_t n = strlen(text);

	return name.n >= n && strncasecmp((const char *)name.at + name.n - n, text, n) == 0;
}

/* JSON is YAML. */
static bool is_yaml(struct bytes name)
{
	return ends_with(name, ".yaml") || ends_with(name, ".yml") || ends_with(name, ".json");
}

/* What is text is looked into, and what is not is not YAML. */
static enum wlk_status judge_yaml(struct layout *l, struct member *m)
{
	struct layout inner = *l;
	enum wlk_status status;
	enum stream_end end;
	struct part text;
	bool whole;

	if (!text_member_judge(l, m))
		return layout_stop(l);
	if (!m->understood || m->stream.size > YAML_BYTES_MAX) {
		m->understood = false;
		return WLK_DONE;
	}
	layout_raise_memory(l, m->stream.size);
	text = stream_copy(&m->stream, l->arena, YAML_BYTES_MAX, &end);
	if (text.copy == NULL)
		return layout_stop(l);
	inner.extents = m->inner;
	inner.of_set = false;
	inner.family = config_member_family(m->stream.part.member);
	if (inner.family == CONFIG_NONE)
		inner.family = CONFIG_NEMO;
	status = config_check_events(&inner, bytes_of(text.copy, (size_t)text.size), &whole);
	if (!whole) /* other parsers may take it */
		config_check_yaml(&inner, bytes_of(text.copy, (size_t)text.size), true);
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

enum wlk_status nemo_judge(struct nemo *n, struct layout *l, struct member *m, struct bytes name, bool *ret_done)
{
	enum wlk_status status = WLK_DONE;

	name = plain_name(name);
	n->configured = n->configured || bytes_equal(name, bytes_of_text("model_config.yaml"));
	n->served = n->served || bytes_equal(name, bytes_of_text(TORCHSERVE_MANIFEST));
	if (n->code == NULL && torchserve_is_code(name))
		n->code = m;
	if (is_yaml(name))
		status = judge_yaml(l, m);
	*ret_done = is_yaml(name) && status == WLK_DONE && m->understood;
	return status;
}
