/* The ZIP reader from inside: what it hands on, where limits are, and that nothing a directory says costs more than its
 * length.  What each rule says about small archives is in corpus/zip. */
#include "harness.h"

#include "checked.h"
#include "cpu_clock.h"
#include "memory.h"
#include "zip.h"

#define BUDGET ((size_t)48 << 20)
#define PIN_BUDGET ((uint64_t)16 << 20)

/* -- an archive, growing -- */

struct builder {
	uint8_t *at;
	size_t n, capacity;
	uint8_t *directory;
	size_t directory_n, directory_capacity;
	uint64_t entries;
};

static void put(uint8_t **at, size_t *n, size_t *capacity, const void *data, size_t data_n)
{
	if (data_n > *capacity - *n) {
		*capacity = (*n + data_n) * 2;
		*at = realloc(*at, *capacity);
		ck_assert_ptr_nonnull(*at);
	}
	if (data_n > 0)
		memcpy(*at + *n, data, data_n);
	*n += data_n;
}

static void put_bytes(struct builder *b, const void *data, size_t n)
{
	put(&b->at, &b->n, &b->capacity, data, n);
}

static void put_central(struct builder *b, const void *data, size_t n)
{
	put(&b->directory, &b->directory_n, &b->directory_capacity, data, n);
}

/* A stored member of zeros with CRC 0, and what the directory says of it. */
struct entry {
	struct bytes name;
	uint64_t local;
	uint64_t coded, size;
	struct bytes extra; /* of the central header */
};

static void add_local(struct builder *b, const struct entry *e)
{
	uint8_t h[30] = "PK\3\4";

	store_u16le(h + 4, 20);
	store_u32le(h + 18, (uint32_t)e->coded);
	store_u32le(h + 22, (uint32_t)e->size);
	store_u16le(h + 26, (uint16_t)e->name.n);
	put_bytes(b, h, sizeof(h));
	put_bytes(b, e->name.at, e->name.n);
	for (uint64_t i = 0; i < e->coded; i++)
		put_bytes(b, "", 1);
}

static void add_central(struct builder *b, const struct entry *e)
{
	uint8_t h[46] = "PK\1\2";

	store_u16le(h + 6, 20);
	store_u32le(h + 20, (uint32_t)e->coded);
	store_u32le(h + 24, (uint32_t)e->size);
	store_u16le(h + 28, (uint16_t)e->name.n);
	store_u16le(h + 30, (uint16_t)e->extra.n);
	store_u32le(h + 42, (uint32_t)e->local);
	put_central(b, h, sizeof(h));
	put_central(b, e->name.at, e->name.n);
	put_central(b, e->extra.at, e->extra.n);
	b->entries++;
}

static void add_member(struct builder *b, struct bytes name, size_t n)
{
	const struct entry e = { .name = name, .local = b->n, .coded = n, .size = n };

	add_local(b, &e);
	add_central(b, &e);
}

/* Directory, zip64 records and end record. */
static void add_end(struct builder *b)
{
	uint8_t wide[56] = "PK\6\6", locator[20] = "PK\6\7", end[22] = "PK\5\6";
	uint64_t offset = b->n, entries = b->entries;
	uint16_t few = entries < 0xffff ? (uint16_t)entries : 0xffff;

	put_bytes(b, b->directory, b->directory_n);
	store_u64le(wide + 4, 44);
	store_u64le(wide + 24, entries);
	store_u64le(wide + 32, entries);
	store_u64le(wide + 40, b->directory_n);
	store_u64le(wide + 48, offset);
	store_u64le(locator + 8, b->n);
	store_u32le(locator + 16, 1);
	store_u16le(end + 8, few);
	store_u16le(end + 10, few);
	store_u32le(end + 12, (uint32_t)b->directory_n);
	store_u32le(end + 16, (uint32_t)offset);
	put_bytes(b, wide, sizeof(wide));
	put_bytes(b, locator, sizeof(locator));
	put_bytes(b, end, sizeof(end));
}

static void builder_free(struct builder *b)
{
	free(b->at);
	free(b->directory);
}

/* -- reading it -- */

struct fixture {
	struct arena arena;
	struct source src;
	struct mem_file file;
	struct extents x;
	struct mem_report sent;
	struct report *report;
	struct limits lim;
	struct zip z;
	enum wlk_status status;
};

static void open_fixture(struct fixture *f, const struct builder *b)
{
	*f = (struct fixture){ .report = malloc(sizeof(*f->report)), .lim = LIMITS_DEFAULT };
	f->file = (struct mem_file){ .at = b->at, .size = b->n };
	arena_init(&f->arena, BUDGET);
	source_init(&f->src, mem_read, &f->file, b->n, SOURCE_MUTABLE, &f->arena, PIN_BUDGET);
	extents_init(&f->x, &f->arena);
	report_init(f->report, mem_write, NULL, &f->sent);
}

static void read_part(struct fixture *f, struct part part, enum zip_profile profile)
{
	f->status = zip_read(&f->z, &part,
	    &(struct zip_options){ .profile = profile,
		.lim = &f->lim,
		.seed = { 3, 4 },
		.arena = &f->arena,
		.report = f->report,
		.extents = &f->x });
}

static void read_as(struct fixture *f, const struct builder *b, enum zip_profile profile)
{
	open_fixture(f, b);
	read_part(f, part_of_file(&f->src), profile);
}

static void close_fixture(struct fixture *f)
{
	source_done(&f->src);
	arena_done(&f->arena);
	free(f->sent.at);
	free(f->report);
}

static uint64_t told(const struct fixture *f, enum wlk_finding code)
{
	return f->report->per_code[code];
}

static uint64_t all_findings(const struct fixture *f)
{
	uint64_t n = 0;

	for (int code = 0; code < WLK_N_FINDINGS; code++)
		n += f->report->per_code[code];
	return n;
}

static struct bytes numbered(uint64_t i)
{
	static char name[32];

	snprintf(name, sizeof(name), "folder/%07llu", (unsigned long long)i);
	return bytes_of_text(name);
}

/* Generous: a quadratic step over so many members takes minutes, sanitised or not. */
#define LINEAR_S 10.0

/* -- tests -- */

START_TEST(test_members_are_described_and_found)
{
	struct builder b = { 0 };
	struct fixture f;
	const struct zip_entry *e;

	add_member(&b, bytes_of_text("a"), 3);
	add_member(&b, bytes_of_text("d/b"), 5);
	add_end(&b);
	read_as(&f, &b, ZIP_PLAIN);
	ck_assert_int_eq(f.status, WLK_DONE);
	ck_assert(f.z.sound);
	ck_assert_uint_eq(all_findings(&f), 0);
	ck_assert_uint_eq(f.z.n, 2);
	ck_assert_uint_eq(f.src.n_pins, 1); /* an archive may be one of many in another */
	e = zip_find(&f.z, bytes_of_text("d/b"));
	ck_assert_ptr_eq(e, &f.z.entries[1]);
	ck_assert(e->readable);
	ck_assert_uint_eq(e->data, 30 + 1 + 3 + 30 + 3);
	ck_assert_uint_eq(e->member->stream.part.origin, e->data);
	ck_assert_uint_eq(e->member->stream.part.size, 5);
	ck_assert_mem_eq(e->member->stream.part.member.at, "d/b", 3);
	ck_assert_ptr_null(zip_find(&f.z, bytes_of_text("d")));
	ck_assert_ptr_null(zip_find(&f.z, bytes_of_text("A")));
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

START_TEST(test_the_last_of_a_name_is_found)
{
	struct builder b = { 0 };
	struct fixture f;

	add_member(&b, bytes_of_text("a"), 1);
	add_member(&b, bytes_of_text("b"), 2);
	add_member(&b, bytes_of_text("a"), 3);
	add_end(&b);
	read_as(&f, &b, ZIP_PLAIN);
	ck_assert_ptr_eq(zip_find(&f.z, bytes_of_text("a")), &f.z.entries[2]);
	ck_assert_uint_eq(told(&f, WLK_F_ZIP_NAME_DUPLICATE), 1);
	ck_assert(!f.z.sound);
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

/* An archive at `front` bytes into a file, as a member of another. */
START_TEST(test_a_range_of_a_file_is_read_as_a_file_of_its_own)
{
	struct builder b = { 0 };
	struct fixture f;
	struct part part;
	struct facts *facts;
	uint8_t *inner;
	size_t n;

	add_member(&b, bytes_of_text("a"), 3);
	put_bytes(&b, "gap", 3);
	add_end(&b);
	n = b.n;
	inner = malloc(n + 100);
	memset(inner, 7, n + 100);
	memcpy(inner + 100, b.at, n);
	free(b.at);
	b.at = inner;
	b.n = n + 100;
	open_fixture(&f, &b);
	part = part_of_file(&f.src);
	part = part_range(&part, 100, n);
	part.member = bytes_of_text("outer");
	part.depth = 1;
	f.x.member = part.member;
	f.x.origin = 100;
	read_part(&f, part, ZIP_PLAIN);
	ck_assert_int_eq(f.status, WLK_DONE);
	ck_assert_uint_eq(f.z.entries[0].data, 31);
	ck_assert_uint_eq(f.z.entries[0].member->stream.part.origin, 131);
	ck_assert_uint_eq(f.z.entries[0].member->stream.part.member.n, 7);
	ck_assert_mem_eq(f.z.entries[0].member->stream.part.member.at, "outer!a", 7);
	ck_assert_uint_eq(told(&f, WLK_F_ZIP_GAP), 1);
	ck_assert_uint_eq(all_findings(&f), 1);
	ck_assert(report_end(f.report, &(struct report_final){ .size = b.n }));
	facts = mem_decode(&f.sent, b.n);
	ck_assert_uint_eq(facts->findings[0].offset, 134);
	ck_assert_mem_eq(facts->findings[0].member.at, "outer", 5);
	facts_free(facts);
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

START_TEST(test_a_copy_is_read_without_the_file)
{
	struct builder b = { 0 };
	struct fixture f;
	struct part part;
	uint64_t reads;

	add_member(&b, bytes_of_text("a"), 3);
	add_end(&b);
	open_fixture(&f, &b);
	part = part_of_file(&f.src);
	part.copy = b.at;
	reads = f.file.reads;
	read_part(&f, part, ZIP_PLAIN);
	ck_assert_int_eq(f.status, WLK_DONE);
	ck_assert(f.z.sound);
	ck_assert_uint_eq(f.file.reads, reads);
	ck_assert_ptr_eq(f.z.entries[0].member->stream.part.copy, b.at + 31);
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

START_TEST(test_65536_members_are_read_in_linear_time_and_one_more_is_not)
{
	struct builder b = { 0 };
	struct fixture f;
	double from;

	for (uint64_t i = 0; i < 65536; i++)
		add_member(&b, numbered(i), 1);
	for (unsigned more = 0; more < 2; more++) {
		struct builder copy = { 0 };

		put_bytes(&copy, b.at, b.n);
		put_central(&copy, b.directory, b.directory_n);
		copy.entries = b.entries;
		if (more > 0)
			add_member(&copy, bytes_of_text("one more"), 1);
		add_end(&copy);
		from = seconds();
		read_as(&f, &copy, ZIP_PLAIN);
		ck_assert_int_eq(f.status, more > 0 ? WLK_BROKEN : WLK_DONE);
		ck_assert_uint_eq(told(&f, WLK_F_LIMIT_ZIP_ENTRIES), more);
		ck_assert_uint_eq(all_findings(&f), more);
		ck_assert(seconds() - from < LINEAR_S);
		close_fixture(&f);
		if (more > 0) {
			read_as(&f, &copy, ZIP_TORCH);
			ck_assert_int_eq(f.status, WLK_DONE);
			ck_assert_uint_eq(all_findings(&f), 0);
			close_fixture(&f);
		}
		builder_free(&copy);
	}
	builder_free(&b);
}
END_TEST

/* A directory of 64 MiB, and one a byte longer. */
START_TEST(test_a_directory_beyond_its_limit_is_not_read)
{
	enum { N = 1024, EACH = 65536 };
	uint8_t *extra = malloc(EACH);

	memset(extra, 'Z', EACH);
	store_u16le(extra, 0x4246);
	for (unsigned more = 0; more < 2; more++) {
		struct builder b = { 0 };
		struct fixture f;

		for (uint64_t i = 0; i < N; i++) {
			struct entry e = { .name = numbered(i), .local = b.n };

			add_local(&b, &e);
			e.extra = bytes_of(extra, EACH - 46 - e.name.n + (i == 0 ? more : 0));
			store_u16le(extra + 2, (uint16_t)(e.extra.n - 4));
			add_central(&b, &e);
		}
		add_end(&b);
		read_as(&f, &b, ZIP_PLAIN);
		ck_assert_int_eq(f.status, more > 0 ? WLK_BROKEN : WLK_DONE);
		ck_assert_uint_eq(told(&f, WLK_F_LIMIT_ZIP_DIRECTORY), more);
		ck_assert_uint_eq(all_findings(&f), more);
		close_fixture(&f);
		builder_free(&b);
	}
	free(extra);
}
END_TEST

/* Names that share everything, in an order opposite to the file's, all of them the folder of the next. */
START_TEST(test_hostile_names_and_orders_cost_no_more)
{
	struct builder b = { 0 };
	struct fixture f;
	enum { N = 60000, LONG = 1000 };
	uint64_t *at = malloc(N * sizeof(*at));
	char name[LONG + 1];
	double from = seconds();

	for (size_t i = 0; i < LONG; i += 2)
		memcpy(name + i, "a/", 2);
	for (uint64_t i = 0; i < N; i++) {
		at[i] = b.n;
		add_local(&b, &(struct entry){ .name = bytes_of(name, LONG - i % 500 * 2 - 1) });
	}
	for (uint64_t i = N; i > 0; i--)
		add_central(
		    &b, &(struct entry){ .name = bytes_of(name, LONG - (i - 1) % 500 * 2 - 1), .local = at[i - 1] });
	add_end(&b);
	from = seconds();
	read_as(&f, &b, ZIP_PLAIN);
	ck_assert(seconds() - from < LINEAR_S);
	ck_assert_int_eq(f.status, WLK_DONE);
	ck_assert_uint_eq(told(&f, WLK_F_ZIP_NAME_DUPLICATE), N - 500);
	ck_assert_uint_eq(told(&f, WLK_F_ZIP_NAME_FILE_AS_DIRECTORY), N - N / 500);
	ck_assert_uint_eq(told(&f, WLK_F_ZIP_OVERLAP), 0);
	close_fixture(&f);
	builder_free(&b);
	free(at);
}
END_TEST

/* The full overlap of the first zip bombs, 65,536 times, with the longest header there is. */
START_TEST(test_entries_that_share_one_header_cost_no_more)
{
	struct builder b = { 0 };
	struct fixture f;
	char name[65535];
	double from;

	memset(name, 'a', sizeof(name));
	add_local(&b, &(struct entry){ .name = bytes_of(name, sizeof(name)), .coded = 100, .size = 100 });
	for (uint64_t i = 0; i < 65536; i++)
		add_central(&b, &(struct entry){ .name = bytes_of_text("a"), .coded = 100, .size = 100 });
	add_end(&b);
	from = seconds();
	read_as(&f, &b, ZIP_PLAIN);
	ck_assert(seconds() - from < LINEAR_S);
	ck_assert_int_eq(f.status, WLK_DONE);
	ck_assert(!f.z.sound);
	ck_assert_uint_ge(told(&f, WLK_F_ZIP_OVERLAP), 65535);
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

static const uint64_t extremes[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, INT64_MAX,
	(uint64_t)INT64_MAX + 1, UINT64_MAX - 30, UINT64_MAX - 1, UINT64_MAX };
#define N_EXTREMES (sizeof(extremes) / sizeof(extremes[0]))

/* Every 64-bit field of a zip64 extra field, at every extreme, in every company. */
START_TEST(test_extremes_in_a_zip64_field_are_never_sound)
{
	for (size_t i = 0; i < N_EXTREMES * N_EXTREMES * N_EXTREMES; i++) {
		uint64_t size = extremes[i % N_EXTREMES], coded = extremes[i / N_EXTREMES % N_EXTREMES];
		uint64_t local = extremes[i / N_EXTREMES / N_EXTREMES];
		struct builder b = { 0 };
		struct fixture f;
		uint8_t extra[28] = { 1, 0, 24, 0 };

		store_u64le(extra + 4, size);
		store_u64le(extra + 12, coded);
		store_u64le(extra + 20, local);
		add_local(&b, &(struct entry){ .name = bytes_of_text("a"), .coded = 3, .size = 3 });
		add_central(&b, &(struct entry){ .name = bytes_of_text("a"),
				    .coded = 0xffffffff,
				    .size = 0xffffffff,
				    .local = 0xffffffff,
				    .extra = bytes_of(extra, sizeof(extra)) });
		add_end(&b);
		read_as(&f, &b, ZIP_PLAIN);
		ck_assert_int_eq(f.status, WLK_DONE);
		ck_assert(!f.z.sound);
		close_fixture(&f);
		builder_free(&b);
	}
}
END_TEST

/* Offsets of the 64-bit and 32-bit fields of the three records at the end of an archive. */
START_TEST(test_extremes_in_the_end_records_are_never_sound)
{
	static const struct {
		size_t before_end;
		size_t width;
	} fields[] = { { 98 - 4, 8 }, { 98 - 24, 8 }, { 98 - 32, 8 }, { 98 - 40, 8 }, { 98 - 48, 8 }, { 42 - 8, 8 },
		{ 22 - 12, 4 }, { 22 - 16, 4 } };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) * N_EXTREMES; i++) {
		size_t before_end = fields[i / N_EXTREMES].before_end, width = fields[i / N_EXTREMES].width;
		uint64_t value = extremes[i % N_EXTREMES];
		struct builder b = { 0 };
		struct fixture f;
		uint8_t was[8], is[8];

		add_member(&b, bytes_of_text("a"), 3);
		add_end(&b);
		memcpy(was, b.at + b.n - before_end, width);
		store_u64le(is, value);
		memcpy(b.at + b.n - before_end, is, width);
		read_as(&f, &b, ZIP_PLAIN);
		if (memcmp(was, is, width) == 0 || (width == 4 && (uint32_t)value == 0xffffffff)) /* a reference */
			ck_assert(f.status == WLK_DONE && f.z.sound);
		else
			ck_assert(f.status == WLK_BROKEN || !f.z.sound);
		close_fixture(&f);
		builder_free(&b);
	}
}
END_TEST

/* A torch archive beyond 4 GiB: miniz writes the offset into both headers' zip64 fields. */
static int64_t read_sparse(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct builder *b = ctx;
	uint64_t hole = UINT64_C(5) << 30, first = 30 + 1, size = hole + b->n;

	if (offset >= size)
		return 0;
	if (offset < first) {
		n = (size_t)min_u64(n, first - offset);
		memcpy(buf, b->at + offset, n);
	} else if (offset < first + hole) {
		n = (size_t)min_u64(n, first + hole - offset);
		memset(buf, 0, n);
	} else {
		n = (size_t)min_u64(n, size - offset);
		memcpy(buf, b->at + (offset - hole), n);
	}
	return (int64_t)n;
}

static void make_torch_header(
    uint8_t *to, const char *signature, size_t bytes, char name, size_t extra_n, uint16_t flags)
{
	size_t shift = bytes == 46 ? 2 : 0;

	memset(to, 0, bytes);
	memcpy(to, signature, 4);
	store_u16le(to + 6 + shift, flags);
	store_u16le(to + 26 + shift, 1);
	store_u16le(to + 28 + shift, (uint16_t)extra_n);
	to[bytes] = (uint8_t)name;
}

START_TEST(test_what_torch_writes_beyond_4_gib_is_sound)
{
	const uint64_t hole = UINT64_C(5) << 30, second = hole + 30 + 1 + 24;
	struct builder b = { 0 };
	struct fixture f;
	uint8_t local[31], central[47], wide[28] = { 1, 0 }, dd[24] = "PK\7\10";

	/* The first: 5 GiB; its local field has the size, and the coded size is not known yet. */
	make_torch_header(local, "PK\3\4", 30, 'a', 0, 0x0808);
	put_bytes(&b, local, 31);
	store_u64le(dd + 8, hole);
	store_u64le(dd + 16, hole);
	put_bytes(&b, dd, 24);
	make_torch_header(central, "PK\1\2", 46, 'a', 20, 0x0808);
	store_u32le(central + 20, 0xffffffff);
	store_u32le(central + 24, 0xffffffff);
	store_u16le(wide + 2, 16);
	store_u64le(wide + 4, hole);
	store_u64le(wide + 12, hole);
	put_central(&b, central, 47);
	put_central(&b, wide, 20);
	/* The second: three bytes, behind 4 GiB; both fields have the offset, and the descriptor is wide. */
	make_torch_header(local, "PK\3\4", 30, 'b', 12, 0x0808);
	store_u16le(wide + 2, 8);
	store_u64le(wide + 4, second);
	put_bytes(&b, local, 31);
	put_bytes(&b, wide, 12);
	put_bytes(&b, "abc", 3);
	store_u32le(dd + 4, 0x352441c2);
	store_u64le(dd + 8, 3);
	store_u64le(dd + 16, 3);
	put_bytes(&b, dd, 24);
	make_torch_header(central, "PK\1\2", 46, 'b', 12, 0x0808);
	store_u32le(central + 16, 0x352441c2);
	store_u32le(central + 20, 3);
	store_u32le(central + 24, 3);
	store_u32le(central + 42, 0xffffffff);
	put_central(&b, central, 47);
	put_central(&b, wide, 12);
	b.entries = 2;
	{
		size_t n = b.n;

		add_end(&b);
		store_u64le(b.at + b.n - 98 + 48, n + hole);                /* directory */
		store_u64le(b.at + b.n - 42 + 8, n + hole + b.directory_n); /* record */
		store_u32le(b.at + b.n - 22 + 16, 0xffffffff);
	}
	open_fixture(&f, &b);
	source_init(&f.src, read_sparse, &b, hole + b.n, SOURCE_IMMUTABLE, &f.arena, PIN_BUDGET);
	read_part(&f, part_of_file(&f.src), ZIP_TORCH);
	ck_assert_int_eq(f.status, WLK_DONE);
	ck_assert_uint_eq(all_findings(&f), 0);
	ck_assert(f.z.sound);
	ck_assert_uint_eq(f.z.entries[0].size, hole);
	ck_assert_uint_eq(f.z.entries[1].local, second);
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

/* What the directory was read from is what the pass has to see. */
static void change_name(struct mem_file *file)
{
	file->at[30] = 'b';
}

START_TEST(test_a_local_header_that_changes_later_is_noticed)
{
	struct builder b = { 0 };
	struct fixture f;
	uint8_t digest[32];

	add_member(&b, bytes_of_text("a"), 100000);
	add_end(&b);
	read_as(&f, &b, ZIP_PLAIN);
	ck_assert(f.z.sound);
	change_name(&f.file);
	ck_assert(source_hash_begin(&f.src));
	(void)(source_hash(&f.src, f.file.at, f.file.size) && source_hash_end(&f.src, digest));
	ck_assert_int_eq(f.src.err, SOURCE_CHANGED);
	close_fixture(&f);
	builder_free(&b);
}
END_TEST

START_TEST(test_a_failing_read_is_told_and_nothing_is_clean)
{
	struct builder b = { 0 };
	struct fixture f;
	uint64_t reads;

	add_member(&b, bytes_of_text("a"), 100);
	add_member(&b, bytes_of_text("b"), 100);
	add_end(&b);
	read_as(&f, &b, ZIP_PLAIN);
	reads = f.file.reads;
	ck_assert_uint_gt(reads, 1);
	close_fixture(&f);
	for (uint64_t i = 1; i <= reads; i++) {
		open_fixture(&f, &b);
		f.file.fail_at = i;
		read_part(&f, part_of_file(&f.src), ZIP_PLAIN);
		ck_assert_int_eq(f.status, WLK_INCOMPLETE);
		ck_assert_int_eq(f.report->cause, WLK_CAUSE_INPUT_UNREADABLE);
		close_fixture(&f);
	}
	builder_free(&b);
}
END_TEST

START_TEST(test_no_memory_is_told_and_nothing_is_clean)
{
	struct builder b = { 0 };
	struct fixture f;
	size_t needed;

	for (uint64_t i = 0; i < 200; i++)
		add_member(&b, numbered(i), 10);
	add_end(&b);
	read_as(&f, &b, ZIP_PLAIN);
	ck_assert(f.z.sound);
	needed = f.arena.used;
	close_fixture(&f);
	for (size_t budget = 0; budget < needed; budget += needed / 50) {
		open_fixture(&f, &b);
		f.arena.budget = budget;
		f.lim.memory = budget;
		read_part(&f, part_of_file(&f.src), ZIP_PLAIN);
		ck_assert_int_eq(f.status, WLK_INCOMPLETE);
		ck_assert_int_eq(f.report->cause, WLK_CAUSE_LIMIT_MEMORY);
		close_fixture(&f);
	}
	builder_free(&b);
}
END_TEST

HARNESS("zip", test_members_are_described_and_found, test_the_last_of_a_name_is_found,
    test_a_range_of_a_file_is_read_as_a_file_of_its_own, test_a_copy_is_read_without_the_file,
    test_65536_members_are_read_in_linear_time_and_one_more_is_not, test_a_directory_beyond_its_limit_is_not_read,
    test_hostile_names_and_orders_cost_no_more, test_entries_that_share_one_header_cost_no_more,
    test_extremes_in_a_zip64_field_are_never_sound, test_extremes_in_the_end_records_are_never_sound,
    test_what_torch_writes_beyond_4_gib_is_sound, test_a_local_header_that_changes_later_is_noticed,
    test_a_failing_read_is_told_and_nothing_is_clean, test_no_memory_is_told_and_nothing_is_clean)
