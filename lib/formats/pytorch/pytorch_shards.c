/* Shards of distributed checkpoints (torch.distributed.checkpoint), `.distcp`: what torch.save() made of each tensor and object, one
 * archive behind the other.  `.metadata` beside them says where each begins, and so does each itself: its end records say how long its
 * directory is, and how far behind the beginning that lies.  So the file is read from its end, and all of it must be archives: in
 * another reading one of them would begin elsewhere, which its own reader finds.  Follows formats/pytorch, section 8. */
#include "checked.h"
#include "member.h"
#include "nested.h"
#include "pytorch_zip_impl.h"

#define END_BYTES 22u
#define LOCATOR_BYTES 20u
#define END64_BYTES 56u
#define TAIL_BYTES (END_BYTES + LOCATOR_BYTES + END64_BYTES)
#define SHARDS_MAX 65536u /* of a rank; a model of a trillion parameters has tens of thousands of tensors */
#define SHARD_MEMORY 65536u

/* Where the archive begins that ends at @end.  False: there is none; the source's state says whether it failed. */
static bool begin_of(struct layout *l, uint64_t end, uint64_t *ret)
{
	const uint8_t *tail, *end64;
	uint64_t size, at;
	bool large;

	if (end < TAIL_BYTES || (tail = part_pin(&l->part, end - TAIL_BYTES, TAIL_BYTES)) == NULL)
		return false;
	end64 = tail;
	tail += END64_BYTES + LOCATOR_BYTES;
	if (memcmp(tail, "PK\5\6", 4) != 0 || load_u16le(tail + 20) != 0)
		return false;
	large = memcmp(tail - LOCATOR_BYTES, "PK\6\7", 4) == 0 && memcmp(end64, "PK\6\6", 4) == 0;
	size = large ? load_u64le(end64 + 40) : load_u32le(tail + 12);
	at = large ? load_u64le(end64 + 48) : load_u32le(tail + 16);
	if (!add_u64(size, at, &size) || !add_u64(size, large ? TAIL_BYTES : END_BYTES, &size) || size > end)
		return false;
	*ret = end - size;
	return true;
}

bool torch_shards_count(struct layout *l, size_t *ret_n)
{
	uint64_t at = l->part.size;

	for (*ret_n = 0; at > 0 && *ret_n < SHARDS_MAX; (*ret_n)++)
		if (!begin_of(l, at, &at))
			break;
	if (at > 0)
		*ret_n = 0;
	return l->src->err == SOURCE_OK;
}

/* By where it begins, as `.metadata` names it. */
static struct bytes name_of(struct layout *l, uint64_t at)
{
	char digits[24], *p = digits + sizeof(digits);
	uint8_t *name;
	size_t n;

	do {
		*--p = (char)('0' + at % 10);
		at /= 10;
	} while (at > 0);
	n = (size_t)(digits + sizeof(digits) - p);
	name = arena_alloc(l->arena, n, 1);
	if (name == NULL)
		return bytes_of(NULL, 0);
	memcpy(name, p, n);
	return bytes_of(name, n);
}

static enum wlk_status judge_shard(struct layout *l, uint64_t begin, uint64_t end)
{
	struct member *m = member_add(l->extents, begin, end);
	enum wlk_format_id id;
	enum wlk_status status;

	if (m == NULL)
		return layout_stop(l);
	m->stream = (struct stream){ .part = part_range(&l->part, begin, end - begin),
		.codec = CODEC_STORED,
		.size = end - begin,
		.size_limit = end - begin };
	m->stream.part.member = name_of(l, begin);
	if (m->stream.part.member.at == NULL)
		return layout_stop(l);
	status = nested_judge(l, m, &id);
	if (status == WLK_DONE && id != WLK_FORMAT_PYTORCH)
		report_finding(l->report, &(struct finding){ .code = WLK_F_TORCH_UNKNOWN_MEMBER,
					      .has_offset = true,
					      .offset = part_offset(&l->part, begin),
					      .member = m->stream.part.member });
	return status;
}

enum wlk_status torch_shards_layout(struct layout *l)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_TORCH_TRAILING_BYTES,
		.hole = WLK_F_TORCH_TRAILING_BYTES,
		.out_of_bounds = WLK_F_TORCH_TRAILING_BYTES,
		.trailing = WLK_F_TORCH_TRAILING_BYTES };
	uint64_t *begins, end = l->part.size;
	enum wlk_status status = WLK_DONE;
	size_t n, i;

	if (!torch_shards_count(l, &n))
		return layout_stop(l);
	l->id = WLK_FORMAT_DCP;
	layout_raise_memory(l, (uint64_t)n * SHARD_MEMORY);
	begins = arena_alloc(l->arena, n + 1, sizeof(*begins));
	if (begins == NULL)
		return layout_stop(l);
	begins[n] = end;
	for (i = n; i-- > 0; begins[i] = end)
		if (!begin_of(l, end, &end))
			return layout_stop(l);
	for (i = 0; status == WLK_DONE && i < n; i++)
		status = judge_shard(l, begins[i], begins[i + 1]);
	if (status != WLK_DONE)
		return status;
	return extents_cover(l->extents, 0, l->part.size, &codes, l->report) == WLK_INCOMPLETE ? layout_stop(l)
											       : WLK_DONE;
}
