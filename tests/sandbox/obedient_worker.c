/* A worker program for tests: the real zygote loop and the real jail around a worker that does what its input says,
 * so that any front can be shown what a taken-over worker might do.  Of the job only how the input comes is looked at.  The input is one line and
 * then anything:
 *
 *	exit N        end with status N
 *	write N       the rest of the input is the report, byte for byte; then end with status N
 *	flood         write zeros until nobody reads
 *	spin          use the processor for ever
 *	sleep         wait for ever
 *	trap          die of an illegal instruction
 *	forbidden     make a call the jail kills for */
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"
#include "digest.h"
#include "digester.h"
#include "job.h"
#include "sandbox.h"
#include "zygote.h"

#define CPU_SECONDS 2

static void write_all(const char *at, size_t n)
{
	while (n > 0) {
		ssize_t wrote = write(SANDBOX_OUT_FD, at, n);

		if (wrote <= 0)
			_exit(92);
		at += wrote;
		n -= (size_t)wrote;
	}
}

static void write_input_from(off_t at)
{
	static char buf[65536];
	ssize_t n;

	while ((n = pread(SANDBOX_IN_FD, buf, sizeof(buf), at)) > 0) {
		write_all(buf, (size_t)n);
		at += n;
	}
}

static void flood(void)
{
	static const char zeros[65536];

	for (;;)
		write_all(zeros, sizeof(zeros));
}

static void spin(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

/* The one way to sleep that the jail leaves: a lock nobody opens. */
static void doze(void)
{
	static uint32_t locked;

	for (;;)
		syscall(SYS_futex, &locked, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL);
}

static int number_after(const char *line, const char *verb)
{
	int n = 0;

	for (const char *p = line + strlen(verb); *p >= '0' && *p <= '9' && n < 256; p++)
		n = n * 10 + (*p - '0');
	return n;
}

static _Noreturn void obey(void)
{
	char line[32] = { 0 };
	ssize_t n = pread(SANDBOX_IN_FD, line, sizeof(line) - 1, 0);
	char *end = n > 0 ? strchr(line, '\n') : NULL;

	if (end == NULL)
		_exit(93);
	*end = '\0';
	if (strncmp(line, "exit ", 5) == 0)
		_exit(number_after(line, "exit "));
	if (strncmp(line, "write ", 6) == 0) {
		write_input_from(end + 1 - line);
		_exit(number_after(line, "write "));
	}
	if (strcmp(line, "flood") == 0)
		flood();
	if (strcmp(line, "spin") == 0)
		spin();
	if (strcmp(line, "sleep") == 0)
		doze();
	if (strcmp(line, "trap") == 0)
		__builtin_trap();
	if (strcmp(line, "forbidden") == 0)
		syscall(SYS_getpid);
	_exit(94);
}

static _Noreturn void run(void *ctx, pid_t zygote_pid, const uint8_t *payload, size_t n)
{
	uint64_t mark = 0;
	struct job job;

	if (!job_decode(payload, n, &job) || job.input != JOB_INPUT_COPY)
		job.size = 0;
	sandbox_enter(ctx, zygote_pid, CPU_SECONDS, SANDBOX_THIRD_NONE, 0);
	while (mark < job.size && digester_next_mark(SANDBOX_OUT_FD, &mark))
		;
	obey();
}

/* A digester as any. */
static _Noreturn void digest(void *ctx, pid_t zygote_pid)
{
	sandbox_enter_digester(ctx, zygote_pid);
	digester_serve();
}

int main(void)
{
	struct channel_message hello = { .type = CHANNEL_HELLO, .build = sandbox_build_id() };
	int layer_errno[SANDBOX_N_LAYERS] = { 0 };
	struct sandbox *sb = NULL;
	struct zygote_worker worker = { .run = run, .digest = digest };

	signal(SIGPIPE, SIG_IGN);
	hello.error = sandbox_prepare(&sb, layer_errno);
	if (hello.error == 0 && layer_errno[SANDBOX_SECCOMP] == 0)
		hello.error = sandbox_confine_zygote(sb);
	worker.ctx = sb;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		hello.layer_errno[i] = layer_errno[i];
	if (channel_send(SANDBOX_CHANNEL_FD, &hello, NULL, 0) < 0 || hello.error < 0)
		return 1;
	return zygote_serve(SANDBOX_CHANNEL_FD, &worker) == 0 ? 0 : 1;
}
