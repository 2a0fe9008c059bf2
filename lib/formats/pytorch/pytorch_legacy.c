/* Legacy checkpoints: see pytorch_legacy.h.  The five pickles go through one judge; the storages behind them follow each
 * other, each behind its number of elements, to the last byte of the file. */
#include "pytorch_legacy.h"

#include "checked.h"
#include "config_pickle.h"
#include "judge.h"
#include "pickle_arrays.h"
#include "pytorch_indices.h"
#include "pytorch_legacy_header.h"
#include "pytorch_legacy_keys.h"
#include "pytorch_objects.h"

enum legacy_stream { STREAM_MAGIC, STREAM_PROTOCOL, STREAM_SYSTEM, STREAM_OBJECT, STREAM_KEYS, N_LEGACY_STREAMS };

struct legacy {
	struct layout *l;
	struct torch_objects *objects;
	struct pickle_judge *judge;
	enum legacy_stream stream;
	uint64_t begins[N_LEGACY_STREAMS + 1]; /* offset in the part of each pickle; the last: of the storages */
	size_t magic_bytes;
	bool little_endian;
	bool header_told; /* one finding says it all */
	bool broken;      /* a pickle ended before its STOP */
};

static bool probe(const struct probe *p)
{
	return torch_legacy_magic(bytes_of(p->head, p->n)) > 0;
}

/* -- the pickles -- */

static void wrong_header(struct legacy *g, uint64_t offset)
{
	if (!g->header_told)
		layout_at(g->l, WLK_F_TORCH_LEGACY_HEADER, offset);
	g->header_told = true;
}

static bool header_fits(struct legacy *g, const struct pickle *p, pickle_value v)
{
	switch (g->stream) {
	case STREAM_MAGIC: return pickle_position(p) == g->magic_bytes;
	case STREAM_PROTOCOL: return torch_legacy_protocol(p, v);
	case STREAM_SYSTEM: return torch_legacy_system(p, v, &g->little_endian);
	default: return true;
	}
}

static void take_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct legacy *g = ctx;

	if (g->stream == STREAM_OBJECT)
		torch_objects_event(g->objects, p, e);
	else if (g->stream < STREAM_OBJECT &&
		 (e->act == PICKLE_ACT_STOP ? !header_fits(g, p, e->target) : e->act != PICKLE_ACT_NOTE))
		wrong_header(g, g->begins[g->stream]);
}

static void begin_stream(struct legacy *g, uint64_t offset)
{
	g->begins[g->stream] = offset;
	if (g->stream < N_LEGACY_STREAMS)
		pickle_judge_begin(g->judge, offset);
}

/* A pickle has ended; false: nothing behind it is understood. */
static bool next_stream(struct legacy *g)
{
	if (!pickle_judge_end(g->judge, 0)) {
		g->broken = true;
		return false;
	}
	g->stream++;
	begin_stream(g, pickle_judge_position(g->judge));
	return g->stream < N_LEGACY_STREAMS;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct legacy *g = ctx;
	uint64_t end = offset + n, from = offset, next;

	for (;;) {
		next = pickle_feed(pickle_judge_machine(g->judge), at + (from - offset), (size_t)(end - from), from);
		if (next != FEED_END)
			return next;
		if (!next_stream(g))
			return FEED_END;
		from = g->begins[g->stream];
		if (from == end)
			return end;
	}
}

static bool start(struct legacy *g)
{
	uint64_t origin = part_offset(&g->l->part, 0);
	const struct torch_objects_options objects = {
		.l = g->l, .origin = origin, .member = g->l->part.member, .legacy = true, .arrays_examined = true
	};

	torch_objects_raise_memory(g->l, g->l->part.size);
	layout_raise_memory(g->l, PICKLE_MEMORY_BASE); /* the keys have a machine of their own */
	g->objects = torch_objects_new(&objects);
	g->judge = g->objects == NULL
		       ? NULL
		       : pickle_judge_new(g->l->arena, &(struct pickle_judge_options){ .profile = PICKLE_TORCH,
							   .extra = g->l->pickle_names,
							   .origin = origin,
							   .member = g->l->part.member,
							   .report = g->l->report,
							   .seed = g->l->seed,
							   .size = g->l->part.size,
							   .opcodes_max = g->l->lim->opcodes,
							   .items_kept = torch_items_kept(g->l),
							   .event = take_event,
							   .wanted = config_pickle_wants,
							   .ctx = g });
	return g->judge != NULL;
}

/* NumPy's arrays among the pickles: examined where they stand, and not listed. */
static bool check_arrays(struct legacy *g)
{
	const struct stream s = {
		.part = g->l->part, .codec = CODEC_STORED, .size = g->l->part.size, .size_limit = g->l->part.size
	};

	if (pickle_arrays_number(torch_objects_arrays(g->objects)) > 0)
		g->l->report->manifest_partial = true;
	return pickle_arrays_check(torch_objects_arrays(g->objects), &s, true) == WLK_DONE;
}

static enum wlk_status walk(struct legacy *g)
{
	begin_stream(g, 0);
	if (!part_preview(&g->l->part, 0, (struct feeder){ feed, g }) || torch_objects_failed(g->objects) ||
	    !check_arrays(g))
		return layout_stop(g->l);
	if (g->stream < N_LEGACY_STREAMS && !g->broken) {
		if (g->begins[g->stream] < g->l->part.size)
			(void)pickle_judge_end(g->judge, 0);
		layout_at(g->l, WLK_F_TORCH_LEGACY_TRUNCATED, g->l->part.size);
	}
	return g->stream == N_LEGACY_STREAMS ? WLK_DONE : WLK_BROKEN;
}

/* -- the storages -- */

static size_t name_of(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	const struct torch_storages *all = (const void *)x->names.at;
	const struct torch_storage *s = &all->list[e->index];
	struct bytes name = s->name.n > 0 ? s->name : s->key;

	if (e->kind == EXTENT_TENSOR && name.n > 0)
		memcpy(buf, name.at, name.n < n ? name.n : n);
	return e->kind == EXTENT_TENSOR ? name.n : 0;
}

static const uint64_t *shape_of(const struct extents *x, const struct extent *e, unsigned *ret_rank)
{
	const struct torch_storages *all = (const void *)x->names.at;

	*ret_rank = all->list[e->index].rank;
	return all->list[e->index].shape;
}

static const struct tensor_view *views_of(const struct extents *x, const struct extent *e)
{
	const struct torch_storages *all = (const void *)x->names.at;
	const struct tensor_view *views = all->list[e->index].views;

	return views != NULL ? views : &tensor_view_none;
}

static struct extent *add_extent(struct legacy *g, enum extent_kind kind, uint64_t begin, uint64_t end, uint32_t index)
{
	struct extent *e = extents_add(g->l->extents);

	if (e != NULL) {
		e->begin = begin;
		e->end = end;
		e->kind = (uint8_t)kind;
		e->index = index;
	}
	return e;
}

#define NUMEL_BYTES 8u

/* Rule 2, and what the file holds.  False: where the next storage begins is unknown. */
static bool check_storage(struct legacy *g, const struct torch_storage *s, uint64_t pos, uint64_t *ret_bytes)
{
	uint8_t stored[NUMEL_BYTES];
	uint64_t left = g->l->part.size - pos, numel;

	if (left < NUMEL_BYTES) {
		layout_value(g->l, WLK_F_TORCH_LEGACY_TRUNCATED, pos, left, NUMEL_BYTES);
		return false;
	}
	if (!part_read_guarded(&g->l->part, pos, stored, sizeof(stored)))
		return false;
	numel = load_u64le(stored);
	if (numel != s->numel) {
		torch_objects_report(
		    g->objects, WLK_F_TORCH_STORAGE_SIZE, s, pos, value_number(s->numel), value_number(numel));
		return false;
	}
	if (!torch_storage_bytes(s, ret_bytes))
		return false; /* reported with its id */
	if (*ret_bytes <= left - NUMEL_BYTES)
		return true;
	layout_value(g->l, WLK_F_TORCH_LEGACY_TRUNCATED, pos, left - NUMEL_BYTES, *ret_bytes);
	return false;
}

static bool add_storage(struct legacy *g, struct torch_storage *s, uint32_t index, uint64_t pos, uint64_t bytes)
{
	struct extent *e = add_extent(g, EXTENT_HEADER, pos, pos + NUMEL_BYTES, index);

	if (e != NULL)
		e = add_extent(g, EXTENT_TENSOR, pos + NUMEL_BYTES, pos + NUMEL_BYTES + bytes, index);
	if (e == NULL)
		return false;
	s->stored = true;
	s->place = e->begin;
	e->dtype = (uint8_t)torch_storage_dtype(s);
	if (!g->little_endian)
		e->flags = EXTENT_BIG_ENDIAN;
	if (e->dtype != WLK_DTYPE_NONE)
		return true;
	e->dtype = WLK_DTYPE_U8;
	torch_objects_report(
	    g->objects, WLK_F_TORCH_STORAGE_OPAQUE, s, s->offset, (struct value){ 0 }, (struct value){ 0 });
	return true;
}

static void wrong_key(struct legacy *g, struct bytes key)
{
	layout_finding(g->l, &(struct finding){ .code = WLK_F_TORCH_LEGACY_KEYS,
				 .has_offset = true,
				 .offset = g->begins[STREAM_KEYS],
				 .subject = key });
}

static enum wlk_status read_storages(struct legacy *g, const struct torch_legacy_keys *keys)
{
	struct torch_storages *all = torch_objects_storages(g->objects);
	uint64_t pos = g->begins[N_LEGACY_STREAMS], bytes;

	for (size_t i = 0; i < keys->n; i++) {
		uint32_t index = torch_storages_find(all, keys->list[i]);

		if (index == TORCH_STORAGE_NONE || all->list[index].stored) {
			wrong_key(g, keys->list[i]);
			return WLK_BROKEN;
		}
		if (!check_storage(g, &all->list[index], pos, &bytes))
			return g->l->src->err != SOURCE_OK ? layout_stop(g->l) : WLK_BROKEN;
		if (!add_storage(g, &all->list[index], index, pos, bytes))
			return layout_stop(g->l);
		pos = all->list[index].place + bytes;
	}
	return WLK_DONE;
}

static void check_missing(struct legacy *g)
{
	const struct torch_storages *all = torch_objects_storages(g->objects);

	for (size_t i = 0; i < all->n; i++)
		if (!all->list[i].stored)
			torch_objects_report(g->objects, WLK_F_TORCH_STORAGE_MISSING, &all->list[i],
			    all->list[i].offset, (struct value){ 0 }, (struct value){ 0 });
}

static enum wlk_status check_indices(struct legacy *g)
{
	struct torch_storages *all = torch_objects_storages(g->objects);
	size_t n;
	const struct torch_index_check *checks = torch_objects_index_checks(g->objects, &n);

	for (size_t i = 0; i < n; i++) {
		const struct torch_storage *s = &all->list[checks[i].storage];
		struct stream stream = { .codec = CODEC_STORED, .size_limit = g->l->lim->unpacked_bytes };

		if (!s->stored || !torch_storage_bytes(s, &stream.size))
			continue;
		stream.part = part_range(&g->l->part, s->place, stream.size);
		if (torch_indices_check(g->objects, &checks[i], &stream, false) != WLK_DONE ||
		    (!g->little_endian && torch_indices_check(g->objects, &checks[i], &stream, true) != WLK_DONE))
			return WLK_INCOMPLETE;
	}
	return WLK_DONE;
}

static enum wlk_status read_rest(struct legacy *g)
{
	struct torch_legacy_keys keys;
	enum wlk_status status;
	bool plain;

	if (add_extent(g, EXTENT_METADATA, 0, g->begins[N_LEGACY_STREAMS], 0) == NULL)
		return layout_stop(g->l);
	if (!g->little_endian) /* no release looks at it */
		torch_objects_report(g->objects, WLK_F_TORCH_BYTEORDER_BIG, NULL, g->begins[STREAM_SYSTEM],
		    (struct value){ 0 }, (struct value){ 0 });
	g->l->extents->names = bytes_of(torch_objects_storages(g->objects), sizeof(struct torch_storages));
	g->l->extents->name = name_of;
	g->l->extents->shape = shape_of;
	if (layout_wants_views(g->l))
		g->l->extents->views = views_of;
	status = torch_legacy_keys_read(g->l, g->begins[STREAM_KEYS], &keys, &plain);
	if (status != WLK_DONE)
		return status;
	if (!plain) {
		wrong_key(g, bytes_of(NULL, 0));
		return WLK_BROKEN;
	}
	status = read_storages(g, &keys);
	if (status != WLK_DONE)
		return status;
	check_missing(g);
	return check_indices(g);
}

/* -- all of it -- */

/* @read: the rest of the file is as the pickles say. */
static void report_loadable(struct legacy *g, bool read)
{
	bool loadable = pickle_judge_summary(g->judge).weights_only_loadable && torch_objects_ids_sound(g->objects);

	if (g->l->part.depth == 0)
		report_fact_flag(g->l->report, WLK_FACT_WEIGHTS_ONLY_LOADABLE, loadable && read);
	if (!loadable)
		layout_at(g->l, WLK_F_TORCH_WEIGHTS_ONLY, g->begins[STREAM_OBJECT]);
}

#define ZIP_END_BYTES 22u

/* Bytes behind the last storage: an archive there is what other tools see (section 8). */
static enum wlk_status look_behind(struct layout *l)
{
	uint8_t end[ZIP_END_BYTES];

	if (!l->extents->gaps || l->part.size < sizeof(end))
		return WLK_DONE;
	if (!part_read_guarded(&l->part, l->part.size - sizeof(end), end, sizeof(end)))
		return layout_stop(l);
	if (memcmp(end, "PK\5\6", 4) == 0)
		layout_at(l, WLK_F_TORCH_AMBIGUOUS, l->part.size - sizeof(end));
	return WLK_BROKEN;
}

static enum wlk_status cover(struct layout *l)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_TORCH_TRAILING_BYTES,
		.hole = WLK_F_TORCH_TRAILING_BYTES,
		.out_of_bounds = WLK_F_TORCH_TRAILING_BYTES,
		.trailing = WLK_F_TORCH_TRAILING_BYTES };

	if (extents_cover(l->extents, 0, l->part.size, &codes, l->report) == WLK_INCOMPLETE)
		return layout_stop(l);
	return look_behind(l);
}

static enum wlk_status layout(struct layout *l)
{
	struct legacy *g = arena_alloc(l->arena, 1, sizeof(*g));
	size_t head_n = (size_t)min_u64(l->part.size, PROBE_BYTES);
	const uint8_t *head = part_pin(&l->part, 0, head_n);
	enum wlk_status status;

	if (g == NULL || head == NULL)
		return layout_stop(l);
	g->l = l;
	g->little_endian = true;
	g->magic_bytes = torch_legacy_magic(bytes_of(head, head_n));
	if (!start(g))
		return layout_stop(l);
	status = walk(g);
	if (status == WLK_DONE)
		status = read_rest(g);
	if (status == WLK_INCOMPLETE)
		return status;
	report_loadable(g, status == WLK_DONE);
	l->state = g;
	return status == WLK_DONE ? cover(l) : status;
}

/* What contradicts itself was gone through all the same; now it is said. */
static enum wlk_status finish(struct layout *l)
{
	const struct legacy *g = l->state;

	return g != NULL && (g->header_told || !torch_objects_sound(g->objects)) ? WLK_BROKEN : WLK_DONE;
}

const struct wlk_format format_pytorch_legacy = {
	.id = WLK_FORMAT_PYTORCH_LEGACY,
	.converts = CONVERTS_TOLD,
	.framework = "pt",
	.probe = probe,
	.layout = layout,
	.finish = finish,
	.nested = NESTED_RANDOM,
};
