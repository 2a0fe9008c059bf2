/* The fast way through a header: entries spelled as the reference library writes them, which nearly all are.
 *
 * It takes a subset of what safetensors_header.c takes without a finding, and means the same by it.  So it has nothing
 * to report: whatever is unusual or wrong is left where it stands, for the reader that knows all the rules. */
#pragma once

#include "dtype.h"
#include "json_text.h"

/* The type of the entry before: most headers spell one type a million times.  Zeroed: none. */
struct canonical_type {
	uint64_t word, mask; /* the name and the quote behind it, as eight bytes are loaded; which of them count */
	unsigned n;          /* how many count */
	unsigned bits;       /* of an element */
	enum wlk_dtype dtype;
};

struct canonical_entry {
	struct json_text name; /* plain, 1 to SAFETENSORS_NAME_MAX bytes, neither ".." nor "__metadata__" */
	uint64_t begin, end;   /* relative to the buffer; exactly the bytes of shape and type */
	enum wlk_dtype dtype;
};

/**
 * canonical_entry() - the next entry, if it is spelled `"NAME":{"dtype":"T","shape":[..],"data_offsets":[b,e]}`
 * Strict in every token: no whitespace, no escape, no other order or field, no zero dimension, no overflow, no range
 * that differs from shape and type.
 * @j: at the entry's quote; the text is known to be UTF-8.  Moved behind the closing brace, or not at all.
 * Return: false when the entry is anything else, which says nothing about it.  Costs at most one look at each byte.
 */
bool canonical_entry(struct json *j, struct canonical_type *type, struct canonical_entry *ret);
