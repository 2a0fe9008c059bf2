/* What formats that are ZIP archives share: the container is read strictly (lib/grammars/zip), the directory says which
 * format it is when its first member does not, and each member is judged once. */
#pragma once

#include "format.h"
#include "zip.h"

struct zip_archive {
	struct zip zip;
	void *state; /* the reader's own, in the arena */
};

/* A format of archives. */
struct zip_reader {
	enum wlk_format_id id;
	enum zip_profile profile;
	/* A member that only this format has, wherever it stands in the archive: an archive with it is read by this
	 * reader.  With "*" for a folder: the one that the first member is in.  NULL: nothing but its first member tells. */
	const char *marker;
	/* Once the directory is read, before any member is judged: what the archive says of itself, and what it lacks.
	 * NULL: nothing.  Return: WLK_DONE also with findings; WLK_INCOMPLETE. */
	enum wlk_status (*begin)(struct layout *l, struct zip_archive *a);
	/* A member that can be read and is no empty folder.  Fills in e->member.  Return: WLK_DONE also with findings;
	 * WLK_INCOMPLETE. */
	enum wlk_status (*member)(struct layout *l, struct zip_archive *a, const struct zip_entry *e);
};

/**
 * zip_layout() - read an archive with @r, or with the reader that its directory asks for (l->id says which)
 * Leaves l->state for zip_layout_finish().  Memory for the members' descriptions is allowed.
 * Return: what a layout returns.
 */
enum wlk_status zip_layout(struct layout *l, const struct zip_reader *r);
enum wlk_status zip_layout_finish(struct layout *l);

/* Is this a local header, and what is its member called?  For probes. */
bool zip_first_name(const struct probe *p, struct bytes *ret);

static inline bool zip_name_is(struct bytes name, const char *text)
{
	return bytes_equal(name, bytes_of_text(text));
}

/* A finding about a member, at its data. */
void zip_report_entry(struct layout *l, const struct zip_entry *e, enum wlk_finding code);

/* By its content; what no reader knows is fine as long as it is plain text in UTF-8, which nobody runs: else @unknown is
 * found. */
enum wlk_status zip_judge_or_text(struct layout *l, const struct zip_entry *e, enum wlk_finding unknown);

/**
 * zip_read_text() - all of a member in memory, for readers of JSON
 * @limit: bytes; for more, @too_large is found.  @ret: .at is NULL without the text (the coding breaks: zip_finish()
 * says so).  @inner: a layout for findings about it, and for its description: all of it is metadata.
 * Return: WLK_DONE; WLK_INCOMPLETE.
 */
enum wlk_status zip_read_text(struct layout *l, const struct zip_entry *e, uint64_t limit, enum wlk_finding too_large,
    struct layout *inner, struct bytes *ret);

/* Readers of archives that may begin with any member and are known by one they have: of the table of formats. */
extern const struct zip_reader *const zip_readers_marked[];
extern const size_t zip_n_readers_marked;
