/* XML of no format: see xml_document.h.  Follows formats/xml, sections 1 and 2. */
#include "xml_document.h"

#include "checked.h"
#include "identify_signs.h"
#include "member.h"
#include "text_rules.h"
#include "xml_file.h"

struct document {
	struct layout *l;
	struct xml_reader reader;
	bool quiet; /* asked whether it is one: nothing is told */
};

static void acts(struct document *d, uint64_t offset, struct bytes subject)
{
	d->reader.unknown = true;
	if (!d->quiet)
		layout_finding(d->l, &(struct finding){ .code = WLK_F_FORMAT_PARTLY_CHECKED,
					 .has_offset = true,
					 .offset = offset,
					 .subject = subject });
}

/* A namespace of a vocabulary that makes objects or runs. */
static bool is_acting_namespace(struct bytes uri)
{
	static const char *const words[] = { "/xhtml", "/svg", "/xsl/", "/winfx/", "clr-namespace:", "using:", "javafx",
		"there.is.only.xul", "/xbl", "/xforms", "springframework" };

	return xml_holds_any(uri, words, sizeof(words) / sizeof(words[0]));
}

/* What browsers run needs its namespace; Java's XMLDecoder and Spring need none. */
static bool document_tag(void *ctx, const struct xml_tag *tag)
{
	struct document *d = ctx;

	if (tag->depth == 0 && (xml_is(tag->name, "java") || xml_is(tag->name, "beans")))
		acts(d, tag->offset, tag->name);
	for (unsigned i = 0; i < tag->n_attributes; i++) {
		const struct xml_attribute *a = &tag->attributes[i];

		if ((xml_is(a->name, "xmlns") || xml_begins(a->name, "xmlns:")) && is_acting_namespace(a->value))
			acts(d, a->offset, a->value);
	}
	return !d->quiet || !d->reader.unknown;
}

/* Apple's property lists: nobody fetches what describes them.  Behind any other type nothing is accepted. */
static bool is_property_list(const struct xml_doctype *d)
{
	static const char public[] = " plist PUBLIC \"-//Apple",
			  system[] = "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"";
	const size_t begin = sizeof(public) - 1, end = sizeof(system) - 1;

	return d->text.n > begin + end && memcmp(d->text.at, public, begin) == 0 &&
	       memcmp(d->text.at + d->text.n - end, system, end) == 0;
}

static bool takes_any_doctype(void *ctx, const struct xml_doctype *doctype)
{
	struct document *d = ctx;

	if (!is_property_list(doctype))
		acts(d, doctype->offset, doctype->text);
	return true;
}

/* -- is it one? -- */

#define DOCUMENT_ASKED_MAX ((uint64_t)4 << 20) /* without a declaration in front: project files have kilobytes */

static bool asked_doctype(void *ctx, const struct xml_doctype *doctype)
{
	struct document *d = ctx;

	d->reader.unknown |= doctype->subset || doctype->cut || !is_property_list(doctype);
	return !d->reader.unknown;
}

static bool asked_instruction(void *ctx, struct bytes target, uint64_t offset)
{
	(void)target;
	acts(ctx, offset, target);
	return false;
}

static bool asked_text(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata)
{
	(void)ctx, (void)at, (void)n, (void)offset, (void)cdata;
	return true;
}

static bool asked_close(void *ctx, unsigned depth, uint64_t offset)
{
	(void)ctx, (void)depth, (void)offset;
	return true;
}

static void asked_error(void *ctx, enum xml_error e, uint64_t offset, uint64_t found)
{
	(void)ctx, (void)e, (void)offset, (void)found;
}

static bool is_document(struct layout *l, const struct stream *s)
{
	struct document d = { .l = l, .quiet = true };
	const struct xml_handler handler = { .ctx = &d,
		.open = document_tag,
		.close = asked_close,
		.text = asked_text,
		.doctype = asked_doctype,
		.instruction = asked_instruction,
		.error = asked_error };
	struct xml_walker *w = arena_alloc(l->arena, 1, sizeof(*w));
	bool whole;

	if (w == NULL)
		return false;
	xml_begin(w, l->arena, &handler);
	whole = stream_preview(s, l->arena, (struct feeder){ xml_feed, w }, NULL) == STREAM_WHOLE && xml_finish(w);
	return whole && !d.reader.unknown && !(w->foreign && w->letters);
}

/* Without a declaration it is XML only if all of it is. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	size_t n = (size_t)min_u64(s->part.size, PROBE_BYTES), i;
	const uint8_t *head;

	if (s->part.depth > 0 || s->codec != CODEC_STORED || s->part.size > DOCUMENT_ASKED_MAX || n == 0 ||
	    l->hint == WLK_FORMAT_TEXT || l->hint == WLK_FORMAT_MARKDOWN)
		return false;
	head = part_pin(&s->part, 0, n);
	i = head != NULL ? text_byte_order_mark(bytes_of(head, n)) : 0;
	while (head != NULL && i < n && xml_is_blank(bytes_of(head + i, 1)))
		i++;
	return head != NULL && i < n && head[i] == '<' && is_document(l, s);
}

/* -- the document -- */

static enum wlk_status read_document(struct layout *l, struct stream *s)
{
	struct document *d = arena_alloc(l->arena, 1, sizeof(*d));
	enum wlk_status status;

	if (d == NULL)
		return layout_stop(l);
	*d = (struct document){ .l = l };
	d->reader = (struct xml_reader){
		.l = l, .ctx = d, .open = document_tag, .takes_doctype = takes_any_doctype, .lenient = true
	};
	status = xml_read(&d->reader, s);
	if (status ==
	    WLK_DONE) /* who acts on plain XML is known by the file's name alone: build tools, Windows, logging */
		layout_at(l, WLK_F_REPO_CODE, 0);
	return status;
}

static enum wlk_status layout_document(struct layout *l)
{
	struct stream s = xml_stream(l);

	return read_document(l, &s);
}

static enum wlk_status judge_document(struct layout *l, struct member *m)
{
	return read_document(l, &m->stream);
}

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_XML, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_xml = { .id = WLK_FORMAT_XML,
	.probe = probe,
	.layout = layout_document,
	.nested = NESTED_STREAM,
	.judge = judge_document,
	.last_resort = last_resort };
