/* Formats that are only named: see named.h. */
#include "named.h"

#include "identify_signs.h"
#include "image.h"
#include "member.h"
#include "program.h"
#include "stream.h"
#include "text_rules.h"

static bool probe(const struct probe *p)
{
	return identify_sign(bytes_of(p->head, p->n), p->size) != NULL;
}

static enum wlk_finding code_of(enum wlk_format_id id)
{
	switch (id) {
	case WLK_FORMAT_SEVEN_ZIP: return WLK_F_ARCHIVE_7Z;
	case WLK_FORMAT_RAR: return WLK_F_ARCHIVE_RAR;
	case WLK_FORMAT_HTML: return WLK_F_FORMAT_HTML;
	case WLK_FORMAT_JAVA_CLASS:
		return WLK_F_REPO_CODE; /* of a program that is built here: no loader of models runs it */
	default: break;
	}
	return format_info(id)->sort == FORMAT_SORT_PROGRAM ? WLK_F_FORMAT_EXECUTABLE : WLK_F_FORMAT_IDENTIFIED_ONLY;
}

/* Return: WLK_BROKEN: hashed, but what is in it was not seen. */
static enum wlk_status name_it(struct layout *l, struct bytes head, uint64_t size)
{
	const struct sign *s = identify_sign(bytes_of(head.at, head.n < PROBE_BYTES ? head.n : PROBE_BYTES), size);
	enum wlk_finding code = s != NULL ? code_of(s->id) : WLK_F_FORMAT_UNKNOWN;
	struct value found = { .kind = VALUE_NONE };
	uint8_t buf[REPORT_STRING_MAX];

	l->id = s != NULL ? s->id : WLK_FORMAT_UNKNOWN;
	if (code == WLK_F_FORMAT_EXECUTABLE)
		found = value_text(program_words(s->id, head, buf));
	else if (s != NULL)
		found = value_text(bytes_of_text(format_info(s->id)->name));
	layout_finding(l, &(struct finding){ .code = code, .has_offset = true, .found = found });
	return WLK_BROKEN;
}

/* Pictures, sound, film, fonts and papers; not what macros or a printer's language run in. */
static bool is_beside(enum wlk_format_id id)
{
	enum format_sort sort = format_info(id)->sort;

	return id != WLK_FORMAT_OLE2 && id != WLK_FORMAT_POSTSCRIPT &&
	       (sort == FORMAT_SORT_IMAGE || sort == FORMAT_SORT_MEDIA || sort == FORMAT_SORT_DOCUMENT);
}

/* What name and content say alike is what repositories hold beside models: no loader of models opens it.  Nobody looks into it, but
 * whether the file is something else as well is asked as of every file. */
static enum wlk_status set_beside(struct layout *l, enum wlk_format_id id)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	l->id = id;
	layout_at(l, id == WLK_FORMAT_HTML ? WLK_F_FORMAT_HTML : WLK_F_FORMAT_BESIDE, 0);
	return WLK_DONE;
}

/* Part of a page, or what a generator makes one of: under a page's name, text that begins with a tag or a block. */
static bool is_fragment(struct bytes head)
{
	size_t i = text_byte_order_mark(head);

	while (i < head.n && memchr(" \t\r\n", head.at[i], 4) != NULL)
		i++;
	if (i + 1 >= head.n || (head.at[i] != '<' && (head.at[i] != '{' || memchr("{%#", head.at[i + 1], 3) == NULL)))
		return false;
	while (i < head.n && (head.at[i] >= ' ' || memchr("\t\n\r\f", head.at[i], 4) != NULL))
		i++;
	return i == head.n;
}

static bool last_resort(struct layout *l, const struct stream *s)
{
	struct bytes head;

	return l->hint == WLK_FORMAT_HTML && s->part.depth == 0 && s->codec == CODEC_STORED &&
	       stream_head(s, l->arena, PROBE_BYTES, &head) && is_fragment(head);
}

static enum wlk_status layout(struct layout *l)
{
	size_t n = l->part.size < PROGRAM_LOOK_BYTES ? (size_t)l->part.size : PROGRAM_LOOK_BYTES;
	const uint8_t *at = part_pin(&l->part, 0, n);
	const struct sign *s;

	if (at == NULL)
		return layout_stop(l);
	s = identify_sign(bytes_of(at, n < PROBE_BYTES ? n : PROBE_BYTES), l->part.size);
	if (s != NULL && image_is_read(s->id)) {
		l->id = s->id;
		return image_layout(l);
	}
	if (s != NULL && is_beside(s->id) && l->hint == s->id && l->part.depth == 0)
		return set_beside(l, s->id);
	if (s == NULL && l->hint == WLK_FORMAT_HTML && l->part.depth == 0 && is_fragment(bytes_of(at, n)))
		return set_beside(l, WLK_FORMAT_HTML);
	return name_it(l, bytes_of(at, n), l->part.size);
}

/* In an archive a picture is what nobody vouches for, as anything else is that is only named. */
static enum wlk_status judge(struct layout *l, struct member *m)
{
	struct bytes head;

	if (!stream_head(&m->stream, l->arena, PROGRAM_LOOK_BYTES, &head))
		return layout_stop(l);
	return name_it(l, head, m->stream.size);
}

const struct wlk_format format_named = { .id = WLK_FORMAT_NAMED,
	.probe = probe,
	.last_resort = last_resort,
	.layout = layout,
	.nested = NESTED_STREAM,
	.judge = judge };
