/* Arrays and archives of them through the engine: what the corpus cannot hold. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "made_file.h"

#define MEMBERS 3000

static void put_number(struct file *f, uint32_t value, size_t bytes)
{
	uint8_t le[4];

	store_u32le(le, value);
	put(f, le, bytes);
}

/* Magic, header of 118 bytes, and n zeros. */
static struct file array(const char *descr, const char *shape, size_t n)
{
	struct file f = { 0 };
	char header[119];
	int used =
	    snprintf(header, sizeof(header), "{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape);

	ck_assert_int_lt(used, 117);
	memset(header + used, ' ', 117u - (size_t)used);
	header[117] = '\n';
	put(&f, "\x93NUMPY\1\0\x76\0", 10);
	put(&f, header, 118);
	put(&f, NULL, n);
	return f;
}

/* A stored member; every array here is the same and so is its CRC. */
static void put_member(
    struct file *f, struct file *directory, const char *name, const struct file *content, uint32_t crc)
{
	struct file fields = { 0 };
	uint32_t at = (uint32_t)f->n;

	put_number(&fields, 0, 4); /* flags and method */
	put_number(&fields, 33u << 16, 4);
	put_number(&fields, crc, 4);
	put_number(&fields, (uint32_t)content->n, 4);
	put_number(&fields, (uint32_t)content->n, 4);
	put_number(&fields, (uint32_t)strlen(name), 4); /* and no extra field */
	put(f, "PK\3\4\24\0", 6);
	put(f, fields.at, fields.n);
	put(f, name, strlen(name));
	put(f, content->at, content->n);
	put(directory, "PK\1\2\24\3\24\0", 8);
	put(directory, fields.at, fields.n);
	put(directory, "\0\0\0\0\0\0\0\0\244\201", 10);
	put_number(directory, at, 4);
	put(directory, name, strlen(name));
	free(fields.at);
}

static uint32_t crc_of(const struct file *f)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < f->n; i++) {
		crc ^= f->at[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
	}
	return ~crc;
}

static struct file archive(unsigned n, const struct file *content)
{
	struct file f = { 0 }, directory = { 0 };
	uint32_t crc = crc_of(content), at;
	char name[32];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "arr_%u.npy", i);
		put_member(&f, &directory, name, content, crc);
	}
	at = (uint32_t)f.n;
	put(&f, directory.at, directory.n);
	put(&f, "PK\5\6\0\0\0\0", 8);
	put_number(&f, n | n << 16, 4);
	put_number(&f, (uint32_t)directory.n, 4);
	put_number(&f, at, 4);
	put_number(&f, 0, 2);
	free(directory.at);
	return f;
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && memory_worst(f) < SEVERITY_MEDIUM;
}

static bool is_accepted(const struct file *f, enum wlk_format_id hint)
{
	struct facts *facts = file_scan(f, hint, SOURCE_IMMUTABLE);
	bool ret = accepted(facts);

	facts_free(facts);
	return ret;
}

START_TEST(test_no_part_of_an_array_is_accepted)
{
	struct file f = array("[('a', '<f4'), ('b', '>f8')]", "(3,)", 36);

	ck_assert(is_accepted(&f, WLK_FORMAT_NPY));
	for (size_t n = 0; n < f.n; n++)
		ck_assert_msg(!is_accepted(&(struct file){ .at = f.at, .n = n }, WLK_FORMAT_NPY), "%zu bytes", n);
	put(&f, "", 1);
	ck_assert(!is_accepted(&f, WLK_FORMAT_NPY));
	free(f.at);
}
END_TEST

START_TEST(test_no_part_of_an_archive_is_accepted)
{
	struct file content = array("'<f4'", "(3,)", 12), f = archive(2, &content);

	ck_assert(is_accepted(&f, WLK_FORMAT_NPZ));
	for (size_t n = 0; n < f.n; n++)
		ck_assert_msg(!is_accepted(&(struct file){ .at = f.at, .n = n }, WLK_FORMAT_NPZ), "%zu bytes", n);
	free(content.at);
	free(f.at);
}
END_TEST

START_TEST(test_no_byte_of_an_archive_is_unguarded)
{
	struct file content = array("'<f4'", "(3,)", 12), f = archive(1, &content);
	size_t guarded = 0;

	for (size_t i = 0; i < f.n; i++) {
		f.at[i] ^= 0x80;
		guarded += !is_accepted(&f, WLK_FORMAT_NPZ);
		f.at[i] ^= 0x80;
	}
	/* But for a time, a date and a version in each of the two headers, and the host's attributes. */
	ck_assert_uint_ge(guarded, f.n - 2 * 5 - 8);
	free(content.at);
	free(f.at);
}
END_TEST

START_TEST(test_thousands_of_members_fit_the_usual_memory)
{
	struct file content = array("[('a', '<f4'), ('b', '|S3')]", "(3,)", 21), f = archive(MEMBERS, &content);
	struct facts *facts = file_scan(&f, WLK_FORMAT_NPZ, SOURCE_IMMUTABLE);

	ck_assert(accepted(facts));
	ck_assert_uint_eq(facts->final.totals.tensors, 2 * MEMBERS);
	ck_assert_uint_eq(facts->final.totals.elements, 3 * MEMBERS);
	facts_free(facts);
	free(content.at);
	free(f.at);
}
END_TEST

START_TEST(test_fields_are_tensors_and_padding_is_none)
{
	struct file f = array("[('a', '<f4'), ('', '|V3'), ('b', [('x', '>f8')], (2,))]", "(3,)", 69);
	struct facts *facts = file_scan(&f, WLK_FORMAT_NPY, SOURCE_IMMUTABLE);

	ck_assert(accepted(facts));
	ck_assert_uint_eq(facts->final.totals.tensors, 2);
	ck_assert_uint_eq(facts->final.totals.elements, 9);
	facts_free(facts);
	free(f.at);
}
END_TEST

START_TEST(test_spent_memory_is_no_verdict)
{
	struct file f = array("[('a', '<f4'), ('b', '>f8')]", "(3,)", 36);
	struct job job = memory_job(f.n);
	bool seen[2] = { false, false };

	job.hint = WLK_FORMAT_NPY;
	for (job.limits.memory = 1024; job.limits.memory < UINT64_C(1) << 20; job.limits.memory += 2048) {
		struct facts *facts = memory_scan_job(f.at, f.n, &job);

		ck_assert(facts->final.complete || facts->final.cause == WLK_CAUSE_LIMIT_MEMORY);
		ck_assert(!facts->final.complete || facts->final.totals.elements == 6);
		seen[facts->final.complete] = true;
		facts_free(facts);
	}
	ck_assert(seen[false] && seen[true]);
	free(f.at);
}
END_TEST

HARNESS("npy", test_no_part_of_an_array_is_accepted, test_no_part_of_an_archive_is_accepted,
    test_no_byte_of_an_archive_is_unguarded, test_thousands_of_members_fit_the_usual_memory,
    test_fields_are_tensors_and_padding_is_none, test_spent_memory_is_no_verdict)
