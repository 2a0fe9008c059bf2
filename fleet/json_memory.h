/* jansson (2.14) goes on when memory runs out as it collects a token or writes a key: what it has then is another document than
 * was meant, if it does not crash.  So the program ends there, which loses nothing but time. */
#pragma once

#include <stddef.h>

#define JSON_MEMORY_STATUS 3 /* with which it ends */

/* Before the first use of jansson.  @get: malloc(), but for tests. */
void json_memory_or_end(void *(*get)(size_t n));
