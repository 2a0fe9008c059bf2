/* A worker program that lies.  Speaks the zygote's protocol with the right build id, and answers each job as the
 * file itself asks ("MODE:name" in its first bytes; a set's document in the name of one of its files, "SET:name!"), so
 * that a test can prove that the front accepts nothing but a whole, consistent, honest report.  A file without MODE gets
 * an honest "accept" report: the tests could fail.
 *
 * Built with HELD, a zygote's first worker stops itself, until a test lets it go on. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "channel.h"
#include "digest.h"
#include "digester.h"
#include "job.h"
#include "report.h"
#include "sandbox.h"

static bool write_all(void *ctx, const uint8_t *at, size_t n)
{
	int fd = *(int *)ctx;

	while (n > 0) {
		ssize_t done = write(fd, at, n);

		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static void write_raw(int out, const void *at, size_t n)
{
	write_all(&out, at, n);
}

/* Until so much of what arrives is there.  What flows by goes by unseen: the file is open. */
static void wait_for(int out, const struct job *job, uint64_t n)
{
	static uint64_t mark;

	while (job->arriving && job->input != JOB_INPUT_FLOW && mark < n)
		if (job->input == JOB_INPUT_COPY ? !digester_next_mark(out, &mark)
						 : read(out, &mark, sizeof(mark)) != (ssize_t)sizeof(mark))
			_exit(71);
}

/* An honest final record about the file: what a clean scan would have said.  Waits for all of it. */
static struct report_final honest(int in, int out, const struct job *job)
{
	struct report_final final = { .size = job->size,
		.bytes = job->size,
		.complete = true,
		.has_digest = true,
		.format = WLK_FORMAT_SAFETENSORS };
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	uint8_t block[65536];
	off_t at = 0;
	ssize_t n;

	wait_for(out, job, job->size);
	EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
	while ((uint64_t)at < job->size && (n = pread(in, block, sizeof(block), at)) > 0) {
		n = (uint64_t)n < job->size - (uint64_t)at ? n : (ssize_t)(job->size - (uint64_t)at);
		EVP_DigestUpdate(ctx, block, (size_t)n);
		at += n;
	}
	EVP_DigestFinal_ex(ctx, final.sha256, NULL);
	EVP_MD_CTX_free(ctx);
	final.has_digest = !job->undigested;
	return final;
}

static void send_final(int out, const struct report_final *final)
{
	struct report r;

	report_init(&r, write_all, NULL, &out);
	report_end(&r, final);
}

/* The honest report's bytes, to be cut or repeated. */
static uint8_t capture[4096];
static size_t captured;

static bool keep(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	if (n > sizeof(capture) - captured)
		return false;
	memcpy(capture + captured, at, n);
	captured += n;
	return true;
}

static void capture_final(const struct report_final *final)
{
	struct report r;

	report_init(&r, keep, NULL, NULL);
	report_end(&r, final);
}

static void send_findings(int out, const struct report_final *final, uint64_t n)
{
	struct report r;

	report_init(&r, write_all, NULL, &out);
	for (uint64_t i = 0; i < n; i++)
		report_at(&r, WLK_F_ST_UNKNOWN_FIELD, 0);
	report_end(&r, final);
}

/* A report that makes the largest verdict there is. */
static void send_long(int out, const struct report_final *final)
{
	static uint8_t text[250];
	struct report r;

	memset(text, 'x', sizeof(text));
	report_init(&r, write_all, NULL, &out);
	for (unsigned i = 0; i < 40 * 100; i++) {
		struct finding f = { .code = (enum wlk_finding)(i / 100), .subject = bytes_of(text, sizeof(text)) };

		report_finding(&r, &f);
	}
	report_end(&r, final);
}

/* "rows:N": as many tensors, and their digests where the job wants them. */
static void send_rows(int out, const struct report_final *final, const struct job *job, uint64_t n)
{
	struct report r;

	report_init(&r, write_all, NULL, &out);
	r.wants_rows = job->rows;
	r.wants_digests = job->digests;
	for (uint64_t i = 0; i < n; i++) {
		char name[64];
		struct manifest_row row = { .kind = MANIFEST_TENSOR,
			.dtype = bytes_of_text("F32"),
			.index = i,
			.rank = 2,
			.shape = { 4096, i } };

		snprintf(name, sizeof(name), "model.layers.%llu.mlp.weight", (unsigned long long)i);
		row.name = bytes_of_text(name);
		row.name_bytes = row.name.n;
		if (!report_manifest_row(&r, &row))
			break;
		report_manifest_digest(&r, i, final->sha256);
	}
	if (job->rows)
		report_fact_flag(&r, WLK_FACT_TENSORS_LISTED, true);
	report_end(&r, final);
}

/* What a worker may do that was started while its file is arriving: "early-..." is done by such a one only, so that the
 * same file is judged honestly when it is scanned again. */
static void act_early(const char *mode, int out, const struct job *job)
{
	struct report_final final = { .size = job->size,
		.bytes = job->size,
		.complete = true,
		.has_digest = true,
		.format = WLK_FORMAT_SAFETENSORS };

	if (strcmp(mode, "early-crash") == 0) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	} else if (strcmp(mode, "early-accept") == 0) {
		send_final(out, &final); /* about bytes that nobody has seen */
		_exit(0);
	} else if (strcmp(mode, "early-reject") == 0) {
		final.complete = false;
		send_findings(out, &final, 1);
		_exit(0);
	} else if (strcmp(mode, "early-garbage") == 0) {
		write_raw(out, "\xff\xff\xff\xff nonsense nonsense nonsense", 37);
	} else if (strcmp(mode, "early-hang") == 0) {
		for (;;)
			pause();
	}
}

/* "put-off...": by one that may, so that the same file is judged when it is scanned again; "put-off-always": by any. */
static void put_off(const char *mode, int out, const struct job *job)
{
	const struct report_final final = { .size = job->size };
	struct report r;

	if (job->part == JOB_PART_MEMBER_AGAIN && strcmp(mode, "put-off-hang") == 0)
		for (;;)
			pause();
	if (job->part != JOB_PART_MEMBER && strcmp(mode, "put-off-always") != 0)
		return;
	report_init(&r, write_all, NULL, &out);
	report_fact_flag(&r, WLK_FACT_PUT_OFF, true);
	report_end(&r, &final);
	_exit(0);
}

static void answer(const char *mode, int in, int out, const struct job *job)
{
	struct report_final final;

	if (job->arriving && job->input == JOB_INPUT_FILE)
		act_early(mode, out, job);
	if (strncmp(mode, "put-off", 7) == 0)
		put_off(mode, out, job);
	final = honest(in, out, job);
	capture_final(&final);
	if (strcmp(mode, "garbage") == 0) {
		write_raw(out, "\xff\xff\xff\xff nonsense nonsense nonsense", 37);
	} else if (strcmp(mode, "text") == 0) {
		write_raw(out, "{\"verdict\":\"accept\"}\n", 21);
	} else if (strcmp(mode, "nothing") == 0) {
		/* ends with status 0 and not a byte */
	} else if (strcmp(mode, "half") == 0) {
		write_raw(out, capture, captured / 2);
	} else if (strcmp(mode, "last-byte-missing") == 0) {
		write_raw(out, capture, captured - 1);
	} else if (strcmp(mode, "huge") == 0) {
		static uint8_t zeros[1 << 16];

		for (int i = 0; i < 4096 && write(out, zeros, sizeof(zeros)) > 0; i++)
			;
	} else if (strcmp(mode, "huge-length") == 0) {
		write_raw(out, "\x00\x00\x00\x7f\x02", 5);
	} else if (strcmp(mode, "endless-progress") == 0) {
		const uint8_t progress[13] = { 8, 0, 0, 0, RECORD_PROGRESS };

		while (write(out, progress, sizeof(progress)) > 0)
			;
	} else if (strcmp(mode, "out-of-order") == 0) {
		write_raw(out, capture, captured);
		send_findings(out, &final, 1);
	} else if (strcmp(mode, "twice") == 0) {
		write_raw(out, capture, captured);
		write_raw(out, capture, captured);
	} else if (strcmp(mode, "trailing-byte") == 0) {
		write_raw(out, capture, captured);
		write_raw(out, "", 1);
	} else if (strcmp(mode, "wrong-size") == 0) {
		final.size++;
		send_final(out, &final);
	} else if (strcmp(mode, "own-digest") == 0) {
		final.has_digest = true;
		send_final(out, &final);
	} else if (strcmp(mode, "other-digest") == 0) {
		final.has_digest = true;
		memset(final.sha256, 0xb0, sizeof(final.sha256));
		send_final(out, &final);
	} else if (strcmp(mode, "unread") == 0) {
		final.bytes = 0;
		send_final(out, &final);
	} else if (strcmp(mode, "complete-unknown") == 0) {
		final.format = WLK_FORMAT_UNKNOWN;
		send_final(out, &final);
	} else if (strcmp(mode, "wrong-sums") == 0) {
		struct report r;

		report_init(&r, write_all, NULL, &out);
		report_nonfinite(
		    &r, &(struct nonfinite){ .tensor = bytes_of_text("w"), .dtype = WLK_DTYPE_F32, .nan = 2 });
		r.totals.nan = 1;
		report_end(&r, &final);
	} else if (strcmp(mode, "status-1") == 0) {
		write_raw(out, capture, captured);
		_exit(1);
	} else if (strcmp(mode, "crash-after") == 0) {
		write_raw(out, capture, captured);
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	} else if (strcmp(mode, "die") == 0) {
		raise(SIGKILL);
	} else if (strcmp(mode, "seccomp") == 0) {
		raise(SIGSYS);
	} else if (strcmp(mode, "reject-then-die") == 0) {
		struct report r;

		report_init(&r, write_all, NULL, &out);
		report_at(&r, WLK_F_ST_DATA_TRAILING, 0);
		for (int i = 0; i < 400; i++) /* enough to be flushed */
			report_at(&r, WLK_F_ST_DATA_TRAILING, 0);
		for (int i = 0; i < 2000; i++)
			report_at(&r, WLK_F_ST_DATA_HOLE, 0);
		raise(SIGSEGV);
	} else if (strncmp(mode, "rows:", 5) == 0) {
		send_rows(out, &final, job, strtoull(mode + 5, NULL, 10));
	} else if (strcmp(mode, "unasked-row") == 0) {
		send_rows(out, &final, &(struct job){ .rows = true }, 1);
	} else if (strcmp(mode, "long") == 0) {
		send_long(out, &final);
	} else if (strcmp(mode, "hang") == 0 || strcmp(mode, "undead") == 0) {
		for (;;)
			pause();
	} else if (strcmp(mode, "sleep") == 0) {
		sleep(1);
		write_raw(out, capture, captured);
	} else if (strcmp(mode, "hang-after") == 0) {
		write_raw(out, capture, captured);
		for (;;)
			pause();
	} else {
		write_raw(out, capture, captured);
	}
}

/* A set's document holds the names of its files, and one of them says what to do: "SET:mode". */
static void read_set_mode(int in, char *head, size_t n)
{
	static char document[1 << 16];
	ssize_t got = pread(in, document, sizeof(document), 0);
	const char *at = got > 0 ? memmem(document, (size_t)got, "SET:", 4) : NULL;

	snprintf(head, n, "MODE:%.*s", at ? (int)strcspn(at + 4, "!") : 0, at ? at + 4 : "");
}

static void run_job(const struct channel_message *m, int in, int out)
{
	char head[64] = "";
	struct job job;

	signal(SIGPIPE, SIG_DFL);
	if (!job_decode(m->payload, m->payload_n, &job))
		_exit(70);
	wait_for(out, &job, job.input == JOB_INPUT_COPY ? job.size : 0);
	if (pread(in, head, sizeof(head) - 1, 0) < 0)
		_exit(70);
	if (job.task == JOB_SET)
		read_set_mode(in, head, sizeof(head));
	if (strncmp(head, "MODE:", 5) == 0)
		head[strcspn(head, "\n")] = '\0';
	else
		memcpy(head, "MODE:", sizeof("MODE:"));
	answer(head + 5, in, out, &job);
	_exit(0);
}

struct child {
	pid_t pid;
	uint64_t id;
	int in; /* its input; -1: it is a digester */
};

static struct child children[256];

#ifdef HELD
static const bool held = true;
#else
static const bool held = false;
#endif

/* An honest one: it parses nothing, so there is nothing in a file that could make it lie. */
static _Noreturn void run_digester(void)
{
	closefrom(SANDBOX_IN_FD + 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "digester"); /* for tests that count workers */
	digester_serve();
}

static void start(const struct channel_message *m, int fds[CHANNEL_FDS_MAX])
{
	static bool begun;

	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++) {
		if (children[i].pid != 0)
			continue;
		children[i].id = m->id;
		children[i].in = m->type == CHANNEL_JOB ? dup(fds[0]) : -1;
		children[i].pid = fork();
		if (children[i].pid == 0) {
			close(SANDBOX_CHANNEL_FD);
			if (m->type == CHANNEL_DIGESTER && dup2(fds[0], SANDBOX_IN_FD) == SANDBOX_IN_FD)
				run_digester();
			if (held && !begun)
				raise(SIGSTOP);
			run_job(m, fds[0], fds[1]);
		}
		break;
	}
	begun = begun || m->type == CHANNEL_JOB;
	for (size_t j = 0; j < CHANNEL_FDS_MAX; j++)
		if (fds[j] >= 0)
			close(fds[j]);
}

/* As if it hung in the kernel: CANCEL does not end it. */
static bool is_undead(const struct child *c)
{
	char head[sizeof("MODE:undead") - 1];

	return pread(c->in, head, sizeof(head), 0) == sizeof(head) && memcmp(head, "MODE:undead", sizeof(head)) == 0;
}

static void cancel(uint64_t id)
{
	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		if (children[i].pid != 0 && children[i].id == id && !is_undead(&children[i]))
			kill(children[i].pid, SIGKILL);
}

static size_t reap(void)
{
	size_t alive = 0;

	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++) {
		struct channel_message m = { .type = CHANNEL_EXITED, .id = children[i].id };
		int status;

		if (children[i].pid == 0)
			continue;
		if (waitpid(children[i].pid, &status, WNOHANG) <= 0) {
			alive++;
			continue;
		}
		m.status = status;
		children[i].pid = 0;
		if (children[i].in >= 0)
			close(children[i].in);
		channel_send(SANDBOX_CHANNEL_FD, &m, NULL, 0);
	}
	return alive;
}

int main(void)
{
	struct channel_message m = { .type = CHANNEL_HELLO, .build = sandbox_build_id() };
	bool open = true;

	channel_send(SANDBOX_CHANNEL_FD, &m, NULL, 0);
	for (;;) {
		struct pollfd p = { .fd = SANDBOX_CHANNEL_FD, .events = POLLIN };
		int fds[CHANNEL_FDS_MAX];

		poll(&p, open ? 1 : 0, 5);
		if (reap() == 0 && !open)
			return 0;
		if (!open || !(p.revents & (POLLIN | POLLHUP)))
			continue;
		switch (channel_recv(SANDBOX_CHANNEL_FD, &m, fds)) {
		case 1:
			if (m.type == CHANNEL_JOB || m.type == CHANNEL_DIGESTER)
				start(&m, fds);
			else if (m.type == CHANNEL_CANCEL)
				cancel(m.id);
			else if (m.type == CHANNEL_PING)
				channel_send(
				    SANDBOX_CHANNEL_FD, &(struct channel_message){ .type = CHANNEL_PONG }, NULL, 0);
			break;
		case 0: open = false; break;
		default: break;
		}
	}
}
