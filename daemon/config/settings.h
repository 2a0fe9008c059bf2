/* Everything the operator decided, read before the first fork: the configuration and the policies it names.  The
 * front inherits it and opens no file. */
#pragma once

#include "config.h"
#include "policy.h"

struct settings {
	struct config config;
	struct policy **policies; /* the configured ones, the built-in ones, perhaps default_policy's file */
	size_t n_policies;
	const struct policy *default_policy;
	uid_t own_uid;                /* of whoever started the daemon, before any change of uid */
	char signing_key_version[64]; /* another text when the key's file is another one; "": none */
};

/**
 * settings_load() - configuration and policies
 * @error: POLICY_ERROR_MAX bytes; one line on failure
 * Return: 0 with *ret (NULL unless *ret_what is CONFIG_RUN or CONFIG_CHECK); negative errno.
 */
int settings_load(int argc, char *const argv[], struct settings **ret, enum config_what *ret_what, char *error);
void settings_free(struct settings *s);

#define SETTINGS_KEY_PATH_MAX 4096u
/* Where the signing key is: signing_key itself, or a credential of the service manager.  Return: false: nowhere. */
bool settings_key_path(const struct config *c, char path[SETTINGS_KEY_PATH_MAX]);

/* NULL for a name that neither is configured nor built in. */
const struct policy *settings_policy(const struct settings *s, const char *name);
/* The built-in policy `default`. */
const struct policy *settings_builtin(const struct settings *s);
