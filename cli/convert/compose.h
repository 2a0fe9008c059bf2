/* What workers have written, put together anew: the tensors of several files as one, or cut into shards.  The command copies
 * bytes here and understands none: names, types and shapes are those that the workers promised, and so are the digests that
 * another worker compares with what is in each output in the end. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensor_rows.h"

/* An output of a worker that converted; or (ranges) a file of which rows say where their tensors begin. */
struct compose_source {
	const struct tensor_rows *rows; /* what is promised of it; borrowed; NULL: nothing */
	bool ranges;
	int fd;
	uint64_t size;
	const char *sha256, *verdict; /* of its source */
	struct bytes framework;       /* may be empty */
};

#define COMPOSE_OUTPUTS_MAX 1000u

struct compose;

/**
 * compose_new() - who comes where
 * @shard_bytes: of the tensors of an output at most, unless it has a single one; 0: all of them are in one.
 * @sources: borrowed, with all they point to.
 * Return: 0; -EEXIST: two sources have the same name, which is in *ret_name (malloc()ed); -EBADMSG: a source is not what was
 * promised; -ENODATA: there is no tensor; -E2BIG: more outputs than COMPOSE_OUTPUTS_MAX; other negative errno.
 */
int compose_new(
    const struct compose_source *sources, size_t n, uint64_t shard_bytes, struct compose **ret, char **ret_name);
void compose_free(struct compose *c); /* NULL is fine */

size_t compose_outputs(const struct compose *c);
/* Output number @i to @fd, and what was promised of it to a new list, which is the caller's. */
int compose_write(struct compose *c, size_t i, int fd, struct tensor_rows **ret_rows);
/* The index of all outputs, by their names (transformers' model.safetensors.index.json); NULL without memory. */
json_t *compose_index(const struct compose *c, const char *const *names);
