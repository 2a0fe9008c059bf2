/* What formats begin with: one table for all that this program can name, in the order of formats/others, section 4. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "formats.h"

/* A signature: bytes at an offset, and where they are few or common a predicate that has to hold as well. */
struct sign {
	enum wlk_format_id id;
	uint16_t at;
	uint8_t n;
	const char *magic;
	/* @head: the first bytes; @size: of the file, UINT64_MAX when unknown.  NULL: the bytes are enough. */
	bool (*also)(struct bytes head, uint64_t size);
};

/**
 * identify_sign() - which format that has no reader does this begin as?
 * @head: the first bytes of the file, 4 KiB of them or all there are.
 * Constant time in the length of the file; looks at nothing but @head.
 * Return: NULL: none.  Static storage.
 */
const struct sign *identify_sign(struct bytes head, uint64_t size);

/* Does it begin as this one? */
bool identify_sign_is(enum wlk_format_id id, struct bytes head, uint64_t size);

/**
 * identify_reason() - by what is a format known, for people to read
 * Return: the signature of @id that @head begins with, also of formats with a reader; NULL when the format is known
 * by its structure (a walk) and not by a signature.
 */
const struct sign *identify_reason(enum wlk_format_id id, struct bytes head, uint64_t size);
