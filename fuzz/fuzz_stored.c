/* A row of the verdict store, as whoever can write to its file could have made it (the HMAC aside): the size, the SHA-256,
 * the entry.  What becomes a verdict is a complete one about these bytes that says it is not of today; leaving out the
 * progress of a report changes nothing that is judged. */
#include <string.h>

#include "entry.h"
#include "facts.h"
#include "facts_version.h"
#include "fuzz.h"
#include "stored.h"

#define ROW_HEAD 40u /* bytes: u64 size, SHA-256 */
#define LAYERS 3u

static const struct policy *policy(void)
{
	static struct policy *p;

	FUZZ_REQUIRE(p || policy_by_name("default", &p) == 0);
	return p;
}

/* Return: 0, with the verdict's value; or what stored_verdict() refused it with. */
static int judge(const struct store_row *row, enum verdict_value *ret)
{
	static const char *const names[LAYERS] = { "one", "two", "three" };
	const struct verdict_context c = { .name = "a.safetensors",
		.request_id = "r",
		.layer_names = names,
		.n_layers = LAYERS,
		.started_at = INT64_C(1795219200) };
	struct verdict v;
	int r = stored_verdict(policy(), row, &c, &v);
	const json_t *scan, *file;

	FUZZ_REQUIRE(r <= 0);
	if (r < 0)
		return r;
	scan = json_object_get(v.json, "scan");
	file = json_object_get(v.json, "file");
	FUZZ_REQUIRE(json_is_true(json_object_get(v.json, "complete")) && v.value != VERDICT_ERROR);
	FUZZ_REQUIRE(json_is_true(json_object_get(scan, "cached")) && json_is_string(json_object_get(scan, "time")));
	for (size_t i = 0; i < sizeof(row->sha256); i++) {
		const char *hex = json_string_value(json_object_get(file, "sha256"));
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", row->sha256[i]);
		FUZZ_REQUIRE(hex && memcmp(hex + 2 * i, digits, 2) == 0);
	}
	*ret = v.value;
	json_decref(v.json);
	return 0;
}

/* The entry as it would have been kept. */
static void check_stripped(const struct store_row *row, int r, enum verdict_value value)
{
	struct store_row kept = *row;
	size_t n = row->entry.n - ENTRY_HEAD;
	uint8_t *at = malloc(row->entry.n);
	enum verdict_value again;

	FUZZ_REQUIRE(at != NULL);
	memcpy(at, row->entry.at, row->entry.n);
	n = entry_strip(at + ENTRY_HEAD, n);
	FUZZ_REQUIRE(n <= row->entry.n - ENTRY_HEAD && entry_strip(at + ENTRY_HEAD, n) == n);
	kept.entry = bytes_of(at, ENTRY_HEAD + n);
	if (r == 0)
		FUZZ_REQUIRE(judge(&kept, &again) == 0 && again == value);
	free(at);
}

/* Of this build, if it is a safetensors file's: no input can know that. */
static void say_of_this_build(uint8_t *entry)
{
	const struct report_final final = { .reader = WLK_FORMAT_SAFETENSORS, .chosen = REPORT_PROBED };

	store_u64le(entry + ENTRY_HEAD - 8, facts_version(&final, WLK_FORMAT_SAFETENSORS));
}

int fuzz_one(const uint8_t *data, size_t n)
{
	enum verdict_value value = VERDICT_ERROR;
	struct store_row row = { 0 };
	uint8_t *entry;
	int r;

	if (n <= ROW_HEAD + ENTRY_HEAD)
		return 0;
	entry = malloc(n - ROW_HEAD);
	FUZZ_REQUIRE(entry != NULL);
	memcpy(entry, data + ROW_HEAD, n - ROW_HEAD);
	say_of_this_build(entry);
	row.size = load_u64le(data);
	memcpy(row.sha256, data + 8, sizeof(row.sha256));
	row.entry = bytes_of(entry, n - ROW_HEAD);
	r = judge(&row, &value);
	check_stripped(&row, r, value);
	free(entry);
	return 0;
}
