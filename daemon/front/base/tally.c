/* See tally.h. */
#include "tally.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "sandbox.h"

static unsigned deciding_class(const struct verdict *v)
{
	const char *text = json_string_value(json_array_get(json_object_get(v->json, "reasons"), 0));

	for (unsigned c = 0; text && c < N_FINDING_CLASSES; c++) {
		if (strcmp(text, finding_class_text((enum finding_class)c)) == 0)
			return c;
	}
	return TALLY_NO_CLASS;
}

void tally_verdict(struct tally *t, const struct verdict *v)
{
	t->verdicts[v->value][deciding_class(v)]++;
}

/* ---- the histogram ---- */

static size_t size_class(uint64_t size)
{
	static const uint64_t bounds[N_TALLY_SIZES] = {
#define X(bytes, text) bytes,
		TALLY_SIZES(X)
#undef X
	};
	size_t i = 0;

	while (size > bounds[i])
		i++;
	return i;
}

static size_t bucket(double ms)
{
	static const double bounds[N_TALLY_BUCKETS - 1] = {
#define X(bound, text) bound,
		TALLY_BUCKETS(X)
#undef X
	};
	size_t i = 0;

	while (i < N_TALLY_BUCKETS - 1 && ms > bounds[i])
		i++;
	return i;
}

void tally_scan(struct tally *t, uint64_t size, double ms)
{
	struct tally_histogram *h = &t->scans[size_class(size)];

	h->buckets[bucket(ms)]++;
	h->sum_s += ms / 1e3;
}

/* ---- ends of workers ---- */

static enum tally_exit exit_of_cause(enum wlk_cause cause)
{
	switch (cause) {
	case WLK_CAUSE_WORKER_TIMEOUT: return TALLY_EXIT_DEADLINE;
	case WLK_CAUSE_CANCELLED: return TALLY_EXIT_CANCELLED;
	default: return TALLY_EXIT_PROTOCOL;
	}
}

static enum tally_exit exit_of_signal(int number)
{
	switch (number) {
	case SIGSYS: return TALLY_EXIT_SECCOMP;
	case SIGXCPU: return TALLY_EXIT_CPU;
	case SIGALRM: return TALLY_EXIT_ALARM;
	case SIGKILL: return TALLY_EXIT_KILLED;
	default: return TALLY_EXIT_CRASH;
	}
}

/* One that ended by itself before our SIGKILL came is counted as what it did. */
static enum tally_exit exit_of(int status, bool killed, enum wlk_cause cause)
{
	if (killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return exit_of_cause(cause);
	if (WIFSIGNALED(status))
		return exit_of_signal(WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return TALLY_EXIT_DONE;
	return WIFEXITED(status) && WEXITSTATUS(status) == SANDBOX_EXIT_JAIL ? TALLY_EXIT_JAIL : TALLY_EXIT_FAILED;
}

void tally_exit(struct tally *t, int status, bool killed, enum wlk_cause cause)
{
	t->exits[exit_of(status, killed, cause)]++;
}
