/* The model of a tokenizer: its vocabulary, and the merges of BPE.  Follows formats/configs, section 4.1.
 *
 * The loader joins both parts of a merge in a buffer as long as the longest word, and leaves out as many bytes of the second
 * as the prefix has: an unsigned subtraction, a slice, and text that nobody asks whether it is UTF-8 (tokenizers,
 * models/bpe/model.rs, BpeBuilder::build). */
#include "tokenizer_json_impl.h"

#define WORD_CHARACTERS_MAX (UINT64_C(1) << 20) /* max_input_chars_per_word; 100 is usual */

/* -- the vocabulary -- */

static uint64_t decoded_bytes(struct tokenizer *t, const struct json_text *text)
{
	return text->escaped ? tokenizer_decode(t, text).n : text->raw.n;
}

/* What has escapes is decoded only if a merge asks for it (longest_word()). */
static void note_word(struct tokenizer *t, const struct json_text *word)
{
	uint64_t *longest = word->escaped ? &t->longest_most : &t->longest;

	*longest = word->raw.n > *longest ? word->raw.n : *longest;
	t->n_words++;
}

/* word: id, half a million times. */
static bool read_words(struct tokenizer *t)
{
	struct json *j = &t->h.j;
	struct json_text word;
	uint64_t id;
	bool more;

	j->p++;
	for (more = json_any(j, '}'); more;) {
		if (!json_key(j, &word))
			return false;
		note_word(t, &word);
		json_space(j);
		if (json_small(j, &id) && id <= TOKENIZER_ID_MAX) {
			if (id > t->id_max)
				tokenizer_note_id(t, id, json_at(j));
		} else if (!tokenizer_id(t, &word, &id))
			return false;
		if (t->failed || !json_more(j, '}', &more))
			return false;
	}
	return true;
}

/* Unigram: [word, score] */
static bool read_piece(struct tokenizer *t)
{
	t->n_words++;
	return json_peek(&t->h.j) == '[' ? tokenizer_skip(t) : tokenizer_wrong(t, "a word and its score");
}

static bool read_vocabulary(struct tokenizer *t)
{
	t->words = tokenizer_here(t);
	t->merges_done = false;
	return json_peek(&t->h.j) == '{' ? read_words(t) : tokenizer_array(t, read_piece);
}

/* -- merges -- */

static bool measure_word(struct tokenizer *t, const struct json_text *word)
{
	uint64_t n = word->raw.n > t->longest ? decoded_bytes(t, word) : 0; /* decoded it is no longer */

	t->longest = n > t->longest ? n : t->longest;
	return tokenizer_skip(t);
}

/* Could a word be so long?  Those with escapes are measured at most once. */
static bool fits_a_word(struct tokenizer *t, uint64_t n)
{
	const uint8_t *back = t->h.j.p;

	if (n > t->longest && n <= t->longest_most) {
		t->h.j.p = t->words;
		t->longest_most = 0;
		tokenizer_object(t, measure_word);
		t->h.j.p = back;
	}
	return n <= t->longest;
}

static void affix(struct tokenizer *t, const uint8_t *at, const char *what)
{
	tokenizer_found(t, WLK_F_TOKENIZER_AFFIX, at, NULL, value_words(what), value_nothing);
}

/* @b: the second part of a merge of which the first has @a_n bytes. */
static void check_merge(struct tokenizer *t, const uint8_t *at, size_t a_n, struct bytes b)
{
	if (b.n < t->prefix_n)
		affix(t, at, "shorter than the prefix");
	else if (t->prefix_n > 0 && b.n > t->prefix_n && (b.at[t->prefix_n] & 0xC0) == 0x80)
		affix(t, at, "the prefix ends inside a character");
	else if (!fits_a_word(t, a_n + (b.n - t->prefix_n)))
		affix(t, at, "longer than any word");
}

/* "a b"; a first line of merges.txt may have been copied. */
static bool read_legacy_merge(struct tokenizer *t)
{
	const uint8_t *at = tokenizer_here(t), *blank;
	struct json_text text;
	struct bytes s;
	size_t a_n;

	if (!json_read_string(&t->h.j, &text))
		return false;
	s = tokenizer_decode(t, &text);
	if (t->failed)
		return false;
	if (s.n >= 8 && memcmp(s.at, "#version", 8) == 0)
		return true;
	blank = s.n > 0 ? memchr(s.at, ' ', s.n) : NULL;
	a_n = blank != NULL ? (size_t)(blank - s.at) : 0;
	if (blank == NULL || memchr(blank + 1, ' ', s.n - a_n - 1) != NULL)
		affix(t, at, "not two parts with one blank");
	else
		check_merge(t, at, a_n, bytes_of(blank + 1, s.n - a_n - 1));
	return true;
}

/* ["a", "b"] */
static bool read_merge_pair(struct tokenizer *t)
{
	const uint8_t *at = tokenizer_here(t);
	struct json_text a, b;
	struct bytes second;
	size_t a_n;

	t->h.j.p++;
	if (json_peek(&t->h.j) != '"' || !json_read_string(&t->h.j, &a) || json_peek(&t->h.j) != ',')
		goto wrong;
	t->h.j.p++;
	if (json_peek(&t->h.j) != '"' || !json_read_string(&t->h.j, &b) || json_peek(&t->h.j) != ']')
		goto wrong;
	t->h.j.p++;
	a_n = (size_t)decoded_bytes(t, &a);
	second = tokenizer_decode(t, &b);
	if (!t->failed)
		check_merge(t, at, a_n, second);
	return !t->failed;
wrong:
	t->h.j.p = at;
	affix(t, at, "not two parts");
	return tokenizer_skip(t);
}

static bool read_merge(struct tokenizer *t)
{
	switch (json_peek(&t->h.j)) {
	case '"': return read_legacy_merge(t);
	case '[': return read_merge_pair(t);
	default: return tokenizer_wrong(t, "two parts of a word");
	}
}

/* Keys come in any order; the usual one has the merges last, and they are read once. */
static bool read_merges(struct tokenizer *t)
{
	t->merges = tokenizer_here(t);
	t->merges_done = t->words != NULL;
	return t->words != NULL ? tokenizer_array(t, read_merge) : tokenizer_skip(t);
}

/* Once what they are compared with is known. */
static bool read_merges_again(struct tokenizer *t)
{
	const uint8_t *back = t->h.j.p;
	bool fine = true;

	if (t->merges != NULL && !t->merges_done) {
		t->h.j.p = t->merges;
		fine = tokenizer_array(t, read_merge);
		t->h.j.p = back;
	}
	return fine;
}

static bool read_prefix(struct tokenizer *t)
{
	struct json_text text;

	if (tokenizer_null(t))
		return true;
	if (json_peek(&t->h.j) != '"')
		return tokenizer_wrong(t, "a text");
	if (!json_read_string(&t->h.j, &text))
		return false;
	t->prefix_n = decoded_bytes(t, &text);
	t->merges_done = t->merges_done && t->prefix_n == 0;
	return true;
}

/* -- the rest -- */

static bool read_type(struct tokenizer *t)
{
	static const char *const types[] = { "BPE", "WordPiece", "WordLevel", "Unigram" };
	const uint8_t *at = tokenizer_here(t);
	struct json_text text;

	if (*at != '"')
		return tokenizer_wrong(t, "a text");
	if (!json_read_string(&t->h.j, &text))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (tokenizer_is(&text, types[i]))
			return true;
	tokenizer_unknown_type(t, &text);
	return true;
}

static bool read_unknown_id(struct tokenizer *t, const struct json_text *key)
{
	if (tokenizer_null(t))
		return true;
	t->unk_seen = true;
	t->unk_at = (uint64_t)(tokenizer_here(t) - t->h.j.base);
	return tokenizer_id(t, key, &t->unk_id);
}

static bool read_word_limit(struct tokenizer *t, const struct json_text *key)
{
	const uint8_t *at = tokenizer_here(t);
	uint64_t n;
	bool any;

	if (!tokenizer_number(t, &n, &any))
		return false;
	if (any && n > WORD_CHARACTERS_MAX)
		tokenizer_found(t, WLK_F_TOKENIZER_SIZE, at, key, value_number(n), value_number(WORD_CHARACTERS_MAX));
	return true;
}

static bool read_member(struct tokenizer *t, const struct json_text *key)
{
	if (tokenizer_is(key, "vocab"))
		return read_vocabulary(t);
	if (tokenizer_is(key, "merges"))
		return read_merges(t);
	if (tokenizer_is(key, "continuing_subword_prefix"))
		return read_prefix(t);
	if (tokenizer_is(key, "type"))
		return read_type(t);
	if (tokenizer_is(key, "unk_id"))
		return read_unknown_id(t, key);
	if (tokenizer_is(key, "max_input_chars_per_word"))
		return read_word_limit(t, key);
	return tokenizer_skip(t);
}

bool tokenizer_read_model(struct tokenizer *t)
{
	return tokenizer_object(t, read_member) && read_merges_again(t);
}
