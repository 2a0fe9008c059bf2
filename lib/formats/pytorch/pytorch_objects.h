/* What a checkpoint's pickle describes: storages, tensors over them, and the names they end up under.  Reads the events
 * of the pickle machine behind the judge; what names and calls may do is the judge's business, what the numbers mean is
 * this one's.  Follows formats/pytorch, sections 3 and 4. */
#pragma once

#include "format.h"
#include "pickle.h"
#include "pytorch_storages.h"

struct stream;
struct torch_objects;

struct torch_objects_options {
	struct layout *l;
	uint64_t origin;      /* added to offsets, as pickle_judge_options.origin */
	struct bytes member;  /* path for findings */
	bool constants;       /* TorchScript's: the lite interpreter's writer calls them 0.storage */
	bool legacy;          /* ids carry views and may name modules (section 5) */
	bool arrays_examined; /* the layout makes extents of torch_objects_arrays(), or has them checked */
};

/* Allow the memory that a pickle of so many bytes can need: the machine's, eight bytes an opcode, and what is remembered
 * of a storage or a tensor, some 500 bytes for an id or a call of 40 at least. */
void torch_objects_raise_memory(struct layout *l, uint64_t pickle_bytes);

/* Who converts needs the places of all tensors: pickle_options.items_kept. */
uint32_t torch_items_kept(const struct layout *l);

/* In the arena; NULL when it is spent. */
struct torch_objects *torch_objects_new(const struct torch_objects_options *o);

/* A pickle_event_fn; @ctx: the struct torch_objects.  One stream's events. */
void torch_objects_event(void *ctx, struct pickle *p, const struct pickle_event *e);

/* The arena ran out underway: what was not noted is not understood. */
bool torch_objects_failed(const struct torch_objects *o);

/* Two readers see two things, or the file contradicts itself: findings after which no policy may call it examined. */
bool torch_finding_contradicts(enum wlk_finding code);
/* None of these was raised by the objects. */
bool torch_objects_sound(const struct torch_objects *o);

/* All ids were storages; what restricted loading asks of a file beyond names and opcodes. */
bool torch_objects_ids_sound(const struct torch_objects *o);

/* NumPy's arrays in the pickle. */
struct pickle_arrays *torch_objects_arrays(struct torch_objects *o);

struct torch_storages *torch_objects_storages(struct torch_objects *o);
struct layout *torch_objects_layout(const struct torch_objects *o);

/* The tensors of a storage, for who converts; NULL when nobody does. */
const struct tensor_view *torch_views_of(const struct torch_objects *o, const struct torch_storage *s);

/* Indices of a sparse tensor, whose values stand in a storage: to be compared with the tensor's size once somebody
 * knows where the storage is (rule 10).  Scales and zero points of quantised channels, likewise (rule 11). */
struct torch_index_check {
	uint32_t storage;
	unsigned bytes;        /* of an index: 4 or 8 */
	uint64_t begin, count; /* elements */
	const uint64_t *below; /* element i of row r must be in [0, below[r]) ... */
	uint64_t row;          /* ... where rows have this many elements */
	bool ascending;        /* compressed: begins with 0, never falls, rises by at most `step`, ends with `total`,
				* in each row */
	uint64_t step, total;
	bool sorted;          /* coordinates in order, none twice: the first row counts most */
	bool numbers, floats; /* no indices: each is in [least, most] */
	double least, most;
	uint64_t offset; /* of the call, in the run of the pickle */
};

const struct torch_index_check *torch_objects_index_checks(const struct torch_objects *o, size_t *ret_n);

/* A finding about a storage, or one at an offset of the run. */
void torch_objects_report(struct torch_objects *o, enum wlk_finding code, const struct torch_storage *s,
    uint64_t offset, struct value found, struct value allowed);
