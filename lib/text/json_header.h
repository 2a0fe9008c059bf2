/* What readers of JSON headers share: findings about the text, tensors named by its strings, keys given twice. */
#pragma once

#include "format.h"
#include "json_text.h"
#include "names.h"

/* A header being read.  Readers have one in a reader of their own. */
struct json_header {
	struct json j;
	struct layout *l;
	uint64_t at;  /* of j.base, in the part */
	bool stopped; /* by something that is reported already, j.err being JSON_OK */
};

/* Offsets in the part: of the next byte, and of a string's first character. */
static inline uint64_t header_here(const struct json_header *h)
{
	return h->at + json_at(&h->j);
}

static inline uint64_t header_text_at(const struct json_header *h, const struct json_text *t)
{
	return h->at + (uint64_t)(t->raw.at - h->j.base);
}

/* -- findings -- */

/* "Nothing found" and "nothing allowed". */
extern const struct value value_nothing;

static inline struct value value_words(const char *text)
{
	return value_text(bytes_of_text(text));
}

/* A string's text, as much of it as there is room for. */
static inline struct bytes header_decode(const struct json_text *t, uint8_t *buf, size_t n)
{
	struct bytes rest = t->raw;

	return bytes_of(buf, json_decode(&rest, buf, n));
}

/* @subject: a name; printed decoded.  A header can raise millions of findings of which a hundred are listed: what is only
 * counted builds nothing. */
void header_fault(struct json_header *h, enum wlk_finding code, uint64_t at, const struct json_text *subject,
    struct value found, struct value allowed);

/* As header_fault(), with what was found as text of the header, at its place. */
void header_fault_text(
    struct json_header *h, enum wlk_finding code, const struct json_text *subject, const struct json_text *found);

/**
 * header_skip_wrong() - a value of a type that has no place here: say so and step over it
 * @allowed: the type that has. @depth: as json_skip() takes it.
 * Return: false when there is no value at all.
 */
bool header_skip_wrong(
    struct json_header *h, enum wlk_finding code, const struct json_text *subject, const char *allowed, unsigned depth);

/* -- tensors -- */

/**
 * header_add_tensor() - one more extent, of no bytes and no type yet
 * While the header is read, the index of an extent is its position and need not be kept: the hash of its name, taken
 * when the name is at hand, is kept in that place until header_number_tensors().
 * @name: in the header, which lies in the first 4 GiB of the part; h->l->extents->names covers the part from its offset
 * 0 to the header's end.
 * Return: NULL when the arena is spent.
 */
static inline struct extent *header_add_tensor(struct json_header *h, const struct json_text *name)
{
	struct extent *x = extents_add(h->l->extents);

	if (x == NULL)
		return NULL;
	x->kind = EXTENT_TENSOR;
	x->index = names_hash(name, &h->l->seed);
	x->name_at = (uint32_t)header_text_at(h, name);
	x->name_n = (uint32_t)name->raw.n;
	x->spare = name->escaped;
	return x;
}

/* The name as it stands in the header, of an extent that header_add_tensor() made. */
static inline struct json_text header_tensor_text(const struct extents *x, const struct extent *e)
{
	return (struct json_text){ .raw = bytes_of(x->names.at + e->name_at, e->name_n), .escaped = e->spare != 0 };
}

/* The name decoded; an extent_name_fn. */
size_t header_tensor_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n);

/* Names of tensors given twice: @twice gets @ctx and the numbers of both, as in names.h.  Return: false when the arena is
 * spent. */
bool header_check_tensors(
    const struct json_header *h, void *ctx, void (*twice)(void *ctx, uint32_t i, uint32_t earlier));

/* Every extent's place in the header; once header_check_tensors() is done. */
void header_number_tensors(struct extents *x);

/* -- keys -- */

/* A key, kept to compare it with the others of its object. */
struct header_key {
	uint32_t at, n; /* from the header's first byte */
	bool escaped;
};

/* Those of one object after the other: n is reset, the memory kept.  Zeroed: empty. */
struct header_keys {
	struct header_key *list; /* arena_release() */
	size_t n, capacity;
};

/* Return: false when the arena is spent. */
bool header_keys_add(struct json_header *h, struct header_keys *keys, const struct json_text *key);

/* Report each key that an earlier one equals as @code, with itself as the subject.  Return: false when the arena is
 * spent. */
bool header_keys_check(struct json_header *h, const struct header_keys *keys, enum wlk_finding code);
