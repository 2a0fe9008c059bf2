/* Opcodes in words, for who asks how a pickle comes to a call: the bytes of each were kept as it ran (pickle_traced()). */
#include <string.h>

#include "judge_impl.h"
#include "opcodes.h"

/* Up to a newline; what is behind it.  Without one: all there is, cut. */
static struct bytes put_line(struct call_text *t, struct bytes b)
{
	const uint8_t *newline = b.n > 0 ? memchr(b.at, '\n', b.n) : NULL;
	size_t n = newline != NULL ? (size_t)(newline - b.at) : b.n;

	call_text_put(t, " ");
	call_text_name(t, bytes_of(b.at, n));
	if (newline == NULL) {
		call_text_cut(t);
		return bytes_of(b.at, 0);
	}
	return bytes_of(newline + 1, b.n - n - 1);
}

static uint64_t load_le(const uint8_t *at, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | at[n];
	return v;
}

/* A length, and so many bytes. */
static void put_counted(struct call_text *t, uint64_t n, struct bytes rest, bool text)
{
	struct bytes head = bytes_of(rest.at, n < rest.n ? (size_t)n : rest.n);

	call_text_put(t, " ");
	call_text_string(t, head, n, text);
}

static double load_double(const uint8_t *at)
{
	uint64_t bits = 0;
	double v;

	for (unsigned i = 0; i < 8; i++)
		bits = bits << 8 | at[i];
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* @fixed: bytes behind the opcode that it always has; all of them are there. */
static void put_argument(struct call_text *t, uint8_t op, struct bytes arg, size_t fixed)
{
	struct bytes rest = bytes_of(arg.at + fixed, arg.n - fixed);
	uint64_t n = load_le(arg.at, fixed);

	switch (op) {
	case OP_GLOBAL:
	case OP_INST: (void)put_line(t, put_line(t, arg)); break;
	case OP_INT:
	case OP_LONG:
	case OP_FLOAT:
	case OP_STRING:
	case OP_UNICODE:
	case OP_GET:
	case OP_PUT:
	case OP_PERSID: (void)put_line(t, arg); break;
	case OP_BINUNICODE:
	case OP_SHORT_BINUNICODE:
	case OP_BINUNICODE8:
	case OP_BINSTRING:
	case OP_SHORT_BINSTRING: put_counted(t, n, rest, true); break;
	case OP_BINBYTES:
	case OP_SHORT_BINBYTES:
	case OP_BINBYTES8:
	case OP_BYTEARRAY8:
	case OP_LONG1:
	case OP_LONG4: put_counted(t, n, rest, false); break;
	case OP_BINFLOAT:
		call_text_put(t, " ");
		call_text_float(t, load_double(arg.at));
		break;
	default:
		if (fixed == 0)
			break;
		call_text_put(t, " ");
		call_text_integer(t, op == OP_BININT ? (int32_t)n : (int64_t)n);
	}
}

static void show_opcode(struct pickle_judge *j, const struct pickle_traced *traced, bool calls)
{
	const struct pickle_opcode_row *row = &pickle_opcode_rows[traced->at[0]];
	struct call_text t;

	call_text_begin(&t);
	call_text_put(&t, row->name != NULL ? row->name : "?");
	if (row->name != NULL && traced->n >= row->head)
		put_argument(&t, traced->at[0], bytes_of(traced->at + 1, traced->n - 1), row->head - 1u);
	(void)report_view(j->o.report, &(struct view_record){ .kind = VIEW_OPCODE,
					   .a = calls,
					   .offset = j->o.origin + traced->offset,
					   .member = j->o.member,
					   .text = bytes_of(t.at, t.n) });
}

/* Those that were not shown for an earlier call. */
void judge_disassemble(struct pickle_judge *j)
{
	for (unsigned back = PICKLE_TRACED; back-- > 0;) {
		const struct pickle_traced *traced = pickle_traced(j->machine, back);

		if (traced == NULL || traced->n == 0 || traced->offset < j->disassembled)
			continue;
		show_opcode(j, traced, back == 0);
		j->disassembled = traced->offset + 1;
	}
}
