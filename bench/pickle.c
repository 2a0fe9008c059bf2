/* bench_pickle FILE ROUNDS: nanoseconds of processor time an opcode of the pickle machine over the file, from memory, in
 * pieces as large as a stream's window.  One JSON object a round. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "pickle.h"
#include "stream.h"

#define ROUND_OPCODES 2000000 /* a small file is walked over and over, to be longer than the clock's grain */

struct file {
	uint8_t *at;
	size_t n;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench_pickle: %s\n", what);
	exit(1);
}

static struct file read_file(const char *path)
{
	FILE *in = fopen(path, "rbe");
	struct file f = { 0 };
	long n;

	if (in == NULL || fseek(in, 0, SEEK_END) != 0 || (n = ftell(in)) <= 0)
		die(path);
	rewind(in);
	f.n = (size_t)n;
	f.at = malloc(f.n);
	if (f.at == NULL || fread(f.at, 1, f.n, in) != f.n)
		die(path);
	fclose(in);
	return f;
}

/* A client that looks at every event, as a judge would. */
static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	*(uint64_t *)ctx += pickle_inert(p, e->args);
}

/* Opcodes executed; a fresh machine, as for every file. */
static uint64_t walk(const struct file *f)
{
	uint64_t inert = 0, opcodes, at = 0;
	struct pickle_options o = { .size = f->n, .opcodes_max = UINT64_MAX, .event = see, .ctx = &inert };
	struct arena arena;
	struct pickle *p;

	arena_init(&arena, SIZE_MAX);
	p = pickle_new(&arena, &o);
	if (p == NULL)
		die("out of memory");
	pickle_begin(p, 0);
	while (at < f->n) {
		size_t piece = f->n - (size_t)at < STREAM_WINDOW ? f->n - (size_t)at : STREAM_WINDOW;

		at = pickle_feed(p, f->at + at, piece, at);
	}
	if (pickle_finish(p) != PICKLE_STOPPED)
		die("the machine does not reach STOP");
	opcodes = pickle_opcodes(p);
	arena_done(&arena);
	return opcodes;
}

static void time_round(const struct file *f)
{
	double start = cpu_seconds_now();
	uint64_t opcodes = 0, per_walk = 0;
	unsigned walks = 0;

	while (opcodes < ROUND_OPCODES) {
		per_walk = walk(f);
		opcodes += per_walk;
		walks++;
	}
	printf("{\"opcodes\":%llu,\"walks\":%u,\"seconds\":%.9f}\n", (unsigned long long)per_walk, walks,
	    cpu_seconds_now() - start);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct file f;

	if (argc != 3) {
		fprintf(stderr, "usage: bench_pickle FILE ROUNDS\n");
		return 4;
	}
	f = read_file(argv[1]);
	for (long i = strtol(argv[2], NULL, 10); i > 0; i--)
		time_round(&f);
	free(f.at);
	return 0;
}
