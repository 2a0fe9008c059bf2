/* Names in tar archives: see nemo.h. */
#include "nemo.h"

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
static enum wlk_status judge_yaml(struct layout *l, struct member *m, struct bytes name)
{
	enum wlk_status status;

	if (!text_member_judge(l, m))
		return layout_stop(l);
	if (!m->understood || m->stream.size > YAML_BYTES_MAX) {
		m->understood = false;
		return WLK_DONE;
	}
	status = config_judge_member(l, m, name, true);
	if (status == WLK_BROKEN)
		m->understood = false;
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
		status = judge_yaml(l, m, name);
	*ret_done = is_yaml(name) && status == WLK_DONE && m->understood;
	return status;
}
