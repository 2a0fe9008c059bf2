/* Findings of the ExecuTorch reader (lib/formats/executorch/executorch*.c), in the order of formats/executorch. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_EXECUTORCH(X) \
	X(EXECUTORCH_STRUCTURE, "executorch-structure", MALFORMED, HIGH, \
	  "a program whose header, tables, segments or indices contradict each other or the file", \
	  "The runtime follows them without a look, on devices without memory protection.", \
	  "Export the program again.", "formats/executorch, sections 2 to 4") \
	X(EXECUTORCH_OVERLAP, "executorch-overlap", AMBIGUOUS, HIGH, \
	  "bytes that belong to two tables or segments", \
	  "What one reader takes for data the other takes for structure.", \
	  "Export the program again.", "formats/executorch, section 6") \
	X(EXECUTORCH_HOLE, "executorch-hole", AMBIGUOUS, MEDIUM, \
	  "bytes other than zero that belong to nothing", \
	  "Something can hide there.", \
	  "Export the program again.", "formats/executorch, section 6") \
	X(EXECUTORCH_TRAILING_BYTES, "executorch-trailing-bytes", AMBIGUOUS, HIGH, \
	  "bytes behind the program and its segments", \
	  "Another file can hide there.", \
	  "Export the program again.", "formats/executorch, section 6") \
	X(EXECUTORCH_UNSUPPORTED, "executorch-unsupported", UNSUPPORTED, MEDIUM, \
	  "a version, field or type that this build does not know", \
	  "Newer exporters write it; what it means is not examined.", \
	  "Ask for a newer release of this program.", "formats/executorch, section 3") \
	X(EXECUTORCH_DELEGATE, "executorch-delegate", CODE, MEDIUM, \
	  "a part that a delegate runs", \
	  "What it is given - often code for an accelerator - only the delegate understands.", \
	  "Export without delegates, or allow them by policy.", "formats/others, section 1 (ExecuTorch)") \
	X(EXECUTORCH_CUSTOM_OP, "executorch-custom-op", CODE, MEDIUM, \
	  "an operator that the application has to bring", \
	  "What it does is not in the program.", \
	  "Use the operators of ATen, or allow it by policy.", "formats/executorch, section 4")
/* clang-format on */
