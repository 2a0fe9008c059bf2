/* Any bytes as a regular expression: the judge ends, keeps to its memory, says the same of the same expression, and finds no less
 * of two alternatives than of one that is found for its grammar.  The first byte chooses the dialect.  A map of SentencePiece's
 * is looked at as well: it takes any bytes. */
#include <string.h>

#include "charsmap.h"
#include "fuzz.h"
#include "regex_cost.h"

static enum regex_cost judge(struct bytes text, enum regex_dialect dialect, uint64_t more)
{
	struct arena arena;
	struct regex *x;
	enum regex_cost first, second;

	arena_init(&arena, 8u << 20);
	x = regex_new(&arena);
	FUZZ_REQUIRE(x != NULL);
	first = regex_judge(x, text, dialect);
	second = regex_judge(x, text, dialect);
	FUZZ_REQUIRE(more == 0 || regex_judge(x, bytes_of(text.at, 0), dialect) == REGEX_FINE);
	/* What all expressions may cost together may be spent by the first. */
	FUZZ_REQUIRE(first == second || second == REGEX_BACKTRACKS);
	FUZZ_REQUIRE(regex_cost_words(first) != NULL);
	arena_done(&arena);
	return first;
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */
	enum charsmap_fault fault;
	size_t at;

	FUZZ_REQUIRE(copy != NULL);
	bytes_copy(copy, bytes_of(data, n));
	fault = charsmap_check(bytes_of(copy, n), &at);
	FUZZ_REQUIRE(at <= n && charsmap_words(fault) != NULL);
	judge(bytes_of(copy, n), REGEX_ONIGURUMA, n);
	judge(bytes_of(copy, n), REGEX_PYTHON, n);
	free(copy);
	return 0;
}
