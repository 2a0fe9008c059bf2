/* Bytes in lines of sixteen, as hexdump -C has them.  See inspect.h. */
#include "inspect.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "hex.h"
#include "verdict.h"
#include "verdict_json.h"

#define LINE 16u
#define BYTES_MAX 1024u

struct dump {
	uint8_t at[BYTES_MAX];
	size_t n;
	uint64_t begin;    /* offset of the first */
	uint64_t from, to; /* marked, offsets */
	bool color;
};

static bool same(const json_t *a, const json_t *b, const char *member)
{
	return strcmp(verdict_member(a, member), verdict_member(b, member)) == 0;
}

static bool bytes_read(const json_t *of, struct dump *ret)
{
	struct bytes digits = bytes_of_text(verdict_member(of, "hex"));

	ret->n = digits.n / 2;
	return ret->n <= BYTES_MAX && hex_read(digits, ret->at, ret->n);
}

/* The finding's place, in the file or in its member. */
static bool place_of(const json_t *finding, const char *member, uint64_t *ret)
{
	return json_to_number(json_object_get(finding, member), ret);
}

static bool find(const json_t *finding, const json_t *around, struct dump *ret)
{
	const json_t *one;
	uint64_t length = 0;
	size_t i;
	const char *place = json_object_get(finding, "member_offset") != NULL ? "member_offset" : "offset";

	if (!place_of(finding, place, &ret->from))
		return false;
	(void)place_of(finding, "length", &length);
	ret->to = ret->from + (length > 0 ? length : 1);
	json_array_foreach (around, i, one) {
		if (place_of(one, place, &ret->begin) && same(one, finding, "member") && bytes_read(one, ret) &&
		    ret->from >= ret->begin && ret->from - ret->begin <= ret->n) /* the end is a place, too */
			return true;
	}
	return false;
}

static bool is_marked(const struct dump *d, size_t i)
{
	return i < d->n && d->begin + i >= d->from && d->begin + i < d->to;
}

/* Marks stand where blanks would, so that columns stay. */
static void put_line(const struct dump *d, size_t line, FILE *f)
{
	fprintf(f, "          %08" PRIx64 " ", d->begin + line);
	for (size_t i = line; i < line + LINE; i++) {
		bool begins = is_marked(d, i) && (i == line || !is_marked(d, i - 1));
		bool ends = i > line && is_marked(d, i - 1) && !is_marked(d, i);

		fputc(begins ? '[' : ends ? ']' : ' ', f);
		if (d->color && is_marked(d, i))
			fputs("\x1b[1;31m", f);
		if (i < d->n)
			fprintf(f, "%02x", d->at[i]);
		else
			fputs("  ", f);
		if (d->color && is_marked(d, i))
			fputs("\x1b[0m", f);
	}
	fputs(is_marked(d, line + LINE - 1) ? "] |" : "  |", f);
	for (size_t i = line; i < line + LINE && i < d->n; i++)
		fputc(d->at[i] >= 0x20 && d->at[i] < 0x7f ? d->at[i] : '.', f);
	fputs("|\n", f);
}

void inspect_hex(const struct print_style *style, const json_t *finding, const json_t *around, FILE *f)
{
	struct dump d = { .color = style->color };

	if (!find(finding, around, &d))
		return;
	for (size_t line = 0; line < d.n; line += LINE)
		put_line(&d, line, f);
}
