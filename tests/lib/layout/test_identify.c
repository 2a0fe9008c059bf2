/* git-lfs pointers: the strict grammar and what is one byte beside it. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "identify.h"

#define VERSION "version https://git-lfs.github.com/spec/v1\n"
#define OID "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
#define OID_LINE "oid sha256:" OID "\n"
#define SIZE_LINE "size 12345\n"
#define EXT(order, name) "ext-" order "-" name " sha256:" OID "\n"

static bool is_pointer(const char *text)
{
	struct bytes oid;
	uint64_t size;

	return identify_lfs_pointer(bytes_of_text(text), &oid, &size);
}

START_TEST(test_a_pointer_gives_its_oid_and_size)
{
	struct bytes oid;
	uint64_t size;

	ck_assert(identify_lfs_pointer(bytes_of_text(VERSION OID_LINE SIZE_LINE), &oid, &size));
	ck_assert(bytes_equal(oid, bytes_of_text(OID)));
	ck_assert_uint_eq(size, 12345);
}
END_TEST

START_TEST(test_a_refused_file_writes_nothing)
{
	struct bytes oid = { .n = 7 };
	uint64_t size = 7;

	ck_assert(!identify_lfs_pointer(bytes_of_text(VERSION OID_LINE "size x\n"), &oid, &size));
	ck_assert(!identify_lfs_pointer(bytes_of(NULL, 0), &oid, &size));
	ck_assert_uint_eq(oid.n, 7);
	ck_assert_uint_eq(size, 7);
}
END_TEST

START_TEST(test_every_cut_of_a_pointer_is_refused)
{
	static const char text[] = VERSION EXT("0", "foo") OID_LINE SIZE_LINE;
	struct bytes oid;
	uint64_t size;

	ck_assert(is_pointer(text));
	for (size_t n = 0; n < sizeof(text) - 1; n++)
		ck_assert(!identify_lfs_pointer(bytes_of(text, n), &oid, &size));
}
END_TEST

START_TEST(test_anything_beside_the_grammar_is_refused)
{
	ck_assert(!is_pointer(VERSION OID_LINE SIZE_LINE "\n"));
	ck_assert(!is_pointer(VERSION OID_LINE SIZE_LINE SIZE_LINE));
	ck_assert(!is_pointer("\n" VERSION OID_LINE SIZE_LINE));
	ck_assert(!is_pointer("version https://git-lfs.github.com/spec/v2\n" OID_LINE SIZE_LINE));
	ck_assert(!is_pointer("version https://git-lfs.github.com/spec/v1\r\n" OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION SIZE_LINE OID_LINE));
	ck_assert(!is_pointer(VERSION SIZE_LINE));
	ck_assert(!is_pointer(VERSION OID_LINE OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION "oid sha1:" OID "\n" SIZE_LINE));
	ck_assert(!is_pointer(VERSION "oid  sha256:" OID "\n" SIZE_LINE));
	ck_assert(!is_pointer(VERSION "oid sha256:" OID "0\n" SIZE_LINE));
	ck_assert(!is_pointer(VERSION "oid sha256:"
				      "4D7A214614AB2935C943F9E0FF69D22EADBB8F32B1258DAAA5E2CA24D17E2393\n" SIZE_LINE));
}
END_TEST

START_TEST(test_sizes_are_plain_numbers_of_64_bits)
{
	ck_assert(is_pointer(VERSION OID_LINE "size 0\n"));
	ck_assert(is_pointer(VERSION OID_LINE "size 18446744073709551615\n"));
	ck_assert(!is_pointer(VERSION OID_LINE "size 18446744073709551616\n"));
	ck_assert(!is_pointer(VERSION OID_LINE "size 99999999999999999999\n"));
	ck_assert(!is_pointer(VERSION OID_LINE "size 01\n"));
	ck_assert(!is_pointer(VERSION OID_LINE "size -1\n"));
	ck_assert(!is_pointer(VERSION OID_LINE "size \n"));
	ck_assert(!is_pointer(VERSION OID_LINE "size 1 \n"));
}
END_TEST

START_TEST(test_extensions_come_before_the_oid_by_ascending_digit)
{
	ck_assert(is_pointer(VERSION EXT("0", "foo") EXT("9", "bar.x-1") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION EXT("1", "foo") EXT("0", "bar") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION EXT("1", "foo") EXT("1", "bar") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION EXT("10", "foo") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION EXT("a", "foo") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION EXT("0", "") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION EXT("0", "f\x01o") OID_LINE SIZE_LINE));
	ck_assert(!is_pointer(VERSION OID_LINE EXT("0", "foo") SIZE_LINE));
	ck_assert(!is_pointer(VERSION "ext-0-foo sha256:12\n" OID_LINE SIZE_LINE));
}
END_TEST

/* A pointer of exactly n bytes: the name of an extension is as long as it takes. */
static bool is_pointer_of_length(size_t n)
{
	static const char frame[] = VERSION EXT("0", "") OID_LINE SIZE_LINE;
	char name[1100], text[1200];
	struct bytes oid;
	uint64_t size;

	memset(name, 'x', sizeof(name));
	name[n - (sizeof(frame) - 1)] = 0;
	ck_assert_int_eq(snprintf(text, sizeof(text), VERSION "ext-0-%s sha256:" OID "\n" OID_LINE SIZE_LINE, name), n);
	return identify_lfs_pointer(bytes_of(text, n), &oid, &size);
}

START_TEST(test_the_longest_pointer_has_1024_bytes)
{
	ck_assert(is_pointer_of_length(1024));
	ck_assert(!is_pointer_of_length(1025));
}
END_TEST

HARNESS("identify", test_a_pointer_gives_its_oid_and_size, test_a_refused_file_writes_nothing,
    test_every_cut_of_a_pointer_is_refused, test_anything_beside_the_grammar_is_refused,
    test_sizes_are_plain_numbers_of_64_bits, test_extensions_come_before_the_oid_by_ascending_digit,
    test_the_longest_pointer_has_1024_bytes)
