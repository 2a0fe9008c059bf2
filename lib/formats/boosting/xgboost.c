/* XGBoost's models: see xgboost.h.  Here: what the file is, and how it ends.  The binary form of old versions is named only
 * (lib/layout/identify_signs.c). */
#include "xgboost.h"

#include "checked.h"
#include "json_text.h"
#include "member.h"

/* -- is it one? -- */

static bool is_learner_key(struct bytes key)
{
	static const char *const keys[] = { "attributes", "feature_names", "feature_types", "gradient_booster",
		"learner_model_param", "objective" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (bytes_equal(key, bytes_of_text(keys[i])))
			return true;
	return false;
}

/* An object of a version and a learner in any order, as far as the bytes go; a configuration may have a learner too. */
static bool is_json(struct bytes head)
{
	struct json j = { .base = head.at, .p = head.at, .end = head.at + head.n };
	struct json_text key;

	if (json_peek(&j) != '{')
		return false;
	j.p++;
	if (!json_key(&j, &key))
		return false;
	if (bytes_equal(key.raw, bytes_of_text("version")) &&
	    (!json_skip(&j, 1) || !json_expect(&j, ',') || !json_key(&j, &key)))
		return false;
	if (!bytes_equal(key.raw, bytes_of_text("learner")) || json_peek(&j) != '{')
		return false;
	j.p++;
	return json_key(&j, &key) && is_learner_key(key.raw);
}

/* { and a name of eight bits or more of length: no text begins so. */
static bool is_ubj(struct bytes head)
{
	static const struct {
		const char *head;
		size_t n;
	} heads[] = { { "{L\0\0\0\0\0\0\0\7learner{", 18 }, { "{i\7learner{", 11 }, { "{U\7learner{", 11 },
		{ "{I\0\7learner{", 12 }, { "{l\0\0\0\7learner{", 14 }, { "{L\0\0\0\0\0\0\0\7version[", 18 },
		{ "{i\7version[", 11 }, { "{U\7version[", 11 } };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (head.n >= heads[i].n && memcmp(head.at, heads[i].head, heads[i].n) == 0)
			return true;
	return false;
}

static bool probe(const struct probe *p)
{
	struct bytes head = bytes_of(p->head, p->n);

	return is_ubj(head) || is_json(head);
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

static enum wlk_status read_model(struct layout *l, struct bytes file)
{
	struct xgboost_model *m = arena_alloc(l->arena, 1, sizeof(*m));
	bool whole;

	if (m == NULL)
		return layout_stop(l);
	m->l = l;
	m->feature_max = -1;
	l->report->manifest_partial = true; /* trees are no tensors */
	scoped_names_init(&m->names, l->arena, &l->seed);
	whole = is_ubj(file) ? xgboost_read_ubj(m, file) : xgboost_read_json(m, file);
	if (m->stopped)
		return WLK_INCOMPLETE;
	if (whole)
		xgboost_model_end(m);
	return whole && !m->broken && !m->unsure ? cover(l) : WLK_BROKEN;
}

/* Neither encoding begins so: the binary form of old versions has no signature, and is known by its name only. */
static enum wlk_status name_only(struct layout *l)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_IDENTIFIED_ONLY,
			      .has_offset = true,
			      .found = value_text(bytes_of_text(format_info(WLK_FORMAT_XGBOOST)->name)) });
	return WLK_BROKEN;
}

static bool is_document(struct bytes file)
{
	size_t i = 0;

	while (i < file.n && json_is_space(file.at[i]))
		i++;
	return i < file.n && file.at[i] == '{';
}

/* A tree's tables hold four bytes for each item of a list, which has two at least (a typed array: four); keys take as much. */
#define MEMORY_PER_BYTE 16u

static enum wlk_status layout(struct layout *l)
{
	struct bytes file;

	if (l->part.size > XGBOOST_BYTES_MAX) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, l->part.size * MEMORY_PER_BYTE); /* of 256 MiB at most */
	source_raise_pin_budget(l->src, l->part.size);
	file = bytes_of(part_pin(&l->part, 0, (size_t)l->part.size), (size_t)l->part.size);
	if (file.at == NULL && l->part.size > 0)
		return layout_stop(l);
	return is_document(file) ? read_model(l, file) : name_only(l);
}

const struct wlk_format format_xgboost = {
	.id = WLK_FORMAT_XGBOOST, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};

/* Held, and not read, where the file begins otherwise than a model does. */
const struct json_model json_model_xgboost = { .id = WLK_FORMAT_XGBOOST, .keys = { "learner" } };
