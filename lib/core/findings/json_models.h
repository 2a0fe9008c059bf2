/* Findings about models, or parts of them, that are JSON or YAML: TensorFlow.js, Keras' architectures, zarr
 * (tfjs.c, zarr.c, keras_yaml.c).  Follows formats/others, section 1. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_JSON_MODELS(X)                                                                                    \
	X(KERAS_YAML, "keras-yaml", UNSUPPORTED, MEDIUM,                                                               \
	  "a Keras model as YAML, which is not looked into",                                                           \
	  "Keras gave up YAML because loading it could run code (CVE-2021-37678).",                                    \
	  "Save the model with Keras.", "formats/keras-hdf5, section 2.2")                                             \
	X(TFJS_MANIFEST, "tfjs-manifest", MALFORMED, HIGH,                                                             \
	  "the list of weights of a TensorFlow.js model is malformed",                                                 \
	  "Loaders cut the weights out of the files by it.",                                                           \
	  "Convert the model again.", "formats/others, section 1 (TensorFlow.js)")                                     \
	X(TFJS_PATH, "tfjs-path", MALICIOUS, HIGH,                                                                     \
	  "a file of weights whose path leads out of the model's folder",                                              \
	  "Loaders open, or fetch, what it names.",                                                                    \
	  "Keep weights beside the model.", "formats/others, section 1 (TensorFlow.js)")                               \
	X(TFJS_NAME_DUPLICATE, "tfjs-name-duplicate", AMBIGUOUS, HIGH,                                                 \
	  "a weight, or a file, is given twice",                                                                       \
	  "Loaders keep the first or the last: they load different models.",                                           \
	  "Convert the model again.", "formats/others, section 1 (TensorFlow.js)")                                     \
	X(TFJS_DTYPE, "tfjs-dtype", MALFORMED, HIGH,                                                                   \
	  "a type of element, or a quantization, that TensorFlow.js does not have",                                    \
	  "Loaders cannot know how long the weight is.",                                                               \
	  "Convert the model again.", "formats/others, section 1 (TensorFlow.js)")                                     \
	X(TFJS_SIZE, "tfjs-size", MALFORMED, HIGH,                                                                     \
	  "the files of weights are not as long as the weights",                                                       \
	  "Weights are cut out of one run of bytes: what is too much or too little moves all behind it.",              \
	  "Upload all files of one conversion.", "formats/others, section 1 (TensorFlow.js)")                          \
	X(TFJS_FILE_MISSING, "tfjs-file-missing", MALFORMED, HIGH,                                                     \
	  "a file of weights is not in the folder",                                                                    \
	  "The model does not load, or loads what somebody puts there.",                                               \
	  "Upload all files of one conversion.", "formats/others, section 1 (TensorFlow.js)")                          \
	X(TFJS_WEIGHTS_UNCHECKED, "tfjs-weights-unchecked", QUALITY, MEDIUM,                                           \
	  "weights in other files, which this verdict says nothing about",                                             \
	  "The model is not whole without them.",                                                                      \
	  "Scan the folder with all its files.", "formats/others, section 1 (TensorFlow.js)")                          \
	X(ZARR_METADATA, "zarr-metadata", MALFORMED, HIGH,                                                             \
	  "an array's description contradicts itself, or is none",                                                     \
	  "Readers allocate and decode by it.",                                                                        \
	  "Write the array again.", "formats/others, section 1 (zarr)")                                                \
	X(ZARR_PICKLE, "zarr-pickle", MALICIOUS, CRITICAL,                                                             \
	  "an array whose elements are pickles",                                                                       \
	  "Reading an element runs what is in it.",                                                                    \
	  "Store numbers or text.", "formats/others, section 1 (zarr)")                                                \
	X(ZARR_OBJECT, "zarr-object", CODE, HIGH,                                                                      \
	  "an array of Python objects without a codec that makes text of them",                                        \
	  "Readers fall back to pickles, or to a codec that the file chooses.",                                        \
	  "Store numbers or text.", "formats/others, section 1 (zarr)")                                                \
	X(ZARR_CODEC, "zarr-codec", UNSUPPORTED, MEDIUM,                                                               \
	  "a codec that this build does not know",                                                                     \
	  "Readers look it up among the codecs that packages have registered, and run it.",                            \
	  "Use a codec that every reader has.", "formats/others, section 1 (zarr)")
/* clang-format on */
