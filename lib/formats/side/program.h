/* Which loader would run a program that lies beside models. */
#pragma once

#include "format.h"

#define PROGRAM_LOOK_BYTES \
	65536u /* linkers put the table of names in front of the code; a longer one is only not named */

/* @head: the first PROGRAM_LOOK_BYTES, or what there is.  @buf: for the words.  Return: the format's name and who runs it, in
 * words of ours. */
struct bytes program_words(enum wlk_format_id id, struct bytes head, uint8_t buf[REPORT_STRING_MAX]);
