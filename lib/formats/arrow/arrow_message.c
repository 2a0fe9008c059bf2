/* Arrow's messages: a length, metadata, a body.  See arrow_impl.h. */
#include "arrow_impl.h"

#include "checked.h"

#define CONTINUATION UINT32_C(0xffffffff)

static bool wrong(struct arrow *a, uint64_t at, const char *what, uint64_t found, uint64_t allowed)
{
	arrow_value(a, WLK_F_ARROW_STRUCTURE, at, what, found, allowed);
	a->fb.failed = true;
	return false;
}

/* Writers before 0.15 have no mark in front of the length. */
bool arrow_read_prefix(struct arrow *a, uint64_t end, struct arrow_message *m)
{
	uint64_t left = end - m->begin, behind;
	uint32_t first, n;

	if (left < 4)
		return wrong(a, m->begin, "message", left, 8);
	if (!fb_u32(&a->fb, m->begin, &first))
		return false;
	m->prefix = first == CONTINUATION ? 8 : 4;
	n = first;
	if (m->prefix > left)
		return wrong(a, m->begin, "message", left, 8);
	if (first == CONTINUATION && !fb_u32(&a->fb, m->begin + 4, &n))
		return false;
	behind = left - m->prefix;
	m->metadata = n;
	if (n > INT32_MAX || n > behind || (n > 0 && !a->embedded && (m->begin % 8 != 0 || (n + m->prefix) % 8 != 0)))
		return wrong(a, m->begin, "message", n, behind);
	return fb_claim(&a->fb, m->begin, m->begin + m->prefix, NULL, NULL);
}

/* -- what is in it -- */

static bool read_dictionary(struct arrow *a, struct arrow_batch *b)
{
	struct fb_table d;

	if (!fb_open(&a->fb, b->at, &arrow_dictionary_batch, &d) ||
	    !arrow_find_dictionary(a, d.value[DICTIONARY_ID], b->at, &b->column))
		return false;
	if (!fb_has(&d, DICTIONARY_DATA)) {
		arrow_value(a, WLK_F_ARROW_STRUCTURE, b->at, "dictionary", 0, 1);
		return true;
	}
	if (b->column == a->n_columns) /* told */
		return true;
	b->at = d.value[DICTIONARY_DATA];
	b->n = a->columns[b->column].span;
	b->values = true;
	return arrow_read_batch(a, b);
}

static bool read_header(struct arrow *a, const struct fb_table *t, const struct arrow_message *m)
{
	struct arrow_batch b = { .at = t->value[MESSAGE_HEADER],
		.body = m->begin + m->prefix + m->metadata,
		.body_bytes = m->body,
		.n = a->n_columns,
		.version = (unsigned)t->value[MESSAGE_VERSION] };

	if (!fb_has(t, MESSAGE_HEADER))
		return true; /* told: a union without its table */
	switch (m->kind) {
	case ARROW_HEADER_SCHEMA:
		if (m->body != 0)
			arrow_value(a, WLK_F_ARROW_STRUCTURE, t->at, "body", m->body, 0);
		return arrow_read_schema(a, b.at);
	case ARROW_HEADER_DICTIONARY: return read_dictionary(a, &b);
	case ARROW_HEADER_BATCH: return arrow_read_batch(a, &b);
	default: arrow_value(a, WLK_F_ARROW_UNSUPPORTED, t->at, "message", m->kind, ARROW_N_HEADERS - 1); return true;
	}
}

enum { VERSION_LEAST = 3, VERSION_MOST = 4 };

bool arrow_read_message(struct arrow *a, uint64_t end, struct arrow_message *m)
{
	uint64_t begin = m->begin + m->prefix, body = begin + m->metadata, root; /* in the part: arrow_read_prefix() */
	struct fb_table t;

	if (!fb_frame(&a->fb, begin, body, &root) || !fb_open(&a->fb, root, &arrow_message, &t) ||
	    !arrow_read_metadata(a, &t, MESSAGE_METADATA))
		return false;
	m->kind = (unsigned)t.value[MESSAGE_TYPE];
	m->body = t.value[MESSAGE_BODY];
	if (t.value[MESSAGE_VERSION] < VERSION_LEAST || t.value[MESSAGE_VERSION] > VERSION_MOST)
		arrow_value(a, WLK_F_ARROW_UNSUPPORTED, root, "version", t.value[MESSAGE_VERSION], VERSION_MOST);
	if (m->body > end - body || m->body % 8 != 0)
		return wrong(a, root, "body", m->body, end - body);
	if (body + m->body > a->end)
		a->end = body + m->body;
	return read_header(a, &t, m);
}
