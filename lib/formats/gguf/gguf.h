/* GGUF, the format of llama.cpp and its relatives: metadata, a table of tensors, and the tensors. */
#pragma once

#include "format.h"

extern const struct wlk_format format_gguf;
