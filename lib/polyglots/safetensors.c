/* P13, safetensors in another host: a length, a header of JSON that has it, and tensors.  The text is not parsed as
 * strictly as its own reader does: strings end, brackets match, and outside of strings only JSON's alphabet stands.
 * Chance: bytes 3 to 8 alone are 45 bits.  The reader of safetensors is asked first what a file is, so today nothing gets
 * here; it does not rest on that order. */
#include "probes.h"

#include "checked.h"

#define PREFIX 8
#define HEADER_MAX 100000000u /* formats/safetensors: the reference's */
#define OFFSETS "\"data_offsets\""

struct text {
	bool string, escape, bad;
	uint64_t open; /* brackets */
	bool closed;   /* the outermost bracket was */
};

static void take_outside(struct text *t, uint8_t c)
{
	if (c == '"')
		t->string = true;
	else if (c == '{' || c == '[')
		t->open++;
	else if (c == '}' || c == ']')
		t->bad |= !sub_u64(t->open, 1, &t->open);
	else
		t->bad |= c == 0 || strchr(" \t\r\n,:+-.0123456789truefalsnE", c) == NULL;
	t->bad |= t->closed && strchr(" \t\r\n", c) == NULL;
	t->closed |= t->open == 0;
}

static void take(struct text *t, uint8_t c)
{
	if (!t->string) {
		take_outside(t, c);
	} else if (t->escape) {
		t->escape = false;
	} else {
		t->escape = c == '\\';
		t->string = c != '"';
		t->bad |= c < ' ';
	}
}

/* Of a header longer than what is kept, the part that is. */
static bool is_header(struct bytes b, bool whole)
{
	struct text t = { 0 };

	for (size_t i = 0; i < b.n && !t.bad; i++)
		take(&t, b.at[i]);
	return !t.bad && t.closed == whole && bytes_find(b, OFFSETS, sizeof(OFFSETS) - 1) < b.n;
}

void find_safetensors(struct view *v)
{
	uint64_t n;
	struct bytes kept;

	if (v->head.n <= PREFIX || v->head.at[PREFIX] != '{')
		return;
	n = load_u64le(v->head.at);
	if (n > HEADER_MAX || n > v->src->size - PREFIX)
		return;
	kept = bytes_of(v->head.at + PREFIX, (size_t)min_u64(n, v->head.n - PREFIX));
	if (is_header(kept, kept.n == n))
		found(v, WLK_F_POLYGLOT_SAFETENSORS, 0, "safetensors", "a length, and a header that has it");
}
