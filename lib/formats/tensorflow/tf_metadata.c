/* keras_metadata.pb and fingerprint.pb: see tf_metadata.h.  Both are messages without a signature, so each is recognised by
 * being one that is sound: of Keras', by the identifiers that its objects have; of the fingerprint, by hashes and a version. */
#include "tf_metadata.h"

#include "keras_config.h"
#include "protobuf.h"
#include "stream.h"
#include "tf_graph.h"

#define FINGERPRINT_MAX 256u /* bytes: five hashes, a version, an identifier */
#define HASHES_MIN 3u        /* of the five; one that is 0 is not written */
#define FIELDS_MAX 64u       /* that are looked at until an identifier has come: the first object has one */
#define KERAS_PREFIX "_tf_keras_"

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define MESSAGE(name, ...)                                              \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ }; \
	static const struct pb_message name = { #name, name##_fields,   \
		sizeof(name##_fields) / sizeof(name##_fields[0]), NULL };

/* clang-format off: a table */
MESSAGE(version, FIELD(1, INT32), FIELD(2, INT32), FIELD(3, INT32, .repeated = true))
MESSAGE(keras_object, FIELD(2, INT32), FIELD(3, STRING), FIELD(4, STRING), FIELD(5, BLOB),
    FIELD(6, MESSAGE, .message = &version))
MESSAGE(keras_metadata, FIELD(1, MESSAGE, .repeated = true, .message = &keras_object))
MESSAGE(fingerprint, FIELD(1, INT64), FIELD(2, INT64), FIELD(3, INT64), FIELD(4, INT64), FIELD(5, INT64),
    FIELD(6, MESSAGE, .message = &version), FIELD(7, STRING))
/* clang-format on */

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static enum wlk_status describe(struct layout *l)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	*e = (struct extent){ .end = l->part.size, .kind = EXTENT_METADATA };
	return WLK_DONE;
}

/* -- is it one? -- */

struct sight {
	unsigned hashes, fields;
	bool version, keras;
};

static bool sight_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct sight *s = ctx;

	(void)f;
	s->hashes += at->message == &fingerprint && value > UINT32_MAX;
	s->version = s->version || at->message == &version;
	return ++s->fields <= FIELDS_MAX;
}

static bool sight_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;
	size_t prefix = strlen(KERAS_PREFIX);

	(void)n;
	s->keras = s->keras || (at->message == &keras_object && f->number == 4 && bytes.n > prefix &&
				   memcmp(bytes.at, KERAS_PREFIX, prefix) == 0);
	return !s->keras && ++s->fields <= FIELDS_MAX; /* or enough */
}

static bool sight_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	(void)ctx;
	(void)e;
	(void)at;
	(void)number;
	(void)found;
	return false;
}

/* Return: it was read to its end, or as far as was asked. */
static bool look(struct layout *l, const struct stream *s, const struct pb_message *root, struct sight *ret)
{
	const struct pb_handler handler = {
		.ctx = ret, .number = sight_number, .data = sight_data, .error = sight_error
	};
	struct pb_walker *w = arena_resize_raw(l->arena, NULL, 1, sizeof(*w));
	bool whole;

	if (w == NULL)
		return false;
	*ret = (struct sight){ 0 };
	pb_begin(w, root, s->size, &handler);
	whole = stream_preview(s, l->arena, (struct feeder){ pb_feed, w }, NULL) != STREAM_FAILED && pb_finish(w);
	arena_release(l->arena, w);
	return whole;
}

static bool is_fingerprint(struct layout *l, const struct stream *s)
{
	struct sight sight;

	return s->size > 0 && s->size <= FINGERPRINT_MAX && look(l, s, &fingerprint, &sight) &&
	       sight.hashes >= HASHES_MIN && sight.version;
}

static bool is_keras_metadata(struct layout *l, const struct stream *s)
{
	struct sight sight;

	if (s->size == 0 || s->size > KERAS_CONFIG_MAX)
		return false;
	look(l, s, &keras_metadata, &sight);
	return sight.keras;
}

/* -- the fingerprint: all of it was read -- */

static enum wlk_status layout_fingerprint(struct layout *l)
{
	return describe(l);
}

/* -- Keras -- */

struct keras {
	struct layout *l;
	struct bytes file;
	bool broken, stopped;
};

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct keras *k = ctx;
	enum wlk_status status;

	(void)bytes;
	if (at->message != &keras_object || f->number != 5 || n == 0 || at->offset > k->file.n ||
	    n > k->file.n - at->offset)
		return true;
	status = keras_config_check(k->l, bytes_of(k->file.at + at->offset, (size_t)n), at->offset);
	k->broken = k->broken || status == WLK_BROKEN;
	k->stopped = status == WLK_INCOMPLETE;
	return !k->stopped;
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct keras *k = ctx;
	enum wlk_finding code = tf_wire_code(e);

	(void)found;
	k->broken = k->broken || tf_breaks(code);
	layout_value(k->l, code, at->offset, number, 0);
	return true;
}

static enum wlk_status layout_keras(struct layout *l)
{
	struct keras k = { .l = l };
	const struct pb_handler handler = { .ctx = &k, .data = on_data, .error = on_error };
	struct pb_walker *w;
	const uint8_t *at;
	bool whole;

	if (l->part.size > KERAS_CONFIG_MAX) {
		layout_value(l, WLK_F_TF_LIMIT, 0, l->part.size, KERAS_CONFIG_MAX);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, l->part.size);
	source_raise_pin_budget(l->src, l->part.size);
	at = part_pin(&l->part, 0, (size_t)l->part.size);
	w = at != NULL ? arena_resize_raw(l->arena, NULL, 1, sizeof(*w)) : NULL;
	if (w == NULL)
		return layout_stop(l);
	k.file = bytes_of(at, (size_t)l->part.size);
	pb_begin(w, &keras_metadata, k.file.n, &handler);
	pb_feed(w, k.file.at, k.file.n, 0);
	whole = pb_finish(w);
	arena_release(l->arena, w);
	if (k.stopped)
		return WLK_INCOMPLETE;
	return whole && !k.broken ? describe(l) : WLK_BROKEN;
}

const struct wlk_format format_keras_metadata = { .id = WLK_FORMAT_KERAS_METADATA,
	.probe = no_probe,
	.layout = layout_keras,
	.nested = NESTED_RANDOM,
	.last_resort = is_keras_metadata };
const struct wlk_format format_tf_fingerprint = { .id = WLK_FORMAT_TF_FINGERPRINT,
	.probe = no_probe,
	.layout = layout_fingerprint,
	.nested = NESTED_RANDOM,
	.last_resort = is_fingerprint };
