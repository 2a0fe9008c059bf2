/* Numbers as text, in formats that keep weights so: XGBoost's JSON, LightGBM's lists. */
#pragma once

#include "bytes.h"

/* Longer ones are no numbers: writers need 24 characters at most. */
#define NUMBER_TEXT_MAX 63u

enum number_text { NUMBER_NONE, NUMBER_FINITE, NUMBER_NAN, NUMBER_INFINITE };

/**
 * number_text() - what a loader makes of it
 * A sign, digits, a fraction, an exponent; or nan, inf, infinity in any case of letters, with a sign.  No blanks.
 * @ret: the value, unless NUMBER_NONE.
 */
enum number_text number_text(struct bytes text, double *ret);

/* A natural number in plain digits, at most INT32_MAX.  False: it is none. */
bool number_natural(struct bytes text, uint32_t *ret);
