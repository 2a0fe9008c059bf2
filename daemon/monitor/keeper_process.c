/* See keeper_process.h. */
#include "keeper_process.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "clock.h"
#include "control.h"
#include "launch.h"
#include "log.h"
#include "role.h"

/* Every setting a keeper depends on, as one text: free().  Another text, another keeper.  Whether a verdict waits for its
 * line is the front's to know; a key that was replaced under the same name is another one.  NULL without memory. */
static char *identity_of(const struct settings *s)
{
	const struct config *c = &s->config;
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return NULL;
	fprintf(to, "%s\n", c->state_dir);
	if (c->store)
		fprintf(to, "store %u %" PRIu64 "\n", c->store_rows, c->store_bytes);
	if (c->audit != CONFIG_AUDIT_OFF)
		fprintf(to, "audit %" PRIu64 "\n", c->audit_bytes);
	if (c->signing_key[0])
		fprintf(to, "sign %s %s\n", c->signing_key, s->signing_key_version);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

/* Its first word, and its only one. */
static int wait_for_hello(int control)
{
	struct pollfd p = { .fd = control, .events = POLLIN };
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];
	int r = poll(&p, 1, KEEPER_HELLO_MS) > 0 ? channel_recv(control, &m, fds) : 0;

	return r > 0 && m.type == CONTROL_READY ? 0 : -EPROTO;
}

static void forget(struct keeper_process *k)
{
	if (k->control >= 0)
		close(k->control);
	free(k->identity);
	k->identity = NULL;
	k->control = -1;
	k->pid = 0;
	k->ending = false;
}

static int start(struct keeper_process *k, int self, const struct settings *s)
{
	int pair[2], packed = settings_pack(s);

	if (packed < 0)
		return packed;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		close(packed);
		return -errno;
	}
	k->control = pair[0];
	k->pid = launch(self, ROLE_KEEPER, (const int[]){ pair[1], packed }, 2);
	close(pair[1]);
	close(packed);
	return k->pid < 0 ? k->pid : 0;
}

static void kill_and_wait(struct keeper_process *k)
{
	if (k->pid > 0) {
		kill(k->pid, SIGKILL);
		while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	forget(k);
}

int keeper_process_start(struct keeper_process *k, int self, const struct settings *s)
{
	uint64_t pause = (uint64_t)KEEPER_RETRY_MS << (k->failures < 7 ? k->failures : 7);
	int r = -ENOMEM;

	k->identity = identity_of(s);
	if (k->identity)
		r = start(k, self, s);
	if (r == 0)
		r = wait_for_hello(k->control);
	k->due_ms = clock_now_ms() + (pause < KEEPER_RETRY_MAX_MS ? pause : KEEPER_RETRY_MAX_MS);
	if (r < 0) {
		k->failures++;
		log_errno(-r, "the keeper of %s does not start", s->config.state_dir);
		kill_and_wait(k);
		return r;
	}
	k->failures = 0;
	return 0;
}

bool keeper_process_fits(const struct keeper_process *k, const struct settings *s)
{
	char *identity = s ? identity_of(s) : NULL;
	bool same = identity && k->identity && strcmp(identity, k->identity) == 0;

	free(identity);
	return same;
}

int keeper_process_connect(struct keeper_process *k)
{
	const struct channel_message m = { .type = CONTROL_KEEPER };
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	r = channel_send(k->control, &m, &pair[1], 1);
	close(pair[1]);
	if (r == 0)
		return pair[0];
	close(pair[0]);
	return r;
}

void keeper_process_end(struct keeper_process *k)
{
	const struct channel_message m = { .type = CONTROL_DRAIN };

	k->ending = true;
	k->end_by_ms = clock_now_ms() + 2 * KEEPER_END_MS;
	if (channel_send(k->control, &m, NULL, 0) < 0)
		kill(k->pid, SIGKILL);
}

void keeper_process_look(const struct keeper_process *k)
{
	if (k->pid > 0 && k->ending && clock_now_ms() >= k->end_by_ms)
		kill(k->pid, SIGKILL);
}

bool keeper_process_reap(struct keeper_process *k)
{
	bool expected = k->ending;
	int status;

	if (k->pid <= 0 || waitpid(k->pid, &status, WNOHANG) != k->pid)
		return false;
	forget(k);
	if (!expected)
		log_line("the keeper has ended with wait status 0x%x; starting another", (unsigned)status);
	else
		k->due_ms = 0;
	return true;
}

void keeper_process_finish(struct keeper_process *k)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	if (k->pid > 0 && !k->ending)
		keeper_process_end(k);
	while (k->pid > 0 && !keeper_process_reap(k)) {
		keeper_process_look(k);
		nanosleep(&pause, NULL);
	}
}
