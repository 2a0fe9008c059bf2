/* Tar checkpoints: see pytorch_tar.h.  Nobody writes them any more, and loading one unpacks files and runs pickles; so
 * nothing of it is ever understood, and the pickles are judged only to say what they would have done. */
#include "pytorch_tar.h"

#include "checked.h"
#include "judge.h"
#include "tar_python.h"

#define BLOCK 512u
#define MAGIC_AT 257u
#define NAME_BYTES 100u
#define SIZE_AT 124u
#define SIZE_BYTES 12u
#define ENTRIES_MAX 64u /* the format has four */

/* torch.load() gives the file to Python's tarfile, which asks for no magic. */
static bool is_header(const uint8_t *block)
{
	struct tar_python ignored;

	return memcmp(block + MAGIC_AT, "ustar", strlen("ustar")) == 0 || tar_python_header(block, &ignored);
}

static struct bytes name_of(const uint8_t *block)
{
	return bytes_of(block, strnlen((const char *)block, NAME_BYTES));
}

/* Octal digits, blanks before, blank or NUL behind. */
static bool read_size(const uint8_t *block, uint64_t *ret)
{
	const uint8_t *at = block + SIZE_AT;
	uint64_t n = 0;
	unsigned i = 0;

	while (i < SIZE_BYTES && at[i] == ' ')
		i++;
	for (; i < SIZE_BYTES && at[i] >= '0' && at[i] <= '7'; i++)
		if (!mul_u64(n, 8, &n) || !add_u64(n, at[i] - '0', &n))
			return false;
	*ret = n;
	return i == SIZE_BYTES || at[i] == ' ' || at[i] == '\0';
}

static bool is_torch_name(struct bytes name)
{
	static const char *const names[] = { "sys_info", "pickle", "storages", "tensors" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(name, bytes_of_text(names[i])))
			return true;
	return false;
}

static bool probe(const struct probe *p)
{
	return p->n >= BLOCK && is_header(p->head) && is_torch_name(name_of(p->head));
}

static struct bytes keep(struct layout *l, struct bytes name)
{
	uint8_t *copy = arena_alloc(l->arena, name.n, 1);

	if (copy == NULL)
		return bytes_of(NULL, 0);
	bytes_copy(copy, name);
	return bytes_of(copy, name.n);
}

/* Pickles from the first byte on; what follows them in `storages` and `tensors` is none, and is told as trailing. */
static enum wlk_status judge_entry(struct layout *l, struct bytes name, uint64_t offset, uint64_t size)
{
	struct stream s = { .part = part_range(&l->part, offset, size), .codec = CODEC_STORED, .size = size };
	struct pickle_judge *judge;

	s.size_limit = l->lim->unpacked_bytes;
	s.part.member = keep(l, name);
	judge = s.part.member.at == NULL
		    ? NULL
		    : pickle_judge_new(l->arena, &(struct pickle_judge_options){ .profile = PICKLE_TORCH,
						     .extra = l->pickle_names,
						     .origin = part_offset(&s.part, 0),
						     .member = s.part.member,
						     .report = l->report,
						     .seed = l->seed,
						     .size = size,
						     .opcodes_max = l->lim->opcodes });
	if (judge == NULL)
		return layout_stop(l);
	return pickle_judge_stream(judge, &s, 0, l->arena) == WLK_INCOMPLETE ? WLK_INCOMPLETE : WLK_DONE;
}

/* One entry, if there is one; *pos moves behind it. */
static enum wlk_status walk_entry(struct layout *l, uint64_t *pos, bool *ret_more)
{
	uint64_t left = l->part.size - *pos, size, padded;
	enum wlk_status status = WLK_DONE;
	uint8_t block[BLOCK];

	*ret_more = false;
	if (left < BLOCK)
		return WLK_DONE;
	if (!part_read_guarded(&l->part, *pos, block, sizeof(block)))
		return layout_stop(l);
	if (!is_header(block) || !read_size(block, &size) || size > left - BLOCK)
		return WLK_DONE;
	if (size > 0 && name_of(block).n > 0)
		status = judge_entry(l, name_of(block), *pos + BLOCK, size);
	padded = min_u64((size + BLOCK - 1) / BLOCK * BLOCK, left - BLOCK); /* size is below the file's */
	*pos += BLOCK + padded;
	*ret_more = true;
	return status;
}

static enum wlk_status layout(struct layout *l)
{
	uint64_t pos = 0;
	bool more = true;

	layout_at(l, WLK_F_TORCH_LEGACY_TAR, 0);
	layout_raise_memory(l, 4 * PICKLE_MEMORY_BASE);
	for (unsigned i = 0; i < ENTRIES_MAX && more; i++)
		if (walk_entry(l, &pos, &more) != WLK_DONE)
			return WLK_INCOMPLETE;
	return WLK_BROKEN;
}

const struct wlk_format format_pytorch_tar = {
	.id = WLK_FORMAT_PYTORCH_TAR,
	.probe = probe,
	.layout = layout,
	.nested = NESTED_RANDOM,
};
