/* See walk.h.  Folders are opened with O_NOFOLLOW from their parent's descriptor, so a walk cannot be led out
 * of the given path or into a loop by somebody who changes the tree meanwhile. */
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "changes.h"
#include "cleanup.h"
#include "cli.h"
#include "glob.h"
#include "hex.h"
#include "ignore.h"
#include "oci_layout.h"
#include "spool.h"

/* A file may be a named pipe or a device by the time it is opened: never wait for it, never make it our
 * terminal. */
#define OPEN_FILE (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define OPEN_FOLDER (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECTORY)
#define FD_PATH_MAX 32 /* "/proc/self/fd/2147483647" */

#define TROUBLE_LINK "the link leads to no regular file inside the given path"

/* A folder being listed. */
struct level {
	int fd;
	char **names; /* sorted; each owned until it is passed */
	size_t n, next;
	size_t held;            /* bytes of names */
	size_t path_len;        /* of walk.path, up to this folder */
	struct oci_layout *oci; /* owned; NULL: it is none */
};

struct walk {
	char *const *paths;
	size_t n_paths, next_path;
	char *path; /* of the entry at hand */
	size_t path_room;
	size_t member_at;     /* in path: what comes after the given folder; 0: a file was given */
	char root[PATH_MAX];  /* real path of the given folder */
	char blobs[PATH_MAX]; /* of the Hub cache around it; "" if there is none */
	size_t held;          /* bytes of names, all levels */
	size_t depth;
	size_t names_given; /* to the blob at hand */
	struct walk_filter filter;
	struct walk_left_out left_out;
	bool counts; /* only sizes are wanted */
	struct level levels[WALK_DEPTH_MAX];
};

void input_done(struct input *in)
{
	free(in->name);
	closep(&in->fd);
	*in = (struct input){ .fd = -1 };
}

/* What strerror() says, for as long as the program runs: the walk has one thread, but its results are kept.
 */
static const char *trouble_text(int error)
{
	switch (error) {
	case ELOOP: return "a link, or part of a loop of links";
	case ENXIO: return "a socket, or a pipe without a reader";
	default: break;
	}
	return strerrordesc_np(error) != NULL ? strerrordesc_np(error) : "unknown error";
}

static const char *kind_text(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO: return "a named pipe, not a regular file";
	case S_IFSOCK: return "a socket, not a regular file";
	case S_IFCHR: return "a character device, not a regular file";
	case S_IFBLK: return "a block device, not a regular file";
	case S_IFDIR: return "a folder, not a regular file";
	case S_IFLNK: return TROUBLE_LINK;
	default: return "not a regular file";
	}
}

/* ---- one input ---- */

/* All but what it is.  Return: false without memory. */
static bool input_begin(const struct walk *w, struct input *ret)
{
	*ret = (struct input){ .name = strdup(w->path), .fd = -1, .source = VERDICT_FILE, .path = w->next_path - 1 };
	if (w->member_at > 0 && strlen(w->path) > w->member_at)
		ret->member_at = w->member_at;
	return ret->name != NULL;
}

static int input_not(const struct walk *w, const char *trouble, enum set_member_state state, struct input *ret)
{
	bool good = input_begin(w, ret);

	ret->trouble = trouble;
	ret->state = state;
	return good ? 1 : -ENOMEM;
}

static int input_trouble(const struct walk *w, const char *trouble, struct input *ret)
{
	return input_not(w, trouble, SET_MEMBER_UNREADABLE, ret);
}

static int input_special(const struct walk *w, mode_t mode, struct input *ret)
{
	return input_not(w, kind_text(mode), SET_MEMBER_SPECIAL, ret);
}

/* Takes @fd, which may be a negative errno.  What it is, is asked of the open descriptor. */
static int input_open(const struct walk *w, int fd, struct input *ret)
{
	_cleanup_(closep) int owned = fd;
	struct stat st;

	if (fd < 0)
		return input_trouble(w, trouble_text(-fd), ret);
	if (fstat(fd, &st) < 0)
		return input_trouble(w, trouble_text(errno), ret);
	if (!S_ISREG(st.st_mode))
		return input_special(w, st.st_mode, ret);
	if (!input_begin(w, ret))
		return -ENOMEM;
	ret->size = (uint64_t)st.st_size;
	ret->fd = steal_fd(&owned);
	return 1;
}

/* Of a link, what it leads to, wherever that is. */
static int input_count(int folder, const char *name, const struct stat *st, struct input *ret)
{
	struct stat to;

	*ret = (struct input){ .fd = -1 };
	if (S_ISLNK(st->st_mode) && fstatat(folder, name, &to, 0) == 0)
		st = &to;
	if (S_ISREG(st->st_mode))
		ret->size = (uint64_t)st->st_size;
	return 1;
}

static int input_stdin(const struct walk *w, struct input *ret)
{
	int r = input_trouble(w, NULL, ret);

	if (r < 0)
		return r;
	r = spool_stdin(ret);
	if (r == -EINTR || r == -ENOMEM) {
		input_done(ret);
		return r;
	}
	if (r < 0)
		ret->trouble = trouble_text(-r);
	return 1;
}

/* ---- paths ---- */

/* w->path = its first @n bytes, then @name.  Return: 0 or -ENOMEM. */
static int path_set(struct walk *w, size_t n, const char *name)
{
	size_t name_n = strlen(name);
	bool slash = n > 0 && w->path[n - 1] != '/';
	size_t need = n + slash + name_n + 1;

	if (need > w->path_room) {
		char *bigger = realloc(w->path, need * 2);

		if (bigger == NULL)
			return -ENOMEM;
		w->path = bigger;
		w->path_room = need * 2;
	}
	if (slash)
		w->path[n++] = '/';
	memcpy(w->path + n, name, name_n + 1);
	return 0;
}

static void fd_path(int fd, char buf[FD_PATH_MAX])
{
	(void)snprintf(buf, FD_PATH_MAX, "/proc/self/fd/%d", fd);
}

/* Where an open descriptor really is.  Return: false without /proc or beyond PATH_MAX. */
static bool real_path(int fd, char buf[PATH_MAX])
{
	char link[FD_PATH_MAX];
	ssize_t n;

	fd_path(fd, link);
	n = readlink(link, buf, PATH_MAX);
	if (n <= 0 || n >= PATH_MAX || buf[0] != '/')
		n = 0;
	buf[n] = '\0';
	return n > 0;
}

/* Is @path below @folder?  Both real.  @direct: and not in a subfolder. */
static bool path_below(const char *path, const char *folder, bool direct)
{
	size_t n = strlen(folder);

	if (n == 0 || strncmp(path, folder, n) != 0)
		return false;
	if (folder[n - 1] != '/' && path[n++] != '/')
		return false;
	return path[n] != '\0' && (!direct || strchr(path + n, '/') == NULL);
}

static bool folder_is(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);

	return fd >= 0;
}

/* Fill w->blobs with @hub/blobs if @hub (n bytes of a real path) looks like a Hub cache. */
static bool hub_is(struct walk *w, const char *hub, size_t n)
{
	char snapshots[PATH_MAX];
	size_t base = n;

	while (base > 0 && hub[base - 1] != '/')
		base--;
	if (strncmp(hub + base, "models--", strlen("models--")) != 0 || n > PATH_MAX - sizeof("/snapshots"))
		return false;
	(void)snprintf(snapshots, sizeof(snapshots), "%.*s/snapshots", (int)n, hub);
	(void)snprintf(w->blobs, sizeof(w->blobs), "%.*s/blobs", (int)n, hub);
	return folder_is(snapshots) && folder_is(w->blobs);
}

/* A Hub cache is models--org--name/{blobs,snapshots,refs}; a snapshot is a folder of links into blobs.  Looks
 * at the given folder and what it lies in, innermost first. */
static void hub_find(struct walk *w)
{
	for (size_t n = strlen(w->root); n > 1; n--) {
		if ((w->root[n] == '/' || w->root[n] == '\0') && hub_is(w, w->root, n))
			return;
	}
	w->blobs[0] = '\0';
}

/* ---- folders ---- */

static void level_done(struct walk *w)
{
	struct level *l = &w->levels[--w->depth];

	for (size_t i = l->next; i < l->n; i++)
		free(l->names[i]);
	free(l->names);
	closep(&l->fd);
	oci_layout_free(l->oci);
	w->held -= l->held;
}

static int name_compare(const void *a, const void *b)
{
	char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

static int level_add(struct walk *w, struct level *l, const char *name, size_t *room)
{
	size_t cost = strlen(name) + 1 + sizeof(char *);

	if (cost > WALK_NAMES_MAX - w->held)
		return -E2BIG;
	if (l->n == *room) {
		size_t more = *room == 0 ? 64 : *room * 2;
		char **bigger = reallocarray(l->names, more, sizeof(char *));

		if (bigger == NULL)
			return -ENOMEM;
		l->names = bigger;
		*room = more;
	}
	l->names[l->n] = strdup(name);
	if (l->names[l->n] == NULL)
		return -ENOMEM;
	l->n++;
	l->held += cost;
	w->held += cost;
	return 0;
}

static bool name_is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* All names, sorted.  Return: 0 or negative errno. */
static int level_read(struct walk *w, struct level *l, DIR *dir)
{
	const struct dirent *entry;
	size_t room = 0;
	int r = 0;

	while (r == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		if (!name_is_dots(entry->d_name))
			r = level_add(w, l, entry->d_name, &room);
	}
	if (r == 0 && entry == NULL && errno != 0)
		r = -errno;
	if (l->n > 1)
		qsort(l->names, l->n, sizeof(l->names[0]), name_compare);
	return r;
}

/* Go into a folder; takes @fd.  Return: 0, or what walk_next() returns when the folder cannot be listed
 * whole, for then its entries are not judged and somebody must be told. */
static int level_enter(struct walk *w, int fd, struct input *ret)
{
	_cleanup_(closep) int owned = fd;
	struct level *l;
	DIR *dir;
	int r;

	if (w->depth == WALK_DEPTH_MAX)
		return input_trouble(w, "folders are nested too deep", ret);
	dir = fdopendir(fd);
	if (dir == NULL)
		return input_trouble(w, trouble_text(errno), ret);
	owned = -1;
	l = &w->levels[w->depth++];
	*l = (struct level){ .fd = fcntl(fd, F_DUPFD_CLOEXEC, 3), .path_len = strlen(w->path) };
	r = l->fd < 0 ? -errno : level_read(w, l, dir);
	if (r == 0 && !w->counts)
		l->oci = oci_layout_open(l->fd);
	(void)closedir(dir);
	if (r == 0)
		return 0;
	level_done(w);
	if (r == -ENOMEM)
		return r;
	return input_trouble(w, r == -E2BIG ? "more entries than can be put in order" : trouble_text(-r), ret);
}

/* ---- entries ---- */

static int open_errno(int folder, const char *name, int flags)
{
	int fd = openat(folder, name, flags);

	return fd < 0 ? -errno : fd;
}

/* Follow the link once, to a descriptor that can do nothing; ask the kernel where that is; then open the very
 * same file for reading.  Return: descriptor or negative errno; -ELOOP: it leads elsewhere. */
static int link_open(const struct walk *w, int folder, const char *name)
{
	_cleanup_(closep) int at = openat(folder, name, O_PATH | O_CLOEXEC);
	char target[PATH_MAX], again[FD_PATH_MAX];
	struct stat st;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !real_path(at, target))
		return -ELOOP;
	if (!path_below(target, w->root, false) && !path_below(target, w->blobs, true))
		return -ELOOP;
	fd_path(at, again);
	return open_errno(AT_FDCWD, again, OPEN_FILE);
}

static int entry_link(const struct walk *w, int folder, const char *name, struct input *ret)
{
	int fd = link_open(w, folder, name);

	if (fd == -ELOOP)
		return input_not(w, TROUBLE_LINK, SET_MEMBER_LINK, ret);
	if (fd == -ENOENT)
		return input_not(w, "the link leads to nothing", SET_MEMBER_LINK, ret);
	return input_open(w, fd, ret);
}

static int entry_folder(struct walk *w, int folder, const char *name, struct input *ret)
{
	int fd = open_errno(folder, name, OPEN_FOLDER | O_NOFOLLOW);

	return fd < 0 ? input_trouble(w, trouble_text(-fd), ret) : level_enter(w, fd, ret);
}

/* One of the globs, for the path or its last name. */
static bool any_matches(const char *const *globs, size_t n, const char *path, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (glob_match(globs[i], bytes_of_text(path)) ||
		    (strchr(globs[i], '/') == NULL && glob_match(globs[i], bytes_of_text(name))))
			return true;
	return false;
}

/* A repository's own folder, by the three things without which Git takes it for none. */
static bool is_git(int folder, const char *name)
{
	static const char *const parts[] = { "HEAD", "objects", "refs" };
	_cleanup_(closep) int fd = openat(folder, name, O_PATH | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
	struct stat st;

	for (size_t i = 0; fd >= 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (fstatat(fd, parts[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			return false;
	return fd >= 0;
}

static bool is_ignored(const struct walk *w, const char *path, bool folder)
{
	struct ignore_rule *rule = w->filter.ignore != NULL ? ignore_find(w->filter.ignore, path, folder) : NULL;

	if (rule != NULL && !w->counts)
		rule->n_hits++;
	return rule != NULL;
}

static bool by_globs(const struct walk_filter *f, const char *path, const char *name, bool folder)
{
	if (any_matches(f->exclude, f->n_exclude, path, name))
		return true;
	return f->n_include > 0 && !folder && !any_matches(f->include, f->n_include, path, name);
}

/* Not wanted.  A folder that is not goes with all that is in it. */
static bool is_filtered(struct walk *w, int parent, const char *name, const struct stat *st)
{
	const struct walk_filter *f = &w->filter;
	const struct changes *changes = f->changes != NULL ? f->changes[w->next_path - 1] : NULL;
	const char *path = w->path + w->member_at;
	bool folder = S_ISDIR(st->st_mode);
	size_t *count = NULL;

	if (by_globs(f, path, name, folder) || (f->is_own != NULL && f->is_own(f->ctx, st)))
		count = &w->left_out.by_globs;
	else if (folder && f->skips_git && strcmp(name, ".git") == 0 && is_git(parent, name))
		count = &w->left_out.by_git;
	else if (changes != NULL && !changes_have(changes, path, folder))
		count = &w->left_out.unchanged;
	if (count != NULL)
		++*count;
	return count != NULL || is_ignored(w, path, folder);
}

/* The kind decides only how to open: opening a device could already act on it.  What was opened is asked
 * again. */
static int entry_visit(struct walk *w, int folder, const char *name, struct input *ret)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return input_trouble(w, trouble_text(errno), ret);
	if (is_filtered(w, folder, name, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return entry_folder(w, folder, name, ret);
	if (w->counts)
		return input_count(folder, name, &st, ret);
	if (w->filter.longest > 0 && strlen(w->path + w->member_at) > w->filter.longest)
		return input_trouble(w, trouble_text(ENAMETOOLONG), ret);
	if (S_ISLNK(st.st_mode))
		return entry_link(w, folder, name, ret);
	if (!S_ISREG(st.st_mode))
		return input_special(w, st.st_mode, ret);
	return input_open(w, open_errno(folder, name, OPEN_FILE | O_NOFOLLOW), ret);
}

/* A folder given by the user.  Without /proc no link in it can be followed, and each says so. */
static int given_folder(struct walk *w, int fd, struct input *ret)
{
	size_t n = strlen(w->path);

	w->member_at = w->path[n - 1] == '/' ? n : n + 1;
	w->blobs[0] = '\0';
	if (real_path(fd, w->root))
		hub_find(w);
	return level_enter(w, fd, ret);
}

/* A path given by the user is followed. */
static int given_visit(struct walk *w, const char *path, struct input *ret)
{
	struct stat st = { 0 };
	int fd;

	if (strcmp(path, "-") == 0)
		return w->counts ? input_count(AT_FDCWD, path, &st, ret) : input_stdin(w, ret);
	if (stat(path, &st) < 0)
		return input_trouble(w, trouble_text(errno), ret);
	if (w->counts && !S_ISDIR(st.st_mode))
		return input_count(AT_FDCWD, path, &st, ret);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return input_special(w, st.st_mode, ret);
	if (!S_ISDIR(st.st_mode))
		return input_open(w, open_errno(AT_FDCWD, path, OPEN_FILE), ret);
	fd = open_errno(AT_FDCWD, path, OPEN_FOLDER);
	return fd < 0 ? input_trouble(w, trouble_text(-fd), ret) : given_folder(w, fd, ret);
}

static int given_next(struct walk *w, struct input *ret)
{
	const char *path = w->paths[w->next_path++];
	bool named = w->filter.stdin_name != NULL && strcmp(path, "-") == 0;
	int r = path_set(w, 0, named ? w->filter.stdin_name : path);

	w->member_at = 0;
	return r < 0 ? r : given_visit(w, path, ret);
}

/* ---- blobs ---- */

/* The layout that the folder at hand holds the blobs of; NULL: it is another folder. */
static const struct level *layout_of_blobs(const struct walk *w)
{
	const struct level *l = w->depth > 2 ? &w->levels[w->depth - 3] : NULL;
	size_t at;

	if (l == NULL || l->oci == NULL)
		return NULL;
	at = l->path_len + (w->path[l->path_len - 1] != '/');
	return w->levels[w->depth - 1].path_len == at + strlen(OCI_BLOBS) &&
		       strncmp(w->path + at, OCI_BLOBS, strlen(OCI_BLOBS)) == 0
		   ? l
		   : NULL;
}

/* Its name is a promise, and its manifests' names for it count.  @more: has it another one? */
static int name_blob(struct walk *w, const struct level *layout, const char *hex, struct input *ret, bool *more)
{
	const char *name = oci_layout_name(layout->oci, hex, w->names_given);
	const bool slash = w->path[layout->path_len - 1] != '/';
	char *path;

	ret->has_promised = sha256_of_hex(hex, ret->promised);
	if (name == NULL)
		return 1;
	if (asprintf(&path, "%.*s%s%s", (int)layout->path_len, w->path, slash ? "/" : "", name) < 0) {
		input_done(ret);
		return -ENOMEM;
	}
	free(ret->name);
	ret->name = path;
	*more = oci_layout_name(layout->oci, hex, ++w->names_given) != NULL;
	return 1;
}

static int entry_next(struct walk *w, struct input *ret)
{
	struct level *l = &w->levels[w->depth - 1];
	const struct level *layout = layout_of_blobs(w);
	char *name = l->names[l->next];
	bool more = false;
	int r = path_set(w, l->path_len, name);

	l->next++; /* before a folder is entered */
	r = r < 0 ? r : entry_visit(w, l->fd, name, ret);
	if (r > 0 && layout != NULL && ret->fd >= 0 && is_sha256_hex(name))
		r = name_blob(w, layout, name, ret, &more);
	if (more && r > 0) {
		l->next--; /* once more, under the next one */
		return r;
	}
	w->names_given = 0;
	free(name);
	return r;
}

/* ---- the walk ---- */

int walk_new(char *const *paths, size_t n_paths, struct walk **ret)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return -ENOMEM;
	w->paths = paths;
	w->n_paths = n_paths;
	*ret = w;
	return 0;
}

void walk_free(struct walk *w)
{
	if (w == NULL)
		return;
	while (w->depth > 0)
		level_done(w);
	free(w->path);
	free(w);
}

void walk_filter(struct walk *w, const struct walk_filter *filter)
{
	w->filter = *filter;
}

struct walk_left_out walk_left_out(const struct walk *w)
{
	return w->left_out;
}

size_t walk_given_count(const struct walk *w)
{
	return w->n_paths;
}

const char *walk_given(const struct walk *w, size_t path)
{
	return w->paths[path];
}

int walk_next(struct walk *w, struct input *ret)
{
	int r = 0;

	while (r == 0) {
		if (w->depth == 0 && w->next_path == w->n_paths)
			return 0;
		if (w->depth == 0)
			r = given_next(w, ret);
		else if (w->levels[w->depth - 1].next == w->levels[w->depth - 1].n)
			level_done(w);
		else
			r = entry_next(w, ret);
	}
	return r;
}

void walk_count(struct walk *w, int64_t until_ms, struct walk_count *count)
{
	struct input in;

	w->counts = true;
	while (!count->whole && now_ms() < until_ms) {
		count->whole = walk_next(w, &in) <= 0;
		if (count->whole)
			break;
		count->n++;
		count->bytes += in.size;
		input_done(&in);
	}
}
