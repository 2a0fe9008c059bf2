/* Shared by prepare.c, which makes the sandbox, and enter.c, which goes in. */
#pragma once

#include "filter.h"
#include "sandbox.h"

struct sandbox {
	struct filter filter;          /* the worker's */
	struct filter made_filter;     /* that of one which converts */
	struct filter digester_filter; /* the digester's */
	struct filter zygote_filter;   /* beneath them all */
};

/* What the zygote takes for itself and all its workers; layer_errno as in sandbox_prepare(). */
void prepare_confine(int layer_errno[SANDBOX_N_LAYERS]);

/**
 * enter_rehearse() - take the steps of sandbox_enter(), past failures
 * @but: a layer to leave out, for tests of the others; SANDBOX_N_LAYERS for none.
 * @ret_layer_errno: SANDBOX_N_LAYERS places; those of the steps are set to 0 or an errno.  In memory shared with
 *                   whoever wants to know: under the filter there is nothing else to tell with.
 * The caller ends by _exit().
 */
void enter_rehearse(
    const struct sandbox *sb, pid_t zygote_pid, uint64_t cpu_seconds, enum sandbox_layer but, int *ret_layer_errno);
