/* wlk_scan() over bytes in memory, its report decoded: what most tests of formats need. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "facts.h"
#include "job.h"
#include "memory_source.h"
#include "scan.h"

/* The report's bytes as they are written. */
struct memory_report {
	uint8_t *at;
	size_t n, capacity;
};

static inline bool memory_write(void *ctx, const uint8_t *at, size_t n)
{
	struct memory_report *r = ctx;

	if (n > r->capacity - r->n) {
		r->capacity = (r->n + n) * 2;
		r->at = realloc(r->at, r->capacity);
		if (r->at == NULL)
			abort();
	}
	memcpy(r->at + r->n, at, n);
	r->n += n;
	return true;
}

static inline struct job memory_job(size_t n)
{
	return (struct job){
		.size = n, .kind = SOURCE_IMMUTABLE, .hint = WLK_FORMAT_SAFETENSORS, .limits = LIMITS_DEFAULT
	};
}

/* Scan; the report's bytes are the caller's to free. */
static inline enum wlk_status memory_scan_raw(
    const void *at, size_t n, const struct job *job, struct memory_report *ret)
{
	struct memory_file file = { .at = at, .n = n };
	struct wlk_input in = { .read = memory_read, .ctx = &file, .seed = { .k0 = 1, .k1 = 2 } };
	struct report report;

	*ret = (struct memory_report){ 0 };
	report_init(&report, memory_write, NULL, ret);
	return wlk_scan(&in, job, &report);
}

/* Scan and decode; free with facts_free(). */
static inline struct facts *memory_scan_job(const void *at, size_t n, const struct job *job)
{
	struct facts_expect expect = { .size = job->size };
	struct memory_report raw;
	struct facts *f = facts_new();

	memory_scan_raw(at, n, job, &raw);
	if (f == NULL)
		abort();
	facts_feed(f, raw.at, raw.n);
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	free(raw.at);
	return f;
}

static inline struct facts *memory_scan(const void *at, size_t n)
{
	struct job job = memory_job(n);

	return memory_scan_job(at, n, &job);
}

static inline const struct fact *memory_fact(const struct facts *f, enum wlk_fact id)
{
	for (size_t i = 0; i < f->n_facts; i++)
		if (f->facts[i].id == id)
			return &f->facts[i];
	return NULL;
}

/* The worst severity among the findings; -1 without any. */
static inline int memory_worst(const struct facts *f)
{
	int worst = -1;

	for (int code = 0; code < WLK_N_FINDINGS; code++)
		if (f->per_code[code] > 0 && (int)finding_info((enum wlk_finding)code)->severity > worst)
			worst = (int)finding_info((enum wlk_finding)code)->severity;
	return worst;
}
