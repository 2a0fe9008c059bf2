/* Strings of the pickle machine: where they stand in the run, and their first bytes.  Names of globals are kept as long
 * as the stream; all others go to a ring when memory is nearly spent, see machine.h. */
#include <string.h>

#include "cost.h"

#define TEXT_BYTES 64u /* of a string in CPython, its place in the memo included */

static uint32_t text_words(const struct text *t)
{
	return (t->whole ? 1 : 2) + ((uint32_t)t->kept + 7) / 8;
}

/* Without memory for it, it is not remembered. */
static void remember(struct pickle *p, pickle_value v, const uint8_t *at, uint64_t n)
{
	struct long_texts *l = p->longs;
	unsigned i;

	if (l == NULL &&
	    p->arena->budget - p->arena->used > 2 * sizeof(*l)) /* a refusal would count against the file */
		l = p->longs = arena_resize(p->arena, NULL, 1, sizeof(*l));
	if (l == NULL)
		return;
	i = l->next++ % LONG_TEXTS;
	l->of[i].v = v;
	l->of[i].n = text_wanted(p, n);
	memcpy(l->of[i].head, at, l->of[i].n);
}

bool pickle_beginning(const struct pickle *p, pickle_value v, struct bytes *ret, uint64_t *ret_n)
{
	if (!pickle_head(p, v, ret, ret_n))
		return false;
	for (unsigned i = 0; p->longs != NULL && i < LONG_TEXTS; i++)
		if (p->longs->of[i].n > 0 && p->longs->of[i].v == v)
			*ret = bytes_of(p->longs->of[i].head, p->longs->of[i].n);
	return true;
}

pickle_value value_text(
    struct pickle *p, enum pickle_kind kind, const uint8_t *at, uint64_t n, uint64_t offset, bool plain)
{
	bool whole = n <= PICKLE_TEXT_MAX;
	struct text t = { .offset = offset & ((UINT64_C(1) << 48) - 1),
		.kept = whole ? n & 2047 : HEAD_KEPT,
		.whole = whole,
		.plain = plain && offset >> 48 == 0 };
	pickle_value v = 0;
	uint64_t index, *word = heap_take(p, text_words(&t), DEGRADABLE, &index);

	cost_bytes(p, n + TEXT_BYTES);
	if (word == NULL) {
		word = ring_take(p, text_words(&t), &index);
		v = SPILLED;
	}
	if (word == NULL)
		return PICKLE_NO_VALUE;
	memcpy(word++, &t, sizeof(t));
	if (!whole)
		*word++ = n;
	if (t.kept > 0)
		memcpy(word, at, t.kept);
	if (p->options.constant != NULL)
		p->options.constant(p->options.ctx, bytes_of(at, t.kept), n, p->op_offset);
	v |= handle(kind, index);
	if (!whole && p->options.remember)
		remember(p, v, at, n);
	return v;
}

/* Kept as long as the stream, for globals. */
pickle_value value_name(struct pickle *p, struct bytes text)
{
	struct text t = { .kept = 0, .whole = true };
	uint64_t index, *word;

	/* Lines may be longer than texts; the heap does not mind, and nothing else looks. */
	word = heap_take(p, 2 + ((uint32_t)text.n + 7) / 8, ESSENTIAL, &index);
	if (word == NULL)
		return PICKLE_NO_VALUE;
	t.whole = false;
	memcpy(word, &t, sizeof(t));
	word[1] = text.n;
	bytes_copy(word + 2, text);
	return handle(PICKLE_STR, index);
}

static const uint64_t *text_at(const struct pickle *p, pickle_value v)
{
	uint64_t at = content_of(v);

	if (!is_spilled(v))
		return heap_at(p, at);
	/* Anything written since may reach over it. */
	if (p->ring_top - at > RING_WORDS)
		return NULL;
	return p->ring + at % RING_WORDS;
}

bool value_kept(const struct pickle *p, pickle_value v, struct bytes *ret, uint64_t *ret_n)
{
	const uint64_t *word = text_at(p, v);
	struct text t;

	if (word == NULL)
		return false;
	memcpy(&t, word++, sizeof(t));
	*ret_n = t.whole ? t.kept : *word++;
	*ret = bytes_of(word, t.kept);
	return true;
}

static bool is_string(enum pickle_kind k)
{
	return k == PICKLE_STR || k == PICKLE_BYTES || k == PICKLE_BYTEARRAY;
}

bool pickle_text(const struct pickle *p, pickle_value v, struct bytes *ret)
{
	struct bytes kept;
	uint64_t n;

	if (kind_of(v) != PICKLE_STR || !value_kept(p, v, &kept, &n) || n != kept.n)
		return false;
	*ret = kept;
	return true;
}

bool pickle_head(const struct pickle *p, pickle_value v, struct bytes *ret, uint64_t *ret_n)
{
	return is_string(kind_of(v)) && value_kept(p, v, ret, ret_n);
}

bool pickle_payload(const struct pickle *p, pickle_value v, uint64_t *ret_offset, uint64_t *ret_n)
{
	const uint64_t *word;
	struct text t;

	if (!is_string(kind_of(v)))
		return false;
	word = text_at(p, v);
	if (word == NULL)
		return false;
	memcpy(&t, word, sizeof(t));
	if (!t.plain)
		return false;
	*ret_offset = t.offset;
	*ret_n = t.whole ? t.kept : word[1];
	return true;
}

bool pickle_text_line(const struct pickle *p, pickle_value v, uint64_t *ret_offset)
{
	const uint64_t *word = kind_of(v) == PICKLE_STR ? text_at(p, v) : NULL;
	struct text t;

	if (word == NULL)
		return false;
	memcpy(&t, word, sizeof(t));
	if (t.plain || t.offset == 0)
		return false;
	*ret_offset = t.offset - 1;
	return true;
}
