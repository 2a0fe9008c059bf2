/* Requests and answers between a front and the keeper: frames on a stream socket, as bytes.  No input or output here.
 *
 * A frame is u32 bytes of payload, u16 kind, u16 status (0 in a request), u64 id, payload; little endian.  An answer has
 * kind and id of its request; answers come in the order of the requests.  What the payload is, each kind says
 * (below). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define KEEPER_HEAD 16u                           /* bytes of a frame before its payload */
#define KEEPER_PAYLOAD_MAX ((uint32_t)1200 << 10) /* bytes: the longest verdict, and a statement around it */
#define KEEPER_READ_MIN ((size_t)4 << 10)         /* bytes of room a reader offers at least */

/* What can be asked.  Numbers are between two processes of one build. */
enum keeper_kind {
	KEEPER_PING = 1, /* answered with its own payload */
	KEEPER_STORE_GET,
	KEEPER_STORE_PUT,
	KEEPER_AUDIT,
	KEEPER_SIGN,
	KEEPER_EXCEPTIONS,
	KEEPER_EXCEPT,
};

enum keeper_status {
	KEEPER_OK,
	KEEPER_NOT_FOUND,
	KEEPER_REFUSED,   /* the request is not one that may be done: it is malformed, too large, unsound */
	KEEPER_FAILED,    /* the disk or the library would not; the log says why */
	KEEPER_NO_KIND,   /* no feature of this keeper answers to it */
	KEEPER_N_ANSWERS, /* what follows never comes from a keeper, but from keeper_link.c: */
	KEEPER_LOST,      /* the keeper ended before it answered: done or not, nobody knows */
	KEEPER_LATE,      /* no answer in KEEPER_WAIT_MS: it may still be done */
};

/* Of the payloads:
 *
 * KEEPER_STORE_GET  key (STORE_KEY_BYTES)  ->  KEEPER_OK, u64 size, sha256, entry; KEEPER_NOT_FOUND; KEEPER_REFUSED when
 *                   the row was not written by this store, and is gone now
 * KEEPER_STORE_PUT  key, u64 size, sha256, entry  ->  KEEPER_OK; KEEPER_REFUSED: beyond the bounds
 * KEEPER_AUDIT      record ("{...}", audit_record_is_sound()), perhaps a newline and its text (audit_texts.h)  ->  KEEPER_OK, u64 seq, SHA-256 of the line, when it lasts;
 *                   KEEPER_REFUSED: it is no record; KEEPER_FAILED: it could not be written
 * KEEPER_EXCEPTIONS head of the list as it is known (exceptions.h)  ->  KEEPER_OK, the text of the list, which is sound;
 *                   KEEPER_NOT_FOUND: it is no other
 * KEEPER_EXCEPT     a line  ->  KEEPER_OK when it is in the list and lasts; KEEPER_REFUSED: it does not follow from what is there
 * KEEPER_SIGN       statement  ->  KEEPER_OK, key id (32 bytes), signature (64 bytes) over its DSSE encoding */
#define KEEPER_STORE_FIXED (8u + 32u) /* size and sha256, little endian */
#define KEEPER_AUDIT_ANSWER (8u + 32u)
#define KEEPER_SIGN_ANSWER (32u + 64u)

struct keeper_frame {
	uint16_t kind, status;
	uint64_t id;
	struct bytes payload;
};

/* Everything but the payload, which follows.  @f->payload.n: at most KEEPER_PAYLOAD_MAX, more is a bug. */
void keeper_frame_head(const struct keeper_frame *f, uint8_t head[KEEPER_HEAD]);

/* Bytes that have come and are not used yet.  Zeroed is ready; keeper_reader_done() frees. */
struct keeper_reader {
	uint8_t *at;
	size_t begin, end, room; /* what is in it: [begin, end) */
};

enum keeper_progress { KEEPER_NEED_MORE, KEEPER_FRAME, KEEPER_BAD };

/**
 * keeper_reader_room() - where the next bytes go
 * Views of frames given before end here.  It grows to the frame that is announced, so to no more than KEEPER_PAYLOAD_MAX
 * and a head.
 * Return: at least KEEPER_READ_MIN bytes of room, *ret_n of them; NULL without memory.
 */
uint8_t *keeper_reader_room(struct keeper_reader *r, size_t *ret_n);
/* So many have been put there. */
void keeper_reader_add(struct keeper_reader *r, size_t n);
/* The next whole frame.  @ret: its payload is a view, until keeper_reader_room() is called.
 * Return: KEEPER_BAD: it announces more than may be; there is no way on. */
enum keeper_progress keeper_reader_next(struct keeper_reader *r, struct keeper_frame *ret);
void keeper_reader_done(struct keeper_reader *r);
