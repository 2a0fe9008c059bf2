/* Do the arrays of a tokenizer fit each other?  They come in any order, each goes by once, and none is kept: of a million
 * tokens two bits each are.  Rules 42 and 43 of docs/formats/gguf.md. */
#pragma once

#include "gguf_in.h"

#define GGUF_TOKEN_BYTES_MAX 65535u /* CVE-2025-49847: loaders keep the length of a token's text in few bits */
#define GGUF_ID_KEY_MAX 64u

struct gguf_list {
	bool seen;
	uint64_t n, at; /* entries, and where the first begins */
};

struct gguf_tokenizer {
	struct gguf_list tokens, scores, types;
	uint8_t *spelled; /* bit i: token i is spelled <0xHH> */
	uint8_t *bytes;   /* bit i: token i is a byte, its type says */
	bool id_seen;
	uint64_t id_max, id_at; /* the largest id of a special token, whose key it is and where it stands */
	uint8_t id_key[GGUF_ID_KEY_MAX];
	size_t id_key_n;
	uint64_t merges_odd, merge_at; /* how many are not two texts and a blank, and where the first is */
	uint64_t odd_type, odd_at;     /* the first type that is not defined; odd_at 0: none */
};

/* Each list begins once with its length, at most 2^24.  Return: false when the arena is spent. */
bool gguf_tokens_begin(struct gguf_tokenizer *t, struct gguf_list list, struct arena *a);
void gguf_token(struct gguf_tokenizer *t, uint64_t i, struct bytes text);
bool gguf_types_begin(struct gguf_tokenizer *t, struct gguf_list list, struct arena *a);
/* n types from the i-th on; @offset: of at[0]. */
void gguf_types(struct gguf_tokenizer *t, uint64_t i, const uint8_t *at, size_t n, uint64_t offset);
void gguf_token_id(struct gguf_tokenizer *t, struct bytes key, uint64_t id, uint64_t at);

void gguf_merge_odd(struct gguf_tokenizer *t, uint64_t at);

/**
 * gguf_tokenizer_check() - when all keys have gone by
 * @in: goes back to the tokens to say where one of them is.
 * Return: WLK_DONE, also with findings; WLK_INCOMPLETE.
 */
enum wlk_status gguf_tokenizer_check(struct gguf_tokenizer *t, struct layout *l, struct gguf_in *in);
