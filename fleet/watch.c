/* weighlock-fleet watch: verdicts as they come, for who follows all of them: as lines, or each to somebody's URL. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"
#include "say.h"
#include "schema.h"
#include "webhook.h"

/* Only what no transaction that is still open could precede: so nothing is overlooked, and a line may come twice only to who
 * asks for it twice. */
static const struct statement follow = { "follow",
	"select a.tx::text || '.' || a.n, i.id, v.doc from weighlock.answer a join weighlock.item i on i.n = a.item"
	" join weighlock.verdict v on v.n = a.verdict"
	" where (a.tx, a.n) > ($1::xid8, $2::bigint) and a.tx < pg_snapshot_xmin(pg_current_snapshot())"
	" order by a.tx, a.n limit 500",
	2 };

#define CURSOR_MAX 48

struct follower {
	struct database *db;
	struct webhook *hook;  /* NULL: standard output */
	const char *kept;      /* a file with the cursor, or NULL */
	char cursor[CURSOR_MAX];
};

/* ---- cursors ---- */

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

/* The file is there whole, with this cursor or the one before. */
static int keep_cursor(const struct follower *w)
{
	char *next = NULL;
	FILE *f;
	bool ok;

	if (w->kept == NULL)
		return 0;
	if (asprintf(&next, "%s.next", w->kept) < 0)
		return -ENOMEM;
	f = fopen(next, "we");
	ok = f != NULL && fprintf(f, "%s\n", w->cursor) > 0 && fflush(f) == 0 && fsync(fileno(f)) == 0;
	ok = (f == NULL || fclose(f) == 0) && ok && rename(next, w->kept) == 0;
	if (!ok)
		fleet_say("%s: %s", w->kept, strerror(errno));
	free(next);
	return ok ? 0 : -EIO;
}

/* Of the file, if there is one. */
static int find_cursor(struct follower *w, const char *since)
{
	FILE *f = w->kept != NULL ? fopen(w->kept, "re") : NULL;

	snprintf(w->cursor, sizeof(w->cursor), "%s", since);
	if (f != NULL && fgets(w->cursor, sizeof(w->cursor), f) == NULL)
		w->cursor[0] = '\0';
	w->cursor[strcspn(w->cursor, "\n")] = '\0';
	if (f != NULL)
		fclose(f);
	else if (w->kept != NULL && errno != ENOENT)
		return -errno;
	return strlen(since) < sizeof(w->cursor) && is_cursor(w->cursor) ? 0 : -EINVAL;
}

/* ---- following ---- */

/* Return: negative: nothing can be printed, or no memory. */
static int give(const struct follower *w, const PGresult *r, int row)
{
	char *line = NULL;
	int n = asprintf(&line, "{\"cursor\":\"%s\",\"id\":\"%s\",\"verdict\":%s}", PQgetvalue(r, row, 0), PQgetvalue(r, row, 1),
	    PQgetvalue(r, row, 2));

	if (n < 0)
		return -ENOMEM;
	if (w->hook != NULL)
		webhook_give(w->hook, line, (size_t)n);
	else
		n = puts(line);
	free(line);
	return n;
}

/* Return: lines given, -EIO, or -EPIPE. */
static int give_next(struct follower *w)
{
	char tx[CURSOR_MAX];
	const char *const values[] = { tx, strchr(w->cursor, '.') + 1 };
	PGresult *r;
	int n, ok = 0;

	snprintf(tx, sizeof(tx), "%.*s", (int)strcspn(w->cursor, "."), w->cursor);
	r = database_ask(w->db, &follow, values);
	if (r == NULL)
		return -EIO;
	n = PQntuples(r);
	for (int i = 0; i < n && ok >= 0; i++)
		ok = give(w, r, i);
	if (n > 0)
		snprintf(w->cursor, CURSOR_MAX, "%s", PQgetvalue(r, n - 1, 0));
	PQclear(r);
	return ok < 0 || fflush(stdout) != 0 || (n > 0 && keep_cursor(w) < 0) ? -EPIPE : n;
}

/* Who wants what there is now does not wait for a database that is away. */
static int follow_on(struct follower *w, bool until_now)
{
	int n;

	for (;;) {
		n = give_next(w);
		if (n == -EPIPE || (until_now && n <= 0))
			return n < 0 ? EXIT_FAULT : EXIT_OK;
		if (n <= 0)
			answers_wait_for_news(w->db);
	}
}

int cmd_watch(struct fleet *f)
{
	const char *since = "0.0", *url = NULL, *secret = NULL, *ca = NULL;
	bool until_now = false;
	struct follower w = { .db = &f->hints };
	const struct option_row rows[] = { { "--since", &since, NULL }, { "--until-now", NULL, &until_now },
		{ "--cursor", &w.kept, NULL }, { "--webhook", &url, NULL }, { "--secret", &secret, NULL }, { "--ca", &ca, NULL } };
	int r, status = EXIT_FAULT;

	if (options_read(f->argc, f->argv, rows, sizeof(rows) / sizeof(rows[0])) != f->argc || find_cursor(&w, since) < 0) {
		fleet_say("a cursor is what a line of `watch` names, or such a line's in a file");
		return EXIT_USAGE;
	}
	r = url != NULL ? webhook_new(url, secret, ca, &w.hook) : 0;
	if (r < 0) {
		fleet_say("no webhook: %s", r == -ENOSYS ? "this program was built without libcurl" : strerror(-r));
		return EXIT_USAGE;
	}
	f->hints.listens = "weighlock_answers";
	if (schema_check(&f->hints) == 0)
		status = follow_on(&w, until_now);
	webhook_free(w.hook);
	return status;
}
