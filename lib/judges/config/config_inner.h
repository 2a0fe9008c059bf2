/* Text inside models that is a configuration of its own: formats/configs, section 2.4. */
#pragma once

#include "config.h"

#define CONFIG_INNER_BYTES_MAX ((uint64_t)1 << 20)

/* Feed a JSON text, all of it; what is not JSON is fed as far as it is.  @name: of its outermost value. @at: of its first byte.
 * Return: false: memory. */
bool config_json_feed(struct config *c, struct bytes text, struct config_text name, uint64_t at);

/* Might it be one?  By its first characters. */
bool config_inner_begins(struct bytes head);

/**
 * config_check_inner() - judge a text of a model's metadata when it is JSON; of anything else see config_check_unread()
 * @text: decoded, all of it, and lives as long as the call. @key: its name in the model. @at: its first byte in the part.
 * Return: false: memory; layout_stop() has said so.
 */
bool config_check_inner(struct layout *l, struct bytes text, struct bytes key, uint64_t at);

/* The same of a text of a configuration: texts in it are texts. */
bool config_check_inner_text(struct layout *l, struct bytes text, struct bytes key, uint64_t at);

/* A text that is not looked at as what it is: does it hold a key under which something is called? */
void config_check_unread(struct layout *l, struct bytes text, struct bytes key, uint64_t at);

/* Metadata of models that Ultralytics and YOLOv5 give to eval() (names, stride and their like): anything but a literal is told. */
void config_check_evaluated(struct layout *l, struct bytes text, struct bytes key, uint64_t at);
