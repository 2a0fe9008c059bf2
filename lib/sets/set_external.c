/* Models whose weights are in other files: formats/onnx, section 5, and formats/openvino, section 4.  Each model's rows say
 * which bytes of which file a tensor is; here they are laid beside the files that are there.  What the bytes hold nobody has
 * looked at: the files have no format of their own, so what is said of them (format-unknown), and of the model
 * (onnx-external-unchecked, openvino-weights-unchecked), stands. */
#include "checked.h"
#include "ranges.h"
#include "set_impl.h"

/* value[] of x->files: the member plus one, or 0 when it is not there; and what is known. */
enum { FILE_MEMBER, FILE_STATE };
enum { FILE_NEW, FILE_TOLD, FILE_PRESENT, FILE_OPAQUE };

/* What a format asks of the files.  Gaps shorter than padding_max, up to a multiple of align, are a writer's. */
struct external_rules {
	enum wlk_format_id format;
	enum wlk_finding missing, bounds, overlap, hole;
	uint64_t align, padding_max;
	bool own_name; /* the file has the model's name, with the ending that its rows give instead of a file */
};

static const struct external_rules all_rules[] = {
	/* Tensors are aligned to pages, or to 64 KiB as Windows maps them. */
	{ WLK_FORMAT_ONNX, WLK_F_ONNX_EXTERNAL_MISSING, WLK_F_ONNX_EXTERNAL_BOUNDS, WLK_F_ONNX_EXTERNAL_OVERLAP,
	    WLK_F_ONNX_EXTERNAL_HOLE, 4096, 65536, false },
	/* Constants are aligned to their elements, or to cache lines. */
	{ WLK_FORMAT_OPENVINO, WLK_F_OPENVINO_WEIGHTS_MISSING, WLK_F_XML_BOUNDS, WLK_F_OPENVINO_OVERLAP,
	    WLK_F_OPENVINO_WEIGHTS_HOLE, 8, 64, true },
};

struct externals {
	struct set *s;
	const struct external_rules *rules;
	uint32_t model; /* whose rows go by */
	struct intern files;
	struct ranges ranges;
	bool failed;
};

/* -- which file -- */

#define PATH_ROOM (SET_NAME_MAX + MANIFEST_PATH_MAX) /* folder and stem are of one name */

/* As loaders join it: the model's folder and the place. */
static uint32_t find_member(const struct externals *x, struct bytes path)
{
	uint32_t id = intern_find(&x->s->names, path);

	return id != INTERN_NONE ? x->s->names.list[id].value[0] : INTERN_NONE;
}

/* Once for each file.  A pointer, and what could not be read, have findings of their own. */
static void meet_file(struct externals *x, struct interned *file, uint32_t member, struct bytes place)
{
	const struct set_member *m = member != INTERN_NONE ? &x->s->members[member] : NULL;

	if (m == NULL || m->state == SET_MEMBER_LINK || m->state == SET_MEMBER_SPECIAL) {
		file->value[FILE_STATE] = FILE_TOLD;
		set_finding(x->s, x->model, (struct finding){ .code = x->rules->missing, .subject = place });
		return;
	}
	file->value[FILE_MEMBER] = member + 1;
	file->value[FILE_STATE] =
	    m->format == WLK_FORMAT_LFS_POINTER || m->state == SET_MEMBER_UNREADABLE ? FILE_OPAQUE : FILE_PRESENT;
}

/* Up to the last dot. */
static struct bytes stem_of(struct bytes base)
{
	size_t n = base.n;

	while (n > 0 && base.at[n - 1] != '.')
		n--;
	return n > 1 ? bytes_of(base.at, n - 1) : base;
}

/* The path that loaders come to.  Return: its bytes. */
static size_t join(const struct externals *x, struct bytes place, uint8_t path[PATH_ROOM])
{
	struct bytes folder = set_folder(x->s, x->model), stem = stem_of(set_base(x->s, x->model));

	if (!x->rules->own_name)
		stem.n = 0;
	bytes_copy(path, folder);
	bytes_copy(path + folder.n, stem);
	bytes_copy(path + folder.n + stem.n, place);
	return folder.n + stem.n + place.n;
}

static bool file_of(struct externals *x, struct bytes place, uint32_t *ret)
{
	uint8_t text[PATH_ROOM];
	struct bytes path = bytes_of(text, join(x, place, text));
	struct interned *file;

	if (!intern_add(&x->files, path, ret))
		return false;
	file = &x->files.list[*ret];
	if (file->value[FILE_STATE] == FILE_NEW)
		meet_file(x, file, find_member(x, path), place);
	return true;
}

/* -- which bytes -- */

static bool take_mapping(void *ctx, const struct manifest_row *row)
{
	struct externals *x = ctx;
	uint64_t size;
	uint32_t file;

	if (row->kind != MANIFEST_MAPPING || row->member.n > 0)
		return true;
	x->failed = !file_of(x, row->file, &file);
	if (x->failed || x->files.list[file].value[FILE_STATE] != FILE_PRESENT)
		return !x->failed;
	size = x->s->members[x->files.list[file].value[FILE_MEMBER] - 1].size;
	if (row->end > size)
		set_finding(x->s, x->model,
		    (struct finding){ .code = x->rules->bounds,
			.subject = row->name,
			.found = value_number(row->end),
			.allowed = value_number(size) });
	if (row->begin < min_u64(row->end, size))
		x->failed = !ranges_add(
		    &x->ranges, (struct range){ .begin = row->begin, .end = min_u64(row->end, size), .file = file });
	return !x->failed;
}

/* -- beside each other -- */

static void check_gap(struct externals *x, uint32_t member, uint64_t from, uint64_t to)
{
	const struct external_rules *r = x->rules;

	if (from >= to || (to - from < r->padding_max && to % r->align == 0))
		return;
	set_finding(x->s, member,
	    (struct finding){ .code = x->rules->hole,
		.found = value_number(to - from),
		.allowed = value_number(r->padding_max - 1) });
}

/* The ranges of one file.  Equal ones are one tensor under two names. */
static void check_file(struct externals *x, const struct range *list, size_t n, bool all_known)
{
	uint32_t member = x->files.list[list->file].value[FILE_MEMBER] - 1;
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && list[i].begin == list[i - 1].begin && list[i].end == list[i - 1].end)
			continue;
		if (list[i].begin < end)
			set_finding(x->s, member,
			    (struct finding){ .code = x->rules->overlap,
				.found = value_number(list[i].begin),
				.allowed = value_number(end) });
		else if (all_known)
			check_gap(x, member, end, list[i].begin);
		end = list[i].end > end ? list[i].end : end;
	}
	if (all_known)
		check_gap(x, member, end, x->s->members[member].size);
}

static void check_ranges(struct externals *x, bool all_known)
{
	ranges_sort(&x->ranges);
	for (size_t i = 0, n; i < x->ranges.n; i += n) {
		n = ranges_of_file(&x->ranges, i);
		check_file(x, &x->ranges.list[i], n, all_known);
	}
}

/* The models of one format. */
static bool judge_models(struct set *s, const struct external_rules *rules)
{
	struct externals x = { .s = s, .rules = rules, .ranges = { .arena = s->in->arena } };
	bool all_known = true;

	intern_init(&x.files, s->in->arena, s->in->seed);
	for (x.model = 0; x.model < s->n; x.model++) {
		const struct set_member *m = &s->members[x.model];

		if (m->format != rules->format)
			continue;
		all_known = all_known && m->state == SET_MEMBER_WHOLE; /* else rows may be missing */
		if (!set_rows(s, x.model, take_mapping, &x))
			return false;
		if (x.failed)
			return set_stop(s);
	}
	check_ranges(&x, all_known);
	intern_done(&x.files);
	arena_release(s->in->arena, x.ranges.list);
	return true;
}

bool set_judge_externals(struct set *s)
{
	for (size_t i = 0; i < sizeof(all_rules) / sizeof(all_rules[0]); i++)
		if (!judge_models(s, &all_rules[i]))
			return false;
	return true;
}
