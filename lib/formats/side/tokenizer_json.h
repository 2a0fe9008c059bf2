/* The fast tokenizers' files (tokenizer.json of the library tokenizers): vocabularies, and the steps around them.  JSON and
 * harmless to look at; loaders index, reserve and subtract by its numbers, run its expressions and follow its tables, without
 * asking.  Follows formats/configs, section 4. */
#pragma once

#include "format.h"
#include "json_file.h"
#include "json_text.h"
#include "token_id.h"

/* Costs what is not a tokenizer some hundred bytes of reading.  Keys given twice are a finding of json_file.c. */
extern const struct json_model json_model_tokenizer, json_model_tokenizer_added;
