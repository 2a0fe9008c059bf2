/* What the tests of the daemon's own jails share, the front's and the keeper's: a folder that is theirs, and acts inside, as
 * this user and as nobody, that end as they must. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "harness.h"
#include "jail.h"

/* A folder that any user may write in.  @path: room for "/tmp/wlk-XXXXXX", whose name it gets.  Return: its descriptor. */
static inline int folder_make(char path[16])
{
	int folder;

	snprintf(path, 16, "/tmp/wlk-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(chmod(path, 0777), 0);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(folder, 0);
	return folder;
}

struct jail {
	void (*make)(void); /* what is around the process */
	void (*remove)(void);
	int (*enter)(void); /* in the child.  Return: below 0 if it is not in */
};

struct jailed {
	const struct jail *jail;
	int (*act)(void);
};

static inline int jailed_act(void *arg)
{
	const struct jailed *j = arg;

	return j->jail->enter() < 0 ? 90 : j->act();
}

/* The act ends by this signal, or, if it is 0, with this code. */
static inline void expect_in_one(const struct jail *jail, int (*act)(void), int sig, int code)
{
	struct jailed jailed = { .jail = jail, .act = act };

	for (enum as who = AS_SELF; who <= AS_NOBODY; who++) {
		int status;

		jail->make();
		status = in_child(who, jailed_act, &jailed);
		ck_assert_msg(sig != 0 ? killed_by(status, sig) : ended_with(status, code), "as %s: status %x",
		    who == AS_SELF ? "itself" : "nobody", (unsigned)status);
		jail->remove();
	}
}

/* The same inside, and where the kernel has no layer but the mandatory ones. */
static inline void expect_in(const struct jail jails[2], int (*act)(void), int sig, int code)
{
	expect_in_one(&jails[0], act, sig, code);
	expect_in_one(&jails[1], act, sig, code);
}

/* A test that the filter of @who kills what does @act; expect() is the program's own. */
#define TEST_DIES(who, name, act)               \
	static int act_##name(void)             \
	{                                       \
		(void)!(act);                   \
		return 0;                       \
	}                                       \
	START_TEST(test_##who##_dies_of_##name) \
	{                                       \
		expect(act_##name, SIGSYS, 0);  \
	}                                       \
	END_TEST

static inline bool refused(long r, int error)
{
	return r < 0 && errno == error;
}

/* What Landlock refuses. */
static inline bool files_are_refused(void)
{
	return refused(open("/etc/passwd", O_RDONLY | O_CLOEXEC), EACCES) &&
	       open("/tmp/x", O_CREAT | O_WRONLY, 0600) < 0;
}

/* Signals by way of a descriptor, at which others may be written to. */
static inline bool signals_are_refused(void)
{
	struct f_owner_ex owner = { F_OWNER_PID, getppid() };

	return refused(fcntl(STDIN_FILENO, F_SETOWN, getppid()), EPERM) &&
	       refused(fcntl(STDIN_FILENO, F_SETOWN_EX, &owner), EPERM) &&
	       refused(fcntl(STDIN_FILENO, F_SETSIG, SIGKILL), EPERM) &&
	       refused(fcntl(STDIN_FILENO, F_SETLEASE, F_WRLCK), EPERM) &&
	       refused(fcntl(STDIN_FILENO, F_NOTIFY, DN_MODIFY), EPERM) &&
	       refused(fcntl(STDIN_FILENO, F_SETFL, O_ASYNC), EPERM);
}

/* No memory to execute, nobody who looks inside.  Return: 0; else which was not refused. */
static inline int refusals_of_all(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	if (!refused(mprotect(page, 4096, PROT_READ | PROT_EXEC), EPERM))
		return 2;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 3;
	if (!refused(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), EPERM))
		return 5;
	return signals_are_refused() ? 0 : 4;
}

static inline int aborting(void)
{
	abort();
}
