/* The fast tokenizers' files (tokenizer.json of the library tokenizers): vocabularies, and the steps around them.  JSON and
 * harmless to look at; loaders index, reserve and subtract by its numbers, run its expressions and follow its tables, without
 * asking.  Follows formats/configs, section 4. */
#pragma once

#include "format.h"
#include "json_file.h"
#include "json_text.h"

#define TOKENIZER_ID_MAX UINT64_C(2147483646) /* 2^31 - 2: a count of them still fits 32 signed bits */

/* Costs what is not a tokenizer some hundred bytes of reading.  Keys given twice are a finding of json_file.c. */
extern const struct json_model json_model_tokenizer, json_model_tokenizer_added;

/* An id of a token, wherever a configuration has one (keys of added_tokens_decoder; bos_token_id, suppress_tokens, ...): as
 * digits.  @negative_too: -1 and the like are honest there.  False: it is tokenizer-id-range. */
bool tokenizer_id_is_sound(struct bytes digits, bool negative_too);
