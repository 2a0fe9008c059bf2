/* Opcodes whose argument is a line, or two: names, numbers, persistent ids, the texts of protocol 0.  A line may come
 * in pieces and have any length; names and numbers are kept as far as one can be long, texts are decoded as they go by. */
#include <string.h>

#include "machine.h"

void line_begin(struct pickle *p)
{
	p->state = IN_LINE;
	p->line.number = 0;
	p->line.total = 0;
	p->line.n[0] = p->line.n[1] = 0;
	if (p->op == OP_STRING || p->op == OP_UNICODE)
		decoding_begin(&p->line.decoding);
}

static void append(struct pickle *p, const uint8_t *at, size_t n)
{
	size_t *have = &p->line.n[p->line.number];
	size_t kept = n < LINE_KEPT - *have ? n : LINE_KEPT - *have;

	if (p->op == OP_STRING) {
		decoding_string(&p->line.decoding, at, n);
	} else if (p->op == OP_UNICODE) {
		decoding_unicode(&p->line.decoding, at, n);
	} else if (kept > 0) {
		memcpy(p->line.kept[p->line.number] + *have, at, kept);
		*have += kept;
	}
	p->line.total += n;
}

static struct bytes line_text(const struct pickle *p, unsigned number)
{
	return bytes_of(p->line.kept[number], p->line.n[number]);
}

/* Too long to have been kept. */
static bool is_cut(const struct pickle *p)
{
	return p->line.total > p->line.n[0];
}

/* -- what the lines mean -- */

static bool push_number(struct pickle *p, struct number number)
{
	if (number.form == NUMBER_BAD)
		return end_walk(p, PICKLE_ARGUMENT);
	if (number.form == NUMBER_ODD) {
		note(p, PICKLE_NOTE_NUMBER_TEXT, p->line.total);
		return push(p, handle(PICKLE_UNKNOWN, 0)); /* readers disagree */
	}
	return push_new(p, number.fits ? value_int(p, number.value) : value_long(p, NULL, LINE_KEPT));
}

static bool number_line(struct pickle *p, struct number (*parse)(struct bytes))
{
	if (p->line.total > DIGITS_MAX)
		note(p, PICKLE_NOTE_INT_DIGITS, p->line.total);
	if (is_cut(p))
		return push_new(p, value_long(p, NULL, LINE_KEPT));
	return push_number(p, parse(line_text(p, 0)));
}

static bool int_line(struct pickle *p)
{
	struct bytes line = line_text(p, 0);

	if (!is_cut(p) && line.n == 2 && line.at[0] == '0' && (line.at[1] == '0' || line.at[1] == '1'))
		return push(p, handle(PICKLE_BOOL, line.at[1] == '1'));
	return number_line(p, number_int);
}

static bool float_line(struct pickle *p)
{
	bool nonfinite = false;
	enum number_form form = is_cut(p) ? NUMBER_ODD : number_float(line_text(p, 0), &nonfinite);

	if (form == NUMBER_BAD)
		return end_walk(p, PICKLE_ARGUMENT);
	if (form == NUMBER_ODD)
		note(p, PICKLE_NOTE_NUMBER_TEXT, p->line.total);
	if (nonfinite)
		note(p, PICKLE_NOTE_FLOAT_NONFINITE, 0);
	return push(p, handle(PICKLE_FLOAT, CONTENT_MAX)); /* its value is not kept */
}

/* A key that the C reader refuses and the Python reader takes: what the one would do is seen, and STOP is not reached
 * for the other.  Which value is under the key is not followed. */
static bool huge_key(struct pickle *p)
{
	p->refused_at = p->refused ? p->refused_at : p->op_offset;
	p->refused = true;
	return p->op == OP_PUT ? need(p, 1) : push(p, handle(PICKLE_UNKNOWN, 0));
}

/* GET and PUT.  The Python reader takes any integer as a key, and never finds a negative one. */
static bool memo_line(struct pickle *p)
{
	struct number index = number_index(line_text(p, 0));
	pickle_value v;

	if (is_cut(p) || (index.form != NUMBER_BAD && !index.fits))
		return huge_key(p);
	if (index.form == NUMBER_BAD)
		return end_walk(p, PICKLE_ARGUMENT);
	if (index.form == NUMBER_ODD)
		note(p, PICKLE_NOTE_NUMBER_TEXT, p->line.total);
	if (p->op == OP_PUT) {
		if (index.value < 0)
			return end_walk(p, PICKLE_ARGUMENT);
		return need(p, 1) && memo_put(p, (uint64_t)index.value, p->stack[p->n - 1]);
	}
	v = index.value < 0 ? PICKLE_NO_VALUE : memo_get(p, (uint64_t)index.value);
	return v != PICKLE_NO_VALUE ? push(p, v) : end_walk(p, PICKLE_MEMO_MISSING);
}

static bool text_line(struct pickle *p)
{
	struct decoding *d = &p->line.decoding;
	bool good = p->op == OP_STRING ? decoding_string_end(d) : decoding_unicode_end(d);

	if (!good)
		return end_walk(p, PICKLE_ARGUMENT);
	if (d->nonascii)
		note(p, PICKLE_NOTE_NONASCII_STRING, 0);
	return push_new(p, value_text(p, PICKLE_STR, d->kept, d->total, p->op_offset + 1, false));
}

static bool persid_line(struct pickle *p)
{
	struct bytes id = line_text(p, 0);
	pickle_value v;

	if (!text_is_ascii(id))
		return end_walk(p, PICKLE_ARGUMENT);
	if (is_cut(p) || id.n > PICKLE_TEXT_MAX)
		return act_persid(p, handle(PICKLE_UNKNOWN, 0));
	v = value_text(p, PICKLE_STR, id.at, id.n, p->op_offset + 1, true);
	return v != PICKLE_NO_VALUE ? act_persid(p, v) : end_walk(p, PICKLE_LIMIT_MEMORY);
}

static bool execute(struct pickle *p)
{
	switch (p->op) {
	case OP_INT: return int_line(p);
	case OP_LONG: return number_line(p, number_long);
	case OP_FLOAT: return float_line(p);
	case OP_GET:
	case OP_PUT: return memo_line(p);
	case OP_STRING:
	case OP_UNICODE: return text_line(p);
	case OP_PERSID: return persid_line(p);
	case OP_GLOBAL: return act_global(p, line_text(p, 0), line_text(p, 1));
	case OP_INST: return act_inst(p, line_text(p, 0), line_text(p, 1));
	default: return end_walk(p, PICKLE_OPCODE_UNKNOWN);
	}
}

/* -- the lines -- */

static bool has_two(uint8_t op)
{
	return op == OP_GLOBAL || op == OP_INST;
}

const uint8_t *line_feed(struct pickle *p, const uint8_t *at, const uint8_t *end, uint64_t offset)
{
	const uint8_t *begin = at;

	while (at < end) {
		const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));

		append(p, at, (size_t)((newline != NULL ? newline : end) - at));
		if (newline == NULL)
			return end;
		at = newline + 1;
		if (has_two(p->op) && p->line.number == 0) {
			p->line.number = 1;
			p->line.total = 0;
			continue;
		}
		p->state = AT_OPCODE;
		p->op_end = offset + (uint64_t)(at - begin);
		execute(p);
		return at;
	}
	return at;
}

/* The bytes end within a line.  The C reader refuses it; the Python reader takes it, and takes its last byte for the
 * newline: it imports, or even calls, before it finds that there is no more. */
void line_cut(struct pickle *p)
{
	size_t *n = &p->line.n[p->line.number];

	if (p->op != OP_GLOBAL && p->op != OP_INST && p->op != OP_PERSID)
		return;
	*n -= *n > 0 ? 1 : 0;
	p->line.total = *n;
	execute(p);
}
