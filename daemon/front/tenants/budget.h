/* A room of so many bytes, and who holds how much of it.  Announcing a length costs a client nothing, so what one of them
 * may hold is bounded twice: a user gets half of the room, however many tenants it names; and a tenant gets a share of
 * its own, so that one customer of a service does not take the room of the others.
 *
 * Memory is constant: users are told apart by their uid modulo BUDGET_OWNERS, which nobody can choose.  What tenants hold
 * is in their table, and where there is no entry left a new tenant gets nothing.  A pure data structure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tenant.h"

#define BUDGET_SHARE 2 /* one user gets this part of the room at most: half; a tenant it names, the same part of that */
#define BUDGET_OWNERS 256 /* users told apart */

/* Whose share something comes from. */
struct payer {
	uid_t uid;
	char tenant[TENANT_NAME_MAX + 1]; /* "uid:N": the user itself */
};

struct payer payer_of(uid_t uid, const char *tenant);

struct budget {
	struct tenants *tenants;
	enum tenant_room room; /* which of them it is */
	uint64_t max;          /* bytes of it */
	uint64_t used;
	uint64_t used_by[BUDGET_OWNERS];
};

/* @b: zeroed.  In the folder shares are as the operator set them, where he did; else half, of its user's half if it is
 * named. */
void budget_init(struct budget *b, struct tenants *tenants, enum tenant_room room, uint64_t max);

/* Bytes that a payer may hold, whatever they are for. */
uint64_t budget_share(const struct budget *b, const struct payer *p);

/**
 * budget_take() - more bytes
 * Return: 0; -ENOSPC: more than the room; -E2BIG: more than the tenant may ever hold; -EBUSY: its share is taken now;
 * -ENOBUFS: the room is, or the user's share of it.  On failure nothing has changed.
 */
int budget_take(struct budget *b, const struct payer *p, uint64_t bytes);

/* The same for a body that holds @held bytes already.  One that is all its user has there may be larger than the user's
 * share; and so with a tenant, unless its share was set: then that is meant. */
int budget_take_body(struct budget *b, const struct payer *p, uint64_t bytes, uint64_t held);

/* What a body that holds @held bytes may still take of a share that was set; UINT64_MAX: of any other. */
uint64_t budget_left(const struct budget *b, const struct payer *p, uint64_t held);

/* Though it be too much: for what has come already.  @p must hold something there. */
void budget_charge(struct budget *b, const struct payer *p, uint64_t bytes);

/* @bytes: of those that were taken for this payer. */
void budget_give_back(struct budget *b, const struct payer *p, uint64_t bytes);
