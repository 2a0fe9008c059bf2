/* The manifest of formats that say nothing of shapes: tensors are listed as their extents have them, with one dimension,
 * unless it is known what shape they have.
 * A layout that knows more lists its tensors itself (layout_tensor() in lib/layout/format.h). */
#pragma once

#include <stdbool.h>

#include "extents.h"
#include "report.h"

/**
 * tensor_list_rest() - list the tensors that no layout has listed, in members too
 * After the layout and before the pass, when the report wants rows; @x: proven by extents_cover(), and not changed
 * afterwards.
 * Return: false: there are too many (see report_manifest_row()).
 */
bool tensor_list_rest(struct extents *x, struct report *r);

/* After the pass: does the list hold all tensors that were counted? */
bool tensor_list_is_complete(const struct report *r);
