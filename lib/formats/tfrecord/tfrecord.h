/* TensorFlow's records, each with its length and two checksums: what TensorBoard draws (events), and examples to train with.  Data
 * and no model: nothing in them is run.  Follows docs/formats/tfrecord.md. */
#pragma once

#include "format.h"
#include "protobuf.h"

extern const struct wlk_format format_tfrecord;

/* What a record holds (tfrecord_schema.c).  Both kinds of examples in one: their fields exclude each other. */
extern const struct pb_message tfrecord_event, tfrecord_example;
