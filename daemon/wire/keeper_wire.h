/* Requests and answers between a front and the keeper: frames on a stream socket, as bytes.  No input or output here.
 *
 * A frame is u32 bytes of payload, u16 kind, u16 status (0 in a request), u64 id, payload; little endian.  An answer has
 * kind and id of its request; answers come in the order of the requests.  What the payload is, each kind says
 * (keeper.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define KEEPER_HEAD 16u                           /* bytes of a frame before its payload */
#define KEEPER_PAYLOAD_MAX ((uint32_t)1200 << 10) /* bytes: the longest verdict, and a statement around it */
#define KEEPER_READ_MIN ((size_t)4 << 10)         /* bytes of room a reader offers at least */

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
