/* See rows.h. */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>

struct rows {
	struct spool_store *store;
	struct payer payer;
	struct tensor_rows *at;
	uint64_t paid;
};

struct rows *rows_new(struct spool_store *st, const struct payer *p)
{
	struct rows *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	*r = (struct rows){ .store = st, .payer = *p, .at = tensor_rows_new(ROWS_BYTES_MAX) };
	if (r->at)
		return r;
	free(r);
	return NULL;
}

void rows_free(struct rows *r)
{
	if (r == NULL)
		return;
	tensor_rows_free(r->at);
	spool_store_return(r->store, &r->payer, r->paid);
	free(r);
}

struct tensor_rows *rows_at(struct rows *r)
{
	return r->at;
}

int rows_pay(struct rows *r)
{
	uint64_t held = tensor_rows_held(r->at), due = (held + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP;

	if (due <= r->paid)
		return 0;
	if (due > spool_store_share(r->store, &r->payer))
		return -ENOSPC;
	if (!spool_store_lend(r->store, &r->payer, due - r->paid))
		return -ENOBUFS;
	r->paid = due;
	return 0;
}

void rows_repay(struct rows *r)
{
	spool_store_return(r->store, &r->payer, r->paid);
	r->paid = 0;
}
