/* A file that is only what other files of its set say it is: ranges of it are their tensors, and nothing of its own says so.
 * The ranges become extents, so that coverage, padding and weights are checked by what checks those of every format.
 * Models may say different things of the same bytes, and each of them is what somebody loads: so every range is
 * examined as every type that is claimed for it.  Ranges that lie over each other are laid in layers, each of which goes
 * along with the one pass. */
#pragma once

#include "elements.h"
#include "format.h"
#include "pass.h"
#include "ranges.h"
#include "sets.h"
#include "slicer.h"

/* Besides the first one, which is the layout's.  Nobody has yet been seen who needs one: three are three more types for the
 * same weights, and what finds no place is not examined. */
#define CLAIMED_LAYERS_MAX 3u

struct claimed_tensor {
	uint32_t name_at;
	uint16_t name_n;
	uint8_t dtype; /* enum wlk_dtype */
};

struct claimed_layer {
	struct extents extents;
	struct elements elements;
	struct slicer slicer;
};

struct claimed {
	struct layout *l;
	struct external_claims claims;
	struct ranges ranges; /* range.index: the tensor */
	struct claimed_tensor *tensors;
	size_t n_tensors, tensors_room;
	uint8_t *names;
	size_t names_n, names_room;
	struct claimed_layer layers[CLAIMED_LAYERS_MAX];
	unsigned n_layers; /* that have anything in them */
};

/**
 * claimed_lay_out() - lay out the file by what the others say of it
 * @in: their document; the arena is the layout's.  @member: the file's place in it.
 * @c: zeroed; lives as long as the scan.
 * @ret_named: does anybody say anything?  If not, nothing has been laid out.
 * Return: WLK_DONE also with findings; WLK_INCOMPLETE.
 */
enum wlk_status claimed_lay_out(
    struct claimed *c, struct layout *l, const struct set_input *in, uint32_t member, bool *ret_named);

/* After the pass, which has seen what the padding holds.  Return: WLK_DONE, or WLK_BROKEN. */
enum wlk_status claimed_finish(const struct claimed *c);

/* Have the pass feed the further layers, if there are any. */
void claimed_join(struct claimed *c, struct pass *p);
