/* The fast tokenizers' files (tokenizer.json of the library tokenizers): vocabularies, and the steps around them.  JSON and
 * harmless to look at; loaders index, reserve and subtract by its numbers, run its expressions and follow its tables, without
 * asking.  Follows formats/configs, section 4. */
#pragma once

#include "format.h"
#include "json_text.h"

#define TOKENIZER_ID_MAX UINT64_C(2147483646) /* 2^31 - 2: a count of them still fits 32 signed bits */

/**
 * tokenizer_json_check() - judge a text that the reader of JSON has found to be JSON; keys given twice are its finding
 * Costs what is not a tokenizer some hundred bytes of reading.
 * @text: all of it, which an extent describes.
 * Return: WLK_DONE, also with findings; WLK_INCOMPLETE.
 */
enum wlk_status tokenizer_json_check(struct layout *l, struct bytes text);

/* An id of a token, wherever a configuration has one (keys of added_tokens_decoder; bos_token_id, suppress_tokens, ...): as
 * digits.  @negative_too: -1 and the like are honest there.  False: it is tokenizer-id-range. */
bool tokenizer_id_is_sound(struct bytes digits, bool negative_too);
