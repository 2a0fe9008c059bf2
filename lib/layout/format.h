/* A format is a value: adding one is a file, a line in the table, its findings, its corpus and its fuzz target.
 * Coverage, hashing, weights and polyglots are done once for all from the extents. */
#pragma once

#include "config_family.h"
#include "extents.h"
#include "formats.h"
#include "job.h"
#include "part.h"
#include "report.h"
#include "siphash.h"
#include "source.h"
#include "status.h"

struct nested;       /* a layout inside a layout: nested.h */
struct member;       /* lib/engine/member.h */
struct stream;       /* lib/engine/stream.h */
struct pickle_names; /* names the operator allows: opaque here */

/* What a layout works with.  All borrowed. */
struct layout {
	struct source *src;
	struct part part; /* what is judged: the whole file, or a member of it */
	const struct limits *lim;
	struct siphash_key seed;
	struct arena *arena;
	struct report *report;
	struct extents *extents;                 /* to be filled, and proven by extents_cover(); offsets in the part */
	const struct pickle_names *pickle_names; /* from the job; may be NULL */
	void *state;                             /* the format's own, in the arena: what layout() leaves for finish() */
	struct nested **nested;                  /* layouts of members, for nested_finish() */
	enum wlk_format_id hint;                 /* what the file's name promises; UNKNOWN of a member */
	enum config_family family;               /* which configuration it is by its name; NONE of a member */
	struct bytes framework;                  /* that whose tensors it says it has; empty: see struct wlk_format */
	bool of_set;                             /* the files that it speaks about are judged with it */
	enum wlk_format_id id;                   /* the reader's own; layout() and judge() may name it more exactly */
};

/* For who converts: the output says so, too.  Nothing unless it is a short plain word. */
void layout_is_of(struct layout *l, struct bytes framework);

/* Memory for one scan: what a scan needs whatever the file, plus three bytes for each byte of header - the pinned
 * header itself, 32 bytes of extent and 16 of name table for each of its entries, of 50 bytes at least. */
#define LAYOUT_MEMORY_BASE (UINT64_C(48) << 20)
#define LAYOUT_MEMORY_PER_HEADER_BYTE 3u

/* Bytes, never above the policy's limit. */
size_t layout_memory(const struct limits *lim, uint64_t header_bytes);

/* Allow so many bytes more than so far, never above the policy's limit: for what a known bound needs (a pickle
 * machine, a codec's dictionary). */
void layout_raise_memory(struct layout *l, uint64_t bytes);

/**
 * layout_stop() - the source or the arena refused: record why
 * Return: WLK_INCOMPLETE, to be passed on.
 */
enum wlk_status layout_stop(struct layout *l);

/* Findings about what is judged: its path goes with them, and offsets, given in the part (of a coded stream: in what it
 * decodes to), become those to be printed. */
void layout_finding(struct layout *l, const struct finding *f);
void layout_at(struct layout *l, enum wlk_finding code, uint64_t offset);
void layout_value(struct layout *l, enum wlk_finding code, uint64_t offset, uint64_t found, uint64_t allowed);

/**
 * layout_tensor() - list a tensor in the manifest, when the job wants one
 * Call it once for each tensor (or mapping) in the order of the header; nothing when it is not wanted, and
 * layout_wants_tensors() says so beforehand, so that nobody prepares a shape in vain.  @row: offsets in the part;
 * row->index is that of the tensor's extent (extent.index), or of a mapping its number, and ascends; row->member is
 * filled in.  What no extent is must not be listed between the members of an archive.  A tensor outside of the file is left
 * out, for its finding says all there is to say.  Tensors that a layout does not list itself are listed from its extents
 * (tensor_list.h), with one dimension unless their shape is known.
 * Return: false: the list is too long, the scan is stopped.
 */
bool layout_tensor(struct layout *l, const struct manifest_row *row);
/* The tensors listed so far are not where their rows say: they get no digests, and the list does not count as all there
 * is. */
void layout_tensors_moved(struct layout *l);
static inline bool layout_wants_tensors(const struct layout *l)
{
	return l->report->wants_rows;
}

/* What formats are told apart by. */
#define PROBE_BYTES 4096
struct probe {
	const uint8_t *head;
	size_t n;            /* bytes of head: PROBE_BYTES, or all there are */
	uint64_t size;       /* of the file or member; STREAM_SIZE_UNKNOWN when only decoding will tell */
	struct arena *arena; /* for scratch memory, which should be given back (arena_release()) */
};

/* How a format reads when it is a member (nested.h). */
enum nested_access {
	NESTED_NEVER,  /* it does not: members like it are named and not understood */
	NESTED_STREAM, /* judge() goes through the member's stream, from its beginning, as often as it likes */
	NESTED_RANDOM, /* layout() reads at random: a range of the file, else a copy of what it decodes to */
};

/* Can its tensors be converted (convert.h)? */
enum wlk_converts {
	CONVERTS_NOT,
	CONVERTS_ROWS,    /* they are listed with their shapes: row by row, or with views */
	CONVERTS_TOLD,    /* likewise, and what is not listed is left (report_taker) */
	CONVERTS_CONTENT, /* as what its one member holds is (wrapper.h), or as a pickle where there is none */
};

/* Does who converts want to know what loaders make of the elements? */
static inline bool layout_wants_views(const struct layout *l)
{
	return l->report->taker != NULL;
}

struct wlk_format {
	enum wlk_format_id id;
	enum wlk_converts converts;
	/* Then: what frameworks call its tensors in the metadata of a safetensors file; NULL: nobody's. */
	const char *framework;
	/* Does the head look like it?  Cheap. */
	bool (*probe)(const struct probe *p);
	/* Reads the structure through pins, previews and cursors; says what every byte of the part is. */
	enum wlk_status (*layout)(struct layout *l);
	/* After a pass that read everything, for what only the pass could know (CRCs, codings); NULL: nothing.  Not
	 * called when layout() did not return WLK_DONE or WLK_BROKEN.  Return: WLK_DONE also with findings;
	 * WLK_BROKEN when the file turns out not to be understood; WLK_INCOMPLETE. */
	enum wlk_status (*finish)(struct layout *l);
	enum nested_access nested;
	/* NESTED_STREAM only: @l is that of the member (its part is the coded bytes); fills in m->inner or m->dtype,
	 * and learns m->stream.size where it is unknown.  Return: WLK_DONE when every decoded byte is understood. */
	enum wlk_status (*judge)(struct layout *l, struct member *m);
	/* The file's name promises this format and its content is that of another, whose layout has returned: is that
	 * worth a finding?  NULL: it is not. */
	void (*misnamed)(struct layout *l, enum wlk_format_id content);
	/* For files and members that no probe knows: could it be this all the same?  May read (stream_preview()).  When
	 * true, the reader is called.  NULL for all but those of what has no signature. @l: of the file, or of what the
	 * member is in. */
	bool (*last_resort)(struct layout *l, const struct stream *s);
	/* Of an archive or wrapper: what is found when it is nested too deeply; 0: zip-nested. */
	enum wlk_finding too_deep;
	/* What it is says little: a file whose name promises another format is judged as that. */
	bool side_file;
};

extern const struct wlk_format *const wlk_formats[];
extern const size_t wlk_n_formats;
