/* See sentence.h. */
#include "sentence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "finding_says.h"
#include "verdict.h"
#include "verdict_json.h"

#define VALUE_SHOWN_MAX 160 /* bytes: two lines of a terminal */
#define WORD_MAX 120        /* bytes of a value without quotes */

/* ---- values ---- */

static bool is_word(const char *text)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/[]+@%";
	size_t n = strlen(text);

	return n > 0 && n <= WORD_MAX && strspn(text, harmless) == n;
}

/* Never cut in the middle of a character or of \xNN, whose backslash is near. */
static size_t shown_length(const char *text)
{
	size_t n = strlen(text), back;

	if (n <= VALUE_SHOWN_MAX)
		return n;
	n = VALUE_SHOWN_MAX;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	for (back = 1; back <= 3 && text[n - back] != '\\'; back++)
		;
	return back <= 3 ? n - back : n;
}

static void put_quoted(FILE *f, const char *text)
{
	size_t n = shown_length(text);

	fputc('"', f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, text[i] == '"' ? "\\%c" : "%c", text[i]);
	fputs(text[n] != '\0' ? "..." : "", f);
	fputc('"', f);
}

static void put_text(FILE *f, const char *text)
{
	if (is_word(text))
		fputs(text, f);
	else
		put_quoted(f, text);
}

bool sentence_value(FILE *f, const json_t *value)
{
	char grouped[TEXT_GROUPED_MAX];
	uint64_t number;

	if (json_is_integer(value) && json_to_number(value, &number))
		fputs(text_grouped(number, grouped), f);
	else if (json_is_integer(value))
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_string(value))
		put_text(f, json_string_value(value));
	else
		return false;
	return true;
}

/* "3 bytes", "1 byte" */
static bool put_number_of(FILE *f, const json_t *value, const char *what, size_t n)
{
	char grouped[TEXT_GROUPED_MAX];
	uint64_t number;

	if (!json_to_number(value, &number))
		return false;
	fprintf(f, "%s %.*s", text_grouped(number, grouped), (int)(number == 1 ? n - 1 : n), what);
	return true;
}

/* `torch.load(...)`, `general.alignment`: a name keeps its letters. */
static bool begins_name(const char *at, size_t n)
{
	for (size_t i = 0; i + 1 < n && at[i] != ' '; i++)
		if (memchr(".(_", at[i], 3) != NULL && at[i + 1] != ' ')
			return true;
	return false;
}

/* ---- places: see tables.py ---- */

static const json_t *value_of(const json_t *finding, const char *place, size_t n)
{
	char member[16];

	(void)snprintf(member, sizeof(member), "%.*s", (int)n, place);
	return json_object_get(finding, member);
}

static void put_words(FILE *f, const char *at, size_t n, bool begins)
{
	if (begins && n > 0 && at[0] >= 'a' && at[0] <= 'z' && !begins_name(at, n)) {
		fputc(at[0] - 'a' + 'A', f);
		at++;
		n--;
	}
	fprintf(f, "%.*s", (int)n, at);
}

/* What stands between { and }, n bytes.  Return: false when the finding has no such value. */
static bool put_place(FILE *f, const json_t *finding, const char *title, const char *place, size_t n)
{
	size_t blank = 0;
	const json_t *value;

	if (n == strlen("title") && memcmp(place, "title", n) == 0) {
		put_words(f, title, strlen(title), true);
		return true;
	}
	if (place[0] == '"') {
		value = value_of(finding, place + 1, n - 2);
		if (json_is_string(value))
			put_quoted(f, json_string_value(value));
		return json_is_string(value);
	}
	if (place[n - 1] == '!') {
		value = value_of(finding, place, n - 1);
		if (json_is_string(value))
			fputs(json_string_value(value), f);
		return json_is_string(value);
	}
	while (blank < n && place[blank] != ' ')
		blank++;
	value = value_of(finding, place, blank);
	return blank < n ? put_number_of(f, value, place + blank + 1, n - blank - 1) : sentence_value(f, value);
}

/* One alternative, n bytes.  Return: false when the finding lacks one of its values. */
static bool put_alternative(FILE *f, const json_t *finding, const char *title, const char *at, size_t n)
{
	const char *end = at + n, *begin = at;

	while (at < end) {
		const char *open = memchr(at, '{', (size_t)(end - at)), *close;

		if (open == NULL)
			open = end;
		put_words(f, at, (size_t)(open - at), at == begin);
		if (open == end)
			return true;
		close = memchr(open, '}', (size_t)(end - open));
		if (close == NULL || !put_place(f, finding, title, open + 1, (size_t)(close - open - 1)))
			return false;
		at = close + 1;
	}
	return true;
}

/* ---- sentences ---- */

/* `"w": the title`; a code this build does not know (a daemon may be newer) is told in the message's words. */
static void put_title(FILE *f, const json_t *finding, bool known, enum wlk_finding code)
{
	const char *title = known ? finding_info(code)->title : verdict_member(finding, "message");
	const char *subject = verdict_member(finding, "subject");

	const size_t n = strlen(subject);
	/* general.alignment: "general.alignment is no power of two". */
	const bool told = strncmp(title, subject, n) == 0 && title[n] == ' ' && begins_name(title, n);

	if (n > 0 && !told) {
		put_text(f, subject);
		fputs(": ", f);
	}
	put_words(f, title[0] != '\0' ? title : "?", strlen(title[0] != '\0' ? title : "?"), n == 0 || told);
}

static bool put_says(FILE *f, const json_t *finding, enum wlk_finding code)
{
	for (const char *at = finding_says(code); *at != '\0';) {
		size_t n = strcspn(at, "\n");

		rewind(f);
		if (put_alternative(f, finding, finding_info(code)->title, at, n))
			return true;
		at += n + 1;
	}
	rewind(f);
	return false;
}

char *sentence_make(const json_t *finding, bool *ret_says)
{
	enum wlk_finding code;
	bool known = finding_by_code(verdict_member(finding, "code"), &code);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool failed;

	if (f == NULL)
		return NULL;
	*ret_says = known && put_says(f, finding, code);
	if (!*ret_says)
		put_title(f, finding, known, code);
	fputc('\0', f); /* what a longer alternative left behind */
	failed = ferror(f);
	if (fclose(f) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}
