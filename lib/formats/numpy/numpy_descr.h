/* NumPy's types: the text of a `descr`, as it stands in .npy headers, in pickled dtypes and in joblib's wrappers.
 * Follows formats/npy, section 3, "Type strings". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "dtype.h"
#include "python_literal.h"

#define NUMPY_FIELDS_MAX 4096
#define NUMPY_FIELD_NAME_MAX 256u /* of a joined name: longer ones are cut */
#define NUMPY_DEPTH_MAX 8
#define NUMPY_ITEM_BYTES_MAX ((uint64_t)INT32_MAX) /* NumPy's own limit */
#define NUMPY_DIMENSIONS_MAX 64

/* What a strict reader objects to in a type that loads; bits of numpy_type.notes. */
enum numpy_note {
	NUMPY_NATIVE = 1u << 0,       /* = or no byte order: means something else on another machine */
	NUMPY_NONCANONICAL = 1u << 1, /* a name or a comma list instead of a type string; |f4; a field without a name */
	NUMPY_ENDIAN_I1 = 1u << 2,    /* <i1: a byte has no order */
	NUMPY_LONG_DOUBLE = 1u << 3,  /* f12, f16, c24, c32: another type on other platforms */
	NUMPY_VOID = 1u << 4,         /* V: bytes that say nothing of themselves */
};

/* One element of a plain type, or one field of a structured one. */
struct numpy_type {
	enum wlk_dtype dtype; /* NONE: nothing to check, or a structure */
	char kind;            /* NumPy's letter: b i u f c S U V M m O; '{' for a structure */
	bool big_endian;
	bool object; /* it, or any field of it, is a Python object: the data is a pickle */
	unsigned notes;
	uint64_t bytes; /* of one element; 0 is legal (|S0) */
};

struct numpy_field {
	struct bytes name; /* decoded, nested ones joined by '.', at most NUMPY_FIELD_NAME_MAX bytes */
	uint32_t place;    /* in the text: fields that a sub-array of structures repeats share it */
	uint64_t offset;   /* in the record, bytes */
	struct numpy_type type;
	uint64_t count; /* elements, all sub-array dimensions multiplied */
};

/* A `descr`: a plain type, or a record of fields in order of their offsets. */
struct numpy_record {
	struct numpy_type type; /* of the whole: bytes, object, notes of all */
	struct numpy_field *fields;
	size_t n_fields; /* 0: a plain type, or a structure without fields: type.kind tells */
};

enum numpy_error {
	NUMPY_OK,
	NUMPY_SYNTAX,    /* not a descr */
	NUMPY_UNKNOWN,   /* a type string outside the grammar */
	NUMPY_DUPLICATE, /* a field name or title twice */
	NUMPY_TOO_LARGE, /* an item above NUMPY_ITEM_BYTES_MAX, too many fields, nested too deeply */
	NUMPY_MEMORY,
};

/**
 * numpy_type_of_text() - a type string such as "<f4", "|O", ">U12"
 * Return: NUMPY_OK, NUMPY_UNKNOWN or NUMPY_TOO_LARGE.
 */
enum numpy_error numpy_type_of_text(struct bytes text, struct numpy_type *ret);

/* A type by its class name, as pickled by NumPy 1.25 and later ("Float32DType") or as an attribute ("float32"). */
enum numpy_error numpy_type_of_name(struct bytes name, struct numpy_type *ret);

/**
 * numpy_record_read() - the value of 'descr': a type string or a list of fields
 * (Fields may be (descr, shape).  As the type of a whole array NumPy refuses those, for the shapes do not agree.)
 * @l: stands on its first token, and behind it afterwards.
 */
enum numpy_error numpy_record_read(struct literal *l, struct numpy_record *ret);

/* A tuple of dimensions or, where a single one is allowed, a number. */
struct numpy_shape {
	unsigned n;
	uint64_t dims[NUMPY_DIMENSIONS_MAX];
	uint64_t count;   /* product; 1 without dimensions */
	uint64_t nonzero; /* the product, zeros left out: NumPy refuses what overflows by it */
	bool too_many;    /* more than NUMPY_DIMENSIONS_MAX: the rest is not in dims */
	bool invalid;     /* a negative dimension or a bool: loads as something else, or not at all */
	bool overflow;    /* `nonzero` is above 2^63-1 */
};
/* @l: stands on its first token, and behind it afterwards.  Return: false when it is no shape at all. */
bool numpy_shape_read(struct literal *l, bool allow_int, struct numpy_shape *ret);
