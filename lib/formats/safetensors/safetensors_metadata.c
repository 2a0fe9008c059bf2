/* __metadata__: see safetensors_metadata.h.  Rules are those of docs/formats/safetensors.md. */
#include "safetensors_metadata.h"

#include "checked.h"
#include "config_inner.h"
#include "text_rules.h"

static bool add_key(struct json_header *h, struct safetensors_metadata *m, const struct json_text *t)
{
	if (m->n_keys >= h->l->lim->metadata_keys) {
		layout_value(
		    h->l, WLK_F_LIMIT_METADATA_KEYS, header_text_at(h, t), m->n_keys + 1, h->l->lim->metadata_keys);
		h->stopped = true;
		return false;
	}
	if (!header_keys_add(h, &m->keys, t))
		return false;
	m->n_keys++;
	return true;
}

/* Rule 24. */
static void check_metadata_text(struct json_header *h, const struct json_text *key, const struct json_text *t)
{
	struct text_faults f = text_inspect(t);

	if (f.text_control)
		header_fault(h, WLK_F_ST_METADATA_CONTROL, header_text_at(h, t), key, value_nothing, value_nothing);
	if (f.direction)
		header_fault(h, WLK_F_ST_METADATA_UNICODE, header_text_at(h, t), key, value_nothing, value_nothing);
}

/* What a set of shards has to agree in; the first, should there be more. */
static void tell_format(
    struct json_header *h, struct safetensors_metadata *m, const struct json_text *key, const struct json_text *value)
{
	uint8_t word[JSON_WORD_MAX], buf[REPORT_STRING_MAX];
	struct bytes framework;

	if (!layout_wants_tensors(h->l) || h->l->part.depth > 0 || m->format_seen ||
	    !bytes_equal(json_word(key, word), bytes_of_text("format")))
		return;
	m->format_seen = true;
	framework = header_decode(value, buf, sizeof(buf));
	report_fact(h->l->report, &(struct fact){ .id = WLK_FACT_METADATA_FORMAT, .value = value_text(framework) });
	layout_is_of(h->l, framework);
}

/* A text that is a configuration: some loaders call what it names (formats/configs, section 2.4). */
static bool check_inner(struct json_header *h, const struct json_text *key, const struct json_text *value)
{
	uint8_t name[REPORT_STRING_MAX], *text;
	struct bytes rest = value->raw;
	bool ok;

	if (value->raw.n > CONFIG_INNER_BYTES_MAX || !config_inner_begins(value->raw)) {
		config_check_unread(h->l, value->raw, header_decode(key, name, sizeof(name)), header_text_at(h, value));
		return true;
	}
	layout_raise_memory(h->l, value->raw.n);
	text = arena_resize_raw(h->l->arena, NULL, value->raw.n, 1); /* decoding makes nothing longer */
	if (text == NULL) {
		h->stopped = true;
		(void)layout_stop(h->l);
		return false;
	}
	ok = config_check_inner(h->l, bytes_of(text, json_decode(&rest, text, value->raw.n)),
	    header_decode(key, name, sizeof(name)), header_text_at(h, value));
	h->stopped = h->stopped || !ok;
	arena_release(h->l->arena, text);
	return ok;
}

static bool read_pair(struct json_header *h, struct safetensors_metadata *m)
{
	struct json_text key, value;

	if (!json_key(&h->j, &key) || !add_key(h, m, &key))
		return false;
	check_metadata_text(h, &key, &key);
	if (json_peek(&h->j) != '"') /* rule 13 */
		return header_skip_wrong(h, WLK_F_ST_METADATA_TYPE, &key, "string", SAFETENSORS_DEPTH_FIELD);
	if (!json_read_string(&h->j, &value))
		return false;
	check_metadata_text(h, &key, &value);
	tell_format(h, m, &key, &value);
	return check_inner(h, &key, &value);
}

static bool read_pairs(struct json_header *h, struct safetensors_metadata *m)
{
	bool more;

	h->j.p++;
	m->keys.n = 0;
	for (more = json_any(&h->j, '}'); more;)
		if (!read_pair(h, m) || !json_more(&h->j, '}', &more))
			return false;
	return header_keys_check(h, &m->keys, WLK_F_ST_DUPLICATE_METADATA_KEY);
}

bool safetensors_metadata_read(struct json_header *h, struct safetensors_metadata *m, const struct json_text *name)
{
	uint8_t first = json_peek(&h->j);

	if (m->seen) /* rule 10 */
		header_fault(
		    h, WLK_F_ST_DUPLICATE_METADATA, header_text_at(h, name), name, value_nothing, value_nothing);
	m->seen = true;
	if (first == '{')
		return read_pairs(h, m);
	if (first != 'n') /* rule 13 */
		return header_skip_wrong(h, WLK_F_ST_METADATA_TYPE, name, "object", SAFETENSORS_DEPTH_TOP);
	header_fault(h, WLK_F_ST_METADATA_NULL, header_here(h), name, value_nothing, value_nothing); /* section 7 */
	return json_literal(&h->j, "null");
}
