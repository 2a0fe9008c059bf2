/* bench_client SOCKET FILE COUNT K PAUSE_US: POST a small file COUNT times, each on a connection of its own, K at a
 * time, each client pausing PAUSE_US after an answer.  Prints one JSON object: requests a second, and the latency from
 * connect to the end of the answer in microseconds, p50 and p99.  Any answer but 200 ends it with status 1.
 *
 * Knows just enough HTTP for that, so that the same bytes go to weighlockd and to bench_bare. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

#define REQUEST_MAX 12288 /* below what bench_bare takes in one read */
#define CLIENTS_MAX 64

struct load {
	struct sockaddr_un address;
	char request[REQUEST_MAX];
	size_t request_n;
	unsigned pause_us;
};

struct client {
	const struct load *load;
	pthread_t thread;
	double *latency; /* its slice */
	size_t n;
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

/* From connect to the end of the answer, in seconds. */
static double request_once(const struct load *l)
{
	char answer[32768];
	size_t got = 0;
	ssize_t n;
	double start = seconds_now();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&l->address, sizeof(l->address)) < 0)
		die("connect");
	if (write(fd, l->request, l->request_n) != (ssize_t)l->request_n)
		die("write");
	while ((n = read(fd, answer + got, sizeof(answer) - got)) > 0)
		got += (size_t)n;
	if (n < 0 || got < 12 || memcmp(answer, "HTTP/1.1 200", 12) != 0) {
		fprintf(stderr, "bench_client: not a verdict: %.*s\n", (int)got, answer);
		exit(1);
	}
	close(fd);
	return seconds_now() - start;
}

static void *client_run(void *arg)
{
	const struct client *c = arg;

	for (size_t i = 0; i < c->n; i++) {
		c->latency[i] = request_once(c->load);
		if (c->load->pause_us > 0)
			usleep(c->load->pause_us);
	}
	return NULL;
}

static void load_make(struct load *l, const char *socket_path, const char *file)
{
	char body[REQUEST_MAX];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, body, sizeof(body));
	int head;

	if (n < 0 || strlen(socket_path) >= sizeof(l->address.sun_path))
		die(file);
	close(fd);
	l->address.sun_family = AF_UNIX;
	memcpy(l->address.sun_path, socket_path, strlen(socket_path));
	head = snprintf(l->request, sizeof(l->request),
	    "POST /v1/scan?name=small.safetensors HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zd\r\n"
	    "Connection: close\r\n\r\n",
	    n);
	if (head < 0 || (size_t)n > sizeof(l->request) - (size_t)head) {
		fprintf(stderr, "bench_client: %s: too large\n", file);
		exit(1);
	}
	memcpy(l->request + head, body, (size_t)n);
	l->request_n = (size_t)head + (size_t)n;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run(const struct load *l, size_t count, size_t k)
{
	struct client clients[CLIENTS_MAX];
	double *latency = calloc(count, sizeof(*latency));
	double start = seconds_now(), took;

	if (latency == NULL)
		die("memory");
	for (size_t i = 0; i < k; i++) {
		size_t from = count * i / k;

		clients[i] = (struct client){ .load = l, .latency = latency + from, .n = count * (i + 1) / k - from };
		if (pthread_create(&clients[i].thread, NULL, client_run, &clients[i]) != 0)
			die("pthread_create");
	}
	for (size_t i = 0; i < k; i++)
		pthread_join(clients[i].thread, NULL);
	took = seconds_now() - start;
	qsort(latency, count, sizeof(*latency), ascending);
	printf("{\"per_second\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f}\n", (double)count / took,
	    latency[count / 2] * 1e6, latency[count * 99 / 100] * 1e6);
	free(latency);
}

int main(int argc, char **argv)
{
	static struct load load;
	size_t count = argc == 6 ? strtoul(argv[3], NULL, 10) : 0;
	size_t k = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;

	if (count < 1 || k < 1 || k > CLIENTS_MAX) {
		fprintf(stderr, "usage: bench_client SOCKET FILE COUNT K PAUSE_US\n");
		return 4;
	}
	load_make(&load, argv[1], argv[2]);
	load.pause_us = (unsigned)strtoul(argv[5], NULL, 10);
	run(&load, count, k);
	return 0;
}
