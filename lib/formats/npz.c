/* Archives of arrays: see npz.h.  The container is read by lib/checks/zip, each member by the reader of its content;
 * here is what NumPy makes of the two together: which keys there are, and what stands under them that is no array. */
#include "npz.h"

#include "nested.h"
#include "npy.h"
#include "zip/zip.h"

#define SUFFIX ".npy"
#define SUFFIX_BYTES 4u
#define LOCAL_SIGNATURE "PK\3\4"
#define LOCAL_BYTES 30u
#define LOCAL_NAME_N 26u
#define MEMBER_MEMORY 4096u /* what the description of a member takes: extents, streams, a header */

static bool is_array_name(struct bytes name)
{
	return name.n >= SUFFIX_BYTES && memcmp(name.at + name.n - SUFFIX_BYTES, SUFFIX, SUFFIX_BYTES) == 0;
}

/* numpy.savez writes nothing but arrays, so the first member decides.  Whatever else is in the archive is a finding, and
 * an archive that begins otherwise is for review whatever reads it. */
static bool probe(const struct probe *p)
{
	size_t name_n;

	if (p->n < LOCAL_BYTES || memcmp(p->head, LOCAL_SIGNATURE, 4) != 0)
		return false;
	name_n = load_u16le(p->head + LOCAL_NAME_N);
	return name_n <= p->n - LOCAL_BYTES && is_array_name(bytes_of(p->head + LOCAL_BYTES, name_n));
}

struct npz_reader {
	struct layout *l;
	struct zip zip;
};

static void report_entry(const struct npz_reader *r, const struct zip_entry *e, enum wlk_finding code)
{
	report_finding(r->l->report, &(struct finding){ .code = code,
					 .has_offset = true,
					 .offset = part_offset(&r->l->part, e->readable ? e->data : e->central),
					 .member = e->member != NULL ? e->member->stream.part.member : e->name });
}

/* -- members -- */

/* What is no array under an array's name: numpy.load hands out its bytes. */
static void report_impostor(
    const struct npz_reader *r, const struct zip_entry *e, enum wlk_format_id id, bool data_only)
{
	if (id != WLK_FORMAT_PICKLE)
		report_entry(r, e, WLK_F_NPZ_FOREIGN_MEMBER);
	else
		report_entry(r, e, data_only ? WLK_F_NPY_IS_PICKLE : WLK_F_NPY_IS_PICKLE_IMPORTING);
}

static enum wlk_status judge_member(struct npz_reader *r, const struct zip_entry *e)
{
	const uint64_t *data_only = &r->l->report->per_code[WLK_F_PICKLE_DATA_ONLY];
	uint64_t before = *data_only;
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status = WLK_DONE;

	if (e->size == 0 && e->coded == 0)
		e->member->understood = true;
	else
		status = nested_judge(r->l, e->member, &id);
	if (status != WLK_DONE)
		return status;
	if (!is_array_name(e->name))
		report_entry(r, e, WLK_F_NPZ_FOREIGN_MEMBER);
	else if (id != WLK_FORMAT_NPY)
		report_impostor(r, e, id, *data_only > before);
	return WLK_DONE;
}

static bool is_empty_folder(const struct zip_entry *e)
{
	return e->directory && e->size == 0 && e->coded == 0; /* the container's reader has named it */
}

static enum wlk_status judge_members(struct npz_reader *r)
{
	for (size_t i = 0; i < r->zip.n; i++) {
		const struct zip_entry *e = &r->zip.entries[i];
		enum wlk_status status = WLK_DONE;

		if (e->readable && is_empty_folder(e))
			e->member->understood = true;
		else if (e->readable)
			status = judge_member(r, e);
		if (status != WLK_DONE)
			return status;
	}
	return WLK_DONE;
}

/* -- the archive -- */

/* `a` and `a.npy` are both asked for as `a`. */
static void check_keys(const struct npz_reader *r)
{
	for (size_t i = 0; i < r->zip.n; i++) {
		const struct zip_entry *e = &r->zip.entries[i];

		if (is_array_name(e->name) && zip_find(&r->zip, bytes_of(e->name.at, e->name.n - SUFFIX_BYTES)) != NULL)
			report_entry(r, e, WLK_F_NPZ_KEY_COLLISION);
	}
}

/* One finding, at the first that differs. */
static void check_methods(const struct npz_reader *r)
{
	const struct zip_entry *first = NULL;

	for (size_t i = 0; i < r->zip.n; i++) {
		const struct zip_entry *e = &r->zip.entries[i];

		if (e->directory)
			continue;
		if (first == NULL)
			first = e;
		if (e->method != first->method) {
			report_entry(r, e, WLK_F_NPZ_MIXED_METHOD);
			return;
		}
	}
}

static enum wlk_status layout(struct layout *l)
{
	const struct zip_options options = { .profile = ZIP_NPZ,
		.lim = l->lim,
		.seed = l->seed,
		.arena = l->arena,
		.report = l->report,
		.extents = l->extents };
	struct npz_reader *r = arena_alloc(l->arena, 1, sizeof(*r));
	enum wlk_status status;

	if (r == NULL)
		return layout_stop(l);
	*r = (struct npz_reader){ .l = l };
	l->state = r;
	status = zip_read(&r->zip, &l->part, &options);
	if (status != WLK_DONE)
		return status;
	layout_raise_memory(l, (uint64_t)r->zip.n * MEMBER_MEMORY);
	check_keys(r);
	check_methods(r);
	status = judge_members(r);
	if (status != WLK_DONE)
		return status;
	return r->zip.tiled ? WLK_DONE : WLK_BROKEN; /* members that are not understood stay so: elements.h */
}

static enum wlk_status finish(struct layout *l)
{
	const struct npz_reader *r = l->state;

	return zip_finish(&r->zip);
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
	.probe = probe,
	.layout = layout,
	.misnamed = misnamed,
	.finish = finish,
	.nested = NESTED_RANDOM,
};
