/* LightGBM's models as text: see lightgbm.h.  Here: sections and lines. */
#include "lightgbm.h"

#include "checked.h"
#include "identify_signs.h"
#include "utf8.h"

#define CATEGORIES "pandas_categorical:"

enum section { SECTION_HEADER, SECTION_TREE, SECTION_IMPORTANCES, SECTION_PARAMETERS, SECTION_END };

struct lines {
	struct bytes rest;
	enum section section;
	uint64_t n_trees;
	bool blank;          /* since the last line */
	bool categories;     /* of pandas, given */
	struct bytes sizes;  /* of trees, that have not come */
	uint64_t tree_begin; /* where the next has to begin, by those */
};

void lightgbm_fail(struct lightgbm *b, enum wlk_finding code, const uint8_t *at)
{
	layout_at(b->l, code, (uint64_t)(at - b->file.at));
	b->broken = true;
}

void lightgbm_doubt(struct lightgbm *b, const uint8_t *at)
{
	if (!b->unsure)
		layout_at(b->l, WLK_F_FORMAT_PARTLY_CHECKED, (uint64_t)(at - b->file.at));
	b->unsure = true;
}

static bool is(struct bytes line, const char *text)
{
	return bytes_equal(line, bytes_of_text(text));
}

static bool begins(struct bytes line, const char *text, struct bytes *ret_rest)
{
	size_t n = strlen(text);

	if (line.n < n || memcmp(line.at, text, n) != 0)
		return false;
	*ret_rest = bytes_of(line.at + n, line.n - n);
	return true;
}

/* Up to the line feed, which it takes; a carriage return in front of it, as Windows writes it, is no part of it.  The library
 * ends a line at any. */
static bool take_line(struct lightgbm *b, struct lines *s, struct bytes *ret)
{
	const uint8_t *end;

	if (s->rest.n == 0)
		return false;
	end = memchr(s->rest.at, '\n', s->rest.n);
	*ret = bytes_of(s->rest.at, end != NULL ? (size_t)(end - s->rest.at) : s->rest.n);
	s->rest = end != NULL ? bytes_of(end + 1, s->rest.n - ret->n - 1) : bytes_of(s->rest.at + s->rest.n, 0);
	if (ret->n > LIGHTGBM_LINE_MAX)
		lightgbm_fail(b, WLK_F_LIGHTGBM_LINE, ret->at);
	if (ret->n > 0 && ret->at[ret->n - 1] == '\r')
		ret->n--;
	if (ret->n > 0 && memchr(ret->at, '\r', ret->n) != NULL)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, ret->at);
	return !b->broken;
}

/* -- sections -- */

static void close_tree(struct lightgbm *b, struct lines *s)
{
	if (s->section != SECTION_TREE)
		return;
	lightgbm_tree_check(b);
	if (!s->blank) /* at which the library ends a tree */
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at + b->tree.at);
}

/* The library cuts the trees out by their sizes, if it has them. */
static void check_begin(struct lightgbm *b, struct lines *s, struct bytes line)
{
	uint64_t at = (uint64_t)(line.at - b->file.at);
	struct bytes word;
	uint32_t size;

	if (b->header[LGBM_KEY_SIZES].at == NULL)
		return;
	if (s->n_trees == 0) {
		s->sizes = b->header[LGBM_KEY_SIZES];
		s->tree_begin = at;
	}
	if (s->tree_begin != at || !lightgbm_word(&s->sizes, &word) || !number_natural(word, &size) ||
	    !add_u64(at, size, &s->tree_begin))
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
}

/* Of indices into lists, the features' are known by now. */
static void read_features(struct lightgbm *b, struct bytes line)
{
	uint32_t n;

	if (lightgbm_header_number(b, LGBM_KEY_FEATURES, &n))
		b->features = n;
	else
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
}

static void open_tree(struct lightgbm *b, struct lines *s, struct bytes line, struct bytes number)
{
	uint32_t n;

	close_tree(b, s);
	if (s->section > SECTION_TREE || !number_natural(number, &n) || n != s->n_trees)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
	check_begin(b, s, line);
	if (s->n_trees == 0)
		read_features(b, line);
	s->section = SECTION_TREE;
	s->n_trees++;
	b->tree = (struct lightgbm_tree){ .at = (uint64_t)(line.at - b->file.at) };
}

static void take_tree(struct lightgbm *b, const struct lines *s, struct bytes line)
{
	const uint8_t *equals = memchr(line.at, '=', line.n);

	if (equals != NULL && !s->blank)
		lightgbm_tree_line(b, bytes_of(line.at, (size_t)(equals - line.at)),
		    bytes_of(equals + 1, line.n - (size_t)(equals - line.at) - 1));
	else
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
}

/* name=number, which nobody reads. */
static void take_importance(struct lightgbm *b, struct bytes line)
{
	const uint8_t *equals = memrchr(line.at, '=', line.n);
	struct bytes number, rest;
	double value;

	number = equals != NULL ? bytes_of(equals + 1, line.n - (size_t)(equals - line.at) - 1) : (struct bytes){ 0 };
	if (number_text(number, &value) == NUMBER_NONE || begins(line, CATEGORIES, &rest))
		lightgbm_doubt(b, line.at);
}

/* The Python package looks for this line at the file's end. */
static void take_end(struct lightgbm *b, struct lines *s, struct bytes line)
{
	struct bytes json;

	if (begins(line, CATEGORIES, &json) && !s->categories)
		lightgbm_categories(b, json);
	else
		lightgbm_doubt(b, line.at);
	s->categories = true;
}

static bool is_mark(struct lightgbm *b, struct lines *s, struct bytes line)
{
	struct bytes rest;
	enum section next;

	if (begins(line, "Tree=", &rest)) {
		open_tree(b, s, line, rest);
		return true;
	}
	if (is(line, "end of trees") || is(line, "feature_importances:") || is(line, "feature importances:"))
		next = SECTION_IMPORTANCES;
	else if (is(line, "parameters:"))
		next = SECTION_PARAMETERS;
	else if (is(line, "end of parameters"))
		next = SECTION_END;
	else
		return false;
	close_tree(b, s);
	if (next < s->section)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
	s->section = next;
	return true;
}

static void take(struct lightgbm *b, struct lines *s, struct bytes line)
{
	if (line.n == 0 || is_mark(b, s, line))
		return;
	switch (s->section) {
	case SECTION_HEADER: lightgbm_header_line(b, line); break;
	case SECTION_TREE: take_tree(b, s, line); break;
	case SECTION_PARAMETERS: lightgbm_parameter(b, line); break;
	case SECTION_IMPORTANCES: take_importance(b, line); break;
	case SECTION_END: take_end(b, s, line); break;
	}
}

/* -- the file -- */

static enum wlk_status cover(struct layout *l)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	*e = (struct extent){ .end = l->part.size, .kind = EXTENT_METADATA };
	return WLK_DONE;
}

static void check_whole(struct lightgbm *b, struct lines *s)
{
	struct bytes word;

	if (s->section < SECTION_IMPORTANCES || lightgbm_word(&s->sizes, &word)) /* it was cut */
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at + b->file.n);
	if (s->section == SECTION_PARAMETERS || utf8_check(b->file) != b->file.n)
		lightgbm_doubt(b, b->file.at);
	if (!b->broken)
		lightgbm_header_check(b, s->n_trees);
}

static enum wlk_status read_lines(struct lightgbm *b)
{
	struct lines s = { .rest = b->file };
	struct bytes line;

	if (b->file.n == 0 || memchr(b->file.at, 0, b->file.n) != NULL)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at);
	if (b->file.n > 0 && (!take_line(b, &s, &line) || !is(line, "tree"))) /* which says what it is */
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at);
	while (!b->broken && !b->stopped && take_line(b, &s, &line)) {
		take(b, &s, line);
		s.blank = line.n == 0;
	}
	if (!b->stopped && !b->broken)
		check_whole(b, &s);
	if (b->stopped)
		return WLK_INCOMPLETE;
	return b->broken || b->unsure ? WLK_BROKEN : cover(b->l);
}

static enum wlk_status layout(struct layout *l)
{
	struct lightgbm b = { .l = l };

	if (l->part.size > LIGHTGBM_BYTES_MAX) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	l->report->manifest_partial = true; /* trees are no tensors */
	layout_raise_memory(l, l->part.size * 4);
	source_raise_pin_budget(l->src, l->part.size);
	b.file = bytes_of(part_pin(&l->part, 0, (size_t)l->part.size), (size_t)l->part.size);
	if (b.file.at == NULL && l->part.size > 0)
		return layout_stop(l);
	return read_lines(&b);
}

static bool probe(const struct probe *p)
{
	const struct sign *s = identify_sign(bytes_of(p->head, p->n), p->size);

	return s != NULL && s->id == WLK_FORMAT_LIGHTGBM;
}

const struct wlk_format format_lightgbm = {
	.id = WLK_FORMAT_LIGHTGBM, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
