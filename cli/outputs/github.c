/* For a GitHub job: the text for people, an annotation for each file that is not accepted, and a table in the job's summary.
 *
 * What stands in a job's output is also commands to its runner ("::set-output...", "##[...]"), and names in it come from
 * strangers: the text stands between ::stop-commands:: and a token nobody can guess, and whatever an annotation says is
 * escaped as the runner takes it back.  So nothing in the text can end it early. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cleanup.h"
#include "cli.h"
#include "hex.h"
#include "output.h"
#include "verdict_json.h"

#define TABLE_ROWS_MAX 200u   /* a summary has room for 1 MiB */
#define ANNOTATIONS_MAX 1000u /* GitHub keeps fewer of a job */
#define TOKEN_BYTES 16
#define TOKEN_HEX (2 * TOKEN_BYTES)

struct github {
	FILE *annotations, *table; /* memory streams */
	char *annotations_text, *table_text;
	size_t annotations_n, table_n, n_rows; /* the last: not accepted */
	char token[TOKEN_HEX + 1];
};

/* ---- annotations ---- */

/* The runner's own escapes; in a property also those of what separates properties. */
static void put_data(FILE *f, const char *text, bool property)
{
	for (; *text != '\0'; text++) {
		bool escaped = strchr("%\r\n", *text) != NULL || (property && strchr(":,", *text) != NULL);

		fprintf(f, escaped ? "%%%02X" : "%c", (unsigned char)*text);
	}
}

/* GitHub shows ten of a kind: one for a file, with the worst first, tells most. */
static int put_annotation(FILE *f, const char *path, const json_t *verdict)
{
	_cleanup_(freep) char *sentence = reason_sentence(verdict);

	if (sentence == NULL)
		return -ENOMEM;
	fputs(verdict_effective_of(verdict) == VERDICT_REVIEW ? "::warning file=" : "::error file=", f);
	put_data(f, path, true);
	fputs(",title=weighlock%3A ", f);
	put_data(f, verdict_member(verdict, "verdict"), true);
	fputs("::", f);
	put_data(f, sentence, false);
	fputc('\n', f);
	return 0;
}

/* ---- the summary ---- */

/* Markdown knows dozens of special characters; as numbers none of them is one. */
static void put_markdown(FILE *f, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
		bool plain = *c >= 0x80 || *c == ' ' || *c == '/' || (*c >= '0' && *c <= '9') ||
			     ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z');

		fprintf(f, plain ? "%c" : "&#%u;", *c);
	}
}

static void put_row(struct github *g, const char *path, const json_t *verdict)
{
	size_t n;
	const json_t *worst = worst_finding(verdict, &n);

	if (g->n_rows++ >= TABLE_ROWS_MAX)
		return;
	fprintf(g->table, "| %s | ", verdict_text(verdict_value_of(verdict)));
	put_markdown(g->table, path);
	fputs(" | ", g->table);
	put_markdown(g->table, worst != NULL ? verdict_member(worst, "code") : "");
	fputs(" | ", g->table);
	put_markdown(g->table, worst != NULL ? verdict_member(worst, "message") : "not fully examined");
	fputs(" |\n", g->table);
}

static void put_heading(FILE *f, const struct tally *t)
{
	const struct counts *c = &t->files;

	fprintf(f, "### weighlock\n\n%zu files: %zu accepted, %zu under review, %zu rejected, %zu not judged.\n",
	    tally_total(c), c->n_accept, c->n_review, c->n_reject, c->n_error);
}

/* Added to what other steps of the job wrote. */
static int write_summary(struct github *g, const struct outcome *outcome)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *f = path != NULL && path[0] != '\0' ? fopen(path, "ae") : NULL;
	int r;

	if (path == NULL || path[0] == '\0')
		return 0;
	if (f == NULL)
		return -errno;
	put_heading(f, outcome->tally);
	if (g->n_rows > 0)
		fprintf(f, "\n| verdict | file | finding | |\n|---|---|---|---|\n%s", g->table_text);
	if (g->n_rows > TABLE_ROWS_MAX)
		fprintf(f, "\nand %zu more.\n", g->n_rows - TABLE_ROWS_MAX);
	fputc('\n', f);
	r = ferror(f) ? -EIO : 0;
	return fclose(f) == 0 ? r : -errno;
}

/* ---- beginning and end ---- */

static bool make_token(char token[TOKEN_HEX + 1])
{
	uint8_t random[TOKEN_BYTES];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return false;
	hex_write(random, sizeof(random), token);
	return true;
}

static int github_begin(struct output *o)
{
	struct github *g = o->state;

	g->annotations = open_memstream(&g->annotations_text, &g->annotations_n);
	g->table = open_memstream(&g->table_text, &g->table_n);
	if (g->annotations == NULL || g->table == NULL)
		return -ENOMEM;
	if (!make_token(g->token))
		return -EIO;
	fprintf(o->f, "::stop-commands::%s\n", g->token);
	return 0;
}

static int github_put(struct output *o, const struct shown *s, const json_t *verdict)
{
	struct github *g = o->state;
	_cleanup_(freep) char *name = relative_name(s->name), *text = print_text(o->style, verdict);
	_cleanup_(freep) char *path = name != NULL ? text_escaped(name) : NULL; /* a job's log is text */

	if (path == NULL || text == NULL)
		return -ENOMEM;
	fputs(text, o->f);
	if (verdict_effective_of(verdict) == VERDICT_ACCEPT)
		return 0;
	put_row(g, path, verdict);
	return g->n_rows <= ANNOTATIONS_MAX ? put_annotation(g->annotations, path, verdict) : 0;
}

static int github_end(struct output *o, const struct outcome *outcome)
{
	struct github *g = o->state;

	if (outcome->whole)
		print_summary(outcome->tally, outcome->elapsed_ms, o->f);
	if (fflush(g->annotations) != 0 || fflush(g->table) != 0)
		return -ENOMEM;
	fprintf(o->f, "::%s::\n%s", g->token, g->annotations_text);
	return write_summary(g, outcome);
}

static void github_free(struct output *o)
{
	struct github *g = o->state;

	if (g->annotations != NULL)
		(void)fclose(g->annotations);
	if (g->table != NULL)
		(void)fclose(g->table);
	free(g->annotations_text);
	free(g->table_text);
}

const struct writer writer_github = { .name = "github",
	.state_size = sizeof(struct github),
	.begin = github_begin,
	.put = github_put,
	.end = github_end,
	.free = github_free };
