/* What readers of XML share: see xml_file.h. */
#include "xml_file.h"

#include "checked.h"
#include "stream.h"

/* -- the walk -- */

static bool open_tag(void *ctx, const struct xml_tag *tag)
{
	struct xml_reader *r = ctx;

	return r->open(r->ctx, tag);
}

static bool close_tag(void *ctx, unsigned depth, uint64_t offset)
{
	struct xml_reader *r = ctx;

	return r->close == NULL || r->close(r->ctx, depth, offset);
}

static bool take_text(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata)
{
	struct xml_reader *r = ctx;

	return r->text == NULL || r->text(r->ctx, at, n, offset, cdata);
}

static bool take_doctype(void *ctx, const struct xml_doctype *d)
{
	struct xml_reader *r = ctx;

	if (!d->subset && !d->cut && r->takes_doctype != NULL && r->takes_doctype(r->ctx, d))
		return true;
	layout_at(r->l, WLK_F_XML_DOCTYPE, d->offset);
	if (d->entity)
		layout_at(r->l, WLK_F_XML_ENTITY, d->offset);
	r->unknown = true;
	return true;
}

static bool take_instruction(void *ctx, struct bytes target, uint64_t offset)
{
	struct xml_reader *r = ctx;

	layout_finding(
	    r->l, &(struct finding){
		      .code = WLK_F_XML_INSTRUCTION, .has_offset = true, .offset = offset, .subject = target });
	r->unknown = true;
	return true;
}

static void take_error(void *ctx, enum xml_error e, uint64_t offset, uint64_t found)
{
	static const enum wlk_finding codes[XML_N_ERRORS] = {
		[XML_SYNTAX] = WLK_F_XML_SYNTAX,
		[XML_ENCODING] = WLK_F_XML_ENCODING,
		[XML_ENTITY] = WLK_F_XML_ENTITY,
		[XML_DEPTH] = WLK_F_XML_DEPTH,
		[XML_SIZE] = WLK_F_XML_SIZE,
		[XML_DUPLICATE] = WLK_F_XML_DUPLICATE_ATTRIBUTE,
		[XML_MISMATCHED] = WLK_F_XML_SYNTAX,
		[XML_TRAILING] = WLK_F_XML_TRAILING_BYTES,
		[XML_TRUNCATED] = WLK_F_XML_SYNTAX,
	};
	struct xml_reader *r = ctx;
	bool harmful = e == XML_ENTITY || e == XML_DEPTH || e == XML_TRAILING;

	if (e == XML_DEPTH)
		layout_value(r->l, codes[e], offset, found, XML_DEPTH_MAX);
	else
		layout_at(r->l, r->lenient && !harmful ? WLK_F_FORMAT_PARTLY_CHECKED : codes[e], offset);
	r->unknown = true;
}

/* A coded member does not say how long it is. */
struct bounded {
	struct xml_walker *w;
	bool large;
};

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct bounded *b = ctx;

	b->large = offset > XML_BYTES_MAX || n > XML_BYTES_MAX - offset;
	return b->large ? FEED_END : xml_feed(b->w, at, n, offset);
}

static enum wlk_status too_large(struct xml_reader *r)
{
	take_error(r, XML_SIZE, 0, XML_BYTES_MAX + 1);
	return WLK_BROKEN;
}

static enum wlk_status walk(struct xml_reader *r, struct stream *s, struct xml_walker *w)
{
	struct bounded b = { .w = w };
	struct stream_state state;
	enum stream_end end = stream_preview(s, r->l->arena, (struct feeder){ feed, &b }, &state);

	if (end == STREAM_FAILED)
		return layout_stop(r->l);
	if (b.large)
		return too_large(r);
	if (!xml_finish(w))
		return w->no_memory ? layout_stop(r->l) : WLK_BROKEN;
	if (s->size == STREAM_SIZE_UNKNOWN)
		s->size = state.decoded;
	return stream_end_is_usable(end) ? WLK_DONE : WLK_BROKEN;
}

static enum wlk_status describe(struct xml_reader *r, uint64_t size)
{
	struct extent *e = extents_add(r->l->extents);

	if (e == NULL)
		return layout_stop(r->l);
	e->end = size;
	e->kind = EXTENT_METADATA;
	return WLK_DONE;
}

enum wlk_status xml_read(struct xml_reader *r, struct stream *s)
{
	const struct xml_handler handler = { .ctx = r,
		.open = open_tag,
		.close = close_tag,
		.text = take_text,
		.doctype = take_doctype,
		.instruction = take_instruction,
		.error = take_error };
	struct xml_walker *w = arena_alloc(r->l->arena, 1, sizeof(*w));
	enum wlk_status status;

	if (w == NULL)
		return layout_stop(r->l);
	if (s->size != STREAM_SIZE_UNKNOWN && s->size > XML_BYTES_MAX)
		return too_large(r);
	xml_begin(w, r->l->arena, &handler);
	status = walk(r, s, w);
	if (status == WLK_DONE && w->foreign && w->letters && !r->lenient) {
		layout_at(r->l, WLK_F_XML_ENCODING_DECLARED, w->foreign_at);
		r->unknown = true;
	}
	if (status == WLK_DONE)
		status = describe(r, s->size);
	return status == WLK_DONE && r->unknown ? WLK_BROKEN : status;
}

struct stream xml_stream(const struct layout *l)
{
	return (
	    struct stream){ .part = l->part, .codec = CODEC_STORED, .size = l->part.size, .size_limit = l->part.size };
}

/* -- texts -- */

bool xml_begins(struct bytes text, const char *word)
{
	size_t n = strlen(word);

	if (text.n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (xml_fold(text.at[i]) != (uint8_t)word[i])
			return false;
	return true;
}

bool xml_is(struct bytes text, const char *word)
{
	return text.n == strlen(word) && xml_begins(text, word);
}

bool xml_holds(struct bytes text, const char *word)
{
	for (size_t n = strlen(word); text.n >= n; text = bytes_of(text.at + 1, text.n - 1))
		if (xml_begins(text, word))
			return true;
	return false;
}

/* Most places begin none of them. */
bool xml_holds_any(struct bytes text, const char *const *words, size_t n)
{
	bool begins[256] = { false };

	for (size_t k = 0; k < n; k++)
		begins[(uint8_t)words[k][0]] = true;
	for (size_t i = 0; i < text.n; i++) {
		uint8_t c = xml_fold(text.at[i]);

		for (size_t k = 0; begins[c] && k < n; k++)
			if (c == (uint8_t)words[k][0] && xml_begins(bytes_of(text.at + i, text.n - i), words[k]))
				return true;
	}
	return false;
}

bool xml_is_blank(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] != ' ' && text.at[i] != '\t' && text.at[i] != '\n' && text.at[i] != '\r')
			return false;
	return true;
}

struct bytes xml_local(struct bytes name)
{
	size_t n = 0;

	while (n < name.n && name.at[name.n - n - 1] != ':')
		n++;
	return bytes_of(name.at + (name.n - n), n);
}

bool xml_number(struct bytes text, uint64_t *ret)
{
	uint64_t n = 0;

	if (text.n == 0 || (text.n > 1 && text.at[0] == '0'))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] < '0' || text.at[i] > '9' || !mul_u64(n, 10, &n) ||
		    !add_u64(n, (uint64_t)(text.at[i] - '0'), &n) || n > INT64_MAX)
			return false;
	}
	*ret = n;
	return true;
}

static int compare(struct bytes a, const char *text)
{
	size_t n = strlen(text), both = a.n < n ? a.n : n;
	int order = both > 0 ? memcmp(a.at, text, both) : 0;

	return order != 0 ? order : (a.n > n) - (a.n < n);
}

bool xml_listed(const char *const *words, size_t n, struct bytes word)
{
	size_t from = 0, to = n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare(word, words[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return false;
}

struct bytes xml_words_join(struct xml_words *w, const uint8_t *at, size_t n)
{
	size_t drop = w->kept > XML_CARRY ? w->kept - XML_CARRY : 0;

	memmove(w->at, w->at + drop, w->kept - drop);
	w->kept -= drop;
	bytes_copy(w->at + w->kept, bytes_of(at, n));
	w->kept += n;
	return bytes_of(w->at, w->kept);
}
