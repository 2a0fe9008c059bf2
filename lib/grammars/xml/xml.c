/* XML: see xml.h.  The walk over bytes, and the buffers it fills. */
#include "xml.h"

#include <string.h>

#include "part.h"
#include "xml_impl.h"

/* -- characters -- */

/* The same of bytes that are UTF-8. */
static bool note_byte(struct xml_walker *w, uint8_t c)
{
	bool ok = (c >= ' ' || xml_blank(c)) && !(c >= 0xBE && w->last[0] == 0xEF && w->last[1] == 0xBF);

	w->last[0] = w->last[1];
	w->last[1] = c;
	return ok;
}

/* -- text -- */

void xml_flush_text(struct xml_walker *w)
{
	size_t n = w->text_n;

	w->text_n = 0;
	if (n == 0 || xml_over(w) || w->handler->text == NULL)
		return;
	if (!w->handler->text(w->handler->ctx, w->text, n, w->text_at, w->cdata))
		w->stopped = true;
}

void xml_put_text(struct xml_walker *w, uint8_t c, bool cdata)
{
	if (w->text_n == sizeof(w->text) || w->cdata != cdata)
		xml_flush_text(w);
	if (w->text_n == 0)
		w->text_at = w->offset;
	w->cdata = cdata;
	w->text[w->text_n++] = c;
}

/* -- the tag that is being read -- */

static bool grow_tag(struct xml_walker *w)
{
	size_t capacity = w->tag_capacity > 0 ? w->tag_capacity * 2 : 4096;
	uint8_t *tag;

	if (w->tag_n == XML_TAG_MAX) {
		xml_fail(w, XML_SIZE, w->begin, XML_TAG_MAX + 1);
		return false;
	}
	tag = arena_resize_raw(w->arena, w->tag, capacity, 1);
	w->no_memory = tag == NULL;
	if (tag == NULL)
		return false;
	w->tag = tag;
	w->tag_capacity = capacity;
	return true;
}

void xml_put_tag(struct xml_walker *w, uint8_t c)
{
	if (w->tag_n < w->tag_capacity || grow_tag(w))
		w->tag[w->tag_n++] = c;
}

void xml_begin_tag(struct xml_walker *w, enum state state)
{
	w->tag_n = w->element_n = 0;
	w->n_spans = 0;
	w->spaced = w->declaration = false;
	w->state = (uint8_t)state;
}

/* -- the walk -- */

static void (*const states[N_STATES])(struct xml_walker *w, uint8_t c) = {
	[ST_START] = xml_in_start,
	[ST_MISC] = xml_in_misc,
	[ST_CONTENT] = xml_in_content,
	[ST_LESS] = xml_in_less,
	[ST_BANG] = xml_in_bang,
	[ST_KEYWORD] = xml_in_keyword,
	[ST_COMMENT] = xml_in_comment,
	[ST_TARGET] = xml_in_target,
	[ST_INSTRUCTION] = xml_in_instruction,
	[ST_ELEMENT] = xml_in_element,
	[ST_TAG] = xml_in_tag,
	[ST_NAME] = xml_in_name,
	[ST_EQUALS] = xml_in_equals,
	[ST_QUOTE] = xml_in_quote,
	[ST_VALUE] = xml_in_value,
	[ST_LAST] = xml_in_last,
	[ST_END_NAME] = xml_in_end_name,
	[ST_END] = xml_in_end,
	[ST_REFERENCE] = xml_in_reference,
	[ST_CDATA] = xml_in_cdata,
	[ST_DOCTYPE] = xml_in_doctype,
	[ST_SUBSET] = xml_in_subset,
};

/* How many of these bytes are UTF-8: up to the first that is not. */
static size_t valid_bytes(struct xml_walker *w, const uint8_t *at, size_t n)
{
	struct utf8_stream before = w->utf8;
	size_t i = 0;

	if (w->foreign || utf8_stream_feed(&w->utf8, at, n))
		return n;
	w->utf8 = before;
	while (i < n && utf8_stream_feed(&w->utf8, at + i, 1))
		i++;
	return i;
}

/* Letters, digits and what else means nothing within a text or value: so many from here on. */
static size_t plain_bytes(const struct xml_walker *w, const uint8_t *at, size_t n)
{
	size_t i = 0;

	while (i < n && at[i] >= ' ' && at[i] < 0x7f && at[i] != '<' && at[i] != '&' && at[i] != '>' && at[i] != ']' &&
	       at[i] != w->quote)
		i++;
	return i;
}

/* The bulk of a document, for which a call a byte is too slow.  Return: bytes taken; the state's function takes the next. */
static size_t take_plain(struct xml_walker *w, const uint8_t *at, size_t n)
{
	bool value = w->state == ST_VALUE;
	size_t room = value ? w->tag_capacity - w->tag_n : sizeof(w->text) - w->text_n;

	if (!value && (w->state != ST_CONTENT || w->text_n == 0 || w->cdata || w->run > 0))
		return 0;
	n = plain_bytes(w, at, n < room ? n : room);
	memcpy(value ? w->tag + w->tag_n : w->text + w->text_n, at, n);
	*(value ? &w->tag_n : &w->text_n) += n;
	if (n > 0)
		w->last[0] = w->last[1] = ' ';
	return n;
}

uint64_t xml_feed(void *walker, const uint8_t *at, size_t n, uint64_t offset)
{
	struct xml_walker *w = walker;
	size_t valid = xml_over(w) ? 0 : valid_bytes(w, at, n);

	w->offset = offset;
	for (size_t i = 0; i < n && !xml_over(w); i++, w->offset++) {
		size_t plain = take_plain(w, at + i, n - i);

		i += plain;
		w->offset += plain;
		if (i == n)
			break;
		w->letters |= at[i] >= 0x80;
		if (note_byte(w, at[i]) && (i < valid || w->foreign))
			states[w->state](w, at[i]);
		else
			xml_fail(w, XML_ENCODING, w->offset, at[i]);
	}
	return xml_over(w) ? FEED_END : offset + n;
}

void xml_begin(struct xml_walker *w, struct arena *a, const struct xml_handler *h)
{
	*w = (struct xml_walker){ .handler = h, .arena = a };
}

bool xml_finish(struct xml_walker *w)
{
	if (!xml_over(w) && w->state == ST_SUBSET && w->doctype.subset)
		xml_end_doctype(w);
	if (!utf8_stream_whole(&w->utf8) && !w->foreign)
		xml_fail(w, XML_ENCODING, w->offset, 0);
	if (w->state != ST_MISC || !w->root_seen)
		xml_fail(w, XML_TRUNCATED, w->offset, 0);
	arena_release(w->arena, w->tag);
	w->tag = NULL;
	w->tag_capacity = 0;
	return !xml_over(w);
}

const struct xml_attribute *xml_find(const struct xml_tag *tag, const char *name)
{
	for (unsigned i = 0; i < tag->n_attributes; i++)
		if (bytes_equal(tag->attributes[i].name, bytes_of_text(name)))
			return &tag->attributes[i];
	return NULL;
}
