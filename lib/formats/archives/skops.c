/* The archive around skops' tree: see skops.h. */
#include "skops.h"

#include "nested.h"
#include "skops_schema.h"

#define SCHEMA "schema.json"
#define SCHEMA_MAX ((uint64_t)64 << 20) /* bytes: a forest of a thousand trees has a few */

static enum wlk_status begin(struct layout *l, struct zip_archive *a)
{
	const struct zip_entry *e = zip_find(&a->zip, bytes_of_text(SCHEMA));
	enum wlk_status status;
	struct layout inner;
	struct bytes text;

	a->state = arena_alloc(l->arena, a->zip.n, 1);
	if (a->state == NULL)
		return layout_stop(l);
	if (e == NULL || !e->readable) {
		layout_at(l, WLK_F_SKOPS_SCHEMA, 0);
		return WLK_DONE;
	}
	status = zip_read_text(l, e, SCHEMA_MAX, WLK_F_SKOPS_SCHEMA, &inner, &text);
	if (status != WLK_DONE || text.at == NULL)
		return status;
	status = skops_schema_check(l, &inner, &a->zip, text, a->state);
	e->member->understood = status == WLK_DONE && text.n == e->size;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

/* Loaders hand what a node names to NumPy or SciPy, which take arrays and no pickles. */
static enum wlk_status judge_named(struct layout *l, const struct zip_entry *e, unsigned wants)
{
	const uint64_t *objects = &l->report->per_code[WLK_F_NPY_OBJECT_PICKLE];
	uint64_t before = *objects;
	enum wlk_format_id id;
	enum wlk_status status;

	if (wants == SKOPS_WANTS_BYTES)
		return zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
	status = nested_judge(l, e->member, &id);
	if (status != WLK_DONE)
		return status;
	if (*objects > before || wants != (id == WLK_FORMAT_NPY      ? SKOPS_WANTS_ARRAY
					      : id == WLK_FORMAT_NPZ ? SKOPS_WANTS_ARRAYS
								     : 0u)) {
		zip_report_entry(l, e, WLK_F_SKOPS_FILE_CONTENT);
		e->member->understood = false;
	}
	return status;
}

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	const uint8_t *wants = a->state;

	if (zip_name_is(e->name, SCHEMA))
		return WLK_DONE;
	if (wants[e - a->zip.entries] != 0)
		return judge_named(l, e, wants[e - a->zip.entries]);
	zip_report_entry(l, e, WLK_F_SKOPS_MEMBER_UNEXPECTED);
	return zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
}

const struct zip_reader zip_reader_skops = {
	.id = WLK_FORMAT_SKOPS, .profile = ZIP_NPZ, .marker = SCHEMA, .begin = begin, .member = judge_member
};

static bool probe(const struct probe *p)
{
	struct bytes name;

	return zip_first_name(p, &name) && zip_name_is(name, SCHEMA);
}

static bool begins_archive(struct layout *l)
{
	const uint8_t *at = l->part.size >= 4 ? part_pin(&l->part, 0, 4) : NULL;

	return at != NULL && at[0] == 'P' && at[1] == 'K';
}

static enum wlk_status layout(struct layout *l)
{
	if (!begins_archive(l) && l->src->err == SOURCE_OK)
		layout_at(l, WLK_F_SKOPS_NOT_ZIP, 0);
	return l->src->err == SOURCE_OK ? zip_layout(l, &zip_reader_skops) : layout_stop(l);
}

/* What is no archive, or one without a tree, some loaders give to joblib, which runs what is in it (CVE-2025-54886). */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	switch (content) {
	case WLK_FORMAT_ZIP:
	case WLK_FORMAT_NPZ:
	case WLK_FORMAT_KERAS_ZIP:
	case WLK_FORMAT_PYTORCH:
	case WLK_FORMAT_TORCHSCRIPT:
	case WLK_FORMAT_MAR: layout_at(l, WLK_F_SKOPS_SCHEMA, 0); break;
	default: layout_at(l, WLK_F_SKOPS_NOT_ZIP, 0); break;
	}
}

const struct wlk_format format_skops = {
	.id = WLK_FORMAT_SKOPS,
	.probe = probe,
	.layout = layout,
	.misnamed = misnamed,
	.finish = zip_layout_finish,
	.nested = NESTED_RANDOM,
};
