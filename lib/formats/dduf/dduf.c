/* The archive and its index: see dduf.h.  The rules are those of read_dduf_file() (huggingface_hub/serialization/_dduf.py). */
#include "dduf.h"

#include "config_rules.h"

#include "json_walk.h"
#include "member.h"

#define INDEX "model_index.json"
#define INDEX_MAX ((uint64_t)1 << 20)
#define FOLDERS_MAX 64u /* a pipeline has ten */

/* What the index names. */
struct index {
	struct layout *l;
	struct bytes folders[FOLDERS_MAX];
	size_t n;
	bool broken;
};

/* -- the index -- */

/* Names with an escape no folder has. */
static bool take_value(void *ctx, const struct json_value *v)
{
	struct index *x = ctx;

	if (v->depth == 0)
		x->broken |= v->kind != JSON_OBJECT;
	if (v->depth == 1 && v->key != NULL && !v->key->escaped && x->n < FOLDERS_MAX)
		x->folders[x->n++] = v->key->raw;
	return true;
}

static void take_close(void *ctx, unsigned depth)
{
	(void)ctx;
	(void)depth;
}

static void take_twice(void *ctx, const struct json_text *key, size_t at)
{
	struct index *x = ctx;

	(void)key;
	(void)at;
	x->broken = true;
}

static enum wlk_status read_index(struct layout *l, const struct zip_entry *e, struct index *x)
{
	const struct json_walker walker = { .ctx = x, .value = take_value, .close = take_close, .twice = take_twice };
	struct layout inner;
	struct bytes text;
	enum json_walk_end end;
	enum wlk_status status = zip_read_text(l, e, INDEX_MAX, WLK_F_DDUF_STRUCTURE, &inner, &text);

	if (status != WLK_DONE || text.at == NULL)
		return status;
	end = json_walk(l, text, &walker, NULL);
	if (end == JSON_WALK_MEMORY)
		return layout_stop(l);
	e->member->understood = end == JSON_WALK_WHOLE && !x->broken && text.n == e->size;
	if (!e->member->understood)
		zip_report_entry(l, e, WLK_F_DDUF_STRUCTURE);
	return WLK_DONE;
}

/* -- names -- */

static bool is_kind(struct bytes name)
{
	return bytes_end_with(name, ".json") || bytes_end_with(name, ".model") ||
	       bytes_end_with(name, ".safetensors") || bytes_end_with(name, ".txt");
}

/* The folder that a member is in; empty: none.  False: there is one in it. */
static bool folder_of(struct bytes name, struct bytes *ret)
{
	const uint8_t *slash = name.n > 0 ? memchr(name.at, '/', name.n) : NULL;
	size_t n = slash != NULL ? (size_t)(slash - name.at) : 0;

	*ret = bytes_of(name.at, n);
	return slash == NULL || memchr(slash + 1, '/', name.n - n - 1) == NULL;
}

static bool is_named(const struct index *x, struct bytes folder)
{
	for (size_t i = 0; i < x->n; i++)
		if (bytes_equal(x->folders[i], folder))
			return true;
	return folder.n == 0;
}

#define PATH_MAX_BYTES 512u

static bool is_configured(const struct zip *z, struct bytes folder)
{
	static const char *const names[] = { "/config.json", "/tokenizer_config.json", "/preprocessor_config.json",
		"/scheduler_config.json" };
	uint8_t path[PATH_MAX_BYTES];

	if (folder.n > PATH_MAX_BYTES / 2)
		return false;
	bytes_copy(path, folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		memcpy(path + folder.n, names[i], strlen(names[i]));
		if (zip_find(z, bytes_of(path, folder.n + strlen(names[i]))) != NULL)
			return true;
	}
	return folder.n == 0;
}

static bool is_regular(const struct zip *z, const struct index *x, const struct zip_entry *e)
{
	struct bytes folder;

	return e->method == ZIP_METHOD_STORED && is_kind(e->name) && folder_of(e->name, &folder) &&
	       is_named(x, folder) && is_configured(z, folder);
}

/* -- the archive -- */

static enum wlk_status begin(struct layout *l, struct zip_archive *a)
{
	const struct zip_entry *e = zip_find(&a->zip, bytes_of_text(INDEX));
	struct index *x = arena_alloc(l->arena, 1, sizeof(*x));
	enum wlk_status status = WLK_DONE;

	if (x == NULL)
		return layout_stop(l);
	x->l = l;
	if (e != NULL && e->readable)
		status = read_index(l, e, x);
	else
		layout_at(l, WLK_F_DDUF_STRUCTURE, 0);
	for (size_t i = 0; status == WLK_DONE && i < a->zip.n; i++)
		if (!is_regular(&a->zip, x, &a->zip.entries[i]))
			zip_report_entry(l, &a->zip.entries[i], WLK_F_DDUF_STRUCTURE);
	return status;
}

/* The index names classes: judged like one beside a pipeline. */
static enum wlk_status judge_index(struct layout *l, const struct zip_entry *e)
{
	enum wlk_status status = config_judge_member(l, e->member, e->name, false);

	if (status == WLK_BROKEN)
		e->member->understood = false;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	enum wlk_status status;

	(void)a;
	if (zip_name_is(e->name, INDEX) && e->member->understood)
		return judge_index(l, e);
	status = zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);
	if (status == WLK_DONE && bytes_end_with(e->name, ".safetensors") && e->member->id != WLK_FORMAT_SAFETENSORS)
		zip_report_entry(l, e, WLK_F_DDUF_STRUCTURE);
	return status;
}

const struct zip_reader zip_reader_dduf = {
	.id = WLK_FORMAT_DDUF, .profile = ZIP_PLAIN, .marker = INDEX, .begin = begin, .member = judge_member
};

static bool probe(const struct probe *p)
{
	struct bytes name;

	return zip_first_name(p, &name) && zip_name_is(name, INDEX);
}

static enum wlk_status layout(struct layout *l)
{
	return zip_layout(l, &zip_reader_dduf);
}

const struct wlk_format format_dduf = {
	.id = WLK_FORMAT_DDUF, .probe = probe, .layout = layout, .finish = zip_layout_finish, .nested = NESTED_RANDOM
};
