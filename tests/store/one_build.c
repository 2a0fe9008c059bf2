/* one_build STORE put|get FORMAT...: keep a report of a file of each format, or ask for it and print the format where a verdict
 * comes of it.  Built twice, of engines with different rules (test_two_builds.py). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "facts_version.h"
#include "stored.h"

static uint8_t buffer[1 << 14];
static size_t used;

static bool take(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	memcpy(buffer + used, at, n);
	used += n;
	return true;
}

static void put(struct store *s, const struct store_row *about, const struct report_final *final)
{
	const struct entry e = { .source = VERDICT_SEALED, .facts = facts_version(final, WLK_FORMAT_UNKNOWN) };
	struct store_row row = *about;
	struct report r;

	used = ENTRY_HEAD;
	entry_head(&e, buffer);
	report_init(&r, take, NULL, NULL);
	if (!report_end(&r, final))
		abort();
	row.entry = bytes_of(buffer, used);
	if (store_put(s, &row, 0) < 0)
		abort();
}

static void get(struct store *s, const struct store_row *about, const struct policy *policy)
{
	static const char *const layers[] = { "one" };
	const struct verdict_context c = { .request_id = "r", .layer_names = layers, .n_layers = 1 };
	struct store_row row;
	struct verdict v;

	if (store_get(s, about->key, 0, &row) != 1)
		return;
	if (stored_verdict(policy, &row, &c, &v) == 0) {
		printf("%s\n", json_string_value(json_object_get(v.json, "format")));
		json_decref(v.json);
	}
	store_release(s);
}

int main(int argc, char **argv)
{
	struct policy *policy = NULL;
	char error[STORE_ERROR_MAX];
	struct store *s;

	if (argc < 4 || policy_by_name("default", &policy) < 0 || store_open(argv[1], STORE_KEEP, NULL, &s, error) < 0)
		return 1;
	for (int i = 3; i < argc; i++) {
		struct report_final final = { .size = 1, .bytes = 1, .complete = true, .chosen = REPORT_PROBED };
		struct store_row row = { .size = 1 };

		if (!format_by_name(argv[i], &final.format))
			return 1;
		final.reader = final.format;
		row.sha256[0] = (uint8_t) final.format;
		stored_key(STORED_FOR_ALL, policy, NULL, row.sha256, true, row.key);
		if (strcmp(argv[2], "put") == 0)
			put(s, &row, &final);
		else
			get(s, &row, policy);
	}
	store_close(s);
	policy_free(policy);
	return 0;
}
