/* What the writer of an output says of it is a stranger's word: it is compared, and no more of it is kept than a report can hold. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "promises.h"

#define PLENTY (UINT64_C(1) << 30)
#define NAME_BYTES 4000 /* so that a few rows are enough */

/* @file: NULL: rows that have a digest. */
static struct tensor_rows *rows_of(size_t n, enum manifest_kind kind, const char *file)
{
	struct tensor_rows *t = tensor_rows_new(PLENTY);
	const struct manifest_sink *sink = tensor_rows_sink(t);
	static char name[NAME_BYTES + 1];
	uint8_t buf[MANIFEST_ROW_MAX];

	memset(name, 'x', sizeof(name) - 1);
	for (size_t i = 0; i < n; i++) {
		struct manifest_row row = { .kind = kind,
			.name = bytes_of(name, sizeof(name) - 1),
			.name_bytes = sizeof(name) - 1,
			.file = bytes_of_text(file != NULL ? file : ""),
			.index = i,
			.end = kind == MANIFEST_TENSOR ? 4 : 0 };

		(void)snprintf(name, 21, "%020zu", i);
		name[20] = 'x';
		if (kind == MANIFEST_TENSOR)
			row.dtype = bytes_of_text("F32");
		ck_assert(sink->row(sink->ctx, &row, bytes_of(buf, manifest_encode(&row, buf))));
		if (kind == MANIFEST_TENSOR && file == NULL)
			ck_assert(sink->digest(sink->ctx, i, (const uint8_t[32]){ 1 }));
	}
	ck_assert_int_eq(tensor_rows_end(t), 0);
	return t;
}

/* So many are promised: how many are listed? */
static size_t listed(enum manifest_kind kind, const char *file, size_t n, bool *ret_broken)
{
	struct tensor_rows *made = rows_of(n, kind, file);
	struct tensor_rows *found = rows_of(kind == MANIFEST_TENSOR ? n : 0, MANIFEST_TENSOR, NULL);
	struct promises p;
	size_t held;

	ck_assert_int_eq(promises_compare(made, found, &p), 0);
	*ret_broken = p.broken != NULL;
	held = json_object_size(p.aliases) + json_array_size(p.left) + json_array_size(p.unchecked);
	promises_done(&p);
	tensor_rows_free(made);
	tensor_rows_free(found);
	return held;
}

START_TEST(test_of_each_list_no_more_is_kept_than_a_report_can_hold)
{
	static const struct {
		enum manifest_kind kind;
		const char *file;
		size_t fit; /* of 64 MiB: names, what they are kept under, and 128 bytes each */
	} cases[] = {
		{ MANIFEST_MAPPING, "another", (64u << 20) / (128 + NAME_BYTES + 7) },
		{ MANIFEST_MAPPING, "", (64u << 20) / (128 + NAME_BYTES) },
		{ MANIFEST_TENSOR, "", (64u << 20) / (128 + NAME_BYTES) },
	};
	bool broken;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (i == 0)
			ck_assert(
			    listed(cases[i].kind, cases[i].file, cases[i].fit, &broken) == cases[i].fit && !broken);
		ck_assert_uint_eq(listed(cases[i].kind, cases[i].file, cases[i].fit + 1, &broken), cases[i].fit);
		ck_assert(broken);
	}
}
END_TEST

HARNESS("promises", test_of_each_list_no_more_is_kept_than_a_report_can_hold)
