/* What GET /metrics says: the Prometheus text format, version 0.0.4.  Names and labels never change once shipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conn.h"

struct metrics_sources {
	const struct env *env;
	struct jobs *jobs;
	const struct keeper_link *keeper; /* NULL: there is none */
	const struct clients *clients;
	const struct http *http;
};

/* Write all of them, with a NUL and without the last newline.  Return: false if they do not fit, which is a bug. */
bool metrics_text(const struct metrics_sources *from, char buf[CONN_METRICS_MAX]);
