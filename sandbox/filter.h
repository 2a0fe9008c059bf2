/* The seccomp filters of zygote, worker and digester: compiled once by libseccomp, kept as BPF; the first installed by the
 * zygote, the second by each worker on top of it. */
#pragma once

#include <stddef.h>
#include <linux/filter.h>

#define FILTER_INSNS_MAX 512 /* half as much again as the longer one (336); the kernel's limit is 4,096 */

struct filter {
	size_t n;
	struct sock_filter insns[FILTER_INSNS_MAX];
};

/* The worker's.  Return: 0 or negative errno. */
int filter_compile(struct filter *ret);
/* Of a worker that converts: the same, and the one call that writes its output. */
int filter_compile_made(struct filter *ret);
/* The digester's.  The same. */
int filter_compile_digester(struct filter *ret);
/* The zygote's: wider, for it forks and its workers enter the jail under it.  Return: 0 or negative errno. */
int filter_compile_zygote(struct filter *ret);
