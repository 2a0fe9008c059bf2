/* What Parquet's footer is made of: see parquet_impl.h. */
#include "parquet_impl.h"

#include "arrow_impl.h"

/* -- tables -- */

#define FIELD(no, kind, ...)                                   \
	{                                                      \
		.id = (no), .type = THRIFT_##kind, __VA_ARGS__ \
	}
#define ONE(no, kind) FIELD(no, kind)
#define MUST(no, kind) FIELD(no, kind, .required = true)
#define LIST_OF(no, kind, ...) FIELD(no, LIST, .elements = THRIFT_##kind, __VA_ARGS__)
#define STRUCT_OF(no, name) FIELD(no, STRUCT, .inner = &parquet_##name)

#define TABLE(name, ...)                                                    \
	static const struct thrift_field name##_fields[] = { __VA_ARGS__ }; \
	const struct thrift_struct parquet_##name = { name##_fields, sizeof(name##_fields) / sizeof(name##_fields[0]) };

/* What only has to be whole. */
#define INNER(name, ...)                                                    \
	static const struct thrift_field name##_fields[] = { __VA_ARGS__ }; \
	static const struct thrift_struct parquet_##name = { name##_fields, \
		sizeof(name##_fields) / sizeof(name##_fields[0]) };

/* clang-format off: a table */
INNER(unit, ONE(1, STRUCT), ONE(2, STRUCT), ONE(3, STRUCT))
INNER(time, MUST(1, BOOL), FIELD(2, STRUCT, .required = true, .inner = &parquet_unit))
INNER(decimal, MUST(1, I32), MUST(2, I32))
INNER(integer, MUST(1, I8), MUST(2, BOOL))
INNER(logical, STRUCT_OF(5, decimal), STRUCT_OF(7, time), STRUCT_OF(8, time), STRUCT_OF(10, integer))
INNER(sorting, MUST(1, I32), MUST(2, BOOL), MUST(3, BOOL))
INNER(encoding, MUST(1, I32), MUST(2, I32), MUST(3, I32))
TABLE(file, MUST(1, I32), LIST_OF(2, STRUCT, .required = true, .inner = &parquet_element), MUST(3, I64),
    LIST_OF(4, STRUCT, .required = true, .inner = &parquet_group), LIST_OF(5, STRUCT, .inner = &parquet_pair),
    ONE(6, BINARY), LIST_OF(7, STRUCT), STRUCT_OF(8, crypto), ONE(9, BINARY))
TABLE(element, ONE(1, I32), ONE(2, I32), ONE(3, I32), MUST(4, BINARY), ONE(5, I32), ONE(6, I32), ONE(7, I32),
    ONE(8, I32), ONE(9, I32), STRUCT_OF(10, logical))
TABLE(group, LIST_OF(1, STRUCT, .required = true, .inner = &parquet_column), MUST(2, I64), MUST(3, I64),
    LIST_OF(4, STRUCT, .inner = &parquet_sorting), ONE(5, I64), ONE(6, I64), ONE(7, I16))
TABLE(column, ONE(1, BINARY), MUST(2, I64), STRUCT_OF(3, meta), ONE(4, I64), ONE(5, I32), ONE(6, I64), ONE(7, I32),
    STRUCT_OF(8, crypto), ONE(9, BINARY))
TABLE(meta, MUST(1, I32), LIST_OF(2, I32, .required = true), LIST_OF(3, BINARY, .required = true), MUST(4, I32),
    MUST(5, I64), MUST(6, I64), MUST(7, I64), LIST_OF(8, STRUCT, .inner = &parquet_pair), MUST(9, I64), ONE(10, I64),
    ONE(11, I64), ONE(12, STRUCT), LIST_OF(13, STRUCT, .inner = &parquet_encoding), ONE(14, I64), ONE(15, I32),
    ONE(16, STRUCT), ONE(17, STRUCT))
TABLE(pair, MUST(1, BINARY), ONE(2, BINARY))
const struct thrift_struct parquet_crypto = { NULL, 0 }; /* of either kind: that it is there says enough */
/* clang-format on */

/* -- the tree -- */

bool parquet_tree_add(struct parquet_tree *t)
{
	int64_t children = t->children;
	bool typed = t->typed;

	t->children = 0;
	t->typed = false;
	if ((t->begun && t->depth == 0) || children < 0 || (typed && children > 0))
		return false;
	t->begun = true;
	if (t->depth > 0)
		t->left[t->depth - 1]--;
	t->leaves += typed ? 1 : 0;
	if (children > 0) {
		if (t->depth == PARQUET_SCHEMA_DEPTH_MAX)
			return false;
		t->left[t->depth++] = (uint32_t)children;
	}
	while (t->depth > 0 && t->left[t->depth - 1] == 0)
		t->depth--;
	return true;
}

/* -- the schema of Arrow -- */

static int sextet(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* RFC 4648, section 4, with padding.  False: it is none. */
static bool decode(struct bytes text, uint8_t *to, size_t *ret_n)
{
	size_t padding =
	    text.n > 0 && text.at[text.n - 1] == '=' ? (text.n > 1 && text.at[text.n - 2] == '=' ? 2 : 1) : 0;
	uint32_t bits = 0;
	size_t n = 0;

	if (text.n % 4 != 0)
		return false;
	for (size_t i = 0; i < text.n - padding; i++) {
		int six = sextet(text.at[i]);

		if (six < 0)
			return false;
		bits = bits << 6 | (uint32_t)six;
		if (i % 4 > 0)
			to[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
	}
	*ret_n = n;
	return true;
}

static void say(struct layout *l, uint64_t at, const char *what)
{
	layout_finding(
	    l, &(struct finding){
		   .code = WLK_F_ARROW_STRUCTURE, .has_offset = true, .offset = at, .subject = bytes_of_text(what) });
}

static bool read_embedded(struct layout *l, struct bytes message, uint64_t at, bool *ret_sound)
{
	const struct part part = { .src = l->src, .size = message.n, .copy = message.at, .depth = l->part.depth };
	struct arrow *a = arena_alloc(l->arena, 1, sizeof(*a));
	struct arrow_message m = { 0 };
	bool read;

	if (a == NULL || !arrow_init(a, l, &part))
		return false;
	a->embedded = true;
	a->embedded_at = at;
	read = arrow_read_prefix(a, message.n, &m) && m.metadata > 0 && arrow_read_message(a, message.n, &m);
	*ret_sound = read && !a->broken && m.kind == ARROW_HEADER_SCHEMA;
	if (!*ret_sound && !a->broken)
		say(l, at, "ARROW:schema");
	return l->report->cause == WLK_CAUSE_NONE;
}

bool parquet_check_arrow(struct layout *l, struct bytes base64, uint64_t at, bool *ret_sound)
{
	uint8_t *to = arena_resize_raw(l->arena, NULL, base64.n + 1, 1);
	size_t n;

	*ret_sound = false;
	if (to == NULL)
		return false;
	if (decode(base64, to, &n))
		return read_embedded(l, bytes_of(to, n), at, ret_sound);
	say(l, at, "ARROW:schema");
	return true;
}
