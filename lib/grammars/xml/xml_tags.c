/* XML: tags, attributes, the declaration, and references in text and values.  See xml.h. */
#include <string.h>

#include "unicode.h"
#include "xml_impl.h"
#include "hex.h"

/* -- the tag that is being read -- */

static struct xml_span *span(struct xml_walker *w)
{
	return &w->spans[w->n_spans - 1];
}

static struct bytes span_name(const struct xml_walker *w, unsigned i)
{
	return bytes_of(w->tag + w->spans[i].name_at, w->spans[i].name_n);
}

static struct bytes span_value(const struct xml_walker *w, unsigned i)
{
	return bytes_of(w->tag + w->spans[i].value_at, w->spans[i].value_n);
}

/* -- elements -- */

static void push_name(struct xml_walker *w)
{
	bytes_copy(w->names + w->names_n, xml_tag_name(w));
	w->name_n[w->depth++] = (uint16_t)w->element_n;
	w->names_n += w->element_n;
}

static void close_element(struct xml_walker *w, uint64_t offset)
{
	w->depth--;
	w->names_n -= w->name_n[w->depth];
	w->state = w->depth > 0 ? ST_CONTENT : ST_MISC;
	w->run = 0;
	if (!xml_over(w) && !w->handler->close(w->handler->ctx, w->depth, offset))
		w->stopped = true;
}

static void open_element(struct xml_walker *w)
{
	const struct xml_tag tag = { .name = xml_tag_name(w),
		.offset = w->begin,
		.depth = w->depth,
		.attributes = w->attributes,
		.n_attributes = w->n_spans };

	if (w->depth == XML_DEPTH_MAX) {
		xml_fail(w, XML_DEPTH, w->begin, XML_DEPTH_MAX + 1);
		return;
	}
	for (unsigned i = 0; i < w->n_spans; i++)
		w->attributes[i] = (struct xml_attribute){
			.name = span_name(w, i), .value = span_value(w, i), .offset = w->spans[i].offset
		};
	w->root_seen = true;
	push_name(w);
	w->state = ST_CONTENT;
	w->run = 0;
	if (!w->handler->open(w->handler->ctx, &tag))
		w->stopped = true;
}

/* -- the declaration: production 23 -- */

static bool is_attribute(const struct xml_walker *w, unsigned i, const char *name)
{
	return i < w->n_spans && bytes_equal(span_name(w, i), bytes_of_text(name));
}

static bool folds_to(struct bytes v, const char *text)
{
	for (size_t i = 0; i < v.n; i++)
		if ((v.at[i] >= 'A' && v.at[i] <= 'Z' ? v.at[i] | 0x20 : v.at[i]) != (uint8_t)text[i])
			return false;
	return true;
}

static bool value_folds_to(const struct xml_walker *w, unsigned i, const char *text)
{
	struct bytes v = span_value(w, i);

	return v.n == strlen(text) && folds_to(v, text);
}

/* Encodings in which the bytes of ASCII stand for its characters, and each of the others for one more. */
static bool is_one_byte(const struct xml_walker *w, unsigned i)
{
	static const char *const families[] = { "iso-8859-", "windows-125" };
	struct bytes v = span_value(w, i);

	for (size_t k = 0; k < sizeof(families) / sizeof(families[0]); k++) {
		size_t n = strlen(families[k]);

		if (v.n > n && v.n <= n + 2 && folds_to(bytes_of(v.at, n), families[k]))
			return true;
	}
	return false;
}

static void end_declaration(struct xml_walker *w)
{
	unsigned i = 1;
	bool ok = is_attribute(w, 0, "version") && bytes_equal(span_value(w, 0), bytes_of_text("1.0"));

	w->state = ST_MISC;
	if (ok && is_attribute(w, i, "encoding")) {
		w->foreign = is_one_byte(w, i);
		w->foreign_at = w->spans[i].offset;
		if (!w->foreign && !value_folds_to(w, i, "utf-8") && !value_folds_to(w, i, "us-ascii"))
			xml_fail(w, XML_ENCODING, w->spans[i].offset, 0);
		i++;
	}
	if (ok && is_attribute(w, i, "standalone")) {
		ok = value_folds_to(w, i, "yes") || value_folds_to(w, i, "no");
		i++;
	}
	if (!ok || i != w->n_spans)
		xml_fail(w, XML_SYNTAX, w->begin, 0);
}

/* -- states: start tags -- */

void xml_in_tag(struct xml_walker *w, uint8_t c)
{
	bool spaced = w->spaced;

	w->spaced = spaced || xml_blank(c);
	if (xml_blank(c))
		return;
	w->spaced = false;
	if (w->declaration ? c == '?' : c == '/') {
		w->state = ST_LAST;
	} else if (c == '>' && !w->declaration) {
		open_element(w);
	} else if (!xml_begins_name(c) || !spaced) {
		xml_fail_here(w, c);
	} else if (w->n_spans == XML_ATTRIBUTES_MAX) {
		xml_fail(w, XML_SIZE, w->offset, XML_ATTRIBUTES_MAX + 1);
	} else {
		w->n_spans++;
		*span(w) = (struct xml_span){ .name_at = (uint32_t)w->tag_n, .offset = w->offset };
		w->state = ST_NAME;
		xml_put_tag(w, c);
	}
}

void xml_in_element(struct xml_walker *w, uint8_t c)
{
	if (xml_continues_name(c) && w->tag_n < XML_NAME_MAX) {
		xml_put_tag(w, c);
		return;
	}
	if (xml_continues_name(c)) {
		xml_fail(w, XML_SIZE, w->begin, XML_NAME_MAX + 1);
		return;
	}
	w->element_n = w->tag_n;
	w->state = ST_TAG;
	xml_in_tag(w, c);
}

static void check_duplicate(struct xml_walker *w)
{
	unsigned last = w->n_spans - 1;

	for (unsigned i = 0; i < last; i++) {
		if (!bytes_equal(span_name(w, i), span_name(w, last)))
			continue;
		xml_fail(w, XML_DUPLICATE, w->spans[last].offset, 0);
		return;
	}
}

void xml_in_equals(struct xml_walker *w, uint8_t c)
{
	if (c == '=')
		w->state = ST_QUOTE;
	else if (!xml_blank(c))
		xml_fail_here(w, c);
}

void xml_in_name(struct xml_walker *w, uint8_t c)
{
	uint32_t n = (uint32_t)w->tag_n - span(w)->name_at;

	if (xml_continues_name(c) && n < XML_NAME_MAX) {
		xml_put_tag(w, c);
		return;
	}
	if (xml_continues_name(c)) {
		xml_fail(w, XML_SIZE, span(w)->offset, XML_NAME_MAX + 1);
		return;
	}
	span(w)->name_n = n;
	check_duplicate(w);
	w->state = ST_EQUALS;
	xml_in_equals(w, c);
}

void xml_in_quote(struct xml_walker *w, uint8_t c)
{
	if (xml_blank(c))
		return;
	if (c != '"' && c != '\'')
		xml_fail_here(w, c);
	w->quote = c;
	span(w)->value_at = (uint32_t)w->tag_n;
	w->state = ST_VALUE;
}

void xml_in_value(struct xml_walker *w, uint8_t c)
{
	if (c == w->quote) {
		span(w)->value_n = (uint32_t)w->tag_n - span(w)->value_at;
		w->state = ST_TAG;
	} else if (c == '<' || (c == '&' && w->declaration)) {
		xml_fail_here(w, c);
	} else if (c == '&') {
		w->state = ST_REFERENCE;
		w->back = ST_VALUE;
		w->reference_n = 0;
	} else {
		xml_put_tag(w, xml_blank(c) ? ' ' : c);
	}
}

void xml_in_last(struct xml_walker *w, uint8_t c)
{
	if (c != '>') {
		xml_fail_here(w, c);
		return;
	}
	if (w->declaration) {
		end_declaration(w);
		return;
	}
	open_element(w);
	if (!xml_over(w))
		close_element(w, w->begin);
}

/* -- states: end tags -- */

static bool matches_open(const struct xml_walker *w)
{
	size_t n = w->name_n[w->depth - 1];

	return bytes_equal(bytes_of(w->tag, w->tag_n), bytes_of(w->names + (w->names_n - n), n));
}

void xml_in_end(struct xml_walker *w, uint8_t c)
{
	if (c == '>')
		close_element(w, w->begin);
	else if (!xml_blank(c))
		xml_fail_here(w, c);
}

void xml_in_end_name(struct xml_walker *w, uint8_t c)
{
	if (xml_continues_name(c) && w->tag_n < XML_NAME_MAX) {
		xml_put_tag(w, c);
		return;
	}
	if (xml_continues_name(c) || !matches_open(w)) {
		xml_fail(w, XML_MISMATCHED, w->begin, 0);
		return;
	}
	w->state = ST_END;
	xml_in_end(w, c);
}

/* -- references: productions 66 to 68 -- */

static bool read_number(struct bytes digits, unsigned base, uint32_t *ret)
{
	uint32_t n = 0;

	for (size_t i = 0; i < digits.n; i++) {
		int digit = hex_digit(digits.at[i]);

		if (digit < 0 || (unsigned)digit >= base || n > 0x10FFFF)
			return false;
		n = n * base + (unsigned)digit; /* below 2^25 */
	}
	*ret = n;
	return digits.n > 0 && xml_is_character(n);
}

static bool read_reference(struct bytes r, uint32_t *ret)
{
	static const struct {
		const char *name;
		char c;
	} five[] = { { "lt", '<' }, { "gt", '>' }, { "amp", '&' }, { "quot", '"' }, { "apos", '\'' } };

	for (size_t i = 0; i < sizeof(five) / sizeof(five[0]); i++) {
		if (!bytes_equal(r, bytes_of_text(five[i].name)))
			continue;
		*ret = (uint8_t)five[i].c;
		return true;
	}
	return false;
}

static void end_reference(struct xml_walker *w)
{
	struct bytes r = bytes_of(w->reference, w->reference_n);
	bool number = r.n > 0 && r.at[0] == '#', hex = number && r.n > 1 && r.at[1] == 'x';
	size_t marks = hex ? 2 : 1;
	uint8_t spelled[4];
	uint32_t c;

	if (number && !read_number(bytes_of(r.at + marks, r.n - marks), hex ? 16 : 10, &c)) {
		xml_fail(w, XML_SYNTAX, w->offset, 0);
		return;
	}
	if (!number && !read_reference(r, &c)) {
		xml_fail(w, XML_ENTITY, w->offset - w->reference_n - 1, 0);
		return;
	}
	w->state = w->back;
	for (size_t i = 0, n = utf8_put(c, spelled); i < n; i++)
		if (w->back == ST_VALUE)
			xml_put_tag(w, spelled[i]);
		else
			xml_put_text(w, spelled[i], false);
}

void xml_in_reference(struct xml_walker *w, uint8_t c)
{
	bool number = w->reference_n > 0 && w->reference[0] == '#';

	if (c == ';') {
		end_reference(w);
	} else if (!xml_continues_name(c) && !(c == '#' && w->reference_n == 0)) {
		xml_fail_here(w, c);
	} else if (w->reference_n == XML_REFERENCE_MAX) {
		xml_fail(w, number ? XML_SYNTAX : XML_ENTITY, w->offset - w->reference_n - 1, 0);
	} else {
		w->reference[w->reference_n++] = c;
	}
}
