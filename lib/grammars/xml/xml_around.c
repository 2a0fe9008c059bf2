/* XML: what stands between tags - text, comments, sections, instructions, the document type.  See xml.h. */
#include "xml_impl.h"

/* -- states: between tags -- */

void xml_in_misc(struct xml_walker *w, uint8_t c)
{
	w->begin = w->offset;
	if (c == '<')
		w->state = ST_LESS;
	else if (!xml_blank(c))
		xml_fail(w, w->root_seen ? XML_TRAILING : XML_SYNTAX, w->offset, c);
}

/* RFC 3629, section 6. */
void xml_in_start(struct xml_walker *w, uint8_t c)
{
	static const uint8_t mark[] = { 0xEF, 0xBB, 0xBF };

	if (w->offset < sizeof(mark) && c == mark[w->offset]) {
		if (w->offset == sizeof(mark) - 1) {
			w->start = sizeof(mark);
			w->state = ST_MISC;
		}
		return;
	}
	w->state = ST_MISC;
	if (w->offset > 0)
		xml_fail_here(w, c);
	else
		xml_in_misc(w, c);
}

/* `]]>` does not stand in text (production 14). */
void xml_in_content(struct xml_walker *w, uint8_t c)
{
	if (c == '<' || c == '&') {
		if (c == '<')
			xml_flush_text(w);
		w->begin = w->offset;
		w->state = c == '<' ? ST_LESS : ST_REFERENCE;
		w->back = ST_CONTENT;
		w->reference_n = 0;
		w->run = 0;
		return;
	}
	if (c == '>' && w->run == 2) {
		xml_fail_here(w, c);
		return;
	}
	w->run = c != ']' ? 0 : w->run < 2 ? w->run + 1 : 2;
	xml_put_text(w, c, false);
}

void xml_in_less(struct xml_walker *w, uint8_t c)
{
	xml_begin_tag(w, ST_ELEMENT);
	if (c == '!') {
		w->state = ST_BANG;
	} else if (c == '?') {
		w->state = ST_TARGET;
	} else if (c == '/' && w->depth > 0) {
		w->state = ST_END_NAME;
	} else if (!xml_begins_name(c)) {
		xml_fail_here(w, c);
	} else if (w->depth == 0 && w->root_seen) {
		xml_fail(w, XML_TRAILING, w->begin, c);
	} else {
		xml_put_tag(w, c);
	}
}

void xml_in_bang(struct xml_walker *w, uint8_t c)
{
	w->run = 0;
	w->state = ST_KEYWORD;
	if (c == '-')
		w->keyword = "-";
	else if (c == '[' && w->depth > 0)
		w->keyword = "CDATA[";
	else if (c == 'D' && !w->root_seen && !w->doctype_seen)
		w->keyword = "OCTYPE";
	else
		xml_fail_here(w, c);
}

void xml_in_keyword(struct xml_walker *w, uint8_t c)
{
	if (c != (uint8_t)w->keyword[w->run]) {
		xml_fail_here(w, c);
		return;
	}
	if (w->keyword[++w->run] != '\0')
		return;
	w->state = w->keyword[0] == '-' ? ST_COMMENT : w->keyword[0] == 'C' ? ST_CDATA : ST_DOCTYPE;
	w->run = 0;
	w->doctype = (struct xml_doctype){ .offset = w->begin };
	w->window = 0;
	w->shown_n = 0;
	w->quote = 0;
	w->spaced = false;
}

/* No `--` within, and not `<!-->` or `<!--->`: browsers end a comment there and read on in what is none to others. */
void xml_in_comment(struct xml_walker *w, uint8_t c)
{
	uint64_t from = w->begin + 4;

	if (w->run == 2 || (c == '>' && w->offset - w->run == from)) {
		if (c != '>' || w->offset - 2 <= from - 1)
			xml_fail_here(w, c);
		w->state = w->depth > 0 ? ST_CONTENT : ST_MISC;
		w->run = 0;
		return;
	}
	w->run = c == '-' ? w->run + 1 : 0;
}

void xml_in_cdata(struct xml_walker *w, uint8_t c)
{
	if (c == ']') {
		if (w->run == 2)
			xml_put_text(w, c, true);
		w->run = w->run < 2 ? w->run + 1 : 2;
		return;
	}
	if (c == '>' && w->run == 2) {
		xml_flush_text(w);
		w->state = ST_CONTENT;
		w->run = 0;
		return;
	}
	for (; w->run > 0; w->run--)
		xml_put_text(w, ']', true);
	xml_put_text(w, c, true);
}

/* -- states: processing instructions -- */

/* XML keeps the name for its declaration, in any case of letters. */
static bool is_reserved(struct bytes target)
{
	return target.n == 3 && (target.at[0] | 0x20) == 'x' && (target.at[1] | 0x20) == 'm' &&
	       (target.at[2] | 0x20) == 'l';
}

static void begin_instruction(struct xml_walker *w)
{
	w->element_n = w->tag_n;
	w->state = ST_INSTRUCTION;
	w->run = 0;
	if (is_reserved(xml_tag_name(w))) {
		w->declaration = w->begin == w->start && bytes_equal(xml_tag_name(w), bytes_of_text("xml"));
		w->state = ST_TAG;
		w->n_spans = 0;
		w->spaced = true;
		if (!w->declaration)
			xml_fail(w, XML_SYNTAX, w->begin, 0);
	} else if (!w->handler->instruction(w->handler->ctx, xml_tag_name(w), w->begin)) {
		w->stopped = true;
	}
}

void xml_in_target(struct xml_walker *w, uint8_t c)
{
	bool more = w->tag_n == 0 ? xml_begins_name(c) : xml_continues_name(c);

	if (more && w->tag_n < XML_NAME_MAX) {
		xml_put_tag(w, c);
		return;
	}
	if (more || w->tag_n == 0 || (!xml_blank(c) && c != '?')) {
		xml_fail_here(w, c);
		return;
	}
	begin_instruction(w);
	if (c == '?')
		w->run = 1;
	if (c == '?' && w->declaration)
		xml_fail_here(w, c);
}

/* What it holds is for others; it may not hide a tag from those who read it as a comment up to the next >. */
void xml_in_instruction(struct xml_walker *w, uint8_t c)
{
	if (c == '>' && w->run == 1)
		w->state = w->depth > 0 ? ST_CONTENT : ST_MISC;
	else if (c == '<' || c == '>')
		xml_fail_here(w, c);
	w->run = c == '?';
}

/* -- the document type -- */

/* What it declares is not read: behind it nobody knows what references mean, and the walk ends. */
void xml_end_doctype(struct xml_walker *w)
{
	w->doctype_seen = true;
	w->doctype.text = bytes_of(w->shown, w->shown_n);
	w->state = ST_MISC;
	if (!w->handler->doctype(w->handler->ctx, &w->doctype))
		w->stopped = true;
	w->broken = w->broken || w->doctype.subset;
}

static void show_doctype(struct xml_walker *w, uint8_t c)
{
	if (w->shown_n < sizeof(w->shown))
		w->shown[w->shown_n++] = c;
	else
		w->doctype.cut = true;
}

void xml_in_doctype(struct xml_walker *w, uint8_t c)
{
	if (!w->spaced && !xml_blank(c)) {
		xml_fail_here(w, c);
		return;
	}
	w->spaced = true;
	if (w->quote != 0) {
		w->quote = c == w->quote ? 0 : w->quote;
	} else if (c == '[') {
		w->state = ST_SUBSET;
		return;
	} else if (c == '>') {
		xml_end_doctype(w);
		return;
	} else if (c == '"' || c == '\'') {
		w->quote = c;
	} else if (c == '<') {
		xml_fail_here(w, c);
		return;
	}
	show_doctype(w, c);
}

/* Only to say whether an entity is declared in it: to its end or that of the document, wherever that may be. */
void xml_in_subset(struct xml_walker *w, uint8_t c)
{
	static const uint8_t entity[] = { '<', '!', 'E', 'N', 'T', 'I', 'T', 'Y' };
	uint64_t wanted = 0;

	if (!w->doctype.subset && (c == ']' || xml_blank(c))) {
		w->state = c == ']' ? ST_DOCTYPE : ST_SUBSET; /* there is nothing in it */
		return;
	}
	w->doctype.subset = true;
	for (size_t i = 0; i < sizeof(entity); i++)
		wanted = wanted << 8 | entity[i];
	w->window = w->window << 8 | c;
	w->doctype.entity = w->window == wanted;
	if (w->doctype.entity || (c == '>' && (w->window >> 8 & 0xff) == ']'))
		xml_end_doctype(w);
}
