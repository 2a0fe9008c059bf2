/* Is the file also something else?  Follows formats/polyglots, section 6: structure at a position a real reader looks at,
 * never a signature alone (chance finds a four-byte signature 3 times in 14 GB of weights).
 *
 * Works on what the pass sees go by: captures of head and tail and of single places, signatures searched for in the first
 * 4 MiB, grammars walked from byte 0 (polyglot/walk.h).  Only where a footer or a signature points elsewhere is something
 * read again, verified.  One rule per guest in polyglot/, one line per rule in the table of polyglot.c. */
#pragma once

#include "extents.h"
#include "formats.h"
#include "pass.h"
#include "report.h"
#include "siphash.h"
#include "source.h"
#include "status.h"

/* What the rules look at, in bytes. */
/* Info-ZIP searches 66,000 bytes back and reads whole blocks of 8 KiB [measured with unzip 6.0]; Python: 65,558 (zipfile), 65,557. */
#define POLYGLOT_ZIP_TAIL UINT64_C(74192)
#define POLYGLOT_PDF_HEAD UINT64_C(1024)             /* where a marker may begin, ... */
#define POLYGLOT_PDF_BEHIND ((size_t)64 * 1024 + 16) /* ... and objects behind it */
#define POLYGLOT_PDF_TAIL ((size_t)2 * 1024)
#define POLYGLOT_HDF5_PROBE 9 /* signature and version, at 512 * 2^k */
#define POLYGLOT_HDF5_FIRST UINT64_C(512)
#define POLYGLOT_PROBES_MAX 54 /* 2^9 to 2^62: no file is longer */

#define POLYGLOT_FINDS_MAX 64 /* that are brought into order; more are reported as they come */

/* A set of hosts: a bit for each format that is read, and one for all that are only named. */
__extension__ typedef unsigned __int128 polyglot_hosts;
#define POLYGLOT_HOST(id) ((polyglot_hosts)1 << WLK_FORMAT_##id)

struct polyglot_find {
	enum wlk_finding code;
	uint64_t at;
	const char *guest, *evidence; /* static */
};

struct polyglot_walk;

struct polyglot {
	enum wlk_format_id host;
	const struct extents *extents;                     /* of the file, for its members */
	const struct capture *head, *tail;                 /* NULL: nothing is judged */
	const struct capture *probes[POLYGLOT_PROBES_MAX]; /* HDF5, behind the head, ascending */
	size_t n_probes;
	struct polyglot_walk *walk;
	struct polyglot_find finds[POLYGLOT_FINDS_MAX];
	size_t n_finds;
};

/**
 * polyglot_plan() - before the pass: ask for what the rules need
 * @host: what the file is; formats that can be no model are not judged.
 * @extents: of the file, for its members; borrowed until polyglot_judge().  @seed: of the scan.
 * Return: WLK_INCOMPLETE when the arena is spent (the cause is recorded).
 */
enum wlk_status polyglot_plan(struct polyglot *pg, struct pass *p, enum wlk_format_id host,
    const struct extents *extents, struct siphash_key seed);

/**
 * polyglot_judge() - after the pass: one finding for each guest, in the order of their offsets
 * subject: the guest; found: what was confirmed.
 * Return: WLK_DONE also with findings; WLK_INCOMPLETE when source or arena failed (the cause is recorded).
 */
enum wlk_status polyglot_judge(struct polyglot *pg, struct source *src, struct report *r);
