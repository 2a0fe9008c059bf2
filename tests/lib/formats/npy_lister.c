/* What the reader of NumPy headers makes of them: a line of JSON for each line "VERSION HEX" on standard input.  For
 * tests that compare it with NumPy's own over thousands of variants, which need no file, no jail and no verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy_header.h"

#define BUDGET ((size_t)48 << 20)
#define LINE_BYTES (2 * NPY_HEADER_MAX + 16)

static void print_hex(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		printf("%02x", b.at[i]);
}

static void print_codes(const struct report *r)
{
	bool first = true;

	for (enum wlk_finding f = 0; f < WLK_N_FINDINGS; f++) {
		if (r->per_code[f] == 0)
			continue;
		printf("%s[\"%s\",%d]", first ? "" : ",", finding_info(f)->code, (int)finding_info(f)->severity);
		first = false;
	}
}

static void print_type(const struct numpy_type *t)
{
	printf("\"%c\",%llu,%s", t->kind, (unsigned long long)t->bytes, t->big_endian ? "true" : "false");
}

static void print_header(const struct npy_header *h)
{
	printf(",\"type\":[");
	print_type(&h->record.type);
	printf("],\"object\":%s,\"fortran\":%s,\"bytes\":%llu,\"shape\":[", h->record.type.object ? "true" : "false",
	    h->fortran_order ? "true" : "false", (unsigned long long)h->data_bytes);
	for (unsigned i = 0; i < h->shape.n; i++)
		printf("%s%llu", i > 0 ? "," : "", (unsigned long long)h->shape.dims[i]);
	printf("],\"fields\":[");
	for (size_t i = 0; i < h->record.n_fields; i++) {
		const struct numpy_field *f = &h->record.fields[i];

		printf("%s[\"", i > 0 ? "," : "");
		print_hex(f->name);
		printf("\",%llu,%llu,", (unsigned long long)f->offset, (unsigned long long)f->count);
		print_type(&f->type);
		printf("]");
	}
	printf("]");
}

static bool take(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	(void)at;
	(void)n;
	return true;
}

static void list(unsigned version, struct bytes text)
{
	static struct report report;
	struct npy_place place = { .report = &report };
	struct npy_header h;
	struct arena arena;
	bool understood;

	arena_init(&arena, BUDGET);
	report_init(&report, take, NULL, NULL);
	understood = npy_header_read(&place, text, version == 1 ? 10 : 12, version, &arena, &h);
	printf("{\"understood\":%s,\"codes\":[", understood ? "true" : "false");
	print_codes(&report);
	printf("]");
	if (understood)
		print_header(&h);
	printf("}\n");
	arena_done(&arena);
}

/* Exactly as many bytes, so that one too many is seen by the sanitizers; to be freed. */
static uint8_t *read_hex(const char *hex, size_t *ret_n)
{
	size_t n = strspn(hex, "0123456789abcdef") / 2;
	uint8_t *at = malloc(n > 0 ? n : 1);

	for (size_t i = 0; at != NULL && i < n; i++) {
		const char digits[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		at[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	*ret_n = n;
	return at;
}

int main(void)
{
	static char line[LINE_BYTES];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		size_t n;
		uint8_t *text = read_hex(line + 2, &n);

		if (text == NULL)
			return EXIT_FAILURE;
		list((unsigned)(line[0] - '0'), bytes_of(text, n));
		free(text);
	}
	return EXIT_SUCCESS;
}
