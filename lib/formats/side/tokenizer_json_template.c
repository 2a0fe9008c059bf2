/* TemplateProcessing: what a tokenizer puts around its texts.  Follows formats/configs, section 4.1: the loader takes special
 * tokens out of its table by name, and the second text where there may be none, without asking (tokenizers,
 * processors/template.rs, apply_template). */
#include "tokenizer_json_impl.h"

#define IDS_MAX 64u /* of one special token; one is usual */

static void fault(struct tokenizer *t, const uint8_t *at, const struct json_text *subject, const char *what)
{
	tokenizer_found(t, WLK_F_TOKENIZER_TEMPLATE, at, subject, value_words(what), value_nothing);
}

static struct scoped_name name_of(const struct tokenizer *t, const struct json_text *text)
{
	return (struct scoped_name){ json_text_hash(text, &t->names.keys[0]), json_text_hash(text, &t->names.keys[1]) };
}

/* -- special_tokens -- */

/* Entries of an array; of ids each is asked. */
static bool count_items(struct tokenizer *t, const struct json_text *key, bool ids, uint64_t *ret)
{
	struct json *j = &t->h.j;
	uint64_t id;
	bool more;

	*ret = 0;
	if (json_peek(j) != '[')
		return tokenizer_wrong(t, "an array");
	j->p++;
	for (more = json_any(j, ']'); more; ++*ret)
		if (!(ids ? tokenizer_id(t, key, &id) : tokenizer_skip(t)) || !json_more(j, ']', &more))
			return false;
	return true;
}

/* Its value, which begins here: ids and tokens. */
static bool read_special_value(struct tokenizer *t, const struct json_text *name, uint64_t *ret_ids)
{
	struct json *j = &t->h.j;
	const uint8_t *at = tokenizer_here(t);
	uint64_t ids = 0, tokens = 0;
	struct json_text key;
	bool more;

	*ret_ids = 0;
	if (*at != '{')
		return tokenizer_wrong(t, "an object");
	j->p++;
	for (more = json_any(j, '}'); more;) {
		bool fine = json_key(j, &key);

		if (fine && tokenizer_is(&key, "ids"))
			fine = count_items(t, &key, true, &ids);
		else if (fine && tokenizer_is(&key, "tokens"))
			fine = count_items(t, &key, false, &tokens);
		else
			fine = fine && tokenizer_skip(t);
		if (!fine || !json_more(j, '}', &more))
			return false;
	}
	if (ids != tokens || ids > IDS_MAX)
		fault(t, at, name, ids != tokens ? "as many ids as tokens are needed" : "more than 64 ids");
	*ret_ids = ids;
	return true;
}

static bool read_special(struct tokenizer *t, const struct json_text *key)
{
	struct json_text name = *key;
	uint64_t ids;

	if (!read_special_value(t, &name, &ids))
		return false;
	scoped_names_add(&t->names, name_of(t, &name), SCOPED_KEY, ids);
	t->failed = t->failed || t->names.failed;
	return true;
}

/* -- single and pair -- */

/* The text under "id" of the object that is next.  *ret_any: there is one. */
static bool read_piece_id(struct tokenizer *t, struct json_text *ret, bool *ret_any)
{
	struct json *j = &t->h.j;
	struct json_text key;
	bool more;

	*ret_any = false;
	if (json_peek(j) != '{')
		return tokenizer_wrong(t, "an object");
	j->p++;
	for (more = json_any(j, '}'); more;) {
		if (!json_key(j, &key))
			return false;
		if (tokenizer_is(&key, "id") && json_peek(j) == '"') {
			*ret_any = true;
			if (!json_read_string(j, ret))
				return false;
		} else if (!tokenizer_skip(t))
			return false;
		if (!json_more(j, '}', &more))
			return false;
	}
	return true;
}

/* One entry of {"SpecialToken": ...} or {"Sequence": ...}. */
static bool read_piece(struct tokenizer *t, uint32_t base, bool single, uint64_t *tokens)
{
	struct json *j = &t->h.j;
	const uint8_t *at = tokenizer_here(t);
	struct scoped_entry *known;
	struct json_text key, id;
	bool any = false;

	if (!json_key(j, &key) || !read_piece_id(t, &id, &any))
		return false;
	if (!any)
		fault(t, at, NULL, "a piece without an id");
	else if (tokenizer_is(&key, "SpecialToken")) {
		known = scoped_names_find(&t->names, name_of(t, &id), 1u << SCOPED_KEY, base);
		if (known == NULL)
			fault(t, at, &id, "a special token that is not there");
		*tokens += known != NULL ? known->at : 0;
	} else if (!tokenizer_is(&key, "Sequence") || !(tokenizer_is(&id, "A") || tokenizer_is(&id, "B")))
		fault(t, at, &id, "neither a special token nor a sequence");
	else if (single && tokenizer_is(&id, "B"))
		fault(t, at, &id, "the second sequence where there is one");
	return true;
}

static bool read_pieces(struct tokenizer *t, uint32_t base, bool single, uint64_t *ret_tokens)
{
	struct json *j = &t->h.j;
	bool more, inner;

	*ret_tokens = 0;
	if (json_peek(j) != '[')
		return tokenizer_wrong(t, "an array");
	j->p++;
	for (more = json_any(j, ']'); more;) {
		if (json_peek(j) != '{') {
			fault(t, tokenizer_here(t), NULL, "neither a special token nor a sequence");
			if (!tokenizer_skip(t))
				return false;
		} else {
			j->p++;
			for (inner = json_any(j, '}'); inner;)
				if (!read_piece(t, base, single, ret_tokens) || !json_more(j, '}', &inner))
					return false;
		}
		if (!json_more(j, ']', &more))
			return false;
	}
	return true;
}

bool tokenizer_read_template(struct tokenizer *t, const struct tokenizer_template *where)
{
	const uint8_t *back = t->h.j.p;
	uint32_t base = t->names.n;
	uint64_t single = 0, pair = 0;
	bool fine = true;

	if (where->special != NULL) {
		t->h.j.p = where->special;
		fine = tokenizer_object(t, read_special);
	}
	if (fine && where->single != NULL) {
		t->h.j.p = where->single;
		fine = read_pieces(t, base, true, &single);
	}
	if (fine && where->pair != NULL) {
		t->h.j.p = where->pair;
		fine = read_pieces(t, base, false, &pair);
	}
	t->template_tokens += single > pair ? single : pair;
	if (!t->names.failed)
		scoped_names_cut(&t->names, base);
	t->h.j.p = back;
	return fine;
}
