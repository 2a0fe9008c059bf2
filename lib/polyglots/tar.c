/* P3, tar: at any multiple of 512, see tar_blocks.h.  At offset 0 a header block (POSIX ustar; older and GNU archives have no or
 * another magic), as readers of tar take it, or as Python's tarfile does, which torch.load() asks before it unpickles.  Chance: two numbers in octal digits, one of
 * which is the sum of the block (16 bits), and 40 bits of magic; or, without it, a third such number.  Weights make 57 bits
 * of that; in text, where digits are no rarity, the sum alone is 16. */
#include "probes.h"

#include "checked.h"
#include "tar_python.h"

/* What Python's int(text, 8) overlooks: white space, a sign, the prefix 0o, separators. */
static bool tar_overlooks(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f) || c == '+' || c == '_' || c == 'o' ||
	       c == 'O';
}

/* A number as tar readers read it: octal digits up to a NUL or the end of the field, none meaning 0; or, when
 * the first byte is 0x80, big endian in the rest of the field. */
static bool tar_number(const uint8_t *field, size_t n, uint64_t *ret)
{
	uint64_t value = 0;
	bool binary = field[0] == 0x80;

	for (size_t i = binary; i < n && (binary || field[i] != 0); i++) {
		uint64_t base = binary ? 256 : 8, digit = binary ? field[i] : (uint64_t)field[i] - '0';

		if (!binary && tar_overlooks(field[i]))
			continue;
		if (digit >= base || !mul_u64(value, base, &value) || !add_u64(value, digit, &value))
			return false;
	}
	*ret = value;
	return true;
}

/* The sum of the block with the checksum's own field taken for spaces.  Some tars once added signed bytes, and Python still
 * accepts that; such a sum may be 0, which an empty field is too: is_tar_of_python() looks further. */
static bool tar_checksum_is_right(const uint8_t block[TAR_BLOCK])
{
	uint64_t stored, sum = 0, signed_sum;
	uint64_t high = 0; /* bytes that are 256 less when signed */

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i >= 148 && i < 156 ? ' ' : block[i];

		sum += c;
		high += c >= 0x80;
	}
	if (!tar_number(block + 148, 8, &stored) || stored == 0)
		return false;
	return stored == sum || (sub_u64(sum, high * 256, &signed_sum) && stored == signed_sum);
}

/* A block of many zeros may be a header without its checksum by chance (tar_python.h); then the archive has to go on.  Without
 * a second header there is no member that torch.load() would unpack. */
static bool is_tar_of_python(struct view *v)
{
	uint8_t block[TAR_PYTHON_BLOCK];
	struct tar_python first, next;

	if (!tar_python_header(v->head.at, &first))
		return false;
	if (first.spelt || first.extended)
		return true;
	return first.has_next && look(v, first.next, block, sizeof(block)) && tar_python_header(block, &next);
}

static bool is_tar_of_others(const uint8_t block[TAR_BLOCK])
{
	uint64_t size;

	return tar_checksum_is_right(block) &&
	       (memcmp(block + 257, "ustar", 5) == 0 || tar_number(block + 124, 12, &size));
}

static void find_tar_first(struct view *v)
{
	uint64_t next;

	if (v->head.n < TAR_BLOCK)
		return;
	if (is_tar_of_others(v->head.at) || tar_block_is_header(v->head.at, &next))
		found(v, WLK_F_POLYGLOT_TAR, 0, "tar", "a header with its checksum");
	else if (is_tar_of_python(v))
		found(v, WLK_F_POLYGLOT_TAR, 0, "tar", "a header as Python's tarfile takes it");
}

/* In front of every block. */
static bool find_tar_block(struct view *v)
{
	uint64_t at = v->pg->walk->tar.found;

	if (at != 0)
		found(v, WLK_F_POLYGLOT_TAR, at, "tar", "a header that GNU tar skips to");
	return at != 0;
}

/* In front of none: 7-Zip looks at every byte of the first 8 MiB [measured with 26.02].  Those in front of one are found above. */
static bool is_beside(struct view *v, const struct search_hit *h)
{
	(void)v;
	return h->at % TAR_BLOCK != 0;
}

void find_tar(struct view *v)
{
	find_tar_first(v);
	if (!find_tar_block(v))
		judge_first(v, SEARCH_TAR, WLK_F_POLYGLOT_TAR, "tar", "a header that 7-Zip finds", is_beside);
}

/* A tar is told by its first block, so a model that is a whole message as well was taken for one: which of the two it was
 * meant to be nobody knows, and both are said.  Chance: what the message's own rule has. */
void find_tar_around(struct view *v)
{
	const struct polyglot_walk *w = v->pg->walk;

	if (protobuf_walk_is_model(&w->protobuf) || protobuf_walk_is_model(&w->saved_model) ||
	    msgpack_walk_is_map(&w->msgpack))
		find_tar_first(v);
}
