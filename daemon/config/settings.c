/* See settings.h. */
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pseudonym.h"

_Static_assert(SETTINGS_PSEUDONYM_BYTES == PSEUDONYM_BYTES, "room for one");

static size_t builtin_count(void)
{
	size_t n = 0;

	while (policy_builtin_names[n])
		n++;
	return n;
}

/* The policies, in this order: those of `policies`, the built-in ones, perhaps default_policy's file and
 * shadow_policy's. */
static int load_policies(struct settings *s, const struct policy_source *from, char *error)
{
	const struct config *c = &s->config;
	struct policy **next;
	int r;

	s->policies = calloc(c->n_policies + builtin_count() + 2, sizeof(struct policy *));
	if (!s->policies)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_policies; i++) {
		next = &s->policies[s->n_policies];
		r = from->load(from->ctx, c->policies[i].file, next, error);
		if (r < 0)
			return r;
		s->n_policies++;
	}
	for (size_t i = 0; policy_builtin_names[i]; i++) {
		next = &s->policies[s->n_policies];
		r = policy_by_name(policy_builtin_names[i], next);
		if (r < 0)
			return r;
		s->n_policies++;
	}
	return 0;
}

static int choose(
    struct settings *s, const char *name, const struct policy_source *from, const struct policy **ret, char *error)
{
	int r;

	if (config_policy_is_file(name)) {
		r = from->load(from->ctx, name, &s->policies[s->n_policies], error);
		if (r < 0)
			return r;
		*ret = s->policies[s->n_policies++];
		return 0;
	}
	*ret = settings_policy(s, name);
	if (*ret)
		return 0;
	snprintf(error, POLICY_ERROR_MAX, "policy \"%s\" is neither built in nor configured", name);
	return -EINVAL;
}

int settings_load_policies(struct settings *s, const struct policy_source *from, char *error)
{
	const struct config *c = &s->config;
	int r = load_policies(s, from, error);

	if (r == 0)
		r = choose(s, c->default_policy ? c->default_policy : "default", from, &s->default_policy, error);
	if (r == 0 && c->shadow_policy && c->shadow_policy[0])
		r = choose(s, c->shadow_policy, from, &s->shadow_policy, error);
	return r;
}

bool settings_key_path(const char *key, char path[SETTINGS_KEY_PATH_MAX])
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	bool is_file = strchr(key, '/') != NULL;
	int n = -1;

	if (is_file)
		n = snprintf(path, SETTINGS_KEY_PATH_MAX, "%s", key);
	else if (folder != NULL)
		n = snprintf(path, SETTINGS_KEY_PATH_MAX, "%s/%s", folder, key);
	return n > 0 && (unsigned)n < SETTINGS_KEY_PATH_MAX;
}

static void note_key_version(struct settings *s)
{
	char path[SETTINGS_KEY_PATH_MAX];
	struct stat st;

	if (s->config.signing_key[0] && settings_key_path(s->config.signing_key, path) && stat(path, &st) == 0)
		snprintf(s->signing_key_version, sizeof(s->signing_key_version), "%llu %llu %lld.%09ld",
		    (unsigned long long)st.st_ino, (unsigned long long)st.st_size, (long long)st.st_mtim.tv_sec,
		    st.st_mtim.tv_nsec);
}

/* ---- pseudonyms ---- */

static int take_pseudonym_key(struct settings *s, char *error)
{
	const char *key = s->config.pseudonym_key;
	char path[SETTINGS_KEY_PATH_MAX];
	int r;

	if (key[0] == '\0') {
		if (s->config.audit_texts_days == 0)
			return 0;
		snprintf(error, POLICY_ERROR_MAX, "audit_texts_days: it needs a pseudonym_key");
		return -EINVAL;
	}
	r = settings_key_path(key, path) ? pseudonym_key_read(path, s->pseudonym_key) : -ENOENT;
	if (r == -EPERM)
		snprintf(error, POLICY_ERROR_MAX, "pseudonym_key %s: it must be a file that others may not read", key);
	else if (r == -EINVAL)
		snprintf(error, POLICY_ERROR_MAX, "pseudonym_key %s: it must have %u to %u bytes", key,
		    PSEUDONYM_KEY_FILE_MIN, PSEUDONYM_KEY_FILE_MAX);
	else if (r < 0)
		snprintf(error, POLICY_ERROR_MAX, "pseudonym_key %s: %s", key, strerror(-r));
	return r;
}

const char *settings_pseudonym(const struct settings *s, const char *name, char buf[SETTINGS_PSEUDONYM_BYTES])
{
	return s->config.pseudonym_key[0] ? pseudonym_of(s->pseudonym_key, name, buf) : name;
}

const char *settings_tenant(const struct settings *s, const char *tenant, char buf[SETTINGS_PSEUDONYM_BYTES])
{
	return strncmp(tenant, "uid:", 4) == 0 ? tenant : settings_pseudonym(s, tenant, buf);
}

/* ---- files ---- */

static int from_file(void *ctx, const char *file, struct policy **ret, char *error)
{
	(void)ctx;
	return policy_load(file, ret, error);
}

int settings_load(int argc, char *const argv[], struct settings **ret, enum config_what *ret_what, char *error)
{
	static const struct policy_source files = { .load = from_file };
	struct settings *s = calloc(1, sizeof(*s));
	int r;

	*ret = NULL;
	snprintf(error, POLICY_ERROR_MAX, "out of memory");
	if (s == NULL)
		return -ENOMEM;
	r = config_from_args(argc, argv, &s->config, ret_what, error);
	if (r == 0 && (*ret_what == CONFIG_RUN || *ret_what == CONFIG_CHECK)) {
		s->own_uid = getuid();
		note_key_version(s);
		r = take_pseudonym_key(s, error);
		if (r == 0)
			r = settings_load_policies(s, &files, error);
		if (r == 0) {
			*ret = s;
			return 0;
		}
	}
	settings_free(s);
	return r;
}

void settings_free(struct settings *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n_policies; i++)
		policy_free(s->policies[i]);
	free(s->policies);
	explicit_bzero(s->pseudonym_key, sizeof(s->pseudonym_key));
	config_done(&s->config);
	free(s);
}

static const struct policy *builtin(const struct settings *s, const char *name)
{
	for (size_t i = 0; policy_builtin_names[i]; i++) {
		if (strcmp(policy_builtin_names[i], name) == 0)
			return s->policies[s->config.n_policies + i];
	}
	return NULL;
}

const struct policy *settings_builtin(const struct settings *s)
{
	return builtin(s, "default");
}

const struct policy *settings_policy(const struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->config.n_policies; i++) {
		if (strcmp(s->config.policies[i].name, name) == 0)
			return s->policies[i];
	}
	return builtin(s, name);
}

bool settings_keep(const struct settings *s)
{
	return s->config.store || s->config.exceptions || s->config.audit != CONFIG_AUDIT_OFF ||
	       s->config.signing_key[0] != '\0';
}
