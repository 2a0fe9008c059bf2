/* NumPy's types: type strings, shapes, records, and their limits. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "numpy_descr.h"

static struct arena arena;

static enum numpy_error read_record(const char *text, struct numpy_record *ret)
{
	struct literal l;

	arena_done(&arena);
	arena_init(&arena, 16 << 20);
	literal_init(&l, bytes_of_text(text), &arena);
	literal_next(&l);
	return numpy_record_read(&l, ret);
}

START_TEST(test_type_strings)
{
	static const struct {
		const char *text;
		enum wlk_dtype dtype;
		uint64_t bytes;
		bool big;
		unsigned notes;
	} all[] = {
		{ "<f4", WLK_DTYPE_F32, 4, false, 0 },
		{ ">f8", WLK_DTYPE_F64, 8, true, 0 },
		{ "|b1", WLK_DTYPE_BOOL, 1, false, 0 },
		{ ">i1", WLK_DTYPE_I8, 1, false, NUMPY_ENDIAN_I1 },
		{ "f4", WLK_DTYPE_F32, 4, false, NUMPY_NATIVE },
		{ "=u2", WLK_DTYPE_U16, 2, false, NUMPY_NATIVE },
		{ "|u2", WLK_DTYPE_U16, 2, false, NUMPY_NONCANONICAL },
		{ "<c16", WLK_DTYPE_C128, 16, false, 0 },
		{ ">c32", WLK_DTYPE_CLD32, 32, true, NUMPY_LONG_DOUBLE },
		{ "|S5", WLK_DTYPE_NONE, 5, false, 0 },
		{ "|S0", WLK_DTYPE_NONE, 0, false, 0 },
		{ ">U3", WLK_DTYPE_UCS4, 12, true, 0 },
		{ "|V3", WLK_DTYPE_NONE, 3, false, NUMPY_VOID },
		{ "<M8[25ms]", WLK_DTYPE_I64, 8, false, 0 },
		{ "<f04", WLK_DTYPE_F32, 4, false, NUMPY_NONCANONICAL },
		{ "|S2147483647", WLK_DTYPE_NONE, INT32_MAX, false, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct numpy_type t;

		ck_assert_msg(numpy_type_of_text(bytes_of_text(all[i].text), &t) == NUMPY_OK, "%s", all[i].text);
		ck_assert_msg(t.dtype == all[i].dtype && t.bytes == all[i].bytes && t.big_endian == all[i].big &&
				  t.notes == all[i].notes && !t.object,
		    "%s: %d %llu %d %x", all[i].text, t.dtype, (unsigned long long)t.bytes, t.big_endian, t.notes);
	}
}
END_TEST

START_TEST(test_what_is_no_type)
{
	static const char *const unknown[] = { "", "<", "<f", "f", "<f3", "<i16", "<f4 ", " <f4", "<M8[]", "<M8[xs]",
		"<M8[0s]", "<M8[2147483648s]", "<M8[s", "<f4[s]", "<x4", "float", "|O2", "|O88" };
	static const char *const large[] = { "|S2147483648", "<U536870912", "<U4611686018427387904",
		"|V99999999999999999999" };
	struct numpy_type t;

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		ck_assert_msg(numpy_type_of_text(bytes_of_text(unknown[i]), &t) == NUMPY_UNKNOWN, "%s", unknown[i]);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		ck_assert_msg(numpy_type_of_text(bytes_of_text(large[i]), &t) == NUMPY_TOO_LARGE, "%s", large[i]);
	ck_assert_int_eq(numpy_type_of_text(bytes_of_text("|O"), &t), NUMPY_OK);
	ck_assert(t.object);
	ck_assert_int_eq(numpy_type_of_name(bytes_of_text("Float32DType"), &t), NUMPY_OK);
	ck_assert_int_eq(t.dtype, WLK_DTYPE_F32);
	ck_assert_int_eq(numpy_type_of_name(bytes_of_text("float33"), &t), NUMPY_UNKNOWN);
}
END_TEST

static void check_field(
    const struct numpy_record *r, size_t i, const char *name, uint32_t place, uint64_t offset, uint64_t count)
{
	const struct numpy_field *f = &r->fields[i];

	ck_assert_uint_lt(i, r->n_fields);
	ck_assert_msg(bytes_equal(f->name, bytes_of_text(name)), "%.*s, not %s", (int)f->name.n, f->name.at, name);
	ck_assert_uint_eq(f->place, place);
	ck_assert_uint_eq(f->offset, offset);
	ck_assert_uint_eq(f->count, count);
}

START_TEST(test_records_are_laid_flat)
{
	struct numpy_record r;

	ck_assert_int_eq(
	    read_record("[('a', '<f4', (3, 2)), ('', '|V3'), ('b', [('x', '<i2'), ('y', [('z', '>f8')], (2,))])]", &r),
	    NUMPY_OK);
	ck_assert_uint_eq(r.type.bytes, 24 + 3 + 2 + 16);
	ck_assert_uint_eq(r.n_fields, 5);
	check_field(&r, 0, "a", 0, 0, 6);
	check_field(&r, 1, "", 1, 24, 1);
	check_field(&r, 2, "b.x", 2, 27, 1);
	check_field(&r, 3, "b.y.z", 3, 29, 1);
	check_field(&r, 4, "b.y.z", 3, 37, 1);
	ck_assert(r.fields[4].type.big_endian);
}
END_TEST

START_TEST(test_a_sub_array_of_nothing_is_nothing)
{
	struct numpy_record r;

	ck_assert_int_eq(read_record("[('a', [('x', '<f4')], (0,)), ('b', '<f4')]", &r), NUMPY_OK);
	ck_assert_uint_eq(r.n_fields, 1);
	check_field(&r, 0, "b", 1, 0, 1);
}
END_TEST

START_TEST(test_objects_are_seen_wherever_they_are)
{
	struct numpy_record r;

	ck_assert_int_eq(read_record("[('a', '<f4'), ('b', [('c', ('|O', (2,)))])]", &r), NUMPY_OK);
	ck_assert(r.type.object);
	ck_assert_int_eq(read_record("'|O'", &r), NUMPY_OK);
	ck_assert(r.type.object && r.n_fields == 0);
}
END_TEST

/* "[('0', '|i1'), ...]" */
static char *many_fields(unsigned n)
{
	char *text = malloc(n * 24u + 3), *at = text;

	ck_assert_ptr_nonnull(text);
	*at++ = '[';
	for (unsigned i = 0; i < n; i++)
		at += sprintf(at, "('%x', '|i1'), ", i);
	memcpy(at, "]", 2);
	return text;
}

static char *nested_fields(unsigned depth)
{
	char *text = malloc(depth * 16u + 16), *at = text;

	ck_assert_ptr_nonnull(text);
	for (unsigned i = 1; i < depth; i++)
		at += sprintf(at, "[('a', ");
	at += sprintf(at, "'<f4'");
	for (unsigned i = 1; i < depth; i++)
		at += sprintf(at, ")]");
	return text;
}

static enum numpy_error read_and_free(char *text)
{
	struct numpy_record r;
	enum numpy_error err = read_record(text, &r);

	free(text);
	return err;
}

START_TEST(test_limits)
{
	struct numpy_record r;

	ck_assert_int_eq(read_and_free(many_fields(NUMPY_FIELDS_MAX)), NUMPY_OK);
	ck_assert_int_eq(read_and_free(many_fields(NUMPY_FIELDS_MAX + 1)), NUMPY_TOO_LARGE);
	ck_assert_int_eq(read_and_free(nested_fields(NUMPY_DEPTH_MAX)), NUMPY_OK);
	ck_assert_int_eq(read_and_free(nested_fields(NUMPY_DEPTH_MAX + 1)), NUMPY_TOO_LARGE);
	ck_assert_int_eq(read_record("[('a', '|S2147483646'), ('b', '|i1')]", &r), NUMPY_OK);
	ck_assert_int_eq(read_record("[('a', '|S2147483647'), ('b', '|i1')]", &r), NUMPY_TOO_LARGE);
	ck_assert_int_eq(read_record("[('a', '<f4', (536870911,))]", &r), NUMPY_OK);
	ck_assert_int_eq(read_record("[('a', '<f4', (536870912,))]", &r), NUMPY_TOO_LARGE);
	ck_assert_int_eq(read_record("[('a', '<f4', (0, 536870911))]", &r), NUMPY_OK);
	ck_assert_int_eq(read_record("[('a', '<f4', (0, 536870912))]", &r), NUMPY_TOO_LARGE);
	ck_assert_int_eq(read_record("[('a', '|V0', (2147483648,))]", &r), NUMPY_TOO_LARGE);
	ck_assert_int_eq(read_record("[('a', [('b', '|V0')], (4096,))]", &r), NUMPY_OK);
	ck_assert_int_eq(read_record("[('a', [('b', '|V0')], (1152921504606846976,))]", &r), NUMPY_TOO_LARGE);
}
END_TEST

START_TEST(test_names_and_titles_share_a_space)
{
	static const char *const duplicate[] = { "[('a', '<f4'), ('a', '<f4')]", "[(('t', 'a'), '<f4'), ('t', '<f4')]",
		"[(('a', 'a'), '<f4')]", "[(('t', 'a'), '<f4'), (('t', 'b'), '<f4')]", "[('', '<f4'), ('', '<f4')]",
		"[('a', '<f4'), ('\\x61', '<f4')]" };
	struct numpy_record r;

	for (size_t i = 0; i < sizeof(duplicate) / sizeof(duplicate[0]); i++)
		ck_assert_msg(read_record(duplicate[i], &r) == NUMPY_DUPLICATE, "%s", duplicate[i]);
	ck_assert_int_eq(read_record("[('', '|V1'), ('', '|V1'), ('a', [('a', '<f4')])]", &r), NUMPY_OK);
	ck_assert_int_eq(read_record("[('', '<f4')]", &r), NUMPY_OK);
	ck_assert_uint_eq(r.type.notes, NUMPY_NONCANONICAL);
}
END_TEST

START_TEST(test_long_names_are_cut)
{
	static char text[2048];
	struct numpy_record r;

	snprintf(text, sizeof(text), "[('%0300d', [('b', '<f4')])]", 0);
	ck_assert_int_eq(read_record(text, &r), NUMPY_OK);
	ck_assert_uint_eq(r.fields[0].name.n, NUMPY_FIELD_NAME_MAX);
}
END_TEST

START_TEST(test_what_is_no_record)
{
	static const char *const none[] = { "", "1", "None", "{}", "[1]", "['<f4']", "[()]", "[('a',)]", "[('a', '<f4'",
		"[('a', '<f4', -1)]", "[('a', '<f4', 1, 2)]", "[(('a'), '<f4')", "[('a', '<f4') ('b', '<f4')]",
		"[('a', ('<f4', 'x'))]", "[(1, '<f4')]", "[(('t', 'a', 'b'), '<f4')]", "[('a', '<f4', True)]" };
	struct numpy_record r;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_msg(read_record(none[i], &r) == NUMPY_SYNTAX, "%s: %d", none[i], read_record(none[i], &r));
	ck_assert_int_eq(read_record("('<f4', (2,))", &r), NUMPY_UNKNOWN);
	ck_assert_int_eq(read_record("[('a', '<x4')]", &r), NUMPY_UNKNOWN);
}
END_TEST

static bool read_shape(const char *text, bool allow_int, struct numpy_shape *ret)
{
	struct literal l;

	arena_done(&arena);
	arena_init(&arena, 1 << 20);
	literal_init(&l, bytes_of_text(text), &arena);
	literal_next(&l);
	return numpy_shape_read(&l, allow_int, ret);
}

START_TEST(test_shapes)
{
	struct numpy_shape s;

	ck_assert(read_shape("()", false, &s) && s.n == 0 && s.count == 1);
	ck_assert(read_shape("(3,)", false, &s) && s.n == 1 && s.count == 3);
	ck_assert(read_shape("(2, 3)", false, &s) && s.n == 2 && s.count == 6);
	ck_assert(read_shape("(2, 0, 3,)", false, &s) && s.n == 3 && s.count == 0 && s.nonzero == 6);
	ck_assert(read_shape("7", true, &s) && s.n == 1 && s.count == 7);
	ck_assert(!read_shape("7", false, &s));
	ck_assert(!read_shape("(7)", false, &s));
	ck_assert(!read_shape("(1,,)", false, &s));
	ck_assert(!read_shape("(,)", false, &s));
	ck_assert(read_shape("(-1,)", false, &s) && s.invalid);
	ck_assert(read_shape("(True,)", false, &s) && s.invalid);
	ck_assert(read_shape("(9223372036854775807,)", false, &s) && !s.overflow);
	ck_assert(read_shape("(9223372036854775808,)", false, &s) && s.overflow);
	ck_assert(read_shape("(4294967296, 0, 4294967296)", false, &s) && s.overflow);
}
END_TEST

HARNESS("numpy_descr", test_type_strings, test_what_is_no_type, test_records_are_laid_flat,
    test_a_sub_array_of_nothing_is_nothing, test_objects_are_seen_wherever_they_are, test_limits,
    test_names_and_titles_share_a_space, test_long_names_are_cut, test_what_is_no_record, test_shapes)
