/* The set document: what is known of the files of a set, in one run of bytes, for the worker that judges them against
 * each other.  The front (or the command) writes it and compares nothing; the worker gets it as its only descriptor and
 * treats every word of it as a stranger's, for the rows came out of workers that had read strangers' files.
 *
 * Layout, little endian: the 8 bytes of SET_MAGIC; u64 bytes of the head; u32 members; a record for each of them; then,
 * behind the head, the rows of each in the same order (manifest.h, each with a u32 length before it).
 * A record is: u16 length and bytes of the name; u8 state; u8 format; u64 size; 32 bytes SHA-256 (zeros: unknown); u64
 * bytes of rows; u16 facts, and for each u8 id, u8 kind, then u64 number or u16 length and bytes of text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "formats.h"
#include "report.h"
#include "source.h"

#define SET_MAGIC "wlkset\001"            /* with its NUL: 8 bytes */
#define SET_MEMBERS_MAX 65536u            /* a folder; a request brings at most 1,024 */
#define SET_NAME_MAX 4096u                /* bytes of a member's name: PATH_MAX */
#define SET_BYTES_MAX ((uint64_t)1 << 30) /* of a document */

enum set_member_state {
	SET_MEMBER_WHOLE,      /* judged to its end: all its rows and facts are here */
	SET_MEMBER_PARTLY,     /* judged, but not completely: rows may be missing */
	SET_MEMBER_UNREADABLE, /* nothing is known of it but its name */
	SET_MEMBER_LINK,       /* a symbolic link that was not followed */
	SET_MEMBER_SPECIAL,    /* a folder, FIFO, socket or device where a file should be */
	SET_N_MEMBER_STATES
};

struct set_member {
	struct bytes name; /* relative to the folder, `/` between its parts; not empty; any other bytes */
	enum set_member_state state;
	enum wlk_format_id format;
	uint64_t size;
	uint8_t sha256[32];
	const struct fact *facts; /* those without a key */
	size_t n_facts;
	uint64_t rows_bytes; /* of its rows with their lengths */
	uint64_t rows_at;    /* read only: where they are in the document */
};

/* Takes the document's bytes.  Return: false ends the writing. */
typedef bool (*set_write_fn)(void *ctx, const void *at, size_t n);

/**
 * set_document_write_head() - everything but the rows, which the caller writes behind it in the order of @members
 * Names and texts are cut to their bounds.  Facts with a key and flags are left out.
 * Return: false when @write refused.
 */
bool set_document_write_head(const struct set_member *members, size_t n, set_write_fn write, void *ctx);

/**
 * set_document_read_head() - what set_document_write_head() wrote; strict
 * Pins the head.  @ret: n items in the arena.  The rows are not looked at, but they fill the document exactly.
 * Return: false: malformed, or memory or source failed (src->err).
 */
bool set_document_read_head(struct source *src, struct arena *a, struct set_member **ret, size_t *ret_n);
