/* What the program says to people, and the clock by which it waits. */
#pragma once

#include <stdint.h>

/* A line on standard error, behind the program's name; what cannot be printed is shown as '?'. */
void fleet_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Of the monotonic clock. */
int64_t fleet_now_ms(void);
