/* See say.h. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define SAY_MAX 1024

void fleet_say(const char *format, ...)
{
	char line[SAY_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (char *at = line; *at; at++) {
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	}
	fprintf(stderr, "weighlock-fleet: %s\n", line);
}

int64_t fleet_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
