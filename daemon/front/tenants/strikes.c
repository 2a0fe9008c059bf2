/* See strikes.h. */
#include "strikes.h"

#include <stdio.h>
#include <string.h>

static void forgive(struct striker *t, uint64_t now_ms)
{
	for (; t->strikes > 0 && now_ms - t->struck_ms >= STRIKES_FORGIVE_MS; t->struck_ms += STRIKES_FORGIVE_MS)
		t->strikes /= 2;
}

static struct striker *find(struct strikes *s, const char *tenant, uint64_t now_ms)
{
	for (size_t i = 0; i < STRIKES_TENANTS; i++) {
		struct striker *t = &s->list[i];

		if (t->strikes == 0 || strcmp(t->tenant, tenant) != 0)
			continue;
		forgive(t, now_ms);
		return t;
	}
	return NULL;
}

static struct striker *make(struct strikes *s, const char *tenant)
{
	struct striker *oldest = &s->list[0];

	for (size_t i = 1; i < STRIKES_TENANTS; i++) {
		if (s->list[i].struck_ms < oldest->struck_ms)
			oldest = &s->list[i];
	}
	*oldest = (struct striker){ 0 };
	snprintf(oldest->tenant, sizeof(oldest->tenant), "%s", tenant);
	return oldest;
}

void strikes_add(struct strikes *s, const char *tenant, uint64_t now_ms)
{
	struct striker *t = find(s, tenant, now_ms);

	if (!t)
		t = make(s, tenant);
	if (t->strikes < STRIKES_MAX)
		t->strikes++;
	t->struck_ms = now_ms;
}

bool strikes_pace(struct strikes *s, const char *tenant, uint64_t now_ms)
{
	const struct striker *t = find(s, tenant, now_ms);

	return t && t->strikes >= STRIKES_FREE;
}

/* One at a time passes, at a pace that the strikes set. */
uint64_t strikes_hold_ms(struct strikes *s, const char *tenant, uint64_t now_ms)
{
	struct striker *t = find(s, tenant, now_ms);
	uint64_t at;

	if (!t || t->strikes < STRIKES_FREE)
		return 0;
	at = t->next_ms > now_ms ? t->next_ms : now_ms;
	t->next_ms = at + (STRIKES_PACE_MS << (t->strikes - STRIKES_FREE));
	return at - now_ms;
}
