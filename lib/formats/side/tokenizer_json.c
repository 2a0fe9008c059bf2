/* tokenizer.json: see tokenizer_json.h.  One more pass over a text that was read already, without a table of names; a
 * vocabulary costs a key and a number each. */
#include "tokenizer_json.h"

#include "tokenizer_json_impl.h"

#define SIZE_MOST (UINT64_C(1) << 20) /* of padding: a megabyte of tokens for each text */
#define SPARSE_FACTOR 4u
#define SPARSE_MORE 65536u
#define ADDED_BYTES 64u /* of memory for an added token's two names, and their buckets */
#define ADDED_TEXT 8u   /* of text that it has at least: {"id":1} */

/* -- added tokens -- */

static void shared(struct tokenizer *t, struct scoped_name name, const uint8_t *at, const struct json_text *content)
{
	if (scoped_names_find(&t->names, name, 1u << SCOPED_KEY, 0) != NULL)
		tokenizer_found(t, WLK_F_TOKENIZER_ID_SHARED, at, content, value_nothing, value_nothing);
	scoped_names_add(&t->names, name, SCOPED_KEY, 0);
	t->failed = t->failed || t->names.failed;
}

static void note_added(struct tokenizer *t, const uint8_t *at, uint64_t id, const struct json_text *content)
{
	uint8_t digits[8];

	t->n_added++;
	store_u64le(digits, id);
	if (id <= TOKENIZER_ID_MAX)
		shared(t, scoped_name_of(&t->names, bytes_of(digits, sizeof(digits)), 1), at, content);
	if (content != NULL)
		shared(t,
		    (struct scoped_name){
			json_text_hash(content, &t->names.keys[0]), json_text_hash(content, &t->names.keys[1]) },
		    at, content);
}

static bool read_added(struct tokenizer *t)
{
	struct json *j = &t->h.j;
	const uint8_t *at = tokenizer_here(t);
	struct json_text key, content;
	uint64_t id = TOKENIZER_ID_MAX + 1;
	bool more, named = false;

	if (*at != '{')
		return tokenizer_wrong(t, "an object");
	j->p++;
	for (more = json_any(j, '}'); more;) {
		bool fine = json_key(j, &key);

		if (fine && tokenizer_is(&key, "id"))
			fine = tokenizer_id(t, &key, &id);
		else if (fine && tokenizer_is(&key, "content") && json_peek(j) == '"')
			fine = named = json_read_string(j, &content);
		else
			fine = fine && tokenizer_skip(t);
		if (!fine || !json_more(j, '}', &more))
			return false;
	}
	note_added(t, at, id, named ? &content : NULL);
	return true;
}

/* -- truncation and padding -- */

static bool read_truncation_member(struct tokenizer *t, const struct json_text *key)
{
	bool any;

	if (tokenizer_is(key, "stride")) {
		t->stride_at = (uint64_t)(tokenizer_here(t) - t->h.j.base);
		return tokenizer_number(t, &t->stride, &t->stride_seen);
	}
	return tokenizer_is(key, "max_length") ? tokenizer_number(t, &t->max_length, &any) : tokenizer_skip(t);
}

static bool read_most(struct tokenizer *t, const struct json_text *key)
{
	const uint8_t *at = tokenizer_here(t);
	struct json_text name = *key;
	uint64_t n;
	bool any;

	if (tokenizer_null(t))
		return true;
	if (!tokenizer_number(t, &n, &any))
		return false;
	if (any && n > SIZE_MOST)
		tokenizer_found(t, WLK_F_TOKENIZER_SIZE, at, &name, value_number(n), value_number(SIZE_MOST));
	return true;
}

static bool read_strategy_member(struct tokenizer *t, const struct json_text *key)
{
	return tokenizer_is(key, "Fixed") ? read_most(t, key) : tokenizer_skip(t);
}

static bool read_padding_member(struct tokenizer *t, const struct json_text *key)
{
	uint64_t max = t->id_max, at = t->id_max_at, id;
	bool fine;

	if (tokenizer_is(key, "strategy") && json_peek(&t->h.j) == '{')
		return tokenizer_object(t, read_strategy_member);
	if (tokenizer_is(key, "pad_to_multiple_of"))
		return read_most(t, key);
	if (!tokenizer_is(key, "pad_id"))
		return tokenizer_skip(t);
	fine = tokenizer_id(t, key, &id);
	t->id_max = max; /* nothing is reserved for what it names */
	t->id_max_at = at;
	return fine;
}

/* -- the whole -- */

static bool read_member(struct tokenizer *t, const struct json_text *key)
{
	static const char *const steps[] = { "normalizer", "pre_tokenizer", "post_processor", "decoder" };

	if (tokenizer_is(key, "model") && json_peek(&t->h.j) == '{')
		return tokenizer_read_model(t);
	if (tokenizer_is(key, "added_tokens"))
		return tokenizer_array(t, read_added);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (tokenizer_is(key, steps[i]))
			return tokenizer_read_step(t, (enum tokenizer_step)i);
	if (tokenizer_is(key, "truncation"))
		return tokenizer_null(t) || tokenizer_object(t, read_truncation_member);
	if (tokenizer_is(key, "padding"))
		return tokenizer_null(t) || tokenizer_object(t, read_padding_member);
	return tokenizer_skip(t);
}

/* What only all of it tells. */
static void conclude(struct tokenizer *t)
{
	uint64_t most = (t->n_words + t->n_added) * SPARSE_FACTOR + SPARSE_MORE; /* no more than bytes of text */
	uint64_t room = t->max_length > t->template_tokens ? t->max_length - t->template_tokens : 0;

	if (t->id_max >= most)
		tokenizer_found(t, WLK_F_TOKENIZER_ID_SPARSE, t->h.j.base + t->id_max_at, NULL, value_number(t->id_max),
		    value_number(most - 1));
	if (t->unk_seen && t->unk_id <= TOKENIZER_ID_MAX && t->unk_id >= t->n_words)
		tokenizer_found(t, WLK_F_TOKENIZER_ID_RANGE, t->h.j.base + t->unk_at, NULL, value_number(t->unk_id),
		    value_number(t->n_words));
	if (t->stride_seen && t->stride >= room && (t->stride > 0 || t->max_length > 0))
		tokenizer_found(t, WLK_F_TOKENIZER_SIZE, t->h.j.base + t->stride_at, NULL, value_number(t->stride),
		    value_number(room));
}

/* A vocabulary in a model, or added tokens: keys that no tokenizer is without.  Looked for until there is one, which is in its
 * first lines. */
static bool look_model(struct tokenizer *t, const struct json_text *key)
{
	t->is_one = t->is_one || tokenizer_is(key, "vocab");
	return !t->is_one && tokenizer_skip(t);
}

static bool look(struct tokenizer *t, const struct json_text *key)
{
	if (tokenizer_is(key, "model") && json_peek(&t->h.j) == '{')
		return tokenizer_object(t, look_model);
	t->is_one = t->is_one || (tokenizer_is(key, "added_tokens") && json_peek(&t->h.j) == '[');
	return !t->is_one && tokenizer_skip(t);
}

static enum wlk_status check(struct layout *l, struct bytes text)
{
	struct tokenizer t = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l } };

	if (json_peek(&t.h.j) == '{')
		tokenizer_object(&t, look);
	if (!t.is_one)
		return WLK_DONE;
	t.h.j.p = text.at;
	layout_raise_memory(l, (uint64_t)text.n / ADDED_TEXT * ADDED_BYTES);
	scoped_names_init(&t.names, l->arena, &l->seed);
	if (!tokenizer_object(&t, read_member) || t.failed)
		return layout_stop(l);
	conclude(&t);
	arena_release(l->arena, t.scratch);
	arena_release(l->arena, t.names.list);
	arena_release(l->arena, t.names.buckets);
	return WLK_DONE;
}

/* Either key makes it one, maybe; it gives the file no name. */
const struct json_model json_model_tokenizer = { .keys = { "model" }, .check = check };
const struct json_model json_model_tokenizer_added = { .keys = { "added_tokens" }, .check = check };
