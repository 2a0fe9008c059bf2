/* bench_polyglots FILE SCANS ROUNDS: what the stage that looks for polyglots adds to a scan.  The whole engine over FILE,
 * SCANS times with the stage and SCANS times without, in turn, in one process.  One JSON object a round: seconds of
 * processor time for one scan of either kind.
 *
 * Without: the linker routes the engine's two calls of the stage through here (-Wl,--wrap), where they do nothing. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "polyglot.h"
#include "scan.h"

static bool with_stage;

enum wlk_status __real_polyglot_plan(struct polyglot *pg, struct pass *p, enum wlk_format_id host,
    const struct extents *extents, struct siphash_key seed);
enum wlk_status __wrap_polyglot_plan(struct polyglot *pg, struct pass *p, enum wlk_format_id host,
    const struct extents *extents, struct siphash_key seed);
enum wlk_status __real_polyglot_judge(struct polyglot *pg, struct source *src, struct report *r);
enum wlk_status __wrap_polyglot_judge(struct polyglot *pg, struct source *src, struct report *r);

enum wlk_status __wrap_polyglot_plan(struct polyglot *pg, struct pass *p, enum wlk_format_id host,
    const struct extents *extents, struct siphash_key seed)
{
	return with_stage ? __real_polyglot_plan(pg, p, host, extents, seed) : WLK_DONE;
}

enum wlk_status __wrap_polyglot_judge(struct polyglot *pg, struct source *src, struct report *r)
{
	return with_stage ? __real_polyglot_judge(pg, src, r) : WLK_DONE;
}

static int64_t read_file(void *ctx, uint64_t offset, void *buf, size_t n)
{
	return pread(*(const int *)ctx, buf, n, (off_t)offset);
}

static bool drop(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	(void)at;
	(void)n;
	return true;
}

static void scan(int fd, uint64_t size)
{
	struct wlk_input in = { .read = read_file, .ctx = &fd, .seed = { .k0 = 1, .k1 = 2 } };
	struct job job = { .size = size, .kind = SOURCE_IMMUTABLE, .limits = LIMITS_DEFAULT };
	static struct report report;

	report_init(&report, drop, NULL, NULL);
	if (wlk_scan(&in, &job, &report) != WLK_DONE) {
		fprintf(stderr, "bench_polyglots: the scan is not complete\n");
		exit(1);
	}
}

/* Return: seconds for one scan. */
static double time_scans(int fd, uint64_t size, long scans, bool stage)
{
	double start = cpu_seconds_now();

	with_stage = stage;
	for (long i = 0; i < scans; i++)
		scan(fd, size);
	return (cpu_seconds_now() - start) / (double)scans;
}

int main(int argc, char **argv)
{
	long scans, rounds;
	off_t size;
	int fd;

	if (argc != 4) {
		fprintf(stderr, "usage: bench_polyglots FILE SCANS ROUNDS\n");
		return 4;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	scans = strtol(argv[2], NULL, 10);
	rounds = strtol(argv[3], NULL, 10);
	if (fd < 0 || (size = lseek(fd, 0, SEEK_END)) < 0) {
		perror(argv[1]);
		return 1;
	}
	time_scans(fd, (uint64_t)size, 1, true); /* warms caches */
	for (long i = 0; i < rounds; i++) {
		double with = time_scans(fd, (uint64_t)size, scans, true);

		printf("{\"with\":%.9f,\"without\":%.9f}\n", with, time_scans(fd, (uint64_t)size, scans, false));
		fflush(stdout);
	}
	close(fd);
	return 0;
}
