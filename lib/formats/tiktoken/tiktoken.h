/* tiktoken's vocabularies (*.tiktoken, and Llama 3's tokenizer.model): a line for each token, its bytes in base64 and its rank.
 * Follows docs/formats/tiktoken.md. */
#pragma once

#include "format.h"

extern const struct wlk_format format_tiktoken;
