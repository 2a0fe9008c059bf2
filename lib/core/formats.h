/* The names of formats, as the verdict prints them.  Readers live in lib/formats; what only needs the name (the
 * front, the policy) needs no reader.  X(id, name, revision, model, extension list)
 *   revision: raised when the reader, or a check it uses, can change its facts.
 *   model:    1 when a file of this format can be a model; 0 for side files and pointers. */
#pragma once

#include <stdbool.h>

#define WLK_FORMATS(X)                                     \
	X(UNKNOWN, "unknown", 1, 0, "")                    \
	X(SAFETENSORS, "safetensors", 1, 1, "safetensors") \
	X(LFS_POINTER, "lfs-pointer", 1, 0, "")

enum wlk_format_id {
#define X(id, name, revision, model, extensions) WLK_FORMAT_##id,
	WLK_FORMATS(X)
#undef X
	    WLK_N_FORMATS
};

struct format_info {
	const char *name; /* stable, lower case; NULL is never returned */
	unsigned revision;
	bool model;
	const char *extensions; /* separated by spaces, without dots */
};

/* Any value below WLK_N_FORMATS; out of range is a bug. */
const struct format_info *format_info(enum wlk_format_id id);

/* The family a file's name suggests: all the worker ever learns of the name.  WLK_FORMAT_UNKNOWN for no opinion.
 * @name: as the caller gave it; may be NULL. */
enum wlk_format_id format_hint(const char *name);
