/* A comparison in words and as JSON (docs/diff.schema.json): what differs, in the order of a, then what only b has.  Each
 * tensor is read again from where it is kept, so a long answer costs no memory. */
#include "diff_match.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "hex.h"
#include "json_line.h"
#include "tensors_json.h"
#include "text_rows.h"
#include "verdict.h"

#define NAME_SHOWN_MAX (MANIFEST_NAME_MAX * 4)

/* Called for each tensor that is to be told: @a or @b is NULL where one side has none.  Return: 0 or negative errno. */
typedef int (*tell_fn)(
    const struct diff_result *d, unsigned marks, const struct side_tensor *a, const struct side_tensor *b);

static int tell_one(const struct diff_result *d, const struct side_item *item, bool of_a, tell_fn tell)
{
	static struct side_tensor mine, theirs;
	const struct side *own = of_a ? d->a : d->b;
	bool paired = (item->marks & DIFF_MATCHED) != 0 && (item->marks & DIFF_TWICE) == 0;
	int r = side_read(own, item->at, &mine);

	if (r == 0 && paired)
		r = side_read(of_a ? d->b : d->a, item->other, &theirs);
	if (r < 0)
		return r;
	return of_a ? tell(d, item->marks, &mine, paired ? &theirs : NULL) : tell(d, item->marks, NULL, &mine);
}

static bool is_told(const struct side_item *item, bool of_a)
{
	bool paired = (item->marks & DIFF_MATCHED) != 0 && (item->marks & DIFF_TWICE) == 0;

	return of_a ? item->marks != DIFF_MATCHED : !paired;
}

static int tell_all(const struct diff_result *d, tell_fn tell)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->a->n; i++)
		if (is_told(&d->a->items[i], true))
			r = tell_one(d, &d->a->items[i], true, tell);
	for (size_t i = 0; r == 0 && i < d->b->n; i++)
		if (is_told(&d->b->items[i], false))
			r = tell_one(d, &d->b->items[i], false, tell);
	return r;
}

/* ---- for people ---- */

static void put_bytes(struct bytes b)
{
	char shown[NAME_SHOWN_MAX + 1];

	fputs(text_escape(b, shown, sizeof(shown)), stdout);
}

static void put_type(const struct side_tensor *t)
{
	char shape[TEXT_SHAPE_MAX];

	put_bytes(t->row.dtype);
	printf(" %s", text_shape(&t->row, shape));
}

static void put_dtypes(const struct side_tensor *a, const struct side_tensor *b)
{
	put_bytes(a->row.dtype);
	fputs(" becomes ", stdout);
	put_bytes(b->row.dtype);
}

static void put_shapes(const struct side_tensor *a, const struct side_tensor *b)
{
	char shape[TEXT_SHAPE_MAX];

	fputs(text_shape(&a->row, shape), stdout);
	printf(" becomes %s", text_shape(&b->row, shape));
}

static void put_stats(const struct side_tensor *a, const struct side_tensor *b)
{
	char before[TEXT_STATS_MAX], after[TEXT_STATS_MAX];

	if (a->has_stats && b->has_stats && a->stats.elements > 0 && b->stats.elements > 0)
		printf(": %s becomes %s", text_stats(&a->stats, before), text_stats(&b->stats, after));
}

static void put_changes(unsigned marks, const struct side_tensor *a, const struct side_tensor *b)
{
	const char *between = "";

	if ((marks & DIFF_DTYPE) != 0) {
		put_dtypes(a, b);
		between = ", ";
	}
	if ((marks & DIFF_SHAPE) != 0) {
		fputs(between, stdout);
		put_shapes(a, b);
		between = ", ";
	}
	if ((marks & DIFF_BYTES) != 0) {
		printf("%sother bytes", between);
		put_stats(a, b);
	}
	if ((marks & DIFF_UNKNOWN) != 0)
		printf("%snot compared: its bytes or its name are not known whole", between);
}

static int tell_text(
    const struct diff_result *d, unsigned marks, const struct side_tensor *a, const struct side_tensor *b)
{
	const struct side_tensor *one = a != NULL ? a : b;

	(void)d;
	printf("%c ", (marks & (DIFF_TWICE | DIFF_UNKNOWN)) != 0 ? '?' : a == NULL ? '+' : b == NULL ? '-' : '~');
	put_bytes(one->row.name);
	fputs("  ", stdout);
	if ((marks & DIFF_TWICE) != 0)
		printf("not compared: more than one tensor of this name (in %s)", a != NULL ? "a" : "b");
	else if (a != NULL && b != NULL)
		put_changes(marks, a, b);
	else
		put_type(one);
	putchar('\n');
	return 0;
}

static void put_side(const char *label, const struct side *s)
{
	_cleanup_(freep) char *path = text_escaped(s->path);
	char grouped[TEXT_GROUPED_MAX];
	size_t n = json_array_size(s->files);

	printf("%s: %s, %s tensor%s in %zu file%s, %s%s\n", label, path != NULL ? path : "?",
	    text_grouped(s->n, grouped), s->n == 1 ? "" : "s", n, n == 1 ? "" : "s", verdict_text(s->worst),
	    s->incomplete ? ", not all tensors known" : "");
}

static void put_count(const char *what, uint64_t n, const char *between)
{
	char grouped[TEXT_GROUPED_MAX];

	printf("%s %s%s", text_grouped(n, grouped), what, between);
}

int diff_print_text(const struct diff_result *d)
{
	int r = tell_all(d, tell_text);

	put_side("a", d->a);
	put_side("b", d->b);
	put_count("identical", d->counts.identical, ", ");
	put_count("changed", d->counts.changed, ", ");
	put_count("only in a", d->counts.removed, ", ");
	put_count("only in b", d->counts.added, d->counts.unknown > 0 ? ", " : "\n");
	if (d->counts.unknown > 0)
		put_count("not compared", d->counts.unknown, "\n");
	return r;
}

/* ---- for machines ---- */

static json_t *bytes_json(struct bytes b)
{
	char shown[NAME_SHOWN_MAX + 1];

	return json_string(text_escape(b, shown, sizeof(shown)));
}

static json_t *tensor_json(const struct side *s, const struct side_tensor *t)
{
	json_t *o = json_pack("{s:o, s:[], s:O}", "dtype", bytes_json(t->row.dtype), "shape", "file",
	    json_object_get(json_array_get(s->files, t->file), "name"));
	char hex[SHA256_HEX + 1], stats[TENSOR_STATS_JSON_MAX];

	for (unsigned i = 0; i < t->row.rank; i++)
		(void)json_array_append_new(json_object_get(o, "shape"), json_from_number(t->row.shape[i]));
	hex_write(t->sha256, 32, hex);
	if (t->row.member.n > 0)
		(void)json_object_set_new(o, "member", bytes_json(t->row.member));
	if (t->has_sha256)
		(void)json_object_set_new(o, "sha256", json_string(hex));
	if (t->has_stats && tensor_stats_json(&t->stats, stats) > 0)
		(void)json_object_set_new(o, "stats", json_loads(stats, 0, NULL));
	return o;
}

static json_t *changes_json(unsigned marks)
{
	static const struct {
		unsigned mark;
		const char *text;
	} names[] = { { DIFF_DTYPE, "dtype" }, { DIFF_SHAPE, "shape" }, { DIFF_BYTES, "bytes" } };
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((marks & names[i].mark) != 0)
			(void)json_array_append_new(list, json_string(names[i].text));
	return list;
}

static const char *kind_text(unsigned marks, const struct side_tensor *a, const struct side_tensor *b)
{
	if ((marks & DIFF_TWICE) != 0)
		return "ambiguous";
	if (a == NULL || b == NULL)
		return a == NULL ? "added" : "removed";
	return (marks & DIFF_CHANGED) != 0 ? "changed" : "unknown";
}

static bool first_told; /* of the array being written: one thread, one answer */

static int tell_json(
    const struct diff_result *d, unsigned marks, const struct side_tensor *a, const struct side_tensor *b)
{
	const struct manifest_row *row = a != NULL ? &a->row : &b->row;
	json_t *o = json_pack("{s:s, s:o}", "kind", kind_text(marks, a, b), "name", bytes_json(row->name));
	_cleanup_(freep) char *text = NULL;

	if (row->name_bytes > row->name.n)
		(void)json_object_set_new(o, "name_bytes", json_from_number(row->name_bytes));
	if ((marks & DIFF_CHANGED) != 0)
		(void)json_object_set_new(o, "changes", changes_json(marks));
	if (a != NULL)
		(void)json_object_set_new(o, "a", tensor_json(d->a, a));
	if (b != NULL)
		(void)json_object_set_new(o, "b", tensor_json(d->b, b));
	text = json_line(o, JSON_COMPACT);
	json_decref(o);
	if (text == NULL)
		return -ENOMEM;
	printf("%s%s", first_told ? "" : ",", text);
	first_told = false;
	return 0;
}

static json_t *side_json(const struct side *s)
{
	_cleanup_(freep) char *path = text_escaped(s->path);

	return json_pack("{s:s, s:s, s:b, s:o, s:I, s:O}", "name", path != NULL ? path : "?", "verdict",
	    verdict_text(s->worst), "complete", !s->incomplete, "tensors", json_from_number(s->n), "other_files",
	    (json_int_t)s->n_others, "files", s->files);
}

static json_t *head_json(const struct diff_result *d)
{
	const struct diff_counts *c = &d->counts;

	return json_pack("{s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "weighlock.diff/1", "same",
	    d->same && d->complete, "complete", d->complete, "identical", json_from_number(c->identical), "changed",
	    json_from_number(c->changed), "removed", json_from_number(c->removed), "added", json_from_number(c->added),
	    "not_compared", json_from_number(c->unknown), "a", side_json(d->a), "b", side_json(d->b));
}

int diff_print_json(const struct diff_result *d)
{
	json_t *head = head_json(d);
	_cleanup_(freep) char *text = json_line(head, JSON_COMPACT);
	int r;

	json_decref(head);
	if (text == NULL)
		return -ENOMEM;
	printf("%.*s,\"differences\":[", (int)strlen(text) - 1, text);
	first_told = true;
	r = tell_all(d, tell_json);
	if (r == 0)
		puts("]}");
	return r;
}
