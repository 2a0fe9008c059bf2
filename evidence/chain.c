/* See chain.h. */
#include "chain.h"
#include "hex.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const members[] = { "schema", "seq", "prev", "time" }; /* the chain's own */

/* ---- writing ---- */

static bool is_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, list[i]) == 0)
			return true;
	}
	return false;
}

static bool is_printable(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++) {
		if (b.at[i] < 0x20 || b.at[i] > 0x7E)
			return false;
	}
	return true;
}

static bool is_sound_object(const json_t *o)
{
	static const char *const kinds[] = { "verdict", "set", "lookup" };
	const char *kind = json_string_value(json_object_get(o, "kind"));

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (json_object_get(o, members[i]))
			return false;
	}
	return kind != NULL && is_one_of(kind, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

bool audit_record_is_sound(struct bytes record)
{
	bool sound = false;
	json_t *o;

	if (record.n < 3 || record.n > AUDIT_RECORD_MAX || record.at[0] != '{' || record.at[1] != '"' ||
	    record.at[record.n - 1] != '}' || !is_printable(record))
		return false;
	o = json_loadb((const char *)record.at, record.n, JSON_REJECT_DUPLICATES, NULL);
	if (o != NULL)
		sound = is_sound_object(o);
	json_decref(o);
	return sound;
}

size_t audit_line(const struct audit_chain *c, struct bytes record, int64_t now, char buf[AUDIT_LINE_MAX])
{
	char hex[SHA256_HEX + 1], when[32] = "1970-01-01T00:00:00Z";
	time_t seconds = (time_t)now;
	struct tm tm;
	int n;

	hex_write(c->head, 32, hex);
	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	n = snprintf(buf, AUDIT_LINE_MAX,
	    "{\"schema\":\"" AUDIT_SCHEMA "\",\"seq\":%" PRIu64 ",\"prev\":\"%s\",\"time\":\"%s\",%.*s\n", c->next, hex,
	    when, (int)(record.n - 1), (const char *)record.at + 1);
	assert(n > 0 && (size_t)n < AUDIT_LINE_MAX);
	return (size_t)n;
}

void audit_advance_torn(struct audit_chain *c, struct bytes torn)
{
	SHA256(torn.at, torn.n, c->head);
}

void audit_advance(struct audit_chain *c, struct bytes line)
{
	audit_advance_torn(c, line);
	c->next++;
}

/* ---- reading ---- */

static bool read_number(const json_t *o, const char *key, uint64_t *ret)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(v);
	return *ret <= AUDIT_SEQ_MAX;
}

static bool read_link(const json_t *o, struct audit_link *ret)
{
	const char *schema = json_string_value(json_object_get(o, "schema"));
	const char *prev = json_string_value(json_object_get(o, "prev"));
	const char *kind = json_string_value(json_object_get(o, "kind"));

	*ret = (struct audit_link){ 0 };
	if (schema == NULL || strcmp(schema, AUDIT_SCHEMA) != 0 || kind == NULL || prev == NULL ||
	    strlen(prev) != SHA256_HEX + 1 - 1 || !sha256_of_hex(prev, ret->prev) || !read_number(o, "seq", &ret->seq))
		return false;
	ret->has_text = sha256_of_hex(json_string_value(json_object_get(o, "text")), ret->text);
	ret->begins = strcmp(kind, "begin") == 0;
	ret->alarm = (ret->begins || strcmp(kind, "start") == 0) && json_object_get(o, "alarm") != NULL;
	return strcmp(kind, "torn") != 0 || (read_number(o, "bytes", &ret->torn) && ret->torn > 0);
}

bool audit_read(struct bytes line, struct audit_link *ret)
{
	bool good;
	json_t *o;

	if (line.n < 2 || line.n >= AUDIT_LINE_MAX || line.at[line.n - 1] != '\n')
		return false;
	o = json_loadb((const char *)line.at, line.n, JSON_REJECT_DUPLICATES, NULL);
	good = o && read_link(o, ret);
	json_decref(o);
	return good;
}

/* ---- checking ---- */

void audit_check_file(struct audit_check *c)
{
	c->at_begin = true;
}

static bool wrong(char *error, const char *what, const char *found, const char *expected)
{
	snprintf(error, AUDIT_ERROR_MAX, "%s: found %s, expected %s", what, found, expected);
	return false;
}

static bool check_prev(const struct audit_check *c, const struct audit_link *l, char *error)
{
	char found[SHA256_HEX + 1], expected[SHA256_HEX + 1];

	if (memcmp(l->prev, c->chain.head, sizeof(l->prev)) == 0)
		return true;
	hex_write(l->prev, 32, found);
	hex_write(c->chain.head, 32, expected);
	return wrong(error, "prev", found, expected);
}

static bool check_seq(const struct audit_check *c, const struct audit_link *l, char *error)
{
	char found[24], expected[24];

	if (l->seq == c->chain.next)
		return true;
	snprintf(found, sizeof(found), "%" PRIu64, l->seq);
	snprintf(expected, sizeof(expected), "%" PRIu64, c->chain.next);
	return wrong(error, "seq", found, expected);
}

static bool check_torn(const struct audit_check *c, const struct audit_link *l, char *error)
{
	char found[24], expected[24];

	if (l->torn == c->torn)
		return true;
	snprintf(found, sizeof(found), "%" PRIu64, l->torn);
	snprintf(expected, sizeof(expected), "%" PRIu64, c->torn);
	return wrong(error, "bytes of the torn line before", found, expected);
}

/* ---- heads ---- */

static int by_head(const void *a, const void *b)
{
	return memcmp(((const struct audit_wanted *)a)->head, ((const struct audit_wanted *)b)->head, 32);
}

void audit_check_want(struct audit_check *c, struct audit_wanted *wanted, size_t n)
{
	c->wanted = wanted;
	c->n_wanted = n;
	if (n > 0)
		qsort(wanted, n, sizeof(*wanted), by_head);
}

bool audit_check_is_before(const struct audit_check *c, const struct audit_wanted *w)
{
	return !w->own && w->has_next && w->next < c->first;
}

static size_t first_with(const struct audit_check *c, const uint8_t head[32])
{
	size_t low = 0, high = c->n_wanted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memcmp(c->wanted[middle].head, head, 32) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the chain stands now is where these heads say it stood.  The same one may be wanted more than once. */
static void mark_heads(struct audit_check *c)
{
	for (size_t i = first_with(c, c->chain.head); i < c->n_wanted; i++) {
		struct audit_wanted *w = &c->wanted[i];

		if (memcmp(w->head, c->chain.head, sizeof(w->head)) != 0)
			break;
		w->seen = w->seen || !w->has_next || w->next == c->chain.next;
	}
}

static bool check_heads(const struct audit_check *c, char *error)
{
	char found[SHA256_HEX + 1 + 32], expected[SHA256_HEX + 1 + 32], hex[SHA256_HEX + 1];

	for (size_t i = 0; i < c->n_wanted; i++) {
		const struct audit_wanted *w = &c->wanted[i];
		int n;

		if (w->seen || audit_check_is_before(c, w))
			continue;
		hex_write(c->chain.head, 32, hex);
		snprintf(found, sizeof(found), "%s at the end", hex);
		hex_write(w->head, 32, expected);
		n = SHA256_HEX;
		if (w->has_next && w->next > 0)
			snprintf(expected + n, sizeof(expected) - (size_t)n, " of line %" PRIu64, w->next - 1);
		return wrong(error, "head", found, expected);
	}
	return true;
}

/* ---- lines ---- */

/* The first line of all is believed, for files before it may have been taken away; but not that it is the first. */
static void start(struct audit_check *c, const struct audit_link *l)
{
	if (c->started)
		return;
	c->started = true;
	c->first = l->seq;
	c->chain.next = l->seq;
	if (l->seq > 0)
		memcpy(c->chain.head, l->prev, sizeof(l->prev));
	mark_heads(c);
}

bool audit_check_line(struct audit_check *c, struct bytes line, char *error)
{
	struct audit_link l;

	if (!audit_read(line, &l)) {
		if (c->at_begin || c->torn > 0)
			return wrong(
			    error, "line", "what is no line of an audit log", c->at_begin ? "kind begin" : "kind torn");
		c->torn = line.n;
		audit_advance_torn(&c->chain, line);
		return true;
	}
	if (l.begins != c->at_begin)
		return wrong(
		    error, "kind", l.begins ? "begin inside a file" : "another", c->at_begin ? "begin" : "another");
	start(c, &l);
	if (!check_seq(c, &l, error) || !check_prev(c, &l, error) || !check_torn(c, &l, error))
		return false;
	c->at_begin = false;
	c->torn = 0;
	c->lines++;
	c->last = l;
	if (l.alarm && c->alarms++ == 0)
		c->alarm = l.seq;
	audit_advance(&c->chain, line);
	mark_heads(c);
	return true;
}

bool audit_check_end(const struct audit_check *c, char *error)
{
	char found[96];

	if (c->torn > 0)
		return wrong(error, "line", "what is no line of an audit log", "a line behind it, of kind torn");
	if (!check_heads(c, error))
		return false;
	if (c->alarms == 0)
		return true;
	snprintf(found, sizeof(found), "%" PRIu64 " of the daemon in the log, the first in line %" PRIu64, c->alarms,
	    c->alarm);
	return wrong(error, "alarm", found, "none");
}
