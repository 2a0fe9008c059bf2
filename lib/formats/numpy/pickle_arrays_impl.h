/* Between the files that follow NumPy's arrays through a pickle; nobody else's. */
#pragma once

#include "pickle_arrays.h"
#include "records.h"

/* An object's tag is its place in the list of things, plus one, with this bit: another reader of the same events may
 * number its own objects below it. */
#define THING_TAG (UINT32_C(1) << 31)
#define PICKLE_NOT_NESTED UINT32_MAX

enum thing_kind { THING_DTYPE, THING_ARRAY };

/* How elements are written: as they are; as UTF-8 whose characters are bytes, by _codecs.encode(text, "latin1"), as
 * protocols below 3 spell bytes; as a line of text, of protocol 0. */
enum elements_form { ELEMENTS_PLAIN, ELEMENTS_TEXT, ELEMENTS_LINE };

/* A value in another one: under a key, else by its number; or (through) as the state of it, or as what it was made of. */
struct pickle_hold {
	pickle_value holder, key, held; /* PICKLE_NO_VALUE: nothing, no key */
	uint64_t index;
	bool through;
};

/* A further place of an array, and its name there: empty, if nothing leads to it. */
struct pickle_alias {
	struct pickle_alias *next;
	struct pickle_hold at;
	struct bytes name;
};

struct thing {
	enum thing_kind kind;
	struct numpy_type type; /* of a dtype; of an array, its elements' */
	bool settled, unknown;  /* of a dtype: its state says what its name says, and nothing else; its name is none */
	bool built;             /* it was given a state */
	bool own;               /* of a dtype: a copy, not the one that all of the process share */
	bool used;              /* of a dtype: something was made of it, or it is part of another */
	bool subarray;          /* of a dtype: NumPy makes dimensions of it; only fields are so */
	bool pointers;          /* then: each of its elements is an object */
	pickle_value fields;    /* of a dtype: the dictionary of its fields, and how many pairs it had */
	uint64_t n_fields;
	const struct record_type
	    *record;   /* of a type, or of an array's elements: fields that can be wrong; NULL: none */
	uint8_t *made; /* of a type of records of objects and numbers: enum wlk_dtype of each field; or NULL */
	uint32_t n_made;
	uint64_t begin, n;        /* of an array: its elements in the run; n == 0: they do not stand there */
	uint8_t form;             /* of an array whose elements are written as text: enum elements_form */
	uint64_t text_at, text_n; /* then: of the text in the run; of a line, its opcode, and 0 */
	uint64_t bytes;           /* then, or of records that stand as they are: as many as the shape asks for */
	uint32_t name_at, name_n;
	bool bounded;                /* of an array: its numbers are places in something else */
	struct pickle_bounds bounds; /* then: of all that it is used for */
	/* Of an array, for who converts: */
	struct pickle_hold at; /* where it was found first */
	struct pickle_alias *others;
	const uint64_t *shape; /* NULL: it is not known, or memory was spent */
	uint32_t rank;
	bool column_major;
};

struct pickle_arrays {
	struct layout *l;
	uint64_t origin;
	struct bytes member;
	struct thing *things;
	uint32_t n, room, n_arrays;
	uint32_t n_ended;  /* things of pickles that ended: their handles mean nothing any more */
	uint32_t n_around; /* things of the pickle around the one that is walked; PICKLE_NOT_NESTED: there is none */
	bool lists;        /* arrays are listed for who converts */
	struct pickle_hold *held;
	size_t n_held, held_room;
	uint8_t *names;
	size_t names_n, names_room;
	struct builder *builder; /* of pickle_records.c */
	uint64_t work;           /* spent on the fields of records */
	bool contradicts;        /* a state was reported */
	enum wlk_status status;
};

/* Another name for an array.  False: memory is spent. */
bool pickle_arrays_rename(struct pickle_arrays *a, struct thing *t, struct bytes name);

/* -- pickle_views.c: for who converts -- */

/* The array's dimensions, and are they in Fortran's order? */
void pickle_views_shape(
    struct pickle_arrays *a, struct thing *array, const struct pickle *p, pickle_value shape, bool column_major);
/* One whose elements stand in no extent: said to be left, or lost.  True: it has none, and is to be listed all the same. */
bool pickle_views_leave(struct pickle_arrays *a, const struct thing *t);
/* The row of the extent whose elements are those of arrays [first, first + n) of the list. */
bool pickle_views_list(struct pickle_arrays *a, struct extents *x, const struct extent *e, uint32_t first, uint32_t n);

/* The thing of a value; NULL: none. */
struct thing *pickle_thing_of(const struct pickle_arrays *a, const struct pickle *p, pickle_value v);
/* Argument i of a call, item i of a state; PICKLE_NO_VALUE: there is none. */
pickle_value pickle_arrays_arg(const struct pickle *p, const struct pickle_event *e, uint64_t i);
/* A type or an array that NumPy's writer does not make: nobody can say what it is in memory. */
void pickle_arrays_contradict(struct pickle_arrays *a, const struct pickle_event *e, const char *subject);

/* -- pickle_dtypes.c -- */

/* BUILD on a dtype. */
void pickle_dtype_build(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e);
/* STOP: have fields been added behind NumPy's back? */
void pickle_dtype_stop(struct pickle_arrays *a, struct thing *t, const struct pickle *p, const struct pickle_event *e);

/* -- pickle_records.c: t->record, or t->made, of what was found to be right -- */

void pickle_records_settle(struct pickle_arrays *a, struct thing *t, const struct pickle *p,
    const struct pickle_event *e, pickle_value names, pickle_value fields);
/* Ours, against the scan's budget: what is shared by many is looked at for each of them.  False: it is spent. */
bool pickle_records_work(struct pickle_arrays *a, uint64_t n);
/* An array of records of objects: is each number that NumPy makes of the list's a finite one? */
void pickle_records_made(struct pickle_arrays *a, const struct thing *of, const struct pickle *p,
    const struct pickle_event *e, pickle_value list);
/* Of a sub-array: so many elements. */
void pickle_records_repeat(struct pickle_arrays *a, struct thing *t, const struct thing *element,
    const struct pickle_event *e, uint64_t times);

/* -- pickle_elements.c -- */

/* Elements that do not stand in the file as they are: where they come from, or a finding.  The array's type is set. */
void pickle_elements_take(struct pickle_arrays *a, struct thing *array, const struct pickle *p,
    const struct pickle_event *e, pickle_value payload, uint64_t bytes);
/* numpy.core.multiarray.scalar(dtype, bytes) */
void pickle_elements_scalar(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e);

/* A finding at an offset of the run. */
void pickle_arrays_report(struct pickle_arrays *a, enum wlk_finding code, uint64_t offset, struct bytes subject,
    struct value found, struct value allowed);
