/* Archives of arrays: see npz.h.  The container is read by lib/grammars/zip, each member by the reader of its content;
 * here is what NumPy makes of the two together: which keys there are, and what stands under them that is no array. */
#include "npz.h"

#include "nested.h"
#include "npy.h"
#include "zip_layout.h"

#define SUFFIX ".npy"
#define SUFFIX_BYTES 4u

static bool is_array_name(struct bytes name)
{
	return name.n >= SUFFIX_BYTES && memcmp(name.at + name.n - SUFFIX_BYTES, SUFFIX, SUFFIX_BYTES) == 0;
}

/* numpy.savez writes nothing but arrays, so the first member decides.  Whatever else is in the archive is a finding, and
 * an archive that begins otherwise is for review whatever reads it. */
static bool probe(const struct probe *p)
{
	struct bytes name;

	return zip_first_name(p, &name) && is_array_name(name);
}

/* -- members -- */

/* What is no array under an array's name: numpy.load hands out its bytes. */
static void report_impostor(struct layout *l, const struct zip_entry *e, enum wlk_format_id id, bool data_only)
{
	if (id != WLK_FORMAT_PICKLE)
		zip_report_entry(l, e, WLK_F_NPZ_FOREIGN_MEMBER);
	else
		zip_report_entry(l, e, data_only ? WLK_F_NPY_IS_PICKLE : WLK_F_NPY_IS_PICKLE_IMPORTING);
}

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	const uint64_t *data_only = &l->report->per_code[WLK_F_PICKLE_DATA_ONLY];
	uint64_t before = *data_only;
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status = WLK_DONE;

	(void)a;
	if (e->size == 0 && e->coded == 0)
		e->member->understood = true;
	else
		status = nested_judge(l, e->member, &id);
	if (status != WLK_DONE)
		return status;
	if (!is_array_name(e->name))
		zip_report_entry(l, e, WLK_F_NPZ_FOREIGN_MEMBER);
	else if (id != WLK_FORMAT_NPY)
		report_impostor(l, e, id, *data_only > before);
	return WLK_DONE;
}

/* -- the archive -- */

/* `a` and `a.npy` are both asked for as `a`. */
static void check_keys(struct layout *l, const struct zip *z)
{
	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];

		if (is_array_name(e->name) && zip_find(z, bytes_of(e->name.at, e->name.n - SUFFIX_BYTES)) != NULL)
			zip_report_entry(l, e, WLK_F_NPZ_KEY_COLLISION);
	}
}

/* One finding, at the first that differs. */
static void check_methods(struct layout *l, const struct zip *z)
{
	const struct zip_entry *first = NULL;

	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];

		if (e->directory)
			continue;
		if (first == NULL)
			first = e;
		if (e->method != first->method) {
			zip_report_entry(l, e, WLK_F_NPZ_MIXED_METHOD);
			return;
		}
	}
}

static enum wlk_status begin(struct layout *l, struct zip_archive *a)
{
	check_keys(l, &a->zip);
	check_methods(l, &a->zip);
	return WLK_DONE;
}

static enum wlk_status layout(struct layout *l)
{
	static const struct zip_reader reader = {
		.id = WLK_FORMAT_NPZ, .profile = ZIP_NPZ, .begin = begin, .member = judge_member
	};

	return zip_layout(l, &reader);
}

/* An archive of nothing has no first member to be known by: its name says what it was meant to be.  And what is no archive
 * is read by its content, as under the name of an array. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	npy_misnamed(l, content);
	if (content == WLK_FORMAT_ZIP && l->report->per_code[WLK_F_ZIP_EMPTY] > 0)
		layout_at(l, WLK_F_NPZ_EMPTY, 0);
}

const struct wlk_format format_npz = {
	.id = WLK_FORMAT_NPZ,
	.converts = CONVERTS_ROWS,
	.probe = probe,
	.layout = layout,
	.misnamed = misnamed,
	.finish = zip_layout_finish,
	.nested = NESTED_RANDOM,
};
