/* ExecuTorch programs (.pte) and their data (.ptd): see executorch_impl.h.  A FlatBuffer, behind whose identifier a header may
 * stand that says how long it is and where the segments are that follow it.
 *
 * Offsets, indices, segments and the tensors in them are compared with each other and with the file, and nothing is
 * between them but zeros.  What a delegate is given, and whether the values are what an operator takes, is not looked at,
 * so a file is never accepted. */
#include "executorch.h"
#include "executorch_impl.h"

#include "claims.h"
#include "identify_signs.h"

#include <string.h>

/* -- findings -- */

void et_tell(struct executorch *e, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	e->broken = true;
	layout_finding(e->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

void et_wrong(struct executorch *e, uint64_t at, const char *what, uint64_t found, uint64_t allowed)
{
	e->broken = true;
	layout_finding(e->l, &(struct finding){ .code = WLK_F_EXECUTORCH_STRUCTURE,
				 .has_offset = true,
				 .offset = at,
				 .subject = bytes_of_text(what),
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
}

static void on_fault(void *ctx, enum fb_error error, const char *what, uint64_t at)
{
	struct executorch *e = ctx;

	e->broken = true;
	if (error == FB_FAILED)
		layout_stop(e->l);
	else
		et_tell(e, error == FB_UNKNOWN ? WLK_F_EXECUTORCH_UNSUPPORTED : WLK_F_EXECUTORCH_STRUCTURE, at,
		    bytes_of_text(what));
}

bool et_text(
    struct executorch *e, const struct fb_table *t, unsigned field, uint8_t *buf, size_t room, struct bytes *ret)
{
	size_t n = t->count[field] < room ? t->count[field] : room;

	*ret = bytes_of(buf, n);
	return n == 0 || fb_read(&e->fb, t->value[field], buf, n);
}

/* -- the header -- */

#define IDENTIFIER_END 8u
#define HEADER_MAX 40u /* magic, length u32, and four numbers of 8 bytes at most */

/* Numbers behind the length: of programs the first is missing. */
struct header {
	uint64_t bytes; /* of the header; 0: there is none */
	uint64_t begin; /* of the FlatBuffer */
	uint64_t size;  /* of the FlatBuffer */
	uint64_t base;  /* of segments; 0: none */
	uint64_t data;  /* bytes from there; UINT64_MAX: it does not say */
};

static bool wrong(struct executorch *e, const char *what, uint64_t found, uint64_t allowed)
{
	et_wrong(e, IDENTIFIER_END, what, found, allowed);
	e->fb.failed = true;
	return false;
}

static bool check_header(struct executorch *e, const struct header *h, uint64_t least)
{
	uint64_t size = e->l->part.size;

	if (h->bytes < least || h->bytes > size - IDENTIFIER_END)
		return wrong(e, "header", h->bytes, least);
	if (h->begin != 0 || h->size > size || h->size < IDENTIFIER_END + h->bytes)
		return wrong(e, "program size", h->size, size);
	if (h->base != 0 && (h->base < h->size || h->base > size))
		return wrong(e, "segment base", h->base, size);
	if (h->data != UINT64_MAX && h->data > size - (h->base != 0 ? h->base : h->size))
		return wrong(e, "segment data", h->data, size);
	return true;
}

/* @flat: of a data file, which always has one. */
static bool read_header(struct executorch *e, bool flat, struct header *ret)
{
	uint64_t size = e->l->part.size, least = flat ? 40 : 24;
	const char *magic = flat ? "FH01" : "eh00";
	uint8_t raw[HEADER_MAX] = { 0 };
	const uint8_t *numbers = raw + (flat ? 16 : 8);

	*ret = (struct header){ .size = size, .data = UINT64_MAX };
	if (size < IDENTIFIER_END + HEADER_MAX && flat)
		return wrong(e, "header", size, IDENTIFIER_END + HEADER_MAX);
	if (size >= IDENTIFIER_END + 4 &&
	    !fb_read(&e->fb, IDENTIFIER_END, raw,
		size - IDENTIFIER_END < sizeof(raw) ? (size_t)(size - IDENTIFIER_END) : sizeof(raw)))
		return false;
	if (memcmp(raw, magic, 4) != 0)
		return !flat || wrong(e, "header", 0, 1);
	ret->bytes = load_u32le(raw + 4);
	ret->begin = flat ? load_u64le(raw + 8) : 0;
	ret->size = load_u64le(numbers);
	ret->base = load_u64le(numbers + 8);
	if (ret->bytes >= (flat ? 40 : 32))
		ret->data = load_u64le(numbers + 16);
	return check_header(e, ret, least);
}

/* -- the file -- */

static bool read_file(struct executorch *e, bool flat)
{
	uint64_t size = e->l->part.size, root;
	struct header h;

	if (!fb_init(&e->fb) || !read_header(e, flat, &h))
		return false;
	e->fb.end = h.size;
	e->base = h.base;
	e->base_end = h.data != UINT64_MAX && h.base != 0 ? h.base + h.data : size;
	if (h.bytes > 0 && !fb_claim(&e->fb, IDENTIFIER_END, IDENTIFIER_END + h.bytes, NULL, NULL))
		return false;
	return fb_root(&e->fb, &root) && (flat ? et_read_flat_tensor(e, root) : et_read_program(e, root));
}

#define TAIL_MAX 4096u /* writers pad segments to pages */

/* Zeros behind the last object. */
static bool pad_end(struct layout *l, uint64_t end)
{
	return l->part.size - end >= TAIL_MAX || claims_pad(l, end, l->part.size);
}

static enum wlk_status prove(struct executorch *e)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_EXECUTORCH_OVERLAP,
		.hole = WLK_F_EXECUTORCH_HOLE,
		.out_of_bounds = WLK_F_EXECUTORCH_STRUCTURE,
		.trailing = WLK_F_EXECUTORCH_TRAILING_BYTES };
	struct layout *l = e->l;
	enum wlk_status status;

	if (!claims_take(l, &e->claims) || !pad_end(l, claims_end(&e->claims)))
		return layout_stop(l);
	l->extents->names = bytes_of(e->names, e->names_n);
	l->extents->nonzero = WLK_F_EXECUTORCH_HOLE;
	status = claims_prove(l, &codes, e->broken);
	e->broken = e->broken || status != WLK_DONE || l->extents->gaps;
	return status;
}

/* -- as a format -- */

#define MEMORY_MAX (UINT64_C(160) << 20)

static bool is_flat(const uint8_t head[8])
{
	return memcmp(head + 4, "FT01", 4) == 0;
}

static bool has_identifier(const uint8_t head[8])
{
	return is_flat(head) || memcmp(head + 4, "ET12", 4) == 0;
}

static enum wlk_status layout(struct layout *l)
{
	struct executorch *e = arena_alloc(l->arena, 1, sizeof(*e));
	uint8_t head[8] = { 0 };

	if (e == NULL)
		return layout_stop(l);
	if (l->part.size >= sizeof(head) && !part_read_guarded(&l->part, 0, head, sizeof(head)))
		return layout_stop(l);
	e->l = l;
	l->state = e;
	if (!has_identifier(head)) {
		et_tell(e, memcmp(head + 4, "ET", 2) == 0 ? WLK_F_EXECUTORCH_UNSUPPORTED : WLK_F_EXECUTORCH_STRUCTURE,
		    0, bytes_of_text("identifier"));
		return WLK_BROKEN;
	}
	layout_raise_memory(l, l->part.size < MEMORY_MAX ? l->part.size : MEMORY_MAX);
	extents_init(&e->claims, l->arena);
	e->fb = (struct fb){
		.part = l->part, .extents = &e->claims, .arena = l->arena, .seed = l->seed, .ctx = e, .fault = on_fault
	};
	if (!read_file(e, is_flat(head)))
		return l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : WLK_BROKEN;
	return prove(e);
}

/* A runtime that is given a program whose operators take other values than it gives them ends on an assertion: nobody asked. */
static enum wlk_status finish(struct layout *l)
{
	const struct executorch *e = l->state;

	if (e != NULL && !e->broken)
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
	return WLK_BROKEN;
}

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_EXECUTORCH, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_executorch = {
	.id = WLK_FORMAT_EXECUTORCH, .probe = probe, .layout = layout, .finish = finish, .nested = NESTED_RANDOM
};
