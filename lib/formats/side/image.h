/* Pictures as side files (formats/others, Decision 2): not decoded, but followed from part to part, so that one is taken
 * only when it ends where the file does.  PNG, JPEG, GIF and WebP, which repositories show; others are only named. */
#pragma once

#include "format.h"

bool image_is_read(enum wlk_format_id id);

/* @l: l->id is one of these.  Return: WLK_DONE with format-side-file, WLK_BROKEN with format-partly-checked, or
 * WLK_INCOMPLETE. */
enum wlk_status image_layout(struct layout *l);
