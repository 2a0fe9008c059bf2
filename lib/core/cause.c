/* Why a scan did not finish: the words of the wire contract, and what a worker's death means.  The table is
 * in status.h. */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "status.h"

#define EXIT_NO_JAIL \
	90 /* the worker's exit status when a mandatory layer of the jail could not be closed \
	    */

static const struct {
	const char *text;
	enum wlk_retry retry;
} causes[WLK_N_CAUSES] = {
#define X(name, text, retry) [WLK_CAUSE_##name] = { text, WLK_RETRY_##retry },
	WLK_CAUSES(X)
#undef X
};

const char *cause_text(enum wlk_cause cause)
{
	assert(cause < WLK_N_CAUSES);
	return causes[cause].text;
}

enum wlk_retry cause_retry(enum wlk_cause cause)
{
	assert(cause < WLK_N_CAUSES);
	return causes[cause].retry;
}

static enum wlk_cause cause_from_signal(int sig)
{
	switch (sig) {
	case SIGSYS: return WLK_CAUSE_WORKER_KILLED_SECCOMP;
	case SIGXCPU: return WLK_CAUSE_WORKER_TIMEOUT;
	default: return WLK_CAUSE_WORKER_CRASHED;
	}
}

enum wlk_cause cause_from_wait_status(int status)
{
	if (WIFSIGNALED(status))
		return cause_from_signal(WTERMSIG(status));
	if (!WIFEXITED(status))
		return WLK_CAUSE_WORKER_CRASHED;
	switch (WEXITSTATUS(status)) {
	case 0: return WLK_CAUSE_NONE;
	case EXIT_NO_JAIL: return WLK_CAUSE_INTERNAL;
	default: return WLK_CAUSE_WORKER_CRASHED;
	}
}

bool wait_status_is_fault(int status)
{
	if (!WIFSIGNALED(status))
		return false;
	switch (WTERMSIG(status)) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGABRT:
	case SIGTRAP:
	case SIGSYS: return true;
	default: return false;
	}
}

enum wlk_cause cause_from_digest(int error)
{
	switch (error) {
	case 0: return WLK_CAUSE_NONE;
	case -ENODATA: return WLK_CAUSE_INPUT_TRUNCATED;
	case -EFBIG: return WLK_CAUSE_INPUT_CHANGED;
	default: return WLK_CAUSE_INPUT_UNREADABLE;
	}
}
