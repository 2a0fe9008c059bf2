/* Configurations in JSON: the reader of JSON (json_file.h) hands on what it reads. */
#pragma once

#include "config.h"
#include "json_text.h"

/* As config_open() and config_value(); @key: NULL in a list.  Escapes are undone where it matters. */
void config_json_open(struct config *c, enum config_type type, const struct json_text *key, uint64_t at);
void config_json_text(struct config *c, const struct json_text *key, const struct json_text *text, uint64_t at);
/* @type: neither a text nor a map or list; @digits: of a number. */
void config_json_word(
    struct config *c, enum config_type type, const struct json_text *key, struct bytes digits, uint64_t at);
