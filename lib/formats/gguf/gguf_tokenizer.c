/* The tokenizer's arrays: see gguf_tokenizer.h. */
#include "gguf_tokenizer.h"

#include "checked.h"

#define TYPE_BYTES 4u
#define TYPE_LEAST 1u /* normal, unknown, control, user defined, unused, byte */
#define TYPE_MOST 6u
#define TYPE_BYTE 6u

static bool bit_of(const uint8_t *bits, uint64_t i)
{
	return (bits[i / 8] >> i % 8 & 1) != 0;
}

static void set_bit(uint8_t *bits, uint64_t i)
{
	bits[i / 8] = (uint8_t)(bits[i / 8] | 1u << i % 8);
}

static uint8_t *new_bits(uint64_t n, struct arena *a)
{
	return arena_alloc(a, (size_t)(n / 8) + 1, 1);
}

bool gguf_tokens_begin(struct gguf_tokenizer *t, struct gguf_list list, struct arena *a)
{
	t->tokens = list;
	t->spelled = new_bits(list.n, a);
	return t->spelled != NULL;
}

bool gguf_types_begin(struct gguf_tokenizer *t, struct gguf_list list, struct arena *a)
{
	t->types = list;
	t->bytes = new_bits(list.n, a);
	return t->bytes != NULL;
}

static bool is_hex(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

void gguf_token(struct gguf_tokenizer *t, uint64_t i, struct bytes text)
{
	if (text.n == 6 && memcmp(text.at, "<0x", 3) == 0 && is_hex(text.at[3]) && is_hex(text.at[4]) &&
	    text.at[5] == '>')
		set_bit(t->spelled, i);
}

void gguf_types(struct gguf_tokenizer *t, uint64_t i, const uint8_t *at, size_t n, uint64_t offset)
{
	for (size_t k = 0; k < n; k++) {
		uint32_t type = load_u32le(at + k * TYPE_BYTES);

		if (type == TYPE_BYTE)
			set_bit(t->bytes, i + k);
		if ((type < TYPE_LEAST || type > TYPE_MOST) && t->odd_at == 0) {
			t->odd_type = type;
			t->odd_at = offset + k * TYPE_BYTES;
		}
	}
}

void gguf_token_id(struct gguf_tokenizer *t, struct bytes key, uint64_t id, uint64_t at)
{
	if (t->id_seen && id <= t->id_max)
		return;
	t->id_seen = true;
	t->id_max = id;
	t->id_at = at;
	t->id_key_n = (size_t)min_u64(key.n, sizeof(t->id_key));
	memcpy(t->id_key, key.at, t->id_key_n);
}

void gguf_merge_odd(struct gguf_tokenizer *t, uint64_t at)
{
	if (t->merges_odd++ == 0)
		t->merge_at = at;
}

/* -- when all is known -- */

static void mismatch(struct layout *l, struct bytes key, uint64_t at, uint64_t found, uint64_t allowed)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_GGUF_TOKENIZER_MISMATCH,
			      .has_offset = true,
			      .offset = at,
			      .subject = key,
			      .found = value_number(found),
			      .allowed = value_number(allowed) });
}

static void check_length(
    const struct gguf_tokenizer *t, struct layout *l, const struct gguf_list *list, const char *key)
{
	if (list->seen && list->n != t->tokens.n)
		mismatch(l, bytes_of_text(key), list->at, list->n, t->tokens.n);
}

/* The first byte token that is not spelled like one.  Return: false: there is none. */
static bool find_misspelt(const struct gguf_tokenizer *t, uint64_t *ret)
{
	uint64_t n = t->tokens.seen && t->types.seen ? min_u64(t->tokens.n, t->types.n) : 0;

	for (uint64_t i = 0; i < n; i++) {
		if (bit_of(t->bytes, i) && !bit_of(t->spelled, i)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* Go to entry i of the array of strings that begins at `at`, which was read before. */
static bool seek_string(struct gguf_in *in, uint64_t at, uint64_t i)
{
	uint64_t n;

	in->pos = at;
	gguf_in_forget(in);
	for (; i > 0; i--)
		if (!gguf_take_u64(in, &n) || !gguf_skip(in, n))
			return false;
	return true;
}

/* Rule 43. */
static enum wlk_status check_spelling(const struct gguf_tokenizer *t, struct layout *l, struct gguf_in *in)
{
	uint64_t back = in->pos, i;
	bool found;

	if (!find_misspelt(t, &i))
		return WLK_DONE;
	found = seek_string(in, t->tokens.at, i);
	if (found)
		layout_finding(l, &(struct finding){ .code = WLK_F_GGUF_TOKEN_BYTE_FORM,
				      .has_offset = true,
				      .offset = in->pos,
				      .subject = bytes_of_text("tokenizer.ggml.tokens"),
				      .found = value_number(i) });
	in->pos = back;
	gguf_in_forget(in);
	return found ? WLK_DONE : layout_stop(l);
}

enum wlk_status gguf_tokenizer_check(struct gguf_tokenizer *t, struct layout *l, struct gguf_in *in)
{
	check_length(t, l, &t->scores, "tokenizer.ggml.scores");
	check_length(t, l, &t->types, "tokenizer.ggml.token_type");
	if (t->odd_at > 0)
		mismatch(l, bytes_of_text("tokenizer.ggml.token_type"), t->odd_at, t->odd_type, TYPE_MOST);
	if (t->id_seen && t->tokens.seen && t->id_max >= t->tokens.n)
		mismatch(l, bytes_of(t->id_key, t->id_key_n), t->id_at, t->id_max, t->tokens.n);
	if (t->merges_odd > 0)
		layout_finding(l, &(struct finding){ .code = WLK_F_GGUF_MERGE_FORM,
				      .has_offset = true,
				      .offset = t->merge_at,
				      .subject = bytes_of_text("tokenizer.ggml.merges"),
				      .found = value_number(t->merges_odd) });
	return check_spelling(t, l, in);
}
