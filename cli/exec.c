/* weighlock exec: a program that can read files below a folder of models only in one folder of it, by Landlock.  Rules of Landlock
 * allow, and never except: so reading is allowed of everything that lies beside the way from / to the folder of models. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "commands.h"
#include "layers.h"

#define SHORT_OPTIONS ":hV"
#define ROOTS_MAX 16

enum { OPT_ONLY = 256, OPT_ROOT };

static const struct option long_options[] = {
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "root", required_argument, NULL, OPT_ROOT },
	USAGE_LONG_OPTIONS,
};

struct confined {
	const char *only, *roots[ROOTS_MAX];
	size_t n_roots;
	char real_only[PATH_MAX], real_roots[ROOTS_MAX][PATH_MAX];
	int ruleset;
};

/* ---- the command line ---- */

static int take_root(struct confined *c)
{
	if (c->n_roots == ROOTS_MAX)
		return usage_error("exec", "--root: at most %d times", ROOTS_MAX);
	c->roots[c->n_roots++] = optarg;
	return -1;
}

/* Return: -1 to go on, or the exit status. */
static int options_parse(int argc, char **argv, struct confined *c)
{
	int option, status = -1;

	opterr = 0;
	/* The plus: what follows the first word that is no option is the program's own. */
	while (status < 0 && (option = getopt_long(argc, argv, "+" SHORT_OPTIONS, long_options, NULL)) != -1) {
		switch (option) {
		case OPT_ONLY: c->only = optarg; break;
		case OPT_ROOT: status = take_root(c); break;
		default: return usage_option("exec", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		}
	}
	if (status >= 0)
		return status;
	if (c->only == NULL)
		return usage_error("exec", "--only: the folder that may be read is needed");
	if (optind == argc)
		return usage_error("exec", "no command given");
	return -1;
}

static bool folder_resolve(const char *path, char *ret)
{
	struct stat st;

	if (realpath(path, ret) != NULL && stat(ret, &st) == 0 && S_ISDIR(st.st_mode))
		return true;
	say("%s: %s", path, strerrordesc_np(errno != 0 ? errno : ENOTDIR));
	return false;
}

/* Without --root it is the folder around the one that may be read. */
static int folders_resolve(struct confined *c)
{
	errno = 0;
	if (!folder_resolve(c->only, c->real_only))
		return CLI_USAGE;
	for (size_t i = 0; i < c->n_roots; i++)
		if (!folder_resolve(c->roots[i], c->real_roots[i]))
			return CLI_USAGE;
	if (c->n_roots == 0) {
		char *root = c->real_roots[c->n_roots++];

		memcpy(root, c->real_only, sizeof(c->real_only));
		*strrchr(root, '/') = '\0';
	}
	for (size_t i = 0; i < c->n_roots; i++)
		if (strcmp(c->real_roots[i], "/") == 0 || c->real_roots[i][0] == '\0')
			return usage_error("exec", "--root: not /, for the program and its libraries are there");
	return CLI_OK;
}

/* ---- what may be read ---- */

/* Is @path one of the folders of models, or on the way to one? */
static bool is_withheld(const struct confined *c, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < c->n_roots; i++) {
		const char *root = c->real_roots[i];

		if (strncmp(root, path, n) == 0 && (root[n] == '\0' || root[n] == '/'))
			return true;
	}
	return false;
}

/* What cannot be asked about stays unreadable.  Storage is not asked: that of some mount beside the way may never answer. */
static int entry_allow(const struct confined *c, int folder, const char *name)
{
	_cleanup_(closep) int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statx st;
	int r;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0 || S_ISLNK(st.stx_mode))
		return 0;
	r = landlock_allow_reading(c->ruleset, fd);
	return r == -EBADFD || r == -EBADF ? 0 : r;
}

/* Everything in a folder that lies beside the way. */
static int beside_allow(const struct confined *c, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (dir == NULL) {
		say("%s cannot be listed (%s): what else is in it will not be readable", folder,
		    strerrordesc_np(errno));
		return 0;
	}
	while (r == 0 && (entry = readdir(dir)) != NULL) {
		char path[PATH_MAX + NAME_MAX + 2];

		(void)snprintf(path, sizeof(path), "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_withheld(c, path))
			r = entry_allow(c, dirfd(dir), entry->d_name);
	}
	(void)closedir(dir);
	return r;
}

/* Each folder on the way from / to a folder of models.  One of these inside another is nothing beside the way. */
static int way_allow(const struct confined *c, const char *root)
{
	char at[PATH_MAX];
	int r = 0;

	memcpy(at, root, sizeof(at));
	while (r == 0 && at[1] != '\0') {
		char *slash = strrchr(at, '/');
		bool inside = false;

		slash[slash == at] = '\0';
		for (size_t i = 0; i < c->n_roots; i++) {
			size_t n = strlen(c->real_roots[i]);

			inside |= strncmp(at, c->real_roots[i], n) == 0 && (at[n] == '\0' || at[n] == '/');
		}
		if (!inside)
			r = beside_allow(c, at);
	}
	return r;
}

static int all_allow(const struct confined *c)
{
	_cleanup_(closep) int only = open(c->real_only, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = only < 0 ? -errno : landlock_allow_reading(c->ruleset, only);

	for (size_t i = 0; i < c->n_roots && r == 0; i++)
		r = way_allow(c, c->real_roots[i]);
	return r;
}

static int confine(struct confined *c)
{
	int r;

	c->ruleset = landlock_reading_new();
	if (c->ruleset < 0)
		return c->ruleset;
	r = all_allow(c);
	if (r == 0)
		r = layer_no_new_privs();
	if (r == 0)
		r = landlock_apply(c->ruleset);
	(void)close(c->ruleset);
	return r;
}

int cmd_exec(int argc, char **argv)
{
	static struct confined c;
	int status = options_parse(argc, argv, &c);
	int r;

	if (status >= 0)
		return status;
	status = folders_resolve(&c);
	if (status != CLI_OK)
		return status;
	r = confine(&c);
	if (r < 0) {
		say("reading cannot be confined here: Landlock: %s", strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	(void)execvp(argv[optind], argv + optind);
	say("%s: %s", argv[optind], strerrordesc_np(errno));
	return CLI_INCOMPLETE;
}
