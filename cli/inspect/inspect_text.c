/* The page for people: the verdict as `weighlock scan --verbose --calls` has it, then what is in the file, where its bytes go,
 * the bytes around what was found, and the opcodes that lead to a call. */
#include "inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "findings.h"
#include "verdict.h"
#include "verdict_json.h"

#define INDENT "        "
#define DEEPER INDENT "  "
#define BAR_CELLS 64u
#define KINDS_MAX 128u /* of ranges, told apart by dtype: more than there are */

static void put(const char *text, FILE *f)
{
	_cleanup_(freep) char *safe = text_safe(text);

	fputs(safe != NULL ? safe : "?", f);
}

static uint64_t number(const json_t *o, const char *member)
{
	uint64_t n = 0;

	(void)json_to_number(json_object_get(o, member), &n);
	return n;
}

static void put_where(const json_t *o, FILE *f)
{
	const char *place = json_object_get(o, "member_offset") != NULL ? "member_offset" : "offset";

	if (json_object_get(o, place) == NULL)
		return;
	fprintf(f, " at byte %" PRIu64 " (0x%" PRIx64 ")", number(o, place), number(o, place));
	if (strcmp(place, "member_offset") == 0)
		fputs(" of what the member holds", f);
}

/* ---- members ---- */

static void put_member(const json_t *m, FILE *f)
{
	const char *path = verdict_member(m, "path"), *format = verdict_member(m, "format");
	char size[TEXT_SIZE_MAX];

	fputs(DEEPER, f);
	for (const char *c = path; (c = strchr(c, '!')) != NULL; c++)
		fputs("  ", f);
	put(path, f);
	fprintf(f, ": %s", format[0] != '\0' ? format : "not recognised");
	if (!json_is_null(json_object_get(m, "size")))
		fprintf(f, ", %s", text_size(number(m, "size"), size));
	fprintf(f, ", %s", verdict_member(m, "coding"));
	put_where(m, f);
	fputs(json_is_true(json_object_get(m, "understood")) ? "\n" : ", not understood\n", f);
}

static void put_members(const json_t *doc, FILE *f)
{
	const json_t *members = json_object_get(doc, "members"), *m;
	size_t i;

	if (json_array_size(members) == 0)
		return;
	fputs(INDENT "members:\n", f);
	json_array_foreach (members, i, m)
		put_member(m, f);
}

/* ---- the map ---- */

/* Letters of the bar, and the words of the table. */
static const struct {
	const char *kind;
	char letter;
	const char *words;
} kinds[] = {
	{ "header", 'h', "header" },
	{ "tensor", 'T', "tensors" },
	{ "padding", '.', "padding" },
	{ "member", 'm', "members, packed or of no format" },
	{ "metadata", 'd', "metadata" },
	{ "unexplained", '?', "explained by no format" },
	{ "unlisted", '~', "not listed: too many pieces" },
	{ "trailing", '>', "behind the end" },
	{ "second", '!', "the beginning of another format" },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define KIND_TRAILING (N_KINDS - 2)
#define KIND_SECOND (N_KINDS - 1)

struct row {
	size_t kind;
	const char *dtype;
	uint64_t extents, bytes;
};

struct map {
	uint64_t size;
	struct row rows[KINDS_MAX];
	size_t n_rows;
	size_t n_cells;                     /* one for each byte, where there are so few */
	uint64_t cells[BAR_CELLS][N_KINDS]; /* bytes of each kind */
};

static uint64_t behind(const json_t *range)
{
	return number(range, "offset") + number(range, "length");
}

static size_t kind_of(const struct map *m, const json_t *range)
{
	const char *kind = verdict_member(range, "kind");
	size_t i = 0;

	if (strcmp(kind, "unexplained") == 0 && behind(range) >= m->size && number(range, "offset") > 0)
		return KIND_TRAILING;
	while (i < KIND_TRAILING - 1 && strcmp(kinds[i].kind, kind) != 0)
		i++;
	return i;
}

static void count(struct map *m, size_t kind, const json_t *range)
{
	const char *dtype = verdict_member(range, "dtype");
	size_t i = 0;

	while (i < m->n_rows && (m->rows[i].kind != kind || strcmp(m->rows[i].dtype, dtype) != 0))
		i++;
	if (i == KINDS_MAX)
		return;
	if (i == m->n_rows)
		m->rows[m->n_rows++] = (struct row){ .kind = kind, .dtype = dtype };
	m->rows[i].extents += number(range, "extents");
	m->rows[i].bytes += number(range, "length");
}

/* Where a cell begins. */
static uint64_t cell_at(const struct map *m, size_t cell)
{
	return m->size / m->n_cells * cell + m->size % m->n_cells * cell / m->n_cells;
}

static void draw(struct map *m, size_t kind, uint64_t begin, uint64_t end)
{
	for (size_t cell = 0; cell < m->n_cells; cell++) {
		uint64_t from = cell_at(m, cell), to = cell_at(m, cell + 1);

		from = from > begin ? from : begin;
		to = to < end ? to : end;
		if (from < to)
			m->cells[cell][kind] += to - from;
	}
}

static char letter_of(const uint64_t cell[N_KINDS])
{
	size_t most = 0;

	for (size_t i = 1; i < N_KINDS; i++)
		if (cell[i] > cell[most])
			most = i;
	return cell[most] > 0 ? kinds[most].letter : ' ';
}

/* What else the file is begins somewhere in what it is. */
static void draw_guests(struct map *m, const json_t *verdict)
{
	const json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding)
		if (strncmp(verdict_member(finding, "code"), "polyglot-", 9) == 0 &&
		    json_object_get(finding, "offset") != NULL)
			for (size_t cell = 0; cell < m->n_cells; cell++)
				if (cell_at(m, cell) <= number(finding, "offset") &&
				    number(finding, "offset") < cell_at(m, cell + 1))
					m->cells[cell][KIND_SECOND] = UINT64_MAX;
}

static void put_row(const struct map *m, const struct row *row, FILE *f)
{
	char bytes[TEXT_GROUPED_MAX], extents[TEXT_GROUPED_MAX], what[64];

	(void)snprintf(
	    what, sizeof(what), "%s%s%s", kinds[row->kind].words, row->dtype[0] != '\0' ? " " : "", row->dtype);
	fprintf(f, DEEPER "%c  %-32s %18s bytes %5.1f %%  in %s piece%s\n", kinds[row->kind].letter, what,
	    text_grouped(row->bytes, bytes), 100.0 * (double)row->bytes / (double)m->size,
	    text_grouped(row->extents, extents), row->extents == 1 ? "" : "s");
}

static void put_guests(const json_t *verdict, FILE *f)
{
	const json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding) {
		if (strncmp(verdict_member(finding, "code"), "polyglot-", 9) != 0)
			continue;
		fprintf(f, DEEPER "%c  a second format: ", kinds[KIND_SECOND].letter);
		put(verdict_member(finding, "subject"), f);
		put_where(finding, f);
		fputc('\n', f);
	}
}

static int put_map(const json_t *doc, FILE *f)
{
	const json_t *verdict = json_object_get(doc, "verdict"), *range;
	struct map *m = calloc(1, sizeof(*m));
	size_t i;

	if (m == NULL)
		return -ENOMEM;
	m->size = number(json_object_get(verdict, "file"), "size");
	m->n_cells = m->size < BAR_CELLS ? (size_t)m->size : BAR_CELLS;
	json_array_foreach (json_object_get(doc, "map"), i, range) {
		count(m, kind_of(m, range), range);
		draw(m, kind_of(m, range), number(range, "offset"), behind(range));
	}
	if (m->n_rows > 0) {
		draw_guests(m, verdict);
		fputs(INDENT "map of the file's bytes:\n" DEEPER "[", f);
		for (size_t cell = 0; cell < m->n_cells; cell++)
			fputc(letter_of(m->cells[cell]), f);
		fputs("]\n", f);
		for (i = 0; i < m->n_rows; i++)
			put_row(m, &m->rows[i], f);
		put_guests(verdict, f);
	}
	free(m);
	return 0;
}

/* ---- bytes around findings ---- */

static void put_value(const char *label, const json_t *value, FILE *f)
{
	if (json_is_string(value)) {
		fprintf(f, ", %s \"", label);
		put(json_string_value(value), f);
		fputc('"', f);
	} else if (json_is_integer(value)) {
		fprintf(f, ", %s %" JSON_INTEGER_FORMAT, label, json_integer_value(value));
	}
}

static void put_around(const struct print_style *style, const json_t *finding, const json_t *around, FILE *f)
{
	enum wlk_finding code;

	fputs(DEEPER, f);
	put(verdict_member(finding, "code"), f);
	put_where(finding, f);
	if (verdict_member(finding, "member")[0] != '\0') {
		fputs(" in ", f);
		put(verdict_member(finding, "member"), f);
	}
	if (finding_by_code(verdict_member(finding, "code"), &code))
		fprintf(f, "; %s", finding_info(code)->clause);
	put_value("found", json_object_get(finding, "found"), f);
	put_value("allowed", json_object_get(finding, "allowed"), f);
	fputc('\n', f);
	inspect_hex(style, finding, around, f);
}

static void put_bytes(const struct print_style *style, const json_t *doc, FILE *f)
{
	const json_t *finding, *around = json_object_get(doc, "bytes");
	bool any = false;
	size_t i;

	json_array_foreach (json_object_get(json_object_get(doc, "verdict"), "findings"), i, finding) {
		if (strcmp(verdict_member(finding, "action"), "accept") == 0 ||
		    (json_object_get(finding, "offset") == NULL && json_object_get(finding, "member_offset") == NULL))
			continue;
		if (!any)
			fputs(INDENT "bytes around what was found:\n", f);
		any = true;
		put_around(style, finding, around, f);
	}
}

/* ---- opcodes ---- */

static void put_opcodes(const json_t *doc, FILE *f)
{
	const json_t *opcodes = json_object_get(doc, "opcodes"), *one;
	const char *member = NULL;
	size_t i;

	if (json_array_size(opcodes) > 0)
		fputs(INDENT "opcodes that lead to calls (>):\n", f);
	json_array_foreach (opcodes, i, one) {
		if (member != NULL ? strcmp(member, verdict_member(one, "member")) != 0
				   : verdict_member(one, "member")[0] != '\0') {
			fputs(DEEPER "in ", f);
			put(verdict_member(one, "member"), f);
			fputc('\n', f);
		}
		member = verdict_member(one, "member");
		fprintf(f, DEEPER "%c %10" PRIu64 "  ", json_is_true(json_object_get(one, "calls")) ? '>' : ' ',
		    number(one, json_object_get(one, "member_offset") != NULL ? "member_offset" : "offset"));
		put(verdict_member(one, "text"), f);
		fputc('\n', f);
	}
}

int inspect_text(const struct print_style *style, const json_t *inspected, FILE *f)
{
	_cleanup_(freep) char *verdict = print_text(style, json_object_get(inspected, "verdict"));

	if (verdict == NULL)
		return -ENOMEM;
	fputs(verdict, f);
	put_members(inspected, f);
	if (put_map(inspected, f) < 0)
		return -ENOMEM;
	put_bytes(style, inspected, f);
	put_opcodes(inspected, f);
	return ferror(f) ? -EIO : 0;
}
