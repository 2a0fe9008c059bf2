/* The public advisories that findings answer: table in findings/references.h. */
#pragma once

#include "findings.h"

/* CVE and GHSA numbers, a blank between; "" where there is none.  Any value below WLK_N_FINDINGS; static storage. */
const char *finding_references(enum wlk_finding f);
