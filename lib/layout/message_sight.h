/* Is a file one message?  For formats without a signature, which are asked last: all of it is walked before the pass. */
#pragma once

#include "format.h"
#include "protobuf.h"
#include "stream.h"

/**
 * message_sight() - walk what the stream has as a message of this kind
 * @bytes_min, @bytes_max: of a file that can be one
 * The handler has seen all fields when it is true.
 * Return: false: it is no such message, or its source or memory failed: then nobody knows what it is.
 */
bool message_sight(struct layout *l, const struct stream *s, const struct pb_message *message,
    const struct pb_handler *handler, uint64_t bytes_min, uint64_t bytes_max);
