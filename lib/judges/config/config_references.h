/* References to code: of this repository, or of another one.  Formats/configs, section 1.2. */
#pragma once

#include "config_judge.h"

/* A value of auto_map and its like: `file.Class`, or `owner/repo--file.Class`; asked for by the caller (trust_remote_code). */
void judge_reference(struct config *c, uint32_t node);
/* Each text of an object or a list of them. */
void judge_references(struct config *c, uint32_t node);
/* A program of this repository, by the path of its file: asked for, ... */
void config_local_code(struct config *c, struct bytes file, uint32_t node);
/* ... or not named one by one: all that there is. */
void config_local_folder(struct config *c, uint32_t node);
