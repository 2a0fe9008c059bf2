/* Frames between a front and the keeper: either side reads the other's as a stranger's.  Whatever pieces the bytes come in,
 * the same frames come out, none longer than may be, and each of them written again is the bytes it was read from. */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "keeper_wire.h"

/* What comes out: frames as they would be written again, one behind the other. */
struct seen {
	uint8_t *at; /* room for all of the input */
	size_t n, room;
	bool bad;
};

static void see(struct seen *s, const struct keeper_frame *f)
{
	FUZZ_REQUIRE(f->payload.n <= KEEPER_PAYLOAD_MAX);
	FUZZ_REQUIRE(KEEPER_HEAD + f->payload.n <= s->room - s->n);
	keeper_frame_head(f, s->at + s->n);
	bytes_copy(s->at + s->n + KEEPER_HEAD, f->payload);
	s->n += KEEPER_HEAD + f->payload.n;
}

static void take_frames(struct keeper_reader *r, struct seen *s)
{
	enum keeper_progress p;
	struct keeper_frame f;

	while ((p = keeper_reader_next(r, &f)) == KEEPER_FRAME)
		see(s, &f);
	s->bad = p == KEEPER_BAD;
}

/* As keeper.c and keeper_link.c read: room, bytes, frames; at most @piece bytes at a time. */
static struct seen read_all(const uint8_t *data, size_t n, size_t piece)
{
	struct seen s = { .at = malloc(n > 0 ? n : 1), .room = n };
	struct keeper_reader r = { 0 };

	FUZZ_REQUIRE(s.at != NULL);
	while (n > 0 && !s.bad) {
		size_t room, take;
		uint8_t *to = keeper_reader_room(&r, &room);

		FUZZ_REQUIRE(to != NULL && room >= KEEPER_READ_MIN);
		FUZZ_REQUIRE(r.room <= KEEPER_HEAD + (size_t)KEEPER_PAYLOAD_MAX + KEEPER_READ_MIN);
		take = room < piece ? room : piece;
		take = take < n ? take : n;
		memcpy(to, data, take);
		keeper_reader_add(&r, take);
		data += take;
		n -= take;
		take_frames(&r, &s);
	}
	keeper_reader_done(&r);
	return s;
}

int fuzz_one(const uint8_t *data, size_t n)
{
	static const size_t pieces[] = { 1, 17, 4096 };
	struct seen whole = read_all(data, n, SIZE_MAX);

	FUZZ_REQUIRE(whole.n <= n && memcmp(whole.at, data, whole.n) == 0);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct seen cut = read_all(data, n, pieces[i]);

		FUZZ_REQUIRE(cut.bad == whole.bad && cut.n == whole.n);
		free(cut.at);
	}
	free(whole.at);
	return 0;
}
