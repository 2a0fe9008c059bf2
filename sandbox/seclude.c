/* What front and keeper give up before they give up root, and what they can give up without it.  Nothing here is mandatory: their
 * filters hold without it, and Landlock says the same about files where the kernel has it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "layers.h"
#include "sandbox.h"

static void replace(int *fd, int other)
{
	if (other < 0)
		return;
	(void)close(*fd);
	*fd = other;
}

/* The folder as the root: nothing else has a name then, and no ".." leads out of it. */
static int become_root(int *dir, int *own)
{
	int tree = layer_tree(*dir, ""), fds = own != NULL ? layer_tree(*own, "") : -1, mount_ns, root, r;

	r = tree < 0 ? tree : own != NULL && fds < 0 ? fds : layer_root(tree, &mount_ns);
	if (tree >= 0)
		(void)close(tree);
	if (r < 0 && fds >= 0)
		(void)close(fds);
	if (r < 0)
		return r;
	if (own != NULL)
		replace(own, fds);
	root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = root < 0 ? -errno : 0;
	replace(dir, root);
	return r;
}

int sandbox_seclude(int *dir, int *own)
{
	layer_speculation();
	(void)layer_mdwe();
	layer_seal_memory();
	(void)layer_unshare(CLONE_NEWNET);
	(void)layer_unshare(CLONE_NEWIPC);
	(void)layer_unshare(CLONE_NEWUTS);
	return become_root(dir, own);
}
