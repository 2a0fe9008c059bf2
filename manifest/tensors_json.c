/* The manifest as JSON text: see tensors_json.h.  Text is made a row at a time and handed out as far as it fits. */
#include "tensors_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "escape.h"
#include "hex.h"

#define JSON_EXACT_MAX ((UINT64_C(1) << 53) - 1) /* RFC 7493: beyond it a number is a string */
#define ESCAPED_MAX ((size_t)4 * MANIFEST_NAME_MAX + 1)

/* A byte of text becomes at most \\xNN, a number at most 20 digits in quotes and a comma. */
_Static_assert(
    5 * (MANIFEST_NAME_MAX + MANIFEST_DTYPE_MAX + 2 * MANIFEST_PATH_MAX) + 23 * (MANIFEST_RANK_MAX + 3) + 512 <=
	TENSORS_JSON_ITEM_MAX,
    "the largest row does not fit");

/* -- one row -- */

static char *put(char *at, const char *text)
{
	size_t n = strlen(text);

	memcpy(at, text, n);
	return at + n;
}

static char *put_number(char *at, uint64_t n)
{
	bool exact = n <= JSON_EXACT_MAX;

	if (!exact)
		*at++ = '"';
	at += decimal_text(n, at);
	if (!exact)
		*at++ = '"';
	return at;
}

/* Nearly all names: nothing in them needs a second look. */
static bool is_simple(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (b.at[i] < 0x20 || b.at[i] > 0x7e || b.at[i] == '"' || b.at[i] == '\\')
			return false;
	return true;
}

static char *put_text(char *at, struct bytes b)
{
	char escaped[ESCAPED_MAX];

	*at++ = '"';
	if (is_simple(b)) {
		bytes_copy(at, b);
		at += b.n;
	} else {
		/* What it leaves needs no escapes in JSON but these two. */
		for (const char *c = text_escape(b, escaped, sizeof(escaped)); *c != '\0'; c++) {
			if (*c == '"' || *c == '\\')
				*at++ = '\\';
			*at++ = *c;
		}
	}
	*at++ = '"';
	return at;
}

static char *put_offsets(char *at, const struct manifest_row *row)
{
	at = put(at, ",\"offsets\":[");
	at = put_number(at, row->begin);
	*at++ = ',';
	at = put_number(at, row->end);
	*at++ = ']';
	return at;
}

static char *put_shape(char *at, const struct manifest_row *row)
{
	at = put(at, ",\"shape\":[");
	for (unsigned i = 0; i < row->rank; i++) {
		if (i > 0)
			*at++ = ',';
		at = put_number(at, row->shape[i]);
	}
	*at++ = ']';
	return at;
}

static char *put_sha256(char *at, const uint8_t sha256[32])
{
	at = put(at, ",\"sha256\":\"");
	hex_write(sha256, 32, at);
	return put(at + SHA256_HEX, "\"");
}

size_t stats_number(double d, char buf[STATS_NUMBER_MAX])
{
	for (int digits = 15; digits < 17; digits++) {
		int n = snprintf(buf, STATS_NUMBER_MAX, "%.*g", digits, d);

		if (strtod(buf, NULL) == d)
			return (size_t)n;
	}
	return (size_t)snprintf(buf, STATS_NUMBER_MAX, "%.17g", d);
}

static char *put_double(char *at, const char *key, double d)
{
	*at++ = ',';
	*at++ = '"';
	at = put(at, key);
	at = put(at, "\":");
	return at + stats_number(d, at);
}

size_t tensor_stats_json(const struct tensor_stats *s, char buf[TENSOR_STATS_JSON_MAX])
{
	char *at = put(buf, "{\"elements\":");

	at = put_number(at, s->elements);
	if (s->finite > 0) {
		at = put_double(at, "min", s->min);
		at = put_double(at, "max", s->max);
		if (!isnan(s->mean))
			at = put_double(at, "mean", s->mean);
	}
	if (s->elements > 0)
		at = put_double(at, "zero_share", (double)s->zeros / (double)s->elements);
	if (s->finite < s->elements) {
		at = put(at, ",\"nonfinite\":");
		at = put_number(at, s->elements - s->finite);
	}
	*at++ = '}';
	*at = '\0';
	return (size_t)(at - buf);
}

static char *put_name(char *at, const struct manifest_row *row)
{
	at = put(at, "{\"name\":");
	at = put_text(at, row->name);
	if (row->name_bytes > row->name.n) {
		at = put(at, ",\"name_bytes\":");
		at = put_number(at, row->name_bytes);
	}
	return at;
}

static char *put_tensor(char *at, const struct manifest_row *row)
{
	at = put(at, ",\"dtype\":");
	at = put_text(at, row->dtype);
	at = put_shape(at, row);
	return put_offsets(at, row);
}

static char *put_mapping(char *at, const struct manifest_row *row)
{
	at = put(at, ",\"file\":");
	at = put_text(at, row->file);
	return row->end > 0 ? put_offsets(at, row) : at;
}

size_t tensors_json_item(const struct tensor_rows_item *item, char buf[TENSORS_JSON_ITEM_MAX])
{
	const struct manifest_row *row = &item->row;
	char *at = put_name(buf, row);

	at = row->kind == MANIFEST_MAPPING ? put_mapping(at, row) : put_tensor(at, row);
	if (row->member.n > 0) {
		at = put(at, ",\"member\":");
		at = put_text(at, row->member);
	}
	if (item->has_sha256 && row->kind == MANIFEST_TENSOR)
		at = put_sha256(at, item->sha256);
	if (item->has_stats && row->kind == MANIFEST_TENSOR) {
		at = put(at, ",\"stats\":");
		at += tensor_stats_json(&item->stats, at);
	}
	*at++ = '}';
	*at = '\0';
	return (size_t)(at - buf);
}

/* -- all of them -- */

struct tensors_json {
	struct tensor_rows_reader *reader;
	bool listed, mappings;   /* the file has any */
	enum manifest_kind kind; /* whose list is being written */
	bool begun, over;
	bool first;     /* no item of this list was written so far */
	size_t n, done; /* of text: bytes of it, and those handed out */
	char text[TENSORS_JSON_ITEM_MAX + 64];
};

struct tensors_json *tensors_json_new(const struct tensor_rows *t, bool listed)
{
	struct tensors_json *j = malloc(sizeof(*j));

	if (j == NULL)
		return NULL;
	j->reader = tensor_rows_reader_new(t);
	if (j->reader == NULL) {
		free(j);
		return NULL;
	}
	j->listed = listed;
	j->mappings = tensor_rows_mappings(t) > 0;
	j->begun = j->over = false;
	j->n = j->done = 0;
	return j;
}

void tensors_json_free(struct tensors_json *j)
{
	if (j == NULL)
		return;
	tensor_rows_reader_free(j->reader);
	free(j);
}

static void begin_list(struct tensors_json *j, enum manifest_kind kind)
{
	char *at = j->text + j->n;

	at = put(at, kind == MANIFEST_MAPPING ? ",\"mappings\":[" : ",\"tensors\":[");
	j->n = (size_t)(at - j->text);
	j->kind = kind;
	j->first = true;
	tensor_rows_seek(j->reader, 0);
}

static void begin(struct tensors_json *j)
{
	char *at = put(j->text, "\"tensors_listed\":");

	at = put(at, j->listed ? "true" : "false");
	j->n = (size_t)(at - j->text);
	j->begun = true;
	begin_list(j, j->mappings ? MANIFEST_MAPPING : MANIFEST_TENSOR);
}

static void end_list(struct tensors_json *j)
{
	j->text[j->n++] = ']';
	if (j->kind == MANIFEST_MAPPING)
		begin_list(j, MANIFEST_TENSOR);
	else
		j->over = true;
}

/* The next row of the list that is being written.  Return: 1; 0: there is none; negative errno. */
static int next_item(struct tensors_json *j, struct tensor_rows_item *ret)
{
	int r;

	do
		r = tensor_rows_next(j->reader, ret);
	while (r > 0 && ret->row.kind != j->kind);
	return r;
}

/* Make more text.  Return: 0 or negative errno. */
static int make_text(struct tensors_json *j)
{
	struct tensor_rows_item item;
	int r;

	j->n = j->done = 0;
	if (!j->begun) {
		begin(j);
		return 0;
	}
	r = next_item(j, &item);
	if (r < 0)
		return r;
	if (r == 0) {
		end_list(j);
		return 0;
	}
	if (!j->first)
		j->text[j->n++] = ',';
	j->first = false;
	j->n += tensors_json_item(&item, j->text + j->n);
	return 0;
}

ssize_t tensors_json_read(struct tensors_json *j, char *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t piece = j->n - j->done;

		if (piece == 0 && j->over)
			break;
		if (piece == 0) {
			int r = make_text(j);

			if (r < 0)
				return r;
			continue;
		}
		piece = piece < n - done ? piece : n - done;
		memcpy(buf + done, j->text + j->done, piece);
		j->done += piece;
		done += piece;
	}
	return (ssize_t)done;
}
