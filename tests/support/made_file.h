/* Files that a test puts together byte by byte, and what the engine says of them. */
#pragma once

#include "harness.h"
#include "memory_scan.h"

/* Bytes in the making.  Zeroed: none.  Free .at. */
struct file {
	uint8_t *at;
	size_t n, room;
};

/* At NULL: zeros.  Return: where they begin. */
static inline size_t put(struct file *f, const void *at, size_t n)
{
	size_t begin = f->n;

	if (n > f->room - f->n) {
		f->room = (f->n + n) * 2;
		f->at = realloc(f->at, f->room);
		ck_assert_ptr_nonnull(f->at);
	}
	if (n > 0 && at != NULL)
		memcpy(f->at + f->n, at, n);
	else if (n > 0)
		memset(f->at + f->n, 0, n);
	f->n += n;
	return begin;
}

/* Free with facts_free(). */
static inline struct facts *file_scan(const struct file *f, enum wlk_format_id hint, enum source_kind kind)
{
	struct job job = memory_job(f->n);

	job.hint = hint;
	job.kind = kind;
	return memory_scan_job(f->at, f->n, &job);
}

/* Each byte with each of these bits turned: there is a verdict, and no finding outside of the file. */
static inline void file_damage(struct file *f, enum wlk_format_id hint, const uint8_t *bits, size_t n)
{
	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < n; k++) {
			struct facts *facts;

			f->at[i] ^= bits[k];
			facts = file_scan(f, hint, SOURCE_IMMUTABLE);
			ck_assert(facts->has_final && facts->final.cause == WLK_CAUSE_NONE);
			ck_assert(facts->final.complete || facts->n_findings > 0);
			for (uint32_t j = 0; j < facts->n_findings; j++)
				ck_assert(facts->findings[j].offset <= f->n);
			facts_free(facts);
			f->at[i] ^= bits[k];
		}
	}
}
