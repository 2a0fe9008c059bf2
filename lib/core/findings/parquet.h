/* Findings of the Parquet reader (lib/formats/arrow/parquet*.c), in the order of formats/parquet. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_PARQUET(X) \
	X(PARQUET_FOOTER, "parquet-footer", MALFORMED, HIGH, \
	  "a Parquet file whose footer is cut off, has a wrong length, or is not the Thrift structure it has to be", \
	  "Thrift readers take lengths and nesting as the file gives them, and run out of memory or stack.", \
	  "Write the file again with a Parquet library.", "formats/parquet, section 2") \
	X(PARQUET_CHUNK, "parquet-chunk", MALFORMED, HIGH, \
	  "a column chunk or an index that does not lie between the magic and the footer", \
	  "Readers seek and read where the footer says.", \
	  "Write the file again with a Parquet library.", "formats/parquet, section 3") \
	X(PARQUET_OVERLAP, "parquet-overlap", AMBIGUOUS, HIGH, \
	  "column chunks or indexes that share bytes", \
	  "What is the data of one column to one reader is something else to another.", \
	  "Write the file again with a Parquet library.", "formats/parquet, section 3") \
	X(PARQUET_EXTERNAL_FILE, "parquet-external-file", CODE, MEDIUM, \
	  "a column that is said to be in another file", \
	  "A reader that goes by it opens a path that the file chose.", \
	  "Write one file with all its columns.", "formats/parquet, section 3") \
	X(PARQUET_ENCRYPTED, "parquet-encrypted", UNSUPPORTED, MEDIUM, \
	  "a footer or columns that are encrypted", \
	  "What is in them nobody can check.", \
	  "Publish the data without encryption.", "formats/parquet, section 2")
/* clang-format on */
