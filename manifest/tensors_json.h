/* The manifest of one file as members of a JSON object, in pieces of any size: a list of a million tensors is text of a
 * hundred megabytes, which nobody should have to hold.  What is printed:
 *
 *     "tensors_listed":true,"mappings":[{"name":..., "file":...}],"tensors":[{"name":..., "dtype":..., "shape":[...],
 *     "offsets":[begin,end], "member":..., "sha256":..., "stats":{...}}]
 *
 * without spaces, braces or line ends around it: the caller writes the verdict up to its closing brace, a comma, this, and
 * the brace.  "mappings" is there only when there are any; "member", "sha256", "stats" and "name_bytes" (bytes of a name that was
 * cut) only where there is something to say.  Text as in verdicts: text_escape(), never cut; numbers above 2^53-1 are
 * strings of decimal digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tensor_rows.h"

struct tensors_json;

/* @t: borrowed, and after tensor_rows_end(). @listed: the list is all there is (facts: TENSORS_LISTED, and a complete scan).
 * Return: NULL without memory. */
struct tensors_json *tensors_json_new(const struct tensor_rows *t, bool listed);
void tensors_json_free(struct tensors_json *j); /* NULL is fine */
/* The next bytes, at most @n > 0, fewer only at the end.  Return: how many; 0: that was all; negative errno. */
ssize_t tensors_json_read(struct tensors_json *j, char *buf, size_t n);

/* One row as a JSON object, for those who print single ones (`weighlock diff`): at most TENSORS_JSON_ITEM_MAX bytes with
 * the NUL.  Return: bytes without it. */
#define TENSORS_JSON_ITEM_MAX ((size_t)40 << 10)
size_t tensors_json_item(const struct tensor_rows_item *item, char buf[TENSORS_JSON_ITEM_MAX]);

/* As few digits as name this double.  Return: bytes without the NUL. */
#define STATS_NUMBER_MAX 32
size_t stats_number(double d, char buf[STATS_NUMBER_MAX]);

/* {"elements":..., "min":..., "max":..., "mean":..., "zero_share":..., "nonfinite":...}: those of finite elements only where there
 * are any, "mean" not where it is beyond a double, "nonfinite" only where some are not.  Return: bytes without the NUL. */
#define TENSOR_STATS_JSON_MAX 256
size_t tensor_stats_json(const struct tensor_stats *s, char buf[TENSOR_STATS_JSON_MAX]);
