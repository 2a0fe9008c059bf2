/* A set of files on its way to be judged as one: gathered as the files are judged, in any order of their ends, and then
 * written as the set document (set_document.h) that one more worker gets.  Nothing is compared here.
 *
 * The rows of all members lie in one memfd, however many members there are: a descriptor for each would be too many.
 * Writing the document gives that memory back as it goes, so a set never takes much more than its rows once.
 * Bounds: SET_MEMBERS_MAX members, SET_HEAD_BYTES_MAX of names and facts, SET_BYTES_MAX in all.  What is beyond makes the
 * set's own verdict an `error` (set_file_cause()), while the members keep theirs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts.h"
#include "set_document.h"
#include "tensor_rows.h"
#include "verdict_value.h"

#define SET_HEAD_BYTES_MAX ((size_t)16 << 20) /* 65,536 members of 256 bytes: the worker pins it, and so much it can */

/* Bytes of rows that are read to say what files are, each of them by itself: 8 GiB are some ten seconds.  A folder of 1,024
 * files of weights has megabytes of rows, and they are read as often. */
#define SET_CLAIMS_READ_MAX ((uint64_t)8 << 30)

/* A member as the verdict about the set lists it. */
struct set_part {
	enum verdict_value value;     /* VERDICT_ERROR until it was judged */
	enum verdict_value effective; /* what people have made of it; else the same */
	bool complete, has_size, has_sha256;
};

struct set_file;

/* Return: NULL without memory or without memfd_create(2). */
struct set_file *set_file_new(void);
void set_file_free(struct set_file *s); /* NULL is fine */

/**
 * set_file_add() - one more member, in the order of the document
 * @name: relative to the folder; copied.
 * @state: what is true of it unless set_file_judged() is called: UNREADABLE, LINK or SPECIAL.
 * Return: its index; SIZE_MAX when a bound was reached or memory is missing, which the set remembers.
 */
size_t set_file_add(struct set_file *s, struct bytes name, enum set_member_state state);

/**
 * set_file_judged() - what is known of a member, once
 * @index: of set_file_add(); SIZE_MAX only counts towards the worst verdict.
 * @f: after facts_finish(); borrowed for the call.  @value: of the verdict about it.
 * @rows: what its worker sent, after tensor_rows_end(); borrowed for the call; NULL: none.
 */
void set_file_judged(
    struct set_file *s, size_t index, const struct facts *f, enum verdict_value value, const struct tensor_rows *rows);

/* Behind it, where the verdict says `effective`. */
void set_file_excepted(struct set_file *s, size_t index, enum verdict_value effective);

/* Does a member speak about other files (an index, a part of a split model)?  Otherwise they are only in one folder. */
bool set_file_is_set(const struct set_file *s);

/* Why the set cannot be judged: a limit or internal; WLK_CAUSE_NONE when it can. */
enum wlk_cause set_file_cause(const struct set_file *s);

/**
 * set_file_claims() - write a document for those members that nobody knows: what the others say they are
 * It has all members, and the rows of those that speak about others.  Once, when all others have been judged, and before
 * set_file_seal(), with which it goes away.
 * Return: a sealed memfd, owned by the set, with its bytes in *ret_size; or -1: there is none to be had, or
 * set_file_cause() says why not.
 */
int set_file_claims(struct set_file *s, uint64_t *ret_size);
/* What the rows in it take, to be paid for before: about its size.  0: there is none to be had, for nobody speaks about
 * others, or too much is said for @n_readers files to listen. */
uint64_t set_file_claims_bytes(const struct set_file *s, size_t n_readers);

/**
 * set_file_seal() - write the document; once, after the last member
 * Return: a sealed memfd, owned by the set, with its bytes in *ret_size; or -1, and set_file_cause() says why.
 */
int set_file_seal(struct set_file *s, uint64_t *ret_size);

/* Are all members in it that were to be added? */
bool set_file_holds_all(const struct set_file *s);

/* For the verdict about it (set_verdict.h): members as in the document, parts beside them. */
size_t set_file_members(const struct set_file *s, const struct set_member **ret, const struct set_part **ret_parts);
/* Worst of all members, those beyond SET_MEMBERS_MAX included; VERDICT_ACCEPT when there are none. */
enum verdict_value set_file_worst(const struct set_file *s);
enum verdict_value set_file_effective(const struct set_file *s); /* the same of what is effective */
/* Were all members judged completely? */
bool set_file_complete(const struct set_file *s);
