/* One file in, one report out: the whole of the engine, without a system call of its own. */
#pragma once

#include "job.h"
#include "report.h"
#include "siphash.h"
#include "source.h"

/* What the engine is given.  All borrowed for the call. */
struct wlk_input {
	source_read_fn read; /* pread(2) on the file */
	/* pwrite(2) on the output of JOB_CONVERT, all of it; NULL where no job has one.  False: it could not be written. */
	bool (*write_output)(void *ctx, uint64_t offset, const void *at, size_t n);
	source_read_fn read_document; /* the same of the job's document; NULL where no job has one */
	void *ctx;
	const struct source_flow *flow; /* of JOB_INPUT_FLOW, else NULL */
	struct siphash_key seed;        /* fresh random bytes per process */
	/* libmagic's opinion of a file nobody else recognised, from at most 4 KiB of head; static or long-lived
	 * text, or NULL.  May be NULL. */
	const char *(*media_type)(void *ctx, const uint8_t *head, size_t n);
};

/**
 * wlk_scan() - identify, read, hash and weigh one file
 * @report: initialised by the caller; wlk_scan() ends it with report_end().
 *
 * Memory: 48 MiB plus 3 bytes a header byte at most (job->limits.memory), whatever the file's size.
 * Return: what the final record says: DONE (complete), BROKEN or INCOMPLETE.
 */
enum wlk_status wlk_scan(const struct wlk_input *in, const struct job *job, struct report *report);
