/* What the two halves of the configuration share: config_keys.c knows every key and how to read its value from a
 * text, config.c knows where the texts come from. */
#pragma once

#include "config.h"

enum key_type {
	KEY_TEXT,      /* a path, at most `max` bytes; may be empty where min is 0 */
	KEY_MODE,      /* octal permissions */
	KEY_GROUP,     /* a group, by name or number; empty: none */
	KEY_UIDS,      /* a list of users, by name or number */
	KEY_GIDS,      /* a list of groups */
	KEY_BYTES,     /* uint64_t with an optional unit */
	KEY_COUNT,     /* unsigned */
	KEY_SLOTS,     /* unsigned, or auto */
	KEY_SHARE,     /* unsigned, or auto: 0 */
	KEY_ROOM,      /* uint64_t with an optional unit, or auto: 0 */
	KEY_RATE,      /* uint64_t, or off: CONFIG_RATE_OFF */
	KEY_BYTE_RATE, /* the same with an optional unit */
	KEY_FLAG,      /* bool: on or off */
	KEY_LEVEL,     /* error, warning, info, debug */
	KEY_AUDIT,     /* off, on, required */
	KEY_POLICY,    /* a policy's name, or a file */
	KEY_POLICIES,  /* a map from names to files; not an option */
	KEY_TENANTS,   /* a map from names to limits; not an option */
};

/* One key of the file and option of the command line. */
struct key {
	const char *name;   /* in the file */
	const char *option; /* on the command line; a list's is singular and may be repeated.  NULL: no option */
	enum key_type type;
	size_t offset;        /* in struct config */
	uint64_t min, max;    /* of the value, or of the length of a text */
	const char *fallback; /* the default, as it would be written; NULL for lists and maps: empty */
	const char *help;
};

extern const struct key config_keys[];
extern const size_t config_n_keys;

static inline bool key_is_list(const struct key *k)
{
	return k->type == KEY_UIDS || k->type == KEY_GIDS;
}

/**
 * key_set() - read one value
 * Replaces a scalar, appends to a list.  @text: as written.
 * Return: 0; -EINVAL when it is not what key_allowed() says; -ENOMEM.  On failure the config keeps its old value.
 */
int key_set(const struct key *k, struct config *c, const char *text);

/* A scalar's value as key_set() reads it to the same value, whatever machine, user or processor is asked.
 * @base: struct config, or struct config_tenant. */
void key_show(const struct key *k, const void *base, FILE *to);

/* The keys of an entry of `tenants`: their offsets are in struct config_tenant. */
extern const struct key config_tenant_keys[];
extern const size_t config_n_tenant_keys;

/* As key_set(), for config_tenant_keys. */
int key_set_tenant(const struct key *k, struct config_tenant *t, const char *text);
/* Does this tenant have a limit of its own? */
bool key_tenant_has(const struct key *k, const struct config_tenant *t);

/* Empty a list, so that options replace what the file says. */
void key_clear_list(const struct key *k, struct config *c);

/* What may stand there, for messages: "1 to 1024", "octal permissions such as 0660". */
#define KEY_ALLOWED_MAX 160
const char *key_allowed(const struct key *k, char buf[KEY_ALLOWED_MAX]);

/* Add an entry of `policies`.  Return: 0; -EINVAL (bad name or path); -EEXIST (built-in name); -ENOMEM. */
int config_add_policy(struct config *c, const char *name, const char *file);

/* Add an entry of `tenants`, as everybody so far.  Return: 0; -EINVAL (bad name); -ENOMEM. */
int config_add_tenant(struct config *c, const char *name, struct config_tenant **ret);
