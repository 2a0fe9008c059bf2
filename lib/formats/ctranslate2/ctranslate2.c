/* CTranslate2's model.bin, from front to back: see ctranslate2.h.  Rules by number are those of docs/formats/ctranslate2.md. */
#include "ctranslate2.h"

#include "checked.h"
#include "runs.h"
#include "scoped_names.h"
#include "sequence.h"
#include "json_text.h"

#define VERSION_MIN 2u /* the first with a name */
#define VERSION_MAX 6u
#define VERSION_ALIASES 3u
#define VERSION_TYPES 4u /* a type and bytes; before it the size of an element and how many there are */
#define NAME_BYTES_MAX 256u
#define RANK_MAX 8u

struct reader {
	struct sequence in;
	struct layout *l;
	struct runs runs;
	struct scoped_names names;
	uint32_t version, n; /* variables so far */
};

struct variable {
	uint64_t at;
	uint8_t name[NAME_BYTES_MAX];
	size_t name_n;
	uint32_t rank, shape[RANK_MAX];
	enum wlk_dtype dtype;
	uint64_t n; /* bytes */
};

static struct bytes name_of(const struct variable *v)
{
	return bytes_of(v->name, v->name_n);
}

/* -- rule 2: names -- */

/* A length that counts the NUL behind the name, the name, the NUL. */
static bool take_name(struct reader *r, struct variable *v)
{
	uint32_t n;

	v->at = r->in.pos;
	v->name_n = 0;
	if (!sequence_u16(&r->in, &n))
		return false;
	if (n < 1 || n > NAME_BYTES_MAX)
		return sequence_fault_number(&r->in, WLK_F_CTRANSLATE2_NAME, 2, "bytes", n, NAME_BYTES_MAX);
	if (!sequence_take(&r->in, v->name, n))
		return false;
	v->name_n = n - 1;
	if (v->name[n - 1] != 0 || memchr(v->name, 0, n - 1) != NULL || utf8_check(name_of(v)) < v->name_n)
		return sequence_fault(&r->in, WLK_F_CTRANSLATE2_NAME, v->at, (struct bytes){ 0 }, "no text");
	return true;
}

static bool is_known(const struct reader *r, struct bytes name)
{
	return scoped_names_find(&r->names, scoped_name_of(&r->names, name, 0), 1u << SCOPED_KEY, 0) != NULL;
}

/* The loader keeps the first of a name, and says nothing. */
static bool add_name(struct reader *r, const struct variable *v)
{
	if (is_known(r, name_of(v)))
		return sequence_fault(&r->in, WLK_F_CTRANSLATE2_NAME, v->at, name_of(v), "a name given twice");
	scoped_names_add(&r->names, scoped_name_of(&r->names, name_of(v), 0), SCOPED_KEY, v->at);
	return !r->names.failed;
}

/* -- rule 1: the head -- */

static bool known_architecture(struct bytes name)
{
	static const char *const names[] = { "TransformerBase", "TransformerBig", "TransformerSpec",
		"TransformerDecoderSpec", "TransformerEncoderSpec", "WhisperSpec", "Wav2Vec2Spec", "Wav2Vec2BertSpec" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(name, bytes_of_text(names[i])))
			return true;
	return false;
}

static bool read_head(struct reader *r)
{
	struct variable spec;
	uint32_t revision;

	if (!sequence_u32(&r->in, &r->version) || !take_name(r, &spec) || !sequence_u32(&r->in, &revision))
		return false;
	if (!known_architecture(name_of(&spec)))
		layout_finding(r->l, &(struct finding){ .code = WLK_F_CTRANSLATE2_ARCHITECTURE,
					 .has_offset = true,
					 .offset = spec.at,
					 .subject = name_of(&spec) });
	return true;
}

/* -- rule 3: a variable -- */

/* DataType: FLOAT32, INT8, INT16, INT32, FLOAT16, BFLOAT16; 0 for none. */
static enum wlk_dtype type_by_id(uint32_t id)
{
	static const uint8_t types[] = { WLK_DTYPE_F32, WLK_DTYPE_I8, WLK_DTYPE_I16, WLK_DTYPE_I32, WLK_DTYPE_F16,
		WLK_DTYPE_BF16 };

	return id < sizeof(types) ? (enum wlk_dtype)types[id] : WLK_DTYPE_NONE;
}

static enum wlk_dtype type_by_size(uint32_t bytes)
{
	return bytes == 4 ? WLK_DTYPE_F32 : bytes == 2 ? WLK_DTYPE_I16 : bytes == 1 ? WLK_DTYPE_I8 : WLK_DTYPE_NONE;
}

static bool take_shape(struct reader *r, struct variable *v)
{
	if (!sequence_u8(&r->in, &v->rank))
		return false;
	if (v->rank > RANK_MAX)
		return sequence_fault_number(&r->in, WLK_F_CTRANSLATE2_VARIABLE, 1, "dimensions", v->rank, RANK_MAX);
	for (uint32_t i = 0; i < v->rank; i++)
		if (!sequence_u32(&r->in, &v->shape[i]))
			return false;
	return true;
}

/* Type and bytes, which must be those of the shape. */
static bool take_type(struct reader *r, struct variable *v)
{
	uint32_t type, given;
	uint64_t bytes, expected;

	if (!sequence_u8(&r->in, &type) || !sequence_u32(&r->in, &given))
		return false;
	v->dtype = r->version >= VERSION_TYPES ? type_by_id(type) : type_by_size(type);
	if (v->dtype == WLK_DTYPE_NONE)
		return sequence_fault_number(&r->in, WLK_F_CTRANSLATE2_VARIABLE, 5, "type", type, 5);
	expected = dtype_info(v->dtype)->bits / 8;
	bytes = r->version >= VERSION_TYPES ? given : given * expected; /* at most 2^34 */
	for (uint32_t i = 0; i < v->rank; i++)
		if (!mul_u64(expected, v->shape[i], &expected))
			return sequence_fault(&r->in, WLK_F_CTRANSLATE2_VARIABLE, v->at, name_of(v), "dimensions");
	if (bytes != expected)
		return sequence_fault_number(&r->in, WLK_F_CTRANSLATE2_VARIABLE, 4, "bytes", bytes, expected);
	v->n = bytes;
	return true;
}

static bool ends_in(struct bytes name, const char *text)
{
	struct bytes end = bytes_of_text(text);

	return name.n >= end.n && bytes_equal(bytes_of(name.at + name.n - end.n, end.n), end);
}

/* Rule 4: what the loader divides by.  One number of at most four bytes, little endian, with a sign. */
static bool check_attribute(struct reader *r, const struct variable *v)
{
	uint8_t bytes[4] = { 0 };
	uint32_t value;

	if (v->n == 0 || v->n > 4 || !(ends_in(name_of(v), "num_heads") || ends_in(name_of(v), "num_heads_kv")))
		return true;
	if (!part_read_guarded(&r->l->part, r->in.pos - v->n, bytes, (size_t)v->n))
		return false;
	value = load_u32le(bytes);
	if (value == 0 || bytes[v->n - 1] > 127)
		return sequence_fault_number(&r->in, WLK_F_CTRANSLATE2_VARIABLE, (unsigned)v->n, "num_heads", value, 1);
	return true;
}

static bool list(struct reader *r, const struct variable *v)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = name_of(v),
		.name_bytes = v->name_n,
		.dtype = bytes_of_text(dtype_info(v->dtype)->name),
		.index = r->n,
		.begin = r->in.pos - v->n,
		.end = r->in.pos,
		.rank = v->rank };

	if (v->n > 0)
		r->l->extents->list[r->l->extents->n - 1].index = r->n;
	for (uint32_t i = 0; i < v->rank; i++)
		row.shape[i] = v->shape[i];
	return !layout_wants_tensors(r->l) || layout_tensor(r->l, &row);
}

static bool read_variable(struct reader *r)
{
	struct variable v;

	if (!take_name(r, &v) || !add_name(r, &v) || !take_shape(r, &v) || !take_type(r, &v))
		return false;
	return sequence_skip(&r->in, v.n) && check_attribute(r, &v) &&
	       runs_add(&r->runs, r->in.pos - v.n, v.n, v.dtype, name_of(&v)) && list(r, &v) && ++r->n > 0;
}

static bool read_variables(struct reader *r)
{
	uint32_t n;

	if (!sequence_u32(&r->in, &n))
		return false;
	if (n > r->l->lim->tensors)
		return sequence_fault_number(&r->in, WLK_F_CTRANSLATE2_VARIABLE, 4, "variables", n, r->l->lim->tensors);
	for (uint32_t i = 0; i < n; i++)
		if (!read_variable(r))
			return false;
	return true;
}

/* -- rule 5: other names -- */

/* The loader drops one that leads nowhere. */
static bool read_alias(struct reader *r)
{
	struct variable alias, of;

	if (!take_name(r, &alias) || !add_name(r, &alias) || !take_name(r, &of))
		return false;
	return is_known(r, name_of(&of)) ||
	       sequence_fault(&r->in, WLK_F_CTRANSLATE2_NAME, of.at, name_of(&of), "no variable of this name");
}

static bool read_aliases(struct reader *r)
{
	uint32_t n;

	if (r->version < VERSION_ALIASES)
		return true;
	if (!sequence_u32(&r->in, &n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!read_alias(r))
			return false;
	return true;
}

/* -- the whole -- */

static bool read_all(struct reader *r)
{
	if (!read_head(r) || !read_variables(r) || !read_aliases(r))
		return false;
	if (!sequence_ends(&r->in))
		return sequence_fault(&r->in, WLK_F_CTRANSLATE2_TRAILING, r->in.pos, (struct bytes){ 0 }, "more bytes");
	return true;
}

/* Of a variable or an alias eight bytes at least: a name twice while its table grows, two extents and a row. */
#define MEMORY_PER_NAME 320u

static enum wlk_status layout(struct layout *l)
{
	struct reader r = { .in = { .l = l, .cut = WLK_F_CTRANSLATE2_TRUNCATED }, .l = l, .runs = { .l = l } };

	layout_raise_memory(l, min_u64(l->part.size / 8, l->lim->tensors) * MEMORY_PER_NAME);
	scoped_names_init(&r.names, l->arena, &l->seed);
	if (!read_all(&r))
		return r.in.broken ? WLK_BROKEN : layout_stop(l);
	return runs_finish(&r.runs, WLK_F_CTRANSLATE2_TRAILING);
}

/* A version, then a name of an architecture with its NUL. */
static bool probe(const struct probe *p)
{
	uint32_t version = p->n >= 12 ? load_u32le(p->head) : 0;
	size_t n = version >= VERSION_MIN && version <= VERSION_MAX ? p->head[4] | (size_t)p->head[5] << 8 : 0;

	if (n < 5 || n > 64 || n + 6 > p->n || p->head[6 + n - 1] != 0)
		return false;
	for (size_t i = 0; i + 1 < n; i++)
		if (p->head[6 + i] < '0' || p->head[6 + i] > 'z')
			return false;
	return p->head[6] >= 'A' && p->head[6] <= 'Z';
}

const struct wlk_format format_ctranslate2 = {
	.id = WLK_FORMAT_CTRANSLATE2, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
