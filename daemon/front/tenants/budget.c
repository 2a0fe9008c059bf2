/* See budget.h. */
#include "budget.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct payer payer_of(uid_t uid, const char *tenant)
{
	struct payer p = { .uid = uid };

	snprintf(p.tenant, sizeof(p.tenant), "%s", tenant);
	return p;
}

void budget_init(struct budget *b, struct tenants *tenants, enum tenant_room room, uint64_t max)
{
	b->tenants = tenants;
	b->room = room;
	b->max = max;
}

/* ---- shares ---- */

static uint64_t user_share(const struct budget *b)
{
	return b->max / BUDGET_SHARE;
}

/* What the operator has set; 0: nothing. */
static uint64_t set_share(const struct budget *b, const struct payer *p)
{
	const struct tenant *t = tenant_find(b->tenants, p->tenant);

	if (b->room != TENANT_FOLDER)
		return 0;
	return t != NULL && t->own && t->own->spool_bytes > 0 ? t->own->spool_bytes : b->tenants->room_each;
}

/* No tenant that a request names has a colon. */
static bool is_user(const struct payer *p)
{
	return strchr(p->tenant, ':') != NULL;
}

static uint64_t tenant_share(const struct budget *b, const struct payer *p)
{
	uint64_t set = set_share(b, p);

	if (set > 0)
		return set;
	return is_user(p) ? user_share(b) : user_share(b) / BUDGET_SHARE;
}

uint64_t budget_share(const struct budget *b, const struct payer *p)
{
	uint64_t user = user_share(b), tenant = tenant_share(b, p);

	return tenant < user ? tenant : user;
}

static uint64_t *user_of(struct budget *b, const struct payer *p)
{
	return &b->used_by[p->uid % BUDGET_OWNERS];
}

/* ---- in ---- */

static bool fits(uint64_t share, uint64_t used, uint64_t bytes)
{
	return used <= share && bytes <= share - used;
}

/* @held: UINT64_MAX: nothing may be larger than a share. */
static int may_take(struct budget *b, const struct payer *p, const struct tenant *t, uint64_t bytes, uint64_t held)
{
	uint64_t by_user = *user_of(b, p), share = tenant_share(b, p);
	bool is_set = set_share(b, p) > 0;

	if (bytes > b->max)
		return -ENOSPC;
	if (is_set && !fits(share, held == UINT64_MAX ? 0 : held, bytes))
		return -E2BIG;
	if (t == NULL || !fits(b->max, b->used, bytes) || (by_user != held && !fits(user_share(b), by_user, bytes)))
		return -ENOBUFS;
	return fits(share, t->room[b->room], bytes) || (!is_set && t->room[b->room] == held) ? 0 : -EBUSY;
}

static int take(struct budget *b, const struct payer *p, uint64_t bytes, uint64_t held)
{
	struct tenant *t = bytes > 0 ? tenant_need(b->tenants, p->tenant) : NULL;
	int r = bytes > 0 ? may_take(b, p, t, bytes, held) : 0;

	if (r == 0 && t != NULL) {
		b->used += bytes;
		*user_of(b, p) += bytes;
		t->room[b->room] += bytes;
	}
	return r;
}

int budget_take(struct budget *b, const struct payer *p, uint64_t bytes)
{
	return take(b, p, bytes, UINT64_MAX);
}

int budget_take_body(struct budget *b, const struct payer *p, uint64_t bytes, uint64_t held)
{
	return take(b, p, bytes, held);
}

uint64_t budget_left(const struct budget *b, const struct payer *p, uint64_t held)
{
	uint64_t share = set_share(b, p);

	if (share == 0)
		return UINT64_MAX;
	return held < share ? share - held : 0;
}

void budget_charge(struct budget *b, const struct payer *p, uint64_t bytes)
{
	struct tenant *t = tenant_find(b->tenants, p->tenant);

	assert(t);
	b->used += bytes;
	*user_of(b, p) += bytes;
	t->room[b->room] += bytes;
}

/* ---- out ---- */

void budget_give_back(struct budget *b, const struct payer *p, uint64_t bytes)
{
	struct tenant *t = bytes > 0 ? tenant_find(b->tenants, p->tenant) : NULL;

	if (bytes == 0)
		return;
	assert(t && bytes <= t->room[b->room]);
	b->used -= bytes;
	*user_of(b, p) -= bytes;
	t->room[b->room] -= bytes;
}
