/* Pickles in the constants of a pickle: as bytes, as text of those bytes, in base64 or in hexadecimal, a few times over.
 * They do nothing until a program unpickles them, and a scanner that follows opcodes alone does not see them:
 * formats/pickle, section 8. */
#include <string.h>

#include "guess.h"
#include "judge_impl.h"
#include "hex.h"

#define HIDDEN_MIN 8     /* bytes: no pickle that acts is shorter */
#define DECODED_MAX 1024 /* bytes looked at: what the machine hands out of a long constant is less */
#define LAYERS_MAX 4     /* pickles in pickles, base64 of base64 ... */
#define OPCODES_MANY 5   /* of a pickle that is cut */
#define OPCODES_FEW 2    /* likewise, when none of them reads a line: PROTO, and a length that leads on */
#define DIGIT_NONE 255

static bool is_line_end(uint8_t c)
{
	return c == '\n' || c == '\r'; /* a line's end; words between blanks are prose */
}

/* A walk costs more than a look: it begins like a pickle, or has the two lines of an import by name. */
static bool is_worth_walking(struct bytes b)
{
	const uint8_t *line;

	if (b.n < HIDDEN_MIN)
		return false;
	if ((b.at[0] == 0x80 && b.at[1] <= 5) || memchr(b.at, 0x93, b.n) != NULL)
		return true;
	line = memchr(b.at, '\n', b.n);
	return line != NULL && memchr(line + 1, '\n', b.n - (size_t)(line + 1 - b.at)) != NULL;
}

/* Only pickles that act are worth a finding.  What PROTO announces may be cut: an import is enough then. */
static bool acts(const struct pickle_judge *j, struct bytes head, uint64_t n)
{
	struct pickle_guess g;
	bool sniffed = false;

	if (!is_worth_walking(head))
		return false;
	if (head.at[0] == 0x80)
		return pickle_sniff(head.at, head.n, n, j->arena, &sniffed) && sniffed;
	if (!pickle_guess_begin(&g, j->arena, n, DECODED_MAX, j->o.seed))
		return false;
	(void)pickle_guess_feed(&g, head.at, head.n, 0);
	pickle_guess_end(&g);
	return g.acts;
}

static uint8_t base64_digit(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint8_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint8_t)(c - 'a' + 26);
	if (c >= '0' && c <= '9')
		return (uint8_t)(c - '0' + 52);
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : DIGIT_NONE;
}

static uint8_t digit_of(uint8_t c, unsigned bits)
{
	int hex = bits == 6 ? 0 : hex_digit(c);

	return bits == 6 ? base64_digit(c) : hex < 0 ? DIGIT_NONE : (uint8_t)hex;
}

/* Digits of `bits` bits each into bytes.  False when there is anything else but line ends, or = at the end. */
static bool decode(struct bytes text, unsigned bits, uint8_t buf[DECODED_MAX], size_t *ret_n)
{
	uint32_t held = 0, n_held = 0;
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < DECODED_MAX; i++) {
		uint8_t digit = digit_of(text.at[i], bits);

		if (is_line_end(text.at[i]))
			continue;
		if (digit == DIGIT_NONE && text.at[i] == '=' && bits == 6)
			break;
		if (digit == DIGIT_NONE)
			return false;
		held = (held << bits | digit) & 0xffff;
		n_held += bits;
		if (n_held >= 8) {
			n_held -= 8;
			buf[n++] = (uint8_t)(held >> n_held);
		}
	}
	*ret_n = n;
	return true;
}

/* As protocols 0 to 2 write bytes: each a character of its own.  Only what PROTO begins is worth it; all else stands as it
 * is.  A last character may be cut. */
static bool decode_latin1(struct bytes text, uint8_t buf[DECODED_MAX], size_t *ret_n)
{
	size_t n = 0;

	if (text.at[0] != 0xc2 || text.at[1] != 0x80)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] < 0x80) {
			buf[n++] = text.at[i];
		} else if ((text.at[i] & 0xfe) != 0xc2) {
			return false;
		} else if (++i < text.n) {
			buf[n++] = (uint8_t)(text.at[i - 1] << 6 | (text.at[i] & 0x3f));
		}
	}
	*ret_n = n;
	return true;
}

/* A constant somewhere inside, and how deep. */
struct layer {
	const struct pickle_judge *j;
	unsigned depth;
	bool found;
};

static bool hides(const struct pickle_judge *j, struct bytes head, uint64_t n, unsigned depth);

static void see_constant(void *ctx, struct bytes head, uint64_t n, uint64_t offset)
{
	struct layer *l = ctx;

	(void)offset;
	l->found = l->found || hides(l->j, head, n, l->depth);
}

/* Is a pickle that was cut one so far?  A line that does not end is no sign of one.  Chance, of bytes that begin like PROTO:
 * one in 1,600 [measured]; of any bytes, one in 26 million. */
static bool goes_on(const struct pickle *p)
{
	const uint64_t *used = pickle_opcodes_used(p);
	bool lines = false;

	for (const char *op = "cigpILFSVP"; *op != 0; op++)
		lines |= (used[(uint8_t)*op >> 6] >> ((uint8_t)*op & 63) & 1) != 0;
	return pickle_ended(p) == PICKLE_RUNNING && pickle_opcodes(p) >= (lines ? OPCODES_MANY : OPCODES_FEW);
}

/* Of a pickle that does nothing itself: do its constants?  One that goes on behind what is kept may do anything there. */
static bool acts_later(const struct pickle_judge *j, struct bytes head, uint64_t n, unsigned depth)
{
	struct layer inside = { .j = j, .depth = depth };
	const struct pickle_options o = {
		.size = n, .opcodes_max = DECODED_MAX, .seed = j->o.seed, .constant = see_constant, .ctx = &inside
	};
	struct pickle *p;

	if (head.at[0] != 0x80 || !is_worth_walking(head))
		return false;
	p = pickle_new(j->arena, &o);
	if (p == NULL)
		return false;
	pickle_begin(p, 0);
	(void)pickle_feed(p, head.at, head.n, 0);
	inside.found |= head.n < n && goes_on(p);
	pickle_free(p);
	return inside.found;
}

static bool decoded_hides(const struct pickle_judge *j, struct bytes head, uint64_t n, unsigned bits, unsigned depth)
{
	uint8_t buf[DECODED_MAX];
	size_t decoded;
	bool done = bits == 8 ? decode_latin1(head, buf, &decoded) : decode(head, bits, buf, &decoded);

	return done && hides(j, bytes_of(buf, decoded), head.n == n ? decoded : STREAM_SIZE_UNKNOWN, depth);
}

static bool hides(const struct pickle_judge *j, struct bytes head, uint64_t n, unsigned depth)
{
	if (head.n < HIDDEN_MIN)
		return false;
	if (depth == LAYERS_MAX) /* nobody writes so many */
		return head.at[0] == 0x80 && pickle_sniff(head.at, head.n, n, j->arena, NULL);
	return acts(j, head, n) || acts_later(j, head, n, depth + 1) || decoded_hides(j, head, n, 4, depth + 1) ||
	       decoded_hides(j, head, n, 6, depth + 1) || decoded_hides(j, head, n, 8, depth + 1);
}

void judge_constant(void *ctx, struct bytes head, uint64_t n, uint64_t offset)
{
	struct pickle_judge *j = ctx;

	if (hides(j, head, n, 0))
		judge_report(j, WLK_F_PICKLE_NESTED, offset, (struct bytes){ 0 }, value_number(n));
}
