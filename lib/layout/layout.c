/* What layouts share: memory, stopping, findings.  See format.h. */
#include "checked.h"
#include "format.h"

size_t layout_memory(const struct limits *lim, uint64_t header_bytes)
{
	uint64_t bytes;
	size_t ret;

	if (!mul_u64(header_bytes, LAYOUT_MEMORY_PER_HEADER_BYTE, &bytes) ||
	    !add_u64(bytes, LAYOUT_MEMORY_BASE, &bytes) || !size_from_u64(min_u64(bytes, lim->memory), &ret))
		return LAYOUT_MEMORY_BASE;
	return ret;
}

#define FRAMEWORK_BYTES_MAX 32u

void layout_is_of(struct layout *l, struct bytes framework)
{
	uint8_t *kept = framework.n <= FRAMEWORK_BYTES_MAX ? arena_alloc(l->arena, framework.n, 1) : NULL;

	for (size_t i = 0; i < framework.n && kept != NULL; i++)
		if (framework.at[i] <= 0x20 || framework.at[i] > 0x7e)
			return;
	if (kept == NULL)
		return;
	bytes_copy(kept, framework);
	l->framework = bytes_of(kept, framework.n);
}

enum wlk_status layout_stop(struct layout *l)
{
	if (l->src->err != SOURCE_OK && l->src->err != SOURCE_MEMORY)
		return report_stop(l->report, source_cause(l->src->err), l->src->size, l->src->size);
	return report_stop(l->report, WLK_CAUSE_LIMIT_MEMORY, l->arena->used, l->arena->budget);
}

void layout_raise_memory(struct layout *l, uint64_t bytes)
{
	size_t budget;

	if (add_u64(l->arena->budget, bytes, &bytes) && size_from_u64(min_u64(bytes, l->lim->memory), &budget))
		arena_raise_budget(l->arena, budget);
}

void layout_finding(struct layout *l, const struct finding *f)
{
	struct finding placed = *f;

	placed.member = l->extents->member;
	placed.offset =
	    l->extents->origin + f->offset; /* one place for a layout's findings and for those of coverage */
	report_finding(l->report, &placed);
}

/* No bytes that anybody could have seen: then there is a finding, and nothing to list. */
static bool is_nowhere(const struct layout *l, const struct manifest_row *row)
{
	uint64_t most = l->src->size;

	if (row->member.n > 0 && !add_u64(most, l->lim->unpacked_bytes, &most))
		most = UINT64_MAX;
	return row->begin > row->end || offset_bare(row->end) > most;
}

bool layout_tensor(struct layout *l, const struct manifest_row *row)
{
	struct extents *x = l->extents;
	struct manifest_row placed;

	if (!layout_wants_tensors(l))
		return true;
	if (x->rows == ROWS_NONE)
		extents_list(x, ROWS_BY_INDEX, l->report);
	placed = *row;
	placed.index += x->row_base;
	placed.member = x->member;
	if (row->kind == MANIFEST_TENSOR) {
		if (!add_u64(x->origin, row->begin, &placed.begin) || !add_u64(x->origin, row->end, &placed.end) ||
		    is_nowhere(l, &placed))
			return true;
	}
	return report_manifest_row(l->report, &placed);
}

void layout_tensors_moved(struct layout *l)
{
	if (l->extents->rows == ROWS_NONE)
		return;
	l->extents->rows = ROWS_MOVED;
	l->report->manifest_partial = true;
}

void layout_at(struct layout *l, enum wlk_finding code, uint64_t offset)
{
	layout_finding(l, &(struct finding){ .code = code, .has_offset = true, .offset = offset });
}

void layout_value(struct layout *l, enum wlk_finding code, uint64_t offset, uint64_t found, uint64_t allowed)
{
	layout_finding(l, &(struct finding){ .code = code,
			      .has_offset = true,
			      .offset = offset,
			      .found = value_number(found),
			      .allowed = value_number(allowed) });
}
