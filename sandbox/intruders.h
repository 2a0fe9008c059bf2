/* The calls only an intruder makes, for filters that refuse the rest more politely: they end the process. */
#pragma once

#include <seccomp.h>

/* Return: 0 or negative errno. */
int filter_kill_intruders(scmp_filter_ctx ctx);
