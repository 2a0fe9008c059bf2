/* Thrift's compact protocol, read strictly by tables: each structure once, from the first byte to the last.  Follows
 * "Thrift compact protocol encoding" (thrift-compact-protocol.md).
 *
 * Fields that a table does not have, or has with another type, are walked and passed over, as every reader does; no field
 * stands there twice, and what is required must be there. */
#pragma once

#include "cursor.h"

#define THRIFT_DEPTH_MAX 16u /* formats/others, section 1: structures, lists and maps within each other */

enum thrift_type {
	THRIFT_STOP,
	THRIFT_TRUE,
	THRIFT_FALSE,
	THRIFT_I8,
	THRIFT_I16,
	THRIFT_I32,
	THRIFT_I64,
	THRIFT_DOUBLE,
	THRIFT_BINARY,
	THRIFT_LIST,
	THRIFT_SET,
	THRIFT_MAP,
	THRIFT_STRUCT,
	THRIFT_UUID,
	THRIFT_BOOL = THRIFT_TRUE, /* in tables */
};

struct thrift_field {
	uint8_t id;       /* 1 to 63 */
	uint8_t type;     /* enum thrift_type */
	uint8_t elements; /* of a list: their type */
	bool required;
	const struct thrift_struct *inner; /* of a structure, or a list of them; NULL: passed over */
};

struct thrift_struct {
	const struct thrift_field *fields;
	unsigned n;
};

/* A number, or the bytes of a text, of a field that the table has; also each element of a list of them. */
struct thrift_value {
	const struct thrift_struct *in;
	unsigned id;
	uint64_t at; /* offset in the file */
	int64_t number;
	struct bytes text;
};

struct thrift {
	struct cursor cursor;
	void *ctx;
	void (*open)(void *ctx, const struct thrift_struct *s, uint64_t at);
	void (*value)(void *ctx, const struct thrift_value *v);
	void (*close)(void *ctx, const struct thrift_struct *s, uint64_t at);
	const char *fault; /* what was wrong at the cursor; NULL: nothing */
};

/* Read one structure, up to its end.  Linear in its bytes.  Return: false: t->fault says why. */
bool thrift_read(struct thrift *t, const struct thrift_struct *root);
