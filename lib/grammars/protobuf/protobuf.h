/* Protocol buffers, read as strictly as their wire format allows: a push parser over tables that say which fields a
 * message may have.  Follows formats/onnx, section 2 (rules W1 to W14), which is the whole wire format.
 *
 * Lenient readers keep what they do not expect as "unknown fields", let a later value win, and merge messages given
 * twice; each of these lets one file be two models.  So here every byte belongs to a field of the table, once.
 *
 * The walker never goes back, needs no memory but its own (about 70 KiB), and skips payloads nobody wants to read: a
 * tensor of a gigabyte costs its tag.  It knows no format: errors are numbers, and who calls it gives them codes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "utf8.h"

#define PB_DEPTH_MAX 64u      /* messages in messages, W12: the protobuf default is 100 */
#define PB_COLLECT_MAX 65536u /* bytes of a string or blob that are gathered; of longer ones the beginning */
#define PB_FIELDS_MAX 192u    /* of one message's table: Core ML has 158 kinds of layer */
#define PB_BLOB_SMALL 16u     /* bytes of a blob that is gathered: one element of any type */

/* What a field holds, and how its payload comes. */
enum pb_kind {
	PB_INT64,   /* varint: any; int64, uint64 */
	PB_INT32,   /* varint that fits 32 bits; a negative one is written as 64 */
	PB_UINT32,  /* varint below 2^32 */
	PB_ENUM,    /* as PB_INT32 */
	PB_BOOL,    /* varint 0 or 1 */
	PB_FIXED32, /* float, fixed32 */
	PB_FIXED64, /* double, fixed64 */
	PB_STRING,  /* UTF-8 without control characters, gathered */
	PB_TEXT,    /* UTF-8 that may have tabs and line ends; gathered */
	PB_BYTES,   /* anything, gathered */
	PB_BLOB, /* anything, skipped: the handler learns where it is, and of PB_BLOB_SMALL bytes or fewer what it is */
	PB_MESSAGE, /* by its table */
	PB_OPAQUE,  /* a message without a table: its fields must be sound on the wire, and nobody learns of them */
};

struct pb_message;

struct pb_field {
	uint32_t number; /* ascending in a table */
	uint8_t kind;
	bool repeated;
	bool
	    in_place; /* repeated fixed32 or fixed64: when packed, the handler learns where the run is (data()) instead of
	                 * getting every number */
	uint8_t oneof; /* fields of one message with the same number above 0 exclude each other; below 32 */
	const struct pb_message *message; /* of PB_MESSAGE */
};

struct pb_message {
	const char *name;
	const struct pb_field *fields;
	size_t n_fields;
	const uint32_t *reserved; /* numbers that were used once (W8), ended by 0; may be NULL */
};

enum pb_error {
	/* After these nothing can be read any more. */
	PB_VARINT,    /* W1: longer than ten bytes, or beyond 64 bits */
	PB_TAG,       /* W3: field number 0 or above 2^29-1, or wire type 6, 7 */
	PB_GROUP,     /* W5 */
	PB_TRUNCATED, /* W6: longer than what it is in; found: bytes it needs */
	PB_DEPTH,     /* W12 */
	/* After these it goes on. */
	PB_OVERLONG,       /* W2: a tag or length not in its shortest form */
	PB_OVERLONG_VALUE, /* W2: a value likewise */
	PB_WIRETYPE,       /* W4: the field is passed over */
	PB_UNKNOWN,        /* W7; found: its length, 0 when it is a number */
	PB_RESERVED,       /* W8 */
	PB_DUPLICATE,      /* W9 */
	PB_ONEOF,          /* W10 */
	PB_UTF8,           /* W11 */
	PB_CONTROL,        /* W11 */
	PB_RANGE,          /* W13; found: the value */
	PB_PACKED,         /* a packed run that is no whole number of items */
	PB_N_ERRORS
};

static inline bool pb_error_is_fatal(enum pb_error e)
{
	return e <= PB_DEPTH;
}

/* Where an event happens. */
struct pb_place {
	const struct pb_message *message; /* in which */
	unsigned depth;                   /* 0: the outermost message */
	uint64_t offset;                  /* of the payload; of an error: of the tag */
};

/**
 * What the caller is told.  Every function may be NULL (nothing to say) and may return false: the walk ends there
 * (pb_walker.stopped), which is how a limit or spent memory ends it.
 */
struct pb_handler {
	void *ctx;
	/* A message begins, of n bytes, or has been read to its end. */
	bool (*begin)(void *ctx, const struct pb_place *at, const struct pb_field *field, uint64_t n);
	bool (*end)(void *ctx, const struct pb_place *at, const struct pb_field *field);
	/* A number of any kind; of fixed ones the bits. */
	bool (*number)(void *ctx, const struct pb_place *at, const struct pb_field *field, uint64_t value);
	/* A string, bytes (@bytes: at most PB_COLLECT_MAX of the n), a large blob or a packed run in place (@bytes: none). */
	bool (*data)(
	    void *ctx, const struct pb_place *at, const struct pb_field *field, struct bytes bytes, uint64_t n);
	/* @number: of the field.  Fatal ones end the walk anyway. */
	bool (*error)(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found);
};

struct pb_frame {
	const struct pb_message *message; /* NULL: opaque */
	const struct pb_field *field;     /* by which it was entered */
	uint64_t end;
	uint64_t seen[PB_FIELDS_MAX / 64]; /* bit i: field i of the table came */
	uint32_t oneofs;                   /* bit i: one of group i came */
};

/* Private but for `stopped`, `broken` and `offset`. */
struct pb_walker {
	const struct pb_handler *handler;
	bool stopped; /* by the handler */
	bool broken;  /* by a fatal error */
	uint64_t offset;
	unsigned depth;
	struct pb_frame frames[PB_DEPTH_MAX];
	uint8_t state;
	/* the field being read */
	uint64_t tag_at;
	uint32_t number;
	uint8_t wire;
	const struct pb_field *field; /* NULL: passed over */
	bool packed;
	uint64_t payload_at, payload_n, payload_end;
	uint64_t value; /* varint or fixed number so far */
	unsigned shift;
	struct utf8_stream utf8;
	bool not_utf8, control;
	size_t collected;
	uint8_t buffer[PB_COLLECT_MAX];
};

/* @root: what [0, size) is.  @h: borrowed.  The walker is the caller's memory; large: in the arena. */
void pb_begin(struct pb_walker *w, const struct pb_message *root, uint64_t size, const struct pb_handler *h);

/* A feed_fn (lib/core/part.h) with the walker as its ctx. */
uint64_t pb_feed(void *walker, const uint8_t *at, size_t n, uint64_t offset);

/* After the last feed.  Return: true when all of it was read as messages of the table; false after a fatal error (which
 * was told), when the handler stopped, or when bytes are missing. */
bool pb_finish(struct pb_walker *w);

/* The place of a field in its table; what a handler keeps arrays by. */
static inline size_t pb_field_index(const struct pb_message *m, const struct pb_field *f)
{
	return (size_t)(f - m->fields);
}
