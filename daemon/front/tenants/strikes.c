/* See strikes.h. */
#include "strikes.h"

void strikes_forgive(struct tenant *e, uint64_t now_ms)
{
	struct tenant_strikes *s = &e->strikes;

	for (; s->n > 0 && now_ms >= s->last_ms + STRIKES_FORGIVE_MS; s->last_ms += STRIKES_FORGIVE_MS)
		s->n /= 2;
}

/* NULL: it has none. */
static struct tenant_strikes *find(struct tenants *t, const char *tenant, uint64_t now_ms)
{
	struct tenant *e = tenant_find(t, tenant);

	tenants_at(t, now_ms);
	if (e != NULL)
		strikes_forgive(e, now_ms);
	return e != NULL && e->strikes.n > 0 ? &e->strikes : NULL;
}

void strikes_add(struct tenants *t, const char *tenant, uint64_t now_ms)
{
	struct tenant *e = tenant_need(t, tenant);

	tenants_at(t, now_ms);
	if (e == NULL)
		return; /* not reached: it holds a place */
	strikes_forgive(e, now_ms);
	if (e->strikes.n == 0)
		e->strikes.next_ms = 0;
	if (e->strikes.n < STRIKES_MAX)
		e->strikes.n++;
	e->strikes.last_ms = now_ms;
}

bool strikes_pace(struct tenants *t, const char *tenant, uint64_t now_ms)
{
	const struct tenant_strikes *s = find(t, tenant, now_ms);

	return s != NULL && s->n >= STRIKES_FREE;
}

/* One at a time passes, at a pace that the strikes set. */
uint64_t strikes_hold_ms(struct tenants *t, const char *tenant, uint64_t now_ms)
{
	struct tenant_strikes *s = find(t, tenant, now_ms);
	uint64_t at;

	if (s == NULL || s->n < STRIKES_FREE)
		return 0;
	at = s->next_ms > now_ms ? s->next_ms : now_ms;
	s->next_ms = at + (STRIKES_PACE_MS << (s->n - STRIKES_FREE));
	return at - now_ms;
}
