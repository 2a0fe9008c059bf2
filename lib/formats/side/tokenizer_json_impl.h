/* The parts of the reader of tokenizer.json: see tokenizer_json.h.  The text was found to be strict JSON, so a read that fails
 * has met memory's end; values of a type that has no place are told (tokenizer-structure) and stepped over. */
#pragma once

#include "json_header.h"
#include "regex_cost.h"
#include "scoped_names.h"
#include "tokenizer_json.h"

enum tokenizer_step { STEP_NORMALIZER, STEP_PRE_TOKENIZER, STEP_POST_PROCESSOR, STEP_DECODER };

struct tokenizer {
	struct json_header h;
	struct scoped_names names; /* of added tokens, and of a template's special tokens */
	struct regex *regex;
	unsigned n_regex, nested;
	uint8_t *scratch; /* one text, decoded */
	size_t scratch_n;
	bool is_one, failed;
	/* ids */
	uint64_t n_words, n_added, id_max, id_max_at;
	/* the model */
	uint64_t longest;      /* bytes of its longest word, those with escapes aside ... */
	uint64_t longest_most; /* ... of which none has more; 0 when they are in the above */
	uint64_t prefix_n;     /* bytes of continuing_subword_prefix */
	const uint8_t *words;  /* where the vocabulary begins; NULL */
	const uint8_t *merges; /* where they begin; NULL */
	bool merges_done;      /* by what is known of words and prefix now */
	bool unk_seen;
	uint64_t unk_id, unk_at;
	/* around it */
	uint64_t template_tokens; /* that post-processors add at most */
	bool stride_seen;
	uint64_t stride, stride_at, max_length;
};

/* -- reading: tokenizer_json_read.c -- */

typedef bool tokenizer_member_fn(struct tokenizer *t, const struct json_text *key);
typedef bool tokenizer_item_fn(struct tokenizer *t);

/* Each gets what is next when it is the value, to be read whole. */
bool tokenizer_object(struct tokenizer *t, tokenizer_member_fn *member);
bool tokenizer_array(struct tokenizer *t, tokenizer_item_fn *item);
bool tokenizer_skip(struct tokenizer *t);
/* A value of a wrong type: told, and passed. */
bool tokenizer_wrong(struct tokenizer *t, const char *allowed);
bool tokenizer_is(const struct json_text *key, const char *word);
/* Passes null: true. */
bool tokenizer_null(struct tokenizer *t);
/* The decoded text, valid until the next one is; .at NULL when the arena is spent. */
struct bytes tokenizer_decode(struct tokenizer *t, const struct json_text *text);
/* A whole number; anything above 2^64-1 is that.  *ret_any false: another value, told and passed. */
bool tokenizer_number(struct tokenizer *t, uint64_t *ret, bool *ret_any);
/* An id: asked for its range and counted.  *ret: TOKENIZER_ID_MAX + 1 when it is none. */
bool tokenizer_id(struct tokenizer *t, const struct json_text *key, uint64_t *ret);
void tokenizer_note_id(struct tokenizer *t, uint64_t id, uint64_t at);
/* A finding at a place of the text. */
void tokenizer_found(struct tokenizer *t, enum wlk_finding code, const uint8_t *at, const struct json_text *subject,
    struct value found, struct value allowed);

void tokenizer_unknown_type(struct tokenizer *t, const struct json_text *type);

static inline const uint8_t *tokenizer_here(struct tokenizer *t)
{
	json_space(&t->h.j);
	return t->h.j.p;
}

/* -- the parts -- */

bool tokenizer_read_model(struct tokenizer *t);
/* Normalizers, pre-tokenizers, decoders and what is done behind: one, or null. */
bool tokenizer_read_step(struct tokenizer *t, enum tokenizer_step step);
/* Where a post-processor's own keys have their values; NULL: nowhere. */
struct tokenizer_template {
	const uint8_t *single, *pair, *special;
};
bool tokenizer_read_template(struct tokenizer *t, const struct tokenizer_template *where);
