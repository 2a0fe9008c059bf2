/* The archive of associated files - labels, vocabularies - that TensorFlow Lite's metadata writer appends to a model:
 * formats/savedmodel, decision 6.  Its offsets count from the beginning of the model. */
#include "checked.h"
#include "nested.h"
#include "stream.h"
#include "text_member.h"
#include "tflite.h"
#include "zip.h"

#include <string.h>

#define PADDING_MAX 16u

/* Where a local header begins within the padding behind the model; the end of the file without one. */
static bool find_archive(struct tflite *t, uint64_t end, uint64_t *ret)
{
	uint8_t tail[PADDING_MAX + 4];
	uint64_t left = t->l->part.size - end;
	size_t n = left < sizeof(tail) ? (size_t)left : sizeof(tail);

	*ret = t->l->part.size;
	if (n > 0 && !fb_read(&t->fb, end, tail, n))
		return false;
	for (size_t i = 0; i + 4 <= n && (i == 0 || tail[i - 1] == 0); i++) {
		if (memcmp(tail + i, "PK\3\4", 4) == 0) {
			*ret = end + i;
			return true;
		}
	}
	return true;
}

static enum wlk_status judge_file(struct layout *l, const struct zip_entry *e)
{
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status;

	/* Labels and vocabularies are text, which nobody runs. */
	if (!e->readable || e->member->understood)
		return WLK_DONE;
	status = nested_judge(l, e->member, &id);
	if (status != WLK_DONE || id != WLK_FORMAT_UNKNOWN)
		return status;
	if (!text_member_judge(l, e->member))
		return layout_stop(l);
	if (!e->member->understood)
		report_finding(l->report, &(struct finding){ .code = WLK_F_FORMAT_UNKNOWN,
					      .has_offset = l->part.copy == NULL,
					      .offset = part_offset(&l->part, e->data),
					      .member = e->member->stream.part.member });
	return WLK_DONE;
}

static enum wlk_status read_archive(struct tflite *t, uint64_t at)
{
	struct layout *l = t->l;
	const struct zip_options options = { .profile = ZIP_PLAIN,
		.begin = at,
		.lim = l->lim,
		.seed = l->seed,
		.arena = l->arena,
		.report = l->report,
		.extents = l->extents };
	struct zip *z = arena_alloc(l->arena, 1, sizeof(*z));
	enum wlk_status status;

	if (z == NULL)
		return layout_stop(l);
	status = zip_read(z, &l->part, &options);
	if (status != WLK_DONE)
		return status;
	t->zip = z;
	l->extents->archive = at;
	for (size_t i = 0; status == WLK_DONE && i < z->n; i++)
		status = judge_file(l, &z->entries[i]);
	return status == WLK_DONE && !z->tiled ? WLK_BROKEN : status;
}

#define ZIP_END_BYTES 22u

/* What the writer leaves that had no files to add: an end record of no members that lies where it says that its directory begins, up
 * to the end of the file.  Every reader of archives finds that and nothing else. */
static bool is_empty_archive(struct tflite *t, uint64_t at)
{
	static const uint8_t none[12];
	uint8_t end[ZIP_END_BYTES];

	return t->l->part.size - at == sizeof(end) && at <= UINT32_MAX && fb_read(&t->fb, at, end, sizeof(end)) &&
	       memcmp(end, "PK\5\6", 4) == 0 && memcmp(end + 4, none, sizeof(none)) == 0 &&
	       load_u32le(end + 16) == at && end[20] == 0 && end[21] == 0;
}

static enum wlk_status take_empty_archive(struct tflite *t, uint64_t at)
{
	struct extent *e = extents_add(t->l->extents);

	if (e == NULL)
		return layout_stop(t->l);
	e->begin = at;
	e->end = t->l->part.size;
	e->kind = EXTENT_METADATA;
	t->l->extents->archive = at;
	tflite_tell(t, WLK_F_TFLITE_ASSOCIATED_FILES, at, (struct bytes){ 0 });
	return WLK_DONE;
}

enum wlk_status tflite_read_files(struct tflite *t, uint64_t end, uint64_t *ret_at)
{
	if (!find_archive(t, end, ret_at))
		return WLK_INCOMPLETE;
	if (*ret_at == t->l->part.size) {
		if (!is_empty_archive(t, end))
			return t->l->report->cause != WLK_CAUSE_NONE ? WLK_INCOMPLETE : WLK_DONE;
		*ret_at = end;
		return take_empty_archive(t, end);
	}
	if (!t->files) { /* nobody announced it: trailing bytes, and a polyglot */
		*ret_at = t->l->part.size;
		return WLK_DONE;
	}
	tflite_tell(t, WLK_F_TFLITE_ASSOCIATED_FILES, *ret_at, (struct bytes){ 0 });
	return read_archive(t, *ret_at);
}
