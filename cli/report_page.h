/* What a database of scans remembers as a page, on standard output: a line for each file and set, as `scan --format html` has them,
 * with as much as rows hold.  The report of a file that is to be seen whole is made by scanning it. */
#pragma once

#include <stdbool.h>

#include "scans.h"

struct report_page;

/* Return: NULL, told why. */
struct report_page *report_page_new(void);
void report_page_free(struct report_page *p); /* NULL is fine */
/* @path: safe text.  Return: false: no memory, or nobody reads any more. */
bool report_page_put(struct report_page *p, const struct scans_file *f, const char *path, bool set);
/* Return: false: not all could be written, which is told. */
bool report_page_end(struct report_page *p);
