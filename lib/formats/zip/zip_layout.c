/* Formats that are ZIP archives: see zip_layout.h. */
#include "zip_layout.h"

#include "config_rules.h"

#include "nested.h"
#include "text_member.h"

#define LOCAL_SIGNATURE "PK\3\4"
#define LOCAL_BYTES 30u
#define LOCAL_NAME_N 26u
#define MEMBER_MEMORY 4096u /* what the description of a member takes: extents, streams, a header */

bool zip_first_name(const struct probe *p, struct bytes *ret)
{
	size_t n;

	if (p->n < LOCAL_BYTES || memcmp(p->head, LOCAL_SIGNATURE, 4) != 0)
		return false;
	n = load_u16le(p->head + LOCAL_NAME_N);
	*ret = bytes_of(p->head + LOCAL_BYTES, n <= p->n - LOCAL_BYTES ? n : 0);
	return n <= p->n - LOCAL_BYTES;
}

void zip_report_entry(struct layout *l, const struct zip_entry *e, enum wlk_finding code)
{
	report_finding(l->report, &(struct finding){ .code = code,
				      .has_offset = l->part.copy == NULL,
				      .offset = part_offset(&l->part, e->readable ? e->data : e->central),
				      .member = e->member != NULL ? e->member->stream.part.member : e->name });
}

/* -- members -- */

enum wlk_status zip_judge_or_text(struct layout *l, const struct zip_entry *e, enum wlk_finding unknown)
{
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status = nested_judge(l, e->member, &id);

	if (status == WLK_DONE && !nested_is_judged(id)) {
		zip_report_entry(l, e, WLK_F_FORMAT_PARTLY_CHECKED);
		return config_judge_unread(l, e->member, e->name);
	}
	if (status != WLK_DONE || id != WLK_FORMAT_UNKNOWN)
		return status;
	if (!text_member_judge(l, e->member))
		return layout_stop(l);
	if (!e->member->understood)
		zip_report_entry(l, e, unknown);
	status = config_judge_member(l, e->member, e->name, false);
	if (status == WLK_BROKEN)
		e->member->understood = false;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

enum wlk_status zip_read_text(struct layout *l, const struct zip_entry *e, uint64_t limit, enum wlk_finding too_large,
    struct layout *inner, struct bytes *ret)
{
	enum stream_end end;
	struct part text;

	*inner = *l;
	*ret = bytes_of(NULL, 0);
	layout_raise_memory(l, e->size < limit ? e->size : limit);
	text = stream_copy(&e->member->stream, l->arena, limit, &end);
	if (end == STREAM_FAILED)
		return layout_stop(l);
	if (end == STREAM_ENOUGH)
		zip_report_entry(l, e, too_large);
	if (text.copy == NULL)
		return WLK_DONE;
	if (!text_member_describe(inner, e->member))
		return layout_stop(l);
	*ret = bytes_of(text.copy, (size_t)text.size);
	return WLK_DONE;
}

/* -- the archive -- */

#define ROOT_MAX 512u /* bytes of a folder around an archive of a kind */
#define MARKER_MAX 32u

/* The member that @marker names: with "*" before its slash, below the folder of the first. */
static const struct zip_entry *find_marker(const struct zip *z, const char *marker)
{
	struct bytes first = z->n > 0 ? z->entries[0].name : bytes_of(NULL, 0), rest = bytes_of_text(marker);
	const uint8_t *slash = first.n > 0 ? memchr(first.at, '/', first.n) : NULL;
	size_t n = slash != NULL ? (size_t)(slash - first.at) : 0;
	uint8_t path[ROOT_MAX + MARKER_MAX];

	if (marker[0] != '*')
		return zip_find(z, rest);
	if (n == 0 || n > ROOT_MAX || rest.n > MARKER_MAX)
		return NULL;
	memcpy(path, first.at, n);
	memcpy(path + n, rest.at + 1, rest.n - 1);
	return zip_find(z, bytes_of(path, n + rest.n - 1));
}

/* The reader that the directory asks for: the first that does, and all of them are asked, for an archive of two formats
 * is one thing to one loader and another to the next. */
static const struct zip_reader *find_reader(struct layout *l, const struct zip *z, const struct zip_reader *r)
{
	const struct zip_reader *found = r->marker != NULL ? r : NULL;

	for (size_t i = 0; i < zip_n_readers_marked; i++) {
		const struct zip_entry *e = find_marker(z, zip_readers_marked[i]->marker);

		if (e == NULL || zip_readers_marked[i] == found)
			continue;
		if (found != NULL || r->id == WLK_FORMAT_KERAS_ZIP)
			zip_report_entry(l, e, WLK_F_ZIP_TWO_FORMATS);
		else
			found = zip_readers_marked[i];
	}
	return found != NULL ? found : r;
}

static enum wlk_status judge_members(struct layout *l, struct zip_archive *a, const struct zip_reader *r)
{
	enum wlk_status status = r->begin != NULL ? r->begin(l, a) : WLK_DONE;

	for (size_t i = 0; status == WLK_DONE && i < a->zip.n; i++) {
		const struct zip_entry *e = &a->zip.entries[i];

		if (e->readable && e->directory && e->size == 0 && e->coded == 0)
			e->member->understood = true; /* the container's reader has named it */
		else if (e->readable)
			status = r->member(l, a, e);
	}
	return status;
}

enum wlk_status zip_layout(struct layout *l, const struct zip_reader *r)
{
	const struct zip_options options = { .profile = r->profile,
		.lim = l->lim,
		.seed = l->seed,
		.arena = l->arena,
		.report = l->report,
		.extents = l->extents };
	struct zip_archive *a = arena_alloc(l->arena, 1, sizeof(*a));
	enum wlk_status status;

	if (a == NULL)
		return layout_stop(l);
	l->state = a;
	status = zip_read(&a->zip, &l->part, &options);
	if (status != WLK_DONE)
		return status;
	layout_raise_memory(l, (uint64_t)a->zip.n * MEMBER_MEMORY);
	r = find_reader(l, &a->zip, r);
	l->id = r->id;
	status = judge_members(l, a, r);
	if (status != WLK_DONE)
		return status;
	return a->zip.tiled ? WLK_DONE : WLK_BROKEN; /* members that are not understood stay so: elements.h */
}

enum wlk_status zip_layout_finish(struct layout *l)
{
	const struct zip_archive *a = l->state;

	return a != NULL ? zip_finish(&a->zip) : WLK_DONE;
}
