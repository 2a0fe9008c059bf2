/* The worker's seccomp filter: compiled once by libseccomp, kept as BPF, installed by each worker. */
#pragma once

#include <stddef.h>
#include <linux/filter.h>

#define FILTER_INSNS_MAX 512 /* ten times today's; the kernel's limit is 4,096 */

struct filter {
	size_t n;
	struct sock_filter insns[FILTER_INSNS_MAX];
};

/* Return: 0 or negative errno. */
int filter_compile(struct filter *ret);
