/* The door for clients of clamd: commands, and the chunks of INSTREAM, as a client's bytes.  Beyond not crashing: a command
 * with a prefix does not depend on how its bytes were cut; an answer has one end, at its end; of a stream nothing is read
 * that is not its own, and what comes out does not depend on the cuts either. */
#include <stdbool.h>
#include <string.h>

#include "clamd_protocol.h"
#include "fuzz.h"

static uint8_t *exact_copy(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1);

	FUZZ_REQUIRE(copy != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	return copy;
}

/* ---- commands ---- */

static void check_answer(const struct clamd_command *c)
{
	char buf[CLAMD_REPLY_MAX];
	const struct clamd_reply r = { .id = 1, .name = c->path, .text = "no", .status = "ERROR", .term = c->term };
	size_t n = clamd_reply(&r, buf);

	FUZZ_REQUIRE(n >= 8 && n <= sizeof(buf));
	FUZZ_REQUIRE(buf[n - 1] == c->term && memcmp(buf + n - 7, " ERROR", 6) == 0);
	for (size_t i = 0; i < n - 1; i++)
		FUZZ_REQUIRE((unsigned char)buf[i] >= 0x20);
}

static void check_command(const uint8_t *at, size_t n, const struct clamd_command *c, size_t used)
{
	FUZZ_REQUIRE(used >= 1 && used <= n);
	FUZZ_REQUIRE(c->term == '\0' || c->term == '\n');
	FUZZ_REQUIRE(c->prefixed == (at[0] == 'z' || at[0] == 'n'));
	if (c->path.n > 0) {
		FUZZ_REQUIRE(c->path.at > at && c->path.at + c->path.n <= at + used);
		FUZZ_REQUIRE(memchr(c->path.at, c->term, c->path.n) == NULL);
	}
	if (c->prefixed && c->verb != CLAMD_UNKNOWN)
		FUZZ_REQUIRE(at[used - 1] == (uint8_t)c->term);
}

/* Its own bytes are enough, and none fewer. */
static void check_exact(const uint8_t *at, size_t used, const struct clamd_command *c)
{
	struct clamd_command own;
	size_t own_used;

	FUZZ_REQUIRE(clamd_parse(at, used, false, &own, &own_used));
	FUZZ_REQUIRE(own.verb == c->verb && own_used == used && bytes_equal(own.path, c->path));
	if (c->prefixed)
		FUZZ_REQUIRE(!clamd_parse(at, used - 1, false, &own, &own_used));
}

/* Return: bytes of all commands before an INSTREAM, that one with them; or of all. */
static size_t check_commands(const uint8_t *data, size_t n)
{
	struct clamd_command c;
	size_t at = 0, used;

	while (at < n) {
		size_t there = n - at < CLAMD_LINE_MAX ? n - at : CLAMD_LINE_MAX;
		uint8_t *copy = exact_copy(data + at, there);
		bool whole = clamd_parse(copy, there, at + there == n, &c, &used);

		FUZZ_REQUIRE(whole);
		check_command(copy, there, &c, used);
		check_answer(&c);
		if (c.prefixed && copy[used - 1] == (uint8_t)c.term)
			check_exact(copy, used, &c);
		free(copy);
		at += used;
		if (c.verb == CLAMD_INSTREAM)
			break;
	}
	return at;
}

/* ---- chunks ---- */

struct stream {
	uint64_t payload_n, hash;
	bool ended;
	size_t used;
};

/* As the daemon reads: never more than is wanted, nor than @most at a time. */
static struct stream read_stream(const uint8_t *data, size_t n, size_t most)
{
	struct stream s = { .hash = UINT64_C(1469598103934665603) };
	struct clamd_chunks c = { 0 };
	struct bytes payload;
	size_t used;

	while (!s.ended && s.used < n) {
		size_t want = clamd_chunks_want(&c), left = n - s.used;
		uint8_t *copy;

		FUZZ_REQUIRE(want > 0);
		want = want < left ? want : left;
		want = want < most ? want : most;
		copy = exact_copy(data + s.used, want);
		for (size_t at = 0; at < want && !s.ended; at += used) {
			enum clamd_chunk_event e = clamd_chunks_next(&c, copy + at, want - at, &used, &payload);

			FUZZ_REQUIRE(used > 0 && used <= want - at);
			FUZZ_REQUIRE((e == CLAMD_CHUNK_DATA) == (payload.n > 0));
			for (size_t i = 0; i < payload.n; i++)
				s.hash = (s.hash ^ payload.at[i]) * UINT64_C(1099511628211);
			s.payload_n += payload.n;
			s.ended = e == CLAMD_CHUNK_END;
			FUZZ_REQUIRE(!s.ended || at + used == want); /* nothing behind the end was asked for */
		}
		free(copy);
		s.used += want;
	}
	FUZZ_REQUIRE(s.payload_n <= c.total);
	FUZZ_REQUIRE(!s.ended || s.payload_n == c.total);
	return s;
}

static void check_stream(const uint8_t *data, size_t n)
{
	const struct stream whole = read_stream(data, n, SIZE_MAX), cut = read_stream(data, n, 3);

	FUZZ_REQUIRE(whole.payload_n == cut.payload_n && whole.hash == cut.hash);
	FUZZ_REQUIRE(whole.ended == cut.ended && whole.used == cut.used);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	size_t at = check_commands(data, n);

	check_stream(data + at, n - at);
	check_stream(data, n);
	return 0;
}
