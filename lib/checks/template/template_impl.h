/* The state of one template's examination, shared by the parts of the checker: template.c (entry, text, findings),
 * statement.c (tags, blocks, what the template defines), expression.c (values and what they are made of), lookup.c (names
 * by which attributes are reached). */
#pragma once

#include "lexer.h"
#include "literal.h"
#include "text_flow.h"
#include "template.h"
#include "words.h"

#define BLOCKS_MAX 200u
#define LOOPS_MAX 4u /* formats/gguf, section 8 */
#define TARGETS_MAX 32u
#define USES_MAX 16384u
#define COUNT_MAX 1000000u /* formats/gguf, section 8: the largest number in range() */
#define PROSE_LETTERS 24u  /* of a sentence, not of a mark such as "<|im_end|>" */

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
	N_RULES
};

enum frame_kind {
	FRAME_TOP,    /* the block itself */
	FRAME_GROUP,  /* ( ) */
	FRAME_LIST,   /* [ ] */
	FRAME_DICT,   /* { } */
	FRAME_CALL,   /* ( ) behind what is called */
	FRAME_KEY,    /* [ ] behind what is looked into */
	FRAME_PARAMS, /* ( ) of macro and call: names, with defaults */
};

/* What stands before a token: an operand of some kind, or what asks for one. */
enum operand {
	OPERAND_NONE, /* an operator, or nothing yet */
	OPERAND_DOT,  /* an attribute's name must follow */
	OPERAND_PIPE, /* a filter's */
	OPERAND_IS,   /* a test's */
	OPERAND_NAME,
	OPERAND_FIELD,
	OPERAND_FILTER,
	OPERAND_TEST,
	OPERAND_STRING,
	OPERAND_NUMBER,
	OPERAND_GROUP, /* closed: ( ), [ ], { } of a value */
	OPERAND_CALL,
	OPERAND_KEY,         /* [ ] */
	OPERAND_KEY_LITERAL, /* [ ] that holds a string and nothing else */
};

/* What a value is made of so far: a name that was used in it. */
struct use {
	uint32_t name;
	bool joins;
};

/* What is open, and the argument, item or value it has come to (`part`). */
struct frame {
	uint8_t kind, callee;                           /* callee: the operand that is called or looked into */
	bool fills_other;                               /* a call that puts its arguments into what has other names */
	bool keyed;                                     /* the part stands behind a key of a mapping */
	bool joins, part_joins, part_operated, starred; /* operated: more than one operand */
	uint8_t holds, part_holds;
	unsigned commas, colons, part_tokens;
	uint32_t first_use, part_use, chain; /* chain: of the frame below, while this one is open */
	uint32_t callee_name;                /* NAME_NONE, or what the callee is known by */
	struct bytes word;                   /* of the callee */
	struct bytes keyword;                /* the part is given to this name; empty: to none */
	struct token first;                  /* of the part */
	const uint8_t *at;
};

struct block {
	unsigned tag;
	const uint8_t *at;
	uint32_t undo; /* definitions that end with it begin here */
	uint32_t letters;
	bool watched; /* its text depends on a word in a message */
};

struct definition {
	uint32_t name, meaning, before; /* before: what the name stood for */
	bool defined;                   /* the meaning, before */
};

struct target {
	struct bytes word;
	uint32_t name; /* what it will stand for */
};

struct check {
	const struct template_options *o;
	struct bytes text;
	struct lexer lexer;
	struct token now, next;
	struct template_names names;
	struct dunder_search search;
	bool too_deep; /* nothing more is looked at */

	/* The expression. */
	struct frame frames[LEXER_DEPTH_MAX + 1];
	unsigned n_frames;
	struct use uses[USES_MAX];
	uint32_t n_uses, chain; /* chain: the use that attributes and keys go on from; NAME_NONE without */
	enum operand operand;
	uint8_t op;                       /* the last operator, while operand is OPERAND_NONE */
	struct bytes word;                /* of the operand */
	enum operand receiver;            /* what the last dot stands behind */
	struct bytes literal;             /* the last string */
	bool params_next;                 /* the next parenthesis holds parameters */
	bool with;                        /* names and values: the with tag */
	bool asks_for_word, asks_content; /* "word" in message.content */

	/* The statement. */
	struct target targets[TARGETS_MAX];
	unsigned n_targets;
	uint32_t macro; /* arguments of what is being defined */

	struct block blocks[BLOCKS_MAX];
	unsigned n_blocks;
	struct definition *definitions;
	uint32_t n_definitions, definition_capacity;
};

/* template.c */
void template_found(struct check *c, enum rule rule, const uint8_t *at);
void template_found_word(struct check *c, enum rule rule, struct bytes word);
/* Move on by a token.  Return: false when the block is over (c->now: TOKEN_CLOSE, or TOKEN_END). */
bool template_step(struct check *c);
static inline bool template_next_is(const struct check *c, uint8_t op)
{
	return c->next.kind == TOKEN_OPERATOR && c->next.op == op;
}

/* statement.c */
void template_statement(struct check *c, const uint8_t *at);
void template_prose(struct check *c, struct bytes text);
void template_end(struct check *c);
/* The template gives a meaning of its own to a name. */
void template_target(struct check *c, struct bytes word, uint32_t name);
uint32_t template_variable(struct check *c, struct bytes word);

/* value.c */
static inline struct frame *template_top(struct check *c)
{
	return &c->frames[c->n_frames - 1];
}

static inline bool template_is_operand(enum operand o)
{
	return o > OPERAND_IS;
}

/* A block's expression; @before: what it begins behind. */
void template_expression_begin(struct check *c, enum operand before);
/* Give the value to a name. */
void template_assign(struct check *c, const struct frame *f, uint32_t to);
void template_open_frame(struct check *c, enum frame_kind kind, const uint8_t *at);
void template_close_frame(struct check *c);
/* A comma, a colon, a bracket, the block's end. */
void template_end_part(struct check *c);
/* A name is used, and attributes go on from it. */
void template_use(struct check *c, uint32_t name);
void template_go_on(struct check *c, struct bytes word);
/* Lists and mappings have several names: what is put into one that was not made where it is filled. */
uint32_t template_filled(struct check *c);
/* A method is called; what it gives is what the template itself stored under that name, if it did. */
void template_own_method(struct check *c, struct bytes word);
/* expression.c */
/* Attributes go on from a value, and from a method that is not called here: it may be, under another name. */
void template_attribute(struct check *c, struct bytes word);
/* Up to the block's end; or, when @stop_at_if, up to a word `if` outside brackets.  Return: true when stopped there. */
bool template_expression(struct check *c, bool stop_at_if);

/* lookup.c */
void template_identifier(struct check *c, struct bytes word);
void template_reference(struct check *c, struct bytes word, bool attribute);
void template_literal(struct check *c, struct bytes raw);
void template_literal_key(struct check *c, struct bytes raw);
/* Would it lead out if something were looked up by it, or by what trimming and small letters make of it?  Names of
 * arguments become texts as well. */
bool template_literal_leads_out(struct bytes raw);
/* The part of a filter's arguments that ends. */
void template_filter_argument(struct check *c, const struct frame *f);
bool template_format_reaches(struct bytes raw);
