/* The parts of a front, without a front: a loop of the test's, settings as they are without a file, and at the other end of
 * its channels the test, in place of zygote and monitor. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "digester.h"
#include "harness.h"
#include "jobs.h"

static struct settings part_settings;
static struct env part_env = { .settings = &part_settings };
static struct tenants *part_tenants;
static struct jobs *part_jobs;
static unsigned part_rested;
static struct {
	unsigned n;
	uint32_t type;
} part_told; /* to the monitor */

static inline void part_on_rested(void *ctx)
{
	(void)ctx;
	part_rested++;
}

static inline void part_tell(void *ctx, uint32_t type, uint64_t id, int status)
{
	(void)ctx;
	(void)id;
	(void)status;
	part_told.n++;
	part_told.type = type;
}
static inline void make_env(void)
{
	char error[CONFIG_ERROR_MAX];
	struct policy *policy;

	ck_assert_int_eq(
	    config_parse((const uint8_t *)"workers: 2\nmemfd_max: 1 MiB\n", 28, "test", &part_settings.config, error),
	    0);
	ck_assert_int_eq(policy_by_name("default", &policy), 0);
	part_settings.default_policy = policy;
	part_settings.own_uid = getuid();
	signal(SIGPIPE, SIG_IGN); /* as in every process of the daemon */
	part_env.base = event_base_new();
	part_env.rested = part_on_rested;
	ck_assert_ptr_nonnull(part_env.base);
	ck_assert_int_eq(files_init(&part_env.files, part_env.base), 0);
	ck_assert_ptr_nonnull(part_tenants = tenants_new(&part_settings.config));
}

/* A test that begins anew: what was before stays where whoever looks for leaks finds it. */
static inline void part_keep_before(void)
{
	static struct {
		struct settings settings;
		struct env env;
		struct tenants *tenants;
		struct jobs *jobs;
	} before[16];
	static size_t n;

	if (part_jobs == NULL)
		return;
	ck_assert_uint_lt(n, sizeof(before) / sizeof(before[0]));
	memcpy(&before[n].settings, &part_settings, sizeof(part_settings));
	memcpy(&before[n].env, &part_env, sizeof(part_env));
	before[n].tenants = part_tenants;
	before[n++].jobs = part_jobs;
}

static inline void make_jobs(void)
{
	const struct queue_limits limits = { .slots = 2, .items_max = 16, .large_bytes = 1 << 20 };
	struct jobs_parts parts = {
		.env = &part_env, .audit = { .tally = &part_env.tally }, .keeps = { .env = &part_env }
	};
	int dir = open("/tmp", O_RDONLY | O_DIRECTORY);

	part_keep_before();
	make_env();
	parts.tenants = part_tenants;
	ck_assert_ptr_nonnull(parts.queue = queue_new(&limits, part_tenants));
	ck_assert_int_eq(
	    spool_store_new(part_env.base, &part_settings.config, part_tenants, dir, &part_env.files, &parts.spools),
	    0);
	ck_assert_int_eq(jobs_new(&parts, part_tell, NULL, &part_jobs), 0);
}

/* Whatever is ready. */
static inline void turn(void)
{
	for (int i = 0; i < 5; i++)
		event_base_loop(part_env.base, EVLOOP_NONBLOCK);
}

/* ---- digesters, which are us: each is ready at once, and takes a digest when it is told to ---- */

static const uint8_t part_digest[32] = "the digest of whatever it is";

static struct {
	int at[16]; /* our ends of their channels */
	uint64_t ids[16];
	size_t n;
} part_digesters;

static inline void part_say(int channel, const struct digester_word *said)
{
	struct channel_message m = { .type = CHANNEL_READY, .payload_n = sizeof(*said) };
	struct digester_word word = *said;
	int memory = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(fcntl(memory, F_ADD_SEALS, DIGESTER_SEALS), 0);
	memcpy(word.sha256, part_digest, sizeof(word.sha256));
	memcpy(m.payload, &word, sizeof(word));
	ck_assert_int_eq(channel_send(channel, &m, &memory, word.ready ? 1 : 0), 0);
	close(memory);
}

static inline void part_say_digested(int channel, bool done, int error)
{
	part_say(channel, &(struct digester_word){ .done = done, .ready = true, .error = error });
}

/* Return: one was asked for, and is ready. */
static inline bool part_is_digester(const struct channel_message *m, const int fds[CHANNEL_FDS_MAX])
{
	if (m->type != CHANNEL_DIGESTER)
		return false;
	ck_assert_uint_lt(part_digesters.n, 16);
	part_digesters.ids[part_digesters.n] = m->id;
	part_digesters.at[part_digesters.n++] = fds[0];
	part_say_digested(fds[0], false, 0);
	return true;
}

/* Return: the channel on which a digest is asked for; -1: on none. */
static inline int part_asked_for_digest(void)
{
	for (size_t i = 0; i < part_digesters.n; i++) {
		struct channel_message m;
		int fds[CHANNEL_FDS_MAX];

		if (channel_recv(part_digesters.at[i], &m, fds) != 1)
			continue;
		ck_assert_uint_eq(m.type, CHANNEL_DIGEST);
		for (size_t j = 0; j < CHANNEL_FDS_MAX; j++)
			if (fds[j] >= 0)
				close(fds[j]);
		return part_digesters.at[i];
	}
	return -1;
}

static int front_channel; /* the front's end of the latest zygote's */

/* A zygote, which is us.  Return: our end of its channel. */
static inline int make_zygote(struct zygotes *z, uint64_t number)
{
	static const int32_t layers[CHANNEL_LAYERS_MAX];
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX], ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
	front_channel = ends[0];
	zygotes_add(z, ends[0], number, layers);
	ck_assert(channel_recv(ends[1], &m, fds) == 1 && part_is_digester(&m, fds));
	turn();
	return ends[1];
}

static inline void say_exited(int channel, uint64_t id, int status, int error)
{
	const struct channel_message m = { .type = CHANNEL_EXITED, .id = id, .status = status, .error = error };

	ck_assert_int_eq(channel_send(channel, &m, NULL, 0), 0);
}
