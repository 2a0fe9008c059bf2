/* libmagic's database: the installed one, or, in a standalone program, the one it carries. */
#pragma once

#include <magic.h>
#include <stdbool.h>

/**
 * Load the database.
 * @magic: a fresh handle
 *
 * Return: false if that failed; magic_error() says why.
 */
bool database_load(magic_t magic);
