/* See config_json.h. */
#include "config_json.h"

#include "config_impl.h"
#include "config_names.h"

#define KEY_BYTES 256u

/* Keys that are longer than any of ours are named by their beginning. */
static struct config_text key_of(const struct json_text *key, uint8_t buf[KEY_BYTES])
{
	struct bytes rest = key->raw;

	return (struct config_text){ bytes_of(buf, json_decode(&rest, buf, KEY_BYTES)), false };
}

/* As it stands there: nearly all, and buffers cost more than what is done with them, for the compiler clears them. */
static bool is_plain(const struct json_text *key)
{
	return key == NULL || !key->escaped;
}

static struct config_text plain_key(const struct json_text *key)
{
	return key == NULL ? config_no_key : (struct config_text){ key->raw, true };
}

static __attribute__((noinline)) void open_escaped(
    struct config *c, enum config_type type, const struct json_text *key, uint64_t at)
{
	uint8_t buf[KEY_BYTES];

	config_open(c, type, key_of(key, buf), at);
}

void config_json_open(struct config *c, enum config_type type, const struct json_text *key, uint64_t at)
{
	if (is_plain(key))
		config_open(c, type, plain_key(key), at);
	else
		open_escaped(c, type, key, at);
}

/* Texts are cut where no rule looks on; templates are not. */
static void feed_template(struct config *c, struct config_text key, const struct json_text *text, uint64_t at)
{
	uint8_t *buf = arena_resize_raw(c->l->arena, NULL, text->raw.n, 1); /* decoding makes nothing longer */
	struct bytes rest = text->raw;

	if (buf == NULL) {
		c->failed = true;
		return;
	}
	config_value(c, CONFIG_TEXT, key,
	    (struct config_text){ bytes_of(buf, json_decode(&rest, buf, text->raw.n)), false }, at);
	arena_release(c->l->arena, buf);
}

static __attribute__((noinline)) void take_escaped(
    struct config *c, const struct json_text *key, const struct json_text *text, uint64_t at)
{
	uint8_t name[KEY_BYTES], buf[CONFIG_TEXT_MAX + 1];
	struct config_text t = { text->raw, true }, k = is_plain(key) ? plain_key(key) : key_of(key, name);

	if (text->escaped && (config_asks_template(c, k.b) || config_asks_inner(c, k.b, text->raw))) {
		feed_template(c, k, text, at);
		return;
	}
	if (text->escaped) {
		struct bytes rest = text->raw;

		t = (struct config_text){ bytes_of(buf, json_decode(&rest, buf, sizeof(buf))), false };
	}
	config_value(c, CONFIG_TEXT, k, t, at);
}

void config_json_text(struct config *c, const struct json_text *key, const struct json_text *text, uint64_t at)
{
	if (is_plain(key) && !text->escaped)
		config_value(c, CONFIG_TEXT, plain_key(key), (struct config_text){ text->raw, true }, at);
	else
		take_escaped(c, key, text, at);
}

static __attribute__((noinline)) void take_escaped_word(
    struct config *c, enum config_type type, const struct json_text *key, struct bytes digits, uint64_t at)
{
	uint8_t buf[KEY_BYTES];

	config_value(c, type, key_of(key, buf), (struct config_text){ digits, true }, at);
}

void config_json_word(
    struct config *c, enum config_type type, const struct json_text *key, struct bytes digits, uint64_t at)
{
	if (is_plain(key))
		config_value(c, type, plain_key(key), (struct config_text){ digits, true }, at);
	else
		take_escaped_word(c, type, key, digits, at);
}
