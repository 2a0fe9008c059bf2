/* Jinja source cut into tokens as jinja2.lexer of Jinja 2 cuts it with its default delimiters and without line
 * statements; trim_blocks and lstrip_blocks change text only.  tests/lib/judges/template/test_template_lexer.py compares. */
#pragma once

#include <stdbool.h>

#include "bytes.h"

/* Deepest nesting of brackets in a block: a hundred times what templates use; Jinja itself recurses and fails. */
#define LEXER_DEPTH_MAX 200u
/* Strings that nothing closes: each is looked for to the end.  Quotes behind so many of them open none. */
#define LEXER_UNCLOSED_MAX 16u

enum token_kind {
	TOKEN_END,
	TOKEN_TEXT,    /* outside blocks, and what a raw block holds */
	TOKEN_COMMENT, /* what stands between its delimiters */
	TOKEN_VALUE,   /* {{ */
	TOKEN_TAG,     /* {% */
	TOKEN_CLOSE,   /* of either */
	TOKEN_NAME,    /* keywords too */
	TOKEN_STRING,  /* raw: between the quotes, escapes as they stand */
	TOKEN_NUMBER,
	TOKEN_OPERATOR, /* .op */
	TOKEN_BAD,      /* no token, or the text ends inside a block: Jinja refuses the template */
	TOKEN_DEEP,     /* an opening bracket beyond LEXER_DEPTH_MAX */
};

/* One character operators are themselves. */
enum { OP_FLOORDIV = 128, OP_POW, OP_EQ, OP_NE, OP_GE, OP_LE };

struct token {
	enum token_kind kind;
	uint8_t op;
	struct bytes raw;
};

struct lexer {
	const uint8_t *p, *end;
	uint8_t inside;                   /* '%' or '}': what closes the block; 0 in text */
	bool dotted;                      /* directly behind a dot */
	unsigned depth, unclosed;         /* strings that nothing closed */
	uint8_t closers[LEXER_DEPTH_MAX]; /* of the open brackets */
};

/* @text: well-formed UTF-8. */
void template_lexer_init(struct lexer *x, struct bytes text);
/* Goes on behind what is bad: a token at a time, and TOKEN_END for ever after the end. */
struct token template_lexer_next(struct lexer *x);
