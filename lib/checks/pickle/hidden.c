/* Pickles in the constants of a pickle: as bytes, in base64 or in hexadecimal.  They do nothing until a program unpickles
 * them, and a scanner that follows opcodes alone does not see them: formats/pickle, section 8. */
#include <string.h>

#include "guess.h"
#include "judge_impl.h"

#define HIDDEN_MIN 8     /* bytes: no pickle that acts is shorter */
#define DECODED_MAX 1024 /* bytes looked at: what the machine hands out of a long constant is less */
#define BASE64_NONE 255

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
	return c == '/' || c == '_' ? 63 : BASE64_NONE;
}

static uint8_t hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return (uint8_t)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (uint8_t)(c - 'a' + 10) : BASE64_NONE;
}

/* Digits of `bits` bits each into bytes.  False when there is anything else but line ends, or = at the end. */
static bool decode(struct bytes text, unsigned bits, uint8_t buf[DECODED_MAX], size_t *ret_n)
{
	uint32_t held = 0, n_held = 0;
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < DECODED_MAX; i++) {
		uint8_t digit = bits == 6 ? base64_digit(text.at[i]) : hex_digit(text.at[i]);

		if (is_line_end(text.at[i]))
			continue;
		if (digit == BASE64_NONE && text.at[i] == '=' && bits == 6)
			break;
		if (digit == BASE64_NONE)
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

static bool decoded_acts(const struct pickle_judge *j, struct bytes head, uint64_t n, unsigned bits)
{
	uint8_t buf[DECODED_MAX];
	size_t decoded;

	return decode(head, bits, buf, &decoded) &&
	       acts(j, bytes_of(buf, decoded), head.n == n ? decoded : STREAM_SIZE_UNKNOWN);
}

void judge_constant(void *ctx, struct bytes head, uint64_t n, uint64_t offset)
{
	struct pickle_judge *j = ctx;

	if (head.n < HIDDEN_MIN)
		return;
	if (acts(j, head, n) || decoded_acts(j, head, n, 4) || decoded_acts(j, head, n, 6))
		judge_report(j, WLK_F_PICKLE_NESTED, offset, (struct bytes){ 0 }, value_number(n));
}
