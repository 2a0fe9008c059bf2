/* The table of formats, in the order in which they are tried, and what their layouts share. */
#include "checked.h"
#include "format.h"
#include "safetensors.h"

const struct wlk_format *const wlk_formats[] = {
	&format_safetensors,
};
const size_t wlk_n_formats = sizeof(wlk_formats) / sizeof(wlk_formats[0]);

size_t layout_memory(const struct limits *lim, uint64_t header_bytes)
{
	uint64_t bytes;
	size_t ret;

	if (!mul_u64(header_bytes, LAYOUT_MEMORY_PER_HEADER_BYTE, &bytes) ||
	    !add_u64(bytes, LAYOUT_MEMORY_BASE, &bytes) || !size_from_u64(min_u64(bytes, lim->memory), &ret))
		return LAYOUT_MEMORY_BASE;
	return ret;
}

enum wlk_status layout_stop(struct layout *l)
{
	if (l->src->err != SOURCE_OK && l->src->err != SOURCE_MEMORY)
		return report_stop(l->report, source_cause(l->src->err), l->src->size, l->src->size);
	return report_stop(l->report, WLK_CAUSE_LIMIT_MEMORY, l->arena->used, l->arena->budget);
}
