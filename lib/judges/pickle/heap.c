/* Memory of the pickle machine: PICKLE_MEMORY_BASE and 8 bytes an opcode, whatever the file says. */
#include <string.h>

#include "checked.h"
#include "machine.h"

static size_t budget(const struct pickle *p)
{
	return PICKLE_MEMORY_BASE + PICKLE_MEMORY_PER_OPCODE * (size_t)min_u64(p->opcodes, UINT64_C(1) << 40);
}

bool machine_resize(struct pickle *p, void **array, size_t old_bytes, size_t new_bytes)
{
	void *moved;

	if (new_bytes - old_bytes > budget(p) - p->held)
		return false;
	moved = arena_resize_raw(p->arena, *array, new_bytes, 1);
	if (moved == NULL)
		return false;
	*array = moved;
	p->held += new_bytes - old_bytes;
	return true;
}

/* Half as much again, or what the budget still allows of it. */
static bool grow(struct pickle *p, void **array, uint32_t *room, size_t item, uint32_t least)
{
	uint32_t wanted = *room < least ? least : *room + *room / 2;

	if (!machine_resize(p, array, *room * item, wanted * item)) {
		wanted = *room + *room / 16 + 1;
		if (!machine_resize(p, array, *room * item, wanted * item))
			return false;
	}
	*room = wanted;
	return true;
}

bool stack_grow(struct pickle *p)
{
	void *stack = p->stack;

	if (p->room >= STACK_MAX)
		return end_walk(p, PICKLE_LIMIT_STACK);
	if (!grow(p, &stack, &p->room, sizeof(*p->stack), 256))
		return end_walk(p, PICKLE_LIMIT_MEMORY);
	p->stack = stack;
	return true;
}

bool mark_grow(struct pickle *p)
{
	void *marks = p->marks;

	if (p->marks_room >= STACK_MAX)
		return end_walk(p, PICKLE_LIMIT_STACK);
	if (!grow(p, &marks, &p->marks_room, sizeof(*p->marks), 64))
		return end_walk(p, PICKLE_LIMIT_MEMORY);
	p->marks = marks;
	return true;
}

/* The next segment, which an earlier stream may have left. */
static bool next_segment(struct pickle *p, enum need need)
{
	uint32_t next = p->segments[0] == NULL ? 0 : p->segment + 1;
	uint32_t words = next == 0 ? SEGMENT_FIRST : SEGMENT_WORDS;
	size_t reserve = need == DEGRADABLE ? RESERVE : 0;
	void *segment = NULL;

	if (next == SEGMENTS_MAX)
		return false;
	if (p->segments[next] == NULL) {
		if (budget(p) - p->held < reserve || !machine_resize(p, &segment, 0, words * sizeof(uint64_t)))
			return false;
		p->segments[next] = segment;
	}
	p->segment = next;
	p->segment_room = words;
	p->top = 0;
	return true;
}

uint64_t *heap_take(struct pickle *p, uint32_t words, enum need need, uint64_t *ret_index)
{
	if (p->spent && need == DEGRADABLE)
		return NULL;
	while (words > p->segment_room - p->top) {
		if (!next_segment(p, need)) {
			p->spent = true;
			return NULL;
		}
	}
	*ret_index = (uint64_t)p->segment << SEGMENT_SHIFT | p->top;
	p->top += words;
	return heap_at(p, *ret_index);
}

/* Never across the ring's end, so that what is taken is one run of words. */
uint64_t *ring_take(struct pickle *p, uint32_t words, uint64_t *ret_position)
{
	void *ring = NULL;
	uint64_t left = RING_WORDS - p->ring_top % RING_WORDS;

	if (p->ring == NULL && !machine_resize(p, &ring, 0, RING_WORDS * sizeof(uint64_t)))
		return NULL;
	if (p->ring == NULL)
		p->ring = ring;
	if (words > left)
		p->ring_top += left;
	*ret_position = p->ring_top;
	p->ring_top += words;
	return p->ring + *ret_position % RING_WORDS;
}

/* A new stream: values of the last one mean nothing any more. */
void heap_reset(struct pickle *p)
{
	p->segment = 0;
	p->segment_room = p->segments[0] != NULL ? SEGMENT_FIRST : 0;
	p->top = 0;
	p->ring_top = 0;
	if (p->longs != NULL)
		memset(p->longs, 0, sizeof(*p->longs)); /* their handles will be others' */
	p->spent = false;
}
