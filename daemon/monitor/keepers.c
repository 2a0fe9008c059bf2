/* See keepers.h. */
#include "keepers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "role.h"

/* Every setting a keeper depends on, as one text: free().  Another text, another keeper.  Whether a verdict waits for its
 * line is the front's to know; a key that was replaced under the same name is another one.  NULL without memory. */
static char *identity_of(const struct settings *s)
{
	const struct config *c = &s->config;
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (to == NULL)
		return NULL;
	fprintf(to, "%s\n", c->state_dir);
	if (c->store)
		fprintf(to, "store %u %" PRIu64 " %u\n", c->store_rows, c->store_bytes, c->store_days);
	if (c->audit != CONFIG_AUDIT_OFF)
		fprintf(to, "audit %" PRIu64 " %u\n", c->audit_bytes, c->audit_texts_days);
	if (c->exceptions)
		fprintf(to, "exceptions\n");
	if (c->signing_key[0])
		fprintf(to, "sign %s %s\n", c->signing_key, s->signing_key_version);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

/* Is @identity what these settings want?  NULL on either side: no. */
static bool fits(const char *identity, const struct settings *s)
{
	char *wanted = s && identity != NULL ? identity_of(s) : NULL;
	bool same = wanted && strcmp(wanted, identity) == 0;

	free(wanted);
	return same;
}

/* ---- one process ---- */

static int start(struct keeper_process *p, const struct keepers_means *m, const struct settings *s)
{
	int packed = settings_pack(s), r = packed;

	p->identity = identity_of(s);
	if (packed >= 0)
		r = child_start(
		    &p->child, &(struct child_start){
				   .self = m->self, .role = ROLE_KEEPER, .settings = packed, .http = -1, .clamd = -1 });
	if (packed >= 0)
		close(packed);
	if (r < 0)
		log_errno(-r, "the keeper of %s does not start", s->config.state_dir);
	return r;
}

static void tell(const struct keeper_process *p, uint32_t type)
{
	const struct channel_message m = { .type = type };

	(void)child_tell(&p->child, &m, NULL);
}

static void forget(struct keeper_process *p, const struct keepers_means *m)
{
	child_forget(&p->child, m->journal);
	free(p->identity);
	p->identity = NULL;
}

static void note_failure(struct keepers *k, const struct keeper_process *p)
{
	free(k->failed);
	k->failed = p->identity ? strdup(p->identity) : NULL;
	log_line("the keeper does not start");
}

static void on(struct keepers *k, const struct keepers_means *m, struct keeper_process *p, enum life_event e,
    const struct settings *s, uint64_t now_ms)
{
	unsigned todo = life_on(&p->life, e, now_ms);

	if (todo & LIFE_KILL)
		child_kill(&p->child);
	if (todo & LIFE_FAILED)
		note_failure(k, p);
	if (todo & LIFE_SAY_STUCK)
		log_line("the keeper does not even end when it is killed; it is left alone");
	if (todo & LIFE_TELL_END)
		tell(p, CONTROL_DRAIN);
	if (todo & LIFE_TELL_TURN)
		tell(p, CONTROL_TURN);
	if (todo & LIFE_FORGET) {
		k->generation += p == &k->now;
		forget(p, m);
	}
	if ((todo & LIFE_START) && start(p, m, s) < 0)
		on(k, m, p, LIFE_DIED, s, now_ms);
}

static void hear(struct keepers *k, const struct keepers_means *m, struct keeper_process *p, uint64_t now_ms)
{
	struct control_word words[CHILD_WORDS_MAX];
	size_t n = child_hear(&p->child, words);

	for (size_t i = 0; i < n; i++) {
		if (words[i].type == CONTROL_PROVEN)
			on(k, m, p, LIFE_SAYS_PROVEN, NULL, now_ms);
		else if (words[i].type == CONTROL_READY)
			on(k, m, p, LIFE_SAYS_READY, NULL, now_ms);
	}
	(void)child_relay(&p->child, m->journal);
	if (now_ms >= p->life.until_ms && p->life.phase != LIFE_NONE)
		on(k, m, p, LIFE_TIMEOUT, NULL, now_ms);
}

/* ---- both ---- */

/* The next one moves up once nobody is there before it. */
static void move_up(struct keepers *k)
{
	const struct keepers none = KEEPERS_NONE;

	if (k->now.child.pid > 0 || k->next.life.phase == LIFE_NONE)
		return;
	free(k->now.identity);
	k->now = k->next;
	k->next = none.next;
	k->generation++;
}

/* Whose comes first where none is there: of two that have failed, or have not, the one that serves. */
static const struct settings *first_of(
    const struct keepers *k, const struct settings *serving, const struct settings *coming)
{
	bool step_back = coming && fits(k->failed, serving) && !fits(k->failed, coming);

	return serving != NULL && !step_back ? serving : coming;
}

void keepers_step(struct keepers *k, const struct keepers_means *m, const struct settings *serving,
    const struct settings *coming, uint64_t now_ms)
{
	const struct settings *first = first_of(k, serving, coming);
	struct keeper_process *const both[] = { &k->next, &k->now };

	hear(k, m, &k->now, now_ms);
	hear(k, m, &k->next, now_ms);
	move_up(k);
	for (size_t i = 0; i < 2; i++) {
		struct keeper_process *p = both[i];
		bool good = fits(p->identity, serving) || fits(p->identity, coming);

		if (p->life.phase != LIFE_NONE)
			on(k, m, p, good ? LIFE_WANTED : LIFE_UNFIT, NULL, now_ms);
	}
	if (k->now.life.phase == LIFE_NONE && first != NULL)
		on(k, m, &k->now, LIFE_WANTED, first, now_ms);
	else if (k->next.life.phase == LIFE_NONE && k->now.child.pid > 0 && coming != NULL &&
		 !fits(k->now.identity, coming))
		on(k, m, &k->next, LIFE_WANTED, coming, now_ms);
	on(k, m, &k->now, LIFE_TURN, NULL, now_ms);
}

bool keepers_reaped(struct keepers *k, const struct keepers_means *m, pid_t pid, int status, uint64_t now_ms)
{
	struct keeper_process *p = pid == k->now.child.pid ? &k->now : pid == k->next.child.pid ? &k->next : NULL;

	if (p == NULL)
		return false;
	if (p->life.phase == LIFE_KEEPING)
		log_line("the keeper has ended with wait status 0x%x; starting another", (unsigned)status);
	on(k, m, p, LIFE_DIED, NULL, now_ms);
	return true;
}

uint64_t keepers_due_ms(const struct keepers *k)
{
	uint64_t a = k->now.life.phase == LIFE_NONE ? UINT64_MAX : k->now.life.until_ms;
	uint64_t b = k->next.life.phase == LIFE_NONE ? UINT64_MAX : k->next.life.until_ms;

	return a < b ? a : b;
}

enum keepers_say keepers_say(const struct keepers *k, const struct settings *s)
{
	bool proven = k->next.life.phase == LIFE_PROVEN && k->now.child.pid > 0;

	if (!settings_keep(s) || (k->now.life.phase == LIFE_KEEPING && fits(k->now.identity, s)) ||
	    (proven && fits(k->next.identity, s)))
		return KEEPERS_READY;
	return fits(k->failed, s) ? KEEPERS_FAILED : KEEPERS_WAIT;
}

void keepers_try_again(struct keepers *k)
{
	free(k->failed);
	k->failed = NULL;
	k->now.life.failures = 0;
	if (k->now.life.phase == LIFE_RESTING)
		k->now.life.until_ms = 0;
}

int keepers_connect(const struct keepers *k)
{
	const struct channel_message m = { .type = CONTROL_KEEPER };
	int pair[2];

	if (k->now.life.phase != LIFE_KEEPING)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	if (child_tell(&k->now.child, &m, &pair[1])) {
		close(pair[1]);
		return pair[0];
	}
	close(pair[0]);
	close(pair[1]);
	return -EAGAIN;
}

bool keepers_any(const struct keepers *k)
{
	return k->now.child.pid > 0 || k->next.child.pid > 0;
}
