/* Findings of the TensorFlow Lite reader (lib/formats/tflite/tflite*.c), in the order of formats/tflite. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_TFLITE(X) \
	X(TFLITE_MAGIC, "tflite-magic", MALFORMED, HIGH, \
	  "the file has no TFL3 at byte 4", \
	  "It is no TensorFlow Lite model, or one with a length in front, which readers take for the root.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 1") \
	X(TFLITE_OFFSET, "tflite-offset", MALFORMED, HIGH, \
	  "an offset that leads out of the file, backwards, or to no multiple of four", \
	  "Readers follow it without a look: memory of the process becomes part of the model.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 2") \
	X(TFLITE_VTABLE, "tflite-vtable", MALFORMED, HIGH, \
	  "a table that contradicts its list of fields", \
	  "Fields are read from bytes that belong to something else.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 2") \
	X(TFLITE_LIMIT, "tflite-limit", MALFORMED, HIGH, \
	  "more tables, elements or jumps than a model of this size can have", \
	  "Sharing one table a million times costs its reader a million times the work.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 2") \
	X(TFLITE_STRING, "tflite-string", MALFORMED, HIGH, \
	  "a text that is no UTF-8, or does not end in a NUL", \
	  "Readers in C run on behind it.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 2") \
	X(TFLITE_OVERLAP, "tflite-overlap", AMBIGUOUS, HIGH, \
	  "bytes that belong to two objects", \
	  "What one reader takes for data the other takes for structure.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 2") \
	X(TFLITE_HOLE, "tflite-hole", AMBIGUOUS, MEDIUM, \
	  "bytes other than zero that belong to nothing", \
	  "Something can hide there.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 8") \
	X(TFLITE_TRAILING_BYTES, "tflite-trailing-bytes", AMBIGUOUS, HIGH, \
	  "bytes behind the model", \
	  "Another file can hide there.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 8") \
	X(TFLITE_VERSION, "tflite-version", MALFORMED, HIGH, \
	  "a schema version other than 3", \
	  "No runtime reads it.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 3") \
	X(TFLITE_UNSUPPORTED, "tflite-unsupported", UNSUPPORTED, MEDIUM, \
	  "a field, type or operator that this build does not know", \
	  "Newer converters write it; what it means is not examined.", \
	  "Ask for a newer release of this program.", "formats/tflite, section 3") \
	X(TFLITE_INDEX, "tflite-index", MALFORMED, HIGH, \
	  "a number of a tensor, buffer, operator or subgraph that does not exist", \
	  "Runtimes that trust it read and write outside of their arrays (CVE-2020-15211).", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 3") \
	X(TFLITE_TENSOR_SIZE, "tflite-tensor-size", MALFORMED, HIGH, \
	  "a tensor whose shape, type and data do not agree", \
	  "Kernels go by the shape and run out of the data.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 4") \
	X(TFLITE_SPARSITY, "tflite-sparsity", MALFORMED, HIGH, \
	  "a sparse tensor whose indices contradict its shape", \
	  "Kernels write outside of the dense tensor they make (CVE-2022-23560).", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 4") \
	X(TFLITE_BUFFER, "tflite-buffer", MALFORMED, HIGH, \
	  "a buffer in the wrong place, or a first buffer that is not empty", \
	  "Tensors without data point to the first buffer.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 4") \
	X(TFLITE_BUFFER_UNUSED, "tflite-buffer-unused", QUALITY, LOW, \
	  "a buffer with data that nothing refers to", \
	  "No runtime reads it: a converter left it behind, or somebody put it there for something else.", \
	  "Convert the model again.", "formats/tflite, section 4") \
	X(TFLITE_QUANT, "tflite-quant", MALFORMED, HIGH, \
	  "quantisation with scales that are not positive numbers, or not one for each channel", \
	  "Kernels divide by them and index them by channel.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 4") \
	X(TFLITE_SUBGRAPH_CYCLE, "tflite-subgraph-cycle", MALFORMED, HIGH, \
	  "subgraphs that call each other in a circle", \
	  "The runtime prepares them until its stack ends.", \
	  "Write the model with the TensorFlow Lite converter.", "formats/tflite, section 5") \
	X(TFLITE_CUSTOM_OP, "tflite-custom-op", CODE, MEDIUM, \
	  "an operator that the application has to bring", \
	  "What it does is not in the model.", \
	  "Use the operators of TensorFlow Lite, or allow it by policy.", "formats/tflite, section 5") \
	X(TFLITE_FLEX_OP, "tflite-flex-op", CODE, MEDIUM, \
	  "an operator that needs the whole of TensorFlow", \
	  "It can be any operator of TensorFlow.", \
	  "Convert without SELECT_TF_OPS.", "formats/tflite, section 5") \
	X(TFLITE_ASSOCIATED_FILES, "tflite-associated-files", QUALITY, INFO, \
	  "an archive of associated files behind the model", \
	  "TensorFlow Lite's metadata writer puts labels and vocabularies there.", \
	  "Nothing to do.", "formats/tflite, section 6")
/* clang-format on */
