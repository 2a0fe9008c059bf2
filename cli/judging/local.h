/* Judging here: the same jail as the daemon's, no daemon needed, as any user. */
#pragma once

#include "backend.h"
#include "sandbox.h"

/**
 * local_open() - start a zygote
 * @policy: borrowed until close
 * Says what is wrong.  Return: 0 or negative errno.
 */
int local_open(const struct policy *policy, struct backend **ret);

/* Say why zygote_start() failed with @r, naming the layer that is missing. */
void local_explain(int r, const struct zygote *z, const char *worker_path);
