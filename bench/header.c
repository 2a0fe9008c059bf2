/* bench_header time TENSORS ordered|shuffled ROUNDS: nanoseconds of processor time a tensor of our safetensors
 * layout - pinning, strict JSON, duplicates, types, products, coverage - and of two JSON libraries that check
 * less, in turn, over one made header.  One JSON object a round.
 *
 * bench_header memory TENSORS ours|jansson: peak resident bytes above the header's own, of one parse.
 *
 * What favours the peers: our time includes copying the header and giving all memory back, theirs neither. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "clock.h"
#include "format.h"
#include "header_simdjson.h"
#include "memory_source.h"
#include "safetensors.h"

#define PREFIX 8u
#define ENTRY_MAX 96        /* bytes of text of one entry, at most */
#define TENSOR_BYTES 16u    /* BF16, 2 x 4 */
#define ROUND_TENSORS 20000 /* small headers are parsed over and over, to be longer than the clock's grain */

struct file {
	char *at; /* prefix, header, HEADER_PADDING bytes */
	size_t n; /* prefix and header */
	uint64_t tensors;
};

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench_header: %s\n", what);
	exit(1);
}

/* Position of entry i in the buffer: itself, or a fixed permutation (a multiplication modulo n by a number prime to
 * it). */
static uint64_t place(uint64_t i, uint64_t n, bool shuffled)
{
	uint64_t step = 7919;

	while (n % step == 0)
		step += 2;
	return shuffled ? i * step % n : i;
}

static struct file make_header(uint64_t tensors, bool shuffled)
{
	struct file f = { .tensors = tensors };

	f.at = calloc(1, (size_t)tensors * ENTRY_MAX + PREFIX + HEADER_PADDING + 8);
	if (f.at == NULL)
		die("out of memory");
	f.n = PREFIX;
	for (uint64_t i = 0; i < tensors; i++) {
		uint64_t begin = place(i, tensors, shuffled) * TENSOR_BYTES;

		f.n += (size_t)snprintf(f.at + f.n, ENTRY_MAX,
		    "%c\"h.%06llu.w\":{\"dtype\":\"BF16\",\"shape\":[2,4],\"data_offsets\":[%llu,%llu]}",
		    i == 0 ? '{' : ',', (unsigned long long)i, (unsigned long long)begin,
		    (unsigned long long)(begin + TENSOR_BYTES));
	}
	f.at[f.n++] = '}';
	store_u64le((uint8_t *)f.at, f.n - PREFIX);
	return f;
}

/* ---- the parsers ---- */

static bool count_report(void *ctx, const uint8_t *at, size_t n)
{
	(void)at;
	*(size_t *)ctx += n;
	return true;
}

static void parse_ours(const struct file *f)
{
	static struct report report;
	struct memory_file file = { .at = (const uint8_t *)f->at, .n = f->n };
	const struct limits lim = LIMITS_DEFAULT;
	struct arena arena;
	struct source src;
	struct extents extents;
	size_t reported = 0;
	struct layout l = { .src = &src,
		.lim = &lim,
		.seed = { .k0 = 7, .k1 = 11 },
		.arena = &arena,
		.report = &report,
		.extents = &extents };

	arena_init(&arena, layout_memory(&lim, 0));
	source_init(&src, memory_read, &file, f->n + f->tensors * TENSOR_BYTES, SOURCE_IMMUTABLE, &arena, PREFIX);
	l.part = part_of_file(&src);
	extents_init(&extents, &arena);
	report_init(&report, count_report, NULL, &reported);
	if (format_safetensors.layout(&l) != WLK_DONE || extents.n != f->tensors)
		die("our own layout refuses the header");
	source_done(&src);
	arena_done(&arena);
}

static json_t *load_jansson(const struct file *f)
{
	json_t *tree = json_loadb(f->at + PREFIX, f->n - PREFIX, JSON_REJECT_DUPLICATES, NULL);

	if (json_object_size(tree) != f->tensors)
		die("jansson refuses the header");
	return tree;
}

/* ---- time ---- */

static double time_ours(const struct file *f, int repeats)
{
	double start = cpu_seconds_now();

	for (int i = 0; i < repeats; i++)
		parse_ours(f);
	return cpu_seconds_now() - start;
}

static double time_jansson(const struct file *f, int repeats)
{
	double took = 0;

	for (int i = 0; i < repeats; i++) {
		double start = cpu_seconds_now();
		json_t *tree = load_jansson(f);

		took += cpu_seconds_now() - start;
		json_decref(tree);
	}
	return took;
}

static double time_simdjson(const struct file *f, int repeats)
{
#ifdef HAVE_SIMDJSON
	double start = cpu_seconds_now();

	for (int i = 0; i < repeats; i++)
		if (header_simdjson(f->at + PREFIX, f->n - PREFIX) != (int64_t)f->tensors)
			return 0;
	return cpu_seconds_now() - start;
#else
	(void)f;
	(void)repeats;
	return 0;
#endif
}

static void time_rounds(const struct file *f, int rounds)
{
	int repeats = f->tensors < ROUND_TENSORS ? (int)(ROUND_TENSORS / f->tensors) : 1;
	double to_ns = 1e9 / ((double)repeats * (double)f->tensors);

	for (int i = 0; i < rounds; i++) {
		double ours = time_ours(f, repeats), jansson = time_jansson(f, repeats);
		double simdjson = time_simdjson(f, repeats);

		printf("{\"ours\":%.2f,\"jansson\":%.2f,\"simdjson\":%.2f}\n", ours * to_ns, jansson * to_ns,
		    simdjson * to_ns);
		fflush(stdout);
	}
}

/* ---- memory ---- */

/* The kernel's high-water mark, in KiB; and how to set it back to what is resident now. */
static long peak_kib(void)
{
	char line[128];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f == NULL || kib < 0)
		die("no /proc/self/status");
	fclose(f);
	return kib;
}

static void peak_reset(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "we");

	if (f == NULL || fputs("5\n", f) < 0 || fclose(f) != 0)
		die("no /proc/self/clear_refs");
}

static void measure_memory(const struct file *f, bool ours)
{
	size_t kept = ours ? f->n : 0; /* our pinned copy of the header; jansson reads ours in place */
	long before;

	peak_reset();
	before = peak_kib();
	if (ours)
		parse_ours(f);
	else
		json_decref(load_jansson(f));
	printf("{\"extra_bytes\":%lld,\"header_bytes\":%zu}\n",
	    (long long)(peak_kib() - before) * 1024 - (long long)kept, f->n - PREFIX);
}

int main(int argc, char **argv)
{
	bool time = argc == 5 && strcmp(argv[1], "time") == 0;
	bool memory = argc == 4 && strcmp(argv[1], "memory") == 0;
	uint64_t tensors = time || memory ? strtoull(argv[2], NULL, 10) : 0;
	struct file f;

	if (tensors < 1 || tensors > 1000000) {
		fprintf(stderr, "usage: bench_header time TENSORS ordered|shuffled ROUNDS\n"
				"       bench_header memory TENSORS ours|jansson\n");
		return 4;
	}
	f = make_header(tensors, time && strcmp(argv[3], "shuffled") == 0);
	if (time)
		time_rounds(&f, (int)strtol(argv[4], NULL, 10));
	else
		measure_memory(&f, strcmp(argv[3], "ours") == 0);
	free(f.at);
	return 0;
}
