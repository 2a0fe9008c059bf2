/* See finding_says.h.  Apart from findings.c, for the worker has nobody to talk to. */
#include "finding_says.h"

#include <assert.h>

static const struct {
	const char *says, *noun;
} sentences[WLK_N_FINDINGS] = {
#define X(name, says, noun) [WLK_F_##name] = { says, noun },
	WLK_SENTENCES(X)
#undef X
};

const char *finding_says(enum wlk_finding f)
{
	assert(f < WLK_N_FINDINGS);
	return sentences[f].says != NULL ? sentences[f].says : "";
}

const char *finding_noun(enum wlk_finding f)
{
	assert(f < WLK_N_FINDINGS);
	return sentences[f].noun != NULL ? sentences[f].noun : "";
}
