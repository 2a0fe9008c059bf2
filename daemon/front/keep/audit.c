/* See audit.h. */
#include "audit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "audit_texts.h"
#include "chain.h"
#include "keeper_wire.h"
#include "log.h"
#include "statement.h"
#include "hex.h"

#define CODES_MAX 32u /* of a line; the verdict has them all */

/* From the question to the keeper to its answer. */
struct audit_call {
	struct audit *audit;
	void (*done)(void *ctx, bool recorded); /* NULL: nobody waits (any more) */
	void *ctx;
	size_t held;
};

/* ---- the record ---- */

/* What is missing is left out: a line says what is known. */
static void put(json_t *o, const char *key, json_t *value)
{
	if (value != NULL && !json_is_null(value))
		json_object_set(o, key, value);
}

static void put_file(json_t *o, const json_t *verdict)
{
	const json_t *file = json_object_get(verdict, "file");

	if (file != NULL) {
		put(o, "name", json_object_get(file, "name"));
		put(o, "sha256", json_object_get(file, "sha256"));
		put(o, "size", json_object_get(file, "size"));
	} else {
		put(o, "name", json_object_get(verdict, "name"));
		put(o, "sha256", json_object_get(verdict, "sha256"));
	}
}

#define JSON_LINE (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15))

/* What the line will have pseudonyms for, with a salt; malloc()ed.  NULL: nobody wants it, or it cannot be had. */
static char *text_of(const struct settings *s, const char *tenant, const char *name)
{
	char salt[2 * AUDIT_SALT_BYTES + 1], *text;
	uint8_t random[AUDIT_SALT_BYTES];
	json_t *o;

	if (s->config.audit_texts_days == 0 || getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return NULL;
	hex_write(random, sizeof(random), salt);
	o = json_pack("{s:s, s:s, s:s*}", "salt", salt, "tenant", tenant, "name", name);
	text = o != NULL ? json_text(o, JSON_LINE) : NULL;
	json_decref(o);
	return text;
}

/* Who it is about: as it is, or by pseudonyms and the hash of @text. */
static void put_names(json_t *o, const struct settings *s, const char *tenant, const char *text)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	char buf[SETTINGS_PSEUDONYM_BYTES], hex[SHA256_HEX + 1];
	uint8_t hash[32];

	json_object_set_new(o, "tenant", json_string(settings_tenant(s, tenant, buf)));
	if (name != NULL)
		json_object_set_new(o, "name", json_string(settings_pseudonym(s, name, buf)));
	if (text == NULL)
		return;
	audit_text_hash(bytes_of_text(text), hash);
	hex_write(hash, sizeof(hash), hex);
	json_object_set_new(o, "text", json_string(hex));
}

/* The record, and perhaps a newline and its text: printable ASCII, malloc()ed.  NULL without memory. */
static char *record_of(const struct settings *s, const struct audit_event *e)
{
	const json_t *scan = json_object_get(e->verdict, "scan");
	json_t *o = json_pack("{s:s, s:s, s:I, s:I}", "kind", e->kind, "tenant", e->tenant, "uid", (json_int_t)e->uid,
	    "pid", (json_int_t)e->pid);
	char *text, *record, *both = NULL;

	if (o == NULL)
		return NULL;
	put(o, "request_id", json_object_get(scan, "request_id"));
	put_file(o, e->verdict);
	put(o, "digest_by", json_object_get(scan, "digest_by"));
	put(o, "verdict", json_object_get(e->verdict, "verdict"));
	put(o, "effective", json_object_get(e->verdict, "effective"));
	put(o, "complete", json_object_get(e->verdict, "complete"));
	put(o, "policy", json_object_get(e->verdict, "policy"));
	put(o, "engine", json_object_get(scan, "engine"));
	put(o, "rules", json_object_get(scan, "rules"));
	json_object_set_new(o, "codes", statement_codes(e->verdict, CODES_MAX));
	put(o, "error", json_object_get(scan, "error"));
	put(o, "scanned", json_object_get(scan, "time"));
	put(o, "duration_ms", json_object_get(scan, "duration_ms"));
	text = text_of(s, e->tenant, json_string_value(json_object_get(o, "name")));
	put_names(o, s, e->tenant, text);
	record = json_text(o, JSON_LINE);
	json_decref(o);
	if (record == NULL || asprintf(&both, "%s%s%s", record, text ? "\n" : "", text ? text : "") < 0)
		both = NULL;
	free(record);
	free(text);
	return both;
}

/* ---- what waits ---- */

static void hold(struct audit_call *c, const json_t *verdict)
{
	c->held = AUDIT_HELD_LEAST + json_dumpb(verdict, NULL, 0, JSON_COMPACT) * AUDIT_HELD_FACTOR;
	c->audit->held += c->held;
}

static void let_go(struct audit_call *c)
{
	c->audit->held -= c->held;
	c->held = 0;
}

bool audit_is_behind(const struct audit *a)
{
	return a->held >= AUDIT_HELD_MAX;
}

/* ---- the keeper ---- */

static void note_head(struct audit *a, struct bytes answer)
{
	uint64_t seq;

	if (answer.n != KEEPER_AUDIT_ANSWER)
		return;
	seq = load_u64le(answer.at);
	a->known = true;
	a->seq = seq;
	memcpy(a->head, answer.at + 8, sizeof(a->head));
}

static void count(struct audit *a, bool recorded)
{
	if (recorded)
		a->tally->audit_recorded++;
	else
		a->tally->audit_failed++;
}

static void on_answer(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct audit_call *c = ctx;
	void (*done)(void *ctx, bool recorded) = c->done;
	bool recorded = status == KEEPER_OK;

	count(c->audit, recorded);
	note_head(c->audit, answer);
	let_go(c);
	ctx = c->ctx;
	free(c);
	if (done)
		done(ctx, recorded);
}

static bool ask(struct audit *a, const struct audit_event *e, struct audit_call *c)
{
	char *record = record_of(a->settings, e);
	bool asked = record && c != NULL && keeper_ask(a->keeper, KEEPER_AUDIT, bytes_of_text(record), on_answer, c);

	free(record);
	return asked;
}

enum audit_step audit_verdict(struct audit *a, const struct audit_event *e, void (*done)(void *ctx, bool recorded),
    void *ctx, struct audit_call **ret)
{
	bool required = a->mode == CONFIG_AUDIT_REQUIRED;
	struct audit_call *c;

	*ret = NULL;
	if (a->mode == CONFIG_AUDIT_OFF)
		return AUDIT_RELEASE;
	c = malloc(sizeof(*c));
	if (c != NULL)
		*c = (struct audit_call){ .audit = a, .done = required ? done : NULL, .ctx = ctx };
	if (ask(a, e, c)) {
		*ret = required ? c : NULL;
		if (required)
			hold(c, e->verdict);
		return required ? AUDIT_WAIT : AUDIT_RELEASE;
	}
	free(c);
	count(a, false);
	return required ? AUDIT_REFUSE : AUDIT_RELEASE;
}

void audit_forget(struct audit_call *c)
{
	if (c == NULL)
		return;
	c->done = NULL;
	let_go(c);
}

json_t *audit_json(const struct audit *a)
{
	static const char *const modes[] = {
		[CONFIG_AUDIT_OFF] = "off", [CONFIG_AUDIT_ON] = "on", [CONFIG_AUDIT_REQUIRED] = "required"
	};
	char hex[SHA256_HEX + 1];

	if (a->mode == CONFIG_AUDIT_OFF)
		return NULL;
	if (!a->known)
		return json_pack("{s:s}", "mode", modes[a->mode]);
	hex_write(a->head, 32, hex);
	return json_pack("{s:s, s:I, s:s}", "mode", modes[a->mode], "seq", (json_int_t)a->seq, "head", hex);
}
