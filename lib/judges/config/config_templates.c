/* Chat templates in configurations: a text under `chat_template`, and every text in a list or map there, is source that a loader
 * renders (lib/judges/template); so is one under a key that begins so (chat_template_jinja of axolotl's settings).  The members of a JSON file's outermost object are format_tokenizer_config's. */
#include "config_impl.h"

void config_take_templates(struct config *c, enum config_templates which)
{
	c->templates = which;
}

bool config_asks_template(const struct config *c, struct bytes key)
{
	const struct config_frame *f = c->depth > 0 ? &c->frames[c->depth - 1] : NULL;

	if (c->templates == CONFIG_TEMPLATES_NONE || f == NULL)
		return false;
	if (f->templates)
		return true;
	if (f->type != CONFIG_MAP || !config_is_chat_template(key))
		return false;
	return c->templates == CONFIG_TEMPLATES_ALL || c->depth > 1 ||
	       !bytes_equal(key, bytes_of_text("chat_template"));
}

bool config_is_chat_template(struct bytes key)
{
	return config_begins(key, "chat_template");
}

static void found(void *ctx, const struct finding *f)
{
	layout_finding(ctx, f);
}

void config_check_template(struct config *c, struct bytes text, struct bytes key, uint64_t at)
{
	const struct template_options o = { .family = TEMPLATE_PLAIN,
		.subject = key,
		.origin = at,
		.decoded = true, /* escapes, folds and indents are gone */
		.seed = c->l->seed,
		.arena = c->l->arena,
		.finding = found,
		.ctx = c->l };
	enum wlk_status status;

	if (!templates_take(&c->seen_templates, text.n)) {
		c->full_at = c->full ? c->full_at : at;
		c->full = true;
		return;
	}
	if (c->seen_templates.n == 1)
		layout_raise_memory(c->l, TEMPLATE_MEMORY);
	status = template_check(text, &o);
	c->failed = c->failed || status == WLK_INCOMPLETE;
	c->broken = c->broken || status == WLK_BROKEN;
}
