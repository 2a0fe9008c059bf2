/* Blocks of a template: text that is written, what conditions say of values, names that come and go, and what a block has cost when
 * it ends.  See template_impl.h. */
#include <limits.h>

#include "template_impl.h"

/* -- text -- */

static bool is_prose_letter(uint8_t b)
{
	return b >= 0xC0 || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
}

void template_prose(struct check *c, struct bytes text)
{
	struct block *b = c->n_blocks > 0 ? &c->blocks[c->n_blocks - 1] : NULL;

	for (size_t i = 0; c->last && b != NULL && i < text.n && b->letters < UINT32_MAX; i++)
		b->letters += is_prose_letter(text.at[i]);
}

void template_write(struct check *c, struct trait v, const uint8_t *at)
{
	uint64_t size = cost_weight(v);
	bool shortly =
	    c->cells.many && size < HUGE_COUNT; /* what a text's letters bring is less than what a part may bring */

	c->size = size_add(c->size, size_mul(c->written, shortly ? (size + 3) / 4 : size));
	template_spend(c, size_add(size, STEP / 4), at);
	if (c->cells.all)
		template_long_work(c, v, WRITTEN, at);
}

/* -- what tests say -- */

static void believe(struct check *c, struct block *b, uint32_t cell)
{
	if (b->n_set == FACTS_MAX || c->cells.cells[cell].not_text)
		return;
	c->cells.cells[cell].not_text = true;
	b->set[b->n_set++] = cell;
}

static void believe_text(struct check *c, struct block *b, uint32_t cell)
{
	if (b->n_text == FACTS_MAX || c->cells.cells[cell].only_text)
		return;
	c->cells.cells[cell].only_text = true;
	b->text[b->n_text++] = cell;
}

static void disbelieve(struct check *c, struct block *b)
{
	while (b->n_text > 0)
		c->cells.cells[b->text[--b->n_text]].only_text = false;
	while (b->n_set > 0)
		c->cells.cells[b->set[--b->n_set]].not_text = false;
}

/* The other branches of a condition that was a single text test, or one of several. */
static void keep_others(struct check *c, struct block *b)
{
	for (unsigned i = 0; i < c->n_facts; i++)
		if (!c->facts[i].not_text && c->conjunctions == 0 && b->n_facts < FACTS_MAX)
			b->facts[b->n_facts++] = c->facts[i];
}

void template_condition(struct check *c)
{
	struct block *b = &c->blocks[c->n_blocks - 1];

	c->asks_for_word = c->asks_content = c->asks = false;
	c->mapping = c->member_asked = bytes_of(NULL, 0);
	c->n_facts = c->conjunctions = c->alternatives = c->nesting = 0;
	template_compile(c, size_mul(c->cells.n, NAMED), c->now.raw.at);
	(void)template_tuple(c, false, NULL);
	for (unsigned i = 0; i < b->n_facts; i++) /* the branches before were not taken */
		believe(c, b, b->facts[i].cell);
	for (unsigned i = 0; i < c->n_facts && !c->failed && c->alternatives == 0; i++)
		(c->facts[i].not_text ? believe : believe_text)(c, b, c->facts[i].cell);
	b->member = c->alternatives == 0 && !c->failed ? c->member_asked : bytes_of(NULL, 0);
	if (!c->failed)
		keep_others(c, b);
	b->watched = c->asks;
	b->letters = 0;
	b->work = c->work; /* conditions are asked one after the other */
	b->size = c->size;
}

/* -- targets -- */

void template_assign(struct check *c, const struct targets *t, struct trait v, bool fresh)
{
	if (t->tuple) {
		struct trait in = template_parts(c, v, false);

		in.descent = v.descent >= DESCENT_PART ? v.descent : in.descent;
		v = template_parts(c, in, false); /* of tuples in tuples too */
		in.self |= v.self;
		v = in;
	}
	for (unsigned i = 0; i < t->n; i++) {
		if (t->space[i].n > 0)
			template_set_field(c, t->of[i], v, template_space(c, t->space[i]));
		else
			template_set(c, t->of[i], v, fresh);
	}
}

void template_live(struct check *c, const struct targets *t, bool begin)
{
	for (unsigned i = 0; i < t->n; i++) {
		uint32_t cell = cells_find(&c->cells, CELL_VARIABLE, c->scope, t->of[i]);

		if (cell == CELL_NONE || t->space[i].n > 0)
			continue;
		c->cells.cells[cell].live += begin ? 1 : UINT_MAX;
		if (!begin && c->cells.huge != 0)
			cells_widen(&c->cells, cell);
	}
}

/* -- blocks -- */

struct block *template_push_block(struct check *c, unsigned tag, const uint8_t *at)
{
	unsigned loops = tag == TAG_FOR;
	struct block *b = &c->blocks[c->n_blocks];

	if (c->n_blocks == BLOCKS_MAX) {
		c->too_deep = true;
		template_found(c, RULE_DOS, at);
		return &c->blocks[BLOCKS_MAX - 1];
	}
	for (unsigned i = 0; i < c->n_blocks; i++)
		loops += c->blocks[i].tag == TAG_FOR;
	if (tag == TAG_FOR && loops > LOOPS_MAX)
		template_found(c, RULE_DOS, at);
	memset(b, 0, sizeof(*b));
	b->tag = tag;
	b->at = at;
	b->branch = ++c->branches;
	b->scope = c->scope;
	b->turns = c->turns;
	b->written = c->written;
	if (c->scope != 0)
		b->going = c->macros[c->scope - 1].going;
	b->work = c->work;
	b->size = c->size;
	c->n_blocks++;
	return b;
}

/* What stands in the block is done elsewhere, or kept: it is counted by itself. */
void template_count_anew(struct check *c)
{
	c->turns = c->written = 1;
	c->work = c->size = 0;
}

/* Text that a word in a message brings out: a sentence of it is an instruction. */
static void end_branch(struct check *c, struct block *b)
{
	if (b->watched && b->letters >= PROSE_LETTERS)
		template_found(c, RULE_HIDDEN_TEXT, b->at);
	if (c->n_blocks > 1)
		c->blocks[c->n_blocks - 2].letters += b->letters;
	b->letters = 0;
	b->watched = false;
	disbelieve(c, b);
}

struct trait template_block_text(struct check *c, struct trait v)
{
	v = template_filter(c, v);
	while (!c->failed && template_at(c, '|')) {
		template_step(c);
		v = template_filter(c, v);
	}
	return v;
}

void template_rewind_to_filters(struct check *c, const struct block *b)
{
	c->lexer = b->lexer;
	c->now = b->now;
	c->next = b->next;
	c->failed = false;
}

/* What the block wrote goes through its filters: they are read again, now that it is known how much it is, and judged here, for
 * their arguments are asked for behind the block, with the names it set. */
static struct trait filter_again(struct check *c, const struct block *b, struct trait v)
{
	struct lexer lexer = c->lexer;
	struct token now = c->now, next = c->next;
	bool failed = c->failed;

	template_rewind_to_filters(c, b);
	v = template_block_text(c, v);
	c->lexer = lexer;
	c->now = now;
	c->next = next;
	c->failed = failed;
	return v;
}

static void end_set(struct check *c, const struct block *b)
{
	struct trait v = trait_composed(c->size);

	v.root = template_root_here(c);
	c->size = b->size;
	if (b->filtered)
		v = filter_again(c, b, v);
	template_assign(c, &b->targets, v, false);
	template_bound(c, v, b->at);
}

static void end_filter(struct check *c, const struct block *b)
{
	struct trait v = trait_composed(c->size);

	c->size = b->size;
	template_write(c, b->filtered ? filter_again(c, b, v) : v, b->at);
}

static void end_macro(struct check *c, const struct block *b)
{
	struct macro *m = &c->macros[b->macro];
	struct amount cost = { .size = c->size, .count = size_add(c->work, STEP) };

	m->cost = template_widens(c) ? amount_join(m->cost, cost) : cost; /* before, what it calls was not known */
	template_bound(c, trait_composed(m->cost.size), b->at);
	c->scope = b->scope;
}

static void end_call(struct check *c, const struct block *b)
{
	struct trait v = trait_composed(c->size);

	if (c->work > c->called_work)
		c->called_work = c->work;
	template_join(c, FLOW_CALLED, v);
	template_bound(c, v, b->at);
	c->scope = b->scope;
}

static struct going going_more(struct going a, struct going b)
{
	return (struct going){ a.loose > b.loose ? a.loose : b.loose, a.parts > b.parts ? a.parts : b.parts };
}

/* Only one of the branches is taken. */
static void count_branch(struct check *c, struct block *b, bool over)
{
	struct going *going = c->scope != 0 ? &c->macros[c->scope - 1].going : &b->going_most;

	if (b->tag != TAG_IF)
		return;
	b->work_most = size_most(b->work_most, c->work - b->work);
	b->size_most = size_most(b->size_most, c->size - b->size);
	c->work = over ? size_add(b->work, b->work_most) : b->work;
	c->size = over ? size_add(b->size, b->size_most) : b->size;
	b->going_most = going_more(b->going_most, *going);
	*going = over ? b->going_most : b->going;
}

void template_pop_block(struct check *c, unsigned tag, const uint8_t *at)
{
	struct block *b = c->n_blocks > 0 ? &c->blocks[c->n_blocks - 1] : NULL;

	if (b == NULL || b->tag != tag) {
		template_found(c, RULE_UNKNOWN_TAG, at);
		return;
	}
	end_branch(c, b);
	count_branch(c, b, true);
	if (tag == TAG_SET)
		end_set(c, b);
	else if (tag == TAG_FOR)
		template_live(c, &b->targets, false);
	else if (tag == TAG_MACRO)
		end_macro(c, b);
	else if (tag == TAG_CALL)
		end_call(c, b);
	if (tag == TAG_MACRO || tag == TAG_CALL) {
		c->work = b->work;
		c->size = b->size;
	}
	c->turns = b->turns;
	c->written = b->written;
	if (tag == TAG_FILTER)
		end_filter(c, b);
	c->n_blocks--;
	template_disown(c);
}

/* else, elif */
void template_next_branch(struct check *c, const uint8_t *at)
{
	struct block *b = c->n_blocks > 0 ? &c->blocks[c->n_blocks - 1] : NULL;

	if (b == NULL || (b->tag != TAG_IF && b->tag != TAG_FOR)) {
		template_found(c, RULE_UNKNOWN_TAG, at);
		c->failed = true;
		return;
	}
	end_branch(c, b);
	count_branch(c, b, false);
	c->n_blocks--;
	template_disown(c);
	c->n_blocks++;
	b->at = at;
	b->branch = ++c->branches;
	b->member = bytes_of(NULL, 0);
	if (b->tag == TAG_FOR) { /* the loop is over, its targets are not there */
		template_live(c, &b->targets, false);
		b->targets.n = 0;
	}
	for (unsigned i = 0; i < b->n_facts; i++)
		believe(c, b, b->facts[i].cell);
}

void template_end(struct check *c)
{
	if (c->n_blocks > 0 && !c->too_deep)
		template_found(c, RULE_UNKNOWN_TAG, c->blocks[c->n_blocks - 1].at);
	while (c->n_blocks > 0)
		disbelieve(c, &c->blocks[--c->n_blocks]);
	for (uint32_t i = 0; i < c->cells.n; i++)
		c->cells.cells[i].live = 0;
}
