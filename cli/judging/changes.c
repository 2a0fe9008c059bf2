/* See changes.h. */
#include "changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"

#define OID_MAX 80 /* SHA-256 in hex, and what ends it */
#define ENVIRONMENT_MAX 4096

extern char **environ;

struct changes {
	char *text;
	const char **names; /* sorted by their bytes */
	size_t n;
};

/* ---- the environment of the child ---- */

/* Beside what the arguments say: what replaces or grafts commits stays unread, nothing is fetched for a partial clone, and
 * nothing asks. */
static const char *const settings[] = { "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
	"GIT_PAGER=cat" };
#define N_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* The caller's own, but for what would name another repository than the one around the folder. */
static bool is_passed_on(const char *entry)
{
	return strncmp(entry, "GIT_", 4) != 0 || strncmp(entry, "GIT_CONFIG", 10) == 0;
}

/* @work_tree: GIT_WORK_TREE=...: the repository's configuration cannot say where its files are. */
static void environment_make(const char *work_tree, const char *env[ENVIRONMENT_MAX])
{
	size_t n = 0;

	for (char **e = environ; *e != NULL && n < ENVIRONMENT_MAX - N_SETTINGS - 2; e++)
		if (is_passed_on(*e))
			env[n++] = *e;
	for (size_t i = 0; i < N_SETTINGS; i++)
		env[n++] = settings[i];
	env[n++] = work_tree;
	env[n] = NULL;
}

/* GIT_WORK_TREE= and the innermost folder around @folder that holds .git.  malloc()ed; NULL: there is none, or no memory. */
static char *work_tree_of(const char *folder)
{
	_cleanup_(freep) char *top = realpath(folder, NULL);
	struct stat st;
	char *text;

	while (top != NULL && top[0] != '\0') {
		_cleanup_(freep) char *git = NULL;

		if (asprintf(&git, "%s/.git", top) < 0) {
			git = NULL;
			return NULL;
		}
		if (lstat(git, &st) == 0)
			return asprintf(&text, "GIT_WORK_TREE=%s", top) < 0 ? NULL : text;
		*strrchr(top, '/') = '\0';
	}
	return NULL;
}

/* ---- the child ---- */

#define FIXED_ARGUMENTS 14
#define ARGUMENTS_MAX 16

struct git {
	const char *folder;
	const char *env[ENVIRONMENT_MAX];
};

/* As execve(2) wants them, which changes none. */
static char *const *words_of(const char *const *words)
{
	union {
		const char *const *ours;
		char *const *theirs;
	} same = { .ours = words };

	return same.theirs;
}

static int start(const struct git *g, const char *const *arguments, int out, pid_t *ret)
{
	const char *argv[FIXED_ARGUMENTS + ARGUMENTS_MAX + 1] = { "git", "--no-pager", "-C", g->folder, "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.commitGraph=false", "-c",
		"core.sshCommand=false", "-c", "diff.external=false" };
	posix_spawn_file_actions_t files;
	int r;

	for (size_t i = 0; i < ARGUMENTS_MAX && arguments[i] != NULL; i++)
		argv[FIXED_ARGUMENTS + i] = arguments[i];
	r = posix_spawn_file_actions_init(&files);
	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&files, out, 1);
	if (r == 0)
		r = posix_spawnp(ret, "git", &files, NULL, words_of(argv), words_of(g->env));
	(void)posix_spawn_file_actions_destroy(&files);
	return -r;
}

/* All that it says, and a NUL.  Return: 0 or negative errno. */
static int read_whole(int fd, char **ret, size_t *ret_n)
{
	size_t room = 1 << 16, n = 0;
	char *text = malloc(room);
	int r = 0;

	while (text != NULL) {
		ssize_t got = read(fd, text + n, room - n - 1);
		char *bigger;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			r = -errno;
		if (got <= 0 || (n += (size_t)got) > CHANGES_MAX)
			break;
		if (n + 1 < room)
			continue;
		room *= 2;
		bigger = realloc(text, room);
		if (bigger == NULL)
			free(text);
		text = bigger;
	}
	if (text == NULL)
		return -ENOMEM;
	text[n < room ? n : room - 1] = '\0';
	*ret = text;
	*ret_n = n;
	return n > CHANGES_MAX ? -EFBIG : r;
}

/* What it says, by its standard output, where it ends well.  Its complaints go to ours. */
static int ask(const struct git *g, const char *const *arguments, char **ret, size_t *ret_n)
{
	_cleanup_(closep) int out = -1, in = -1;
	int ends[2], status = -1, r; /* -1: of nobody whose end was seen */
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	in = ends[0];
	out = ends[1];
	r = start(g, arguments, out, &child);
	if (r < 0)
		return r;
	closep(&out);
	out = -1;
	r = read_whole(in, ret, ret_n);
	closep(&in);
	in = -1;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (r == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		r = -ENOENT;
	if (r == 0)
		return 0;
	free(*ret);
	*ret = NULL;
	return r;
}

/* One object's name, in hex. */
static int ask_oid(const struct git *g, const char *const *arguments, char ret[OID_MAX])
{
	_cleanup_(freep) char *text = NULL;
	size_t n = 0;
	int r = ask(g, arguments, &text, &n);

	if (r < 0)
		return r;
	n = strcspn(text, "\n");
	if (n < 40 || n >= OID_MAX || strspn(text, "0123456789abcdef") != n)
		return -ENOENT;
	memcpy(ret, text, n);
	ret[n] = '\0';
	return 0;
}

/* ---- what it says ---- */

static int name_compare(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

/* Takes @text: @n bytes of names, each ended by NUL. */
static int names_of(char *text, size_t n, struct changes **ret)
{
	struct changes *c = calloc(1, sizeof(*c));
	size_t n_names = 0;

	for (size_t i = 0; i < n; i++)
		n_names += text[i] == '\0';
	if (c != NULL)
		c->names = calloc(n_names + 1, sizeof(c->names[0]));
	if (c == NULL || c->names == NULL) {
		free(text);
		free(c);
		return -ENOMEM;
	}
	c->text = text;
	for (const char *name = text; c->n < n_names; name += strlen(name) + 1)
		c->names[c->n++] = name;
	if (c->n > 1)
		qsort(c->names, c->n, sizeof(c->names[0]), name_compare);
	*ret = c;
	return 0;
}

/* Told: which step it was says more than the errno. */
static int refuse(const char *folder, const char *what, const char *ref, int r)
{
	if (r == -ENOENT)
		say("--base: %s: %s%s%s", folder, what, ref != NULL ? " " : "", ref != NULL ? ref : "");
	else
		say("--base: git cannot be asked about %s: %s", folder, strerror(-r));
	return r;
}

static int compare(const struct git *g, const char *ref, struct changes **ret)
{
	char commit[OID_MAX], head[OID_MAX], from[OID_MAX], *text = NULL;
	_cleanup_(freep) char *name = NULL;
	size_t n = 0;
	int r;

	if (asprintf(&name, "%s^{commit}", ref) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	r = ask_oid(
	    g, (const char *const[]){ "rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL }, commit);
	if (r < 0)
		return refuse(g->folder, "there is no commit", ref, r);
	r = ask_oid(g, (const char *const[]){ "rev-parse", "--verify", "--quiet", "HEAD^{commit}", NULL }, head);
	if (r < 0)
		return refuse(g->folder, "there is no commit HEAD", NULL, r);
	r = ask_oid(g, (const char *const[]){ "merge-base", commit, head, NULL }, from);
	if (r < 0)
		return refuse(g->folder, "HEAD has no commit in common (in a shallow clone?) with", ref, r);
	r = ask(g,
	    (const char *const[]){ "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--relative",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--diff-filter=d", from, head, NULL },
	    &text, &n);
	if (r < 0)
		return refuse(g->folder, "git diff-tree failed", NULL, r);
	return names_of(text, n, ret);
}

int changes_since(const char *folder, const char *ref, struct changes **ret)
{
	_cleanup_(freep) char *work_tree = work_tree_of(folder);
	struct git g = { .folder = folder };

	if (work_tree == NULL)
		return refuse(folder, "lies in no Git repository", NULL, -ENOENT);
	environment_make(work_tree, g.env);
	(void)signal(SIGCHLD, SIG_DFL); /* who has it ignored is not told how a child ended */
	return compare(&g, ref, ret);
}

void changes_free(struct changes *c)
{
	if (c == NULL)
		return;
	free(c->names);
	free(c->text);
	free(c);
}

/* The first name that is not before @path, n bytes. */
static const char *name_from(const struct changes *c, const char *path, size_t n)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strncmp(c->names[middle], path, n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->n && strncmp(c->names[low], path, n) == 0 ? c->names[low] : NULL;
}

static bool has_name(const struct changes *c, const char *path, size_t n)
{
	const char *name = name_from(c, path, n);

	return name != NULL && name[n] == '\0';
}

bool changes_have(const struct changes *c, const char *path, bool folder)
{
	char below[PATH_MAX];
	int n = snprintf(below, sizeof(below), "%s/", path);

	/* What is too long to be asked about is judged. */
	if (n < 0 || (size_t)n >= sizeof(below))
		return true;
	for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
		if (has_name(c, path, (size_t)(slash - path)))
			return true;
	return has_name(c, path, strlen(path)) || (folder && name_from(c, below, (size_t)n) != NULL);
}
