/* bench_config FILE ROUNDS: microseconds of processor time to judge a configuration, and of them libyaml's own where it is YAML; one
 * JSON object a round.  JSON's is all of the reader: pinning, strict JSON, keys that come twice, and the judge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "clock.h"
#include "config_rules.h"
#include "format.h"
#include "json_file.h"
#include "memory_source.h"

#define REPEATS 200 /* longer than the clock's grain */

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "bench_config: %s\n", what);
	exit(1);
}

static bool count_report(void *ctx, const uint8_t *at, size_t n)
{
	(void)at;
	*(size_t *)ctx += n;
	return true;
}

static void judge(struct memory_file *f, const char *name)
{
	static struct report report;
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
		.extents = &extents,
		.id = WLK_FORMAT_JSON,
		.family = config_family_hint(name) };

	arena_init(&arena, layout_memory(&lim, 0));
	source_init(&src, memory_read, f, f->n, SOURCE_IMMUTABLE, &arena, f->n);
	l.part = part_of_file(&src);
	extents_init(&extents, &arena);
	report_init(&report, count_report, NULL, &reported);
	if (strstr(name, ".json") != NULL) {
		if (format_json.layout(&l) == WLK_INCOMPLETE)
			die("not judged");
	} else if (config_judge_yaml(&l, bytes_of(f->at, f->n), false) == WLK_INCOMPLETE) {
		die("not judged");
	}
	source_done(&src);
	arena_done(&arena);
}

static void parse(const struct memory_file *f)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool end = false;

	if (yaml_parser_initialize(&parser) == 0)
		die("out of memory");
	yaml_parser_set_input_string(&parser, f->at, f->n);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	while (!end && yaml_parser_parse(&parser, &event) != 0) {
		end = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
}

static uint8_t *load(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "rbe");
	uint8_t *at = malloc((size_t)16 << 20);

	if (f == NULL || at == NULL)
		die("cannot read the file");
	*ret_n = fread(at, 1, (size_t)16 << 20, f);
	fclose(f);
	return at;
}

int main(int argc, char **argv)
{
	struct memory_file f = { 0 };
	const char *name;
	uint8_t *text;

	if (argc != 3)
		die("usage: bench_config FILE ROUNDS");
	text = load(argv[1], &f.n);
	f.at = text;
	name = strrchr(argv[1], '/') != NULL ? strrchr(argv[1], '/') + 1 : argv[1];
	for (unsigned long i = 0; i < strtoul(argv[2], NULL, 10); i++) {
		double start = cpu_seconds_now(), took, theirs = 0;

		for (int k = 0; k < REPEATS; k++)
			judge(&f, name);
		took = cpu_seconds_now() - start;
		start = cpu_seconds_now();
		for (int k = 0; k < REPEATS && strstr(name, ".json") == NULL; k++)
			parse(&f);
		theirs = cpu_seconds_now() - start;
		printf("{\"all\":%.2f,\"libyaml\":%.2f}\n", took * 1e6 / REPEATS, theirs * 1e6 / REPEATS);
	}
	free(text);
	return 0;
}
