/* See digester.h: the side of whoever wants a digest. */
#include "digester.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int digester_ask(int zygote_channel, uint64_t id, int *ret_channel)
{
	const struct channel_message m = { .type = CHANNEL_DIGESTER, .id = id };
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	r = fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : channel_send(zygote_channel, &m, &pair[1], 1);
	close(pair[1]);
	if (r < 0)
		close(pair[0]);
	else
		*ret_channel = pair[0];
	return r;
}

int digester_give(int channel, const struct digester_job *job, int file, int marks)
{
	struct channel_message m = { .type = CHANNEL_DIGEST, .payload_n = sizeof(*job) };

	memcpy(m.payload, job, sizeof(*job));
	return channel_send(channel, &m, (const int[]){ file, marks }, marks >= 0 ? 2 : 1);
}

/* A file of a client's, of storage that does not answer, is none. */
static bool is_memory(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & DIGESTER_SEALS) == DIGESTER_SEALS;
}

static bool is_sound(const struct digester_word *word, int memory)
{
	if (word->done > 1 || word->ready > 1 || word->error > 0 || (!word->done && !word->ready))
		return false;
	return word->ready ? memory >= 0 && is_memory(memory) : memory < 0;
}

int digester_hear(int channel, struct digester_word *ret, int *ret_memory)
{
	struct channel_message m;
	int r = channel_recv_one(channel, &m, ret_memory);

	if (r != 1)
		return r;
	if (m.type != CHANNEL_READY || m.payload_n != sizeof(*ret))
		return -EPROTO;
	memcpy(ret, m.payload, sizeof(*ret));
	return is_sound(ret, *ret_memory) ? 1 : -EPROTO;
}

bool digester_next_mark(int socket, uint64_t *ret_mark)
{
	struct digester_mark mark;

	if (read(socket, &mark, sizeof(mark)) != (ssize_t)sizeof(mark))
		return false;
	*ret_mark = mark.n;
	return true;
}

enum digester_way digester_way(uint64_t size, bool sealed)
{
	if (sealed)
		return DIGESTER_HASHES;
	return size <= DIGESTER_COPY_MAX ? DIGESTER_COPIES : DIGESTER_FLOWS;
}
