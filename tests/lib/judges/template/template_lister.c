/* What the checker of chat templates makes of them: a line of JSON for each line of hex on standard input.  For tests that
 * compare its tokens with Jinja's, and for looking at a template by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lexer.h"
#include "template.h"

#define BUDGET ((size_t)48 << 20)

static void print_hex(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		printf("%02x", b.at[i]);
}

static void print_tokens(struct bytes text)
{
	static const char *const kinds[] = { "end", "text", "comment", "value", "tag", "close", "name", "string",
		"number", "operator", "bad", "deep" };
	struct lexer x;
	struct token t;

	template_lexer_init(&x, text);
	printf("\"tokens\":[");
	for (bool first = true; (t = template_lexer_next(&x)).kind != TOKEN_END; first = false) {
		printf("%s[\"%s\",\"", first ? "" : ",", kinds[t.kind]);
		print_hex(t.raw);
		printf("\"]");
	}
	printf("]");
}

struct findings {
	const char *separator;
};

static void told(void *ctx, const struct finding *f)
{
	struct findings *all = ctx;

	printf("%s[\"%s\",%llu]", all->separator, finding_info(f->code)->code, (unsigned long long)f->offset);
	all->separator = ",";
}

static void print_findings(struct bytes text)
{
	struct findings all = { .separator = "" };
	struct arena arena;
	const struct template_options o = { .family = TEMPLATE_PLAIN, .arena = &arena, .finding = told, .ctx = &all };
	enum wlk_status status;

	arena_init(&arena, BUDGET);
	printf(",\"findings\":[");
	status = template_check(text, &o);
	printf("],\"status\":%d}\n", (int)status);
	arena_done(&arena);
}

static int digit(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The line's bytes, in place; exactly so many are left readable, so that a sanitizer sees one too many. */
static struct bytes bytes_of_hex(const char *line, size_t n)
{
	uint8_t *out = malloc(n / 2 > 0 ? n / 2 : 1);

	for (size_t i = 0; out != NULL && i < n / 2; i++)
		out[i] = (uint8_t)(digit(line[2 * i]) << 4 | digit(line[2 * i + 1]));
	return bytes_of(out, n / 2);
}

int main(void)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t n;

	while ((n = getline(&line, &capacity, stdin)) > 0) {
		struct bytes text = bytes_of_hex(line, strcspn(line, "\n"));

		printf("{");
		print_tokens(text);
		print_findings(text);
		free((void *)(uintptr_t)text.at);
	}
	free(line);
	return 0;
}
