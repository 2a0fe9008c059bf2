/* Settings from the monitor to those it starts (settings.h).  A policy goes as the text that it is equal to, and with its
 * digest, which must come out again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hex.h"
#include "memory_file.h"
#include "settings.h"

static int put_policy(const struct policy *p, FILE *to)
{
	char *text = policy_show(p);

	if (text == NULL)
		return -ENOMEM;
	fprintf(to, "%s%c%s%c", policy_sha256(p), 0, text, 0);
	free(text);
	return 0;
}

/* Those of files.  The built-in ones between them the program there has too. */
static int put_policies(const struct settings *s, FILE *to)
{
	size_t first = s->config.n_policies, end = first;
	int r = 0;

	while (policy_builtin_names[end - first])
		end++;
	for (size_t i = 0; i < s->n_policies && r == 0; i++) {
		if (i < first || i >= end)
			r = put_policy(s->policies[i], to);
	}
	return r;
}

static int print(const struct settings *s, char **ret, size_t *ret_n)
{
	FILE *to = open_memstream(ret, ret_n);
	char key[SHA256_HEX + 1];
	int r;

	if (to == NULL)
		return -ENOMEM;
	config_pack(&s->config, to);
	hex_write(s->pseudonym_key, sizeof(s->pseudonym_key), key);
	fprintf(to, "%u%c%s%c%s%c", s->own_uid, 0, s->signing_key_version, 0, key, 0);
	r = put_policies(s, to);
	return fclose(to) == 0 ? r : -ENOMEM;
}

int settings_pack(const struct settings *s)
{
	char *text = NULL;
	size_t n = 0;
	int r = print(s, &text, &n), fd = r < 0 ? r : memory_file_new("weighlock-settings");

	if (fd >= 0)
		r = memory_file_write(fd, text, n, 0);
	if (fd >= 0 && r == 0)
		r = memory_file_seal(fd);
	free(text);
	if (fd >= 0 && r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* ---- the other end ---- */

static int next_policy(void *ctx, const char *file, struct policy **ret, char *error)
{
	struct packed *p = ctx;
	const char *sha256 = packed_text(p), *text = packed_text(p);
	int r = sha256 && text != NULL ? policy_parse((const uint8_t *)text, strlen(text), file, ret, error) : -EINVAL;

	if (r < 0 || strcmp(policy_sha256(*ret), sha256) == 0)
		return r;
	policy_free(*ret);
	return -EINVAL;
}

static int take_all(struct packed *p, struct settings *s)
{
	const struct policy_source source = { .load = next_policy, .ctx = p };
	char error[POLICY_ERROR_MAX];
	const char *uid, *version, *key;
	int r = config_unpack(p, &s->config);

	if (r < 0)
		return r;
	uid = packed_text(p);
	version = packed_text(p);
	key = packed_text(p);
	if (uid == NULL || version == NULL || !sha256_of_hex(key, s->pseudonym_key) ||
	    strlen(version) >= sizeof(s->signing_key_version))
		return -EINVAL;
	s->own_uid = (uid_t)strtoul(uid, NULL, 10);
	memcpy(s->signing_key_version, version, strlen(version) + 1);
	r = settings_load_policies(s, &source, error);
	return r == 0 && p->n != 0 ? -EINVAL : r;
}

static int read_all(int fd, char **ret, size_t *ret_n)
{
	struct stat st;
	char *text;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	text = malloc((size_t)st.st_size + 1);
	if (text == NULL)
		return -ENOMEM;
	r = memory_file_read(fd, text, (size_t)st.st_size, 0);
	if (r < 0) {
		free(text);
		return r;
	}
	*ret = text;
	*ret_n = (size_t)st.st_size;
	return 0;
}

int settings_unpack(int fd, struct settings **ret)
{
	struct settings *s = calloc(1, sizeof(*s));
	struct packed p;
	char *text = NULL;
	size_t n;
	int r = s ? read_all(fd, &text, &n) : -ENOMEM;

	if (r == 0) {
		p = (struct packed){ text, n };
		r = take_all(&p, s);
	}
	free(text);
	if (r < 0)
		settings_free(s);
	else
		*ret = s;
	return r;
}
