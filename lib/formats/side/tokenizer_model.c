/* SentencePiece: see tokenizer_model.h.  Follows sentencepiece_model.proto: ModelProto and its SentencePiece; how it was
 * trained and how it normalises are checked on the wire only. */
#include "tokenizer_model.h"

#include "arena.h"
#include "protobuf/protobuf.h"

static const struct pb_field piece_fields[] = {
	{ .number = 1, .kind = PB_BLOB }, /* text, or a byte that is none */
	{ .number = 2, .kind = PB_FIXED32 },
	{ .number = 3, .kind = PB_ENUM },
};
static const struct pb_message piece = { .name = "SentencePiece", .fields = piece_fields, .n_fields = 3 };

static const struct pb_field model_fields[] = {
	{ .number = 1, .kind = PB_MESSAGE, .repeated = true, .message = &piece },
	{ .number = 2, .kind = PB_OPAQUE },
	{ .number = 3, .kind = PB_OPAQUE },
	{ .number = 4, .kind = PB_OPAQUE },
	{ .number = 5, .kind = PB_OPAQUE },
};
static const struct pb_message model = { .name = "ModelProto", .fields = model_fields, .n_fields = 5 };

#define TYPES_LAST 6u

/* A first piece of a text and a score, or a kind: the score of what is not in a text is 0, and may not be written.
 * Chance: 24 bits, and that the lengths fit each other. */
static bool probe(const struct probe *p)
{
	size_t text, piece_n;
	const uint8_t *rest;

	if (p->n < 16 || p->head[0] != 0x0a || p->head[1] >= 0x80 || p->head[2] != 0x0a)
		return false;
	piece_n = p->head[1];
	text = p->head[3];
	if (text < 1 || 4 + text + 2 > p->n)
		return false;
	rest = p->head + 4 + text;
	return (text + 7 <= piece_n && rest[0] == 0x15) ||
	       (text + 4 == piece_n && rest[0] == 0x18 && rest[1] >= 1 && rest[1] <= TYPES_LAST);
}

static bool refuse(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	uint64_t *offset = ctx;

	(void)e;
	(void)number;
	(void)found;
	*offset = at->offset;
	return false;
}

static enum wlk_status layout(struct layout *l)
{
	uint64_t offset = 0;
	const struct pb_handler handler = { .ctx = &offset, .error = refuse };
	struct pb_walker *w = arena_alloc(l->arena, 1, sizeof(*w));
	struct extent *e = extents_add(l->extents);

	if (w == NULL || e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	pb_begin(w, &model, l->part.size, &handler);
	if (!part_preview(&l->part, 0, (struct feeder){ pb_feed, w }))
		return layout_stop(l);
	if (!pb_finish(w)) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, offset);
		return WLK_BROKEN;
	}
	layout_at(l, WLK_F_FORMAT_SIDE_FILE, 0);
	return WLK_DONE;
}

const struct wlk_format format_tokenizer_model = { .id = WLK_FORMAT_TOKENIZER_MODEL, .probe = probe, .layout = layout };
