/* What whisper.cpp reads: numbers of the model, a mel filter bank, a vocabulary, tensors one behind the other; and its detector of
 * speech (silero), which is numbers and tensors.  ggml's oldest container, "ggml", which other programs have given up and this
 * one has not.  Follows docs/formats/whisper.md. */
#pragma once

#include "format.h"

extern const struct wlk_format format_whisper;
