/* The tables of ExecuTorch programs (ET12) and of their data files (FT01): see executorch_impl.h, and flatbuffers.h for the
 * letters. */
#include "executorch_impl.h"

const struct fb_schema et_program = { "Program", "4VVVVrVV" };
const struct fb_schema et_plan = { "ExecutionPlan", "srViiVVVl" };
const struct fb_schema et_container = { "ContainerMetadata", "ss" };
const struct fb_schema et_evalue = { "EValue", "uU" };
const struct fb_schema et_allocation = { "AllocationDetails", "444" };
const struct fb_schema et_extra = { "ExtraTensorInfo", "8s1" };
const struct fb_schema et_operator = { "Operator", "ss" };
const struct fb_schema et_chain = { "Chain", "iiVV" };
const struct fb_schema et_instruction = { "Instruction", "uU" };
const struct fb_schema et_frame_list = { "FrameList", "V" };
const struct fb_schema et_frame = { "Frame", "s4ss" };
const struct fb_schema et_delegate = { "BackendDelegate", "srV" };
const struct fb_schema et_reference = { "BackendDelegateDataReference", "14" };
const struct fb_schema et_compile_spec = { "CompileSpec", "sb" };
const struct fb_schema et_buffer = { "Buffer", "d" };
const struct fb_schema et_segment_table = { "DataSegment", "88" };
const struct fb_schema et_offsets = { "SubsegmentOffsets", "4l" };
const struct fb_schema et_named = { "NamedData", "s4r" };
const struct fb_schema et_flat_tensor = { "FlatTensor", "4VV" };
const struct fb_schema et_layout = { "TensorLayout", "1ib" };

/* KernelTypes from 1 on. */
static const struct fb_schema values[] = { { "Null", "" }, { "Int", "8" }, { "Bool", "1" }, { "Double", "8" },
	{ "Tensor", "14ib14r11r" }, { "String", "s" }, { "IntList", "l" }, { "DoubleList", "l" }, { "BoolList", "b" },
	{ "TensorList", "i" }, { "OptionalTensorList", "i" } };

/* InstructionArguments from 1 on. */
static const struct fb_schema arguments[] = { { "KernelCall", "4i" }, { "DelegateCall", "4i" }, { "MoveCall", "44" },
	{ "JumpFalseCall", "44" }, { "FreeCall", "4" } };

#define MEMBER(list, type) ((type)-1 < sizeof(list) / sizeof((list)[0]) ? &(list)[(type)-1] : NULL)

/* Type 0, none, wraps to the largest number. */
const struct fb_schema *et_value(uint64_t type)
{
	return MEMBER(values, type);
}

const struct fb_schema *et_arguments(uint64_t type)
{
	return MEMBER(arguments, type);
}
