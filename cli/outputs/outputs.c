/* See outputs.h. */
#include "outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "output.h"
#include "verdict_json.h"

#define COPY_BYTES ((size_t)64 << 10)

static const struct writer *const writers[N_OUTPUT_FORMATS] = {
	[OUTPUT_TEXT] = &writer_text,
	[OUTPUT_JSON] = &writer_json,
	[OUTPUT_SARIF] = &writer_sarif,
	[OUTPUT_JUNIT] = &writer_junit,
	[OUTPUT_GITHUB] = &writer_github,
	[OUTPUT_HTML] = &writer_html,
	[OUTPUT_CYCLONEDX] = &writer_cyclonedx,
	[OUTPUT_BASELINE] = &writer_baseline,
	[OUTPUT_POLICY] = &writer_policy,
};

struct outputs {
	struct output each[OUTPUTS_MAX];
	size_t n;
	struct print_style plain; /* of what is written to files: neither painted nor wrapped */
	bool parses;              /* one of them wants more than the line */
};

bool output_spec_parse(const char *text, struct output_spec *ret)
{
	size_t n = strcspn(text, "=");

	*ret = (struct output_spec){ .path = text[n] == '=' ? text + n + 1 : NULL };
	if (ret->path != NULL && strcmp(ret->path, "-") == 0)
		ret->path = NULL;
	for (int i = 0; i < N_OUTPUT_FORMATS; i++) {
		if (writers[i]->name != NULL && strlen(writers[i]->name) == n &&
		    memcmp(writers[i]->name, text, n) == 0) {
			ret->format = (enum output_format)i;
			return ret->path == NULL || ret->path[0] != '\0';
		}
	}
	return false;
}

/* ---- what writers share ---- */

/* What CI systems show has to be found in the repository that was checked out, where the command runs. */
char *relative_name(const char *name)
{
	_cleanup_(freep) char *here = getcwd(NULL, 0);
	size_t n = here != NULL ? strlen(here) : 0;

	if (name == NULL || strcmp(name, "-") == 0)
		return strdup("stdin");
	if (n > 1 && strncmp(name, here, n) == 0 && name[n] == '/')
		name += n;
	else if (name[0] == '/')
		return strdup(name);
	while (name[0] == '/' || (name[0] == '.' && name[1] == '/'))
		name++;
	return strdup(name[0] != '\0' ? name : ".");
}

char *finding_sentence(const json_t *finding)
{
	const char *subject = verdict_member(finding, "subject"), *member = verdict_member(finding, "member");
	const char *found = verdict_member(finding, "found");
	char *text;

	if (asprintf(&text, "%s: %s%s%s%s%s%s%s", verdict_member(finding, "code"), verdict_member(finding, "message"),
		subject[0] != '\0' ? "; about " : "", subject, found[0] != '\0' ? "; found " : "", found,
		member[0] != '\0' ? "; in " : "", member) < 0)
		return NULL;
	return text;
}

const json_t *worst_finding(const json_t *verdict, size_t *ret_n)
{
	const json_t *worst = NULL, *one;
	size_t i;

	*ret_n = 0;
	json_array_foreach (json_object_get(verdict, "findings"), i, one) {
		bool rejects = strcmp(verdict_member(one, "action"), "reject") == 0;

		if (strcmp(verdict_member(one, "action"), "accept") == 0)
			continue;
		++*ret_n;
		if (worst == NULL || (rejects && strcmp(verdict_member(worst, "action"), "reject") != 0))
			worst = one;
	}
	return worst;
}

static char *unexamined_sentence(const json_t *verdict)
{
	const json_t *scan = json_object_get(verdict, "scan");
	const char *cause = verdict_member(scan, "error"), *detail = verdict_member(scan, "detail");
	char *text;

	if (asprintf(&text, "not fully examined%s%s%s%s", cause[0] != '\0' ? ": " : "", cause,
		detail[0] != '\0' ? ": " : "", detail) < 0)
		return NULL;
	return text;
}

char *reason_sentence(const json_t *verdict)
{
	size_t n;
	const json_t *worst = verdict_value_of(verdict) != VERDICT_ERROR ? worst_finding(verdict, &n) : NULL;
	_cleanup_(freep) char *sentence = worst != NULL ? finding_sentence(worst) : NULL;
	char *text;

	if (worst == NULL)
		return unexamined_sentence(verdict);
	if (sentence == NULL || n == 1)
		return sentence != NULL ? strdup(sentence) : NULL;
	return asprintf(&text, "%s (and %zu more)", sentence, n - 1) < 0 ? NULL : text;
}

const char *time_text(int64_t unix_s, char buf[TIME_TEXT_MAX])
{
	time_t t = (time_t)unix_s;
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL || strftime(buf, TIME_TEXT_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		(void)snprintf(buf, TIME_TEXT_MAX, "1970-01-01T00:00:00Z");
	return buf;
}

int output_copy(FILE *from, FILE *to)
{
	_cleanup_(freep) char *block = malloc(COPY_BYTES);
	size_t n;

	if (block == NULL)
		return -ENOMEM;
	if (fflush(from) != 0 || fseek(from, 0, SEEK_SET) != 0)
		return -errno;
	while ((n = fread(block, 1, COPY_BYTES, from)) > 0)
		fwrite(block, 1, n, to);
	return ferror(from) ? -EIO : 0;
}

/* ---- the life of all of them ---- */

static int cannot_write(const struct output *o, int r)
{
	say("cannot write %s: %s", o->target.path != NULL ? o->target.path : "standard output", strerror(-r));
	return r;
}

static int output_open(
    struct output *o, const struct output_spec *spec, const struct print_style *style, struct output_failing failing)
{
	int r;

	*o = (struct output){
		.writer = writers[spec->format], .style = style, .failing = failing, .about = spec->about
	};
	r = target_open(&o->target, spec->path);
	o->f = o->target.f;
	if (r == 0 && o->writer->state_size > 0 && (o->state = calloc(1, o->writer->state_size)) == NULL)
		r = -ENOMEM;
	if (r == 0 && o->writer->begin != NULL)
		r = o->writer->begin(o);
	if (r < 0)
		(void)cannot_write(o, r);
	return r;
}

int outputs_open(const struct output_spec *specs, size_t n, const struct print_style *style,
    struct output_failing failing, struct outputs **ret)
{
	struct outputs *o = calloc(1, sizeof(*o));
	int r = o != NULL ? 0 : -ENOMEM;

	if (o == NULL)
		say("out of memory");
	else
		o->plain = (struct print_style){ .quiet = style->quiet, .verbose = style->verbose };
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = output_open(&o->each[o->n++], &specs[i], specs[i].path != NULL ? &o->plain : style, failing);
		o->parses = o->parses || specs[i].format != OUTPUT_JSON;
	}
	*ret = o;
	return r == 0 ? 0 : r == -ENOMEM ? CLI_INCOMPLETE : CLI_USAGE;
}

void outputs_free(struct outputs *o)
{
	for (size_t i = 0; o != NULL && i < o->n; i++) {
		struct output *one = &o->each[i];

		if (one->writer->free != NULL && one->state != NULL)
			one->writer->free(one);
		free(one->state);
		target_close(&one->target);
	}
	free(o);
}

bool outputs_own(const struct outputs *o, const struct stat *st)
{
	struct stat own;

	for (size_t i = 0; i < o->n; i++)
		if (fstat(fileno(o->each[i].f), &own) == 0 && S_ISREG(own.st_mode) && own.st_dev == st->st_dev &&
		    own.st_ino == st->st_ino)
			return true;
	return false;
}

static bool output_wants(const struct output *o, const json_t *verdict)
{
	return o->writer->all || !o->style->quiet || verdict_effective_of(verdict) != VERDICT_ACCEPT;
}

bool outputs_want(const struct outputs *o, const json_t *verdict)
{
	for (size_t i = 0; i < o->n; i++)
		if (output_wants(&o->each[i], verdict))
			return true;
	return false;
}

static int put_each(struct outputs *o, const struct shown *s, const json_t *verdict)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < o->n; i++) {
		struct output *one = &o->each[i];

		if (verdict != NULL && !output_wants(one, verdict))
			continue;
		r = one->writer->put(one, s, verdict);
		if (r == 0 && ferror(one->f))
			r = one->f == stdout ? -EIO : cannot_write(one, -EIO);
	}
	return r;
}

int outputs_put(struct outputs *o, const struct shown *s)
{
	json_t *verdict = o->parses ? json_loads(s->line, 0, NULL) : NULL;
	int r = o->parses && verdict == NULL ? -ENOMEM : put_each(o, s, verdict);

	json_decref(verdict);
	return r;
}

bool outputs_finish(struct outputs *o, const struct outcome *outcome)
{
	bool good = true;

	for (size_t i = 0; i < o->n; i++) {
		struct output *one = &o->each[i];
		int r = one->writer->end != NULL ? one->writer->end(one, outcome) : 0;

		if (r == 0 && one->f != stdout) /* of standard output, output_finish() tells */
			r = target_publish(&one->target);
		if (r < 0)
			(void)cannot_write(one, r);
		good = good && r == 0;
	}
	return good;
}

/* ---- lines: for people, and one JSON object each ---- */

static int text_put(struct output *o, const struct shown *s, const json_t *verdict)
{
	_cleanup_(freep) char *text = print_text(o->style, verdict);

	if (text == NULL)
		return -ENOMEM;
	fputs(text, o->f);
	return s->rows != NULL ? print_text_rows(o->style, s->rows, s->listed, o->f) : 0;
}

static int text_end(struct output *o, const struct outcome *outcome)
{
	if (outcome->whole)
		print_summary(outcome->tally, outcome->elapsed_ms, o->f);
	return 0;
}

const struct writer writer_text = { .name = "text", .put = text_put, .end = text_end };

static int json_put(struct output *o, const struct shown *s, const json_t *verdict)
{
	(void)verdict;
	if (s->rows != NULL)
		return print_json_rows(s->line, s->rows, s->listed, o->f);
	fputs(s->line, o->f);
	return 0;
}

const struct writer writer_json = { .name = "json", .put = json_put };
