/* ZIP archives that no loader of models reads as such.  The container is read as strictly as the others
 * (lib/grammars/zip), every member is judged by its content, and the archive is for review whatever comes out: nobody can
 * say which program will open it and what it makes of it (formats/others, section 2, and Decisions 1). */
#include "zip_archive.h"

#include "config_rules.h"

#include "nested.h"
#include "zip_layout.h"

static bool probe(const struct probe *p)
{
	/* The first record of an archive, of an empty one, and of one in several pieces (formats/zip, section 1). */
	return p->n >= 4 && p->head[0] == 'P' && p->head[1] == 'K' &&
	       ((p->head[2] == 3 && p->head[3] == 4) || (p->head[2] == 5 && p->head[3] == 6) ||
		   (p->head[2] == 7 && p->head[3] == 8));
}

/* FOLDER/.data/extern_modules: an archive that begins with its source is a torch.package too. */
static bool is_package_member(struct bytes name)
{
	static const char end[] = "/.data/extern_modules";
	const size_t n = sizeof(end) - 1;

	return name.n > n && memcmp(name.at + name.n - n, end, n) == 0;
}

static enum wlk_status begin(struct layout *l, struct zip_archive *a)
{
	layout_at(l, WLK_F_FORMAT_IDENTIFIED_ONLY, 0);
	for (size_t i = 0; i < a->zip.n; i++)
		if (is_package_member(a->zip.entries[i].name))
			zip_report_entry(l, &a->zip.entries[i], WLK_F_TORCH_PACKAGE);
	return WLK_DONE;
}

/* What is not understood stays so, and with it the scan (elements.h). */
static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status;

	(void)a;
	if (e->member->understood)
		return WLK_DONE;
	status = nested_judge(l, e->member, &id);
	if (status != WLK_DONE || (id != WLK_FORMAT_UNKNOWN && nested_is_judged(id)))
		return status;
	if (id == WLK_FORMAT_UNKNOWN)
		zip_report_entry(l, e, WLK_F_FORMAT_UNKNOWN);
	return config_judge_unread(l, e->member, e->name);
}

static enum wlk_status layout(struct layout *l)
{
	static const struct zip_reader reader = {
		.id = WLK_FORMAT_ZIP, .profile = ZIP_PLAIN, .begin = begin, .member = judge_member
	};

	return zip_layout(l, &reader);
}

const struct wlk_format format_zip = {
	.id = WLK_FORMAT_ZIP,
	.probe = probe,
	.layout = layout,
	.finish = zip_layout_finish,
	.nested = NESTED_RANDOM,
};
