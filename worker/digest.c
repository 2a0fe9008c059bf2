/* See digest.h.  A file is read once, in chunks, into memory that its worker can read as well, and what lies there is
 * hashed.  So the digest is that of the bytes which the worker judges, whoever changes the file meanwhile, and whatever
 * becomes of the worker: it can neither write there, nor say anything here, but for how many marks it has taken.
 *
 * Few marks fit into a socket (DIGESTER_MARKS_MAX), so a worker that is itself is never overtaken, which `begun` lets it check; and one that takes them
 * all at once deceives itself alone.
 *
 * Of a large file another process hashes, a copy of this one, which is told by marks, too: that takes a processor all the
 * time, and what reading takes is then the other's.  It never waits for storage. */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arrival.h"
#include "checked.h"
#include "ring.h"
#include "digester.h"
#include "sandbox.h"
#include "sha256.h"

#define HASHER_MIN ((uint64_t)8 << 20) /* bytes: the fork costs a tenth of a millisecond */

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

/* One file. */
struct going {
	struct digester_job job;
	int file;
	int marks;  /* the worker's; -1: it has gone, or wants none */
	int hasher; /* where another process is told; -1: none hashes */
	int told;   /* in that process: where; -1 */
	struct ring *ring;
	uint64_t fetched;
	int error;
};

/* ---- memory ---- */

/* Return: a memory file that only @ret can write to, or negative errno. */
static int ring_new(struct ring **ret)
{
	int fd = memfd_create("weighlock-digester", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	void *at;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("weighlock-digester", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, sizeof(struct ring)) < 0)
		return -errno;
	at = mmap(NULL, sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || fcntl(fd, F_ADD_SEALS, DIGESTER_SEALS) < 0)
		return -errno;
	*ret = at;
	return fd;
}

/* ---- marks ---- */

/* Few fit, so that whoever takes them is never far behind. */
static void marks_limit(int socket)
{
	const int least = 1;

	(void)setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
}

/* Waits for room.  Return: false when nobody is there any more. */
static bool mark_send(int socket, uint64_t n)
{
	const struct digester_mark mark = { .n = n };

	for (;;) {
		struct pollfd room = { .fd = socket, .events = POLLOUT };

		if (send(socket, &mark, sizeof(mark), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(mark))
			return true;
		if (errno == EAGAIN)
			(void)poll(&room, 1, -1);
		else if (errno != EINTR)
			return false;
	}
}

/* ---- reading ---- */

static int read_exactly(int file, uint8_t *at, size_t n, uint64_t offset)
{
	while (n > 0) {
		ssize_t got = pread(file, at, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ENODATA;
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

/* Bytes behind the size that was measured would be bytes nobody hashed. */
static int read_end(int file, uint64_t size)
{
	uint8_t beyond;
	ssize_t n = pread(file, &beyond, 1, (off_t)size);

	if (n < 0)
		return -errno;
	return n == 0 ? 0 : -EFBIG;
}

static size_t chunk_at(const struct going *g, uint64_t offset)
{
	return (size_t)min_u64(RING_CHUNK, g->job.size - offset);
}

/* The next chunk into the memory, and marks to those who wait for it. */
static int fetch(struct going *g)
{
	size_t n = chunk_at(g, g->fetched);
	int r;

	if (g->job.way == DIGESTER_FLOWS) {
		atomic_store_explicit(&g->ring->begun, g->fetched + n, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
	}
	r = read_exactly(g->file, g->ring->bytes + g->fetched % RING_BYTES, n, g->fetched);
	if (r == 0 && g->fetched + n == g->job.size)
		r = read_end(g->file, g->job.size);
	if (r < 0)
		return r;
	g->fetched += n;
	if (g->marks >= 0 && !mark_send(g->marks, g->fetched))
		g->marks = -1; /* its worker is dead, and the digest goes on */
	return g->hasher < 0 || mark_send(g->hasher, g->fetched) ? 0 : -EPIPE;
}

/* ---- hashing ---- */

static bool next_mark(void *ctx, uint64_t *ret_mark)
{
	struct going *g = ctx;

	if (g->told >= 0)
		return digester_next_mark(g->told, ret_mark);
	g->error = fetch(g);
	*ret_mark = g->fetched;
	return g->error == 0;
}

static bool hash_all(struct going *g, uint8_t ret_sha256[SHA256_BYTES])
{
	const bool flows = g->job.way == DIGESTER_FLOWS;
	const uint64_t block = source_block_size(g->job.size);
	struct arrival arrival = { .next = next_mark, .ctx = g, .size = g->job.size };
	struct sha256 hash;
	size_t n;

	sha256_begin(&hash);
	for (uint64_t at = 0; at < g->job.size; at += n) {
		n = chunk_at(g, at);
		if (!arrival_wait(&arrival, at, n))
			return false;
		if (flows && at % block == 0)
			sha256_chain(&hash, g->ring->chains[at / block]);
		sha256_feed(&hash, g->ring->bytes + at % RING_BYTES, n);
	}
	sha256_end(&hash, ret_sha256);
	if (flows)
		memcpy(g->ring->chains[g->job.size / block + (g->job.size % block != 0)], ret_sha256, SHA256_BYTES);
	return true;
}

static _Noreturn void hasher_main(struct going *g, pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	(void)close(SANDBOX_IN_FD);
	_exit(hash_all(g, g->ring->digest) ? 0 : 1);
}

/* Return: the process, or negative errno. */
static pid_t hasher_start(struct going *g)
{
	const pid_t self = getpid();
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	marks_limit(pair[1]);
	pid = _Fork();
	if (pid == 0) {
		(void)close(pair[1]);
		g->told = pair[0];
		hasher_main(g, self);
	}
	(void)close(pair[0]);
	g->hasher = pair[1];
	return pid < 0 ? -errno : pid;
}

/* It has been told of everything.  Did it come to the end? */
static int hasher_end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

static int hash_beside(struct going *g, uint8_t ret_sha256[SHA256_BYTES])
{
	pid_t pid = hasher_start(g);
	int r = pid < 0 ? pid : 0, end;

	(void)posix_fadvise(g->file, 0, 0, POSIX_FADV_SEQUENTIAL); /* advice, not taken by every file system */
	while (r == 0 && g->fetched < g->job.size)
		r = fetch(g);
	(void)close(g->hasher);
	end = pid < 0 ? 0 : hasher_end(pid);
	memcpy(ret_sha256, g->ring->digest, SHA256_BYTES);
	return r < 0 ? r : end;
}

/* Return: 0 or what the word is to say. */
static int take_digest(struct going *g, uint8_t ret_sha256[SHA256_BYTES])
{
	if (g->marks >= 0)
		marks_limit(g->marks);
	if (g->job.size >= HASHER_MIN)
		return hash_beside(g, ret_sha256);
	if (g->job.size == 0)
		g->error = read_end(g->file, 0);
	(void)hash_all(g, ret_sha256);
	return g->error;
}

/* ---- jobs ---- */

static void close_if(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

/* Return: a job came; false: nothing will any more. */
static bool receive(struct going *g)
{
	struct pollfd p = { .fd = SANDBOX_IN_FD, .events = POLLIN };
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX], r;

	while ((r = channel_recv(SANDBOX_IN_FD, &m, fds)) == -EAGAIN)
		(void)poll(&p, 1, -1);
	if (r != 1 || m.type != CHANNEL_DIGEST || m.payload_n != sizeof(g->job))
		return false;
	memcpy(&g->job, m.payload, sizeof(g->job));
	g->file = fds[0];
	g->marks = fds[1];
	g->hasher = g->told = -1;
	return g->file >= 0;
}

static void say(const struct digester_word *word, int memory)
{
	struct channel_message m = { .type = CHANNEL_READY, .payload_n = sizeof(*word) };
	int r;

	memcpy(m.payload, word, sizeof(*word));
	/* The channel is empty, and blocks; but of its user there may be too many descriptors on their way. */
	while ((r = channel_send(SANDBOX_IN_FD, &m, &memory, memory >= 0 ? 1 : 0)) == -ETOOMANYREFS)
		(void)poll(NULL, 0, 1);
	if (r < 0)
		_exit(0); /* nobody wants to know */
}

/* One job.  A worker that is still busy is not waited for before the word, but before the next job. */
static struct digester_word work(struct ring *ring)
{
	struct digester_word word = { .done = true };
	struct going g = { .ring = ring };
	int marks;

	if (!receive(&g))
		_exit(0);
	marks = g.marks;
	word.error = take_digest(&g, word.sha256);
	/* Storage may hold up even this: then there is no word, and whoever waits for it ends us. */
	close_if(g.file);
	if (g.job.way == DIGESTER_FLOWS) {
		say(&word, -1);
		word.done = false;
		if (word.error == 0 && g.marks >= 0)
			(void)mark_send(g.marks, DIGESTER_HASHED);
	}
	word.ready = true;
	close_if(marks);
	return word;
}

_Noreturn void digester_serve(void)
{
	struct digester_word word = { .ready = true };
	struct ring *ring = NULL;

	for (;;) {
		int memory;

		if (ring != NULL)
			(void)munmap(ring, sizeof(*ring));
		memory = ring_new(&ring);
		if (memory < 0)
			_exit(SANDBOX_EXIT_JAIL);
		say(&word, memory);
		(void)close(memory);
		word = work(ring);
	}
}
