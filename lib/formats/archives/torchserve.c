/* TorchServe's archives: see torchserve.h.  The manifest's members are those that torch-model-archiver writes. */
#include "torchserve.h"

#include "json_walk.h"
#include "nested.h"

#define MANIFEST_MAX ((uint64_t)1 << 20)
#define NAME_MAX_BYTES 256u

struct manifest {
	struct layout *l, *inner;
	const struct zip *z;
	bool in_model, handled, broken; /* handled: the model has a handler */
};

static bool ends_with(struct bytes name, const char *text)
{
	size_t n = strlen(text);

	return name.n >= n && strncasecmp((const char *)name.at + name.n - n, text, n) == 0;
}

bool torchserve_is_code(struct bytes name)
{
	static const char *const ends[] = { ".py", ".pyc", ".pyw", ".pyx", ".so", ".sh", ".ipynb", ".whl", ".egg",
		".pth.py" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

/* -- the manifest -- */

/* Handlers that come with TorchServe. */
static const char *const own_handlers[] = { "image_classifier", "image_segmenter", "object_detector", "text_classifier",
	"base_handler", "vision_handler", "text_handler", "dali_image_classifier", "densenet_handler" };

/* What the manifest names; what it says otherwise is about itself. */
enum named { NAMED_NOTHING, NAMED_HANDLER, NAMED_CODE, NAMED_FILE, NAMED_REQUIREMENTS };

static enum named kind_of(const struct json_text *key)
{
	if (json_is(key, "handler"))
		return NAMED_HANDLER;
	if (json_is(key, "modelFile"))
		return NAMED_CODE;
	if (json_is(key, "serializedFile") || json_is(key, "configFile"))
		return NAMED_FILE;
	return json_is(key, "requirementsFile") ? NAMED_REQUIREMENTS : NAMED_NOTHING;
}

static void tell(struct manifest *m, enum wlk_finding code, size_t at, struct bytes subject)
{
	layout_finding(
	    m->inner, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

static bool is_own_handler(struct bytes name)
{
	for (size_t i = 0; i < sizeof(own_handlers) / sizeof(own_handlers[0]); i++)
		if (bytes_equal(name, bytes_of_text(own_handlers[i])))
			return true;
	return false;
}

static void judge_named(struct manifest *m, enum named kind, const struct json_value *v)
{
	uint8_t decoded[NAME_MAX_BYTES];
	struct bytes raw = v->text.raw, name = bytes_of(decoded, json_decode(&raw, decoded, sizeof(decoded)));

	if (kind == NAMED_HANDLER && is_own_handler(name) && raw.n == 0)
		return;
	if (kind == NAMED_HANDLER || kind == NAMED_CODE)
		tell(m, WLK_F_MAR_HANDLER_CODE, v->at, name);
	else if (kind == NAMED_REQUIREMENTS)
		tell(m, WLK_F_MAR_REQUIREMENTS, v->at, name);
	else if (raw.n > 0 || zip_find(m->z, name) == NULL)
		tell(m, WLK_F_MAR_FILE_MISSING, v->at, name);
}

static bool take_value(void *ctx, const struct json_value *v)
{
	struct manifest *m = ctx;
	enum named kind = v->depth == 2 && m->in_model ? kind_of(v->key) : NAMED_NOTHING;

	if (v->depth == 0)
		m->broken = m->broken || v->kind != JSON_OBJECT;
	if (v->depth == 1)
		m->in_model = json_is(v->key, "model") && v->kind == JSON_OBJECT;
	if (kind == NAMED_NOTHING)
		return true;
	m->handled = m->handled || (kind == NAMED_HANDLER && v->kind == JSON_STRING);
	if (v->kind == JSON_STRING)
		judge_named(m, kind, v);
	else if (v->kind != JSON_WORD || v->word != 'n')
		m->broken = true;
	return true;
}

static void take_close(void *ctx, unsigned depth)
{
	(void)ctx;
	(void)depth;
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct manifest *m = ctx;

	tell(m, WLK_F_MAR_MANIFEST, at,
	    bytes_of(key->raw.at, key->raw.n < NAME_MAX_BYTES ? key->raw.n : NAME_MAX_BYTES));
	m->broken = true;
}

static enum wlk_status read_manifest(struct layout *l, struct zip_archive *a)
{
	const struct zip_entry *e = zip_find(&a->zip, bytes_of_text(TORCHSERVE_MANIFEST));
	struct layout inner;
	struct manifest m = { .l = l, .inner = &inner, .z = &a->zip };
	const struct json_walker walker = { .ctx = &m, .value = take_value, .close = take_close, .twice = take_twice };
	enum json_walk_end end;
	enum wlk_status status;
	struct bytes text;
	size_t at;

	if (e == NULL || !e->readable) {
		layout_at(l, WLK_F_MAR_MANIFEST, 0);
		return WLK_DONE;
	}
	status = zip_read_text(l, e, MANIFEST_MAX, WLK_F_MAR_MANIFEST, &inner, &text);
	if (status != WLK_DONE || text.at == NULL)
		return status;
	end = json_walk(l, text, &walker, &at);
	if (end == JSON_WALK_MEMORY)
		return layout_stop(l);
	if (end != JSON_WALK_WHOLE || m.broken || !m.handled)
		layout_at(&inner, WLK_F_MAR_MANIFEST, end != JSON_WALK_WHOLE ? at : 0);
	e->member->understood = end == JSON_WALK_WHOLE && m.handled && !m.broken && text.n == e->size;
	return WLK_DONE;
}

/* -- the archive -- */

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	(void)a;
	if (zip_name_is(e->name, TORCHSERVE_MANIFEST))
		return WLK_DONE;
	if (torchserve_is_code(e->name))
		zip_report_entry(l, e, WLK_F_MAR_HANDLER_CODE);
	return zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
}

const struct zip_reader zip_reader_torchserve = { .id = WLK_FORMAT_MAR,
	.profile = ZIP_PLAIN,
	.marker = TORCHSERVE_MANIFEST,
	.begin = read_manifest,
	.member = judge_member };

static bool probe(const struct probe *p)
{
	struct bytes name;

	return zip_first_name(p, &name) && (zip_name_is(name, TORCHSERVE_MANIFEST) || zip_name_is(name, "MAR-INF/"));
}

static enum wlk_status layout(struct layout *l)
{
	return zip_layout(l, &zip_reader_torchserve);
}

const struct wlk_format format_torchserve = {
	.id = WLK_FORMAT_MAR, .probe = probe, .layout = layout, .finish = zip_layout_finish, .nested = NESTED_RANDOM
};
