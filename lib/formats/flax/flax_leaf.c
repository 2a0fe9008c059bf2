/* Text and bytes of a Flax checkpoint that are no array: keys, and leaves (rules 3, 13 and 14 of formats/flax-msgpack).
 *
 * Bytes in a leaf mean nothing to Flax, but programs put pickles there and load them: so each is walked as one would be
 * loaded, if it can be one at all. */
#include "flax.h"

#include <string.h>

#include "checked.h"
#include "script_words.h"
#include "text_rules.h"

/* As in a polyglot's walk: a pickle that gets so far is one. */
#define OPCODES_MAX 200000u

/* -- could it be a pickle that imports something? -- */

#define GLOBAL 'c'
#define INST 'i'
#define STACK_GLOBAL 0x93
#define EXT1 0x82
#define EXT4 0x84

static bool has(struct bytes b, int byte)
{
	return b.n > 0 && memchr(b.at, byte, b.n) != NULL;
}

/* What imports in any pickle: a line of its own, or an opcode that is no character of ASCII.  Most leaves have neither,
 * and need no machine. */
static bool may_import(struct bytes all)
{
	bool by_lines = has(all, '\n') && (has(all, GLOBAL) || has(all, INST));

	for (int op = EXT1; !by_lines && op <= EXT4; op++)
		by_lines = has(all, op);
	return by_lines || has(all, STACK_GLOBAL);
}

static bool wants_walk(const struct flax_leaf *leaf)
{
	struct bytes head = bytes_of(leaf->head, leaf->head_n);

	if (leaf->object.is_key || head.n == 0 || pickle_opcode_name(head.at[0]) == NULL)
		return false;
	return leaf->object.n > head.n || may_import(head);
}

static bool walk_begin(struct flax *f)
{
	struct flax_leaf *leaf = &f->leaf;

	if (!wants_walk(leaf))
		return true;
	if (!pickle_guess_begin(&leaf->guess, f->l->arena, leaf->object.n, OPCODES_MAX, f->l->seed))
		return flax_stop(f);
	leaf->guess_next = pickle_guess_feed(&leaf->guess, leaf->head, leaf->head_n, 0);
	return true;
}

/* @offset: in the leaf. */
static void walk_feed(struct flax_leaf *leaf, const uint8_t *at, size_t n, uint64_t offset)
{
	if (leaf->guess.machine == NULL || leaf->guess_next == FEED_END || leaf->guess_next >= offset + n)
		return;
	leaf->guess_next = pickle_guess_feed(
	    &leaf->guess, at + (leaf->guess_next - offset), (size_t)(offset + n - leaf->guess_next), leaf->guess_next);
}

static bool is_limit(enum pickle_end e)
{
	return e == PICKLE_LIMIT_OPCODES || e == PICKLE_LIMIT_STACK || e == PICKLE_LIMIT_MEMORY ||
	       e == PICKLE_LIMIT_WORK;
}

static void walk_end(struct flax *f)
{
	struct pickle_guess *g = &f->leaf.guess;

	if (g->machine == NULL)
		return;
	pickle_guess_end(g);
	if (!g->misnamed && (g->acts || (g->imports && is_limit(g->ended))))
		flax_at(f, WLK_F_FLAX_EMBEDDED_PICKLE, f->leaf.object.payload);
}

/* -- what else it can be: a program, a script, code in Base64 -- */

/* ELF, Mach-O of either width and byte order, PE with its pointer where compilers leave it: formats/polyglots, P14. */
static bool is_program(struct bytes b)
{
	static const uint8_t elf[] = { 0x7f, 'E', 'L', 'F' };
	uint32_t word = b.n >= 64 ? load_u32be(b.at) : 0, pe = b.n >= 64 ? load_u32le(b.at + 60) : 0;

	if (word == 0)
		return false;
	if (memcmp(b.at, elf, sizeof(elf)) == 0)
		return b.at[4] >= 1 && b.at[4] <= 2 && b.at[5] >= 1 && b.at[5] <= 2 && b.at[6] == 1;
	if (word >> 16 == 0x4d5a) /* MZ */
		return pe <= b.n - 4 && memcmp(b.at + pe, "PE\0", 4) == 0;
	return word == 0xfeedface || word == 0xfeedfacf || word == 0xcefaedfe || word == 0xcffaedfe;
}

static void judge_head(struct flax *f)
{
	struct bytes head = bytes_of(f->leaf.head, f->leaf.head_n);
	struct script_words words = { 0 };

	script_words_feed(&words, head.at, head.n);
	if (is_program(head))
		flax_at(f, WLK_F_FORMAT_EXECUTABLE, f->leaf.object.payload);
	else if (script_words_begins(&words))
		flax_at(f, WLK_F_FORMAT_SCRIPT, f->leaf.object.payload);
	else if (text_hides_code(head, f->leaf.object.n))
		flax_at(f, WLK_F_FLAX_EMBEDDED_PICKLE, f->leaf.object.payload);
	else if (words.markup)
		flax_at(f, WLK_F_MARKUP_IN_METADATA, f->leaf.object.payload);
}

/* -- pieces -- */

void flax_leaf_begin(struct flax *f, const struct msgpack_object *o)
{
	struct flax_leaf *leaf = &f->leaf;

	memset(leaf, 0, offsetof(struct flax_leaf, head));
	leaf->object = *o;
	leaf->guess = (struct pickle_guess){ 0 };
	leaf->guess_next = FEED_END;
	if (!o->is_key && o->n > FLAX_LEAF_BYTES_MAX)
		flax_value(f, WLK_F_FLAX_BLOB, o->offset, o->n, FLAX_LEAF_BYTES_MAX);
}

static bool head_is_full(const struct flax_leaf *leaf)
{
	return leaf->head_n == min_u64(leaf->object.n, FLAX_HEAD_BYTES);
}

/* Return: bytes of the piece that are in the head now. */
static size_t gather(struct flax *f, const uint8_t *at, size_t n)
{
	struct flax_leaf *leaf = &f->leaf;
	size_t room = FLAX_HEAD_BYTES - leaf->head_n, take = n < room ? n : room;

	if (take == 0)
		return 0;
	memcpy(leaf->head + leaf->head_n, at, take);
	leaf->head_n += take;
	if (head_is_full(leaf) && !walk_begin(f))
		f->stopped = true;
	return take;
}

uint64_t flax_leaf_piece(struct flax *f, const uint8_t *at, size_t n, uint64_t offset)
{
	struct flax_leaf *leaf = &f->leaf;
	uint64_t in_leaf = offset - leaf->object.payload, next;
	size_t taken = gather(f, at, n);

	if (leaf->object.kind == MSGPACK_STR)
		leaf->not_utf8 = leaf->not_utf8 || !utf8_stream_feed(&leaf->utf8, at, n);
	if (n > taken)
		walk_feed(leaf, at + taken, n - taken, in_leaf + taken);
	if (leaf->object.kind == MSGPACK_STR || !head_is_full(leaf))
		return offset + n;
	return leaf->guess_next != FEED_END && add_u64(leaf->object.payload, leaf->guess_next, &next) ? next : FEED_END;
}

bool flax_leaf_end(struct flax *f)
{
	struct flax_leaf *leaf = &f->leaf;

	if (f->stopped)
		return false;
	leaf->not_utf8 = leaf->not_utf8 || !utf8_stream_whole(&leaf->utf8);
	if (leaf->object.is_key)
		return flax_key(f, bytes_of(leaf->head, leaf->head_n), leaf);
	if (leaf->not_utf8)
		flax_at(f, WLK_F_FLAX_UTF8, leaf->object.offset);
	judge_head(f);
	walk_end(f);
	return true;
}
