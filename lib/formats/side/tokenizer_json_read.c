/* Values of tokenizer.json: see tokenizer_json_impl.h. */
#include "tokenizer_json_impl.h"

static const struct json_text nobody = { .plain = true };

void tokenizer_found(struct tokenizer *t, enum wlk_finding code, const uint8_t *at, const struct json_text *subject,
    struct value found, struct value allowed)
{
	header_fault(
	    &t->h, code, t->h.at + (uint64_t)(at - t->h.j.base), subject != NULL ? subject : &nobody, found, allowed);
}

void tokenizer_unknown_type(struct tokenizer *t, const struct json_text *type)
{
	header_fault_text(&t->h, WLK_F_TOKENIZER_STRUCTURE, &nobody, type);
}

bool tokenizer_skip(struct tokenizer *t)
{
	return json_skip(&t->h.j, 0);
}

bool tokenizer_wrong(struct tokenizer *t, const char *allowed)
{
	tokenizer_found(t, WLK_F_TOKENIZER_STRUCTURE, tokenizer_here(t), NULL, value_nothing, value_words(allowed));
	return tokenizer_skip(t);
}

bool tokenizer_object(struct tokenizer *t, tokenizer_member_fn *member)
{
	struct json *j = &t->h.j;
	struct json_text key;
	bool more;

	if (json_peek(j) != '{')
		return tokenizer_wrong(t, "an object");
	j->p++;
	for (more = json_any(j, '}'); more;)
		if (!json_key(j, &key) || !member(t, &key) || t->failed || !json_more(j, '}', &more))
			return false;
	return true;
}

bool tokenizer_array(struct tokenizer *t, tokenizer_item_fn *item)
{
	struct json *j = &t->h.j;
	bool more;

	if (json_peek(j) != '[')
		return tokenizer_wrong(t, "an array");
	j->p++;
	for (more = json_any(j, ']'); more;)
		if (!item(t) || t->failed || !json_more(j, ']', &more))
			return false;
	return true;
}

bool tokenizer_is(const struct json_text *key, const char *word)
{
	uint8_t decoded[64];
	struct bytes rest = key->raw;

	if (!key->escaped)
		return bytes_equal(key->raw, bytes_of_text(word));
	return bytes_equal(bytes_of(decoded, json_decode(&rest, decoded, sizeof(decoded))), bytes_of_text(word)) &&
	       rest.n == 0;
}

bool tokenizer_null(struct tokenizer *t)
{
	return json_peek(&t->h.j) == 'n' && json_literal(&t->h.j, "null");
}

struct bytes tokenizer_decode(struct tokenizer *t, const struct json_text *text)
{
	struct bytes rest = text->raw;

	if (!text->escaped)
		return text->raw;
	if (t->scratch_n < text->raw.n) {
		uint8_t *more = arena_resize_raw(t->h.l->arena, t->scratch, text->raw.n, 1);

		if (more == NULL) {
			t->failed = true;
			return bytes_of(NULL, 0);
		}
		t->scratch = more;
		t->scratch_n = text->raw.n;
	}
	return bytes_of(t->scratch, json_decode(&rest, t->scratch, t->scratch_n)); /* nothing gets longer */
}

static bool is_number(uint8_t c)
{
	return c == '-' || (c >= '0' && c <= '9');
}

bool tokenizer_number(struct tokenizer *t, uint64_t *ret, bool *ret_any)
{
	struct json_number n;

	*ret_any = is_number(json_peek(&t->h.j));
	if (!*ret_any)
		return tokenizer_wrong(t, "a number");
	if (!json_number(&t->h.j, &n))
		return false;
	*ret = n.plain && !n.fits ? UINT64_MAX : n.plain ? n.value : 0;
	return true;
}

void tokenizer_note_id(struct tokenizer *t, uint64_t id, uint64_t at)
{
	if (id > t->id_max) {
		t->id_max = id;
		t->id_max_at = at;
	}
}

bool tokenizer_id(struct tokenizer *t, const struct json_text *key, uint64_t *ret)
{
	const uint8_t *at = tokenizer_here(t);
	struct json_number n = { 0 };
	bool number = is_number(*at);

	*ret = TOKENIZER_ID_MAX + 1;
	if (number ? !json_number(&t->h.j, &n) : !tokenizer_skip(t))
		return false;
	if (n.plain && n.fits && n.value <= TOKENIZER_ID_MAX) {
		*ret = n.value;
		tokenizer_note_id(t, n.value, (uint64_t)(at - t->h.j.base));
		return true;
	}
	tokenizer_found(t, WLK_F_TOKENIZER_ID_RANGE, at, key,
	    number ? value_text(bytes_of(at, (size_t)(t->h.j.p - at))) : value_words("no number"),
	    value_number(TOKENIZER_ID_MAX));
	return true;
}
