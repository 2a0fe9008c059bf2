/* Files and reports in memory, for the tests of the core: no test needs a descriptor. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "report.h"
#include "source.h"

/* A file that can be made to misbehave between two reads. */
struct mem_file {
	uint8_t *at;
	uint64_t size;                   /* what a read sees as the end */
	uint64_t max_read;               /* at most so many bytes a call: short reads */
	uint64_t reads;                  /* calls so far */
	uint64_t bytes;                  /* bytes returned so far */
	uint64_t fail_at;                /* this call (counted from 1) returns -EIO */
	uint64_t act_at;                 /* before this call ... */
	void (*act)(struct mem_file *f); /* ... this happens */
};

static inline int64_t mem_read(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct mem_file *f = ctx;

	f->reads++;
	if (f->act != NULL && f->reads == f->act_at)
		f->act(f);
	if (f->reads == f->fail_at)
		return -EIO;
	if (offset >= f->size)
		return 0;
	if (n > f->size - offset)
		n = (size_t)(f->size - offset);
	if (f->max_read > 0 && n > f->max_read)
		n = (size_t)f->max_read;
	memcpy(buf, f->at + offset, n);
	f->bytes += n;
	return (int64_t)n;
}

/* xorshift64: tests are the same on every run. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline struct mem_file mem_file_random(uint64_t size)
{
	struct mem_file f = { .at = malloc(size > 0 ? (size_t)size : 1), .size = size };
	uint64_t state = size + 88172645463325252u;

	for (uint64_t i = 0; i < size; i++)
		f.at[i] = (uint8_t)next_random(&state);
	return f;
}

/* An encoded report, growing. */
struct mem_report {
	uint8_t *at;
	size_t n, writes;
	size_t refuse_after; /* bytes after which the writer refuses; 0: never */
	uint64_t clock_ms;
};

static inline bool mem_write(void *ctx, const uint8_t *at, size_t n)
{
	struct mem_report *m = ctx;

	if (m->refuse_after > 0 && m->n + n > m->refuse_after)
		return false;
	m->at = realloc(m->at, m->n + n);
	memcpy(m->at + m->n, at, n);
	m->n += n;
	m->writes++;
	return true;
}

static inline uint64_t mem_clock(void *ctx)
{
	const struct mem_report *m = ctx;

	return m->clock_ms;
}

/* What a report says, decoded in one go; the report must be sound. */
static inline struct facts *mem_decode(const struct mem_report *m, uint64_t size)
{
	struct facts *f = facts_new();

	facts_feed(f, m->at, m->n);
	facts_finish(f, WLK_CAUSE_NONE, &(struct facts_expect){ .size = size });
	return f;
}
