/* The machine's walk: every opcode, stack, marks, memo, frames, and how it ends. */
#include "walk.h"

#include "machine.h"

static enum pickle_end end_of(const void *at, size_t n, uint64_t *ret_position)
{
	static struct walk w;

	w = (struct walk){ 0 };
	walk_bytes(&w, at, n);
	*ret_position = w.position;
	walk_done(&w);
	return w.end;
}

struct ending {
	const char *bytes;
	size_t n;
	enum pickle_end end;
	uint64_t position;
};
#define ENDING(literal, end, position)                      \
	{                                                   \
		literal, sizeof(literal) - 1, end, position \
	}

static void check_endings(const struct ending *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t position;
		enum pickle_end end = end_of(list[i].bytes, list[i].n, &position);

		ck_assert_msg(end == list[i].end && position == list[i].position, "%zu: end %d at %llu", i, (int)end,
		    (unsigned long long)position);
	}
}
#define CHECK_ENDINGS(list) check_endings(list, sizeof(list) / sizeof((list)[0]))

START_TEST(test_188_bytes_are_no_opcode)
{
	unsigned unknown = 0;

	for (unsigned op = 0; op < 256; op++) {
		uint8_t bytes[] = { 'N', (uint8_t)op };
		uint64_t position;

		if (pickle_opcode_name((uint8_t)op) != NULL)
			continue;
		unknown++;
		ck_assert_int_eq(end_of(bytes, 2, &position), PICKLE_OPCODE_UNKNOWN);
		ck_assert_uint_eq(position, 1);
	}
	ck_assert_uint_eq(unknown, 188);
}
END_TEST

START_TEST(test_stop_ends_behind_itself)
{
	static const struct ending list[] = { ENDING("N.", PICKLE_STOPPED, 2), ENDING("K\x01.junk", PICKLE_STOPPED, 3),
		ENDING("\x80\x04N.", PICKLE_STOPPED, 4) };

	CHECK_ENDINGS(list);
}
END_TEST

START_TEST(test_ends_at_the_opcode_that_breaks)
{
	static const struct ending list[] = {
		ENDING("", PICKLE_TRUNCATED, 0),
		ENDING("N", PICKLE_TRUNCATED, 1),
		ENDING("NJ\x01\x02", PICKLE_TRUNCATED, 1),
		ENDING("NX\x05\x00", PICKLE_TRUNCATED, 1),
		ENDING("NI12", PICKLE_TRUNCATED, 1),
		ENDING(".", PICKLE_STACK_UNDERFLOW, 0),
		ENDING("N(.", PICKLE_STACK_UNDERFLOW, 2),
		ENDING("0", PICKLE_STACK_UNDERFLOW, 0),
		ENDING("N\x86.", PICKLE_STACK_UNDERFLOW, 1),
		ENDING("N(N\x86.", PICKLE_STACK_UNDERFLOW, 3),
		ENDING("N(2.", PICKLE_STACK_UNDERFLOW, 2),
		ENDING("N(q\x00.", PICKLE_STACK_UNDERFLOW, 2),
		ENDING("(o.", PICKLE_STACK_UNDERFLOW, 1),
		ENDING("(Ne.", PICKLE_STACK_UNDERFLOW, 2),
		ENDING("N](((e.", PICKLE_STACK_UNDERFLOW, 5),
		ENDING("Nt.", PICKLE_MARK_MISSING, 1),
		ENDING("]e.", PICKLE_MARK_MISSING, 1),
		ENDING("N1.", PICKLE_MARK_MISSING, 1),
		ENDING("h\x00.", PICKLE_MEMO_MISSING, 0),
		ENDING("Nq\x01h\x00.", PICKLE_MEMO_MISSING, 3),
		ENDING("g-1\n.", PICKLE_MEMO_MISSING, 0),
		ENDING("T\xff\xff\xff\xff.", PICKLE_ARGUMENT, 0),
		ENDING("\x8b\xff\xff\xff\xff.", PICKLE_ARGUMENT, 0),
		ENDING("N\x80\x06N.", PICKLE_ARGUMENT, 1),
		ENDING("X\x01\x00\x00\x00\xff.", PICKLE_ARGUMENT, 0),
		ENDING("Np-1\n.", PICKLE_ARGUMENT, 1),
		ENDING("Np99999999999999999999\n.", PICKLE_ARGUMENT, 1),
		ENDING("X\xff\xff\xff\xff.", PICKLE_LENGTH, 0),
		ENDING("\x8e\xff\xff\xff\xff\xff\xff\xff\xff.", PICKLE_LENGTH, 0),
		ENDING("\x95\x00\x00\x00\x00\x00\x00\x00\x80N.", PICKLE_LENGTH, 0),
	};

	CHECK_ENDINGS(list);
}
END_TEST

START_TEST(test_operands_no_loader_takes_end_the_walk)
{
	static const struct ending list[] = {
		ENDING("(Nd.", PICKLE_TYPE, 2),               /* odd */
		ENDING("}(Nu.", PICKLE_TYPE, 3),              /* odd */
		ENDING("(]Nd.", PICKLE_TYPE, 3),              /* a list as key */
		ENDING("}]Ns.", PICKLE_TYPE, 3),              /* the same */
		ENDING("}]\x85Ns.", PICKLE_TYPE, 4),          /* a tuple of a list as key */
		ENDING("\x8f(}\x90.", PICKLE_TYPE, 3),        /* a dict in a set */
		ENDING("(}\x91.", PICKLE_TYPE, 2),            /* and in a frozenset */
		ENDING("}Na.", PICKLE_TYPE, 2),               /* a dict has no append */
		ENDING("K\x01NNs.", PICKLE_TYPE, 4),          /* 1[None] = None */
		ENDING("]NNs.", PICKLE_TYPE, 3),              /* [][None] = None */
		ENDING("]K\x00Ns.", PICKLE_TYPE, 4),          /* [][0] = None */
		ENDING(")(Ne.", PICKLE_TYPE, 3),              /* a tuple has none either */
		ENDING("])R.", PICKLE_TYPE, 2),               /* [](*()) */
		ENDING("cm\nn\n]R.", PICKLE_TYPE, 6),         /* f(*[]) is not for the C reader */
		ENDING("K\x01)\x81.", PICKLE_TYPE, 3),        /* NEWOBJ of 1 */
		ENDING("cm\nn\n))\x92.", PICKLE_TYPE, 7),     /* keywords as a tuple */
		ENDING("cm\nn\n)}NNs\x92.", PICKLE_TYPE, 10), /* None as a keyword */
		ENDING("NK\x01"
		       "b.",
		    PICKLE_TYPE, 3),                       /* state of None */
		ENDING("K\x01K\x02\x93.", PICKLE_TYPE, 4), /* names that are numbers */
		ENDING("N\x98.", PICKLE_TYPE, 1),          /* a view of None */
	};

	CHECK_ENDINGS(list);
}
END_TEST

START_TEST(test_what_one_reader_takes_goes_on)
{
	static const struct ending list[] = {
		ENDING("N(0.", PICKLE_STOPPED, 4),         /* POP of a mark */
		ENDING("NNb.", PICKLE_STOPPED, 4),         /* None as state: C */
		ENDING("N}b.", PICKLE_STOPPED, 4),         /* {} as state: Python */
		ENDING("N(e.", PICKLE_STOPPED, 4),         /* None.extend of nothing: C */
		ENDING("N(u.", PICKLE_STOPPED, 4),         /* no items at all */
		ENDING("]Na(K\x00Nu.", PICKLE_STOPPED, 9), /* [None][0] = None */
		ENDING("I 12\n.", PICKLE_STOPPED, 6),
		ENDING("N\x95\x00\x00\x00\x00\x00\x00\x00\x00.", PICKLE_STOPPED, 11),
		ENDING("\x95\xff\x00\x00\x00\x00\x00\x00\x00N.", PICKLE_STOPPED, 11), /* frame too long: Python */
		ENDING("(I1\nI2\nd.", PICKLE_STOPPED, 9),
	};

	CHECK_ENDINGS(list);
}
END_TEST

/* Every kind of argument once. */
static const char whole[] =
    "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00(I1\nF1.5\nL7L\nS'a'\nVb\ncm\nn\nX\x01\x00\x00\x00x"
    "\x8c\x01y\x8d\x01\x00\x00\x00\x00\x00\x00\x00z\x94J\x01\x00\x00\x00M\x01\x00K\x01"
    "G\x00\x00\x00\x00\x00\x00\x00\x00\x8a\x01\x05g0\np1\nt.";

START_TEST(test_no_beginning_of_a_pickle_stops)
{
	uint64_t position;

	ck_assert_int_eq(end_of(whole, sizeof(whole) - 1, &position), PICKLE_STOPPED);
	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		enum pickle_end end = end_of(whole, n, &position);

		ck_assert_msg(end == PICKLE_TRUNCATED || end == PICKLE_LENGTH, "%zu bytes: %d", n, (int)end);
		ck_assert_uint_le(position, n);
	}
}
END_TEST

START_TEST(test_length_is_compared_with_what_remains)
{
	static const struct ending list[] = { ENDING("\x8e\x02\x00\x00\x00\x00\x00\x00\x00"
						     "ab",
						  PICKLE_TRUNCATED, 11),
		ENDING("\x8e\x03\x00\x00\x00\x00\x00\x00\x00"
		       "ab",
		    PICKLE_LENGTH, 0) };

	CHECK_ENDINGS(list);
}
END_TEST

START_TEST(test_long_bytes_are_skipped)
{
	static uint8_t head[5 + 4096] = "B\x00\x00\x10\x00"; /* 1 MiB */
	struct walk w = { 0 };
	uint64_t offset, n;

	walk_begin(&w, 5 + (1 << 20) + 1);
	ck_assert_uint_eq(pickle_feed(w.p, head, sizeof(head), 0), 5 + (1 << 20));
	ck_assert_uint_eq(pickle_feed(w.p, (const uint8_t *)".", 1, 5 + (1 << 20)), FEED_END);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert(pickle_payload(w.p, walk_result(&w), &offset, &n));
	ck_assert_uint_eq(offset, 5);
	ck_assert_uint_eq(n, 1 << 20);
	walk_done(&w);
}
END_TEST

START_TEST(test_long_text_is_read_to_the_end)
{
	static uint8_t text[5 + 4096 + 1] = "X\x00\x10\x00\x00";
	uint64_t position;

	memset(text + 5, 'a', 4096);
	text[5 + 4096] = '.';
	ck_assert_int_eq(end_of(text, sizeof(text), &position), PICKLE_STOPPED);
	text[5 + 4095] = 0xc3;
	ck_assert_int_eq(end_of(text, sizeof(text), &position), PICKLE_ARGUMENT);
}
END_TEST

/* -- memo -- */

static bool result_is(const char *bytes, size_t n, const char *text)
{
	static struct walk w;
	bool is;

	w = (struct walk){ 0 };
	walk_bytes(&w, bytes, n);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	is = text_equals(&w, walk_result(&w), text);
	walk_done(&w);
	return is;
}
#define RESULT_IS(literal, text) ck_assert(result_is(literal, sizeof(literal) - 1, text))

START_TEST(test_the_latest_put_wins)
{
	RESULT_IS("U\x01"
		  "aq\x05U\x01"
		  "bq\x05h\x05.",
	    "b");
	RESULT_IS("U\x01"
		  "ap5\nU\x01"
		  "br\x05\x00\x00\x00j\x05\x00\x00\x00.",
	    "b");
}
END_TEST

START_TEST(test_memoize_counts_entries)
{
	RESULT_IS("U\x01"
		  "aq\x05U\x01"
		  "b\x94h\x01.",
	    "b"); /* one entry: key 1 */
	RESULT_IS("U\x01"
		  "aq\x01U\x01"
		  "b\x94h\x01.",
	    "b"); /* which overwrites */
	RESULT_IS("U\x01"
		  "aq\x05q\x05q\x06U\x01"
		  "b\x94h\x02.",
	    "b");
}
END_TEST

START_TEST(test_sparse_keys_are_kept_and_count)
{
	RESULT_IS("U\x01"
		  "ar\xff\xff\xff\xffU\x01"
		  "bj\xff\xff\xff\xff.",
	    "a");
	RESULT_IS("U\x01"
		  "ar\xff\xff\xff\xffU\x01"
		  "br\xff\xff\xff\xffj\xff\xff\xff\xff.",
	    "b");
	RESULT_IS("U\x01"
		  "ar\xff\xff\xff\xffU\x01"
		  "b\x94h\x01.",
	    "b");
	RESULT_IS("U\x01"
		  "ap4294967296000\ng4294967296000\n.",
	    "a");
}
END_TEST

START_TEST(test_many_sparse_keys)
{
	static uint8_t bytes[1000 * 7 + 1000 * 6 + 1];
	uint8_t *at = bytes;
	uint64_t position;

	for (uint32_t i = 0; i < 1000; i++) {
		*at++ = 'K';
		*at++ = (uint8_t)i;
		*at++ = 'r';
		store_u32le(at, UINT32_MAX - i * 4096);
		at += 4;
	}
	for (uint32_t i = 0; i < 1000; i++) {
		*at++ = 'j';
		store_u32le(at, UINT32_MAX - i * 4096);
		at += 4;
		*at++ = i == 999 ? '.' : '0';
	}
	ck_assert_int_eq(end_of(bytes, (size_t)(at - bytes), &position), PICKLE_STOPPED);
}
END_TEST

START_TEST(test_memo_index_is_noted_above_opcodes_and_1024)
{
	struct walk w = { 0 };

	WALK(&w, "Np1026\n."); /* two opcodes */
	ck_assert(!walk_noted(&w, PICKLE_NOTE_MEMO_INDEX));
	walk_done(&w);
	w = (struct walk){ 0 };
	WALK(&w, "Np1027\n.");
	ck_assert(walk_noted(&w, PICKLE_NOTE_MEMO_INDEX));
	walk_done(&w);
}
END_TEST

START_TEST(test_a_key_stays_where_it_was_put)
{
	static uint8_t bytes[6 + 2 + 3000 + 2 + 5 + 6];
	uint8_t *at = bytes;
	struct walk w = { 0 };
	int64_t value;

	memcpy(at,
	    "K\x01r\xd0\x07\x00\x00"
	    "0",
	    8); /* 2000: sparse so far */
	memset(at + 8, 'N', 3000);
	at += 3008;
	memcpy(at, "K\x02r\xd0\x07\x00\x00", 7); /* by now it could be dense */
	memcpy(at + 7, "j\xd0\x07\x00\x00.", 6);
	walk_bytes(&w, bytes, (size_t)(at + 13 - bytes));
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert(pickle_int(w.p, walk_result(&w), &value) && value == 2);
	ck_assert_uint_eq(w.p->memo.entries, 1);
	walk_done(&w);
}
END_TEST

START_TEST(test_a_second_stream_begins_with_nothing)
{
	struct walk w = { 0 };
	static const uint8_t bytes[] = "\x80\x02Nq\x00(N.h\x00.";

	walk_begin(&w, sizeof(bytes) - 1);
	ck_assert_uint_eq(pickle_feed(w.p, bytes, 6, 0), 6);
	ck_assert_uint_eq(pickle_feed(w.p, bytes + 6, sizeof(bytes) - 7, 6), FEED_END);
	ck_assert_uint_eq(pickle_position(w.p), 8);
	pickle_begin(w.p, 8);
	ck_assert_uint_eq(pickle_protocol(w.p), 0);
	ck_assert_uint_eq(pickle_feed(w.p, bytes + 8, 3, 8), FEED_END);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_MEMO_MISSING);
	ck_assert_uint_eq(w.position, 8);
	walk_done(&w);
}
END_TEST

/* -- frames and protocols -- */

static size_t notes_of(const void *at, size_t n, enum pickle_note note)
{
	static struct walk w;
	size_t found = 0;

	w = (struct walk){ 0 };
	walk_bytes(&w, at, n);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	for (size_t i = 0; i < w.n; i++)
		found += w.events[i].act == PICKLE_ACT_NOTE && w.events[i].note == note;
	walk_done(&w);
	return found;
}
#define NOTES(literal, note) notes_of(literal, sizeof(literal) - 1, note)
#define FRAME(n) "\x80\x04\x95" n "\x00\x00\x00\x00\x00\x00\x00"

START_TEST(test_frames_that_keep_to_opcodes_are_not_noted)
{
	ck_assert_uint_eq(NOTES(FRAME("\x02") "N.", PICKLE_NOTE_FRAME), 0);
	ck_assert_uint_eq(NOTES(FRAME("\x01") "N.", PICKLE_NOTE_FRAME), 0);
	ck_assert_uint_eq(NOTES(FRAME("\x00") "N.", PICKLE_NOTE_FRAME), 0);
	ck_assert_uint_eq(NOTES(FRAME("\x01") "N\x95\x02\x00\x00\x00\x00\x00\x00\x00"
					      "0N.",
			      PICKLE_NOTE_FRAME),
	    0);
	/* Large bytes stand between frames. */
	ck_assert_uint_eq(NOTES(FRAME("\x01") "]B\x02\x00\x00\x00N.\x95\x02\x00\x00\x00\x00\x00\x00\x00"
					      "a.",
			      PICKLE_NOTE_FRAME),
	    0);
}
END_TEST

START_TEST(test_frame_violations_are_noted)
{
	ck_assert_uint_eq(NOTES(FRAME("\x03") "N.", PICKLE_NOTE_FRAME), 1);     /* past the end */
	ck_assert_uint_eq(NOTES(FRAME("\x03") "N.x", PICKLE_NOTE_FRAME), 1);    /* past STOP */
	ck_assert_uint_eq(NOTES(FRAME("\x01") "K\x01.", PICKLE_NOTE_FRAME), 1); /* cuts an opcode */
	ck_assert_uint_eq(NOTES(FRAME("\x02") "I12\n.", PICKLE_NOTE_FRAME), 1);
	ck_assert_uint_eq(
	    NOTES(FRAME("\x0b") "N\x95\x01\x00\x00\x00\x00\x00\x00\x00.", PICKLE_NOTE_FRAME), 1); /* nested */
	for (char inside = 1; inside <= 9; inside++) { /* begins in another one, and ends with it or behind it */
		char file[] = "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00N\x95\x02\x00\x00\x00\x00\x00\x00\x00"
			      "0N.";

		file[3] = (char)(inside + 1);
		ck_assert_uint_eq(notes_of(file, sizeof(file) - 1, PICKLE_NOTE_FRAME), 1);
	}
}
END_TEST

START_TEST(test_protocols_are_noted)
{
	ck_assert_uint_eq(NOTES("\x80\x02\x80\x02N.", PICKLE_NOTE_PROTOCOL), 0);
	ck_assert_uint_eq(NOTES("\x80\x02\x80\x04N.", PICKLE_NOTE_PROTOCOL), 0);
	ck_assert_uint_eq(NOTES("\x80\x04\x80\x02N.", PICKLE_NOTE_PROTOCOL), 1);
	ck_assert_uint_eq(NOTES("\x80\x02)\x94.", PICKLE_NOTE_OPCODE_PROTOCOL), 1);
	ck_assert_uint_eq(NOTES("\x80\x04)\x94.", PICKLE_NOTE_OPCODE_PROTOCOL), 0);
	ck_assert_uint_eq(NOTES("}q\x00.", PICKLE_NOTE_OPCODE_PROTOCOL), 0);
	ck_assert_uint_eq(NOTES("\x88.", PICKLE_NOTE_OPCODE_PROTOCOL), 1);
}
END_TEST

START_TEST(test_leftovers_are_counted)
{
	struct walk w = { 0 };

	WALK(&w, "NN(N.");
	ck_assert_uint_eq(walk_find(&w, PICKLE_ACT_NOTE)->number, 3);
	walk_done(&w);
}
END_TEST

/* -- budgets -- */

START_TEST(test_opcodes_up_to_the_limit_and_no_further)
{
	for (uint64_t limit = 2; limit <= 3; limit++) {
		struct pickle_options o = { .size = 3, .opcodes_max = limit };
		struct arena arena;
		struct pickle *p;

		arena_init(&arena, SIZE_MAX);
		p = pickle_new(&arena, &o);
		pickle_begin(p, 0);
		ck_assert_uint_eq(pickle_feed(p, (const uint8_t *)"NN.", 3, 0), FEED_END);
		ck_assert_int_eq(pickle_ended(p), limit == 3 ? PICKLE_STOPPED : PICKLE_LIMIT_OPCODES);
		ck_assert_uint_eq(pickle_position(p), limit == 3 ? 3 : 2);
		arena_done(&arena);
	}
}
END_TEST

/* Feed `piece` over and over. */
static void feed_often(struct walk *w, const void *piece, size_t n, unsigned times, uint64_t *offset)
{
	for (unsigned i = 0; i < times; i++) {
		ck_assert_uint_eq(pickle_feed(w->p, piece, n, *offset), *offset + n);
		*offset += n;
	}
}

START_TEST(test_a_stack_of_millions)
{
	static uint8_t nones[65536];
	struct walk w = { 0 };
	uint64_t offset = 0;

	memset(nones, '(', sizeof(nones));
	walk_begin(&w, UINT64_MAX);
	feed_often(&w, nones, sizeof(nones), 64, &offset);
	memset(nones, 'N', sizeof(nones));
	feed_often(&w, nones, sizeof(nones), 64, &offset);
	ck_assert_uint_le(w.arena.used, PICKLE_MEMORY_BASE + 8 * pickle_opcodes(w.p));
	pickle_feed(w.p, (const uint8_t *)"l.", 2, offset);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert_uint_eq(pickle_count(w.p, walk_result(&w)), 64 * 65536);
	walk_done(&w);
}
END_TEST

START_TEST(test_a_spent_arena_ends_the_walk)
{
	static uint8_t nones[65536];
	struct pickle_options o = { .size = UINT64_MAX, .opcodes_max = UINT64_MAX };
	struct arena arena;
	struct pickle *p;

	memset(nones, 'N', sizeof(nones));
	arena_init(&arena, 300 << 10);
	p = pickle_new(&arena, &o);
	ck_assert_ptr_nonnull(p);
	pickle_begin(p, 0);
	ck_assert_uint_eq(pickle_feed(p, nones, sizeof(nones), 0), FEED_END);
	ck_assert_int_eq(pickle_ended(p), PICKLE_LIMIT_MEMORY);
	arena_done(&arena);
	arena_init(&arena, 1 << 10);
	ck_assert_ptr_null(pickle_new(&arena, &o));
	arena_done(&arena);
}
END_TEST

HARNESS("pickle-machine", test_188_bytes_are_no_opcode, test_stop_ends_behind_itself,
    test_ends_at_the_opcode_that_breaks, test_operands_no_loader_takes_end_the_walk, test_what_one_reader_takes_goes_on,
    test_no_beginning_of_a_pickle_stops, test_length_is_compared_with_what_remains, test_long_bytes_are_skipped,
    test_long_text_is_read_to_the_end, test_the_latest_put_wins, test_memoize_counts_entries,
    test_sparse_keys_are_kept_and_count, test_many_sparse_keys, test_memo_index_is_noted_above_opcodes_and_1024,
    test_a_key_stays_where_it_was_put, test_a_second_stream_begins_with_nothing,
    test_frames_that_keep_to_opcodes_are_not_noted, test_frame_violations_are_noted, test_protocols_are_noted,
    test_leftovers_are_counted, test_opcodes_up_to_the_limit_and_no_further, test_a_stack_of_millions,
    test_a_spent_arena_ends_the_walk)
