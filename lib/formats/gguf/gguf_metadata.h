/* The metadata of a GGUF file: n_kv times key, type and value.  Read once and not kept; what the rest of the reader
 * needs of it is here. */
#pragma once

#include "gguf_limits.h"
#include "gguf_tokenizer.h"

#define GGUF_KEYS_MAX 65535u                        /* also keeps a pickle from reading the header: formats/polyglots */
#define GGUF_KEY_BYTES_MAX 65535u                   /* the format's own limit */
#define GGUF_KV_BYTES_MIN 13u                       /* a length, a byte of key, a type */
#define GGUF_STRING_BYTES_MAX ((uint64_t)64 << 20)  /* a tokenizer.json whole, many times */
#define GGUF_ARRAY_MAX ((uint64_t)1 << 24)          /* a hundred times the largest vocabulary */
#define GGUF_METADATA_BYTES_MAX ((uint64_t)1 << 30) /* keys, values and the table of tensors */

#define GGUF_ALIGNMENT_DEFAULT 32u

enum gguf_split { GGUF_SPLIT_IS_NO, GGUF_SPLIT_IS_COUNT, GGUF_SPLIT_IS_TENSORS, GGUF_N_SPLIT };

struct gguf_metadata {
	uint32_t alignment; /* 0: unusable, and a finding says why */
	bool architecture, quantization_version;
	bool imatrix;        /* its type says that it is no model */
	bool control_vector; /* its architecture says so */
	struct {
		bool seen;
		uint64_t value;
	} split[GGUF_N_SPLIT];
	bool understood; /* but for a chat template that could not be read as one */
	struct gguf_tokenizer tokenizer;
	struct gguf_limits limits;
};

/**
 * gguf_metadata_read() - all keys, from in->pos
 * Memory: 16 bytes a key, a window, two bits a token, a chat template of 1 MiB at most.  Linear time.
 * Return: WLK_DONE, also with findings; WLK_BROKEN when what follows cannot be found; WLK_INCOMPLETE.
 */
enum wlk_status gguf_metadata_read(struct layout *l, struct gguf_in *in, uint64_t n_keys, struct gguf_metadata *ret);

/* The end of the bytes was met: say so, or stop.  Return: to be passed on. */
enum wlk_status gguf_short(struct layout *l, const struct gguf_in *in);
