/* An index: recognised, pinned, read by index_reader.c.  See index.h. */
#include "index.h"

#include "checked.h"
#include "index_reader.h"
#include "json_text.h"
#include "stream.h"

/* -- is it one? -- */

static const uint8_t bom[] = { 0xEF, 0xBB, 0xBF };

/* An object with a key weight_map, as far as the bytes go.  A byte order mark is wrong, but not another format. */
static bool has_weight_map(struct bytes text, bool *ret_object)
{
	struct json j = { .base = text.at, .p = text.at, .end = text.at + text.n };
	uint8_t buf[JSON_WORD_MAX];
	struct json_text key;
	bool more;

	(void)json_take(&j, bom, sizeof(bom));
	*ret_object = json_peek(&j) == '{';
	if (!*ret_object)
		return false;
	j.p++;
	for (more = json_any(&j, '}'); more;) {
		if (!json_key(&j, &key))
			return false;
		if (bytes_equal(json_word(&key, buf), bytes_of_text("weight_map")))
			return true;
		if (!json_skip(&j, 1) || !json_more(&j, '}', &more))
			return false;
	}
	return false;
}

/* Nearly always metadata is short, or comes last. */
static bool probe(const struct probe *p)
{
	bool object;

	return has_weight_map(bytes_of(p->head, p->n), &object);
}

/* Besides what a header takes: names of shards, twice, which are few unless somebody wants them to be many. */
#define SHARDS_MEMORY ((uint64_t)64 << 20)

static const uint8_t *pin_whole(struct layout *l, struct bytes *ret)
{
	arena_raise_budget(l->arena, layout_memory(l->lim, l->part.size));
	source_raise_pin_budget(l->src, l->part.size);
	*ret = bytes_of(part_pin(&l->part, 0, (size_t)l->part.size), (size_t)l->part.size);
	return ret->at;
}

/* Metadata longer than what a probe sees. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	struct bytes all;
	size_t head = (size_t)min_u64(s->part.size, PROBE_BYTES);
	const uint8_t *at = NULL;
	bool object;

	if (s->part.depth == 0 && s->codec == CODEC_STORED && s->part.size > head && s->part.size <= INDEX_BYTES_MAX)
		at = part_pin(&s->part, 0, head);
	if (at == NULL)
		return false;
	(void)has_weight_map(bytes_of(at, head), &object);
	return object && pin_whole(l, &all) != NULL && has_weight_map(all, &object);
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

/* -- the file -- */

static enum wlk_status layout(struct layout *l)
{
	struct extent *e = extents_add(l->extents);
	struct bytes text;

	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	if (l->part.size > INDEX_BYTES_MAX) {
		layout_value(l, WLK_F_INDEX_TOO_LARGE, 0, l->part.size, INDEX_BYTES_MAX);
		return WLK_BROKEN;
	}
	if (pin_whole(l, &text) == NULL)
		return layout_stop(l);
	layout_raise_memory(l, SHARDS_MEMORY + text.n);
	return index_read(l, text);
}

/* Whoever loads it by its name takes file names out of it. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	if (content == WLK_FORMAT_SAFETENSORS_INDEX || content == WLK_FORMAT_SHARD_INDEX)
		return;
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_EXTENSION_MISMATCH,
			      .found = value_text(bytes_of_text(format_info(content)->name)),
			      .allowed = value_text(bytes_of_text(format_info(WLK_FORMAT_SAFETENSORS_INDEX)->name)) });
}

const struct wlk_format format_safetensors_index = {
	.id = WLK_FORMAT_SAFETENSORS_INDEX,
	.probe = probe,
	.layout = layout,
	.last_resort = last_resort,
	.misnamed = misnamed,
};
/* The same to a probe: which of the two it is the reader finds out. */
const struct wlk_format format_shard_index = {
	.id = WLK_FORMAT_SHARD_INDEX,
	.probe = no_probe,
	.layout = layout,
	.misnamed = misnamed,
};
