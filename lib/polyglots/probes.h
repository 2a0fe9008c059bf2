/* What the rules share: what they may look at, and how they say what they found.  For this folder and polyglot.c.
 *
 * A rule is called for every host that is not of its own format, and adds a find for each guest it confirms.  The P
 * numbers are those of formats/polyglots, section 6; each rule's comment says how many bits chance would have to hit. */
#pragma once

#include "polyglot.h"
#include "walk.h"

struct view {
	struct polyglot *pg;
	struct source *src;
	struct report *report;
	struct bytes head, tail; /* what the rules asked for, at most */
	uint64_t tail_at;        /* file offset of the tail */
};

/* Copy n bytes of the file from wherever they are kept, else read them again.  False when they are not all inside the
 * file or cannot be had: then src->err is set and ends the judgement. */
bool look(struct view *v, uint64_t at, uint8_t *buf, size_t n);

/* A guest at this offset.  @guest: its name; @evidence: what was confirmed.  Both static. */
void found(struct view *v, enum wlk_finding code, uint64_t at, const char *guest, const char *evidence);

/* The last n bytes of the file, as far as they are kept. */
struct bytes tail_of(const struct view *v, size_t n);

typedef bool (*confirm_hit)(struct view *v, const struct search_hit *h);

/* The search has seen all there is to see. */
bool no_more_asked(struct view *v, const struct search_hit *h);

/* One find for each signature that was searched for and confirms; one too many is a find as it stands. */
void judge_hits(struct view *v, enum search_kind kind, enum wlk_finding code, const char *guest, const char *evidence,
    confirm_hit confirm);

/* The same of the first one only: of archives whose members all have one.  Return: was there one? */
bool judge_first(struct view *v, enum search_kind kind, enum wlk_finding code, const char *guest, const char *evidence,
    confirm_hit confirm);

/* -- members of the host (members.c): judged by their content, so what they are is no second nature of the host -- */

/* Does a member that was judged by its content begin here? */
bool begins_member(const struct polyglot *pg, uint64_t at);
/* Is this inside a member that was judged as an archive, or as one of these formats? */
bool inside_archive(const struct polyglot *pg, uint64_t at);

/* -- the rules -- */

void find_zip(struct view *v);         /* P1: zip.c */
void find_pdf(struct view *v);         /* P2: pdf.c */
void find_tar(struct view *v);         /* P3: tar.c */
void find_tar_around(struct view *v);  /* P3 */
void find_hdf5(struct view *v);        /* P4: hdf5.c */
void find_7z(struct view *v);          /* P5: packed.c */
void find_rar(struct view *v);         /* P6 */
void find_arj(struct view *v);         /* P7 */
void find_cpio(struct view *v);        /* P20: cpio.c */
void find_ext(struct view *v);         /* P21: fixed.c */
void find_iso9660(struct view *v);     /* P8: fixed.c */
void find_dicom(struct view *v);       /* P9 */
void find_disk_footer(struct view *v); /* P17 */
void find_pickle(struct view *v);      /* P10: pickle.c */
void find_protobuf(struct view *v);    /* P11: protobuf_walk.c */
void find_saved_model(struct view *v); /* P11 */
void find_msgpack(struct view *v);     /* P12: msgpack_walk.c */
void find_safetensors(struct view *v); /* P13: safetensors.c */
void find_program(struct view *v);     /* P14: programs.c */
void find_html(struct view *v);        /* P15: markup.c */
void find_phar(struct view *v);        /* P16: phar.c */
void find_magic(struct view *v);       /* P18: numeric.c */
void find_gzip(struct view *v);        /* P18 */
void find_tfrecord(struct view *v);    /* section 4.1 */
void find_markup(struct view *v);      /* P19: markup.c */

/* Offset of a text in bytes, or n. */
static inline size_t bytes_find(struct bytes b, const char *text, size_t n)
{
	const uint8_t *at = b.n > 0 ? memmem(b.at, b.n, text, n) : NULL;

	return at != NULL ? (size_t)(at - b.at) : b.n;
}

static inline bool begins_with(struct bytes b, const char *text, size_t n)
{
	return b.n >= n && memcmp(b.at, text, n) == 0;
}

static inline bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}
