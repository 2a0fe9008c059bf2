/* What readers of XML share: a file or member through the tokenizer, and its errors under their codes. */
#pragma once

#include "format.h"
#include "xml.h"

/* Bytes of a document (formats/others, OpenVINO IR). */
#define XML_BYTES_MAX ((uint64_t)256 << 20)

/* What a format does with a document, beside what all of them refuse. */
struct xml_reader {
	struct layout *l;
	void *ctx; /* of the format; the functions below get it */
	bool (*open)(void *ctx, const struct xml_tag *tag);
	bool (*close)(void *ctx, unsigned depth, uint64_t offset);                         /* NULL: nothing */
	bool (*text)(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata); /* NULL: nothing */
	bool (*takes_doctype)(void *ctx, const struct xml_doctype *d);                     /* NULL: none is */
	bool
	    lenient; /* a side file: what is no XML is not understood, instead of refused (formats/others, Decisions 3) */
	/* Written by xml_read(): something was not understood; the reader sets it too. */
	bool unknown;
};

/**
 * xml_read() - go through a document
 * @s: its decoded bytes; s->size is learned where it is unknown.  The extents of r->l become one, over all of it.
 * Return: WLK_DONE when it is a document and nothing in it is unknown; WLK_BROKEN, of which a finding has told why;
 * WLK_INCOMPLETE.
 */
enum wlk_status xml_read(struct xml_reader *r, struct stream *s);

/* A file as such a stream. */
struct stream xml_stream(const struct layout *l);

/* -- texts and attributes -- */

static inline uint8_t xml_fold(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* Does the text hold these words, in any case of letters?  @word: in lower case. */
bool xml_holds(struct bytes text, const char *word);
/* Does it hold one of several?  In one go. */
bool xml_holds_any(struct bytes text, const char *const *words, size_t n);
/* Is it that, in any case of letters? */
bool xml_is(struct bytes text, const char *word);
/* Does it begin with that? */
bool xml_begins(struct bytes text, const char *word);
bool xml_is_blank(struct bytes text);
/* Behind the last colon: a name without its prefix. */
struct bytes xml_local(struct bytes name);
/* Decimal digits without a leading zero, below 2^63, and nothing else. */
bool xml_number(struct bytes text, uint64_t *ret);

/* Is it one of these, which are sorted? */
bool xml_listed(const char *const *words, size_t n, struct bytes word);

/* Words across pieces of text. */
#define XML_CARRY 32u
struct xml_words {
	uint8_t at[XML_CARRY + XML_TEXT_KEPT];
	size_t kept;
};
/* The last bytes of the text so far and this piece, at most XML_TEXT_KEPT bytes; words are no longer than XML_CARRY. */
struct bytes xml_words_join(struct xml_words *w, const uint8_t *at, size_t n);
