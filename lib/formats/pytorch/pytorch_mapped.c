/* Compressed storages as torch.load(mmap=True) takes them: it looks where a member's data begins, and takes as many bytes from
 * there as the storage has, compressed or not, and goes on into what lies behind.  Its numbers are not those of the member;
 * so they are examined too, as what they are taken for.  Follows torch/serialization.py of 2.1 to 2.15, _load(). */
#include "checked.h"
#include "dtype.h"
#include "nonfinite.h"
#include "pytorch_indices.h"
#include "pytorch_zip_impl.h"

struct mapped {
	const struct nonfinite_kernel *kernel;
	struct scan_work *work;
	uint8_t carry[ELEMENT_BYTES_MAX]; /* the beginning of an element whose rest comes with the next piece */
	size_t carry_n;
	bool found;
};

static void examine(struct mapped *m, const uint8_t *at, size_t n)
{
	size_t size = m->kernel->element_bytes;

	while (m->carry_n > 0 && n > 0) {
		m->carry[m->carry_n++] = *at++;
		n--;
		if (m->carry_n < size)
			continue;
		m->found |= m->kernel->any(m->carry, size);
		m->carry_n = 0;
	}
	m->found |= m->kernel->any(at, n - n % size);
	for (size_t i = n - n % size; i < n; i++)
		m->carry[m->carry_n++] = at[i];
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct mapped *m = ctx;

	if (!work_charge(m->work, n))
		return FEED_END;
	examine(m, at, n);
	return m->found ? FEED_END : offset + n;
}

static enum wlk_status examine_range(
    struct torch_zip *t, const struct zip_entry *e, enum wlk_dtype dtype, const struct part *range)
{
	struct mapped m = { .kernel = nonfinite_kernel(dtype), .work = &t->l->arena->work };

	if (m.kernel == NULL || m.kernel->element_bytes > ELEMENT_BYTES_MAX)
		return WLK_DONE;
	if (!part_preview(range, 0, (struct feeder){ .feed = feed, .ctx = &m }))
		return layout_stop(t->l);
	if (work_is_spent(m.work))
		return report_stop(t->l->report, WLK_CAUSE_LIMIT_WORK, m.work->done, m.work->most);
	if (m.found)
		torch_zip_at(t, WLK_F_TORCH_MAPPED_NONFINITE, e);
	return WLK_DONE;
}

bool torch_zip_mapped(
    const struct torch_zip *t, const struct torch_storage *s, const struct zip_entry *e, struct stream *ret)
{
	uint64_t bytes;

	if (e->method == ZIP_METHOD_STORED || !e->readable || !torch_storage_bytes(s, &bytes))
		return false;
	bytes = min_u64(bytes, t->l->part.size - e->data);
	*ret = (struct stream){ .part = part_range(&t->l->part, e->data, bytes),
		.codec = CODEC_STORED,
		.size = bytes,
		.size_limit = bytes };
	return true;
}

enum wlk_status torch_zip_examine_mapped(struct torch_zip *t, const struct torch_storage *s, const struct zip_entry *e)
{
	struct stream mapped;

	if (!torch_zip_mapped(t, s, e, &mapped))
		return WLK_DONE;
	return examine_range(t, e, torch_storage_dtype(s), &mapped.part);
}
