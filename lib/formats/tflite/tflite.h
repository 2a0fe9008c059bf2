/* The TensorFlow Lite reader's own parts.  tflite.c the model and what its bytes are, tflite_tensors.c buffers and tensors,
 * tflite_sparse.c sparse ones, tflite_operators.c operators and the subgraphs they call, tflite_files.c the archive behind
 * the model, tflite_schema.c the tables.  Follows formats/savedmodel, section 6, which is docs/formats/tflite.md. */
#pragma once

#include "call_graph.h"
#include "format.h"
#include "tflite_schema.h"

struct zip;

struct tflite_buffer {
	uint64_t begin, end; /* end 0: empty */
	uint32_t extent;     /* in the reader's own list */
	bool used;           /* a tensor or metadata names it */
};

/* A tensor, for the operators of its subgraph. */
struct tflite_seen {
	uint64_t shape_at, signature_at;
	uint32_t rank, n_signature, buffer;
	uint8_t type;
	bool constant; /* it has data */
	bool variable, scaled, empty;
	bool written; /* by an operator that was read, or by the caller */
};

struct tflite_limits;

struct tflite {
	struct layout *l;
	struct extents claims; /* of the model; they become the layout's when all of them are known */
	struct fb fb;
	struct tflite_buffer *buffers;
	uint32_t n_buffers;
	bool *flex;               /* of each operator code */
	uint32_t *builtin;        /* likewise: the code */
	struct tflite_seen *seen; /* tensors of this subgraph */
	uint32_t n_seen;
	struct tflite_limits *limits;
	bool *caller; /* likewise: its options say which subgraphs it runs */
	uint32_t n_codes;
	uint32_t *n_tensors; /* of each subgraph */
	uint32_t n_subgraphs, subgraph;
	struct call_edge *calls; /* of subgraphs */
	uint32_t n_calls, calls_room;
	uint8_t *names; /* of tensors with data */
	size_t names_n, names_room;
	uint32_t n_listed; /* tensors with data */
	uint32_t n_left;   /* tables that nothing refers to */
	bool files;        /* metadata says that files are behind the model */
	bool broken;       /* something is not understood, or can be understood in two ways */
	struct zip *zip;   /* of those files */
};

/* A finding; those that leave in doubt what a reader makes of the model keep the scan from being complete. */
void tflite_tell(struct tflite *t, enum wlk_finding code, uint64_t at, struct bytes subject);
void tflite_value(struct tflite *t, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed);
/* The beginning of a string field. */
bool tflite_text(
    struct tflite *t, const struct fb_table *table, unsigned field, uint8_t *buf, size_t room, struct bytes *ret);

/* All of these return false when nothing more can be read: t->fb.failed. */
bool tflite_read_buffers(struct tflite *t, const struct fb_table *model);
/* When tensors and metadata are read: data that nothing names. */
bool tflite_check_unused(struct tflite *t, const struct fb_table *model);
/* All tensors of a subgraph. */
bool tflite_read_tensors(struct tflite *t, const struct fb_table *subgraph);
/* @shape: of the dense tensor.  *ret_n: the values that are stored; nothing when the indices contradict themselves. */
bool tflite_read_sparsity(
    struct tflite *t, uint64_t at, const uint64_t *shape, unsigned rank, uint64_t *ret_n, bool *ret_sound);
bool tflite_read_codes(struct tflite *t, const struct fb_table *model);
bool tflite_read_operators(struct tflite *t, const struct fb_table *subgraph);
/* Once, and then each operator in order. */
bool tflite_limits_begin(struct tflite *t);
bool tflite_limits_check(struct tflite *t, uint32_t code, const struct fb_table *o);
bool tflite_check_calls(struct tflite *t);
/* Every index of a vector of them is below n; the first `least` of negative ones is allowed. */
bool tflite_check_indices(struct tflite *t, const struct fb_table *table, unsigned field, uint32_t n, int32_t least);

/* The archive behind the model, which ends at `end`.  Into the layout's extents, which are empty.  *ret_at: where it begins;
 * the end of the file without one. */
enum wlk_status tflite_read_files(struct tflite *t, uint64_t end, uint64_t *ret_at);

extern const struct wlk_format format_tflite;
