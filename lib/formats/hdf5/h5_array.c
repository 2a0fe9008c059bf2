/* Arrays of addresses by which the second generation of HDF5 finds chunks: fixed ones (FAHD, FADB) and extensible ones
 * (EAHD, EAIB, EASB, EADB), after the HDF5 File Format Specification 3.0, VII.C and VII.D.  Long blocks of entries stand in
 * pages, with a checksum each and a bit that says whether it was written. */
#include "checked.h"
#include "h5.h"

enum { ENTRY_BYTES = 8, SUM_BYTES = 4, BLOCK_HEAD = 14 /* signature, version, client, the header's address */ };

#define ELEMENTS_MAX (UINT64_C(1) << 40) /* more than a file has bytes for */

/* Version, and the client: chunks without filters. */
static bool check_head(const struct h5_array *a, uint64_t at, const uint8_t *b, const char *magic)
{
	return (b[4] == 0 && b[5] == 0 && load_u64le(b + 6) == a->address) ||
	       h5_break(a->h, WLK_F_H5_STRUCTURE, at, magic);
}

/* Entries [from, from + n), which stand at `at`. */
static bool take_entries(const struct h5_array *a, const uint8_t *at, uint64_t from, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t entry = load_u64le(at + ENTRY_BYTES * i);

		if (entry != H5_UNDEFINED && !a->take(a->ctx, from + i, entry))
			return false;
	}
	return true;
}

/* A page of entries, with a checksum; claimed although nobody wrote to it. */
static bool read_page(const struct h5_array *a, uint64_t address, uint64_t from, uint64_t n, bool written)
{
	uint64_t bytes = ENTRY_BYTES * n;
	uint8_t *b = h5_read(a->h, address, bytes + SUM_BYTES, "page");
	bool read;

	if (b == NULL || !h5_claim(a->h, address, bytes + SUM_BYTES))
		return false;
	if (!written)
		h5_count_slack(a->h, b, bytes + SUM_BYTES);
	else if (!h5_is_sum(b, (size_t)bytes, load_u32le(b + bytes)))
		return h5_break(a->h, WLK_F_H5_CHECKSUM, address, "page");
	read = !written || take_entries(a, b, from, n);
	h5_release(a->h, b);
	return read;
}

static bool has_bit(const uint8_t *bits, uint64_t which)
{
	return (bits[which / 8] & (0x80 >> which % 8)) != 0;
}

struct pages {
	uint64_t address, from, n; /* entries */
	uint64_t page;             /* ... in one of them */
	const uint8_t *written;
	uint64_t first_bit;
};

static bool read_pages(const struct h5_array *a, const struct pages *p)
{
	uint64_t at = p->address;

	for (uint64_t done = 0, i = p->first_bit; done < p->n; done += p->page, i++) {
		uint64_t n = min_u64(p->page, p->n - done);

		if (!read_page(a, at, p->from + done, n, has_bit(p->written, i)))
			return false;
		at += ENTRY_BYTES * n + SUM_BYTES; /* inside the file */
	}
	return true;
}

/* -- fixed arrays: one block -- */

#define FIXED_HEADER_BYTES 28u

static bool read_fixed_block(const struct h5_array *a, uint64_t address, uint64_t page)
{
	uint64_t n_pages = a->n <= page ? 0 : (a->n - 1) / page + 1;
	uint64_t bytes = BLOCK_HEAD + (n_pages > 0 ? (n_pages + 7) / 8 : ENTRY_BYTES * a->n) + SUM_BYTES;
	uint8_t *b = h5_read_checked(a->h, address, bytes, "FADB");
	struct pages p = { .address = address + bytes, .n = a->n, .page = page };
	bool read;

	if (b == NULL || !check_head(a, address, b, "FADB"))
		return false;
	p.written = b + BLOCK_HEAD;
	read = n_pages > 0 ? read_pages(a, &p) : take_entries(a, b + BLOCK_HEAD, 0, a->n);
	h5_release(a->h, b);
	return read;
}

bool h5_read_fixed_array(const struct h5_array *a)
{
	uint8_t *b = h5_read_checked(a->h, a->address, FIXED_HEADER_BYTES, "FAHD");
	uint64_t n, address;
	unsigned page_bits;

	if (b == NULL)
		return false;
	page_bits = b[7];
	n = load_u64le(b + 8);
	address = load_u64le(b + 16);
	if (b[4] != 0 || b[5] != 0 || b[6] != ENTRY_BYTES || page_bits == 0 || page_bits > 32 || n != a->n)
		return h5_break(a->h, WLK_F_H5_STRUCTURE, a->address, "FAHD");
	h5_release(a->h, b);
	if (address == H5_UNDEFINED)
		return true;
	if (n > a->h->l->part.size / ENTRY_BYTES)
		return h5_break(a->h, WLK_F_H5_ADDRESS, a->address, "FADB");
	return read_fixed_block(a, address, UINT64_C(1) << page_bits);
}

/* -- extensible arrays --
 *
 * The index block has the first entries, then data blocks, then super blocks, which have data blocks.  Blocks come in
 * levels: in level i there are 2^(i/2) of them, with 2^((i+1)/2) times the least number of entries.  The first levels'
 * stand in the index block, each other level's in a super block. */

#define EXTENSIBLE_HEADER_BYTES 72u

struct extensible {
	const struct h5_array *a;
	unsigned max_bits, page_bits, offset_bytes;
	uint64_t n_own, least, least_blocks, address; /* of the index block */
	unsigned levels, own_levels;                  /* in all; in the index block */
};

static bool is_power(uint64_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

static bool read_extensible_header(struct extensible *e)
{
	struct h5 *h = e->a->h;
	uint8_t *b = h5_read_checked(h, e->a->address, EXTENSIBLE_HEADER_BYTES, "EAHD");
	unsigned least_bits;

	if (b == NULL)
		return false;
	e->max_bits = b[7];
	e->n_own = b[8];
	e->least = b[9];
	e->least_blocks = b[10];
	e->page_bits = b[11];
	e->address = load_u64le(b + 60);
	if (b[4] != 0 || b[5] != 0 || b[6] != ENTRY_BYTES || e->max_bits == 0 || e->max_bits > 64 ||
	    !is_power(e->least) || !is_power(e->least_blocks) || e->page_bits == 0 || e->page_bits > 32)
		return h5_break(h, WLK_F_H5_STRUCTURE, e->a->address, "EAHD");
	h5_release(h, b);
	least_bits = (unsigned)__builtin_ctzll(e->least);
	if (least_bits > e->max_bits)
		return h5_break(h, WLK_F_H5_STRUCTURE, e->a->address, "EAHD");
	e->offset_bytes = (e->max_bits + 7) / 8;
	e->levels = 1 + e->max_bits - least_bits;
	e->own_levels = 2 * (unsigned)__builtin_ctzll(e->least_blocks);
	return e->own_levels <= e->levels || h5_break(h, WLK_F_H5_STRUCTURE, e->a->address, "EAHD");
}

static uint64_t blocks_in(unsigned level)
{
	return UINT64_C(1) << level / 2;
}

static uint64_t blocks_before(unsigned level)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < level; i++)
		n += blocks_in(i);
	return n;
}

/* False: more than any file has. */
static bool entries_in(const struct extensible *e, unsigned level, uint64_t *ret)
{
	return mul_u64(e->least, UINT64_C(1) << (level + 1) / 2, ret) && *ret <= ELEMENTS_MAX;
}

/* A block's offset: how many entries stand in blocks before it.  Of blocks that the index block has, HDF5 counts those
 * before their level twice, and never looks again. @twice: so many entries. */
static bool check_offset(
    const struct extensible *e, const struct pages *p, const uint8_t *b, uint64_t twice, const char *magic)
{
	uint64_t offset = h5_width(b + BLOCK_HEAD, e->offset_bytes);

	return check_head(e->a, p->address, b, magic) &&
	       (offset == p->from - e->n_own || (offset >= twice && offset - twice == p->from - e->n_own) ||
		   h5_break(e->a->h, WLK_F_H5_STRUCTURE, p->address, magic));
}

/* Entries from `from` on. @p: with the bits of its pages, if it has any. */
static bool read_data_block(const struct extensible *e, struct pages *p, uint64_t twice)
{
	struct h5 *h = e->a->h;
	bool paged = p->n > p->page;
	uint64_t head = BLOCK_HEAD + (uint64_t)e->offset_bytes,
		 bytes = head + (paged ? 0 : ENTRY_BYTES * p->n) + SUM_BYTES;
	uint8_t *b = h5_read_checked(h, p->address, bytes, "EADB");
	bool read;

	if (b == NULL || !check_offset(e, p, b, twice, "EADB"))
		return false;
	p->address += bytes;
	read = paged ? read_pages(e->a, p) : take_entries(e->a, b + head, p->from, p->n);
	h5_release(h, b);
	return read;
}

/* Data blocks of a level, whose addresses stand at `at`. @written: a bit for each page of each; NULL where there are none. */
static bool read_level(
    const struct extensible *e, unsigned level, uint64_t from, const uint8_t *at, const uint8_t *written)
{
	uint64_t n, twice, page = UINT64_C(1) << e->page_bits;

	if (!entries_in(e, level, &n) || (n > page && written == NULL))
		return h5_break(e->a->h, WLK_F_H5_STRUCTURE, e->a->address, "EAHD");
	twice = written == NULL ? blocks_before(level) * n
				: 0; /* for own levels, of which there are few; otherwise not asked */
	for (uint64_t i = 0; i < blocks_in(level); i++) {
		struct pages p = { .address = load_u64le(at + 8 * i), .n = n, .page = page, .written = written };

		p.from = from + i * n;
		p.first_bit = i * (n / page);
		if (p.address != H5_UNDEFINED && !read_data_block(e, &p, twice))
			return false;
	}
	return true;
}

static bool read_super_block(const struct extensible *e, unsigned level, uint64_t from, uint64_t address)
{
	struct h5 *h = e->a->h;
	const struct pages place = { .address = address, .from = from };
	uint64_t n, page = UINT64_C(1) << e->page_bits, blocks = blocks_in(level), bits = 0, head, bytes;
	uint8_t *b;
	bool read;

	if (!entries_in(e, level, &n))
		return h5_break(h, WLK_F_H5_STRUCTURE, e->a->address, "EAHD");
	if (n > page)
		bits = blocks *
		       ((n / page + 7) / 8); /* for each block whole bytes, though its bits go on from the last's */
	head = BLOCK_HEAD + (uint64_t)e->offset_bytes;
	bytes = head + bits + 8 * blocks + SUM_BYTES;
	b = h5_read_checked(h, address, bytes, "EASB");
	read = b != NULL && check_offset(e, &place, b, 0, "EASB") &&
	       read_level(e, level, from, b + head + bits, bits > 0 ? b + head : NULL);
	h5_release(h, b);
	return read;
}

/* What stands before a level: own entries, and 2^i times the least number for each level i.  False: more than any file has. */
static bool level_start(const struct extensible *e, unsigned level, uint64_t *ret)
{
	return level < 64 && mul_u64(e->least, (UINT64_C(1) << level) - 1, ret) && *ret <= ELEMENTS_MAX &&
	       add_u64(*ret, e->n_own, ret);
}

/* Data blocks of the first levels, then a super block for each of the others. */
static bool read_levels(const struct extensible *e, const uint8_t *at)
{
	for (unsigned level = 0; level < e->levels; level++) {
		bool own = level < e->own_levels;
		uint64_t address = own ? 0 : load_u64le(at), from;

		if (address != H5_UNDEFINED && !level_start(e, level, &from))
			return h5_break(e->a->h, WLK_F_H5_STRUCTURE, e->a->address, "EAHD");
		if (address != H5_UNDEFINED &&
		    !(own ? read_level(e, level, from, at, NULL) : read_super_block(e, level, from, address)))
			return false;
		at += own ? 8 * blocks_in(level) : 8;
	}
	return true;
}

bool h5_read_extensible_array(const struct h5_array *a)
{
	struct extensible e = { .a = a };
	uint64_t bytes;
	uint8_t *b;
	bool read;

	if (!read_extensible_header(&e))
		return false;
	if (e.address == H5_UNDEFINED)
		return true;
	bytes = BLOCK_HEAD + ENTRY_BYTES * e.n_own + 8 * 2 * (e.least_blocks - 1) +
		8 * (uint64_t)(e.levels - e.own_levels) + SUM_BYTES;
	b = h5_read_checked(a->h, e.address, bytes, "EAIB");
	read = b != NULL && check_head(a, e.address, b, "EAIB") && take_entries(a, b + BLOCK_HEAD, 0, e.n_own) &&
	       read_levels(&e, b + BLOCK_HEAD + ENTRY_BYTES * e.n_own);
	h5_release(a->h, b);
	return read;
}
