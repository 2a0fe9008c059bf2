/* A pickle machine's beginning and end, and what may be asked of it in between. */
#include <assert.h>
#include <string.h>

#include "checked.h"
#include "cost.h"
#include "stream.h"

struct pickle *pickle_new(struct arena *a, const struct pickle_options *o)
{
	struct pickle *p = arena_resize(a, NULL, 1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->options = *o;
	p->options.opcodes_max = min_u64(o->opcodes_max, PICKLE_OPCODES_MAX);
	if (p->options.items_kept < PICKLE_ITEMS_KEPT)
		p->options.items_kept = PICKLE_ITEMS_KEPT;
	p->arena = a;
	p->used_bits = p->used_words;
	p->held = sizeof(*p);
	object_map_init(&p->cost.tables, a);
	if (o->trace)
		p->trace = arena_resize(a, NULL, 1, sizeof(*p->trace));
	if (!stack_grow(p) || (o->trace && p->trace == NULL)) {
		pickle_free(p);
		return NULL;
	}
	return p;
}

void pickle_free(struct pickle *p)
{
	if (p == NULL)
		return;
	for (unsigned i = 0; i < SEGMENTS_MAX && p->segments[i] != NULL; i++)
		arena_release(p->arena, p->segments[i]);
	arena_release(p->arena, p->ring);
	arena_release(p->arena, p->longs);
	arena_release(p->arena, p->trace);
	arena_release(p->arena, p->stack);
	arena_release(p->arena, p->marks);
	arena_release(p->arena, p->memo.dense);
	arena_release(p->arena, p->memo.sparse);
	arena_release(p->arena, p);
}

void pickle_begin(struct pickle *p, uint64_t offset)
{
	bool goes_on = p->begun && p->options.memo_goes_on;

	if (!p->begun && (p->options.size == STREAM_SIZE_UNKNOWN || !add_u64(offset, p->options.size, &p->run_end)))
		p->run_end = UINT64_MAX;
	if (!p->begun)
		p->cost.origin = offset;
	p->begun = true;
	p->end = PICKLE_RUNNING;
	p->state = AT_OPCODE;
	p->op_offset = p->op_end = p->expected = offset;
	p->frame_end = p->skip = 0;
	p->n_wanted = p->n_met = 0;
	p->pausing = false;
	p->op = p->protocol = 0;
	p->n_carry = 0;
	if (p->trace != NULL)
		p->trace->n = 0;
	memset(p->used, 0, sizeof(p->used));
	p->n = p->fence = p->n_marks = 0;
	p->hashing = 0;
	p->depth_noted = p->expansion_noted = p->refused = false;
	if (goes_on) /* so do the values in it */
		return;
	p->late = p->spilled = 0;
	memo_reset(&p->memo);
	collisions_forget(p);
	heap_reset(p);
}

enum pickle_end pickle_finish(struct pickle *p)
{
	/* What is cut at its very beginning is cut where the bytes ended. */
	if (p->end == PICKLE_RUNNING && p->state == AT_OPCODE)
		p->op_offset = p->expected - p->n_carry;
	if (p->end == PICKLE_RUNNING) {
		if (p->state == IN_LINE)
			line_cut(p);
		p->end = PICKLE_TRUNCATED;
	}
	return p->end;
}

enum pickle_end pickle_ended(const struct pickle *p)
{
	return p->end;
}

uint64_t pickle_position(const struct pickle *p)
{
	if (p->end == PICKLE_RUNNING)
		return p->expected;
	return p->end == PICKLE_STOPPED || p->end == PICKLE_PAUSED ? p->op_end : p->op_offset;
}

uint64_t pickle_opcodes(const struct pickle *p)
{
	return p->opcodes;
}

unsigned pickle_protocol(const struct pickle *p)
{
	return p->protocol;
}

const uint64_t *pickle_opcodes_used(const struct pickle *p)
{
	memset(p->used_bits, 0, sizeof(p->used_words));
	for (unsigned op = 0; op < 256; op++)
		p->used_bits[op >> 6] |= (uint64_t)p->used[op] << (op & 63);
	return p->used_bits;
}

void pickle_skip(struct pickle *p, uint64_t n)
{
	p->skip = n;
}

void pickle_expect(struct pickle *p, const uint8_t *at, size_t n)
{
	assert(n <= PICKLE_EXPECT_MAX);
	memcpy(p->wanted, at, n);
	p->n_wanted = (uint8_t)n;
	p->n_met = 0;
}

void pickle_pause(struct pickle *p)
{
	p->pausing = true;
}

void pickle_resume(struct pickle *p, uint64_t offset)
{
	assert(p->end == PICKLE_PAUSED);
	p->end = PICKLE_RUNNING;
	p->expected = offset;
}

uint64_t pickle_after_opcode(const struct pickle *p)
{
	return p->op_end;
}

const struct pickle_traced *pickle_traced(const struct pickle *p, unsigned back)
{
	if (p->trace == NULL || back >= PICKLE_TRACED || back >= p->trace->n)
		return NULL;
	return &p->trace->of[(p->trace->n - 1 - back) % PICKLE_TRACED];
}

const char *pickle_opcode_name(uint8_t opcode)
{
	return pickle_opcode_rows[opcode].name;
}
