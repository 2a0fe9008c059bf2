/* ZIP archives that no loader of models reads as such.  The container is read as strictly as the others
 * (lib/checks/zip), every member is judged by its content, and the archive is for review whatever comes out: nobody can
 * say which program will open it and what it makes of it (formats/others, section 2, and Decisions 1). */
#include "nested.h"
#include "zip/zip.h"
#include "zip_archive.h"

static bool probe(const struct probe *p)
{
	/* The first record of an archive, of an empty one, and of one in several pieces (formats/zip, section 1). */
	return p->n >= 4 && p->head[0] == 'P' && p->head[1] == 'K' &&
	       ((p->head[2] == 3 && p->head[3] == 4) || (p->head[2] == 5 && p->head[3] == 6) ||
		   (p->head[2] == 7 && p->head[3] == 8));
}

static void report_unknown(struct layout *l, const struct zip_entry *e)
{
	report_finding(l->report, &(struct finding){ .code = WLK_F_FORMAT_UNKNOWN,
				      .has_offset = true,
				      .offset = part_offset(&l->part, e->data),
				      .member = e->member->stream.part.member });
}

/* What is not understood stays so, and with it the scan (elements.h). */
static enum wlk_status judge_member(struct layout *l, const struct zip_entry *e)
{
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status;

	if (!e->readable || e->member->understood)
		return WLK_DONE;
	status = nested_judge(l, e->member, &id);
	if (status == WLK_DONE && id == WLK_FORMAT_UNKNOWN)
		report_unknown(l, e);
	return status;
}

static enum wlk_status layout(struct layout *l)
{
	const struct zip_options options = { .profile = ZIP_PLAIN,
		.lim = l->lim,
		.seed = l->seed,
		.arena = l->arena,
		.report = l->report,
		.extents = l->extents };
	struct zip *z = arena_alloc(l->arena, 1, sizeof(*z));
	enum wlk_status status;

	if (z == NULL)
		return layout_stop(l);
	l->state = z;
	status = zip_read(z, &l->part, &options);
	if (status != WLK_DONE)
		return status;
	layout_at(l, WLK_F_FORMAT_IDENTIFIED_ONLY, 0);
	for (size_t i = 0; status == WLK_DONE && i < z->n; i++)
		status = judge_member(l, &z->entries[i]);
	if (status != WLK_DONE)
		return status;
	return z->tiled ? WLK_DONE : WLK_BROKEN;
}

static enum wlk_status finish(struct layout *l)
{
	return zip_finish(l->state);
}

const struct wlk_format format_zip = {
	.id = WLK_FORMAT_ZIP,
	.probe = probe,
	.layout = layout,
	.finish = finish,
	.nested = NESTED_RANDOM,
};
