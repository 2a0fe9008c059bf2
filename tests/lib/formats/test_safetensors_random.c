/* Headers nobody wrote: any honest one is accepted, whatever its order and spelling; and what a million tensors cost. */
#include <stdio.h>

#include "arena.h"
#include "harness.h"
#include "memory_scan.h"
#include "safetensors.h"
#include "safetensors_file.h"
#include "xorshift.h"

static uint64_t state = 0x9E3779B97F4A7C15;

static uint32_t below(uint32_t n)
{
	return xorshift_below(&state, n);
}

struct text {
	char at[1 << 16];
	size_t n;
};

static void put(struct text *t, const char *s)
{
	size_t n = strlen(s);

	ck_assert(t->n + n < sizeof(t->at));
	memcpy(t->at + t->n, s, n + 1);
	t->n += n;
}

static void put_number(struct text *t, uint64_t v)
{
	char s[24];

	snprintf(s, sizeof(s), "%llu", (unsigned long long)v);
	put(t, s);
}

static void put_space(struct text *t)
{
	static const char *const spaces[] = { "", "", "", " ", "\n", "\t", "\r\n  " };

	put(t, spaces[below(7)]);
}

/* A name that no other i has, now and then with an escape. */
static void put_name(struct text *t, unsigned i)
{
	static const char *const stems[] = { "w", "model.layers/", "\\u0077", "\xC3\xA9", "\\ud83d\\ude00", "a\\\"b" };

	put(t, "\"");
	put_number(t, i);
	put(t, stems[below(6)]);
	put(t, "\"");
	put_space(t);
	put(t, ":");
}

struct tensor {
	enum wlk_dtype dtype;
	uint32_t rank, dims[4];
	uint64_t begin, end;
};

static void make_tensor(struct tensor *t, uint64_t *at)
{
	uint64_t elements = 1;

	t->dtype = (enum wlk_dtype)(1 + below(WLK_DTYPE_C64));
	t->rank = below(5);
	for (unsigned i = 0; i < t->rank; i++) {
		t->dims[i] = below(5);
		elements *= t->dims[i];
	}
	if (elements * dtype_info(t->dtype)->bits % 8 != 0)
		t->dtype = WLK_DTYPE_F32;
	t->begin = *at;
	*at += elements * dtype_info(t->dtype)->bits / 8;
	t->end = *at;
}

static void put_field(struct text *h, const struct tensor *t, unsigned which)
{
	put_space(h);
	if (which == 0) {
		put(h, "\"dtype\":\"");
		put(h, dtype_info(t->dtype)->name);
		put(h, "\"");
	} else if (which == 1) {
		put(h, "\"\\u0073hape\": [");
		for (unsigned i = 0; i < t->rank; i++) {
			put(h, i > 0 ? " , " : "");
			put_number(h, t->dims[i]);
		}
		put(h, "]");
	} else {
		put(h, "\"data_offsets\":[");
		put_number(h, t->begin);
		put(h, ",");
		put_space(h);
		put_number(h, t->end);
		put(h, "]");
	}
}

static void put_tensor(struct text *h, const struct tensor *t, unsigned i)
{
	unsigned first = below(3), second = (first + 1 + below(2)) % 3;

	put_name(h, i);
	put(h, "{");
	put_field(h, t, first);
	put(h, ",");
	put_field(h, t, second);
	put(h, ",");
	put_field(h, t, 3 - first - second);
	put(h, "}");
}

#define TENSORS_MAX 40

static struct st_file honest_file(unsigned *ret_n)
{
	static struct text h;
	struct tensor tensors[TENSORS_MAX];
	unsigned n = below(TENSORS_MAX + 1);
	uint64_t at = 0;

	h.n = 0;
	for (unsigned i = 0; i < n; i++)
		make_tensor(&tensors[i], &at);
	for (unsigned i = n; i > 1; i--) { /* Fisher and Yates */
		unsigned k = below(i);
		struct tensor t = tensors[k];

		tensors[k] = tensors[i - 1];
		tensors[i - 1] = t;
	}
	put(&h, "{");
	if (below(2))
		put(&h, n > 0 ? "\"__metadata__\":{\"k\":\"v\"}," : "\"__metadata__\":{}");
	for (unsigned i = 0; i < n; i++) {
		put(&h, i > 0 ? "," : "");
		put_space(&h);
		put_tensor(&h, &tensors[i], i);
	}
	put_space(&h);
	put(&h, "}");
	for (unsigned i = below(9); i > 0; i--)
		put(&h, " ");
	*ret_n = n;
	return st_file_of(h.at, h.n, (size_t)at);
}

START_TEST(test_honest_headers_raise_nothing)
{
	for (int round = 0; round < 3000; round++) {
		unsigned n;
		struct st_file file = honest_file(&n);
		struct facts *f = memory_scan(file.at, file.n);

		ck_assert_msg(memory_worst(f) < 0, "%.*s", (int)file.n - 8, (char *)file.at + 8);
		ck_assert(f->final.complete);
		ck_assert_uint_eq(f->final.totals.tensors, n);
		facts_free(f);
		free(file.at);
	}
}
END_TEST

/* One byte more or less in the buffer, or one byte of the header gone, is never accepted as complete and clean. */
START_TEST(test_honest_headers_with_one_change_raise_something)
{
	for (int round = 0; round < 1000; round++) {
		unsigned n;
		struct st_file file = honest_file(&n);
		struct facts *f = memory_scan(file.at, file.n - 1);

		ck_assert(memory_worst(f) >= SEVERITY_HIGH);
		facts_free(f);
		store_u64le(
		    file.at, load_u64le(file.at) + 1); /* the first byte of data becomes padding, or there is none */
		f = memory_scan(file.at, file.n);
		ck_assert(memory_worst(f) >= SEVERITY_HIGH);
		facts_free(f);
		free(file.at);
	}
}
END_TEST

START_TEST(test_same_bytes_same_report_whatever_the_source)
{
	for (int round = 0; round < 300; round++) {
		unsigned n;
		struct st_file file = honest_file(&n);
		struct job job = memory_job(file.n);
		struct memory_report a, b;

		file.at[8 + below((uint32_t)file.n - 8)] ^= (uint8_t)(1u << below(8));
		memory_scan_raw(file.at, file.n, &job, &a);
		job.kind = SOURCE_MUTABLE;
		memory_scan_raw(file.at, file.n, &job, &b);
		ck_assert(bytes_equal(bytes_of(a.at, a.n), bytes_of(b.at, b.n)));
		free(a.at);
		free(b.at);
		free(file.at);
	}
}
END_TEST

/* A header of n entries of one byte each, in descending order when reversed. */
static struct st_file large_file(size_t n, bool reversed)
{
	size_t capacity = n * 80, at = 0;
	char *h = malloc(capacity);
	struct st_file file;

	ck_assert(h != NULL);
	h[at++] = '{';
	for (size_t i = 0; i < n; i++) {
		size_t begin = reversed ? n - 1 - i : i;

		at += (size_t)snprintf(h + at, capacity - at,
		    "%s\"t%zu\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%zu,%zu]}", i > 0 ? "," : "", i,
		    begin, begin + 1);
	}
	h[at++] = '}';
	file = st_file_of(h, at, n);
	free(h);
	return file;
}

struct discard_state {
	size_t n;
};

static bool discard(void *ctx, const uint8_t *at, size_t n)
{
	(void)at;
	((struct discard_state *)ctx)->n += n;
	return true;
}

/* Does the layout succeed with so many bytes beside those of the header? */
static bool lays_out(const struct st_file *file, size_t extra)
{
	struct memory_file memory = { .at = file->at, .n = file->n };
	struct limits lim = LIMITS_DEFAULT;
	struct discard_state sink = { 0 };
	static struct report report;
	struct extents extents;
	enum wlk_status status;
	struct source src;
	struct arena arena;

	lim.memory = load_u64le(file->at) + extra;
	report_init(&report, discard, NULL, &sink);
	arena_init(&arena, lim.memory);
	source_init(&src, memory_read, &memory, file->n, SOURCE_IMMUTABLE, &arena, 4096);
	extents_init(&extents, &arena);
	status = format_safetensors.layout(&(struct layout){ .src = &src,
	    .part = part_of_file(&src),
	    .lim = &lim,
	    .seed = { 1, 2 },
	    .arena = &arena,
	    .report = &report,
	    .extents = &extents });
	source_done(&src);
	arena_done(&arena);
	return status == WLK_DONE;
}

START_TEST(test_million_tensors_take_at_most_sixty_megabytes_beside_the_header)
{
	struct st_file sorted = large_file(1000000, false), reversed = large_file(1000000, true);

	ck_assert(lays_out(&sorted, 60000000));
	ck_assert(lays_out(&reversed, 60000000));
	ck_assert(!lays_out(&sorted, 1000000 * sizeof(struct extent) - 1)); /* the measure itself bites */
	free(sorted.at);
	free(reversed.at);
}
END_TEST

START_TEST(test_spent_arena_is_a_limit_and_never_accept)
{
	struct st_file file = large_file(100000, false);
	struct job job = memory_job(file.n);
	struct facts *f;

	job.limits.memory = 8 << 20;
	f = memory_scan_job(file.at, file.n, &job);
	ck_assert(!f->final.complete);
	ck_assert_int_eq(f->final.cause, WLK_CAUSE_LIMIT_MEMORY);
	ck_assert_uint_eq(f->per_code[WLK_F_LIMIT_MEMORY], 1);
	facts_free(f);
	free(file.at);
}
END_TEST

HARNESS("safetensors_random", test_honest_headers_raise_nothing, test_honest_headers_with_one_change_raise_something,
    test_same_bytes_same_report_whatever_the_source,
    test_million_tensors_take_at_most_sixty_megabytes_beside_the_header, test_spent_arena_is_a_limit_and_never_accept)
