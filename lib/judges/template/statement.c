/* Tags and blocks: what the template defines, how often it does what, what only certain messages bring out.  See
 * template_impl.h. */
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

	for (size_t i = 0; b != NULL && i < text.n && b->letters < UINT32_MAX; i++)
		b->letters += is_prose_letter(text.at[i]);
}

void template_write(struct check *c, struct trait v, const uint8_t *at)
{
	uint64_t size = cost_weight(v);

	c->size = size_add(c->size, size_mul(c->written, size));
	template_spend(c, size_add(size, STEP / 4), at);
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

static void condition(struct check *c)
{
	struct block *b = &c->blocks[c->n_blocks - 1];

	c->asks_for_word = c->asks_content = c->asks = false;
	c->mapping = c->member_asked = bytes_of(NULL, 0);
	c->n_facts = c->conjunctions = c->alternatives = c->nesting = 0;
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

static void assign(struct check *c, const struct targets *t, struct trait v, bool fresh)
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

static void live(struct check *c, const struct targets *t, bool begin)
{
	for (unsigned i = 0; i < t->n; i++) {
		uint32_t cell = cells_find(&c->cells, CELL_VARIABLE, c->scope, t->of[i]);

		if (cell != CELL_NONE && t->space[i].n == 0)
			c->cells.cells[cell].live += begin ? 1 : UINT_MAX;
	}
}

/* -- blocks -- */

static struct block *push_block(struct check *c, unsigned tag, const uint8_t *at)
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
	b->loose = c->scope != 0 ? c->macros[c->scope - 1].loose : 0;
	b->work = c->work;
	b->size = c->size;
	c->n_blocks++;
	return b;
}

/* What stands in the block is done elsewhere, or kept: it is counted by itself. */
static void count_anew(struct check *c)
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

static struct trait filters(struct check *c, struct trait v)
{
	v = template_filter(c, v);
	while (!c->failed && template_at(c, '|')) {
		template_step(c);
		v = template_filter(c, v);
	}
	return v;
}

static void rewind_to_filters(struct check *c, const struct block *b)
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

	rewind_to_filters(c, b);
	v = filters(c, v);
	c->lexer = lexer;
	c->now = now;
	c->next = next;
	c->failed = failed;
	return v;
}

static void end_set(struct check *c, const struct block *b)
{
	struct trait v = trait_composed(c->size);

	c->size = b->size;
	if (b->filtered)
		v = filter_again(c, b, v);
	assign(c, &b->targets, v, false);
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

/* Only one of the branches is taken. */
static void count_branch(struct check *c, struct block *b, bool over)
{
	unsigned *loose = c->scope != 0 ? &c->macros[c->scope - 1].loose : &b->loose_most;

	if (b->tag != TAG_IF)
		return;
	b->work_most = size_most(b->work_most, c->work - b->work);
	b->size_most = size_most(b->size_most, c->size - b->size);
	c->work = over ? size_add(b->work, b->work_most) : b->work;
	c->size = over ? size_add(b->size, b->size_most) : b->size;
	b->loose_most = *loose > b->loose_most ? *loose : b->loose_most;
	*loose = over ? b->loose_most : b->loose;
}

static void pop_block(struct check *c, unsigned tag, const uint8_t *at)
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
		live(c, &b->targets, false);
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
static void next_branch(struct check *c, const uint8_t *at)
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
		live(c, &b->targets, false);
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

static void target(struct check *c, struct targets *t)
{
	struct bytes space = bytes_of(NULL, 0);

	if (c->now.kind != TOKEN_NAME || t->n == TARGETS_MAX) {
		template_fail(c);
		return;
	}
	if (template_next_is(c, '.')) {
		space = c->now.raw;
		template_step(c);
		template_step(c);
	}
	if (c->now.kind != TOKEN_NAME) {
		template_fail(c);
		return;
	}
	if (space.n == 0 && template_word_is_operator(c->now.raw)) { /* `x is eq if(y)` calls it */
		template_found_word(c, RULE_INTROSPECTION, c->now.raw);
		template_fail(c);
		return;
	}
	if (space.n > 0)
		template_reference(c, c->now.raw, true, false);
	t->space[t->n] = space;
	t->of[t->n++] = c->now.raw;
	template_step(c);
}

/* a, (b, c) */
static void read_targets(struct check *c, struct targets *t, const char *end_word)
{
	unsigned open = 0;

	t->n = 0;
	t->tuple = false;
	while (!c->failed && !template_at_end(c) && !(end_word != NULL && template_at_word(c, end_word))) {
		if (template_at(c, '(')) {
			open++;
			template_step(c);
		} else if (open > 0 && template_at(c, ')')) {
			open--;
			template_step(c);
		} else if (template_at(c, ',')) {
			t->tuple = true;
			template_step(c);
		} else if (template_at(c, '=') || template_at(c, '|')) {
			return;
		} else {
			target(c, t);
		}
	}
}

/* -- tags -- */

/* The filters of a block, and where they stand. */
static struct trait block_filters(struct check *c, struct block *b)
{
	struct trait v;
	bool last = c->last;

	b->lexer = c->lexer;
	b->now = c->now;
	b->next = c->next;
	c->last = false; /* they are judged at the end of the block */
	v = filters(c, trait_composed(0));
	c->last = last;
	b->filtered = !c->failed && template_at_end(c);
	if (b->filtered)
		return v;
	rewind_to_filters(c, b);
	return filters(c, trait_composed(0));
}

/* What is made in a loop grows with the turns of the loops inside of that alone. */
static void note_making(const struct check *c, struct cell *space)
{
	uint8_t degree = template_degree(c);

	space->made_degree = space->made == 0 || degree < space->made_degree ? degree : space->made_degree;
	if (space->made == 0 || space->made > c->turns)
		space->made = c->turns;
}

/* {% set x.y = x.y ~ ... %}, or with +: does it begin so? */
static bool begins_with_itself(const struct check *c, const struct targets *t)
{
	struct lexer ahead = c->lexer;
	struct token field, op;

	if (t->n != 1 || t->space[0].n == 0 || c->now.kind != TOKEN_NAME || !bytes_equal(c->now.raw, t->space[0]) ||
	    !template_next_is(c, '.'))
		return false;
	field = template_lexer_next(&ahead);
	op = template_lexer_next(&ahead);
	return field.kind == TOKEN_NAME && bytes_equal(field.raw, t->of[0]) && op.kind == TOKEN_OPERATOR &&
	       (op.op == '~' || op.op == '+');
}

static uint64_t size_less(uint64_t a, uint64_t b)
{
	return a >= SIZE_CAP ? SIZE_CAP : a > b ? a - b : 0;
}

/* Of the loops over messages that are within the one that makes it. */
static uint8_t degree_since_making(const struct check *c, uint32_t space)
{
	const struct cell *of = space != CELL_NONE ? &c->cells.cells[space] : NULL;
	uint8_t degree = template_degree(c);

	if (of == NULL || of->shared || of->given || of->scope != c->scope || of->made == 0)
		return degree;
	return of->made_degree < degree ? degree - of->made_degree : 0;
}

/* What is added to it, once. */
static void add_to(struct check *c, const struct targets *t, struct trait v, struct amount before)
{
	struct amount more = { .size = size_less(v.n.size, before.size),
		.count = size_less(v.n.count, before.count),
		.items = size_less(v.n.items, before.items),
		.degree = degree_since_making(c, template_space(c, t->space[0])) };

	template_add_field(c, t->of[0], v, more, template_space(c, t->space[0]));
}

static void set_to(struct check *c, const struct targets *t, const uint8_t *at)
{
	struct trait v;
	struct amount before = { 0 };
	const uint8_t *from;
	bool fresh, adds;

	template_step(c);
	from = c->now.raw.at;
	adds = begins_with_itself(c, t);
	if (adds)
		before = template_field(c, template_read(c, t->space[0]), t->of[0], template_space(c, t->space[0])).n;
	/* namespace(...), and nothing else, has no other name yet. */
	fresh = template_at_word(c, "namespace") && t->n == 1 && t->space[0].n == 0;
	c->making = fresh ? template_local(c, t->of[0]) : CELL_NONE;
	c->made_at = NULL;
	v = template_tuple(c, true, NULL);
	fresh = fresh && c->made_at == c->now.raw.at; /* not `namespace() if x else ns` */
	if (!fresh)
		c->making = CELL_NONE;
	template_bound(c, v, at);
	if (adds && c->sum_from == from && c->sum_to == c->now.raw.at) /* and not `... if x else y` */
		add_to(c, t, v, before);
	else
		assign(c, t, v, fresh && v.self == IS_SPACE);
	if (c->making != CELL_NONE)
		note_making(c, &c->cells.cells[c->making]);
	c->making = CELL_NONE;
}

static void set(struct check *c, const uint8_t *at)
{
	struct targets t;
	struct block *b;

	read_targets(c, &t, NULL);
	if (c->failed)
		return;
	if (template_at(c, '=')) {
		set_to(c, &t, at);
		return;
	}
	b = push_block(c, TAG_SET, at);
	b->targets = t;
	if (template_at(c, '|')) {
		template_step(c);
		assign(c, &t, block_filters(c, b), false);
	}
	c->size = 0;
	c->written = 1;
}

/* What comes out of it, and what loop() of a recursive one is given, under whatever name. */
static struct trait looped_parts(struct check *c, struct trait v)
{
	struct trait part = template_parts(c, v, false);
	struct trait given = template_parts(c, c->flows[FLOW_GIVEN].v, false);

	template_join(c, FLOW_LOOPED, part);
	part.self |= given.self;
	part.deep |= given.deep;
	return part;
}

static void note_degree(struct check *c, uint8_t degree)
{
	struct macro *m = c->scope != 0 ? &c->macros[c->scope - 1] : NULL;

	if (m == NULL || degree <= m->degree)
		return;
	m->degree = degree;
	c->moved = true;
}

static void begin_loop(struct check *c, const struct targets *t, struct trait v, const uint8_t *at)
{
	struct trait part = looped_parts(c, v);
	uint64_t turns = template_turns(c, template_settled(c, v));
	struct block *b = push_block(c, TAG_FOR, at);

	b->iterated = v;
	b->iterated.n = template_settled(c, v).n;
	note_degree(c, template_degree(c));
	c->loops_over |= v.self & (IS_MADE | IS_OUTSIDE);
	c->turns = size_mul(c->turns, turns);
	c->written = size_mul(c->written, turns);
	template_spend(c, STEP, at);
	assign(c, t, part, false);
	b->targets = *t;
	live(c, t, true);
	template_own(c, bytes_of_text("loop"));
}

static void loop(struct check *c, const uint8_t *at)
{
	struct targets t;
	struct trait v = trait_anything();

	read_targets(c, &t, "in");
	if (!template_at_word(c, "in"))
		template_fail(c);
	if (!c->failed) {
		template_step(c);
		v = template_tuple(c, false, "recursive");
	}
	begin_loop(c, &t, v, at);
	if (!c->failed && template_at_word(c, "if")) {
		template_step(c);
		(void)template_expression(c);
	}
	if (!c->failed && template_at_word(c, "recursive"))
		template_step(c);
}

static struct macro *macro_at(struct check *c, const uint8_t *at, struct bytes name)
{
	for (unsigned i = 0; i < c->n_macros; i++)
		if (c->macros[i].at == at)
			return &c->macros[i];
	if (c->n_macros == MACROS_MAX) {
		template_found(c, RULE_DOS, at);
		c->too_deep = true;
		return &c->macros[0];
	}
	c->moved = true;
	c->macros[c->n_macros] = (struct macro){ .at = at, .name = name, .spread = 1, .around = c->scope };
	return &c->macros[c->n_macros++];
}

/* A name of the template's is a text: of m.name, m.arguments. */
static void name_it(struct check *c, struct bytes word)
{
	uint16_t kinds = trait_name(word);

	template_join(c, FLOW_NAMED, (struct trait){ .self = kinds, .deep = kinds, .n = trait_composed(word.n).n });
}

static void give(struct check *c, uint32_t cell, struct trait v, unsigned param)
{
	if (cell == CELL_NONE)
		return;
	c->cells.cells[cell].param = (uint8_t)param;
	cells_give(&c->cells, cell, v, 1);
}

/* (a, b=1): the names of *m, or of a call block's own. */
static void params(struct check *c, struct macro *m)
{
	unsigned n = 0;

	template_expect(c, '(');
	while (!c->failed && c->now.kind == TOKEN_NAME) {
		struct bytes word = c->now.raw;
		struct trait v = c->flows[FLOW_GIVEN].v;

		template_step(c);
		template_own(c, word);
		name_it(c, word);
		if (template_word_is_operator(word))
			template_found_word(c, RULE_INTROSPECTION, word);
		if (n == PARAMS_MAX || template_word_is_operator(word))
			template_fail(c);
		else if (m != NULL)
			m->params[n] = word;
		n++;
		if (!c->failed && template_at(c, '=')) {
			template_step(c);
			v = trait_join(v, template_expression(c));
		}
		v.descent = DESCENT_NONE;
		v.deep |= v.self & (uint16_t)~IS_ANY_TEXT;
		give(c, template_local(c, word), v, m != NULL ? n : 0);
		if (!template_at(c, ','))
			break;
		template_step(c);
	}
	template_expect(c, ')');
	if (m != NULL && !c->failed)
		m->n_params = n;
}

static void macro(struct check *c, const uint8_t *at)
{
	struct bytes word = c->now.raw;
	struct block *b;
	struct macro *m;
	uint32_t cell;

	if (c->now.kind != TOKEN_NAME || template_word_is_operator(word)) {
		if (c->now.kind == TOKEN_NAME)
			template_found_word(c, RULE_INTROSPECTION, word);
		template_fail(c);
		word = bytes_of(NULL, 0);
	} else {
		template_own(c, word);
		cell = template_local(c, word);
		if (cell != CELL_NONE) {
			c->moved |= !c->cells.cells[cell].defined;
			c->cells.cells[cell].defined = true;
		}
		name_it(c, word);
		template_step(c);
	}
	template_spend(c, OBJECT, at);
	m = macro_at(c, at, word);
	m->descents = m->loose = 0;
	b = push_block(c, TAG_MACRO, at);
	b->macro = (uint32_t)(m - c->macros);
	c->scope = b->macro + 1;
	count_anew(c);
	params(c, m);
}

/* What the body of a call block is given: by whichever caller(...). */
static void give_body(struct check *c)
{
	struct trait all = c->flows[FLOW_GIVEN].v;

	all.self |= all.deep;
	give(c, template_local(c, bytes_of_text("varargs")), trait_list(all), 0);
	give(c, template_local(c, bytes_of_text("kwargs")), trait_list(all), 0);
}

/* {% call(k) m(x) %}: its body is a macro without a name, and sees its parameters alone; the call itself does not. */
static void call(struct check *c, const uint8_t *at)
{
	struct block *b = push_block(c, TAG_CALL, at);
	uint32_t body = (uint32_t)(macro_at(c, at, bytes_of(NULL, 0)) - c->macros) + 1;

	b->macro = body - 1;
	if (c->scope != 0)
		c->macros[c->scope - 1].calls |= UINT64_C(1) << (body - 1);
	c->scope = body;
	give_body(c);
	if (template_at(c, '('))
		params(c, NULL);
	c->scope = b->scope;
	if (!c->failed)
		template_write(c, template_expression(c), at);
	c->scope = body;
	b->work = c->work;
	b->size = c->size;
	count_anew(c);
}

static void with(struct check *c, const uint8_t *at)
{
	push_block(c, TAG_WITH, at);
	while (!c->failed && !template_at_end(c)) {
		struct targets t;

		read_targets(c, &t, NULL);
		template_expect(c, '=');
		assign(c, &t, template_expression(c), false);
		if (!template_at(c, ','))
			break;
		template_step(c);
	}
}

static void filter(struct check *c, const uint8_t *at)
{
	(void)block_filters(c, push_block(c, TAG_FILTER, at));
	c->size = 0;
	c->written = 1;
}

/* What it loads is not here, and its grammar is its own. */
static void load(struct check *c, struct bytes word)
{
	template_found_word(c, RULE_LOAD, word);
	c->failed = true; /* only names are judged */
	while (!template_at_end(c))
		template_step(c);
}

static void conditional(struct check *c, const uint8_t *at)
{
	push_block(c, TAG_IF, at);
	condition(c);
}

static void branch(struct check *c, unsigned tag, const uint8_t *at)
{
	next_branch(c, at);
	if (tag == TAG_ELIF && !c->failed)
		condition(c);
}

static void statement(struct check *c, struct bytes word, const uint8_t *at)
{
	unsigned tag = template_word_tag(word);

	template_step(c);
	template_spend(c, STEP, at);
	switch (tag) {
	case TAG_SET: set(c, at); break;
	case TAG_FOR: loop(c, at); break;
	case TAG_IF: conditional(c, at); break;
	case TAG_ELIF:
	case TAG_ELSE: branch(c, tag, at); break;
	case TAG_MACRO: macro(c, at); break;
	case TAG_CALL: call(c, at); break;
	case TAG_WITH: with(c, at); break;
	case TAG_FILTER: filter(c, at); break;
	case TAG_DO: (void)template_tuple(c, true, NULL); break;
	case TAG_GENERATION: push_block(c, tag, at); break;
	case TAG_BREAK:
	case TAG_CONTINUE: break;
	case TAG_LOAD: load(c, word); break;
	case TAG_NONE:
		template_found_word(c, RULE_UNKNOWN_TAG, word);
		c->failed = true;
		break;
	default: pop_block(c, tag - TAG_END, at); break;
	}
}

void template_statement(struct check *c, const uint8_t *at)
{
	if (c->now.kind == TOKEN_NAME)
		statement(c, c->now.raw, at);
	else
		template_fail(c);
}
