/* Models whose weights are in other files: formats/onnx, section 5, and formats/openvino, section 4.  Each model's rows say
 * which bytes of which file a tensor is; here they are laid beside the files that are there.  A file that has been read as
 * what the rows say (set_claims.c, WLK_FORMAT_EXTERNAL_WEIGHTS) has a verdict of its own about all that is in it.  Of any
 * other - one that is something else, one that could not be read - what the rows say of it is compared here, and what it
 * holds nobody has looked at: the model's `unchecked`. */
#include "checked.h"
#include "ranges.h"
#include "set_impl.h"

/* value[] of x->files: the member plus one, or 0 when it is not there; and what is known. */
enum { FILE_MEMBER, FILE_STATE };
enum { FILE_NEW, FILE_WEIGHED, FILE_TOLD, FILE_PRESENT, FILE_OPAQUE };

const struct external_rules external_rules[] = {
	/* Tensors are aligned to pages, or to 64 KiB as Windows maps them. */
	{ WLK_FORMAT_ONNX, WLK_F_ONNX_EXTERNAL_MISSING, WLK_F_ONNX_EXTERNAL_BOUNDS, WLK_F_ONNX_EXTERNAL_OVERLAP,
	    WLK_F_ONNX_EXTERNAL_HOLE, WLK_F_ONNX_EXTERNAL_UNCHECKED, 4096, 65536, false, NULL },
	/* Constants are aligned to their elements, or to cache lines. */
	{ WLK_FORMAT_OPENVINO, WLK_F_OPENVINO_WEIGHTS_MISSING, WLK_F_XML_BOUNDS, WLK_F_OPENVINO_OVERLAP,
	    WLK_F_OPENVINO_WEIGHTS_HOLE, WLK_F_OPENVINO_WEIGHTS_UNCHECKED, 8, 64, true, NULL },
	/* Files that were not read are laid beside the index in set_bundle.c. */
	{ WLK_FORMAT_TF_CHECKPOINT, WLK_F_TF_DATA_MISSING, WLK_F_TFCKPT_BOUNDS, WLK_F_TFCKPT_OVERLAP, WLK_F_TFCKPT_HOLE,
	    WLK_F_TF_DATA_UNCHECKED, 1, 64, true, ".index" },
};
const size_t n_external_rules = sizeof(external_rules) / sizeof(external_rules[0]);

struct externals {
	struct set *s;
	const struct external_rules *rules;
	uint32_t model; /* whose rows go by */
	bool told;      /* that not all of its weights were read */
	struct intern files;
	struct ranges ranges;
	bool failed;
};

/* -- which file -- */

/* Up to the last dot. */
static struct bytes stem_of(struct bytes base)
{
	size_t n = base.n;

	while (n > 0 && base.at[n - 1] != '.')
		n--;
	return n > 1 ? bytes_of(base.at, n - 1) : base;
}

size_t external_path(const struct set *s, uint32_t model, const struct external_rules *rules, struct bytes place,
    uint8_t path[EXTERNAL_PATH_MAX])
{
	struct bytes folder = set_folder(s, model), stem = stem_of(set_base(s, model));

	if (!rules->own_name)
		stem.n = 0;
	bytes_copy(path, folder);
	bytes_copy(path + folder.n, stem);
	bytes_copy(path + folder.n + stem.n, place);
	return folder.n + stem.n + place.n;
}

bool external_is_model(const struct set *s, uint32_t member, const struct external_rules *rules)
{
	struct bytes name = s->members[member].name;
	size_t n = rules->ending != NULL ? strlen(rules->ending) : 0;

	return s->members[member].format == rules->format && name.n >= n &&
	       (n == 0 || memcmp(name.at + name.n - n, rules->ending, n) == 0);
}

static uint32_t find_member(const struct externals *x, struct bytes path)
{
	uint32_t id = intern_find(&x->s->names, path);

	return id != INTERN_NONE ? x->s->names.list[id].value[0] : INTERN_NONE;
}

static bool is_there(const struct set_member *m)
{
	return m != NULL && m->state != SET_MEMBER_LINK && m->state != SET_MEMBER_SPECIAL;
}

/* A pointer, and what could not be read, have findings of their own. */
static uint32_t state_of(const struct set_member *m)
{
	if (!is_there(m))
		return FILE_TOLD;
	if (m->format == WLK_FORMAT_EXTERNAL_WEIGHTS)
		return FILE_WEIGHED;
	return m->format == WLK_FORMAT_LFS_POINTER || m->state == SET_MEMBER_UNREADABLE ? FILE_OPAQUE : FILE_PRESENT;
}

/* Once for each file. */
static void meet_file(struct externals *x, struct interned *file, uint32_t member, struct bytes place)
{
	const struct set_member *m = member != INTERN_NONE ? &x->s->members[member] : NULL;

	file->value[FILE_STATE] = state_of(m);
	if (is_there(m))
		file->value[FILE_MEMBER] = member + 1;
	else
		set_finding(x->s, x->model, (struct finding){ .code = x->rules->missing, .subject = place });
}

static bool file_of(struct externals *x, struct bytes place, uint32_t *ret)
{
	uint8_t text[EXTERNAL_PATH_MAX];
	struct bytes path = bytes_of(text, external_path(x->s, x->model, x->rules, place, text));
	struct interned *file;

	if (!intern_add(&x->files, path, ret))
		return false;
	file = &x->files.list[*ret];
	if (file->value[FILE_STATE] == FILE_NEW)
		meet_file(x, file, find_member(x, path), place);
	return true;
}

/* Once for each model. */
static void tell_unchecked(struct externals *x, struct bytes place)
{
	if (!x->told)
		set_finding(x->s, x->model, (struct finding){ .code = x->rules->unchecked, .subject = place });
	x->told = true;
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
	if (x->failed || x->files.list[file].value[FILE_STATE] == FILE_WEIGHED)
		return !x->failed;
	tell_unchecked(x, row->file);
	if (x->files.list[file].value[FILE_STATE] != FILE_PRESENT)
		return true;
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

		if (!external_is_model(s, x.model, rules))
			continue;
		x.told = false;
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
	for (size_t i = 0; i < n_external_rules; i++)
		if (external_rules[i].format != WLK_FORMAT_TF_CHECKPOINT && !judge_models(s, &external_rules[i]))
			return false;
	return true;
}
