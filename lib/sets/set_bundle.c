/* Checkpoints of TensorFlow whose tensors are in other files: formats/tensorflow, section 5.  The index's rows say which bytes
 * of which data file a tensor is, and its own reader has seen that they leave no gap and do not overlap; here they are laid
 * beside the files that are there.  A data file that has been read as what the rows say (set_claims.c) has a verdict of its
 * own about all that is in it; what any other holds nobody has looked at. */
#include "checked.h"
#include "set_impl.h"
#include "shard_names.h"

#define INDEX ".index"
#define DATA ".data"
#define ALIGN_MAX 63u

/* value[] of b->files: bytes of it that tensors take, in two halves of 32 bits. */
enum { END_LOW, END_HIGH };
/* value[] of b->prefixes. */
enum { SHARDS, STATE };
enum { INCOMPLETE, WHOLE };

struct bundles {
	struct set *s;
	uint32_t index;         /* whose rows go by */
	struct intern prefixes; /* of the indexes: their names without what they end in */
	struct intern files;    /* data files, as indexes name them */
	uint32_t prefix;
	bool told; /* that not all of its tensors were read */
	bool failed;
};

static bool ends_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n > n && memcmp(b.at + b.n - n, text, n) == 0;
}

/* -- names -- */

/* "variables.data-00000-of-00001" */
static bool parse_data_name(struct bytes name, struct bytes *ret_prefix, uint32_t *ret_total)
{
	struct shard_number number;

	if (!shard_number_parse(name, &number) || number.rest.n > 0 || !number.plain || !ends_with(number.stem, DATA))
		return false;
	*ret_prefix = bytes_of(number.stem.at, number.stem.n - strlen(DATA));
	*ret_total = number.total;
	return true;
}

/* -- what indexes say -- */

static uint64_t end_of(const struct interned *file)
{
	return (uint64_t)file->value[END_HIGH] << 32 | file->value[END_LOW];
}

static bool is_weighed(const struct set_member *m)
{
	return m->format == WLK_FORMAT_EXTERNAL_WEIGHTS;
}

/* Once for each index. */
static void tell_unchecked(struct bundles *b, struct bytes path, struct bytes place)
{
	uint32_t id = intern_find(&b->s->names, path);

	if (b->told || (id != INTERN_NONE && is_weighed(&b->s->members[b->s->names.list[id].value[0]])))
		return;
	b->told = true;
	set_finding(b->s, b->index, (struct finding){ .code = WLK_F_TF_DATA_UNCHECKED, .subject = place });
}

static bool take_mapping(void *ctx, const struct manifest_row *row)
{
	struct bundles *b = ctx;
	uint8_t path[SET_NAME_MAX + MANIFEST_PATH_MAX];
	struct bytes prefix = intern_text(&b->prefixes, b->prefix), ignored;
	struct interned *file;
	uint32_t id, total;

	if (row->kind != MANIFEST_MAPPING || row->member.n > 0)
		return true;
	bytes_copy(path, prefix);
	bytes_copy(path + prefix.n, row->file);
	b->failed = !intern_add(&b->files, bytes_of(path, prefix.n + row->file.n), &id);
	if (b->failed)
		return false;
	tell_unchecked(b, bytes_of(path, prefix.n + row->file.n), row->file);
	file = &b->files.list[id];
	if (parse_data_name(bytes_of(path, prefix.n + row->file.n), &ignored, &total))
		b->prefixes.list[b->prefix].value[SHARDS] = total;
	if (row->end > end_of(file)) {
		file->value[END_LOW] = (uint32_t)row->end;
		file->value[END_HIGH] = (uint32_t)(row->end >> 32);
	}
	return true;
}

static bool read_index(struct bundles *b, uint32_t member)
{
	const struct set_member *m = &b->s->members[member];
	struct bytes prefix = bytes_of(m->name.at, m->name.n - strlen(INDEX));

	b->index = member;
	b->told = false;
	if (!intern_add(&b->prefixes, prefix, &b->prefix))
		return set_stop(b->s);
	b->prefixes.list[b->prefix].value[STATE] = m->state == SET_MEMBER_WHOLE ? WHOLE : INCOMPLETE;
	if (!set_rows(b->s, member, take_mapping, b))
		return false;
	return !b->failed || set_stop(b->s);
}

/* -- what is there -- */

/* A pointer stands for a file that is elsewhere. */
static bool is_opaque(const struct set_member *m)
{
	return m->format == WLK_FORMAT_LFS_POINTER || m->state == SET_MEMBER_UNREADABLE;
}

/* Of a data file that an index speaks about, or that is called as if one did. */
static void check_size(struct bundles *b, uint32_t member, uint64_t end, bool whole)
{
	uint64_t size = b->s->members[member].size;

	if (end > size)
		set_finding(b->s, member,
		    (struct finding){
			.code = WLK_F_TFCKPT_BOUNDS, .found = value_number(end), .allowed = value_number(size) });
	else if (whole && size - end > (end > 0 ? ALIGN_MAX : 0))
		set_finding(b->s, member,
		    (struct finding){
			.code = WLK_F_TFCKPT_HOLE, .found = value_number(size), .allowed = value_number(end) });
}

static void check_data_file(struct bundles *b, uint32_t member)
{
	const struct set_member *m = &b->s->members[member];
	const struct interned *prefix;
	struct bytes name;
	uint32_t total, id, file;

	if (is_opaque(m) || !parse_data_name(m->name, &name, &total) ||
	    (id = intern_find(&b->prefixes, name)) == INTERN_NONE)
		return;
	prefix = &b->prefixes.list[id];
	if (prefix->value[SHARDS] != 0 && prefix->value[SHARDS] != total) {
		set_finding(b->s, member,
		    (struct finding){ .code = WLK_F_TFCKPT_SHARDS,
			.found = value_number(total),
			.allowed = value_number(prefix->value[SHARDS]) });
		return;
	}
	if (is_weighed(m))
		return;
	file = intern_find(&b->files, m->name);
	check_size(b, member, file != INTERN_NONE ? end_of(&b->files.list[file]) : 0, prefix->value[STATE] == WHOLE);
}

static void check_present(struct bundles *b)
{
	for (uint32_t i = 0; i < b->files.n; i++) {
		struct bytes name = intern_text(&b->files, i), prefix = { 0 };
		uint32_t id = intern_find(&b->s->names, name), total;
		const struct set_member *m = id != INTERN_NONE ? &b->s->members[b->s->names.list[id].value[0]] : NULL;

		if (m != NULL && m->state != SET_MEMBER_LINK && m->state != SET_MEMBER_SPECIAL)
			continue;
		if (!parse_data_name(name, &prefix, &total))
			continue;
		set_finding(b->s, b->index, (struct finding){ .code = WLK_F_TF_DATA_MISSING, .subject = name });
	}
}

bool set_judge_bundles(struct set *s)
{
	struct bundles b = { .s = s };
	bool ok = true;

	intern_init(&b.prefixes, s->in->arena, s->in->seed);
	intern_init(&b.files, s->in->arena, s->in->seed);
	for (uint32_t i = 0; i < s->n && ok; i++)
		if (s->members[i].format == WLK_FORMAT_TF_CHECKPOINT && ends_with(s->members[i].name, INDEX))
			ok = read_index(&b, i);
	for (uint32_t i = 0; i < s->n && ok && b.prefixes.n > 0; i++)
		check_data_file(&b, i);
	if (ok)
		check_present(&b);
	intern_done(&b.prefixes);
	intern_done(&b.files);
	return ok;
}
