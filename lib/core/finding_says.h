/* Findings as sentences for people, beside their titles: findings.txt has them, tables.py says how they are written. */
#pragma once

#include "findings.h"

/* Alternatives with places for values, a line end behind each; "" where there is none.  Any value below WLK_N_FINDINGS; static
 * storage, as of finding_noun(). */
const char *finding_says(enum wlk_finding f);
/* What to call it where such findings are only counted; "" where it has no name of its own. */
const char *finding_noun(enum wlk_finding f);
