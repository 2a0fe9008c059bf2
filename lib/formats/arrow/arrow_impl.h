/* Apache Arrow: the IPC file (which Feather v2 is) and the IPC stream.  arrow.c the file and the stream, arrow_message.c
 * what a message is, arrow_batch.c record batches against the schema, arrow_schema.c the schema and its metadata,
 * arrow_tables.c the tables.  Follows docs/formats/arrow.md and the columnar format's page, "Serialization and IPC". */
#pragma once

#include "flatbuffers.h"
#include "format.h"

#define ARROW_DEPTH_MAX 64u

/* Type, the union: the numbers of those that something depends on. */
enum arrow_type {
	ARROW_NONE,
	ARROW_NULL,
	ARROW_INT,
	ARROW_FLOAT,
	ARROW_BINARY,
	ARROW_UTF8,
	ARROW_BOOL,
	ARROW_DECIMAL,
	ARROW_DATE,
	ARROW_TIME,
	ARROW_TIMESTAMP,
	ARROW_INTERVAL,
	ARROW_LIST,
	ARROW_STRUCT,
	ARROW_UNION,
	ARROW_FIXED_BINARY,
	ARROW_FIXED_LIST,
	ARROW_MAP,
	ARROW_DURATION,
	ARROW_LARGE_BINARY,
	ARROW_LARGE_UTF8,
	ARROW_LARGE_LIST,
	ARROW_RUN_END,
	ARROW_BINARY_VIEW,
	ARROW_UTF8_VIEW,
	ARROW_LIST_VIEW,
	ARROW_LARGE_LIST_VIEW,
	ARROW_N_TYPES
};

/* A field, of the schema in depth-first order. */
struct arrow_column {
	uint8_t type;
	bool dictionary;     /* its values are in a dictionary: batches hold indices, and none of its children */
	bool dense;          /* of a union */
	uint8_t index_bytes; /* of a dictionary */
	uint32_t list_size;  /* of a list of fixed size */
	uint32_t n_children; /* own */
	uint32_t parent;     /* its place in the list; itself: none */
	uint32_t span;       /* fields in it, itself included */
	uint64_t bits;       /* of a value of fixed width */
	uint64_t dictionary_id;
};

struct arrow {
	struct layout *l;
	struct extents claims; /* of messages and footer; they become the layout's when all of them are known */
	struct fb fb;
	struct arrow_column *columns;
	uint32_t n_columns, columns_room;
	uint64_t *lengths;    /* of the columns, in the batch at hand */
	uint64_t schema_hash; /* of all that a schema says */
	uint32_t *by_id;      /* dictionaries: place of a column + 1, by the hash of its dictionary's number */
	uint32_t n_by_id;
	uint64_t end;  /* of the last message */
	bool broken;   /* something is not understood, or can be understood in two ways */
	bool embedded; /* the bytes are in a text of another file, whose place findings have */
	uint64_t embedded_at;
};

/* Where a finding about these bytes belongs. */
static inline uint64_t arrow_offset(const struct arrow *a, uint64_t at)
{
	return a->embedded ? a->embedded_at : at;
}

/* @part: where its bytes are; that of the layout, or a copy.  Return: false: no memory (told). */
bool arrow_init(struct arrow *a, struct layout *l, const struct part *part);
/* A finding that leaves in doubt what a reader sees.  @what: static. */
void arrow_value(
    struct arrow *a, enum wlk_finding code, uint64_t at, const char *what, uint64_t found, uint64_t allowed);

/* All of these return false when nothing more can be read: a->fb.failed, and it has been told. */

/* A list of key and value, anywhere: does it name an extension type? */
bool arrow_read_metadata(struct arrow *a, const struct fb_table *t, unsigned field);
/* Replaces the columns and the hash. */
bool arrow_read_schema(struct arrow *a, uint64_t at);

enum arrow_header { ARROW_HEADER_SCHEMA = 1, ARROW_HEADER_DICTIONARY, ARROW_HEADER_BATCH, ARROW_N_HEADERS };

/* A message as it stands in the part. */
struct arrow_message {
	uint64_t begin;    /* of its prefix */
	uint64_t prefix;   /* bytes of that: 8, or 4 of older writers */
	uint64_t metadata; /* bytes behind it; 0: the end of the stream */
	uint64_t body;     /* bytes behind those, as the message itself says */
	unsigned kind;     /* enum arrow_header */
};

/* The length of what stands at m->begin, which is at most at @end, where messages end at the latest.  What does not fit is
 * told, and ends the reading. */
bool arrow_read_prefix(struct arrow *a, uint64_t end, struct arrow_message *m);
/* The message behind such a prefix.  Schemas replace the columns; batches are compared with them. */
bool arrow_read_message(struct arrow *a, uint64_t end, struct arrow_message *m);

/* A record batch against the columns it has to hold: all that are not in others, or the values of one dictionary. */
struct arrow_batch {
	uint64_t at;               /* of the table */
	uint64_t body, body_bytes; /* where its buffers are */
	uint32_t column, n;        /* in the list: from there so many */
	bool values;               /* of a dictionary, which that column refers to */
	unsigned version;          /* of the message */
};
bool arrow_read_batch(struct arrow *a, const struct arrow_batch *b);
/* The column that refers to a dictionary.  False also when there is none: *ret is n_columns then, and it has been told. */
bool arrow_find_dictionary(struct arrow *a, uint64_t id, uint64_t at, uint32_t *ret);

extern const struct fb_schema arrow_footer, arrow_message, arrow_schema, arrow_field, arrow_key_value, arrow_encoding,
    arrow_record_batch, arrow_dictionary_batch, arrow_compression;
/* A member of the union; NULL: none of this number. */
const struct fb_schema *arrow_type_table(uint64_t type);

enum { FOOTER_VERSION, FOOTER_SCHEMA, FOOTER_DICTIONARIES, FOOTER_BATCHES, FOOTER_METADATA };
enum { MESSAGE_VERSION, MESSAGE_TYPE, MESSAGE_HEADER, MESSAGE_BODY, MESSAGE_METADATA };
enum { SCHEMA_ENDIANNESS, SCHEMA_FIELDS, SCHEMA_METADATA, SCHEMA_FEATURES };
enum { FIELD_NAME, FIELD_NULLABLE, FIELD_TYPE, FIELD_TYPE_TABLE, FIELD_DICTIONARY, FIELD_CHILDREN, FIELD_METADATA };
enum { KEY_VALUE_KEY, KEY_VALUE_VALUE };
enum { ENCODING_ID, ENCODING_INDEX, ENCODING_ORDERED, ENCODING_KIND };
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION, BATCH_VARIADIC };
enum { DICTIONARY_ID, DICTIONARY_DATA, DICTIONARY_DELTA };
enum { COMPRESSION_CODEC, COMPRESSION_METHOD };
