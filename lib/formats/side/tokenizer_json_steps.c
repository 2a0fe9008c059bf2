/* What a tokenizer does before and behind its model: normalizers, pre-tokenizers, post-processors, decoders.  Follows
 * formats/configs, section 4.1; keys are judged wherever they stand, for old files name no types. */
#include "charsmap.h"
#include "tokenizer_json_impl.h"

#define NESTED_MAX 16u
#define STRIP_MAX 16u
#define REGEX_MANY 256u

/* -- types -- */

static const char *const types[][18] = {
	[STEP_NORMALIZER] = { "BertNormalizer", "Strip", "StripAccents", "NFC", "NFD", "NFKC", "NFKD", "Sequence",
	    "Lowercase", "Nmt", "Precompiled", "Replace", "Prepend", "ByteLevel" },
	[STEP_PRE_TOKENIZER] = { "BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Metaspace", "Whitespace",
	    "Sequence", "Split", "Punctuation", "WhitespaceSplit", "Digits", "UnicodeScripts", "FixedLength",
	    "Delimiter" },
	[STEP_POST_PROCESSOR] = { "RobertaProcessing", "BertProcessing", "ByteLevel", "TemplateProcessing",
	    "Sequence" },
	[STEP_DECODER] = { "BPEDecoder", "ByteLevel", "WordPiece", "Metaspace", "CTC", "Sequence", "Replace", "Fuse",
	    "Strip", "ByteFallback" },
};

static bool read_type(struct tokenizer *t, enum tokenizer_step step)
{
	struct json_text text;

	if (json_peek(&t->h.j) != '"')
		return tokenizer_wrong(t, "a text");
	if (!json_read_string(&t->h.j, &text))
		return false;
	for (size_t i = 0; i < sizeof(types[0]) / sizeof(types[0][0]) && types[step][i] != NULL; i++)
		if (tokenizer_is(&text, types[step][i]))
			return true;
	tokenizer_unknown_type(t, &text);
	return true;
}

/* -- expressions -- */

static bool judge_regex(struct tokenizer *t, const struct json_text *key, const struct json_text *text)
{
	enum regex_cost cost = REGEX_LONG;

	if (t->n_regex++ >= REGEX_MANY) {
		if (t->n_regex == REGEX_MANY + 1)
			tokenizer_found(t, WLK_F_TOKENIZER_REGEX, text->raw.at, key, value_number(t->n_regex),
			    value_number(REGEX_MANY));
		return true;
	}
	if (t->regex == NULL)
		t->regex = regex_new(t->h.l->arena);
	if (t->regex == NULL) {
		t->failed = true;
		return false;
	}
	if (text->raw.n <= 6 * (size_t)REGEX_BYTES_MAX) { /* \u0041 */
		struct bytes decoded = tokenizer_decode(t, text);

		if (t->failed)
			return false;
		cost = regex_judge(t->regex, decoded, REGEX_ONIGURUMA);
	}
	if (cost != REGEX_FINE)
		tokenizer_found(
		    t, WLK_F_TOKENIZER_REGEX, text->raw.at, key, value_words(regex_cost_words(cost)), value_nothing);
	return true;
}

static bool read_pattern_member(struct tokenizer *t, const struct json_text *key)
{
	struct json_text text, name = *key;

	if (!tokenizer_is(key, "Regex") || json_peek(&t->h.j) != '"')
		return tokenizer_skip(t);
	return json_read_string(&t->h.j, &text) && judge_regex(t, &name, &text);
}

/* {"Regex": "..."}, {"String": "..."}; another value is text, or nothing. */
static bool read_pattern(struct tokenizer *t)
{
	return json_peek(&t->h.j) == '{' ? tokenizer_object(t, read_pattern_member) : tokenizer_skip(t);
}

/* -- charsmaps -- */

static int base64_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* In place.  Return: SIZE_MAX when it is none. */
static size_t decode_base64(uint8_t *at, size_t n)
{
	size_t out = 0;
	uint32_t bits = 0;

	if (n % 4 != 0)
		return SIZE_MAX;
	n -= n > 0 && at[n - 1] == '=';
	n -= n % 4 == 3 && at[n - 1] == '=';
	for (size_t i = 0; i < n; i++) {
		int v = base64_value(at[i]);

		if (v < 0)
			return SIZE_MAX;
		bits = bits << 6 | (uint32_t)v;
		if (i % 4 != 0)
			at[out++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	return out;
}

static bool read_charsmap(struct tokenizer *t, const struct json_text *name)
{
	struct json_text text, key = *name;
	struct bytes rest;
	uint8_t *map;
	size_t n, at;
	const char *what = "no base64";

	if (json_peek(&t->h.j) != '"') { /* null, too: the loader expects a text */
		tokenizer_found(
		    t, WLK_F_TOKENIZER_CHARSMAP, tokenizer_here(t), &key, value_nothing, value_words("a text"));
		return tokenizer_skip(t);
	}
	if (!json_read_string(&t->h.j, &text))
		return false;
	layout_raise_memory(t->h.l, text.raw.n);
	map = arena_resize_raw(t->h.l->arena, NULL, text.raw.n + 1, 1);
	if (map == NULL) {
		t->failed = true;
		return false;
	}
	rest = text.raw;
	n = decode_base64(map, json_decode(&rest, map, text.raw.n));
	if (n != SIZE_MAX)
		what = charsmap_words(charsmap_check(bytes_of(map, n), &at));
	if (n == SIZE_MAX || charsmap_check(bytes_of(map, n), &at) != CHARSMAP_SOUND)
		tokenizer_found(t, WLK_F_TOKENIZER_CHARSMAP, text.raw.at, &key, value_words(what), value_nothing);
	arena_release(t->h.l->arena, map);
	return true;
}

/* -- numbers -- */

static bool read_bounded(struct tokenizer *t, const struct json_text *name, uint64_t least, uint64_t most)
{
	const uint8_t *at = tokenizer_here(t);
	struct json_text key = *name;
	uint64_t n;
	bool any;

	if (!tokenizer_number(t, &n, &any))
		return false;
	if (any && (n < least || n > most))
		tokenizer_found(
		    t, WLK_F_TOKENIZER_SIZE, at, &key, value_number(n), value_number(n < least ? least : most));
	return true;
}

/* ["[SEP]", 102] of BERT's and RoBERTa's. */
static bool read_named_id(struct tokenizer *t)
{
	uint64_t id;

	return json_peek(&t->h.j) == '"' ? tokenizer_skip(t) : tokenizer_id(t, NULL, &id);
}

/* -- one step -- */

static bool read_steps(struct tokenizer *t, enum tokenizer_step step)
{
	struct json *j = &t->h.j;
	const uint8_t *at = tokenizer_here(t);
	bool more;

	if (*at != '[')
		return tokenizer_wrong(t, "an array");
	if (t->nested == NESTED_MAX) {
		tokenizer_found(
		    t, WLK_F_TOKENIZER_SIZE, at, NULL, value_number(NESTED_MAX + 1), value_number(NESTED_MAX));
		return tokenizer_skip(t);
	}
	t->nested++;
	j->p++;
	for (more = json_any(j, ']'); more;)
		if (!tokenizer_read_step(t, step) || !json_more(j, ']', &more))
			return false;
	t->nested--;
	return true;
}

static bool read_own(struct tokenizer *t, enum tokenizer_step step, const struct json_text *key, bool *ret_taken)
{
	static const char *const lists[] = { "normalizers", "pretokenizers", "processors", "decoders" };

	*ret_taken = true;
	if (tokenizer_is(key, "type"))
		return read_type(t, step);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (tokenizer_is(key, lists[i]))
			return read_steps(t, step);
	if (tokenizer_is(key, "pattern"))
		return read_pattern(t);
	if (tokenizer_is(key, "precompiled_charsmap"))
		return read_charsmap(t, key);
	if (step == STEP_PRE_TOKENIZER && tokenizer_is(key, "length"))
		return read_bounded(t, key, 1, UINT64_MAX);
	if (step == STEP_DECODER && (tokenizer_is(key, "start") || tokenizer_is(key, "stop")))
		return read_bounded(t, key, 0, STRIP_MAX);
	if (step == STEP_POST_PROCESSOR && (tokenizer_is(key, "sep") || tokenizer_is(key, "cls"))) {
		t->template_tokens += 2;
		return tokenizer_array(t, read_named_id);
	}
	*ret_taken = false;
	return true;
}

bool tokenizer_read_step(struct tokenizer *t, enum tokenizer_step step)
{
	struct json *j = &t->h.j;
	struct tokenizer_template where = { 0 };
	struct json_text key;
	bool more, taken;

	if (tokenizer_null(t))
		return true;
	if (json_peek(j) != '{')
		return tokenizer_wrong(t, "an object");
	j->p++;
	for (more = json_any(j, '}'); more;) {
		if (!json_key(j, &key) || !read_own(t, step, &key, &taken))
			return false;
		if (!taken && step == STEP_POST_PROCESSOR && tokenizer_is(&key, "single"))
			where.single = tokenizer_here(t);
		else if (!taken && step == STEP_POST_PROCESSOR && tokenizer_is(&key, "pair"))
			where.pair = tokenizer_here(t);
		else if (!taken && step == STEP_POST_PROCESSOR && tokenizer_is(&key, "special_tokens"))
			where.special = tokenizer_here(t);
		if ((!taken && !tokenizer_skip(t)) || t->failed || !json_more(j, '}', &more))
			return false;
	}
	return where.single != NULL || where.pair != NULL || where.special != NULL ? tokenizer_read_template(t, &where)
										   : true;
}
