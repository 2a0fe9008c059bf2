/* Findings about what a file is, beside those of findings/common.h and findings/wrapper.h: formats/others, sections 1 and 2
 * and Decisions 1 to 3. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_IDENTIFY(X)                                                                                       \
	X(FORMAT_EXECUTABLE, "format-executable", CODE, HIGH,                                                          \
	  "a program",                                                                                                 \
	  "It runs on a machine or in an interpreter; it is no model, whatever it is called.",                         \
	  "Publish programs apart from models.", "formats/others, Decisions 1")                                        \
	X(FORMAT_HTML, "format-html", CODE, MEDIUM,                                                                    \
	  "an HTML page",                                                                                              \
	  "A browser that is given it runs the scripts in it; often it is a site's error page instead of a model.",    \
	  "Fetch the file again, or publish pages apart from models.", "formats/others, Decisions 3")                  \
	X(FORMAT_NAME_DIFFERS, "format-name-differs", AMBIGUOUS, MEDIUM,                                               \
	  "the name suggests another family of formats than the content",                                              \
	  "Nobody is attacked by it, but programs that go by the name fail, or do something else with it.",            \
	  "Give the file the name of its format.", "formats/others, Decisions 1")                                      \
	X(CONFIG_TARGET, "config-target", MALICIOUS, HIGH,                                                             \
	  "a configuration names something dangerous to be called",                                                    \
	  "Loaders in the manner of Hydra import and call what `_target_` names, with arguments from the file.",       \
	  "Remove the entry.", "formats/others, section 1 (Hydra-style configs)")                                      \
	X(CONFIG_TARGET_UNLISTED, "config-target-unlisted", CODE, MEDIUM,                                              \
	  "a configuration names something to be called that is not known to be harmless",                             \
	  "Loaders in the manner of Hydra import and call what `_target_` names, with arguments from the file.",       \
	  "Let the program choose its classes from a list of its own.", "formats/others, section 1 (NeMo)")            \
	X(CONFIG_AUTO_MAP, "config-auto-map", CODE, MEDIUM,                                                            \
	  "a configuration asks for code of the repository",                                                           \
	  "With trust_remote_code the classes that auto_map names are imported from the repository and run.",          \
	  "Use a model class that the library has, or have the code reviewed.",                                        \
	  "formats/others, section 1 (Hydra-style configs)")                                                           \
	X(YAML_PYTHON_TAG, "yaml-python-tag", MALICIOUS, HIGH,                                                         \
	  "YAML with a tag that makes Python objects",                                                                 \
	  "An unsafe loader imports and calls what such a tag names.",                                                 \
	  "Write plain YAML.", "formats/others, section 1 (Hydra-style configs)")                                      \
	X(ZSTD_SKIPPABLE, "zstd-skippable", AMBIGUOUS, HIGH,                                                           \
	  "a frame that Zstandard skips stands in front of the data",                                                  \
	  "It is room for another file that no reader of this one sees.",                                              \
	  "Compress the file again.", "formats/others, section 2")                                                     \
	X(ZSTD_MULTI_FRAME, "zstd-multi-frame", AMBIGUOUS, MEDIUM,                                                     \
	  "several Zstandard frames in a row",                                                                         \
	  "Some readers read on through all of them, others stop behind the first.",                                   \
	  "Compress the file in one piece.", "formats/others, Decisions 3")
/* clang-format on */
