/* Looking for the line of which a head is. */
#pragma once

#include "chain.h"

/**
 * audit_find_head() - is this the head of a line of this file, or of the one before its first?
 * @dir: descriptor of the folder
 * Return: 1 or 0; negative errno: it cannot be read.
 */
int audit_find_head(int dir, const char *name, const struct audit_chain *head);
