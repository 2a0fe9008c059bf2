/* What a check told its report, read back by the real decoder. */
#pragma once

#include <check.h>

#include "facts.h"
#include "report.h"

struct told {
	struct report report;
	struct facts *facts;
};

static inline bool told_write(void *ctx, const uint8_t *at, size_t n)
{
	return facts_feed(ctx, at, n);
}

static inline void told_init(struct told *t)
{
	t->facts = facts_new();
	ck_assert_ptr_nonnull(t->facts);
	report_init(&t->report, told_write, NULL, t->facts);
}

/* Ends the report; afterwards t->facts holds what it said. */
static inline void told_end(struct told *t, uint64_t size)
{
	const struct report_final final = { .size = size, .bytes = size, .format = WLK_FORMAT_SAFETENSORS };

	ck_assert(report_end(&t->report, &final));
	ck_assert(t->facts->has_final);
}

static inline void told_done(struct told *t)
{
	facts_free(t->facts);
}

/* The finding of this code, of which there is at most one; NULL: none. */
static inline const struct finding *told_finding(const struct told *t, enum wlk_finding code)
{
	const struct finding *found = NULL;

	for (size_t i = 0; i < t->facts->n_findings; i++) {
		if (t->facts->findings[i].code != code)
			continue;
		ck_assert_ptr_null(found);
		found = &t->facts->findings[i];
	}
	return found;
}
