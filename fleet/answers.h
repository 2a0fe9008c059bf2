/* Answers for who waits for some. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "database.h"

/* Jobs by their ids, in the order in which they were asked. */
struct answers {
	char **ids; /* owned */
	size_t n, room;
};

/* Return: 0 or -ENOMEM. */
int answers_want(struct answers *a, const char *id);
void answers_free(struct answers *a);

/**
 * answers_await() - print each of them as it comes: {"id": ..., "verdict": {...}} or {"id": ..., "failed": "cause"}
 * @d: listens to "weighlock_answers"
 * @ret_bad: those that are not accept
 * Return: 0, or -EIO when nothing can be printed.  A database that is away is waited for.
 */
int answers_await(struct answers *a, struct database *d, FILE *to, size_t *ret_bad);

/* Until something is notified, or a second is over.  @d: listens. */
void answers_wait_for_news(struct database *d);
