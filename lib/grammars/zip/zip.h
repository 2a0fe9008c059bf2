/* ZIP archives, read strictly: one directory, one reading.  Everything the many readers of ZIP disagree on is a
 * finding; the members are nevertheless described as the laxest reader would find them, so that what is inside is judged
 * too.  Follows formats/zip; profiles: section 9. */
#pragma once

#include "extents.h"
#include "member.h"
#include "part.h"
#include "report.h"
#include "scan_limits.h"
#include "siphash.h"
#include "status.h"

enum zip_profile { ZIP_PLAIN, ZIP_TORCH, ZIP_NPZ, ZIP_KERAS };

#define ZIP_METHOD_STORED 0u
#define ZIP_METHOD_DEFLATE 8u

struct zip_entry {
	struct bytes name;    /* of the central directory, raw */
	uint64_t central;     /* offset of the central header in the part */
	uint64_t local;       /* offset of the local header in the part */
	uint64_t data;        /* of the coded bytes; 0 without a local header */
	uint64_t coded, size; /* bytes, as the central directory says */
	uint32_t crc;
	uint16_t method, flags;
	bool directory;   /* name ends with '/' */
	bool readable;    /* data lies inside the part and the method is known: member is set */
	bool encrypted;   /* a flag says so; the member is described as plain nevertheless, as miniz reads it */
	bool odd_padding; /* its "FB" extra field holds bytes other than 'Z' */
	uint8_t zip64;    /* which fields the central zip64 extra field gave: ZIP64_* of zip_impl.h */
	struct member *member;
};

struct zip_options {
	enum zip_profile profile;
	uint64_t begin; /* of the archive in the part; what is before belongs to somebody else */
	const struct limits *lim;
	struct siphash_key seed;
	struct arena *arena;
	struct report *report;
	struct extents *extents; /* empty; receives headers, members, directory, as offsets in the part */
};

struct zip {
	struct part part;
	struct zip_options o;
	struct zip_entry *entries; /* in order of the directory */
	size_t n;
	bool sound; /* no finding that makes two readers see two things, and every byte belongs to something: the
		     * directory can be trusted */
	bool tiled; /* records and members tile the part, contradictory or not: the pass may go over them.  A layout
		     * returns WLK_DONE then, else WLK_BROKEN; zip_finish() says the rest. */
	bool crc_absent; /* every CRC field is 0 (formats/zip, note C) */
	/* The reader's own. */
	uint32_t *slots; /* of the name table: number of the entry plus one */
	size_t slot_mask;
	uint64_t shift;      /* bytes in front of the archive that its offsets do not count */
	bool ranges_unknown; /* some entry's range could not be read: holes prove nothing */
};

/**
 * zip_read() - end record, directory, local headers, names, coverage
 * @z: caller's memory; it and what it points to (arena) are needed until zip_finish().
 * @p: the archive: a file, a range or a copy.  @o: borrowed until zip_finish(); the structure itself is copied.
 * Return: WLK_DONE also with findings (see z->sound); WLK_BROKEN when there is no directory to go by; WLK_INCOMPLETE
 * with its cause reported.
 */
enum wlk_status zip_read(struct zip *z, const struct part *p, const struct zip_options *o);

/* The entry of this name, byte-wise; the last one when there are several (Python's reading); NULL without one.  O(1). */
const struct zip_entry *zip_find(const struct zip *z, struct bytes name);

/**
 * zip_finish() - after the pass: CRC, coding and sizes of every member against the directory
 * Return: WLK_DONE; WLK_BROKEN when the archive is not sound or a member of it cannot be read (its findings have been
 * reported before the pass).
 */
enum wlk_status zip_finish(const struct zip *z);
