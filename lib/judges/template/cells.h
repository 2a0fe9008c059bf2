/* What the names of a template can hold.  A value is described, never computed: which kinds of thing it may be, which kinds
 * may be inside it at any depth, and how large it can get.  Names are cells that only ever come to hold more; the template is
 * read again and again until nothing changes, so no arrangement of it hides what gets where. */
#pragma once

#include "arena.h"
#include "bytes.h"
#include "siphash.h"

enum {
	IS_TEXT = 1,       /* a text that is harmless as a name: of the template, whole, or from outside */
	IS_COMPOSED = 2,   /* a text put together from pieces, or one that is a name nobody should use */
	IS_OWN = 4,        /* a list or mapping that the template wrote down */
	IS_SPACE = 8,      /* a namespace */
	IS_CALLABLE = 16,  /* a function, a method, a class */
	IS_METHOD = 32,    /* a text that is a method's name: what is looked up by it may be callable */
	IS_JOINER = 64,    /* joiner(...): called without arguments */
	IS_OUTSIDE = 128,  /* whatever the renderer gives */
	IS_COPY = 256,     /* a container that a filter, a method or an operator made */
	IS_CLASS = 512,    /* a callable with methods: dict and its like */
	IS_WRITTEN = 1024, /* a text of the template, whole */
	IS_LOOP = 2048,    /* the variable `loop` */
	IS_WHOLE = 4096,   /* with IS_OUTSIDE: all of it, no part that was taken out */
	IS_WIDE = 8192,    /* a text that, as a format, takes widths from what it formats */
	IS_LAZY = 16384,   /* a container of what comes out of one of the template's as it is asked for, perhaps */
	IS_LAZY_OUTSIDE = 32768, /* the same, out of one of the renderer's */
	IS_PAIR = 65536,         /* a key and its value, perhaps, as mappings give them, or either */
};

#define IS_ANY_TEXT (IS_TEXT | IS_COMPOSED)
#define IS_MADE (IS_OWN | IS_COPY)
#define IS_ANY_CALLABLE (IS_CALLABLE | IS_JOINER)
/* A value that nothing is known of. */
#define IS_ANYTHING \
	(IS_TEXT | IS_COMPOSED | IS_MADE | IS_SPACE | IS_CALLABLE | IS_METHOD | IS_OUTSIDE | IS_CLASS | IS_WRITTEN)

/* Sizes, numbers and counts of steps: as large as this, and larger, is the same. */
#define SIZE_CAP (UINT64_C(1) << 40)

/* How a value in a macro is related to what the parameter it is measured by was given: the same; a part of it, or {}; a part of it;
 * a part of such a part. */
enum descent { DESCENT_NONE, DESCENT_SAME, DESCENT_LOOSE, DESCENT_PART, DESCENT_DEEP };

#define DEGREE_MAX 15u
#define ROOT_PARAMETER (UINT32_MAX - 255) /* plus the number of the parameter, counted from 1 */

/* How large a value can get. */
struct amount {
	uint64_t size;  /* characters it is written with: all that is in it, as often as it is in it */
	uint64_t count; /* of a number: no larger; else its characters or items: the turns of a loop over it */
	uint64_t most;  /* the largest count of anything inside */
	uint64_t items; /* .count when it is a container: neither letters nor numbers take the room of items */
	uint64_t rows;  /* the most of those of anything inside */
	/* .count, and .most, grow as this power of how many messages there are. */
	uint8_t degree, deeper;
	/* Bit k: what the renderer gives is long there, where one has gone over items k times: HUGE_COUNT items or letters.
	 * What is further inside is short again, for it was counted as those. */
	uint16_t huge;
};

/* A number, a truth value or nothing: no bits. */
struct trait {
	uint32_t self, deep;
	uint32_t root; /* the loop of whose part it was made: where it stands; or a parameter, or 0 (letters.c) */
	uint8_t descent;
	struct amount n;
};

/* What grows from reading to reading grows as much with each turn of the loops it stands in: cost.c. */
struct growth {
	struct amount before, step; /* at the end of the last reading; what was counted for each turn */
	uint64_t turns, counted;    /* how often it is done; as often as was counted */
};

/* The same word is another thing as a variable and as an attribute.  A path is a member of what the renderer gives, as it is
 * spelled: of it nothing is known but what tests say. */
enum cell_role { CELL_VARIABLE, CELL_FIELD, CELL_PATH };

struct cell {
	struct bytes text;
	struct trait v;
	uint32_t scope;              /* of a variable: the macro it is local to; 0: the template */
	struct amount now, now_else; /* here, when it was set before in this pass; and when it is no text */
	struct growth growth, given_growth, else_growth;
	/* .v.n is as large as what is set, and as much more as all is that is added to it: in this reading so far, at most. */
	struct amount base, adding, added;
	uint32_t root;  /* of what was set last in this pass, */
	bool is_target; /* and that is what a loop goes over */
	unsigned pass;
	unsigned sure;       /* the pass in which it was set outside of all branches and loops */
	unsigned set_depth;  /* it was set last in the block that is so deep, */
	uint64_t set_branch; /* and in this branch of it */
	uint8_t role;
	uint64_t made;       /* of a namespace: how often it is made in a call of its macro, at least */
	uint8_t made_degree; /* and in loops over messages of what power */
	bool shared;         /* the namespace in it may have other names */
	unsigned live;       /* loops that are open here and set it: it hides what is outside */
	bool given;          /* a parameter: set by calls, wherever they stand */
	bool assigned;
	bool defined;                    /* a macro has this name */
	bool called;                     /* of a field: a callable was stored under it */
	bool relearn;                    /* .descent is of another measure */
	bool long_default;               /* a parameter that is long without being given */
	uint8_t param;                   /* of a macro, counted from 1; 0: none */
	struct amount taken, taken_else; /* of what calls give; and of what is no text */
	bool not_text, only_text;        /* here: a test said so */
};

/* Published templates have below 200. */
#define CELLS_MAX 4096u
#define CELL_NONE UINT32_MAX

struct cells {
	struct arena *arena;
	uint64_t outside; /* characters of all that the renderer gives under one name */
	uint8_t huge;     /* where that is long: a bit, as in struct amount; 0: nowhere */
	bool all;         /* wherever that is, loops over it are counted, and nothing else */
	bool many;        /* of so long messages there are MESSAGES, and nothing else is long */
	struct siphash_key seed;
	struct cell *cells;
	uint32_t *slots; /* number plus one */
	uint32_t n, capacity, slot_mask;
	bool changed; /* some cell came to hold more */
	bool grown;   /* or something larger */
	bool full, out_of_memory;
};

void cells_init(struct cells *t, struct arena *a, struct siphash_key seed);
void cells_done(struct cells *t);
/* The cell's number, or CELL_NONE. */
uint32_t cells_find(const struct cells *t, enum cell_role role, uint32_t scope, struct bytes text);
/* The same, made when it is not there; CELL_NONE when there is no room. */
uint32_t cells_get(struct cells *t, enum cell_role role, uint32_t scope, struct bytes text);
/* What a loop set it to is over. */
void cells_widen(struct cells *t, uint32_t cell);
/* No cell knows any more what it descends from, nor how large it is. */
void cells_relearn(struct cells *t);
/* The cell may hold this as well.  @turns: how often it is done. */
void cells_assign(struct cells *t, uint32_t cell, struct trait v, uint64_t turns);
/* `x.y = x.y + ...`: the cell gets as much more each time, whatever it holds. */
void cells_add(struct cells *t, uint32_t cell, struct trait v, struct amount more, uint64_t turns);
/* The same, of a parameter: by a call. */
void cells_give(struct cells *t, uint32_t cell, struct trait v, uint64_t turns);

/* Nothing but a text. */
static inline bool trait_is_text(struct trait v)
{
	return v.self != 0 && (v.self & (uint32_t) ~(IS_ANY_TEXT | IS_WRITTEN | IS_METHOD | IS_WIDE)) == 0;
}

/* From the renderer, or a text: what is taken out of it is a part of what the renderer gives, or a letter. */
static inline bool trait_is_outside(struct trait v)
{
	return (v.self & IS_OUTSIDE) != 0 && (v.self & (uint32_t) ~(IS_ANY_TEXT | IS_WRITTEN | IS_METHOD | IS_WIDE |
								    IS_OUTSIDE | IS_WHOLE | IS_PAIR)) == 0;
}

static inline uint64_t size_add(uint64_t a, uint64_t b)
{
	return a >= SIZE_CAP - b ? SIZE_CAP : a + b;
}

static inline uint64_t size_mul(uint64_t a, uint64_t b)
{
	if (a == 0 || b == 0)
		return 0;
	return a > SIZE_CAP / b ? SIZE_CAP : a * b;
}

static inline uint64_t size_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint8_t degree_most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static inline uint8_t degree_add(uint8_t a, uint8_t b)
{
	return a + b > DEGREE_MAX ? DEGREE_MAX : (uint8_t)(a + b);
}

bool amount_is_huge(struct amount n);

static inline struct amount amount_join(struct amount a, struct amount b)
{
	return (struct amount){ size_most(a.size, b.size), size_most(a.count, b.count), size_most(a.most, b.most),
		size_most(a.items, b.items), size_most(a.rows, b.rows), degree_most(a.degree, b.degree),
		degree_most(a.deeper, b.deeper), a.huge | b.huge };
}

/* One behind the other. */
static inline struct amount amount_add(struct amount a, struct amount b)
{
	return (struct amount){ size_add(a.size, b.size), size_add(a.count, b.count), size_most(a.most, b.most),
		size_add(a.items, b.items), size_most(a.rows, b.rows), degree_most(a.degree, b.degree),
		degree_most(a.deeper, b.deeper), a.huge | b.huge };
}

/* Of what is no text: items take more of a conversation than letters. */
struct amount amount_of_items(struct amount n);

/* Of what is made of both: of a part of the same, or of nothing long and that. */
uint32_t template_root_of(struct trait a, struct trait b);

/* One or the other. */
static inline struct trait trait_join(struct trait a, struct trait b)
{
	return (struct trait){ .self = a.self | b.self,
		.deep = a.deep | b.deep,
		.root = template_root_of(a, b),
		.descent = a.descent < b.descent ? a.descent : b.descent,
		.n = amount_join(a.n, b.n) };
}

/* How large it can be when it is no text: it is what the template made of items, or what the renderer gives. */
struct amount amount_but_text(struct trait v, uint64_t outside);

/* As trait_join(), into what may grow.  Return: true when that is news about what it is. */
bool trait_grow(struct trait *to, struct trait v);
