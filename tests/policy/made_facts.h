/* Facts made by hand, as facts_finish() leaves them. */
#pragma once

#include <string.h>

#include "facts.h"
#include "policy.h"
#include "verdict.h"

#define MADE_FINDINGS 512

struct made {
	struct facts facts;
	struct finding findings[MADE_FINDINGS];
	struct nonfinite rows[REPORT_NONFINITE_MAX];
	struct fact extra[256];
};

/* A complete scan of a sound safetensors file. */
static inline void made_init(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->facts = (struct facts){
		.findings = m->findings,
		.rows = m->rows,
		.facts = m->extra,
		.digest_by = DIGEST_BY_DIGESTER,
		.has_final = true,
		.final = { .size = 4096,
		    .has_digest = true,
		    .format = WLK_FORMAT_SAFETENSORS,
		    .complete = true,
		    .bytes = 4096,
		    .totals = { .tensors = 2, .elements = 1000 } },
	};
	memset(m->facts.final.sha256, 0xab, 32);
}

static inline struct finding *made_add(struct made *m, enum wlk_finding code)
{
	struct finding *f = &m->findings[m->facts.n_findings++];

	f->code = code;
	m->facts.per_code[code]++;
	return f;
}

static inline struct finding *made_add_at(struct made *m, enum wlk_finding code, uint64_t offset, const char *subject)
{
	struct finding *f = made_add(m, code);

	f->has_offset = true;
	f->offset = offset;
	f->subject = bytes_of_text(subject);
	return f;
}

/* The scan ended early, and the file is not to blame. */
static inline void made_stop(struct made *m, enum wlk_cause cause)
{
	m->facts.final.cause = cause;
	m->facts.final.complete = false;
}

#define MADE_NOW INT64_C(1795219200) /* 2026-11-21 00:00:00 UTC */

static inline struct verdict_context made_context(void)
{
	return (struct verdict_context){
		.name = "model.safetensors", .source = VERDICT_FILE, .started_at = MADE_NOW, .duration_ms = 12.3456
	};
}
