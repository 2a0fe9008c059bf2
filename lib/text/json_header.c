/* JSON headers: see json_header.h. */
#include "json_header.h"

#include "checked.h"

const struct value value_nothing = { .kind = VALUE_NONE };

/* -- findings -- */

static void fault_listed(struct json_header *h, enum wlk_finding code, uint64_t at, const struct json_text *subject,
    struct value found, struct value allowed)
{
	uint8_t buf[REPORT_STRING_MAX];

	layout_finding(h->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = at,
				 .subject = header_decode(subject, buf, sizeof(buf)),
				 .found = found,
				 .allowed = allowed });
}

void header_fault(struct json_header *h, enum wlk_finding code, uint64_t at, const struct json_text *subject,
    struct value found, struct value allowed)
{
	if (report_wants(h->l->report, code))
		fault_listed(h, code, at, subject, found, allowed);
	else
		report_count(h->l->report, code);
}

void header_fault_text(
    struct json_header *h, enum wlk_finding code, const struct json_text *subject, const struct json_text *found)
{
	uint8_t buf[64]; /* more of a type's or a field's name helps nobody */

	if (report_wants(h->l->report, code))
		fault_listed(h, code, header_text_at(h, found), subject,
		    value_text(header_decode(found, buf, sizeof(buf))), value_nothing);
	else
		report_count(h->l->report, code);
}

static const char *type_name(uint8_t first)
{
	switch (first) {
	case '{': return "object";
	case '[': return "array";
	case '"': return "string";
	case 't':
	case 'f': return "boolean";
	case 'n': return "null";
	default: return "number";
	}
}

bool header_skip_wrong(
    struct json_header *h, enum wlk_finding code, const struct json_text *subject, const char *allowed, unsigned depth)
{
	uint8_t first = json_peek(&h->j);
	uint64_t at = header_here(h);

	if (!json_skip(&h->j, depth))
		return false;
	header_fault(h, code, at, subject, value_words(type_name(first)), value_words(allowed));
	return true;
}

/* -- tensors -- */

size_t header_tensor_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	struct json_text t = header_tensor_text(x, e);
	size_t used = json_decode(&t.raw, buf, n);

	return t.raw.n == 0 ? used : n + 1;
}

/* names_check() hands one context to both its callbacks. */
struct tensor_names {
	const struct extents *x;
	void *ctx;
	void (*twice)(void *ctx, uint32_t i, uint32_t earlier);
};

static struct json_text tensor_at(void *ctx, uint32_t i)
{
	const struct tensor_names *t = ctx;

	return header_tensor_text(t->x, &t->x->list[i]);
}

static void tensor_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	const struct tensor_names *t = ctx;

	t->twice(t->ctx, i, earlier);
}

bool header_check_tensors(
    const struct json_header *h, void *ctx, void (*twice)(void *ctx, uint32_t i, uint32_t earlier))
{
	struct extents *x = h->l->extents;
	struct tensor_names t = { .x = x, .ctx = ctx, .twice = twice };
	struct names names = { .ctx = &t, .at = tensor_at, .twice = tensor_twice, .seed = h->l->seed };

	if (x->n > 0) {
		names.hashes = &x->list[0].index;
		names.hash_stride = sizeof(x->list[0]) / sizeof(x->list[0].index);
	}
	return names_check(&names, x->n, h->l->arena);
}

void header_number_tensors(struct extents *x)
{
	for (size_t i = 0; i < x->n; i++)
		x->list[i].index = (uint32_t)i;
}

/* -- keys -- */

#define KEYS_FIRST 64

static bool room_for_key(struct json_header *h, struct header_keys *keys)
{
	size_t capacity = keys->capacity == 0 ? KEYS_FIRST : keys->capacity * 2;
	struct header_key *list;

	if (keys->n < keys->capacity)
		return true;
	list = arena_resize(h->l->arena, keys->list, capacity, sizeof(*list));
	if (list == NULL)
		return false;
	keys->list = list;
	keys->capacity = capacity;
	return true;
}

bool header_keys_add(struct json_header *h, struct header_keys *keys, const struct json_text *key)
{
	if (!room_for_key(h, keys))
		return false;
	keys->list[keys->n++] = (struct header_key){
		.at = (uint32_t)(key->raw.at - h->j.base), .n = (uint32_t)key->raw.n, .escaped = key->escaped
	};
	return true;
}

struct key_names {
	struct json_header *h;
	const struct header_keys *keys;
	enum wlk_finding code;
};

static struct json_text key_at(void *ctx, uint32_t i)
{
	const struct key_names *k = ctx;
	const struct header_key *key = &k->keys->list[i];

	return (struct json_text){ .raw = bytes_of(k->h->j.base + key->at, key->n), .escaped = key->escaped };
}

static void key_twice(void *ctx, uint32_t i, uint32_t earlier)
{
	struct key_names *k = ctx;
	struct json_text key = key_at(k, i);

	(void)earlier;
	header_fault(k->h, k->code, header_text_at(k->h, &key), &key, value_nothing, value_nothing);
}

bool header_keys_check(struct json_header *h, const struct header_keys *keys, enum wlk_finding code)
{
	struct key_names k = { .h = h, .keys = keys, .code = code };
	struct names names = { .ctx = &k, .at = key_at, .twice = key_twice, .seed = h->l->seed };

	return names_check(&names, keys->n, h->l->arena);
}
