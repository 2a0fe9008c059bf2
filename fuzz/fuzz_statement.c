/* What a signature was good for is still only bytes: a statement, read.  What is accepted says one thing: its subject, its
 * result and its verdict agree.  The input is also read as a verdict of which a statement is made: that one says what
 * the verdict says, if it is taken at all. */
#include <string.h>

#include "fuzz.h"
#include "statement.h"

static const char *text_in(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void require_consistent(const struct statement *s)
{
	const json_t *predicate = json_object_get(s->json, "predicate");
	const char *result = text_in(predicate, "result");

	FUZZ_REQUIRE(s->whole == json_object_get(predicate, "weighlock_verdict"));
	FUZZ_REQUIRE(s->sha256 && strlen(s->sha256) == 64 && strspn(s->sha256, "0123456789abcdef") == 64);
	FUZZ_REQUIRE(strcmp(s->sha256, text_in(json_object_get(s->whole, "file"), "sha256")) == 0);
	FUZZ_REQUIRE(s->verdict && strcmp(s->verdict, text_in(s->whole, "verdict")) == 0);
	FUZZ_REQUIRE(result && (strcmp(result, "PASSED") == 0) == (strcmp(s->verdict, "accept") == 0));
}

static void make_one(const json_t *verdict)
{
	struct statement s;
	char *text;
	int r = statement_make(verdict, &text);

	FUZZ_REQUIRE((r == 0) == (text != NULL));
	if (r < 0)
		return;
	FUZZ_REQUIRE(strchr(text, '\n') == NULL);
	if (statement_read(text, strlen(text), &s) == NULL) {
		require_consistent(&s);
		FUZZ_REQUIRE(strcmp(s.verdict, text_in(verdict, "verdict")) == 0);
		statement_done(&s);
	}
	free(text);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	struct statement s;
	json_t *json = json_loadb((const char *)data, n, JSON_REJECT_DUPLICATES, NULL);

	if (statement_read(data, n, &s) == NULL) {
		require_consistent(&s);
		make_one(s.whole);
		statement_done(&s);
	}
	make_one(json);
	json_decref(json);
	return 0;
}
