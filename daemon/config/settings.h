/* Everything the operator decided: the configuration and the policies it names.  The monitor reads it, once; those that
 * it starts are given what was read (settings_pack()) and open no file of it. */
#pragma once

#include "config.h"
#include "policy.h"

struct settings {
	struct config config;
	struct policy *
	    *policies; /* the configured ones, the built-in ones, perhaps default_policy's file and shadow_policy's */
	size_t n_policies;
	const struct policy *default_policy;
	const struct policy *shadow_policy; /* NULL: none */
	uid_t own_uid;                      /* of whoever started the daemon, before any change of uid */
	char signing_key_version[64];       /* another text when the key's file is another one; "": none */
	uint8_t pseudonym_key[32];          /* of config.pseudonym_key, where there is one */
};

/**
 * settings_load() - configuration and policies
 * @error: POLICY_ERROR_MAX bytes; one line on failure
 * Return: 0 with *ret (NULL unless *ret_what is CONFIG_RUN or CONFIG_CHECK); negative errno.
 */
int settings_load(int argc, char *const argv[], struct settings **ret, enum config_what *ret_what, char *error);
void settings_free(struct settings *s);

/**
 * settings_pack() - the same for another process of this program
 * Return: a sealed descriptor, close-on-exec, which holds texts and no address; negative errno.
 */
int settings_pack(const struct settings *s);
/* From that descriptor, which stays open.  Return: 0; negative errno, -EINVAL for anything but what settings_pack() made. */
int settings_unpack(int fd, struct settings **ret);

/* Is anything to be kept, so that a keeper is needed? */
bool settings_keep(const struct settings *s);

/* ---- between the files of settings ---- */

struct policy_source {
	int (*load)(void *ctx, const char *file, struct policy **ret, char *error);
	void *ctx;
};

int settings_load_policies(struct settings *s, const struct policy_source *from, char *error);

#define SETTINGS_KEY_PATH_MAX 4096u
/* Where a key is: @key itself, if it is a path, or a credential of the service manager.  Return: false: nowhere. */
bool settings_key_path(const char *key, char path[SETTINGS_KEY_PATH_MAX]);

#define SETTINGS_PSEUDONYM_BYTES 35u
/* The name in its place in logs, in @buf, where they have pseudonyms; else the name. */
const char *settings_pseudonym(const struct settings *s, const char *name, char buf[SETTINGS_PSEUDONYM_BYTES]);
/* The same for a tenant.  One that nobody named ("uid:1000") stays: the uid stands beside it. */
const char *settings_tenant(const struct settings *s, const char *tenant, char buf[SETTINGS_PSEUDONYM_BYTES]);

/* NULL for a name that neither is configured nor built in. */
const struct policy *settings_policy(const struct settings *s, const char *name);
/* The built-in policy `default`. */
const struct policy *settings_builtin(const struct settings *s);
