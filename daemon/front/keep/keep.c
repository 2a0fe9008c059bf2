/* See keep.h. */
#include "keep.h"

#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "facts_version.h"
#include "keeper_wire.h"
#include "log.h"
#include "sandbox.h"
#include "stored.h"

#define PROGRESS_ROOM \
	((size_t)64 << 10) /* bytes of progress records, which are left out in the end: 8 minutes of them */

/* From the start of a scan to the keeper's answer. */
struct keep {
	struct keeps *keeps;
	struct keep *prev, *next; /* among those under way */
	bool under_way;
	uint8_t *at;    /* room for the record's fixed part, then the report */
	size_t n, room; /* of the report */
	bool overflow;
	uint8_t sha256[32];
	uint64_t size;
};

#define HEAD_BYTES (STORE_KEY_BYTES + KEEPER_STORE_FIXED + ENTRY_HEAD)

_Static_assert(HEAD_BYTES + CONFIG_REPORT_MAX <= KEEPER_PAYLOAD_MAX, "the longest report fits into a record");
_Static_assert(ENTRY_HEAD + CONFIG_REPORT_MAX <= STORE_ENTRY_MAX, "and into a row");
_Static_assert(SANDBOX_N_LAYERS <= 32, "a bit a layer");

/* ---- the copy of the report ---- */

struct keep *keep_new(struct keeps *ks)
{
	struct keep *k = ks->env->settings->config.store ? calloc(1, sizeof(*k)) : NULL;

	if (k != NULL)
		k->keeps = ks;
	return k;
}

static void keep_free(struct keep *k)
{
	free(k->at);
	free(k);
}

void keep_drop(struct keep *k)
{
	if (k != NULL)
		keep_free(k);
}

void keep_add(struct keep *k, const uint8_t *at, size_t n)
{
	size_t max, wanted;
	uint8_t *bigger;

	if (k == NULL || k->overflow)
		return;
	max = (size_t)k->keeps->env->settings->config.store_report_max + PROGRESS_ROOM;
	wanted = k->room > 0 ? k->room : 1024;
	while (wanted < max && wanted - k->n < n)
		wanted *= 2;
	wanted = wanted < max ? wanted : max;
	if (wanted - k->n < n) {
		k->overflow = true;
		return;
	}
	bigger = wanted > k->room ? realloc(k->at, HEAD_BYTES + wanted) : k->at;
	if (bigger == NULL) {
		k->overflow = true;
		return;
	}
	k->at = bigger;
	k->room = wanted;
	memcpy(k->at + HEAD_BYTES + k->n, at, n);
	k->n += n;
}

/* ---- under way ---- */

static void begin(struct keep *k)
{
	k->under_way = true;
	k->next = k->keeps->first;
	if (k->next)
		k->next->prev = k;
	k->keeps->first = k;
}

/* Counted in @counter. */
static void end(struct keep *k, uint64_t *counter)
{
	struct keeps *ks = k->keeps;
	bool was_under_way = k->under_way;

	if (k->prev)
		k->prev->next = k->next;
	else if (was_under_way)
		ks->first = k->next;
	if (k->next)
		k->next->prev = k->prev;
	++*counter;
	keep_free(k);
	if (was_under_way)
		ks->env->rested(ks->env->ctx);
}

bool keep_is_coming(const struct keeps *ks, const uint8_t sha256[32])
{
	for (const struct keep *k = ks->first; k; k = k->next) {
		if (memcmp(k->sha256, sha256, sizeof(k->sha256)) == 0)
			return true;
	}
	return false;
}

static void on_put(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct keep *k = ctx;
	struct tally *t = &k->keeps->env->tally;

	(void)answer;
	end(k, status == KEEPER_OK ? &t->store_stored : &t->store_failed);
}

static void put(struct keep *k)
{
	const struct bytes record = bytes_of(k->at, HEAD_BYTES + k->n);

	if (!keeper_ask(k->keeps->keeper, KEEPER_STORE_PUT, record, on_put, k))
		end(k, &k->keeps->env->tally.store_failed);
}

void keep_refuse(struct keep *k)
{
	end(k, &k->keeps->env->tally.store_refused);
}

/* The record, as keeper_wire.h has it, but for the report behind it. */
static void make_head(struct keep *k, const struct keep_about *a)
{
	const struct verdict_context *c = a->context;
	const uint64_t owner = c->source == VERDICT_FD ? a->uid : STORED_FOR_ALL;
	struct entry e = { .source = c->source,
		.scanned_at = c->started_at,
		.us = (uint64_t)(c->duration_ms * 1e3 + 0.5),
		.facts = facts_version(a->final, format_hint(a->name)),
		.pass = facts_version_of_pass() };
	uint8_t *at = k->at;

	for (size_t i = 0; i < c->n_layers; i++)
		e.layers |= c->layer_errno[i] == 0 ? UINT32_C(1) << i : 0;
	stored_key(owner, a->policy, a->name, k->sha256, a->final->names_idle, at);
	store_u64le(at + STORE_KEY_BYTES, k->size);
	memcpy(at + STORE_KEY_BYTES + 8, k->sha256, sizeof(k->sha256));
	entry_head(&e, at + STORE_KEY_BYTES + KEEPER_STORE_FIXED);
}

void keep_put(struct keep *k, const struct keep_about *about)
{
	if (!k->overflow && k->n > 0)
		k->n = entry_strip(k->at + HEAD_BYTES, k->n);
	if (k->overflow || k->n == 0 || k->n > k->keeps->env->settings->config.store_report_max) {
		keep_refuse(k);
		return;
	}
	k->size = about->size;
	memcpy(k->sha256, about->sha256, sizeof(k->sha256));
	make_head(k, about);
	begin(k);
	put(k);
}
