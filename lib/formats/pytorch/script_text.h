/* The source in a TorchScript archive, as PyTorch's own writer spells it (torch/csrc/jit/serialization/python_print.cpp): a small
 * part of a language that is small itself.  It is read as tokens and never run.  What it can reach is what it names: an operator is
 * torch.NAME, ops.NAMESPACE.NAME, or .NAME on a value; a special form is called by its bare name; getattr() takes a text.  So a
 * source whose every name is of a table, or is no operator's name at all, calls the operators of the table and no others, in
 * whatever order.  What the writer never spells (comments, single quotes, words like `with`) ends the reading: nothing that
 * follows it was understood.  Follows formats/pytorch, section 7. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "script_show.h"

#define SCRIPT_TOKEN_MAX 256 /* bytes of a name, or of what getattr() is given */

enum script_answer {
	SCRIPT_KNOWN,
	SCRIPT_UNKNOWN, /* a name that is not vouched for, or what the writer does not spell */
	SCRIPT_ACTS,    /* an operator that reads or writes files: the worst, which stands whatever else there is */
};

enum script_token { TOKEN_NONE, TOKEN_NAME, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN };

/* Where a dotted name leads. */
enum script_path {
	PATH_NONE,
	PATH_TORCH,     /* torch */
	PATH_OPS,       /* ops */
	PATH_NAMESPACE, /* ops.prim, ops.aten: a namespace of the table */
	PATH_OTHER,     /* ops.image: of somebody else */
	PATH_OWN,       /* __torch__: the archive's own classes and functions */
	PATH_OWN_TORCH, /* __torch__.torch: behind it lie custom classes as well */
	PATH_OWN_MORE,
	PATH_END, /* an operator, or an attribute */
};

struct script_text {
	struct script_show show;
	enum script_answer answer;
	uint64_t at;                       /* offset of what the answer is about */
	char about[SCRIPT_TOKEN_MAX + 64]; /* it, as text */
	bool done;                         /* reading ended before the text */
	/* The token at work. */
	enum script_token kind;
	uint64_t begin;
	size_t n;
	char token[SCRIPT_TOKEN_MAX];
	bool escaped, escapes, exponent, fraction;
	/* Those before it. */
	enum script_token last;
	char sign; /* of the last one; 0: it was none */
	enum script_path path;
	bool prim;                   /* of PATH_NAMESPACE */
	bool defines;                /* the last name was `def` or `class` */
	char bare[SCRIPT_TOKEN_MAX]; /* a name that is called if ( follows; empty: none */
	uint64_t bare_at;
	unsigned getattr; /* 0: not in it; 1: its first argument; 2: its text */
};

/* @report, @member, @origin: as of script_show_begin(). */
void script_begin(struct script_text *s, struct report *report, struct bytes member, uint64_t origin);
/* Bytes of the text, in order. */
void script_feed(struct script_text *s, const uint8_t *at, size_t n, uint64_t offset);
void script_end(struct script_text *s);
