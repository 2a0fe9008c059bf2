/* The findings of a verdict for people. */
#pragma once

#include <jansson.h>

#include "page.h"

/* By code: what decides comes first, as verdicts have it. */
void print_findings(const struct page *p, const json_t *findings);
