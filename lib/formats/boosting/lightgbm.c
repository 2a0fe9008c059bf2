/* LightGBM's models as text: see lightgbm.h.  Here: sections and lines, parameters. */
#include "lightgbm.h"

#include "identify_signs.h"

enum section { SECTION_HEADER, SECTION_TREE, SECTION_IMPORTANCES, SECTION_PARAMETERS, SECTION_END };

struct lines {
	struct bytes rest;
	enum section section;
	uint64_t n_trees;
	bool blank; /* since the last line */
	struct bytes tree_sizes;
	bool features_given;
};

void lightgbm_fail(struct lightgbm *b, enum wlk_finding code, const uint8_t *at)
{
	layout_at(b->l, code, (uint64_t)(at - b->file.at));
	b->broken = true;
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

/* Up to the line feed, which it takes; a carriage return in front of it, as Windows writes it, is no part of it. */
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
	return !b->broken;
}

/* -- sections -- */

static void close_tree(struct lightgbm *b, struct lines *s)
{
	if (s->section == SECTION_TREE)
		lightgbm_tree_check(b);
}

static void open_tree(struct lightgbm *b, struct lines *s, struct bytes line, struct bytes number)
{
	uint32_t n;

	close_tree(b, s);
	if (s->section > SECTION_TREE || !number_natural(number, &n) || n != s->n_trees || !s->features_given)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
	s->section = SECTION_TREE;
	s->n_trees++;
	b->tree = (struct lightgbm_tree){ .at = (uint64_t)(line.at - b->file.at) };
}

static bool split(struct bytes line, char by, struct bytes *ret_key, struct bytes *ret_value)
{
	const uint8_t *at = line.n > 0 ? memchr(line.at, by, line.n) : NULL;

	if (at == NULL)
		return false;
	*ret_key = bytes_of(line.at, (size_t)(at - line.at));
	*ret_value = bytes_of(at + 1, line.n - ret_key->n - 1);
	return true;
}

static void take_header(struct lightgbm *b, struct lines *s, struct bytes line)
{
	struct bytes key, value;
	uint32_t n;

	if (!split(line, '=', &key, &value)) /* average_output, and what later versions have */
		return;
	if (is(key, "tree_sizes"))
		s->tree_sizes = value;
	if (!is(key, "max_feature_idx"))
		return;
	if (s->features_given || !number_natural(value, &n))
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
	else
		b->features = n;
	s->features_given = true;
}

static void take_tree(struct lightgbm *b, struct bytes line)
{
	struct bytes key, value;

	if (split(line, '=', &key, &value))
		lightgbm_tree_line(b, key, value);
	else
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
}

/* Values of these name files, which a program that goes on training would open. */
static bool is_file(struct bytes key)
{
	static const char *const keys[] = { "data", "valid", "valid_data", "input_model", "output_model",
		"output_result", "initscore_filename", "valid_data_initscores", "forcedsplits_filename",
		"forcedbins_filename", "machine_list_filename", "convert_model", "parser_config_file" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (is(key, keys[i]))
			return true;
	return false;
}

/* [name: value] */
static void take_parameter(struct lightgbm *b, struct bytes line)
{
	struct bytes key, value;

	if (line.n < 3 || line.at[0] != '[' || line.at[line.n - 1] != ']' ||
	    !split(bytes_of(line.at + 1, line.n - 2), ':', &key, &value)) {
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, line.at);
		return;
	}
	if (!is_file(key) || value.n <= 1)
		return;
	value = bytes_of(value.at + 1, value.n - 1 < REPORT_STRING_MAX ? value.n - 1 : REPORT_STRING_MAX);
	layout_finding(b->l, &(struct finding){ .code = WLK_F_LIGHTGBM_PATH,
				 .has_offset = true,
				 .offset = (uint64_t)(line.at - b->file.at),
				 .subject = key,
				 .found = value_text(value) });
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
	case SECTION_HEADER: take_header(b, s, line); break;
	case SECTION_TREE: take_tree(b, line); break;
	case SECTION_PARAMETERS: take_parameter(b, line); break;
	case SECTION_IMPORTANCES:
	case SECTION_END: break;
	}
}

/* -- the file -- */

/* The library cuts the trees out by these, if they are there: as many as trees, or two readers see two models. */
static void check_tree_sizes(struct lightgbm *b, const struct lines *s)
{
	uint64_t words = 0;
	bool inside = false;

	if (s->tree_sizes.at == NULL)
		return;
	for (size_t i = 0; i < s->tree_sizes.n; i++) {
		bool blank = s->tree_sizes.at[i] == ' ';

		words += !blank && !inside;
		inside = !blank;
	}
	if (words != s->n_trees)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, s->tree_sizes.at);
}

static enum wlk_status read_lines(struct lightgbm *b)
{
	struct lines s = { .rest = b->file };
	struct bytes line;

	if (b->file.n == 0 || memchr(b->file.at, 0, b->file.n) != NULL)
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at);
	while (!b->broken && !b->stopped && take_line(b, &s, &line))
		take(b, &s, line);
	if (b->stopped)
		return WLK_INCOMPLETE;
	if (b->broken)
		return WLK_BROKEN;
	if (s.section < SECTION_IMPORTANCES) /* "end of trees", without which it was cut */
		lightgbm_fail(b, WLK_F_LIGHTGBM_STRUCTURE, b->file.at + b->file.n);
	else
		check_tree_sizes(b, &s);
	layout_at(b->l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
	return WLK_BROKEN;
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
