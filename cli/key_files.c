/* See key_files.h. */
#include "key_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

uint8_t *file_read_whole(const char *name, size_t max, size_t *ret_n)
{
	FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "re");
	uint8_t *at = malloc(max + 1);
	bool failed = true;

	*ret_n = 0;
	if (f != NULL && at != NULL) {
		*ret_n = fread(at, 1, max + 1, f);
		failed = ferror(f) || *ret_n > max;
	}
	if (failed)
		say("%s: %s", name, f && *ret_n > max ? "it is too long to be that" : strerror(errno));
	if (f != NULL && f != stdin)
		(void)fclose(f);
	if (!failed)
		return at;
	free(at);
	return NULL;
}

static struct dsse_key *read_key(const char *name, struct dsse_key *(*parse)(struct bytes pem), const char *kind)
{
	size_t n;
	uint8_t *pem = file_read_whole(name, DSSE_PEM_MAX, &n);
	struct dsse_key *k = pem ? parse(bytes_of(pem, n)) : NULL;

	if (pem != NULL) {
		explicit_bzero(pem, n);
		free(pem);
		if (k == NULL)
			say("%s: no ed25519 %s key in PEM", name, kind);
	}
	return k;
}

struct dsse_key *key_read_public(const char *name)
{
	return read_key(name, dsse_public_key, "public");
}

struct dsse_key *key_read_private(const char *name)
{
	return read_key(name, dsse_private_key, "private");
}
