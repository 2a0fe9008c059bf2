/* Runs a fuzz target over files: folders named on the command line, every file in them once, in name order.
 * Prints one TAP line a folder; a crash or a failed property aborts the program, which meson counts. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

/* Corpora may hold folders, which are cases of other tests. */
static bool is_file(FILE *f)
{
	struct stat st;

	return fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode);
}

/* An exact-size block, so that the sanitizer sees a read one byte past it. */
static bool replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (f == NULL)
		return false;
	if (!is_file(f) || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0) {
		fclose(f);
		return false;
	}
	data = malloc(size > 0 ? (size_t)size : 1);
	if (data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size) {
		free(data);
		fclose(f);
		return false;
	}
	fclose(f);
	fuzz_one(data, (size_t)size);
	free(data);
	return true;
}

static int replay_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);
	int replayed = 0;

	for (int i = 0; i < n; i++) {
		char path[4096];

		if (names[i]->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) < (int)sizeof(path) &&
		    replay_file(path))
			replayed++;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return replayed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++) {
		int replayed = replay_folder(argv[i]);

		printf("%sok %d - %d inputs\n", replayed > 0 ? "" : "not ", i, replayed);
		fflush(stdout);
		failed |= replayed == 0;
	}
	return failed;
}
