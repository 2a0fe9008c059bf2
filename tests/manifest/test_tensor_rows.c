/* Rows and digests in memory files: what is read back is what a report brought, and never more than was allowed. */
#include "harness.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tensor_rows.h"
#include "tensors_json.h"

#define PLENTY (UINT64_C(1) << 30)
#define MANY 5000 /* rows: several windows */

static bool send(struct tensor_rows *t, const struct manifest_row *row)
{
	const struct manifest_sink *sink = tensor_rows_sink(t);
	uint8_t buf[MANIFEST_ROW_MAX];

	return sink->row(sink->ctx, row, bytes_of(buf, manifest_encode(row, buf)));
}

static bool send_digest(struct tensor_rows *t, uint64_t index)
{
	const struct manifest_sink *sink = tensor_rows_sink(t);
	uint8_t sha256[32];

	for (unsigned i = 0; i < 32; i++)
		sha256[i] = (uint8_t)(index >> (i % 4 * 8));
	return sink->digest(sink->ctx, index, sha256);
}

static struct manifest_row tensor(const char *name, uint64_t index)
{
	return (struct manifest_row){ .kind = MANIFEST_TENSOR,
		.name = bytes_of_text(name),
		.name_bytes = strlen(name),
		.dtype = bytes_of_text("F32"),
		.index = index,
		.begin = 8,
		.end = 16,
		.rank = 1,
		.shape = { 2 } };
}

/* Names are numbers; every second row has a digest, and indexes have gaps. */
static struct tensor_rows *filled(void)
{
	struct tensor_rows *t = tensor_rows_new(PLENTY);
	char name[32];

	ck_assert_ptr_nonnull(t);
	for (unsigned i = 0; i < MANY; i++) {
		struct manifest_row row;

		snprintf(name, sizeof(name), "%u", i);
		row = tensor(name, 3 * i);
		ck_assert(send(t, &row));
	}
	for (unsigned i = MANY; i-- > 0;) /* against the order */
		if (i % 2 == 0)
			ck_assert(send_digest(t, 3 * i));
	ck_assert_int_eq(tensor_rows_end(t), 0);
	return t;
}

static void check_item(const struct tensor_rows_item *item, unsigned i)
{
	char name[32];

	snprintf(name, sizeof(name), "%u", i);
	ck_assert(bytes_equal(item->row.name, bytes_of_text(name)));
	ck_assert_uint_eq(item->row.index, 3 * i);
	ck_assert(item->has_sha256 == (i % 2 == 0));
	if (item->has_sha256) {
		ck_assert_uint_eq(item->sha256[0], 3 * i & 255);
		ck_assert_uint_eq(item->sha256[1], 3 * i >> 8);
	}
}

START_TEST(test_rows_are_read_as_they_came)
{
	struct tensor_rows *t = filled();
	struct tensor_rows_reader *r = tensor_rows_reader_new(t);
	struct tensor_rows_item item;

	ck_assert_uint_eq(tensor_rows_count(t), MANY);
	for (unsigned i = 0; i < MANY; i++) {
		ck_assert_int_eq(tensor_rows_next(r, &item), 1);
		check_item(&item, i);
	}
	ck_assert_int_eq(tensor_rows_next(r, &item), 0);
	ck_assert_int_eq(tensor_rows_next(r, &item), 0);
	tensor_rows_reader_free(r);
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_reading_goes_on_anywhere)
{
	struct tensor_rows *t = filled();
	struct tensor_rows_reader *r = tensor_rows_reader_new(t);
	static uint64_t at[MANY];
	struct tensor_rows_item item;

	for (unsigned i = 0; i < MANY; i++) {
		ck_assert_int_eq(tensor_rows_next(r, &item), 1);
		at[i] = item.at;
	}
	for (unsigned i = 0; i < MANY; i++) {
		unsigned other = i * 2749 % MANY; /* a prime: all of them, far from each other */

		tensor_rows_seek(r, at[other]);
		ck_assert_int_eq(tensor_rows_next(r, &item), 1);
		ck_assert_uint_eq(item.at, at[other]);
		check_item(&item, other);
	}
	tensor_rows_seek(r, at[1] + 1);
	ck_assert_int_lt(tensor_rows_next(r, &item), 0);
	tensor_rows_reader_free(r);
	tensor_rows_free(t);
}
END_TEST

struct copied {
	uint8_t *at;
	size_t n, most;
};

static bool copy_piece(void *ctx, const void *at, size_t n)
{
	struct copied *c = ctx;

	if (n > c->most - c->n)
		return false;
	memcpy(c->at + c->n, at, n);
	c->n += n;
	return true;
}

START_TEST(test_copy_is_what_documents_want)
{
	struct tensor_rows *t = filled();
	struct copied c = { .at = malloc(tensor_rows_bytes(t)), .most = tensor_rows_bytes(t) };
	size_t at = 0;

	ck_assert_int_eq(tensor_rows_copy(t, copy_piece, &c), 0);
	ck_assert_uint_eq(c.n, tensor_rows_bytes(t));
	for (unsigned i = 0; i < MANY; i++) {
		size_t n = load_u32le(c.at + at);
		struct manifest_row row;

		ck_assert(manifest_decode(bytes_of(c.at + at + 4, n), &row));
		ck_assert_uint_eq(row.index, 3 * i);
		at += 4 + n;
	}
	ck_assert_uint_eq(at, c.n);
	c.n = 0;
	c.most--;
	ck_assert_int_eq(tensor_rows_copy(t, copy_piece, &c), -ECANCELED);
	free(c.at);
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_budget_is_never_exceeded)
{
	struct manifest_row row = tensor("n", 0);
	uint8_t buf[MANIFEST_ROW_MAX];
	uint64_t each = 4 + manifest_encode(&row, buf);
	struct tensor_rows *t = tensor_rows_new(2 * each + 33);

	ck_assert(send(t, &row) && send(t, &row));
	ck_assert(send_digest(t, 0) && send_digest(t, 0)); /* the same slot */
	ck_assert_uint_eq(tensor_rows_held(t), 2 * each + 33);
	ck_assert_int_eq(tensor_rows_error(t), 0);
	ck_assert(!send_digest(t, 1));
	ck_assert_int_eq(tensor_rows_error(t), -ENOSPC);
	ck_assert(!send_digest(t, 0)); /* it stays so */
	ck_assert_int_eq(tensor_rows_end(t), -ENOSPC);
	ck_assert_uint_eq(tensor_rows_held(t), 2 * each + 33);
	tensor_rows_free(t);

	t = tensor_rows_new(2 * each - 1);
	ck_assert(send(t, &row) && !send(t, &row));
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_discarded_rows_are_gone)
{
	struct tensor_rows *t = filled();
	struct manifest_row row = tensor("again", 0);
	struct tensor_rows_reader *r;
	struct tensor_rows_item item;

	tensor_rows_discard(t);
	ck_assert_uint_eq(tensor_rows_count(t), 0);
	ck_assert_uint_eq(tensor_rows_held(t), 0);
	ck_assert(send(t, &row));
	ck_assert_int_eq(tensor_rows_end(t), 0);
	r = tensor_rows_reader_new(t);
	ck_assert_int_eq(tensor_rows_next(r, &item), 1);
	ck_assert(bytes_equal(item.row.name, bytes_of_text("again")));
	ck_assert(!item.has_sha256);
	ck_assert_int_eq(tensor_rows_next(r, &item), 0);
	tensor_rows_reader_free(r);
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_largest_rows_are_read)
{
	static uint8_t name[MANIFEST_NAME_MAX];
	struct manifest_row row = tensor("", 0);
	struct tensor_rows *t = tensor_rows_new(PLENTY);
	struct tensor_rows_reader *r;
	struct tensor_rows_item item;

	row.name = bytes_of(name, sizeof(name));
	row.name_bytes = 100000;
	row.rank = MANIFEST_RANK_MAX;
	for (unsigned i = 0; i < 50; i++, row.index++) {
		memset(name, (int)i, sizeof(name));
		ck_assert(send(t, &row));
	}
	ck_assert_int_eq(tensor_rows_end(t), 0);
	r = tensor_rows_reader_new(t);
	for (unsigned i = 0; i < 50; i++) {
		ck_assert_int_eq(tensor_rows_next(r, &item), 1);
		ck_assert_uint_eq(item.row.name.n, sizeof(name));
		ck_assert_uint_eq(item.row.name.at[0], i);
		ck_assert_uint_eq(item.row.name.at[sizeof(name) - 1], i);
	}
	tensor_rows_reader_free(r);
	tensor_rows_free(t);
}
END_TEST

/* -- as JSON -- */

/* In pieces of this size, as an object. */
static char *text_in_pieces(const struct tensor_rows *t, bool listed, size_t piece, size_t *ret_n)
{
	struct tensors_json *j = tensors_json_new(t, listed);
	size_t n = 1, room = 1 << 20;
	char *text = malloc(room);
	ssize_t got;

	text[0] = '{';
	while ((got = tensors_json_read(j, text + n, piece)) > 0) {
		ck_assert_int_le(got, (ssize_t)piece);
		n += (size_t)got;
		ck_assert_uint_lt(n + piece, room);
	}
	ck_assert_int_eq(got, 0);
	ck_assert_int_eq(tensors_json_read(j, text + n, piece), 0);
	text[n++] = '}';
	tensors_json_free(j);
	*ret_n = n;
	return text;
}

static json_t *parsed(const struct tensor_rows *t, bool listed)
{
	size_t n;
	char *text = text_in_pieces(t, listed, 4096, &n);
	json_error_t error;
	json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(json != NULL, "%s", error.text);
	free(text);
	return json;
}

static const char *string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

START_TEST(test_text_is_one_whatever_the_pieces)
{
	struct tensor_rows *t = filled();
	const size_t pieces[] = { 1, 7, 100, 65536 };
	size_t n, n_other;
	char *text = text_in_pieces(t, true, 4096, &n);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		char *other = text_in_pieces(t, true, pieces[i], &n_other);

		ck_assert_uint_eq(n_other, n);
		ck_assert_mem_eq(other, text, n);
		free(other);
	}
	free(text);
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_rows_become_objects)
{
	struct tensor_rows *t = filled();
	json_t *json = parsed(t, true), *list = json_object_get(json, "tensors"), *item = json_array_get(list, 1001);

	ck_assert(json_is_true(json_object_get(json, "tensors_listed")));
	ck_assert_uint_eq(json_object_size(json), 2);
	ck_assert_uint_eq(json_array_size(list), MANY);
	ck_assert_str_eq(string_of(item, "name"), "1001");
	ck_assert_str_eq(string_of(item, "dtype"), "F32");
	ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "shape"), 0)), 2);
	ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "offsets"), 0)), 8);
	ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "offsets"), 1)), 16);
	ck_assert_uint_eq(json_object_size(item), 4);
	item = json_array_get(list, 2); /* index 6 */
	ck_assert_str_eq(string_of(item, "sha256"), "0600000006000000060000000600000006000000060000000600000006000000");
	json_decref(json);
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_no_rows_are_an_empty_list)
{
	struct tensor_rows *t = tensor_rows_new(0);
	size_t n;
	char *text;

	ck_assert_int_eq(tensor_rows_end(t), 0);
	text = text_in_pieces(t, false, 100, &n);
	ck_assert_uint_eq(n, strlen("{\"tensors_listed\":false,\"tensors\":[]}"));
	ck_assert_mem_eq(text, "{\"tensors_listed\":false,\"tensors\":[]}", n);
	free(text);
	tensor_rows_free(t);
}
END_TEST

START_TEST(test_mappings_have_a_list_of_their_own)
{
	struct tensor_rows *t = tensor_rows_new(PLENTY);
	struct manifest_row rows[] = { tensor("a", 0), tensor("b", 1), tensor("c", 2) };
	json_t *json, *item;

	rows[1].kind = MANIFEST_MAPPING;
	rows[1].file = bytes_of_text("other\n");
	rows[1].end = rows[1].begin = 0;
	for (unsigned i = 0; i < 3; i++)
		ck_assert(send(t, &rows[i]));
	ck_assert_int_eq(tensor_rows_end(t), 0);
	ck_assert_uint_eq(tensor_rows_mappings(t), 1);
	json = parsed(t, false);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "tensors")), 2);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "mappings")), 1);
	item = json_array_get(json_object_get(json, "mappings"), 0);
	ck_assert_str_eq(string_of(item, "name"), "b");
	ck_assert_str_eq(string_of(item, "file"), "other\\x0A");
	ck_assert_uint_eq(json_object_size(item), 2);
	json_decref(json);
	tensor_rows_free(t);
}
END_TEST

/* The worst row there can be: every byte of it four as text, and five in JSON. */
START_TEST(test_hostile_text_stays_text)
{
	static uint8_t name[MANIFEST_NAME_MAX];
	struct tensor_rows *t = tensor_rows_new(PLENTY);
	struct manifest_row row = tensor("", 0);
	json_t *json, *item;

	memset(name, 0xff, sizeof(name));
	memcpy(name, "\"],\\\xe2\x80\xae\xc3\xa4", 9);
	row.name = bytes_of(name, sizeof(name));
	row.name_bytes = UINT64_MAX;
	row.dtype = bytes_of(name, MANIFEST_DTYPE_MAX);
	row.member = bytes_of(name + 100, MANIFEST_PATH_MAX);
	row.begin = (UINT64_C(1) << 53) - 1;
	row.end = UINT64_C(1) << 53;
	row.rank = MANIFEST_RANK_MAX;
	memset(row.shape, 0xff, sizeof(row.shape));
	ck_assert(send(t, &row) && send_digest(t, 0));
	ck_assert_int_eq(tensor_rows_end(t), 0);
	json = parsed(t, true);
	item = json_array_get(json_object_get(json, "tensors"), 0);
	ck_assert_int_eq(strncmp(string_of(item, "name"), "\"],\\\\\\xE2\\x80\\xAE\xc3\xa4\\xFF", 23), 0);
	ck_assert_uint_eq(strlen(string_of(item, "name")), 4 * (MANIFEST_NAME_MAX - 6) + 5 + 2);
	ck_assert_str_eq(string_of(item, "name_bytes"), "18446744073709551615");
	ck_assert_int_eq(
	    json_integer_value(json_array_get(json_object_get(item, "offsets"), 0)), (json_int_t)row.begin);
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(item, "offsets"), 1)), "9007199254740992");
	ck_assert_uint_eq(json_array_size(json_object_get(item, "shape")), MANIFEST_RANK_MAX);
	ck_assert_str_eq(string_of(item, "sha256") + 60, "0000");
	json_decref(json);
	tensor_rows_free(t);
}
END_TEST

HARNESS("tensor_rows", test_rows_are_read_as_they_came, test_reading_goes_on_anywhere, test_copy_is_what_documents_want,
    test_budget_is_never_exceeded, test_discarded_rows_are_gone, test_largest_rows_are_read,
    test_text_is_one_whatever_the_pieces, test_rows_become_objects, test_no_rows_are_an_empty_list,
    test_mappings_have_a_list_of_their_own, test_hostile_text_stays_text)
