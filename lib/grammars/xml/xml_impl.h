/* What the parts of the tokenizer share: the places in the grammar, what every state needs, and a function for each state
 * that takes one byte. */
#pragma once

#include "xml.h"

enum state {
	ST_START,   /* nothing but a byte order mark may have come */
	ST_MISC,    /* outside of the root element */
	ST_CONTENT, /* within */
	ST_LESS,    /* behind < */
	ST_BANG,    /* behind <! */
	ST_KEYWORD, /* within <!--, <![CDATA[, <!DOCTYPE */
	ST_COMMENT,
	ST_TARGET, /* behind <? */
	ST_INSTRUCTION,
	ST_ELEMENT, /* the name of a start tag */
	ST_TAG,     /* between its attributes */
	ST_NAME,    /* of an attribute */
	ST_EQUALS,
	ST_QUOTE,
	ST_VALUE,
	ST_LAST, /* behind what must be followed by > */
	ST_END_NAME,
	ST_END, /* blanks behind it */
	ST_REFERENCE,
	ST_CDATA,
	ST_DOCTYPE,
	ST_SUBSET,
	N_STATES
};

/* -- errors -- */

static inline bool xml_over(const struct xml_walker *w)
{
	return w->stopped || w->broken || w->no_memory;
}

static inline void xml_fail(struct xml_walker *w, enum xml_error e, uint64_t offset, uint64_t found)
{
	if (xml_over(w))
		return;
	w->broken = true;
	w->handler->error(w->handler->ctx, e, offset, found);
}

static inline void xml_fail_here(struct xml_walker *w, uint8_t c)
{
	xml_fail(w, XML_SYNTAX, w->offset, c);
}

/* -- characters -- */

static inline bool xml_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Beyond ASCII all are taken: no format has names with them, and nothing is told apart by their class. */
static inline bool xml_begins_name(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c >= 0x80;
}

static inline bool xml_continues_name(uint8_t c)
{
	return xml_begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* XML 1.0, production 2. */
static inline bool xml_is_character(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xD800) || (c >= 0xE000 && c < 0xFFFE) ||
	       (c >= 0x10000 && c <= 0x10FFFF);
}

/* -- text, and the tag that is being read -- */

void xml_flush_text(struct xml_walker *w);
void xml_put_text(struct xml_walker *w, uint8_t c, bool cdata);
void xml_put_tag(struct xml_walker *w, uint8_t c);
void xml_begin_tag(struct xml_walker *w, enum state state);
static inline struct bytes xml_tag_name(const struct xml_walker *w)
{
	return bytes_of(w->tag, w->element_n);
}

/* -- the states -- */

/* The document type ends here, or the document in it. */
void xml_end_doctype(struct xml_walker *w);

void xml_in_misc(struct xml_walker *w, uint8_t c);
void xml_in_start(struct xml_walker *w, uint8_t c);
void xml_in_content(struct xml_walker *w, uint8_t c);
void xml_in_less(struct xml_walker *w, uint8_t c);
void xml_in_bang(struct xml_walker *w, uint8_t c);
void xml_in_keyword(struct xml_walker *w, uint8_t c);
void xml_in_comment(struct xml_walker *w, uint8_t c);
void xml_in_cdata(struct xml_walker *w, uint8_t c);
void xml_in_target(struct xml_walker *w, uint8_t c);
void xml_in_instruction(struct xml_walker *w, uint8_t c);
void xml_in_tag(struct xml_walker *w, uint8_t c);
void xml_in_element(struct xml_walker *w, uint8_t c);
void xml_in_equals(struct xml_walker *w, uint8_t c);
void xml_in_name(struct xml_walker *w, uint8_t c);
void xml_in_quote(struct xml_walker *w, uint8_t c);
void xml_in_value(struct xml_walker *w, uint8_t c);
void xml_in_last(struct xml_walker *w, uint8_t c);
void xml_in_end(struct xml_walker *w, uint8_t c);
void xml_in_end_name(struct xml_walker *w, uint8_t c);
void xml_in_reference(struct xml_walker *w, uint8_t c);
void xml_in_doctype(struct xml_walker *w, uint8_t c);
void xml_in_subset(struct xml_walker *w, uint8_t c);
