/* The indices of sparse tensors, compared with what they index, and the parameters of quantised channels: see struct
 * torch_index_check.  Goes through the storage before the pass, for the finding belongs to the call that used it. */
#include "pytorch_indices.h"

#include "checked.h"

#define INDEX_BYTES_MAX 8u
#define INDICES_WORK 2u
#define SORTED_WORK 8u /* of a loader that asks for the order, too */

struct comparison {
	const struct torch_index_check *check;
	unsigned bytes; /* of one index */
	bool big_endian;
	uint64_t begin, end;            /* of the indices in the storage, bytes */
	uint8_t carry[INDEX_BYTES_MAX]; /* the beginning of an index whose rest comes with the next piece */
	size_t carry_n;
	uint64_t done; /* indices */
	int64_t last;  /* the one before in its row */
	uint8_t *same; /* sorted: a bit for each entry that is the one before it, as far as the rows so far say */
	bool wrong;
	struct scan_work *work;
};

/* As many rows as there are come one after the other; an entry that is above the one before in one row is so whatever comes. */
static bool fits_sorted(struct comparison *c, int64_t index)
{
	uint64_t entry = c->done % c->check->row;
	uint8_t bit = (uint8_t)(1u << (entry & 7));
	bool first = c->done<c->check->row, open = entry> 0 && (first || (c->same[entry >> 3] & bit) != 0);
	int64_t last = c->last;

	c->last = index;
	if (!open)
		return true;
	if (index == last)
		c->same[entry >> 3] |= bit;
	else
		c->same[entry >> 3] &= (uint8_t)~bit;
	return index > last || (index == last && c->done + c->check->row < c->check->count);
}

static int64_t load_index(const struct comparison *c, const uint8_t *at)
{
	uint8_t little[INDEX_BYTES_MAX];

	for (unsigned i = 0; i < c->bytes; i++)
		little[i] = at[c->big_endian ? c->bytes - 1 - i : i];
	return c->bytes == 8 ? (int64_t)load_u64le(little) : (int32_t)load_u32le(little);
}

static bool fits_ascending(struct comparison *c, int64_t index)
{
	uint64_t in_row = c->done % c->check->row;
	bool fits = in_row == 0 ? index == 0 : index >= c->last && (uint64_t)(index - c->last) <= c->check->step;

	c->last = index;
	return fits && (in_row + 1 < c->check->row || (uint64_t)index == c->check->total);
}

/* The bits of a float are no index. */
static double number_of(const struct comparison *c, int64_t index)
{
	uint32_t narrow = (uint32_t)(uint64_t)index;
	double wide;
	float f;

	if (!c->check->floats)
		return (double)index;
	memcpy(&wide, &index, sizeof(wide));
	memcpy(&f, &narrow, sizeof(f));
	return c->bytes == sizeof(wide) ? wide : (double)f;
}

/* NaN is in no range. */
static bool fits_number(const struct comparison *c, int64_t index)
{
	double number = number_of(c, index);

	return number >= c->check->least && number <= c->check->most;
}

static bool fits(struct comparison *c, int64_t index)
{
	if (c->check->numbers)
		return fits_number(c, index);
	if (c->check->ascending)
		return fits_ascending(c, index);
	if (c->check->sorted && !fits_sorted(c, index))
		return false;
	return index >= 0 && (uint64_t)index < c->check->below[c->done / c->check->row];
}

static void compare(struct comparison *c, const uint8_t *at)
{
	if (!fits(c, load_index(c, at)))
		c->wrong = true;
	c->done++;
}

/* Bytes of the indices alone. */
static void compare_bytes(struct comparison *c, const uint8_t *at, size_t n)
{
	while (n > 0 && !c->wrong && c->done < c->check->count) {
		if (c->carry_n == 0 && n >= c->bytes) {
			compare(c, at);
			at += c->bytes;
			n -= c->bytes;
			continue;
		}
		c->carry[c->carry_n++] = *at++;
		n--;
		if (c->carry_n == c->bytes) {
			compare(c, c->carry);
			c->carry_n = 0;
		}
	}
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct comparison *c = ctx;
	uint64_t end = offset + n;

	/* The storage is read, and decoded, again for each tensor of indices in it. */
	if (!work_charge(c->work, n * (c->check->sorted ? SORTED_WORK : INDICES_WORK)))
		return FEED_END;
	if (offset < c->begin) {
		uint64_t before = min_u64(c->begin - offset, n);

		at += before;
		n -= (size_t)before;
	}
	compare_bytes(c, at, n);
	if (c->wrong || c->done == c->check->count)
		return FEED_END;
	return end < c->begin ? c->begin : end;
}

enum wlk_status torch_indices_check(
    struct torch_objects *o, const struct torch_index_check *check, const struct stream *storage, bool big_endian)
{
	const struct torch_storage *s = &torch_objects_storages(o)->list[check->storage];
	struct comparison c = { .check = check, .bytes = check->bytes, .big_endian = big_endian };
	struct arena *a = torch_objects_layout(o)->arena;
	enum stream_end end;

	c.work = &a->work;
	if (check->sorted) {
		layout_raise_memory(torch_objects_layout(o), check->row / 8 + 1);
		c.same = arena_resize(a, NULL, (size_t)(check->row / 8 + 1), 1);
		if (c.same == NULL)
			return layout_stop(torch_objects_layout(o));
	}
	if (check->count == 0 || !mul_u64(check->begin, c.bytes, &c.begin))
		return WLK_DONE;
	/* What stands before them is decoded, too. */
	(void)work_charge(c.work, storage->codec != CODEC_STORED ? c.begin : 0);
	end = stream_preview(storage, a, (struct feeder){ feed, &c }, NULL);
	arena_release(a, c.same);
	if (end == STREAM_FAILED)
		return layout_stop(torch_objects_layout(o));
	if (work_is_spent(c.work))
		return report_stop(torch_objects_layout(o)->report, WLK_CAUSE_LIMIT_WORK, c.work->done, c.work->most);
	if (c.wrong || c.done < check->count)
		torch_objects_report(o, check->numbers ? WLK_F_TORCH_QUANT_PARAMS : WLK_F_TORCH_SPARSE_INVALID, s,
		    check->offset, value_number(c.done), value_number(check->count));
	return WLK_DONE;
}
