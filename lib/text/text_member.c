/* Text in archives: see text_member.h. */
#include "text_member.h"

#include "script_words.h"
#include "unicode.h"
#include "utf8.h"

struct text {
	struct utf8_stream utf8;
	struct script_words words;
	bool plain;
};

static uint64_t take(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct text *t = ctx;

	for (size_t i = 0; i < n; i++)
		t->plain = t->plain && (at[i] >= 0x20 ? at[i] != 0x7f : unicode_is_layout(at[i]));
	t->plain = t->plain && utf8_stream_feed(&t->utf8, at, n);
	script_words_feed(&t->words, at, n);
	return t->plain ? offset + n : FEED_END;
}

bool text_member_describe(struct layout *inner, struct member *m)
{
	struct extent *e;

	inner->extents = member_inner(m, inner->arena);
	if (inner->extents == NULL || m->stream.size == 0)
		return inner->extents != NULL;
	e = extents_add(inner->extents);
	if (e == NULL)
		return false;
	*e = (struct extent){ .end = m->stream.size, .kind = EXTENT_METADATA };
	return true;
}

bool text_member_judge(struct layout *l, struct member *m)
{
	struct text t = { .plain = true };
	struct layout inner = *l;
	enum stream_end end = stream_preview(&m->stream, l->arena, (struct feeder){ take, &t }, NULL);

	inner.part = m->stream.part;
	m->understood = false;
	if (end == STREAM_FAILED)
		return false;
	if (!t.plain || !utf8_stream_whole(&t.utf8))
		return true;
	if (!text_member_describe(&inner, m))
		return false;
	if (script_words_begins(&t.words))
		layout_at(&inner, WLK_F_FORMAT_SCRIPT, 0);
	m->understood = stream_end_is_usable(end);
	return true;
}
