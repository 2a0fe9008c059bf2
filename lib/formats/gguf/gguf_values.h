/* Values of GGUF metadata as such: are numbers finite, booleans 0 or 1, texts UTF-8?  What a value means is the business
 * of gguf_metadata.c. */
#pragma once

#include "gguf_in.h"
#include "gguf_keys.h"

/* What was wrong with how many values of a key, and where the first of them is. */
struct gguf_fault {
	uint64_t n, at;
};

/* A key on its way through its value. */
struct gguf_kv {
	struct layout *l;
	struct bytes key; /* for findings: at most REPORT_STRING_MAX of it */
	uint64_t key_at, value_at;
	struct gguf_key_rule rule;
	bool is_array;
	enum gguf_value_type type; /* of an array: of its elements */
	bool lenient;              /* texts that may be raw bytes (note B) */
	size_t limit;              /* in the table of limits (gguf_limits.h) */
	uint64_t limit_prefix;
	bool not_understood; /* a chat template that nobody could read */
	struct gguf_fault utf8, nul, number;
};

void gguf_kv_begin(struct gguf_kv *kv, struct layout *l);

/* Findings whose subject is the key. */
void gguf_kv_finding(
    const struct gguf_kv *kv, enum wlk_finding code, uint64_t at, struct value found, struct value allowed);
void gguf_kv_at(const struct gguf_kv *kv, enum wlk_finding code, uint64_t at);

/* Whole numbers of kv->type; rule 16, and section 2 for floats. */
void gguf_check_numbers(struct gguf_kv *kv, const uint8_t *at, size_t n, uint64_t offset);
void gguf_numbers_end(const struct gguf_kv *kv);

/* Rule 15.  Return: WLK_DONE: *ret bytes of text follow, at most `most`; WLK_BROKEN, WLK_INCOMPLETE. */
enum wlk_status gguf_read_length(const struct gguf_kv *kv, struct gguf_in *in, uint64_t most, uint64_t *ret);

/**
 * gguf_read_text() - take n bytes, which are there; rule 17
 * @ret_head: the first GGUF_WINDOW of them, valid until the next is taken.
 * Return: false when the source failed.
 */
bool gguf_read_text(struct gguf_kv *kv, struct gguf_in *in, uint64_t n, struct bytes *ret_head);
void gguf_texts_end(const struct gguf_kv *kv);
