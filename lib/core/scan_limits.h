/* Every limit of a scan: a named constant, its reason, and the name by which a policy may lower it.  The policy
 * reader, the job sent to the worker and docs/limits.md grow from this table.
 * X(field, name in policies, default = hard maximum, unit, reason). */
#pragma once

#include <stdint.h>

#define WLK_LIMITS(X)                                                                                             \
	X(file_size, "file-size", UINT64_C(1) << 40, "bytes",                                                     \
	    "1 TiB: ten times the largest published shard; 13 minutes of hashing")                                \
	X(header_bytes, "header-bytes", UINT64_C(100000000), "bytes", "the safetensors format's own limit")       \
	X(tensors, "tensors", UINT64_C(1) << 21, "tensors", "more than a 100 MB header can hold")                 \
	X(metadata_keys, "metadata-keys", UINT64_C(65536), "keys", "a hundred times what published files have")   \
	X(opcodes, "opcodes", UINT64_C(1) << 26, "opcodes",                                                       \
	    "a pickle of 67 million opcodes: ten times the largest published; 8 bytes of memory each")            \
	X(unpacked_bytes, "unpacked-bytes", UINT64_C(64) << 30, "bytes",                                          \
	    "64 GiB decoded from a compressed file or member (formats/others, section 2): 3 minutes of inflate")  \
	X(memory, "memory", UINT64_C(400) << 20, "bytes",                                                         \
	    "48 MiB plus 3.5 bytes a header byte at its largest; the arena enforces it, RLIMIT_AS stands behind") \
	X(scan_seconds, "scan-seconds", UINT64_C(86400), "seconds", "upper bound of the deadline 30 s + size / 20 MB/s")

struct limits {
#define X(field, name, value, unit, reason) uint64_t field;
	WLK_LIMITS(X)
#undef X
};

/* Designated initialiser with every default: struct limits lim = LIMITS_DEFAULT; */
#define LIMITS_FIELD_(field, name, value, unit, reason) .field = (value),
#define LIMITS_DEFAULT                    \
	{                                 \
		WLK_LIMITS(LIMITS_FIELD_) \
	}

/* Deadline of a scan in seconds: every disk this century reads 20 MB/s. */
#define LIMIT_DEADLINE_BASE_S 30u
#define LIMIT_DEADLINE_BYTES_PER_S UINT64_C(20000000)

static inline uint64_t limits_deadline_s(const struct limits *lim, uint64_t size_bytes)
{
	uint64_t s = LIMIT_DEADLINE_BASE_S + size_bytes / LIMIT_DEADLINE_BYTES_PER_S;

	return s < lim->scan_seconds ? s : lim->scan_seconds;
}
