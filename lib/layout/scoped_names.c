/* Scoped names.  See scoped_names.h. */
#include "scoped_names.h"

void scoped_names_init(struct scoped_names *t, struct arena *a, const struct siphash_key *seed)
{
	*t = (struct scoped_names){ .arena = a, .keys = { *seed, { ~seed->k1, seed->k0 ^ UINT64_C(0x6f6e6e78) } } };
}

struct scoped_name scoped_name_of(const struct scoped_names *t, struct bytes text, uint64_t salt)
{
	struct siphash_key a = t->keys[0], b = t->keys[1];

	a.k0 ^= salt;
	b.k1 ^= salt;
	return (struct scoped_name){ siphash13(text.at, text.n, &a), siphash13(text.at, text.n, &b) };
}

static uint32_t *bucket_of(const struct scoped_names *t, struct scoped_name name)
{
	return &t->buckets[name.a & (t->n_buckets - 1)];
}

static void link_entry(struct scoped_names *t, uint32_t i)
{
	uint32_t *bucket = bucket_of(t, t->list[i].name);

	t->list[i].next = *bucket;
	*bucket = i + 1;
}

/* Double both; oldest first, so that the newest is found first again. */
static bool grow(struct scoped_names *t)
{
	uint32_t room = t->room > 0 ? t->room * 2 : 1024;
	struct scoped_entry *list =
	    room <= SCOPED_NAMES_MAX ? arena_resize_raw(t->arena, t->list, room, sizeof(*list)) : NULL;
	uint32_t *buckets = list != NULL ? arena_resize(t->arena, NULL, room, sizeof(*buckets)) : NULL;

	t->list = list != NULL ? list : t->list;
	if (buckets == NULL)
		return false;
	arena_release(t->arena, t->buckets);
	t->buckets = buckets;
	t->n_buckets = t->room = room;
	for (uint32_t i = 0; i < t->n; i++)
		link_entry(t, i);
	return true;
}

void scoped_names_add(struct scoped_names *t, struct scoped_name name, enum scoped_name_kind kind, uint64_t at)
{
	if (t->failed || (t->n == t->room && !grow(t))) {
		t->failed = true;
		return;
	}
	t->list[t->n] = (struct scoped_entry){ .name = name, .at = at, .kind = (uint8_t)kind };
	link_entry(t, t->n);
	t->n++;
}

struct scoped_entry *scoped_names_find(
    const struct scoped_names *t, struct scoped_name name, unsigned kinds, uint32_t base)
{
	uint32_t i = t->n_buckets > 0 ? *bucket_of(t, name) : 0;

	for (; i > base; i = t->list[i - 1].next) {
		struct scoped_entry *e = &t->list[i - 1];

		if (e->name.a == name.a && e->name.b == name.b && (1u << e->kind & kinds) != 0)
			return e;
	}
	return NULL;
}

void scoped_names_cut(struct scoped_names *t, uint32_t base)
{
	while (t->n > base) {
		t->n--;
		/* The newest stands first in its bucket. */
		*bucket_of(t, t->list[t->n].name) = t->list[t->n].next;
	}
}

bool scoped_names_lift(struct scoped_names *t, uint32_t base, uint32_t n, uint32_t outer)
{
	const unsigned known = 1u << SCOPED_OUTPUT | 1u << SCOPED_INPUT | 1u << SCOPED_INITIALIZER;
	const unsigned asked = 1u << SCOPED_PENDING | 1u << SCOPED_SETTLED;
	struct scoped_entry *lifted = n > 0 ? arena_resize_raw(t->arena, NULL, n, sizeof(*lifted)) : NULL;
	uint32_t at = 0;

	if (n > 0 && lifted == NULL)
		return false;
	for (uint32_t i = base; i < t->n; i++) {
		if (t->list[i].kind == SCOPED_LIFTED)
			lifted[at++] = t->list[i];
	}
	scoped_names_cut(t, base);
	for (uint32_t i = 0; i < n; i++) {
		if (scoped_names_find(t, lifted[i].name, known, 0) == NULL &&
		    scoped_names_find(t, lifted[i].name, asked, outer) == NULL)
			scoped_names_add(t, lifted[i].name, SCOPED_PENDING, lifted[i].at);
	}
	arena_release(t->arena, lifted);
	return !t->failed;
}
