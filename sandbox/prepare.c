/* The zygote confines itself, and finds out what its workers will get.  Everything a worker inherits is done here
 * once: namespaces, empty root, capabilities, Landlock, MDWE, and a seccomp filter that leaves it forking and the
 * channel. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enter.h"
#include "layers.h"

/* As large as RLIMIT_CPU of a worker is ever asked to be (a day); a rehearsal with less could succeed where a
 * worker fails. */
#define REHEARSAL_CPU_S 86400

void prepare_confine(int layer_errno[SANDBOX_N_LAYERS])
{
	int mount_ns;

	/* No other process of this uid may look into the zygote: its layout is every worker's. */
	layer_errno[SANDBOX_UNDUMPABLE] = -layer_undumpable();
	/* Namespaces and the root first: they need the capabilities that go last. */
	layer_errno[SANDBOX_NET_NS] = -layer_unshare(CLONE_NEWNET);
	layer_errno[SANDBOX_IPC_NS] = -layer_unshare(CLONE_NEWIPC);
	layer_errno[SANDBOX_UTS_NS] = -layer_unshare(CLONE_NEWUTS);
	layer_errno[SANDBOX_EMPTY_ROOT] = -layer_empty_root(&mount_ns);
	layer_errno[SANDBOX_MOUNT_NS] = -mount_ns;
	layer_errno[SANDBOX_NO_CAPS] = -layer_no_caps();
	/* After the capabilities: Landlock without them proves that it works for those who never had any. */
	layer_errno[SANDBOX_NO_NEW_PRIVS] = -layer_no_new_privs();
	layer_errno[SANDBOX_LANDLOCK] = -layer_landlock_deny_all();
	layer_errno[SANDBOX_MDWE] = -layer_mdwe();
	layer_speculation();
	layer_seal_memory();
}

/* Wait for the rehearsal; anything but a clean end means that the filter is not to be trusted. */
static int rehearsal_end(pid_t pid)
{
	int status;
	pid_t r;

	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPROTO;
}

/* The mandatory layers are taken by each worker for itself: a child tries them all and tells through shared
 * memory, because under the filter it has nothing else to tell with. */
static int rehearse(const struct sandbox *sb, int layer_errno[SANDBOX_N_LAYERS])
{
	const size_t size = sizeof(int) * SANDBOX_N_LAYERS;
	int *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const pid_t zygote = getpid();
	pid_t pid;
	int r;

	if (shared == MAP_FAILED)
		return -errno;
	memcpy(shared, layer_errno, size);
	shared[SANDBOX_SECCOMP] = EPROTO; /* until the step was taken and survived */
	pid = fork();
	if (pid == 0) {
		enter_rehearse(sb, zygote, REHEARSAL_CPU_S, SANDBOX_N_LAYERS, shared);
		_exit(0);
	}
	r = pid < 0 ? -errno : rehearsal_end(pid);
	memcpy(layer_errno, shared, size);
	munmap(shared, size);
	if (r < 0 && layer_errno[SANDBOX_SECCOMP] == 0)
		layer_errno[SANDBOX_SECCOMP] = -r;
	return pid < 0 ? r : 0;
}

int sandbox_prepare(struct sandbox **ret, int layer_errno[SANDBOX_N_LAYERS])
{
	struct sandbox *sb = calloc(1, sizeof(*sb));
	int r;

	if (sb == NULL)
		return -ENOMEM;
	/* Before the confinement: libseccomp asks the kernel what it can do. */
	r = filter_compile(&sb->filter);
	if (r == 0)
		r = filter_compile_made(&sb->made_filter);
	if (r == 0)
		r = filter_compile_zygote(&sb->zygote_filter);
	if (r == 0)
		r = filter_compile_digester(&sb->digester_filter);
	prepare_confine(layer_errno);
	if (r < 0)
		layer_errno[SANDBOX_SECCOMP] = -r; /* for the HELLO to name; no worker can enter without a program */
	else
		r = rehearse(sb, layer_errno);
	if (r < 0 && layer_errno[SANDBOX_SECCOMP] <= 0) {
		free(sb);
		return r;
	}
	*ret = sb;
	return 0;
}

int sandbox_confine_zygote(const struct sandbox *sb)
{
#ifdef WLK_SANITIZED /* which makes calls of its own in every fork */
	(void)sb;
	return 0;
#else
	return layer_filter(&sb->zygote_filter);
#endif
}
