/* JSON that is not a header but the file: configurations, vocabularies, indices nobody else reads.  Read strictly and once;
 * a side file when nothing in it is a model or asks for something to be called (formats/others, Decisions 2 and 3). */
#pragma once

#include "format.h"

extern const struct wlk_format format_json;

/* A file whose name says that it is JSON.  @zarr: and that it describes an array of zarr. */
enum wlk_status json_file_layout(struct layout *l, bool zarr);

/* Judge configurations that another reader looks into as well, all of the part.  It is described by an extent already. */
enum wlk_status json_file_check(struct layout *l, struct bytes text);
