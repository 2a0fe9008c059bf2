/* weighlock-worker: the jailed program.  Started by weighlockd or weighlock, never by hand: it loads everything a
 * scan needs, confines itself, says HELLO, and forks a worker for each job (zygote.c).  A worker gives up what is
 * left, checks one file and writes one report.
 *
 * The only program that links libmagic, whose opinion is asked about files nobody else recognised. */
#include <errno.h>
#include <fcntl.h>
#include <magic.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "arrival.h"
#include "channel.h"
#include "database.h"
#include "digest.h"
#include "digester.h"
#include "job.h"
#include "oom.h"
#include "report.h"
#include "ring.h"
#include "sandbox.h"
#include "scan.h"
#include "source.h"
#include "zygote.h"

/* How a worker ends, besides 0 and SANDBOX_EXIT_JAIL. */
#define EXIT_NO_JOB 91    /* the payload is no job, or there is no randomness */
#define EXIT_NO_REPORT 92 /* the report could not be written in full */

/* Without these libmagic 5.44 spends 0.3 s on 64 KiB of newlines; what they would find out we do not ask. */
#define MAGIC_FLAGS                                                                                                   \
	(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_JSON | MAGIC_NO_CHECK_CSV | \
	    MAGIC_NO_CHECK_TAR | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF |                  \
	    MAGIC_NO_CHECK_TOKENS | MAGIC_NO_CHECK_APPTYPE)

struct program {
	struct sandbox *sandbox;
	magic_t magic;
	enum job_input input;   /* of this worker, as the next two */
	struct arrival arrival; /* of its file, or of what flows by */
	const struct ring *ring;
};

/* ---- what the engine asks of us ---- */

/* The marks come the way the report goes: of an upload still arriving, the output is a socket. */
static bool next_mark(void *ctx, uint64_t *ret_mark)
{
	const struct program *p = ctx;

	if (p->input != JOB_INPUT_FILE)
		return digester_next_mark(SANDBOX_OUT_FD, ret_mark);
	return read(SANDBOX_OUT_FD, ret_mark, sizeof(*ret_mark)) == (ssize_t)sizeof(*ret_mark);
}

static int64_t read_input(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct program *p = ctx;
	ssize_t got;

	if (offset > INT64_MAX)
		return -EINVAL;
	if (p->input != JOB_INPUT_FLOW && !arrival_wait(&p->arrival, offset, n))
		return -EPIPE; /* the front is gone, and with it whoever wanted to know */
	if (p->input == JOB_INPUT_COPY && offset >= p->arrival.size)
		return 0; /* the memory is larger */
	got = pread(SANDBOX_IN_FD, buf, n, (off_t)offset);
	return got < 0 ? -errno : got;
}

/* ---- what flows by ---- */

static const uint8_t *flowing(void *ctx, uint64_t offset, size_t n)
{
	struct program *p = ctx;

	return arrival_wait(&p->arrival, offset, n) ? p->ring->bytes + offset % RING_BYTES : NULL;
}

static bool flowed_intact(void *ctx, uint64_t offset)
{
	const struct program *p = ctx;

	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&p->ring->begun, memory_order_relaxed) <= offset + RING_BYTES;
}

static const uint8_t (*flowed_chains(void *ctx))[SHA256_BYTES]
{
	struct program *p = ctx;
	uint64_t mark;

	while (p->arrival.mark != DIGESTER_HASHED && next_mark(p, &mark))
		p->arrival.mark = mark;
	return p->arrival.mark == DIGESTER_HASHED ? p->ring->chains : NULL;
}

/* Its pages are there as soon as a mark says so. */
static const struct ring *map_ring(const struct job *job)
{
	bool third_is_taken = job->document_size > 0 || job->task == JOB_CONVERT;
	int fd = third_is_taken ? SANDBOX_FOURTH_FD : SANDBOX_THIRD_FD;
	void *at = mmap(NULL, sizeof(struct ring), PROT_READ, MAP_SHARED, fd, 0);

	return at != MAP_FAILED ? at : NULL;
}

/* Sealed by the front: all of it is there. */
static int64_t read_document(void *ctx, uint64_t offset, void *buf, size_t n)
{
	ssize_t got;

	(void)ctx;
	if (offset > INT64_MAX)
		return -EINVAL;
	got = pread(SANDBOX_DOCUMENT_FD, buf, n, (off_t)offset);
	return got < 0 ? -errno : got;
}

static bool write_output(void *ctx, uint64_t offset, const void *at, size_t n)
{
	const uint8_t *from = at;

	(void)ctx;
	while (n > 0) {
		ssize_t wrote = offset <= INT64_MAX ? pwrite(SANDBOX_MADE_FD, from, n, (off_t)offset) : -1;

		if (wrote <= 0)
			return false;
		from += wrote;
		n -= (size_t)wrote;
		offset += (uint64_t)wrote;
	}
	return true;
}

static bool write_report(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	while (n > 0) {
		ssize_t wrote = write(SANDBOX_OUT_FD, at, n);

		if (wrote <= 0)
			return false; /* no handler could interrupt it, so nobody is reading any more */
		at += wrote;
		n -= (size_t)wrote;
	}
	return true;
}

static uint64_t clock_ms(void *ctx)
{
	struct timespec t;

	(void)ctx;
	if (clock_gettime(CLOCK_MONOTONIC, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static const char *media_type(void *ctx, const uint8_t *head, size_t n)
{
	const struct program *p = ctx;

	return magic_buffer(p->magic, head, n);
}

/* ---- one worker ---- */

static struct report report; /* too large for a stack frame */

static _Noreturn void worker_run(void *ctx, pid_t zygote_pid, const uint8_t *payload, size_t n)
{
	struct program *p = ctx;
	struct wlk_input input = {
		.read = read_input, .read_document = read_document, .ctx = p, .media_type = media_type
	};
	const struct source_flow flow = { .at = flowing, .intact = flowed_intact, .chains = flowed_chains, .ctx = p };
	enum sandbox_third third = SANDBOX_THIRD_NONE;
	struct job job;

	/* The job is the front's own words, and what the limits are made of: read before the jail closes. */
	if (!job_decode(payload, n, &job) ||
	    getrandom(&input.seed, sizeof(input.seed), 0) != (ssize_t)sizeof(input.seed))
		_exit(EXIT_NO_JOB);
	input.flow = &flow;
	p->input = job.input;
	p->arrival =
	    (struct arrival){ .next = next_mark, .ctx = p, .size = job.size, .mark = job.arriving ? 0 : job.size };
	if (job.input == JOB_INPUT_FLOW) {
		p->ring = map_ring(&job);
		if (p->ring == NULL)
			_exit(EXIT_NO_JOB);
	}
	/* Advice: not taken by every file system.  What arrives has just been written, and to read ahead of it would be to fill
	 * pages with zeros that are about to be written.  Of what a digester reads it says how. */
	if (job.input == JOB_INPUT_FILE)
		(void)posix_fadvise(SANDBOX_IN_FD, 0, 0,
		    job.arriving || job.task == JOB_STRUCTURE ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
	if (job.task == JOB_CONVERT) {
		third = SANDBOX_THIRD_MADE;
		input.write_output = write_output;
	} else if (job.document_size > 0) {
		third = SANDBOX_THIRD_DOCUMENT;
	}
	sandbox_enter(p->sandbox, zygote_pid, limits_deadline_s(&job.limits, job.size), third, job.output_max);

	report_init(&report, write_report, clock_ms, p);
	(void)wlk_scan(&input, &job, &report); /* how it went is the report's last record */
	_exit(report.failed ? EXIT_NO_REPORT : 0);
}

static _Noreturn void worker_digest(void *ctx, pid_t zygote_pid)
{
	const struct program *p = ctx;

	sandbox_enter_digester(p->sandbox, zygote_pid);
	digester_serve();
}

/* ---- loading ---- */

static int64_t read_sample(void *ctx, uint64_t offset, void *buf, size_t n)
{
	static const uint8_t sample[] = { 0x7f, 'n', 'o', ' ', 'm', 'o', 'd', 'e', 'l' };

	(void)ctx;
	if (offset >= sizeof(sample))
		return 0;
	if (n > sizeof(sample) - offset)
		n = sizeof(sample) - (size_t)offset;
	memcpy(buf, sample + offset, n);
	return (int64_t)n;
}

static bool discard_report(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	(void)at;
	(void)n;
	return true;
}

/* Everything libraries do on first use (bind, detect the processor, allocate) is done once here, by scanning a few
 * bytes of our own, and not under the filter in each worker.  The sample is of no known kind, so libmagic is asked
 * too. */
static void warm_up(struct program *p)
{
	const struct wlk_input input = { .read = read_sample, .ctx = p, .media_type = media_type };
	const struct job job = { .size = 9, .kind = SOURCE_IMMUTABLE, .limits = LIMITS_DEFAULT };

	report_init(&report, discard_report, clock_ms, p);
	(void)wlk_scan(&input, &job, &report);
}

/* Return: 0 or negative errno, explained on standard error. */
static int load(struct program *p)
{
#ifndef WLK_SANITIZED /* which brings its own malloc */
	/* One heap: a second one would need mprotect(2), which the filter forbids. */
	if (mallopt(M_ARENA_MAX, 1) != 1)
		return -ENOMEM;
#endif
	p->magic = magic_open(MAGIC_FLAGS);
	if (p->magic == NULL)
		return -ENOMEM;
	if (!database_load(p->magic)) {
		fprintf(stderr, "weighlock-worker: libmagic's database: %s\n", magic_error(p->magic));
		return -ENOENT;
	}
	warm_up(p);
	return 0;
}

/* What loading freed is merged, given back and sorted by size once, here: the C library puts that off until the next
 * larger request, so every worker would do it, and copy the thirty pages all that lies in. */
static void heap_tidy(void)
{
	void *volatile larger_than_what_is_free; /* volatile: or the compiler sees that nothing is wanted */

	(void)malloc_trim(0);
	larger_than_what_is_free = malloc((size_t)64 << 10);
	free(larger_than_what_is_free);
}

static void say_hello(int error, const int layer_errno[SANDBOX_N_LAYERS])
{
	struct channel_message hello = { .type = CHANNEL_HELLO, .error = error, .build = sandbox_build_id() };

	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		hello.layer_errno[i] = layer_errno[i];
	(void)channel_send(SANDBOX_CHANNEL_FD, &hello, NULL, 0);
}

/* Started by hand there is no channel, and nothing must be confined. */
static bool have_channel(void)
{
	int type = 0;
	socklen_t size = sizeof(type);

	return getsockopt(SANDBOX_CHANNEL_FD, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

int main(void)
{
	int layer_errno[SANDBOX_N_LAYERS] = { 0 };
	struct program program = { 0 };
	const struct zygote_worker worker = { .ctx = &program, .run = worker_run, .digest = worker_digest };
	int r;

	if (!have_channel()) {
		fprintf(stderr, "weighlock-worker: started by weighlockd(8) and weighlock(1), not by hand\n");
		return 4;
	}
	/* A reader that went away is an error of write(2), not a death. */
	signal(SIGPIPE, SIG_IGN);
	oom_go_sooner(OOM_WORKER);
	r = load(&program);
	if (r == 0)
		r = sandbox_prepare(&program.sandbox, layer_errno);
	heap_tidy();
	if (r == 0 && layer_errno[SANDBOX_SECCOMP] == 0)
		r = sandbox_confine_zygote(program.sandbox);
	say_hello(r, layer_errno);
	if (r == 0)
		r = zygote_serve(SANDBOX_CHANNEL_FD, &worker);
	return r == 0 ? 0 : 1;
}
