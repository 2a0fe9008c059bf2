/* The set document, both ways.  See set_document.h. */
#include "set_document.h"

#include <string.h>

#include "checked.h"
#include "cursor.h"

enum {
	PREFIX_BYTES = 8 + 8 + 4,
	RECORD_FIXED = 2 + 1 + 1 + 8 + 32 + 8 + 2,
	FACT_FIXED = 1 + 1,
	/* No document's head is larger: a sum of what its parts may be at most. */
	RECORD_MAX = RECORD_FIXED + SET_NAME_MAX + REPORT_FACTS_MAX * (FACT_FIXED + 2 + REPORT_STRING_MAX),
};

/* -- writing -- */

static bool fact_counts(const struct fact *f)
{
	return f->key.n == 0 && (f->value.kind == VALUE_NUMBER || f->value.kind == VALUE_TEXT);
}

static size_t name_bytes(const struct set_member *m)
{
	return m->name.n < SET_NAME_MAX ? m->name.n : SET_NAME_MAX;
}

static size_t text_bytes(const struct fact *f)
{
	return f->value.text.n < REPORT_STRING_MAX ? f->value.text.n : REPORT_STRING_MAX;
}

static uint64_t record_bytes(const struct set_member *m)
{
	uint64_t n = RECORD_FIXED + name_bytes(m);

	for (size_t i = 0; i < m->n_facts; i++) {
		if (fact_counts(&m->facts[i]))
			n += FACT_FIXED + (m->facts[i].value.kind == VALUE_NUMBER ? 8 : 2 + text_bytes(&m->facts[i]));
	}
	return n;
}

static bool write_facts(const struct set_member *m, set_write_fn write, void *ctx)
{
	uint8_t buf[FACT_FIXED + 8];

	for (size_t i = 0; i < m->n_facts; i++) {
		const struct fact *f = &m->facts[i];

		if (!fact_counts(f))
			continue;
		buf[0] = (uint8_t)f->id;
		buf[1] = (uint8_t)f->value.kind;
		if (f->value.kind == VALUE_NUMBER) {
			store_u64le(buf + FACT_FIXED, f->value.number);
			if (!write(ctx, buf, FACT_FIXED + 8))
				return false;
			continue;
		}
		store_u16le(buf + FACT_FIXED, (uint16_t)text_bytes(f));
		if (!write(ctx, buf, FACT_FIXED + 2) || !write(ctx, f->value.text.at, text_bytes(f)))
			return false;
	}
	return true;
}

static bool write_member(const struct set_member *m, set_write_fn write, void *ctx)
{
	uint8_t name_n[2], fixed[RECORD_FIXED - 2];
	uint16_t n_facts = 0;

	for (size_t i = 0; i < m->n_facts; i++)
		n_facts = (uint16_t)(n_facts + (fact_counts(&m->facts[i]) ? 1 : 0));
	store_u16le(name_n, (uint16_t)name_bytes(m));
	fixed[0] = (uint8_t)m->state;
	fixed[1] = (uint8_t)m->format;
	store_u64le(fixed + 2, m->size);
	memcpy(fixed + 10, m->sha256, 32);
	store_u64le(fixed + 42, m->rows_bytes);
	store_u16le(fixed + 50, n_facts);
	return write(ctx, name_n, 2) && write(ctx, m->name.at, name_bytes(m)) && write(ctx, fixed, sizeof(fixed)) &&
	       write_facts(m, write, ctx);
}

bool set_document_write_head(const struct set_member *members, size_t n, set_write_fn write, void *ctx)
{
	uint8_t prefix[PREFIX_BYTES] = SET_MAGIC;
	uint64_t head = PREFIX_BYTES;

	for (size_t i = 0; i < n; i++)
		head += record_bytes(&members[i]);
	store_u64le(prefix + 8, head);
	store_u32le(prefix + 16, (uint32_t)n);
	if (!write(ctx, prefix, sizeof(prefix)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!write_member(&members[i], write, ctx))
			return false;
	}
	return true;
}

/* -- reading -- */

static bool take_text(struct cursor *c, size_t max, struct bytes *ret)
{
	uint16_t n;

	return cur_u16le(c, &n) && n <= max && cur_bytes(c, n, ret);
}

static bool take_fact(struct cursor *c, struct fact *ret)
{
	uint8_t id, kind;

	*ret = (struct fact){ 0 };
	if (!cur_u8(c, &id) || id >= WLK_N_FACTS || !cur_u8(c, &kind))
		return false;
	ret->id = (enum wlk_fact)id;
	ret->value.kind = (enum value_kind)kind;
	if (kind == VALUE_NUMBER)
		return cur_u64le(c, &ret->value.number);
	return kind == VALUE_TEXT && take_text(c, REPORT_STRING_MAX, &ret->value.text);
}

static bool take_facts(struct cursor *c, struct arena *a, struct set_member *ret)
{
	struct fact *facts;
	uint16_t n;

	if (!cur_u16le(c, &n) || n > REPORT_FACTS_MAX)
		return false;
	facts = n > 0 ? arena_alloc(a, n, sizeof(*facts)) : NULL;
	if (n > 0 && facts == NULL)
		return false;
	for (uint16_t i = 0; i < n; i++) {
		if (!take_fact(c, &facts[i]))
			return false;
	}
	ret->facts = facts;
	ret->n_facts = n;
	return true;
}

static bool take_member(struct cursor *c, struct arena *a, struct set_member *ret)
{
	struct bytes digest;
	uint8_t state, format;

	*ret = (struct set_member){ 0 };
	if (!take_text(c, SET_NAME_MAX, &ret->name) || ret->name.n == 0 || !cur_u8(c, &state) ||
	    state >= SET_N_MEMBER_STATES || !cur_u8(c, &format) || format >= WLK_N_FORMATS ||
	    !cur_u64le(c, &ret->size) || !cur_bytes(c, sizeof(ret->sha256), &digest) || !cur_u64le(c, &ret->rows_bytes))
		return false;
	ret->state = (enum set_member_state)state;
	ret->format = (enum wlk_format_id)format;
	memcpy(ret->sha256, digest.at, sizeof(ret->sha256));
	return take_facts(c, a, ret);
}

static bool take_members(struct source *src, struct arena *a, struct cursor *c, struct set_member *members, uint32_t n)
{
	uint64_t at = c->end;

	for (uint32_t i = 0; i < n; i++) {
		if (!take_member(c, a, &members[i]))
			return false;
		members[i].rows_at = at;
		if (!add_u64(at, members[i].rows_bytes, &at) || at > src->size)
			return false;
	}
	return cur_left(c) == 0 && at == src->size;
}

bool set_document_read_head(struct source *src, struct arena *a, struct set_member **ret, size_t *ret_n)
{
	const uint8_t *prefix = src->size >= PREFIX_BYTES ? source_pin(src, 0, PREFIX_BYTES) : NULL;
	struct cursor c;
	uint64_t head;
	uint32_t n;
	size_t head_n;

	if (prefix == NULL || memcmp(prefix, SET_MAGIC, 8) != 0)
		return false;
	head = load_u64le(prefix + 8);
	n = load_u32le(prefix + 16);
	if (n > SET_MEMBERS_MAX || head < PREFIX_BYTES || head > src->size ||
	    head > PREFIX_BYTES + (uint64_t)n * RECORD_MAX || !size_from_u64(head, &head_n))
		return false;
	source_raise_pin_budget(src, head);
	prefix = source_pin(src, 0, head_n);
	*ret = n > 0 ? arena_alloc(a, n, sizeof(**ret)) : NULL;
	*ret_n = n;
	if (prefix == NULL || (n > 0 && *ret == NULL))
		return false;
	c = cur_over(bytes_of(prefix, head_n), 0);
	return cur_skip(&c, PREFIX_BYTES) && take_members(src, a, &c, *ret, n);
}
