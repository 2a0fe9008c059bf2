/* MessagePack, read as strictly as its wire format allows: a push parser with an explicit stack.  Follows
 * formats/flax-msgpack, section 2 and rules 1, 5, 6 and 7.
 *
 * The walker never goes back and needs no memory but its own (3 KiB); payloads of text, bytes and extensions are skipped,
 * handed on in pieces, or, of an extension, entered: then they are objects again, and end with the payload.  It knows no
 * format: errors are numbers, and who calls it gives them codes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MSGPACK_DEPTH_MAX 64u /* arrays, maps and entered extensions in each other (rule 5) */

enum msgpack_kind {
	MSGPACK_NIL,
	MSGPACK_BOOL,
	MSGPACK_INT,
	MSGPACK_FLOAT32,
	MSGPACK_FLOAT64,
	MSGPACK_STR,
	MSGPACK_BIN,
	MSGPACK_EXT,
	MSGPACK_ARRAY,
	MSGPACK_MAP,
	MSGPACK_NEVER, /* the byte that stands for nothing */
};

struct msgpack_object {
	enum msgpack_kind kind;
	uint64_t offset; /* of its first byte */
	unsigned depth;  /* containers around it; 0: the outermost object */
	bool is_key;     /* of a map */
	/* Of scalars: the value; of an integer as two's complement, and whether it is below zero; of floats the bits. */
	uint64_t value;
	bool negative;
	uint64_t n;       /* bytes of the payload of STR, BIN and EXT; items of an ARRAY, pairs of a MAP */
	uint64_t payload; /* where that begins; of scalars: where the value does */
	int8_t type;      /* of EXT */
};

enum msgpack_error {
	/* After these nothing can be read any more; within an entered extension: nothing up to its end. */
	MSGPACK_TRUNCATED, /* found: bytes it needs */
	MSGPACK_COUNT,     /* a container of more objects than there are bytes left; found: how many */
	MSGPACK_BAD_BYTE,  /* the one that is never used */
	MSGPACK_DEPTH,     /* found: how deep */
	MSGPACK_TRAILING,  /* bytes behind the only object; found: how many */
	/* After this it goes on. */
	MSGPACK_LONGER, /* than its shortest form; found: the first byte */
	MSGPACK_N_ERRORS
};

/* What to do with a payload. */
enum msgpack_take {
	MSGPACK_SKIP,
	MSGPACK_PIECES, /* piece() gets it, then data_end() is called */
	MSGPACK_ENTER,  /* of EXT: one object, which ends where the payload does */
	MSGPACK_STOP,   /* the walk ends here */
};

/**
 * What the caller is told.  A function that returns false ends the walk (msgpack_walker.stopped), which is how a limit or
 * spent memory ends it.  All of them must be there but piece() and data_end() when nothing is taken in pieces.
 */
struct msgpack_handler {
	void *ctx;
	bool (*scalar)(void *ctx, const struct msgpack_object *o);
	/* A container begins, or has been read to its end: the one that stands at @depth. */
	bool (*open)(void *ctx, const struct msgpack_object *o);
	bool (*close)(void *ctx, unsigned depth, uint64_t offset);
	enum msgpack_take (*data)(void *ctx, const struct msgpack_object *o);
	/* Some bytes of the payload.  Return: as feed_fn (lib/core/part.h): the offset of the next byte it wants. */
	uint64_t (*piece)(void *ctx, const uint8_t *at, size_t n, uint64_t offset);
	bool (*data_end)(void *ctx);
	/* @offset: of the object.  @inside: an extension that was entered, whose close() follows. */
	bool (*error)(void *ctx, enum msgpack_error e, uint64_t offset, bool inside, uint64_t found);
};

struct msgpack_frame {
	uint64_t left; /* objects to come: of a map, keys and values */
	uint64_t end;  /* nothing of it may reach beyond */
	uint8_t kind;  /* ARRAY, MAP, EXT; the outermost one, which is the file, is EXT too */
};

/* Private but for `stopped`, `broken` and `offset`. */
struct msgpack_walker {
	const struct msgpack_handler *handler;
	bool stopped; /* by the handler */
	bool broken;  /* by an error outside of entered extensions */
	uint64_t offset;
	unsigned depth;
	struct msgpack_frame frames[MSGPACK_DEPTH_MAX + 1];
	uint8_t state;
	/* the object being read */
	struct msgpack_object object;
	uint8_t first;
	unsigned missing; /* bytes of its number */
	uint64_t number;
	/* its payload */
	uint64_t payload_end, wanted;
	bool pieces;
};

/* @size: [0, size) is to be one object.  @h: borrowed.  The walker is the caller's memory. */
void msgpack_begin(struct msgpack_walker *w, uint64_t size, const struct msgpack_handler *h);

/* A feed_fn (lib/core/part.h) with the walker as its ctx. */
uint64_t msgpack_feed(void *walker, const uint8_t *at, size_t n, uint64_t offset);

/* After the last feed.  Return: true when all of it was one object; false after a fatal error (which was told), when the
 * handler stopped, or when bytes are missing. */
bool msgpack_finish(struct msgpack_walker *w);
