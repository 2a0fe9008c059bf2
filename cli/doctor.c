/* weighlock doctor: what does this machine allow the sandbox to do, and does a scan work from end to end? */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend.h"
#include "cleanup.h"
#include "client.h"
#include "commands.h"
#include "local.h"
#include "memory_file.h"
#include "sandbox.h"
#include "scan_options.h"
#include "verdict_json.h"
#include "worker_path.h"

#define SAMPLE_WAIT_MS 30000

enum { OPT_SOCKET = 256 };

static void show_surroundings(const char *worker)
{
	struct utsname u;

	printf("weighlock  %s, build %016" PRIx64 "\n", WLK_VERSION, sandbox_build_id());
	if (uname(&u) == 0)
		printf("kernel     %s %s %s\n", u.sysname, u.release, u.machine);
	printf("user       uid %ju\n", (uintmax_t)geteuid());
	printf("worker     %s\n\n", worker);
}

static void show_layer(const struct sandbox_layer_info *info, int error)
{
	const char *kind = info->mandatory ? "mandatory" : "optional";

	if (error == 0)
		printf("  %-14s active   %s\n", info->name, kind);
	else
		printf("  %-14s refused  %s: %s (%s); %s\n", info->name, kind,
		    strerrorname_np(error) != NULL ? strerrorname_np(error) : "?",
		    strerrordesc_np(error) != NULL ? strerrordesc_np(error) : "unknown error", info->remedy);
}

/* Return: CLI_OK, or INCOMPLETE if a mandatory layer is missing. */
static int show_layers(const struct zygote *z)
{
	int status = CLI_OK;

	printf("layers of the jail around each worker:\n");
	for (int i = 0; i < SANDBOX_N_LAYERS; i++) {
		const struct sandbox_layer_info *info = sandbox_layer_info((enum sandbox_layer)i);

		show_layer(info, z->layer_errno[i]);
		if (info->mandatory && z->layer_errno[i] != 0)
			status = CLI_INCOMPLETE;
	}
	return status;
}

/* Start one, look at it, stop it. */
static int check_zygote(void)
{
	struct zygote z = { .channel = -1 };
	char path[PATH_MAX];
	_cleanup_(closep) int worker = worker_open(path, sizeof(path));
	int r, status;

	show_surroundings(path);
	if (worker < 0) {
		printf("the worker program is missing: %s\n", strerrordesc_np(-worker));
		return CLI_INCOMPLETE;
	}
	r = zygote_start(worker, sandbox_build_id(), &z);
	if (r < 0 && r != -EPERM) {
		local_explain(r, &z, path);
		return CLI_INCOMPLETE;
	}
	status = show_layers(&z);
	if (r == 0)
		zygote_stop(&z);
	return r < 0 ? CLI_INCOMPLETE : status;
}

/* ---- the samples ---- */

/* One F32 tensor of one element.  The second claims four bytes more than there are. */
#define SAMPLE(end) \
	"\x38\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0," end "]}}  \0\0\x80\x3f"

static const char sample_good[] = SAMPLE("4");
static const char sample_bad[] = SAMPLE("8");

/* The sample as what the worker gets from everybody: an open file. */
static int sample_open(const char *at, size_t n)
{
	_cleanup_(closep) int fd = memory_file_new("weighlock-sample");
	int r;

	if (fd < 0)
		return fd;
	if (write(fd, at, n) != (ssize_t)n)
		return -EIO;
	r = memory_file_seal(fd);
	return r < 0 ? r : steal_fd(&fd);
}

static void task_wait(struct backend *b, const struct task *t)
{
	int64_t until = now_ms() + SAMPLE_WAIT_MS;

	while (!t->done && now_ms() < until) {
		struct pollfd fd = { .fd = b->epoll_fd, .events = POLLIN };

		(void)poll(&fd, 1, 100);
		b->ops->turn(b, now_ms());
	}
}

/* The sample's verdict is kept in @ret; NULL: there is none. */
static int sample_check(struct backend *b, const char *at, size_t n, const char *what, const char *want, json_t **ret)
{
	char name[] = "sample.safetensors";
	struct task t = { .started_us = now_us(),
		.input = { .name = name, .size = n, .source = VERDICT_SEALED, .fd = sample_open(at, n) } };
	const char *got;
	bool right;

	if (t.input.fd < 0) {
		say("cannot make a sample: %s", strerrordesc_np(-t.input.fd));
		return CLI_INCOMPLETE;
	}
	b->ops->start(b, &t);
	task_wait(b, &t);
	got = json_string_value(json_object_get(t.verdict, "verdict"));
	right = got != NULL && strcmp(got, want) == 0;
	printf("  %-14s %s in %" PRId64 " ms%s\n", what, got != NULL ? got : "no verdict",
	    (now_us() - t.started_us) / 1000, right ? "" : "  WRONG");
	json_decref(*ret);
	*ret = t.verdict;
	facts_free(t.facts);
	free(t.line);
	closep(&t.input.fd);
	return right ? CLI_OK : CLI_INCOMPLETE;
}

/* @ret: the last verdict. */
static int check_samples(struct backend *b, json_t **ret)
{
	int status;

	printf("\nscans of built-in samples:\n");
	status = sample_check(b, sample_good, sizeof(sample_good) - 1, "sound", "accept", ret);
	if (sample_check(b, sample_bad, sizeof(sample_bad) - 1, "damaged", "reject", ret) != CLI_OK)
		status = CLI_INCOMPLETE;
	return status;
}

static int check_here(const struct policy *policy)
{
	struct backend *b = NULL;
	json_t *verdict = NULL;
	int status = check_zygote();

	(void)fflush(stdout);
	if (status == CLI_OK && local_open(policy, &b) < 0)
		status = CLI_INCOMPLETE;
	if (status == CLI_OK)
		status = check_samples(b, &verdict);
	json_decref(verdict);
	if (b != NULL)
		b->ops->close(b);
	return status;
}

/* ---- the daemon ---- */

static bool has_layer(const json_t *layers, const char *name)
{
	const json_t *layer;
	size_t i;

	json_array_foreach (layers, i, layer)
		if (json_string_value(layer) != NULL && strcmp(json_string_value(layer), name) == 0)
			return true;
	return false;
}

/* As a verdict of its worker says.  Return: as show_layers(). */
static int show_daemon_layers(const json_t *verdict)
{
	const json_t *scan = json_object_get(verdict, "scan");
	_cleanup_(freep) char *engine = text_safe(verdict_member(scan, "engine"));
	int status = CLI_OK;

	printf("\nlayers of the jail around the daemon's workers (%s):\n", engine != NULL ? engine : "?");
	for (int i = 0; i < SANDBOX_N_LAYERS; i++) {
		const struct sandbox_layer_info *info = sandbox_layer_info((enum sandbox_layer)i);
		const char *kind = info->mandatory ? "mandatory" : "optional";

		if (has_layer(json_object_get(scan, "layers"), info->name))
			printf("  %-14s active   %s\n", info->name, kind);
		else
			printf("  %-14s missing  %s; %s\n", info->name, kind, info->remedy);
		if (info->mandatory && !has_layer(json_object_get(scan, "layers"), info->name))
			status = CLI_INCOMPLETE;
	}
	return status;
}

static int check_daemon(const struct policy *policy, const char *socket_path)
{
	struct backend *b = NULL;
	json_t *verdict = NULL;
	_cleanup_(freep) char *safe = text_safe(socket_path);
	int status, layers;

	if (client_open(socket_path, NULL, policy, &b) < 0)
		return CLI_INCOMPLETE;
	printf("weighlock  %s\ndaemon     %s\n", WLK_VERSION, safe != NULL ? safe : "?");
	status = check_samples(b, &verdict);
	layers = show_daemon_layers(verdict);
	json_decref(verdict);
	b->ops->close(b);
	return status == CLI_OK ? layers : status;
}

/* ---- the command ---- */

/* Return: -1 to go on, else the exit status. */
static int options_parse(int argc, char **argv, const char **ret_socket)
{
	static const struct option options[] = {
		{ "socket", optional_argument, NULL, OPT_SOCKET },
		USAGE_LONG_OPTIONS,
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hV", options, NULL)) != -1) {
		if (option != OPT_SOCKET)
			return usage_option("doctor", option, options, ":hV", argv[optind - 1]);
		*ret_socket = socket_option(argv);
	}
	if (optind < argc)
		return usage_error("doctor", "unknown argument '%s'", argv[optind]);
	if (*ret_socket != NULL && ((*ret_socket)[0] == '\0' || strlen(*ret_socket) > CLIENT_SOCKET_PATH_MAX))
		return usage_error("doctor", "--socket: a path of 1 to %d bytes is needed", CLIENT_SOCKET_PATH_MAX);
	return -1;
}

int cmd_doctor(int argc, char **argv)
{
	const char *socket_path = NULL;
	struct policy *policy = NULL;
	int status = options_parse(argc, argv, &socket_path);

	if (status >= 0)
		return status;
	status = policy_find("default", &policy);
	if (status == CLI_OK)
		status = socket_path != NULL ? check_daemon(policy, socket_path) : check_here(policy);
	policy_free(policy);
	if (status != CLI_OK)
		printf("\nmodel files cannot be judged here\n");
	return output_finish(status);
}
