/* weighlock-fleet submit: jobs into inventory and queue. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "job.h"
#include "say.h"
#include "schema.h"

#define BATCH 500 /* jobs a transaction */
#define LINE_MAX_BYTES (JOB_TEXT_MAX + 2)

static const struct statement submit_job = { "submit",
	"select weighlock.submit($1, decode($2, 'hex'), $3::bigint, $4, $5::smallint)", 5 };

struct submission {
	struct fleet *f;
	struct answers *wanted; /* NULL: nobody waits */
	size_t line, in_batch;
	size_t queued, known, wrong;
};

static int begin(struct submission *s)
{
	return s->in_batch > 0 ? 0 : database_run(&s->f->truth, "begin");
}

/* What is in the transaction is told to agents when it is all there. */
static int commit(struct submission *s)
{
	if (s->in_batch == 0)
		return 0;
	s->in_batch = 0;
	return database_run(&s->f->truth, "select pg_notify('weighlock_jobs', '')") < 0
		   ? -EIO
		   : database_run(&s->f->truth, "commit");
}

static int send_one(struct submission *s, const struct fleet_job *job, const char *doc)
{
	char size[DATABASE_NUMBER_MAX], lane[DATABASE_NUMBER_MAX];
	const char *const values[] = { job->id, job->sha256, database_write_number(size, (int64_t)job->size), doc,
		database_write_number(lane, job->lane) };
	PGresult *r;
	const char *said;
	bool ours;

	if (begin(s) < 0 || (r = database_ask(&s->f->truth, &submit_job, values)) == NULL)
		return -EIO;
	s->in_batch++;
	said = PQgetvalue(r, 0, 0);
	s->queued += strcmp(said, "queued") == 0 ? 1 : 0;
	s->known += strcmp(said, "known") == 0 ? 1 : 0;
	ours = strcmp(said, "differs") != 0;
	PQclear(r);
	if (!ours) {
		fleet_say("line %zu: another job has the id %s", s->line, job->id);
		s->wrong++;
	}
	if (ours && s->wanted != NULL && answers_want(s->wanted, job->id) < 0)
		return -ENOMEM;
	return s->in_batch < BATCH ? 0 : commit(s);
}

static int take_line(struct submission *s, const char *at, size_t n)
{
	char doc[JOB_TEXT_MAX + 1];
	struct fleet_job job;
	const char *why = n >= LINE_MAX_BYTES - 1 ? "a job has 1,024 bytes at most" : job_read(at, n, &job);

	if (why == NULL)
		why = job_write(&job, doc);
	if (why == NULL)
		return send_one(s, &job, doc);
	fleet_say("line %zu: %s", s->line, why);
	s->wrong++;
	return 0;
}

/* The rest of a line that is too long is no job either. */
static void skip_rest(FILE *in)
{
	int c;

	do
		c = getc(in);
	while (c != EOF && c != '\n');
}

static int take_all(struct submission *s, FILE *in)
{
	char line[LINE_MAX_BYTES];
	int r = 0;

	while (r == 0 && fgets(line, sizeof(line), in) != NULL) {
		size_t n = strlen(line);

		s->line++;
		if (n > 0 && line[n - 1] == '\n')
			n--;
		else if (n == sizeof(line) - 1)
			skip_rest(in);
		if (n > 0)
			r = take_line(s, line, n);
	}
	if (r == 0)
		r = ferror(in) ? -EIO : commit(s);
	return r;
}

static int run(struct submission *s, FILE *in)
{
	int r = schema_check(&s->f->truth);
	size_t bad = 0;

	if (r == 0)
		r = take_all(s, in);
	if (r < 0) {
		fleet_say("not all was submitted: do it again, what is known stays as it is");
		return EXIT_FAULT;
	}
	fprintf(stderr, "%zu queued, %zu known, %zu wrong\n", s->queued, s->known, s->wrong);
	if (s->wanted != NULL)
		r = answers_await(s->wanted, &s->f->hints, stdout, &bad);
	if (r < 0)
		return EXIT_FAULT;
	return s->wrong > 0 ? EXIT_USAGE : bad > 0 ? EXIT_SOME : EXIT_OK;
}

int cmd_submit(struct fleet *f)
{
	bool wait = false;
	const struct option_row rows[] = { { "--wait", NULL, &wait } };
	struct submission s = { .f = f };
	struct answers wanted = { 0 };
	int at = options_read(f->argc, f->argv, rows, sizeof(rows) / sizeof(rows[0])), status;
	FILE *in = stdin;

	if (at < 0 || f->argc - at > 1)
		return EXIT_USAGE;
	if (at < f->argc && strcmp(f->argv[at], "-") != 0)
		in = fopen(f->argv[at], "re");
	if (in == NULL) {
		fleet_say("%s: %s", f->argv[at], strerror(errno));
		return EXIT_FAULT;
	}
	s.wanted = wait ? &wanted : NULL;
	f->hints.listens = "weighlock_answers";
	status = run(&s, in);
	answers_free(&wanted);
	if (in != stdin)
		fclose(in);
	return status;
}
