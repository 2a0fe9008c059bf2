/* Where the jailed worker program is. */
#pragma once

#include <stddef.h>

/**
 * worker_open() - the worker program that belongs to this very program
 * Never found through the environment, the current folder or PATH: whoever sets those could choose what runs.
 * @path: filled with where it was found, or last looked for
 * Return: an O_PATH descriptor; negative errno.
 */
int worker_open(char *path, size_t n);
