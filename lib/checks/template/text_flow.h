/* Where the texts of a template can get to: a graph of its names and the places that use them.  Flow is followed without
 * regard to order and branches, so that no arrangement hides it. */
#pragma once

#include "arena.h"
#include "bytes.h"
#include "siphash.h"

/* What a name can hold. */
#define HOLDS_TEXT 1u     /* text that stands in the template, whole */
#define HOLDS_COMPOSED 2u /* text put together from pieces: nobody can say which */

/* Published templates have below 200 names and 3,000 uses. */
#define NAMES_MAX 32768u
#define FLOWS_MAX (UINT32_C(1) << 18)

/* The same word is another thing as a variable, an attribute or what a function is given. */
enum name_role {
	NAME_VARIABLE,
	NAME_FIELD,
	NAME_ARGUMENTS,
	NAME_LOCAL, /* a variable of a block's own; no text leads to it */
	NAME_PLACE, /* where something is looked up */
};

#define NAME_NONE UINT32_MAX

struct template_name {
	struct bytes text;
	const uint8_t *place; /* NAME_PLACE: where a lookup by this value stands */
	uint32_t first_flow;  /* plus one; 0: none */
	uint32_t meaning;     /* of a variable: itself, or the local that hides it here */
	uint8_t role, holds;
	bool defined; /* by the template, here */
	bool queued;
	bool shared; /* what it stands for may have other names */
};

struct flow {
	uint32_t to, next; /* next: plus one */
	bool joins;        /* text that gets there is joined with other text on the way */
};

struct template_names {
	struct arena *arena;
	struct siphash_key seed;
	struct template_name *names;
	struct flow *flows;
	uint32_t *slots; /* number plus one */
	uint32_t n, capacity, n_flows, flow_capacity, slot_mask;
	bool full, out_of_memory; /* more than fits: nothing more is noted */
};

void template_names_init(struct template_names *g, struct arena *a, struct siphash_key seed);
void template_names_done(struct template_names *g);
/* The name's number, the same for the same text and role; NAME_NONE when there is no room. */
uint32_t template_names_get(struct template_names *g, enum name_role role, struct bytes text);
/* One of its own. @place: of NAME_PLACE, else NULL. */
uint32_t template_names_new(struct template_names *g, enum name_role role, const uint8_t *place);
/* NAME_NONE on either side is nothing. */
void template_names_flow(struct template_names *g, uint32_t from, uint32_t to, bool joins);
void template_names_hold(struct template_names *g, uint32_t name, unsigned holds);
/* Follow every flow.  Linear.  False when there is no memory for it. */
bool template_names_settle(struct template_names *g);
