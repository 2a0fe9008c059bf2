/* The inputs of a scan, one at a time and already open: files, folders in depth-first byte order, standard
 * input.
 *
 * What is opened is what is judged: an entry is opened first, without following links, and looked at
 * afterwards. A path given by the user is followed.  Below it, a link counts only if it leads to a regular
 * file inside the given path, or in the blobs folder of the Hub cache around it; whatever else cannot be
 * judged comes out as an input with a reason instead of a descriptor, so that nothing is passed over in
 * silence.
 *
 * In a folder of the OCI image layout blobs come under the names that its manifests give them (oci_layout.h), each as often as it
 * has names, as if these were files of the layout's folder.
 *
 * Memory: the names of the folders on the way down, at most WALK_NAMES_MAX bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "set_document.h"
#include "verdict.h"

#define WALK_DEPTH_MAX 128                 /* folders below a given path: each costs a descriptor */
#define WALK_NAMES_MAX ((size_t)256 << 20) /* bytes of names held at a time: some four million entries */

/* One entry to be judged. */
struct input {
	char *name;                  /* the path as given, joined with what the walk found; owned */
	int fd;                      /* regular file or memfd, read-only, owned; -1: not readable */
	uint64_t size;               /* bytes, when open */
	enum verdict_source source;  /* VERDICT_SEALED and VERDICT_SPOOL cannot change any more */
	bool has_sha256;             /* somebody who parses nothing took the digest of what cannot change any more */
	uint8_t sha256[32];          /* then */
	bool has_promised;           /* its name promises that this is its digest: a blob of an OCI layout */
	uint8_t promised[32];        /* then */
	const char *trouble;         /* why it is not readable, static text; NULL when open */
	enum set_member_state state; /* with trouble: what it is in a set: UNREADABLE, LINK or SPECIAL */
	size_t path;                 /* index of the path given by the user that it was found under */
	size_t member_at;            /* in .name: where its path inside the given folder begins; 0: none was given */
};

struct walk;
struct ignore_file;
struct changes;

/* @paths: borrowed until walk_free().  Return: 0 or -ENOMEM. */
int walk_new(char *const *paths, size_t n_paths, struct walk **ret);
void walk_free(struct walk *w);

/* What is looked at, and what it is called.  Of a given folder:  Globs (glob.h) are asked of a path below the folder, and where they have no / of the
 * last name in it as well.  What the user gave by name is always looked at.  All borrowed. */
struct walk_filter {
	const char *const *include, *const *exclude;
	size_t n_include, n_exclude; /* 0 included: everything */
	const char *stdin_name;      /* of standard input; NULL: - */
	size_t longest;              /* bytes of a path below a folder; a file with a longer one is trouble.  0: any */
	struct ignore_file *ignore;  /* whose hits are counted; NULL: none */
	struct changes *const *changes; /* of each path given, only what it has; NULL, also of one: everything */
	bool skips_git;                 /* a repository's own folder, .git, is not looked at */
	/* Is it a file that we are writing ourselves?  NULL: we write none. */
	bool (*is_own)(void *ctx, const struct stat *st);
	void *ctx;
};
void walk_filter(struct walk *w, const struct walk_filter *filter);
/* Entries left out so far, by what left them out; a folder counts once.  What an ignore file left out, its rules count. */
struct walk_left_out {
	size_t by_globs, by_git, unchanged;
};
struct walk_left_out walk_left_out(const struct walk *w);

/* A path as given by the user: of input.path. */
const char *walk_given(const struct walk *w, size_t path);
size_t walk_given_count(const struct walk *w);

/**
 * walk_next() - the next input
 * Return: 1 with *ret filled (release with input_done()), 0 at the end, -ENOMEM, -EINTR when a signal came
 * while standard input was being read (see interrupt.h).
 */
int walk_next(struct walk *w, struct input *ret);

/* What a walk comes to. */
struct walk_count {
	uint64_t n, bytes; /* inputs, and the sizes of those that are files */
	bool whole;        /* it has come to its end */
};

/* Count on, opening no file, until @until_ms of now_ms(); for a walk that walk_next() is not asked of.  Adds to *count. */
void walk_count(struct walk *w, int64_t until_ms, struct walk_count *count);

void input_done(struct input *in);
