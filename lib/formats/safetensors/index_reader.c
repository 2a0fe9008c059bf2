/* The JSON of an index, {"metadata": {"total_size": 24}, "weight_map": {"tensor": "file", ...}}: see index_reader.h.
 *
 * Two kinds of error, as in the other JSON headers: where no reader goes on (not JSON, not UTF-8), we stop; everything
 * else is reported and read on, so that one scan tells all that is wrong. */
#include "index_reader.h"

#include "index.h"
#include "index_shards.h"
#include "json_header.h"
#include "text_rules.h"

/* Brackets open around a value at this place, as json_skip() counts them: from so high that only INDEX_DEPTH_MAX are
 * left. */
#define DEPTH(n) (JSON_DEPTH_MAX - INDEX_DEPTH_MAX + (n))
#define DEPTH_TOP DEPTH(1u)   /* the index's object */
#define DEPTH_FIELD DEPTH(2u) /* metadata, or weight_map */

struct reader {
	struct json_header h;
	bool broken; /* it says something that nobody knows, or two things */
	bool map_seen, told[2];
	struct header_keys top, metadata, tensors;
	struct index_shards shards;
};

static bool word_is(const struct json_text *t, const char *word)
{
	uint8_t buf[JSON_WORD_MAX];

	return bytes_equal(json_word(t, buf), bytes_of_text(word));
}

/* The value of a key has to begin like this; another one is stepped over. *ret: it does.  Return: false when there is no
 * value at all. */
static bool has_type(struct reader *r, enum wlk_finding code, const struct json_text *key, uint8_t first,
    const char *type, unsigned depth, bool *ret)
{
	*ret = json_peek(&r->h.j) == first;
	r->broken = r->broken || !*ret;
	return *ret || header_skip_wrong(&r->h, code, key, type, depth);
}

static bool below(struct reader *r, size_t n, uint64_t limit, enum wlk_finding code)
{
	if (n < limit)
		return true;
	layout_value(r->h.l, code, header_here(&r->h), n + UINT64_C(1), limit);
	r->broken = r->h.stopped = true;
	return false;
}

/* Keys of one object, compared when it ends. */
static bool check_keys(struct reader *r, struct header_keys *keys)
{
	uint64_t before = r->h.l->report->per_code[WLK_F_INDEX_KEY_DUPLICATE];

	if (!header_keys_check(&r->h, keys, WLK_F_INDEX_KEY_DUPLICATE))
		return false;
	r->broken = r->broken || r->h.l->report->per_code[WLK_F_INDEX_KEY_DUPLICATE] > before;
	return true;
}

/* -- metadata -- */

/* Digits, and at most zeros behind a point: a float that is an integer all the same. */
static bool is_whole(struct bytes text)
{
	size_t i = 0;

	while (i < text.n && text.at[i] >= '0' && text.at[i] <= '9')
		i++;
	if (i < text.n && text.at[i] == '.')
		for (i++; i < text.n && text.at[i] == '0'; i++)
			;
	return i == text.n;
}

/* The first, should a key be given twice: a fact is told once. */
static void tell_total(struct reader *r, enum wlk_fact fact, uint64_t value)
{
	bool *told = &r->told[fact == WLK_FACT_INDEX_TOTAL_SIZE];

	if (!*told)
		report_fact_number(r->h.l->report, fact, value);
	*told = true;
}

/* Section 2, and 9: a total of 0 or a float is said and no more. */
static bool read_total(struct reader *r, const struct json_text *key, enum wlk_fact fact)
{
	uint8_t first = json_peek(&r->h.j);
	uint64_t at = header_here(&r->h);
	const uint8_t *begin = r->h.j.p;
	struct json_number n;

	if (first != '-' && (first < '0' || first > '9')) {
		r->broken = true;
		return header_skip_wrong(&r->h, WLK_F_INDEX_METADATA, key, "integer", DEPTH_FIELD);
	}
	if (!json_number(&r->h.j, &n))
		return false;
	if (n.negative || (n.plain && (!n.fits || n.value > INDEX_NUMBER_MAX)))
		header_fault(&r->h, WLK_F_INDEX_METADATA, at, key,
		    n.fits && !n.negative ? value_number(n.value) : value_nothing, value_number(INDEX_NUMBER_MAX));
	else if (!n.plain || n.value == 0)
		header_fault(&r->h, WLK_F_INDEX_NUMBER_FORM, at, key,
		    value_text(bytes_of(begin, (size_t)(r->h.j.p - begin))), value_nothing);
	if (n.fits && is_whole(bytes_of(begin, (size_t)(r->h.j.p - begin))))
		tell_total(r, fact, n.value);
	return true;
}

static bool read_metadata_member(struct reader *r)
{
	struct json_text key, text;
	bool ok;

	if (!below(r, r->metadata.n, r->h.l->lim->metadata_keys, WLK_F_LIMIT_METADATA_KEYS) ||
	    !json_key(&r->h.j, &key) || !header_keys_add(&r->h, &r->metadata, &key))
		return false;
	if (word_is(&key, "total_size"))
		return read_total(r, &key, WLK_FACT_INDEX_TOTAL_SIZE);
	if (word_is(&key, "total_parameters"))
		return read_total(r, &key, WLK_FACT_INDEX_TOTAL_PARAMETERS);
	if (!word_is(&key, "format")) {
		header_fault_text(&r->h, WLK_F_INDEX_METADATA_KEY, &key, &key);
		return json_skip(&r->h.j, DEPTH_FIELD);
	}
	if (!has_type(r, WLK_F_INDEX_METADATA, &key, '"', "string", DEPTH_FIELD, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	return json_read_string(&r->h.j, &text);
}

static bool read_metadata(struct reader *r, const struct json_text *key)
{
	bool ok, more;

	if (!has_type(r, WLK_F_INDEX_METADATA, key, '{', "object", DEPTH_TOP, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	r->h.j.p++;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_metadata_member(r) || !json_more(&r->h.j, '}', &more))
			return false;
	return check_keys(r, &r->metadata);
}

/* -- weight_map -- */

static void check_tensor_name(struct reader *r, const struct json_text *name, const struct text_faults *f)
{
	const char *what = NULL;

	if (f->length == 0)
		what = "empty";
	else if (f->control)
		what = "control character";
	else if (f->invisible)
		what = "invisible character";
	else if (f->climbs)
		what = "..";
	else if (f->length > INDEX_TENSOR_NAME_MAX)
		what = "too long";
	if (what != NULL)
		header_fault(&r->h, WLK_F_INDEX_TENSOR_NAME, header_text_at(&r->h, name), name, value_words(what),
		    value_nothing);
}

static struct bytes decode(const struct json_text *t, uint8_t *buf, size_t n)
{
	struct bytes rest = t->raw;

	return bytes_of(buf, json_decode(&rest, buf, n));
}

static bool list_entry(
    struct reader *r, const struct json_text *name, const struct json_text *file, const struct text_faults *f)
{
	uint8_t name_buf[MANIFEST_NAME_MAX], file_buf[MANIFEST_PATH_MAX];
	struct manifest_row row = { .kind = MANIFEST_MAPPING, .index = r->tensors.n - 1, .name_bytes = f->length };

	row.name = decode(name, name_buf, sizeof(name_buf));
	row.file = decode(file, file_buf, sizeof(file_buf));
	return layout_tensor(r->h.l, &row);
}

static bool read_entry(struct reader *r)
{
	struct json_text name, file;
	struct text_faults f;
	bool ok;

	if (!below(r, r->tensors.n, INDEX_ENTRIES_MAX, WLK_F_INDEX_WEIGHT_MAP) || !json_key(&r->h.j, &name) ||
	    !header_keys_add(&r->h, &r->tensors, &name))
		return false;
	f = text_inspect(&name);
	check_tensor_name(r, &name, &f);
	if (!has_type(r, WLK_F_INDEX_WEIGHT_MAP, &name, '"', "string", DEPTH_FIELD, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	if (!json_read_string(&r->h.j, &file) || !index_shards_add(&r->shards, &file))
		return false;
	if (!layout_wants_tensors(r->h.l) || list_entry(r, &name, &file, &f))
		return true;
	r->h.stopped = true;
	return false;
}

static bool read_map(struct reader *r, const struct json_text *key)
{
	uint64_t at = header_here(&r->h);
	bool ok, more;

	r->map_seen = true;
	if (!has_type(r, WLK_F_INDEX_WEIGHT_MAP, key, '{', "object", DEPTH_TOP, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	r->h.j.p++;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_entry(r) || !json_more(&r->h.j, '}', &more))
			return false;
	if (r->tensors.n == 0)
		header_fault(&r->h, WLK_F_INDEX_WEIGHT_MAP, at, key, value_number(0), value_number(1));
	return check_keys(r, &r->tensors);
}

/* -- the whole -- */

/* Of a key given twice only the first value is read: the second is what the finding is about. */
static bool read_member(struct reader *r, bool seen[2])
{
	struct json_text key;
	unsigned which;

	if (!below(r, r->top.n, r->h.l->lim->metadata_keys, WLK_F_LIMIT_METADATA_KEYS) || !json_key(&r->h.j, &key) ||
	    !header_keys_add(&r->h, &r->top, &key))
		return false;
	which = word_is(&key, "metadata") ? 0 : word_is(&key, "weight_map") ? 1 : 2;
	if (which == 2)
		header_fault_text(&r->h, WLK_F_INDEX_KEY_UNKNOWN, &key, &key);
	if (which == 2 || seen[which])
		return json_skip(&r->h.j, DEPTH_TOP);
	seen[which] = true;
	json_space(&r->h.j);
	return which == 0 ? read_metadata(r, &key) : read_map(r, &key);
}

static bool read_top(struct reader *r)
{
	bool seen[2] = { false, false }, more;

	if (!json_expect(&r->h.j, '{'))
		return false;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_member(r, seen) || !json_more(&r->h.j, '}', &more))
			return false;
	return check_keys(r, &r->top);
}

/* Sections 7 and 9: line ends may follow. */
static void check_trailing(struct reader *r)
{
	const struct json *j = &r->h.j;
	const uint8_t *p = j->p;

	while (p < j->end && (*p == '\n' || *p == '\r'))
		p++;
	if (p == j->end)
		return;
	r->broken = true;
	layout_value(r->h.l, WLK_F_INDEX_TRAILING, (uint64_t)(p - j->base), (uint64_t)(j->end - p), 0);
}

static void fault_syntax(struct layout *l, uint64_t at, const char *found)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_INDEX_JSON_SYNTAX,
			      .has_offset = true,
			      .offset = at,
			      .found = found != NULL ? value_words(found) : value_nothing });
}

static enum wlk_status end_early(struct reader *r)
{
	struct layout *l = r->h.l;

	if (r->h.j.err == JSON_SYNTAX)
		fault_syntax(l, r->h.j.err_at, NULL);
	else if (r->h.j.err == JSON_DEPTH)
		layout_at(l, WLK_F_INDEX_JSON_DEPTH, r->h.j.err_at);
	else if (!r->h.stopped)
		return layout_stop(l);
	return l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : WLK_BROKEN;
}

/* What is said once all is read. */
static enum wlk_status end_whole(struct reader *r)
{
	struct layout *l = r->h.l;
	enum wlk_format_id family = l->hint;

	if (family != WLK_FORMAT_SAFETENSORS_INDEX && family != WLK_FORMAT_SHARD_INDEX)
		family = WLK_FORMAT_UNKNOWN;
	if (!r->map_seen) {
		layout_at(l, WLK_F_INDEX_WEIGHT_MAP, 0);
		r->broken = true;
	}
	check_trailing(r);
	if (r->h.j.n_lone > 0) {
		fault_syntax(l, r->h.j.first_lone_at, "half of a surrogate pair");
		r->broken = true;
	}
	if (!index_shards_check(&r->shards, &family))
		return layout_stop(l);
	l->id = family;
	layout_finding(l, &(struct finding){ .code = WLK_F_INDEX_UNCHECKED });
	return r->broken ? WLK_BROKEN : WLK_DONE;
}

/* Nothing can be read of it at all. */
static bool is_text(struct layout *l, struct bytes text)
{
	static const uint8_t bom[] = { 0xEF, 0xBB, 0xBF };
	size_t bad = utf8_check(text);

	if (text.n >= sizeof(bom) && memcmp(text.at, bom, sizeof(bom)) == 0)
		fault_syntax(l, 0, "byte order mark");
	else if (bad < text.n)
		fault_syntax(l, bad, "not UTF-8");
	else
		return true;
	return false;
}

enum wlk_status index_read(struct layout *l, struct bytes text)
{
	struct reader r = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l } };

	if (!is_text(l, text))
		return WLK_BROKEN;
	index_shards_init(&r.shards, &r.h, &r.tensors);
	return read_top(&r) ? end_whole(&r) : end_early(&r);
}
