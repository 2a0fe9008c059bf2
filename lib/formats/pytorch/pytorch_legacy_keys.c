/* The list of storage keys: see pytorch_legacy_keys.h.  The machine keeps the first items of a list only, and this list
 * is as long as a model has storages; so its texts are taken as they are made.  They are the list, in its order, when
 * nothing but a list, texts and memo entries is made. */
#include "pytorch_legacy_keys.h"

#include "pickle.h"
#include "pytorch_types.h"

#define CAPACITY_MIN 64
#define KEY_MAX 20u /* digits: more than a 64-bit address has */

struct reading {
	struct layout *l;
	struct pickle *machine;
	struct torch_legacy_keys keys;
	size_t capacity;
	bool plain, stopped, failed;
};

static bool add_key(struct reading *r, struct bytes text)
{
	uint8_t *copy = arena_alloc(r->l->arena, text.n, 1);

	if (copy == NULL)
		return false;
	if (r->keys.n == r->capacity) {
		size_t capacity = r->capacity > 0 ? r->capacity * 2 : CAPACITY_MIN;
		struct bytes *list = arena_resize(r->l->arena, r->keys.list, capacity, sizeof(*list));

		if (list == NULL)
			return false;
		r->keys.list = list;
		r->capacity = capacity;
	}
	bytes_copy(copy, text);
	r->keys.list[r->keys.n++] = bytes_of(copy, text.n);
	return true;
}

static void take_text(void *ctx, struct bytes head, uint64_t n, uint64_t offset)
{
	struct reading *r = ctx;

	(void)offset;
	if (n != head.n || n > KEY_MAX || !torch_is_decimal(head))
		r->plain = false;
	else if (r->plain && !add_key(r, head))
		r->failed = true;
}

static void take_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct reading *r = ctx;

	if (e->act != PICKLE_ACT_STOP) {
		r->plain &= e->act == PICKLE_ACT_NOTE;
		return;
	}
	r->stopped = true;
	r->plain &= pickle_kind(p, e->target) == PICKLE_LIST && pickle_count(p, e->target) == r->keys.n;
}

/* PROTO, FRAME, lists and what fills them, texts, and putting into the memo - never getting anything out of it. */
static bool opcodes_are_plain(const struct pickle *p)
{
	static const uint8_t plain[] = { 0x80, 0x95, '(', ']', 'l', 'a', 'e', 'X', 'V', 'S', 'T', 'U', 0x8c, 0x8d, 'q',
		'r', 'p', 0x94, '.' };
	uint64_t allowed[4] = { 0 };
	const uint64_t *used = pickle_opcodes_used(p);

	for (size_t i = 0; i < sizeof(plain); i++)
		allowed[plain[i] >> 6] |= UINT64_C(1) << (plain[i] & 63);
	for (size_t i = 0; i < 4; i++)
		if ((used[i] & ~allowed[i]) != 0)
			return false;
	return true;
}

enum wlk_status torch_legacy_keys_read(struct layout *l, uint64_t at, struct torch_legacy_keys *ret, bool *ret_plain)
{
	struct reading r = { .l = l, .plain = true };
	bool read;

	r.machine = pickle_new(l->arena, &(struct pickle_options){ .size = l->part.size - at,
					     .opcodes_max = l->lim->opcodes,
					     .seed = l->seed,
					     .event = take_event,
					     .constant = take_text,
					     .ctx = &r });
	if (r.machine == NULL)
		return layout_stop(l);
	pickle_begin(r.machine, at);
	read = part_preview(&l->part, at, (struct feeder){ pickle_feed, r.machine });
	*ret_plain = r.plain && r.stopped && opcodes_are_plain(r.machine);
	*ret = r.keys;
	pickle_free(r.machine);
	return read && !r.failed ? WLK_DONE : layout_stop(l);
}
