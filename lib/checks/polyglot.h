/* Is the file also something else?  Follows formats/polyglots, section 6: structure at a position a real
 * reader looks at, never a signature alone (chance finds a four-byte signature 3 times in 14 GB of weights).
 * Works on captures the pass made (head, tail, probes) and, where a footer points elsewhere, on verified
 * re-reads. */
#pragma once

#include "formats.h"
#include "pass.h"
#include "report.h"
#include "source.h"
#include "status.h"

#define POLYGLOT_HEAD ((size_t)65 * 1024) /* a PDF marker's 1 KiB, and 64 KiB behind it for its objects */
#define POLYGLOT_TAIL \
	((size_t)66000)        /* how far Info-ZIP searches back; Python 65,558 (zipfile) and 65,557 \
				*/
#define POLYGLOT_PROBES_MAX 46 /* HDF5: 2^17 to 2^62; no file is longer */

struct polyglot {
	const struct capture *head, *tail;
	const struct capture *probes[POLYGLOT_PROBES_MAX]; /* HDF5, at 512 * 2^k behind the head, ascending */
	size_t n_probes;
};

/* Before the pass: ask for what the rules need.  WLK_INCOMPLETE when the arena is spent (the cause is
 * recorded). */
enum wlk_status polyglot_plan(struct polyglot *pg, struct pass *p);

/**
 * polyglot_judge() - after the pass: one finding for each rule that matches, at its first match
 * @host: what the file was identified as.  Nothing is judged when it is unknown or a pointer: "also" needs a
 * first. Return: WLK_DONE; WLK_INCOMPLETE when a re-read failed (the cause is recorded).
 */
enum wlk_status polyglot_judge(
    const struct polyglot *pg, struct source *src, enum wlk_format_id host, struct report *r);
