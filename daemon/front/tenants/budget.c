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

void budget_init(struct budget *b, const struct budget_limits *limits)
{
	b->limits = *limits;
}

/* ---- shares ---- */

static uint64_t user_share(const struct budget *b)
{
	return b->limits.max / BUDGET_SHARE;
}

/* What the operator has set; 0: nothing. */
static uint64_t set_share(const struct budget *b, const struct payer *p)
{
	for (size_t i = 0; i < b->limits.n_shares; i++) {
		if (b->limits.shares[i].bytes > 0 && strcmp(b->limits.shares[i].tenant, p->tenant) == 0)
			return b->limits.shares[i].bytes;
	}
	return b->limits.each;
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

/* ---- holders ---- */

/* NULL: it holds nothing. */
static struct budget_holder *holder_find(struct budget *b, const char *tenant)
{
	for (size_t i = 0; i < BUDGET_TENANTS; i++) {
		if (b->holders[i].used > 0 && strcmp(b->holders[i].tenant, tenant) == 0)
			return &b->holders[i];
	}
	return NULL;
}

/* NULL: too many hold something. */
static struct budget_holder *holder_get(struct budget *b, const char *tenant)
{
	struct budget_holder *h = holder_find(b, tenant);

	for (size_t i = 0; !h && i < BUDGET_TENANTS; i++) {
		if (b->holders[i].used > 0)
			continue;
		h = &b->holders[i];
		snprintf(h->tenant, sizeof(h->tenant), "%s", tenant);
	}
	return h;
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
static int may_take(
    struct budget *b, const struct payer *p, const struct budget_holder *h, uint64_t bytes, uint64_t held)
{
	uint64_t by_user = *user_of(b, p), share = tenant_share(b, p);
	bool is_set = set_share(b, p) > 0;

	if (bytes > b->limits.max)
		return -ENOSPC;
	if (is_set && !fits(share, held == UINT64_MAX ? 0 : held, bytes))
		return -E2BIG;
	if (!h || !fits(b->limits.max, b->used, bytes) || (by_user != held && !fits(user_share(b), by_user, bytes)))
		return -ENOBUFS;
	return fits(share, h->used, bytes) || (!is_set && h->used == held) ? 0 : -EBUSY;
}

static int take(struct budget *b, const struct payer *p, uint64_t bytes, uint64_t held)
{
	struct budget_holder *h = bytes > 0 ? holder_get(b, p->tenant) : NULL;
	int r = bytes > 0 ? may_take(b, p, h, bytes, held) : 0;

	if (r == 0 && h) {
		b->used += bytes;
		*user_of(b, p) += bytes;
		h->used += bytes;
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
	struct budget_holder *h = holder_find(b, p->tenant);

	assert(h);
	b->used += bytes;
	*user_of(b, p) += bytes;
	h->used += bytes;
}

/* ---- out ---- */

void budget_give_back(struct budget *b, const struct payer *p, uint64_t bytes)
{
	struct budget_holder *h = bytes > 0 ? holder_find(b, p->tenant) : NULL;

	if (bytes == 0)
		return;
	assert(h && bytes <= h->used);
	b->used -= bytes;
	*user_of(b, p) -= bytes;
	h->used -= bytes;
}
