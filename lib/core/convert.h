/* Conversion to safetensors: what the worker that writes and the program that asked for it agree on.  The worker copies
 * elements and executes nothing; which tensors it promises, it says as rows of the manifest: one each in the order of
 * the output, with a digest where the bytes were written in one run, and mappings: a name that is another name of a
 * tensor (file: that one's), or something that was left behind (no file; begin is an enum convert_reason). */
#pragma once

#include "bytes.h"
#include "dtype.h"
#include "ranges.h"

/* Why there is no output, or something is not in it.  X(id, text). */
#define CONVERT_REASONS(X)                                                                          \
	X(NONE, "")                                                                                 \
	X(FORMAT, "files of this format are not converted yet")                                     \
	X(BROKEN, "its structure is not sound, so nobody can say what its tensors are")             \
	X(EMPTY, "it has no tensors")                                                               \
	X(UNLISTED, "not all of its tensors can be listed")                                         \
	X(UNNAMED, "a tensor has no name that a state dict would give it, or one that is too long") \
	X(NAME, "a name that safetensors does not allow")                                           \
	X(COLLISION, "two tensors would have this name")                                            \
	X(TYPE, "an element type that safetensors does not have")                                   \
	X(SHAPE, "shape and bytes do not agree, or elements are records")                           \
	X(KIND, "not a plain tensor: sparse, quantised, conjugated, or without elements")           \
	X(HEADER, "the names and shapes need a larger header than safetensors allows")              \
	X(QUOTA, "its tensors take far more room than its bytes: views that overlap or repeat")     \
	X(UNREAD, "bytes of a tensor belong to something else too, or were not read")               \
	X(PIECES, "elements that stand in pieces, in no run of bytes")                              \
	X(WRITE, "the output could not be written")                                                 \
	X(NO_TENSOR, "no tensor")                                                                   \
	X(UNUSED, "elements that no tensor shows")

enum convert_reason {
#define X(id, text) CONVERT_##id,
	CONVERT_REASONS(X)
#undef X
	    CONVERT_N_REASONS
};

/* What the header of every output begins with, behind its length: both values are of fixed length, and filled in by who
 * asked, once the worker has ended: only then they are known. */
#define CONVERT_PREAMBLE_AT 8u
#define CONVERT_PREAMBLE_SHA256 "{\"__metadata__\":{\"source_sha256\":\""
#define CONVERT_PREAMBLE_VERDICT "\",\"source_verdict\":\""
#define CONVERT_VERDICT_BYTES 6u /* accept, review, reject */
#define CONVERT_LEFT_MAX 1000u   /* things left behind that are listed by name */

/* A tensor as a loader makes it of elements that stand in the file in another order, or among others'. */
struct tensor_view {
	const struct tensor_view *next; /* of the same elements */
	struct bytes name;
	enum wlk_dtype dtype; /* NONE: there is no tensor, see tensor_view_none */
	uint64_t offset;      /* elements */
	unsigned rank;
	const uint64_t *shape, *stride; /* stride in elements */
};

/* A tensor whose elements stand in several runs: each is an extent with EXTENT_PIECE and the row's index.  One that is as long as
 * the box holds a box of the tensor, row by row; a shorter one elements that are neighbours. */
struct tensor_pieces {
	struct ranges at;      /* as the extents are, in order; index: of the piece, in first */
	const uint64_t *first; /* element of the tensor that it begins with */
	const uint64_t *box;   /* dimensions of a box, as many as the row has */
};

/* Instead of a list: elements that no tensor shows. */
extern const struct tensor_view tensor_view_none;
