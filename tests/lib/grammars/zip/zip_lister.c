/* What the ZIP reader makes of files: a line of JSON for each path on standard input.  For tests that compare it with
 * other readers over thousands of variants, which need no jail and no verdict.
 *
 *	zip_lister plain|torch|npz < paths */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "memory.h"
#include "zip.h"

#define BUDGET ((size_t)48 << 20)
#define PIN_BUDGET ((uint64_t)16 << 20)
#define PATH_BYTES 4096

static uint64_t take_crc(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	uint32_t *crc = ctx;

	*crc = (uint32_t)crc32(*crc, at, (uInt)n);
	return offset + n;
}

/* What the pass would do. */
static void pass_member(struct member *m, struct arena *a)
{
	m->end = stream_preview(&m->stream, a, (struct feeder){ take_crc, &m->crc }, &m->state);
	m->passed = true;
}

static void pass_members(const struct zip *z)
{
	for (size_t i = 0; i < z->n; i++)
		if (z->entries[i].member != NULL)
			pass_member(z->entries[i].member, z->o.arena);
	zip_finish(z);
}

static void print_hex(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		printf("%02x", b.at[i]);
}

static void print_members(const struct zip *z)
{
	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];

		printf("%s[\"", i > 0 ? "," : "");
		print_hex(e->name);
		printf("\",%llu,%llu,%llu]", (unsigned long long)e->data, (unsigned long long)e->coded,
		    (unsigned long long)(e->member != NULL ? e->member->crc : 0));
	}
}

static void print_codes(const struct report *r)
{
	bool first = true;

	for (int code = 0; code < WLK_N_FINDINGS; code++) {
		const struct finding_info *info = finding_info((enum wlk_finding)code);

		if (r->per_code[code] == 0)
			continue;
		printf("%s[\"%s\",%d]", first ? "" : ",", info->code, (int)info->severity);
		first = false;
	}
}

static void list(struct mem_file *file, enum zip_profile profile)
{
	static struct report report;
	const struct limits lim = LIMITS_DEFAULT;
	struct mem_report sent = { 0 };
	struct arena arena;
	struct source src;
	struct extents extents;
	struct part part;
	struct zip z = { 0 };
	enum wlk_status status;

	arena_init(&arena, BUDGET);
	source_init(&src, mem_read, file, file->size, SOURCE_IMMUTABLE, &arena, PIN_BUDGET);
	extents_init(&extents, &arena);
	report_init(&report, mem_write, NULL, &sent);
	part = part_of_file(&src);
	status = zip_read(&z, &part,
	    &(struct zip_options){ .profile = profile,
		.lim = &lim,
		.seed = { 1, 2 },
		.arena = &arena,
		.report = &report,
		.extents = &extents });
	if (status == WLK_DONE)
		pass_members(&z);
	printf("{\"status\":%d,\"sound\":%s,\"codes\":[", (int)status, z.sound ? "true" : "false");
	print_codes(&report);
	printf("],\"members\":[");
	if (status == WLK_DONE)
		print_members(&z);
	printf("]}\n");
	source_done(&src);
	arena_done(&arena);
	free(sent.at);
}

static bool load(const char *path, struct mem_file *ret)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		return false;
	size = ftell(f);
	rewind(f);
	*ret = (struct mem_file){ .at = malloc((size_t)size + 1), .size = (uint64_t)size };
	if (fread(ret->at, 1, (size_t)size, f) != (size_t)size)
		return false;
	fclose(f);
	return true;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "plain";
	enum zip_profile profile = strcmp(name, "torch") == 0 ? ZIP_TORCH
				   : strcmp(name, "npz") == 0 ? ZIP_NPZ
							      : ZIP_PLAIN;
	char path[PATH_BYTES];

	while (fgets(path, sizeof(path), stdin) != NULL) {
		struct mem_file file;

		path[strcspn(path, "\n")] = '\0';
		if (!load(path, &file)) {
			fprintf(stderr, "cannot read %s\n", path);
			return 1;
		}
		list(&file, profile);
		free(file.at);
	}
	return 0;
}
