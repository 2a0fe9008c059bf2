/* The target of what reports are written with: a verdict whose texts are the input, as a daemon that was taken over could
 * send it.  Whatever they are, the documents must be read as one verdict about one file. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fuzz.h"
#include "output.h"
#include "verdict.h"

#define N_TEXTS 6

/* The input's lines; what is no UTF-8 is escaped, as no JSON can hold it. */
static json_t *text_json(struct bytes b)
{
	json_t *text = json_stringn((const char *)b.at, b.n);
	char shown[4 * 1024 + 1];

	return text != NULL ? text : json_string(text_escape(b, shown, sizeof(shown)));
}

static void split(struct bytes all, struct bytes texts[N_TEXTS])
{
	for (size_t i = 0; i < N_TEXTS; i++) {
		const uint8_t *end = all.n > 0 ? memchr(all.at, 0, all.n) : NULL;
		size_t n = end != NULL && i + 1 < N_TEXTS ? (size_t)(end - all.at) : all.n;

		texts[i] = bytes_of(all.at, n < 1024 ? n : 1024);
		all = bytes_of(all.at + n + (n < all.n), all.n - n - (n < all.n));
	}
}

static json_t *verdict_of(const struct bytes t[N_TEXTS])
{
	static const char *const values[] = { "accept", "review", "reject", "error" };
	size_t pick = t[5].n > 0 ? t[5].at[0] % 4u : 1;

	return json_pack("{s:s, s:s, s:b, s:{s:o, s:i}, s:o, s:{s:o}, s:[{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:i}]}",
	    "schema", "weighlock.verdict/1", "verdict", values[pick], "complete", 0, "file", "name", text_json(t[0]),
	    "size", 1, "format", text_json(t[1]), "scan", "detail", text_json(t[1]), "findings", "code",
	    text_json(t[2]), "severity", "medium", "action", "review", "class", "quality", "message", text_json(t[3]),
	    "member", text_json(t[4]), "subject", text_json(t[5]), "offset", 7);
}

/* The document that a writer makes of one verdict.  Owned. */
static char *document(const struct writer *w, const char *name, const json_t *verdict)
{
	static const struct tally tally = { .files.n_review = 1 };
	const struct outcome outcome = { .tally = &tally, .whole = true, .status = 1 };
	const struct print_style style = { .verbose = true };
	struct output o = {
		.writer = w, .style = &style, .failing = { true, true }, .state = calloc(1, w->state_size)
	};
	const struct shown shown = { .name = name, .line = "" };
	char *text = NULL;
	size_t n;

	o.f = open_memstream(&text, &n);
	FUZZ_REQUIRE(o.f != NULL && o.state != NULL);
	FUZZ_REQUIRE(w->begin(&o) == 0 && w->put(&o, &shown, verdict) == 0 && w->end(&o, &outcome) == 0);
	FUZZ_REQUIRE(fclose(o.f) == 0 && strlen(text) == n);
	w->free(&o);
	free(o.state);
	return text;
}

static void require_no_controls(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
		FUZZ_REQUIRE(*c >= 0x20 || *c == '\n');
}

static void check_sarif(const char *name, const json_t *verdict)
{
	char *text = document(&writer_sarif, name, verdict);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *run;

	require_no_controls(text);
	run = json_array_get(json_object_get(root, "runs"), 0);
	FUZZ_REQUIRE(json_array_size(json_object_get(run, "results")) == 1);
	FUZZ_REQUIRE(json_array_size(json_object_get(run, "artifacts")) == 1);
	json_decref(root);
	free(text);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void check_markup(const char *at)
{
	static const char *const tags[] = { "<?xml ", "<testsuites ", "<testsuite ", "<testcase ", "<failure ",
		"<error ", "</testsuites>", "</testsuite>", "</testcase>", "</failure>", "</error>" };
	bool known = false;

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		known = known || begins(at, tags[i]);
	FUZZ_REQUIRE(known);
}

static void check_junit(const char *name, const json_t *verdict)
{
	char *text = document(&writer_junit, name, verdict);
	size_t cases = 0;

	require_no_controls(text);
	for (const char *c = text; *c != '\0'; c++) {
		if (*c == '<')
			check_markup(c);
		cases += begins(c, "<testcase ");
		FUZZ_REQUIRE(*c != '&' || begins(c, "&#"));
		FUZZ_REQUIRE(!begins(c, "\xef\xbf\xbe") && !begins(c, "\xef\xbf\xbf"));
	}
	FUZZ_REQUIRE(cases == 1);
	free(text);
}

/* Between the token and itself nothing counts; behind it there is one command. */
static void check_github(const char *name, const json_t *verdict)
{
	bool accepted = strcmp(verdict_member(verdict, "verdict"), "accept") == 0;
	char *text = document(&writer_github, name, verdict), *rest = text, *token = strsep(&rest, "\n"), *line;
	char resume[64];

	FUZZ_REQUIRE(begins(token, "::stop-commands::"));
	(void)snprintf(resume, sizeof(resume), "::%s::", token + strlen("::stop-commands::"));
	while ((line = strsep(&rest, "\n")) != NULL && strcmp(line, resume) != 0)
		FUZZ_REQUIRE(strstr(line, resume) == NULL);
	FUZZ_REQUIRE(line != NULL);
	line = strsep(&rest, "\n");
	FUZZ_REQUIRE(accepted ? line[0] == '\0' : begins(line, "::error file=") || begins(line, "::warning file="));
	FUZZ_REQUIRE(strchr(line, '\r') == NULL && (accepted ? rest == NULL : rest != NULL && rest[0] == '\0'));
	free(text);
}

/* Behind what begins at @at: of data, which has to be JSON that ends nothing, and of our own script and style. */
static const char *skip_raw(const char *at, size_t *data)
{
	static const char opened[] = "<script type=\"application/json\"";
	bool ours = begins(at, "<style>") || begins(at, "<script>");
	const char *begin = strchr(at, '>') + 1, *end = strstr(begin, begins(at, "<style>") ? "</style>" : "</script>");
	json_t *root;

	if (!ours && !begins(at, opened))
		return at;
	FUZZ_REQUIRE(end != NULL);
	if (ours)
		return end;
	FUZZ_REQUIRE(memchr(begin, '<', (size_t)(end - begin)) == NULL);
	root = json_loadb(begin, (size_t)(end - begin), JSON_ALLOW_NUL, NULL);
	FUZZ_REQUIRE(root != NULL);
	json_decref(root);
	++*data;
	return end;
}

static void check_tag(const char *at)
{
	static const char *const tags[] = { "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "header",
		"main", "h1", "ul", "li", "p", "b", "bdi", "span", "div", "details", "summary", "script", "wbr", "br" };
	size_t n = strcspn(at += 1 + (at[1] == '/'), " >");
	bool known = false;

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		known = known || (strlen(tags[i]) == n && memcmp(at, tags[i], n) == 0);
	FUZZ_REQUIRE(known);
}

static void check_html(const char *name, const json_t *verdict)
{
	char *text = document(&writer_html, name, verdict);
	size_t data = 0;

	require_no_controls(text);
	for (const char *c = text; *c != '\0'; c++) {
		FUZZ_REQUIRE((unsigned char)*c < 0x7f);
		if (*c != '<')
			continue;
		c = skip_raw(c, &data);
		check_tag(c);
	}
	FUZZ_REQUIRE(data == 2); /* the line's, and the rules */
	free(text);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	struct bytes texts[N_TEXTS];
	char name[1024 + 1];
	json_t *verdict;

	split(bytes_of(data, n), texts);
	verdict = verdict_of(texts);
	FUZZ_REQUIRE(verdict != NULL);
	memcpy(name, texts[0].at, texts[0].n);
	name[texts[0].n] = '\0';
	check_sarif(name, verdict);
	check_junit(name, verdict);
	check_github(name, verdict);
	check_html(name, verdict);
	json_decref(verdict);
	return 0;
}
