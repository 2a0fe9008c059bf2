/* What the process gives up that starts all others.  It reads no client's byte, and reads configuration and keys again whenever it is
 * told to; so where root starts it, it stays root, with those capabilities that this takes and that its children give up in turn.
 * Its filter is beneath all of theirs: it kills for what none of them does. */
#include <errno.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layers.h"
#include "rules.h"
#include "sandbox.h"

static const unsigned kept[] = {
	CAP_CHOWN,  /* a socket is given to its group; */
	CAP_FOWNER, /* ... and has a mode; */
	CAP_DAC_OVERRIDE, /* ... where one stood before.  Configuration and key are read again; a child's maps of ids written */
	CAP_DAC_READ_SEARCH,                 /* the same where nothing is written */
	CAP_KILL,                            /* children have other users */
	CAP_SETUID, CAP_SETGID, CAP_SETFCAP, /* a user namespace may map root */
	CAP_SETPCAP,                         /* children drop theirs for good */
	CAP_SYS_ADMIN,                       /* namespaces */
	CAP_SYS_RESOURCE,                    /* limits, and who goes first when memory ends */
};

static void keep_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint64_t mask = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		mask |= UINT64_C(1) << kept[i];
	for (unsigned long cap = 0; cap < 64; cap++)
		if ((mask >> cap & 1) == 0)
			(void)prctl(PR_CAPBSET_DROP, cap, 0UL, 0UL, 0UL);
	if (syscall(SYS_capget, &header, data) < 0)
		return;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		const uint32_t part = (uint32_t)(mask >> 32 * i);

		data[i].permitted &= part;
		data[i].effective &= part;
		data[i].inheritable &= part;
	}
	(void)syscall(SYS_capset, &header, data);
}

/* Everything else is as the service manager has it. */
static int load(void)
{
	const struct scmp_arg_cmp not_unix = { 0, SCMP_CMP_NE, AF_UNIX };
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int r = ctx == NULL ? -ENOMEM : seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (r == 0)
		r = filter_kill_everywhere(ctx);
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1, &not_unix);
	if (r == 0)
		r = seccomp_load(ctx); /* also sets no_new_privs */
	seccomp_release(ctx);
	return r;
}

int sandbox_monitor(void)
{
	keep_capabilities();
	layer_seal_memory();
#ifdef WLK_SANITIZED /* its search for leaks is a trace */
	(void)load;
	return 0;
#else
	return load();
#endif
}
