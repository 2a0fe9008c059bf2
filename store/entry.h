/* What the store keeps about one file: the report's records as the front's decoder took them, and when and how the scan
 * was made.  Bytes in, bytes out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "verdict.h"

/* Bytes before the report: u8 version, u8 source, u64 time, u64 microseconds, u32 layers, u64 version of the facts, u64 version of
 * the pass.  (In version 2 the last is missing.) */
#define ENTRY_HEAD 38u

struct entry {
	enum verdict_source source;
	int64_t scanned_at; /* Unix seconds */
	uint64_t us;        /* microseconds it took */
	uint32_t layers;    /* of the jail that were active: bit i is SANDBOX layer i */
	uint64_t facts;     /* facts_version() of the engine that said it */
	uint64_t pass;      /* facts_version_of_pass() likewise; 0: not known */
	struct bytes report;
};

/* Everything but the report, which follows. */
void entry_head(const struct entry *e, uint8_t head[ENTRY_HEAD]);
/* Strict.  @ret: the report is a view. */
bool entry_decode(struct bytes at, struct entry *ret);

/**
 * entry_strip() - leave out the progress records of a report that facts_feed() has taken
 * @at: changed in place
 * Return: bytes left.
 */
size_t entry_strip(uint8_t *at, size_t n);
