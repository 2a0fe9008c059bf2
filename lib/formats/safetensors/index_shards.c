/* The shards an index names: see index_shards.h. */
#include "index_shards.h"

#include "index.h"
#include "shard_names.h"

void index_shards_init(struct index_shards *s, struct json_header *h, const struct header_keys *keys)
{
	*s = (struct index_shards){ .h = h, .keys = keys };
	intern_init(&s->names, h->l->arena, h->l->seed);
}

/* A name that is cut is longer than any name may be, and is reported as that. */
bool index_shards_add(struct index_shards *s, const struct json_text *file)
{
	uint8_t buf[MANIFEST_PATH_MAX];
	struct bytes rest = file->raw;
	size_t n_before = s->names.n;
	uint32_t id;

	if (n_before > 0 && bytes_equal(s->last.raw, file->raw))
		return true;
	if (!intern_add(&s->names, bytes_of(buf, json_decode(&rest, buf, sizeof(buf))), &id))
		return false;
	s->last = *file;
	if (s->names.n > n_before) {
		s->names.list[id].value[0] = (uint32_t)(s->keys->n - 1);
		s->names.list[id].value[1] = (uint32_t)(file->raw.at - s->h->j.base);
	}
	return true;
}

/* About a shard: the subject is the first tensor that is in it. */
static void fault(struct index_shards *s, enum wlk_finding code, uint32_t id, struct value allowed)
{
	const struct interned *shard = &s->names.list[id];
	const struct header_key *key = &s->keys->list[shard->value[0]];
	struct json_text tensor = { .raw = bytes_of(s->h->j.base + key->at, key->n), .escaped = key->escaped };

	header_fault(s->h, code, s->h->at + shard->value[1], &tensor, value_text(intern_text(&s->names, id)), allowed);
}

/* -- rule 1 -- */

static bool is_plain(uint8_t c)
{
	return (c >= '0' && c <= '9') || (name_fold(c) >= 'a' && name_fold(c) <= 'z') || c == '.' || c == '_' ||
	       c == '-';
}

/* Percent-encoded dot, slash or backslash: whoever builds a URL of it decodes them. */
static bool is_coded(struct bytes name, size_t i)
{
	static const char *const coded[] = { "%2e", "%2f", "%5c" };

	for (size_t k = 0; name.n - i >= 3 && k < sizeof(coded) / sizeof(coded[0]); k++)
		if (name_equal_folded(bytes_of(name.at + i, 3), bytes_of_text(coded[k])))
			return true;
	return false;
}

enum shard_name index_shard_name(struct bytes name)
{
	bool plain = name.n > 0 && name.n <= INDEX_SHARD_NAME_MAX && name.at[0] != '.';

	if (bytes_equal(name, bytes_of_text("..")))
		return SHARD_NAME_LEAVES;
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] == '/' || name.at[i] == '\\' || name.at[i] == ':' || is_coded(name, i))
			return SHARD_NAME_LEAVES;
		plain = plain && is_plain(name.at[i]);
	}
	return plain ? SHARD_NAME_PLAIN : SHARD_NAME_ODD;
}

static void check_name(struct index_shards *s, uint32_t id)
{
	switch (index_shard_name(intern_text(&s->names, id))) {
	case SHARD_NAME_LEAVES: fault(s, WLK_F_INDEX_SHARD_TRAVERSAL, id, value_nothing); break;
	case SHARD_NAME_ODD: fault(s, WLK_F_INDEX_SHARD_NAME, id, value_nothing); break;
	default: break;
	}
}

/* -- rule 2 -- */

static bool has_extension(struct bytes name, const char *extension)
{
	return bytes_equal(name_extension(name), bytes_of_text(extension));
}

/* What the shards of an index that is not one of safetensors may be.  NULL: none of them. */
static const char *other_extension(struct bytes name)
{
	static const char *const extensions[] = { "bin", "h5", "msgpack" };

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
		if (has_extension(name, extensions[i]))
			return extensions[i];
	return NULL;
}

/* All shards have the same; what that is says the index's name, else the first shard whose own is known. */
static const char *expected_extension(const struct index_shards *s, enum wlk_format_id *family)
{
	const char *other = NULL;

	for (uint32_t i = 0; i < s->names.n && *family != WLK_FORMAT_SAFETENSORS_INDEX; i++) {
		if (*family == WLK_FORMAT_UNKNOWN && has_extension(intern_text(&s->names, i), "safetensors"))
			*family = WLK_FORMAT_SAFETENSORS_INDEX;
		else if (other == NULL)
			other = other_extension(intern_text(&s->names, i));
	}
	if (*family == WLK_FORMAT_UNKNOWN)
		*family = other != NULL ? WLK_FORMAT_SHARD_INDEX : WLK_FORMAT_SAFETENSORS_INDEX;
	if (*family == WLK_FORMAT_SAFETENSORS_INDEX)
		return "safetensors";
	return other != NULL ? other : "bin";
}

/* -- rule 4 -- */

static bool check_case(struct index_shards *s)
{
	uint8_t folded[MANIFEST_PATH_MAX];
	struct intern seen;
	bool ok = true;

	intern_init(&seen, s->h->l->arena, s->h->l->seed);
	for (uint32_t i = 0; i < s->names.n && ok; i++) {
		struct bytes name = intern_text(&s->names, i);
		uint32_t id;

		for (size_t k = 0; k < name.n; k++)
			folded[k] = name_fold(name.at[k]);
		ok = intern_add(&seen, bytes_of(folded, name.n), &id);
		if (ok && seen.list[id].value[0] != 0)
			fault(s, WLK_F_INDEX_SHARD_CASE, i,
			    value_text(intern_text(&s->names, seen.list[id].value[0] - 1)));
		else if (ok)
			seen.list[id].value[0] = i + 1;
	}
	intern_done(&seen);
	return ok;
}

/* -- rule 5 -- */

struct sequence {
	uint32_t first, total; /* the first numbered shard, and the total it gives */
	uint32_t n;            /* shards that are numbered */
	uint8_t *seen;         /* a bit for each number */
};

/* A number out of range, or another total than the first has. */
static void check_number(struct index_shards *s, struct sequence *q, uint32_t id, const struct shard_number *number)
{
	if (q->n++ == 0) {
		q->first = id;
		q->total = number->total;
	}
	if (number->total != q->total || number->number == 0 || number->number > number->total)
		fault(s, WLK_F_INDEX_SHARD_SEQUENCE, id, value_number(q->total));
	else if (number->number <= s->names.n)
		q->seen[number->number / 8] |= (uint8_t)(1u << number->number % 8);
}

/* The first number that no shard has, if all below the total should be there.  A total above the number of shards has
 * one among as many, so larger ones need not be remembered. */
static void check_gaps(struct index_shards *s, const struct sequence *q)
{
	for (uint32_t i = 1; i <= q->total && i <= s->names.n; i++) {
		if ((q->seen[i / 8] >> i % 8 & 1) == 0) {
			fault(s, WLK_F_INDEX_SHARD_SEQUENCE, q->first, value_number(q->total));
			return;
		}
	}
	if (q->total > s->names.n)
		fault(s, WLK_F_INDEX_SHARD_SEQUENCE, q->first, value_number(q->total));
}

static bool check_sequence(struct index_shards *s)
{
	struct sequence q = { .seen = arena_resize(s->h->l->arena, NULL, s->names.n / 8 + 1, 1) };
	struct shard_number number;
	uint32_t odd = INTERN_NONE;

	if (q.seen == NULL)
		return false;
	for (uint32_t i = 0; i < s->names.n; i++) {
		if (shard_number_parse(intern_text(&s->names, i), &number))
			check_number(s, &q, i, &number);
		else if (odd == INTERN_NONE)
			odd = i;
	}
	if (q.n > 0)
		check_gaps(s, &q);
	if (odd != INTERN_NONE && s->names.n > 1)
		fault(s, WLK_F_INDEX_SHARD_NAMING, odd, value_nothing);
	arena_release(s->h->l->arena, q.seen);
	return true;
}

/* -- all -- */

bool index_shards_check(struct index_shards *s, enum wlk_format_id *family)
{
	const char *extension = expected_extension(s, family);

	for (uint32_t i = 0; i < s->names.n; i++) {
		check_name(s, i);
		if (!has_extension(intern_text(&s->names, i), extension))
			fault(s, WLK_F_INDEX_SHARD_EXTENSION, i, value_words(extension));
	}
	if (s->names.n == 1) /* rule 15 */
		fault(s, WLK_F_INDEX_SINGLE_SHARD, 0, value_nothing);
	return check_case(s) && check_sequence(s);
}
