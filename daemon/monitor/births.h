/* The zygotes of one crew, as far as the monitor has to do with them: started one at a time when the front asks, given to it,
 * and reaped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sandbox.h"

#define BIRTHS_MAX 16        /* one working, others finishing; with all alive there is no new one */
#define BIRTH_HELLO_MS 10000 /* loading libraries takes milliseconds; a machine on its knees may take seconds */
#define BIRTH_RETRY_MS 1000  /* between attempts that fail */
#define BIRTH_PACE_MS 200    /* between those that succeed: the front retires one a second at most */

enum birth_phase {
	BIRTH_NONE,   /* nobody asks */
	BIRTH_WANTED, /* one is to be started, not before due_ms */
	BIRTH_COMING, /* one has been, and has not said HELLO: at the latest at due_ms */
	BIRTH_READY,  /* it has, and the front has not been given it */
};

struct births {
	enum birth_phase phase;
	uint64_t due_ms;
	struct zygote coming; /* in COMING and READY */
	struct zygote failed; /* the last one that did not: why (layer_errno) */
	pid_t alive[BIRTHS_MAX];
	pid_t latest;    /* that the front has been given: it is the zygote of this number */
	uint64_t number; /* 0: none yet */
};

#define BIRTHS_NONE                        \
	{                                  \
		.coming = {.channel = -1 } \
	}

/* The front asks for the one behind @number; @kill: that one hangs.  What was asked and answered is not heard again. */
void births_ask(struct births *b, uint64_t number, bool kill);
/* What can be done now: start one.  Return: 0; negative errno of a start that failed. */
int births_step(struct births *b, int worker_fd, uint64_t now_ms);
/* The channel of the one that is coming has something to say.  Return: as zygote_hello(). */
int births_hear(struct births *b, uint64_t now_ms);
/* The front has it. */
void births_given(struct births *b, uint64_t now_ms);
/* Is it waited for?  Its channel; -1: no. */
int births_channel(const struct births *b);
/* No front asks any more: kill all. */
void births_end(struct births *b);
/* A process has ended.  Return: whether it was one of these. */
bool births_reaped(struct births *b, pid_t pid);
bool births_any(const struct births *b);
/* When births_step() has something to do; UINT64_MAX: never. */
uint64_t births_due_ms(const struct births *b);
