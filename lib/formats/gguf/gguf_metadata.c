/* GGUF metadata: see gguf_metadata.h.  Rules by number are those of docs/formats/gguf.md.  Where a length cannot be
 * trusted nothing behind it can be found, so reading ends there; everything else is reported and read on. */
#include "gguf_metadata.h"
#include "config_inner.h"

#include "charsmap.h"
#include "checked.h"
#include "gguf_keys.h"
#include "gguf_values.h"
#include "template.h"

/* Keys that were seen, by 64 bits of keyed hash each: the keys themselves may be a gigabyte.  Two that differ and agree
 * in it are met once in 2^33 files of as many keys as there may be, and would be refused, not accepted. */
struct key_set {
	uint64_t *slots; /* 0: empty */
	size_t mask;
	struct siphash_key seed;
};

struct reader {
	struct layout *l;
	struct gguf_in *in;
	struct gguf_metadata *out;
	struct key_set keys;
	struct gguf_kv kv;
	uint8_t key[REPORT_STRING_MAX]; /* what findings print of the current one */
	uint8_t *text;                  /* room for a chat template, once there is one */
};

static bool is_text(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static bool begins_with(struct bytes text, const char *start)
{
	return text.n >= strlen(start) && memcmp(text.at, start, strlen(start)) == 0;
}

/* -- keys -- */

static bool key_set_init(struct key_set *set, uint64_t n, struct layout *l)
{
	size_t size = 16;

	while (size / 2 < n) /* at most 65,535 */
		size *= 2;
	set->slots = arena_alloc(l->arena, size, sizeof(*set->slots));
	set->mask = size - 1;
	set->seed = l->seed;
	return set->slots != NULL;
}

/* Return: false: it was there. */
static bool key_set_add(struct key_set *set, struct bytes key)
{
	uint64_t hash = siphash13(key.at, key.n, &set->seed);
	size_t at;

	hash += hash == 0;
	for (at = (size_t)hash & set->mask; set->slots[at] != 0; at = (at + 1) & set->mask)
		if (set->slots[at] == hash)
			return false;
	set->slots[at] = hash;
	return true;
}

/* Rules 10 and 11, note A. */
static void check_key(struct reader *r, struct bytes key)
{
	enum gguf_key_form form = gguf_key_form(key);

	if (form == GGUF_KEY_FORBIDDEN)
		gguf_kv_at(&r->kv, WLK_F_GGUF_KEY_CHARSET, r->kv.key_at);
	else if (form == GGUF_KEY_UPPER_CASE)
		gguf_kv_at(&r->kv, WLK_F_GGUF_KEY_UPPER_CASE, r->kv.key_at);
	if (!key_set_add(&r->keys, key))
		gguf_kv_at(&r->kv, WLK_F_GGUF_KEY_DUPLICATE, r->kv.key_at);
}

/* Rules 8 to 11.  The key goes out of the window with its value: what is needed of it later is copied. */
static enum wlk_status read_key(struct reader *r)
{
	uint64_t at = r->in->pos, n, most;
	struct bytes key;

	if (!gguf_take_u64(r->in, &n))
		return gguf_short(r->l, r->in);
	most = min_u64(GGUF_KEY_BYTES_MAX, gguf_left(r->in));
	if (n == 0)
		layout_at(r->l, WLK_F_GGUF_KEY_EMPTY, at);
	else if (n > most)
		layout_value(r->l, WLK_F_GGUF_KEY_LENGTH, at, n, most);
	if (n == 0 || n > most)
		return WLK_BROKEN;
	r->kv.key_at = r->in->pos;
	key = bytes_of(gguf_take(r->in, (size_t)n), (size_t)n);
	if (key.at == NULL)
		return layout_stop(r->l);
	r->kv.key = bytes_of(r->key, (size_t)min_u64(n, sizeof(r->key)));
	memcpy(r->key, key.at, r->kv.key.n);
	check_key(r, key);
	r->kv.rule = gguf_key_rule(key);
	gguf_limits_key(&r->kv, key);
	return WLK_DONE;
}

/* -- what known keys mean -- */

static bool is_tokenizer_list(enum gguf_role role)
{
	return role == GGUF_TOKENS || role == GGUF_SCORES || role == GGUF_TOKEN_TYPE || role == GGUF_TOKENIZER_LIST ||
	       role == GGUF_MERGES;
}

static enum wlk_finding type_code(enum gguf_role role)
{
	if (role == GGUF_ALIGNMENT)
		return WLK_F_GGUF_ALIGNMENT_TYPE;
	return is_tokenizer_list(role) ? WLK_F_GGUF_TOKENIZER_MISMATCH : WLK_F_GGUF_KEY_TYPE;
}

/* Rules 18, 41 and 42.  A value of another type is read, and means nothing. */
static void check_type(struct reader *r)
{
	struct gguf_kv *kv = &r->kv;
	uint32_t is = kv->is_array ? GGUF_ARRAY_OF(kv->type) : GGUF_SCALAR(kv->type);
	uint32_t may = kv->rule.role == GGUF_ALIGNMENT ? GGUF_SCALAR(GGUF_U32) : kv->rule.types;

	if (may == 0 || (may & is) != 0)
		return;
	gguf_kv_finding(kv, type_code(kv->rule.role), kv->value_at,
	    value_text(bytes_of_text(gguf_value_name(kv->type, kv->is_array))), (struct value){ 0 });
	if (kv->rule.role == GGUF_ALIGNMENT)
		r->out->alignment = 0;
	kv->rule.role = GGUF_PLAIN;
}

#define ALIGNMENT_LEAST 8u
#define ALIGNMENT_MOST 65536u

/* Section 4. */
static void set_alignment(struct reader *r, uint64_t value)
{
	bool usable = value > 0 && (value & (value - 1)) == 0 && value <= ALIGNMENT_MOST;

	r->out->alignment = usable ? (uint32_t)value : 0;
	if (!usable || value < ALIGNMENT_LEAST)
		gguf_kv_finding(&r->kv, usable ? WLK_F_GGUF_ALIGNMENT_SMALL : WLK_F_GGUF_ALIGNMENT_VALUE,
		    r->kv.value_at, value_number(value), value_number(GGUF_ALIGNMENT_DEFAULT));
}

#define BLOCKS_MAX 512u /* of llama.cpp (LLAMA_MAX_LAYERS); the largest models have some 130 */

/* Rule 44. */
static void check_blocks(struct reader *r, uint64_t value)
{
	if (value == 0 && !begins_with(r->kv.key, "clip.")) /* a projector without encoder has none */
		gguf_kv_at(&r->kv, WLK_F_GGUF_HPARAM_ZERO, r->kv.value_at);
	else if (value > BLOCKS_MAX)
		gguf_kv_finding(
		    &r->kv, WLK_F_GGUF_HPARAM_RANGE, r->kv.value_at, value_number(value), value_number(BLOCKS_MAX));
}

static void take_integer(struct reader *r, uint64_t value)
{
	struct gguf_metadata *m = r->out;
	enum gguf_role role = r->kv.rule.role;

	switch (role) {
	case GGUF_ALIGNMENT: set_alignment(r, value); break;
	case GGUF_QUANTIZATION_VERSION: m->quantization_version = true; break;
	case GGUF_TOKEN_ID: gguf_token_id(&m->tokenizer, r->kv.key, value, r->kv.value_at); break;
	case GGUF_BLOCK_COUNT: check_blocks(r, value); break;
	case GGUF_SPLIT_NO:
	case GGUF_SPLIT_COUNT:
	case GGUF_SPLIT_TENSORS:
		m->split[role - GGUF_SPLIT_NO].seen = true;
		m->split[role - GGUF_SPLIT_NO].value = value;
		break;
	default: break;
	}
}

/* Note A: other keys begin with it. */
static void check_architecture(struct reader *r, struct bytes name)
{
	enum gguf_key_form form = gguf_key_form(name);

	r->out->architecture = true;
	r->out->control_vector = is_text(name, "controlvector");
	gguf_limits_architecture(&r->out->limits, name);
	if (form == GGUF_KEY_FORBIDDEN || memchr(name.at, '.', name.n) != NULL)
		gguf_kv_at(&r->kv, WLK_F_GGUF_KEY_CHARSET, r->kv.value_at);
	else if (form == GGUF_KEY_UPPER_CASE)
		gguf_kv_at(&r->kv, WLK_F_GGUF_KEY_UPPER_CASE, r->kv.value_at);
}

/* @head: the beginning of it, all of it up to a window's length. */
static void take_string(struct reader *r, struct bytes head)
{
	switch (r->kv.rule.role) {
	case GGUF_ARCHITECTURE: check_architecture(r, head); break;
	case GGUF_TYPE:
		r->out->imatrix = is_text(head, "imatrix");
		r->out->limits.adapter = is_text(head, "adapter");
		break;
	case GGUF_URL: /* rule 48 */
		if (head.n > 0 && !begins_with(head, "https://") && !begins_with(head, "http://"))
			gguf_kv_at(&r->kv, WLK_F_GGUF_META_URL_SCHEME, r->kv.value_at);
		break;
	default: break;
	}
}

/* -- scalars and strings -- */

static enum wlk_status read_scalar(struct reader *r)
{
	unsigned n = gguf_value_bytes(r->kv.type);
	const uint8_t *at = gguf_take(r->in, n);
	uint8_t wide[8] = { 0 };

	if (at == NULL)
		return gguf_short(r->l, r->in);
	memcpy(wide, at, n);
	gguf_check_numbers(&r->kv, at, n, r->kv.value_at);
	gguf_numbers_end(&r->kv);
	take_integer(r, load_u64le(wide));
	return gguf_limits_keep(&r->out->limits, &r->kv, 1) ? WLK_DONE : layout_stop(r->l);
}

/* A text that is a configuration: formats/configs, section 2.4. */
static enum wlk_status check_inner(struct reader *r, struct bytes head, uint64_t n)
{
	uint8_t *text;
	bool ok;

	if (!config_inner_begins(head))
		return WLK_DONE;
	if (n > CONFIG_INNER_BYTES_MAX) { /* a whole tokenizer is a usual thing there, and nobody's configuration */
		if (!bytes_equal(r->kv.key, bytes_of_text("tokenizer.huggingface.json")))
			layout_at(r->l, WLK_F_CONFIG_LIMIT, r->kv.value_at);
		return WLK_DONE;
	}
	layout_raise_memory(r->l, n);
	text = arena_resize_raw(r->l->arena, NULL, (size_t)n, 1);
	if (text == NULL || !part_read_guarded(&r->l->part, r->kv.value_at, text, (size_t)n))
		return layout_stop(r->l);
	ok = config_check_inner(r->l, bytes_of(text, (size_t)n), r->kv.key, r->kv.value_at);
	arena_release(r->l->arena, text);
	return ok ? WLK_DONE : WLK_INCOMPLETE;
}

static enum wlk_status read_string(struct reader *r)
{
	struct bytes head;
	uint64_t n;
	enum wlk_status status = gguf_read_length(&r->kv, r->in, GGUF_STRING_BYTES_MAX, &n);

	if (status != WLK_DONE)
		return status;
	r->kv.value_at = r->in->pos;
	if (!gguf_read_text(&r->kv, r->in, n, &head))
		return layout_stop(r->l);
	gguf_texts_end(&r->kv);
	if (!gguf_limits_keep(&r->out->limits, &r->kv, n))
		return layout_stop(r->l);
	if (n <= GGUF_WINDOW)
		take_string(r, head);
	return r->kv.rule.role == GGUF_TEMPLATE ? WLK_DONE : check_inner(r, head, n);
}

static void template_finding(void *ctx, const struct finding *f)
{
	layout_finding(ctx, f);
}

/* The template, kept for as long as it is looked at; NULL when it is too long to be. */
static enum wlk_status load_template(struct reader *r, uint64_t at, uint64_t n, struct bytes *ret)
{
	*ret = bytes_of(NULL, (size_t)n); /* at most 64 MiB */
	if (n > TEMPLATE_BYTES_MAX)
		return WLK_DONE;
	if (r->text == NULL) {
		layout_raise_memory(r->l, (uint64_t)TEMPLATE_BYTES_MAX + TEMPLATE_MEMORY);
		r->text = arena_alloc(r->l->arena, TEMPLATE_BYTES_MAX, 1);
	}
	if (r->text == NULL || !part_read_guarded(&r->l->part, at, r->text, (size_t)n))
		return layout_stop(r->l);
	ret->at = r->text;
	return WLK_DONE;
}

/* Section 8, after it was found to be text: from `at` to where the reader is. */
static enum wlk_status check_template(struct reader *r, uint64_t at)
{
	struct bytes text;
	enum wlk_status status = load_template(r, at, r->in->pos - at, &text);

	if (status != WLK_DONE)
		return status;
	status = template_check(text, &(struct template_options){ .family = TEMPLATE_GGUF,
					  .subject = r->kv.key,
					  .origin = at,
					  .seed = r->l->seed,
					  .arena = r->l->arena,
					  .finding = template_finding,
					  .ctx = r->l });
	r->kv.not_understood = status == WLK_BROKEN;
	return status == WLK_INCOMPLETE ? layout_stop(r->l) : WLK_DONE;
}

static enum wlk_status read_template(struct reader *r)
{
	enum wlk_status status = read_string(r);

	return status == WLK_DONE ? check_template(r, r->kv.value_at) : status;
}

/* -- arrays -- */

static enum wlk_status begin_list(struct reader *r, uint64_t n)
{
	struct gguf_tokenizer *t = &r->out->tokenizer;
	struct gguf_list list = { .seen = true, .n = n, .at = r->in->pos };
	bool fits = true;

	switch (r->kv.rule.role) {
	case GGUF_TOKENS: fits = gguf_tokens_begin(t, list, r->l->arena); break;
	case GGUF_TOKEN_TYPE: fits = gguf_types_begin(t, list, r->l->arena); break;
	case GGUF_SCORES: t->scores = list; break;
	default: break;
	}
	return fits ? WLK_DONE : layout_stop(r->l);
}

/* Two texts and a blank between them: loaders cut at the first that is not in front. */
static bool is_merge(struct bytes text)
{
	return text.n >= 3 && memchr(text.at + 1, ' ', text.n - 2) != NULL;
}

static enum wlk_status read_strings(struct reader *r, uint64_t n)
{
	uint64_t most = r->kv.rule.role == GGUF_TOKENS ? GGUF_TOKEN_BYTES_MAX : GGUF_STRING_BYTES_MAX;
	uint64_t text_at;
	enum wlk_status status;
	struct bytes head;

	r->kv.lenient = is_tokenizer_list(r->kv.rule.role);
	for (uint64_t i = 0, bytes; i < n; i++) {
		status = gguf_read_length(&r->kv, r->in, most, &bytes);
		if (status != WLK_DONE)
			return status;
		text_at = r->in->pos;
		if (!gguf_read_text(&r->kv, r->in, bytes, &head))
			return layout_stop(r->l);
		if (r->kv.rule.role == GGUF_TOKENS)
			gguf_token(&r->out->tokenizer, i, head);
		else if (r->kv.rule.role == GGUF_MERGES && !is_merge(head))
			gguf_merge_odd(&r->out->tokenizer, text_at);
	}
	gguf_texts_end(&r->kv);
	return WLK_DONE;
}

/* Ids that are never to be said: of 4 bytes, and a negative one is too large as well. */
static void suppress(struct reader *r, const uint8_t *at, size_t n, uint64_t offset)
{
	for (size_t i = 0; i + sizeof(uint32_t) <= n; i += sizeof(uint32_t))
		gguf_token_id(&r->out->tokenizer, r->kv.key, load_u32le(at + i), offset + i);
}

static enum wlk_status read_numbers(struct reader *r, uint64_t n)
{
	unsigned width = gguf_value_bytes(r->kv.type);
	uint64_t left = n * width; /* no more than is left of the file */

	for (uint64_t i = 0, piece; left > 0; left -= piece, i += piece / width) {
		uint64_t at = r->in->pos;
		const uint8_t *bytes;

		piece = min_u64(left, GGUF_WINDOW); /* a window holds whole numbers of any type */
		bytes = gguf_take(r->in, (size_t)piece);
		if (bytes == NULL)
			return layout_stop(r->l);
		gguf_check_numbers(&r->kv, bytes, (size_t)piece, at);
		if (r->kv.rule.role == GGUF_TOKEN_TYPE)
			gguf_types(&r->out->tokenizer, i, bytes, (size_t)piece / width, at);
		if (r->kv.rule.role == GGUF_SUPPRESS)
			suppress(r, bytes, (size_t)piece, at);
	}
	gguf_numbers_end(&r->kv);
	if (r->kv.rule.role == GGUF_CHARSMAP && width == 1)
		return charsmap_check_part(r->l, r->kv.value_at, n, r->kv.key);
	return WLK_DONE;
}

/* Rules 13 and 14. */
static enum wlk_status read_array(struct reader *r)
{
	uint64_t at = r->in->pos, n, most;
	uint32_t type;
	enum wlk_status status;

	if (!gguf_take_u32(r->in, &type) || !gguf_take_u64(r->in, &n))
		return gguf_short(r->l, r->in);
	if (type == GGUF_ARRAY || type >= GGUF_N_VALUE_TYPES) {
		gguf_kv_finding(&r->kv, type == GGUF_ARRAY ? WLK_F_GGUF_ARRAY_NESTED : WLK_F_GGUF_VALUE_TYPE, at,
		    value_number(type), value_number(GGUF_N_VALUE_TYPES - 1));
		return WLK_BROKEN;
	}
	r->kv.type = (enum gguf_value_type)type;
	most = min_u64(GGUF_ARRAY_MAX, gguf_left(r->in) / (type == GGUF_STRING ? 8 : gguf_value_bytes(r->kv.type)));
	if (n > most) {
		gguf_kv_finding(&r->kv, WLK_F_GGUF_ARRAY_LENGTH, at + 4, value_number(n), value_number(most));
		return WLK_BROKEN;
	}
	r->kv.value_at = r->in->pos;
	check_type(r);
	status = gguf_limits_keep(&r->out->limits, &r->kv, n) ? begin_list(r, n) : layout_stop(r->l);
	if (status != WLK_DONE)
		return status;
	return type == GGUF_STRING ? read_strings(r, n) : read_numbers(r, n);
}

/* -- the whole -- */

static enum wlk_status read_value(struct reader *r, uint32_t type)
{
	struct gguf_kv *kv = &r->kv;

	kv->is_array = type == GGUF_ARRAY;
	kv->type = (enum gguf_value_type)type;
	if (kv->is_array)
		return read_array(r);
	check_type(r);
	if (type != GGUF_STRING)
		return read_scalar(r);
	return kv->rule.role == GGUF_TEMPLATE ? read_template(r) : read_string(r);
}

static enum wlk_status read_pair(struct reader *r)
{
	uint64_t at;
	uint32_t type;
	enum wlk_status status;

	gguf_kv_begin(&r->kv, r->l);
	status = read_key(r);
	if (status != WLK_DONE)
		return status;
	at = r->in->pos;
	if (!gguf_take_u32(r->in, &type))
		return gguf_short(r->l, r->in);
	r->kv.value_at = r->in->pos;
	if (type < GGUF_N_VALUE_TYPES)
		return read_value(r, type);
	gguf_kv_finding(&r->kv, WLK_F_GGUF_VALUE_TYPE, at, value_number(type), value_number(GGUF_N_VALUE_TYPES - 1));
	return WLK_BROKEN;
}

enum wlk_status gguf_metadata_read(struct layout *l, struct gguf_in *in, uint64_t n_keys, struct gguf_metadata *ret)
{
	struct reader r = { .l = l, .in = in, .out = ret };
	bool understood = true;
	enum wlk_status status;

	*ret = (struct gguf_metadata){ .alignment = GGUF_ALIGNMENT_DEFAULT };
	if (!key_set_init(&r.keys, n_keys, l))
		return layout_stop(l);
	for (uint64_t i = 0; i < n_keys; i++) {
		status = read_pair(&r);
		if (status != WLK_DONE)
			return status;
		understood = understood && !r.kv.not_understood;
	}
	status = gguf_tokenizer_check(&ret->tokenizer, l, in);
	ret->limits.tokens_known = ret->tokenizer.tokens.seen;
	ret->limits.tokens = ret->tokenizer.tokens.n;
	if (status == WLK_DONE)
		status = gguf_limits_check(&ret->limits, l);
	ret->understood = understood;
	return status;
}
