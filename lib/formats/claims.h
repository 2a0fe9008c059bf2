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

/**
 * claims_prove() - no two claims share bytes, and what is between them is zero
 * @codes: gaps_unknown is of no account.  l->extents->nonzero says what a byte other than zero is.
 * @broken: something was not read or not understood: what is left may belong to that, and is not looked at.
 * Return: WLK_DONE when the extents cover the part; WLK_BROKEN, WLK_INCOMPLETE.
 */
enum wlk_status claims_prove(struct layout *l, const struct coverage_codes *codes, bool broken);
