/* The floors that small files are held against: what the kernel alone charges for a fresh process a file.
 *
 * bench_bare fork COUNT K    fork, _exit, wait COUNT times with K children alive; prints forks a second
 * bench_bare serve SOCKET    accept, read a request, fork, the child exits, wait, reply, close; until SIGTERM
 *
 * A fork costs by page tables, so the program loads what the zygote loads. */
#include <magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "clock.h"

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Return: what keeps it that large. */
static magic_t become_as_large_as_a_zygote(void)
{
	uint8_t digest[32];
	magic_t magic = magic_open(MAGIC_MIME_TYPE);

	if (magic == NULL || magic_load(magic, NULL) < 0)
		die("libmagic");
	if (magic_buffer(magic, "\x7f", 1) == NULL || EVP_Digest("", 0, digest, NULL, EVP_sha256(), NULL) != 1)
		die("warm-up");
	return magic;
}

static void start_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0)
		_exit(0);
}

static void wait_child(void)
{
	int status;

	if (wait(&status) < 0 || status != 0)
		die("wait");
}

static void fork_loop(long count, long k)
{
	long started = 0, ended = 0;
	double start = seconds_now();

	while (ended < count) {
		while (started < count && started - ended < k) {
			start_child();
			started++;
		}
		wait_child();
		ended++;
	}
	printf("{\"per_second\":%.1f}\n", (double)count / (seconds_now() - start));
}

/* ---- the socket ---- */

static int listen_on(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(a.sun_path))
		die(path);
	memcpy(a.sun_path, path, strlen(path));
	if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 64) < 0)
		die(path);
	return fd;
}

static void serve_one(int fd)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
	char request[16384]; /* all of a small request at once */

	if (read(fd, request, sizeof(request)) > 0) {
		start_child();
		wait_child();
		if (write(fd, reply, sizeof(reply) - 1) < 0)
			perror("write");
	}
	close(fd);
}

static _Noreturn void serve(const char *path)
{
	int listener = listen_on(path);

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept");
		serve_one(fd);
	}
}

int main(int argc, char **argv)
{
	bool forking = argc == 4 && strcmp(argv[1], "fork") == 0;
	bool serving = argc == 3 && strcmp(argv[1], "serve") == 0;
	magic_t magic;

	if (!forking && !serving) {
		fprintf(stderr, "usage: bench_bare fork COUNT K | serve SOCKET\n");
		return 4;
	}
	signal(SIGPIPE, SIG_IGN);
	magic = become_as_large_as_a_zygote();
	if (serving)
		serve(argv[2]);
	fork_loop(strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
	magic_close(magic);
	return 0;
}
