/* YAML text as a small tree that remembers its lines.  A subset on purpose: maps, lists and scalars of one
 * document; no anchors, aliases or tags, no key twice, nothing invisible, bounded depth and count.  What is
 * left reads the same to every YAML reader and to a person. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define DOCUMENT_DEPTH_MAX 8     /* a policy needs 4 */
#define DOCUMENT_NODES_MAX 65536 /* 4,096 rules of 15 keys */
#define DOCUMENT_KEYS_MAX 64     /* of one map */
#define DOCUMENT_TEXT_MAX 1024   /* bytes of a scalar: as long as any text of a report */

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
	enum node_kind kind;
	unsigned line;   /* from 1 */
	const char *key; /* of a member of a map; else NULL */
	unsigned key_line;
	const char *text;   /* of a scalar: printable UTF-8, NUL-terminated */
	struct node *child; /* first member or item */
	struct node *next;
};

/**
 * document_parse() - text to tree
 * @arena: the tree lives in it
 * @origin: for messages
 * @error: POLICY_ERROR_MAX bytes
 * Return: the root; NULL with error filled (also for an empty text, a spent arena and no memory).
 */
const struct node *document_parse(struct arena *arena, const uint8_t *at, size_t n, const char *origin, char *error);

/**
 * document_error() - "ORIGIN:LINE: what; found X; allowed Y"
 * @found, @allowed: NULL leaves the part out; found is escaped and cut
 * Return: false, for `return document_error(...)`.
 */
bool document_error(
    char *error, const char *origin, unsigned line, const char *what, const char *found, const char *allowed);
