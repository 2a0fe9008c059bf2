/* CatBoost's models: see catboost.h. */
#include "catboost.h"

#define HEAD_BYTES 8u /* "CBM1" and the length of the core, a FlatBuffer */

static bool probe(const struct probe *p)
{
	return p->n >= 4 && memcmp(p->head, "CBM1", 4) == 0;
}

static enum wlk_status layout(struct layout *l)
{
	uint8_t head[HEAD_BYTES];
	uint64_t left;

	if (l->part.size < HEAD_BYTES) {
		layout_value(l, WLK_F_CATBOOST_LENGTH, 0, l->part.size, HEAD_BYTES);
		return WLK_BROKEN;
	}
	if (!part_read_guarded(&l->part, 0, head, sizeof(head)))
		return layout_stop(l);
	left = l->part.size - HEAD_BYTES;
	if (load_u32le(head + 4) > left)
		layout_value(l, WLK_F_CATBOOST_LENGTH, 4, load_u32le(head + 4), left);
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_IDENTIFIED_ONLY,
			      .has_offset = true,
			      .found = value_text(bytes_of_text(format_info(WLK_FORMAT_CATBOOST)->name)) });
	return WLK_BROKEN;
}

const struct wlk_format format_catboost = {
	.id = WLK_FORMAT_CATBOOST, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
