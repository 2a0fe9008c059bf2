/* Chat templates beside a model: a Jinja file of their own, or a tokenizer's configuration (tokenizer_config.json,
 * chat_template.json), whose member `chat_template` is one, or a list of named ones.  The rules are those of
 * lib/judges/template; formats/others, Decisions 2 and 7. */
#pragma once

#include "format.h"

/* Anything under the name of a template. */
extern const struct wlk_format format_template;
/* A JSON object with a member chat_template. */
extern const struct wlk_format format_tokenizer_config;
