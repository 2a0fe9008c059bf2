/* Loops over long texts in each other, wherever those stand: in one reading all that the renderer gives is long.  Loops go over as
 * much together as there is when each goes over a part of what the one around it goes over: a text has letters, and those have no
 * parts.  Two that do not are work as often as there are letters, for each letter.  See template_impl.h. */
#include "template_impl.h"

static bool is_long(struct trait v)
{
	return amount_is_huge(v.n);
}

uint32_t template_root_of(struct trait a, struct trait b)
{
	return !is_long(a) || a.root == b.root ? b.root : !is_long(b) ? a.root : 0;
}

/* The body that is read; not a call block while its call is. */
static bool is_body(const struct check *c, const struct block *b)
{
	return (b->tag == TAG_MACRO || b->tag == TAG_CALL) && b->scope != c->scope;
}

/* The open loop whose part it is, in this macro. */
static const struct block *loop_of(const struct check *c, uint32_t root)
{
	for (unsigned i = c->n_blocks; root != 0 && i-- > 0 && !is_body(c, &c->blocks[i]);)
		if (c->blocks[i].tag == TAG_FOR && c->blocks[i].root == root)
			return &c->blocks[i];
	return NULL;
}

bool template_root_is_open(const struct check *c, uint32_t root)
{
	return loop_of(c, root) != NULL;
}

uint32_t template_root_by_key(const struct check *c, struct trait v, struct bytes word, struct trait key)
{
	uint32_t i = cells_find(&c->cells, CELL_VARIABLE, c->scope, word);
	const struct block *loop = loop_of(c, key.root);
	bool keys = loop != NULL &&
		    (trait_is_outside(loop->iterated) || (loop->iterated.self == IS_COPY && loop->iterated.deep == 0));

	return keys && i != CELL_NONE && c->cells.cells[i].is_target ? key.root : v.root;
}

/* Is what is of @root a part of what the loop goes over?  Loops stand in fewer blocks than there are. */
static bool is_within(const struct check *c, uint32_t root, const struct block *loop)
{
	const struct block *b = loop_of(c, root);

	for (unsigned i = 0; b != NULL && b != loop && i < BLOCKS_MAX; i++)
		b = loop_of(c, b->iterated.root);
	return b == loop;
}

/* The parameter of which it is a part, as a bit; 0: of none. */
static uint32_t given_in(const struct check *c, uint32_t root)
{
	for (unsigned i = 0; i < BLOCKS_MAX && loop_of(c, root) != NULL; i++)
		root = loop_of(c, root)->iterated.root;
	return root > ROOT_PARAMETER && root <= ROOT_PARAMETER + PARAMS_MAX ? UINT32_C(1) << (root - ROOT_PARAMETER - 1)
									    : 0;
}

uint32_t template_root_here(const struct check *c)
{
	for (unsigned i = c->n_blocks; i-- > 0 && !is_body(c, &c->blocks[i]);)
		if (c->blocks[i].tag == TAG_FOR && c->blocks[i].is_long)
			return c->blocks[i].root;
	return 0;
}

uint32_t template_root_shifted(const struct check *c)
{
	struct lexer ahead = c->lexer;
	uint32_t i = c->now.kind == TOKEN_NAME ? cells_find(&c->cells, CELL_VARIABLE, c->scope, c->now.raw) : CELL_NONE;
	struct token by, end;

	if (i == CELL_NONE || !c->cells.cells[i].is_target || (!template_next_is(c, '-') && !template_next_is(c, '+')))
		return 0;
	by = template_lexer_next(&ahead);
	end = template_lexer_next(&ahead);
	return by.kind == TOKEN_NUMBER && end.kind == TOKEN_CLOSE ? c->cells.cells[i].root : 0;
}

static bool has_loop_within(const struct check *c, const struct block *loop)
{
	for (const struct block *b = loop + 1; b < c->blocks + c->n_blocks; b++)
		if (b->tag == TAG_FOR && b->is_long && is_within(c, b->iterated.root, loop))
			return true;
	return false;
}

/* Loops that are open in this macro and go over something long, which no loop in them goes over further, nor @root: the
 * letters of all are multiplied.  @free: only those that do not go over what the macro was given. */
static unsigned loops_beside(const struct check *c, uint32_t root, bool free)
{
	unsigned n = 0;

	for (unsigned i = c->n_blocks; i-- > 0 && !is_body(c, &c->blocks[i]);) {
		const struct block *b = &c->blocks[i];

		n += b->tag == TAG_FOR && b->is_long && !is_within(c, root, b) && !has_loop_within(c, b) &&
		     !(free && given_in(c, b->iterated.root) != 0);
	}
	return n;
}

static void note(struct check *c, unsigned all, unsigned free, const uint8_t *at)
{
	struct macro *m = c->scope != 0 ? &c->macros[c->scope - 1] : NULL;

	all = all < LOOPS_MAX ? all : LOOPS_MAX;
	free = free < LOOPS_MAX ? free : LOOPS_MAX;
	if (all > 1 && c->costly == NULL)
		c->costly = at;
	if (m == NULL || (all <= m->letters && free <= m->letters_free))
		return;
	m->letters = all > m->letters ? all : m->letters;
	m->letters_free = free > m->letters_free ? free : m->letters_free;
	c->moved = true;
}

static void note_looped(struct check *c, uint32_t params)
{
	struct macro *m = c->scope != 0 ? &c->macros[c->scope - 1] : NULL;

	if (m == NULL || (params & ~m->looped) == 0)
		return;
	m->looped |= params;
	c->moved = true;
}

/* One goes over all of it, beside those that are open. */
static void go_over(struct check *c, uint32_t root, const uint8_t *at)
{
	uint32_t given = given_in(c, root);

	note_looped(c, given);
	note(c, 1 + loops_beside(c, root, false), (given == 0) + loops_beside(c, root, true), at);
}

void template_long_loop(struct check *c, struct block *b)
{
	go_over(c, b->iterated.root, b->at);
	b->is_long = true;
}

void template_long_work(struct check *c, struct trait v, uint64_t rate, const uint8_t *at)
{
	if (is_long(v) && size_mul(size_mul(cost_weight(v), HUGE_COUNT), rate) > WORK_HUGE_MAX)
		go_over(c, v.root, at);
}

/* Does the macro go over what it is given there? */
static bool is_looped(const struct macro *m, const struct arguments *a, unsigned i)
{
	unsigned param = 0;

	if (a->starred || a->of[i].keyword.n == 0)
		param = i;
	else
		while (param < m->n_params && !bytes_equal(m->params[param], a->of[i].keyword))
			param++;
	return a->starred || param >= m->n_params || (m->looped >> param & 1) != 0;
}

void template_long_call(struct check *c, const struct macro *m, const struct arguments *a, const uint8_t *at)
{
	unsigned all = 0, free = m->letters_free, around = loops_beside(c, 0, false);
	uint32_t looped = 0;

	for (unsigned i = 0; i < a->n || (i == 0 && a->starred); i++) {
		struct trait v = a->starred ? a->all : a->of[i].v;
		unsigned beside = loops_beside(c, v.root, false);
		uint32_t given = given_in(c, v.root);

		if (!is_long(v) || !is_looped(m, a, i))
			continue;
		all = beside > all ? beside : all;
		looped |= given;
		if (given == 0)
			free = m->letters;
	}
	if (m->letters == 0)
		return;
	all += m->letters;
	note(c, all > around + m->letters_free ? all : around + m->letters_free, loops_beside(c, 0, true) + free, at);
	note_looped(c, looped);
}
