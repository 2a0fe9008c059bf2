/* Is the whole file a protobuf message, an ONNX model or a SavedModel?  Walked while the pass goes by, once for each.  The
 * wire format alone: tags, lengths, groups; of the fields only those that lead to the nodes, because they have to be
 * messages too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTOBUF_DEPTH_MAX 100u /* groups and messages that readers nest: deeper is refused by all of them */

enum protobuf_state { PROTOBUF_TAG, PROTOBUF_VALUE, PROTOBUF_LENGTH, PROTOBUF_DEAD };

struct protobuf_open {
	uint64_t end;   /* of the field around it */
	uint32_t group; /* field number of the group that is open; 0: a message that ends at `end` */
};

struct protobuf_walk {
	uint64_t size, next; /* of the file; offset of the byte it wants */
	uint64_t end;        /* where the message at work ends */
	enum protobuf_state state;
	uint64_t value; /* of the varint at work */
	unsigned shift;
	uint32_t field; /* whose value or length that is */
	struct protobuf_open open[PROTOBUF_DEPTH_MAX];
	unsigned depth;
	bool saved; /* it is walked as a SavedModel */
	/* ONNX: fields 7 and 8 of the file's own message, length-delimited.  SavedModel: a graph in a meta graph, and a node
	 * in it. */
	bool graph, second;
};

void protobuf_walk_begin(struct protobuf_walk *w, uint64_t size, bool saved);
void protobuf_walk_feed(struct protobuf_walk *w, const uint8_t *at, size_t n, uint64_t offset);
/* Everything was fed: is it a whole message with a graph and what makes it one? */
bool protobuf_walk_is_model(const struct protobuf_walk *w);
