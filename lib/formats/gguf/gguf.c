/* GGUF, versions 2 and 3, little endian: 24 bytes of header, the metadata, the table of tensors, and the tensors one
 * after the other.  Follows ggml's docs/gguf.md and, where that is silent, src/gguf.cpp; rules by number are those of
 * docs/formats/gguf.md.  gguf_metadata.c and gguf_tensors.c read; what every byte is is proven by extents_cover(). */
#include "gguf.h"

#include "checked.h"
#include "gguf_tensors.h"

#define MAGIC_BYTES 4u
#define HEADER_BYTES 24u
#define VERSION_LEAST 2u
#define VERSION_MOST 3u

static const char magic[MAGIC_BYTES + 1] = "GGUF";
/* Predecessors: a number each, and so back to front. */
static const char *const legacy_magics[] = { "lmgg", "fmgg", "tjgg", "algg" };

static bool is_magic(const uint8_t *at, const char *text)
{
	return memcmp(at, text, MAGIC_BYTES) == 0;
}

static bool is_legacy(const uint8_t *at)
{
	for (size_t i = 0; i < sizeof(legacy_magics) / sizeof(legacy_magics[0]); i++)
		if (is_magic(at, legacy_magics[i]))
			return true;
	return false;
}

/* A log of this format begins like it, "GGUF Version: 3": no version is four characters. */
static bool is_prose(const struct probe *p)
{
	for (size_t i = MAGIC_BYTES; i < 2 * MAGIC_BYTES; i++)
		if (i >= p->n || p->head[i] < ' ' || p->head[i] > '~')
			return false;
	return true;
}

static bool probe(const struct probe *p)
{
	return p->n >= MAGIC_BYTES && ((is_magic(p->head, magic) && !is_prose(p)) || is_legacy(p->head));
}

/* -- the header -- */

struct header {
	uint64_t n_tensors, n_keys;
};

/* Rule 1. */
static enum wlk_status check_magic(struct layout *l, struct gguf_in *in)
{
	const uint8_t *at;

	if (l->part.size < MAGIC_BYTES) {
		layout_value(l, WLK_F_GGUF_BAD_MAGIC, 0, l->part.size, HEADER_BYTES);
		return WLK_BROKEN;
	}
	at = gguf_take(in, MAGIC_BYTES);
	if (at == NULL)
		return layout_stop(l);
	if (is_magic(at, magic))
		return WLK_DONE;
	layout_at(l, is_legacy(at) ? WLK_F_GGUF_LEGACY_MAGIC : WLK_F_GGUF_BAD_MAGIC, 0);
	return WLK_BROKEN;
}

/* Rules 2 to 5. */
static bool version_fault(uint32_t version, enum wlk_finding *ret)
{
	if (version >= VERSION_LEAST && version <= VERSION_MOST)
		return false;
	if (version == 0)
		*ret = WLK_F_GGUF_VERSION_ZERO;
	else if ((version & 0xffff) == 0)
		*ret = WLK_F_GGUF_BIG_ENDIAN;
	else
		*ret = version < VERSION_LEAST ? WLK_F_GGUF_VERSION_OBSOLETE : WLK_F_GGUF_VERSION_FUTURE;
	return true;
}

static enum wlk_status check_version(struct layout *l, struct gguf_in *in)
{
	enum wlk_finding code;
	uint32_t version;

	if (!gguf_take_u32(in, &version))
		return gguf_short(l, in);
	if (!version_fault(version, &code))
		return WLK_DONE;
	layout_value(l, code, MAGIC_BYTES, version, VERSION_MOST);
	return WLK_BROKEN;
}

/* A count against the format's limit, what the file can hold, and the policy's limit. */
struct count_rule {
	uint64_t most, bytes_min, limit;
	enum wlk_finding code, limit_code;
};

static bool check_count(struct layout *l, const struct gguf_in *in, uint64_t n, const struct count_rule *c)
{
	uint64_t most = min_u64(c->most, gguf_left(in) / c->bytes_min);

	if (n > most)
		layout_value(l, c->code, in->pos, n, most);
	else if (n > c->limit)
		layout_value(l, c->limit_code, in->pos, n, c->limit);
	else
		return true;
	return false;
}

/* Rules 6 and 7. */
static enum wlk_status read_counts(struct layout *l, struct gguf_in *in, struct header *ret)
{
	const struct count_rule tensors = { GGUF_TENSORS_MAX, GGUF_TENSOR_BYTES_MIN, l->lim->tensors,
		WLK_F_GGUF_TENSOR_COUNT, WLK_F_LIMIT_TENSORS };
	const struct count_rule keys = { GGUF_KEYS_MAX, GGUF_KV_BYTES_MIN, l->lim->metadata_keys, WLK_F_GGUF_KV_COUNT,
		WLK_F_LIMIT_METADATA_KEYS };

	if (!gguf_take_u64(in, &ret->n_tensors) || !gguf_take_u64(in, &ret->n_keys))
		return gguf_short(l, in);
	return check_count(l, in, ret->n_tensors, &tensors) && check_count(l, in, ret->n_keys, &keys) ? WLK_DONE
												      : WLK_BROKEN;
}

static enum wlk_status read_header(struct layout *l, struct gguf_in *in, struct header *ret)
{
	enum wlk_status status = check_magic(l, in);

	if (status == WLK_DONE)
		status = check_version(l, in);
	return status == WLK_DONE ? read_counts(l, in, ret) : status;
}

/* -- what was read, as a whole -- */

static void require(struct layout *l, bool present, const char *key)
{
	if (!present)
		layout_finding(l, &(struct finding){ .code = WLK_F_GGUF_REQUIRED_KEY,
				      .has_offset = true,
				      .offset = HEADER_BYTES - 8, /* the number of keys */
				      .subject = bytes_of_text(key) });
}

/* Loaders go by the count: without one, whatever the number, it is a file of its own. */
static bool is_later_shard(const struct gguf_metadata *m)
{
	const uint64_t no = m->split[GGUF_SPLIT_IS_NO].value, count = m->split[GGUF_SPLIT_IS_COUNT].value;

	return no > 0 && no < count; /* neither was seen: 0 */
}

/* Rule 40: shards but the first carry their place and no more, and an importance matrix is no model. */
static void check_required(struct layout *l, const struct gguf_metadata *m, const struct gguf_tensors *t)
{
	if (is_later_shard(m))
		return;
	require(l, m->architecture || m->imatrix, "general.architecture");
	require(l, m->quantization_version || !t->quantised, "general.quantization_version");
}

/* Rule 49: a sound header with nothing behind it is read without complaint, and says nothing. */
static void check_empty(struct layout *l, const struct header *h)
{
	if (h->n_tensors == 0 && h->n_keys == 0)
		layout_at(l, WLK_F_GGUF_EMPTY, MAGIC_BYTES + 4); /* the two counts */
}

/* Of a member nobody asked. */
static void report_facts(struct layout *l, const struct header *h, uint64_t table_end, const struct gguf_metadata *m)
{
	static const enum wlk_fact split[GGUF_N_SPLIT] = { WLK_FACT_SPLIT_NO, WLK_FACT_SPLIT_COUNT,
		WLK_FACT_SPLIT_TENSORS };

	if (l->part.depth > 0)
		return;
	report_fact_number(l->report, WLK_FACT_HEADER_BYTES, table_end);
	report_fact_number(l->report, WLK_FACT_METADATA_KEYS, h->n_keys);
	for (unsigned i = 0; i < GGUF_N_SPLIT; i++)
		if (m->split[i].seen)
			report_fact_number(l->report, split[i], m->split[i].value);
}

/* Section 6: nothing but header, tensors and zeros. */
static enum wlk_status cover(struct layout *l, const struct gguf_tensors *t)
{
	const struct coverage_codes codes = { .overlap = WLK_F_GGUF_TENSOR_OVERLAP,
		.hole = WLK_F_GGUF_TENSOR_HOLE,
		.out_of_bounds = WLK_F_GGUF_TRUNCATED,
		.trailing = WLK_F_GGUF_TRAILING_BYTES,
		.gaps_unknown = !t->layout_known };
	enum wlk_status status = extents_cover(l->extents, 0, l->part.size, &codes, l->report);

	if (status == WLK_INCOMPLETE)
		return layout_stop(l);
	return t->layout_known ? status : WLK_BROKEN;
}

static enum wlk_status layout(struct layout *l)
{
	struct header h = { 0 };
	struct gguf_metadata metadata;
	struct gguf_tensors tensors;
	struct gguf_in in;
	enum wlk_status status;

	if (!gguf_in_init(&in, l, min_u64(l->part.size, GGUF_METADATA_BYTES_MAX)))
		return layout_stop(l);
	status = read_header(l, &in, &h);
	if (status == WLK_DONE)
		status = gguf_metadata_read(l, &in, h.n_keys, &metadata);
	if (status != WLK_DONE)
		return status;
	if (metadata.alignment == 0)
		return WLK_BROKEN; /* where tensors are nobody knows */
	status = gguf_tensors_read(l, &in, h.n_tensors, &metadata, &tensors);
	if (status != WLK_DONE)
		return status;
	check_empty(l, &h);
	check_required(l, &metadata, &tensors);
	report_facts(l, &h, in.pos, &metadata);
	status = cover(l, &tensors);
	return status == WLK_DONE && !metadata.understood ? WLK_BROKEN : status;
}

/* Whoever loads it by its name looks for the magic. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_FORMAT_EXTENSION_MISMATCH,
			      .found = value_text(bytes_of_text(format_info(content)->name)),
			      .allowed = value_text(bytes_of_text(format_info(WLK_FORMAT_GGUF)->name)) });
	layout_at(l, WLK_F_GGUF_BAD_MAGIC, 0);
}

const struct wlk_format format_gguf = {
	.id = WLK_FORMAT_GGUF,
	.converts = CONVERTS_ROWS,
	.probe = probe,
	.layout = layout,
	.misnamed = misnamed,
	.nested = NESTED_RANDOM,
};
