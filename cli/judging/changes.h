/* What a branch changed: the files that differ between the commit where it left REF and HEAD, as Git says.  Git is asked as a
 * child, of trees and of nothing else: neither the index nor a file of the work tree, so no filter, hook, monitor or diff program
 * that the repository's configuration names is started, and nothing is fetched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define CHANGES_MAX ((size_t)64 << 20) /* bytes of names */

struct changes;

/**
 * changes_since() - the files below @folder that the branch at HEAD changed since it left @ref
 * Return: 0; negative errno, told, also where there is no repository, no such commit or no common one.
 */
int changes_since(const char *folder, const char *ref, struct changes **ret);
void changes_free(struct changes *c);

/* @path: below the folder.  A folder: was anything in it changed?  A submodule that was changed was changed as a whole. */
bool changes_have(const struct changes *c, const char *path, bool folder);
