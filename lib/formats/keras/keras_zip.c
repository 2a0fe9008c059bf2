/* Keras' own archives, `.keras`: a ZIP of a configuration, metadata and weights.  The container is read by lib/grammars/zip,
 * the weights by the HDF5 or NumPy reader, the configuration by keras_config.h.  Follows formats/keras-hdf5, section 2. */
#include "keras_zip.h"

#include <string.h>

#include "json_text.h"
#include "keras_config.h"
#include "nested.h"
#include "zip_layout.h"

#define CONFIG "config.json"
#define METADATA "metadata.json"
#define WEIGHTS_H5 "model.weights.h5"
#define WEIGHTS_NPZ "model.weights.npz"
#define ASSETS "assets/"
#define METADATA_MAX ((uint64_t)64 << 10) /* K2 */

static bool is_asset(struct bytes name)
{
	return name.n >= strlen(ASSETS) && memcmp(name.at, ASSETS, strlen(ASSETS)) == 0;
}

static bool is_weights(struct bytes name)
{
	return zip_name_is(name, WEIGHTS_H5) || zip_name_is(name, WEIGHTS_NPZ);
}

/* Keras writes the metadata first; others begin with the configuration or the weights. */
static bool probe(const struct probe *p)
{
	struct bytes name;

	return zip_first_name(p, &name) &&
	       (zip_name_is(name, METADATA) || zip_name_is(name, CONFIG) || is_weights(name));
}

/* -- JSON members -- */

/* K8: two strings, and nothing else.  The text was read before: it is JSON. */
static bool is_metadata(struct bytes text)
{
	struct json j = { .base = text.at, .p = text.at, .end = text.at + text.n };
	bool more = json_expect(&j, '{') && json_any(&j, '}'), version = false, date = false;

	while (more) {
		uint8_t buf[JSON_WORD_MAX];
		struct json_text key, value;
		struct bytes word;

		if (!json_key(&j, &key) || !json_read_string(&j, &value))
			return false;
		word = json_word(&key, buf);
		version = version || zip_name_is(word, "keras_version");
		date = date || zip_name_is(word, "date_saved");
		if ((!zip_name_is(word, "keras_version") && !zip_name_is(word, "date_saved")) ||
		    !json_more(&j, '}', &more))
			return false;
	}
	return version && date;
}

/* An object with a class and what that is built from: Keras asks it for both, whatever it is. */
static bool is_configuration(struct bytes text)
{
	struct json j = { .base = text.at, .p = text.at, .end = text.at + text.n };
	struct json_text key;
	bool class_name = false, config = false, more;
	uint8_t buf[JSON_WORD_MAX];

	if (json_peek(&j) != '{')
		return false;
	j.p++;
	for (more = json_any(&j, '}'); more;) {
		struct bytes word;

		if (!json_key(&j, &key))
			return false;
		word = json_word(&key, buf);
		class_name |= bytes_equal(word, bytes_of_text("class_name")) && json_peek(&j) == '"';
		config |= bytes_equal(word, bytes_of_text("config")) && json_peek(&j) == '{';
		if (!json_skip(&j, 1) || !json_more(&j, '}', &more))
			return false;
	}
	return class_name && config;
}

static enum wlk_status judge_json(struct layout *l, const struct zip_entry *e, uint64_t limit)
{
	struct layout inner;
	struct bytes text;
	enum wlk_status status = zip_read_text(l, e, limit, WLK_F_KERAS_JSON_SIZE, &inner, &text);

	if (status != WLK_DONE || text.at == NULL)
		return status;
	status = keras_config_check(&inner, text, 0);
	if (status == WLK_DONE && zip_name_is(e->name, CONFIG) && !is_configuration(text)) {
		layout_at(&inner, WLK_F_KERAS_JSON_SYNTAX, 0);
		status = WLK_BROKEN;
	}
	if (status == WLK_DONE && zip_name_is(e->name, METADATA) && !is_metadata(text))
		layout_at(&inner, WLK_F_KERAS_METADATA, 0);
	e->member->understood = status == WLK_DONE && text.n == e->size;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

/* -- members -- */

static enum wlk_status judge_weights(struct layout *l, const struct zip_entry *e)
{
	enum wlk_format_id want = zip_name_is(e->name, WEIGHTS_H5) ? WLK_FORMAT_KERAS_HDF5 : WLK_FORMAT_NPZ, id;
	enum wlk_status status = nested_judge(l, e->member, &id);

	if (status == WLK_DONE && id != want) {
		zip_report_entry(l, e, WLK_F_KERAS_MEMBER_UNEXPECTED);
		e->member->understood = false;
	}
	return status;
}

/* K5; the ZIP reader has its own words for it. */
static bool is_sound_asset(struct bytes name)
{
	return memmem(name.at, name.n, "..", 2) == NULL && memmem(name.at, name.n, "://", 3) == NULL &&
	       memchr(name.at, '\\', name.n) == NULL;
}

/* By its name: Keras does not run it, people do. */
static bool is_source(struct bytes name)
{
	char end[32];
	size_t n = name.n < sizeof(end) ? name.n : sizeof(end) - 1;

	memcpy(end, name.at + (name.n - n), n);
	end[n] = '\0';
	return format_hint(end) == WLK_FORMAT_CODE;
}

/* K1: anything else only under assets, and judged by its content. */
static enum wlk_status judge_other(struct layout *l, const struct zip_entry *e)
{
	enum wlk_format_id id;

	if (!is_asset(e->name)) {
		zip_report_entry(l, e, WLK_F_KERAS_MEMBER_UNEXPECTED);
		return nested_judge(l, e->member, &id);
	}
	if (!is_sound_asset(e->name))
		zip_report_entry(l, e, WLK_F_KERAS_ASSET_TRAVERSAL);
	if (is_source(e->name))
		zip_report_entry(l, e, WLK_F_REPO_CODE);
	return zip_judge_or_text(l, e, WLK_F_KERAS_MEMBER_UNEXPECTED);
}

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	(void)a;
	if (zip_name_is(e->name, CONFIG))
		return judge_json(l, e, KERAS_CONFIG_MAX);
	if (zip_name_is(e->name, METADATA))
		return judge_json(l, e, METADATA_MAX);
	return is_weights(e->name) ? judge_weights(l, e) : judge_other(l, e);
}

static enum wlk_status check_members(struct layout *l, struct zip_archive *a)
{
	const struct zip *z = &a->zip;
	const char *missing = NULL;

	if (zip_find(z, bytes_of_text(CONFIG)) == NULL)
		missing = CONFIG;
	else if (zip_find(z, bytes_of_text(METADATA)) == NULL)
		missing = METADATA;
	else if (zip_find(z, bytes_of_text(WEIGHTS_H5)) == NULL && zip_find(z, bytes_of_text(WEIGHTS_NPZ)) == NULL)
		missing = WEIGHTS_H5;
	if (missing != NULL)
		layout_finding(
		    l, &(struct finding){ .code = WLK_F_KERAS_MEMBER_MISSING, .subject = bytes_of_text(missing) });
	return WLK_DONE;
}

static enum wlk_status layout(struct layout *l)
{
	static const struct zip_reader reader = {
		.id = WLK_FORMAT_KERAS_ZIP, .profile = ZIP_KERAS, .begin = check_members, .member = judge_member
	};

	return zip_layout(l, &reader);
}

const struct wlk_format format_keras_zip = { .id = WLK_FORMAT_KERAS_ZIP,
	.converts = CONVERTS_TOLD,
	.framework = "tf",
	.probe = probe,
	.layout = layout,
	.finish = zip_layout_finish,
	.nested = NESTED_RANDOM };
