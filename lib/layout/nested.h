/* What is in a member?  Judged by its content as a file of its own would be, whatever it is called: a pickle under any
 * name, an array, an archive in the archive.  The readers are those of the table of formats; each says there how it reads
 * when it is a member (enum nested_access). */
#pragma once

#include "format.h"
#include "member.h"

/**
 * nested_judge() - identify a member's content and read it
 * @l: of the container.  @m: its stream is described; inner, dtype and understood are filled in.
 * Reads at most what the content's own reader needs.  Findings carry the member's path.  An archive deeper than
 * PART_DEPTH_MAX, or one that would have to be read at random and decodes to more than STREAM_COPY_MAX: a finding, and
 * not understood.  What a coding that breaks leaves unread is not understood either; the pass will meet it again, and the
 * container reports it then.
 * @ret_id: what it was recognised as; WLK_FORMAT_UNKNOWN: nothing this build knows (no finding: the container decides).
 * A format that cannot be nested is named, and not understood.
 * Return: WLK_DONE (also for bad content), WLK_INCOMPLETE (the cause is recorded).
 */
enum wlk_status nested_judge(struct layout *l, struct member *m, enum wlk_format_id *ret_id);

/* Does a format read when it is a member?  What does not, a container that asks for more than its name has to report. */
bool nested_is_judged(enum wlk_format_id id);

/* A member's layout, kept for what only the pass can tell it. */
struct nested {
	struct nested *next;
	const struct wlk_format *format;
	struct layout layout;
};

/* After the pass: the finish() of each.  Return: the worst of what they return; WLK_DONE without any. */
enum wlk_status nested_finish(struct nested *list);
