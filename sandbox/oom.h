/* Who goes first when there is no memory left (proc_pid_oom_score_adj(5)): workers, which one file costs, before those whom all
 * need; the monitor last.  For a process that begins: one that is not dumpable cannot say it of itself any more. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OOM_KEEPER 100
#define OOM_FRONT 200
#define OOM_WORKER 500 /* and zygotes, which are small, and digesters */
#define OOM_MAX 1000

/* So much sooner than whoever started it.  Advice: without /proc it is as it was. */
static inline void oom_go_sooner(int by)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC), n;
	char text[16] = "";

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0) {
		by += (int)strtol(text, NULL, 10); /* the kernel's own words */
		n = snprintf(text, sizeof(text), "%d", by < OOM_MAX ? by : OOM_MAX);
		(void)!pwrite(fd, text, (size_t)n, 0);
	}
	(void)close(fd);
}
