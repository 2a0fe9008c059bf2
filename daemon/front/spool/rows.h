/* The manifest that a scan's report brings (manifest/tensor_rows.h), and its price: the memory it takes comes out of what
 * is set aside for bodies in memory, from the share of the tenant who asked.  So lists of tensors are bounded by the same
 * number as uploads, and one tenant's do not keep another's out. */
#pragma once

#include "spool.h"
#include "tensor_rows.h"

#define ROWS_BYTES_MAX                                        \
	(MANIFEST_BYTES_MAX + (33 + 1 + TENSOR_STATS_BYTES) * \
				  MANIFEST_ROWS_MAX) /* of one file: rows, and a digest and statistics for each */
#define ROWS_STEP ((uint64_t)64 << 10)               /* bytes paid for at a time */

struct rows;

/* Return: NULL without memory. */
struct rows *rows_new(struct spool_store *st, const struct payer *p);
void rows_free(struct rows *r); /* NULL is fine */

struct tensor_rows *rows_at(struct rows *r);

/**
 * rows_pay() - pay for what it has come to hold; call it after each piece of the report
 * Return: 0; -ENOBUFS: no room now; -ENOSPC: more than a tenant can ever have.
 */
int rows_pay(struct rows *r);
/* It is about to be freed, and somebody else to pay for a copy. */
void rows_repay(struct rows *r);
