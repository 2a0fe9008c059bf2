/* Programs that torch.export.save() writes, `.pt2`: a ZIP archive of a graph as JSON, tensors as their bytes and what says which
 * tensor they are; packages of AOTInductor, which are native code, beside them.  Until release 2.7 four records without a folder.
 * Follows formats/pt2. */
#pragma once

#include "format.h"
#include "zip_layout.h"

extern const struct wlk_format format_pt2;
extern const struct zip_reader zip_reader_pt2, zip_reader_pt2_old;
