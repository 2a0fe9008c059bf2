/* See answers.h. */
#include "answers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "say.h"
#include "schema.h"

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

static void wait_for_news(struct database *d)
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
			wait_for_news(d);
	}
	return 0;
}

/* ---- following ---- */

/* Only what no transaction that is still open could precede: so nothing is overlooked, and a line may come twice only to who
 * asks for it twice. */
static const struct statement follow = { "follow",
	"select a.tx::text || '.' || a.n, i.id, v.doc from weighlock.answer a join weighlock.item i on i.n = a.item"
	" join weighlock.verdict v on v.n = a.verdict"
	" where (a.tx, a.n) > ($1::xid8, $2::bigint) and a.tx < pg_snapshot_xmin(pg_current_snapshot())"
	" order by a.tx, a.n limit 500",
	2 };

#define CURSOR_MAX 48

/* Return: lines printed, -EIO, or -EPIPE. */
static int print_next(struct database *d, char *cursor)
{
	char tx[CURSOR_MAX];
	const char *const values[] = { tx, strchr(cursor, '.') + 1 };
	PGresult *r;
	int n, ok = 0;

	snprintf(tx, sizeof(tx), "%.*s", (int)strcspn(cursor, "."), cursor);
	r = database_ask(d, &follow, values);
	if (r == NULL)
		return -EIO;
	n = PQntuples(r);
	for (int i = 0; i < n && ok >= 0; i++)
		ok = printf("{\"cursor\":\"%s\",\"id\":\"%s\",\"verdict\":%s}\n", PQgetvalue(r, i, 0),
		    PQgetvalue(r, i, 1), PQgetvalue(r, i, 2));
	if (n > 0)
		snprintf(cursor, CURSOR_MAX, "%s", PQgetvalue(r, n - 1, 0));
	PQclear(r);
	return ok < 0 || fflush(stdout) != 0 ? -EPIPE : n;
}

/* A number of @max at most, of digits alone.  Return: what stands behind it, or NULL. */
static const char *skip_number(const char *text, unsigned long long max)
{
	const size_t n = strspn(text, "0123456789");

	errno = 0;
	return n > 0 && strtoull(text, NULL, 10) <= max && errno == 0 ? text + n : NULL;
}

/* A transaction's number and a row's. */
static bool is_cursor(const char *text)
{
	const char *rest = strlen(text) < CURSOR_MAX ? skip_number(text, UINT64_MAX) : NULL;

	if (rest == NULL || rest[0] != '.')
		return false;
	rest = skip_number(rest + 1, INT64_MAX);
	return rest != NULL && rest[0] == '\0';
}

/* Who wants what there is now does not wait for a database that is away. */
static int follow_on(struct database *d, char *cursor, bool until_now)
{
	int n;

	for (;;) {
		n = print_next(d, cursor);
		if (n == -EPIPE || (until_now && n <= 0))
			return n < 0 ? EXIT_FAULT : EXIT_OK;
		if (n <= 0)
			wait_for_news(d);
	}
}

int cmd_watch(struct fleet *f)
{
	const char *since = "0.0";
	bool until_now = false;
	const struct option_row rows[] = { { "--since", &since, NULL }, { "--until-now", NULL, &until_now } };
	char cursor[CURSOR_MAX];

	if (options_read(f->argc, f->argv, rows, sizeof(rows) / sizeof(rows[0])) != f->argc || !is_cursor(since)) {
		fleet_say("a cursor is what a line of `watch` names");
		return EXIT_USAGE;
	}
	snprintf(cursor, sizeof(cursor), "%s", since);
	f->hints.listens = "weighlock_answers";
	if (schema_check(&f->hints) < 0)
		return EXIT_FAULT;
	return follow_on(&f->hints, cursor, until_now);
}
