/* R's serialised objects as bytes: see rds.h.  A state for each number that is read, and runs of elements between them. */
#include "rds.h"

#include "checked.h"

enum state {
	STATE_MAGIC, /* X, A or B and a line feed; or what save() puts in front of them */
	STATE_SAVED, /* that */
	STATE_VERSION,
	STATE_WRITER,
	STATE_READER,
	STATE_ENCODING_LENGTH,
	STATE_ENCODING,
	STATE_FLAGS,
	STATE_REFERENCE,
	STATE_LENGTH,
	STATE_LONG_LENGTH, /* 32 bits, and 32 below them */
	STATE_TEXT_LENGTH,
	STATE_PRIMITIVE_LENGTH,
	STATE_LOCK,
	STATE_NAMES_FORM,
	STATE_NAMES_LENGTH,
	STATE_RUN,
};

#define SAVED_BYTES 7u /* "RDX3\n" and "X\n" */
#define ENCODING_MAX 63u
#define NO_TEXT UINT32_MAX /* the length of NA */
#define LONG_LENGTH UINT32_MAX
#define LONG_UPPER_MAX 65536u
#define PRIMITIVE_NAME_MAX 100u

uint64_t rds_left(const struct rds_walk *w)
{
	return w->size != STREAM_SIZE_UNKNOWN ? w->size - w->offset : UINT64_MAX;
}

static void want(struct rds_walk *w, enum state state, unsigned bytes)
{
	w->state = (uint8_t)state;
	w->need = bytes;
	w->have = 0;
}

static void run(struct rds_walk *w, enum rds_run kind, uint64_t bytes)
{
	w->state = STATE_RUN;
	w->run_kind = (uint8_t)kind;
	w->run = bytes;
}

static void go_on(struct rds_walk *w, enum rds_next next)
{
	static const uint8_t states[] = { [RDS_NEXT_ITEM] = STATE_FLAGS,
		[RDS_NEXT_REFERENCE] = STATE_REFERENCE,
		[RDS_NEXT_LENGTH] = STATE_LENGTH,
		[RDS_NEXT_TEXT] = STATE_TEXT_LENGTH,
		[RDS_NEXT_LOCK] = STATE_LOCK,
		[RDS_NEXT_PRIMITIVE] = STATE_PRIMITIVE_LENGTH,
		[RDS_NEXT_NAMES] = STATE_NAMES_FORM };

	want(w, (enum state)states[next], 4);
}

void rds_walk_begin(struct rds_walk *w)
{
	want(w, STATE_MAGIC, 2);
}

/* -- the header -- */

/* ASCII is another grammar: named, and held. */
static void take_form(struct rds_walk *w, uint8_t form)
{
	w->little_endian = form == 'B'; /* in the order of the machine, which is this one's on all that R runs on */
	if (form == 'A') {
		layout_at(w->l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		w->broken = true;
		return;
	}
	want(w, STATE_VERSION, 4);
}

static bool is_form(const uint8_t *at)
{
	return ((at[0] == 'X' || at[0] == 'A' || at[0] == 'B') && at[1] == '\n') ||
	       (at[0] == 'A' && at[1] == '\r'); /* written as text on Windows */
}

static void take_magic(struct rds_walk *w)
{
	if (is_form(w->number))
		take_form(w, w->number[0]);
	else if (w->number[0] == 'R' && w->number[1] == 'D')
		want(w, STATE_SAVED, SAVED_BYTES - 2);
	else
		rds_break(w, WLK_F_RDS_VERSION, NULL);
}

/* The letter and the version stand in both headers. */
static void take_saved(struct rds_walk *w)
{
	const uint8_t *at = w->number;

	w->is_save = true;
	w->version = at[1] - (uint32_t)'0';
	if ((w->version == 2 || w->version == 3) && at[2] == '\n' && at[0] == at[3] && is_form(at + 3))
		take_form(w, at[3]);
	else
		rds_break(w, WLK_F_RDS_VERSION, NULL);
}

static void take_version(struct rds_walk *w, uint32_t version)
{
	if ((version != 2 && version != 3) || (w->is_save && version != w->version)) {
		rds_number(w, WLK_F_RDS_VERSION, version, 3);
		w->broken = true;
		return;
	}
	w->version = version;
	want(w, STATE_WRITER, 4);
}

static void take_encoding_length(struct rds_walk *w, uint32_t n)
{
	if (n == 0 || n > ENCODING_MAX) {
		rds_number(w, WLK_F_RDS_LENGTH, n, ENCODING_MAX);
		w->broken = true;
		return;
	}
	w->state = STATE_ENCODING;
	w->run = n;
}

static void encoding_piece(struct rds_walk *w, const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] <= ' ' || at[i] >= 0x7f)
			w->bad_text = true;
		if (w->encoding_n < sizeof(w->encoding))
			w->encoding[w->encoding_n++] = at[i];
		else
			w->encoding[0] = 0; /* too long to be one that is known */
	}
}

static void encoding_end(struct rds_walk *w)
{
	w->native_utf8 = bytes_equal(bytes_of(w->encoding, w->encoding_n), bytes_of_text("UTF-8"));
	if (w->bad_text)
		rds_finding(w, WLK_F_RDS_STRING, NULL);
	want(w, STATE_FLAGS, 4);
}

/* -- objects -- */

static bool is_number_vector(enum rds_type t)
{
	return t == RDS_LGL || t == RDS_INT || t == RDS_REAL || t == RDS_CPLX || t == RDS_RAW;
}

static void take_length(struct rds_walk *w, uint64_t n)
{
	if (!is_number_vector(w->value.type)) {
		go_on(w, rds_item_vector(w, n));
		return;
	}
	if (!rds_numbers_begin(w, n)) {
		rds_number(w, WLK_F_RDS_LENGTH, n, rds_left(w));
		w->broken = true;
	} else if (w->run == 0) {
		rds_numbers_end(w);
		go_on(w, rds_item_end(w));
	} else {
		run(w, RDS_RUN_NUMBERS, w->run);
	}
}

static void take_short_length(struct rds_walk *w, uint32_t n)
{
	if (n == LONG_LENGTH) {
		want(w, STATE_LONG_LENGTH, 8);
	} else if (n > INT32_MAX) {
		rds_number(w, WLK_F_RDS_LENGTH, n, INT32_MAX);
		w->broken = true;
	} else {
		take_length(w, n);
	}
}

/* Such lengths have a shorter form when they fit 31 bits, which R uses. */
static void take_long_length(struct rds_walk *w, uint32_t upper, uint32_t lower)
{
	uint64_t n = (uint64_t)upper << 32 | lower;

	if (upper > LONG_UPPER_MAX || n <= INT32_MAX) {
		rds_number(w, WLK_F_RDS_LENGTH, n, (uint64_t)LONG_UPPER_MAX << 32);
		w->broken = true;
		return;
	}
	take_length(w, n);
}

static void take_text_length(struct rds_walk *w, uint32_t n)
{
	rds_text_begin(w);
	if (n == NO_TEXT || n == 0) {
		rds_text_end(w);
		go_on(w, rds_item_end(w));
	} else if (n > INT32_MAX || n > rds_left(w)) {
		rds_number(w, WLK_F_RDS_LENGTH, n, rds_left(w));
		w->broken = true;
	} else {
		w->value.n = n;
		run(w, RDS_RUN_TEXT, n);
	}
}

static void take_primitive_length(struct rds_walk *w, uint32_t n)
{
	if (n == 0 || n > PRIMITIVE_NAME_MAX) {
		rds_number(w, WLK_F_RDS_LENGTH, n, PRIMITIVE_NAME_MAX);
		w->broken = true;
		return;
	}
	run(w, RDS_RUN_SKIP, n);
}

static void take_lock(struct rds_walk *w, uint32_t locked)
{
	if (locked > 1)
		rds_number(w, WLK_F_RDS_STRUCTURE, locked, 1);
	go_on(w, rds_item_environment(w));
}

static void take_names_form(struct rds_walk *w, uint32_t form)
{
	if (form != 0) { /* "names in persistent strings are not supported yet" */
		rds_break(w, WLK_F_RDS_STRUCTURE, NULL);
		return;
	}
	want(w, STATE_NAMES_LENGTH, 4);
}

static void run_end(struct rds_walk *w)
{
	if (w->run_kind == RDS_RUN_TEXT)
		rds_text_end(w);
	else if (w->run_kind == RDS_RUN_NUMBERS)
		rds_numbers_end(w);
	go_on(w, rds_item_end(w));
}

static uint32_t number_at(const struct rds_walk *w, size_t at)
{
	return w->little_endian ? load_u32le(w->number + at) : load_u32be(w->number + at);
}

/* The number that the state asked for is whole. */
static void take_number(struct rds_walk *w)
{
	uint32_t n = number_at(w, 0);

	switch ((enum state)w->state) {
	case STATE_MAGIC: take_magic(w); break;
	case STATE_SAVED: take_saved(w); break;
	case STATE_VERSION: take_version(w, n); break;
	case STATE_WRITER: want(w, STATE_READER, 4); break;
	case STATE_READER: want(w, w->version == 3 ? STATE_ENCODING_LENGTH : STATE_FLAGS, 4); break;
	case STATE_ENCODING_LENGTH: take_encoding_length(w, n); break;
	case STATE_FLAGS:
		w->flags = n;
		w->at = w->offset - 4;
		go_on(w, rds_item_begin(w));
		break;
	case STATE_REFERENCE: go_on(w, rds_item_reference(w, n)); break;
	case STATE_LENGTH: take_short_length(w, n); break;
	case STATE_LONG_LENGTH: take_long_length(w, n, number_at(w, 4)); break;
	case STATE_TEXT_LENGTH: take_text_length(w, n); break;
	case STATE_PRIMITIVE_LENGTH: take_primitive_length(w, n); break;
	case STATE_LOCK: take_lock(w, n); break;
	case STATE_NAMES_FORM: take_names_form(w, n); break;
	case STATE_NAMES_LENGTH: go_on(w, rds_item_names(w, n)); break;
	case STATE_ENCODING:
	case STATE_RUN: break;
	}
}

/* -- bytes -- */

static size_t take_run(struct rds_walk *w, const uint8_t *at, size_t n)
{
	n = (size_t)min_u64(w->run, n);
	w->run -= n;
	w->offset += n;
	if (w->state == STATE_ENCODING)
		encoding_piece(w, at, n);
	else if (w->run_kind == RDS_RUN_TEXT)
		rds_text_piece(w, at, n);
	else if (w->run_kind == RDS_RUN_NUMBERS)
		rds_numbers_piece(w, at, n);
	if (w->run == 0 && w->state == STATE_ENCODING)
		encoding_end(w);
	else if (w->run == 0)
		run_end(w);
	return n;
}

static size_t take_digits(struct rds_walk *w, const uint8_t *at, size_t n)
{
	size_t wanted = w->need - w->have;

	n = n < wanted ? n : wanted;
	memcpy(w->number + w->have, at, n);
	w->have += (unsigned)n;
	w->offset += n;
	if (w->have == w->need)
		take_number(w);
	return n;
}

uint64_t rds_walk_feed(void *walk, const uint8_t *at, size_t n, uint64_t offset)
{
	struct rds_walk *w = walk;
	size_t done = 0;

	while (done < n && !w->ended && !w->broken && !w->stopped) {
		bool in_run = w->state == STATE_RUN || w->state == STATE_ENCODING;

		done += in_run ? take_run(w, at + done, n - done) : take_digits(w, at + done, n - done);
	}
	return w->stopped ? FEED_END : offset + n;
}
