/* Values of GGUF metadata: see gguf_values.h. */
#include "gguf_values.h"

#include "checked.h"
#include "gguf_metadata.h"
#include "nonfinite.h"
#include "utf8.h"

void gguf_kv_begin(struct gguf_kv *kv, struct layout *l)
{
	*kv = (struct gguf_kv){ .l = l };
}

void gguf_kv_finding(
    const struct gguf_kv *kv, enum wlk_finding code, uint64_t at, struct value found, struct value allowed)
{
	layout_finding(kv->l, &(struct finding){ .code = code,
				  .has_offset = true,
				  .offset = at,
				  .subject = kv->key,
				  .found = found,
				  .allowed = allowed });
}

void gguf_kv_at(const struct gguf_kv *kv, enum wlk_finding code, uint64_t at)
{
	gguf_kv_finding(kv, code, at, (struct value){ 0 }, (struct value){ 0 });
}

/* One finding for a key, whatever it holds: the first place, and how many. */
static void report_fault(const struct gguf_kv *kv, enum wlk_finding code, const struct gguf_fault *f)
{
	if (f->n > 0)
		gguf_kv_finding(kv, code, f->at, value_number(f->n), (struct value){ 0 });
}

static void add_fault(struct gguf_fault *f, uint64_t n, uint64_t at)
{
	if (f->n == 0)
		f->at = at;
	f->n += n;
}

enum wlk_status gguf_short(struct layout *l, const struct gguf_in *in)
{
	if (in->err == GGUF_IN_FAILED)
		return layout_stop(l);
	if (in->end < l->part.size) /* our own bound */
		layout_value(l, WLK_F_GGUF_KV_COUNT, in->pos, l->part.size, in->end);
	else
		layout_value(l, WLK_F_GGUF_TRUNCATED, in->pos, l->part.size, in->pos + UINT64_C(1));
	return WLK_BROKEN;
}

/* -- numbers -- */

static enum wlk_dtype dtype_of(enum gguf_value_type type)
{
	switch (type) {
	case GGUF_F32: return WLK_DTYPE_F32;
	case GGUF_F64: return WLK_DTYPE_F64;
	case GGUF_BOOL: return WLK_DTYPE_BOOL;
	default: return WLK_DTYPE_NONE;
	}
}

static uint64_t first_bad(const struct nonfinite_kernel *k, const uint8_t *at)
{
	size_t i = 0;

	while (!k->any(at + i, k->element_bytes)) /* there is one */
		i += k->element_bytes;
	return i;
}

void gguf_check_numbers(struct gguf_kv *kv, const uint8_t *at, size_t n, uint64_t offset)
{
	const struct nonfinite_kernel *k = nonfinite_kernel(dtype_of(kv->type));
	struct nonfinite_counts c = { 0 };
	uint64_t bad;

	if (k == NULL || !k->any(at, n))
		return;
	k->count(at, n, &c);
	bad = c.nan + c.pos_inf + c.neg_inf + c.invalid; /* at most n */
	add_fault(&kv->number, bad, kv->number.n == 0 ? offset + first_bad(k, at) : 0);
}

void gguf_numbers_end(const struct gguf_kv *kv)
{
	report_fault(kv, kv->type == GGUF_BOOL ? WLK_F_GGUF_BOOL_INVALID : WLK_F_GGUF_META_NONFINITE, &kv->number);
}

/* -- texts -- */

enum wlk_status gguf_read_length(const struct gguf_kv *kv, struct gguf_in *in, uint64_t most, uint64_t *ret)
{
	uint64_t at = in->pos, n;

	if (!gguf_take_u64(in, &n))
		return gguf_short(kv->l, in);
	most = min_u64(most, gguf_left(in));
	if (n > most) {
		gguf_kv_finding(kv, WLK_F_GGUF_STRING_LENGTH, at, value_number(n), value_number(most));
		return WLK_BROKEN;
	}
	*ret = n;
	return WLK_DONE;
}

bool gguf_read_text(struct gguf_kv *kv, struct gguf_in *in, uint64_t n, struct bytes *ret_head)
{
	uint64_t at = in->pos;
	struct utf8_stream utf8 = { 0 };
	bool sound = true, nul = false;

	*ret_head = bytes_of(in->window, 0);
	for (uint64_t left = n, piece; left > 0; left -= piece) {
		const uint8_t *bytes;

		piece = min_u64(left, GGUF_WINDOW);
		bytes = gguf_take(in, (size_t)piece);
		if (bytes == NULL)
			return false;
		sound = sound && utf8_stream_feed(&utf8, bytes, (size_t)piece);
		nul = nul || memchr(bytes, '\0', (size_t)piece) != NULL;
		*ret_head = bytes_of(bytes, (size_t)piece);
	}
	if (!sound || !utf8_stream_whole(&utf8))
		add_fault(&kv->utf8, 1, at);
	if (nul)
		add_fault(&kv->nul, 1, at);
	return true;
}

/* Rule 17 and note B. */
void gguf_texts_end(const struct gguf_kv *kv)
{
	report_fault(kv, kv->lenient ? WLK_F_GGUF_TOKEN_UTF8 : WLK_F_GGUF_STRING_UTF8, &kv->utf8);
	report_fault(kv, kv->lenient ? WLK_F_GGUF_TOKEN_UTF8 : WLK_F_GGUF_STRING_NUL, &kv->nul);
}
