/* Tags and blocks: what the template defines, how often it does what, what only certain messages bring out.  See
 * template_impl.h. */
#include "template_impl.h"

/* `x is eq if(y)` calls what is called `if`, and what is called `loop` would pass for the loop. */
static bool is_taken(struct bytes word)
{
	return template_word_is_operator(word) || template_word_is(word, "loop");
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
	if (space.n == 0 && is_taken(c->now.raw)) {
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
	v = template_block_text(c, trait_composed(0));
	c->last = last;
	b->filtered = !c->failed && template_at_end(c);
	if (b->filtered)
		return v;
	template_rewind_to_filters(c, b);
	return template_block_text(c, trait_composed(0));
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
	uint32_t root;
	bool fresh, adds;

	template_step(c);
	from = c->now.raw.at;
	root = c->cells.all ? template_root_shifted(c) : 0;
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
	c->target = root != 0;
	v.root = c->target ? root : v.root;
	if (adds && c->sum_from == from && c->sum_to == c->now.raw.at) /* and not `... if x else y` */
		add_to(c, t, v, before);
	else
		template_assign(c, t, v, fresh && v.self == IS_SPACE);
	c->target = false;
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
	b = template_push_block(c, TAG_SET, at);
	b->targets = t;
	if (template_at(c, '|')) {
		template_step(c);
		template_assign(c, &t, block_filters(c, b), false);
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
	struct block *b = template_push_block(c, TAG_FOR, at);

	b->iterated = v;
	b->iterated.n = template_settled(c, v).n;
	b->root = part.root = (uint32_t)(at - c->text.at) + 1;
	if (c->cells.all && turns > LONG_LOOP && (v.self & (IS_ANY_TEXT | IS_MADE)) != 0)
		template_long_loop(c, b);
	note_degree(c, template_degree(c));
	c->loops_over |= v.self & (IS_MADE | IS_OUTSIDE);
	c->turns = size_mul(c->turns, turns);
	c->written = size_mul(c->written, turns);
	template_spend(c, STEP, at);
	c->anew = c->cells.huge != 0;
	template_assign(c, t, part, false);
	c->anew = false;
	b->targets = *t;
	template_live(c, t, true);
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
	c->macros[c->n_macros] = (struct macro){
		.at = at, .name = name, .spread = 1, .around = c->scope, .spared = c->macros[c->n_macros].spared
	};
	return &c->macros[c->n_macros++];
}

/* A name of the template's is a text: of m.name, m.arguments. */
static void name_it(struct check *c, struct bytes word)
{
	uint32_t kinds = trait_name(word);

	template_join(c, FLOW_NAMED, (struct trait){ .self = kinds, .deep = kinds, .n = trait_composed(word.n).n });
}

static void give(struct check *c, uint32_t cell, struct trait v, unsigned param)
{
	if (cell == CELL_NONE)
		return;
	c->cells.cells[cell].long_default |= amount_is_huge(v.n);
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
		if (is_taken(word))
			template_found_word(c, RULE_INTROSPECTION, word);
		if (n == PARAMS_MAX || is_taken(word))
			template_fail(c);
		else if (m != NULL)
			m->params[n] = word;
		n++;
		if (!c->failed && template_at(c, '=')) {
			template_step(c);
			v = trait_join(v, template_expression(c));
		}
		v.descent = DESCENT_NONE;
		v.deep |= v.self & (uint32_t)~IS_ANY_TEXT;
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
	m->descents = 0;
	m->going = (struct going){ 0 };
	b = template_push_block(c, TAG_MACRO, at);
	b->macro = (uint32_t)(m - c->macros);
	c->scope = b->macro + 1;
	template_count_anew(c);
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
	struct block *b = template_push_block(c, TAG_CALL, at);
	uint32_t body = (uint32_t)(macro_at(c, at, bytes_of(NULL, 0)) - c->macros) + 1;

	b->macro = body - 1;
	if (c->scope != 0)
		c->macros[c->scope - 1].calls |= UINT64_C(1) << (body - 1);
	c->scope = body;
	give_body(c);
	if (template_at(c, '('))
		params(c, NULL);
	c->scope = b->scope;
	c->moved |= !c->calls_blocks;
	c->calls_blocks = true;
	/* Whatever is called is given the body: a method that keeps it gives it to others under another name. */
	if (!c->failed && !(c->now.kind == TOKEN_NAME && template_next_is(c, '(') &&
			      (template_is_macro(c, c->now.raw) || template_word_is(c->now.raw, "caller"))))
		template_found(c, RULE_UNPROVABLE, c->now.raw.at);
	if (!c->failed)
		template_write(c, template_expression(c), at);
	c->scope = body;
	b->work = c->work;
	b->size = c->size;
	template_count_anew(c);
}

static void with(struct check *c, const uint8_t *at)
{
	template_push_block(c, TAG_WITH, at);
	while (!c->failed && !template_at_end(c)) {
		struct targets t;

		read_targets(c, &t, NULL);
		template_expect(c, '=');
		template_assign(c, &t, template_expression(c), false);
		if (!template_at(c, ','))
			break;
		template_step(c);
	}
}

static void filter(struct check *c, const uint8_t *at)
{
	(void)block_filters(c, template_push_block(c, TAG_FILTER, at));
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
	template_push_block(c, TAG_IF, at);
	template_condition(c);
}

static void branch(struct check *c, unsigned tag, const uint8_t *at)
{
	template_next_branch(c, at);
	if (tag == TAG_ELIF && !c->failed)
		template_condition(c);
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
	case TAG_GENERATION: template_push_block(c, tag, at); break;
	case TAG_BREAK:
	case TAG_CONTINUE: break;
	case TAG_LOAD: load(c, word); break;
	case TAG_NONE:
		template_found_word(c, RULE_UNKNOWN_TAG, word);
		c->failed = true;
		break;
	default: template_pop_block(c, tag - TAG_END, at); break;
	}
}

void template_statement(struct check *c, const uint8_t *at)
{
	if (c->now.kind == TOKEN_NAME)
		statement(c, c->now.raw, at);
	else
		template_fail(c);
}
