/* Every case of a corpus through the library: what it must be called, what it must count, and whether it may pass.
 * argv[1]: the folder with cases.jsonl and files/; tests/integration walks the same cases through the daemon. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

#include "memory_scan.h"

static unsigned test_number, failures;

static void fail(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool case_failed;

static void fail(const char *file, const char *format, ...)
{
	va_list ap;

	case_failed = true;
	printf("# %s: ", file);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
}

static bool load(const char *folder, const char *name, struct memory_report *ret)
{
	static uint8_t buf[65536];
	char path[4096];
	size_t n;
	FILE *f;

	*ret = (struct memory_report){ 0 };
	snprintf(path, sizeof(path), "%s/files/%s", folder, name);
	f = fopen(path, "rb");
	if (f == NULL)
		return false;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		memory_write(ret, buf, n);
	fclose(f);
	return true;
}

static const char *text(const json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));

	return s != NULL ? s : "";
}

static bool expects(const json_t *row, const char *verdict)
{
	const json_t *list = json_object_get(row, "expect");

	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_array_get(list, i)), verdict) == 0)
			return true;
	return false;
}

/* What policy `default` makes of the facts. */
static const char *verdict_of(const struct facts *f)
{
	int worst = memory_worst(f);

	if (worst >= SEVERITY_HIGH)
		return "reject";
	if (!f->final.complete)
		return "error";
	return worst == SEVERITY_MEDIUM ? "review" : "accept";
}

static void check_verdict(const json_t *row, const char *file, const struct facts *f)
{
	const char *verdict = verdict_of(f);

	if (!expects(row, verdict))
		fail(file, "verdict %s (cause %s)", verdict, cause_text(f->final.cause));
	if (strcmp(verdict, "accept") == 0 && strcmp(text(row, "reference"), "ok") != 0)
		fail(file, "accepted, but the reference says %s", text(row, "reference"));
}

static void check_codes(const json_t *row, const char *file, const struct facts *f)
{
	const json_t *codes = json_object_get(row, "codes");
	enum wlk_finding code;

	for (size_t i = 0; i < json_array_size(codes); i++)
		if (finding_by_code(json_string_value(json_array_get(codes, i)), &code) && f->per_code[code] > 0)
			return;
	if (json_array_size(codes) == 0)
		return;
	fail(file, "none of the wanted codes; it has:");
	for (int c = 0; c < WLK_N_FINDINGS; c++)
		if (f->per_code[c] > 0)
			printf("#   %s\n", finding_info((enum wlk_finding)c)->code);
}

static const struct nonfinite *row_of(const struct facts *f, const char *tensor)
{
	for (size_t i = 0; i < f->n_rows; i++)
		if (bytes_equal(f->rows[i].tensor, bytes_of_text(tensor)))
			return &f->rows[i];
	return NULL;
}

static uint64_t wanted(const json_t *counts, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(counts, key));
}

/* Exact counts, and no row that nobody asked for. */
static void check_counts(const json_t *row, const char *file, const struct facts *f)
{
	json_t *nonfinite = json_object_get(row, "nonfinite"), *invalid = json_object_get(row, "bool_invalid");
	const char *tensor;
	json_t *counts;

	json_object_foreach (nonfinite, tensor, counts) {
		const struct nonfinite *r = row_of(f, tensor);

		if (r == NULL || r->nan != wanted(counts, "nan") || r->pos_inf != wanted(counts, "pos_inf") ||
		    r->neg_inf != wanted(counts, "neg_inf"))
			fail(file, "counts of %s", tensor);
	}
	json_object_foreach (invalid, tensor, counts) {
		const struct nonfinite *r = row_of(f, tensor);

		if (r == NULL || r->bool_invalid != (uint64_t)json_integer_value(counts))
			fail(file, "invalid BOOL bytes of %s", tensor);
	}
	if (f->n_rows != json_object_size(nonfinite) + json_object_size(invalid))
		fail(file, "%zu rows", f->n_rows);
}

static void check_case(const char *folder, const json_t *row)
{
	const char *file = text(row, "file");
	struct memory_report bytes;
	struct facts *f;

	case_failed = false;
	if (!load(folder, file, &bytes)) {
		fail(file, "cannot be read");
	} else {
		f = memory_scan(bytes.at, bytes.n);
		check_verdict(row, file, f);
		check_codes(row, file, f);
		check_counts(row, file, f);
		facts_free(f);
		free(bytes.at);
	}
	failures += case_failed;
	printf("%sok %u - %s\n", case_failed ? "not " : "", ++test_number, file);
}

int main(int argc, char **argv)
{
	static char path[4096], line[65536];
	FILE *cases;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "%s/cases.jsonl", argv[1]);
	cases = fopen(path, "r");
	if (cases == NULL) {
		printf("Bail out! %s cannot be read\n", path);
		return 2;
	}
	while (fgets(line, sizeof(line), cases) != NULL) {
		json_t *row = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		if (row == NULL) {
			printf("Bail out! a line of %s is not JSON\n", path);
			return 2;
		}
		check_case(argv[1], row);
		json_decref(row);
	}
	fclose(cases);
	printf("1..%u\n", test_number);
	return failures == 0 && test_number > 0 ? 0 : 1;
}
