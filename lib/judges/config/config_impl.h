/* What the walk (config_walk.c) keeps and the judge (config_judge.c) looks at: a tree of the entries that some rule asks for. */
#pragma once

#include "config.h"
#include "config_keys.h"
#include "config_names.h"
#include "config_show.h"
#include "template.h"

#define NODE_NONE UINT32_MAX

/* Do chat templates stand under it? */
bool config_is_chat_template(struct bytes key);
#define CONFIG_COPIES_MAX 65536u /* honest aliases stand for some dozens */

/* Why a node was kept beside its key. */
enum {
	NODE_VALUE = 1u << 0,  /* a rule for values fits (section 3.3) */
	NODE_PROSE = 1u << 1,  /* below a key whose texts are exempt from those */
	NODE_DANGER = 1u << 2, /* a name that is denied by a row of its own */
	NODE_LIBRARY = 1u << 3,
	NODE_TOLD = 1u << 4,  /* a finding is about it */
	NODE_REACH = 1u << 6, /* a template reaches behind its objects: config_text_reaches() */
	NODE_SHAPE = 1u << 5, /* it looks like a reference to code: config_shapes.h */
	NODE_CLASS = 1u << 7, /* it looks like a class */
};

struct config_node {
	uint32_t parent, first, last, next; /* NODE_NONE */
	uint16_t key;                       /* enum config_key */
	uint8_t type;                       /* enum config_type */
	uint8_t why;
	uint32_t index; /* in its list */
	uint32_t n;     /* entries of a map or list, kept or not */
	uint64_t has;   /* of a map: bits of CONFIG_KEYS_NOTED whose value is not null */
	uint64_t at;
	struct bytes name, text;
};

struct config_frame {
	uint32_t node; /* NODE_NONE: nothing of it is kept yet */
	uint16_t key;
	uint8_t type;
	bool all, words, prose; /* all texts in it are kept; its keys are words; its texts are exempt */
	bool templates;         /* its texts are chat templates */
	uint32_t n, index;
	uint64_t has, at;
	struct bytes name;
	uint8_t buf[64]; /* of a name that does not live */
};

/* What was said of a name the last time: files of calls name the same few classes over and over, and to ask all tables costs
 * microseconds. */
#define KNOWN_NAMES 32u /* a power of two */
#define KNOWN_NAME_MAX 103u

struct known_name {
	const char *vouched;
	uint8_t n, standing; /* n: 0: nothing is here */
	uint8_t text[KNOWN_NAME_MAX];
};

struct config {
	struct layout *l;
	struct config_tape *tape; /* config_show.h; NULL */
	struct config_key_index keys;
	struct config_node *nodes;
	uint32_t n, room;
	struct config_frame frames[CONFIG_DEPTH_MAX];
	unsigned depth;
	uint64_t families; /* bits of enum config_family */
	uint32_t names;    /* judged so far */
	struct known_name known[KNOWN_NAMES];
	uint32_t copies;   /* of nodes, by aliases */
	uint64_t steps;    /* of looking for siblings */
	bool full, failed; /* too much to be kept; no memory */
	bool broken;       /* a template was not understood */
	bool has_target;   /* there is a `_target_` */
	bool is_inner;     /* it is a text of another one */
	unsigned n_inner;  /* of these, in this one */
	struct templates_seen seen_templates;
	enum config_templates templates;
	uint64_t full_at;
	uint8_t code[REPORT_STRING_MAX]; /* programs of this repository, a line each: of a set */
	size_t code_n;
	uint8_t
	    includes[REPORT_STRING_MAX]; /* "yaml x.yaml": files that are read as this one is, a line each: of a set */
	size_t includes_n;
	struct regex *regex; /* NULL before the first expression */
	unsigned n_regex;
	const char *if_included; /* what a file that includes this one would make of it; NULL: nothing */
};

_Static_assert(CONFIG_N_FAMILIES <= 64, "a bit for each family");

static inline bool config_in(const struct config *c, enum config_family f)
{
	return (c->families >> f & 1) != 0;
}

static inline bool node_has(const struct config_node *n, unsigned bit)
{
	return (n->has >> bit & 1) != 0;
}

/* The entry of a map that has this key, as far as it was kept; NODE_NONE. */
uint32_t config_find(struct config *c, uint32_t map, enum config_key key);
/* What rules for values make of a text under any key: section 3.3.  Cheap. */
bool config_value_is_odd(struct bytes text);
/* Of those: does a loader that reads the whole file make something else of it, whatever its key means to people? */
bool config_value_is_filled_in(struct bytes text);
/* Does a text reach for what is behind an object, as Jinja's templates do: `{{ x.__class__ }}`; as Python's formats: `{x.__class__}`? */
enum config_braces { CONFIG_BRACES_TWO = 1, CONFIG_BRACES_ONE = 2, CONFIG_BRACES_ANY = 3 };
bool config_text_reaches(struct bytes text, enum config_braces braces);
/* Does it begin with a call of what runs code, or hold one under whatever name? */
bool config_text_calls(struct bytes text);
/* A run of nodes: a map or list that has a name of its own (YAML's anchors), and all in it. */
struct config_copy {
	uint32_t from, end; /* from: NODE_NONE: none */
};

/* All texts of what was opened last are kept, for it may stand elsewhere, too.  Return: its node, or NODE_NONE. */
uint32_t config_keep(struct config *c);
/* What was kept, once more: as an entry of what is open, or (config_blend()) its entries as those of the map @up levels around.
 * False: there are too many copies. */
bool config_again(struct config *c, struct config_copy copy, struct config_text key, uint64_t at);
bool config_blend(struct config *c, unsigned up, struct config_copy copy);
/* Which keys the innermost map has, as far as rules ask; @has: they are those of the map @up levels around, too. */
uint64_t config_bits(const struct config *c);
void config_merge(struct config *c, unsigned up, uint64_t has);
/* The key path of a node.  Return: its bytes. */
size_t config_path(const struct config *c, uint32_t node, uint8_t buf[CONFIG_PATH_MAX]);
/* A chat template.  @key: subject of its findings. */
void config_check_template(struct config *c, struct bytes text, struct bytes key, uint64_t at);
/* Of a set: a file of it that is read as one of this @kind.  False: there is no room to say so. */
bool config_note_include(struct config *c, const char *kind, struct bytes place);
/* All rules, over the whole tree. */
void config_judge(struct config *c);

/* Section 1.1, of this file. */
enum config_standing config_standing_of(struct config *c, struct bytes name, const char *vouched, uint64_t at);

/* -- findings about a node -- */

void config_tell(struct config *c, enum wlk_finding code, uint32_t node);
void config_tell_text(struct config *c, enum wlk_finding code, struct bytes found, uint32_t node);

/* As config_import(), with names that the family vouches for. */
void config_import_vouched(struct config *c, struct bytes name, const char *vouched, struct bytes path, uint64_t at);

/* Is a text under this key a configuration of its own, in JSON?  Then it has to come whole. */
bool config_asks_inner(const struct config *c, struct bytes key, struct bytes text);
/* Does it say a type with types in it: list[x]? */
bool config_is_type_text(struct bytes text);
/* What a variable of a program's environment has it do: config_environment.c. */
enum wlk_finding config_variable_fault(struct bytes name, struct bytes value);

/* -- rules for what a text is; config_texts.c -- */

/* A truth value as Python and YAML take them. */
bool config_is_true(const struct config_node *n);
/* Whether a path leaves its folder, or is absolute; 0: neither. */
enum wlk_finding config_path_fault(struct bytes path);
/* What a text that is given to eval() holds: 0: a literal. */
enum wlk_finding config_expression_fault(struct bytes text);
enum wlk_finding config_literal_fault(struct bytes text);
/* What an odd text (config_value_is_odd()) is; 0: nothing. */
enum wlk_finding config_value_fault(struct bytes text);
bool config_is_library(struct bytes path);
/* As config_literal_fault(), with the products that lists are made of: [(512, 3, 2)] * 4. */
enum wlk_finding config_product_fault(struct bytes text);
/* A line of requirements, or an entry of a list of packages; 0: from the usual index. */
enum wlk_finding config_requirement_fault(struct bytes line);
/* An address, or a path, by which packages are looked for. */
enum wlk_finding config_place_fault(struct bytes place);
/* A place as only pip's lines say one, or what a shell makes more of than a name. */
bool config_requirement_says_place(struct bytes line);
