/* Streams: see stream.h.  The decoder pulls nothing: coded bytes are pushed in, decoded ones are pushed out of a window,
 * and every limit is met on the way. */
#include "stream.h"

#include <assert.h>
#include <string.h>

#include "checked.h"
#include "codec.h"

#define DECODED_PER_WORK 8u /* bytes: honest members are previewed once or twice, at a ratio of thousands */

struct decoder {
	struct arena *arena;
	struct feeder feeder;
	const struct codec_ops *ops; /* NULL: stored */
	void *codec;                 /* its state */
	uint8_t *window;
	size_t window_n, filled;
	uint64_t declared, limit; /* decoded bytes */
	uint64_t wanted;          /* offset of the next decoded byte the feeder wants */
	struct stream_state state;
	enum stream_end end;
	bool ended;   /* end is set, for good */
	bool between; /* a coding has ended; another may follow */
	bool mismatch, trailing, multiple;
	uint8_t magic_n; /* bytes of a further stream's magic seen so far */
};

const char *codec_name(enum codec c)
{
	static const char *const names[N_CODECS] = {
#define X(id, name) [CODEC_##id] = name,
		WLK_CODECS(X)
#undef X
	};

	assert(c < N_CODECS);
	return names[c];
}

static const struct codec_ops *codec_ops_of(enum codec c)
{
	static const struct codec_ops *const ops[N_CODECS] = {
		[CODEC_DEFLATE] = &codec_deflate,
		[CODEC_ZLIB] = &codec_zlib,
		[CODEC_GZIP] = &codec_gzip,
		[CODEC_BZIP2] = &codec_bzip2,
		[CODEC_XZ] = &codec_xz,
		[CODEC_LZMA_ALONE] = &codec_lzma_alone,
		[CODEC_LZ4] = &codec_lz4,
		[CODEC_ZSTD] = &codec_zstd,
	};

	assert(c < N_CODECS);
	return ops[c];
}

/* Decoded bytes at which it is a bomb. */
static uint64_t bomb_limit(const struct stream *s)
{
	uint64_t by_ratio;

	if (s->codec == CODEC_STORED || s->any_ratio || !mul_u64(s->part.size, STREAM_RATIO_MAX, &by_ratio))
		return s->size_limit;
	return min_u64(s->size_limit, by_ratio > STREAM_RATIO_FREE ? by_ratio : STREAM_RATIO_FREE);
}

static void stop(struct decoder *d, enum stream_end end)
{
	d->end = end;
	d->ended = true;
}

/* -- what comes out -- */

/* Hand on what the feeder wants of the next n decoded bytes. */
static void hand_on(struct decoder *d, const uint8_t *at, size_t n)
{
	uint64_t begin = d->state.decoded, end = begin + n;
	uint64_t from = d->wanted > begin ? d->wanted : begin;

	d->state.decoded = end;
	if (from >= end)
		return;
	d->wanted = d->feeder.feed(d->feeder.ctx, at + (from - begin), (size_t)(end - from), from);
	if (d->wanted == FEED_END)
		stop(d, STREAM_ENOUGH);
}

/* The next n decoded bytes, at most a window: as many as are allowed, and an end when there is one too many. */
static void put_out(struct decoder *d, const uint8_t *at, size_t n)
{
	uint64_t end = min_u64(d->declared, d->limit), allowed = 0;
	size_t good;

	(void)sub_u64(end, d->state.decoded, &allowed); /* a feeder may skip beyond the end of stored bytes */
	good = (size_t)min_u64(n, allowed);
	if (good > 0)
		hand_on(d, at, good);
	if (good == n || d->ended)
		return;
	d->state.decoded++; /* the one too many */
	stop(d, end == d->declared ? STREAM_LONG : STREAM_BOMB);
}

static void put_out_stored(struct decoder *d, const uint8_t *at, size_t n)
{
	while (n > 0 && !d->ended) {
		size_t piece = n < STREAM_WINDOW ? n : STREAM_WINDOW;

		put_out(d, at, piece);
		at += piece;
		n -= piece;
	}
}

static void flush(struct decoder *d)
{
	size_t n = d->filled;

	d->filled = 0;
	if (n > 0)
		put_out(d, d->window, n);
}

/* -- what comes in -- */

/* Behind a coding's end: is it followed by another that loaders would read on with?  Takes input up to its magic, which
 * the codec then gets. */
static bool find_further(struct decoder *d, struct codec_io *io)
{
	uint8_t byte;

	while (d->magic_n < d->ops->magic_n && codec_take(io, &byte)) {
		if (byte == d->ops->magic[d->magic_n]) {
			d->magic_n++;
		} else {
			d->trailing = true;
			if (d->magic_n > 0 || byte != 0 || !d->ops->zeros_between) {
				stop(d, STREAM_TRAILING);
				return false;
			}
		}
	}
	return d->ops->magic_n > 0 && d->magic_n == d->ops->magic_n;
}

static void note_step(struct decoder *d, enum codec_step step)
{
	switch (step) {
	case CODEC_MORE: return;
	case CODEC_BROKEN: stop(d, STREAM_BROKEN); return;
	case CODEC_FAILED: stop(d, STREAM_FAILED); return;
	case CODEC_MISMATCH: d->mismatch = true; break;
	case CODEC_END: break;
	}
	d->between = true;
	d->magic_n = 0;
}

/* One step of the codec into the window, which is handed on when it is full or the input is not the reason to stop.
 * Return: false when the codec wants more input. */
static bool step_codec(struct decoder *d, struct codec_io *io)
{
	size_t in_before = io->in_n, out_before;
	enum codec_step step;

	io->out = d->window + d->filled;
	io->out_n = out_before = d->window_n - d->filled;
	step = d->ops->step(d->codec, io);
	d->filled = d->window_n - io->out_n;
	if (step != CODEC_MORE || io->out_n == 0)
		flush(d);
	if (!d->ended)
		note_step(d, step);
	if (d->ended || d->between)
		return true;
	if (in_before > 0 && io->in_n == in_before && io->out_n == out_before)
		stop(d, STREAM_BROKEN); /* it takes nothing and gives nothing */
	return io->in_n > 0 || io->out_n == 0;
}

/* A further stream begins: its magic has been taken already. */
static void begin_further(struct decoder *d)
{
	struct codec_io magic = { .in = d->ops->magic, .in_n = d->ops->magic_n };

	d->multiple = true;
	d->between = false;
	if (!d->ops->begin(d->codec, d->arena)) {
		stop(d, STREAM_FAILED);
		return;
	}
	while (magic.in_n > 0 && !d->ended)
		if (!step_codec(d, &magic))
			break;
}

static void decode(struct decoder *d, struct codec_io *io)
{
	bool more = true;

	while (more && !d->ended) {
		if (!d->between) {
			more = step_codec(d, io);
			if (d->between)
				d->state.coding_end = d->state.coded - io->in_n;
		} else {
			more = io->in_n > 0;
			if (more && d->ops->magic_n == 0)
				stop(d, STREAM_TRAILING);
			else if (more && find_further(d, io))
				begin_further(d);
		}
	}
	flush(d);
}

bool decoder_feed(struct decoder *d, const uint8_t *at, size_t n)
{
	struct codec_io io = { .in = at, .in_n = n };

	d->state.coded += n;
	if (d->ended)
		return false;
	if (d->ops != NULL)
		decode(d, &io);
	else
		put_out_stored(d, at, n);
	return !d->ended;
}

/* -- life -- */

static void free_decoder(struct decoder *d)
{
	if (d->codec != NULL)
		d->ops->done(d->codec);
	arena_release(d->arena, d->codec);
	arena_release(d->arena, d->window);
	arena_release(d->arena, d);
}

/* A window no larger than what is declared, and one byte to see that there is more. */
static bool open_codec(struct decoder *d, const struct stream *s)
{
	d->window_n = s->size < STREAM_WINDOW ? (size_t)s->size + 1 : STREAM_WINDOW;
	d->window = arena_resize_raw(d->arena, NULL, d->window_n, 1);
	d->codec = arena_resize(d->arena, NULL, d->ops->state_bytes, 1);
	return d->window != NULL && d->codec != NULL && d->ops->begin(d->codec, d->arena);
}

struct decoder *decoder_new(const struct stream *s, struct arena *a, struct feeder f)
{
	struct decoder *d = arena_resize(a, NULL, 1, sizeof(*d));

	if (d == NULL)
		return NULL;
	*d = (struct decoder){
		.arena = a, .feeder = f, .ops = codec_ops_of(s->codec), .declared = s->size, .limit = bomb_limit(s)
	};
	if (d->ops != NULL && !open_codec(d, s)) {
		free_decoder(d);
		return NULL;
	}
	return d;
}

static enum stream_end how_stored_ended(const struct decoder *d)
{
	if (d->state.decoded > d->declared)
		return STREAM_LONG;
	if (d->state.decoded > d->limit)
		return STREAM_BOMB;
	return d->declared != STREAM_SIZE_UNKNOWN && d->state.decoded < d->declared ? STREAM_TRUNCATED : STREAM_WHOLE;
}

static enum stream_end how_it_ended(const struct decoder *d)
{
	if (d->ended && d->end != STREAM_TRAILING)
		return d->end;
	if (d->ops == NULL)
		return how_stored_ended(d);
	if (!d->between)
		return STREAM_TRUNCATED;
	if (d->mismatch)
		return STREAM_CHECKSUM;
	if (d->trailing || d->magic_n > 0 || d->ended)
		return STREAM_TRAILING;
	return d->multiple ? STREAM_MULTIPLE : STREAM_WHOLE;
}

enum stream_end decoder_end(struct decoder *d, struct stream_state *ret)
{
	enum stream_end end = how_it_ended(d);

	if (d->ops == NULL)
		d->state.coding_end = d->state.decoded;
	if (ret != NULL)
		*ret = d->state;
	free_decoder(d);
	return end;
}

/* -- before the pass -- */

static uint64_t feed_coded(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct decoder *d = ctx;

	return decoder_feed(d, at, n) ? offset + n : FEED_END;
}

/* Stored bytes that nobody wants are not even read. */
static uint64_t feed_stored(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct decoder *d = ctx;

	d->state.coded = d->state.decoded = offset;
	if (!decoder_feed(d, at, n))
		return FEED_END;
	return d->wanted > offset + n ? d->wanted : offset + n;
}

enum stream_end stream_preview(const struct stream *s, struct arena *a, struct feeder f, struct stream_state *ret)
{
	struct decoder *d = decoder_new(s, a, f);
	struct feeder coded = { .feed = s->codec == CODEC_STORED ? feed_stored : feed_coded, .ctx = d };
	bool read;

	if (ret != NULL)
		*ret = (struct stream_state){ 0 };
	if (d == NULL)
		return STREAM_FAILED;
	read = part_preview(&s->part, 0, coded);
	if (read && !d->ended && s->codec == CODEC_STORED)
		d->state.coded = d->state.decoded = s->part.size; /* skipped to the end */
	/* Of one stream the limits are the bound; of all together, this. */
	(void)work_charge(&s->part.src->arena->work, d->state.decoded / DECODED_PER_WORK);
	if (!read)
		stop(d, STREAM_FAILED);
	return decoder_end(d, ret);
}

/* -- copies -- */

struct copy {
	struct arena *arena;
	uint8_t *at;
	size_t n, capacity;
	uint64_t limit;
	bool failed;
};

#define COPY_FIRST ((size_t)64 * 1024)

static bool reserve(struct copy *c, size_t n)
{
	size_t capacity = c->capacity > 0 ? c->capacity : COPY_FIRST;
	uint8_t *bigger;

	if (n <= c->capacity)
		return true;
	while (capacity < n)
		capacity *= 2; /* n is below twice the limit */
	bigger = arena_resize_raw(c->arena, c->at, capacity, 1);
	if (bigger == NULL)
		return false;
	c->at = bigger;
	c->capacity = capacity;
	return true;
}

static uint64_t feed_copy(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct copy *c = ctx;

	if (n > c->limit - c->n)
		return FEED_END;
	if (!reserve(c, c->n + n)) {
		c->failed = true;
		return FEED_END;
	}
	memcpy(c->at + c->n, at, n);
	c->n += n;
	return offset + n;
}

struct part stream_copy(const struct stream *s, struct arena *a, uint64_t limit, enum stream_end *ret_end)
{
	struct copy c = { .arena = a, .limit = min_u64(limit, SIZE_MAX / 4) };
	struct part copy = s->part;

	copy.copy = NULL;
	copy.size = 0;
	if (s->size != STREAM_SIZE_UNKNOWN && s->size <= c.limit && !reserve(&c, (size_t)s->size)) {
		*ret_end = STREAM_FAILED;
		return copy;
	}
	*ret_end = stream_preview(s, a, (struct feeder){ .feed = feed_copy, .ctx = &c }, NULL);
	if (c.failed)
		*ret_end = STREAM_FAILED;
	if (!stream_end_is_usable(*ret_end)) {
		arena_release(a, c.at);
		return copy;
	}
	copy.copy = c.at != NULL ? c.at : (const uint8_t *)"";
	copy.size = c.n;
	return copy;
}

struct head {
	uint8_t *at;
	size_t n, capacity;
};

static uint64_t feed_head(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct head *h = ctx;
	size_t piece = n < h->capacity - h->n ? n : h->capacity - h->n;

	memcpy(h->at + h->n, at, piece);
	h->n += piece;
	return h->n < h->capacity ? offset + n : FEED_END;
}

bool stream_head(const struct stream *s, struct arena *a, size_t n, struct bytes *ret)
{
	struct head h = { .at = arena_alloc(a, n, 1), .capacity = n };

	if (h.at == NULL)
		return false;
	if (n > 0 && stream_preview(s, a, (struct feeder){ .feed = feed_head, .ctx = &h }, NULL) == STREAM_FAILED)
		return false;
	*ret = bytes_of(h.at, h.n);
	return true;
}
