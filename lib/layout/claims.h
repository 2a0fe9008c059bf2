/* What objects of a file claim, as extents that cover it: for formats whose objects lie wherever offsets lead, with zeros
 * between them. */
#pragma once

#include "format.h"

/* @claims: in any order; they become the layout's.  Return: false: the arena is spent. */
bool claims_take(struct layout *l, const struct extents *claims);

/* Zeros that nobody claims and that may be there: behind the last claim.  Nothing if begin is not before end.
 * Return: false: the arena is spent. */
bool claims_pad(struct layout *l, uint64_t begin, uint64_t end);

/* Where the last of them ends. */
uint64_t claims_end(const struct extents *claims);

/* What may stand in a hole besides zeros.  Return: something does at *ret_begin, the first that is not zero in [begin, end),
 * and ends at *ret_end, which is behind it and not behind @end. */
typedef bool claims_left_fn(void *ctx, uint64_t begin, uint64_t end, uint64_t *ret_begin, uint64_t *ret_end);

/* Fills a hole with zeros and what is left.  @left: NULL: zeros alone.  Return: false: the arena is spent. */
bool claims_fill(struct layout *l, uint64_t begin, uint64_t end, claims_left_fn *left, void *ctx);

/**
 * claims_prove() - no two claims share bytes, and what is between them is zero
 * @codes: gaps_unknown is of no account.  l->extents->nonzero says what a byte other than zero is.
 * @broken: something was not read or not understood: what is left may belong to that, and is not looked at.
 * @left, @ctx: NULL: zeros alone.
 * Return: WLK_DONE when the extents cover the part; WLK_BROKEN, WLK_INCOMPLETE.
 */
enum wlk_status claims_prove_left(
    struct layout *l, const struct coverage_codes *codes, bool broken, claims_left_fn *left, void *ctx);
enum wlk_status claims_prove(struct layout *l, const struct coverage_codes *codes, bool broken);
