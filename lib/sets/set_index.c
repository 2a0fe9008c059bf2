/* An index against its shards: rules 6, 9 to 13, 16 and 17 of formats/safetensors-index.  First the index's rows say which
 * file each tensor should be in, then each shard's rows say what is there.  Full names are compared (intern.h); shards
 * that were not judged to their end are not compared, and nothing is claimed about their tensors. */
#include "checked.h"
#include "set_impl.h"
#include "shard_names.h"

/* value[] of j->files: the member plus one, or 0 when there is none; and a state. */
enum { FILE_MEMBER, FILE_STATE };
enum { FILE_UNKNOWN, FILE_COMPARED };
/* value[] of j->tensors: where the index says it is, where it was seen; files plus one, 0 for nowhere. */
enum { TENSOR_MAPPED, TENSOR_SEEN };

struct judging {
	struct set *s;
	uint32_t index, folder;
	bool safetensors; /* the index's family */
	struct intern files, tensors;
	uint32_t last_file;    /* of the row before */
	uint32_t file;         /* the shard whose rows go by */
	uint32_t not_compared; /* shards, or tensors whose names are longer than a row holds */
	bool sums, failed;
	uint64_t bytes, elements, file_bytes; /* of the shards that were compared, while sums */
};

static struct bytes file_name(const struct judging *j, uint32_t file)
{
	return intern_text(&j->files, file);
}

/* -- what the index says -- */

static bool add_file(struct judging *j, struct bytes name)
{
	size_t before = j->files.n;
	uint32_t id, member;

	if (j->files.n > 0 && bytes_equal(file_name(j, j->last_file), name))
		return true;
	if (!intern_add(&j->files, name, &id))
		return false;
	j->last_file = id;
	if (j->files.n == before)
		return true;
	member = set_find(j->s, j->folder, name);
	if (member != INTERN_NONE) {
		j->files.list[id].value[FILE_MEMBER] = member + 1;
		j->s->places[member].referenced = true;
	}
	return true;
}

/* A name longer than a row holds cannot be compared; it is reported where it stands. */
static bool take_mapping(void *ctx, const struct manifest_row *row)
{
	struct judging *j = ctx;
	uint32_t id;

	if (row->kind != MANIFEST_MAPPING)
		return true;
	j->failed = !add_file(j, row->file);
	if (j->failed || row->name_bytes > row->name.n) {
		j->not_compared++;
		return !j->failed;
	}
	j->failed = !intern_add(&j->tensors, row->name, &id);
	if (!j->failed)
		j->tensors.list[id].value[TENSOR_MAPPED] = j->last_file + 1;
	return !j->failed;
}

/* -- the shards as files -- */

/* What cannot be what the index says (rule 17).  What nobody recognised, and a pointer to what is elsewhere, is named where
 * it was judged. */
static bool fits(const struct judging *j, enum wlk_format_id format)
{
	switch (format) {
	case WLK_FORMAT_UNKNOWN:
	case WLK_FORMAT_LFS_POINTER: return true;
	case WLK_FORMAT_SAFETENSORS: return j->safetensors;
	case WLK_FORMAT_SAFETENSORS_INDEX:
	case WLK_FORMAT_SHARD_INDEX:
	case WLK_FORMAT_DEATHTENSORS:
	case WLK_FORMAT_GGUF:
	case WLK_FORMAT_NPY:
	case WLK_FORMAT_NPZ:
	case WLK_FORMAT_TEXT:
	case WLK_FORMAT_CODE: return false;
	default: return !j->safetensors;
	}
}

static void check_format(struct judging *j, uint32_t member)
{
	const struct set_member *m = &j->s->members[member], *index = &j->s->members[j->index];
	struct finding f = { .code = WLK_F_INDEX_SHARD_FORMAT };

	if (fits(j, m->format))
		return;
	f.found = value_text(bytes_of_text(format_info(m->format)->name));
	f.allowed = value_text(bytes_of_text(j->safetensors ? "safetensors" : format_info(index->format)->name));
	set_finding(j->s, member, f);
}

/* A name that leads elsewhere is no file of the folder, and was reported as what it is. */
static bool is_base_name(struct bytes name)
{
	return name.n > 0 && memchr(name.at, '/', name.n) == NULL && memchr(name.at, '\\', name.n) == NULL;
}

/* A shard's name without a member of that name; a folder is only known by what is in it. */
static void absent(struct judging *j, uint32_t file)
{
	struct finding f = { .code = WLK_F_INDEX_SHARD_MISSING, .subject = file_name(j, file) };

	if (!is_base_name(f.subject))
		return;
	if (set_is_folder(j->s, j->folder, f.subject))
		f.code = WLK_F_INDEX_SHARD_TYPE;
	set_finding(j->s, j->index, f);
}

/* Return: its tensors can be compared. */
static bool check_file(struct judging *j, uint32_t file)
{
	uint32_t member = j->files.list[file].value[FILE_MEMBER] - 1;
	const struct set_member *m;

	if (j->files.list[file].value[FILE_MEMBER] == 0) {
		absent(j, file);
		return false;
	}
	m = &j->s->members[member];
	if (m->state == SET_MEMBER_LINK || m->state == SET_MEMBER_SPECIAL) {
		set_finding(j->s, member,
		    (struct finding){
			.code = m->state == SET_MEMBER_LINK ? WLK_F_INDEX_SHARD_SYMLINK : WLK_F_INDEX_SHARD_TYPE });
		return false;
	}
	check_format(j, member);
	if (j->safetensors && m->state == SET_MEMBER_WHOLE && m->format == WLK_FORMAT_SAFETENSORS)
		return true;
	if (j->safetensors)
		set_finding(j->s, member, (struct finding){ .code = WLK_F_INDEX_UNCHECKED });
	return false;
}

/* -- the shards' tensors -- */

static void tensor_finding(struct judging *j, enum wlk_finding code, struct bytes tensor, uint32_t other)
{
	struct finding f = { .code = code, .subject = tensor };

	if (other > 0)
		f.allowed = value_text(file_name(j, other - 1));
	set_finding(j->s, j->files.list[j->file].value[FILE_MEMBER] - 1, f);
}

/* Sums that do not fit are sums of nothing real: then none is compared. */
static void add_sums(struct judging *j, const struct manifest_row *row)
{
	uint64_t elements = 1;

	for (unsigned i = 0; i < row->rank && j->sums; i++)
		j->sums = mul_u64(elements, row->shape[i], &elements);
	j->sums = j->sums && add_u64(j->bytes, row->end - row->begin, &j->bytes) &&
		  add_u64(j->elements, elements, &j->elements);
}

static bool take_tensor(void *ctx, const struct manifest_row *row)
{
	struct judging *j = ctx;
	uint32_t id, here = j->file + 1, *value;

	if (row->kind != MANIFEST_TENSOR)
		return true;
	add_sums(j, row);
	if (row->name_bytes > row->name.n) {
		j->not_compared++;
		return true;
	}
	j->failed = !intern_add(&j->tensors, row->name, &id);
	if (j->failed)
		return false;
	value = j->tensors.list[id].value;
	if (value[TENSOR_SEEN] != 0 && value[TENSOR_SEEN] != here)
		tensor_finding(j, WLK_F_INDEX_TENSOR_DUPLICATE, row->name, value[TENSOR_SEEN]);
	else if (value[TENSOR_MAPPED] == 0)
		tensor_finding(j, WLK_F_INDEX_TENSOR_UNLISTED, row->name, 0);
	else if (value[TENSOR_MAPPED] != here)
		tensor_finding(j, WLK_F_INDEX_TENSOR_WRONG_SHARD, row->name, value[TENSOR_MAPPED]);
	if (value[TENSOR_SEEN] == 0 || value[TENSOR_MAPPED] == here)
		value[TENSOR_SEEN] = here;
	return true;
}

static bool compare_files(struct judging *j)
{
	for (j->file = 0; j->file < j->files.n; j->file++) {
		uint32_t member;

		if (!check_file(j, j->file)) {
			j->not_compared++;
			continue;
		}
		member = j->files.list[j->file].value[FILE_MEMBER] - 1;
		j->files.list[j->file].value[FILE_STATE] = FILE_COMPARED;
		j->sums = j->sums && add_u64(j->file_bytes, j->s->members[member].size, &j->file_bytes);
		if (!set_rows(j->s, member, take_tensor, j))
			return false;
		if (j->failed)
			return set_stop(j->s);
	}
	return true;
}

/* Rule 9, for what was seen nowhere; what is in another shard than it should be was reported there. */
static void check_missing(struct judging *j)
{
	for (uint32_t i = 0; i < j->tensors.n; i++) {
		const uint32_t *value = j->tensors.list[i].value;

		if (value[TENSOR_SEEN] != 0 || value[TENSOR_MAPPED] == 0)
			continue;
		j->file = value[TENSOR_MAPPED] - 1;
		if (j->files.list[j->file].value[FILE_STATE] == FILE_COMPARED)
			tensor_finding(j, WLK_F_INDEX_TENSOR_MISSING, intern_text(&j->tensors, i), 0);
	}
}

/* -- totals and formats -- */

static void check_total(struct judging *j, enum wlk_fact fact, enum wlk_finding code, uint64_t allowed)
{
	const struct value *total = set_fact(j->s, j->index, fact);

	/* Rule 12 and section 9: 0 says nothing. */
	if (total == NULL || total->kind != VALUE_NUMBER || total->number == 0 || total->number == allowed)
		return;
	if (fact == WLK_FACT_INDEX_TOTAL_SIZE && total->number == j->file_bytes)
		code = WLK_F_INDEX_TOTAL_FILES;
	set_finding(
	    j->s, j->index, (struct finding){ .code = code, .found = *total, .allowed = value_number(allowed) });
}

/* Only of shards that were all compared can a sum be known. */
static void check_totals(struct judging *j)
{
	if (j->not_compared > 0 || !j->sums)
		return;
	check_total(j, WLK_FACT_INDEX_TOTAL_SIZE, WLK_F_INDEX_TOTAL_SIZE, j->bytes);
	check_total(j, WLK_FACT_INDEX_TOTAL_PARAMETERS, WLK_F_INDEX_TOTAL_PARAMETERS, j->elements);
}

/* Rule 16; a shard that says nothing agrees with all. */
static void check_formats(struct judging *j)
{
	const struct value *first = NULL, *format;

	for (uint32_t i = 0; i < j->files.n; i++) {
		uint32_t member = j->files.list[i].value[FILE_MEMBER] - 1;

		if (j->files.list[i].value[FILE_STATE] != FILE_COMPARED)
			continue;
		format = set_fact(j->s, member, WLK_FACT_METADATA_FORMAT);
		if (format == NULL || format->kind != VALUE_TEXT)
			continue;
		if (first == NULL)
			first = format;
		else if (!bytes_equal(first->text, format->text))
			set_finding(j->s, member,
			    (struct finding){
				.code = WLK_F_INDEX_FORMAT_MISMATCH, .found = *format, .allowed = *first });
	}
}

/* -- rule 14 -- */

struct search {
	struct judging *j;
	uint32_t other; /* the index that is looked through */
};

static bool find_shared(void *ctx, const struct manifest_row *row)
{
	struct search *q = ctx;
	uint32_t id = row->kind == MANIFEST_MAPPING ? intern_find(&q->j->tensors, row->name) : INTERN_NONE;

	if (id == INTERN_NONE || q->j->tensors.list[id].value[TENSOR_MAPPED] == 0)
		return true;
	q->j->s->places[q->other].alternative = true;
	set_finding(q->j->s, q->other, (struct finding){ .code = WLK_F_INDEX_AMBIGUOUS_SET, .subject = row->name });
	return false;
}

/* An index of other files for the same tensors. */
static bool check_other_indexes(struct judging *j)
{
	const struct set *s = j->s;
	const struct interned *range = &s->folders.list[j->folder];

	for (uint32_t i = range->value[0]; i < range->value[1]; i++) {
		struct search q = { .j = j, .other = s->by_folder[i] };

		if (set_is_index(&s->members[q.other]) && s->members[q.other].format != s->members[j->index].format &&
		    !set_rows(j->s, q.other, find_shared, &q))
			return false;
	}
	return true;
}

/* `model.safetensors` beside `model.safetensors.index.json`. */
static void check_single_file(struct judging *j)
{
	uint8_t name[SET_NAME_MAX + 2];
	struct index_name parts;
	size_t at;
	uint32_t member;

	if (!index_name_parse(set_base(j->s, j->index), &parts))
		return;
	bytes_copy(name, parts.stem);
	at = parts.stem.n;
	if (parts.variant.n > 0) {
		name[at++] = '.';
		bytes_copy(name + at, parts.variant);
		at += parts.variant.n;
	}
	name[at++] = '.';
	bytes_copy(name + at, parts.family);
	member = at + parts.family.n <= MANIFEST_PATH_MAX
		     ? set_find(j->s, j->folder, bytes_of(name, at + parts.family.n))
		     : INTERN_NONE;
	if (member == INTERN_NONE || j->s->places[member].referenced)
		return;
	j->s->places[member].alternative = true;
	set_finding(j->s, member, (struct finding){ .code = WLK_F_INDEX_AMBIGUOUS_SET });
}

/* -- the whole -- */

static bool judge(struct judging *j, bool first)
{
	if (!set_rows(j->s, j->index, take_mapping, j))
		return false;
	if (j->failed)
		return set_stop(j->s);
	check_single_file(j);
	if (first && !check_other_indexes(j))
		return false;
	if (!compare_files(j))
		return false;
	if (!j->safetensors) {
		set_finding(j->s, j->index, (struct finding){ .code = WLK_F_INDEX_UNCHECKED });
		return true;
	}
	check_missing(j);
	check_totals(j);
	check_formats(j);
	return true;
}

bool set_judge_index(struct set *s, uint32_t index, bool first)
{
	const struct set_member *m = &s->members[index];
	struct judging j = { .s = s,
		.index = index,
		.folder = s->places[index].folder,
		.safetensors = m->format == WLK_FORMAT_SAFETENSORS_INDEX,
		.sums = true };
	bool ok;

	if (m->state != SET_MEMBER_WHOLE) {
		set_finding(s, index, (struct finding){ .code = WLK_F_INDEX_UNCHECKED });
		return true;
	}
	intern_init(&j.files, s->in->arena, s->in->seed);
	intern_init(&j.tensors, s->in->arena, s->in->seed);
	ok = judge(&j, first);
	intern_done(&j.tensors);
	intern_done(&j.files);
	return ok;
}
