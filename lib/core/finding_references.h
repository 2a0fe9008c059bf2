/* The public advisories that findings answer: findings.txt names them. */
#pragma once

#include "findings.h"

/* CVE and GHSA numbers, a blank between; "" where there is none.  Any value below WLK_N_FINDINGS; static storage. */
const char *finding_references(enum wlk_finding f);
