/* The steps of the jail, one function a layer, for sandbox/ itself and for the tests that try each layer without
 * the others.  Programs call sandbox.h, which knows the order.
 * Every step returns 0 when the layer holds for this process and what it forks, else a negative errno. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct filter;

/* ---- in the zygote; children inherit them ---- */

/* A namespace of our own: CLONE_NEWNET, CLONE_NEWIPC, ...  Not for user and PID namespaces, see spawn.c. */
int layer_unshare(int flag);
/* A mount namespace of our own, and in it the whole file tree replaced by one empty, read-only folder.  One step
 * by design: in a shared namespace the second half would take the machine's root away.
 * @ret_namespace: 0 or negative errno of the first half. */
int layer_empty_root(int *ret_namespace);
/* The same with a folder for the root, of layer_tree(); negative: nothing. */
int layer_root(int tree, int *ret_namespace);
/* A folder as a mount of its own, from which no ".." leads out: descriptor or negative errno.  @path "": @at itself. */
int layer_tree(int at, const char *path);
/* No capability in any set, and no way back to one. */
int layer_no_caps(void);
int layer_no_new_privs(void);
/* Landlock with every right it knows handled and none granted. */
int layer_landlock_deny_all(void);
/* Memory is writable or executable, never both and never one after the other. */
int layer_mdwe(void);

/* No speculation past stores, and none by others' branches, as far as a process may choose.  Wanted, and no layer: whether it
 * matters the processor says. */
void layer_speculation(void);
/* Where the kernel has mseal(2): what is mapped of the program and its libraries and not written to stays mapped as it is. */
void layer_seal_memory(void);

/* ---- in each worker ---- */

/* Die with the zygote; refused (-ESRCH) when it is dead already. */
int layer_pdeathsig(pid_t parent);
/* @made_bytes: of a file it may write to. */
int layer_rlimits(uint64_t cpu_seconds, uint64_t made_bytes);
/* Of a digester: it lives longer than a job, and is given descriptors. */
int layer_rlimits_digester(void);
int layer_undumpable(void);
/* Close everything but SANDBOX_IN_FD, SANDBOX_OUT_FD and, with a third, SANDBOX_DOCUMENT_FD. */
int layer_descriptors(bool third);
/* Close everything but this one. */
int layer_only_descriptor(unsigned fd);
/* The seccomp filter; needs no_new_privs.  Only the calls it allows can be made afterwards. */
int layer_filter(const struct filter *filter);

/* ---- Landlock, shared with the front ---- */

/* A ruleset that handles all rights of this kernel's ABI. Return: descriptor or negative errno. */
int landlock_ruleset_new(uint64_t *ret_handled_fs);
/* Allow regular files to be created, opened, truncated and removed below a folder. */
int landlock_allow_files(int ruleset, int dir_fd, uint64_t handled_fs);
/* A ruleset under which no regular file can be opened for reading but what is allowed below, and everything else can be done; a
 * file cannot be moved to where more is allowed.  @path_fd: a file, or a folder with all below it.
 * Return: descriptor, 0, or negative errno. */
int landlock_reading_new(void);
int landlock_allow_reading(int ruleset, int path_fd);
/* Apply, on this thread and those it makes later; needs no_new_privs.  The ruleset stays the caller's. */
int landlock_apply(int ruleset);
