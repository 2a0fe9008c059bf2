/* Numbers of tokens, as tokenizers and configurations write them: formats/configs, section 4.1. */
#pragma once

#include "bytes.h"

#define TOKENIZER_ID_MAX UINT64_C(2147483646) /* 2^31 - 2: a count of them still fits 32 signed bits */

/* An id of a token, wherever a configuration has one (keys of added_tokens_decoder; bos_token_id, suppress_tokens, ...): as
 * digits.  @negative_too: -1 and the like are honest there.  False: it is tokenizer-id-range. */
bool tokenizer_id_is_sound(struct bytes digits, bool negative_too);
