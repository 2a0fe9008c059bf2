/* What a layer's bytecode is made of, for who asked what loading would call: names and constants of the code object. */
#include "code_object.h"
#include "keras_config.h"
#include "text_rules.h"

#define CODE_MAX ((size_t)1 << 20) /* bytes of its text: of more the beginning does not help */

/* Keras 1 and 2.0 wrote the object as Latin-1. */
static size_t latin1(struct bytes t, uint8_t *to)
{
	size_t n = 0;

	for (size_t i = 0; i < t.n; i++) {
		if (t.at[i] >= 0xc0 && i + 1 < t.n) {
			to[n++] = (uint8_t)((t.at[i] & 3) << 6 | (t.at[i + 1] & 0x3f));
			i++;
		} else {
			to[n++] = t.at[i];
		}
	}
	return n;
}

void keras_show_code(struct layout *l, const struct json_text *text, bool base64, uint64_t at)
{
	struct bytes raw = text->raw;
	struct call_text t;
	uint8_t *buf;
	size_t n;

	/* A refusal of the arena would count against the file. */
	if (raw.n > CODE_MAX || raw.n > (l->arena->budget - l->arena->used) / 2 ||
	    !report_wants_call(l->report, CALL_DANGEROUS))
		return;
	buf = arena_resize_raw(l->arena, NULL, raw.n, 1);
	if (buf == NULL)
		return;
	n = json_decode(&raw, buf, raw.n);
	n = base64 ? text_base64(bytes_of(buf, n), buf) : latin1(bytes_of(buf, n), buf);
	call_text_begin(&t);
	call_text_put(&t, "keras.layers.Lambda");
	call_text_callee(&t);
	call_text_put(&t, "(");
	if (!code_object_show(bytes_of(buf, n), &t))
		call_text_cut(&t);
	call_text_put(&t, ")");
	report_call(l->report,
	    (struct call_record){
		.standing = CALL_DANGEROUS, .offset = l->extents->origin + at, .member = l->extents->member },
	    &t);
	arena_release(l->arena, buf);
}
