/* The names of formats, as the verdict prints them: each folder's formats.txt, made into one table (tables.py says what a row
 * holds).  What only needs the name (the front, the policy) needs no reader. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats_table.h"

/* What somebody may do with a file that is recognised by its first bytes and not read.  The order is not significant. */
enum format_sort {
	FORMAT_SORT_READ,     /* not one of these: there is a reader */
	FORMAT_SORT_PROGRAM,  /* a machine, or an interpreter, runs it */
	FORMAT_SORT_ARCHIVE,  /* holds other files */
	FORMAT_SORT_MODEL,    /* a model for some runtime */
	FORMAT_SORT_DATA,     /* tables and arrays: a data set, or what was trained on */
	FORMAT_SORT_IMAGE,    /* a picture */
	FORMAT_SORT_MEDIA,    /* sound and film */
	FORMAT_SORT_DOCUMENT, /* for people to read; may carry scripts */
};

enum wlk_format_id {
#define X(id, name, revision, model, extensions, level) WLK_FORMAT_##id,
	WLK_FORMATS(X)
#undef X
#define X(id, name, sort, extensions, level) WLK_FORMAT_##id,
	    WLK_FORMATS_NAMED(X) /* behind those that are read: format_is_named() */
#undef X
	WLK_N_FORMATS
};

struct format_info {
	const char *name; /* stable, lower case; NULL is never returned */
	unsigned revision;
	bool model;
	const char *extensions; /* separated by spaces, without dots */
	enum format_sort sort;
	const char *level;
};

/* Any value below WLK_N_FORMATS; out of range is a bug. */
const struct format_info *format_info(enum wlk_format_id id);
/* What stands for a format in reports: its name's, whatever else there is. */
uint32_t format_number(enum wlk_format_id id);
bool format_by_number(uint32_t number, enum wlk_format_id *ret);
/* Look a name up; false when no format has it.  @name may be NULL. */
bool format_by_name(const char *name, enum wlk_format_id *ret);

/* Is it a format that a verdict can name?  Not the absence of one, nor the names that promise one without a reader,
 * nor sets, which have verdicts of their own. */
static inline bool format_is_listed(enum wlk_format_id id)
{
	return id != WLK_FORMAT_UNKNOWN && id != WLK_FORMAT_OTHER && id != WLK_FORMAT_SET && id != WLK_FORMAT_NAMED;
}

/* Is it one that is recognised and not read? */
static inline bool format_is_named(enum wlk_format_id id)
{
	return id >= WLK_FORMAT_NAMED;
}

/* How far a file of this format is looked into: "validated" when every byte of it is understood before it is accepted,
 * "scanned" when what is dangerous in it is looked for and it is never accepted, "identified" when it is only named. */
const char *format_level(enum wlk_format_id id);

/* The family a file's name suggests: all the worker ever learns of the name.  WLK_FORMAT_UNKNOWN for no opinion.
 * @name: as the caller gave it; may be NULL. */
enum wlk_format_id format_hint(const char *name);
