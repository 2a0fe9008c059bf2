/* XML, read as strictly as its text allows: a push tokenizer with an explicit stack and bounded memory.  Follows XML 1.0,
 * fifth edition, and formats/xml.
 *
 * It reads UTF-8 and nothing else, knows the five entities and characters by number, and reads no document type: where one
 * stands it says so, and the handler decides whether to go on behind it.  Nothing is ever fetched or expanded.  It knows no
 * format: errors are numbers, and who calls it gives them codes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "utf8.h"

#define XML_DEPTH_MAX 64u              /* elements in each other (formats/others, OpenVINO IR) */
#define XML_NAME_MAX 255u              /* bytes of a name */
#define XML_ATTRIBUTES_MAX 64u         /* of an element: each is compared with all before it */
#define XML_TAG_MAX ((size_t)1 << 20)  /* bytes of the names and values of one tag */
#define XML_DOCTYPE_KEPT ((size_t)512) /* bytes of a document type that are shown */
#define XML_REFERENCE_MAX 10u /* bytes of the longest reference: &#1114111; without its marks, and leading zeros */
#define XML_TEXT_KEPT ((size_t)512) /* bytes of a piece of text */

enum xml_error {
	XML_SYNTAX,     /* not well formed; found: the byte, 0 at the end */
	XML_ENCODING,   /* not UTF-8, a character that XML does not have, or a declaration of another encoding */
	XML_ENTITY,     /* a reference to an entity beyond the five */
	XML_DEPTH,      /* found: how deep */
	XML_SIZE,       /* a name, a tag or a list of attributes beyond the bounds above; found: bytes or attributes */
	XML_DUPLICATE,  /* an attribute is given twice */
	XML_MISMATCHED, /* an end tag of another name than the element that is open */
	XML_TRAILING,   /* something behind the root element */
	XML_TRUNCATED,  /* the document ends within */
	XML_N_ERRORS
};

struct xml_attribute {
	struct bytes name;
	struct bytes value; /* decoded; line ends and tabs are blanks */
	uint64_t offset;    /* of the name */
};

/* Views are valid during the call. */
struct xml_tag {
	struct bytes name;
	uint64_t offset; /* of its < */
	unsigned depth;  /* elements around it; 0: the root */
	const struct xml_attribute *attributes;
	unsigned n_attributes;
};

/* <!DOCTYPE ...>: what stands between its name and an internal subset, or its end. */
struct xml_doctype {
	uint64_t offset;
	struct bytes text; /* the first XML_DOCTYPE_KEPT bytes behind <!DOCTYPE */
	bool cut;          /* it was longer */
	bool subset;       /* declarations of its own */
	bool entity;       /* among them one of an entity */
};

/**
 * What the caller is told.  A function that returns false ends the walk (xml_walker.stopped).  All but text() have to be
 * there; error() is told once, and the walk ends.
 */
struct xml_handler {
	void *ctx;
	bool (*open)(void *ctx, const struct xml_tag *tag);
	/* The element that stands at @depth ends. */
	bool (*close)(void *ctx, unsigned depth, uint64_t offset);
	/* Decoded characters within the root element, in pieces of any length.  @cdata: out of a CDATA section. */
	bool (*text)(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata);
	bool (*doctype)(void *ctx, const struct xml_doctype *d);
	/* A processing instruction; the declaration at the beginning is none.  @target: its name. */
	bool (*instruction)(void *ctx, struct bytes target, uint64_t offset);
	void (*error)(void *ctx, enum xml_error e, uint64_t offset, uint64_t found);
};

/* Where a name or value stands in the buffer of the tag: the buffer moves as it grows. */
struct xml_span {
	uint32_t name_at, name_n, value_at, value_n;
	uint64_t offset;
};

/* Private but for `stopped`, `broken`, `no_memory`, `foreign` and `offset`. */
struct xml_walker {
	const struct xml_handler *handler;
	struct arena *arena;
	bool stopped;   /* by the handler */
	bool broken;    /* by an error, or by a document type with declarations, which was told */
	bool no_memory; /* the arena is spent */
	/* It declares an encoding of single bytes that ASCII is part of: such a document is read as if it were ASCII, and bytes
	 * above that say nothing. */
	bool foreign;
	bool letters; /* bytes above ASCII have been seen */
	uint64_t foreign_at;
	uint64_t offset;
	uint64_t start; /* of the document: behind a byte order mark */
	struct utf8_stream utf8;
	uint8_t last[2]; /* the bytes before this one: a character that XML does not have shows in its third */
	uint8_t state;
	uint64_t begin;      /* of the tag, section or reference that is open */
	uint8_t quote;       /* what ends the value */
	uint8_t run;         /* so many bytes of a keyword or end mark have come */
	const char *keyword; /* that has to come */
	bool root_seen, doctype_seen;
	/* open elements, their names one behind the other */
	unsigned depth;
	uint16_t name_n[XML_DEPTH_MAX];
	size_t names_n;
	uint8_t names[XML_DEPTH_MAX * XML_NAME_MAX];
	/* the tag that is being read: the element's name, then names and values of attributes */
	uint8_t *tag;
	size_t tag_n, tag_capacity, element_n;
	bool declaration; /* it is that of XML itself */
	bool spaced;      /* a blank stands before what comes */
	unsigned n_spans;
	struct xml_span spans[XML_ATTRIBUTES_MAX];
	struct xml_attribute attributes[XML_ATTRIBUTES_MAX];
	/* a reference */
	uint8_t back; /* the state behind it */
	unsigned reference_n;
	uint8_t reference[XML_REFERENCE_MAX];
	/* the document type */
	struct xml_doctype doctype;
	uint64_t window; /* its last eight bytes */
	size_t shown_n;
	uint8_t shown[XML_DOCTYPE_KEPT];
	/* text to be handed on */
	uint64_t text_at;
	bool cdata;
	size_t text_n;
	uint8_t text[XML_TEXT_KEPT];
};

/* @h, @a: borrowed; the arena gives at most twice XML_TAG_MAX.  The walker is the caller's memory (25 KiB). */
void xml_begin(struct xml_walker *w, struct arena *a, const struct xml_handler *h);

/* A feed_fn (lib/core/part.h) with the walker as its ctx: it wants every byte. */
uint64_t xml_feed(void *walker, const uint8_t *at, size_t n, uint64_t offset);

/* After the last feed.  Return: true when all of it was one document; false after an error (which was told), when the
 * handler stopped, or when memory was spent. */
bool xml_finish(struct xml_walker *w);

/* The attribute of this name; NULL when there is none. */
const struct xml_attribute *xml_find(const struct xml_tag *tag, const char *name);
