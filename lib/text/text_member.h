/* Members that are plain text: labels, vocabularies, notes.  Nobody runs them. */
#pragma once

#include "format.h"
#include "member.h"

/**
 * text_member_judge() - is all of it text: UTF-8 without control characters but those that lay text out?
 * Then it is described and understood; otherwise nothing is found, and it is not understood.
 * Return: false: source or memory failed.
 */
bool text_member_judge(struct layout *l, struct member *m);

/* All of a member was read as text: say so in its description, and let @inner, a layout, have it.  False: memory. */
bool text_member_describe(struct layout *inner, struct member *m);
