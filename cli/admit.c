/* weighlock admit: copies of files that were accepted, in a folder where nobody else can change them.  A copy is made first; it is
 * what is judged, and what gets a name; so what becomes of the file meanwhile does not matter. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "admitted.h"
#include "cleanup.h"
#include "client.h"
#include "commands.h"
#include "escape.h"
#include "facts.h"
#include "hex.h"
#include "local.h"

#define SHORT_OPTIONS ":hV"
#define TURN_MS 100

enum { OPT_INTO = 256, OPT_POLICY, OPT_SOCKET };

static const struct option long_options[] = {
	{ "into", required_argument, NULL, OPT_INTO },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	USAGE_LONG_OPTIONS,
};

struct admit {
	const char *into, *policy_name, *socket;
	char root[PATH_MAX];
	int folder;
	struct policy *policy;
	struct backend *backend;
};

/* Return: -1 to go on, or the exit status. */
static int options_parse(int argc, char **argv, struct admit *a)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		switch (option) {
		case OPT_INTO: a->into = optarg; break;
		case OPT_POLICY: a->policy_name = optarg; break;
		case OPT_SOCKET: a->socket = optarg; break;
		default: return usage_option("admit", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		}
	}
	if (a->into == NULL || a->into[0] == '\0')
		return usage_error("admit", "--into: the folder for what is accepted is needed");
	if (optind == argc)
		return usage_error("admit", "no file given");
	if (a->socket != NULL && (a->socket[0] == '\0' || strlen(a->socket) > CLIENT_SOCKET_PATH_MAX))
		return usage_error("admit", "--socket: a path of 1 to %d bytes is needed", CLIENT_SOCKET_PATH_MAX);
	if (a->socket != NULL && a->policy_name != NULL && !policy_is_name(a->policy_name))
		return usage_error("admit", "--policy: with --socket it is the name of one of the daemon's policies");
	return -1;
}

static int admit_open(struct admit *a)
{
	int status = policy_find(a->socket == NULL && a->policy_name != NULL ? a->policy_name : "default", &a->policy);
	int r;

	if (status != CLI_OK)
		return status;
	a->folder = admitted_open(a->into, a->root);
	if (a->folder < 0)
		return CLI_INCOMPLETE;
	r = a->socket != NULL ? client_open(a->socket, a->policy_name, a->policy, &a->backend)
			      : local_open(a->policy, &a->backend);
	return r < 0 ? CLI_INCOMPLETE : CLI_OK;
}

static void admit_close(struct admit *a)
{
	if (a->backend != NULL)
		a->backend->ops->close(a->backend);
	closep(&a->folder);
	policy_free(a->policy);
}

/* ---- one file ---- */

static int source_open(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? steal_fd(&fd) : -EINVAL;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static void tell_verdict(const char *path, const json_t *verdict)
{
	const char *word = json_string_value(json_object_get(verdict, "verdict"));
	const char *error = json_string_value(json_object_get(json_object_get(verdict, "scan"), "error"));
	const json_t *finding;
	size_t i;

	say("%s: %s%s%s", path, word != NULL ? word : "no verdict", error != NULL ? ", " : "",
	    error != NULL ? error : "");
	json_array_foreach (json_object_get(verdict, "findings"), i, finding) {
		const char *action = json_string_value(json_object_get(finding, "action"));

		if (action != NULL && strcmp(action, "accept") != 0)
			say("%s: %s", json_string_value(json_object_get(finding, "code")),
			    json_string_value(json_object_get(finding, "message")));
	}
}

/* Accept, and about these bytes?  The daemon was told their digest, and here it is what the verdict is made of; its word is
 * asked for all the same. */
static bool is_accept(const struct task *t)
{
	const json_t *file = json_object_get(t->verdict, "file");
	const char *said = json_string_value(json_object_get(file, "sha256"));
	char hex[SHA256_HEX + 1];

	hex_write(t->input.sha256, sizeof(t->input.sha256), hex);
	return t->verdict != NULL && t->value == VERDICT_ACCEPT && said != NULL && strcmp(said, hex) == 0;
}

/* Takes the input's descriptor. */
static void judge(struct admit *a, struct task *t)
{
	t->started_us = now_us();
	a->backend->ops->start(a->backend, t);
	while (!t->done) {
		struct pollfd fd = { .fd = a->backend->epoll_fd, .events = POLLIN };

		(void)poll(&fd, 1, TURN_MS);
		a->backend->ops->turn(a->backend, now_ms());
	}
	closep(&t->input.fd);
	t->input.fd = -1;
}

static int give(const struct admit *a, int copy, const struct task *t, const char *name)
{
	char below[PATH_MAX];
	int r = admitted_link(a->folder, copy, t->input.sha256, name, below);

	if (r < 0) {
		say("%s: cannot be kept: %s", name, strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	printf("%s/%s\n", a->root, below);
	return CLI_OK;
}

static int admit_copy(struct admit *a, const char *path, int copy, struct task *t)
{
	int status = CLI_INCOMPLETE;

	t->input.fd = fcntl(copy, F_DUPFD_CLOEXEC, 3);
	if (t->input.fd < 0 || t->input.name == NULL) {
		say("%s: %s", path, strerrordesc_np(t->input.fd < 0 ? errno : ENOMEM));
		closep(&t->input.fd);
		return status;
	}
	judge(a, t);
	if (is_accept(t)) {
		status = give(a, copy, t, t->input.name);
	} else {
		tell_verdict(path, t->verdict);
		if (t->verdict != NULL && (t->value == VERDICT_REJECT || t->value == VERDICT_REVIEW))
			status = CLI_FAILED;
	}
	json_decref(t->verdict);
	facts_free(t->facts);
	freep(&t->line);
	return status;
}

static int admit_file(struct admit *a, const char *path)
{
	_cleanup_(closep) int source = source_open(path), copy = -1;
	const char *name = name_of(path);
	/* Nobody holds a descriptor that could write to it: as good as our own spool. */
	struct task t = { .input = { .source = VERDICT_SPOOL, .has_sha256 = true } };
	int status;

	if (source < 0 || !text_is_plain(bytes_of_text(name))) {
		say("%s: %s", path,
		    source == -EINVAL ? "not a regular file"
		    : source < 0      ? strerrordesc_np(-source)
				      : "a name with control characters");
		return CLI_INCOMPLETE;
	}
	copy = admitted_copy(a->folder, source, &t.input.size, t.input.sha256);
	if (copy < 0) {
		say("%s: cannot be copied into %s: %s", path, a->into, strerrordesc_np(-copy));
		return CLI_INCOMPLETE;
	}
	t.input.name = strdup(name);
	status = admit_copy(a, path, copy, &t);
	freep(&t.input.name);
	return status;
}

int cmd_admit(int argc, char **argv)
{
	struct admit a = { .folder = -1 };
	int status = options_parse(argc, argv, &a);

	if (status >= 0)
		return status;
	status = admit_open(&a);
	for (int i = optind; i < argc && status < CLI_USAGE && a.backend != NULL; i++) {
		int one = admit_file(&a, argv[i]);

		if (one == CLI_FAILED || status == CLI_OK)
			status = one;
	}
	admit_close(&a);
	return output_finish(status);
}
