/* What GET /metrics says: the Prometheus text format, version 0.0.4.  Names and labels never change once shipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "front.h"

#define METRICS_BYTES_MAX ((size_t)96 << 10) /* fourfold what it is today; every list in it is fixed */

/* Write all of them, with a NUL and without the last newline.  Return: false if they do not fit, which is a bug. */
bool metrics_text(const struct front *f, char buf[METRICS_BYTES_MAX]);
