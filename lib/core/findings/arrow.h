/* Findings of the Arrow readers (lib/formats/arrow/arrow*.c), in the order of formats/arrow. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_ARROW(X) \
	X(ARROW_STRUCTURE, "arrow-structure", MALFORMED, HIGH, \
	  "an Arrow file whose footer, messages or buffers contradict each other or the file", \
	  "Readers follow such offsets and lengths straight into their memory.", \
	  "Write the file again with an Arrow library.", "formats/arrow, sections 2 to 4") \
	X(ARROW_SCHEMA_DIFFERS, "arrow-schema-differs", AMBIGUOUS, HIGH, \
	  "two schemas that differ, or a second one", \
	  "Readers of the file go by the footer, readers of the stream by the first message: they see two tables.", \
	  "Write the file again with an Arrow library.", "formats/arrow, section 3") \
	X(ARROW_OVERLAP, "arrow-overlap", AMBIGUOUS, HIGH, \
	  "bytes that belong to two messages, tables or buffers", \
	  "What one reader takes for data the other takes for structure.", \
	  "Write the file again with an Arrow library.", "formats/arrow, section 5") \
	X(ARROW_HOLE, "arrow-hole", AMBIGUOUS, MEDIUM, \
	  "bytes other than zero that belong to nothing", \
	  "Something can hide there.", \
	  "Write the file again with an Arrow library.", "formats/arrow, section 5") \
	X(ARROW_TRAILING_BYTES, "arrow-trailing-bytes", AMBIGUOUS, HIGH, \
	  "bytes behind the end of the stream", \
	  "Another file can hide there.", \
	  "Write the stream again with an Arrow library.", "formats/arrow, section 5") \
	X(ARROW_UNSUPPORTED, "arrow-unsupported", UNSUPPORTED, MEDIUM, \
	  "a version, message, field or type that this build does not know", \
	  "What it means is not examined.", \
	  "Write tables with metadata version 4 or 5.", "formats/arrow, section 3") \
	X(ARROW_PY_EXTENSION, "arrow-py-extension", MALICIOUS, CRITICAL, \
	  "a column of pyarrow's PyExtensionType", \
	  "Reading the schema unpickles what stands beside it (CVE-2023-47248).", \
	  "Use an extension type that is registered under a name of its own.", "formats/others, section 1 (Arrow)") \
	X(ARROW_EXTENSION_TYPE, "arrow-extension-type", CODE, MEDIUM, \
	  "a column of an extension type", \
	  "A class that is registered under this name is given the metadata; what it does is not in the file.", \
	  "Store the column in its storage type, or allow it by policy.", "formats/others, Decisions 3")
/* clang-format on */
