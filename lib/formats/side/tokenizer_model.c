/* SentencePiece: see tokenizer_model.h.  Follows sentencepiece_model.proto: ModelProto and its SentencePiece; how it was
 * trained is checked on the wire only, and how it normalises for its map (charsmap.h). */
#include "tokenizer_model.h"

#include "arena.h"
#include "charsmap.h"
#include "protobuf.h"

static const struct pb_field piece_fields[] = {
	{ .number = 1, .kind = PB_BLOB }, /* text, or a byte that is none */
	{ .number = 2, .kind = PB_FIXED32 },
	{ .number = 3, .kind = PB_ENUM },
};
static const struct pb_message piece = { .name = "SentencePiece", .fields = piece_fields, .n_fields = 3 };

/* NormalizerSpec; what else it has, and what others have added, is of no concern. */
#define CHARSMAP_FIELD 2u
static const struct pb_field normalizer_fields[] = {
	{ .number = CHARSMAP_FIELD, .kind = PB_BLOB },
};
static const struct pb_message normalizer = { .name = "NormalizerSpec", .fields = normalizer_fields, .n_fields = 1 };

static const struct pb_field model_fields[] = {
	{ .number = 1, .kind = PB_MESSAGE, .repeated = true, .message = &piece },
	{ .number = 2, .kind = PB_OPAQUE },
	{ .number = 3, .kind = PB_MESSAGE, .message = &normalizer },
	{ .number = 4, .kind = PB_OPAQUE },
	{ .number = 5, .kind = PB_MESSAGE, .message = &normalizer },
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

#define MAPS_MAX 2u /* text to pieces, and back */

struct reading {
	uint64_t refused_at;
	unsigned n_maps;
	struct {
		uint64_t at, n;
	} maps[MAPS_MAX];
};

static bool refuse(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct reading *r = ctx;

	(void)number;
	(void)found;
	if (e == PB_UNKNOWN && at->message == &normalizer)
		return true;
	r->refused_at = at->offset;
	return false;
}

static bool note_map(void *ctx, const struct pb_place *at, const struct pb_field *field, struct bytes bytes, uint64_t n)
{
	struct reading *r = ctx;

	(void)field;
	(void)bytes;
	if (at->message == &normalizer && n > 0 && r->n_maps < MAPS_MAX) { /* neither message is repeated */
		r->maps[r->n_maps].at = at->offset;
		r->maps[r->n_maps++].n = n;
	}
	return true;
}

static enum wlk_status check_maps(struct layout *l, const struct reading *r)
{
	enum wlk_status status = WLK_DONE;

	for (unsigned i = 0; i < r->n_maps && status == WLK_DONE; i++)
		status = charsmap_check_part(l, r->maps[i].at, r->maps[i].n, bytes_of_text("precompiled_charsmap"));
	return status;
}

static enum wlk_status layout(struct layout *l)
{
	struct reading r = { 0 };
	const struct pb_handler handler = { .ctx = &r, .error = refuse, .data = note_map };
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
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, r.refused_at);
		return WLK_BROKEN;
	}
	layout_at(l, WLK_F_FORMAT_SIDE_FILE, 0);
	return check_maps(l, &r);
}

const struct wlk_format format_tokenizer_model = {
	.id = WLK_FORMAT_TOKENIZER_MODEL, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
