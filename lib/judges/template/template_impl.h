/* The state of one template's examination, shared by the parts of the checker: template.c (entry, passes, findings), block.c
 * (blocks), statement.c (tags), expression.c and primary.c (the grammar of values), path.c (members, and what tests say of them), trait.c (what operators and lookups make), call.c (functions, methods,
 * macros), filter.c (filters), names.c (names by which attributes are reached). */
#pragma once

#include "cells.h"
#include "cost.h"
#include "lexer.h"
#include "literal.h"
#include "template.h"
#include "words.h"

#define BLOCKS_MAX 200u
#define LOOPS_MAX 4u /* formats/gguf, section 8 */
#define TARGETS_MAX 32u
#define PARAMS_MAX 32u
#define MACROS_MAX 64u    /* published templates have below 20; the bits of .calls */
#define PROSE_LETTERS 24u /* of a sentence, not of a mark such as "<|im_end|>" */

/* What is known of a value settles in a handful of readings; a size that doubles with each is large after this many. */
#define PASSES 26u
#define PASSES_PLAIN 5u              /* before what grows is taken to grow with each turn */
#define LONG_TEXT ((size_t)64 << 10) /* the longest published is below 40 KiB: longer ones must settle sooner */
#define PASSES_LONG 12u

/* A rule, in either family of codes. */
enum rule {
	RULE_DUNDER,
	RULE_INTROSPECTION,
	RULE_LADDER,
	RULE_CODE,
	RULE_LOAD,
	RULE_ESCAPE,
	RULE_DOS,
	RULE_LENGTH,
	RULE_UNKNOWN_TAG,
	RULE_HIDDEN_TEXT,
	RULE_UNPROVABLE,
	N_RULES
};

/* Calls that go on within their circle: in this branch so far. */
struct going {
	unsigned loose; /* with a part, or {} */
	unsigned parts; /* with a part, perhaps the same one */
};

struct macro {
	const uint8_t *at; /* which it is */
	struct bytes name;
	struct bytes params[PARAMS_MAX];
	unsigned n_params;
	unsigned measure;     /* the parameter of which recursion takes parts */
	uint32_t tried;       /* as measures, as bits */
	struct amount cost;   /* of one call: .count, its work; .size, of the text it gives */
	struct amount spared; /* the same, when it is given nothing that is long */
	struct growth growth;
	uint64_t entered, total; /* how often it is called: in this reading so far, and in the last one */
	unsigned letters;        /* loops in it over something long, of which none goes over a part of another's, */
	unsigned letters_free;   /* and of what it is not given; */
	uint32_t looped;         /* parameters they go over parts of, as bits */
	unsigned descents;       /* calls in it that go down, into itself at last */
	struct going going;
	uint64_t spread; /* how often it goes down into each part, in all */
	uint8_t degree;  /* of the loops in it over messages, and in what it calls */
	uint64_t calls;  /* numbers of the macros it calls, as bits */
	uint32_t around; /* scope of the macro that holds it */
};

/* A name of those that words.h calls dangerous, while the template's own definition of it stands. */
struct own {
	struct bytes word;
	unsigned block;
};

#define OWN_MAX 32u

/* A name that a test in an `if` is about. */
struct tested {
	uint32_t cell;
	bool not_text; /* in the branch that is taken; else in the others */
};

#define FACTS_MAX 8u
#define PATHS_SIZE 2048u /* published templates have a dozen of twenty letters */

struct targets {
	struct bytes of[TARGETS_MAX];
	struct bytes space[TARGETS_MAX]; /* ns of ns.name; or empty */
	unsigned n;
	bool tuple;
};

struct block {
	unsigned tag;
	const uint8_t *at;
	uint64_t branch; /* which of all branches that were read so far: else and elif begin another one */
	uint32_t letters;
	bool watched;                   /* its text depends on a word in a message */
	struct tested facts[FACTS_MAX]; /* what its condition tested */
	struct bytes member;            /* what the macro was given has it */
	unsigned n_facts, n_set;
	uint32_t set[FACTS_MAX];  /* cells that are known to be no text in this branch */
	uint32_t text[FACTS_MAX]; /* and those that are known to be one */
	unsigned n_text;
	/* What goes on when it ends. */
	uint32_t scope, macro, root;
	bool is_long; /* a loop, in the reading where all is long */
	uint64_t turns, written, work, size;
	uint64_t work_most, size_most; /* of the branches that were read */
	struct trait iterated;
	struct targets targets;         /* of {% set name %} */
	struct going going, going_most; /* in its macro before it, and with the branches that were read */
	bool filtered;                  /* by what stands here */
	struct lexer lexer;
	struct token now, next;
};

/* What was put into containers afterwards: into those that were written down, into copies, into those of the renderer. */
enum flow_name {
	FILLED_OWN,
	FILLED_COPY,
	FILLED_OUTSIDE,
	FLOW_GIVEN,  /* arguments of calls that may be of any function */
	FLOW_LOOPED, /* what loops go over */
	FLOW_NAMED,  /* names of arguments, parameters and macros */
	FLOW_FIELDS, /* of any namespace */
	FLOW_CALLED, /* what bodies of call blocks write */
	N_FLOWS
};

struct flow {
	struct trait v;
	struct growth growth;
};

#define ARGUMENTS_MAX 24u /* honest namespaces have a dozen fields */

struct argument {
	struct trait v;
	struct bytes keyword; /* empty: by position */
	struct bytes literal; /* a string and nothing else */
	bool is_literal, is_number;
	bool fresh; /* a list or mapping that is written here */
};

/* Of a call, or of a filter. */
struct arguments {
	struct argument of[ARGUMENTS_MAX];
	unsigned n;
	struct trait all; /* any of them; .n: of a container with them */
	bool starred;     /* or more than there is room for */
};

#define LITERAL_LONG 4096u
#define LITERALS_MAX 256u /* a template of a megabyte has no more */

struct long_literal {
	const uint8_t *at;
	struct trait v;
};

struct check {
	const struct template_options *o;
	struct bytes text;
	struct lexer lexer;
	struct token now, next;
	struct dunder_search search;
	bool too_deep;              /* nothing more is looked at */
	bool told;                  /* there was a finding */
	unsigned pass, measured_at; /* from 1 */
	bool last;                  /* the one that reports */
	bool failed;                /* this block cannot be read */
	bool dotted;                /* now is behind a dot */

	struct cells cells;
	struct flow flows[N_FLOWS];
	uint64_t called_work, called_entered;
	uint32_t loops_over, macro_fills; /* kinds of containers */
	uint32_t making;                  /* {% set ns = namespace(...) %}: the cell of ns */
	const uint8_t *made_at;           /* what stands behind the first call of namespace() */
	bool spares;                      /* macros are given nothing that is long: what they cost then */
	bool target;                      /* what is set has each value once in the loop */
	bool anew;                        /* names of a loop are set: they are that, and nothing else */
	bool any_caller;                  /* caller() may be any function */
	bool stores_callable;             /* in a namespace or mapping */
	bool moved;                       /* one of these came to hold more */
	bool measured;                    /* a macro got another measure */
	bool loose;                       /* one goes on with a part or {}, twice */
	bool rounds;                      /* one goes on with something that is no part of what it was given */

	struct macro macros[MACROS_MAX];
	unsigned n_macros;
	uint32_t scope; /* the macro that is read, plus one */

	uint64_t turns;        /* how often what is read now is done: in a call of the macro that is read */
	uint64_t work, size;   /* of the macro that is read, or of the template */
	uint64_t written;      /* how often what is written now stands in that size */
	const uint8_t *costly; /* where it gets too much */
	uint64_t compiled;     /* work of operators and filters, once each */
	uint64_t constants;    /* what is made of more than a little, however often */
	unsigned tokens;
	unsigned large_numbers; /* that are written down: as keys, all of one hash, perhaps */
	unsigned names;         /* that were read as values */

	struct long_literal literals[LITERALS_MAX];
	unsigned n_literals;
	struct bytes literal;                     /* the last string */
	const uint8_t *bracket_from, *bracket_to; /* the last value in brackets; what stands behind it */
	const uint8_t *sum_from, *sum_to;         /* the last sum; what stands behind it */
	/* "word" in message.content: a word stands before `in`; a content was read; both, on their sides of it. */
	bool asks_for_word, asks_content, asks;
	struct bytes mapping;              /* what the operands before tested to be one: `in` it is of its keys */
	struct bytes member_asked, member; /* of what the macro was given, in this condition; in all of the template */
	/* Tests of names in the expression, and how they are combined. */
	const uint8_t *operand_at; /* of `and` and `or`, outside brackets */
	unsigned conjunctions, alternatives, nesting, n_facts;
	struct tested facts[FACTS_MAX];

	/* The method `format` of a text that was put together, as a value: harmless, unless something that is no name is called. */
	const uint8_t *takes_format;
	bool calls_unknown;
	bool calls_blocks; /* a call block gives whoever is called its body, in kwargs too */

	char paths[PATHS_SIZE]; /* of which something was asked */
	size_t n_paths;

	struct own own[OWN_MAX];
	unsigned n_own;

	struct block blocks[BLOCKS_MAX];
	unsigned n_blocks;
	uint64_t branches;
};

/* template.c */
void template_found(struct check *c, enum rule rule, const uint8_t *at);
void template_found_word(struct check *c, enum rule rule, struct bytes word);
/* Move on by a token.  Return: false when the block is over (c->now: TOKEN_CLOSE, or TOKEN_END). */
bool template_step(struct check *c);
static inline bool template_at(const struct check *c, uint8_t op)
{
	return c->now.kind == TOKEN_OPERATOR && c->now.op == op;
}
static inline bool template_at_word(const struct check *c, const char *word)
{
	return c->now.kind == TOKEN_NAME && template_word_is(c->now.raw, word);
}
static inline bool template_next_is(const struct check *c, uint8_t op)
{
	return c->next.kind == TOKEN_OPERATOR && c->next.op == op;
}
static inline bool template_at_end(const struct check *c)
{
	return c->too_deep || c->now.kind == TOKEN_CLOSE || c->now.kind == TOKEN_END;
}
/* What stands here cannot be read; the rest of the block is only searched for names. */
void template_fail(struct check *c);
/* Step over an operator that must stand here. */
void template_expect(struct check *c, uint8_t op);

/* Is it read for what becomes of large texts? */
static inline bool template_is_large(const struct check *c)
{
	return c->cells.outside > OUTSIDE_SIZE;
}

/* Step over it if it stands here. */
static inline bool template_take(struct check *c, uint8_t op)
{
	if (c->failed || !template_at(c, op))
		return false;
	template_step(c);
	return true;
}
static inline bool template_take_word(struct check *c, const char *word)
{
	if (c->failed || !template_at_word(c, word))
		return false;
	template_step(c);
	return true;
}
/* Does a value end here? */
static inline bool template_closes(const struct check *c)
{
	return c->failed || template_at_end(c) || template_at(c, ')') || template_at(c, ']') || template_at(c, '}');
}

/* block.c */
void template_prose(struct check *c, struct bytes text);
/* A value is written, with as much text. */
void template_write(struct check *c, struct trait v, const uint8_t *at);
/* What stands behind `if` and `elif`: what it says of values holds in the branch. */
void template_condition(struct check *c);
/* @fresh: the names are new ones, whatever has the same name outside. */
void template_assign(struct check *c, const struct targets *t, struct trait v, bool fresh);
/* Names of a loop begin and end to be there. */
void template_live(struct check *c, const struct targets *t, bool begin);
/* Of the block that begins: what follows counts by itself until it ends. */
struct block *template_push_block(struct check *c, unsigned tag, const uint8_t *at);
void template_pop_block(struct check *c, unsigned tag, const uint8_t *at);
void template_next_branch(struct check *c, const uint8_t *at);
void template_count_anew(struct check *c);
/* The filters that stand here, done to a block's text. */
struct trait template_block_text(struct check *c, struct trait v);
/* Read the filters of a block's tag again. */
void template_rewind_to_filters(struct check *c, const struct block *b);
void template_end(struct check *c);

/* statement.c */
void template_statement(struct check *c, const uint8_t *at);

/* expression.c, primary.c */
struct trait template_expression(struct check *c);
struct trait template_alternatives(struct check *c); /* without `if` */
struct trait template_tuple(struct check *c, bool with_if, const char *end_word);
struct trait template_postfix(struct check *c, struct trait v, uint32_t space);
struct trait template_primary(struct check *c);
/* In parentheses, which begin here. */
void template_arguments(struct check *c, struct arguments *ret);

/* path.c */
/* The source that stands there, blanks behind it left out. */
struct bytes template_source_between(const uint8_t *from, const uint8_t *to);
/* A word at *p, before end. */
struct bytes template_source_word(const uint8_t **p, const uint8_t *end);
/* What tests said of it holds of @v. */
struct trait template_tested(const struct cell *cell, struct trait v, struct amount but_text);
/* A member of what the renderer gives is the same each time it is spelled, until one of the names in it is set.
 * @v: what stands between @from and here; *subject: its cell, when something is asked of it here. */
struct trait template_path(struct check *c, const uint8_t *from, struct trait v, uint32_t *subject);
/* What was tested was of another thing of that name. */
void template_forget_paths(struct check *c, struct bytes word);

/* letters.c */
bool template_root_is_open(const struct check *c, uint32_t root);
/* Of what stands in @v under the key that is called @word: what a loop goes over has each of its keys once. */
uint32_t template_root_by_key(const struct check *c, struct trait v, struct bytes word, struct trait key);
/* Of the loop in which all that is long here was written: anything else is too much already. */
uint32_t template_root_here(const struct check *c);
/* {% set x = i - 1 %}: of the loop over numbers; 0: it is something else. */
uint32_t template_root_shifted(const struct check *c);
/* It begins, and is open already. */
void template_long_loop(struct check *c, struct block *b);
/* So much for each letter is done to it. */
void template_long_work(struct check *c, struct trait v, uint64_t rate, const uint8_t *at);
void template_long_call(struct check *c, const struct macro *m, const struct arguments *a, const uint8_t *at);

/* trait.c */
static inline bool trait_may_be_text(struct trait v)
{
	return (v.self & IS_ANY_TEXT) != 0;
}
/* No larger than that. */
static inline struct trait trait_number(uint64_t count)
{
	return (struct trait){ .n = { .size = count >= NUMBER_LARGE ? DIGITS_MAX : NUMBER_SIZE, .count = count } };
}
static inline struct trait trait_counted(uint64_t count, uint8_t degree)
{
	struct trait v = trait_number(count);

	v.n.degree = degree;
	return v;
}
struct trait trait_composed(uint64_t size);
struct trait trait_anything(void);
/* Whatever the renderer gives under one name. */
/* A part of what the renderer gives, that is short. */
extern const struct amount part_outside;
struct trait template_outside(const struct check *c);
/* One item more in *all. */
void trait_gather(struct trait *all, struct trait v);
/* A container of what was gathered. */
struct trait trait_container(struct trait all);
/* Of one item. */
struct trait trait_list(struct trait v);
/* Any of what was gathered. */
struct trait trait_any(struct trait all);
/* Anything inside of it.  @named: by a key, which texts do not have. */
struct trait template_parts(struct check *c, struct trait v, bool named);
/* With what was put into it so far: what is made from it holds that, but not what comes later. */
struct trait template_settled(const struct check *c, struct trait v);
struct trait template_add(struct trait a, struct trait b);
/* What it is written with: in containers, quotes and backslashes double. */
uint64_t template_shown_size(struct trait v);
struct trait template_concatenate(struct trait a, struct trait b);
struct trait template_multiply(struct trait a, struct trait b);
/* Is it a variable, a parameter, a target somewhere in the template? */
bool template_is_assigned(const struct check *c, struct bytes word);
struct trait template_read(struct check *c, struct bytes word);
/* @space: the variable's cell when v is a variable, else CELL_NONE. */
struct trait template_field(struct check *c, struct trait v, struct bytes word, uint32_t space);
struct trait template_look_up(struct check *c, struct trait v, struct trait key, const uint8_t *at);
uint32_t template_local(struct check *c, struct bytes word);
void template_set_field(struct check *c, struct bytes word, struct trait v, uint32_t space);
/* The same, of what the field holds with something added to it: so much. */
void template_add_field(struct check *c, struct bytes word, struct trait v, struct amount more, uint32_t space);
uint32_t template_space(const struct check *c, struct bytes word);
/* What it holds is taken as a value: a namespace may get another name. */
void template_share(struct check *c, struct bytes word);
/* @fresh: made here, it has no other name. */
void template_set(struct check *c, struct bytes word, struct trait v, bool fresh);
void template_join(struct check *c, enum flow_name to, struct trait v);
/* Put into a container like @of. */
void template_fill(struct check *c, struct trait of, struct trait v);
struct trait trait_literal(struct bytes raw);
uint32_t trait_name(struct bytes word);

/* call.c: c->now is the opening parenthesis. */
bool template_is_macro(const struct check *c, struct bytes word);
struct trait template_call_name(struct check *c, struct bytes word);
struct trait template_call_method(struct check *c, struct trait of, struct bytes word, const uint8_t *at);
struct trait template_call_any(struct check *c, const uint8_t *at);
/* Something is called that is not seen: items(), keys(), splitlines() of a namespace by whoever takes it for a mapping or a text. */
void template_call_hidden(struct check *c, const uint8_t *at);
static inline bool template_hides_call(const struct check *c, struct trait v)
{
	return ((v.self | v.deep) & IS_SPACE) != 0 && c->stores_callable;
}
/* Which macros reach which, after all were read. */
void template_close_calls(struct check *c);
/* Is what grows taken to grow with each turn, in this reading? */
static inline bool template_widens(const struct check *c)
{
	return c->pass - c->measured_at > PASSES_PLAIN;
}
/* How many calls come of one from outside its circle. */
uint64_t template_recursion(const struct check *c, const struct macro *m);
uint64_t template_depth(const struct check *c, const struct macro *m);
static inline bool template_calls_itself(const struct check *c, const struct macro *m)
{
	return (m->calls >> (m - c->macros) & 1) != 0;
}

/* filter.c */
struct trait template_filter(struct check *c, struct trait v);
struct trait template_effect(
    struct check *c, const struct effect_word *w, struct trait v, const struct arguments *a, const uint8_t *at);

/* names.c */
void template_identifier(struct check *c, struct bytes word);
void template_reference(struct check *c, struct bytes word, bool attribute, bool called);
/* The template gives a meaning of its own to a name, until the block ends. */
void template_own(struct check *c, struct bytes word);
void template_disown(struct check *c);
void template_literal(struct check *c, struct bytes raw);
void template_literal_key(struct check *c, struct bytes raw);
/* Would it lead out if something were looked up by it, or by what trimming and small letters make of it?  Names of
 * arguments become texts as well. */
bool template_literal_leads_out(struct bytes raw);
/* Is it a method's name, or could those make one of it? */
bool template_literal_is_method(struct bytes raw);
/* Is it a format of dates, without a word or underscore of its own?  What it gives is nobody's name. */
bool template_literal_is_date(struct bytes raw);
/* An attribute's name in a text, dots and all: is there a part that leads out, or one that is spelled otherwise? */
bool template_attribute_leads_out(struct bytes raw);
bool template_format_reaches(struct bytes raw);
/* Is there a width that template_format_width() does not see? */
bool template_format_is_wide(struct bytes raw);
/* The numbers in a format, together. */
uint64_t template_format_width(struct bytes raw);
bool template_is_natural(struct bytes raw);
