/* Findings about Keras' configurations (lib/judges/keras/keras_*.c), in the order of formats/keras-hdf5, sections 2 and 3. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_KERAS(X)                                                                                          \
	X(KERAS_JSON_SYNTAX, "keras-json-syntax", MALFORMED, HIGH,                                                     \
	  "the model's configuration is not JSON",                                                                     \
	  "Each loader stops, or goes on, somewhere else.",                                                            \
	  "Save the model with Keras.", "formats/keras-hdf5, K3")                                                      \
	X(KERAS_JSON_DUPLICATE, "keras-json-duplicate", AMBIGUOUS, HIGH,                                               \
	  "a key twice in one object of the configuration",                                                            \
	  "Python keeps the last, others the first: they build different models.",                                     \
	  "Save the model with Keras.", "formats/keras-hdf5, K3")                                                      \
	X(KERAS_JSON_NONFINITE, "keras-json-nonfinite", MALFORMED, HIGH,                                               \
	  "NaN or Infinity in the configuration, which JSON does not have",                                            \
	  "Python reads it, other loaders refuse it.",                                                                 \
	  "Save the model without infinite settings.", "formats/keras-hdf5, K3")                                       \
	X(KERAS_JSON_DEPTH, "keras-json-depth", MALFORMED, HIGH,                                                       \
	  "the configuration is nested too deeply",                                                                    \
	  "Loaders that recurse run out of stack.",                                                                    \
	  "Flatten the model.", "formats/keras-hdf5, decision 6")                                                      \
	X(KERAS_JSON_SIZE, "keras-json-size", MALFORMED, HIGH,                                                         \
	  "the configuration is larger than any model's",                                                              \
	  "Loaders read it into memory as a whole.",                                                                   \
	  "Save the model with Keras.", "formats/keras-hdf5, K2")                                                      \
	X(KERAS_MEMBER_MISSING, "keras-member-missing", MALFORMED, HIGH,                                               \
	  "the archive lacks the configuration, the metadata or the weights",                                          \
	  "It is no model; what is in it is there for something else.",                                                \
	  "Save the model with Keras.", "formats/keras-hdf5, K1")                                                      \
	X(KERAS_MEMBER_UNEXPECTED, "keras-member-unexpected", QUALITY, MEDIUM,                                         \
	  "the archive holds a member that Keras does not write, or weights that are none",                            \
	  "Loaders ignore it, or unpack it to disk.",                                                                  \
	  "Save the model with Keras.", "formats/keras-hdf5, K1")                                                      \
	X(KERAS_METADATA, "keras-metadata", QUALITY, MEDIUM,                                                           \
	  "metadata other than Keras' version and the date",                                                           \
	  "Keras writes nothing else there, and does not look.",                                                       \
	  "Save the model with Keras.", "formats/keras-hdf5, K8")                                                      \
	X(KERAS_ASSET_TRAVERSAL, "keras-asset-traversal", MALICIOUS, HIGH,                                             \
	  "an asset whose name leads out of its folder, or to an address",                                             \
	  "Keras unpacks assets to disk under their names (CVE-2026-12479).",                                          \
	  "Name assets plainly.", "formats/keras-hdf5, K5")                                                            \
	X(KERAS_NAME_TRAVERSAL, "keras-name-traversal", MALICIOUS, HIGH,                                               \
	  "a layer's name leads out of its folder",                                                                    \
	  "Keras makes paths of names (CVE-2026-12479).",                                                              \
	  "Name layers plainly.", "formats/keras-hdf5, K6")                                                            \
	X(KERAS_LAMBDA_CODE, "keras-lambda-code", MALICIOUS, CRITICAL,                                                 \
	  "a layer with Python bytecode",                                                                              \
	  "Loading the model runs it (CVE-2024-3660).",                                                                \
	  "Replace Lambda by a layer or an operation of Keras.", "formats/keras-hdf5, section 2.2")                    \
	X(KERAS_LAMBDA_FUNCTION, "keras-lambda-function", CODE, HIGH,                                                  \
	  "a Lambda layer that names a function",                                                                      \
	  "The name decides what runs, with arguments from the file.",                                                 \
	  "Replace Lambda by a layer or an operation of Keras.", "formats/keras-hdf5, section 2.2")                    \
	X(KERAS_LAMBDA_BUILTIN, "keras-lambda-builtin", CODE, MEDIUM,                                                  \
	  "a Lambda layer that names an operation of Keras",                                                           \
	  "The operation is harmless; loaders still have to be told to trust it.",                                     \
	  "Use the operation without Lambda.", "formats/keras-hdf5, section 2.2")                                      \
	X(KERAS_MODULE_FOREIGN, "keras-module-foreign", CODE, HIGH,                                                    \
	  "a class or function of a module outside Keras",                                                             \
	  "Loaders import whatever module is named (CVE-2025-1550).",                                                  \
	  "Use classes of Keras, or register them in the program that loads the model.",                               \
	  "formats/keras-hdf5, section 2.2")                                                                           \
	X(KERAS_MODULE_DANGEROUS, "keras-module-dangerous", MALICIOUS, CRITICAL,                                       \
	  "a class or function of a module that runs programs or opens files",                                         \
	  "Loaders import whatever module is named (CVE-2025-1550).",                                                  \
	  "Nothing honest does this.", "formats/keras-hdf5, section 2.2")                                              \
	X(KERAS_FUNCTION_NONMODELING, "keras-function-nonmodeling", MALICIOUS, CRITICAL,                               \
	  "a function of Keras that loads, saves, downloads or turns off protection",                                  \
	  "A configuration that calls it does so when the model is loaded (CVE-2025-8747, CVE-2025-9906).",            \
	  "Nothing honest does this.", "formats/keras-hdf5, section 2.2")                                              \
	X(KERAS_BUILTIN_FUNCTION, "keras-builtin-function", CODE, MEDIUM,                                              \
	  "a function that is none of Keras' own",                                                                     \
	  "The program that loads the model has to supply it.",                                                        \
	  "Use functions of Keras.", "formats/keras-hdf5, decision 1")                                                 \
	X(KERAS_TORCH_MODULE, "keras-torch-module", MALICIOUS, CRITICAL,                                               \
	  "a layer that wraps a PyTorch module",                                                                       \
	  "It is unpickled when the model is loaded (CVE-2025-49655).",                                                \
	  "Convert the module to layers of Keras.", "formats/keras-hdf5, section 2.2")                                 \
	X(KERAS_TFSM_LAYER, "keras-tfsm-layer", MALICIOUS, HIGH,                                                       \
	  "a layer that loads another model from a path",                                                              \
	  "That model runs, and it is not in this file (CVE-2026-1462).",                                              \
	  "Put the other model's layers into this one.", "formats/keras-hdf5, section 2.2")                            \
	X(KERAS_JAX_LAYER, "keras-jax-layer", CODE, HIGH,                                                              \
	  "a layer made of functions of JAX or Flax",                                                                  \
	  "Its functions are looked up, or unpacked, when the model is loaded.",                                       \
	  "Convert it to layers of Keras.", "formats/keras-hdf5, section 2.2")                                         \
	X(KERAS_VOCABULARY_PATH, "keras-vocabulary-path", MALICIOUS, HIGH,                                             \
	  "a vocabulary that is read from a path",                                                                     \
	  "Loading the model reads that file, or fetches that address (CVE-2025-12058).",                              \
	  "Save the vocabulary as a list.", "formats/keras-hdf5, section 2.2")                                         \
	X(KERAS_TF_OP_LAMBDA, "keras-tf-op-lambda", CODE, MEDIUM,                                                      \
	  "a layer made of a TensorFlow operation",                                                                    \
	  "Any operation can be named; this one was not judged.",                                                      \
	  "Use layers of Keras.", "formats/keras-hdf5, section 2.2")                                                   \
	X(KERAS_CUSTOM_OBJECT, "keras-custom-object", CODE, MEDIUM,                                                    \
	  "a class that the program which loads the model has to supply",                                              \
	  "What it does is not in this file.",                                                                         \
	  "Ship its source, and read it before loading the model.", "formats/keras-hdf5, decision 2")                  \
	X(KERAS_REGISTERED_NAME, "keras-registered-name", AMBIGUOUS, HIGH,                                             \
	  "a class of Keras under the name of another",                                                                \
	  "Scanners read one name and loaders the other.",                                                             \
	  "Save the model with Keras.", "formats/keras-hdf5, section 2.2")                                             \
	X(KERAS_EMBEDDED_CODE, "keras-embedded-code", CODE, MEDIUM,                                                    \
	  "a string that decodes to bytecode or a pickle",                                                             \
	  "Nothing in a configuration needs one.",                                                                     \
	  "Take it out.", "formats/keras-hdf5, section 2.2")                                                           \
	X(KERAS_PATH_IN_CONFIG, "keras-path-in-config", QUALITY, MEDIUM,                                               \
	  "a path or address in the configuration",                                                                    \
	  "Loaders that follow it read or fetch something that is not in this file.",                                  \
	  "Save the model without paths.", "formats/keras-hdf5, section 2.2")
/* clang-format on */
