/* CTranslate2's models (model.bin; faster-whisper): the name of an architecture and variables one behind the other, then other
 * names for them.  Follows docs/formats/ctranslate2.md. */
#pragma once

#include "format.h"

extern const struct wlk_format format_ctranslate2;
