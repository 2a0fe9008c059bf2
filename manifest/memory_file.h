/* A file that is in memory only and has no name anybody could open. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @name: for /proc only.  Can be sealed; never executable where the kernel knows how.  Return: a descriptor, close-on-exec;
 * negative errno. */
int memory_file_new(const char *name);
/* Nobody can change it any more.  Return: 0 or negative errno. */
int memory_file_seal(int fd);

/* All n bytes at @offset.  Return: 0 or negative errno (-EIO: the file ends before). */
int memory_file_write(int fd, const void *at, size_t n, uint64_t offset);
int memory_file_read(int fd, void *buf, size_t n, uint64_t offset);
