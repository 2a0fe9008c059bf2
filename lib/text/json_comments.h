/* JSON as people write it for themselves: with comments and a comma behind the last item (tsconfig.json, devcontainer.json).  No loader
 * of models takes either; who does reads what is left. */
#pragma once

#include "arena.h"
#include "bytes.h"

/**
 * json_without_comments() - blanks in the place of comments (// to the end of the line, and between slashes with stars) and of commas
 * that close a list, outside of strings
 * @ret: the text itself when it has neither; else a copy of the same length in the arena, whose offsets are the text's.  NULL in
 * ret->at: no memory.
 * @ret_at: where the first one stood.
 * Return: was there one?
 */
bool json_without_comments(struct bytes text, struct arena *a, struct bytes *ret, size_t *ret_at);
