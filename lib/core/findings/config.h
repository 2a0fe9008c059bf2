/* Findings about what configurations make a loader do: formats/configs. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_CONFIG(X)                                                                                         \
	X(CONFIG_IMPORT, "config-import", MALICIOUS, HIGH,                                                             \
	  "a configuration names a dangerous module or class to be imported",                                          \
	  "The loader imports what the entry names and nobody is asked; this name runs commands, loads code or opens connections.", \
	  "Remove the entry.", "formats/configs, section 1")                                                           \
	X(CONFIG_IMPORT_UNLISTED, "config-import-unlisted", CODE, MEDIUM,                                              \
	  "a configuration names a module or class to be imported that nobody vouches for",                            \
	  "The loader imports what the entry names: whatever package is installed under that name runs.",              \
	  "Name a class of the library, or allow the name in the policy.", "formats/configs, section 1")               \
	X(CONFIG_CODE_FILE, "config-code-file", CODE, HIGH,                                                            \
	  "a configuration has a program of the repository run, and nobody is asked",                                  \
	  "Loaders run the file that the entry names as soon as the configuration is read.",                           \
	  "Remove the entry, or put the code into a package.", "formats/configs, section 1.2")                         \
	X(CONFIG_REMOTE_CODE, "config-remote-code", CODE, HIGH,                                                        \
	  "a configuration has code of another repository run, and nobody is asked",                                   \
	  "The loader fetches and runs what that repository holds on that day; it can change after any verdict.",      \
	  "Remove the entry.", "formats/configs, section 1")                                                           \
	X(CONFIG_REMOTE_CODE_GATED, "config-remote-code-gated", CODE, MEDIUM,                                          \
	  "a configuration asks for code of another repository",                                                       \
	  "With trust_remote_code the loader fetches and runs what that repository holds on that day.",                \
	  "Copy the code into this repository and have it reviewed.", "formats/configs, section 1.2")                  \
	X(CONFIG_TRUST_FLAG, "config-trust-flag", CODE, MEDIUM,                                                        \
	  "a configuration says itself that foreign code is trusted",                                                  \
	  "Loaders that hand their configuration on take this for the consent of the caller.",                         \
	  "Remove the entry: only who loads a model can trust its code.", "formats/configs, section 2.1")              \
	X(CONFIG_TRUST_FLAG_RECORDED, "config-trust-flag-recorded", CODE, LOW,                                         \
	  "the record of a training run says that foreign code was trusted",                                           \
	  "No loader of models reads it.",                                                                             \
	  "Nothing has to be done.", "formats/configs, section 2.1")                                                   \
	X(CONFIG_EXPRESSION_DANGEROUS, "config-expression-dangerous", MALICIOUS, HIGH,                                 \
	  "a configuration holds an expression that calls something dangerous",                                        \
	  "The loader gives the text to eval().",                                                                      \
	  "Remove the entry.", "formats/configs, section 3.3")                                                         \
	X(CONFIG_EXPRESSION, "config-expression", CODE, MEDIUM,                                                        \
	  "a configuration holds an expression that a loader evaluates",                                               \
	  "The loader gives the text to eval(); what it does is not judged.",                                          \
	  "Write the value instead.", "formats/configs, section 3.3")                                                  \
	X(CONFIG_LIBRARY, "config-library", CODE, HIGH,                                                                \
	  "a configuration names a library of machine code to be loaded",                                              \
	  "The loader opens the library, whose code runs at once.",                                                    \
	  "Install libraries with the program that needs them, not with a model.", "formats/configs, section 2.3")     \
	X(CONFIG_LIBRARY_VENDOR, "config-library-vendor", CODE, MEDIUM,                                                \
	  "a configuration names a vendor's library of machine code",                                                  \
	  "The loader opens whatever it finds under that name, in the folder of the model first.",                     \
	  "Install the library with the runtime.", "formats/configs, section 2.3")                                     \
	X(CONFIG_PATH_ESCAPE, "config-path-escape", MALICIOUS, HIGH,                                                   \
	  "a path in a configuration leaves the folder of the model",                                                  \
	  "The loader opens the file that it leads to.",                                                               \
	  "Name files of the model's own folder.", "formats/configs, section 1")                                       \
	X(CONFIG_PATH_ABSOLUTE, "config-path-absolute", AMBIGUOUS, MEDIUM,                                             \
	  "a path in a configuration is absolute",                                                                     \
	  "The loader opens the file of that name on the machine that loads.",                                         \
	  "Name files of the model's own folder.", "formats/configs, section 1")                                       \
	X(CONFIG_REQUIREMENT_INSECURE, "config-requirement-insecure", CODE, HIGH,                                      \
	  "packages are to be installed from where anybody can change them",                                           \
	  "What comes by plain HTTP, or from a host whose name nobody checks, is what the network says it is.",        \
	  "Use an index with HTTPS.", "formats/configs, section 2.3")                                                  \
	X(CONFIG_REQUIREMENT, "config-requirement", CODE, MEDIUM,                                                      \
	  "packages are to be installed from elsewhere than the usual index",                                          \
	  "Installing a package runs its code.",                                                                       \
	  "Pin packages of the usual index.", "formats/configs, section 2.3")                                          \
	X(CONFIG_ENVIRONMENT_SECRET, "config-environment-secret", CODE, MEDIUM,                                        \
	  "a configuration takes a secret of the machine that loads it",                                               \
	  "The variable's name says that it is a key or a token; its value goes where the configuration says.",        \
	  "Remove the entry.", "formats/configs, section 3.3")                                                         \
	X(CONFIG_ENVIRONMENT, "config-environment", CODE, LOW,                                                         \
	  "a configuration takes a variable of the machine that loads it",                                             \
	  "Its value goes where the configuration says.",                                                              \
	  "Write the value instead.", "formats/configs, section 3.3")                                                  \
	X(CONFIG_CODE_IN_SET, "config-code-in-set", CODE, INFO,                                                        \
	  "a configuration names code of its repository, and the folder is judged with it",                            \
	  "Whether the code is there, and what that means, is the verdict of the set.",                                \
	  "Nothing has to be done.", "formats/configs, section 1.2")                                                   \
	X(CONFIG_CODE_MISSING, "config-code-missing", CODE, MEDIUM,                                                    \
	  "a configuration asks for code that is not in the folder",                                                   \
	  "Whoever adds the file later adds code that nobody has seen.",                                               \
	  "Remove the entry, or publish the file with it.", "formats/configs, section 1.2")                            \
	X(CONFIG_DIGEST, "config-digest", MALFORMED, HIGH,                                                             \
	  "what should be a digest is none",                                                                           \
	  "The loader makes a path of it.",                                                                            \
	  "Fetch the manifest again.", "formats/configs, section 2.3")                                                 \
	X(CONFIG_LIMIT, "config-limit", INCOMPLETE, MEDIUM,                                                            \
	  "a configuration has more entries than are looked at",                                                       \
	  "Configurations have hundreds of entries that loaders act on; this one has many thousands.",                 \
	  "Judge it in smaller pieces.", "formats/configs, section 3.1")                                               \
	X(CONFIG_YAML_PYTHON_VALUE, "config-yaml-python-value", QUALITY, LOW,                                          \
	  "YAML with a tag for a plain value of Python",                                                               \
	  "Safe loaders refuse it; others make a tuple, a number or a text of it.",                                    \
	  "Write plain YAML.", "formats/configs, section 5")                                                           \
	X(CONFIG_YAML_OBJECT, "config-yaml-object", CODE, MEDIUM,                                                      \
	  "YAML with a tag that makes a harmless object of Python, or names one",                                      \
	  "Loaders that make it make others as well.",                                                                 \
	  "Write plain YAML.", "formats/configs, section 5")                                                           \
	X(CONFIG_YAML_FOREIGN, "config-yaml-foreign", CODE, HIGH,                                                      \
	  "YAML with a tag that makes objects of another language",                                                    \
	  "A loader of that language makes what the tag names, and with some classes that runs commands.",             \
	  "Write plain YAML.", "formats/configs, section 5")                                                           \
	X(CONFIG_YAML_TAG, "config-yaml-tag", CODE, MEDIUM,                                                            \
	  "YAML with a tag whose reader decides what it does",                                                         \
	  "It names something, or stands where a library's loader reads it.",                                          \
	  "Write plain YAML.", "formats/configs, section 5")                                                           \
	X(CONFIG_YAML_TAG_LOCAL, "config-yaml-tag-local", QUALITY, LOW,                                                \
	  "YAML with a tag of some program's own",                                                                     \
	  "Only that program gives it a meaning.",                                                                     \
	  "Nothing has to be done.", "formats/configs, section 5")                                                     \
	X(CONFIG_YAML_EXPANSION, "config-yaml-expansion", QUALITY, MEDIUM,                                             \
	  "YAML that becomes many times larger when its aliases are followed",                                         \
	  "Who copies what aliases stand for runs out of memory.",                                                     \
	  "Write the values where they are used.", "formats/configs, section 5")                                       \
	X(CONFIG_YAML_DUPLICATE_KEY, "config-yaml-duplicate-key", AMBIGUOUS, MEDIUM,                                   \
	  "a key is given twice in YAML that loaders act on",                                                          \
	  "Readers take the first, the last, or none.",                                                                \
	  "Give each key once.", "formats/configs, section 5")                                                         \
	X(CONFIG_YAML_DUPLICATE_KEY_LOCAL, "config-yaml-duplicate-key-local", AMBIGUOUS, LOW,                          \
	  "a key is given twice in YAML",                                                                              \
	  "Readers take the first, the last, or none.",                                                                \
	  "Give each key once.", "formats/configs, section 5")                                                         \
	X(CONFIG_YAML_AMBIGUOUS, "config-yaml-ambiguous", AMBIGUOUS, MEDIUM,                                           \
	  "YAML that parsers read differently",                                                                        \
	  "Several documents in one file, or line breaks that only YAML 1.1 knows.",                                   \
	  "Write one document with usual line breaks.", "formats/configs, section 5")                                  \
	X(CONFIG_YAML_DEPTH, "config-yaml-depth", QUALITY, MEDIUM,                                                     \
	  "YAML nested too deeply",                                                                                    \
	  "Parsers need time that grows with the square of the depth, or stack.",                                      \
	  "Nest less.", "formats/configs, section 5")                                                                  \
	X(CONFIG_YAML_SYNTAX, "config-yaml-syntax", AMBIGUOUS, MEDIUM,                                                 \
	  "a library's configuration that is not YAML",                                                                \
	  "What one parser refuses another may take.",                                                                 \
	  "Write plain YAML.", "formats/configs, section 5")                                                           \
	X(CONFIG_YAML_SYNTAX_LOCAL, "config-yaml-syntax-local", AMBIGUOUS, LOW,                                        \
	  "a file that is called YAML and is not",                                                                     \
	  "What one parser refuses another may take.",                                                                 \
	  "Write plain YAML.", "formats/configs, section 5")
/* clang-format on */
