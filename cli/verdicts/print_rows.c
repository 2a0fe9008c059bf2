/* A file's tensors as a table for people: type, shape, bytes, and the name last, because it is what can be long. */
#include "print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "hex.h"
#include "text_rows.h"
#include "verdict.h"

#define ROWS_SHOWN 50 /* unless verbose: more scroll the verdicts away */
#define NAME_SHOWN_MAX 160
#define SHA256_SHOWN 16 /* hex digits, unless verbose */

#define INDENT "        "
#define DEEPER INDENT "          "

const char *text_shape(const struct manifest_row *row, char buf[TEXT_SHAPE_MAX])
{
	size_t n = (size_t)snprintf(buf, TEXT_SHAPE_MAX, "[");

	for (unsigned i = 0; i < row->rank; i++) {
		if (n > TEXT_SHAPE_MAX - 32) {
			n += (size_t)snprintf(buf + n, TEXT_SHAPE_MAX - n, ", ...");
			break;
		}
		n += (size_t)snprintf(buf + n, TEXT_SHAPE_MAX - n, "%s%" PRIu64, i > 0 ? ", " : "", row->shape[i]);
	}
	(void)snprintf(buf + n, TEXT_SHAPE_MAX - n, "]");
	return buf;
}

const char *text_stats(const struct tensor_stats *s, char buf[TEXT_STATS_MAX])
{
	size_t n = 0;

	buf[0] = '\0';
	if (s->elements == 0)
		return buf;
	if (s->finite > 0)
		n = (size_t)snprintf(buf, TEXT_STATS_MAX, "%.4g to %.4g, ", s->min, s->max);
	if (s->finite > 0 && !isnan(s->mean))
		n += (size_t)snprintf(buf + n, TEXT_STATS_MAX - n, "mean %.4g, ", s->mean);
	n +=
	    (size_t)snprintf(buf + n, TEXT_STATS_MAX - n, "%.3g %% zero", 100 * (double)s->zeros / (double)s->elements);
	if (s->finite < s->elements)
		(void)snprintf(buf + n, TEXT_STATS_MAX - n, ", %" PRIu64 " not finite", s->elements - s->finite);
	return buf;
}

/* File bytes never act on a terminal: text_escape() leaves nothing that does. */
static void put_bytes(FILE *f, struct bytes b)
{
	char shown[NAME_SHOWN_MAX + 1];

	fputs(text_escape(b, shown, sizeof(shown)), f);
}

static void put_digest(FILE *f, const struct print_style *style, const struct tensor_rows_item *item)
{
	char hex[SHA256_HEX + 1];

	if (!item->has_sha256)
		return;
	hex_write(item->sha256, style->verbose ? 32 : SHA256_SHOWN / 2, hex);
	fprintf(f, "%s  ", hex);
}

static void put_tensor(FILE *f, const struct print_style *style, const struct tensor_rows_item *item)
{
	const struct manifest_row *row = &item->row;
	char shape[TEXT_SHAPE_MAX], size[TEXT_SIZE_MAX], dtype[MANIFEST_DTYPE_MAX * 4 + 1], stats[TEXT_STATS_MAX];

	fprintf(f, DEEPER "%-7s  %-20s  %10s  ", text_escape(row->dtype, dtype, sizeof(dtype)), text_shape(row, shape),
	    text_size(row->end - row->begin, size));
	put_digest(f, style, item);
	put_bytes(f, row->name);
	if (row->member.n > 0) {
		fputs("  in ", f);
		put_bytes(f, row->member);
	}
	if (item->has_stats && item->stats.elements > 0)
		fprintf(f, "  (%s)", text_stats(&item->stats, stats));
	fputc('\n', f);
}

static void put_mapping(FILE *f, const struct manifest_row *row)
{
	fputs(DEEPER, f);
	put_bytes(f, row->name);
	fputs("  in ", f);
	put_bytes(f, row->file);
	fputc('\n', f);
}

/* Rows of one kind, under a heading. */
static int put_kind(FILE *f, const struct print_style *style, struct tensor_rows_reader *reader,
    enum manifest_kind kind, uint64_t total, const char *what)
{
	uint64_t shown = 0, max = style->verbose ? UINT64_MAX : ROWS_SHOWN;
	struct tensor_rows_item item;
	char grouped[TEXT_GROUPED_MAX];
	int r = 1;

	if (total == 0)
		return 0;
	fprintf(f, INDENT "%s %s%s:\n", text_grouped(total, grouped), what, total == 1 ? "" : "s");
	tensor_rows_seek(reader, 0);
	while (shown < max && (r = tensor_rows_next(reader, &item)) > 0) {
		if (item.row.kind != kind)
			continue;
		shown++;
		if (kind == MANIFEST_TENSOR)
			put_tensor(f, style, &item);
		else
			put_mapping(f, &item.row);
	}
	if (r >= 0 && shown < total)
		fprintf(f, DEEPER "... and %s more (--verbose shows all)\n", text_grouped(total - shown, grouped));
	return r < 0 ? r : 0;
}

int print_text_rows(const struct print_style *style, const struct tensor_rows *rows, bool listed, FILE *f)
{
	uint64_t mappings = tensor_rows_mappings(rows);
	struct tensor_rows_reader *reader = tensor_rows_reader_new(rows);
	int r;

	if (reader == NULL)
		return -ENOMEM;
	r = put_kind(f, style, reader, MANIFEST_MAPPING, mappings, "mapping");
	if (r == 0)
		r = put_kind(f, style, reader, MANIFEST_TENSOR, tensor_rows_count(rows) - mappings, "tensor");
	if (r == 0 && !listed && tensor_rows_count(rows) > 0)
		fputs(INDENT "not all tensors of this file are known\n", f);
	tensor_rows_reader_free(reader);
	return r;
}
