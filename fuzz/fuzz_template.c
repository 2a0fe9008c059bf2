/* Any bytes as a chat template: the checker ends, stays inside the text, keeps to its memory, gives it back, and says the
 * same of the same text; tokens come in order and cover what they say. */
#include <string.h>

#include "fuzz.h"
#include "lexer.h"
#include "template.h"
#include "utf8.h"

#define ORIGIN 1000u

struct seen {
	size_t text_n;
	uint64_t n, sum;
};

static void see(void *ctx, const struct finding *f)
{
	struct seen *s = ctx;

	FUZZ_REQUIRE(f->has_offset && f->offset >= ORIGIN && f->offset - ORIGIN <= s->text_n);
	s->n++;
	s->sum = s->sum * 31 + f->offset + (uint64_t)f->code;
}

static struct seen check(struct bytes text, bool decoded)
{
	struct seen s = { .text_n = text.n };
	struct arena arena;
	struct template_options o = { .family = TEMPLATE_GGUF,
		.origin = ORIGIN,
		.decoded = decoded,
		.seed = { .k0 = 1, .k1 = 2 },
		.arena = &arena,
		.finding = see,
		.ctx = &s };
	enum wlk_status status;

	arena_init(&arena, TEMPLATE_MEMORY);
	status = template_check(text, &o);
	FUZZ_REQUIRE(status != WLK_INCOMPLETE && arena.used == 0);
	FUZZ_REQUIRE(status == WLK_DONE || s.n > 0);
	arena_done(&arena);
	return s;
}

static void cut(struct bytes text)
{
	const uint8_t *last = text.at, *end = text.at + text.n;
	struct lexer x;
	struct token t;

	template_lexer_init(&x, text);
	while ((t = template_lexer_next(&x)).kind != TOKEN_END) {
		FUZZ_REQUIRE(t.raw.at >= last && t.raw.n <= (size_t)(end - t.raw.at));
		FUZZ_REQUIRE(x.depth <= LEXER_DEPTH_MAX);
		last = t.raw.at + t.raw.n;
	}
	FUZZ_REQUIRE(x.p == end);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */
	struct utf8_stream utf8 = { 0 };
	struct bytes text = bytes_of(copy, n);
	struct seen first, second;

	FUZZ_REQUIRE(copy != NULL);
	bytes_copy(copy, bytes_of(data, n));
	first = check(text, false);
	second = check(text, false);
	FUZZ_REQUIRE(first.n == second.n && first.sum == second.sum);
	FUZZ_REQUIRE(check(text, true).n == first.n);
	if (n <= TEMPLATE_BYTES_MAX && utf8_stream_feed(&utf8, copy, n) && utf8_stream_whole(&utf8))
		cut(text);
	free(copy);
	return 0;
}
