/* The findings of a verdict for people, and what its file would call. */
#pragma once

#include <jansson.h>

#include "page.h"

/* Does another one of them say it, and more? */
bool finding_is_implied(const json_t *findings, const json_t *finding);

/* By code: what decides comes first, as verdicts have it. */
void print_findings(const struct page *p, const json_t *findings);

/* What loading it would call, in its order, where that was asked for (`calls`). */
void print_calls(const struct page *p, const json_t *verdict);

/* "byte 26, in data.pkl" of a finding or a call; @separator comes before it, if there is anything. */
void print_place(FILE *f, const struct page *p, const json_t *object, const char *separator);
