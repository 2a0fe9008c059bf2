/* See answers.h. */
#include "answers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 1000

/* The newest answer of a job, or why it has none. */
static const struct statement look = { "look",
	"select v.doc, v.verdict, f.cause from weighlock.item i"
	" left join lateral (select verdict from weighlock.answer a where a.item = i.n order by a.n desc limit 1) a on "
	"true"
	" left join weighlock.verdict v on v.n = a.verdict left join weighlock.failed f on f.item = i.n where i.id = "
	"$1",
	1 };

int answers_want(struct answers *a, const char *id)
{
	if (a->n == a->room) {
		size_t room = a->room > 0 ? 2 * a->room : 64;
		char **ids = reallocarray(a->ids, room, sizeof(*ids));

		if (ids == NULL)
			return -ENOMEM;
		a->ids = ids;
		a->room = room;
	}
	a->ids[a->n] = strdup(id);
	return a->ids[a->n] == NULL ? -ENOMEM : (a->n++, 0);
}

void answers_free(struct answers *a)
{
	while (a->n > 0)
		free(a->ids[--a->n]);
	free(a->ids);
	*a = (struct answers){ 0 };
}

/* Ids and causes hold nothing that JSON would escape: [A-Za-z0-9._:-], and our own words. */
static int print(FILE *to, const char *id, const PGresult *r)
{
	if (!PQgetisnull(r, 0, 0))
		return fprintf(to, "{\"id\":\"%s\",\"verdict\":%s}\n", id, PQgetvalue(r, 0, 0));
	return fprintf(to, "{\"id\":\"%s\",\"failed\":\"%s\"}\n", id, PQgetvalue(r, 0, 2));
}

/* Return: 1: it is there and was printed; 0: not yet; -EIO; -EPIPE: nothing can be printed. */
static int look_at(struct database *d, const char *id, FILE *to, size_t *bad)
{
	PGresult *r = database_ask(d, &look, &id);
	int printed = 0;

	if (r == NULL)
		return -EIO;
	if (PQntuples(r) > 0 && (!PQgetisnull(r, 0, 0) || !PQgetisnull(r, 0, 2))) {
		printed = print(to, id, r) < 0 ? -EPIPE : 1;
		*bad += strcmp(PQgetvalue(r, 0, 1), "accept") != 0 ? 1 : 0;
	}
	PQclear(r);
	return printed;
}

/* Those that are there leave the list.  Return: 0 or -EPIPE. */
static int look_at_all(struct answers *a, struct database *d, FILE *to, size_t *bad)
{
	size_t left = 0;
	int r = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (r >= 0)
			r = look_at(d, a->ids[i], to, bad);
		if (r == 1)
			free(a->ids[i]);
		else
			a->ids[left++] = a->ids[i];
	}
	a->n = left;
	return r == -EPIPE || fflush(to) != 0 ? -EPIPE : 0;
}

void answers_wait_for_news(struct database *d)
{
	struct pollfd p = { .fd = -1, .events = POLLIN };

	if (database_open(d) == 0)
		p.fd = PQsocket(d->conn);
	(void)poll(&p, 1, LOOK_MS);
	(void)database_was_notified(d);
}

int answers_await(struct answers *a, struct database *d, FILE *to, size_t *ret_bad)
{
	*ret_bad = 0;
	while (a->n > 0) {
		if (look_at_all(a, d, to, ret_bad) < 0)
			return -EIO;
		if (a->n > 0)
			answers_wait_for_news(d);
	}
	return 0;
}
