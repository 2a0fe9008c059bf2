/* The metadata keys that loaders know, and what a key may look like.  Follows "Standardized key-value pairs" of ggml's
 * docs/gguf.md and llama.cpp's constants; rules are those of docs/formats/gguf.md. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

#define GGUF_VALUE_TYPES(X)       \
	X(U8, "u8", 0, 1)         \
	X(I8, "i8", 1, 1)         \
	X(U16, "u16", 2, 2)       \
	X(I16, "i16", 3, 2)       \
	X(U32, "u32", 4, 4)       \
	X(I32, "i32", 5, 4)       \
	X(F32, "f32", 6, 4)       \
	X(BOOL, "bool", 7, 1)     \
	X(STRING, "string", 8, 0) \
	X(ARRAY, "array", 9, 0)   \
	X(U64, "u64", 10, 8)      \
	X(I64, "i64", 11, 8)      \
	X(F64, "f64", 12, 8)

enum gguf_value_type {
#define X(name, printed, id, bytes) GGUF_##name = (id),
	GGUF_VALUE_TYPES(X)
#undef X
	    GGUF_N_VALUE_TYPES
};

/* Bytes of a value; 0 for strings and arrays. */
unsigned gguf_value_bytes(enum gguf_value_type type);

/* "u32"; of an array, by the type of its elements, "u32[]". */
const char *gguf_value_name(enum gguf_value_type type, bool is_array);

/* A set of types: a bit for each scalar, and one for an array of each. */
#define GGUF_SCALAR(type) (1u << (type))
#define GGUF_ARRAY_OF(type) (1u << (16 + (type)))

/* What the reader does with a key beyond checking its type. */
enum gguf_role {
	GGUF_PLAIN,
	GGUF_ARCHITECTURE,
	GGUF_TYPE, /* general.type */
	GGUF_ALIGNMENT,
	GGUF_QUANTIZATION_VERSION,
	GGUF_TOKENS,
	GGUF_SCORES,
	GGUF_TOKEN_TYPE,
	GGUF_TOKENIZER_LIST, /* further arrays of the tokenizer: entries may be raw bytes */
	GGUF_MERGES,         /* of it, too */
	GGUF_SUPPRESS,       /* ids of tokens */
	GGUF_TOKEN_ID,
	GGUF_CHARSMAP,
	GGUF_TEMPLATE,
	GGUF_URL,
	GGUF_BLOCK_COUNT,
	GGUF_SPLIT_NO, /* in the order of the facts */
	GGUF_SPLIT_COUNT,
	GGUF_SPLIT_TENSORS,
};

struct gguf_key_rule {
	enum gguf_role role;
	uint32_t types; /* those that are documented; 0: any */
};

/* Never fails: a key that nobody knows is GGUF_PLAIN and may have any type. */
struct gguf_key_rule gguf_key_rule(struct bytes key);

/* What an empty or misspelt key is. */
enum gguf_key_form { GGUF_KEY_SOUND, GGUF_KEY_UPPER_CASE, GGUF_KEY_FORBIDDEN };

/* Note A: words of a-z, 0-9, _ and -, joined by dots. */
enum gguf_key_form gguf_key_form(struct bytes key);
