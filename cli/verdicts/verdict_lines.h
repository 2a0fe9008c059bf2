/* Files of verdicts as `weighlock scan --format json` and the daemon write them: one JSON object a line. */
#pragma once

#include <jansson.h>

#define VERDICT_LINE_MAX ((size_t)256 << 20) /* bytes: a verdict of 1 MiB and a list of tensors */

struct verdict_lines;

/* @path: a file, or - for standard input; borrowed.  Return: NULL, told why. */
struct verdict_lines *verdict_lines_open(const char *path);
void verdict_lines_close(struct verdict_lines *v);

/* The next verdict, of a file or of a set; a new reference.  Return: 1; 0 at the end; -1: no such line, told which. */
int verdict_lines_next(struct verdict_lines *v, json_t **ret);
