/* The header of a deathtensors file:
 *
 *   {"format": "deathtensors", "format_version": 1, "created_by": "...", "global_metadata": {"key": "value"},
 *    "tensors": {"name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], "metadata": {"key": "value"}}}}
 *
 * read in one pass without a tree.  Sections are those of docs/formats/deathtensors.md.  Two kinds of error: where no
 * reader goes on (not JSON, not UTF-8), we stop; everything else is reported and read on, so that one scan tells all
 * that is wrong. */
#include "deathtensors_impl.h"

#include "text_rules.h"

static const char *const key_names[N_KEYS] = { "format", "format_version", "tensors", "created_by", "global_metadata" };

unsigned dt_word_index(const struct json_text *t, const char *const *words, unsigned n)
{
	uint8_t buf[JSON_WORD_MAX];
	struct bytes word = json_word(t, buf);
	unsigned i = 0;

	while (i < n && !bytes_equal(word, bytes_of_text(words[i])))
		i++;
	return i;
}

bool dt_has_type(struct dt_reader *r, enum wlk_finding code, const struct json_text *subject, uint8_t first,
    const char *type, unsigned depth, bool *ret_ok)
{
	*ret_ok = json_peek(&r->h.j) == first;
	return *ret_ok || header_skip_wrong(&r->h, code, subject, type, depth);
}

/* -- texts -- */

static void check_text(struct dt_reader *r, const struct json_text *key, const struct json_text *t)
{
	struct text_faults f = text_inspect(t);

	if (f.text_control)
		header_fault(
		    &r->h, WLK_F_DT_METADATA_CONTROL, header_text_at(&r->h, t), key, value_nothing, value_nothing);
	if (f.direction)
		header_fault(
		    &r->h, WLK_F_DT_METADATA_UNICODE, header_text_at(&r->h, t), key, value_nothing, value_nothing);
}

static bool below_key_limit(struct dt_reader *r, const struct json_text *key)
{
	uint64_t limit = r->h.l->lim->metadata_keys;

	if (r->out->metadata_keys < limit)
		return true;
	layout_value(r->h.l, WLK_F_LIMIT_METADATA_KEYS, header_text_at(&r->h, key), r->out->metadata_keys + 1, limit);
	r->h.stopped = true;
	return false;
}

static bool read_pair(struct dt_reader *r)
{
	struct json_text key, value;
	bool ok;

	if (!json_key(&r->h.j, &key) || !below_key_limit(r, &key) || !header_keys_add(&r->h, &r->keys, &key))
		return false;
	r->out->metadata_keys++;
	check_text(r, &key, &key);
	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, &key, '"', "string", DEPTH_ITEM, &ok))
		return false;
	if (!ok)
		return true;
	if (!json_read_string(&r->h.j, &value))
		return false;
	check_text(r, &key, &value);
	return true;
}

bool dt_read_metadata(struct dt_reader *r, const struct json_text *subject, unsigned depth)
{
	bool ok, more;

	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, subject, '{', "object", depth, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	r->h.j.p++;
	r->keys.n = 0;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_pair(r) || !json_more(&r->h.j, '}', &more))
			return false;
	return header_keys_check(&r->h, &r->keys, WLK_F_DT_KEY_DUPLICATE);
}

/* -- numbers -- */

/* JSON has no such number, so the reading ends here; but the fault is the number's, not that of the braces. */
static bool leading_zero(struct dt_reader *r, const struct json_text *subject)
{
	const struct json *j = &r->h.j;

	if (j->end - j->p < 2 || j->p[0] != '0' || j->p[1] < '0' || j->p[1] > '9')
		return false;
	header_fault(
	    &r->h, WLK_F_DT_NUMBER_FORM, header_here(&r->h), subject, value_words("a leading zero"), value_nothing);
	r->h.stopped = true;
	return true;
}

/* Any number that json_small() leaves, or what stands in its place. */
static bool read_odd_integer(
    struct dt_reader *r, const struct json_text *subject, enum wlk_finding code, uint64_t *ret, bool *ret_usable)
{
	uint8_t first = json_peek(&r->h.j);
	uint64_t at = header_here(&r->h);
	struct json_number n;

	if (first != '-' && (first < '0' || first > '9'))
		return header_skip_wrong(&r->h, code, subject, "number", DEPTH_ITEM);
	if (leading_zero(r, subject) || !json_number(&r->h.j, &n))
		return false;
	*ret = n.value;
	*ret_usable = n.plain && n.fits && n.value <= DEATHTENSORS_INTEGER_MAX;
	if (!*ret_usable)
		header_fault(&r->h, WLK_F_DT_NUMBER_FORM, at, subject,
		    n.plain && n.fits ? value_number(n.value) : value_nothing, value_number(DEATHTENSORS_INTEGER_MAX));
	return true;
}

bool dt_read_integer(
    struct dt_reader *r, const struct json_text *subject, enum wlk_finding code, uint64_t *ret, bool *ret_usable)
{
	json_space(&r->h.j);
	*ret_usable = json_small(&r->h.j, ret);
	return *ret_usable || read_odd_integer(r, subject, code, ret, ret_usable);
}

/* -- the whole -- */

static bool read_format(struct dt_reader *r, const struct json_text *key)
{
	static const char *const name = "deathtensors";
	struct json_text t;
	bool ok;

	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, key, '"', "string", DEPTH_TOP, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	if (!json_read_string(&r->h.j, &t))
		return false;
	if (dt_word_index(&t, &name, 1) != 0)
		header_fault_text(&r->h, WLK_F_DT_FORMAT_NAME, key, &t);
	return true;
}

static bool read_version(struct dt_reader *r, const struct json_text *key)
{
	uint64_t at = header_here(&r->h), version = 0;
	bool usable;

	if (!dt_read_integer(r, key, WLK_F_DT_KEY_TYPE, &version, &usable))
		return false;
	if (usable && version != r->version)
		header_fault(
		    &r->h, WLK_F_DT_VERSION_MISMATCH, at, key, value_number(version), value_number(r->version));
	return true;
}

static bool read_created_by(struct dt_reader *r, const struct json_text *key)
{
	struct json_text t;
	size_t length;
	bool ok;

	if (!dt_has_type(r, WLK_F_DT_KEY_TYPE, key, '"', "string", DEPTH_TOP, &ok) || !ok)
		return r->h.j.err == JSON_OK;
	if (!json_read_string(&r->h.j, &t))
		return false;
	check_text(r, key, &t);
	length = text_inspect(&t).length;
	if (length > DEATHTENSORS_CREATED_BY_MAX)
		header_fault(&r->h, WLK_F_DT_KEY_TYPE, header_text_at(&r->h, &t), key, value_number(length),
		    value_number(DEATHTENSORS_CREATED_BY_MAX));
	return true;
}

static bool read_value(struct dt_reader *r, const struct json_text *key, enum dt_key which)
{
	json_space(&r->h.j);
	switch (which) {
	case KEY_FORMAT: return read_format(r, key);
	case KEY_VERSION: return read_version(r, key);
	case KEY_TENSORS: return dt_read_tensors(r, key);
	case KEY_CREATED_BY: return read_created_by(r, key);
	default: return dt_read_metadata(r, key, DEPTH_TOP);
	}
}

static bool read_top_member(struct dt_reader *r)
{
	struct json_text key;
	enum dt_key which;

	if (!json_key(&r->h.j, &key))
		return false;
	which = (enum dt_key)dt_word_index(&key, key_names, N_KEYS);
	if (which == KEY_UNKNOWN) {
		header_fault_text(&r->h, WLK_F_DT_KEY_UNKNOWN, &key, &key);
		r->out->not_understood = true;
		return json_skip(&r->h.j, DEPTH_TOP);
	}
	if (r->seen[which]) {
		header_fault(
		    &r->h, WLK_F_DT_KEY_DUPLICATE, header_text_at(&r->h, &key), &key, value_nothing, value_nothing);
		r->out->not_understood = true;
	}
	r->seen[which] = true;
	return read_value(r, &key, which);
}

static bool read_top(struct dt_reader *r)
{
	bool more;

	if (!json_expect(&r->h.j, '{'))
		return false;
	for (more = json_any(&r->h.j, '}'); more;)
		if (!read_top_member(r) || !json_more(&r->h.j, '}', &more))
			return false;
	for (unsigned i = 0; i < N_KEYS_REQUIRED; i++)
		if (!r->seen[i])
			layout_finding(r->h.l, &(struct finding){ .code = WLK_F_DT_KEY_MISSING,
						   .has_offset = true,
						   .offset = r->h.at,
						   .allowed = value_words(key_names[i]) });
	r->out->not_understood |= !r->seen[KEY_TENSORS];
	return dt_check_tensors(r);
}

static bool syntax_here(struct dt_reader *r)
{
	layout_at(r->h.l, WLK_F_DT_JSON_SYNTAX, header_here(&r->h));
	return false;
}

/* Return: an object begins, perhaps behind a byte order mark or whitespace. */
static bool check_start(struct dt_reader *r)
{
	static const uint8_t mark[] = { 0xEF, 0xBB, 0xBF };
	struct json *j = &r->h.j;

	if (*j->p == '{')
		return true;
	if (json_take(j, mark, sizeof(mark)) || json_is_space(*j->p)) {
		layout_value(r->h.l, WLK_F_DT_HEADER_WHITESPACE, r->h.at, *j->base, '{');
		json_space(j);
	}
	return (j->p < j->end && *j->p == '{') || syntax_here(r);
}

/* Return: nothing follows, but perhaps whitespace or NULs that belong behind the header. */
static bool check_end(struct dt_reader *r)
{
	struct json *j = &r->h.j;
	uint64_t at = header_here(&r->h);

	if (j->p == j->end)
		return true;
	while (j->p < j->end && (json_is_space(*j->p) || *j->p == 0))
		j->p++;
	if (j->p < j->end)
		return syntax_here(r);
	layout_value(r->h.l, WLK_F_DT_HEADER_WHITESPACE, at, j->end[-1], '}');
	return true;
}

static bool check_utf8(struct dt_reader *r, struct bytes header)
{
	size_t good = utf8_check(header);

	if (good < header.n)
		layout_at(r->h.l, WLK_F_DT_HEADER_UTF8, r->h.at + good);
	return good == header.n;
}

/* What the scanner itself refused. */
static void report_json(struct dt_reader *r)
{
	static const enum wlk_finding codes[] = {
		[JSON_SYNTAX] = WLK_F_DT_JSON_SYNTAX, [JSON_DEPTH] = WLK_F_DT_JSON_DEPTH
	};
	const struct json *j = &r->h.j;

	if (j->err != JSON_OK)
		layout_at(r->h.l, codes[j->err], r->h.at + j->err_at);
	if (j->n_lone > 0)
		layout_value(r->h.l, WLK_F_DT_JSON_SURROGATE, r->h.at + j->first_lone_at, j->n_lone, 0);
}

enum wlk_status deathtensors_header_read(struct layout *l, struct bytes header, uint64_t at, uint32_t version,
    uint64_t data_at, struct deathtensors_header *ret)
{
	struct dt_reader r = {
		.h = { .j = { .base = header.at, .p = header.at, .end = header.at + header.n }, .l = l, .at = at },
		.out = ret,
		.version = version,
		.data_at = data_at
	};
	bool read;

	*ret = (struct deathtensors_header){ 0 };
	if (!check_utf8(&r, header) || !check_start(&r))
		return WLK_BROKEN;
	read = read_top(&r);
	header_number_tensors(l->extents);
	report_json(&r);
	arena_release(l->arena, r.keys.list);
	if (read)
		return check_end(&r) && r.h.j.n_lone == 0 ? WLK_DONE : WLK_BROKEN;
	if (l->report->cause != WLK_CAUSE_NONE)
		return WLK_INCOMPLETE;
	if (r.h.j.err == JSON_OK && !r.h.stopped)
		return layout_stop(l);
	return WLK_BROKEN;
}
