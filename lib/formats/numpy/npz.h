/* Archives of NumPy arrays (.npz): a ZIP archive whose members are .npy files.  Follows formats/npy, section 5. */
#pragma once

#include "format.h"

/* Before the ZIP archives that are nobody's. */
extern const struct wlk_format format_npz;
