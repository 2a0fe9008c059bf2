/* ZIP archives that no loader of models reads as such.  The container is read as strictly as the others
 * (lib/grammars/zip), every member is judged by its content, and the archive is for review whatever comes out: nobody can
 * say which program will open it and what it makes of it (formats/others, section 2, and Decisions 1).  But for notes and tables:
 * where every member says by its name that it is text, and is, and the headers say nothing beside, there is nothing to make of it. */
#include "zip_archive.h"

#include "config_rules.h"

#include "nested.h"
#include "text_member.h"
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

#define CENTRAL_BYTES 46u
#define LOCAL_BYTES 30u
#define NAME_BYTES 256u /* of a member, behind its folders */

/* No extra field: Python's zipfile, .NET and Windows write none, Info-ZIP notes who packed it.  @fixed: bytes of the header;
 * @extra: where the length of the field stands. */
static bool is_bare(struct layout *l, uint64_t at, size_t fixed, size_t extra)
{
	const uint8_t *head =
	    l->part.size >= fixed && at <= l->part.size - fixed ? part_pin(&l->part, at, fixed) : NULL;

	return head != NULL && load_u16le(head + extra) == 0;
}

/* Does its name say that people read it, and nothing else does? */
static bool is_text_name(struct bytes name)
{
	char base[NAME_BYTES] = "";
	enum wlk_format_id hint;
	size_t n = 0;

	while (n < name.n && name.at[name.n - n - 1] != '/' && name.at[name.n - n - 1] != '\\')
		n++;
	if (n >= sizeof(base) || memchr(name.at, 0, name.n) != NULL)
		return false;
	bytes_copy((uint8_t *)base, bytes_of(name.at + (name.n - n), n));
	hint = format_hint(base);
	return (hint == WLK_FORMAT_TEXT || hint == WLK_FORMAT_MARKDOWN) && config_family_hint(base) == CONFIG_NONE;
}

static bool holds_texts(struct layout *l, const struct zip *z)
{
	bool any = false;

	for (size_t i = 0; i < z->n; i++) {
		const struct zip_entry *e = &z->entries[i];

		if ((!e->directory && !is_text_name(e->name)) || !e->readable ||
		    !is_bare(l, e->central, CENTRAL_BYTES, 30) || !is_bare(l, e->local, LOCAL_BYTES, 28))
			return false;
		any |= !e->directory;
	}
	return any;
}

static enum wlk_status begin(struct layout *l, struct zip_archive *a)
{
	bool *texts = arena_alloc(l->arena, 1, sizeof(*texts));

	if (texts == NULL)
		return layout_stop(l);
	*texts = holds_texts(l, &a->zip);
	if (l->src->err != SOURCE_OK)
		return layout_stop(l);
	a->state = texts;
	if (!*texts)
		layout_at(l, WLK_F_FORMAT_IDENTIFIED_ONLY, 0);
	for (size_t i = 0; i < a->zip.n; i++)
		if (is_package_member(a->zip.entries[i].name))
			zip_report_entry(l, &a->zip.entries[i], WLK_F_TORCH_PACKAGE);
	return WLK_DONE;
}

/* What is not understood stays so, and with it the scan (elements.h). */
static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	const bool *texts = a->state;
	enum wlk_format_id id = WLK_FORMAT_UNKNOWN;
	enum wlk_status status;

	if (e->member->understood)
		return WLK_DONE;
	status = nested_judge(l, e->member, &id);
	if (status != WLK_DONE)
		return status;
	if (*texts && id != WLK_FORMAT_UNKNOWN) /* its name says otherwise */
		zip_report_entry(l, e, WLK_F_FORMAT_IDENTIFIED_ONLY);
	if (id != WLK_FORMAT_UNKNOWN && nested_is_judged(id))
		return WLK_DONE;
	if (*texts && id == WLK_FORMAT_UNKNOWN && !text_member_judge(l, e->member))
		return layout_stop(l);
	if (e->member->understood)
		return WLK_DONE;
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
