/* The shards an index names: each distinct name once, judged when all are known.  Rules 1, 2, 4, 5 and 15 of
 * formats/safetensors-index. */
#pragma once

#include "intern.h"
#include "json_header.h"

struct index_shards {
	struct json_header *h; /* borrowed */
	struct intern names;   /* value[0]: the first key that maps to it, value[1]: where that key's value stands */
	const struct header_keys *keys; /* borrowed: the tensors */
	struct json_text last;          /* the name added last: most entries repeat it */
};

enum shard_name { SHARD_NAME_PLAIN, SHARD_NAME_ODD, SHARD_NAME_LEAVES };

/* What the name of a shard would do to a loader that joins it to a folder (rule 1). */
enum shard_name index_shard_name(struct bytes name);

void index_shards_init(struct index_shards *s, struct json_header *h, const struct header_keys *keys);

/**
 * index_shards_add() - the tensor of the last key is in this file
 * Return: false when the arena is spent.
 */
bool index_shards_add(struct index_shards *s, const struct json_text *file);

/**
 * index_shards_check() - once all are added
 * @family: SAFETENSORS_INDEX or SHARD_INDEX when the index's name says so, else found out.
 * Return: false when the arena is spent.
 */
bool index_shards_check(struct index_shards *s, enum wlk_format_id *family);
