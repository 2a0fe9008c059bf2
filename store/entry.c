/* See entry.h. */
#include "entry.h"

#include <string.h>

#include "report.h"

#define ENTRY_VERSION 3
#define ENTRY_VERSION_OLD 2
#define ENTRY_HEAD_OLD 30u
#define TIME_MAX UINT64_C(253402300799) /* the end of the year 9999: what can be written as a date */
#define RECORD_HEAD 5                   /* u32 length of the payload, u8 type */

void entry_head(const struct entry *e, uint8_t head[ENTRY_HEAD])
{
	head[0] = ENTRY_VERSION;
	head[1] = (uint8_t)e->source;
	store_u64le(head + 2, (uint64_t)e->scanned_at);
	store_u64le(head + 10, e->us);
	store_u32le(head + 18, e->layers);
	store_u64le(head + 22, e->facts);
	store_u64le(head + 30, e->pass);
}

bool entry_decode(struct bytes at, struct entry *ret)
{
	const bool old = at.n > 0 && at.at[0] == ENTRY_VERSION_OLD;
	const size_t head = old ? ENTRY_HEAD_OLD : ENTRY_HEAD;

	if (at.n <= head || (!old && at.at[0] != ENTRY_VERSION) || at.at[1] > VERDICT_FILE ||
	    load_u64le(at.at + 2) > TIME_MAX)
		return false;
	*ret = (struct entry){ .source = (enum verdict_source)at.at[1],
		.scanned_at = (int64_t)load_u64le(at.at + 2),
		.us = load_u64le(at.at + 10),
		.layers = load_u32le(at.at + 18),
		.facts = load_u64le(at.at + 22),
		.pass = old ? 0 : load_u64le(at.at + 30),
		.report = bytes_of(at.at + head, at.n - head) };
	return true;
}

size_t entry_strip(uint8_t *at, size_t n)
{
	size_t from = 0, to = 0;

	while (n - from >= RECORD_HEAD && load_u32le(at + from) <= n - from - RECORD_HEAD) {
		size_t record = RECORD_HEAD + (size_t)load_u32le(at + from);
		bool keep = at[from + 4] != RECORD_PROGRESS;

		if (keep)
			memmove(at + to, at + from, record);
		to += keep ? record : 0;
		from += record;
	}
	memmove(at + to, at + from, n - from); /* nothing, of a report that was taken */
	return to + (n - from);
}
