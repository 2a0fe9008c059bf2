/* What the numbers of the metadata may be: the table is lib/judges/limits/gguf.tsv.  While keys go by only where their values lie is
 * kept; what the table asks for is read again when all are known. */
#pragma once

#include "gguf_values.h"
#include "limits_gguf.h"

#define GGUF_ARCHITECTURE_MAX 64u

/* A key of the table. */
struct gguf_limits_kept {
	uint64_t at, n;  /* the value; n: of an array its elements, of a text its bytes */
	uint64_t prefix; /* hash of what stands before the first dot; 0: the whole key is the table's */
	uint16_t key;
	uint8_t type;
	bool is_array;
};

struct gguf_limits {
	struct gguf_limits_kept *list;
	size_t n, room;
	struct bytes architecture;
	uint8_t architecture_at[GGUF_ARCHITECTURE_MAX];
	bool adapter; /* whose numbers belong to another file */
	bool tokens_known;
	uint64_t tokens;
};

/* A key was read.  kv->limit becomes its place in the table; the number of keys there when it has none. */
void gguf_limits_key(struct gguf_kv *kv, struct bytes key);
/* And its value. @n: see above.  Return: false when the arena is spent. */
bool gguf_limits_keep(struct gguf_limits *g, const struct gguf_kv *kv, uint64_t n);
void gguf_limits_architecture(struct gguf_limits *g, struct bytes name);
/* When all keys have gone by.  Return: WLK_DONE, also with findings; WLK_INCOMPLETE. */
enum wlk_status gguf_limits_check(struct gguf_limits *g, struct layout *l);
