/* The fast way through a header: what it takes, what it leaves, and that it and the reader that knows all the rules
 * find the same in the same header. */
#include <stdio.h>

#include "harness.h"
#include "memory_scan.h"
#include "safetensors.h"
#include "safetensors_canonical.h"
#include "safetensors_file.h"
#include "xorshift.h"

/* -- one entry -- */

/* In a block of exactly its size, so that ASan sees one byte too many.  Moved: how far. */
static bool take(const char *text, size_t n, struct canonical_entry *e, size_t *moved)
{
	struct canonical_type type = { 0 };
	uint8_t *at = malloc(n > 0 ? n : 1);
	struct json j = { .base = at, .p = at, .end = at + n };
	bool taken;

	ck_assert(at != NULL);
	memcpy(at, text, n);
	taken = canonical_entry(&j, &type, e);
	*moved = (size_t)(j.p - at);
	ck_assert_int_eq(j.err, JSON_OK);
	free(at);
	return taken;
}

#define ENTRY(name, dtype, shape, offsets) \
	"\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]}"

START_TEST(test_takes_the_reference_spelling)
{
	static const struct {
		const char *text;
		enum wlk_dtype dtype;
		uint64_t begin, end;
	} good[] = {
		{ ENTRY("a", "F32", "2,3", "0,24"), WLK_DTYPE_F32, 0, 24 },
		{ ENTRY("a", "U8", "", "7,8"), WLK_DTYPE_U8, 7, 8 },
		{ ENTRY("a", "F6_E2M3", "4", "0,3"), WLK_DTYPE_F6_E2M3, 0, 3 },
		{ ENTRY("...", "BF16", "1", "99999998,100000000"), WLK_DTYPE_BF16, 99999998, 100000000 },
		{ ENTRY("model.layers.31.self_attn.q_proj.weight", "I64", "1", "1234567890123,1234567890131"),
		    WLK_DTYPE_I64, 1234567890123, 1234567890131 },
		{ ENTRY("__metadata___", "BOOL", "999999999999999", "0,999999999999999"), WLK_DTYPE_BOOL, 0,
		    999999999999999 },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		size_t n = strlen(good[i].text), moved;
		struct canonical_entry e;

		ck_assert_msg(take(good[i].text, n, &e, &moved), "%s", good[i].text);
		ck_assert_uint_eq(moved, n);
		ck_assert(e.dtype == good[i].dtype && e.begin == good[i].begin && e.end == good[i].end);
		ck_assert_uint_eq(e.name.raw.n, (size_t)(strstr(good[i].text, "\":") - good[i].text) - 1);
		for (size_t less = 0; less < n; less++) /* and no part of it */
			ck_assert(!take(good[i].text, less, &e, &moved) && moved == 0);
	}
}
END_TEST

START_TEST(test_leaves_whatever_is_unusual_where_it_stands)
{
	static const char *const others[] = {
		ENTRY("", "U8", "1", "0,1"),
		ENTRY("..", "U8", "1", "0,1"),
		ENTRY("a/b", "U8", "1", "0,1"),
		ENTRY("\\u0061", "U8", "1", "0,1"),
		ENTRY("\xC3\xA9", "U8", "1", "0,1"),
		ENTRY("a\x7F", "U8", "1", "0,1"),
		ENTRY("a\x1F", "U8", "1", "0,1"),
		ENTRY("__metadata__", "U8", "1", "0,1"),
		ENTRY("a", "U9", "1", "0,1"),
		ENTRY("a", "none", "1", "0,1"),
		ENTRY("a", "u8", "1", "0,1"),
		ENTRY("a", "U", "1", "0,1"),
		ENTRY("a", "U8 ", "1", "0,1"),
		ENTRY("a", "F8_E4M3FNUZ", "1", "0,1"), /* sound, only longer than what is compared */
		ENTRY("a", "U8", "0", "0,0"),
		ENTRY("a", "U8", "01", "0,1"),
		ENTRY("a", "U8", "1,", "0,1"),
		ENTRY("a", "U8", "-1", "0,1"),
		ENTRY("a", "U8", "1.0", "0,1"),
		ENTRY("a", "U8", "1 ", "0,1"),
		ENTRY("a", "U8", "1000000000000000", "0,1000000000000000"),
		ENTRY("a", "U8", "4294967296,4294967296", "0,0"),
		ENTRY("a", "F64", "288230376151711,1000", "0,0"),
		ENTRY("a", "F4", "1", "0,1"),
		ENTRY("a", "F4", "3", "0,1"),
		ENTRY("a", "U8", "1", "0,2"),
		ENTRY("a", "U8", "1", "2,1"),
		ENTRY("a", "U8", "1", "00,1"),
		ENTRY("a", "U8", "1", "0, 1"),
		ENTRY("a", "U8", "1", "0,01"),
		ENTRY("a", "U8", "1", "0,1,"),
		ENTRY("a", "U8", "1", "0"),
		ENTRY("a", "U8", "1", "9999999999999999,10000000000000000"),
		" " ENTRY("a", "U8", "1", "0,1"),
		"\"a\": {\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}",
		"\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":1}",
		"\"a\":{\"shape\":[1],\"dtype\":\"U8\",\"data_offsets\":[0,1]}",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct canonical_entry e;
		size_t moved;

		ck_assert_msg(!take(others[i], strlen(others[i]), &e, &moved), "%s", others[i]);
		ck_assert_uint_eq(moved, 0);
	}
}
END_TEST

/* The last length and rank it takes, and the first it leaves. */
START_TEST(test_limits_are_those_of_the_format)
{
	struct canonical_entry e;
	size_t moved, n;
	char text[2048];

	for (int extra = 0; extra < 2; extra++) {
		n = (size_t)snprintf(text, sizeof(text),
		    "\"%0*d\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}", SAFETENSORS_NAME_MAX + extra,
		    1);
		ck_assert_int_eq(take(text, n, &e, &moved), extra == 0);
		n = (size_t)snprintf(text, sizeof(text), "\"a\":{\"dtype\":\"U8\",\"shape\":[1");
		for (int rank = 1; rank < SAFETENSORS_RANK_MAX + extra; rank++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, ",1");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "],\"data_offsets\":[0,1]}");
		ck_assert_int_eq(take(text, n, &e, &moved), extra == 0);
	}
}
END_TEST

/* -- both ways -- */

static uint64_t state = 0x9E3779B97F4A7C15;

static uint32_t below(uint32_t n)
{
	return xorshift_below(&state, n);
}

/* CANONICAL is the fast way's; whatever differs from it in one place or another is read by the other reader. */
enum spelling { CANONICAL, SPACES, ORDER, ESCAPES, N_SPELLINGS };

struct tensor {
	char name[24], dims[40], begin[24], end[24];
	const char *dtype;
};

static const char *pick(const char *const *words, size_t n)
{
	return words[below((uint32_t)n)];
}

/* Mostly sound; now and then something for the rules to find, but nothing that stops the reading. */
static void make_tensor(struct tensor *t, unsigned i, uint64_t *at)
{
	static const char *const dtypes[] = { "F32", "F16", "BF16", "F64", "F8_E5M2", "F8_E4M3", "I16", "U8", "F9",
		"F4" };
	static const unsigned bytes[] = { 4, 2, 2, 8, 1, 1, 2, 1, 1, 1 };
	static const char *const odd[] = { "-%llu", "%llu.0", "%lluE0", "9%llu" };
	uint32_t type = below(100) > 0 ? below(8) : 8 + below(2), rows = 1 + below(12), columns = 1 + below(3);
	unsigned long long end = *at + (uint64_t)rows * columns * bytes[type] + (below(60) == 0 ? 1 : 0);

	t->dtype = dtypes[type];
	snprintf(t->name, sizeof(t->name), "w%u.x", below(40) == 0 ? 0 : i);
	snprintf(t->dims, sizeof(t->dims), below(60) == 0 ? "%u,%u.0" : "%u,%u", rows, columns);
	snprintf(t->begin, sizeof(t->begin), below(60) == 0 ? pick(odd, 4) : "%llu", (unsigned long long)*at);
	snprintf(t->end, sizeof(t->end), below(60) == 0 ? pick(odd, 4) : "%llu", end);
	*at = end;
}

static size_t put_tensor(char *text, size_t room, const struct tensor *t, enum spelling s)
{
	static const char *const forms[N_SPELLINGS] = {
		[CANONICAL] = "\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%s,%s]}",
		[SPACES] = "\"%s\": {\"dtype\": \"%s\", \"shape\": [%s], \"data_offsets\": [%s, %s]}",
		[ESCAPES] = "\"\\u0077%s\":{\"d\\u0074ype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%s,%s]}",
	};

	if (s == ORDER)
		return (size_t)snprintf(text, room, "\"%s\":{\"data_offsets\":[%s,%s],\"dtype\":\"%s\",\"shape\":[%s]}",
		    t->name, t->begin, t->end, t->dtype, t->dims);
	return (size_t)snprintf(
	    text, room, forms[s], s == ESCAPES ? t->name + 1 : t->name, t->dtype, t->dims, t->begin, t->end);
}

/* Every byte of data is 0xFF, a NaN in most types: rows of the report then say where each tensor begins, what it is
 * of and how many elements it has. */
static struct facts *scan_spelled(
    const struct tensor *t, unsigned n, uint64_t data_n, enum spelling s, uint64_t *data_at)
{
	static char text[1 << 14];
	size_t used = 0;
	struct st_file file;
	struct facts *f;

	text[used++] = '{';
	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			text[used++] = ',';
		used += put_tensor(text + used, sizeof(text) - used, &t[i], s);
	}
	text[used++] = '}';
	file = st_file_of(text, used, data_n);
	memset(file.at + 8 + used, 0xFF, data_n);
	*data_at = 8 + used;
	f = memory_scan(file.at, file.n);
	free(file.at);
	return f;
}

/* Findings come in the order of the text: in another order of the fields they are compared by number only. */
static void same_facts(const struct facts *a, const struct facts *b, uint64_t a_data, uint64_t b_data, bool in_order)
{
	for (int i = 0; i < WLK_N_FINDINGS; i++)
		ck_assert_msg(a->per_code[i] == b->per_code[i], "%s", finding_info((enum wlk_finding)i)->code);
	ck_assert_int_eq(a->final.complete, b->final.complete);
	ck_assert_uint_eq(a->final.totals.tensors, b->final.totals.tensors);
	ck_assert_uint_eq(a->final.totals.elements, b->final.totals.elements);
	ck_assert_uint_eq(a->n_findings, b->n_findings);
	for (size_t i = 0; in_order && i < a->n_findings; i++) {
		ck_assert_uint_eq(a->findings[i].code, b->findings[i].code);
		ck_assert(bytes_equal(a->findings[i].subject, b->findings[i].subject));
	}
	ck_assert_uint_eq(a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++) {
		ck_assert(bytes_equal(a->rows[i].tensor, b->rows[i].tensor));
		ck_assert_uint_eq(a->rows[i].dtype, b->rows[i].dtype);
		ck_assert_uint_eq(a->rows[i].nan, b->rows[i].nan);
		ck_assert_uint_eq(a->rows[i].first_offset - a_data, b->rows[i].first_offset - b_data);
	}
}

START_TEST(test_both_ways_find_the_same)
{
	unsigned clean = 0, faulty = 0, rows = 0;

	for (int round = 0; round < 3000; round++) {
		unsigned n = 1 + below(30);
		struct tensor t[30];
		uint64_t at = 0, data_at;
		struct facts *fast;

		for (unsigned i = 0; i < n; i++)
			make_tensor(&t[i], i, &at);
		for (unsigned i = n; below(2) && i > 1; i--) {
			struct tensor last = t[i - 1];
			unsigned k = below(i);

			t[i - 1] = t[k];
			t[k] = last;
		}
		fast = scan_spelled(t, n, at, CANONICAL, &data_at);
		for (enum spelling s = SPACES; s < N_SPELLINGS; s++) {
			uint64_t other_at;
			struct facts *other = scan_spelled(t, n, at, s, &other_at);

			same_facts(fast, other, data_at, other_at, s != ORDER);
			facts_free(other);
		}
		clean += fast->final.complete;
		faulty += !fast->final.complete;
		rows += fast->n_rows > 3;
		facts_free(fast);
	}
	ck_assert(clean > 300 && faulty > 300 && rows > 300); /* the rounds did reach both */
}
END_TEST

/* Tensors of one range are told apart by their order alone. */
START_TEST(test_tensors_keep_the_order_of_the_header)
{
	char text[4096];
	size_t n = 0;
	struct st_file file;
	struct facts *f;

	for (unsigned i = 0; i < 20; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
		    "%c\"t%02u\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}", i == 0 ? '{' : ',', i);
	text[n++] = '}';
	file = st_file_of(text, n, 8);
	f = memory_scan(file.at, file.n);
	ck_assert_uint_eq(f->per_code[WLK_F_ST_DATA_OVERLAP], 19);
	ck_assert_uint_ge(f->n_findings, 10);
	for (unsigned i = 0; i < 10; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%02u", i + 1);
		ck_assert_uint_eq(f->findings[i].code, WLK_F_ST_DATA_OVERLAP);
		ck_assert(bytes_equal(f->findings[i].subject, bytes_of_text(name)));
	}
	facts_free(f);
	free(file.at);
}
END_TEST

HARNESS("safetensors_canonical", test_takes_the_reference_spelling, test_leaves_whatever_is_unusual_where_it_stands,
    test_limits_are_those_of_the_format, test_both_ways_find_the_same, test_tensors_keep_the_order_of_the_header)
