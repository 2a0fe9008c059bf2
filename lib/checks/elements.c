/* Every weight, once: see elements.h.  What counts as non-finite, and the findings: formats/safetensors,
 * section 2 and rule 26; the mask rule: docs/architecture.md, "Report, policy, verdict". */
#include "elements.h"

#include <string.h>

/* Most blocks are clean.  A piece this small is still in the first-level cache when a hit makes us look
 * again, and large enough that calls cost nothing. */
#define PIECE ((size_t)32 * 1024)

/* Where the first bad element is; there is one.  By halves: as cheap as one more look at all of them. */
static size_t first_bad(const struct nonfinite_kernel *k, const uint8_t *at, size_t n)
{
	size_t begin = 0;

	while (n > k->element_bytes) {
		size_t half = n / k->element_bytes / 2 * k->element_bytes;

		if (k->any(at + begin, half)) {
			n = half;
		} else {
			begin += half;
			n -= half;
		}
	}
	return begin;
}

/* Whole elements, a piece at most. */
static void examine(struct elements *el, const uint8_t *at, size_t n, uint64_t offset)
{
	const struct nonfinite_kernel *k = el->kernel;

	if (el->maybe_mask)
		el->maybe_mask = k->all_zero_or_inf(at, n);
	if (!k->any(at, n))
		return;
	if (!el->found) {
		el->found = true;
		el->first_offset = offset + first_bad(k, at, n);
	}
	k->count(at, n, &el->counts);
}

/* Put bytes behind those carried, as many as the element lacks.  Return: how many. */
static size_t top_up(struct elements *el, const uint8_t *at, size_t n, uint64_t offset)
{
	size_t lacks = el->kernel->element_bytes - el->carry_n;
	size_t taken = n < lacks ? n : lacks;

	if (taken == 0)
		return 0;
	if (el->carry_n == 0)
		el->carry_offset = offset;
	memcpy(el->carry + el->carry_n, at, taken);
	el->carry_n += taken;
	if (el->carry_n == el->kernel->element_bytes) {
		examine(el, el->carry, el->carry_n, el->carry_offset);
		el->carry_n = 0;
	}
	return taken;
}

static void elements_begin_tensor(void *ctx, const struct extent *e)
{
	struct elements *el = ctx;

	el->kernel = e->kind == EXTENT_TENSOR ? nonfinite_kernel(e->dtype) : NULL;
	el->counts = (struct nonfinite_counts){ 0 };
	el->found = false;
	el->maybe_mask = el->kernel && el->kernel->all_zero_or_inf;
	el->carry_n = 0;
}

static void elements_feed(void *ctx, const struct extent *e, const uint8_t *at, size_t n, uint64_t offset)
{
	struct elements *el = ctx;
	size_t done = 0, whole;

	(void)e;
	if (!el->kernel)
		return;
	if (el->carry_n > 0)
		done = top_up(el, at, n, offset);
	whole = (n - done) / el->kernel->element_bytes * el->kernel->element_bytes;
	while (whole > 0) {
		size_t piece = whole < PIECE ? whole : PIECE;

		examine(el, at + done, piece, offset + done);
		done += piece;
		whole -= piece;
	}
	top_up(el, at + done, n - done, offset + done);
}

/* A tensor whose only elements are zero and one infinity, or a single infinite constant, is a mask. */
static bool is_mask(const struct elements *el)
{
	return el->maybe_mask && (el->counts.pos_inf == 0 || el->counts.neg_inf == 0);
}

/* What one tensor raises. */
struct weights_finding {
	enum wlk_finding code;
	uint64_t count;
};

#define WEIGHTS_FINDINGS 3

/* Only the first tensors of each kind are listed; the name of any other need not be decoded. */
static bool name_is_wanted(const struct report *r, const struct weights_finding all[WEIGHTS_FINDINGS])
{
	bool wanted = r->n_rows < REPORT_NONFINITE_MAX;

	for (size_t i = 0; i < WEIGHTS_FINDINGS; i++)
		wanted |= all[i].count > 0 && report_wants(r, all[i].code);
	return wanted;
}

static void report_row(const struct elements *el, const struct extent *e, struct bytes name)
{
	const struct nonfinite row = {
		.tensor = name,
		.dtype = e->dtype,
		.nan = el->counts.nan,
		.pos_inf = el->counts.pos_inf,
		.neg_inf = el->counts.neg_inf,
		.bool_invalid = el->counts.invalid,
		.first_offset = el->first_offset,
	};

	report_nonfinite(el->report, &row);
}

/* The offset is that of the tensor's first bad element, of whichever kind. */
static void raise_finding(const struct elements *el, const struct weights_finding *w, struct bytes name)
{
	const struct finding f = {
		.code = w->code,
		.has_offset = true,
		.offset = el->first_offset,
		.subject = name,
		.found = value_number(w->count),
	};

	report_finding(el->report, &f);
}

static void report_tensor(const struct elements *el, const struct extent *e)
{
	const struct nonfinite_counts *c = &el->counts;
	const struct weights_finding all[WEIGHTS_FINDINGS] = {
		{ WLK_F_WEIGHTS_NAN, c->nan },
		{ is_mask(el) ? WLK_F_WEIGHTS_INF_MASK : WLK_F_WEIGHTS_INF, c->pos_inf + c->neg_inf },
		{ WLK_F_WEIGHTS_BOOL_INVALID, c->invalid },
	};
	uint8_t buf[REPORT_STRING_MAX];
	struct bytes name = { 0 };

	if (name_is_wanted(el->report, all))
		name = extents_name(el->extents, e, buf, sizeof(buf));
	report_row(el, e, name);
	for (size_t i = 0; i < WEIGHTS_FINDINGS; i++) {
		if (all[i].count > 0)
			raise_finding(el, &all[i], name);
	}
}

static void elements_end_tensor(void *ctx, const struct extent *e)
{
	struct elements *el = ctx;

	if (!el->kernel)
		return;
	if (dtype_is_float(e->dtype))
		el->report->totals.elements += (e->end - e->begin) / el->kernel->element_bytes;
	if (el->found)
		report_tensor(el, e);
}

void elements_init(struct elements *el, const struct extents *x, struct report *r)
{
	*el = (struct elements){ .extents = x, .report = r };
}

struct pass_sink elements_sink(struct elements *el)
{
	return (struct pass_sink){
		.ctx = el,
		.begin = elements_begin_tensor,
		.feed = elements_feed,
		.end = elements_end_tensor,
	};
}

static void report_by_dtype(struct report *r, const uint64_t by_dtype[WLK_N_DTYPES])
{
	/* NONE: a tensor whose type nobody knows has a finding of its own. */
	for (int dtype = WLK_DTYPE_NONE + 1; dtype < WLK_N_DTYPES; dtype++) {
		const struct fact f = {
			.id = WLK_FACT_TENSORS_BY_DTYPE,
			.key = bytes_of_text(dtype_info((enum wlk_dtype)dtype)->name),
			.value = value_number(by_dtype[dtype]),
		};

		if (by_dtype[dtype] > 0)
			report_fact(r, &f);
	}
}

void elements_end(struct elements *el)
{
	uint64_t by_dtype[WLK_N_DTYPES] = { 0 };
	uint64_t tensors = 0;

	for (size_t i = 0; i < el->extents->n; i++) {
		const struct extent *e = &el->extents->list[i];

		if (e->kind != EXTENT_TENSOR)
			continue;
		tensors++;
		by_dtype[e->dtype]++;
	}
	el->report->totals.tensors = tensors;
	report_by_dtype(el->report, by_dtype);
}

bool elements_all_examined(const struct extents *x)
{
	if (x->gaps)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct extent *e = &x->list[i];

		if (e->kind == EXTENT_TENSOR && (e->flags != 0 || e->dtype == WLK_DTYPE_NONE))
			return false;
	}
	return true;
}
