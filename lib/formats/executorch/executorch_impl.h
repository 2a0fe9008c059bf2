/* The ExecuTorch reader's own parts: executorch.c the file, its header and what its bytes are; executorch_program.c plans,
 * values and instructions; executorch_data.c segments and the tensors in them; executorch_schema.c the tables.  Follows
 * docs/formats/executorch.md. */
#pragma once

#include "flatbuffers.h"
#include "format.h"

struct et_segment {
	uint64_t begin, end; /* in the part; end 0: nowhere, told */
	bool shared;         /* its tensors are claimed one by one */
};

/* Where the tensors of a list begin: inline buffers, or offsets into a segment. */
struct et_list {
	uint64_t *begin; /* in the part */
	uint64_t *end;   /* the furthest that each may go */
	uint32_t n;
};

struct executorch {
	struct layout *l;
	struct extents claims;
	struct fb fb;
	uint64_t base, base_end; /* segments are in there; 0: there are none */
	struct et_segment *segments;
	uint32_t n_segments;
	struct et_list constants;
	struct et_list *mutables; /* a list for each of the program's */
	uint32_t n_mutables;
	uint32_t *inline_bytes; /* data of delegates in the program: how many of each */
	uint32_t n_inline;
	uint8_t *names; /* of tensors */
	size_t names_n, names_room;
	uint32_t n_listed;
	bool broken; /* something is not understood, or can be understood in two ways */
};

void et_tell(struct executorch *e, enum wlk_finding code, uint64_t at, struct bytes subject);
/* EXECUTORCH_STRUCTURE.  @what: static. */
void et_wrong(struct executorch *e, uint64_t at, const char *what, uint64_t found, uint64_t allowed);

/* All of these return false when nothing more can be read: e->fb.failed. */
bool et_read_program(struct executorch *e, uint64_t root);
bool et_read_flat_tensor(struct executorch *e, uint64_t root);

bool et_read_segments(struct executorch *e, const struct fb_table *t, unsigned field);
/* What no list of tensors has been found in belongs to whoever refers to it, as a whole. */
bool et_claim_segments(struct executorch *e);
bool et_read_constants(struct executorch *e, const struct fb_table *program);

struct et_tensor {
	uint64_t at; /* for findings */
	struct bytes name;
	unsigned type;
	unsigned rank;
	uint64_t shape[MANIFEST_RANK_MAX];
};

/* What is at [begin, limit) of the part is at least this tensor. */
bool et_own_data(struct executorch *e, const struct et_tensor *t, uint64_t begin, uint64_t limit);
/* Rank and dimensions, from a vector of i32. */
bool et_read_shape(struct executorch *e, const struct fb_table *t, unsigned field, struct et_tensor *ret);
/* The beginning of a string field. */
bool et_text(
    struct executorch *e, const struct fb_table *t, unsigned field, uint8_t *buf, size_t room, struct bytes *ret);

extern const struct fb_schema et_program, et_plan, et_container, et_evalue, et_allocation, et_extra, et_operator,
    et_chain, et_frame_list, et_frame, et_delegate, et_reference, et_compile_spec, et_buffer, et_segment_table,
    et_offsets, et_named, et_instruction, et_flat_tensor, et_layout;
/* Members of the unions; NULL: none of this number. */
const struct fb_schema *et_value(uint64_t type);
const struct fb_schema *et_arguments(uint64_t type);

enum {
	PROGRAM_VERSION,
	PROGRAM_PLANS,
	PROGRAM_CONSTANTS,
	PROGRAM_INLINE,
	PROGRAM_SEGMENTS,
	PROGRAM_CONSTANT_SEGMENT,
	PROGRAM_MUTABLE_SEGMENTS,
	PROGRAM_NAMED
};
enum {
	PLAN_NAME,
	PLAN_CONTAINER,
	PLAN_VALUES,
	PLAN_INPUTS,
	PLAN_OUTPUTS,
	PLAN_CHAINS,
	PLAN_OPERATORS,
	PLAN_DELEGATES,
	PLAN_SIZES
};
enum { EVALUE_TYPE, EVALUE_VALUE };
enum { VALUE_TENSOR = 5, VALUE_TENSOR_LIST = 10, VALUE_OPTIONAL_TENSORS = 11 };
enum {
	TENSOR_TYPE,
	TENSOR_OFFSET,
	TENSOR_SIZES,
	TENSOR_ORDER,
	TENSOR_GRAD,
	TENSOR_DATA,
	TENSOR_ALLOCATION,
	TENSOR_LAYOUT,
	TENSOR_DYNAMISM,
	TENSOR_EXTRA
};
enum { EXTRA_MUTABLE, EXTRA_NAME, EXTRA_LOCATION };
enum { OPERATOR_NAME, OPERATOR_OVERLOAD };
enum { CHAIN_INPUTS, CHAIN_OUTPUTS, CHAIN_INSTRUCTIONS, CHAIN_STACKS };
enum { INSTRUCTION_TYPE, INSTRUCTION_ARGUMENTS };
enum { CALL_KERNEL = 1, CALL_DELEGATE, CALL_MOVE, CALL_JUMP, CALL_FREE };
enum { DELEGATE_ID, DELEGATE_DATA, DELEGATE_SPECS };
enum { REFERENCE_LOCATION, REFERENCE_INDEX };
enum { SEGMENT_OFFSET, SEGMENT_BYTES };
enum { OFFSETS_SEGMENT, OFFSETS_LIST };
enum { NAMED_KEY, NAMED_SEGMENT, NAMED_LAYOUT };
enum { FLAT_VERSION, FLAT_SEGMENTS, FLAT_NAMED };
enum { LAYOUT_TYPE, LAYOUT_SIZES, LAYOUT_ORDER };
