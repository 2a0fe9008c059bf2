/* Where a job's file is, and the way there: nowhere but below the folders that the operator named. */
#pragma once

#include <stddef.h>

#define ROOTS_MAX 16

/* Folders by descriptor, so that renaming one later does not matter. */
struct roots {
	size_t n;
	const char *path[ROOTS_MAX]; /* the caller's, absolute, without a slash at its end */
	int fd[ROOTS_MAX];
};

/* Return: 0, -ENOSPC beyond ROOTS_MAX, -EINVAL for a path that is not absolute, or that of open(2). */
int roots_add(struct roots *r, const char *path);
void roots_close(struct roots *r);

/**
 * reference_open() - the file that @ref names, for reading
 * @ref: "file:" and an absolute path below one of the roots
 *
 * By openat2(2): below its root, through no symbolic link and no other mount's magic, and a regular file.
 * Return: a descriptor; -EPROTONOSUPPORT for another scheme, -EACCES for what is below no root or leads out of it, -EINVAL for
 * no regular file, or that of openat2(2).
 */
int reference_open(const struct roots *r, const char *ref);
