/* See births.h. */
#include "births.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static pid_t *find(struct births *b, pid_t pid)
{
	for (size_t i = 0; i < BIRTHS_MAX; i++) {
		if (b->alive[i] == pid)
			return &b->alive[i];
	}
	return NULL;
}

static void give_up_coming(struct births *b)
{
	if (b->phase != BIRTH_COMING && b->phase != BIRTH_READY)
		return;
	if (b->coming.pid > 0)
		kill(b->coming.pid, SIGKILL);
	close(b->coming.channel);
	b->coming = (struct zygote){ .channel = -1 };
}

void births_ask(struct births *b, uint64_t number, bool kill_it)
{
	if (number != b->number)
		return;
	if (kill_it && b->latest > 0) /* though its successor may be on its way */
		kill(b->latest, SIGKILL);
	if (b->phase == BIRTH_NONE)
		b->phase = BIRTH_WANTED;
}

static int fail(struct births *b, int r, uint64_t now_ms)
{
	if (b->phase == BIRTH_COMING)
		b->failed = b->coming;
	give_up_coming(b);
	b->phase = BIRTH_WANTED;
	b->due_ms = now_ms + BIRTH_RETRY_MS;
	return r;
}

static int start(struct births *b, int worker_fd, uint64_t now_ms)
{
	pid_t *place = find(b, 0);
	struct zygote z;
	int r;

	b->due_ms = now_ms + BIRTH_RETRY_MS;
	if (place == NULL)
		return 0;
	r = zygote_spawn(worker_fd, &z);
	if (r < 0) {
		b->failed = z;
		return fail(b, r, now_ms);
	}
	b->coming = z;
	*place = z.pid;
	b->phase = BIRTH_COMING;
	b->due_ms = now_ms + BIRTH_HELLO_MS;
	return 0;
}

int births_step(struct births *b, int worker_fd, uint64_t now_ms)
{
	if (b->phase == BIRTH_WANTED && now_ms >= b->due_ms)
		return start(b, worker_fd, now_ms);
	if (b->phase == BIRTH_COMING && now_ms >= b->due_ms)
		return fail(b, -EPROTO, now_ms);
	return 0;
}

int births_hear(struct births *b, uint64_t now_ms)
{
	int r = zygote_hello(&b->coming, sandbox_build_id());

	if (r == 0)
		b->phase = BIRTH_READY;
	return r == 0 || r == -EAGAIN ? r : fail(b, r, now_ms);
}

void births_given(struct births *b, uint64_t now_ms)
{
	close(b->coming.channel); /* the front's alone: when the front goes, the zygote goes */
	b->latest = b->coming.pid;
	b->number++;
	b->coming = (struct zygote){ .channel = -1 };
	b->phase = BIRTH_NONE;
	b->due_ms = now_ms + BIRTH_PACE_MS;
}

int births_channel(const struct births *b)
{
	return b->phase == BIRTH_COMING ? b->coming.channel : -1;
}

void births_end(struct births *b)
{
	give_up_coming(b);
	for (size_t i = 0; i < BIRTHS_MAX; i++) {
		if (b->alive[i] > 0)
			kill(b->alive[i], SIGKILL);
	}
	b->phase = BIRTH_NONE;
	b->number = 0;
	b->latest = 0;
	b->due_ms = 0;
}

bool births_reaped(struct births *b, pid_t pid)
{
	pid_t *place = find(b, pid);

	if (place == NULL)
		return false;
	*place = 0;
	if (b->latest == pid)
		b->latest = 0;
	if (b->coming.pid == pid)
		b->coming.pid = 0; /* the channel says the rest */
	return true;
}

bool births_any(const struct births *b)
{
	for (size_t i = 0; i < BIRTHS_MAX; i++) {
		if (b->alive[i] > 0)
			return true;
	}
	return false;
}

uint64_t births_due_ms(const struct births *b)
{
	return b->phase == BIRTH_WANTED || b->phase == BIRTH_COMING ? b->due_ms : UINT64_MAX;
}
