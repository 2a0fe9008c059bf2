/* Members by their content: see nested.h. */
#include "nested.h"

#include <string.h>

#include "tar_python.h"

struct head {
	uint8_t bytes[PROBE_BYTES];
	size_t n;
};

static uint64_t take_head(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct head *h = ctx;
	size_t room = sizeof(h->bytes) - h->n;

	n = n < room ? n : room;
	memcpy(h->bytes + h->n, at, n);
	h->n += n;
	return h->n < sizeof(h->bytes) ? offset + n : FEED_END;
}

static const struct wlk_format *format_of(const struct head *h, const struct member *m, struct arena *a)
{
	const struct probe probe = { .head = h->bytes, .n = h->n, .size = m->stream.size, .arena = a };

	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->probe(&probe))
			return wlk_formats[i];
	return NULL;
}

/* Side files are not looked for: whoever packs something up has to say what it is. */
static const struct wlk_format *format_at_last(struct layout *l, const struct stream *s)
{
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->last_resort != NULL && !wlk_formats[i]->side_file &&
		    wlk_formats[i]->last_resort(l, s))
			return wlk_formats[i];
	return NULL;
}

static bool is_read_as_pickle(enum wlk_format_id id)
{
	return id == WLK_FORMAT_PICKLE || id == WLK_FORMAT_JOBLIB || id == WLK_FORMAT_PYTORCH_LEGACY;
}

/* A checkpoint that is packed up is unpacked before torch.load() has it, and then that asks for a tar archive first.  The
 * rules of polyglot.h see the outermost file only. */
static void check_tar(struct layout *l, const struct head *h, const struct member *m)
{
	struct tar_python header;

	if (is_read_as_pickle(m->id) && h->n >= TAR_PYTHON_BLOCK && tar_python_header(h->bytes, &header) &&
	    (header.spelt || header.extended))
		report_finding(l->report, &(struct finding){ .code = WLK_F_POLYGLOT_TAR,
					      .has_offset = true,
					      .offset = part_offset(&m->stream.part, 0),
					      .subject = bytes_of_text("tar"),
					      .member = m->stream.part.member });
}

/* -- one member -- */

static enum wlk_status judge_stream(struct nested *n, struct member *m)
{
	return n->format->judge(&n->layout, m);
}

static void report_too_large(struct layout *l, const struct member *m)
{
	struct finding f = { .code = WLK_F_LIMIT_NESTED, .has_offset = true, .allowed = value_number(STREAM_COPY_MAX) };

	if (m->stream.size != STREAM_SIZE_UNKNOWN)
		f.found = value_number(m->stream.size);
	layout_finding(l, &f);
}

/* The part that is read at random: the stored bytes as they lie there, or a copy.  Return: WLK_BROKEN without one. */
static enum wlk_status open_part(struct layout *l, struct member *m)
{
	unsigned depth = l->part.depth;
	enum stream_end end;
	struct part copy;

	if (m->stream.codec == CODEC_STORED)
		return WLK_DONE;
	copy = stream_copy(&m->stream, l->arena, STREAM_COPY_MAX, &end);
	if (end == STREAM_FAILED)
		return layout_stop(l);
	if (end == STREAM_ENOUGH)
		report_too_large(l, m);
	if (copy.copy == NULL)
		return WLK_BROKEN;
	if (m->stream.size == STREAM_SIZE_UNKNOWN)
		m->stream.size = copy.size;
	l->part = copy;
	l->part.depth = depth;
	return copy.size == m->stream.size ? WLK_DONE : WLK_BROKEN; /* fewer than declared: nothing fits its place */
}

static enum wlk_status judge_random(struct nested *n, struct member *m)
{
	enum wlk_status status;

	if (n->layout.part.depth > PART_DEPTH_MAX) {
		layout_at(&n->layout, n->format->too_deep != 0 ? n->format->too_deep : WLK_F_ZIP_NESTED, 0);
		return WLK_BROKEN;
	}
	status = open_part(&n->layout, m);
	if (status == WLK_DONE)
		status = n->format->layout(&n->layout);
	return status;
}

/* The content's own layout.  NULL when the arena is spent. */
static struct nested *new_nested(const struct layout *l, struct member *m, const struct wlk_format *format)
{
	struct nested *n = arena_alloc(l->arena, 1, sizeof(*n));

	if (n == NULL)
		return NULL;
	n->format = format;
	n->layout = *l;
	n->layout.part = m->stream.part;
	n->layout.part.depth = l->part.depth + 1;
	n->layout.state = NULL;
	n->layout.family = CONFIG_NONE;
	n->layout.of_set = false; /* its files are members, too, if they are anywhere */
	n->layout.id = format->id;
	n->layout.extents = member_inner(m, l->arena);
	return n->layout.extents != NULL ? n : NULL;
}

/* A layout that has not returned keeps nothing for later. */
static void keep_for_finish(struct nested *n, struct nested **list)
{
	if (n->format->finish == NULL)
		return;
	n->next = *list;
	*list = n;
}

static enum wlk_status judge_as(
    struct layout *l, struct member *m, const struct wlk_format *format, enum wlk_format_id *ret_id)
{
	struct nested *n = new_nested(l, m, format);
	enum wlk_status status;

	if (n == NULL)
		return layout_stop(l);
	status = format->nested == NESTED_STREAM ? judge_stream(n, m) : judge_random(n, m);
	*ret_id = m->id = n->layout.id;
	m->understood = status == WLK_DONE;
	if (status != WLK_DONE)
		m->inner = NULL; /* extents that do not account for all of it are not trusted with any of it */
	if (status != WLK_INCOMPLETE && n->layout.state != NULL)
		keep_for_finish(n, l->nested);
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

enum wlk_status nested_judge(struct layout *l, struct member *m, enum wlk_format_id *ret_id)
{
	struct head head;
	const struct wlk_format *format;

	head.n = 0;
	*ret_id = WLK_FORMAT_UNKNOWN;
	m->understood = false;
	m->by_content = true;
	m->id = WLK_FORMAT_UNKNOWN;
	if (stream_preview(&m->stream, l->arena, (struct feeder){ take_head, &head }, NULL) == STREAM_FAILED)
		return layout_stop(l);
	format = format_of(&head, m, l->arena);
	if (format == NULL)
		format = format_at_last(l, &m->stream);
	if (l->src->err != SOURCE_OK)
		return layout_stop(l);
	if (format == NULL)
		return WLK_DONE;
	*ret_id = m->id = format->id;
	check_tar(l, &head, m);
	return format->nested != NESTED_NEVER ? judge_as(l, m, format, ret_id) : WLK_DONE;
}

bool nested_is_judged(enum wlk_format_id id)
{
	for (size_t i = 0; i < wlk_n_formats; i++)
		if (wlk_formats[i]->id == id)
			return wlk_formats[i]->nested != NESTED_NEVER;
	return true; /* a name that a reader gives what it has read */
}

/* -- after the pass -- */

enum wlk_status nested_finish(struct nested *list)
{
	enum wlk_status worst = WLK_DONE;

	for (struct nested *n = list; n != NULL; n = n->next) {
		enum wlk_status status = n->format->finish(&n->layout);

		worst = status > worst ? status : worst;
	}
	return worst;
}
