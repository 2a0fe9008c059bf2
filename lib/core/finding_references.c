/* The advisories that findings answer: see finding_references.h. */
#include "finding_references.h"

#include <assert.h>

static const char *const references[WLK_N_FINDINGS] = {
#define X(name, numbers) [WLK_F_##name] = numbers,
	WLK_REFERENCES(X)
#undef X
};

const char *finding_references(enum wlk_finding f)
{
	assert(f < WLK_N_FINDINGS);
	return references[f] != NULL ? references[f] : "";
}
