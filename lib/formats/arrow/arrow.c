/* Arrow IPC files and streams: see arrow_impl.h.  A file is a stream between two magics with a footer that says where its
 * messages are; both have the schema, and readers go by either.
 *
 * Every message, table and buffer is checked against the file and against the schema, and nothing is between them but
 * zeros.  What is in the buffers is not looked at - offsets of texts, indices into dictionaries, compressed bodies - so
 * a file is never accepted. */
#include "arrow.h"
#include "arrow_impl.h"

#include "claims.h"
#include "identify_signs.h"

#include <string.h>

/* -- findings -- */

void arrow_value(
    struct arrow *a, enum wlk_finding code, uint64_t at, const char *what, uint64_t found, uint64_t allowed)
{
	a->broken = true;
	layout_finding(a->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = arrow_offset(a, at),
				 .subject = bytes_of_text(what),
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
}

static void on_fault(void *ctx, enum fb_error e, const char *what, uint64_t at)
{
	struct arrow *a = ctx;

	a->broken = true;
	if (e == FB_FAILED)
		layout_stop(a->l);
	else
		layout_finding(
		    a->l, &(struct finding){ .code = e == FB_UNKNOWN ? WLK_F_ARROW_UNSUPPORTED : WLK_F_ARROW_STRUCTURE,
			      .has_offset = true,
			      .offset = arrow_offset(a, at),
			      .subject = bytes_of_text(what) });
}

/* A stream of small messages has a claim every 16 bytes. */
#define MEMORY_PER_BYTE 4u
#define MEMORY_BYTES (UINT64_C(40) << 20)

bool arrow_init(struct arrow *a, struct layout *l, const struct part *part)
{
	*a = (struct arrow){ .l = l };
	extents_init(&a->claims, l->arena);
	a->fb = (struct fb){
		.part = *part, .extents = &a->claims, .arena = l->arena, .seed = l->seed, .ctx = a, .fault = on_fault
	};
	return fb_init(&a->fb);
}

/* -- messages -- */

/* A schema where one has to be: the first message. */
static bool read_first(struct arrow *a, uint64_t at, uint64_t end)
{
	struct arrow_message m = { .begin = at };

	if (!arrow_read_prefix(a, end, &m) || (m.metadata > 0 && !arrow_read_message(a, end, &m)))
		return false;
	if (m.kind != ARROW_HEADER_SCHEMA)
		arrow_value(a, WLK_F_ARROW_STRUCTURE, at, "schema", m.kind, ARROW_HEADER_SCHEMA);
	return true;
}

/* -- files -- */

#define MAGIC "ARROW1"
#define HEAD_BYTES 8u   /* the magic, padded */
#define TAIL_BYTES 10u  /* the footer's length, the magic */
#define BLOCK_BYTES 24u /* offset i64, metadata i32, 4 of padding, body i64 */

/* A message that the footer tells of.  @end: where messages end. */
static bool read_block(struct arrow *a, uint64_t at, uint64_t end, unsigned kind)
{
	struct arrow_message m = { 0 };
	uint8_t raw[BLOCK_BYTES];
	uint64_t metadata, body;

	if (!fb_read(&a->fb, at, raw, sizeof(raw)))
		return false;
	m.begin = load_u64le(raw);
	metadata = load_u32le(raw + 8);
	body = load_u64le(raw + 16);
	if (m.begin < HEAD_BYTES || m.begin > end) {
		arrow_value(a, WLK_F_ARROW_STRUCTURE, at, "block", m.begin, end);
		return true;
	}
	if (!arrow_read_prefix(a, end, &m) || !arrow_read_message(a, end, &m))
		return false;
	if (m.prefix + m.metadata != metadata || m.body != body || m.kind != kind)
		arrow_value(a, WLK_F_ARROW_STRUCTURE, at, "block", body, m.body);
	return true;
}

static bool read_blocks(struct arrow *a, const struct fb_table *footer, unsigned field, uint64_t end, unsigned kind)
{
	if (!fb_visit(&a->fb, footer->count[field], footer->at))
		return false;
	for (uint32_t i = 0; i < footer->count[field]; i++)
		if (!read_block(a, footer->value[field] + (uint64_t)i * BLOCK_BYTES, end, kind))
			return false;
	return true;
}

/* The mark that ends a stream, behind the last message: older writers have zeros. */
static bool read_end(struct arrow *a, uint64_t at, uint64_t end)
{
	uint8_t raw[8];

	if (end - at < sizeof(raw))
		return true;
	if (!fb_read(&a->fb, at, raw, sizeof(raw)))
		return false;
	return memcmp(raw, "\xff\xff\xff\xff\0\0\0\0", sizeof(raw)) != 0 ||
	       fb_claim(&a->fb, at, at + sizeof(raw), NULL, NULL);
}

static bool read_footer(struct arrow *a, uint64_t begin, uint64_t end, struct fb_table *ret)
{
	uint64_t root, hash = a->schema_hash;

	if (!fb_frame(&a->fb, begin, end, &root) || !fb_open(&a->fb, root, &arrow_footer, ret) ||
	    !arrow_read_metadata(a, ret, FOOTER_METADATA))
		return false;
	if (!fb_has(ret, FOOTER_SCHEMA))
		return fb_fail(&a->fb, FB_OFFSET, "schema", root);
	if (!arrow_read_schema(a, ret->value[FOOTER_SCHEMA]))
		return false;
	if (a->schema_hash != hash)
		arrow_value(a, WLK_F_ARROW_SCHEMA_DIFFERS, ret->value[FOOTER_SCHEMA], "schema", 0, 0);
	return true;
}

static bool read_file(struct arrow *a, uint64_t footer)
{
	uint64_t tail = a->l->part.size - TAIL_BYTES;
	struct fb_table f;

	return fb_claim(&a->fb, 0, HEAD_BYTES, NULL, NULL) && read_first(a, HEAD_BYTES, footer) &&
	       read_footer(a, footer, tail, &f) &&
	       read_blocks(a, &f, FOOTER_DICTIONARIES, footer, ARROW_HEADER_DICTIONARY) &&
	       read_blocks(a, &f, FOOTER_BATCHES, footer, ARROW_HEADER_BATCH) && read_end(a, a->end, footer) &&
	       fb_claim(&a->fb, tail, tail + TAIL_BYTES, NULL, NULL);
}

/* False: told. */
static bool find_footer(struct arrow *a, uint64_t *ret)
{
	uint64_t size = a->l->part.size;
	uint8_t head[HEAD_BYTES], tail[TAIL_BYTES];
	uint32_t n;

	if (size < HEAD_BYTES + TAIL_BYTES)
		return fb_fail(&a->fb, FB_OFFSET, "file", 0);
	if (!fb_read(&a->fb, 0, head, sizeof(head)) || !fb_read(&a->fb, size - TAIL_BYTES, tail, sizeof(tail)))
		return false;
	if (memcmp(head, MAGIC "\0\0", sizeof(head)) != 0)
		return fb_fail(&a->fb, FB_OFFSET, "magic", 0);
	if (memcmp(tail + 4, MAGIC, strlen(MAGIC)) != 0)
		return fb_fail(&a->fb, FB_OFFSET, "magic at the end", size - strlen(MAGIC));
	n = load_u32le(tail);
	if (n == 0 || n > size - HEAD_BYTES - TAIL_BYTES)
		return fb_fail(&a->fb, FB_OFFSET, "footer", size - TAIL_BYTES);
	*ret = size - TAIL_BYTES - n;
	return true;
}

/* -- streams -- */

/* Up to the mark, or to the end of the file. */
static bool read_stream(struct arrow *a)
{
	uint64_t size = a->l->part.size;

	if (!read_first(a, 0, size))
		return false;
	while (a->end < size) {
		struct arrow_message m = { .begin = a->end };

		if (!arrow_read_prefix(a, size, &m))
			return false;
		if (m.metadata == 0)
			return true;
		if (!arrow_read_message(a, size, &m))
			return false;
		if (m.kind == ARROW_HEADER_SCHEMA)
			arrow_value(a, WLK_F_ARROW_SCHEMA_DIFFERS, m.begin, "schema", 2, 1);
	}
	return true;
}

/* -- as formats -- */

static enum wlk_status prove(struct arrow *a)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_ARROW_OVERLAP,
		.hole = WLK_F_ARROW_HOLE,
		.out_of_bounds = WLK_F_ARROW_STRUCTURE,
		.trailing = WLK_F_ARROW_TRAILING_BYTES };
	struct layout *l = a->l;
	enum wlk_status status;

	if (!claims_take(l, &a->claims) || !claims_pad(l, claims_end(&a->claims), a->end))
		return layout_stop(l);
	l->extents->nonzero = WLK_F_ARROW_HOLE;
	status = claims_prove(l, &codes, a->broken);
	a->broken = a->broken || status != WLK_DONE || l->extents->gaps;
	return status;
}

static struct arrow *begin(struct layout *l)
{
	struct arrow *a = arena_alloc(l->arena, 1, sizeof(*a));

	layout_raise_memory(l, MEMORY_PER_BYTE * (l->part.size < MEMORY_BYTES ? l->part.size : MEMORY_BYTES));
	l->state = a;
	if (a != NULL && arrow_init(a, l, &l->part))
		return a;
	layout_stop(l);
	return NULL;
}

static enum wlk_status end(struct arrow *a, bool read)
{
	if (!read)
		return a->l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : WLK_BROKEN;
	return prove(a);
}

static enum wlk_status layout_file(struct layout *l)
{
	struct arrow *a = begin(l);
	uint64_t footer;

	return a != NULL ? end(a, find_footer(a, &footer) && read_file(a, footer)) : WLK_INCOMPLETE;
}

static enum wlk_status layout_stream(struct layout *l)
{
	struct arrow *a = begin(l);

	return a != NULL ? end(a, read_stream(a)) : WLK_INCOMPLETE;
}

/* The values were not looked at. */
static enum wlk_status finish(struct layout *l)
{
	const struct arrow *a = l->state;

	if (a != NULL && !a->broken)
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
	return WLK_BROKEN;
}

static bool probe_file(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_ARROW, bytes_of(p->head, p->n), p->size);
}

static bool probe_stream(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_ARROW_STREAM, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_arrow = {
	.id = WLK_FORMAT_ARROW, .probe = probe_file, .layout = layout_file, .finish = finish, .nested = NESTED_RANDOM
};

const struct wlk_format format_arrow_stream = { .id = WLK_FORMAT_ARROW_STREAM,
	.probe = probe_stream,
	.layout = layout_stream,
	.finish = finish,
	.nested = NESTED_RANDOM };
