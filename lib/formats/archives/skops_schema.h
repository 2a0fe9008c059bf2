/* The tree of objects in a skops archive, `schema.json`: every object of the text that names a class or a loader is a node,
 * wherever it is nested, for loaders go from node to node by rules of their own. */
#pragma once

#include "zip_layout.h"

/* What a node wants of the member that it names; bits. */
enum skops_wants { SKOPS_WANTS_ARRAY = 1, SKOPS_WANTS_ARRAYS = 2, SKOPS_WANTS_BYTES = 4 };

/**
 * skops_schema_check() - judge the tree
 * @l: of the archive.  @inner: for findings about the text.  @wants: one for each entry of @z; bits are set for those that
 * a node names.
 * Return: WLK_DONE also with findings; WLK_BROKEN: no tree, so nothing is proven; WLK_INCOMPLETE.
 */
enum wlk_status skops_schema_check(
    struct layout *l, struct layout *inner, const struct zip *z, struct bytes text, uint8_t *wants);
