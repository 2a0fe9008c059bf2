/* The weights of an ML program: a file of blobs, each behind 64 bytes that say what it is.  A program names a blob by the
 * offset of these.  Writers put one blob behind the other, at multiples of 64, and read strictly that is all there is: so
 * every byte is accounted for, and every number examined. */
#include "coreml.h"

#include "checked.h"
#include "decimal.h"
#include "identify_signs.h"
#include "runs.h"

#define ALIGN 64u /* of headers and of data */
#define HEADER_BYTES 64u
#define SENTINEL 0xdeadbeefu
#define VERSION 2u

/* BlobDataType: what it is here, the bytes of an element, and the bits of one that is smaller. */
static const struct {
	uint8_t dtype, bytes, bits;
} types[] = {
	{ WLK_DTYPE_NONE, 0, 0 },
	{ WLK_DTYPE_F16, 2, 0 },
	{ WLK_DTYPE_F32, 4, 0 },
	{ WLK_DTYPE_U8, 1, 0 },
	{ WLK_DTYPE_I8, 1, 0 },
	{ WLK_DTYPE_BF16, 2, 0 },
	{ WLK_DTYPE_I16, 2, 0 },
	{ WLK_DTYPE_U16, 2, 0 },
	{ WLK_DTYPE_I4, 1, 4 },
	{ WLK_DTYPE_U8, 1, 1 }, /* packed bits, as are those of 3 and of 6 */
	{ WLK_DTYPE_U2, 1, 2 },
	{ WLK_DTYPE_U4, 1, 4 },
	{ WLK_DTYPE_U8, 1, 3 },
	{ WLK_DTYPE_U8, 1, 6 },
	{ WLK_DTYPE_I32, 4, 0 },
	{ WLK_DTYPE_U32, 4, 0 },
	{ WLK_DTYPE_F8_E4M3, 1, 0 },
	{ WLK_DTYPE_F8_E5M2, 1, 0 },
};
#define N_TYPES (sizeof(types) / sizeof(types[0]))

struct blob {
	uint32_t sentinel, type;
	uint64_t size, offset, padding_bits;
	bool reserved; /* has something in fields that mean nothing */
};

static bool any_set(const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] != 0)
			return true;
	return false;
}

static struct blob blob_of(const uint8_t at[HEADER_BYTES])
{
	return (struct blob){ .sentinel = load_u32le(at),
		.type = load_u32le(at + 4),
		.size = load_u64le(at + 8),
		.offset = load_u64le(at + 16),
		.padding_bits = load_u64le(at + 24),
		.reserved = any_set(at + 32, HEADER_BYTES - 32) };
}

/* The first thing that is wrong, or NULL.  @at: of the header; its data has to stand behind it. */
static const char *fault_of(const struct blob *b, uint64_t at, uint64_t size)
{
	uint64_t begin = at + HEADER_BYTES; /* which was read, so it lies within */

	if (b->sentinel != SENTINEL)
		return "sentinel";
	if (b->type == 0 || b->type >= N_TYPES)
		return "type";
	if (b->offset != begin)
		return "offset";
	if (b->size > size - begin || b->size % types[b->type].bytes != 0)
		return "size";
	/* Of types that have no bits to spare nobody reads the field, and old writers never set it. */
	if (types[b->type].bits != 0 && (b->padding_bits >= 8 || (b->size == 0 && b->padding_bits > 0)))
		return "padding";
	return NULL;
}

static void tell(struct layout *l, enum wlk_finding code, uint64_t at, const char *found)
{
	layout_finding(
	    l, &(struct finding){
		   .code = code, .has_offset = true, .offset = at, .found = value_text(bytes_of_text(found)) });
}

/* Bits behind the last element are nobody's: *reserved when there is something in them. */
static bool check_spare_bits(struct layout *l, const struct blob *b, bool *reserved)
{
	uint8_t last;

	if (types[b->type].bits == 0 || b->padding_bits == 0)
		return true;
	if (!part_read_guarded(&l->part, b->offset + b->size - 1, &last, 1))
		return false;
	*reserved = *reserved || last >> (8 - b->padding_bits) != 0;
	return true;
}

/* Up to the next multiple of 64, as far as the file goes. */
static uint64_t align_up(uint64_t at, uint64_t size)
{
	uint64_t over = at % ALIGN;

	return over == 0 || size - at < ALIGN - over ? at : at + (ALIGN - over);
}

enum next { NEXT_BLOB, NEXT_BROKEN, NEXT_STOP };

/* The blob whose header is at r->covered, or as little behind it as alignment asks for. */
static enum next read_blob(struct runs *r, bool *reserved)
{
	struct layout *l = r->l;
	uint64_t size = l->part.size, at = align_up(r->covered, size);
	uint8_t header[HEADER_BYTES];
	char name[DECIMAL_MAX];
	struct blob b;
	const char *fault;

	if (size - at < HEADER_BYTES) {
		tell(l, WLK_F_COREML_WEIGHTS_HEADER, at, "too few blobs");
		return NEXT_BROKEN;
	}
	if (!runs_cover(r, at, EXTENT_ZERO) || !part_read_guarded(&l->part, at, header, sizeof(header)))
		return NEXT_STOP;
	b = blob_of(header);
	fault = fault_of(&b, at, size);
	if (fault != NULL) {
		tell(l, WLK_F_COREML_WEIGHTS_BLOB, at, fault);
		return NEXT_BROKEN;
	}
	*reserved = *reserved || b.reserved || (types[b.type].bits == 0 && b.padding_bits != 0);
	if (!runs_cover(r, b.offset, EXTENT_METADATA) || !check_spare_bits(l, &b, reserved) ||
	    !runs_add(r, b.offset, b.size, (enum wlk_dtype)types[b.type].dtype, bytes_of(name, decimal_text(at, name))))
		return NEXT_STOP;
	return NEXT_BLOB;
}

/* Behind the last blob: nothing, or zeros up to a multiple of 64. */
static enum wlk_status end(struct runs *r)
{
	struct layout *l = r->l;
	uint64_t at = align_up(r->covered, l->part.size);

	if (at != l->part.size) {
		layout_value(l, WLK_F_COREML_WEIGHTS_TRAILING, at, l->part.size, at);
		return WLK_BROKEN;
	}
	if (!runs_cover(r, at, EXTENT_ZERO))
		return layout_stop(l);
	return runs_finish(r, WLK_F_COREML_WEIGHTS_BLOB);
}

static enum wlk_status read_blobs(struct layout *l, uint32_t count, bool reserved)
{
	struct runs r = { .l = l };
	enum next next = runs_cover(&r, HEADER_BYTES, EXTENT_HEADER) ? NEXT_BLOB : NEXT_STOP;

	for (uint32_t i = 0; i < count && next == NEXT_BLOB; i++)
		next = read_blob(&r, &reserved);
	if (next == NEXT_STOP)
		return layout_stop(l);
	if (reserved)
		layout_at(l, WLK_F_COREML_WEIGHTS_RESERVED, 0);
	return next == NEXT_BLOB ? end(&r) : WLK_BROKEN;
}

static enum wlk_status layout(struct layout *l)
{
	uint8_t header[HEADER_BYTES];
	uint32_t count, version;

	if (l->part.size < HEADER_BYTES) {
		tell(l, WLK_F_COREML_WEIGHTS_HEADER, 0, "size");
		return WLK_BROKEN;
	}
	if (!part_read_guarded(&l->part, 0, header, sizeof(header)))
		return layout_stop(l);
	count = load_u32le(header);
	version = load_u32le(header + 4);
	if (version != VERSION) {
		layout_value(l, WLK_F_COREML_WEIGHTS_VERSION, 4, version, VERSION);
		return WLK_BROKEN;
	}
	if (count == 0 || count > l->lim->tensors) {
		layout_value(l, WLK_F_COREML_WEIGHTS_HEADER, 0, count, l->lim->tensors);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, min_u64(count, l->part.size / HEADER_BYTES) * 256); /* four extents and a name each */
	l->extents->nonzero = WLK_F_COREML_WEIGHTS_PADDING;
	return read_blobs(l, count, any_set(header + 8, HEADER_BYTES - 8));
}

/* Another version, as far as it begins alike: to be told, and not read. */
static bool is_of_the_future(const uint8_t *at)
{
	uint32_t version = load_u32le(at + 4);

	return version > 0 && version < 256 && !any_set(at + 8, HEADER_BYTES - 8) &&
	       load_u32le(at + HEADER_BYTES) == SENTINEL;
}

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_COREML_WEIGHTS, bytes_of(p->head, p->n), p->size) ||
	       (p->n >= HEADER_BYTES + 4 && is_of_the_future(p->head));
}

const struct wlk_format format_coreml_weights = {
	.id = WLK_FORMAT_COREML_WEIGHTS, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
