/* SVG: see svg.h.  Follows formats/xml, section 2, and SVG 1.1 and 2. */
#include "svg.h"

#include "identify_signs.h"
#include "member.h"
#include "xml_file.h"

struct svg {
	struct layout *l;
	struct xml_reader reader;
	unsigned depth;         /* open elements */
	unsigned style;         /* depth of the style sheet that is open; XML_DEPTH_MAX: none */
	unsigned script;        /* the same of what runs, and was told as such */
	unsigned labels;        /* the same of a foreignObject, in which labels are HTML */
	struct xml_words words; /* of it */
};

static void tell(struct svg *g, enum wlk_finding code, uint64_t offset, struct bytes subject)
{
	layout_finding(
	    g->l, &(struct finding){ .code = code, .has_offset = true, .offset = offset, .subject = subject });
}

static void unknown(struct svg *g, uint64_t offset, struct bytes subject)
{
	tell(g, WLK_F_FORMAT_PARTLY_CHECKED, offset, subject);
	g->reader.unknown = true;
}

/* -- elements -- */

/* Sorted.  A link leads where its address says, which is looked at; Graphviz writes links without one. */
static const char *const elements[] = { "a", "animate", "animateColor", "animateMotion", "animateTransform", "circle",
	"clipPath", "defs", "desc", "ellipse", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
	"feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood",
	"feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode",
	"feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence",
	"filter", "font", "font-face", "font-face-name", "font-face-src", "foreignObject", "g", "glyph", "hkern",
	"image", "line", "linearGradient", "marker", "mask", "metadata", "missing-glyph", "mpath", "path", "pattern",
	"polygon", "polyline", "radialGradient", "rect", "set", "stop", "style", "svg", "switch", "symbol", "text",
	"textPath", "title", "tref", "tspan", "use", "view", "vkern" };

/* The same of HTML, in a foreignObject: they lay text out, and as diagrams.net and Mermaid write labels. */
static const char *const labels[] = { "b", "blockquote", "br", "center", "code", "dd", "div", "dl", "dt", "em", "font",
	"h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p", "pre", "s", "small", "span", "strike", "strong",
	"sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul" };

/* In lower case, sorted: what browsers run, in whatever namespace it is spelled. */
static const char *const running[] = { "audio", "body", "canvas", "embed", "form", "frame", "handler", "head", "html",
	"iframe", "img", "input", "link", "listener", "meta", "object", "script", "source", "template", "video" };

#define ELEMENT_MAX 32u

static bool runs(struct bytes local)
{
	uint8_t folded[ELEMENT_MAX];

	if (local.n > sizeof(folded))
		return false;
	for (size_t i = 0; i < local.n; i++)
		folded[i] = xml_fold(local.at[i]);
	return xml_listed(running, sizeof(running) / sizeof(running[0]), bytes_of(folded, local.n));
}

static bool is_label(const struct svg *g, struct bytes name)
{
	return g->labels != XML_DEPTH_MAX && xml_listed(labels, sizeof(labels) / sizeof(labels[0]), name);
}

static bool is_known(const struct svg *g, struct bytes local)
{
	return xml_listed(elements, sizeof(elements) / sizeof(elements[0]), local) || is_label(g, local);
}

static bool animates(struct bytes local)
{
	return xml_is(local, "set") || xml_begins(local, "animate");
}

/* Those of editors have a prefix, and what they may be declared for is listed below. */
static void check_element(struct svg *g, const struct xml_tag *tag)
{
	struct bytes local = xml_local(tag->name);
	bool prefixed = local.n < tag->name.n && !xml_begins(tag->name, "svg:");

	if (runs(local)) {
		tell(g, WLK_F_SVG_SCRIPT, tag->offset, tag->name);
		g->script = g->script == XML_DEPTH_MAX ? tag->depth : g->script;
	} else if (!prefixed && !is_known(g, local))
		unknown(g, tag->offset, tag->name);
	if (xml_is(local, "foreignobject") && g->labels == XML_DEPTH_MAX)
		g->labels = tag->depth;
	if (tag->depth == 0 && !xml_is(local, "svg"))
		unknown(g, tag->offset, tag->name);
	if (xml_is(local, "style") && g->style == XML_DEPTH_MAX) {
		g->style = tag->depth;
		g->words.kept = 0;
	}
}

/* -- namespaces -- */

static bool is_drawing_namespace(struct bytes uri)
{
	static const char *const whole[] = { "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink",
		"http://www.w3.org/xml/1998/namespace", "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
		"http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/", "http://creativecommons.org/ns#",
		"http://web.resource.org/cc/", "http://www.inkscape.org/namespaces/inkscape",
		"http://sodipodi.sourceforge.net/dtd/sodipodi-0.dtd", "http://www.bohemiancoding.com/sketch/ns",
		"http://www.serif.com/", "https://boxy-svg.com", "http://www.figma.com/figma/ns",
		"http://svgjs.com/svgjs", "http://svgjs.dev/svgjs", "http://www.w3.org/2000/01/rdf-schema#",
		"http://purl.org/dc/dcmitype/", "http://www.openswatchbook.org/uri/2009/osb",
		"http://www.inkscape.org/namespaces/inkscape/", "http://inkscape.sourceforge.net/dtd/sodipodi-0.dtd",
		"http://www.corel.com/coreldraw/odm/2003", "http://krita.org/namespaces/svg/krita",
		"http://schemas.microsoft.com/visio/2003/svgextensions/", "http://vectornator.io",
		"http://www.vectornator.io", "https://vecta.io/nano", "http://xml.openoffice.org/svg/export",
		"http://ns.adobe.com/adobeillustrator/10.0/", "http://ns.adobe.com/adobesvgviewerextensions/3.0/",
		"http://ns.adobe.com/extensibility/1.0/", "http://ns.adobe.com/saveforweb/1.0/",
		"http://ns.adobe.com/graphs/1.0/", "http://ns.adobe.com/variables/1.0/",
		"http://ns.adobe.com/xap/1.0/" };

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (xml_is(uri, whole[i]))
			return true;
	return false;
}

/* Elements with a prefix are not looked up: HTML has none, and is said of an element that is a label. */
static bool is_html_of_label(const struct svg *g, const struct xml_tag *tag, const struct xml_attribute *a)
{
	return xml_is(a->value, "http://www.w3.org/1999/xhtml") && xml_is(a->name, "xmlns") && is_label(g, tag->name);
}

static void check_namespace(struct svg *g, const struct xml_tag *tag, const struct xml_attribute *a)
{
	if (!is_drawing_namespace(a->value) && !is_html_of_label(g, tag, a))
		unknown(g, a->offset, a->value);
}

/* -- references -- */

/* Browsers drop blanks and control characters in addresses. */
static bool has_script_address(struct bytes v)
{
	static const char word[] = "script:";
	size_t matched = 0;

	for (size_t i = 0; i < v.n; i++) {
		uint8_t c = xml_fold(v.at[i]);

		if (c <= ' ')
			continue;
		matched = c == (uint8_t)word[matched] ? matched + 1 : c == 's' ? 1 : 0;
		if (word[matched] == '\0')
			return true;
	}
	return false;
}

static bool is_picture(struct bytes v)
{
	static const char *const kinds[] = { "data:image/png;base64,", "data:image/jpeg;base64,",
		"data:image/jpg;base64,", "data:image/gif;base64,", "data:image/webp;base64,", "data:img/png;base64,",
		"data:img/jpeg;base64,", "data:img/jpg;base64," }; /* img: as Photoshop exports; no type that runs */

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (xml_begins(v, kinds[i]))
			return true;
	return false;
}

static void check_address(struct svg *g, const struct xml_attribute *a)
{
	struct bytes v = a->value;

	if ((v.n > 0 && v.at[0] == '#') || is_picture(v))
		return;
	tell(g, xml_begins(v, "data:") ? WLK_F_SVG_SCRIPT : WLK_F_SVG_EXTERNAL, a->offset, a->name);
}

#define ADDRESS_SHOWS 28u /* bytes behind url( that say where it leads; not more than XML_CARRY - 4 */

/* Of a style: url(#...) is within the picture.  @whole: nothing follows that could say more. */
static bool fetches(struct bytes v, bool whole)
{
	for (; v.n >= 4; v = bytes_of(v.at + 1, v.n - 1)) {
		struct bytes to = bytes_of(v.at + 4, v.n - 4);

		if (!xml_begins(v, "url(") || (!whole && to.n < ADDRESS_SHOWS))
			continue;
		if (to.n > 0 && (to.at[0] == '"' || to.at[0] == '\''))
			to = bytes_of(to.at + 1, to.n - 1);
		if (to.n == 0 || (to.at[0] != '#' && !is_picture(to)))
			return true;
	}
	return false;
}

/* Nothing below shows without one of these. */
static bool may_address(struct bytes v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.at[i] == '(' || v.at[i] == ':' || v.at[i] == '@' || v.at[i] == '\\' || v.at[i] == '<')
			return true;
	return false;
}

/* Style sheets, and attributes that are read as such: not empty.  A backslash can spell anything. */
static void check_style(struct svg *g, struct bytes v, uint64_t offset, bool whole)
{
	if (!may_address(v))
		return;
	/* In an attribute, which has no marks of its own within, an escaped one is a letter to every reader. */
	if (xml_holds(v, "expression(") || xml_holds(v, "-moz-binding") || xml_holds(v, "behavior:") ||
	    (g->style != XML_DEPTH_MAX && memchr(v.at, '<', v.n) != NULL))
		tell(g, WLK_F_SVG_SCRIPT, offset, v);
	else if (xml_holds(v, "@import") || xml_holds(v, "image-set(") || fetches(v, whole))
		tell(g, WLK_F_SVG_EXTERNAL, offset, v);
	else if (memchr(v.at, '\\', v.n) != NULL)
		unknown(g, offset, v);
}

/* -- attributes -- */

/* What is read as a style: the attributes of SVG that have no prefix (SVG 2, 6.6), but for those that hold text: a character of a
 * font, a title, and the drawing in the editor's own form (diagrams.net). */
static bool is_styling(struct bytes name, struct bytes local)
{
	static const char *const texts[] = { "content", "g1", "g2", "glyph-name", "id", "title", "u1", "u2",
		"unicode" };

	return local.n == name.n && !xml_listed(texts, sizeof(texts) / sizeof(texts[0]), name) &&
	       !xml_begins(name, "aria-") && !xml_begins(name, "data-");
}

static void check_attribute(struct svg *g, const struct xml_tag *tag, const struct xml_attribute *a)
{
	struct bytes local = xml_local(a->name);

	if (xml_is(a->name, "xmlns") || xml_begins(a->name, "xmlns:"))
		check_namespace(g, tag, a);
	else if (xml_begins(local, "on") || has_script_address(a->value))
		tell(g, WLK_F_SVG_SCRIPT, a->offset, a->name);
	else if (xml_is(local, "base"))
		tell(g, WLK_F_SVG_EXTERNAL, a->offset, a->name);
	else if (xml_is(local, "href") || xml_is(local, "src"))
		check_address(g, a);
	else if (xml_is(local, "attributename") && animates(xml_local(tag->name)) &&
		 (xml_is(xml_local(a->value), "href") || xml_is(a->value, "style") || xml_begins(a->value, "on")))
		tell(g, WLK_F_SVG_SCRIPT, a->offset, a->value);
	else if (a->value.n > 0 && is_styling(a->name, local))
		check_style(g, a->value, a->offset, true);
}

/* -- the walk -- */

static bool open_tag(void *ctx, const struct xml_tag *tag)
{
	struct svg *g = ctx;

	check_element(g, tag);
	for (unsigned i = 0; i < tag->n_attributes; i++)
		check_attribute(g, tag, &tag->attributes[i]);
	return true;
}

static bool close_tag(void *ctx, unsigned depth, uint64_t offset)
{
	struct svg *g = ctx;

	if (depth == g->script)
		g->script = XML_DEPTH_MAX;
	if (depth == g->labels)
		g->labels = XML_DEPTH_MAX;
	if (depth != g->style)
		return true;
	g->style = XML_DEPTH_MAX;
	if (g->words.kept > 0)
		check_style(g, bytes_of(g->words.at, g->words.kept), offset, true);
	return true;
}

/* Out of a style sheet, a CDATA section is read as markup by whoever takes the picture for HTML. */
static bool take_text(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata)
{
	struct svg *g = ctx;

	if (g->style != XML_DEPTH_MAX)
		check_style(g, xml_words_join(&g->words, at, n), offset, false);
	else if (cdata && g->script == XML_DEPTH_MAX)
		unknown(g, offset, bytes_of(at, n));
	return true;
}

/* As the specifications ask for it, and as editors write it: nobody fetches it. */
#define DTD(name, place) " svg PUBLIC \"-//W3C//DTD SVG " name "//EN\" \"http://www.w3.org/" place "\""

static bool takes_doctype(void *ctx, const struct xml_doctype *d)
{
	static const char *const known[] = {
		" svg",
		DTD("1.0", "TR/2001/PR-SVG-20010719/DTD/svg10.dtd"),
		DTD("1.0", "TR/2001/REC-SVG-20010904/DTD/svg10.dtd"),
		DTD("20010904", "TR/2001/REC-SVG-20010904/DTD/svg10.dtd"),
		DTD("1.1", "Graphics/SVG/1.1/DTD/svg11.dtd"),
	};
	uint8_t text[XML_DOCTYPE_KEPT];
	size_t n = 0;

	(void)ctx;
	for (size_t i = 0; i < d->text.n; i++) {
		uint8_t c = d->text.at[i] > ' ' ? d->text.at[i] : ' ';

		c = c == '\'' ? '"' : c; /* literals are quoted in either way */

		if (c != ' ' || n == 0 || text[n - 1] != ' ')
			text[n++] = c;
	}
	while (n > 0 && text[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (bytes_equal(bytes_of(text, n), bytes_of_text(known[i])))
			return true;
	return false;
}

static enum wlk_status read_picture(struct layout *l, struct stream *s)
{
	struct svg *g = arena_alloc(l->arena, 1, sizeof(*g));
	enum wlk_status status;

	if (g == NULL)
		return layout_stop(l);
	g->l = l;
	g->reader = (struct xml_reader){ .l = l,
		.ctx = g,
		.open = open_tag,
		.close = close_tag,
		.text = take_text,
		.takes_doctype = takes_doctype,
		.lenient = true };
	g->style = g->labels = g->script = XML_DEPTH_MAX;
	status = xml_read(&g->reader, s);
	if (status == WLK_DONE)
		layout_at(l, WLK_F_FORMAT_SIDE_FILE, 0);
	return status;
}

static enum wlk_status layout_picture(struct layout *l)
{
	struct stream s = xml_stream(l);

	return read_picture(l, &s);
}

static enum wlk_status judge_picture(struct layout *l, struct member *m)
{
	return read_picture(l, &m->stream);
}

/* -- the table -- */

static bool probe_picture(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_SVG, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_svg = { .id = WLK_FORMAT_SVG,
	.probe = probe_picture,
	.layout = layout_picture,
	.nested = NESTED_STREAM,
	.judge = judge_picture };
