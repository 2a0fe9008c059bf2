/* Findings of chat templates: one row for each rule, two codes, in GGUF metadata and elsewhere (formats/gguf, section 8;
 * formats/others, Decisions 7). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_TEMPLATE_FAMILY(X, name, prefix)                                                                  \
	X(name##_DUNDER, prefix "dunder", MALICIOUS, CRITICAL,                                                         \
	  "a chat template names Python internals such as __class__",                                                  \
	  "They lead from any value to every class and function: rendering the template runs whatever it says.",       \
	  "Remove the expression; a prompt that must mention such a name belongs in a message, not in a block.",       \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_INTROSPECTION, prefix "introspection", MALICIOUS, CRITICAL,                                           \
	  "a chat template looks up attributes by names that it computes or hides",                                    \
	  "This is how a template reaches Python internals without spelling them.",                                    \
	  "Write keys and attributes as plain names.",                                                                 \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_LADDER, prefix "ladder", MALICIOUS, HIGH,                                                             \
	  "a chat template uses a global that leads out of it, such as lipsum, self or request",                       \
	  "Such objects carry references to modules and secrets of the program that renders it.",                      \
	  "Use messages and the variables the template sets itself.",                                                  \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_CODE, prefix "code", MALICIOUS, CRITICAL,                                                             \
	  "a chat template names what runs programs or code, such as popen or eval",                                   \
	  "Nothing a prompt needs is called like this.",                                                               \
	  "Remove the call.",                                                                                          \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_LOAD, prefix "load", CODE, HIGH,                                                                      \
	  "a chat template imports, includes or extends another",                                                      \
	  "What it loads is not in the file and was not seen.",                                                        \
	  "Write the template in one piece.",                                                                          \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_ESCAPE, prefix "escape", AMBIGUOUS, MEDIUM,                                                           \
	  "a chat template spells ordinary characters with escapes",                                                   \
	  "Nobody needs an escape for a letter, a dot or an underscore but to hide a word from a search.",             \
	  "Write the characters themselves.",                                                                          \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_DOS, prefix "dos", QUALITY, MEDIUM,                                                                   \
	  "a chat template counts, nests or repeats beyond any use",                                                   \
	  "Rendering it takes the time and memory of the program that does.",                                          \
	  "Loop over messages, at most four loops deep.",                                                              \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_LENGTH, prefix "length", INCOMPLETE, HIGH,                                                            \
	  "a chat template is longer than a scan examines",                                                            \
	  "The longest published is a twentieth of the limit; the rest of this one was not seen.",                     \
	  "Shorten the template.",                                                                                     \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_UNKNOWN_TAG, prefix "unknown-tag", UNSUPPORTED, MEDIUM,                                               \
	  "a chat template holds a block that is no known tag or filter, or cannot be read as one",                    \
	  "What it does depends on the program that renders it.",                                                      \
	  "Use the tags and filters of Jinja 2, and close every block.",                                               \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_HIDDEN_TEXT, prefix "hidden-text", AMBIGUOUS, MEDIUM,                                                 \
	  "a chat template holds text that people do not see, or that only certain words in a message bring out",      \
	  "Instructions hidden in a template steer the model and are seen by nobody who uses it.",                     \
	  "Remove invisible characters, and text that depends on what a user writes.",                                 \
	  "formats/gguf, section 8")                                                                                   \
	X(name##_UNPROVABLE, prefix "unprovable", UNSUPPORTED, MEDIUM,                                                 \
	  "a chat template calls what is not known to be harmless",                                                    \
	  "A function under a name of the template's own may be any function, and what it is given may get anywhere.", \
	  "Call macros, and functions of the renderer, by their own names.",                                           \
	  "formats/gguf, section 8")

#define WLK_FINDINGS_TEMPLATE(X)                                             \
	WLK_FINDINGS_TEMPLATE_FAMILY(X, GGUF_TEMPLATE, "gguf-template-")     \
	WLK_FINDINGS_TEMPLATE_FAMILY(X, TEMPLATE, "template-")
/* clang-format on */
