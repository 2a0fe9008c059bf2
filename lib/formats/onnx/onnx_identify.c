/* Is it an ONNX model?  There is no signature; decision 1 of formats/onnx: the outermost fields alone are read, leniently, so
 * that a broken model is told what is wrong with it.  A file of something else stops to be fields after a few bytes. */
#include "onnx.h"
#include "message_sight.h"
#include "stream.h"

/* ir_version must be a number where it is there, which tells other messages of this shape apart (a Caffe2 net). */
static const struct pb_field outline_fields[] = { { .number = 1, .kind = PB_INT64 },
	{ .number = 7, .kind = PB_BLOB, .repeated = true }, { .number = 8, .kind = PB_BLOB, .repeated = true } };
static const struct pb_message outline = { "outline", outline_fields, 3, NULL };

/* Functions and metadata, with room.  Bytes that happen to be small numbers go on for ever. */
#define OUTLINE_FIELDS_MAX (2 * (ONNX_FUNCTIONS_MAX + ONNX_METADATA_MAX))
/* None of the model's fields has a number above 26. */
#define OUTLINE_NUMBER_MAX 64u

struct sight {
	bool graph, opset;
	uint32_t fields;
};

static bool outline_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct sight *s = ctx;

	(void)at;
	(void)f;
	(void)value;
	return ++s->fields <= OUTLINE_FIELDS_MAX;
}

static bool outline_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;

	(void)at;
	(void)bytes;
	(void)n;
	s->graph = s->graph || f->number == 7;
	s->opset = s->opset || f->number == 8;
	return ++s->fields <= OUTLINE_FIELDS_MAX;
}

static bool outline_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct sight *s = ctx;

	(void)at;
	(void)found;
	if (++s->fields > OUTLINE_FIELDS_MAX || (e == PB_WIRETYPE && number == 1))
		return false;
	return e == PB_UNKNOWN ? number <= OUTLINE_NUMBER_MAX : !pb_error_is_fatal(e);
}

bool onnx_last_resort(struct layout *l, const struct stream *s)
{
	struct sight sight = { 0 };
	const struct pb_handler handler = {
		.ctx = &sight, .number = outline_number, .data = outline_data, .error = outline_error
	};

	return message_sight(l, s, &outline, &handler, 4, ONNX_SIZE_MAX) && sight.graph && sight.opset;
}
