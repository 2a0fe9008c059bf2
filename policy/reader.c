/* See reader.h. */
#include "reader.h"

#include <stdio.h>
#include <string.h>

bool reader_fail(struct reader *r, const struct node *at, const char *what, const char *found, const char *allowed)
{
	return document_error(r->error, r->origin, at->line, what, found, allowed);
}

bool reader_no_memory(struct reader *r, const struct node *at)
{
	return reader_fail(r, at, "out of memory", NULL, NULL);
}

static const char *kind_text(const struct node *n)
{
	static const char *const text[] = { "text", "a list", "a map" };

	return text[n->kind];
}

bool reader_kind(struct reader *r, const struct node *n, enum node_kind kind, const char *what)
{
	static const char *const wanted[] = { "text", "a list", "a map" };

	return n->kind == kind ||
	       reader_fail(
		   r, n, what, n->kind == NODE_SCALAR && n->text[0] != '\0' ? n->text : kind_text(n), wanted[kind]);
}

/* Text with something in it. */
bool reader_text(struct reader *r, const struct node *n)
{
	if (n->kind != NODE_SCALAR)
		return reader_kind(r, n, NODE_SCALAR, "not a single value");
	return n->text[0] != '\0' || reader_fail(r, n, "an empty value", n->key, "some text");
}

static bool unknown_key(struct reader *r, const struct node *n, const struct key *keys, size_t n_keys)
{
	char allowed[256];
	size_t at = 0;

	for (size_t i = 0; i < n_keys && at < sizeof(allowed); i++)
		at += (size_t)snprintf(allowed + at, sizeof(allowed) - at, "%s%s", i > 0 ? ", " : "", keys[i].name);
	return document_error(r->error, r->origin, n->key_line, "unknown key", n->key, allowed);
}

bool reader_map(struct reader *r, const struct node *map, const struct key *keys, size_t n_keys, void *target)
{
	for (const struct node *n = map->child; n != NULL; n = n->next) {
		size_t i = 0;

		while (i < n_keys && strcmp(keys[i].name, n->key) != 0)
			i++;
		if (i == n_keys)
			return unknown_key(r, n, keys, n_keys);
		if (!keys[i].read(r, n, (char *)target + keys[i].at))
			return false;
	}
	return true;
}

const struct node *node_member(const struct node *map, const char *key)
{
	const struct node *n = map->child;

	while (n != NULL && strcmp(n->key, key) != 0)
		n = n->next;
	return n;
}

size_t node_count(const struct node *n)
{
	size_t count = 0;

	for (n = n->child; n != NULL; n = n->next)
		count++;
	return count;
}

const char *reader_formats(char *buf, size_t n)
{
	size_t at = 0;

	for (unsigned i = 0; i < WLK_N_FORMATS && at < n; i++)
		at += (size_t)snprintf(
		    buf + at, n - at, "%s%s", i > 0 ? ", " : "", format_info((enum wlk_format_id)i)->name);
	return buf;
}

bool reader_version(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	return reader_text(r, n) && (strcmp(n->text, "1") == 0 || reader_fail(r, n, "unknown version", n->text, "1"));
}
