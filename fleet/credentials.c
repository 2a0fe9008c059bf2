/* See credentials.h. */
#include "credentials.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[3] = { "aws_access_key_id", "aws_secret_access_key", "aws_session_token" };
static const char *const variables[3] = { "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN" };

/* Printable and without spaces, for it becomes part of a header. */
static int put(struct credentials *c, size_t which, const char *value, size_t n)
{
	char *const to[3] = { c->key, c->secret, c->token };
	const size_t room[3] = { sizeof(c->key), sizeof(c->secret), sizeof(c->token) };

	if (n >= room[which])
		return -EMSGSIZE;
	for (size_t i = 0; i < n; i++) {
		if (!isgraph((unsigned char)value[i]))
			return -EINVAL;
	}
	memcpy(to[which], value, n);
	to[which][n] = '\0';
	return 0;
}

/* A line "name = value"; others are another's. */
static int take_line(struct credentials *c, const char *line)
{
	const size_t name_n = strcspn(line, " \t=");
	const char *value = line + name_n + strspn(line + name_n, " \t");

	if (*value != '=')
		return 0;
	value++;
	value += strspn(value, " \t");
	for (size_t i = 0; i < 3; i++) {
		if (strlen(names[i]) == name_n && strncmp(line, names[i], name_n) == 0)
			return put(c, i, value, strcspn(value, " \t\r\n"));
	}
	return 0;
}

static int read_file(const char *path, struct credentials *c)
{
	char line[CREDENTIAL_MAX + 64];
	FILE *f = fopen(path, "re");
	bool begun = false;
	int r = 0;

	if (f == NULL)
		return -errno;
	while (r == 0 && fgets(line, sizeof(line), f) != NULL) {
		if (line[0] == '[' && begun)
			break; /* the next profile */
		begun = begun || line[0] == '[';
		r = strchr(line, '\n') == NULL && !feof(f) ? -EMSGSIZE : take_line(c, line);
	}
	explicit_bzero(line, sizeof(line));
	if (r == 0 && ferror(f))
		r = -EIO;
	fclose(f);
	return r;
}

static int read_environment(struct credentials *c)
{
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++) {
		const char *value = getenv(variables[i]);

		r = value != NULL ? put(c, i, value, strlen(value)) : 0;
	}
	return r;
}

int credentials_read(const char *path, struct credentials *ret)
{
	int r;

	*ret = (struct credentials){ 0 };
	r = path != NULL ? read_file(path, ret) : read_environment(ret);
	if (r == 0 && (ret->key[0] == '\0' || ret->secret[0] == '\0'))
		r = -ENOKEY;
	return r;
}
