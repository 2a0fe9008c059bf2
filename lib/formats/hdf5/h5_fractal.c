/* Fractal heaps of an HDF5 file (FRHP, FHIB, FHDB): section 4.2 of formats/keras-hdf5.  Blocks of bytes in rows, each row
 * from the second on of twice the size; behind the rows of blocks stand rows of blocks of blocks.  Filtered heaps and
 * objects outside of blocks are named as not supported (H15). */
#include <string.h>

#include "checked.h"
#include "h5.h"

#define HEADER_BYTES 146u
#define GAPS_FRAME_BYTES 17u
#define GAPS_OF_HEAP 0u /* the client of a manager of free space, and how many kinds of gaps it has */
#define GAPS_KINDS 4u
#define WIDTH_MAX 1024u                     /* blocks in a row */
#define BLOCK_BYTES_MAX (UINT64_C(1) << 24) /* more than any writer's */

/* As HDF5 counts: bytes that numbers up to a limit take. */
unsigned h5_limit_width(uint64_t limit)
{
	return limit > 0 ? (unsigned)(63 - __builtin_clzll(limit)) / 8 + 1 : 1;
}

static bool is_power(uint64_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

/* Of a power of two. */
static unsigned log_2(uint64_t n)
{
	return (unsigned)__builtin_ctzll(n);
}

/* FSSE: version, its manager's address, gaps, checksum; behind it room for more. */
static bool read_gaps(struct h5_fractal *f, uint64_t address, uint64_t used, uint64_t n)
{
	uint8_t *at;
	bool sound;

	if (used < GAPS_FRAME_BYTES || used > n || used > H5_CHUNK_MAX)
		return h5_break(f->h, WLK_F_H5_STRUCTURE, f->free_manager, "FSHD");
	at = h5_read_checked(f->h, address, used, "FSSE");
	if (at == NULL)
		return false;
	sound = at[4] == 0 && load_u64le(at + 5) == f->free_manager;
	h5_release(f->h, at);
	return sound ? n == used || h5_claim(f->h, address + used, n - used) /* the list is in the file */
		     : h5_break(f->h, WLK_F_H5_STRUCTURE, address, "FSSE");
}

/* Free space has a manager of its own, with a list of the gaps.  HDF5 looks up by numbers in it what a gap is, and whose, and
 * believes how many there are. */
static bool read_free_space(struct h5_fractal *f)
{
	uint64_t list, n, used, gaps, kept;
	uint8_t *at;
	bool sound;

	if (f->free_manager == H5_UNDEFINED)
		return true;
	at = h5_read_checked(f->h, f->free_manager, 82, "FSHD");
	if (at == NULL)
		return false;
	kept = load_u64le(at + 22);
	sound = at[4] == 0 && at[5] == GAPS_OF_HEAP && load_u16le(at + 38) == GAPS_KINDS &&
		add_u64(kept, load_u64le(at + 30), &gaps) && load_u64le(at + 14) == gaps;
	list = load_u64le(at + 54);
	used = load_u64le(at + 62);
	n = load_u64le(at + 70);
	h5_release(f->h, at);
	if (!sound || (list == H5_UNDEFINED) != (kept == 0))
		return h5_break(f->h, WLK_F_H5_STRUCTURE, f->free_manager, "FSHD");
	return list == H5_UNDEFINED || read_gaps(f, list, used, n);
}

static bool read_header(struct h5_fractal *f)
{
	uint8_t *b = h5_read_checked(f->h, f->address, HEADER_BYTES, "FRHP");
	uint32_t max_object, heap_bits;

	if (b == NULL)
		return false;
	f->id_bytes = load_u16le(b + 5);
	f->checksums = (b[9] & 2) != 0;
	max_object = load_u32le(b + 10);
	f->free_manager = load_u64le(b + 38);
	f->space = load_u64le(b + 46);
	f->allocated = load_u64le(b + 54);
	f->n_managed = load_u64le(b + 70);
	f->plain = b[4] == 0 && load_u16le(b + 7) == 0 && load_u64le(b + 22) == H5_UNDEFINED &&
		   load_u64le(b + 86) == 0 && load_u64le(b + 102) == 0;
	f->width = load_u16le(b + 110);
	f->start = load_u64le(b + 112);
	f->max_direct = load_u64le(b + 120);
	heap_bits = load_u16le(b + 128);
	f->root = load_u64le(b + 132);
	f->rows = load_u16le(b + 140);
	h5_release(f->h, b);
	if (!is_power(f->width) || f->width > WIDTH_MAX || !is_power(f->start) || !is_power(f->max_direct) ||
	    f->start > f->max_direct || f->max_direct > BLOCK_BYTES_MAX || max_object == 0 ||
	    max_object > f->max_direct || heap_bits == 0 || heap_bits > 64 || f->rows > 64)
		return h5_break(f->h, WLK_F_H5_STRUCTURE, f->address, "FRHP");
	f->offset_bytes = (heap_bits + 7) / 8;
	f->length_bytes = h5_limit_width(max_object < f->max_direct ? max_object : f->max_direct);
	return read_free_space(f);
}

/* -- blocks of bytes -- */

static unsigned head_bytes(const struct h5_fractal *f)
{
	return 13 + f->offset_bytes + (f->checksums ? 4 : 0);
}

/* Signature, version, the heap's address, the block's own offset, a checksum with zeros in its place. */
static bool check_block(struct h5_fractal *f, struct h5_block *b)
{
	unsigned at = 13 + f->offset_bytes;
	uint32_t stored;

	if (b->n < at + 4 || memcmp(b->at, "FHDB\0", 5) != 0 || load_u64le(b->at + 5) != f->address ||
	    h5_width(b->at + 13, f->offset_bytes) != b->offset)
		return h5_break(f->h, WLK_F_H5_STRUCTURE, b->address, "FHDB");
	if (!f->checksums)
		return true;
	stored = load_u32le(b->at + at);
	memset(b->at + at, 0, 4);
	return h5_is_sum(b->at, (size_t)b->n, stored) || h5_break(f->h, WLK_F_H5_CHECKSUM, b->address, "FHDB");
}

static bool grow_blocks(struct h5_fractal *f)
{
	size_t room = f->blocks_room > 0 ? f->blocks_room * 2 : 16;
	struct h5_block *blocks = arena_resize_raw(f->h->l->arena, f->blocks, room, sizeof(*blocks));

	if (blocks == NULL)
		return h5_stop(f->h);
	f->blocks = blocks;
	f->blocks_room = room;
	return true;
}

static bool add_block(struct h5_fractal *f, uint64_t offset, uint64_t n, uint64_t address)
{
	struct h5_block *b;

	if (f->n_blocks == f->blocks_room && !grow_blocks(f))
		return false;
	b = &f->blocks[f->n_blocks];
	*b = (struct h5_block){ .offset = offset, .n = n, .address = address };
	b->at = h5_read(f->h, address, n, "FHDB");
	if (b->at == NULL || !h5_claim(f->h, address, n))
		return false;
	f->n_blocks++;
	return check_block(f, b);
}

/* -- blocks of blocks -- */

/* One that is being read, and what is to be read of it. */
struct indirect {
	uint8_t *at;
	uint64_t offset; /* of its next child */
	unsigned rows, next;
};

#define LEVELS_MAX 16u

static bool row_bytes(const struct h5_fractal *f, unsigned row, uint64_t *ret)
{
	return mul_u64(f->start, UINT64_C(1) << (row < 2 ? 0 : row - 1), ret); /* at most 64 rows */
}

static unsigned direct_rows(const struct h5_fractal *f)
{
	return log_2(f->max_direct) - log_2(f->start) + 2;
}

/* FHIB: signature, version, heap, offset, addresses of blocks, checksum. */
static bool push(struct h5_fractal *f, struct indirect *ret, uint64_t address, uint64_t offset, unsigned rows)
{
	uint64_t n = 13 + f->offset_bytes + rows * f->width * 8 + 4;

	*ret = (struct indirect){ .offset = offset, .rows = rows };
	ret->at = h5_read_checked(f->h, address, n, "FHIB");
	if (ret->at == NULL)
		return false;
	return (ret->at[4] == 0 && load_u64le(ret->at + 5) == f->address &&
		   h5_width(ret->at + 13, f->offset_bytes) == offset) ||
	       h5_break(f->h, WLK_F_H5_STRUCTURE, address, "FHIB");
}

/* Rows of a block of blocks that stands for so many bytes. */
static bool rows_of(const struct h5_fractal *f, uint64_t bytes, unsigned *ret)
{
	unsigned first = log_2(f->start) + log_2(f->width);

	if (log_2(bytes) < first)
		return false;
	*ret = log_2(bytes) - first + 1;
	return true;
}

/* The next child of the last on the stack. */
static bool take_child(struct h5_fractal *f, struct indirect *stack, unsigned *depth)
{
	struct indirect *top = &stack[*depth - 1];
	unsigned row = top->next / (unsigned)f->width, rows;
	uint64_t address = load_u64le(top->at + 13 + f->offset_bytes + 8 * (size_t)top->next), offset = top->offset, n;

	top->next++;
	if (!row_bytes(f, row, &n) || !add_u64(offset, n, &top->offset))
		return h5_break(f->h, WLK_F_H5_STRUCTURE, f->address, "FHIB");
	if (address == H5_UNDEFINED)
		return true; /* never needed */
	if (row < direct_rows(f))
		return add_block(f, offset, n, address);
	if (*depth == LEVELS_MAX || !rows_of(f, n, &rows))
		return h5_break(f->h, WLK_F_H5_STRUCTURE, address, "FHIB");
	return push(f, &stack[(*depth)++], address, offset, rows);
}

static bool read_indirect(struct h5_fractal *f)
{
	struct indirect stack[LEVELS_MAX];
	unsigned depth = 1;

	if (!push(f, &stack[0], f->root, 0, f->rows))
		return false;
	while (depth > 0) {
		struct indirect *top = &stack[depth - 1];

		if (top->next == top->rows * f->width) {
			h5_release(f->h, top->at);
			depth--;
		} else if (!take_child(f, stack, &depth)) {
			return false;
		}
	}
	return true;
}

/* -- the heap -- */

/* What the header says of all blocks: HDF5 looks objects up by it. */
static bool check_space(const struct h5_fractal *f)
{
	uint64_t space = f->root == H5_UNDEFINED ? 0 : f->start, allocated = 0;
	bool sound = f->rows == 0 || (row_bytes(f, f->rows, &space) && mul_u64(space, f->width, &space));

	for (size_t i = 0; i < f->n_blocks; i++)
		sound = sound && add_u64(allocated, f->blocks[i].n, &allocated);
	return (sound && f->space == space && f->allocated == allocated) ||
	       h5_break(f->h, WLK_F_H5_STRUCTURE, f->address, "FRHP");
}

bool h5_open_fractal(struct h5_fractal *f, struct h5 *h, uint64_t address)
{
	*f = (struct h5_fractal){ .h = h, .address = address };
	if (!read_header(f))
		return false;
	if (!f->plain) {
		h5_unsupported(h, address, "heap with filters, huge or tiny objects");
		return true;
	}
	if (f->root != H5_UNDEFINED && !(f->rows > 0 ? read_indirect(f) : add_block(f, 0, f->start, f->root)))
		return false;
	return check_space(f);
}

/* Blocks were met in the order of their offsets. */
static struct h5_block *find_block(const struct h5_fractal *f, uint64_t at)
{
	size_t low = 0, high = f->n_blocks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->blocks[middle].offset <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && at - f->blocks[low - 1].offset < f->blocks[low - 1].n ? &f->blocks[low - 1] : NULL;
}

bool h5_fractal_object(struct h5_fractal *f, const uint8_t *id, struct h5_object_bytes *ret)
{
	uint64_t at = h5_width(id + 1, f->offset_bytes), n = h5_width(id + 1 + f->offset_bytes, f->length_bytes);
	const struct h5_block *b = find_block(f, at);

	*ret = (struct h5_object_bytes){ 0 };
	if (id[0] != 0) {
		h5_unsupported(f->h, f->address, "huge or tiny object");
		return true;
	}
	if (b == NULL || at - b->offset < head_bytes(f) || n > b->n - (at - b->offset))
		return h5_break(f->h, WLK_F_H5_HEAP, f->address, "object outside its heap");
	*ret = (struct h5_object_bytes){
		.at = b->at + (at - b->offset), .n = (size_t)n, .address = b->address + (at - b->offset)
	};
	return true;
}

void h5_close_fractal(struct h5_fractal *f)
{
	for (size_t i = 0; i < f->n_blocks; i++) {
		const struct h5_block *b = &f->blocks[i];

		h5_count_slack(f->h, b->at + head_bytes(f), b->n - head_bytes(f));
		h5_release(f->h, b->at);
	}
	arena_release(f->h->l->arena, f->blocks);
}
