/* The few members of an answer that decide something, out of JSON that is read strictly and once.  No tree is built: what a
 * client needs is a dozen scalars of two levels, and every document that two readers could understand differently is
 * refused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A string's bytes between its quotes, escapes as they stand.  .at NULL: absent, or null. */
struct wlc_text {
	const char *at;
	size_t n;
};

struct wlc_members {
	struct wlc_text schema, verdict, event, type, retry; /* of the document */
	bool complete;
	bool has_size;
	uint64_t file_size;
	struct wlc_text file_name, file_sha256, scan_retry, scan_error, digest_by;
	size_t n_members; /* of the list of a set's members */
	unsigned seen;    /* for the reader: one bit a row of its table */
};

#define WLC_DEPTH_MAX 64u /* of arrays and objects in each other; verdicts have eight */

/**
 * wlc_members_read() - one JSON object, and nothing behind it but white space
 * @ret: texts point into @at
 * Return: false when it is not JSON (RFC 8259), no object, deeper than WLC_DEPTH_MAX, has one of these members twice or of
 * a wrong kind, or an escape in the name of a member beside these.
 */
bool wlc_members_read(const char *at, size_t n, struct wlc_members *ret);

bool wlc_text_is(struct wlc_text t, const char *word);

/* Does a verdict's text show these bytes?  What cannot be printed stands there as \xNN, and a backslash twice. */
bool wlc_text_shows(struct wlc_text t, const char *bytes);
