/* See audit_names.h. */
#include "audit_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place { /* in the order of the files */
	uint64_t first;
	unsigned which;
};

void audit_old_name(uint64_t first, unsigned which, char *name)
{
	int n = snprintf(name, AUDIT_NAME_BYTES, AUDIT_OLD_FORMAT, first);

	if (which > 0)
		n += snprintf(name + n, AUDIT_NAME_BYTES - (size_t)n, "-%u", which);
	(void)snprintf(name + n, AUDIT_NAME_BYTES - (size_t)n, ".jsonl");
}

/* Is it a name that we give?  Whatever is read of it must give it again. */
static bool read_name(const char *name, struct place *ret)
{
	static const char prefix[] = "audit-";
	char again[AUDIT_NAME_BYTES], *end;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	ret->first = strtoull(name + sizeof(prefix) - 1, &end, 10);
	ret->which = *end == '-' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	audit_old_name(ret->first, ret->which, again);
	return ret->which < AUDIT_NAMES_MAX && strcmp(again, name) == 0;
}

static bool is_behind(const struct place *a, const struct place *b)
{
	return a->first > b->first || (a->first == b->first && a->which > b->which);
}

static int look_through(DIR *d, char *name)
{
	struct place newest = { 0 }, p;
	const struct dirent *e;

	for (errno = 0; (e = readdir(d)); errno = 0) {
		if (!read_name(e->d_name, &p) || (name[0] && !is_behind(&p, &newest)))
			continue;
		newest = p;
		audit_old_name(p.first, p.which, name);
	}
	return -errno;
}

int audit_newest_name(int dir, char *name)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	int r = d ? 0 : -errno;

	name[0] = '\0';
	if (d) {
		r = look_through(d, name);
		closedir(d);
	} else if (fd >= 0) {
		close(fd);
	}
	return r;
}
