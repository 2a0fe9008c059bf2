/* The protocol of ClamAV's clamd(8), section "COMMANDS", as bytes: commands in, answers out, and the chunks of INSTREAM.
 * No input or output, nothing kept but what is said.
 *
 * A command is a word, perhaps with a path: `zWORD\0`, `nWORD\n`, or bare, `WORD\n`.  Its answers end like itself.  Bare
 * commands are ended by the end of the input as well, and those without argument need no end, for there are clients
 * that send the word alone; clamd takes a packet for a command there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define CLAMD_LINE_MAX 4608u                    /* bytes of a command: PATH_MAX, and the word */
#define CLAMD_REPLY_MAX (CLAMD_LINE_MAX + 256u) /* bytes of an answer of one line, with its end */
#define CLAMD_SIGNATURE_MAX 160u                /* bytes of the name of what was found, with NUL */

/* X(id, takes a path, how VERSIONCOMMANDS offers it).  What is not done here has an answer, too, but is not offered:
 * clients look there for what they may use. */
#define CLAMD_VERBS(X)                                \
	X(PING, false, " PING")                       \
	X(VERSION, false, " VERSION")                 \
	X(VERSIONCOMMANDS, false, " VERSIONCOMMANDS") \
	X(SCAN, true, "")                             \
	X(CONTSCAN, true, "")                         \
	X(MULTISCAN, true, "")                        \
	X(ALLMATCHSCAN, true, "")                     \
	X(FILDES, false, " FILDES")                   \
	X(INSTREAM, false, " INSTREAM")               \
	X(IDSESSION, false, " IDSESSION")             \
	X(END, false, " END")                         \
	X(STATS, false, " STATS")                     \
	X(RELOAD, false, " RELOAD")                   \
	X(SHUTDOWN, false, "")

enum clamd_verb {
	CLAMD_UNKNOWN,
#define X(id, path, offer) CLAMD_##id,
	CLAMD_VERBS(X)
#undef X
};

struct clamd_command {
	enum clamd_verb verb;
	char term;         /* '\0' or '\n' */
	bool prefixed;     /* z or n: what a session asks for */
	struct bytes path; /* in the caller's buffer; anything but term */
};

/**
 * clamd_parse() - the first command of what has come
 * @ended: nothing follows @n
 * @ret_used: bytes of the command with its end; 1 to @n
 * Return: false: there is no whole command yet; not with @n == CLAMD_LINE_MAX, nor with @ended and @n > 0.  What is not a
 * command, or longer than one may be, is CLAMD_UNKNOWN.
 */
bool clamd_parse(const uint8_t *at, size_t n, bool ended, struct clamd_command *ret, size_t *ret_used);

/* ---- INSTREAM: chunks, each after its length as four bytes, the highest first; one of length 0 is the end ---- */

struct clamd_chunks {
	uint8_t head[4];
	unsigned head_n;
	uint32_t left;  /* of the present chunk */
	uint64_t total; /* announced so far, the present chunk with it */
};

enum clamd_chunk_event {
	CLAMD_CHUNK_MORE, /* all is used */
	CLAMD_CHUNK_DATA, /* some payload */
	CLAMD_CHUNK_HEAD, /* a chunk begins: look at total */
	CLAMD_CHUNK_END,
};

/* So many bytes may be read without reading beyond the end of the stream; at least 1. */
size_t clamd_chunks_want(const struct clamd_chunks *c);

/**
 * clamd_chunks_next() - what comes first in @n bytes
 * @c: zeroed before the stream; not to be used after CLAMD_CHUNK_END
 * @ret_used: bytes to skip before the next call.  @ret_payload: part of those, empty unless CLAMD_CHUNK_DATA.
 */
enum clamd_chunk_event clamd_chunks_next(
    struct clamd_chunks *c, const uint8_t *at, size_t n, size_t *ret_used, struct bytes *ret_payload);

/* ---- answers ---- */

/* `Weighlock.CLASS.CODE`, both in letters and digits, each word of them with a capital: the name of a virus, to a
 * client.  Return: buf. */
const char *clamd_signature(const char *class, const char *code, char buf[CLAMD_SIGNATURE_MAX]);

struct clamd_reply {
	unsigned id;        /* number of the command in its session; 0: no session */
	struct bytes name;  /* what it is about; empty: nothing.  Control characters become `?` */
	const char *text;   /* ours, without control characters; cut where it is too long */
	const char *status; /* "OK", "FOUND" or "ERROR", never cut; NULL: none */
	char term;
};

/* Return: bytes written; the last one is the term, and there is none before. */
size_t clamd_reply(const struct clamd_reply *r, char buf[CLAMD_REPLY_MAX]);

/* What VERSIONCOMMANDS says behind the version. */
const char *clamd_offered(void);
