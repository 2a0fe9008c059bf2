/* SentencePiece's vocabularies (tokenizer.model, spiece.model): protobuf, read strictly to the last byte.  Nothing in them
 * is run; a side file (formats/others, Decision 2). */
#pragma once

#include "format.h"

extern const struct wlk_format format_tokenizer_model;
