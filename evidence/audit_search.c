/* See audit_search.h. */
#include "audit_search.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Newline included.  What is longer than any line of ours comes in pieces, which are none either.
 * Return: bytes; 0: the end. */
static size_t next_line(FILE *f, char line[AUDIT_LINE_MAX])
{
	size_t n = 0;
	int c = 0;

	while (n < AUDIT_LINE_MAX && c != '\n' && (c = getc_unlocked(f)) != EOF)
		line[n++] = (char)c;
	return n;
}

static bool is_before(struct bytes line, const struct audit_chain *head)
{
	struct audit_link l;

	return audit_read(line, &l) && l.seq == head->next && memcmp(l.prev, head->head, sizeof(l.prev)) == 0;
}

static bool is_head(struct bytes line, const struct audit_chain *head)
{
	uint8_t digest[32];
	struct audit_link l;

	SHA256(line.at, line.n, digest);
	return memcmp(digest, head->head, sizeof(digest)) == 0 && audit_read(line, &l) && l.seq + 1 == head->next;
}

static int look_through(FILE *f, const struct audit_chain *head)
{
	char line[AUDIT_LINE_MAX];
	size_t n = next_line(f, line);
	int found = n > 0 && is_before(bytes_of(line, n), head);

	for (; n > 0 && !found; n = next_line(f, line))
		found = is_head(bytes_of(line, n), head);
	return ferror(f) ? -EIO : found;
}

int audit_find_head(int dir, const char *name, const struct audit_chain *head)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	int r;

	if (f == NULL) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	r = look_through(f, head);
	(void)fclose(f);
	return r;
}
