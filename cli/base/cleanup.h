/* Releasing on every way out, in the functions that hold something: _cleanup_(closep) int fd = -1; */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

static inline void closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void freep(void *p)
{
	void **at = p;

	free(*at);
}

static inline int steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}
