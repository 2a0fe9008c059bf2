/* Findings of the reader of ONNX Runtime's own format (lib/formats/onnx/ort*.c), in the order of formats/ort.  What an operator's
 * domain means is ONNX's to say: onnx-custom-domain. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_ORT(X) \
	X(ORT_STRUCTURE, "ort-structure", MALFORMED, HIGH, \
	  "a model whose tables contradict each other or the file", \
	  "The runtime follows offsets and indices of a model that was made for it without a look.", \
	  "Convert the model again.", "formats/ort, sections 2 and 3") \
	X(ORT_OVERLAP, "ort-overlap", AMBIGUOUS, HIGH, \
	  "bytes that belong to two objects", \
	  "What one reader takes for data the other takes for structure.", \
	  "Convert the model again.", "formats/ort, section 5") \
	X(ORT_HOLE, "ort-hole", AMBIGUOUS, MEDIUM, \
	  "bytes other than zero that belong to nothing", \
	  "Something can hide there.", \
	  "Convert the model again.", "formats/ort, section 5") \
	X(ORT_TRAILING_BYTES, "ort-trailing-bytes", AMBIGUOUS, HIGH, \
	  "bytes behind the model", \
	  "Another file can hide there.", \
	  "Convert the model again.", "formats/ort, section 5") \
	X(ORT_UNSUPPORTED, "ort-unsupported", UNSUPPORTED, MEDIUM, \
	  "a field or type that this build does not know", \
	  "What it means is not examined.", \
	  "Convert the model with a release of ONNX Runtime that is known.", "formats/ort, section 3")
/* clang-format on */
