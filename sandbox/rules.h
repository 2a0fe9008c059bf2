/* Rows of filters, and what those share that do not kill for everything they do not allow. */
#pragma once

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

#define RULE_ARGS_MAX 2

struct rule {
	int call;
	unsigned n_args;
	struct scmp_arg_cmp args[RULE_ARGS_MAX];
};

/* An int argument equal to v, but for the bits in `any`. */
#define INT_IS(arg, v, any)                                                       \
	{                                                                         \
		(arg), SCMP_CMP_MASKED_EQ, UINT32_MAX & ~(scmp_datum_t)(any), (v) \
	}
/* A long argument equal to v, but for the bits in `any`. */
#define LONG_IS(arg, v, any)                                         \
	{                                                            \
		(arg), SCMP_CMP_MASKED_EQ, ~(scmp_datum_t)(any), (v) \
	}

/* All that is allowed by them.  Return: 0 or negative errno. */
int filter_add_rules(scmp_filter_ctx ctx, const struct rule *rules, size_t n);

/* ---- front.c: for filters that refuse more politely ---- */

/* The calls only an intruder makes end the process.  Return: 0 or negative errno. */
int filter_kill_intruders(scmp_filter_ctx ctx);
/* Those of them that the monitor and what it starts can do without, too. */
int filter_kill_everywhere(scmp_filter_ctx ctx);
/* Memory that is never executable, abort(3), descriptors' own flags, and sockets that write to nobody but whom they belong to.
 * Return: 0 or negative errno. */
int filter_add_common(scmp_filter_ctx ctx);
