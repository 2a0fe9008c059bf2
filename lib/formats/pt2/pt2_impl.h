/* Between the files that read exported programs; nobody else's. */
#pragma once

#include "format.h"
#include "json_walk.h"
#include "zip_layout.h"

#define PT2_PROGRAM_MAX ((uint64_t)256 << 20) /* bytes of JSON: that of a large model has ten million */
#define PT2_CONFIG_MAX ((uint64_t)64 << 20)
#define PT2_NAME_MAX 256u /* bytes of a name in an archive */

/* What is known of a text that the loader evaluates or looks up. */
enum pt2_text { PT2_HARMLESS, PT2_UNLISTED, PT2_ACTS };

/* An expression of sizes, or a guard: arithmetic over symbols and sizes of arguments? */
enum pt2_text pt2_expression(struct bytes text);
/* What a node calls: an operator that only computes? */
enum pt2_text pt2_operator(struct bytes text);

/* -- pt2_program.c -- */

/* The graph, in JSON.  Return: WLK_DONE, also with findings; WLK_INCOMPLETE. */
enum wlk_status pt2_program_judge(struct layout *l, const struct zip_entry *e);

/* -- pt2_payload.c -- */

/* What says which tensor is in which member of @folder ("data/weights/"), below the archive's root: it describes them.
 * Return: WLK_DONE, also with findings; WLK_INCOMPLETE. */
enum wlk_status pt2_payload_judge(struct layout *l, const struct zip_archive *a, const struct zip_entry *config,
    struct bytes root, const char *folder);

/* All of a member as strict JSON for @walker, whose ctx learns the layout for findings beforehand.  @ret_inner: that layout.
 * Return: WLK_DONE; WLK_INCOMPLETE. */
enum wlk_status pt2_walk(struct layout *l, const struct zip_entry *e, uint64_t limit, const struct json_walker *walker,
    struct layout *ret_inner);
