/* What the other files of a set say one of them holds: the rows of every model whose weights may be in it, and of these
 * those that lead to it.  For the worker that has that file before it (lib/claimed.c). */
#include "set_impl.h"

struct claiming {
	struct set *s;
	struct external_claims *claims;
	const struct external_rules *rules;
	uint32_t model; /* whose rows go by */
	struct bytes wanted;
	bool failed;
};

/* One that is not known is no type: nobody can say what is wrong with its elements. */
static enum wlk_dtype dtype_of(struct bytes name)
{
	enum wlk_dtype dtype;

	return dtype_find(name, &dtype) ? dtype : WLK_DTYPE_NONE;
}

static bool take_row(void *ctx, const struct manifest_row *row)
{
	struct claiming *c = ctx;
	uint8_t text[EXTERNAL_PATH_MAX];

	if (row->kind != MANIFEST_MAPPING || row->member.n > 0 ||
	    !bytes_equal(c->wanted, bytes_of(text, external_path(c->s, c->model, c->rules, row->file, text))))
		return true;
	if (c->claims->rules == NULL)
		c->claims->rules = c->rules;
	if (row->begin < row->end)
		c->failed = !c->claims->take(c->claims->ctx, &(struct external_claim){ .name = row->name,
								 .dtype = dtype_of(row->dtype),
								 .begin = row->begin,
								 .end = row->end,
								 .rules = c->rules });
	return !c->failed;
}

static bool read_models(struct claiming *c)
{
	for (c->model = 0; c->model < c->s->n; c->model++) {
		const struct set_member *m = &c->s->members[c->model];

		if (!external_is_model(c->s, c->model, c->rules))
			continue;
		c->claims->all_known = c->claims->all_known && m->state == SET_MEMBER_WHOLE;
		if (!set_rows(c->s, c->model, take_row, c))
			return false;
		if (c->failed)
			return set_stop(c->s);
	}
	return true;
}

bool sets_claims(const struct set_input *in, uint32_t member, struct external_claims *claims)
{
	struct set s;
	struct claiming c = { .s = &s, .claims = claims };

	claims->rules = NULL;
	claims->all_known = true;
	if (!set_open(&s, in))
		return false;
	if (member >= s.n)
		return true;
	c.wanted = s.members[member].name;
	for (size_t i = 0; i < n_external_rules; i++) {
		c.rules = &external_rules[i];
		if (!read_models(&c))
			return false;
	}
	return true;
}
