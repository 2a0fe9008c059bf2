/* The tables of Arrow's IPC format, metadata version 5: see arrow_impl.h, and flatbuffers.h for the letters. */
#include "arrow_impl.h"

const struct fb_schema arrow_footer = { "Footer", "2ryyV" };
const struct fb_schema arrow_message = { "Message", "2uU8V" };
const struct fb_schema arrow_schema = { "Schema", "2VVl" };
const struct fb_schema arrow_field = { "Field", "s1uUrVV" };
/* Values are texts that need not be UTF-8: their NUL is what lies between objects. */
const struct fb_schema arrow_key_value = { "KeyValue", "sb" };
const struct fb_schema arrow_encoding = { "DictionaryEncoding", "8r12" };
const struct fb_schema arrow_record_batch = { "RecordBatch", "8xxrl" };
const struct fb_schema arrow_dictionary_batch = { "DictionaryBatch", "8r1" };
const struct fb_schema arrow_compression = { "BodyCompression", "11" };

/* By number.  An empty line is a table without fields. */
static const struct fb_schema types[ARROW_N_TYPES] = {
	[ARROW_NULL] = { "Null", "" },
	[ARROW_INT] = { "Int", "41" },
	[ARROW_FLOAT] = { "FloatingPoint", "2" },
	[ARROW_BINARY] = { "Binary", "" },
	[ARROW_UTF8] = { "Utf8", "" },
	[ARROW_BOOL] = { "Bool", "" },
	[ARROW_DECIMAL] = { "Decimal", "444" },
	[ARROW_DATE] = { "Date", "2" },
	[ARROW_TIME] = { "Time", "24" },
	[ARROW_TIMESTAMP] = { "Timestamp", "2s" },
	[ARROW_INTERVAL] = { "Interval", "2" },
	[ARROW_LIST] = { "List", "" },
	[ARROW_STRUCT] = { "Struct_", "" },
	[ARROW_UNION] = { "Union", "2i" },
	[ARROW_FIXED_BINARY] = { "FixedSizeBinary", "4" },
	[ARROW_FIXED_LIST] = { "FixedSizeList", "4" },
	[ARROW_MAP] = { "Map", "1" },
	[ARROW_DURATION] = { "Duration", "2" },
	[ARROW_LARGE_BINARY] = { "LargeBinary", "" },
	[ARROW_LARGE_UTF8] = { "LargeUtf8", "" },
	[ARROW_LARGE_LIST] = { "LargeList", "" },
	[ARROW_RUN_END] = { "RunEndEncoded", "" },
	[ARROW_BINARY_VIEW] = { "BinaryView", "" },
	[ARROW_UTF8_VIEW] = { "Utf8View", "" },
	[ARROW_LIST_VIEW] = { "ListView", "" },
	[ARROW_LARGE_LIST_VIEW] = { "LargeListView", "" },
};

const struct fb_schema *arrow_type_table(uint64_t type)
{
	return type != ARROW_NONE && type < ARROW_N_TYPES ? &types[type] : NULL;
}
