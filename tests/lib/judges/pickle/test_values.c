/* Values: what they say, what they hold, how they change under an alias, and what is left of them when memory is spent. */
#include "walk.h"

static pickle_value result_of(struct walk *w, const void *at, size_t n)
{
	*w = (struct walk){ 0 };
	walk_bytes(w, at, n);
	ck_assert_int_eq(w->end, PICKLE_STOPPED);
	return walk_result(w);
}
#define RESULT(w, literal) result_of(w, literal, sizeof(literal) - 1)

static void check_int(const char *bytes, size_t n, int64_t expected)
{
	struct walk w;
	pickle_value v = result_of(&w, bytes, n);
	int64_t found;

	ck_assert(pickle_int(w.p, v, &found));
	ck_assert_int_eq(found, expected);
	walk_done(&w);
}
#define CHECK_INT(literal, expected) check_int(literal, sizeof(literal) - 1, expected)

START_TEST(test_ints_of_every_width)
{
	CHECK_INT("K\xff.", 255);
	CHECK_INT("M\xff\xff.", 65535);
	CHECK_INT("J\xff\xff\xff\xff.", -1);
	CHECK_INT("\x8a\x00.", 0);
	CHECK_INT("\x8a\x01\x80.", -128);
	CHECK_INT("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", INT64_MIN);
	CHECK_INT("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", INT64_MAX);
	CHECK_INT("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\x00.", INT64_MAX);
	CHECK_INT("\x8b\x02\x00\x00\x00\x00\x01.", 256);
	CHECK_INT("I-5\n.", -5);
	CHECK_INT("L-9223372036854775808L\n.", INT64_MIN);
}
END_TEST

START_TEST(test_ints_that_do_not_fit)
{
	struct walk w;
	int64_t number;
	pickle_value v = RESULT(&w, "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.");

	ck_assert_int_eq(pickle_kind(w.p, v), PICKLE_BIG_INT);
	ck_assert(!pickle_int(w.p, v, &number));
	walk_done(&w);
	v = RESULT(&w, "L9223372036854775808L\n.");
	ck_assert_int_eq(pickle_kind(w.p, v), PICKLE_BIG_INT);
	walk_done(&w);
}
END_TEST

START_TEST(test_a_bool_is_not_an_int)
{
	struct walk w;
	int64_t number;
	bool truth;
	pickle_value v = RESULT(&w, "I01\n.");

	ck_assert(pickle_bool(w.p, v, &truth) && truth);
	ck_assert(!pickle_int(w.p, v, &number));
	walk_done(&w);
	v = RESULT(&w, "\x89.");
	ck_assert(pickle_bool(w.p, v, &truth) && !truth);
	walk_done(&w);
}
END_TEST

START_TEST(test_texts_up_to_1024_bytes)
{
	static uint8_t bytes[5 + 1025 + 1];

	for (uint32_t n = 1024; n <= 1025; n++) {
		struct walk w;
		struct bytes text;
		uint64_t offset, length;
		pickle_value v;

		memset(bytes, 'a', sizeof(bytes));
		bytes[0] = 'X';
		store_u32le(bytes + 1, n);
		bytes[5 + n] = '.';
		v = result_of(&w, bytes, 5 + n + 1);
		ck_assert(pickle_text(w.p, v, &text) == (n == 1024));
		ck_assert(pickle_payload(w.p, v, &offset, &length));
		ck_assert(offset == 5 && length == n);
		ck_assert(pickle_head(w.p, v, &text, &length));
		ck_assert(length == n && text.n == (n == 1024 ? 1024 : 256));
		walk_done(&w);
	}
}
END_TEST

START_TEST(test_a_text_with_escapes_has_no_payload)
{
	struct walk w;
	uint64_t offset, n;
	pickle_value v = RESULT(&w, "S'o\\x73'\n.");

	ck_assert(text_equals(&w, v, "os"));
	ck_assert(!pickle_payload(w.p, v, &offset, &n));
	walk_done(&w);
}
END_TEST

START_TEST(test_a_tuple_keeps_65536_items)
{
	static uint8_t bytes[2 + 65537 * 2 + 2];
	struct walk w;
	pickle_value v;
	size_t n = 0;

	bytes[n++] = '(';
	for (unsigned i = 0; i < 65537; i++) {
		bytes[n++] = 'K';
		bytes[n++] = 7;
	}
	bytes[n++] = 't';
	bytes[n++] = '.';
	v = result_of(&w, bytes, n);
	ck_assert_uint_eq(pickle_count(w.p, v), 65537);
	ck_assert_uint_ne(pickle_item(w.p, v, 65535), PICKLE_NO_VALUE);
	ck_assert_uint_eq(pickle_item(w.p, v, 65536), PICKLE_NO_VALUE);
	walk_done(&w);
}
END_TEST

START_TEST(test_a_list_keeps_256_items)
{
	static uint8_t bytes[2 + 300 * 4 + 1];
	struct walk w;
	pickle_value v;
	int64_t number;
	size_t n = 0;

	bytes[n++] = ']';
	for (unsigned i = 0; i < 300; i++) {
		bytes[n++] = 'M';
		bytes[n++] = (uint8_t)i;
		bytes[n++] = (uint8_t)(i >> 8);
		bytes[n++] = 'a';
	}
	bytes[n++] = '.';
	v = result_of(&w, bytes, n);
	ck_assert_uint_eq(pickle_count(w.p, v), 300);
	for (unsigned i = 0; i < PICKLE_ITEMS_KEPT; i++)
		ck_assert(pickle_int(w.p, pickle_item(w.p, v, i), &number) && number == i);
	ck_assert_uint_eq(pickle_item(w.p, v, PICKLE_ITEMS_KEPT), PICKLE_NO_VALUE);
	walk_done(&w);
}
END_TEST

START_TEST(test_lookup_finds_the_last_value)
{
	struct walk w;
	pickle_value v = RESULT(&w, "}U\x01"
				    "aK\x01sU\x01"
				    "aK\x02sU\x01"
				    "bNs."),
		     found;
	int64_t number;

	ck_assert(pickle_lookup(w.p, v, "a", &found));
	ck_assert(pickle_int(w.p, found, &number) && number == 2);
	ck_assert(!pickle_lookup(w.p, v, "c", &found));
	ck_assert_uint_eq(pickle_count(w.p, v), 3);
	walk_done(&w);
}
END_TEST

START_TEST(test_lookup_in_a_large_dict_finds_nothing)
{
	static uint8_t bytes[1 + (PICKLE_ITEMS_KEPT + 1) * 5 + 1];

	for (unsigned pairs = PICKLE_ITEMS_KEPT; pairs <= PICKLE_ITEMS_KEPT + 1; pairs++) {
		struct walk w;
		pickle_value v, found;
		size_t n = 0;

		bytes[n++] = '}';
		for (unsigned i = 0; i < pairs; i++) {
			memcpy(bytes + n,
			    "U\x01"
			    "aNs",
			    5);
			n += 5;
		}
		bytes[n++] = '.';
		v = result_of(&w, bytes, n);
		ck_assert(pickle_lookup(w.p, v, "a", &found) == (pairs == PICKLE_ITEMS_KEPT));
		walk_done(&w);
	}
}
END_TEST

START_TEST(test_an_item_set_by_index_is_no_longer_known)
{
	struct walk w;
	pickle_value v = RESULT(&w, "](K\x01K\x02"
				    "eK\x00"
				    "cm\nn\ns.");

	ck_assert_uint_eq(pickle_item(w.p, v, 1), PICKLE_NO_VALUE);
	ck_assert(!pickle_inert(w.p, v) && pickle_holds_global(w.p, v));
	ck_assert_ptr_nonnull(walk_find(&w, PICKLE_ACT_MUTATE));
	walk_done(&w);
}
END_TEST

/* -- what is inside -- */

START_TEST(test_data_is_inert_at_any_depth)
{
	struct walk w;
	pickle_value v = RESULT(&w, "\x80\x05(NI01\nK\x01G\x00\x00\x00\x00\x00\x00\x00\x00U\x01"
				    "aC\x01"
				    "b"
				    "\x96\x00\x00\x00\x00\x00\x00\x00\x00]}\x8f(\x91)t\x85\x85.");

	ck_assert(pickle_inert(w.p, v));
	walk_done(&w);
}
END_TEST

static void check_not_inert(const char *bytes, size_t n)
{
	struct walk w;
	pickle_value v = result_of(&w, bytes, n);

	ck_assert(!pickle_inert(w.p, v));
	walk_done(&w);
}
#define NOT_INERT(literal) check_not_inert(literal, sizeof(literal) - 1)

START_TEST(test_what_is_not_data_is_not_inert)
{
	NOT_INERT("cm\nn\n.");
	NOT_INERT("cm\nn\n)R.");
	NOT_INERT("Pid\n.");
	NOT_INERT("\x82\x01.");
	NOT_INERT("\x97.");
	NOT_INERT("I1_0\n."); /* readers disagree */
	NOT_INERT("]cm\nn\na.");
	NOT_INERT("}Ncm\nn\ns.");
	NOT_INERT("}cm\nn\nNs.");
	NOT_INERT("\x8f(cm\nn\n\x90.");
	NOT_INERT("(cm\nn\n\x91.");
	NOT_INERT("cm\nn\n\x85\x85\x85.");
}
END_TEST

START_TEST(test_kinds_of_content_are_told_apart)
{
	struct walk w;
	pickle_value v = RESULT(&w, "cm\nn\n\x85\x85.");

	ck_assert(pickle_holds_global(w.p, v) && !pickle_holds_object(w.p, v) && !pickle_holds_dunder_key(w.p, v));
	walk_done(&w);
	v = RESULT(&w, "cm\nn\n)R\x85\x85.");
	ck_assert(!pickle_holds_global(w.p, v) && pickle_holds_object(w.p, v) && !pickle_holds_dunder_key(w.p, v));
	walk_done(&w);
	v = RESULT(&w, "}U\x09__class__Ns\x85\x85.");
	ck_assert(!pickle_holds_global(w.p, v) && !pickle_holds_object(w.p, v) && pickle_holds_dunder_key(w.p, v));
	ck_assert(pickle_inert(w.p, v));
	walk_done(&w);
	v = RESULT(&w, "}U\x07__class\x4es.");
	ck_assert(!pickle_holds_dunder_key(w.p, v));
	walk_done(&w);
}
END_TEST

START_TEST(test_a_tuple_built_before_its_list_was_filled)
{
	struct walk w;
	/* ([],) ; its list, by the memo, takes a global */
	pickle_value v = RESULT(&w, "]q\x00\x85q\x01"
				    "0h\x00"
				    "cm\nn\na0h\x01.");

	ck_assert(!pickle_inert(w.p, v));
	ck_assert(pickle_holds_global(w.p, v));
	walk_done(&w);
}
END_TEST

START_TEST(test_a_list_in_a_list_in_a_tuple_filled_late)
{
	struct walk w;
	pickle_value v = RESULT(&w, "]q\x00]q\x01h\x00"
				    "a\x85q\x02"
				    "0h\x00}U\x05__a__Nsa0h\x02.");

	ck_assert(pickle_holds_dunder_key(w.p, v));
	walk_done(&w);
}
END_TEST

START_TEST(test_a_list_filled_before_it_is_held_taints_nobody_else)
{
	struct walk w;
	/* two lists: one with a global, filled first as picklers do; the tuple of the other stays inert */
	pickle_value v = RESULT(&w, "]q\x00"
				    "cm\nn\na0]\x85q\x01"
				    "h\x00\x85"
				    "0h\x01.");

	ck_assert(pickle_inert(w.p, v));
	walk_done(&w);
}
END_TEST

START_TEST(test_aliases_share_tag_and_content)
{
	struct walk w;
	pickle_value v = RESULT(&w, "]q\x00h\x00Na0.");

	ck_assert_uint_eq(pickle_count(w.p, v), 1);
	walk_done(&w);
}
END_TEST

static void tag_results(struct walk *w, const struct pickle_event *e)
{
	if (e->result != PICKLE_NO_VALUE)
		pickle_set_tag(w->p, e->result, 42);
	if (e->act == PICKLE_ACT_MUTATE && e->key != PICKLE_NO_VALUE && pickle_tag(w->p, e->args) == 42 &&
	    text_equals(w, e->key, "k"))
		w->answer++;
}

static void check_tagged(const char *bytes, size_t n, size_t mutates)
{
	static struct walk w;

	w = (struct walk){ .see = tag_results };
	walk_bytes(&w, bytes, n);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert_uint_eq(w.answer, 1);
	ck_assert_uint_eq(walk_count(&w, PICKLE_ACT_MUTATE), mutates);
	walk_done(&w);
}
#define CHECK_TAGGED(literal, mutates) check_tagged(literal, sizeof(literal) - 1, mutates)

START_TEST(test_tagged_values_are_told_with_their_keys)
{
	CHECK_TAGGED("}U\x01"
		     "kPid\ns.",
	    1);
	CHECK_TAGGED("}(U\x01"
		     "aNU\x01"
		     "kPid\nu.",
	    1);
	CHECK_TAGGED("(U\x01"
		     "kPid\nd.",
	    1);
	CHECK_TAGGED("cm\nn\n)R(U\x01"
		     "kPid\nu.",
	    2); /* and once for the opcode */
	CHECK_TAGGED("}Pid\nq\x00"
		     "0U\x01"
		     "kh\x00s.",
	    1);
}
END_TEST

/* -- what hashing and nesting cost -- */

START_TEST(test_doubling_is_noted_where_it_is_hashed)
{
	static uint8_t bytes[2 + 40 * 2 + 4];
	size_t n = 0;
	struct walk w = { 0 };

	bytes[n++] = '}';
	bytes[n++] = ')';
	for (unsigned i = 0; i < 40; i++) {
		bytes[n++] = '2';
		bytes[n++] = 0x86;
	}
	bytes[n++] = 'N';
	bytes[n++] = 's';
	bytes[n++] = '.';
	walk_bytes(&w, bytes, n);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert(walk_noted(&w, PICKLE_NOTE_EXPANSION));
	walk_done(&w);
	w = (struct walk){ 0 };
	walk_bytes(&w,
	    "})2\x86"
	    "2\x86Ns.",
	    9);
	ck_assert(!walk_noted(&w, PICKLE_NOTE_EXPANSION));
	walk_done(&w);
}
END_TEST

START_TEST(test_depth_is_noted_above_1000)
{
	static uint8_t bytes[1 + 1001 + 1];

	for (unsigned depth = 1000; depth <= 1001; depth++) {
		struct walk w = { 0 };

		bytes[0] = ')';
		memset(bytes + 1, 0x85, depth - 1);
		bytes[depth] = '.';
		walk_bytes(&w, bytes, depth + 1);
		ck_assert_int_eq(w.end, PICKLE_STOPPED);
		ck_assert(walk_noted(&w, PICKLE_NOTE_DEPTH) == (depth == 1001));
		walk_done(&w);
	}
}
END_TEST

/* -- memory -- */

#define STRINGS 1000
#define STRING_BYTES 40

/* A list of so many strings that their texts cannot all be kept, appended by the thousand. */
static void feed_strings(struct walk *w, unsigned batches, uint64_t *offset)
{
	static uint8_t batch[2 + STRINGS * (2 + STRING_BYTES)];
	size_t n = 0;

	batch[n++] = '(';
	for (unsigned i = 0; i < STRINGS; i++) {
		batch[n++] = 0x8c;
		batch[n++] = STRING_BYTES;
		memset(batch + n, 'a', STRING_BYTES);
		n += STRING_BYTES;
	}
	batch[n++] = 'e';
	for (unsigned i = 0; i < batches; i++) {
		pickle_feed(w->p, batch, n, *offset);
		*offset += n;
	}
	ck_assert_int_eq(pickle_ended(w->p), PICKLE_RUNNING);
	ck_assert_uint_le(w->arena.used, PICKLE_MEMORY_BASE + 8 * pickle_opcodes(w->p));
}

static void feed_literal(struct walk *w, const char *bytes, size_t n, uint64_t *offset)
{
	pickle_feed(w->p, (const uint8_t *)bytes, n, *offset);
	*offset += n;
}
#define FEED(w, literal, offset) feed_literal(w, literal, sizeof(literal) - 1, offset)

/* Enough to spend it: 48 bytes a string, of which an opcode brings 8. */
#define BATCHES 2500

START_TEST(test_names_are_known_when_memory_is_spent)
{
	struct walk w = { 0 };
	struct bytes module, name;
	uint64_t offset = 0;

	walk_begin(&w, UINT64_MAX);
	FEED(&w, "\x80\x04]", &offset);
	feed_strings(&w, BATCHES, &offset);
	FEED(&w, "\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R.", &offset);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert(pickle_global(w.p, walk_find(&w, PICKLE_ACT_IMPORT)->target, &module, &name));
	ck_assert(bytes_equal(module, bytes_of_text("os")) && bytes_equal(name, bytes_of_text("system")));
	ck_assert_ptr_nonnull(walk_find(&w, PICKLE_ACT_CALL));
	walk_done(&w);
}
END_TEST

START_TEST(test_a_name_that_was_spilled_ends_the_walk)
{
	struct walk w = { 0 };
	uint64_t offset = 0;

	walk_begin(&w, UINT64_MAX);
	FEED(&w, "\x80\x04]\x94", &offset);
	feed_strings(&w, BATCHES, &offset);
	FEED(&w,
	    "\x8c\x02os\x94"
	    "0",
	    &offset);
	feed_strings(&w, 20, &offset);
	FEED(&w, "h\x01\x8c\x06system\x93.", &offset);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_LIMIT_MEMORY);
	ck_assert_int_eq(pickle_kind(w.p, walk_find(&w, PICKLE_ACT_IMPORT)->target), PICKLE_UNKNOWN);
	walk_done(&w);
}
END_TEST

static void remember_inert(struct walk *w, const struct pickle_event *e)
{
	if (e->act == PICKLE_ACT_PERSID)
		w->answer = w->answer * 2 + pickle_inert(w->p, e->target);
}

START_TEST(test_containers_without_a_node_stay_on_the_safe_side)
{
	struct walk w = { .see = remember_inert };
	uint64_t offset = 0;

	walk_begin(&w, UINT64_MAX);
	FEED(&w, "\x80\x04]\x94", &offset);
	feed_strings(&w, BATCHES, &offset);
	FEED(&w, "K\x01K\x02\x86Q0", &offset); /* a tuple of ints: inert */
	FEED(&w, "cm\nn\n\x85Q0", &offset);    /* one of a global: not */
	FEED(&w, "]\x94\x85\x94Q0", &offset);  /* one of a list: inert so far */
	FEED(&w, "]cm\nn\na0", &offset);       /* another list takes a global */
	FEED(&w, "h\x02Q0", &offset);          /* which could have been the same */
	FEED(&w,
	    "h\x01"
	    "cm\nn\naQ0",
	    &offset); /* and it does */
	FEED(&w, "K\x01K\x02\x86Q0.", &offset);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert_uint_eq(w.answer, 0x29); /* 1 0 1 0 0 1 */
	walk_done(&w);
}
END_TEST

START_TEST(test_16_million_opcodes_of_strings_stop)
{
	struct walk w = { 0 };
	uint64_t offset = 0;

	walk_begin(&w, UINT64_MAX);
	FEED(&w, "\x80\x04]", &offset);
	feed_strings(&w, 16777, &offset);
	FEED(&w, ".", &offset);
	walk_finish(&w);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert_uint_eq(pickle_count(w.p, walk_result(&w)), 16777 * STRINGS);
	walk_done(&w);
}
END_TEST

/* -- events -- */

START_TEST(test_an_act_is_told_before_the_walk_breaks)
{
	struct walk w = { 0 };

	WALK(&w, "ios\nsystem\n"); /* no mark: the Python reader imports first */
	ck_assert_int_eq(w.end, PICKLE_MARK_MISSING);
	ck_assert_ptr_nonnull(walk_find(&w, PICKLE_ACT_IMPORT));
	walk_done(&w);
	w = (struct walk){ 0 };
	WALK(&w, "(U\x02idios\nsystemX"); /* the bytes end; the Python reader takes the last one for the newline */
	ck_assert_int_eq(w.end, PICKLE_TRUNCATED);
	ck_assert_ptr_nonnull(walk_find(&w, PICKLE_ACT_CALL));
	walk_done(&w);
	w = (struct walk){ 0 };
	WALK(&w, "cm\nn\n]R");
	ck_assert_int_eq(w.end, PICKLE_TYPE);
	ck_assert_ptr_nonnull(walk_find(&w, PICKLE_ACT_CALL));
	walk_done(&w);
}
END_TEST

START_TEST(test_computed_names_are_unknown)
{
	struct walk w = { 0 };

	WALK(&w, "cm\nn\n)RU\x06system\x93.");
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	ck_assert_int_eq(pickle_kind(w.p, w.events[2].target), PICKLE_UNKNOWN);
	ck_assert_int_eq(w.events[2].act, PICKLE_ACT_IMPORT);
	walk_done(&w);
}
END_TEST

START_TEST(test_a_name_of_4096_bytes_and_one_more)
{
	static uint8_t bytes[1 + 2 + 4097 + 2];

	for (size_t n = 4096; n <= 4097; n++) {
		struct walk w = { 0 };

		memset(bytes, 'a', sizeof(bytes));
		memcpy(bytes, "cm\n", 3);
		bytes[3 + n] = '\n';
		walk_bytes(&w, bytes, 3 + n + 1);
		ck_assert_int_eq(pickle_kind(w.p, walk_find(&w, PICKLE_ACT_IMPORT)->target),
		    n == 4096 ? PICKLE_GLOBAL : PICKLE_UNKNOWN);
		walk_done(&w);
	}
}
END_TEST

static void skip_three(struct walk *w, const struct pickle_event *e)
{
	if (e->act == PICKLE_ACT_BUILD) {
		w->answer = pickle_after_opcode(w->p);
		pickle_skip(w->p, 3);
	}
}

START_TEST(test_bytes_behind_a_build_can_be_skipped)
{
	for (size_t piece = 1; piece <= 14; piece++) {
		static const uint8_t bytes[] = "cm\nn\n)R}b...N0.";
		struct walk w = { .see = skip_three };
		uint64_t at = 0;

		walk_begin(&w, sizeof(bytes) - 1);
		while (at < sizeof(bytes) - 1) {
			size_t n = piece < sizeof(bytes) - 1 - at ? piece : sizeof(bytes) - 1 - (size_t)at;

			at = pickle_feed(w.p, bytes + at, n, at);
		}
		walk_finish(&w);
		ck_assert_int_eq(w.end, PICKLE_STOPPED);
		ck_assert_uint_eq(w.position, sizeof(bytes) - 1);
		ck_assert_uint_eq(w.answer, 9);
		walk_done(&w);
	}
}
END_TEST

START_TEST(test_opcodes_used_are_a_set)
{
	struct walk w;
	const uint64_t *used;

	RESULT(&w, "\x80\x02N\x85.");
	used = pickle_opcodes_used(w.p);
	ck_assert_uint_eq(used[0], UINT64_C(1) << '.');
	ck_assert_uint_eq(used[1], UINT64_C(1) << ('N' & 63));
	ck_assert_uint_eq(used[2], UINT64_C(1) | UINT64_C(1) << 5);
	ck_assert_uint_eq(used[3], 0);
	walk_done(&w);
}
END_TEST

HARNESS("pickle-values", test_ints_of_every_width, test_ints_that_do_not_fit, test_a_bool_is_not_an_int,
    test_texts_up_to_1024_bytes, test_a_text_with_escapes_has_no_payload, test_a_tuple_keeps_65536_items,
    test_a_list_keeps_256_items, test_lookup_finds_the_last_value, test_lookup_in_a_large_dict_finds_nothing,
    test_an_item_set_by_index_is_no_longer_known, test_data_is_inert_at_any_depth, test_what_is_not_data_is_not_inert,
    test_kinds_of_content_are_told_apart, test_a_tuple_built_before_its_list_was_filled,
    test_a_list_in_a_list_in_a_tuple_filled_late, test_a_list_filled_before_it_is_held_taints_nobody_else,
    test_aliases_share_tag_and_content, test_tagged_values_are_told_with_their_keys,
    test_doubling_is_noted_where_it_is_hashed, test_depth_is_noted_above_1000,
    test_names_are_known_when_memory_is_spent, test_a_name_that_was_spilled_ends_the_walk,
    test_containers_without_a_node_stay_on_the_safe_side, test_16_million_opcodes_of_strings_stop,
    test_an_act_is_told_before_the_walk_breaks, test_computed_names_are_unknown, test_a_name_of_4096_bytes_and_one_more,
    test_bytes_behind_a_build_can_be_skipped, test_opcodes_used_are_a_set)
