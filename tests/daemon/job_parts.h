/* Scans with a zygote that is the test: what they are asked for, and what they come to. */
#pragma once

#include "front_parts.h"
#include "report.h"

static struct outcome {
	unsigned n;
	bool has_verdict, put_off;
	enum verdict_value value;
	enum wlk_cause cause;
	enum trouble trouble;
	struct report_final final;
	enum digest_by digest_by;
} told;

static inline void on_done(void *ctx, const struct scan_result *r)
{
	(void)ctx;
	told = (struct outcome){ .n = told.n + 1,
		.has_verdict = r->has_verdict,
		.put_off = r->put_off,
		.value = r->value,
		.trouble = r->trouble };
	if (r->facts) {
		told.cause = r->facts->final.cause;
		told.final = r->facts->final;
		told.digest_by = r->facts->digest_by;
	}
	rows_free(r->rows);
	if (r->put_off)
		close(r->input);
}

static inline enum queue_answer admit_like(enum job_part part, bool by_descriptor, struct scan **ret)
{
	const struct scan_request r = { .policy = part_settings.default_policy,
		.name = "x",
		.request_id = "1",
		.tenant = "uid:1",
		.peer_uid = getuid(),
		.part = part,
		.by_descriptor = by_descriptor,
		.unrecorded = true };

	return scan_admit(part_jobs, &r, on_done, NULL, ret);
}

static inline struct scan *admit_as(enum job_part part)
{
	struct scan *s;

	ck_assert_int_eq(admit_like(part, false, &s), QUEUE_OK);
	return s;
}

static inline struct scan *admit(void)
{
	return admit_as(JOB_PART_ALONE);
}

/* A job, as a zygote gets it. */
struct given {
	uint64_t id;
	int output;
};

static inline struct given take_job(int channel)
{
	uint8_t appendix[CHANNEL_APPENDIX_MAX];
	int fds[CHANNEL_FDS_MAX];
	struct channel_message m;

	ck_assert_int_eq(channel_recv_with(channel, &m, appendix, fds), 1);
	ck_assert_uint_eq(m.type, CHANNEL_JOB);
	close(fds[0]);
	return (struct given){ .id = m.id, .output = fds[1] };
}

static inline bool is_told_to_kill(int channel, uint64_t id)
{
	int fds[CHANNEL_FDS_MAX];
	struct channel_message m;

	return channel_recv(channel, &m, fds) == 1 && m.type == CHANNEL_CANCEL && m.id == id;
}

static inline bool write_to(void *ctx, const uint8_t *at, size_t n)
{
	return write(*(const int *)ctx, at, n) == (ssize_t)n;
}

static struct scan *scan;
static int zygote;

/* ---- of a descriptor: a worker, and a digester ---- */

static inline struct given begin_file(uint64_t size, bool sealed)
{
	int fd = memfd_create("x", MFD_CLOEXEC);

	make_jobs();
	zygote = make_zygote(jobs_parts(part_jobs)->zygotes, 1);
	scan = admit();
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	files_received(&part_env.files, getuid(), 1);
	scan_start_fd(scan, fd, size, sealed);
	return take_job(zygote);
}

/* Another digester is asked for, and ready. */
static inline void expect_digester(void)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];

	ck_assert(channel_recv(zygote, &m, fds) == 1 && part_is_digester(&m, fds));
	turn();
}

/* All of it is well, and the worker ends. */
static inline void end_well(struct given job, uint64_t size)
{
	const struct report_final end = { .size = size, .bytes = size, .format = WLK_FORMAT_GGUF, .complete = true };
	struct report r;

	report_init(&r, write_to, NULL, &job.output);
	ck_assert(report_end(&r, &end));
	close(job.output);
	say_exited(zygote, job.id, 0, 0);
	turn();
}
