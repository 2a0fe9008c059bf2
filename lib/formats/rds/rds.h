/* The parts of the reader of R's serialised objects: files of saveRDS() and save().  Follows formats/others (row RDS) and
 * R's src/main/serialize.c and altclasses.c, versions 2 and 3.
 *
 *   rds.c             what the file is, findings, and how the walk ends
 *   rds_walk.c        bytes to numbers: the header, flags, lengths, runs of elements
 *   rds_items.c       which object may stand where: frames, references
 *   rds_values.c      what runs hold: text in its encoding, doubles that are no numbers
 *   rds_attributes.c  attributes against what they are of; ALTREP, the compact forms
 *
 * The file is walked once, before the pass, by a push parser with a stack of its own: nothing is ever held as a whole, so a
 * file in a wrapper may be of any size. */
#pragma once

#include "format.h"
#include "stream.h"
#include "utf8.h"
#include "weights.h"

#define RDS_DEPTH_MAX 512u                     /* objects in each other (formats/others) */
#define RDS_REFERENCES_MAX (UINT32_C(1) << 23) /* entries of the table, of 2 bytes */
#define RDS_FIRST_MAX 8u                       /* numbers that are kept: more dimensions than arrays have names for */
#define RDS_TEXT_BYTES 24u                     /* of a symbol: as many as any known name has */
#define RDS_RAW_MAX 16u /* bytes without a meaning: no serialised object and no pickle that acts is so short */

/* SEXPTYPE, as it is written. */
enum rds_type {
	RDS_NIL = 0,
	RDS_SYM = 1,
	RDS_LIST = 2,
	RDS_CLO = 3,
	RDS_ENV = 4,
	RDS_PROM = 5,
	RDS_LANG = 6,
	RDS_SPECIAL = 7,
	RDS_BUILTIN = 8,
	RDS_CHAR = 9,
	RDS_LGL = 10,
	RDS_INT = 13,
	RDS_REAL = 14,
	RDS_CPLX = 15,
	RDS_STR = 16,
	RDS_DOT = 17,
	RDS_VEC = 19,
	RDS_EXPR = 20,
	RDS_BCODE = 21,
	RDS_EXTPTR = 22,
	RDS_WEAKREF = 23,
	RDS_RAW = 24,
	RDS_S4 = 25,
	/* only in files */
	RDS_ALTREP = 238,
	RDS_BASEENV = 241,
	RDS_EMPTYENV = 242,
	RDS_PERSIST = 247,
	RDS_PACKAGE = 248,
	RDS_NAMESPACE = 249,
	RDS_BASENAMESPACE = 250,
	RDS_MISSINGARG = 251,
	RDS_UNBOUND = 252,
	RDS_GLOBALENV = 253,
	RDS_NILVALUE = 254,
	RDS_REF = 255,
	RDS_ANY = 256, /* never written: an object whose type only R would know */
};

/* Symbols that mean something here. */
enum rds_name {
	RDS_NAME_OTHER,
	RDS_NAME_NAMES,
	RDS_NAME_DIM,
	RDS_NAME_DIMNAMES,
	RDS_NAME_CLASS,
	RDS_NAME_TSP,
	RDS_NAME_BASE,
	RDS_NAME_COMPACT_INT,
	RDS_NAME_COMPACT_REAL,
	RDS_NAME_DEFERRED,
	RDS_NAME_WRAP_INT,
	RDS_NAME_WRAP_LGL,
	RDS_NAME_WRAP_REAL,
	RDS_NAME_WRAP_CPLX,
	RDS_NAME_WRAP_RAW,
	RDS_NAME_WRAP_STR,
	RDS_NAME_WRAP_LIST,
	RDS_NAME_MMAP_INT,
	RDS_NAME_MMAP_REAL,
};

/* What is kept of an object that was read. */
struct rds_value {
	enum rds_type type;
	uint64_t n;                  /* elements; of a pairlist: cells; of an environment that is open: its reference */
	enum rds_name name;          /* of a symbol */
	bool plain;                  /* written element by element, so that the following is known */
	uint64_t product;            /* of integers: of them all; UINT64_MAX when negative or too large */
	double first[RDS_FIRST_MAX]; /* of at most so many numbers */
};

/* An object that is open. */
enum rds_frame_kind {
	RDS_FRAME_CELL,    /* of a pairlist, call, closure, promise: [attributes] [tag] car cdr */
	RDS_FRAME_ITEMS,   /* so many objects, then [attributes] */
	RDS_FRAME_OWNER,   /* was read but for its attributes */
	RDS_FRAME_ENV,     /* enclosure, frame, hash table, attributes */
	RDS_FRAME_POINTER, /* protected value, tag, [attributes] */
	RDS_FRAME_SYMBOL,  /* its name */
	RDS_FRAME_NAMES,   /* of a package, namespace or persistent object: texts */
	RDS_FRAME_ALTREP,  /* class, state, attributes */
};

enum rds_part { RDS_PART_ATTRIBUTES, RDS_PART_TAG, RDS_PART_CAR, RDS_PART_CDR };

struct rds_frame {
	enum rds_frame_kind kind;
	struct rds_value value; /* what it will be */
	uint64_t at;
	uint64_t left;   /* ITEMS, NAMES: to come; ENV, POINTER, ALTREP: which one is next, from 0 */
	bool attributes; /* has some; of a CELL: they are next */
	bool tagged;
	bool is_attributes; /* CELL: this list is the attributes of the object around it */
	bool is_bindings; /* CELL: variables of an environment, or of a file of save(); ITEMS: a table of such lists */
	bool active;      /* CELL: a variable that is computed when it is looked at */
	enum rds_part part; /* CELL: which is next */
	enum rds_name tag;
	uint32_t seen;        /* CELL of attributes: known names so far; bits */
	struct rds_value dim; /* of these, if it came */
	struct rds_value cars[3], cdr;
	enum rds_name class; /* ALTREP */
};

/* What an object that can be referred to was. */
struct rds_reference {
	uint8_t type, name;
};

struct rds_walk {
	struct layout *l;
	uint64_t size;   /* bytes of the stream, or STREAM_SIZE_UNKNOWN */
	uint64_t offset; /* of the next byte */
	bool stopped;    /* memory is spent: layout_stop() was called */
	bool broken;     /* nothing more can be read; a finding says why */
	bool unsure;     /* something was not understood: a finding says so */
	bool ended;      /* the object is whole */
	/* the number being read */
	uint8_t number[8];
	unsigned have, need;
	uint8_t state; /* rds_walk.c */
	/* the run of bytes being read */
	uint64_t run; /* bytes to come */
	uint8_t run_kind;
	/* header */
	bool little_endian, is_save;
	uint32_t version;
	uint8_t encoding[8];
	unsigned encoding_n;
	bool native_utf8; /* text without a mark is UTF-8 */
	/* the object being read */
	uint64_t at;
	uint32_t flags;
	struct rds_value value;
	/* its text */
	struct utf8_stream utf8;
	bool bad_text;
	uint8_t text[RDS_TEXT_BYTES];
	size_t text_n; /* bytes in all; kept up to RDS_TEXT_BYTES */
	/* its numbers */
	struct weights weights;
	uint8_t element[16];
	unsigned element_n;
	uint64_t elements; /* so far */
	uint64_t n_vectors;
	/* the table of references */
	struct rds_reference *references;
	uint32_t n_references, references_room;
	unsigned depth;
	struct rds_frame frames[RDS_DEPTH_MAX];
};

/* -- rds.c -- */

/* Findings about the object that is being read. */
void rds_finding(struct rds_walk *w, enum wlk_finding code, const char *found);
void rds_number(struct rds_walk *w, enum wlk_finding code, uint64_t found, uint64_t allowed);
/* The same, and nothing behind it can be read. */
void rds_break(struct rds_walk *w, enum wlk_finding code, const char *found);
/* The type's name, as R has it. */
const char *rds_type_name(enum rds_type t);

/* -- rds_walk.c -- */

/* [0, w->size) is to be one file; w is zeroed but for l and size. */
void rds_walk_begin(struct rds_walk *w);
/* A feed_fn (lib/core/part.h) with the walk as its ctx.  Takes everything, so that what is behind the object is counted. */
uint64_t rds_walk_feed(void *walk, const uint8_t *at, size_t n, uint64_t offset);
/* Bytes that may still come; UINT64_MAX when nobody knows. */
uint64_t rds_left(const struct rds_walk *w);

/* -- rds_items.c -- */

/* What is to be read behind the flags of an object, or behind its elements. */
enum rds_next {
	RDS_NEXT_ITEM,
	RDS_NEXT_REFERENCE,
	RDS_NEXT_LENGTH,
	RDS_NEXT_TEXT,
	RDS_NEXT_LOCK,
	RDS_NEXT_PRIMITIVE,
	RDS_NEXT_NAMES
};

/* w->flags was read. */
enum rds_next rds_item_begin(struct rds_walk *w);
enum rds_next rds_item_reference(struct rds_walk *w, uint64_t index);
enum rds_next rds_item_environment(struct rds_walk *w);
enum rds_next rds_item_names(struct rds_walk *w, uint64_t n);
/* So many objects follow: lists and vectors of text. */
enum rds_next rds_item_vector(struct rds_walk *w, uint64_t n);
/* Its bytes were read, but for attributes that it may have. */
enum rds_next rds_item_end(struct rds_walk *w);

/* -- rds_values.c -- */

enum rds_run { RDS_RUN_TEXT, RDS_RUN_NUMBERS, RDS_RUN_SKIP };

/* The elements of w->value, n of them; false when there cannot be so many. */
bool rds_numbers_begin(struct rds_walk *w, uint64_t n);
void rds_numbers_piece(struct rds_walk *w, const uint8_t *at, size_t n);
void rds_numbers_end(struct rds_walk *w);
void rds_text_begin(struct rds_walk *w);
void rds_text_piece(struct rds_walk *w, const uint8_t *at, size_t n);
void rds_text_end(struct rds_walk *w);
/* The text that was read last, as a known name. */
enum rds_name rds_text_name(const struct rds_walk *w);

/* -- rds_attributes.c -- */

/* An attribute of the object in @owner. */
void rds_attribute_check(
    struct rds_walk *w, const struct rds_value *owner, enum rds_name name, const struct rds_value *v);
/* An element of the list of names of dimensions: the @index-th of an array with @dim. */
void rds_dimnames_check(struct rds_walk *w, const struct rds_value *dim, uint64_t index, const struct rds_value *v);
/* The text that was read last is one of the classes of an object. */
void rds_class_check(struct rds_walk *w);
/* The class and the state of an ALTREP object, which is @f; @list: the frame of the pairlist that says it, NULL when it is
 * none. */
void rds_altrep_class(struct rds_walk *w, struct rds_frame *f, const struct rds_frame *list);
void rds_altrep_state(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v, const struct rds_frame *list);

extern const struct wlk_format format_rds;
