/* The header of legacy checkpoints: see pytorch_legacy_header.h.  Follows formats/pytorch, section 5. */
#include "pytorch_legacy_header.h"

#define PROTOCOL 1001

/* 0x1950a86a20f9469cfc6c, as LONG1 has it and as protocols 0 and 1 spell it. */
static const char binary_magic[] = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
static const char text_magic[] = "L119547037146038801333356L\n.";

#define PROTO_BYTES 2u
#define FRAME_BYTES 9u

/* PROTO 2 to 5, from 4 on maybe a frame around all the rest. */
static size_t prefix_bytes(struct bytes head)
{
	size_t n = PROTO_BYTES;

	if (head.n < PROTO_BYTES || head.at[0] != 0x80 || head.at[1] < 2 || head.at[1] > 5)
		return 0;
	if (head.n >= n + FRAME_BYTES && head.at[1] >= 4 && head.at[n] == 0x95 &&
	    load_u64le(head.at + n + 1) == strlen(binary_magic))
		n += FRAME_BYTES;
	return n;
}

size_t torch_legacy_magic(struct bytes head)
{
	size_t n = prefix_bytes(head);

	if (n > 0 && bytes_begin_with(bytes_of(head.at + n, head.n - n), binary_magic))
		return n + strlen(binary_magic);
	return bytes_begin_with(head, text_magic) ? strlen(text_magic) : 0;
}

bool torch_legacy_protocol(const struct pickle *p, pickle_value v)
{
	int64_t n;

	return pickle_int(p, v, &n) && n == PROTOCOL;
}

static bool has_int(const struct pickle *p, pickle_value dict, const char *key, int64_t wanted, int64_t or)
{
	pickle_value v;
	int64_t n;

	return pickle_lookup(p, dict, key, &v) && pickle_int(p, v, &n) && (n == wanted || n == or);
}

static bool has_type_sizes(const struct pickle *p, pickle_value dict)
{
	pickle_value sizes;

	return pickle_lookup(p, dict, "type_sizes", &sizes) && pickle_kind(p, sizes) == PICKLE_DICT &&
	       pickle_count(p, sizes) == 3 && has_int(p, sizes, "short", 2, 2) && has_int(p, sizes, "int", 4, 4) &&
	       has_int(p, sizes, "long", 4, 8);
}

bool torch_legacy_system(const struct pickle *p, pickle_value v, bool *ret_little_endian)
{
	pickle_value endian;

	return pickle_kind(p, v) == PICKLE_DICT && pickle_count(p, v) == 3 &&
	       has_int(p, v, "protocol_version", PROTOCOL, PROTOCOL) && pickle_lookup(p, v, "little_endian", &endian) &&
	       pickle_bool(p, endian, ret_little_endian) && has_type_sizes(p, v);
}
