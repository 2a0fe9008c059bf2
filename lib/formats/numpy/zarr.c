/* Descriptions of zarr's arrays: see zarr.h.  Versions 2 (`.zarray`, and `.zmetadata`, which has all of a folder) and 3
 * (`zarr.json`).  What decodes an array is named in them; readers look the names up among the codecs that packages register. */
#include "zarr.h"

#include "checked.h"
#include "json_walk.h"

#define NAME_MAX_BYTES 64u

/* What a value is, by the name it or the list around it has. */
enum place { PLACE_OTHER, PLACE_CODECS, PLACE_TYPE, PLACE_SHAPE };

struct open {
	enum place place;
	bool is_array, is_codec;
	/* Of an object that describes an array. */
	bool object_type, object_codec;
	size_t type_at;
};

struct zarr {
	struct layout *l;
	bool broken;
	struct open stack[JSON_DEPTH_MAX];
};

static struct bytes shown(const struct json_text *text, uint8_t *buf, size_t n)
{
	struct bytes raw = text->raw;

	return bytes_of(buf, json_decode(&raw, buf, n));
}

static void tell(struct zarr *z, enum wlk_finding code, size_t at, struct bytes subject)
{
	layout_finding(z->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

/* -- codecs -- */

static const char *const codecs[] = { "blosc", "zlib", "gzip", "zstd", "lz4", "bz2", "lzma", "shuffle", "delta",
	"fixedscaleoffset", "astype", "quantize", "bitround", "packbits", "crc32", "crc32c", "adler32", "fletcher32",
	"jenkins_lookup3", "zfpy", "pcodec", "bytes", "transpose", "sharding_indexed", "packbits", "bitshuffle" };

/* They make bytes of Python's objects, and text or plain values of bytes. */
static const char *const object_codecs[] = { "vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2",
	"categorize" };

static bool is_one_of(struct bytes name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes_equal(name, bytes_of_text(list[i])))
			return true;
	return false;
}

static struct bytes without(struct bytes name, const char *prefix)
{
	size_t n = strlen(prefix);

	return name.n > n && memcmp(name.at, prefix, n) == 0 ? bytes_of(name.at + n, name.n - n) : name;
}

/* The array that the codec at this depth is of: the object that has the list in it. */
static struct open *array_of(struct zarr *z, unsigned depth)
{
	while (depth > 0 && (z->stack[depth - 1].is_array || z->stack[depth - 1].is_codec))
		depth--;
	return &z->stack[depth > 0 ? depth - 1 : 0];
}

static void judge_codec(struct zarr *z, const struct json_value *v)
{
	uint8_t buf[NAME_MAX_BYTES];
	struct bytes name = without(shown(&v->text, buf, sizeof(buf)), "numcodecs.");

	if (name.n >= 6 && strncasecmp((const char *)name.at, "pickle", 6) == 0)
		tell(z, WLK_F_ZARR_PICKLE, v->at, name);
	else if (is_one_of(name, object_codecs, sizeof(object_codecs) / sizeof(object_codecs[0])))
		array_of(z, v->depth)->object_codec = true;
	else if (!is_one_of(name, codecs, sizeof(codecs) / sizeof(codecs[0])))
		tell(z, WLK_F_ZARR_CODEC, v->at, name);
}

/* -- types -- */

static bool is_letter(struct bytes text, size_t at)
{
	uint8_t low = at < text.n ? text.at[at] | 0x20 : 0;

	return low >= 'a' && low <= 'z';
}

/* NumPy's letter for objects, alone or in a list of types: "O", "O8", "(2,)O", "O,i4". */
static bool has_object_code(struct bytes type)
{
	for (size_t i = 0; i < type.n; i++)
		if (type.at[i] == 'O' && !is_letter(type, i + 1) && (i == 0 || !is_letter(type, i - 1)))
			return true;
	return false;
}

/* NumPy's spelling of a type: "<f4", "|O", "object"; version 3 has words. */
static bool is_object(struct bytes type)
{
	type = without(without(without(without(type, "|"), "<"), ">"), "=");
	return bytes_equal(type, bytes_of_text("object")) || bytes_equal(type, bytes_of_text("object_")) ||
	       has_object_code(type);
}

static void take_type(struct zarr *z, const struct json_value *v)
{
	uint8_t buf[NAME_MAX_BYTES];
	struct open *array = array_of(z, v->depth);

	if (!is_object(shown(&v->text, buf, sizeof(buf))))
		return;
	array->object_type = true;
	array->type_at = v->at;
}

static void take_dimension(struct zarr *z, const struct json_value *v)
{
	if (v->kind == JSON_NUMBER && v->number.plain && v->number.fits)
		return;
	tell(z, WLK_F_ZARR_METADATA, v->at, bytes_of(NULL, 0));
	z->broken = true;
}

/* -- the walk -- */

static enum place place_of(const struct json_text *key)
{
	if (json_is(key, "compressor") || json_is(key, "filters") || json_is(key, "codecs") ||
	    json_is(key, "index_codecs") || json_is(key, "compressors") || json_is(key, "object_codec"))
		return PLACE_CODECS;
	if (json_is(key, "dtype") || json_is(key, "data_type"))
		return PLACE_TYPE;
	return json_is(key, "shape") || json_is(key, "chunks") || json_is(key, "chunk_shape") ? PLACE_SHAPE
											      : PLACE_OTHER;
}

/* Whatever is in a codec is a codec's: some have others in them. */
static enum place place_around(const struct json_value *v, const struct open *around)
{
	enum place place = v->key != NULL ? place_of(v->key) : PLACE_OTHER;

	if (place == PLACE_OTHER && around != NULL && (around->is_array || around->place == PLACE_CODECS))
		return around->place;
	return place;
}

static void take_scalar(struct zarr *z, const struct json_value *v, const struct open *around)
{
	bool listed = around != NULL && around->is_array;
	enum place place = listed ? around->place : v->key != NULL ? place_of(v->key) : PLACE_OTHER;
	bool named = around != NULL && around->is_codec && (json_is(v->key, "id") || json_is(v->key, "name"));

	if (place == PLACE_SHAPE && listed)
		take_dimension(z, v);
	else if (v->kind == JSON_STRING && (named || place == PLACE_CODECS))
		judge_codec(z, v);
	else if (v->kind == JSON_STRING && place == PLACE_TYPE)
		take_type(z, v);
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct zarr *z = ctx;
	const struct open *around = v->depth > 0 ? &z->stack[v->depth - 1] : NULL;
	enum place place = place_around(v, around);

	if (v->depth == 0 && v->kind != JSON_OBJECT) {
		tell(z, WLK_F_ZARR_METADATA, v->at, bytes_of(NULL, 0));
		z->broken = true;
	}
	if (v->kind > JSON_ARRAY)
		take_scalar(z, v, around);
	else
		z->stack[v->depth] = (struct open){ .place = place,
			.is_array = v->kind == JSON_ARRAY,
			.is_codec = v->kind == JSON_OBJECT && place == PLACE_CODECS };
	return true;
}

/* A type may stand behind its codec: the array is judged when it ends. */
static void take_close(void *ctx, unsigned depth)
{
	struct zarr *z = ctx;
	const struct open *o = &z->stack[depth];

	if (o->object_type && !o->object_codec)
		tell(z, WLK_F_ZARR_OBJECT, o->type_at, bytes_of(NULL, 0));
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct zarr *z = ctx;

	(void)key;
	(void)at;
	z->broken = true; /* the reader of JSON files has said so */
}

static enum wlk_status check(struct layout *l, struct bytes text)
{
	struct zarr *z = arena_alloc(l->arena, 1, sizeof(*z));
	const struct json_walker walker = { .ctx = z, .value = take_value, .close = take_close, .twice = take_twice };
	enum json_walk_end end;

	if (z == NULL)
		return layout_stop(l);
	z->l = l;
	end = json_walk(l, text, &walker, NULL);
	if (end == JSON_WALK_MEMORY)
		return layout_stop(l);
	return end == JSON_WALK_WHOLE && !z->broken ? WLK_DONE : WLK_BROKEN;
}

const struct json_model json_model_zarr = {
	.id = WLK_FORMAT_ZARR, .keys = { "zarr_format" }, .number = true, .check = check
};

/* -- as a file whose name says so -- */

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static enum wlk_status layout(struct layout *l)
{
	return json_file_layout(l, &json_model_zarr);
}

const struct wlk_format format_zarr = { .id = WLK_FORMAT_ZARR, .probe = no_probe, .layout = layout };
