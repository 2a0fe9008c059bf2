/* A file that appears whole or not at all: it has no name until it is judged, so nobody can open it, and nothing is left
 * behind whatever happens. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct made_file {
	int dir;    /* the folder it will be in */
	char *name; /* in there; owned */
	int fd;     /* for writing, then for reading; -1: none */
};

/* A nameless file in the folder of @path.  Return: 0 or negative errno (-EEXIST: something has the name, and it may not be
 * @replaced); made_file_done() in any case. */
int made_file_open(struct made_file *m, const char *path, bool replaced);
void made_file_done(struct made_file *m);

/* Nobody will write any more: from now on .fd is for reading, of the same inode.  @ret_size: its bytes. */
int made_file_freeze(struct made_file *m, uint64_t *ret_size);
/* On the disk, then under its name. */
int made_file_place(struct made_file *m, bool replaced);
