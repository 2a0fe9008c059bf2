/* simdjson's on-demand parser behind a C function. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HEADER_PADDING 64 /* bytes simdjson may read past the end */

#ifdef __cplusplus
extern "C" {
#endif
/* Walk all of a header and convert every value, checking nothing but JSON.  @at: readable for n + HEADER_PADDING
 * bytes.  Return: the tensors; negative when this is not JSON or the processor lacks AVX2. */
int64_t header_simdjson(const char *at, size_t n);
#ifdef __cplusplus
}
#endif
