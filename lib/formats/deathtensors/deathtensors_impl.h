/* What the parts of the deathtensors header reader share: deathtensors_header.c reads the top and the metadata,
 * deathtensors_tensors.c the tensors. */
#pragma once

#include "deathtensors.h"
#include "deathtensors_header.h"
#include "json_header.h"

/* Brackets open around a value at this place, as json_skip() counts them: from so high that only
 * DEATHTENSORS_DEPTH_MAX are left. */
#define DEPTH(n) (JSON_DEPTH_MAX - DEATHTENSORS_DEPTH_MAX + (n))
#define DEPTH_TOP DEPTH(1u)     /* the header's object */
#define DEPTH_TENSORS DEPTH(2u) /* tensors, or global_metadata */
#define DEPTH_FIELD DEPTH(3u)   /* an entry */
#define DEPTH_ITEM DEPTH(4u)    /* a list in an entry, or its metadata */

enum dt_key {
	KEY_FORMAT,
	KEY_VERSION,
	KEY_TENSORS,
	N_KEYS_REQUIRED,
	KEY_CREATED_BY = N_KEYS_REQUIRED,
	KEY_METADATA,
	N_KEYS,
	KEY_UNKNOWN = N_KEYS
};

struct dt_reader {
	struct json_header h;
	struct deathtensors_header *out;
	uint32_t version;
	uint64_t data_at;
	bool seen[N_KEYS];
	struct header_keys keys;               /* of the metadata object at hand */
	uint64_t shape[DEATHTENSORS_RANK_MAX]; /* of the entry at hand; what has room */
	uint64_t last_begin;                   /* of the last entry with bytes */
	bool unordered;
};

/* Which of the words it is; n when it is none. */
unsigned dt_word_index(const struct json_text *t, const char *const *words, unsigned n);

/**
 * dt_has_type() - is the next value of the type that begins with this byte?
 * @type: its name.  A value of another type is reported as @code, about @subject, and stepped over.
 * Return: false when there is no value at all; then the JSON is at its end, and *ret_ok false.
 */
bool dt_has_type(struct dt_reader *r, enum wlk_finding code, const struct json_text *subject, uint8_t first,
    const char *type, unsigned depth, bool *ret_ok);

/* A map of strings to strings.  Return: false when the reading ends. */
bool dt_read_metadata(struct dt_reader *r, const struct json_text *subject, unsigned depth);

/**
 * dt_read_integer() - a number that is an integer of the format
 * @code: what it is when it is no number.  *ret_usable: *ret is one that the format allows.
 * Return: false when the reading ends.
 */
bool dt_read_integer(
    struct dt_reader *r, const struct json_text *subject, enum wlk_finding code, uint64_t *ret, bool *ret_usable);

/* The value of `tensors`, its key at hand.  Return: false when the reading ends. */
bool dt_read_tensors(struct dt_reader *r, const struct json_text *key);

/* Names given twice; once all tensors are read.  Return: false when the arena is spent. */
bool dt_check_tensors(struct dt_reader *r);
