/* safetensors: strict reader.  Follows the "Format" text of the safetensors README (reference 0.8.0-dev, 2026-05)
 * and the decisions in docs/formats/safetensors.md. */
#pragma once

#include "format.h"

extern const struct wlk_format format_safetensors;

#define SAFETENSORS_HEADER_MAX UINT64_C(100000000)
#define SAFETENSORS_HEADER_LARGE UINT64_C(25000000) /* above: safetensors-header-large, info */
#define SAFETENSORS_RANK_MAX 64
#define SAFETENSORS_NAME_MAX 1024 /* bytes, decoded */
#define SAFETENSORS_INTEGER_MAX ((UINT64_C(1) << 53) - 1)
