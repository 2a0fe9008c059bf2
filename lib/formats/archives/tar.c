/* Tar archives: see tar.h. */
#include "tar.h"

#include "checked.h"
#include "config_rules.h"
#include "nemo.h"
#include "nested.h"
#include "tar_header.h"
#include "text_member.h"

#define MEMBER_MEMORY ((uint64_t)2048) /* what each member may take of the arena beyond its reader's needs */

struct tar {
	struct layout *l;
	uint64_t at; /* of the next block */
	struct tar_extended extended;
	struct tar_header header;
	uint8_t folded[TAR_NAME_MAX]; /* the name at hand, in lower case */
	uint64_t *seen;               /* hashes of the names so far, a table */
	size_t n_slots, n_seen;
	struct nemo names; /* what the names say it is */
};

static uint64_t left(const struct tar *t)
{
	return t->l->part.size - t->at;
}

static enum wlk_status broken(struct tar *t, enum wlk_finding code, uint64_t at)
{
	layout_at(t->l, code, at);
	return WLK_BROKEN;
}

static bool add_extent(struct tar *t, enum extent_kind kind, uint64_t n)
{
	struct extent *e = extents_add(t->l->extents);

	if (e == NULL)
		return false;
	e->begin = t->at;
	e->end = t->at + n; /* inside the part */
	e->kind = (uint8_t)kind;
	t->at = e->end;
	return true;
}

static bool all_zero(const uint8_t *at, size_t n)
{
	return n == 0 || (at[0] == 0 && memcmp(at, at + 1, n - 1) == 0);
}

/* -- names that are there already -- */

#define FOLDER_BIT UINT64_C(1) /* of a hash: the name of a folder; and none is 0 */
#define TAKEN_BIT UINT64_C(2)
#define FOLDERS_MAX 64u /* one in the other */

static size_t slot_of(const uint64_t *slots, size_t n_slots, uint64_t hash)
{
	size_t at = (size_t)(hash >> 2) & (n_slots - 1);

	while (slots[at] != 0 && slots[at] != hash)
		at = (at + 1) & (n_slots - 1);
	return at;
}

static bool grow_seen(struct tar *t)
{
	size_t n_slots = t->n_slots > 0 ? t->n_slots * 2 : 256;
	uint64_t *slots = arena_alloc(t->l->arena, n_slots, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < t->n_slots; i++)
		if (t->seen[i] != 0)
			slots[slot_of(slots, n_slots, t->seen[i])] = t->seen[i];
	t->seen = slots;
	t->n_slots = n_slots;
	return true;
}

static bool is_seen(const struct tar *t, uint64_t hash)
{
	return t->seen[slot_of(t->seen, t->n_slots, hash)] != 0;
}

/* A name is that of one file, or of a folder, which may come again.  @ret_odd: said of names that meet by chance too, once in
 * 2^62.  False: memory. */
static bool see_name(struct tar *t, struct bytes name, bool folder, bool *ret_odd)
{
	uint64_t own = siphash13(name.at, name.n, &t->l->seed) | TAKEN_BIT;

	if (2 * t->n_seen >= t->n_slots && !grow_seen(t))
		return false;
	own = folder ? own | FOLDER_BIT : own & ~FOLDER_BIT;
	*ret_odd |= is_seen(t, own ^ FOLDER_BIT) || (!folder && is_seen(t, own));
	t->n_seen += !is_seen(t, own);
	t->seen[slot_of(t->seen, t->n_slots, own)] = own;
	return true;
}

/* As file systems see it that tell no case. */
static struct bytes fold_name(struct tar *t)
{
	for (size_t i = 0; i < t->header.name_n; i++) {
		uint8_t c = t->header.name[i];

		t->folded[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
	}
	return bytes_of(t->folded, t->header.name_n);
}

/* The member's own name, and those of the folders it is in.  Whoever unpacks a file over a folder, or a folder over a file, fails
 * or takes the other away. */
static bool see_path(struct tar *t, bool folder, bool *ret_odd)
{
	struct bytes name = fold_name(t);
	unsigned depth = 0;

	*ret_odd = false;
	layout_raise_memory(t->l, MEMBER_MEMORY);
	for (size_t i = 0; i < name.n; i++) {
		if (name.at[i] != '/')
			continue;
		if (depth++ == FOLDERS_MAX) {
			*ret_odd = true;
			return true;
		}
		if (!see_name(t, bytes_of(name.at, i), true, ret_odd))
			return false;
	}
	return name.n == 0 || see_name(t, name, folder, ret_odd);
}

/* -- members -- */

/* The path for findings: that of the archive, '!', and the name. */
static bool name_member(struct tar *t, struct member *m)
{
	struct bytes outer = t->l->part.member, own = bytes_of(t->header.name, t->header.name_n);
	size_t n = outer.n > 0 ? outer.n + 1 + own.n : own.n;
	uint8_t *path = arena_alloc(t->l->arena, n, 1);

	if (path == NULL)
		return false;
	if (outer.n > 0) {
		bytes_copy(path, outer);
		path[outer.n] = '!';
	}
	bytes_copy(path + (n - own.n), own);
	m->stream.part.member = bytes_of(path, n);
	return true;
}

static void report_member(struct tar *t, const struct member *m, enum wlk_finding code)
{
	report_finding(t->l->report, &(struct finding){ .code = code,
					 .has_offset = true,
					 .offset = part_offset(&m->stream.part, 0),
					 .member = m->stream.part.member });
}

static enum wlk_status judge_member(struct tar *t, uint64_t size)
{
	struct member *m = member_add(t->l->extents, t->at, t->at + size);
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status;
	bool done;

	if (m == NULL)
		return layout_stop(t->l);
	m->stream = (struct stream){
		.part = part_range(&t->l->part, t->at, size), .codec = CODEC_STORED, .size = size, .size_limit = size
	};
	if (!name_member(t, m))
		return layout_stop(t->l);
	t->at += size;
	status = nemo_judge(&t->names, t->l, m, bytes_of(t->header.name, t->header.name_n), &done);
	if (status != WLK_DONE || done)
		return status;
	status = nested_judge(t->l, m, &id);
	if (status == WLK_DONE && !nested_is_judged(id))
		return config_judge_unread(t->l, m, bytes_of(t->header.name, t->header.name_n));
	if (status != WLK_DONE || id != WLK_FORMAT_UNKNOWN)
		return status;
	if (!text_member_judge(t->l, m))
		return layout_stop(t->l);
	status = config_judge_member(t->l, m, bytes_of(t->header.name, t->header.name_n), false);
	if (status == WLK_BROKEN)
		m->understood = false;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

/* What no reader knows is nobody's, but for text in a model of NeMo's: vocabularies. */
static bool judge_unknown(struct tar *t)
{
	struct extents *x = t->l->extents;
	bool understood = true;

	for (size_t i = 0; i < x->n_members; i++) {
		struct member *m = x->members[i];

		if (m->id == WLK_FORMAT_UNKNOWN && !(t->names.configured && m->understood)) {
			m->understood = false;
			report_member(t, m, WLK_F_FORMAT_UNKNOWN);
		} else if (!nested_is_judged(m->id)) {
			report_member(t, m, WLK_F_FORMAT_PARTLY_CHECKED);
		}
		understood &= m->understood;
	}
	return understood;
}

/* A model of NeMo's is what its members are; of any other archive nobody can say who opens it. */
static enum wlk_status conclude(struct tar *t, enum wlk_status status)
{
	bool understood = judge_unknown(t);

	if (t->names.configured)
		t->l->id = WLK_FORMAT_NEMO;
	if (t->names.configured && t->names.code != NULL && !t->names.served)
		report_member(t, t->names.code, WLK_F_REPO_CODE);
	if (!t->names.configured)
		layout_at(t->l, WLK_F_FORMAT_IDENTIFIED_ONLY, 0);
	if (t->names.served && t->names.code != NULL) {
		t->l->id = WLK_FORMAT_MAR;
		report_member(t, t->names.code, WLK_F_MAR_HANDLER_CODE);
	}
	return status == WLK_DONE && !understood ? WLK_BROKEN : status;
}

static enum wlk_status read_extended(struct tar *t, uint64_t size)
{
	const uint8_t *content = part_pin(&t->l->part, t->at, (size_t)size);

	if (content == NULL)
		return layout_stop(t->l);
	if (!tar_extended_read(&t->extended, t->header.kind, bytes_of(content, (size_t)size)))
		return broken(t, WLK_F_TAR_PAX, t->at);
	return add_extent(t, EXTENT_METADATA, size) ? WLK_DONE : layout_stop(t->l);
}

/* Up to the next block: zeros. */
static enum wlk_status read_padding(struct tar *t, uint64_t size)
{
	uint64_t n = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
	uint8_t padding[TAR_BLOCK];

	if (n > left(t))
		return broken(t, WLK_F_TAR_TRUNCATED, t->at);
	if (n == 0)
		return WLK_DONE;
	if (!part_read_guarded(&t->l->part, t->at, padding, (size_t)n))
		return layout_stop(t->l);
	if (!all_zero(padding, (size_t)n))
		layout_at(t->l, WLK_F_TAR_TRAILING_BYTES, t->at);
	return add_extent(t, EXTENT_ZERO, n) ? WLK_DONE : layout_stop(t->l);
}

/* The first member that torch.load() takes out of an archive, and unpickles, wherever it lies.  An archive that begins with
 * one of PyTorch's names has a reader of its own (pytorch_tar.c). */
static bool is_of_torch(const struct tar_header *h)
{
	return bytes_equal(bytes_of(h->name, h->name_n), bytes_of_text("storages"));
}

static enum wlk_status read_content(struct tar *t)
{
	const struct tar_header *h = &t->header;
	uint64_t size = h->size, header_at = t->at - TAR_BLOCK;
	enum wlk_status status = WLK_DONE;
	bool odd;

	if (size > left(t)) {
		layout_value(t->l, WLK_F_TAR_SIZE, header_at, size, left(t));
		return WLK_BROKEN;
	}
	if (h->kind == TAR_LONG_NAME || h->kind == TAR_PAX) {
		status = read_extended(t, size);
	} else {
		if (!see_path(t, h->kind == TAR_FOLDER, &odd))
			return layout_stop(t->l);
		if (odd)
			layout_at(t->l, WLK_F_TAR_DUPLICATE, header_at);
		if (h->kind == TAR_FILE && is_of_torch(h))
			layout_at(t->l, WLK_F_TORCH_LEGACY_TAR, header_at);
		if (size > 0)
			status = judge_member(t, size);
	}
	return status == WLK_DONE ? read_padding(t, size) : status;
}

/* -- the end -- */

struct zeros {
	uint64_t other; /* offset of the first other byte */
};

static uint64_t look_for_other(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct zeros *z = ctx;

	if (all_zero(at, n))
		return offset + n;
	for (size_t i = 0; i < n; i++)
		if (at[i] != 0) {
			z->other = offset + i;
			break;
		}
	return FEED_END;
}

/* Two blocks of zeros, then zeros only. */
static enum wlk_status read_end(struct tar *t)
{
	struct zeros z = { .other = UINT64_MAX };

	if (left(t) < 2 * TAR_BLOCK)
		return broken(t, WLK_F_TAR_TRUNCATED, t->at);
	if (!part_preview(&t->l->part, t->at, (struct feeder){ .feed = look_for_other, .ctx = &z }))
		return layout_stop(t->l);
	if (z.other != UINT64_MAX)
		return broken(t, WLK_F_TAR_TRAILING_BYTES, z.other);
	return add_extent(t, EXTENT_ZERO, left(t)) ? WLK_DONE : layout_stop(t->l);
}

/* @ret_more: another block follows. */
static enum wlk_status read_block(struct tar *t, bool *ret_more)
{
	uint8_t block[TAR_BLOCK];
	enum wlk_finding code;

	*ret_more = false;
	if (left(t) < TAR_BLOCK)
		return broken(t, WLK_F_TAR_TRUNCATED, t->at);
	if (!part_read_guarded(&t->l->part, t->at, block, sizeof(block)))
		return layout_stop(t->l);
	if (all_zero(block, sizeof(block)))
		return t->extended.any ? broken(t, WLK_F_TAR_PAX, t->at) : read_end(t);
	if (!tar_header_read(block, &t->extended, &t->header, &code))
		return broken(t, code, t->at);
	if (!add_extent(t, EXTENT_HEADER, TAR_BLOCK))
		return layout_stop(t->l);
	*ret_more = true;
	return read_content(t);
}

static enum wlk_status layout(struct layout *l)
{
	struct tar *t = arena_alloc(l->arena, 1, sizeof(*t));
	enum wlk_status status;
	bool more;

	if (t == NULL)
		return layout_stop(l);
	t->l = l;
	do
		status = read_block(t, &more);
	while (status == WLK_DONE && more);
	return status != WLK_INCOMPLETE ? conclude(t, status) : status;
}

static bool probe(const struct probe *p)
{
	return p->n >= TAR_BLOCK && tar_begins(p->head);
}

const struct wlk_format format_tar = {
	.id = WLK_FORMAT_TAR,
	.probe = probe,
	.layout = layout,
	.nested = NESTED_RANDOM,
	.too_deep = WLK_F_WRAPPER_DEPTH,
};
