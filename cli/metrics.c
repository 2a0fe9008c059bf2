/* weighlock metrics: the daemon's numbers as a file for the textfile collector of Prometheus' node exporter, which reads
 * files and not Unix sockets.  A file that could not be renewed is left as it was: its age is what tells (the exporter
 * exports it), and numbers of a daemon that is gone must not look new. */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "client.h"
#include "commands.h"
#include "get.h"
#include "scan_options.h"
#include "target.h"

#define BODY_MAX ((size_t)1 << 20) /* bytes; the daemon's metrics are below a tenth of it */
#define WAIT_S 10                  /* for each step of the daemon's answer */

enum { OPT_TEXTFILE = 256, OPT_SOCKET };

static const struct option long_options[] = {
	{ "textfile", required_argument, NULL, OPT_TEXTFILE },
	{ "socket", optional_argument, NULL, OPT_SOCKET },
	USAGE_LONG_OPTIONS,
};

/* ---- the daemon ---- */

/* Says what is wrong.  @r: to be freed in any case. */
static bool fetch(const char *path, struct wlc_reply *r)
{
	int error;

	wlc_reply_init(r, BODY_MAX);
	error = wlc_get(path, "/metrics", WAIT_S, r);
	if (error == -EPROTO)
		say("%s: the answer is not a whole one", path);
	else if (error < 0)
		say("%s: %s", path, error == -EAGAIN ? "no answer" : strerror(-error));
	else if (r->status != 200)
		say("%s: the answer has status %u", path, r->status);
	return error == 0 && r->status == 200;
}

/* ---- the file ---- */

static int publish(const char *file, const char *text, size_t n)
{
	const char *path = strcmp(file, "-") == 0 ? NULL : file;
	struct target t;
	int r = target_open(&t, path);

	if (r == 0) {
		(void)fwrite(text, 1, n, t.f);
		r = target_publish(&t);
	}
	target_close(&t);
	if (r < 0)
		say("%s: %s", path == NULL ? "standard output" : path, strerror(-r));
	return r < 0 ? CLI_INCOMPLETE : CLI_OK;
}

static int run(const char *socket_path, const char *file)
{
	struct wlc_reply r;
	int status = CLI_INCOMPLETE;

	if (fetch(socket_path, &r))
		status = publish(file, r.body != NULL ? r.body : "", r.body_n);
	wlc_reply_done(&r);
	return status;
}

int cmd_metrics(int argc, char **argv)
{
	const char *socket_path = CLIENT_SOCKET_DEFAULT, *file = NULL;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hV", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_TEXTFILE: file = optarg; break;
		case OPT_SOCKET: socket_path = socket_option(argv); break;
		default: return usage_option("metrics", option, long_options, ":hV", argv[optind - 1]);
		}
	}
	if (optind < argc)
		return usage_error("metrics", "it takes no arguments, found '%s'", argv[optind]);
	if (file == NULL)
		return usage_error("metrics", "--textfile is needed");
	if (socket_path[0] == '\0' || strlen(socket_path) > CLIENT_SOCKET_PATH_MAX)
		return usage_error("metrics", "--socket: found '%s', allowed a path of 1 to %d bytes", socket_path,
		    CLIENT_SOCKET_PATH_MAX);
	return run(socket_path, file);
}
