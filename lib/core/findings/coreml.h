/* Findings of the Core ML readers (lib/formats/coreml/coreml*.c), in the order of formats/coreml. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_COREML(X) \
	X(COREML_STRUCTURE, "coreml-structure", MALFORMED, HIGH, \
	  "bytes that are no message of Core ML, or a model without what every model has", \
	  "Readers stop here, or go on in ways of their own.", \
	  "Write the model with coremltools.", "formats/coreml, section 2") \
	X(COREML_AMBIGUOUS, "coreml-ambiguous", AMBIGUOUS, HIGH, \
	  "a message that two readers would read as two things", \
	  "Readers of protobuf keep the last of two values, merge messages, or skip a field in silence.", \
	  "Write the model with coremltools.", "formats/coreml, section 2") \
	X(COREML_UNKNOWN_FIELD, "coreml-unknown-field", UNSUPPORTED, MEDIUM, \
	  "a field that this build does not know", \
	  "Readers keep it without a look; what it means is unknown.", \
	  "Write the model with coremltools.", "formats/coreml, section 2") \
	X(COREML_VERSION, "coreml-version", UNSUPPORTED, MEDIUM, \
	  "a version of the format that this build does not know", \
	  "What it adds is not examined.", \
	  "Ask for a newer release of this program.", "formats/coreml, section 3") \
	X(COREML_CUSTOM, "coreml-custom", CODE, MEDIUM, \
	  "a custom layer, model or operator", \
	  "It names a class of the program that loads the model: what it does is not in the model.", \
	  "Use the layers of Core ML, or allow it by policy.", "formats/coreml, section 3") \
	X(COREML_PATH, "coreml-path", MALICIOUS, HIGH, \
	  "a file name that leads out of the model's package", \
	  "Loaders join it to the package and read what is there.", \
	  "Write the package with coremltools.", "formats/coreml, section 3") \
	X(COREML_WEIGHTS_HEADER, "coreml-weights-header", MALFORMED, HIGH, \
	  "a weight file without blobs, or of fewer than its header counts", \
	  "A reader runs behind the file's end.", \
	  "Write the package with coremltools.", "formats/coreml, section 4") \
	X(COREML_WEIGHTS_VERSION, "coreml-weights-version", UNSUPPORTED, MEDIUM, \
	  "a weight file of a version other than 2", \
	  "This build does not know how it is read.", \
	  "Write the package with coremltools.", "formats/coreml, section 4") \
	X(COREML_WEIGHTS_BLOB, "coreml-weights-blob", MALFORMED, HIGH, \
	  "a blob whose sentinel, type, size or offset is wrong", \
	  "A reader takes other bytes for weights than those that stand behind it.", \
	  "Write the package with coremltools.", "formats/coreml, section 4") \
	X(COREML_WEIGHTS_PADDING, "coreml-weights-padding", AMBIGUOUS, HIGH, \
	  "bytes other than zero between two blobs", \
	  "Nobody reads them: room for another file.", \
	  "Write the package with coremltools.", "formats/coreml, section 4") \
	X(COREML_WEIGHTS_TRAILING, "coreml-weights-trailing", MALFORMED, HIGH, \
	  "bytes behind the last blob that the header counts", \
	  "Nobody reads them: room for another file.", \
	  "Write the package with coremltools.", "formats/coreml, section 4") \
	X(COREML_WEIGHTS_RESERVED, "coreml-weights-reserved", QUALITY, LOW, \
	  "reserved fields of a weight file that are not zero", \
	  "Older writers left there what was in memory.", \
	  "Write the package with a newer coremltools.", "formats/coreml, section 4") \
	X(COREML_MANIFEST, "coreml-manifest", MALFORMED, HIGH, \
	  "a package's manifest without one of its parts, or with one of another kind", \
	  "Loaders refuse the package, or take another file for the model.", \
	  "Write the package with coremltools.", "formats/coreml, section 5")
/* clang-format on */
