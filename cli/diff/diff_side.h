/* One side of a comparison: all tensors of a file, or of the files of a folder, whichever of them they are in.
 *
 * Memory: 24 bytes a tensor, DIFF_TENSORS_MAX of them at most; names, shapes, digests and statistics lie in a memfd and are read
 * again. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "manifest.h"
#include "siphash.h"
#include "window.h"

#define DIFF_TENSORS_MAX ((size_t)16 << 20) /* a side; four times what one file can list */

/* What became of a tensor when the sides were laid beside each other. */
enum diff_mark {
	DIFF_MATCHED = 1, /* the other side has it */
	DIFF_DTYPE = 2,   /* and this differs */
	DIFF_SHAPE = 4,
	DIFF_BYTES = 8,
	DIFF_UNKNOWN = 16, /* its name or the digest of its bytes is not known whole */
	DIFF_TWICE = 32,   /* the name occurs again on one of the sides */
};
#define DIFF_CHANGED (DIFF_DTYPE | DIFF_SHAPE | DIFF_BYTES)

#define SIDE_AT_MAX ((UINT64_C(1) << 56) - 1) /* DIFF_TENSORS_MAX of the largest rows are far below */

struct side_item {
	uint64_t hash; /* of the name */
	uint64_t at : 56;
	uint64_t marks : 8; /* enum diff_mark */
	uint64_t other;     /* .at of the other side's, when matched */
};

struct side {
	const char *path; /* as given */
	struct siphash_key key;
	int fd; /* of the rows */
	uint64_t bytes;
	uint8_t *block; /* what is not written yet */
	size_t block_n;
	struct side_item *items; /* in the order of the inputs */
	size_t n, room;
	json_t *files;            /* those with tensors, and those that could not be judged: as they are printed */
	size_t n_others;          /* files without tensors */
	enum verdict_value worst; /* of .files */
	bool incomplete;          /* not all tensors are known */
};

/* A tensor as it was kept. */
struct side_tensor {
	struct manifest_row row; /* views of .buf */
	uint32_t file;           /* index into side.files */
	bool has_sha256, has_stats;
	uint8_t sha256[32];
	struct tensor_stats stats;
	uint8_t buf[MANIFEST_ROW_MAX];
};

/* @path: borrowed until side_done(), which may be called in any case.  Return: 0 or negative errno. */
int side_init(struct side *s, const char *path, const struct siphash_key *key);
void side_done(struct side *s);

/* What is to be remembered of a verdict: the file as it is printed.  NULL without memory. */
json_t *side_note(const struct task *t);
/* One file that was judged, in the order of the inputs: its rows are added.  Return: 0 or negative errno; -E2BIG: too many
 * tensors. */
int side_add(struct side *s, const struct slot *slot);
/* All files are there.  Return: 0 or negative errno. */
int side_end(struct side *s);

/* The tensor kept at @at.  Return: 0 or negative errno. */
int side_read(const struct side *s, uint64_t at, struct side_tensor *ret);
