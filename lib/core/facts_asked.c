/* Records that only some jobs ask for: calls, and what `weighlock inspect` shows.  See facts.h. */
#include "facts_impl.h"

/* -- calls -- */

void facts_want_calls(struct facts *f)
{
	f->has_calls = true;
}

static bool has_room_for_call(const struct facts *f, uint8_t standing)
{
	size_t n = 0, most = standing == CALL_ALLOWED ? REPORT_CALLS_ALLOWED : REPORT_CALLS_MAX;

	for (size_t i = 0; i < f->n_calls; i++)
		n += f->calls[i].standing == standing;
	return n < most;
}

bool facts_take_call(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct call_record got = { 0 };
	struct call_record *list;
	uint8_t standing, flags;
	uint16_t callee_n;

	if (!f->has_calls || !cur_u8(c, &standing) || standing >= N_CALL_STANDINGS || !has_room_for_call(f, standing) ||
	    !cur_u8(c, &flags) || flags > 3 || !cur_u64le(c, &got.offset) || got.offset >= OFFSET_DECODED ||
	    !facts_take_string(d, c, &got.member) || !cur_u16le(c, &callee_n) ||
	    !facts_take_text(d, c, CALL_TEXT_MAX, &got.text) || callee_n > got.text.n ||
	    ((flags & 2) != 0 && got.member.n == 0))
		return false;
	got.standing = (enum call_standing)standing;
	got.cut = flags & 1;
	got.callee_n = callee_n;
	got.offset |= (flags & 2) != 0 ? OFFSET_DECODED : 0;
	facts_saw(d, got.offset);
	list = facts_grow(d, f->calls, f->n_calls, &d->capacity[3], sizeof(*list));
	if (list == NULL)
		return false;
	f->calls = list;
	f->calls[f->n_calls++] = got;
	return true;
}

/* -- views -- */

void facts_want_views(struct facts *f)
{
	f->has_views = true;
}

/* What is summed up of them cannot be more than what the file has. */
static bool range_is_next(struct facts_decoder *d, const struct view_record *v)
{
	if (v->offset != d->mapped || v->number == 0 || v->number > v->length || v->member.n + v->text.n > 0)
		return false;
	d->mapped += v->length;
	return true;
}

static bool view_is_sound(struct facts_decoder *d, const struct view_record *v)
{
	uint64_t end;

	if (!add_u64(v->offset, v->length, &end) || end >= OFFSET_DECODED)
		return false;
	switch (v->kind) {
	case VIEW_RANGE: return v->a < VIEW_N_RANGE_KINDS && v->b < WLK_N_DTYPES && range_is_next(d, v);
	case VIEW_MEMBER: return v->a < WLK_N_FORMATS && v->b <= 1 && v->member.n > 0;
	case VIEW_BYTES: return v->a == 0 && v->b == 0 && v->length == 0 && v->number == 0;
	case VIEW_OPCODE: return v->a <= 1 && v->b == 0 && v->length == 0 && v->number == 0;
	default: return false;
	}
}

bool facts_take_view(struct facts *f, struct cursor *c)
{
	struct facts_decoder *d = f->decoder;
	struct view_record got = { 0 }, *list;
	uint8_t kind, decoded;

	if (!f->has_views || !cur_u8(c, &kind) || kind >= N_VIEW_KINDS || d->n_views[kind] == report_views_max[kind] ||
	    !cur_u8(c, &decoded) || decoded > 1 || !cur_u8(c, &got.a) || !cur_u8(c, &got.b) ||
	    !cur_u64le(c, &got.offset) || !cur_u64le(c, &got.length) || !cur_u64le(c, &got.number) ||
	    !facts_take_string(d, c, &got.member) || !facts_take_string(d, c, &got.text))
		return false;
	got.kind = (enum view_kind)kind;
	if (!view_is_sound(d, &got) || (decoded && got.member.n == 0))
		return false;
	got.offset |= decoded ? OFFSET_DECODED : 0;
	facts_saw(d, got.offset + got.length);
	list = facts_grow(d, f->views, f->n_views, &d->capacity[4], sizeof(*list));
	if (list == NULL)
		return false;
	f->views = list;
	f->views[f->n_views++] = got;
	d->n_views[kind]++;
	return true;
}
