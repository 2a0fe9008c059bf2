/* Ask weighlockd about a file: C, with libweighlock-client.
 *
 *	cc -o check check.c $(pkg-config --cflags --libs weighlock-client)
 *	check [-u | -c] [-p POLICY] [-a ATTEMPTS] [-s SECONDS] [-t SECONDS] SOCKET FILE
 *
 * Lets the daemon read FILE in place; with -u uploads it, with -c in chunks, as if its length were not known.  Shows
 * progress, asks again when that may help, and ends with
 *
 *	0 accept    1 reject    2 no verdict, or error    3 review, or a verdict the library does not know    4 usage
 *
 * Publish FILE on 0 and on nothing else. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weighlock-client.h>

#define WAIT_MAX_S 30u /* between two attempts */

enum way { IN_PLACE, UPLOAD, CHUNKS };

struct options {
	enum way way;
	const char *policy, *socket, *file;
	unsigned attempts;
	int64_t silence_ms, total_ms;
};

static int on_line(void *ctx, const char *line, size_t n)
{
	(void)ctx;
	fprintf(stderr, "check: %.*s\n", (int)n, line);
	return 0;
}

static int choose_file(struct weighlock_scan *s, const struct options *o, int fd)
{
	struct stat st;

	if (o->way == IN_PLACE)
		return weighlock_scan_pass_fd(s, fd);
	if (fstat(fd, &st) < 0)
		return -1;
	return weighlock_scan_upload_fd(s, fd, o->way == UPLOAD ? (uint64_t)st.st_size : WEIGHLOCK_LENGTH_UNKNOWN);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Return: NULL if the question cannot be asked at all. */
static struct weighlock_scan *prepare(const struct options *o, int fd)
{
	struct weighlock_scan *s = weighlock_scan_new(o->socket);

	if (s != NULL && choose_file(s, o, fd) == 0 && weighlock_scan_set_name(s, base_name(o->file)) == 0 &&
	    (o->policy == NULL || weighlock_scan_set_policy(s, o->policy) == 0) &&
	    weighlock_scan_set_timeouts(s, o->silence_ms, o->total_ms) == 0 &&
	    weighlock_scan_set_progress(s, on_line, NULL) == 0)
		return s;
	weighlock_scan_free(s);
	return NULL;
}

static int code_of(const struct weighlock_scan *s)
{
	switch (weighlock_scan_verdict(s)) {
	case WEIGHLOCK_ACCEPT: return 0;
	case WEIGHLOCK_REJECT: return 1;
	case WEIGHLOCK_NONE:
	case WEIGHLOCK_ERROR: return 2;
	default: return 3;
	}
}

/* What can be acted on goes to standard output; why there is nothing goes to standard error. */
static void tell(const struct weighlock_scan *s)
{
	if (weighlock_scan_verdict(s) == WEIGHLOCK_ERROR)
		fprintf(stderr, "check: %s\n", weighlock_scan_json(s, NULL));
	else if (code_of(s) == 2)
		fprintf(stderr, "check: %s%s%s\n", weighlock_scan_detail(s), weighlock_scan_errno(s) != 0 ? ": " : "",
		    weighlock_scan_errno(s) != 0 ? strerror(weighlock_scan_errno(s)) : weighlock_scan_problem(s));
	else
		puts(weighlock_scan_json(s, NULL));
}

/* One attempt.  *ret_wait_s: how long to wait before another one; 0: none would help.  Return: the exit code. */
static int ask(const struct options *o, unsigned *ret_wait_s)
{
	int fd = open(o->file, O_RDONLY | O_CLOEXEC);
	struct weighlock_scan *s = fd >= 0 ? prepare(o, fd) : NULL;
	unsigned after_s = 0;
	int code = 4;

	*ret_wait_s = 0;
	if (s != NULL) {
		(void)weighlock_scan_run(s);
		tell(s);
		code = code_of(s);
		if (weighlock_scan_retry(s, &after_s) == WEIGHLOCK_RETRY_LATER)
			*ret_wait_s = after_s > 0 ? after_s : 1;
	}
	weighlock_scan_free(s);
	if (fd >= 0)
		close(fd);
	return code;
}

static int check(const struct options *o)
{
	unsigned wait_s, patience_s = 1;
	int code = ask(o, &wait_s);

	for (unsigned n = 1; n < o->attempts && wait_s > 0; n++, patience_s *= 2) {
		wait_s = wait_s > patience_s ? wait_s : patience_s;
		sleep(wait_s < WAIT_MAX_S ? wait_s : WAIT_MAX_S);
		code = ask(o, &wait_s);
	}
	return code;
}

static int usage(void)
{
	fputs("usage: check [-u | -c] [-p POLICY] [-a ATTEMPTS] [-s SECONDS] [-t SECONDS] SOCKET FILE\n", stderr);
	return 4;
}

int main(int argc, char **argv)
{
	struct options o = { .attempts = 4 };
	int c;

	while ((c = getopt(argc, argv, "ucp:a:s:t:")) >= 0) {
		switch (c) {
		case 'u': o.way = UPLOAD; break;
		case 'c': o.way = CHUNKS; break;
		case 'p': o.policy = optarg; break;
		case 'a': o.attempts = (unsigned)strtoul(optarg, NULL, 10); break;
		case 's': o.silence_ms = strtol(optarg, NULL, 10) * INT64_C(1000); break;
		case 't': o.total_ms = strtol(optarg, NULL, 10) * INT64_C(1000); break;
		default: return usage();
		}
	}
	if (argc - optind != 2)
		return usage();
	o.socket = argv[optind];
	o.file = argv[optind + 1];
	return check(&o);
}
