/* The Parquet reader's own parts: parquet.c the file, its chunks and what they claim; parquet_schema.c the Thrift tables, the
 * schema tree and the Arrow schema that writers embed.  Follows docs/formats/parquet.md. */
#pragma once

#include "format.h"
#include "thrift.h"

#define PARQUET_SCHEMA_DEPTH_MAX 128u /* readers recurse over the tree */

extern const struct thrift_struct parquet_file, parquet_element, parquet_group, parquet_column, parquet_meta,
    parquet_pair, parquet_crypto;

enum {
	FILE_VERSION = 1,
	FILE_SCHEMA,
	FILE_ROWS,
	FILE_GROUPS,
	FILE_PAIRS,
	FILE_CREATED_BY,
	FILE_ORDERS,
	FILE_ENCRYPTION
};
enum { ELEMENT_TYPE = 1, ELEMENT_LENGTH, ELEMENT_REPETITION, ELEMENT_NAME, ELEMENT_CHILDREN, ELEMENT_CONVERTED };
enum { GROUP_COLUMNS = 1, GROUP_BYTES, GROUP_ROWS };
enum {
	COLUMN_PATH = 1,
	COLUMN_OFFSET,
	COLUMN_META,
	COLUMN_OFFSETS_AT,
	COLUMN_OFFSETS_BYTES,
	COLUMN_INDEX_AT,
	COLUMN_INDEX_BYTES,
	COLUMN_CRYPTO,
	COLUMN_ENCRYPTED
};
enum {
	META_TYPE = 1,
	META_CODEC = 4,
	META_VALUES,
	META_BYTES = 7,
	META_DATA_AT = 9,
	META_DICTIONARY_AT = 11,
	META_BLOOM_AT = 14,
	META_BLOOM_BYTES = 15
};
enum { PAIR_KEY = 1, PAIR_VALUE };

/* The tree of fields, which stands as a list: children behind their parent. */
struct parquet_tree {
	uint32_t left[PARQUET_SCHEMA_DEPTH_MAX]; /* children still to come, of each that is open */
	unsigned depth;
	bool begun;
	uint64_t leaves;
	bool typed; /* the element at hand: has a type, and so many children */
	int64_t children;
};

/* The element at hand ends here.  Return: false: there is no place for it. */
bool parquet_tree_add(struct parquet_tree *t);

/* A schema of Arrow, in base64: what does it make a reader load?  Findings have the offset @at.
 * Return: false: no memory (told). */
bool parquet_check_arrow(struct layout *l, struct bytes base64, uint64_t at, bool *ret_sound);
