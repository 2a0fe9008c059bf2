/* The names of a set's files, as a request's body brings them: {"members":["…", …]}.  A pure function. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#define SET_NAMES_BYTES_MAX ((size_t)64 << 10) /* of the body: 1,024 names of 60 bytes */

/**
 * set_names_parse() - strict: one object with this one key, no key twice, nothing behind it
 * @n_files: how many names there must be, in the order of the files.  Each as http_is_name() wants it, of parts with one
 * slash between them, none of which is "." or "..": so a file has one name.  None twice: a name that means two files would
 * be judged twice and mean nothing.
 * @ret_detail: on failure a sentence: what is wrong; static.
 * Return: the array of strings, owned; NULL.
 */
json_t *set_names_parse(const char *text, size_t n, size_t n_files, const char **ret_detail);
