/* A document of the daemon's that is no verdict, as its metrics.  For the programs of this tree: not given away. */
#pragma once

#include "http_answer.h"

/**
 * wlc_get() - GET @target, and wait for the answer
 * @wait_s: for each step of it
 * @ret: initialized by wlc_reply_init(); .why is NULL, or says what is wrong with the answer
 * Return: 0 with a whole answer, of whatever status; negative errno: -EPROTO with .why, -ENAMETOOLONG, or that of a call;
 * -EAGAIN: no answer in time.
 */
int wlc_get(const char *socket_path, const char *target, unsigned wait_s, struct wlc_reply *ret);
