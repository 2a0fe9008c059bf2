/* A worker gives everything up.  The order is told in one table, so that the rehearsal in prepare.c runs the very
 * steps it vouches for. */
#include "enter.h"

#include <stdbool.h>
#include <unistd.h>

#include "layers.h"

struct entering {
	const struct sandbox *sb;
	pid_t zygote_pid;
	uint64_t cpu_seconds;
	enum sandbox_third third;
	uint64_t made_bytes;
};

static int step_pdeathsig(const struct entering *e)
{
	return layer_pdeathsig(e->zygote_pid);
}

static int step_rlimits(const struct entering *e)
{
	return layer_rlimits(e->cpu_seconds, e->made_bytes);
}

static int step_no_new_privs(const struct entering *e)
{
	(void)e;
	return layer_no_new_privs();
}

static int step_undumpable(const struct entering *e)
{
	(void)e;
	return layer_undumpable();
}

static int step_descriptors(const struct entering *e)
{
	return layer_descriptors(e->third != SANDBOX_THIRD_NONE);
}

static int step_filter(const struct entering *e)
{
	return layer_filter(e->third == SANDBOX_THIRD_MADE ? &e->sb->made_filter : &e->sb->filter);
}

/* Namespaces, empty root, uid, capabilities, Landlock and MDWE are the zygote's and inherited. */
static const struct {
	enum sandbox_layer layer;
	int (*take)(const struct entering *e);
} steps[] = {
	/* First, so that nothing below can outlive the zygote; after the uid changed, which would clear it. */
	{ SANDBOX_PDEATHSIG, step_pdeathsig },
	/* Before anything that could be made to allocate. */
	{ SANDBOX_RLIMITS, step_rlimits },
	/* The filter needs it.  Inherited; said again because it costs nothing and is what all else stands on. */
	{ SANDBOX_NO_NEW_PRIVS, step_no_new_privs },
	/* No core, no ptrace or /proc/PID/mem by another process of this uid. */
	{ SANDBOX_UNDUMPABLE, step_undumpable },
	/* The channel goes here: from now on only the file, what may come with it and the report are
	 * left. */
	{ SANDBOX_DESCRIPTORS, step_descriptors },
	/* Last: it forbids all of the above. */
	{ SANDBOX_SECCOMP, step_filter },
};

#define N_STEPS (sizeof(steps) / sizeof(steps[0]))

void sandbox_enter(
    const struct sandbox *sb, pid_t zygote_pid, uint64_t cpu_seconds, enum sandbox_third third, uint64_t made_bytes)
{
	const struct entering e = { sb, zygote_pid, cpu_seconds, third, third == SANDBOX_THIRD_MADE ? made_bytes : 0 };

	for (size_t i = 0; i < N_STEPS; i++)
		if (steps[i].take(&e) < 0 && sandbox_layer_info(steps[i].layer)->mandatory)
			_exit(SANDBOX_EXIT_JAIL);
}

void sandbox_enter_digester(const struct sandbox *sb, pid_t zygote_pid)
{
	if (layer_pdeathsig(zygote_pid) < 0 || layer_rlimits_digester() < 0 || layer_no_new_privs() < 0 ||
	    layer_undumpable() < 0 || layer_only_descriptor(SANDBOX_IN_FD) < 0 ||
	    layer_filter(&sb->digester_filter) < 0)
		_exit(SANDBOX_EXIT_JAIL);
}

void enter_rehearse(
    const struct sandbox *sb, pid_t zygote_pid, uint64_t cpu_seconds, enum sandbox_layer but, int *ret_layer_errno)
{
	const struct entering e = { sb, zygote_pid, cpu_seconds, SANDBOX_THIRD_NONE, 0 };

	for (size_t i = 0; i < N_STEPS; i++)
		if (steps[i].layer != but)
			ret_layer_errno[steps[i].layer] = -steps[i].take(&e);
}
