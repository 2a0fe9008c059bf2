/* deathtensors (.dt), version 1: strict reader.  Follows the published description of deathtensors 0.1.0 and the
 * decisions in docs/formats/deathtensors.md. */
#pragma once

#include "format.h"

extern const struct wlk_format format_deathtensors;

#define DEATHTENSORS_HEADER_MAX UINT64_C(100000000)
#define DEATHTENSORS_TENSORS_MAX ((size_t)1 << 20)
#define DEATHTENSORS_RANK_MAX 32
#define DEATHTENSORS_NAME_MAX 1024       /* bytes, decoded */
#define DEATHTENSORS_CREATED_BY_MAX 1024 /* bytes, decoded */
#define DEATHTENSORS_INTEGER_MAX ((uint64_t)INT64_MAX)
#define DEATHTENSORS_DEPTH_MAX 5u /* brackets open at once */
#define DEATHTENSORS_ALIGN 8u     /* what the blob's first byte is aligned to */
